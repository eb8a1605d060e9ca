//===- bounds.c - tg-infer-bounds: arithmetic of bounds --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes bounds of values: a first index, a count and a stride for each dimension. Leaves their unions, and those of the
// operand of a slice or a reshape.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_infer_bounds/bounds.h"

IndexBounds boundsOfAll(IrShape shape) {
  IndexBounds all = {.rank = shape.rank};
  for (intptr_t d = 0; d < shape.rank; ++d)
    boundsTakeAll(&all, d, shape);
  return all;
}

void boundsTakeAll(IndexBounds *bounds, intptr_t dim, IrShape shape) {
  bounds->start[dim] = 0;
  bounds->count[dim] = shape.dims[dim];
  bounds->stride[dim] = 1;
  bounds->selection[dim] = 0;
}

void boundsCopy(IndexBounds *to, intptr_t dim, const IndexBounds *bounds, intptr_t from) {
  to->start[dim] = bounds->start[from];
  to->count[dim] = bounds->count[from];
  to->stride[dim] = bounds->stride[from];
  to->selection[dim] = bounds->selection[from];
}

bool boundsAreEqual(const IndexBounds *a, const IndexBounds *b) {
  bool areEqual = a->rank == b->rank;
  for (intptr_t d = 0; areEqual && d < a->rank; ++d)
    areEqual = a->start[d] == b->start[d] && a->count[d] == b->count[d] && a->stride[d] == b->stride[d] &&
               a->selection[d] == b->selection[d];
  return areEqual;
}

bool boundsAreAll(const IndexBounds *bounds, IrShape shape) {
  IndexBounds all = boundsOfAll(shape);
  return boundsAreEqual(bounds, &all);
}

