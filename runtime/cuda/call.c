//===- call.c - the vendor's libraries behind library calls on a GPU -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens cuBLASLt, cuDNN, cuFFT, cuSOLVER and cuBLAS when the first call needs them, and closes them with the session.
// cuFFT, cuSOLVER and cuBLAS may be missing. Then the reason is kept for stitchSessionInfo, and kernels of the
// runtime's own compute the calls.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/call.h"

#include <stdio.h>
#include <string.h>

StitchStatus stitchCudaCallsOpenBlas(StitchCudaCalls *calls) {
  return calls->blas.handle ? NULL : stitchCublasLtOpen(calls->folder, &calls->blas);
}

StitchStatus stitchCudaCallsOpenDnn(StitchCudaCalls *calls) {
  return calls->dnn.handle ? NULL : stitchCudnnOpen(calls->folder, &calls->dnn);
}

/// Turns STITCH_NOT_FOUND of a library into success, and notes that it is missing and why.
static StitchStatus allowMissing(StitchStatus status, const void *library, StitchCudaMissing *missing) {
  if (stitchStatusCode(status) != STITCH_NOT_FOUND)
    return status;
  missing->isMissing = true;
  if (library)
    snprintf(missing->why, sizeof(missing->why), "%s", stitchStatusMessage(status));
  stitchStatusFree(status);
  return NULL;
}

StitchStatus stitchCudaCallsFindFft(StitchCudaCalls *calls) {
  if (calls->fft.library || calls->noFft.isMissing)
    return NULL;
  StitchStatus status = stitchCufftOpen(calls->folder, &calls->fft);
  status = allowMissing(status, calls->fft.library, &calls->noFft);
  if (calls->noFft.isMissing)
    stitchCufftClose(&calls->fft);
  return status;
}

StitchStatus stitchCudaCallsFindSolver(StitchCudaCalls *calls) {
  if (calls->solver.library || calls->noSolver.isMissing)
    return NULL;
  StitchStatus status = stitchCusolverOpen(calls->folder, &calls->solver);
  status = allowMissing(status, calls->solver.library, &calls->noSolver);
  if (calls->noSolver.isMissing)
    stitchCusolverClose(&calls->solver);
  return status;
}

StitchStatus stitchCudaCallsFindCublas(StitchCudaCalls *calls) {
  if (calls->cublas.library || calls->noCublas.isMissing)
    return NULL;
  StitchStatus status = stitchCublasOpen(calls->folder, &calls->cublas);
  status = allowMissing(status, calls->cublas.library, &calls->noCublas);
  if (calls->noCublas.isMissing)
    stitchCublasClose(&calls->cublas);
  return status;
}

static void addName(char *names, const char *name, size_t major, size_t minor, size_t patch) {
  size_t length = strlen(names);
  snprintf(names + length, STITCH_CUDA_NAMES - length, "%s%s %zu.%zu.%zu", length ? ", " : "", name, major, minor,
           patch);
}

static void addMissing(char *names, const char *name, const StitchCudaMissing *missing) {
  size_t length = strlen(names);
  bool hasReason = *missing->why != '\0';
  if (missing->isMissing)
    snprintf(names + length, STITCH_CUDA_NAMES - length, "%sno %s%s%s%s", length ? ", " : "", name,
             hasReason ? " (" : "", missing->why, hasReason ? ")" : "");
}

void stitchCudaCallsNames(const StitchCudaCalls *calls, char names[STITCH_CUDA_NAMES]) {
  names[0] = '\0';
  size_t blas = calls->blas.handle ? calls->blas.cublasLtGetVersion() : 0;
  size_t dnn = calls->dnn.handle ? calls->dnn.cudnnGetVersion() : 0;
  size_t fft = (size_t)calls->fft.version, solver = (size_t)calls->solver.version;
  size_t cublas = (size_t)calls->cublas.version;
  if (blas)
    addName(names, "cuBLASLt", blas / 10000, blas / 100 % 100, blas % 100);
  if (dnn)
    addName(names, "cuDNN", dnn / 10000, dnn / 100 % 100, dnn % 100);
  if (fft)
    addName(names, "cuFFT", fft / 1000, fft / 100 % 10, fft % 100);
  if (solver)
    addName(names, "cuSOLVER", solver / 1000, solver / 100 % 10, solver % 100);
  if (cublas)
    addName(names, "cuBLAS", cublas / 10000, cublas / 100 % 100, cublas % 100);
  if (calls->communicators) {
    size_t nccl = (size_t)stitchCommunicatorsNccl(calls->communicators)->version;
    addName(names, "NCCL", nccl / 10000, nccl / 100 % 100, nccl % 100);
  }
  addMissing(names, "cuFFT", &calls->noFft);
  addMissing(names, "cuSOLVER", &calls->noSolver);
  addMissing(names, "cuBLAS", &calls->noCublas);
}

void stitchCudaCallsClose(StitchCudaCalls *calls) {
  stitchCublasLtClose(&calls->blas);
  stitchCudnnClose(&calls->dnn);
  stitchCufftClose(&calls->fft);
  stitchCusolverClose(&calls->solver);
  stitchCublasClose(&calls->cublas);
}
