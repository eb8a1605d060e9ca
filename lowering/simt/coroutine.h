//===- coroutine.h - the coroutine that a kernel becomes -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass gpu-to-simt (lowering/simt/gpu_to_simt.c), which describes the form of a coroutine.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SIMT_COROUTINE_H
#define STITCH_LOWERING_SIMT_COROUTINE_H

#include "lowering/llvm/llvm_kernel.h"
#include "runtime/simt/simt.h"

#include <stddef.h>

/// The coroutine that a kernel becomes.
typedef struct {
  MlirOperation function;
  MlirBlock begin, leave;
  MlirBlock refuse; ///< where a coroutine is that has been asked for the size of its frame
  MlirValue thread, arguments;
  MlirValue noToken, no; ///< operands of every suspension
  int64_t sites;         ///< stops made so far
  MlirBlock failed;      ///< stops the thread after a check that fails; null without checks
} Coroutine;

/// Creates the coroutine of `kernel`, without its body, at the end of `module`.
Coroutine simtCreateCoroutine(MlirOperation module, MlirOperation kernel);
/// Has a kernel that is asked for the size of its frame say how large its clusters are.
void simtDescribeCluster(MlirOperation kernel, Coroutine *c);

/// The offset of a field of the thread.
#define SIMT_FIELD(member) (int64_t)offsetof(StitchSimtThread, member)

/// Loads the value `offset` bytes behind `pointer`.
MlirValue simtLoad(IrBuilder *b, MlirValue pointer, int64_t offset, MlirType type);
/// Stores a value, or a number as i32, in a field of the thread.
void simtStoreField(IrBuilder *b, Coroutine *c, int64_t field, MlirValue value);
void simtStoreNumber(IrBuilder *b, Coroutine *c, int64_t field, int64_t value);
/// Splits the block before `op`, so that a thread stops there. On return `b` inserts where it goes on.
void simtStop(IrBuilder *b, Coroutine *c, MlirOperation op, StitchSimtStop reason);

/// Replaces an operation of the gpu or stitch dialect; leaves others. False after an error.
bool simtLowerOp(Coroutine *c, MlirOperation op);

/// Makes a constant `KERNEL_simt_buffers`, the StitchSimtBuffer of each argument, which the kernel shows when it is
/// asked for the size of its frame.
void simtDescribeBuffers(MlirOperation module, MlirOperation kernel, Coroutine *c);
/// Has the runtime check each load and store among `ops`, those of the kernel, before it is done. False after an error.
bool simtAddChecks(Coroutine *c, MlirOperation kernel, KernelOps ops);

#endif // STITCH_LOWERING_SIMT_COROUTINE_H
