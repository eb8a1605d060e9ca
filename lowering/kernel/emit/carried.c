//===- carried.c - column reductions that a row loop carries -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task loop over rows has every element in a register at some time; a column reduce of the same elements combines
// them on the way (docs/ir.md, "carried"). A thread has the same columns in all its rows, so its accumulators stay in
// registers from task to task, or in shared memory where there are too many. After the last task the block's rows of
// threads combine theirs, and the block's partial result goes to scratch memory. So the elements are read once, for row
// and column reductions alike. The blocks of a cluster that have rows of their own combine their results before.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

/// Rows of threads whose sums are combined unrolled; beyond that there is a loop.
enum { ROWS_AT_ONCE = 8 };

/// A carried root of the current task loop.
typedef struct {
  KernelRoot *root;
  Reduction reduction;
  Partial *accumulators;               ///< one for each of the thread's columns
  MlirValue areas[KERNEL_MAX_RESULTS]; ///< of shared memory, if they are there
  Partial *sums;                       ///< of the block, for runs of columns by all of its threads
} CarriedReduce;

struct CarriedReduces {
  CarriedReduce *data;
  intptr_t count;
};

static int64_t columnsOfThread(const KernelRoot *root) { return root->mapping.vector * root->mapping.unroll; }

//===----------------------------------------------------------------------===//
// Accumulators in shared memory: each thread has its own, which no other one reads
//===----------------------------------------------------------------------===//

/// Where the thread's vector of step `k` begins in the block's columns.
static const IndexExpr *placeInBlock(Emitter *e, const KernelRoot *root, int64_t k) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  return indexAddConstant(v->index, indexScale(v->index, e->task.lane, m->vector), k * m->rowThreads * m->vector);
}

/// The elements of step `k` in these areas.
static const IndexExpr *placeOfStep(Emitter *e, const CarriedReduce *c, int64_t k) {
  const IndexExpr *variable = lanesOf(e->values, c->root->mapping.vector).variable,
                  *place = placeInBlock(e, c->root, k);
  return variable ? indexAdd(e->values->index, place, variable) : place;
}

static void loadAccumulators(Emitter *e, const CarriedReduce *c, int64_t k, Partial *partials) {
  loadColumnPartials(e->memory, &c->reduction, lanesOf(e->values, c->root->mapping.vector), c->areas,
                     placeOfStep(e, c, k), partials);
}

static void storeAccumulators(Emitter *e, const CarriedReduce *c, int64_t k, const Partial *partials) {
  storeColumnPartials(e->memory, &c->reduction, lanesOf(e->values, c->root->mapping.vector), c->areas,
                      placeOfStep(e, c, k), partials, (MlirValue){NULL});
}

static void clearShared(Emitter *e, CarriedReduce *c) {
  const StitchMapping *m = &c->root->mapping;
  reductionAreas(e->values, &c->reduction, e->memory->shared, planPlaceOfSums(e->plan->fusion, c->root->op),
                 planColumnsOfBlock(m), c->areas);
  for (intptr_t i = 0; i < c->reduction.count; ++i)
    irSetAttr(irDefiningOp(c->areas[i]), KERNEL_OWN_ATTRIBUTE, mlirUnitAttrGet(e->values->b.context));
  for (int64_t k = 0; k < m->unroll; ++k)
    storeAccumulators(e, c, k, c->accumulators + k * m->vector);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

bool carriedBegin(Emitter *e) {
  Values *v = e->values;
  e->carried = IR_NEW(&v->arena, struct CarriedReduces);
  *e->carried = (struct CarriedReduces){IR_NEW_ARRAY(&v->arena, CarriedReduce, e->loop->numRoots), 0};
  for (intptr_t i = 0; i < e->loop->numRoots && !e->loop->finishes; ++i) {
    KernelRoot *root = &e->plan->roots[e->loop->roots[i]];
    if (root->mapping.kind != STITCH_MAPPING_CARRIED)
      continue;
    CarriedReduce *c = &e->carried->data[e->carried->count++];
    *c = (CarriedReduce){.root = root,
                         .reduction = reductionOf(e, root->op),
                         .accumulators = IR_NEW_ARRAY(&v->arena, Partial, columnsOfThread(root))};
    for (int64_t j = 0; j < columnsOfThread(root); ++j)
      c->accumulators[j] = c->reduction.identity;
  }
  return e->carried->count > 0;
}

bool carriedInShared(const Emitter *e) {
  bool some = false;
  for (intptr_t i = 0; i < e->carried->count; ++i)
    some |= e->carried->data[i].root->mapping.sumsInShared;
  return some;
}

void carriedClearShared(Emitter *e) {
  for (intptr_t i = 0; i < e->carried->count; ++i)
    if (e->carried->data[i].root->mapping.sumsInShared)
      clearShared(e, &e->carried->data[i]);
}

/// Accumulators of a reduce that are in registers.
static int64_t inRegisters(const CarriedReduce *c) {
  return c->root->mapping.sumsInShared ? 0 : columnsOfThread(c->root);
}

intptr_t carriedValues(const Emitter *e, MlirValue **values) {
  intptr_t count = 0;
  for (intptr_t i = 0; i < e->carried->count; ++i)
    count += inRegisters(&e->carried->data[i]) * e->carried->data[i].reduction.count;
  MlirValue *next = *values = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < e->carried->count; ++i)
    next += reductionFlatten(&e->carried->data[i].reduction, e->carried->data[i].accumulators,
                             inRegisters(&e->carried->data[i]), next);
  return count;
}

