//===- gelu.c - stitch-outline: gelu and its gradient behind a dot -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a gelu between two dots no kernel is left: the first one's library call computes it as it writes. In training the
// gradient needs the operand of gelu: the call writes both (GELU_AUX). Where another call computes the gradient
// (DGELU), no other value of the activation is ever in memory. A gradient that stays in a kernel can read any value, so
// then gelu stays in kernels, too. The sum of the gradient over all rows, which is the gradient of the bias, is one
// more result of the call (DGELU_BGRAD), unless a kernel reads the gradient anyway.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/epilogue.h"

#include "ir/plan/plan.h"

/// The alignment, in columns, of a matrix that cuBLASLt reads or writes in addition to the result.
enum { OPERAND_MULTIPLE = 8 };

/// Whether the result is one matrix, so aligned that a second one of its layout is possible.
static bool canHaveAnotherMatrix(MlirOperation dot) {
  IrShape shape = irShapeOf(irResult(dot, 0));
  int64_t columns = 1;
  for (intptr_t i = shape.rank - columnDimsOf(dot); i < shape.rank; ++i)
    columns *= shape.dims[i];
  return irGetDims(dot, "lhs_batch").rank == 0 && columns % OPERAND_MULTIPLE == 0;
}

static bool isGradientCall(MlirOperation op) {
  if (!irOpIs(op, "stitch.library_call"))
    return false;
  IR_FOR_EACH_OP(inner, irBody(op, 0))
    if (tgKindOf(inner) == TG_gelu_gradient)
      return true;
  return false;
}

bool epilogueTakeGelu(const Outline *outline, Epilogue *e, MlirValue value) {
  if (!hasTensorCoreEpilogues(outline, e->product) || e->hasAddend || e->hasRelu)
    return false;
  Activation gelu = activationFindGelu(value, isNeededInMemory);
  if (gelu.kind == TG_NONE)
    return false;
  MlirOperation last = gelu.ops[gelu.count - 1];
  bool keepsOperand = false;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (activationHas(&gelu, user))
      continue;
    if (!isGradientCall(user) || !isBehind(user, last) || !canHaveAnotherMatrix(e->product))
      return false;
    keepsOperand = true;
  }
  e->activation = gelu;
  e->keepsOperand = keepsOperand;
  return true;
}

/// Whether a value can be the operand of gelu whose gradient is taken behind the dot `data`. It is another dot's
/// result, with its bias, or a value that is in memory anyway.
static bool isOperandOfGelu(MlirValue value, void *data) {
  const MlirOperation *dot = data;
  if (!mlirTypeEqual(mlirValueGetType(value), mlirValueGetType(irResult(*dot, 0))))
    return false;
  if (isFromOutside(value))
    return true;
  MlirOperation op = irDefiningOp(value);
  for (intptr_t i = 0; tgKindOf(op) == TG_add && i < 2; ++i) {
    MlirOperation product = irDefiningOp(irOperand(op, i));
    if (!mlirOperationIsNull(product) && tgKindOf(product) == TG_dot && isBias(product, irOperand(op, 1 - i)))
      return true;
  }
  return false;
}

/// The sum of the rows of `value`; null if there is none, or if a kernel reads the value for something else, too.
static MlirOperation sumOfRows(MlirOperation dot, MlirValue value) {
  MlirOperation none = {NULL};
  intptr_t rows = irShapeOf(value).rank - columnDimsOf(dot);
  IR_FOR_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    IrShape dims = irGetDims(op, "dims");
    if (tgKindOf(op) == TG_reduce && irGetInt(op, "kind", -1) == TG_REDUCE_ADD && dims.rank == rows &&
        (rows == 0 || dims.dims[rows - 1] == rows - 1) &&
        mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(dot)))
      return isReadByKernels(value, op) ? none : op;
  }
  return none;
}

bool epilogueTakeGeluGradient(const Outline *outline, Epilogue *e) {
  if (!hasTensorCoreEpilogues(outline, e->product) || !canHaveAnotherMatrix(e->product))
    return false;
  MlirValue cotangent = irResult(e->product, 0);
  Activation gradient = activationFindGeluGradient(cotangent, isNeededInMemory, isOperandOfGelu, &e->product);
  if (gradient.kind == TG_NONE)
    return false;
  IR_FOR_EACH_USE(use, cotangent)
    if (!activationHas(&gradient, mlirOpOperandGetOwner(use)))
      return false;
  e->activation = gradient;
  e->sum = sumOfRows(e->product, activationResult(&gradient));
  return true;
}
