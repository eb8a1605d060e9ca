//===- in_place.c - what loops update in place ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/graph/in_place.h"

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/query.h"

/// Whether a value is there before the operations of the block compute anything.
static bool isThereBefore(MlirBlock block, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return mlirOperationIsNull(op) || tgKindOf(op) == TG_constant || !mlirBlockEqual(mlirOperationGetBlock(op), block);
}

static bool isScalarOperation(MlirOperation op) {
  return tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE && irNumElements(irShapeOf(irResult(op, 0))) == 1 &&
         !irIsFloat(irElementTypeOf(irResult(op, 0)));
}

/// How many operations on scalars may compute a start index, one after the other.
enum { MAX_START_DEPTH = 6 };

/// Whether a value follows from what is there before by at most `depth` operations on scalars in a row.
static bool followsFromBefore(MlirBlock block, MlirValue value, int depth) {
  if (isThereBefore(block, value))
    return true;
  MlirOperation op = irDefiningOp(value);
  if (depth == 0 || !isScalarOperation(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!followsFromBefore(block, irOperand(op, i), depth - 1))
      return false;
  return true;
}

/// Whether a value is yielded as number `number` of the block, and as no other.
static bool isYieldedAs(MlirBlock block, MlirValue value, intptr_t number) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(irOperand(yield, i), value) != (i == number))
      return false;
  return true;
}

/// The number under which the block yields the value that takes the memory of its argument `number`; -1 if none does.
static intptr_t nextValueOf(MlirBlock block, intptr_t number) {
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (irOpIs(parent, "func.func"))
    return irResultInMemoryOf(parent, number);
  if (tgKindOf(parent) != TG_while || !mlirBlockEqual(block, irBody(parent, 1)))
    return -1;
  bool isRead = !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(irBody(parent, 0), number)));
  return isRead ? -1 : number; // by the condition
}

/// Whether an operation replaces a slice of a value that goes round, or of a function's argument.
static bool replacesSlice(MlirOperation op) {
  if (tgKindOf(op) != TG_dynamic_update_slice)
    return false;
  MlirBlock block = mlirOperationGetBlock(op);
  MlirValue buffer = irOperand(op, 0);
  if (!mlirValueIsABlockArgument(buffer) || !mlirBlockEqual(mlirBlockArgumentGetOwner(buffer), block) ||
      mlirOperationIsNull(mlirBlockGetTerminator(block)))
    return false;
  intptr_t next = nextValueOf(block, mlirBlockArgumentGetArgNumber(buffer));
  if (next < 0 || !isYieldedAs(block, irResult(op, 0), next))
    return false;
  for (intptr_t i = 2; i < mlirOperationGetNumOperands(op); ++i)
    if (!followsFromBefore(block, irOperand(op, i), MAX_START_DEPTH))
      return false;
  return true;
}

bool irUpdatesInPlace(MlirOperation op) {
  return replacesSlice(op) &&
         (irHasAttr(op, IR_IN_PLACE_ATTRIBUTE) || (irHasOneUse(irOperand(op, 0)) && irHasOneUse(irResult(op, 0))));
}

bool irCouldUpdateInPlace(MlirOperation op) { return replacesSlice(op) && irHasOneUse(irOperand(op, 0)); }

bool irComputesStartsOnly(MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1 || !isScalarOperation(op) ||
      mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, 0))))
    return false;
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool isStart = irUpdatesInPlace(user) && mlirOpOperandGetOperandNumber(use) >= 2;
    if (!isStart && !irComputesStartsOnly(user))
      return false;
  }
  return true;
}
