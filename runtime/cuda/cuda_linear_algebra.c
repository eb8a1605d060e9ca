//===- cuda_linear_algebra.c - matrices of tg.cholesky and tg.triangular_solve ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a StitchMatrixProblem into the arguments of cuSOLVER and cuBLAS: triangles and sides as seen column by column,
// and arrays of addresses for batches.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_linear_algebra.h"

#include <limits.h>

StitchStatus stitchMatrixNumber(StitchElementType type, StitchKernelNumber *number) {
  number->isComplex = type == STITCH_ELEMENT_COMPLEX64 || type == STITCH_ELEMENT_COMPLEX128;
  number->isDouble = type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_COMPLEX128;
  if (!number->isComplex && !number->isDouble && type != STITCH_ELEMENT_F32)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "there is no linear algebra of %s", stitchElementName(type));
  return NULL;
}

cublasFillMode_t stitchMatrixTriangle(const StitchMatrixProblem *problem) {
  return problem->triangle.isUpper ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

bool stitchMatricesAreBatched(const StitchMatrixProblem *problem) {
  enum { LARGEST_OF_A_BATCH = 512 };
  return problem->batch > 1 && problem->batch <= INT_MAX && problem->size <= LARGEST_OF_A_BATCH;
}

size_t stitchMatrixAddressesBytes(const StitchMatrixProblem *problem) {
  return stitchMatricesAreBatched(problem) ? stitchCudaAligned((size_t)problem->batch * sizeof(CUdeviceptr)) : 0;
}

StitchStatus stitchMatrixAddresses(const StitchOwnKernels *kernels, const StitchMatrixProblem *problem,
                                   const void *matrices, size_t matrixBytes, void *addresses, CUstream stream) {
  StitchAddressesParameters parameters = {
      .addresses = addresses,
      .first = (CUdeviceptr)(uintptr_t)matrices,
      .step = matrixBytes,
      .count = problem->batch,
  };
  return stitchOwnKernelsLaunch(kernels, STITCH_OWN_ADDRESSES, problem->batch, &parameters, stream);
}
