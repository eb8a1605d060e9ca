//===- block.c - a block's loop of an attention kernel --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks count through the tiles of rows of one batch, and then through the batches. A block copies its rows of the
// queries to shared memory once, and then tile after tile of keys and values. Each lane carries maxima, sums and its
// elements of the result through this loop (docs/ir.md, section 2, "Attention").
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/staging.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/scalar/scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static AttentionRow rowOf(AttentionEmitter *a, int64_t number) {
  Values *v = a->e->values;
  const IndexExpr *warp = indexScale(v->index, a->warp, ATTENTION_WARP_ROWS);
  AttentionRow row = {
      .local = indexAddConstant(v->index, indexAdd(v->index, warp, a->row), number * ATTENTION_WARP_ROWS / LANE_ROWS)};
  const IndexExpr *first = indexScale(v->index, a->tile, a->plan.rows);
  Position place = positionInside(v, indexAdd(v->index, first, row.local), extentOf(a->sizes.rows), 1);
  row.valid = place.valid;
  attentionBind(v, place.index, a->sizes.row, row.dims);
  return row;
}

void attentionBindPlaces(AttentionEmitter *a) {
  Emitter *e = a->e;
  Values *v = e->values;
  IndexContext *index = v->index;
  int64_t tiles = ceilDiv(a->sizes.rows, a->plan.rows);
  a->thread = bindIndex(v, e->task.threadId, e->plan->launch.block);
  const IndexExpr *block = bindIndex(v, e->task.blockId, e->plan->launch.grid);
  a->lane = indexMod(index, a->thread, ATTENTION_WARP);
  a->warp = indexDiv(index, a->thread, ATTENTION_WARP);
  a->row = indexDiv(index, a->lane, ATTENTION_FRAGMENT / LANE_COLUMNS);
  a->pair = indexMod(index, a->lane, ATTENTION_FRAGMENT / LANE_COLUMNS);
  a->tile = indexMod(index, block, tiles);
  a->noKey = bindIndex(v, irConstantIndex(&v->b, 0), a->sizes.keys);
  attentionBind(v, indexDiv(index, block, tiles), a->sizes.batch, a->batch);
  for (int64_t i = 0; i < LANE_ROWS; ++i)
    a->rows[i] = rowOf(a, i);
}

static void viewTiles(AttentionEmitter *a) {
  const AttentionMemory *m = &a->memory;
  a->keys = attentionTileView(a, m->keysOffset, a->plan.keys * m->depthPitch, a->tileType);
  a->values = attentionTileView(a, m->valuesOffset, a->plan.keys * m->valuePitch, a->valueType);
}

static void viewMemory(AttentionEmitter *a) {
  const AttentionMemory *m = &a->memory;
  Memory *memory = a->e->memory;
  a->tileType = attentionTileType(&a->sizes, &a->plan, /*ofValues=*/false);
  a->valueType = attentionTileType(&a->sizes, &a->plan, /*ofValues=*/true);
  a->queries = sharedView(memory, 0, a->plan.rows * m->depthPitch, a->tileType);
  viewTiles(a);
  if (!attentionIsMma(&a->plan, a->sizes.second))
    a->weights = sharedView(memory, m->weightsOffset, a->plan.rows * m->weightPitch, a->valueType);
}

//===----------------------------------------------------------------------===//
// The keys, tile by tile
//===----------------------------------------------------------------------===//

MlirValue attentionNothing(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op) {
  IrBuilder *b = &a->e->values->b;
  if (kind == ATTENTION_ANY)
    return irConstantInt(b, mlirIntegerTypeGet(b->context, 1), 0);
  return kind == ATTENTION_MAX ? irConstantFloat(b, scalarComputeType(irElementTypeOf(irResult(op, 0))), -INFINITY)
                               : irConstantFloat(b, a->accumulator, 0);
}

static void beginState(AttentionEmitter *a, MlirValue *state) {
  for (intptr_t i = 0; i < attentionNumState(a); ++i) {
    const AttentionReduce *reduce = &a->any.reduces[i / LANE_ROWS];
    state[i] = i < attentionAnyState(a)      ? attentionNothing(a, reduce->kind, reduce->op)
               : i < attentionResultState(a) ? attentionNothing(a, ATTENTION_ANY, (MlirOperation){NULL})
                                             : irConstantFloat(&a->e->values->b, a->accumulator, 0);
  }
}

static void addScores(AttentionEmitter *a, const IndexExpr *first, MlirValue *state, MlirValue *weights) {
  MlirValue *scores = IR_NEW_ARRAY(&a->e->values->arena, MlirValue, a->keyFragments * LANE_ELEMENTS);
  (attentionIsMma(&a->plan, a->sizes.first) ? attentionMmaScores : attentionMultiplyScores)(a, scores);
  attentionWeights(a, first, scores, state, weights);
}

/// The same if the warp sees something of the tile; else all weights are 0.
static void addScoresIf(AttentionEmitter *a, MlirValue seen, const IndexExpr *first, MlirValue *state,
                        MlirValue *weights) {
  Values *v = a->e->values;
  MlirType weightType = irElementTypeOf(irOperand(a->sizes.second, a->sizes.weights)), word;
  intptr_t numState = attentionNumState(a), numWeights = a->keyFragments * LANE_ELEMENTS;
  intptr_t count = numState + attentionNumWords(a, numWeights, weightType, &word);
  MlirType *types = IR_NEW_ARRAY(&v->arena, MlirType, count);
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = i < numState ? mlirValueGetType(state[i]) : word;
  MlirOperation choice = irIf(&v->b, seen, (IrTypes){count, types}, /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    for (intptr_t i = 0; i < numState; ++i)
      values[i] = state[i];
    for (intptr_t i = 0; i < numWeights && region == 1; ++i)
      weights[i] = scalarZero(&v->b, weightType);
    if (region == 0)
      addScores(a, first, values, weights);
    else
      attentionSelect(a, first, values);
    attentionPack(a, numWeights, weights, values + numState);
    irYield(&v->b, (IrValues){count, values});
    leaveBlock(v, outside);
  }
  for (intptr_t i = 0; i < count; ++i)
    *(i < numState ? &state[i] : &values[i]) = irResult(choice, i);
  attentionUnpack(a, numWeights, values + numState, weightType, weights);
}

