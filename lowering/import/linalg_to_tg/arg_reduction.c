//===- arg_reduction.c - where the largest element is --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction of two outputs: one has the largest element so far (or the smallest), the other the number of the first
// one that was larger than all before. tg.arg_reduce prefers NaN to all numbers, these comparisons never choose it, and
// choose nothing behind it, as the other output then is NaN.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/conversion.h"

#include <math.h>

/// select(element > accumulator, index, accumulator of indices)
typedef struct {
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

static bool compares(MlirOperation op, TgReduceKind *kind) {
  enum { OGT = 2, OLT = 4, SGT = 4, SLT = 2 };
  if (mlirOperationIsNull(op) || !(irOpIs(op, "arith.cmpf") || irOpIs(op, "arith.cmpi")))
    return false;
  int64_t predicate = irGetInt(op, "predicate", -1);
  bool isFloat = irOpIs(op, "arith.cmpf");
  *kind = predicate == (isFloat ? OGT : SGT) ? TG_REDUCE_MAX : TG_REDUCE_MIN;
  return *kind == TG_REDUCE_MAX || predicate == (isFloat ? OLT : SLT);
}

/// Whether the other output has the largest element so far (or the smallest).
static bool followsValue(const LinalgGeneric *g, const ArgReduction *r) {
  MlirOperation op = irDefiningOp(irOperand(mlirBlockGetTerminator(irBody(g->op, 0)), r->valueOutput));
  static const char *const names[2][2] = {{"arith.minimumf", "arith.minsi"}, {"arith.maximumf", "arith.maxsi"}};
  const char *const *kinds = names[r->kind == TG_REDUCE_MAX];
  if (mlirOperationIsNull(op) || !(irOpIs(op, kinds[0]) || irOpIs(op, kinds[1])))
    return false;
  MlirValue lhs = irOperand(op, 0), rhs = irOperand(op, 1);
  return (mlirValueEqual(lhs, r->element) && mlirValueEqual(rhs, r->accumulator)) ||
         (mlirValueEqual(rhs, r->element) && mlirValueEqual(lhs, r->accumulator));
}

static bool match(const LinalgGeneric *g, intptr_t output, ArgReduction *r) {
  MlirOperation select = irDefiningOp(irOperand(mlirBlockGetTerminator(irBody(g->op, 0)), output));
  intptr_t index, numReduced = 0;
  if (mlirOperationIsNull(select) || !irOpIs(select, "arith.select") || mlirOperationGetNumOperands(select) != 3)
    return false;
  MlirOperation compare = irDefiningOp(irOperand(select, 0));
  if (!compares(compare, &r->kind) || !isAccumulator(g, irOperand(select, 2), &index) || index != output)
    return false;
  r->element = irOperand(compare, 0);
  r->accumulator = irOperand(compare, 1);
  r->dim = loopOf(irOperand(select, 1));
  for (intptr_t i = 0; i < g->numDims; ++i)
    numReduced += g->isReduction[i];
  return r->dim >= 0 && numReduced == 1 && g->isReduction[r->dim] &&
         isAccumulator(g, r->accumulator, &r->valueOutput) && linalgCoversParallel(g, r->valueOutput) &&
         followsValue(g, r);
}

/// The elements in front of the first NaN of their line, and what is never chosen in the place of others.
static MlirValue beforeNaN(const LinalgGeneric *g, IrBuilder *b, MlirValue x, const ArgReduction *r) {
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
  return tgSelect(b, isBefore, x, tgSplatLike(b, x, r->kind == TG_REDUCE_MAX ? -INFINITY : INFINITY));
}

MlirValue linalgArgReduction(const LinalgGeneric *g, LinalgBody *body, intptr_t output) {
  ArgReduction r;
  IrBuilder *b = body->b;
  if (!match(g, output, &r))
    return (MlirValue){NULL};
  MlirValue x = linalgBodyValue(body, r.element);
  if (mlirValueIsNull(x))
    return x;
  if (irIsFloat(irElementTypeOf(x)))
    x = beforeNaN(g, b, x, &r);
  IrShape shape = {0};
  for (int64_t i = 0; i < g->numDims; ++i)
    if (i != r.dim)
      shape.dims[shape.rank++] = g->sizes.dims[i];
  MlirType type = tgWithShape(mlirValueGetType(x), shape);
  MlirOperation reduce =
      irOp(b, "tg.arg_reduce", IR_VALUES(x), IR_TYPES(type, tgWithElement(type, mlirIntegerTypeGet(b->context, 32))),
           IR_ATTRS(irI32(b, "kind", r.kind), irI64(b, "dim", r.dim)));
  // Where nothing is larger than what the output begins with, its index stays, too.
  MlirValue value = linalgAsOutput(g, b, irResult(reduce, 0), r.valueOutput);
  MlirValue begin = linalgBodyValue(body, g->operands[g->numInputs + r.valueOutput]);
  MlirValue beginIndex = linalgBodyValue(body, g->operands[g->numInputs + output]);
  MlirValue index = tgConvert(b, linalgAsOutput(g, b, irResult(reduce, 1), output), irElementTypeOf(beginIndex));
  MlirValue isLarger = tgCompare(b, r.kind == TG_REDUCE_MAX ? TG_GT : TG_LT, value, begin);
  bool haveOneOrder = mlirAffineMapEqual(g->affine[g->numInputs + output], g->affine[g->numInputs + r.valueOutput]);
  return haveOneOrder ? tgSelect(b, isLarger, index, beginIndex) : (MlirValue){NULL};
}
