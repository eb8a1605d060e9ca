//===- gradient_tiles.c - tiles and products of a gradient kernel --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the plan of an attention gradient (ir/plan/gradient_plan.h). Leaves the code that stages tiles in shared
// memory, rounds them to TF32 where that is allowed, and multiplies them by multiply-adds or tensor cores.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/gradient.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "lowering/kernel/gpu/gpu_function.h"

static bool isMma(const GradientEmitter *g, MlirOperation product) { return attentionIsMma(&g->a.plan, product); }

/// Whether a result before this one, of all if there is none, has its weights in shared memory.
static bool hasWeightsBefore(const GradientEmitter *g, intptr_t number) {
  bool has = false;
  for (intptr_t i = 0; i < number; ++i)
    has |= !isMma(g, g->sizes.results[i]);
  return has;
}

Gradient gradientAt(const GradientEmitter *g, const AttentionRow *row, const GradientKey *key, const IndexExpr *inner) {
  const AttentionEmitter *a = &g->a;
  IndexContext *index = a->e->values->index;
  GradientPlace place = {.inner = inner ? inner : indexConstant(index, 0)};
  for (intptr_t i = 0; i < g->sizes.batch.rank; ++i)
    place.batch[i] = a->batch[i];
  for (intptr_t i = 0; i < g->sizes.row.rank; ++i)
    place.row[i] = row->dims[i];
  for (intptr_t i = 0; i < g->sizes.key.rank; ++i)
    place.key[i] = key ? key->dims[i] : g->sizes.key.dims[i] == 1 ? indexConstant(index, 0) : a->noKey;
  Gradient at;
  gradientAnalyse(index, &g->sizes, &place, &at);
  return at;
}

static void viewTiles(AttentionEmitter *a) {
  GradientEmitter *g = (GradientEmitter *)a; // its first member
  for (intptr_t t = 0; t < g->any.numTiles; ++t)
    if (!g->any.tiles[t].isKept)
      g->tiles[t] = attentionTileView(a, g->memory.offset[t], a->plan.keys * g->memory.pitch[t], g->types[t]);
}

/// Whether all products that read a tile may round its elements to TF32, and do.
static bool isRounded(const GradientEmitter *g, intptr_t t) {
  bool any = false, all = true;
  for (intptr_t i = 0; i < g->sizes.numScores; ++i)
    if (g->any.kept[i] == t || g->any.passing[i] == t) {
      any = true;
      all &= isMma(g, g->sizes.scores[i]) && productIsTf32(g->sizes.scores[i]);
    }
  for (intptr_t i = 0; i < g->sizes.numResults; ++i)
    if (g->any.values[i] == t) {
      any = true;
      all &= isMma(g, g->sizes.results[i]) && productIsTf32(g->sizes.results[i]);
    }
  return any && all;
}

