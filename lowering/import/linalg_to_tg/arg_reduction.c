//===- arg_reduction.c - where the largest element is --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction of two outputs: one has the largest element so far (or the smallest), the other the number of the first
// one that was larger than all before. The operation tg.arg_reduce prefers NaN to all numbers. So does torch-mlir's and
// TOSA's reduction only if it says so; others never choose it, and choose nothing behind it if the other output then is
// NaN.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_conversion.h"

#include <math.h>

typedef enum { TAKES_NAN, PASSES_OVER_NAN, ENDS_AT_NAN } OfNaN;

/// select(element > accumulator, index, accumulator of indices)
typedef struct {
  MlirValue condition;
  OfNaN ofNaN;
  MlirValue element, accumulator;
  intptr_t valueOutput;
  int64_t dim; ///< which the index counts
  TgReduceKind kind;
} ArgReduction;

static bool isAccumulator(const LinalgGeneric *g, MlirValue value, intptr_t *output) {
  if (!mlirValueIsABlockArgument(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), irBody(g->op, 0)))
    return false;
  *output = mlirBlockArgumentGetArgNumber(value) - g->numInputs;
  return *output >= 0;
}

/// The loop whose index a value is; -1 if it is none.
static int64_t loopOf(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (!mlirOperationIsNull(op) && irOpIs(op, "arith.index_cast"))
    op = irDefiningOp(irOperand(op, 0));
  return !mlirOperationIsNull(op) && irOpIs(op, "linalg.index") ? irGetInt(op, "dim", -1) : -1;
}

/// Whether a comparison asks for the larger element, or the smaller one: an ordered one, or of integers; or one that is
/// true of NaN, too.
static bool compares(MlirOperation op, bool isUnordered, TgReduceKind *kind) {
  enum { OGT = 2, OLT = 4, UGT = 9, ULT = 11, SGT = 4, SLT = 2 };
  bool isFloat = !mlirOperationIsNull(op) && irOpIs(op, "arith.cmpf");
  if (mlirOperationIsNull(op) || !(isFloat || irOpIs(op, "arith.cmpi")) || (isUnordered && !isFloat))
    return false;
  int64_t predicate = irGetInt(op, "predicate", -1);
  *kind = predicate == (isUnordered ? UGT : isFloat ? OGT : SGT) ? TG_REDUCE_MAX : TG_REDUCE_MIN;
  return *kind == TG_REDUCE_MAX || predicate == (isUnordered ? ULT : isFloat ? OLT : SLT);
}

/// Whether `op` asks whether `value` is a number.
static bool asksForNumber(MlirOperation op, MlirValue value) {
  enum { ORD = 7 };
  return !mlirOperationIsNull(op) && irOpIs(op, "arith.cmpf") && irGetInt(op, "predicate", -1) == ORD &&
         mlirValueEqual(irOperand(op, 0), value) && mlirValueEqual(irOperand(op, 1), value);
}

/// element > accumulator; or that or NaN, and the accumulator is a number.
static bool readCondition(MlirValue condition, ArgReduction *r) {
  MlirOperation op = irDefiningOp(condition);
  r->condition = condition;
  if (!mlirOperationIsNull(op) && irOpIs(op, "arith.andi")) {
    MlirOperation other = irDefiningOp(irOperand(op, 1));
    op = irDefiningOp(irOperand(op, 0));
    r->ofNaN = TAKES_NAN;
    if (!compares(op, true, &r->kind) || !asksForNumber(other, irOperand(op, 1)))
      return false;
  } else if (!compares(op, false, &r->kind)) {
    return false;
  }
  r->element = irOperand(op, 0);
  r->accumulator = irOperand(op, 1);
  return true;
}

/// Whether the other output has the largest element so far (or the smallest), and its treatment of NaN.
static bool followsValue(const LinalgGeneric *g, ArgReduction *r) {
  MlirOperation op = irDefiningOp(irOperand(mlirBlockGetTerminator(irBody(g->op, 0)), r->valueOutput));
  static const char *const names[2][2] = {{"arith.minimumf", "arith.minsi"}, {"arith.maximumf", "arith.maxsi"}};
  const char *const *kinds = names[r->kind == TG_REDUCE_MAX];
  if (mlirOperationIsNull(op))
    return false;
  MlirValue lhs = irOperand(op, 0), rhs = irOperand(op, 1);
  if (irOpIs(op, "arith.select")) {
    if (r->ofNaN != TAKES_NAN)
      r->ofNaN = PASSES_OVER_NAN;
    return mlirValueEqual(lhs, r->condition) && mlirValueEqual(rhs, r->element) &&
           mlirValueEqual(irOperand(op, 2), r->accumulator);
  }
  bool isExtreme = irOpIs(op, kinds[0]) || irOpIs(op, kinds[1]);
  return isExtreme && r->ofNaN != TAKES_NAN &&
         ((mlirValueEqual(lhs, r->element) && mlirValueEqual(rhs, r->accumulator)) ||
          (mlirValueEqual(rhs, r->element) && mlirValueEqual(lhs, r->accumulator)));
}

