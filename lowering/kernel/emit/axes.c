//===- axes.c - a task of a loop of axes ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has a few positions along each axis (docs/ir.md, "Axes") and computes all roots at these, unrolled. A root
// that does not have an axis is computed by all threads along it and stored by the first. A reduce combines, of the
// axes that it reduces, the thread's own positions, then lanes by shuffles, warps through shared memory, blocks of a
// cluster through distributed shared memory. All threads have the results, and find them in the memo. Reduces that do
// not wait for each other (one stage) exchange behind the same barrier. No atomics: the same input gives the same bits.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/axes.h"
#include "ir/plan/resources.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/values/evaluate.h"

#include <stdlib.h>

/// The current task.
typedef struct {
  Emitter *e;
  const StitchMapping *mapping;
  const AxisPlace *places;
} AxesTask;

/// A vector of a thread along all axes of a set.
typedef struct {
  const IndexExpr *positions[STITCH_MAX_AXES]; ///< with the lane variable
  MlirValue valid[STITCH_MAX_AXES];            ///< whether the position exists; null: always
} AxesPoint;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Digit of `number` with so many values below it; a variable of its own, so that indices stay short.
static const IndexExpr *digitOf(Values *v, const IndexExpr *number, int64_t below, int64_t count) {
  if (count == 1)
    return indexConstant(v->index, 0);
  const IndexExpr *digit = indexMod(v->index, indexDiv(v->index, number, below), count);
  return bindIndex(v, emitIndex(v, digit), count);
}

/// Axes are numbered row-major on each level, the last one fastest.
void setPlacesAlongAxes(Emitter *e) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  const IndexExpr *thread = bindIndex(v, e->task.threadId, planBlockSize(m));
  const IndexExpr *lane = indexMod(v->index, thread, PLAN_WARP), *warp = indexDiv(v->index, thread, PLAN_WARP);
  const IndexExpr *rank = m->cluster > 1 ? e->task.rank : indexConstant(v->index, 0);
  int64_t lanes = 1, warps = 1, blocks = 1, tasks = 1;
  for (int64_t i = m->numAxes; i-- > 0;) {
    const StitchAxis *a = &m->axes[i];
    AxisPlace *p = &e->task.axes[i];
    p->lane = digitOf(v, lane, lanes, a->lanes);
    p->warp = digitOf(v, warp, warps, a->warps);
    p->block = digitOf(v, rank, blocks, a->cluster);
    p->task = digitOf(v, e->task.number, tasks, axisTasks(a));
    const IndexExpr *own = indexAdd(v->index, indexScale(v->index, p->warp, a->lanes), p->lane);
    p->first = indexAdd(v->index, indexScale(v->index, p->task, axisTile(a)),
                        indexAdd(v->index, indexScale(v->index, p->block, axisPositionsOfBlock(a)),
                                 indexScale(v->index, own, a->vector)));
    lanes *= a->lanes, warps *= a->warps, blocks *= a->cluster, tasks *= axisTasks(a);
  }
}

/// Number `number` of the thread's vectors along the axes of `set`, the last axis fastest.
static AxesPoint pointOf(AxesTask *t, AxisSet set, int64_t number) {
  Values *v = t->e->values;
  AxesPoint point = {.positions = {NULL}};
  for (int64_t i = t->mapping->numAxes; i-- > 0;) {
    const StitchAxis *a = &t->mapping->axes[i];
    if (!axisIsIn(set, i))
      continue;
    int64_t step = number % a->unroll;
    number /= a->unroll;
    const IndexExpr *base = indexAddConstant(v->index, t->places[i].first, step * a->warps * a->lanes * a->vector);
    Position position = positionInside(v, base, extentOf(a->size), a->vector);
    if (a->size == a->vector) // the only one: an index that others can be divided by
      position.index = indexConstant(v->index, 0);
    Lanes lanes = lanesOf(v, a->vector);
    point.positions[i] = lanes.variable ? indexAdd(v->index, position.index, lanes.variable) : position.index;
    point.valid[i] = position.valid;
  }
  return point;
}

