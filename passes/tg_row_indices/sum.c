//===- sum.c - tg-row-indices: gathers instead of sums -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the sum of a row's selects by such a comparison. Leaves a gather of one element for each row.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "passes/tg_row_indices/row_indices.h"

/// Operations between a sum and values in memory, and columns from which on one more load is negligible against the
/// row.
enum { MOST_DEPTH = 32, LEAST_COLUMNS = 512 };

/// The summands: of each row the element whose number is that row's number.
typedef struct {
  MlirValue elements; ///< of rows and columns
  MlirValue numbers;  ///< of rows
  int64_t dim;        ///< of the columns
} Picked;

/// The operand of a broadcast along `dim` alone; null if `value` is no such broadcast.
static MlirValue broadcastAlong(MlirValue value, int64_t dim) {
  MlirOperation op = tgDefinedBy(value, TG_broadcast);
  if (mlirOperationIsNull(op))
    return (MlirValue){NULL};
  MlirValue operand = irOperand(op, 0);
  IrShape shape = irShapeOf(value), from = irShapeOf(operand), dims = irGetDims(op, "dims");
  if (from.rank != shape.rank - 1)
    return (MlirValue){NULL};
  for (intptr_t i = 0; i < from.rank; ++i)
    if (dims.dims[i] != i + (i >= dim) || from.dims[i] != shape.dims[dims.dims[i]])
      return (MlirValue){NULL};
  return operand;
}

/// Whether single elements of a value can be computed from values in memory, or known for each row.
static bool isNearMemory(MlirValue value, IrShape shape, int depth) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !tgIsMemoryIntensive(op) || tgKindOf(op) == TG_broadcast || tgIsSplat(op))
    return true;
  if (depth == 0 || tgClassOfKind(tgKindOf(op)) != TG_CLASS_ELEMENTWISE || mlirOperationGetNumRegions(op) > 0)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!isNearMemory(irOperand(op, i), shape, depth - 1))
      return false;
  return true;
}

static bool pickedBy(MlirOperation sum, Picked *picked) {
  IrShape dims = irGetDims(sum, "dims");
  MlirOperation select = tgDefinedBy(irOperand(sum, 0), TG_select);
  double zero;
  if (irGetInt(sum, "kind", -1) != TG_REDUCE_ADD || mlirOperationGetNumOperands(sum) != 1 || dims.rank != 1 ||
      mlirOperationIsNull(select) || !tgFloatSplat(irOperand(select, 2), &zero) || zero != 0.0)
    return false;
  MlirOperation equal = tgDefinedBy(irOperand(select, 0), TG_compare);
  if (mlirOperationIsNull(equal) || irGetInt(equal, "direction", -1) != TG_EQ)
    return false;
  picked->elements = irOperand(select, 1);
  picked->dim = dims.dims[0];
  if (irShapeOf(picked->elements).dims[picked->dim] < LEAST_COLUMNS)
    return false;
  for (intptr_t i = 0; i < 2; ++i) {
    picked->numbers = broadcastAlong(irOperand(equal, i), picked->dim);
    if (!mlirValueIsNull(picked->numbers) && rowIndexIotaDim(irOperand(equal, 1 - i)) == picked->dim)
      return isNearMemory(picked->elements, irShapeOf(picked->elements), MOST_DEPTH);
  }
  return false;
}

/// The rows are the batch dimensions of the gather.
static MlirValue gatherOf(IrBuilder *b, const Picked *picked, MlirType type) {
  IrShape shape = irShapeOf(picked->elements), rows = {0}, positions = {0}, sizes = {0};
  for (intptr_t d = 0; d < shape.rank; ++d) {
    sizes.dims[sizes.rank++] = 1;
    if (d != picked->dim) {
      positions.dims[positions.rank] = positions.rank;
      ++positions.rank;
      rows.dims[rows.rank++] = d;
    }
  }
  return irValueOf(b, "tg.gather", IR_VALUES(picked->elements, picked->numbers), type,
                   IR_ATTRS(irDims(b, "collapsed_slice_dims", 1, &picked->dim),
                            irDims(b, "operand_batching_dims", rows.rank, rows.dims),
                            irDims(b, "start_indices_batching_dims", positions.rank, positions.dims),
                            irDims(b, "start_index_map", 1, &picked->dim), irI64(b, "index_vector_dim", rows.rank),
                            irDims(b, "slice_sizes", sizes.rank, sizes.dims)));
}

/// Whether each row's number is one of its elements'; a gather moves others inside.
static MlirValue isInsideRow(IrBuilder *b, const Picked *picked) {
  int64_t size = irShapeOf(picked->elements).dims[picked->dim];
  MlirType wide = mlirIntegerTypeGet(b->context, 64);
  MlirValue numbers = tgConvert(b, picked->numbers, wide);
  MlirValue notBelow = tgCompare(b, TG_GE, numbers, tgSplatLike(b, numbers, 0));
  MlirValue below = tgCompare(b, TG_LT, numbers, tgSplatLike(b, numbers, (double)size));
  return tgBinary(b, "tg.and", notBelow, below);
}

MlirValue gatherInsteadOfSum(IrBuilder *b, MlirOperation sum) {
  Picked picked;
  if (!pickedBy(sum, &picked))
    return (MlirValue){NULL};
  MlirType type = mlirValueGetType(irResult(sum, 0));
  MlirValue element = gatherOf(b, &picked, type);
  RowIndex index;
  if (rowIndexOf(irDefiningOp(element), &index)) {
    MlirValue behind = gatherBehindOperations(b, &index);
    element = mlirValueIsNull(behind) ? element : behind;
  }
  return tgSelect(b, isInsideRow(b, &picked), element, tgSplat(b, type, 0.0));
}
