//===- compile.c - from a model's text to its model file -----------------===//
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
// A module is cloned where the picture forks, so that each branch is a pipeline of its own.
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-compile/compile.h"

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "lowering/host/model_file/model_file.h"
#include "stitch.h"
#include "tools/stitch-compile/compiler.h"
#include "tools/stitch-compile/messages.h"
#include "tools/stitch-compile/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool hasKernelTarget(const CompileOptions *o) { return o->simt || o->numArchitectures > 0; }

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
  return c->options->emit == EMIT_SO && c->options->reference && !hasOpenSizes(c);
}

/// The whole compilation, up to the stage that is asked for.
static bool compile(Compiler *c) {
  const CompileOptions *o = c->options;
  if (!readModel(c) || !chooseDevice(c) || !makeGraph(c))
    return false;
  if (o->emit == EMIT_TG)
    return emitModule(c, c->graph);
  if (wantsReference(c) && !makeReference(c))
    return false;
  if (o->emit == EMIT_SO && !hasKernelTarget(o)) {
    if (wantsReference(c))
      return writeModel(c);
    fprintf(stderr, "stitch-compile: error: the reference alone needs one size for each dimension: --dim b=8\n");
    return false;
  }
  if (!o->kernels && (!makePlan(c) || (o->reportFile && !makeReport(c))))
    return false;
  if (o->emit == EMIT_REPORT)
    return true;
  if (o->emit == EMIT_PLAN)
    return emitModule(c, c->kernels);
  if (o->kernels ? !readKernels(c) : !makeKernels(c))
    return false;
  if (o->emit == EMIT_GPU)
    return emitModule(c, c->kernels);
  if (o->emit == EMIT_NVVM)
    return makeImages(c, "nvvm") && emitModule(c, c->images);
  if (o->emit == EMIT_PTX || o->emit == EMIT_CUBIN)
    return makeImages(c, o->emit == EMIT_PTX ? "isa" : "cubin") && emitImage(c);
  return makeHost(c) && (!o->simt || makeSimt(c)) &&
         (o->numArchitectures == 0 || makeImages(c, o->cubins ? "all" : "isa")) && writeModel(c);
}

static MlirContext createContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  mlirDialectHandleInsertDialect(stitchGetLoweringToLLVMHandle(), registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/true);
  mlirDialectRegistryDestroy(registry);
  // Exporters leave attributes of dialects that say nothing about what is computed (mhlo.sharding).
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

static void destroyCompiler(Compiler *c) {
  MlirOperation modules[] = {c->graph, c->kernels, c->host, c->simt, c->images, c->reference, c->graphs};
  for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); ++i)
    if (!mlirOperationIsNull(modules[i]))
      mlirOperationDestroy(modules[i]);
  free(c->device);
  mlirContextDestroy(c->context);
  toolProgressDestroy(c->progress);
}

/// What would only be found out at the end.
static bool checkOutput(Compiler *c, const char *path) {
  if (!path || strcmp(path, "-") == 0)
    return true;
  return mlirLogicalResultIsSuccess(
      stitchCheckOutputPath(mlirLocationUnknownGet(c->context), path, c->options->emit == EMIT_SO));
}

bool compileModel(const CompileOptions *options) {
  Compiler c = {.options = options, .context = createContext(), .progress = toolProgressCreate("stitch-compile")};
  printDiagnostics(c.context, &c.hasErrors);
  stitchEnableRemarks(c.context, options->remarks);
  bool ok = checkOutput(&c, options->output) && checkOutput(&c, options->statsFile) &&
            checkOutput(&c, options->reportFile) && compile(&c);
  toolProgressEnd(c.progress);
  if (ok && options->statsFile)
    ok = writeReport(options, c.device, &c.statistics, c.progress);
  destroyCompiler(&c);
  return ok;
}
