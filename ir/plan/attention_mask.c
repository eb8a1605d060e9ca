//===- attention_mask.c - scores that a causal mask replaces -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of integer tensors that are made of tg.iota, constants and sums of these are known as index expressions.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention_mask.h"

#include "ir/graph/tg.h"

typedef struct {
  IndexContext *index;
  const AttentionPlace *place;
} MaskSearch;

/// Goes through operations that only move elements, and conversions between floats or between integers.
static MlirOperation behindMoves(const MaskSearch *s, MlirValue *value, IndexVector *at) {
  MlirOperation op = irDefiningOp(*value);
  for (IndexVector operand; !mlirOperationIsNull(op); op = irDefiningOp(*value)) {
    bool converts = tgKindOf(op) == TG_convert &&
                    irIsFloat(irElementTypeOf(irOperand(op, 0))) == irIsFloat(irElementTypeOf(irResult(op, 0)));
    bool moves = tgClassOfKind(tgKindOf(op)) == TG_CLASS_SHAPE && mlirOperationGetNumOperands(op) == 1;
    if ((!converts && !moves) || !indexPropagate(s->index, op, 0, at, &operand))
      break;
    *value = irOperand(op, 0);
    *at = operand;
  }
  return op;
}

/// The number that all elements of a constant of signed integers are.
static bool isIntegerSplat(MlirOperation op, int64_t *number) {
  if (!tgIsSplat(op) || !mlirTypeIsAInteger(irElementTypeOf(irResult(op, 0))))
    return false;
  MlirAttribute value = mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
  bool isSmall = mlirAttributeIsAInteger(value) && mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) <= 64 &&
                 !mlirIntegerTypeIsUnsigned(mlirAttributeGetType(value));
  if (!isSmall)
    return false;
  MlirType type = mlirAttributeGetType(value);
  *number = mlirIntegerTypeIsSigned(type) ? mlirIntegerAttrGetValueSInt(value) : mlirIntegerAttrGetValueInt(value);
  return *number > -INT32_MAX && *number < INT32_MAX;
}

/// The element of a tensor of signed integers of 32 bits or more; null if it is not known.
static const IndexExpr *elementOfMask(const MaskSearch *s, MlirValue value, IndexVector at) {
  MlirOperation op = behindMoves(s, &value, &at);
  MlirType type = irElementTypeOf(value);
  int64_t number;
  if (mlirOperationIsNull(op) || irIsUnsigned(type) || !irIsInteger(type) || mlirIntegerTypeGetWidth(type) < 32)
    return NULL;
  if (tgKindOf(op) == TG_iota)
    return at.dims[irGetInt(op, "dim", 0)];
  if (isIntegerSplat(op, &number))
    return indexConstant(s->index, number);
  if (tgKindOf(op) != TG_add && tgKindOf(op) != TG_sub)
    return NULL;
  const IndexExpr *lhs = elementOfMask(s, irOperand(op, 0), at), *rhs = elementOfMask(s, irOperand(op, 1), at);
  if (!lhs || !rhs)
    return NULL;
  return indexAdd(s->index, lhs, tgKindOf(op) == TG_add ? rhs : indexScale(s->index, rhs, -1));
}

/// The limit of a key by a predicate that can be true: a last key, or a first one.
typedef enum { LAST_KEY = -1, FIRST_KEY = 1 } KeyLimit;

/// The last or first key for which a predicate can be true, if it tells one; `isAll`: it is for all on that side.
static const IndexExpr *limitOf(const MaskSearch *s, MlirValue pred, IndexVector at, KeyLimit limit, bool *isAll) {
  MlirOperation op = behindMoves(s, &pred, &at);
  if (mlirOperationIsNull(op))
    return NULL;
  *isAll = tgKindOf(op) == TG_compare;
  if (tgKindOf(op) == TG_and) {
    bool unused;
    const IndexExpr *found = limitOf(s, irOperand(op, 0), at, limit, &unused);
    return found ? found : limitOf(s, irOperand(op, 1), at, limit, &unused);
  }
  if (tgKindOf(op) != TG_compare)
    return NULL;
  int64_t direction = irGetInt(op, "direction", TG_EQ);
  bool swapped = direction == TG_LT || direction == TG_LE;
  if (!swapped && direction != TG_GT && direction != TG_GE)
    return NULL;
  const IndexExpr *more = elementOfMask(s, irOperand(op, swapped), at),
                  *less = elementOfMask(s, irOperand(op, !swapped), at);
  int64_t coefficient, strict = direction == TG_GT || direction == TG_LT;
  if (!more || !less)
    return NULL;
  // more - less >= 0, or 1: of the key, plus or minus it, and of a rest.
  const IndexExpr *difference =
      indexAddConstant(s->index, indexAdd(s->index, more, indexScale(s->index, less, -1)), -strict);
  if (!indexLinearIn(difference, s->place->key, &coefficient) || coefficient != (int64_t)limit)
    return NULL;
  const IndexExpr *rest = indexAdd(s->index, difference, indexScale(s->index, s->place->key, -coefficient));
  return limit == LAST_KEY ? rest : indexScale(s->index, rest, -1);
}

bool attentionFindMask(IndexContext *index, const Attention *attention, const AttentionPlace *place,
                       AttentionMask *mask) {
  MaskSearch s = {index, place};
  if (attention->isScaled || attention->numExponentials == 0 || indexIsConstant(place->key))
    return false;
  MlirOperation select = {NULL};
  IndexVector at = {0};
  for (intptr_t i = 0; i < attention->numExponentials; ++i) {
    const AttentionExponential *exponential = &attention->exponentials[i];
    if (mlirValueIsNull(exponential->subtrahend))
      return false;
    const AttentionReduce *maximum = &attention->reduces[exponential->maximum];
    MlirValue value = irOperand(maximum->op, 0);
    at = maximum->operandIndex;
    MlirOperation op = behindMoves(&s, &value, &at);
    if (mlirOperationIsNull(op) || tgKindOf(op) != TG_select || (i > 0 && !mlirOperationEqual(op, select)))
      return false;
    select = op;
  }
  for (intptr_t i = 0; i < attention->numReduces; ++i) { // no maximum of anything else
    bool isOfExponential = attention->reduces[i].kind == ATTENTION_SUM;
    for (intptr_t x = 0; x < attention->numExponentials; ++x)
      isOfExponential |= attention->exponentials[x].maximum == i;
    if (!isOfExponential)
      return false;
  }
  IndexVector ofPred, ofConstant = at;
  MlirValue constant = irOperand(select, 2);
  behindMoves(&s, &constant, &ofConstant);
  if (!indexPropagate(index, select, 0, &at, &ofPred) || !tgFloatSplat(constant, &mask->constant))
    return false;
  mask->select = select;
  mask->at = at;
  bool unused;
  mask->firstKey = limitOf(&s, irOperand(select, 0), ofPred, FIRST_KEY, &unused);
  mask->lastKey = limitOf(&s, irOperand(select, 0), ofPred, LAST_KEY, &mask->showsAll);
  return mask->lastKey != NULL;
}
