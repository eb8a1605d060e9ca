//===- memory.c - memory of the test double ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memfd_create

#include "test/cuda_double/races.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Added to addresses of host memory, this makes device addresses: no program can access those.
static const CUdeviceptr distance = (CUdeviceptr)1 << 60;
enum { ALIGNMENT = 256 };

typedef struct {
  Object object;
  unsigned char *data;
  size_t bytes;
  bool isReserved; ///< a range of addresses, where physical memory is mapped
} Allocation;

/// Physical memory: a file in memory, which processes share.
typedef struct {
  Object object;
  int file;
  size_t bytes;
} Physical;

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
  if (allocation->isReserved)
    munmap(allocation->data, allocation->bytes);
  else
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
  if (!allocation || allocation->isReserved || allocation->data != (void *)(uintptr_t)(pointer - distance)) {
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

//===----------------------------------------------------------------------===//
// Virtual memory
//===----------------------------------------------------------------------===//

enum { GRANULARITY = 1 << 21 };

CUresult double_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                              CUmemAllocationGranularity_flags option) {
  ENTER_CONTEXT(cuMemGetAllocationGranularity);
  if (properties->type != CU_MEM_ALLOCATION_TYPE_PINNED || option != CU_MEM_ALLOC_GRANULARITY_MINIMUM)
    return CUDA_ERROR_INVALID_VALUE;
  *granularity = GRANULARITY;
  return CUDA_SUCCESS;
}

/// Addresses of a range that nothing is mapped to are read and written in vain by no program: it ends.
CUresult double_cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes, size_t alignment, CUdeviceptr at,
                                    unsigned long long flags) {
  ENTER_CONTEXT(cuMemAddressReserve);
  if (bytes == 0 || bytes % GRANULARITY || alignment || at || flags)
    return CUDA_ERROR_INVALID_VALUE;
  void *data = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation *range = newObject(KIND_DEVICE_MEMORY, sizeof(*range));
  range->data = data;
  range->bytes = bytes;
  range->isReserved = true;
  *pointer = (CUdeviceptr)(uintptr_t)data + distance;
  return CUDA_SUCCESS;
}

CUresult double_cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  ENTER(cuMemAddressFree);
  Allocation *range = find(KIND_DEVICE_MEMORY, (void *)(uintptr_t)(pointer - distance), bytes);
  if (!range || !range->isReserved || range->bytes != bytes) {
    violation("cuMemAddressFree: %#llx is no reserved range of %zu bytes", pointer, bytes);
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUresult result = flushAll();
  release(range);
  return result;
}

static void addPhysical(CUmemGenericAllocationHandle *handle, int file, size_t bytes) {
  Physical *physical = newObject(KIND_PHYSICAL_MEMORY, sizeof(*physical));
  physical->file = file;
  physical->bytes = bytes;
  *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
}

CUresult double_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                            unsigned long long flags) {
  ENTER_CONTEXT(cuMemCreate);
  if (bytes == 0 || bytes % GRANULARITY || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED || flags)
    return CUDA_ERROR_INVALID_VALUE;
  int file = memfd_create("cuda double", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  addPhysical(handle, file, bytes);
  return CUDA_SUCCESS;
}

/// Memory lives as long as it is mapped.
CUresult double_cuMemRelease(CUmemGenericAllocationHandle handle) {
  ENTER(cuMemRelease);
  Physical *physical = (Physical *)(uintptr_t)handle;
  if (!isObject(physical, KIND_PHYSICAL_MEMORY, "cuMemRelease"))
    return CUDA_ERROR_INVALID_VALUE;
  close(physical->file);
  destroyObject(physical);
  return CUDA_SUCCESS;
}

CUresult double_cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                         unsigned long long flags) {
  ENTER_CONTEXT(cuMemMap);
  Physical *physical = (Physical *)(uintptr_t)handle;
  void *at = (void *)(uintptr_t)(pointer - distance);
  Allocation *range = find(KIND_DEVICE_MEMORY, at, bytes);
  if (!isObject(physical, KIND_PHYSICAL_MEMORY, "cuMemMap") || !range || !range->isReserved || offset ||
      bytes != physical->bytes || flags)
    return CUDA_ERROR_INVALID_VALUE;
  // It can be accessed when cuMemSetAccess says so.
  return mmap(at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->file, 0) == at ? CUDA_SUCCESS
                                                                                     : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult double_cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc *access, size_t count) {
  ENTER_CONTEXT(cuMemSetAccess);
  void *at = (void *)(uintptr_t)(pointer - distance);
  Allocation *range = find(KIND_DEVICE_MEMORY, at, bytes);
  bool isOwn = count == 1 && access->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
               access->location.id == currentOrdinal() && access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if (!range || !range->isReserved || !isOwn)
    return CUDA_ERROR_INVALID_VALUE;
  return mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult double_cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  ENTER(cuMemUnmap);
  void *at = (void *)(uintptr_t)(pointer - distance);
  Allocation *range = find(KIND_DEVICE_MEMORY, at, bytes);
  if (!range || !range->isReserved)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = flushAll();
  void *left = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return left == at ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult double_cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                             CUmemAllocationHandleType type, unsigned long long flags) {
  ENTER_CONTEXT(cuMemExportToShareableHandle);
  const Physical *physical = (const Physical *)(uintptr_t)handle;
  if (!isObject(physical, KIND_PHYSICAL_MEMORY, "cuMemExportToShareableHandle") ||
      type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags)
    return CUDA_ERROR_INVALID_VALUE;
  int file = dup(physical->file);
  memcpy(shareable, &file, sizeof(file));
  return file < 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

/// The file's descriptor is the value of the pointer, and stays the caller's.
CUresult double_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                               CUmemAllocationHandleType type) {
  ENTER_CONTEXT(cuMemImportFromShareableHandle);
  int file = dup((int)(intptr_t)shareable);
  off_t bytes = file < 0 ? -1 : lseek(file, 0, SEEK_END);
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || bytes <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  addPhysical(handle, file, (size_t)bytes);
  return CUDA_SUCCESS;
}
