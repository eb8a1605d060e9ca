//===- fusion_body.c - making fusions and library calls ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations of a block, and the values that later operations read. Leaves them in the body of a stitch.fusion or
// stitch.library_call, whose arguments are the values from outside and whose results replace the values that are read.
//
//===----------------------------------------------------------------------===//

#include "passes/common/fusion_body.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"

#include <stdlib.h>

int64_t valueListAdd(ValueList *list, MlirValue value) {
  int64_t number = irMapGet(&list->numbers, value.ptr, -1);
  if (number >= 0)
    return number;
  IR_RESERVE_ONE(list->values, list->count, list->capacity);
  list->values[list->count] = value;
  irMapSet(&list->numbers, value.ptr, list->count);
  return list->count++;
}

void valueListDestroy(ValueList *list) {
  irMapDestroy(&list->numbers);
  free(list->values);
}

FusionBody fusionBodyCreate(void) { return (FusionBody){.block = mlirBlockCreate(0, NULL, NULL)}; }

MlirValue fusionBodyArgument(FusionBody *body, MlirValue outside, MlirLocation loc) {
  int64_t known = body->inputs.count;
  int64_t input = valueListAdd(&body->inputs, outside);
  if (input == known)
    mlirBlockAddArgument(body->block, mlirValueGetType(outside), loc);
  return mlirBlockGetArgument(body->block, input);
}

MlirValue fusionBodyOwnArgument(FusionBody *body, MlirValue outside, MlirLocation loc) {
  ValueList *inputs = &body->inputs;
  IR_RESERVE_ONE(inputs->values, inputs->count, inputs->capacity);
  inputs->values[inputs->count++] = outside;
  return mlirBlockAddArgument(body->block, mlirValueGetType(outside), loc);
}

MlirOperation fusionBodyClose(FusionBody *body, const char *name, MlirLocation loc, const ValueList *results,
                              MlirOperation before) {
  IrBuilder inside = irBuilderAtEnd(body->block, loc);
  irOp(&inside, "stitch.yield", (IrValues){results->count, results->values}, IR_NO_TYPES, IR_NO_ATTRS);

  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), loc);
  mlirOperationStateAddOperands(&state, body->inputs.count, body->inputs.values);
  for (int64_t i = 0; i < results->count; ++i) {
    MlirType type = mlirValueGetType(results->values[i]);
    mlirOperationStateAddResults(&state, 1, &type);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body->block);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  valueListDestroy(&body->inputs);
  return op;
}

static MlirValue copyOfValue(const IrMap *copies, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  int64_t copy = mlirOperationIsNull(op) ? 0 : irMapGet(copies, op.ptr, 0);
  return copy ? irResult((MlirOperation){(void *)(intptr_t)copy}, mlirOpResultGetResultNumber(value))
              : (MlirValue){NULL};
}

MlirOperation fusionCopy(const MlirOperation *ops, intptr_t numOps, const ValueList *results, MlirLocation loc,
                         MlirOperation before) {
  FusionBody body = fusionBodyCreate();
  IrMap copies = {0}; // operation -> its copy
  ValueList copied = {0};
  for (intptr_t i = 0; i < numOps; ++i) {
    MlirOperation copy = mlirOperationClone(ops[i]);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(copy); ++j) {
      MlirValue operand = irOperand(ops[i], j), inside = copyOfValue(&copies, operand);
      mlirOperationSetOperand(
          copy, j,
          mlirValueIsNull(inside) ? fusionBodyArgument(&body, operand, mlirOperationGetLocation(copy)) : inside);
    }
    mlirBlockAppendOwnedOperation(body.block, copy);
    irMapSet(&copies, ops[i].ptr, (int64_t)(intptr_t)copy.ptr);
  }
  for (int64_t i = 0; i < results->count; ++i)
    valueListAdd(&copied, copyOfValue(&copies, results->values[i]));
  irMapDestroy(&copies);
  MlirOperation fusion = fusionBodyClose(&body, "stitch.fusion", loc, &copied, before);
  valueListDestroy(&copied);
  return fusion;
}

void fusionMoveReaders(MlirOperation fusion) {
  IrMap moved = {0};
  MlirOperation place = fusion;
  irMapSet(&moved, fusion.ptr, 1);
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(fusion)), next;
       !mlirOperationEqual(op, fusion); op = next) {
    next = irNextOp(op);
    bool reads = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirOperation from = irDefiningOp(irOperand(op, i));
      reads |= !mlirOperationIsNull(from) && irMapContains(&moved, from.ptr);
    }
    if (!reads)
      continue;
    irMapSet(&moved, op.ptr, 1);
    mlirOperationMoveAfter(op, place);
    place = op;
  }
  irMapDestroy(&moved);
}

void replaceUsesOutside(MlirBlock body, MlirValue value, MlirValue by) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  while (!mlirOpOperandIsNull(use)) {
    MlirOpOperand next = mlirOpOperandGetNextUse(use);
    MlirOperation owner = mlirOpOperandGetOwner(use);
    if (!mlirBlockEqual(mlirOperationGetBlock(owner), body))
      mlirOperationSetOperand(owner, mlirOpOperandGetOperandNumber(use), by);
    use = next;
  }
}
