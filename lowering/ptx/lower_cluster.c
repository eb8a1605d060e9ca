//===- lower_cluster.c - stitch-lower-cluster ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gpu.module with stitch.cluster_barrier and stitch.cluster_memory; leaves
//
//   - for a barrier, its two halves in the NVVM dialect: the arrival releases the thread's stores to shared and global
//     memory, the wait acquires the stores of the other threads;
//   - for the shared memory of another block, its address in the window of the cluster's shared memory (`mapa`).
//
//===----------------------------------------------------------------------===//

#include "capi/llvm.h"
#include "capi/pass.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

static void lowerBarrier(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  irOp(&b, "nvvm.cluster.arrive", IR_NO_VALUES, IR_NO_TYPES, IR_ATTRS(irUnit(&b, "aligned")));
  irOp(&b, "nvvm.cluster.wait", IR_NO_VALUES, IR_NO_TYPES, IR_ATTRS(irUnit(&b, "aligned")));
  mlirOperationDestroy(op);
}

static void lowerMemory(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  int bits = kernelGpuIndexBits(b.block);
  MlirValue own = kernelMemrefPointer(&b, irOperand(op, 0), bits);
  MlirValue block = irUnary(&b, "arith.index_castui", irOperand(op, 1), mlirIntegerTypeGet(b.context, 32));
  MlirValue pointer = kernelCallIntrinsic(&b, "llvm.nvvm.mapa.shared.cluster", IR_VALUES(own, block),
                                          irParseType(b.context, "!llvm.ptr<7>"));
  MlirValue memory = kernelMemrefFromPointer(&b, pointer, mlirValueGetType(irResult(op, 0)), bits);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), memory);
  mlirOperationDestroy(op);
}

static void run(StitchPassRun pass, MlirOperation gpuModule) {
  (void)pass;
  kernelLowerCalled(gpuModule, "stitch.cluster_barrier", lowerBarrier);
  kernelLowerCalled(gpuModule, "stitch.cluster_memory", lowerMemory);
}

static MlirDialectHandle (*const dialects[])(void) = {stitchGetLoweringToLLVMHandle};

const StitchPassInfo lowerClusterPass = {
    .argument = "stitch-lower-cluster",
    .description = "Expand cluster barriers and the shared memory of other blocks to the NVVM dialect",
    .anchor = "gpu.module",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .run = run,
};
