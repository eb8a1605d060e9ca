//===- refine_evaluate.c - the values of shape computations ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations on small integer tensors, with which exporters compute shapes. Leaves the value of each element, as
// far as the elements are sizes (refine_size.c).
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/refine.h"

#include "ir/graph/tg.h"
#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

#include <string.h>

/// Shapes have at most IR_MAX_RANK elements, paddings of windows two for each.
enum { MAX_ELEMENTS = 4 * IR_MAX_RANK, MAX_OPERANDS = 2 * IR_MAX_RANK };

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

typedef bool (*Elementwise)(Refiner *r, const RefineSize *operands, RefineSize *result);

static bool copy(Refiner *r, const RefineSize *x, RefineSize *result) { return (void)r, *result = x[0], true; }
static bool addSizes(Refiner *r, const RefineSize *x, RefineSize *result) { return refineSum(r, x[0], x[1], result); }
static bool sub(Refiner *r, const RefineSize *x, RefineSize *result) { return refineLess(r, x[0], x[1], result); }
static bool mul(Refiner *r, const RefineSize *x, RefineSize *result) { return refineProduct(r, x[0], x[1], result); }

/// Whether the quotient is zero: the divisor is always larger than the dividend.
static bool isLarger(const Refiner *r, const RefineSize *x) {
  int64_t low, high, least, most;
  return refineRange(r, x[0], &low, &high) && refineRange(r, x[1], &least, &most) && low > -least && high < least;
}

static bool divideSizes(Refiner *r, const RefineSize *x, RefineSize *result) {
  *result = refineConstant(0);
  return isLarger(r, x) || refineDiv(x[0], x[1], result);
}
static bool rem(Refiner *r, const RefineSize *x, RefineSize *result) {
  *result = x[0];
  return isLarger(r, x) || refineRem(x[0], x[1], result);
}

static bool negate(Refiner *r, const RefineSize *x, RefineSize *result) {
  return (void)r, refineSub(refineConstant(0), x[0], result);
}

static bool sign(Refiner *r, const RefineSize *x, RefineSize *result) {
  int64_t low, high;
  if (!refineRange(r, x[0], &low, &high))
    return false;
  *result = refineConstant((low > 0) - (high < 0));
  return low > 0 || high < 0 || (low == 0 && high == 0);
}

static bool largest(Refiner *r, const RefineSize *x, RefineSize *result) {
  int64_t low, high;
  if (!refineDifference(r, x[0], x[1], &low, &high))
    return false;
  *result = low >= 0 ? x[0] : x[1];
  return low >= 0 || high <= 0;
}

static bool smallest(Refiner *r, const RefineSize *x, RefineSize *result) {
  int64_t low, high;
  if (!refineDifference(r, x[0], x[1], &low, &high))
    return false;
  *result = high <= 0 ? x[0] : x[1];
  return low >= 0 || high <= 0;
}

static bool absolute(Refiner *r, const RefineSize *x, RefineSize *result) {
  RefineSize negative;
  return negate(r, x, &negative) && largest(r, (RefineSize[]){x[0], negative}, result);
}

/// Operands: smallest value, operand, largest value.
static bool clampSizes(Refiner *r, const RefineSize *x, RefineSize *result) {
  RefineSize raised;
  return largest(r, x, &raised) && smallest(r, (RefineSize[]){raised, x[2]}, result);
}

static bool selectOne(Refiner *r, const RefineSize *x, RefineSize *result) {
  (void)r;
  *result = x[0].offset ? x[1] : x[2];
  return refineIsConstant(x[0]);
}

static bool and(Refiner *r, const RefineSize *x, RefineSize *result) {
  (void)r;
  *result = refineConstant(x[0].offset & x[1].offset);
  return refineIsConstant(x[0]) && refineIsConstant(x[1]);
}
static bool or(Refiner *r, const RefineSize *x, RefineSize *result) {
  (void)r;
  *result = refineConstant(x[0].offset | x[1].offset);
  return refineIsConstant(x[0]) && refineIsConstant(x[1]);
}
static bool xor(Refiner *r, const RefineSize *x, RefineSize *result) {
  (void)r;
  *result = refineConstant(x[0].offset ^ x[1].offset);
  return refineIsConstant(x[0]) && refineIsConstant(x[1]);
}

/// Of truth values.
static bool not(Refiner *r, const RefineSize *x, RefineSize *result) {
  (void)r;
  *result = refineConstant(!x[0].offset);
  return refineIsConstant(x[0]);
}

typedef struct {
  const char *name;
  int numOperands;
  Elementwise evaluate;
} ElementwiseRule;

