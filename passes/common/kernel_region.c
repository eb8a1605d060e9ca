//===- kernel_region.c - operations around the heads of a kernel ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the heads of a kernel with a plan of its own. Leaves the operations around them that the kernel computes: those
// that follow from the heads, and those that only the kernel reads. Operations that would be computed at several places
// for one element stay outside.
//
//===----------------------------------------------------------------------===//

#include "passes/common/kernel_region.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/plan/cost.h"

#include <stdlib.h>

enum {
  MOST_LOOKED_AT = 4096, ///< operations, to find out whether one depends on the region
  FEW_INSTRUCTIONS = 2   ///< of a smaller operation that is computed for each element
};

void kernelRegionDestroy(KernelRegion *r) {
  irMapDestroy(&r->roles);
  irMapDestroy(&r->independent);
  free(r->ops);
}

KernelRegionRole kernelRegionRole(const KernelRegion *r, MlirOperation op) {
  return mlirOperationIsNull(op) ? REGION_NONE : (KernelRegionRole)irMapGet(&r->roles, op.ptr, REGION_NONE);
}

void kernelRegionTake(KernelRegion *r, MlirOperation op, KernelRegionRole role) {
  irMapSet(&r->roles, op.ptr, role);
  IR_RESERVE_ONE(r->ops, r->numOps, r->capacity);
  r->ops[r->numOps++] = op;
}

void kernelRegionKeep(KernelRegion *r, intptr_t count) {
  while (r->numOps > count)
    irMapSet(&r->roles, r->ops[--r->numOps].ptr, REGION_NONE);
}

MlirOperation kernelRegionDefining(const KernelRegion *r, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), r->block) ? op : (MlirOperation){NULL};
}

bool kernelRegionComputes(const KernelRegion *r, MlirValue value) {
  KernelRegionRole role = kernelRegionRole(r, kernelRegionDefining(r, value));
  return role == REGION_HEAD || role == REGION_FOLLOWS;
}

bool kernelRegionIsReadOutside(const KernelRegion *r, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    IR_FOR_EACH_USE(use, irResult(op, i))
      if (!kernelRegionHas(r, mlirOpOperandGetOwner(use)))
        return true;
  return false;
}

bool kernelRegionIsNeededFor(KernelRegion *r, MlirValue value) {
  MlirOperation *stack = NULL;
  intptr_t depth = 0, capacity = 0, count = 0;
  IrMap seen = {0};
  bool depends = false;
  MlirOperation first = kernelRegionDefining(r, value);
  if (!mlirOperationIsNull(first)) {
    IR_RESERVE_ONE(stack, depth, capacity);
    stack[depth++] = first;
  }
  while (depth > 0 && !depends) {
    MlirOperation op = stack[--depth];
    if (mlirOperationIsBeforeInBlock(op, r->ops[0]) || irMapContains(&seen, op.ptr) ||
        irMapContains(&r->independent, op.ptr))
      continue;
    irMapSet(&seen, op.ptr, 1);
    // Operands of operations inside a loop or branch are not looked at.
    depends = kernelRegionHas(r, op) || ++count > MOST_LOOKED_AT || mlirOperationGetNumRegions(op) > 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirOperation from = kernelRegionDefining(r, irOperand(op, i));
      if (mlirOperationIsNull(from))
        continue;
      IR_RESERVE_ONE(stack, depth, capacity);
      stack[depth++] = from;
    }
  }
  if (!depends && !mlirOperationIsNull(first))
    irMapSet(&r->independent, first.ptr, 1);
  irMapDestroy(&seen);
  free(stack);
  return depends;
}

//===----------------------------------------------------------------------===//
// Operations that are read
//===----------------------------------------------------------------------===//

