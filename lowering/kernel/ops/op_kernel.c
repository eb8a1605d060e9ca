//===- op_kernel.c - operations that are kernels of their own ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/ops/op_kernel.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "lowering/kernel/gpu/gpu_function.h"

static void takeArguments(OpKernel *k, MlirBlock body) {
  intptr_t next = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(k->op); ++i)
    k->inputs[i] = mlirBlockGetArgument(body, next++);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(k->op); ++i)
    k->outputs[i] = irScattersInPlace(k->op) ? k->inputs[i] : mlirBlockGetArgument(body, next++);
  if (k->launch.scratch)
    k->scratch = mlirBlockGetArgument(body, next++);
  if (k->launch.barriers)
    k->counter = mlirBlockGetArgument(body, next++);
}

static void emit(OpKernel *k) {
  switch (tgKindOf(k->op)) {
  case TG_cumulative:
  case TG_general_cumulative:
    emitCumulative(k);
    break;
  case TG_sort:
  case TG_top_k:
    emitSort(k);
    break;
  case TG_scatter:
  case TG_general_scatter:
    emitScatter(k);
    break;
  case TG_select_and_scatter:
  case TG_general_select_and_scatter:
    emitSelectAndScatter(k);
    break;
  default:
    stitchEmitOpError(k->op, "has no kernel of its own");
    k->failed = true;
  }
}

bool opKernelEmit(MlirOperation op, const StitchLaunch *launch, MlirOperation function) {
  OpKernel k = {.op = op, .launch = *launch, .b = irBuilderAtEnd(irBody(function, 0), mlirOperationGetLocation(op))};
  if (!planGetDevice(op, &k.device)) {
    stitchEmitOpError(op, "has no device to be planned for: set stitch.device on the module");
    return false;
  }
  takeArguments(&k, irBody(function, 0));
  k.thread = gpuCoordinate(&k.b, "gpu.thread_id");
  k.block = gpuCoordinate(&k.b, "gpu.block_id");
  if (launch->shared)
    k.shared = gpuSharedMemory(&k.b);
  emit(&k);
  irOp(&k.b, "gpu.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  irSetAttr(function, "stitch.traffic",
            mlirDenseI64ArrayGet(k.b.context, 2, (const int64_t[]){k.bytesRead, k.bytesWritten}));
  return !k.failed;
}
