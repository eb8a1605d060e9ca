//===- release_buffers.c - free each buffer after its last use -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes bufferized functions of one block in which no buffer is freed and no region hands a buffer that it allocates to
// the outside. Leaves a memref.dealloc for each memref.alloc, in its block, right after the last operation that uses
// the buffer or a view of it. A buffer that is returned is not freed.
//
// Upstream's ownership-based deallocation handles control flow and frees at the end of the block: a model would then
// hold all intermediate results together.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

#include "mlir-c/Dialect/MemRef.h"

#include <stdlib.h>

typedef struct {
  MlirBlock block;
  IrMap positions; // of the block's operations
} BlockPositions;

/// The operation of the block in which `op` is nested, or `op` itself.
static MlirOperation ancestorInBlock(MlirBlock block, MlirOperation op) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static bool isBuffer(MlirType type) { return mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type); }

/// The last operation of the block that uses `value` or a view of it; `last` if none is later. An operation that takes
/// a buffer and gives a buffer is taken for a view of it.
static MlirOperation lastUse(const BlockPositions *order, MlirValue value, MlirOperation last) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = ancestorInBlock(order->block, mlirOpOperandGetOwner(use));
    if (irMapGet(&order->positions, user.ptr, -1) > irMapGet(&order->positions, last.ptr, -1))
      last = user;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(user); ++i)
      if (isBuffer(mlirValueGetType(irResult(user, i))))
        last = lastUse(order, irResult(user, i), last);
  }
  return last;
}

static void releaseAfterLastUse(const BlockPositions *order, MlirOperation alloc) {
  MlirOperation last = lastUse(order, irResult(alloc, 0), alloc);
  if (irOpIs(last, "func.return"))
    return;
  IrBuilder b = irBuilderAfter(last);
  irOp(&b, "memref.dealloc", IR_VALUES(irResult(alloc, 0)), IR_NO_TYPES, IR_NO_ATTRS);
}

static void releaseInBlock(MlirBlock block) {
  BlockPositions order = {.block = block};
  int64_t position = 0;
  IR_FOR_EACH_OP(op, block)
    irMapSet(&order.positions, op.ptr, position++);
  IR_FOR_EACH_OP(op, block)
    if (irOpIs(op, "memref.alloc"))
      releaseAfterLastUse(&order, op);
  irMapDestroy(&order.positions);
}

static MlirWalkResult releaseInRegions(MlirOperation op, void *unused) {
  (void)unused;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      releaseInBlock(block);
  return MlirWalkResultAdvance;
}

static void run(StitchPassRun pass, MlirOperation function) {
  (void)pass;
  MlirBlock block = irBody(function, 0);
  if (!mlirBlockIsNull(block) && mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    mlirOperationWalk(function, releaseInRegions, NULL, MlirWalkPreOrder);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__memref__};

const StitchPassInfo releaseBuffersPass = {
    .argument = "stitch-release-buffers",
    .description = "Free each buffer after its last use",
    .anchor = "func.func",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .run = run,
};
