//===- packing.c - task loops of a phase on different blocks -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel packing (FusionStitching 5.1, APOLLO 4.3). Task loops of a phase do not depend on each other: values that one
// reads of another are in the same loop or behind a grid barrier. So their tasks have one numbering, loop after loop,
// and number n belongs to block n mod grid. All blocks have equally many, give or take one, and independent loops run
// at the same time.
//
// The cheapest way decides how a block finds its tasks:
//
//   - A loop with at least as many tasks as there are blocks has some for each of them. It stays a loop, whose first
//     task is rotated: the block's number less the loop's first number, mod grid. Nothing is searched, and LLVM moves
//     only values of this loop out of it. A loop that carries accumulators from task to task stays one, too, since all
//     blocks leave a partial result. So does one whose number of tasks is known only when the kernel runs, if the next
//     loops' numbers depend on it.
//   - The others are put together until they have as many tasks as there are blocks: a pack, of which a block has one
//     task at most. It finds the task by a search (emit/pack.c) in a time that hardly depends on the number of loops.
//     No loop is around them all, so that the values of all are not live together.
//
// Every block has the task of a replicated loop, before those of all other loops of the phase, which may read its
// values.
//
// Clusters number the loops that have them as blocks do the others. These loops come first, so that a cluster's blocks
// have the same numbers: all other numbers are then a multiple of the cluster's size away.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/plan/kernel_plan.h"

#include "ir/mlir/arithmetic.h"

#include <stdlib.h>

Extent kernelTaskExtent(const KernelLoop *loop) {
  bool byColumns = loop->mapping.kind == STITCH_MAPPING_FLAT || loop->mapping.kind == STITCH_MAPPING_COLUMN;
  return byColumns ? loop->columns : loop->rows;
}

static bool hasCarried(const KernelPlan *plan, const KernelLoop *loop) {
  for (intptr_t i = 0; i < loop->numRoots && !loop->finishes; ++i)
    if (plan->roots[loop->roots[i]].mapping.kind == STITCH_MAPPING_CARRIED)
      return true;
  return false;
}

static int64_t blocksOf(const KernelLoop *loop) {
  return loop->mapping.isReplicated ? 0 : planBlocksOfTasks(&loop->mapping);
}

/// The sort key of a phase's loops: their earlier positions, if all else is equal.
typedef struct {
  int64_t cluster;
  int order; ///< REPLICATED, ALONE, PACKED, ALONE_OPEN
  int64_t tasks;
  intptr_t place;
} SortKey;

enum { REPLICATED, ALONE, PACKED, ALONE_OPEN };

/// `blocks`: of all tasks of the phase.
static SortKey sortKeyOf(const KernelPlan *plan, intptr_t place, int64_t blocks) {
  const KernelLoop *loop = &plan->loops[place];
  SortKey key = {loop->mapping.cluster, PACKED, planTasks(&loop->mapping), place};
  if (loop->mapping.isReplicated)
    key.order = REPLICATED;
  else if (extentIsOpen(kernelTaskExtent(loop)) && blocks > plan->launch.grid)
    key.order = ALONE_OPEN;
  else if (blocksOf(loop) >= plan->launch.grid || hasCarried(plan, loop))
    key.order = ALONE;
  return key;
}

