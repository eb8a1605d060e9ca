//===- emit_reduce.c - reductions: thread, warp, block, grid -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread combines its elements, a warp its threads by shuffles (every thread ends with the result), a block its warps
// through the reduction area of shared memory. Over several blocks the partial results go to scratch memory and whoever
// reads the result combines them, in order. No atomics: the same input gives the same bits.
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/kernel.h"

#include "lowering/scalar.h"

#include <stdlib.h>

/// Most elements of a row that a thread holds in registers at once; beyond that it loops.
enum { MAX_STRAIGHT_ELEMENTS = 128, LOOP_UNROLL = 4 };

typedef struct {
  TgReduceKind kind;
  MlirType element;     // as tg has it
  MlirType accumulator; // in registers
  MlirValue identity;
} Reduction;

static Reduction reductionOf(Emitter *e, const KernelRoot *root) {
  Reduction r = {.kind = (TgReduceKind)irGetInt(root->op, "kind", TG_REDUCE_ADD),
                 .element = irElementTypeOf(root->value)};
  r.accumulator = planAccumulatorType(r.element);
  r.identity = scalarIdentity(&e->b, scalarReduceOperation(r.kind), r.accumulator);
  return r;
}

static MlirValue combine(Emitter *e, const Reduction *r, MlirValue a, MlirValue b) {
  return scalarCombine(&e->b, scalarReduceOperation(r->kind), r->accumulator, a, b);
}

static MlirValue widen(Emitter *e, const Reduction *r, MlirValue value) {
  return mlirTypeEqual(r->element, r->accumulator) ? value : irUnary(&e->b, "arith.extf", value, r->accumulator);
}

static MlirValue narrow(Emitter *e, const Reduction *r, MlirValue value) {
  return mlirTypeEqual(r->element, r->accumulator) ? value : irUnary(&e->b, "arith.truncf", value, r->element);
}

/// Combines neighbours until one value is left: the tree keeps the error of a float sum logarithmic.
static MlirValue combineTree(Emitter *e, const Reduction *r, MlirValue *values, intptr_t count) {
  for (; count > 1; count = (count + 1) / 2)
    for (intptr_t i = 0; i < count; i += 2)
      values[i / 2] = i + 1 < count ? combine(e, r, values[i], values[i + 1]) : values[i];
  return values[0];
}

//===----------------------------------------------------------------------===//
// Which elements
//===----------------------------------------------------------------------===//

/// The operand's index for a linear index over the kept dimensions and one over the reduced dimensions.
static IndexVector operandIndex(Emitter *e, const KernelRoot *root, const IndexExpr *kept, const IndexExpr *reduced) {
  IrShape shape = irShapeOf(irOperand(root->op, 0)), dims = irGetDims(root->op, "dims");
  bool isReduced[IR_MAX_RANK] = {false};
  for (intptr_t i = 0; i < dims.rank; ++i)
    isReduced[dims.dims[i]] = true;
  IrShape keptShape = {0}, reducedShape = {0};
  for (intptr_t i = 0; i < shape.rank; ++i) {
    IrShape *part = isReduced[i] ? &reducedShape : &keptShape;
    part->dims[part->rank++] = shape.dims[i];
  }
  IndexVector keptIndex = indexDelinearize(e->index, kept, keptShape);
  IndexVector reducedIndex = indexDelinearize(e->index, reduced, reducedShape);
  IndexVector result = {.rank = shape.rank};
  for (intptr_t i = 0, k = 0, r = 0; i < shape.rank; ++i)
    result.dims[i] = isReduced[i] ? reducedIndex.dims[r++] : keptIndex.dims[k++];
  return result;
}

/// Loads and widens the elements of one access; lanes outside the operand give the identity.
static void elementsAt(Emitter *e, const KernelRoot *root, const Reduction *r, const IndexExpr *kept,
                       const IndexExpr *reduced, Lanes lanes, MlirValue valid, MlirValue *values) {
  IndexVector index = operandIndex(e, root, kept, reduced);
  bundleExpand(evaluate(e, irOperand(root->op, 0), &index, lanes), lanes.count, values);
  for (int64_t i = 0; i < lanes.count; ++i) {
    values[i] = widen(e, r, values[i]);
    if (!mlirValueIsNull(valid))
      values[i] = irSelect(&e->b, valid, values[i], r->identity);
  }
}

