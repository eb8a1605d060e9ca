//===- attention.h - a softmax between two products ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention, as the body of a fusion has it: the *scores* are the product of queries and keys. The *weights* are made
// of them by exponentials, and the product of weights and values is the result. In between is any computation on one
// element of the scores and on values that are reduced over the keys of its row.
//
// The planner and the emitter of such a body ask for the indices at which a place needs its values. They are a row of a
// batch, a key, an element along the dimension that the first product contracts, one along the features of the values.
// They are found as lowering/kernel/values/evaluate.h does, from the result of an operation to its operands (ir/index).
//
// The keys can be read tile by tile for this reason. Let each exponential be exp(x - m), with m the maximum of x over
// the keys so far. Then sums and products of exponentials over the keys so far are right for a new maximum n once
// multiplied by exp(m - n). A value that divides or multiplies the weights of a whole row (a *factor*) can wait until
// all keys are summed up. So attentionAnalyse refuses weights and sums that are not linear in one exponential.
//
// Weights may be 0 for some keys of a row whatever the exponentials are (a *selection*: dropout, or a mask behind the
// softmax). Where that is so for all keys, neither the subtrahend of the exponentials nor a factor beneath the
// selection counts. Both may be NaN, as the maximum or the sum of no key is. So a kernel must know of a row whether any
// key is selected.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_ATTENTION_H
#define STITCH_IR_PLAN_ATTENTION_H

#include "ir/index/index_expr.h"

enum {
  ATTENTION_MAX_REDUCES = 8,
  ATTENTION_MAX_EXPONENTIALS = 4,
  ATTENTION_MAX_FACTORS = 4,
  ATTENTION_MAX_SELECTIONS = 4,
  ATTENTION_MAX_ANY = ATTENTION_MAX_FACTORS + ATTENTION_MAX_REDUCES + 1
};

/// The two products, and their sizes.
typedef struct {
  MlirOperation first, second;
  intptr_t weights;   ///< operand of the second product
  IrShape batch, row; ///< sizes of the weights' batch dimensions, and of their free ones
  int64_t numBatches, rows, keys, depth, features;
} AttentionSizes;

/// Where: dimensions of size one are the constant 0.
typedef struct {
  const IndexExpr *batch[IR_MAX_RANK]; ///< in the order of the second product's batch dimensions
  const IndexExpr *row[IR_MAX_RANK];   ///< in the order of the weights' free dimensions
  const IndexExpr *key;                ///< a variable
  const IndexExpr *depth, *feature;
} AttentionPlace;

typedef enum { ATTENTION_MAX, ATTENTION_SUM, ATTENTION_ANY } AttentionReduceKind;

/// A maximum, a sum, or whether something holds for any, over the keys.
typedef struct {
  MlirOperation op;
  AttentionReduceKind kind;
  IndexVector index, operandIndex;
  intptr_t exponential; ///< of a sum: which one it is linear in
  unsigned selections;  ///< of a sum: beneath which that is, bits
} AttentionReduce;

/// exp(x - m): `subtrahend` is m; null if nothing is subtracted.
typedef struct {
  MlirOperation op;
  MlirValue subtrahend;
  IndexVector index;
  intptr_t maximum; ///< the reduce that m is, where it is finite
} AttentionExponential;

/// A value of a row that all its weights are multiplied with, or divided by. Or one that makes all of them 0 if it is
/// true, or if it is false.
typedef enum { ATTENTION_MULTIPLIES, ATTENTION_DIVIDES, ATTENTION_CLEARS, ATTENTION_KEEPS } AttentionFactorKind;
typedef struct {
  MlirValue value;
  IndexVector index;
  AttentionFactorKind kind;
  unsigned selections; ///< beneath which it is applied, bits
} AttentionFactor;

/// A predicate of a key that lets a weight be something else than 0 where it is true, or, `inverted`, false.
typedef struct {
  MlirValue value;
  IndexVector index;
  bool inverted;
} AttentionSelection;

typedef struct {
  IndexVector scores, weights, result; ///< of the first product, of the second one's operand and result
  IndexVector query, keys, values;     ///< of the products' operands
  MlirValue queryOf, keysOf, valuesOf; ///< which these are
  intptr_t numReduces, numExponentials, numFactors, numSelections, numAny;
  AttentionReduce reduces[ATTENTION_MAX_REDUCES];
  AttentionExponential exponentials[ATTENTION_MAX_EXPONENTIALS];
  AttentionFactor factors[ATTENTION_MAX_FACTORS]; ///< the innermost one last
  AttentionSelection selections[ATTENTION_MAX_SELECTIONS];
  unsigned any[ATTENTION_MAX_ANY]; ///< selections of which a row must know whether any key is in all of them: bits
  intptr_t exponential;            ///< that the weights are linear in
  unsigned exponentialSelections;  ///< beneath which that is: bits
  bool isScaled;                   ///< weights, or summands, are multiplied with a value of their own
  double largest;                  ///< if not: they are at most the exponential times that
  const char *reason;              ///< after a failure: the error
  MlirOperation culprit;
} Attention;

/// Finds the products of a body; otherwise says in `attention` why not.
bool attentionSizesOf(MlirBlock body, AttentionSizes *sizes, Attention *attention);

/// A place with variables of its own for all that is larger than one.
AttentionPlace attentionAnyPlace(IndexContext *index, const AttentionSizes *sizes);

/// The analysis for a place; false, with `reason` and `culprit`, if the body is no attention of this kind.
bool attentionAnalyse(IndexContext *index, const AttentionSizes *sizes, const AttentionPlace *place,
                      Attention *attention);

#endif // STITCH_IR_PLAN_ATTENTION_H
