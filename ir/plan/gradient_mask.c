//===- gradient_mask.c - scores that a mask hides from a gradient --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each predicate of a select is tried. Weights and summands are walked, each value with its index, as if it were false.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/gradient_mask.h"

#include "ir/graph/tg.h"
#include "ir/plan/attention_products.h"

enum { MOST_STEPS = 512 };

typedef struct {
  IndexContext *index;
  const GradientSizes *sizes;
  GradientMask *mask;
  bool isPlaced; ///< the predicate's index is known
  int64_t steps; ///< that are left
} GradientMaskSearch;

//===----------------------------------------------------------------------===//
// The predicate
//===----------------------------------------------------------------------===//

static bool isMove(MlirOperation op) {
  return !mlirOperationIsNull(op) && tgClassOfKind(tgKindOf(op)) == TG_CLASS_SHAPE &&
         mlirOperationGetNumOperands(op) == 1;
}

/// Goes through operations that only move elements.
static MlirOperation behindMoves(const GradientMaskSearch *s, MlirValue *value, IndexVector *index) {
  MlirOperation op = irDefiningOp(*value);
  for (IndexVector operand; isMove(op) && indexPropagate(s->index, op, 0, index, &operand);) {
    *value = irOperand(op, 0);
    *index = operand;
    op = irDefiningOp(*value);
  }
  return op;
}

/// Whether a value is computed of numbers of elements and constants alone, by few operations.
static bool isOfNumbers(MlirValue value, int64_t depth) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || depth == 0)
    return false;
  TgClass class = tgClassOfKind(tgKindOf(op));
  if (class == TG_CLASS_SOURCE)
    return tgKindOf(op) == TG_iota || tgIsSplat(op);
  if (class != TG_CLASS_ELEMENTWISE && class != TG_CLASS_SHAPE)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!isOfNumbers(irOperand(op, i), depth - 1))
      return false;
  return true;
}

/// Whether a select asks for the predicate, at the element that all others do.
static bool isMasked(GradientMaskSearch *s, MlirOperation select, const IndexVector *index) {
  GradientElement *mask = &s->mask->predicate;
  MlirValue pred = irOperand(select, 0);
  IndexVector at;
  if (!indexPropagate(s->index, select, 0, index, &at))
    return false;
  behindMoves(s, &pred, &at);
  if (!mlirValueEqual(pred, mask->value))
    return false;
  if (!s->isPlaced)
    mask->index = at;
  s->isPlaced = true;
  return attentionSameIndex(&at, &mask->index);
}

//===----------------------------------------------------------------------===//
// Where it is false
//===----------------------------------------------------------------------===//

/// Notes an element once; false if there are too many.
static bool note(GradientElement *elements, intptr_t *count, MlirValue value, const IndexVector *index) {
  for (intptr_t i = 0; i < *count; ++i)
    if (mlirValueEqual(elements[i].value, value) && attentionSameIndex(&elements[i].index, index))
      return true;
  if (*count == GRADIENT_MAX_HIDDEN)
    return false;
  elements[(*count)++] = (GradientElement){value, *index};
  return true;
}

/// Whether a value needs neither scores nor reduces; `isHidden` is set if that is because of the mask.
static bool isFree(GradientMaskSearch *s, MlirValue value, IndexVector index, bool *isHidden) {
  MlirOperation op = behindMoves(s, &value, &index);
  if (mlirOperationIsNull(op))
    return true;
  TgClass class = tgClassOfKind(tgKindOf(op));
  if (class == TG_CLASS_SOURCE)
    return true;
  if (class != TG_CLASS_ELEMENTWISE || s->steps-- <= 0)
    return false;
  intptr_t first = 0;
  if (tgKindOf(op) == TG_select && isMasked(s, op, &index)) {
    if (!note(s->mask->hidden, &s->mask->numHidden, value, &index))
      return false;
    *isHidden = true;
    first = 2;
  }
  for (intptr_t i = first; i < mlirOperationGetNumOperands(op); ++i) {
    IndexVector operand;
    if (!indexPropagate(s->index, op, i, &index, &operand) || !isFree(s, irOperand(op, i), operand, isHidden))
      return false;
  }
  return true;
}

