//===- module.h - a model's kernels, loaded on a GPU ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_MODULE_H
#define STITCH_RUNTIME_CUDA_MODULE_H

#include "runtime/cuda/image.h"

/// A kernel with the checked limits of its launches.
typedef struct {
  const char *name;
  CUfunction function;
  int maxBlock;      ///< threads that a block of it can have
  int staticShared;  ///< bytes of its static shared memory
  int cluster;       ///< blocks in a cluster, fixed when it was compiled; 0 or 1: it has none
  int sharedAllowed; ///< dynamic shared memory that the function is set up for
  /// Of the last launch that was checked: with these, up to `residentBlocks` blocks are resident.
  int64_t checkedBlock, checkedShared, residentBlocks;
} StitchCudaKernel;

/// The kernels of a model, for one session.
typedef struct {
  StitchCuda *cuda;       ///< borrowed
  StitchCudaImage *image; ///< NULL: the model has no kernels
  bool launchesAhead;     ///< kernels wait by themselves for those before them, which are on the same stream
  int64_t before;         ///< blocks of the launch before the next one; -1: another step is before it, or none
  int64_t numKernels;
  StitchCudaKernel *kernels;
} StitchCudaModule;

typedef struct {
  int64_t kernel;
  int64_t grid, block, sharedBytes;
  bool cooperative;
  void *const *arguments; ///< device pointers
  int64_t numArguments;
} StitchCudaLaunch;

/// Loads the kernels; fails as stitchCudaImageAcquire does. The context must be current, here and below.
StitchStatus stitchCudaModuleLoad(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaModule **module);
void stitchCudaModuleFree(StitchCudaModule *module);

/// Checks a launch against the GPU's limits, and sets the kernel up for its shared memory. A launch like the last one
/// of the same kernel costs two comparisons.
StitchStatus stitchCudaModulePrepare(StitchCudaModule *module, const StitchCudaLaunch *launch);

/// Says that the next launch does not come right behind one of this module.
void stitchCudaModuleForget(StitchCudaModule *module);

/// Launches on a stream, perhaps before the launch before it has ended. `parameters` has room for a pointer for each
/// argument.
StitchStatus stitchCudaModuleLaunch(StitchCudaModule *module, const StitchCudaLaunch *launch, CUstream stream,
                                    void **parameters);

#endif // STITCH_RUNTIME_CUDA_MODULE_H
