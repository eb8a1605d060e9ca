//===- prefetch.h - prefetches before barriers ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While blocks wait, for the grid or for the kernels before theirs, memory rests. Their reads behind the wait that no
// block writes (weights, scales) can be requested in front of it: they come to the second-level cache meanwhile
// (docs/ir.md, "Prefetches"). A prefetch is a hint: it changes no result.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_PREFETCH_H
#define STITCH_IR_PLAN_PREFETCH_H

#include "dialects/stitch/stitch.h"
#include "ir/mlir/arena.h"

/// Attribute of a fusion: an array of #stitch.prefetch, by phase.
#define PLAN_PREFETCH "stitch.prefetch"

enum {
  PLAN_PREFETCH_ARCH = 90,  ///< the first with bulk prefetches, and with launches ahead
  PLAN_PREFETCH_UNIT = 16,  ///< bytes: offsets and sizes are multiples
  PLAN_PREFETCH_LINE = 128, ///< bytes of a line of the second-level cache: pieces are multiples
  PLAN_PREFETCH_PIECES = 32 ///< of a block: one for each thread of its first warp
};

/// Those of a fusion, in the arena. Returns how many; 0 if it has none. The attribute's form is the dialect's matter.
intptr_t planPrefetches(MlirOperation fusion, IrArena *arena, StitchPrefetch **prefetches);
void planSetPrefetches(MlirOperation fusion, intptr_t count, const StitchPrefetch *prefetches);

/// Bytes of the piece that a thread asks for, of a prefetch by `grid` blocks.
int64_t planPrefetchPiece(int64_t bytes, int64_t grid);

#endif // STITCH_IR_PLAN_PREFETCH_H
