//===- stitch.h - Stitch for compilers that link it ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header that a compiler includes to use Stitch as a lowering stage:
//
//   MlirDialectRegistry registry = mlirDialectRegistryCreate();
//   stitchRegisterDialects(registry);               // tg and stitch
//   stitchRegisterPasses();                         // once in a program
//   ...
//   stitchAppendPipeline(mlirPassManagerGetAsOpPassManager(pm), "device=h200", NULL, NULL);
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_H
#define STITCH_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TG, tg);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Stitch, stitch);
/// The readers of StableHLO and CHLO text. Never register them where the real dialects are registered.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(StableHLOReader, stablehlo);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(CHLOReader, chlo);
/// The readers of portable artifacts, which are VHLO in bytecode, with annotations of Shardy. Never register them where
/// the real dialects are registered.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(VhloReader, vhlo);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(SdyReader, sdy);

/// Registers `tg` and `stitch`, and lets MLIR's inliner inline calls of func.func.
void stitchRegisterDialects(MlirDialectRegistry registry);

/// Registers Stitch's passes and named pipelines in MLIR's global registry. Safe to call more than once.
void stitchRegisterPasses(void);

/// Calls `visit` with the argument and the description, strings of the program, of each pass and named pipeline.
void stitchForEachPass(void (*visit)(const char *argument, const char *description, void *userData), void *userData);

/// Registers the contents of stitch-opt: all upstream dialects, extensions and passes, Stitch's own and the StableHLO
/// reader.
void stitchRegisterEverything(MlirDialectRegistry registry);

/// Appends `stitch-pipeline{options}` (graph to plan; see `stitch-opt --help`) to a pass manager anchored on
/// builtin.module, or on func.func: operations of other dialects stay where they are (docs/stage.md). Options are
/// checked here. On failure the reason is passed to `onError` (which may be NULL).
MlirLogicalResult stitchAppendPipeline(MlirOpPassManager manager, const char *options, MlirStringCallback onError,
                                       void *userData);

#ifdef __cplusplus
}
#endif

#endif // STITCH_H
