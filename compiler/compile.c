//===- compile.c - libstitch: from a model to its model file -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   text ── import, simplify, analyse ──> graph ── plan ──> stitch.fusion ── kernels ──> gpu.module + host function
//                                           │                                  │           │           │
//                                           └── reference ──> LLVM             simt        images: PTX   host
//
// A module is cloned where the picture forks, so that each branch is a pipeline of its own. Those to reference, simt
// and host run concurrently with the other stages (branches.c).
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "compiler/feedback.h"
#include "compiler/kernel_library/kernel_library.h"
#include "compiler/programs.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "stitch.h"
#include "tools/support/tool_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool hasKernelTarget(const Targets *targets) { return targets->simt || targets->numArchitectures > 0; }

/// Whether sizes of the graph's inputs stay open (ir/mlir/symbol.h).
static bool hasOpenSizes(Compiler *c) {
  MlirOperation main = irFindFunction(c->graph, "main");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(irBody(main, 0)); ++i)
    if (!mlirAttributeIsNull(irSymbolOfArgument(main, i).name))
      return true;
  return false;
}

/// The reference is made for known sizes: a model of its own.
static bool wantsReference(Compiler *c) {
  return c->options->emit == STITCH_EMIT_MODEL && !c->options->noReference && !hasOpenSizes(c);
}

/// Kernels and host function -> all that a model file has of them.
static bool makeObjects(Compiler *c) {
  return beginHost(c) && (!c->targets.simt || beginSimt(c)) &&
         (c->targets.numArchitectures == 0 || makeImages(c, c->options->noCubins ? "isa" : "all")) && finishBranches(c);
}

static bool writeModel(Compiler *c) {
  StitchModelParts parts;
  return completeProgram(c, &parts) && writePrograms(c, &parts, 1);
}

/// From the module that was read up to the stage that is asked for.
static bool compileModule(Compiler *c) {
  const StitchCompileOptions *o = c->options;
  if (!chooseDevice(c) || !makeGraph(c) || (o->kernel && !makePlanOfKernel(c)))
    return false;
  if (o->emit == STITCH_EMIT_TG)
    return emitModule(c, c->graph);
  if (o->emit == STITCH_EMIT_EXPLANATION)
    return c->isPlanned
               ? messagesFail(c->messages, "'%s' is a plan already: --explain asks how a model is planned", o->name)
               : explainPair(c);
  if (wantsReference(c) && !beginReference(c))
    return false;
  if (o->emit == STITCH_EMIT_MODEL && !hasKernelTarget(&c->targets)) {
    if (wantsReference(c))
      return finishBranches(c) && writeModel(c);
    return messagesFail(c->messages, "the reference alone needs one size for each dimension: --dim b=8");
  }
  if (!o->kernels && !makePlanWithFeedback(c))
    return false;
  if (o->report && c->isPlanned)
    return messagesFail(c->messages, "--report shows how a model is planned, and '%s' is a plan already", o->name);
  if (o->report && !makeReport(c))
    return false;
  if (o->emit == STITCH_EMIT_REPORT)
    return true;
  if (o->emit == STITCH_EMIT_PLAN)
    return emitModule(c, c->kernels);
  if (o->emit == STITCH_EMIT_TEMPLATES)
    return emitTemplates(c);
  if (o->emit == STITCH_EMIT_CANDIDATES)
    return emitCandidates(c);
  if (o->kernels ? !readKernels(c) : !makeKernels(c))
    return false;
  if (o->emit == STITCH_EMIT_GPU)
    return emitModule(c, c->kernels);
  if (o->emit == STITCH_EMIT_NVVM)
    return makeImages(c, "nvvm") && emitModule(c, c->images);
  if (o->emit == STITCH_EMIT_PTX || o->emit == STITCH_EMIT_CUBIN)
    return makeImages(c, o->emit == STITCH_EMIT_PTX ? "isa" : "cubin") && emitImage(c);
  return makeObjects(c) && writeModel(c);
}

//===----------------------------------------------------------------------===//
// Buckets of sizes
//===----------------------------------------------------------------------===//

/// The module that was read -> the program of a bucket: StitchModelParts.
static bool compileProgram(Compiler *c, void *parts) {
  return chooseDevice(c) && makeGraph(c) && makePlanWithFeedback(c) && makeKernels(c) && makeObjects(c) &&
         completeProgram(c, parts);
}

static bool compilePrograms(Compiler *c, const Programs *list) {
  Compiler *programs = calloc((size_t)list->count, sizeof(*programs));
  StitchModelParts parts[MAX_PROGRAMS];
  StitchCompileOptions options[MAX_PROGRAMS];
  bool ok = programs || messagesFail(c->messages, "out of memory");
  StitchPadding padding = ok ? paddingOf(c, list->dims[list->count - 1]) : STITCH_PADDING_NEVER;
  int numBegun = 0;
  for (int i = 0; i < list->count && ok; ++i) {
    options[i] = *c->options;
    options[i].padding = padding;
    options[i].dims = list->dims[i];
    options[i].noReference = true;
    ++numBegun;
    char name[32];
    snprintf(name, sizeof(name), "_bucket%d", i);
    ok = compileWithin(c, &programs[i], &options[i], name, compileProgram, &parts[i]);
  }
  if (ok && list->count > 1 && programs[0].isInvariant)
    ok = messagesFail(c->messages,
                      "--buckets: invariant=batch has one program for all sizes, or rows have other bits in "
                      "another bucket");
  ok = ok && writePrograms(c, parts, list->count);
  for (int i = 0; i < numBegun; ++i)
    destroyCompilation(&programs[i]);
  free(programs);
  return ok;
}

