//===- emit_row.c - reductions of rows ------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread combines its elements of the row, a warp its threads, a block its warps, a cluster its blocks; every thread
// ends with the result. Reduces that do not depend on each other go all these ways together: their shuffles are under
// way at the same time, and one barrier serves them all. Where a row is more than registers hold, they share the loop
// over its elements, too, and so what they read.
//
//===----------------------------------------------------------------------===//

#include "ir/arithmetic.h"
#include "lowering/stitch_to_gpu/reduction.h"

#include <stdlib.h>

/// Most elements of a row that a thread holds in registers at once; beyond that it loops.
enum { MAX_STRAIGHT_ELEMENTS = 128, OTHER_REGISTERS = 32, LOOP_UNROLL = 4 };

/// A reduce of those that go together.
typedef struct {
  KernelRoot *root;
  Reduction r;
  Partial partial; ///< what the thread has combined so far, then the warp, and so on
  Partial accumulators[KERNEL_MAX_LANES];
  Partial steps[LOOP_UNROLL][KERNEL_MAX_LANES];
  MlirValue areas[KERNEL_MAX_RESULTS]; ///< in the block's shared memory
} RowReduce;

typedef struct {
  const StitchMapping *mapping; ///< of all of them
  intptr_t count;
  RowReduce *reduces;
} RowReduces;

//===----------------------------------------------------------------------===//
// Which go together
//===----------------------------------------------------------------------===//

static KernelRoot *rootOfLoop(const Emitter *e, intptr_t number) { return &e->plan->roots[e->loop->roots[number]]; }

/// Partial results of a block that are exchanged: of its warps, and of itself for the cluster; 0: shuffles are enough.
static int64_t numExchanged(const StitchMapping *m) {
  if (m->rowThreads <= 32 && m->cluster == 1)
    return 0;
  return planBlockSize(m) / 32 + (m->cluster > 1 ? m->blockRows : 0);
}

