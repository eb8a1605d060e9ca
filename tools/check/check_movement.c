//===- check_movement.c - elements of the operands, rearranged ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors move with their elements. An uncertain index leaves the element that it reads unknown.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

#include <string.h>

/// Lets a result have the errors of its operands.
static bool takeErrors(const CheckCall *call) {
  bool any = false;
  for (int64_t i = 0; i < call->op->numOperands; ++i)
    any |= call->operands[i]->error != NULL;
  return !any || checkTensorAddErrors(call->results[0]);
}

/// Copies the element of operand 0 at `offset` + the sum of index * stride for each element of the result.
static void copyStrided(const CheckCall *call, int64_t offset, const int64_t *strides) {
  CheckTensor *result = call->results[0];
  CheckOdometer o = checkOdometer(&result->shape);
  for (int64_t i = 0; i < result->count; ++i, checkAdvance(&o)) {
    int64_t place = offset;
    for (int64_t d = 0; d < result->shape.rank; ++d)
      place += o.index[d] * strides[d];
    checkCopyElement(result, i, call->operands[0], place);
  }
}

static void reshape(const CheckCall *call) {
  for (int64_t i = 0; i < call->results[0]->count; ++i)
    checkCopyElement(call->results[0], i, call->operands[0], i);
}

static void broadcast(const CheckCall *call) {
  const CheckShape *from = &call->operands[0]->shape;
  CheckAttribute dims = checkList(call->op, "dims");
  int64_t own[CHECK_MAX_RANK], strides[CHECK_MAX_RANK] = {0};
  checkShapeStrides(from, own);
  for (int64_t d = 0; d < dims.count && d < from->rank; ++d)
    strides[dims.values[d]] = from->dims[d] == 1 ? 0 : own[d];
  copyStrided(call, 0, strides);
}

static void transpose(const CheckCall *call) {
  CheckAttribute permutation = checkList(call->op, "permutation");
  int64_t own[CHECK_MAX_RANK], strides[CHECK_MAX_RANK] = {0};
  checkShapeStrides(&call->operands[0]->shape, own);
  for (int64_t d = 0; d < permutation.count; ++d)
    strides[d] = own[permutation.values[d]];
  copyStrided(call, 0, strides);
}

static void slice(const CheckCall *call) {
  CheckAttribute starts = checkList(call->op, "starts"), steps = checkList(call->op, "strides");
  int64_t own[CHECK_MAX_RANK], strides[CHECK_MAX_RANK] = {0}, offset = 0;
  checkShapeStrides(&call->operands[0]->shape, own);
  for (int64_t d = 0; d < starts.count; ++d) {
    offset += starts.values[d] * own[d];
    strides[d] = steps.values[d] * own[d];
  }
  copyStrided(call, offset, strides);
}

