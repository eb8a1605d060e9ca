//===- index_expr.c - symbolic element indices ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds expressions in normal form and interns them in a hash table. Simplifications use value ranges and
// divisibility: floor and mod of sums are split at a unit below which terms cannot matter.
//
//===----------------------------------------------------------------------===//

#include "ir/index/index_expr.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"

#include <stdlib.h>
#include <string.h>

struct IndexContext {
  IrArena arena;
  int64_t numAtoms;
  int32_t numExprs;
  // Open-addressing tables of interned expressions and DIV/MOD atoms.
  const IndexExpr **exprs;
  size_t exprCapacity;
  const IndexAtom **atoms;
  size_t atomCapacity;
  size_t internedAtoms;
};

// Ranges saturate here: far above any index, far below overflow when two are added.
static const int64_t LIMIT = INT64_C(1) << 60;

static int64_t saturate(__int128 value) {
  if (value > LIMIT)
    return LIMIT;
  if (value < -LIMIT)
    return -LIMIT;
  return (int64_t)value;
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - (a % b < 0);
}

//===----------------------------------------------------------------------===//
// Interning
//===----------------------------------------------------------------------===//

IndexContext *indexContextCreate(void) { return irAllocateZeroed(1, sizeof(IndexContext)); }

void indexContextDestroy(IndexContext *context) {
  irArenaDestroy(&context->arena);
  free(context->exprs);
  free(context->atoms);
  free(context);
}

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29); }

static uint64_t hashExpr(int64_t constant, const IndexTerm *terms, int32_t numTerms) {
  uint64_t hash = mix(17, (uint64_t)constant);
  for (int32_t i = 0; i < numTerms; ++i)
    hash = mix(mix(hash, (uint64_t)terms[i].coefficient), (uint64_t)terms[i].atom->id);
  return hash;
}

static bool sameExpr(const IndexExpr *a, int64_t constant, const IndexTerm *terms, int32_t numTerms) {
  return a->constant == constant && a->numTerms == numTerms &&
         (numTerms == 0 || memcmp(a->terms, terms, sizeof(IndexTerm) * (size_t)numTerms) == 0);
}

static size_t exprSlot(IndexContext *context, int64_t constant, const IndexTerm *terms, int32_t numTerms) {
  size_t slot = (size_t)(hashExpr(constant, terms, numTerms) >> 20) & (context->exprCapacity - 1);
  while (context->exprs[slot] && !sameExpr(context->exprs[slot], constant, terms, numTerms))
    slot = (slot + 1) & (context->exprCapacity - 1);
  return slot;
}

static void growExprs(IndexContext *context) {
  const IndexExpr **old = context->exprs;
  size_t oldCapacity = context->exprCapacity;
  context->exprCapacity = oldCapacity ? 2 * oldCapacity : 256;
  context->exprs = irAllocateZeroed(context->exprCapacity, sizeof(*context->exprs));
  for (size_t i = 0; i < oldCapacity; ++i)
    if (old[i])
      context->exprs[exprSlot(context, old[i]->constant, old[i]->terms, old[i]->numTerms)] = old[i];
  free(old);
}

static const IndexVariables noVariables = {0};

/// Those of `a` and of `b`; one of both if it has all.
static const IndexVariables *unionOf(IndexContext *context, const IndexVariables *a, const IndexVariables *b) {
  if (a == b || b->count == 0)
    return a;
  if (a->count == 0)
    return b;
  size_t most = (size_t)a->count + (size_t)b->count;
  IndexVariables *both = irArenaAllocate(&context->arena, sizeof(IndexVariables) + most * sizeof(int64_t));
  for (int32_t i = 0, j = 0; i < a->count || j < b->count;) {
    bool isOfA = j == b->count || (i < a->count && a->ids[i] <= b->ids[j]);
    int64_t id = isOfA ? a->ids[i] : b->ids[j];
    i += i < a->count && a->ids[i] == id;
    j += j < b->count && b->ids[j] == id;
    both->ids[both->count++] = id;
  }
  return both->count == a->count ? a : both->count == b->count ? b : both;
}

static const IndexVariables *variablesOf(IndexContext *context, const IndexTerm *terms, int32_t numTerms) {
  const IndexVariables *variables = &noVariables;
  for (int32_t i = 0; i < numTerms; ++i) {
    const IndexAtom *atom = terms[i].atom;
    const IndexVariables *of = atom->inner ? atom->inner->variables : NULL;
    if (!of) {
      IndexVariables *itself = irArenaAllocate(&context->arena, sizeof(IndexVariables) + sizeof(int64_t));
      itself->count = 1;
      itself->ids[0] = atom->id;
      of = itself;
    }
    variables = unionOf(context, variables, of);
  }
  return variables;
}

