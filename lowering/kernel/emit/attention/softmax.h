//===- softmax.h - the exponentials of a running softmax -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_EMIT_ATTENTION_SOFTMAX_H
#define STITCH_LOWERING_KERNEL_EMIT_ATTENTION_SOFTMAX_H

#include "lowering/kernel/emit/attention/attention.h"

/// An element of the tile's scores.
typedef struct {
  Attention at;
  MlirValue valid; ///< whether its key exists; null: always
} AttentionElement;

/// The subtrahends of the exponentials of a row in a tile and in the one before, and the maximum before. Of folded ones
/// (exponentials.c) the operands of one multiply-add: `x`, the rounded `exponent`, and the `distance` from the one
/// before.
typedef struct {
  MlirValue maximum, before, now; ///< null: nothing is subtracted
  MlirValue *x, exponent, distance;
} AttentionShift;

/// A row of a tile: its elements are at their places among those of all rows.
typedef struct {
  AttentionElement *elements;
  MlirValue *masked; ///< of a mask that shows whole tiles: its elements; else null
  AttentionShift shifts[ATTENTION_MAX_EXPONENTIALS];
} AttentionRowOfTile;

static inline const AttentionElement *attentionElementOf(const AttentionElement *elements, intptr_t fragment,
                                                         intptr_t row, intptr_t column) {
  return &elements[fragment * LANE_ELEMENTS + row * LANE_COLUMNS + column];
}

// evaluate.c
/// Whether a number is minus infinity.
MlirValue attentionIsLowest(Values *v, MlirValue number);
/// The scores of a row are known from here on.
void attentionKnowScores(AttentionEmitter *a, const AttentionElement *elements, intptr_t row, const MlirValue *scores);

// mask.c
/// Finds the elements of a mask's select, of all rows of the tile whose first key is `first`: without it where the tile
/// is shown. They are known from attentionKnowMasked on.
void attentionFindMasked(AttentionEmitter *a, const IndexExpr *first, const Position *keys, const MlirValue *scores,
                         AttentionRowOfTile *rows);
void attentionKnowMasked(AttentionEmitter *a, const Position *keys, const AttentionRowOfTile *rows, intptr_t row);

// exponentials.c
/// Whether an exponential, which may be approximated, takes one multiply-add and one instruction for each element.
bool attentionIsFolded(const AttentionEmitter *a, intptr_t exponential);
/// Takes the arguments of the exponentials of a row.
void attentionFoldRow(AttentionEmitter *a, const AttentionElement *elements, intptr_t exponential, intptr_t row,
                      AttentionShift *shift);
/// Makes them such that one multiply-add is enough, of all rows.
void attentionBranchFolded(AttentionEmitter *a, AttentionRowOfTile *rows);
/// Makes the exponentials of a row known. Returns the correction factor of sums and products so far.
MlirValue attentionKnowFolded(AttentionEmitter *a, const AttentionElement *elements, intptr_t exponential, intptr_t row,
                              const AttentionShift *shift);
/// Behind the last tile: the factor that makes sums and products of such exponentials equal to the graph's.
MlirValue attentionUnfold(AttentionEmitter *a, MlirValue subtrahend);

#endif // STITCH_LOWERING_KERNEL_EMIT_ATTENTION_SOFTMAX_H
