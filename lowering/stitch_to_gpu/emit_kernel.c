//===- emit_kernel.c - phases, task loops, roots -------------------------===//
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

#include "lowering/stitch_to_gpu/kernel.h"

#include "capi/diagnostics.h"
#include "ir/arithmetic.h"

#include <stdlib.h>

/// Most elements of a row that a thread holds in registers for roots that read them again, and most steps of a reduce
/// that are unrolled in any case.
enum { MAX_ELEMENTS_HELD = 128, OTHER_REGISTERS = 32, MAX_STEPS_AT_ONCE = 4 };

/// As many words are many more than one, which a result takes that is read again.
enum { MANY_WORDS = 8 };

static void barrier(Emitter *e, const char *name) { irOp(&e->b, name, IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS); }

void blockBarrier(Emitter *e) { barrier(e, "gpu.barrier"); }
void clusterBarrier(Emitter *e) { barrier(e, "stitch.cluster_barrier"); }

/// A barrier behind which nobody reads what the block has in shared memory. All blocks of a cluster get there.
static void endOfReads(Emitter *e, int64_t cluster) {
  if (cluster > 1)
    clusterBarrier(e);
  else
    blockBarrier(e);
}

static MlirValue gpuId(Emitter *e, const char *name) {
  MlirAttribute x = irParseAttr(e->b.context, "#gpu<dim x>");
  return irValueOf(&e->b, name, IR_NO_VALUES, mlirIndexTypeGet(e->b.context), IR_ATTRS(irAttr(&e->b, "dimension", x)));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// A split reduce keeps one result for each chunk.
static void storePartial(Emitter *e, const KernelRoot *root, const KernelResult *result, const IndexExpr *linear,
                         Lanes lanes, Bundle bundle, MlirValue condition) {
  int64_t split = root->mapping.split;
  MlirType accumulator = mlirValueGetType(bundle.values[0]);
  MlirValue partials = scratchView(e, result->bufferOffset, split * root->numElements, accumulator);
  const IndexExpr *place = indexAdd(e->index, linear, indexScale(e->index, e->partial, root->numElements));
  storeLanes(e, partials, place, lanes, bundle, condition);
}

/// Elements of the root's value in one row of its mapping.
static int64_t rowElements(const KernelRoot *root) { return root->numElements / root->mapping.rows; }

int64_t sharedRowElements(const KernelRoot *root) {
  return root->mapping.cluster > 1 ? planColumnsOfBlock(&root->mapping) : rowElements(root);
}

const IndexExpr *placeInShared(Emitter *e, const KernelRoot *root, const IndexExpr *linear) {
  int64_t ofBlock = sharedRowElements(root);
  const IndexExpr *place = indexAdd(e->index, linear, indexScale(e->index, e->row, -rowElements(root)));
  if (root->mapping.cluster > 1)
    place = indexAdd(e->index, place, indexScale(e->index, e->chunk, -ofBlock));
  return indexAdd(e->index, place, indexScale(e->index, e->localRow, ofBlock));
}

static void storeShared(Emitter *e, const KernelRoot *root, const KernelResult *result, const IndexExpr *linear,
                        Lanes lanes, Bundle bundle, MlirValue condition) {
  MlirType element = irElementTypeOf(result->value);
  if (root->transposed) {
    storeLanes(e, sharedTile(e, root, result), placeInTile(e, root, linear), lanes, bundle, condition);
    return;
  }
  MlirValue buffer = sharedView(e, result->bufferOffset, root->mapping.blockRows * sharedRowElements(root), element);
  storeLanes(e, buffer, placeInShared(e, root, linear), lanes, bundle, condition);
}

/// Whether an element of a slice's operand is in the slice; null: always.
static MlirValue isInSlice(Emitter *e, const KernelRoot *root, const IndexVector *moved) {
  MlirValue inside = {NULL};
  if (tgKindOf(root->op) != TG_slice)
    return inside;
  IrShape from = irShapeOf(irOperand(root->op, 0)), to = irShapeOf(root->results[0].value);
  for (intptr_t i = 0; i < to.rank; ++i)
    if (to.dims[i] < from.dims[i]) // below its start an index wraps around
      inside = bothOf(e, inside,
                      irCmpI(&e->b, IR_CMPI_ULT, emitIndex(e, moved->dims[i]), irConstantIndex(&e->b, to.dims[i])));
  return inside;
}

/// Whether the lanes of a vector are in a slice all or not at all.
static bool sliceKeepsVectors(const KernelRoot *root, int64_t vector) {
  if (tgKindOf(root->op) != TG_slice || vector == 1)
    return true;
  IrShape from = irShapeOf(irOperand(root->op, 0)), starts = irGetDims(root->op, "starts");
  IrShape to = irShapeOf(root->results[0].value);
  intptr_t last = from.rank - 1;
  return starts.dims[last] % vector == 0 && to.dims[last] % vector == 0;
}

/// Stores elements of the operand where the root moves them.
static void storeMoved(Emitter *e, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                       MlirValue condition) {
  IndexVector index = indexDelinearize(e->index, linear, irShapeOf(irOperand(root->op, 0))), moved;
  if (!indexPropagateForward(e->index, root->op, &index, &moved)) {
    stitchEmitOpError(root->op, "has stitch.by_operand, and its operand's elements have no place that is known");
    e->failed = true;
    return;
  }
  IndexVector first = moved;
  for (intptr_t i = 0; i < first.rank && lanes.variable; ++i)
    first.dims[i] = indexSubstitute(e->index, moved.dims[i], lanes.variable, indexConstant(e->index, 0));
  condition = bothOf(e, condition, isInSlice(e, root, &first));
  const IndexExpr *place = indexLinearize(e->index, &moved, irShapeOf(root->results[0].value));
  for (intptr_t i = 0; i < root->results[0].numOutputs; ++i)
    storeLanes(e, e->outputs[root->results[0].outputs[i]], place, lanes, bundle, condition);
}

static void storeMovedLanes(Emitter *e, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                            MlirValue condition) {
  if (sliceKeepsVectors(root, lanes.count)) {
    storeMoved(e, root, linear, lanes, bundle, condition);
    return;
  }
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(bundle, lanes.count, values);
  for (int64_t i = 0; i < lanes.count; ++i) {
    const IndexExpr *place = indexSubstitute(e->index, linear, lanes.variable, indexConstant(e->index, i));
    storeMoved(e, root, place, (Lanes){1, NULL}, (Bundle){1, &values[i]}, condition);
  }
}

void storeRoot(Emitter *e, KernelRoot *root, intptr_t number, const IndexExpr *linear, Lanes lanes, Bundle bundle,
               MlirValue inRow) {
  const KernelResult *result = &root->results[number];
  MlirValue condition = bothOf(e, inRow, e->rowValid);
  if (root->isSplit) {
    storePartial(e, root, result, linear, lanes, bundle, condition);
    return;
  }
  if (root->byOperand) {
    storeMovedLanes(e, root, linear, lanes, bundle, condition);
    return;
  }
  for (intptr_t i = 0; i < result->numOutputs; ++i)
    storeOutput(e, result->outputs[i], linear, lanes, bundle, condition);
  if (root->scheme == STITCH_SCHEME_GLOBAL && root->hasBuffer)
    storeLanes(e, scratchView(e, result->bufferOffset, root->numElements, irElementTypeOf(result->value)), linear,
               lanes, bundle, condition);
  if (root->inSharedMemory) // rows of the block past the last one, too: their threads read them like all others
    storeShared(e, root, result, linear, lanes, bundle, inRow);
}

//===----------------------------------------------------------------------===//
// Elementwise roots
//===----------------------------------------------------------------------===//

/// The same, if there is one row alone and its length depends on a symbol.
static Extent rowExtent(const KernelRoot *root) {
  bool isOpen = extentIsOpen(root->elements) && !extentIsOpen(root->rows);
  return isOpen ? root->elements : extentOf(rowElements(root));
}

/// Steps of a row mapping: the columns of the thread's row.
static Step rowStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k, int64_t vector) {
  const StitchMapping *m = &root->mapping;
  int64_t perRow = rowElements(root);
  const IndexExpr *base =
      indexAdd(e->index, indexScale(e->index, k, m->rowThreads * vector), indexScale(e->index, e->lane, vector));
  base = indexAdd(e->index, base, indexScale(e->index, e->chunk, m->rowThreads * vector * m->unroll));
  Step step = {.lanes = lanesOf(e, vector)};
  if (perRow == 1) {
    step.linear = e->row;
    step.valid = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, base), irConstantIndex(&e->b, 0));
    return step;
  }
  Position column = positionInside(e, base, rowExtent(root), vector);
  step.linear = indexAdd(e->index, indexScale(e->index, e->row, perRow), column.index);
  step.valid = column.valid;
  if (step.lanes.variable)
    step.linear = indexAdd(e->index, step.linear, step.lanes.variable);
  return step;
}

