//===- relaxed.c - relaxed arithmetic -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations that compute a value, and the flags that docs/precision.md allows on it. Leaves the flags as
// fast-math flags on the operation that may be contracted or approximated.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/relaxed.h"

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"

static void setFlag(MlirOperation op, const char *flag) {
  irSetAttr(op, "fastmath", irParseAttr(mlirOperationGetContext(op), "#arith.fastmath<%s>", flag));
}

/// Marks the operations that compute a value, through the selections and sums of scalar.c's formulas: exp within
/// logistic, sqrt within rsqrt.
static void approximate(MlirValue value, int depth) {
  static const char *const approximated[] = {"arith.divf", "math.exp", "math.tanh", "math.sqrt"};
  static const char *const passed[] = {"arith.divf", "arith.addf", "arith.select"};
  MlirOperation op = irDefiningOp(value);
  for (size_t i = 0; i < sizeof(approximated) / sizeof(approximated[0]) && !mlirOperationIsNull(op); ++i)
    if (irOpIs(op, approximated[i]))
      setFlag(op, "afn");
  for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]) && !mlirOperationIsNull(op) && depth > 0; ++i)
    for (intptr_t j = 0; irOpIs(op, passed[i]) && j < mlirOperationGetNumOperands(op); ++j)
      approximate(irOperand(op, j), depth - 1);
}

/// How far below its result an operation's formula has something to approximate: itself; of logistic, 1 / (1 + exp(-x))
/// with a select above the exp; of rsqrt, 1 / sqrt(x).
static int depthOf(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return kind == TG_logistic ? 2 : kind == TG_rsqrt ? 1 : 0;
}

void scalarAllow(MlirOperation op, MlirValue value) {
  bool contracts = irHasAttr(op, "tg.contract"), inverts = irHasAttr(op, "tg.reciprocal");
  bool approximates = irHasAttr(op, "tg.approximate");
  MlirOperation computes = irDefiningOp(value);
  if (!(contracts || inverts || approximates) || mlirOperationIsNull(computes))
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
  if (inverts && irHasAttr(op, "tg.unscaled") && irOpIs(computes, "arith.divf"))
    irSetAttr(computes, SCALAR_UNSCALED_ATTRIBUTE, mlirUnitAttrGet(mlirOperationGetContext(op)));
  if (approximates || (inverts && tgKindOf(op) == TG_rsqrt))
    approximate(irResult(computes, 0), depthOf(op));
}
