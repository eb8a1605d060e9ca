//===- op_code.h - building kernels of single operations -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each family of operations uses (op_kernel.h). Code is created at the end of the innermost region that is open.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_OPS_OP_CODE_H
#define STITCH_LOWERING_KERNEL_OPS_OP_CODE_H

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/plan/kernel_ops.h"
#include "ir/plan/plan.h"

/// A kernel whose body is being created.
typedef struct {
  MlirOperation op;
  StitchLaunch launch;
  StitchDevice device;
  IrBuilder b;
  MlirValue inputs[KERNEL_OP_MAX_ARRAYS];  ///< 1-D memrefs of the operands
  MlirValue outputs[KERNEL_OP_MAX_ARRAYS]; ///< and of the results
  MlirValue scratch, counter, shared;      ///< null if the launch has none
  MlirValue thread, block;
  int64_t bytesRead, bytesWritten; ///< of global memory, by all blocks
  bool failed;                     ///< a diagnostic has been emitted
} OpKernel;

static inline MlirValue opIndex(OpKernel *k, int64_t value) { return irConstantIndex(&k->b, value); }
static inline MlirValue opIsBelow(OpKernel *k, MlirValue a, MlirValue b) { return irCmpI(&k->b, IR_CMPI_ULT, a, b); }
MlirValue opTrue(OpKernel *k);
/// Of index type, by a constant; nothing is computed for 1.
MlirValue opTimes(OpKernel *k, MlirValue a, int64_t factor);
MlirValue opQuotient(OpKernel *k, MlirValue a, int64_t divisor);
MlirValue opRemainder(OpKernel *k, MlirValue a, int64_t divisor);
MlirValue opToI32(OpKernel *k, MlirValue index);
MlirValue opFromI32(OpKernel *k, MlirValue value);

/// The element of a tensor of `element` (tg's type), of scalarType, in memory that memoryType says.
MlirValue opLoad(OpKernel *k, MlirValue memref, MlirType element, MlirValue index);
void opStore(OpKernel *k, MlirValue memref, MlirValue value, MlirValue index);
/// `count` elements of scratch or shared memory from byte `offset` on.
MlirValue opScratch(OpKernel *k, int64_t offset, int64_t count, MlirType element);
MlirValue opShared(OpKernel *k, int64_t offset, int64_t count, MlirType element);
void opBlockBarrier(OpKernel *k);
void opGridBarrier(OpKernel *k);

/// A region that is open: what is created goes into it until opEnd.
typedef struct {
  MlirOperation op;
  IrBuilder outside;
} OpRegion;

/// scf.for from `first` below `end`. The body's argument 0 is the variable, those after it are the carried values.
OpRegion opFor(OpKernel *k, MlirValue first, MlirValue end, MlirValue step, IrValues carried);
/// The same from 0 in steps of 1.
OpRegion opForBelow(OpKernel *k, int64_t end, IrValues carried);
/// scf.if; opElse closes its first region and opens the other. Results need both.
OpRegion opIf(OpKernel *k, MlirValue condition, IrTypes results);
void opElse(OpKernel *k, OpRegion *region, IrValues yielded);
void opEnd(OpKernel *k, OpRegion *region, IrValues yielded);
static inline MlirValue opArgument(const OpRegion *region, intptr_t i) {
  return mlirBlockGetArgument(irBody(region->op, 0), i);
}

/// Runs over the tasks of this block: the variable is the task's number.
OpRegion opTasks(OpKernel *k, int64_t tasks);
/// Runs over numbers below `count`, shared out among all threads of the grid, or of the block.
OpRegion opGridElements(OpKernel *k, int64_t count);
OpRegion opBlockElements(OpKernel *k, int64_t count);

/// Where element `position` of line `line` is.
MlirValue opLineElement(OpKernel *k, const Lines *lines, MlirValue line, MlirValue position);

/// Row-major index of a multi-dimensional one, and back.
MlirValue opLinearize(OpKernel *k, const MlirValue *index, IrShape shape);
void opDelinearize(OpKernel *k, MlirValue linear, IrShape shape, MlirValue *index);

#endif // STITCH_LOWERING_KERNEL_OPS_OP_CODE_H
