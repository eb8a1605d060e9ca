//===- normalization.c - softmax, gelu, layer and batch normalisation ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of fewer than 32 bits are computed in f32 and rounded at the end.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_decompose/decompose.h"

#include <math.h>

/// Operand `i` in the type in which it is computed.
static MlirValue operand(MlirOperation op, IrBuilder *b, intptr_t i) {
  MlirValue value = irOperand(op, i);
  bool isNarrow = mlirFloatTypeGetWidth(irElementTypeOf(value)) < 32;
  return isNarrow ? tgConvert(b, value, mlirF32TypeGet(b->context)) : value;
}

static MlirValue rounded(MlirOperation op, IrBuilder *b, intptr_t result, MlirValue value) {
  return tgConvert(b, value, irElementTypeOf(irResult(op, result)));
}

static IrShape oneDim(int64_t dim) { return (IrShape){1, {dim}}; }

static IrShape dimsBut(intptr_t rank, IrShape without) {
  IrShape dims = {0};
  for (intptr_t d = 0; d < rank; ++d)
    if (!irContains(without, d))
      dims.dims[dims.rank++] = d;
  return dims;
}

/// `value`, whose dimensions are `dims` of x, in x's shape.
static MlirValue expandTo(IrBuilder *b, MlirValue value, MlirValue x, IrShape dims) {
  return tgBroadcast(b, value, mlirValueGetType(x), dims);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

typedef struct {
  MlirValue shifted, sum; // x - max(x), and the sum of exp of that, in x's shape
} Exponentials;

static Exponentials exponentials(MlirOperation op, IrBuilder *b) {
  MlirValue x = operand(op, b, 0);
  IrShape dim = oneDim(irGetInt(op, "dim", 0)), kept = dimsBut(irShapeOf(x).rank, dim);
  MlirValue largest = expandTo(b, tgReduce(b, TG_REDUCE_MAX, x, dim), x, kept);
  Exponentials e = {.shifted = tgSub(b, x, largest)};
  e.sum = expandTo(b, tgReduce(b, TG_REDUCE_ADD, tgUnary(b, "tg.exp", e.shifted), dim), x, kept);
  return e;
}

bool decomposeSoftmax(MlirOperation op, IrBuilder *b, MlirValue *results) {
  Exponentials e = exponentials(op, b);
  results[0] = rounded(op, b, 0, tgDiv(b, tgUnary(b, "tg.exp", e.shifted), e.sum));
  return true;
}

bool decomposeLogSoftmax(MlirOperation op, IrBuilder *b, MlirValue *results) {
  Exponentials e = exponentials(op, b);
  results[0] = rounded(op, b, 0, tgSub(b, e.shifted, tgUnary(b, "tg.log", e.sum)));
  return true;
}

/// The x that is passed to tanh in gelu's approximate form, sqrt(2 / pi) * (x + 0.044715 * x^3).
static MlirValue geluArgument(IrBuilder *b, MlirValue x) {
  MlirValue cube = tgMul(b, tgMul(b, x, x), x);
  MlirValue inner = tgAdd(b, x, tgMul(b, cube, tgSplatLike(b, x, 0.044715)));
  return tgMul(b, inner, tgSplatLike(b, x, sqrt(2 / M_PI)));
}

/// (1 + erf(x / sqrt(2))) / 2, or with tanh for erf: the factor of x in gelu.
static MlirValue geluWeight(IrBuilder *b, MlirValue x, bool isApproximate) {
  MlirValue part = isApproximate ? tgUnary(b, "tg.tanh", geluArgument(b, x))
                                 : tgUnary(b, "tg.erf", tgMul(b, x, tgSplatLike(b, x, M_SQRT1_2)));
  return tgMul(b, tgAdd(b, part, tgSplatLike(b, x, 1)), tgSplatLike(b, x, 0.5));
}

bool decomposeGelu(MlirOperation op, IrBuilder *b, MlirValue *results) {
  MlirValue x = operand(op, b, 0);
  results[0] = rounded(op, b, 0, tgMul(b, x, geluWeight(b, x, irHasAttr(op, "approximate"))));
  return true;
}

/// The weight's derivative: that of the normal distribution, exp(-x^2 / 2) / sqrt(2 pi). Or, of (1 + t) / 2 with t =
/// tanh(u), (1 - t^2) u' / 2 = 2 w (1 - w) u' with the weight w.
static MlirValue geluSlope(IrBuilder *b, MlirValue x, MlirValue weight, bool isApproximate) {
  MlirValue square = tgMul(b, x, x);
  if (!isApproximate)
    return tgMul(b, tgUnary(b, "tg.exp", tgMul(b, square, tgSplatLike(b, x, -0.5))),
                 tgSplatLike(b, x, sqrt(0.5 / M_PI)));
  MlirValue rest = tgSub(b, tgSplatLike(b, x, 1), weight), scale = tgSplatLike(b, x, 2 * sqrt(2 / M_PI));
  MlirValue cubic = tgAdd(b, tgSplatLike(b, x, 1), tgMul(b, square, tgSplatLike(b, x, 3 * 0.044715)));
  return tgMul(b, tgMul(b, weight, rest), tgMul(b, cubic, scale));
}

bool decomposeGeluGradient(MlirOperation op, IrBuilder *b, MlirValue *results) {
  bool isApproximate = irHasAttr(op, "approximate");
  MlirValue x = operand(op, b, 0), weight = geluWeight(b, x, isApproximate);
  MlirValue derivative = tgAdd(b, weight, tgMul(b, x, geluSlope(b, x, weight, isApproximate)));
  results[0] = rounded(op, b, 0, tgMul(b, operand(op, b, 1), derivative));
  return true;
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

/// The mean over `dims`, which `x` has `count` elements along.
static MlirValue mean(IrBuilder *b, MlirValue x, IrShape dims) {
  double count = 1;
  for (intptr_t i = 0; i < dims.rank; ++i)
    count *= (double)irShapeOf(x).dims[dims.dims[i]];
  MlirValue sum = tgReduce(b, TG_REDUCE_ADD, x, dims);
  return tgDiv(b, sum, tgSplatLike(b, sum, count));
}

static MlirValue deviation(MlirOperation op, IrBuilder *b, MlirValue variance) {
  double epsilon = mlirFloatAttrGetValueDouble(irGetAttr(op, "epsilon"));
  return tgUnary(b, "tg.sqrt", tgAdd(b, variance, tgSplatLike(b, variance, epsilon)));
}

/// centered / deviation * scale + offset
static MlirValue normalized(IrBuilder *b, MlirValue centered, MlirValue deviation, MlirValue scale, MlirValue offset) {
  return tgAdd(b, tgMul(b, tgDiv(b, centered, deviation), scale), offset);
}

bool decomposeLayerNorm(MlirOperation op, IrBuilder *b, MlirValue *results) {
  MlirValue x = operand(op, b, 0);
  IrShape dims = irGetDims(op, "dims"), kept = dimsBut(irShapeOf(x).rank, dims);
  MlirValue centered = tgSub(b, x, expandTo(b, mean(b, x, dims), x, kept));
  MlirValue variance = mean(b, tgMul(b, centered, centered), dims);
  MlirValue scale = expandTo(b, tgConvert(b, operand(op, b, 1), irElementTypeOf(x)), x, dims);
  MlirValue offset = expandTo(b, tgConvert(b, operand(op, b, 2), irElementTypeOf(x)), x, dims);
  MlirValue divisor = expandTo(b, deviation(op, b, variance), x, kept);
  results[0] = rounded(op, b, 0, normalized(b, centered, divisor, scale, offset));
  return true;
}

/// The common part of the three batch normalisations.
typedef struct {
  MlirValue x;
  IrShape feature; // its dimension
  IrShape others;
} BatchNorm;

static BatchNorm batchOf(MlirOperation op, IrBuilder *b) {
  MlirValue x = operand(op, b, 0);
  IrShape feature = oneDim(irGetInt(op, "feature_index", 0));
  return (BatchNorm){x, feature, dimsBut(irShapeOf(x).rank, feature)};
}

/// Operand `i`, one element for each feature, in the operand's shape.
static MlirValue featureOperand(MlirOperation op, IrBuilder *b, const BatchNorm *batch, intptr_t i) {
  return expandTo(b, tgConvert(b, operand(op, b, i), irElementTypeOf(batch->x)), batch->x, batch->feature);
}

bool decomposeBatchNormTraining(MlirOperation op, IrBuilder *b, MlirValue *results) {
  BatchNorm batch = batchOf(op, b);
  MlirValue average = mean(b, batch.x, batch.others);
  MlirValue centered = tgSub(b, batch.x, expandTo(b, average, batch.x, batch.feature));
  MlirValue variance = mean(b, tgMul(b, centered, centered), batch.others);
  MlirValue divisor = expandTo(b, deviation(op, b, variance), batch.x, batch.feature);
  MlirValue scale = featureOperand(op, b, &batch, 1), offset = featureOperand(op, b, &batch, 2);
  results[0] = rounded(op, b, 0, normalized(b, centered, divisor, scale, offset));
  results[1] = rounded(op, b, 1, average);
  results[2] = rounded(op, b, 2, variance);
  return true;
}

bool decomposeBatchNormInference(MlirOperation op, IrBuilder *b, MlirValue *results) {
  BatchNorm batch = batchOf(op, b);
  MlirValue variance = tgConvert(b, operand(op, b, 4), irElementTypeOf(batch.x));
  MlirValue divisor = expandTo(b, deviation(op, b, variance), batch.x, batch.feature);
  MlirValue centered = tgSub(b, batch.x, featureOperand(op, b, &batch, 3));
  MlirValue scale = featureOperand(op, b, &batch, 1), offset = featureOperand(op, b, &batch, 2);
  results[0] = rounded(op, b, 0, normalized(b, centered, divisor, scale, offset));
  return true;
}

/// With n elements for each feature and g the gradient of the output:
///   grad_offset = sum(g), grad_scale = sum(g * centered) / deviation,
///   grad_operand = scale / deviation * (g - (sum(g) + centered * sum(g * centered) / deviation^2) / n)
bool decomposeBatchNormGrad(MlirOperation op, IrBuilder *b, MlirValue *results) {
  BatchNorm batch = batchOf(op, b);
  MlirValue gradient = tgConvert(b, operand(op, b, 4), irElementTypeOf(batch.x));
  MlirValue centered = tgSub(b, batch.x, featureOperand(op, b, &batch, 2));
  MlirValue variance = tgConvert(b, operand(op, b, 3), irElementTypeOf(batch.x));
  MlirValue divisor = deviation(op, b, variance);
  MlirValue sum = tgReduce(b, TG_REDUCE_ADD, gradient, batch.others);
  MlirValue product = tgReduce(b, TG_REDUCE_ADD, tgMul(b, gradient, centered), batch.others);

  MlirValue meanGradient = expandTo(b, mean(b, gradient, batch.others), batch.x, batch.feature);
  MlirValue meanProduct = mean(b, tgMul(b, gradient, centered), batch.others);
  double epsilon = mlirFloatAttrGetValueDouble(irGetAttr(op, "epsilon"));
  MlirValue slope = tgDiv(b, meanProduct, tgAdd(b, variance, tgSplatLike(b, variance, epsilon)));
  MlirValue drift = tgMul(b, centered, expandTo(b, slope, batch.x, batch.feature));
  MlirValue inner = tgSub(b, tgSub(b, gradient, meanGradient), drift);
  MlirValue scale = tgDiv(b, featureOperand(op, b, &batch, 1), expandTo(b, divisor, batch.x, batch.feature));
  results[0] = rounded(op, b, 0, tgMul(b, scale, inner));
  results[1] = rounded(op, b, 1, tgDiv(b, product, divisor));
  results[2] = rounded(op, b, 2, sum);
  return true;
}
