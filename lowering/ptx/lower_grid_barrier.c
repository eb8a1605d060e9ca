//===- lower_grid_barrier.c - the barrier over all blocks, for GPUs ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gpu.module whose kernels contain stitch.grid_barrier. Leaves calls of one function in their place (AStitch
// 4.5: all blocks of the grid are resident, so each may wait for all others). Where the grid is one block or one
// cluster, it leaves their barriers.
//
// Each block adds 1 to the counter, block 0 adds 2^31 - (blocks - 1). The sum of a round is 2^31, so that the sign bit
// flips when the last block has arrived and no block ever has to reset it.
//
// The order of memory does not rest on the atomic add, which NVPTX makes relaxed. A fence of device scope before it
// publishes the block's stores (the block barrier before it makes the other threads' stores part of that). One after
// the wait pairs with the other blocks' fences.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

#define BARRIER_FUNCTION "stitch_grid_barrier"

static const char barrierText[] =
    "llvm.func internal @" BARRIER_FUNCTION "(%counter: !llvm.ptr) attributes {\n"
    "    passthrough = [\"alwaysinline\", \"convergent\", \"nounwind\"]} {\n"
    "  %zero = llvm.mlir.constant(0 : i32) : i32\n"
    "  %one = llvm.mlir.constant(1 : i32) : i32\n"
    "  %sign = llvm.mlir.constant(-2147483648 : i32) : i32\n"
    "  %shortest = llvm.mlir.constant(32 : i32) : i32\n"
    "  %longest = llvm.mlir.constant(256 : i32) : i32\n"
    "  %global = llvm.addrspacecast %counter : !llvm.ptr to !llvm.ptr<1>\n"
    "  nvvm.barrier0\n"
    "  %thread = nvvm.read.ptx.sreg.tid.x : i32\n"
    "  %isFirstThread = llvm.icmp \"eq\" %thread, %zero : i32\n"
    "  llvm.cond_br %isFirstThread, ^arrive, ^leave\n"
    "^arrive:\n"
    "  %block = nvvm.read.ptx.sreg.ctaid.x : i32\n"
    "  %blocks = nvvm.read.ptx.sreg.nctaid.x : i32\n"
    "  %isFirstBlock = llvm.icmp \"eq\" %block, %zero : i32\n"
    "  %others = llvm.sub %blocks, %one : i32\n"
    "  %rest = llvm.sub %sign, %others : i32\n"
    "  %amount = llvm.select %isFirstBlock, %rest, %one : i1, i32\n"
    "  llvm.fence syncscope(\"device\") acq_rel\n"
    "  %before = llvm.atomicrmw add %global, %amount syncscope(\"device\") monotonic : !llvm.ptr<1>, i32\n"
    "  llvm.br ^wait(%shortest : i32)\n"
    "^wait(%pause: i32):\n"
    "  %now = llvm.load %global atomic syncscope(\"device\") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32\n"
    "  %difference = llvm.xor %before, %now : i32\n"
    "  %allArrived = llvm.icmp \"slt\" %difference, %zero : i32\n"
    "  llvm.cond_br %allArrived, ^arrived, ^sleep\n"
    "^sleep:\n"
    "  nvvm.nanosleep %pause\n"
    "  %double = llvm.add %pause, %pause : i32\n"
    "  %next = llvm.intr.umin(%double, %longest) : (i32, i32) -> i32\n"
    "  llvm.br ^wait(%next : i32)\n"
    "^arrived:\n"
    "  llvm.fence syncscope(\"device\") acq_rel\n"
    "  llvm.br ^leave\n"
    "^leave:\n"
    "  nvvm.barrier0\n"
    "  llvm.return\n"
    "}\n";

static bool addBarrierFunction(MlirOperation gpuModule) {
  MlirContext context = mlirOperationGetContext(gpuModule);
  MlirOperation function = mlirOperationCreateParse(context, mlirStringRefCreateFromCString(barrierText),
                                                    mlirStringRefCreateFromCString("grid barrier"));
  if (mlirOperationIsNull(function)) {
    stitchEmitOpError(gpuModule, "the grid barrier's function cannot be made");
    return false;
  }
  mlirBlockInsertOwnedOperation(irBody(gpuModule, 0), 0, function);
  return true;
}

