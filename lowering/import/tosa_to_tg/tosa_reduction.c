//===- tosa_reduction.c - reductions --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes reductions, argmax and pools of TOSA. Leaves tg.reduce, tg.arg_reduce and tg.reduce_window, with NaN replaced
// before where nan_mode is IGNORE. Average pools of integers divide by the specification's reciprocal scale.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

#include <math.h>

/// The operand where nan_mode IGNORE leaves out NaN: NaN becomes `replacement`.
static MlirValue withoutNaN(TosaConversion *c, MlirValue operand, double replacement) {
  return tosaSelect(c, tosaIsNaN(c, operand), tosaSplat(c, mlirValueGetType(operand), replacement), operand);
}

static bool ignoresNaN(TosaConversion *c) {
  return irIsFloat(irElementTypeOf(tosaOperand(c, 0))) && tosaHasKeyword(c, "nan_mode", "IGNORE");
}

static MlirValue reduceAlong(TosaConversion *c, MlirValue operand, TgReduceKind kind, int64_t axis) {
  IrShape from = irShapeOf(operand), to = {0}, dims = {1, {axis}};
  for (intptr_t i = 0; i < from.rank; ++i)
    if (i != axis)
      to.dims[to.rank++] = from.dims[i];
  return irValueOf(&c->b, "tg.reduce", IR_VALUES(operand), tosaTensorType(to, irElementTypeOf(operand)),
                   IR_ATTRS(irI32(&c->b, "kind", kind), tosaDims(c, "dims", &dims)));
}

/// The reduced dimension stays, with size one. nan_mode IGNORE: NaN only where every element is NaN.
bool tosaConvertReduce(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0);
  TgReduceKind kind = c->rule->detail;
  int64_t axis;
  if (!tosaAxis(c, irShapeOf(operand).rank, &axis))
    return false;
  MlirValue result;
  if (ignoresNaN(c)) {
    result = reduceAlong(c, withoutNaN(c, operand, kind == TG_REDUCE_MAX ? -INFINITY : INFINITY), kind, axis);
    MlirValue isAllNaN = reduceAlong(c, tosaIsNaN(c, operand), TG_REDUCE_AND, axis);
    result = tosaSelect(c, isAllNaN, tosaSplat(c, mlirValueGetType(result), NAN), result);
  } else {
    result = reduceAlong(c, operand, kind, axis);
  }
  return tosaReplaceResult(c, 0, tosaReshape(c, result, irTypeShape(tosaResultType(c, 0))));
}

/// The first of equal elements; the first NaN, unless nan_mode is IGNORE: then NaN counts as the least element.
bool tosaConvertArgMax(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0);
  MlirType index = tosaResultType(c, 0), value = tosaTensorType(irTypeShape(index), irElementTypeOf(operand));
  int64_t axis;
  if (!tosaAxis(c, irShapeOf(operand).rank, &axis))
    return false;
  if (ignoresNaN(c))
    operand = withoutNaN(c, operand, -INFINITY);
  MlirOperation op = irOp(&c->b, c->rule->to, IR_VALUES(operand), IR_TYPES(value, index),
                          IR_ATTRS(irI32(&c->b, "kind", TG_REDUCE_MAX), irI64(&c->b, "dim", axis)));
  return tosaReplaceResult(c, 0, irResult(op, 1));
}

//===----------------------------------------------------------------------===//
// Pools: windows over the dimensions 1 and 2 of four
//===----------------------------------------------------------------------===//

typedef struct {
  IrShape kernel, stride, low, high;
} Pool;

static Pool readPool(TosaConversion *c) {
  IrShape kernel = irGetDims(c->op, "kernel"), stride = irGetDims(c->op, "stride"), pad = irGetDims(c->op, "pad");
  return (Pool){.kernel = {4, {1, kernel.dims[0], kernel.dims[1], 1}},
                .stride = {4, {1, stride.dims[0], stride.dims[1], 1}},
                .low = {4, {0, pad.dims[0], pad.dims[2], 0}},
                .high = {4, {0, pad.dims[1], pad.dims[3], 0}}};
}

static MlirValue reduceWindow(TosaConversion *c, const Pool *pool, MlirValue operand, TgReduceKind kind) {
  IrShape ones = tosaRepeat(4, 1), shape = irTypeShape(tosaResultType(c, 0));
  return irValueOf(&c->b, "tg.reduce_window", IR_VALUES(operand), tosaTensorType(shape, irElementTypeOf(operand)),
                   IR_ATTRS(irI32(&c->b, "kind", kind), tosaDims(c, "window_dimensions", &pool->kernel),
                            tosaDims(c, "window_strides", &pool->stride), tosaDims(c, "base_dilations", &ones),
                            tosaDims(c, "window_dilations", &ones), tosaDims(c, "padding_low", &pool->low),
                            tosaDims(c, "padding_high", &pool->high)));
}

