//===- attention.c - a softmax between two products ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body is walked from the weights to the scores, each value with its index. Values are classified by their
// dependences; then weights and sums are decomposed down to their exponential.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention.h"

#include "ir/plan/attention_products.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"

#include <math.h>
#include <stdlib.h>

/// The dependences of a value, as bits.
enum { ON_SCORES = 1, ON_ROW = 2, ON_KEY = 4, FAILED = 8 };

typedef struct {
  MlirValue value;
  IndexVector index;
  int depends;
} AttentionVisit;

typedef struct {
  IndexContext *index;
  const AttentionSizes *sizes;
  const AttentionPlace *place;
  Attention *attention;
  bool hasScores;
  IrArena arena;
  AttentionVisit **visits;
  intptr_t numVisits, capacity;
} AttentionWalk;

static int failAttention(Attention *a, MlirOperation culprit, const char *reason) {
  attentionRefuse(a, culprit, reason);
  return FAILED;
}

//===----------------------------------------------------------------------===//
// The products
//===----------------------------------------------------------------------===//

static void placeSecondProduct(AttentionWalk *w) {
  const AttentionSizes *s = w->sizes;
  Attention *a = w->attention;
  a->valuesOf = irOperand(s->second, 1 - s->weights);
  IrShape featureSizes = productSizes(a->valuesOf, productFree(s->second, 1 - s->weights));
  IndexVector features = indexDelinearize(w->index, w->place->feature, featureSizes);
  a->weights = productOperandIndex(s->second, s->weights, w->place->batch, w->place->row, &w->place->key);
  a->values = productOperandIndex(s->second, 1 - s->weights, w->place->batch, features.dims, &w->place->key);
  for (intptr_t i = 0; i < s->batch.rank; ++i)
    a->result.dims[a->result.rank++] = w->place->batch[i];
  for (int side = 0; side < 2; ++side) {
    bool isRow = side == s->weights;
    for (intptr_t i = 0; i < (isRow ? s->row.rank : features.rank); ++i)
      a->result.dims[a->result.rank++] = isRow ? w->place->row[i] : features.dims[i];
  }
}

