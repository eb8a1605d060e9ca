//===- diagnostics.h - errors, warnings, notes and remarks ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API can emit an error at a location (mlirEmitError) and nothing else. These functions expose
// mlir::Operation::emitError, emitWarning and emitRemark, with printf formats, and an optional note.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_DIAGNOSTICS_H
#define STITCH_CAPI_DIAGNOSTICS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Emits an error at `op`: "'dialect.name' op MESSAGE", as mlir::Operation::emitOpError does.
void stitchEmitOpError(MlirOperation op, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Emits an error at a location (mlir::emitError).
void stitchEmitError(MlirLocation loc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Emits a warning at a location (mlir::emitWarning).
void stitchEmitWarning(MlirLocation loc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Emits a remark at a location (mlir::emitRemark), whether remarks are enabled or not: for facts that a user has to
/// know.
void stitchEmitRemark(MlirLocation loc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Explains a decision at `op` (mlir::Operation::emitRemark) if remarks are enabled in its context.
void stitchRemark(MlirOperation op, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Whether stitchRemark emits anything; false until enabled (stitch-opt: --stitch-remarks). Loads the stitch
/// dialect into the context.
bool stitchRemarksEnabled(MlirContext context);
void stitchEnableRemarks(MlirContext context, bool enable);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_DIAGNOSTICS_H
