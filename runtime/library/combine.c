//===- combine.c - elements of several processes combined ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/library/combine.h"

#include "runtime/float_elements.h"
#include "runtime/library/problem.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef enum { NONE, REAL, SIGNED, UNSIGNED, TRUTH, COMPLEX } Class;

static Class classOf(StitchElementType type) {
  switch (type) {
  case STITCH_ELEMENT_F64:
  case STITCH_ELEMENT_F32:
  case STITCH_ELEMENT_F16:
  case STITCH_ELEMENT_BF16:
    return REAL;
  case STITCH_ELEMENT_I8:
  case STITCH_ELEMENT_I16:
  case STITCH_ELEMENT_I32:
  case STITCH_ELEMENT_I64:
    return SIGNED;
  case STITCH_ELEMENT_UI8:
  case STITCH_ELEMENT_UI16:
  case STITCH_ELEMENT_UI32:
  case STITCH_ELEMENT_UI64:
    return UNSIGNED;
  case STITCH_ELEMENT_I1:
    return TRUTH;
  case STITCH_ELEMENT_COMPLEX64:
  case STITCH_ELEMENT_COMPLEX128:
    return COMPLEX;
  default:
    return NONE;
  }
}

bool stitchCombineHas(StitchElementType type, int64_t combiner) {
  Class class = classOf(type);
  if (combiner < STITCH_LIBRARY_ADD || combiner > STITCH_LIBRARY_XOR || class == NONE)
    return false;
  bool isOrder = combiner == STITCH_LIBRARY_MIN || combiner == STITCH_LIBRARY_MAX;
  bool isBitwise = combiner >= STITCH_LIBRARY_AND;
  return !(class == COMPLEX && (isOrder || isBitwise)) && !(class == REAL && isBitwise);
}

/// f32 adds and multiplies narrower types in f32, so that all processes round alike.
static double combineReal(StitchElementType type, int64_t combiner, double a, double b) {
  bool isWide = type == STITCH_ELEMENT_F64;
  switch (combiner) {
  case STITCH_LIBRARY_ADD:
    return isWide ? a + b : (double)((float)a + (float)b);
  case STITCH_LIBRARY_MUL:
    return isWide ? a * b : (double)((float)a * (float)b);
  case STITCH_LIBRARY_MIN: // a NaN stays one, and -0 is less than 0
    return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
  default:
    return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
  }
}

static uint64_t combineInteger(Class class, int64_t combiner, uint64_t a, uint64_t b) {
  bool isLess = class == SIGNED ? (int64_t)a < (int64_t)b : a < b;
  switch (combiner) {
  case STITCH_LIBRARY_ADD:
    return class == TRUTH ? a | b : a + b;
  case STITCH_LIBRARY_MUL:
    return a * b;
  case STITCH_LIBRARY_MIN:
    return isLess ? a : b;
  case STITCH_LIBRARY_MAX:
    return isLess ? b : a;
  case STITCH_LIBRARY_AND:
    return a & b;
  case STITCH_LIBRARY_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

static uint64_t loadInteger(Class class, size_t bytes, const char *data) {
  uint64_t value = 0;
  memcpy(&value, data, bytes);
  unsigned shift = (unsigned)(64 - 8 * bytes);
  return class == SIGNED ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

static double complex combineComplex(int64_t combiner, double complex a, double complex b) {
  if (combiner == STITCH_LIBRARY_ADD)
    return a + b;
  double re = creal(a) * creal(b) - cimag(a) * cimag(b), im = creal(a) * cimag(b) + cimag(a) * creal(b);
  return __builtin_complex(re, im);
}

static void combineOne(StitchElementType type, int64_t combiner, const char *tensors, int64_t parts, int64_t count,
                       int64_t i, char *result) {
  Class class = classOf(type);
  size_t bytes = stitchElementBytes(type);
  StitchElementType part = type == STITCH_ELEMENT_COMPLEX64 ? STITCH_ELEMENT_F32 : STITCH_ELEMENT_F64;
  double real = 0.0;
  uint64_t integer = 0;
  double complex number = 0.0;
  for (int64_t p = 0; p < parts; ++p) {
    int64_t at = p * count + i;
    if (class == REAL) {
      double value = stitchLoadFloat(type, tensors, at);
      real = p == 0 ? value : combineReal(type, combiner, real, value);
    } else if (class == COMPLEX) {
      double complex value =
          __builtin_complex(stitchLoadFloat(part, tensors, 2 * at), stitchLoadFloat(part, tensors, 2 * at + 1));
      number = p == 0 ? value : combineComplex(combiner, number, value);
    } else {
      uint64_t value = loadInteger(class, bytes, tensors + (size_t)at * bytes);
      integer = p == 0 ? value : combineInteger(class, combiner, integer, value);
    }
  }
  if (class == REAL)
    stitchStoreFloat(type, result, i, real);
  else if (class == COMPLEX)
    stitchStoreFloat(part, result, 2 * i, creal(number)), stitchStoreFloat(part, result, 2 * i + 1, cimag(number));
  else
    memcpy(result + (size_t)i * bytes, &integer, bytes);
}

void stitchCombine(StitchElementType type, int64_t combiner, const void *tensors, int64_t parts, int64_t count,
                   void *result) {
  for (int64_t i = 0; i < count; ++i)
    combineOne(type, combiner, tensors, parts, count, i, result);
}
