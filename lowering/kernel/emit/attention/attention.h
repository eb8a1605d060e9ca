//===- attention.h - the code of a kernel of attention -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// places.c     coordinates of a lane
// tiles.c      tiles of queries, keys and values go to shared memory: staging.h
// buffers.c    their buffers there, and the copies ahead
// multiply.c   the products of tiles, by multiply-adds
// mma.c        the same, by tensor cores; tf32.c: of f32 that is rounded to TF32; warpgroup.c: by warpgroups
// fragments.h  fragments of matrices, which these share
// evaluate.c   elements of values, and those that are known
// softmax.c    from the scores of a tile to its weights; maxima and sums so far
// exponentials.c  exponentials that may be approximated: softmax.h
// mask.c       tiles that a mask hides, and those that it shows
// results.c    results of a block, behind the last key
// block.c      the loop of a block
//
// and, of a gradient's products (ir/plan/attention_gradient.h), by the same means:
//
// gradient.c         the loop of a block
// gradient_tiles.c   tiles, and the products of scores
// gradient_rows.c    values of a row that all of its keys share
// gradient_mask.c    tiles that a mask hides
// gradient_results.c results of a block
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_EMIT_ATTENTION_ATTENTION_H
#define STITCH_LOWERING_KERNEL_EMIT_ATTENTION_ATTENTION_H

#include "ir/plan/attention_gradient.h"
#include "ir/plan/attention_plan.h"
#include "lowering/kernel/values/emitter.h"

/// Of each fragment of 16 rows and 8 columns a lane has two rows, and in each of these two columns: its elements number
/// 4 * fragment + 2 * row + column.
enum { LANE_ROWS = 2, LANE_COLUMNS = 2, LANE_ELEMENTS = LANE_ROWS * LANE_COLUMNS };

/// A row of a lane.
typedef struct {
  const IndexExpr *local; ///< in the block's tile
  const IndexExpr *dims[IR_MAX_RANK];
  MlirValue valid; ///< null: always
} AttentionRow;

typedef struct AttentionEmitter {
  Emitter *e;
  AttentionSizes sizes;
  StitchAttention plan;
  AttentionMemory memory;
  Attention any;                             ///< at any place: its reduces and exponentials
  MlirType accumulator, tileType, valueType; ///< of sums; in shared memory of queries and keys; of values and weights
  MlirValue queries, keys, values, weights;  ///< shared memory
  const IndexExpr *batch[IR_MAX_RANK];
  const IndexExpr *tile;                              ///< the number of the block's tile of rows
  const IndexExpr *thread, *warp, *lane, *row, *pair; ///< row of a fragment and pair of columns that are the lane's
  AttentionRow rows[LANE_ROWS];
  const IndexExpr *noKey; ///< a variable that is 0
  MlirValue lastKey;      ///< the last one, as i32, that a mask leaves any row of the warp; null: there is no such mask
  MlirValue firstKey;     ///< the first one; null: all before the last one
  MlirValue lastOfAll;    ///< the last one that it leaves all of them, with those before; null: it is not known
  double masked;          ///< the replacement of scores
  intptr_t keyFragments, featureFragments;
  bool hasCopies, isUncommitted; ///< asynchronous ones have been emitted; since the last group
  bool roundsTiles;              ///< of keys and values, some
  bool areQueriesRounded, areKeysRounded, areValuesRounded; ///< to TF32, in shared memory
  bool isCopied[GRADIENT_MAX_TILES];                        ///< by tile: asynchronously
  MlirValue isOdd;   ///< in a loop over two buffers: the parity of the current one; null elsewhere
  bool isOther;      ///< views are of the other one
  bool hasLooped;    ///< there has been a loop over tiles
  MlirValue scanned; ///< attentionScanRows
} AttentionEmitter;

/// The loop-carried state of a lane. For each reduce and each of its rows it is the maximum, in the type in which its
/// elements are computed, or the lane's part of the sum. Then come whether it has seen any key of selections, and its
/// elements of the result.
static inline intptr_t attentionAnyState(const AttentionEmitter *a) { return a->any.numReduces * LANE_ROWS; }
static inline intptr_t attentionResultState(const AttentionEmitter *a) {
  return attentionAnyState(a) + a->any.numAny * LANE_ROWS;
}
static inline intptr_t attentionNumState(const AttentionEmitter *a) {
  return attentionResultState(a) + a->featureFragments * LANE_ELEMENTS;
}

// places.c
/// The column of a lane in a fragment.
const IndexExpr *attentionColumn(const AttentionEmitter *a, intptr_t fragment, intptr_t column);
/// The place of a row, a key (a variable) and a feature; the last two may be null.
AttentionPlace attentionPlaceOf(const AttentionEmitter *a, const AttentionRow *row, const IndexExpr *key,
                                const IndexExpr *feature);
/// The indices there.
Attention attentionAt(const AttentionEmitter *a, const AttentionRow *row, const IndexExpr *key,
                      const IndexExpr *feature);
/// One value for each dimension of size `shape`, from the row-major number.
void attentionBind(Values *v, const IndexExpr *number, IrShape shape, const IndexExpr **dims);

