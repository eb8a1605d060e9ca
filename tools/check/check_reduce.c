//===- check_reduce.c - reductions by a named operation -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates `reduce`, `arg_reduce`, `reduce_window`, `select_and_scatter` and `cumulative` with a named operation;
// bodies are in check_body.c.
//
//===----------------------------------------------------------------------===//

#include "tools/check/accumulate.h"
#include "tools/check/window.h"

#include <stdlib.h>

CheckKind checkReduceOperation(int64_t kind) {
  static const CheckKind operations[] = {CHECK_add, CHECK_mul, CHECK_min, CHECK_max, CHECK_and, CHECK_or, CHECK_xor};
  return operations[kind >= 0 && kind < 7 ? kind : 0];
}

/// Extremes of exact elements, and integers, have no errors.
static bool roundsOrHasErrors(const CheckTensor *a, CheckKind operation) {
  return a->error || (checkClassOf(a->type) != CHECK_INTEGER && operation != CHECK_max && operation != CHECK_min);
}

//===----------------------------------------------------------------------===//
// Of dimensions
//===----------------------------------------------------------------------===//

/// For each dimension of the operand the stride of the result; 0: it is reduced.
static void keptStrides(const CheckShape *operand, const CheckShape *result, CheckAttribute reduced, int64_t *strides) {
  int64_t own[CHECK_MAX_RANK], next = 0;
  checkShapeStrides(result, own);
  for (int64_t d = 0; d < operand->rank; ++d) {
    bool isReduced = false;
    for (int64_t i = 0; i < reduced.count; ++i)
      isReduced |= reduced.values[i] == d;
    strides[d] = isReduced ? 0 : own[next++];
  }
}

const char *checkReduce(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  CheckKind operation = checkReduceOperation(checkInteger(call->op, "kind", 0));
  Accumulator *accumulators = malloc(sizeof(*accumulators) * (size_t)(result->count + 1));
  if (!accumulators || (roundsOrHasErrors(a, operation) && !checkTensorAddErrors(result))) {
    free(accumulators);
    return checkOutOfMemory;
  }
  int64_t strides[CHECK_MAX_RANK];
  keptStrides(&a->shape, &result->shape, checkList(call->op, "dims"), strides);
  for (int64_t i = 0; i < result->count; ++i)
    accumulators[i] = accumulatorStart(a->type, operation);
  const char *problem = NULL;
  CheckOdometer o = checkOdometer(&a->shape);
  for (int64_t i = 0; i < a->count && !problem; ++i, checkAdvance(&o)) {
    int64_t place = 0;
    for (int64_t d = 0; d < a->shape.rank; ++d)
      place += o.index[d] * strides[d];
    problem = accumulate(&accumulators[place], operation, a, i);
  }
  for (int64_t i = 0; i < result->count && !problem; ++i)
    accumulatorFinish(&accumulators[i], call, operation, result, i);
  free(accumulators);
  return problem;
}

//===----------------------------------------------------------------------===//
// To an index
//===----------------------------------------------------------------------===//

typedef enum { WORSE, EQUAL, BETTER } Order;

/// NaN is better than any number.
static Order orderOf(const CheckTensor *a, bool wantsMost, int64_t i, int64_t best) {
  if (checkClassOf(a->type) == CHECK_INTEGER) {
    int64_t x = a->integer[i], y = a->integer[best];
    bool less = checkIsUnsigned(a->type) ? (uint64_t)x < (uint64_t)y : x < y;
    return x == y ? EQUAL : less == wantsMost ? WORSE : BETTER;
  }
  double x = a->real[i], y = a->real[best];
  if (isnan(x) || isnan(y))
    return isnan(x) && isnan(y) ? EQUAL : isnan(x) ? BETTER : WORSE;
  return x == y ? EQUAL : (x < y) == wantsMost ? WORSE : BETTER;
}

/// Whether an element may be the extreme instead of the best one.
static bool mayBeat(const CheckTensor *a, int64_t i, int64_t best) {
  double error = checkErrorAt(a, i) + checkErrorAt(a, best);
  double distance = checkClassOf(a->type) == CHECK_INTEGER ? fabs((double)a->integer[i] - (double)a->integer[best])
                                                           : fabs(a->real[i] - a->real[best]);
  return error != 0.0 && !(distance > error);
}