/// The reduces from the loop's root number `first` on that are independent of each other, and whose partial results the
/// reduction area holds at the same time.
static RowReduces findRowReduces(Emitter *e, intptr_t first) {
  const KernelRoot *root = rootOfLoop(e, first);
  RowReduces all = {&root->mapping, 0, irAllocate(sizeof(RowReduce) * (size_t)(e->loop->numRoots - first))};
  int64_t bytes = 0;
  for (intptr_t i = first; i < e->loop->numRoots; ++i) {
    KernelRoot *next = rootOfLoop(e, i);
    if (!next->isReduce || next->level != root->level || !planSameMapping(&next->mapping, all.mapping))
      break;
    RowReduce *reduce = &all.reduces[all.count];
    *reduce = (RowReduce){.root = next, .r = reductionOf(e, next->op)};
    bytes += reductionAreasBytes(&reduce->r, numExchanged(all.mapping));
    if (all.count > 0 && bytes > e->plan->reductionBytes)
      break;
    ++all.count;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// What a thread handles alone
//===----------------------------------------------------------------------===//

/// The elements of step `k` of the thread's row, as many as the mapping has lanes.
static void rowStep(Emitter *e, const RowReduce *reduce, const IndexExpr *k, Partial *partials) {
  const StitchMapping *m = &reduce->root->mapping;
  int64_t stride = m->rowThreads * m->vector;
  const IndexExpr *base = indexAdd(e->index, indexScale(e->index, k, stride), indexScale(e->index, e->lane, m->vector));
  base = indexAdd(e->index, base, indexScale(e->index, e->chunk, planColumnsOfBlock(m)));
  Position column = positionInside(e, base, reduce->root->columns, m->vector);
  Lanes lanes = lanesOf(e, m->vector);
  const IndexExpr *reduced = lanes.variable ? indexAdd(e->index, column.index, lanes.variable) : column.index;
  reductionElements(e, &reduce->r, e->row, reduced, lanes, column.valid, partials);
}

/// Combines all steps to one value.
static void straightSteps(Emitter *e, RowReduce *reduce) {
  int64_t steps = reduce->root->mapping.unroll, lanes = reduce->root->mapping.vector;
  Partial *partials = irAllocate(sizeof(Partial) * (size_t)(steps * lanes));
  for (int64_t k = 0; k < steps; ++k)
    rowStep(e, reduce, indexConstant(e->index, k), partials + k * lanes);
  reduce->partial = reductionCombineTree(e, &reduce->r, partials, steps * lanes);
  free(partials);
}

/// Combines `count` steps from `first` on, lane by lane, with what the accumulators hold.
static void accumulateSteps(Emitter *e, const RowReduces *all, const IndexExpr *first, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    for (intptr_t j = 0; j < all->count; ++j)
      rowStep(e, &all->reduces[j], indexAddConstant(e->index, first, i), all->reduces[j].steps[i]);
  for (intptr_t j = 0; count && j < all->count; ++j) {
    RowReduce *reduce = &all->reduces[j];
    for (int64_t lane = 0; lane < all->mapping->vector; ++lane) {
      Partial column[LOOP_UNROLL];
      for (int64_t i = 0; i < count; ++i)
        column[i] = reduce->steps[i][lane];
      Partial together = reductionCombineTree(e, &reduce->r, column, count);
      reduce->accumulators[lane] = reductionCombine(e, &reduce->r, reduce->accumulators[lane], together);
    }
  }
}

/// The accumulators' values as a list that a loop carries, and back. Returns how many there are.
static intptr_t flattenAccumulators(const RowReduces *all, MlirValue *values) {
  intptr_t count = 0;
  for (intptr_t j = 0; j < all->count; ++j)
    count += reductionFlatten(&all->reduces[j].r, all->reduces[j].accumulators, all->mapping->vector, values + count);
  return count;
}

static void unflattenAccumulators(const RowReduces *all, const MlirValue *values) {
  for (intptr_t j = 0; j < all->count; ++j) {
    reductionUnflatten(&all->reduces[j].r, values, all->mapping->vector, all->reduces[j].accumulators);
    values += all->mapping->vector * all->reduces[j].r.count;
  }
}

/// 32-bit words that are read for an element of each of them, at most.
static int64_t wordsTogether(const Emitter *e, const RowReduces *all) {
  int64_t words = 0;
  for (intptr_t j = 0; j < all->count; ++j)
    words += all->reduces[j].root->words;
  return all->count > 1 ? min64(words, e->loop->words) : words;
}

/// The same with a loop: each lane has its accumulator, and a few steps are in flight at once.
static void loopedSteps(Emitter *e, const RowReduces *all) {
  int64_t steps = all->mapping->unroll, lanes = all->mapping->vector;
  int64_t together = stepsAtOnce(wordsTogether(e, all), lanes, LOOP_UNROLL), rounds = steps / together;
  MlirValue *carried = irAllocate(sizeof(*carried) * (size_t)(all->count * lanes * KERNEL_MAX_RESULTS));
  for (intptr_t j = 0; j < all->count; ++j)
    for (int64_t lane = 0; lane < lanes; ++lane)
      all->reduces[j].accumulators[lane] = all->reduces[j].r.identity;
  intptr_t numCarried = flattenAccumulators(all, carried);
  RoundLoop loop = beginRounds(e, 0, rounds, carried, numCarried);
  unflattenAccumulators(all, carried);
  accumulateSteps(e, all, indexScale(e->index, loop.round, together), together);
  flattenAccumulators(all, carried);
  endRounds(e, &loop, carried, numCarried);
  unflattenAccumulators(all, carried);
  accumulateSteps(e, all, indexConstant(e->index, rounds * together), steps - rounds * together);
  for (intptr_t j = 0; j < all->count; ++j)
    all->reduces[j].partial = reductionCombineTree(e, &all->reduces[j].r, all->reduces[j].accumulators, lanes);
  free(carried);
}

bool holdsInRegisters(const Emitter *e, int64_t elements) {
  return elements <= MAX_STRAIGHT_ELEMENTS && OTHER_REGISTERS + elements <= e->plan->launch.registers;
}

static void combineInThread(Emitter *e, const RowReduces *all) {
  int64_t steps = all->mapping->unroll;
  if (steps > LOOP_UNROLL && !holdsInRegisters(e, steps * all->mapping->vector)) {
    loopedSteps(e, all);
    return;
  }
  for (intptr_t j = 0; j < all->count; ++j)
    straightSteps(e, &all->reduces[j]);
}

//===----------------------------------------------------------------------===//
// Across threads
//===----------------------------------------------------------------------===//

/// Combines `count` neighbouring threads. All reduces take each step together.
static void combineInWarps(Emitter *e, const RowReduces *all, int64_t count) {
  for (int64_t distance = count / 2; distance >= 1; distance /= 2)
    for (intptr_t j = 0; j < all->count; ++j)
      all->reduces[j].partial = combineInWarp(e, &all->reduces[j].r, all->reduces[j].partial, 2, distance);
}

static void storePartials(Emitter *e, const RowReduces *all, const IndexExpr *place, MlirValue condition) {
  for (intptr_t j = 0; j < all->count; ++j)
    for (intptr_t i = 0; i < all->reduces[j].r.count; ++i)
      storeLanes(e, all->reduces[j].areas[i], place, (Lanes){1, NULL}, (Bundle){1, &all->reduces[j].partial.values[i]},
                 condition);
}

static void loadPartial(Emitter *e, RowReduce *reduce, const MlirValue *areas, const IndexExpr *place) {
  for (intptr_t i = 0; i < reduce->r.count; ++i)
    reduce->partial.values[i] = loadLanes(e, areas[i], reduce->r.accumulators[i], place, (Lanes){1, NULL}).values[0];
}

/// Combines the warps of a block that work on one row: each writes its result, and every thread combines those of its
/// row.
static void combineAcrossWarps(Emitter *e, const RowReduces *all) {
  const StitchMapping *m = &e->loop->mapping;
  int64_t warpsPerRow = m->rowThreads / 32;
  const IndexExpr *thread = indexAdd(e->index, indexScale(e->index, e->localRow, m->rowThreads), e->lane);
  const IndexExpr *warp = indexDiv(e->index, thread, 32), *inWarp = indexMod(e->index, thread, 32);
  storePartials(e, all, warp, irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, inWarp), irConstantIndex(&e->b, 0)));
  blockBarrier(e);
  const IndexExpr *mine =
      indexAdd(e->index, indexScale(e->index, e->localRow, warpsPerRow), indexMod(e->index, inWarp, warpsPerRow));
  for (intptr_t j = 0; j < all->count; ++j)
    loadPartial(e, &all->reduces[j], all->reduces[j].areas, mine);
  combineInWarps(e, all, warpsPerRow);
}

