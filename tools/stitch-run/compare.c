//===- compare.c - outputs against the reference -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-run/compare.h"

#include "tools/support/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The chance that a right output of any size is called wrong, if roundings are random (docs/error_bounds.md).
static const double falseAlarm = 1e-9;

/// An element of a discontinuous output is unstable if it changes by more than this many times the median change, and
/// by more than this many times what its own size lets expect.
enum { JUMP = 64 };

/// A rounding to nearest has standard deviation u / sqrt(3); an elementary function may be off by 8 u.
#define FUNCTION_FACTOR (8.0 * sqrt(3.0))

/// Formats whose unit roundoff is not below this have 8 bits: bf16 has 2^-8.
static const double coarse = 0x1p-5;

typedef struct {
  const StitchOutputInfo *info;
  const void *output;
  const References *references;
  int64_t elements;
  double jump; ///< changes of the perturbed reference that are not larger are no jumps
  bool tips;   ///< roundings to 8 bits may fall out differently and change an element by as much as it is
} Operands;

static double complex elementOf(const Operands *o, const void *data, int64_t i) {
  return toolLoadComplex(o->info->dtype, data, i);
}

static double complex referenceAt(const Operands *o, int64_t i) { return elementOf(o, o->references->nearest, i); }

/// How much one of the perturbations changes an element.
static double changeAt(const Operands *o, int run, int64_t i) {
  return cabs(elementOf(o, o->references->perturbed[run], i) - referenceAt(o, i));
}

static bool isFinite(double complex value) { return isfinite(creal(value)) && isfinite(cimag(value)); }

/// An element that one of the perturbations makes jump.
static bool isUnstable(const Operands *o, int64_t i) {
  if (!o->info->discontinuous)
    return false;
  double expected = JUMP * o->references->delta * cabs(referenceAt(o, i));
  for (int run = 0; run < o->references->numPerturbed; ++run) {
    double change = changeAt(o, run, i);
    if (isnan(change) || (change > o->jump && change > expected))
      return true;
  }
  return false;
}

static int compareDoubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// A discontinuous output jumps where a comparison of floats falls out differently. Such changes stand out from the
/// others; the first perturbation tells how large those are.
static StitchStatus findJump(Operands *o) {
  o->jump = INFINITY;
  if (o->references->numPerturbed == 0 || !o->info->discontinuous || o->elements == 0)
    return NULL;
  double *changes = malloc(sizeof(*changes) * (size_t)o->elements);
  if (!changes)
    return stitchStatusOutOfMemory();
  int64_t count = 0;
  for (int64_t i = 0; i < o->elements; ++i)
    if (isfinite(changeAt(o, 0, i)))
      changes[count++] = changeAt(o, 0, i);
  qsort(changes, (size_t)count, sizeof(*changes), compareDoubles);
  o->jump = count ? JUMP * changes[count / 2] : 0.0;
  free(changes);
  return NULL;
}

/// What the stable elements of the references tell: the largest magnitude, the largest change under perturbation, and
/// the root mean square of what other roundings change, the largest of all runs with such.
typedef struct {
  double magnitude;
  double change;
  double noise;
} Measures;

/// The root mean square, over the stable elements, of what a run with other roundings changes.
static double noiseOf(const Operands *o, const void *rounded) {
  double sum = 0.0;
  int64_t count = 0;
  for (int64_t i = 0; i < o->elements; ++i) {
    double difference = cabs(elementOf(o, rounded, i) - referenceAt(o, i));
    if (!isfinite(difference) || isUnstable(o, i))
      continue;
    sum += difference * difference;
    ++count;
  }
  return count ? sqrt(sum / (double)count) : 0.0;
}

static Measures measure(const Operands *o) {
  const References *references = o->references;
  Measures m = {0};
  for (int64_t i = 0; i < o->elements; ++i) {
    if (!isFinite(referenceAt(o, i)) || isUnstable(o, i))
      continue;
    m.magnitude = fmax(m.magnitude, cabs(referenceAt(o, i)));
    for (int run = 0; run < references->numPerturbed; ++run)
      m.change = isfinite(changeAt(o, run, i)) ? fmax(m.change, changeAt(o, run, i)) : m.change;
  }
  for (int run = 0; run < references->numRounded; ++run)
    m.noise = fmax(m.noise, noiseOf(o, references->rounded[run]));
  return m;
}

/// Standard deviations that no element of an output of this size leaves: 2 N exp(-x^2 / 2) = falseAlarm.
static double deviations(int64_t elements) { return sqrt(2.0 * log(2.0 * (double)(elements + 1) / falseAlarm)); }