void carriedSetValues(Emitter *e, const MlirValue *values) {
  for (intptr_t i = 0; i < e->carried->count; ++i) {
    CarriedReduce *c = &e->carried->data[i];
    reductionUnflatten(&c->reduction, values, inRegisters(c), c->accumulators);
    values += inRegisters(c) * c->reduction.count;
  }
}

/// Where the thread's vector of step `k` begins in the row.
static const IndexExpr *placeInRow(Emitter *e, const KernelRoot *root, int64_t k) {
  Values *v = e->values;
  const IndexExpr *chunk = indexScale(v->index, e->task.chunk, planColumnsOfBlock(&root->mapping));
  return indexAdd(v->index, placeInBlock(e, root, k), chunk);
}

/// The thread's columns in step `k`.
static Position columnsAt(Emitter *e, const KernelRoot *root, int64_t k) {
  return positionInside(e->values, placeInRow(e, root, k), root->columns, root->mapping.vector);
}

static CarriedReduce *findCarried(const Emitter *e, const KernelRoot *root) {
  for (intptr_t i = 0; i < e->carried->count; ++i)
    if (e->carried->data[i].root == root)
      return &e->carried->data[i];
  return NULL;
}

/// The vector of step `k` in the task's row. Its columns are those of every task: `docs/ir.md`, "carried".
static const AlignedVector *alignedAt(Emitter *e, const KernelRoot *root, int64_t k) {
  return alignedOfStep(e, &root->mapping, e->task.row, placeInRow(e, root, k));
}

/// The elements of step `k` in the task's row. Columns before the first one and past the last one are combined like
/// others, and not stored in the end.
static void carriedStep(Emitter *e, const CarriedReduce *c, int64_t k, Partial *partials) {
  Values *v = e->values;
  if (c->root->mapping.run > 0) {
    const AlignedVector *vector = alignedAt(e, c->root, k);
    for (int64_t i = 0; i < vector->numRuns; ++i)
      reductionElements(e, &c->reduction, alignedColumn(v, vector, i), e->task.row, vector->run, e->task.rowValid,
                        partials + i * vector->run.count);
    return;
  }
  Lanes lanes = lanesOf(v, c->root->mapping.vector);
  const IndexExpr *column = columnsAt(e, c->root, k).index;
  column = lanes.variable ? indexAdd(v->index, column, lanes.variable) : column;
  reductionElements(e, &c->reduction, column, e->task.row, lanes, e->task.rowValid, partials);
}

void emitCarried(Emitter *e, const KernelRoot *root) {
  const StitchMapping *m = &root->mapping;
  CarriedReduce *c = findCarried(e, root);
  for (int64_t k = 0; k < m->unroll; ++k) {
    Partial partials[KERNEL_MAX_LANES], *accumulators = c->accumulators + k * m->vector;
    carriedStep(e, c, k, partials);
    if (m->sumsInShared)
      loadAccumulators(e, c, k, accumulators);
    for (int64_t lane = 0; lane < m->vector; ++lane)
      accumulators[lane] = reductionCombine(e->values, &c->reduction, accumulators[lane], partials[lane]);
    if (m->sumsInShared)
      storeAccumulators(e, c, k, accumulators);
  }
}

