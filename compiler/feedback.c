//===- feedback.c - kernels that come back from the assembler ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO 3.4: what the layers below find out goes back to those above. A plan bounds a kernel's registers, so that as
// many blocks as planned fit; where a kernel needs more, ptxas spills. Such a kernel is planned again by other
// templates (docs/templates.md) with fewer elements a thread, the cheapest by the cost model first, at most three
// times, and the one is taken that costs least with what it spills.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"
#include "ir/plan/cost.h"
#include "ir/plan/kernel_cost.h"
#include "lowering/ptx/cuda_toolkit.h"
#include "passes/common/candidates.h"
#include "passes/common/kernel_list.h"

#include "mlir-c/Diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, MOST_CANDIDATES = 64 };

/// A template of a kernel, and what ptxas says of it.
typedef struct {
  MlirOperation fusion;
  const char *text; ///< NULL: the plan's own
  PlanCost cost;
  int64_t spilledBytes; ///< of a thread, stored and loaded, over all architectures
} Version;

typedef struct {
  uint64_t key;
  Candidates candidates; ///< of a kernel that spills
  Version versions[1 + ROUNDS];
  int numVersions;
} Feedback;

//===----------------------------------------------------------------------===//
// What ptxas says
//===----------------------------------------------------------------------===//

/// Bytes that kernels spill, by their names.
typedef struct {
  char kernel[128]; ///< that the next line is about
  struct Spill {
    char kernel[128];
    int64_t bytes;
  } *data;
  int64_t count, capacity;
} Spills;

static void appendTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

/// Reads a line of `ptxas -v`, which is a remark of gpu-to-ptx.
static void readLine(Spills *spills, const char *line) {
  long long frame, stores, loads;
  const char *name = strstr(line, "Compiling entry function '"), *frames = strstr(line, "bytes stack frame");
  if (name)
    sscanf(name, "Compiling entry function '%127[^']'", spills->kernel);
  while (frames && frames > line && strchr(" 0123456789", frames[-1]))
    --frames;
  if (!frames || sscanf(frames, "%lld bytes stack frame, %lld bytes spill stores, %lld bytes spill loads", &frame,
                        &stores, &loads) != 3)
    return;
  IR_RESERVE_ONE(spills->data, spills->count, spills->capacity);
  struct Spill *spill = &spills->data[spills->count++];
  memcpy(spill->kernel, spills->kernel, sizeof(spill->kernel));
  spill->bytes = stores + loads;
}

static MlirLogicalResult onRemark(MlirDiagnostic diagnostic, void *spills) {
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticRemark)
    return mlirLogicalResultFailure(); // errors go where they went before
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file)
    mlirDiagnosticPrint(diagnostic, appendTo, file);
  if (file && fclose(file) == 0)
    readLine(spills, text);
  free(text);
  return mlirLogicalResultSuccess();
}

/// Assembles the kernels of a plan's module, which then holds kernels and host function.
static bool assembleModule(Compiler *c, MlirOperation module, Spills *spills) {
  MlirOperation images = {NULL};
  stitchEnableRemarks(c->context, false);
  bool ok = runPipeline(c, module, "convert-stitch-to-gpu");
  stitchEnableRemarks(c->context, true);
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(c->context, onRemark, spills, NULL);
  ok = ok && assembleKernels(c, module, "all", &images);
  mlirContextDetachDiagnosticHandler(c->context, handler);
  stitchEnableRemarks(c->context, c->options->remarks);
  if (!mlirOperationIsNull(images))
    mlirOperationDestroy(images);
  if (ok && spills->count == 0)
    return messagesFail(&c->messages, "--feedback: this ptxas knows none of the targets");
  return ok;
}

/// The name of the kernel that launch number `index` of @main starts.
static MlirStringRef nameOfLaunch(MlirOperation module, int64_t index) {
  IR_FOR_EACH_OP(op, irBody(irFindFunction(module, "main"), 0)) {
    if (!irOpIs(op, "gpu.launch_func") || index-- > 0)
      continue;
    MlirAttribute symbol = irGetAttr(op, "kernel");
    return mlirFlatSymbolRefAttrGetValue(mlirSymbolRefAttrGetNestedReference(symbol, 0));
  }
  return mlirStringRefCreateFromCString("");
}

