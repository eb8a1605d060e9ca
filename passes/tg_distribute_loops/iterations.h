//===- iterations.h - slices of a counted loop's iterations ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that a framework writes for a recurrence reads, in iteration k, slice k of some tensors (or slice n - 1 - k).
// It writes slice k of others, which it carries: its *stacks*.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_DISTRIBUTE_LOOPS_ITERATIONS_H
#define STITCH_PASSES_TG_DISTRIBUTE_LOOPS_ITERATIONS_H

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// The value of an integer in iteration k = 0, 1, ...: scale * k + offset.
typedef struct {
  int64_t scale;
  int64_t offset;
} IterationIndex;

/// A tensor of which each iteration reads or writes a slice of its own, one element of dimension `dim` and all of the
/// others.
typedef struct {
  MlirValue tensor; ///< of a stack: the loop's result
  intptr_t dim;
  IterationIndex index; ///< along `dim`: scale is 1 or -1, and no iteration leaves the tensor
} Slices;

/// Whether a value is defined outside of the loop: the same in each iteration.
bool isOutside(MlirOperation loop, MlirValue value);

/// Whether a scalar integer in the body of a loop with a `trip_count` follows from the number of the iteration alone,
/// without overflow, and how.
bool findIterationIndex(MlirOperation loop, MlirValue value, IterationIndex *index);

/// Whether `op` is a tg.dynamic_slice that reads slices of a tensor outside of the loop.
bool findSlices(MlirOperation loop, MlirOperation op, Slices *slices);

/// Whether the carried value with that number is a stack that is only written, and by `op`, a tg.dynamic_update_slice.
bool findStack(MlirOperation loop, MlirOperation op, Slices *stack);

/// Whether the body has a counter from which the numbers of iterations follow.
bool hasCounter(MlirOperation loop);

/// The number of the iteration, or, in reverse, those behind it, as a scalar of the counter's type. The body has a
/// counter, and `b` inserts into it.
MlirValue iterationNumber(MlirOperation loop, IrBuilder *b, bool inReverse);

#endif // STITCH_PASSES_TG_DISTRIBUTE_LOOPS_ITERATIONS_H
