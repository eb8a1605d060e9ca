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
// result goes to scratch memory: the elements are read once, for row and column reductions alike.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

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

void carriedFinish(Emitter *e, MlirValue worker, int64_t numWorkers) {
  e->task.partial = bindIndex(e->values, worker, numWorkers);
  e->task.rowValid = (MlirValue){NULL};
  e->memory->traffic.executions = e->plan->launch.grid * e->plan->launch.block;
  for (intptr_t i = 0; i < e->carried->count; ++i) {
    CarriedReduce *c = &e->carried->data[i];
    const StitchMapping *m = &c->root->mapping;
    for (int64_t k = 0; k < m->unroll; ++k)
      combineRowsAndStore(e, c->root, &c->reduction, c->accumulators + k * m->vector, columnsAt(e, c->root, k));
  }
  trafficEndSweep(e->memory);
  e->carried->count = 0;
}