static bool vanishes(GradientMaskSearch *s, MlirValue value, IndexVector index);

static bool operandVanishes(GradientMaskSearch *s, MlirOperation op, intptr_t operand, const IndexVector *index) {
  IndexVector at;
  return indexPropagate(s->index, op, operand, index, &at) && vanishes(s, irOperand(op, operand), at);
}

/// Whether an operation's element is 0 because its operands are.
static bool vanishesBy(GradientMaskSearch *s, MlirOperation op, const IndexVector *index) {
  switch (tgKindOf(op)) {
  case TG_convert:
  case TG_neg:
  case TG_div:
    return operandVanishes(s, op, 0, index);
  case TG_mul:
    return operandVanishes(s, op, 0, index) || operandVanishes(s, op, 1, index);
  case TG_add:
  case TG_sub:
    return operandVanishes(s, op, 0, index) && operandVanishes(s, op, 1, index);
  case TG_select:
    return (isMasked(s, op, index) || operandVanishes(s, op, 1, index)) && operandVanishes(s, op, 2, index);
  default:
    return false;
  }
}

/// Whether a value is made of no scores because of the mask; then it is noted.
static bool vanishesAsFree(GradientMaskSearch *s, MlirValue value, const IndexVector *index) {
  bool isHidden = false;
  return isFree(s, value, *index, &isHidden) && isHidden &&
         note(s->mask->vanishing, &s->mask->numVanishing, value, index);
}

/// Whether a value is 0 where the predicate is false, if the values noted as vanishing are. As few values as possible
/// are noted, except a quotient with its divisor.
static bool vanishes(GradientMaskSearch *s, MlirValue value, IndexVector index) {
  MlirOperation op = behindMoves(s, &value, &index);
  if (tgIsFloatZero(value))
    return true;
  if (mlirOperationIsNull(op) || s->steps-- <= 0)
    return false;
  bool isPlaced = s->isPlaced, isQuotient = tgKindOf(op) == TG_div && !tgIsSplat(irDefiningOp(irOperand(op, 1)));
  GradientMask before = *s->mask;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if ((attempt == 0) == isQuotient ? vanishesAsFree(s, value, &index) : vanishesBy(s, op, &index))
      return true;
    *s->mask = before;
    s->isPlaced = isPlaced;
  }
  return false;
}

/// Whether all results and sums need nothing of an element that a predicate hides.
static bool hides(GradientMaskSearch *s, const Gradient *at) {
  for (intptr_t i = 0; i < s->sizes->numResults; ++i)
    if (!vanishes(s, irOperand(s->sizes->results[i], s->sizes->weights[i]), at->weights[i]))
      return false;
  for (intptr_t k = 0; k < at->numReduces; ++k) {
    const GradientReduce *reduce = &at->reduces[k];
    if (reduce->kind != ATTENTION_SUM || !vanishes(s, irOperand(reduce->op, 0), reduce->operandIndex))
      return false;
  }
  return s->isPlaced;
}

bool gradientFindMask(IndexContext *index, const GradientSizes *sizes, const Gradient *at, GradientMask *mask) {
  IR_FOR_EACH_OP(op, mlirOperationGetBlock(sizes->results[0])) {
    if (tgKindOf(op) != TG_select)
      continue;
    GradientMaskSearch s = {.index = index, .sizes = sizes, .mask = mask, .steps = MOST_STEPS};
    MlirValue pred = irOperand(op, 0);
    *mask = (GradientMask){0};
    for (MlirOperation move = irDefiningOp(pred); isMove(move); move = irDefiningOp(pred))
      pred = irOperand(move, 0);
    mask->predicate.value = pred;
    if (isOfNumbers(pred, /*depth=*/8) && hides(&s, at))
      return true;
  }
  return false;
}