static void bringTiles(AttentionEmitter *a, const IndexExpr *first) {
  attentionStage(a, TILE_KEYS, first);
  attentionStage(a, TILE_VALUES, first);
}

static void roundTiles(AttentionEmitter *a) {
  attentionRound(a, TILE_KEYS);
  attentionRound(a, TILE_VALUES);
}

static void addTile(AttentionEmitter *a, MlirValue seen, const IndexExpr *first, MlirValue *state) {
  Values *v = a->e->values;
  MlirValue *weights = IR_NEW_ARRAY(&v->arena, MlirValue, a->keyFragments * LANE_ELEMENTS);
  bool mma = attentionIsMma(&a->plan, a->sizes.second);
  if (mlirValueIsNull(seen))
    addScores(a, first, state, weights);
  else
    addScoresIf(a, seen, first, state, weights);
  (mma ? attentionMmaValues : attentionMultiplyValues)(a, weights, state + attentionResultState(a));
}

/// The same if the tile adds anything.
static void addTileIf(AttentionEmitter *a, MlirValue counts, MlirValue seen, const IndexExpr *first, MlirValue *state) {
  Values *v = a->e->values;
  intptr_t count = attentionNumState(a);
  MlirType *types = IR_NEW_ARRAY(&v->arena, MlirType, count);
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(state[i]);
  MlirOperation choice = irIf(&v->b, counts, (IrTypes){count, types}, /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    memcpy(values, state, sizeof(*values) * (size_t)count);
    if (region == 0)
      addTile(a, seen, first, values);
    else
      attentionSelect(a, first, values);
    irYield(&v->b, (IrValues){count, values});
    leaveBlock(v, outside);
  }
  for (intptr_t i = 0; i < count; ++i)
    state[i] = irResult(choice, i);
}

static void emitBlock(AttentionEmitter *a) {
  Emitter *e = a->e;
  Values *v = e->values;
  const AttentionStaging staging = {viewTiles, bringTiles, roundTiles, attentionCanScan, attentionScan};
  int64_t tiles = ceilDiv(a->sizes.keys, a->plan.keys), threads = e->plan->launch.grid * e->plan->launch.block;
  MlirValue *state = IR_NEW_ARRAY(&v->arena, MlirValue, attentionNumState(a));
  e->memory->traffic.executions = threads;
  attentionStage(a, TILE_QUERIES, indexScale(v->index, a->tile, a->plan.rows));
  attentionFirstTile(a, &staging);
  beginState(a, state);
  attentionFindLastKey(a);
  RoundLoop loop = beginRounds(e->memory, 0, tiles, state, attentionNumState(a));
  const IndexExpr *first = indexScale(v->index, loop.round, a->plan.keys);
  MlirValue seen = attentionIsTileSeen(a, first, state);
  MlirValue counts = attentionNextTile(a, &staging, &loop, tiles, seen);
  if (mlirValueIsNull(counts))
    addTile(a, seen, first, state);
  else
    addTileIf(a, counts, seen, first, state);
  endRounds(e->memory, &loop, state, attentionNumState(a));
  attentionLastTile(a);
  attentionStoreResults(a, state);
  trafficEndSweep(e->memory);
}

/// Whether the fusion is an attention all of whose results can be stored.
static bool isAttention(AttentionEmitter *a) {
  MlirBlock body = a->e->plan->body;
  IndexContext *index = a->e->values->index;
  if (!planGetAttention(a->e->plan->fusion, &a->plan) || !attentionSizesOf(body, &a->sizes, &a->any))
    return false;
  AttentionPlace place = attentionAnyPlace(index, &a->sizes);
  return attentionAnalyse(index, &a->sizes, &place, &a->any) &&
         attentionHasResults(index, &a->sizes, mlirBlockGetTerminator(body), &a->any);
}

void emitAttention(Emitter *e) {
  AttentionEmitter a = {.e = e};
  if (!isAttention(&a)) {
    stitchEmitOpError(a.any.culprit, "%s: its fusion has stitch.attention, but no kernel can be made of it",
                      a.any.reason);
    e->values->failed = true;
    return;
  }
  a.memory = attentionMemory(&a.sizes, &a.plan);
  a.accumulator = attentionAccumulator(&a.sizes);
  a.keyFragments = a.plan.keys / ATTENTION_FRAGMENT;
  a.featureFragments = a.memory.features / ATTENTION_FRAGMENT;
  viewMemory(&a);
  a.areQueriesRounded = a.areKeysRounded = attentionIsMma(&a.plan, a.sizes.first) && productIsTf32(a.sizes.first);
  a.areValuesRounded = attentionIsMma(&a.plan, a.sizes.second) && productIsTf32(a.sizes.second);
  a.roundsTiles = a.areKeysRounded || a.areValuesRounded;
  attentionBindPlaces(&a);
  emitBlock(&a);
}
