//===- image.h - a model's machine code, loaded on a GPU -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All sessions of a model in one context share the loaded module. Functions may be called from several threads
// concurrently.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_IMAGE_H
#define STITCH_RUNTIME_CUDA_IMAGE_H

#include "runtime/cuda/driver.h"
#include "runtime/model.h"

typedef struct StitchCudaImage StitchCudaImage;

/// Loads the image of the model that suits the GPU best, unless it is loaded. The order is a cubin for exactly this
/// architecture, then PTX for this or an older one, newest first, then a cubin for an older one of the same generation.
/// The next one is tried where one cannot be loaded. Fails with STITCH_FAILED_PRECONDITION if no image suits, saying
/// which there are; a failure to load PTX has the compiler's log. The context must be current, here and below. The
/// caller releases the result.
StitchStatus stitchCudaImageAcquire(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaImage **image);

/// Unloads it with its last user. NULL is allowed.
void stitchCudaImageRelease(StitchCudaImage *image);

CUmodule stitchCudaImageModule(const StitchCudaImage *image);

/// Whether each kernel waits by itself for those before it (lowering/ptx/grid_dependency.c), and so may be launched
/// before they have ended.
bool stitchCudaImageWaits(const StitchCudaImage *image);

/// The loaded image, for reports: "sm_90 cubin" or "compute_90 PTX".
const char *stitchCudaImageName(const StitchCudaImage *image);

/// Allows a function of the image `bytes` of dynamic shared memory, or more if it has been allowed more.
StitchStatus stitchCudaImageAllowShared(StitchCudaImage *image, CUfunction function, int bytes);

#endif // STITCH_RUNTIME_CUDA_IMAGE_H
