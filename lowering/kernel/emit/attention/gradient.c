//===- gradient.c - a block of a gradient kernel -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are numbered as those of attention are. A block brings the rows that it keeps to shared memory once; then, in
// each pass, tile after tile of keys. Of each tile a lane computes its elements of the scores that the pass needs. Then
// it evaluates, as in any kernel, from the scores its part of the pass's reduces, or the weights of each result, which
// it multiplies with the tile's values immediately. Sums go in ascending order of the keys, in each lane by itself, and
// then over the lanes of a row.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/gradient.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/scalar/scalar.h"

#include <string.h>

/// A pass: its reduces or results, and their scores.
typedef struct {
  int64_t number;
  bool isLast; ///< takes the results
  unsigned scores;
  intptr_t numState; ///< the loop-carried state of a lane
} KeyPass;

static KeyPass passOf(const GradientEmitter *g, int64_t number) {
  KeyPass pass = {.number = number, .isLast = number == g->any.passes - 1};
  for (intptr_t k = 0; k < g->any.numReduces; ++k)
    if (g->any.reduces[k].pass == number) {
      pass.scores |= g->any.reduces[k].scores;
      pass.numState += LANE_ROWS;
    }
  for (intptr_t i = 0; i < g->sizes.numResults && pass.isLast; ++i)
    pass.numState += gradientFragments(g, i) * LANE_ELEMENTS;
  if (pass.isLast)
    pass.scores |= g->any.scoresOfResults;
  return pass;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A lane's elements of a tile: `at` and `weights` are numbered as fragments are, `scores` also by product.
typedef struct {
  GradientKey *keys;
  Gradient *at;
  MlirValue *scores[GRADIENT_MAX_SCORES], *weights[GRADIENT_MAX_RESULTS];
} TileElements;

static intptr_t numElements(const GradientEmitter *g) { return g->a.keyFragments * LANE_ELEMENTS; }

static TileElements createElements(GradientEmitter *g, const IndexExpr *first) {
  Values *v = g->a.e->values;
  TileElements all = {.keys = IR_NEW_ARRAY(&v->arena, GradientKey, numElements(g) / LANE_ROWS),
                      .at = IR_NEW_ARRAY(&v->arena, Gradient, numElements(g))};
  for (intptr_t i = 0; i < numElements(g) / LANE_ROWS; ++i) {
    const IndexExpr *column = attentionColumn(&g->a, i / LANE_COLUMNS, i % LANE_COLUMNS);
    Position key = positionInside(v, indexAdd(v->index, first, column), extentOf(g->sizes.keys), 1);
    all.keys[i].valid = key.valid;
    attentionBind(v, key.index, g->sizes.key, all.keys[i].dims);
  }
  for (intptr_t i = 0; i < g->sizes.numScores; ++i)
    all.scores[i] = IR_NEW_ARRAY(&v->arena, MlirValue, numElements(g));
  for (intptr_t i = 0; i < g->sizes.numResults; ++i)
    all.weights[i] = IR_NEW_ARRAY(&v->arena, MlirValue, numElements(g));
  return all;
}

static intptr_t elementNumber(intptr_t key, intptr_t row) {
  return key / LANE_COLUMNS * LANE_ELEMENTS + row * LANE_COLUMNS + key % LANE_COLUMNS;
}

/// Scores of a row, and reduces of the passes before, are known from here on.
static void knowRow(GradientEmitter *g, const KeyPass *pass, TileElements *all, intptr_t row) {
  AttentionEmitter *a = &g->a;
  Values *v = a->e->values;
  for (intptr_t key = 0; key < numElements(g) / LANE_ROWS; ++key) {
    intptr_t n = elementNumber(key, row);
    all->at[n] = gradientAt(g, &a->rows[row], &all->keys[key], NULL);
    for (intptr_t i = 0; i < g->sizes.numScores; ++i) {
      MlirOperation op = g->sizes.scores[i];
      if (pass->scores >> i & 1u)
        attentionKnow(v, irResult(op, 0), &all->at[n].scores[i],
                      scalarConvert(&v->b, all->scores[i][n], a->accumulator, irElementTypeOf(irResult(op, 0))));
    }
  }
  for (intptr_t k = 0; k < g->any.numReduces; ++k)
    if (g->any.reduces[k].pass < pass->number)
      attentionKnow(v, irResult(g->any.reduces[k].op, 0), &all->at[elementNumber(0, row)].reduces[k].index,
                    g->reduced[k][row]);
}

/// A value that counts only where the key exists.
static MlirValue orElse(GradientEmitter *g, MlirValue valid, MlirValue value, MlirValue otherwise) {
  return mlirValueIsNull(valid) ? value : irSelect(&g->a.e->values->b, valid, value, otherwise);
}

/// Adds a row of the tile to a reduce.
static MlirValue addToReduce(GradientEmitter *g, const TileElements *all, intptr_t reduce, intptr_t row,
                             MlirValue sum) {
  AttentionEmitter *a = &g->a;
  IrBuilder *b = &a->e->values->b;
  const GradientReduce *of = &g->any.reduces[reduce];
  MlirValue operand = irOperand(of->op, 0);
  for (intptr_t key = 0; key < numElements(g) / LANE_ROWS; ++key) {
    const Gradient *at = &all->at[elementNumber(key, row)];
    MlirType type = irElementTypeOf(operand);
    MlirValue value = attentionEvaluate(a, operand, &at->reduces[reduce].operandIndex);
    value = of->kind == ATTENTION_MAX   ? scalarWiden(b, value, type)
            : of->kind == ATTENTION_SUM ? scalarConvert(b, value, type, a->accumulator)
                                        : value;
    value = orElse(g, all->keys[key].valid, value, attentionNothing(a, of->kind, of->op));
    sum = attentionCombine(a, of->kind, of->op, sum, value);
  }
  return sum;
}

static void findWeights(GradientEmitter *g, const TileElements *all, intptr_t result, intptr_t row) {
  IrBuilder *b = &g->a.e->values->b;
  MlirValue of = irOperand(g->sizes.results[result], g->sizes.weights[result]);
  for (intptr_t key = 0; key < numElements(g) / LANE_ROWS; ++key) {
    intptr_t n = elementNumber(key, row);
    MlirValue weight = attentionEvaluate(&g->a, of, &all->at[n].weights[result]);
    all->weights[result][n] = orElse(g, all->keys[key].valid, weight, scalarZero(b, irElementTypeOf(of)));
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

static intptr_t numReducesOf(const GradientEmitter *g, const KeyPass *pass) {
  intptr_t count = 0;
  for (intptr_t k = 0; k < g->any.numReduces; ++k)
    count += g->any.reduces[k].pass == pass->number;
  return count;
}

/// Adds the tile's scores to the pass's reduces, or makes weights of them.
static void addScores(GradientEmitter *g, const KeyPass *pass, TileElements *all, MlirValue *state) {
  Values *v = g->a.e->values;
  for (intptr_t i = 0; i < g->sizes.numScores; ++i)
    if (pass->scores >> i & 1u)
      gradientMultiplyScores(g, i, all->scores[i]);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) { // two rows may have one index: if there is a single one
    MemoEntry *scope = memoEnter(&v->memo);
    knowRow(g, pass, all, r);
    for (intptr_t k = 0, next = r; k < g->any.numReduces; ++k)
      if (g->any.reduces[k].pass == pass->number) {
        state[next] = addToReduce(g, all, k, r, state[next]);
        next += LANE_ROWS;
      }
    for (intptr_t i = 0; i < g->sizes.numResults && pass->isLast; ++i)
      findWeights(g, all, i, r);
    memoLeave(&v->memo, scope);
  }
}

static MlirType weightType(const GradientEmitter *g, intptr_t result) {
  return irElementTypeOf(irOperand(g->sizes.results[result], g->sizes.weights[result]));
}

/// The same if the warp sees something of the tile; else all weights are 0.
static void addScoresIf(GradientEmitter *g, const KeyPass *pass, MlirValue seen, TileElements *all, MlirValue *state) {
  AttentionEmitter *a = &g->a;
  Values *v = a->e->values;
  intptr_t numState = numReducesOf(g, pass) * LANE_ROWS, elements = numElements(g);
  intptr_t results = pass->isLast ? g->sizes.numResults : 0, most = numState + results * elements, count = numState;
  MlirType *types = IR_NEW_ARRAY(&v->arena, MlirType, most);
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, most);
  for (intptr_t i = 0; i < numState; ++i)
    types[i] = mlirValueGetType(state[i]);
  for (intptr_t i = 0; i < results; ++i) {
    MlirType word;
    intptr_t end = count + attentionNumWords(a, elements, weightType(g, i), &word);
    while (count < end)
      types[count++] = word;
  }
  MlirOperation choice = irIf(&v->b, seen, (IrTypes){count, types}, /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    for (intptr_t i = 0; i < numState; ++i)
      values[i] = state[i];
    if (region == 0)
      addScores(g, pass, all, values);
    for (intptr_t i = 0; i < results; ++i) {
      for (intptr_t n = 0; n < elements && region == 1; ++n)
        all->weights[i][n] = scalarZero(&v->b, weightType(g, i));
      attentionPack(a, elements, all->weights[i], values + numState + i * ((count - numState) / results));
    }
    irYield(&v->b, (IrValues){count, values});
    leaveBlock(v, outside);
  }
  for (intptr_t i = 0; i < count; ++i)
    *(i < numState ? &state[i] : &values[i]) = irResult(choice, i);
  for (intptr_t i = 0; i < results; ++i)
    attentionUnpack(a, elements, values + numState + i * ((count - numState) / results), weightType(g, i),
                    all->weights[i]);
}

static void addTile(GradientEmitter *g, const KeyPass *pass, TileElements *all, MlirValue seen, MlirValue *state) {
  if (mlirValueIsNull(seen))
    addScores(g, pass, all, state);
  else
    addScoresIf(g, pass, seen, all, state);
  for (intptr_t i = 0; i < g->sizes.numResults && pass->isLast; ++i) {
    gradientMultiplyValues(g, i, all->weights[i], state);
    state += gradientFragments(g, i) * LANE_ELEMENTS;
  }
}

/// The same if the tile adds anything to the results.
static void addTileIf(GradientEmitter *g, const KeyPass *pass, MlirValue counts, TileElements *all, MlirValue seen,
                      MlirValue *state) {
  Values *v = g->a.e->values;
  MlirType *types = IR_NEW_ARRAY(&v->arena, MlirType, pass->numState);
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, pass->numState);
  for (intptr_t i = 0; i < pass->numState; ++i)
    types[i] = mlirValueGetType(state[i]);
  MlirOperation choice = irIf(&v->b, counts, (IrTypes){pass->numState, types}, /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    memcpy(values, state, sizeof(*values) * (size_t)pass->numState);
    if (region == 0)
      addTile(g, pass, all, seen, values);
    irYield(&v->b, (IrValues){pass->numState, values});
    leaveBlock(v, outside);
  }
  for (intptr_t i = 0; i < pass->numState; ++i)
    state[i] = irResult(choice, i);
}

