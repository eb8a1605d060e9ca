//===- tiles.c - tiles of an attention kernel go to shared memory --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of the block share the work: neighbours take neighbouring vectors of a row. A row or key that does not
// exist has zeros, and so have the elements of a row beyond the last: their products add nothing. Where a vector of 16
// bytes is the kernel's input as it is, it is copied asynchronously; else it is computed, and stored. Values that
// tensor cores read as TF32 are rounded here, once for all warps. They are rounded as they are stored, or, for copies,
// in shared memory by the thread that has copied them. Of rows that are kept nothing is copied then.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/staging.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_copies.h"
#include "lowering/kernel/values/evaluate.h"
#include "lowering/scalar/scalar.h"

static int64_t vectorOf(MlirType type, int64_t width) {
  int64_t vector = 16 / irElementBytes(type);
  while (width % vector != 0)
    vector /= 2;
  return vector;
}

typedef struct {
  Emitter *e;
  Lanes lanes;
} GatheredLanes;

/// An AttentionGather of the lanes of a vector.
static bool gatherLanes(void *data, MlirOperation gather, const IndexVector *index, IndexVector *operand) {
  GatheredLanes *of = data;
  return gatheredIndex(of->e, gather, index, of->lanes, operand);
}

/// Has a vector copied, or zeros if it does not exist. False if it is not one that can be.
static bool copyVector(AttentionEmitter *a, const AttentionStaged *tile, IndexVector index, Lanes lanes,
                       const IndexExpr *place, MlirValue valid) {
  Memory *memory = a->e->memory;
  IndexContext *context = a->e->values->index;
  GatheredLanes gathered = {a->e, lanes};
  MlirValue argument = attentionArgumentOf(context, tile->source, &index, gatherLanes, &gathered);
  int64_t input = mlirValueIsNull(argument) ? -1 : irMapGet(&memory->inputOf, argument.ptr, -1);
  if (input < 0 || !mlirTypeEqual(irElementTypeOf(argument), tile->type))
    return false;
  const IndexExpr *linear = indexLinearize(context, &index, irShapeOf(argument));
  bool isCopied = copyLanes(memory, memory->inputs[input], linear, tile->target, place, lanes, valid);
  a->hasCopies |= isCopied;
  a->isCopied[tile->number] |= isCopied;
  a->isUncommitted |= isCopied;
  return isCopied;
}

/// Where a vector of a tile is: its first element, and in shared memory the element of a lane.
typedef struct {
  const IndexExpr *lane, *row, *column, *place;
} VectorPlace;

/// The element of a row and column in blocks of 64 columns, in whose rows 16 bytes number c are at c xor (row mod 8).
static const IndexExpr *placeInPanels(Values *v, int64_t rows, const IndexExpr *row, const IndexExpr *column) {
  enum { CHUNK = 8, CHUNKS = ATTENTION_PANEL / CHUNK };
  IndexContext *index = v->index;
  const IndexExpr *panel = indexScale(index, indexDiv(index, column, ATTENTION_PANEL), rows * ATTENTION_PANEL);
  const IndexExpr *chunk = indexMod(index, indexDiv(index, column, CHUNK), CHUNKS);
  MlirValue swizzled = irXorI(&v->b, emitIndex(v, chunk), emitIndex(v, indexMod(index, row, CHUNKS)));
  const IndexExpr *inRow =
      indexAdd(index, indexScale(index, bindIndex(v, swizzled, CHUNKS), CHUNK), indexMod(index, column, CHUNK));
  return indexAdd(index, indexAdd(index, panel, indexScale(index, row, ATTENTION_PANEL)), inRow);
}

static VectorPlace placeOfVector(Values *v, const AttentionStaged *tile, int64_t vector, Lanes lanes,
                                 const IndexExpr *number) {
  VectorPlace at = {.lane = lanes.variable ? lanes.variable : indexConstant(v->index, 0),
                    .row = indexDiv(v->index, number, tile->width / vector),
                    .column = indexScale(v->index, indexMod(v->index, number, tile->width / vector), vector)};
  const IndexExpr *first = tile->isSwizzled ? placeInPanels(v, tile->rows, at.row, at.column)
                                            : indexAdd(v->index, indexScale(v->index, at.row, tile->pitch), at.column);
  at.place = indexAdd(v->index, first, at.lane);
  return at;
}

