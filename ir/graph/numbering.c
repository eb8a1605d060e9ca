//===- numbering.c - the operations of a block by number -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers the operations of a block in program order, and visits the operands of an operation together with those of
// all operations in its regions.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/numbering.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

IrNumbering irNumberingCreate(MlirBlock block) {
  IrNumbering numbering = {0};
  int64_t capacity = 0;
  IR_FOR_EACH_OP(op, block) {
    IR_RESERVE_ONE(numbering.ops, numbering.count, capacity);
    numbering.ops[numbering.count] = op;
    irMapSet(&numbering.numbers, op.ptr, numbering.count++);
  }
  return numbering;
}

void irNumberingDestroy(IrNumbering *numbering) {
  free(numbering->ops);
  irMapDestroy(&numbering->numbers);
}

int64_t irNumberOf(const IrNumbering *numbering, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return mlirOperationIsNull(op) ? -1 : irMapGet(&numbering->numbers, op.ptr, -1);
}

typedef struct {
  IrOperandVisitor visit;
  void *data;
} OperandWalk;

static MlirWalkResult visitUsedValues(MlirOperation op, void *data) {
  const OperandWalk *walk = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    walk->visit(irOperand(op, i), walk->data);
  return MlirWalkResultAdvance;
}

void irForEachOperand(MlirOperation op, IrOperandVisitor visit, void *data) {
  OperandWalk walk = {visit, data};
  if (mlirOperationGetNumRegions(op) == 0)
    visitUsedValues(op, &walk);
  else
    mlirOperationWalk(op, visitUsedValues, &walk, MlirWalkPreOrder);
}
