//===- lower_sort.c - sort and top_k --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes tg.sort and tg.top_k. Leaves loops over the lines along a dimension, with a merge sort of positions in each,
// bottom up: runs of 1, 2, 4, ... positions are merged two by two. It is stable, and its time does not depend on the
// data.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "lowering/reference/tg_to_linalg/lower_body.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"

#include <stdlib.h>

/// The sorted data: a line of each input, at `line` in all dimensions but `dim`.
typedef struct {
  const Lowering *l;
  intptr_t numInputs;
  MlirValue *inputs; // buffers
  int64_t dim;
  int64_t size; // of the dimension
  const MlirValue *line;
  MlirValue positions, merged; // buffers of `size` positions
} SortLoops;

/// Whether the elements at position `x` come before those at `y`.
static MlirValue comesBefore(SortLoops *sort, IrBuilder *b, MlirValue x, MlirValue y);

static MlirValue elementAt(const SortLoops *sort, IrBuilder *b, MlirValue buffer, MlirValue position) {
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < irShapeOf(buffer).rank; ++i)
    at[i] = i == sort->dim ? position : sort->line[i];
  return loadElement(b, buffer, at);
}

static MlirOperation forEach(IrBuilder *b, MlirValue from, MlirValue to, MlirValue step, IrValues carried,
                             IrBuilder *body) {
  MlirOperation loop = irFor(b, from, to, step, carried);
  *body = irBuilderAtEnd(irBody(loop, 0), b->loc);
  return loop;
}

/// Whether the next position comes from the right run: if the left one is used up, or its next comes later.
static MlirValue takesRight(SortLoops *sort, IrBuilder *b, MlirValue left, MlirValue middle, MlirValue right,
                            MlirValue end) {
  MlirType i1 = mlirIntegerTypeGet(b->context, 1);
  MlirValue leftHas = irCmpI(b, IR_CMPI_SLT, left, middle);
  MlirValue rightHas = irCmpI(b, IR_CMPI_SLT, right, end);
  MlirOperation choice = irIf(b, irAndI(b, leftHas, rightHas), IR_TYPES(i1), true);
  IrBuilder both = irBuilderAtEnd(irBody(choice, 0), b->loc);
  MlirValue x = loadElement(&both, sort->positions, &right), y = loadElement(&both, sort->positions, &left);
  irYield(&both, IR_VALUES(comesBefore(sort, &both, x, y)));
  IrBuilder one = irBuilderAtEnd(irBody(choice, 1), b->loc);
  irYield(&one, IR_VALUES(rightHas));
  return irResult(choice, 0);
}

/// Merges [start, middle) and [middle, end) of `positions` into `merged`.
static void mergeTwoRuns(SortLoops *sort, IrBuilder *b, MlirValue start, MlirValue middle, MlirValue end) {
  MlirValue one = irConstantIndex(b, 1);
  IrBuilder body;
  MlirOperation loop = forEach(b, start, end, one, IR_VALUES(start, middle), &body);
  MlirBlock block = irBody(loop, 0);
  MlirValue to = mlirBlockGetArgument(block, 0);
  MlirValue left = mlirBlockGetArgument(block, 1), right = mlirBlockGetArgument(block, 2);
  MlirValue isRight = takesRight(sort, &body, left, middle, right, end);
  MlirValue from = irSelect(&body, isRight, right, left);
  storeElement(&body, loadElement(&body, sort->positions, &from), sort->merged, &to);
  MlirValue nextLeft = irSelect(&body, isRight, left, irAddI(&body, left, one));
  MlirValue nextRight = irSelect(&body, isRight, irAddI(&body, right, one), right);
  irYield(&body, IR_VALUES(nextLeft, nextRight));
}

/// Merges all pairs of runs of `width`, and puts the result back.
static void mergeRuns(SortLoops *sort, IrBuilder *b, MlirValue width) {
  MlirValue zero = irConstantIndex(b, 0), one = irConstantIndex(b, 1), size = irConstantIndex(b, sort->size);
  IrBuilder body;
  MlirOperation runs = forEach(b, zero, size, irAddI(b, width, width), IR_NO_VALUES, &body);
  MlirValue start = mlirBlockGetArgument(irBody(runs, 0), 0);
  MlirValue middle = irMinSI(&body, irAddI(&body, start, width), size);
  mergeTwoRuns(sort, &body, start, middle, irMinSI(&body, irAddI(&body, middle, width), size));
  irYield(&body, IR_NO_VALUES);
  MlirOperation copy = forEach(b, zero, size, one, IR_NO_VALUES, &body);
  MlirValue i = mlirBlockGetArgument(irBody(copy, 0), 0);
  storeElement(&body, loadElement(&body, sort->merged, &i), sort->positions, &i);
  irYield(&body, IR_NO_VALUES);
}

/// Leaves in `positions` the line's positions in order.
static void sortLine(SortLoops *sort, IrBuilder *b) {
  MlirValue zero = irConstantIndex(b, 0), one = irConstantIndex(b, 1);
  IrBuilder body;
  MlirOperation begin = forEach(b, zero, irConstantIndex(b, sort->size), one, IR_NO_VALUES, &body);
  MlirValue i = mlirBlockGetArgument(irBody(begin, 0), 0);
  storeElement(&body, i, sort->positions, &i);
  irYield(&body, IR_NO_VALUES);
  int64_t numPasses = 0;
  while (sort->size > INT64_C(1) << numPasses)
    ++numPasses;
  MlirOperation passes = forEach(b, zero, irConstantIndex(b, numPasses), one, IR_VALUES(one), &body);
  MlirValue width = mlirBlockGetArgument(irBody(passes, 0), 1);
  mergeRuns(sort, &body, width);
  irYield(&body, IR_VALUES(irAddI(&body, width, width)));
}

