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

/// Where the reductions' area and the buffers in shared memory end.
static int64_t endOfOthers(MlirOperation fusion) {
  int64_t end = planReductionAreaBytes(fusion);
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchBuffer buffer;
    if (planGetBuffer(op, &buffer) && buffer.space == STITCH_SPACE_SHARED)
      end = max64(end, buffer.offset + buffer.size);
  }
  return end;
}

bool verifyStaging(MlirOperation fusion, const StitchLaunch *launch, const StitchDevice *device) {
  enum { ALIGNMENT = 16, LEAST_ARCH = 80 };
  PlanStaging s;
  if (!irHasAttr(fusion, PLAN_STAGING))
    return true;
  if (!planGetStaging(fusion, &s)) {
    stitchEmitOpError(fusion, "has a " PLAN_STAGING " that is no array of two integers of 64 bits");
    return false;
  }
  if (device->arch < LEAST_ARCH || planIterationsInside(fusion) > 1) {
    stitchEmitOpError(fusion, "stages loads, which needs asynchronous copies (sm_80), and no loop inside");
    return false;
  }
  int64_t least = endOfOthers(fusion);
  if (s.offset % ALIGNMENT != 0 || s.offset < least || s.bytes < 1 || s.bytes % (ALIGNMENT * launch->block) != 0 ||
      s.offset + s.bytes > launch->shared) {
    stitchEmitOpError(fusion,
                      "stages loads in %lld bytes of shared memory from byte %lld on: of a multiple of 16 for each of "
                      "%lld threads from %lld on, up to %lld",
                      (long long)s.bytes, (long long)s.offset, (long long)launch->block, (long long)least,
                      (long long)launch->shared);
    return false;
  }
  return true;
}
