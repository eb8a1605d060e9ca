//===- compare.c - outputs against the reference -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an output, the reference's, and the reference's outputs under perturbations and other roundings. Leaves counts
// of elements within, beyond and without a bound, by the formulas of docs/error_bounds.md, section 2.
//
//===----------------------------------------------------------------------===//

#include "tools/run/compare.h"

#include "tools/support/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The chance that a right output of any size is called wrong, if roundings are random (docs/error_bounds.md).
static const double falseAlarm = 1e-9;

/// An element of a discontinuous output is unstable if its change exceeds two multiples: of the median change, and of
/// the change that its own size lets expect.
enum { JUMP = 64 };

/// A rounding to nearest has standard deviation u / sqrt(3); an elementary function may be off by 8 u.
#define FUNCTION_FACTOR (8.0 * sqrt(3.0))

/// Formats whose unit roundoff is not below this have 8 bits: bf16 has 2^-8.
static const double coarse = 0x1p-5;

/// A bound above this part of the output's largest magnitude tells little about an element.
static const double loose = 1.0 / 16.0;

/// Elements in a row that are taken to be conditioned alike: one poisoned row of a matrix excuses no other.
enum { NEIGHBOURS = 32 };

/// The figures of the stable elements of a neighbourhood.
typedef struct {
  double magnitude;        ///< the largest
  double change;           ///< the largest change under perturbation
  double noise[ROUNDINGS]; ///< for each run with other roundings, the root mean square of the changes
} Neighbourhood;

typedef struct {
  const StitchOutputInfo *info;
  const void *output;
  const References *references;
  int64_t elements;
  double jump;      ///< changes of the perturbed reference that are not larger are no jumps
  double magnitude; ///< the largest of a stable element
  Neighbourhood *neighbourhoods;
} ComparedOperands;

static double complex elementOf(const ComparedOperands *o, const void *data, int64_t i) {
  return toolLoadComplex(o->info->dtype, data, i);
}

static double complex referenceAt(const ComparedOperands *o, int64_t i) {
  return elementOf(o, o->references->nearest, i);
}

/// How much one of the perturbations changes an element.
static double changeAt(const ComparedOperands *o, int run, int64_t i) {
  return cabs(elementOf(o, o->references->perturbed[run], i) - referenceAt(o, i));
}

/// How much a run with other roundings changes an element.
static double roundingAt(const ComparedOperands *o, int run, int64_t i) {
  return cabs(elementOf(o, o->references->rounded[run], i) - referenceAt(o, i));
}

/// Whether a change of the inputs by the size of roundings moves an element beyond its bound: then it jumps.
static bool leavesBound(const ComparedOperands *o, int64_t i, double bound) {
  for (int run = 0; o->info->discontinuous && run < o->references->numJittered; ++run)
    if (!(cabs(elementOf(o, o->references->jittered[run], i) - referenceAt(o, i)) <= bound))
      return true;
  return false;
}

static bool isUndefined(double complex value) { return isnan(creal(value)) || isnan(cimag(value)); }
static bool isFinite(double complex value) { return isfinite(creal(value)) && isfinite(cimag(value)); }

