//===- softmax.c - maxima, sums and weights of a tile --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The running softmax. A tile first moves the maxima on. Where an exponential is exp(x - m), sums and products of the
// earlier tiles are then multiplied by exp(m - n), n being m for the new maximum. Where both are the same, the factor
// is 1, also where both are minus infinity. While all x are, they subtract 0, so that they are 0 and not NaN; results.c
// handles rows where it stays so.
//
// Values in between are evaluated as in any kernel (lowering/kernel/values/evaluate.h). The evaluation finds the
// scores, the maxima so far and, in the place of the factors of a row, 1.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/softmax.h"

#include "ir/graph/tg.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/scalar/relaxed.h"
#include "lowering/scalar/scalar.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Known values of the evaluation
//===----------------------------------------------------------------------===//

static MlirType elementTypeOfOp(MlirOperation op) { return irElementTypeOf(irResult(op, 0)); }

MlirValue attentionReduced(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op, MlirValue value) {
  IrBuilder *b = &a->e->values->b;
  return kind == ATTENTION_MAX   ? scalarNarrow(b, value, elementTypeOfOp(op))
         : kind == ATTENTION_SUM ? scalarConvert(b, value, a->accumulator, elementTypeOfOp(op))
                                 : value;
}

void attentionKnowReduce(AttentionEmitter *a, const Attention *at, intptr_t reduce, MlirValue value) {
  const AttentionReduce *of = &at->reduces[reduce];
  attentionKnow(a->e->values, irResult(of->op, 0), &of->index, attentionReduced(a, of->kind, of->op, value));
}

MlirValue attentionSubtrahend(AttentionEmitter *a, const Attention *at, intptr_t exponential) {
  Values *v = a->e->values;
  const AttentionExponential *of = &at->exponentials[exponential];
  if (mlirValueIsNull(of->subtrahend))
    return of->subtrahend;
  MlirValue element = attentionEvaluate(a, of->subtrahend, &of->index);
  return scalarConvert(&v->b, element, irElementTypeOf(of->subtrahend), a->accumulator);
}

/// A value that counts only where the key exists.
static MlirValue orElse(Values *v, const AttentionElement *element, MlirValue value, double otherwise) {
  return mlirValueIsNull(element->valid)
             ? value
             : irSelect(&v->b, element->valid, value, irConstantFloat(&v->b, mlirValueGetType(value), otherwise));
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

MlirValue attentionCombine(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op, MlirValue x, MlirValue y) {
  Values *v = a->e->values;
  if (kind == ATTENTION_ANY)
    return irOrI(&v->b, x, y);
  return scalarCombine(&v->b, kind == ATTENTION_MAX ? TG_max : TG_add,
                       kind == ATTENTION_MAX ? elementTypeOfOp(op) : a->accumulator, x, y);
}

MlirValue attentionOverLanes(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op, MlirValue value) {
  Values *v = a->e->values;
  for (int64_t distance = 1; distance < ATTENTION_FRAGMENT / LANE_COLUMNS; distance *= 2) {
    MlirValue offset = irConstantInt(&v->b, mlirIntegerTypeGet(v->b.context, 32), distance);
    MlirValue other = gpuShuffle(&v->b, GPU_SHUFFLE_XOR, value, offset);
    value = attentionCombine(a, kind, op, value, other);
  }
  return value;
}

/// The maximum of a row of the tile and its earlier maximum.
static MlirValue moveMaximum(AttentionEmitter *a, const AttentionElement *elements, intptr_t reduce, intptr_t row,
                             MlirValue before) {
  Values *v = a->e->values;
  MlirOperation op = a->any.reduces[reduce].op;
  MlirValue most = {NULL};
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      const AttentionElement *element = attentionElementOf(elements, n, row, c);
      MlirValue value = attentionEvaluate(a, irOperand(op, 0), &element->at.reduces[reduce].operandIndex);
      value = orElse(v, element, scalarWiden(&v->b, value, elementTypeOfOp(op)), -INFINITY);
      most = mlirValueIsNull(most) ? value : scalarCombine(&v->b, TG_max, elementTypeOfOp(op), most, value);
    }
  return scalarCombine(&v->b, TG_max, elementTypeOfOp(op), before, attentionOverLanes(a, ATTENTION_MAX, op, most));
}