static MlirValue validIn(AxesTask *t, const AxesPoint *point, AxisSet set) {
  MlirValue valid = {NULL};
  for (int64_t i = 0; i < t->mapping->numAxes; ++i)
    if (axisIsIn(set, i))
      valid = bothOf(t->e->values, valid, point->valid[i]);
  return valid;
}

/// Levels of a distribution, from the innermost to the outermost.
typedef enum { OF_LANES, OF_WARPS, OF_BLOCKS, OF_TASKS } Level;

/// Whether the thread is the first along all axes of `set`: its lane, and so on up to a level.
static MlirValue isFirstAlong(AxesTask *t, AxisSet set, Level level) {
  Values *v = t->e->values;
  const IndexExpr *sum = indexConstant(v->index, 0);
  for (int64_t i = 0; i < t->mapping->numAxes; ++i) {
    if (!axisIsIn(set, i))
      continue;
    sum = indexAdd(v->index, sum, t->places[i].lane);
    sum = level >= OF_WARPS ? indexAdd(v->index, sum, t->places[i].warp) : sum;
    sum = level >= OF_BLOCKS ? indexAdd(v->index, sum, t->places[i].block) : sum;
    sum = level >= OF_TASKS ? indexAdd(v->index, sum, t->places[i].task) : sum;
  }
  return indexIsConstant(sum) ? (MlirValue){NULL} : isZero(v, sum);
}

static AxisSet allAxes(const StitchMapping *m) { return ((AxisSet)1 << m->numAxes) - 1; }

static Lanes lanesAlong(AxesTask *t, AxisSet set) { return lanesOf(t->e->values, axesVector(t->mapping, set)); }

/// Number of the task among those along the axes of `set`.
static const IndexExpr *taskAlong(AxesTask *t, AxisSet set) {
  Values *v = t->e->values;
  const IndexExpr *number = indexConstant(v->index, 0);
  for (int64_t i = 0; i < t->mapping->numAxes; ++i)
    if (axisIsIn(set, i))
      number = indexAdd(v->index, indexScale(v->index, number, axisTasks(&t->mapping->axes[i])), t->places[i].task);
  return number;
}

/// Stores a root's elements at a point: the first thread along the axes that these do not have. Of a split reduce each
/// task stores its partial result.
static void storePoint(AxesTask *t, KernelRoot *root, intptr_t result, const AxesPoint *point, AxisSet set,
                       Bundle bundle) {
  Values *v = t->e->values;
  int64_t dims[STITCH_MAX_AXES];
  int64_t numDims = axesOfValue(root->op, &root->mapping, dims);
  const IndexExpr *linear = axesLinear(v->index, &root->mapping, point->positions, dims, numDims);
  AxisSet reduced = axesOfRoot(&root->mapping) & ~set;
  MlirValue first =
      bothOf(v, isFirstAlong(t, reduced, OF_BLOCKS), isFirstAlong(t, allAxes(t->mapping) & ~set & ~reduced, OF_TASKS));
  t->e->task.partial = taskAlong(t, reduced);
  storeRoot(t->e, root, result, linear, lanesAlong(t, set), bundle, bothOf(v, validIn(t, point, set), first));
}

/// Whether the value of a root goes to memory; a value that only its own loop reads is computed where it is read.
static bool isStored(const KernelRoot *root) {
  return root->isOutput || root->isSplit || root->scheme == STITCH_SCHEME_GLOBAL;
}

//===----------------------------------------------------------------------===//
// Elementwise roots
//===----------------------------------------------------------------------===//

