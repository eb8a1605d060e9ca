//===- sums_behind.c - sums over all iterations, behind the loop ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a counted loop that carries a sum. Leaves the sum as one product behind the loop, whose operands are stacked by
// the iterations. The iteration is one more of the contracted dimensions:
//
//   while(sum = init) { sum += dot(p, q) }   ->   while { stack q }; init + dot(all p, all q)
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "passes/tg_distribute_loops/batch.h"
#include "passes/tg_distribute_loops/products.h"

#include <stdlib.h>

/// The summands of a loop-carried sum.
typedef struct {
  intptr_t sum; ///< the number of the carried value
  MlirOperation add;
  MlirValue value;
  MlirValue moved; ///< its sum over all iterations, behind the loop
} SumTerm;

typedef struct {
  SumTerm *data;
  int64_t count;
  int64_t capacity;
} Terms;

//===----------------------------------------------------------------------===//
// The terms of carried sums
//===----------------------------------------------------------------------===//

/// Adds the terms of a tree of additions that nothing else reads; counts how often the carried value is one of them.
static int64_t collectTerms(MlirOperation loop, intptr_t sum, MlirOperation add, Terms *terms) {
  int64_t found = 0;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue value = irOperand(add, i);
    MlirOperation op = irDefiningOp(value);
    bool isTree = !mlirOperationIsNull(op) && tgKindOf(op) == TG_add && !isOutside(loop, value) && irHasOneUse(value);
    if (mlirValueEqual(value, mlirBlockGetArgument(irBody(loop, 1), sum))) {
      ++found;
    } else if (isTree) {
      found += collectTerms(loop, sum, op, terms);
    } else {
      IR_RESERVE_ONE(terms->data, terms->count, terms->capacity);
      terms->data[terms->count++] = (SumTerm){.sum = sum, .add = add, .value = value};
    }
  }
  return found;
}

static void collectSum(MlirOperation loop, intptr_t sum, Terms *terms) {
  MlirBlock body = irBody(loop, 1);
  MlirValue next = irOperand(mlirBlockGetTerminator(body), sum);
  MlirOperation add = irDefiningOp(next);
  bool isSum = !mlirOperationIsNull(add) && tgKindOf(add) == TG_add && !isOutside(loop, next) && irHasOneUse(next) &&
               irHasOneUse(mlirBlockGetArgument(body, sum)) &&
               mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(irBody(loop, 0), sum))) &&
               irShapeOf(next).rank < IR_MAX_RANK && !irIsBool(irElementTypeOf(next));
  int64_t before = terms->count;
  if (isSum && collectTerms(loop, sum, add, terms) != 1)
    terms->count = before;
}

//===----------------------------------------------------------------------===//
// Which of them move
//===----------------------------------------------------------------------===//

static bool isDot(MlirOperation loop, const SumTerm *term) {
  MlirOperation op = irDefiningOp(term->value);
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_dot && !isOutside(loop, term->value) &&
         irHasOneUse(term->value);
}

/// A product moves if its operands in the body are smaller than the sum, which every iteration reads and writes.
static bool chooseDot(Batching *batching, MlirOperation dot) {
  int64_t least = irTensorBytes(mlirValueGetType(irResult(dot, 0))), stacked = 0;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue operand = irOperand(dot, i);
    if (isOutside(batching->loop, operand) || irShapeOf(operand).rank == IR_MAX_RANK)
      return false;
    stacked += canBatch(batching, operand) ? 0 : irTensorBytes(mlirValueGetType(operand));
  }
  if (stacked > least)
    return false;
  for (intptr_t i = 0; i < 2; ++i)
    batchOrStack(batching, irOperand(dot, i));
  return true;
}

/// Whether a term is itself a sum over its operand's batch.
static bool isSumOfRows(MlirOperation loop, const SumTerm *term) {
  MlirOperation op = irDefiningOp(term->value);
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_reduce && !isOutside(loop, term->value) &&
         irGetInt(op, "kind", -1) == TG_REDUCE_ADD;
}

/// Other terms move if all that they are computed from is in memory.
static bool isChosen(Batching *batching, const SumTerm *term) {
  if (isDot(batching->loop, term))
    return chooseDot(batching, irDefiningOp(term->value));
  MlirValue value = isSumOfRows(batching->loop, term) ? irOperand(irDefiningOp(term->value), 0) : term->value;
  return !isOutside(batching->loop, value) && canBatch(batching, value);
}

//===----------------------------------------------------------------------===//
// Moving them
//===----------------------------------------------------------------------===//

