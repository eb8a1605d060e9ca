//===- roll.h - a loop for iterations that compute the same --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_ROLL_LOOPS_ROLL_H
#define STITCH_PASSES_TG_ROLL_LOOPS_ROLL_H

#include "passes/tg_roll_loops/recurrence.h"

/// Replaces the iterations of `range` by a tg.while, and returns it. Null, with the block as it was, if their operands
/// cannot be chosen by an iteration's number. `*numOps` is the number of operations of one iteration.
MlirOperation rollIterations(const Recurrence *recurrence, IterationRange range, int64_t *numOps);

#endif // STITCH_PASSES_TG_ROLL_LOOPS_ROLL_H
