//===- loops.c - helpers of passes over counted loops ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a counted tg.while. Leaves a copy with other loop-carried values, and moves operations behind the loop with
// their readers.
//
//===----------------------------------------------------------------------===//

#include "passes/common/loops.h"

#include "ir/graph/numbering.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"

#include <stdlib.h>

void addValue(LoopValues *values, MlirValue value) {
  IR_RESERVE_ONE(values->data, values->count, values->capacity);
  values->data[values->count++] = value;
}

int64_t tripCountOf(MlirOperation op) { return tgKindOf(op) == TG_while ? irGetInt(op, "trip_count", -1) : -1; }

MlirOperation createLoop(MlirOperation before, MlirLocation loc, const LoopValues *inits, int64_t tripCount) {
  IrBuilder b = irBuilderBefore(before);
  b.loc = loc;
  MlirType *types = irAllocate(sizeof(*types) * (size_t)inits->count);
  for (int64_t i = 0; i < inits->count; ++i)
    types[i] = mlirValueGetType(inits->data[i]);
  IrTypes carried = {inits->count, types};
  MlirOperation loop = irOpWithRegions(&b, "tg.while", (IrValues){inits->count, inits->data}, carried,
                                       IR_ATTRS(irI64(&b, "trip_count", tripCount)), 2, carried);
  free(types);
  return loop;
}

void closeLoop(MlirOperation loop, const LoopValues *yielded) {
  IrBuilder b = irBuilderAtEnd(irBody(loop, 1), mlirOperationGetLocation(loop));
  irOp(&b, "tg.yield", (IrValues){yielded->count, yielded->data}, IR_NO_TYPES, IR_NO_ATTRS);
}

MlirValue writeIteration(IrBuilder *b, MlirValue stack, MlirValue number, MlirValue value) {
  IrShape slice = irShapeOf(stack);
  slice.dims[0] = 1;
  MlirValue operands[IR_MAX_RANK + 2] = {stack, tgReshape(b, value, tgWithShape(mlirValueGetType(value), slice)),
                                         number};
  MlirValue zero = tgSplatBits(b, mlirValueGetType(number), 0);
  for (intptr_t i = 1; i < slice.rank; ++i)
    operands[2 + i] = zero;
  return irValueOf(b, "tg.dynamic_update_slice", (IrValues){slice.rank + 2, operands}, mlirValueGetType(stack),
                   IR_NO_ATTRS);
}

typedef struct {
  const IrMap *late;
  bool found;
} LateOperand;

static void findLateOperand(MlirValue value, void *data) {
  LateOperand *operand = data;
  MlirOperation op = irDefiningOp(value);
  operand->found |= !mlirOperationIsNull(op) && irMapContains(operand->late, op.ptr);
}

void moveUsersBehind(MlirOperation loop, MlirOperation last, MlirOperation first) {
  IrMap late = {0};
  irMapSet(&late, last.ptr, 1);
  for (MlirOperation op = loop; !mlirOperationEqual(op, last); op = mlirOperationGetNextInBlock(op))
    irMapSet(&late, op.ptr, 1);
  for (MlirOperation op = first; !mlirOperationEqual(op, loop);) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    LateOperand operand = {&late, false};
    irForEachOperand(op, findLateOperand, &operand);
    if (operand.found) {
      irMapSet(&late, op.ptr, 1);
      mlirOperationMoveAfter(op, last);
      last = op;
    }
    op = next;
  }
  irMapDestroy(&late);
}