static void knowMaxima(AttentionEmitter *a, const Attention *at, intptr_t row, const MlirValue *state) {
  for (intptr_t k = 0; k < at->numReduces; ++k)
    if (at->reduces[k].kind == ATTENTION_MAX)
      attentionKnowReduce(a, at, k, state[k * LANE_ROWS + row]);
}

/// The subtrahend of an exponential of a row with these maxima.
static MlirValue subtrahendWith(AttentionEmitter *a, const Attention *at, intptr_t exponential, intptr_t row,
                                const MlirValue *state) {
  Values *v = a->e->values;
  MemoEntry *scope = memoEnter(&v->memo);
  knowMaxima(a, at, row, state);
  MlirValue subtrahend = attentionSubtrahend(a, at, exponential);
  memoLeave(&v->memo, scope);
  return subtrahend;
}

/// exp(before - now), or 1 if both are the same, or if there has been no finite x: `maximum` is the one before. If one
/// is NaN also 1: results.c handles the NaN that follows. `op` is the exponential, whose relaxations apply.
static MlirValue correction(Values *v, MlirOperation op, MlirValue maximum, MlirValue before, MlirValue now) {
  MlirType type = mlirValueGetType(now);
  MlirValue same = irCmpF(&v->b, IR_CMPF_UEQ, before, now);
  same = irOrI(&v->b, same, attentionIsLowest(v, maximum));
  MlirValue exp = irUnary(&v->b, "math.exp", irSubF(&v->b, before, now), type);
  scalarAllow(op, exp);
  return irSelect(&v->b, same, irConstantFloat(&v->b, type, 1), exp);
}

/// Has the exponentials of a row subtract `subtrahend`, or 0 if that is minus infinity.
static void knowSubtrahend(AttentionEmitter *a, const AttentionElement *elements, intptr_t exponential, intptr_t row,
                           MlirValue subtrahend) {
  Values *v = a->e->values;
  MlirValue zero = irConstantFloat(&v->b, a->accumulator, 0);
  MlirValue finite = irSelect(&v->b, attentionIsLowest(v, subtrahend), zero, subtrahend);
  const AttentionExponential *of = &a->any.exponentials[exponential];
  MlirValue element = scalarConvert(&v->b, finite, a->accumulator, irElementTypeOf(of->subtrahend));
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      const Attention *at = &attentionElementOf(elements, n, row, c)->at;
      attentionKnow(v, at->exponentials[exponential].subtrahend, &at->exponentials[exponential].index, element);
    }
}

//===----------------------------------------------------------------------===//
// Sums and weights
//===----------------------------------------------------------------------===//

static MlirValue scaled(Values *v, MlirValue value, MlirValue factor) {
  return mlirValueIsNull(factor) ? value : irMulF(&v->b, value, factor);
}

static MlirValue addToSum(AttentionEmitter *a, const AttentionElement *elements, intptr_t reduce, intptr_t row,
                          MlirValue sum) {
  Values *v = a->e->values;
  MlirValue operand = irOperand(a->any.reduces[reduce].op, 0);
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      const AttentionElement *element = attentionElementOf(elements, n, row, c);
      MlirValue value = attentionEvaluate(a, operand, &element->at.reduces[reduce].operandIndex);
      value = scalarConvert(&v->b, value, irElementTypeOf(operand), a->accumulator);
      sum = irAddF(&v->b, sum, orElse(v, element, value, 0));
    }
  return sum;
}

static MlirValue addToAny(AttentionEmitter *a, const AttentionElement *elements, intptr_t reduce, intptr_t row,
                          MlirValue any) {
  Values *v = a->e->values;
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      const AttentionElement *element = attentionElementOf(elements, n, row, c);
      MlirValue value =
          attentionEvaluate(a, irOperand(a->any.reduces[reduce].op, 0), &element->at.reduces[reduce].operandIndex);
      any = irOrI(&v->b, any, bothOf(v, element->valid, value));
    }
  return any;
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// Whether the element's key exists and is in all of some selections.
static MlirValue isSelected(AttentionEmitter *a, const AttentionElement *element, unsigned selections) {
  Values *v = a->e->values;
  MlirValue all = element->valid;
  for (intptr_t i = 0; i < a->any.numSelections; ++i) {
    const AttentionSelection *of = &element->at.selections[i];
    if ((selections >> i & 1u) == 0)
      continue;
    MlirValue is = attentionEvaluate(a, of->value, &of->index);
    all = bothOf(v, all, of->inverted ? irXorI(&v->b, is, irConstantInt(&v->b, mlirValueGetType(is), 1)) : is);
  }
  return all;
}

