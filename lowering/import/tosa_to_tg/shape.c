//===- shape.c - shapes --------------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations on values of type !tosa.shape. Leaves their elements as constants of the conversion, for shapes are
// computed when the program is converted. An operation that makes a shape has no counterpart; it is noted, and erased
// when all of its readers have been converted.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

#include <string.h>

static bool noteShape(TosaConversion *c, TosaShape shape) {
  TosaPass *pass = c->pass;
  IR_RESERVE_ONE(pass->shapes, pass->numShapes, pass->shapeCapacity);
  IR_RESERVE_ONE(pass->shapeOps, pass->numShapes, pass->shapeOpCapacity);
  irMapSet(&pass->indexOfShape, irResult(c->op, 0).ptr, pass->numShapes);
  pass->shapes[pass->numShapes] = shape;
  pass->shapeOps[pass->numShapes++] = c->op;
  return true;
}

bool tosaEvaluateConstShape(TosaConversion *c) {
  MlirAttribute elements = irGetAttr(c->op, "values");
  if (!mlirAttributeIsADenseElements(elements))
    return tosaFail(c, "attribute 'values' is not dense");
  intptr_t count = mlirElementsAttrGetNumElements(elements);
  int64_t *values = IR_NEW_ARRAY(&c->pass->arena, int64_t, count);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = (int64_t)mlirDenseElementsAttrGetIndexValue(elements, i);
  return noteShape(c, (TosaShape){count, values});
}

bool tosaEvaluateDim(TosaConversion *c) {
  MlirType type = mlirValueGetType(tosaOperand(c, 0));
  if (!mlirShapedTypeHasRank(type))
    return tosaFail(c, "only ranked tensors are supported");
  int64_t axis;
  if (!tosaAxis(c, mlirShapedTypeGetRank(type), &axis))
    return false;
  if (mlirShapedTypeIsDynamicDim(type, axis))
    return tosaFail(c, "dynamic shapes are not supported");
  int64_t *value = IR_NEW(&c->pass->arena, int64_t);
  *value = mlirShapedTypeGetDimSize(type, axis);
  return noteShape(c, (TosaShape){1, value});
}

bool tosaEvaluateConcatShape(TosaConversion *c) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op), count = 0;
  TosaShape part;
  for (intptr_t i = 0; i < numOperands; ++i) {
    if (!tosaShapeOperand(c, i, -1, &part))
      return false;
    count += part.count;
  }
  int64_t *values = IR_NEW_ARRAY(&c->pass->arena, int64_t, count), *end = values;
  for (intptr_t i = 0; i < numOperands && tosaShapeOperand(c, i, -1, &part); ++i)
    for (intptr_t k = 0; k < part.count; ++k)
      *end++ = part.values[k];
  return noteShape(c, (TosaShape){count, values});
}

bool tosaEvaluateSliceShape(TosaConversion *c) {
  TosaShape shape, start, size;
  if (!tosaShapeOperand(c, 0, -1, &shape) || !tosaConstantInts(c, 1, "the start", &start) ||
      !tosaConstantInts(c, 2, "the size", &size))
    return false;
  int64_t from = start.values[0], count = size.values[0];
  if (from < 0 || count < 0 || from > shape.count || count > shape.count - from)
    return tosaFail(c, "%lld elements from %lld on do not lie within the shape's %ld", (long long)count,
                    (long long)from, (long)shape.count);
  return noteShape(c, (TosaShape){count, shape.values + from});
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// floor(a / b) or, with `up`, ceil(a / b), for b > 0.
static int64_t divideRounded(int64_t a, int64_t b, bool up) {
  int64_t quotient = a / b, rest = a % b;
  return quotient + (up ? rest > 0 : -(rest < 0));
}

/// floor(log2 a) or, with `up`, ceil(log2 a), for a > 0.
static int64_t log2Of(int64_t a, bool up) {
  int64_t log = 63 - __builtin_clzll((unsigned long long)a);
  return log + (up && (a & (a - 1)) != 0);
}

/// One element of the result; false where it does not exist. `b` is 0 where there is one operand.
static bool evaluate(const char *name, int64_t a, int64_t b, int64_t *result) {
  *result = 0;
  if (!strcmp(name, "tosa.add_shape"))
    return !__builtin_add_overflow(a, b, result);
  if (!strcmp(name, "tosa.sub_shape"))
    return !__builtin_sub_overflow(a, b, result);
  if (!strcmp(name, "tosa.mul_shape"))
    return !__builtin_mul_overflow(a, b, result);
  bool isLog = !strncmp(name, "tosa.log2", 9), isDivision = !strncmp(name, "tosa.div", 8);
  bool isMod = !strcmp(name, "tosa.mod_shape"), isExp = !strcmp(name, "tosa.exp2_shape");
  if ((isLog && a <= 0) || ((isDivision || isMod) && b <= 0) || (isExp && (a < 0 || a > 62)))
    return false;
  *result = isLog                             ? log2Of(a, strstr(name, "ceil") != NULL)
            : isDivision                      ? divideRounded(a, b, strstr(name, "ceil") != NULL)
            : isMod                           ? a % b
            : isExp                           ? (int64_t)1 << a
            : !strcmp(name, "tosa.max_shape") ? (a > b ? a : b)
                                              : (a < b ? a : b);
  return true;
}

bool tosaEvaluateElementwiseShape(TosaConversion *c) {
  bool isBinary = mlirOperationGetNumOperands(c->op) == 2;
  TosaShape a, b = {0};
  if (!tosaShapeOperand(c, 0, -1, &a) || (isBinary && !tosaShapeOperand(c, 1, a.count, &b)))
    return false;
  int64_t *values = IR_NEW_ARRAY(&c->pass->arena, int64_t, a.count);
  for (intptr_t i = 0; i < a.count; ++i)
    if (!evaluate(c->rule->from, a.values[i], isBinary ? b.values[i] : 0, &values[i]))
      return tosaFail(c, "element %ld has no value", (long)i);
  return noteShape(c, (TosaShape){a.count, values});
}
