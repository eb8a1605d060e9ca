//===- prefetch.c - stitch-verify-plan: prefetches -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/ir.md, "Prefetches".
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"
#include "ir/plan/persistent.h"
#include "ir/plan/prefetch.h"

static bool verifyPrefetch(MlirOperation fusion, const StitchPrefetch *p, int64_t numPhases) {
  if (p->phase >= numPhases) {
    stitchEmitOpError(fusion, "prefetches an input before phase %lld, but has %lld", (long long)p->phase,
                      (long long)numPhases);
    return false;
  }
  if (p->input >= mlirOperationGetNumOperands(fusion)) {
    stitchEmitOpError(fusion, "prefetches input %lld, but has %lld", (long long)p->input,
                      (long long)mlirOperationGetNumOperands(fusion));
    return false;
  }
  MlirType type = mlirValueGetType(irOperand(fusion, p->input));
  if (!mlirShapedTypeHasStaticShape(type)) {
    stitchEmitOpError(fusion, "prefetches input %lld, whose size is open", (long long)p->input);
    return false;
  }
  if (p->offset + p->bytes > irTensorBytes(type)) {
    stitchEmitOpError(fusion, "prefetches bytes %lld to %lld of input %lld, which has %lld", (long long)p->offset,
                      (long long)(p->offset + p->bytes), (long long)p->input, (long long)irTensorBytes(type));
    return false;
  }
  return true;
}

bool verifyPrefetches(MlirOperation fusion, const StitchDevice *device, int64_t numPhases) {
  IrArena arena = {0};
  StitchPrefetch *prefetches;
  intptr_t count = planPrefetches(fusion, &arena, &prefetches);
  bool isRight = count == 0 || (device->arch >= PLAN_PREFETCH_ARCH && planIterationsInside(fusion) == 1);
  if (!isRight)
    stitchEmitOpError(fusion,
                      "prefetches inputs before it waits, which needs bulk prefetches (sm_90), and no loop inside");
  for (intptr_t i = 0; i < count && isRight; ++i)
    isRight = verifyPrefetch(fusion, &prefetches[i], numPhases);
  irArenaDestroy(&arena);
  return isRight;
}
