//===- dots.c - several products of one form on a GPU ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of cuBLAS for all of them, which finds their operands by arrays of addresses (cublasGemmBatchedEx): they
// stay where they are. A kernel of our own brings the addresses as its parameters, so that each call, captured or not,
// has those of its operands. Problems that cuBLAS does not have, and operands that must be packed, are products one
// behind the other, as cuda_dot.c computes them.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/dot_plan.h"

#include <stdlib.h>

typedef struct {
  StitchCudaCalls *calls;
  StitchCudaDot *dot; ///< each of them
  int64_t count;
  bool isBatched; ///< one call of cuBLAS computes all of them
  bool isRefused; ///< it has been asked in vain
} Dots;

enum { NUM_OPERANDS = 3 };

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The types that cublasGemmBatchedEx's table has are those of cuBLASLt's products without integers. An operand that
/// has to be packed, or is itself a batch, has no single address.
static bool canBeBatched(const StitchCudaDot *dot) {
  return dot->desc && dot->computeType != CUBLAS_COMPUTE_32I && !dot->lhs.packed && !dot->rhs.packed &&
         dot->shape.batch == 1;
}

static void destroyDots(void *call) {
  Dots *dots = call;
  if (!dots)
    return;
  stitchCudaDotDestroy(dots->dot);
  free(dots);
}

static StitchStatus createDots(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  Dots *dots = calloc(1, sizeof(*dots));
  if (!dots)
    return stitchStatusOutOfMemory();
  StitchLibraryProblem each = *problem;
  each.kind = STITCH_LIBRARY_DOT;
  dots->calls = calls;
  dots->count = problem->count;
  void *dot = NULL;
  StitchStatus status = stitchCudaDotCreate(calls, &each, &dot);
  dots->dot = dot;
  bool canBe = !status && !problem->isInvariant && canBeBatched(dots->dot); // cuBLAS takes an algorithm by the rows
  if (canBe)
    status = stitchCudaCallsFindCublas(calls);
  dots->isBatched = canBe && calls->cublas.library;
  if (status)
    destroyDots(dots);
  else
    *call = dots;
  return status;
}

static bool usesCublas(const Dots *dots) { return dots->isBatched && !dots->isRefused; }

static bool dotsAreOwn(const void *call) {
  const Dots *dots = call;
  return !usesCublas(dots) && stitchCudaDot.isOwn(dots->dot);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static size_t addressBytes(const Dots *dots) {
  return stitchCudaAligned((size_t)(NUM_OPERANDS * dots->count) * sizeof(uint64_t));
}

/// cuBLAS' own, and the addresses; or that of a product, where they are one behind the other.
static size_t dotsWorkspaceBytes(const void *call) {
  const Dots *dots = call;
  size_t batched = dots->isBatched ? stitchCublasWorkspaceBytes(dots->calls->cuda->arch) + addressBytes(dots) : 0;
  size_t apart = stitchCudaDot.workspaceBytes(dots->dot);
  return batched > apart ? batched : apart;
}

/// Enqueues writing the addresses of all lhs, then of all rhs, then of all results to `to`.
static StitchStatus writeAddresses(const Dots *dots, void *const *pointers, uint64_t *to, CUstream stream) {
  int64_t count = NUM_OPERANDS * dots->count;
  StitchStatus status = NULL;
  for (int64_t first = 0; first < count && !status; first += STITCH_KERNEL_ADDRESSES) {
    int64_t left = count - first;
    StitchAddressListParameters parameters = {.to = to + first,
                                              .count = left < STITCH_KERNEL_ADDRESSES ? left : STITCH_KERNEL_ADDRESSES};
    for (int64_t i = 0; i < parameters.count; ++i) {
      int64_t operand = (first + i) / dots->count, number = (first + i) % dots->count;
      parameters.addresses[i] = (uint64_t)(uintptr_t)pointers[NUM_OPERANDS * number + operand];
    }
    status =
        stitchOwnKernelsLaunch(&dots->calls->kernels, STITCH_OWN_ADDRESS_LIST, parameters.count, &parameters, stream);
  }
  return status;
}

static StitchStatus multiplyBatch(const Dots *dots, const uint64_t *addresses) {
  const StitchCudaDot *dot = dots->dot;
  const StitchCublas *blas = &dots->calls->cublas;
  StitchCudaDotForm form = stitchCudaDotFormOf(dot);
  const uint64_t *lhs = addresses, *rhs = lhs + dots->count, *results = rhs + dots->count;
  const void *const *first = (const void *const *)(dot->resultTransposed ? lhs : rhs);
  const void *const *second = (const void *const *)(dot->resultTransposed ? rhs : lhs);
  return CUBLAS_CALL(blas, cublasGemmBatchedEx_64, blas->handle, form.transA, form.transB, form.m, form.n, form.k,
                     form.one, first, form.type, form.lda, second, form.type, form.ldb, form.zero,
                     (void *const *)results, form.resultType, form.ldc, dots->count, dot->computeType,
                     CUBLAS_GEMM_DEFAULT);
}

static StitchStatus executeBatched(const Dots *dots, void *const *pointers, void *workspace, CUstream stream) {
  size_t cublasBytes = stitchCublasWorkspaceBytes(dots->calls->cuda->arch);
  uint64_t *addresses = (uint64_t *)((char *)workspace + cublasBytes);
  StitchStatus status = writeAddresses(dots, pointers, addresses, stream);
  if (!status)
    status = stitchCublasBegin(&dots->calls->cublas, stream, workspace, cublasBytes);
  return status ? status : multiplyBatch(dots, addresses);
}

static StitchStatus executeApart(const Dots *dots, void *const *pointers, void *workspace, CUstream stream) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < dots->count && !status; ++i)
    status = stitchCudaDot.execute(dots->dot, pointers + NUM_OPERANDS * i, workspace, stream);
  return status;
}

static StitchStatus executeDots(void *call, void *const *pointers, void *workspace, CUstream stream) {
  Dots *dots = call;
  if (usesCublas(dots)) {
    StitchStatus status = executeBatched(dots, pointers, workspace, stream);
    dots->isRefused = stitchStatusCode(status) == STITCH_UNIMPLEMENTED;
    if (!dots->isRefused)
      return status;
    stitchStatusFree(status);
  }
  return executeApart(dots, pointers, workspace, stream);
}

const StitchCudaCallKind stitchCudaDots = {
    .name = "dots",
    .create = createDots,
    .workspaceBytes = dotsWorkspaceBytes,
    .execute = executeDots,
    .destroy = destroyDots,
    .isOwn = dotsAreOwn,
};
