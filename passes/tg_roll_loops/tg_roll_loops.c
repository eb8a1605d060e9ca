//===- tg_roll_loops.c - tg-roll-loops -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes graphs of tg operations, simplified, and makes counted loops of recurrences that were unrolled: frameworks do
// so, and tracing a Python loop does. A loop can be inside of one kernel, which keeps its weights on the chip
// (stitch-persistent-loops, stitch-resident); an unrolled recurrence is a kernel for each step.
//
// The period is found by products (recurrence.c): a recurrent layer multiplies its state with the same weights in each
// step. From one such product to the next, operations are compared one by one; at the ends of the longest range of
// equal steps, different operations stay as they are. An operand of a step may be the same in each of them, a slice of
// a tensor, or any other values of the steps in its place (varying.c). The loop is made by roll.c.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/query.h"
#include "passes/tg_roll_loops/recurrence.h"
#include "passes/tg_roll_loops/roll.h"
#include "stitch.h"

enum { STATISTIC_ROLLED };

/// Rolls the first recurrence from operation `*from` on that can be; false if there is none.
static bool rollNext(StitchPassRun run, MlirBlock block, int64_t *from) {
  Recurrence recurrence;
  while (findRecurrence(block, from, &recurrence)) {
    matchIterations(&recurrence);
    IterationRange range = longestRange(&recurrence);
    int64_t numOps = 0;
    MlirOperation loop = {NULL};
    if (range.count >= LEAST_ITERATIONS)
      loop = rollIterations(&recurrence, range, &numOps);
    recurrenceDestroy(&recurrence);
    if (mlirOperationIsNull(loop))
      continue;
    stitchRemark(loop, "%lld equal steps of %lld operations are a loop", (long long)range.count, (long long)numOps);
    stitchPassAddStatistic(run, STATISTIC_ROLLED, 1);
    return true;
  }
  return false;
}

/// A loop changes the numbers of all operations: the search begins anew, and finds recurrences that cannot be rolled
/// once more.
static bool rollBlock(StitchPassRun run, MlirBlock block) {
  bool changed = false;
  for (int64_t from = 0; rollNext(run, block, &from); from = 0)
    changed = true;
  return changed;
}

/// The graphs of functions; operations in their loops stay.
static void runRollLoops(StitchPassRun run, MlirOperation module) {
  bool changed = false;
  IR_FOR_EACH_OP(op, irBody(module, 0))
    if (irOpIs(op, "func.func") && !mlirBlockIsNull(irBody(op, 0)))
      changed |= rollBlock(run, irBody(op, 0));
  if (changed && mlirLogicalResultIsFailure(stitchPassRunPipeline(run, "tg-simplify", module)))
    stitchPassSignalFailure(run);
}

static const StitchPassStatistic statistics[] = {
    {"rolled", "recurrences that are loops now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgRollLoopsPass = {
    .argument = "tg-roll-loops",
    .description = "Make loops of recurrences that were unrolled",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runRollLoops,
};
