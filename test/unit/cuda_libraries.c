//===- cuda_libraries.c - the vendor's libraries have the functions that are asked for ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cuda_libraries [FOLDER]
//
// Opens the real libraries, which needs no GPU, and looks up each function of the tables. Prints a line for each
// library. NO GPU IS INVOLVED, and only functions are called that tell the version and, of the system's cuBLASLt, that
// set attributes.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublaslt.h"
#include "runtime/cuda/cufft.h"
#include "runtime/shared_library.h"
#include "test/unit/check.h"

#include <stdio.h>

static void checkLibrary(const char *purpose, const char *folder, const char *const *names,
                         const char *const *functions) {
  void *library = NULL;
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &library);
  if (status) {
    printf("%s: not here\n", purpose);
    stitchStatusFree(status);
    return;
  }
  int count = 0;
  for (; functions[count]; ++count) {
    void *function = NULL;
    CHECK_OK(stitchSharedLibrarySymbol(purpose, library, functions[count], &function));
  }
  printf("%s: %d functions\n", purpose, count);
  stitchSharedLibraryClose(library);
}

#define CUBLASLT_SYMBOL(result, name, parameters) #name,
static const char *const cublasLt[] = {
#include "runtime/cuda/cublaslt_symbols.def"
    NULL};

#define CUDNN_SYMBOL(result, name, parameters) #name,
static const char *const cudnn[] = {
#include "runtime/cuda/cudnn_symbols.def"
    NULL};

#define CUFFT_SYMBOL(name, parameters) #name,
static const char *const cufft[] = {
#include "runtime/cuda/cufft_symbols.def"
    NULL};

#define CUSOLVER_SYMBOL(name, parameters) #name,
static const char *const cusolver[] = {
#include "runtime/cuda/cusolver_symbols.def"
    NULL};

#define CUBLAS_SYMBOL(result, name, parameters) #name,
static const char *const cublas[] = {
#include "runtime/cuda/cublas_symbols.def"
    NULL};

#define NCCL_SYMBOL(result, name, parameters) #name,
static const char *const nccl[] = {
#include "runtime/cuda/nccl_symbols.def"
    NULL};

/// cuFFT can be opened without a GPU.
static void openCufft(const char *folder) {
  StitchCufft fft = {0};
  StitchStatus status = stitchCufftOpen(folder, &fft);
  if (!status)
    printf("cuFFT %d.%d\n", fft.version / 1000, fft.version / 100 % 10);
  else
    CHECK(stitchStatusCode(status) == STITCH_NOT_FOUND);
  stitchStatusFree(status);
  stitchCufftClose(&fft);
}

/// cuBLASLt tells of its structs in host memory whether it understands an attribute: those that the runtime sets, with
/// their sizes, and no other sizes. (A handle needs a GPU; this does not.)
static void setCublasLtAttributes(void) {
  enum { WRONG_BYTES = 3 };
  static const struct {
    int attribute;
    size_t bytes;
  } product[] = {{CUBLASLT_MATMUL_DESC_TRANSA, sizeof(cublasOperation_t)},
                 {CUBLASLT_MATMUL_DESC_TRANSB, sizeof(cublasOperation_t)},
                 {CUBLASLT_MATMUL_DESC_EPILOGUE, sizeof(uint32_t)},
                 {CUBLASLT_MATMUL_DESC_BIAS_POINTER, sizeof(void *)},
                 {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, sizeof(void *)},
                 {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, sizeof(int64_t)}},
    layout[] = {{CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, sizeof(int32_t)},
                {CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, sizeof(int64_t)}},
    preference[] = {{CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, sizeof(uint64_t)},
                    {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, sizeof(uint32_t)},
                    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, sizeof(uint32_t)},
                    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, sizeof(uint32_t)},
                    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, sizeof(uint32_t)},
                    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, sizeof(uint32_t)}};
  static const uint64_t value = 0;
  StitchCublasLt blas = {0};
  stitchStatusFree(
      stitchCublasLtOpen(NULL, &blas)); // without a GPU cublasLtCreate fails: the functions are there by then
  if (!blas.cublasLtMatmul) {
    printf("attributes: cuBLASLt is not here\n");
    return;
  }
  cublasLtMatmulDesc_t desc = NULL;
  cublasLtMatrixLayout_t matrix = NULL;
  cublasLtMatmulPreference_t wishes = NULL;
  CHECK(blas.cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS);
  CHECK(blas.cublasLtMatrixLayoutCreate(&matrix, CUDA_R_16BF, 4, 6, 8) == CUBLAS_STATUS_SUCCESS);
  CHECK(blas.cublasLtMatmulPreferenceCreate(&wishes) == CUBLAS_STATUS_SUCCESS);
#define SET(function, object, list)                                                                                    \
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); ++i) {                                                        \
    CHECK(blas.function(object, list[i].attribute, &value, list[i].bytes) == CUBLAS_STATUS_SUCCESS);                   \
    CHECK(blas.function(object, list[i].attribute, &value, WRONG_BYTES) == CUBLAS_STATUS_INVALID_VALUE);               \
  }
  SET(cublasLtMatmulDescSetAttribute, desc, product)
  SET(cublasLtMatrixLayoutSetAttribute, matrix, layout)
  SET(cublasLtMatmulPreferenceSetAttribute, wishes, preference)
#undef SET
  blas.cublasLtMatmulPreferenceDestroy(wishes);
  blas.cublasLtMatrixLayoutDestroy(matrix);
  blas.cublasLtMatmulDescDestroy(desc);
  stitchCublasLtClose(&blas);
  printf("attributes: set\n");
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : NULL;
  checkLibrary("cuBLASLt", folder, (const char *const[]){"libcublasLt.so.13", "libcublasLt.so.12", NULL}, cublasLt);
  checkLibrary("cuDNN", folder, (const char *const[]){"libcudnn.so.9", NULL}, cudnn);
  checkLibrary("cuFFT", folder, (const char *const[]){"libcufft.so.12", "libcufft.so.11", NULL}, cufft);
  checkLibrary("cuSOLVER", folder, (const char *const[]){"libcusolver.so.12", "libcusolver.so.11", NULL}, cusolver);
  checkLibrary("cuBLAS", folder, (const char *const[]){"libcublas.so.13", "libcublas.so.12", NULL}, cublas);
  checkLibrary("NCCL", folder, (const char *const[]){"libnccl.so.2", NULL}, nccl);
  openCufft(folder);
  if (!folder)
    setCublasLtAttributes();
  return checkResult();
}
