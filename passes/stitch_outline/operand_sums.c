//===- operand_sums.c - stitch-outline: sums of a dot's operands ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a weight is a product that contracts over all rows of a gradient; that of the bias is the sum of the
// same rows. The library cuBLASLt sums an operand as it multiplies it (BGRADA, BGRADB). That saves a reading of the
// operand where a kernel would read it for the sum alone: where a library has written it and no other kernel reads it.
// A kernel that computes the operand, or does something else with it, sums it for nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/epilogue.h"

/// Whether an operation sums an operand over the dimensions that the dot contracts.
static bool sumsContracted(MlirOperation op, MlirOperation dot, intptr_t operand) {
  if (tgKindOf(op) != TG_reduce || irGetInt(op, "kind", -1) != TG_REDUCE_ADD)
    return false;
  IrShape dims = irGetDims(op, "dims"), contract = irGetDims(dot, operand ? "rhs_contract" : "lhs_contract");
  bool same = dims.rank == contract.rank;
  for (intptr_t i = 0; i < dims.rank; ++i)
    same = same && irContains(contract, dims.dims[i]);
  return same;
}

/// Whether users of a value would be behind a call in the place of `op`.
static bool isUsedBehind(MlirValue value, MlirOperation op) {
  IR_FOR_EACH_USE(use, value)
    if (!isBehind(mlirOpOperandGetOwner(use), op))
      return false;
  return true;
}

bool epilogueTakeOperandSum(const Outline *outline, Epilogue *e) {
  MlirOperation dot = e->product;
  if (!hasTensorCoreEpilogues(outline, dot) || irGetDims(dot, "lhs_batch").rank)
    return false;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue operand = irOperand(dot, i);
    if (!isFromOutside(operand))
      continue;
    IR_FOR_EACH_USE(use, operand) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      if (!sumsContracted(op, dot, i) || isReadByKernels(operand, op) || !isUsedBehind(irResult(op, 0), dot))
        continue;
      e->sum = op;
      return true;
    }
  }
  return false;
}
