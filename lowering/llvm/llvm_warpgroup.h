//===- llvm_warpgroup.h - operands of stitch.warpgroup_product ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_LLVM_WARPGROUP_H
#define STITCH_LOWERING_LLVM_LLVM_WARPGROUP_H

#include "mlir-c/IR.h"

/// Warps of a warpgroup; columns of a block in shared memory, whose rows are 128 bytes; pieces of 16 bytes of a row.
enum { WARPGROUP_WARPS = 4, WARPGROUP_PANEL = 64, WARPGROUP_CHUNKS = 8 };

/// The operands of a stitch.warpgroup_product, which has been verified.
typedef struct {
  MlirOperation op; ///< its first `numFragments` operands are A's fragments
  int64_t numFragments, numSums, numResults, depth, lhsRows, rhsRows;
  MlirValue lhs, lhsRow, rhs; ///< the first two are null if A is in registers
  MlirValue *sums;
  bool transposed;
} WarpgroupProduct;

WarpgroupProduct warpgroupProductOf(MlirOperation op);
void warpgroupProductDestroy(WarpgroupProduct *product);

#endif // STITCH_LOWERING_LLVM_LLVM_WARPGROUP_H
