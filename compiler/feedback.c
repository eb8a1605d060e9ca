//===- feedback.c - kernels that come back from the assembler ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO 3.4: the facts that the lower layers find go back to the upper ones. A plan bounds a kernel's registers, so
// that as many blocks as planned fit; where a kernel needs more, ptxas spills. Such a kernel is planned again by other
// templates (docs/templates.md) with fewer elements a thread, the cheapest by the cost model first, in at most three
// rounds. In the last one it is also cut in two. The version with the lowest cost, spills included, is taken. A kernel
// that cannot be compiled costs more than any other version.
//
// A file keeps the results (feedback_file.c), as templates. The model is planned once more with it, in at most three
// rounds, until the assembler has nothing new to say, of parts say. The result is that of the file alone: another
// compilation needs no assembler for it.
//
//===----------------------------------------------------------------------===//

#include "compiler/feedback.h"
#include "compiler/compiler.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"
#include "ir/plan/cost.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/rules.h"
#include "lowering/ptx/cuda_toolkit.h"
#include "passes/common/candidates.h"
#include "passes/common/kernel_cut.h"
#include "passes/common/kernel_list.h"

#include "mlir-c/Diagnostics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, PLANS = 3, MOST_CANDIDATES = 64, MOST_VERSIONS = 1 + ROUNDS + 1 };

/// A kernel of a version, with ptxas's figures.
typedef struct {
  MlirOperation fusion;
  PlanCost cost;
  int64_t spilledBytes; ///< of a thread, stored and loaded, over all architectures
  bool isRejected;      ///< it cannot be compiled
} VersionKernel;

/// A way to compute a kernel.
typedef struct {
  VersionKernel parts[KERNEL_CUT_PARTS];
  int numParts;
  const char *text; ///< its template, or where it is cut; NULL: the plan's own
  int round;        ///< of assembling
} KernelVersion;

typedef struct {
  uint64_t key;
  Candidates candidates; ///< of a kernel that spills
  KernelCut cut;
  KernelVersion versions[MOST_VERSIONS];
  int numVersions;
  bool isRuled; ///< a rule names something in one of its fusions: it stays as it is
  bool isKnown; ///< the file has it: it stays as that says
} Feedback;

//===----------------------------------------------------------------------===//
// The assembler's figures
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

/// The result of assembling apart from spilled bytes.
typedef struct {
  StitchStatus rejection; ///< the last error of a kernel that cannot be compiled, which is kept from the caller
  bool knowsNone;         ///< ptxas knows none of the targets
} AssemblyResult;

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

/// Assembles kernels concurrently, for all architectures, and notes their spills. An assembler that says nothing of
/// them knows none of these.
static bool assembleTogether(Compiler *c, VersionKernel *const *parts, int64_t count, AssemblyResult *assembly) {
  Spills spills = {0};
  MlirOperation *fusions = irAllocate(sizeof(*fusions) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i)
    fusions[i] = parts[i]->fusion;
  MlirOperation module = kernelModuleOfAll(fusions, count);
  bool ok = assembleModule(c, module, &spills);
  assembly->knowsNone |= ok && spills.count == 0;
  for (int64_t i = 0; i < count && ok; ++i) {
    MlirStringRef name = nameOfLaunch(module, i);
    for (int64_t j = 0; j < spills.count; ++j)
      if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(spills.data[j].kernel)))
        parts[i]->spilledBytes += spills.data[j].bytes;
  }
  mlirOperationDestroy(module);
  free(fusions);
  free(spills.data);
  return ok;
}

/// The same. Of kernels that cannot be compiled together each is compiled alone, and those that cannot are rejected.
static void assembleParts(Compiler *c, VersionKernel *const *parts, int64_t count, AssemblyResult *assembly) {
  StitchStatus attempt = NULL, *before = c->messages->attempt;
  c->messages->attempt = &attempt;
  bool ok = assembleTogether(c, parts, count, assembly);
  c->messages->attempt = before;
  if (!ok && count == 1) {
    parts[0]->isRejected = true;
    stitchStatusFree(assembly->rejection);
    assembly->rejection = attempt;
    return;
  }
  stitchStatusFree(attempt);
  for (int64_t i = 0; i < count && !ok; ++i)
    assembleParts(c, parts + i, 1, assembly);
}

