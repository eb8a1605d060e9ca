//===- lower_warpgroup.h - products of a warpgroup by wgmma --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_WARPGROUP_H
#define STITCH_LOWERING_PTX_LOWER_WARPGROUP_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// A matrix descriptor of wgmma without its address (PTX ISA, "Matrix Descriptor Format"), for a matrix in blocks of 64
/// columns with `rows` rows, swizzled by 128 bytes. `transposed`: the contracted dimension is its rows.
uint64_t warpgroupDescriptor(int64_t rows, bool transposed);

/// The increment of the descriptor's address, in units of 16 bytes, for 16 contracted elements, from element `depth`
/// on.
int64_t warpgroupDescriptorStep(int64_t rows, int64_t depth, bool transposed);

/// Replaces each stitch.warpgroup_product of a gpu.module by wgmma.mma_async, and each stitch.warpgroup_any by a
/// barrier of the warpgroup that votes. Kernels with products order their stores to shared memory before each barrier
/// for wgmma's reads: fence.proxy.async.
void lowerWarpgroupProducts(MlirOperation gpuModule);

#endif // STITCH_LOWERING_PTX_LOWER_WARPGROUP_H
