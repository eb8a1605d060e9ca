//===- number.c - elements of tensors as numbers -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts elements of any type to double or complex double and back, with correct rounding, and measures distances in
// units in the last place.
//
//===----------------------------------------------------------------------===//

#include "tools/support/number.h"

#include <math.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The special values of a float format. `IEEE`: infinities and NaNs with the largest exponent. `FINITE`: one NaN, all
/// bits one but the sign. `FINITE_ONE_ZERO`: one NaN, the bits of -0. `EXPONENT`: nothing but an exponent, whose
/// largest value is NaN, without sign and zero. `NUMBERS`: none; numbers beyond the largest become the largest, and NaN
/// a zero.
typedef enum { IEEE, FINITE, FINITE_ONE_ZERO, EXPONENT, NUMBERS } Specials;

/// `digits` of the significand, with the implicit one; the exponent of 1.0 is stored as `bias`.
typedef struct {
  StitchTypeCode code;
  int bits;
  int digits;
  int bias;
  Specials specials;
} NumberFormat;

static const NumberFormat formats[] = {
    {STITCH_TYPE_FLOAT, 64, 53, 1023, IEEE},
    {STITCH_TYPE_FLOAT, 32, 24, 127, IEEE},
    {STITCH_TYPE_FLOAT, 16, 11, 15, IEEE},
    {STITCH_TYPE_BFLOAT, 16, 8, 127, IEEE},
    {STITCH_TYPE_FLOAT8_E3M4, 8, 5, 3, IEEE},
    {STITCH_TYPE_FLOAT8_E4M3, 8, 4, 7, IEEE},
    {STITCH_TYPE_FLOAT8_E4M3B11FNUZ, 8, 4, 11, FINITE_ONE_ZERO},
    {STITCH_TYPE_FLOAT8_E4M3FN, 8, 4, 7, FINITE},
    {STITCH_TYPE_FLOAT8_E4M3FNUZ, 8, 4, 8, FINITE_ONE_ZERO},
    {STITCH_TYPE_FLOAT8_E5M2, 8, 3, 15, IEEE},
    {STITCH_TYPE_FLOAT8_E5M2FNUZ, 8, 3, 16, FINITE_ONE_ZERO},
    {STITCH_TYPE_FLOAT8_E8M0FNU, 8, 1, 127, EXPONENT},
    {STITCH_TYPE_FLOAT6_E2M3FN, 6, 4, 1, NUMBERS},
    {STITCH_TYPE_FLOAT6_E3M2FN, 6, 3, 3, NUMBERS},
    {STITCH_TYPE_FLOAT4_E2M1FN, 4, 2, 1, NUMBERS},
};
enum { NUM_FORMATS = sizeof(formats) / sizeof(formats[0]) };

/// The format of a float, or of a complex number's parts; NULL for other types.
static const NumberFormat *formatOf(StitchDataType dtype) {
  StitchDataType part = toolPartType(dtype);
  for (int i = 0; i < NUM_FORMATS; ++i)
    if (formats[i].code == part.code && formats[i].bits == part.bits)
      return &formats[i];
  return NULL;
}

bool toolIsComplex(StitchDataType dtype) { return dtype.code == STITCH_TYPE_COMPLEX; }

StitchDataType toolPartType(StitchDataType dtype) {
  return toolIsComplex(dtype) ? (StitchDataType){STITCH_TYPE_FLOAT, dtype.bits / 2, 1} : dtype;
}

int toolParts(StitchDataType dtype) { return toolIsComplex(dtype) ? 2 : 1; }

bool toolIsFloat(StitchDataType dtype) { return formatOf(dtype) != NULL; }

double toolUnitRoundoff(StitchDataType dtype) { return ldexp(1.0, -formatOf(dtype)->digits); }

//===----------------------------------------------------------------------===//
// Floats that C has no type for
//===----------------------------------------------------------------------===//

static uint32_t signBit(const NumberFormat *f) { return f->specials == EXPONENT ? 0 : UINT32_C(1) << (f->bits - 1); }

/// The bits of infinity or, for want of it, those that follow the largest number.
static uint32_t overflowBits(const NumberFormat *f) {
  uint32_t end = UINT32_C(1) << (f->bits - 1);
  switch (f->specials) {
  case IEEE:
    return end - (UINT32_C(1) << (f->digits - 1));
  case FINITE:
    return end - 1;
  case FINITE_ONE_ZERO:
  case NUMBERS:
    return end;
  case EXPONENT:
    break;
  }
  return 2 * end - 1;
}

