//===- attention_gradient.c - products of a softmax's gradient -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body is walked from the weights of the first result to the scores, each value with its index. The other results
// have their weights where a value of the same shape is known to be of the same scores. Each of them must sum up all
// keys of each row once, which is checked where all dimensions are variables.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention_gradient.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/plan/attention_products.h"

#include <stdlib.h>

/// The dependences of a value of the body.
typedef struct {
  bool failed;
  unsigned scores; ///< that are needed for it once reduces are known: bits
  int64_t pass;    ///< before which all its reduces are known
} Depends;

typedef struct {
  MlirValue value;
  IndexVector index;
  Depends depends;
} GradientVisit;

typedef struct {
  IndexContext *index;
  const GradientSizes *sizes;
  const GradientPlace *place;
  Gradient *gradient;
  unsigned known; ///< scores whose index is known: bits
  IrArena arena;
  GradientVisit **visits;
  intptr_t numVisits, capacity;
} GradientWalk;

static bool refuseGradient(Gradient *g, MlirOperation culprit, const char *reason) {
  if (!g->reason) {
    g->reason = reason;
    g->culprit = culprit;
  }
  return false;
}

static Depends failGradient(GradientWalk *w, MlirOperation culprit, const char *reason) {
  refuseGradient(w->gradient, culprit, reason);
  return (Depends){.failed = true};
}

//===----------------------------------------------------------------------===//
// The products
//===----------------------------------------------------------------------===//

/// Sorts a product among scores, or results, which it is if one of its operands is computed from scores.
static bool addProduct(GradientSizes *s, MlirOperation op, Gradient *gradient) {
  bool ofScores[2] = {false, false};
  for (intptr_t side = 0; side < 2; ++side)
    for (intptr_t i = 0; i < s->numScores; ++i)
      ofScores[side] |= attentionComesFrom(irOperand(op, side), s->scores[i]);
  bool isResult = ofScores[0] || ofScores[1];
  if (!productMultipliesFloats(op) || (ofScores[0] && ofScores[1]))
    return refuseGradient(gradient, op, "is no product of floats, or has both operands from scores");
  if (s->numScores == (isResult ? 0 : GRADIENT_MAX_SCORES) || (isResult && s->numResults == GRADIENT_MAX_RESULTS))
    return refuseGradient(gradient, op, "is a product too many");
  for (intptr_t i = 0; i < s->numResults; ++i)
    if (attentionComesFrom(irOperand(op, 0), s->results[i]) || attentionComesFrom(irOperand(op, 1), s->results[i]))
      return refuseGradient(gradient, op, "is made of another result");
  if (isResult) {
    intptr_t weights = ofScores[1];
    s->features[s->numResults] = irNumElements(productSizes(irOperand(op, 1 - weights), productFree(op, 1 - weights)));
    s->weights[s->numResults] = weights;
    s->results[s->numResults++] = op;
  } else {
    s->depth[s->numScores] = irNumElements(productSizes(irOperand(op, 0), productContract(op, 0)));
    s->scores[s->numScores++] = op;
  }
  return true;
}

/// Makes a result of a single product. False if the body does more than elementwise operations in addition.
static bool takeAlone(GradientSizes *s, MlirBlock body, Gradient *gradient) {
  MlirOperation product = s->scores[0];
  int64_t own[2];
  for (intptr_t side = 0; side < 2; ++side)
    own[side] = irNumElements(productSizes(irOperand(product, side), productFree(product, side)));
  intptr_t weights = own[1] > own[0];
  *s = (GradientSizes){
      .results = {product}, .weights = {weights}, .features = {own[1 - weights]}, .numScores = 0, .numResults = 1};
  IR_FOR_EACH_OP(op, body) {
    TgClass class = tgClassOfKind(tgKindOf(op));
    bool isTaken = mlirOperationEqual(op, product) || mlirOperationEqual(op, mlirBlockGetTerminator(body)) ||
                   class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE || class == TG_CLASS_SOURCE;
    if (!isTaken)
      return refuseGradient(gradient, op, "is around a product alone, and no elementwise operation");
  }
  return true;
}

