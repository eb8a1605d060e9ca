//===- attention_products.c - the two products of an attention -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the two products of a possible attention. Leaves their batch, free and contracted sizes, the types in which
// they are multiplied, and the walk from a value back to the scores.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention_products.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"

#include <stdlib.h>

bool attentionRefuse(Attention *a, MlirOperation culprit, const char *reason) {
  if (!a->reason) {
    a->reason = reason;
    a->culprit = culprit;
  }
  return false;
}

static IrShape freeDims(IrShape shape, IrShape batch, IrShape contract) {
  IrShape free = {0};
  for (intptr_t d = 0; d < shape.rank; ++d)
    if (!irContains(batch, d) && !irContains(contract, d))
      free.dims[free.rank++] = d;
  return free;
}

IrShape productBatch(MlirOperation dot, intptr_t operand) {
  return irGetDims(dot, operand == 0 ? "lhs_batch" : "rhs_batch");
}

IrShape productContract(MlirOperation dot, intptr_t operand) {
  return irGetDims(dot, operand == 0 ? "lhs_contract" : "rhs_contract");
}

IrShape productFree(MlirOperation dot, intptr_t operand) {
  return freeDims(irShapeOf(irOperand(dot, operand)), productBatch(dot, operand), productContract(dot, operand));
}

IrShape productSizes(MlirValue value, IrShape dims) {
  IrShape shape = irShapeOf(value), sizes = {.rank = dims.rank};
  for (intptr_t i = 0; i < dims.rank; ++i)
    sizes.dims[i] = shape.dims[dims.dims[i]];
  return sizes;
}

bool productIsTf32(MlirOperation dot) { return tgPrecisionOf(dot) == TG_PRECISION_TF32; }

bool productHasParts(MlirOperation dot) { return irHasAttr(dot, PRODUCT_BF16_PARTS); }

bool productCanHaveParts(MlirOperation dot, intptr_t weights, MlirValue *narrow) {
  MlirOperation convert = irDefiningOp(irOperand(dot, 1 - weights));
  if (mlirOperationIsNull(convert) || tgKindOf(convert) != TG_convert || productIsTf32(dot) ||
      !mlirTypeIsAF32(irElementTypeOf(irOperand(dot, weights))) || !mlirTypeIsAF32(irElementTypeOf(irResult(dot, 0))))
    return false;
  *narrow = irOperand(convert, 0);
  return mlirTypeIsAF32(irElementTypeOf(irResult(convert, 0))) && mlirTypeIsABF16(irElementTypeOf(*narrow));
}

bool productTakesFloat(MlirType type) {
  return mlirTypeIsAF32(type) || mlirTypeIsAF64(type) || mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

bool productMultipliesFloats(MlirOperation dot) {
  return productTakesFloat(irElementTypeOf(irOperand(dot, 0))) &&
         productTakesFloat(irElementTypeOf(irOperand(dot, 1))) && productTakesFloat(irElementTypeOf(irResult(dot, 0)));
}

bool attentionComesFrom(MlirValue value, MlirOperation op) {
  MlirOperation defining = irDefiningOp(value);
  if (mlirOperationIsNull(defining) || mlirOperationEqual(defining, op))
    return !mlirOperationIsNull(defining);
  if (!mlirOperationIsBeforeInBlock(op, defining))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(defining); ++i)
    if (attentionComesFrom(irOperand(defining, i), op))
      return true;
  return false;
}

static bool isOfHalfWidth(MlirValue value) {
  MlirType type = irElementTypeOf(value);
  return mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

/// Values to be looked at, each once: a value may be read in many ways.
typedef struct {
  MlirValue *data;
  intptr_t count, capacity;
  IrMap seen;
} Reached;

static void reach(Reached *r, MlirValue value) {
  if (irMapContains(&r->seen, value.ptr))
    return;
  irMapSet(&r->seen, value.ptr, 0);
  IR_RESERVE_ONE(r->data, r->count, r->capacity);
  r->data[r->count++] = value;
}

/// Whether a product reads `value` that rounds it to 11 digits or fewer. If not, follows the elementwise functions of
/// it.
static bool isRoundedOperand(Reached *r, MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TgClass class = tgClassOfKind(tgKindOf(user));
    if (tgKindOf(user) == TG_dot && (isOfHalfWidth(value) || productIsTf32(user)))
      return true;
    if (class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE)
      reach(r, irResult(user, 0));
  }
  return false;
}

bool productRoundsResult(MlirOperation op) {
  enum { MOST_OPERATIONS = 8 }; // between: a quotient, a select, a product (dropout), conversions and moves
  if (tgKindOf(op) != TG_exp && tgKindOf(op) != TG_div)
    return false;
  Reached reached = {0};
  bool isFound = false;
  reach(&reached, irResult(op, 0));
  for (intptr_t i = 0, between = 0; between <= MOST_OPERATIONS && !isFound; ++between)
    for (intptr_t end = reached.count; i < end && !isFound; ++i)
      isFound = isRoundedOperand(&reached, reached.data[i]);
  irMapDestroy(&reached.seen);
  free(reached.data);
  return isFound;
}

