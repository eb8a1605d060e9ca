//===- hlo_elementwise.c - elementwise operations and sources -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes elementwise operations, constants and iota of StableHLO. Leaves the operation of tg of the same meaning, or a
// few: equality for tests of infinity, a product for a square.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/graph/tg_build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"

#include <math.h>

bool hloConvertSame(HloConversion *c) { return hloReplaceBy(c, hloOperandsFrom(c, 0), IR_NO_ATTRS); }

bool hloConvertCompare(HloConversion *c) {
  int direction = hloCompareDirection(c);
  if (direction < 0)
    return hloFail(c, "unknown comparison direction '%s'", hloAttrText(c, "comparison_direction"));
  bool total = hloComparesTotally(c) && irIsFloat(irElementTypeOf(hloOperand(c, 0)));
  MlirNamedAttribute attributes[] = {irI32(&c->b, "direction", direction), irUnit(&c->b, "total_order")};
  return hloReplaceBy(c, hloOperandsFrom(c, 0), (IrAttrs){total ? 2 : 1, attributes});
}

bool hloConvertReducePrecision(HloConversion *c) {
  int64_t exponent, mantissa;
  if (!hloIntAttr(c, "exponent_bits", &exponent) || !hloIntAttr(c, "mantissa_bits", &mantissa))
    return false;
  return hloReplaceBy(c, hloOperandsFrom(c, 0),
                      IR_ATTRS(irI64(&c->b, "exponent_bits", exponent), irI64(&c->b, "mantissa_bits", mantissa)));
}

bool hloConvertConstant(HloConversion *c) {
  MlirAttribute value = irGetAttr(c->op, "value");
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAElements(value))
    return hloFail(c, "attribute 'value' is not the elements of a tensor");
  if (!mlirTypeEqual(mlirAttributeGetType(value), hloResultType(c, 0)))
    return hloFail(c, "the value has another type than the result");
  return hloReplaceBy(c, IR_NO_VALUES, IR_ATTRS(irAttr(&c->b, "value", value)));
}

bool hloConvertIota(HloConversion *c) {
  int64_t dim;
  return hloIntAttr(c, "iota_dimension", &dim) && hloReplaceBy(c, IR_NO_VALUES, IR_ATTRS(irI64(&c->b, "dim", dim)));
}

bool hloConvertGetDimensionSize(HloConversion *c) {
  IrShape shape = irShapeOf(hloOperand(c, 0));
  int64_t dim;
  if (!hloIntAttr(c, "dimension", &dim))
    return false;
  if (dim < 0 || dim >= shape.rank)
    return hloFail(c, "dimension %lld is out of range", (long long)dim);
  if (!irIsInteger(irElementType(hloResultType(c, 0))))
    return hloFail(c, "the result is not of integer type");
  if (dim == 0 && !mlirAttributeIsNull(irSymbolName(mlirValueGetType(hloOperand(c, 0)))))
    return hloFail(c, "the size is open: stablehlo-refine-shapes replaces it by an argument");
  return hloReplaceResult(c, 0, tgSplat(&c->b, hloResultType(c, 0), (double)shape.dims[dim]));
}

/// x * x
bool hloConvertSquare(HloConversion *c) {
  return hloReplaceBy(c, IR_VALUES(hloOperand(c, 0), hloOperand(c, 0)), IR_NO_ATTRS);
}

static bool checkFloatOperand(HloConversion *c) {
  return irIsFloat(irElementTypeOf(hloOperand(c, 0))) || hloFail(c, "the operand is not of a float type");
}

/// Equality with an infinity. Floats of less than 8 bits have neither infinities nor NaN: no number differs from
/// itself.
static bool replaceByEquality(HloConversion *c, MlirValue value, double constant) {
  if (mlirFloatTypeGetWidth(irElementTypeOf(value)) < 8)
    return hloReplaceBy(c, IR_VALUES(value, value), IR_ATTRS(irI32(&c->b, "direction", TG_NE)));
  MlirValue other = tgSplat(&c->b, mlirValueGetType(value), constant);
  return hloReplaceBy(c, IR_VALUES(value, other), IR_ATTRS(irI32(&c->b, "direction", 0)));
}

bool hloConvertIsInf(HloConversion *c) {
  if (!checkFloatOperand(c))
    return false;
  MlirType type = mlirValueGetType(hloOperand(c, 0));
  return replaceByEquality(c, irValueOf(&c->b, "tg.abs", IR_VALUES(hloOperand(c, 0)), type, IR_NO_ATTRS), INFINITY);
}

bool hloConvertIsPosInf(HloConversion *c) {
  return checkFloatOperand(c) && replaceByEquality(c, hloOperand(c, 0), INFINITY);
}

bool hloConvertIsNegInf(HloConversion *c) {
  return checkFloatOperand(c) && replaceByEquality(c, hloOperand(c, 0), -INFINITY);
}

/// The epsilon of batch normalisation is an f32 there and an f64 here.
bool hloConvertBatchNorm(HloConversion *c) {
  MlirAttribute epsilon = irGetAttr(c->op, "epsilon");
  int64_t feature;
  if (mlirAttributeIsNull(epsilon) || !mlirAttributeIsAFloat(epsilon))
    return hloFail(c, "attribute 'epsilon' is not a float");
  if (!hloIntAttr(c, "feature_index", &feature))
    return false;
  MlirAttribute wide =
      mlirFloatAttrDoubleGet(c->b.context, mlirF64TypeGet(c->b.context), mlirFloatAttrGetValueDouble(epsilon));
  return hloReplaceByResults(c, irOp(&c->b, c->rule->to, hloOperandsFrom(c, 0), hloResultTypes(c),
                                     IR_ATTRS(irI64(&c->b, "feature_index", feature), irAttr(&c->b, "epsilon", wide))));
}
