//===- cuda_memory_abi.h - virtual memory in the CUDA Driver API ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of a published binary interface, as in cuda_abi.h: physical allocations that processes share, and
// where they are mapped.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_MEMORY_ABI_H
#define STITCH_RUNTIME_CUDA_MEMORY_ABI_H

#include "runtime/cuda/cuda_abi.h"

#ifndef __cuda_cuda_h__ // the guard of cuda.h

typedef unsigned long long CUmemGenericAllocationHandle;

typedef enum { CU_MEM_ALLOCATION_TYPE_PINNED = 1 } CUmemAllocationType;
typedef enum { CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1 } CUmemAllocationHandleType;
typedef enum { CU_MEM_LOCATION_TYPE_DEVICE = 1 } CUmemLocationType;
typedef enum { CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 } CUmemAccess_flags;
typedef enum { CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0 } CUmemAllocationGranularity_flags;

typedef struct {
  CUmemLocationType type;
  int id;
} CUmemLocation;

typedef struct {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;

typedef struct {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;

#endif // __cuda_cuda_h__

#endif // STITCH_RUNTIME_CUDA_MEMORY_ABI_H
