//===- cublas.h - cuBLAS, opened at run time -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUBLAS_H
#define STITCH_RUNTIME_CUDA_CUBLAS_H

#include "runtime/cuda/cublas_abi.h"
#include "runtime/status.h"

#include <stddef.h>

typedef struct {
  void *library; ///< dlopen's handle
  cublasHandle_t handle;
  int version; ///< 10000 * major + 100 * minor + patch
#define CUBLAS_SYMBOL(result, name, parameters) result(*name) parameters;
#include "runtime/cuda/cublas_symbols.def"
#undef CUBLAS_SYMBOL
} StitchCublas;

/// Opens the library, in `folder` or (NULL) where the system's loader looks, and creates a handle for the current
/// context. Fails with STITCH_NOT_FOUND if it is not there, or one that is older than cuBLAS 12 or has not all
/// functions. To be closed, also after a failure.
StitchStatus stitchCublasOpen(const char *folder, StitchCublas *blas);
void stitchCublasClose(StitchCublas *blas);

/// NULL for success, else a status with the call's name, the status' name and its text.
StitchStatus stitchCublasCheck(const StitchCublas *blas, cublasStatus_t result, const char *call);

/// CUBLAS_CALL(blas, cublasCreate_v2, ...) calls a function of the library; the value is its status.
#define CUBLAS_CALL(blas, function, ...) stitchCublasCheck((blas), (blas)->function(__VA_ARGS__), #function)

/// NVIDIA's recommendation for cublasSetWorkspace on an architecture such as 90.
static inline size_t stitchCublasWorkspaceBytes(int arch) { return (size_t)(arch >= 90 ? 32 : 4) << 20; }

/// The next calls are enqueued on `stream`, with a workspace of ours, so that they can be captured without memory of
/// cuBLAS' own (its documentation, "CUDA Graphs Support", cublasSetWorkspace).
StitchStatus stitchCublasBegin(const StitchCublas *blas, CUstream stream, void *workspace, size_t bytes);

#endif // STITCH_RUNTIME_CUDA_CUBLAS_H
