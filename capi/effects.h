//===- effects.h - memory effects of operations ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API does not say which effects an operation has.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_EFFECTS_H
#define STITCH_CAPI_EFFECTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether an operation, with all that is in its regions, is known to have no effect on memory
/// (mlir::isMemoryEffectFree).
bool stitchIsMemoryEffectFree(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_EFFECTS_H
