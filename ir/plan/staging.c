//===- staging.c - staging: loads of the next task ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the attribute stitch.staging, and counts the bytes of a task that threads can prefetch to shared
// memory.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/staging.h"

#include "ir/mlir/query.h"

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
  int64_t ofTask = 0;
  *ofAll = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(view->graph->block); ++i) {
    MlirValue input = mlirBlockGetArgument(view->graph->block, i);
    int64_t elements = irNumElements(irShapeOf(input)), bytes = irElementBytes(irElementTypeOf(input));
    if (m->vector * bytes % PLAN_STAGING_ACCESS != 0)
      continue;
    if (elements == planMappedElements(m))
      ofTask += m->unroll * m->vector * bytes;
    else if (elements == m->columns)
      *ofAll += m->unroll * m->vector * bytes;
  }
  return ofTask;
}
