//===- partials.c - reductions that several blocks share -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block leaves a partial result in scratch memory; whoever reads the result, after a grid barrier, combines them,
// always in the same order. In a flat task with several rows of threads (planCombineMapping) the threads of a column
// share that work: each row combines some of the partial results, then all rows those of each other. So do the threads
// of a warp that all want the same element, such as the sum of their row: by shuffles, so that no barrier is needed.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/values/evaluate.h"
#include "lowering/kernel/values/exchange.h"

/// The partial results of one reduce that a thread combines: number `first`, `first + stride`, ..., `count` of them.
typedef struct {
  const KernelRoot *root;
  const Reduction *r;
  const IndexExpr *linear; ///< element of the result, with the lane variable
  Lanes lanes;
  const IndexExpr *first;
  int64_t stride, count;
} Share;

/// Loads number `i` of the share, a partial result for each lane. Past the last one it is the identity.
static void loadPartials(Memory *memory, const Share *s, const IndexExpr *i, Partial *partials) {
  Values *v = memory->values;
  int64_t split = s->root->mapping.split, elements = s->root->numElements;
  Position number =
      positionInside(v, indexAdd(v->index, s->first, indexScale(v->index, i, s->stride)), extentOf(split), 1);
  const IndexExpr *place = indexAdd(v->index, s->linear, indexScale(v->index, number.index, elements));
  for (intptr_t j = 0; j < s->r->count; ++j) {
    MlirValue values[KERNEL_MAX_LANES];
    MlirType type = s->r->accumulators[j];
    MlirValue scratch = globalView(memory, s->root, s->root->results[j].bufferOffset, split * elements, type);
    bundleExpand(loadLanes(memory, scratch, type, place, s->lanes), s->lanes.count, values);
    for (int64_t lane = 0; lane < s->lanes.count; ++lane)
      partials[lane].values[j] = mlirValueIsNull(number.valid)
                                     ? values[lane]
                                     : irSelect(&v->b, number.valid, values[lane], s->r->identity.values[j]);
  }
}

/// Combines `count` partial results from the `start`th of the share on with `accumulators`, or puts them there.
static void combineSome(Memory *memory, const Share *s, const IndexExpr *start, int64_t count, bool isFirst,
                        Partial *accumulators) {
  Values *v = memory->values;
  Partial partials[PLAN_PARTIALS_AT_ONCE][KERNEL_MAX_LANES], column[PLAN_PARTIALS_AT_ONCE];
  for (int64_t i = 0; i < count; ++i)
    loadPartials(memory, s, indexAddConstant(v->index, start, i), partials[i]);
  for (int64_t lane = 0; count > 0 && lane < s->lanes.count; ++lane) {
    for (int64_t i = 0; i < count; ++i)
      column[i] = partials[i][lane];
    Partial combined = reductionCombineTree(v, s->r, column, count);
    accumulators[lane] = isFirst ? combined : reductionCombine(v, s->r, accumulators[lane], combined);
  }
}

/// The same for all of the share: a loop if that is more than fits into registers.
static void combineShare(Memory *memory, const Share *s, Partial *accumulators) {
  Values *v = memory->values;
  int64_t values = s->lanes.count * s->r->count;
  int64_t together = PLAN_PARTIALS_AT_ONCE / values > 2 ? PLAN_PARTIALS_AT_ONCE / values : 2,
          rounds = s->count / together;
  const IndexExpr *zero = indexConstant(v->index, 0);
  if (rounds < 2) {
    combineSome(memory, s, zero, s->count < together ? s->count : together, /*isFirst=*/true, accumulators);
    combineSome(memory, s, indexConstant(v->index, together), s->count - together, /*isFirst=*/false, accumulators);
    return;
  }
  MlirValue carried[KERNEL_MAX_LANES * KERNEL_MAX_RESULTS];
  for (int64_t lane = 0; lane < s->lanes.count; ++lane)
    accumulators[lane] = s->r->identity;
  intptr_t numCarried = reductionFlatten(s->r, accumulators, s->lanes.count, carried);
  RoundLoop loop = beginRounds(memory, 0, rounds, carried, numCarried);
  reductionUnflatten(s->r, carried, s->lanes.count, accumulators);
  combineSome(memory, s, indexScale(v->index, loop.round, together), together, /*isFirst=*/false, accumulators);
  reductionFlatten(s->r, accumulators, s->lanes.count, carried);
  endRounds(memory, &loop, carried, numCarried);
  reductionUnflatten(s->r, carried, s->lanes.count, accumulators);
  combineSome(memory, s, indexConstant(v->index, rounds * together), s->count - rounds * together, /*isFirst=*/false,
              accumulators);
}