/// The counted bound, relative to the output's magnitude; 0 if it says nothing. Where a format of 8 bits is on the way
/// both sides round at the same places, so that each rounding differs by one unit in the last place at most; along many
/// of them only the last one is counted, and what an earlier one tips is a jump.
static double countedBound(Operands *o, double condition) {
  double relative = condition * deviations(o->elements) * sqrt(2.0 * o->info->errorVariance);
  if (o->info->largestRoundoff < coarse)
    return relative < 1.0 ? relative : 0.0;
  relative = fmin(relative, condition * 2.0 * o->info->errorSum);
  o->tips = relative >= 1.0;
  return o->tips ? fmin(1.0, 2.0 * o->info->largestRoundoff) : relative;
}

/// The larger of two bounds: condition x counted roundings, and measured noise (docs/error_bounds.md).
static void setBound(Operands *o, Comparison *c) {
  c->condition = 1.0;
  if (!toolIsFloat(o->info->dtype))
    return;
  Measures m = measure(o);
  // Uniform in [-delta, delta): standard deviation delta / sqrt(3).
  if (o->references->numPerturbed > 0 && m.magnitude > 0.0)
    c->condition = fmax(1.0, m.change * sqrt(3.0) / (o->references->delta * m.magnitude));
  double measured = o->info->errorVariance > 0.0 ? deviations(o->elements) * FUNCTION_FACTOR * m.noise : 0.0;
  c->magnitude = m.magnitude;
  c->bound = fmax(countedBound(o, c->condition) * m.magnitude, measured);
}

static bool sameBits(const Operands *o, int64_t i) {
  size_t bytes = stitchDataTypeBytes(o->info->dtype), offset = (size_t)i * bytes;
  return memcmp((const char *)o->output + offset, (const char *)o->references->nearest + offset, bytes) == 0;
}

/// Of two parts that are not both finite: the same infinity, or both NaN.
static bool isSamePart(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }

static bool isWithin(const Operands *o, int64_t i, double bound) {
  if (!toolIsFloat(o->info->dtype)) // a double does not hold every 64-bit integer
    return sameBits(o, i);
  double complex output = elementOf(o, o->output, i), reference = referenceAt(o, i);
  if (isFinite(output) && isFinite(reference))
    return cabs(output - reference) <= bound;
  return isSamePart(creal(output), creal(reference)) && isSamePart(cimag(output), cimag(reference));
}

/// An unstable element beyond the bound tells nothing; within, it is as right as any other.
static void compareElement(const Operands *o, int64_t i, Comparison *c) {
  StitchDataType dtype = o->info->dtype;
  double complex output = elementOf(o, o->output, i), reference = referenceAt(o, i);
  bool finite = isFinite(output) && isFinite(reference);
  double error = cabs(output - reference);
  if (!isWithin(o, i, c->bound)) {
    if (isUnstable(o, i) || (o->tips && error <= 2.0 * c->magnitude)) {
      ++c->unstable;
      return;
    }
    if (c->mismatches++ == 0)
      c->firstMismatch = i;
  }
  c->notFinite += !isFinite(output) && !isFinite(reference);
  if (!finite || error == 0.0)
    return;
  c->maxAbsolute = fmax(c->maxAbsolute, error);
  c->maxRelative = fmax(c->maxRelative, error / cabs(reference));
  if (toolIsFloat(dtype)) {
    uint64_t ulp = toolUlpDistance(dtype, o->output, o->references->nearest, i);
    c->maxUlp = ulp > c->maxUlp ? ulp : c->maxUlp;
  }
}

StitchStatus compareOutput(const StitchOutputInfo *info, const void *output, const References *references,
                           Comparison *comparison) {
  Operands o = {
      .info = info,
      .output = output,
      .references = references,
      .elements = stitchTensorElements(info->rank, info->dims),
  };
  StitchStatus status = findJump(&o);
  if (status)
    return status;
  Comparison c = {.firstMismatch = -1, .meaningful = true};
  setBound(&o, &c);
  for (int64_t i = 0; i < o.elements; ++i)
    compareElement(&o, i, &c);
  // With most elements unstable and different nothing is left that was compared.
  c.meaningful = c.meaningful && c.unstable <= o.elements / 2;
  *comparison = c;
  return NULL;
}

bool comparisonPasses(const Comparison *c) { return c->meaningful && c->mismatches == 0; }