/// An element that one of the perturbations makes jump.
static bool isUnstable(const ComparedOperands *o, int64_t i) {
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
static StitchStatus findJump(ComparedOperands *o) {
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

static Neighbourhood measure(const ComparedOperands *o, int64_t first) {
  const References *references = o->references;
  Neighbourhood n = {0};
  double squares[ROUNDINGS] = {0};
  int64_t counts[ROUNDINGS] = {0};
  for (int64_t i = first; i < first + NEIGHBOURS && i < o->elements; ++i) {
    if (isUnstable(o, i) || !isFinite(referenceAt(o, i)))
      continue;
    n.magnitude = fmax(n.magnitude, cabs(referenceAt(o, i)));
    for (int run = 0; run < references->numPerturbed; ++run)
      n.change = isfinite(changeAt(o, run, i)) ? fmax(n.change, changeAt(o, run, i)) : n.change;
    for (int run = 0; run < references->numRounded; ++run) {
      double difference = roundingAt(o, run, i);
      squares[run] += isfinite(difference) ? difference * difference : 0.0;
      counts[run] += isfinite(difference);
    }
  }
  for (int run = 0; run < references->numRounded; ++run)
    n.noise[run] = counts[run] ? sqrt(squares[run] / (double)counts[run]) : 0.0;
  return n;
}

static StitchStatus measureNeighbourhoods(ComparedOperands *o) {
  o->neighbourhoods = calloc((size_t)(o->elements / NEIGHBOURS) + 1, sizeof(*o->neighbourhoods));
  if (!o->neighbourhoods)
    return stitchStatusOutOfMemory();
  for (int64_t first = 0; first < o->elements; first += NEIGHBOURS) {
    Neighbourhood n = measure(o, first);
    o->neighbourhoods[first / NEIGHBOURS] = n;
    o->magnitude = fmax(o->magnitude, n.magnitude);
  }
  return NULL;
}

/// Standard deviations that no element of an output of this size leaves: 2 N exp(-x^2 / 2) = falseAlarm.
static double deviations(int64_t elements) { return sqrt(2.0 * log(2.0 * (double)(elements + 1) / falseAlarm)); }

/// How much a relative change of the inputs changes a neighbourhood, whose own size it is at least.
static double sensitivity(const ComparedOperands *o, const Neighbourhood *n) {
  // Uniform in [-delta, delta): standard deviation delta / sqrt(3).
  double delta = o->references->delta;
  return o->references->numPerturbed ? fmax(n->magnitude, n->change * sqrt(3.0) / delta) : n->magnitude;
}

/// Condition times counted roundings; infinite if that says nothing. Where a format of 8 bits is on the way both sides
/// round at the same places. So each rounding differs by one unit in the last place at most.
static double countedBound(const ComparedOperands *o, const Neighbourhood *n) {
  double roundings = deviations(o->elements) * sqrt(2.0 * o->info->errorVariance);
  if (o->info->largestRoundoff >= coarse)
    roundings = fmin(roundings, 2.0 * o->info->errorSum);
  double bound = sensitivity(o, n) * roundings;
  return bound < o->magnitude || bound == 0.0 ? bound : INFINITY;
}

/// The effect of roundings on an element, from those runs with other roundings that move it; 0 if none does.
static double measuredBound(const ComparedOperands *o, const Neighbourhood *n, int64_t i) {
  double noise = 0.0;
  for (int run = 0; run < o->references->numRounded; ++run)
    noise = roundingAt(o, run, i) > 0.0 ? fmax(noise, n->noise[run]) : noise;
  return o->info->errorVariance > 0.0 ? deviations(o->elements) * FUNCTION_FACTOR * noise : 0.0;
}

/// The least number of a format, of which each rounding of subnormal numbers loses half at most.
static double leastOf(StitchDataType dtype) {
  int bits = dtype.code == STITCH_TYPE_COMPLEX ? dtype.bits / 2 : dtype.bits;
  // Narrower ones are computed in f32, and rounded to neighbours of the reference's.
  return bits == 64 ? DBL_TRUE_MIN : bits == 32 ? 0x1p-149 : 0.0;
}

/// The loss of all counted roundings if all numbers are subnormal.
static double subnormalBound(const ComparedOperands *o) {
  double least = leastOf(o->info->dtype);
  return least > 0.0 ? ceil(o->info->errorSum / toolUnitRoundoff(o->info->dtype)) * least / 2 : 0.0;
}

/// The larger of two bounds: condition x counted roundings, and measured noise (docs/error_bounds.md), with the loss of
/// subnormal numbers; infinite if neither says anything.
static double boundAt(const ComparedOperands *o, int64_t i) {
  if (!toolIsFloat(o->info->dtype))
    return 0.0;
  const Neighbourhood *n = &o->neighbourhoods[i / NEIGHBOURS];
  double counted = countedBound(o, n), measured = measuredBound(o, n, i);
  if (isinf(counted))
    return measured > 0.0 ? measured : INFINITY;
  return fmax(counted, measured) + subnormalBound(o);
}

static bool sameBits(const ComparedOperands *o, int64_t i) {
  size_t bytes = stitchDataTypeBytes(o->info->dtype), offset = (size_t)i * bytes;
  return memcmp((const char *)o->output + offset, (const char *)o->references->nearest + offset, bytes) == 0;
}

/// Of numbers that are not both finite: the same infinity, or both NaN. The error of a complex number is relative to
/// its magnitude. So a finite part has no bound if the other part is infinite.
static bool isSamePart(double a, double b) { return (isnan(a) && isnan(b)) || a == b || (isfinite(a) && isfinite(b)); }

static bool isSameKind(double complex a, double complex b) {
  return isSamePart(creal(a), creal(b)) && isSamePart(cimag(a), cimag(b));
}

static bool isWithin(const ComparedOperands *o, int64_t i, double bound) {
  if (!toolIsFloat(o->info->dtype)) // a double does not hold every 64-bit integer
    return sameBits(o, i);
  double complex output = elementOf(o, o->output, i), reference = referenceAt(o, i);
  if (isFinite(output) && isFinite(reference))
    return cabs(output - reference) <= bound;
  return isSameKind(output, reference);
}

/// Whether roundings decide if an element is NaN, infinite or finite, and the output's case occurs in a run of the
/// reference. An example is infinity times a factor that only some roundings make zero.
static bool isOfOpenKind(const ComparedOperands *o, int64_t i) {
  if (!toolIsFloat(o->info->dtype))
    return false;
  double complex output = elementOf(o, o->output, i);
  if (isSameKind(output, referenceAt(o, i)))
    return false;
  for (int run = 0; run < o->references->numRounded; ++run)
    if (isSameKind(output, elementOf(o, o->references->rounded[run], i)))
      return true;
  return false;
}

/// Whether an integer is none of the reference's, but between two that it has under other roundings. Of floats that are
/// halfway between integers, the output may round some up and others down, and sum them.
static bool isBetweenRoundings(const ComparedOperands *o, int64_t i) {
  if (toolIsFloat(o->info->dtype) || !o->info->discontinuous)
    return false;
  double output = creal(elementOf(o, o->output, i)), low = creal(referenceAt(o, i)), high = low;
  for (int run = 0; run < o->references->numRounded; ++run) {
    double other = creal(elementOf(o, o->references->rounded[run], i));
    low = fmin(low, other);
    high = fmax(high, other);
  }
  return low < high && low <= output && output <= high;
}

static void countDifference(const ComparedOperands *o, int64_t i, Comparison *c) {
  double complex output = elementOf(o, o->output, i), reference = referenceAt(o, i);
  double error = cabs(output - reference);
  c->notFinite += !isFinite(output) && !isFinite(reference);
  c->undefined += isUndefined(output) && isUndefined(reference);
  if (!isfinite(error) || error == 0.0)
    return;
  c->maxAbsolute = fmax(c->maxAbsolute, error);
  c->maxRelative = fmax(c->maxRelative, error / cabs(reference));
  if (toolIsFloat(o->info->dtype)) {
    uint64_t ulp = toolUlpDistance(o->info->dtype, o->output, o->references->nearest, i);
    c->maxUlp = ulp > c->maxUlp ? ulp : c->maxUlp;
  }
}

/// An unstable element beyond the bound tells nothing; within, it is as right as any other.
static void compareElement(const ComparedOperands *o, int64_t i, Comparison *c) {
  double bound = boundAt(o, i);
  bool within = isWithin(o, i, bound), unstable = !within && (isUnstable(o, i) || leavesBound(o, i, bound) ||
                                                              isOfOpenKind(o, i) || isBetweenRoundings(o, i));
  c->bound = isfinite(bound) ? fmax(c->bound, bound) : c->bound;
  c->loose += unstable || bound > loose * o->magnitude;
  c->unstable += unstable;
  if (unstable)
    return;
  if (!within && c->mismatches++ == 0)
    c->firstMismatch = i;
  countDifference(o, i, c);
}

static double conditionOf(const ComparedOperands *o) {
  double condition = 1.0;
  for (int64_t first = 0; o->magnitude > 0.0 && first < o->elements; first += NEIGHBOURS)
    condition = fmax(condition, sensitivity(o, &o->neighbourhoods[first / NEIGHBOURS]) / o->magnitude);
  return condition;
}

StitchStatus compareOutput(const StitchOutputInfo *info, const void *output, const References *references,
                           Comparison *comparison) {
  ComparedOperands o = {
      .info = info,
      .output = output,
      .references = references,
      .elements = stitchTensorElements(info->rank, info->dims),
  };
  StitchStatus status = findJump(&o);
  if (!status)
    status = measureNeighbourhoods(&o);
  if (!status) {
    Comparison c = {
        .elements = o.elements, .firstMismatch = -1, .magnitude = o.magnitude, .condition = conditionOf(&o)};
    for (int64_t i = 0; i < o.elements; ++i)
      compareElement(&o, i, &c);
    c.whole = c.loose <= o.elements / 2;
    *comparison = c;
  }
  free(o.neighbourhoods);
  return status;
}

bool comparisonPasses(const Comparison *c) { return c->mismatches == 0; }
bool comparisonIsDefined(const Comparison *c) { return 10 * c->undefined <= c->elements; }
bool comparisonIsWhole(const Comparison *c) { return c->whole && 10 * (c->undefined + c->unstable) <= c->elements; }