/// Leaves results in `state`, reduces in the emitter.
static void emitPass(GradientEmitter *g, const KeyPass *pass, MlirValue *state) {
  AttentionEmitter *a = &g->a;
  intptr_t next = 0;
  for (intptr_t k = 0; k < g->any.numReduces; ++k)
    for (intptr_t r = 0; r < LANE_ROWS && g->any.reduces[k].pass == pass->number; ++r)
      state[next++] = attentionNothing(a, g->any.reduces[k].kind, g->any.reduces[k].op);
  while (next < pass->numState)
    state[next++] = irConstantFloat(&a->e->values->b, a->accumulator, 0);
  int64_t tiles = ceilDiv(g->sizes.keys, a->plan.keys);
  g->neededScores = pass->scores;
  g->needsResults = pass->isLast;
  attentionFirstTile(a, &gradientStaging);
  RoundLoop loop = beginRounds(a->e->memory, 0, tiles, state, pass->numState);
  TileElements all = createElements(g, indexScale(a->e->values->index, loop.round, a->plan.keys));
  MlirValue seen = gradientIsTileSeen(g, all.keys), none = {NULL};
  MlirValue counts = attentionNextTile(a, &gradientStaging, &loop, tiles, pass->isLast ? seen : none);
  if (mlirValueIsNull(counts))
    addTile(g, pass, &all, seen, state);
  else
    addTileIf(g, pass, counts, &all, seen, state);
  endRounds(a->e->memory, &loop, state, pass->numState);
  attentionLastTile(a);
  next = 0;
  for (intptr_t k = 0; k < g->any.numReduces; ++k)
    for (intptr_t r = 0; r < LANE_ROWS && g->any.reduces[k].pass == pass->number; ++r) {
      const GradientReduce *of = &g->any.reduces[k];
      g->reduced[k][r] = attentionReduced(a, of->kind, of->op, attentionOverLanes(a, of->kind, of->op, state[next++]));
    }
}

