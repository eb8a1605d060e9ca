//===- spread.c - stitch-thread-mapping: blocks of small shapes ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all tasks are resident, all their loads are in flight together, and larger blocks could have no more in flight
// (Little's law, ir/plan/cost.h). The busiest multiprocessor counts then: blocks of 256 threads are few, and some
// multiprocessors have none, or one has two where most have one. Smaller blocks have fewer rows each, and reach more of
// them. A row keeps the threads that hold it in registers, so nothing is read twice.
//
// Where a kernel leaves partial results, the number of blocks says how many; such kernels keep their blocks.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/resources.h"
#include "passes/stitch_thread_mapping/mapper.h"

/// Registers of a thread of a small kernel: with more of them as many blocks are resident as these allow.
enum { REGISTERS = 64 };

/// So much of the time is no reason to change a block.
#define MARGIN 0.9

/// The distribution of the fusion over blocks of `m->block` threads.
typedef struct {
  int64_t tasks; ///< of all groups
  double ns;     ///< in which the busiest multiprocessor takes and issues its part
  bool isAtOnce; ///< all tasks are resident
} Spread;

static int64_t tasksOf(const Mapper *m, int64_t group) {
  const StitchMapping *mapping = &m->groups[group].mapping;
  if (mapping->kind == STITCH_MAPPING_ROW)
    return ceilDiv(mapping->rows, m->block / threadsOfRow(m, group));
  return ceilDiv(mapping->columns, m->block * mapping->vector * flatUnroll(m, group, mapping->vector));
}

static Spread spreadOf(const Mapper *m) {
  Spread spread = {.isAtOnce = true};
  int64_t resident = m->device.sms * planBlocksPerSM(&m->device, m->block, REGISTERS, 0);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    int64_t tasks = tasksOf(m, g);
    double evenly = (double)tasks / (double)ceilDiv(tasks, m->device.sms);
    spread.tasks += tasks;
    spread.ns += costOfComputingBy(&m->device, evenly, groupInstructions(m, g)) +
                 (double)m->groups[g].bytes / (evenly * costBytesUnderWay(&m->device, 1) / COST_MEMORY_LATENCY);
  }
  spread.isAtOnce = spread.tasks <= resident;
  return spread;
}

/// Whether all groups have rows of their own, or single elements: nothing that blocks combine. A transpose may get
/// tiles, whose sides say how many tasks there are (stitch-tiles).
static bool mayChange(const Mapper *m) {
  bool may = m->adaptive && m->vectorize && m->blockOption == 0 && m->carried.rows == 0 && m->cluster.rows == 0;
  for (int64_t i = 0; may && i < m->graph->numNodes; ++i)
    may = m->graph->nodes[i].kind != TG_transpose;
  for (int64_t g = 0; may && g < m->view.numGroups; ++g) {
    StitchMappingKind kind = m->groups[g].mapping.kind;
    may = kind == STITCH_MAPPING_FLAT || (kind == STITCH_MAPPING_ROW && !shouldSplit(m, g));
  }
  return may;
}

int64_t spreadBlock(Mapper *m) {
  int64_t before = m->block, best = m->block, least = leastBlock(m);
  if (!mayChange(m))
    return best;
  Spread packed = spreadOf(m), chosen = packed;
  for (; m->block >= least && spreadOf(m).isAtOnce; m->block /= 2) {
    Spread spread = spreadOf(m);
    if (spread.ns >= MARGIN * chosen.ns)
      continue;
    chosen = spread;
    best = m->block;
  }
  m->block = before;
  if (best < before)
    stitchRemark(m->graph->terminator,
                 "all tasks are resident: %lld in blocks of %lld instead of %lld in blocks of %lld, for %lld "
                 "multiprocessors, which need %.0f bytes under way each",
                 (long long)chosen.tasks, (long long)best, (long long)packed.tasks, (long long)before,
                 (long long)m->device.sms, costBytesUnderWay(&m->device, 1));
  return best;
}
