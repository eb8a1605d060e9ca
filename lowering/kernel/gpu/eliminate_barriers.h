//===- eliminate_barriers.h - barriers that separate nothing -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_GPU_ELIMINATE_BARRIERS_H
#define STITCH_LOWERING_KERNEL_GPU_ELIMINATE_BARRIERS_H

#include "mlir-c/IR.h"

/// Erases the block and cluster barriers of a kernel (a gpu.func as in docs/ir.md, section 3) that separate no accesses
/// of its threads. Makes block barriers of cluster barriers that separate only accesses of one block.
void eliminateBarriers(MlirOperation kernel);

#endif // STITCH_LOWERING_KERNEL_GPU_ELIMINATE_BARRIERS_H