static Step flatStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k, int64_t vector) {
  const StitchMapping *m = &e->loop->mapping;
  const IndexExpr *base =
      indexAdd(e->index, indexScale(e->index, k, m->rowThreads * vector), indexScale(e->index, e->lane, vector));
  base = indexAdd(e->index, base, indexScale(e->index, e->chunk, m->rowThreads * vector * m->unroll));
  Position position = positionInside(e, base, root->elements, vector);
  Step step = {.linear = position.index, .valid = position.valid, .lanes = lanesOf(e, vector)};
  if (step.lanes.variable)
    step.linear = indexAdd(e->index, step.linear, step.lanes.variable);
  if (m->blockRows > 1) { // all rows of threads compute the element; the first one stores it
    MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, e->localRow), irConstantIndex(&e->b, 0));
    step.valid = bothOf(e, step.valid, first);
  }
  return step;
}

static Step stepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k, int64_t vector) {
  if (e->loop->mapping.kind == STITCH_MAPPING_TILE)
    return tileStepAt(e, root, k);
  return e->loop->mapping.kind == STITCH_MAPPING_FLAT ? flatStepAt(e, root, k, vector) : rowStepAt(e, root, k, vector);
}

void evaluateStep(Emitter *e, const KernelRoot *root, Step *step) {
  e->step = step;
  IndexVector index = indexDelinearize(e->index, step->linear, planIterationShape(root->op));
  if (root->byOperand)
    step->bundles[0] = evaluate(e, irOperand(root->op, 0), &index, step->lanes);
  for (intptr_t i = 0; !root->byOperand && i < root->numResults; ++i)
    step->bundles[i] = evaluateRoot(e, root, i, &index, step->lanes);
  e->step = NULL;
}

