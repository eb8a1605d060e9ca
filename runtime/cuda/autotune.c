//===- autotune.c - choosing an algorithm by measurement -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/autotune.h"

enum { TIMED_RUNS = 5 };

typedef struct {
  StitchCuda *cuda;
  const StitchCudaCandidates *candidates;
  CUstream stream;
  CUevent start, end;
} Stopwatch;

/// Time of some runs of a candidate, in milliseconds.
static StitchStatus timeCandidate(const Stopwatch *watch, int candidate, float *milliseconds) {
  const StitchCudaCandidates *candidates = watch->candidates;
  StitchCuda *cuda = watch->cuda;
  StitchStatus status = candidates->run(candidates->data, candidate, watch->stream); // what is done once
  if (!status)
    status = CUDA_CALL(cuda, cuEventRecord, watch->start, watch->stream);
  for (int i = 0; i < TIMED_RUNS && !status; ++i)
    status = candidates->run(candidates->data, candidate, watch->stream);
  if (!status)
    status = CUDA_CALL(cuda, cuEventRecord, watch->end, watch->stream);
  if (!status)
    status = CUDA_CALL(cuda, cuEventSynchronize, watch->end);
  return status ? status : CUDA_CALL(cuda, cuEventElapsedTime, milliseconds, watch->start, watch->end);
}

/// A candidate that the library refuses to run is out of the contest; if all are, that is the failure.
static StitchStatus timeAll(const Stopwatch *watch, int *fastest) {
  float best = 0.0f;
  StitchStatus refusal = NULL;
  for (int i = 0; i < watch->candidates->count; ++i) {
    float time = 0.0f;
    StitchStatus status = timeCandidate(watch, i, &time);
    if (!status && (*fastest < 0 || time < best)) {
      *fastest = i;
      best = time;
    } else if (status) {
      stitchStatusFree(refusal);
      refusal = status;
      if (stitchStatusCode(status) != STITCH_UNIMPLEMENTED)
        return status;
    }
  }
  if (*fastest < 0)
    return refusal;
  stitchStatusFree(refusal);
  return NULL;
}

StitchStatus stitchCudaFindFastest(StitchCuda *cuda, const StitchCudaCandidates *candidates, CUstream stream,
                                   int *fastest) {
  bool capturing = false;
  Stopwatch watch = {.cuda = cuda, .candidates = candidates, .stream = stream};
  *fastest = -1;
  StitchStatus status = stitchCudaIsCapturing(cuda, stream, &capturing);
  if (status || capturing)
    return status;
  status = CUDA_CALL(cuda, cuEventCreate, &watch.start, CU_EVENT_DEFAULT);
  if (!status)
    status = CUDA_CALL(cuda, cuEventCreate, &watch.end, CU_EVENT_DEFAULT);
  if (!status)
    status = timeAll(&watch, fastest);
  if (watch.start)
    cuda->driver.cuEventDestroy(watch.start);
  if (watch.end)
    cuda->driver.cuEventDestroy(watch.end);
  return status;
}
