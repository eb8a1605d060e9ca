//===- staging.c - what the next task reads, while one is computed -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/plan/staging.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"
#include "ir/plan/occupancy.h"

bool planGetStaging(MlirOperation fusion, PlanStaging *staging) {
  MlirAttribute attribute = irGetAttr(fusion, PLAN_STAGING);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsADenseI64Array(attribute) ||
      mlirDenseArrayGetNumElements(attribute) != 2)
    return false;
  *staging = (PlanStaging){mlirDenseI64ArrayGetElement(attribute, 0), mlirDenseI64ArrayGetElement(attribute, 1)};
  return true;
}

void planSetStaging(MlirOperation fusion, PlanStaging staging) {
  irSetAttr(fusion, PLAN_STAGING,
            mlirDenseI64ArrayGet(mlirOperationGetContext(fusion), 2, (int64_t[]){staging.offset, staging.bytes}));
}

int64_t planStagedBytes(const GroupView *view, const StitchMapping *m, int64_t *ofAll) {
  enum { ACCESS_BYTES = 16 };
  int64_t ofTask = 0;
  *ofAll = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(view->graph->block); ++i) {
    MlirValue input = mlirBlockGetArgument(view->graph->block, i);
    int64_t elements = irNumElements(irShapeOf(input)), bytes = irElementBytes(irElementTypeOf(input));
    if (m->vector * bytes % ACCESS_BYTES != 0)
      continue;
    if (elements == planMappedElements(m))
      ofTask += m->unroll * m->vector * bytes;
    else if (elements == m->columns)
      *ofAll += m->unroll * m->vector * bytes;
  }
  return ofTask;
}

bool planMayStage(const StitchDevice *device, int64_t block, int64_t registers, int64_t bytesOfThread) {
  enum { OTHER_SHARED = 8192 };
  int64_t perSM = planBlocksPerSM(device, block, registers, 0);
  if (device->arch < PLAN_STAGING_ARCH || perSM < 1 || perSM > PLAN_STAGING_BLOCKS)
    return false;
  return block * bytesOfThread + OTHER_SHARED <= min64(device->sharedPerBlock, device->sharedPerSM / perSM);
}