void storeStep(Emitter *e, KernelRoot *root, const Step *step) {
  e->step = step;
  for (intptr_t i = 0; i < root->numResults; ++i)
    storeRoot(e, root, i, step->linear, step->lanes, step->bundles[i], step->valid);
  e->step = NULL;
}

void emitSteps(Emitter *e, KernelRoot *root, const IndexExpr *first, int64_t count, int64_t vector) {
  Step *steps = irAllocate(sizeof(Step) * (size_t)count);
  for (int64_t i = 0; i < count; ++i) {
    steps[i] = stepAt(e, root, indexAddConstant(e->index, first, i), vector);
    evaluateStep(e, root, &steps[i]);
  }
  for (int64_t i = 0; i < count; ++i)
    storeStep(e, root, &steps[i]);
  free(steps);
}

static bool holdsInRegisters(const Emitter *e, int64_t elements) {
  return elements <= MAX_ELEMENTS_HELD && OTHER_REGISTERS + elements <= e->plan->launch.registers;
}

/// Whether a thread computes all its elements of a root before it goes on, and so can keep them for later sweeps of the
/// task. It has registers for them, and what it reads for them is little: where it is more, ptxas moves the loads of
/// all elements up and runs out of registers. Nothing is kept if there is no later sweep.
static bool isAtOnce(const Emitter *e, const KernelRoot *root, const Walk *walk) {
  int64_t elements = walk->steps * walk->vector, registers = e->plan->launch.registers;
  if (walk->steps == 1)
    return true;
  if (e->loop->isOneSweep) { // reduces have nothing to store that would free registers on the way
    int64_t other = e->loop->mapping.kind == STITCH_MAPPING_ROW ? OTHER_REGISTERS : 0;
    return elements <= MAX_ELEMENTS_IN_FLIGHT && other + e->loop->words * elements <= registers &&
           OTHER_REGISTERS + e->loop->taken <= registers;
  }
  if (root->isReduce)
    return walk->steps <= MAX_STEPS_AT_ONCE || holdsInRegisters(e, elements);
  if (elements > MAX_ELEMENTS_IN_FLIGHT)
    return false;
  int64_t together = stepsAtOnce(root->words, walk->vector, MAX_ELEMENTS_IN_FLIGHT / walk->vector / 4);
  if (e->loop->mapping.kind != STITCH_MAPPING_ROW || walk->steps < 2 * together)
    return true;
  // A sum of many arrays can be read from memory later, which costs little more than what it reads itself.
  bool isSumOfMany = root->words >= MANY_WORDS && root->words * elements > registers;
  bool canBeRead = root->scheme == STITCH_SCHEME_GLOBAL || !root->isReadLater;
  return holdsInRegisters(e, elements) && !(isSumOfMany && canBeRead);
}

