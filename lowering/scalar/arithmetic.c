//===- arithmetic.c - comparisons and operations of one and two operands ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one or two elements as values of arith, math and scf. Leaves their comparison or combination by the meaning of
// tg's operations: total orders, NaN, overflows and shifts of docs/ir.md.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/element.h"
#include "lowering/scalar/narrow.h"
#include "lowering/scalar/real.h"
#include "lowering/scalar/scalar_complex.h"
#include "lowering/scalar/scalar_special.h"

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

MlirValue scalarCompareValues(IrBuilder *b, TgDirection direction, MlirType element, MlirValue lhs, MlirValue rhs) {
  static const IrCmpFPredicate floats[] = {IR_CMPF_OEQ, IR_CMPF_UNE, IR_CMPF_OLT,
                                           IR_CMPF_OLE, IR_CMPF_OGT, IR_CMPF_OGE};
  static const IrCmpIPredicate signedIntegers[] = {IR_CMPI_EQ,  IR_CMPI_NE,  IR_CMPI_SLT,
                                                   IR_CMPI_SLE, IR_CMPI_SGT, IR_CMPI_SGE};
  static const IrCmpIPredicate unsignedIntegers[] = {IR_CMPI_EQ,  IR_CMPI_NE,  IR_CMPI_ULT,
                                                     IR_CMPI_ULE, IR_CMPI_UGT, IR_CMPI_UGE};
  if (irIsFloat(element))
    return irCmpF(b, floats[direction], lhs, rhs);
  return irCmpI(b, elementIsSigned(element) ? signedIntegers[direction] : unsignedIntegers[direction], lhs, rhs);
}

/// The width of the integer that holds the bits of a float.
static unsigned heldWidth(MlirType element) { return elementWidth(element) < 8 ? 8 : elementWidth(element); }

/// An integer that orders floats as IEEE 754 totalOrder does: negative floats have all bits but the sign inverted.
static MlirValue totalOrderKey(IrBuilder *b, MlirValue value, MlirType element) {
  unsigned width = heldWidth(element);
  MlirValue bits = bitcast(b, value, mlirIntegerTypeGet(b->context, width));
  if (width > elementWidth(element)) // the sign bit becomes that of the byte
    bits = irShlI(b, bits, integerLike(b, bits, width - elementWidth(element)));
  MlirValue negative = irShrSI(b, bits, integerLike(b, bits, width - 1));
  return irXorI(b, bits, irAndI(b, negative, integerLike(b, bits, ~signBit(width))));
}

MlirValue scalarCompareTotal(IrBuilder *b, TgDirection direction, MlirType element, MlirValue lhs, MlirValue rhs) {
  if (!irIsFloat(element))
    return scalarCompareValues(b, direction, element, scalarWiden(b, lhs, element), scalarWiden(b, rhs, element));
  if (!scalarHasSign(element))
    return scalarCompareValues(b, direction, mlirIntegerTypeUnsignedGet(b->context, 8), lhs, rhs);
  return scalarCompareValues(b, direction, mlirIntegerTypeGet(b->context, heldWidth(element)),
                             totalOrderKey(b, lhs, element), totalOrderKey(b, rhs, element));
}

MlirValue scalarCompare(IrBuilder *b, MlirOperation op, const MlirValue *operands) {
  MlirType element = irElementTypeOf(irOperand(op, 0));
  TgDirection direction = (TgDirection)irGetInt(op, "direction", TG_EQ);
  if (irHasAttr(op, "total_order"))
    return scalarCompareTotal(b, direction, element, operands[0], operands[1]);
  return scalarCompareValues(b, direction, element, scalarWiden(b, operands[0], element),
                             scalarWiden(b, operands[1], element));
}