static MlirValue newPositions(IrBuilder *b, int64_t size) {
  return newBuffer(b, mlirRankedTensorTypeGet(1, &size, mlirIndexTypeGet(b->context), mlirAttributeGetNull()));
}

/// A loop over all lines of shape `shape` along `dim`; sorts each.
static void beginLines(SortLoops *sort, LoopNest *nest, IrShape shape) {
  IrBuilder *b = sort->l->b;
  sort->size = shape.dims[sort->dim];
  sort->positions = newPositions(b, sort->size);
  sort->merged = newPositions(b, sort->size);
  shape.dims[sort->dim] = 1;
  beginLoops(b, nest, shape, IR_NO_VALUES);
  sort->line = nest->index;
  sortLine(sort, &nest->body);
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// tg.sort's comparator takes the two elements of each input; tg.top_k's is the total order, the larger first.
static MlirValue comesBefore(SortLoops *sort, IrBuilder *b, MlirValue x, MlirValue y) {
  if (tgKindOf(sort->l->op) == TG_top_k)
    return scalarCompareTotal(b, TG_GT, operandElementType(sort->l, 0), elementAt(sort, b, sort->inputs[0], x),
                              elementAt(sort, b, sort->inputs[0], y));
  MlirValue *arguments = irAllocate(sizeof(MlirValue) * (size_t)(2 * sort->numInputs)), before = {NULL};
  for (intptr_t i = 0; i < sort->numInputs; ++i) {
    arguments[2 * i] = elementAt(sort, b, sort->inputs[i], x);
    arguments[2 * i + 1] = elementAt(sort, b, sort->inputs[i], y);
  }
  lowerElementBody(sort->l, b, irBody(sort->l->op, 0), arguments, &before);
  free(arguments);
  return before;
}

/// Copies the elements of all inputs in the order of `positions`.
static void storeSorted(const SortLoops *sort, LoopNest *nest, const MlirValue *outputs) {
  IrBuilder *b = &nest->body, body;
  MlirOperation loop =
      forEach(b, irConstantIndex(b, 0), irConstantIndex(b, sort->size), irConstantIndex(b, 1), IR_NO_VALUES, &body);
  MlirValue to = mlirBlockGetArgument(irBody(loop, 0), 0), at[IR_MAX_RANK];
  for (intptr_t i = 0; i < nest->rank; ++i)
    at[i] = i == sort->dim ? to : nest->index[i];
  MlirValue from = loadElement(&body, sort->positions, &to);
  for (intptr_t i = 0; i < sort->numInputs; ++i)
    storeElement(&body, elementAt(sort, &body, sort->inputs[i], from), outputs[i], at);
  irYield(&body, IR_NO_VALUES);
}

bool lowerSort(const Lowering *l, MlirValue *results) {
  intptr_t count = mlirOperationGetNumOperands(l->op);
  MlirValue *buffers = irAllocate(sizeof(MlirValue) * (size_t)(2 * count)), *outputs = buffers + count;
  SortLoops sort = {.l = l, .numInputs = count, .inputs = buffers, .dim = irGetInt(l->op, "dim", 0)};
  for (intptr_t i = 0; i < count; ++i) {
    buffers[i] = operandBuffer(l, i);
    outputs[i] = newBuffer(l->b, resultStorageType(l, i));
  }
  LoopNest nest;
  beginLines(&sort, &nest, irShapeOf(irOperand(l->op, 0)));
  storeSorted(&sort, &nest, outputs);
  endLoops(&nest, IR_NO_VALUES);
  for (intptr_t i = 0; i < count; ++i)
    results[i] = bufferContents(l->b, outputs[i], resultStorageType(l, i));
  free(buffers);
  return true;
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

bool lowerTopK(const Lowering *l, MlirValue *results) {
  MlirValue input = operandBuffer(l, 0);
  MlirValue values = newBuffer(l->b, resultStorageType(l, 0)), indices = newBuffer(l->b, resultStorageType(l, 1));
  IrShape shape = irShapeOf(input);
  SortLoops sort = {.l = l, .numInputs = 1, .inputs = &input, .dim = shape.rank - 1};
  LoopNest nest;
  beginLines(&sort, &nest, shape);
  IrBuilder *b = &nest.body, body;
  MlirOperation loop = forEach(b, irConstantIndex(b, 0), irConstantIndex(b, irGetInt(l->op, "k", 0)),
                               irConstantIndex(b, 1), IR_NO_VALUES, &body);
  MlirValue to = mlirBlockGetArgument(irBody(loop, 0), 0), from = loadElement(&body, sort.positions, &to);
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < shape.rank; ++i)
    at[i] = i == sort.dim ? to : nest.index[i];
  storeElement(&body, elementAt(&sort, &body, input, from), values, at);
  storeElement(&body, irUnary(&body, "arith.index_cast", from, irElementTypeOf(indices)), indices, at);
  irYield(&body, IR_NO_VALUES);
  endLoops(&nest, IR_NO_VALUES);
  results[0] = bufferContents(l->b, values, resultStorageType(l, 0));
  results[1] = bufferContents(l->b, indices, resultStorageType(l, 1));
  return true;
}
