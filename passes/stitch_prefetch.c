//===- stitch_prefetch.c - stitch-prefetch -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions with a whole plan. Leaves stitch.prefetch on those whose blocks shall prefetch the inputs of the next
// phase to the second-level cache before they wait (ir/plan/prefetch.h; docs/ir.md, "Prefetches").
//
// Memory rests at each wait, for the grid or for the kernel before. It rests while blocks arrive one by one, while the
// first loads behind the wait are in flight, and through phases that read little. An argument or a constant that is
// read behind the wait can come to the second-level cache meanwhile, as it is written before the model runs.
//
//   1. Before each wait, and before the first code of a kernel, the inputs that the phase behind it reads, as far as
//      there is room. Then those that the next phase is the first to read, and so on, as long as all arguments that
//      earlier phases read have been prefetched: their loads would wait behind these prefetches.
//   2. Inputs that are read whole, of a size that is known.
//   3. At most a part of the second-level cache at a time: the kernels before and behind prefetch as much, and traffic
//      in between takes the rest.
//   4. Blocks that are all resident: a later block's loads would come right behind its prefetches.
//   5. If a phase's inputs do not all fit, each has the same share of the cache: tasks read them in parallel.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/order.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/persistent.h"
#include "ir/plan/prefetch.h"
#include "ir/plan/resident.h"
#include "ir/plan/resources.h"
#include "ir/plan/scan.h"
#include "ir/plan/skinny.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_FUSIONS, STATISTIC_BYTES };

enum {
  CACHE_PARTS = 4,    ///< parts of the second-level cache, one of which is for prefetched bytes that have not been read
  LEAST_BYTES = 1024, ///< of an input: less costs as many instructions, and a block reads it as fast by itself
  MOST_INPUTS = 8     ///< before a wait: each prefetch is a dozen instructions
};

/// The prefetches of one fusion.
typedef struct {
  PlanInputReads reads;
  int64_t *sizes; ///< by input: bytes that may be asked for; 0: none
  int64_t *asked; ///< bytes of them that have been
  int64_t room;   ///< bytes in the second-level cache for all that has been asked for and not been read
  StitchPrefetch *prefetches;
  intptr_t count, capacity;
  intptr_t most; ///< of prefetches, up to the current wait
} PrefetchedFusion;

/// Whether a value is there before the model runs: an argument of a function or a constant, in another shape or not.
static bool isGiven(MlirValue value) {
  MlirOperation from = irDefiningOp(value);
  if (mlirOperationIsNull(from))
    return irOpIs(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), "func.func");
  return tgKindOf(from) == TG_constant || (tgKindOf(from) == TG_reshape && isGiven(irOperand(from, 0)));
}

/// Bytes of input `i` that may be asked for.
static int64_t sizeOf(MlirOperation fusion, const PrefetchedFusion *f, intptr_t i) {
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  bool isSame = tgKindOf(loop) == TG_while ? planIsUnchangedInput(fusion, i) : isGiven(irOperand(fusion, i));
  MlirType type = mlirValueGetType(irOperand(fusion, i));
  int64_t bytes = isSame && mlirShapedTypeHasStaticShape(type) ? irTensorBytes(type) : 0;
  bool isWhole = f->reads.bytes[i] >= 0.99 * (double)bytes;
  return bytes >= LEAST_BYTES && isWhole ? bytes / PLAN_PREFETCH_UNIT * PLAN_PREFETCH_UNIT : 0;
}

static void ask(PrefetchedFusion *f, int64_t phase, int64_t input, int64_t bytes) {
  IR_RESERVE_ONE(f->prefetches, f->count, f->capacity);
  f->prefetches[f->count++] = (StitchPrefetch){phase, input, f->asked[input], bytes};
  f->asked[input] += bytes;
  f->room -= bytes;
}

/// Prefetches the inputs that `reader` is the first phase to read, before the wait in front of `phase`. Returns whether
/// that is all of them.
static bool askFor(PrefetchedFusion *f, int64_t phase, int64_t reader) {
  int64_t wanted = 0;
  for (intptr_t i = 0; i < f->reads.numInputs; ++i)
    wanted += f->reads.phaseOf[i] == reader ? f->sizes[i] - f->asked[i] : 0;
  bool isAll = wanted <= f->room;
  double share = isAll ? 1 : (double)f->room / (double)wanted;
  for (intptr_t i = 0; i < f->reads.numInputs; ++i) {
    int64_t rest = f->reads.phaseOf[i] == reader ? f->sizes[i] - f->asked[i] : 0;
    int64_t bytes = (int64_t)((double)rest * share) / PLAN_PREFETCH_UNIT * PLAN_PREFETCH_UNIT;
    if (bytes < min64(rest, LEAST_BYTES))
      isAll = false;
    else if (bytes > 0 && f->count < f->most)
      ask(f, phase, i, bytes);
  }
  return isAll;
}