/// Notes which selections a row of the tile has keys of.
static void selectRow(AttentionEmitter *a, const AttentionElement *elements, intptr_t row, MlirValue *state) {
  Values *v = a->e->values;
  for (intptr_t k = 0; k < a->any.numAny; ++k)
    for (intptr_t n = 0; n < a->keyFragments; ++n)
      for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
        MlirValue *any = &state[attentionAnyState(a) + k * LANE_ROWS + row];
        *any = irOrI(&v->b, *any, isSelected(a, attentionElementOf(elements, n, row, c), a->any.any[k]));
      }
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// The neutral value of a factor, as an element of its type.
static MlirValue neutralFactor(Values *v, const AttentionFactor *factor) {
  MlirType element = irElementTypeOf(factor->value);
  if (factor->kind == ATTENTION_CLEARS || factor->kind == ATTENTION_KEEPS)
    return irConstantInt(&v->b, scalarType(element), factor->kind == ATTENTION_KEEPS);
  return scalarNarrow(&v->b, irConstantFloat(&v->b, scalarComputeType(element), 1), element);
}

/// Updates the maxima of a row, and finds the subtrahends of its exponentials.
static void moveMaxima(AttentionEmitter *a, AttentionRowOfTile *of, intptr_t row, MlirValue *state) {
  const Attention *any = &a->any, *first = &attentionElementOf(of->elements, 0, row, 0)->at;
  MlirValue before[ATTENTION_MAX_REDUCES * LANE_ROWS];
  for (intptr_t k = 0; k < any->numReduces; ++k) {
    MlirValue *maximum = &state[k * LANE_ROWS + row];
    before[k * LANE_ROWS + row] = *maximum;
    if (any->reduces[k].kind == ATTENTION_MAX)
      *maximum = moveMaximum(a, of->elements, k, row, *maximum);
  }
  for (intptr_t x = 0; x < any->numExponentials; ++x) {
    AttentionShift *shift = &of->shifts[x];
    if (mlirValueIsNull(any->exponentials[x].subtrahend))
      continue;
    *shift = (AttentionShift){.maximum = before[any->exponentials[x].maximum * LANE_ROWS + row],
                              .before = subtrahendWith(a, first, x, row, before),
                              .now = subtrahendWith(a, first, x, row, state)};
    if (attentionIsFolded(a, x))
      attentionFoldRow(a, of->elements, x, row, shift);
  }
}

/// The correction factor of sums and products so far. The exponentials of a row, or their subtrahends, are known from
/// here on.
static MlirValue correct(AttentionEmitter *a, const AttentionRowOfTile *of, intptr_t exponential, intptr_t row) {
  const AttentionShift *shift = &of->shifts[exponential];
  if (mlirValueIsNull(shift->now))
    return (MlirValue){NULL};
  knowSubtrahend(a, of->elements, exponential, row, shift->now);
  if (attentionIsFolded(a, exponential))
    return attentionKnowFolded(a, of->elements, exponential, row, shift);
  return correction(a->e->values, a->any.exponentials[exponential].op, shift->maximum, shift->before, shift->now);
}

