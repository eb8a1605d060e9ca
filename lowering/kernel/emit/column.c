//===- column.c - task loops of column reductions ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block owns a tile of columns and a chunk of rows (docs/ir.md, "column"). Its threads loop over the rows and combine
// their elements. Then the block has the results of its columns in registers, and roots that need no more than these
// follow immediately. They are the kept elements ("kept"), and further passes over the same rows, of roots that read
// the results of their columns.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/emit/emit.h"

#include "lowering/kernel/values/evaluate.h"
#include "lowering/kernel/values/residents.h"

#include <stdlib.h>

/// Rounds of steps that are worth a loop for the rest of them.
enum { MANY_ROUNDS = 4 };

/// Steps behind the last full round that are worth code without masks.
enum { MIN_REST = 4 };

/// The thread's row in step `k`.
static Position rowOf(Emitter *e, const StitchMapping *m, const IndexExpr *k) {
  Values *v = e->values;
  const IndexExpr *base = indexAdd(v->index, indexScale(v->index, k, m->blockRows), e->task.localRow);
  base = indexAdd(v->index, base, indexScale(v->index, e->task.chunk, m->blockRows * m->unroll));
  return positionOfStep(e, base, e->loop->rows, 1);
}

//===----------------------------------------------------------------------===//
// Passes over the rows
//===----------------------------------------------------------------------===//

LoopElements columnStepElements(Emitter *e, const IndexExpr *k) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  Position row = rowOf(e, m, k);
  Lanes lanes = lanesOf(v, m->vector);
  const IndexExpr *kept = columnOf(e).index;
  kept = lanes.variable ? indexAdd(v->index, kept, lanes.variable) : kept;
  return (LoopElements){row.index, kept, row.valid, lanes};
}

static void columnStep(Emitter *e, const Reduction *r, const IndexExpr *k, Partial *partials) {
  LoopElements at = columnStepElements(e, k);
  residentsBeginStep(e, &e->loop->mapping, k, at.row, at.column);
  reductionElements(e, r, at.column, at.row, at.lanes, at.valid, partials);
  residentsEndStep(e);
}

/// A root of a column loop while its steps are emitted.
typedef struct {
  KernelRoot *root;
  Reduction reduction;                                    // of a reduce
  Partial partials[PLAN_ROWS_AT_ONCE * KERNEL_MAX_LANES]; // of a reduce: the elements of the steps in flight
  Partial accumulators[KERNEL_MAX_LANES];                 // of a reduce: the result so far
  Step steps[PLAN_ROWS_AT_ONCE];                          // of an elementwise root
} ColumnRoot;

/// The elements of an elementwise root that its thread would reduce in this step.
static Step elementwiseColumnStep(Emitter *e, const KernelRoot *root, const IndexExpr *k) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  Position row = rowOf(e, m, k), column = columnOf(e);
  Step step = {.lanes = lanesOf(v, m->vector), .valid = bothOf(v, row.valid, column.valid)};
  step.linear = indexAdd(v->index, indexScale(v->index, row.index, m->columns), column.index);
  if (step.lanes.variable)
    step.linear = indexAdd(v->index, step.linear, step.lanes.variable);
  evaluateStep(e, root, &step);
  return step;
}

/// The roots that one pass over the rows computes.
typedef struct {
  intptr_t count;
  ColumnRoot *roots;
  PlanColumnReads reads;
  int64_t atOnce; ///< steps that are combined together
} ColumnPass;

/// Whether the elements of `count` steps of all elementwise roots fit into registers, so that they can be stored when
/// all loads are under way.
static bool fitRegisters(const Emitter *e, const ColumnPass *sweep, int64_t count) {
  int64_t elementwise = 0;
  for (intptr_t j = 0; j < sweep->count; ++j)
    elementwise += !sweep->roots[j].root->isReduce;
  return elementwise * count * e->loop->mapping.vector <= MAX_ELEMENTS_IN_FLIGHT;
}

