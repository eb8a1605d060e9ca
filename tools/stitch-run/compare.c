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

/// An element of a discontinuous output is unstable if it changes by more than this many times the median change.
enum { JUMP = 64 };

typedef struct {
  const StitchOutputInfo *info;
  const void *output;
  const void *reference;
  const void *perturbed;
  int64_t elements;
  double jump; ///< larger changes of the perturbed reference are unstable elements
} Operands;

static double changeAt(const Operands *o, int64_t i) {
  return fabs(toolLoad(o->info->dtype, o->perturbed, i) - toolLoad(o->info->dtype, o->reference, i));
}

static bool isUnstable(const Operands *o, int64_t i) {
  return o->perturbed && o->info->discontinuous && !(changeAt(o, i) <= o->jump);
}

static int compareDoubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// A discontinuous output jumps where a comparison of floats falls out differently. Such changes stand out from the
/// others.
static StitchStatus findJump(Operands *o) {
  o->jump = INFINITY;
  if (!o->perturbed || !o->info->discontinuous || o->elements == 0)
    return NULL;
  double *changes = malloc(sizeof(*changes) * (size_t)o->elements);
  if (!changes)
    return stitchStatusOutOfMemory();
  int64_t count = 0;
  for (int64_t i = 0; i < o->elements; ++i)
    if (isfinite(changeAt(o, i)))
      changes[count++] = changeAt(o, i);
  qsort(changes, (size_t)count, sizeof(*changes), compareDoubles);
  o->jump = count ? JUMP * changes[count / 2] : 0.0;
  free(changes);
  return NULL;
}

/// The largest finite magnitude, and the largest change under perturbation, of stable elements.
static void measure(const Operands *o, double *magnitude, double *change) {
  *magnitude = *change = 0.0;
  for (int64_t i = 0; i < o->elements; ++i) {
    double value = fabs(toolLoad(o->info->dtype, o->reference, i));
    if (!isfinite(value) || isUnstable(o, i))
      continue;
    *magnitude = fmax(*magnitude, value);
    if (o->perturbed && isfinite(changeAt(o, i)))
      *change = fmax(*change, changeAt(o, i));
  }
}

/// Standard deviations that no element of an output of this size leaves: 2 N exp(-x^2 / 2) = falseAlarm.
static double deviations(int64_t elements) { return sqrt(2.0 * log(2.0 * (double)(elements + 1) / falseAlarm)); }

/// condition x deviations x the error of two computations, relative to the output's largest element.
static void setBound(const Operands *o, double delta, Comparison *c) {
  double magnitude, change;
  measure(o, &magnitude, &change);
  c->condition = 1.0;
  c->bound = 0.0;
  if (!toolIsFloat(o->info->dtype))
    return;
  // Uniform in [-delta, delta): standard deviation delta / sqrt(3).
  if (o->perturbed && magnitude > 0.0)
    c->condition = fmax(1.0, change * sqrt(3.0) / (delta * magnitude));
  double relative = c->condition * deviations(o->elements) * sqrt(2.0 * o->info->errorVariance);
  c->bound = relative * magnitude;
  c->meaningful = relative < 1.0;
}

static bool sameBits(const Operands *o, int64_t i) {
  size_t bytes = stitchDataTypeBytes(o->info->dtype), offset = (size_t)i * bytes;
  return memcmp((const char *)o->output + offset, (const char *)o->reference + offset, bytes) == 0;
}

static void compareElement(const Operands *o, int64_t i, Comparison *c) {
  StitchDataType dtype = o->info->dtype;
  double output = toolLoad(dtype, o->output, i), reference = toolLoad(dtype, o->reference, i);
  bool finite = isfinite(output) && isfinite(reference);
  double error = fabs(output - reference);
  bool equal = finite ? error <= c->bound : (isnan(output) && isnan(reference)) || output == reference;
  if (!toolIsFloat(dtype)) // a double does not hold every 64-bit integer
    equal = sameBits(o, i);
  if (!equal) {
    if (c->mismatches++ == 0)
      c->firstMismatch = i;
  }
  if (!finite || error == 0.0)
    return;
  c->maxAbsolute = fmax(c->maxAbsolute, error);
  c->maxRelative = fmax(c->maxRelative, error / fabs(reference));
  if (toolIsFloat(dtype)) {
    uint64_t ulp = toolUlpDistance(dtype, o->output, o->reference, i);
    c->maxUlp = ulp > c->maxUlp ? ulp : c->maxUlp;
  }
}

StitchStatus compareOutput(const StitchOutputInfo *info, const void *output, const void *reference,
                           const void *perturbed, double delta, Comparison *comparison) {
  Operands o = {
      .info = info,
      .output = output,
      .reference = reference,
      .perturbed = perturbed,
      .elements = stitchTensorElements(info->rank, info->dims),
  };
  StitchStatus status = findJump(&o);
  if (status)
    return status;
  Comparison c = {.firstMismatch = -1, .meaningful = true};
  setBound(&o, delta, &c);
  for (int64_t i = 0; i < o.elements; ++i) {
    if (isUnstable(&o, i))
      ++c.unstable;
    else
      compareElement(&o, i, &c);
  }
  // With most elements unstable there is nothing left to compare.
  c.meaningful = c.meaningful && c.unstable <= o.elements / 2;
  *comparison = c;
  return NULL;
}

bool comparisonPasses(const Comparison *c) { return c->meaningful && c->mismatches == 0; }
