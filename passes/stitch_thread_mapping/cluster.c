//===- cluster.c - rows that a cluster of blocks handles together --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of stitch-thread-mapping. The blocks of a cluster can share a row: each keeps its part in registers, and they
// combine partial results through each other's shared memory, behind barriers that cost about half of a grid barrier.
// That pays
//
//   - where a row does not fit into the registers of one block, so that every sweep over it but the first reads it
//   again
//     from L2, if it is still there;
//   - where there are fewer rows than multiprocessors: then it competes with splitting rows over the whole grid, which
//     reaches more multiprocessors but needs a grid barrier for each reduction, and reads the row again behind it.
//
// What all roots with the same number of rows read in one sweep decides by its time: bytes over the bandwidth that so
// many blocks get, as often as it is read, and the barriers, as far as no other block of the multiprocessor works
// meanwhile. Blocks are as small as lets a thread keep its part of the row in registers: several to a multiprocessor
// hide each other's barriers.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/cluster.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"

#include "capi/diagnostics.h"
#include "ir/plan/occupancy.h"

#include <stdlib.h>

enum {
  LEAST_BLOCK = 256,
  LARGEST_BLOCK = 1024,
  REGISTER_VALUES = 32,      ///< of a row, that a thread keeps
  REGISTERS = 64,            ///< of such a thread
  HALF_REGISTERS = 128,      ///< of a thread where a multiprocessor has half as many as it can
  HALF_ELEMENTS = 64,        ///< of a row, that such a thread computes before it stores the first
  OTHER_REGISTERS = 40,      ///< of it, beside what it keeps
  LEAST_PART_OF_BLOCK = 1024 ///< columns; less of a row is not worth a block
};

/// All row groups with the same number of rows.
typedef struct {
  int64_t rows, columns; ///< columns: most of any group
  int64_t words;         ///< registers for a column
  int64_t bytes;         ///< of the fusion's inputs that are as large as a row
  int64_t reduces;       ///< reductions, one after the other
  int64_t sweeps;        ///< roots that go over whole rows
  double instructions;   ///< of all threads
} Rows;

static bool isIn(const ClusterSpace *space, int64_t rows) {
  return space->mapping.kind == STITCH_MAPPING_ROW && space->mapping.rows == rows;
}

/// Bytes of the fusion's inputs that a group reads, as long as a row and not in `seen`.
static int64_t inputBytes(const GroupView *view, int64_t group, int64_t columns, IrMap *seen) {
  int64_t bytes = 0;
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    const GraphNode *node = &view->graph->nodes[view->nodes[k]];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      MlirValue value = irOperand(node->op, j);
      if (node->operands[j].node >= 0 || irNumElements(irShapeOf(value)) < columns || irMapContains(seen, value.ptr))
        continue;
      irMapSet(seen, value.ptr, 1);
      bytes += irTensorBytes(mlirValueGetType(value));
    }
  }
  return bytes;
}

static Rows rowsOf(const GroupView *view, const ClusterSpace *spaces, int64_t rows) {
  Rows class = {.rows = rows, .columns = 1, .words = 1};
  IrMap seen = {0};
  for (int64_t g = 0; g < view->numGroups; ++g) {
    if (!isIn(&spaces[g], rows))
      continue;
    class.columns = max64(class.columns, spaces[g].mapping.columns);
    class.bytes += inputBytes(view, g, spaces[g].mapping.columns, &seen);
    class.words = max64(class.words, wordsReadByGroup(view, g, rows * spaces[g].mapping.columns));
    for (int64_t k = view->first[g]; k < view->first[g + 1]; ++k) {
      const GraphNode *node = &view->graph->nodes[view->nodes[k]];
      bool isReduce = node->class == TG_CLASS_REDUCE;
      class.reduces += isReduce;
      class.instructions += (double)(irNumElements(planIterationShape(node->op)) * costInstructionsOf(node->op));
      class.sweeps += groupIsRoot(view, view->nodes[k]) && (isReduce || node->elements > rows);
    }
  }
  irMapDestroy(&seen);
  return class;
}

bool mixesColumns(GroupView *view, const ClusterSpace *spaces, int64_t rows) {
  bool mixes = false;
  for (int64_t g = 0; g < view->numGroups; ++g) {
    GroupRead *reads;
    int64_t count = isIn(&spaces[g], rows) ? readsOfGroup(view, g, rows, 0, &reads) : 0;
    for (int64_t i = 0; i < count; ++i) {
      const GraphNode *root = &view->graph->nodes[reads[i].root];
      bool isRow = isIn(&spaces[view->group[reads[i].root]], rows) && root->class != TG_CLASS_REDUCE;
      mixes |= isRow && root->elements > rows && reads[i].keepsRows && !reads[i].keepsElements;
    }
    if (isIn(&spaces[g], rows))
      free(reads);
  }
  return mixes;
}

/// Whether so many threads keep a row in their registers.
static bool fits(const Rows *rows, int64_t threads) {
  return ceilDiv(rows->columns, threads) * rows->words <= REGISTER_VALUES;
}

/// The same of blocks of which a multiprocessor has one: half as many threads as are possible, with twice the
/// registers, have room for more, since what a thread needs besides is there half as often. Of clusters alone: a row of
/// one block has as many threads as there can be (rows.c).
static bool fitsHalf(const Rows *rows, int64_t threads) {
  int64_t elements = ceilDiv(rows->columns, threads);
  return elements <= HALF_ELEMENTS && elements * rows->words + OTHER_REGISTERS <= HALF_REGISTERS;
}