/// Interns a sum whose terms are sorted, merged and not zero.
static const IndexExpr *internExpr(IndexContext *context, int64_t constant, const IndexTerm *terms, int32_t numTerms) {
  if (2 * (size_t)context->numExprs >= context->exprCapacity)
    growExprs(context);
  size_t slot = exprSlot(context, constant, terms, numTerms);
  if (context->exprs[slot])
    return context->exprs[slot];
  IndexExpr *expr = IR_NEW(&context->arena, IndexExpr);
  IndexTerm *copy = IR_NEW_ARRAY(&context->arena, IndexTerm, numTerms ? numTerms : 1);
  __int128 min = constant, max = constant;
  for (int32_t i = 0; i < numTerms; ++i) {
    copy[i] = terms[i];
    __int128 c = terms[i].coefficient;
    min += c * (c > 0 ? terms[i].atom->min : terms[i].atom->max);
    max += c * (c > 0 ? terms[i].atom->max : terms[i].atom->min);
  }
  *expr = (IndexExpr){constant,
                      saturate(min),
                      saturate(max),
                      context->numExprs++,
                      numTerms,
                      copy,
                      variablesOf(context, terms, numTerms)};
  context->exprs[slot] = expr;
  return expr;
}

static size_t atomSlot(IndexContext *context, IndexAtomKind kind, const IndexExpr *inner, int64_t divisor) {
  uint64_t hash = mix(mix(mix(23, kind), (uint64_t)inner->id), (uint64_t)divisor);
  size_t slot = (size_t)(hash >> 20) & (context->atomCapacity - 1);
  while (context->atoms[slot] && !(context->atoms[slot]->kind == kind && context->atoms[slot]->inner == inner &&
                                   context->atoms[slot]->divisor == divisor))
    slot = (slot + 1) & (context->atomCapacity - 1);
  return slot;
}

static void growAtoms(IndexContext *context) {
  const IndexAtom **old = context->atoms;
  size_t oldCapacity = context->atomCapacity;
  context->atomCapacity = oldCapacity ? 2 * oldCapacity : 64;
  context->atoms = irAllocateZeroed(context->atomCapacity, sizeof(*context->atoms));
  for (size_t i = 0; i < oldCapacity; ++i)
    if (old[i])
      context->atoms[atomSlot(context, old[i]->kind, old[i]->inner, old[i]->divisor)] = old[i];
  free(old);
}

const IndexExpr *indexOfAtom(IndexContext *context, const IndexAtom *atom, int64_t coefficient) {
  IndexTerm term = {coefficient, atom};
  return internExpr(context, 0, &term, 1);
}

static const IndexExpr *divOrMod(IndexContext *context, IndexAtomKind kind, const IndexExpr *inner, int64_t divisor) {
  if (2 * context->internedAtoms >= context->atomCapacity)
    growAtoms(context);
  size_t slot = atomSlot(context, kind, inner, divisor);
  if (!context->atoms[slot]) {
    IndexAtom *atom = IR_NEW(&context->arena, IndexAtom);
    bool isDiv = kind == INDEX_DIV;
    *atom = (IndexAtom){.kind = kind,
                        .id = context->numAtoms++,
                        .inner = inner,
                        .divisor = divisor,
                        .min = isDiv ? floorDiv(inner->min, divisor) : 0,
                        .max = isDiv ? floorDiv(inner->max, divisor) : divisor - 1};
    context->atoms[slot] = atom;
    context->internedAtoms++;
  }
  return indexOfAtom(context, context->atoms[slot], 1);
}

const IndexExpr *indexVariable(IndexContext *context, int64_t extent) {
  IndexAtom *atom = IR_NEW(&context->arena, IndexAtom);
  *atom = (IndexAtom){.kind = INDEX_VARIABLE, .id = context->numAtoms++, .max = extent > 0 ? extent - 1 : 0};
  return indexOfAtom(context, atom, 1);
}

const IndexExpr *indexConstant(IndexContext *context, int64_t value) { return internExpr(context, value, NULL, 0); }

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// A sum under construction.
typedef struct {
  int64_t constant;
  int32_t count;
  int32_t capacity;
  IndexTerm *terms;
} SumBuilder;

static void sumAddTerm(SumBuilder *sum, const IndexAtom *atom, int64_t coefficient) {
  int32_t position = 0;
  while (position < sum->count && sum->terms[position].atom->id < atom->id)
    ++position;
  if (position < sum->count && sum->terms[position].atom == atom) {
    sum->terms[position].coefficient += coefficient;
    if (sum->terms[position].coefficient == 0) {
      memmove(&sum->terms[position], &sum->terms[position + 1],
              sizeof(IndexTerm) * (size_t)(sum->count - position - 1));
      --sum->count;
    }
    return;
  }
  if (coefficient == 0)
    return;
  IR_RESERVE_ONE(sum->terms, sum->count, sum->capacity);
  memmove(&sum->terms[position + 1], &sum->terms[position], sizeof(IndexTerm) * (size_t)(sum->count - position));
  sum->terms[position] = (IndexTerm){coefficient, atom};
  ++sum->count;
}