// tf32.c
MlirValue attentionRoundToTf32(Values *v, MlirValue value);
/// attentionMmaScores and attentionMmaValues, of f32.
void attentionTf32Scores(AttentionEmitter *a, MlirValue *scores);
void attentionTf32Values(AttentionEmitter *a, const MlirValue *weights, MlirValue *result);

// warpgroup.c
/// attentionMmaScores and attentionMmaValues, by warpgroups.
void attentionWarpgroupScores(AttentionEmitter *a, MlirValue *scores);
void attentionWarpgroupValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result);

// multiply.c, mma.c
/// The lane's elements of the tile's scores, in the accumulator's type.
void attentionMultiplyScores(AttentionEmitter *a, MlirValue *scores);
void attentionMmaScores(AttentionEmitter *a, MlirValue *scores);
/// Adds the products of the lane's weights with the tile's values to its elements of the result. By multiply-adds it
/// uses a barrier.
void attentionMultiplyValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result);
void attentionMmaValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result);
/// So many weights of one type in the form that a branch yields: for tensor cores as their words, two each, which one
/// conversion makes. How many there are, of the type `*word`; the same; and back.
intptr_t attentionNumWords(const AttentionEmitter *a, intptr_t count, MlirType element, MlirType *word);
void attentionPack(AttentionEmitter *a, intptr_t count, const MlirValue *weights, MlirValue *words);
void attentionUnpack(AttentionEmitter *a, intptr_t count, const MlirValue *words, MlirType element, MlirValue *weights);

// evaluate.c
/// Sets the result of evaluating a value at that index from here on.
void attentionKnow(Values *v, MlirValue value, const IndexVector *index, MlirValue element);
MlirValue attentionEvaluate(AttentionEmitter *a, MlirValue value, const IndexVector *index);

// softmax.c
/// Two parts of a reduce together, and its element of all of them.
MlirValue attentionCombine(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op, MlirValue x, MlirValue y);
MlirValue attentionReduced(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op, MlirValue value);
/// From the scores of the tile whose first key is `first`, it updates the state, except for the product with the
/// values, and leaves the weights, in the type of the second product's operand.
void attentionWeights(AttentionEmitter *a, const IndexExpr *first, const MlirValue *scores, MlirValue *state,
                      MlirValue *weights);
/// The same of a tile all of whose weights are 0.
void attentionSelect(AttentionEmitter *a, const IndexExpr *first, MlirValue *state);
/// Makes the result of a reduce so far, a maximum or a sum of all lanes, its element at `at` for evaluation.
void attentionKnowReduce(AttentionEmitter *a, const Attention *at, intptr_t reduce, MlirValue value);
/// The subtrahend of the exponentials of a row, in the accumulator's type; null if there is none.
MlirValue attentionSubtrahend(AttentionEmitter *a, const Attention *at, intptr_t exponential);
/// A reduce over the lanes that share a row.
MlirValue attentionOverLanes(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op, MlirValue value);

// mask.c
/// Whether something is so for any lane of the warp.
MlirValue attentionAnyOfWarp(AttentionEmitter *a, MlirValue is);
/// Whether something that is so for all lanes of a warp or for none is so for any of the warps that multiply together.
/// Null stays null.
MlirValue attentionAnyTogether(AttentionEmitter *a, MlirValue is);
/// Finds out which keys a mask hides from the warp's rows.
void attentionFindLastKey(AttentionEmitter *a);
/// Whether a tile has weights other than 0, or a new maximum, in a row of the warp, or of the warpgroup that multiplies
/// together; null: always.
MlirValue attentionIsTileSeen(AttentionEmitter *a, const IndexExpr *first, const MlirValue *state);

// results.c
/// A product, and the yielded function of it.
typedef struct AttentionStored AttentionStored;
struct AttentionStored {
  MlirOperation product;
  MlirValue yielded;
  int64_t features;
  /// The index of an element of a row in the product, and in the yielded value.
  void (*indexAt)(AttentionEmitter *a, const AttentionStored *stored, const AttentionRow *row, const IndexExpr *feature,
                  IndexVector *inProduct, IndexVector *inOutput);
  intptr_t number; ///< for indexAt
};
/// Stores the yielded functions of the lane's elements of a product in a row, as many in one access as are neighbours.
void attentionStoreElements(AttentionEmitter *a, intptr_t output, const AttentionStored *stored,
                            const AttentionRow *row, const MlirValue *elements);
/// Stores the yielded function of a reduce: the first lane of the row does.
void attentionStoreOfRow(AttentionEmitter *a, intptr_t output, const IndexVector *index, const AttentionRow *row);
/// Stores the results, when the state is that of all keys.
void attentionStoreResults(AttentionEmitter *a, MlirValue *state);

// block.c
/// The initial value of a reduce.
MlirValue attentionNothing(AttentionEmitter *a, AttentionReduceKind kind, MlirOperation op);
/// Finds out where the block and the lane are, by the sizes and the plan.
void attentionBindPlaces(AttentionEmitter *a);
/// Emits a kernel of attention: kernel.c has taken its arguments.
void emitAttention(Emitter *e);

// gradient.c
/// The same for a gradient.
void emitAttentionGradient(Emitter *e);

#endif // STITCH_LOWERING_KERNEL_EMIT_ATTENTION_ATTENTION_H