bool gradientSizesOf(MlirBlock body, GradientSizes *s, Gradient *gradient) {
  *s = (GradientSizes){0};
  *gradient = (Gradient){0};
  IR_FOR_EACH_OP(op, body)
    if (tgKindOf(op) == TG_dot && !addProduct(s, op, gradient))
      return false;
  if (s->numScores == 1 && s->numResults == 0 && !takeAlone(s, body, gradient))
    return false;
  if (s->numResults == 0)
    return refuseGradient(gradient, mlirBlockGetTerminator(body), "is not behind a product of scores");
  MlirValue weights = irOperand(s->results[0], s->weights[0]);
  s->batch = productSizes(weights, productBatch(s->results[0], s->weights[0]));
  s->row = productSizes(weights, productFree(s->results[0], s->weights[0]));
  s->key = productSizes(weights, productContract(s->results[0], s->weights[0]));
  s->numBatches = irNumElements(s->batch);
  s->rows = irNumElements(s->row);
  s->keys = irNumElements(s->key);
  bool isEmpty = s->numBatches < 1 || s->rows < 1 || s->keys < 2;
  for (intptr_t i = 0; i < s->numScores; ++i)
    isEmpty |= s->depth[i] < 1;
  for (intptr_t i = 0; i < s->numResults; ++i)
    isEmpty |= s->features[i] < 1;
  return !isEmpty || refuseGradient(gradient, s->results[0], "has a single key, or nothing to multiply");
}

static const IndexExpr *variableBelow(IndexContext *index, int64_t size) {
  return size == 1 ? indexConstant(index, 0) : indexVariable(index, size);
}

