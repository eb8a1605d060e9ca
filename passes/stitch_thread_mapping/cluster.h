//===- cluster.h - rows that a cluster of blocks handles together --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_CLUSTER_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_CLUSTER_H

#include "passes/stitch_thread_mapping/row_work.h"

typedef struct {
  int64_t rows;    ///< of the groups whose rows clusters handle; 0: there are none
  int64_t cluster; ///< blocks
  int64_t block;   ///< threads of a block, at least
} ClusterPlan;

/// Whether some group with so many rows needs, for an element, another element of its row, which in a cluster may be in
/// another block.
bool mixesColumns(GroupView *view, const ClusterSpace *spaces, int64_t rows);

/// Chooses the row groups, all with the same number of rows, that clusters handle. `block`: threads of a block; 0:
/// chosen, too.
ClusterPlan planCluster(GroupView *view, const ClusterSpace *spaces, const StitchDevice *device, int64_t block);

/// Whether a cluster of so many blocks of so many threads can be resident as a whole.
bool clusterCanBeHeld(const StitchDevice *device, int64_t cluster, int64_t block);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_CLUSTER_H