/// All loads of a few vectors are under way before the first store.
static void emitElementwise(AxesTask *t, KernelRoot *root) {
  Emitter *e = t->e;
  AxisSet set = axesOfRoot(&root->mapping);
  Lanes lanes = lanesAlong(t, set);
  int64_t count = axesUnroll(t->mapping, set), together = max64(MAX_ELEMENTS_IN_FLIGHT / lanes.count / 2, 1);
  Bundle *bundles = irAllocate(sizeof(Bundle) * (size_t)(together * root->numResults));
  for (int64_t first = 0; first < count; first += together) {
    int64_t end = min64(first + together, count);
    for (int64_t n = first; n < end; ++n) {
      AxesPoint point = pointOf(t, set, n);
      const IndexExpr *linear =
          axesLinear(e->values->index, &root->mapping, point.positions, root->mapping.dims, root->mapping.numDims);
      IndexVector index = indexDelinearize(e->values->index, linear, planIterationShape(root->op));
      for (intptr_t i = 0; i < root->numResults; ++i)
        bundles[(n - first) * root->numResults + i] = root->byOperand
                                                          ? evaluate(e, irOperand(root->op, 0), &index, lanes)
                                                          : evaluateRoot(e, root, i, &index, lanes);
    }
    for (int64_t n = first; n < end; ++n) {
      AxesPoint point = pointOf(t, set, n);
      for (intptr_t i = 0; i < root->numResults; ++i)
        storePoint(t, root, i, &point, set, bundles[(n - first) * root->numResults + i]);
    }
  }
  free(bundles);
}

//===----------------------------------------------------------------------===//
// Reduces
//===----------------------------------------------------------------------===//

/// A reduce of the current stage. A thread has `count` results: one for each of its vectors along the kept axes, and of
/// each one for each lane, if vectors lie along a kept axis.
typedef struct {
  KernelRoot *root;
  Reduction r;
  AxisSet reduced, kept;
  int64_t vectors, lanes, count;
  Partial *partials; ///< by vector, then lane
  MlirValue areas[KERNEL_MAX_RESULTS];
  AxesExchange exchange;
  int64_t offset; ///< of its areas in shared memory
} AxesReduce;

static AxesReduce beginReduce(AxesTask *t, KernelRoot *root) {
  bool isValid;
  AxesReduce reduce = {.root = root, .r = reductionOf(t->e, root->op)};
  reduce.reduced = axesReduced(root->op, &root->mapping, &isValid);
  reduce.kept = axesOfRoot(&root->mapping) & ~reduce.reduced;
  reduce.vectors = axesUnroll(t->mapping, reduce.kept);
  reduce.lanes = axesVector(t->mapping, reduce.kept);
  reduce.count = reduce.vectors * reduce.lanes;
  reduce.partials = irAllocate(sizeof(Partial) * (size_t)reduce.count);
  reduce.exchange = axesExchangeOf(root->op, &root->mapping);
  return reduce;
}

/// The point with the vectors of two disjoint sets of axes.
static AxesPoint joinPoints(const StitchMapping *m, const AxesPoint *a, const AxesPoint *b) {
  AxesPoint point = *a;
  for (int64_t i = 0; i < m->numAxes; ++i)
    if (b->positions[i]) {
      point.positions[i] = b->positions[i];
      point.valid[i] = b->valid[i];
    }
  return point;
}

/// The elements of a vector of the operands, one partial result for each lane. Missing elements along a reduced axis
/// are neutral; along a kept one their result is unused.
static void readElements(AxesTask *t, const AxesReduce *reduce, const AxesPoint *point, Lanes lanes,
                         Partial *elements) {
  Values *v = t->e->values;
  const StitchMapping *m = &reduce->root->mapping;
  const IndexExpr *linear = axesLinear(v->index, m, point->positions, m->dims, m->numDims);
  IndexVector index = indexDelinearize(v->index, linear, planIterationShape(reduce->root->op));
  reductionElementsAt(t->e, &reduce->r, &index, lanes, elements);
  MlirValue valid = validIn(t, point, reduce->reduced);
  for (int64_t lane = 0; !mlirValueIsNull(valid) && lane < lanes.count; ++lane)
    for (intptr_t i = 0; i < reduce->r.count; ++i)
      elements[lane].values[i] = irSelect(&v->b, valid, elements[lane].values[i], reduce->r.identity.values[i]);
}

