//===- sweep.c - roots that go through the elements of a task ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduce of rows: a thread combines its elements of the row, a warp its threads, a block its warps, a cluster its
// blocks; every thread ends with the result. Reduces that do not depend on each other go all these ways together: their
// shuffles are under way at the same time, and one barrier serves them all. Where a row is more than registers hold,
// they share the loop over its elements, too, and so their loads. So do elementwise roots whose values do not stay in
// registers: steps outside, roots inside.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/emit/emit.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/values/residents.h"

#include <stdlib.h>

/// Most steps of one element that are in flight together, and of as many as an access has at most.
enum { MAX_STEPS = 16, MAX_VECTOR_STEPS = 4 };

/// A reduce of a pass over the data.
typedef struct {
  KernelRoot *root;
  Reduction r;
  Partial partial; ///< the partial result of the thread, then of the warp, and so on
  Partial accumulators[KERNEL_MAX_LANES];
  Partial steps[MAX_STEPS][KERNEL_MAX_LANES];
  MlirValue areas[KERNEL_MAX_RESULTS]; ///< in the block's shared memory
} RowReduce;

/// Neighbouring roots of a task, none of which waits for the result of another's exchange.
typedef struct {
  const StitchMapping *mapping; ///< of all of them
  Walk walk;                    ///< of all of them
  intptr_t count;
  RowReduce *reduces;
  intptr_t numRoots;
  KernelRoot **roots; ///< in order: the reduces, and elementwise roots that are not unrolled
} RowPass;

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

/// Whether a root goes with those of the pass over the data, whose reduces are of that stage.
static bool joins(const Emitter *e, const RowPass *sweep, const KernelRoot *root, int64_t stage) {
  if (!planSameMapping(&root->mapping, sweep->mapping))
    return false;
  if (root->isReduce)
    return root->stage == stage;
  Walk walk = walkOf(e, root);
  bool isSameWalk = !walk.atOnce && walk.vector == sweep->walk.vector && walk.steps == sweep->walk.steps;
  return isSameWalk && (sweep->count == 0 || root->stage <= stage); // it waits for none of the reduces
}

/// Other threads read it, who wait until all of it is there.
static bool isAlone(const KernelRoot *root) { return !root->isReduce && root->inSharedMemory; }

/// The stage of the next reduce, from the loop's root number `first` on, or a later one if there is none.
static int64_t stageOfNextReduce(const Emitter *e, intptr_t first) {
  for (intptr_t i = first; i < e->loop->numRoots; ++i)
    if (rootOfLoop(e, i)->isReduce)
      return rootOfLoop(e, i)->stage;
  return INT64_MAX;
}

/// The roots from number `first` on that go together. The partial results of the reduces must fit into the reduction
/// area at the same time.
static RowPass findSweep(Emitter *e, intptr_t first) {
  size_t most = (size_t)(e->loop->numRoots - first);
  RowPass sweep = {.mapping = &rootOfLoop(e, first)->mapping,
                   .walk = walkOf(e, rootOfLoop(e, first)),
                   .reduces = irAllocate(sizeof(RowReduce) * most),
                   .roots = irAllocate(sizeof(KernelRoot *) * most)};
  int64_t bytes = 0, stage = stageOfNextReduce(e, first);
  for (intptr_t i = first; i < e->loop->numRoots; ++i) {
    KernelRoot *next = rootOfLoop(e, i);
    if (i > first && (isAlone(sweep.roots[0]) || isAlone(next) || !joins(e, &sweep, next, stage)))
      break;
    if (next->isReduce) {
      Reduction r = reductionOf(e, next->op);
      bytes += reductionAreasBytes(&r, numExchanged(sweep.mapping));
      if (sweep.count > 0 && bytes > e->plan->reductionBytes)
        break;
      sweep.reduces[sweep.count++] = (RowReduce){.root = next, .r = r};
    }
    sweep.roots[sweep.numRoots++] = next;
  }
  return sweep;
}

//===----------------------------------------------------------------------===//
// A thread's own part
//===----------------------------------------------------------------------===//

