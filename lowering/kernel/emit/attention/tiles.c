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

static int64_t vectorOf(MlirType type, int64_t width) {
  int64_t vector = 16 / irElementBytes(type);
  while (width % vector != 0)
    vector /= 2;
  return vector;
}

/// Brings vector number `number` of the tile.
static void stageVector(AttentionEmitter *a, const AttentionStaged *tile, int64_t vector, const IndexExpr *number) {
  Values *v = a->e->values;
  Lanes lanes = lanesOf(v, vector);
  const IndexExpr *lane = lanes.variable ? lanes.variable : indexConstant(v->index, 0);
  const IndexExpr *row = indexDiv(v->index, number, tile->width / vector);
  const IndexExpr *column = indexScale(v->index, indexMod(v->index, number, tile->width / vector), vector);
  Position inRows = positionInside(v, indexAdd(v->index, tile->first, row), extentOf(tile->numRows), 1);
  Position inRow = positionInside(v, column, extentOf(tile->existing), vector);
  IndexVector index = tile->indexAt(a, tile, inRows.index, indexAdd(v->index, inRow.index, lane));
  Bundle bundle = a->e->evaluate(a->e, tile->source, &index, lanes);
  MlirValue values[KERNEL_MAX_LANES], valid = bothOf(v, inRows.valid, inRow.valid);
  bundleExpand(bundle, vector, values);
  for (int64_t i = 0; i < vector; ++i) {
    values[i] = scalarConvert(&v->b, values[i], irElementTypeOf(tile->source), tile->type);
    if (!mlirValueIsNull(valid))
      values[i] = irSelect(&v->b, valid, values[i], irConstantFloat(&v->b, tile->type, 0));
  }
  const IndexExpr *place = indexAdd(v->index, indexScale(v->index, row, tile->pitch), column);
  storeLanes(a->e->memory, tile->target, indexAdd(v->index, place, lane), lanes, bundleOf(v, vector, values),
             (MlirValue){NULL});
}

void attentionStageRows(AttentionEmitter *a, const AttentionStaged *tile) {
  Emitter *e = a->e;
  Values *v = e->values;
  int64_t vector = vectorOf(tile->type, tile->existing);
  int64_t vectors = tile->rows * tile->width / vector, threads = e->plan->launch.block;
  int64_t outside = e->memory->traffic.executions;
  MlirOperation loop =
      irFor(&v->b, e->task.threadId, irConstantIndex(&v->b, vectors), irConstantIndex(&v->b, threads), IR_NO_VALUES);
  BlockState state = enterBlock(v, irBody(loop, 0));
  // Every thread of the grid runs what is outside of the loop as often; the loop shares the vectors among a block's.
  e->memory->traffic.executions = outside / threads * vectors;
  stageVector(a, tile, vector, bindIndex(v, mlirBlockGetArgument(irBody(loop, 0), 0), vectors));
  e->memory->traffic.executions = outside;
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}

/// The index in its operand of a row, or key, and a column with the lane variable.
static IndexVector indexIn(AttentionEmitter *a, const AttentionStaged *tile, const IndexExpr *number,
                           const IndexExpr *column) {
  Values *v = a->e->values;
  AttentionPlace place = {.key = a->noKey, .depth = column, .feature = column};
  for (intptr_t i = 0; i < a->sizes.batch.rank; ++i)
    place.batch[i] = a->batch[i];
  for (intptr_t i = 0; i < a->sizes.row.rank; ++i)
    place.row[i] = a->rows[0].dims[i];
  if (tile->number == TILE_QUERIES)
    attentionBind(v, number, a->sizes.row, place.row);
  else
    place.key = bindIndex(v, emitIndex(v, number), a->sizes.keys);
  Attention at;
  attentionAnalyse(v->index, &a->sizes, &place, &at);
  return tile->number == TILE_QUERIES ? at.query : tile->number == TILE_KEYS ? at.keys : at.values;
}

void attentionStage(AttentionEmitter *a, AttentionTile kind, const IndexExpr *first) {
  bool ofRows = kind == TILE_QUERIES, ofValues = kind == TILE_VALUES;
  AttentionStaged tile = {.number = kind,
                          .rows = ofRows ? a->plan.rows : a->plan.keys,
                          .numRows = ofRows ? a->sizes.rows : a->sizes.keys,
                          .existing = ofValues ? a->sizes.features : a->sizes.depth,
                          .width = ofValues ? a->memory.features : a->memory.depth,
                          .pitch = ofValues ? a->memory.valuePitch : a->memory.depthPitch,
                          .type = ofValues ? a->valueType : a->tileType,
                          .first = first,
                          .indexAt = indexIn};
  tile.source = ofRows ? a->any.queryOf : ofValues ? a->any.valuesOf : a->any.keysOf;
  tile.target = ofRows ? a->queries : ofValues ? a->values : a->keys;
  attentionStageRows(a, &tile);
}
