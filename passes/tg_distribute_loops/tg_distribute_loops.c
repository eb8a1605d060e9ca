//===- tg_distribute_loops.c - tg-distribute-loops -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop distribution (Kuck et al., POPL 1981) for recurrences. Takes tg operations with counted loops, simplified.
// Operations of an iteration that do not depend on the iterations before leave the loop, as one operation for all of
// them:
//
//   - in front of the loop, products of an iteration's input with weights (products_in_front.c);
//   - behind the loop, the summands of a loop-carried sum: gradients of weights above all (sums_behind.c). No iteration
//     reads or writes the sum any more, and T products become one whose contracted dimension is T times as long.
//
// The weights of such a product are read once, and a product of few rows becomes one of many, for which libraries are
// made. Sums are added in another order, and are rounded less often: precision=strict does without this pass.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "passes/common/loops.h"
#include "passes/tg_distribute_loops/iterations.h"
#include "passes/tg_distribute_loops/products.h"
#include "stitch.h"

enum { STATISTIC_IN_FRONT, STATISTIC_BEHIND };

typedef struct {
  StitchPassRun run;
  bool changed;
} Distribution;

static MlirWalkResult distribute(MlirOperation op, void *data) {
  Distribution *distribution = data;
  if (tripCountOf(op) < 2 || !hasCounter(op))
    return MlirWalkResultAdvance;
  int64_t inFront = moveProductsInFront(op), behind = moveSumsBehind(&op);
  if (inFront > 0)
    stitchRemark(op, "%lld products of its slices are computed in front of the loop", (long long)inFront);
  if (behind > 0)
    stitchRemark(op, "%lld terms of loop-carried sums are added behind the loop", (long long)behind);
  stitchPassAddStatistic(distribution->run, STATISTIC_IN_FRONT, inFront);
  stitchPassAddStatistic(distribution->run, STATISTIC_BEHIND, behind);
  distribution->changed |= inFront + behind > 0;
  return MlirWalkResultAdvance;
}

/// Inner loops first: operations that leave them may leave the outer ones, too.
static void runDistributeLoops(StitchPassRun run, MlirOperation module) {
  Distribution distribution = {.run = run};
  mlirOperationWalk(module, distribute, &distribution, MlirWalkPostOrder);
  if (distribution.changed && mlirLogicalResultIsFailure(stitchPassRunPipeline(run, "tg-simplify", module)))
    stitchPassSignalFailure(run);
}

static const StitchPassStatistic statistics[] = {
    [STATISTIC_IN_FRONT] = {"in-front", "products moved in front of their loop"},
    [STATISTIC_BEHIND] = {"behind", "terms of sums moved behind their loop"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgDistributeLoopsPass = {
    .argument = "tg-distribute-loops",
    .description = "Move operations that do not depend on the previous iteration out of loops, as one operation for "
                   "all iterations",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runDistributeLoops,
};
