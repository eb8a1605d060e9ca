//===- fragments.c - a lane's elements of matrices ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes addresses in shared memory, or values in registers. Leaves a lane's fragments of matrices (PTX ISA, "Matrix
// Fragments"), and the products of fragments by nvgpu.mma.sync.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/fragments.h"

#include "lowering/kernel/gpu/elements.h"

/// MATRIX: rows of a matrix that is loaded, which all lanes of a PAIR and their neighbours say where they begin.
enum { MATRIX = 8, PAIR = 16, WORD_BYTES = 4, QUAD = 4 };

MlirType fragmentVector(MlirType element, int64_t count) { return mlirVectorTypeGet(1, &count, element); }

MlirType fragmentType(MlirType element, int64_t words) {
  return mlirVectorTypeGet(2, (const int64_t[]){words, WORD_BYTES / irElementBytes(element)}, element);
}

MlirValue fragmentZero(Values *v, MlirType type) {
  MlirAttribute zero = mlirFloatAttrDoubleGet(v->b.context, irElementType(type), 0);
  return irValueOf(&v->b, "arith.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(&v->b, "value", mlirDenseElementsAttrSplatGet(type, zero))));
}

MlirValue fragmentWord(Values *v, MlirType element, int64_t count, const MlirValue *elements) {
  return irValueOf(&v->b, "vector.from_elements", (IrValues){count, elements}, fragmentVector(element, count),
                   IR_NO_ATTRS);
}

static MlirValue insert(Values *v, MlirValue fragment, int64_t number, MlirValue word) {
  return irValueOf(&v->b, "vector.insert", IR_VALUES(word, fragment), mlirValueGetType(fragment),
                   IR_ATTRS(irDims(&v->b, "static_position", 1, &number)));
}

MlirValue fragmentInsert(Values *v, MlirValue fragment, int64_t number, const MlirValue *elements) {
  MlirType type = mlirValueGetType(fragment);
  return insert(v, fragment, number, fragmentWord(v, irElementType(type), irTypeShape(type).dims[1], elements));
}

MlirValue fragmentOfWeights(AttentionEmitter *a, const MlirValue *weights) {
  Values *v = a->e->values;
  MlirValue fragment = fragmentZero(v, fragmentType(a->valueType, FRAGMENT_WORDS_OF_A));
  for (int64_t word = 0; word < FRAGMENT_WORDS_OF_A; ++word)
    fragment = fragmentInsert(v, fragment, word, weights + word * LANE_COLUMNS);
  return fragment;
}

MlirValue fragmentLoad(AttentionEmitter *a, MlirValue memory, MlirType element, int64_t count, const IndexExpr *place,
                       bool transpose) {
  Values *v = a->e->values;
  MlirContext context = v->b.context;
  return irValueOf(&v->b, "nvgpu.ldmatrix", IR_VALUES(memory, emitIndex(v, place)), fragmentType(element, count),
                   IR_ATTRS(irAttr(&v->b, "transpose", mlirBoolAttrGet(context, transpose)),
                            irAttr(&v->b, "numTiles", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), count))));
}

const IndexExpr *fragmentPlaceBelow(AttentionEmitter *a, const IndexExpr *row, int64_t column, int64_t pitch,
                                    int64_t beside) {
  IndexContext *index = a->e->values->index;
  const IndexExpr *right = indexScale(index, indexDiv(index, a->lane, PAIR), beside);
  const IndexExpr *rows = indexAdd(index, row, indexMod(index, a->lane, PAIR));
  return indexAddConstant(index, indexAdd(index, indexScale(index, rows, pitch), right), column);
}

const IndexExpr *fragmentPlaceBeside(AttentionEmitter *a, int64_t row, int64_t column, int64_t pitch, int64_t beside) {
  IndexContext *index = a->e->values->index;
  const IndexExpr *matrix = indexDiv(index, a->lane, MATRIX);
  const IndexExpr *right = indexScale(index, indexMod(index, matrix, 2), beside);
  const IndexExpr *below = indexScale(index, indexDiv(index, a->lane, PAIR), MATRIX);
  const IndexExpr *rows = indexAddConstant(index, indexAdd(index, below, indexMod(index, a->lane, MATRIX)), row);
  return indexAddConstant(index, indexAdd(index, indexScale(index, rows, pitch), right), column);
}

MlirValue fragmentPart(Values *v, MlirValue words, int64_t number, int64_t count) {
  MlirType element = irElementType(mlirValueGetType(words)), type = fragmentType(element, count);
  MlirValue fragment = fragmentZero(v, type);
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = number * count + i;
    MlirValue word =
        irValueOf(&v->b, "vector.extract", IR_VALUES(words), fragmentVector(element, irTypeShape(type).dims[1]),
                  IR_ATTRS(irDims(&v->b, "static_position", 1, &from)));
    fragment = insert(v, fragment, i, word);
  }
  return fragment;
}

MlirValue fragmentMultiply(Values *v, MlirValue lhs, MlirValue rhs, MlirValue sum) {
  IrShape words = irShapeOf(rhs);
  MlirContext context = v->b.context;
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  int64_t sizes[] = {ATTENTION_WARP_ROWS, ATTENTION_FRAGMENT, QUAD * words.dims[0] * words.dims[1]};
  MlirAttribute shape[3];
  for (int i = 0; i < 3; ++i)
    shape[i] = mlirIntegerAttrGet(i64, sizes[i]);
  MlirNamedAttribute attributes[] = {irAttr(&v->b, "mmaShape", mlirArrayAttrGet(context, 3, shape)),
                                     irAttr(&v->b, "tf32Enabled", mlirUnitAttrGet(context))};
  bool isTf32 = mlirTypeIsAF32(irElementTypeOf(rhs));
  return irValueOf(&v->b, "nvgpu.mma.sync", IR_VALUES(lhs, rhs, sum), mlirValueGetType(sum),
                   (IrAttrs){isTf32 ? 2 : 1, attributes});
}

MlirValue *fragmentSums(AttentionEmitter *a, intptr_t count, const MlirValue *elements) {
  Values *v = a->e->values;
  MlirValue *sums = IR_NEW_ARRAY(&v->arena, MlirValue, count);
  MlirType type = mlirVectorTypeGet(2, (const int64_t[]){LANE_ROWS, LANE_COLUMNS}, a->accumulator);
  for (intptr_t n = 0; n < count; ++n) {
    sums[n] = fragmentZero(v, type);
    for (int64_t r = 0; elements && r < LANE_ROWS; ++r)
      sums[n] = fragmentInsert(v, sums[n], r, elements + n * LANE_ELEMENTS + r * LANE_COLUMNS);
  }
  return sums;
}

void fragmentElements(Values *v, intptr_t count, const MlirValue *fragments, MlirValue *elements) {
  for (intptr_t i = 0; i < count * LANE_ELEMENTS; ++i) {
    MlirValue fragment = fragments[i / LANE_ELEMENTS];
    int64_t place[] = {i % LANE_ELEMENTS / LANE_COLUMNS, i % LANE_COLUMNS};
    elements[i] = irValueOf(&v->b, "vector.extract", IR_VALUES(fragment), irElementType(mlirValueGetType(fragment)),
                            IR_ATTRS(irDims(&v->b, "static_position", 2, place)));
  }
}
