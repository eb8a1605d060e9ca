//===- nccl.c - NCCL, opened at run time ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of nccl_symbols.def in libnccl, and turns results of the library into StitchStatus.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/nccl.h"

#include "runtime/shared_library.h"

#include <limits.h>

static const char purpose[] = "NCCL";
enum { OLDEST_VERSION = 21800, UNDEFINED = INT_MIN };

StitchStatus stitchNcclCheck(const StitchNccl *nccl, ncclResult_t result, const char *call) {
  if (result == ncclSuccess)
    return NULL;
  return stitchStatusMake(STITCH_DEVICE_ERROR, "%s: NCCL's error %d: %s", call, (int)result,
                          nccl->ncclGetErrorString(result));
}

/// Undefined fields are NCCL's choice.
StitchNcclConfig stitchNcclConfig(void) {
  return (StitchNcclConfig){
      .size = sizeof(StitchNcclConfig),
      .magic = 0xcafebeef,
      .version = OLDEST_VERSION,
      .blocking = 0,
      .cgaClusterSize = UNDEFINED,
      .minCTAs = UNDEFINED,
      .maxCTAs = UNDEFINED,
      .netName = NULL,
      .splitShare = UNDEFINED,
  };
}

StitchStatus stitchNcclOpen(const char *folder, StitchNccl *nccl) {
  static const char *const names[] = {"libnccl.so.2", NULL};
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &nccl->library);
#define NCCL_SYMBOL(result, name, parameters)                                                                          \
  if (!status)                                                                                                         \
    status = stitchSharedLibrarySymbol(purpose, nccl->library, #name, &nccl->name);
#include "runtime/cuda/nccl_symbols.def"
#undef NCCL_SYMBOL
  if (!status)
    status = NCCL_CALL(nccl, ncclGetVersion, &nccl->version);
  if (!status && nccl->version < OLDEST_VERSION)
    status = stitchStatusMake(STITCH_NOT_FOUND, "%s %d.%d is too old: 2.18 or later is needed", purpose,
                              nccl->version / 10000, nccl->version / 100 % 100);
  return status;
}

void stitchNcclClose(StitchNccl *nccl) {
  stitchSharedLibraryClose(nccl->library);
  *nccl = (StitchNccl){0};
}
