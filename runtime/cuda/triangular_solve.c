//===- triangular_solve.c - tg.triangular_solve on a GPU -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLAS' trsm of a copy of b: one system after the other, or, of many small ones, all at a time. Without cuBLAS, each
// thread of a kernel of our own (kernels.h) solves a system: right, and slow where matrices are large.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_linear_algebra.h"

#include <stdlib.h>

typedef struct {
  StitchCudaCalls *calls;
  StitchMatrixProblem problem;
  bool isOwn; ///< our own kernel
} CudaSolve;

static bool solveIsEmpty(const StitchMatrixProblem *p) { return p->batch == 0 || p->rows == 0 || p->columns == 0; }

static StitchStatus createSolve(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  CudaSolve *s = calloc(1, sizeof(*s));
  if (!s)
    return stitchStatusOutOfMemory();
  s->calls = calls;
  StitchKernelNumber number;
  StitchStatus status = stitchTriangularSolveProblem(problem, &s->problem);
  if (!status)
    status = stitchMatrixNumber(s->problem.type, &number);
  if (!status)
    status = stitchCudaCallsFindCublas(calls);
  s->isOwn = !calls->cublas.library;
  if (status)
    free(s);
  else
    *call = s;
  return status;
}

static bool solveIsOwn(const void *call) { return ((const CudaSolve *)call)->isOwn; }

//===----------------------------------------------------------------------===//
// cuBLAS
//===----------------------------------------------------------------------===//

static size_t cublasBytes(const CudaSolve *s) { return stitchCublasWorkspaceBytes(s->calls->cuda->arch); }

/// cuBLAS' own, the addresses of A and those of X.
static size_t solveWorkspaceBytes(const void *call) {
  const CudaSolve *s = call;
  return s->isOwn ? 0 : cublasBytes(s) + 2 * stitchMatrixAddressesBytes(&s->problem);
}

/// A problem as cuBLAS sees it, transposed.
typedef struct {
  cublasSideMode_t side;
  cublasFillMode_t triangle;
  cublasOperation_t operation;
  cublasDiagType_t diagonal;
  int64_t m, n, lda;
  const void *one;
} CublasForm;

/// The adjoint of real matrices is their transpose.
static cublasOperation_t operationOf(const StitchMatrixProblem *p) {
  if (p->triangle.transposition == STITCH_LIBRARY_NOT_TRANSPOSED)
    return CUBLAS_OP_N;
  bool isAdjoint = p->triangle.transposition == STITCH_LIBRARY_ADJOINT;
  return isAdjoint && stitchElementIsComplex(p->type) ? CUBLAS_OP_C : CUBLAS_OP_T;
}

static CublasForm formOf(const StitchMatrixProblem *p) {
  // Real numbers and, with the second element, complex ones.
  static const float one32[] = {1.0f, 0.0f};
  static const double one64[] = {1.0, 0.0};
  bool isDouble = p->type == STITCH_ELEMENT_F64 || p->type == STITCH_ELEMENT_COMPLEX128;
  return (CublasForm){
      .side = p->triangle.isRight ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
      .triangle = stitchMatrixTriangle(p),
      .operation = operationOf(p),
      .diagonal = p->triangle.hasUnitDiagonal ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT,
      .m = p->columns,
      .n = p->rows,
      .lda = p->size,
      .one = isDouble ? (const void *)one64 : one32,
  };
}

static StitchStatus solveOne(const CudaSolve *s, const CublasForm *f, const void *a, void *x) {
  const StitchCublas *blas = &s->calls->cublas;
#define SOLVE(letter)                                                                                                  \
  CUBLAS_CALL(blas, cublas##letter##trsm_v2_64, blas->handle, f->side, f->triangle, f->operation, f->diagonal, f->m,   \
              f->n, f->one, a, f->lda, x, f->m)
  switch (s->problem.type) {
  case STITCH_ELEMENT_F64:
    return SOLVE(D);
  case STITCH_ELEMENT_COMPLEX64:
    return SOLVE(C);
  case STITCH_ELEMENT_COMPLEX128:
    return SOLVE(Z);
  default:
    return SOLVE(S);
  }
#undef SOLVE
}

