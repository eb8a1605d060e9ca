//===- cublas_abi.h - the part of cuBLAS that Stitch uses ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of a published binary interface (cuBLAS 12 and 13, which agree in all declarations here), as in
// cuda_abi.h. The declarations that cuBLASLt shares are in cublaslt_abi.h.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUBLAS_ABI_H
#define STITCH_RUNTIME_CUDA_CUBLAS_ABI_H

#include "runtime/cuda/cublaslt_abi.h"

#ifndef CUBLAS_API_H_ // the guard of cublas_api.h

typedef struct cublasContext *cublasHandle_t;

typedef enum { CUBLAS_GEMM_DEFAULT = -1 } cublasGemmAlgo_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;

typedef struct {
  float x, y;
} cuComplex;
typedef struct {
  double x, y;
} cuDoubleComplex;

#endif // CUBLAS_API_H_

#endif // STITCH_RUNTIME_CUDA_CUBLAS_ABI_H
