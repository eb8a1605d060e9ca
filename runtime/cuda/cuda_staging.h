//===- cuda_staging.h - host tensors of a run on a GPU --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs in host memory are copied to the GPU before a run and outputs back after it. The device memory for them is one
// allocation, made when the first host tensor comes, with a fixed place for each input and output.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDA_STAGING_H
#define STITCH_RUNTIME_CUDA_CUDA_STAGING_H

#include "runtime/cuda/driver.h"
#include "runtime/device.h"

typedef struct {
  const StitchModelDescriptor *model;
  StitchCuda *cuda;
  bool pinned;        ///< copies go through page-locked host memory
  CUdeviceptr device; ///< 0: not allocated yet
  char *host;         ///< with `pinned`
  size_t *offsets;    ///< of inputs, then outputs, in both
  void **pointers;    ///< of inputs, then outputs, of the current run: all in device memory
} StitchCudaStaging;

StitchStatus stitchCudaStagingCreate(const StitchModelDescriptor *model, StitchCuda *cuda, bool pinned,
                                     StitchCudaStaging *staging);

/// Whether any tensor is in host memory.
bool stitchCudaStagingIsNeeded(const StitchCudaStaging *staging, const StitchRunTensors *tensors);

/// Sets `pointers`, and enqueues the copies of host inputs.
StitchStatus stitchCudaStagingBegin(StitchCudaStaging *staging, const StitchRunTensors *tensors, CUstream stream);

/// Copies outputs back and waits for the stream, if any tensor is in host memory.
StitchStatus stitchCudaStagingEnd(StitchCudaStaging *staging, const StitchRunTensors *tensors, CUstream stream);

/// Also after a failure of stitchCudaStagingCreate.
void stitchCudaStagingDestroy(StitchCudaStaging *staging);

#endif // STITCH_RUNTIME_CUDA_CUDA_STAGING_H
