//===- cholesky.c - tg.cholesky on a GPU ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuSOLVER's potrf of a copy of the operand: one matrix after the other, or, of many small ones, all at a time. A
// kernel of our own writes the other triangle's zeros, and NaN where a matrix is not positive definite: it reads `info`
// on the GPU, where it stays.
//
// Without cuSOLVER, kernels of our own (kernels.h) compute a factor column by column, all rows of a column and all
// matrices of a batch in one launch. That is right, and slow where matrices are large. They do, too, while a caller
// captures the stream: cuSOLVER's documentation does not say that its calls can be captured, unlike cuBLAS' and
// cuFFT's.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_linear_algebra.h"

#include <stdlib.h>

typedef struct {
  StitchCudaCalls *calls;
  StitchMatrixProblem problem;
  bool isOwn;         ///< our own kernels
  size_t deviceBytes; ///< workspace that cuSOLVER needs for one matrix
  size_t hostBytes;
  void *hostWorkspace;
} CudaCholesky;

static bool choleskyIsEmpty(const StitchMatrixProblem *p) { return p->batch == 0 || p->size == 0; }

static size_t matrixBytes(const StitchMatrixProblem *p) {
  return (size_t)p->size * (size_t)p->size * stitchElementBytes(p->type);
}

static cudaDataType choleskyType(const StitchMatrixProblem *p) {
  switch (p->type) {
  case STITCH_ELEMENT_F64:
    return CUDA_R_64F;
  case STITCH_ELEMENT_COMPLEX64:
    return CUDA_C_32F;
  case STITCH_ELEMENT_COMPLEX128:
    return CUDA_C_64F;
  default:
    return CUDA_R_32F;
  }
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static void destroyCholesky(void *call) {
  CudaCholesky *c = call;
  if (c)
    free(c->hostWorkspace);
  free(c);
}

/// How much workspace a matrix needs does not depend on where it is.
static StitchStatus findWorkspace(CudaCholesky *c) {
  const StitchMatrixProblem *p = &c->problem;
  const StitchCusolver *solver = &c->calls->solver;
  StitchStatus status =
      CUSOLVER_CALL(solver, cusolverDnXpotrf_bufferSize, solver->handle, solver->parameters, stitchMatrixTriangle(p),
                    p->size, choleskyType(p), NULL, p->size, choleskyType(p), &c->deviceBytes, &c->hostBytes);
  if (status || c->hostBytes == 0)
    return status;
  c->hostWorkspace = malloc(c->hostBytes);
  return c->hostWorkspace ? NULL : stitchStatusOutOfMemory();
}

static StitchStatus createCholesky(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  CudaCholesky *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  c->calls = calls;
  StitchKernelNumber number;
  StitchStatus status = stitchCholeskyProblem(problem, &c->problem);
  if (!status)
    status = stitchMatrixNumber(c->problem.type, &number);
  if (!status)
    status = stitchCudaCallsFindSolver(calls);
  c->isOwn = !calls->solver.library;
  if (!status && !c->isOwn && !choleskyIsEmpty(&c->problem) && !stitchMatricesAreBatched(&c->problem))
    status = findWorkspace(c);
  if (status)
    destroyCholesky(c);
  else
    *call = c;
  return status;
}

static bool choleskyIsOwn(const void *call) { return ((const CudaCholesky *)call)->isOwn; }

static bool canBeCaptured(const void *call) { return choleskyIsOwn(call); }

static size_t infosBytes(const StitchMatrixProblem *p) { return stitchCudaAligned((size_t)p->batch * sizeof(int)); }

/// The workspace's bytes: those of one matrix, `info` of each, and the array of addresses.
static size_t choleskyWorkspaceBytes(const void *call) {
  const CudaCholesky *c = call;
  if (c->isOwn)
    return 0;
  return stitchCudaAligned(c->deviceBytes) + infosBytes(&c->problem) + stitchMatrixAddressesBytes(&c->problem);
}

//===----------------------------------------------------------------------===//
// cuSOLVER
//===----------------------------------------------------------------------===//

static StitchStatus factorBatch(const CudaCholesky *c, void *result, int *infos, void *addresses, CUstream stream) {
  const StitchMatrixProblem *p = &c->problem;
  const StitchCusolver *solver = &c->calls->solver;
  StitchStatus status = stitchMatrixAddresses(&c->calls->kernels, p, result, matrixBytes(p), addresses, stream);
  if (status)
    return status;
#define FACTOR(letter)                                                                                                 \
  CUSOLVER_CALL(solver, cusolverDn##letter##potrfBatched, solver->handle, stitchMatrixTriangle(p), (int)p->size,       \
                addresses, (int)p->size, infos, (int)p->batch)
  switch (p->type) {
  case STITCH_ELEMENT_F64:
    return FACTOR(D);
  case STITCH_ELEMENT_COMPLEX64:
    return FACTOR(C);
  case STITCH_ELEMENT_COMPLEX128:
    return FACTOR(Z);
  default:
    return FACTOR(S);
  }
#undef FACTOR
}

static StitchStatus factorEach(const CudaCholesky *c, char *result, int *infos, void *workspace) {
  const StitchMatrixProblem *p = &c->problem;
  const StitchCusolver *solver = &c->calls->solver;
  StitchStatus status = NULL;
  for (int64_t i = 0; i < p->batch && !status; ++i)
    status = CUSOLVER_CALL(solver, cusolverDnXpotrf, solver->handle, solver->parameters, stitchMatrixTriangle(p),
                           p->size, choleskyType(p), result + (size_t)i * matrixBytes(p), p->size, choleskyType(p),
                           workspace, c->deviceBytes, c->hostWorkspace, c->hostBytes, infos + i);
  return status;
}

/// A matrix that cuSOLVER gives up has an `info` above 0.
static StitchStatus executeSolver(const CudaCholesky *c, StitchCholeskyParameters *finish, char *workspace,
                                  CUstream stream) {
  const StitchMatrixProblem *p = &c->problem;
  const StitchCusolver *solver = &c->calls->solver;
  int *infos = (int *)(void *)(workspace + stitchCudaAligned(c->deviceBytes));
  void *addresses = (char *)infos + infosBytes(p);
  finish->infos = infos;
  StitchStatus status = CUSOLVER_CALL(solver, cusolverDnSetStream, solver->handle, stream);
  if (!status)
    status = CUDA_CALL(c->calls->cuda, cuMemcpyDtoDAsync, (CUdeviceptr)(uintptr_t)finish->result,
                       (CUdeviceptr)(uintptr_t)finish->operand, (size_t)p->batch * matrixBytes(p), stream);
  if (status)
    return status;
  return stitchMatricesAreBatched(p) ? factorBatch(c, finish->result, infos, addresses, stream)
                                     : factorEach(c, finish->result, infos, workspace);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static StitchStatus executeColumns(const CudaCholesky *c, StitchCholeskyParameters *parameters, CUstream stream) {
  const StitchMatrixProblem *p = &c->problem;
  StitchStatus status = NULL;
  for (; parameters->column < p->size && !status; ++parameters->column)
    status = stitchOwnKernelsLaunch(&c->calls->kernels, STITCH_OWN_CHOLESKY_COLUMN,
                                    p->batch * (p->size - parameters->column), parameters, stream);
  return status;
}

static StitchStatus executeCholesky(void *call, void *const *pointers, void *workspace, CUstream stream) {
  const CudaCholesky *c = call;
  const StitchMatrixProblem *p = &c->problem;
  StitchCholeskyParameters parameters = {
      .operand = pointers[0],
      .result = pointers[1],
      .batch = p->batch,
      .size = p->size,
      .isUpper = p->triangle.isUpper,
  };
  bool captured = false;
  StitchStatus status = stitchMatrixNumber(p->type, &parameters.number);
  if (choleskyIsEmpty(p))
    return status;
  if (!status && !c->isOwn)
    status = stitchCudaIsCapturing(c->calls->cuda, stream, &captured);
  if (!status)
    status = c->isOwn || captured ? executeColumns(c, &parameters, stream)
                                  : executeSolver(c, &parameters, workspace, stream);
  if (!status)
    status = stitchOwnKernelsLaunch(&c->calls->kernels, STITCH_OWN_CHOLESKY_FINISH, p->batch * p->size * p->size,
                                    &parameters, stream);
  return status;
}

const StitchCudaCallKind stitchCudaCholesky = {
    .name = "cholesky",
    .create = createCholesky,
    .workspaceBytes = choleskyWorkspaceBytes,
    .execute = executeCholesky,
    .destroy = destroyCholesky,
    .isOwn = choleskyIsOwn,
    .canBeCaptured = canBeCaptured,
};