static void emitBlock(GradientEmitter *g) {
  Emitter *e = g->a.e;
  intptr_t most = 0;
  e->memory->traffic.executions = e->plan->launch.grid * e->plan->launch.block;
  gradientStageKept(g);
  gradientEvaluateRows(g);
  for (int64_t p = 0; p < g->any.passes; ++p)
    most = passOf(g, p).numState > most ? passOf(g, p).numState : most;
  MlirValue *state = IR_NEW_ARRAY(&e->values->arena, MlirValue, most);
  for (int64_t p = 0; p < g->any.passes; ++p) {
    KeyPass pass = passOf(g, p);
    emitPass(g, &pass, state);
  }
  gradientStoreResults(g, state);
  trafficEndSweep(e->memory);
}

void emitAttentionGradient(Emitter *e) {
  GradientEmitter g = {.a.e = e};
  planGetAttention(e->plan->fusion, &g.a.plan);
  if (!gradientIsValid(e->values->index, e->plan->body, &g.sizes, &g.any)) {
    stitchEmitOpError(g.any.culprit, "%s: its fusion has stitch.attention, but no kernel can be made of it",
                      g.any.reason);
    e->values->failed = true;
    return;
  }
  g.memory = gradientMemory(&g.sizes, &g.any, &g.a.plan);
  g.a.accumulator = gradientAccumulator(&g.sizes);
  g.a.keyFragments = (intptr_t)(g.a.plan.keys / ATTENTION_FRAGMENT);
  g.a.sizes = (AttentionSizes){.batch = g.sizes.batch,
                               .row = g.sizes.row,
                               .numBatches = g.sizes.numBatches,
                               .rows = g.sizes.rows,
                               .keys = g.sizes.keys};
  gradientViewMemory(&g);
  attentionBindPlaces(&g.a);
  emitBlock(&g);
}