/// Brings vector number `number` of the tile.
static void stageVector(AttentionEmitter *a, const AttentionStaged *tile, int64_t vector, const IndexExpr *number) {
  Values *v = a->e->values;
  Lanes lanes = lanesOf(v, vector);
  VectorPlace at = placeOfVector(v, tile, vector, lanes, number);
  Position inRows = positionInside(v, indexAdd(v->index, tile->first, at.row), extentOf(tile->numRows), 1);
  Position inRow = positionInside(v, at.column, extentOf(tile->existing), vector);
  IndexVector index = tile->indexAt(a, tile, inRows.index, indexAdd(v->index, inRow.index, at.lane));
  MlirValue values[KERNEL_MAX_LANES], valid = bothOf(v, inRows.valid, inRow.valid);
  bool mayBeCopied = !tile->isRounded || !tile->isKept;
  if (mayBeCopied && copyVector(a, tile, index, lanes, at.place, valid))
    return;
  Bundle bundle = a->e->evaluate(a->e, tile->source, &index, lanes);
  bundleExpand(bundle, vector, values);
  for (int64_t i = 0; i < vector; ++i) {
    values[i] = scalarConvert(&v->b, values[i], irElementTypeOf(tile->source), tile->type);
    if (!mlirValueIsNull(valid))
      values[i] = irSelect(&v->b, valid, values[i], irConstantFloat(&v->b, tile->type, 0));
    if (tile->isRounded)
      values[i] = attentionRoundToTf32(v, values[i]);
  }
  storeLanes(a->e->memory, tile->target, at.place, lanes, bundleOf(v, vector, values), (MlirValue){NULL});
}

/// Rounds vector number `number` of the tile where it is.
static void roundVector(AttentionEmitter *a, const AttentionStaged *tile, int64_t vector, const IndexExpr *number) {
  Values *v = a->e->values;
  Lanes lanes = lanesOf(v, vector);
  VectorPlace at = placeOfVector(v, tile, vector, lanes, number);
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(loadLanes(a->e->memory, tile->target, tile->type, at.place, lanes), vector, values);
  for (int64_t i = 0; i < vector; ++i)
    values[i] = attentionRoundToTf32(v, values[i]);
  storeLanes(a->e->memory, tile->target, at.place, lanes, bundleOf(v, vector, values), (MlirValue){NULL});
}

typedef void (*VectorAction)(AttentionEmitter *a, const AttentionStaged *tile, int64_t vector, const IndexExpr *number);

/// Takes the vectors of a thread in a loop.
static void takeInLoop(AttentionEmitter *a, const AttentionStaged *tile, int64_t vector, int64_t vectors,
                       VectorAction action) {
  Emitter *e = a->e;
  Values *v = e->values;
  int64_t threads = e->plan->launch.block;
  MlirOperation loop =
      irFor(&v->b, e->task.threadId, irConstantIndex(&v->b, vectors), irConstantIndex(&v->b, threads), IR_NO_VALUES);
  BlockState state = enterBlock(v, irBody(loop, 0));
  action(a, tile, vector, bindIndex(v, mlirBlockGetArgument(irBody(loop, 0), 0), vectors));
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}

/// Takes them one after the other, so that their places differ by constants.
static void takeInLine(AttentionEmitter *a, const AttentionStaged *tile, int64_t vector, int64_t vectors,
                       VectorAction action) {
  IndexContext *index = a->e->values->index;
  int64_t threads = a->e->plan->launch.block;
  for (int64_t first = 0; first < vectors; first += threads)
    action(a, tile, vector, indexAddConstant(index, a->thread, first));
}

/// Whether vectors are copied without passing through registers, each thread as many, and few.
static bool isInLine(AttentionEmitter *a, const AttentionStaged *tile, int64_t vectors) {
  enum { MOST_OF_THREAD = 16 };
  int64_t threads = a->e->plan->launch.block;
  return vectors % threads == 0 && vectors / threads <= MOST_OF_THREAD && attentionIsArgument(tile->source) &&
         mlirTypeEqual(irElementTypeOf(tile->source), tile->type);
}

