//===- copies.c - stitch-outline: results that are copies ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that returns one of its arguments, in the same dimensions or others, or a value twice, has to copy it. A
// kernel that runs anyway copies it for less than a launch, and from registers. So such a result becomes a tg.reshape
// that changes nothing, which is stitched like any other operation.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "passes/stitch_outline/outline.h"

#include "ir/graph/tg.h"

static MlirValue withoutReshapes(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && tgKindOf(op) == TG_reshape) {
    value = irOperand(op, 0);
    op = irDefiningOp(value);
  }
  return value;
}

/// Whether a result has the memory of the argument that it is.
static bool isInItsMemory(MlirBlock block, MlirValue value, intptr_t result) {
  return mlirValueIsABlockArgument(value) &&
         irResultInMemoryOf(mlirBlockGetParentOperation(block), mlirBlockArgumentGetArgNumber(value)) == result;
}

/// Of constants there is one in memory anyway.
static bool canBeCopied(MlirValue base) {
  int64_t elements = irNumElements(irShapeOf(base));
  MlirOperation op = irDefiningOp(base);
  return elements > 0 && (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant);
}

bool isResultCopy(MlirOperation op) {
  return tgKindOf(op) == TG_reshape &&
         mlirTypeEqual(mlirValueGetType(irOperand(op, 0)), mlirValueGetType(irResult(op, 0)));
}

void separateCopies(MlirBlock block) {
  MlirOperation terminator = mlirBlockGetTerminator(block);
  if (!irOpIs(terminator, "func.return"))
    return;
  IrBuilder b = irBuilderBefore(terminator);
  IrMap returned = {0}, copied = {0}; // a second copy would be the same operation
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(terminator); ++i) {
    MlirValue value = irOperand(terminator, i), base = withoutReshapes(value);
    bool isAgain = irMapContains(&returned, base.ptr) || mlirValueIsABlockArgument(base);
    irMapSet(&returned, base.ptr, 1);
    if (!isAgain || !canBeCopied(base) || isInItsMemory(block, value, i) || irMapContains(&copied, value.ptr))
      continue;
    irMapSet(&copied, value.ptr, 1);
    mlirOperationSetOperand(terminator, i,
                            irValueOf(&b, "tg.reshape", IR_VALUES(value), mlirValueGetType(value), IR_NO_ATTRS));
  }
  irMapDestroy(&returned);
  irMapDestroy(&copied);
}
