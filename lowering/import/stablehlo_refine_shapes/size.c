//===- size.c - arithmetic on sizes --------------------------------------===//
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

/// The symbols whose product `size` is a multiple of; false if it is not such a product.
static bool factorsOf(const Refiner *r, RefineSize size, RefineShape *symbols) {
  symbols->rank = 0;
  if (refineIsConstant(size))
    return true;
  const RefineSymbol *symbol = &r->symbols[size.symbol];
  if (!symbol->terms)
    symbols->dims[symbols->rank++] = (RefineSize){size.symbol, 1, 0};
  for (intptr_t i = 0; symbol->terms && i < symbol->terms->rank; ++i)
    symbols->dims[symbols->rank++] = symbol->terms->dims[i];
  bool isPure = size.offset == 0 && !symbol->isSum;
  for (intptr_t i = 0; i < symbols->rank; ++i)
    isPure = isPure && symbols->dims[i].factor == 1 && symbols->dims[i].offset == 0 &&
             !r->symbols[symbols->dims[i].symbol].terms;
  return isPure;
}

static void sortBySymbol(RefineShape *terms) {
  for (intptr_t i = 1; i < terms->rank; ++i) // by insertion: there are few
    for (intptr_t k = i; k > 0 && terms->dims[k - 1].symbol > terms->dims[k].symbol; --k) {
      RefineSize moved = terms->dims[k];
      terms->dims[k] = terms->dims[k - 1];
      terms->dims[k - 1] = moved;
    }
}

/// `factor` times the product of symbols.
static bool makeProduct(Refiner *r, int64_t factor, RefineShape *symbols, RefineSize *result) {
  sortBySymbol(symbols);
  int symbol = symbols->rank == 0   ? 0
               : symbols->rank == 1 ? symbols->dims[0].symbol
                                    : refineDerivedSymbol(r, symbols, false);
  *result = symbols->rank == 0 ? refineConstant(factor) : (RefineSize){symbol, factor, 0};
  return symbol >= 0;
}

bool refineProduct(Refiner *r, RefineSize a, RefineSize b, RefineSize *result) {
  if (refineMul(a, b, result))
    return true;
  RefineShape symbols, more;
  int64_t factor;
  if (!r->pads || !factorsOf(r, a, &symbols) || !factorsOf(r, b, &more) || symbols.rank + more.rank > IR_MAX_RANK ||
      __builtin_mul_overflow(a.factor, b.factor, &factor))
    return false;
  for (intptr_t i = 0; i < more.rank; ++i)
    symbols.dims[symbols.rank++] = more.dims[i];
  return makeProduct(r, factor, &symbols, result);
}

/// Adds what is not constant of a size to the terms of a sum; false if there is no room, or it is a product.
static bool addTerms(const Refiner *r, RefineSize size, RefineShape *terms) {
  if (refineIsConstant(size))
    return true;
  const RefineSymbol *symbol = &r->symbols[size.symbol];
  RefineShape own = {1, {{size.symbol, size.factor, 0}}};
  if (symbol->terms && !symbol->isSum)
    return false;
  if (symbol->terms)
    own = *symbol->terms;
  for (intptr_t i = 0; i < own.rank; ++i) {
    RefineSize term = own.dims[i];
    if (symbol->terms && !refineMul(term, refineConstant(size.factor), &term))
      return false;
    intptr_t k = 0;
    while (k < terms->rank && terms->dims[k].symbol != term.symbol)
      ++k;
    if (k == IR_MAX_RANK)
      return false;
    if (k == terms->rank)
      terms->dims[terms->rank++] = (RefineSize){term.symbol, 0, 0};
    terms->dims[k].factor += term.factor;
  }
  return true;
}

bool refineSum(Refiner *r, RefineSize a, RefineSize b, RefineSize *result) {
  if (refineAdd(a, b, result))
    return true;
  RefineShape terms = {0}, rest = {0};
  int64_t offset;
  if (!r->pads || !addTerms(r, a, &terms) || !addTerms(r, b, &terms) ||
      __builtin_add_overflow(a.offset, b.offset, &offset))
    return false;
  for (intptr_t i = 0; i < terms.rank; ++i)
    if (terms.dims[i].factor)
      rest.dims[rest.rank++] = terms.dims[i];
  sortBySymbol(&rest);
  int symbol = rest.rank > 1 ? refineDerivedSymbol(r, &rest, true) : 0;
  *result = rest.rank == 0   ? refineConstant(offset)
            : rest.rank == 1 ? (RefineSize){rest.dims[0].symbol, rest.dims[0].factor, offset}
                             : (RefineSize){symbol, 1, offset};
  return symbol >= 0;
}

bool refineLess(Refiner *r, RefineSize a, RefineSize b, RefineSize *result) {
  RefineSize negative;
  return refineMul(b, refineConstant(-1), &negative) && refineSum(r, a, negative, result);
}

/// Takes one `symbol` out of a product.
static bool removeFactor(RefineShape *symbols, int symbol) {
  for (intptr_t i = 0; i < symbols->rank; ++i)
    if (symbols->dims[i].symbol == symbol) {
      for (intptr_t k = i + 1; k < symbols->rank; ++k)
        symbols->dims[k - 1] = symbols->dims[k];
      --symbols->rank;
      return true;
    }
  return false;
}

bool refineQuotient(Refiner *r, RefineSize a, RefineSize b, RefineSize *result) {
  if (refineIsConstant(b))
    return b.offset != 0 && a.factor % b.offset == 0 && a.offset % b.offset == 0 && refineDiv(a, b, result);
  if (a.factor % b.factor != 0)
    return false;
  int64_t times = a.factor / b.factor;
  if (times && a.symbol == b.symbol) {
    *result = refineConstant(times);
    return a.offset == times * b.offset;
  }
  RefineShape symbols, removed;
  if (!times || !factorsOf(r, a, &symbols) || !factorsOf(r, b, &removed))
    return false;
  for (intptr_t i = 0; i < removed.rank; ++i)
    if (!removeFactor(&symbols, removed.dims[i].symbol))
      return false;
  return makeProduct(r, times, &symbols, result);
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
