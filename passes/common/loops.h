//===- loops.h - helpers of passes over counted loops ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_LOOPS_H
#define STITCH_PASSES_COMMON_LOOPS_H

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#include <stdint.h>

/// Values in the order in which they were added, the same one perhaps twice. Zero-initialised it is empty; the caller
/// releases `data` with free().
typedef struct {
  MlirValue *data;
  int64_t count;
  int64_t capacity;
} LoopValues;

void addValue(LoopValues *values, MlirValue value);

/// How often the body of a tg.while runs; -1 if that is not known, or if `op` is something else.
int64_t tripCountOf(MlirOperation op);

/// Creates a tg.while before `before` that carries values which start as `inits`. Its regions are empty blocks: the
/// caller fills them.
MlirOperation createLoop(MlirOperation before, MlirLocation loc, const LoopValues *inits, int64_t tripCount);

/// Ends the body of a loop with its yield.
void closeLoop(MlirOperation loop, const LoopValues *yielded);

/// In a loop's body: `stack` with `value`, reshaped, in place of the slice that the iteration's `number` selects in its
/// outermost dimension.
MlirValue writeIteration(IrBuilder *b, MlirValue stack, MlirValue number, MlirValue value);

/// Moves those of the operations from `first` up to a loop that need its results, or those of the operations behind it
/// up to `last`, behind them. The loop stands where the last of the operations was that it replaces.
void moveUsersBehind(MlirOperation loop, MlirOperation last, MlirOperation first);

#endif // STITCH_PASSES_COMMON_LOOPS_H
