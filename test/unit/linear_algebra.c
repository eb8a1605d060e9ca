//===- linear_algebra.c - tests of the library's factors and solutions ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random batches: a factor multiplied with its adjoint is the matrix, a solution put into its equations gives the right
// side, both within a few roundings for each term. The system's LAPACK and the loops that stand in for it are tested
// alike.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_linear_algebra.h"
#include "runtime/library/lapack.h"
#include "test/unit/check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static uint64_t randomState = 1;

/// Uniform in [-1, 1).
static double randomNumber(void) {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return ldexp((double)(randomState >> 11), -52) - 1.0;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static bool hasDoubles(StitchElementType type) {
  return type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_COMPLEX128;
}

static double roundoff(StitchElementType type) { return ldexp(1, hasDoubles(type) ? -53 : -24); }

static double complex load(const void *data, StitchElementType type, int64_t i) {
  switch (type) {
  case STITCH_ELEMENT_F32:
    return ((const float *)data)[i];
  case STITCH_ELEMENT_F64:
    return ((const double *)data)[i];
  case STITCH_ELEMENT_COMPLEX64:
    return ((const float complex *)data)[i];
  default:
    return ((const double complex *)data)[i];
  }
}

static void store(void *data, StitchElementType type, int64_t i, double complex value) {
  switch (type) {
  case STITCH_ELEMENT_F32:
    ((float *)data)[i] = (float)creal(value);
    break;
  case STITCH_ELEMENT_F64:
    ((double *)data)[i] = creal(value);
    break;
  case STITCH_ELEMENT_COMPLEX64:
    ((float complex *)data)[i] = (float complex)value;
    break;
  default:
    ((double complex *)data)[i] = value;
  }
}

/// Of a real type, the imaginary part is lost when it is stored.
static double complex randomComplex(void) {
  double re = randomNumber();
  return re + I * randomNumber();
}

static void *newMatrices(StitchElementType type, int64_t elements) {
  return calloc((size_t)elements + 1, stitchElementBytes(type));
}

enum { BATCH = 3 };

/// Matrices with a diagonal of at least 2 and small elements elsewhere.
static void *randomMatrices(StitchElementType type, int64_t size) {
  void *data = newMatrices(type, BATCH * size * size);
  for (int64_t i = 0; i < BATCH * size * size; ++i) {
    bool isDiagonal = i / size % size == i % size;
    store(data, type, i, isDiagonal ? 3.0 + randomNumber() : randomComplex() / (double)size);
  }
  return data;
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

static StitchLibraryProblem choleskyProblem(StitchElementType type, int64_t size, bool isUpper) {
  return (StitchLibraryProblem){.kind = STITCH_LIBRARY_CHOLESKY,
                                .numOperands = 2,
                                .operands = {{type, 3, {BATCH, size, size}}, {type, 3, {BATCH, size, size}}},
                                .triangle = {.isUpper = isUpper}};
}

/// Element (i, j), i >= j, of L or of the adjoint of U.
static double complex lower(const void *matrix, StitchElementType type, int64_t size, bool isUpper, int64_t i,
                            int64_t j) {
  return isUpper ? conj(load(matrix, type, j * size + i)) : load(matrix, type, i * size + j);
}

static void checkFactor(const char *a, const char *factor, StitchElementType type, int64_t size, bool isUpper) {
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double complex sum = 0.0;
      for (int64_t k = 0; k <= j; ++k)
        sum += lower(factor, type, size, isUpper, i, k) * conj(lower(factor, type, size, isUpper, j, k));
      CHECK(cabs(sum - lower(a, type, size, isUpper, i, j)) <= 4 * (double)(size + 1) * 4 * roundoff(type));
      CHECK(i == j || load(factor, type, isUpper ? i * size + j : j * size + i) == 0.0);
    }
}

static void testCholesky(StitchElementType type, int64_t size, bool isUpper) {
  StitchLibraryProblem problem = choleskyProblem(type, size, isUpper);
  StitchCholesky *cholesky = NULL;
  CHECK_OK(stitchCholeskyCreate(&problem, &cholesky));
  char *a = randomMatrices(type, size), *factor = newMatrices(type, BATCH * size * size);
  size_t matrixBytes = (size_t)(size * size) * stitchElementBytes(type);
  if (size > 0) // the second is not positive definite, at the end
    store(a + matrixBytes, type, size * size - 1, -1.0);
  for (int round = 0; round < 2 && cholesky; ++round) {
    stitchCholeskyExecute(cholesky, a, factor);
    checkFactor(a, factor, type, size, isUpper);
    checkFactor(a + 2 * matrixBytes, factor + 2 * matrixBytes, type, size, isUpper);
    for (int64_t i = 0; i < size * size; ++i) {
      bool isInside = isUpper ? i / size <= i % size : i / size >= i % size;
      double value = creal(load(factor + matrixBytes, type, i));
      CHECK(isInside ? isnan(value) : value == 0.0);
    }
  }
  stitchCholeskyDestroy(cholesky);
  free(a);
  free(factor);
}

//===----------------------------------------------------------------------===//
// Triangular solve
//===----------------------------------------------------------------------===//

static StitchLibraryProblem solveProblem(StitchElementType type, int64_t size, int64_t systems,
                                         StitchLibraryTriangle triangle) {
  int64_t rows = triangle.isRight ? systems : size, columns = triangle.isRight ? size : systems;
  StitchLibraryTensor b = {type, 3, {BATCH, rows, columns}};
  return (StitchLibraryProblem){.kind = STITCH_LIBRARY_TRIANGULAR_SOLVE,
                                .numOperands = 3,
                                .operands = {{type, 3, {BATCH, size, size}}, b, b},
                                .triangle = triangle};
}

/// Element (i, j) of op(A).
static double complex operated(const void *a, StitchElementType type, int64_t size, StitchLibraryTriangle t, int64_t i,
                               int64_t j) {
  int64_t row = t.transposition == STITCH_LIBRARY_NOT_TRANSPOSED ? i : j, column = i + j - row;
  if (row == column && t.hasUnitDiagonal)
    return 1.0;
  if (t.isUpper ? row > column : row < column)
    return 0.0;
  double complex x = load(a, type, row * size + column);
  return t.transposition == STITCH_LIBRARY_ADJOINT ? conj(x) : x;
}

static void checkSolution(const char *a, const char *b, const char *x, StitchElementType type, int64_t size,
                          int64_t systems, StitchLibraryTriangle t) {
  int64_t rows = t.isRight ? systems : size, columns = t.isRight ? size : systems;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double complex sum = 0.0;
      for (int64_t k = 0; k < size; ++k)
        sum += t.isRight ? load(x, type, i * columns + k) * operated(a, type, size, t, k, j)
                         : operated(a, type, size, t, i, k) * load(x, type, k * columns + j);
      CHECK(cabs(sum - load(b, type, i * columns + j)) <= 8 * (double)(size + 1) * roundoff(type));
    }
}

