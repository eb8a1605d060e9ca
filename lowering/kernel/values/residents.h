//===- residents.h - inputs that threads keep over iterations ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with a loop inside keeps what its threads read in each iteration (docs/ir.md, "Resident inputs"): of a
// task's steps the first ones in registers, the next ones in shared memory, in a place that no other thread uses. Steps
// behind them are read from memory.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_RESIDENTS_H
#define STITCH_LOWERING_KERNEL_VALUES_RESIDENTS_H

#include "lowering/kernel/values/emitter.h"

/// Whether the threads keep something of what the loop at hand goes through.
bool residentsExist(const Emitter *e);

/// Steps of a task of the loop at hand, of reduces with this mapping, from `first` on that have what they read in the
/// same places; at most up to `steps`. Returns the first one behind them. `inRegisters`: some of it is in registers, so
/// that each of the steps has code of its own.
int64_t residentsEndOfSteps(const Emitter *e, const StitchMapping *mapping, int64_t first, int64_t steps,
                            bool *inRegisters);

/// What is evaluated up to residentsEndStep is step `number` of a reduce with this mapping, whose elements are `row`
/// and `column` (with the lane variable) of its space.
void residentsBeginStep(Emitter *e, const StitchMapping *mapping, const IndexExpr *number, const IndexExpr *row,
                        const IndexExpr *column);
void residentsEndStep(Emitter *e);

/// What a thread has kept of elements of an input: those at `linear`, if they are the elements of the step at hand.
/// False if it has not kept them.
bool residentsRead(Emitter *e, int64_t input, const IndexExpr *linear, Lanes lanes, Bundle *bundle);

/// Where resident number `number` is in shared memory, and a thread's place of step `step` there.
MlirValue residentMemory(Emitter *e, intptr_t number);
const IndexExpr *residentPlace(Emitter *e, intptr_t number, const IndexExpr *step, Lanes lanes);

#endif // STITCH_LOWERING_KERNEL_VALUES_RESIDENTS_H
