//===- cpu_linear_algebra.c - tg.cholesky and tg.triangular_solve on the CPU ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a `cholesky` or `triangular_solve` problem. Copies the operand into the result, calls LAPACK for each matrix,
// and writes zeros to the other triangle and NaN where a factor does not exist.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_linear_algebra.h"

#include "runtime/library/lapack.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct StitchCholesky {
  StitchMatrixProblem problem;
  StitchLapack lapack;
};

struct StitchTriangularSolve {
  StitchMatrixProblem problem;
  StitchLapack lapack;
};

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static bool isFlag(int64_t value) { return value == 0 || value == 1; }

static bool sameShape(const StitchLibraryTensor *a, const StitchLibraryTensor *b, int64_t dims) {
  for (int64_t i = 0; i < dims; ++i)
    if (a->dims[i] != b->dims[i])
      return false;
  return a->rank == b->rank && a->type == b->type;
}

/// Reads the batch and the size of the square matrices that a tensor holds.
static bool readSquare(const StitchLibraryTensor *tensor, StitchMatrixProblem *matrices) {
  if (tensor->rank < 2 || tensor->rank > STITCH_LIBRARY_MAX_RANK)
    return false;
  matrices->type = tensor->type;
  matrices->size = tensor->dims[tensor->rank - 1];
  matrices->batch = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    if (tensor->dims[i] < 0 ||
        (i < tensor->rank - 2 && __builtin_mul_overflow(matrices->batch, tensor->dims[i], &matrices->batch)))
      return false;
  return matrices->size == tensor->dims[tensor->rank - 2];
}

StitchStatus stitchCholeskyProblem(const StitchLibraryProblem *problem, StitchMatrixProblem *matrices) {
  *matrices = (StitchMatrixProblem){.triangle = {.isUpper = problem->triangle.isUpper}};
  if (problem->kind != STITCH_LIBRARY_CHOLESKY || problem->numOperands != 2 || !isFlag(problem->triangle.isUpper) ||
      !readSquare(&problem->operands[0], matrices) ||
      !sameShape(&problem->operands[0], &problem->operands[1], problem->operands[0].rank))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "cholesky: the problem contradicts itself");
  return NULL;
}

StitchStatus stitchTriangularSolveProblem(const StitchLibraryProblem *problem, StitchMatrixProblem *matrices) {
  const StitchLibraryTriangle *triangle = &problem->triangle;
  const StitchLibraryTensor *a = &problem->operands[0], *b = &problem->operands[1];
  *matrices = (StitchMatrixProblem){.triangle = *triangle};
  bool valid = problem->kind == STITCH_LIBRARY_TRIANGULAR_SOLVE && problem->numOperands == 3 &&
               isFlag(triangle->isUpper) && isFlag(triangle->isRight) && isFlag(triangle->hasUnitDiagonal) &&
               triangle->transposition >= STITCH_LIBRARY_NOT_TRANSPOSED &&
               triangle->transposition <= STITCH_LIBRARY_ADJOINT && readSquare(a, matrices) &&
               sameShape(a, b, a->rank - 2) && sameShape(b, &problem->operands[2], b->rank);
  if (valid) {
    matrices->rows = b->dims[b->rank - 2];
    matrices->columns = b->dims[b->rank - 1];
    valid = matrices->rows >= 0 && matrices->columns >= 0 &&
            matrices->size == (triangle->isRight ? matrices->columns : matrices->rows);
  }
  return valid ? NULL : stitchStatusMake(STITCH_INVALID_ARGUMENT, "triangular_solve: the problem contradicts itself");
}

/// LAPACK's functions for a problem.
static StitchStatus findLapack(const StitchMatrixProblem *problem, StitchLapack *lapack) {
  *lapack = stitchLapackOf(problem->type);
  if (!lapack->potrf)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "there is no linear algebra of %s", stitchElementName(problem->type));
  if (problem->size > INT_MAX || problem->rows > INT_MAX || problem->columns > INT_MAX)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "LAPACK has no matrices with sizes beyond %d", INT_MAX);
  return NULL;
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

StitchStatus stitchCholeskyCreate(const StitchLibraryProblem *problem, StitchCholesky **cholesky) {
  StitchCholesky *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchCholeskyProblem(problem, &c->problem);
  if (!status)
    status = findLapack(&c->problem, &c->lapack);
  if (status)
    free(c);
  else
    *cholesky = c;
  return status;
}

void stitchCholeskyDestroy(StitchCholesky *cholesky) { free(cholesky); }

/// The columns of a row that belong to the triangle.
static void triangleColumns(const StitchMatrixProblem *p, int64_t row, int64_t *first, int64_t *count) {
  *first = p->triangle.isUpper ? row : 0;
  *count = p->triangle.isUpper ? p->size - row : row + 1;
}

