//===- autotune.h - choosing an algorithm by measurement -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_AUTOTUNE_H
#define STITCH_RUNTIME_CUDA_AUTOTUNE_H

#include "runtime/cuda/driver.h"

/// Ways to do the same thing.
typedef struct {
  int count;
  void *data;
  StitchStatus (*run)(void *data, int candidate, CUstream stream); ///< enqueues one of them
} StitchCudaCandidates;

/// Times each candidate and waits for it. Sets `fastest` to the number of the fastest; to -1, having done nothing,
/// while the stream is captured.
StitchStatus stitchCudaFindFastest(StitchCuda *cuda, const StitchCudaCandidates *candidates, CUstream stream,
                                   int *fastest);

#endif // STITCH_RUNTIME_CUDA_AUTOTUNE_H
