//===- emit_reduce.c - reductions: thread, warp, block, grid -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread combines its elements, a warp its threads by shuffles (every thread ends with the result), a block its warps
// through the reduction area of shared memory. What several blocks leave, emit_split.c combines; emit_column.c has the
// loop of column reductions. No atomics: the same input gives the same bits.
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/reduction.h"

#include "ir/arithmetic.h"
#include "lowering/stitch_to_gpu/gpu_function.h"

#include <stdlib.h>

/// Most elements of a row that a thread holds in registers at once; beyond that it loops. Likewise for the partial
/// results of a block's rows of threads.
enum {
  MAX_STRAIGHT_ELEMENTS = 128,
  OTHER_REGISTERS = 32,
  LOOP_UNROLL = 4,
  ROWS_AT_ONCE = 8,
  SHARED_VALUES_AT_ONCE = 64
};

//===----------------------------------------------------------------------===//
// What a thread handles alone
//===----------------------------------------------------------------------===//

/// The elements of step `k` of the thread's row, as many as the mapping has lanes.
static void rowStep(Emitter *e, const KernelRoot *root, const Reduction *r, const IndexExpr *k, Partial *partials) {
  const StitchMapping *m = &root->mapping;
  int64_t stride = m->rowThreads * m->vector;
  const IndexExpr *base = indexAdd(e->index, indexScale(e->index, k, stride), indexScale(e->index, e->lane, m->vector));
  base = indexAdd(e->index, base, indexScale(e->index, e->chunk, planColumnsOfBlock(m)));
  Position column = positionInside(e, base, root->columns, m->vector);
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *reduced = lanes.variable ? indexAdd(e->index, column.index, lanes.variable) : column.index;
  reductionElements(e, r, e->row, reduced, lanes, column.valid, partials);
}

/// Combines all steps to one value.
static Partial straightSteps(Emitter *e, const KernelRoot *root, const Reduction *r) {
  int64_t steps = root->mapping.unroll, lanes = root->mapping.vector;
  Partial *partials = irAllocate(sizeof(Partial) * (size_t)(steps * lanes));
  for (int64_t k = 0; k < steps; ++k)
    rowStep(e, root, r, indexConstant(e->index, k), partials + k * lanes);
  Partial result = reductionCombineTree(e, r, partials, steps * lanes);
  free(partials);
  return result;
}

/// Combines `count` steps from `first` on, lane by lane, into what `accumulators` hold.
static void accumulateSteps(Emitter *e, const KernelRoot *root, const Reduction *r, const IndexExpr *first,
                            int64_t count, Partial *accumulators) {
  Partial partials[LOOP_UNROLL][KERNEL_MAX_LANES], column[LOOP_UNROLL];
  for (int64_t i = 0; i < count; ++i)
    rowStep(e, root, r, indexAddConstant(e->index, first, i), partials[i]);
  for (int64_t lane = 0; count && lane < root->mapping.vector; ++lane) {
    for (int64_t i = 0; i < count; ++i)
      column[i] = partials[i][lane];
    accumulators[lane] = reductionCombine(e, r, accumulators[lane], reductionCombineTree(e, r, column, count));
  }
}

/// The same with a loop: each lane has its accumulator, and a few steps are in flight at once.
static Partial loopedSteps(Emitter *e, const KernelRoot *root, const Reduction *r) {
  int64_t steps = root->mapping.unroll, lanes = root->mapping.vector;
  int64_t together = stepsAtOnce(root->words, lanes, LOOP_UNROLL), rounds = steps / together;
  Partial accumulators[KERNEL_MAX_LANES];
  MlirValue carried[KERNEL_MAX_LANES * KERNEL_MAX_RESULTS];
  for (int64_t lane = 0; lane < lanes; ++lane)
    accumulators[lane] = r->identity;
  intptr_t numCarried = reductionFlatten(r, accumulators, lanes, carried);
  RoundLoop loop = beginRounds(e, 0, rounds, carried, numCarried);
  reductionUnflatten(r, carried, lanes, accumulators);
  accumulateSteps(e, root, r, indexScale(e->index, loop.round, together), together, accumulators);
  reductionFlatten(r, accumulators, lanes, carried);
  endRounds(e, &loop, carried, numCarried);
  reductionUnflatten(r, carried, lanes, accumulators);
  const IndexExpr *rest = indexConstant(e->index, rounds * together);
  accumulateSteps(e, root, r, rest, steps - rounds * together, accumulators);
  return reductionCombineTree(e, r, accumulators, lanes);
}

