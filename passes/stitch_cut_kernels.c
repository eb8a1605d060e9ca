//===- stitch_cut_kernels.c - stitch-cut-kernels -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions with their whole plan. Leaves each one that can be cut as two, where the cost model has that cheapest
// (passes/common/kernel_cut.h). Both have whole plans, and the value of one root is in memory between them. Feedback
// does the same, as the last resort, to kernels that spill; here all kernels are cut, to compare a barrier with a
// launch.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_cut.h"
#include "passes/common/kernel_list.h"
#include "passes/common/kernel_module.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_KERNELS, STATISTIC_CUT };

static void runCutKernels(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  Operations fusions = plannedKernels(module);
  bool isPlanned = passDevice(run, module, "to tell costs for", &device);
  for (intptr_t i = 0; i < fusions.count && isPlanned; ++i) {
    KernelCut cut = kernelCutCheapest(fusions.data[i], &device);
    stitchPassAddStatistic(run, STATISTIC_KERNELS, 1);
    if (mlirOperationIsNull(cut.module))
      continue;
    stitchPassAddStatistic(run, STATISTIC_CUT, 1);
    stitchRemark(fusions.data[i], "cut in two kernels: %.0f and %.0f ns", cut.costs[0].total, cut.costs[1].total);
    kernelModuleTake(cut.module, fusions.data[i]);
    mlirOperationDestroy(cut.module);
  }
  free(fusions.data);
}

static const StitchPassStatistic statistics[] = {
    {"kernels", "kernels that could be cut"},
    {"cut", "kernels that are two now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchCutKernelsPass = {
    .argument = "stitch-cut-kernels",
    .description = "Cut each kernel in two, where it is cheapest (APOLLO 3.4)",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runCutKernels,
};
