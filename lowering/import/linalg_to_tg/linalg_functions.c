//===- linalg_functions.c - arith and math by several operations ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations of arith and math without a counterpart in tg. Leaves several tg operations for each: rounding
// divisions, logarithms to other bases, powers, bit counts.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_body.h"

#include "ir/graph/tg_functions.h"

#include <math.h>
#include <stdlib.h>

/// Floor of a quotient, and the remainder, which has the sign of the divisor `n`.
static void divideFloor(IrBuilder *b, MlirValue x, MlirValue n, MlirValue *quotient, MlirValue *rest) {
  MlirValue zero = tgSplatLike(b, x, 0), remainder = tgBinary(b, "tg.rem", x, n);
  MlirValue differ = tgCompare(b, TG_NE, tgCompare(b, TG_LT, remainder, zero), tgCompare(b, TG_LT, n, zero));
  MlirValue isBelow = tgBinary(b, "tg.and", differ, tgCompare(b, TG_NE, remainder, zero));
  MlirValue truncated = tgDiv(b, x, n);
  *quotient = tgSelect(b, isBelow, tgSub(b, truncated, tgSplatLike(b, x, 1)), truncated);
  *rest = tgSelect(b, isBelow, tgAdd(b, remainder, n), remainder);
}

MlirValue linalgFloorDivide(IrBuilder *b, MlirValue x, MlirValue n) {
  MlirValue quotient, rest;
  divideFloor(b, x, n, &quotient, &rest);
  return quotient;
}

MlirValue linalgModulo(IrBuilder *b, MlirValue x, MlirValue n) {
  MlirValue quotient, rest;
  divideFloor(b, x, n, &quotient, &rest);
  return rest;
}

MlirValue linalgCeilDivide(IrBuilder *b, MlirValue x, MlirValue n) {
  return tgUnary(b, "tg.neg", linalgFloorDivide(b, tgUnary(b, "tg.neg", x), n));
}

static MlirValue exp2Of(IrBuilder *b, const MlirValue *x) {
  return tgBinary(b, "tg.pow", tgSplatLike(b, x[0], 2), x[0]);
}

static MlirValue logarithm(IrBuilder *b, MlirValue x, double base) {
  return tgDiv(b, tgUnary(b, "tg.log", x), tgSplatLike(b, x, log(base)));
}
static MlirValue log2Of(IrBuilder *b, const MlirValue *x) { return logarithm(b, x[0], 2); }
static MlirValue log10Of(IrBuilder *b, const MlirValue *x) { return logarithm(b, x[0], 10); }

static MlirValue truncOf(IrBuilder *b, const MlirValue *x) {
  MlirValue isNegative = tgCompare(b, TG_LT, x[0], tgSplatLike(b, x[0], 0));
  return tgSelect(b, isNegative, tgUnary(b, "tg.ceil", x[0]), tgUnary(b, "tg.floor", x[0]));
}

static MlirValue isInfinite(IrBuilder *b, const MlirValue *x) {
  return tgCompare(b, TG_EQ, tgUnary(b, "tg.abs", x[0]), tgSplatLike(b, x[0], INFINITY));
}

/// The magnitude of the first with the sign of the second, bit by bit.
static MlirValue copySign(IrBuilder *b, const MlirValue *x) {
  unsigned width = mlirFloatTypeGetWidth(irElementTypeOf(x[0]));
  MlirType bits = mlirIntegerTypeGet(b->context, width);
  MlirValue magnitude = tgBitcast(b, x[0], bits), sign = tgBitcast(b, x[1], bits);
  MlirValue mask = tgSplatBits(b, mlirValueGetType(sign), UINT64_C(1) << (width - 1));
  magnitude = tgBinary(b, "tg.and", magnitude, tgUnary(b, "tg.not", mask));
  return tgBitcast(b, tgBinary(b, "tg.or", magnitude, tgBinary(b, "tg.and", sign, mask)), irElementTypeOf(x[0]));
}

/// The exponent that all elements have, if it is a small one; 0 if it is none.
static int64_t smallExponent(MlirValue value) {
  enum { LARGEST = 8 };
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant)
    return 0;
  MlirAttribute data = irGetAttr(op, "value");
  if (!mlirDenseElementsAttrIsSplat(data))
    return 0;
  int64_t number = mlirIntegerAttrGetValueInt(mlirDenseElementsAttrGetSplatValue(data));
  return llabs(number) <= LARGEST ? number : 0;
}

/// A power of a float to an integer: by products, or as a float, which all exponents are for which that matters.
static MlirValue powerOf(IrBuilder *b, const MlirValue *x) {
  int64_t exponent = smallExponent(x[1]);
  if (!exponent)
    return tgBinary(b, "tg.pow", x[0], tgConvert(b, x[1], irElementTypeOf(x[0])));
  MlirValue power = {NULL}, factor = x[0];
  for (int64_t rest = llabs(exponent); rest; rest /= 2) {
    if (rest % 2)
      power = mlirValueIsNull(power) ? factor : tgMul(b, power, factor);
    if (rest > 1)
      factor = tgMul(b, factor, factor);
  }
  return exponent > 0 ? power : tgDiv(b, tgSplatLike(b, x[0], 1), power);
}