IrShape boundsShape(const IndexBounds *bounds) {
  IrShape shape = {.rank = bounds->rank};
  for (intptr_t d = 0; d < bounds->rank; ++d)
    shape.dims[d] = bounds->count[d];
  return shape;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static int64_t lastOf(const IndexBounds *bounds, intptr_t d) {
  return bounds->start[d] + (bounds->count[d] - 1) * bounds->stride[d];
}

void boundsUnite(IndexBounds *bounds, const IndexBounds *other, IrShape shape) {
  for (intptr_t d = 0; d < bounds->rank; ++d) {
    if (bounds->selection[d] != other->selection[d])
      boundsTakeAll(bounds, d, shape);
    if (bounds->selection[d] || other->selection[d])
      continue;
    int64_t last = lastOf(bounds, d) > lastOf(other, d) ? lastOf(bounds, d) : lastOf(other, d);
    int64_t first = bounds->start[d] < other->start[d] ? bounds->start[d] : other->start[d];
    int64_t stride = gcd(bounds->start[d] - other->start[d], bounds->count[d] > 1 ? bounds->stride[d] : 0);
    stride = gcd(stride, other->count[d] > 1 ? other->stride[d] : 0);
    bounds->stride[d] = stride > 0 ? stride : 1;
    bounds->start[d] = first;
    bounds->count[d] = (last - first) / bounds->stride[d] + 1;
  }
}

IndexBounds boundsOfSliced(const IndexBounds *bounds, MlirOperation slice) {
  IrShape starts = irGetDims(slice, "starts"), strides = irGetDims(slice, "strides");
  IndexBounds operand = *bounds;
  for (intptr_t d = 0; d < bounds->rank; ++d) {
    operand.start[d] = starts.dims[d] + bounds->start[d] * strides.dims[d];
    operand.stride[d] = bounds->count[d] > 1 ? bounds->stride[d] * strides.dims[d] : 1;
  }
  return operand;
}

IndexBounds boundsWithin(const IndexBounds *inner, const IndexBounds *outer) {
  IndexBounds within = *inner;
  for (intptr_t d = 0; d < inner->rank; ++d) {
    if (inner->selection[d] == outer->selection[d])
      within.selection[d] = 0;
    within.start[d] = (inner->start[d] - outer->start[d]) / outer->stride[d];
    within.stride[d] = inner->count[d] > 1 ? inner->stride[d] / outer->stride[d] : 1;
  }
  return within;
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Dimensions [first, end) of the two shapes of a reshape: as few as have equally many elements.
typedef struct {
  intptr_t resultFirst, resultEnd, operandFirst, operandEnd;
} ReshapeGroup;

/// Elements of dimensions in row-major order.
typedef struct {
  int64_t start, count, stride;
} Range;

/// Positions in row-major order of the elements within bounds of some dimensions; false if they have no common stride.
static bool rangeOf(const IndexBounds *bounds, IrShape shape, intptr_t first, intptr_t end, Range *range) {
  *range = (Range){0, 1, 1};
  int64_t step = 1;
  for (intptr_t d = first; d < end; ++d)
    if (bounds->selection[d])
      return false;
  for (intptr_t d = end; d-- > first; step *= shape.dims[d]) {
    range->start += bounds->start[d] * step;
    if (bounds->count[d] == 1)
      continue;
    int64_t stride = bounds->stride[d] * step;
    if (range->count == 1)
      range->stride = stride;
    else if (stride != range->count * range->stride)
      return false;
    range->count *= bounds->count[d];
  }
  return true;
}

/// The bounds of dimensions [first, end) that hold a range, which grows to all of their elements.
static void unfold(Range *range, IndexBounds *bounds, IrShape shape, intptr_t first, intptr_t end) {
  int64_t inner = 1, base = 0;
  for (intptr_t d = first; d < end; ++d)
    inner *= shape.dims[d];
  Range rest = *range;
  for (intptr_t d = first; d < end; ++d) {
    inner /= shape.dims[d];
    int64_t low = rest.start / inner, high = (rest.start + (rest.count - 1) * rest.stride) / inner;
    bounds->start[d] = low;
    bounds->count[d] = high - low + 1;
    bounds->stride[d] = 1;
    if (high == low) { // the range is within one index of this dimension
      rest.start -= low * inner;
      base += low * inner;
      continue;
    }
    bool isStrided = rest.stride % inner == 0; // one element at each of its indices
    if (isStrided) {
      bounds->count[d] = rest.count;
      bounds->stride[d] = rest.stride / inner;
    }
    int64_t within = isStrided ? rest.start % inner : 0;
    *range = isStrided ? *range : (Range){base + low * inner, (high - low + 1) * inner, 1};
    for (intptr_t k = d + 1, left = inner; k < end; ++k) {
      left /= shape.dims[k];
      boundsTakeAll(bounds, k, shape);
      if (isStrided) {
        bounds->start[k] = within / left % shape.dims[k];
        bounds->count[k] = 1;
      }
    }
    return;
  }
}

/// The only dimension of [first, end) that has more than one element, or -1.
static intptr_t onlyLong(IrShape shape, intptr_t first, intptr_t end) {
  intptr_t found = -1;
  for (intptr_t d = first; d < end; ++d)
    if (shape.dims[d] > 1)
      found = found < 0 ? d : end;
  return found < end ? found : -1;
}

static void mapGroup(const ReshapeGroup *g, IndexBounds *result, IrShape resultShape, IndexBounds *operand,
                     IrShape operandShape) {
  intptr_t from = onlyLong(resultShape, g->resultFirst, g->resultEnd);
  intptr_t to = onlyLong(operandShape, g->operandFirst, g->operandEnd);
  if (from >= 0 && to >= 0) {
    boundsCopy(operand, to, result, from);
    return;
  }
  Range range, grown;
  bool hasRange = rangeOf(result, resultShape, g->resultFirst, g->resultEnd, &range);
  grown = range;
  if (hasRange)
    unfold(&grown, operand, operandShape, g->operandFirst, g->operandEnd);
  bool hasGrown = hasRange && (grown.count != range.count || grown.start != range.start);
  if (hasGrown && g->resultEnd - g->resultFirst == 1) {
    result->start[g->resultFirst] = grown.start;
    result->count[g->resultFirst] = grown.count;
    result->stride[g->resultFirst] = 1;
  } else if (!hasRange || hasGrown) {
    for (intptr_t d = g->resultFirst; d < g->resultEnd; ++d)
      boundsTakeAll(result, d, resultShape);
    for (intptr_t d = g->operandFirst; d < g->operandEnd; ++d)
      boundsTakeAll(operand, d, operandShape);
  }
}

/// The group that begins at g->resultFirst and g->operandFirst. The last one has the rest.
static void findEnd(ReshapeGroup *g, IrShape result, IrShape operand) {
  int64_t ofResult = 1, ofOperand = 1;
  g->resultEnd = g->resultFirst;
  g->operandEnd = g->operandFirst;
  do {
    bool takesResult = g->operandEnd == operand.rank || (g->resultEnd < result.rank && ofResult <= ofOperand);
    if (takesResult)
      ofResult *= result.dims[g->resultEnd++];
    else
      ofOperand *= operand.dims[g->operandEnd++];
  } while (ofResult != ofOperand);
  while (g->resultEnd < result.rank && result.dims[g->resultEnd] == 1)
    ++g->resultEnd;
  while (g->operandEnd < operand.rank && operand.dims[g->operandEnd] == 1)
    ++g->operandEnd;
}

IndexBounds boundsOfReshaped(IndexBounds *bounds, IrShape result, IrShape operand) {
  IndexBounds mapped = boundsOfAll(operand);
  for (ReshapeGroup g = {0}; g.resultFirst < result.rank || g.operandFirst < operand.rank;
       g.resultFirst = g.resultEnd, g.operandFirst = g.operandEnd) {
    findEnd(&g, result, operand);
    mapGroup(&g, bounds, result, &mapped, operand);
  }
  return mapped;
}
