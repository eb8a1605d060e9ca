//===- attention_mask.h - scores that a causal mask replaces -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_ATTENTION_MASK_H
#define STITCH_IR_PLAN_ATTENTION_MASK_H

#include "ir/plan/attention.h"

/// Behind `lastKey`, which is less than 0 where there is none, and before `firstKey`, if that is not null (a window),
/// all arguments of a row's exponentials are `constant`.
typedef struct {
  const IndexExpr *lastKey, *firstKey;
  double constant;
  MlirOperation select;
  IndexVector at; ///< its element at the place
  bool showsAll;  ///< up to that key it takes the other operand of the select, always
} AttentionMask;

/// Finds the mask of a row. The arguments of all exponentials, less their maximum, must be a select of a constant where
/// a key is behind a number that the row determines, by comparisons of tg.iota. The weights must be made of nothing
/// else than such exponentials and factors of the row.
bool attentionFindMask(IndexContext *index, const Attention *attention, const AttentionPlace *place,
                       AttentionMask *mask);

#endif // STITCH_IR_PLAN_ATTENTION_MASK_H
