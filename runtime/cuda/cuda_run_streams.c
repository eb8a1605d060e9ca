//===- cuda_run_streams.c - the steps of a model on several streams -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the streams and dependences of StitchModelStep. Records and awaits events between the streams of a super-epoch,
// and joins all streams at its end. Source: Astra 4.5.3.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_run_streams.h"

#include <stdlib.h>

static StitchStatus createEvents(StitchCuda *cuda, CUevent *events, int64_t count) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < count && !status; ++i) {
    status = CUDA_CALL(cuda, cuEventCreate, &events[i], CU_EVENT_DISABLE_TIMING);
    if (status)
      events[i] = NULL;
  }
  return status;
}

StitchStatus stitchCudaStreamsCreate(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaStreams *s) {
  *s = (StitchCudaStreams){.cuda = cuda, .model = model, .count = 1, .step = -1};
  bool isParallel = model->numStreams > 1;
  int64_t count = isParallel ? model->numStreams : 1;
  s->streams = calloc((size_t)count, sizeof(CUstream));
  s->ends = calloc((size_t)model->numSteps + 1, sizeof(CUevent));
  s->joins = calloc((size_t)count, sizeof(CUevent));
  s->isUsed = calloc((size_t)count, sizeof(bool));
  if (!s->streams || !s->ends || !s->joins || !s->isUsed)
    return stitchStatusOutOfMemory();
  if (!isParallel)
    return NULL;
  StitchStatus status = NULL;
  for (; s->count < count && !status; s->count += !status)
    status = CUDA_CALL(cuda, cuStreamCreate, &s->streams[s->count], CU_STREAM_NON_BLOCKING);
  if (!status)
    status = createEvents(cuda, s->ends, model->numSteps);
  return status ? status : createEvents(cuda, s->joins, count);
}

void stitchCudaStreamsDestroy(StitchCudaStreams *s) {
  for (int64_t i = 1; i < s->count; ++i)
    s->cuda->driver.cuStreamDestroy(s->streams[i]);
  for (int64_t i = 0; s->ends && i < s->model->numSteps; ++i)
    if (s->ends[i])
      s->cuda->driver.cuEventDestroy(s->ends[i]);
  for (int64_t i = 0; s->joins && i < s->model->numStreams; ++i)
    if (s->joins[i])
      s->cuda->driver.cuEventDestroy(s->joins[i]);
  free(s->streams);
  free(s->ends);
  free(s->joins);
  free(s->isUsed);
  *s = (StitchCudaStreams){0};
}

void stitchCudaStreamsBegin(StitchCudaStreams *s, CUstream stream, const int64_t *versions) {
  s->streams[0] = stream;
  s->versions = versions;
  s->step = -1;
  s->current = 0;
  s->isParallel = false;
  for (int64_t i = 0; i < s->count; ++i)
    s->isUsed[i] = false;
}

void stitchCudaStreamsAbandon(StitchCudaStreams *s) {
  for (int64_t i = 1; i < s->count; ++i)
    if (s->isUsed[i])
      s->cuda->driver.cuStreamSynchronize(s->streams[i]);
}

bool stitchCudaStreamsIsUsed(const StitchCudaStreams *s, int64_t number) { return number == 0 || s->isUsed[number]; }

CUstream stitchCudaStreamsCurrent(const StitchCudaStreams *s) { return s->streams[s->current]; }

static StitchStatus record(StitchCudaStreams *s, CUevent event, int64_t stream) {
  return CUDA_CALL(s->cuda, cuEventRecord, event, s->streams[stream]);
}

static StitchStatus await(StitchCudaStreams *s, int64_t stream, CUevent event) {
  return CUDA_CALL(s->cuda, cuStreamWaitEvent, s->streams[stream], event, 0);
}

/// Whether a step on another stream waits for it.
static bool isAwaited(const StitchCudaStreams *s, int64_t step) {
  const StitchModelStep *steps = s->model->steps;
  for (int64_t i = step + 1; i < s->model->numSteps && steps[i].superEpoch == steps[step].superEpoch; ++i)
    for (int64_t j = 0; j < steps[i].numAfter; ++j)
      if (steps[i].after[j] == step && stitchStepStream(s->model, s->versions, i) != s->current)
        return true;
  return false;
}

static StitchStatus join(StitchCudaStreams *s) {
  StitchStatus status = NULL;
  for (int64_t i = 1; i < s->count && !status; ++i) {
    if (!s->isUsed[i])
      continue;
    status = record(s, s->joins[i], i);
    if (!status)
      status = await(s, 0, s->joins[i]);
    s->isUsed[i] = status != NULL; // its work has to be abandoned
  }
  s->current = 0;
  s->isParallel = false;
  return status;
}

/// Has the stream of the step wait for the step's dependences. A stream other than the first one waits first for the
/// work before the super-epoch.
static StitchStatus enter(StitchCudaStreams *s, int64_t step) {
  StitchStatus status = NULL;
  const StitchModelStep *info = &s->model->steps[step];
  s->current = stitchStepStream(s->model, s->versions, step);
  if (s->current && !s->isUsed[s->current])
    status = await(s, s->current, s->joins[0]);
  s->isUsed[s->current] = true;
  for (int64_t i = 0; i < info->numAfter && !status; ++i)
    if (stitchStepStream(s->model, s->versions, info->after[i]) != s->current)
      status = await(s, s->current, s->ends[info->after[i]]);
  return status;
}

StitchStatus stitchCudaStreamsStep(StitchCudaStreams *s, int64_t step) {
  StitchStatus status = NULL;
  int64_t last = s->step;
  s->step = step;
  if (last >= 0 && s->isParallel && isAwaited(s, last))
    status = record(s, s->ends[last], s->current);
  if (step < 0)
    return status ? status : join(s);
  if (!status && last < 0 && stitchSuperEpochIsParallel(s->model, s->versions, step)) {
    s->isParallel = true;
    status = record(s, s->joins[0], 0);
  }
  return status || !s->isParallel ? status : enter(s, step);
}
