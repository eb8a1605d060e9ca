//===- scalar.c - what happens to one element -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are computed in the compute type of their element type: 16-bit floats in f32, everything else in itself. As
// f32 has more than twice their bits and two, a sum, product, quotient or square root is then rounded as if it were
// exact.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar.h"

#include "lowering/scalar_complex.h"
#include "lowering/scalar_narrow.h"
#include "lowering/scalar_special.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isHalf(MlirType element) { return mlirTypeIsAF16(element) || mlirTypeIsABF16(element); }

static unsigned bitWidth(MlirType element) {
  if (irIsFloat(element))
    return mlirFloatTypeGetWidth(element);
  return mlirIntegerTypeGetWidth(element);
}

static bool isSigned(MlirType element) { return irIsInteger(element) && !irIsUnsigned(element) && !irIsBool(element); }

static bool isComplex(MlirType element) { return mlirTypeIsAComplex(element); }

MlirType scalarComputeType(MlirType element) {
  return isHalf(element) || scalarIsFloat8(element) ? mlirF32TypeGet(mlirTypeGetContext(element)) : scalarType(element);
}

MlirValue scalarWiden(IrBuilder *b, MlirValue value, MlirType element) {
  if (scalarIsFloat8(element))
    return scalarDecodeFloat8(b, value, element);
  if (scalarIsSmallInteger(element))
    return scalarExtendInteger(b, value, element);
  return isHalf(element) ? irUnary(b, "arith.extf", value, scalarComputeType(element)) : value;
}

MlirValue scalarNarrow(IrBuilder *b, MlirValue value, MlirType element) {
  if (scalarIsFloat8(element))
    return scalarEncodeFloat8(b, value, element);
  if (scalarIsSmallInteger(element))
    return scalarExtendInteger(b, value, element);
  return isHalf(element) ? irUnary(b, "arith.truncf", value, element) : value;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MlirValue integerLike(IrBuilder *b, MlirValue like, int64_t value) {
  return irConstantInt(b, mlirValueGetType(like), value);
}

static MlirValue floatLike(IrBuilder *b, MlirValue like, double value) {
  return irConstantFloat(b, mlirValueGetType(like), value);
}

MlirValue scalarZero(IrBuilder *b, MlirType element) {
  MlirType type = scalarType(element);
  if (isComplex(element))
    return scalarComplexConstant(b, element, 0);
  return irIsFloat(type) ? irConstantFloat(b, type, 0) : irConstantInt(b, type, 0);
}

/// The bits 1000... or 0111...
static int64_t signBit(unsigned width) { return (int64_t)(~UINT64_C(0) << (width - 1)); }

MlirValue scalarLeastInteger(IrBuilder *b, MlirType element) {
  return irConstantInt(b, scalarType(element), isSigned(element) ? signBit(bitWidth(element)) : 0);
}

MlirValue scalarLargestInteger(IrBuilder *b, MlirType element) {
  if (scalarIsSmallInteger(element))
    return irConstantInt(b, scalarType(element), (1 << (bitWidth(element) - isSigned(element))) - 1);
  return irConstantInt(b, scalarType(element), isSigned(element) ? ~signBit(bitWidth(element)) : -1);
}

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
  return irCmpI(b, isSigned(element) ? signedIntegers[direction] : unsignedIntegers[direction], lhs, rhs);
}

static MlirValue bitcast(IrBuilder *b, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : irUnary(b, "arith.bitcast", value, type);
}

/// An integer that orders floats as IEEE 754 totalOrder does: negative floats have all bits but the sign inverted.
static MlirValue totalOrderKey(IrBuilder *b, MlirValue value, MlirType element) {
  MlirValue bits = bitcast(b, value, mlirIntegerTypeGet(b->context, bitWidth(element)));
  MlirValue negative = irShrSI(b, bits, integerLike(b, bits, bitWidth(element) - 1));
  return irXorI(b, bits, irAndI(b, negative, integerLike(b, bits, ~signBit(bitWidth(element)))));
}

