//===- scalar_convert.c - conversions, less precision, bits ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an element and a type. Leaves the element in it, rounded once to nearest even and saturated as tg.convert says;
// reduced precision, complex parts and bit patterns, too.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/element.h"
#include "lowering/scalar/narrow.h"
#include "lowering/scalar/real.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Rounds an f64 to f32 so that rounding the result to 16 bits gives the same as rounding the f64 directly. An inexact
/// result takes, of the two floats around it, the one whose last bit is one (Boldo and Melquiond: rounding to odd).
static MlirValue roundToOdd(IrBuilder *b, MlirValue x) {
  MlirType f32 = mlirF32TypeGet(b->context);
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue nearest = irUnary(b, "arith.truncf", x, f32);
  MlirValue back = irUnary(b, "arith.extf", nearest, mlirValueGetType(x));
  MlirValue bits = irUnary(b, "arith.bitcast", nearest, i32);
  MlirValue isAway = irCmpF(b, IR_CMPF_OGT, realOf(b, "math.absf", back), realOf(b, "math.absf", x));
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
  else if (elementWidth(wide) < elementWidth(target))
    value = irUnary(b, "arith.extf", value, target);
  else if (elementWidth(wide) > elementWidth(target))
    value = irUnary(b, "arith.truncf", value, target);
  return scalarNarrow(b, value, to);
}

/// A float whose last bits have room for an integer: 2^23 in f32, where an integer of 16 bits fits, 2^10 in f16, 2^7 in
/// bf16.
typedef struct {
  unsigned width, mantissa;
  int64_t bits;
} IntegerHolder;

static bool findHolder(MlirType from, MlirType to, IntegerHolder *holder) {
  unsigned width = elementWidth(from);
  *holder = mlirTypeIsABF16(to) && width <= 7   ? (IntegerHolder){16, 7, 0x4300}
            : mlirTypeIsAF16(to) && width <= 10 ? (IntegerHolder){16, 10, 0x6400}
                                                : (IntegerHolder){32, 23, 0x4B000000};
  return width <= 16 && !mlirTypeIsAF64(to);
}

/// A short integer as a float, exactly: as the last bits of a power of two, from which the rest is subtracted. Two or
/// three instructions at full rate, of 16 bits for two integers together, where a GPU converts integers at an eighth of
/// it.
static MlirValue shortIntegerToFloat(IrBuilder *b, MlirValue value, MlirType from, MlirType to,
                                     const IntegerHolder *holder) {
  MlirType f32 = mlirF32TypeGet(b->context), type = mlirIntegerTypeGet(b->context, holder->width);
  int64_t values = INT64_C(1) << elementWidth(from), least = elementIsSigned(from) ? -values / 2 : 0;
  double rest = (double)((INT64_C(1) << holder->mantissa) - least);
  unsigned width = mlirIntegerTypeGetWidth(mlirValueGetType(value));
  MlirValue bits = width < holder->width ? irUnary(b, "arith.extui", value, type) : value;
  // Counted from the least integer on, in one instruction with the bits of the power of two.
  bits = irAndI(b, bits, irConstantInt(b, type, values - 1));
  bits = irXorI(b, bits, irConstantInt(b, type, holder->bits - least));
  MlirValue above = irUnary(b, "arith.bitcast", bits, holder->width == 32 ? f32 : to);
  above = holder->width == 32 ? above : irUnary(b, "arith.extf", above, f32);
  return floatToFloat(b, irSubF(b, above, irConstantFloat(b, f32, rest)), to);
}

/// Integers of up to 32 bits are exact in f64, from where they are rounded once.
static MlirValue integerToFloat(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  const char *name = elementIsSigned(from) ? "arith.sitofp" : "arith.uitofp";
  IntegerHolder holder;
  if (findHolder(from, to, &holder))
    return shortIntegerToFloat(b, value, from, to, &holder);
  if (mlirTypeEqual(scalarComputeType(to), to))
    return irUnary(b, name, value, to);
  MlirType f64 = mlirF64TypeGet(b->context);
  return floatToFloat(b, irUnary(b, name, value, f64), to);
}

