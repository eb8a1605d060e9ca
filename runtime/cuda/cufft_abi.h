//===- cufft_abi.h - the part of cuFFT that Stitch uses ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of a published binary interface (cuFFT 11 and 12, of CUDA 12 and 13, which agree in all declarations
// here), as in cuda_abi.h. A plan is an int, enumerations are ints.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUFFT_ABI_H
#define STITCH_RUNTIME_CUDA_CUFFT_ABI_H

#include "runtime/cuda/cuda_abi.h"

#ifndef _CUFFT_H_ // the guard of cufft.h

typedef int cufftHandle;

enum { CUFFT_PLAN_NULL = -1, CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

typedef enum {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_TYPE = 3,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_INTERNAL_ERROR = 5,
  CUFFT_EXEC_FAILED = 6,
  CUFFT_SETUP_FAILED = 7,
  CUFFT_INVALID_SIZE = 8,
  CUFFT_INVALID_DEVICE = 11,
  CUFFT_NO_WORKSPACE = 13,
  CUFFT_NOT_IMPLEMENTED = 14,
  CUFFT_NOT_SUPPORTED = 16,
} cufftResult;

typedef enum {
  CUFFT_C2C = 0x29,
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_Z2Z = 0x69,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
} cufftType;

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef struct {
  float x, y;
} cufftComplex;
typedef struct {
  double x, y;
} cufftDoubleComplex;

#endif // _CUFFT_H_

#endif // STITCH_RUNTIME_CUDA_CUFFT_ABI_H
