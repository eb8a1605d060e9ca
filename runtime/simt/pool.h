//===- pool.h - CPU threads that share the blocks of a launch ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SIMT_POOL_H
#define STITCH_RUNTIME_SIMT_POOL_H

#include "runtime/status.h"

#include <stdint.h>

typedef struct StitchSimtPool StitchSimtPool;

/// Starts `cores` - 1 CPU threads, as the caller of stitchSimtPoolRun is one too.
StitchStatus stitchSimtPoolCreate(uint32_t cores, StitchSimtPool **pool);
void stitchSimtPoolDestroy(StitchSimtPool *pool);
uint32_t stitchSimtPoolCores(const StitchSimtPool *pool);

/// Work on item `index`, on the CPU thread with number `core`.
typedef StitchStatus (*StitchSimtPoolWork)(void *context, uint32_t core, uint32_t index);

/// Does the work of the items below `count`. If some fail, the result is that of the first of them, whatever the
/// number of CPU threads, and not all items after it are worked on.
StitchStatus stitchSimtPoolRun(StitchSimtPool *pool, uint32_t count, StitchSimtPoolWork work, void *context);

#endif // STITCH_RUNTIME_SIMT_POOL_H
