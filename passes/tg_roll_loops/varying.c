//===- varying.c - differences between iterations -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the values of one operand in all iterations. Finds whether a loop can compute them from the iteration number:
// equal values, equally spaced slices, splats or operations on such; and makes the value within the body.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_roll_loops/varying.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "passes/tg_roll_loops/recurrence.h"

#include <stdlib.h>

/// Deeper than cells compute of their inputs.
enum { MOST_DEEP = 8 };

/// More bytes in each iteration are not copied next to each other.
static const int64_t mostBytes = INT64_C(1) << 24;

//===----------------------------------------------------------------------===//
// Available values
//===----------------------------------------------------------------------===//

static bool areOneValue(const MlirValue *values, int64_t count) {
  for (int64_t k = 1; k < count; ++k)
    if (!mlirValueEqual(values[k], values[0]))
      return false;
  return true;
}

/// Slices of one tensor, in equal steps along one dimension: iteration k has block scale * k + offset of those of
/// `size` elements that the dimension is cut into.
typedef struct {
  intptr_t dim;
  int64_t size;
  int64_t scale;
  int64_t offset;
} EqualSteps;

static bool isSliceOf(MlirValue value, MlirValue tensor) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_slice || !mlirValueEqual(irOperand(op, 0), tensor))
    return false;
  IrShape strides = irGetDims(op, "strides");
  for (intptr_t i = 0; i < strides.rank; ++i)
    if (strides.dims[i] != 1)
      return false;
  return true;
}

static bool areSteps(const MlirValue *values, int64_t count, EqualSteps *steps) {
  MlirOperation first = irDefiningOp(values[0]), second = irDefiningOp(values[1]);
  if (mlirOperationIsNull(first) || mlirOperationIsNull(second) || tgKindOf(first) != TG_slice)
    return false;
  MlirValue tensor = irOperand(first, 0);
  if (!isSliceOf(values[0], tensor) || !isSliceOf(values[1], tensor) || irShapeOf(tensor).rank == IR_MAX_RANK)
    return false;
  IrShape from = irGetDims(first, "starts"), to = irGetDims(second, "starts");
  steps->dim = 0;
  while (steps->dim + 1 < from.rank && from.dims[steps->dim] == to.dims[steps->dim])
    ++steps->dim;
  steps->size = irShapeOf(values[0]).dims[steps->dim];
  int64_t distance = to.dims[steps->dim] - from.dims[steps->dim];
  if (steps->size == 0 || distance % steps->size != 0 || from.dims[steps->dim] % steps->size != 0 ||
      irShapeOf(tensor).dims[steps->dim] % steps->size != 0)
    return false;
  steps->scale = distance / steps->size;
  steps->offset = from.dims[steps->dim] / steps->size;
  for (int64_t k = 0; k < count; ++k) {
    IrShape expected = from;
    expected.dims[steps->dim] += k * distance;
    if (!isSliceOf(values[k], tensor) || !irShapesEqual(irGetDims(irDefiningOp(values[k]), "starts"), expected))
      return false;
  }
  return true;
}

/// Whether the values are computed alike, by operations that may be repeated: a product only where nothing else reads
/// it.
static bool areComputedAlike(const MlirValue *values, int64_t count) {
  MlirOperation first = irDefiningOp(values[0]);
  if (mlirOperationIsNull(first))
    return false;
  TgClass class = tgClassOfKind(tgKindOf(first));
  bool isLight = class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE;
  if ((!isLight && class != TG_CLASS_REDUCE && tgKindOf(first) != TG_dot) || mlirOperationGetNumOperands(first) == 0)
    return false;
  for (int64_t k = 0; k < count; ++k) {
    MlirOperation op = irDefiningOp(values[k]);
    if (mlirOperationIsNull(op) || !areAlike(first, op) || (!isLight && !irHasOneUse(values[k])))
      return false;
  }
  return true;
}

static MlirValue *operandsOf(const MlirValue *values, int64_t count, intptr_t number) {
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)count);
  for (int64_t k = 0; k < count; ++k)
    operands[k] = irOperand(irDefiningOp(values[k]), number);
  return operands;
}

static bool canVaryWithin(const MlirValue *values, int64_t count, int depth);

/// Whether the values are computed alike, from operands that vary.
static bool canRepeat(const MlirValue *values, int64_t count, int depth) {
  if (depth == 0 || !areComputedAlike(values, count))
    return false;
  bool can = true;
  for (intptr_t i = 0; can && i < mlirOperationGetNumOperands(irDefiningOp(values[0])); ++i) {
    MlirValue *operands = operandsOf(values, count, i);
    can = canVaryWithin(operands, count, depth - 1);
    free(operands);
  }
  return can;
}

static bool canVaryWithin(const MlirValue *values, int64_t count, int depth) {
  EqualSteps steps;
  bool canCopy = irTensorBytes(mlirValueGetType(values[0])) <= mostBytes && irShapeOf(values[0]).rank < IR_MAX_RANK;
  return canCopy || areOneValue(values, count) || areSteps(values, count, &steps) || canRepeat(values, count, depth);
}

bool canVary(const MlirValue *values, int64_t count) { return canVaryWithin(values, count, MOST_DEEP); }

//===----------------------------------------------------------------------===//
// In the body
//===----------------------------------------------------------------------===//

static MlirValue scalar(IrBuilder *b, int64_t value) {
  return tgSplatBits(b, mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeGet(b->context, 32), mlirAttributeGetNull()),
                     (uint64_t)value);
}

