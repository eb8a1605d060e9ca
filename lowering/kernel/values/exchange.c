//===- exchange.c - reductions: warp, block, cluster ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp combines what its threads have by shuffles (every thread ends with the result), a block its warps or rows of
// threads through the reduction area of shared memory. emit/sweep.c has what is particular to rows, emit/column.c
// the loop of column reductions; what several blocks leave, partials.c combines. No atomics: the same input gives the
// same bits.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/exchange.h"

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/gpu/elements.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

/// Most partial results of a block's rows of threads that a thread holds in registers at once; beyond that it loops.
enum { ROWS_AT_ONCE = 16, FEW_COLUMNS = 2, SHARED_VALUES_AT_ONCE = 64 };

//===----------------------------------------------------------------------===//
// Across threads
//===----------------------------------------------------------------------===//

Partial combineInWarp(Values *v, const Reduction *r, Partial partial, int64_t count, int64_t stride) {
  MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
  for (int64_t distance = count * stride / 2; distance >= stride; distance /= 2) {
    Partial other;
    for (intptr_t i = 0; i < r->count; ++i)
      other.values[i] = gpuShuffle(&v->b, GPU_SHUFFLE_XOR, partial.values[i], irConstantInt(&v->b, i32, distance));
    partial = reductionCombine(v, r, partial, other);
  }
  return partial;
}

/// Aligned as planReductionBytes counts.
static int64_t areaBytes(MlirType accumulator, int64_t count) {
  return (count * irElementBytes(accumulator) + 15) / 16 * 16;
}

int64_t reductionAreasBytes(const Reduction *r, int64_t count) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < r->count; ++i)
    bytes += areaBytes(r->accumulators[i], count);
  return bytes;
}

void reductionAreas(Values *v, const Reduction *r, MlirValue memory, int64_t offset, int64_t count, MlirValue *areas) {
  for (intptr_t i = 0; i < r->count; ++i) {
    areas[i] = memoryView(&v->b, memory, offset, count, r->accumulators[i]);
    offset += areaBytes(r->accumulators[i], count);
  }
}

void endOfReads(Values *v, int64_t cluster) {
  if (cluster > 1)
    gpuClusterBarrier(&v->b);
  else
    gpuBarrier(&v->b);
}

int64_t nextReductionAreas(Emitter *e) {
  int64_t offset = e->exchanges.half * e->plan->reductionBytes;
  e->exchanges.half = 1 - e->exchanges.half;
  ++e->exchanges.count;
  return offset;
}

/// The constant that a view of the reduction area begins at; -1 for any other operation.
static int64_t beginInReductionArea(Emitter *e, MlirOperation op) {
  if (!irOpIs(op, "memref.view"))
    return -1;
  MlirOperation source = irDefiningOp(irOperand(op, 0));
  bool isShared = mlirValueEqual(irOperand(op, 0), e->memory->shared) ||
                  (!mlirOperationIsNull(source) && irOpIs(source, "stitch.cluster_memory"));
  int64_t begin = isShared ? irGetInt(irDefiningOp(irOperand(op, 1)), "value", -1) : -1;
  return begin < 2 * e->plan->reductionBytes ? begin : -1;
}

/// Whether the regions of an operation exchange something.
static bool exchangesInside(Emitter *e, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP(nested, block)
        if (beginInReductionArea(e, nested) >= 0 || exchangesInside(e, nested))
          return true;
  return false;
}

