//===- batch.h - a value of all iterations, outside of their loop --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of an operation of a loop's body in all iterations are one tensor, its *batch*: dimension 0 is the
// iteration. It can be had in front of the loop if the value is computed from slices of tensors, and behind it from
// stacks, too.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_DISTRIBUTE_LOOPS_BATCH_H
#define STITCH_PASSES_TG_DISTRIBUTE_LOOPS_BATCH_H

#include "passes/common/loops.h"
#include "passes/tg_distribute_loops/iterations.h"

/// The batches of a loop's values. Zero-initialised but for `loop`; the caller releases `stacked.data` with free().
typedef struct {
  MlirOperation loop;
  bool isInFront;     ///< batches are made in front of the loop: there are no stacks yet
  bool hasOrder;      ///< canBatch has met slices, whose order
  bool isReversed;    ///< (that of the iterations, or the reverse of it) is the order of all batches
  LoopValues stacked; ///< values of the body that get a new stack: addNewStacks makes them
  intptr_t firstNew;  ///< the loop's first result that is one of the new stacks
} Batching;

/// Whether the batch of a value of the body can be computed without a new stack.
bool canBatch(Batching *batching, MlirValue value);

/// The same, with a new stack if need be.
void batchOrStack(Batching *batching, MlirValue value);

/// Replaces the loop by one with the new stacks behind its other values. Values of the body stay.
void addNewStacks(Batching *batching);

/// Computes the batch of a value of which canBatch was true, or which is stacked.
MlirValue makeBatch(Batching *batching, IrBuilder *b, MlirValue value);

#endif // STITCH_PASSES_TG_DISTRIBUTE_LOOPS_BATCH_H
