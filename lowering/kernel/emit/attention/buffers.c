//===- buffers.c - where tiles of keys come to in shared memory ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With one buffer a tile is brought there when all have read the one before, and read when it is complete:
//
//   barrier, bring tile i, wait, barrier, read tile i
//
// With two, tiles alternate between them, and the next one is under way while one is read. The one barrier says that
// all threads have their part of tile i, and that no thread reads tile i - 1 any more, which tile i + 1 overwrites:
//
//   wait, barrier, bring tile i + 1, read tile i
//
// Where a mask may hide a tile from all rows of the block, that barrier is a vote. It asks whether a warp sees it, or a
// thread has loaded a value that is not finite, of which 0 times is not 0.
//
// A thread waits for its own copies; stores need no wait. Copies that tensor cores read as TF32 it rounds between the
// wait and the barrier.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/staging.h"

#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/llvm/llvm_kernel.h"

MlirValue attentionTileView(AttentionEmitter *a, int64_t offset, int64_t count, MlirType type) {
  IrBuilder *b = &a->e->values->b;
  if (mlirValueIsNull(a->isOdd))
    return sharedView(a->e->memory, offset, count, type);
  int64_t behind = offset + count * irElementBytes(type);
  int64_t begins[] = {a->isOther ? behind : offset, a->isOther ? offset : behind};
  MlirValue begin = irSelect(b, a->isOdd, irConstantIndex(b, begins[1]), irConstantIndex(b, begins[0]));
  MlirValue view = sharedView(a->e->memory, offset, count, type);
  mlirOperationSetOperand(irDefiningOp(view), 1, begin);
  irSetAttr(irDefiningOp(view), KERNEL_HALVES_ATTRIBUTE, mlirDenseI64ArrayGet(b->context, 2, begins));
  return view;
}

static void wait(AttentionEmitter *a) {
  if (a->hasCopies)
    gpuWaitForCopies(&a->e->values->b, 0);
}

/// Brings tile `number` to the buffer that is viewed, as a group of copies, with those that have been begun before.
static void bring(AttentionEmitter *a, const AttentionStaging *staging, const IndexExpr *number) {
  staging->bring(a, indexScale(a->e->values->index, number, a->plan.keys));
  if (a->isUncommitted)
    gpuCommitCopies(&a->e->values->b);
  a->isUncommitted = false;
}

void attentionFirstTile(AttentionEmitter *a, const AttentionStaging *staging) {
  if (a->plan.buffers == 1)
    return;
  if (a->hasLooped)
    gpuBarrier(&a->e->values->b); // others may still read the last tile
  staging->view(a);
  bring(a, staging, indexConstant(a->e->values->index, 0));
}

/// Begins the copy of the next tile, if there is one, to the other buffer.
static void bringNext(AttentionEmitter *a, const AttentionStaging *staging, MlirValue round, int64_t tiles) {
  Values *v = a->e->values;
  MlirValue next = irAddI(&v->b, round, irConstantIndex(&v->b, 1));
  MlirValue exists = irCmpI(&v->b, IR_CMPI_ULT, next, irConstantIndex(&v->b, tiles));
  MlirOperation branch = irIf(&v->b, exists, IR_NO_TYPES, /*hasElse=*/false);
  BlockState outside = enterBlock(v, irBody(branch, 0));
  a->isOther = true;
  staging->view(a);
  bring(a, staging, bindIndex(v, next, tiles));
  a->isOther = false;
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, outside);
}

/// Rounds the thread's copies of the current tile, if its products read TF32.
static void roundTile(AttentionEmitter *a, const AttentionStaging *staging) {
  if (!a->roundsTiles)
    return;
  if (a->plan.buffers > 1)
    staging->view(a);
  staging->round(a);
}

/// The barrier before the current tile is read, and whether it is needed: attentionNextTile.
static MlirValue meetAtBarrier(AttentionEmitter *a, const AttentionStaging *staging, MlirValue seen) {
  Values *v = a->e->values;
  if (mlirValueIsNull(seen) || !staging->canScan(a)) {
    gpuBarrier(&v->b);
    return (MlirValue){NULL};
  }
  if (a->plan.buffers > 1)
    staging->view(a);
  MlirType type = mlirValueGetType(seen);
  MlirOperation choice = irIf(&v->b, seen, IR_TYPES(type), /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    MlirValue counts = irConstantInt(&v->b, type, 1), zero = irConstantFloat(&v->b, mlirF32TypeGet(v->b.context), 0);
    if (region == 1)
      counts = irCmpF(&v->b, IR_CMPF_UNE, staging->scan(a, zero), zero);
    irYield(&v->b, IR_VALUES(counts));
    leaveBlock(v, outside);
  }
  return gpuBarrierAny(&v->b, irResult(choice, 0));
}

MlirValue attentionNextTile(AttentionEmitter *a, const AttentionStaging *staging, const RoundLoop *loop, int64_t tiles,
                            MlirValue seen) {
  IrBuilder *b = &a->e->values->b;
  if (a->plan.buffers == 1) {
    gpuBarrier(b); // others may still read the tile before
    bring(a, staging, loop->round);
    wait(a);
    roundTile(a, staging);
    return meetAtBarrier(a, staging, seen);
  }
  MlirValue round = mlirBlockGetArgument(irBody(loop->op, 0), 0);
  irSetAttr(loop->op, KERNEL_ALTERNATES_ATTRIBUTE, mlirUnitAttrGet(b->context));
  a->isOdd = irCmpI(b, IR_CMPI_NE, irAndI(b, round, irConstantIndex(b, 1)), irConstantIndex(b, 0));
  wait(a);
  roundTile(a, staging);
  MlirValue counts = meetAtBarrier(a, staging, seen);
  bringNext(a, staging, round, tiles);
  staging->view(a);
  return counts;
}

void attentionLastTile(AttentionEmitter *a) {
  a->isOdd = (MlirValue){NULL};
  a->hasLooped = true;
}
