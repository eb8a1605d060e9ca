//===- cuda_dot.c - tg.dot on a GPU ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product as dot_plan.c plans it, or a kernel of our own.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/dot_plan.h"
#include "runtime/library/cpu_epilogue.h"

#include <stdio.h>

//===----------------------------------------------------------------------===//
// Our own kernels
//===----------------------------------------------------------------------===//

/// Packs an operand into `to`.
static StitchStatus pack(const StitchCudaDot *dot, const StitchCudaOperand *operand, const void *from, void *to,
                         CUstream stream) {
  const StitchMatrices *matrices = &operand->matrices;
  const StitchAxes *groups[] = {&matrices->batch, &matrices->rows, &matrices->columns};
  StitchKernelAxes all = {0};
  for (int g = 0; g < 3; ++g)
    for (int64_t i = 0; i < groups[g]->rank; ++i, ++all.rank) {
      all.sizes[all.rank] = groups[g]->sizes[i];
      all.strides[all.rank] = groups[g]->strides[i];
    }
  return stitchOwnKernelsPack(&dot->calls->kernels, &all, stitchElementBytes(matrices->type), from, to, stream);
}

static StitchStatus callKernel(const StitchCudaDot *dot, const void *lhs, const void *rhs, void *result,
                               CUstream stream) {
  const StitchDotShape *shape = &dot->shape;
  StitchDotParameters parameters = {
      .lhs = lhs,
      .rhs = rhs,
      .result = result,
      .lhsType = shape->lhs.type,
      .rhsType = shape->rhs.type,
      .resultType = shape->result.type,
      .batch = shape->batch,
      .m = shape->m,
      .n = shape->n,
      .k = shape->k,
      .lhsBatch = stitchKernelAxesOf(&shape->lhs.batch),
      .lhsRows = stitchKernelAxesOf(&shape->lhs.rows),
      .lhsColumns = stitchKernelAxesOf(&shape->lhs.columns),
      .rhsBatch = stitchKernelAxesOf(&shape->rhs.batch),
      .rhsRows = stitchKernelAxesOf(&shape->rhs.rows),
      .rhsColumns = stitchKernelAxesOf(&shape->rhs.columns),
      .resultBatch = stitchKernelAxesOf(&shape->result.batch),
      .resultRows = stitchKernelAxesOf(&shape->result.rows),
      .resultColumns = stitchKernelAxesOf(&shape->result.columns),
  };
  return stitchOwnKernelsLaunch(&dot->calls->kernels, STITCH_OWN_DOT, shape->batch * shape->m * shape->n, &parameters,
                                stream);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The operands of one call, packed where they have to be.
typedef struct {
  const char *lhs, *rhs;
  char *result;
  void *workspace; ///< of the algorithm
  CUstream stream;
} DotCall;

static StitchStatus multiplyPart(const StitchCudaDot *dot, const DotCall *call, const void *lhs, const void *rhs,
                                 void *result) {
  const void *one = NULL, *zero = NULL;
  stitchCudaDotScales(dot, &one, &zero);
  const cublasLtMatmulHeuristicResult_t *chosen = &dot->candidates[dot->chosen];
  const StitchCublasLt *blas = &dot->calls->blas;
  cublasStatus_t status =
      blas->cublasLtMatmul(blas->handle, dot->desc, one, dot->resultTransposed ? lhs : rhs, firstOperand(dot)->layout,
                           dot->resultTransposed ? rhs : lhs, secondOperand(dot)->layout, zero, result,
                           dot->result.layout, result, dot->result.layout, &chosen->algo,
                           chosen->workspaceSize ? call->workspace : NULL, chosen->workspaceSize, call->stream);
  return stitchCublasLtCheck(blas, status, "cublasLtMatmul");
}

/// Bytes from the first element of the first matrix to that of matrix `index`, which counts along the batch axes that
/// are loops here.
static size_t matrixOffset(const StitchCudaDot *dot, const StitchCudaOperand *operand, int64_t index) {
  StitchMatrices seen = stitchCudaDotSeenMatrices(operand);
  int64_t offset = 0;
  for (int64_t i = seen.batch.rank; i-- > 0;) {
    if (i == dot->batchAxis)
      continue;
    offset += index % seen.batch.sizes[i] * seen.batch.strides[i];
    index /= seen.batch.sizes[i];
  }
  return (size_t)offset * stitchElementBytes(seen.type);
}

/// All products of the batch: one call for each element of the axes that are loops.
static StitchStatus multiplyAll(const StitchCudaDot *dot, const DotCall *call) {
  int64_t count = dot->shape.batch;
  if (dot->batchAxis >= 0)
    count /= dot->shape.lhs.batch.sizes[dot->batchAxis];
  StitchStatus status = NULL;
  for (int64_t i = 0; i < count && !status; ++i)
    status =
        multiplyPart(dot, call, call->lhs + matrixOffset(dot, &dot->lhs, i),
                     call->rhs + matrixOffset(dot, &dot->rhs, i), call->result + matrixOffset(dot, &dot->result, i));
  return status;
}

/// A sum is where a bias would be: there is only one of them.
static StitchStatus setAddresses(const StitchCudaDot *dot, void *const *pointers) {
  StitchEpilogueData data = stitchEpilogueDataOf(&dot->problem, pointers);
  int sum = stitchEpilogueSum(&dot->problem);
  return stitchCudaDotSetAddresses(dot, sum ? pointers[sum] : data.bias, data.preactivation);
}

/// cuBLASLt's product of operands that may have to be packed.
static StitchStatus callProduct(StitchCudaDot *dot, void *const *pointers, void *workspace, CUstream stream) {
  DotCall call = {
      .lhs = pointers[0], .rhs = pointers[1], .result = pointers[2], .workspace = workspace, .stream = stream};
  char *packed = (char *)workspace + stitchCudaDotAlgorithmBytes(dot);
  StitchStatus status = NULL;
  if (dot->lhs.packed) {
    status = pack(dot, &dot->lhs, pointers[0], packed, stream);
    call.lhs = packed;
    packed += dot->lhs.packedBytes;
  }
  if (dot->rhs.packed && !status) {
    status = pack(dot, &dot->rhs, pointers[1], packed, stream);
    call.rhs = packed;
  }
  if (!status && dot->hasEpilogue)
    status = setAddresses(dot, pointers);
  return status ? status : multiplyAll(dot, &call);
}

static size_t dotWorkspaceBytes(const void *call) {
  const StitchCudaDot *dot = call;
  size_t bytes = dot->desc ? stitchCudaDotAlgorithmBytes(dot) + dot->lhs.packedBytes + dot->rhs.packedBytes : 0;
  size_t apartBytes = dot->apart ? dotWorkspaceBytes(dot->apart) : 0;
  return bytes > apartBytes ? bytes : apartBytes;
}

/// The epilogue by kernels of our own.
static StitchStatus executeEpilogue(const StitchCudaDot *dot, void *const *pointers, CUstream stream) {
  const StitchOwnKernels *kernels = &dot->calls->kernels;
  StitchStatus status = NULL;
  if (stitchEpilogueExists(&dot->problem))
    status = stitchOwnKernelsEpilogue(kernels, &dot->problem, pointers, stream);
  if (!status && dot->problem.epilogue.sum)
    status = stitchOwnKernelsSums(kernels, &dot->sums, pointers, stream);
  return status;
}

/// The library's product; the kernel's where the library refuses its own algorithm, then and from now on. With an
/// epilogue the caller has another way; an invariant product has none, whose bits would be others.
static StitchStatus multiplyPlanned(StitchCudaDot *dot, void *const *pointers, void *workspace, CUstream stream) {
  StitchStatus status = NULL;
  if (dot->desc && !dot->isRefused[dot->chosen]) {
    status = callProduct(dot, pointers, workspace, stream);
    dot->isRefused[dot->chosen] = stitchStatusCode(status) == STITCH_UNIMPLEMENTED;
    if (!dot->isRefused[dot->chosen] || dot->hasEpilogue || dot->problem.isInvariant)
      return status;
    stitchStatusFree(status);
  }
  return callKernel(dot, pointers[0], pointers[1], pointers[2], stream);
}

/// The product and its epilogue, together or one behind the other.
static StitchStatus executePlanned(StitchCudaDot *dot, void *const *pointers, void *workspace, CUstream stream) {
  const StitchDotShape *shape = &dot->shape;
  int64_t elements = shape->batch * shape->m * shape->n;
  StitchStatus status = NULL;
  if (elements == 0)
    status = NULL;        // sums of nothing may be left
  else if (shape->k == 0) // an empty sum; zero is all zero bits in every type
    status = CUDA_CALL(dot->calls->cuda, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)pointers[2], 0,
                       (size_t)elements * stitchElementBytes(shape->result.type), stream);
  else
    status = multiplyPlanned(dot, pointers, workspace, stream);
  return status || dot->hasEpilogue ? status : executeEpilogue(dot, pointers, stream);
}