/// A row of the tile: sums, products so far, and weights.
static void addRow(AttentionEmitter *a, const AttentionRowOfTile *of, intptr_t row, MlirValue *state,
                   MlirValue *weights) {
  Values *v = a->e->values;
  const Attention *any = &a->any;
  const AttentionElement *elements = of->elements;
  MlirValue corrections[ATTENTION_MAX_EXPONENTIALS];
  for (intptr_t x = 0; x < any->numExponentials; ++x)
    corrections[x] = correct(a, of, x, row);
  for (intptr_t k = 0; k < any->numReduces; ++k) {
    MlirValue *sum = &state[k * LANE_ROWS + row];
    if (any->reduces[k].kind == ATTENTION_ANY)
      *sum = addToAny(a, elements, k, row, *sum);
    if (any->reduces[k].kind == ATTENTION_SUM)
      *sum = addToSum(a, elements, k, row, scaled(v, *sum, corrections[any->reduces[k].exponential]));
  }
  selectRow(a, elements, row, state);
  MlirValue weightsOf = irOperand(a->sizes.second, a->sizes.weights), *result = state + attentionResultState(a);
  for (intptr_t n = 0; n < a->featureFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      MlirValue *element = &result[n * LANE_ELEMENTS + row * LANE_COLUMNS + c];
      *element = scaled(v, *element, corrections[any->exponential]);
    }
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      const AttentionElement *element = attentionElementOf(elements, n, row, c);
      for (intptr_t f = 0; f < any->numFactors; ++f) {
        const AttentionFactor *factor = &element->at.factors[f];
        attentionKnow(v, factor->value, &factor->index, neutralFactor(v, factor));
      }
      weights[n * LANE_ELEMENTS + row * LANE_COLUMNS + c] =
          orElse(v, element, attentionEvaluate(a, weightsOf, &element->at.weights), 0);
    }
}

/// The elements of a row of the tile.
static void placeRow(AttentionEmitter *a, const Position *keys, intptr_t row, AttentionElement *elements) {
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      const Position *key = &keys[n * LANE_COLUMNS + c];
      elements[n * LANE_ELEMENTS + row * LANE_COLUMNS + c] =
          (AttentionElement){attentionAt(a, &a->rows[row], key->index, NULL), key->valid};
    }
}

/// The lane's keys of a tile.
static Position *keysOf(AttentionEmitter *a, const IndexExpr *first) {
  Values *v = a->e->values;
  Position *keys = IR_NEW_ARRAY(&v->arena, Position, a->keyFragments * LANE_COLUMNS);
  for (intptr_t i = 0; i < a->keyFragments * LANE_COLUMNS; ++i) {
    const IndexExpr *number = attentionColumn(a, i / LANE_COLUMNS, i % LANE_COLUMNS);
    keys[i] = positionInside(v, indexAdd(v->index, first, number), extentOf(a->sizes.keys), 1);
    keys[i].index = bindIndex(v, emitIndex(v, keys[i].index), a->sizes.keys);
  }
  return keys;
}

void attentionWeights(AttentionEmitter *a, const IndexExpr *first, const MlirValue *scores, MlirValue *state,
                      MlirValue *weights) {
  Values *v = a->e->values;
  AttentionRowOfTile rows[LANE_ROWS] = {0};
  Position *keys = keysOf(a, first);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    rows[r].elements = IR_NEW_ARRAY(&v->arena, AttentionElement, a->keyFragments * LANE_ELEMENTS);
    placeRow(a, keys, r, rows[r].elements);
  }
  attentionFindMasked(a, first, keys, scores, rows);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) { // two rows may have one index: if there is a single one
    MemoEntry *scope = memoEnter(&v->memo);
    attentionKnowScores(a, rows[r].elements, r, scores);
    attentionKnowMasked(a, keys, rows, r);
    moveMaxima(a, &rows[r], r, state);
    memoLeave(&v->memo, scope);
  }
  attentionBranchFolded(a, rows);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    MemoEntry *scope = memoEnter(&v->memo);
    attentionKnowScores(a, rows[r].elements, r, scores);
    attentionKnowMasked(a, keys, rows, r);
    addRow(a, &rows[r], r, state, weights);
    memoLeave(&v->memo, scope);
  }
}

void attentionSelect(AttentionEmitter *a, const IndexExpr *first, MlirValue *state) {
  Values *v = a->e->values;
  if (a->any.numAny == 0)
    return;
  AttentionElement *elements = IR_NEW_ARRAY(&v->arena, AttentionElement, a->keyFragments * LANE_ELEMENTS);
  Position *keys = keysOf(a, first);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    MemoEntry *scope = memoEnter(&v->memo);
    placeRow(a, keys, r, elements);
    selectRow(a, elements, r, state);
    memoLeave(&v->memo, scope);
  }
}