/// Of the bits without sign; FINITE_ONE_ZERO: with the sign.
static bool isNanBits(const NumberFormat *f, uint32_t bits) {
  return f->specials == IEEE ? bits > overflowBits(f) : f->specials != NUMBERS && bits == overflowBits(f);
}

static double widen(const NumberFormat *f, uint32_t bits) {
  int fractionBits = f->digits - 1;
  bits &= (UINT32_C(1) << (f->bits - 1) << 1) - 1;
  uint32_t magnitudeBits = bits & ~signBit(f);
  if (isNanBits(f, f->specials == FINITE_ONE_ZERO ? bits : magnitudeBits))
    return bits & signBit(f) ? -NAN : NAN;
  int exponent = (int)(magnitudeBits >> fractionBits), fraction = (int)(magnitudeBits & ((1u << fractionBits) - 1));
  double magnitude;
  if (f->specials == IEEE && magnitudeBits == overflowBits(f))
    magnitude = INFINITY;
  else if (exponent == 0 && f->specials != EXPONENT)
    magnitude = ldexp(fraction, 1 - f->bias - fractionBits);
  else
    magnitude = ldexp(fraction | 1 << fractionBits, exponent - f->bias - fractionBits);
  return bits & signBit(f) ? -magnitude : magnitude;
}

/// The power of two next to a number, the larger one of two; NaN for all that is not positive.
static uint32_t narrowToExponent(const NumberFormat *f, double value) {
  if (!(value > 0.0) || isinf(value))
    return overflowBits(f);
  int exponent;
  double code = (frexp(value, &exponent) >= 0.75 ? exponent : exponent - 1) + f->bias;
  return code < 0 ? 0 : code > overflowBits(f) ? overflowBits(f) : (uint32_t)code;
}

