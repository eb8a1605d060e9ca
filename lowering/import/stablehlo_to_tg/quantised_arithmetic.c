//===- quantised_arithmetic.c - between integers and floats ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specification's `quantize` and `dequantize`, in tg: section "Quantization computations". Two things are exact
// here that are not there: differences of integers do not wrap around, and bounds of integers are not rounded to
// floats.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/quantised.h"

#include "ir/graph/tg_build.h"

#include <math.h>

MlirValue quantStored(IrBuilder *b, MlirValue value) {
  MlirType type = quantStorageType(mlirValueGetType(value));
  return irValueOf(b, "tg.bitcast_convert", IR_VALUES(value), type, IR_NO_ATTRS);
}

MlirValue quantFromStored(IrBuilder *b, MlirValue stored, MlirType type) {
  return irValueOf(b, "tg.bitcast_convert", IR_VALUES(stored), type, IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static bool areEqual(const double *values, intptr_t count) {
  for (intptr_t i = 1; i < count; ++i)
    if (values[i] != values[0])
      return false;
  return count > 0;
}

MlirValue quantParameter(HloConversion *c, IrBuilder *b, MlirType tensor, const double *values, intptr_t count,
                         int64_t dim) {
  if (dim < 0 || areEqual(values, count))
    return tgSplat(b, tensor, values[0]);
  MlirType element = irElementType(tensor);
  MlirAttribute *elements = IR_NEW_ARRAY(c->arena, MlirAttribute, count + 1);
  for (intptr_t i = 0; i < count; ++i)
    elements[i] = irIsFloat(element) ? mlirFloatAttrDoubleGet(b->context, element, values[i])
                                     : mlirIntegerAttrGet(element, (int64_t)values[i]);
  MlirType vector = tgWithShape(tensor, (IrShape){1, {count}});
  MlirValue constant = irValueOf(b, "tg.constant", IR_NO_VALUES, vector,
                                 IR_ATTRS(irAttr(b, "value", mlirDenseElementsAttrGet(vector, count, elements))));
  return tgBroadcast(b, constant, tensor, (IrShape){1, {dim}});
}

static MlirValue zerosIn(HloConversion *c, IrBuilder *b, MlirType tensor, const Quantisation *q) {
  return quantParameter(c, b, tensor, q->zeros, q->count, q->dim);
}

//===----------------------------------------------------------------------===//
// Integers to floats
//===----------------------------------------------------------------------===//

/// Integers up to this magnitude are exact in a float type.
static double exactIntegers(MlirType element) {
  int bits = mlirTypeIsAF64(element) ? 53 : mlirTypeIsAF32(element) ? 24 : mlirTypeIsAF16(element) ? 11 : 8;
  return ldexp(1, bits);
}

/// Whether stored integers, zero points and their differences are exact in the expressed type.
static bool isExact(const Quantisation *q) {
  double lowest, highest, limit = exactIntegers(q->expressed);
  quantStorageRange(q, &lowest, &highest);
  return highest - lowest <= limit;
}

/// The elements of a constant that has the same everywhere.
static bool isSplat(MlirValue value, int64_t *element) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "stablehlo.constant"))
    return false;
  MlirAttribute elements = irGetAttr(op, "value");
  if (mlirAttributeIsNull(elements) || !mlirAttributeIsADenseIntElements(elements) ||
      !mlirDenseElementsAttrIsSplat(elements))
    return false;
  MlirAttribute splat = mlirDenseElementsAttrGetSplatValue(elements);
  bool isUnsigned = irIsUnsigned(irElementType(mlirAttributeGetType(elements)));
  *element = isUnsigned ? (int64_t)mlirIntegerAttrGetValueUInt(splat) : mlirIntegerAttrGetValueInt(splat);
  return true;
}

MlirValue quantDifference(HloConversion *c, IrBuilder *b, MlirValue value, MlirType wide) {
  Quantisation q = quantOf(c, mlirValueGetType(value));
  MlirType type = tgWithElement(mlirValueGetType(value), wide);
  int64_t element;
  if (q.dim < 0 && isSplat(value, &element))
    return tgSplat(b, type, (double)element - q.zeros[0]);
  MlirValue stored = tgConvert(b, quantStored(b, value), wide);
  return quantIsSymmetric(&q) ? stored : tgSub(b, stored, zerosIn(c, b, type, &q));
}