/// Where step `k` of the thread's row begins.
static const IndexExpr *rowStepBase(Emitter *e, const StitchMapping *m, const IndexExpr *k) {
  Values *v = e->values;
  int64_t stride = m->rowThreads * m->vector;
  const IndexExpr *base =
      indexAdd(v->index, indexScale(v->index, k, stride), indexScale(v->index, e->task.lane, m->vector));
  return indexAdd(v->index, base, indexScale(v->index, e->task.chunk, planColumnsOfBlock(m)));
}

LoopElements rowStepElements(Emitter *e, const KernelRoot *root, const IndexExpr *k) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  Position column = positionOfStep(e, rowStepBase(e, m, k), root->columns, m->vector);
  Lanes lanes = lanesOf(v, m->vector);
  const IndexExpr *reduced = lanes.variable ? indexAdd(v->index, column.index, lanes.variable) : column.index;
  return (LoopElements){e->task.row, reduced, column.valid, lanes};
}

/// The same of a mapping with runs, run by run.
static void alignedRowStep(Emitter *e, const RowReduce *reduce, const IndexExpr *k, Partial *partials) {
  Values *v = e->values;
  const AlignedVector *vector =
      alignedOfStep(e, &reduce->root->mapping, e->task.row, rowStepBase(e, &reduce->root->mapping, k));
  for (int64_t i = 0; i < vector->numRuns; ++i)
    reductionElements(e, &reduce->r, e->task.row, alignedColumn(v, vector, i), vector->run, vector->runs[i].valid,
                      partials + i * vector->run.count);
}

/// The elements of step `k` of the thread's row, as many as the mapping has lanes.
static void rowStep(Emitter *e, const RowReduce *reduce, const IndexExpr *k, Partial *partials) {
  if (reduce->root->mapping.run > 0) {
    alignedRowStep(e, reduce, k, partials);
    return;
  }
  LoopElements at = rowStepElements(e, reduce->root, k);
  residentsBeginStep(e, &reduce->root->mapping, k, at.row, at.column);
  reductionElements(e, &reduce->r, at.row, at.column, at.lanes, at.valid, partials);
  residentsEndStep(e);
}

/// Combines all steps to one value.
static void straightSteps(Emitter *e, RowReduce *reduce) {
  Values *v = e->values;
  int64_t steps = reduce->root->mapping.unroll, lanes = reduce->root->mapping.vector;
  Partial *partials = irAllocate(sizeof(Partial) * (size_t)(steps * lanes));
  for (int64_t k = 0; k < steps; ++k)
    rowStep(e, reduce, indexConstant(v->index, k), partials + k * lanes);
  reduce->partial = reductionCombineTree(v, &reduce->r, partials, steps * lanes);
  free(partials);
}

/// Combines `count` steps from `first` on, lane by lane, with the accumulators; of elementwise roots, the elements are
/// stored.
static void accumulateSteps(Emitter *e, const RowPass *all, const IndexExpr *first, int64_t count) {
  Values *v = e->values;
  RowReduce *next = all->reduces;
  for (intptr_t j = 0; count && j < all->numRoots; ++j) {
    if (!all->roots[j]->isReduce) {
      emitSteps(e, all->roots[j], first, count, all->walk.vector);
      continue;
    }
    for (int64_t i = 0; i < count; ++i)
      rowStep(e, next, indexAddConstant(v->index, first, i), next->steps[i]);
    ++next;
  }
  for (intptr_t j = 0; count && j < all->count; ++j) {
    RowReduce *reduce = &all->reduces[j];
    for (int64_t lane = 0; lane < all->walk.vector; ++lane) {
      Partial column[MAX_STEPS];
      for (int64_t i = 0; i < count; ++i)
        column[i] = reduce->steps[i][lane];
      reduce->accumulators[lane] =
          reductionAccumulate(v, &reduce->r, reduce->accumulators[lane], column, count, all->count * all->walk.vector);
    }
  }
}

