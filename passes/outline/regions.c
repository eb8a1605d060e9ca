//===- regions.c - stitch-outline: what loops and branches capture -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/build.h"
#include "ir/map.h"
#include "ir/tg.h"
#include "passes/outline/outline.h"

/// One region while its captured sources are replaced by clones.
typedef struct {
  MlirBlock block;  ///< of the region
  MlirBlock outer;  ///< where the sources are
  IrMap clones;     ///< value -> its clone in the region
  MlirOperation at; ///< what was first in the region
} Region;

static bool isSource(MlirOperation op) {
  return !mlirOperationIsNull(op) && (tgKindOf(op) == TG_constant || tgKindOf(op) == TG_iota);
}

static MlirValue cloneOf(Region *region, MlirValue value) {
  int64_t known = irMapGet(&region->clones, value.ptr, 0);
  if (known)
    return (MlirValue){(void *)(intptr_t)known};
  MlirOperation clone = mlirOperationClone(irDefiningOp(value));
  mlirBlockInsertOwnedOperationBefore(region->block, region->at, clone);
  irMapSet(&region->clones, value.ptr, (int64_t)(intptr_t)irResult(clone, 0).ptr);
  return irResult(clone, 0);
}

static MlirWalkResult replaceSources(MlirOperation op, void *data) {
  Region *region = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation source = irDefiningOp(irOperand(op, i));
    if (isSource(source) && mlirBlockEqual(mlirOperationGetBlock(source), region->outer))
      mlirOperationSetOperand(op, i, cloneOf(region, irOperand(op, i)));
  }
  return MlirWalkResultAdvance;
}

static void sinkInto(MlirBlock block, MlirBlock outer) {
  Region region = {.block = block, .outer = outer, .at = mlirBlockGetFirstOperation(block)};
  for (MlirOperation op = region.at; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, replaceSources, &region, MlirWalkPreOrder);
  irMapDestroy(&region.clones);
}

void sinkIntoRegions(MlirBlock block) {
  IR_FOR_EACH_OP(op, block)
  for (intptr_t i = 0; tgIsControlFlow(op) && i < mlirOperationGetNumRegions(op); ++i)
    sinkInto(irBody(op, i), block);
}
