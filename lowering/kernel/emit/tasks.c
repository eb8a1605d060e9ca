//===- tasks.c - one task of a task loop ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roots of the loop, one after the other. There is a barrier behind each store to shared memory, and one wherever
// such memory may be used again; eliminateBarriers leaves those that are needed.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/values/evaluate.h"
#include "lowering/kernel/values/residents.h"

//===----------------------------------------------------------------------===//
// Elementwise roots
//===----------------------------------------------------------------------===//

/// All elements of a thread. A value without later readers is stored, and frees its registers, as soon as enough loads
/// are in flight.
static void emitAtOnce(Emitter *e, KernelRoot *root, const Walk *walk) {
  int64_t most = max64(MAX_ELEMENTS_IN_FLIGHT / walk->vector / 4, 1);
  if (2 * walk->steps * walk->vector >= e->plan->launch.registers)
    most = 1; // together with elements that take half of the registers
  int64_t together = root->isReadLater ? walk->steps : stepsAtOnce(root->words, walk->vector, most);
  for (int64_t first = 0; first < walk->steps; first += together)
    emitSteps(e, root, indexConstant(e->values->index, first), min64(together, walk->steps - first), walk->vector);
}

/// Emits an elementwise root, and those behind it that go through their elements with it. Returns how many.
static intptr_t emitElementwiseRoot(Emitter *e, intptr_t number) {
  Values *v = e->values;
  KernelRoot *root = &e->plan->roots[e->loop->roots[number]];
  Walk walk = walkOf(e, root);
  intptr_t count = 1;
  if (root->inSharedMemory)
    gpuBarrier(&v->b); // other threads may still read the earlier contents of its buffer
  if (walk.atOnce)
    emitAtOnce(e, root, &walk);
  else
    count = emitSweep(e, number);
  if (root->inSharedMemory)
    gpuBarrier(&v->b);
  return count;
}

/// Combines the partial results of a split reduce that is an output.
static void emitFinish(Emitter *e, KernelRoot *root) {
  Step step = flatStepAt(e, root, indexConstant(e->values->index, 0), 1);
  Bundle results[KERNEL_MAX_RESULTS];
  combinePartials(e, root, step.linear, step.lanes, results);
  for (intptr_t j = 0; j < root->numResults; ++j)
    storeFinished(e, root, j, step.linear, step.lanes, results[j], step.valid);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// Emits the loop's root number `number`, and those that come with it. Returns how many.
static intptr_t emitRoot(Emitter *e, intptr_t number) {
  KernelRoot *root = &e->plan->roots[e->loop->roots[number]];
  intptr_t count = 1;
  if (e->loop->finishes)
    emitFinish(e, root);
  else if (!root->isReduce)
    count = emitElementwiseRoot(e, number);
  else if (root->mapping.kind == STITCH_MAPPING_CARRIED)
    emitCarried(e, root);
  else
    count = emitSweep(e, number);
  trafficEndSweep(e->memory);
  return count;
}

void readPlaceInCluster(Emitter *e) {
  IrBuilder *b = &e->values->b;
  e->task.clusterId = gpuCoordinate(b, "gpu.cluster_id");
  e->task.rank = bindIndex(e->values, gpuCoordinate(b, "gpu.cluster_block_id"), e->plan->launch.cluster);
}

void setCoordinates(Emitter *e, MlirValue task) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  e->task.number = bindIndex(v, task, planTasks(m));
  MlirValue rowThreads = irConstantIndex(&v->b, m->rowThreads);
  e->task.lane = m->rowThreads == 1  ? indexConstant(v->index, 0)
                 : m->blockRows == 1 ? bindIndex(v, e->task.threadId, m->rowThreads)
                                     : bindIndex(v, irRemUI(&v->b, e->task.threadId, rowThreads), m->rowThreads);
  e->task.localRow = m->blockRows == 1 ? indexConstant(v->index, 0)
                                       : bindIndex(v, irDivUI(&v->b, e->task.threadId, rowThreads), m->blockRows);
  e->task.chunk = m->cluster > 1 ? e->task.rank : indexMod(v->index, e->task.number, m->split);
  e->task.partial = e->task.chunk;
  e->task.round = NULL;
  if (residentsExist(e)) // task number n is a block's number n / grid
    e->task.round = indexDiv(v->index, e->task.number, e->plan->launch.grid);
  e->task.row = NULL;
  e->task.rowValid = (MlirValue){NULL};
  if (m->kind == STITCH_MAPPING_AXES)
    setPlacesAlongAxes(e);
  if (m->kind != STITCH_MAPPING_ROW)
    return;
  const IndexExpr *row = indexAdd(
      v->index, indexScale(v->index, indexDiv(v->index, e->task.number, m->split), m->blockRows), e->task.localRow);
  Position position = positionInside(v, row, e->loop->rows, 1);
  e->task.row = m->rows == 1 ? indexConstant(v->index, 0) : bindIndex(v, emitIndex(v, position.index), m->rows);
  e->task.rowValid = position.valid;
}

/// Where the block has one task of the current loop, of which its threads keep elements. Returns the coordinates that
/// they have loaded it with; null if there is no such task.
static const Task *keptTask(const Emitter *e) {
  const KeptTask *kept = e->keptTasks ? &e->keptTasks[e->loop - e->plan->loops] : NULL;
  return kept && kept->exists ? &kept->task : NULL;
}

static void emitRoots(Emitter *e) {
  if (e->loop->mapping.kind == STITCH_MAPPING_COLUMN)
    emitColumnTask(e);
  else if (e->loop->mapping.kind == STITCH_MAPPING_AXES && !e->loop->finishes)
    emitAxesTask(e);
  else
    for (intptr_t i = 0; i < e->loop->numRoots && !e->values->failed;)
      i += emitRoot(e, i);
  endOfReads(e->values, e->loop->mapping.cluster); // the next task overwrites memory that slower threads may still read
}

/// Whether the block's own task is that of the current loop: of the loop itself, or of the one whose elements it finds.
static bool isOwnTask(const Emitter *e, MlirValue task) {
  bool isOfLoop = e->own.loop && (e->own.loop == e->loop || e->loop->isAgain);
  return isOfLoop && mlirValueEqual(e->own.number, task);
}

void emitTask(Emitter *e, MlirValue task) {
  const Task *kept = keptTask(e);
  if (isOwnTask(e, task))
    e->task = e->own.task;
  else if (kept)
    e->task = *kept;
  else
    setCoordinates(e, task);
  emitRoots(e);
}

void emitOwnTask(Emitter *e, MlirValue task, int64_t tasks, int64_t workers) {
  IrBuilder *b = &e->values->b;
  if (!isOwnTask(e, task)) {
    MlirValue last = irConstantIndex(b, tasks - 1);
    const Task *kept = keptTask(e);
    if (kept)
      e->task = *kept;
    else
      setCoordinates(e, tasks < workers ? irMinUI(b, task, last) : task);
    if (tasks < workers)
      e->task.rowValid = bothOf(e->values, e->task.rowValid, irCmpI(b, IR_CMPI_ULE, task, last));
    e->own = (OwnTask){e->loop, task, e->task};
  }
  emitTask(e, task);
}
