//===- emit_split.c - reductions that several blocks share ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block leaves a partial result in scratch memory; whoever reads the result, after a grid barrier, combines them,
// always in the same order. In a flat task with several rows of threads (planCombineMapping) the threads of a column
// share that work: each row combines some of the partial results, then all rows those of each other.
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/reduction.h"

/// Most values that a thread loads before it combines them.
enum { VALUES_IN_FLIGHT = 16 };

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
static void loadPartials(Emitter *e, const Share *s, const IndexExpr *i, Partial *partials) {
  int64_t split = s->root->mapping.split, elements = s->root->numElements;
  Position number =
      positionInside(e, indexAdd(e->index, s->first, indexScale(e->index, i, s->stride)), extentOf(split), 1);
  const IndexExpr *place = indexAdd(e->index, s->linear, indexScale(e->index, number.index, elements));
  for (intptr_t j = 0; j < s->r->count; ++j) {
    MlirValue values[KERNEL_MAX_LANES];
    MlirType type = s->r->accumulators[j];
    MlirValue memory = scratchView(e, s->root->results[j].bufferOffset, split * elements, type);
    bundleExpand(loadLanes(e, memory, type, place, s->lanes), s->lanes.count, values);
    for (int64_t lane = 0; lane < s->lanes.count; ++lane)
      partials[lane].values[j] = mlirValueIsNull(number.valid)
                                     ? values[lane]
                                     : irSelect(&e->b, number.valid, values[lane], s->r->identity.values[j]);
  }
}

/// Combines `count` partial results from the `start`th of the share on with `accumulators`, or puts them there.
static void combineSome(Emitter *e, const Share *s, const IndexExpr *start, int64_t count, bool isFirst,
                        Partial *accumulators) {
  Partial partials[VALUES_IN_FLIGHT][KERNEL_MAX_LANES], column[VALUES_IN_FLIGHT];
  for (int64_t i = 0; i < count; ++i)
    loadPartials(e, s, indexAddConstant(e->index, start, i), partials[i]);
  for (int64_t lane = 0; count > 0 && lane < s->lanes.count; ++lane) {
    for (int64_t i = 0; i < count; ++i)
      column[i] = partials[i][lane];
    Partial combined = reductionCombineTree(e, s->r, column, count);
    accumulators[lane] = isFirst ? combined : reductionCombine(e, s->r, accumulators[lane], combined);
  }
}

/// The same for all of the share: a loop if that is more than fits into registers.
static void combineShare(Emitter *e, const Share *s, Partial *accumulators) {
  int64_t values = s->lanes.count * s->r->count;
  int64_t together = VALUES_IN_FLIGHT / values > 2 ? VALUES_IN_FLIGHT / values : 2, rounds = s->count / together;
  const IndexExpr *zero = indexConstant(e->index, 0);
  if (rounds < 2) {
    combineSome(e, s, zero, s->count < together ? s->count : together, /*isFirst=*/true, accumulators);
    combineSome(e, s, indexConstant(e->index, together), s->count - together, /*isFirst=*/false, accumulators);
    return;
  }
  MlirValue carried[KERNEL_MAX_LANES * KERNEL_MAX_RESULTS];
  for (int64_t lane = 0; lane < s->lanes.count; ++lane)
    accumulators[lane] = s->r->identity;
  intptr_t numCarried = reductionFlatten(s->r, accumulators, s->lanes.count, carried);
  RoundLoop loop = beginRounds(e, 0, rounds, carried, numCarried);
  reductionUnflatten(s->r, carried, s->lanes.count, accumulators);
  combineSome(e, s, indexScale(e->index, loop.round, together), together, /*isFirst=*/false, accumulators);
  reductionFlatten(s->r, accumulators, s->lanes.count, carried);
  endRounds(e, &loop, carried, numCarried);
  reductionUnflatten(s->r, carried, s->lanes.count, accumulators);
  combineSome(e, s, indexConstant(e->index, rounds * together), s->count - rounds * together, /*isFirst=*/false,
              accumulators);
}

/// Whether the rows of threads of a flat task can share the work: all of them are here, for the same elements.
static bool rowsShareWork(const Emitter *e, const Reduction *r, Lanes lanes) {
  const StitchMapping *m = &e->loop->mapping;
  int64_t bytes = 0;
  for (intptr_t i = 0; i < r->count; ++i)
    bytes += (planBlockSize(m) * lanes.count * irElementBytes(r->accumulators[i]) + 15) / 16 * 16;
  return m->kind == STITCH_MAPPING_FLAT && m->blockRows > 1 && lanes.count == m->vector && !e->divergent &&
         bytes <= e->plan->reductionBytes;
}

void combinePartials(Emitter *e, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle *results) {
  const StitchMapping *m = &e->loop->mapping;
  Reduction r = reductionOf(e, root->op);
  int64_t split = root->mapping.split;
  Share share = {root, &r, linear, lanes, indexConstant(e->index, 0), 1, split};
  Partial partials[KERNEL_MAX_LANES];
  bool shared = rowsShareWork(e, &r, lanes);
  if (shared) {
    share.first = e->localRow;
    share.stride = m->blockRows;
    share.count = (split + m->blockRows - 1) / m->blockRows;
  }
  combineShare(e, &share, partials);
  if (shared)
    exchangeRows(e, &r, m, partials);
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    partials[lane] = reductionNarrow(e, &r, partials[lane]);
  for (intptr_t j = 0; j < r.count; ++j) {
    MlirValue *values = IR_NEW_ARRAY(&e->arena, MlirValue, lanes.count);
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      values[lane] = partials[lane].values[j];
    results[j] = (Bundle){lanes.count, values};
  }
}
