//===- prefetch.c - prefetches before barriers ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the attribute stitch.prefetch of a fusion.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/prefetch.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

intptr_t planPrefetches(MlirOperation fusion, IrArena *arena, StitchPrefetch **prefetches) {
  MlirAttribute list = irGetAttr(fusion, PLAN_PREFETCH);
  intptr_t count = mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  *prefetches = IR_NEW_ARRAY(arena, StitchPrefetch, count + 1);
  for (intptr_t i = 0; i < count; ++i)
    (*prefetches)[i] = stitchPrefetchAttrValue(mlirArrayAttrGetElement(list, i));
  return count;
}

void planSetPrefetches(MlirOperation fusion, intptr_t count, const StitchPrefetch *prefetches) {
  MlirContext context = mlirOperationGetContext(fusion);
  MlirAttribute *list = irAllocate(sizeof(MlirAttribute) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    list[i] = stitchPrefetchAttrGet(context, prefetches[i]);
  irSetAttr(fusion, PLAN_PREFETCH, mlirArrayAttrGet(context, count, list));
  free(list);
}

int64_t planPrefetchPiece(int64_t bytes, int64_t grid) {
  int64_t even = ceilDiv(bytes, grid * PLAN_PREFETCH_PIECES);
  return ceilDiv(even, PLAN_PREFETCH_LINE) * PLAN_PREFETCH_LINE;
}
