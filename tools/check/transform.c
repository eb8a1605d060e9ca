//===- transform.c - Fourier transforms and matrices ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries compute these in ways of their own; any backward stable one has a bound of its error in a norm
// (docs/error_bounds.md).
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

/// Transforms as tg numbers them.
enum { FORWARD, INVERSE, REAL_FORWARD, REAL_INVERSE };

/// The transform of `count` numbers, `stride` apart, by its definition; `sign` of the exponent.
static void transformLine(double complex *data, int64_t count, int64_t stride, double sign, double complex *line,
                          const double complex *roots) {
  for (int64_t k = 0; k < count; ++k) {
    double complex sum = 0.0;
    for (int64_t n = 0; n < count; ++n) {
      double complex root = roots[(__int128)k * n % count];
      sum += data[n * stride] * (sign < 0.0 ? root : conj(root));
    }
    line[k] = sum;
  }
  for (int64_t k = 0; k < count; ++k)
    data[k * stride] = line[k];
}

static bool transformDimension(double complex *data, const CheckShape *shape, int64_t dim, double sign) {
  int64_t size = shape->dims[dim], inner = 1, all = checkShapeElements(shape);
  for (int64_t d = dim + 1; d < shape->rank; ++d)
    inner *= shape->dims[d];
  double complex *line = malloc(sizeof(*line) * (size_t)(size + 1)),
                 *roots = malloc(sizeof(*roots) * (size_t)(size + 1));
  bool enough = line && roots;
  for (int64_t k = 0; enough && k < size; ++k)
    roots[k] = cexp(-2.0 * I * 3.14159265358979323846 * (double)k / (double)size);
  for (int64_t i = 0; enough && size && i < all / size; ++i)
    transformLine(data + i / inner * inner * size + i % inner, size, inner, sign, line, roots);
  free(line);
  free(roots);
  return enough;
}

/// The variance of a transform's error in units of u^2 and of the line's norm: of Cooley and Tukey's stages, or of
/// Bluestein's three transforms.
static double varianceOf(int64_t size) {
  double stages = 0.0;
  int64_t rest = size, largest = 1;
  for (int64_t p = 2; rest > 1; ++p)
    for (; rest % p == 0; rest /= p) {
      stages += 9.0 + (double)p;
      largest = p;
    }
  return largest > 127 ? 33.0 * (ceil(log2((double)size)) + 2.0) + 30.0 : stages + 2.0;
}

typedef struct {
  CheckShape full; ///< of complex numbers, without the symmetry of real ones used
  int64_t first;   ///< dimension that is transformed
  double complex *data;
  double *squares; ///< for each batch: the sum of the squares of the operand's magnitudes
  int64_t batches, perBatch;
} Transform;

/// The full spectrum of a real tensor from its first half.
static double complex fromHalf(const CheckTensor *half, const Transform *t, const int64_t *index) {
  int64_t strides[CHECK_MAX_RANK], place = 0, last = t->full.rank - 1;
  checkShapeStrides(&half->shape, strides);
  bool mirrored = index[last] >= half->shape.dims[last];
  for (int64_t d = 0; d <= last; ++d) {
    int64_t size = t->full.dims[d];
    place += (mirrored && d >= t->first ? (size - index[d]) % size : index[d]) * strides[d];
  }
  double complex value = half->number[place];
  bool isReal = index[last] == 0 || 2 * index[last] == t->full.dims[last];
  if (isReal && t->first == last) // a real line's transform has none
    value = creal(value);
  return mirrored ? conj(value) : value;
}