static MlirNamedAttribute shifted(IrBuilder *b, MlirOperation dot, const char *name, bool withIteration) {
  IrShape dims = irGetDims(dot, name), result = {withIteration, {0}};
  for (intptr_t i = 0; i < dims.rank; ++i)
    result.dims[result.rank++] = dims.dims[i] + 1;
  return irDims(b, name, result.rank, result.dims);
}

static MlirValue sumOfDots(Batching *batching, IrBuilder *b, MlirOperation dot) {
  MlirValue lhs = makeBatch(batching, b, irOperand(dot, 0)), rhs = makeBatch(batching, b, irOperand(dot, 1));
  MlirValue sum = irValueOf(b, "tg.dot", IR_VALUES(lhs, rhs), mlirValueGetType(irResult(dot, 0)),
                            IR_ATTRS(shifted(b, dot, "lhs_batch", false), shifted(b, dot, "rhs_batch", false),
                                     shifted(b, dot, "lhs_contract", true), shifted(b, dot, "rhs_contract", true)));
  return tgWithPrecisionOf(dot, sum);
}

static MlirValue sumOf(Batching *batching, IrBuilder *b, const SumTerm *term) {
  MlirOperation op = irDefiningOp(term->value);
  if (isDot(batching->loop, term))
    return sumOfDots(batching, b, op);
  IrShape dims = {1, {0}};
  bool ofRows = isSumOfRows(batching->loop, term);
  for (intptr_t i = 0; ofRows && i < irGetDims(op, "dims").rank; ++i)
    dims.dims[dims.rank++] = irGetDims(op, "dims").dims[i] + 1;
  return tgReduce(b, TG_REDUCE_ADD, makeBatch(batching, b, ofRows ? irOperand(op, 0) : term->value), dims);
}

/// The result of the loop and the sums of the terms that were moved. Without a term left, the result is the sum's
/// initial value.
static void addToResult(Batching *batching, IrBuilder *b, const Terms *terms, intptr_t sum) {
  MlirValue result = irResult(batching->loop, sum), total = {NULL};
  MlirValue next = irOperand(mlirBlockGetTerminator(irBody(batching->loop, 1)), sum);
  bool isUnchanged = mlirValueEqual(next, mlirBlockGetArgument(irBody(batching->loop, 1), sum));
  MlirValue start = irOperand(batching->loop, sum);
  for (int64_t i = 0; i < terms->count; ++i)
    if (terms->data[i].sum == sum)
      total = mlirValueIsNull(total) ? terms->data[i].moved : tgAdd(b, total, terms->data[i].moved);
  if (!isUnchanged || !tgIsFloatZero(start)) {
    total = tgAdd(b, isUnchanged ? start : result, total);
    mlirValueReplaceAllUsesExcept(result, total, 1, (MlirOperation[]){irDefiningOp(total)});
  } else {
    mlirValueReplaceAllUsesOfWith(result, total);
  }
}

/// Takes a term out of the tree of additions. Another term of the same addition is then one of the addition above.
static void removeTerm(const Terms *terms, const SumTerm *term) {
  MlirOperation add = term->add, above = mlirOpOperandGetOwner(mlirValueGetFirstUse(irResult(add, 0)));
  bool isFirst = mlirValueEqual(irOperand(add, 0), term->value);
  mlirValueReplaceAllUsesOfWith(irResult(add, 0), irOperand(add, isFirst ? 1 : 0));
  mlirOperationDestroy(add);
  for (int64_t i = 0; i < terms->count; ++i)
    if (mlirOperationEqual(terms->data[i].add, add))
      terms->data[i].add = above;
}

static void moveTerms(Batching *batching, const Terms *terms) {
  addNewStacks(batching);
  IrBuilder b = irBuilderAfter(batching->loop);
  for (int64_t i = 0; i < terms->count; ++i)
    terms->data[i].moved = sumOf(batching, &b, &terms->data[i]);
  for (int64_t i = 0; i < terms->count; ++i)
    removeTerm(terms, &terms->data[i]);
  for (int64_t i = 0; i < terms->count; ++i)
    if (i == 0 || terms->data[i].sum != terms->data[i - 1].sum)
      addToResult(batching, &b, terms, terms->data[i].sum);
}

int64_t moveSumsBehind(MlirOperation *loop) {
  Batching batching = {.loop = *loop};
  Terms terms = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(*loop); ++i)
    collectSum(*loop, i, &terms);
  int64_t chosen = 0;
  for (int64_t i = 0; i < terms.count; ++i)
    if (isChosen(&batching, &terms.data[i]))
      terms.data[chosen++] = terms.data[i];
  terms.count = chosen;
  if (chosen > 0)
    moveTerms(&batching, &terms);
  *loop = batching.loop;
  free(batching.stacked.data);
  free(terms.data);
  return chosen;
}
