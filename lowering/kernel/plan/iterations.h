//===- iterations.h - a kernel's memory in a loop's iterations ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of KernelPlan, of kernels in the body of a loop or with the loop inside.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_PLAN_ITERATIONS_H
#define STITCH_LOWERING_KERNEL_PLAN_ITERATIONS_H

#include "ir/mlir/query.h"

/// Values of KernelSlice.inputs that are no input: the start is a constant, or the fusion computes it, in an operation
/// with the attribute stitch.starts.
enum { KERNEL_START_CONSTANT = -1, KERNEL_START_COMPUTED = -2 };

/// A slice of a buffer that a result of the fusion is stored to: host/slices.c says how fusions have them.
typedef struct {
  intptr_t result;
  int64_t memory; ///< the fusion's input that is the buffer; -1: the kernel has an argument for it behind its outputs
  MlirType buffer;
  IrShape shape;                  ///< of the slice
  int64_t inputs[IR_MAX_RANK];    ///< for each dimension: the fusion's input that holds its start
  int64_t constants[IR_MAX_RANK]; ///< a constant start
} KernelSlice;

/// A value that goes round a loop that a kernel has inside, and changes.
typedef struct {
  intptr_t result; ///< of the fusion, which is the next value
  intptr_t numInputs;
  int64_t *inputs; ///< of the fusion, which are the current value
  bool isCounter;  ///< the current value is that of the iteration: first + step * its number
  int64_t first, step;
} KernelCarried;

/// Where a kernel in debug form writes its values out (stages.c): a part of the scratch memory for each iteration.
/// Those that have none share the part behind the last one.
typedef struct {
  int64_t offset;     ///< of the first part in the scratch memory
  int64_t bytes;      ///< of a part; 0: the kernel is not in debug form, or has no such values
  int64_t iterations; ///< with a part of their own: the first ones
} KernelStages;

/// A loop-invariant input of the loop inside, and the part that each thread keeps of the elements that it reads of it
/// in its tasks of a loop.
typedef struct {
  intptr_t input;
  intptr_t reader;   ///< a reduce that goes through it, whose mapping the steps are of: index in KernelPlan.roots
  int64_t registers; ///< the first steps: in registers
  int64_t shared;    ///< the next ones: in shared memory
  int64_t offset;    ///< of the part of it
} KernelResident;

#endif // STITCH_LOWERING_KERNEL_PLAN_ITERATIONS_H
