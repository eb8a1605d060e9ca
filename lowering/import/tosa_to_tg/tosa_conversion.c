//===- tosa_conversion.c - helpers for converting TOSA operations ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of the conversion of TOSA operations: errors, attributes, constant operands, zero points, and builders of tg
// operations with TOSA's arithmetic.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

#include "capi/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tosaFail(TosaConversion *c, const char *format, ...) {
  char reason[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
  stitchEmitOpError(c->op, "cannot be converted to tg: %s", reason);
  return false;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool tosaAxis(TosaConversion *c, intptr_t rank, int64_t *axis) {
  *axis = irGetInt(c->op, "axis", -1);
  return (*axis >= 0 && *axis < rank) ||
         tosaFail(c, "axis %lld is no dimension of a tensor of rank %ld", (long long)*axis, (long)rank);
}

bool tosaIsTrue(TosaConversion *c, const char *name) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  return !mlirAttributeIsNull(attribute) && mlirAttributeIsABool(attribute) && mlirBoolAttrGetValue(attribute);
}

typedef struct {
  char text[128];
  size_t length;
} ShortText;

/// Keeps the beginning.
static void appendShort(MlirStringRef part, void *user) {
  ShortText *text = user;
  size_t room = sizeof(text->text) - 1 - text->length, length = part.length < room ? part.length : room;
  memcpy(text->text + text->length, part.data, length);
  text->length += length;
}

bool tosaHasKeyword(TosaConversion *c, const char *name, const char *keyword) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  ShortText text = {0};
  if (!mlirAttributeIsNull(attribute))
    mlirAttributePrint(attribute, appendShort, &text);
  return strstr(text.text, keyword) != NULL;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

MlirValue tosaOperand(TosaConversion *c, intptr_t i) { return irOperand(c->op, i); }

MlirType tosaResultType(TosaConversion *c, intptr_t i) { return mlirValueGetType(irResult(c->op, i)); }

int64_t tosaDenseInt(MlirAttribute elements, intptr_t i) {
  IrShape shape = irTypeShape(mlirAttributeGetType(elements));
  uint64_t index[IR_MAX_RANK];
  for (intptr_t d = shape.rank; d-- > 0; i /= shape.dims[d])
    index[d] = (uint64_t)(i % shape.dims[d]);
  MlirAttribute element = mlirElementsAttrGetValue(elements, shape.rank, index);
  return irIsUnsigned(irElementType(mlirAttributeGetType(elements))) ? (int64_t)mlirIntegerAttrGetValueUInt(element)
                                                                     : mlirIntegerAttrGetValueInt(element);
}

/// The elements of the constant that `operand` is; null if it is none.
static MlirAttribute constantOperand(TosaConversion *c, intptr_t operand) {
  MlirOperation op = irDefiningOp(tosaOperand(c, operand));
  if (mlirOperationIsNull(op) || !irOpIs(op, "tg.constant"))
    return (MlirAttribute){NULL};
  MlirAttribute elements = irGetAttr(op, "value");
  return mlirAttributeIsADenseElements(elements) ? elements : (MlirAttribute){NULL};
}

bool tosaConstantInts(TosaConversion *c, intptr_t operand, const char *what, TosaShape *values) {
  MlirAttribute elements = constantOperand(c, operand);
  if (mlirAttributeIsNull(elements))
    return tosaFail(c, "%s is not a constant", what);
  MlirType element = irElementType(mlirAttributeGetType(elements));
  if (!irIsInteger(element))
    return tosaFail(c, "%s is not of integer type", what);
  intptr_t count = mlirElementsAttrGetNumElements(elements);
  int64_t *ints = IR_NEW_ARRAY(&c->pass->arena, int64_t, count);
  for (intptr_t i = 0; i < count; ++i)
    ints[i] = tosaDenseInt(elements, i);
  *values = (TosaShape){count, ints};
  return true;
}

bool tosaZeroPoint(TosaConversion *c, intptr_t operand, int64_t *value) {
  *value = 0;
  MlirAttribute elements = constantOperand(c, operand);
  if (mlirAttributeIsNull(elements))
    return tosaFail(c, "a zero point is not a constant");
  if (irIsFloat(irElementType(mlirAttributeGetType(elements))))
    return true; // the verifier of the operation has seen that it is zero
  TosaShape values;
  if (!tosaConstantInts(c, operand, "a zero point", &values))
    return false;
  *value = values.values[0];
  return true;
}

bool tosaShapeOperand(TosaConversion *c, intptr_t operand, intptr_t count, TosaShape *shape) {
  int64_t index = irMapGet(&c->pass->indexOfShape, tosaOperand(c, operand).ptr, -1);
  if (index < 0)
    return tosaFail(c, "operand %ld, a shape, is not known when the program is compiled", (long)operand);
  *shape = c->pass->shapes[index];
  return count < 0 || shape->count == count ||
         tosaFail(c, "operand %ld, a shape, must have %ld elements, got %ld", (long)operand, (long)count,
                  (long)shape->count);
}

