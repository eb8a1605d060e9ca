//===- expand_warpgroup.h - products of a warpgroup by its warps ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_EXPAND_WARPGROUP_H
#define STITCH_LOWERING_LLVM_EXPAND_WARPGROUP_H

#include "mlir-c/IR.h"

/// Replaces each stitch.warpgroup_product within `root` by an nvgpu.ldmatrix and nvgpu.mma.sync of each warp, and each
/// stitch.warpgroup_any by its operand: the same elements in the same threads, for targets without wgmma.
void expandWarpgroupProducts(MlirOperation root);

#endif // STITCH_LOWERING_LLVM_EXPAND_WARPGROUP_H