MlirValue scalarIsBetter(IrBuilder *b, TgKind kind, MlirType element, MlirValue value, MlirValue best) {
  MlirValue better = scalarCompareValues(b, kind == TG_max ? TG_GT : TG_LT, element, value, best);
  if (!irIsFloat(element))
    return better;
  MlirValue isNan = irCmpF(b, IR_CMPF_UNO, value, value);
  MlirValue wasNumber = irCmpF(b, IR_CMPF_ORD, best, best);
  return irOrI(b, better, irAndI(b, isNan, wasNumber));
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

static MlirValue combineFloats(IrBuilder *b, TgKind kind, MlirValue lhs, MlirValue rhs) {
  switch (kind) {
  case TG_add:
    return irAddF(b, lhs, rhs);
  case TG_sub:
    return irSubF(b, lhs, rhs);
  case TG_mul:
    return irMulF(b, lhs, rhs);
  case TG_div:
    return irDivF(b, lhs, rhs);
  case TG_rem:
    return irRemF(b, lhs, rhs);
  case TG_max:
    return irMaximumF(b, lhs, rhs);
  case TG_min:
    return irMinimumF(b, lhs, rhs);
  case TG_pow:
    return irValueOf(b, "math.powf", IR_VALUES(lhs, rhs), mlirValueGetType(lhs), IR_NO_ATTRS);
  case TG_atan2:
    return irValueOf(b, "math.atan2", IR_VALUES(lhs, rhs), mlirValueGetType(lhs), IR_NO_ATTRS);
  case TG_zeta:
    return scalarZeta(b, lhs, rhs);
  case TG_polygamma:
    return scalarPolygamma(b, lhs, rhs);
  default:
    return (MlirValue){NULL};
  }
}

static MlirValue combineBools(IrBuilder *b, TgKind kind, MlirValue lhs, MlirValue rhs) {
  switch (kind) {
  case TG_add:
  case TG_max:
  case TG_or:
    return irOrI(b, lhs, rhs);
  case TG_mul:
  case TG_min:
  case TG_and:
    return irAndI(b, lhs, rhs);
  case TG_xor:
    return irXorI(b, lhs, rhs);
  default:
    return (MlirValue){NULL};
  }
}

/// By zero: all bits one; the least integer by -1: itself. `rem` is then the dividend and 0.
static MlirValue divideIntegers(IrBuilder *b, bool isSignedType, bool wantsRemainder, MlirValue lhs, MlirValue rhs) {
  MlirValue byZero = irCmpI(b, IR_CMPI_EQ, rhs, integerLike(b, rhs, 0));
  MlirValue undefined = byZero;
  if (isSignedType) {
    int64_t least = signBit(mlirIntegerTypeGetWidth(mlirValueGetType(lhs)));
    MlirValue fromLeast = irCmpI(b, IR_CMPI_EQ, lhs, integerLike(b, lhs, least));
    MlirValue byMinusOne = irCmpI(b, IR_CMPI_EQ, rhs, integerLike(b, rhs, -1));
    undefined = irOrI(b, byZero, irAndI(b, fromLeast, byMinusOne));
  }
  MlirValue divisor = irSelect(b, undefined, integerLike(b, rhs, 1), rhs);
  if (wantsRemainder) {
    MlirValue remainder = isSignedType ? irRemSI(b, lhs, divisor) : irRemUI(b, lhs, divisor);
    return irSelect(b, byZero, lhs, remainder);
  }
  MlirValue quotient = isSignedType ? irDivSI(b, lhs, divisor) : irDivUI(b, lhs, divisor);
  return irSelect(b, byZero, integerLike(b, lhs, -1), quotient);
}

/// The amount counts as unsigned. An arithmetic shift by the width or more is one by the width less one, which leaves
/// nothing but copies of the sign; the others give 0.
static MlirValue shift(IrBuilder *b, TgKind kind, MlirValue lhs, MlirValue rhs) {
  MlirValue last = integerLike(b, rhs, (int64_t)mlirIntegerTypeGetWidth(mlirValueGetType(rhs)) - 1);
  if (kind == TG_shr_arith)
    return irShrSI(b, lhs, irMinUI(b, rhs, last));
  MlirValue amount = irMinUI(b, rhs, last);
  MlirValue shifted = kind == TG_shl ? irShlI(b, lhs, amount) : irShrUI(b, lhs, amount);
  return irSelect(b, irCmpI(b, IR_CMPI_UGT, rhs, last), integerLike(b, lhs, 0), shifted);
}

/// base^exponent modulo the width by squaring, one step for each bit of the exponent.
static MlirValue powerBySquaring(IrBuilder *b, MlirValue base, MlirValue exponent) {
  int64_t width = mlirIntegerTypeGetWidth(mlirValueGetType(base));
  MlirOperation loop = irFor(b, irConstantIndex(b, 0), irConstantIndex(b, width), irConstantIndex(b, 1),
                             IR_VALUES(integerLike(b, base, 1), base, exponent));
  MlirBlock block = irBody(loop, 0);
  IrBuilder body = irBuilderAtEnd(block, b->loc);
  MlirValue power = mlirBlockGetArgument(block, 1);
  MlirValue square = mlirBlockGetArgument(block, 2);
  MlirValue rest = mlirBlockGetArgument(block, 3);
  MlirValue one = integerLike(&body, rest, 1);
  MlirValue isOdd = irCmpI(&body, IR_CMPI_EQ, irAndI(&body, rest, one), one);
  MlirValue next = irSelect(&body, isOdd, irMulI(&body, power, square), power);
  MlirValue nextSquare = irMulI(&body, square, square);
  MlirValue nextRest = irShrUI(&body, rest, one);
  irYield(&body, IR_VALUES(next, nextSquare, nextRest));
  return irResult(loop, 0);
}

/// With a negative exponent the power is 0, but that of 1 and -1 is the base or 1.
static MlirValue power(IrBuilder *b, bool isSignedType, MlirValue base, MlirValue exponent) {
  MlirValue positive = powerBySquaring(b, base, exponent);
  if (!isSignedType)
    return positive;
  MlirValue zero = integerLike(b, base, 0);
  MlirValue one = integerLike(b, base, 1);
  MlirValue isUnit = irOrI(b, irCmpI(b, IR_CMPI_EQ, base, one), irCmpI(b, IR_CMPI_EQ, base, integerLike(b, base, -1)));
  MlirValue isOdd = irCmpI(b, IR_CMPI_EQ, irAndI(b, exponent, one), one);
  MlirValue ofUnit = irSelect(b, isOdd, base, one);
  MlirValue negative = irSelect(b, isUnit, ofUnit, zero);
  return irSelect(b, irCmpI(b, IR_CMPI_SLT, exponent, zero), negative, positive);
}

static MlirValue combineIntegers(IrBuilder *b, TgKind kind, bool isSignedType, MlirValue lhs, MlirValue rhs) {
  switch (kind) {
  case TG_add:
    return irAddI(b, lhs, rhs);
  case TG_sub:
    return irSubI(b, lhs, rhs);
  case TG_mul:
    return irMulI(b, lhs, rhs);
  case TG_div:
  case TG_rem:
    return divideIntegers(b, isSignedType, kind == TG_rem, lhs, rhs);
  case TG_max:
    return isSignedType ? irMaxSI(b, lhs, rhs) : irMaxUI(b, lhs, rhs);
  case TG_min:
    return isSignedType ? irMinSI(b, lhs, rhs) : irMinUI(b, lhs, rhs);
  case TG_pow:
    return power(b, isSignedType, lhs, rhs);
  case TG_and:
    return irAndI(b, lhs, rhs);
  case TG_or:
    return irOrI(b, lhs, rhs);
  case TG_xor:
    return irXorI(b, lhs, rhs);
  case TG_shl:
  case TG_shr_arith:
  case TG_shr_logic:
    return shift(b, kind, lhs, rhs);
  default:
    return (MlirValue){NULL};
  }
}

/// The same bits with the other sign, or without any: integers of its width.
static MlirType withSign(MlirType element) {
  return mlirIntegerTypeGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
}
static MlirType withoutSign(MlirType element) {
  return mlirIntegerTypeUnsignedGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
}

/// The operand of a shift of a small integer to the right: extended by zeros for the logical one, by the sign for the
/// arithmetic one.
static MlirValue shiftedSmallInteger(IrBuilder *b, TgKind kind, MlirType element, MlirValue lhs) {
  if (kind == TG_shr_logic)
    return scalarExtendInteger(b, lhs, withoutSign(element));
  return kind == TG_shr_arith ? scalarExtendInteger(b, lhs, withSign(element)) : lhs;
}

MlirValue scalarCombine(IrBuilder *b, TgKind kind, MlirType element, MlirValue lhs, MlirValue rhs) {
  if (mlirTypeIsAComplex(element))
    return scalarComplexCombine(b, kind, lhs, rhs);
  if (scalarIsSmallInteger(element))
    lhs = shiftedSmallInteger(b, kind, element, lhs);
  if (irIsFloat(element))
    return combineFloats(b, kind, lhs, rhs);
  if (irIsBool(element))
    return combineBools(b, kind, lhs, rhs);
  MlirValue result = combineIntegers(b, kind, elementIsSigned(element), lhs, rhs);
  bool isSmall = scalarIsSmallInteger(element) && !mlirValueIsNull(result);
  return isSmall ? scalarExtendInteger(b, result, element) : result;
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// A zero and NaN are their own sign.
static MlirValue signOfFloat(IrBuilder *b, MlirValue x) {
  MlirValue sign = irValueOf(b, "math.copysign", IR_VALUES(realLike(b, x, 1), x), mlirValueGetType(x), IR_NO_ATTRS);
  return irSelect(b, irCmpF(b, IR_CMPF_UEQ, x, realLike(b, x, 0)), x, sign);
}

/// 1 / (1 + exp(-x)), and for negative x, where exp(-x) overflows long before the result is zero, exp(x) / (1 +
/// exp(x)).
static MlirValue logistic(IrBuilder *b, MlirValue x) {
  MlirValue one = realLike(b, x, 1);
  MlirValue small = realOf(b, "math.exp", realOf(b, "arith.negf", realOf(b, "math.absf", x)));
  MlirValue isNegative = irCmpF(b, IR_CMPF_OLT, x, realLike(b, x, 0));
  return irDivF(b, irSelect(b, isNegative, small, one), irAddF(b, one, small));
}

static MlirValue unaryFloat(IrBuilder *b, TgKind kind, MlirValue x) {
  switch (kind) {
  case TG_abs:
    return realOf(b, "math.absf", x);
  case TG_neg:
    return realOf(b, "arith.negf", x);
  case TG_sign:
    return signOfFloat(b, x);
  case TG_ceil:
    return realOf(b, "math.ceil", x);
  case TG_floor:
    return realOf(b, "math.floor", x);
  case TG_round:
    return realOf(b, "math.round", x);
  case TG_round_even:
    return realOf(b, "math.roundeven", x);
  case TG_exp:
    return realOf(b, "math.exp", x);
  case TG_expm1:
    return realOf(b, "math.expm1", x);
  case TG_log:
    return realOf(b, "math.log", x);
  case TG_log1p:
    return realOf(b, "math.log1p", x);
  case TG_logistic:
    return logistic(b, x);
  case TG_tanh:
    return realOf(b, "math.tanh", x);
  case TG_tan:
    return realOf(b, "math.tan", x);
  case TG_sin:
    return realOf(b, "math.sin", x);
  case TG_cos:
    return realOf(b, "math.cos", x);
  case TG_sqrt:
    return realOf(b, "math.sqrt", x);
  case TG_rsqrt:
    return irDivF(b, realLike(b, x, 1), realOf(b, "math.sqrt", x));
  case TG_cbrt:
    return realOf(b, "math.cbrt", x);
  case TG_erf:
    return realOf(b, "math.erf", x);
  case TG_erfc:
    return realOf(b, "math.erfc", x);
  case TG_erf_inv:
    return scalarErfInv(b, x);
  case TG_bessel_i1e:
    return scalarBesselI1e(b, x);
  case TG_lgamma:
    return scalarLgamma(b, x);
  case TG_digamma:
    return scalarDigamma(b, x);
  case TG_real:
    return x;
  case TG_imag:
    return realLike(b, x, 0);
  default:
    return (MlirValue){NULL};
  }
}

/// The bits of a value, in a type that may have more.
static MlirValue bitsAlone(IrBuilder *b, MlirValue x, MlirType element) {
  return scalarIsSmallInteger(element) ? scalarExtendInteger(b, x, withoutSign(element)) : x;
}

static MlirValue unaryInteger(IrBuilder *b, TgKind kind, MlirType element, MlirValue x) {
  MlirValue zero = integerLike(b, x, 0);
  switch (kind) {
  case TG_abs:
    return elementIsSigned(element) ? irSelect(b, irCmpI(b, IR_CMPI_SLT, x, zero), irSubI(b, zero, x), x) : x;
  case TG_neg:
    return irSubI(b, zero, x);
  case TG_sign: {
    MlirValue one = integerLike(b, x, 1);
    MlirValue positive = irSelect(b, irCmpI(b, IR_CMPI_EQ, x, zero), zero, one);
    if (!elementIsSigned(element))
      return positive;
    return irSelect(b, irCmpI(b, IR_CMPI_SLT, x, zero), integerLike(b, x, -1), positive);
  }
  case TG_not:
    return irXorI(b, x, integerLike(b, x, -1));
  case TG_popcnt:
    return realOf(b, "math.ctpop", bitsAlone(b, x, element));
  case TG_clz:
    x = realOf(b, "math.ctlz", bitsAlone(b, x, element));
    return scalarIsSmallInteger(element) ? irSubI(b, x, integerLike(b, x, 8 - (int64_t)elementWidth(element))) : x;
  default:
    return (MlirValue){NULL};
  }
}

MlirValue scalarUnary(IrBuilder *b, TgKind kind, MlirType element, MlirValue x) {
  if (irIsFloat(element))
    return unaryFloat(b, kind, x);
  if (irIsBool(element) && kind != TG_not)
    return (MlirValue){NULL};
  return unaryInteger(b, kind, element, x);
}
