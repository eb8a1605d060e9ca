//===- cudnn.c - cuDNN, opened at run time -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of cudnn_symbols.def in libcudnn, creates the session's handle, and turns statuses of the library
// into StitchStatus. A pool owns the descriptors of graphs and plans, so that a failure on the way needs one clean-up.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cudnn.h"

#include "runtime/shared_library.h"

#include <stdlib.h>
#include <string.h>

static const char purpose[] = "cuDNN";

static StitchStatusCode codeOf(cudnnStatus_t result) {
  switch ((int)result) {
  case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
  case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
    return STITCH_OUT_OF_MEMORY;
  default:
    return (int)result / 1000 * 1000 == CUDNN_STATUS_NOT_SUPPORTED ? STITCH_UNIMPLEMENTED : STITCH_DEVICE_ERROR;
  }
}

StitchStatus stitchCudnnCheck(const StitchCudnn *dnn, cudnnStatus_t result, const char *call) {
  if (result == CUDNN_STATUS_SUCCESS)
    return NULL;
  char reason[1024] = "";
  dnn->cudnnGetLastErrorString(reason, sizeof(reason));
  return stitchStatusMake(codeOf(result), "%s: %s (%d)%s%s", call, dnn->cudnnGetErrorString(result), (int)result,
                          *reason ? ": " : "", reason);
}

static StitchStatus openLibrary(const char *folder, StitchCudnn *dnn) {
  static const char *const names[] = {"libcudnn.so.9", NULL};
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &dnn->library);
#define CUDNN_SYMBOL(result, name, parameters)                                                                         \
  if (!status)                                                                                                         \
    status = stitchSharedLibrarySymbol(purpose, dnn->library, #name, &dnn->name);
#include "runtime/cuda/cudnn_symbols.def"
#undef CUDNN_SYMBOL
  return status;
}

StitchStatus stitchCudnnOpen(const char *folder, StitchCudnn *dnn) {
  StitchStatus status = openLibrary(folder, dnn);
  if (!status)
    status = CUDNN_CALL(dnn, cudnnCreate, &dnn->handle);
  if (status)
    dnn->handle = NULL;
  return status;
}

StitchStatus stitchCudnnOpenForModel(const char *folder, const char *gpuModel, StitchCudnn *dnn) {
  StitchStatus status = openLibrary(folder, dnn);
  if (!status)
    status = CUDNN_CALL(dnn, cudnnBackendCreateDescriptor, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &dnn->gpuModel);
  if (!status)
    status = CUDNN_CALL(dnn, cudnnBackendSetAttribute, dnn->gpuModel, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
                        CUDNN_TYPE_CHAR, (int64_t)strlen(gpuModel) + 1, gpuModel);
  return status ? status : CUDNN_CALL(dnn, cudnnBackendFinalize, dnn->gpuModel);
}

void stitchCudnnClose(StitchCudnn *dnn) {
  if (dnn->handle)
    dnn->cudnnDestroy(dnn->handle);
  if (dnn->gpuModel)
    dnn->cudnnBackendDestroyDescriptor(dnn->gpuModel);
  stitchSharedLibraryClose(dnn->library);
  *dnn = (StitchCudnn){0};
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static StitchStatus reserveDescriptors(StitchCudnnPool *pool) {
  if (pool->count < pool->capacity)
    return NULL;
  int64_t capacity = pool->capacity ? 2 * pool->capacity : 16;
  cudnnBackendDescriptor_t *larger = realloc(pool->data, (size_t)capacity * sizeof(*larger));
  if (!larger)
    return stitchStatusOutOfMemory();
  pool->data = larger;
  pool->capacity = capacity;
  return NULL;
}

StitchStatus stitchCudnnCreate(StitchCudnnPool *pool, cudnnBackendDescriptorType_t type,
                               cudnnBackendDescriptor_t *descriptor) {
  StitchStatus status = reserveDescriptors(pool);
  if (!status)
    status = CUDNN_CALL(pool->dnn, cudnnBackendCreateDescriptor, type, descriptor);
  if (!status)
    pool->data[pool->count++] = *descriptor;
  return status;
}

StitchStatus stitchCudnnMake(StitchCudnnPool *pool, cudnnBackendDescriptorType_t type,
                             const StitchCudnnAttribute *attributes, int64_t count,
                             cudnnBackendDescriptor_t *descriptor) {
  StitchStatus status = stitchCudnnCreate(pool, type, descriptor);
  for (int64_t i = 0; i < count && !status; ++i)
    status = CUDNN_CALL(pool->dnn, cudnnBackendSetAttribute, *descriptor, attributes[i].name, attributes[i].type,
                        attributes[i].count, attributes[i].elements);
  return status ? status : CUDNN_CALL(pool->dnn, cudnnBackendFinalize, *descriptor);
}

void stitchCudnnPoolShrink(StitchCudnnPool *pool, int64_t count) {
  while (pool->count > count)
    pool->dnn->cudnnBackendDestroyDescriptor(pool->data[--pool->count]);
}

void stitchCudnnPoolDestroy(StitchCudnnPool *pool) {
  stitchCudnnPoolShrink(pool, 0);
  free(pool->data);
  pool->data = NULL;
  pool->capacity = 0;
}
