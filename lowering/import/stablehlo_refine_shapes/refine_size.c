//===- refine_size.c - arithmetic on sizes --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact where the result is a multiple of one symbol plus a constant; everything else is not known.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/refine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool refineEqual(RefineSize a, RefineSize b) {
  return a.factor == b.factor && a.offset == b.offset && (a.factor == 0 || a.symbol == b.symbol);
}

bool refineAdd(RefineSize a, RefineSize b, RefineSize *result) {
  if (a.factor && b.factor && a.symbol != b.symbol)
    return false;
  result->symbol = a.factor ? a.symbol : b.symbol;
  return !__builtin_add_overflow(a.factor, b.factor, &result->factor) &&
         !__builtin_add_overflow(a.offset, b.offset, &result->offset);
}

bool refineMul(RefineSize a, RefineSize b, RefineSize *result) {
  if (a.factor && b.factor)
    return false;
  RefineSize size = a.factor ? a : b;
  int64_t times = a.factor ? b.offset : a.offset;
  result->symbol = size.symbol;
  return !__builtin_mul_overflow(size.factor, times, &result->factor) &&
         !__builtin_mul_overflow(size.offset, times, &result->offset);
}

bool refineSub(RefineSize a, RefineSize b, RefineSize *result) {
  RefineSize negative;
  return refineMul(b, refineConstant(-1), &negative) && refineAdd(a, negative, result);
}

static bool canDivide(RefineSize a, RefineSize b) {
  bool overflows = a.offset == INT64_MIN && b.offset == -1;
  return refineIsConstant(b) && b.offset != 0 && !overflows && a.factor != INT64_MIN;
}

bool refineDiv(RefineSize a, RefineSize b, RefineSize *result) {
  if (!canDivide(a, b))
    return false;
  bool isExact = a.factor % b.offset == 0 && a.offset % b.offset == 0;
  *result = (RefineSize){a.symbol, a.factor / b.offset, a.offset / b.offset};
  return isExact || refineIsConstant(a);
}

bool refineRem(RefineSize a, RefineSize b, RefineSize *result) {
  if (!canDivide(a, b))
    return false;
  bool isExact = a.factor % b.offset == 0 && a.offset % b.offset == 0;
  *result = refineConstant(isExact ? 0 : a.offset % b.offset);
  return isExact || refineIsConstant(a);
}

static bool valueAt(RefineSize size, int64_t symbol, int64_t *value) {
  int64_t product;
  return !__builtin_mul_overflow(size.factor, symbol, &product) && !__builtin_add_overflow(product, size.offset, value);
}

bool refineRange(const Refiner *r, RefineSize size, int64_t *low, int64_t *high) {
  *low = *high = size.offset;
  if (refineIsConstant(size))
    return true;
  RefineSymbol symbol = r->symbols[size.symbol];
  bool rises = size.factor > 0;
  return valueAt(size, rises ? symbol.low : symbol.high, low) && valueAt(size, rises ? symbol.high : symbol.low, high);
}

bool refineDifference(const Refiner *r, RefineSize a, RefineSize b, int64_t *low, int64_t *high) {
  RefineSize difference;
  return refineSub(a, b, &difference) && refineRange(r, difference, low, high);
}

const char *refineSizeText(Refiner *r, RefineSize size) {
  char text[160];
  if (refineIsConstant(size))
    snprintf(text, sizeof(text), "%" PRId64, size.offset);
  else if (size.offset == 0 && size.factor == 1)
    snprintf(text, sizeof(text), "%s", r->symbols[size.symbol].name);
  else if (size.offset == 0)
    snprintf(text, sizeof(text), "%" PRId64 " * %s", size.factor, r->symbols[size.symbol].name);
  else
    snprintf(text, sizeof(text), "%" PRId64 " * %s %c %" PRIu64, size.factor, r->symbols[size.symbol].name,
             size.offset < 0 ? '-' : '+', size.offset < 0 ? -(uint64_t)size.offset : (uint64_t)size.offset);
  char *copy = irArenaAllocate(&r->arena, sizeof(text));
  snprintf(copy, sizeof(text), "%s", text);
  return copy;
}

const char *refineShapeText(Refiner *r, const RefineShape *shape) {
  size_t length = 1;
  for (intptr_t i = 0; i < shape->rank; ++i)
    length += strlen(refineSizeText(r, shape->dims[i])) + strlen(" x ");
  char *text = irArenaAllocate(&r->arena, length), *end = text;
  for (intptr_t i = 0; i < shape->rank; ++i)
    end += sprintf(end, "%s%s", i ? " x " : "", refineSizeText(r, shape->dims[i]));
  return text;
}
