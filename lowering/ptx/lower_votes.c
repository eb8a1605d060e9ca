//===- lower_votes.c - barriers at which threads vote --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the 16 barriers of a block number 0 is that of all threads, and number 1 + w that of warpgroup w.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_votes.h"

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

static void lowerBlockAny(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue number = irConstantInt(&b, mlirIntegerTypeGet(b.context, 32), 0);
  MlirValue any = kernelCallIntrinsic(&b, "llvm.nvvm.barrier.cta.red.or.aligned.all",
                                      IR_VALUES(number, irOperand(op, 0)), mlirIntegerTypeGet(b.context, 1));
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), any);
  mlirOperationDestroy(op);
}

static void lowerWarpgroupAny(MlirOperation op) {
  enum { THREADS = 128 };
  IrBuilder b = irBuilderBefore(op);
  MlirType i32 = mlirIntegerTypeGet(b.context, 32);
  MlirValue thread = irValueOf(&b, "gpu.thread_id", IR_NO_VALUES, mlirIndexTypeGet(b.context),
                               IR_ATTRS(irAttr(&b, "dimension", irParseAttr(b.context, "#gpu<dim x>"))));
  MlirValue threads = irConstantInt(&b, i32, THREADS);
  MlirValue warpgroup = irDivUI(&b, irUnary(&b, "arith.index_castui", thread, i32), threads);
  MlirValue number = irAddI(&b, warpgroup, irConstantInt(&b, i32, 1));
  MlirValue any = kernelCallIntrinsic(&b, "llvm.nvvm.barrier.cta.red.or.aligned.count",
                                      IR_VALUES(number, threads, irOperand(op, 0)), mlirIntegerTypeGet(b.context, 1));
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), any);
  mlirOperationDestroy(op);
}

void lowerVotes(MlirOperation gpuModule) {
  kernelLowerCalled(gpuModule, "stitch.block_any", lowerBlockAny);
  kernelLowerCalled(gpuModule, "stitch.warpgroup_any", lowerWarpgroupAny);
}
