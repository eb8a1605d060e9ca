//===- lapack.h - functions of LAPACK and BLAS ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of the reference LAPACK (netlib.org/lapack): arguments by address, matrices column by column, lengths
// of the strings at the end. The system's library is opened when it is first needed; where there is none, loops with
// the same interface take its place.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_LAPACK_H
#define STITCH_RUNTIME_LIBRARY_LAPACK_H

#include "runtime/element_type.h"

/// Replaces a triangle of a Hermitian matrix by its Cholesky factor. `info` is more than 0 if the matrix is not
/// positive definite; some libraries leave NaN instead.
typedef void (*StitchPotrf)(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uploLength);

/// Replaces B by the solution X of op(A) X = alpha B, or X op(A) = alpha B.
typedef void (*StitchTrsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                           const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
                           size_t sideLength, size_t uploLength, size_t transLength, size_t diagLength);

/// The functions for one element type.
typedef struct {
  StitchPotrf potrf;
  StitchTrsm trsm;
} StitchLapack;

/// Those of the system's library or, if there is none, the loops. Both are NULL for a type that has none. Thread-safe.
StitchLapack stitchLapackOf(StitchElementType type);

/// The loops. Their alpha is always 1.
StitchLapack stitchLapackLoops(StitchElementType type);

#endif // STITCH_RUNTIME_LIBRARY_LAPACK_H