static void reverse(const CheckCall *call) {
  CheckAttribute dims = checkList(call->op, "dims");
  const CheckShape *shape = &call->operands[0]->shape;
  int64_t strides[CHECK_MAX_RANK], offset = 0;
  checkShapeStrides(shape, strides);
  for (int64_t i = 0; i < dims.count; ++i) {
    int64_t d = dims.values[i];
    offset += (shape->dims[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  copyStrided(call, offset, strides);
}

/// Which element of operand 0 a padded index shows; -1: padding.
static int64_t unpadded(const CheckCall *call, const int64_t *index, const int64_t *strides) {
  const CheckShape *shape = &call->operands[0]->shape;
  CheckAttribute low = checkList(call->op, "low"), interior = checkList(call->op, "interior");
  int64_t place = 0;
  for (int64_t d = 0; d < shape->rank; ++d) {
    int64_t position = index[d] - low.values[d], step = interior.values[d] + 1;
    if (position < 0 || position % step != 0 || position / step >= shape->dims[d])
      return -1;
    place += position / step * strides[d];
  }
  return place;
}

static void pad(const CheckCall *call) {
  CheckTensor *result = call->results[0];
  int64_t strides[CHECK_MAX_RANK];
  checkShapeStrides(&call->operands[0]->shape, strides);
  CheckOdometer o = checkOdometer(&result->shape);
  for (int64_t i = 0; i < result->count; ++i, checkAdvance(&o)) {
    int64_t place = unpadded(call, o.index, strides);
    checkCopyElement(result, i, call->operands[place < 0], place < 0 ? 0 : place);
  }
}

static void concatenate(const CheckCall *call) {
  CheckTensor *result = call->results[0];
  int64_t dim = checkInteger(call->op, "dim", 0), inner = 1, outer = 1, before = 0;
  for (int64_t d = 0; d < result->shape.rank; ++d)
    *(d < dim ? &outer : &inner) *= d == dim ? 1 : result->shape.dims[d];
  for (int64_t k = 0; k < call->op->numOperands; ++k) {
    const CheckTensor *a = call->operands[k];
    int64_t size = a->shape.dims[dim] * inner, whole = result->shape.dims[dim] * inner;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < size; ++i)
        checkCopyElement(result, o * whole + before + i, a, o * size + i);
    before += size;
  }
}

//===----------------------------------------------------------------------===//
// Indices that are computed
//===----------------------------------------------------------------------===//

/// An index moved into [0, last].
static int64_t clamped(const CheckTensor *starts, int64_t i, int64_t last) {
  int64_t start = starts->integer[i];
  if (checkIsUnsigned(starts->type))
    return (uint64_t)start > (uint64_t)last ? last : start;
  return start < 0 ? 0 : start > last ? last : start;
}

static void forget(CheckTensor *result, int64_t i) {
  result->error[i] = INFINITY;
  checkForgetLow(result, i);
}

static bool contains(CheckAttribute list, int64_t value, int64_t *position) {
  for (int64_t i = 0; i < list.count; ++i)
    if (list.values[i] == value) {
      *position = i;
      return true;
    }
  return false;
}

/// The start index's element for component `component` that belongs to a result's index.
static int64_t startPlace(const CheckCall *call, const int64_t *index, int64_t rank, int64_t component,
                          const int64_t *strides, int64_t *batch) {
  CheckAttribute offsetDims = checkList(call->op, "offset_dims");
  const CheckShape *shape = &call->operands[1]->shape;
  int64_t vectorDim = checkInteger(call->op, "index_vector_dim", shape->rank), d = 0, place = 0, unused;
  for (int64_t i = 0; i < rank; ++i) {
    if (contains(offsetDims, i, &unused))
      continue;
    d += d == vectorDim;
    batch[d] = index[i];
    place += index[i] * strides[d++];
  }
  return vectorDim < shape->rank ? place + component * strides[vectorDim] : place;
}

static void gather(const CheckCall *call) {
  const CheckTensor *a = call->operands[0], *starts = call->operands[1];
  CheckTensor *result = call->results[0];
  CheckAttribute offsetDims = checkList(call->op, "offset_dims"),
                 collapsed = checkList(call->op, "collapsed_slice_dims"),
                 batching = checkList(call->op, "operand_batching_dims"),
                 startBatching = checkList(call->op, "start_indices_batching_dims"),
                 startMap = checkList(call->op, "start_index_map"), sizes = checkList(call->op, "slice_sizes");
  int64_t strides[CHECK_MAX_RANK], startStrides[CHECK_MAX_RANK];
  checkShapeStrides(&a->shape, strides);
  checkShapeStrides(&starts->shape, startStrides);
  CheckOdometer o = checkOdometer(&result->shape);
  for (int64_t i = 0; i < result->count; ++i, checkAdvance(&o)) {
    int64_t place = 0, offset = 0, component, batch[CHECK_MAX_RANK + 1] = {0};
    bool uncertain = false;
    for (int64_t d = 0; d < a->shape.rank; ++d) {
      bool isBatch = contains(batching, d, &component);
      int64_t number = component, at = 0;
      if (!isBatch && !contains(collapsed, d, &component))
        at = o.index[offsetDims.values[offset++]];
      if (isBatch) {
        startPlace(call, o.index, result->shape.rank, 0, startStrides, batch);
        at = batch[startBatching.values[number]];
      }
      if (contains(startMap, d, &component)) {
        int64_t start = startPlace(call, o.index, result->shape.rank, component, startStrides, batch);
        at += clamped(starts, start, a->shape.dims[d] - sizes.values[d]);
        uncertain |= checkErrorAt(starts, start) != 0.0;
      }
      place += at * strides[d];
    }
    checkCopyElement(result, i, a, place);
    if (uncertain)
      forget(result, i);
  }
}

/// The starts of a slice of `size`, operands from `first` on. Whether one is uncertain.
static bool dynamicStarts(const CheckCall *call, int64_t first, const int64_t *sizes, int64_t *starts) {
  const CheckShape *shape = &call->operands[0]->shape;
  bool uncertain = false;
  for (int64_t d = 0; d < shape->rank; ++d) {
    starts[d] = clamped(call->operands[first + d], 0, shape->dims[d] - sizes[d]);
    uncertain |= checkErrorAt(call->operands[first + d], 0) != 0.0;
  }
  return uncertain;
}

static void forgetAll(CheckTensor *result) {
  for (int64_t i = 0; i < result->count; ++i)
    forget(result, i);
}

static void dynamicSlice(const CheckCall *call) {
  int64_t strides[CHECK_MAX_RANK], starts[CHECK_MAX_RANK], offset = 0;
  checkShapeStrides(&call->operands[0]->shape, strides);
  bool uncertain = dynamicStarts(call, 1, call->results[0]->shape.dims, starts);
  for (int64_t d = 0; d < call->results[0]->shape.rank; ++d)
    offset += starts[d] * strides[d];
  copyStrided(call, offset, strides);
  if (uncertain)
    forgetAll(call->results[0]);
}

static void dynamicUpdateSlice(const CheckCall *call) {
  const CheckTensor *update = call->operands[1];
  CheckTensor *result = call->results[0];
  int64_t strides[CHECK_MAX_RANK], starts[CHECK_MAX_RANK];
  checkShapeStrides(&result->shape, strides);
  bool uncertain = dynamicStarts(call, 2, update->shape.dims, starts);
  reshape(call);
  CheckOdometer o = checkOdometer(&update->shape);
  for (int64_t i = 0; i < update->count; ++i, checkAdvance(&o)) {
    int64_t place = 0;
    for (int64_t d = 0; d < update->shape.rank; ++d)
      place += (starts[d] + o.index[d]) * strides[d];
    checkCopyElement(result, place, update, i);
  }
  if (uncertain)
    forgetAll(result);
}

//===----------------------------------------------------------------------===//
// Without operands
//===----------------------------------------------------------------------===//

static void setNumber(CheckTensor *result, int64_t i, int64_t value) {
  if (checkClassOf(result->type) == CHECK_INTEGER)
    result->integer[i] = checkWrap(result->type, value);
  else if (checkClassOf(result->type) == CHECK_COMPLEX)
    result->number[i] = checkRoundOnce(checkPartType(result->type), (double)value);
  else
    result->real[i] = checkRoundOnce(result->type, (double)value);
}

static void iota(const CheckCall *call) {
  CheckTensor *result = call->results[0];
  int64_t dim = checkInteger(call->op, "dim", 0);
  CheckOdometer o = checkOdometer(&result->shape);
  for (int64_t i = 0; i < result->count; ++i, checkAdvance(&o))
    setNumber(result, i, o.index[dim]);
}

/// All elements are the one whose bytes the attribute has.
static const char *checkConstant(const CheckCall *call) {
  CheckTensor *result = call->results[0];
  CheckAttribute value = checkList(call->op, "value");
  CheckShape scalar = {0};
  if (value.count != 2)
    return "a constant without a value";
  CheckTensor *element = checkTensorLoad(result->type, &scalar, value.values);
  if (!element)
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i)
    checkCopyElement(result, i, element, 0);
  checkTensorFree(element);
  return NULL;
}

const char *checkMovement(const CheckCall *call) {
  if (!takeErrors(call))
    return checkOutOfMemory;
  switch (call->op->kind) {
  case CHECK_reshape:
    return reshape(call), NULL;
  case CHECK_broadcast:
    return broadcast(call), NULL;
  case CHECK_transpose:
    return transpose(call), NULL;
  case CHECK_slice:
    return slice(call), NULL;
  case CHECK_reverse:
    return reverse(call), NULL;
  case CHECK_pad:
    return pad(call), NULL;
  case CHECK_concatenate:
    return concatenate(call), NULL;
  case CHECK_gather:
    return gather(call), NULL;
  case CHECK_dynamic_slice:
    return dynamicSlice(call), NULL;
  case CHECK_dynamic_update_slice:
    return dynamicUpdateSlice(call), NULL;
  case CHECK_iota:
    return iota(call), NULL;
  case CHECK_constant:
    return checkConstant(call);
  default:
    return "an operation that no check knows";
  }
}
