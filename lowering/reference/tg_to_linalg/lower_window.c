//===- lower_window.c - reduce_window, select_and_scatter, cumulative -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations over windows and prefixes. Leaves loop nests over the result, each of whose elements goes through
// its window in order.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_body.h"
#include "ir/mlir/arena.h"
#include "lowering/reference/tg_to_linalg/lower_body.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"

#include <stdlib.h>

static IrShape filled(intptr_t rank, int64_t value) {
  IrShape shape = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i)
    shape.dims[i] = value;
  return shape;
}

/// The element at `at` where there is one, else `otherwise`.
static MlirValue elementIf(IrBuilder *b, MlirValue condition, MlirValue buffer, const MlirValue *at,
                           MlirValue otherwise) {
  MlirOperation op = irIf(b, condition, IR_TYPES(mlirValueGetType(otherwise)), true);
  IrBuilder onTrue = irBuilderAtEnd(irBody(op, 0), b->loc);
  irYield(&onTrue, IR_VALUES(loadElement(&onTrue, buffer, at)));
  IrBuilder onFalse = irBuilderAtEnd(irBody(op, 1), b->loc);
  irYield(&onFalse, IR_VALUES(otherwise));
  return irResult(op, 0);
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

static LoopWindow reduceWindow(MlirOperation op) {
  return (LoopWindow){irShapeOf(irOperand(op, 0)), irGetDims(op, "window_strides"), irGetDims(op, "padding_low"),
                      irGetDims(op, "base_dilations"), irGetDims(op, "window_dilations")};
}

MlirValue lowerReduceWindow(const Lowering *l) {
  MlirType element = resultElementType(l), type = resultStorageType(l, 0);
  TgKind combiner = combinerOf(irGetInt(l->op, "kind", -1));
  MlirType accumulator = accumulatorType(combiner, element);
  LoopWindow window = reduceWindow(l->op);
  MlirValue input = operandBuffer(l, 0), result = newBuffer(l->b, type), at[IR_MAX_RANK];
  LoopNest windows, elements;
  beginLoops(l->b, &windows, irTypeShape(type), IR_NO_VALUES);
  IrBuilder *b = &windows.body;
  MlirValue identity = scalarIdentity(b, combiner, element, accumulator);
  if (mlirValueIsNull(identity))
    return identity;
  beginLoops(b, &elements, irGetDims(l->op, "window_dimensions"), IR_VALUES(identity));
  MlirValue isElement = windowPosition(&elements.body, &window, windows.index, elements.index, at);
  MlirOperation choice = irIf(&elements.body, isElement, IR_TYPES(storageType(accumulator)), true);
  IrBuilder onTrue = irBuilderAtEnd(irBody(choice, 0), b->loc), onFalse = irBuilderAtEnd(irBody(choice, 1), b->loc);
  irYield(&onTrue, IR_VALUES(scalarConvert(&onTrue, loadElement(&onTrue, input, at), element, accumulator)));
  irYield(&onFalse, IR_VALUES(identity)); // padding
  MlirValue value = irResult(choice, 0);
  endLoops(&elements, IR_VALUES(scalarCombine(&elements.body, combiner, accumulator, elements.carried[0], value)));
  MlirValue combined = irResult(elements.loops[0], 0);
  storeElement(b, scalarConvert(b, combined, accumulator, element), result, windows.index);
  endLoops(&windows, IR_NO_VALUES);
  return bufferContents(l->b, result, type);
}

/// The values so far and the elements in the current window go through the body; outside of the operand elements are
/// the initial values.
bool lowerGeneralReduceWindow(const Lowering *l, MlirValue *results) {
  intptr_t count = mlirOperationGetNumResults(l->op);
  MlirValue *inputs = irAllocate(sizeof(MlirValue) * (size_t)(6 * count)), at[IR_MAX_RANK];
  MlirValue *outputs = inputs + count, *inits = inputs + 2 * count, *arguments = inputs + 3 * count;
  MlirValue *yielded = inputs + 5 * count;
  for (intptr_t i = 0; i < count; ++i) {
    inputs[i] = operandBuffer(l, i);
    outputs[i] = newBuffer(l->b, resultStorageType(l, i));
    inits[i] = extractElement(l->b, loweredOperand(l, count + i), IR_NO_VALUES);
  }
  LoopWindow window = reduceWindow(l->op);
  LoopNest windows, elements;
  beginLoops(l->b, &windows, irShapeOf(outputs[0]), IR_NO_VALUES);
  beginLoops(&windows.body, &elements, irGetDims(l->op, "window_dimensions"), (IrValues){count, inits});
  MlirValue isElement = windowPosition(&elements.body, &window, windows.index, elements.index, at);
  for (intptr_t i = 0; i < count; ++i) {
    arguments[i] = elements.carried[i];
    arguments[count + i] = elementIf(&elements.body, isElement, inputs[i], at, inits[i]);
  }
  lowerElementBody(l, &elements.body, irBody(l->op, 0), arguments, yielded);
  endLoops(&elements, (IrValues){count, yielded});
  for (intptr_t i = 0; i < count; ++i)
    storeElement(&windows.body, irResult(elements.loops[0], i), outputs[i], windows.index);
  endLoops(&windows, IR_NO_VALUES);
  for (intptr_t i = 0; i < count; ++i)
    results[i] = bufferContents(l->b, outputs[i], resultStorageType(l, i));
  free(inputs);
  return true;
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

static LoopWindow selectWindow(MlirOperation op) {
  IrShape shape = irShapeOf(irOperand(op, 0)), ones = filled(shape.rank, 1);
  return (LoopWindow){shape, irGetDims(op, "window_strides"), irGetDims(op, "padding_low"), ones, ones};
}

/// The position that a window selects: the first of its elements, replaced by each next one before which it does not
/// stay. Carried: whether there is one, its value, its position.
static void beginSelection(const Lowering *l, IrBuilder *b, LoopNest *nest) {
  intptr_t rank = irShapeOf(irOperand(l->op, 0)).rank;
  MlirValue carried[IR_MAX_RANK + 2];
  carried[0] = irConstantInt(b, mlirIntegerTypeGet(b->context, 1), 0);
  carried[1] = scalarZero(b, operandElementType(l, 0));
  for (intptr_t i = 0; i < rank; ++i)
    carried[2 + i] = irConstantIndex(b, 0);
  beginLoops(b, nest, irGetDims(l->op, "window_dimensions"), (IrValues){2 + rank, carried});
}

/// Whether the selected `value` stays selected with `next` there.
static MlirValue staysSelected(const Lowering *l, IrBuilder *b, MlirValue value, MlirValue next) {
  MlirType element = operandElementType(l, 0);
  if (tgKindOf(l->op) == TG_general_select_and_scatter) {
    MlirValue stays;
    lowerElementBody(l, b, irBody(l->op, 0), (MlirValue[]){value, next}, &stays);
    return stays;
  }
  TgKind kind = combinerOf(irGetInt(l->op, "select_kind", -1));
  return scalarCompareValues(b, kind == TG_max ? TG_GE : TG_LE, element, scalarWiden(b, value, element),
                             scalarWiden(b, next, element));
}

static void selectInWindow(const Lowering *l, LoopNest *nest, const MlirValue *window, MlirValue input) {
  IrBuilder *b = &nest->body;
  LoopWindow places = selectWindow(l->op);
  const MlirValue *carried = nest->carried;
  MlirValue at[IR_MAX_RANK], next[IR_MAX_RANK + 2];
  MlirValue isElement = windowPosition(b, &places, window, nest->index, at);
  MlirValue value = elementIf(b, isElement, input, at, carried[1]);
  MlirValue stays = irAndI(b, carried[0], staysSelected(l, b, carried[1], value));
  MlirValue isTrue = irConstantInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  MlirValue changes = irAndI(b, isElement, irXorI(b, stays, isTrue));
  next[0] = irOrI(b, carried[0], isElement);
  next[1] = irSelect(b, changes, value, carried[1]);
  for (intptr_t i = 0; i < places.sizes.rank; ++i)
    next[2 + i] = irSelect(b, changes, at[i], carried[2 + i]);
  endLoops(nest, (IrValues){2 + places.sizes.rank, next});
}

/// Applies `scatter` to the old element and one of `source`, both in the accumulator's type.
static MlirValue scatterElement(const Lowering *l, IrBuilder *b, MlirType accumulator, MlirValue old, MlirValue value) {
  if (tgKindOf(l->op) != TG_general_select_and_scatter)
    return scalarCombine(b, combinerOf(irGetInt(l->op, "scatter_kind", -1)), accumulator, old, value);
  MlirValue combined;
  lowerElementBody(l, b, irBody(l->op, 1), (MlirValue[]){old, value}, &combined);
  return combined;
}

/// Scatters into a buffer of elements of type `accumulator`, which holds the initial value everywhere.
static void scatterSelected(const Lowering *l, MlirValue result, MlirType accumulator) {
  MlirValue input = operandBuffer(l, 0), source = operandBuffer(l, 1);
  LoopNest windows, selection;
  beginLoops(l->b, &windows, irShapeOf(source), IR_NO_VALUES);
  IrBuilder *b = &windows.body;
  beginSelection(l, b, &selection);
  selectInWindow(l, &selection, windows.index, input);
  MlirOperation found = irIf(b, irResult(selection.loops[0], 0), IR_NO_TYPES, false);
  IrBuilder inside = irBuilderAtEnd(irBody(found, 0), b->loc);
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < irShapeOf(input).rank; ++i)
    at[i] = irResult(selection.loops[0], 2 + i);
  MlirValue value = loadElement(&inside, source, windows.index);
  value = scalarConvert(&inside, value, operandElementType(l, 1), accumulator);
  MlirValue old = loadElement(&inside, result, at);
  storeElement(&inside, scatterElement(l, &inside, accumulator, old, value), result, at);
  irYield(&inside, IR_NO_VALUES);
  endLoops(&windows, IR_NO_VALUES);
}

MlirValue lowerSelectAndScatter(const Lowering *l) {
  MlirType element = resultElementType(l);
  TgKind combiner = combinerOf(irGetInt(l->op, "scatter_kind", -1));
  MlirType accumulator = accumulatorType(combiner, element);
  MlirType type = tensorWithElement(resultStorageType(l, 0), storageType(accumulator));
  MlirValue identity = scalarIdentity(l->b, combiner, element, accumulator), result = newBuffer(l->b, type);
  if (mlirValueIsNull(identity))
    return identity;
  storeTensor(l->b, filledTensor(l->b, type, identity), result);
  scatterSelected(l, result, accumulator);
  return convertedTensor(l->b, bufferContents(l->b, result, type), accumulator, element);
}

MlirValue lowerGeneralSelectAndScatter(const Lowering *l) {
  MlirType type = resultStorageType(l, 0);
  MlirValue init = extractElement(l->b, loweredOperand(l, 2), IR_NO_VALUES), result = newBuffer(l->b, type);
  storeTensor(l->b, filledTensor(l->b, type, init), result);
  scatterSelected(l, result, resultElementType(l));
  return bufferContents(l->b, result, type);
}

//===----------------------------------------------------------------------===//
// cumulative
//===----------------------------------------------------------------------===//

/// The index of the element that comes as number `position` in its line.
static void lineIndex(const Lowering *l, const LoopNest *lines, IrBuilder *b, MlirValue position, MlirValue *at) {
  IrShape shape = irShapeOf(irResult(l->op, 0));
  int64_t dim = irGetInt(l->op, "dim", 0);
  for (intptr_t i = 0; i < shape.rank; ++i)
    at[i] = lines->index[i];
  MlirValue last = irConstantIndex(b, shape.dims[dim] - 1);
  at[dim] = irHasAttr(l->op, "reverse") ? irSubI(b, last, position) : position;
}

MlirValue lowerCumulative(const Lowering *l) {
  MlirType element = resultElementType(l), type = resultStorageType(l, 0);
  TgKind combiner = combinerOf(irGetInt(l->op, "kind", -1));
  MlirType accumulator = accumulatorType(combiner, element);
  int64_t dim = irGetInt(l->op, "dim", 0);
  bool exclusive = irHasAttr(l->op, "exclusive");
  IrShape shape = irTypeShape(type), lineShape = filled(1, shape.dims[dim]);
  shape.dims[dim] = 1;
  MlirValue input = operandBuffer(l, 0), result = newBuffer(l->b, type), at[IR_MAX_RANK];
  LoopNest lines, line;
  beginLoops(l->b, &lines, shape, IR_NO_VALUES);
  MlirValue identity = scalarIdentity(&lines.body, combiner, element, accumulator);
  if (mlirValueIsNull(identity))
    return identity;
  beginLoops(&lines.body, &line, lineShape, IR_VALUES(identity));
  IrBuilder *b = &line.body;
  lineIndex(l, &lines, b, line.index[0], at);
  MlirValue value = scalarConvert(b, loadElement(b, input, at), element, accumulator);
  MlirValue combined = scalarCombine(b, combiner, accumulator, line.carried[0], value);
  storeElement(b, scalarConvert(b, exclusive ? line.carried[0] : combined, accumulator, element), result, at);
  endLoops(&line, IR_VALUES(combined));
  endLoops(&lines, IR_NO_VALUES);
  return bufferContents(l->b, result, type);
}

/// The initial loop-carried values along a line: the initial values; without them zeros, which the first element
/// replaces.
static MlirValue firstCarried(const Lowering *l, IrBuilder *b, intptr_t i) {
  intptr_t count = tgNumCombined(l->op);
  if (mlirOperationGetNumOperands(l->op) > count)
    return extractElement(l->b, loweredOperand(l, count + i), IR_NO_VALUES);
  return scalarZero(b, irElementTypeOf(irOperand(l->op, i)));
}

bool lowerGeneralCumulative(const Lowering *l, MlirValue *results) {
  intptr_t count = tgNumCombined(l->op), numResults = mlirOperationGetNumResults(l->op);
  MlirValue *inputs = irAllocate(sizeof(MlirValue) * (size_t)(6 * count)), at[IR_MAX_RANK];
  MlirValue *outputs = inputs + count, *carried = inputs + 2 * count, *arguments = inputs + 3 * count;
  MlirValue *combined = inputs + 5 * count;
  bool hasInits = mlirOperationGetNumOperands(l->op) > count, exclusive = irHasAttr(l->op, "exclusive");
  int64_t dim = irGetInt(l->op, "dim", 0);
  IrShape shape = irShapeOf(irResult(l->op, 0)), lineShape = filled(1, shape.dims[dim]);
  shape.dims[dim] = 1;
  for (intptr_t i = 0; i < count; ++i) {
    inputs[i] = operandBuffer(l, i);
    if (i < numResults)
      outputs[i] = newBuffer(l->b, resultStorageType(l, i));
    carried[i] = firstCarried(l, l->b, i);
  }
  LoopNest lines, line;
  beginLoops(l->b, &lines, shape, IR_NO_VALUES);
  beginLoops(&lines.body, &line, lineShape, (IrValues){count, carried});
  IrBuilder *b = &line.body;
  lineIndex(l, &lines, b, line.index[0], at);
  for (intptr_t i = 0; i < count; ++i) {
    arguments[i] = line.carried[i];
    arguments[count + i] = loadElement(b, inputs[i], at);
  }
  lowerElementBody(l, b, irBody(l->op, 0), arguments, combined);
  MlirValue isFirst = irCmpI(b, IR_CMPI_EQ, line.index[0], irConstantIndex(b, 0));
  for (intptr_t i = 0; i < count; ++i) {
    combined[i] = hasInits ? combined[i] : irSelect(b, isFirst, arguments[count + i], combined[i]);
    if (i < numResults)
      storeElement(b, exclusive ? arguments[i] : combined[i], outputs[i], at);
  }
  endLoops(&line, (IrValues){count, combined});
  endLoops(&lines, IR_NO_VALUES);
  for (intptr_t i = 0; i < numResults; ++i)
    results[i] = bufferContents(l->b, outputs[i], resultStorageType(l, i));
  free(inputs);
  return true;
}
