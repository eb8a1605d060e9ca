//===- order.c - stitch-communication: independent steps first ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations of a block. Leaves them sorted by the number of collectives that they wait for one after the
// other, and each collective right behind its operands. So operations that need no collective run while it
// communicates. Updates in place stay behind earlier readers.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/in_place.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/plan/communication.h"
#include "passes/stitch_communication/steps.h"

#include <stdlib.h>

typedef struct {
  MlirOperation op;
  int64_t depth, position;
} OpDepth;

typedef struct {
  MlirBlock block;
  IrMap depths; ///< operation of the block -> depth
  int64_t depth;
  bool updates; ///< memory in place
} DepthWalk;

MlirOperation communicationAncestor(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static void raiseDepth(DepthWalk *walk, int64_t depth) { walk->depth = depth > walk->depth ? depth : walk->depth; }

/// Values that regions read from around them count, too.
static MlirWalkResult visitOp(MlirOperation op, void *data) {
  DepthWalk *walk = data;
  walk->updates |= irScattersInPlace(op) || irUpdatesInPlace(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = irDefiningOp(irOperand(op, i));
    if (mlirOperationIsNull(from) || !mlirBlockEqual(mlirOperationGetBlock(from), walk->block))
      continue;
    raiseDepth(walk, irMapGet(&walk->depths, from.ptr, 0) + planIsCommunication(from));
  }
  return MlirWalkResultAdvance;
}

/// An update of a value stays behind all earlier readers of the value.
static void stayBehindReaders(DepthWalk *walk, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    IR_FOR_EACH_USE(use, irOperand(op, i)) {
      MlirOperation reader = communicationAncestor(walk->block, mlirOpOperandGetOwner(use));
      if (!mlirOperationIsNull(reader))
        raiseDepth(walk, irMapGet(&walk->depths, reader.ptr, 0));
    }
}

static int comparePlaces(const void *a, const void *b) {
  const OpDepth *x = a, *y = b;
  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

static void moveBefore(MlirOperation op, MlirOperation before) {
  MlirBlock block = mlirOperationGetBlock(before);
  mlirOperationRemoveFromParent(op);
  mlirBlockInsertOwnedOperationBefore(block, before, op);
}

/// The last operation that defines an operand; null: an argument of the block does.
static MlirOperation lastDefinition(MlirOperation call) {
  MlirOperation last = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirOperation from = irDefiningOp(irOperand(call, i));
    if (!mlirOperationIsNull(from) && (mlirOperationIsNull(last) || mlirOperationIsBeforeInBlock(last, from)))
      last = from;
  }
  return last;
}

static void hoistCalls(MlirBlock block) {
  MlirOperation first = mlirBlockGetFirstOperation(block);
  IR_FOR_EACH_OP_REPLACING(op, block) {
    if (!planIsCommunication(op))
      continue;
    MlirOperation last = lastDefinition(op), target = mlirOperationIsNull(last) ? first : irNextOp(last);
    while (!mlirOperationEqual(target, op) && planIsCommunication(target)) // calls stay in order
      target = irNextOp(target);
    if (!mlirOperationEqual(target, op))
      moveBefore(op, target);
  }
}

void communicationSort(MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  int64_t count = irNumOps(block);
  OpDepth *places = irAllocate(sizeof(*places) * (size_t)(count + 1));
  DepthWalk walk = {.block = block};
  int64_t n = 0;
  IR_FOR_EACH_OP(op, block) {
    if (mlirOperationEqual(op, end))
      break;
    walk.depth = 0;
    walk.updates = false;
    mlirOperationWalk(op, visitOp, &walk, MlirWalkPreOrder);
    if (walk.updates)
      stayBehindReaders(&walk, op);
    irMapSet(&walk.depths, op.ptr, walk.depth);
    places[n] = (OpDepth){op, walk.depth, n};
    ++n;
  }
  qsort(places, (size_t)n, sizeof(*places), comparePlaces);
  for (int64_t i = 0; i < n; ++i)
    moveBefore(places[i].op, end);
  free(places);
  irMapDestroy(&walk.depths);
  hoistCalls(block);
}
