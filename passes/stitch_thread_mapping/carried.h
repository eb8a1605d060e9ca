//===- carried.h - column reduces that row loops carry -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fusion may reduce a tensor by rows and by columns (backward passes of normalisations, gradients of biases). The
// task loop over the rows can keep the column sums in registers or shared memory (docs/ir.md, "carried"), so that the
// tensor is read once. Used by stitch-thread-mapping when groups have their spaces and vector widths, and no threads
// yet.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_H

#include "passes/stitch_thread_mapping/carried_loop.h"
#include "passes/stitch_thread_mapping/cluster.h"

typedef struct {
  int64_t rows;        ///< of the groups that carry; 0: nothing is carried
  CarriedLoop loop;    ///< of the groups with that number of rows
  int64_t registers;   ///< of a thread, for an element of the row and the sum of its column
  int64_t sumBytes;    ///< of shared memory, for the sum of a column; 0: it is in registers
  int64_t accumulator; ///< bytes of the widest accumulator
  int64_t *carrier;    ///< group -> the row group that carries it, or -1; in the view's arena
} CarriedPlan;

/// Chooses the column groups that are carried, and the threads of their loop: blocks of at least `leastBlock` threads
/// where other groups have other rows, which need these. Row groups in `mayCarry` have a reduce and rows that are not
/// split. `clusters` handle rows if nothing is carried: others of the fusion cannot have clusters then.
CarriedPlan planCarried(GroupView *view, const ClusterSpace *spaces, const bool *mayCarry, const ClusterPlan *clusters,
                        const StitchDevice *device, int64_t leastBlock);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_H
