//===- tg_build.c - tg operations, one line each -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds tg operations: types and attributes follow from the operands.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_build.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

MlirType tgWithElement(MlirType tensor, MlirType element) {
  IrShape shape = irTypeShape(tensor);
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, element, mlirRankedTensorTypeGetEncoding(tensor));
}

MlirType tgWithShape(MlirType tensor, IrShape shape) {
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, irElementType(tensor), mlirAttributeGetNull());
}

MlirType tgWithInnerShape(MlirType tensor, IrShape shape) {
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, irElementType(tensor),
                                 mlirRankedTensorTypeGetEncoding(tensor));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MlirValue splat(IrBuilder *b, MlirType type, MlirAttribute element) {
  return irValueOf(b, "tg.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(b, "value", mlirDenseElementsAttrSplatGet(type, element))));
}

/// A real number everywhere, as elements of a complex type.
static MlirValue complexSplat(IrBuilder *b, MlirType type, double value) {
  bool isWide = mlirTypeIsAF64(mlirComplexTypeGetElementType(irElementType(type)));
  double wide[2] = {value, 0};
  float narrow[2] = {(float)value, 0};
  MlirAttribute elements = mlirDenseElementsAttrRawBufferGet(type, isWide ? sizeof(wide) : sizeof(narrow),
                                                             isWide ? (const void *)wide : narrow);
  return irValueOf(b, "tg.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", elements)));
}

MlirValue tgSplat(IrBuilder *b, MlirType type, double value) {
  MlirType element = irElementType(type);
  if (mlirTypeIsAComplex(element))
    return complexSplat(b, type, value);
  return irIsFloat(element) ? splat(b, type, mlirFloatAttrDoubleGet(b->context, element, value))
                            : tgSplatBits(b, type, (uint64_t)(int64_t)value);
}

MlirValue tgSplatLike(IrBuilder *b, MlirValue like, double value) { return tgSplat(b, mlirValueGetType(like), value); }

