//===- ops.c - operations of a kernel on the CPU -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations of gpu, nvgpu and stitch in a kernel. Leaves calls of the thread's functions and suspensions of its
// coroutine, which the runtime's simt device resumes.
//
//===----------------------------------------------------------------------===//

#include "lowering/simt/coroutine.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Stops
//===----------------------------------------------------------------------===//

static bool lowerBarrier(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  simtStop(&b, c, op,
           irOpIs(op, "gpu.barrier")              ? STITCH_SIMT_BARRIER
           : irOpIs(op, "stitch.cluster_barrier") ? STITCH_SIMT_CLUSTER_BARRIER
                                                  : STITCH_SIMT_GRID_BARRIER);
  mlirOperationDestroy(op);
  return true;
}

static bool attrIs(MlirOperation op, const char *name, const char *text) {
  return mlirAttributeEqual(irGetAttr(op, name), irParseAttr(mlirOperationGetContext(op), "%s", text));
}

static StitchSimtShuffleMode shuffleMode(MlirOperation op) {
  if (attrIs(op, "mode", "#gpu<shuffle_mode xor>"))
    return STITCH_SIMT_XOR;
  if (attrIs(op, "mode", "#gpu<shuffle_mode up>"))
    return STITCH_SIMT_UP;
  return attrIs(op, "mode", "#gpu<shuffle_mode down>") ? STITCH_SIMT_DOWN : STITCH_SIMT_IDX;
}

/// Threads exchange values as 64 bits.
static bool lowerShuffle(Coroutine *c, MlirOperation op) {
  MlirType type = mlirValueGetType(irOperand(op, 0));
  int64_t bits = irIsBool(type) ? 1 : 8 * irElementBytes(type);
  if (mlirTypeIsAShaped(type) || bits < 1 || bits > 64) {
    stitchEmitOpError(op, "shuffles a value that is not a number of at most 64 bits");
    return false;
  }
  IrBuilder b = irBuilderBefore(op);
  MlirType integer = mlirIntegerTypeGet(b.context, (unsigned)bits), i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue sent = irUnary(&b, "arith.bitcast", irOperand(op, 0), integer);
  simtStoreField(&b, c, SIMT_FIELD(value), bits < 64 ? irUnary(&b, "arith.extui", sent, i64) : sent);
  simtStoreField(&b, c, SIMT_FIELD(offset), irOperand(op, 1));
  simtStoreField(&b, c, SIMT_FIELD(width), irOperand(op, 2));
  simtStoreNumber(&b, c, SIMT_FIELD(mode), shuffleMode(op));
  simtStop(&b, c, op, STITCH_SIMT_SHUFFLE);
  MlirValue received = simtLoad(&b, c->thread, SIMT_FIELD(value), i64);
  if (bits < 64)
    received = irUnary(&b, "arith.trunci", received, integer);
  MlirValue valid = simtLoad(&b, c->thread, SIMT_FIELD(valid), mlirIntegerTypeGet(b.context, 32));
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), irUnary(&b, "arith.bitcast", received, type));
  mlirValueReplaceAllUsesOfWith(irResult(op, 1), irUnary(&b, "arith.trunci", valid, mlirIntegerTypeGet(b.context, 1)));
  mlirOperationDestroy(op);
  return true;
}

/// Threads vote with 64 bits, as they exchange values.
static bool lowerVote(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirType i1 = mlirIntegerTypeGet(b.context, 1), i64 = mlirIntegerTypeGet(b.context, 64);
  simtStoreField(&b, c, SIMT_FIELD(value), irUnary(&b, "arith.extui", irOperand(op, 0), i64));
  simtStop(&b, c, op, STITCH_SIMT_VOTE);
  MlirValue any = irUnary(&b, "arith.trunci", simtLoad(&b, c->thread, SIMT_FIELD(value), i64), i1);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), any);
  mlirOperationDestroy(op);
  return true;
}

static bool lowerReturn(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  simtStoreNumber(&b, c, SIMT_FIELD(stop), STITCH_SIMT_FINISHED);
  irBranch(&b, "cf.br", IR_NO_VALUES, IR_BLOCKS(c->leave), IR_NO_ATTRS);
  mlirOperationDestroy(op);
  return true;
}

//===----------------------------------------------------------------------===//
// Ids and memory
//===----------------------------------------------------------------------===//

static bool lowerId(Coroutine *c, MlirOperation op) {
  static const struct {
    const char *op;
    size_t field;
  } fields[] = {
      {"gpu.thread_id", offsetof(StitchSimtThread, threadId)},
      {"gpu.block_id", offsetof(StitchSimtThread, blockId)},
      {"gpu.block_dim", offsetof(StitchSimtThread, blockSize)},
      {"gpu.grid_dim", offsetof(StitchSimtThread, gridSize)},
      {"gpu.cluster_id", offsetof(StitchSimtThread, clusterId)},
      {"gpu.cluster_block_id", offsetof(StitchSimtThread, clusterRank)},
  };
  if (!attrIs(op, "dimension", "#gpu<dim x>")) {
    stitchEmitOpError(op, "asks for dimension y or z: launches are one-dimensional");
    return false;
  }
  IrBuilder b = irBuilderBefore(op);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    if (!irOpIs(op, fields[i].op))
      continue;
    MlirValue id = simtLoad(&b, c->thread, (int64_t)fields[i].field, mlirIntegerTypeGet(b.context, 32));
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), irUnary(&b, "arith.index_castui", id, mlirIndexTypeGet(b.context)));
  }
  mlirOperationDestroy(op);
  return true;
}

