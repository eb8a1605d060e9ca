//===- nccl.h - NCCL, opened at run time ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_NCCL_H
#define STITCH_RUNTIME_CUDA_NCCL_H

#include "runtime/cuda/nccl_abi.h"
#include "runtime/status.h"

typedef struct {
  void *library; ///< dlopen's handle
  int version;   ///< 10000 * major + 100 * minor + patch
#define NCCL_SYMBOL(result, name, parameters) result(*name) parameters;
#include "runtime/cuda/nccl_symbols.def"
#undef NCCL_SYMBOL
} StitchNccl;

/// Opens the library, in `folder` or (NULL) where the system's loader looks. Fails with STITCH_NOT_FOUND if it is not
/// there, or one that is older than NCCL 2.18. To be closed, also after a failure.
StitchStatus stitchNcclOpen(const char *folder, StitchNccl *nccl);
void stitchNcclClose(StitchNccl *nccl);

/// NULL for success, else a status with the call's name, the result's number and its text.
StitchStatus stitchNcclCheck(const StitchNccl *nccl, ncclResult_t result, const char *call);

/// For communicators whose calls do not block.
StitchNcclConfig stitchNcclConfig(void);

/// NCCL_CALL(nccl, ncclGetVersion, ...) calls a function of the library; the value is its status.
#define NCCL_CALL(nccl, function, ...) stitchNcclCheck(nccl, (nccl)->function(__VA_ARGS__), #function)

#endif // STITCH_RUNTIME_CUDA_NCCL_H
