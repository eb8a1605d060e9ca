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
// library. NO GPU IS INVOLVED, and nothing is called but what says the version.
//
//===----------------------------------------------------------------------===//

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

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : NULL;
  checkLibrary("cuBLASLt", folder, (const char *const[]){"libcublasLt.so.13", "libcublasLt.so.12", NULL}, cublasLt);
  checkLibrary("cuDNN", folder, (const char *const[]){"libcudnn.so.9", NULL}, cudnn);
  checkLibrary("cuFFT", folder, (const char *const[]){"libcufft.so.12", "libcufft.so.11", NULL}, cufft);
  checkLibrary("cuSOLVER", folder, (const char *const[]){"libcusolver.so.12", "libcusolver.so.11", NULL}, cusolver);
  checkLibrary("cuBLAS", folder, (const char *const[]){"libcublas.so.13", "libcublas.so.12", NULL}, cublas);
  openCufft(folder);
  return checkResult();
}
