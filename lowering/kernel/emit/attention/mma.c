//===- mma.c - products of tiles, by tensor cores ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.m16n8k16: what a lane has of A, B and C is in the PTX ISA, "Matrix Fragments", and in lowering/llvm/expand_mma.c.
// A word of A or B is two elements that are neighbours along what is contracted. Queries and keys have them side by
// side in shared memory, as they are stored row by row; values do, as they are stored feature by feature; and of the
// weights each lane has the words itself: its elements of two neighbouring fragments of scores are those of A.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/attention.h"

#include "lowering/kernel/gpu/elements.h"

enum { STEP = 16, HALF_STEP = 8, WORDS_OF_A = 4, WORDS_OF_B = 2 };

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

static MlirValue insertWord(Values *v, MlirValue fragment, int64_t number, const MlirValue *elements) {
  MlirType type = mlirValueGetType(fragment);
  MlirValue word =
      irValueOf(&v->b, "vector.from_elements", (IrValues){2, elements}, vectorOf(irElementType(type), 2), IR_NO_ATTRS);
  return irValueOf(&v->b, "vector.insert", IR_VALUES(word, fragment), type,
                   IR_ATTRS(irDims(&v->b, "static_position", 1, &number)));
}

/// The word of a row in shared memory that begins at column `first` + twice the lane's number in its row.
static MlirValue loadWord(AttentionEmitter *a, MlirValue fragment, int64_t number, MlirValue memory, int64_t pitch,
                          const IndexExpr *row, int64_t first) {
  Values *v = a->e->values;
  const IndexExpr *column = indexAddConstant(v->index, indexScale(v->index, a->pair, 2), first);
  const IndexExpr *place = indexAdd(v->index, indexScale(v->index, row, pitch), column);
  Lanes lanes = lanesOf(v, 2);
  Bundle word = loadLanes(a->e->memory, memory, irElementType(mlirValueGetType(fragment)),
                          indexAdd(v->index, place, lanes.variable), lanes);
  return insertWord(v, fragment, number, word.values);
}

/// Eight rows in shared memory from `first` on, as B.
static MlirValue loadColumns(AttentionEmitter *a, MlirValue memory, MlirType type, int64_t pitch, int64_t first,
                             int64_t contracted) {
  Values *v = a->e->values;
  const IndexExpr *row = indexAddConstant(v->index, a->row, first);
  MlirValue fragment = zeroFragment(v, fragmentOf(type, WORDS_OF_B));
  fragment = loadWord(a, fragment, 0, memory, pitch, row, contracted);
  return loadWord(a, fragment, 1, memory, pitch, row, contracted + HALF_STEP);
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

static MlirValue loadQueries(AttentionEmitter *a, int64_t depth) {
  Values *v = a->e->values;
  MlirValue fragment = zeroFragment(v, fragmentOf(a->tileType, WORDS_OF_A));
  for (int64_t word = 0; word < WORDS_OF_A; ++word)
    fragment = loadWord(a, fragment, word, a->queries, a->memory.depthPitch, a->rows[word % LANE_ROWS].local,
                        depth + word / LANE_ROWS * HALF_STEP);
  return fragment;
}

void attentionMmaScores(AttentionEmitter *a, MlirValue *scores) {
  Values *v = a->e->values;
  MlirValue *sums = IR_NEW_ARRAY(&v->arena, MlirValue, a->keyFragments);
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    sums[n] = zeroFragment(v, fragmentOf(a->accumulator, LANE_ROWS));
  for (int64_t depth = 0; depth < a->memory.depth; depth += STEP) {
    MlirValue queries = loadQueries(a, depth);
    for (intptr_t n = 0; n < a->keyFragments; ++n)
      sums[n] =
          multiply(v, queries,
                   loadColumns(a, a->keys, a->tileType, a->memory.depthPitch, n * ATTENTION_FRAGMENT, depth), sums[n]);
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
    MlirValue rows = weightsAsRows(a, weights + key / ATTENTION_FRAGMENT * LANE_ELEMENTS);
    for (intptr_t n = 0; n < a->featureFragments; ++n)
      sums[n] = multiply(
          v, rows, loadColumns(a, a->values, a->valueType, a->memory.valuePitch, n * ATTENTION_FRAGMENT, key), sums[n]);
  }
  for (intptr_t n = 0; n < a->featureFragments; ++n)
    takeElements(v, sums[n], result + n * LANE_ELEMENTS);
}