/// The smallest block with which a cluster keeps a row in registers, the largest one if none does.
static int64_t blockFor(const Rows *rows, int64_t cluster) {
  int64_t block = LEAST_BLOCK;
  while (block < LARGEST_BLOCK && !fits(rows, cluster * block))
    block *= 2;
  return cluster > 1 && block == LARGEST_BLOCK && fitsHalf(rows, cluster * block / 2) ? block / 2 : block;
}

/// Whether a cluster keeps a row in registers.
static bool keepsRow(const Rows *rows, int64_t cluster, int64_t block) {
  return fits(rows, cluster * block) || (cluster > 1 && block == LARGEST_BLOCK / 2 && fitsHalf(rows, cluster * block));
}

/// Registers of a thread.
static int64_t registersFor(const Rows *rows, int64_t cluster, int64_t block) {
  return !fits(rows, cluster * block) && keepsRow(rows, cluster, block) ? HALF_REGISTERS : REGISTERS;
}

/// The time to read what a sweep reads, and again for each further sweep if `again`, on so many blocks.
static double readNs(const StitchDevice *device, const Rows *rows, int64_t blocks, bool again) {
  double ns = (double)rows->bytes / (double)device->bandwidthGBps;
  if (again)
    ns += ns * (double)(rows->sweeps - 1) / COST_CACHE_SPEEDUP;
  return blocks < device->sms ? ns * (double)device->sms / (double)blocks : ns;
}

/// The time that the blocks of clusters wait for each other.
static double waitNs(const StitchDevice *device, const Rows *rows, int64_t cluster, int64_t block) {
  if (cluster == 1)
    return 0;
  int64_t perSM = max64(planBlocksPerSM(device, block, registersFor(rows, cluster, block), 0), 1);
  int64_t rounds = ceilDiv(rows->rows * cluster, max64(planResidentBlocks(device, perSM, cluster), 1));
  double exposed = rounds > perSM ? (double)rounds / (double)perSM : 1; // of a round, other blocks hide the rest
  return (double)rows->reduces * (double)device->clusterBarrierNs * exposed;
}

/// The time that a cluster of one or more blocks for each row takes, if bandwidth bounds it.
static double sharedNs(const StitchDevice *device, const Rows *rows, int64_t cluster, int64_t block) {
  return readNs(device, rows, rows->rows * cluster, !keepsRow(rows, cluster, block)) +
         waitNs(device, rows, cluster, block);
}

/// The time that it takes.
static double clusterNs(const StitchDevice *device, const Rows *rows, int64_t cluster, int64_t block) {
  if (!keepsRow(rows, cluster, block) || (double)rows->bytes > costBytesUnderWay(device, device->sms))
    return sharedNs(device, rows, cluster, block);
  return costOfUnderWay(device, rows->rows * cluster, (double)rows->bytes, rows->instructions) +
         waitNs(device, rows, cluster, block);
}

/// The time that it takes to split each row over the device.
static double splitNs(const StitchDevice *device, const Rows *rows) {
  return readNs(device, rows, device->sms, true) + (double)rows->reduces * (double)device->barrierNs;
}

/// Shared memory that blocks are assumed to need: as much as the partial results of their reductions take at most.
enum { ASSUMED_SHARED = 32768 };

/// Whether a cluster is resident as a whole.
static bool isHeld(const StitchDevice *device, const Rows *rows, int64_t cluster, int64_t block) {
  int64_t perSM = planBlocksPerSM(device, block, registersFor(rows, cluster, block), ASSUMED_SHARED);
  return planResidentBlocks(device, perSM, cluster) >= cluster;
}

/// Whether splitting rows over the grid takes less time than clusters: both as if bandwidth bounded them, since partial
/// results are bytes that clusters do not move.
static bool isSplitFaster(const StitchDevice *device, const Rows *rows, int64_t cluster, int64_t block) {
  return rows->rows < device->sms && splitNs(device, rows) < sharedNs(device, rows, cluster, block);
}

static ClusterPlan planRows(const StitchDevice *device, const Rows *rows, int64_t givenBlock) {
  ClusterPlan plan = {0};
  double best = clusterNs(device, rows, 1, givenBlock ? givenBlock : blockFor(rows, 1));
  for (int64_t cluster = 2; cluster <= device->clusterBlocks; cluster *= 2) {
    int64_t block = givenBlock ? givenBlock : blockFor(rows, cluster);
    double ns = clusterNs(device, rows, cluster, block);
    if (rows->columns < cluster * LEAST_PART_OF_BLOCK || ns >= best || !isHeld(device, rows, cluster, block) ||
        isSplitFaster(device, rows, cluster, block))
      continue;
    best = ns;
    plan = (ClusterPlan){rows->rows, cluster, block};
  }
  return plan;
}

static void explain(const GroupView *view, int64_t group, const Rows *rows, const ClusterPlan *plan,
                    const StitchDevice *device) {
  stitchRemark(view->graph->nodes[view->dominant[group]].op,
               "rows of %lld columns are handled by clusters of %lld blocks of %lld threads: %.0f ns, by one block "
               "%.0f ns, split over the grid %.0f ns",
               (long long)rows->columns, (long long)plan->cluster, (long long)plan->block,
               clusterNs(device, rows, plan->cluster, plan->block), clusterNs(device, rows, 1, blockFor(rows, 1)),
               splitNs(device, rows));
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
    Rows rows = rowsOf(view, spaces, spaces[g].mapping.rows);
    ClusterPlan plan = {0};
    if (rows.rows * rows.columns > most)
      plan = planRows(device, &rows, block);
    if (plan.rows == 0 || mixesColumns(view, spaces, rows.rows))
      continue;
    most = rows.rows * rows.columns;
    best = plan;
    explain(view, g, &rows, &plan, device);
  }
  return best;
}
