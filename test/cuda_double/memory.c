//===- memory.c - memory of the test double ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/races.h"

#include <stdlib.h>
#include <string.h>

/// Added to addresses of host memory, this makes device addresses: no program can access those.
static const CUdeviceptr distance = (CUdeviceptr)1 << 60;
enum { ALIGNMENT = 256 };

typedef struct {
  Object object;
  unsigned char *data;
  size_t bytes;
} Allocation;

/// Fresh memory begins as NaN.
static Allocation *allocate(Kind kind, size_t bytes) {
  Allocation *allocation = newObject(kind, sizeof(*allocation));
  size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  allocation->data = aligned_alloc(ALIGNMENT, rounded);
  allocation->bytes = bytes;
  if (!allocation->data)
    abort();
  memset(allocation->data, 0xff, rounded);
  return allocation;
}

static Allocation *find(Kind kind, const void *pointer, size_t bytes) {
  for (Object *object = firstObject(); object; object = object->next) {
    Allocation *allocation = (Allocation *)object;
    if (object->kind != kind || !object->alive || (const unsigned char *)pointer < allocation->data)
      continue;
    size_t offset = (size_t)((const unsigned char *)pointer - allocation->data);
    if (offset <= allocation->bytes && bytes <= allocation->bytes - offset)
      return allocation;
  }
  return NULL;
}

static void release(Allocation *allocation) {
  free(allocation->data);
  destroyObject(allocation);
}

void *translate(CUdeviceptr address, size_t bytes) {
  void *pointer = (void *)(uintptr_t)(address - distance);
  return find(KIND_DEVICE_MEMORY, pointer, bytes) ? pointer : NULL;
}

bool isPinned(const void *pointer) { return find(KIND_PINNED_MEMORY, pointer, 1) != NULL; }

bool placeOf(const void *pointer, size_t *offset, size_t *size) {
  const Allocation *allocation = find(KIND_DEVICE_MEMORY, pointer, 1);
  allocation = allocation ? allocation : find(KIND_PINNED_MEMORY, pointer, 1);
  if (!allocation)
    return false;
  *offset = (size_t)((const unsigned char *)pointer - allocation->data);
  *size = allocation->bytes;
  return true;
}

CUresult double_cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  ENTER_CONTEXT(cuMemAlloc);
  CUresult unsafe = unsafeInCapture("cuMemAlloc");
  if (unsafe)
    return unsafe;
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *pointer = (CUdeviceptr)(uintptr_t)allocate(KIND_DEVICE_MEMORY, bytes)->data + distance;
  return CUDA_SUCCESS;
}

CUresult double_cuMemFree(CUdeviceptr pointer) {
  ENTER(cuMemFree);
  if (!currentContext("cuMemFree"))
    return CUDA_ERROR_INVALID_CONTEXT;
  CUresult result = flushAll(); // as the real one, it waits for the device
  Allocation *allocation = find(KIND_DEVICE_MEMORY, (void *)(uintptr_t)(pointer - distance), 0);
  if (!allocation || allocation->data != (void *)(uintptr_t)(pointer - distance)) {
    violation("cuMemFree: %#llx is no allocation", pointer);
    return CUDA_ERROR_INVALID_VALUE;
  }
  release(allocation);
  return result;
}

CUresult double_cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  ENTER_CONTEXT(cuMemHostAlloc);
  CUresult unsafe = unsafeInCapture("cuMemHostAlloc");
  if (unsafe)
    return unsafe;
  if (bytes == 0 || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *pointer = allocate(KIND_PINNED_MEMORY, bytes)->data;
  return CUDA_SUCCESS;
}

CUresult double_cuMemFreeHost(void *pointer) {
  ENTER(cuMemFreeHost);
  Allocation *allocation = find(KIND_PINNED_MEMORY, pointer, 0);
  if (!allocation || allocation->data != pointer) {
    violation("cuMemFreeHost: %p is no allocation", pointer);
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUresult result = flushAll();
  release(allocation);
  return result;
}

CUresult double_cuMemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t bytes, CUstream stream) {
  ENTER_CONTEXT(cuMemsetD8Async);
  return enqueue(stream, &(Op){.kind = OP_SET, .to = pointer, .value = value, .bytes = bytes});
}

/// The bytes of a word are the same four times, or are set one by one.
CUresult double_cuMemsetD32Async(CUdeviceptr pointer, unsigned int value, size_t count, CUstream stream) {
  ENTER_CONTEXT(cuMemsetD32Async);
  unsigned char bytes[sizeof(value)];
  memcpy(bytes, &value, sizeof(value));
  if (value == bytes[0] * 0x01010101u)
    return enqueue(stream, &(Op){.kind = OP_SET, .to = pointer, .value = bytes[0], .bytes = count * sizeof(value)});
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < count * sizeof(value) && !result; ++i)
    result = enqueue(stream, &(Op){.kind = OP_SET, .to = pointer + i, .value = bytes[i % sizeof(value)], .bytes = 1});
  return result;
}

/// Pageable memory is read before the call returns, page-locked memory when the copy is its stream's turn.
CUresult double_cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  ENTER_CONTEXT(cuMemcpyHtoDAsync);
  if (isPinned(from))
    return enqueue(stream, &(Op){.kind = OP_COPY, .to = to, .fromHost = from, .bytes = bytes});
  void *copy = malloc(bytes + 1);
  if (!copy)
    abort();
  memcpy(copy, from, bytes);
  return enqueue(stream, &(Op){.kind = OP_COPY, .to = to, .fromHost = copy, .bytes = bytes, .parameters = copy});
}

/// A copy to pageable memory waits for the stream.
CUresult double_cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER_CONTEXT(cuMemcpyDtoHAsync);
  bool pinned = isPinned(to);
  CUresult result = enqueue(stream, &(Op){.kind = OP_COPY, .toHost = to, .from = from, .bytes = bytes});
  if (result || pinned)
    return result;
  Stream *waited = streamOf(stream, "cuMemcpyDtoHAsync");
  return waited->capture ? CUDA_SUCCESS : synchronize(waited);
}

CUresult double_cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER_CONTEXT(cuMemcpyDtoDAsync);
  return enqueue(stream, &(Op){.kind = OP_COPY, .to = to, .from = from, .bytes = bytes});
}
