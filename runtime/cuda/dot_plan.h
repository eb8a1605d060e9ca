//===- dot_plan.h - how cuBLASLt computes a tg.dot -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_DOT_PLAN_H
#define STITCH_RUNTIME_CUDA_DOT_PLAN_H

#include "runtime/cuda/call.h"
#include "runtime/library/sums.h"

enum { STITCH_DOT_CANDIDATES = 8 };

/// An operand as the library sees it.
typedef struct {
  StitchMatrices matrices; ///< as the caller's data are
  bool packed;
  size_t packedBytes;
  cublasOperation_t operation;
  cublasLtMatrixLayout_t layout;
  int64_t leading;    ///< dimension of the layout
  uint32_t alignment; ///< bytes, of the first element of each matrix that a call begins with
} StitchCudaOperand;

/// A dot, planned: a call of it only enqueues.
typedef struct StitchCudaDot {
  StitchCudaCalls *calls;
  StitchLibraryProblem problem;
  StitchDotShape shape;
  StitchSums sums; ///< of the epilogue, if it has any
  cudaDataType scaleType;
  cublasComputeType_t computeType;
  StitchCudaOperand lhs, rhs, result;
  bool resultTransposed;     ///< its columns are contiguous, not its rows
  cublasLtMatmulDesc_t desc; ///< NULL: the kernel of our own computes it
  bool hasEpilogue;          ///< cuBLASLt's product does the epilogue, too, with its sums
  cublasLtMatmulHeuristicResult_t candidates[STITCH_DOT_CANDIDATES];
  int numCandidates;
  int chosen;
  bool isRefused[STITCH_DOT_CANDIDATES]; ///< the library would not run it: the kernel of our own does
  /// The same dot without its epilogue, which kernels of our own compute: further versions, and the fallback if the
  /// library refuses the product with it. NULL: the epilogue is apart here, or there is none.
  struct StitchCudaDot *apart;
  bool isApart;      ///< this is such a dot
  bool usesApart;    ///< `apart` it is
  int64_t batchAxis; ///< which batch axis is the library's strided batch; others are loops here. -1: none
} StitchCudaDot;

/// The operands in the order in which the library multiplies them.
static inline const StitchCudaOperand *firstOperand(const StitchCudaDot *dot) {
  return dot->resultTransposed ? &dot->lhs : &dot->rhs;
}
static inline const StitchCudaOperand *secondOperand(const StitchCudaDot *dot) {
  return dot->resultTransposed ? &dot->rhs : &dot->lhs;
}

/// Plans a tg.dot: `result` gets a StitchCudaDot, to be destroyed by stitchCudaDotDestroy. Fails without memory and if
/// the library does; where it has no algorithm the plan has no `desc`.
StitchStatus stitchCudaDotCreate(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **result);

void stitchCudaDotDestroy(void *call);

/// The matrices that the library is given: those of the caller, or dense ones.
static inline StitchMatrices stitchCudaDotSeenMatrices(const StitchCudaOperand *operand) {
  return operand->packed ? stitchMatricesDense(&operand->matrices) : operand->matrices;
}

/// A product without a batch or packed operands as functions of BLAS are given it: column-major matrices.
typedef struct {
  cublasOperation_t transA, transB;
  int64_t m, n, k, lda, ldb, ldc;
  cudaDataType type, resultType;
  const void *one, *zero; ///< of the type that results are scaled in
} StitchCudaDotForm;
StitchCudaDotForm stitchCudaDotFormOf(const StitchCudaDot *dot);

/// One and zero in the type that results of a product are scaled in.
void stitchCudaDotScales(const StitchCudaDot *dot, const void **one, const void **zero);

/// The addresses of the epilogue's vector (the bias, or the sum) and matrix (the preactivation) in the next calls;
/// those that it does not have are not set.
StitchStatus stitchCudaDotSetAddresses(const StitchCudaDot *dot, const void *vector, const void *matrix);

//===----------------------------------------------------------------------===//
// Algorithms (dot_algorithm.c)
//===----------------------------------------------------------------------===//

/// Finds the candidates for a product that has been described: those of the library's heuristics, the expected fastest
/// first. Leaves none if the library has no algorithm.
StitchStatus stitchCudaDotFindAlgorithms(StitchCudaDot *dot);

/// Of workspace that any of the candidates needs.
size_t stitchCudaDotAlgorithmBytes(const StitchCudaDot *dot);

#endif // STITCH_RUNTIME_CUDA_DOT_PLAN_H
