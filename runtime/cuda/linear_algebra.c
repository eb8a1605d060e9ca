//===- linear_algebra.c - tg.cholesky and tg.triangular_solve on a GPU ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the runtime's own (kernels.h): a factor column by column, all rows of a column and all matrices of a batch
// at a time; a system of equations a thread. Right, and slower than cuSOLVER and cuBLAS where matrices are large.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/linear_algebra.h"
#include "runtime/cuda/call.h"

#include <stdlib.h>

typedef struct {
  StitchCudaCalls *calls;
  StitchMatrixProblem problem;
} MatrixCall;

typedef StitchStatus (*ReadProblem)(const StitchLibraryProblem *problem, StitchMatrixProblem *matrices);

/// The numbers of a type; fails if kernels do not know it.
static StitchStatus numberOf(StitchElementType type, StitchKernelNumber *number) {
  number->isComplex = type == STITCH_ELEMENT_COMPLEX64 || type == STITCH_ELEMENT_COMPLEX128;
  number->isDouble = type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_COMPLEX128;
  if (!number->isComplex && !number->isDouble && type != STITCH_ELEMENT_F32)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "there is no linear algebra of %s", stitchElementName(type));
  return NULL;
}

static StitchStatus create(StitchCudaCalls *calls, const StitchLibraryProblem *problem, ReadProblem read, void **call) {
  MatrixCall *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  c->calls = calls;
  StitchKernelNumber number;
  StitchStatus status = read(problem, &c->problem);
  if (!status)
    status = numberOf(c->problem.type, &number);
  if (status)
    free(c);
  else
    *call = c;
  return status;
}

static size_t noWorkspace(const void *call) {
  (void)call;
  return 0;
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

static StitchStatus createCholesky(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  return create(calls, problem, stitchCholeskyProblem, call);
}

static StitchStatus executeCholesky(void *call, void *const *pointers, void *workspace, CUstream stream) {
  (void)workspace;
  const MatrixCall *c = call;
  const StitchMatrixProblem *p = &c->problem;
  const StitchOwnKernels *kernels = &c->calls->kernels;
  StitchCholeskyParameters parameters = {
      .operand = pointers[0],
      .result = pointers[1],
      .batch = p->batch,
      .size = p->size,
      .isUpper = p->triangle.isUpper,
  };
  StitchStatus status = numberOf(p->type, &parameters.number);
  if (p->batch == 0 || p->size == 0)
    return status;
  for (; parameters.column < p->size && !status; ++parameters.column)
    status = stitchOwnKernelsLaunch(kernels, STITCH_OWN_CHOLESKY_COLUMN, p->batch * (p->size - parameters.column),
                                    &parameters, stream);
  if (!status)
    status =
        stitchOwnKernelsLaunch(kernels, STITCH_OWN_CHOLESKY_FINISH, p->batch * p->size * p->size, &parameters, stream);
  return status;
}

const StitchCudaCallKind stitchCudaCholesky = {
    .name = "cholesky",
    .create = createCholesky,
    .workspaceBytes = noWorkspace,
    .execute = executeCholesky,
    .destroy = free,
};

//===----------------------------------------------------------------------===//
// Triangular solve
//===----------------------------------------------------------------------===//

static StitchStatus createSolve(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  return create(calls, problem, stitchTriangularSolveProblem, call);
}

static StitchStatus executeSolve(void *call, void *const *pointers, void *workspace, CUstream stream) {
  (void)workspace;
  const MatrixCall *c = call;
  const StitchMatrixProblem *p = &c->problem;
  StitchTriangularSolveParameters parameters = {
      .a = pointers[0],
      .b = pointers[1],
      .result = pointers[2],
      .batch = p->batch,
      .size = p->size,
      .systems = p->triangle.isRight ? p->rows : p->columns,
      .isUpper = p->triangle.isUpper,
      .isRight = p->triangle.isRight,
      .transposition = p->triangle.transposition,
      .hasUnitDiagonal = p->triangle.hasUnitDiagonal,
  };
  int64_t threads = parameters.batch * parameters.systems;
  StitchStatus status = numberOf(p->type, &parameters.number);
  if (status || threads == 0)
    return status;
  return stitchOwnKernelsLaunch(&c->calls->kernels, STITCH_OWN_TRIANGULAR_SOLVE, threads, &parameters, stream);
}

const StitchCudaCallKind stitchCudaTriangularSolve = {
    .name = "triangular_solve",
    .create = createSolve,
    .workspaceBytes = noWorkspace,
    .execute = executeSolve,
    .destroy = free,
};
