//===- carried.c - column reduces that row loops carry -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Pairs: a column group of reduces alone, and a row group of the same rows x columns that reads what it reads.
//   2. Threads: as many elements a thread as leave room in its registers for the row and for an accumulator of each
//      carried reduce; a block as small as that allows. Where no block has so many registers, and the device has
//      clusters, the blocks of one share the row.
//   3. Blocks: one for each multiprocessor, more where the loads of one would not keep memory busy. Every block, or
//      cluster, leaves a partial result as long as a row, so it must have many rows.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/carried.h"
#include "ir/mlir/arithmetic.h"

#include "capi/diagnostics.h"
#include "ir/plan/occupancy.h"

enum {
  WARP = 32,
  LARGEST_BLOCK = 1024,
  LEAST_BLOCK = 512,
  LEAST_FULL_BLOCK = 256,    ///< of threads that have as many elements as registers hold
  MAX_REGISTERS = 255,       ///< of a thread
  OTHER_REGISTERS = 40,      ///< of a thread, beside the row and the accumulators
  BYTES_IN_FLIGHT = 32768,   ///< that keep a multiprocessor's memory busy
  BYTES_OF_THREAD = 64,      ///< of a row, that a thread loads if it can
  ENOUGH_SHARE = 20,         ///< partial results that are at most that part of what is read need not be fewer
  LEAST_ROWS_OF_BLOCK = 8,   ///< below that, the partial results are as large as what is read again without carrying
  PARTIALS_SHARE = 16,       ///< partial results are at most that part of what is read, if there is a choice
  LEAST_SHARE_OF_DEVICE = 4, ///< at least that part of the multiprocessors must have a block
};

//===----------------------------------------------------------------------===//
// 1. Pairs
//===----------------------------------------------------------------------===//

static bool isNaturalReduce(const GroupView *view, int64_t node, StitchMappingKind kind) {
  if (view->graph->nodes[node].class != TG_CLASS_REDUCE)
    return false;
  IterationSpace space = irReduceSpace(view->graph->nodes[node].op);
  return space.natural && space.kind == kind;
}

static bool reducesColumnsOnly(const GroupView *view, int64_t group) {
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    int64_t i = view->nodes[k];
    if (groupIsRoot(view, i) && !isNaturalReduce(view, i, STITCH_MAPPING_COLUMN))
      return false;
  }
  return true;
}

/// Marks what a group reads from outside that is as large as its space: 1 for arguments and roots in `seen`.
static void markReads(const GroupView *view, int64_t group, int64_t elements, IrMap *seen) {
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    const GraphNode *node = &view->graph->nodes[view->nodes[k]];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      MlirValue value = irOperand(node->op, j);
      int64_t from = node->operands[j].node;
      if ((from < 0 || groupIsRoot(view, from)) && irNumElements(irShapeOf(value)) >= elements)
        irMapSet(seen, value.ptr, 1);
    }
  }
}

/// Whether both groups read some value as large as their space, or one of them a large root of the other.
static bool sharesReads(const GroupView *view, int64_t a, int64_t b, int64_t elements) {
  IrMap seen = {0};
  markReads(view, a, elements, &seen);
  for (int64_t k = view->first[a]; k < view->first[a + 1]; ++k)
    if (groupIsRoot(view, view->nodes[k]))
      irMapSet(&seen, irResult(view->graph->nodes[view->nodes[k]].op, 0).ptr, 1);
  bool shares = false;
  for (int64_t k = view->first[b]; k < view->first[b + 1]; ++k) {
    const GraphNode *node = &view->graph->nodes[view->nodes[k]];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      MlirValue value = irOperand(node->op, j);
      shares |= irNumElements(irShapeOf(value)) >= elements && irMapGet(&seen, value.ptr, 0);
    }
  }
  irMapDestroy(&seen);
  return shares;
}

