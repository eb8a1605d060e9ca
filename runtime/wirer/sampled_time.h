//===- sampled_time.h - how long something takes in each run -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The overhead of exploring is about as long as reading a clock, so it is timed in some of the runs only.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_SAMPLED_TIME_H
#define STITCH_RUNTIME_WIRER_SAMPLED_TIME_H

#include <stdbool.h>
#include <stdint.h>

enum { STITCH_SAMPLED_TIMES = 64 };

/// Zero-initialised there are no runs.
typedef struct {
  int64_t numRuns, numTimed;
  double times[STITCH_SAMPLED_TIMES]; ///< seconds in the last runs that were timed
} StitchSampledTime;

/// A run begins. Whether it is timed.
bool stitchSampledTimeBegin(StitchSampledTime *time);

/// The seconds of a run that is timed.
void stitchSampledTimeAdd(StitchSampledTime *time, double seconds);

/// An estimate of the seconds in all runs. Times in which the thread was interrupted are cut.
double stitchSampledTimeOfAll(const StitchSampledTime *time);

#endif // STITCH_RUNTIME_WIRER_SAMPLED_TIME_H
