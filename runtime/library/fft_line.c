//===- fft_line.c - Fourier transform of a line of numbers ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a number of points. Factorizes it and computes the roots of one once; executions are out of place, one radix
// pass a prime factor. Sources: Cooley and Tukey 1965, Bluestein 1970.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/fft_line.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// A step over a prime factor p costs p operations for each point. Beyond this Bluestein's algorithm, some 6 log2(n)
/// operations on lines of two to four times the length, is cheaper.
enum { MAX_FACTORS = 63, LARGEST_PRIME = 61 };

typedef struct {
  StitchFftLine *power;  ///< of `length` points
  int64_t length;        ///< a power of two, at least 2 points - 1
  StitchComplex *chirp;  ///< exp(-i pi k^2 / points)
  StitchComplex *filter; ///< the transform of the conjugate chirp, divided by `length`
  StitchComplex *work;
} Bluestein;

struct StitchFftLine {
  int64_t points;
  int64_t factors[MAX_FACTORS];
  int numFactors;
  StitchComplex *roots;   ///< exp(-2 pi i k / points)
  StitchComplex *scratch; ///< `points` numbers
  Bluestein *bluestein;   ///< NULL: the factors are small
};

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static StitchComplex addComplex(StitchComplex x, StitchComplex y) { return (StitchComplex){x.re + y.re, x.im + y.im}; }