static bool compileBuckets(Compiler *c) {
  Programs list;
  bool ok = programsRead(c->options->dims, c->options->buckets, c->messages, &list) && compilePrograms(c, &list);
  programsDestroy(&list);
  return ok;
}

/// The whole compilation.
static bool compile(Compiler *c) {
  if (!readModel(c))
    return false;
  if (c->options->emit == STITCH_EMIT_KERNEL_LIBRARY)
    return compileKernelLibrary(c);
  return c->options->buckets ? compileBuckets(c) : compileModule(c);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static MlirDialectRegistry registry; ///< the dialects of every context

static void makeRegistry(void) {
  registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  mlirDialectHandleInsertDialect(stitchGetLoweringToLLVMHandle(), registry);
}

/// MLIR's registries of passes are global, and are filled in one thread.
static MlirContext createContext(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, makeRegistry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/true);
  // Exporters leave attributes of dialects that do not change the computation (mhlo.sharding).
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

//===----------------------------------------------------------------------===//
// The library's functions
//===----------------------------------------------------------------------===//

/// The options of stitch-pipeline; those that the caller writes come last.
static bool makePipelineOptions(Compiler *c) {
  const StitchCompileOptions *o = c->options;
  size_t size;
  FILE *text = open_memstream(&c->pipeline, &size);
  if (!text)
    return messagesFail(c->messages, "out of memory");
  if (o->adaptive)
    fprintf(text, "adaptive=true ");
  if (o->templates)
    fprintf(text, "templates=\"%s\" ", o->templates);
  if (tunedFile(c))
    fprintf(text, "tuned=\"%s\" ", tunedFile(c));
  fprintf(text, "%s", o->pipeline ? o->pipeline : "");
  return fclose(text) == 0 || messagesFail(c->messages, "out of memory");
}

/// Checks the output early, for errors that would only be found at the end. The folder of a library may be there, or
/// not.
static bool checkOutput(Compiler *c) {
  const StitchCompileOptions *o = c->options;
  return o->emit != STITCH_EMIT_MODEL || messagesCheck(c->messages, toolCheckOutput(o->output, /*isModel=*/true));
}

static bool compileInContext(Compiler *c) {
  c->context = createContext();
  messagesAttach(c->messages, c->context);
  stitchEnableRemarks(c->context, c->options->remarks);
  bool ok = compile(c);
  endStage(c);
  ok = ok && makeFigures(c);
  destroyCompilation(c);
  mlirContextDestroy(c->context);
  return ok;
}

/// The status of a compilation that has failed.
static StitchStatus failure(const Compiler *c) {
  if (c->isCancelled)
    return stitchStatusMake(STITCH_CANCELLED, "the compilation was cancelled");
  return stitchStatusMake(STITCH_INTERNAL, "the compilation failed, and no pass has said why");
}

StitchStatus stitchCompile(const StitchCompileOptions *options, StitchCompilation **compilation) {
  Messages messages = {.options = options};
  Compiler c = {.options = options, .messages = &messages, .results = calloc(1, sizeof(**compilation))};
  if (!c.results)
    return stitchStatusOutOfMemory();
  bool ok = checkOptions(options, &messages, &c.targets) && makePipelineOptions(&c) && checkOutput(&c) &&
            compileInContext(&c);
  free(c.targets.text);
  free(c.pipeline);
  free(c.device);
  if (ok) {
    stitchStatusFree(messages.firstError);
    *compilation = c.results;
    return NULL;
  }
  stitchCompilationFree(c.results);
  return messages.firstError ? messages.firstError : failure(&c);
}

StitchText stitchCompilationText(const StitchCompilation *compilation) {
  return (StitchText){.data = compilation->text, .size = compilation->textSize};
}

StitchText stitchCompilationReport(const StitchCompilation *compilation) {
  return (StitchText){.data = compilation->report, .size = compilation->reportSize};
}

StitchText stitchCompilationFigures(const StitchCompilation *compilation) {
  return (StitchText){.data = compilation->figures, .size = compilation->figuresSize};
}

void stitchCompilationFree(StitchCompilation *compilation) {
  if (!compilation)
    return;
  free(compilation->text);
  free(compilation->report);
  free(compilation->figures);
  free(compilation);
}

const char *stitchCompilerVersion(void) { return STITCH_VERSION; }

const char *const *stitchCompilerDevices(void) {
  static const char *const names[] = {
#define STITCH_DEVICE(name, ...) #name,
#include "dialects/stitch/devices.def"
#undef STITCH_DEVICE
      NULL,
  };
  return names;
}
