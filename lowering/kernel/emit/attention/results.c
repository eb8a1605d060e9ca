//===- results.c - results of an attention kernel -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When all keys are summed up, the lanes of a row add up their sums. Then factors of the row, which the weights have
// not been multiplied with, are applied to the result. A row whose maximum has remained minus infinity, or is NaN, is
// NaN: so are all of its exponentials, which subtract it. Both not where no key is selected: all weights are 0.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/softmax.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/emit/emit.h"
#include "lowering/scalar/relaxed.h"
#include "lowering/scalar/scalar.h"

#include <math.h>

/// The end of a row, when all keys are summed up.
typedef struct {
  const Attention *at;
  MlirValue any[ATTENTION_MAX_ANY]; ///< whether it has a key of selections
  MlirValue subtrahend;             ///< of the weights' exponential; null: nothing
} Finish;

/// Whether the row has a key in all of some selections; null: it has, as there are none.
static MlirValue anyOf(AttentionEmitter *a, const Finish *finish, unsigned selections) {
  for (intptr_t k = 0; k < a->any.numAny; ++k)
    if (a->any.any[k] == selections)
      return finish->any[k];
  return (MlirValue){NULL};
}

/// NaN if exponentials of any key subtract minus infinity or NaN, else the value.
static MlirValue orNaN(AttentionEmitter *a, const Finish *finish, MlirValue subtrahend, unsigned selections,
                       MlirValue value) {
  Values *v = a->e->values;
  if (mlirValueIsNull(subtrahend))
    return value;
  MlirValue lowest = irConstantFloat(&v->b, mlirValueGetType(subtrahend), -INFINITY);
  MlirValue isNaN = bothOf(v, anyOf(a, finish, selections), irCmpF(&v->b, IR_CMPF_ULE, subtrahend, lowest));
  return irSelect(&v->b, isNaN, irConstantFloat(&v->b, mlirValueGetType(value), NAN), value);
}

/// A sum or product of exponentials with the graph's subtrahend, not the folded one.
static MlirValue unfolded(AttentionEmitter *a, intptr_t exponential, MlirValue subtrahend, MlirValue value) {
  return attentionIsFolded(a, exponential) ? irMulF(&a->e->values->b, value, attentionUnfold(a, subtrahend)) : value;
}

/// Makes the reduces of a row known.
static Finish finishReduces(AttentionEmitter *a, const Attention *at, intptr_t row, MlirValue *state) {
  Finish finish = {.at = at};
  for (intptr_t k = 0; k < at->numAny; ++k)
    finish.any[k] =
        attentionOverLanes(a, ATTENTION_ANY, (MlirOperation){NULL}, state[attentionAnyState(a) + k * LANE_ROWS + row]);
  for (intptr_t k = 0; k < at->numReduces; ++k)
    if (at->reduces[k].kind == ATTENTION_MAX)
      attentionKnowReduce(a, at, k, state[k * LANE_ROWS + row]);
  for (intptr_t k = 0; k < at->numReduces; ++k) {
    const AttentionReduce *of = &a->any.reduces[k];
    if (of->kind == ATTENTION_MAX)
      continue;
    MlirValue value = attentionOverLanes(a, of->kind, of->op, state[k * LANE_ROWS + row]);
    if (of->kind == ATTENTION_SUM) {
      MlirValue subtrahend = attentionSubtrahend(a, at, of->exponential);
      value = unfolded(a, of->exponential, subtrahend, value);
      value = orNaN(a, &finish, subtrahend, of->selections, value);
    }
    attentionKnowReduce(a, at, k, value);
  }
  finish.subtrahend = attentionSubtrahend(a, at, a->any.exponential);
  return finish;
}

/// A factor of a row: whether it clears or keeps elements, or their factor or divisor, which is 1 if the row has no key
/// that it applies to.
static MlirValue factorOf(AttentionEmitter *a, const Finish *finish, intptr_t number) {
  Values *v = a->e->values;
  const AttentionFactor *factor = &finish->at->factors[number];
  MlirValue by = attentionEvaluate(a, factor->value, &factor->index);
  if (factor->kind == ATTENTION_CLEARS || factor->kind == ATTENTION_KEEPS)
    return by;
  MlirValue any = anyOf(a, finish, a->any.factors[number].selections);
  by = scalarConvert(&v->b, by, irElementTypeOf(factor->value), a->accumulator);
  return mlirValueIsNull(any) ? by : irSelect(&v->b, any, by, irConstantFloat(&v->b, a->accumulator, 1));
}

/// A quotient has the relaxations of the graph's division by the same value.
static MlirValue divided(AttentionEmitter *a, const AttentionFactor *factor, MlirValue element, MlirValue by) {
  MlirValue quotient = irDivF(&a->e->values->b, element, by);
  IR_FOR_EACH_OP(op, a->e->plan->body)
    if (tgKindOf(op) == TG_div && mlirValueEqual(irOperand(op, 1), factor->value))
      scalarAllow(op, quotient);
  return quotient;
}

