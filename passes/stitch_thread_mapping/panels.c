//===- panels.c - column reduces whose elements stay in registers --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a class of column reduces with a second pass over its rows. Leaves the persistent tile with the least time, of
// a block or of the grid, or none if reading again is faster.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/panels.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/resources.h"

enum {
  MANY_THREADS = 512,      ///< of a multiprocessor, that hide each other's arithmetic
  EXPENSIVE_REGISTERS = 48 ///< of a thread that has few left
};

/// By how much longer it takes to move the rows of a block's columns than whole rows.
static double stripsOf(const StitchDevice *device, const PanelSpace *space, const StitchMapping *m) {
  int64_t columns = m->rowThreads * m->vector;
  return columns < m->columns
             ? costOfStrips(device, (double)(columns * space->leastBytes), (double)space->readBytes, /*inStep=*/true)
             : 1;
}

/// Blocks, and those that would have run in the time that the last ones leave unused, if `atOnce` run at the same time.
/// Where others have run before, a multiprocessor is taken to move twice its share of the bandwidth.
static int64_t placesOf(const StitchDevice *device, int64_t blocks, int64_t atOnce) {
  int64_t last = blocks % atOnce, sms = device->sms;
  if (blocks <= atOnce)
    return max64(blocks, sms);
  return last > 0 ? blocks - last + max64(last, sms / 2) : blocks;
}

/// Of a task: the first load, and the exchanges behind the passes but the last one.
static double latencyOf(const StitchDevice *device, const PanelSpace *space, const StitchMapping *m) {
  return COST_MEMORY_LATENCY + (double)(space->sweeps - 1) * costOfExchange(device, m->cluster);
}

double sweepsNs(const StitchDevice *device, const PanelSpace *space, const StitchMapping *m, int64_t atOnce,
                int64_t again) {
  double slower = space->readBytes <= device->l2Bytes ? 1 / costCacheSpeedup(device) : 1;
  double bytes = (double)space->readBytes * (1 + (double)again * slower) + (double)space->writtenBytes;
  double ns = costOfMoving(device, bytes * stripsOf(device, space, m));
  ns *= (double)placesOf(device, planBlocksOfTasks(m), atOnce) / (double)planBlocksOfTasks(m);
  ns += latencyOf(device, space, m) + (double)(again * COST_MEMORY_LATENCY);
  return m->split > 1 ? ns + 2 * (double)again * (double)device->barrierNs : ns;
}

/// The time that blocks wait in further tasks for their loads and exchanges: they are in step, and hide little of it.
static double waitingNs(const StitchDevice *device, const PanelSpace *space, const StitchMapping *m, int64_t atOnce) {
  CostTasks tasks = {.tasks = planBlocksOfTasks(m),
                     .blocks = atOnce,
                     .loads = 1,
                     .inStep = true,
                     .latency = latencyOf(device, space, m)};
  return costOfTasks(device, &tasks).exposed;
}

/// The persistent tile of a mapping; false if registers or shared memory do not suffice for it.
static bool layPanel(const StitchDevice *device, const PanelSpace *space, StitchMapping m, Panel *panel) {
  int64_t block = planBlockSize(&m), registers = planPanelRegisters(&m, space->words);
  int64_t shared = 2 * planExchangedRows(&m) * m.rowThreads * m.vector * space->accumulator;
  if (registers > PLAN_MOST_REGISTERS || 2 * shared > device->sharedPerBlock)
    return false;
  int64_t perSM = planBlocksPerSM(device, block, registers, shared);
  int64_t atOnce = perSM > 0 ? planResidentBlocks(device, perSM, m.cluster) : 0;
  if (atOnce == 0)
    return false;
  int64_t blocks = min64(perSM, ceilDiv(planBlocksOfTasks(&m), device->sms));
  double ns = sweepsNs(device, space, &m, atOnce, 0) + waitingNs(device, space, &m, atOnce);
  *panel = (Panel){m, min64(blocks * block, MANY_THREADS), ns};
  return true;
}

/// Of equal times the more threads.
static bool isBetterPanel(const Panel *a, const Panel *b) {
  return a->ns != b->ns ? a->ns < b->ns : a->threads > b->threads;
}

/// Tries persistent tiles of all widths in `cluster` blocks of `block` threads for each.
static void tryPanels(const StitchDevice *device, const PanelSpace *space, int64_t cluster, int64_t block,
                      Panel *best) {
  for (int64_t vector = space->vector; vector >= 1; vector /= 2) {
    int64_t most = min64(powerOfTwoFrom(ceilDiv(space->columns, vector)), block);
    for (int64_t lanes = max64(block / powerOfTwoFrom(space->rows), 1); lanes <= most; lanes *= 2) {
      StitchMapping m = {STITCH_MAPPING_COLUMN, space->rows, space->columns, block / lanes, lanes, vector, .split = 1,
                         .cluster = cluster};
      m.unroll = ceilDiv(m.rows, m.blockRows * cluster);
      Panel panel;
      if (layPanel(device, space, m, &panel) && (best->ns == 0 || isBetterPanel(&panel, best)))
        *best = panel;
    }
  }
}

//===----------------------------------------------------------------------===//
// Persistent tiles of the whole grid
//===----------------------------------------------------------------------===//