static uint32_t narrow(const NumberFormat *f, double value) {
  int fractionBits = f->digits - 1, least = 1 - f->bias;
  uint32_t sign = signbit(value) ? signBit(f) : 0, overflow = overflowBits(f);
  double magnitude = fabs(value);
  if (f->specials == EXPONENT)
    return narrowToExponent(f, value);
  if (f->specials == NUMBERS && isnan(value))
    return sign ^ overflow; // -0 for a positive one, as in ml_dtypes
  if (f->specials == NUMBERS && isinf(value))
    return sign | (overflow - 1);
  if (f->specials == IEEE && isnan(value))
    return sign | overflow | 1u << (fractionBits - 1);
  if (isnan(value) || isinf(value))
    return f->specials == FINITE_ONE_ZERO ? overflow : sign | overflow;
  int exponent = magnitude == 0.0 ? least : ilogb(magnitude);
  if (exponent < least)
    exponent = least;
  // As a multiple of the last place: for normal numbers 2^fractionBits and more, and a carry moves on to the exponent.
  double code = rint(ldexp(magnitude, fractionBits - exponent)) + ldexp(exponent - least, fractionBits);
  uint32_t bits = code < overflow ? (uint32_t)code : f->specials == NUMBERS ? overflow - 1 : overflow;
  bool hasSign = f->specials != FINITE_ONE_ZERO || (bits != 0 && bits != overflow);
  return hasSign ? sign | bits : bits;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

#define TYPES_OF_C(X)                                                                                                  \
  X(STITCH_TYPE_INT, 8, int8_t)                                                                                        \
  X(STITCH_TYPE_INT, 16, int16_t)                                                                                      \
  X(STITCH_TYPE_INT, 32, int32_t)                                                                                      \
  X(STITCH_TYPE_INT, 64, int64_t)                                                                                      \
  X(STITCH_TYPE_UINT, 8, uint8_t)                                                                                      \
  X(STITCH_TYPE_UINT, 16, uint16_t)                                                                                    \
  X(STITCH_TYPE_UINT, 32, uint32_t)                                                                                    \
  X(STITCH_TYPE_UINT, 64, uint64_t)                                                                                    \
  X(STITCH_TYPE_BOOL, 8, uint8_t)                                                                                      \
  X(STITCH_TYPE_FLOAT, 32, float)                                                                                      \
  X(STITCH_TYPE_FLOAT, 64, double)

/// An integer of fewer than 8 bits.
static bool isSmallInteger(StitchDataType dtype) {
  return dtype.bits < 8 && (dtype.code == STITCH_TYPE_INT || dtype.code == STITCH_TYPE_UINT);
}

static double loadSmallInteger(StitchDataType dtype, uint8_t byte) {
  int value = byte & ((1 << dtype.bits) - 1), sign = 1 << (dtype.bits - 1);
  return dtype.code == STITCH_TYPE_INT && value & sign ? value - 2 * sign : value;
}

double toolLoad(StitchDataType dtype, const void *data, int64_t index) {
#define LOAD(type_code, type_bits, type)                                                                               \
  if (dtype.code == type_code && dtype.bits == type_bits)                                                              \
    return (double)((const type *)data)[index];
  TYPES_OF_C(LOAD)
#undef LOAD
  if (isSmallInteger(dtype))
    return loadSmallInteger(dtype, ((const uint8_t *)data)[index]);
  const NumberFormat *f = formatOf(dtype);
  return widen(f, f->bits <= 8 ? ((const uint8_t *)data)[index] : ((const uint16_t *)data)[index]);
}

double complex toolLoadComplex(StitchDataType dtype, const void *data, int64_t index) {
  if (!toolIsComplex(dtype))
    return toolLoad(dtype, data, index);
  StitchDataType part = toolPartType(dtype);
  return __builtin_complex(toolLoad(part, data, 2 * index), toolLoad(part, data, 2 * index + 1));
}

void toolStore(StitchDataType dtype, void *data, int64_t index, double value) {
#define STORE(type_code, type_bits, type)                                                                              \
  if (dtype.code == type_code && dtype.bits == type_bits) {                                                            \
    ((type *)data)[index] = (type)value;                                                                               \
    return;                                                                                                            \
  }
  TYPES_OF_C(STORE)
#undef STORE
  const NumberFormat *f = formatOf(dtype);
  if (isSmallInteger(dtype))
    ((int8_t *)data)[index] = (int8_t)value;
  else if (f->bits <= 8)
    ((uint8_t *)data)[index] = (uint8_t)narrow(f, value);
  else
    ((uint16_t *)data)[index] = (uint16_t)narrow(f, value);
}

void toolPack(StitchDataType dtype, int64_t count, void *data) {
  if (!stitchDataTypeIsPacked(dtype))
    return;
  uint8_t *bytes = data;
  int64_t per = 8 / dtype.bits;
  for (int64_t i = 0; i < count; ++i) {
    uint8_t bits = (uint8_t)((bytes[i] & ((1 << dtype.bits) - 1)) << (i % per * dtype.bits));
    bytes[i / per] = i % per ? bytes[i / per] | bits : bits;
  }
}

void toolUnpack(StitchDataType dtype, int64_t count, void *data) {
  if (!stitchDataTypeIsPacked(dtype))
    return;
  uint8_t *bytes = data;
  int64_t per = 8 / dtype.bits;
  for (int64_t i = count; i-- > 0;) {
    bytes[i] = bytes[i / per] >> (i % per * dtype.bits) & ((1 << dtype.bits) - 1);
    if (isSmallInteger(dtype))
      bytes[i] = (uint8_t)loadSmallInteger(dtype, bytes[i]);
  }
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

/// The bits of a float, in an order in which neighbours differ by one.
static int64_t orderedBits(StitchDataType dtype, const void *data, int64_t index) {
  size_t bytes = stitchDataTypeBytes(dtype);
  uint64_t bits = 0; // little-endian
  memcpy(&bits, (const char *)data + (size_t)index * bytes, bytes);
  uint64_t sign = dtype.code == STITCH_TYPE_FLOAT8_E8M0FNU ? 0 : (uint64_t)1 << (dtype.bits - 1);
  return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static uint64_t complexUlpDistance(StitchDataType dtype, const void *a, const void *b, int64_t index) {
  const NumberFormat *f = formatOf(dtype);
  double complex x = toolLoadComplex(dtype, a, index), y = toolLoadComplex(dtype, b, index);
  double larger = fmax(fabs(creal(y)), fabs(cimag(y)));
  int exponent = larger == 0.0 ? 1 - f->bias : ilogb(larger);
  exponent = exponent < 1 - f->bias ? 1 - f->bias : exponent;
  double distance = ceil(ldexp(cabs(x - y), f->digits - 1 - exponent));
  return distance < ldexp(1.0, 63) ? (uint64_t)distance : UINT64_MAX;
}

uint64_t toolUlpDistance(StitchDataType dtype, const void *a, const void *b, int64_t index) {
  if (toolIsComplex(dtype))
    return complexUlpDistance(dtype, a, b, index);
  int64_t x = orderedBits(dtype, a, index), y = orderedBits(dtype, b, index);
  return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}