static int64_t findCarrier(const GroupView *view, const ClusterSpace *spaces, const bool *mayCarry, int64_t group) {
  const StitchMapping *m = &spaces[group].mapping;
  if (m->kind != STITCH_MAPPING_COLUMN || !reducesColumnsOnly(view, group))
    return -1;
  for (int64_t h = 0; h < view->numGroups; ++h) {
    const StitchMapping *rows = &spaces[h].mapping;
    if (mayCarry[h] && rows->rows == m->rows && rows->columns == m->columns &&
        isNaturalReduce(view, view->dominant[h], STITCH_MAPPING_ROW) &&
        sharesReads(view, h, group, m->rows * m->columns))
      return h;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// 2. and 3. Threads and blocks
//===----------------------------------------------------------------------===//

/// What a loop over rows has to carry.
typedef struct {
  int64_t rows, vector;
  int64_t columns;    ///< of a block
  int64_t rowColumns; ///< of a row
  int64_t widest;     ///< vector that memory has room for
  int64_t words;      ///< registers for an element of the row
  int64_t bytes;      ///< that are read for it
  int64_t carried;    ///< registers for the accumulators of a column
  int64_t sharedWord; ///< bytes of the widest accumulator
} Load;

static Load loadOf(const GroupView *view, const ClusterSpace *spaces, const int64_t *carrier, int64_t row) {
  const StitchMapping *m = &spaces[row].mapping;
  int64_t elements = m->rows * m->columns;
  Load load = {.rows = m->rows, .columns = m->columns, .vector = m->vector};
  load.rowColumns = m->columns;
  load.widest = spaces[row].widest;
  load.words = wordsReadByGroup(view, row, elements);
  load.bytes = bytesReadByGroup(view, row, elements);
  for (int64_t g = 0; g < view->numGroups; ++g) {
    if (carrier[g] < 0 || spaces[g].mapping.rows != m->rows)
      continue;
    load.words = max64(load.words, wordsReadByGroup(view, g, elements));
    load.bytes = max64(load.bytes, bytesReadByGroup(view, g, elements));
    for (int64_t k = view->first[g]; k < view->first[g + 1]; ++k) {
      if (!groupIsRoot(view, view->nodes[k]))
        continue;
      MlirOperation op = view->graph->nodes[view->nodes[k]].op;
      int64_t bytes = 0;
      for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
        bytes += max64(irElementBytes(planAccumulatorType(irElementTypeOf(irResult(op, r)))), 4);
      load.carried += bytes / 4;
      load.sharedWord = max64(load.sharedWord, bytes);
    }
  }
  return load;
}

/// Blocks of a multiprocessor, at most, with `values` elements of a row a thread.
static int64_t blocksThatFit(const StitchDevice *device, const Load *load, int64_t block, int64_t values) {
  int64_t registers = OTHER_REGISTERS + values * (load->words + load->carried);
  if (registers > MAX_REGISTERS)
    return 0;
  return planBlocksPerSM(device, block, registers, 2 * block * load->vector * load->sharedWord);
}

/// Elements that a thread loads of a row if it can.
static int64_t wantedValues(const Load *load) { return max64(BYTES_OF_THREAD / load->bytes, load->vector); }

/// Elements of a row a thread, and a block that has a row of such threads; false if there is none.
static bool chooseThreads(const StitchDevice *device, const Load *load, int64_t leastBlock, CarriedPlan *plan,
                          int64_t *values) {
  int64_t wanted = wantedValues(load);
  for (plan->block = max64(leastBlock, LEAST_BLOCK); plan->block <= LARGEST_BLOCK; plan->block *= 2) {
    for (*values = wanted; *values >= load->vector; *values /= 2) {
      plan->rowThreads = powerOfTwoFrom(ceilDiv(load->columns, *values));
      if (plan->rowThreads <= plan->block && blocksThatFit(device, load, plan->block, *values) > 0)
        return true;
    }
    for (*values = 2 * wanted; blocksThatFit(device, load, plan->block, *values) > 0; *values *= 2) {
      plan->rowThreads = powerOfTwoFrom(ceilDiv(load->columns, *values));
      if (plan->rowThreads <= plan->block)
        return true;
    }
  }
  return false;
}

/// The same where no power of two of elements fits: one row of the block's threads has the row, and each what registers
/// hold, more than usual. Few threads have room for more of it, since what a thread needs beside it is there less
/// often.
static bool chooseFullThreads(const StitchDevice *device, const Load *load, int64_t leastBlock, CarriedPlan *plan,
                              int64_t *values) {
  for (plan->block = LARGEST_BLOCK; plan->block >= max64(leastBlock, LEAST_FULL_BLOCK); plan->block /= 2) {
    plan->rowThreads = plan->block;
    *values = ceilDiv(load->columns, plan->block * load->vector) * load->vector;
    if (*values > wantedValues(load) && blocksThatFit(device, load, plan->block, *values) > 0)
      return true;
  }
  return false;
}

typedef bool ChooseThreads(const StitchDevice *device, const Load *load, int64_t leastBlock, CarriedPlan *plan,
                           int64_t *values);

static int64_t residentWorkers(const StitchDevice *device, int64_t perSM, const CarriedPlan *plan) {
  return planResidentBlocks(device, perSM, plan->cluster) / plan->cluster;
}

/// Of so many blocks those whose rows all begin equally far behind a place that is aligned to the widest vectors, if
/// there are that many: their vectors can begin there (runs.c).
static int64_t evenWorkers(const Load *load, const CarriedPlan *plan, int64_t workers) {
  int64_t rows = plan->block / plan->rowThreads, multiple = 1;
  while (multiple * rows * load->rowColumns % load->widest != 0)
    multiple *= 2;
  return workers > 2 * multiple ? workers / multiple * multiple : workers;
}

static bool chooseWorkers(const StitchDevice *device, const Load *load, int64_t values, CarriedPlan *plan) {
  int64_t inFlight = plan->block * values * load->bytes;
  int64_t perSM = min64(ceilDiv(BYTES_IN_FLIGHT, inFlight), blocksThatFit(device, load, plan->block, values));
  int64_t readBytes = load->rows * load->columns * load->bytes;
  int64_t partialBytes = 2 * load->columns * load->carried * 4; // of a block: written and read
  while (perSM > 1 && residentWorkers(device, perSM, plan) * partialBytes * PARTIALS_SHARE > readBytes)
    --perSM;
  int64_t tasks = ceilDiv(load->rows, plan->block / plan->rowThreads);
  int64_t workers = min64(min64(residentWorkers(device, perSM, plan), load->rows / LEAST_ROWS_OF_BLOCK), tasks);
  if (workers < 2 || workers * plan->cluster * LEAST_SHARE_OF_DEVICE < device->sms)
    return false;
  plan->workers = ceilDiv(tasks, ceilDiv(tasks, workers)); // all have the same number of tasks, give or take one
  plan->workers = evenWorkers(load, plan, plan->workers);
  return true;
}

/// Has clusters of blocks combine what they carry where partial results are much beside what is read: as few blocks as
/// make them little, or as many as there may be.
static void shareSums(const StitchDevice *device, const Load *load, int64_t largestCluster, int64_t values,
                      CarriedPlan *plan) {
  int64_t partialBytes = load->columns * load->carried * 4, readBytes = load->rows * load->columns * load->bytes;
  int64_t blocks = plan->workers, perSM = ceilDiv(blocks, device->sms);
  int64_t shared = 2 * plan->rowThreads * values * load->sharedWord;
  int64_t registers = device->registersPerSM / (perSM * plan->block);
  for (int64_t cluster = 2; cluster <= min64(largestCluster, blocks / 2); cluster *= 2) {
    int64_t resident = planResidentBlocks(device, planBlocksPerSM(device, plan->block, registers, shared), cluster);
    if (plan->workers * partialBytes * ENOUGH_SHARE <= readBytes || resident < cluster)
      break;
    plan->sharesSums = true;
    plan->cluster = cluster;
    plan->workers = evenWorkers(load, plan, min64(blocks, resident)) / cluster;
  }
}

/// Blocks of threads that have a row and the accumulators of its columns in registers: one for a row, or, if no block
/// can, a cluster of at most `largestCluster`.
static bool chooseLoop(const StitchDevice *device, Load load, int64_t largestCluster, int64_t leastBlock,
                       ChooseThreads *chooseThreads, CarriedPlan *plan) {
  int64_t columns = load.columns, values;
  for (plan->cluster = 1; plan->cluster <= largestCluster; plan->cluster *= 2) {
    load.columns = ceilDiv(columns, plan->cluster);
    if (chooseThreads(device, &load, leastBlock, plan, &values) && (plan->cluster == 1 || plan->rowThreads >= WARP) &&
        chooseWorkers(device, &load, values, plan)) {
      if (plan->cluster == 1)
        shareSums(device, &load, largestCluster, values, plan);
      return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// The row group with the largest space that could carry something; -1 if there is none.
static int64_t largestCarrier(const GroupView *view, const ClusterSpace *spaces, const int64_t *carrier) {
  int64_t best = -1, elements = 0;
  for (int64_t g = 0; g < view->numGroups; ++g) {
    int64_t size = spaces[g].mapping.rows * spaces[g].mapping.columns;
    if (carrier[g] >= 0 && size > elements) {
      best = carrier[g];
      elements = size;
    }
  }
  return best;
}

/// Whether all row groups have so many rows: no other one needs larger blocks.
static bool haveSameRows(const GroupView *view, const ClusterSpace *spaces, int64_t rows) {
  for (int64_t g = 0; g < view->numGroups; ++g)
    if (spaces[g].mapping.kind == STITCH_MAPPING_ROW && spaces[g].mapping.rows != rows)
      return false;
  return true;
}

CarriedPlan planCarried(GroupView *view, const ClusterSpace *spaces, const bool *mayCarry, int64_t clustered,
                        const StitchDevice *device, int64_t leastBlock) {
  CarriedPlan plan = {.carrier = IR_NEW_ARRAY(&view->arena, int64_t, view->numGroups)};
  for (int64_t g = 0; g < view->numGroups; ++g)
    plan.carrier[g] = findCarrier(view, spaces, mayCarry, g);
  int64_t row = largestCarrier(view, spaces, plan.carrier);
  // All carried reduces of a kernel go through the same grid: one number of rows is served.
  for (int64_t g = 0; g < view->numGroups; ++g)
    if (row >= 0 && plan.carrier[g] >= 0 && spaces[g].mapping.rows != spaces[row].mapping.rows)
      plan.carrier[g] = -1;
  if (row >= 0) {
    Load load = loadOf(view, spaces, plan.carrier, row);
    bool mayCluster = (clustered == 0 || clustered == load.rows) && !mixesColumns(view, spaces, load.rows);
    int64_t largestCluster = mayCluster ? device->clusterBlocks : 1;
    int64_t least = haveSameRows(view, spaces, load.rows) ? 0 : leastBlock;
    if (chooseLoop(device, load, largestCluster, least, chooseThreads, &plan) ||
        chooseLoop(device, load, largestCluster, least, chooseFullThreads, &plan))
      plan.rows = load.rows;
    plan.registers = load.words + load.carried;
    plan.sharedWord = load.sharedWord;
  }
  for (int64_t g = 0; g < view->numGroups; ++g) {
    if (plan.rows > 0 && plan.carrier[g] >= 0)
      stitchRemark(view->graph->nodes[view->dominant[g]].op,
                   "group %lld is carried by the rows of group %lld: %lld blocks of %lld threads, in clusters of %lld, "
                   "keep its columns in registers%s",
                   (long long)g, (long long)plan.carrier[g], (long long)(plan.workers * plan.cluster),
                   (long long)plan.block, (long long)plan.cluster,
                   plan.sharesSums ? "; the blocks of a cluster have rows of their own, and combine their sums" : "");
    else
      plan.carrier[g] = -1;
  }
  return plan;
}
