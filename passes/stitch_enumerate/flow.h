//===- flow.h - stitch-enumerate: groups without cycles ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_FLOW_H
#define STITCH_PASSES_STITCH_ENUMERATE_FLOW_H

#include "ir/graph/numbering.h"

/// The operations of a block with those put together that belong to one group.
typedef struct {
  IrNumbering numbering;
  int64_t *firstUser; ///< index in `users`, one more than there are operations
  int64_t *users;     ///< operations of the block, those whose regions use a value among them
  int64_t *group;     ///< of each operation; -1: none
  int64_t *visited;   ///< mark of the last search that came by
  int64_t mark;
} Flow;

Flow flowCreate(MlirBlock block);
void flowDestroy(Flow *flow);

/// Whether `op` can join the group without a cycle: no path leads from one to the other and back. Without
/// `mayFollow` no path may lead from one to the other at all.
bool flowCanJoin(Flow *flow, int64_t group, int64_t op, bool mayFollow);

/// Adds to the operations that are `in` those on paths from one of them to another.
void flowClose(const Flow *flow, bool *in);

/// Reorders the block so that the operations of each group stand together, in the order in which they stood.
void flowGather(Flow *flow);

#endif // STITCH_PASSES_STITCH_ENUMERATE_FLOW_H