/// An element of the result with a factor of its row.
static MlirValue withFactor(AttentionEmitter *a, const AttentionFactor *factor, MlirValue element, MlirValue by) {
  Values *v = a->e->values;
  MlirValue zero = irConstantFloat(&v->b, a->accumulator, 0);
  switch (factor->kind) {
  case ATTENTION_CLEARS:
    return irSelect(&v->b, by, zero, element);
  case ATTENTION_KEEPS:
    return irSelect(&v->b, by, element, zero);
  case ATTENTION_DIVIDES:
    return divided(a, factor, element, by);
  default:
    return irMulF(&v->b, element, by);
  }
}

/// Applies the factors of a row to its elements, the innermost one first.
static void applyFactors(AttentionEmitter *a, const Finish *finish, intptr_t row, MlirValue *result) {
  MlirValue factors[ATTENTION_MAX_FACTORS];
  for (intptr_t f = 0; f < a->any.numFactors; ++f)
    factors[f] = factorOf(a, finish, f);
  for (intptr_t n = 0; n < a->featureFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      MlirValue *element = &result[n * LANE_ELEMENTS + row * LANE_COLUMNS + c];
      *element = unfolded(a, a->any.exponential, finish->subtrahend, *element);
      *element = orNaN(a, finish, finish->subtrahend, a->any.exponentialSelections, *element);
      for (intptr_t f = a->any.numFactors; f-- > 0;)
        *element = withFactor(a, &finish->at->factors[f], *element, factors[f]);
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

void attentionStoreOfRow(AttentionEmitter *a, intptr_t output, const IndexVector *index, const AttentionRow *row) {
  Values *v = a->e->values;
  store(a, output, index, (Lanes){1, NULL}, bothOf(v, row->valid, isZero(v, a->pair)));
}

void attentionStoreElements(AttentionEmitter *a, intptr_t output, const AttentionStored *stored,
                            const AttentionRow *row, const MlirValue *elements) {
  Values *v = a->e->values;
  int64_t features = stored->features, vector = features % LANE_COLUMNS == 0 ? LANE_COLUMNS : 1;
  Lanes lanes = lanesOf(v, vector);
  MlirType type = irElementTypeOf(irResult(stored->product, 0));
  for (intptr_t n = 0; n < ceilDiv(features, ATTENTION_FRAGMENT); ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; c += (intptr_t)vector) {
      Position place = positionInside(v, attentionColumn(a, n, c), extentOf(features), vector);
      if (features == vector) // reshapes see that there is nothing else
        place.index = indexConstant(v->index, 0);
      const IndexExpr *feature = lanes.variable ? indexAdd(v->index, place.index, lanes.variable) : place.index;
      IndexVector inProduct, inOutput;
      MlirValue values[LANE_COLUMNS];
      for (int64_t i = 0; i < vector; ++i)
        values[i] = scalarConvert(&v->b, elements[n * LANE_ELEMENTS + c + i], a->accumulator, type);
      stored->indexAt(a, stored, row, feature, &inProduct, &inOutput);
      memoAdd(&v->memo, irResult(stored->product, 0).ptr, &inProduct,
              (MemoValue){.bundle = bundleOf(v, vector, values)});
      store(a, output, &inOutput, lanes, bothOf(v, row->valid, place.valid));
    }
}

static void indexAt(AttentionEmitter *a, const AttentionStored *stored, const AttentionRow *row,
                    const IndexExpr *feature, IndexVector *inProduct, IndexVector *inOutput) {
  MlirOperation source;
  Attention at = attentionAt(a, row, NULL, feature);
  *inProduct = at.result;
  attentionResultIndex(a->e->values->index, &at, &a->sizes, stored->yielded, &source, inOutput);
}

void attentionStoreResults(AttentionEmitter *a, MlirValue *state) {
  Values *v = a->e->values;
  MlirOperation yield = mlirBlockGetTerminator(a->e->plan->body), source;
  MlirValue *result = state + attentionResultState(a);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    MemoEntry *scope = memoEnter(&v->memo);
    Attention at = attentionAt(a, &a->rows[r], NULL, NULL);
    Finish finish = finishReduces(a, &at, r, state);
    applyFactors(a, &finish, r, result);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
      IndexVector index;
      attentionResultIndex(v->index, &at, &a->sizes, irOperand(yield, i), &source, &index);
      if (mlirOperationEqual(source, a->sizes.second))
        attentionStoreElements(a, i,
                               &(AttentionStored){a->sizes.second, irOperand(yield, i), a->sizes.features, indexAt, 0},
                               &a->rows[r], result + r * LANE_COLUMNS);
      else
        attentionStoreOfRow(a, i, &index, &a->rows[r]);
    }
    memoLeave(&v->memo, scope);
  }
}
