//===- inline.cpp - inlining of functions --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/inline.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"

void stitchRegisterFuncInlinerExtension(MlirDialectRegistry registry) {
  mlir::func::registerInlinerExtension(*unwrap(registry));
}
