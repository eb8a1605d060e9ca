//===- region.c - which operations are a kernel of attention -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a kernel of attention the scores are in no memory, nor are elementwise functions of them. Such operations are
// taken in up to reduces and the second product, and nothing else may need their values. Further operations are taken
// in. They are those that make one value a row of the reduces, where an element needs it; cheap operations that the
// elements read (masks, biases); those that only move or convert queries, keys and values; and the same of the result.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_online_softmax/region.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"

#include <stdlib.h>

enum { MOST_OPERATIONS = 256, MOST_OF_OPERAND = 24 };

RegionRole regionRole(const SoftmaxRegion *r, MlirOperation op) {
  return mlirOperationIsNull(op) ? ROLE_NONE : (RegionRole)irMapGet(&r->roles, op.ptr, ROLE_NONE);
}

static bool refuse(SoftmaxRegion *r, MlirOperation culprit, const char *reason) {
  if (!r->reason) {
    r->reason = reason;
    r->culprit = culprit;
  }
  return false;
}

MlirOperation regionDefining(MlirBlock block, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), block) ? op : (MlirOperation){NULL};
}

bool regionIsElementwise(MlirOperation op) {
  TgClass class = tgClassOfKind(tgKindOf(op));
  return class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE;
}

//===----------------------------------------------------------------------===//
// From the second product to the first
//===----------------------------------------------------------------------===//

static MlirOperation findProduct(MlirValue value, MlirBlock block, IrMap *seen) {
  MlirOperation op = regionDefining(block, value);
  if (mlirOperationIsNull(op) || irMapContains(seen, op.ptr) || seen->count > MOST_OPERATIONS)
    return (MlirOperation){NULL};
  irMapSet(seen, op.ptr, 1);
  if (tgKindOf(op) == TG_dot)
    return op;
  MlirOperation found = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && mlirOperationIsNull(found); ++i)
    if (regionIsElementwise(op) || tgKindOf(op) == TG_reduce)
      found = findProduct(irOperand(op, i), block, seen);
  return found;
}

/// Whether an exponential is on a way from the value to a product.
static bool isOfExponential(MlirValue value, MlirBlock block, int64_t depth) {
  MlirOperation op = regionDefining(block, value);
  if (mlirOperationIsNull(op) || depth == 0 || !regionIsElementwise(op))
    return false;
  bool found = tgKindOf(op) == TG_exp;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !found; ++i)
    found = isOfExponential(irOperand(op, i), block, depth - 1);
  return found;
}

