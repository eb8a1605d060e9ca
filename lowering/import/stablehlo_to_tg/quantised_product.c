//===- quantised_product.c - products of quantised tensors ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes dot_general, dot, convolution and dynamic_conv. Of two quantised operands integers are multiplied and summed,
// exactly, and the sum is scaled to the result's integers once. Of a float and a quantised operand (hybrid
// quantisation) the latter becomes floats.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/quantised.h"

#include "ir/graph/tg_build.h"

#include <math.h>

/// A product, and where the dimensions of its operands are in the result.
typedef struct {
  HloConversion *c;
  bool isDot;
  IrShape batch[2], contract[2];        ///< of a dot's operands
  int64_t kernelFeature, resultFeature; ///< of a convolution
  bool isQuantised[3];                  ///< the operands and the result
  Quantisation q[3];
} QuantisedProduct;

enum { LHS, RHS, RESULT };

static MlirType quantisedTypeOf(const QuantisedProduct *p, int i) {
  return i == RESULT ? hloResultType(p->c, 0) : mlirValueGetType(hloOperand(p->c, i));
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

static bool readDot(HloConversion *c, QuantisedProduct *p) {
  for (int i = 0; i < 2; ++i)
    p->batch[i] = p->contract[i] = (IrShape){0};
  if (irOpIs(c->op, "stablehlo.dot")) {
    intptr_t rank = irShapeOf(hloOperand(c, LHS)).rank;
    p->contract[LHS] = (IrShape){1, {rank - 1}};
    p->contract[RHS] = (IrShape){1, {0}};
    return rank > 0 || hloFail(c, "operands must be vectors or matrices");
  }
  const char *text = hloAttrText(c, "dot_dimension_numbers");
  return hloListField(c, text, "lhs_batching_dimensions", &p->batch[LHS]) &&
         hloListField(c, text, "rhs_batching_dimensions", &p->batch[RHS]) &&
         hloListField(c, text, "lhs_contracting_dimensions", &p->contract[LHS]) &&
         hloListField(c, text, "rhs_contracting_dimensions", &p->contract[RHS]);
}

static bool readConvolution(HloConversion *c, QuantisedProduct *p) {
  HloConvolutionDims lhs, rhs, result;
  if (!hloConvolutionDims(c, &lhs, &rhs, &result))
    return false;
  p->kernelFeature = rhs.second;
  p->resultFeature = result.second;
  return true;
}

/// Where dimension `dim` of a dot's operand is in the result; it is not contracted.
static int64_t resultDim(const QuantisedProduct *p, int operand, int64_t dim) {
  const IrShape *batch = &p->batch[operand], *contract = &p->contract[operand];
  if (irContains(*batch, dim))
    return irPositionIn(*batch, dim);
  int64_t at = batch->rank;
  if (operand == RHS)
    at = irTypeShape(quantisedTypeOf(p, LHS)).rank - p->contract[LHS].rank;
  for (int64_t d = 0; d < dim; ++d)
    at += !irContains(*batch, d) && !irContains(*contract, d);
  return at;
}

/// How many products each element of the result is the sum of.
static double numSummed(const QuantisedProduct *p) {
  IrShape rhs = irTypeShape(quantisedTypeOf(p, RHS));
  double count = 1;
  for (intptr_t d = 0; d < rhs.rank; ++d)
    if (p->isDot ? irContains(p->contract[RHS], d) : d != p->kernelFeature)
      count *= (double)rhs.dims[d];
  return count;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static bool checkAxes(const QuantisedProduct *p) {
  HloConversion *c = p->c;
  const Quantisation *rhs = &p->q[RHS], *result = &p->q[RESULT];
  if (p->isQuantised[LHS] && p->q[LHS].dim >= 0)
    return hloFail(c, "operand 0 must have one scale");
  if (p->isDot && !quantIsSymmetric(rhs))
    return hloFail(c, "the zero points of operand 1 must be 0");
  if (p->isDot && rhs->dim >= 0 && irContains(p->contract[RHS], rhs->dim))
    return hloFail(c, "operand 1 must not have scales for dimension %lld, which is contracted", (long long)rhs->dim);
  if (!p->isDot && rhs->dim >= 0 && rhs->dim != p->kernelFeature)
    return hloFail(c, "operand 1 can have scales for its output feature dimension %lld alone",
                   (long long)p->kernelFeature);
  if (!p->isDot && p->isQuantised[RESULT] && result->dim >= 0 && result->dim != p->resultFeature)
    return hloFail(c, "the result can have scales for its feature dimension %lld alone", (long long)p->resultFeature);
  return true;
}

static bool checkProduct(const QuantisedProduct *p) {
  HloConversion *c = p->c;
  const Quantisation *lhs = &p->q[LHS], *rhs = &p->q[RHS], *result = &p->q[RESULT];
  if (!p->isQuantised[RHS] || p->isQuantised[LHS] != p->isQuantised[RESULT])
    return hloFail(c, "operand 1 must be quantised, and operand 0 where the result is");
  if (!checkAxes(p))
    return false;
  if (!p->isQuantised[LHS])
    return (mlirTypeEqual(irElementType(quantisedTypeOf(p, LHS)), rhs->expressed) &&
            mlirTypeEqual(irElementType(quantisedTypeOf(p, RESULT)), rhs->expressed)) ||
           hloFail(c, "operand 0 and the result must have the expressed type of operand 1");
  if (!mlirTypeEqual(lhs->storage, rhs->storage))
    return hloFail(c, "both operands must have the same storage type");
  if (!mlirTypeEqual(lhs->expressed, rhs->expressed) || !mlirTypeEqual(rhs->expressed, result->expressed))
    return hloFail(c, "the operands and the result must have the same expressed type");
  return rhs->dim >= 0 || result->dim < 0 ||
         hloFail(c, "the result cannot have several scales where operand 1 has one");
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The largest magnitude of q - zero.
static double largestDifference(const Quantisation *q) {
  double lowest, highest, largest = 0;
  quantStorageRange(q, &lowest, &highest);
  for (intptr_t i = 0; i < q->count; ++i)
    largest = fmax(largest, fmax(highest - q->zeros[i], q->zeros[i] - lowest));
  return largest;
}

/// The integers of an operand of at most 8 bits as i8, as libraries multiply them, and the zero point that they have
/// then.
static MlirValue asSignedBytes(const QuantisedProduct *p, int operand, double *zero) {
  IrBuilder *b = &p->c->b;
  MlirType i8 = mlirIntegerTypeGet(b->context, 8);
  const Quantisation *q = &p->q[operand];
  MlirValue stored = quantStored(b, hloOperand(p->c, operand));
  *zero = q->zeros[0];
  if (!irIsUnsigned(q->storage) || mlirIntegerTypeGetWidth(q->storage) < 8)
    return tgConvert(b, stored, i8);
  enum { HALF = 128 };
  *zero -= HALF;
  MlirValue wide = tgConvert(b, stored, mlirIntegerTypeGet(b->context, 16));
  return tgConvert(b, tgSub(b, wide, tgSplatLike(b, wide, HALF)), i8);
}

/// The sum of an operand's integers over the contracted dimensions, for each element of the result.
static MlirValue contracted(const QuantisedProduct *p, IrBuilder *b, int operand, MlirType sums) {
  MlirValue value = tgConvert(b, hloOperand(p->c, operand), irElementType(sums));
  IrShape shape = irShapeOf(value), dims = {0};
  const IrShape *contract = &p->contract[operand];
  for (intptr_t d = 0; d < shape.rank; ++d)
    if (!irContains(*contract, d))
      dims.dims[dims.rank++] = resultDim(p, operand, d);
  if (contract->rank > 0)
    value = tgReduce(b, TG_REDUCE_ADD, value, *contract);
  return tgBroadcast(b, value, sums, dims);
}

/// The sum of (l - zero) * (r - zero'), of that of l * r.
static MlirValue withZeros(const QuantisedProduct *p, IrBuilder *b, MlirValue sum, const double zeros[2]) {
  MlirType type = mlirValueGetType(sum);
  for (int i = 0; i < 2; ++i)
    if (zeros[i] != 0)
      sum = tgSub(b, sum, tgMul(b, contracted(p, b, 1 - i, type), tgSplat(b, type, zeros[i])));
  double both = zeros[LHS] * zeros[RHS] * numSummed(p);
  return both != 0 ? tgAdd(b, sum, tgSplat(b, type, both)) : sum;
}

/// Makes integers of the operands. Two's complement forgives sums in between that do not fit.
static void multiplyIntegers(const QuantisedProduct *p, MlirType sums, double zeros[2]) {
  HloConversion *c = p->c;
  bool isNarrow = mlirIntegerTypeGetWidth(p->q[LHS].storage) <= 8;
  bool isSymmetric = quantIsSymmetric(&p->q[LHS]) && quantIsSymmetric(&p->q[RHS]);
  bool takesBytes = isNarrow && (p->isDot || (isSymmetric && !irIsUnsigned(p->q[LHS].storage)));
  zeros[LHS] = zeros[RHS] = 0;
  for (int i = 0; i < 2; ++i)
    mlirOperationSetOperand(
        c->op, i, takesBytes ? asSignedBytes(p, i, &zeros[i]) : quantDifference(c, &c->b, hloOperand(c, i), sums));
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

/// The factor from sums of products to the result's integers, for each slice of dimension `dim` of it; -1: everywhere.
/// `divisors`, if there are any, belong to slices of another dimension.
typedef struct {
  int64_t dim, divisorDim;
  intptr_t count;
  double *factors;
  const double *divisors;
} Rescaling;

static Rescaling rescalingOf(const QuantisedProduct *p) {
  const Quantisation *lhs = &p->q[LHS], *rhs = &p->q[RHS], *result = &p->q[RESULT];
  int64_t dim = rhs->dim < 0 ? -1 : p->isDot ? resultDim(p, RHS, rhs->dim) : p->resultFeature;
  bool isApart = result->dim >= 0 && dim >= 0 && result->dim != dim;
  Rescaling r = {
      .dim = dim, .count = rhs->count, .divisorDim = result->dim, .divisors = isApart ? result->scales : NULL};
  r.factors = IR_NEW_ARRAY(p->c->arena, double, r.count + 1);
  for (intptr_t i = 0; i < r.count; ++i) {
    double divisor = isApart ? 1.0 : result->scales[result->dim >= 0 ? i : 0];
    r.factors[i] = lhs->scales[0] * rhs->scales[i] / divisor;
  }
  return r;
}

/// Whether sums are the result's integers but for zero points, as where the result holds them in 32 bits.
static bool isIdentity(const Rescaling *r, MlirType floats) {
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirAttribute rounded = mlirFloatAttrDoubleGet(mlirTypeGetContext(floats), floats, r->factors[i]);
    if (r->divisors || mlirFloatAttrGetValueDouble(rounded) != 1.0)
      return false;
  }
  return true;
}

/// Narrow floats could not hold the sums, so that they are scaled in f32.
static MlirType scalingType(const QuantisedProduct *p) {
  MlirType expressed = p->q[RESULT].expressed;
  return mlirTypeIsAF64(expressed) ? expressed : mlirF32TypeGet(p->c->b.context);
}

static MlirValue rescaled(const QuantisedProduct *p, IrBuilder *b, MlirValue sum, MlirType type) {
  MlirType floats = scalingType(p);
  Rescaling r = rescalingOf(p);
  if (isIdentity(&r, floats))
    return quantQuantiseInteger(p->c, b, tgConvert(b, sum, mlirIntegerTypeGet(b->context, 64)), type);
  MlirValue x = tgConvert(b, sum, floats);
  MlirType tensor = mlirValueGetType(x);
  x = tgMul(b, x, quantParameter(p->c, b, tensor, r.factors, r.count, r.dim));
  if (r.divisors)
    x = tgDiv(b, x, quantParameter(p->c, b, tensor, r.divisors, p->q[RESULT].count, r.divisorDim));
  return quantQuantiseScaled(p->c, b, x, type);
}

/// False if sums can be too large for 64 bits: then floats are multiplied.
static bool lowerToIntegers(const QuantisedProduct *p) {
  double largest = largestDifference(&p->q[LHS]) * largestDifference(&p->q[RHS]) * numSummed(p), zeros[2];
  if (largest >= ldexp(1, 63))
    return false;
  MlirType type = quantisedTypeOf(p, RESULT);
  MlirType sums = tgWithElement(type, mlirIntegerTypeGet(p->c->b.context, largest < ldexp(1, 31) ? 32 : 64));
  multiplyIntegers(p, irElementType(sums), zeros);
  MlirOperation detached = quantDetach(p->c, 0, sums);
  IrBuilder b = irBuilderBefore(detached);
  quantFinish(detached, rescaled(p, &b, withZeros(p, &b, irResult(p->c->op, 0), zeros), type));
  return true;
}

bool quantLowerProduct(HloConversion *c) {
  bool isDot = irOpIs(c->op, "stablehlo.dot_general") || irOpIs(c->op, "stablehlo.dot");
  if (mlirOperationGetNumOperands(c->op) < 2 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "it must have two operands and one result");
  QuantisedProduct p = {.c = c, .isDot = isDot};
  for (int i = 0; i < 3; ++i) {
    p.isQuantised[i] = quantIsQuantised(quantisedTypeOf(&p, i));
    if (p.isQuantised[i])
      p.q[i] = quantOf(c, quantisedTypeOf(&p, i));
  }
  if (!(isDot ? readDot(c, &p) : readConvolution(c, &p)) || !checkProduct(&p))
    return false;
  if (!p.isQuantised[LHS] || !lowerToIntegers(&p))
    quantComputeOnFloats(c);
  return true;
}
