//===- fusions.c - what the passes over fusions share ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusions.h"

#include "capi/diagnostics.h"

typedef struct {
  StitchPassRun run;
  FusionPlanner plan;
  bool failed;
} Walk;

static MlirWalkResult visitOperation(MlirOperation op, void *data) {
  Walk *walk = data;
  if (!irOpIs(op, "stitch.fusion"))
    return MlirWalkResultAdvance;
  StitchDevice device;
  if (!planGetDevice(op, &device)) {
    stitchEmitOpError(op, "has no device to be planned for: set stitch.device on the module");
    walk->failed = true;
    return MlirWalkResultInterrupt;
  }
  walk->failed |= !walk->plan(walk->run, op, &device);
  return MlirWalkResultSkip;
}

void planFusions(StitchPassRun run, MlirOperation module, FusionPlanner plan) {
  Walk walk = {run, plan, false};
  mlirOperationWalk(module, visitOperation, &walk, MlirWalkPreOrder);
  if (walk.failed)
    stitchPassSignalFailure(run);
}
