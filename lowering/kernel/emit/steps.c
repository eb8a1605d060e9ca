//===- steps.c - a thread goes through its elements of a root ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step is as many neighbouring elements as one access has; between a thread's steps lie those of the other threads of
// its row. Steps that fit into registers are unrolled, so that all loads are in flight before the first store.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/values/evaluate.h"

#include <stdlib.h>

/// Most elements of a row that a thread holds in registers for roots that read them again (of an elementwise root's
/// PLAN_MOST_ELEMENTS).
enum { MAX_ELEMENTS_HELD = 128 };

/// As many words are many more than one, which a result takes that is read again.
enum { MANY_WORDS = 8 };

//===----------------------------------------------------------------------===//
// Where the steps are
//===----------------------------------------------------------------------===//

static int64_t rowElements(const KernelRoot *root) { return root->numElements / root->mapping.rows; }

static Step tileStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  int64_t side = planTileSide(m), tilesAcross = (m->columns + side - 1) / side;
  const IndexExpr *firstRow = indexScale(v->index, indexDiv(v->index, e->task.number, tilesAcross), side);
  const IndexExpr *firstColumn = indexScale(v->index, indexMod(v->index, e->task.number, tilesAcross), side);
  const IndexExpr *along = indexScale(v->index, e->task.lane, m->vector);
  const IndexExpr *across = indexAdd(v->index, indexScale(v->index, k, m->blockRows), e->task.localRow);
  const IndexExpr *tileRow = root->transposed ? along : across, *tileColumn = root->transposed ? across : along;
  Position row = positionInside(v, indexAdd(v->index, firstRow, tileRow), root->rows, root->transposed ? m->vector : 1);
  Position column =
      positionInside(v, indexAdd(v->index, firstColumn, tileColumn), root->columns, root->transposed ? 1 : m->vector);
  Step step = {.lanes = lanesOf(v, m->vector), .valid = bothOf(v, row.valid, column.valid)};
  if (step.lanes.variable && root->transposed)
    row.index = indexAdd(v->index, row.index, step.lanes.variable);
  else if (step.lanes.variable)
    column.index = indexAdd(v->index, column.index, step.lanes.variable);
  step.linear = indexAdd(v->index, indexScale(v->index, row.index, m->columns), column.index);
  step.tileRow = indexAdd(v->index, row.index, indexScale(v->index, firstRow, -1));
  step.tileColumn = indexAdd(v->index, column.index, indexScale(v->index, firstColumn, -1));
  return step;
}

/// The same, if there is one row alone and its length depends on a symbol.
static Extent rowExtent(const KernelRoot *root) {
  bool isOpen = extentIsOpen(root->elements) && !extentIsOpen(root->rows);
  return isOpen ? root->elements : extentOf(rowElements(root));
}

/// A step of a mapping with runs, from `base` elements behind the row's first on.
static Step alignedStepAt(Emitter *e, const StitchMapping *m, const IndexExpr *row, const IndexExpr *base) {
  Values *v = e->values;
  Step step = {.lanes = lanesOf(v, m->vector), .aligned = alignedOfStep(e, m, row, base)};
  step.linear = indexAdd(v->index, step.aligned->linear, step.lanes.variable);
  return step;
}

/// Steps of a row mapping: the columns of the thread's row.
static Step rowStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k, int64_t vector) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  int64_t perRow = rowElements(root);
  const IndexExpr *base =
      indexAdd(v->index, indexScale(v->index, k, m->rowThreads * vector), indexScale(v->index, e->task.lane, vector));
  base = indexAdd(v->index, base, indexScale(v->index, e->task.chunk, m->rowThreads * vector * m->unroll));
  if (m->run > 0 && vector == m->vector)
    return alignedStepAt(e, m, e->task.row, base);
  Step step = {.lanes = lanesOf(v, vector)};
  if (perRow == 1) {
    step.linear = e->task.row;
    step.valid = irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, base), irConstantIndex(&v->b, 0));
    return step;
  }
  Position column = positionOfStep(e, base, rowExtent(root), vector);
  if (root->stacked) { // one element of the row from each vector of the stack
    step.linear = indexAdd(v->index, indexScale(v->index, column.index, m->rows), e->task.row);
    step.valid = column.valid;
    return step;
  }
  step.linear = indexAdd(v->index, indexScale(v->index, e->task.row, perRow), column.index);
  step.valid = column.valid;
  if (step.lanes.variable)
    step.linear = indexAdd(v->index, step.linear, step.lanes.variable);
  return step;
}