const char *checkArgReduce(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *value = call->results[0], *index = call->results[1];
  bool wantsMost = checkReduceOperation(checkInteger(call->op, "kind", 3)) == CHECK_max;
  int64_t dim = checkInteger(call->op, "dim", 0), size = a->shape.dims[dim], inner = 1;
  if (checkClassOf(a->type) == CHECK_COMPLEX)
    return "the index of an extreme of complex numbers";
  for (int64_t d = dim + 1; d < a->shape.rank; ++d)
    inner *= a->shape.dims[d];
  if (a->error && (!checkTensorAddErrors(value) || !checkTensorAddErrors(index)))
    return checkOutOfMemory;
  for (int64_t i = 0; i < value->count; ++i) {
    int64_t first = i / inner * inner * size + i % inner, best = 0;
    for (int64_t k = 1; k < size; ++k)
      best = orderOf(a, wantsMost, first + k * inner, first + best * inner) == BETTER ? k : best;
    checkCopyElement(value, i, a, first + best * inner);
    if (!wantsMost) // another one may be less
      checkForgetLow(value, i);
    index->integer[i] = best;
    for (int64_t k = 0; a->error && k < size; ++k) {
      if (k == best)
        continue;
      value->error[i] = fmax(value->error[i],
                             mayBeat(a, first + k * inner, first + best * inner) ? a->error[first + k * inner] : 0.0);
      index->error[i] = mayBeat(a, first + k * inner, first + best * inner) ? INFINITY : index->error[i];
    }
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Of windows
//===----------------------------------------------------------------------===//

const char *checkReduceWindow(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  CheckKind operation = checkReduceOperation(checkInteger(call->op, "kind", 0));
  CheckWindow window = windowOf(call->op, &a->shape);
  if (roundsOrHasErrors(a, operation) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  CheckOdometer o = checkOdometer(&result->shape);
  for (int64_t i = 0; i < result->count; ++i, checkAdvance(&o)) {
    Accumulator accumulator = accumulatorStart(a->type, operation);
    CheckOdometer inside = checkOdometer(&window.sizes);
    for (int64_t k = 0; k < window.elements; ++k, checkAdvance(&inside)) {
      int64_t place = windowPlace(&window, o.index, inside.index);
      const char *problem = place < 0 ? NULL : accumulate(&accumulator, operation, a, place);
      if (problem)
        return problem;
    }
    accumulatorFinish(&accumulator, call, operation, result, i);
  }
  return NULL;
}

/// Whether an element stays selected against the next one.
static bool stays(const CheckTensor *a, bool wantsMost, int64_t selected, int64_t next) {
  if (checkClassOf(a->type) == CHECK_INTEGER)
    return orderOf(a, wantsMost, next, selected) != BETTER;
  double x = a->real[selected], y = a->real[next];
  return wantsMost ? x >= y : x <= y;
}

const char *checkSelectAndScatter(const CheckCall *call) {
  const CheckTensor *a = call->operands[0], *source = call->operands[1];
  CheckTensor *result = call->results[0];
  bool wantsMost = checkReduceOperation(checkInteger(call->op, "select_kind", 3)) == CHECK_max;
  CheckKind operation = checkReduceOperation(checkInteger(call->op, "scatter_kind", 0));
  CheckWindow window = windowOf(call->op, &a->shape);
  Accumulator *accumulators = malloc(sizeof(*accumulators) * (size_t)(result->count + 1));
  if (!accumulators || !checkTensorAddErrors(result)) {
    free(accumulators);
    return checkOutOfMemory;
  }
  for (int64_t i = 0; i < result->count; ++i)
    accumulators[i] = accumulatorStart(result->type, operation);
  const char *problem = a->error ? "a selection among uncertain elements" : NULL;
  CheckOdometer o = checkOdometer(&source->shape);
  for (int64_t i = 0; i < source->count && !problem; ++i, checkAdvance(&o)) {
    int64_t selected = -1;
    CheckOdometer inside = checkOdometer(&window.sizes);
    for (int64_t k = 0; k < window.elements; ++k, checkAdvance(&inside)) {
      int64_t place = windowPlace(&window, o.index, inside.index);
      if (place >= 0 && (selected < 0 || !stays(a, wantsMost, selected, place)))
        selected = place;
    }
    problem = selected < 0 ? NULL : accumulate(&accumulators[selected], operation, source, i);
  }
  for (int64_t i = 0; i < result->count && !problem; ++i)
    accumulatorFinish(&accumulators[i], call, operation, result, i);
  free(accumulators);
  return problem;
}

//===----------------------------------------------------------------------===//
// Cumulative
//===----------------------------------------------------------------------===//

const char *checkCumulative(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  CheckKind operation = checkReduceOperation(checkInteger(call->op, "kind", 0));
  bool reverse = checkFindAttribute(call->op, "reverse"), exclusive = checkFindAttribute(call->op, "exclusive");
  int64_t dim = checkInteger(call->op, "dim", 0), size = a->shape.dims[dim], inner = 1;
  for (int64_t d = dim + 1; d < a->shape.rank; ++d)
    inner *= a->shape.dims[d];
  if (roundsOrHasErrors(a, operation) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t line = 0; size && line < a->count / size; ++line) {
    int64_t first = line / inner * inner * size + line % inner;
    Accumulator accumulator = accumulatorStart(a->type, operation);
    for (int64_t k = 0; k < size; ++k) {
      int64_t i = first + (reverse ? size - 1 - k : k) * inner;
      if (exclusive)
        accumulatorFinish(&accumulator, call, operation, result, i);
      const char *problem = accumulate(&accumulator, operation, a, i);
      if (problem)
        return problem;
      if (!exclusive)
        accumulatorFinish(&accumulator, call, operation, result, i);
    }
  }
  return NULL;
}
