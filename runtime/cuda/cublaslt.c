//===- cublaslt.c - cuBLASLt, opened at run time -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of cublaslt_symbols.def in libcublasLt, creates the session's handle, and turns statuses of the
// library into StitchStatus.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublaslt.h"

#include "runtime/shared_library.h"

static const char purpose[] = "cuBLASLt";

StitchStatus stitchCublasLtCheck(const StitchCublasLt *blas, cublasStatus_t result, const char *call) {
  if (result == CUBLAS_STATUS_SUCCESS)
    return NULL;
  StitchStatusCode code = result == CUBLAS_STATUS_ALLOC_FAILED    ? STITCH_OUT_OF_MEMORY
                          : result == CUBLAS_STATUS_NOT_SUPPORTED ? STITCH_UNIMPLEMENTED
                                                                  : STITCH_DEVICE_ERROR;
  return stitchStatusMake(code, "%s: %s (%d): %s", call, blas->cublasLtGetStatusName(result), (int)result,
                          blas->cublasLtGetStatusString(result));
}

StitchStatus stitchCublasLtOpen(const char *folder, StitchCublasLt *blas) {
  static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", NULL};
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &blas->library);
#define CUBLASLT_SYMBOL(result, name, parameters)                                                                      \
  if (!status)                                                                                                         \
    status = stitchSharedLibrarySymbol(purpose, blas->library, #name, &blas->name);
#include "runtime/cuda/cublaslt_symbols.def"
#undef CUBLASLT_SYMBOL
  return status ? status : CUBLASLT_CALL(blas, cublasLtCreate, &blas->handle);
}

void stitchCublasLtClose(StitchCublasLt *blas) {
  if (blas->handle)
    blas->cublasLtDestroy(blas->handle);
  blas->handle = NULL;
  stitchSharedLibraryClose(blas->library);
  blas->library = NULL;
}
