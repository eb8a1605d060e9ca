//===- cublas.c - cuBLAS, opened at run time -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of cublas_symbols.def in libcublas, creates the session's handle, and turns statuses of the
// library into StitchStatus.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublas.h"

#include "runtime/shared_library.h"

static const char purpose[] = "cuBLAS";
enum { OLDEST_VERSION = 120000 };

StitchStatus stitchCublasCheck(const StitchCublas *blas, cublasStatus_t result, const char *call) {
  if (result == CUBLAS_STATUS_SUCCESS)
    return NULL;
  StitchStatusCode code = result == CUBLAS_STATUS_ALLOC_FAILED    ? STITCH_OUT_OF_MEMORY
                          : result == CUBLAS_STATUS_NOT_SUPPORTED ? STITCH_UNIMPLEMENTED
                                                                  : STITCH_DEVICE_ERROR;
  return stitchStatusMake(code, "%s: %s (%d): %s", call, blas->cublasGetStatusName(result), (int)result,
                          blas->cublasGetStatusString(result));
}

static StitchStatus findFunctions(StitchCublas *blas) {
  StitchStatus status = NULL;
#define CUBLAS_SYMBOL(result, name, parameters)                                                                        \
  if (!status)                                                                                                         \
    status = stitchSharedLibrarySymbol(purpose, blas->library, #name, &blas->name);
#include "runtime/cuda/cublas_symbols.def"
#undef CUBLAS_SYMBOL
  return status;
}

/// After a failure `handle` is no handle.
static StitchStatus createHandle(StitchCublas *blas) {
  StitchStatus status = CUBLAS_CALL(blas, cublasCreate_v2, &blas->handle);
  if (status)
    blas->handle = NULL;
  return status;
}

StitchStatus stitchCublasOpen(const char *folder, StitchCublas *blas) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", NULL};
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &blas->library);
  if (!status)
    status = findFunctions(blas);
  if (!status)
    status = createHandle(blas);
  if (!status)
    status = CUBLAS_CALL(blas, cublasGetVersion_v2, blas->handle, &blas->version);
  if (!status && blas->version < OLDEST_VERSION)
    status = stitchStatusMake(STITCH_NOT_FOUND, "%s %d.%d is too old: 12.0 or later is needed", purpose,
                              blas->version / 10000, blas->version / 100 % 100);
  return status;
}

/// Setting the stream takes the workspace away again.
StitchStatus stitchCublasBegin(const StitchCublas *blas, CUstream stream, void *workspace, size_t bytes) {
  StitchStatus status = CUBLAS_CALL(blas, cublasSetStream_v2, blas->handle, stream);
  return status ? status : CUBLAS_CALL(blas, cublasSetWorkspace_v2, blas->handle, workspace, bytes);
}

void stitchCublasClose(StitchCublas *blas) {
  if (blas->handle)
    blas->cublasDestroy_v2(blas->handle);
  stitchSharedLibraryClose(blas->library);
  *blas = (StitchCublas){0};
}