/// Emits `count` steps of all roots, which share their loads, and combines those of each reduce into its accumulators,
/// or leaves them there if these are the first.
static void columnSteps(Emitter *e, const ColumnPass *sweep, const IndexExpr *first, int64_t count, bool isFirst) {
  Values *v = e->values;
  int64_t lanes = e->loop->mapping.vector, numReduces = 0;
  bool storeLater = fitRegisters(e, sweep, count);
  for (intptr_t j = 0; j < sweep->count; ++j)
    numReduces += sweep->roots[j].root->isReduce;
  for (int64_t i = 0; i < count; ++i)
    for (intptr_t j = 0; j < sweep->count; ++j) {
      ColumnRoot *c = &sweep->roots[j];
      const IndexExpr *k = indexAddConstant(v->index, first, i);
      if (c->root->isReduce)
        columnStep(e, &c->reduction, k, c->partials + i * lanes);
      else
        c->steps[i] = elementwiseColumnStep(e, c->root, k);
      if (!c->root->isReduce && !storeLater)
        storeStep(e, c->root, &c->steps[i]);
    }
  for (intptr_t j = 0; count && j < sweep->count; ++j) {
    ColumnRoot *c = &sweep->roots[j];
    for (int64_t i = 0; storeLater && !c->root->isReduce && i < count; ++i)
      storeStep(e, c->root, &c->steps[i]);
    for (int64_t lane = 0; c->root->isReduce && lane < lanes; ++lane) {
      Partial column[PLAN_ROWS_AT_ONCE];
      for (int64_t i = 0; i < count; ++i)
        column[i] = c->partials[i * lanes + lane];
      c->accumulators[lane] =
          isFirst ? reductionCombineTree(v, &c->reduction, column, count)
                  : reductionAccumulate(v, &c->reduction, c->accumulators[lane], column, count, numReduces * lanes);
    }
  }
}

/// All values of the reduces' accumulators, one after the other. Returns how many.
static intptr_t flattenColumns(const Emitter *e, const ColumnPass *sweep, MlirValue *values) {
  intptr_t count = 0;
  for (intptr_t j = 0; j < sweep->count; ++j) {
    const ColumnRoot *c = &sweep->roots[j];
    if (c->root->isReduce)
      count += reductionFlatten(&c->reduction, c->accumulators, e->loop->mapping.vector, values + count);
  }
  return count;
}

static void unflattenColumns(const Emitter *e, const ColumnPass *sweep, const MlirValue *values) {
  for (intptr_t j = 0; j < sweep->count; ++j) {
    ColumnRoot *c = &sweep->roots[j];
    if (!c->root->isReduce)
      continue;
    reductionUnflatten(&c->reduction, values, e->loop->mapping.vector, c->accumulators);
    values += e->loop->mapping.vector * c->reduction.count;
  }
}

static void emitColumnRound(Emitter *e, const void *steps, const IndexExpr *first, int64_t count, MlirValue *carried) {
  const ColumnPass *sweep = steps;
  unflattenColumns(e, sweep, carried);
  for (int64_t i = 0; i < count; i += sweep->atOnce)
    columnSteps(e, sweep, indexAddConstant(e->values->index, first, i), min64(sweep->atOnce, count - i),
                /*isFirst=*/false);
  flattenColumns(e, sweep, carried);
}

/// Steps from `first` on, in `count` rounds of `together` in flight, as a loop that carries the accumulators of all
/// reduces.
static void loopedColumnRounds(Emitter *e, const ColumnPass *sweep, int64_t first, int64_t count, int64_t together) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  MlirValue *carried = irAllocate(sizeof(MlirValue) * (size_t)(sweep->count * m->vector * KERNEL_MAX_RESULTS));
  intptr_t numCarried = flattenColumns(e, sweep, carried);
  const IndexExpr *chunk = indexScale(v->index, e->task.chunk, m->blockRows * m->unroll);
  const Rounds all = {.count = count,
                      .together = together,
                      .firstStep = first,
                      .first = indexAddConstant(v->index, chunk, first * m->blockRows),
                      .perStep = m->blockRows,
                      .size = e->loop->rows,
                      .steps = sweep,
                      .emit = emitColumnRound};
  e->atHand.first = first;
  emitRounds(e, &all, carried, numCarried);
  unflattenColumns(e, sweep, carried);
  free(carried);
}