Walk walkOf(const Emitter *e, const KernelRoot *root) {
  const StitchMapping *m = &root->mapping;
  Walk walk = {.vector = m->vector, .steps = m->unroll};
  if (!root->isReduce && e->loop->mapping.kind == STITCH_MAPPING_ROW) {
    Extent row = rowExtent(root); // which may be no multiple of the vectors that the loop's other roots have
    walk.vector = (extentIsOpen(row) ? row.unit : row.most) % m->vector == 0 ? m->vector : 1;
    if (m->split == 1 && m->cluster == 1)
      walk.steps = ceilDiv(rowElements(root), m->rowThreads * walk.vector);
  }
  walk.atOnce = isAtOnce(e, root, &walk);
  return walk;
}

/// Emits an elementwise root, and those behind it that go through their elements with it. Returns how many.
static intptr_t emitElementwiseRoot(Emitter *e, intptr_t number) {
  KernelRoot *root = &e->plan->roots[e->loop->roots[number]];
  Walk walk = walkOf(e, root);
  intptr_t count = 1;
  if (root->inSharedMemory)
    blockBarrier(e); // other threads may still read what was in its buffer before
  if (walk.atOnce)
    emitSteps(e, root, indexConstant(e->index, 0), walk.steps, walk.vector);
  else
    count = emitSweep(e, number);
  if (root->inSharedMemory)
    blockBarrier(e);
  return count;
}

/// Combines the partial results of a split reduce that is an output.
static void emitFinish(Emitter *e, KernelRoot *root) {
  Step step = flatStepAt(e, root, indexConstant(e->index, 0), 1);
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
  trafficEndSweep(e);
  return count;
}