/// Which operand of the first product has the keys, and at which index both are read.
static bool placeFirstProduct(AttentionWalk *w) {
  const AttentionSizes *s = w->sizes;
  Attention *a = w->attention;
  intptr_t numBatch = productBatch(s->first, 0).rank, split = numBatch + productFree(s->first, 0).rank;
  intptr_t ofKey = -1, uses = 0;
  for (intptr_t d = 0; d < a->scores.rank; ++d)
    if (indexDependsOn(a->scores.dims[d], w->place->key)) {
      ofKey = d;
      ++uses;
    }
  if (uses != 1 || ofKey < numBatch || a->scores.dims[ofKey] != w->place->key) {
    failAttention(a, s->first, "has no dimension of its own for the keys");
    return false;
  }
  intptr_t keySide = ofKey >= split;
  IrShape contracted = productSizes(irOperand(s->first, 0), productContract(s->first, 0));
  IndexVector depth = indexDelinearize(w->index, w->place->depth, contracted);
  const IndexExpr *const *free[] = {&a->scores.dims[numBatch], &a->scores.dims[split]};
  a->query = productOperandIndex(s->first, 1 - keySide, a->scores.dims, free[1 - keySide], depth.dims);
  a->keys = productOperandIndex(s->first, keySide, a->scores.dims, free[keySide], depth.dims);
  a->queryOf = irOperand(s->first, 1 - keySide);
  a->keysOf = irOperand(s->first, keySide);
  for (intptr_t i = 0; i < s->row.rank; ++i)
    if (!indexIsConstant(w->place->row[i]) && attentionDependsOn(&a->keys, w->place->row[i])) {
      failAttention(a, s->first, "has other keys for each row of a batch");
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Dependences of values
//===----------------------------------------------------------------------===//

static int dependences(AttentionWalk *w, MlirValue value, const IndexVector *index);

static int visitScores(AttentionWalk *w, MlirOperation op, const IndexVector *index) {
  if (!w->hasScores)
    w->attention->scores = *index;
  else if (!attentionSameIndex(&w->attention->scores, index))
    return failAttention(w->attention, op, "is read at two different elements for one weight");
  w->hasScores = true;
  return ON_SCORES | ON_KEY;
}

static int visitReduce(AttentionWalk *w, MlirOperation op, const IndexVector *index) {
  Attention *a = w->attention;
  IrShape dims = irGetDims(op, "dims"), shape = irShapeOf(irOperand(op, 0));
  AttentionReduce reduce = {.op = op, .index = *index};
  bool isOfKeys =
      dims.rank == 1 && shape.dims[dims.dims[0]] == w->sizes->keys && !attentionDependsOn(index, w->place->key);
  if (!isOfKeys || !attentionKindOfReduce(op, &reduce.kind))
    return failAttention(a, op, "is no maximum and no sum over the keys of a row");
  for (intptr_t d = 0, next = 0; d < shape.rank; ++d)
    reduce.operandIndex.dims[d] = d == dims.dims[0] ? w->place->key : index->dims[next++];
  reduce.operandIndex.rank = shape.rank;
  int depends = dependences(w, irOperand(op, 0), &reduce.operandIndex);
  if (depends & FAILED)
    return FAILED;
  if (!(depends & ON_SCORES) || (reduce.kind != ATTENTION_SUM && (depends & ON_ROW)))
    return failAttention(a, op,
                         "reduces a value other than scores, or a maximum of values that depend on other reduces");
  if (a->numReduces == ATTENTION_MAX_REDUCES)
    return failAttention(a, op, "is a reduce too many");
  a->reduces[a->numReduces++] = reduce;
  return ON_ROW;
}

static int visitOperands(AttentionWalk *w, MlirOperation op, const IndexVector *index) {
  int depends = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    IndexVector operand;
    if (!indexPropagate(w->index, op, i, index, &operand))
      return failAttention(w->attention, op, "takes other elements than its own");
    depends |= dependences(w, irOperand(op, i), &operand);
    if (depends & FAILED)
      return FAILED;
  }
  return depends;
}

static int visit(AttentionWalk *w, MlirValue value, const IndexVector *index) {
  MlirOperation op = irDefiningOp(value);
  int onKey = attentionDependsOn(index, w->place->key) ? ON_KEY : 0;
  if (mlirOperationIsNull(op))
    return onKey;
  TgKind kind = tgKindOf(op);
  TgClass class = tgClassOfKind(kind);
  if (mlirOperationEqual(op, w->sizes->first))
    return visitScores(w, op, index);
  if (kind == TG_reduce)
    return visitReduce(w, op, index);
  if (class == TG_CLASS_SOURCE)
    return onKey;
  if (class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE)
    return visitOperands(w, op, index);
  return failAttention(w->attention, op, "is no elementwise operation, and no reduce over the keys");
}

static int dependences(AttentionWalk *w, MlirValue value, const IndexVector *index) {
  for (intptr_t i = 0; i < w->numVisits; ++i)
    if (mlirValueEqual(w->visits[i]->value, value) && attentionSameIndex(&w->visits[i]->index, index))
      return w->visits[i]->depends;
  int depends = visit(w, value, index);
  AttentionVisit *done = IR_NEW(&w->arena, AttentionVisit);
  *done = (AttentionVisit){value, *index, depends};
  IR_RESERVE_ONE(w->visits, w->numVisits, w->capacity);
  w->visits[w->numVisits++] = done;
  return depends;
}

/// Finds the elements of a reduce that the weights do not depend on. Its operand is evaluated at an index at which a
/// value of its shape is known to be of the same scores.
static bool visitBesides(AttentionWalk *w, MlirOperation op) {
  MlirValue operand = irOperand(op, 0);
  IrShape shape = irShapeOf(operand), dims = irGetDims(op, "dims");
  for (int sameValue = 1; sameValue >= 0; --sameValue)
    for (intptr_t i = 0; i < w->numVisits; ++i) {
      const AttentionVisit *known = w->visits[i];
      if (!(known->depends & ON_SCORES) || (known->depends & FAILED) ||
          mlirValueEqual(known->value, operand) != sameValue || !irShapesEqual(irShapeOf(known->value), shape))
        continue;
      IndexVector at = {0};
      for (intptr_t d = 0; d < shape.rank; ++d)
        if (!irContains(dims, d))
          at.dims[at.rank++] = known->index.dims[d];
      w->attention->reason = NULL;
      if (!(dependences(w, irResult(op, 0), &at) & FAILED))
        return true;
    }
  return failAttention(w->attention, op, "is no reduce over the keys of a row") != FAILED;
}

/// Whether a value, or the result of moving it, is a result of the kernel.
static bool isResult(MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TgKind kind = tgKindOf(user);
    if (kind == TG_NONE || (tgClassOfKind(kind) == TG_CLASS_SHAPE && isResult(irResult(user, 0))))
      return true;
  }
  return false;
}