KernelRegionRole kernelRegionRoleToRead(const KernelRegion *r, MlirOperation op, int64_t elements) {
  TgKind kind = tgKindOf(op);
  TgClass class = tgClassOfKind(kind);
  bool isKnown = class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE || class == TG_CLASS_SOURCE;
  if (!isKnown || mlirOperationGetNumResults(op) != 1 || kernelRegionIsFull(r))
    return REGION_NONE;
  if (class == TG_CLASS_SOURCE)
    return kind != TG_constant || tgIsSplat(op) ? REGION_COPIED : REGION_NONE;
  if (class == TG_CLASS_SHAPE && mlirOperationGetNumOperands(op) == 1)
    return REGION_COPIED;
  bool isLarge = irNumElements(irShapeOf(irResult(op, 0))) >= elements;
  bool isCheap = isLarge || (tgCostOfKind(kind) != TG_COST_EXPENSIVE && costInstructionsOf(op) <= FEW_INSTRUCTIONS);
  return isCheap && !kernelRegionIsReadOutside(r, op) ? REGION_READ : REGION_NONE;
}

/// Whether operations of the region read an operation at several places for one element of it. That is one that moves
/// elements, in addition to another reader, or one that is itself read at several.
static bool isReadAtSeveralPlaces(const KernelRegion *r, MlirOperation op) {
  intptr_t numReaders = 0;
  bool isMoved = false, isAgain = false;
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (!kernelRegionHas(r, reader))
      continue;
    bool moves = tgClassOfKind(tgKindOf(reader)) == TG_CLASS_SHAPE;
    ++numReaders;
    isMoved |= moves;
    isAgain |= moves && kernelRegionRole(r, reader) == REGION_COPIED && isReadAtSeveralPlaces(r, reader);
  }
  return isAgain || (isMoved && numReaders > 1);
}

static bool isReadInside(const KernelRegion *r, MlirOperation op) {
  IR_FOR_EACH_USE(use, irResult(op, 0))
    if (kernelRegionHas(r, mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

void kernelRegionLeaveOut(KernelRegion *r) {
  for (bool changed = true; changed;) {
    intptr_t count = 0;
    changed = false;
    for (intptr_t i = 0; i < r->numOps; ++i) {
      MlirOperation op = r->ops[i];
      KernelRegionRole role = kernelRegionRole(r, op);
      bool leaves = (role == REGION_READ && (kernelRegionIsReadOutside(r, op) || isReadAtSeveralPlaces(r, op))) ||
                    (role == REGION_COPIED && !isReadInside(r, op));
      if (leaves)
        irMapSet(&r->roles, op.ptr, REGION_NONE);
      else
        r->ops[count++] = op;
      changed |= leaves;
    }
    r->numOps = count;
  }
}

//===----------------------------------------------------------------------===//
// The fusion
//===----------------------------------------------------------------------===//

bool kernelRegionResults(const KernelRegion *r, ValueList *results) {
  for (intptr_t k = 0; k < r->numOps; ++k) {
    MlirOperation op = r->ops[k];
    KernelRegionRole role = kernelRegionRole(r, op);
    if (role != REGION_HEAD && role != REGION_FOLLOWS)
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      IR_FOR_EACH_USE(use, irResult(op, i)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (kernelRegionHas(r, user))
          continue;
        if (!mlirBlockEqual(mlirOperationGetBlock(user), r->block))
          return false;
        valueListAdd(results, irResult(op, i));
      }
  }
  return results->count > 0;
}

static int compareOps(const void *a, const void *b) {
  const MlirOperation *x = a, *y = b;
  return mlirOperationEqual(*x, *y) ? 0 : mlirOperationIsBeforeInBlock(*x, *y) ? -1 : 1;
}

void kernelRegionSort(KernelRegion *r) { qsort(r->ops, (size_t)r->numOps, sizeof(*r->ops), compareOps); }

MlirOperation kernelRegionFusion(const KernelRegion *r, const ValueList *results, MlirLocation loc) {
  MlirOperation fusion = fusionCopy(r->ops, r->numOps, results, loc, mlirBlockGetTerminator(r->block));
  mlirOperationMoveAfter(fusion, r->ops[r->numOps - 1]);
  return fusion;
}

void kernelRegionReplace(const KernelRegion *r, const ValueList *results, MlirOperation fusion) {
  for (int64_t i = 0; i < results->count; ++i)
    mlirValueReplaceAllUsesOfWith(results->values[i], irResult(fusion, i));
  for (intptr_t k = r->numOps; k-- > 0;) {
    bool isRead = false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(r->ops[k]); ++i)
      isRead |= !mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(r->ops[k], i)));
    if (!isRead)
      mlirOperationDestroy(r->ops[k]);
  }
  fusionMoveReaders(fusion);
}
