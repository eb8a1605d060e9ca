//===- gelu.h - gelu and its derivative, without a C library -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Also compiled for GPUs: no C library. With u = sqrt(2 / pi) * (x + 0.044715 * x^3), gelu(x) = x * (1 + tanh(u)) / 2
// is x / (1 + exp(-2 u)), where nothing cancels out. All in f64, to a few units in the last place.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_GELU_H
#define STITCH_RUNTIME_LIBRARY_GELU_H

#include <stdint.h>

/// exp(x): 2^n times the exponential of the remainder, at most log(2) / 2, by Taylor's series, whose next term is below
/// 2^-56. Subnormal results are 0.
static inline double stitchExp(double x) {
  const double upper = 0x1.62e42feep-1, lower = 0x1.a39ef35793c76p-33; // log(2); n * upper is exact
  if (!(x > -708.0))
    return x != x ? x : 0.0;
  if (x > 709.0)
    return __builtin_inf();
  int64_t n = (int64_t)(x * 0x1.71547652b82fep+0 + (x < 0.0 ? -0.5 : 0.5));
  double rest = x - (double)n * upper - (double)n * lower, sum = 1.0;
  for (int k = 14; k > 0; --k)
    sum = 1.0 + rest * sum / (double)k;
  union {
    uint64_t bits;
    double value;
  } power = {.bits = (uint64_t)(n + 1023) << 52};
  return n == 1024 ? 2.0 * sum * 0x1p1023 : sum * power.value;
}

/// (1 + tanh(u)) / 2
static inline double stitchGeluWeight(double x) {
  return 1.0 / (1.0 + stitchExp(-2.0 * 0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

static inline double stitchGelu(double x) { return x * stitchGeluWeight(x); }

static inline double stitchGeluDerivative(double x) {
  double weight = stitchGeluWeight(x);
  double slope = 2.0 * weight * (1.0 - weight) * 0.79788456080286536 * (1.0 + 3.0 * 0.044715 * x * x);
  return weight + x * slope;
}

#endif // STITCH_RUNTIME_LIBRARY_GELU_H