/// Assembles kernels side by side, for all architectures, and notes what they spill.
static bool assembleVersions(Compiler *c, Version *const *versions, int64_t count) {
  Spills spills = {0};
  MlirOperation *fusions = irAllocate(sizeof(*fusions) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i)
    fusions[i] = versions[i]->fusion;
  MlirOperation module = kernelModuleOfAll(fusions, count);
  bool ok = assembleModule(c, module, &spills);
  for (int64_t i = 0; i < count && ok; ++i) {
    MlirStringRef name = nameOfLaunch(module, i);
    for (int64_t j = 0; j < spills.count; ++j)
      if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(spills.data[j].kernel)))
        versions[i]->spilledBytes += spills.data[j].bytes;
  }
  mlirOperationDestroy(module);
  free(fusions);
  free(spills.data);
  return ok;
}

//===----------------------------------------------------------------------===//
// Other versions
//===----------------------------------------------------------------------===//

/// The most elements of a root that a thread has at once.
static int64_t elementsOfThread(MlirOperation fusion) {
  int64_t most = 0;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchMapping mapping;
    if (planGetMapping(op, &mapping))
      most = max64(most, mapping.vector * mapping.unroll);
  }
  return most;
}

/// The narrowest access to rows or columns: what is read in smaller pieces takes more instructions than it spills.
static int64_t narrowestVector(MlirOperation fusion) {
  int64_t least = INT64_MAX;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchMapping mapping;
    if (planGetMapping(op, &mapping) && mapping.columns > 1)
      least = min64(least, mapping.vector);
  }
  return least;
}

/// Takes up to ROUNDS candidates with fewer elements a thread, the cheapest first.
static void chooseVersions(Feedback *kernel, const StitchDevice *device) {
  Version *own = &kernel->versions[0];
  kernel->candidates = candidatesOf(own->fusion, device, MOST_CANDIDATES);
  for (int64_t i = 1; i < kernel->candidates.count && kernel->numVersions <= ROUNDS; ++i) {
    const Candidate *candidate = &kernel->candidates.data[i];
    MlirOperation fusion = kernelModuleFusion(candidate->module);
    if (elementsOfThread(fusion) < elementsOfThread(own->fusion) &&
        narrowestVector(fusion) >= narrowestVector(own->fusion))
      kernel->versions[kernel->numVersions++] =
          (Version){.fusion = fusion, .text = candidate->text, .cost = candidate->cost};
  }
}

/// Nanoseconds with what all threads of all tasks spill, which the second-level cache takes and gives.
static double costWithSpills(const Version *version, const StitchDevice *device) {
  StitchLaunch launch = {0};
  planGetLaunch(version->fusion, &launch);
  double threads = (double)launch.grid * (double)launch.block * (double)max64(version->cost.numRounds, 1);
  return version->cost.total + costOfMoving(device, threads * (double)version->spilledBytes) / COST_CACHE_SPEEDUP;
}

static const Version *bestOf(const Feedback *kernel, int count, const StitchDevice *device) {
  const Version *best = &kernel->versions[0];
  for (int i = 1; i < count; ++i)
    if (costWithSpills(&kernel->versions[i], device) < costWithSpills(best, device))
      best = &kernel->versions[i];
  return best;
}

static bool stillSpills(const Feedback *kernel, int round) {
  return round < kernel->numVersions && kernel->versions[round - 1].spilledBytes > 0;
}

