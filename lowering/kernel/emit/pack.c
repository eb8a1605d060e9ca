//===- pack.c - task loops and packs of them -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which task loops of a phase are packed is said in plan/packing.c. All numbers of tasks, and of blocks, are those of
// clusters where a loop has clusters.
//
// In a pack a block has one task at most, and finds it by a search for the loop whose numbers its own is one of. The
// search takes a comparison and a branch for each halving of the loops. Where neighbouring loops have equally many
// tasks, it takes a division by that number and an indirect branch. Their instructions do not depend on the number of
// loops: six with LLVM 22 and ptxas, so from MIN_LOOPS_OF_SWITCH loops on.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "lowering/kernel/gpu/gpu_function.h"

#include "ir/mlir/arithmetic.h"

#include <stdlib.h>

/// From so many neighbouring loops with equally many tasks on they are told apart by an indirect branch.
enum { MIN_LOOPS_OF_SWITCH = 6 };

//===----------------------------------------------------------------------===//
// One numbering
//===----------------------------------------------------------------------===//

static int64_t numWorkers(const Emitter *e, int64_t cluster) { return e->plan->launch.grid / cluster; }

MlirValue firstTask(Emitter *e, const KernelPack *pack, const Start *start) {
  IrBuilder *b = &e->values->b;
  int64_t cluster = pack->cluster, workers = numWorkers(e, cluster);
  MlirValue worker = cluster > 1 ? e->task.clusterId : e->task.blockId, from = start->value;
  if (mlirValueIsNull(from)) {
    if (start->block == 0)
      return worker;
    from = irConstantIndex(b, start->block / cluster);
  } else if (cluster > 1) {
    from = irDivUI(b, from, irConstantIndex(b, cluster));
  }
  MlirValue distance = irSubI(b, worker, from);
  if (pack->isPacked && mlirValueIsNull(start->value) && start->block / cluster + pack->tasks <= workers)
    return distance; // no block before `from` has one, and theirs wraps around to more than there are
  MlirValue around = irAddI(b, distance, irConstantIndex(b, workers));
  return irSelect(b, irCmpI(b, IR_CMPI_ULT, worker, from), around, distance);
}

/// How many tasks there are (planTasks), which may depend on a symbol.
static MlirValue emitTasks(Values *v, const KernelLoop *loop) {
  const StitchMapping *m = &loop->mapping;
  Extent extent = kernelTaskExtent(loop);
  if (!extentIsOpen(extent))
    return irConstantIndex(&v->b, planTasks(m));
  if (m->kind == STITCH_MAPPING_FLAT)
    return emitCount(v, extent, m->rowThreads * m->vector * m->unroll);
  bool isColumn = m->kind == STITCH_MAPPING_COLUMN, isTile = m->kind == STITCH_MAPPING_TILE;
  int64_t together = isColumn ? m->rowThreads * m->vector : isTile ? planTileSide(m) : m->blockRows;
  int64_t parts = planTasks(m) / ((extent.most + together - 1) / together);
  MlirValue tasks = emitCount(v, extent, together);
  return parts == 1 ? tasks : irMulI(&v->b, tasks, irConstantIndex(&v->b, parts));
}

void moveStart(Emitter *e, const KernelPack *pack, Start *start) {
  IrBuilder *b = &e->values->b;
  int64_t grid = e->plan->launch.grid;
  if (!pack->isOpen && mlirValueIsNull(start->value)) {
    start->block = (start->block + pack->tasks * pack->cluster) % grid;
    return;
  }
  MlirValue tasks = pack->isOpen ? emitTasks(e->values, &e->plan->loops[pack->first]) : irConstantIndex(b, pack->tasks);
  MlirValue blocks = pack->cluster > 1 ? irMulI(b, tasks, irConstantIndex(b, pack->cluster)) : tasks;
  MlirValue from = mlirValueIsNull(start->value) ? irConstantIndex(b, start->block) : start->value;
  start->value = irRemUI(b, irAddI(b, from, blocks), irConstantIndex(b, grid));
}

//===----------------------------------------------------------------------===//
// A task loop
//===----------------------------------------------------------------------===//

/// Clears accumulators in shared memory before the first task.
static void clearShared(Emitter *e, MlirValue first) {
  Values *v = e->values;
  BlockState state = {v->b, memoEnter(&v->memo)};
  setCoordinates(e, first);
  carriedClearShared(e);
  state.b = v->b;
  leaveBlock(v, state);
}