static void sumAdd(SumBuilder *sum, const IndexExpr *a, int64_t factor) {
  sum->constant += factor * a->constant;
  for (int32_t i = 0; i < a->numTerms; ++i)
    sumAddTerm(sum, a->terms[i].atom, factor * a->terms[i].coefficient);
}

static const IndexExpr *sumFinish(IndexContext *context, SumBuilder *sum) {
  const IndexExpr *result = internExpr(context, sum->constant, sum->terms, sum->count);
  free(sum->terms);
  return result;
}

/// Whether the terms of `part` are among those of `whole`.
static bool hasTerms(const IndexExpr *whole, const IndexExpr *part) {
  int32_t found = 0;
  for (int32_t i = 0; i < whole->numTerms && found < part->numTerms; ++i)
    found += whole->terms[i].atom == part->terms[found].atom &&
             whole->terms[i].coefficient == part->terms[found].coefficient;
  return found == part->numTerms;
}

/// If `high` and `low` are the two parts that a division by the same number makes of one expression, with fitting
/// coefficients, finds the expression that they add up to:
///   k*c*floor(x / c) + k*(x mod c)                  = k*x
///   k*c*((floor(x / c) + m) mod d) + k*(x mod c)    = k*((x + c*m) mod c*d)
/// The remainder does not show multiples of c in the dividend; the quotient does, as m.
static const IndexExpr *recombine(IndexContext *context, const IndexTerm *high, const IndexTerm *low) {
  if (low->atom->kind != INDEX_MOD)
    return NULL;
  const IndexExpr *x = low->atom->inner;
  int64_t c = low->atom->divisor, k = low->coefficient;
  if (high->coefficient != k * c)
    return NULL;
  const IndexExpr *quotient = indexDiv(context, x, c);
  bool isAtom = quotient->numTerms == 1 && quotient->constant == 0 && quotient->terms[0].coefficient == 1;
  if (isAtom && quotient->terms[0].atom == high->atom)
    return indexScale(context, x, k);
  if (high->atom->kind == INDEX_MOD && hasTerms(high->atom->inner, quotient)) {
    const IndexExpr *m = indexAdd(context, high->atom->inner, indexScale(context, quotient, -1));
    const IndexExpr *divided = indexAdd(context, x, indexScale(context, m, c));
    return indexScale(context, indexMod(context, divided, c * high->atom->divisor), k);
  }
  // floor(x / c) may have been simplified to a sum: then the high part is not one atom and nothing is lost by giving
  // up.
  return NULL;
}

const IndexExpr *indexAdd(IndexContext *context, const IndexExpr *a, const IndexExpr *b) {
  SumBuilder sum = {0};
  sumAdd(&sum, a, 1);
  sumAdd(&sum, b, 1);
  for (int32_t i = 0; i < sum.count; ++i)
    for (int32_t j = 0; j < sum.count; ++j) {
      const IndexExpr *whole = i == j ? NULL : recombine(context, &sum.terms[i], &sum.terms[j]);
      if (!whole)
        continue;
      IndexTerm high = sum.terms[i], low = sum.terms[j];
      sumAddTerm(&sum, high.atom, -high.coefficient);
      sumAddTerm(&sum, low.atom, -low.coefficient);
      return indexAdd(context, sumFinish(context, &sum), whole);
    }
  return sumFinish(context, &sum);
}

const IndexExpr *indexAddConstant(IndexContext *context, const IndexExpr *a, int64_t value) {
  return internExpr(context, a->constant + value, a->terms, a->numTerms);
}