//===----------------------------------------------------------------------===//
// Other versions
//===----------------------------------------------------------------------===//

/// The most elements of a root that a thread has in registers together.
static int64_t elementsOfThread(MlirOperation fusion) {
  int64_t most = 0;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchMapping mapping;
    if (planGetMapping(op, &mapping))
      most = max64(most, mapping.vector * mapping.unroll);
  }
  return most;
}

/// The narrowest access to rows or columns: narrower loads take more instructions than spills.
static int64_t narrowestVector(MlirOperation fusion) {
  int64_t least = INT64_MAX;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchMapping mapping;
    if (planGetMapping(op, &mapping) && mapping.columns > 1)
      least = min64(least, mapping.vector);
  }
  return least;
}

static KernelVersion versionOf(MlirOperation fusion, PlanCost cost, const char *text, int round) {
  return (KernelVersion){.parts = {{.fusion = fusion, .cost = cost}}, .numParts = 1, .text = text, .round = round};
}

/// Takes up to ROUNDS candidates with fewer elements a thread, the cheapest first, and two kernels for the last round.
static void chooseVersions(Feedback *kernel, const StitchDevice *device) {
  MlirOperation own = kernel->versions[0].parts[0].fusion;
  kernel->candidates = candidatesOf(own, device, (CandidateLimits){.most = MOST_CANDIDATES});
  for (int64_t i = 1; i < kernel->candidates.count && kernel->numVersions <= ROUNDS; ++i) {
    const Candidate *candidate = &kernel->candidates.data[i];
    MlirOperation fusion = kernelModuleFusion(candidate->module);
    if (elementsOfThread(fusion) < elementsOfThread(own) && narrowestVector(fusion) >= narrowestVector(own)) {
      int round = kernel->numVersions;
      kernel->versions[kernel->numVersions++] = versionOf(fusion, candidate->cost, candidate->text, round);
    }
  }
  kernel->cut = kernelCutCheapest(own, device);
  if (mlirOperationIsNull(kernel->cut.module))
    return;
  KernelVersion *cut = &kernel->versions[kernel->numVersions++];
  *cut = (KernelVersion){.numParts = KERNEL_CUT_PARTS, .text = kernel->cut.text, .round = ROUNDS};
  for (int i = 0; i < KERNEL_CUT_PARTS; ++i)
    cut->parts[i] = (VersionKernel){.fusion = kernel->cut.fusions[i], .cost = kernel->cut.costs[i]};
}

static int64_t spilledBytes(const KernelVersion *version) {
  int64_t bytes = 0;
  for (int i = 0; i < version->numParts; ++i)
    bytes += version->parts[i].spilledBytes;
  return bytes;
}

static bool isRejected(const KernelVersion *version) {
  bool rejected = false;
  for (int i = 0; i < version->numParts; ++i)
    rejected |= version->parts[i].isRejected;
  return rejected;
}

/// Whether it is one to look for another for.
static bool isBad(const KernelVersion *version) { return spilledBytes(version) > 0 || isRejected(version); }

/// Nanoseconds with the spills of all threads of all tasks, which the second-level cache takes and gives.
static double costWithSpills(const KernelVersion *version, const StitchDevice *device) {
  double total = isRejected(version) ? INFINITY : 0;
  for (int i = 0; i < version->numParts; ++i) {
    const VersionKernel *part = &version->parts[i];
    StitchLaunch launch = {0};
    planGetLaunch(part->fusion, &launch);
    double threads = (double)launch.grid * (double)launch.block * (double)max64(part->cost.numRounds, 1);
    total += part->cost.total + costOfMoving(device, threads * (double)part->spilledBytes) / costCacheSpeedup(device);
  }
  return total;
}

