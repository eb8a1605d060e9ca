//===- fusions.c - helpers of passes over fusions -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module, and a function that plans one fusion, operation or graph. Calls it for each of them with the module's
// device; false if one has failed. Fusions with a plan of their own, such as those of attention, are visited
// separately.
//
//===----------------------------------------------------------------------===//

#include "passes/common/fusions.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/persistent.h"
#include "ir/plan/scan.h"

#include <stdlib.h>

bool passDevice(StitchPassRun run, MlirOperation module, const char *purpose, StitchDevice *device) {
  if (planGetDevice(module, device))
    return true;
  stitchEmitOpError(module, "has no device %s: set stitch.device on the module", purpose);
  stitchPassSignalFailure(run);
  return false;
}

typedef struct {
  StitchPassRun run;
  FusionPlanner plan;
  bool (*isPlanned)(MlirOperation op);
  bool needsDevice;
  bool failed;
} FusionWalk;

static MlirWalkResult visitOperation(MlirOperation op, void *data) {
  FusionWalk *walk = data;
  if (!walk->isPlanned(op)) // an operation in a fusion is no kernel of its own
    return irOpIs(op, "stitch.fusion") ? MlirWalkResultSkip : MlirWalkResultAdvance;
  StitchDevice device;
  bool hasDevice = planGetDevice(op, &device);
  if (!hasDevice && walk->needsDevice) {
    stitchEmitOpError(op, "has no device to be planned for: set stitch.device on the module");
    walk->failed = true;
    return MlirWalkResultInterrupt;
  }
  walk->failed |= !walk->plan(walk->run, op, hasDevice ? &device : NULL);
  return MlirWalkResultSkip;
}

static void planAll(StitchPassRun run, MlirOperation module, FusionPlanner plan, bool (*isPlanned)(MlirOperation),
                    bool needsDevice) {
  FusionWalk walk = {run, plan, isPlanned, needsDevice, false};
  mlirOperationWalk(module, visitOperation, &walk, MlirWalkPreOrder);
  if (walk.failed)
    stitchPassSignalFailure(run);
}

static bool hasOwnPlan(MlirOperation op) { return irOpIs(op, "stitch.fusion") && planHasOwnPlan(op); }

static bool isFusion(MlirOperation op) {
  return irOpIs(op, "stitch.fusion") && !planHasOwnPlan(op) && !irHasAttr(op, PLAN_SAME_AS);
}

void planFusions(StitchPassRun run, MlirOperation module, FusionPlanner plan) {
  planAll(run, module, plan, isFusion, /*needsDevice=*/true);
}

void planFusionsForAny(StitchPassRun run, MlirOperation module, FusionPlanner plan) {
  planAll(run, module, plan, isFusion, /*needsDevice=*/false);
}

void planOwnPlans(StitchPassRun run, MlirOperation module, FusionPlanner plan) {
  planAll(run, module, plan, hasOwnPlan, /*needsDevice=*/true);
}

static bool isKernelOp(MlirOperation op) { return tgClassOfKind(tgKindOf(op)) == TG_CLASS_KERNEL; }

void planKernelOps(StitchPassRun run, MlirOperation module, FusionPlanner plan) {
  planAll(run, module, plan, isKernelOp, /*needsDevice=*/true);
}

bool fusionHasKnownSizes(MlirOperation fusion) {
  bool isOpen = irHasOpenSize(fusion);
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    isOpen |= irHasOpenSize(op);
  return !isOpen;
}

/// Whether every reader of an input takes a part of it.
static bool isReadInParts(MlirValue input) {
  for (MlirOpOperand use = mlirValueGetFirstUse(input); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TgKind kind = tgKindOf(mlirOpOperandGetOwner(use));
    if (kind != TG_slice && kind != TG_dynamic_slice && kind != TG_gather)
      return false;
  }
  return true;
}

double fusionLeastBytes(MlirOperation fusion) {
  double bytes = 0;
  MlirBlock body = irBody(fusion, 0);
  bool isPersistent = irHasAttr(fusion, PLAN_PERSISTENT);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    bytes += (double)irTensorBytes(mlirValueGetType(irResult(fusion, i)));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    if (!(isPersistent && planIsUnchangedInput(fusion, i)) && !isReadInParts(mlirBlockGetArgument(body, i)))
      bytes += (double)irTensorBytes(mlirValueGetType(mlirBlockGetArgument(body, i)));
  return bytes;
}

static bool visitGraph(StitchPassRun run, MlirBlock block, GraphVisitor visit) {
  bool succeeded = visit(run, block);
  IR_FOR_EACH_OP(op, block)
    for (intptr_t i = 0; succeeded && tgIsControlFlow(op) && i < mlirOperationGetNumRegions(op); ++i)
      succeeded = visitGraph(run, irBody(op, i), visit);
  return succeeded;
}

/// Operations are checked when they are planned; an argument may have none.
static bool hasStaticArguments(MlirOperation function, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(block, i));
    if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeHasStaticShape(type))
      continue;
    char *text = irTypeText(type);
    stitchEmitOpError(function, "has an argument of type %s, whose dynamic shape cannot be planned", text);
    free(text);
    return false;
  }
  return true;
}

static bool visitFunction(StitchPassRun run, MlirOperation function, GraphVisitor visit) {
  MlirBlock block = irBody(function, 0);
  if (mlirBlockIsNull(block))
    return true;
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    stitchEmitOpError(function, "has several blocks: a graph has one");
  else if (mlirOperationIsNull(mlirBlockGetTerminator(block)))
    stitchEmitOpError(function, "does not end with a return");
  else
    return hasStaticArguments(function, block) && visitGraph(run, block, visit);
  return false;
}

void planGraphs(StitchPassRun run, MlirOperation module, GraphVisitor visit) {
  bool succeeded = true;
  IR_FOR_EACH_OP(op, mlirModuleGetBody(mlirModuleFromOperation(module)))
    if (irOpIs(op, "func.func"))
      succeeded &= visitFunction(run, op, visit);
  if (!succeeded)
    stitchPassSignalFailure(run);
}
