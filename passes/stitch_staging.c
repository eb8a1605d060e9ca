//===- stitch_staging.c - stitch-staging ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions with stitch.launch; leaves stitch.staging on those whose blocks shall copy what they read in their next
// task to shared memory while they compute (ir/plan/staging.h), with a launch that has room for it and one wave of
// blocks.
//
// A multiprocessor hides what one block waits for by what others do. Where a cluster shares a row, or column sums go
// along with the rows, it has one block or two, which do the same at the same time: memory rests while they compute (on
// an H100 rows of 262144 columns took 1.2 to 1.7 times as long as their bytes). Their registers are taken, but of
// shared memory they use little.
//
//   1. Bytes that a thread reads in a task, of all inputs, by accesses of 16 bytes. If there is no room for all, as
//   many
//      as there is room for.
//   2. Room that is left is for what all tasks read alike: scales and the like, which would come from the second-level
//      cache for each task.
//   3. As many blocks as before on each multiprocessor; the grid is one wave, each of whose blocks has several tasks.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/occupancy.h"
#include "ir/plan/persistent.h"
#include "ir/plan/staging.h"
#include "passes/common/fusions.h"
#include "stitch.h"

enum { STATISTIC_FUSIONS, STATISTIC_BYTES };

enum { LEAST_ROUNDS = 2, ALIGNMENT = 16 };

/// What a fusion's loops want.
typedef struct {
  int64_t ofTask; ///< bytes of a thread
  int64_t ofAll;
  int64_t tasks; ///< blocks with one task each
  bool isCarried;
} Wish;

/// Whether the blocks of a loop begin and end their tasks together.
static bool isInStep(const StitchMapping *m) {
  return m->kind == STITCH_MAPPING_CARRIED || m->cluster > 1 || (m->kind == STITCH_MAPPING_COLUMN && m->split == 1);
}

static Wish wishOf(const GroupView *view, const StitchMapping *mappings) {
  Wish wish = {0};
  for (int64_t i = 0; i < view->graph->numNodes; ++i) {
    const StitchMapping *m = &mappings[i];
    if (!groupIsRoot(view, i) || !isInStep(m))
      continue;
    int64_t ofAll, ofTask = planStagedBytes(view, m, &ofAll);
    int64_t tasks = planBlocksOfTasks(m);
    if (m->kind == STITCH_MAPPING_CARRIED) { // the rows of all blocks
      tasks = ceilDiv(m->rows, m->blockRows);
      wish.isCarried = true;
    }
    wish.tasks = max64(wish.tasks, tasks);
    wish.ofTask = max64(wish.ofTask, ofTask);
    wish.ofAll = max64(wish.ofAll, ofAll);
  }
  return wish;
}

/// Bytes of shared memory that a block may have beside those of the launch, on as many blocks a multiprocessor.
static int64_t roomOf(const StitchDevice *device, const StitchLaunch *launch, int64_t perSM) {
  int64_t most = min64(device->sharedPerBlock, device->sharedPerSM / perSM - PLAN_RESERVED_SHARED);
  return most - ceilDiv(launch->shared, ALIGNMENT) * ALIGNMENT;
}

static int64_t evenGrid(int64_t tasks, int64_t most) { return ceilDiv(tasks, ceilDiv(tasks, most)); }

static void stage(StitchPassRun run, MlirOperation fusion, const StitchDevice *device, StitchLaunch launch,
                  const Wish *wish) {
  int64_t perSM = planBlocksPerSM(device, launch.block, launch.registers, launch.shared);
  int64_t wave = planResidentBlocks(device, perSM, launch.cluster);
  if (perSM < 1 || perSM > PLAN_STAGING_BLOCKS || wish->ofTask == 0 || wish->tasks < LEAST_ROUNDS * wave)
    return;
  int64_t slots = roomOf(device, &launch, perSM) / (ALIGNMENT * launch.block);
  int64_t ofTask = min64(slots, wish->ofTask / ALIGNMENT), ofAll = min64(slots - ofTask, wish->ofAll / ALIGNMENT);
  if (2 * ofTask * ALIGNMENT < wish->ofTask) // most would still be waited for
    return;
  PlanStaging staging = {ceilDiv(launch.shared, ALIGNMENT) * ALIGNMENT, (ofTask + ofAll) * ALIGNMENT * launch.block};
  launch.shared = staging.offset + staging.bytes;
  if (!wish->isCarried && launch.barriers == 0)
    launch.grid = evenGrid(wish->tasks / launch.cluster, wave / launch.cluster) * launch.cluster;
  planSetStaging(fusion, staging);
  irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(mlirOperationGetContext(fusion), launch));
  stitchPassAddStatistic(run, STATISTIC_FUSIONS, 1);
  stitchPassAddStatistic(run, STATISTIC_BYTES, staging.bytes);
  stitchRemark(
      fusion,
      "threads copy %lld of the %lld bytes of their next task while they compute, and keep %lld that all tasks "
      "read: %lld bytes of shared memory, grid of %lld",
      (long long)(ofTask * ALIGNMENT), (long long)wish->ofTask, (long long)(ofAll * ALIGNMENT),
      (long long)staging.bytes, (long long)launch.grid);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  StitchLaunch launch;
  if (device->arch < PLAN_STAGING_ARCH || planIterationsInside(fusion) > 1 || irHasAttr(fusion, PLAN_STAGING) ||
      irHasAttr(fusion, "stitch.attention"))
    return true;
  if (!planGetLaunch(fusion, &launch)) {
    stitchEmitOpError(fusion, "has no stitch.launch: run stitch-launch first");
    return false;
  }
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  GroupView view;
  StitchMapping *mappings;
  bool succeeded = groupViewCreate(&view, &graph) && mappingsOf(&view, &mappings);
  if (succeeded) {
    Wish wish = wishOf(&view, mappings);
    stage(run, fusion, device, launch, &wish);
  }
  groupViewDestroy(&view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runStaging(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"fusions", "kernels whose threads copy what they read next"},
    {"bytes", "shared memory of their blocks for it, over all of them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchStagingPass = {
    .argument = "stitch-staging",
    .description = "Copy what the blocks of a kernel read in their next task to shared memory while they compute",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runStaging,
};