/// Replicated loops first, then those with clusters; those of a pack by their tasks, so that loops with equally many
/// are neighbours.
static int compareKeys(const void *a, const void *b) {
  const SortKey *x = a, *y = b;
  if ((x->order == REPLICATED) != (y->order == REPLICATED))
    return x->order == REPLICATED ? -1 : 1;
  if ((x->cluster > 1) != (y->cluster > 1))
    return x->cluster > 1 ? -1 : 1;
  if (x->order != y->order)
    return x->order - y->order;
  if (x->order == PACKED && x->tasks != y->tasks)
    return x->tasks > y->tasks ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/// Adds a loop to the last pack of the phase, or to a new one.
static void addToPack(KernelPlan *plan, const SortKey *key, intptr_t place, bool *isOpen) {
  KernelLoop *loop = &plan->loops[place];
  KernelPack *pack = &plan->packs[plan->numPacks - 1];
  int64_t workers = plan->launch.grid / key->cluster;
  if (key->order != PACKED || !*isOpen || pack->cluster != key->cluster || pack->tasks + key->tasks > workers) {
    pack = &plan->packs[plan->numPacks++];
    *pack = (KernelPack){.first = place,
                         .phase = loop->phase,
                         .cluster = key->cluster,
                         .isPacked = key->order == PACKED,
                         .isOpen = key->order == ALONE_OPEN};
  }
  *isOpen = key->order == PACKED;
  loop->offset = pack->tasks;
  pack->tasks += key->order == REPLICATED ? 0 : key->tasks;
  ++pack->count;
}

/// Sorts loops `first` to `end` and packs them.
static void packPhase(KernelPlan *plan, intptr_t first, intptr_t end, SortKey *keys, KernelLoop *loops) {
  int64_t blocks = 0;
  for (intptr_t i = first; i < end; ++i)
    blocks += blocksOf(&plan->loops[i]);
  for (intptr_t i = first; i < end; ++i) {
    keys[i] = sortKeyOf(plan, i, blocks);
    loops[i] = plan->loops[i];
  }
  bool isOneRound = blocks <= plan->launch.grid;
  qsort(keys + first, (size_t)(end - first), sizeof(*keys), compareKeys);
  bool isOpen = false;
  intptr_t firstPack = plan->numPacks;
  for (intptr_t i = first; i < end; ++i) {
    KernelLoop *loop = &plan->loops[i];
    *loop = loops[keys[i].place];
    for (intptr_t j = 0; j < loop->numRoots && !loop->finishes; ++j)
      plan->roots[loop->roots[j]].loop = i;
    addToPack(plan, &keys[i], i, &isOpen);
    isOneRound &= !hasCarried(plan, loop) && !loop->mapping.isReplicated;
  }
  for (intptr_t i = firstPack; i < plan->numPacks; ++i)
    plan->packs[i].isApart = isOneRound;
}

void kernelPackLoops(KernelPlan *plan, IrArena *arena) {
  SortKey *keys = IR_NEW_ARRAY(arena, SortKey, plan->numLoops);
  KernelLoop *loops = IR_NEW_ARRAY(arena, KernelLoop, plan->numLoops);
  plan->packs = IR_NEW_ARRAY(arena, KernelPack, plan->numLoops);
  for (intptr_t first = 0, end; first < plan->numLoops; first = end) {
    for (end = first; end < plan->numLoops && plan->loops[end].phase == plan->loops[first].phase;)
      ++end;
    packPhase(plan, first, end, keys, loops);
  }
}

/// Rounds of the phase whose first pack is `*pack`, which becomes the next phase's. `tasks`: by block, zeros.
static void addRounds(const KernelPlan *plan, intptr_t *pack, int64_t *tasks, KernelRounds *rounds) {
  int64_t phase = plan->packs[*pack].phase, grid = plan->launch.grid, blocks = 0, most = 0;
  for (; *pack < plan->numPacks && plan->packs[*pack].phase == phase; ++*pack) {
    int64_t ofPack = plan->packs[*pack].tasks * plan->packs[*pack].cluster;
    for (int64_t i = 0; i < grid; ++i)
      tasks[(blocks + i) % grid] += ofPack / grid + (i < ofPack % grid);
    blocks += ofPack;
  }
  for (int64_t i = 0; i < grid; ++i) {
    most = max64(most, tasks[i]);
    tasks[i] = 0;
  }
  rounds->most += most;
  rounds->even += ceilDiv(blocks, grid);
}

KernelRounds kernelPlanRounds(const KernelPlan *plan) {
  if (plan->hasOwnPlan)
    return (KernelRounds){1, 1}; // a task for each block
  KernelRounds rounds = {0};
  int64_t *tasks = irAllocateZeroed((size_t)plan->launch.grid, sizeof(*tasks));
  for (intptr_t pack = 0; pack < plan->numPacks;)
    addRounds(plan, &pack, tasks, &rounds);
  free(tasks);
  return rounds;
}