static const ElementwiseRule elementwiseRules[] = {
    {"stablehlo.abs", 1, absolute},
    {"stablehlo.add", 2, addSizes},
    {"stablehlo.and", 2, and},
    {"stablehlo.clamp", 3, clampSizes},
    {"stablehlo.convert", 1, copy},
    {"stablehlo.divide", 2, divideSizes},
    {"stablehlo.maximum", 2, largest},
    {"stablehlo.minimum", 2, smallest},
    {"stablehlo.multiply", 2, mul},
    {"stablehlo.negate", 1, negate},
    {"stablehlo.or", 2, or},
    {"stablehlo.remainder", 2, rem},
    {"stablehlo.select", 3, selectOne},
    {"stablehlo.sign", 1, sign},
    {"stablehlo.subtract", 2, sub},
    {"stablehlo.xor", 2, xor},
};

/// Element `i` of each operand, one without dimensions being the same everywhere.
static bool operandsAt(const Refiner *r, MlirOperation op, int64_t i, RefineSize *operands) {
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
    const RefineValue *value = refineValueOf(r, irOperand(op, k));
    if (!value || (i >= value->count && value->count != 1))
      return false;
    operands[k] = value->elements[value->count == 1 ? 0 : i];
  }
  return true;
}

static bool evaluateElementwise(Refiner *r, MlirOperation op, const ElementwiseRule *rule, int64_t count,
                                RefineSize *elements) {
  RefineSize operands[3];
  if (mlirOperationGetNumOperands(op) != rule->numOperands)
    return false;
  for (int64_t i = 0; i < count; ++i)
    if (!operandsAt(r, op, i, operands) || !rule->evaluate(r, operands, &elements[i]))
      return false;
  return true;
}

/// Whether a comparison with a difference in [low, high] holds; false if it holds for some differences only.
static bool compareDifference(int direction, int64_t low, int64_t high, bool *holds) {
  switch (direction) {
  case TG_EQ:
  case TG_NE:
    *holds = (low == 0 && high == 0) == (direction == TG_EQ);
    return (low == 0 && high == 0) || low > 0 || high < 0;
  case TG_LT:
  case TG_GE:
    *holds = (high < 0) == (direction == TG_LT);
    return high < 0 || low >= 0;
  default: // TG_LE, TG_GT
    *holds = (high <= 0) == (direction == TG_LE);
    return high <= 0 || low > 0;
  }
}

static bool evaluateCompare(Refiner *r, MlirOperation op, int64_t count, RefineSize *elements) {
  HloConversion c = {.op = op, .arena = &r->arena};
  RefineSize operands[2];
  int direction = hloCompareDirection(&c);
  if (mlirOperationGetNumOperands(op) != 2 || direction < 0)
    return false;
  for (int64_t i = 0; i < count; ++i) {
    int64_t low, high;
    bool holds;
    if (!operandsAt(r, op, i, operands) || !refineDifference(r, operands[0], operands[1], &low, &high) ||
        !compareDifference(direction, low, high, &holds))
      return false;
    elements[i] = refineConstant(holds);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Sources and movement
//===----------------------------------------------------------------------===//

static bool evaluateConstant(MlirOperation op, int64_t count, RefineSize *elements) {
  MlirAttribute value = irGetAttr(op, "value");
  if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseIntElements(value))
    return false;
  MlirType type = irElementType(mlirAttributeGetType(value));
  unsigned width = mlirIntegerTypeGetWidth(type);
  if (irIsUnsigned(type) || (width != 1 && width != 32 && width != 64))
    return false;
  for (int64_t i = 0; i < count; ++i)
    elements[i] = refineConstant(width == 1    ? mlirDenseElementsAttrGetBoolValue(value, i)
                                 : width == 32 ? mlirDenseElementsAttrGetInt32Value(value, i)
                                               : mlirDenseElementsAttrGetInt64Value(value, i));
  return true;
}

static bool evaluateDimensionSize(Refiner *r, MlirOperation op, RefineSize *elements) {
  RefineShape shape = refineShapeOf(r, irOperand(op, 0));
  int64_t dim = irGetInt(op, "dimension", -1);
  if (dim < 0 || dim >= shape.rank)
    return false;
  elements[0] = shape.dims[dim];
  return true;
}

static bool evaluateReshape(const Refiner *r, MlirOperation op, int64_t count, RefineSize *elements) {
  const RefineValue *value = refineValueOf(r, irOperand(op, 0));
  if (!value || value->count != count)
    return false;
  memcpy(elements, value->elements, (size_t)count * sizeof(*elements));
  return true;
}

/// Of a single element, or of one dimension to its own size: there is nothing else in shape computations.
static bool evaluateBroadcast(const Refiner *r, MlirOperation op, int64_t count, RefineSize *elements) {
  const RefineValue *value = refineValueOf(r, irOperand(op, 0));
  bool isSame = value && value->count == count && irShapeOf(irResult(op, 0)).rank <= 1;
  if (!value || (value->count != 1 && !isSame))
    return false;
  for (int64_t i = 0; i < count; ++i)
    elements[i] = value->elements[value->count == 1 ? 0 : i];
  return true;
}

/// Along the first dimension: the operands one after the other.
static bool evaluateConcatenate(const Refiner *r, MlirOperation op, int64_t count, RefineSize *elements) {
  int64_t filled = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    const RefineValue *value = refineValueOf(r, irOperand(op, i));
    if (!value || filled + value->count > count || irGetInt(op, "dimension", -1) != 0)
      return false;
    memcpy(elements + filled, value->elements, (size_t)value->count * sizeof(*elements));
    filled += value->count;
  }
  return filled == count;
}

