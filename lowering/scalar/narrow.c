//===- narrow.c - elements that machines do not compute with -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an element of four to eight bits as a byte. Leaves it in f32, or in an i8 that is extended; and back, rounded
// to nearest even, with the special values of the format.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/narrow.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include "mlir-c/BuiltinAttributes.h"

#include <math.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The special values of a format. `IEEE`: infinities and NaNs with the largest exponent; `ONE_NAN`: all bits one with
/// either sign; `ONE_ZERO`: a NaN, the bits of -0; `NUMBERS`: nothing.
typedef enum { IEEE, ONE_NAN, ONE_ZERO, NUMBERS } Specials;

/// A sign bit, an exponent and a mantissa.
typedef struct {
  bool (*isType)(MlirType type);
  int bits, mantissa, bias;
  Specials specials;
} SmallFloatFormat;

static const SmallFloatFormat formats[] = {
    {mlirTypeIsAFloat8E5M2, 8, 2, 15, IEEE},
    {mlirTypeIsAFloat8E4M3, 8, 3, 7, IEEE},
    {mlirTypeIsAFloat8E3M4, 8, 4, 3, IEEE},
    {mlirTypeIsAFloat8E4M3FN, 8, 3, 7, ONE_NAN},
    {mlirTypeIsAFloat8E5M2FNUZ, 8, 2, 16, ONE_ZERO},
    {mlirTypeIsAFloat8E4M3FNUZ, 8, 3, 8, ONE_ZERO},
    {mlirTypeIsAFloat8E4M3B11FNUZ, 8, 3, 11, ONE_ZERO},
    {mlirTypeIsAFloat4E2M1FN, 4, 1, 1, NUMBERS},
    {mlirTypeIsAFloat6E2M3FN, 6, 3, 1, NUMBERS},
    {mlirTypeIsAFloat6E3M2FN, 6, 2, 3, NUMBERS},
};

/// f8E8M0FNU has nothing but an exponent: neither sign nor zero, and NaN for numbers that are not positive.
static bool isExponent(MlirType element) { return mlirTypeIsAFloat8E8M0FNU(element); }

static const SmallFloatFormat *formatOf(MlirType element) {
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); ++i)
    if (formats[i].isType(element))
      return &formats[i];
  return NULL;
}

bool scalarIsSmallFloat(MlirType element) { return isExponent(element) || formatOf(element); }

bool scalarHasSign(MlirType element) { return !isExponent(element); }

int scalarSmallFloatExponentBits(MlirType element) {
  return isExponent(element) ? 8 : formatOf(element)->bits - 1 - formatOf(element)->mantissa;
}

static int64_t signBitOf(const SmallFloatFormat *f) { return 1 << (f->bits - 1); }

/// The bits of infinity or, for want of it, one more than those of the largest finite number.
static int64_t overflowBits(const SmallFloatFormat *f) {
  return f->specials == IEEE      ? signBitOf(f) - (1 << f->mantissa)
         : f->specials == ONE_NAN ? signBitOf(f) - 1
                                  : signBitOf(f);
}
static int64_t nanBits(const SmallFloatFormat *f) {
  return f->specials == IEEE ? overflowBits(f) + (1 << (f->mantissa - 1)) : overflowBits(f);
}

double scalarLargestSmallFloat(MlirType element) {
  if (isExponent(element))
    return ldexp(1, 127);
  const SmallFloatFormat *f = formatOf(element);
  if (f->specials == IEEE)
    return INFINITY;
  int bits = (int)overflowBits(f) - 1, fraction = bits & ((1 << f->mantissa) - 1);
  return ldexp(fraction | 1 << f->mantissa, (bits >> f->mantissa) - f->bias - f->mantissa);
}

double scalarLeastSmallFloat(MlirType element) {
  return isExponent(element) ? ldexp(1, -127) : -scalarLargestSmallFloat(element);
}

static MlirValue integer(IrBuilder *b, MlirValue like, int64_t value) {
  return irConstantInt(b, mlirValueGetType(like), value);
}

static MlirValue asFloat(IrBuilder *b, MlirValue bits) {
  return irUnary(b, "arith.bitcast", bits, mlirF32TypeGet(b->context));
}

static MlirValue asBits(IrBuilder *b, MlirValue value) {
  return irUnary(b, "arith.bitcast", value, mlirIntegerTypeGet(b->context, 32));
}

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