static void testSolve(StitchElementType type, int64_t size, int64_t systems, StitchLibraryTriangle triangle) {
  StitchLibraryProblem problem = solveProblem(type, size, systems, triangle);
  StitchTriangularSolve *solve = NULL;
  CHECK_OK(stitchTriangularSolveCreate(&problem, &solve));
  int64_t elements = BATCH * size * systems;
  char *a = randomMatrices(type, size), *b = newMatrices(type, elements), *x = newMatrices(type, elements);
  for (int64_t i = 0; i < elements; ++i)
    store(b, type, i, randomComplex());
  if (solve)
    stitchTriangularSolveExecute(solve, a, b, x);
  size_t bytes = stitchElementBytes(type), aBytes = (size_t)(size * size) * bytes;
  size_t bBytes = (size_t)(size * systems) * bytes;
  for (size_t i = 0; i < BATCH; ++i)
    checkSolution(a + i * aBytes, b + i * bBytes, x + i * bBytes, type, size, systems, triangle);
  stitchTriangularSolveDestroy(solve);
  free(a);
  free(b);
  free(x);
}

static void testSolves(StitchElementType type, int64_t size, int64_t systems) {
  for (int64_t flags = 0; flags < 24; ++flags)
    testSolve(type, size, systems,
              (StitchLibraryTriangle){.isUpper = flags & 1,
                                      .isRight = flags >> 1 & 1,
                                      .hasUnitDiagonal = flags >> 2 & 1,
                                      .transposition = flags >> 3});
}

//===----------------------------------------------------------------------===//
// The loops against LAPACK
//===----------------------------------------------------------------------===//

