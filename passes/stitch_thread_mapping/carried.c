//===- carried.c - column reduces that row loops carry -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Pairs: a column group of reduces alone, and a row group of the same rows x columns that reads the same values.
//   2. The load: the registers of a thread for an element of the row, and for the sums of its column.
//   3. The plan: the loop that carries this fastest (carried_loop.h), if it is faster than a loop over the columns that
//      reads their elements once more.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/carried.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"

enum { WORD_BYTES = 4 };

/// Memory traffic takes its time in any case; the time of rounds of tasks is known less well. Where the second reading
/// finds nothing in the second-level cache, accumulating along rows may be slower by this factor.
static const double mostSlowdown = 1.6;

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

/// Marks the values that a group reads from outside and that are as large as its space: 1 for arguments and roots in
/// `seen`.
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
// 2. The load
//===----------------------------------------------------------------------===//

/// Adds the accumulators of a carried reduce.
static void addReduce(CarriedLoad *load, MlirOperation reduce) {
  int64_t bytes = 0;
  for (intptr_t r = 0; r < mlirOperationGetNumResults(reduce); ++r)
    bytes += max64(irElementBytes(planAccumulatorType(irElementTypeOf(irResult(reduce, r)))), WORD_BYTES);
  load->carried += bytes / WORD_BYTES;
  load->accumulator = max64(load->accumulator, bytes);
}

/// Whether an operation reads a root whose group goes by so many rows.
static bool readsRows(const GroupView *view, const ClusterSpace *spaces, const GraphNode *node, int64_t rows) {
  bool reads = false;
  for (int64_t j = 0; j < node->numOperands; ++j) {
    int64_t from = node->operands[j].node;
    reads |= from >= 0 && groupIsRoot(view, from) && hasRows(&spaces[view->group[from]], rows);
  }
  return reads;
}

/// Adds a column group of so many elements.
static void addColumns(CarriedLoad *load, const GroupView *view, const ClusterSpace *spaces, int64_t group) {
  int64_t elements = load->rows * load->columns;
  load->words = max64(load->words, wordsReadByGroup(view, group, elements));
  load->bytes = max64(load->bytes, bytesReadByGroup(view, group, elements));
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    const GraphNode *node = &view->graph->nodes[view->nodes[k]];
    load->instructions += nodeInstructions(node);
    load->readsRows |= readsRows(view, spaces, node, load->rows);
    if (groupIsRoot(view, view->nodes[k]))
      addReduce(load, node->op);
  }
}

static CarriedLoad loadOf(const GroupView *view, const ClusterSpace *spaces, const int64_t *carrier, int64_t row) {
  const StitchMapping *m = &spaces[row].mapping;
  int64_t elements = m->rows * m->columns;
  CarriedLoad load = {.rows = m->rows, .columns = m->columns, .vector = m->vector, .widest = spaces[row].widest};
  load.words = wordsReadByGroup(view, row, elements);
  load.bytes = bytesReadByGroup(view, row, elements);
  for (int64_t g = 0; g < view->numGroups; ++g)
    if (carrier[g] >= 0 && spaces[g].mapping.rows == m->rows)
      addColumns(&load, view, spaces, g);
  return load;
}

//===----------------------------------------------------------------------===//
// 3. The plan
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

/// The loop of `row`, if accumulating along it is faster than reading the elements of the columns once more.
static void chooseLoop(CarriedPlan *plan, GroupView *view, const ClusterSpace *spaces, int64_t row,
                       const ClusterPlan *clusters, const StitchDevice *device, int64_t leastBlock) {
  CarriedLoad load = loadOf(view, spaces, plan->carrier, row);
  RowWork work = rowWorkOf(view, spaces, load.rows);
  bool isClustered = clusters->rows == load.rows;
  bool mayCluster = (clusters->rows == 0 || isClustered) && !mixesColumns(view, spaces, load.rows);
  int64_t least = haveSameRows(view, spaces, load.rows) ? 0 : leastBlock;
  RowThreads alone = rowThreadsOf(&work, isClustered ? clusters->cluster : 1, isClustered ? clusters->block : 0);
  double ns = notCarriedNs(device, &load, &work, &alone);
  bool isInCache = 2 * load.rows * load.columns * load.bytes <= device->l2Bytes; // half of which is taken to be of use
  plan->loop = fastestCarriedLoop(device, &load, &work, mayCluster ? device->clusterBlocks : 1, least);
  if (plan->loop.workers > 0)
    stitchRemark(
        view->graph->nodes[view->dominant[row]].op,
        "the rows of group %lld can accumulate sums of their columns: %.0f ns; %.0f ns if these are computed apart",
        (long long)row, plan->loop.ns, ns);
  if (plan->loop.workers == 0 || plan->loop.ns > ns * (isInCache ? 1 : mostSlowdown))
    return;
  plan->rows = load.rows;
  plan->registers = load.words + (plan->loop.sumsInShared ? 0 : load.carried);
  plan->sumBytes = plan->loop.sumsInShared ? load.carried * WORD_BYTES : 0;
  plan->accumulator = load.accumulator;
}

static void remarkCarried(const GroupView *view, const CarriedPlan *plan, int64_t group) {
  const CarriedLoop *loop = &plan->loop;
  stitchRemark(
      view->graph->nodes[view->dominant[group]].op,
      "group %lld accumulates along the rows of group %lld: %lld blocks of %lld threads, in clusters of %lld, keep "
      "its columns in %s%s",
      (long long)group, (long long)plan->carrier[group], (long long)(loop->workers * loop->cluster),
      (long long)loop->block, (long long)loop->cluster, loop->sumsInShared ? "shared memory" : "registers",
      loop->sharesSums ? "; the blocks of a cluster have rows of their own, and combine their sums" : "");
}

CarriedPlan planCarried(GroupView *view, const ClusterSpace *spaces, const bool *mayCarry, const ClusterPlan *clusters,
                        const StitchDevice *device, int64_t leastBlock) {
  CarriedPlan plan = {.carrier = IR_NEW_ARRAY(&view->arena, int64_t, view->numGroups)};
  for (int64_t g = 0; g < view->numGroups; ++g)
    plan.carrier[g] = findCarrier(view, spaces, mayCarry, g);
  int64_t row = largestCarrier(view, spaces, plan.carrier);
  // All carried reduces of a kernel go through the same grid: one number of rows is served.
  for (int64_t g = 0; g < view->numGroups; ++g)
    if (row >= 0 && plan.carrier[g] >= 0 && spaces[g].mapping.rows != spaces[row].mapping.rows)
      plan.carrier[g] = -1;
  if (row >= 0)
    chooseLoop(&plan, view, spaces, row, clusters, device, leastBlock);
  for (int64_t g = 0; g < view->numGroups; ++g) {
    if (plan.rows > 0 && plan.carrier[g] >= 0)
      remarkCarried(view, &plan, g);
    else
      plan.carrier[g] = -1;
  }
  return plan;
}
