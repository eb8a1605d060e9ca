//===- tf32.c - products of f32 by tensor cores -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.m16n8k8, and m16n8k4 where four elements are left, of f32 that is rounded to TF32. Rows of queries and keys are
// loaded as those of 16 bits are (mma.c). Of f32 a matrix has 4 columns, and a lane gets column t, as an mma has it.
// Values would have to be transposed, which is not for words of 32 bits: a lane loads its words one by one.
//
// The lane's weights have columns 2t and 2t + 1 of a fragment, where A has t and t + 4. The contracted dimension may be
// in any order, if A and B have the same. Column t of A is key 2t here, t + 4 is 2t + 1, and so are the rows of B. Rows
// of values begin 4 words behind a multiple of 8: the words that the lanes of a warp load, of keys 2t, are in different
// banks.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/fragments.h"

enum { STEP = 8 };

MlirValue attentionRoundToTf32(Values *v, MlirValue value) {
  IrBuilder *b = &v->b;
  MlirAttribute nearest = irParseAttr(b->context, "#nvvm.fp_rnd_mode<rna>");
  MlirValue bits = irValueOf(b, "nvvm.convert.float.to.tf32", IR_VALUES(value), mlirIntegerTypeGet(b->context, 32),
                             IR_ATTRS(irAttr(b, "rnd", nearest)));
  return irUnary(b, "arith.bitcast", bits, mlirF32TypeGet(b->context));
}

/// A fragment that may still have to be rounded.
static MlirValue rounded(Values *v, MlirValue fragment, bool isRounded) {
  IrShape shape = irShapeOf(fragment);
  for (int64_t i = 0; i < shape.dims[0] && !isRounded; ++i) {
    MlirValue element = irValueOf(&v->b, "vector.extract", IR_VALUES(fragment), mlirF32TypeGet(v->b.context),
                                  IR_ATTRS(irDims(&v->b, "static_position", 2, (const int64_t[]){i, 0})));
    element = attentionRoundToTf32(v, element);
    fragment = fragmentInsert(v, fragment, i, &element);
  }
  return fragment;
}

/// The words of FRAGMENTS_AT_ONCE fragments of keys from number `n` on, of `words` each.
static MlirValue loadKeys(AttentionEmitter *a, intptr_t n, int64_t depth, int64_t words) {
  Values *v = a->e->values;
  int64_t row = n * ATTENTION_FRAGMENT, pitch = a->memory.depthPitch, beside = fragmentRow(a->tileType);
  const IndexExpr *place = words == FRAGMENT_WORDS_OF_B
                               ? fragmentPlaceBeside(a, row, depth, pitch, beside)
                               : fragmentPlaceBelow(a, indexConstant(v->index, row), depth, pitch, beside);
  MlirValue keys = fragmentLoad(a, a->keys, a->tileType, FRAGMENTS_AT_ONCE * words, place, /*transpose=*/false);
  return rounded(v, keys, a->areKeysRounded);
}

void attentionTf32Scores(AttentionEmitter *a, MlirValue *scores) {
  Values *v = a->e->values;
  const IndexExpr *row = indexScale(v->index, a->warp, ATTENTION_WARP_ROWS);
  MlirValue *sums = fragmentSums(a, a->keyFragments, NULL);
  for (int64_t depth = 0; depth < a->memory.depth; depth += STEP) {
    bool isWhole = a->memory.depth - depth >= STEP;
    int64_t ofA = FRAGMENT_WORDS_OF_A / (isWhole ? 1 : 2), ofB = FRAGMENT_WORDS_OF_B / (isWhole ? 1 : 2);
    const IndexExpr *place = fragmentPlaceBelow(a, row, depth, a->memory.depthPitch, fragmentRow(a->tileType));
    MlirValue queries = fragmentLoad(a, a->queries, a->tileType, ofA, place, /*transpose=*/false), keys = {NULL};
    queries = rounded(v, queries, a->areQueriesRounded);
    for (intptr_t n = 0; n < a->keyFragments; ++n) { // an even number
      if (n % FRAGMENTS_AT_ONCE == 0)
        keys = loadKeys(a, n, depth, ofB);
      sums[n] = fragmentMultiply(v, queries, fragmentPart(v, keys, n % FRAGMENTS_AT_ONCE, ofB), sums[n]);
    }
  }
  fragmentElements(v, a->keyFragments, sums, scores);
}

/// The lane's weights of STEP keys, a fragment, as A.
static MlirValue weightsAsRows(AttentionEmitter *a, const MlirValue *weights) {
  Values *v = a->e->values;
  MlirValue fragment = fragmentZero(v, fragmentType(a->valueType, FRAGMENT_WORDS_OF_A));
  for (int64_t word = 0; word < FRAGMENT_WORDS_OF_A; ++word) {
    MlirValue element = attentionRoundToTf32(v, weights[word % LANE_ROWS * LANE_COLUMNS + word / LANE_ROWS]);
    fragment = fragmentInsert(v, fragment, word, &element);
  }
  return fragment;
}

/// The lane's words of STEP keys and of a fragment of features, as B.
static MlirValue valuesAsColumns(AttentionEmitter *a, int64_t key, intptr_t n) {
  Values *v = a->e->values;
  MlirValue fragment = fragmentZero(v, fragmentType(a->valueType, FRAGMENT_WORDS_OF_B));
  for (int64_t word = 0; word < FRAGMENT_WORDS_OF_B; ++word) {
    const IndexExpr *row = indexAddConstant(v->index, indexScale(v->index, a->pair, LANE_COLUMNS), key + word);
    const IndexExpr *place = indexAdd(v->index, indexScale(v->index, row, a->memory.valuePitch), a->row);
    place = indexAddConstant(v->index, place, n * ATTENTION_FRAGMENT);
    Bundle loaded = loadLanes(a->e->memory, a->values, a->valueType, place, (Lanes){1, NULL});
    fragment = fragmentInsert(v, fragment, word, &loaded.values[0]);
  }
  return rounded(v, fragment, a->areValuesRounded);
}

void attentionTf32Values(AttentionEmitter *a, const MlirValue *weights, MlirValue *result) {
  Values *v = a->e->values;
  MlirValue *sums = fragmentSums(a, a->featureFragments, result);
  for (int64_t key = 0; key < a->plan.keys; key += STEP) {
    MlirValue rows = weightsAsRows(a, weights + key / ATTENTION_FRAGMENT * LANE_ELEMENTS);
    for (intptr_t n = 0; n < a->featureFragments; ++n)
      sums[n] = fragmentMultiply(v, rows, valuesAsColumns(a, key, n), sums[n]);
  }
  fragmentElements(v, a->featureFragments, sums, result);
}