/// Combines the thread's own positions for one vector of results.
static void combineOwn(AxesTask *t, AxesReduce *reduce, int64_t number) {
  AxesPoint kept = pointOf(t, reduce->kept, number);
  Lanes lanes = lanesAlong(t, reduce->kept | reduce->reduced);
  int64_t steps = axesUnroll(t->mapping, reduce->reduced), perResult = steps * (lanes.count / reduce->lanes);
  Partial *all = irAllocate(sizeof(Partial) * (size_t)(steps * lanes.count)), elements[KERNEL_MAX_LANES];
  for (int64_t step = 0; step < steps; ++step) {
    AxesPoint reduced = pointOf(t, reduce->reduced, step), point = joinPoints(t->mapping, &kept, &reduced);
    readElements(t, reduce, &point, lanes, elements);
    for (int64_t lane = 0; lane < lanes.count; ++lane) // by result
      all[reduce->lanes > 1 ? lane * steps + step : step * lanes.count + lane] = elements[lane];
  }
  for (int64_t lane = 0; lane < reduce->lanes; ++lane)
    reduce->partials[number * reduce->lanes + lane] =
        reductionCombineTree(t->e->values, &reduce->r, all + lane * perResult, perResult);
  free(all);
}

/// Combines lanes along the reduced axes. All results of all reduces take each step together, so that their shuffles
/// are under way at the same time.
static void combineLanes(AxesTask *t, AxesReduce *reduces, intptr_t count) {
  int64_t below = 1;
  for (int64_t i = t->mapping->numAxes; i-- > 0; below *= t->mapping->axes[i].lanes)
    for (int64_t distance = below * t->mapping->axes[i].lanes / 2; distance >= below; distance /= 2)
      for (intptr_t j = 0; j < count; ++j)
        for (int64_t n = 0; axisIsIn(reduces[j].reduced, i) && n < reduces[j].count; ++n)
          reduces[j].partials[n] = combineInWarp(t->e->values, &reduces[j].r, reduces[j].partials[n], 2, distance);
}

/// Slot of result `number` of the thread among those of the block: threads along the kept axes are neighbours.
static const IndexExpr *sumSlot(AxesTask *t, const AxesReduce *reduce, int64_t vector) {
  Values *v = t->e->values;
  const IndexExpr *thread = indexConstant(v->index, 0);
  for (int64_t i = 0; i < t->mapping->numAxes; ++i) {
    const StitchAxis *a = &t->mapping->axes[i];
    if (!axisIsIn(reduce->kept, i))
      continue;
    const IndexExpr *own = indexAdd(v->index, indexScale(v->index, t->places[i].warp, a->lanes), t->places[i].lane);
    thread = indexAdd(v->index, indexScale(v->index, thread, a->warps * a->lanes), own);
  }
  int64_t threads = axesWarps(t->mapping, reduce->kept) * axesLanes(t->mapping, reduce->kept);
  const IndexExpr *slot = indexScale(v->index, indexAddConstant(v->index, thread, vector * threads), reduce->lanes);
  Lanes lanes = lanesOf(v, reduce->lanes);
  return lanes.variable ? indexAdd(v->index, slot, lanes.variable) : slot;
}

/// Number of the thread's warp among those that share its results.
static const IndexExpr *partialSumOf(AxesTask *t, const AxesReduce *reduce) {
  Values *v = t->e->values;
  const IndexExpr *part = indexConstant(v->index, 0);
  for (int64_t i = 0; i < t->mapping->numAxes; ++i)
    if (axisIsIn(reduce->reduced, i))
      part = indexAdd(v->index, indexScale(v->index, part, t->mapping->axes[i].warps), t->places[i].warp);
  return part;
}

static void storePartials(AxesTask *t, const AxesReduce *reduce, const IndexExpr *from, MlirValue condition) {
  Values *v = t->e->values;
  for (int64_t n = 0; n < reduce->vectors; ++n)
    storeColumnPartials(t->e->memory, &reduce->r, lanesOf(v, reduce->lanes), reduce->areas,
                        indexAdd(v->index, sumSlot(t, reduce, n), from), reduce->partials + n * reduce->lanes,
                        condition);
}