/// Binds the coordinates of the current task and thread.
static void setCoordinates(Emitter *e, MlirValue task) {
  const StitchMapping *m = &e->loop->mapping;
  e->task = bindIndex(e, task, planTasks(m));
  MlirValue rowThreads = irConstantIndex(&e->b, m->rowThreads);
  e->lane = m->rowThreads == 1  ? indexConstant(e->index, 0)
            : m->blockRows == 1 ? bindIndex(e, e->threadId, m->rowThreads)
                                : bindIndex(e, irRemUI(&e->b, e->threadId, rowThreads), m->rowThreads);
  e->localRow = m->blockRows == 1 ? indexConstant(e->index, 0)
                                  : bindIndex(e, irDivUI(&e->b, e->threadId, rowThreads), m->blockRows);
  e->chunk = m->cluster > 1 ? e->rank : indexMod(e->index, e->task, m->split);
  e->partial = e->chunk;
  e->row = NULL;
  e->rowValid = (MlirValue){NULL};
  if (m->kind != STITCH_MAPPING_ROW)
    return;
  const IndexExpr *row =
      indexAdd(e->index, indexScale(e->index, indexDiv(e->index, e->task, m->split), m->blockRows), e->localRow);
  Position position = positionInside(e, row, e->loop->rows, 1);
  e->row = m->rows == 1 ? indexConstant(e->index, 0) : bindIndex(e, emitIndex(e, position.index), m->rows);
  e->rowValid = position.valid;
}

static void emitTask(Emitter *e, MlirValue task) {
  setCoordinates(e, task);
  if (e->loop->mapping.kind == STITCH_MAPPING_COLUMN)
    emitColumnTask(e);
  else
    for (intptr_t i = 0; i < e->loop->numRoots && !e->failed;)
      i += emitRoot(e, i);
  endOfReads(e, e->loop->mapping.cluster); // the next task overwrites what slower threads may still read
}

/// The blocks that handle tasks are those of the grid, or its clusters.
static MlirValue firstTask(const Emitter *e) { return e->loop->mapping.cluster > 1 ? e->clusterId : e->blockId; }

static int64_t numWorkers(const Emitter *e) { return e->plan->launch.grid / e->loop->mapping.cluster; }

/// What the number of tasks depends on.
static Extent taskExtent(const KernelLoop *loop) {
  bool byColumns = loop->mapping.kind == STITCH_MAPPING_FLAT || loop->mapping.kind == STITCH_MAPPING_COLUMN;
  return byColumns ? loop->columns : loop->rows;
}

/// How many tasks there are (planTasks), which may depend on a symbol.
static MlirValue emitTasks(Emitter *e, const KernelLoop *loop) {
  const StitchMapping *m = &loop->mapping;
  Extent extent = taskExtent(loop);
  if (!extentIsOpen(extent))
    return irConstantIndex(&e->b, planTasks(m));
  if (m->kind == STITCH_MAPPING_FLAT)
    return emitCount(e, extent, m->rowThreads * m->vector * m->unroll);
  bool isColumn = m->kind == STITCH_MAPPING_COLUMN, isTile = m->kind == STITCH_MAPPING_TILE;
  int64_t together = isColumn ? m->rowThreads * m->vector : isTile ? planTileSide(m) : m->blockRows;
  int64_t parts = planTasks(m) / ((extent.most + together - 1) / together);
  MlirValue tasks = emitCount(e, extent, together);
  return parts == 1 ? tasks : irMulI(&e->b, tasks, irConstantIndex(&e->b, parts));
}

/// A loop that carries accumulators from task to task.
static void emitCarryingLoop(Emitter *e, MlirValue tasks) {
  MlirValue *values;
  intptr_t count = carriedValues(e, &values);
  MlirValue step = irConstantIndex(&e->b, numWorkers(e));
  MlirOperation loop = rolledLoop(e, firstTask(e), tasks, step, (IrValues){count, values});
  MlirBlock body = irBody(loop, 0);
  BlockState state = enterBlock(e, body);
  int64_t exchangesBefore = e->numExchanges;
  for (intptr_t i = 0; i < count; ++i)
    values[i] = mlirBlockGetArgument(body, 1 + i);
  carriedSetValues(e, values);
  emitTask(e, mlirBlockGetArgument(body, 0));
  free(values);
  carriedValues(e, &values);
  irYield(&e->b, (IrValues){count, values});
  leaveBlock(e, state);
  if ((e->numExchanges - exchangesBefore) % 2)
    alternateHalves(e, loop, numWorkers(e));
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irResult(loop, i);
  carriedSetValues(e, values);
  free(values);
  state = (BlockState){e->b, memoEnter(&e->memo)};
  setCoordinates(e, firstTask(e));
  carriedFinish(e, firstTask(e), numWorkers(e));
  state.b = e->b;
  leaveBlock(e, state);
}

