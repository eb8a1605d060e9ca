//===- dot_algorithm.c - which algorithm of cuBLASLt computes a tg.dot ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/dot_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Algorithms may use this much memory: what NVIDIA recommends for Hopper, and enough for every other GPU.
enum { MAX_WORKSPACE = 32 << 20 };

static StitchStatus setPreferences(const StitchCudaDot *dot, cublasLtMatmulPreference_t preference) {
  // Partial sums stay in the type that they are computed in: a result is rounded once.
  uint64_t workspace = MAX_WORKSPACE;
  uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
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

/// Keeps the candidates that can be used; leaves none if the library has no algorithm for this product.
static StitchStatus findCandidates(StitchCudaDot *dot) {
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
        dot->result.layout, preference, dot->calls->autotune ? STITCH_DOT_CANDIDATES : 1, dot->candidates, &count);
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

enum { ALGO_WORDS = 8, WORD_DIGITS = 16, ALGO_DIGITS = ALGO_WORDS * WORD_DIGITS };

static const char apartChoice[] = "apart"; // no algorithm of the library looks like this

StitchStatus stitchCudaDotKeepChoice(const StitchCudaDot *dot) {
  char text[ALGO_DIGITS + 1];
  if (dot->usesApart)
    return stitchChoicesSet(&dot->calls->choices, dot->key, apartChoice);
  for (int i = 0; i < ALGO_WORDS; ++i)
    snprintf(text + i * WORD_DIGITS, WORD_DIGITS + 1, "%016" PRIx64, dot->candidates[dot->chosen].algo.data[i]);
  return stitchChoicesSet(&dot->calls->choices, dot->key, text);
}

static bool parseAlgo(const char *text, cublasLtMatmulAlgo_t *algo) {
  if (!text || strlen(text) != ALGO_DIGITS || strspn(text, "0123456789abcdef") != ALGO_DIGITS)
    return false;
  for (int i = 0; i < ALGO_WORDS; ++i) {
    char word[WORD_DIGITS + 1] = {0};
    memcpy(word, text + i * WORD_DIGITS, WORD_DIGITS);
    algo->data[i] = strtoull(word, NULL, 16);
  }
  return true;
}

/// Takes the algorithm that was chosen in an earlier run, if this library still accepts it.
static bool takeChoice(StitchCudaDot *dot) {
  const StitchCublasLt *blas = &dot->calls->blas;
  cublasLtMatmulHeuristicResult_t result = {.state = CUBLAS_STATUS_NOT_SUPPORTED};
  cublasLtMatmulAlgo_t algo;
  const char *text = stitchChoicesFind(&dot->calls->choices, dot->key);
  dot->usesApart = text && strcmp(text, apartChoice) == 0;
  if (!parseAlgo(text, &algo) ||
      blas->cublasLtMatmulAlgoCheck(blas->handle, dot->desc, firstOperand(dot)->layout, secondOperand(dot)->layout,
                                    dot->result.layout, dot->result.layout, &algo, &result) != CUBLAS_STATUS_SUCCESS ||
      result.workspaceSize > MAX_WORKSPACE)
    return false;
  result.algo = algo;
  dot->candidates[0] = result;
  dot->numCandidates = 1;
  return true;
}

static void writeKey(StitchCudaDot *dot) {
  const StitchDotShape *shape = &dot->shape;
  int length = snprintf(dot->key, STITCH_DOT_KEY_BYTES, "cuBLASLt %zu, %s sm_%d: %s x %s -> %s%s, %lld x %lld x %lld",
                        dot->calls->blas.cublasLtGetVersion(), dot->calls->cuda->name, dot->calls->cuda->arch,
                        stitchElementName(shape->lhs.type), stitchElementName(shape->rhs.type),
                        stitchElementName(shape->result.type), dot->calls->tf32 ? " (tf32)" : "", (long long)shape->m,
                        (long long)shape->n, (long long)shape->k);
  static const char *const names[] = {"lhs", "rhs", "result"};
  const StitchMatrices operands[] = {stitchCudaDotSeenMatrices(&dot->lhs), stitchCudaDotSeenMatrices(&dot->rhs),
                                     stitchCudaDotSeenMatrices(&dot->result)};
  for (int i = 0; i < 3 && length < STITCH_DOT_KEY_BYTES; ++i) {
    length += snprintf(dot->key + length, (size_t)(STITCH_DOT_KEY_BYTES - length), ", %s", names[i]);
    const StitchAxes *groups[] = {&operands[i].batch, &operands[i].rows, &operands[i].columns};
    for (int g = 0; g < 3; ++g)
      for (int64_t a = 0; a < groups[g]->rank && length < STITCH_DOT_KEY_BYTES; ++a)
        length += snprintf(dot->key + length, (size_t)(STITCH_DOT_KEY_BYTES - length), " %c%lld*%lld", "brc"[g],
                           (long long)groups[g]->sizes[a], (long long)groups[g]->strides[a]);
  }
  if (!dot->hasEpilogue || length >= STITCH_DOT_KEY_BYTES)
    return;
  static const char *const activations[] = {"", ", relu", ", gelu", ", gelu_gradient"};
  static const char *const sums[] = {"", ", sum", ", sum of lhs", ", sum of rhs"};
  const StitchLibraryEpilogue *e = &dot->problem.epilogue;
  snprintf(dot->key + length, (size_t)(STITCH_DOT_KEY_BYTES - length), "%s%s%s%s", e->hasBias ? ", bias" : "",
           activations[e->activation], e->hasPreactivation ? ", preactivation" : "", sums[e->sum]);
}

StitchStatus stitchCudaDotChooseAlgorithm(StitchCudaDot *dot) {
  writeKey(dot);
  dot->tuned = takeChoice(dot) || dot->usesApart || !dot->calls->autotune;
  return dot->numCandidates ? NULL : findCandidates(dot);
}

size_t stitchCudaDotAlgorithmBytes(const StitchCudaDot *dot) {
  size_t bytes = 0;
  for (int i = 0; i < dot->numCandidates; ++i)
    if (stitchCudaAligned(dot->candidates[i].workspaceSize) > bytes)
      bytes = stitchCudaAligned(dot->candidates[i].workspaceSize);
  return bytes;
}