/// Combines the blocks of a cluster: each leaves its result behind those of its warps, and every thread combines those
/// of all blocks for its row. The areas of all blocks are at the same `offset`.
static void combineInCluster(Emitter *e, const RowReduces *all, int64_t offset) {
  const StitchMapping *m = &e->loop->mapping;
  const IndexExpr *place = indexAddConstant(e->index, e->localRow, planBlockSize(m) / 32);
  storePartials(e, all, place, irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, e->lane), irConstantIndex(&e->b, 0)));
  clusterBarrier(e);
  MlirValue memory = clusterMemory(e, indexMod(e->index, e->lane, m->cluster));
  for (intptr_t j = 0; j < all->count; ++j) {
    MlirValue areas[KERNEL_MAX_RESULTS];
    reductionAreas(e, &all->reduces[j].r, memory, offset, numExchanged(m), areas);
    loadPartial(e, &all->reduces[j], areas, place);
    offset += reductionAreasBytes(&all->reduces[j].r, numExchanged(m));
  }
  combineInWarps(e, all, m->cluster);
}

/// Combines the threads that work on one row; all of them get the result.
static void combineThreads(Emitter *e, const RowReduces *all) {
  const StitchMapping *m = &e->loop->mapping;
  combineInWarps(e, all, min64(m->rowThreads, 32));
  if (numExchanged(m) == 0)
    return;
  int64_t first = nextReductionAreas(e), offset = first;
  for (intptr_t j = 0; j < all->count; ++j) {
    reductionAreas(e, &all->reduces[j].r, e->shared, offset, numExchanged(m), all->reduces[j].areas);
    offset += reductionAreasBytes(&all->reduces[j].r, numExchanged(m));
  }
  if (m->rowThreads > 32)
    combineAcrossWarps(e, all);
  if (m->cluster > 1)
    combineInCluster(e, all, first);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// 0 for the thread that stores the result of a row.
static const IndexExpr *firstOfRow(Emitter *e) {
  const StitchMapping *m = &e->loop->mapping;
  return m->cluster > 1 ? indexAdd(e->index, e->lane, indexScale(e->index, e->rank, m->rowThreads)) : e->lane;
}

/// Later roots of the task find the result in registers; where others need it, it is stored.
static void keepResult(Emitter *e, RowReduce *reduce) {
  KernelRoot *root = reduce->root;
  Partial result = root->isSplit ? reduce->partial : reductionNarrow(e, &reduce->r, reduce->partial);
  MlirValue first = irCmpI(&e->b, IR_CMPI_EQ, emitIndex(e, firstOfRow(e)), irConstantIndex(&e->b, 0));
  for (intptr_t i = 0; i < reduce->r.count; ++i) {
    MlirValue *kept = IR_NEW(&e->arena, MlirValue);
    *kept = result.values[i];
    if (!root->isSplit) {
      MlirValue value = root->results[i].value;
      IndexVector index = indexDelinearize(e->index, e->row, irShapeOf(value));
      memoAdd(&e->memo, value.ptr, &index, (MemoValue){.bundle = {1, kept}});
    }
    storeRoot(e, root, i, e->row, (Lanes){1, NULL}, (Bundle){1, kept}, first);
  }
}

intptr_t emitRowReduces(Emitter *e, intptr_t first) {
  RowReduces all = findRowReduces(e, first);
  combineInThread(e, &all);
  combineThreads(e, &all);
  for (intptr_t j = 0; j < all.count; ++j)
    keepResult(e, &all.reduces[j]);
  free(all.reduces);
  return all.count;
}
