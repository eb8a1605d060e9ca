//===- cusolver.c - cuSOLVER of the test double --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cholesky factors by the loops that stand in for LAPACK. As with the real one, a batch uses the other triangle as a
// workspace, a matrix that is not positive definite is left half done, and nothing is to be captured.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cusolver_abi.h"

#include "runtime/library/lapack.h"
#include "test/cuda_double/elements.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/touches.h"

#include <string.h>

#define CUSOLVER_SYMBOL(name, parameters) EXPORTED cusolverStatus_t name parameters;
#include "runtime/cuda/cusolver_symbols.def"
#undef CUSOLVER_SYMBOL

typedef struct {
  Object object;
  CUstream stream;
} Handle;

/// A call. Of a batch, `a` is the address of an array of addresses.
typedef struct {
  Work work;
  StitchElementType type;
  cublasFillMode_t triangle;
  int64_t n, lda, batch;
  CUdeviceptr a, infos, workspace;
  size_t workspaceBytes;
} Factor;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

cusolverStatus_t cusolverGetVersion(int *version) {
  ENTER(cusolverGetVersion);
  *version = config.cusolver;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  *handle = POISON;
  ENTER(cusolverDnCreate);
  if (!currentContext("cusolverDnCreate"))
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = newObject(KIND_SOLVER, sizeof(Handle));
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  ENTER(cusolverDnDestroy);
  if (!isObject(handle, KIND_SOLVER, "cusolverDnDestroy"))
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  destroyObject(handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream) {
  ENTER(cusolverDnSetStream);
  if (!isObject(handle, KIND_SOLVER, "cusolverDnSetStream") || !streamOf(stream, "cusolverDnSetStream"))
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  ((Handle *)handle)->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *parameters) {
  *parameters = POISON;
  ENTER(cusolverDnCreateParams);
  *parameters = newObject(KIND_SOLVER_PARAMETERS, sizeof(Object));
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t parameters) {
  ENTER(cusolverDnDestroyParams);
  if (!isObject(parameters, KIND_SOLVER_PARAMETERS, "cusolverDnDestroyParams"))
    return CUSOLVER_STATUS_INVALID_VALUE;
  destroyObject(parameters);
  return CUSOLVER_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

static void destroyOtherTriangle(const Factor *f, char *a) {
  size_t bytes = stitchElementBytes(f->type);
  for (int64_t column = 0; column < f->n; ++column)
    for (int64_t row = 0; row < f->n; ++row)
      if (f->triangle == CUBLAS_FILL_MODE_LOWER ? row < column : row > column)
        memset(a + (size_t)(column * f->lda + row) * bytes, 0xff, bytes);
}

static bool run(const Factor *f, const CUdeviceptr *a, bool isBatch) {
  int *infos = translate(f->infos, (size_t)f->batch * sizeof(*infos));
  int n = (int)f->n, lda = (int)f->lda;
  for (int64_t i = 0; a && infos && i < f->batch; ++i) {
    void *matrix = translate(a[i], (size_t)((f->n - 1) * f->lda + f->n) * stitchElementBytes(f->type));
    if (!matrix)
      return false;
    stitchLapackLoops(f->type).potrf(f->triangle == CUBLAS_FILL_MODE_LOWER ? "L" : "U", &n, matrix, &lda, &infos[i], 1);
    touchStrided(matrix, (size_t)n, (size_t)lda * stitchElementBytes(f->type), (size_t)n * stitchElementBytes(f->type),
                 true);
    touch(&infos[i], sizeof(*infos), true);
    if (isBatch)
      destroyOtherTriangle(f, matrix);
  }
  return a && infos;
}

static bool runFactor(const Work *work) {
  const Factor *f = (const Factor *)work;
  void *workspace = translate(f->workspace, f->workspaceBytes);
  if (workspace) {
    memset(workspace, 0xff, f->workspaceBytes);
    touch(workspace, f->workspaceBytes, true);
  }
  return workspace && run(f, &f->a, false);
}

static bool runBatch(const Work *work) {
  const Factor *f = (const Factor *)work;
  const CUdeviceptr *a = translate(f->a, (size_t)f->batch * sizeof(*a));
  if (a)
    touch(a, (size_t)f->batch * sizeof(*a), false);
  return run(f, a, true);
}

static cusolverStatus_t enqueueFactor(cusolverDnHandle_t handle, const Factor *factor, const char *function) {
  if (!isObject(handle, KIND_SOLVER, function))
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (factor->n < 1 || factor->lda < factor->n || factor->batch < 1)
    return CUSOLVER_STATUS_INVALID_VALUE;
  CUstream stream = ((Handle *)handle)->stream;
  if (((Stream *)stream)->capture)
    violation("%s: nobody says that this can be captured", function);
  return enqueueWork(stream, &factor->work) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// One matrix
//===----------------------------------------------------------------------===//

static StitchElementType elementOf(cudaDataType type) {
  return type == CUDA_R_64F   ? STITCH_ELEMENT_F64
         : type == CUDA_C_32F ? STITCH_ELEMENT_COMPLEX64
         : type == CUDA_C_64F ? STITCH_ELEMENT_COMPLEX128
                              : STITCH_ELEMENT_F32;
}

/// No multiples of anything.
static size_t deviceBytesOf(int64_t n) { return (size_t)n * 12 + 1; }
static size_t hostBytesOf(int64_t n) { return (size_t)n + 3; }

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t parameters,
                                             cublasFillMode_t triangle, int64_t n, cudaDataType type, const void *a,
                                             int64_t lda, cudaDataType computeType, size_t *deviceBytes,
                                             size_t *hostBytes) {
  ENTER(cusolverDnXpotrf_bufferSize);
  (void)triangle, (void)a;
  if (!isObject(handle, KIND_SOLVER, "cusolverDnXpotrf_bufferSize") ||
      !isObject(parameters, KIND_SOLVER_PARAMETERS, "cusolverDnXpotrf_bufferSize"))
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 1 || lda < n || computeType != type)
    return CUSOLVER_STATUS_INVALID_VALUE;
  *deviceBytes = deviceBytesOf(n);
  *hostBytes = hostBytesOf(n);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t parameters, cublasFillMode_t triangle,
                                  int64_t n, cudaDataType type, void *a, int64_t lda, cudaDataType computeType,
                                  void *deviceWorkspace, size_t deviceBytes, void *hostWorkspace, size_t hostBytes,
                                  int *info) {
  ENTER(cusolverDnXpotrf);
  if (!isObject(parameters, KIND_SOLVER_PARAMETERS, "cusolverDnXpotrf") || computeType != type ||
      deviceBytes < deviceBytesOf(n) || hostBytes < hostBytesOf(n) || !hostWorkspace)
    return CUSOLVER_STATUS_INVALID_VALUE;
  memset(hostWorkspace, 0xff, hostBytes);
  Factor factor = {
      .work = {runFactor, sizeof(factor), "cusolverDnXpotrf", 0},
      .type = elementOf(type),
      .triangle = triangle,
      .n = n,
      .lda = lda,
      .batch = 1,
      .a = (CUdeviceptr)(uintptr_t)a,
      .infos = (CUdeviceptr)(uintptr_t)info,
      .workspace = (CUdeviceptr)(uintptr_t)deviceWorkspace,
      .workspaceBytes = deviceBytes,
  };
  return enqueueFactor(handle, &factor, "cusolverDnXpotrf");
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

#define POTRF_BATCHED(letter, elements, elementType)                                                                   \
  cusolverStatus_t cusolverDn##letter##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t triangle, int n,       \
                                                    elements *a[], int lda, int *infos, int batch) {                   \
    ENTER(cusolverDn##letter##potrfBatched);                                                                           \
    Factor factor = {                                                                                                  \
        .work = {runBatch, sizeof(factor), "cusolverDn" #letter "potrfBatched", 0},                                    \
        .type = elementType,                                                                                           \
        .triangle = triangle,                                                                                          \
        .n = n,                                                                                                        \
        .lda = lda,                                                                                                    \
        .batch = batch,                                                                                                \
        .a = (CUdeviceptr)(uintptr_t)a,                                                                                \
        .infos = (CUdeviceptr)(uintptr_t)infos,                                                                        \
    };                                                                                                                 \
    return enqueueFactor(handle, &factor, "cusolverDn" #letter "potrfBatched");                                        \
  }

POTRF_BATCHED(S, float, STITCH_ELEMENT_F32)
POTRF_BATCHED(D, double, STITCH_ELEMENT_F64)
POTRF_BATCHED(C, cuComplex, STITCH_ELEMENT_COMPLEX64)
POTRF_BATCHED(Z, cuDoubleComplex, STITCH_ELEMENT_COMPLEX128)
