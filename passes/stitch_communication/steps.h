//===- steps.h - stitch-communication: the operations of a block ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass. They are stitch_communication.c (the pass), order.c (operations that need not wait
// for other processes), buckets.c (several sums as one call), exchanges.c (the operands of all as one call), overlap.c
// (calls that overlap with other steps).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_COMMUNICATION_STEPS_H
#define STITCH_PASSES_STITCH_COMMUNICATION_STEPS_H

#include "dialects/stitch/stitch.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// Sorts the operations of a block by how many calls between processes they wait for, one behind the other; those that
/// wait for as many stay in order. Updates in place stay behind readers of the old value. Then calls stand right behind
/// their operands.
void communicationSort(MlirBlock block);

/// Makes one call of sums that are ready one after the other, of the same group, combiner and element type, up to so
/// many bytes. Returns how many sums are in calls with others.
int64_t communicationMakeBuckets(MlirBlock block, double bytes);

/// Makes one call of those that broadcast one tensor of each member of a group, in order. Returns how many it made.
int64_t communicationMakeExchanges(MlirBlock block);

/// Puts calls on a stream of their own where a step that does not wait for them is behind them. Returns how many
/// nanoseconds of them other steps hide, by the cost model; 0: no step has been marked.
double communicationOverlap(MlirBlock block, const StitchDevice *device);

/// The operation of the block that `op` is, or is in; null: it is elsewhere.
MlirOperation communicationAncestor(MlirBlock block, MlirOperation op);

#endif // STITCH_PASSES_STITCH_COMMUNICATION_STEPS_H
