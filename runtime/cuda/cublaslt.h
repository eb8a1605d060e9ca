//===- cublaslt.h - cuBLASLt, opened at run time -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUBLASLT_H
#define STITCH_RUNTIME_CUDA_CUBLASLT_H

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/status.h"

typedef struct {
  void *library; ///< dlopen's handle
  cublasLtHandle_t handle;
#define CUBLASLT_SYMBOL(result, name, parameters) result(*name) parameters;
#include "runtime/cuda/cublaslt_symbols.def"
#undef CUBLASLT_SYMBOL
} StitchCublasLt;

/// Opens the library, in `folder` or (NULL) where the system's loader looks, and creates a handle for the current
/// context. Fails with STITCH_NOT_FOUND if it is not there. To be closed, also after a failure.
StitchStatus stitchCublasLtOpen(const char *folder, StitchCublasLt *blas);
void stitchCublasLtClose(StitchCublasLt *blas);

/// NULL for success, else a status with the call's name, the status' name and its text.
StitchStatus stitchCublasLtCheck(const StitchCublasLt *blas, cublasStatus_t result, const char *call);

/// CUBLASLT_CALL(blas, cublasLtCreate, ...) calls a function of the library; the value is its status.
#define CUBLASLT_CALL(blas, function, ...) stitchCublasLtCheck((blas), (blas)->function(__VA_ARGS__), #function)

#endif // STITCH_RUNTIME_CUDA_CUBLASLT_H
