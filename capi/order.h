//===- order.h - the order of operations ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_ORDER_H
#define STITCH_CAPI_ORDER_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The operation in front of `op` in its block (mlir::Operation::getPrevNode); null: none.
MlirOperation stitchPreviousOperation(MlirOperation op);

/// Whether an operation comes before another one of its block (mlir::Operation::isBeforeInBlock).
bool stitchIsBefore(MlirOperation op, MlirOperation other);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_ORDER_H
