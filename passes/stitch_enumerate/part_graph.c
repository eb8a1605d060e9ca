//===- part_graph.c - stitch-enumerate: part of a graph as a module ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a part of a block. Leaves a module with a copy of its operations as @main, and puts the operations of a planned
// copy back in place of the part.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "passes/stitch_enumerate/enumerate.h"

#include <stdlib.h>

void collectBlocks(Blocks *blocks, MlirBlock block) {
  IR_RESERVE_ONE(blocks->blocks, blocks->count, blocks->capacity);
  blocks->blocks[blocks->count++] = block;
  IR_FOR_EACH_OP(op, block)
    for (intptr_t i = 0; tgIsControlFlow(op) && i < mlirOperationGetNumRegions(op); ++i)
      collectBlocks(blocks, irBody(op, i));
}

/// Values from outside that the operations read.
static ValueList inputsOf(const Operations *ops) {
  ValueList inputs = {0};
  IrMap own = {0};
  for (int64_t i = 0; i < ops->count; ++i)
    for (intptr_t j = 0; j < mlirOperationGetNumResults(ops->data[i]); ++j)
      irMapSet(&own, irResult(ops->data[i], j).ptr, 1);
  for (int64_t i = 0; i < ops->count; ++i)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(ops->data[i]); ++j)
      if (!irMapContains(&own, irOperand(ops->data[i], j).ptr))
        valueListAdd(&inputs, irOperand(ops->data[i], j));
  irMapDestroy(&own);
  return inputs;
}

static MlirValue copyOf(const IrMap *copies, MlirValue value) {
  return (MlirValue){(void *)(intptr_t)irMapGet(copies, value.ptr, 0)};
}

/// Puts a copy of an operation at the end of the block or, unless it is `whole`, the operations of its body.
static void addCopy(MlirBlock block, IrMap *copies, MlirOperation op, bool whole) {
  MlirOperation clone = mlirOperationClone(op);
  MlirBlock body = irBody(clone, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = copyOf(copies, irOperand(op, i));
    mlirOperationSetOperand(clone, i, operand);
    if (!whole)
      mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), operand);
  }
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = whole ? irResult(clone, i) : irOperand(yield, i);
    irMapSet(copies, irResult(op, i).ptr, (int64_t)(intptr_t)result.ptr);
  }
  if (whole) {
    mlirBlockAppendOwnedOperation(block, clone);
    return;
  }
  irMoveOperations(body, block, /*withTerminator=*/false);
  mlirOperationDestroy(clone);
}

static MlirAttribute deviceOf(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !irHasAttr(op, "stitch.device"))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationIsNull(op) ? mlirAttributeGetNull() : irGetAttr(op, "stitch.device");
}

static MlirOperation makeModule(MlirLocation loc, MlirBlock graph, const ValueList *results, MlirAttribute device) {
  intptr_t numInputs = mlirBlockGetNumArguments(graph);
  MlirType *types = irAllocate(sizeof(*types) * (size_t)(numInputs + results->count + 1));
  for (intptr_t i = 0; i < numInputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(graph, i));
  for (int64_t i = 0; i < results->count; ++i)
    types[numInputs + i] = mlirValueGetType(results->values[i]);
  MlirOperation module = mlirModuleGetOperation(mlirModuleCreateEmpty(loc));
  IrBuilder b = irBuilderAtEnd(irBody(module, 0), loc);
  MlirType type = mlirFunctionTypeGet(b.context, numInputs, types, results->count, types + numInputs);
  MlirOperation function = irOpWithEmptyRegion(
      &b, "func.func", IR_ATTRS(irString(&b, "sym_name", "main"), irType(&b, "function_type", type)));
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), graph);
  if (!mlirAttributeIsNull(device))
    irSetAttr(module, "stitch.device", device);
  free(types);
  return module;
}

MlirOperation partModule(const Operations *ops, bool whole) {
  MlirLocation loc = mlirOperationGetLocation(ops->data[0]);
  MlirBlock graph = mlirBlockCreate(0, NULL, NULL);
  ValueList inputs = inputsOf(ops), results = escapingResults(ops);
  IrMap copies = {0};
  for (int64_t i = 0; i < inputs.count; ++i) {
    MlirValue argument = mlirBlockAddArgument(graph, mlirValueGetType(inputs.values[i]), loc);
    irMapSet(&copies, inputs.values[i].ptr, (int64_t)(intptr_t)argument.ptr);
  }
  for (int64_t i = 0; i < ops->count; ++i)
    addCopy(graph, &copies, ops->data[i], whole);
  IrBuilder b = irBuilderAtEnd(graph, loc);
  MlirValue *returned = irAllocate(sizeof(*returned) * (size_t)(results.count + 1));
  for (int64_t i = 0; i < results.count; ++i)
    returned[i] = copyOf(&copies, results.values[i]);
  irOp(&b, "func.return", (IrValues){results.count, returned}, IR_NO_TYPES, IR_NO_ATTRS);
  MlirOperation module = makeModule(loc, graph, &results, deviceOf(ops->data[0]));
  free(returned);
  irMapDestroy(&copies);
  valueListDestroy(&inputs);
  valueListDestroy(&results);
  return module;
}

void partInsert(const Operations *ops, MlirOperation module, MlirOperation end) {
  MlirOperation copy = mlirOperationClone(module);
  MlirBlock graph = irBody(irFindFunction(copy, "main"), 0);
  ValueList inputs = inputsOf(ops);
  for (int64_t i = 0; i < inputs.count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(graph, i), inputs.values[i]);
  MlirOperation terminator = mlirBlockGetTerminator(graph);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    mlirOperationSetOperand(end, i, irOperand(terminator, i));
  IR_FOR_EACH_OP_REPLACING(op, graph) {
    if (!mlirOperationEqual(op, terminator))
      mlirOperationMoveBefore(op, end);
  }
  valueListDestroy(&inputs);
  mlirOperationDestroy(copy);
}