/// Steps from `first` up to `end` by loops over rounds of several batches, of half as many, down to one. If those of
/// the last batch, which is not full, are many, two loops compute them, of which each block runs one: without masks, or
/// with them.
static void loopedColumnSteps(Emitter *e, const ColumnPass *sweep, int64_t first, int64_t end) {
  int64_t together = sweep->atOnce * planBatchesAtOnce(&sweep->reads, end - first), rest = first;
  int64_t rounds = (end - first) / sweep->atOnce;
  for (; together >= sweep->atOnce; together /= 2) {
    loopedColumnRounds(e, sweep, rest, (end - rest) / together, together);
    rest += (end - rest) / together * together;
  }
  if (rounds >= MANY_ROUNDS && end - rest >= MIN_REST && !indexIsConstant(e->task.chunk))
    loopedColumnRounds(e, sweep, rest, 1, end - rest);
  else
    columnSteps(e, sweep, indexConstant(e->values->index, rest), end - rest, /*isFirst=*/false);
}

/// Steps one by one: their loads and results stay in registers, for later passes to find.
static void straightColumnSteps(Emitter *e, const ColumnPass *sweep, int64_t first, int64_t end, bool isFirst) {
  for (int64_t k = first; k < end; k += sweep->atOnce)
    columnSteps(e, sweep, indexConstant(e->values->index, k), min64(sweep->atOnce, end - k), isFirst && k == first);
}

/// All steps by loops, except those that have their loads in registers.
static void columnStepsByParts(Emitter *e, const ColumnPass *sweep) {
  int64_t lanes = e->loop->mapping.vector, steps = e->loop->mapping.unroll;
  for (intptr_t j = 0; j < sweep->count; ++j)
    for (int64_t lane = 0; sweep->roots[j].root->isReduce && lane < lanes; ++lane)
      sweep->roots[j].accumulators[lane] = sweep->roots[j].reduction.identity;
  for (int64_t first = 0, end; first < steps; first = end) {
    bool inRegisters;
    end = residentsEndOfSteps(e, &e->loop->mapping, first, steps, &inRegisters);
    if (inRegisters || end - first < sweep->atOnce)
      straightColumnSteps(e, sweep, first, end, /*isFirst=*/false);
    else
      loopedColumnSteps(e, sweep, first, end);
  }
}

//===----------------------------------------------------------------------===//
// The block's results of its columns
//===----------------------------------------------------------------------===//

/// Leaves the results of the thread's columns in its registers.
static void keepColumns(Emitter *e, const KernelRoot *root, const Reduction *r, const Partial *partials) {
  Values *v = e->values;
  int64_t lanes = e->loop->mapping.vector;
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, lanes), value = root->results[i].value;
    for (int64_t lane = 0; lane < lanes; ++lane)
      values[lane] = partials[lane].values[i];
    IndexVector index = indexOfColumns(e, value);
    memoAdd(&v->memo, value.ptr, &index, (MemoValue){.bundle = {lanes, values}});
  }
}