static const KernelVersion *bestOf(const Feedback *kernel, const StitchDevice *device) {
  const KernelVersion *best = &kernel->versions[0];
  for (int i = 1; i < kernel->numVersions; ++i)
    if (costWithSpills(&kernel->versions[i], device) < costWithSpills(best, device))
      best = &kernel->versions[i];
  return best;
}

/// Whether all versions of the rounds before spill.
static bool stillSpills(const Feedback *kernel, int round) {
  for (int i = 0; i < kernel->numVersions; ++i)
    if (kernel->versions[i].round < round && !isBad(&kernel->versions[i]))
      return false;
  return true;
}

/// The versions of a round of a kernel that spills, and nothing for one that does not any more: its later versions go.
static int64_t addRound(Feedback *kernel, int round, VersionKernel **parts) {
  int64_t count = 0;
  int kept = 0;
  bool spills = stillSpills(kernel, round);
  for (int i = 0; i < kernel->numVersions; ++i) {
    KernelVersion version = kernel->versions[i];
    if (version.round < round || spills)
      kernel->versions[kept++] = version;
  }
  kernel->numVersions = kept;
  for (int i = 0; i < kept; ++i)
    for (int j = 0; j < kernel->versions[i].numParts && kernel->versions[i].round == round; ++j)
      parts[count++] = &kernel->versions[i].parts[j];
  return count;
}