/// Rounds of assembling, each for the kernels that spill in all versions so far.
static bool runRounds(Compiler *c, Feedback *kernels, int64_t count, const StitchDevice *device) {
  Version **versions = irAllocate(sizeof(*versions) * (size_t)(count + 1));
  bool ok = true;
  for (int64_t i = 0; i < count; ++i)
    versions[i] = &kernels[i].versions[0];
  ok = count == 0 || assembleVersions(c, versions, count);
  for (int64_t i = 0; i < count && ok; ++i)
    if (kernels[i].versions[0].spilledBytes > 0)
      chooseVersions(&kernels[i], device);
  for (int round = 1; round <= ROUNDS && ok; ++round) {
    int64_t numVersions = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (stillSpills(&kernels[i], round))
        versions[numVersions++] = &kernels[i].versions[round];
      else if (round < kernels[i].numVersions)
        kernels[i].numVersions = round; // what comes behind has not been assembled
    }
    ok = numVersions == 0 || assembleVersions(c, versions, numVersions);
  }
  free(versions);
  return ok;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static void explain(Compiler *c, MlirOperation fusion, const Feedback *kernel, const Version *best,
                    const StitchDevice *device) {
  if (!c->options->remarks)
    return;
  for (int i = 0; i < kernel->numVersions; ++i)
    stitchRemark(fusion, "feedback: ptxas spills %lld bytes a thread with %lld elements a thread; %.0f ns with that%s",
                 (long long)kernel->versions[i].spilledBytes, (long long)elementsOfThread(kernel->versions[i].fusion),
                 costWithSpills(&kernel->versions[i], device),
                 &kernel->versions[i] == best ? i > 0 ? ", the least: it is taken" : ", the least: the plan stays"
                                              : "");
}

/// Gives all fusions of a kernel its best version.
static bool applyBest(Compiler *c, const Feedback *kernel, const Version *best) {
  Operations fusions = plannedKernels(c->kernels);
  bool ok = true;
  for (intptr_t i = 0; i < fusions.count && ok; ++i) {
    TemplateKernel named = templateKernelCreate(fusions.data[i]);
    bool isIt = named.names.key == kernel->key;
    templateKernelDestroy(&named);
    char *problem = NULL;
    if (isIt && !kernelApplyTemplate(&fusions.data[i], best->text, &problem))
      ok = messagesFail(&c->messages, "a candidate cannot be planned again: %s", problem ? problem : "out of memory");
    free(problem);
  }
  free(fusions.data);
  return ok;
}

static bool applyAll(Compiler *c, Feedback *kernels, int64_t count, const StitchDevice *device) {
  FeedbackStatistics *statistics = &c->statistics.feedback;
  bool ok = true;
  *statistics = (FeedbackStatistics){.kernels = count};
  for (int64_t i = 0; i < count && ok; ++i) {
    const Version *own = &kernels[i].versions[0], *best = bestOf(&kernels[i], kernels[i].numVersions, device);
    if (own->spilledBytes == 0)
      continue;
    explain(c, own->fusion, &kernels[i], best, device);
    ++statistics->spilling;
    statistics->bytesBefore += own->spilledBytes;
    statistics->bytesAfter += best->spilledBytes;
    statistics->nsBefore += costWithSpills(own, device);
    statistics->nsAfter += costWithSpills(best, device);
    statistics->replanned += best != own;
    ok = best == own || applyBest(c, &kernels[i], best);
  }
  if (ok)
    messagesNote(&c->messages,
                 "feedback: of %lld kernels %lld spill; %lld are planned again, %lld bytes a thread become %lld",
                 (long long)count, (long long)statistics->spilling, (long long)statistics->replanned,
                 (long long)statistics->bytesBefore, (long long)statistics->bytesAfter);
  return ok;
}

bool applyFeedback(Compiler *c) {
  char *ptxas = stitchFindPtxas();
  StitchDevice device;
  if (!beginStage(c, "feedback"))
    return false;
  if (!ptxas)
    return messagesFail(&c->messages, "--feedback needs ptxas, of a CUDA toolkit");
  free(ptxas);
  if (!planGetDevice(c->kernels, &device))
    return messagesFail(&c->messages, "the plan has no device");
  DistinctKernels distinct = distinctKernels(c->kernels);
  Feedback *kernels = irAllocateZeroed((size_t)distinct.count + 1, sizeof(*kernels));
  bool ok = true;
  for (int64_t i = 0; i < distinct.count && ok; ++i) {
    kernels[i] = (Feedback){.key = distinct.data[i].key, .numVersions = 1};
    kernels[i].versions[0].fusion = distinct.data[i].fusion;
    ok = planCostOfFusion(distinct.data[i].fusion, &device, &kernels[i].versions[0].cost);
  }
  ok = ok && runRounds(c, kernels, distinct.count, &device) && applyAll(c, kernels, distinct.count, &device);
  for (int64_t i = 0; i < distinct.count; ++i)
    candidatesDestroy(&kernels[i].candidates);
  free(kernels);
  free(distinct.data);
  return ok;
}
