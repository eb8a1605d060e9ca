//===- derived.c - sizes of several symbols, and arguments for symbols ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product or the sum of two open sizes is a symbol of its own, derived from theirs: the runtime knows its value.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/refine.h"

#include "ir/mlir/function.h"
#include "ir/mlir/symbol.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Arguments with the values of symbols
//===----------------------------------------------------------------------===//

MlirAttribute refineSizesAttr(Refiner *r, const RefineShape *shape) {
  IrSize sizes[IR_MAX_RANK];
  for (intptr_t i = 0; i < shape->rank; ++i) {
    RefineSize size = shape->dims[i];
    bool isConstant = refineIsConstant(size);
    sizes[i] = (IrSize){isConstant ? mlirAttributeGetNull() : irStringAttr(r->context, r->symbols[size.symbol].name),
                        size.factor, size.offset};
  }
  return irSizesAttr(r->context, shape->rank, sizes);
}

MlirAttribute refineAddArgument(Refiner *r, MlirBlock block, MlirLocation loc, int symbol) {
  RefineSymbol *s = &r->symbols[symbol];
  MlirType type = mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeGet(r->context, 32), mlirAttributeGetNull());
  MlirLocation named = mlirLocationNameGet(r->context, mlirStringRefCreateFromCString(s->name), loc);
  s->value = mlirBlockAddArgument(block, type, named);
  refineSetValue(r, s->value, 1, &(RefineSize){symbol, 1, 0});
  IrSymbol declared = {.name = irStringAttr(r->context, s->name), .low = s->low, .high = s->high};
  declared.derivation = s->terms ? refineSizesAttr(r, s->terms) : mlirAttributeGetNull();
  declared.isSum = s->isSum;
  MlirNamedAttribute attribute = irSymbolAttribute(r->context, &declared);
  return mlirDictionaryAttrGet(r->context, 1, &attribute);
}

/// The smallest and the largest product or sum; false if there is one that is no size of 32 bits.
static bool derivedRange(const Refiner *r, const RefineShape *terms, bool isSum, int64_t *low, int64_t *high) {
  *low = *high = isSum ? 0 : 1;
  for (intptr_t i = 0; i < terms->rank; ++i) {
    int64_t least, most;
    if (!refineRange(r, terms->dims[i], &least, &most))
      return false;
    if (isSum ? __builtin_add_overflow(*high, most, high) || __builtin_add_overflow(*low, least, low)
              : __builtin_mul_overflow(*high, most, high) || __builtin_mul_overflow(*low, least, low))
      return false;
    if (*high > INT32_MAX)
      return false;
  }
  return !isSum || *low >= 1;
}

/// Such as "t x s", or "t + s".
static const char *derivedName(Refiner *r, const RefineShape *terms, bool isSum) {
  char *text = irArenaAllocate(&r->arena, strlen(refineShapeText(r, terms)) + 1);
  strcpy(text, refineShapeText(r, terms));
  for (char *at = text; isSum && (at = strstr(at, " x ")); ++at)
    at[1] = '+';
  return text;
}

int refineDerivedSymbol(Refiner *r, const RefineShape *terms, bool isSum) {
  for (int s = 0; s < r->numSymbols; ++s)
    if (r->symbols[s].terms && r->symbols[s].isSum == isSum && refineEqualShapes(r->symbols[s].terms, terms))
      return s;
  RefineSymbol symbol = {.isSum = isSum};
  if (r->numSymbols == r->symbolCapacity || !derivedRange(r, terms, isSum, &symbol.low, &symbol.high))
    return -1;
  RefineShape *kept = IR_NEW(&r->arena, RefineShape);
  *kept = *terms;
  symbol.name = derivedName(r, terms, isSum);
  symbol.terms = kept;
  int index = r->numSymbols++;
  r->symbols[index] = symbol;
  MlirBlock block = irBody(r->main, 0);
  intptr_t before = mlirBlockGetNumArguments(block);
  MlirAttribute attributes = refineAddArgument(r, block, mlirOperationGetLocation(r->main), index);
  irAppendBorderAttrs(r->main, "arg_attrs", before, 1, &attributes);
  return index;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

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

/// Adds the variable part of a size to the terms of a sum; false if there is no room, or it is a product.
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
