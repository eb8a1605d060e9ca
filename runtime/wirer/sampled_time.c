//===- sampled_time.c - how long something takes in each run -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the last times, and adds them up without those that are far above the median.
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/sampled_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool stitchSampledTimeBegin(StitchSampledTime *time) {
  enum { RUNS_BETWEEN_TIMED = 4 };
  return ++time->numRuns % RUNS_BETWEEN_TIMED == RUNS_BETWEEN_TIMED / 2;
}

void stitchSampledTimeAdd(StitchSampledTime *time, double seconds) {
  time->times[time->numTimed++ % STITCH_SAMPLED_TIMES] = seconds;
}

static int compareSeconds(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double stitchSampledTimeOfAll(const StitchSampledTime *time) {
  const double most = 8; // of the median
  int64_t count = time->numTimed < STITCH_SAMPLED_TIMES ? time->numTimed : STITCH_SAMPLED_TIMES;
  double sorted[STITCH_SAMPLED_TIMES], sum = 0;
  if (!count)
    return 0;
  memcpy(sorted, time->times, (size_t)count * sizeof(*sorted));
  qsort(sorted, (size_t)count, sizeof(*sorted), compareSeconds);
  for (int64_t i = 0; i < count; ++i)
    sum += fmin(sorted[i], most * sorted[count / 2]);
  return sum / (double)count * (double)time->numRuns;
}