//===----------------------------------------------------------------------===//
// Across threads
//===----------------------------------------------------------------------===//

/// Combines the threads of a warp that are `stride` apart, in groups of `count`; all of them get the result.
static Partial combineInWarp(Emitter *e, const Reduction *r, Partial partial, int64_t count, int64_t stride) {
  MlirType i32 = mlirIntegerTypeGet(e->b.context, 32);
  for (int64_t distance = count * stride / 2; distance >= stride; distance /= 2) {
    Partial other;
    for (intptr_t i = 0; i < r->count; ++i)
      other.values[i] = gpuShuffle(&e->b, GPU_SHUFFLE_XOR, partial.values[i], irConstantInt(&e->b, i32, distance));
    partial = reductionCombine(e, r, partial, other);
  }
  return partial;
}

/// The areas for `count` partial results each of the values of `r`, in the shared memory `memory`, from `offset` on.
static void reductionAreas(Emitter *e, const Reduction *r, MlirValue memory, int64_t offset, int64_t count,
                           MlirValue *areas) {
  for (intptr_t i = 0; i < r->count; ++i) {
    areas[i] = memoryView(&e->b, memory, offset, count, r->accumulators[i]);
    offset += (count * irElementBytes(r->accumulators[i]) + 15) / 16 * 16; // as planReductionBytes counts
  }
}

/// The half of the reduction area for the next exchange of `count` partial results: an area for each of their values.
/// The other half may still be read by slower threads. Returns where the half starts.
static int64_t nextReductionAreas(Emitter *e, const Reduction *r, int64_t count, MlirValue *areas) {
  int64_t offset = e->reductionHalf * e->plan->reductionBytes;
  reductionAreas(e, r, e->shared, offset, count, areas);
  e->reductionHalf = 1 - e->reductionHalf;
  return offset;
}

/// Combines the warps of a block that work on one row: each writes its result, and every thread combines those of its
/// row.
static Partial combineAcrossWarps(Emitter *e, const Reduction *r, const MlirValue *areas, Partial partial) {
  const StitchMapping *m = &e->loop->mapping;
  int64_t warpsPerRow = m->rowThreads / 32;
  const IndexExpr *thread = indexAdd(e->index, indexScale(e->index, e->localRow, m->rowThreads), e->lane);
  const IndexExpr *warp = indexDiv(e->index, thread, 32), *inWarp = indexMod(e->index, thread, 32);
  MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, inWarp), irConstantIndex(&e->b, 0));
  for (intptr_t i = 0; i < r->count; ++i)
    storeLanes(e, areas[i], warp, (Lanes){1, NULL}, (Bundle){1, &partial.values[i]}, first);
  blockBarrier(e);
  const IndexExpr *mine =
      indexAdd(e->index, indexScale(e->index, e->localRow, warpsPerRow), indexMod(e->index, inWarp, warpsPerRow));
  for (intptr_t i = 0; i < r->count; ++i)
    partial.values[i] = loadLanes(e, areas[i], r->accumulators[i], mine, (Lanes){1, NULL}).values[0];
  return combineInWarp(e, r, partial, warpsPerRow, 1);
}

/// Combines the blocks of a cluster: each leaves its result behind those of its warps, and every thread combines those
/// of all blocks for its row.
static Partial combineInCluster(Emitter *e, const Reduction *r, const MlirValue *areas, int64_t offset,
                                Partial partial) {
  const StitchMapping *m = &e->loop->mapping;
  int64_t warps = planBlockSize(m) / 32;
  const IndexExpr *place = indexAddConstant(e->index, e->localRow, warps);
  MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, e->lane), irConstantIndex(&e->b, 0));
  for (intptr_t i = 0; i < r->count; ++i)
    storeLanes(e, areas[i], place, (Lanes){1, NULL}, (Bundle){1, &partial.values[i]}, first);
  clusterBarrier(e);
  MlirValue others[KERNEL_MAX_RESULTS], memory = clusterMemory(e, indexMod(e->index, e->lane, m->cluster));
  reductionAreas(e, r, memory, offset, warps + m->blockRows, others);
  for (intptr_t i = 0; i < r->count; ++i)
    partial.values[i] = loadLanes(e, others[i], r->accumulators[i], place, (Lanes){1, NULL}).values[0];
  return combineInWarp(e, r, partial, m->cluster, 1);
}

