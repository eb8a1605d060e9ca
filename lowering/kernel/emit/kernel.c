//===- kernel.c - phases, task loops, roots ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel anatomy (docs/ir.md, section 2; AStitch section 3.2.2): phases divided by grid barriers; in a phase task
// loops, one after the other; in a task the roots, one after the other. There is a barrier behind each store to shared
// memory, and one wherever such memory may be used again; eliminateBarriers leaves those that are needed.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/values/evaluate.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"

#include <stdlib.h>

/// Most elements of a row that a thread holds in registers for roots that read them again, and most steps of a reduce
/// that are unrolled in any case.
enum { MAX_ELEMENTS_HELD = 128, OTHER_REGISTERS = 32, MAX_STEPS_AT_ONCE = 4 };

/// As many words are many more than one, which a result takes that is read again.
enum { MANY_WORDS = 8 };

/// A barrier behind which nobody reads what the block has in shared memory. All blocks of a cluster get there.
static void endOfReads(Values *v, int64_t cluster) {
  if (cluster > 1)
    gpuClusterBarrier(&v->b);
  else
    gpuBarrier(&v->b);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Elementwise roots
//===----------------------------------------------------------------------===//

/// Emits an elementwise root, and those behind it that go through their elements with it. Returns how many.
static intptr_t emitElementwiseRoot(Emitter *e, intptr_t number) {
  Values *v = e->values;
  KernelRoot *root = &e->plan->roots[e->loop->roots[number]];
  Walk walk = walkOf(e, root);
  intptr_t count = 1;
  if (root->inSharedMemory)
    gpuBarrier(&v->b); // other threads may still read what was in its buffer before
  if (walk.atOnce)
    emitSteps(e, root, indexConstant(v->index, 0), walk.steps, walk.vector);
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
    for (intptr_t i = 0; i < root->results[j].numOutputs; ++i)
      storeOutput(e, root->results[j].outputs[i], step.linear, step.lanes, results[j], step.valid);
}

//===----------------------------------------------------------------------===//
// Task loops
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

/// Binds the coordinates of the current task and thread.
static void setCoordinates(Emitter *e, MlirValue task) {
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
  e->task.row = NULL;
  e->task.rowValid = (MlirValue){NULL};
  if (m->kind != STITCH_MAPPING_ROW)
    return;
  const IndexExpr *row = indexAdd(
      v->index, indexScale(v->index, indexDiv(v->index, e->task.number, m->split), m->blockRows), e->task.localRow);
  Position position = positionInside(v, row, e->loop->rows, 1);
  e->task.row = m->rows == 1 ? indexConstant(v->index, 0) : bindIndex(v, emitIndex(v, position.index), m->rows);
  e->task.rowValid = position.valid;
}

static void emitTask(Emitter *e, MlirValue task) {
  Values *v = e->values;
  setCoordinates(e, task);
  if (e->loop->mapping.kind == STITCH_MAPPING_COLUMN)
    emitColumnTask(e);
  else
    for (intptr_t i = 0; i < e->loop->numRoots && !v->failed;)
      i += emitRoot(e, i);
  endOfReads(v, e->loop->mapping.cluster); // the next task overwrites what slower threads may still read
}

/// The blocks that handle tasks are those of the grid, or its clusters.
static MlirValue firstTask(const Emitter *e) {
  return e->loop->mapping.cluster > 1 ? e->task.clusterId : e->task.blockId;
}

static int64_t numWorkers(const Emitter *e) { return e->plan->launch.grid / e->loop->mapping.cluster; }

/// What the number of tasks depends on.
static Extent taskExtent(const KernelLoop *loop) {
  bool byColumns = loop->mapping.kind == STITCH_MAPPING_FLAT || loop->mapping.kind == STITCH_MAPPING_COLUMN;
  return byColumns ? loop->columns : loop->rows;
}

/// How many tasks there are (planTasks), which may depend on a symbol.
static MlirValue emitTasks(Values *v, const KernelLoop *loop) {
  const StitchMapping *m = &loop->mapping;
  Extent extent = taskExtent(loop);
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

/// A loop that carries accumulators from task to task.
static void emitCarryingLoop(Emitter *e, MlirValue tasks) {
  Values *v = e->values;
  MlirValue *values;
  intptr_t count = carriedValues(e, &values);
  MlirValue step = irConstantIndex(&v->b, numWorkers(e));
  MlirOperation loop = rolledLoop(v, firstTask(e), tasks, step, (IrValues){count, values});
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
    alternateHalves(e, loop, numWorkers(e));
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irResult(loop, i);
  carriedSetValues(e, values);
  free(values);
  state = (BlockState){v->b, memoEnter(&v->memo)};
  setCoordinates(e, firstTask(e));
  carriedFinish(e, firstTask(e), numWorkers(e));
  state.b = v->b;
  leaveBlock(v, state);
}

static void emitLoop(Emitter *e, KernelLoop *loop) {
  Values *v = e->values;
  e->loop = loop;
  e->memory->traffic.executions = planBlocksOfTasks(&loop->mapping) * e->plan->launch.block;
  int64_t tasks = planTasks(&loop->mapping), workers = numWorkers(e);
  if (carriedBegin(e)) {
    emitCarryingLoop(e, emitTasks(v, loop));
    return;
  }
  MlirValue first = firstTask(e);
  if (tasks == workers && !extentIsOpen(taskExtent(loop))) {
    BlockState state = {v->b, memoEnter(&v->memo)};
    emitTask(e, first);
    state.b = v->b;
    leaveBlock(v, state);
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

static void emitPhase(Emitter *e, int64_t phase) {
  Values *v = e->values;
  for (intptr_t i = 0; i < e->plan->numLoops && !v->failed; ++i) {
    if (e->plan->loops[i].phase != phase)
      continue;
    emitLoop(e, &e->plan->loops[i]);
    endOfReads(v, e->plan->launch.cluster); // the next loop uses it again, or the block ends
  }
}

static void loadSymbols(Emitter *e) {
  Values *v = e->values;
  MlirValue zero = irConstantIndex(&v->b, 0);
  for (intptr_t i = 0; i < e->plan->numSymbols; ++i) {
    MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
    MlirValue value = irValueOf(&v->b, "memref.load", IR_VALUES(v->symbols[i], zero), i32, IR_NO_ATTRS);
    v->symbols[i] = irUnary(&v->b, "arith.index_castui", value, mlirIndexTypeGet(v->b.context));
  }
}

static void emitPhases(Emitter *e) {
  Values *v = e->values;
  e->task.threadId = gpuCoordinate(&v->b, "gpu.thread_id");
  e->task.blockId = gpuCoordinate(&v->b, "gpu.block_id");
  if (e->plan->launch.cluster > 1) {
    e->task.clusterId = gpuCoordinate(&v->b, "gpu.cluster_id");
    e->task.rank = bindIndex(v, gpuCoordinate(&v->b, "gpu.cluster_block_id"), e->plan->launch.cluster);
  }
  if (e->plan->launch.shared > 0)
    e->memory->shared = gpuSharedMemory(&v->b);
  loadSymbols(e);
  for (int64_t phase = 0; phase < e->plan->numPhases && !v->failed; ++phase) {
    if (phase > 0)
      irOp(&v->b, "stitch.grid_barrier", IR_VALUES(e->memory->counter), IR_NO_TYPES, IR_NO_ATTRS);
    emitPhase(e, phase);
  }
  irOp(&v->b, "gpu.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
}

static void mapInput(Memory *memory, MlirValue value, intptr_t number, MlirBlock body) {
  irMapSet(&memory->inputOf, value.ptr, number);
  memory->inputs[number] = mlirBlockGetArgument(body, number);
}

/// The kernel's arguments: docs/ir.md, section 3.
static void takeArguments(Memory *memory, MlirBlock body) {
  const KernelPlan *plan = memory->plan;
  intptr_t numInputs = mlirBlockGetNumArguments(plan->body), next = numInputs + plan->numConstants;
  intptr_t numOutputs = mlirOperationGetNumResults(plan->fusion);
  memory->inputs = irAllocateZeroed((size_t)next + 1, sizeof(MlirValue));
  memory->outputs = irAllocateZeroed((size_t)numOutputs + 1, sizeof(MlirValue));
  memory->slices = irAllocateZeroed((size_t)plan->numSlices + 1, sizeof(MlirValue));
  memory->values->symbols = irAllocateZeroed((size_t)plan->numSymbols + 1, sizeof(MlirValue));
  for (intptr_t i = 0; i < numInputs; ++i)
    mapInput(memory, mlirBlockGetArgument(plan->body, i), i, body);
  for (intptr_t i = 0; i < plan->numConstants; ++i)
    mapInput(memory, irResult(plan->constants[i], 0), numInputs + i, body);
  for (intptr_t i = 0; i < plan->numSymbols; ++i)
    memory->values->symbols[i] = mlirBlockGetArgument(body, next++);
  for (intptr_t i = 0; i < numOutputs; ++i)
    if (!plan->unstored[i])
      memory->outputs[i] = mlirBlockGetArgument(body, next++);
  for (intptr_t i = 0; i < plan->numSlices; ++i)
    memory->slices[i] = mlirBlockGetArgument(body, next++);
  if (plan->launch.scratch)
    memory->scratch = mlirBlockGetArgument(body, next++);
  if (plan->launch.barriers)
    memory->counter = mlirBlockGetArgument(body, next++);
}

bool kernelEmit(KernelPlan *plan, MlirBlock body, Traffic *traffic, bool *startOver) {
  Values values = {.b = irBuilderAtEnd(body, mlirOperationGetLocation(plan->fusion)), .index = indexContextCreate()};
  Memory memory = {.values = &values, .plan = plan};
  Emitter e = {.plan = plan, .values = &values, .memory = &memory, .evaluate = evaluate};
  takeArguments(&memory, body);
  emitPhases(&e);
  *startOver = e.startOver;
  *traffic = memory.traffic;
  bool success = !values.failed;
  memoryDestroy(&memory);
  valuesDestroy(&values);
  return success;
}