/// scale * number + offset.
static MlirValue blockNumber(Varying *varying, int64_t scale, int64_t offset) {
  IrBuilder *b = varying->body;
  if (scale == -1)
    return tgSub(b, scalar(b, offset), varying->number);
  MlirValue number = scale == 1 ? varying->number : tgMul(b, varying->number, scalar(b, scale));
  return offset == 0 ? number : tgAdd(b, number, scalar(b, offset));
}

static MlirValue dynamicSlice(Varying *varying, MlirValue tensor, IrShape starts, IrShape sizes, intptr_t dim,
                              MlirValue start) {
  IrBuilder *b = varying->body;
  MlirValue operands[IR_MAX_RANK + 1] = {tensor};
  for (intptr_t i = 0; i < sizes.rank; ++i)
    operands[1 + i] = i == dim ? start : scalar(b, starts.dims[i]);
  return irValueOf(b, "tg.dynamic_slice", (IrValues){sizes.rank + 1, operands},
                   tgWithShape(mlirValueGetType(tensor), sizes), IR_ATTRS(irDims(b, "sizes", sizes.rank, sizes.dims)));
}

/// The dimension is cut into blocks of the slices' size, of which there is one element in an iteration.
static MlirValue sliceOfSteps(Varying *varying, const MlirValue *values, const EqualSteps *steps) {
  MlirOperation first = irDefiningOp(values[0]);
  MlirValue tensor = irOperand(first, 0);
  IrShape shape = irShapeOf(tensor), starts = irGetDims(first, "starts"), sizes = irShapeOf(values[0]);
  IrShape blocks = {shape.rank + 1, {0}}, blockStarts = {shape.rank + 1, {0}}, blockSizes = {shape.rank + 1, {0}};
  for (intptr_t i = 0; i < shape.rank; ++i) {
    intptr_t place = i > steps->dim ? i + 1 : i;
    blocks.dims[place] = shape.dims[i];
    blockStarts.dims[place] = starts.dims[i];
    blockSizes.dims[place] = sizes.dims[i];
  }
  blocks.dims[steps->dim] = shape.dims[steps->dim] / steps->size;
  blocks.dims[steps->dim + 1] = blockSizes.dims[steps->dim + 1] = steps->size;
  blockSizes.dims[steps->dim] = 1;
  blockStarts.dims[steps->dim + 1] = 0;
  MlirValue number = blockNumber(varying, steps->scale, steps->offset);
  if (steps->size == 1)
    return dynamicSlice(varying, tensor, starts, sizes, steps->dim, number);
  tensor = tgReshape(varying->before, tensor, tgWithShape(mlirValueGetType(tensor), blocks));
  MlirValue slice = dynamicSlice(varying, tensor, blockStarts, blockSizes, steps->dim, number);
  return tgReshape(varying->body, slice, mlirValueGetType(values[0]));
}

static MlirValue valueWithin(Varying *varying, const MlirValue *values, int depth);

static MlirValue repeatedOperation(Varying *varying, const MlirValue *values, int depth) {
  MlirOperation op = mlirOperationClone(irDefiningOp(values[0]));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue *operands = operandsOf(values, varying->count, i);
    mlirOperationSetOperand(op, i, valueWithin(varying, operands, depth - 1));
    free(operands);
  }
  mlirBlockAppendOwnedOperation(varying->body->block, op);
  return irResult(op, 0);
}

/// All of them next to each other, in front of the loop.
static MlirValue sliceOfCopies(Varying *varying, const MlirValue *values) {
  MlirType type = mlirValueGetType(values[0]);
  IrShape shape = irTypeShape(type), part = {shape.rank + 1, {1}};
  for (intptr_t i = 0; i < shape.rank; ++i)
    part.dims[i + 1] = shape.dims[i];
  MlirValue *parts = irAllocate(sizeof(*parts) * (size_t)varying->count);
  for (int64_t k = 0; k < varying->count; ++k)
    parts[k] = tgReshape(varying->before, values[k], tgWithShape(type, part));
  MlirValue all = tgConcatenate(varying->before, (IrValues){varying->count, parts}, 0);
  free(parts);
  IrShape starts = {part.rank, {0}};
  return tgReshape(varying->body, dynamicSlice(varying, all, starts, part, 0, varying->number), type);
}

static MlirValue makeValue(Varying *varying, const MlirValue *values, int depth) {
  EqualSteps steps;
  if (areOneValue(values, varying->count))
    return values[0];
  if (areSteps(values, varying->count, &steps))
    return sliceOfSteps(varying, values, &steps);
  return canRepeat(values, varying->count, depth) ? repeatedOperation(varying, values, depth)
                                                  : sliceOfCopies(varying, values);
}

static MlirValue valueWithin(Varying *varying, const MlirValue *values, int depth) {
  for (int64_t i = 0; i < varying->numKnown; ++i) {
    int64_t equal = 0;
    while (equal < varying->count && mlirValueEqual(varying->known[i].values[equal], values[equal]))
      ++equal;
    if (equal == varying->count)
      return varying->known[i].value;
  }
  MlirValue *copy = irAllocate(sizeof(*copy) * (size_t)varying->count);
  for (int64_t k = 0; k < varying->count; ++k)
    copy[k] = values[k];
  MlirValue value = makeValue(varying, values, depth);
  IR_RESERVE_ONE(varying->known, varying->numKnown, varying->capacity);
  varying->known[varying->numKnown].values = copy;
  varying->known[varying->numKnown++].value = value;
  return value;
}

MlirValue valueOfIteration(Varying *varying, const MlirValue *values) {
  return valueWithin(varying, values, MOST_DEEP);
}

void varyingDestroy(Varying *varying) {
  for (int64_t i = 0; i < varying->numKnown; ++i)
    free(varying->known[i].values);
  free(varying->known);
}