//===----------------------------------------------------------------------===//
// What a thread handles alone
//===----------------------------------------------------------------------===//

/// The elements of step `k` of the thread's row, as many as the mapping has lanes.
static void rowStep(Emitter *e, const KernelRoot *root, const Reduction *r, const IndexExpr *k, MlirValue *values) {
  const StitchMapping *m = &root->mapping;
  int64_t stride = m->rowThreads * m->vector;
  const IndexExpr *base = indexAdd(e->index, indexScale(e->index, k, stride), indexScale(e->index, e->lane, m->vector));
  base = indexAdd(e->index, base, indexScale(e->index, e->chunk, stride * m->unroll));
  Position column = positionInside(e, base, m->columns, m->vector);
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *reduced = lanes.variable ? indexAdd(e->index, column.index, lanes.variable) : column.index;
  elementsAt(e, root, r, e->row, reduced, lanes, column.valid, values);
}

/// Combines all steps to one value.
static MlirValue straightSteps(Emitter *e, const KernelRoot *root, const Reduction *r) {
  int64_t steps = root->mapping.unroll, lanes = root->mapping.vector;
  MlirValue *values = irAllocate(sizeof(MlirValue) * (size_t)(steps * lanes));
  for (int64_t k = 0; k < steps; ++k)
    rowStep(e, root, r, indexConstant(e->index, k), values + k * lanes);
  MlirValue result = combineTree(e, r, values, steps * lanes);
  free(values);
  return result;
}

/// Combines `count` steps from `first` on, lane by lane, into what `accumulators` hold.
static void accumulateSteps(Emitter *e, const KernelRoot *root, const Reduction *r, const IndexExpr *first,
                            int64_t count, MlirValue *accumulators) {
  MlirValue values[LOOP_UNROLL][KERNEL_MAX_LANES], column[LOOP_UNROLL];
  for (int64_t i = 0; i < count; ++i)
    rowStep(e, root, r, indexAddConstant(e->index, first, i), values[i]);
  for (int64_t lane = 0; count && lane < root->mapping.vector; ++lane) {
    for (int64_t i = 0; i < count; ++i)
      column[i] = values[i][lane];
    accumulators[lane] = combine(e, r, accumulators[lane], combineTree(e, r, column, count));
  }
}

/// The same with a loop: each lane has its accumulator, and a few steps are in flight at once.
static MlirValue loopedSteps(Emitter *e, const KernelRoot *root, const Reduction *r) {
  int64_t steps = root->mapping.unroll, lanes = root->mapping.vector;
  int64_t rounds = steps / LOOP_UNROLL;
  MlirValue accumulators[KERNEL_MAX_LANES];
  for (int64_t lane = 0; lane < lanes; ++lane)
    accumulators[lane] = r->identity;
  MlirOperation loop = irFor(&e->b, irConstantIndex(&e->b, 0), irConstantIndex(&e->b, rounds),
                             irConstantIndex(&e->b, 1), (IrValues){lanes, accumulators});
  MlirBlock body = irBody(loop, 0);
  BlockState state = enterBlock(e, body);
  const IndexExpr *round = bindIndex(e, mlirBlockGetArgument(body, 0), rounds);
  for (int64_t lane = 0; lane < lanes; ++lane)
    accumulators[lane] = mlirBlockGetArgument(body, 1 + lane);
  accumulateSteps(e, root, r, indexScale(e->index, round, LOOP_UNROLL), LOOP_UNROLL, accumulators);
  irYield(&e->b, (IrValues){lanes, accumulators});
  leaveBlock(e, state);
  for (int64_t lane = 0; lane < lanes; ++lane)
    accumulators[lane] = irResult(loop, lane);
  const IndexExpr *rest = indexConstant(e->index, rounds * LOOP_UNROLL);
  accumulateSteps(e, root, r, rest, steps - rounds * LOOP_UNROLL, accumulators);
  return combineTree(e, r, accumulators, lanes);
}