/// The exponent of f32, whose least one stands for subnormal numbers: 2^-127 is one of them.
static MlirValue decodeExponent(IrBuilder *b, MlirValue bits) {
  MlirType f32 = mlirF32TypeGet(b->context);
  MlirValue isLeast = irCmpI(b, IR_CMPI_EQ, bits, integer(b, bits, 0)),
            isNan = irCmpI(b, IR_CMPI_EQ, bits, integer(b, bits, 0xFF));
  MlirValue value = asFloat(b, irShlI(b, bits, integer(b, bits, 23)));
  value = irSelect(b, isLeast, irConstantFloat(b, f32, ldexp(1, -127)), value);
  return irSelect(b, isNan, irConstantFloat(b, f32, NAN), value);
}

/// The nearest power of two, the larger one of two. Between 2^-127 and 2^-126, where f32 has no implicit one, the
/// middle is half as far from its bits' carry.
static MlirValue encodeExponent(IrBuilder *b, MlirValue value) {
  MlirValue bits = asBits(b, value);
  MlirValue isSubnormal = irCmpI(b, IR_CMPI_ULT, bits, integer(b, bits, 1 << 23));
  MlirValue half = irSelect(b, isSubnormal, integer(b, bits, 1 << 21), integer(b, bits, 1 << 22));
  MlirValue code = irShrUI(b, irAddI(b, bits, half), integer(b, bits, 23));
  MlirValue isPositive = irCmpF(b, IR_CMPF_OGT, value, irConstantFloat(b, mlirF32TypeGet(b->context), 0));
  code = irSelect(b, isPositive, code, integer(b, bits, 0xFF));
  return irUnary(b, "arith.trunci", code, mlirIntegerTypeGet(b->context, 8));
}

/// The exponent and mantissa, put where f32 has them, are the value divided by 2^(127 - bias), subnormal numbers
/// included.
MlirValue scalarDecodeSmallFloat(IrBuilder *b, MlirValue byte, MlirType element) {
  const SmallFloatFormat *f = formatOf(element);
  MlirType f32 = mlirF32TypeGet(b->context);
  MlirValue bits = irUnary(b, "arith.extui", byte, mlirIntegerTypeGet(b->context, 32));
  if (isExponent(element))
    return decodeExponent(b, bits);
  MlirValue magnitude = irAndI(b, bits, integer(b, bits, signBitOf(f) - 1));
  MlirValue sign = irShlI(b, irAndI(b, bits, integer(b, bits, signBitOf(f))), integer(b, bits, 32 - f->bits));
  MlirValue scaled = asFloat(b, irShlI(b, magnitude, integer(b, bits, 23 - f->mantissa)));
  MlirValue value = irMulF(b, scaled, irConstantFloat(b, f32, ldexp(1, 127 - f->bias)));
  if (f->specials == NUMBERS)
    return asFloat(b, irOrI(b, asBits(b, value), sign));
  MlirValue isNan = irCmpI(b, IR_CMPI_EQ, f->specials == ONE_ZERO ? bits : magnitude, integer(b, bits, nanBits(f)));
  if (f->specials == IEEE) {
    MlirValue isInfinity = irCmpI(b, IR_CMPI_EQ, magnitude, integer(b, bits, overflowBits(f)));
    isNan = irCmpI(b, IR_CMPI_UGT, magnitude, integer(b, bits, overflowBits(f)));
    value = irSelect(b, isInfinity, irConstantFloat(b, f32, INFINITY), value);
  }
  value = irSelect(b, isNan, irConstantFloat(b, f32, NAN), value);
  return asFloat(b, irOrI(b, asBits(b, value), sign));
}

/// Below the least normal number, the sum with a number whose last place is that of subnormal numbers is rounded there.
static MlirValue encodeSubnormal(IrBuilder *b, const SmallFloatFormat *f, MlirValue magnitude) {
  MlirValue aligner = irConstantFloat(b, mlirF32TypeGet(b->context), ldexp(1, 1 - f->bias - f->mantissa + 23));
  return irSubI(b, asBits(b, irAddF(b, magnitude, aligner)), asBits(b, aligner));
}

