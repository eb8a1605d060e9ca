//===- cusolver_abi.h - the part of cuSOLVER that Stitch uses ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of a published binary interface (cuSOLVER 11 and 12, of CUDA 12 and 13, which agree in all
// declarations here), as in cuda_abi.h: handles are pointers, enumerations ints.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUSOLVER_ABI_H
#define STITCH_RUNTIME_CUDA_CUSOLVER_ABI_H

#include "runtime/cuda/cublas_abi.h"

#ifndef CUSOLVERDN_H_ // the guard of cusolverDn.h

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;

typedef enum {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
} cusolverStatus_t;

#endif // CUSOLVERDN_H_

#endif // STITCH_RUNTIME_CUDA_CUSOLVER_ABI_H