/// Combines the threads that work on one row; all of them get the result.
static Partial combineRow(Emitter *e, const Reduction *r, Partial partial) {
  const StitchMapping *m = &e->loop->mapping;
  partial = combineInWarp(e, r, partial, m->rowThreads < 32 ? m->rowThreads : 32, 1);
  if (m->rowThreads <= 32 && m->cluster == 1)
    return partial;
  int64_t blocks = m->cluster > 1 ? m->blockRows : 0;
  MlirValue areas[KERNEL_MAX_RESULTS];
  int64_t offset = nextReductionAreas(e, r, planBlockSize(m) / 32 + blocks, areas);
  if (m->rowThreads > 32)
    partial = combineAcrossWarps(e, r, areas, partial);
  return m->cluster > 1 ? combineInCluster(e, r, areas, offset, partial) : partial;
}

//===----------------------------------------------------------------------===//
// Row reductions
//===----------------------------------------------------------------------===//

bool holdsInRegisters(const Emitter *e, int64_t elements) {
  return elements <= MAX_STRAIGHT_ELEMENTS && OTHER_REGISTERS + elements <= e->plan->launch.registers;
}

/// 0 for the thread that stores the result of a row.
static const IndexExpr *firstOfRow(Emitter *e) {
  const StitchMapping *m = &e->loop->mapping;
  return m->cluster > 1 ? indexAdd(e->index, e->lane, indexScale(e->index, e->rank, m->rowThreads)) : e->lane;
}

void emitRowReduce(Emitter *e, KernelRoot *root) {
  Reduction r = reductionOf(e, root->op);
  const StitchMapping *m = &root->mapping;
  bool isStraight = m->unroll <= LOOP_UNROLL || holdsInRegisters(e, m->unroll * m->vector);
  Partial partial = isStraight ? straightSteps(e, root, &r) : loopedSteps(e, root, &r);
  partial = combineRow(e, &r, partial);
  if (!root->isSplit)
    partial = reductionNarrow(e, &r, partial);
  MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, firstOfRow(e)), irConstantIndex(&e->b, 0));
  for (intptr_t i = 0; i < r.count; ++i) {
    MlirValue *kept = IR_NEW(&e->arena, MlirValue);
    *kept = partial.values[i];
    if (!root->isSplit) {
      MlirValue value = root->results[i].value;
      IndexVector index = indexDelinearize(e->index, e->row, irShapeOf(value));
      memoAdd(&e->memo, value.ptr, &index, (MemoValue){.bundle = {1, kept}});
    }
    storeRoot(e, root, i, e->row, (Lanes){1, NULL}, (Bundle){1, kept}, first);
  }
}

//===----------------------------------------------------------------------===//
// Column reductions
//===----------------------------------------------------------------------===//

void storeColumns(Emitter *e, KernelRoot *root, const Reduction *r, const Partial *partials, Position column) {
  const StitchMapping *m = &root->mapping;
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *linear = lanes.variable ? indexAdd(e->index, column.index, lanes.variable) : column.index;
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    for (int64_t lane = 0; lane < m->vector; ++lane)
      values[lane] = partials[lane].values[i];
    storeRoot(e, root, i, linear, lanes, (Bundle){m->vector, values}, column.valid);
  }
}

/// The same for partial results of the whole block.
static void storeCombined(Emitter *e, KernelRoot *root, const Reduction *r, Partial *partials, Position column) {
  for (int64_t lane = 0; !root->isSplit && lane < root->mapping.vector; ++lane)
    partials[lane] = reductionNarrow(e, r, partials[lane]);
  storeColumns(e, root, r, partials, column);
}

/// Combines, for each lane, what `rows` rows of threads in the same warp have. The lanes take each step together, so
/// that their shuffles are under way at the same time.
static void combineLanesInWarp(Emitter *e, const Reduction *r, const StitchMapping *m, Partial *partials,
                               int64_t rows) {
  for (int64_t distance = rows * m->rowThreads / 2; distance >= m->rowThreads; distance /= 2)
    for (int64_t lane = 0; lane < m->vector; ++lane)
      partials[lane] = combineInWarp(e, r, partials[lane], 2, distance);
}

static void storePartials(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                          const IndexExpr *place, const Partial *partials, MlirValue condition) {
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    for (int64_t lane = 0; lane < m->vector; ++lane)
      values[lane] = partials[lane].values[i];
    storeLanes(e, areas[i], place, lanesOf(e, m->vector), (Bundle){m->vector, values}, condition);
  }
}

