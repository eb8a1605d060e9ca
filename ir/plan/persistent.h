//===- persistent.h - kernels that have a loop inside --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counted tg.while whose body is one kernel can be one launch. The kernel has the loop inside, with a grid barrier at
// the end of each iteration (docs/ir.md, "Persistent kernels").
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_PERSISTENT_H
#define STITCH_IR_PLAN_PERSISTENT_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// Unit attribute of a stitch.fusion whose kernel has the loop around it inside. A fusion that has been taken out of
/// its loop to be planned has a dictionary there: {iterations = 100 : i64, unchanged = array<i64: 0, 3>, counters =
/// array<i64: 1>}. The lists are the loop-invariant inputs, and the inputs that count iterations.
#define PLAN_PERSISTENT "stitch.persistent"

/// The only fusion that an iteration of `loop`, a tg.while, launches; null, and a reason, if a kernel cannot have the
/// loop inside. The loop must be counted and run at least twice. Apart from the fusion there are constants, reshapes,
/// updates in place (ir/graph/in_place.h) of slices that the fusion computes, and their start indices. A loop-carried
/// value is such an update, a result of the fusion that no other one is, or loop-invariant.
MlirOperation planOnlyKernelOf(MlirOperation loop, const char **reason);

/// How often the kernel of a fusion goes through its body in one launch: 1 if it has no loop inside.
int64_t planIterationsInside(MlirOperation fusion);

/// Whether all iterations of the loop around a fusion have an input in common: no iteration computes or changes it.
bool planIsUnchangedInput(MlirOperation fusion, intptr_t number);

/// An integer that goes round a loop: `first`, first + step, ...
typedef struct {
  int64_t first, step;
} PlanCounter;

/// Whether input `number` of a fusion in a loop is such a counter. Its kernel need not read it, for it knows the
/// iteration. `counter` may be null, and must be for a fusion that has been taken out of its loop.
bool planIsCounter(MlirOperation fusion, intptr_t number, PlanCounter *counter);

/// Gives a copy of a fusion, which is in no loop, the facts of the loop around the fusion.
void planCopyLoop(MlirOperation fusion, MlirOperation copy);

#endif // STITCH_IR_PLAN_PERSISTENT_H
