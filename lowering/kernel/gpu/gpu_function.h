//===- gpu_function.h - kernels as gpu.func ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_GPU_GPU_FUNCTION_H
#define STITCH_LOWERING_KERNEL_GPU_GPU_FUNCTION_H

#include "ir/mlir/build.h"
#include "ir/plan/plan.h"

/// The arguments of a kernel under construction. Zero-initialised there are none; gpuArgumentsDestroy releases them.
typedef struct {
  intptr_t count;
  intptr_t typeCapacity, attributeCapacity;
  MlirType *types;
  MlirAttribute *attributes;
} GpuArguments;

/// The use of an argument by a kernel: other blocks' writes to it can be read only if it is WORKING memory. Loads of an
/// ordered input stay behind earlier stores. An ordered input is read where the kernel says so, not before stores that
/// come first.
typedef enum { GPU_INPUT, GPU_ORDERED_INPUT, GPU_OUTPUT, GPU_WORKING } GpuArgumentUse;

/// A memref of `count` elements of a memory type, aligned to 16 bytes.
void gpuAddArgument(IrBuilder *b, GpuArguments *arguments, MlirType element, int64_t count, GpuArgumentUse use);
/// All elements of a tensor, in one dimension.
void gpuAddTensor(IrBuilder *b, GpuArguments *arguments, MlirType tensor, GpuArgumentUse use);
/// Marks the last argument as one with an open size: its length is the type's for `limit`, the largest value of
/// argument `size`, and in proportion otherwise (docs/ir.md, section 3).
void gpuSetOpenSize(IrBuilder *b, GpuArguments *arguments, intptr_t size, int64_t limit);

/// Scratch memory and the barriers' counter, where the launch has them.
void gpuAddWorkingMemory(IrBuilder *b, GpuArguments *arguments, const StitchLaunch *launch);
void gpuArgumentsDestroy(GpuArguments *arguments);

/// An empty kernel at the builder's place.
MlirOperation gpuCreateFunction(IrBuilder *b, const char *name, const GpuArguments *arguments,
                                const StitchLaunch *launch);

/// The x of gpu.thread_id, gpu.block_id or gpu.grid_dim.
MlirValue gpuCoordinate(IrBuilder *b, const char *name);
void gpuBarrier(IrBuilder *b);
/// A barrier that tells all threads of the block whether something is so for any of them.
MlirValue gpuBarrierAny(IrBuilder *b, MlirValue is);
void gpuClusterBarrier(IrBuilder *b);
/// A barrier of all blocks of a launch, which has a counter for it; of one block or one cluster it is theirs.
void gpuGridBarrier(IrBuilder *b, MlirValue counter, const StitchLaunch *launch);
/// The block's dynamic shared memory, as bytes.
MlirValue gpuSharedMemory(IrBuilder *b);

/// Copies `elements`, of 16 bytes together, from element `from` of a memref in global memory to element `to` of one in
/// shared memory. Unless `read` is null, only so many are copied, and the others become zeros. They are there when the
/// thread has waited for all but the last `others` of the groups that it has committed.
void gpuCopyAsync(IrBuilder *b, MlirValue target, MlirValue to, MlirValue source, MlirValue from, int64_t elements,
                  MlirValue read);
void gpuCommitCopies(IrBuilder *b);
void gpuWaitForCopies(IrBuilder *b, int64_t others);

typedef enum { GPU_SHUFFLE_XOR, GPU_SHUFFLE_UP, GPU_SHUFFLE_INDEX } GpuShuffle;
/// The value (of scalarType) of another thread of the warp: the one whose number differs by `offset` in the way of
/// `mode`, an i32. All threads of the warp must get here.
MlirValue gpuShuffle(IrBuilder *b, GpuShuffle mode, MlirValue value, MlirValue offset);

#endif // STITCH_LOWERING_KERNEL_GPU_GPU_FUNCTION_H
