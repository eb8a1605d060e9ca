//===- dlpack.c - tensors as DLPack passes them --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts DLTensor, DLManagedTensor and DLManagedTensorVersioned to StitchTensor views, and allocates tensors of a
// session's device that a deleter releases.
//
//===----------------------------------------------------------------------===//

#include "runtime/dlpack.h"
#include "runtime/device.h"
#include "runtime/tensor.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(DLDataType) == sizeof(StitchDataType), "StitchDataType has DLDataType's layout");

//===----------------------------------------------------------------------===//
// In
//===----------------------------------------------------------------------===//

/// Whether elements lie dense in row-major order; dimensions of one element may have any stride.
static bool isDense(const DLTensor *tensor) {
  if (!tensor->strides)
    return true;
  int64_t expected = 1;
  for (int32_t i = tensor->ndim; i-- > 0; expected *= tensor->shape[i]) {
    if (tensor->shape[i] == 0)
      return true;
    if (tensor->shape[i] != 1 && tensor->strides[i] != expected)
      return false;
  }
  return true;
}

/// Whether DLPack's elements of the type, each of which has a byte where the tensor says so, lie here as they are not.
static bool isMisplaced(StitchDataType dtype, bool isPadded) {
  return dtype.bits < 8 && isPadded == stitchDataTypeIsPacked(dtype);
}

static StitchStatus viewTensor(const DLTensor *from, bool isPadded, StitchTensor *tensor) {
  StitchDataType dtype = {from->dtype.code, from->dtype.bits, from->dtype.lanes};
  StitchElementType type;
  if (!stitchElementTypeOf(dtype, &type))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "DLPack's type (code %d, %d bits, %d lanes) is none of Stitch's",
                            dtype.code, dtype.bits, dtype.lanes);
  if (isMisplaced(dtype, isPadded))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                            isPadded ? "the tensor's elements (%s) have a byte each: pack them, the first one into the "
                                       "lowest bits of a byte"
                                     : "the tensor's elements (%s) are packed into bytes: give each a byte of its own, "
                                       "and pass the flag that says so",
                            stitchElementName(type));
  if (from->ndim < 0 || (from->ndim > 0 && !from->shape))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the tensor has no shape");
  if (!isDense(from))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                            "the tensor is not dense in row-major order: make it contiguous first");
  *tensor = (StitchTensor){
      .dtype = dtype,
      .rank = from->ndim,
      .dims = from->shape,
      .data = from->data ? (char *)from->data + from->byte_offset : NULL,
      .memory = (int32_t)from->device.device_type,
      .memoryId = from->device.device_id,
  };
  return NULL;
}

StitchStatus stitchTensorFromDLPack(const DLTensor *from, StitchTensor *tensor) {
  return viewTensor(from, /*isPadded=*/false, tensor);
}

StitchStatus stitchTensorFromDLPackVersioned(const DLManagedTensorVersioned *from, StitchTensor *tensor) {
  return viewTensor(&from->dl_tensor, from->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, tensor);
}

//===----------------------------------------------------------------------===//
// Out
//===----------------------------------------------------------------------===//

/// A tensor that Stitch has made, with the objects that it keeps alive. Shape and strides follow it.
typedef struct {
  DLManagedTensorVersioned tensor;
  DLManagedTensor legacy;
  StitchTensorMemory buffer;
  int64_t dims[];
} Managed;

static void release(Managed *managed) {
  if (managed->buffer.release)
    managed->buffer.release(&managed->buffer);
  free(managed);
}

static void deleteTensor(DLManagedTensorVersioned *self) { release(self->manager_ctx); }

static void deleteLegacy(DLManagedTensor *self) { release(self->manager_ctx); }

static void fillTensor(Managed *managed, StitchDataType dtype, int32_t rank, const int64_t *dims) {
  int64_t *strides = managed->dims + rank, stride = 1;
  for (int32_t i = rank; i-- > 0; stride *= dims[i]) {
    managed->dims[i] = dims[i];
    strides[i] = stride;
  }
  managed->tensor = (DLManagedTensorVersioned){
      .version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
      .manager_ctx = managed,
      .deleter = deleteTensor,
      .flags = dtype.bits < 8 && !stitchDataTypeIsPacked(dtype) ? DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED : 0,
      .dl_tensor =
          {
              .data = managed->buffer.data,
              .device = {(DLDeviceType)managed->buffer.memory, managed->buffer.memoryId},
              .ndim = rank,
              .dtype = {dtype.code, dtype.bits, dtype.lanes},
              .shape = managed->dims,
              .strides = strides,
          },
  };
  managed->legacy =
      (DLManagedTensor){.dl_tensor = managed->tensor.dl_tensor, .manager_ctx = managed, .deleter = deleteLegacy};
}

StitchStatus stitchSessionAllocate(StitchSession *session, StitchDataType dtype, int32_t rank, const int64_t *dims,
                                   DLManagedTensorVersioned **tensor) {
  StitchElementType type;
  if (!stitchElementTypeOf(dtype, &type) || rank < 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "there are no tensors of this type and rank");
  Managed *managed = calloc(1, sizeof(*managed) + 2 * (size_t)rank * sizeof(int64_t));
  if (!managed)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchSessionAllocateBuffer(session, stitchTensorBytes(dtype, rank, dims), &managed->buffer);
  if (status) {
    free(managed);
    return status;
  }
  fillTensor(managed, dtype, rank, dims);
  *tensor = &managed->tensor;
  return NULL;
}

DLManagedTensor *stitchDLPackLegacy(DLManagedTensorVersioned *tensor) {
  return &((Managed *)tensor->manager_ctx)->legacy;
}