bool tosaReplaceResult(TosaConversion *c, intptr_t i, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(c->op, i), value);
  return true;
}

bool tosaReplaceBy(TosaConversion *c, IrValues operands, IrAttrs attributes) {
  return tosaReplaceResult(c, 0, irValueOf(&c->b, c->rule->to, operands, tosaResultType(c, 0), attributes));
}

//===----------------------------------------------------------------------===//
// Types and lists
//===----------------------------------------------------------------------===//

MlirType tosaTensorType(IrShape shape, MlirType element) {
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, element, mlirAttributeGetNull());
}

MlirType tosaIntType(TosaConversion *c, unsigned width) { return mlirIntegerTypeGet(c->b.context, width); }

MlirNamedAttribute tosaDims(TosaConversion *c, const char *name, const IrShape *list) {
  return irDims(&c->b, name, list->rank, list->dims);
}

IrShape tosaIota(intptr_t rank) {
  IrShape list = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i)
    list.dims[i] = i;
  return list;
}

IrShape tosaRepeat(intptr_t rank, int64_t value) {
  IrShape list = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i)
    list.dims[i] = value;
  return list;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MlirValue constantTensor(TosaConversion *c, MlirType type, MlirAttribute elements) {
  return irValueOf(&c->b, "tg.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(&c->b, "value", elements)));
}

MlirValue tosaSplatInt(TosaConversion *c, MlirType type, int64_t value) {
  return constantTensor(c, type, mlirDenseElementsAttrSplatGet(type, mlirIntegerAttrGet(irElementType(type), value)));
}

MlirValue tosaSplat(TosaConversion *c, MlirType type, double value) {
  MlirType element = irElementType(type);
  if (!irIsFloat(element))
    return tosaSplatInt(c, type, (int64_t)value);
  MlirAttribute scalar = mlirFloatAttrDoubleGet(c->b.context, element, value);
  return constantTensor(c, type, mlirDenseElementsAttrSplatGet(type, scalar));
}

MlirValue tosaConstantI32s(TosaConversion *c, intptr_t count, const int32_t *values) {
  MlirType type = tosaTensorType((IrShape){1, {count}}, tosaIntType(c, 32));
  return constantTensor(c, type, mlirDenseElementsAttrInt32Get(type, count, values));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

MlirValue tosaUnary(TosaConversion *c, const char *name, MlirValue operand) {
  return irUnary(&c->b, name, operand, mlirValueGetType(operand));
}

MlirValue tosaBinary(TosaConversion *c, const char *name, MlirValue lhs, MlirValue rhs) {
  return irValueOf(&c->b, name, IR_VALUES(lhs, rhs), mlirValueGetType(lhs), IR_NO_ATTRS);
}

MlirValue tosaCompare(TosaConversion *c, TgDirection direction, MlirValue lhs, MlirValue rhs) {
  return irValueOf(&c->b, "tg.compare", IR_VALUES(lhs, rhs), tosaTensorType(irShapeOf(lhs), tosaIntType(c, 1)),
                   IR_ATTRS(irI32(&c->b, "direction", direction)));
}

MlirValue tosaSelect(TosaConversion *c, MlirValue pred, MlirValue onTrue, MlirValue onFalse) {
  return irValueOf(&c->b, "tg.select", IR_VALUES(pred, onTrue, onFalse), mlirValueGetType(onTrue), IR_NO_ATTRS);
}

MlirValue tosaIsNaN(TosaConversion *c, MlirValue value) { return tosaCompare(c, TG_NE, value, value); }

MlirValue tosaConvert(TosaConversion *c, MlirValue value, MlirType element) {
  if (mlirTypeEqual(irElementTypeOf(value), element))
    return value;
  return irUnary(&c->b, "tg.convert", value, tosaTensorType(irShapeOf(value), element));
}

MlirValue tosaApplyScale(TosaConversion *c, MlirValue value, MlirValue multiplier, MlirValue shift, bool doubleRound) {
  MlirType type = mlirValueGetType(value);
  MlirValue zero = tosaSplatInt(c, type, 0), one = tosaSplatInt(c, type, 1);
  MlirValue half = tosaBinary(c, "tg.shl", one, tosaBinary(c, "tg.sub", shift, one));
  MlirValue sum = tosaBinary(c, "tg.add", tosaBinary(c, "tg.mul", value, multiplier), half);
  if (doubleRound) {
    MlirValue up = tosaSplatInt(c, type, (int64_t)1 << 30), down = tosaSplatInt(c, type, -((int64_t)1 << 30));
    MlirValue second = tosaSelect(c, tosaCompare(c, TG_GE, value, zero), up, down);
    MlirValue isLarge = tosaCompare(c, TG_GT, shift, tosaSplatInt(c, type, 31));
    sum = tosaSelect(c, isLarge, tosaBinary(c, "tg.add", sum, second), sum);
  }
  return tosaBinary(c, "tg.shr_arith", sum, shift);
}

MlirValue tosaSaturate(TosaConversion *c, MlirValue value, MlirType to, bool isUnsigned) {
  unsigned width = mlirIntegerTypeGetWidth(to);
  int64_t least = isUnsigned ? 0 : -((int64_t)1 << (width - 1));
  int64_t largest = ((int64_t)1 << (isUnsigned ? width : width - 1)) - 1;
  MlirType bound = tosaTensorType((IrShape){0}, irElementTypeOf(value)), type = tosaTensorType(irShapeOf(value), to);
  MlirValue cut =
      irValueOf(&c->b, "tg.clamp", IR_VALUES(tosaSplatInt(c, bound, least), value, tosaSplatInt(c, bound, largest)),
                mlirValueGetType(value), IR_NO_ATTRS);
  if (!isUnsigned || irIsUnsigned(to))
    return tosaConvert(c, cut, to);
  cut = tosaConvert(c, cut, mlirIntegerTypeUnsignedGet(c->b.context, width));
  return irUnary(&c->b, "tg.bitcast_convert", cut, type);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

MlirValue tosaReshape(TosaConversion *c, MlirValue value, IrShape shape) {
  if (irShapesEqual(irShapeOf(value), shape))
    return value;
  return irUnary(&c->b, "tg.reshape", value, tosaTensorType(shape, irElementTypeOf(value)));
}

MlirValue tosaTranspose(TosaConversion *c, MlirValue value, IrShape permutation) {
  IrShape from = irShapeOf(value), to = {.rank = from.rank};
  for (intptr_t i = 0; i < from.rank; ++i)
    to.dims[i] = from.dims[permutation.dims[i]];
  return irValueOf(&c->b, "tg.transpose", IR_VALUES(value), tosaTensorType(to, irElementTypeOf(value)),
                   IR_ATTRS(tosaDims(c, "permutation", &permutation)));
}

MlirValue tosaBroadcast(TosaConversion *c, MlirValue value, IrShape shape, IrShape dims) {
  if (irShapesEqual(irShapeOf(value), shape))
    return value;
  return irValueOf(&c->b, "tg.broadcast", IR_VALUES(value), tosaTensorType(shape, irElementTypeOf(value)),
                   IR_ATTRS(tosaDims(c, "dims", &dims)));
}

MlirValue tosaBroadcastTo(TosaConversion *c, MlirValue value, IrShape shape) {
  IrShape from = irShapeOf(value), dims = {.rank = from.rank};
  bool fits = from.rank <= shape.rank;
  for (intptr_t i = 0; fits && i < from.rank; ++i) {
    dims.dims[i] = shape.rank - from.rank + i;
    fits = from.dims[i] == 1 || from.dims[i] == shape.dims[dims.dims[i]];
  }
  if (fits)
    return tosaBroadcast(c, value, shape, dims);
  char *text = irTypeText(mlirValueGetType(value)), *result = irTypeText(tosaResultType(c, 0));
  tosaFail(c, "%s cannot be broadcast to the shape of the result, %s", text, result);
  free(text);
  free(result);
  return (MlirValue){NULL};
}

MlirValue tosaGatherAlong(TosaConversion *c, MlirValue operand, intptr_t dim, MlirValue indices) {
  IrShape shape = irShapeOf(operand), sizes = shape, collapsed = {1, {dim}}, offset = {0}, none = {0};
  sizes.dims[dim] = 1;
  shape.dims[dim] = irShapeOf(indices).dims[0];
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (i != dim)
      offset.dims[offset.rank++] = i;
  return irValueOf(&c->b, "tg.gather", IR_VALUES(operand, indices), tosaTensorType(shape, irElementTypeOf(operand)),
                   IR_ATTRS(tosaDims(c, "offset_dims", &offset), tosaDims(c, "collapsed_slice_dims", &collapsed),
                            tosaDims(c, "operand_batching_dims", &none),
                            tosaDims(c, "start_indices_batching_dims", &none),
                            tosaDims(c, "start_index_map", &collapsed), irI64(&c->b, "index_vector_dim", 1),
                            tosaDims(c, "slice_sizes", &sizes)));
}

MlirValue tosaLookUp(TosaConversion *c, MlirValue table, MlirValue indices) {
  IrShape shape = irShapeOf(indices), first = {1, {0}}, one = {1, {1}}, none = {0};
  return irValueOf(&c->b, "tg.gather", IR_VALUES(table, indices), tosaTensorType(shape, irElementTypeOf(table)),
                   IR_ATTRS(tosaDims(c, "offset_dims", &none), tosaDims(c, "collapsed_slice_dims", &first),
                            tosaDims(c, "operand_batching_dims", &none),
                            tosaDims(c, "start_indices_batching_dims", &none), tosaDims(c, "start_index_map", &first),
                            irI64(&c->b, "index_vector_dim", shape.rank), tosaDims(c, "slice_sizes", &one)));
}
