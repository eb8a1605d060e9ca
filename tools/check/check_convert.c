//===- check_convert.c - conversions, less precision, bits ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates `convert`, `reduce_precision` and `bitcast_convert`. Integers of 64 bits stay integers, as a double does
// not hold all of them.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Conversion of values
//===----------------------------------------------------------------------===//

static double unsignedToDouble(StitchElementType type, int64_t value) {
  return checkIsUnsigned(type) ? (double)(uint64_t)value : (double)value;
}

/// An integer as a float. One of 64 bits may have more digits than a double, and is rounded to a narrower type
/// directly.
static double integerToFloat(StitchElementType from, StitchElementType to, int64_t value) {
  if (to == STITCH_ELEMENT_F32)
    return checkIsUnsigned(from) ? (double)(float)(uint64_t)value : (double)(float)value;
  return checkRoundOnce(to, unsignedToDouble(from, value));
}

/// Towards zero; out of range to the nearest integer of the type; NaN to 0, and to true.
static int64_t floatToInteger(StitchElementType to, double value) {
  if (checkBits(to) == 1)
    return value != 0.0;
  if (isnan(value))
    return 0;
  double whole = trunc(value), span = ldexp(1.0, checkBits(to) - !checkIsUnsigned(to));
  double least = checkIsUnsigned(to) ? 0.0 : -span;
  if (whole < least)
    return checkIsUnsigned(to) ? 0 : checkWrap(to, (int64_t)(UINT64_C(1) << (checkBits(to) - 1)));
  if (whole >= span)
    return checkIsUnsigned(to) ? checkWrap(to, -1) : (int64_t)((UINT64_C(1) << (checkBits(to) - 1)) - 1);
  return checkIsUnsigned(to) ? (int64_t)(uint64_t)whole : (int64_t)whole;
}

static void toInteger(const CheckTensor *a, CheckTensor *result, int64_t i) {
  StitchElementType to = result->type;
  if (checkClassOf(a->type) == CHECK_INTEGER) {
    result->integer[i] = checkBits(to) == 1 ? a->integer[i] != 0 : checkWrap(to, a->integer[i]);
    if (result->error)
      result->error[i] = checkErrorAt(a, i);
    return;
  }
  bool isComplex = checkClassOf(a->type) == CHECK_COMPLEX;
  double x = isComplex ? creal(a->number[i]) : a->real[i], error = checkErrorAt(a, i);
  result->integer[i] = floatToInteger(to, x);
  if (!result->error || error == 0.0)
    return;
  int64_t low = floatToInteger(to, x - error), high = floatToInteger(to, x + error);
  bool isKnown = !isnan(error) && !isinf(error) && !isnan(x);
  result->error[i] = isKnown ? (double)high - (double)low : INFINITY;
}

static void toFloat(const CheckTensor *a, CheckTensor *result, StitchElementType rounding, int64_t i) {
  if (checkClassOf(a->type) == CHECK_INTEGER) {
    result->real[i] = integerToFloat(a->type, rounding, a->integer[i]);
    if (result->error)
      result->error[i] = checkErrorAt(a, i);
    return;
  }
  bool isComplex = checkClassOf(a->type) == CHECK_COMPLEX;
  double x = isComplex ? creal(a->number[i]) : a->real[i];
  // A float of 64 bits is rounded once.
  bool once = checkPartType(a->type) == STITCH_ELEMENT_F64;
  checkSettle(result, rounding, i, x, checkErrorAt(a, i));
  result->real[i] = once ? checkRoundOnce(rounding, x) : result->real[i];
  if (!isComplex && a->low)
    checkRaise(result, i, once ? checkRoundOnce(rounding, a->low[i]) : checkRound(rounding, a->low[i]));
}

