//===- llvm_kernel.h - steps shared by NVPTX and simt lowering ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_LLVM_KERNEL_H
#define STITCH_LOWERING_LLVM_LLVM_KERNEL_H

#include "ir/mlir/build.h"

/// Bits of an index: upstream converts vector operations for the CPU with 64 alone.
enum { KERNEL_CPU_INDEX_BITS = 64 };

/// The same on a GPU, in the kernel that has `block`: 32, or 64 where it has the attribute stitch.wide_indices.
int kernelGpuIndexBits(MlirBlock block);

/// On a memref.view of shared memory in a loop whose iterations alternate: an array of the bytes at which it begins in
/// even iterations and in odd ones. On the loop, the unit attribute.
#define KERNEL_HALVES_ATTRIBUTE "stitch.halves"
#define KERNEL_ALTERNATES_ATTRIBUTE "stitch.alternates"

/// On memref.views of shared memory, the unit attribute: of all that goes through such views one thread alone touches
/// each byte.
#define KERNEL_OWN_ATTRIBUTE "stitch.own"

/// Operations in the order of a walk, released with free(data).
typedef struct {
  MlirOperation *data;
  intptr_t count;
} KernelOps;

/// All operations nested in `root` that are called `name`; NULL: all operations.
KernelOps kernelOpsCalled(MlirOperation root, const char *name);
/// Calls `lower`, which may erase it, for each of them.
void kernelLowerCalled(MlirOperation root, const char *name, void (*lower)(MlirOperation op));

/// Whether a dialect has registered every operation of a gpu.module: MLIR's conversions take that for granted. Reports
/// the first one that is not.
bool kernelOpsAreRegistered(MlirOperation gpuModule);

/// A load or store of a kernel.
typedef struct {
  MlirValue memref, index;
  MlirType type; ///< of the loaded or stored value: a scalar, a vector, or the lane's words of matrices
  bool isStore;
} KernelAccess;

/// Whether an operation loads or stores; then `access` describes it.
bool kernelIsAccess(MlirOperation op, KernelAccess *access);

/// An asynchronous copy of a kernel from global to shared memory.
typedef struct {
  MlirValue source, sourceIndex, target, targetIndex;
  MlirValue read; ///< how many elements there are of the source, the others are zeros; null: all
  int64_t elements, bytes;
} KernelCopy;

/// Whether an operation is one, between memrefs of rank 1; then `copy` describes it.
bool kernelIsCopy(MlirOperation op, KernelCopy *copy);

/// An attribute of a kernel's argument; null if it is not there.
MlirAttribute kernelArgumentAttribute(MlirOperation kernel, intptr_t index, const char *name);

/// The pointer to the elements of a memref, which the conversion of memrefs to descriptors with indices of `indexBits`
/// connects with it.
MlirValue kernelMemrefPointer(IrBuilder *b, MlirValue memref, int indexBits);

/// The pointer to an element of a memref of rank 1, on a GPU.
MlirValue kernelElementPointer(IrBuilder *b, MlirValue memref, MlirValue index);

/// A memref of rank 1 that begins at `pointer`: the counterpart of kernelMemrefPointer. A dynamic size is taken for the
/// largest one.
MlirValue kernelMemrefFromPointer(IrBuilder *b, MlirValue pointer, MlirType memrefType, int indexBits);

/// An integer constant of the LLVM dialect.
MlirValue kernelConstant(IrBuilder *b, MlirType type, int64_t value);

/// A call of an intrinsic of LLVM that has a result.
MlirValue kernelCallIntrinsic(IrBuilder *b, const char *intrinsic, IrValues operands, MlirType result);

/// Whether a float is 1 + exp(-|x|), which lies between 1 and 2 or is NaN.
bool kernelIsOneToTwo(MlirValue value);

/// Whether a float is the constant 1.
bool kernelIsOne(MlirValue value);

/// Makes LLVM's intrinsics of the math operations that a CPU and a GPU have, f16 and bf16 aside, and arithmetic of the
/// classifications. Upstream would call a library for some and has nothing for others.
void kernelLowerNativeMath(MlirOperation root);

#endif // STITCH_LOWERING_LLVM_LLVM_KERNEL_H
