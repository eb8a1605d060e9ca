//===- stitch_persistent_loops.c - stitch-persistent-loops ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module whose functions stitch-outline has cut into fusions. Marks fusions whose kernels are to have the loop
// around them inside (`stitch.persistent`, ir/plan/persistent.h): a recurrence whose step is one kernel, such as an
// LSTM with thin products, is then one launch in place of one for each step. What an iteration reads of the one before
// it comes through memory, behind a grid barrier.
//
// With choose=model a loop goes inside where the barriers take less than the launches that they replace and the reads
// of what the kernel can keep over its iterations (stitch-resident); with choose=always wherever it can; with
// choose=never nowhere.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/plan/cost.h"
#include "ir/plan/persistent.h"
#include "ir/plan/plan.h"
#include "ir/plan/resident.h"
#include "stitch.h"

#include <string.h>

enum { OPTION_CHOOSE };
enum { STATISTIC_LOOPS, STATISTIC_LAUNCHES };

typedef struct {
  StitchPassRun run;
  bool always;
} Choice;

static bool isReadInOrder(MlirOperation fusion, intptr_t input) {
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    if (tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE && planReadsInOrder(op, irBody(fusion, 0), input))
      return true;
  return false;
}

/// Bytes that an iteration need not read: of the inputs that stay the same what the multiprocessors' shared memory has
/// room for (stitch-resident, which uses registers, too).
static int64_t keptBytes(MlirOperation fusion, const StitchDevice *device) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    if (planIsUnchangedInput(fusion, i) && isReadInOrder(fusion, i))
      bytes += irTensorBytes(mlirValueGetType(irOperand(fusion, i)));
  return min64(bytes, device->sms * device->sharedPerSM);
}

static bool isCheaper(MlirOperation loop, MlirOperation fusion, int64_t iterations) {
  StitchDevice device;
  if (!planGetDevice(loop, &device))
    return false;
  int64_t launches = (iterations - 1) * device.launchNs, barriers = iterations * device.barrierNs;
  int64_t reads = (int64_t)((double)(iterations - 1) * costOfMoving(&device, (double)keptBytes(fusion, &device)));
  bool isCheaper = barriers < launches + reads;
  stitchRemark(loop,
               "%lld launches would take %lld ns, and to read again what the kernel can keep %lld ns; as many grid "
               "barriers %lld ns: the loop %s",
               (long long)(iterations - 1), (long long)launches, (long long)reads, (long long)barriers,
               isCheaper ? "goes into its kernel" : "stays outside");
  return isCheaper;
}

static MlirWalkResult visit(MlirOperation op, void *data) {
  Choice *choice = data;
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
  if (!choice->always && !isCheaper(op, fusion, iterations))
    return MlirWalkResultAdvance;
  irSetAttr(fusion, PLAN_PERSISTENT, mlirUnitAttrGet(mlirOperationGetContext(op)));
  stitchPassAddStatistic(choice->run, STATISTIC_LOOPS, 1);
  stitchPassAddStatistic(choice->run, STATISTIC_LAUNCHES, iterations - 1);
  return MlirWalkResultAdvance;
}

static void runPersistentLoops(StitchPassRun run, MlirOperation module) {
  const char *choose = stitchPassGetString(run, OPTION_CHOOSE);
  Choice choice = {.run = run, .always = strcmp(choose, "always") == 0};
  if (strcmp(choose, "never") == 0)
    return;
  mlirOperationWalk(module, visit, &choice, MlirWalkPreOrder);
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
