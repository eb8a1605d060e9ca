//===- spans.c - times of nested adaptive variables -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes begins and ends of variables, nested, with times. Leaves the seconds of each open variable in a run, without
// those with open parts inside. The others are counted: which of them ran is known.
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/spans.h"

#include <stdlib.h>
#include <string.h>

StitchStatus stitchSpansCreate(int64_t numVariables, StitchSpans *spans) {
  size_t count = (size_t)numVariables + 1;
  *spans = (StitchSpans){.numVariables = numVariables,
                         .seconds = calloc(count, sizeof(double)),
                         .times = calloc(count, sizeof(int64_t)),
                         .counts = calloc(count, sizeof(bool)),
                         .begins = calloc(count, sizeof(int64_t))};
  return spans->seconds && spans->times && spans->counts && spans->begins ? NULL : stitchStatusOutOfMemory();
}

void stitchSpansDestroy(StitchSpans *spans) {
  free(spans->seconds);
  free(spans->times);
  free(spans->counts);
  free(spans->begins);
}

void stitchSpansReset(StitchSpans *spans, const bool *open) {
  spans->open = open;
  spans->numOpen = spans->depth = 0;
  spans->outermost = spans->marking = 0;
  for (int64_t i = 0; i < spans->numVariables; ++i) {
    spans->seconds[i] = 0;
    spans->times[i] = 0;
    spans->counts[i] = true;
  }
}

bool stitchSpansBegin(StitchSpans *spans, int64_t variable) {
  ++spans->times[variable];
  if (!spans->open[variable])
    return false;
  spans->begins[variable] = ++spans->numOpen;
  ++spans->depth;
  return true;
}

bool stitchSpansEnd(StitchSpans *spans, int64_t variable) {
  if (spans->numOpen != spans->begins[variable])
    spans->counts[variable] = false;
  return --spans->depth == 0;
}

void stitchSpansAdd(StitchSpans *spans, int64_t variable, bool isOutermost, double seconds) {
  spans->seconds[variable] += seconds;
  if (isOutermost)
    spans->outermost += seconds;
}

StitchMeasurement stitchSpansFinish(StitchSpans *spans, double total) {
  for (int64_t i = 0; i < spans->numVariables; ++i)
    if (!spans->times[i])
      spans->seconds[i] = STITCH_ABSENT;
    else if (!spans->open[i] || !spans->counts[i])
      spans->seconds[i] = STITCH_UNMEASURED;
  return (StitchMeasurement){spans->seconds, spans->times, total, total - spans->outermost};
}
