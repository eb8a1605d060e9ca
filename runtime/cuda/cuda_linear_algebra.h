//===- cuda_linear_algebra.h - matrices of tg.cholesky and tg.triangular_solve ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of factors and systems of equations on a GPU. The vendor's libraries see the transpose of a row-major
// matrix, as LAPACK does (runtime/library/cpu_linear_algebra.h): triangles and sides are exchanged.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDA_LINEAR_ALGEBRA_H
#define STITCH_RUNTIME_CUDA_CUDA_LINEAR_ALGEBRA_H

#include "runtime/cuda/call.h"
#include "runtime/library/cpu_linear_algebra.h"

/// The numbers of a type for our own kernels; fails with STITCH_UNIMPLEMENTED if they do not know it.
StitchStatus stitchMatrixNumber(StitchElementType type, StitchKernelNumber *number);

/// The triangle of a row-major matrix in that of its transpose.
cublasFillMode_t stitchMatrixTriangle(const StitchMatrixProblem *problem);

/// Whether the matrices of a problem are so many and so small that they are a batch for a library, and not a loop of
/// calls. cuBLAS' documentation recommends batches for small matrices, where launches count. It recommends calls one by
/// one for others. The limit has not been measured here; where others did (MLX's Cholesky on an L40S), potrfBatched of
/// 16 matrices of 512 x 512 took a seventh of the loop's time.
bool stitchMatricesAreBatched(const StitchMatrixProblem *problem);

/// Bytes of the addresses that a batch needs; 0 for a loop.
size_t stitchMatrixAddressesBytes(const StitchMatrixProblem *problem);

/// Enqueues writing the addresses of a problem's matrices, which are `matrixBytes` apart, to `addresses`.
StitchStatus stitchMatrixAddresses(const StitchOwnKernels *kernels, const StitchMatrixProblem *problem,
                                   const void *matrices, size_t matrixBytes, void *addresses, CUstream stream);

#endif // STITCH_RUNTIME_CUDA_CUDA_LINEAR_ALGEBRA_H
