//===- epilogue_queries.c - stitch-outline: the graph around a product ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes values around a product. Leaves facts that decide about its epilogue: whether a value has to be in memory,
// whether kernels read it, and whether an operand is a bias along the columns.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/epilogue.h"

bool isNeededInMemory(MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tgKindOf(user) == TG_reshape ? isNeededInMemory(irResult(user, 0)) : !tgIsMemoryIntensive(user))
      return true;
  }
  return false;
}

bool isReadByKernels(MlirValue value, MlirOperation except) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tgKindOf(user) == TG_reshape ? isReadByKernels(irResult(user, 0), except)
                                     : tgIsMemoryIntensive(user) && !mlirOperationEqual(user, except))
      return true;
  }
  return false;
}

bool isFromOutside(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (!mlirOperationIsNull(op) && tgKindOf(op) == TG_reshape)
    return isFromOutside(irOperand(op, 0));
  return mlirOperationIsNull(op) || !tgIsMemoryIntensive(op);
}

bool isBehind(MlirOperation op, MlirOperation other) {
  return mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(other)) &&
         mlirOperationIsBeforeInBlock(other, op);
}

intptr_t columnDimsOf(MlirOperation dot) {
  return irShapeOf(irOperand(dot, 1)).rank - irGetDims(dot, "rhs_batch").rank - irGetDims(dot, "rhs_contract").rank;
}

bool isInMemory(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (isFromOutside(value))
    return true;
  if (tgKindOf(op) == TG_reshape)
    return isInMemory(irOperand(op, 0));
  return tgKindOf(op) == TG_constant || isNeededInMemory(value);
}

bool isCloned(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  TgKind kind = mlirOperationIsNull(op) ? TG_NONE : tgKindOf(op);
  return kind == TG_broadcast || kind == TG_constant;
}

/// Whether a reshape puts a vector of the columns into a result of one row.
static bool isBiasOfOneRow(MlirOperation dot, MlirOperation reshape) {
  IrShape from = irShapeOf(irOperand(reshape, 0)), to = irShapeOf(irResult(reshape, 0));
  intptr_t rows = to.rank - columnDimsOf(dot);
  bool fits = from.rank > 0 && from.rank == to.rank - rows;
  for (intptr_t i = 0; i < to.rank; ++i)
    fits = fits && to.dims[i] == (i < rows ? 1 : from.dims[i - rows]);
  return fits;
}

bool isBias(MlirOperation product, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  TgKind kind = mlirOperationIsNull(op) ? TG_NONE : tgKindOf(op);
  if ((kind != TG_broadcast && kind != TG_reshape) || !isInMemory(irOperand(op, 0)))
    return false;
  if (kind == TG_reshape)
    return tgKindOf(product) == TG_dot && isBiasOfOneRow(product, op);
  IrShape dims = irGetDims(op, "dims"), from = irShapeOf(irOperand(op, 0)), to = irShapeOf(value);
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (from.dims[i] != to.dims[dims.dims[i]] || dims.dims[i] != dims.dims[0] + i)
      return false;
  if (tgKindOf(product) == TG_convolution)
    return dims.rank == 1 && dims.dims[0] == irGetInt(product, "output_feature_dimension", -1);
  intptr_t columns = columnDimsOf(product);
  return dims.rank > 0 && dims.rank == columns && dims.dims[0] == to.rank - columns;
}

enum {
  FIRST_ARCHITECTURE = 80,
  FIRST_ARCHITECTURE_BF16 = 90 ///< before, others have found, a second kernel does the epilogue
};

bool hasTensorCoreEpilogues(const Outline *outline, MlirOperation dot) {
  if (tgKindOf(dot) != TG_dot)
    return false;
  MlirType element = irElementTypeOf(irResult(dot, 0));
  int64_t first = mlirTypeIsABF16(element) ? FIRST_ARCHITECTURE_BF16 : FIRST_ARCHITECTURE;
  if (outline->device.arch && outline->device.arch < first)
    return false;
  bool isNarrow = mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
  return (isNarrow || (outline->f32Epilogues && mlirTypeIsAF32(element))) &&
         mlirTypeEqual(irElementTypeOf(irOperand(dot, 0)), element) &&
         mlirTypeEqual(irElementTypeOf(irOperand(dot, 1)), element);
}
