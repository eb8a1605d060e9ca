//===- staging.c - stitch-verify-plan: staged loads ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/ir.md, "Staged loads".
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/persistent.h"
#include "ir/plan/staging.h"

bool verifyStaging(MlirOperation fusion, const StitchLaunch *launch, const StitchDevice *device) {
  PlanStaging s;
  if (!irHasAttr(fusion, PLAN_STAGING))
    return true;
  if (!planGetStaging(fusion, &s)) {
    stitchEmitOpError(fusion, "has a " PLAN_STAGING " that is no array of two integers of 64 bits");
    return false;
  }
  if (device->arch < PLAN_STAGING_ARCH || planIterationsInside(fusion) > 1) {
    stitchEmitOpError(fusion, "stages loads, which needs asynchronous copies (sm_80), and no loop inside");
    return false;
  }
  int64_t least = endOfSharedBuffers(fusion);
  if (s.offset % PLAN_STAGING_ACCESS != 0 || s.offset < least || s.bytes < 1 ||
      s.bytes % (PLAN_STAGING_ACCESS * launch->block) != 0 || s.offset + s.bytes > launch->shared) {
    stitchEmitOpError(fusion,
                      "stages loads in %lld bytes of shared memory from byte %lld on: of a multiple of 16 for each of "
                      "%lld threads from %lld on, up to %lld",
                      (long long)s.bytes, (long long)s.offset, (long long)launch->block, (long long)least,
                      (long long)launch->shared);
    return false;
  }
  return true;
}
