//===- cublas.c - cuBLAS of the test double ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Systems of equations by the loops that stand in for LAPACK, and batches of products that arrays of addresses
// describe. As the real one does, setting the stream takes the
// workspace away, and each call may write over all of it; one without a workspace would allocate memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublas_abi.h"

#include "runtime/library/lapack.h"
#include "test/cuda_double/elements.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/touches.h"

#include <string.h>

#define CUBLASLT_SYMBOL(result, name, parameters) result name parameters;
#include "runtime/cuda/cublaslt_symbols.def"
#undef CUBLASLT_SYMBOL

#define CUBLAS_SYMBOL(result, name, parameters) EXPORTED result name parameters;
#include "runtime/cuda/cublas_symbols.def"
#undef CUBLAS_SYMBOL

typedef struct {
  Object object;
  CUstream stream;
  CUdeviceptr workspace;
  size_t workspaceBytes;
} Handle;

/// A call. Of a batch, `a` and `b` are the addresses of arrays of addresses.
typedef struct {
  Work work;
  StitchElementType type;
  cublasSideMode_t side;
  cublasFillMode_t triangle;
  cublasOperation_t operation;
  cublasDiagType_t diagonal;
  int64_t m, n, lda, ldb;
  int64_t batch;
  CUdeviceptr a, b, workspace;
} Solve;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

