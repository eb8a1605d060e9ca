//===- multiply.c - products of tiles, by multiply-adds ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane sums up its elements of each fragment: rows of queries with rows of keys, from shared memory, four elements in
// one load. It sums up its rows of the weights, which all lanes put into shared memory for that, with columns of the
// values. Sums go in ascending order of the contracted dimension.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/attention.h"

#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/scalar/scalar.h"

enum { AT_ONCE = 4 };

static MlirValue multiplyAdd(Values *v, MlirValue x, MlirValue y, MlirValue sum) {
  return irValueOf(&v->b, "math.fma", IR_VALUES(x, y, sum), mlirValueGetType(sum), IR_NO_ATTRS);
}

/// Elements of a row in shared memory from `column` on.
static void loadRow(AttentionEmitter *a, MlirValue memory, int64_t pitch, const IndexExpr *row, const IndexExpr *column,
                    int64_t count, MlirValue *values) {
  Values *v = a->e->values;
  Lanes lanes = lanesOf(v, count);
  const IndexExpr *place = indexAdd(v->index, indexScale(v->index, row, pitch), column);
  bundleExpand(loadLanes(a->e->memory, memory, a->accumulator,
                         lanes.variable ? indexAdd(v->index, place, lanes.variable) : place, lanes),
               count, values);
}

/// Adds the products of AT_ONCE elements of the rows, from `depth` on.
static void addScores(AttentionEmitter *a, const IndexExpr *depth, MlirValue *scores) {
  Values *v = a->e->values;
  MlirValue queries[LANE_ROWS][AT_ONCE], keys[AT_ONCE];
  for (intptr_t r = 0; r < LANE_ROWS; ++r)
    loadRow(a, a->queries, a->memory.depthPitch, a->rows[r].local, depth, AT_ONCE, queries[r]);
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      loadRow(a, a->keys, a->memory.depthPitch, attentionColumn(a, n, c), depth, AT_ONCE, keys);
      for (intptr_t i = 0; i < AT_ONCE; ++i)
        for (intptr_t r = 0; r < LANE_ROWS; ++r) {
          MlirValue *sum = &scores[n * LANE_ELEMENTS + r * LANE_COLUMNS + c];
          *sum = multiplyAdd(v, queries[r][i], keys[i], *sum);
        }
    }
}

void attentionMultiplyScores(AttentionEmitter *a, MlirValue *scores) {
  Values *v = a->e->values;
  intptr_t count = a->keyFragments * LANE_ELEMENTS;
  for (intptr_t i = 0; i < count; ++i)
    scores[i] = irConstantFloat(&v->b, a->accumulator, 0);
  RoundLoop loop = beginRounds(a->e->memory, 0, a->memory.depth / AT_ONCE, scores, count);
  addScores(a, indexScale(v->index, loop.round, AT_ONCE), scores);
  endRounds(a->e->memory, &loop, scores, count);
}

static void storeWeights(AttentionEmitter *a, const MlirValue *weights) {
  Values *v = a->e->values;
  MlirType element = irElementTypeOf(irOperand(a->sizes.second, a->sizes.weights));
  Lanes lanes = lanesOf(v, LANE_COLUMNS);
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t r = 0; r < LANE_ROWS; ++r) {
      MlirValue pair[LANE_COLUMNS];
      for (intptr_t c = 0; c < LANE_COLUMNS; ++c)
        pair[c] = scalarConvert(&v->b, weights[n * LANE_ELEMENTS + r * LANE_COLUMNS + c], element, a->accumulator);
      const IndexExpr *row = indexScale(v->index, a->rows[r].local, a->memory.weightPitch);
      const IndexExpr *place = indexAdd(v->index, row, attentionColumn(a, n, 0));
      storeLanes(a->e->memory, a->weights, indexAdd(v->index, place, lanes.variable), lanes,
                 bundleOf(v, LANE_COLUMNS, pair), (MlirValue){NULL});
    }
}

/// Adds the products with AT_ONCE keys, from `key` on.
static void addValues(AttentionEmitter *a, const IndexExpr *key, MlirValue *result) {
  Values *v = a->e->values;
  MlirValue weights[LANE_ROWS][AT_ONCE], values[LANE_COLUMNS];
  for (intptr_t r = 0; r < LANE_ROWS; ++r)
    loadRow(a, a->weights, a->memory.weightPitch, a->rows[r].local, key, AT_ONCE, weights[r]);
  for (intptr_t i = 0; i < AT_ONCE; ++i)
    for (intptr_t n = 0; n < a->featureFragments; ++n) {
      loadRow(a, a->values, a->memory.valuePitch, indexAddConstant(v->index, key, i), attentionColumn(a, n, 0),
              LANE_COLUMNS, values);
      for (intptr_t r = 0; r < LANE_ROWS; ++r)
        for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
          MlirValue *sum = &result[n * LANE_ELEMENTS + r * LANE_COLUMNS + c];
          *sum = multiplyAdd(v, weights[r][i], values[c], *sum);
        }
    }
}

void attentionMultiplyValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result) {
  Values *v = a->e->values;
  intptr_t count = a->featureFragments * LANE_ELEMENTS;
  storeWeights(a, weights);
  gpuBarrier(&v->b);
  RoundLoop loop = beginRounds(a->e->memory, 0, a->plan.keys / AT_ONCE, result, count);
  addValues(a, indexScale(v->index, loop.round, AT_ONCE), result);
  endRounds(a->e->memory, &loop, result, count);
}
