//===- attention_copies.h - tiles of keys that are copied as they are ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile whose rows are in global memory as shared memory is to have them can be copied asynchronously, 16 bytes at a
// time, without passing through registers. A tile that is computed on the way cannot.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_ATTENTION_COPIES_H
#define STITCH_IR_PLAN_ATTENTION_COPIES_H

#include "ir/plan/gradient_plan.h"

enum { ATTENTION_COPY_BYTES = 16 };

/// Has the index in the operand of a tg.gather in the place of that in its result; false if there is none.
typedef bool (*AttentionGather)(void *data, MlirOperation gather, const IndexVector *index, IndexVector *operand);

/// The argument of the fusion's body that `value` has elements of, if there are only rearrangements and gathers
/// between: `index` becomes the index there. Null if its elements are computed.
MlirValue attentionArgumentOf(IndexContext *context, MlirValue value, IndexVector *index, AttentionGather gather,
                              void *data);

/// Whether there is such an argument, whatever the index.
bool attentionIsArgument(MlirValue value);

/// Whether any tile that a block reads in its loop over the keys can be copied.
bool attentionCopiesKeys(const AttentionSizes *sizes, const StitchAttention *plan);
bool gradientCopiesKeys(const GradientSizes *sizes, const StitchAttention *plan);

#endif // STITCH_IR_PLAN_ATTENTION_COPIES_H
