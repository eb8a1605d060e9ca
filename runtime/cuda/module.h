//===- module.h - a model's kernels, loaded on a GPU ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_MODULE_H
#define STITCH_RUNTIME_CUDA_MODULE_H

#include "runtime/cuda/driver.h"
#include "runtime/model.h"

/// A kernel and what has been found out about its launches.
typedef struct {
  const char *name;
  CUfunction function;
  int maxBlock;      ///< threads that a block of it can have
  int staticShared;  ///< bytes of shared memory that it has besides
  int cluster;       ///< blocks in a cluster, fixed when it was compiled; 0 or 1: it has none
  int sharedAllowed; ///< dynamic shared memory that the function is set up for
  /// Of the last launch that was checked: with these, up to `residentBlocks` blocks run at once.
  int64_t checkedBlock, checkedShared, residentBlocks;
} StitchCudaKernel;

typedef struct {
  StitchCuda *cuda; ///< borrowed
  CUmodule module;
  int64_t numKernels;
  StitchCudaKernel *kernels;
  char image[64]; ///< what was loaded, for reports: "sm_90 cubin" or "compute_80 PTX"
} StitchCudaModule;

typedef struct {
  int64_t kernel;
  int64_t grid, block, sharedBytes;
  bool cooperative;
  void *const *arguments; ///< device pointers
  int64_t numArguments;
} StitchCudaLaunch;

/// Loads the image of the model that suits the GPU best: a cubin for exactly this architecture, then PTX for this or an
/// older one, newest first, then a cubin for an older one of the same generation. The next one is tried where one
/// cannot be loaded. Fails with STITCH_FAILED_PRECONDITION if no image suits, saying which there are; a failure to load
/// PTX has the compiler's log. The context must be current, here and below.
StitchStatus stitchCudaModuleLoad(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaModule **module);
void stitchCudaModuleFree(StitchCudaModule *module);

/// Checks a launch against the GPU's limits, and sets the kernel up for its shared memory. A launch like the last one
/// of the same kernel costs two comparisons.
StitchStatus stitchCudaModulePrepare(StitchCudaModule *module, const StitchCudaLaunch *launch);

/// Launches on a stream. `parameters` has room for a pointer for each argument.
StitchStatus stitchCudaModuleLaunch(StitchCudaModule *module, const StitchCudaLaunch *launch, CUstream stream,
                                    void **parameters);

#endif // STITCH_RUNTIME_CUDA_MODULE_H