/// The entries of a dictionary but `llvm.noalias`.
static MlirAttribute withoutNoAlias(MlirAttribute dictionary) {
  intptr_t count = mlirDictionaryAttrGetNumElements(dictionary), kept = 0;
  MlirNamedAttribute *entries = irAllocate((size_t)(count + 1) * sizeof *entries);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(dictionary, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(entry.name), mlirStringRefCreateFromCString("llvm.noalias")))
      entries[kept++] = entry;
  }
  MlirAttribute result = mlirDictionaryAttrGet(mlirAttributeGetContext(dictionary), kept, entries);
  free(entries);
  return result;
}

/// LLVM takes memory that only a `noalias` argument reaches as untouched by other threads at a barrier: it may read it
/// early. Memory through which threads exchange values across a grid barrier is not of that kind; read-only memory is.
static void dropNoAlias(MlirOperation kernel) {
  MlirAttribute all = irGetAttr(kernel, "arg_attrs");
  if (mlirAttributeIsNull(all))
    return;
  intptr_t count = mlirArrayAttrGetNumElements(all);
  MlirAttribute *kept = irAllocate((size_t)(count + 1) * sizeof *kept);
  for (intptr_t i = 0; i < count; ++i) {
    kept[i] = mlirArrayAttrGetElement(all, i);
    MlirAttribute readOnly =
        mlirDictionaryAttrGetElementByName(kept[i], mlirStringRefCreateFromCString("llvm.readonly"));
    if (mlirAttributeIsNull(readOnly))
      kept[i] = withoutNoAlias(kept[i]);
  }
  irSetAttr(kernel, "arg_attrs", mlirArrayAttrGet(mlirOperationGetContext(kernel), count, kept));
  free(kept);
}

/// Of a grid that is one block or one cluster: the barrier of the block, or the cluster's, which stitch-lower-cluster
/// expands.
static void lowerNearBarrier(MlirOperation barrier) {
  IrBuilder b = irBuilderBefore(barrier);
  bool isBlock = irGetInt(barrier, "blocks", 0) == 1;
  irOp(&b, isBlock ? "gpu.barrier" : "stitch.cluster_barrier", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  mlirOperationDestroy(barrier);
}

static void lowerBarrier(MlirOperation barrier) {
  IrBuilder b = irBuilderBefore(barrier);
  MlirValue counter = kernelMemrefPointer(&b, irOperand(barrier, 0), kernelGpuIndexBits(b.block));
  irOp(&b, "llvm.call", IR_VALUES(counter), IR_NO_TYPES,
       IR_ATTRS(irSymbol(&b, "callee", BARRIER_FUNCTION),
                irAttr(&b, "operandSegmentSizes", irParseAttr(b.context, "array<i32: 1, 0>")),
                irAttr(&b, "op_bundle_sizes", irParseAttr(b.context, "array<i32>"))));
  mlirOperationDestroy(barrier);
}

/// Whether the kernel had barriers of several clusters.
static bool lowerKernel(MlirOperation kernel) {
  KernelOps barriers = kernelOpsCalled(kernel, "stitch.grid_barrier");
  bool any = false;
  if (barriers.count > 0)
    dropNoAlias(kernel);
  for (intptr_t i = 0; i < barriers.count; ++i) {
    bool isNear = irHasAttr(barriers.data[i], "blocks");
    (isNear ? lowerNearBarrier : lowerBarrier)(barriers.data[i]);
    any |= !isNear;
  }
  free(barriers.data);
  return any;
}

static void run(StitchPassRun pass, MlirOperation gpuModule) {
  bool any = false;
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0))
    if (irOpIs(op, "gpu.func"))
      any |= lowerKernel(op);
  if (any && !addBarrierFunction(gpuModule))
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dialects[])(void) = {stitchGetLoweringToLLVMHandle};

const StitchPassInfo lowerGridBarrierPass = {
    .argument = "stitch-lower-grid-barrier",
    .description = "Expand stitch.grid_barrier to a self-resetting counter with device-scope fences",
    .anchor = "gpu.module",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .run = run,
};