/// Rounds of assembling, each for the kernels that spill in all versions so far.
static void runRounds(Compiler *c, Feedback *kernels, int64_t count, const StitchDevice *device,
                      AssemblyResult *assembly) {
  VersionKernel **parts = irAllocate(sizeof(*parts) * (size_t)(MOST_VERSIONS * KERNEL_CUT_PARTS * count + 1));
  for (int round = 0; round <= ROUNDS; ++round) {
    int64_t numParts = 0;
    for (int64_t i = 0; i < count; ++i)
      numParts += addRound(&kernels[i], round, parts + numParts);
    if (numParts > 0)
      assembleParts(c, parts, numParts, assembly);
    for (int64_t i = 0; i < count && round == 0; ++i)
      if (isBad(&kernels[i].versions[0]) && !kernels[i].isRuled && !kernels[i].isKnown)
        chooseVersions(&kernels[i], device);
  }
  free(parts);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// "spills 24 bytes a thread".
static void describeVersion(const KernelVersion *version, char *text, size_t size) {
  if (isRejected(version))
    snprintf(text, size, "cannot be compiled");
  else
    snprintf(text, size, "ptxas spills %lld bytes a thread", (long long)spilledBytes(version));
}

static void explainFeedback(Compiler *c, MlirOperation fusion, const Feedback *kernel, const KernelVersion *best,
                            const StitchDevice *device) {
  char what[64];
  if (!c->options->remarks)
    return;
  describeVersion(best, what, sizeof(what));
  if (kernel->isRuled)
    stitchRemark(fusion, "feedback: %s; the kernel stays, because a rule names its operations", what);
  else if (kernel->isKnown)
    stitchRemark(fusion, "feedback: %s; the kernel stays, as '%s' says", what, c->options->feedbackFile);
  for (int i = 0; i < kernel->numVersions && !kernel->isRuled && !kernel->isKnown; ++i) {
    const KernelVersion *version = &kernel->versions[i];
    const char *word = version != best ? "" : i > 0 ? ", the least: it is taken" : ", the least: the plan stays";
    double ns = costWithSpills(version, device);
    describeVersion(version, what, sizeof(what));
    if (version->numParts > 1)
      stitchRemark(fusion, "feedback: %s of two kernels; %.0f ns with that%s", what, ns, word);
    else
      stitchRemark(fusion, "feedback: %s with %lld elements a thread; %.0f ns with that%s", what,
                   (long long)elementsOfThread(version->parts[0].fusion), ns, word);
  }
}

/// Puts the two kernels of a cut in the place of a fusion. The cut may be needed once more.
static void applyCut(const KernelCut *cut, MlirOperation fusion) {
  MlirOperation copy = mlirOperationClone(cut->module);
  kernelModuleTake(copy, fusion);
  mlirOperationDestroy(copy);
}

/// Gives all fusions of a kernel its best version.
static bool applyBest(Compiler *c, const Feedback *kernel, const KernelVersion *best) {
  Operations fusions = plannedKernels(c->kernels);
  bool ok = true;
  for (intptr_t i = 0; i < fusions.count && ok; ++i) {
    TemplateKernel named = templateKernelCreate(fusions.data[i]);
    bool isIt = named.names.key == kernel->key;
    templateKernelDestroy(&named);
    char *problem = NULL;
    if (isIt && best->numParts > 1)
      applyCut(&kernel->cut, fusions.data[i]);
    else if (isIt && !kernelApplyTemplate(&fusions.data[i], best->text, &problem))
      ok = messagesFail(c->messages, "a candidate cannot be planned again: %s", problem ? problem : "out of memory");
    free(problem);
  }
  free(fusions.data);
  return ok;
}

/// One that is to be remembered.
static FeedbackEntry feedbackEntryOf(const Feedback *kernel, const KernelVersion *best, const StitchDevice *device) {
  return (FeedbackEntry){kernel->key, costWithSpills(best, device), spilledBytes(&kernel->versions[0]),
                         isRejected(&kernel->versions[0]), best->text};
}

/// Leaves the number of kernels that are planned again.
static bool applyAll(Compiler *c, Feedback *kernels, int64_t count, const StitchDevice *device,
                     const AssemblyResult *assembly, int64_t *numNew) {
  FeedbackStatistics round = {.kernels = count}, *statistics = &round;
  FeedbackEntry *entries = irAllocate(sizeof(*entries) * (size_t)(count + 1));
  int64_t numEntries = 0;
  bool ok = true;
  for (int64_t i = 0; i < count && ok; ++i) {
    const KernelVersion *own = &kernels[i].versions[0], *best = bestOf(&kernels[i], device);
    if (!isBad(own))
      continue;
    explainFeedback(c, own->parts[0].fusion, &kernels[i], best, device);
    if (isRejected(best))
      ok = messagesFail(c->messages, "no way to plan a kernel again can be compiled: %s",
                        stitchStatusMessage(assembly->rejection));
    if (best != own)
      entries[numEntries++] = feedbackEntryOf(&kernels[i], best, device);
    statistics->spilling += spilledBytes(own) > 0;
    statistics->bytesBefore += spilledBytes(own);
    statistics->bytesAfter += spilledBytes(best);
    statistics->rejected += isRejected(own);
    statistics->nsBefore += isRejected(own) ? costWithSpills(best, device) : costWithSpills(own, device);
    statistics->nsAfter += costWithSpills(best, device);
    statistics->replanned += best != own;
    statistics->cut += best->numParts > 1;
    ok = ok && (best == own || applyBest(c, &kernels[i], best));
  }
  if (ok && statistics->rejected > 0)
    messagesNote(c->messages, "feedback: %lld kernels could not be compiled as they were planned",
                 (long long)statistics->rejected);
  ok = ok && (!c->options->feedbackFile || feedbackRemember(c, entries, numEntries));
  free(entries);
  *numNew = numEntries;
  if (c->statistics.feedback.kernels == 0) // of the plan as it was, not of its parts
    c->statistics.feedback = round;
  if (ok)
    messagesNote(
        c->messages,
        "feedback: of %lld kernels %lld spill; %lld are planned again, %lld of them as two, %lld bytes a thread "
        "become %lld",
        (long long)count, (long long)statistics->spilling, (long long)statistics->replanned, (long long)statistics->cut,
        (long long)statistics->bytesBefore, (long long)statistics->bytesAfter);
  return ok;
}

static void destroyFeedback(Feedback *kernel) {
  candidatesDestroy(&kernel->candidates);
  if (!mlirOperationIsNull(kernel->cut.module))
    mlirOperationDestroy(kernel->cut.module);
}

static void noteRules(Compiler *c, Feedback *kernels, int64_t count) {
  Rules rules = rulesOf(c->graph);
  Operations fusions = plannedKernels(c->kernels);
  for (intptr_t i = 0; i < fusions.count && rules.count > 0; ++i) {
    uint64_t key = kernelKeyOf(fusions.data[i]);
    for (int64_t k = 0; k < count && rulesName(&rules, fusions.data[i]); ++k)
      kernels[k].isRuled |= kernels[k].key == key;
  }
  free(fusions.data);
  rulesDestroy(&rules);
}

static void noteKnown(Feedback *kernels, int64_t count, const FeedbackKeys *keys) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < keys->count; ++k)
      kernels[i].isKnown |= kernels[i].key == keys->data[k];
}