static bool lowerSharedMemory(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue pointer = simtLoad(&b, c->thread, SIMT_FIELD(shared), irParseType(b.context, "!llvm.ptr"));
  MlirValue memref = kernelMemrefFromPointer(&b, pointer, mlirValueGetType(irResult(op, 0)), KERNEL_CPU_INDEX_BITS);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), memref);
  mlirOperationDestroy(op);
  return true;
}

static bool lowerClusterMemory(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirType pointerType = irParseType(b.context, "!llvm.ptr"), i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue block = irUnary(&b, "arith.index_castui", irOperand(op, 1), i64);
  MlirValue slot =
      irValueOf(&b, "llvm.getelementptr",
                IR_VALUES(simtLoad(&b, c->thread, SIMT_FIELD(clusterShared), pointerType), block), pointerType,
                IR_ATTRS(irAttr(&b, "rawConstantIndices", irParseAttr(b.context, "array<i32: -2147483648>")),
                         irType(&b, "elem_type", pointerType)));
  MlirValue memref = kernelMemrefFromPointer(&b, simtLoad(&b, slot, 0, pointerType), mlirValueGetType(irResult(op, 0)),
                                             KERNEL_CPU_INDEX_BITS);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), memref);
  mlirOperationDestroy(op);
  return true;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// Calls a function of the thread's, with the thread and the arguments.
static void callThread(IrBuilder *b, Coroutine *c, int64_t field, IrValues arguments) {
  enum { MOST = 4 };
  MlirValue operands[2 + MOST] = {simtLoad(b, c->thread, field, irParseType(b->context, "!llvm.ptr")), c->thread};
  for (intptr_t i = 0; i < arguments.count; ++i)
    operands[2 + i] = arguments.data[i];
  irOp(
      b, "llvm.call", (IrValues){2 + arguments.count, operands}, IR_NO_TYPES,
      IR_ATTRS(irAttr(b, "operandSegmentSizes", irParseAttr(b->context, "array<i32: %d, 0>", 2 + (int)arguments.count)),
               irAttr(b, "op_bundle_sizes", irParseAttr(b->context, "array<i32>"))));
}

static MlirValue elementPointer(IrBuilder *b, MlirValue memref, MlirValue index) {
  MlirValue first = kernelMemrefPointer(b, memref, KERNEL_CPU_INDEX_BITS);
  MlirValue offset = irUnary(b, "arith.index_castui", index, mlirIntegerTypeGet(b->context, KERNEL_CPU_INDEX_BITS));
  return irValueOf(b, "llvm.getelementptr", IR_VALUES(first, offset), mlirValueGetType(first),
                   IR_ATTRS(irAttr(b, "rawConstantIndices", irParseAttr(b->context, "array<i32: -2147483648>")),
                            irType(b, "elem_type", mlirShapedTypeGetElementType(mlirValueGetType(memref)))));
}

static bool lowerCopy(Coroutine *c, MlirOperation op) {
  KernelCopy copy;
  if (!kernelIsCopy(op, &copy)) {
    stitchEmitOpError(op, "copies between memrefs that are not of rank 1");
    return false;
  }
  IrBuilder b = irBuilderBefore(op);
  MlirType i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue bytes = kernelConstant(&b, i64, copy.bytes), read = bytes;
  if (!mlirValueIsNull(copy.read))
    read = irMulI(&b, irUnary(&b, "arith.index_castui", copy.read, i64),
                  kernelConstant(&b, i64, copy.bytes / copy.elements));
  callThread(&b, c, SIMT_FIELD(copy),
             IR_VALUES(elementPointer(&b, copy.target, copy.targetIndex),
                       elementPointer(&b, copy.source, copy.sourceIndex), bytes, read));
  mlirOperationDestroy(op);
  return true;
}

static bool lowerCommit(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  callThread(&b, c, SIMT_FIELD(commit), IR_NO_VALUES);
  mlirOperationDestroy(op);
  return true;
}

static bool lowerWait(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue pending = kernelConstant(&b, mlirIntegerTypeGet(b.context, 32), irGetInt(op, "n", 0));
  callThread(&b, c, SIMT_FIELD(wait), IR_VALUES(pending));
  mlirOperationDestroy(op);
  return true;
}

/// A CPU's caches know by themselves.
static bool dropHint(Coroutine *c, MlirOperation op) {
  (void)c;
  mlirOperationDestroy(op);
  return true;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static const struct {
  const char *op;
  bool (*lower)(Coroutine *c, MlirOperation op);
} lowerings[] = {
    {"gpu.barrier", lowerBarrier},
    {"stitch.cluster_barrier", lowerBarrier},
    {"stitch.grid_barrier", lowerBarrier},
    {"gpu.shuffle", lowerShuffle},
    {"stitch.block_any", lowerVote},
    {"gpu.return", lowerReturn},
    {"gpu.thread_id", lowerId},
    {"gpu.block_id", lowerId},
    {"gpu.block_dim", lowerId},
    {"gpu.grid_dim", lowerId},
    {"gpu.cluster_id", lowerId},
    {"gpu.cluster_block_id", lowerId},
    {"gpu.dynamic_shared_memory", lowerSharedMemory},
    {"stitch.cluster_memory", lowerClusterMemory},
    {"nvgpu.device_async_copy", lowerCopy},
    {"nvvm.cp.async.commit.group", lowerCommit},
    {"nvvm.cp.async.wait.group", lowerWait},
    {"stitch.prefetch", dropHint},
};

bool simtLowerOp(Coroutine *c, MlirOperation op) {
  for (size_t i = 0; i < sizeof lowerings / sizeof *lowerings; ++i)
    if (irOpIs(op, lowerings[i].op))
      return lowerings[i].lower(c, op);
  MlirStringRef name = irOpName(op);
  if (name.length < 4 || strncmp(name.data, "gpu.", 4) != 0)
    return true;
  stitchEmitOpError(op, "has no counterpart on the simt device");
  return false;
}
