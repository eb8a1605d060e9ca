//===- inline.h - inlining of functions ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_INLINE_H
#define STITCH_CAPI_INLINE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Lets the `inline` pass inline calls of func.func (mlir::func::registerInlinerExtension).
void stitchRegisterFuncInlinerExtension(MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_INLINE_H
