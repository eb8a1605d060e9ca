//===- stitch_schedule.c - stitch-schedule -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions whose roots have their mappings and schemes. Writes the schedule of their kernels (ir/plan/schedule.h):
// stitch.schedule on the fusions, stitch.task on the roots. All later passes read these.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/query.h"
#include "ir/plan/schedule.h"
#include "passes/common/fusions.h"
#include "stitch.h"

enum { STATISTIC_LOOPS, STATISTIC_PHASES };

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  (void)device;
  if (!scheduleWrite(fusion))
    return false;
  MlirAttribute schedule = irGetAttr(fusion, PLAN_SCHEDULE);
  intptr_t numLoops = stitchScheduleAttrNumLoops(schedule);
  int64_t numPhases = stitchScheduleAttrLoop(schedule, numLoops - 1).phase + 1;
  stitchPassAddStatistic(run, STATISTIC_LOOPS, numLoops);
  stitchPassAddStatistic(run, STATISTIC_PHASES, numPhases);
  stitchRemark(fusion, "%lld task loops in %lld phases", (long long)numLoops, (long long)numPhases);
  return true;
}

static void runSchedule(StitchPassRun run, MlirOperation module) { planFusionsForAny(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"loops", "task loops, over all kernels"},
    {"phases", "phases between grid barriers, over all kernels"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSchedulePass = {
    .argument = "stitch-schedule",
    .description = "Write the schedule of each kernel: its phases, task loops and stages",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|stitch.library_call|tg",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSchedule,
};