//===----------------------------------------------------------------------===//
// Behind the loop
//===----------------------------------------------------------------------===//

/// Stores sums of neighbouring columns, from `column` on: partial results, or results.
static void storeSums(Emitter *e, const CarriedReduce *c, const IndexExpr *column, Lanes lanes, Partial *sums,
                      MlirValue condition) {
  Values *v = e->values;
  const IndexExpr *linear = lanes.variable ? indexAdd(v->index, column, lanes.variable) : column;
  for (int64_t lane = 0; !c->root->isSplit && lane < lanes.count; ++lane)
    sums[lane] = reductionNarrow(v, &c->reduction, sums[lane]);
  for (intptr_t i = 0; i < c->reduction.count; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      values[lane] = sums[lane].values[i];
    storeRoot(e, c->root, i, linear, lanes, (Bundle){lanes.count, values}, condition);
  }
}

/// The block's rows of threads combine their sums, and store the result.
static void finishInBlock(Emitter *e, CarriedReduce *c) {
  const StitchMapping *m = &c->root->mapping;
  for (int64_t k = 0; k < m->unroll; ++k)
    combineRowsAndStore(e, c->root, &c->reduction, c->accumulators + k * m->vector, columnsAt(e, c->root, k));
}

/// The same of one row of threads, with vectors that begin at aligned places.
static void finishRuns(Emitter *e, CarriedReduce *c) {
  const StitchMapping *m = &c->root->mapping;
  for (int64_t k = 0; k < m->unroll; ++k) {
    const AlignedVector *vector = alignedAt(e, c->root, k);
    for (int64_t i = 0; i < vector->numRuns; ++i)
      storeSums(e, c, vector->runs[i].index, vector->run, c->accumulators + k * m->vector + i * m->run,
                vector->runs[i].valid);
  }
}

//===----------------------------------------------------------------------===//
// Rows of threads, of each of which the vectors begin elsewhere
//===----------------------------------------------------------------------===//

/// Runs of columns that a thread has of those that the block has, shared out to all threads.
static int64_t runsOfThread(const StitchMapping *m) { return ceilDiv(m->columns, planBlockSize(m) * planRunOf(m)); }

/// The thread's run number `number` of these.
static Position runAt(Emitter *e, const CarriedReduce *c, int64_t number) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  const IndexExpr *thread = indexAdd(v->index, indexScale(v->index, e->task.localRow, m->rowThreads), e->task.lane);
  const IndexExpr *run = indexAddConstant(v->index, thread, number * planBlockSize(m));
  return positionInside(v, indexScale(v->index, run, planRunOf(m)), c->root->columns, planRunOf(m));
}

/// Each row of threads leaves its sums where their columns are: a vector of room lies before the first one.
static void leaveRows(Emitter *e, const CarriedReduce *c, const MlirValue *areas) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  Lanes lanes = lanesOf(v, m->run);
  const IndexExpr *row = indexScale(v->index, e->task.localRow, planPitchOfSums(m));
  const IndexExpr *phase = alignedPhase(v, e->task.row, m);
  for (int64_t k = 0; k < m->unroll; ++k)
    for (int64_t i = 0; i < m->vector; i += m->run) {
      const IndexExpr *column = indexAddConstant(v->index, placeInBlock(e, c->root, k), m->vector + i);
      const IndexExpr *place = indexAdd(v->index, row, indexAdd(v->index, column, indexScale(v->index, phase, -1)));
      place = lanes.variable ? indexAdd(v->index, place, lanes.variable) : place;
      storeColumnPartials(e->memory, &c->reduction, lanes, areas, place, c->accumulators + k * m->vector + i,
                          (MlirValue){NULL});
    }
}

/// Combines `count` of the rows from `first` on, at `place` in each.
static void combineRows(Emitter *e, const CarriedReduce *c, const MlirValue *areas, const IndexExpr *place,
                        const IndexExpr *first, int64_t count, Partial *sums) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  Lanes lanes = lanesOf(v, m->run);
  Partial rows[ROWS_AT_ONCE][KERNEL_MAX_LANES], column[ROWS_AT_ONCE];
  for (int64_t row = 0; row < count; ++row) {
    const IndexExpr *start = indexScale(v->index, indexAddConstant(v->index, first, row), planPitchOfSums(m));
    loadColumnPartials(e->memory, &c->reduction, lanes, areas, indexAdd(v->index, place, start), rows[row]);
  }
  for (int64_t lane = 0; lane < m->run; ++lane) {
    for (int64_t row = 0; row < count; ++row)
      column[row] = rows[row][lane];
    sums[lane] = reductionCombineTree(v, &c->reduction, column, count);
  }
}

