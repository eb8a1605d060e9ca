//===- dynamic.c - dynamic operations whose results are static -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations with operands that are attributes in others. Results have static shapes here, so a shape operand says
// nothing new; other operands must be constants.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/mlir/query.h"

#include <string.h>

/// The integers of operand `i`, a constant; false after an error.
static bool constantOperand(HloConversion *c, intptr_t i, IrShape *list) {
  MlirValue value = hloOperand(c, i);
  MlirOperation op = irDefiningOp(value);
  IrShape shape = irShapeOf(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "tg.constant") || !irIsInteger(irElementTypeOf(value)))
    return hloFail(c, "operand %ld must be a constant: dynamic shapes are not supported", (long)i);
  MlirAttribute elements = irGetAttr(op, "value");
  if (shape.rank != 1 || shape.dims[0] > IR_MAX_RANK || !mlirAttributeIsADenseIntElements(elements))
    return hloFail(c, "operand %ld must be a list of at most %d integers", (long)i, IR_MAX_RANK);
  list->rank = shape.dims[0];
  unsigned width = mlirIntegerTypeGetWidth(irElementTypeOf(value));
  for (intptr_t k = 0; k < list->rank; ++k)
    list->dims[k] =
        width == 64 ? mlirDenseElementsAttrGetInt64Value(elements, k) : mlirDenseElementsAttrGetInt32Value(elements, k);
  return width == 64 || width == 32 || hloFail(c, "operand %ld must have elements of 32 or 64 bits", (long)i);
}

static bool checkNumOperands(HloConversion *c, intptr_t expected) {
  intptr_t count = mlirOperationGetNumOperands(c->op);
  return (count == expected && mlirOperationGetNumResults(c->op) == 1) ||
         hloFail(c, "it must have %ld operands and one result, got %ld", (long)expected, (long)count);
}

bool hloConvertDynamicReshape(HloConversion *c) {
  return checkNumOperands(c, 2) && hloReplaceBy(c, IR_VALUES(hloOperand(c, 0)), IR_NO_ATTRS);
}

bool hloConvertDynamicBroadcast(HloConversion *c) {
  IrShape list;
  return checkNumOperands(c, 2) && hloListAttr(c, "broadcast_dimensions", &list) &&
         hloReplaceBy(c, IR_VALUES(hloOperand(c, 0)), IR_ATTRS(hloDims(c, "dims", &list)));
}

bool hloConvertDynamicIota(HloConversion *c) {
  int64_t dim;
  return checkNumOperands(c, 1) && hloIntAttr(c, "iota_dimension", &dim) &&
         hloReplaceBy(c, IR_NO_VALUES, IR_ATTRS(irI64(&c->b, "dim", dim)));
}

bool hloConvertDynamicPad(HloConversion *c) {
  IrShape low, high, interior;
  return checkNumOperands(c, 5) && constantOperand(c, 2, &low) && constantOperand(c, 3, &high) &&
         constantOperand(c, 4, &interior) &&
         hloReplaceBy(c, IR_VALUES(hloOperand(c, 0), hloOperand(c, 1)),
                      IR_ATTRS(hloDims(c, "low", &low), hloDims(c, "high", &high), hloDims(c, "interior", &interior)));
}

bool hloConvertRealDynamicSlice(HloConversion *c) {
  IrShape starts, limits, strides;
  return checkNumOperands(c, 4) && constantOperand(c, 1, &starts) && constantOperand(c, 2, &limits) &&
         constantOperand(c, 3, &strides) &&
         hloReplaceBy(
             c, IR_VALUES(hloOperand(c, 0)),
             IR_ATTRS(hloDims(c, "starts", &starts), hloDims(c, "limits", &limits), hloDims(c, "strides", &strides)));
}

bool hloConvertDynamicGather(HloConversion *c) {
  IrShape sizes;
  return checkNumOperands(c, 3) && constantOperand(c, 2, &sizes) &&
         hloReplaceByGather(c, IR_VALUES(hloOperand(c, 0), hloOperand(c, 1)), &sizes);
}

/// The padding of a convolution as an operand: low and high of each spatial dimension.
bool hloConvertDynamicConvolution(HloConversion *c) {
  if (!checkNumOperands(c, 3))
    return false;
  MlirOperation op = irDefiningOp(hloOperand(c, 2));
  if (mlirOperationIsNull(op) || !irOpIs(op, "tg.constant"))
    return hloFail(c, "operand 2 must be a constant: dynamic shapes are not supported");
  irSetAttr(c->op, "padding", irGetAttr(op, "value"));
  return hloConvertConvolution(c);
}
