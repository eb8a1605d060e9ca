//===- iterations.c - slices of a counted loop's iterations ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a counted loop. Leaves its iteration number, the slices of inputs that iteration k reads, and the stacks that
// it writes.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_distribute_loops/iterations.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "passes/common/loops.h"

#include <stdlib.h>

bool isOutside(MlirOperation loop, MlirValue value) {
  MlirBlock body = irBody(loop, 1);
  if (mlirValueIsABlockArgument(value))
    return !mlirBlockEqual(mlirBlockArgumentGetOwner(value), body);
  return !mlirBlockEqual(mlirOperationGetBlock(irDefiningOp(value)), body);
}

//===----------------------------------------------------------------------===//
// Numbers of iterations
//===----------------------------------------------------------------------===//

/// Whether no iteration leaves [lowest, highest].
static bool staysWithin(IterationIndex index, int64_t count, int64_t lowest, int64_t highest) {
  __int128 first = index.offset, last = (__int128)index.scale * (count - 1) + index.offset;
  return first >= lowest && first <= highest && last >= lowest && last <= highest;
}

static bool combineIndices(TgKind kind, IterationIndex a, IterationIndex b, IterationIndex *result) {
  int64_t factor = a.scale == 0 ? a.offset : b.offset;
  IterationIndex other = a.scale == 0 ? b : a;
  switch (kind) {
  case TG_add:
    return !__builtin_add_overflow(a.scale, b.scale, &result->scale) &&
           !__builtin_add_overflow(a.offset, b.offset, &result->offset);
  case TG_sub:
    return !__builtin_sub_overflow(a.scale, b.scale, &result->scale) &&
           !__builtin_sub_overflow(a.offset, b.offset, &result->offset);
  case TG_mul:
    return (a.scale == 0 || b.scale == 0) && !__builtin_mul_overflow(other.scale, factor, &result->scale) &&
           !__builtin_mul_overflow(other.offset, factor, &result->offset);
  default:
    return false;
  }
}

/// A carried value that starts at a constant and to which each iteration adds one, or takes one away.
static bool findCounterIndex(MlirOperation loop, MlirValue argument, IterationIndex *index) {
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  MlirOperation next = irDefiningOp(irOperand(mlirBlockGetTerminator(irBody(loop, 1)), number));
  TgKind kind = mlirOperationIsNull(next) ? TG_NONE : tgKindOf(next);
  if ((kind != TG_add && kind != TG_sub) || !tgIntegerScalar(irOperand(loop, number), &index->offset))
    return false;
  bool isFirst = mlirValueEqual(irOperand(next, 0), argument);
  if (!isFirst && (kind == TG_sub || !mlirValueEqual(irOperand(next, 1), argument)))
    return false;
  if (!tgIntegerScalar(irOperand(next, isFirst ? 1 : 0), &index->scale) || index->scale == INT64_MIN)
    return false;
  index->scale = kind == TG_sub ? -index->scale : index->scale;
  return true;
}

/// Deeper than frameworks compute starts.
enum { MOST_DEEP = 8 };

static bool findIndexWithin(MlirOperation loop, MlirValue value, int depth, IterationIndex *index) {
  *index = (IterationIndex){0};
  MlirType type = irElementTypeOf(value);
  if (!irIsInteger(type) || irIsBool(type) || irShapeOf(value).rank != 0)
    return false;
  if (tgIntegerScalar(value, &index->offset))
    return true;
  if (depth == 0 || isOutside(loop, value))
    return false;
  if (mlirValueIsABlockArgument(value)) {
    if (!findCounterIndex(loop, value, index))
      return false;
  } else {
    MlirOperation op = irDefiningOp(value);
    IterationIndex a, b;
    if (mlirOperationGetNumOperands(op) != 2 || !findIndexWithin(loop, irOperand(op, 0), depth - 1, &a) ||
        !findIndexWithin(loop, irOperand(op, 1), depth - 1, &b) || !combineIndices(tgKindOf(op), a, b, index))
      return false;
  }
  int64_t lowest, highest;
  irIntegerRange(type, &lowest, &highest);
  return staysWithin(*index, tripCountOf(loop), lowest, highest);
}

bool findIterationIndex(MlirOperation loop, MlirValue value, IterationIndex *index) {
  return findIndexWithin(loop, value, MOST_DEEP, index);
}

static bool isCounter(MlirOperation loop, MlirValue argument, IterationIndex *index) {
  return findIterationIndex(loop, argument, index) && (index->scale == 1 || index->scale == -1);
}

static intptr_t findCounter(MlirOperation loop, IterationIndex *index) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i)
    if (isCounter(loop, mlirBlockGetArgument(irBody(loop, 1), i), index))
      return i;
  return -1;
}

bool hasCounter(MlirOperation loop) {
  IterationIndex index;
  return findCounter(loop, &index) >= 0;
}

MlirValue iterationNumber(MlirOperation loop, IrBuilder *b, bool inReverse) {
  IterationIndex index;
  MlirValue counter = mlirBlockGetArgument(irBody(loop, 1), findCounter(loop, &index));
  IterationIndex wanted = {inReverse ? -1 : 1, inReverse ? tripCountOf(loop) - 1 : 0};
  MlirType type = mlirValueGetType(counter);
  if (wanted.scale != index.scale)
    return tgSub(b, tgSplatBits(b, type, (uint64_t)(wanted.offset + index.offset)), counter);
  if (wanted.offset == index.offset)
    return counter;
  return tgSub(b, counter, tgSplatBits(b, type, (uint64_t)(index.offset - wanted.offset)));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Whether slices of shape `sizes`, which begin at the operands of `op` from `firstStart` on, are the iterations' own.
static bool areOwnSlices(MlirOperation loop, MlirOperation op, intptr_t firstStart, IrShape sizes, Slices *slices) {
  IrShape shape = irShapeOf(slices->tensor);
  int64_t count = tripCountOf(loop);
  slices->dim = -1;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    IterationIndex index;
    if (sizes.dims[i] == shape.dims[i])
      continue; // all of it: the start is clamped to 0
    if (slices->dim >= 0 || sizes.dims[i] != 1 || !findIterationIndex(loop, irOperand(op, firstStart + i), &index) ||
        (index.scale != 1 && index.scale != -1) || !staysWithin(index, count, 0, shape.dims[i] - 1))
      return false;
    slices->dim = i;
    slices->index = index;
  }
  return slices->dim >= 0;
}

bool findSlices(MlirOperation loop, MlirOperation op, Slices *slices) {
  if (tgKindOf(op) != TG_dynamic_slice || !isOutside(loop, irOperand(op, 0)))
    return false;
  slices->tensor = irOperand(op, 0);
  return areOwnSlices(loop, op, 1, irGetDims(op, "sizes"), slices);
}

bool findStack(MlirOperation loop, MlirOperation op, Slices *stack) {
  if (tgKindOf(op) != TG_dynamic_update_slice || isOutside(loop, irOperand(op, 0)) ||
      !mlirValueIsABlockArgument(irOperand(op, 0)))
    return false;
  MlirValue argument = irOperand(op, 0);
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  MlirValue next = irOperand(mlirBlockGetTerminator(irBody(loop, 1)), number);
  if (!mlirValueEqual(next, irResult(op, 0)) || !irHasOneUse(argument) || !irHasOneUse(next))
    return false;
  stack->tensor = irResult(loop, number);
  return areOwnSlices(loop, op, 2, irShapeOf(irOperand(op, 1)), stack);
}