//===----------------------------------------------------------------------===//
// Across threads
//===----------------------------------------------------------------------===//

static MlirValue shuffleXor(Emitter *e, MlirValue value, int64_t distance) {
  MlirType i32 = mlirIntegerTypeGet(e->b.context, 32), i1 = mlirIntegerTypeGet(e->b.context, 1);
  MlirValue offset = irConstantInt(&e->b, i32, distance), width = irConstantInt(&e->b, i32, 32);
  MlirOperation shuffle =
      irOp(&e->b, "gpu.shuffle", IR_VALUES(value, offset, width), IR_TYPES(mlirValueGetType(value), i1),
           IR_ATTRS(irAttr(&e->b, "mode", irParseAttr(e->b.context, "#gpu<shuffle_mode xor>"))));
  return irResult(shuffle, 0);
}

/// gpu.shuffle moves 32 and 64 bits: narrower integers travel in 32.
static MlirValue exchange(Emitter *e, const Reduction *r, MlirValue value, int64_t distance) {
  if (!mlirTypeIsAInteger(r->accumulator) || mlirIntegerTypeGetWidth(r->accumulator) >= 32)
    return shuffleXor(e, value, distance);
  MlirValue wide = irUnary(&e->b, "arith.extui", value, mlirIntegerTypeGet(e->b.context, 32));
  return irUnary(&e->b, "arith.trunci", shuffleXor(e, wide, distance), scalarType(r->accumulator));
}

/// Combines groups of `count` neighbouring threads of a warp; all of them get the result.
static MlirValue combineInWarp(Emitter *e, const Reduction *r, MlirValue value, int64_t count) {
  for (int64_t distance = count / 2; distance > 0; distance /= 2)
    value = combine(e, r, value, exchange(e, r, value, distance));
  return value;
}

static void barrier(Emitter *e) { irOp(&e->b, "gpu.barrier", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS); }

/// The half of the reduction area for the next exchange: the other half may still be read by slower threads.
static MlirValue nextReductionArea(Emitter *e, const Reduction *r, int64_t count) {
  MlirValue area = sharedView(e, e->reductionHalf * e->plan->reductionBytes, count, r->accumulator);
  e->reductionHalf = 1 - e->reductionHalf;
  e->usedShared = true;
  return area;
}

/// Combines the warps that work on one row: each writes its result, and every thread combines those of its row.
static MlirValue combineAcrossWarps(Emitter *e, const Reduction *r, MlirValue value) {
  const StitchMapping *m = &e->loop->mapping;
  int64_t warpsPerRow = m->rowThreads / 32, warps = planBlockSize(m) / 32;
  MlirValue area = nextReductionArea(e, r, warps);
  const IndexExpr *thread = indexAdd(e->index, indexScale(e->index, e->localRow, m->rowThreads), e->lane);
  const IndexExpr *warp = indexDiv(e->index, thread, 32), *inWarp = indexMod(e->index, thread, 32);
  MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, inWarp), irConstantIndex(&e->b, 0));
  storeLanes(e, area, warp, (Lanes){1, NULL}, (Bundle){1, &value}, first);
  barrier(e);
  const IndexExpr *mine =
      indexAdd(e->index, indexScale(e->index, e->localRow, warpsPerRow), indexMod(e->index, inWarp, warpsPerRow));
  MlirValue partial = loadLanes(e, area, r->accumulator, mine, (Lanes){1, NULL}).values[0];
  return combineInWarp(e, r, partial, warpsPerRow);
}

//===----------------------------------------------------------------------===//
// Row reductions
//===----------------------------------------------------------------------===//

static bool holdsRowInRegisters(const StitchMapping *m) { return m->unroll * m->vector <= MAX_STRAIGHT_ELEMENTS; }