MlirValue tgSplatBits(IrBuilder *b, MlirType type, uint64_t bits) {
  MlirType element = irElementType(type);
  unsigned unused = 64 - mlirIntegerTypeGetWidth(element);
  bits <<= unused;
  int64_t value = irIsUnsigned(element) ? (int64_t)(bits >> unused) : (int64_t)bits >> unused;
  return splat(b, type, mlirIntegerAttrGet(element, value));
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

bool tgIsLargeSplat(MlirValue value) {
  enum { SMALL = 64 };
  return tgIsSplat(irDefiningOp(value)) && irNumElements(irShapeOf(value)) > SMALL;
}

MlirValue tgBroadcastSplat(IrBuilder *b, MlirValue splat) {
  MlirType type = mlirValueGetType(splat), scalar = tgWithShape(type, (IrShape){0});
  MlirAttribute value = irGetAttr(irDefiningOp(splat), "value");
  MlirAttribute element = mlirDenseElementsAttrSplatGet(scalar, mlirDenseElementsAttrGetSplatValue(value));
  MlirValue constant = irValueOf(b, "tg.constant", IR_NO_VALUES, scalar, IR_ATTRS(irAttr(b, "value", element)));
  return tgBroadcast(b, constant, type, (IrShape){0});
}

MlirValue tgUnary(IrBuilder *b, const char *name, MlirValue operand) {
  return irValueOf(b, name, IR_VALUES(operand), mlirValueGetType(operand), IR_NO_ATTRS);
}

MlirValue tgBinary(IrBuilder *b, const char *name, MlirValue lhs, MlirValue rhs) {
  return irValueOf(b, name, IR_VALUES(lhs, rhs), mlirValueGetType(lhs), IR_NO_ATTRS);
}

MlirValue tgCompare(IrBuilder *b, TgDirection direction, MlirValue lhs, MlirValue rhs) {
  MlirType type = tgWithElement(mlirValueGetType(lhs), mlirIntegerTypeGet(b->context, 1));
  return irValueOf(b, "tg.compare", IR_VALUES(lhs, rhs), type, IR_ATTRS(irI32(b, "direction", direction)));
}

MlirValue tgSelect(IrBuilder *b, MlirValue pred, MlirValue onTrue, MlirValue onFalse) {
  return irValueOf(b, "tg.select", IR_VALUES(pred, onTrue, onFalse), mlirValueGetType(onTrue), IR_NO_ATTRS);
}

MlirValue tgConvert(IrBuilder *b, MlirValue value, MlirType element) {
  if (mlirTypeEqual(irElementTypeOf(value), element))
    return value;
  return irValueOf(b, "tg.convert", IR_VALUES(value), tgWithElement(mlirValueGetType(value), element), IR_NO_ATTRS);
}

MlirValue tgBitcast(IrBuilder *b, MlirValue value, MlirType element) {
  if (mlirTypeEqual(irElementTypeOf(value), element))
    return value;
  return irValueOf(b, "tg.bitcast_convert", IR_VALUES(value), tgWithElement(mlirValueGetType(value), element),
                   IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// Shapes and reductions
//===----------------------------------------------------------------------===//

MlirValue tgReshape(IrBuilder *b, MlirValue value, MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return irValueOf(b, "tg.reshape", IR_VALUES(value), type, IR_NO_ATTRS);
}

MlirValue tgBroadcast(IrBuilder *b, MlirValue value, MlirType type, IrShape dims) {
  return irValueOf(b, "tg.broadcast", IR_VALUES(value), type, IR_ATTRS(irDims(b, "dims", dims.rank, dims.dims)));
}

MlirValue tgReduce(IrBuilder *b, TgReduceKind kind, MlirValue value, IrShape dims) {
  IrShape shape = irShapeOf(value), kept = {0};
  for (intptr_t d = 0; d < shape.rank; ++d)
    if (!irContains(dims, d))
      kept.dims[kept.rank++] = shape.dims[d];
  return irValueOf(b, "tg.reduce", IR_VALUES(value), tgWithShape(mlirValueGetType(value), kept),
                   IR_ATTRS(irI32(b, "kind", kind), irDims(b, "dims", dims.rank, dims.dims)));
}

MlirValue tgIota(IrBuilder *b, MlirType type, int64_t dim) {
  return irValueOf(b, "tg.iota", IR_NO_VALUES, type, IR_ATTRS(irI64(b, "dim", dim)));
}

static MlirValue slice(IrBuilder *b, MlirValue value, MlirType result, IrShape starts, IrShape limits,
                       IrShape strides) {
  return irValueOf(b, "tg.slice", IR_VALUES(value), result,
                   IR_ATTRS(irDims(b, "starts", starts.rank, starts.dims),
                            irDims(b, "limits", limits.rank, limits.dims),
                            irDims(b, "strides", strides.rank, strides.dims)));
}

MlirValue tgSlice(IrBuilder *b, MlirValue value, int64_t dim, int64_t start, int64_t limit) {
  IrShape limits = irShapeOf(value), starts = {limits.rank, {0}}, strides = limits;
  for (intptr_t d = 0; d < strides.rank; ++d)
    strides.dims[d] = 1;
  IrShape result = limits;
  starts.dims[dim] = start;
  limits.dims[dim] = limit;
  result.dims[dim] = limit - start;
  MlirType from = mlirValueGetType(value);
  return slice(b, value, dim ? tgWithInnerShape(from, result) : tgWithShape(from, result), starts, limits, strides);
}

MlirValue tgStridedSlice(IrBuilder *b, MlirValue value, IrShape starts, IrShape limits, IrShape strides) {
  IrShape result = limits;
  for (intptr_t d = 0; d < result.rank; ++d)
    result.dims[d] = (limits.dims[d] - starts.dims[d] + strides.dims[d] - 1) / strides.dims[d];
  return slice(b, value, tgWithShape(mlirValueGetType(value), result), starts, limits, strides);
}

static MlirValue concatenateValues(IrBuilder *b, IrValues values, int64_t dim) {
  IrShape shape = irShapeOf(values.data[0]);
  for (intptr_t i = 1; i < values.count; ++i)
    shape.dims[dim] += irShapeOf(values.data[i]).dims[dim];
  return irValueOf(b, "tg.concatenate", values, tgWithShape(mlirValueGetType(values.data[0]), shape),
                   IR_ATTRS(irI64(b, "dim", dim)));
}

MlirValue tgConcatenate(IrBuilder *b, IrValues values, int64_t dim) {
  intptr_t groups = (values.count + TG_MOST_PARTS - 1) / TG_MOST_PARTS;
  if (groups <= 1)
    return concatenateValues(b, values, dim);
  MlirValue *parts = irAllocate(sizeof(*parts) * (size_t)groups);
  for (intptr_t g = 0; g < groups; ++g) {
    intptr_t first = values.count * g / groups, end = values.count * (g + 1) / groups;
    parts[g] = concatenateValues(b, (IrValues){end - first, values.data + first}, dim);
  }
  MlirValue whole = tgConcatenate(b, (IrValues){groups, parts}, dim);
  free(parts);
  return whole;
}

MlirValue tgWithPrecisionOf(MlirOperation dot, MlirValue value) {
  if (tgPrecisionOf(dot) != TG_PRECISION_DEFAULT)
    irSetAttr(irDefiningOp(value), "precision", irGetAttr(dot, "precision"));
  return value;
}
