//===- cuda_staging.c - host tensors of a run on a GPU --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the tensors of a run. Copies inputs in host memory to the GPU and outputs back, through page-locked memory if
// asked for, and copies inputs that are updated in place to their outputs.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_staging.h"

#include "runtime/tensor.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

static int64_t numTensors(const StitchCudaStaging *s) { return s->model->numInputs + s->model->numOutputs; }

/// Bytes of an input or, counted on, output.
static size_t stagedBytes(const StitchCudaStaging *s, int64_t index) {
  const StitchModelDescriptor *model = s->model;
  if (index < model->numInputs)
    return stitchInputBytes(&model->inputs[index]);
  const StitchModelOutput *output = &model->outputs[index - model->numInputs];
  return stitchTensorBytes(stitchDataTypeOf((StitchElementType)output->elementType), (int32_t)output->rank,
                           output->dims);
}

static size_t totalBytes(const StitchCudaStaging *s) { return s->offsets[numTensors(s)]; }

StitchStatus stitchCudaStagingCreate(const StitchModelDescriptor *model, StitchCuda *cuda, bool pinned,
                                     StitchCudaStaging *s) {
  *s = (StitchCudaStaging){.model = model, .cuda = cuda, .pinned = pinned};
  size_t count = (size_t)numTensors(s);
  s->offsets = calloc(count + 1, sizeof(*s->offsets));
  s->pointers = calloc(count + 1, sizeof(*s->pointers));
  if (!s->offsets || !s->pointers)
    return stitchStatusOutOfMemory();
  for (size_t i = 0; i < count; ++i) // a tensor without elements has a place, too
    s->offsets[i + 1] = s->offsets[i] + (stagedBytes(s, (int64_t)i) + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  return NULL;
}

void stitchCudaStagingDestroy(StitchCudaStaging *s) {
  if (s->device)
    s->cuda->driver.cuMemFree(s->device);
  if (s->host)
    s->cuda->driver.cuMemFreeHost(s->host);
  free(s->offsets);
  free(s->pointers);
  *s = (StitchCudaStaging){0};
}

static StitchStatus allocateStaging(StitchCudaStaging *s) {
  StitchStatus status = NULL;
  if (!s->device)
    status = CUDA_CALL(s->cuda, cuMemAlloc, &s->device, totalBytes(s));
  void *host = NULL;
  if (!status && s->pinned && !s->host) {
    status = CUDA_CALL(s->cuda, cuMemHostAlloc, &host, totalBytes(s), 0);
    s->host = host;
  }
  return stitchStatusAnnotate(status, "memory for %zu bytes of inputs and outputs", totalBytes(s));
}

static bool isOnHost(const StitchTensor *tensor) { return tensor->memory != STITCH_MEMORY_CUDA; }

bool stitchCudaStagingIsNeeded(const StitchCudaStaging *s, const StitchRunTensors *tensors) {
  for (int64_t i = 0; i < s->model->numInputs; ++i)
    if (isOnHost(&tensors->inputs[i]))
      return true;
  for (int64_t i = 0; i < s->model->numOutputs; ++i)
    if (isOnHost(&tensors->outputs[i]))
      return true;
  return false;
}

/// Copies the inputs that the run updates in place to the outputs that they become, if these have other memory.
static StitchStatus beginUpdates(StitchCudaStaging *s, CUstream stream) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < s->model->numInputs && !status; ++i) {
    int64_t output = s->model->inputs[i].updated - 1;
    void *from = s->pointers[i], *to = output < 0 ? from : s->pointers[s->model->numInputs + output];
    if (to != from && stagedBytes(s, i) > 0)
      status = CUDA_CALL(s->cuda, cuMemcpyDtoDAsync, (CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from,
                         stagedBytes(s, i), stream);
  }
  return status;
}

StitchStatus stitchCudaStagingBegin(StitchCudaStaging *s, const StitchRunTensors *tensors, CUstream stream) {
  StitchStatus status = stitchCudaStagingIsNeeded(s, tensors) ? allocateStaging(s) : NULL;
  for (int64_t i = 0; i < numTensors(s) && !status; ++i) {
    bool isInput = i < s->model->numInputs;
    const StitchTensor *tensor = isInput ? &tensors->inputs[i] : &tensors->outputs[i - s->model->numInputs];
    if (!isOnHost(tensor)) {
      s->pointers[i] = tensor->data;
      continue;
    }
    CUdeviceptr place = s->device + s->offsets[i];
    s->pointers[i] = (void *)(uintptr_t)place;
    size_t bytes = stagedBytes(s, i);
    if (!isInput || bytes == 0)
      continue;
    const void *from = tensor->data;
    if (s->pinned)
      from = memcpy(s->host + s->offsets[i], tensor->data, bytes);
    status = CUDA_CALL(s->cuda, cuMemcpyHtoDAsync, place, from, bytes, stream);
  }
  return status ? status : beginUpdates(s, stream);
}

/// Enqueues the copy of an output; without pinned memory it may wait for the stream.
static StitchStatus copyOutput(StitchCudaStaging *s, const StitchTensor *tensor, int64_t index, CUstream stream) {
  size_t bytes = stagedBytes(s, index);
  if (!isOnHost(tensor) || bytes == 0)
    return NULL;
  void *to = s->pinned ? s->host + s->offsets[index] : tensor->data;
  return CUDA_CALL(s->cuda, cuMemcpyDtoHAsync, to, s->device + s->offsets[index], bytes, stream);
}

StitchStatus stitchCudaStagingEnd(StitchCudaStaging *s, const StitchRunTensors *tensors, CUstream stream) {
  if (!stitchCudaStagingIsNeeded(s, tensors))
    return NULL;
  int64_t numInputs = s->model->numInputs;
  StitchStatus status = NULL;
  for (int64_t i = 0; i < s->model->numOutputs && !status; ++i)
    status = copyOutput(s, &tensors->outputs[i], numInputs + i, stream);
  if (!status)
    status = CUDA_CALL(s->cuda, cuStreamSynchronize, stream);
  for (int64_t i = 0; i < s->model->numOutputs && !status && s->pinned; ++i)
    if (isOnHost(&tensors->outputs[i]))
      memcpy(tensors->outputs[i].data, s->host + s->offsets[numInputs + i], stagedBytes(s, numInputs + i));
  return status;
}
