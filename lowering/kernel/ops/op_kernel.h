//===- op_kernel.h - operations that are kernels of their own ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ir/plan/kernel_ops.h plans becomes code here: one file for each family of operations, on the helpers of
// op_code.h.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_OPS_OP_KERNEL_H
#define STITCH_LOWERING_KERNEL_OPS_OP_KERNEL_H

#include "lowering/kernel/ops/op_code.h"

// cumulative.c, sort.c, scatter.c, select_and_scatter.c
void emitCumulative(OpKernel *k);
void emitSort(OpKernel *k);
void emitScatter(OpKernel *k);
void emitSelectAndScatter(OpKernel *k);

// op_kernel.c
/// Fills the body of `function`, a kernel for `op`. Returns false after a diagnostic.
bool opKernelEmit(MlirOperation op, const StitchLaunch *launch, MlirOperation function);

#endif // STITCH_LOWERING_KERNEL_OPS_OP_KERNEL_H
