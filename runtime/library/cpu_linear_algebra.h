//===- cpu_linear_algebra.h - tg.cholesky and tg.triangular_solve on the CPU ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LAPACK's potrf and BLAS's trsm, one matrix of the batch after the other. They see a row-major matrix as its
// transpose: triangles and sides are exchanged, and only the operand is copied, into the result.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_LINEAR_ALGEBRA_H
#define STITCH_RUNTIME_LIBRARY_CPU_LINEAR_ALGEBRA_H

#include "runtime/library/cpu_library.h"

/// The sizes of a problem on matrices, read and checked.
typedef struct {
  StitchElementType type;
  int64_t batch;
  int64_t size;    ///< rows and columns of the triangular or the Hermitian matrix
  int64_t rows;    ///< of B, in a solve
  int64_t columns; ///< of B, in a solve
  StitchLibraryTriangle triangle;
} StitchMatrixProblem;

/// Fail with STITCH_INVALID_ARGUMENT if the problem contradicts itself.
StitchStatus stitchCholeskyProblem(const StitchLibraryProblem *problem, StitchMatrixProblem *matrices);
StitchStatus stitchTriangularSolveProblem(const StitchLibraryProblem *problem, StitchMatrixProblem *matrices);

/// Problems, prepared for the CPU.
typedef struct StitchCholesky StitchCholesky;
typedef struct StitchTriangularSolve StitchTriangularSolve;

/// These fail with STITCH_INVALID_ARGUMENT if the problem contradicts itself, and with STITCH_UNIMPLEMENTED if LAPACK
/// does not have its type or its sizes. The caller releases the result.
StitchStatus stitchCholeskyCreate(const StitchLibraryProblem *problem, StitchCholesky **cholesky);
StitchStatus stitchTriangularSolveCreate(const StitchLibraryProblem *problem, StitchTriangularSolve **solve);

/// `result` must not overlap the operands. A matrix that is not positive definite is no failure: its factor is NaN.
void stitchCholeskyExecute(const StitchCholesky *cholesky, const void *operand, void *result);
void stitchTriangularSolveExecute(const StitchTriangularSolve *solve, const void *a, const void *b, void *result);

/// NULL is allowed.
void stitchCholeskyDestroy(StitchCholesky *cholesky);
void stitchTriangularSolveDestroy(StitchTriangularSolve *solve);

#endif // STITCH_RUNTIME_LIBRARY_CPU_LINEAR_ALGEBRA_H
