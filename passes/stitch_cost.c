//===- stitch_cost.c - stitch-cost ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of a plan by the cost model (ir/plan/kernel_cost.h). Takes a module with its whole plan and changes nothing.
// Remarks have the cost of each kernel and each library call with its terms, and the cost of the plan as a whole.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/executions.h"
#include "ir/graph/tg.h"
#include "ir/mlir/query.h"
#include "ir/plan/communication.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/common/fusions.h"
#include "stitch.h"

enum { STATISTIC_NANOSECONDS };

static void explainCommunication(MlirOperation op, const StitchDevice *device) {
  if (!planIsCommunication(op))
    return;
  Communication c = planCommunicationOf(op, device);
  stitchRemark(op, "communication of %lld processes%s: %.0f bytes, %.0f sent by each, %.0f ns", (long long)c.processes,
               c.crossesMachines ? " on several machines" : "", c.bytes, c.traffic, c.nanoseconds);
}

static void remarkCost(MlirOperation op, const char *what, const PlanCost *cost, int64_t times) {
  stitchRemark(
      op,
      "%s costs %.0f ns: launch %.0f, barriers %.0f, latency %.0f, memory %.0f (%.0f bytes read, %.0f written), "
      "instructions %.0f, further rounds %.0f; %lld phases, %lld rounds; runs %lld times; hidden by nothing: %.0f",
      what, cost->total, cost->launch, cost->barriers, cost->latency, cost->memory, cost->bytesRead, cost->bytesWritten,
      cost->instructions, cost->rounds, (long long)cost->numPhases, (long long)cost->numRounds, (long long)times,
      cost->exposed);
}

static MlirWalkResult explainOperation(MlirOperation op, void *data) {
  const StitchDevice *device = data;
  PlanCost cost;
  bool isFusion = irOpIs(op, "stitch.fusion");
  if (isFusion && planCostOfFusion(op, device, &cost))
    remarkCost(op, "the kernel", &cost, irTimesExecuted(op));
  if (irOpIs(op, "stitch.library_call") || tgClassOfKind(tgKindOf(op)) == TG_CLASS_KERNEL) {
    cost = planCostOfCall(op, device);
    remarkCost(op, "the call", &cost, irTimesExecuted(op));
    explainCommunication(op, device);
    return MlirWalkResultSkip;
  }
  return isFusion ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

static void runCost(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  PlanCost cost;
  if (!passDevice(run, module, "whose times could be told", &device))
    return;
  if (!planCostOfModule(module, &device, &cost)) {
    stitchPassSignalFailure(run);
    return;
  }
  stitchPassAddStatistic(run, STATISTIC_NANOSECONDS, (int64_t)cost.total);
  if (!stitchRemarksEnabled(mlirOperationGetContext(module)))
    return;
  mlirOperationWalk(module, explainOperation, &device, MlirWalkPreOrder);
  stitchRemark(module,
               "the plan costs %.0f ns: launches %.0f, barriers %.0f, latency %.0f, memory %.0f (%.0f bytes read, %.0f "
               "written), instructions %.0f, further rounds %.0f, hidden by nothing %.0f",
               cost.total, cost.launch, cost.barriers, cost.latency, cost.memory, cost.bytesRead, cost.bytesWritten,
               cost.instructions, cost.rounds, cost.exposed);
  if (cost.communication > 0)
    stitchRemark(module, "communication takes %.0f ns of these, other steps hide %.0f ns more; %.0f bytes sent",
                 cost.communication - cost.hidden, cost.hidden, cost.bytesSent);
}

static const StitchPassStatistic statistics[] = {
    {"nanoseconds", "that the plan takes by the cost model"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchCostPass = {
    .argument = "stitch-cost",
    .description = "Report the cost of each kernel and library call of a plan by the cost model",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion|stitch.library_call|tg",
    .after = "stitch-outline",
    .run = runCost,
};
