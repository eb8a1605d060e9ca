//===- stitch_communication.c - stitch-communication ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO's and PyTorch's training on several devices: gradients are summed while those of earlier layers are computed.
// Takes a planned graph; leaves @main of a program for one process as it is. In others, steps that wait for other
// processes come behind those that do not. Sums of small tensors are one call, and calls that others need not wait for
// are on a stream of their own (stitch.streams, docs/ir.md, section 2). Memory is shared later, and with that the
// actual waits are decided. With `overlap=false`, which other streams need, all stays on one.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/plan/communication.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/common/fusions.h"
#include "passes/stitch_communication/steps.h"
#include "stitch.h"

enum { OPTION_BUCKET, OPTION_OVERLAP };
enum { STATISTIC_SUMS, STATISTIC_HIDDEN };

static void runCommunication(StitchPassRun run, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  StitchDevice device;
  int64_t calls = 0;
  if (mlirOperationIsNull(main) || mlirBlockIsNull(irBody(main, 0)))
    return;
  IR_FOR_EACH_OP(op, irBody(main, 0)) {
    calls += planIsCommunication(op);
  }
  if (calls == 0)
    return;
  if (!passDevice(run, module, "whose links could be told", &device))
    return;
  int64_t kilobytes = stitchPassGetInt(run, OPTION_BUCKET);
  communicationSort(irBody(main, 0));
  int64_t exchanges = communicationMakeExchanges(irBody(main, 0));
  int64_t sums =
      communicationMakeBuckets(irBody(main, 0), kilobytes < 0 ? planBytesOfBucket(&device) : 1024 * (double)kilobytes);
  double hidden = stitchPassGetBool(run, OPTION_OVERLAP) ? communicationOverlap(irBody(main, 0), &device) : 0;
  if (hidden > 0)
    irSetAttr(
        main, PLAN_HIDDEN,
        mlirFloatAttrDoubleGet(mlirOperationGetContext(main), mlirF64TypeGet(mlirOperationGetContext(main)), hidden));
  stitchRemark(
      main,
      "%lld calls between processes; %lld sums are in calls with others; %lld calls give each process the operands "
      "of all; other steps hide %.0f ns",
      (long long)calls, (long long)sums, (long long)exchanges, hidden);
  stitchPassAddStatistic(run, STATISTIC_SUMS, sums);
  stitchPassAddStatistic(run, STATISTIC_HIDDEN, (int64_t)hidden);
}

static const StitchPassOption options[] = {
    {"bucket", "kilobytes of sums that are one call; -1: by the device's figures", STITCH_OPTION_INT, -1, NULL},
    {"overlap", "calls are on a stream of their own", STITCH_OPTION_BOOL, 1, NULL},
};

static const StitchValidValues valid[] = {{"bucket", "-1.."}};

static const StitchPassStatistic statistics[] = {
    {"sums", "that are in one call with others"},
    {"hidden", "nanoseconds of calls between processes that other steps hide"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchCommunicationPass = {
    .argument = "stitch-communication",
    .description = "Calls between processes: several sums as one, overlapped with steps that do not wait for them",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|stitch.library_call|tg",
    .after = "stitch-outline",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runCommunication,
};
