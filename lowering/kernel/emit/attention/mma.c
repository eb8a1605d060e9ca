//===- mma.c - products of tiles, by tensor cores ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.m16n8k16: what a lane has of A, B and C is in the PTX ISA, "Matrix Fragments", and in lowering/llvm/expand_mma.c.
// A word of A or B is two elements that are neighbours along what is contracted. A warp loads the words of four
// matrices of 8 x 8 elements at once (ldmatrix: lowering/llvm/expand_ldmatrix.c). Rows of queries and keys have the
// neighbours side by side; values, of which keys are contracted, are loaded transposed. Rows begin 16 bytes behind a
// multiple of 32: the eight rows of a matrix are in different banks. Of the weights each lane has the words itself: its
// elements of two neighbouring fragments of scores are those of A.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/attention.h"

#include "lowering/kernel/gpu/elements.h"

/// AT_ONCE: fragments of B that are loaded together.
enum { STEP = 16, HALF_STEP = 8, WORDS_OF_A = 4, WORDS_OF_B = 2, AT_ONCE = 2 };

static MlirType vectorOf(MlirType element, int64_t count) { return mlirVectorTypeGet(1, &count, element); }

static MlirType fragmentOf(MlirType element, int64_t words) {
  return mlirVectorTypeGet(2, (const int64_t[]){words, 2}, element);
}

static MlirValue zeroFragment(Values *v, MlirType type) {
  MlirType element = irElementType(type);
  MlirAttribute zero = mlirFloatAttrDoubleGet(v->b.context, element, 0);
  return irValueOf(&v->b, "arith.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(&v->b, "value", mlirDenseElementsAttrSplatGet(type, zero))));
}

static MlirValue wordOf(Values *v, MlirType element, const MlirValue *elements) {
  return irValueOf(&v->b, "vector.from_elements", (IrValues){2, elements}, vectorOf(element, 2), IR_NO_ATTRS);
}

static MlirValue insertWord(Values *v, MlirValue fragment, int64_t number, const MlirValue *elements) {
  MlirType type = mlirValueGetType(fragment);
  MlirValue word = wordOf(v, irElementType(type), elements);
  return irValueOf(&v->b, "vector.insert", IR_VALUES(word, fragment), type,
                   IR_ATTRS(irDims(&v->b, "static_position", 1, &number)));
}

/// The lane's words of so many matrices in shared memory. Lane 8 i + r says where row r of matrix i begins.
static MlirValue loadMatrices(AttentionEmitter *a, MlirValue memory, MlirType element, int64_t count,
                              const IndexExpr *place, bool transpose) {
  Values *v = a->e->values;
  MlirContext context = v->b.context;
  return irValueOf(&v->b, "nvgpu.ldmatrix", IR_VALUES(memory, emitIndex(v, place)), fragmentOf(element, count),
                   IR_ATTRS(irAttr(&v->b, "transpose", mlirBoolAttrGet(context, transpose)),
                            irAttr(&v->b, "numTiles", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), count))));
}

/// The place of the lane's row of four matrices that are two by two: first those below each other, whose rows begin
/// with `row`.
static const IndexExpr *placeBelow(AttentionEmitter *a, const IndexExpr *row, int64_t column, int64_t pitch) {
  IndexContext *index = a->e->values->index;
  const IndexExpr *right = indexScale(index, indexDiv(index, a->lane, STEP), HALF_STEP);
  const IndexExpr *rows = indexAdd(index, row, indexMod(index, a->lane, STEP));
  return indexAddConstant(index, indexAdd(index, indexScale(index, rows, pitch), right), column);
}

/// The same: first those beside each other.
static const IndexExpr *placeBeside(AttentionEmitter *a, int64_t row, int64_t column, int64_t pitch) {
  IndexContext *index = a->e->values->index;
  const IndexExpr *matrix = indexDiv(index, a->lane, HALF_STEP);
  const IndexExpr *right = indexScale(index, indexMod(index, matrix, 2), HALF_STEP);
  const IndexExpr *below = indexScale(index, indexDiv(index, a->lane, STEP), HALF_STEP);
  const IndexExpr *rows = indexAddConstant(index, indexAdd(index, below, indexMod(index, a->lane, HALF_STEP)), row);
  return indexAddConstant(index, indexAdd(index, indexScale(index, rows, pitch), right), column);
}

/// The words of one B of those of several.
static MlirValue columnsOf(Values *v, MlirValue words, int64_t number) {
  MlirType element = irElementType(mlirValueGetType(words));
  MlirValue fragment = zeroFragment(v, fragmentOf(element, WORDS_OF_B));
  for (int64_t i = 0; i < WORDS_OF_B; ++i) {
    int64_t from = number * WORDS_OF_B + i;
    MlirValue word = irValueOf(&v->b, "vector.extract", IR_VALUES(words), vectorOf(element, 2),
                               IR_ATTRS(irDims(&v->b, "static_position", 1, &from)));
    fragment = irValueOf(&v->b, "vector.insert", IR_VALUES(word, fragment), mlirValueGetType(fragment),
                         IR_ATTRS(irDims(&v->b, "static_position", 1, &i)));
  }
  return fragment;
}