/// Combines the blocks' column sums. Where a block is in its cluster is read again, instead of being kept in registers
/// through the loop.
static void finishCarried(Emitter *e, MlirValue first, int64_t workers) {
  Values *v = e->values;
  BlockState state = {v->b, memoEnter(&v->memo)};
  MlirValue clusterId = e->task.clusterId;
  const IndexExpr *rank = e->task.rank;
  if (e->plan->launch.cluster > 1)
    readPlaceInCluster(e);
  setCoordinates(e, first);
  carriedFinish(e, first, workers);
  e->task.clusterId = clusterId;
  e->task.rank = rank;
  state.b = v->b;
  leaveBlock(v, state);
}

/// A loop that carries accumulators from task to task.
static void emitCarryingLoop(Emitter *e, MlirValue first, MlirValue tasks) {
  Values *v = e->values;
  if (carriedInShared(e))
    clearShared(e, first);
  int64_t workers = numWorkers(e, e->loop->mapping.cluster);
  MlirValue *values;
  intptr_t count = carriedValues(e, &values);
  MlirValue step = irConstantIndex(&v->b, workers);
  MlirOperation loop = rolledLoop(v, first, tasks, step, (IrValues){count, values});
  MlirBlock body = irBody(loop, 0);
  BlockState state = enterBlock(v, body);
  int64_t exchangesBefore = e->exchanges.count;
  for (intptr_t i = 0; i < count; ++i)
    values[i] = mlirBlockGetArgument(body, 1 + i);
  carriedSetValues(e, values);
  emitTask(e, mlirBlockGetArgument(body, 0));
  free(values);
  carriedValues(e, &values);
  irYield(&v->b, (IrValues){count, values});
  leaveBlock(v, state);
  if ((e->exchanges.count - exchangesBefore) % 2)
    alternateHalves(e, loop, workers);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irResult(loop, i);
  carriedSetValues(e, values);
  free(values);
  finishCarried(e, first, workers);
}

static void emitLoop(Emitter *e, KernelLoop *loop, MlirValue first) {
  Values *v = e->values;
  e->loop = loop;
  e->memory->traffic.executions = planBlocksOfTasks(&loop->mapping) * e->plan->launch.block;
  int64_t tasks = planTasks(&loop->mapping), workers = numWorkers(e, loop->mapping.cluster);
  if (carriedBegin(e)) {
    emitCarryingLoop(e, first, emitTasks(v, loop));
    return;
  }
  if (loop->hasOneEach) {
    emitOwnTask(e, first, tasks, workers);
    return;
  }
  MlirValue count = emitTasks(v, loop);
  MlirOperation region = tasks <= workers
                             ? irIf(&v->b, irCmpI(&v->b, IR_CMPI_ULT, first, count), IR_NO_TYPES, /*hasElse=*/false)
                             : rolledLoop(v, first, count, irConstantIndex(&v->b, workers), IR_NO_VALUES);
  MlirBlock body = irBody(region, 0);
  BlockState state = enterBlock(v, body);
  int64_t exchangesBefore = e->exchanges.count;
  emitTask(e, tasks <= workers ? first : mlirBlockGetArgument(body, 0));
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
  if (tasks > workers && (e->exchanges.count - exchangesBefore) % 2)
    alternateHalves(e, region, workers);
}

//===----------------------------------------------------------------------===//
// Several in a pack
//===----------------------------------------------------------------------===//

/// The task of a loop in a pack: of an open size there may be fewer than there are numbers.
static void emitPackedTask(Emitter *e, KernelLoop *loop, MlirValue task) {
  Values *v = e->values;
  e->loop = loop;
  e->memory->traffic.executions = planBlocksOfTasks(&loop->mapping) * e->plan->launch.block;
  if (!extentIsOpen(kernelTaskExtent(loop))) {
    emitTask(e, task);
    return;
  }
  MlirValue exists = irCmpI(&v->b, IR_CMPI_ULT, task, emitTasks(v, loop));
  BlockState state = enterBlock(v, irBody(irIf(&v->b, exists, IR_NO_TYPES, /*hasElse=*/false), 0));
  emitTask(e, task);
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}

/// Loops `first` to `end` of a pack, of which one has task number `number`.
typedef struct {
  KernelLoop *first, *end;
  MlirValue number;
} PackSearch;

static int64_t tasksOf(const KernelLoop *loop) { return planTasks(&loop->mapping); }

static void emitSearch(Emitter *e, PackSearch search);

static void emitBranch(Emitter *e, MlirOperation op, intptr_t region, PackSearch search) {
  BlockState state = enterBlock(e->values, irBody(op, region));
  emitSearch(e, search);
  irYield(&e->values->b, IR_NO_VALUES);
  leaveBlock(e->values, state);
}

