//===- carried.c - column reductions that a row loop carries -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task loop over rows has every element in a register at some time; a column reduce of the same elements combines
// them on the way (docs/ir.md, "carried"). A thread has the same columns in all its rows, so its accumulators stay in
// registers from task to task. After the last task the block's rows of threads combine theirs, and the block's partial
// result goes to scratch memory: the elements are read once, for row and column reductions alike. The blocks of a
// cluster that have rows of their own combine their results before.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "lowering/kernel/gpu/gpu_function.h"

#include <stdlib.h>

/// A carried root of the current task loop.
typedef struct {
  KernelRoot *root;
  Reduction reduction;
  Partial *accumulators; ///< one for each of the thread's columns
} CarriedReduce;

struct CarriedReduces {
  CarriedReduce *data;
  intptr_t count;
};

static int64_t columnsOfThread(const KernelRoot *root) { return root->mapping.vector * root->mapping.unroll; }

bool carriedBegin(Emitter *e) {
  Values *v = e->values;
  e->carried = IR_NEW(&v->arena, struct CarriedReduces);
  *e->carried = (struct CarriedReduces){IR_NEW_ARRAY(&v->arena, CarriedReduce, e->loop->numRoots), 0};
  for (intptr_t i = 0; i < e->loop->numRoots && !e->loop->finishes; ++i) {
    KernelRoot *root = &e->plan->roots[e->loop->roots[i]];
    if (root->mapping.kind != STITCH_MAPPING_CARRIED)
      continue;
    CarriedReduce *c = &e->carried->data[e->carried->count++];
    *c = (CarriedReduce){root, reductionOf(e, root->op), IR_NEW_ARRAY(&v->arena, Partial, columnsOfThread(root))};
    for (int64_t j = 0; j < columnsOfThread(root); ++j)
      c->accumulators[j] = c->reduction.identity;
  }
  return e->carried->count > 0;
}

intptr_t carriedValues(const Emitter *e, MlirValue **values) {
  intptr_t count = 0;
  for (intptr_t i = 0; i < e->carried->count; ++i)
    count += columnsOfThread(e->carried->data[i].root) * e->carried->data[i].reduction.count;
  MlirValue *next = *values = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < e->carried->count; ++i)
    next += reductionFlatten(&e->carried->data[i].reduction, e->carried->data[i].accumulators,
                             columnsOfThread(e->carried->data[i].root), next);
  return count;
}

void carriedSetValues(Emitter *e, const MlirValue *values) {
  for (intptr_t i = 0; i < e->carried->count; ++i) {
    CarriedReduce *c = &e->carried->data[i];
    reductionUnflatten(&c->reduction, values, columnsOfThread(c->root), c->accumulators);
    values += columnsOfThread(c->root) * c->reduction.count;
  }
}

/// The thread's columns in step `k`.
static Position columnsAt(Emitter *e, const KernelRoot *root, int64_t k) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  const IndexExpr *base =
      indexAddConstant(v->index, indexScale(v->index, e->task.lane, m->vector), k * m->rowThreads * m->vector);
  base = indexAdd(v->index, base, indexScale(v->index, e->task.chunk, planColumnsOfBlock(m)));
  return positionInside(v, base, root->columns, m->vector);
}

static CarriedReduce *findCarried(const Emitter *e, const KernelRoot *root) {
  for (intptr_t i = 0; i < e->carried->count; ++i)
    if (e->carried->data[i].root == root)
      return &e->carried->data[i];
  return NULL;
}

void emitCarried(Emitter *e, const KernelRoot *root) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  CarriedReduce *c = findCarried(e, root);
  Lanes lanes = lanesOf(v, m->vector);
  for (int64_t k = 0; k < m->unroll; ++k) {
    Partial partials[KERNEL_MAX_LANES], *accumulators = c->accumulators + k * m->vector;
    // Columns past the last one are combined like others, and not stored in the end.
    const IndexExpr *column = columnsAt(e, root, k).index;
    column = lanes.variable ? indexAdd(v->index, column, lanes.variable) : column;
    reductionElements(e, &c->reduction, column, e->task.row, lanes, e->task.rowValid, partials);
    for (int64_t lane = 0; lane < m->vector; ++lane)
      accumulators[lane] = reductionCombine(v, &c->reduction, accumulators[lane], partials[lane]);
  }
}

//===----------------------------------------------------------------------===//
// Behind the loop
//===----------------------------------------------------------------------===//

/// The block's rows of threads combine what they have, and store it, or the result.
static void finishInBlock(Emitter *e, CarriedReduce *c) {
  const StitchMapping *m = &c->root->mapping;
  for (int64_t k = 0; k < m->unroll; ++k)
    combineRowsAndStore(e, c->root, &c->reduction, c->accumulators + k * m->vector, columnsAt(e, c->root, k));
}

