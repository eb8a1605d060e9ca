//===- stitch_persistent_loops.c - stitch-persistent-loops ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module whose functions stitch-outline has cut into fusions. Marks fusions whose kernels are to have the loop
// around them inside (`stitch.persistent`, ir/plan/persistent.h). A recurrence whose step is one kernel, such as an
// LSTM with thin products, is then one launch instead of one for each step. The values that an iteration reads of the
// one before come through memory, behind a grid barrier.
//
// With choose=model an iteration is planned both ways, and a loop goes inside where it is faster so: barriers replace
// launches, and loop-invariant inputs stay on the chip (stitch-resident). With choose=always it goes inside wherever it
// can; with choose=never nowhere.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/plan/persistent.h"
#include "ir/plan/plan.h"
#include "passes/common/few_blocks.h"
#include "stitch.h"

#include <string.h>

enum { OPTION_CHOOSE };
enum { STATISTIC_LOOPS, STATISTIC_LAUNCHES };

typedef struct {
  StitchPassRun run;
  bool always;
} PersistenceChoice;

static void setPersistent(MlirOperation fusion, bool is) {
  if (is)
    irSetAttr(fusion, PLAN_PERSISTENT, mlirUnitAttrGet(mlirOperationGetContext(fusion)));
  else
    mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_PERSISTENT));
}

/// Plans an iteration both ways.
static bool isCheaper(MlirOperation loop, MlirOperation fusion) {
  StitchDevice device;
  if (!planGetDevice(loop, &device))
    return false;
  FewBlocks outside = fewBlocksOf(fusion, &device);
  setPersistent(fusion, true);
  FewBlocks inside = fewBlocksOf(fusion, &device);
  setPersistent(fusion, false);
  bool isCheaper = inside.ns >= 0 && (outside.ns < 0 || inside.ns < outside.ns);
  stitchRemark(loop, "an iteration takes %.0f ns as a launch, %.0f ns as a part of one: the loop %s", outside.ns,
               inside.ns, isCheaper ? "goes into its kernel" : "stays outside");
  return isCheaper;
}

static MlirWalkResult visitLoop(MlirOperation op, void *data) {
  PersistenceChoice *choice = data;
  if (irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.library_call"))
    return MlirWalkResultSkip;
  if (tgKindOf(op) != TG_while)
    return MlirWalkResultAdvance;
  const char *reason = NULL;
  MlirOperation fusion = planOnlyKernelOf(op, &reason);
  if (mlirOperationIsNull(fusion)) {
    stitchRemark(op, "the loop stays outside of kernels: %s", reason);
    return MlirWalkResultAdvance;
  }
  int64_t iterations = irGetInt(op, "trip_count", 0);
  if (!choice->always && !isCheaper(op, fusion))
    return MlirWalkResultAdvance;
  setPersistent(fusion, true);
  stitchPassAddStatistic(choice->run, STATISTIC_LOOPS, 1);
  stitchPassAddStatistic(choice->run, STATISTIC_LAUNCHES, iterations - 1);
  return MlirWalkResultAdvance;
}

static void runPersistentLoops(StitchPassRun run, MlirOperation module) {
  const char *choose = stitchPassGetString(run, OPTION_CHOOSE);
  PersistenceChoice choice = {.run = run, .always = strcmp(choose, "always") == 0};
  if (strcmp(choose, "never") == 0)
    return;
  mlirOperationWalk(module, visitLoop, &choice, MlirWalkPreOrder);
}

static const StitchPassOption options[] = {
    {"choose", "which loops go into their kernels: those that the cost model finds cheaper (model), always or never",
     STITCH_OPTION_STRING, 0, "model"},
};

static const StitchValidValues valid[] = {{"choose", "model|always|never"}};

static const StitchPassStatistic statistics[] = {
    {"loops", "loops that kernels have inside"},
    {"launches", "launches less, over all of them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchPersistentLoopsPass = {
    .argument = "stitch-persistent-loops",
    .description = "Have kernels go through the counted loops around them, with grid barriers between iterations",
    .anchor = "builtin.module",
    .takes = "tg",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runPersistentLoops,
};
