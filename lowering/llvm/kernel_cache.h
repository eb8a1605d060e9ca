//===- kernel_cache.h - compiled kernels on disk -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with one file for each entry, named after its key, a content hash: the entry of a key is the result that
// would be computed again. Several processes and threads may use a folder concurrently: an entry appears whole, by
// renaming, and carries a checksum of its content. A broken one is as good as none and is replaced. The cache never
// makes a compilation fail.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_KERNEL_CACHE_H
#define STITCH_LOWERING_LLVM_KERNEL_CACHE_H

#include "lowering/llvm/content_hash.h"
#include "lowering/llvm/llvm_object.h"

typedef enum {
  STITCH_CACHE_HIT,
  STITCH_CACHE_MISS,
  STITCH_CACHE_BROKEN, ///< there is an entry, and it is damaged
} StitchCacheResult;

/// The entry under `key` (as stitchContentHashEnd writes it). On a hit `code` is released with free(code->data).
StitchCacheResult stitchCacheGet(const char *folder, const char *key, StitchLLVMCode *code);

/// Writes an entry. Returns 0 or an errno.
int stitchCachePut(const char *folder, const char *key, const StitchLLVMCode *code);

/// Removes the entries that have not been used for longest until at most `limit` bytes are left.
void stitchCacheTrim(const char *folder, long long limit);

#endif // STITCH_LOWERING_LLVM_KERNEL_CACHE_H
