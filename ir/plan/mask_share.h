//===- mask_share.h - how much of a softmax's scores a mask shows --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_MASK_SHARE_H
#define STITCH_IR_PLAN_MASK_SHARE_H

#include "ir/plan/attention_gradient.h"

/// The share of an attention's tiles, of so many rows and keys each, that a causal mask shows to any row: 1 without a
/// mask. Of many tiles some are looked at.
double attentionShownShare(MlirOperation fusion, int64_t tileRows, int64_t tileKeys);

/// The same of a gradient's, whose mask is a predicate of numbers (ir/plan/gradient_mask.h).
double gradientShownShare(MlirOperation fusion, int64_t tileRows, int64_t tileKeys);

#endif // STITCH_IR_PLAN_MASK_SHARE_H