/// The same where a cluster's blocks will combine theirs: all threads of the block have the results.
static void combineInBlock(Emitter *e, CarriedReduce *c) {
  StitchMapping block = c->root->mapping;
  block.cluster = 1;
  for (int64_t k = 0; block.blockRows > 1 && k < block.unroll; ++k)
    exchangeRows(e, &c->reduction, &block, c->accumulators + k * block.vector);
}

/// Leaves the sums of all columns in the block's shared memory, in their order.
static void shareSums(Emitter *e, const CarriedReduce *c, const MlirValue *areas) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  MlirValue first = m->blockRows > 1 ? isZero(v, e->task.localRow) : (MlirValue){NULL};
  Lanes lanes = lanesOf(v, m->vector);
  for (int64_t k = 0; k < m->unroll; ++k) {
    const IndexExpr *place =
        indexAddConstant(v->index, indexScale(v->index, e->task.lane, m->vector), k * m->rowThreads * m->vector);
    place = lanes.variable ? indexAdd(v->index, place, lanes.variable) : place;
    storeColumnPartials(e->memory, &c->reduction, lanes, areas, place, c->accumulators + k * m->vector, first);
  }
}

/// Combines the blocks' sums of the columns from `column` on, and stores them.
static void combineBlocks(Emitter *e, const CarriedReduce *c, int64_t offset, Position column) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  Lanes lanes = lanesOf(v, m->vector);
  const IndexExpr *place = lanes.variable ? indexAdd(v->index, column.index, lanes.variable) : column.index;
  Partial sums[KERNEL_MAX_LANES], ofBlock[KERNEL_MAX_LANES];
  for (int64_t block = 0; block < m->cluster; ++block) {
    MlirValue areas[KERNEL_MAX_RESULTS];
    reductionAreas(v, &c->reduction, clusterMemory(e->memory, indexConstant(v->index, block)), offset,
                   planColumnsOfBlock(m), areas);
    loadColumnPartials(e->memory, &c->reduction, lanes, areas, place, ofBlock);
    for (int64_t lane = 0; lane < m->vector; ++lane)
      sums[lane] = block == 0 ? ofBlock[lane] : reductionCombine(v, &c->reduction, sums[lane], ofBlock[lane]);
  }
  storeCombined(e, c->root, &c->reduction, sums, column);
}

/// The blocks of a cluster share the work: of each round of vectors a block has as many as it has threads.
static void finishInCluster(Emitter *e, const CarriedReduce *c) {
  Values *v = e->values;
  const StitchMapping *m = &c->root->mapping;
  int64_t offset = nextReductionAreas(e), perRound = m->cluster * planBlockSize(m) * m->vector;
  MlirValue areas[KERNEL_MAX_RESULTS];
  reductionAreas(v, &c->reduction, e->memory->shared, offset, planColumnsOfBlock(m), areas);
  shareSums(e, c, areas);
  gpuClusterBarrier(&v->b);
  const IndexExpr *thread = indexAdd(v->index, indexScale(v->index, e->task.localRow, m->rowThreads), e->task.lane);
  const IndexExpr *mine = indexAdd(v->index, thread, indexScale(v->index, e->task.rank, planBlockSize(m)));
  for (int64_t first = 0; first < m->columns; first += perRound) {
    const IndexExpr *column = indexAddConstant(v->index, indexScale(v->index, mine, m->vector), first);
    combineBlocks(e, c, offset, positionInside(v, column, c->root->columns, m->vector));
  }
}

void carriedFinish(Emitter *e, MlirValue worker, int64_t numWorkers) {
  bool shares = e->carried->count > 0 && planSharesSums(&e->carried->data[0].root->mapping);
  int64_t cluster = shares ? e->plan->launch.cluster : 1;
  e->task.partial = bindIndex(e->values, shares ? e->task.clusterId : worker, numWorkers / cluster);
  e->task.rowValid = (MlirValue){NULL};
  e->memory->traffic.executions = e->plan->launch.grid * e->plan->launch.block;
  for (intptr_t i = 0; i < e->carried->count; ++i)
    (shares ? combineInBlock : finishInBlock)(e, &e->carried->data[i]);
  // All exchanges within blocks come before the first of clusters: other blocks may still read what one leaves for
  // them.
  for (intptr_t i = 0; shares && i < e->carried->count; ++i)
    finishInCluster(e, &e->carried->data[i]);
  trafficEndSweep(e->memory);
  e->carried->count = 0;
}
