//===- lapack_loops_of_type.h - potrf and trsm for one type --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by lapack_loops.c for each type, with LOOPS_NAME, LOOPS_TYPE, LOOPS_REAL, LOOPS_CONJUGATE and LOOPS_ROOT.
//
//===----------------------------------------------------------------------===//

/// A matrix in memory as the algorithm sees it: element (i, j) is data[i * rowStride + j * columnStride].
typedef struct {
  LOOPS_TYPE *data;
  int64_t rowStride, columnStride;
} LOOPS_NAME(Matrix);

static LOOPS_TYPE *LOOPS_NAME(at)(const LOOPS_NAME(Matrix) * matrix, int64_t row, int64_t column) {
  return matrix->data + row * matrix->rowStride + column * matrix->columnStride;
}

/// L with L L^H = A, row after row. The upper triangle of A is the adjoint of its lower one, and U = L^H. With rows and
/// columns exchanged it is the conjugate of L, whose sums are the conjugates of L's.
static void LOOPS_NAME(potrf)(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uploLength) {
  (void)uploLength;
  bool isUpper = *uplo == 'U';
  LOOPS_NAME(Matrix) l = {a, isUpper ? *lda : 1, isUpper ? 1 : *lda};
  *info = 0;
  for (int64_t i = 0; i < *n && *info == 0; ++i)
    for (int64_t j = 0; j <= i && *info == 0; ++j) {
      LOOPS_TYPE sum = *LOOPS_NAME(at)(&l, i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= *LOOPS_NAME(at)(&l, i, k) * LOOPS_CONJUGATE(*LOOPS_NAME(at)(&l, j, k));
      if (j < i)
        *LOOPS_NAME(at)(&l, i, j) = sum / LOOPS_REAL(*LOOPS_NAME(at)(&l, j, j));
      else if (LOOPS_REAL(sum) > 0)
        *LOOPS_NAME(at)(&l, i, i) = LOOPS_ROOT(LOOPS_REAL(sum));
      else
        *info = (int)(i + 1);
    }
}

/// Solves M x = b for each column of B (side R: for each row, with the transpose of op(A) for M).
static void LOOPS_NAME(trsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                             const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
                             size_t sideLength, size_t uploLength, size_t transLength, size_t diagLength) {
  (void)alpha, (void)sideLength, (void)uploLength, (void)transLength, (void)diagLength;
  bool isLeft = *side == 'L', isTransposed = (*trans != 'N') == isLeft, isConjugated = *trans == 'C';
  bool isForward = (*uplo == 'L') != isTransposed; // M's first row has one element
  LOOPS_NAME(Matrix) matrix = {(LOOPS_TYPE *)a, isTransposed ? *lda : 1, isTransposed ? 1 : *lda};
  LOOPS_NAME(Matrix) x = {b, isLeft ? 1 : *ldb, isLeft ? *ldb : 1}; // a system in each column
  int64_t size = isLeft ? *m : *n, systems = isLeft ? *n : *m;
  for (int64_t system = 0; system < systems; ++system)
    for (int64_t step = 0; step < size; ++step) {
      int64_t row = isForward ? step : size - 1 - step;
      LOOPS_TYPE sum = *LOOPS_NAME(at)(&x, row, system);
      for (int64_t before = 0; before < step; ++before) {
        int64_t k = isForward ? before : size - 1 - before;
        LOOPS_TYPE factor = *LOOPS_NAME(at)(&matrix, row, k);
        sum -= (isConjugated ? LOOPS_CONJUGATE(factor) : factor) * *LOOPS_NAME(at)(&x, k, system);
      }
      LOOPS_TYPE pivot = *LOOPS_NAME(at)(&matrix, row, row);
      if (*diag == 'N')
        sum /= isConjugated ? LOOPS_CONJUGATE(pivot) : pivot;
      *LOOPS_NAME(at)(&x, row, system) = sum;
    }
}

#undef LOOPS_NAME
#undef LOOPS_TYPE
#undef LOOPS_REAL
#undef LOOPS_CONJUGATE
#undef LOOPS_ROOT
