//===- check_dot.c - dot --------------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates `dot` in f64: operands are brought into the order batch, free, contracted, and each result element is a sum
// of products (check_products.h). Operands that a product rounds to TF32 add to the error.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_products.h"

#include <stdlib.h>

/// The dimensions of an operand in three groups.
typedef struct {
  CheckShape batch, contracted, free;
  CheckTensor *ordered; ///< [batch][free][contracted]
} DotOperandDims;

static bool isIn(CheckAttribute list, int64_t value) {
  for (int64_t i = 0; i < list.count; ++i)
    if (list.values[i] == value)
      return true;
  return false;
}

static void addDim(CheckShape *shape, int64_t *strides, int64_t size, int64_t stride) {
  strides[shape->rank] = stride;
  shape->dims[shape->rank++] = size;
}

/// The operand with its dimensions in the order batch, free, contracted.
static bool orderSide(const CheckTensor *a, CheckAttribute batch, CheckAttribute contracted, DotOperandDims *side) {
  int64_t own[CHECK_MAX_RANK], groups[3][CHECK_MAX_RANK], strides[CHECK_MAX_RANK];
  *side = (DotOperandDims){0};
  checkShapeStrides(&a->shape, own);
  for (int64_t i = 0; i < batch.count; ++i)
    addDim(&side->batch, groups[0], a->shape.dims[batch.values[i]], own[batch.values[i]]);
  for (int64_t i = 0; i < contracted.count; ++i)
    addDim(&side->contracted, groups[1], a->shape.dims[contracted.values[i]], own[contracted.values[i]]);
  for (int64_t d = 0; d < a->shape.rank; ++d)
    if (!isIn(batch, d) && !isIn(contracted, d))
      addDim(&side->free, groups[2], a->shape.dims[d], own[d]);
  CheckShape all = {0};
  for (int64_t i = 0; i < side->batch.rank; ++i)
    addDim(&all, strides, side->batch.dims[i], groups[0][i]);
  for (int64_t i = 0; i < side->free.rank; ++i)
    addDim(&all, strides, side->free.dims[i], groups[2][i]);
  for (int64_t i = 0; i < side->contracted.rank; ++i)
    addDim(&all, strides, side->contracted.dims[i], groups[1][i]);
  side->ordered = checkTensorCreate(a->type, &all);
  if (!side->ordered || (a->error && !checkTensorAddErrors(side->ordered)))
    return false;
  CheckOdometer o = checkOdometer(&all);
  for (int64_t i = 0; i < side->ordered->count; ++i, checkAdvance(&o)) {
    int64_t place = 0;
    for (int64_t d = 0; d < all.rank; ++d)
      place += o.index[d] * strides[d];
    checkCopyElement(side->ordered, i, a, place);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Operands that are rounded
//===----------------------------------------------------------------------===//

/// The numbers of tg.dot's `precision`.
enum { PRECISION_DEFAULT, PRECISION_TF32 };

/// TF32 has 10 bits, and the exponents of f32: half the distance of its least numbers, and the least one of f32 that is
/// rounded to infinity.
static const double tf32Roundoff = 0x1p-11, tf32Least = 0x1p-137, tf32Overflow = 0x1.ffep127;

static double operandRoundoff(const CheckCall *call) {
  int64_t precision = checkInteger(call->op, "precision", PRECISION_DEFAULT);
  return precision == PRECISION_TF32 ? tf32Roundoff : precision == PRECISION_DEFAULT ? call->operandRoundoff : 0.0;
}

/// For each row of an operand, or column, the loss of products with it beyond a relative roundoff of the other operand;
/// NULL without memory.
static double *lostWith(const DotOperandDims *side) {
  const CheckTensor *a = side->ordered;
  int64_t rows = checkShapeElements(&side->batch) * checkShapeElements(&side->free);
  int64_t depth = checkShapeElements(&side->contracted);
  double *lost = calloc((size_t)rows + 1, sizeof(*lost));
  for (int64_t i = 0; lost && i < rows; ++i) {
    double sum = 0.0;
    for (int64_t k = i * depth; k < (i + 1) * depth; ++k)
      sum += fabs(a->real[k]) + checkErrorAt(a, k);
    lost[i] = !isfinite(sum) ? 0.0 : sum >= tf32Overflow ? INFINITY : tf32Least * sum;
  }
  return lost;
}

typedef struct {
  const CheckCall *call;
  const DotOperandDims *lhs, *rhs;
  const double *lostWithLhs, *lostWithRhs; ///< NULL: operands are not rounded
} CheckedDot;

/// Some rows of the result, counted through all batches.
static void multiplyRows(void *context, int64_t first, int64_t last) {
  const CheckedDot *dot = context;
  int64_t rows = checkShapeElements(&dot->lhs->free), columns = checkShapeElements(&dot->rhs->free);
  int64_t depth = checkShapeElements(&dot->lhs->contracted);
  CheckClass class = checkClassOf(dot->call->results[0]->type);
  const CheckTensor *a = dot->lhs->ordered, *b = dot->rhs->ordered;
  bool isFast = class == CHECK_REAL && !a->error && !b->error;
  for (int64_t i = first; i < last; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t left = i * depth, right = (i / rows * columns + j) * depth;
      CheckSum sum = {0};
      if (isFast)
        sum = checkSumOfReals(a->real + left, b->real + right, depth);
      bool isKnown = isFast && isfinite(sum.real);
      sum = isKnown ? sum : (CheckSum){0};
      for (int64_t k = 0; !isKnown && k < depth; ++k)
        checkAddProduct(&sum, class, a, left + k, b, right + k);
      if (dot->lostWithLhs)
        sum.lost = dot->lostWithLhs[i] + dot->lostWithRhs[i / rows * columns + j];
      checkFinishSum(dot->call, &sum, depth, i * columns + j);
    }
}

const char *checkDot(const CheckCall *call) {
  DotOperandDims lhs = {0}, rhs = {0};
  const CheckOp *op = call->op;
  const char *problem = checkOutOfMemory;
  if (checkTensorAddErrors(call->results[0]) &&
      orderSide(call->operands[0], checkList(op, "lhs_batch"), checkList(op, "lhs_contract"), &lhs) &&
      orderSide(call->operands[1], checkList(op, "rhs_batch"), checkList(op, "rhs_contract"), &rhs)) {
    CheckCall rounding = *call;
    rounding.operandRoundoff = operandRoundoff(call);
    bool rounds = rounding.operandRoundoff > 0.0 && checkClassOf(call->results[0]->type) == CHECK_REAL;
    double *lost[2] = {rounds ? lostWith(&lhs) : NULL, rounds ? lostWith(&rhs) : NULL};
    CheckedDot dot = {&rounding, &lhs, &rhs, lost[0], lost[1]};
    if (!rounds || (lost[0] && lost[1])) {
      checkInParallel(checkShapeElements(&lhs.batch) * checkShapeElements(&lhs.free), multiplyRows, &dot);
      problem = NULL;
    }
    free(lost[0]);
    free(lost[1]);
  }
  checkTensorFree(lhs.ordered);
  checkTensorFree(rhs.ordered);
  return problem;
}