bool attentionHasRowsOf(MlirOperation reduce, int64_t rows) {
  MlirValue value = irResult(reduce, 0);
  return irNumElements(irShapeOf(value)) == rows || !isResult(value);
}

static bool hasRowsOfWeights(AttentionWalk *w, const AttentionReduce *reduce) {
  int64_t rows = irNumElements(w->sizes->batch) * irNumElements(w->sizes->row);
  return attentionHasRowsOf(reduce->op, rows) ||
         failAttention(w->attention, reduce->op, "has other rows than the weights") != FAILED;
}

/// Reduces that are results only.
static bool visitOthers(AttentionWalk *w) {
  IR_FOR_EACH_OP(op, mlirOperationGetBlock(w->sizes->first)) {
    bool isKnown = tgKindOf(op) != TG_reduce;
    for (intptr_t i = 0; i < w->attention->numReduces && !isKnown; ++i)
      isKnown = mlirOperationEqual(w->attention->reduces[i].op, op);
    if (!isKnown && !visitBesides(w, op))
      return false;
  }
  for (intptr_t i = 0; i < w->attention->numReduces; ++i)
    if (!hasRowsOfWeights(w, &w->attention->reduces[i]))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

static bool keepsValue(MlirOperation op) {
  if (mlirOperationIsNull(op))
    return false;
  bool fromFloat = tgKindOf(op) == TG_convert && irIsFloat(irElementTypeOf(irOperand(op, 0))) &&
                   irIsFloat(irElementTypeOf(irResult(op, 0)));
  return fromFloat || (tgClassOfKind(tgKindOf(op)) == TG_CLASS_SHAPE && mlirOperationGetNumOperands(op) == 1);
}

/// Goes through conversions and operations that only move elements.
static MlirOperation behindMoves(AttentionWalk *w, MlirValue *value, IndexVector *index) {
  MlirOperation op = irDefiningOp(*value);
  for (IndexVector operand; keepsValue(op) && indexPropagate(w->index, op, 0, index, &operand);) {
    *value = irOperand(op, 0);
    *index = operand;
    op = irDefiningOp(*value);
  }
  return op;
}

/// Whether a value of a row is the maximum of `x` over the keys, or, where that is not finite, a constant; and which.
static bool isMaximumOf(AttentionWalk *w, MlirValue value, IndexVector index, MlirValue x, const IndexVector *xIndex,
                        intptr_t *maximum) {
  MlirOperation op = behindMoves(w, &value, &index);
  if (mlirOperationIsNull(op))
    return false;
  if (tgKindOf(op) == TG_select) {
    MlirValue pred = irOperand(op, 0), constant = irOperand(op, 2);
    IndexVector ofPred = index, ofConstant = index;
    MlirOperation test = behindMoves(w, &pred, &ofPred), other = behindMoves(w, &constant, &ofConstant);
    return !mlirOperationIsNull(test) && tgKindOf(test) == TG_is_finite && tgIsSplat(other) &&
           isMaximumOf(w, irOperand(test, 0), ofPred, x, xIndex, maximum) &&
           isMaximumOf(w, irOperand(op, 1), index, x, xIndex, maximum);
  }
  if (tgKindOf(op) != TG_reduce || irGetInt(op, "kind", -1) != TG_REDUCE_MAX)
    return false;
  for (intptr_t i = 0; i < w->attention->numReduces; ++i) {
    const AttentionReduce *reduce = &w->attention->reduces[i];
    *maximum = i;
    MlirValue reduced = irOperand(op, 0);
    IndexVector at = reduce->operandIndex;
    if (!mlirOperationEqual(reduce->op, op))
      continue;
    behindMoves(w, &reduced, &at);
    return mlirValueEqual(reduced, x) && attentionSameIndex(&at, xIndex);
  }
  return false;
}

static bool addExponential(AttentionWalk *w, MlirOperation op, const IndexVector *index, intptr_t *number) {
  Attention *a = w->attention;
  AttentionExponential exponential = {.op = op};
  MlirValue exponent = irOperand(op, 0);
  IndexVector at = *index;
  MlirOperation sub = behindMoves(w, &exponent, &at);
  if (dependences(w, exponent, &at) & ON_ROW) {
    if (mlirOperationIsNull(sub) || tgKindOf(sub) != TG_sub)
      return failAttention(a, op, "is of something else than scores less their maximum") != FAILED;
    exponential.subtrahend = irOperand(sub, 1);
    exponential.index = at;
    MlirValue x = irOperand(sub, 0);
    IndexVector xIndex = at;
    behindMoves(w, &x, &xIndex);
    if ((dependences(w, irOperand(sub, 0), &at) & ON_ROW) ||
        !isMaximumOf(w, irOperand(sub, 1), at, x, &xIndex, &exponential.maximum))
      return failAttention(a, sub, "subtracts a value other than the maximum of the minuend") != FAILED;
  }
  for (*number = 0; *number < a->numExponentials; ++*number)
    if (mlirOperationEqual(a->exponentials[*number].op, op))
      return true;
  if (a->numExponentials == ATTENTION_MAX_EXPONENTIALS)
    return failAttention(a, op, "is an exponential too many") != FAILED;
  a->exponentials[a->numExponentials++] = exponential;
  return true;
}

/// How a value is linear in an exponential.
typedef struct {
  bool takesFactors; ///< there may be factors of the row
  unsigned selections;
  intptr_t exponential;
} Linear;

static bool addFactor(AttentionWalk *w, MlirOperation op, intptr_t operand, const IndexVector *index,
                      AttentionFactorKind kind, const Linear *linear) {
  Attention *a = w->attention;
  if (a->numFactors == ATTENTION_MAX_FACTORS)
    return failAttention(a, op, "is a factor too many") != FAILED;
  a->factors[a->numFactors++] = (AttentionFactor){irOperand(op, operand), *index, kind, linear->selections};
  return true;
}

/// A factor of the element alone, on either side of a division.
static void addScale(Attention *a, MlirValue value, bool divides) {
  double number;
  bool isNumber = tgFloatSplat(value, &number) && isfinite(number) && (!divides || number != 0);
  a->isScaled |= !isNumber;
  a->largest *= isNumber ? fmax(divides ? 1 / fabs(number) : fabs(number), 1) : 1;
}

/// The operand of a product or quotient that has the exponential; the other one is a factor of the row, or belongs to
/// the element. -1 after a failure.
static intptr_t takeFactor(AttentionWalk *w, MlirOperation op, const IndexVector *index, const Linear *linear) {
  bool isDiv = tgKindOf(op) == TG_div;
  intptr_t of = !isDiv && !(dependences(w, irOperand(op, 0), index) & ON_SCORES);
  int depends = dependences(w, irOperand(op, 1 - of), index);
  if (!(depends & (ON_SCORES | ON_ROW))) {
    MlirValue value = irOperand(op, 1 - of);
    IndexVector at = *index;
    behindMoves(w, &value, &at);
    addScale(w->attention, value, isDiv);
    return of;
  }
  if ((depends & (ON_SCORES | ON_KEY)) || !linear->takesFactors) {
    failAttention(w->attention, op, "is not linear in one exponential with factors of its row");
    return -1;
  }
  return addFactor(w, op, 1 - of, index, isDiv ? ATTENTION_DIVIDES : ATTENTION_MULTIPLIES, linear) ? of : -1;
}

static bool addSelection(AttentionWalk *w, MlirOperation op, const IndexVector *index, bool inverted, Linear *linear) {
  Attention *a = w->attention;
  MlirValue value = irOperand(op, 0);
  intptr_t number = 0;
  while (number < a->numSelections &&
         !(mlirValueEqual(a->selections[number].value, value) && a->selections[number].inverted == inverted &&
           attentionSameIndex(&a->selections[number].index, index)))
    ++number;
  if (number == ATTENTION_MAX_SELECTIONS)
    return failAttention(a, op, "is a selection too many") != FAILED;
  if (number == a->numSelections)
    a->selections[a->numSelections++] = (AttentionSelection){value, *index, inverted};
  linear->selections |= 1u << number;
  return true;
}

/// The operand of a select that has the exponential, where the other one is 0. A select for a whole row is a factor. -1
/// after a failure.
static intptr_t takeSelect(AttentionWalk *w, MlirOperation op, const IndexVector *index, Linear *linear) {
  IndexVector ofPred;
  intptr_t of = -1;
  for (intptr_t i = 1; i <= 2; ++i) {
    MlirValue zero = irOperand(op, i);
    IndexVector ofZero = *index;
    behindMoves(w, &zero, &ofZero);
    of = tgIsFloatZero(zero) ? 3 - i : of;
  }
  bool known = of > 0 && indexPropagate(w->index, op, 0, index, &ofPred);
  int depends = known ? dependences(w, irOperand(op, 0), &ofPred) : FAILED;
  if (!(depends & (ON_SCORES | ON_KEY | FAILED)) && linear->takesFactors)
    return addFactor(w, op, 0, &ofPred, of == 2 ? ATTENTION_CLEARS : ATTENTION_KEEPS, linear) ? of : -1;
  if (!(depends & (ON_SCORES | ON_ROW | FAILED)))
    return addSelection(w, op, &ofPred, of == 2, linear) ? of : -1;
  failAttention(w->attention, op, "is not linear in one exponential");
  return -1;
}

/// Takes a value that is linear in an exponential apart.
static bool takeApart(AttentionWalk *w, MlirValue value, IndexVector index, Linear *linear) {
  MlirOperation op = behindMoves(w, &value, &index);
  intptr_t of = 0;
  switch (mlirOperationIsNull(op) ? TG_NONE : tgKindOf(op)) {
  case TG_exp:
    return addExponential(w, op, &index, &linear->exponential);
  case TG_mul:
  case TG_div:
    of = takeFactor(w, op, &index, linear);
    return of >= 0 && takeApart(w, irOperand(op, of), index, linear);
  case TG_select:
    of = takeSelect(w, op, &index, linear);
    return of >= 0 && takeApart(w, irOperand(op, of), index, linear);
  default:
    break;
  }
  return failAttention(w->attention, mlirOperationIsNull(op) ? w->sizes->second : op,
                       "is not linear in one exponential") != FAILED;
}

/// Has rows know whether any key is in all of some selections.
static void addAny(Attention *a, unsigned selections) {
  for (intptr_t i = 0; i < a->numAny; ++i)
    if (a->any[i] == selections)
      return;
  if (selections != 0)
    a->any[a->numAny++] = selections;
}

static bool takeAllApart(AttentionWalk *w) {
  enum { LARGEST_F16 = 1 << 15 };
  Attention *a = w->attention;
  MlirValue weights = irOperand(w->sizes->second, w->sizes->weights);
  Linear ofWeights = {.takesFactors = true};
  a->largest = 1;
  if (!takeApart(w, weights, a->weights, &ofWeights))
    return false;
  a->exponential = ofWeights.exponential;
  a->exponentialSelections = ofWeights.selections;
  bool isBounded =
      !a->isScaled && a->largest <= LARGEST_F16 && !mlirValueIsNull(a->exponentials[a->exponential].subtrahend);
  if (mlirTypeIsAF16(irElementTypeOf(weights)) && !isBounded)
    return failAttention(a, w->sizes->second, "has weights in f16 that could be too large before they are divided") !=
           FAILED;
  addAny(a, a->exponentialSelections);
  for (intptr_t i = 0; i < a->numFactors; ++i)
    addAny(a, a->factors[i].selections);
  for (intptr_t i = 0; i < a->numReduces; ++i) {
    AttentionReduce *reduce = &a->reduces[i];
    Linear linear = {.takesFactors = false};
    if (reduce->kind != ATTENTION_SUM)
      continue;
    if (!takeApart(w, irOperand(reduce->op, 0), reduce->operandIndex, &linear))
      return false;
    reduce->exponential = linear.exponential;
    reduce->selections = linear.selections;
    addAny(a, reduce->selections);
  }
  return true;
}

bool attentionAnalyse(IndexContext *index, const AttentionSizes *sizes, const AttentionPlace *place,
                      Attention *attention) {
  *attention = (Attention){0};
  AttentionWalk w = {.index = index, .sizes = sizes, .place = place, .attention = attention};
  placeSecondProduct(&w);
  int depends = dependences(&w, irOperand(sizes->second, sizes->weights), &attention->weights);
  bool succeeded = !(depends & FAILED) && placeFirstProduct(&w) && visitOthers(&w) && takeAllApart(&w);
  free(w.visits);
  irArenaDestroy(&w.arena);
  return succeeded;
}
