//===- nccl_abi.h - the part of NCCL that Stitch uses --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of a published binary interface (NCCL 2.18 and later), as in cuda_abi.h. The configuration is that
// of 2.18: it says its own size and version, and newer libraries take it.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_NCCL_ABI_H
#define STITCH_RUNTIME_CUDA_NCCL_ABI_H

#include "runtime/cuda/cuda_abi.h"

#include <stddef.h>

#ifndef NCCL_H_ // the guard of nccl.h

typedef struct ncclComm *ncclComm_t;

enum { NCCL_UNIQUE_ID_BYTES = 128, NCCL_SPLIT_NOCOLOR = -1 };
typedef struct {
  char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
} ncclResult_t;

typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3 } ncclRedOp_t;

typedef enum {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
} ncclDataType_t;

typedef struct ncclConfig_v21700 ncclConfig_t;

#endif // NCCL_H_

/// ncclConfig_t as it was in NCCL 2.18.
typedef struct {
  size_t size;
  unsigned int magic, version;
  int blocking, cgaClusterSize, minCTAs, maxCTAs;
  const char *netName;
  int splitShare;
} StitchNcclConfig;

#endif // STITCH_RUNTIME_CUDA_NCCL_ABI_H
