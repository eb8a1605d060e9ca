//===- rewrite.c - operations that are there for the sake of shapes ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Becomes of them, once the shapes are known:
//
//   - a shape assertion: nothing, or an error
//   - get_dimension_size of a size that stays open: the argument that has it
//   - set_dimension_size: a slice
//   - real_dynamic_slice of computed starts but known sizes: dynamic_slice
//   - jax.export's custom call dynamic_reduce_window: reduce_window
//   - dynamic_pad, dynamic_gather, ...: themselves, with constant operands
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

#include <stdio.h>
#include <string.h>

static bool replaceBy(Refiner *r, MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  refineErase(r, op);
  return true;
}

static MlirNamedAttribute listAttr(IrBuilder *b, const char *name, const IrShape *list) {
  return irDims(b, name, list->rank, list->dims);
}

//===----------------------------------------------------------------------===//
// Shape assertions
//===----------------------------------------------------------------------===//

/// The message of a shape assertion, with the value of operand N + 1 in the place of "{N}".
static const char *assertionMessage(Refiner *r, MlirOperation op) {
  MlirAttribute attribute = irGetAttr(op, "error_message");
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return "a shape assertion fails";
  MlirStringRef given = mlirStringAttrGetValue(attribute);
  enum { SIZE_CHARACTERS = 160 };
  char *message = irArenaAllocate(&r->arena, given.length * SIZE_CHARACTERS + 1), *end = message;
  for (size_t i = 0; i < given.length; ++i) {
    bool isPlace = i + 2 < given.length && given.data[i] == '{' && given.data[i + 2] == '}';
    intptr_t operand = isPlace ? given.data[i + 1] - '0' + 1 : 0;
    bool exists = isPlace && operand >= 1 && operand < mlirOperationGetNumOperands(op);
    const RefineValue *value = exists ? refineValueOf(r, irOperand(op, operand)) : NULL;
    if (!value || value->count != 1) {
      *end++ = given.data[i];
      continue;
    }
    end += snprintf(end, SIZE_CHARACTERS, "%s", refineSizeText(r, value->elements[0]));
    i += 2;
  }
  return message;
}

