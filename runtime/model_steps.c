//===- model_steps.c - steps on several streams ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes StitchModelStep and a seed. Defers the launches of a super-epoch, and runs them in one of the orders that
// streams and events allow.
//
//===----------------------------------------------------------------------===//

#include "runtime/model_steps.h"

#include <stdlib.h>
#include <string.h>

int64_t stitchStepStream(const StitchModelDescriptor *model, const int64_t *versions, int64_t step) {
  const StitchModelStep *s = &model->steps[step];
  if (s->variable < 0)
    return s->on ? s->on[0] : 0;
  return s->on[versions ? versions[s->variable] : 0];
}

bool stitchStepsAreParallel(const StitchModelDescriptor *model, const int64_t *versions) {
  for (int64_t i = 0; i < model->numSteps; ++i)
    if (stitchStepStream(model, versions, i) != 0)
      return true;
  return false;
}

bool stitchSuperEpochIsParallel(const StitchModelDescriptor *model, const int64_t *versions, int64_t first) {
  for (int64_t i = first; i < model->numSteps && model->steps[i].superEpoch == model->steps[first].superEpoch; ++i)
    if (stitchStepStream(model, versions, i) != 0)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Deferred steps
//===----------------------------------------------------------------------===//

StitchStatus stitchDefer(StitchDeferredSteps *steps, const StitchDeferred *deferred) {
  if (steps->count == steps->capacity) {
    int64_t capacity = steps->capacity ? 2 * steps->capacity : 64;
    StitchDeferred *larger = realloc(steps->data, (size_t)capacity * sizeof(*larger));
    if (!larger)
      return stitchStatusOutOfMemory();
    steps->data = larger;
    steps->capacity = capacity;
  }
  size_t bytes = (size_t)deferred->numArguments * sizeof(void *);
  void **copy = malloc(bytes + 1);
  if (!copy)
    return stitchStatusOutOfMemory();
  memcpy(copy, deferred->arguments, bytes);
  StitchDeferred *added = &steps->data[steps->count++];
  *added = *deferred;
  added->arguments = copy;
  added->step = steps->step;
  return NULL;
}

/// Whether a step of the super-epoch that begins with `first` has nothing to wait for: its dependences have run, and
/// the steps before it on its stream.
static bool isNext(const StitchDeferredSteps *steps, int64_t first, int64_t step, const bool *hasRun) {
  const StitchModelStep *s = &steps->model->steps[step];
  bool isReady = !hasRun[step - first];
  for (int64_t i = 0; i < s->numAfter; ++i)
    isReady &= hasRun[s->after[i] - first];
  int64_t stream = stitchStepStream(steps->model, steps->versions, step);
  for (int64_t i = first; i < step && isReady; ++i)
    isReady = hasRun[i - first] || stitchStepStream(steps->model, steps->versions, i) != stream;
  return isReady;
}

/// One of the steps that are ready: without a seed the first one on the lowest stream.
static int64_t nextStep(StitchDeferredSteps *steps, int64_t first, int64_t last, const bool *hasRun) {
  int64_t next = -1, numReady = 0;
  for (int64_t step = first; step <= last; ++step) {
    if (!isNext(steps, first, step, hasRun))
      continue;
    bool isBetter = next < 0 || stitchStepStream(steps->model, steps->versions, step) <
                                    stitchStepStream(steps->model, steps->versions, next);
    ++numReady;
    if (steps->seed) {
      steps->seed = steps->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      isBetter = (steps->seed >> 33) % (uint64_t)numReady == 0;
    }
    if (isBetter)
      next = step;
  }
  return next;
}

StitchStatus stitchRunDeferred(StitchDeferredSteps *steps,
                               StitchStatus (*run)(void *context, const StitchDeferred *deferred), void *context) {
  if (steps->count == 0)
    return NULL;
  int64_t first = steps->data[0].step, last = steps->data[steps->count - 1].step;
  while (first > 0 && steps->model->steps[first - 1].superEpoch == steps->model->steps[first].superEpoch)
    --first; // steps that launch nothing
  bool *hasRun = calloc((size_t)(last - first) + 1, sizeof(*hasRun));
  StitchStatus status = hasRun ? NULL : stitchStatusOutOfMemory();
  for (int64_t i = first; i <= last && !status; ++i) {
    int64_t step = nextStep(steps, first, last, hasRun);
    for (int64_t j = 0; j < steps->count && !status; ++j)
      if (steps->data[j].step == step)
        status = run(context, &steps->data[j]);
    hasRun[step - first] = true;
  }
  free(hasRun);
  for (int64_t i = 0; i < steps->count; ++i)
    free(steps->data[i].arguments);
  steps->count = 0;
  return status;
}

void stitchDropDeferred(StitchDeferredSteps *steps) {
  for (int64_t i = 0; i < steps->count; ++i)
    free(steps->data[i].arguments);
  free(steps->data);
  steps->data = NULL;
  steps->count = steps->capacity = 0;
}
