//===- assignments.c - stitch-streams: how steps can be on streams -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the number of equivalent steps of each class of an epoch. Leaves the distinct ways to put them on streams, with
// a name each; ways that differ by a permutation of streams count once.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "passes/stitch_streams/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// How many steps of each class are on each stream.
typedef struct {
  const int64_t *classes;
  int64_t numClasses, numStreams;
  int64_t *sizes;  ///< of classes
  int64_t grain;   ///< so many equivalent steps stay together
  int64_t *counts; ///< of each class and stream
  bool hasFixed;   ///< the first stream has something to do from the beginning
  Assignments *result;
} AssignmentSearch;

/// Streams without work are alike. One is used only after those before it. Of two streams with equal counts of all
/// earlier classes the second gets no more of the next class than the first.
static bool isCanonical(const AssignmentSearch *s) {
  for (int64_t stream = 1; stream < s->numStreams; ++stream) {
    bool isTold = stream == 1 && s->hasFixed; // the first stream differs from the others
    for (int64_t c = 0; c < s->numClasses && !isTold; ++c) {
      const int64_t *counts = s->counts + c * s->numStreams;
      if (counts[stream] > counts[stream - 1])
        return false;
      isTold = counts[stream] < counts[stream - 1];
    }
  }
  return true;
}

static void nameVersion(const AssignmentSearch *s, char *name) {
  size_t length = 0;
  for (int64_t c = 0; c < s->numClasses; ++c)
    for (int64_t stream = 0; stream < s->numStreams && length < STREAM_NAME; ++stream)
      length += (size_t)snprintf(name + length, STREAM_NAME - length, "%s%lld", stream ? "+" : (c ? "." : ""),
                                 (long long)s->counts[c * s->numStreams + stream]);
}

/// The steps of a class are on the streams in their order, those of the first stream first.
static void addVersion(AssignmentSearch *s) {
  Assignments *a = s->result;
  if (a->numVersions <= STREAM_MAX_VERSIONS && a->on && isCanonical(s)) {
    int64_t *on = a->on + a->numVersions * a->numSteps;
    for (int64_t c = 0; c < s->numClasses; ++c) {
      int64_t stream = 0, left = s->counts[c * s->numStreams];
      for (int64_t i = 0; i < a->numSteps; ++i) {
        if (s->classes[i] != c)
          continue;
        while (left == 0)
          left = s->counts[c * s->numStreams + ++stream];
        --left;
        on[i] = stream;
      }
    }
    nameVersion(s, a->names[a->numVersions]);
    if (a->numVersions == 0)
      snprintf(a->names[0], STREAM_NAME, "one");
  }
  a->numVersions += isCanonical(s);
}

/// The first one found has all on the first stream.
static void search(AssignmentSearch *s, int64_t class, int64_t stream, int64_t left) {
  if (s->result->numVersions > STREAM_MAX_VERSIONS)
    return;
  if (class == s->numClasses)
    return addVersion(s);
  int64_t *count = &s->counts[class * s->numStreams + stream];
  bool isLast = stream == s->numStreams - 1;
  for (int64_t here = left; here >= 0; here = here < s->grain ? here - (here ? here : 1) : here - s->grain) {
    *count = here;
    if (isLast)
      search(s, class + 1, 0, class + 1 < s->numClasses ? s->sizes[class + 1] : 0);
    else
      search(s, class, stream + 1, left - here);
    if (isLast)
      break; // takes all that is left
  }
}

static void startSearch(AssignmentSearch *s) {
  s->result->numVersions = 0;
  search(s, 0, 0, s->numClasses ? s->sizes[0] : 0);
}

Assignments assignmentsOf(const int64_t *classes, int64_t numSteps, int64_t numStreams) {
  Assignments result = {.numSteps = numSteps};
  AssignmentSearch s = {.classes = classes, .numStreams = numStreams, .grain = 1, .result = &result};
  for (int64_t i = 0; i < numSteps; ++i) {
    s.numClasses = classes[i] >= s.numClasses ? classes[i] + 1 : s.numClasses;
    s.hasFixed |= classes[i] < 0;
  }
  s.sizes = irAllocateZeroed((size_t)s.numClasses + 1, sizeof(*s.sizes));
  s.counts = irAllocateZeroed((size_t)(s.numClasses * numStreams) + 1, sizeof(*s.counts));
  for (int64_t i = 0; i < numSteps; ++i)
    if (classes[i] >= 0)
      ++s.sizes[classes[i]];
  for (startSearch(&s); result.numVersions > STREAM_MAX_VERSIONS && s.grain < numSteps; startSearch(&s))
    s.grain *= 2;
  int64_t found = result.numVersions < STREAM_MAX_VERSIONS ? result.numVersions : STREAM_MAX_VERSIONS;
  result.on = irAllocateZeroed((size_t)((STREAM_MAX_VERSIONS + 1) * numSteps) + 1, sizeof(*result.on));
  result.names = irAllocateZeroed(STREAM_MAX_VERSIONS + 1, sizeof(*result.names));
  startSearch(&s);
  result.numVersions = found;
  free(s.sizes);
  free(s.counts);
  return result;
}

void assignmentsDestroy(Assignments *assignments) {
  free(assignments->on);
  free(assignments->names);
}