/// The result of a reduce: stored by the first row of threads, and left in registers of all if roots of the task read
/// it.
static void finishColumns(Emitter *e, ColumnRoot *c) {
  Values *v = e->values;
  Position column = columnOf(e);
  if (c->root->scheme != STITCH_SCHEME_REGIONAL) {
    combineRowsAndStore(e, c->root, &c->reduction, c->accumulators, column);
    return;
  }
  exchangeRows(e, &c->reduction, &e->loop->mapping, c->accumulators);
  for (int64_t lane = 0; lane < e->loop->mapping.vector; ++lane)
    c->accumulators[lane] = reductionNarrow(v, &c->reduction, c->accumulators[lane]);
  keepColumns(e, c->root, &c->reduction, c->accumulators);
  column.valid = bothOf(v, column.valid, isFirstOfColumns(e, &e->loop->mapping));
  storeColumns(e, c->root, &c->reduction, c->accumulators, column);
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

static KernelRoot *rootOfLoop(const Emitter *e, intptr_t i) { return &e->plan->roots[e->loop->roots[i]]; }

/// A task goes by steps: even ones are passes over the rows, one for each stage. In front of that are the kept elements
/// of the stage, in an odd one.
static int64_t stepOfRoot(const KernelRoot *root) {
  return 2 * root->stage - (root->mapping.kind == STITCH_MAPPING_KEPT);
}

static int64_t lastStep(const Emitter *e) {
  int64_t last = 0;
  for (intptr_t i = 0; i < e->loop->numRoots; ++i)
    last = stepOfRoot(rootOfLoop(e, i)) > last ? stepOfRoot(rootOfLoop(e, i)) : last;
  return last;
}

/// Whether the task is a persistent tile: the threads keep its elements in registers from one pass over them, or phase,
/// to the next.
static bool isPanel(const Emitter *e) {
  int64_t words = 1;
  for (intptr_t i = 0; i < e->loop->numRoots; ++i)
    words = max64(words, rootOfLoop(e, i)->words);
  bool isInPhases = e->loop->isInPhases && (e->loop->hasOneEach || e->loop->isAgain);
  return (lastStep(e) > 1 || isInPhases) && planPanelRegisters(&e->loop->mapping, words) <= e->plan->launch.registers;
}

/// All roots of a pass over the rows: they share their loads.
static void emitColumnSweep(Emitter *e, int64_t step) {
  ColumnPass sweep = {.roots = irAllocateZeroed((size_t)e->loop->numRoots, sizeof(ColumnRoot))};
  for (intptr_t i = 0; i < e->loop->numRoots; ++i) {
    KernelRoot *root = rootOfLoop(e, i);
    if (stepOfRoot(root) != step)
      continue;
    ColumnRoot *c = &sweep.roots[sweep.count++];
    c->root = root;
    if (root->isReduce)
      c->reduction = reductionOf(e, root->op);
  }
  const StitchMapping *m = &e->loop->mapping;
  sweep.reads = (PlanColumnReads){.rows = m->unroll,
                                  .vector = m->vector,
                                  .words = e->loop->words,
                                  .bytes = e->loop->bytesOfSpace,
                                  .registers = e->plan->launch.registers};
  for (intptr_t j = 0; j < sweep.count; ++j)
    sweep.reads.accumulators += sweep.roots[j].reduction.count * m->vector;
  sweep.atOnce = planRowsOfBatch(&sweep.reads);
  if (m->unroll <= sweep.atOnce || isPanel(e))
    straightColumnSteps(e, &sweep, 0, m->unroll, /*isFirst=*/true);
  else
    columnStepsByParts(e, &sweep);
  for (intptr_t j = 0; j < sweep.count; ++j)
    if (sweep.roots[j].root->isReduce)
      finishColumns(e, &sweep.roots[j]);
  trafficEndSweep(e->memory);
  free(sweep.roots);
}

/// The thread's kept elements of all roots of a step but stacks; stored under `condition` (null: always).
static void emitKeptElements(Emitter *e, int64_t step, MlirValue condition) {
  Values *v = e->values;
  Position column = columnOf(e);
  Step elements = {.linear = lanesOfColumn(e, column),
                   .valid = bothOf(v, column.valid, condition),
                   .lanes = lanesOf(v, e->loop->mapping.vector)};
  for (intptr_t i = 0; i < e->loop->numRoots; ++i) {
    KernelRoot *root = rootOfLoop(e, i);
    if (stepOfRoot(root) != step || root->stacked)
      continue;
    evaluateStep(e, root, &elements);
    storeStep(e, root, &elements);
  }
}

/// Of stacks of `size` vectors, a row of threads takes that with its number, if there are so many, and those with the
/// numbers of rows behind the block's.
static void emitStacks(Emitter *e, int64_t step, int64_t size) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  Position column = columnOf(e);
  int64_t executions = e->memory->traffic.executions;
  for (int64_t first = 0; first < size; first += m->blockRows) {
    const IndexExpr *place = indexAddConstant(v->index, e->task.localRow, first);
    Position number = size < m->blockRows ? (Position){knownInside(v, place, extentOf(size), 1), {NULL}}
                                          : positionInside(v, place, extentOf(size), 1);
    e->memory->traffic.executions = executions / (m->blockRows * m->cluster) * min64(m->blockRows, size - first);
    const IndexExpr *vector = indexScale(v->index, number.index, m->columns);
    Step elements = {.linear = indexAdd(v->index, vector, lanesOfColumn(e, column)),
                     .valid = bothOf(v, column.valid, number.valid),
                     .lanes = lanesOf(v, m->vector)};
    for (intptr_t i = 0; i < e->loop->numRoots; ++i) {
      KernelRoot *root = rootOfLoop(e, i);
      if (stepOfRoot(root) != step || planStackOf(root->op, &root->mapping) != size)
        continue;
      evaluateStep(e, root, &elements);
      storeStep(e, root, &elements);
    }
  }
  e->memory->traffic.executions = executions;
}

