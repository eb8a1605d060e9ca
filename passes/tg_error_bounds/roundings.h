//===- roundings.h - tg-error-bounds: variances of roundings --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_ERROR_BOUNDS_ROUNDINGS_H
#define STITCH_PASSES_TG_ERROR_BOUNDS_ROUNDINGS_H

#include "ir/mlir/query.h"

#include <math.h>

/// The effect of roundings: the sum of the squares of their unit roundoffs, the sum of these, and the largest.
typedef struct {
  double variance;
  double sum;
  double largest;
} Roundings;

static inline Roundings noRoundings(void) { return (Roundings){0}; }

/// An error of `count` unit roundoffs.
static inline Roundings rounding(double u, double count) { return (Roundings){count * u * count * u, count * u, u}; }

/// One after the other.
static inline Roundings both(Roundings a, Roundings b) {
  return (Roundings){a.variance + b.variance, a.sum + b.sum, fmax(a.largest, b.largest)};
}

/// The same `count` times.
static inline Roundings repeated(Roundings r, double count) {
  return (Roundings){count * r.variance, count * r.sum, r.largest};
}

static inline Roundings worseRoundings(Roundings a, Roundings b) {
  return (Roundings){fmax(a.variance, b.variance), fmax(a.sum, b.sum), fmax(a.largest, b.largest)};
}

//===----------------------------------------------------------------------===//
// One operation (operation.c)
//===----------------------------------------------------------------------===//

/// The roundings of one operation on the way to its results; `approximate`: with precision=fast (docs/precision.md).
Roundings addedRoundings(MlirOperation op, bool approximate);

/// How many elements one element of an operation's result is accumulated from; 0 if it accumulates nothing.
int64_t accumulatedElements(MlirOperation op);

/// Whether a small change of a float operand can make a large change of a result.
bool jumps(MlirOperation op);

#endif // STITCH_PASSES_TG_ERROR_BOUNDS_ROUNDINGS_H
