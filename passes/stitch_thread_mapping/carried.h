//===- carried.h - column reduces that row loops carry -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a fusion reduces a tensor by rows and by columns (backward passes of normalisations, gradients of biases), the
// task loop over the rows can keep the column sums in registers (docs/ir.md, "carried"): the tensor is read once. Used
// by stitch-thread-mapping when groups have their spaces and vector widths, and no threads yet.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_H

#include "passes/stitch_thread_mapping/cluster.h"

typedef struct {
  int64_t rows;       ///< of the groups that carry; 0: nothing is carried
  int64_t block;      ///< threads of a block
  int64_t rowThreads; ///< of the groups with that number of rows
  int64_t cluster;    ///< blocks that handle a row together
  int64_t workers;    ///< blocks of the grid, or clusters, each of which leaves one partial result
  bool sharesSums;    ///< the blocks of a cluster have rows of their own, and combine their sums
  int64_t registers;  ///< of a thread, for an element of the row and what is carried of its column
  int64_t sharedWord; ///< bytes of the widest of the latter
  int64_t *carrier;   ///< group -> the row group that carries it, or -1; in the view's arena
} CarriedPlan;

/// Chooses the column groups that are carried, and the threads of their loop: blocks of at least `leastBlock` threads
/// where other groups have other rows, which need these. Row groups in `mayCarry` have a reduce and rows that are not
/// split. `clustered` are the rows that clusters handle anyway, 0 if there are none: others of the fusion cannot have
/// clusters then.
CarriedPlan planCarried(GroupView *view, const ClusterSpace *spaces, const bool *mayCarry, int64_t clustered,
                        const StitchDevice *device, int64_t leastBlock);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_H