static const char *begin(const CheckCall *call, int64_t transform, Transform *t) {
  const CheckTensor *a = call->operands[0];
  CheckAttribute length = checkList(call->op, "length");
  t->full = a->shape;
  t->first = a->shape.rank - length.count;
  for (int64_t i = 0; i < length.count; ++i)
    t->full.dims[t->first + i] = length.values[i];
  int64_t count = checkShapeElements(&t->full);
  t->perBatch = 1;
  for (int64_t d = t->first; d < t->full.rank; ++d)
    t->perBatch *= t->full.dims[d];
  t->batches = t->perBatch ? count / t->perBatch : 0;
  t->data = malloc(sizeof(*t->data) * (size_t)(count + 1));
  t->squares = calloc((size_t)t->batches + 1, sizeof(*t->squares));
  if (!t->data || !t->squares)
    return checkOutOfMemory;
  CheckOdometer o = checkOdometer(&t->full);
  for (int64_t i = 0; i < count; ++i, checkAdvance(&o)) {
    t->data[i] = transform == REAL_FORWARD   ? a->real[i]
                 : transform == REAL_INVERSE ? fromHalf(a, t, o.index)
                                             : a->number[i];
    double magnitude = cabs(t->data[i]);
    t->squares[i / t->perBatch] += magnitude * magnitude;
  }
  return a->error ? "a Fourier transform of uncertain elements" : NULL;
}

const char *checkFourier(const CheckCall *call) {
  CheckTensor *result = call->results[0];
  int64_t transform = checkInteger(call->op, "transform", FORWARD);
  bool inverse = transform == INVERSE || transform == REAL_INVERSE;
  Transform t = {0};
  const char *problem = begin(call, transform, &t);
  double variance = 0.0;
  for (int64_t d = t.first; !problem && d < t.full.rank; ++d) {
    variance += varianceOf(t.full.dims[d]);
    problem = transformDimension(t.data, &t.full, d, inverse ? 1.0 : -1.0) ? NULL : checkOutOfMemory;
  }
  if (!problem && !checkTensorAddErrors(result))
    problem = checkOutOfMemory;
  double scale = inverse && t.perBatch ? 1.0 / (double)t.perBatch : 1.0,
         u = checkUnitRoundoff(checkPartType(result->type));
  int64_t strides[CHECK_MAX_RANK];
  checkShapeStrides(&t.full, strides);
  CheckOdometer o = checkOdometer(&result->shape);
  for (int64_t i = 0; !problem && i < result->count; ++i, checkAdvance(&o)) {
    int64_t place = 0;
    for (int64_t d = 0; d < result->shape.rank; ++d)
      place += o.index[d] * strides[d];
    double error = 8.0 * sqrt(variance * t.squares[place / t.perBatch]) * u * scale;
    if (checkClassOf(result->type) == CHECK_COMPLEX)
      checkSettleComplex(result, i, t.data[place] * scale, error);
    else
      checkSettle(result, result->type, i, creal(t.data[place]) * scale, error);
  }
  free(t.data);
  free(t.squares);
  return problem;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Element (i, j) of matrix `number` of a batch.
static double complex matrixEntryOf(const CheckTensor *a, int64_t number, int64_t i, int64_t j) {
  int64_t rows = a->shape.dims[a->shape.rank - 2], columns = a->shape.dims[a->shape.rank - 1];
  int64_t place = (number * rows + i) * columns + j;
  return checkClassOf(a->type) == CHECK_COMPLEX ? a->number[place] : a->real[place];
}

static void settleEntry(CheckTensor *a, int64_t place, double complex value, double error) {
  if (checkClassOf(a->type) == CHECK_COMPLEX)
    checkSettleComplex(a, place, value, error);
  else
    checkSettle(a, a->type, place, creal(value), error);
}

static double magnitudeOf(const double complex *matrix, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i)
    sum += cabs(matrix[i]) * cabs(matrix[i]);
  return sqrt(sum);
}

/// Solves lower L x = b in place.
static void solveLower(const double complex *lower, int64_t n, double complex *x) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < i; ++k)
      x[i] -= lower[i * n + k] * x[k];
    x[i] /= lower[i * n + i];
  }
}

/// The inverse of a lower triangular matrix.
static void invertLower(const double complex *lower, int64_t n, double complex *inverse, double complex *column) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i)
      column[i] = i == j;
    solveLower(lower, n, column);
    for (int64_t i = 0; i < n; ++i)
      inverse[i * n + j] = column[i];
  }
}

/// The lower factor of a Hermitian matrix, in place of its lower triangle; false if it is not positive definite.
static bool factorise(double complex *a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    double diagonal = creal(a[j * n + j]);
    for (int64_t k = 0; k < j; ++k)
      diagonal -= creal(a[j * n + k] * conj(a[j * n + k]));
    if (!(diagonal > 0.0))
      return false;
    a[j * n + j] = sqrt(diagonal);
    for (int64_t i = j + 1; i < n; ++i) {
      for (int64_t k = 0; k < j; ++k)
        a[i * n + j] -= a[i * n + k] * conj(a[j * n + k]);
      a[i * n + j] /= a[j * n + j];
    }
  }
  return true;
}

