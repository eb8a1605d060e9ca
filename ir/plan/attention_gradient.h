//===- attention_gradient.h - products of a softmax's gradient -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of attention, as the bodies of two fusions have it. *Scores* are products of operands that no other
// product in the body determines: queries with keys, which are computed again, and the result's gradient with values.
// *Weights* are made of them element by element, and a *result* is the product of weights with something else. A kernel
// *keeps* rows of one side of the scores and goes through the other side, the *keys* here, tile by tile:
//
//   - for the gradient of the queries it keeps these, and goes through the keys;
//   - for those of keys and values it keeps keys, and goes through the queries, of all heads that share the keys.
//
// Sums and maxima over the kernel's keys are taken in *passes* through all of them, each of which computes the scores
// again. Pass 0 takes those that need no other one, pass 1 those that need these, and the last pass the results. Values
// that the forward kernel has stored (maxima and sums of exponentials, the log-sum-exp in two numbers) are read.
//
// A body with a single product has no scores: its weights are an elementwise function of the fusion's operands. Its
// result may be the operand of one (APOLLO's rule 6: elementwise operations around a product). The kernel then keeps
// rows of one operand, and loops over the contracted dimension, tile by tile.
//
// Indices are found as in ir/plan/attention.h.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_ATTENTION_GRADIENT_H
#define STITCH_IR_PLAN_ATTENTION_GRADIENT_H

#include "ir/plan/attention_plan.h"

enum {
  GRADIENT_MAX_SCORES = 2,
  GRADIENT_MAX_RESULTS = 3,
  GRADIENT_MAX_TILES = 2 * GRADIENT_MAX_SCORES + GRADIENT_MAX_RESULTS
};

/// The products of a body, and the sizes of the first result's weights: batches, kept rows, summed keys. The weights of
/// a product alone, where numScores is 0, are the operand with more elements of its own.
typedef struct {
  MlirOperation scores[GRADIENT_MAX_SCORES], results[GRADIENT_MAX_RESULTS];
  intptr_t weights[GRADIENT_MAX_RESULTS]; ///< operand of the result's product
  int64_t depth[GRADIENT_MAX_SCORES], features[GRADIENT_MAX_RESULTS];
  intptr_t numScores, numResults;
  IrShape batch, row, key;
  int64_t numBatches, rows, keys;
} GradientSizes;

/// Where: dimensions of size one are the constant 0.
typedef struct {
  const IndexExpr *batch[IR_MAX_RANK], *row[IR_MAX_RANK], *key[IR_MAX_RANK]; ///< in the order of the first weights
  const IndexExpr *inner; ///< along the contracted dimension of a product of scores, or along a result's features
} GradientPlace;

/// A maximum or sum over the keys, or whether something holds for any of them.
typedef struct {
  MlirOperation op;
  AttentionReduceKind kind;
  IndexVector index, operandIndex;
  int64_t pass;    ///< in which it is taken
  unsigned scores; ///< that its operand is made of: bits
} GradientReduce;

/// Rows of an operand in shared memory.
typedef struct {
  MlirValue value;
  IndexVector index;
  bool isKept; ///< of the rows of the block; else of the keys of a tile
  int64_t width;
} GradientTile;

typedef struct {
  intptr_t numReduces, numTiles;
  GradientReduce reduces[ATTENTION_MAX_REDUCES];
  IndexVector scores[GRADIENT_MAX_SCORES], weights[GRADIENT_MAX_RESULTS], results[GRADIENT_MAX_RESULTS];
  GradientTile tiles[GRADIENT_MAX_TILES];
  intptr_t kept[GRADIENT_MAX_SCORES], passing[GRADIENT_MAX_SCORES]; ///< numbers of the tiles of each product
  intptr_t values[GRADIENT_MAX_RESULTS];
  unsigned scoresOfResults; ///< that the weights are made of: bits
  int64_t passes;
  const char *reason; ///< after a failure: the error
  MlirOperation culprit;
} Gradient;

/// Finds the products of a body; otherwise says in `gradient` why not.
bool gradientSizesOf(MlirBlock body, GradientSizes *sizes, Gradient *gradient);

/// A place with variables of its own for all that is larger than one.
GradientPlace gradientAnyPlace(IndexContext *index, const GradientSizes *sizes);

/// The analysis for a place; false, with `reason` and `culprit`, if the body is no gradient of this kind.
bool gradientAnalyse(IndexContext *index, const GradientSizes *sizes, const GradientPlace *place, Gradient *gradient);

/// The operation, a result's product or a reduce, of which a value that the fusion yields has the elements, and their
/// index, as attentionResultIndex does.
bool gradientResultIndex(IndexContext *index, const Gradient *gradient, const GradientSizes *sizes, MlirValue yielded,
                         MlirOperation *source, IndexVector *place);

/// Whether a kernel can be made of the body of a fusion; else with `reason` and `culprit`.
bool gradientIsValid(IndexContext *index, MlirBlock body, GradientSizes *sizes, Gradient *gradient);

#endif // STITCH_IR_PLAN_ATTENTION_GRADIENT_H
