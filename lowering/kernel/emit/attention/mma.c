//===- mma.c - products of tiles, by tensor cores ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.m16n8k16. A warp loads the words of four matrices of 8 x 8 elements in one instruction (ldmatrix:
// lowering/llvm/expand_ldmatrix.c). Rows of queries and keys have the neighbours side by side; values, of which keys
// are contracted, are loaded transposed. Rows begin 16 bytes behind a multiple of 32: the eight rows of a matrix are in
// different banks. Of the weights each lane has the words itself: its elements of two neighbouring fragments of scores
// are those of A.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/fragments.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "lowering/kernel/gpu/elements.h"

#include <math.h>

enum { STEP = 16 };

void attentionMmaScores(AttentionEmitter *a, MlirValue *scores) {
  Values *v = a->e->values;
  if (a->plan.product == STITCH_PRODUCT_WGMMA) {
    attentionWarpgroupScores(a, scores);
    return;
  }
  if (mlirTypeIsAF32(a->tileType)) {
    attentionTf32Scores(a, scores);
    return;
  }
  const IndexExpr *row = indexScale(v->index, a->warp, ATTENTION_WARP_ROWS);
  int64_t pitch = a->memory.depthPitch, beside = fragmentRow(a->tileType);
  MlirValue *sums = fragmentSums(a, a->keyFragments, NULL);
  for (int64_t depth = 0; depth < a->memory.depth; depth += STEP) {
    MlirValue queries = fragmentLoad(a, a->queries, a->tileType, FRAGMENT_WORDS_OF_A,
                                     fragmentPlaceBelow(a, row, depth, pitch, beside), /*transpose=*/false);
    MlirValue keys = {NULL};
    for (intptr_t n = 0; n < a->keyFragments; ++n) { // an even number
      if (n % FRAGMENTS_AT_ONCE == 0)
        keys = fragmentLoad(a, a->keys, a->tileType, FRAGMENTS_AT_ONCE * FRAGMENT_WORDS_OF_B,
                            fragmentPlaceBeside(a, n * ATTENTION_FRAGMENT, depth, pitch, beside), /*transpose=*/false);
      sums[n] =
          fragmentMultiply(v, queries, fragmentPart(v, keys, n % FRAGMENTS_AT_ONCE, FRAGMENT_WORDS_OF_B), sums[n]);
    }
  }
  fragmentElements(v, a->keyFragments, sums, scores);
}

/// Adds the products of weights of the values' type.
static void multiplyValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result) {
  Values *v = a->e->values;
  if (a->plan.product == STITCH_PRODUCT_WGMMA) {
    attentionWarpgroupValues(a, weights, result);
    return;
  }
  if (mlirTypeIsAF32(a->valueType)) {
    attentionTf32Values(a, weights, result);
    return;
  }
  MlirValue *sums = fragmentSums(a, a->featureFragments, result);
  for (int64_t key = 0; key < a->plan.keys; key += STEP) {
    MlirValue rows = fragmentOfWeights(a, weights + key / ATTENTION_FRAGMENT * LANE_ELEMENTS), values = {NULL};
    for (intptr_t n = 0; n < a->featureFragments; ++n) {
      int64_t count = n + 1 < a->featureFragments ? FRAGMENTS_AT_ONCE : 1;
      const IndexExpr *place = fragmentPlaceBelow(a, indexConstant(v->index, key), n * ATTENTION_FRAGMENT,
                                                  a->memory.valuePitch, fragmentRow(a->valueType));
      if (n % FRAGMENTS_AT_ONCE == 0)
        values = fragmentLoad(a, a->values, a->valueType, count * FRAGMENT_WORDS_OF_B, place, /*transpose=*/true);
      sums[n] = fragmentMultiply(v, rows, fragmentPart(v, values, n % FRAGMENTS_AT_ONCE, FRAGMENT_WORDS_OF_B), sums[n]);
    }
  }
  fragmentElements(v, a->featureFragments, sums, result);
}

/// A part of a weight of f32: its highest 8 bits. The remainder replaces it. Of infinity or NaN it is all.
static MlirValue takePart(Values *v, MlirValue *weight) {
  enum { LOW_BITS = 16 };
  MlirContext context = v->b.context;
  MlirType f32 = mlirF32TypeGet(context), i32 = mlirIntegerTypeGet(context, 32);
  MlirType i16 = mlirIntegerTypeGet(context, 16), bf16 = mlirBF16TypeGet(context);
  MlirValue low = irConstantInt(&v->b, i32, LOW_BITS), bits = irUnary(&v->b, "arith.bitcast", *weight, i32);
  MlirValue high = irShrUI(&v->b, bits, low);
  MlirValue part = irUnary(&v->b, "arith.bitcast", irShlI(&v->b, high, low), f32);
  MlirValue magnitude = irUnary(&v->b, "math.absf", *weight, f32);
  MlirValue isInfinite = irCmpF(&v->b, IR_CMPF_OEQ, magnitude, irConstantFloat(&v->b, f32, INFINITY));
  *weight = irSelect(&v->b, isInfinite, irConstantFloat(&v->b, f32, 0), irSubF(&v->b, *weight, part)); // exact, or NaN
  return irUnary(&v->b, "arith.bitcast", irUnary(&v->b, "arith.trunci", high, i16), bf16);
}

/// Adds the products of the lower parts of weights to a product, where they are finite. Where a value is infinite and a
/// lower part is 0, their product is NaN, and that of the highest part is the weight's.
static void addLower(AttentionEmitter *a, intptr_t count, const MlirValue *lower, MlirValue *result) {
  Values *v = a->e->values;
  MlirValue zero = irConstantFloat(&v->b, a->accumulator, 0),
            infinity = irConstantFloat(&v->b, a->accumulator, INFINITY);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue magnitude = irUnary(&v->b, "math.absf", lower[i], a->accumulator);
    MlirValue isFinite = irCmpF(&v->b, IR_CMPF_OLT, magnitude, infinity);
    result[i] = irAddF(&v->b, result[i], irSelect(&v->b, isFinite, lower[i], zero));
  }
}

