//===- check_sort.c - sort and top_k --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates `sort` and `top_k`. A sort with a body runs as a sorting network, whose comparators are evaluated in
// parallel by the body's graph.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // qsort_r

#include "tools/check/check_body.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Sort: a network, whose comparators are evaluated in parallel
//===----------------------------------------------------------------------===//

typedef struct {
  const CheckCall *call;
  int64_t lines, size, inner; ///< lines of `size` elements, `inner` apart
  int64_t padded;             ///< the next power of two
  int64_t *order;             ///< for each line `padded` positions; those from `size` on stand behind all others
} Sorting;

static int64_t elementOf(const Sorting *s, int64_t line, int64_t position) {
  return line / s->inner * s->inner * s->size + line % s->inner + position * s->inner;
}

/// A comparator of the network: two places of a line.
typedef struct {
  int64_t *low, *high;
} Comparator;

/// For each pair whether the element `of(pair)` belongs before the other one.
static const char *evaluateBefore(const Sorting *s, const Comparator *pairs, const int64_t *lines, int64_t numPairs,
                                  bool swapped, CheckTensor **before) {
  int64_t numInputs = s->call->op->numOperands;
  Tuples sides[2] = {{0}, {0}};
  const CheckTensor *arguments[2 * CHECK_MAX_RESULTS];
  const char *problem = NULL;
  for (int side = 0; side < 2 && !problem; ++side) {
    problem = tuplesCreate(&sides[side], numInputs, s->call->operands, numPairs) ? NULL : checkOutOfMemory;
    for (int64_t i = 0; !problem && i < numPairs; ++i) {
      int64_t position = (side == 0) != swapped ? *pairs[i].low : *pairs[i].high;
      tuplesSet(&sides[side], i, s->call->operands, elementOf(s, lines[i], position < s->size ? position : 0));
    }
    for (int64_t k = 0; !problem && k < numInputs; ++k)
      arguments[2 * k + side] = sides[side].tensors[k];
  }
  problem = problem ? problem : checkEvaluateBody(s->call, &s->call->op->regions[0], arguments, before);
  tuplesDestroy(&sides[0]);
  tuplesDestroy(&sides[1]);
  return problem;
}

static const char *exchangePairs(const Sorting *s, const Comparator *pairs, const int64_t *lines, int64_t numPairs) {
  CheckTensor *lowBefore = NULL, *highBefore = NULL;
  const char *problem = evaluateBefore(s, pairs, lines, numPairs, false, &lowBefore);
  problem = problem ? problem : evaluateBefore(s, pairs, lines, numPairs, true, &highBefore);
  for (int64_t i = 0; !problem && i < numPairs; ++i) {
    int64_t low = *pairs[i].low, high = *pairs[i].high;
    bool isPadding = low >= s->size || high >= s->size;
    bool swap = isPadding ? high < low : highBefore->integer[i] || (!lowBefore->integer[i] && high < low);
    *pairs[i].low = swap ? high : low;
    *pairs[i].high = swap ? low : high;
  }
  checkTensorFree(lowBefore);
  checkTensorFree(highBefore);
  return problem;
}

/// Batcher's merges of sorted parts of `p` elements, `k` apart.
static const char *networkStep(const Sorting *s, int64_t p, int64_t k, Comparator *pairs, int64_t *lines) {
  int64_t numPairs = 0;
  for (int64_t line = 0; line < s->lines; ++line)
    for (int64_t j = k % p; j + k < s->padded; j += 2 * k)
      for (int64_t i = 0; i < k && i + j + k < s->padded; ++i)
        if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) {
          int64_t *order = s->order + line * s->padded;
          pairs[numPairs] = (Comparator){&order[i + j], &order[i + j + k]};
          lines[numPairs++] = line;
        }
  return exchangePairs(s, pairs, lines, numPairs);
}

static const char *runNetwork(const Sorting *s) {
  size_t most = (size_t)(s->lines * s->padded + 1);
  Comparator *pairs = malloc(sizeof(*pairs) * most);
  int64_t *lines = malloc(sizeof(*lines) * most);
  const char *problem = pairs && lines ? NULL : checkOutOfMemory;
  for (int64_t p = 1; p < s->padded; p *= 2)
    for (int64_t k = p; k >= 1 && !problem; k /= 2)
      problem = networkStep(s, p, k, pairs, lines);
  free(pairs);
  free(lines);
  return problem;
}

const char *checkSort(const CheckCall *call) {
  const CheckTensor *first = call->operands[0];
  int64_t dim = checkInteger(call->op, "dim", 0), inner = 1, padded = 1;
  for (int64_t d = dim + 1; d < first->shape.rank; ++d)
    inner *= first->shape.dims[d];
  Sorting s = {.call = call, .size = first->shape.rank ? first->shape.dims[dim] : 1, .inner = inner};
  while (padded < s.size)
    padded *= 2;
  s.padded = padded;
  s.lines = s.size ? first->count / s.size : 0;
  for (int64_t k = 0; k < call->op->numOperands; ++k)
    if (call->operands[k]->error)
      return "a sort of uncertain elements";
  s.order = malloc(sizeof(*s.order) * (size_t)(s.lines * padded + 1));
  if (!s.order)
    return checkOutOfMemory;
  for (int64_t i = 0; i < s.lines * padded; ++i)
    s.order[i] = i % padded;
  const char *problem = runNetwork(&s);
  for (int64_t line = 0; !problem && line < s.lines; ++line)
    for (int64_t i = 0; i < s.size; ++i)
      for (int64_t k = 0; k < call->op->numResults; ++k)
        checkCopyElement(call->results[k], elementOf(&s, line, i), call->operands[k],
                         elementOf(&s, line, s.order[line * padded + i]));
  free(s.order);
  return problem;
}

//===----------------------------------------------------------------------===//
// The largest elements
//===----------------------------------------------------------------------===//

static int64_t orderKey(const CheckTensor *a, int64_t i) {
  int64_t bits = a->integer[i]; // of a float, too
  if (checkClassOf(a->type) == CHECK_INTEGER)
    return checkIsUnsigned(a->type) ? (int64_t)((uint64_t)bits ^ UINT64_C(1) << 63) : bits;
  return bits < 0 ? (int64_t)(UINT64_C(1) << 63) - bits - 1 : bits;
}

typedef struct {
  const CheckTensor *a;
  int64_t first;
} SortedLine;

static int compareKeys(const void *x, const void *y, void *data) {
  const SortedLine *line = data;
  int64_t i = *(const int64_t *)x, j = *(const int64_t *)y;
  int64_t a = orderKey(line->a, line->first + i), b = orderKey(line->a, line->first + j);
  return a != b ? (a < b) - (a > b) : (i > j) - (i < j);
}

const char *checkTopK(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *values = call->results[0], *indices = call->results[1];
  int64_t size = a->shape.dims[a->shape.rank - 1], k = checkInteger(call->op, "k", 0);
  int64_t *order = malloc(sizeof(*order) * (size_t)(size + 1));
  if (!order)
    return checkOutOfMemory;
  for (int64_t line = 0; size && line < a->count / size; ++line) {
    SortedLine data = {a, line * size};
    for (int64_t i = 0; i < size; ++i)
      order[i] = i;
    qsort_r(order, (size_t)size, sizeof(*order), compareKeys, &data);
    for (int64_t i = 0; i < k; ++i) {
      checkCopyElement(values, line * k + i, a, line * size + order[i]);
      indices->integer[line * k + i] = checkWrap(indices->type, order[i]);
    }
  }
  free(order);
  return a->error ? "the largest of uncertain elements" : NULL;
}