void emitRowReduce(Emitter *e, KernelRoot *root) {
  Reduction r = reductionOf(e, root);
  const StitchMapping *m = &root->mapping;
  MlirValue result = holdsRowInRegisters(m) ? straightSteps(e, root, &r) : loopedSteps(e, root, &r);
  result = combineInWarp(e, &r, result, m->rowThreads < 32 ? m->rowThreads : 32);
  if (m->rowThreads > 32)
    result = combineAcrossWarps(e, &r, result);
  MlirValue *kept = IR_NEW(&e->arena, MlirValue);
  *kept = root->isSplit ? result : narrow(e, &r, result);
  if (!root->isSplit) {
    IndexVector index = indexDelinearize(e->index, e->row, irShapeOf(root->value));
    memoAdd(&e->memo, root->value.ptr, &index, (MemoValue){.bundle = {1, kept}});
  }
  MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, e->lane), irConstantIndex(&e->b, 0));
  storeRoot(e, root, e->row, (Lanes){1, NULL}, (Bundle){1, kept}, first);
}

//===----------------------------------------------------------------------===//
// Column reductions
//===----------------------------------------------------------------------===//

/// The thread's columns: those of its lane in the task's tile.
static Position columnOf(Emitter *e, const StitchMapping *m) {
  const IndexExpr *tile = indexDiv(e->index, e->task, m->split);
  const IndexExpr *base = indexAdd(e->index, indexScale(e->index, tile, m->rowThreads * m->vector),
                                   indexScale(e->index, e->lane, m->vector));
  return positionInside(e, base, m->columns, m->vector);
}

/// The thread's row in step `k`.
static Position rowOf(Emitter *e, const StitchMapping *m, const IndexExpr *k) {
  const IndexExpr *base = indexAdd(e->index, indexScale(e->index, k, m->blockRows), e->localRow);
  base = indexAdd(e->index, base, indexScale(e->index, e->chunk, m->blockRows * m->unroll));
  return positionInside(e, base, m->rows, 1);
}

static void columnStep(Emitter *e, const KernelRoot *root, const Reduction *r, const IndexExpr *k, MlirValue *values) {
  const StitchMapping *m = &root->mapping;
  Position row = rowOf(e, m, k);
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *kept = columnOf(e, m).index;
  kept = lanes.variable ? indexAdd(e->index, kept, lanes.variable) : kept;
  elementsAt(e, root, r, kept, row.index, lanes, row.valid, values);
}

/// The results of a column reduction go where they belong: `values` are those of the thread's columns.
static void storeColumns(Emitter *e, KernelRoot *root, const Reduction *r, MlirValue *values) {
  const StitchMapping *m = &root->mapping;
  if (!root->isSplit)
    for (int64_t lane = 0; lane < m->vector; ++lane)
      values[lane] = narrow(e, r, values[lane]);
  Position column = columnOf(e, m);
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *linear = lanes.variable ? indexAdd(e->index, column.index, lanes.variable) : column.index;
  storeRoot(e, root, linear, lanes, (Bundle){m->vector, values}, column.valid);
}

/// Each thread writes what it has to shared memory.
static MlirValue shareRows(Emitter *e, const Reduction *r, const StitchMapping *m, const IndexExpr *mine,
                           MlirValue *values) {
  int64_t width = m->rowThreads * m->vector;
  MlirValue area = nextReductionArea(e, r, m->blockRows * width);
  const IndexExpr *place = indexAdd(e->index, mine, indexScale(e->index, e->localRow, width));
  storeLanes(e, area, place, lanesOf(e, m->vector), (Bundle){m->vector, values}, (MlirValue){NULL});
  barrier(e);
  return area;
}

static void combineSharedRows(Emitter *e, const Reduction *r, const StitchMapping *m, MlirValue area,
                              const IndexExpr *mine, MlirValue *values) {
  MlirValue *rows = irAllocate(sizeof(MlirValue) * (size_t)(m->blockRows * m->vector));
  MlirValue *column = irAllocate(sizeof(MlirValue) * (size_t)m->blockRows);
  for (int64_t row = 0; row < m->blockRows; ++row) {
    const IndexExpr *place = indexAddConstant(e->index, mine, row * m->rowThreads * m->vector);
    bundleExpand(loadLanes(e, area, r->accumulator, place, lanesOf(e, m->vector)), m->vector, rows + row * m->vector);
  }
  for (int64_t lane = 0; lane < m->vector; ++lane) {
    for (int64_t row = 0; row < m->blockRows; ++row)
      column[row] = rows[row * m->vector + lane];
    values[lane] = combineTree(e, r, column, m->blockRows);
  }
  free(column);
  free(rows);
}