/// The same for all rows of the block: a loop if that is more than fits into registers.
static void combineAllRows(Emitter *e, const CarriedReduce *c, const MlirValue *areas, const IndexExpr *place,
                           Partial *sums) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  int64_t together = min64(m->blockRows, ROWS_AT_ONCE), rounds = m->blockRows / together;
  combineRows(e, c, areas, place, indexConstant(v->index, 0), together, sums);
  if (rounds == 1)
    return;
  MlirValue carried[KERNEL_MAX_LANES * KERNEL_MAX_RESULTS];
  intptr_t numCarried = reductionFlatten(&c->reduction, sums, m->run, carried);
  RoundLoop loop = beginRounds(e->memory, 1, rounds, carried, numCarried);
  Partial some[KERNEL_MAX_LANES];
  reductionUnflatten(&c->reduction, carried, m->run, sums);
  combineRows(e, c, areas, place, indexScale(v->index, loop.round, together), together, some);
  for (int64_t lane = 0; lane < m->run; ++lane)
    sums[lane] = reductionCombine(v, &c->reduction, sums[lane], some[lane]);
  reductionFlatten(&c->reduction, sums, m->run, carried);
  endRounds(e->memory, &loop, carried, numCarried);
  reductionUnflatten(&c->reduction, carried, m->run, sums);
}

/// Leaves the block's sums in the registers of its threads, run by run.
static void combineRuns(Emitter *e, CarriedReduce *c) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  MlirValue areas[KERNEL_MAX_RESULTS];
  reductionAreas(v, &c->reduction, e->memory->shared, nextReductionAreas(e), m->blockRows * planPitchOfSums(m), areas);
  leaveRows(e, c, areas);
  gpuBarrier(&v->b);
  Lanes lanes = lanesOf(v, m->run);
  c->sums = IR_NEW_ARRAY(&v->arena, Partial, runsOfThread(m) * m->run);
  for (int64_t i = 0; i < runsOfThread(m); ++i) {
    const IndexExpr *place = indexAddConstant(v->index, runAt(e, c, i).index, m->vector);
    place = lanes.variable ? indexAdd(v->index, place, lanes.variable) : place;
    combineAllRows(e, c, areas, place, c->sums + i * m->run);
  }
}

/// The same, and stores them.
static void finishRows(Emitter *e, CarriedReduce *c) {
  int64_t run = c->root->mapping.run;
  combineRuns(e, c);
  for (int64_t i = 0; i < runsOfThread(&c->root->mapping); ++i) {
    Position column = runAt(e, c, i);
    storeSums(e, c, column.index, lanesOf(e->values, run), c->sums + i * run, column.valid);
  }
}

//===----------------------------------------------------------------------===//
// Clusters whose blocks have rows of their own
//===----------------------------------------------------------------------===//

/// Leaves the sums of the block in registers: those of the accumulators' columns, or runs of columns.
static void combineInBlock(Emitter *e, CarriedReduce *c) {
  StitchMapping block = c->root->mapping;
  block.cluster = 1;
  if (block.run > 0)
    combineRuns(e, c);
  for (int64_t k = 0; block.run == 0 && block.blockRows > 1 && k < block.unroll; ++k)
    exchangeRows(e, &c->reduction, &block, c->accumulators + k * block.vector);
}

/// Leaves them in the block's shared memory, in the order of their columns.
static void shareSums(Emitter *e, const CarriedReduce *c, const MlirValue *areas) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  bool haveRuns = m->run > 0;
  MlirValue first = m->blockRows > 1 && !haveRuns ? isZero(v, e->task.localRow) : (MlirValue){NULL};
  int64_t count = haveRuns ? runsOfThread(m) : m->unroll;
  Lanes lanes = lanesOf(v, planRunOf(m));
  for (int64_t k = 0; k < count; ++k) {
    Position run = haveRuns ? runAt(e, c, k) : (Position){placeInBlock(e, c->root, k), first};
    const IndexExpr *place = lanes.variable ? indexAdd(v->index, run.index, lanes.variable) : run.index;
    storeColumnPartials(e->memory, &c->reduction, lanes, areas, place,
                        (haveRuns ? c->sums : c->accumulators) + k * planRunOf(m), run.valid);
  }
}