/// The cost of a grid barrier, and of the loads of a reduce's partial results by its readers behind it. The loads are
/// for a thread's columns, which others of its block have, too (passes/stitch_schemes/copies.c); or they are one more
/// barrier.
static double barrierNs(const StitchDevice *device, const PanelSpace *space, const StitchMapping *m, int64_t perSM) {
  double barrier = costOfBarrier(device, perSM) + COST_EXCHANGE + COST_MEMORY_LATENCY;
  double bytes = (double)(planTasks(m) * planBlockSize(m) * m->vector * m->split * space->accumulator);
  double loading = costOfCached(device, bytes, m->blockRows) +
                   (double)((ceilDiv(m->split, PLAN_PARTIALS_AT_ONCE) - 1) * COST_MEMORY_LATENCY);
  return barrier + (loading < barrier ? loading : barrier);
}

/// Tasks in the phase of the chunks: of the loops that finish reduces which are results of the fusion.
static int64_t tasksBeside(const PanelSpace *space, int64_t split, int64_t block) {
  StitchMapping finishing = planCombineMapping(space->columns, split, block);
  return space->finished * planTasks(&finishing);
}

/// The persistent tile of blocks that are all resident, and each keep the rows of one chunk; false if they do not.
static bool layGridPanel(const StitchDevice *device, const PanelSpace *space, StitchMapping m, Panel *panel) {
  int64_t block = planBlockSize(&m), registers = planPanelRegisters(&m, space->words), tasks = planTasks(&m);
  int64_t shared = 2 * planExchangedRows(&m) * m.rowThreads * m.vector * space->accumulator;
  if (m.split < 2 || registers > PLAN_MOST_REGISTERS || 2 * shared > device->sharedPerBlock)
    return false;
  registers += space->isExpensive ? EXPENSIVE_REGISTERS : 0;
  int64_t perSM = planBlocksPerSM(device, block, registers, shared);
  if (perSM < 1 || tasks + tasksBeside(space, m.split, block) > planResidentBlocks(device, perSM, 1))
    return false;
  int64_t blocks = ceilDiv(tasks, device->sms);
  double ns = costOfMoving(device, (double)(space->readBytes + space->writtenBytes) * stripsOf(device, space, &m));
  ns *= (double)(blocks * device->sms) / (double)tasks; // the busiest multiprocessor's
  double waits = (double)((planLoadsOf(&m) - 1) * COST_MEMORY_LATENCY);
  ns = ns > waits ? ns : waits;
  ns += COST_MEMORY_LATENCY + (double)(space->sweeps - 1) * barrierNs(device, space, &m, blocks);
  *panel = (Panel){m, min64(blocks * block, MANY_THREADS), ns};
  return true;
}

/// With shorter vectors if that is faster by more than the model can tell.
static bool isBetterGridPanel(const Panel *a, const Panel *b) {
  static const double tolerance = 0.05;
  bool isShorter = a->mapping.vector < b->mapping.vector;
  return b->ns == 0 || (isShorter ? a->ns < (1 - tolerance) * b->ns : isBetterPanel(a, b));
}

static void tryGridPanel(const StitchDevice *device, const PanelSpace *space, StitchMapping m, int64_t chunks,
                         Panel *best) {
  m.unroll = ceilDiv(m.rows, m.blockRows * max64(chunks, 1));
  m.split = ceilDiv(m.rows, m.blockRows * m.unroll);
  Panel panel;
  if (layGridPanel(device, space, m, &panel) && isBetterGridPanel(&panel, best))
    *best = panel;
}

/// Tries tiles of all widths, and as many chunks of rows as fill `perSM` blocks of each multiprocessor, or leave room
/// for the other tasks of a phase.
static void tryGridPanels(const StitchDevice *device, const PanelSpace *space, int64_t block, int64_t vector,
                          int64_t perSM, Panel *best) {
  int64_t most = min64(powerOfTwoFrom(ceilDiv(space->columns, vector)), block), blocks = perSM * device->sms;
  for (int64_t lanes = 1; lanes <= most; lanes *= 2) {
    StitchMapping m = {STITCH_MAPPING_COLUMN, space->rows, space->columns, block / lanes, lanes, vector, .cluster = 1};
    int64_t tiles = ceilDiv(m.columns, lanes * vector);
    tryGridPanel(device, space, m, blocks / tiles, best);
    if (space->finished > 0)
      tryGridPanel(device, space, m, (blocks - tasksBeside(space, max64(blocks / tiles, 1), block)) / tiles, best);
  }
}

Panel chooseGridPanel(const StitchDevice *device, const PanelSpace *space, int64_t block, int64_t largestBlock) {
  enum { MOST_BLOCKS = 2 }; // of a multiprocessor
  Panel best = {.ns = 0};
  for (int64_t vector = space->vector; vector >= 1; vector /= 2)
    for (int64_t threads = block; threads <= largestBlock; threads *= 2)
      for (int64_t perSM = 1; perSM <= MOST_BLOCKS; ++perSM)
        tryGridPanels(device, space, threads, vector, perSM, &best);
  return best;
}

Panel choosePanel(const StitchDevice *device, const PanelSpace *space, int64_t block, int64_t largestBlock,
                  int64_t largestCluster) {
  Panel best = {.ns = 0};
  for (int64_t cluster = 1; cluster <= largestCluster; cluster *= 2)
    for (int64_t threads = block; threads <= largestBlock; threads *= 2)
      if (cluster == 1 || space->rows >= cluster * PANEL_LEAST_ROWS)
        tryPanels(device, space, cluster, threads, &best);
  return best;
}
