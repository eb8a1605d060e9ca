//===- driver.h - the CUDA driver and one GPU's primary context ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A StitchCuda is the driver's table of functions, a GPU, and that GPU's primary context: the one that the CUDA
// runtime, and so every framework in this process, uses. It is shared by reference count between sessions and tensors.
// All functions may be called from several threads concurrently.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_DRIVER_H
#define STITCH_RUNTIME_CUDA_DRIVER_H

#include "runtime/cuda/cuda_memory_abi.h"
#include "runtime/status.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
  void *library; ///< dlopen's handle
  int version;   ///< newest CUDA that the driver supports: 1000 * major + 10 * minor
#define CUDA_SYMBOL(name, version, parameters) CUresult(*name) parameters;
#include "runtime/cuda/cuda_symbols.def"
#undef CUDA_SYMBOL
} StitchCudaDriver;

typedef struct {
  StitchCudaDriver driver;
  atomic_int references;
  CUdevice device;
  CUcontext context;
  int ordinal;
  char name[128]; ///< of the GPU
  int arch;       ///< 90 for compute capability 9.0
  int multiprocessors;
  int sharedPerBlock; ///< bytes, the opt-in limit
  bool cooperative;   ///< has cooperative launches
} StitchCuda;

/// Opens the driver, in `folder` or (NULL) where the system's loader looks, and retains the primary context of GPU
/// `ordinal`. Fails with STITCH_NOT_FOUND if there is no driver or no such GPU, with STITCH_FAILED_PRECONDITION if the
/// driver is older than CUDA 12.0. The caller releases the result.
StitchStatus stitchCudaCreate(const char *folder, int ordinal, StitchCuda **cuda);
StitchCuda *stitchCudaRetain(StitchCuda *cuda);
void stitchCudaRelease(StitchCuda *cuda);

/// Makes the context the calling thread's current one until stitchCudaLeave, which restores the previous one.
StitchStatus stitchCudaEnter(StitchCuda *cuda);
void stitchCudaLeave(StitchCuda *cuda);

/// Whether a stream is being captured. Then enqueued operations are not executed, and must not be waited for.
StitchStatus stitchCudaIsCapturing(StitchCuda *cuda, CUstream stream, bool *capturing);

/// NULL for CUDA_SUCCESS, else a status with the call's name, the error's name and its text.
StitchStatus stitchCudaCheck(const StitchCudaDriver *driver, CUresult result, const char *call);

/// CUDA_CALL(cuda, cuMemFree, pointer) calls a function of the driver; the value is its status.
#define CUDA_CALL(cuda, function, ...) stitchCudaCheck(&(cuda)->driver, (cuda)->driver.function(__VA_ARGS__), #function)

#endif // STITCH_RUNTIME_CUDA_DRIVER_H
