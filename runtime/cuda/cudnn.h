//===- cudnn.h - cuDNN, opened at run time -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDNN_H
#define STITCH_RUNTIME_CUDA_CUDNN_H

#include "runtime/cuda/cudnn_abi.h"
#include "runtime/status.h"

typedef struct {
  void *library;                     ///< dlopen's handle
  cudnnHandle_t handle;              ///< for a GPU; or NULL, and
  cudnnBackendDescriptor_t gpuModel; ///< a description of one, for which plans can be made but not executed
#define CUDNN_SYMBOL(result, name, parameters) result(*name) parameters;
#include "runtime/cuda/cudnn_symbols.def"
#undef CUDNN_SYMBOL
} StitchCudnn;

/// Opens the library, in `folder` or (NULL) where the system's loader looks, and creates a handle for the current
/// context. Fails with STITCH_NOT_FOUND if it is not there. To be closed, also after a failure.
StitchStatus stitchCudnnOpen(const char *folder, StitchCudnn *dnn);

/// The same for no GPU: plans are made for the one that `gpuModel` describes in JSON
/// (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION).
StitchStatus stitchCudnnOpenForModel(const char *folder, const char *gpuModel, StitchCudnn *dnn);

void stitchCudnnClose(StitchCudnn *dnn);

/// NULL for success, else a status with the call's name, the status' name, and the library's message.
StitchStatus stitchCudnnCheck(const StitchCudnn *dnn, cudnnStatus_t result, const char *call);

/// CUDNN_CALL(dnn, cudnnSetStream, ...) calls a function of the library; the value is its status.
#define CUDNN_CALL(dnn, function, ...) stitchCudnnCheck((dnn), (dnn)->function(__VA_ARGS__), #function)

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

typedef struct {
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  int64_t count;
  const void *elements;
} StitchCudnnAttribute;

/// Descriptors that live equally long: one may refer to others.
typedef struct {
  const StitchCudnn *dnn;
  cudnnBackendDescriptor_t *data;
  int64_t count, capacity;
} StitchCudnnPool;

/// A new descriptor without attributes, to be filled in by cudnnBackendGetAttribute.
StitchStatus stitchCudnnCreate(StitchCudnnPool *pool, cudnnBackendDescriptorType_t type,
                               cudnnBackendDescriptor_t *descriptor);

/// A new descriptor with these attributes, finalized.
StitchStatus stitchCudnnMake(StitchCudnnPool *pool, cudnnBackendDescriptorType_t type,
                             const StitchCudnnAttribute *attributes, int64_t count,
                             cudnnBackendDescriptor_t *descriptor);

/// Destroys the descriptors made since there were `count` of them.
void stitchCudnnPoolShrink(StitchCudnnPool *pool, int64_t count);
void stitchCudnnPoolDestroy(StitchCudnnPool *pool);

#endif // STITCH_RUNTIME_CUDA_CUDNN_H
