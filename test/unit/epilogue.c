//===- epilogue.c - tests of the epilogues of runtime/library ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that do without a C library against that of the C library; whole calls of the CPU's library against the
// definition; and problems that do not fit together.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_library.h"
#include "runtime/library/gelu.h"
#include "test/unit/check.h"

#include <float.h>
#include <math.h>

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void testExp(void) {
  double worst = 0.0;
  for (double x = -707.9; x < 709.0; x += 0.0137)
    worst = fmax(worst, fabs(stitchExp(x) / exp(x) - 1.0));
  for (double x = -1.0; x < 1.0; x += 0.000137)
    worst = fmax(worst, fabs(stitchExp(x) / exp(x) - 1.0));
  CHECK(worst < 4.0 * DBL_EPSILON);
  CHECK(stitchExp(0.0) == 1.0 && stitchExp(-0.0) == 1.0);
  CHECK(stitchExp(-1000.0) == 0.0 && stitchExp(-INFINITY) == 0.0);
  CHECK(isinf(stitchExp(1000.0)) && isinf(stitchExp(INFINITY)) && isnan(stitchExp(NAN)));
}

static double gelu(double x) { return 0.5 * x * (1.0 + tanh(sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x))); }

/// The derivative by a central difference of fourth order.
static double slope(double x) {
  const double h = 1e-3;
  return (8.0 * (gelu(x + h) - gelu(x - h)) - (gelu(x + 2.0 * h) - gelu(x - 2.0 * h))) / (12.0 * h);
}

static void testGelu(void) {
  for (double x = -9.0; x < 9.0; x += 0.00731) {
    CHECK(fabs(stitchGelu(x) - gelu(x)) <= 8.0 * DBL_EPSILON * fmax(fabs(x), 1.0));
    CHECK(fabs(stitchGeluDerivative(x) - slope(x)) < 1e-10);
  }
  CHECK(stitchGelu(0.0) == 0.0 && stitchGelu(1e6) == 1e6 && stitchGelu(-1e6) == 0.0 &&
        stitchGelu(INFINITY) == INFINITY);
  CHECK(stitchGeluDerivative(1e6) == 1.0 && stitchGeluDerivative(-1e6) == 0.0 && isnan(stitchGelu(NAN)));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

enum { M = 5, K = 7, N = 6 };

/// lhs is M x K, rhs K x N, both of f32.
typedef struct {
  StitchLibraryProblem problem;
  float lhs[M * K], rhs[K * N], result[M * N], others[3][M * N];
} Case;

static StitchLibraryTensor matrix(int64_t rows, int64_t columns) {
  return (StitchLibraryTensor){.type = STITCH_ELEMENT_F32, .rank = 2, .dims = {rows, columns}};
}
static StitchLibraryTensor vector(int64_t size) {
  return (StitchLibraryTensor){.type = STITCH_ELEMENT_F32, .rank = 1, .dims = {size}};
}

static Case makeCase(StitchLibraryEpilogue epilogue) {
  Case c = {.problem = {.kind = STITCH_LIBRARY_DOT, .numOperands = 3, .epilogue = epilogue}};
  c.problem.dot = (StitchLibraryDotDims){.lhsContract = {1, {1}}, .rhsContract = {1, {0}}};
  c.problem.operands[0] = matrix(M, K);
  c.problem.operands[1] = matrix(K, N);
  c.problem.operands[2] = matrix(M, N);
  for (int i = 0; i < M * K; ++i)
    c.lhs[i] = (float)(i * 37 % 23) / 23.0f - 0.5f;
  for (int i = 0; i < K * N; ++i)
    c.rhs[i] = (float)(i * 41 % 29) / 29.0f - 0.5f;
  for (int i = 0; i < M * N; ++i)
    c.others[0][i] = (float)(i * 43 % 31) / 31.0f - 0.5f;
  return c;
}

static void addOperand(Case *c, StitchLibraryTensor tensor) { c->problem.operands[c->problem.numOperands++] = tensor; }

static StitchStatus runCase(Case *c) {
  StitchLibrary *library = NULL;
  void *pointers[] = {c->lhs, c->rhs, c->result, c->others[0], c->others[1], c->others[2]};
  StitchStatus status = stitchLibraryCreate(&c->problem, 1, &library);
  if (!status)
    status = stitchLibraryExecute(library, 0, pointers);
  stitchLibraryDestroy(library);
  return status;
}

static double productAt(const Case *c, int i, int j) {
  double sum = 0.0;
  for (int k = 0; k < K; ++k)
    sum += (double)c->lhs[i * K + k] * (double)c->rhs[k * N + j];
  return sum;
}

static bool isClose(float got, double expected) { return fabs((double)got - expected) <= 1e-5; }

/// A bias in others[0]; the operand of gelu in others[1].
static void testGeluCall(void) {
  Case c = makeCase((StitchLibraryEpilogue){
      .hasBias = 1, .biasFirst = 1, .biasCount = 1, .activation = STITCH_LIBRARY_GELU, .hasPreactivation = 1});
  addOperand(&c, vector(N));
  addOperand(&c, matrix(M, N));
  CHECK_OK(runCase(&c));
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double x = productAt(&c, i, j) + (double)c.others[0][j];
      CHECK(isClose(c.others[1][i * N + j], x) && isClose(c.result[i * N + j], gelu(x)));
    }
}