IndexVector productOperandIndex(MlirOperation dot, intptr_t operand, const IndexExpr *const *batch,
                                const IndexExpr *const *free, const IndexExpr *const *contract) {
  IrShape batchDims = productBatch(dot, operand), freeOnes = productFree(dot, operand),
          contracted = productContract(dot, operand);
  IndexVector index = {.rank = irShapeOf(irOperand(dot, operand)).rank};
  for (intptr_t i = 0; i < batchDims.rank; ++i)
    index.dims[batchDims.dims[i]] = batch[i];
  for (intptr_t i = 0; i < freeOnes.rank; ++i)
    index.dims[freeOnes.dims[i]] = free[i];
  for (intptr_t i = 0; i < contracted.rank; ++i)
    index.dims[contracted.dims[i]] = contract[i];
  return index;
}

bool attentionSameIndex(const IndexVector *a, const IndexVector *b) {
  bool same = a->rank == b->rank;
  for (intptr_t i = 0; same && i < a->rank; ++i)
    same = a->dims[i] == b->dims[i];
  return same;
}

bool attentionDependsOn(const IndexVector *index, const IndexExpr *variable) {
  for (intptr_t i = 0; i < index->rank; ++i)
    if (indexDependsOn(index->dims[i], variable))
      return true;
  return false;
}

bool attentionKindOfReduce(MlirOperation op, AttentionReduceKind *kind) {
  int64_t named = irGetInt(op, "kind", -1);
  MlirType element = irElementTypeOf(irResult(op, 0));
  *kind = named == TG_REDUCE_MAX ? ATTENTION_MAX : named == TG_REDUCE_ADD ? ATTENTION_SUM : ATTENTION_ANY;
  return *kind == ATTENTION_ANY ? named == TG_REDUCE_OR && irIsBool(element) : productTakesFloat(element);
}

bool attentionSizesOf(MlirBlock body, AttentionSizes *sizes, Attention *attention) {
  *sizes = (AttentionSizes){0};
  *attention = (Attention){0};
  intptr_t count = 0;
  IR_FOR_EACH_OP(op, body) {
    if (tgKindOf(op) != TG_dot)
      continue;
    *(count++ == 0 ? &sizes->first : &sizes->second) = op;
    if (count > 2 || !productMultipliesFloats(op))
      return attentionRefuse(attention, op, "is a product too many, or not one of floats");
  }
  if (count < 2)
    return attentionRefuse(attention, mlirBlockGetTerminator(body), "is not behind two products");
  sizes->weights = attentionComesFrom(irOperand(sizes->second, 1), sizes->first);
  if (attentionComesFrom(irOperand(sizes->second, 0), sizes->first) == (sizes->weights == 1))
    return attentionRefuse(attention, sizes->second, "has both operands, or none, from the scores");
  MlirValue weights = irOperand(sizes->second, sizes->weights), values = irOperand(sizes->second, 1 - sizes->weights);
  IrShape contract = productContract(sizes->second, sizes->weights);
  if (contract.rank != 1)
    return attentionRefuse(attention, sizes->second, "contracts other than one dimension, the keys");
  sizes->batch = productSizes(weights, productBatch(sizes->second, sizes->weights));
  sizes->row = productSizes(weights, productFree(sizes->second, sizes->weights));
  sizes->keys = irShapeOf(weights).dims[contract.dims[0]];
  sizes->numBatches = irNumElements(sizes->batch);
  sizes->rows = irNumElements(sizes->row);
  sizes->features = irNumElements(productSizes(values, productFree(sizes->second, 1 - sizes->weights)));
  sizes->depth = irNumElements(productSizes(irOperand(sizes->first, 0), productContract(sizes->first, 0)));
  if (sizes->keys < 2 || sizes->depth < 1 || sizes->features < 1 || sizes->rows < 1 || sizes->numBatches < 1)
    return attentionRefuse(attention, sizes->second, "has a single key, or nothing to multiply");
  return true;
}

static const IndexExpr *variableBelow(IndexContext *index, int64_t size) {
  return size == 1 ? indexConstant(index, 0) : indexVariable(index, size);
}

AttentionPlace attentionAnyPlace(IndexContext *index, const AttentionSizes *sizes) {
  AttentionPlace place = {.key = variableBelow(index, sizes->keys),
                          .depth = variableBelow(index, sizes->depth),
                          .feature = variableBelow(index, sizes->features)};
  for (intptr_t i = 0; i < sizes->batch.rank; ++i)
    place.batch[i] = variableBelow(index, sizes->batch.dims[i]);
  for (intptr_t i = 0; i < sizes->row.rank; ++i)
    place.row[i] = variableBelow(index, sizes->row.dims[i]);
  return place;
}