static MlirValue floorDivide(IrBuilder *b, const MlirValue *x) { return linalgFloorDivide(b, x[0], x[1]); }
static MlirValue ceilDivide(IrBuilder *b, const MlirValue *x) { return linalgCeilDivide(b, x[0], x[1]); }

/// Of unsigned numbers; 0 minus 1 is not looked at.
static MlirValue ceilDivideUnsigned(IrBuilder *b, const MlirValue *x) {
  MlirType element = irElementTypeOf(x[0]);
  MlirType natural = mlirIntegerTypeUnsignedGet(b->context, mlirIntegerTypeGetWidth(element));
  MlirValue lhs = tgBitcast(b, x[0], natural), rhs = tgBitcast(b, x[1], natural), one = tgSplatLike(b, lhs, 1);
  MlirValue quotient = tgAdd(b, tgDiv(b, tgSub(b, lhs, one), rhs), one), zero = tgSplatLike(b, lhs, 0);
  return tgBitcast(b, tgSelect(b, tgCompare(b, TG_EQ, lhs, zero), zero, quotient), element);
}

/// Finite, and with all digits: smaller numbers have the least exponent.
static MlirValue isNormal(IrBuilder *b, const MlirValue *x) {
  MlirType element = irElementTypeOf(x[0]);
  int exponent = mlirTypeIsAF64(element) ? -1022 : mlirTypeIsAF16(element) ? -14 : -126;
  if (mlirFloatTypeGetWidth(element) < 16)
    return (MlirValue){NULL};
  MlirValue least = tgSplatLike(b, x[0], ldexp(1, exponent));
  return tgBinary(b, "tg.and", tgCompare(b, TG_GE, tgUnary(b, "tg.abs", x[0]), least),
                  irValueOf(b, "tg.is_finite", IR_VALUES(x[0]),
                            tgWithElement(mlirValueGetType(x[0]), mlirIntegerTypeGet(b->context, 1)), IR_NO_ATTRS));
}

static MlirValue angleOf(IrBuilder *b, const MlirValue *x) {
  TgParts z = tgPartsOf(b, x[0]);
  return tgBinary(b, "tg.atan2", z.imaginary, z.real);
}

static MlirValue trailingZeros(IrBuilder *b, const MlirValue *x) {
  MlirValue below =
      tgBinary(b, "tg.and", tgUnary(b, "tg.not", x[0]), tgSub(b, x[0], tgSplatBits(b, mlirValueGetType(x[0]), 1)));
  return tgUnary(b, "tg.popcnt", below);
}

static MlirValue clampOf(IrBuilder *b, const MlirValue *x) {
  return irValueOf(b, "tg.clamp", IR_VALUES(x[1], x[0], x[2]), mlirValueGetType(x[0]), IR_NO_ATTRS);
}

MlirValue linalgFunction(IrBuilder *b, MlirOperation op, const MlirValue *operands) {
  static const struct {
    const char *op;
    MlirValue (*function)(IrBuilder *b, const MlirValue *operands);
    TgFunction unary; ///< where there is no other
  } functions[] = {
      {"arith.ceildivsi", ceilDivide, NULL},
      {"arith.ceildivui", ceilDivideUnsigned, NULL},
      {"arith.floordivsi", floorDivide, NULL},
      {"complex.angle", angleOf, NULL},
      {"complex.conj", NULL, tgConjugate},
      {"index.ceildivs", ceilDivide, NULL},
      {"index.ceildivu", ceilDivideUnsigned, NULL},
      {"index.floordivs", floorDivide, NULL},
      {"math.acos", NULL, tgAcos},
      {"math.acosh", NULL, tgAcosh},
      {"math.asin", NULL, tgAsin},
      {"math.asinh", NULL, tgAsinh},
      {"math.atan", NULL, tgAtan},
      {"math.atanh", NULL, tgAtanh},
      {"math.clampf", clampOf, NULL},
      {"math.copysign", copySign, NULL},
      {"math.cosh", NULL, tgCosh},
      {"math.cttz", trailingZeros, NULL},
      {"math.exp2", exp2Of, NULL},
      {"math.fpowi", powerOf, NULL},
      {"math.isinf", isInfinite, NULL},
      {"math.isnormal", isNormal, NULL},
      {"math.log10", log10Of, NULL},
      {"math.log2", log2Of, NULL},
      {"math.sinh", NULL, tgSinh},
      {"math.trunc", truncOf, NULL},
  };
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i)
    if (irOpIs(op, functions[i].op) && !irIsBool(irElementTypeOf(operands[0])))
      return functions[i].unary ? functions[i].unary(b, operands[0]) : functions[i].function(b, operands);
  return (MlirValue){NULL};
}