static void loadPartials(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                         const IndexExpr *place, Partial *partials) {
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    bundleExpand(loadLanes(e, areas[i], r->accumulators[i], place, lanesOf(e, m->vector)), m->vector, values);
    for (int64_t lane = 0; lane < m->vector; ++lane)
      partials[lane].values[i] = values[lane];
  }
}

static MlirValue isZero(Emitter *e, const IndexExpr *index) {
  return irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, index), irConstantIndex(&e->b, 0));
}

/// Each row of threads writes what it has to shared memory, or each warp what its rows have together.
static void shareRows(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                      const IndexExpr *mine, const Partial *partials) {
  int64_t inWarp = planRowsInWarp(m);
  const IndexExpr *row = indexDiv(e->index, e->localRow, inWarp);
  const IndexExpr *place = indexAdd(e->index, mine, indexScale(e->index, row, m->rowThreads * m->vector));
  MlirValue first = inWarp > 1 ? isZero(e, indexMod(e->index, e->localRow, inWarp)) : (MlirValue){NULL};
  storePartials(e, r, m, areas, place, partials, first);
  blockBarrier(e);
}

/// The rows of partial results in shared memory that a thread combines: `count` of them, `stride` apart.
typedef struct {
  const StitchMapping *mapping;
  const MlirValue *areas;
  const IndexExpr *first; ///< place of the thread's columns in the first one
  int64_t count, stride;
} SharedRows;

/// Combines `count` of the rows from `first` on.
static void combineSomeRows(Emitter *e, const Reduction *r, const SharedRows *shared, const IndexExpr *first,
                            int64_t count, Partial *partials) {
  Partial rows[ROWS_AT_ONCE][KERNEL_MAX_LANES], column[ROWS_AT_ONCE];
  int64_t distance = shared->stride * shared->mapping->rowThreads * shared->mapping->vector;
  for (int64_t row = 0; row < count; ++row) {
    const IndexExpr *number = indexAddConstant(e->index, first, row);
    const IndexExpr *place = indexAdd(e->index, shared->first, indexScale(e->index, number, distance));
    loadPartials(e, r, shared->mapping, shared->areas, place, rows[row]);
  }
  for (int64_t lane = 0; lane < shared->mapping->vector; ++lane) {
    for (int64_t row = 0; row < count; ++row)
      column[row] = rows[row][lane];
    partials[lane] = reductionCombineTree(e, r, column, count);
  }
}

/// How many of the rows are combined at once. What is used later alone, LLVM computes later: then a thread holds what
/// it has read for all reduces of its task. It cannot do so with a loop of several rounds.
static int64_t rowsAtOnce(const Emitter *e, const Reduction *r, const SharedRows *shared) {
  int64_t reduces = 0, rows = min64(shared->count, ROWS_AT_ONCE);
  for (intptr_t i = 0; i < e->loop->numRoots; ++i)
    reduces += e->plan->roots[e->loop->roots[i]].isReduce;
  while (rows > 1 && reduces * rows * shared->mapping->vector * r->count > SHARED_VALUES_AT_ONCE)
    rows /= 2;
  return rows > 1 && shared->count / rows == 2 ? rows / 2 : rows;
}

/// Combines all of them: a loop if that is more than fits into registers.
static void combineSharedRows(Emitter *e, const Reduction *r, const SharedRows *shared, Partial *partials) {
  int64_t vector = shared->mapping->vector, together = rowsAtOnce(e, r, shared);
  int64_t rounds = shared->count / together;
  combineSomeRows(e, r, shared, indexConstant(e->index, 0), together, partials);
  if (rounds == 1)
    return;
  MlirValue carried[KERNEL_MAX_LANES * KERNEL_MAX_RESULTS];
  intptr_t numCarried = reductionFlatten(r, partials, vector, carried);
  RoundLoop loop = beginRounds(e, 1, rounds, carried, numCarried);
  reductionUnflatten(r, carried, vector, partials);
  Partial some[KERNEL_MAX_LANES];
  combineSomeRows(e, r, shared, indexScale(e->index, loop.round, together), together, some);
  for (int64_t lane = 0; lane < vector; ++lane)
    partials[lane] = reductionCombine(e, r, partials[lane], some[lane]);
  reductionFlatten(r, partials, vector, carried);
  endRounds(e, &loop, carried, numCarried);
  reductionUnflatten(r, carried, vector, partials);
}

/// The place of the thread's columns in a row of partial results.
static const IndexExpr *placeOfColumns(Emitter *e, const StitchMapping *m) {
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *place = indexScale(e->index, e->lane, m->vector);
  return lanes.variable ? indexAdd(e->index, place, lanes.variable) : place;
}