void alternateHalves(Emitter *e, MlirOperation loop, int64_t workers) {
  MlirBlock body = irBody(loop, 0);
  IR_FOR_EACH_OP(op, body)
    if (exchangesInside(e, op))
      return;
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(body));
  MlirValue round = irDivUI(&b, mlirBlockGetArgument(body, 0), irConstantIndex(&b, workers));
  MlirValue isOdd = irCmpI(&b, IR_CMPI_NE, irAndI(&b, round, irConstantIndex(&b, 1)), irConstantIndex(&b, 0));
  IR_FOR_EACH_OP(op, body) {
    int64_t half = e->plan->reductionBytes, begin = beginInReductionArea(e, op);
    if (begin < 0)
      continue;
    int64_t begins[] = {begin, begin < half ? begin + half : begin - half};
    MlirValue constants[] = {irConstantIndex(&b, begins[0]), irConstantIndex(&b, begins[1])};
    mlirOperationSetOperand(op, 1, irSelect(&b, isOdd, constants[1], constants[0]));
    irSetAttr(op, KERNEL_HALVES_ATTRIBUTE, mlirDenseI64ArrayGet(b.context, 2, begins));
  }
  irSetAttr(loop, KERNEL_ALTERNATES_ATTRIBUTE, mlirUnitAttrGet(b.context));
}

//===----------------------------------------------------------------------===//
// Column reductions
//===----------------------------------------------------------------------===//

/// Combines, for each lane, what `rows` rows of threads in the same warp have. The lanes take each step together, so
/// that their shuffles are under way at the same time.
static void combineLanesInWarp(Values *v, const Reduction *r, const StitchMapping *m, Partial *partials, int64_t rows) {
  for (int64_t distance = rows * m->rowThreads / 2; distance >= m->rowThreads; distance /= 2)
    for (int64_t lane = 0; lane < m->vector; ++lane)
      partials[lane] = combineInWarp(v, r, partials[lane], 2, distance);
}

void storeColumnPartials(Memory *memory, const Reduction *r, Lanes lanes, const MlirValue *areas,
                         const IndexExpr *place, const Partial *partials, MlirValue condition) {
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      values[lane] = partials[lane].values[i];
    storeLanes(memory, areas[i], place, lanes, (Bundle){lanes.count, values}, condition);
  }
}

void loadColumnPartials(Memory *memory, const Reduction *r, Lanes lanes, const MlirValue *areas, const IndexExpr *place,
                        Partial *partials) {
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    bundleExpand(loadLanes(memory, areas[i], r->accumulators[i], place, lanes), lanes.count, values);
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      partials[lane].values[i] = values[lane];
  }
}

static void storePartials(Memory *memory, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                          const IndexExpr *place, const Partial *partials, MlirValue condition) {
  storeColumnPartials(memory, r, lanesOf(memory->values, m->vector), areas, place, partials, condition);
}

static void loadPartials(Memory *memory, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                         const IndexExpr *place, Partial *partials) {
  loadColumnPartials(memory, r, lanesOf(memory->values, m->vector), areas, place, partials);
}

/// Each row of threads writes what it has to shared memory, or each warp what its rows have together.
static void shareRows(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                      const IndexExpr *mine, const Partial *partials) {
  Values *v = e->values;
  int64_t inWarp = planRowsInWarp(m);
  const IndexExpr *row = indexDiv(v->index, e->task.localRow, inWarp);
  const IndexExpr *place = indexAdd(v->index, mine, indexScale(v->index, row, m->rowThreads * m->vector));
  MlirValue first = inWarp > 1 ? isZero(v, indexMod(v->index, e->task.localRow, inWarp)) : (MlirValue){NULL};
  storePartials(e->memory, r, m, areas, place, partials, first);
  gpuBarrier(&v->b);
}

/// The rows of partial results in shared memory that a thread combines: `count` of them, `stride` apart.
typedef struct {
  const StitchMapping *mapping;
  const MlirValue *areas;
  const IndexExpr *first; ///< place of the thread's columns in the first one
  int64_t count, stride;
} SharedRows;

/// Combines `count` of the rows from `first` on.
static void combineSomeRows(Memory *memory, const Reduction *r, const SharedRows *shared, const IndexExpr *first,
                            int64_t count, Partial *partials) {
  Values *v = memory->values;
  Partial rows[ROWS_AT_ONCE][KERNEL_MAX_LANES], column[ROWS_AT_ONCE];
  int64_t distance = shared->stride * shared->mapping->rowThreads * shared->mapping->vector;
  for (int64_t row = 0; row < count; ++row) {
    const IndexExpr *number = indexAddConstant(v->index, first, row);
    const IndexExpr *place = indexAdd(v->index, shared->first, indexScale(v->index, number, distance));
    loadPartials(memory, r, shared->mapping, shared->areas, place, rows[row]);
  }
  for (int64_t lane = 0; lane < shared->mapping->vector; ++lane) {
    for (int64_t row = 0; row < count; ++row)
      column[row] = rows[row][lane];
    partials[lane] = reductionCombineTree(v, r, column, count);
  }
}

