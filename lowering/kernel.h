//===- kernel.h - what both ways below a gpu.module share -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_H
#define STITCH_LOWERING_KERNEL_H

#include "ir/build.h"

/// Kernels compute indices with that many bits, on the GPU and on the CPU.
#define KERNEL_INDEX_BITS "32"

/// Operations in the order of a walk, released with free(data).
typedef struct {
  MlirOperation *data;
  intptr_t count;
} KernelOps;

/// All operations nested in `root` that are called `name`; NULL: all operations.
KernelOps kernelOpsCalled(MlirOperation root, const char *name);

/// The pointer to the elements of a memref, which the conversion of memrefs to descriptors connects with it.
MlirValue kernelMemrefPointer(IrBuilder *b, MlirValue memref);

/// A memref of static shape and rank 1 that begins at `pointer`; the counterpart of kernelMemrefPointer.
MlirValue kernelMemrefFromPointer(IrBuilder *b, MlirValue pointer, MlirType memrefType);

#endif // STITCH_LOWERING_KERNEL_H
