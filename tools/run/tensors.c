//===- tensors.c - the tensors of a model's run --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates a run's inputs and outputs, fills inputs from files or at random, and views them as StitchTensors.
//
//===----------------------------------------------------------------------===//

#include "tools/run/tensors.h"

#include "tools/support/npy.h"
#include "tools/support/number.h"
#include "tools/support/tool_random.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

enum { DATA_ALIGNMENT = 64 };

static void *allocateData(size_t bytes) {
  return aligned_alloc(DATA_ALIGNMENT, (bytes + DATA_ALIGNMENT) / DATA_ALIGNMENT * DATA_ALIGNMENT);
}

/// Elements that a session packs into bytes have one each here.
static size_t unpackedBytes(StitchDataType dtype, int32_t rank, const int64_t *dims) {
  return stitchDataTypeBytes(dtype) * (size_t)stitchTensorElements(rank, dims);
}

static void freeList(void **list, int64_t count) {
  for (int64_t i = 0; list && i < count; ++i)
    free(list[i]);
  free(list);
}

static StitchStatus allocateInputs(const Run *run, void ***result) {
  void **list = calloc((size_t)run->numInputs + 1, sizeof(*list));
  *result = list;
  for (int64_t i = 0; list && i < run->numInputs; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    if (!(list[i] = allocateData(unpackedBytes(info.dtype, info.rank, info.dims))))
      return stitchStatusOutOfMemory();
  }
  return list ? NULL : stitchStatusOutOfMemory();
}

StitchStatus allocateOutputs(const Run *run, void ***result) {
  void **list = calloc((size_t)run->numOutputs + 1, sizeof(*list));
  *result = list;
  for (int64_t i = 0; list && i < run->numOutputs; ++i) {
    StitchOutputInfo info = run->outputInfos[i];
    size_t bytes = unpackedBytes(info.dtype, info.rank, info.dims);
    if (!(list[i] = allocateData(bytes)))
      return stitchStatusOutOfMemory();
    memset(list[i], 0xFF, bytes);
  }
  return list ? NULL : stitchStatusOutOfMemory();
}

void freeRun(Run *run) {
  freeList(run->inputs, run->numInputs);
  freeList(run->outputs, run->numOutputs);
  freeList(run->references, run->numOutputs);
  for (int i = 0; i < ROUNDINGS; ++i)
    freeList(run->rounded[i], run->numOutputs);
  for (int i = 0; i < PERTURBATIONS; ++i)
    freeList(run->perturbed[i], run->numOutputs);
  for (int i = 0; i < JITTERS; ++i)
    freeList(run->jittered[i], run->numOutputs);
  checkerDestroy(run->checker);
  for (int i = 0; i < 2; ++i)
    if (run->launchFiles[i])
      fclose(run->launchFiles[i]);
  free(run->comparisons);
  free(run->seconds);
  free(run->hostSeconds);
  free(run->sessionDevice);
  free(run->sessionDetails);
  free(run->steps);
  free(run->inputInfos);
  free(run->outputInfos);
  free(run->values);
  free(run->dims);
  if (run->reference != run->model)
    stitchModelFree(run->reference);
  stitchModelFree(run->model);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static StitchStatus checkArray(const ToolNpyArray *array, const StitchInputInfo *info, int64_t index,
                               const char *path) {
  bool same = stitchDataTypesEqual(array->dtype, info->dtype) && array->rank == info->rank;
  for (int32_t i = 0; same && i < info->rank; ++i)
    same = array->dims[i] == info->dims[i];
  if (same)
    return NULL;
  char expected[256], got[256];
  stitchFormatTensorType(expected, sizeof(expected), info->dtype, info->rank, info->dims);
  stitchFormatTensorType(got, sizeof(got), array->dtype, array->rank, array->dims);
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "input %lld ('%s') must be %s, but '%s' holds %s", (long long)index,
                          info->name, expected, path, got);
}