/// Both see the same matrices in the same way, so that a result for one holds for the other.
static void testLoops(StitchElementType type) {
  enum { SIZE = 9, SYSTEMS = 4 };
  StitchLapack lapack = stitchLapackOf(type), loops = stitchLapackLoops(type);
  int n = SIZE, m = SYSTEMS, info = 0;
  double one[2] = {1, 0};
  float oneOfFloat[2] = {1, 0};
  const void *alpha = hasDoubles(type) ? (const void *)one : oneOfFloat;
  for (int flags = 0; flags < 24; ++flags) {
    const char *side = flags & 1 ? "R" : "L", *uplo = flags & 2 ? "L" : "U", *diag = flags & 4 ? "N" : "U";
    const char *trans = (const char *[]){"N", "T", "C"}[flags >> 3];
    const int *rows = *side == 'L' ? &n : &m, *columns = *side == 'L' ? &m : &n;
    randomState = 7;
    char *a = randomMatrices(type, SIZE), *same = randomMatrices(type, SIZE);
    randomState = 7;
    char *b = randomMatrices(type, SIZE);
    lapack.potrf(uplo, &n, a, &n, &info, 1);
    CHECK(info == 0);
    loops.potrf(uplo, &n, b, &n, &info, 1);
    CHECK(info == 0);
    for (int64_t i = 0; i < SIZE * SIZE; ++i)
      CHECK(cabs(load(a, type, i) - load(b, type, i)) <= 8 * SIZE * roundoff(type));
    lapack.trsm(side, uplo, trans, diag, rows, columns, alpha, same, &n, a, rows, 1, 1, 1, 1);
    loops.trsm(side, uplo, trans, diag, rows, columns, alpha, same, &n, b, rows, 1, 1, 1, 1);
    for (int64_t i = 0; i < SIZE * SYSTEMS; ++i)
      CHECK(cabs(load(a, type, i) - load(b, type, i)) <= 32 * SIZE * roundoff(type));
    free(a);
    free(b);
    free(same);
  }
}

static void testErrors(void) {
  StitchCholesky *cholesky = NULL;
  StitchTriangularSolve *solve = NULL;
  StitchLibraryProblem problem = choleskyProblem(STITCH_ELEMENT_F32, 4, false);
  problem.operands[0].dims[2] = 5;
  CHECK_STATUS(stitchCholeskyCreate(&problem, &cholesky), STITCH_INVALID_ARGUMENT, "cholesky");
  problem = choleskyProblem(STITCH_ELEMENT_BF16, 4, false);
  CHECK_STATUS(stitchCholeskyCreate(&problem, &cholesky), STITCH_UNIMPLEMENTED, "bf16");
  problem = choleskyProblem(STITCH_ELEMENT_F32, INT64_C(1) << 31, false);
  CHECK_STATUS(stitchCholeskyCreate(&problem, &cholesky), STITCH_UNIMPLEMENTED, "sizes");
  problem = solveProblem(STITCH_ELEMENT_F32, 4, 3, (StitchLibraryTriangle){.isRight = 1});
  problem.triangle.isRight = 0;
  CHECK_STATUS(stitchTriangularSolveCreate(&problem, &solve), STITCH_INVALID_ARGUMENT, "triangular_solve");
  problem = solveProblem(STITCH_ELEMENT_F32, 4, 3, (StitchLibraryTriangle){.transposition = 3});
  CHECK_STATUS(stitchTriangularSolveCreate(&problem, &solve), STITCH_INVALID_ARGUMENT, "triangular_solve");
}

int main(void) {
  static const StitchElementType types[] = {STITCH_ELEMENT_F32, STITCH_ELEMENT_F64, STITCH_ELEMENT_COMPLEX64,
                                            STITCH_ELEMENT_COMPLEX128};
  static const int64_t sizes[] = {0, 1, 2, 7, 64, 101};
  for (size_t type = 0; type < sizeof(types) / sizeof(types[0]); ++type) {
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
      testCholesky(types[type], sizes[i], false);
      testCholesky(types[type], sizes[i], true);
      testSolves(types[type], sizes[i], 5);
    }
    testSolves(types[type], 6, 0);
    testLoops(types[type]);
  }
  testErrors();
  return checkResult();
}