/// Combines the blocks' sums of the columns from `column` on, and stores them.
static void combineBlocks(Emitter *e, const CarriedReduce *c, int64_t offset, Position column) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  Lanes lanes = lanesOf(v, planRunOf(m));
  const IndexExpr *place = lanes.variable ? indexAdd(v->index, column.index, lanes.variable) : column.index;
  Partial sums[KERNEL_MAX_LANES], ofBlock[KERNEL_MAX_LANES];
  for (int64_t block = 0; block < m->cluster; ++block) {
    MlirValue areas[KERNEL_MAX_RESULTS];
    reductionAreas(v, &c->reduction, clusterMemory(e->memory, indexConstant(v->index, block)), offset,
                   planColumnsOfBlock(m), areas);
    loadColumnPartials(e->memory, &c->reduction, lanes, areas, place, ofBlock);
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      sums[lane] = block == 0 ? ofBlock[lane] : reductionCombine(v, &c->reduction, sums[lane], ofBlock[lane]);
  }
  storeSums(e, c, column.index, lanes, sums, column.valid);
}

/// Where the blocks of a cluster find each other's sums, once all have passed a barrier.
static int64_t placeOfSharedSums(Emitter *e, const CarriedReduce *c) {
  const StitchMapping *m = &c->root->mapping;
  if (m->sumsInShared)
    return planPlaceOfSums(e->plan->fusion, c->root->op);
  int64_t offset = nextReductionAreas(e);
  MlirValue areas[KERNEL_MAX_RESULTS];
  reductionAreas(e->values, &c->reduction, e->memory->shared, offset, planColumnsOfBlock(m), areas);
  shareSums(e, c, areas);
  return offset;
}

/// The blocks of a cluster share the work: of each round of vectors, or runs, a block has as many as it has threads.
static void finishInCluster(Emitter *e, const CarriedReduce *c) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  int64_t offset = placeOfSharedSums(e, c), perRound = m->cluster * planBlockSize(m) * planRunOf(m);
  gpuClusterBarrier(&v->b);
  const IndexExpr *thread = indexAdd(v->index, indexScale(v->index, e->task.localRow, m->rowThreads), e->task.lane);
  const IndexExpr *mine = indexAdd(v->index, thread, indexScale(v->index, e->task.rank, planBlockSize(m)));
  for (int64_t first = 0; first < m->columns; first += perRound) {
    const IndexExpr *column = indexAddConstant(v->index, indexScale(v->index, mine, planRunOf(m)), first);
    combineBlocks(e, c, offset, positionInside(v, column, c->root->columns, planRunOf(m)));
  }
}

/// Finishes each reduce up to the combination of the cluster's blocks, if there is one.
static void finishReduce(Emitter *e, CarriedReduce *c) {
  const StitchMapping *m = &c->root->mapping;
  bool areWhereOthersRead = m->sumsInShared && planSharesSums(m);
  if (areWhereOthersRead)
    return;
  for (int64_t k = 0; m->sumsInShared && k < m->unroll; ++k)
    loadAccumulators(e, c, k, c->accumulators + k * m->vector);
  if (planSharesSums(m))
    combineInBlock(e, c);
  else if (m->run == 0)
    finishInBlock(e, c);
  else if (m->blockRows == 1)
    finishRuns(e, c);
  else
    finishRows(e, c);
}

void carriedFinish(Emitter *e, MlirValue worker, int64_t numWorkers) {
  bool shares = e->carried->count > 0 && planSharesSums(&e->carried->data[0].root->mapping);
  int64_t cluster = shares ? e->plan->launch.cluster : 1;
  e->task.partial = bindIndex(e->values, shares ? e->task.clusterId : worker, numWorkers / cluster);
  e->task.rowValid = (MlirValue){NULL};
  e->memory->traffic.executions = e->plan->launch.grid * e->plan->launch.block;
  for (intptr_t i = 0; i < e->carried->count; ++i)
    finishReduce(e, &e->carried->data[i]);
  // All exchanges within blocks come before the first of clusters: other blocks may still read a block's partial
  // results.
  for (intptr_t i = 0; shares && i < e->carried->count; ++i)
    finishInCluster(e, &e->carried->data[i]);
  trafficEndSweep(e->memory);
  e->carried->count = 0;
}