static bool checkAssertion(Refiner *r, MlirOperation op) {
  const RefineValue *value = mlirOperationGetNumOperands(op) ? refineValueOf(r, irOperand(op, 0)) : NULL;
  bool known = value && value->count == 1 && refineIsConstant(value->elements[0]);
  if (known && value->elements[0].offset) {
    refineErase(r, op);
    return true;
  }
  return refineFail(op, "%s the sizes asked for: %s", known ? "does not hold for" : "does not hold for all of",
                    assertionMessage(r, op));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// A size that stays open, as data.
static bool replaceOpenSize(Refiner *r, MlirOperation op, RefineSize size) {
  Padding p = {.r = r, .op = op, .b = irBuilderBefore(op)};
  MlirValue value = paddingSize(&p, size);
  refineSetValue(r, value, 1, &size);
  return replaceBy(r, op, value);
}

/// Whether the operation asks for a size that stays open.
static bool asksForOpenSize(Refiner *r, MlirOperation op, RefineSize *size) {
  if (!irOpIs(op, "stablehlo.get_dimension_size") || mlirOperationGetNumOperands(op) != 1)
    return false;
  RefineShape shape = refineShapeOf(r, irOperand(op, 0));
  int64_t dim = irGetInt(op, "dimension", -1);
  if (dim < 0 || dim >= shape.rank)
    return false;
  *size = shape.dims[dim];
  return !refineIsConstant(*size);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The elements of a padded tensor behind the first ones become padding.
static bool setPaddedSize(Refiner *r, MlirOperation op, int64_t dim, RefineSize size) {
  Padding p = {.r = r, .op = op, .b = irBuilderBefore(op)};
  MlirValue operand = paddingPlain(&p, irOperand(op, 0));
  RefineShape shape = refineShapeOf(r, operand);
  int64_t low, high;
  if (dim < 0 || dim >= shape.rank)
    return refineFail(op, "has no dimension %ld", (long)dim);
  if (!refineDifference(r, shape.dims[dim], size, &low, &high) || low < 0 || paddingLeast(r, size) < 0)
    return refineFail(op, "sets a size of %s, but its operand has %s", refineSizeText(r, size),
                      refineSizeText(r, shape.dims[dim]));
  shape.dims[dim] = size;
  int64_t cut = irShapeOf(operand).dims[dim] - paddingMost(r, size);
  MlirValue shorter = cut ? paddingExtend(&p, operand, dim, -cut) : paddingBarrier(&p, operand);
  refineSetShape(r, shorter, &shape);
  return replaceBy(r, op, shorter);
}

/// The first elements along a dimension: the others are no part of the tensor from here on.
static bool replaceSetDimensionSize(Refiner *r, MlirOperation op) {
  int64_t dim = irGetInt(op, "dimension", -1);
  const RefineValue *size = mlirOperationGetNumOperands(op) == 2 ? refineValueOf(r, irOperand(op, 1)) : NULL;
  if (r->pads && size && size->count == 1)
    return setPaddedSize(r, op, dim, size->elements[0]);
  if (!size || size->count != 1 || !refineIsConstant(size->elements[0]))
    return refineFail(op, "sets a size that does not follow from the sizes of the inputs");
  MlirValue operand = irOperand(op, 0);
  IrShape limits = irShapeOf(operand), starts = {limits.rank, {0}}, strides = {limits.rank, {0}};
  if (dim < 0 || dim >= limits.rank)
    return refineFail(op, "has no dimension %ld", (long)dim);
  if (size->elements[0].offset < 0 || size->elements[0].offset > limits.dims[dim])
    return refineFail(op, "sets a size of %s, but its operand has %ld", refineSizeText(r, size->elements[0]),
                      (long)limits.dims[dim]);
  limits.dims[dim] = size->elements[0].offset;
  for (intptr_t i = 0; i < limits.rank; ++i)
    strides.dims[i] = 1;
  IrBuilder b = irBuilderBefore(op);
  MlirType type = mlirRankedTensorTypeGet(limits.rank, limits.dims, irElementTypeOf(operand),
                                          mlirRankedTensorTypeGetEncoding(mlirValueGetType(operand)));
  return replaceBy(r, op,
                   irValueOf(&b, "stablehlo.slice", IR_VALUES(operand), type,
                             IR_ATTRS(listAttr(&b, "start_indices", &starts), listAttr(&b, "limit_indices", &limits),
                                      listAttr(&b, "strides", &strides))));
}

/// The sizes of a slice whose limits are its starts plus them; null if they are not like that.
static const RefineValue *sizesOfSlice(const Refiner *r, MlirOperation op) {
  MlirValue starts = irOperand(op, 1);
  MlirOperation limits = irDefiningOp(irOperand(op, 2));
  const RefineValue *strides = refineValueOf(r, irOperand(op, 3));
  if (mlirOperationIsNull(limits) || !irOpIs(limits, "stablehlo.add") || !strides)
    return NULL;
  for (int64_t i = 0; i < strides->count; ++i)
    if (!refineEqual(strides->elements[i], refineConstant(1)))
      return NULL;
  for (intptr_t i = 0; i < 2; ++i)
    if (mlirValueEqual(irOperand(limits, i), starts))
      return refineValueOf(r, irOperand(limits, 1 - i));
  return NULL;
}

/// Element `i` of a list, as a tensor of rank 0.
static MlirValue elementOfList(IrBuilder *b, MlirValue list, int64_t i) {
  MlirType element = irElementTypeOf(list);
  MlirType one = mlirRankedTensorTypeGet(1, (int64_t[]){1}, element, mlirAttributeGetNull());
  MlirType scalar = mlirRankedTensorTypeGet(0, NULL, element, mlirAttributeGetNull());
  MlirValue slice =
      irValueOf(b, "stablehlo.slice", IR_VALUES(list), one,
                IR_ATTRS(irDims(b, "start_indices", 1, (int64_t[]){i}),
                         irDims(b, "limit_indices", 1, (int64_t[]){i + 1}), irDims(b, "strides", 1, (int64_t[]){1})));
  return irValueOf(b, "stablehlo.reshape", IR_VALUES(slice), scalar, IR_NO_ATTRS);
}

static bool replaceByDynamicSlice(Refiner *r, MlirOperation op, const RefineValue *sizes) {
  RefineShape from = refineShapeOf(r, irOperand(op, 0)), shape = {.rank = from.rank};
  if (sizes->count != from.rank)
    return refineFail(op, "has starts and limits of another rank than its operand");
  IrBuilder b = irBuilderBefore(op);
  MlirValue operands[1 + IR_MAX_RANK] = {irOperand(op, 0)};
  for (intptr_t i = 0; i < from.rank; ++i) {
    shape.dims[i] = sizes->elements[i];
    operands[1 + i] = elementOfList(&b, irOperand(op, 1), i);
  }
  MlirType type = refineType(r, op, mlirValueGetType(irResult(op, 0)), &shape);
  if (mlirTypeIsNull(type))
    return false;
  IrShape list = irTypeShape(type);
  MlirValue slice = irValueOf(&b, "stablehlo.dynamic_slice", (IrValues){1 + from.rank, operands}, type,
                              IR_ATTRS(listAttr(&b, "slice_sizes", &list)));
  if (r->pads)
    refineSetShape(r, slice, &shape);
  return replaceBy(r, op, slice) && (!r->pads || paddingApply(r, irDefiningOp(slice)));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Operand `i`, a list of constants; of a window that grows with the tensor (`isCumulative`) for the largest size.
static bool constantList(Refiner *r, MlirOperation op, intptr_t i, bool isCumulative, int64_t *list, intptr_t count) {
  const RefineValue *value = refineValueOf(r, irOperand(op, i));
  for (intptr_t k = 0; value && k < count; ++k) {
    if (value->count != count || (!refineIsConstant(value->elements[k]) && !isCumulative))
      return refineFail(op, "has a window (operand %ld) that is not the same for all sizes", (long)i);
    list[k] = paddingMost(r, value->elements[k]);
  }
  return value ||
         refineFail(op, "has a window (operand %ld) that does not follow from the sizes of the inputs", (long)i);
}

/// The body of the function that the operation calls, as a region that ends with stablehlo.return.
static bool takeCalledBody(Refiner *r, MlirOperation op, MlirRegion region) {
  MlirAttribute called = irGetAttr(op, "called_computations");
  bool isOne =
      !mlirAttributeIsNull(called) && mlirAttributeIsAArray(called) && mlirArrayAttrGetNumElements(called) == 1;
  MlirOperation function = isOne ? refineFindFunction(r, mlirArrayAttrGetElement(called, 0)) : (MlirOperation){NULL};
  if (mlirOperationIsNull(function))
    return refineFail(op, "calls no function of this module");
  MlirOperation clone = mlirOperationClone(function);
  mlirRegionTakeBody(region, mlirOperationGetRegion(clone, 0));
  mlirOperationDestroy(clone);
  MlirOperation end = mlirBlockGetTerminator(mlirRegionGetFirstBlock(region));
  IrBuilder b = irBuilderBefore(end);
  intptr_t count = mlirOperationGetNumOperands(end);
  MlirValue *values = IR_NEW_ARRAY(&r->arena, MlirValue, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irOperand(end, i);
  irOp(&b, "stablehlo.return", (IrValues){count, values}, IR_NO_TYPES, IR_NO_ATTRS);
  mlirOperationDestroy(end);
  return true;
}

/// Whether the windows of a padded tensor are of one element or, along dimensions that are open, of all elements before
/// or behind.
static bool hasCumulativeWindows(Refiner *r, MlirOperation op, intptr_t count) {
  RefineShape shape = refineShapeOf(r, irOperand(op, 0));
  const RefineValue *lists[5];
  for (intptr_t i = 0; i < 5; ++i) {
    lists[i] = refineValueOf(r, irOperand(op, 2 * count + i));
    if (!lists[i] || lists[i]->count != (i == 4 ? 2 : 1) * shape.rank)
      return false;
  }
  bool isOpen = false;
  for (intptr_t d = 0; d < shape.rank; ++d) {
    for (intptr_t i = 1; i < 4; ++i)
      if (!refineEqual(lists[i]->elements[d], refineConstant(1)))
        return false;
    isOpen |= !refineIsConstant(lists[0]->elements[d]);
    bool isOne = refineEqual(lists[0]->elements[d], refineConstant(1)) &&
                 refineEqual(lists[4]->elements[2 * d], refineConstant(0)) &&
                 refineEqual(lists[4]->elements[2 * d + 1], refineConstant(0));
    if (!isOne && !paddingIsCumulative(r, lists[0]->elements[d], lists[4]->elements[2 * d],
                                       lists[4]->elements[2 * d + 1], shape.dims[d]))
      return false;
  }
  return r->pads && isOpen;
}

/// Operands: inputs, initial values, window dimensions, strides, base dilations, window dilations, padding.
static bool replaceDynamicReduceWindow(Refiner *r, MlirOperation op) {
  intptr_t count = mlirOperationGetNumResults(op), numOperands = mlirOperationGetNumOperands(op);
  if (count < 1 || numOperands != 2 * count + 5)
    return refineFail(op, "must have an input and an initial value for each result, and five lists");
  intptr_t rank = irShapeOf(irOperand(op, 0)).rank;
  bool isCumulative = hasCumulativeWindows(r, op, count);
  IrShape lists[4];
  int64_t padding[2 * IR_MAX_RANK];
  for (intptr_t i = 0; i < 4; ++i) {
    lists[i].rank = rank;
    if (!constantList(r, op, 2 * count + i, isCumulative, lists[i].dims, rank))
      return false;
  }
  if (!constantList(r, op, 2 * count + 4, isCumulative, padding, 2 * rank))
    return false;
  IrBuilder b = irBuilderBefore(op);
  MlirType *types = IR_NEW_ARRAY(&r->arena, MlirType, count);
  MlirValue *operands = IR_NEW_ARRAY(&r->arena, MlirValue, 2 * count);
  for (intptr_t i = 0; i < 2 * count; ++i)
    operands[i] = irOperand(op, i);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(irResult(op, i));
  MlirType paddingType =
      mlirRankedTensorTypeGet(2, (int64_t[]){rank, 2}, mlirIntegerTypeGet(r->context, 64), mlirAttributeGetNull());
  MlirOperation window =
      irOpWithRegions(&b, "stablehlo.reduce_window", (IrValues){2 * count, operands}, (IrTypes){count, types},
                      IR_ATTRS(listAttr(&b, "window_dimensions", &lists[0]), listAttr(&b, "window_strides", &lists[1]),
                               listAttr(&b, "base_dilations", &lists[2]), listAttr(&b, "window_dilations", &lists[3]),
                               irAttr(&b, "padding", mlirDenseElementsAttrInt64Get(paddingType, 2 * rank, padding))),
                      1, IR_NO_TYPES);
  if (!takeCalledBody(r, op, mlirOperationGetRegion(window, 0)))
    return false;
  Padding p = {.r = r, .op = window, .c = {.op = window, .b = irBuilderBefore(window), .arena = &r->arena}};
  p.b = p.c.b;
  if (isCumulative ? !paddingCumulative(&p) : !refineResultTypes(r, window) || (r->pads && !paddingApply(r, window)))
    return false;
  for (intptr_t i = 0; i < count; ++i)
    mlirValueReplaceAllUsesOfWith(irResult(op, i), irResult(window, i));
  refineErase(r, op);
  return true;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Operations with lists as operands that conversions need as constants: the operands from `first` on.
static const struct {
  const char *name;
  intptr_t first;
} constantOperands[] = {
    {"stablehlo.dynamic_conv", 2},
    {"stablehlo.dynamic_gather", 2},
    {"stablehlo.dynamic_pad", 2},
    {"stablehlo.real_dynamic_slice", 1},
};

static void makeOperandsConstant(Refiner *r, MlirOperation op) {
  for (size_t i = 0; i < sizeof(constantOperands) / sizeof(constantOperands[0]); ++i)
    for (intptr_t k = constantOperands[i].first;
         !r->pads && irOpIs(op, constantOperands[i].name) && k < mlirOperationGetNumOperands(op); ++k)
      refineOperandToConstant(r, op, k);
}

bool refineRewrite(Refiner *r, MlirOperation op, bool *replaced) {
  *replaced = true;
  RefineSize size;
  if (asksForOpenSize(r, op, &size))
    return replaceOpenSize(r, op, size);
  if (refineCallsTarget(op, "shape_assertion"))
    return checkAssertion(r, op);
  if (refineCallsTarget(op, "stablehlo.dynamic_reduce_window"))
    return replaceDynamicReduceWindow(r, op);
  if (irOpIs(op, "stablehlo.set_dimension_size"))
    return replaceSetDimensionSize(r, op);
  makeOperandsConstant(r, op);
  if (irOpIs(op, "stablehlo.real_dynamic_slice") && mlirOperationGetNumOperands(op) == 4 &&
      !refineValueOf(r, irOperand(op, 1))) {
    const RefineValue *sizes = sizesOfSlice(r, op);
    return sizes ? replaceByDynamicSlice(r, op, sizes)
                 : refineFail(op, "has a result whose shape does not follow from the sizes of the inputs");
  }
  *replaced = false;
  return true;
}
