//===- cuda_run_streams.h - the steps of a model on several streams -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first stream is the session's, or the captured one. Steps that the versions of adaptive variables put on others
// wait for events, and are joined at the end of each super-epoch. A capture makes branches of them.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDA_RUN_STREAMS_H
#define STITCH_RUNTIME_CUDA_CUDA_RUN_STREAMS_H

#include "runtime/cuda/driver.h"
#include "runtime/model_steps.h"

typedef struct {
  StitchCuda *cuda;
  const StitchModelDescriptor *model;
  int64_t count;
  CUstream *streams; ///< the first one is that of the run
  CUevent *ends;     ///< of each step that one on another stream waits for
  CUevent *joins;    ///< of each stream: its work before a join; of the first one, before a super-epoch
  bool *isUsed;      ///< of each stream, since the last join
  const int64_t *versions;
  int64_t step;    ///< the current step; -1: none
  int64_t current; ///< the stream that it is on
  bool isParallel; ///< the super-epoch is
} StitchCudaStreams;

/// The context is current, here and below. Released by stitchCudaStreamsDestroy, after a failure, too.
StitchStatus stitchCudaStreamsCreate(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaStreams *streams);
void stitchCudaStreamsDestroy(StitchCudaStreams *streams);

/// After a run that failed: waits for its work on other streams than the first.
void stitchCudaStreamsAbandon(StitchCudaStreams *streams);

/// Whether steps that were enqueued since the last join may be on stream `number`.
bool stitchCudaStreamsIsUsed(const StitchCudaStreams *streams, int64_t number);

/// Before a run on `stream` with these versions.
void stitchCudaStreamsBegin(StitchCudaStreams *streams, CUstream stream, const int64_t *versions);

/// A step begins (runtime/model.h); -1: all before are joined.
StitchStatus stitchCudaStreamsStep(StitchCudaStreams *streams, int64_t step);

/// The stream of the next operation.
CUstream stitchCudaStreamsCurrent(const StitchCudaStreams *streams);

#endif // STITCH_RUNTIME_CUDA_CUDA_RUN_STREAMS_H
