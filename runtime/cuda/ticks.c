//===- ticks.c - where a GPU is in its calls between processes -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches a kernel of one thread before and after each call between processes. The kernel writes the call's number and
// a count to pinned memory, which the peers' thread watches.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/ticks.h"

#include <stdlib.h>

StitchStatus stitchTicksCreate(const StitchOwnKernels *kernels, StitchPeers *peers, int64_t numCalls, StitchTicks *t) {
  StitchCuda *cuda = kernels->cuda;
  void *word = NULL;
  *t = (StitchTicks){.kernels = kernels, .peers = peers, .watched = -1, .numCalls = numCalls};
  t->calls = calloc((size_t)numCalls + 2, sizeof(*t->calls));
  StitchStatus status = t->calls ? NULL : stitchStatusOutOfMemory();
  if (!status)
    status = CUDA_CALL(cuda, cuEventCreate, &t->event, CU_EVENT_DISABLE_TIMING);
  if (status)
    t->event = NULL;
  else
    status = CUDA_CALL(cuda, cuMemHostAlloc, &word, sizeof(*t->word), 0);
  if (status)
    return status;
  t->word = word;
  *t->word = 0;
  status = CUDA_CALL(cuda, cuMemAlloc, &t->counter, sizeof(*t->word));
  if (status)
    t->counter = 0;
  // The memset is done when the program's first run begins: its stream is another one.
  if (!status)
    status = CUDA_CALL(cuda, cuMemsetD8Async, t->counter, 0, sizeof(*t->word), (CUstream)1);
  return status ? status : CUDA_CALL(cuda, cuStreamSynchronize, (CUstream)1);
}

void stitchTicksFree(StitchTicks *t) {
  StitchCuda *cuda = t->kernels ? t->kernels->cuda : NULL;
  if (!cuda)
    return;
  if (t->watched >= 0)
    stitchPeersForget(t->peers, t->watched);
  if (t->counter)
    cuda->driver.cuMemFree(t->counter);
  if (t->word)
    cuda->driver.cuMemFreeHost(t->word);
  if (t->event)
    cuda->driver.cuEventDestroy(t->event);
  free(t->calls);
  *t = (StitchTicks){0};
}

void stitchTicksAdd(StitchTicks *t, int64_t call, const char *name, StitchWorldGroup group) {
  t->calls[call] = (StitchPeersCall){name, group.ranks, group.count};
}

/// The start of a run is the call behind all others.
StitchStatus stitchTicksWatch(StitchTicks *t) {
  t->watched = stitchPeersWatch(t->peers, t->word, t->calls, t->numCalls + 1);
  return t->watched < 0 ? stitchStatusOutOfMemory() : NULL;
}

void stitchTicksBeginRun(StitchTicks *t) { t->last = NULL; }

StitchStatus stitchTicksEnter(StitchTicks *t, int64_t call, CUstream stream, StitchTickParameters *parameters) {
  *parameters = (StitchTickParameters){(void *)(uintptr_t)t->counter, t->word, (uint64_t)call};
  return t->last && t->last != stream ? CUDA_CALL(t->kernels->cuda, cuStreamWaitEvent, stream, t->event, 0) : NULL;
}

StitchStatus stitchTicksLeave(StitchTicks *t, CUstream stream) {
  StitchStatus status = CUDA_CALL(t->kernels->cuda, cuEventRecord, t->event, stream);
  t->last = status ? NULL : stream;
  return status;
}

StitchStatus stitchTicksBegin(StitchTicks *t, int64_t call, CUstream stream) {
  StitchTickParameters parameters;
  StitchStatus status = stitchTicksEnter(t, call, stream, &parameters);
  return status ? status : stitchOwnKernelsLaunch(t->kernels, STITCH_OWN_TICK, 1, &parameters, stream);
}

StitchStatus stitchTicksEnd(StitchTicks *t, int64_t call, CUstream stream) {
  StitchTickParameters parameters = {(void *)(uintptr_t)t->counter, t->word, (uint64_t)call};
  StitchStatus status = stitchOwnKernelsLaunch(t->kernels, STITCH_OWN_TICK, 1, &parameters, stream);
  return status ? status : stitchTicksLeave(t, stream);
}
