//===- dot_algorithm.c - which algorithm of cuBLASLt computes a tg.dot ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a product that dot_plan.c has described. Leaves up to eight algorithms of cuBLASLt's heuristics and the
// workspace that they need. Preferences keep partial sums in the compute type, and forbid split sums for invariant
// products.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/dot_plan.h"

/// The workspace of algorithms in bytes at most: NVIDIA's recommendation for Hopper, and enough for every other GPU.
enum { MAX_WORKSPACE = 32 << 20 };

static StitchStatus setPreferences(const StitchCudaDot *dot, cublasLtMatmulPreference_t preference) {
  // Partial sums stay in the type that they are computed in: a result is rounded once.
  uint64_t workspace = MAX_WORKSPACE;
  // No sum of an invariant product is split, as libraries do for few rows.
  uint32_t schemes = dot->problem.isInvariant ? CUBLASLT_REDUCTION_SCHEME_NONE : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  const struct {
    cublasLtMatmulPreferenceAttributes_t attribute;
    const void *value;
    size_t bytes;
  } attributes[] = {
      {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)},
      {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof(schemes)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &firstOperand(dot)->alignment, sizeof(uint32_t)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &secondOperand(dot)->alignment, sizeof(uint32_t)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &dot->result.alignment, sizeof(uint32_t)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &dot->result.alignment, sizeof(uint32_t)},
  };
  StitchStatus status = NULL;
  for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !status; ++i)
    status = CUBLASLT_CALL(&dot->calls->blas, cublasLtMatmulPreferenceSetAttribute, preference, attributes[i].attribute,
                           attributes[i].value, attributes[i].bytes);
  return status;
}

StitchStatus stitchCudaDotFindAlgorithms(StitchCudaDot *dot) {
  const StitchCublasLt *blas = &dot->calls->blas;
  cublasLtMatmulPreference_t preference = NULL;
  int count = 0;
  StitchStatus status = CUBLASLT_CALL(blas, cublasLtMatmulPreferenceCreate, &preference);
  if (!status)
    status = setPreferences(dot, preference);
  cublasStatus_t found = CUBLAS_STATUS_SUCCESS;
  if (!status)
    found = blas->cublasLtMatmulAlgoGetHeuristic(
        blas->handle, dot->desc, firstOperand(dot)->layout, secondOperand(dot)->layout, dot->result.layout,
        dot->result.layout, preference,
        dot->calls->alternatives && !dot->problem.isInvariant ? STITCH_DOT_CANDIDATES : 1, dot->candidates, &count);
  if (preference)
    blas->cublasLtMatmulPreferenceDestroy(preference);
  // An epilogue that the library does not have for these operands may be an invalid value to it.
  if (found == CUBLAS_STATUS_NOT_SUPPORTED || (found == CUBLAS_STATUS_INVALID_VALUE && dot->hasEpilogue))
    return status;
  if (!status)
    status = stitchCublasLtCheck(blas, found, "cublasLtMatmulAlgoGetHeuristic");
  for (int i = 0; i < count && !status; ++i)
    if (dot->candidates[i].state == CUBLAS_STATUS_SUCCESS && dot->candidates[i].workspaceSize <= MAX_WORKSPACE)
      dot->candidates[dot->numCandidates++] = dot->candidates[i];
  return status;
}

size_t stitchCudaDotAlgorithmBytes(const StitchCudaDot *dot) {
  size_t bytes = 0;
  for (int i = 0; i < dot->numCandidates; ++i)
    if (stitchCudaAligned(dot->candidates[i].workspaceSize) > bytes)
      bytes = stitchCudaAligned(dot->candidates[i].workspaceSize);
  return bytes;
}