/// The accumulators' values as a list that a loop carries, and back. Returns how many there are.
static intptr_t flattenAccumulators(const RowPass *all, MlirValue *values) {
  intptr_t count = 0;
  for (intptr_t j = 0; j < all->count; ++j)
    count += reductionFlatten(&all->reduces[j].r, all->reduces[j].accumulators, all->walk.vector, values + count);
  return count;
}

static void unflattenAccumulators(const RowPass *all, const MlirValue *values) {
  for (intptr_t j = 0; j < all->count; ++j) {
    reductionUnflatten(&all->reduces[j].r, values, all->walk.vector, all->reduces[j].accumulators);
    values += all->walk.vector * all->reduces[j].r.count;
  }
}

/// Steps that are in flight together, half of them at most.
static int64_t stepsTogether(const Emitter *e, const RowPass *all) {
  int64_t words = 0, lanes = all->walk.vector;
  for (intptr_t j = 0; j < all->numRoots; ++j)
    words += all->roots[j]->words;
  words = all->numRoots > 1 ? min64(words, e->loop->words) : words;
  int64_t most = max64(MAX_STEPS / lanes, MAX_VECTOR_STEPS);
  return stepsAtOnce(words, lanes, min64(most, (all->walk.steps + 1) / 2));
}

static void emitRound(Emitter *e, const void *steps, const IndexExpr *first, int64_t count, MlirValue *carried) {
  const RowPass *all = steps;
  unflattenAccumulators(all, carried);
  accumulateSteps(e, all, first, count);
  flattenAccumulators(all, carried);
}

/// The elements along which the steps of all roots go, or none if these are not the same.
static Extent extentOfSweep(const Emitter *e, const RowPass *all) {
  Extent extent = extentOfSteps(e, all->roots[0]);
  for (intptr_t i = 1; i < all->numRoots; ++i) {
    Extent other = extentOfSteps(e, all->roots[i]);
    if (other.most != extent.most || other.symbol != extent.symbol)
      return extentOf(0);
  }
  return e->loop->mapping.kind == STITCH_MAPPING_TILE ? extentOf(0) : extent;
}

/// Steps from `first` up to `end` as a loop, `together` in flight.
static void accumulateByLoop(Emitter *e, const RowPass *all, int64_t first, int64_t end, int64_t together) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  int64_t lanes = all->walk.vector, rounds = (end - first) / together, perStep = m->rowThreads * lanes;
  MlirValue *carried = irAllocate(sizeof(*carried) * (size_t)(all->count * lanes * KERNEL_MAX_RESULTS + 1));
  intptr_t numCarried = flattenAccumulators(all, carried);
  const IndexExpr *chunk = indexScale(v->index, e->task.chunk, perStep * m->unroll);
  const Rounds loop = {.count = rounds,
                       .together = together,
                       .firstStep = first,
                       .first = indexAddConstant(v->index, chunk, first * perStep),
                       .perStep = perStep,
                       .size = extentOfSweep(e, all),
                       .steps = all,
                       .emit = emitRound};
  e->atHand.first = first;
  emitRounds(e, &loop, carried, numCarried);
  unflattenAccumulators(all, carried);
  int64_t rest = first + rounds * together;
  accumulateSteps(e, all, indexConstant(v->index, rest), end - rest);
  free(carried);
}

/// The same with loops: each lane has its accumulator, and a few steps are in flight. Steps that have their loads in
/// registers have code of their own.
static void loopedSteps(Emitter *e, const RowPass *all) {
  Values *v = e->values;
  int64_t steps = all->walk.steps, lanes = all->walk.vector, together = stepsTogether(e, all);
  for (intptr_t j = 0; j < all->count; ++j)
    for (int64_t lane = 0; lane < lanes; ++lane)
      all->reduces[j].accumulators[lane] = all->reduces[j].r.identity;
  int64_t start = all->mapping->run > 0 && all->mapping->rows > 1 ? min64(together, steps) : 0;
  accumulateSteps(e, all, indexConstant(v->index, 0),
                  start); // those before the row are in no loop, and masked nowhere else
  for (int64_t first = start, end; first < steps; first = end) {
    bool inRegisters;
    end = residentsEndOfSteps(e, all->mapping, first, steps, &inRegisters);
    if (!inRegisters && end - first >= together) {
      accumulateByLoop(e, all, first, end, together);
      continue;
    }
    for (int64_t k = first; k < end; k += together)
      accumulateSteps(e, all, indexConstant(v->index, k), min64(together, end - k));
  }
  for (intptr_t j = 0; j < all->count; ++j)
    all->reduces[j].partial = reductionCombineTree(v, &all->reduces[j].r, all->reduces[j].accumulators, lanes);
}