/// Loops with equally many tasks, each of which has a branch of its own; the last is the default, which comes first.
static void emitSwitch(Emitter *e, PackSearch search) {
  IrBuilder *b = &e->values->b;
  intptr_t count = search.end - search.first;
  int64_t tasks = tasksOf(search.first), *cases = irAllocate(sizeof(int64_t) * (size_t)count);
  for (intptr_t i = 0; i < count - 1; ++i)
    cases[i] = i;
  MlirValue position = search.number;
  if (search.first->offset)
    position = irSubI(b, position, irConstantIndex(b, search.first->offset));
  if (tasks > 1)
    position = irDivUI(b, position, irConstantIndex(b, tasks));
  MlirOperation op = irOpWithRegions(b, "scf.index_switch", IR_VALUES(position), IR_NO_TYPES,
                                     IR_ATTRS(irDims(b, "cases", count - 1, cases)), count, IR_NO_TYPES);
  free(cases);
  for (intptr_t i = 0; i < count; ++i)
    emitBranch(e, op, i == count - 1 ? 0 : i + 1, (PackSearch){search.first + i, search.first + i + 1, search.number});
}

/// Where the loops are divided: in the middle of their tasks, but not between loops with equally many, if others are
/// there.
static KernelLoop *middleOf(const PackSearch *search) {
  int64_t begin = search->first->offset, end = search->end[-1].offset + tasksOf(search->end - 1);
  bool allEqual = tasksOf(search->first) == tasksOf(search->end - 1);
  KernelLoop *best = NULL;
  int64_t least = INT64_MAX;
  for (KernelLoop *loop = search->first + 1; loop < search->end; ++loop) {
    int64_t distance = max64(2 * loop->offset - begin - end, begin + end - 2 * loop->offset);
    if ((allEqual || tasksOf(loop - 1) != tasksOf(loop)) && distance < least) {
      best = loop;
      least = distance;
    }
  }
  return best;
}

static void emitSearch(Emitter *e, PackSearch search) {
  IrBuilder *b = &e->values->b;
  intptr_t count = search.end - search.first;
  if (count == 1) {
    // A loop with one task has number 0 alone, which is then known.
    MlirValue task = tasksOf(search.first) == 1  ? irConstantIndex(b, 0)
                     : search.first->offset == 0 ? search.number
                                                 : irSubI(b, search.number, irConstantIndex(b, search.first->offset));
    emitPackedTask(e, search.first, task);
    return;
  }
  if (count >= MIN_LOOPS_OF_SWITCH && tasksOf(search.first) == tasksOf(search.end - 1)) {
    emitSwitch(e, search);
    return;
  }
  KernelLoop *middle = middleOf(&search);
  MlirValue isBefore = irCmpI(b, IR_CMPI_ULT, search.number, irConstantIndex(b, middle->offset));
  MlirOperation branches = irIf(b, isBefore, IR_NO_TYPES, /*hasElse=*/true);
  emitBranch(e, branches, 0, (PackSearch){search.first, middle, search.number});
  emitBranch(e, branches, 1, (PackSearch){middle, search.end, search.number});
}

static void emitLoops(Emitter *e, const KernelPack *pack, MlirValue first) {
  Values *v = e->values;
  KernelLoop *loops = e->plan->loops + pack->first;
  PackSearch search = {loops, loops + pack->count, first};
  if (pack->tasks == numWorkers(e, pack->cluster)) {
    emitSearch(e, search);
    return;
  }
  MlirValue hasTask = irCmpI(&v->b, IR_CMPI_ULT, first, irConstantIndex(&v->b, pack->tasks));
  emitBranch(e, irIf(&v->b, hasTask, IR_NO_TYPES, /*hasElse=*/false), 0, search);
}

/// A loop whose only task every block computes. Nothing is around its code: its values in registers are there for the
/// loops behind it.
static void emitReplicated(Emitter *e, KernelLoop *loop) {
  e->loop = loop;
  e->memory->traffic.executions = e->plan->launch.block; // all but the first block find its loads in the cache
  emitTask(e, irConstantIndex(&e->values->b, 0));
}

void emitPack(Emitter *e, const KernelPack *pack, Start *start) {
  if (e->plan->loops[pack->first].mapping.isReplicated) {
    emitReplicated(e, &e->plan->loops[pack->first]);
    return;
  }
  MlirValue first = firstTask(e, pack, start);
  if (pack->count == 1)
    emitLoop(e, &e->plan->loops[pack->first], first);
  else
    emitLoops(e, pack, first);
  bool isLast = pack + 1 == e->plan->packs + e->plan->numPacks || pack[1].phase != pack->phase;
  if (!isLast)
    moveStart(e, pack, start);
  if (!pack->isApart)
    endOfReads(e->values, e->plan->launch.cluster); // the next pack uses shared memory again
}