MlirValue scalarCompareTotal(IrBuilder *b, TgDirection direction, MlirType element, MlirValue lhs, MlirValue rhs) {
  if (!irIsFloat(element))
    return scalarCompareValues(b, direction, element, scalarWiden(b, lhs, element), scalarWiden(b, rhs, element));
  if (!scalarHasSign(element))
    return scalarCompareValues(b, direction, mlirIntegerTypeUnsignedGet(b->context, 8), lhs, rhs);
  return scalarCompareValues(b, direction, mlirIntegerTypeGet(b->context, bitWidth(element)),
                             totalOrderKey(b, lhs, element), totalOrderKey(b, rhs, element));
}

static MlirValue scalarCompare(IrBuilder *b, MlirOperation op, const MlirValue *operands) {
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
static MlirValue divide(IrBuilder *b, bool isSignedType, bool wantsRemainder, MlirValue lhs, MlirValue rhs) {
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
    return divide(b, isSignedType, kind == TG_rem, lhs, rhs);
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

/// What a shift to the right of a small integer shifts: the logical one zeros, the arithmetic one copies of the sign.
static MlirValue shiftedSmallInteger(IrBuilder *b, TgKind kind, MlirType element, MlirValue lhs) {
  if (kind == TG_shr_logic)
    return scalarExtendInteger(b, lhs, withoutSign(element));
  return kind == TG_shr_arith ? scalarExtendInteger(b, lhs, withSign(element)) : lhs;
}

MlirValue scalarCombine(IrBuilder *b, TgKind kind, MlirType element, MlirValue lhs, MlirValue rhs) {
  if (isComplex(element))
    return scalarComplexCombine(b, kind, lhs, rhs);
  if (scalarIsSmallInteger(element))
    lhs = shiftedSmallInteger(b, kind, element, lhs);
  if (irIsFloat(element))
    return combineFloats(b, kind, lhs, rhs);
  if (irIsBool(element))
    return combineBools(b, kind, lhs, rhs);
  MlirValue result = combineIntegers(b, kind, isSigned(element), lhs, rhs);
  bool isSmall = scalarIsSmallInteger(element) && !mlirValueIsNull(result);
  return isSmall ? scalarExtendInteger(b, result, element) : result;
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static MlirValue ofOne(IrBuilder *b, const char *name, MlirValue x) { return irUnary(b, name, x, mlirValueGetType(x)); }

/// A zero and NaN are their own sign.
static MlirValue signOfFloat(IrBuilder *b, MlirValue x) {
  MlirValue sign = irValueOf(b, "math.copysign", IR_VALUES(floatLike(b, x, 1), x), mlirValueGetType(x), IR_NO_ATTRS);
  return irSelect(b, irCmpF(b, IR_CMPF_UEQ, x, floatLike(b, x, 0)), x, sign);
}

/// 1 / (1 + exp(-x)), and for negative x, where exp(-x) overflows long before the result is zero, exp(x) / (1 +
/// exp(x)).
static MlirValue logistic(IrBuilder *b, MlirValue x) {
  MlirValue one = floatLike(b, x, 1);
  MlirValue small = ofOne(b, "math.exp", ofOne(b, "arith.negf", ofOne(b, "math.absf", x)));
  MlirValue isNegative = irCmpF(b, IR_CMPF_OLT, x, floatLike(b, x, 0));
  return irDivF(b, irSelect(b, isNegative, small, one), irAddF(b, one, small));
}

static MlirValue unaryFloat(IrBuilder *b, TgKind kind, MlirValue x) {
  switch (kind) {
  case TG_abs:
    return ofOne(b, "math.absf", x);
  case TG_neg:
    return ofOne(b, "arith.negf", x);
  case TG_sign:
    return signOfFloat(b, x);
  case TG_ceil:
    return ofOne(b, "math.ceil", x);
  case TG_floor:
    return ofOne(b, "math.floor", x);
  case TG_round:
    return ofOne(b, "math.round", x);
  case TG_round_even:
    return ofOne(b, "math.roundeven", x);
  case TG_exp:
    return ofOne(b, "math.exp", x);
  case TG_expm1:
    return ofOne(b, "math.expm1", x);
  case TG_log:
    return ofOne(b, "math.log", x);
  case TG_log1p:
    return ofOne(b, "math.log1p", x);
  case TG_logistic:
    return logistic(b, x);
  case TG_tanh:
    return ofOne(b, "math.tanh", x);
  case TG_tan:
    return ofOne(b, "math.tan", x);
  case TG_sin:
    return ofOne(b, "math.sin", x);
  case TG_cos:
    return ofOne(b, "math.cos", x);
  case TG_sqrt:
    return ofOne(b, "math.sqrt", x);
  case TG_rsqrt:
    return irDivF(b, floatLike(b, x, 1), ofOne(b, "math.sqrt", x));
  case TG_cbrt:
    return ofOne(b, "math.cbrt", x);
  case TG_erf:
    return ofOne(b, "math.erf", x);
  case TG_erfc:
    return ofOne(b, "math.erfc", x);
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
    return floatLike(b, x, 0);
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
    return isSigned(element) ? irSelect(b, irCmpI(b, IR_CMPI_SLT, x, zero), irSubI(b, zero, x), x) : x;
  case TG_neg:
    return irSubI(b, zero, x);
  case TG_sign: {
    MlirValue one = integerLike(b, x, 1);
    MlirValue positive = irSelect(b, irCmpI(b, IR_CMPI_EQ, x, zero), zero, one);
    if (!isSigned(element))
      return positive;
    return irSelect(b, irCmpI(b, IR_CMPI_SLT, x, zero), integerLike(b, x, -1), positive);
  }
  case TG_not:
    return irXorI(b, x, integerLike(b, x, -1));
  case TG_popcnt:
    return ofOne(b, "math.ctpop", bitsAlone(b, x, element));
  case TG_clz:
    x = ofOne(b, "math.ctlz", bitsAlone(b, x, element));
    return scalarIsSmallInteger(element) ? irSubI(b, x, integerLike(b, x, 8 - (int64_t)bitWidth(element))) : x;
  default:
    return (MlirValue){NULL};
  }
}

static MlirValue unary(IrBuilder *b, TgKind kind, MlirType element, MlirValue x) {
  if (irIsFloat(element))
    return unaryFloat(b, kind, x);
  if (irIsBool(element) && kind != TG_not)
    return (MlirValue){NULL};
  return unaryInteger(b, kind, element, x);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Rounds an f64 to f32 so that rounding the result to 16 bits gives what rounding the f64 at once would: an inexact
/// result takes, of the two floats around it, the one whose last bit is one (Boldo and Melquiond: rounding to odd).
static MlirValue roundToOdd(IrBuilder *b, MlirValue x) {
  MlirType f32 = mlirF32TypeGet(b->context);
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue nearest = irUnary(b, "arith.truncf", x, f32);
  MlirValue back = irUnary(b, "arith.extf", nearest, mlirValueGetType(x));
  MlirValue bits = irUnary(b, "arith.bitcast", nearest, i32);
  MlirValue isAway = irCmpF(b, IR_CMPF_OGT, ofOne(b, "math.absf", back), ofOne(b, "math.absf", x));
  MlirValue towardsZero = irSubI(b, bits, irUnary(b, "arith.extui", isAway, i32));
  MlirValue odd = irOrI(b, towardsZero, irConstantInt(b, i32, 1));
  MlirValue isInexact = irCmpF(b, IR_CMPF_ONE, back, x);
  return irSelect(b, isInexact, irUnary(b, "arith.bitcast", odd, f32), nearest);
}

/// `value` is in its compute type.
static MlirValue floatToFloat(IrBuilder *b, MlirValue value, MlirType to) {
  MlirType wide = mlirValueGetType(value);
  MlirType target = scalarComputeType(to);
  if (mlirTypeIsAF64(wide) && mlirTypeIsAF32(target) && !mlirTypeIsAF32(to))
    value = roundToOdd(b, value);
  else if (bitWidth(wide) < bitWidth(target))
    value = irUnary(b, "arith.extf", value, target);
  else if (bitWidth(wide) > bitWidth(target))
    value = irUnary(b, "arith.truncf", value, target);
  return scalarNarrow(b, value, to);
}

/// Integers of up to 32 bits are exact in f64, from where they are rounded once.
static MlirValue integerToFloat(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  const char *name = isSigned(from) ? "arith.sitofp" : "arith.uitofp";
  if (mlirTypeEqual(scalarComputeType(to), to))
    return irUnary(b, name, value, to);
  MlirType f64 = mlirF64TypeGet(b->context);
  return floatToFloat(b, irUnary(b, name, value, f64), to);
}

/// Towards zero; out of range to the nearest integer of the type; NaN to 0.
static MlirValue floatToInteger(IrBuilder *b, MlirValue x, MlirType to) {
  unsigned width = bitWidth(to);
  double above = ldexp(1, isSigned(to) ? (int)width - 1 : (int)width);
  double least = isSigned(to) ? -above : 0;
  MlirValue value = irUnary(b, isSigned(to) ? "arith.fptosi" : "arith.fptoui", x, scalarType(to));
  MlirValue isAbove = irCmpF(b, IR_CMPF_OGE, x, floatLike(b, x, above));
  MlirValue isBelow = irCmpF(b, IR_CMPF_OLT, x, floatLike(b, x, least));
  MlirValue isNan = irCmpF(b, IR_CMPF_UNO, x, x);
  value = irSelect(b, isAbove, scalarLargestInteger(b, to), value);
  value = irSelect(b, isBelow, scalarLeastInteger(b, to), value);
  return irSelect(b, isNan, integerLike(b, value, 0), value);
}

static MlirValue integerToInteger(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  MlirType type = scalarType(to);
  if (bitWidth(type) < bitWidth(scalarType(from)))
    value = irUnary(b, "arith.trunci", value, type);
  else if (bitWidth(type) > bitWidth(scalarType(from)))
    value = irUnary(b, isSigned(from) ? "arith.extsi" : "arith.extui", value, type);
  return scalarNarrow(b, value, to);
}

MlirValue scalarConvert(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  if (mlirTypeEqual(from, to))
    return value;
  if (isComplex(to) || isComplex(from))
    return scalarComplexConvert(b, value, from, to);
  value = scalarWiden(b, value, from);
  if (irIsBool(to))
    return irIsFloat(from) ? irCmpF(b, IR_CMPF_UNE, value, floatLike(b, value, 0))
                           : irCmpI(b, IR_CMPI_NE, value, integerLike(b, value, 0));
  if (irIsFloat(from))
    return irIsFloat(to) ? floatToFloat(b, value, to) : floatToInteger(b, value, to);
  return irIsFloat(to) ? integerToFloat(b, value, from, to) : integerToInteger(b, value, from, to);
}

//===----------------------------------------------------------------------===//
// Any elementwise operation
//===----------------------------------------------------------------------===//

/// |x| < infinity is false for NaN too.
static MlirValue scalarIsFinite(IrBuilder *b, MlirValue x) {
  return irCmpF(b, IR_CMPF_OLT, ofOne(b, "math.absf", x), floatLike(b, x, INFINITY));
}

/// Stored bits of the mantissa of a float type.
static unsigned mantissaBits(MlirType element) {
  return mlirTypeIsAF64(element) ? 52 : mlirTypeIsAF32(element) ? 23 : mlirTypeIsAF16(element) ? 10 : 7;
}

/// The mantissa to nearest, ties to even; a carry out of it goes to the exponent, as it must.
static MlirValue reduceMantissa(IrBuilder *b, MlirValue bits, int64_t dropped) {
  MlirValue isOdd = irAndI(b, irShrUI(b, bits, integerLike(b, bits, dropped)), integerLike(b, bits, 1));
  MlirValue half = integerLike(b, bits, (INT64_C(1) << (dropped - 1)) - 1);
  MlirValue kept = integerLike(b, bits, (int64_t)(~UINT64_C(0) << dropped));
  return irAndI(b, irAddI(b, irAddI(b, bits, half), isOdd), kept);
}

/// What the narrower exponent does not hold becomes an infinity or, for lack of subnormal numbers, a zero.
static MlirValue reduceExponent(IrBuilder *b, MlirValue bits, int64_t bias, int64_t narrowBias, unsigned mantissa) {
  unsigned width = mlirIntegerTypeGetWidth(mlirValueGetType(bits));
  MlirValue infinity = integerLike(b, bits, (2 * bias + 1) << mantissa);
  MlirValue exponent = irAndI(b, bits, infinity);
  MlirValue sign = irAndI(b, bits, integerLike(b, bits, signBit(width)));
  MlirValue overflows = irCmpI(b, IR_CMPI_UGT, exponent, integerLike(b, bits, (bias + narrowBias) << mantissa));
  MlirValue underflows = irCmpI(b, IR_CMPI_ULE, exponent, integerLike(b, bits, (bias - narrowBias) << mantissa));
  bits = irSelect(b, overflows, irOrI(b, sign, infinity), bits);
  return irSelect(b, underflows, sign, bits);
}

/// In the bits of `element`, where the last place of subnormal numbers is. Its exponents are those of
/// `ownExponentBits` bits: as many and more change nothing.
static MlirValue reducePrecision(IrBuilder *b, MlirOperation op, MlirType element, int64_t ownExponentBits,
                                 MlirValue x) {
  unsigned width = bitWidth(element), mantissa = mantissaBits(element);
  int64_t mantissaWanted = irGetInt(op, "mantissa_bits", mantissa), exponentBits = width - 1 - mantissa;
  int64_t exponentWanted = irGetInt(op, "exponent_bits", ownExponentBits);
  MlirValue bits = irUnary(b, "arith.bitcast", x, mlirIntegerTypeGet(b->context, width));
  if (mantissaWanted < mantissa)
    bits = reduceMantissa(b, bits, mantissa - mantissaWanted);
  if (exponentWanted < ownExponentBits)
    bits = reduceExponent(b, bits, (INT64_C(1) << (exponentBits - 1)) - 1, (INT64_C(1) << (exponentWanted - 1)) - 1,
                          mantissa);
  MlirValue wide = scalarWiden(b, x, element);
  MlirValue isNan = irCmpF(b, IR_CMPF_UNO, wide, wide);
  return irSelect(b, isNan, x, irUnary(b, "arith.bitcast", bits, element));
}

/// An 8-bit float in f32.
static MlirValue scalarReducePrecision(IrBuilder *b, MlirOperation op, MlirType element, MlirValue x) {
  if (!scalarIsFloat8(element))
    return reducePrecision(b, op, element, bitWidth(element) - 1 - mantissaBits(element), x);
  MlirValue wide = scalarWiden(b, x, element);
  wide = reducePrecision(b, op, mlirF32TypeGet(b->context), scalarFloat8ExponentBits(element), wide);
  return scalarNarrow(b, wide, element);
}

static MlirType bitsType(MlirType element) {
  return mlirIntegerTypeGet(mlirTypeGetContext(element), bitWidth(element));
}

/// An element as an integer of exactly its bits, and back.
static MlirValue toBits(IrBuilder *b, MlirValue value, MlirType element) {
  return scalarIsSmallInteger(element) ? irUnary(b, "arith.trunci", value, bitsType(element))
                                       : bitcast(b, value, bitsType(element));
}

static MlirValue fromBits(IrBuilder *b, MlirValue bits, MlirType element) {
  if (scalarIsSmallInteger(element))
    return irUnary(b, isSigned(element) ? "arith.extsi" : "arith.extui", bits, scalarType(element));
  return bitcast(b, bits, scalarType(element));
}

MlirValue scalarPart(IrBuilder *b, MlirValue value, MlirType from, MlirType to, MlirValue number) {
  MlirType wide = bitsType(from);
  MlirValue amount =
      irMulI(b, irUnary(b, "arith.index_cast", number, wide), irConstantInt(b, wide, (int64_t)bitWidth(to)));
  MlirValue part = irUnary(b, "arith.trunci", irShrUI(b, toBits(b, value, from), amount), bitsType(to));
  return fromBits(b, part, to);
}

MlirValue scalarFromParts(IrBuilder *b, const MlirValue *parts, MlirType from, MlirType to) {
  MlirType wide = bitsType(to);
  MlirValue bits = irConstantInt(b, wide, 0);
  for (unsigned i = 0; i < bitWidth(to) / bitWidth(from); ++i) {
    MlirValue part = irUnary(b, "arith.extui", toBits(b, parts[i], from), wide);
    bits = irOrI(b, bits, irShlI(b, part, irConstantInt(b, wide, (int64_t)i * bitWidth(from))));
  }
  return fromBits(b, bits, to);
}

/// Between types of the same width.
static MlirValue scalarBitcast(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  return bitWidth(from) == bitWidth(to) ? fromBits(b, toBits(b, value, from), to) : (MlirValue){NULL};
}

static MlirValue scalarClamp(IrBuilder *b, MlirType element, const MlirValue *operands) {
  MlirValue atLeast =
      scalarCombine(b, TG_max, element, scalarWiden(b, operands[1], element), scalarWiden(b, operands[0], element));
  return scalarNarrow(b, scalarCombine(b, TG_min, element, atLeast, scalarWiden(b, operands[2], element)), element);
}

static MlirValue scalarFma(IrBuilder *b, MlirType element, const MlirValue *operands) {
  MlirValue a = scalarWiden(b, operands[0], element);
  MlirValue result =
      irValueOf(b, "math.fma", IR_VALUES(a, scalarWiden(b, operands[1], element), scalarWiden(b, operands[2], element)),
                mlirValueGetType(a), IR_NO_ATTRS);
  return scalarNarrow(b, result, element);
}

static bool hasComplexTypes(MlirOperation op) {
  bool any = isComplex(irElementTypeOf(irResult(op, 0)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    any = any || isComplex(irElementTypeOf(irOperand(op, i)));
  return any;
}

MlirValue scalarOperation(IrBuilder *b, MlirOperation op, const MlirValue *operands) {
  TgKind kind = tgKindOf(op);
  if (hasComplexTypes(op) && kind != TG_select && kind != TG_convert)
    return scalarComplexOperation(b, op, operands);
  MlirType element = irElementTypeOf(irOperand(op, 0));
  MlirValue result;
  switch (kind) {
  case TG_compare:
    return scalarCompare(b, op, operands);
  case TG_select:
    return irSelect(b, operands[0], operands[1], operands[2]);
  case TG_clamp:
    return scalarClamp(b, element, operands);
  case TG_fma:
    return scalarFma(b, element, operands);
  case TG_convert:
    return scalarConvert(b, operands[0], element, irElementTypeOf(irResult(op, 0)));
  case TG_is_finite:
    return scalarIsFinite(b, scalarWiden(b, operands[0], element));
  case TG_reduce_precision:
    return scalarReducePrecision(b, op, element, operands[0]);
  case TG_bitcast_convert:
    return scalarBitcast(b, operands[0], element, irElementTypeOf(irResult(op, 0)));
  default:
    break;
  }
  MlirValue x = scalarWiden(b, operands[0], element);
  if (mlirOperationGetNumOperands(op) == 1)
    result = unary(b, kind, element, x);
  else
    result = scalarCombine(b, kind, element, x, scalarWiden(b, operands[1], element));
  return mlirValueIsNull(result) ? result : scalarNarrow(b, result, element);
}

//===----------------------------------------------------------------------===//
// Constants, indices, reductions
//===----------------------------------------------------------------------===//

MlirType scalarType(MlirType element) {
  if (scalarIsFloat8(element) || scalarIsSmallInteger(element))
    return mlirIntegerTypeGet(mlirTypeGetContext(element), 8);
  if (irIsInteger(element) && !mlirIntegerTypeIsSignless(element))
    return mlirIntegerTypeGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
  return element;
}

/// `value` is the parts, an array attribute.
static MlirValue complexConstant(IrBuilder *b, MlirType element, MlirAttribute value) {
  if (!mlirAttributeIsAArray(value) || mlirArrayAttrGetNumElements(value) != 2)
    return (MlirValue){NULL};
  MlirType part = mlirComplexTypeGetElementType(element);
  MlirValue re = scalarConstant(b, part, mlirArrayAttrGetElement(value, 0));
  MlirValue im = scalarConstant(b, part, mlirArrayAttrGetElement(value, 1));
  return irValueOf(b, "complex.create", IR_VALUES(re, im), element, IR_NO_ATTRS);
}

MlirValue scalarConstant(IrBuilder *b, MlirType element, MlirAttribute value) {
  if (isComplex(element))
    return complexConstant(b, element, value);
  MlirType type = scalarType(element), f32 = mlirF32TypeGet(b->context);
  if (scalarIsFloat8(element) && mlirAttributeIsAFloat(value))
    return scalarNarrow(b, irConstantFloat(b, f32, mlirFloatAttrGetValueDouble(value)), element);
  if (irIsFloat(type) && mlirAttributeIsAFloat(value))
    return irValueOf(b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", value)));
  if (!irIsInteger(type) || !mlirAttributeIsAInteger(value))
    return (MlirValue){NULL};
  int64_t bits = irIsUnsigned(element)              ? (int64_t)mlirIntegerAttrGetValueUInt(value)
                 : mlirIntegerTypeIsSigned(element) ? mlirIntegerAttrGetValueSInt(value)
                                                    : mlirIntegerAttrGetValueInt(value);
  return irConstantInt(b, type, bits);
}

MlirValue scalarFromIndex(IrBuilder *b, MlirValue index, MlirType element) {
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  if (irIsInteger(element))
    return scalarNarrow(b, irUnary(b, "arith.index_castui", index, scalarType(element)), element);
  return scalarConvert(b, irUnary(b, "arith.index_castui", index, i64), i64, element);
}

TgKind scalarReduceOperation(TgReduceKind kind) {
  switch (kind) {
  case TG_REDUCE_ADD:
    return TG_add;
  case TG_REDUCE_MUL:
    return TG_mul;
  case TG_REDUCE_MIN:
    return TG_min;
  case TG_REDUCE_MAX:
    return TG_max;
  case TG_REDUCE_AND:
    return TG_and;
  case TG_REDUCE_OR:
    return TG_or;
  case TG_REDUCE_XOR:
    return TG_xor;
  }
  return TG_NONE;
}

static MlirValue elementIdentity(IrBuilder *b, TgKind kind, MlirType element);

/// As f32. Without infinities the largest or least number is what nothing exceeds.
static MlirValue float8Identity(IrBuilder *b, TgKind kind, MlirType element) {
  MlirType f32 = mlirF32TypeGet(b->context);
  if (kind == TG_min)
    return irConstantFloat(b, f32, scalarLargestFloat8(element));
  if (kind == TG_max)
    return irConstantFloat(b, f32, scalarLeastFloat8(element));
  return elementIdentity(b, kind, f32);
}

static MlirValue elementIdentity(IrBuilder *b, TgKind kind, MlirType element) {
  MlirType type = scalarType(element);
  if (isComplex(element))
    return kind == TG_add || kind == TG_mul ? scalarComplexConstant(b, element, kind == TG_mul) : (MlirValue){NULL};
  if (scalarIsFloat8(element)) {
    MlirValue identity = float8Identity(b, kind, element);
    return mlirValueIsNull(identity) ? identity : scalarNarrow(b, identity, element);
  }
  bool isFloat = irIsFloat(element);
  switch (kind) {
  case TG_add:
  case TG_or:
  case TG_xor:
    return isFloat ? irConstantFloat(b, type, 0) : irConstantInt(b, type, 0);
  case TG_mul:
    return isFloat ? irConstantFloat(b, type, 1) : irConstantInt(b, type, 1);
  case TG_and:
    return scalarIsSmallInteger(element) ? scalarNarrow(b, irConstantInt(b, type, -1), element)
                                         : irConstantInt(b, type, -1);
  case TG_min:
    return isFloat ? irConstantFloat(b, type, INFINITY) : scalarLargestInteger(b, element);
  case TG_max:
    return isFloat ? irConstantFloat(b, type, -INFINITY) : scalarLeastInteger(b, element);
  default:
    return (MlirValue){NULL};
  }
}

MlirValue scalarIdentity(IrBuilder *b, TgKind kind, MlirType element, MlirType accumulator) {
  if (scalarIsFloat8(element) && mlirTypeIsAF32(accumulator)) // f8E8M0FNU has no zero to begin sums with, and f32 has
    return float8Identity(b, kind, element);
  MlirValue identity = elementIdentity(b, kind, element);
  return mlirValueIsNull(identity) ? identity : scalarConvert(b, identity, element, accumulator);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

MlirValue scalarBranch(IrBuilder *b, MlirType elementType, MlirValue index, intptr_t count) {
  const char *cast = irIsUnsigned(elementType) ? "arith.index_castui" : "arith.index_cast";
  MlirValue position = irUnary(b, cast, index, mlirIndexTypeGet(b->context)), last = irConstantIndex(b, count - 1);
  return irSelect(b, irCmpI(b, IR_CMPI_ULT, position, last), position, last); // negative ones are large unsigned ones
}
