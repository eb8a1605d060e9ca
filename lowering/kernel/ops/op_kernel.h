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

/// Neighbouring elements of a line, in order of memory: from `position` along it on, a multiple of how many there are.
typedef struct {
  MlirValue line, position;
  int64_t count;
} LineElements;

/// Who computes what a cumulative operation reads, and takes its results, where these are not its operands and results
/// in memory: the kernel around it. Elements are of scalarType.
typedef struct CumulativeNeighbours {
  void *data;
  int64_t most; ///< neighbouring elements that are wanted at once
  void (*load)(void *data, intptr_t operand, const LineElements *at, MlirValue *elements);
  MlirValue (*loadInitial)(void *data, intptr_t operand);
  /// The results of all operands, `at->count` each, one behind the other; they exist if `exists`, but all threads come.
  void (*store)(void *data, const LineElements *at, MlirValue exists, const MlirValue *results);
  /// What is computed between two calls is of no use behind the second one, whose region ends.
  void (*enter)(void *data);
  void (*leave)(void *data);
} CumulativeNeighbours;

// cumulative.c, sort.c, top_k.c, scatter.c, select_and_scatter.c
/// With the operands and results in memory, and counts the bytes that it moves.
void emitCumulative(OpKernel *k);
void emitCumulativeBetween(OpKernel *k, const CumulativeNeighbours *neighbours);
void emitSort(OpKernel *k);
void emitTopK(OpKernel *k, const TopKPlan *plan);
void emitScatter(OpKernel *k);
void emitSelectAndScatter(OpKernel *k);

// op_kernel.c
/// Fills the body of `function`, a kernel for `op`. Returns false after a diagnostic.
bool opKernelEmit(MlirOperation op, const StitchLaunch *launch, MlirOperation function);

#endif // STITCH_LOWERING_KERNEL_OPS_OP_KERNEL_H