/// Words that the roots from number `first` on read of which each shares something with one before it.
static int64_t wordsOfConnected(const RowPass *all, intptr_t first) {
  int64_t words = all->roots[first]->newWords;
  for (intptr_t j = first + 1; j < all->numRoots && all->roots[j]->continues; ++j)
    words += all->roots[j]->newWords;
  return words;
}

/// The first of these roots, which share a loop: those that share nothing with them join while there are registers for
/// the loads of all of them.
static RowPass firstLoop(const RowPass *rest) {
  RowPass first = *rest;
  int64_t words = 0;
  first.count = first.numRoots = 0;
  for (; first.numRoots < rest->numRoots; ++first.numRoots) {
    const KernelRoot *root = rest->roots[first.numRoots];
    bool begins = first.numRoots == 0 || !root->continues;
    words += begins ? wordsOfConnected(rest, first.numRoots) : 0;
    if (begins && first.numRoots && words * rest->walk.vector > PLAN_WORDS_AT_ONCE)
      break;
    first.count += root->isReduce;
  }
  return first;
}

static void combineInThread(Emitter *e, const RowPass *all) {
  bool haveReducesAlone = all->count == all->numRoots;
  if (haveReducesAlone && all->walk.atOnce) {
    for (intptr_t j = 0; j < all->count; ++j)
      straightSteps(e, &all->reduces[j]);
    return;
  }
  for (RowPass rest = *all; rest.numRoots;) {
    RowPass first = firstLoop(&rest);
    loopedSteps(e, &first);
    rest.count -= first.count, rest.reduces += first.count;
    rest.numRoots -= first.numRoots, rest.roots += first.numRoots;
  }
}

//===----------------------------------------------------------------------===//
// Across threads
//===----------------------------------------------------------------------===//

/// Combines `count` neighbouring threads. All reduces take each step together.
static void combineInWarps(Values *v, const RowPass *all, int64_t count) {
  for (int64_t distance = count / 2; distance >= 1; distance /= 2)
    for (intptr_t j = 0; j < all->count; ++j)
      all->reduces[j].partial = combineInWarp(v, &all->reduces[j].r, all->reduces[j].partial, 2, distance);
}

static void storePartials(Memory *memory, const RowPass *all, const IndexExpr *place, MlirValue condition) {
  for (intptr_t j = 0; j < all->count; ++j)
    for (intptr_t i = 0; i < all->reduces[j].r.count; ++i)
      storeLanes(memory, all->reduces[j].areas[i], place, (Lanes){1, NULL},
                 (Bundle){1, &all->reduces[j].partial.values[i]}, condition);
}

static void loadPartial(Memory *memory, RowReduce *reduce, const MlirValue *areas, const IndexExpr *place) {
  for (intptr_t i = 0; i < reduce->r.count; ++i)
    reduce->partial.values[i] =
        loadLanes(memory, areas[i], reduce->r.accumulators[i], place, (Lanes){1, NULL}).values[0];
}

