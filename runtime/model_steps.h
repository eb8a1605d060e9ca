//===- model_steps.h - steps on several streams ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra's streams: the common part of devices that run the steps of a model on several streams, or as if on several.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_MODEL_STEPS_H
#define STITCH_RUNTIME_MODEL_STEPS_H

#include "runtime/model.h"
#include "runtime/status.h"

#include <stdbool.h>

/// The stream of a step with these versions of the adaptive variables (NULL: the first ones).
int64_t stitchStepStream(const StitchModelDescriptor *model, const int64_t *versions, int64_t step);

/// Whether any step, or any of the super-epoch that begins with step `first`, is on another stream than the first.
bool stitchStepsAreParallel(const StitchModelDescriptor *model, const int64_t *versions);
bool stitchSuperEpochIsParallel(const StitchModelDescriptor *model, const int64_t *versions, int64_t first);

/// A launch, or a library call of which only `number` and the arguments are set, that waits for its turn.
typedef struct {
  bool isCall;
  int64_t step, number, grid, block, sharedBytes, cooperative;
  void **arguments; ///< copies
  int64_t numArguments;
} StitchDeferred;

/// The launches and calls of a super-epoch, for a device that runs them one after the other in any order that streams
/// allow.
typedef struct {
  const StitchModelDescriptor *model;
  const int64_t *versions; ///< as above
  uint64_t seed;           ///< which order
  StitchDeferred *data;
  int64_t count, capacity;
  int64_t step; ///< the current step; -1: nothing is deferred
} StitchDeferredSteps;

/// Fails without memory.
StitchStatus stitchDefer(StitchDeferredSteps *steps, const StitchDeferred *deferred);

/// Runs all of them until one fails, and forgets them.
StitchStatus stitchRunDeferred(StitchDeferredSteps *steps,
                               StitchStatus (*run)(void *context, const StitchDeferred *deferred), void *context);

/// Releases them without running them.
void stitchDropDeferred(StitchDeferredSteps *steps);

#endif // STITCH_RUNTIME_MODEL_STEPS_H