/// Algorithms that were found for an epilogue may be refused when they are to run: then the epilogue goes apart.
static StitchCudaDot *used(StitchCudaDot *dot) {
  bool isApart = dot->usesApart || (dot->apart && dot->isRefused[dot->chosen]);
  return isApart ? dot->apart : dot;
}

static StitchStatus executeDot(void *data, void *const *pointers, void *workspace, CUstream stream) {
  StitchCudaDot *dot = data, *first = used(dot);
  StitchStatus status = executePlanned(first, pointers, workspace, stream);
  if (first == used(dot))
    return status;
  stitchStatusFree(status);
  return executePlanned(used(dot), pointers, workspace, stream);
}

static bool dotIsOwn(const void *call) {
  const StitchCudaDot *dot = used((StitchCudaDot *)(uintptr_t)call);
  bool isEmpty = dot->shape.batch * dot->shape.m * dot->shape.n * dot->shape.k == 0;
  return (!dot->desc || dot->isRefused[dot->chosen]) && !isEmpty;
}

//===----------------------------------------------------------------------===//
// Versions: algorithms, then those of the product with its epilogue apart
//===----------------------------------------------------------------------===//

static int64_t numVersions(const void *call) {
  const StitchCudaDot *dot = call;
  return dot->numCandidates + (dot->apart ? dot->apart->numCandidates : 0);
}

static void nameVersion(const void *call, int64_t version, char *name, size_t size) {
  const StitchCudaDot *dot = call;
  bool isApart = version >= dot->numCandidates;
  snprintf(name, size, isApart ? "apart_%d" : "algorithm_%d", (int)version - (isApart ? dot->numCandidates : 0));
}

static void useVersion(void *call, int64_t version) {
  StitchCudaDot *dot = call;
  dot->usesApart = version >= dot->numCandidates;
  if (dot->usesApart)
    dot->apart->chosen = (int)version - dot->numCandidates;
  else
    dot->chosen = (int)version;
}

const StitchCudaCallKind stitchCudaDot = {
    .name = "dot",
    .create = stitchCudaDotCreate,
    .workspaceBytes = dotWorkspaceBytes,
    .execute = executeDot,
    .destroy = stitchCudaDotDestroy,
    .isOwn = dotIsOwn,
    .numVersions = numVersions,
    .nameVersion = nameVersion,
    .useVersion = useVersion,
};
