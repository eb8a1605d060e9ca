//===- stitch_staging.c - stitch-staging ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions with stitch.launch. Leaves stitch.staging on those whose blocks shall prefetch the loads of their next
// task to shared memory while they compute (ir/plan/staging.h). They have a launch that has room for it and one wave of
// blocks.
//
// A multiprocessor hides the waits of one block by the work of others. One block alone hides nothing: memory rests
// while it computes. Where blocks run in step (a cluster that shares rows, blocks that have columns or accumulate
// column sums along the row loop) all of memory does. On an H100 and an H200 bench/gpu measured one of each. Staging
// made sums along rows (layernorm_backward 32768 x 4096) reach 98 % of the bandwidth instead of 91, rows of clusters 8
// to 12 % faster. With two blocks a multiprocessor it gained nothing. With a part of the bytes, or in shared memory
// that the first-level cache would have had, it lost up to a third. Hence:
//
//   1. Multiprocessors with one block, which has several tasks: the grid is one wave.
//   2. All bytes that a thread reads in a task of inputs, by accesses of 16 bytes, or none.
//   3. The remaining room is for values that all tasks read alike: scales and the like, which would come from the
//      second-level cache for each task. The first-level cache keeps CACHE_BYTES.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resources.h"
#include "ir/plan/scan.h"
#include "ir/plan/staging.h"
#include "passes/common/fusions.h"
#include "stitch.h"

enum { STATISTIC_FUSIONS, STATISTIC_BYTES };

enum { LEAST_ROUNDS = 2, CACHE_BYTES = 65536 };

/// The staging demands of a fusion's loops.
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

/// Bytes of shared memory that a block may have in addition to those of the launch.
static int64_t roomOf(const StitchDevice *device, const StitchLaunch *launch) {
  int64_t most = min64(device->sharedPerBlock, device->sharedPerSM - CACHE_BYTES);
  return most - ceilDiv(launch->shared, PLAN_STAGING_ACCESS) * PLAN_STAGING_ACCESS;
}

static int64_t evenGrid(int64_t tasks, int64_t most) { return ceilDiv(tasks, ceilDiv(tasks, most)); }

static void stage(StitchPassRun run, MlirOperation fusion, const StitchDevice *device, StitchLaunch launch,
                  const Wish *wish) {
  int64_t perSM = planBlocksPerSM(device, launch.block, launch.registers, launch.shared);
  int64_t wave = planResidentBlocks(device, perSM, launch.cluster);
  int64_t slots = roomOf(device, &launch) / (PLAN_STAGING_ACCESS * launch.block),
          ofTask = wish->ofTask / PLAN_STAGING_ACCESS;
  if (perSM != 1 || ofTask == 0 || ofTask > slots || wish->tasks < LEAST_ROUNDS * wave)
    return;
  int64_t ofAll = min64(slots - ofTask, wish->ofAll / PLAN_STAGING_ACCESS);
  PlanStaging staging = {ceilDiv(launch.shared, PLAN_STAGING_ACCESS) * PLAN_STAGING_ACCESS,
                         (ofTask + ofAll) * PLAN_STAGING_ACCESS * launch.block};
  launch.shared = staging.offset + staging.bytes;
  if (!wish->isCarried && launch.barriers == 0)
    launch.grid = evenGrid(wish->tasks / launch.cluster, wave / launch.cluster) * launch.cluster;
  planSetStaging(fusion, staging);
  irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(mlirOperationGetContext(fusion), launch));
  stitchPassAddStatistic(run, STATISTIC_FUSIONS, 1);
  stitchPassAddStatistic(run, STATISTIC_BYTES, staging.bytes);
  stitchRemark(fusion,
               "threads copy the %lld bytes of their next task while they compute, and keep %lld that all tasks read: "
               "%lld bytes of shared memory, grid of %lld",
               (long long)wish->ofTask, (long long)(ofAll * PLAN_STAGING_ACCESS), (long long)staging.bytes,
               (long long)launch.grid);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  StitchLaunch launch;
  if (device->arch < PLAN_STAGING_ARCH || planIterationsInside(fusion) > 1 || irHasAttr(fusion, PLAN_STAGING) ||
      planHasOwnPlan(fusion))
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
    {"fusions", "kernels whose threads prefetch their next task to shared memory"},
    {"bytes", "shared memory of their blocks for it, over all of them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchStagingPass = {
    .argument = "stitch-staging",
    .description = "Prefetch the loads of a block's next task to shared memory while it computes",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runStaging,
};