void gradientViewMemory(GradientEmitter *g) {
  Memory *memory = g->a.e->memory;
  for (intptr_t t = 0; t < g->any.numTiles; ++t) {
    const GradientTile *tile = &g->any.tiles[t];
    g->types[t] = gradientTileType(&g->sizes, &g->a.plan, tile);
    g->isRounded[t] = isRounded(g, t);
    g->a.roundsTiles |= g->isRounded[t];
    if (tile->isKept)
      g->tiles[t] = sharedView(memory, g->memory.offset[t], g->a.plan.rows * g->memory.pitch[t], g->types[t]);
  }
  viewTiles(&g->a);
  if (hasWeightsBefore(g, g->sizes.numResults))
    g->a.weights =
        sharedView(memory, g->memory.weightsOffset, g->a.plan.rows * g->memory.weightPitch, g->a.accumulator);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static IndexVector indexIn(AttentionEmitter *a, const AttentionStaged *tile, const IndexExpr *number,
                           const IndexExpr *column) {
  GradientEmitter *g = (GradientEmitter *)a; // its first member
  Values *v = a->e->values;
  AttentionRow row = a->rows[0];
  GradientKey key = {0};
  bool isKept = g->any.tiles[tile->number].isKept;
  attentionBind(v, number, isKept ? g->sizes.row : g->sizes.key, isKept ? row.dims : key.dims);
  return gradientAt(g, &row, isKept ? NULL : &key, column).tiles[tile->number].index;
}

static AttentionStaged stagedOf(const GradientEmitter *g, intptr_t t, const IndexExpr *first) {
  const GradientTile *tile = &g->any.tiles[t];
  return (AttentionStaged){.number = t,
                           .source = tile->value,
                           .target = g->tiles[t],
                           .rows = tile->isKept ? g->a.plan.rows : g->a.plan.keys,
                           .numRows = tile->isKept ? g->sizes.rows : g->sizes.keys,
                           .existing = tile->width,
                           .width = g->memory.width[t],
                           .pitch = g->memory.pitch[t],
                           .type = g->types[t],
                           .isSwizzled = g->a.plan.product == STITCH_PRODUCT_WGMMA,
                           .isRounded = g->isRounded[t],
                           .isKept = tile->isKept,
                           .first = first,
                           .indexAt = indexIn};
}

static void stage(GradientEmitter *g, intptr_t t, const IndexExpr *first) {
  AttentionStaged tile = stagedOf(g, t, first);
  attentionStageRows(&g->a, &tile);
}

void gradientStageKept(GradientEmitter *g) {
  const IndexExpr *first = indexScale(g->a.e->values->index, g->a.tile, g->a.plan.rows);
  for (intptr_t t = 0; t < g->any.numTiles; ++t)
    if (g->any.tiles[t].isKept)
      stage(g, t, first);
}

/// Whether the current pass needs a tile of keys.
static bool needsTile(const GradientEmitter *g, intptr_t t) {
  bool is = false;
  for (intptr_t i = 0; i < g->sizes.numScores; ++i)
    is |= g->any.passing[i] == t && (g->neededScores >> i & 1u) != 0;
  for (intptr_t i = 0; i < g->sizes.numResults; ++i)
    is |= g->any.values[i] == t && g->needsResults;
  return is;
}

static void bringTiles(AttentionEmitter *a, const IndexExpr *first) {
  GradientEmitter *g = (GradientEmitter *)a; // its first member
  for (intptr_t t = 0; t < g->any.numTiles; ++t)
    if (needsTile(g, t))
      stage(g, t, first);
}

static void roundTiles(AttentionEmitter *a) {
  GradientEmitter *g = (GradientEmitter *)a; // its first member
  for (intptr_t t = 0; t < g->any.numTiles; ++t) {
    AttentionStaged tile = stagedOf(g, t, NULL);
    if (needsTile(g, t))
      attentionRoundRows(a, &tile);
  }
}

/// Whether weights multiply a tile.
static bool isValues(const GradientEmitter *g, intptr_t t) {
  bool is = false;
  for (intptr_t i = 0; i < g->sizes.numResults; ++i)
    is |= g->any.values[i] == t;
  return is;
}

static bool canScan(AttentionEmitter *a) {
  GradientEmitter *g = (GradientEmitter *)a; // its first member
  bool can = true;
  for (intptr_t t = 0; t < g->any.numTiles; ++t) {
    AttentionStaged tile = stagedOf(g, t, NULL);
    can &= !isValues(g, t) || attentionCanScanRows(a, &tile);
  }
  return can;
}

static MlirValue scanTiles(AttentionEmitter *a, MlirValue sum) {
  GradientEmitter *g = (GradientEmitter *)a; // its first member
  for (intptr_t t = 0; t < g->any.numTiles; ++t) {
    AttentionStaged tile = stagedOf(g, t, NULL);
    sum = isValues(g, t) ? attentionScanRows(a, &tile, sum) : sum;
  }
  return sum;
}

const AttentionStaging gradientStaging = {viewTiles, bringTiles, roundTiles, canScan, scanTiles};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void gradientMultiplyScores(GradientEmitter *g, intptr_t number, MlirValue *scores) {
  AttentionEmitter *a = &g->a;
  intptr_t kept = g->any.kept[number], passing = g->any.passing[number];
  a->queries = g->tiles[kept];
  a->keys = g->tiles[passing];
  a->tileType = g->types[kept];
  a->areQueriesRounded = g->isRounded[kept];
  a->areKeysRounded = g->isRounded[passing];
  a->memory.depth = g->memory.width[kept];
  a->memory.depthPitch = g->memory.pitch[kept];
  (isMma(g, g->sizes.scores[number]) ? attentionMmaScores : attentionMultiplyScores)(a, scores);
}

intptr_t gradientFragments(const GradientEmitter *g, intptr_t number) {
  return (intptr_t)ceilDiv(g->sizes.features[number], ATTENTION_FRAGMENT);
}

void gradientMultiplyValues(GradientEmitter *g, intptr_t number, const MlirValue *weights, MlirValue *result) {
  AttentionEmitter *a = &g->a;
  intptr_t values = g->any.values[number];
  a->sizes.second = g->sizes.results[number];
  a->sizes.weights = g->sizes.weights[number];
  a->values = g->tiles[values];
  a->valueType = g->types[values];
  a->areValuesRounded = g->isRounded[values];
  a->memory.valuePitch = g->memory.pitch[values];
  a->memory.weightPitch = g->memory.weightPitch;
  a->featureFragments = gradientFragments(g, number);
  bool mma = isMma(g, a->sizes.second);
  if (!mma && hasWeightsBefore(g, number))
    gpuBarrier(&a->e->values->b); // others may still read the weights of the result before
  (mma ? attentionMmaValues : attentionMultiplyValues)(a, weights, result);
}
