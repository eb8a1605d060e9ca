//===- spans.h - times of nested adaptive variables -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device tells where adaptive variables begin and end in a run, and the times of those that are still explored; the
// spans turn these into the wirer's measurements. A variable may run several times, or within others.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_SPANS_H
#define STITCH_RUNTIME_WIRER_SPANS_H

#include "runtime/wirer/wirer.h"

typedef struct {
  int64_t numVariables;
  const bool *open; ///< as stitchWirerOpen
  double *seconds;  ///< of each variable
  int64_t *times;   ///< how often each of them has begun
  bool *counts;     ///< whether no part of it was open
  int64_t *begins;  ///< how many open ones had begun when it began
  int64_t numOpen;  ///< that have begun
  int64_t depth;    ///< of those that have begun and not ended
  double outermost; ///< seconds of variables that are a part of none, of those that are measured
  bool timesMarks;  ///< the device adds the time that marks take to `marking`
  double marking;   ///< seconds of the host, in this run
} StitchSpans;

/// Fails without memory. Released by stitchSpansDestroy, then, too.
StitchStatus stitchSpansCreate(int64_t numVariables, StitchSpans *spans);
void stitchSpansDestroy(StitchSpans *spans);

/// Before a run.
void stitchSpansReset(StitchSpans *spans, const bool *open);

/// A variable begins. Whether it is measured: then it also ends.
bool stitchSpansBegin(StitchSpans *spans, int64_t variable);
/// Whether it is a part of no other that is measured.
bool stitchSpansEnd(StitchSpans *spans, int64_t variable);

/// The time of a variable from its begin to its end.
void stitchSpansAdd(StitchSpans *spans, int64_t variable, bool isOutermost, double seconds);

/// After a run of `total` seconds. `seconds` are those of the spans.
StitchMeasurement stitchSpansFinish(StitchSpans *spans, double total);

#endif // STITCH_RUNTIME_WIRER_SPANS_H
