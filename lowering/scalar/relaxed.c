//===- relaxed.c - what a kernel may do beyond rounding correctly --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/relaxed.h"

#include "ir/mlir/build.h"

static void setFlag(MlirOperation op, const char *flag) {
  irSetAttr(op, "fastmath", irParseAttr(mlirOperationGetContext(op), "#arith.fastmath<%s>", flag));
}

void scalarAllow(MlirOperation op, MlirValue value) {
  bool contracts = irHasAttr(op, "tg.contract"), inverts = irHasAttr(op, "tg.reciprocal");
  MlirOperation computes = irDefiningOp(value);
  if (!(contracts || inverts) || mlirOperationIsNull(computes))
    return;
  if (irOpIs(computes, "arith.truncf"))
    computes = irDefiningOp(irOperand(computes, 0));
  if (mlirOperationIsNull(computes))
    return;
  bool isSum = irOpIs(computes, "arith.addf") || irOpIs(computes, "arith.subf") || irOpIs(computes, "arith.mulf");
  if (isSum && contracts)
    setFlag(computes, "contract");
  if (inverts && irOpIs(computes, "arith.divf"))
    setFlag(computes, "arcp");
}