/// The threads of the block's first row combine all rows, and store.
static void combineRowsAndStore(Emitter *e, KernelRoot *root, const Reduction *r, MlirValue *values) {
  const StitchMapping *m = &root->mapping;
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *mine = indexScale(e->index, e->lane, m->vector);
  mine = lanes.variable ? indexAdd(e->index, mine, lanes.variable) : mine;
  MlirValue area = shareRows(e, r, m, mine, values);
  MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, e->localRow), irConstantIndex(&e->b, 0));
  BlockState state = enterBlock(e, irBody(irIf(&e->b, first, IR_NO_TYPES, /*hasElse=*/false), 0));
  combineSharedRows(e, r, m, area, mine, values);
  storeColumns(e, root, r, values);
  irYield(&e->b, IR_NO_VALUES);
  leaveBlock(e, state);
}

/// A root of a column loop while its steps are emitted.
typedef struct {
  KernelRoot *root;
  Reduction reduction;                              // of a reduce
  MlirValue values[LOOP_UNROLL * KERNEL_MAX_LANES]; // of a reduce: the elements of the steps in flight
  Step steps[LOOP_UNROLL];                          // of an elementwise root
} ColumnRoot;

/// The elements of an elementwise root that its thread would reduce in this step.
static Step elementwiseColumnStep(Emitter *e, const KernelRoot *root, const IndexExpr *k) {
  const StitchMapping *m = &root->mapping;
  Position row = rowOf(e, m, k), column = columnOf(e, m);
  Step step = {.lanes = lanesOf(e, m->vector), .valid = bothOf(e, row.valid, column.valid)};
  step.linear = indexAdd(e->index, indexScale(e->index, row.index, m->columns), column.index);
  if (step.lanes.variable)
    step.linear = indexAdd(e->index, step.linear, step.lanes.variable);
  evaluateStep(e, root, &step);
  return step;
}

/// Emits `count` steps of all roots, which share what they read, and combines those of each reduce into `partials`.
static void columnSteps(Emitter *e, ColumnRoot *roots, const IndexExpr *first, int64_t count, MlirValue *partials) {
  int64_t lanes = e->loop->mapping.vector;
  for (int64_t i = 0; i < count; ++i)
    for (intptr_t j = 0; j < e->loop->numRoots; ++j) {
      ColumnRoot *c = &roots[j];
      const IndexExpr *k = indexAddConstant(e->index, first, i);
      if (c->root->isReduce)
        columnStep(e, c->root, &c->reduction, k, c->values + i * lanes);
      else
        c->steps[i] = elementwiseColumnStep(e, c->root, k);
    }
  for (intptr_t j = 0; j < e->loop->numRoots; ++j) {
    ColumnRoot *c = &roots[j];
    for (int64_t i = 0; !c->root->isReduce && i < count; ++i)
      storeRoot(e, c->root, c->steps[i].linear, c->steps[i].lanes, c->steps[i].bundle, c->steps[i].valid);
    for (int64_t lane = 0; c->root->isReduce && lane < lanes; ++lane) {
      MlirValue column[LOOP_UNROLL];
      for (int64_t i = 0; i < count; ++i)
        column[i] = c->values[i * lanes + lane];
      *partials++ = combineTree(e, &c->reduction, column, count);
    }
  }
}

/// Combines `count` more steps of all roots into the accumulators of the reduces.
static void accumulateColumnSteps(Emitter *e, ColumnRoot *roots, const IndexExpr *first, int64_t count,
                                  intptr_t numAccumulators, MlirValue *accumulators) {
  if (count == 0)
    return;
  int64_t lanes = e->loop->mapping.vector;
  MlirValue *partials = irAllocate(sizeof(MlirValue) * (size_t)(numAccumulators + 1));
  columnSteps(e, roots, first, count, partials);
  for (intptr_t j = 0, n = 0; j < e->loop->numRoots; ++j)
    for (int64_t lane = 0; roots[j].root->isReduce && lane < lanes; ++lane, ++n)
      accumulators[n] = combine(e, &roots[j].reduction, accumulators[n], partials[n]);
  free(partials);
}