GradientPlace gradientAnyPlace(IndexContext *index, const GradientSizes *s) {
  GradientPlace place = {0};
  int64_t widest = 1;
  for (intptr_t i = 0; i < s->batch.rank; ++i)
    place.batch[i] = variableBelow(index, s->batch.dims[i]);
  for (intptr_t i = 0; i < s->row.rank; ++i)
    place.row[i] = variableBelow(index, s->row.dims[i]);
  for (intptr_t i = 0; i < s->key.rank; ++i)
    place.key[i] = variableBelow(index, s->key.dims[i]);
  for (intptr_t i = 0; i < s->numScores; ++i)
    widest = s->depth[i] > widest ? s->depth[i] : widest;
  for (intptr_t i = 0; i < s->numResults; ++i)
    widest = s->features[i] > widest ? s->features[i] : widest;
  place.inner = variableBelow(index, widest);
  return place;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static bool ofAny(const IndexVector *index, const IndexExpr *const *dims, IrShape shape) {
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (shape.dims[i] > 1 && attentionDependsOn(index, dims[i]))
      return true;
  return false;
}

static bool ofKey(const GradientWalk *w, const IndexVector *index) {
  return ofAny(index, w->place->key, w->sizes->key);
}
static bool ofRow(const GradientWalk *w, const IndexVector *index) {
  return ofAny(index, w->place->row, w->sizes->row);
}

/// The number of a tile, which may be that of another product, too.
static intptr_t addTile(GradientWalk *w, GradientTile tile) {
  Gradient *g = w->gradient;
  for (intptr_t i = 0; i < g->numTiles; ++i) {
    const GradientTile *other = &g->tiles[i];
    if (other->isKept == tile.isKept && other->width == tile.width && mlirValueEqual(other->value, tile.value) &&
        attentionSameIndex(&other->index, &tile.index))
      return i;
  }
  g->tiles[g->numTiles] = tile;
  return g->numTiles++;
}

/// Along the contracted dimension, or along features.
static IndexVector innerIndex(const GradientWalk *w, IrShape shape) {
  return indexDelinearize(w->index, w->place->inner, shape);
}

static Depends visitScores(GradientWalk *w, MlirOperation op, intptr_t number, const IndexVector *index) {
  Gradient *g = w->gradient;
  Depends depends = {.scores = 1u << number};
  if (w->known & depends.scores)
    return attentionSameIndex(&g->scores[number], index)
               ? depends
               : failGradient(w, op, "is read at two different elements for one weight");
  w->known |= depends.scores;
  g->scores[number] = *index;
  intptr_t numBatch = productBatch(op, 0).rank, split = numBatch + productFree(op, 0).rank;
  IndexVector inner = innerIndex(w, productSizes(irOperand(op, 0), productContract(op, 0))), sides[2];
  for (intptr_t side = 0; side < 2; ++side)
    sides[side] = productOperandIndex(op, side, index->dims, index->dims + (side == 0 ? numBatch : split), inner.dims);
  intptr_t kept = ofKey(w, &sides[0]) || ofRow(w, &sides[1]);
  if (ofKey(w, &sides[kept]) || ofRow(w, &sides[1 - kept]))
    return failGradient(w, op, "has no operand with a row for each kept one, and one with a row for each key");
  int64_t width = w->sizes->depth[number];
  g->kept[number] = addTile(w, (GradientTile){irOperand(op, kept), sides[kept], true, width});
  g->passing[number] = addTile(w, (GradientTile){irOperand(op, 1 - kept), sides[1 - kept], false, width});
  return depends;
}

/// Looks through the moves in front of a value for a value that a tile of keys has already: one tile serves both.
static void findTileBehindMoves(const GradientWalk *w, MlirValue *value, IndexVector *at) {
  const Gradient *g = w->gradient;
  MlirValue moved = *value;
  IndexVector index = *at, behind;
  for (;;) {
    for (intptr_t i = 0; i < g->numTiles; ++i)
      if (!g->tiles[i].isKept && mlirValueEqual(g->tiles[i].value, moved) &&
          attentionSameIndex(&g->tiles[i].index, &index)) {
        *value = moved;
        *at = index;
        return;
      }
    MlirOperation move = irDefiningOp(moved);
    if (mlirOperationIsNull(move) || tgClassOfKind(tgKindOf(move)) != TG_CLASS_SHAPE ||
        mlirOperationGetNumOperands(move) != 1 || !indexPropagate(w->index, move, 0, &index, &behind))
      return;
    moved = irOperand(move, 0);
    index = behind;
  }
}

/// Finds the indices of a result and of its weights' other factor, by the index of the weights.
static bool placeResult(GradientWalk *w, intptr_t number, const IndexVector *weights) {
  Gradient *g = w->gradient;
  MlirOperation op = w->sizes->results[number];
  intptr_t side = w->sizes->weights[number];
  IrShape batch = productBatch(op, side), free = productFree(op, side), contract = productContract(op, side);
  const IndexExpr *ofBatch[IR_MAX_RANK], *ofContract[IR_MAX_RANK];
  IndexVector *result = &g->results[number];
  g->weights[number] = *weights;
  for (intptr_t i = 0; i < batch.rank; ++i)
    result->dims[result->rank++] = ofBatch[i] = weights->dims[batch.dims[i]];
  for (intptr_t i = 0; i < contract.rank; ++i)
    ofContract[i] = weights->dims[contract.dims[i]];
  MlirValue values = irOperand(op, 1 - side);
  IndexVector inner = innerIndex(w, productSizes(values, productFree(op, 1 - side)));
  for (intptr_t of = 0; of < 2; ++of)
    for (intptr_t i = 0; i < (of == side ? free.rank : inner.rank); ++i)
      result->dims[result->rank++] = of == side ? weights->dims[free.dims[i]] : inner.dims[i];
  IndexVector at = productOperandIndex(op, 1 - side, ofBatch, inner.dims, ofContract);
  if (productHasParts(op)) {
    if (!productCanHaveParts(op, side, &values)) // the conversion has the same elements
      return refuseGradient(g, op, "has no operand that is converted from bf16");
    findTileBehindMoves(w, &values, &at);
  }
  if (ofRow(w, &at) || ofKey(w, result))
    return refuseGradient(g, op, "sums up something else than the keys of a row");
  g->values[number] = addTile(w, (GradientTile){values, at, false, w->sizes->features[number]});
  return true;
}

//===----------------------------------------------------------------------===//
// Dependences of values
//===----------------------------------------------------------------------===//

static Depends dependences(GradientWalk *w, MlirValue value, const IndexVector *index);

static Depends visitReduce(GradientWalk *w, MlirOperation op, const IndexVector *index) {
  Gradient *g = w->gradient;
  const GradientSizes *s = w->sizes;
  IrShape dims = irGetDims(op, "dims"), shape = irShapeOf(irOperand(op, 0));
  GradientReduce reduce = {.op = op, .index = *index, .operandIndex.rank = shape.rank};
  bool isOfKeys = dims.rank == s->key.rank && !ofKey(w, index) && attentionKindOfReduce(op, &reduce.kind);
  for (intptr_t i = 0; i < dims.rank && isOfKeys; ++i)
    isOfKeys = shape.dims[dims.dims[i]] == s->key.dims[i];
  if (!isOfKeys)
    return failGradient(w, op, "is no maximum and no sum over the keys of a row");
  for (intptr_t d = 0, next = 0, nextKey = 0; d < shape.rank; ++d)
    reduce.operandIndex.dims[d] = irContains(dims, d) ? w->place->key[nextKey++] : index->dims[next++];
  Depends operand = dependences(w, irOperand(op, 0), &reduce.operandIndex);
  if (operand.failed)
    return operand;
  if (operand.scores == 0 || g->numReduces == ATTENTION_MAX_REDUCES)
    return failGradient(w, op, "is a reduce too many, or reduces something else than scores");
  reduce.pass = operand.pass;
  reduce.scores = operand.scores;
  g->reduces[g->numReduces++] = reduce;
  return (Depends){.pass = operand.pass + 1};
}

static Depends visitOperands(GradientWalk *w, MlirOperation op, const IndexVector *index) {
  Depends all = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !all.failed; ++i) {
    IndexVector operand;
    if (!indexPropagate(w->index, op, i, index, &operand))
      return failGradient(w, op, "takes other elements than its own");
    Depends one = dependences(w, irOperand(op, i), &operand);
    all.failed |= one.failed;
    all.scores |= one.scores;
    all.pass = one.pass > all.pass ? one.pass : all.pass;
  }
  return all;
}

