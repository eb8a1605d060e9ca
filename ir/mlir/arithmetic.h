//===- arithmetic.h - integers of planning -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_ARITHMETIC_H
#define STITCH_IR_MLIR_ARITHMETIC_H

#include <stdint.h>

/// a / b, rounded up; a >= 0, b > 0.
static inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The least multiple of `alignment` that is at least n.
static inline int64_t alignTo(int64_t n, int64_t alignment) { return ceilDiv(n, alignment) * alignment; }

static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/// The greatest common divisor, whatever the signs; 0 of two zeros.
static inline int64_t gcd64(int64_t a, int64_t b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Orders int64_t, for qsort.
static inline int compare64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/// The least power of two that is at least n, and at least 1.
static inline int64_t powerOfTwoFrom(int64_t n) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

#endif // STITCH_IR_MLIR_ARITHMETIC_H
