//===- estimate.c - times of runs with different sizes -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the samples of an entry with their sizes. Fits a linear function by least squares with weights that discount
// outliers (iteratively reweighted), and compares versions by their ratio to it.
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/estimate.h"

#include <math.h>
#include <string.h>

enum { MAX_UNKNOWNS = STITCH_INDEX_MAX_SYMBOLS + 1 };

/// A size is covered where its estimate is at most so far from those of sizes that were measured.
static const double maxExtrapolation = 1.25;

static bool isSameSize(const StitchIndexSize *a, const StitchIndexSize *b) { return memcmp(a, b, sizeof(*a)) == 0; }

static const StitchIndexSize *indexSizeOf(const StitchIndex *index, const StitchIndexEntry *entry, int64_t sample) {
  return &index->sizes[entry->sizeNumbers[sample]];
}

//===----------------------------------------------------------------------===//
// The linear function
//===----------------------------------------------------------------------===//

/// A symmetric system of equations, the right side as the last column.
typedef struct {
  int64_t count;
  double rows[MAX_UNKNOWNS][MAX_UNKNOWNS + 1];
} EquationSystem;

/// By elimination; the diagonal is positive, since something was added to it.
static void solve(EquationSystem *s, double *result) {
  for (int64_t i = 0; i < s->count; ++i)
    for (int64_t k = i + 1; k < s->count; ++k) {
      double factor = s->rows[k][i] / s->rows[i][i];
      for (int64_t j = i; j <= s->count; ++j)
        s->rows[k][j] -= factor * s->rows[i][j];
    }
  for (int64_t i = s->count - 1; i >= 0; --i) {
    double sum = s->rows[i][s->count];
    for (int64_t j = i + 1; j < s->count; ++j)
      sum -= s->rows[i][j] * result[j];
    result[i] = sum / s->rows[i][i];
  }
}

static void addEquation(EquationSystem *s, const double *factors, double right, double weight) {
  for (int64_t i = 0; i < s->count; ++i) {
    for (int64_t j = 0; j < s->count; ++j)
      s->rows[i][j] += weight * factors[i] * factors[j];
    s->rows[i][s->count] += weight * factors[i] * right;
  }
}

static double valueOf(const StitchIndexFit *fit, const StitchIndexSize *size) {
  double seconds = fit->constant;
  for (int64_t i = 0; i < STITCH_INDEX_MAX_SYMBOLS; ++i)
    seconds += fit->slopes[i] * (double)size->values[i];
  return seconds;
}

/// The largest value of each symbol, by which the values are scaled; 1 where there is none. Returns how many symbols
/// there are: the others have no value.
static int64_t findScales(const StitchIndex *index, const StitchIndexEntry *entry, double *scales) {
  int64_t numSymbols = 0;
  for (int64_t k = 0; k < STITCH_INDEX_MAX_SYMBOLS; ++k) {
    scales[k] = 0;
    for (int64_t i = 0; i < entry->count; ++i)
      scales[k] = fmax(scales[k], (double)indexSizeOf(index, entry, i)->values[k]);
    numSymbols = scales[k] > 0 ? k + 1 : numSymbols;
    scales[k] = fmax(scales[k], 1);
  }
  return numSymbols;
}

/// The samples as equations: the sum of `factors` times the unknowns shall be 1 for each of them.
typedef struct {
  int64_t numUnknowns, numSamples;
  double factors[STITCH_INDEX_MAX_SAMPLES][MAX_UNKNOWNS];
  double distances[STITCH_INDEX_MAX_SAMPLES]; ///< from 1, with the last result
  double result[MAX_UNKNOWNS];
} SampleEquations;