/// Whether the rows of threads of a flat task can share the work: all of them are here, for the same elements.
static bool rowsShareWork(const Emitter *e, const Reduction *r, Lanes lanes) {
  const StitchMapping *m = &e->loop->mapping;
  int64_t bytes = 0;
  for (intptr_t i = 0; i < r->count; ++i)
    bytes += (planBlockSize(m) * lanes.count * irElementBytes(r->accumulators[i]) + 15) / 16 * 16;
  return m->kind == STITCH_MAPPING_FLAT && m->blockRows > 1 && lanes.count == m->vector && !e->values->divergent &&
         bytes <= e->plan->reductionBytes;
}

/// How many threads beside each other in a warp want the same element, and share the work; 1: each wants its own.
static int64_t threadsThatShare(const Emitter *e, int64_t split, const IndexExpr *linear, Lanes lanes) {
  enum { FEW = 8 }; // a thread loads a few at once
  const StitchMapping *m = &e->loop->mapping;
  if (e->values->divergent || lanes.count != 1 || split <= FEW)
    return 1;
  if (indexIsConstant(linear))
    return min64(planBlockSize(m), PLAN_WARP);
  bool isOfRow = m->kind == STITCH_MAPPING_ROW && e->task.row &&
                 indexIsConstant(indexAdd(e->values->index, linear, indexScale(e->values->index, e->task.row, -1)));
  return isOfRow ? min64(m->rowThreads, PLAN_WARP) : 1;
}

/// The part that a thread has of the work of `threads` beside each other.
static void takePart(const Emitter *e, Share *share, int64_t threads) {
  IndexContext *index = e->values->index;
  const IndexExpr *thread =
      indexAdd(index, indexScale(index, e->task.localRow, e->loop->mapping.rowThreads), e->task.lane);
  share->first = indexMod(index, thread, threads);
  share->stride = threads;
  share->count = ceilDiv(share->count, threads);
}

void combinePartials(Emitter *e, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle *results) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  Reduction r = reductionOf(e, root->op);
  int64_t split = root->mapping.split;
  Share share = {root, &r, linear, lanes, indexConstant(v->index, 0), 1, split};
  Partial partials[KERNEL_MAX_LANES];
  bool shared = rowsShareWork(e, &r, lanes);
  int64_t threads = shared ? 1 : threadsThatShare(e, split, linear, lanes);
  if (shared) {
    share.first = e->task.localRow;
    share.stride = m->blockRows;
    share.count = ceilDiv(split, m->blockRows);
  } else if (threads > 1) {
    takePart(e, &share, threads);
  }
  combineShare(e->memory, &share, partials);
  if (shared)
    exchangeRows(e, &r, m, partials);
  else if (threads > 1)
    partials[0] = combineInWarp(v, &r, partials[0], threads, 1);
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    partials[lane] = reductionNarrow(v, &r, partials[lane]);
  for (intptr_t j = 0; j < r.count; ++j) {
    MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, lanes.count);
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      values[lane] = partials[lane].values[j];
    results[j] = (Bundle){lanes.count, values};
  }
}