static Depends visit(GradientWalk *w, MlirValue value, const IndexVector *index) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op))
    return (Depends){0};
  TgKind kind = tgKindOf(op);
  TgClass class = tgClassOfKind(kind);
  for (intptr_t i = 0; i < w->sizes->numScores; ++i)
    if (mlirOperationEqual(op, w->sizes->scores[i]))
      return visitScores(w, op, i, index);
  if (kind == TG_reduce)
    return visitReduce(w, op, index);
  if (class == TG_CLASS_SOURCE)
    return (Depends){0};
  if (class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE)
    return visitOperands(w, op, index);
  return failGradient(w, op, "is no elementwise operation, and no reduce over the keys");
}

static Depends dependences(GradientWalk *w, MlirValue value, const IndexVector *index) {
  for (intptr_t i = 0; i < w->numVisits; ++i)
    if (mlirValueEqual(w->visits[i]->value, value) && attentionSameIndex(&w->visits[i]->index, index))
      return w->visits[i]->depends;
  Depends depends = visit(w, value, index);
  GradientVisit *done = IR_NEW(&w->arena, GradientVisit);
  *done = (GradientVisit){value, *index, depends};
  IR_RESERVE_ONE(w->visits, w->numVisits, w->capacity);
  w->visits[w->numVisits++] = done;
  return depends;
}

/// Finds the elements of a value that no known operation reads. It finds them at an index at which a value of its
/// shape, or the same value, is known to be of the scores.
static Depends visitBesides(GradientWalk *w, MlirValue value, IndexVector *index) {
  IrShape shape = irShapeOf(value);
  for (int sameValue = 1; sameValue >= 0; --sameValue)
    for (intptr_t i = 0; i < w->numVisits; ++i) {
      const GradientVisit *known = w->visits[i];
      if (known->depends.scores == 0 || known->depends.failed || mlirValueEqual(known->value, value) != sameValue ||
          !irShapesEqual(irShapeOf(known->value), shape))
        continue;
      *index = known->index;
      w->gradient->reason = NULL;
      Depends depends = dependences(w, value, index);
      if (!depends.failed)
        return depends;
    }
  return failGradient(w, irDefiningOp(value), "is not of the same scores");
}

/// Reduces that no result reads, and those of which nothing would be stored for some rows.
static bool visitReduces(GradientWalk *w, MlirBlock body) {
  for (intptr_t i = 0; i < w->gradient->numReduces; ++i) {
    MlirOperation op = w->gradient->reduces[i].op;
    if (!attentionHasRowsOf(op, w->sizes->numBatches * w->sizes->rows))
      return refuseGradient(w->gradient, op, "has other rows than the weights");
  }
  IR_FOR_EACH_OP(op, body) {
    bool isKnown = tgKindOf(op) != TG_reduce;
    for (intptr_t i = 0; i < w->gradient->numReduces && !isKnown; ++i)
      isKnown = mlirOperationEqual(w->gradient->reduces[i].op, op);
    if (!isKnown)
      return refuseGradient(w->gradient, op, "is a reduce that no result reads");
  }
  return true;
}

