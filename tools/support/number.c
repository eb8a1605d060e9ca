//===- number.c - elements of tensors as numbers -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/support/number.h"

#include <math.h>
#include <string.h>

bool toolIsFloat(StitchDataType dtype) { return dtype.code == STITCH_TYPE_FLOAT || dtype.code == STITCH_TYPE_BFLOAT; }

/// Digits of the significand, with the implicit one, and the exponent of the smallest normal number.
typedef struct {
  int digits;
  int minExponent;
} FloatFormat;

static FloatFormat formatOf(StitchDataType dtype) {
  if (dtype.code == STITCH_TYPE_BFLOAT)
    return (FloatFormat){8, -126};
  switch (dtype.bits) {
  case 16:
    return (FloatFormat){11, -14};
  case 32:
    return (FloatFormat){24, -126};
  default:
    return (FloatFormat){53, -1022};
  }
}

double toolUnitRoundoff(StitchDataType dtype) { return ldexp(1.0, -formatOf(dtype).digits); }

//===----------------------------------------------------------------------===//
// Floats of 16 bits
//===----------------------------------------------------------------------===//

/// A 16-bit float of `digits` digits whose exponent of 1.0 is `bias`.
static double widen16(uint16_t bits, int digits, int bias) {
  int fractionBits = digits - 1, exponentMask = (1 << (15 - fractionBits)) - 1;
  int exponent = bits >> fractionBits & exponentMask, fraction = bits & ((1 << fractionBits) - 1);
  double magnitude;
  if (exponent == exponentMask)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = ldexp(fraction, 1 - bias - fractionBits);
  else
    magnitude = ldexp(fraction | 1 << fractionBits, exponent - bias - fractionBits);
  return bits >> 15 ? -magnitude : magnitude;
}

static uint16_t narrow16(double value, int digits, int bias) {
  int fractionBits = digits - 1;
  uint16_t sign = signbit(value) ? 0x8000 : 0, infinity = (uint16_t)(((1 << (15 - fractionBits)) - 1) << fractionBits);
  double magnitude = fabs(value);
  if (isnan(value))
    return sign | infinity | 1u << (fractionBits - 1);
  if (isinf(value))
    return sign | infinity;
  int exponent = magnitude == 0.0 ? 1 - bias : ilogb(magnitude);
  if (exponent < 1 - bias)
    exponent = 1 - bias;
  // As a multiple of the last place: for normal numbers 2^fractionBits and more, and a carry moves on to the exponent.
  double places = rint(ldexp(magnitude, fractionBits - exponent));
  double code = places + ldexp(exponent - (1 - bias), fractionBits);
  return code >= infinity ? sign | infinity : (uint16_t)(sign | (uint16_t)code);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

#define INTEGER_CASES(X)                                                                                               \
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

double toolLoad(StitchDataType dtype, const void *data, int64_t index) {
#define LOAD(type_code, type_bits, type)                                                                               \
  if (dtype.code == type_code && dtype.bits == type_bits)                                                              \
    return (double)((const type *)data)[index];
  INTEGER_CASES(LOAD)
#undef LOAD
  uint16_t bits = ((const uint16_t *)data)[index];
  return dtype.code == STITCH_TYPE_BFLOAT ? widen16(bits, 8, 127) : widen16(bits, 11, 15);
}

void toolStore(StitchDataType dtype, void *data, int64_t index, double value) {
#define STORE(type_code, type_bits, type)                                                                              \
  if (dtype.code == type_code && dtype.bits == type_bits) {                                                            \
    ((type *)data)[index] = (type)value;                                                                               \
    return;                                                                                                            \
  }
  INTEGER_CASES(STORE)
#undef STORE
  ((uint16_t *)data)[index] = dtype.code == STITCH_TYPE_BFLOAT ? narrow16(value, 8, 127) : narrow16(value, 11, 15);
}

/// The bits of a float, in an order in which neighbours differ by one.
static int64_t orderedBits(StitchDataType dtype, const void *data, int64_t index) {
  size_t bytes = dtype.bits / 8;
  uint64_t bits = 0; // little-endian
  memcpy(&bits, (const char *)data + (size_t)index * bytes, bytes);
  uint64_t sign = (uint64_t)1 << (dtype.bits - 1);
  return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

uint64_t toolUlpDistance(StitchDataType dtype, const void *a, const void *b, int64_t index) {
  int64_t x = orderedBits(dtype, a, index), y = orderedBits(dtype, b, index);
  return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}
