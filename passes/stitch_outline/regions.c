//===- regions.c - stitch-outline: captures of regions --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations with regions, and slices that are updated in place. Leaves constants and other sources within the
// regions that read them, splats expanded, and the readers of such slices apart.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "passes/stitch_outline/outline.h"

//===----------------------------------------------------------------------===//
// Captured constants
//===----------------------------------------------------------------------===//

/// One region while its captured sources are replaced by clones.
typedef struct {
  MlirBlock block;  ///< of the region
  MlirBlock outer;  ///< where the sources are
  IrMap clones;     ///< value -> its clone in the region
  MlirOperation at; ///< the first operation of the region
} SunkRegion;

static bool isSource(MlirOperation op) {
  return !mlirOperationIsNull(op) && (tgKindOf(op) == TG_constant || tgKindOf(op) == TG_iota);
}

static MlirValue cloneOf(SunkRegion *region, MlirValue value) {
  int64_t known = irMapGet(&region->clones, value.ptr, 0);
  if (known)
    return (MlirValue){(void *)(intptr_t)known};
  MlirOperation clone = mlirOperationClone(irDefiningOp(value));
  mlirBlockInsertOwnedOperationBefore(region->block, region->at, clone);
  irMapSet(&region->clones, value.ptr, (int64_t)(intptr_t)irResult(clone, 0).ptr);
  return irResult(clone, 0);
}

static MlirWalkResult replaceSources(MlirOperation op, void *data) {
  SunkRegion *region = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation source = irDefiningOp(irOperand(op, i));
    if (isSource(source) && mlirBlockEqual(mlirOperationGetBlock(source), region->outer))
      mlirOperationSetOperand(op, i, cloneOf(region, irOperand(op, i)));
  }
  return MlirWalkResultAdvance;
}

static void sinkInto(MlirBlock block, MlirBlock outer) {
  SunkRegion region = {.block = block, .outer = outer, .at = mlirBlockGetFirstOperation(block)};
  for (MlirOperation op = region.at; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, replaceSources, &region, MlirWalkPreOrder);
  irMapDestroy(&region.clones);
}

void sinkIntoRegions(MlirBlock block) {
  IR_FOR_EACH_OP(op, block)
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      if (!mlirBlockIsNull(irBody(op, i))) // a declaration has an empty region
        sinkInto(irBody(op, i), block);
}

//===----------------------------------------------------------------------===//
// Splats that start a loop or are returned
//===----------------------------------------------------------------------===//

static void expandSplats(MlirOperation user) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(user); ++i)
    if (tgIsLargeSplat(irOperand(user, i))) {
      IrBuilder b = irBuilderBefore(user);
      mlirOperationSetOperand(user, i, tgBroadcastSplat(&b, irOperand(user, i)));
    }
}

void expandLargeSplats(MlirBlock block) {
  IR_FOR_EACH_OP(op, block)
    if (tgIsControlFlow(op))
      expandSplats(op);
  expandSplats(mlirBlockGetTerminator(block));
}

//===----------------------------------------------------------------------===//
// Slices that are written in place
//===----------------------------------------------------------------------===//

/// A copy, before `user`, of the operations of the block that compute a scalar.
static MlirValue cloneScalar(MlirValue value, MlirOperation user) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || tgKindOf(op) == TG_constant ||
      !mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(user)))
    return value;
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(clone, i, cloneScalar(irOperand(op, i), user));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(user), user, clone);
  return irResult(clone, 0);
}

/// Whether an operation reads its operand in memory, behind the update: a library, or an operation in another region.
static bool readsInMemory(MlirOperation user, MlirBlock block) {
  if (!mlirBlockEqual(mlirOperationGetBlock(user), block))
    return true;
  if (tgKindOf(user) != TG_reshape)
    return !tgIsMemoryIntensive(user);
  IR_FOR_EACH_USE(use, irResult(user, 0))
    if (!readsInMemory(mlirOpOperandGetOwner(use), block))
      return false;
  return true;
}

/// Has fusions compute the result of an update that they read.
static void separateReaders(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirValue result = irResult(op, 0);
  MlirOperation copy = {NULL};
  irSetAttr(op, IR_IN_PLACE_ATTRIBUTE, mlirUnitAttrGet(mlirOperationGetContext(op)));
  for (MlirOpOperand use = mlirValueGetFirstUse(result), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (readsInMemory(user, block))
      continue;
    if (mlirOperationIsNull(copy)) {
      copy = mlirOperationClone(op);
      mlirOperationRemoveAttributeByName(copy, mlirStringRefCreateFromCString(IR_IN_PLACE_ATTRIBUTE));
      mlirBlockInsertOwnedOperationAfter(block, op, copy);
    }
    mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), irResult(copy, 0));
  }
}

void separateSlicesInPlace(MlirBlock block) {
  IR_FOR_EACH_OP(op, block) {
    if (!irUpdatesInPlace(op) && irCouldUpdateInPlace(op))
      separateReaders(op);
    if (!irUpdatesInPlace(op))
      continue;
    for (intptr_t i = 2; i < mlirOperationGetNumOperands(op); ++i)
      mlirOperationSetOperand(op, i, cloneScalar(irOperand(op, i), op));
    IrBuilder b = irBuilderBefore(op);
    MlirValue slice = irOperand(op, 1);
    mlirOperationSetOperand(op, 1, irValueOf(&b, "tg.reshape", IR_VALUES(slice), mlirValueGetType(slice), IR_NO_ATTRS));
  }
}