MlirOperation regionFirstProduct(MlirOperation second) {
  enum { NEAR = 8 };
  MlirBlock block = mlirOperationGetBlock(second);
  MlirOperation found = {NULL};
  for (intptr_t i = 0; i < 2 && mlirOperationIsNull(found); ++i) {
    IrMap seen = {0};
    if (isOfExponential(irOperand(second, i), block, NEAR))
      found = findProduct(irOperand(second, i), block, &seen);
    irMapDestroy(&seen);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// The operations of a region
//===----------------------------------------------------------------------===//

static bool readsElements(const SoftmaxRegion *r, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = regionDefining(r->block, irOperand(op, i));
    if (regionRole(r, from) == ROLE_ELEMENT || (!mlirOperationIsNull(from) && mlirOperationEqual(from, r->first)))
      return true;
  }
  return false;
}

/// Scores, and elementwise functions of them, up to reduces and the second product.
static bool takeElements(SoftmaxRegion *r) {
  irMapSet(&r->roles, r->first.ptr, ROLE_PRODUCT);
  irMapSet(&r->roles, r->second.ptr, ROLE_PRODUCT);
  for (MlirOperation op = irNextOp(r->first); !mlirOperationIsNull(op); op = irNextOp(op)) {
    if (!readsElements(r, op) || mlirOperationEqual(op, r->second))
      continue;
    if (tgKindOf(op) != TG_reduce && !regionIsElementwise(op))
      return refuse(r, op, "needs the scores, or weights, in memory");
    r->hasReduce |= tgKindOf(op) == TG_reduce;
    irMapSet(&r->roles, op.ptr, tgKindOf(op) == TG_reduce ? ROLE_REDUCE : ROLE_ELEMENT);
    if (r->roles.count > MOST_OPERATIONS)
      return refuse(r, op, "is one of too many operations on the scores");
  }
  return true;
}

static bool isOfReduces(const SoftmaxRegion *r, MlirOperation op) {
  if (mlirOperationIsNull(op) || regionRole(r, op) == ROLE_REDUCE)
    return !mlirOperationIsNull(op);
  if (!regionIsElementwise(op) || !mlirOperationIsBeforeInBlock(r->first, op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isOfReduces(r, regionDefining(r->block, irOperand(op, i))))
      return true;
  return false;
}

bool regionIsCheap(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return tgClassOfKind(kind) == TG_CLASS_SOURCE ? kind != TG_constant || tgIsSplat(op)
                                                : regionIsElementwise(op) && tgCostOfKind(kind) != TG_COST_EXPENSIVE;
}

/// Takes in the operands of an element: all functions of reduces, and else cheap operations, as many as `left`.
static void takeOperand(SoftmaxRegion *r, MlirValue value, int64_t *left) {
  MlirOperation op = regionDefining(r->block, value);
  if (mlirOperationIsNull(op) || regionRole(r, op) != ROLE_NONE)
    return;
  bool isOfRow = isOfReduces(r, op);
  if (!isOfRow && (!regionIsCheap(op) || *left == 0))
    return;
  irMapSet(&r->roles, op.ptr, ROLE_BESIDES);
  *left -= !isOfRow;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    takeOperand(r, irOperand(op, i), left);
}

static bool movesOrWidens(MlirOperation op) {
  if (tgKindOf(op) == TG_convert)
    return irIsFloat(irElementTypeOf(irOperand(op, 0))) &&
           irElementBytes(irElementTypeOf(irOperand(op, 0))) <= irElementBytes(irElementTypeOf(irResult(op, 0)));
  return tgClassOfKind(tgKindOf(op)) == TG_CLASS_SHAPE && mlirOperationGetNumOperands(op) == 1;
}

void regionTakeMoves(SoftmaxRegion *r, MlirValue value) {
  int64_t left = MOST_OF_OPERAND;
  for (MlirOperation op = regionDefining(r->block, value);
       !mlirOperationIsNull(op) && (movesOrWidens(op) || tgKindOf(op) == TG_gather) && regionRole(r, op) == ROLE_NONE;
       op = regionDefining(r->block, irOperand(op, 0))) {
    irMapSet(&r->roles, op.ptr, ROLE_BESIDES);
    if (tgKindOf(op) == TG_gather) // of rows of a table: pages of a cache
      takeOperand(r, irOperand(op, 1), &left);
  }
}

static void takeOperands(SoftmaxRegion *r) {
  for (MlirOperation op = irNextOp(r->first); !mlirOperationIsNull(op); op = irNextOp(op)) {
    int64_t left = MOST_OF_OPERAND;
    RegionRole role = regionRole(r, op);
    for (intptr_t i = 0; role == ROLE_ELEMENT && i < mlirOperationGetNumOperands(op); ++i)
      takeOperand(r, irOperand(op, i), &left);
  }
  for (intptr_t i = 0; i < 2; ++i) {
    regionTakeMoves(r, irOperand(r->first, i));
    regionTakeMoves(r, irOperand(r->second, i));
  }
}

MlirValue regionTakeBehind(SoftmaxRegion *r, MlirValue value) {
  for (;;) {
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
      return value;
    MlirOperation op = mlirOpOperandGetOwner(use);
    TgKind kind = tgKindOf(op);
    if ((kind != TG_convert && kind != TG_reshape && kind != TG_transpose) ||
        !mlirBlockEqual(mlirOperationGetBlock(op), r->block))
      return value;
    irMapSet(&r->roles, op.ptr, ROLE_BEHIND);
    value = irResult(op, 0);
  }
}

//===----------------------------------------------------------------------===//
// Needs of others
//===----------------------------------------------------------------------===//

/// Whether something outside needs an operation's value, directly or through operations that may be outside, too.
static bool isNeeded(const SoftmaxRegion *r, MlirOperation op, const IrMap *needed) {
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    RegionRole role = regionRole(r, user);
    if (role == ROLE_NONE || (role == ROLE_BESIDES && irMapContains(needed, user.ptr)))
      return true;
  }
  return false;
}

void regionListOperations(SoftmaxRegion *r) {
  IR_FOR_EACH_OP(op, r->block) {
    if (regionRole(r, op) == ROLE_NONE)
      continue;
    IR_RESERVE_ONE(r->ops, r->numOps, r->capacity);
    r->ops[r->numOps++] = op;
  }
}

/// The end of the operations behind the second product, and the reduces that something outside needs.
static bool findResults(SoftmaxRegion *r, MlirValue last) {
  IrMap needed = {0};
  bool succeeded = true;
  valueListAdd(&r->results, last);
  for (intptr_t i = r->numOps; i-- > 0 && succeeded;) {
    MlirOperation op = r->ops[i];
    RegionRole role = regionRole(r, op);
    if (mlirValueEqual(irResult(op, 0), last) || !isNeeded(r, op, &needed))
      continue;
    irMapSet(&needed, op.ptr, 1);
    if (role == ROLE_REDUCE)
      valueListAdd(&r->results, irResult(op, 0));
    else
      succeeded = role == ROLE_BESIDES || refuse(r, op, "is needed in memory");
  }
  irMapDestroy(&needed);
  return succeeded;
}

enum { READS_NOTHING, MAY_BE_INSIDE, IS_OUTSIDE };

/// The most that an operation reads of the fusion's results, directly or through others.
static int64_t readsOfResults(const SoftmaxRegion *r, MlirOperation op, const IrMap *reads) {
  int64_t most = READS_NOTHING;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = regionDefining(r->block, irOperand(op, i));
    int64_t of = mlirOperationIsNull(from) ? READS_NOTHING : irMapGet(reads, from.ptr, READS_NOTHING);
    if (irMapContains(&r->results.numbers, irOperand(op, i).ptr) && of == READS_NOTHING)
      of = MAY_BE_INSIDE;
    most = of > most ? of : most;
  }
  return most;
}

