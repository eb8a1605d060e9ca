//===- emit_carried.c - column reductions that a row loop carries ---------===//
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

#include "lowering/stitch_to_gpu/reduction.h"

#include <stdlib.h>

/// A carried root of the current task loop.
struct CarriedReduce {
  KernelRoot *root;
  Reduction reduction;
  Partial *accumulators; ///< one for each of the thread's columns
};

static int64_t columnsOfThread(const KernelRoot *root) { return root->mapping.vector * root->mapping.unroll; }

bool carriedBegin(Emitter *e) {
  e->carried = IR_NEW_ARRAY(&e->arena, CarriedReduce, e->loop->numRoots);
  e->numCarried = 0;
  for (intptr_t i = 0; i < e->loop->numRoots && !e->loop->finishes; ++i) {
    KernelRoot *root = &e->plan->roots[e->loop->roots[i]];
    if (root->mapping.kind != STITCH_MAPPING_CARRIED)
      continue;
    CarriedReduce *c = &e->carried[e->numCarried++];
    *c = (CarriedReduce){root, reductionOf(e, root->op), IR_NEW_ARRAY(&e->arena, Partial, columnsOfThread(root))};
    for (int64_t j = 0; j < columnsOfThread(root); ++j)
      c->accumulators[j] = c->reduction.identity;
  }
  return e->numCarried > 0;
}

intptr_t carriedValues(const Emitter *e, MlirValue **values) {
  intptr_t count = 0;
  for (intptr_t i = 0; i < e->numCarried; ++i)
    count += columnsOfThread(e->carried[i].root) * e->carried[i].reduction.count;
  MlirValue *next = *values = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < e->numCarried; ++i)
    next += reductionFlatten(&e->carried[i].reduction, e->carried[i].accumulators, columnsOfThread(e->carried[i].root),
                             next);
  return count;
}

void carriedSetValues(Emitter *e, const MlirValue *values) {
  for (intptr_t i = 0; i < e->numCarried; ++i) {
    CarriedReduce *c = &e->carried[i];
    reductionUnflatten(&c->reduction, values, columnsOfThread(c->root), c->accumulators);
    values += columnsOfThread(c->root) * c->reduction.count;
  }
}

/// The thread's columns in step `k`.
static Position columnsAt(Emitter *e, const KernelRoot *root, int64_t k) {
  const StitchMapping *m = &root->mapping;
  const IndexExpr *base =
      indexAddConstant(e->index, indexScale(e->index, e->lane, m->vector), k * m->rowThreads * m->vector);
  base = indexAdd(e->index, base, indexScale(e->index, e->chunk, planColumnsOfBlock(m)));
  return positionInside(e, base, root->columns, m->vector);
}

static CarriedReduce *findCarried(const Emitter *e, const KernelRoot *root) {
  for (intptr_t i = 0; i < e->numCarried; ++i)
    if (e->carried[i].root == root)
      return &e->carried[i];
  return NULL;
}

void emitCarried(Emitter *e, const KernelRoot *root) {
  const StitchMapping *m = &root->mapping;
  CarriedReduce *c = findCarried(e, root);
  Lanes lanes = lanesOf(e, m->vector);
  for (int64_t k = 0; k < m->unroll; ++k) {
    Partial partials[KERNEL_MAX_LANES], *accumulators = c->accumulators + k * m->vector;
    // Columns past the last one are combined like others, and not stored in the end.
    const IndexExpr *column = columnsAt(e, root, k).index;
    column = lanes.variable ? indexAdd(e->index, column, lanes.variable) : column;
    reductionElements(e, &c->reduction, column, e->row, lanes, e->rowValid, partials);
    for (int64_t lane = 0; lane < m->vector; ++lane)
      accumulators[lane] = reductionCombine(e, &c->reduction, accumulators[lane], partials[lane]);
  }
}

void carriedFinish(Emitter *e, MlirValue worker, int64_t numWorkers) {
  e->partial = bindIndex(e, worker, numWorkers);
  e->rowValid = (MlirValue){NULL};
  e->traffic.executions = e->plan->launch.grid * e->plan->launch.block;
  for (intptr_t i = 0; i < e->numCarried; ++i) {
    CarriedReduce *c = &e->carried[i];
    const StitchMapping *m = &c->root->mapping;
    for (int64_t k = 0; k < m->unroll; ++k)
      combineRowsAndStore(e, c->root, &c->reduction, c->accumulators + k * m->vector, columnsAt(e, c->root, k));
  }
  trafficEndSweep(e);
  e->numCarried = 0;
}