/// Combines the rows of the block; all of its threads get the results.
static void combineRowsOfBlock(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                               const IndexExpr *mine, Partial *partials) {
  int64_t rows = planSharedRows(m), sharing = min64(rows, planRowsInWarp(m));
  if (rows == 1)
    return;
  shareRows(e, r, m, areas, mine, partials);
  // The rows of threads of a warp share the work on the rows of partial results.
  const IndexExpr *own = indexScale(e->index, indexMod(e->index, e->localRow, sharing), m->rowThreads * m->vector);
  SharedRows shared = {m, areas, indexAdd(e->index, mine, own), rows / sharing, sharing};
  combineSharedRows(e, r, &shared, partials);
  combineLanesInWarp(e, r, m, partials, sharing);
}

/// Combines the blocks of a cluster, each of which leaves its results behind those of its rows, from `offset` on.
static void combineColumnsInCluster(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                                    int64_t offset, const IndexExpr *mine, Partial *partials) {
  int64_t width = m->rowThreads * m->vector, sharing = min64(m->cluster, planRowsInWarp(m));
  const IndexExpr *place = indexAddConstant(e->index, mine, planSharedRows(m) * width);
  storePartials(e, r, m, areas, place, partials, m->blockRows > 1 ? isZero(e, e->localRow) : (MlirValue){NULL});
  clusterBarrier(e);
  for (int64_t i = 0; i < m->cluster; i += sharing) {
    const IndexExpr *block = indexAddConstant(e->index, indexMod(e->index, e->localRow, sharing), i);
    MlirValue areasOfBlock[KERNEL_MAX_RESULTS];
    Partial ofBlock[KERNEL_MAX_LANES];
    reductionAreas(e, r, clusterMemory(e, block), offset, planExchangedRows(m) * width, areasOfBlock);
    loadPartials(e, r, m, areasOfBlock, place, ofBlock);
    for (int64_t lane = 0; lane < m->vector; ++lane)
      partials[lane] = i == 0 ? ofBlock[lane] : reductionCombine(e, r, partials[lane], ofBlock[lane]);
  }
  combineLanesInWarp(e, r, m, partials, sharing);
}

void exchangeRows(Emitter *e, const Reduction *r, const StitchMapping *m, Partial *partials) {
  combineLanesInWarp(e, r, m, partials, planRowsInWarp(m));
  if (planExchangedRows(m) == 1)
    return;
  MlirValue areas[KERNEL_MAX_RESULTS];
  int64_t offset = nextReductionAreas(e, r, planExchangedRows(m) * m->rowThreads * m->vector, areas);
  const IndexExpr *mine = placeOfColumns(e, m);
  combineRowsOfBlock(e, r, m, areas, mine, partials);
  if (planSharesColumns(m))
    combineColumnsInCluster(e, r, m, areas, offset, mine, partials);
}

MlirValue isFirstOfColumns(Emitter *e, const StitchMapping *m) {
  const IndexExpr *row = e->localRow;
  if (planSharesColumns(m))
    row = indexAdd(e->index, row, indexScale(e->index, e->rank, m->blockRows));
  return m->blockRows == 1 && !planSharesColumns(m) ? (MlirValue){NULL} : isZero(e, row);
}

void combineRowsAndStore(Emitter *e, KernelRoot *root, const Reduction *r, Partial *partials, Position column) {
  const StitchMapping *m = &root->mapping;
  MlirValue first = isFirstOfColumns(e, m);
  if (m->blockRows == 1 || planRowsInWarp(m) > 1 || planSharesColumns(m)) { // warps and clusters take part as a whole
    exchangeRows(e, r, m, partials);
    column.valid = bothOf(e, column.valid, first);
    storeCombined(e, root, r, partials, column);
    return;
  }
  MlirValue areas[KERNEL_MAX_RESULTS];
  const IndexExpr *mine = placeOfColumns(e, m);
  nextReductionAreas(e, r, m->blockRows * m->rowThreads * m->vector, areas);
  shareRows(e, r, m, areas, mine, partials);
  BlockState state = enterBlock(e, irBody(irIf(&e->b, first, IR_NO_TYPES, /*hasElse=*/false), 0));
  combineSharedRows(e, r, &(SharedRows){m, areas, mine, m->blockRows, 1}, partials);
  storeCombined(e, root, r, partials, column);
  irYield(&e->b, IR_NO_VALUES);
  leaveBlock(e, state);
}