/// A bound of the squared 2-norm of a triangular matrix M: twice the power method's result for M M*. From a vector with
/// random directions 50 steps find less than half of it with a probability below 1e-13 sqrt(n) (Kuczynski and
/// Wozniakowski, 1992). `columns` has room for two.
static double spectralBound(const double complex *lower, int64_t n, double complex *columns) {
  enum { STEPS = 50 };
  double complex *x = columns, *y = columns + n;
  uint32_t random = 1;
  for (int64_t i = 0; i < n; ++i) {
    double parts[2];
    for (int k = 0; k < 2; ++k)
      parts[k] = (double)(random = random * 1664525u + 1013904223u) * 0x1p-31 - 1.0;
    x[i] = __builtin_complex(parts[0], parts[1]);
  }
  double norm = 0.0;
  for (int step = 0; step < STEPS; ++step) {
    double length = magnitudeOf(x, n);
    for (int64_t j = 0; j < n; ++j)
      y[j] = 0.0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j)
        y[j] += conj(lower[i * n + j]) * (x[i] / length);
    norm = magnitudeOf(y, n); // of M* x
    for (int64_t i = 0; i < n; ++i) {
      x[i] = 0.0;
      for (int64_t j = 0; j <= i; ++j)
        x[i] += lower[i * n + j] * y[j];
    }
  }
  return 2.0 * norm * norm;
}

/// |dL| <= n u cond(A) |L|, with cond(A) = cond(L)^2 (Higham, theorem 10.8), in Frobenius norms. With the condition in
/// 2-norms, which is far less for large matrices, the error is n times as much. An element's sums are of n products at
/// most.
const char *checkCholesky(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  int64_t n = a->shape.dims[a->shape.rank - 1];
  bool upper = checkInteger(call->op, "triangle", 0) == 1;
  double complex *matrix = calloc((size_t)(n * n + 1), sizeof(*matrix)),
                 *inverse = calloc((size_t)(n * n + 1), sizeof(*inverse));
  double complex *column = calloc((size_t)(2 * n + 1), sizeof(*column));
  bool enough = matrix && inverse && column && checkTensorAddErrors(result);
  double u = checkUnitRoundoff(checkPartType(a->type)), rounded = checkSumRoundoffs(n) * u;
  for (int64_t number = 0; enough && n && number < a->count / (n * n); ++number) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        matrix[i * n + j] = j > i ? 0.0 : upper ? conj(matrixEntryOf(a, number, j, i)) : matrixEntryOf(a, number, i, j);
    bool definite = factorise(matrix, n);
    double norm = magnitudeOf(matrix, n * n), condition = 1.0; // of A
    if (definite) {
      invertLower(matrix, n, inverse, column);
      condition = norm * magnitudeOf(inverse, n * n);
      double spectral = spectralBound(matrix, n, column) * spectralBound(inverse, n, column);
      condition = fmin(condition * condition, (double)n * spectral);
    }
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        bool inside = upper ? j >= i : j <= i;
        double complex value = !inside     ? 0.0
                               : !definite ? NAN + NAN * I
                               : upper     ? conj(matrix[j * n + i])
                                           : matrix[i * n + j];
        double error = inside && definite ? 4.0 * (rounded + u) * condition * norm : 0.0;
        settleEntry(result, (number * n + i) * n + j, value, error);
        // Rounding decides whether a matrix that is nearly singular has a factor.
        if (inside && condition * rounded > 0.1)
          result->error[(number * n + i) * n + j] = INFINITY;
      }
  }
  free(matrix);
  free(inverse);
  free(column);
  return enough ? NULL : checkOutOfMemory;
}

/// The transformations that make the matrix lower triangular on the left of the unknown: transposing, conjugating,
/// counting backwards.
typedef struct {
  const CheckCall *call;
  int64_t n, width; ///< of the matrix; of the right sides
  bool left, upper, transposed, conjugated, unit;
} CheckedSolve;

