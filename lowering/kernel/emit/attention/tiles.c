//===- tiles.c - tiles of an attention kernel go to shared memory --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of the block share the work: neighbours take neighbouring vectors of a row. A row or key that does not
// exist has zeros, and so has what a row is longer than the elements that exist: a product of them adds nothing.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/attention.h"

#include "ir/mlir/arithmetic.h"
#include "lowering/scalar/scalar.h"

/// A tile: `rows` rows of `width` elements in memory, of which the first `existing` exist.
typedef struct {
  AttentionTile kind;
  MlirValue source, target;
  int64_t rows, numRows; ///< in the tile; that there are
  int64_t existing, width, pitch, vector;
  const IndexExpr *first;
} Tile;

static int64_t vectorOf(const AttentionEmitter *a, int64_t width) {
  int64_t vector = 16 / irElementBytes(a->accumulator);
  while (width % vector != 0)
    vector /= 2;
  return vector;
}

static Tile describe(const AttentionEmitter *a, AttentionTile kind, const IndexExpr *first) {
  bool ofRows = kind == TILE_QUERIES, ofValues = kind == TILE_VALUES;
  Tile tile = {.kind = kind,
               .rows = ofRows ? a->plan.rows : a->plan.keys,
               .numRows = ofRows ? a->sizes.rows : a->sizes.keys,
               .existing = ofValues ? a->sizes.features : a->sizes.depth,
               .width = ofValues ? a->memory.features : a->memory.depth,
               .pitch = ofValues ? a->memory.featurePitch : a->memory.depthPitch,
               .first = first};
  tile.source = ofRows ? a->any.queryOf : ofValues ? a->any.valuesOf : a->any.keysOf;
  tile.target = ofRows ? a->queries : ofValues ? a->values : a->keys;
  tile.vector = vectorOf(a, tile.existing);
  return tile;
}

/// The index in the source of a row, or key, and a column with the lane variable.
static IndexVector indexIn(AttentionEmitter *a, const Tile *tile, const IndexExpr *number, const IndexExpr *column) {
  Values *v = a->e->values;
  AttentionPlace place = {.key = a->noKey, .depth = column, .feature = column};
  for (intptr_t i = 0; i < a->sizes.batch.rank; ++i)
    place.batch[i] = a->batch[i];
  for (intptr_t i = 0; i < a->sizes.row.rank; ++i)
    place.row[i] = a->rows[0].dims[i];
  if (tile->kind == TILE_QUERIES)
    attentionBind(v, number, a->sizes.row, place.row);
  else
    place.key = bindIndex(v, emitIndex(v, number), a->sizes.keys);
  Attention at;
  attentionAnalyse(v->index, &a->sizes, &place, &at);
  return tile->kind == TILE_QUERIES ? at.query : tile->kind == TILE_KEYS ? at.keys : at.values;
}

/// Brings vector number `number` of the tile, in rows one after the other.
static void stageVector(AttentionEmitter *a, const Tile *tile, const IndexExpr *number) {
  Values *v = a->e->values;
  int64_t perRow = tile->width / tile->vector;
  Lanes lanes = lanesOf(v, tile->vector);
  const IndexExpr *row = indexDiv(v->index, number, perRow);
  const IndexExpr *column = indexScale(v->index, indexMod(v->index, number, perRow), tile->vector);
  Position inRows = positionInside(v, indexAdd(v->index, tile->first, row), extentOf(tile->numRows), 1);
  Position inRow = positionInside(v, column, extentOf(tile->existing), tile->vector);
  const IndexExpr *lane = lanes.variable ? lanes.variable : indexConstant(v->index, 0);
  IndexVector index = indexIn(a, tile, inRows.index, indexAdd(v->index, inRow.index, lane));
  Bundle bundle = a->e->evaluate(a->e, tile->source, &index, lanes);
  MlirValue values[KERNEL_MAX_LANES], valid = bothOf(v, inRows.valid, inRow.valid);
  bundleExpand(bundle, tile->vector, values);
  for (int64_t i = 0; i < tile->vector; ++i) {
    values[i] = scalarConvert(&v->b, values[i], irElementTypeOf(tile->source), a->accumulator);
    if (!mlirValueIsNull(valid))
      values[i] = irSelect(&v->b, valid, values[i], irConstantFloat(&v->b, a->accumulator, 0));
  }
  const IndexExpr *start = indexAdd(v->index, indexScale(v->index, row, tile->pitch), column);
  storeLanes(a->e->memory, tile->target, indexAdd(v->index, start, lane), lanes, bundleOf(v, tile->vector, values),
             (MlirValue){NULL});
}

void attentionStage(AttentionEmitter *a, AttentionTile kind, const IndexExpr *first) {
  Emitter *e = a->e;
  Values *v = e->values;
  Tile tile = describe(a, kind, first);
  int64_t vectors = tile.rows * tile.width / tile.vector, threads = e->plan->launch.block;
  int64_t outside = e->memory->traffic.executions;
  MlirOperation loop =
      irFor(&v->b, e->task.threadId, irConstantIndex(&v->b, vectors), irConstantIndex(&v->b, threads), IR_NO_VALUES);
  BlockState state = enterBlock(v, irBody(loop, 0));
  // Every thread of the grid runs what is outside of the loop as often; the loop shares the vectors among a block's.
  e->memory->traffic.executions = outside / threads * vectors;
  stageVector(a, &tile, bindIndex(v, mlirBlockGetArgument(irBody(loop, 0), 0), vectors));
  e->memory->traffic.executions = outside;
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}
