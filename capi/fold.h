//===- fold.h - operations on constants ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API does not fold single operations.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_FOLD_H
#define STITCH_CAPI_FOLD_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The constant that an operation of one result is if its operands are the constants `operands`, null where one is not
/// known; null if it is not known.
MlirAttribute stitchFold(MlirOperation op, const MlirAttribute *operands);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_FOLD_H
