//===- stitch_few_blocks.c - stitch-few-blocks ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions that are not planned yet; leaves an attribute on those whose kernel is faster with fewer blocks, by the
// cost model (docs/ir.md, "Few blocks"). Not in the papers: AStitch's grids fill the device.
//
//   - `stitch.blocks`: one block or one cluster, for an iteration of a recurrence of some hundreds of elements, or the
//     head of a decoder. Such a grid waits at the barrier of the block or the cluster, and one block keeps values in
//     its shared memory that several blocks would exchange through scratch memory.
//   - `stitch.one_per_sm`: one block a multiprocessor, which has more of the weights of a recurrence in its registers.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resources.h"
#include "passes/common/few_blocks.h"
#include "passes/common/fusions.h"
#include "stitch.h"

enum { STATISTIC_FUSIONS };

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  static const char *const kinds[] = {[GRID_BLOCK] = "is one block",
                                      [GRID_CLUSTER] = "is one cluster",
                                      [GRID_ONE_PER_SM] = "has one block a multiprocessor"};
  bool isWorthwhile = planIterationsInside(fusion) > 1 || fewBlocksMayBeFaster(fusion, device);
  if (fewBlocksAreGiven(fusion) || !isWorthwhile || !fusionHasKnownSizes(fusion))
    return true;
  FewBlocks few = fewBlocksOf(fusion, device);
  if (few.kind == GRID_FULL)
    return true;
  stitchRemark(fusion, "its grid %s: the kernel takes %.0f ns, else %.0f ns", kinds[few.kind], few.ns, few.fullNs);
  fewBlocksSet(fusion, device, few.kind);
  stitchPassAddStatistic(run, STATISTIC_FUSIONS, 1);
  return true;
}

static void runFewBlocks(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"fusions", "fusions whose grid has few blocks"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchFewBlocksPass = {
    .argument = "stitch-few-blocks",
    .description =
        "Have kernels that mostly wait run on one block or one cluster, and loops on one block a multiprocessor",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runFewBlocks,
};
