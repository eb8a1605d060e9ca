//===- fragments.h - a lane's elements of matrices ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of A, B and C that a lane has of an mma are in the PTX ISA, "Matrix Fragments", and in
// lowering/llvm/expand_mma.c. A word of A or B is two elements of 16 bits that are neighbours along the contracted
// dimension, or one of f32.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_EMIT_ATTENTION_FRAGMENTS_H
#define STITCH_LOWERING_KERNEL_EMIT_ATTENTION_FRAGMENTS_H

#include "lowering/kernel/emit/attention/attention.h"

/// Words of A and B, of which mma.m16n8k4 has half; fragments of B that are loaded together.
enum { FRAGMENT_WORDS_OF_A = 4, FRAGMENT_WORDS_OF_B = 2, FRAGMENTS_AT_ONCE = 2 };

/// Elements of the 16 bytes that are a row of a matrix which is loaded.
static inline int64_t fragmentRow(MlirType element) { return 16 / irElementBytes(element); }

MlirType fragmentVector(MlirType element, int64_t count);
/// So many words of A or B; C has LANE_ROWS words of two elements whatever its type is.
MlirType fragmentType(MlirType element, int64_t words);
MlirValue fragmentZero(Values *v, MlirType type);
MlirValue fragmentWord(Values *v, MlirType element, int64_t count, const MlirValue *elements);
/// The fragment with the elements of a word.
MlirValue fragmentInsert(Values *v, MlirValue fragment, int64_t number, const MlirValue *elements);

/// The lane's weights of 16 keys, two fragments, as A.
MlirValue fragmentOfWeights(AttentionEmitter *a, const MlirValue *weights);

/// The lane's words of so many matrices in shared memory. Lane 8 i + r says where row r of matrix i begins.
MlirValue fragmentLoad(AttentionEmitter *a, MlirValue memory, MlirType element, int64_t count, const IndexExpr *place,
                       bool transpose);
/// The address of the lane's row of four matrices that are two by two. First come those below each other, whose rows
/// begin with `row`, and of which `beside` elements are a row.
const IndexExpr *fragmentPlaceBelow(AttentionEmitter *a, const IndexExpr *row, int64_t column, int64_t pitch,
                                    int64_t beside);
/// The same: first those side by side.
const IndexExpr *fragmentPlaceBeside(AttentionEmitter *a, int64_t row, int64_t column, int64_t pitch, int64_t beside);
/// Number `number` of several fragments of `count` words each.
MlirValue fragmentPart(Values *v, MlirValue words, int64_t number, int64_t count);

/// The sums of a lane with the products of A and B.
MlirValue fragmentMultiply(Values *v, MlirValue lhs, MlirValue rhs, MlirValue sum);
/// So many fragments of C from their elements, or zeros if there are none; and back.
MlirValue *fragmentSums(AttentionEmitter *a, intptr_t count, const MlirValue *elements);
void fragmentElements(Values *v, intptr_t count, const MlirValue *fragments, MlirValue *elements);

#endif // STITCH_LOWERING_KERNEL_EMIT_ATTENTION_FRAGMENTS_H
