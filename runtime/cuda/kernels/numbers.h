//===- numbers.h - f32, f64 and complex numbers of them, computed in f64 -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_KERNELS_NUMBERS_H
#define STITCH_RUNTIME_CUDA_KERNELS_NUMBERS_H

#include "runtime/cuda/kernels.h"

typedef struct {
  double re, im;
} Number;

static double loadPart(int64_t isDouble, const void *data, int64_t i) {
  return isDouble ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void storePart(int64_t isDouble, void *data, int64_t i, double value) {
  if (isDouble)
    ((double *)data)[i] = value;
  else
    ((float *)data)[i] = (float)value;
}

static Number loadNumber(StitchKernelNumber type, const void *data, int64_t i) {
  if (!type.isComplex)
    return (Number){loadPart(type.isDouble, data, i), 0.0};
  return (Number){loadPart(type.isDouble, data, 2 * i), loadPart(type.isDouble, data, 2 * i + 1)};
}

static void storeNumber(StitchKernelNumber type, void *data, int64_t i, Number value) {
  storePart(type.isDouble, data, type.isComplex ? 2 * i : i, value.re);
  if (type.isComplex)
    storePart(type.isDouble, data, 2 * i + 1, value.im);
}

static Number conjugateIf(int64_t condition, Number x) { return (Number){x.re, condition ? -x.im : x.im}; }

static Number product(Number x, Number y) { return (Number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }

static Number difference(Number x, Number y) { return (Number){x.re - y.re, x.im - y.im}; }

/// By the larger part of the divisor, so that nothing overflows on the way (Smith, 1962).
static Number quotient(Number x, Number y) {
  if (__builtin_fabs(y.re) >= __builtin_fabs(y.im)) {
    double ratio = y.im == 0.0 ? 0.0 : y.im / y.re, divisor = y.re + y.im * ratio;
    return (Number){(x.re + x.im * ratio) / divisor, (x.im - x.re * ratio) / divisor};
  }
  double ratio = y.re / y.im, divisor = y.re * ratio + y.im;
  return (Number){(x.re * ratio + x.im) / divisor, (x.im * ratio - x.re) / divisor};
}

#endif // STITCH_RUNTIME_CUDA_KERNELS_NUMBERS_H