static void collectEquations(const StitchIndex *index, const StitchIndexEntry *entry, double unit, const double *scales,
                             SampleEquations *e) {
  e->numSamples = entry->count;
  for (int64_t i = 0; i < entry->count; ++i) {
    double relative = entry->samples[i] > 0 ? unit / entry->samples[i] : 1;
    e->factors[i][0] = relative;
    for (int64_t k = 0; k + 1 < e->numUnknowns; ++k)
      e->factors[i][k + 1] = relative * (double)indexSizeOf(index, entry, i)->values[k] / scales[k];
  }
}

/// One round of least squares, in which a sample counts the less the further it was off in the round before.
static void solveWeighted(SampleEquations *e, bool isFirst) {
  const double leastDistance = 1e-3, regularisation = 1e-9;
  EquationSystem system = {.count = e->numUnknowns};
  double trace = 0;
  for (int64_t i = 0; i < e->numSamples; ++i)
    addEquation(&system, e->factors[i], 1, isFirst ? 1 : 1 / fmax(e->distances[i], leastDistance));
  for (int64_t i = 0; i < e->numUnknowns; ++i)
    trace += system.rows[i][i];
  for (int64_t i = 0; i < e->numUnknowns; ++i)
    system.rows[i][i] += regularisation * trace;
  solve(&system, e->result);
  for (int64_t i = 0; i < e->numSamples; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < e->numUnknowns; ++k)
      sum += e->factors[i][k] * e->result[k];
    e->distances[i] = fabs(sum - 1);
  }
}

/// The least sum of relative distances, by least squares whose weights are made anew: one that is far off counts
/// little.
static void fit(const StitchIndex *index, StitchIndexEntry *entry) {
  enum { ROUNDS = 6 };
  stitchIndexSummarize(entry);
  double scales[STITCH_INDEX_MAX_SYMBOLS], unit = entry->median > 0 ? entry->median : 1, unused;
  SampleEquations equations;
  equations.numUnknowns = 1 + findScales(index, entry, scales);
  collectEquations(index, entry, unit, scales, &equations);
  for (int round = 0; round < ROUNDS; ++round)
    solveWeighted(&equations, round == 0);
  entry->fit = (StitchIndexFit){.constant = unit * equations.result[0]};
  for (int64_t k = 0; k + 1 < equations.numUnknowns; ++k)
    entry->fit.slopes[k] = unit * equations.result[k + 1] / scales[k];
  entry->fit.spread = 2 * stitchMedianOf(equations.distances, entry->count, &unused);
  entry->numFitted = entry->count;
}

static const StitchIndexFit *fitOf(const StitchIndex *index, StitchIndexEntry *entry) {
  if (entry->numFitted != entry->count)
    fit(index, entry);
  return &entry->fit;
}

/// How many seconds two sizes are apart by the function, each symbol by itself.
static double distanceBetween(const StitchIndexFit *function, const StitchIndexSize *a, const StitchIndexSize *b) {
  double distance = 0;
  for (int64_t k = 0; k < STITCH_INDEX_MAX_SYMBOLS; ++k)
    distance += fabs(function->slopes[k] * (double)(a->values[k] - b->values[k]));
  return distance;
}