/// Towards zero; out of range to the nearest integer of the type; NaN to 0.
static MlirValue floatToInteger(IrBuilder *b, MlirValue x, MlirType to) {
  unsigned width = elementWidth(to);
  double above = ldexp(1, elementIsSigned(to) ? (int)width - 1 : (int)width);
  double least = elementIsSigned(to) ? -above : 0;
  MlirValue value = irUnary(b, elementIsSigned(to) ? "arith.fptosi" : "arith.fptoui", x, scalarType(to));
  MlirValue isAbove = irCmpF(b, IR_CMPF_OGE, x, realLike(b, x, above));
  MlirValue isBelow = irCmpF(b, IR_CMPF_OLT, x, realLike(b, x, least));
  MlirValue isNan = irCmpF(b, IR_CMPF_UNO, x, x);
  value = irSelect(b, isAbove, scalarLargestInteger(b, to), value);
  value = irSelect(b, isBelow, scalarLeastInteger(b, to), value);
  return irSelect(b, isNan, integerLike(b, value, 0), value);
}

static MlirValue integerToInteger(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  MlirType type = scalarType(to);
  if (elementWidth(type) < elementWidth(scalarType(from)))
    value = irUnary(b, "arith.trunci", value, type);
  else if (elementWidth(type) > elementWidth(scalarType(from)))
    value = irUnary(b, elementIsSigned(from) ? "arith.extsi" : "arith.extui", value, type);
  return scalarNarrow(b, value, to);
}

/// From or to a complex type, part by part.
static MlirValue convertComplex(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  bool fromComplex = mlirTypeIsAComplex(from), toComplex = mlirTypeIsAComplex(to);
  MlirType source = fromComplex ? mlirComplexTypeGetElementType(from) : from;
  MlirType target = toComplex ? mlirComplexTypeGetElementType(to) : to;
  MlirValue re = value, im = {NULL};
  if (fromComplex) {
    re = irUnary(b, "complex.re", value, source);
    im = irUnary(b, "complex.im", value, source);
  }
  re = scalarConvert(b, re, source, target);
  if (!toComplex) // the imaginary part is dropped
    return re;
  im = fromComplex ? scalarConvert(b, im, source, target) : irConstantFloat(b, target, 0);
  return irValueOf(b, "complex.create", IR_VALUES(re, im), to, IR_NO_ATTRS);
}

MlirValue scalarConvert(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  if (mlirTypeEqual(from, to))
    return value;
  if (mlirTypeIsAComplex(to) || mlirTypeIsAComplex(from))
    return convertComplex(b, value, from, to);
  value = scalarWiden(b, value, from);
  if (irIsBool(to))
    return irIsFloat(from) ? irCmpF(b, IR_CMPF_UNE, value, realLike(b, value, 0))
                           : irCmpI(b, IR_CMPI_NE, value, integerLike(b, value, 0));
  if (irIsFloat(from))
    return irIsFloat(to) ? floatToFloat(b, value, to) : floatToInteger(b, value, to);
  return irIsFloat(to) ? integerToFloat(b, value, from, to) : integerToInteger(b, value, from, to);
}

//===----------------------------------------------------------------------===//
// Less precision
//===----------------------------------------------------------------------===//

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

/// Numbers beyond the narrower exponent become an infinity or, for lack of subnormal numbers, a zero.
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
/// `ownExponentBits` bits: as many and more change nothing. Without mantissa bits there is no NaN: it becomes infinity.
static MlirValue reducePrecision(IrBuilder *b, MlirOperation op, MlirType element, int64_t ownExponentBits,
                                 MlirValue x) {
  unsigned width = elementWidth(element), mantissa = mantissaBits(element);
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
  MlirValue ofNan = mantissaWanted > 0 ? x : irConstantFloat(b, element, INFINITY);
  return irSelect(b, isNan, ofNan, irUnary(b, "arith.bitcast", bits, element));
}