/// How many of the rows are combined at once. What is used later alone, LLVM computes later: then a thread holds what
/// it has read for all reduces of its task. It cannot do so with a loop of several rounds.
static int64_t rowsAtOnce(const Emitter *e, const Reduction *r, const SharedRows *shared) {
  int64_t few = shared->mapping->vector <= FEW_COLUMNS ? ROWS_AT_ONCE : ROWS_AT_ONCE / 2;
  int64_t reduces = 0, rows = min64(shared->count, few);
  for (intptr_t i = 0; i < e->loop->numRoots; ++i)
    reduces += e->plan->roots[e->loop->roots[i]].isReduce;
  while (rows > 1 && reduces * rows * shared->mapping->vector * r->count > SHARED_VALUES_AT_ONCE)
    rows /= 2;
  return rows > 1 && shared->count / rows == 2 ? rows / 2 : rows;
}

/// Combines all of them: a loop if that is more than fits into registers.
static void combineSharedRows(Emitter *e, const Reduction *r, const SharedRows *shared, Partial *partials) {
  Values *v = e->values;
  int64_t vector = shared->mapping->vector, together = rowsAtOnce(e, r, shared);
  int64_t rounds = shared->count / together;
  combineSomeRows(e->memory, r, shared, indexConstant(v->index, 0), together, partials);
  if (rounds == 1)
    return;
  MlirValue carried[KERNEL_MAX_LANES * KERNEL_MAX_RESULTS];
  intptr_t numCarried = reductionFlatten(r, partials, vector, carried);
  RoundLoop loop = beginRounds(e->memory, 1, rounds, carried, numCarried);
  reductionUnflatten(r, carried, vector, partials);
  Partial some[KERNEL_MAX_LANES];
  combineSomeRows(e->memory, r, shared, indexScale(v->index, loop.round, together), together, some);
  for (int64_t lane = 0; lane < vector; ++lane)
    partials[lane] = reductionCombine(v, r, partials[lane], some[lane]);
  reductionFlatten(r, partials, vector, carried);
  endRounds(e->memory, &loop, carried, numCarried);
  reductionUnflatten(r, carried, vector, partials);
}

/// The place of the thread's columns in a row of partial results.
static const IndexExpr *placeOfColumns(Emitter *e, const StitchMapping *m) {
  Values *v = e->values;
  Lanes lanes = lanesOf(v, m->vector);
  const IndexExpr *place = indexScale(v->index, e->task.lane, m->vector);
  return lanes.variable ? indexAdd(v->index, place, lanes.variable) : place;
}

/// Combines the rows of the block; all of its threads get the results.
static void combineRowsOfBlock(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                               const IndexExpr *mine, Partial *partials) {
  Values *v = e->values;
  int64_t rows = planSharedRows(m), sharing = min64(rows, planRowsInWarp(m));
  if (rows == 1)
    return;
  shareRows(e, r, m, areas, mine, partials);
  // The rows of threads of a warp share the work on the rows of partial results.
  const IndexExpr *own = indexScale(v->index, indexMod(v->index, e->task.localRow, sharing), m->rowThreads * m->vector);
  SharedRows shared = {m, areas, indexAdd(v->index, mine, own), rows / sharing, sharing};
  combineSharedRows(e, r, &shared, partials);
  combineLanesInWarp(v, r, m, partials, sharing);
}