/// The mantissa is rounded in the bits of f32; a carry goes to the exponent, as it must.
static MlirValue encodeNormal(IrBuilder *b, const SmallFloatFormat *f, MlirValue magnitude) {
  int dropped = 23 - f->mantissa;
  MlirValue bits = irSubI(b, asBits(b, magnitude),
                          irConstantInt(b, mlirIntegerTypeGet(b->context, 32), (int64_t)(127 - f->bias) << 23));
  MlirValue isOdd = irAndI(b, irShrUI(b, bits, integer(b, bits, dropped)), integer(b, bits, 1));
  MlirValue half = integer(b, bits, (INT64_C(1) << (dropped - 1)) - 1);
  return irShrUI(b, irAddI(b, irAddI(b, bits, half), isOdd), integer(b, bits, dropped));
}

MlirValue scalarEncodeSmallFloat(IrBuilder *b, MlirValue value, MlirType element) {
  if (isExponent(element))
    return encodeExponent(b, value);
  const SmallFloatFormat *f = formatOf(element);
  MlirType f32 = mlirF32TypeGet(b->context), i8 = mlirIntegerTypeGet(b->context, 8);
  MlirValue magnitude = irUnary(b, "math.absf", value, f32);
  MlirValue isSmall = irCmpF(b, IR_CMPF_OLT, magnitude, irConstantFloat(b, f32, ldexp(1, 1 - f->bias)));
  MlirValue bits = irSelect(b, isSmall, encodeSubnormal(b, f, magnitude), encodeNormal(b, f, magnitude));
  // From the first number that rounds beyond the largest one on, infinity included.
  MlirValue overflows = irOrI(b, irCmpI(b, IR_CMPI_SGE, bits, integer(b, bits, overflowBits(f))),
                              irCmpF(b, IR_CMPF_OEQ, magnitude, irConstantFloat(b, f32, INFINITY)));
  bits = irSelect(b, overflows, integer(b, bits, f->specials == NUMBERS ? overflowBits(f) - 1 : overflowBits(f)), bits);
  bits = irSelect(b, irCmpF(b, IR_CMPF_UNO, value, value), integer(b, bits, nanBits(f)), bits);
  MlirValue sign = irShrUI(b, asBits(b, value), integer(b, bits, 32 - f->bits));
  sign = irAndI(b, sign, integer(b, bits, signBitOf(f)));
  if (f->specials == ONE_ZERO) // neither zero nor NaN have a sign
    sign = irSelect(b, irCmpI(b, IR_CMPI_EQ, bits, integer(b, bits, 0)), integer(b, bits, 0), sign);
  // The bits of NaN, where it is -0 for a positive one, have the sign bit already.
  return irUnary(b, "arith.trunci", f->specials == NUMBERS ? irXorI(b, bits, sign) : irOrI(b, bits, sign), i8);
}

//===----------------------------------------------------------------------===//
// Integers of two and four bits
//===----------------------------------------------------------------------===//

bool scalarIsSmallInteger(MlirType element) {
  return irIsInteger(element) && (mlirIntegerTypeGetWidth(element) == 2 || mlirIntegerTypeGetWidth(element) == 4);
}

MlirValue scalarExtendInteger(IrBuilder *b, MlirValue byte, MlirType element) {
  int64_t width = mlirIntegerTypeGetWidth(element);
  if (irIsUnsigned(element))
    return irAndI(b, byte, integer(b, byte, (1 << width) - 1));
  MlirValue upper = integer(b, byte, 8 - width);
  return irShrSI(b, irShlI(b, byte, upper), upper);
}

MlirAttribute scalarExtendedElements(MlirAttribute elements, MlirType bytesType) {
  MlirType element = irElementType(mlirAttributeGetType(elements));
  int64_t count = mlirDenseElementsAttrIsSplat(elements) ? 1 : mlirElementsAttrGetNumElements(elements);
  unsigned width = mlirIntegerTypeGetWidth(element), upper = 8 - width;
  const uint8_t *bits = mlirDenseElementsAttrGetRawData(elements);
  uint8_t *bytes = irAllocate((size_t)count + 1);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = irIsUnsigned(element) ? bits[i] & ((1u << width) - 1) : (uint8_t)((int8_t)(bits[i] << upper) >> upper);
  MlirAttribute result = mlirDenseElementsAttrRawBufferGet(bytesType, (size_t)count, bytes);
  free(bytes);
  return result;
}