static StitchStatus readInput(const Run *run, int64_t index, const char *path) {
  if (index >= run->numInputs)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "there is no input %lld: the model has %lld", (long long)index,
                            (long long)run->numInputs);
  ToolNpyArray array;
  StitchInputInfo info = run->inputInfos[index];
  StitchStatus status = toolNpyRead(path, info.dtype, &array);
  if (status)
    return status;
  status = checkArray(&array, &info, index, path);
  if (!status)
    memcpy(run->inputs[index], array.data, unpackedBytes(info.dtype, info.rank, info.dims));
  toolNpyFree(&array);
  return status;
}

static bool isGiven(const RunOptions *o, int64_t index) {
  for (int i = 0; i < o->numInputs; ++i)
    if (o->inputs[i].index == index)
      return true;
  return false;
}

StitchStatus fillInputs(const RunOptions *o, Run *run) {
  StitchStatus status = NULL;
  for (int i = 0; i < o->numInputs && !status; ++i)
    status = readInput(run, o->inputs[i].index, o->inputs[i].path);
  for (int64_t i = 0; i < run->numInputs && !status; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    if (isGiven(o, i))
      continue;
    info.poison = o->incomplete ? -1 : info.poison;
    if (!info.initial) {
      toolFillRandom(&info, o->seed, i, run->inputs[i]);
      continue;
    }
    memcpy(run->inputs[i], info.initial, stitchTensorBytes(info.dtype, info.rank, info.dims));
    toolUnpack(info.dtype, stitchTensorElements(info.rank, info.dims), run->inputs[i]);
  }
  return status;
}

StitchStatus makeInputs(const RunOptions *o, Run *run) {
  StitchStatus status = allocateInputs(run, &run->inputs);
  return status ? status : fillInputs(o, run);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void freeTensors(Tensors *t) {
  for (int64_t i = 0; t->managed && i < t->count; ++i)
    if (t->managed[i])
      t->managed[i]->deleter(t->managed[i]);
  freeList(t->packed, t->count);
  free(t->managed);
  free(t->tensors);
}

/// The elements of an input in a copy as a session wants them.
static StitchStatus packInput(const StitchTensor *input, void **packed) {
  size_t bytes = unpackedBytes(input->dtype, input->rank, input->dims);
  if (!(*packed = allocateData(bytes)))
    return stitchStatusOutOfMemory();
  memcpy(*packed, input->data, bytes);
  toolPack(input->dtype, stitchTensorElements(input->rank, input->dims), *packed);
  return NULL;
}

void unpackOutputs(const Run *run, void *const *outputs) {
  for (int64_t i = 0; i < run->numOutputs; ++i) {
    StitchOutputInfo info = run->outputInfos[i];
    toolUnpack(info.dtype, stitchTensorElements(info.rank, info.dims), outputs[i]);
  }
}

StitchStatus viewTensors(const Run *run, void *const *outputs, Tensors *t) {
  t->count = run->numInputs + run->numOutputs;
  t->tensors = calloc((size_t)t->count + 1, sizeof(*t->tensors));
  t->managed = calloc((size_t)t->count + 1, sizeof(*t->managed));
  t->packed = calloc((size_t)t->count + 1, sizeof(*t->packed));
  if (!t->tensors || !t->managed || !t->packed)
    return stitchStatusOutOfMemory();
  for (int64_t i = 0; i < run->numInputs; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    t->tensors[i] = (StitchTensor){.dtype = info.dtype, .rank = info.rank, .dims = info.dims, .data = run->inputs[i]};
    if (!stitchDataTypeIsPacked(info.dtype))
      continue;
    StitchStatus status = packInput(&t->tensors[i], &t->packed[i]);
    if (status)
      return status;
    t->tensors[i].data = t->packed[i];
  }
  for (int64_t i = 0; i < run->numOutputs; ++i) {
    StitchOutputInfo info = run->outputInfos[i];
    t->tensors[run->numInputs + i] =
        (StitchTensor){.dtype = info.dtype, .rank = info.rank, .dims = info.dims, .data = outputs[i]};
  }
  return NULL;
}