const char *cublasGetStatusName(cublasStatus_t status) { return cublasLtGetStatusName(status); }
const char *cublasGetStatusString(cublasStatus_t status) { return cublasLtGetStatusString(status); }

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  *handle = POISON;
  ENTER(cublasCreate_v2);
  if (!currentContext("cublasCreate_v2"))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = newObject(KIND_CUBLAS, sizeof(Handle));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  ENTER(cublasDestroy_v2);
  if (!isObject(handle, KIND_CUBLAS, "cublasDestroy_v2"))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  destroyObject(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
  ENTER(cublasGetVersion_v2);
  if (!isObject(handle, KIND_CUBLAS, "cublasGetVersion_v2"))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *version = config.cublas;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  ENTER(cublasSetStream_v2);
  if (!isObject(handle, KIND_CUBLAS, "cublasSetStream_v2") || !streamOf(stream, "cublasSetStream_v2"))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  Handle *h = (Handle *)handle;
  h->stream = stream;
  h->workspace = 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
  ENTER(cublasSetWorkspace_v2);
  if (!isObject(handle, KIND_CUBLAS, "cublasSetWorkspace_v2"))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  Handle *h = (Handle *)handle;
  h->workspace = (CUdeviceptr)(uintptr_t)workspace;
  h->workspaceBytes = bytes;
  return h->workspace % 256 == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Systems of equations
//===----------------------------------------------------------------------===//

/// Bytes that a call writes of its workspace: less than any allowed workspace.
enum { USED_WORKSPACE = 16 << 10 };

static size_t extent(int64_t rows, int64_t columns, int64_t leading, StitchElementType type) {
  return (size_t)((columns - 1) * leading + rows) * stitchElementBytes(type);
}

static bool solveOne(const Solve *s, CUdeviceptr aAddress, CUdeviceptr bAddress) {
  static const char *const operations[] = {"N", "T", "C"};
  int64_t order = s->side == CUBLAS_SIDE_LEFT ? s->m : s->n;
  const void *a = translate(aAddress, extent(order, order, s->lda, s->type));
  void *b = translate(bAddress, extent(s->m, s->n, s->ldb, s->type));
  int m = (int)s->m, n = (int)s->n, lda = (int)s->lda, ldb = (int)s->ldb;
  if (!a || !b)
    return false;
  stitchLapackLoops(s->type).trsm(s->side == CUBLAS_SIDE_LEFT ? "L" : "R",
                                  s->triangle == CUBLAS_FILL_MODE_LOWER ? "L" : "U", operations[s->operation],
                                  s->diagonal == CUBLAS_DIAG_UNIT ? "U" : "N", &m, &n, NULL, a, &lda, b, &ldb, 1, 1, 1,
                                  1);
  size_t bytes = stitchElementBytes(s->type);
  touchStrided(a, (size_t)order, (size_t)s->lda * bytes, (size_t)order * bytes, false);
  touchStrided(b, (size_t)s->n, (size_t)s->ldb * bytes, (size_t)s->m * bytes, true);
  return true;
}

static bool run(const Solve *s, const CUdeviceptr *a, const CUdeviceptr *b) {
  void *workspace = translate(s->workspace, USED_WORKSPACE);
  if (!a || !b || !workspace)
    return false;
  for (int64_t i = 0; i < s->batch; ++i)
    if (!solveOne(s, a[i], b[i]))
      return false;
  memset(workspace, 0xff, USED_WORKSPACE);
  touch(workspace, USED_WORKSPACE, true);
  return true;
}

static bool runSolve(const Work *work) {
  const Solve *s = (const Solve *)work;
  return run(s, &s->a, &s->b);
}

/// An array of addresses; NULL if that is not device memory.
static const CUdeviceptr *addressesAt(CUdeviceptr array, int64_t count) {
  size_t bytes = (size_t)count * sizeof(CUdeviceptr);
  const CUdeviceptr *addresses = translate(array, bytes);
  if (addresses)
    touch(addresses, bytes, false);
  return addresses;
}

static bool runBatch(const Work *work) {
  const Solve *s = (const Solve *)work;
  return run(s, addressesAt(s->a, s->batch), addressesAt(s->b, s->batch));
}

static cublasStatus_t enqueueSolve(cublasHandle_t handle, const Solve *solve, const void *alpha, const char *function) {
  if (!isObject(handle, KIND_CUBLAS, function))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  const Handle *h = (const Handle *)handle;
  int64_t order = solve->side == CUBLAS_SIDE_LEFT ? solve->m : solve->n;
  if (solve->m < 1 || solve->n < 1 || solve->batch < 1 || solve->lda < order || solve->ldb < solve->m)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (loadComplexElement(solve->type, alpha, 0) != 1.0)
    violation("%s: alpha is not 1", function);
  if (!h->workspace || h->workspaceBytes < USED_WORKSPACE)
    violation("%s: there is no workspace for this stream, or too little", function);
  Solve copy = *solve;
  copy.workspace = h->workspace;
  return enqueueWork(h->stream, &copy.work) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

#define SOLVE(name, runs, elementType, count)                                                                          \
  ENTER(name);                                                                                                         \
  Solve solve = {                                                                                                      \
      .work = {runs, sizeof(solve), #name, 0},                                                                         \
      .type = elementType,                                                                                             \
      .side = side,                                                                                                    \
      .triangle = triangle,                                                                                            \
      .operation = operation,                                                                                          \
      .diagonal = diagonal,                                                                                            \
      .m = m,                                                                                                          \
      .n = n,                                                                                                          \
      .lda = lda,                                                                                                      \
      .ldb = ldb,                                                                                                      \
      .batch = count,                                                                                                  \
      .a = (CUdeviceptr)(uintptr_t)a,                                                                                  \
      .b = (CUdeviceptr)(uintptr_t)b,                                                                                  \
  };                                                                                                                   \
  return enqueueSolve(handle, &solve, alpha, #name)

#define TRSM(letter, type, elementType)                                                                                \
  cublasStatus_t cublas##letter##trsm_v2_64(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,   \
                                            cublasOperation_t operation, cublasDiagType_t diagonal, int64_t m,         \
                                            int64_t n, const type *alpha, const type *a, int64_t lda, type *b,         \
                                            int64_t ldb) {                                                             \
    SOLVE(cublas##letter##trsm_v2_64, runSolve, elementType, 1);                                                       \
  }                                                                                                                    \
  cublasStatus_t cublas##letter##trsmBatched_64(                                                                       \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle, cublasOperation_t operation,            \
      cublasDiagType_t diagonal, int64_t m, int64_t n, const type *alpha, const type *const a[], int64_t lda,          \
      type *const b[], int64_t ldb, int64_t batch) {                                                                   \
    SOLVE(cublas##letter##trsmBatched_64, runBatch, elementType, batch);                                               \
  }

TRSM(S, float, STITCH_ELEMENT_F32)
TRSM(D, double, STITCH_ELEMENT_F64)
TRSM(C, cuComplex, STITCH_ELEMENT_COMPLEX64)
TRSM(Z, cuDoubleComplex, STITCH_ELEMENT_COMPLEX128)

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `a`, `b` and `c` are the addresses of arrays of addresses.
typedef struct {
  Work work;
  PlainMatmul matmul;
  CUdeviceptr a, b, c, workspace;
  int64_t batch;
} Products;

static bool runProducts(const Work *work) {
  const Products *p = (const Products *)work;
  const CUdeviceptr *a = addressesAt(p->a, p->batch), *b = addressesAt(p->b, p->batch),
                    *c = addressesAt(p->c, p->batch);
  void *workspace = translate(p->workspace, USED_WORKSPACE);
  if (!a || !b || !c || !workspace)
    return false;
  for (int64_t i = 0; i < p->batch; ++i)
    if (!runPlainMatmul(&p->matmul, a[i], b[i], c[i]))
      return false;
  memset(workspace, 0xff, USED_WORKSPACE);
  touch(workspace, USED_WORKSPACE, true);
  return true;
}

cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transA, cublasOperation_t transB,
                                      int64_t m, int64_t n, int64_t k, const void *alpha, const void *const a[],
                                      cudaDataType aType, int64_t lda, const void *const b[], cudaDataType bType,
                                      int64_t ldb, const void *beta, void *const c[], cudaDataType cType, int64_t ldc,
                                      int64_t batch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  static const char function[] = "cublasGemmBatchedEx_64";
  ENTER(cublasGemmBatchedEx_64);
  Products products = {
      .work = {runProducts, sizeof(products), function, batch - 1},
      .matmul = {transA, transB, m, n, k, lda, ldb, ldc, aType, bType, cType, compute},
      .a = (CUdeviceptr)(uintptr_t)a,
      .b = (CUdeviceptr)(uintptr_t)b,
      .c = (CUdeviceptr)(uintptr_t)c,
      .batch = batch,
  };
  if (!isObject(handle, KIND_CUBLAS, function))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  const Handle *h = (const Handle *)handle;
  if (batch < 1 || algorithm != CUBLAS_GEMM_DEFAULT || !isPlainMatmul(&products.matmul, function))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!isUnscaled(&products.matmul, alpha, beta))
    violation("%s: alpha and beta are not 1 and 0", function);
  if (!h->workspace || h->workspaceBytes < USED_WORKSPACE)
    violation("%s: there is no workspace for this stream, or too little", function);
  products.workspace = h->workspace;
  return enqueueWork(h->stream, &products.work) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