static double complex matrixEntry(const CheckedSolve *s, int64_t number, int64_t i, int64_t j) {
  bool isLower = s->upper == s->transposed; // of op(A)
  isLower = s->left ? isLower : !isLower;   // X op(A) = B is op(A)^T X^T = B^T
  int64_t row = isLower ? i : s->n - 1 - i, column = isLower ? j : s->n - 1 - j;
  bool swap = s->transposed == s->left;
  if (i == j && s->unit)
    return 1.0;
  double complex value = matrixEntryOf(s->call->operands[0], number, swap ? column : row, swap ? row : column);
  return s->conjugated ? conj(value) : value;
}

/// The place of unknown `i` of right side `k`.
static int64_t unknownPlace(const CheckedSolve *s, int64_t number, int64_t i, int64_t k) {
  bool isLower = s->upper == s->transposed;
  isLower = s->left ? isLower : !isLower;
  int64_t row = isLower ? i : s->n - 1 - i;
  return s->left ? (number * s->n + row) * s->width + k : (number * s->width + k) * s->n + row;
}

/// |dx| <= n u |A^-1| |A| |x| (Higham, theorem 8.5).
static void solveOne(const CheckedSolve *s, const double complex *matrix, const double complex *inverse, int64_t number,
                     int64_t k, double complex *x, double *residual) {
  const CheckTensor *b = s->call->operands[1];
  CheckTensor *result = s->call->results[0];
  double u = checkUnitRoundoff(checkPartType(b->type));
  for (int64_t i = 0; i < s->n; ++i) {
    int64_t place = unknownPlace(s, number, i, k);
    x[i] = checkClassOf(b->type) == CHECK_COMPLEX ? b->number[place] : b->real[place];
  }
  solveLower(matrix, s->n, x);
  for (int64_t i = 0; i < s->n; ++i) {
    residual[i] = 0.0;
    for (int64_t j = 0; j <= i; ++j)
      residual[i] += cabs(matrix[i * s->n + j]) * cabs(x[j]);
  }
  for (int64_t i = 0; i < s->n; ++i) {
    double error = 0.0;
    for (int64_t j = 0; j <= i; ++j)
      error += cabs(inverse[i * s->n + j]) * residual[j];
    settleEntry(result, unknownPlace(s, number, i, k), x[i], 4.0 * (double)(s->n + 1) * u * error);
  }
}

const char *checkTriangularSolve(const CheckCall *call) {
  enum { TRANSPOSE = 1, ADJOINT = 2 };
  const CheckTensor *a = call->operands[0], *b = call->operands[1];
  int64_t transposition = checkInteger(call->op, "transposition", 0);
  CheckedSolve s = {.call = call,
                    .n = a->shape.dims[a->shape.rank - 1],
                    .left = checkInteger(call->op, "side", 0) == 0,
                    .upper = checkInteger(call->op, "triangle", 0) == 1,
                    .transposed = transposition == TRANSPOSE || transposition == ADJOINT,
                    .conjugated = transposition == ADJOINT,
                    .unit = checkFindAttribute(call->op, "unit_diagonal") != NULL};
  s.width = b->shape.dims[b->shape.rank - (s.left ? 1 : 2)];
  size_t elements = (size_t)(s.n * s.n + 1);
  double complex *matrix = calloc(elements, sizeof(*matrix)), *inverse = calloc(elements, sizeof(*inverse));
  double complex *x = calloc((size_t)(s.n + 1), sizeof(*x));
  double *residual = calloc((size_t)(s.n + 1), sizeof(*residual));
  bool enough = matrix && inverse && x && residual && checkTensorAddErrors(call->results[0]);
  for (int64_t number = 0; enough && s.n && number < a->count / (s.n * s.n); ++number) {
    for (int64_t i = 0; i < s.n; ++i)
      for (int64_t j = 0; j <= i; ++j)
        matrix[i * s.n + j] = matrixEntry(&s, number, i, j);
    invertLower(matrix, s.n, inverse, x);
    for (int64_t k = 0; k < s.width; ++k)
      solveOne(&s, matrix, inverse, number, k, x, residual);
  }
  free(matrix);
  free(inverse);
  free(x);
  free(residual);
  return enough ? NULL : checkOutOfMemory;
}