/// Combines the blocks of a cluster, each of which leaves its results behind those of its rows, from `offset` on.
static void combineColumnsInCluster(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                                    int64_t offset, const IndexExpr *mine, Partial *partials) {
  Values *v = e->values;
  int64_t width = m->rowThreads * m->vector, sharing = min64(m->cluster, planRowsInWarp(m));
  const IndexExpr *place = indexAddConstant(v->index, mine, planSharedRows(m) * width);
  storePartials(e->memory, r, m, areas, place, partials,
                m->blockRows > 1 ? isZero(v, e->task.localRow) : (MlirValue){NULL});
  gpuClusterBarrier(&v->b);
  for (int64_t i = 0; i < m->cluster; i += sharing) {
    const IndexExpr *block = indexAddConstant(v->index, indexMod(v->index, e->task.localRow, sharing), i);
    MlirValue areasOfBlock[KERNEL_MAX_RESULTS];
    Partial ofBlock[KERNEL_MAX_LANES];
    reductionAreas(v, r, clusterMemory(e->memory, block), offset, planExchangedRows(m) * width, areasOfBlock);
    loadPartials(e->memory, r, m, areasOfBlock, place, ofBlock);
    for (int64_t lane = 0; lane < m->vector; ++lane)
      partials[lane] = i == 0 ? ofBlock[lane] : reductionCombine(v, r, partials[lane], ofBlock[lane]);
  }
  combineLanesInWarp(v, r, m, partials, sharing);
}

/// The partial results of a block as its threads share out the work on them: each has all of some columns.
typedef struct {
  StitchMapping mapping; ///< of so many threads, and vectors of so many columns
  const IndexExpr *place;
  MlirValue condition; ///< that the thread has some; null: all have
} ColumnShare;

static ColumnShare columnShareOf(Emitter *e, const StitchMapping *m) {
  Values *v = e->values;
  ColumnShare share = {.mapping = *m};
  int64_t width = m->rowThreads * m->vector, threads = min64(width, planBlockSize(m));
  share.mapping.rowThreads = threads;
  share.mapping.vector = width / threads;
  const IndexExpr *thread = indexAdd(v->index, indexScale(v->index, e->task.localRow, m->rowThreads), e->task.lane);
  Lanes lanes = lanesOf(v, share.mapping.vector);
  if (threads < planBlockSize(m))
    share.condition = irCmpI(&v->b, IR_CMPI_ULT, emitIndex(v, thread), irConstantIndex(&v->b, threads));
  share.place = indexScale(v->index, thread, share.mapping.vector);
  share.place = lanes.variable ? indexAdd(v->index, share.place, lanes.variable) : share.place;
  return share;
}

/// Opens the region of the threads that have a share.
static BlockState enterShare(Values *v, const ColumnShare *share, bool *opened) {
  *opened = !mlirValueIsNull(share->condition);
  return *opened ? enterBlock(v, irBody(irIf(&v->b, share->condition, IR_NO_TYPES, /*hasElse=*/false), 0))
                 : (BlockState){0};
}

static void leaveShare(Values *v, BlockState state, bool opened) {
  if (!opened)
    return;
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}

/// Combines what the blocks of a cluster have left `offset` behind the beginning of their areas, from row `row` on.
static void combineShareOfCluster(Emitter *e, const Reduction *r, const StitchMapping *m, const ColumnShare *share,
                                  int64_t offset, int64_t row, Partial *sums) {
  Values *v = e->values;
  int64_t width = m->rowThreads * m->vector;
  for (int64_t i = 0; i < m->cluster; ++i) {
    MlirValue areas[KERNEL_MAX_RESULTS];
    Partial ofBlock[KERNEL_MAX_LANES];
    reductionAreas(v, r, clusterMemory(e->memory, indexConstant(v->index, i)), offset, planExchangedRows(m) * width,
                   areas);
    loadPartials(e->memory, r, &share->mapping, areas, indexAddConstant(v->index, share->place, row * width), ofBlock);
    for (int64_t lane = 0; lane < share->mapping.vector; ++lane)
      sums[lane] = i == 0 ? ofBlock[lane] : reductionCombine(v, r, sums[lane], ofBlock[lane]);
  }
}

