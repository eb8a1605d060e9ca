//===- main.h - the mains of MLIR's tools --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_MAIN_H
#define STITCH_CAPI_MAIN_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs mlir::MlirOptMain with the dialects of `registry` and every pass of the global registry. Adds the flags
/// `--stitch-remarks` and `--stitch-statistics`. Returns the exit status of the process.
int stitchOptMain(int argc, char **argv, const char *toolName, MlirDialectRegistry registry);

/// Runs mlir::MlirLspServerMain with the dialects of `registry`. Returns the exit status of the process.
int stitchLspServerMain(int argc, char **argv, MlirDialectRegistry registry);

/// Runs mlir::mlirReduceMain with the dialects of `registry`, every pass of the global registry and those that reduce.
/// Returns the exit status of the process.
int stitchReduceMain(int argc, char **argv, MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_MAIN_H