/// All steps as a loop that carries the accumulators of all reduces, a few steps in flight at once.
static void loopedColumnSteps(Emitter *e, ColumnRoot *roots, intptr_t numAccumulators, MlirValue *accumulators) {
  int64_t lanes = e->loop->mapping.vector, steps = e->loop->mapping.unroll, rounds = steps / LOOP_UNROLL;
  for (intptr_t j = 0, n = 0; j < e->loop->numRoots; ++j)
    for (int64_t lane = 0; roots[j].root->isReduce && lane < lanes; ++lane)
      accumulators[n++] = roots[j].reduction.identity;
  MlirOperation loop = irFor(&e->b, irConstantIndex(&e->b, 0), irConstantIndex(&e->b, rounds),
                             irConstantIndex(&e->b, 1), (IrValues){numAccumulators, accumulators});
  MlirBlock body = irBody(loop, 0);
  BlockState state = enterBlock(e, body);
  const IndexExpr *round = bindIndex(e, mlirBlockGetArgument(body, 0), rounds);
  for (intptr_t n = 0; n < numAccumulators; ++n)
    accumulators[n] = mlirBlockGetArgument(body, 1 + n);
  accumulateColumnSteps(e, roots, indexScale(e->index, round, LOOP_UNROLL), LOOP_UNROLL, numAccumulators, accumulators);
  irYield(&e->b, (IrValues){numAccumulators, accumulators});
  leaveBlock(e, state);
  for (intptr_t n = 0; n < numAccumulators; ++n)
    accumulators[n] = irResult(loop, n);
  const IndexExpr *rest = indexConstant(e->index, rounds * LOOP_UNROLL);
  accumulateColumnSteps(e, roots, rest, steps - rounds * LOOP_UNROLL, numAccumulators, accumulators);
}

void emitColumnTask(Emitter *e) {
  const StitchMapping *m = &e->loop->mapping;
  ColumnRoot *roots = irAllocateZeroed((size_t)e->loop->numRoots, sizeof(ColumnRoot));
  intptr_t numAccumulators = 0;
  for (intptr_t j = 0; j < e->loop->numRoots; ++j) {
    roots[j].root = &e->plan->roots[e->loop->roots[j]];
    if (!roots[j].root->isReduce)
      continue;
    roots[j].reduction = reductionOf(e, roots[j].root);
    numAccumulators += m->vector;
  }
  MlirValue *accumulators = irAllocateZeroed((size_t)numAccumulators + 1, sizeof(MlirValue));
  if (m->unroll <= LOOP_UNROLL)
    columnSteps(e, roots, indexConstant(e->index, 0), m->unroll, accumulators);
  else
    loopedColumnSteps(e, roots, numAccumulators, accumulators);
  for (intptr_t j = 0, n = 0; j < e->loop->numRoots; ++j) {
    if (!roots[j].root->isReduce)
      continue;
    if (m->blockRows > 1)
      combineRowsAndStore(e, roots[j].root, &roots[j].reduction, accumulators + n);
    else
      storeColumns(e, roots[j].root, &roots[j].reduction, accumulators + n);
    n += m->vector;
  }
  free(accumulators);
  free(roots);
}

//===----------------------------------------------------------------------===//
// Split reductions
//===----------------------------------------------------------------------===//

MlirValue combinePartials(Emitter *e, const KernelRoot *root, const IndexExpr *linear) {
  Reduction r = reductionOf(e, root);
  int64_t split = root->mapping.split;
  MlirValue partials = scratchView(e, root->buffer.offset, split * root->numElements, r.accumulator);
  MlirValue *values = irAllocate(sizeof(MlirValue) * (size_t)split);
  for (int64_t i = 0; i < split; ++i) {
    const IndexExpr *place = indexAddConstant(e->index, linear, i * root->numElements);
    values[i] = loadLanes(e, partials, r.accumulator, place, (Lanes){1, NULL}).values[0];
  }
  MlirValue result = narrow(e, &r, combineTree(e, &r, values, split));
  free(values);
  return result;
}
