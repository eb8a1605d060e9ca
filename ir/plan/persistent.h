//===- persistent.h - kernels that have a loop inside --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counted tg.while whose body is one kernel can be one launch: the kernel has the loop inside, with a grid barrier at
// the end of each iteration (docs/ir.md, "Persistent kernels").
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_PERSISTENT_H
#define STITCH_IR_PLAN_PERSISTENT_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// Unit attribute of a stitch.fusion whose kernel has the loop around it inside. One that has been taken out of its
/// loop to be planned has a dictionary there: {iterations = 100 : i64, unchanged = array<i64: 0, 3>, counters =
/// array<i64: 1>}, the inputs that all iterations have in common, and those that count them.
#define PLAN_PERSISTENT "stitch.persistent"

/// The fusion that is all that an iteration of `loop`, a tg.while, launches; null, and a reason why a kernel cannot
/// have the loop inside, if it is otherwise: the loop is counted and runs at least twice; beside the fusion there are
/// constants, reshapes, updates in place (ir/graph/in_place.h) of slices that the fusion computes, and what computes
/// where these begin; a value that goes round is such an update, a result of the fusion that no other one is, or always
/// the same.
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

/// Says on a copy of a fusion, which is in no loop, what the loop around the fusion says of it.
void planCopyLoop(MlirOperation fusion, MlirOperation copy);

#endif // STITCH_IR_PLAN_PERSISTENT_H
