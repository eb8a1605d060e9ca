//===- own_plans.c - verification of derived launches ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of attention, scans, skinny products, and operations that are kernels of their own have no roots: their
// launch follows from the operation and the device.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"
#include "ir/plan/gradient_plan.h"
#include "ir/plan/kernel_ops.h"
#include "ir/plan/plan.h"
#include "ir/plan/scan.h"
#include "ir/plan/skinny.h"

bool verifyOwnPlan(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  (void)run;
  StitchLaunch expected, launch;
  bool isScan = planIsScan(fusion), isSkinny = planIsSkinny(fusion);
  if (!(isScan                   ? scanLaunch
        : isSkinny               ? skinnyLaunch
        : planIsGradient(fusion) ? gradientLaunch
                                 : attentionLaunch)(fusion, device, &expected))
    return false;
  bool isExpected = planGetLaunch(fusion, &launch) && planSameLaunch(&launch, &expected);
  if (!isExpected)
    stitchEmitOpError(fusion, "has no stitch.launch, or one that does not follow from its %s",
                      isScan     ? PLAN_SCAN
                      : isSkinny ? PLAN_SKINNY
                                 : "stitch.attention");
  return isExpected && verifyPrefetches(fusion, device, isSkinny ? 1 : 0);
}

/// The launch of an operation that is a kernel of its own follows from the operation and the device.
bool verifyKernelOp(StitchPassRun run, MlirOperation op, const StitchDevice *device) {
  (void)run;
  StitchLaunch expected, launch;
  if (!kernelOpLaunch(op, device, &expected))
    return false;
  bool isExpected = planGetLaunch(op, &launch) && planSameLaunch(&launch, &expected);
  if (!isExpected)
    stitchEmitOpError(op, "has no stitch.launch, or one that does not follow from the operation and the device");
  return isExpected;
}
