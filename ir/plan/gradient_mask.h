//===- gradient_mask.h - scores that a mask hides from a gradient --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A predicate of numbers of rows and keys alone, as a causal mask is, *hides* an element of the scores where it is
// false. This holds if the element then adds nothing to any result and to any sum: its summand is a product with 0.
// Some of these zeros are in the graph, as a select of 0. Others, as exp(x - m) where x is the mask's constant, need no
// product of scores either, but the maximum of the row. A kernel computes them and tests whether they are 0.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_GRADIENT_MASK_H
#define STITCH_IR_PLAN_GRADIENT_MASK_H

#include "ir/plan/attention_gradient.h"

enum { GRADIENT_MAX_HIDDEN = 8 };

/// A value where a place has it.
typedef struct {
  MlirValue value;
  IndexVector index;
} GradientElement;

typedef struct {
  GradientElement predicate;
  /// Results of selects which, where the predicate is false, are their last operand.
  GradientElement hidden[GRADIENT_MAX_HIDDEN];
  /// Values that must then be 0; functions of these selects, and of no scores.
  GradientElement vanishing[GRADIENT_MAX_HIDDEN];
  intptr_t numHidden, numVanishing;
} GradientMask;

/// Finds the mask at a place that gradientAnalyse has been asked for; false if there is none.
bool gradientFindMask(IndexContext *index, const GradientSizes *sizes, const Gradient *at, GradientMask *mask);

#endif // STITCH_IR_PLAN_GRADIENT_MASK_H