/// Whether nothing that the fusion reads is computed, outside of it, of its results.
static bool isFreeOfCycles(SoftmaxRegion *r) {
  IrMap reads = {0};
  bool succeeded = true;
  for (MlirOperation op = r->first; !mlirOperationIsNull(op) && succeeded; op = irNextOp(op)) {
    int64_t most = readsOfResults(r, op, &reads);
    RegionRole role = regionRole(r, op);
    if (role != ROLE_NONE && most == IS_OUTSIDE)
      succeeded = refuse(r, op, "reads a value that is computed from the softmax outside of the kernel");
    if (most != READS_NOTHING)
      irMapSet(&reads, op.ptr, role == ROLE_NONE ? IS_OUTSIDE : MAY_BE_INSIDE);
  }
  irMapDestroy(&reads);
  return succeeded;
}

/// Whether all that reads the operations is in their block, but for those that can stay where they are.
static bool isReadInBlock(SoftmaxRegion *r) {
  for (intptr_t i = 0; i < r->numOps; ++i) {
    if (regionRole(r, r->ops[i]) == ROLE_BESIDES && !isOfReduces(r, r->ops[i]))
      continue;
    IR_FOR_EACH_USE(use, irResult(r->ops[i], 0))
      if (!mlirBlockEqual(mlirOperationGetBlock(mlirOpOperandGetOwner(use)), r->block))
        return refuse(r, r->ops[i], "is read in a loop or branch");
  }
  return true;
}

bool regionFind(SoftmaxRegion *r, MlirOperation first, MlirOperation second) {
  *r = (SoftmaxRegion){.first = first, .second = second, .block = mlirOperationGetBlock(second)};
  if (!takeElements(r))
    return false;
  takeOperands(r);
  MlirValue last = regionTakeBehind(r, irResult(r->second, 0));
  regionListOperations(r);
  return r->hasReduce && isReadInBlock(r) && findResults(r, last) && isFreeOfCycles(r);
}

//===----------------------------------------------------------------------===//
// Into a fusion
//===----------------------------------------------------------------------===//

MlirOperation regionCopy(const SoftmaxRegion *r) {
  return fusionCopy(r->ops, r->numOps, &r->results, mlirOperationGetLocation(r->second), r->second);
}

void regionReplace(const SoftmaxRegion *r, MlirOperation fusion) {
  for (int64_t i = 0; i < r->results.count; ++i)
    mlirValueReplaceAllUsesOfWith(r->results.values[i], irResult(fusion, i));
  for (intptr_t i = r->numOps; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(r->ops[i], 0))))
      mlirOperationDestroy(r->ops[i]);
  fusionMoveReaders(fusion);
}

void regionDestroy(SoftmaxRegion *r) {
  irMapDestroy(&r->roles);
  valueListDestroy(&r->results);
  free(r->ops);
}