Step flatStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k, int64_t vector) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  const IndexExpr *base =
      indexAdd(v->index, indexScale(v->index, k, m->rowThreads * vector), indexScale(v->index, e->task.lane, vector));
  base = indexAdd(v->index, base, indexScale(v->index, e->task.chunk, m->rowThreads * vector * m->unroll));
  if (m->run > 0 && vector == m->vector)
    return alignedStepAt(e, m, indexConstant(v->index, 0), base);
  Position position = positionOfStep(e, base, root->elements, vector);
  Step step = {.linear = position.index, .valid = position.valid, .lanes = lanesOf(v, vector)};
  if (step.lanes.variable)
    step.linear = indexAdd(v->index, step.linear, step.lanes.variable);
  if (m->blockRows > 1) { // all rows of threads compute the element; the first one stores it
    MlirValue first = irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, e->task.localRow), irConstantIndex(&v->b, 0));
    step.valid = bothOf(v, step.valid, first);
  }
  return step;
}

Extent extentOfSteps(const Emitter *e, const KernelRoot *root) {
  if (root->isReduce)
    return root->columns;
  return e->loop->mapping.kind == STITCH_MAPPING_FLAT ? root->elements : rowExtent(root);
}

static Step stepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k, int64_t vector) {
  if (e->loop->mapping.kind == STITCH_MAPPING_TILE)
    return tileStepAt(e, root, k);
  return e->loop->mapping.kind == STITCH_MAPPING_FLAT ? flatStepAt(e, root, k, vector) : rowStepAt(e, root, k, vector);
}

/// Run by run.
static void evaluateAligned(Emitter *e, const KernelRoot *root, Step *step) {
  const AlignedVector *vector = step->aligned;
  MlirValue values[KERNEL_MAX_RESULTS][KERNEL_MAX_LANES];
  for (int64_t i = 0; i < vector->numRuns; ++i) {
    const IndexExpr *linear = alignedLinear(e->values, vector, i);
    IndexVector index = indexDelinearize(e->values->index, linear, planIterationShape(root->op));
    for (intptr_t j = 0; j < root->numResults; ++j)
      bundleExpand(evaluateRoot(e, root, j, &index, vector->run), vector->run.count, values[j] + i * vector->run.count);
  }
  for (intptr_t j = 0; j < root->numResults; ++j)
    step->bundles[j] = bundleOf(e->values, vector->lanes, values[j]);
}

void evaluateStep(Emitter *e, const KernelRoot *root, Step *step) {
  if (step->aligned) {
    evaluateAligned(e, root, step);
    return;
  }
  e->step = step;
  IndexVector index = indexDelinearize(e->values->index, step->linear, planIterationShape(root->op));
  if (root->byOperand)
    step->bundles[0] = evaluate(e, irOperand(root->op, 0), &index, step->lanes);
  for (intptr_t i = 0; !root->byOperand && i < root->numResults; ++i)
    step->bundles[i] = evaluateRoot(e, root, i, &index, step->lanes);
  e->step = NULL;
}

void storeStep(Emitter *e, KernelRoot *root, const Step *step) {
  for (intptr_t i = 0; step->aligned && i < root->numResults; ++i)
    storeAligned(e, root, i, step->aligned, step->bundles[i]);
  if (step->aligned)
    return;
  e->step = step;
  for (intptr_t i = 0; i < root->numResults; ++i)
    storeRoot(e, root, i, step->linear, step->lanes, step->bundles[i], step->valid);
  e->step = NULL;
}

/// Threads that have the same elements, and read the same: those of a row of which there is one element.
static int64_t threadsOfElement(const Emitter *e, const KernelRoot *root) {
  const StitchMapping *m = &e->loop->mapping;
  return m->kind == STITCH_MAPPING_ROW && rowElements(root) == 1 ? m->rowThreads * m->cluster : 1;
}

