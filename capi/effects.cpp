//===- effects.cpp - memory effects of operations -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/effects.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

bool stitchIsMemoryEffectFree(MlirOperation op) { return mlir::isMemoryEffectFree(unwrap(op)); }