/// A small float in f32.
MlirValue scalarReducePrecision(IrBuilder *b, MlirOperation op, MlirType element, MlirValue x) {
  if (!scalarIsSmallFloat(element))
    return reducePrecision(b, op, element, elementWidth(element) - 1 - mantissaBits(element), x);
  MlirValue wide = scalarWiden(b, x, element);
  wide = reducePrecision(b, op, mlirF32TypeGet(b->context), scalarSmallFloatExponentBits(element), wide);
  return scalarNarrow(b, wide, element);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static MlirType bitsType(MlirType element) {
  return mlirIntegerTypeGet(mlirTypeGetContext(element), elementWidth(element));
}

/// An element as an integer of exactly its bits, and back. The real part of a complex number has the lower ones.
static MlirValue toBits(IrBuilder *b, MlirValue value, MlirType element) {
  MlirType type = bitsType(element);
  if (mlirTypeIsAComplex(element)) {
    MlirType part = mlirComplexTypeGetElementType(element);
    MlirValue re = toBits(b, irUnary(b, "complex.re", value, part), part);
    MlirValue im = toBits(b, irUnary(b, "complex.im", value, part), part);
    MlirValue high = irShlI(b, irUnary(b, "arith.extui", im, type), irConstantInt(b, type, elementWidth(part)));
    return irOrI(b, irUnary(b, "arith.extui", re, type), high);
  }
  bool isBelowByte = elementWidth(element) < 8 && !irIsBool(element); // is held in a byte
  return isBelowByte ? irUnary(b, "arith.trunci", value, type) : bitcast(b, value, type);
}

static MlirValue fromBits(IrBuilder *b, MlirValue bits, MlirType element) {
  if (mlirTypeIsAComplex(element)) {
    MlirType part = mlirComplexTypeGetElementType(element);
    MlirValue high = irShrUI(b, bits, integerLike(b, bits, elementWidth(part)));
    MlirValue re = fromBits(b, irUnary(b, "arith.trunci", bits, bitsType(part)), part);
    MlirValue im = fromBits(b, irUnary(b, "arith.trunci", high, bitsType(part)), part);
    return irValueOf(b, "complex.create", IR_VALUES(re, im), element, IR_NO_ATTRS);
  }
  if (scalarIsSmallInteger(element))
    return irUnary(b, elementIsSigned(element) ? "arith.extsi" : "arith.extui", bits, scalarType(element));
  if (elementWidth(element) < 8 && irIsFloat(element))
    return irUnary(b, "arith.extui", bits, scalarType(element));
  return bitcast(b, bits, scalarType(element));
}

MlirValue scalarPart(IrBuilder *b, MlirValue value, MlirType from, MlirType to, MlirValue number) {
  MlirType wide = bitsType(from);
  MlirValue amount =
      irMulI(b, irUnary(b, "arith.index_cast", number, wide), irConstantInt(b, wide, (int64_t)elementWidth(to)));
  MlirValue part = irUnary(b, "arith.trunci", irShrUI(b, toBits(b, value, from), amount), bitsType(to));
  return fromBits(b, part, to);
}

MlirValue scalarFromParts(IrBuilder *b, const MlirValue *parts, MlirType from, MlirType to) {
  MlirType wide = bitsType(to);
  MlirValue bits = irConstantInt(b, wide, 0);
  for (unsigned i = 0; i < elementWidth(to) / elementWidth(from); ++i) {
    MlirValue part = irUnary(b, "arith.extui", toBits(b, parts[i], from), wide);
    bits = irOrI(b, bits, irShlI(b, part, irConstantInt(b, wide, (int64_t)i * elementWidth(from))));
  }
  return fromBits(b, bits, to);
}

/// Between types of the same width.
MlirValue scalarBitcast(IrBuilder *b, MlirValue value, MlirType from, MlirType to) {
  return elementWidth(from) == elementWidth(to) ? fromBits(b, toBits(b, value, from), to) : (MlirValue){NULL};
}