/// Each warp leaves its part, and every thread combines the parts of all warps that share its results.
static void combineWarps(AxesTask *t, AxesReduce *reduce) {
  Values *v = t->e->values;
  int64_t warps = reduce->exchange.warps, slots = reduce->exchange.slots;
  Lanes lanes = lanesOf(v, reduce->lanes);
  Partial *parts = irAllocate(sizeof(Partial) * (size_t)(warps * reduce->lanes)), elements[KERNEL_MAX_LANES];
  for (int64_t n = 0; n < reduce->vectors; ++n) {
    for (int64_t part = 0; part < warps; ++part) {
      loadColumnPartials(t->e->memory, &reduce->r, lanes, reduce->areas,
                         indexAddConstant(v->index, sumSlot(t, reduce, n), part * slots), elements);
      for (int64_t lane = 0; lane < reduce->lanes; ++lane)
        parts[lane * warps + part] = elements[lane];
    }
    for (int64_t lane = 0; lane < reduce->lanes; ++lane)
      reduce->partials[n * reduce->lanes + lane] = reductionCombineTree(v, &reduce->r, parts + lane * warps, warps);
  }
  free(parts);
}

/// Every thread combines the partial results of the cluster's blocks, behind the parts of their warps.
static void combineBlocks(AxesTask *t, AxesReduce *reduce) {
  Values *v = t->e->values;
  int64_t places = axesExchangedPlaces(&reduce->exchange), from = places - reduce->exchange.slots;
  for (int64_t block = 0; block < reduce->exchange.blocks; ++block) {
    MlirValue areas[KERNEL_MAX_RESULTS], memory = clusterMemory(t->e->memory, indexConstant(v->index, block));
    reductionAreas(v, &reduce->r, memory, reduce->offset, places, areas);
    for (int64_t n = 0; n < reduce->vectors; ++n) {
      Partial ofBlock[KERNEL_MAX_LANES], *own = reduce->partials + n * reduce->lanes;
      loadColumnPartials(t->e->memory, &reduce->r, lanesOf(v, reduce->lanes), areas,
                         indexAddConstant(v->index, sumSlot(t, reduce, n), from), ofBlock);
      for (int64_t lane = 0; lane < reduce->lanes; ++lane)
        own[lane] = block ? reductionCombine(v, &reduce->r, own[lane], ofBlock[lane]) : ofBlock[lane];
    }
  }
}

/// Through shared memory, where warps or blocks share results.
static void exchangeSums(AxesTask *t, AxesReduce *reduces, intptr_t count) {
  Emitter *e = t->e;
  Values *v = e->values;
  bool areWarps = false, areBlocks = false;
  for (intptr_t j = 0; j < count; ++j) {
    areWarps |= reduces[j].exchange.warps > 1;
    areBlocks |= reduces[j].exchange.blocks > 1;
  }
  if (!areWarps && !areBlocks)
    return;
  int64_t offset = nextReductionAreas(e);
  for (intptr_t j = 0; j < count; ++j) {
    AxesReduce *reduce = &reduces[j];
    int64_t places = axesExchangedPlaces(&reduce->exchange);
    AxisSet others = allAxes(t->mapping) & ~reduce->kept;
    reduce->offset = offset;
    if (places == 0)
      continue;
    reductionAreas(v, &reduce->r, e->memory->shared, offset, places, reduce->areas);
    offset += reductionAreasBytes(&reduce->r, places);
    if (reduce->exchange.warps == 1)
      continue;
    MlirValue first =
        bothOf(v, isFirstAlong(t, others, OF_LANES), isFirstAlong(t, others & ~reduce->reduced, OF_WARPS));
    storePartials(t, reduce, indexScale(v->index, partialSumOf(t, reduce), reduce->exchange.slots), first);
  }
  if (areWarps)
    endOfReads(v, areBlocks ? 1 : t->mapping->cluster); // in a cluster slower blocks may still read this half
  for (intptr_t j = 0; areWarps && j < count; ++j)
    if (reduces[j].exchange.warps > 1)
      combineWarps(t, &reduces[j]);
  if (!areBlocks)
    return;
  for (intptr_t j = 0; j < count; ++j) {
    int64_t from = axesExchangedPlaces(&reduces[j].exchange) - reduces[j].exchange.slots;
    if (reduces[j].exchange.blocks > 1)
      storePartials(t, &reduces[j], indexConstant(v->index, from),
                    isFirstAlong(t, allAxes(t->mapping) & ~reduces[j].kept, OF_WARPS));
  }
  gpuClusterBarrier(&v->b);
  for (intptr_t j = 0; j < count; ++j)
    if (reduces[j].exchange.blocks > 1)
      combineBlocks(t, &reduces[j]);
}