static bool visitResults(GradientWalk *w) {
  const GradientSizes *s = w->sizes;
  const GradientPlace *at = w->place;
  Gradient *g = w->gradient;
  for (intptr_t i = 0; i < s->numResults; ++i) {
    MlirValue value = irOperand(s->results[i], s->weights[i]);
    IndexVector index =
        i > 0 ? (IndexVector){0} : productOperandIndex(s->results[0], s->weights[0], at->batch, at->row, at->key);
    Depends depends = i > 0 ? visitBesides(w, value, &index) : dependences(w, value, &index);
    if (depends.failed || !placeResult(w, i, &index))
      return false;
    g->scoresOfResults |= depends.scores;
    g->passes = depends.pass + 1 > g->passes ? depends.pass + 1 : g->passes;
  }
  return true;
}

bool gradientAnalyse(IndexContext *index, const GradientSizes *sizes, const GradientPlace *place, Gradient *gradient) {
  *gradient = (Gradient){0};
  GradientWalk w = {.index = index, .sizes = sizes, .place = place, .gradient = gradient};
  bool succeeded = visitResults(&w) && visitReduces(&w, mlirOperationGetBlock(sizes->results[0]));
  for (intptr_t i = 0; i < sizes->numScores && succeeded; ++i)
    succeeded = (w.known >> i & 1u) != 0 || refuseGradient(gradient, sizes->scores[i], "is in no result's weights");
  free(w.visits);
  irArenaDestroy(&w.arena);
  return succeeded;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool gradientResultIndex(IndexContext *index, const Gradient *gradient, const GradientSizes *sizes, MlirValue yielded,
                         MlirOperation *source, IndexVector *place) {
  AttentionSource sources[ATTENTION_MAX_REDUCES + GRADIENT_MAX_RESULTS];
  intptr_t count = 0;
  for (intptr_t i = 0; i < sizes->numResults; ++i)
    sources[count++] = (AttentionSource){sizes->results[i], gradient->results[i]};
  for (intptr_t i = 0; i < gradient->numReduces; ++i)
    sources[count++] = (AttentionSource){gradient->reduces[i].op, gradient->reduces[i].index};
  AttentionBehind behind = sizes->numScores ? BEHIND_MOVES : BEHIND_ELEMENTWISE;
  return attentionMovedIndex(index, sources, count, behind, yielded, source, place);
}

static bool isAmong(const IndexExpr *dim, int64_t size, const IndexExpr *const *dims, IrShape shape) {
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (dims[i] == dim && shape.dims[i] == size)
      return true;
  return false;
}

/// Whether a result has an element for each row of each batch, to which each key adds once: `place` has variables.
static bool sumsUpAll(const GradientSizes *s, const GradientPlace *place, const Gradient *g, intptr_t number) {
  MlirOperation op = s->results[number];
  MlirValue weights = irOperand(op, s->weights[number]);
  IrShape shape = irShapeOf(weights), contract = productContract(op, s->weights[number]);
  for (intptr_t d = 0; d < shape.rank; ++d) {
    const IndexExpr *at = g->weights[number].dims[d];
    bool ofKeys = irContains(contract, d), isKey = isAmong(at, shape.dims[d], place->key, s->key);
    bool isOther = isAmong(at, shape.dims[d], place->row, s->row) || isAmong(at, shape.dims[d], place->batch, s->batch);
    if (shape.dims[d] > 1 && !(ofKeys ? isKey : isOther))
      return false;
    for (intptr_t e = 0; e < d && shape.dims[d] > 1; ++e)
      if (g->weights[number].dims[e] == at)
        return false;
  }
  return irNumElements(shape) == s->numBatches * s->rows * s->keys;
}

bool gradientIsValid(IndexContext *index, MlirBlock body, GradientSizes *sizes, Gradient *gradient) {
  if (!gradientSizesOf(body, sizes, gradient))
    return false;
  GradientPlace place = gradientAnyPlace(index, sizes);
  if (!gradientAnalyse(index, sizes, &place, gradient))
    return false;
  for (intptr_t i = 0; i < sizes->numResults; ++i)
    if (!sumsUpAll(sizes, &place, gradient, i))
      return refuseGradient(gradient, sizes->results[i], "does not sum up each key of a row once");
  MlirOperation yield = mlirBlockGetTerminator(body), source;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    IndexVector at;
    MlirOperation op = irDefiningOp(irOperand(yield, i));
    if (!gradientResultIndex(index, gradient, sizes, irOperand(yield, i), &source, &at))
      return refuseGradient(gradient, mlirOperationIsNull(op) ? yield : op, "is a result that is more than moved");
  }
  return true;
}