static bool findAssembler(Compiler *c) {
  char *ptxas = stitchFindPtxas();
  bool found = ptxas || messagesFail(c->messages, "--feedback needs ptxas, of a CUDA toolkit");
  free(ptxas);
  return found;
}

/// Asks the assembler about the kernels of the plan, and plans again those that were not known.
static bool applyFeedback(Compiler *c, int64_t *numNew) {
  StitchDevice device;
  FeedbackKeys keys;
  if (!beginStage(c, "feedback") || !findAssembler(c))
    return false;
  if (!planGetDevice(c->kernels, &device))
    return messagesFail(c->messages, "the plan has no device");
  bool ok = feedbackKnown(c, &keys);
  DistinctKernels distinct = distinctKernels(c->kernels);
  Feedback *kernels = irAllocateZeroed((size_t)distinct.count + 1, sizeof(*kernels));
  for (int64_t i = 0; i < distinct.count && ok; ++i) {
    PlanCost cost;
    ok = planCostOfFusion(distinct.data[i].fusion, &device, &cost);
    kernels[i] = (Feedback){.key = distinct.data[i].key, .numVersions = 1};
    kernels[i].versions[0] = versionOf(distinct.data[i].fusion, cost, NULL, 0);
  }
  noteRules(c, kernels, distinct.count);
  noteKnown(kernels, distinct.count, &keys);
  AssemblyResult assembly = {0};
  joinBranches(c); // diagnostics of the branches are the caller's, and no reason to reject a kernel
  if (ok)
    runRounds(c, kernels, distinct.count, &device, &assembly);
  if (assembly.knowsNone)
    ok = messagesFail(c->messages, "this ptxas knows none of the targets");
  ok = ok && applyAll(c, kernels, distinct.count, &device, &assembly, numNew);
  stitchStatusFree(assembly.rejection);
  for (int64_t i = 0; i < distinct.count; ++i)
    destroyFeedback(&kernels[i]);
  free(kernels);
  free(distinct.data);
  free(keys.data);
  return ok;
}

bool makePlanWithFeedback(Compiler *c) {
  FeedbackKeys keys = {0};
  Statistics before = c->statistics;
  bool ok = !c->options->feedback || feedbackKnown(c, &keys); // so that there is a file to plan with
  free(keys.data);
  ok = ok && (c->options->kernel || makePlan(c));
  for (int i = 0; ok && c->options->feedback; ++i) {
    int64_t numNew = 0;
    ok = applyFeedback(c, &numNew);
    if (!ok || !c->options->feedbackFile || c->isPlanned || numNew == 0)
      break;
    FeedbackStatistics feedback = c->statistics.feedback;
    mlirOperationDestroy(c->kernels);
    c->kernels = (MlirOperation){NULL};
    c->statistics = before;
    c->statistics.feedback = feedback;
    ok = makePlan(c);
    if (i + 1 == PLANS)
      break;
  }
  return ok;
}