/// The median ratio of the samples nearest to a size to the function: steps are local.
static double correctionAt(const StitchIndex *index, const StitchIndexEntry *entry, const StitchIndexSize *size) {
  enum { NEAREST = 3 };
  double distances[NEAREST], ratios[NEAREST], unused;
  int64_t count = 0;
  for (int64_t i = 0; i < entry->count; ++i) {
    double distance = distanceBetween(&entry->fit, indexSizeOf(index, entry, i), size);
    int64_t k = count < NEAREST ? count++ : NEAREST;
    for (; k > 0 && distances[k - 1] > distance; --k)
      if (k < NEAREST) {
        distances[k] = distances[k - 1];
        ratios[k] = ratios[k - 1];
      }
    if (k == NEAREST)
      continue;
    distances[k] = distance;
    ratios[k] = entry->samples[i] / valueOf(&entry->fit, indexSizeOf(index, entry, i));
  }
  return stitchMedianOf(ratios, count, &unused);
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// How many samples have this size.
static int64_t countAt(const StitchIndex *index, const StitchIndexEntry *entry, const StitchIndexSize *size) {
  int64_t count = 0;
  for (int64_t i = 0; i < entry->count; ++i)
    count += isSameSize(indexSizeOf(index, entry, i), size);
  return count;
}

/// Whether the samples determine the function at this size: so many, of so many sizes, that one or two outliers do not
/// change it.
static bool isDetermined(const StitchIndex *index, const StitchIndexEntry *entry, const StitchIndexSize *size) {
  int64_t numDifferent = 0, numUnknowns = 1;
  for (int64_t i = 0; i < entry->count; ++i) {
    bool isNew = true;
    for (int64_t k = 0; k < i && isNew; ++k)
      isNew = entry->sizeNumbers[k] != entry->sizeNumbers[i];
    numDifferent += isNew;
  }
  for (int64_t k = 0; k < STITCH_INDEX_MAX_SYMBOLS; ++k) {
    bool varies = false;
    for (int64_t i = 0; i < entry->count; ++i)
      varies |= indexSizeOf(index, entry, i)->values[k] != size->values[k];
    numUnknowns += varies;
  }
  return numDifferent >= numUnknowns && entry->count > 2 * numUnknowns;
}

/// Whether the function's value is near to those at sizes that were measured.
static bool isNear(const StitchIndex *index, StitchIndexEntry *entry, const StitchIndexSize *size) {
  const StitchIndexFit *function = fitOf(index, entry);
  double least = INFINITY, most = 0, seconds = valueOf(function, size);
  for (int64_t i = 0; i < entry->count; ++i) {
    double at = valueOf(function, indexSizeOf(index, entry, i));
    least = fmin(least, at);
    most = fmax(most, at);
  }
  return seconds * maxExtrapolation >= least && seconds <= most * maxExtrapolation;
}

bool stitchIndexCovers(const StitchIndex *index, StitchIndexEntry *entry, StitchIndexSize size, double tolerance) {
  if (!entry || !entry->count)
    return false;
  int64_t count = countAt(index, entry, &size);
  if (entry->count == STITCH_INDEX_MAX_SAMPLES || count == entry->count)
    return true;
  bool isLinear = fitOf(index, entry)->spread <= tolerance;
  return isDetermined(index, entry, &size) && (count > 0 || (isLinear && isNear(index, entry, &size)));
}

double stitchIndexEstimate(const StitchIndex *index, StitchIndexEntry *entry, StitchIndexSize size, double tolerance) {
  const double furthest = 4; // beyond the measured sizes
  double least = entry->samples[0], most = least;
  double seconds = valueOf(fitOf(index, entry), &size);
  if (entry->fit.spread > tolerance)
    seconds *= correctionAt(index, entry, &size);
  for (int64_t i = 1; i < entry->count; ++i) {
    least = fmin(least, entry->samples[i]);
    most = fmax(most, entry->samples[i]);
  }
  seconds = fmin(fmax(seconds, least / furthest), most * furthest);
  return seconds > 0 ? seconds : 1e-12; // where the clock is too coarse
}

double stitchIndexRatio(const StitchIndex *index, StitchIndexEntry *entry, StitchIndexEntry *reference,
                        double tolerance, double *spread) {
  double ratios[STITCH_INDEX_MAX_SAMPLES];
  bool isKnown = entry->numCompared == entry->count && entry->numReferenceSamples == reference->count;
  for (int64_t i = 0; i < entry->count && !isKnown; ++i)
    ratios[i] = entry->samples[i] / stitchIndexEstimate(index, reference, *indexSizeOf(index, entry, i), tolerance);
  if (!isKnown)
    entry->ratio = stitchMedianOf(ratios, entry->count, &entry->ratioSpread);
  entry->numCompared = entry->count;
  entry->numReferenceSamples = reference->count;
  *spread = entry->ratioSpread;
  return entry->ratio;
}