const char *checkConvert(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  StitchElementType rounding = checkRounding(call, result->type);
  if (a->error && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i)
    switch (checkClassOf(result->type)) {
    case CHECK_INTEGER:
      toInteger(a, result, i);
      break;
    case CHECK_REAL:
      toFloat(a, result, rounding, i);
      break;
    case CHECK_COMPLEX: {
      StitchElementType part = checkPartType(result->type);
      bool isInteger = checkClassOf(a->type) == CHECK_INTEGER, isComplex = checkClassOf(a->type) == CHECK_COMPLEX;
      double complex value = isComplex   ? a->number[i]
                             : isInteger ? integerToFloat(a->type, part, a->integer[i])
                                         : a->real[i];
      checkSettleComplex(result, i, value, checkErrorAt(a, i));
    }
    }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Less precision
//===----------------------------------------------------------------------===//

/// Rounded to a float of so many bits. Numbers beyond its exponents are infinite, or zero for lack of subnormal
/// numbers. Without mantissa bits there is no NaN, and of two numbers that are equally near the one is taken whose
/// exponent is even with its bias, an odd number.
static double reduced(double x, int64_t exponentBits, int64_t mantissaBits) {
  if (isnan(x) && mantissaBits == 0)
    return INFINITY;
  if (isnan(x) || isinf(x) || x == 0.0)
    return x;
  int exponent;
  double fraction = frexp(x, &exponent); // in [0.5, 1)
  double kept = rint(ldexp(fraction, (int)mantissaBits + 1));
  if (mantissaBits == 0 && fabs(fraction) == 0.75 && exponent % 2 == 0)
    kept = copysign(1.0, x);
  double rounded = ldexp(kept, exponent - (int)mantissaBits - 1);
  double bias = ldexp(1.0, (int)exponentBits - 1) - 1.0;
  int power = ilogb(rounded);
  if (power > bias)
    return copysign(INFINITY, x);
  return power < 1.0 - bias ? copysign(0.0, x) : rounded;
}

const char *checkReducePrecision(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  int64_t exponentBits = checkInteger(call->op, "exponent_bits", 0),
          mantissaBits = checkInteger(call->op, "mantissa_bits", 0);
  static const struct {
    StitchElementType type;
    int64_t exponentBits, mantissaBits;
  } formats[] = {{STITCH_ELEMENT_F64, 11, 52},
                 {STITCH_ELEMENT_F32, 8, 23},
                 {STITCH_ELEMENT_F16, 5, 10},
                 {STITCH_ELEMENT_BF16, 8, 7}};
  int64_t ownExponent = 8, ownMantissa = 23;
  if (stitchElementBytes(result->type) == 1) // computed in f32, whose exponents reach beyond the type's own
    ownExponent = checkBits(result->type) - 1 + (int64_t)log2(checkUnitRoundoff(result->type) * 2.0);
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); ++i)
    if (formats[i].type == result->type) {
      ownExponent = formats[i].exponentBits;
      ownMantissa = formats[i].mantissaBits;
    }
  bool keepsExponent = exponentBits >= ownExponent, keepsMantissa = mantissaBits >= ownMantissa;
  if (a->error && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i) {
    double x = a->real[i], error = checkErrorAt(a, i);
    if (keepsExponent && keepsMantissa) {
      checkSettle(result, result->type, i, x, error);
      continue;
    }
    // As many exponent bits as the type has change nothing, its subnormal numbers included.
    int64_t mantissa = keepsMantissa ? 52 : mantissaBits, exponent = keepsExponent ? 11 : exponentBits;
    double value = reduced(x, exponent, mantissa);
    bool isSubnormal =
        keepsExponent && result->type != STITCH_ELEMENT_F64 && x != 0.0 && ilogb(x) < 2 - (1 << (ownExponent - 1));
    checkSettle(result, result->type, i, value, 0.0);
    if (isSubnormal) { // in the last places that the type has there
      if (!checkTensorAddErrors(result))
        return checkOutOfMemory;
      result->error[i] = INFINITY;
      continue;
    }
    if (result->error && error != 0.0) {
      double low = reduced(x - error, exponent, mantissa), high = reduced(x + error, exponent, mantissa);
      double farthest = low == high ? 0.0 : fmax(high - value, value - low);
      result->error[i] = isnan(farthest) ? INFINITY : farthest;
    }
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static bool hasNan(const CheckTensor *a, int64_t i) {
  CheckClass class = checkClassOf(a->type);
  return class == CHECK_REAL      ? isnan(a->real[i])
         : class == CHECK_COMPLEX ? isnan(creal(a->number[i])) || isnan(cimag(a->number[i]))
                                  : false;
}

/// The bits of an uncertain element may be any, and those of a NaN are not kept here.
static double errorOfBits(const CheckTensor *a, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i)
    if (checkErrorAt(a, i) != 0.0 || hasNan(a, i))
      return INFINITY;
  return 0.0;
}

/// Elements as they lie in memory, those below a byte in one each, as a row of bits.
typedef struct {
  uint8_t *memory;
  int64_t bits, bytes; ///< of an element
} BitRow;

static BitRow bitRow(const CheckTensor *a) {
  int64_t bytes = (int64_t)stitchElementBytes(a->type);
  return (BitRow){calloc((size_t)(a->count * bytes) + 16, 1), checkBits(a->type), bytes};
}

static uint8_t *byteOf(const BitRow *row, int64_t bit) {
  return &row->memory[bit / row->bits * row->bytes + bit % row->bits / 8];
}

static void copyBits(const BitRow *from, const BitRow *to, int64_t count) {
  for (int64_t bit = 0; bit < count; ++bit) {
    int value = *byteOf(from, bit) >> (bit % from->bits % 8) & 1;
    *byteOf(to, bit) |= (uint8_t)(value << (bit % to->bits % 8));
  }
}

const char *checkBitcast(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0], *loaded = NULL;
  BitRow from = bitRow(a), to = bitRow(result);
  bool enough = from.memory && to.memory && checkTensorAddErrors(result);
  if (enough) {
    checkTensorStore(a, from.memory);
    copyBits(&from, &to, a->count * from.bits);
    loaded = checkTensorLoad(result->type, &result->shape, to.memory);
  }
  for (int64_t i = 0; loaded && i < result->count; ++i) {
    int64_t first = i * to.bits / from.bits, count = to.bits > from.bits ? to.bits / from.bits : 1;
    checkCopyElement(result, i, loaded, i);
    result->error[i] = errorOfBits(a, first, count);
  }
  bool failed = !loaded;
  checkTensorFree(loaded);
  free(from.memory);
  free(to.memory);
  return failed ? checkOutOfMemory : NULL;
}
