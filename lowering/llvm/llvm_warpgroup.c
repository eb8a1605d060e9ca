//===- llvm_warpgroup.c - operands of stitch.warpgroup_product ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a stitch.warpgroup_product, verified. Leaves its operands in a struct, for the lowerings to PTX and to the CPU.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/llvm_warpgroup.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdlib.h>

WarpgroupProduct warpgroupProductOf(MlirOperation op) {
  enum { FRAGMENTS, LHS, LHS_ROW, RHS, SUMS };
  MlirAttribute segments = irGetAttr(op, "operandSegmentSizes");
  WarpgroupProduct p = {.op = op,
                        .numFragments = mlirDenseI32ArrayGetElement(segments, FRAGMENTS),
                        .numSums = mlirDenseI32ArrayGetElement(segments, SUMS),
                        .numResults = mlirOperationGetNumResults(op),
                        .depth = irGetInt(op, "depth", 0),
                        .lhsRows = irGetInt(op, "lhs_rows", 0),
                        .rhsRows = irGetInt(op, "rhs_rows", 0),
                        .transposed = irHasAttr(op, "transposed")};
  intptr_t at = (intptr_t)p.numFragments;
  if (mlirDenseI32ArrayGetElement(segments, LHS) == 1)
    p.lhs = irOperand(op, at++);
  if (mlirDenseI32ArrayGetElement(segments, LHS_ROW) == 1)
    p.lhsRow = irOperand(op, at++);
  p.rhs = irOperand(op, at++);
  p.sums = irAllocate(sizeof(MlirValue) * (size_t)(p.numSums + 1));
  for (int64_t i = 0; i < p.numSums; ++i)
    p.sums[i] = irOperand(op, at++);
  return p;
}

void warpgroupProductDestroy(WarpgroupProduct *product) { free(product->sums); }