/// nan_mode IGNORE: of a window of nothing but NaN the least value, -infinity.
bool tosaConvertMaxPool2d(TosaConversion *c) {
  Pool pool = readPool(c);
  MlirValue operand = tosaOperand(c, 0);
  if (ignoresNaN(c))
    operand = withoutNaN(c, operand, -INFINITY);
  return tosaReplaceResult(c, 0, reduceWindow(c, &pool, operand, TG_REDUCE_MAX));
}

/// How many elements that are no padding window `i` of a dimension has.
static int64_t windowElements(const Pool *pool, intptr_t dim, int64_t size, int64_t i) {
  int64_t from = i * pool->stride.dims[dim] - pool->low.dims[dim], to = from + pool->kernel.dims[dim];
  return (to < size ? to : size) - (from > 0 ? from : 0);
}

/// Multiplier (or, with `wantsShift`, shift) that divide by `count`, as the specification's reciprocal_scale makes
/// them.
static int32_t reciprocalScale(int64_t count, bool wantsShift) {
  int bits = 0; // of count - 1: 32 minus its leading zeros
  while (bits < 31 && ((int64_t)1 << bits) <= count - 1)
    ++bits;
  return wantsShift ? 30 + bits : (int32_t)((((int64_t)1 << 30) + 1) * ((int64_t)1 << bits) / count);
}

/// A number for each window, derived from the number of its elements: with `what` 0 the number itself, with 1 and 2
/// multiplier and shift of its reciprocal.
static MlirValue windowConstants(TosaConversion *c, const Pool *pool, MlirType element, int what) {
  IrShape in = irShapeOf(tosaOperand(c, 0)), out = irTypeShape(tosaResultType(c, 0));
  int64_t height = out.dims[1], width = out.dims[2];
  int32_t *values = IR_NEW_ARRAY(&c->pass->arena, int32_t, height *width);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      int64_t count = windowElements(pool, 1, in.dims[1], y) * windowElements(pool, 2, in.dims[2], x);
      values[y * width + x] = what == 0 ? (int32_t)count : reciprocalScale(count, what == 2);
    }
  IrShape plane = {2, {height, width}}, dims = {2, {1, 2}};
  MlirValue constant = tosaReshape(c, tosaConstantI32s(c, height * width, values), plane);
  return tosaBroadcast(c, tosaConvert(c, constant, element), out, dims);
}

/// Sums in the accumulator's type over the number of elements; of integers, the sum scaled by the reciprocal.
bool tosaConvertAvgPool2d(TosaConversion *c) {
  Pool pool = readPool(c);
  MlirType accumulator = mlirTypeAttrGetValue(irGetAttr(c->op, "acc_type"));
  MlirType result = irElementType(tosaResultType(c, 0)), i64 = tosaIntType(c, 64);
  int64_t inputZero, outputZero;
  if (!tosaZeroPoint(c, 1, &inputZero) || !tosaZeroPoint(c, 2, &outputZero))
    return false;
  MlirValue operand = tosaConvert(c, tosaOperand(c, 0), accumulator);
  if (irIsFloat(result)) {
    MlirValue sum = reduceWindow(c, &pool, operand, TG_REDUCE_ADD);
    MlirValue mean = tosaBinary(c, "tg.div", sum, windowConstants(c, &pool, accumulator, 0));
    return tosaReplaceResult(c, 0, tosaConvert(c, mean, result));
  }
  if (mlirIntegerTypeGetWidth(accumulator) != 32)
    return tosaFail(c, "integers are accumulated in i32 only");
  MlirValue sum = reduceWindow(c, &pool, operand, TG_REDUCE_ADD);
  MlirType wide = tosaTensorType(irShapeOf(sum), i64);
  sum = tosaConvert(c, sum, i64);
  if (inputZero != 0)
    sum = tosaBinary(c, "tg.sub", sum,
                     tosaBinary(c, "tg.mul", windowConstants(c, &pool, i64, 0), tosaSplatInt(c, wide, inputZero)));
  MlirValue mean = tosaApplyScale(c, sum, windowConstants(c, &pool, i64, 1), windowConstants(c, &pool, i64, 2), false);
  mean = tosaBinary(c, "tg.add", mean, tosaSplatInt(c, wide, outputZero));
  return tosaReplaceResult(c, 0, tosaSaturate(c, mean, result, false));
}