/// By warpgroups: all features of a part in one product.
static void multiplyPartsTogether(AttentionEmitter *a, const MlirValue *parts, MlirValue *result) {
  Values *v = a->e->values;
  intptr_t count = a->keyFragments * LANE_ELEMENTS, numResults = a->featureFragments * LANE_ELEMENTS;
  MlirValue *lower = IR_NEW_ARRAY(&v->arena, MlirValue, numResults);
  for (intptr_t i = 0; i < numResults; ++i)
    lower[i] = irConstantFloat(&v->b, a->accumulator, 0);
  for (intptr_t part = 0; part + 1 < PRODUCT_PARTS; ++part)
    attentionWarpgroupValues(a, parts + part * count, lower);
  attentionWarpgroupValues(a, parts + (PRODUCT_PARTS - 1) * count, result);
  addLower(a, numResults, lower, result);
}

/// By warps: all parts of some features together, whose values are loaded once, and few of whose lower sums take
/// registers.
static void multiplyPartsByFeatures(AttentionEmitter *a, const MlirValue *parts, MlirValue *result) {
  Values *v = a->e->values;
  intptr_t count = a->keyFragments * LANE_ELEMENTS, numSteps = a->plan.keys / STEP;
  MlirValue *rows = IR_NEW_ARRAY(&v->arena, MlirValue, PRODUCT_PARTS * numSteps);
  for (intptr_t part = 0; part < PRODUCT_PARTS; ++part)
    for (intptr_t step = 0; step < numSteps; ++step)
      rows[part * numSteps + step] =
          fragmentOfWeights(a, parts + part * count + step * STEP / ATTENTION_FRAGMENT * LANE_ELEMENTS);
  for (intptr_t n = 0; n < a->featureFragments; n += FRAGMENTS_AT_ONCE) {
    intptr_t some = min64(FRAGMENTS_AT_ONCE, a->featureFragments - n);
    MlirValue *lower = fragmentSums(a, some, NULL), *sums = fragmentSums(a, some, result + n * LANE_ELEMENTS);
    for (intptr_t step = 0; step < numSteps; ++step) {
      const IndexExpr *place = fragmentPlaceBelow(a, indexConstant(v->index, step * STEP), n * ATTENTION_FRAGMENT,
                                                  a->memory.valuePitch, fragmentRow(a->valueType));
      MlirValue values =
          fragmentLoad(a, a->values, a->valueType, some * FRAGMENT_WORDS_OF_B, place, /*transpose=*/true);
      for (intptr_t i = 0; i < some * PRODUCT_PARTS; ++i) {
        intptr_t part = i / some;
        MlirValue *to = part + 1 < PRODUCT_PARTS ? &lower[i % some] : &sums[i % some];
        *to = fragmentMultiply(v, rows[part * numSteps + step], fragmentPart(v, values, i % some, FRAGMENT_WORDS_OF_B),
                               *to);
      }
    }
    MlirValue *ofLower = IR_NEW_ARRAY(&v->arena, MlirValue, some * LANE_ELEMENTS);
    fragmentElements(v, some, lower, ofLower);
    fragmentElements(v, some, sums, result + n * LANE_ELEMENTS);
    addLower(a, some * LANE_ELEMENTS, ofLower, result + n * LANE_ELEMENTS);
  }
}

/// attentionMmaValues of weights of f32 in three parts: the highest one last.
static void multiplyParts(AttentionEmitter *a, const MlirValue *weights, MlirValue *result) {
  Values *v = a->e->values;
  intptr_t count = a->keyFragments * LANE_ELEMENTS;
  MlirValue *parts = IR_NEW_ARRAY(&v->arena, MlirValue, count * PRODUCT_PARTS);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue rest = weights[i];
    for (intptr_t part = PRODUCT_PARTS; part-- > 0;)
      parts[part * count + i] = takePart(v, &rest);
  }
  bool areWarpgroups = a->plan.product == STITCH_PRODUCT_WGMMA;
  (areWarpgroups ? multiplyPartsTogether : multiplyPartsByFeatures)(a, parts, result);
}

void attentionMmaValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result) {
  (productHasParts(a->sizes.second) ? multiplyParts : multiplyValues)(a, weights, result);
}

static bool hasWords(const AttentionEmitter *a) { return a->plan.product != STITCH_PRODUCT_FMA; }

intptr_t attentionNumWords(const AttentionEmitter *a, intptr_t count, MlirType element, MlirType *word) {
  *word = hasWords(a) ? fragmentVector(element, LANE_COLUMNS) : element;
  return hasWords(a) ? count / LANE_COLUMNS : count;
}

void attentionPack(AttentionEmitter *a, intptr_t count, const MlirValue *weights, MlirValue *words) {
  for (intptr_t i = 0; i < count; i += hasWords(a) ? LANE_COLUMNS : 1)
    *words++ =
        hasWords(a) ? fragmentWord(a->e->values, mlirValueGetType(weights[i]), LANE_COLUMNS, weights + i) : weights[i];
}

void attentionUnpack(AttentionEmitter *a, intptr_t count, const MlirValue *words, MlirType element,
                     MlirValue *weights) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t column = i % LANE_COLUMNS;
    weights[i] = hasWords(a) ? irValueOf(&a->e->values->b, "vector.extract", IR_VALUES(words[i / LANE_COLUMNS]),
                                         element, IR_ATTRS(irDims(&a->e->values->b, "static_position", 1, &column)))
                             : words[i];
  }
}
