//===- own_kernels.h - launching the runtime's own kernels ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_OWN_KERNELS_H
#define STITCH_RUNTIME_CUDA_OWN_KERNELS_H

#include "runtime/cuda/kernels.h"
#include "runtime/cuda/module.h"
#include "runtime/library/sums.h"

typedef struct {
  StitchCuda *cuda;         ///< borrowed
  StitchCudaModule *module; ///< NULL: not loaded
} StitchOwnKernels;

typedef enum {
  STITCH_OWN_PACK,
  STITCH_OWN_DOT,
  STITCH_OWN_CONVOLUTION,
  STITCH_OWN_EPILOGUE,
  STITCH_OWN_SUMS,
  STITCH_OWN_CHOLESKY_COLUMN,
  STITCH_OWN_CHOLESKY_FINISH,
  STITCH_OWN_TRIANGULAR_SOLVE,
  STITCH_OWN_ADDRESSES,
  STITCH_OWN_ADDRESS_LIST,
  STITCH_OWN_ROOTS,
  STITCH_OWN_FOURIER,
  STITCH_OWN_SPECTRUM,
  STITCH_OWN_COMBINE,
  STITCH_OWN_TICK,
  STITCH_OWN_SIGNAL,
} StitchOwnKernel;

/// Loads the kernels. To be freed, also after a failure.
StitchStatus stitchOwnKernelsLoad(StitchCuda *cuda, StitchOwnKernels *kernels);
void stitchOwnKernelsFree(StitchOwnKernels *kernels);

/// Enqueues a kernel with `threads` things to do, which its parameters describe.
StitchStatus stitchOwnKernelsLaunch(const StitchOwnKernels *kernels, StitchOwnKernel kernel, int64_t threads,
                                    void *parameters, CUstream stream);

StitchKernelAxes stitchKernelAxesOf(const StitchAxes *axes);

/// Enqueues copying the elements of `axes` at `from`, in row-major order, to `to`.
StitchStatus stitchOwnKernelsPack(const StitchOwnKernels *kernels, const StitchKernelAxes *axes, size_t elementBytes,
                                  const void *from, void *to, CUstream stream);

/// Enqueues the epilogue of a problem, whose result is there, on each element of it. `pointers` are the problem's
/// operands.
StitchStatus stitchOwnKernelsEpilogue(const StitchOwnKernels *kernels, const StitchLibraryProblem *problem,
                                      void *const *pointers, CUstream stream);

/// Enqueues the sum of an epilogue.
StitchStatus stitchOwnKernelsSums(const StitchOwnKernels *kernels, const StitchSums *sums, void *const *pointers,
                                  CUstream stream);

#endif // STITCH_RUNTIME_CUDA_OWN_KERNELS_H