void emitSteps(Emitter *e, KernelRoot *root, const IndexExpr *first, int64_t count, int64_t vector) {
  int64_t executions = e->memory->traffic.executions;
  e->memory->traffic.executions /= threadsOfElement(e, root);
  Step *steps = irAllocate(sizeof(Step) * (size_t)count);
  for (int64_t i = 0; i < count; ++i) {
    steps[i] = stepAt(e, root, indexAddConstant(e->values->index, first, i), vector);
    evaluateStep(e, root, &steps[i]);
  }
  for (int64_t i = 0; i < count; ++i)
    storeStep(e, root, &steps[i]);
  free(steps);
  e->memory->traffic.executions = executions;
}

static bool holdsInRegisters(const Emitter *e, int64_t elements) {
  return elements <= MAX_ELEMENTS_HELD && PLAN_BESIDE_ELEMENTS + elements <= e->plan->launch.registers;
}

/// Whether the loads for so many elements, if they are needed again, take all registers.
static bool takesAllRegisters(const Emitter *e, int64_t elements) {
  int64_t least = min64(e->loop->wordsOfSpace * elements, e->loop->taken);
  return PLAN_BESIDE_READS + least > e->plan->launch.registers;
}

/// Whether a thread computes all its elements of a root unrolled, and so can keep them for later passes of the task. It
/// must have registers for them, and their loads must be few: where they are more, ptxas moves the loads of all
/// elements up and runs out of registers. Nothing is kept if there is no later pass, but values that an earlier phase
/// has kept are there.
static bool isAtOnce(const Emitter *e, const KernelRoot *root, const Walk *walk) {
  int64_t elements = walk->steps * walk->vector, registers = e->plan->launch.registers;
  if (walk->steps == 1)
    return true;
  bool hasKept = e->loop->isAgain && !takesAllRegisters(e, elements);
  if (e->loop->isOneSweep && !hasKept) { // reduces have nothing to store that would free registers on the way
    int64_t other = e->loop->mapping.kind == STITCH_MAPPING_ROW ? PLAN_BESIDE_ELEMENTS : 0;
    return elements <= MAX_ELEMENTS_IN_FLIGHT && other + e->loop->words * elements <= registers &&
           PLAN_BESIDE_ELEMENTS + e->loop->taken <= registers;
  }
  if (root->isReduce)
    return (walk->steps <= PLAN_FEW_STEPS || holdsInRegisters(e, elements)) && !takesAllRegisters(e, elements);
  if (elements > PLAN_MOST_ELEMENTS)
    return false;
  int64_t together = stepsAtOnce(root->words, walk->vector, MAX_ELEMENTS_IN_FLIGHT / walk->vector / 4);
  if (e->loop->mapping.kind != STITCH_MAPPING_ROW || walk->steps < 2 * together)
    return true;
  // A sum of many arrays can be read from memory later, which costs little more than its own loads.
  bool isSumOfMany = root->words >= MANY_WORDS && root->words * elements > registers;
  bool canBeRead = root->scheme == STITCH_SCHEME_GLOBAL || !root->isReadLater;
  return holdsInRegisters(e, elements) && !(isSumOfMany && canBeRead);
}

Walk walkOf(const Emitter *e, const KernelRoot *root) {
  const StitchMapping *m = &root->mapping;
  Walk walk = {.vector = m->vector, .steps = m->unroll};
  if (!root->isReduce && e->loop->mapping.kind == STITCH_MAPPING_ROW) {
    Extent row = rowExtent(root); // which may be no multiple of the vectors that the loop's other roots have
    bool isWhole =
        m->run > 0 ? rowElements(root) == m->columns : (extentIsOpen(row) ? row.unit : row.most) % m->vector == 0;
    walk.vector = isWhole ? m->vector : 1;
    if (m->split == 1 && m->cluster == 1)
      walk.steps =
          ceilDiv(m->run > 0 && isWhole ? planColumnsOfVectors(m) : rowElements(root), m->rowThreads * walk.vector);
  }
  walk.atOnce = isAtOnce(e, root, &walk);
  return walk;
}