/// The inputs that a phase is the first to read leave their room when it ends.
static void endPhase(PrefetchedFusion *f, int64_t phase) {
  for (intptr_t i = 0; i < f->reads.numInputs; ++i)
    f->room += f->reads.phaseOf[i] == phase ? f->asked[i] : 0;
}

/// `asksFirst`: before phase 0, too.
static void planPrefetchesOf(PrefetchedFusion *f, bool asksFirst) {
  for (int64_t phase = 0; phase < f->reads.numPhases; ++phase) {
    bool isAll = true;
    f->most = f->count + MOST_INPUTS;
    for (int64_t reader = phase; reader < f->reads.numPhases && isAll && (phase > 0 || asksFirst); ++reader)
      isAll = askFor(f, phase, reader);
    endPhase(f, phase);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void setPrefetches(StitchPassRun run, MlirOperation fusion, const PrefetchedFusion *f) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < f->count; ++i)
    bytes += f->prefetches[i].bytes;
  planSetPrefetches(fusion, f->count, f->prefetches);
  stitchPassAddStatistic(run, STATISTIC_FUSIONS, 1);
  stitchPassAddStatistic(run, STATISTIC_BYTES, bytes);
  stitchRemark(fusion, "blocks prefetch %lld bytes of the next phase's inputs before they wait", (long long)bytes);
}

static bool isCooperative(MlirOperation fusion) {
  StitchLaunch launch;
  return !planGetLaunch(fusion, &launch) || launch.barriers > 0;
}

/// Whether the runtime can launch the kernel while the one before it runs (docs/cuda.md): neither has grid barriers,
/// and nothing else is launched between them.
static bool isLaunchedAhead(MlirOperation fusion) {
  MlirOperation before = stitchPreviousOperation(fusion);
  while (!mlirOperationIsNull(before) && (tgKindOf(before) == TG_constant || tgKindOf(before) == TG_reshape))
    before = stitchPreviousOperation(before);
  return !mlirOperationIsNull(before) && irOpIs(before, "stitch.fusion") && !isCooperative(before) &&
         !isCooperative(fusion);
}

/// Whether all blocks wait at the same time.
static bool isOneWave(const StitchDevice *device, const StitchLaunch *launch) {
  int64_t perSM = planBlocksPerSM(device, launch->block, launch->registers, launch->shared);
  return launch->grid <= planResidentBlocks(device, max64(perSM, 1), launch->cluster);
}

/// Whether every block computes the same before it has tasks of its own.
static bool beginsReplicated(MlirOperation fusion) {
  MlirAttribute schedule = irGetAttr(fusion, "stitch.schedule");
  bool begins = false;
  for (intptr_t i = 0; !mlirAttributeIsNull(schedule) && i < stitchScheduleAttrNumLoops(schedule); ++i) {
    StitchLoop loop = stitchScheduleAttrLoop(schedule, i);
    begins |= loop.phase == 0 && loop.mapping.isReplicated;
  }
  return begins;
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  StitchLaunch launch;
  mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_PREFETCH)); // of another launch
  if (!planGetLaunch(fusion, &launch)) {
    stitchEmitOpError(fusion, "has no stitch.launch: run stitch-launch first");
    return false;
  }
  bool asksFirst = (isLaunchedAhead(fusion) || beginsReplicated(fusion)) && isOneWave(device, &launch);
  if (device->arch < PLAN_PREFETCH_ARCH || planIterationsInside(fusion) > 1 ||
      (planHasOwnPlan(fusion) && !planIsSkinny(fusion)) || (!asksFirst && launch.barriers == 0))
    return true;
  IrArena arena = {0};
  PrefetchedFusion f = {.room = device->l2Bytes / CACHE_PARTS};
  bool succeeded = planInputReads(fusion, device, &arena, &f.reads);
  if (succeeded) {
    f.sizes = IR_NEW_ARRAY(&arena, int64_t, f.reads.numInputs + 1);
    f.asked = IR_NEW_ARRAY(&arena, int64_t, f.reads.numInputs + 1);
    for (intptr_t i = 0; i < f.reads.numInputs; ++i)
      f.sizes[i] = sizeOf(fusion, &f, i);
    planPrefetchesOf(&f, asksFirst);
    if (f.count > 0)
      setPrefetches(run, fusion, &f);
  }
  free(f.prefetches);
  irArenaDestroy(&arena);
  return succeeded;
}

static void runPrefetch(StitchPassRun run, MlirOperation module) {
  planFusions(run, module, planFusion);
  planOwnPlans(run, module, planFusion);
}

static const StitchPassStatistic statistics[] = {
    {"fusions", "kernels whose blocks prefetch inputs before they wait"},
    {"bytes", "that they prefetch, over all of them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchPrefetchPass = {
    .argument = "stitch-prefetch",
    .description =
        "Prefetch the inputs of a kernel's next phase before its blocks wait, for the grid or the kernel before",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runPrefetch,
};
