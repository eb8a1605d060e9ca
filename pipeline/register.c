//===- register.c - dialects, passes and pipelines of Stitch -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers dialects, passes of passes.def and pipelines in an MLIR registry, for stitch-opt, plugins and libstitch.
//
//===----------------------------------------------------------------------===//

#include "capi/inline.h"
#include "pipeline/stitch_pipeline.h"
#include "stitch.h"

#include "mlir-c/RegisterEverything.h"
#include "mlir-c/Transforms.h"

#include <stdatomic.h>

#define STITCH_PASS(symbol) extern const StitchPassInfo symbol;
#include "pipeline/passes.def"
#undef STITCH_PASS

#define STITCH_PIPELINE(symbol) extern const StitchPipelineInfo symbol;
#include "pipeline/pipelines.def"
#undef STITCH_PIPELINE

void stitchRegisterDialects(MlirDialectRegistry registry) {
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tg__(), registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__stitch__(), registry);
  stitchRegisterFuncInlinerExtension(registry);
}

void stitchRegisterPasses(void) {
  static atomic_flag registered = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&registered))
    return;
  mlirRegisterTransformsPasses(); // canonicalize, cse, ...: Stitch's passes run them
#define STITCH_PASS(symbol) stitchRegisterPass(&symbol);
#include "pipeline/passes.def"
#undef STITCH_PASS
#define STITCH_PIPELINE(symbol) stitchRegisterPipeline(&symbol);
#include "pipeline/pipelines.def"
#undef STITCH_PIPELINE
}

void stitchForEachPass(void (*visit)(const char *argument, const char *description, void *userData), void *userData) {
#define STITCH_PASS(symbol) visit(symbol.argument, symbol.description, userData);
#include "pipeline/passes.def"
#undef STITCH_PASS
#define STITCH_PIPELINE(symbol) visit(symbol.argument, symbol.description, userData);
#include "pipeline/pipelines.def"
#undef STITCH_PIPELINE
}

void stitchRegisterEverything(MlirDialectRegistry registry) {
  mlirRegisterAllDialects(registry);
  mlirRegisterAllPasses();
  stitchRegisterDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__stablehlo__(), registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__chlo__(), registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__vhlo__(), registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__sdy__(), registry);
  stitchRegisterPasses();
}