const IndexExpr *indexScale(IndexContext *context, const IndexExpr *a, int64_t factor) {
  SumBuilder sum = {0};
  if (factor)
    sumAdd(&sum, a, factor);
  return sumFinish(context, &sum);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Splits `a` = big + small where every term and the constant of `big` is a multiple of `unit`.
static void splitByUnit(IndexContext *context, const IndexExpr *a, int64_t unit, const IndexExpr **big,
                        const IndexExpr **small) {
  SumBuilder bigSum = {0}, smallSum = {0};
  int64_t low = a->constant - floorDiv(a->constant, unit) * unit;
  bigSum.constant = a->constant - low;
  smallSum.constant = low;
  for (int32_t i = 0; i < a->numTerms; ++i) {
    const IndexTerm *term = &a->terms[i];
    sumAddTerm(term->coefficient % unit == 0 ? &bigSum : &smallSum, term->atom, term->coefficient);
  }
  *big = sumFinish(context, &bigSum);
  *small = sumFinish(context, &smallSum);
}

/// `a` / `divisor` where every coefficient and the constant is a multiple of it.
static const IndexExpr *divideExactly(IndexContext *context, const IndexExpr *a, int64_t divisor) {
  SumBuilder sum = {.constant = a->constant / divisor};
  for (int32_t i = 0; i < a->numTerms; ++i)
    sumAddTerm(&sum, a->terms[i].atom, a->terms[i].coefficient / divisor);
  return sumFinish(context, &sum);
}

/// A common divisor of `divisor` and of some of the coefficients of `a` such that the other terms stay below it: these
/// terms do not influence a division by `divisor`. Returns 1 if there is none.
static int64_t separatingUnit(IndexContext *context, const IndexExpr *a, int64_t divisor) {
  int64_t best = 1;
  for (int32_t i = 0; i < a->numTerms; ++i) {
    int64_t unit = gcd64(divisor, a->terms[i].coefficient);
    if (unit <= best)
      continue;
    const IndexExpr *big, *small;
    splitByUnit(context, a, unit, &big, &small);
    if (small->min >= 0 && small->max < unit)
      best = unit;
  }
  return best;
}

/// Divides the part of `a` that is a multiple of `divisor`; the remainder is in `rest`.
static const IndexExpr *takeMultiples(IndexContext *context, const IndexExpr *a, int64_t divisor,
                                      const IndexExpr **rest) {
  SumBuilder whole = {.constant = floorDiv(a->constant, divisor)}, remaining = {0};
  remaining.constant = a->constant - whole.constant * divisor;
  for (int32_t i = 0; i < a->numTerms; ++i) {
    int64_t c = a->terms[i].coefficient;
    if (c % divisor == 0)
      sumAddTerm(&whole, a->terms[i].atom, c / divisor);
    else
      sumAddTerm(&remaining, a->terms[i].atom, c);
  }
  *rest = sumFinish(context, &remaining);
  return sumFinish(context, &whole);
}

const IndexExpr *indexDiv(IndexContext *context, const IndexExpr *a, int64_t divisor) {
  if (divisor <= 1) // a divisor of 0 comes from a tensor without elements, which has no index
    return a;
  const IndexExpr *rest;
  const IndexExpr *whole = takeMultiples(context, a, divisor, &rest);
  if (rest->min >= 0 && rest->max < divisor)
    return whole;
  int64_t unit = separatingUnit(context, rest, divisor);
  if (unit > 1) {
    const IndexExpr *big, *small;
    splitByUnit(context, rest, unit, &big, &small);
    return indexAdd(context, whole, indexDiv(context, divideExactly(context, big, unit), divisor / unit));
  }
  if (rest->numTerms == 1 && rest->constant == 0 && rest->terms[0].coefficient == 1) {
    const IndexAtom *atom = rest->terms[0].atom;
    if (atom->kind == INDEX_DIV) // floor(floor(x / c) / d) = floor(x / (c*d))
      return indexAdd(context, whole, indexDiv(context, atom->inner, atom->divisor * divisor));
    if (atom->kind == INDEX_MOD && atom->divisor % divisor == 0) // floor((x mod c*d) / d) = floor(x / d) mod c
      return indexAdd(context, whole,
                      indexMod(context, indexDiv(context, atom->inner, divisor), atom->divisor / divisor));
  }
  return indexAdd(context, whole, divOrMod(context, INDEX_DIV, rest, divisor));
}

const IndexExpr *indexMod(IndexContext *context, const IndexExpr *a, int64_t divisor) {
  if (divisor <= 1)
    return indexConstant(context, 0);
  const IndexExpr *rest;
  takeMultiples(context, a, divisor, &rest);
  if (rest->min >= 0 && rest->max < divisor)
    return rest;
  int64_t unit = separatingUnit(context, rest, divisor);
  if (unit > 1) {
    const IndexExpr *big, *small;
    splitByUnit(context, rest, unit, &big, &small);
    const IndexExpr *high = indexMod(context, divideExactly(context, big, unit), divisor / unit);
    return indexAdd(context, indexScale(context, high, unit), small);
  }
  if (rest->numTerms == 1 && rest->constant == 0 && rest->terms[0].coefficient == 1) {
    const IndexAtom *atom = rest->terms[0].atom;
    if (atom->kind == INDEX_MOD && atom->divisor % divisor == 0) // (x mod c*d) mod d = x mod d
      return indexMod(context, atom->inner, divisor);
  }
  return divOrMod(context, INDEX_MOD, rest, divisor);
}