/// Copies a triangle and makes the other one zero.
static void copyTriangle(const StitchMatrixProblem *p, const char *from, char *to) {
  size_t bytes = stitchElementBytes(p->type), rowBytes = (size_t)p->size * bytes;
  memset(to, 0, (size_t)p->size * rowBytes);
  for (int64_t row = 0; row < p->size; ++row) {
    int64_t first, count;
    triangleColumns(p, row, &first, &count);
    size_t offset = (size_t)row * rowBytes + (size_t)first * bytes;
    memcpy(to + offset, from + offset, (size_t)count * bytes);
  }
}

/// Whether elements are made of f64 or of f32: one, or a real and an imaginary part.
static bool hasDoubles(StitchElementType type) {
  return type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_COMPLEX128;
}

/// Whether a NaN has spread to the diagonal, as it does from wherever it comes up.
static bool hasNanOnDiagonal(const StitchMatrixProblem *p, const char *matrix) {
  size_t step = (size_t)(p->size + 1) * stitchElementBytes(p->type);
  for (int64_t i = 0; i < p->size; ++i, matrix += step)
    if (hasDoubles(p->type) ? isnan(*(const double *)matrix) : isnan(*(const float *)matrix))
      return true;
  return false;
}

static void fillWithNan(const StitchMatrixProblem *p, char *matrix) {
  size_t bytes = stitchElementBytes(p->type), partBytes = hasDoubles(p->type) ? sizeof(double) : sizeof(float);
  for (int64_t row = 0; row < p->size; ++row) {
    int64_t first, count;
    triangleColumns(p, row, &first, &count);
    char *at = matrix + (size_t)(row * p->size + first) * bytes, *end = at + (size_t)count * bytes;
    for (; at < end; at += partBytes)
      if (hasDoubles(p->type))
        *(double *)at = NAN;
      else
        *(float *)at = NAN;
  }
}

void stitchCholeskyExecute(const StitchCholesky *cholesky, const void *operand, void *result) {
  const StitchMatrixProblem *p = &cholesky->problem;
  const char *from = operand;
  char *to = result;
  size_t matrixBytes = (size_t)p->size * (size_t)p->size * stitchElementBytes(p->type);
  if (matrixBytes == 0)
    return;
  int n = (int)p->size;
  for (int64_t i = 0; i < p->batch; ++i, from += matrixBytes, to += matrixBytes) {
    int info = 0;
    copyTriangle(p, from, to);
    cholesky->lapack.potrf(p->triangle.isUpper ? "L" : "U", &n, to, &n, &info, 1);
    if (info > 0 || hasNanOnDiagonal(p, to))
      fillWithNan(p, to);
  }
}

//===----------------------------------------------------------------------===//
// Triangular solve
//===----------------------------------------------------------------------===//

StitchStatus stitchTriangularSolveCreate(const StitchLibraryProblem *problem, StitchTriangularSolve **solve) {
  StitchTriangularSolve *s = calloc(1, sizeof(*s));
  if (!s)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchTriangularSolveProblem(problem, &s->problem);
  if (!status)
    status = findLapack(&s->problem, &s->lapack);
  if (status)
    free(s);
  else
    *solve = s;
  return status;
}

void stitchTriangularSolveDestroy(StitchTriangularSolve *solve) { free(solve); }

void stitchTriangularSolveExecute(const StitchTriangularSolve *solve, const void *a, const void *b, void *result) {
  const StitchMatrixProblem *p = &solve->problem;
  static const char *const transpositions[] = {"N", "T", "C"};
  static const double one[2] = {1, 0};
  static const float oneOfFloat[2] = {1, 0};
  size_t bytes = stitchElementBytes(p->type);
  size_t aBytes = (size_t)p->size * (size_t)p->size * bytes, bBytes = (size_t)p->rows * (size_t)p->columns * bytes;
  if (bBytes == 0)
    return;
  memcpy(result, b, (size_t)p->batch * bBytes);
  int size = (int)p->size, m = (int)p->columns, n = (int)p->rows;
  const char *matrix = a;
  char *x = result;
  for (int64_t i = 0; i < p->batch; ++i, matrix += aBytes, x += bBytes)
    solve->lapack.trsm(p->triangle.isRight ? "L" : "R", p->triangle.isUpper ? "L" : "U",
                       transpositions[p->triangle.transposition], p->triangle.hasUnitDiagonal ? "U" : "N", &m, &n,
                       hasDoubles(p->type) ? (const void *)one : oneOfFloat, matrix, &size, x, &m, 1, 1, 1, 1);
}