/// The operand of gelu in others[0], the sum in others[1].
static void testGradientCall(void) {
  Case c = makeCase(
      (StitchLibraryEpilogue){.activation = STITCH_LIBRARY_GELU_GRADIENT, .sum = STITCH_LIBRARY_SUM_OF_RESULT});
  addOperand(&c, matrix(M, N));
  addOperand(&c, vector(N));
  CHECK_OK(runCase(&c));
  for (int j = 0; j < N; ++j) {
    double sum = 0.0;
    for (int i = 0; i < M; ++i) {
      double expected = productAt(&c, i, j) * slope((double)c.others[0][i * N + j]);
      CHECK(isClose(c.result[i * N + j], expected));
      sum += expected;
    }
    CHECK(isClose(c.others[1][j], sum));
  }
}

static void testOperandSums(void) {
  Case left = makeCase((StitchLibraryEpilogue){.sum = STITCH_LIBRARY_SUM_OF_LHS});
  Case right = makeCase((StitchLibraryEpilogue){.sum = STITCH_LIBRARY_SUM_OF_RHS});
  addOperand(&left, vector(M));
  addOperand(&right, vector(N));
  CHECK_OK(runCase(&left));
  CHECK_OK(runCase(&right));
  for (int i = 0; i < M; ++i) {
    double sum = 0.0;
    for (int k = 0; k < K; ++k)
      sum += (double)left.lhs[i * K + k];
    CHECK(isClose(left.others[0][i], sum));
  }
  for (int j = 0; j < N; ++j) {
    double sum = 0.0;
    for (int k = 0; k < K; ++k)
      sum += (double)right.rhs[k * N + j];
    CHECK(isClose(right.others[0][j], sum) && isClose(right.result[j], productAt(&right, 0, j)));
  }
}

static void testErrors(void) {
  Case c = makeCase((StitchLibraryEpilogue){.activation = STITCH_LIBRARY_GELU_GRADIENT});
  CHECK_STATUS(runCase(&c), STITCH_INVALID_ARGUMENT, "another number of operands than it has");
  addOperand(&c, vector(N));
  CHECK_STATUS(runCase(&c), STITCH_INVALID_ARGUMENT, "the preactivation does not fit the result");
  c = makeCase((StitchLibraryEpilogue){.sum = STITCH_LIBRARY_SUM_OF_LHS});
  addOperand(&c, vector(N));
  CHECK_STATUS(runCase(&c), STITCH_INVALID_ARGUMENT, "the sum does not fit its operand");
  c = makeCase((StitchLibraryEpilogue){.activation = STITCH_LIBRARY_RELU, .hasPreactivation = 1});
  addOperand(&c, matrix(M, N));
  CHECK_STATUS(runCase(&c), STITCH_INVALID_ARGUMENT, "a preactivation is kept that is none of a gelu");
  c = makeCase((StitchLibraryEpilogue){.activation = 9});
  CHECK_STATUS(runCase(&c), STITCH_UNIMPLEMENTED, "unknown activation 9");
  c = makeCase((StitchLibraryEpilogue){.sum = 9});
  addOperand(&c, vector(N));
  CHECK_STATUS(runCase(&c), STITCH_UNIMPLEMENTED, "unknown sum 9");
}

int main(void) {
  testExp();
  testGelu();
  testGeluCall();
  testGradientCall();
  testOperandSums();
  testErrors();
  return checkResult();
}
