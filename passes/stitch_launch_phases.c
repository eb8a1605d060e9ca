//===- stitch_launch_phases.c - stitch-launch-phases ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions with their whole plan. Leaves a kernel for each phase of those whose grid barriers take longer than
// launches by the cost model, with the whole plans of all (passes/common/kernel_cut.h): a grid barrier on an H200 takes
// twice as long as a node of a CUDA graph, and launches can ask for weights while the kernel before runs
// (stitch-prefetch). Values that stay on the chip across a barrier, or are computed again behind it, may outweigh that.
// AStitch (3.2.2) has barriers only, whose devices launched a kernel in 5 to 10 us.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/map.h"
#include "ir/plan/plan.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_cut.h"
#include "passes/common/kernel_list.h"
#include "passes/common/kernel_module.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_KERNELS, STATISTIC_PHASES };

/// Launches the phases of a kernel if that takes less time. They can hide loads behind the kernel before, which a
/// cooperative launch cannot. Open sizes have other vectors in other kernels. `kept` has the keys of kernels that
/// stayed as they were: those of other layers need not be planned.
static void launchPhases(StitchPassRun run, MlirOperation fusion, const StitchDevice *device, IrMap *kept) {
  StitchLaunch launch;
  PlanCost cost;
  if (!planGetLaunch(fusion, &launch) || launch.barriers == 0 || !fusionHasKnownSizes(fusion))
    return;
  const void *key = (const void *)(uintptr_t)(kernelKeyOf(fusion) | 1); // which no null pointer is
  if (irMapContains(kept, key) || !planCostOfFusion(fusion, device, &cost))
    return;
  double ns;
  MlirOperation module = kernelCutAtBarriers(fusion, device, &ns);
  bool isFaster = !mlirOperationIsNull(module) && ns < cost.total;
  if (!mlirOperationIsNull(module))
    stitchRemark(fusion, "%lld phases as kernels of their own take %.0f ns, with grid barriers %.0f%s",
                 (long long)launch.barriers + 1, ns, cost.total, isFaster ? ": they are launched" : "");
  if (isFaster) {
    stitchPassAddStatistic(run, STATISTIC_KERNELS, 1);
    stitchPassAddStatistic(run, STATISTIC_PHASES, launch.barriers + 1);
    kernelModuleTake(module, fusion);
  } else {
    irMapSet(kept, key, 1);
  }
  if (!mlirOperationIsNull(module))
    mlirOperationDestroy(module);
}

static void runLaunchPhases(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  if (!passDevice(run, module, "to tell costs for", &device))
    return;
  Operations fusions = plannedKernels(module);
  IrMap kept = {0};
  for (intptr_t i = 0; i < fusions.count; ++i)
    launchPhases(run, fusions.data[i], &device, &kept);
  irMapDestroy(&kept);
  free(fusions.data);
}

static const StitchPassStatistic statistics[] = {
    {"kernels", "kernels with grid barriers that are several now"},
    {"phases", "kernels that they have become"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchLaunchPhasesPass = {
    .argument = "stitch-launch-phases",
    .description = "Launch the phases of kernels one by one where that is faster than grid barriers",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-launch",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runLaunchPhases,
};
