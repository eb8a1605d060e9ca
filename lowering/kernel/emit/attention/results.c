//===- results.c - what an attention kernel leaves -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When all keys are summed up, the lanes of a row add up their sums; then factors of the row, which the weights have
// not been multiplied with, are applied to the result. A row whose maximum has remained minus infinity is NaN: so are
// all of its exponentials, which subtract minus infinity from itself.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/attention.h"

#include "lowering/kernel/emit/emit.h"
#include "lowering/scalar/scalar.h"

#include <math.h>

static MlirValue evaluateAt(AttentionEmitter *a, MlirValue value, const IndexVector *index) {
  return a->e->evaluate(a->e, value, index, (Lanes){1, NULL}).values[0];
}

/// NaN if an exponential subtracts minus infinity, else the value.
static MlirValue orNaN(AttentionEmitter *a, MlirValue subtrahend, MlirValue value) {
  Values *v = a->e->values;
  return mlirValueIsNull(subtrahend) ? value
                                     : irSelect(&v->b, attentionIsLowest(v, subtrahend),
                                                irConstantFloat(&v->b, mlirValueGetType(value), NAN), value);
}

/// Makes the reduces of a row known; returns what the weights' exponential subtracts.
static MlirValue finishReduces(AttentionEmitter *a, const Attention *at, intptr_t row, MlirValue *state) {
  for (intptr_t k = 0; k < at->numReduces; ++k)
    if (at->reduces[k].kind == ATTENTION_MAX)
      attentionKnowReduce(a, at, k, state[k * LANE_ROWS + row]);
  for (intptr_t k = 0; k < at->numReduces; ++k) {
    if (at->reduces[k].kind == ATTENTION_MAX)
      continue;
    MlirValue value = attentionOverLanes(a, k, state[k * LANE_ROWS + row]);
    if (at->reduces[k].kind == ATTENTION_SUM)
      value = orNaN(a, attentionSubtrahend(a, at, at->reduces[k].exponential), value);
    attentionKnowReduce(a, at, k, value);
  }
  return attentionSubtrahend(a, at, at->exponential);
}

/// An element of the result with a factor of its row.
static MlirValue withFactor(AttentionEmitter *a, const AttentionFactor *factor, MlirValue element) {
  Values *v = a->e->values;
  MlirValue by = evaluateAt(a, factor->value, &factor->index), zero = irConstantFloat(&v->b, a->accumulator, 0);
  switch (factor->kind) {
  case ATTENTION_CLEARS:
    return irSelect(&v->b, by, zero, element);
  case ATTENTION_KEEPS:
    return irSelect(&v->b, by, element, zero);
  default:
    break;
  }
  by = scalarConvert(&v->b, by, irElementTypeOf(factor->value), a->accumulator);
  return factor->kind == ATTENTION_DIVIDES ? irDivF(&v->b, element, by) : irMulF(&v->b, element, by);
}

/// Applies the factors of a row to its elements, the innermost one first.
static void applyFactors(AttentionEmitter *a, const Attention *at, intptr_t row, MlirValue subtrahend,
                         MlirValue *result) {
  for (intptr_t n = 0; n < a->featureFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      MlirValue *element = &result[n * LANE_ELEMENTS + row * LANE_COLUMNS + c];
      *element = orNaN(a, subtrahend, *element);
      for (intptr_t f = at->numFactors; f-- > 0;)
        *element = withFactor(a, &at->factors[f], *element);
    }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

static void store(AttentionEmitter *a, intptr_t output, const IndexVector *index, Lanes lanes, MlirValue condition) {
  Values *v = a->e->values;
  MlirValue yielded = irOperand(mlirBlockGetTerminator(a->e->plan->body), output);
  const IndexExpr *linear = indexLinearize(v->index, index, irShapeOf(yielded));
  storeOutput(a->e, output, linear, lanes, a->e->evaluate(a->e, yielded, index, lanes), condition);
}

/// Stores what a reduce becomes: the first lane of the row does.
static void storeOfRow(AttentionEmitter *a, intptr_t output, const IndexVector *index, const AttentionRow *row) {
  Values *v = a->e->values;
  store(a, output, index, (Lanes){1, NULL}, bothOf(v, row->valid, isZero(v, a->pair)));
}

/// Stores what the lane's elements of the result in a row become, `vector` at a time.
static void storeElements(AttentionEmitter *a, intptr_t output, const AttentionRow *row, const MlirValue *result) {
  Values *v = a->e->values;
  int64_t vector = a->sizes.features % LANE_COLUMNS == 0 ? LANE_COLUMNS : 1;
  Lanes lanes = lanesOf(v, vector);
  MlirValue yielded = irOperand(mlirBlockGetTerminator(a->e->plan->body), output);
  MlirType type = irElementTypeOf(irResult(a->sizes.second, 0));
  for (intptr_t n = 0; n < a->featureFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; c += (intptr_t)vector) {
      Position place = positionInside(v, attentionColumn(a, n, c), extentOf(a->sizes.features), vector);
      if (a->sizes.features == vector) // reshapes see that there is nothing else
        place.index = indexConstant(v->index, 0);
      const IndexExpr *feature = lanes.variable ? indexAdd(v->index, place.index, lanes.variable) : place.index;
      Attention at = attentionAt(a, row, NULL, feature);
      MlirValue elements[LANE_COLUMNS];
      for (int64_t i = 0; i < vector; ++i)
        elements[i] = scalarConvert(&v->b, result[n * LANE_ELEMENTS + c + i], a->accumulator, type);
      memoAdd(&v->memo, irResult(a->sizes.second, 0).ptr, &at.result,
              (MemoValue){.bundle = bundleOf(v, vector, elements)});
      MlirOperation source;
      IndexVector index;
      attentionResultIndex(v->index, &at, &a->sizes, yielded, &source, &index);
      store(a, output, &index, lanes, bothOf(v, row->valid, place.valid));
    }
}

void attentionStoreResults(AttentionEmitter *a, MlirValue *state) {
  Values *v = a->e->values;
  MlirOperation yield = mlirBlockGetTerminator(a->e->plan->body), source;
  MlirValue *result = state + attentionResultState(a);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    MemoEntry *scope = memoEnter(&v->memo);
    Attention at = attentionAt(a, &a->rows[r], NULL, NULL);
    applyFactors(a, &at, r, finishReduces(a, &at, r, state), result);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
      IndexVector index;
      attentionResultIndex(v->index, &at, &a->sizes, irOperand(yield, i), &source, &index);
      if (mlirOperationEqual(source, a->sizes.second))
        storeElements(a, i, &a->rows[r], result + r * LANE_COLUMNS);
      else
        storeOfRow(a, i, &index, &a->rows[r]);
    }
    memoLeave(&v->memo, scope);
  }
}