bool exchangesByColumns(const StitchMapping *m) {
  enum { MOST_ACCESSES = 256 };
  int64_t rows = planSharedRows(m), sharing = min64(rows, planRowsInWarp(m));
  return rows > 1 && rows / sharing * m->vector * planBlockSize(m) / PLAN_WARP >= MOST_ACCESSES;
}

/// The threads share out the columns of the block: each combines the rows of its own, and leaves the results in the
/// place of the first row, where all others read them. No other thread reads what it overwrites there.
static void exchangeByColumns(Emitter *e, const Reduction *r, const StitchMapping *m, const MlirValue *areas,
                              int64_t offset, const IndexExpr *mine, Partial *partials) {
  Values *v = e->values;
  int64_t rows = planSharedRows(m), width = m->rowThreads * m->vector;
  bool isCluster = planSharesColumns(m), opened;
  shareRows(e, r, m, areas, mine, partials);
  ColumnShare share = columnShareOf(e, m);
  Partial sums[KERNEL_MAX_LANES];
  BlockState state = enterShare(v, &share, &opened);
  combineSharedRows(e, r, &(SharedRows){&share.mapping, areas, share.place, rows, 1}, sums);
  storePartials(e->memory, r, &share.mapping, areas,
                indexAddConstant(v->index, share.place, isCluster ? rows * width : 0), sums, (MlirValue){NULL});
  leaveShare(v, state, opened);
  if (isCluster) {
    gpuClusterBarrier(&v->b);
    state = enterShare(v, &share, &opened);
    combineShareOfCluster(e, r, m, &share, offset, rows, sums);
    storePartials(e->memory, r, &share.mapping, areas, share.place, sums, (MlirValue){NULL});
    leaveShare(v, state, opened);
  }
  gpuBarrier(&v->b);
  loadPartials(e->memory, r, m, areas, mine, partials);
}

void exchangeRows(Emitter *e, const Reduction *r, const StitchMapping *m, Partial *partials) {
  Values *v = e->values;
  combineLanesInWarp(v, r, m, partials, planRowsInWarp(m));
  if (planExchangedRows(m) == 1)
    return;
  MlirValue areas[KERNEL_MAX_RESULTS];
  int64_t offset = nextReductionAreas(e);
  reductionAreas(v, r, e->memory->shared, offset, planExchangedRows(m) * m->rowThreads * m->vector, areas);
  const IndexExpr *mine = placeOfColumns(e, m);
  if (exchangesByColumns(m)) {
    exchangeByColumns(e, r, m, areas, offset, mine, partials);
    return;
  }
  combineRowsOfBlock(e, r, m, areas, mine, partials);
  if (planSharesColumns(m))
    combineColumnsInCluster(e, r, m, areas, offset, mine, partials);
}

MlirValue isFirstOfColumns(Emitter *e, const StitchMapping *m) {
  Values *v = e->values;
  const IndexExpr *row = e->task.localRow;
  if (planSharesColumns(m))
    row = indexAdd(v->index, row, indexScale(v->index, e->task.rank, m->blockRows));
  return m->blockRows == 1 && !planSharesColumns(m) ? (MlirValue){NULL} : isZero(v, row);
}

BlockState exchangeRowsToFirst(Emitter *e, const Reduction *r, const StitchMapping *m, MlirValue first,
                               Partial *partials) {
  Values *v = e->values;
  MlirValue areas[KERNEL_MAX_RESULTS];
  const IndexExpr *mine = placeOfColumns(e, m);
  reductionAreas(v, r, e->memory->shared, nextReductionAreas(e), m->blockRows * m->rowThreads * m->vector, areas);
  shareRows(e, r, m, areas, mine, partials);
  BlockState state = enterBlock(v, irBody(irIf(&v->b, first, IR_NO_TYPES, /*hasElse=*/false), 0));
  combineSharedRows(e, r, &(SharedRows){m, areas, mine, m->blockRows, 1}, partials);
  return state;
}