static StitchStatus solveBatch(const CudaSolve *s, const CublasForm *f, const void *a, const void *x) {
  const StitchCublas *blas = &s->calls->cublas;
#define SOLVE(letter)                                                                                                  \
  CUBLAS_CALL(blas, cublas##letter##trsmBatched_64, blas->handle, f->side, f->triangle, f->operation, f->diagonal,     \
              f->m, f->n, f->one, a, f->lda, x, f->m, s->problem.batch)
  switch (s->problem.type) {
  case STITCH_ELEMENT_F64:
    return SOLVE(D);
  case STITCH_ELEMENT_COMPLEX64:
    return SOLVE(C);
  case STITCH_ELEMENT_COMPLEX128:
    return SOLVE(Z);
  default:
    return SOLVE(S);
  }
#undef SOLVE
}

static StitchStatus solveAll(const CudaSolve *s, const char *a, char *x, void *workspace, CUstream stream) {
  const StitchMatrixProblem *p = &s->problem;
  const StitchOwnKernels *kernels = &s->calls->kernels;
  CublasForm form = formOf(p);
  size_t aBytes = (size_t)p->size * (size_t)p->size * stitchElementBytes(p->type);
  size_t xBytes = (size_t)p->rows * (size_t)p->columns * stitchElementBytes(p->type);
  char *aAddresses = (char *)workspace + cublasBytes(s), *xAddresses = aAddresses + stitchMatrixAddressesBytes(p);
  StitchStatus status = NULL;
  if (stitchMatricesAreBatched(p)) {
    status = stitchMatrixAddresses(kernels, p, a, aBytes, aAddresses, stream);
    if (!status)
      status = stitchMatrixAddresses(kernels, p, x, xBytes, xAddresses, stream);
    return status ? status : solveBatch(s, &form, aAddresses, xAddresses);
  }
  for (int64_t i = 0; i < p->batch && !status; ++i)
    status = solveOne(s, &form, a + (size_t)i * aBytes, x + (size_t)i * xBytes);
  return status;
}

static StitchStatus executeCublas(const CudaSolve *s, void *const *pointers, void *workspace, CUstream stream) {
  const StitchMatrixProblem *p = &s->problem;
  const StitchCublas *blas = &s->calls->cublas;
  size_t bytes = (size_t)p->batch * (size_t)p->rows * (size_t)p->columns * stitchElementBytes(p->type);
  StitchStatus status = stitchCublasBegin(blas, stream, workspace, cublasBytes(s));
  if (!status)
    status = CUDA_CALL(s->calls->cuda, cuMemcpyDtoDAsync, (CUdeviceptr)(uintptr_t)pointers[2],
                       (CUdeviceptr)(uintptr_t)pointers[1], bytes, stream);
  return status ? status : solveAll(s, pointers[0], pointers[2], workspace, stream);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static StitchStatus executeKernel(const CudaSolve *s, void *const *pointers, CUstream stream) {
  const StitchMatrixProblem *p = &s->problem;
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
  StitchStatus status = stitchMatrixNumber(p->type, &parameters.number);
  if (status)
    return status;
  return stitchOwnKernelsLaunch(&s->calls->kernels, STITCH_OWN_TRIANGULAR_SOLVE, p->batch * parameters.systems,
                                &parameters, stream);
}

static StitchStatus executeSolve(void *call, void *const *pointers, void *workspace, CUstream stream) {
  const CudaSolve *s = call;
  if (solveIsEmpty(&s->problem))
    return NULL;
  return s->isOwn ? executeKernel(s, pointers, stream) : executeCublas(s, pointers, workspace, stream);
}

const StitchCudaCallKind stitchCudaTriangularSolve = {
    .name = "triangular_solve",
    .create = createSolve,
    .workspaceBytes = solveWorkspaceBytes,
    .execute = executeSolve,
    .destroy = free,
    .isOwn = solveIsOwn,
};