static MlirValue multiply(Values *v, MlirValue lhs, MlirValue rhs, MlirValue sum) {
  MlirAttribute shape = irParseAttr(v->b.context, "[16, 8, 16]");
  return irValueOf(&v->b, "nvgpu.mma.sync", IR_VALUES(lhs, rhs, sum), mlirValueGetType(sum),
                   IR_ATTRS(irAttr(&v->b, "mmaShape", shape)));
}

static MlirValue elementAt(Values *v, MlirValue fragment, int64_t row, int64_t column) {
  return irValueOf(&v->b, "vector.extract", IR_VALUES(fragment), irElementType(mlirValueGetType(fragment)),
                   IR_ATTRS(irDims(&v->b, "static_position", 2, (const int64_t[]){row, column})));
}

static void takeElements(Values *v, MlirValue fragment, MlirValue *elements) {
  for (int64_t i = 0; i < LANE_ELEMENTS; ++i)
    elements[i] = elementAt(v, fragment, i / LANE_COLUMNS, i % LANE_COLUMNS);
}

void attentionMmaScores(AttentionEmitter *a, MlirValue *scores) {
  Values *v = a->e->values;
  const IndexExpr *row = indexScale(v->index, a->warp, ATTENTION_WARP_ROWS);
  int64_t pitch = a->memory.depthPitch;
  MlirValue *sums = IR_NEW_ARRAY(&v->arena, MlirValue, a->keyFragments);
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    sums[n] = zeroFragment(v, fragmentOf(a->accumulator, LANE_ROWS));
  for (int64_t depth = 0; depth < a->memory.depth; depth += STEP) {
    MlirValue queries =
        loadMatrices(a, a->queries, a->tileType, WORDS_OF_A, placeBelow(a, row, depth, pitch), /*transpose=*/false);
    MlirValue keys = {NULL};
    for (intptr_t n = 0; n < a->keyFragments; ++n) { // an even number
      if (n % AT_ONCE == 0)
        keys = loadMatrices(a, a->keys, a->tileType, AT_ONCE * WORDS_OF_B,
                            placeBeside(a, n * ATTENTION_FRAGMENT, depth, pitch), /*transpose=*/false);
      sums[n] = multiply(v, queries, columnsOf(v, keys, n % AT_ONCE), sums[n]);
    }
  }
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    takeElements(v, sums[n], scores + n * LANE_ELEMENTS);
}

/// The lane's weights of STEP keys, two fragments, as A.
static MlirValue weightsAsRows(AttentionEmitter *a, const MlirValue *weights) {
  Values *v = a->e->values;
  MlirValue fragment = zeroFragment(v, fragmentOf(a->valueType, WORDS_OF_A));
  for (int64_t word = 0; word < WORDS_OF_A; ++word)
    fragment = insertWord(v, fragment, word, weights + word * LANE_COLUMNS);
  return fragment;
}

void attentionMmaValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result) {
  Values *v = a->e->values;
  MlirValue *sums = IR_NEW_ARRAY(&v->arena, MlirValue, a->featureFragments);
  for (intptr_t n = 0; n < a->featureFragments; ++n) {
    sums[n] = zeroFragment(v, fragmentOf(a->accumulator, LANE_ROWS));
    for (int64_t r = 0; r < LANE_ROWS; ++r)
      sums[n] = insertWord(v, sums[n], r, result + n * LANE_ELEMENTS + r * LANE_COLUMNS);
  }
  for (int64_t key = 0; key < a->plan.keys; key += STEP) {
    MlirValue rows = weightsAsRows(a, weights + key / ATTENTION_FRAGMENT * LANE_ELEMENTS), values = {NULL};
    for (intptr_t n = 0; n < a->featureFragments; ++n) {
      int64_t count = n + 1 < a->featureFragments ? AT_ONCE : 1;
      const IndexExpr *place =
          placeBelow(a, indexConstant(v->index, key), n * ATTENTION_FRAGMENT, a->memory.valuePitch);
      if (n % AT_ONCE == 0)
        values = loadMatrices(a, a->values, a->valueType, count * WORDS_OF_B, place, /*transpose=*/true);
      sums[n] = multiply(v, rows, columnsOf(v, values, n % AT_ONCE), sums[n]);
    }
  }
  for (intptr_t n = 0; n < a->featureFragments; ++n)
    takeElements(v, sums[n], result + n * LANE_ELEMENTS);
}

static bool hasWords(const AttentionEmitter *a) { return a->plan.product == STITCH_PRODUCT_MMA; }

intptr_t attentionNumWords(const AttentionEmitter *a, intptr_t count, MlirType element, MlirType *word) {
  *word = hasWords(a) ? vectorOf(element, LANE_COLUMNS) : element;
  return hasWords(a) ? count / LANE_COLUMNS : count;
}

void attentionPack(AttentionEmitter *a, intptr_t count, const MlirValue *weights, MlirValue *words) {
  for (intptr_t i = 0; i < count; i += hasWords(a) ? LANE_COLUMNS : 1)
    *words++ = hasWords(a) ? wordOf(a->e->values, mlirValueGetType(weights[i]), weights + i) : weights[i];
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