/// The sizes of stacks of a step that are larger than `size`: the least; 0: there are none.
static int64_t nextStack(const Emitter *e, int64_t step, int64_t size) {
  int64_t next = 0;
  for (intptr_t i = 0; i < e->loop->numRoots; ++i) {
    const KernelRoot *root = rootOfLoop(e, i);
    int64_t own = stepOfRoot(root) == step ? planStackOf(root->op, &root->mapping) : 1;
    if (own > size && (next == 0 || own < next))
      next = own;
  }
  return next;
}

/// Code that threads alone run for which `condition` holds; null: all.
static BlockState enterBranch(Values *v, MlirValue condition) {
  if (mlirValueIsNull(condition))
    return (BlockState){0};
  BlockState state = enterBlock(v, irBody(irIf(&v->b, condition, IR_NO_TYPES, /*hasElse=*/false), 0));
  ++v->divergent;
  return state;
}

static void leaveBranch(Values *v, MlirValue condition, BlockState state) {
  if (mlirValueIsNull(condition))
    return;
  --v->divergent;
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}

/// The stacks of all sizes, each computed by the rows of threads that have vectors of it, in the first block of a
/// cluster.
static void emitAllStacks(Emitter *e, int64_t step) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  MlirValue isFirst = planSharesColumns(m) ? isZero(v, e->task.rank) : (MlirValue){NULL};
  for (int64_t size = nextStack(e, step, 1); size > 0; size = nextStack(e, step, size)) {
    bool isFew = size < m->blockRows;
    MlirValue has = isFew ? irCmpI(&v->b, IR_CMPI_ULT, emitIndex(v, e->task.localRow), irConstantIndex(&v->b, size))
                          : (MlirValue){NULL};
    MlirValue mine = bothOf(v, isFirst, has);
    BlockState state = enterBranch(v, mine);
    emitStacks(e, step, size);
    leaveBranch(v, mine, state);
  }
}

/// Kept elements belong to the first row of threads of the first chunk. The others compute them too if a further pass
/// or a stack follows, which needs them in registers.
static void emitKept(Emitter *e, int64_t step, bool isLast) {
  Values *v = e->values;
  MlirValue mine = isFirstOfColumns(e, &e->loop->mapping);
  if (e->loop->mapping.split > 1)
    mine = bothOf(v, mine, irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, e->task.chunk), irConstantIndex(&v->b, 0)));
  bool isBranch = isLast && nextStack(e, step, 1) == 0;
  BlockState state = enterBranch(v, isBranch ? mine : (MlirValue){NULL});
  emitKeptElements(e, step, isBranch ? (MlirValue){NULL} : mine);
  leaveBranch(v, isBranch ? mine : (MlirValue){NULL}, state);
  emitAllStacks(e, step);
  trafficEndSweep(e->memory);
}

void emitColumnTask(Emitter *e) {
  int64_t last = lastStep(e);
  for (int64_t step = 0; step <= last && !e->values->failed; ++step)
    if (step % 2 == 0)
      emitColumnSweep(e, step);
    else
      emitKept(e, step, step == last);
}