/// Later roots of the task find the results in registers; where others need them, they are stored.
static void keepResults(AxesTask *t, AxesReduce *reduce) {
  Values *v = t->e->values;
  KernelRoot *root = reduce->root;
  int64_t dims[STITCH_MAX_AXES];
  int64_t numDims = axesOfValue(root->op, &root->mapping, dims);
  for (int64_t n = 0; n < reduce->count && !root->isSplit; ++n)
    reduce->partials[n] = reductionNarrow(v, &reduce->r, reduce->partials[n]);
  for (int64_t n = 0; n < reduce->vectors; ++n) {
    AxesPoint point = pointOf(t, reduce->kept, n);
    const IndexExpr *linear = axesLinear(v->index, &root->mapping, point.positions, dims, numDims);
    for (intptr_t i = 0; i < reduce->r.count; ++i) {
      MlirValue values[KERNEL_MAX_LANES];
      for (int64_t lane = 0; lane < reduce->lanes; ++lane)
        values[lane] = reduce->partials[n * reduce->lanes + lane].values[i];
      Bundle bundle = bundleOf(v, reduce->lanes, values);
      IndexVector index = indexDelinearize(v->index, linear, irShapeOf(root->results[i].value));
      if (!root->isSplit)
        memoAdd(&v->memo, root->results[i].value.ptr, &index, (MemoValue){.bundle = bundle});
      if (isStored(root))
        storePoint(t, root, i, &point, reduce->kept, bundle);
    }
  }
}

static void emitReduces(AxesTask *t, AxesReduce *reduces, intptr_t count) {
  for (intptr_t j = 0; j < count; ++j)
    for (int64_t n = 0; n < reduces[j].vectors; ++n)
      combineOwn(t, &reduces[j], n);
  combineLanes(t, reduces, count);
  exchangeSums(t, reduces, count);
  for (intptr_t j = 0; j < count; ++j)
    keepResults(t, &reduces[j]);
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

/// The roots of a stage, and then its reduces, which the next one waits for. Returns whether there are later ones.
static bool emitStage(AxesTask *t, int64_t stage) {
  Emitter *e = t->e;
  AxesReduce *reduces = irAllocate(sizeof(AxesReduce) * (size_t)(e->loop->numRoots + 1));
  intptr_t count = 0;
  bool isLast = true;
  for (intptr_t i = 0; i < e->loop->numRoots && !e->values->failed; ++i) {
    KernelRoot *root = &e->plan->roots[e->loop->roots[i]];
    isLast &= root->stage <= stage;
    if (root->stage != stage)
      continue;
    if (root->isReduce)
      reduces[count++] = beginReduce(t, root);
    else if (isStored(root))
      emitElementwise(t, root);
  }
  emitReduces(t, reduces, count);
  for (intptr_t j = 0; j < count; ++j)
    free(reduces[j].partials);
  free(reduces);
  return !isLast;
}

void emitAxesTask(Emitter *e) {
  AxesTask task = {.e = e, .mapping = &e->loop->mapping, .places = e->task.axes};
  int64_t stage = INT64_MAX;
  for (intptr_t i = 0; i < e->loop->numRoots; ++i) // the loop's first one: others may be those of earlier phases
    stage = min64(stage, e->plan->roots[e->loop->roots[i]].stage);
  while (emitStage(&task, stage) && !e->values->failed)
    ++stage;
  trafficEndSweep(e->memory);
}