/// Combines the warps of a block that work on one row: each writes its result, and every thread combines those of its
/// row.
static void combineAcrossWarps(Emitter *e, const RowPass *all) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  int64_t warpsPerRow = m->rowThreads / 32;
  const IndexExpr *thread = indexAdd(v->index, indexScale(v->index, e->task.localRow, m->rowThreads), e->task.lane);
  const IndexExpr *warp = indexDiv(v->index, thread, 32), *inWarp = indexMod(v->index, thread, 32);
  storePartials(e->memory, all, warp, irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, inWarp), irConstantIndex(&v->b, 0)));
  gpuBarrier(&v->b);
  const IndexExpr *mine =
      indexAdd(v->index, indexScale(v->index, e->task.localRow, warpsPerRow), indexMod(v->index, inWarp, warpsPerRow));
  for (intptr_t j = 0; j < all->count; ++j)
    loadPartial(e->memory, &all->reduces[j], all->reduces[j].areas, mine);
  combineInWarps(v, all, warpsPerRow);
}

/// Combines the blocks of a cluster: each leaves its result behind those of its warps, and every thread combines those
/// of all blocks for its row. The areas of all blocks are at the same `offset`.
static void combineInCluster(Emitter *e, const RowPass *all, int64_t offset) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  const IndexExpr *place = indexAddConstant(v->index, e->task.localRow, planBlockSize(m) / 32);
  storePartials(e->memory, all, place,
                irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, e->task.lane), irConstantIndex(&v->b, 0)));
  gpuClusterBarrier(&v->b);
  MlirValue memory = clusterMemory(e->memory, indexMod(v->index, e->task.lane, m->cluster));
  for (intptr_t j = 0; j < all->count; ++j) {
    MlirValue areas[KERNEL_MAX_RESULTS];
    reductionAreas(v, &all->reduces[j].r, memory, offset, numExchanged(m), areas);
    loadPartial(e->memory, &all->reduces[j], areas, place);
    offset += reductionAreasBytes(&all->reduces[j].r, numExchanged(m));
  }
  combineInWarps(v, all, m->cluster);
}

/// Combines the threads that work on one row; all of them get the result.
static void combineThreads(Emitter *e, const RowPass *all) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  combineInWarps(v, all, min64(m->rowThreads, 32));
  if (numExchanged(m) == 0)
    return;
  int64_t first = nextReductionAreas(e), offset = first;
  for (intptr_t j = 0; j < all->count; ++j) {
    reductionAreas(v, &all->reduces[j].r, e->memory->shared, offset, numExchanged(m), all->reduces[j].areas);
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
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  return m->cluster > 1 ? indexAdd(v->index, e->task.lane, indexScale(v->index, e->task.rank, m->rowThreads))
                        : e->task.lane;
}

/// Later roots of the task find the result in registers; where others need it, it is stored.
static void keepResult(Emitter *e, RowReduce *reduce) {
  Values *v = e->values;
  KernelRoot *root = reduce->root;
  Partial result = root->isSplit ? reduce->partial : reductionNarrow(v, &reduce->r, reduce->partial);
  MlirValue first = irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, firstOfRow(e)), irConstantIndex(&v->b, 0));
  for (intptr_t i = 0; i < reduce->r.count; ++i) {
    MlirValue *kept = IR_NEW(&v->arena, MlirValue);
    *kept = result.values[i];
    if (!root->isSplit) {
      MlirValue value = root->results[i].value;
      IndexVector index = indexDelinearize(v->index, e->task.row, irShapeOf(value));
      memoAdd(&v->memo, value.ptr, &index, (MemoValue){.bundle = {1, kept}});
    }
    storeRoot(e, root, i, e->task.row, (Lanes){1, NULL}, (Bundle){1, kept}, first);
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

intptr_t emitSweep(Emitter *e, intptr_t first) {
  RowPass sweep = findSweep(e, first);
  combineInThread(e, &sweep);
  if (sweep.count)
    combineThreads(e, &sweep);
  bool areInShared = false;
  for (intptr_t j = 0; j < sweep.count; ++j) {
    keepResult(e, &sweep.reduces[j]);
    areInShared |= sweep.reduces[j].root->inSharedMemory;
  }
  if (areInShared)
    gpuBarrier(&e->values->b);
  free(sweep.reduces);
  free(sweep.roots);
  return sweep.numRoots;
}