MlirValue quantDequantise(HloConversion *c, IrBuilder *b, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (!quantIsQuantised(type))
    return value;
  Quantisation q = quantOf(c, type);
  MlirType floats = tgWithElement(type, q.expressed);
  MlirValue x;
  if (isExact(&q)) {
    x = tgConvert(b, quantStored(b, value), q.expressed);
    if (!quantIsSymmetric(&q))
      x = tgSub(b, x, zerosIn(c, b, floats, &q));
  } else {
    unsigned wide = mlirIntegerTypeGetWidth(q.storage) < 32 ? 32 : 64;
    x = tgConvert(b, quantDifference(c, b, value, mlirIntegerTypeGet(b->context, wide)), q.expressed);
  }
  return tgMul(b, x, quantParameter(c, b, floats, q.scales, q.count, q.dim));
}

//===----------------------------------------------------------------------===//
// Floats to integers
//===----------------------------------------------------------------------===//

/// The integers that there are of `stored`, in an integer type: the nearest ones.
static MlirValue clamped(IrBuilder *b, MlirValue stored, const Quantisation *q) {
  int64_t lowest, highest;
  irIntegerRange(irElementTypeOf(stored), &lowest, &highest);
  if (q->min > lowest)
    stored = tgBinary(b, "tg.max", stored, tgSplatLike(b, stored, (double)q->min));
  if (q->max < highest)
    stored = tgBinary(b, "tg.min", stored, tgSplatLike(b, stored, (double)q->max));
  return stored;
}

/// A float type at least as wide as `element` that has all zero points.
static MlirType typeWithZeros(MlirType element, const Quantisation *q) {
  double largest = 0;
  for (intptr_t i = 0; i < q->count; ++i)
    largest = fmax(largest, fabs(q->zeros[i]));
  if (largest <= exactIntegers(element))
    return element;
  MlirContext context = mlirTypeGetContext(element);
  MlirType f32 = mlirF32TypeGet(context);
  return largest <= exactIntegers(f32) ? f32 : mlirF64TypeGet(context);
}

/// A conversion of floats gives the nearest integer that the type has, so integers can be clamped in its place.
MlirValue quantQuantiseScaled(HloConversion *c, IrBuilder *b, MlirValue scaled, MlirType type) {
  Quantisation q = quantOf(c, type);
  scaled = tgConvert(b, scaled, typeWithZeros(irElementTypeOf(scaled), &q));
  if (!quantIsSymmetric(&q))
    scaled = tgAdd(b, scaled, zerosIn(c, b, mlirValueGetType(scaled), &q));
  MlirValue rounded = tgConvert(b, tgUnary(b, "tg.round_even", scaled), q.storage);
  return quantFromStored(b, clamped(b, rounded, &q), type);
}

MlirValue quantQuantiseInteger(HloConversion *c, IrBuilder *b, MlirValue scaled, MlirType type) {
  Quantisation q = quantOf(c, type);
  if (!quantIsSymmetric(&q))
    scaled = tgAdd(b, scaled, zerosIn(c, b, mlirValueGetType(scaled), &q));
  return quantFromStored(b, tgConvert(b, clamped(b, scaled, &q), q.storage), type);
}

MlirValue quantQuantise(HloConversion *c, IrBuilder *b, MlirValue value, MlirType type) {
  Quantisation q = quantOf(c, type);
  MlirValue scales = quantParameter(c, b, mlirValueGetType(value), q.scales, q.count, q.dim);
  return quantQuantiseScaled(c, b, tgDiv(b, value, scales), type);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

MlirOperation quantDetach(HloConversion *c, intptr_t i, MlirType computed) {
  IrBuilder b = irBuilderAfter(c->op);
  MlirValue result = irResult(c->op, i);
  MlirOperation detached =
      irOp(&b, "tg.bitcast_convert", IR_VALUES(result), IR_TYPES(mlirValueGetType(result)), IR_NO_ATTRS);
  mlirValueReplaceAllUsesExcept(result, irResult(detached, 0), 1, &detached);
  mlirValueSetType(result, computed);
  return detached;
}

void quantFinish(MlirOperation detached, MlirValue quantised) {
  mlirValueReplaceAllUsesOfWith(irResult(detached, 0), quantised);
  mlirOperationDestroy(detached);
}

void quantComputeOnFloats(HloConversion *c) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); ++i)
    mlirOperationSetOperand(c->op, i, quantDequantise(c, &c->b, hloOperand(c, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    MlirType type = hloResultType(c, i);
    if (!quantIsQuantised(type))
      continue;
    MlirOperation detached = quantDetach(c, i, tgWithElement(type, quantOf(c, type).expressed));
    IrBuilder b = irBuilderBefore(detached);
    quantFinish(detached, quantQuantise(c, &b, irResult(c->op, i), type));
  }
}