/// Takes the vectors of a tile: each thread the same ones whatever is done to them.
static void takeRows(AttentionEmitter *a, const AttentionStaged *tile, VectorAction action) {
  Traffic *traffic = &a->e->memory->traffic;
  int64_t vector = vectorOf(tile->type, tile->existing), vectors = tile->rows * tile->width / vector;
  int64_t outside = traffic->executions, threads = a->e->plan->launch.block;
  bool inLine = isInLine(a, tile, vectors);
  // Every thread of the grid runs the code outside of the loop as often; the loop shares the vectors among a block's.
  traffic->executions = inLine ? outside : outside / threads * vectors;
  (inLine ? takeInLine : takeInLoop)(a, tile, vector, vectors, action);
  traffic->executions = outside;
}

/// Adds 0 times the elements of vector number `number` of the tile to the sum.
static void scanVector(AttentionEmitter *a, const AttentionStaged *tile, int64_t vector, const IndexExpr *number) {
  Values *v = a->e->values;
  Lanes lanes = lanesOf(v, vector);
  VectorPlace at = placeOfVector(v, tile, vector, lanes, number);
  MlirType f32 = mlirF32TypeGet(v->b.context);
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(loadLanes(a->e->memory, tile->target, tile->type, at.place, lanes), vector, values);
  for (int64_t i = 0; i < vector; ++i) {
    MlirValue value = scalarConvert(&v->b, values[i], tile->type, f32);
    a->scanned = irAddF(&v->b, a->scanned, irMulF(&v->b, value, irConstantFloat(&v->b, f32, 0)));
  }
}

bool attentionCanScanRows(AttentionEmitter *a, const AttentionStaged *tile) {
  int64_t vector = vectorOf(tile->type, tile->existing), vectors = tile->rows * tile->width / vector;
  return isInLine(a, tile, vectors) && !mlirTypeIsAF64(tile->type);
}

MlirValue attentionScanRows(AttentionEmitter *a, const AttentionStaged *tile, MlirValue sum) {
  a->scanned = sum;
  takeRows(a, tile, scanVector);
  return a->scanned;
}

void attentionStageRows(AttentionEmitter *a, const AttentionStaged *tile) { takeRows(a, tile, stageVector); }

void attentionRoundRows(AttentionEmitter *a, const AttentionStaged *tile) {
  if (tile->isRounded && a->isCopied[tile->number])
    takeRows(a, tile, roundVector);
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

static AttentionStaged stagedOf(AttentionEmitter *a, AttentionTile kind, const IndexExpr *first) {
  bool ofRows = kind == TILE_QUERIES, ofValues = kind == TILE_VALUES;
  AttentionStaged tile = {.number = kind,
                          .rows = ofRows ? a->plan.rows : a->plan.keys,
                          .numRows = ofRows ? a->sizes.rows : a->sizes.keys,
                          .existing = ofValues ? a->sizes.features : a->sizes.depth,
                          .width = ofValues ? a->memory.features : a->memory.depth,
                          .pitch = ofValues ? a->memory.valuePitch : a->memory.depthPitch,
                          .type = ofValues ? a->valueType : a->tileType,
                          .isRounded = ofRows     ? a->areQueriesRounded
                                       : ofValues ? a->areValuesRounded
                                                  : a->areKeysRounded,
                          .isSwizzled = a->plan.product == STITCH_PRODUCT_WGMMA,
                          .isKept = ofRows,
                          .first = first,
                          .indexAt = indexIn};
  tile.source = ofRows ? a->any.queryOf : ofValues ? a->any.valuesOf : a->any.keysOf;
  tile.target = ofRows ? a->queries : ofValues ? a->values : a->keys;
  return tile;
}

void attentionStage(AttentionEmitter *a, AttentionTile kind, const IndexExpr *first) {
  AttentionStaged tile = stagedOf(a, kind, first);
  attentionStageRows(a, &tile);
}

void attentionRound(AttentionEmitter *a, AttentionTile kind) {
  AttentionStaged tile = stagedOf(a, kind, NULL);
  attentionRoundRows(a, &tile);
}

bool attentionCanScan(AttentionEmitter *a) {
  AttentionStaged tile = stagedOf(a, TILE_VALUES, NULL);
  return attentionCanScanRows(a, &tile);
}

MlirValue attentionScan(AttentionEmitter *a, MlirValue sum) {
  AttentionStaged tile = stagedOf(a, TILE_VALUES, NULL);
  return attentionScanRows(a, &tile, sum);
}