static StitchComplex multiplyComplex(StitchComplex x, StitchComplex y) {
  return (StitchComplex){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static StitchComplex conjugate(StitchComplex x) { return (StitchComplex){x.re, -x.im}; }

/// exp(-2 pi i k / n) for 0 <= k < n: the angle to the nearest quarter of the circle is small, and the quarters are
/// exact.
static StitchComplex rootOfOne(int64_t k, int64_t n) {
  int64_t quarter = (4 * k + n / 2) / n;
  double angle = (double)(4 * k - quarter * n) * (M_PI_2 / (double)n), x = cos(angle), y = sin(angle);
  switch (quarter % 4) {
  case 0:
    return (StitchComplex){x, -y};
  case 1:
    return (StitchComplex){-y, -x};
  case 2:
    return (StitchComplex){-x, y};
  default:
    return (StitchComplex){y, x};
  }
}

//===----------------------------------------------------------------------===//
// Cooley and Tukey
//===----------------------------------------------------------------------===//

/// The p transforms of `length` points that stand one after the other in `x` become one of p * length points. `stride`
/// is the number of all points of the line divided by these.
static void combineTransforms(const StitchFftLine *line, StitchComplex *x, int64_t p, int64_t length, int64_t stride) {
  StitchComplex part[LARGEST_PRIME];
  for (int64_t k = 0; k < length; ++k) {
    for (int64_t r = 0; r < p; ++r)
      part[r] = multiplyComplex(x[r * length + k], line->roots[r * k * stride]);
    for (int64_t q = 0; q < p; ++q) {
      StitchComplex sum = part[0];
      for (int64_t r = 1; r < p; ++r)
        sum = addComplex(sum, multiplyComplex(part[r], line->roots[q * r % p * length * stride]));
      x[q * length + k] = sum;
    }
  }
}

/// Transforms every stride-th point of `from` into `to`: by residues of their numbers modulo the first factor, each of
/// which is a transform over the other factors.
static void transform(const StitchFftLine *line, const StitchComplex *from, StitchComplex *to, int64_t points,
                      int64_t stride, const int64_t *factor) {
  if (points == 1) {
    *to = *from;
    return;
  }
  int64_t p = *factor, length = points / p;
  for (int64_t r = 0; r < p; ++r)
    transform(line, from + r * stride, to + r * length, length, stride * p, factor + 1);
  combineTransforms(line, to, p, length, stride);
}

//===----------------------------------------------------------------------===//
// Bluestein
//===----------------------------------------------------------------------===//

// As k n = (k^2 + n^2 - (n - k)^2) / 2, a transform is a convolution with a chirp between multiplications by it.

static void executeBluestein(const StitchFftLine *line, StitchComplex *x) {
  const Bluestein *b = line->bluestein;
  memset(b->work, 0, (size_t)b->length * sizeof(*b->work));
  for (int64_t k = 0; k < line->points; ++k)
    b->work[k] = multiplyComplex(x[k], b->chirp[k]);
  stitchFftLineExecute(b->power, b->work);
  for (int64_t k = 0; k < b->length; ++k) // and back, by conjugates
    b->work[k] = conjugate(multiplyComplex(b->work[k], b->filter[k]));
  stitchFftLineExecute(b->power, b->work);
  for (int64_t k = 0; k < line->points; ++k)
    x[k] = multiplyComplex(conjugate(b->work[k]), b->chirp[k]);
}

static void fillBluestein(Bluestein *b, int64_t points) {
  double scale = 1.0 / (double)b->length;
  for (int64_t k = 0; k < points; ++k) {
    int64_t square = (int64_t)((__int128)k * k % (2 * points));
    b->chirp[k] = rootOfOne(square, 2 * points);
    StitchComplex tap = {b->chirp[k].re * scale, -b->chirp[k].im * scale};
    b->filter[k] = tap;
    if (k > 0)
      b->filter[b->length - k] = tap;
  }
  stitchFftLineExecute(b->power, b->filter);
}

static StitchStatus createBluestein(int64_t points, Bluestein **result) {
  Bluestein *b = *result = calloc(1, sizeof(*b)); // released with the line
  if (!b)
    return stitchStatusOutOfMemory();
  b->length = 1;
  while (b->length < 2 * points - 1)
    b->length *= 2;
  b->chirp = calloc((size_t)points, sizeof(*b->chirp));
  b->filter = calloc((size_t)b->length, sizeof(*b->filter));
  b->work = calloc((size_t)b->length, sizeof(*b->work));
  if (!b->chirp || !b->filter || !b->work)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchFftLineCreate(b->length, &b->power);
  if (!status)
    fillBluestein(b, points);
  return status;
}

static void destroyBluestein(Bluestein *b) {
  if (!b)
    return;
  stitchFftLineDestroy(b->power);
  free(b->chirp);
  free(b->filter);
  free(b->work);
  free(b);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// Four is taken before two: fewer steps. Whether all factors are small.
static bool factorize(StitchFftLine *line) {
  int64_t rest = line->points;
  for (int64_t factor = 4; rest > 1; factor = factor == 4 ? 2 : factor == 2 ? 3 : factor + 2) {
    if (factor > LARGEST_PRIME)
      return false;
    for (; rest % factor == 0; rest /= factor)
      line->factors[line->numFactors++] = factor;
  }
  return true;
}

StitchStatus stitchFftLineCreate(int64_t points, StitchFftLine **result) {
  enum { LIMIT = 1 << 30 }; // 4 k n and the memory are far from overflow
  if (points < 1 || points > LIMIT)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "fft: no transforms of %lld points", (long long)points);
  StitchFftLine *line = calloc(1, sizeof(*line));
  if (!line)
    return stitchStatusOutOfMemory();
  line->points = points;
  StitchStatus status = NULL;
  if (factorize(line)) {
    line->roots = calloc((size_t)points, sizeof(*line->roots));
    line->scratch = calloc((size_t)points, sizeof(*line->scratch));
    if (!line->roots || !line->scratch)
      status = stitchStatusOutOfMemory();
    for (int64_t k = 0; k < points && !status; ++k)
      line->roots[k] = rootOfOne(k, points);
  } else {
    status = createBluestein(points, &line->bluestein);
  }
  if (status)
    stitchFftLineDestroy(line);
  else
    *result = line;
  return status;
}

void stitchFftLineExecute(StitchFftLine *line, StitchComplex *x) {
  if (line->bluestein) {
    executeBluestein(line, x);
    return;
  }
  transform(line, x, line->scratch, line->points, 1, line->factors);
  memcpy(x, line->scratch, (size_t)line->points * sizeof(*x));
}

void stitchFftLineDestroy(StitchFftLine *line) {
  if (!line)
    return;
  destroyBluestein(line->bluestein);
  free(line->roots);
  free(line->scratch);
  free(line);
}