static bool match(const LinalgGeneric *g, intptr_t output, ArgReduction *r) {
  MlirOperation select = irDefiningOp(irOperand(mlirBlockGetTerminator(irBody(g->op, 0)), output));
  intptr_t index, numReduced = 0;
  if (mlirOperationIsNull(select) || !irOpIs(select, "arith.select") || mlirOperationGetNumOperands(select) != 3)
    return false;
  *r = (ArgReduction){.ofNaN = ENDS_AT_NAN};
  if (!readCondition(irOperand(select, 0), r) || !isAccumulator(g, irOperand(select, 2), &index) || index != output)
    return false;
  r->dim = loopOf(irOperand(select, 1));
  for (intptr_t i = 0; i < g->numDims; ++i)
    numReduced += g->isReduction[i];
  return r->dim >= 0 && numReduced == 1 && g->isReduction[r->dim] && g->sizes.dims[r->dim] <= INT32_MAX &&
         isAccumulator(g, r->accumulator, &r->valueOutput) && linalgCoversParallel(g, r->valueOutput) &&
         followsValue(g, r);
}

/// The candidates, with a value that is never chosen in the place of the others: NaN, and elements behind it.
static MlirValue candidates(const LinalgGeneric *g, IrBuilder *b, MlirValue x, const ArgReduction *r) {
  MlirValue never = tgSplatLike(b, x, r->kind == TG_REDUCE_MAX ? -INFINITY : INFINITY);
  if (r->ofNaN == PASSES_OVER_NAN)
    return tgSelect(b, tgCompare(b, TG_EQ, x, x), x, never);
  IrShape dim = {.rank = 1, .dims = {r->dim}}, others = {0};
  for (int64_t i = 0; i < g->numDims; ++i)
    if (i != r->dim)
      others.dims[others.rank++] = i;
  MlirType counts = tgWithElement(mlirValueGetType(x), mlirIntegerTypeGet(b->context, 32));
  MlirValue number = tgIota(b, counts, r->dim);
  MlirValue isNaN = tgCompare(b, TG_NE, x, x);
  MlirValue all = tgSplatBits(b, counts, (uint64_t)g->sizes.dims[r->dim]);
  MlirValue first = tgReduce(b, TG_REDUCE_MIN, tgSelect(b, isNaN, number, all), dim);
  MlirValue isBefore = tgCompare(b, TG_LT, number, tgBroadcast(b, first, counts, others));
  return tgSelect(b, isBefore, x, never);
}

MlirValue linalgArgReduction(const LinalgGeneric *g, LinalgBody *body, intptr_t output) {
  ArgReduction r;
  IrBuilder *b = body->b;
  if (!match(g, output, &r))
    return (MlirValue){NULL};
  MlirValue x = linalgBodyValue(body, r.element);
  if (mlirValueIsNull(x))
    return x;
  if (irIsFloat(irElementTypeOf(x)) && r.ofNaN != TAKES_NAN)
    x = candidates(g, b, x, &r);
  IrShape shape = {0};
  for (int64_t i = 0; i < g->numDims; ++i)
    if (i != r.dim)
      shape.dims[shape.rank++] = g->sizes.dims[i];
  MlirType type = tgWithShape(mlirValueGetType(x), shape);
  MlirOperation reduce =
      irOp(b, "tg.arg_reduce", IR_VALUES(x), IR_TYPES(type, tgWithElement(type, mlirIntegerTypeGet(b->context, 32))),
           IR_ATTRS(irI32(b, "kind", r.kind), irI64(b, "dim", r.dim)));
  // Where nothing is larger than the output's initial value, its index stays, too.
  MlirValue value = linalgAsOutput(g, b, irResult(reduce, 0), r.valueOutput);
  MlirValue begin = linalgBodyValue(body, g->operands[g->numInputs + r.valueOutput]);
  MlirValue beginIndex = linalgBodyValue(body, g->operands[g->numInputs + output]);
  MlirValue index = tgConvert(b, linalgAsOutput(g, b, irResult(reduce, 1), output), irElementTypeOf(beginIndex));
  MlirValue isLarger = tgCompare(b, r.kind == TG_REDUCE_MAX ? TG_GT : TG_LT, value, begin);
  if (r.ofNaN == TAKES_NAN) { // of a number
    MlirValue isNaN = tgCompare(b, TG_NE, value, value), isNumber = tgCompare(b, TG_EQ, begin, begin);
    isLarger = tgBinary(b, "tg.and", tgBinary(b, "tg.or", isLarger, isNaN), isNumber);
  }
  bool haveOneOrder = mlirAffineMapEqual(g->affine[g->numInputs + output], g->affine[g->numInputs + r.valueOutput]);
  return haveOneOrder ? tgSelect(b, isLarger, index, beginIndex) : (MlirValue){NULL};
}