/// Of a list.
static bool evaluateSlice(Refiner *r, MlirOperation op, int64_t count, RefineSize *elements) {
  HloConversion c = {.op = op, .arena = &r->arena};
  const RefineValue *value = refineValueOf(r, irOperand(op, 0));
  IrShape starts, strides;
  if (!value || irShapeOf(irOperand(op, 0)).rank != 1 || !hloListAttr(&c, "start_indices", &starts) ||
      !hloListAttr(&c, "strides", &strides) || starts.rank != 1 || strides.rank != 1)
    return false;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = starts.dims[0] + i * strides.dims[0];
    if (from < 0 || from >= value->count)
      return false;
    elements[i] = value->elements[from];
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static bool evaluate(Refiner *r, MlirOperation op, int64_t count, RefineSize *elements) {
  static const ElementwiseRule notRule = {"stablehlo.not", 1, not};
  if (irOpIs(op, notRule.name))
    return irIsBool(irElementTypeOf(irResult(op, 0))) && evaluateElementwise(r, op, &notRule, count, elements);
  for (size_t i = 0; i < sizeof(elementwiseRules) / sizeof(elementwiseRules[0]); ++i)
    if (irOpIs(op, elementwiseRules[i].name))
      return evaluateElementwise(r, op, &elementwiseRules[i], count, elements);
  if (irOpIs(op, "stablehlo.constant"))
    return evaluateConstant(op, count, elements);
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  if (irOpIs(op, "stablehlo.concatenate"))
    return evaluateConcatenate(r, op, count, elements);
  if (irOpIs(op, "stablehlo.compare"))
    return evaluateCompare(r, op, count, elements);
  if (numOperands < 1)
    return false;
  if (irOpIs(op, "stablehlo.get_dimension_size"))
    return evaluateDimensionSize(r, op, elements);
  if (irOpIs(op, "stablehlo.reshape") || irOpIs(op, "stablehlo.dynamic_reshape"))
    return evaluateReshape(r, op, count, elements);
  if (irOpIs(op, "stablehlo.broadcast_in_dim") || irOpIs(op, "stablehlo.dynamic_broadcast_in_dim"))
    return evaluateBroadcast(r, op, count, elements);
  if (irOpIs(op, "stablehlo.slice"))
    return evaluateSlice(r, op, count, elements);
  return false;
}

/// Whether all that the elements can be fits in their type: other arithmetic would wrap around.
static bool fitInType(const Refiner *r, MlirType type, const RefineSize *elements, int64_t count) {
  unsigned width = mlirIntegerTypeGetWidth(type);
  bool isUnsigned = irIsUnsigned(type) || irIsBool(type);
  int64_t most = width >= 64 ? INT64_MAX : (INT64_C(1) << (isUnsigned ? width : width - 1)) - 1;
  int64_t least = isUnsigned ? 0 : -most - 1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t low, high;
    if (!refineRange(r, elements[i], &low, &high) || low < least || high > most)
      return false;
  }
  return true;
}

void refineEvaluate(Refiner *r, MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumOperands(op) > MAX_OPERANDS)
    return;
  MlirType type = mlirValueGetType(irResult(op, 0)), element = irElementType(type);
  if (!mlirTypeIsARankedTensor(type) || !irIsInteger(element) || refineIsDynamic(type))
    return;
  int64_t count = irNumElements(irTypeShape(type));
  RefineSize elements[MAX_ELEMENTS];
  if (count > MAX_ELEMENTS || !evaluate(r, op, count, elements) || !fitInType(r, element, elements, count))
    return;
  refineSetValue(r, irResult(op, 0), count, elements);
}

void refineOperandToConstant(Refiner *r, MlirOperation op, intptr_t i) {
  const RefineValue *value = refineValueOf(r, irOperand(op, i));
  MlirType type = mlirValueGetType(irOperand(op, i)), element = irElementType(type);
  if (!value || irIsBool(element))
    return;
  MlirAttribute *elements = IR_NEW_ARRAY(&r->arena, MlirAttribute, value->count > 0 ? value->count : 1);
  for (int64_t k = 0; k < value->count; ++k) {
    int64_t low, high;
    if (!refineRange(r, value->elements[k], &low, &high))
      return;
    elements[k] = mlirIntegerAttrGet(element, value->elements[k].factor < 0 ? low : high);
  }
  IrBuilder b = irBuilderBefore(op);
  MlirAttribute dense = mlirDenseElementsAttrGet(type, value->count, elements);
  MlirValue constant = irValueOf(&b, "stablehlo.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(&b, "value", dense)));
  irMapSet(&r->values, constant.ptr, (intptr_t)value);
  mlirOperationSetOperand(op, i, constant);
}
