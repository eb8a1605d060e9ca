//===- explore.c - runs that explore adaptive variables -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drives a session with `--adapt`: runs it until the wirer is done, and prints versions with their times.
//
//===----------------------------------------------------------------------===//

#include "tools/run/explore.h"

#include <stdio.h>
#include <unistd.h>

static void showProgress(StitchAdaptiveInfo info, bool isLast) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\rstitch-run: exploring: %lld runs, at least %lld to come   %s", (long long)info.runs,
            (long long)info.remaining, isLast ? "\n" : "");
}

/// A variable's versions with their times; the one that runs from now on is in brackets.
static void printVariable(StitchSession *session, int64_t index) {
  StitchAdaptiveVariable variable = stitchSessionAdaptiveVariable(session, index);
  printf("adaptive: %s:", variable.name);
  for (int64_t i = 0; i < variable.numVersions; ++i) {
    double seconds = stitchSessionAdaptiveSeconds(session, index, i);
    bool chosen = i == variable.version;
    printf(" %s%s%s", chosen ? "[" : "", variable.versions[i], chosen ? "]" : "");
    if (seconds >= 0)
      printf(" %.4f ms%s", 1e3 * seconds, i + 1 < variable.numVersions ? "," : "");
  }
  printf("\n");
}

static void printResult(StitchSession *session) {
  StitchAdaptiveInfo info = stitchSessionAdaptive(session);
  for (int64_t i = 0; i < info.numVariables; ++i)
    printVariable(session, i);
  double all = info.exploredSeconds > 0 ? info.exploredSeconds / 100 : 1; // in percent of it
  printf("adaptive: %lld variables, %s after %lld runs (%lld outliers); choosing took %.3f %% of them, measuring "
         "%.3f %%, the profile index %.3f ms\n",
         (long long)info.numVariables, info.remaining ? "not done" : "done", (long long)info.runs,
         (long long)info.outliers, info.ownSeconds / all, info.markingSeconds / all, 1e3 * info.savingSeconds);
  if (info.indexError)
    printf("adaptive: the measurements are not saved: %s\n", info.indexError);
}

StitchStatus exploreVersions(const RunOptions *o, const Run *run, StitchSession *session, const Tensors *t) {
  StitchAdaptiveInfo info = stitchSessionAdaptive(session);
  if (info.numVariables == 0)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                            "there is nothing to explore: the device has one way to compute all that the model has, or "
                            "does not choose");
  StitchStatus status = NULL;
  // Before the first run the session is at the largest sizes, of which all may be known.
  for (int i = 0; !status && (i == 0 || (info.remaining && (o->adapt == ADAPT_UNTIL_DONE || i < o->adapt))); ++i) {
    showProgress(info, false);
    status = stitchSessionRun(session, t->tensors, run->numInputs, t->tensors + run->numInputs, run->numOutputs);
    info = stitchSessionAdaptive(session);
  }
  showProgress(info, true);
  if (!status)
    printResult(session);
  return status;
}
