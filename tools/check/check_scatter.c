//===- check_scatter.c - scatter ------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates `scatter` with a named operation: old element and updates are combined and rounded once.
//
//===----------------------------------------------------------------------===//

#include "tools/check/accumulate.h"
#include "tools/check/check_body.h"

#include <stdlib.h>

enum { REPLACE = 7 };

static bool contains(CheckAttribute list, int64_t value, int64_t *position) {
  for (int64_t i = 0; i < list.count; ++i)
    if (list.values[i] == value) {
      *position = i;
      return true;
    }
  return false;
}

typedef struct {
  const CheckCall *call;
  const CheckTensor *input, *indices, *updates;
  CheckAttribute updateWindow, inserted, batching, indexBatching, toOperand;
  int64_t vectorDim;
  int64_t indexStrides[CHECK_MAX_RANK], inputStrides[CHECK_MAX_RANK];
} CheckedScatter;

/// The place in the indices of component `component` for an update; `batch` gets the index without the components.
static int64_t indexPlace(const CheckedScatter *s, const int64_t *update, int64_t component, int64_t *batch) {
  int64_t place = 0, d = 0, unused;
  for (int64_t i = 0; i < s->updates->shape.rank; ++i) {
    if (contains(s->updateWindow, i, &unused))
      continue;
    d += d == s->vectorDim;
    batch[d] = update[i];
    place += update[i] * s->indexStrides[d++];
  }
  return s->vectorDim < s->indices->shape.rank ? place + component * s->indexStrides[s->vectorDim] : place;
}

/// Which element an update is for; -1: none.
static int64_t targetOf(const CheckedScatter *s, const int64_t *update) {
  int64_t target = 0, window = 0, position, batch[CHECK_MAX_RANK + 1] = {0};
  for (int64_t d = 0; d < s->input->shape.rank; ++d) {
    int64_t at = 0;
    if (contains(s->batching, d, &position)) {
      int64_t number = position;
      indexPlace(s, update, 0, batch);
      at = batch[s->indexBatching.values[number]];
    } else if (!contains(s->inserted, d, &position)) {
      at = update[s->updateWindow.values[window++]];
    }
    if (contains(s->toOperand, d, &position)) {
      int64_t index = s->indices->integer[indexPlace(s, update, position, batch)];
      if (checkIsUnsigned(s->indices->type) && index < 0)
        return -1;
      if (index < -s->input->shape.dims[d] - at || index > s->input->shape.dims[d])
        return -1;
      at += index;
    }
    if (at < 0 || at >= s->input->shape.dims[d])
      return -1;
    target += at * s->inputStrides[d];
  }
  return target;
}

static CheckedScatter scatterOf(const CheckCall *call, int64_t count) {
  CheckedScatter s = {.call = call,
                      .input = call->operands[0],
                      .indices = call->operands[count],
                      .updates = call->operands[count + 1],
                      .updateWindow = checkList(call->op, "update_window_dims"),
                      .inserted = checkList(call->op, "inserted_window_dims"),
                      .batching = checkList(call->op, "input_batching_dims"),
                      .indexBatching = checkList(call->op, "scatter_indices_batching_dims"),
                      .toOperand = checkList(call->op, "scatter_dims_to_operand_dims")};
  s.vectorDim = checkInteger(call->op, "index_vector_dim", s.indices->shape.rank);
  checkShapeStrides(&s.indices->shape, s.indexStrides);
  checkShapeStrides(&s.input->shape, s.inputStrides);
  return s;
}

/// For each update its target; to be freed. NULL without memory.
static int64_t *targetsOf(const CheckedScatter *s) {
  int64_t *targets = malloc(sizeof(*targets) * (size_t)(s->updates->count + 1));
  CheckOdometer o = checkOdometer(&s->updates->shape);
  for (int64_t i = 0; targets && i < s->updates->count; ++i, checkAdvance(&o))
    targets[i] = targetOf(s, o.index);
  return targets;
}

/// The old element and its updates, combined and rounded once.
static const char *combineUpdates(const CheckCall *call, const CheckedScatter *s, const int64_t *targets,
                                  CheckKind operation) {
  CheckTensor *result = call->results[0];
  Accumulator *accumulators = malloc(sizeof(*accumulators) * (size_t)(result->count + 1));
  const char *problem = accumulators && checkTensorAddErrors(result) ? NULL : checkOutOfMemory;
  for (int64_t i = 0; !problem && i < result->count; ++i) {
    accumulators[i] = accumulatorStart(result->type, operation);
    problem = accumulate(&accumulators[i], operation, s->input, i);
  }
  for (int64_t i = 0; !problem && i < s->updates->count; ++i)
    if (targets[i] >= 0)
      problem = accumulate(&accumulators[targets[i]], operation, s->updates, i);
  for (int64_t i = 0; !problem && i < result->count; ++i)
    accumulatorFinish(&accumulators[i], call, operation, result, i);
  free(accumulators);
  return problem;
}

/// The last of several updates stays.
static const char *replaceByUpdates(const CheckCall *call, const CheckedScatter *s, const int64_t *targets) {
  CheckTensor *result = call->results[0];
  if ((s->input->error || s->updates->error) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i)
    checkCopyElement(result, i, s->input, i);
  for (int64_t i = 0; i < s->updates->count; ++i)
    if (targets[i] >= 0)
      checkCopyElement(result, targets[i], s->updates, i);
  return NULL;
}

static const char *updateByBody(const CheckCall *call, int64_t count, const int64_t *targets) {
  for (int64_t k = 0; k < count; ++k) {
    const CheckTensor *input = call->operands[k];
    if (input->error && !checkTensorAddErrors(call->results[k]))
      return checkOutOfMemory;
    for (int64_t i = 0; i < input->count; ++i)
      checkCopyElement(call->results[k], i, input, i);
  }
  return checkUpdateByBody(call, &call->op->regions[0], targets, count, call->operands + count + 1, call->results);
}

const char *checkScatter(const CheckCall *call) {
  int64_t count = call->op->numResults, kind = checkInteger(call->op, "kind", 0);
  CheckedScatter s = scatterOf(call, count);
  if (s.indices->error)
    return "a scatter to uncertain indices";
  int64_t *targets = targetsOf(&s);
  if (!targets)
    return checkOutOfMemory;
  const char *problem = call->op->numRegions ? updateByBody(call, count, targets)
                        : kind == REPLACE    ? replaceByUpdates(call, &s, targets)
                                             : combineUpdates(call, &s, targets, checkReduceOperation(kind));
  free(targets);
  return problem;
}
