//===- combine_element.h - an element of several processes combined --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Also compiled for GPUs: no C library.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_COMBINE_ELEMENT_H
#define STITCH_RUNTIME_LIBRARY_COMBINE_ELEMENT_H

#include "runtime/cuda/kernels/own_elements.h"
#include "runtime/library/cpu_problem.h"

/// `b` is the later one: a NaN stays one, and -0 is less than 0.
static inline double combineOrdered(int64_t combiner, double a, double b) {
  if (a != a || b != b)
    return __builtin_nan("");
  int takesFirst = a == b ? (__builtin_signbit(a) != 0) == (combiner == STITCH_LIBRARY_MIN)
                          : (a < b) == (combiner == STITCH_LIBRARY_MIN);
  return takesFirst ? a : b;
}

/// f32 adds and multiplies narrower types in f32, so that all processes round alike.
static inline double combineReal(StitchElementType type, int64_t combiner, double a, double b) {
  int isWide = type == STITCH_ELEMENT_F64;
  if (combiner == STITCH_LIBRARY_ADD)
    return isWide ? a + b : (double)((float)a + (float)b);
  if (combiner == STITCH_LIBRARY_MUL)
    return isWide ? a * b : (double)((float)a * (float)b);
  return combineOrdered(combiner, a, b);
}

static inline int isSigned(StitchElementType type) {
  return type == STITCH_ELEMENT_I8 || type == STITCH_ELEMENT_I16 || type == STITCH_ELEMENT_I32 ||
         type == STITCH_ELEMENT_I64;
}

static inline uint64_t combineInteger(StitchElementType type, int64_t combiner, uint64_t a, uint64_t b) {
  int isLess = isSigned(type) ? (int64_t)a < (int64_t)b : a < b;
  switch (combiner) {
  case STITCH_LIBRARY_ADD:
    return type == STITCH_ELEMENT_I1 ? a | b : a + b;
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

static inline Complex combineComplex(int64_t combiner, Complex a, Complex b) {
  if (combiner == STITCH_LIBRARY_ADD)
    return (Complex){a.re + b.re, a.im + b.im};
  return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// Element `i` of `parts` tensors of `count` elements, which follow each other, combined in their order and stored.
static inline void stitchCombineElement(StitchElementType type, int64_t combiner, const void *tensors, int64_t parts,
                                        int64_t count, int64_t i, void *result) {
  Arithmetic arithmetic = arithmeticOf(type);
  double real = 0.0;
  uint64_t integer = 0;
  Complex number = {0.0, 0.0};
  for (int64_t p = 0; p < parts; ++p) {
    int64_t at = p * count + i;
    if (arithmetic == FLOATS) {
      double value = stitchLoadFloat(type, tensors, at);
      real = p == 0 ? value : combineReal(type, combiner, real, value);
    } else if (arithmetic == COMPLEXES) {
      Complex value = loadComplex(type, tensors, at);
      number = p == 0 ? value : combineComplex(combiner, number, value);
    } else {
      uint64_t value = loadInteger(type, tensors, at);
      integer = p == 0 ? value : combineInteger(type, combiner, integer, value);
    }
  }
  if (arithmetic == FLOATS)
    stitchStoreFloat(type, result, i, real);
  else if (arithmetic == COMPLEXES)
    storeComplex(type, result, i, number);
  else
    storeInteger(type, result, i, integer);
}

#endif // STITCH_RUNTIME_LIBRARY_COMBINE_ELEMENT_H
