//===- cluster.c - rows that a cluster of blocks handles together --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of stitch-thread-mapping. The blocks of a cluster can share a row: each keeps its part in registers. They
// combine partial results through each other's shared memory, behind barriers that cost about half of a grid barrier.
// That pays
//
//   - where a row does not fit into the registers of one block, so that every pass over it but the first reads it
//     again from the second-level cache, and computes its values again;
//   - where there are fewer rows than multiprocessors: then it competes with splitting rows over the whole grid, which
//     reaches more multiprocessors but needs a grid barrier for each reduction.
//
// The time of all roots with the same number of rows together decides (row_work.h). Blocks are as small as lets a
// thread keep its part of the row in registers: several to a multiprocessor hide each other's barriers.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/cluster.h"

#include "capi/diagnostics.h"
#include "ir/plan/resources.h"

#include <stdlib.h>

/// Less of a row is not worth a block, in columns.
enum { LEAST_PART_OF_BLOCK = 1024 };

/// A cluster must be faster than a block that keeps its row by this part of its time. The cost of a cluster's barrier
/// is known less well than that of a block.
static const double leastGain = 1.0 / 32;

/// Shared memory that blocks are assumed to need: as much as the partial results of their reductions take at most.
enum { ASSUMED_SHARED = 32768 };

bool mixesColumns(GroupView *view, const ClusterSpace *spaces, int64_t rows) {
  bool mixes = false;
  for (int64_t g = 0; g < view->numGroups; ++g) {
    GroupRead *reads;
    int64_t count = hasRows(&spaces[g], rows) ? readsOfGroup(view, g, rows, 0, &reads) : 0;
    for (int64_t i = 0; i < count; ++i) {
      const GraphNode *root = &view->graph->nodes[reads[i].root];
      bool isRow = hasRows(&spaces[view->group[reads[i].root]], rows) && root->class != TG_CLASS_REDUCE;
      mixes |= isRow && root->elements > rows && reads[i].keepsRows && !reads[i].keepsElements;
    }
    if (hasRows(&spaces[g], rows))
      free(reads);
  }
  return mixes;
}

/// Whether a cluster is resident as a whole.
static bool isHeld(const StitchDevice *device, const RowThreads *threads) {
  int64_t perSM = planBlocksPerSM(device, threads->block, threads->registers, ASSUMED_SHARED);
  return planResidentBlocks(device, perSM, threads->cluster) >= threads->cluster;
}

bool clusterCanBeHeld(const StitchDevice *device, int64_t cluster, int64_t block) {
  return isHeld(device, &(RowThreads){cluster, block, PLAN_ASSUMED_REGISTERS});
}

/// The time that the best without a cluster takes.
static double aloneNs(const StitchDevice *device, const RowWork *work, int64_t block) {
  RowThreads threads = rowThreadsOf(work, 1, block);
  double ns = rowNs(device, work, &threads), splitNs = splitRowNs(device, work);
  ns *= rowIsKept(work, &threads) ? 1 - leastGain : 1;
  return work->rows < device->sms && splitNs < ns ? splitNs : ns;
}

static ClusterPlan planRows(const StitchDevice *device, const RowWork *work, int64_t block, double *bestNs) {
  ClusterPlan plan = {0};
  *bestNs = aloneNs(device, work, block);
  for (int64_t cluster = 2; cluster <= device->clusterBlocks; cluster *= 2) {
    RowThreads threads = rowThreadsOf(work, cluster, block);
    double ns = rowNs(device, work, &threads);
    if (work->columns < cluster * LEAST_PART_OF_BLOCK || ns >= *bestNs || !isHeld(device, &threads))
      continue;
    *bestNs = ns;
    plan = (ClusterPlan){work->rows, cluster, threads.block};
  }
  return plan;
}

static void remarkCluster(const GroupView *view, int64_t group, const RowWork *work, const ClusterPlan *plan, double ns,
                          const StitchDevice *device) {
  RowThreads alone = rowThreadsOf(work, 1, 0);
  stitchRemark(view->graph->nodes[view->dominant[group]].op,
               "rows of %lld columns are handled by clusters of %lld blocks of %lld threads: %.0f ns, by one block "
               "%.0f ns, split over the grid %.0f ns",
               (long long)work->columns, (long long)plan->cluster, (long long)plan->block, ns,
               rowNs(device, work, &alone), splitRowNs(device, work));
}

ClusterPlan planCluster(GroupView *view, const ClusterSpace *spaces, const StitchDevice *device, int64_t block) {
  ClusterPlan best = {0};
  int64_t most = 0;
  if (device->clusterBlocks == 1)
    return best;
  // Clusters of a kernel have one size: of several numbers of rows, the one with the most elements has them.
  for (int64_t g = 0; g < view->numGroups; ++g) {
    if (!spaces[g].reduces || spaces[g].mapping.kind != STITCH_MAPPING_ROW)
      continue;
    RowWork work = rowWorkOf(view, spaces, spaces[g].mapping.rows);
    ClusterPlan plan = {0};
    double ns = 0;
    if (work.rows * work.columns > most)
      plan = planRows(device, &work, block, &ns);
    if (plan.rows == 0 || mixesColumns(view, spaces, work.rows))
      continue;
    most = work.rows * work.columns;
    best = plan;
    remarkCluster(view, g, &work, &plan, ns, device);
  }
  return best;
}
