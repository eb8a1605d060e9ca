//===- fusion_body.c - making fusions and library calls ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
