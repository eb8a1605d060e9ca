//===- resize.c - resize -------------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Result index o of a dimension samples the input at (o * denominator + offset) / numerator. The sampled indices are
// known when the program is converted. So a resize is gathers at constant indices and, if it is bilinear, constant
// weights.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

/// How one dimension is resized.
typedef struct {
  int64_t numerator, denominator, offset;
  int64_t from, to; ///< sizes
} ResizedAxis;

/// The input index below result index `o`, not yet cut to the range; `rest` is the distance from it in 1 / numerator.
static int64_t sample(const ResizedAxis *axis, int64_t o, int64_t *rest) {
  int64_t position = o * axis->denominator + axis->offset;
  int64_t index = position / axis->numerator - (position % axis->numerator < 0);
  *rest = position - index * axis->numerator;
  return index;
}

static int32_t clampIndex(const ResizedAxis *axis, int64_t i) {
  return (int32_t)(i < 0 ? 0 : i >= axis->from ? axis->from - 1 : i);
}

typedef enum { NEAREST, BELOW, ABOVE, WEIGHT } SampleKind;

/// A constant with an index of the input, or the weight of the one above, for each result index.
static MlirValue samples(TosaConversion *c, const ResizedAxis *axis, SampleKind kind) {
  int32_t *values = IR_NEW_ARRAY(&c->pass->arena, int32_t, axis->to);
  for (int64_t o = 0; o < axis->to; ++o) {
    int64_t rest, index = sample(axis, o, &rest);
    bool isAbove = kind == ABOVE || (kind == NEAREST && 2 * rest >= axis->numerator);
    values[o] = kind == WEIGHT ? (int32_t)rest : clampIndex(axis, index + isAbove);
  }
  return tosaConstantI32s(c, axis->to, values);
}

/// below * (unit - weight) + above * weight along dimension `dim`; the unit is 1 for floats, the numerator for
/// integers.
static MlirValue interpolate(TosaConversion *c, const ResizedAxis *axis, intptr_t dim, MlirValue operand) {
  MlirType element = irElementTypeOf(operand);
  MlirValue below = tosaGatherAlong(c, operand, dim, samples(c, axis, BELOW));
  MlirValue above = tosaGatherAlong(c, operand, dim, samples(c, axis, ABOVE));
  IrShape shape = irShapeOf(below), dims = {1, {dim}};
  MlirValue weight = tosaConvert(c, samples(c, axis, WEIGHT), element);
  MlirType weights = mlirValueGetType(weight);
  double unit = irIsFloat(element) ? 1 : (double)axis->numerator;
  if (irIsFloat(element))
    weight = tosaBinary(c, "tg.div", weight, tosaSplat(c, weights, (double)axis->numerator));
  MlirValue rest = tosaBinary(c, "tg.sub", tosaSplat(c, weights, unit), weight);
  return tosaBinary(c, "tg.add", tosaBinary(c, "tg.mul", below, tosaBroadcast(c, rest, shape, dims)),
                    tosaBinary(c, "tg.mul", above, tosaBroadcast(c, weight, shape, dims)));
}

/// Rows and columns of the operand, [N, H, W, C], from scale, offset and result shape.
static bool readAxes(TosaConversion *c, ResizedAxis axes[2]) {
  IrShape from = irShapeOf(tosaOperand(c, 0)), to = irTypeShape(tosaResultType(c, 0));
  TosaShape scale, offset;
  if (!tosaShapeOperand(c, 1, 4, &scale) || !tosaShapeOperand(c, 2, 2, &offset))
    return false;
  for (int i = 0; i < 2; ++i) {
    int64_t numerator = scale.values[2 * i], denominator = scale.values[2 * i + 1];
    // The specification's bounds: products stay within 32 bits.
    if (numerator < 1 || numerator > 1 << 11 || denominator < 1 || denominator >= 16 * numerator)
      return tosaFail(c, "the scale %lld / %lld is out of range", (long long)numerator, (long long)denominator);
    if (offset.values[i] < -numerator || offset.values[i] >= 16 * numerator)
      return tosaFail(c, "the offset %lld is out of range", (long long)offset.values[i]);
    if (to.dims[i + 1] >= 1 << 16 || from.dims[i + 1] >= 1 << 16)
      return tosaFail(c, "more than %d rows or columns are out of range", (1 << 16) - 1);
    axes[i] = (ResizedAxis){numerator, denominator, offset.values[i], from.dims[i + 1], to.dims[i + 1]};
  }
  return true;
}

/// Halves are interpolated in f32. Integers are not divided by the numerators: their result is wider.
bool tosaConvertResize(TosaConversion *c) {
  MlirValue value = tosaOperand(c, 0);
  MlirType result = irElementType(tosaResultType(c, 0));
  ResizedAxis axes[2];
  if (!readAxes(c, axes))
    return false;
  bool isBilinear = tosaHasKeyword(c, "mode", "BILINEAR");
  if (isBilinear) {
    bool isNarrow = irIsFloat(result) && mlirFloatTypeGetWidth(result) < 32;
    value = tosaConvert(c, value, isNarrow ? mlirF32TypeGet(c->b.context) : result);
  }
  // Columns first, as the specification sums.
  for (int i = 1; i >= 0; --i)
    value = isBilinear ? interpolate(c, &axes[i], i + 1, value)
                       : tosaGatherAlong(c, value, i + 1, samples(c, &axes[i], NEAREST));
  return tosaReplaceResult(c, 0, tosaConvert(c, value, result));
}