static void emitLoop(Emitter *e, KernelLoop *loop) {
  e->loop = loop;
  e->traffic.executions = planBlocksOfTasks(&loop->mapping) * e->plan->launch.block;
  int64_t tasks = planTasks(&loop->mapping), workers = numWorkers(e);
  if (carriedBegin(e)) {
    emitCarryingLoop(e, emitTasks(e, loop));
    return;
  }
  MlirValue first = firstTask(e);
  if (tasks == workers && !extentIsOpen(taskExtent(loop))) {
    BlockState state = {e->b, memoEnter(&e->memo)};
    emitTask(e, first);
    state.b = e->b;
    leaveBlock(e, state);
    return;
  }
  MlirValue count = emitTasks(e, loop);
  MlirOperation region = tasks <= workers
                             ? irIf(&e->b, irCmpI(&e->b, IR_CMPI_ULT, first, count), IR_NO_TYPES, /*hasElse=*/false)
                             : rolledLoop(e, first, count, irConstantIndex(&e->b, workers), IR_NO_VALUES);
  MlirBlock body = irBody(region, 0);
  BlockState state = enterBlock(e, body);
  int64_t exchangesBefore = e->numExchanges;
  emitTask(e, tasks <= workers ? first : mlirBlockGetArgument(body, 0));
  irYield(&e->b, IR_NO_VALUES);
  leaveBlock(e, state);
  if (tasks > workers && (e->numExchanges - exchangesBefore) % 2)
    alternateHalves(e, region, workers);
}

static void emitPhase(Emitter *e, int64_t phase) {
  for (intptr_t i = 0; i < e->plan->numLoops && !e->failed; ++i) {
    if (e->plan->loops[i].phase != phase)
      continue;
    emitLoop(e, &e->plan->loops[i]);
    endOfReads(e, e->plan->launch.cluster); // the next loop uses it again, or the block ends
  }
}

static void loadSymbols(Emitter *e) {
  MlirValue zero = irConstantIndex(&e->b, 0);
  for (intptr_t i = 0; i < e->plan->numSymbols; ++i) {
    MlirType i32 = mlirIntegerTypeGet(e->b.context, 32);
    MlirValue value = irValueOf(&e->b, "memref.load", IR_VALUES(e->symbols[i], zero), i32, IR_NO_ATTRS);
    e->symbols[i] = irUnary(&e->b, "arith.index_castui", value, mlirIndexTypeGet(e->b.context));
  }
}

bool kernelEmit(Emitter *e) {
  e->threadId = gpuId(e, "gpu.thread_id");
  e->blockId = gpuId(e, "gpu.block_id");
  if (e->plan->launch.cluster > 1) {
    e->clusterId = gpuId(e, "gpu.cluster_id");
    e->rank = bindIndex(e, gpuId(e, "gpu.cluster_block_id"), e->plan->launch.cluster);
  }
  if (e->plan->launch.shared > 0) {
    MlirType bytes = irParseType(e->b.context, "memref<?xi8, #gpu.address_space<workgroup>>");
    e->shared = irValueOf(&e->b, "gpu.dynamic_shared_memory", IR_NO_VALUES, bytes, IR_NO_ATTRS);
  }
  loadSymbols(e);
  for (int64_t phase = 0; phase < e->plan->numPhases && !e->failed; ++phase) {
    if (phase > 0)
      irOp(&e->b, "stitch.grid_barrier", IR_VALUES(e->counter), IR_NO_TYPES, IR_NO_ATTRS);
    emitPhase(e, phase);
  }
  irOp(&e->b, "gpu.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  return !e->failed;
}
