//===- space.c - iteration spaces of roots, and row locality --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a root or an operation. Leaves its iteration space as rows and columns, and tells whether an operation keeps
// rows, columns or elements in place, as the passive block-locality check of AStitch 4.3 needs.
//
//===----------------------------------------------------------------------===//

#include "ir/index/space.h"

#include "ir/graph/tg.h"

//===----------------------------------------------------------------------===//
// Reduces
//===----------------------------------------------------------------------===//

uint32_t irReducedDims(MlirOperation reduce) {
  uint32_t reduced = 0;
  if (tgKindOf(reduce) == TG_arg_reduce)
    return 1u << irGetInt(reduce, "dim", 0);
  IrShape dims = irGetDims(reduce, "dims");
  for (intptr_t i = 0; i < dims.rank; ++i)
    reduced |= 1u << dims.dims[i];
  return reduced;
}

IterationSpace irReduceSpace(MlirOperation reduce) {
  IrShape shape = irShapeOf(irOperand(reduce, 0));
  uint32_t reducedSet = irReducedDims(reduce);
  int64_t kept = 1, reduced = 1;
  int changes = 0; // between kept and reduced, from the outermost dimension inwards
  bool any = false, last = false;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] == 1)
      continue;
    bool isReduced = reducedSet >> i & 1;
    *(isReduced ? &reduced : &kept) *= shape.dims[i];
    changes += any && isReduced != last;
    last = isReduced;
    any = true;
  }
  if (reduced == 1)
    return (IterationSpace){STITCH_MAPPING_ROW, kept, 1, true};
  if (last)
    return (IterationSpace){STITCH_MAPPING_ROW, kept, reduced, changes <= 1};
  return (IterationSpace){STITCH_MAPPING_COLUMN, reduced, kept, changes == 1};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

intptr_t irLeadingDims(IrShape shape, int64_t rows) {
  int64_t product = 1;
  for (intptr_t i = 0; i <= shape.rank; ++i) {
    if (product == rows)
      return i;
    if (i < shape.rank)
      product *= shape.dims[i];
  }
  return -1;
}

static bool keepsRowsByIndex(IndexContext *context, MlirOperation op, intptr_t operand, int64_t rows) {
  IrShape result = irShapeOf(irResult(op, 0)), from = irShapeOf(irOperand(op, operand));
  int64_t columns = irNumElements(result) / rows, fromColumns = irNumElements(from) / rows;
  const IndexExpr *row = indexVariable(context, rows);
  const IndexExpr *column = columns == 1 ? indexConstant(context, 0) : indexVariable(context, columns);
  const IndexExpr *linear = indexAdd(context, indexScale(context, row, columns), column);
  IndexVector index = indexDelinearize(context, linear, result), operandIndex;
  if (!indexPropagate(context, op, operand, &index, &operandIndex))
    return false;
  return indexDiv(context, indexLinearize(context, &operandIndex, from), fromColumns) == row;
}

static bool padKeepsDims(MlirOperation op, intptr_t count) {
  IrShape low = irGetDims(op, "low"), high = irGetDims(op, "high"), interior = irGetDims(op, "interior");
  for (intptr_t i = 0; i < count; ++i)
    if (low.dims[i] != 0 || high.dims[i] != 0 || interior.dims[i] != 0)
      return false;
  return true;
}

static bool sameLeadingDims(IrShape a, IrShape b, intptr_t count) {
  for (intptr_t i = 0; i < count; ++i)
    if (i >= a.rank || i >= b.rank || a.dims[i] != b.dims[i])
      return false;
  return true;
}

/// The start indices of a gather whose batch dimensions come first in the result.
static bool gatherKeepsIndices(MlirOperation op, intptr_t count) {
  if (irGetInt(op, "index_vector_dim", 0) < count)
    return false;
  IrShape offset = irGetDims(op, "offset_dims");
  for (intptr_t i = 0; i < offset.rank; ++i)
    if (offset.dims[i] < count)
      return false;
  return true;
}

/// Windows of one element in the leading dimensions.
static bool windowKeepsDims(MlirOperation op, intptr_t count) {
  IrShape sizes = irGetDims(op, "window_dimensions"), strides = irGetDims(op, "window_strides"),
          dilations = irGetDims(op, "base_dilations"), low = irGetDims(op, "padding_low");
  for (intptr_t i = 0; i < count; ++i)
    if (sizes.dims[i] != 1 || strides.dims[i] != 1 || dilations.dims[i] != 1 || low.dims[i] != 0)
      return false;
  return true;
}

bool irKeepsRows(IndexContext *context, MlirOperation op, intptr_t operand, int64_t rows) {
  IrShape result = irShapeOf(irResult(op, 0)), from = irShapeOf(irOperand(op, operand));
  if (rows == 1)
    return true;
  if (irNumElements(result) % rows != 0 || irNumElements(from) % rows != 0)
    return false;
  if (irKeepsElements(op, operand))
    return true;
  intptr_t leading = irLeadingDims(result, rows);
  switch (tgKindOf(op)) {
  case TG_broadcast:
  case TG_transpose:
  case TG_slice:
  case TG_reverse:
    return keepsRowsByIndex(context, op, operand, rows);
  case TG_concatenate:
    return leading >= 0 && irGetInt(op, "dim", 0) >= leading;
  case TG_pad:
    return operand == 0 && leading >= 0 && padKeepsDims(op, leading);
  case TG_reduce_window:
  case TG_general_reduce_window:
    return leading >= 0 && windowKeepsDims(op, leading) && sameLeadingDims(result, from, leading);
  case TG_dynamic_slice:
    return operand == 0 && leading >= 0 && sameLeadingDims(result, from, leading);
  case TG_dynamic_update_slice:
    return operand <= 1 && leading >= 0 && sameLeadingDims(result, from, leading);
  case TG_gather:
    return operand == 1 && leading >= 0 && gatherKeepsIndices(op, leading) && sameLeadingDims(result, from, leading);
  default:
    return false;
  }
}

/// Whether a concatenation joins whole rows of so many columns.
static bool concatenatesColumns(MlirOperation op, int64_t columns) {
  intptr_t dim = irGetInt(op, "dim", 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    IrShape shape = irShapeOf(irOperand(op, i));
    int64_t elements = 1;
    for (intptr_t d = dim; d < shape.rank; ++d)
      elements *= shape.dims[d];
    if (elements % columns != 0)
      return false;
  }
  return true;
}

bool irKeepsColumns(IndexContext *context, MlirOperation op, intptr_t operand, int64_t columns) {
  IrShape result = irShapeOf(irResult(op, 0)), from = irShapeOf(irOperand(op, operand));
  if (irNumElements(result) % columns != 0 || irNumElements(from) % columns != 0)
    return false;
  if (irKeepsElements(op, operand))
    return true;
  if (tgKindOf(op) == TG_concatenate)
    return concatenatesColumns(op, columns);
  const IndexExpr *column = indexVariable(context, columns);
  const IndexExpr *row = indexVariable(context, irNumElements(result) / columns);
  const IndexExpr *linear = indexAdd(context, indexScale(context, row, columns), column);
  IndexVector index = indexDelinearize(context, linear, result), operandIndex;
  if (!indexPropagate(context, op, operand, &index, &operandIndex))
    return false;
  return indexMod(context, indexLinearize(context, &operandIndex, from), columns) == column;
}

bool irKeepsElements(MlirOperation op, intptr_t operand) {
  TgKind kind = tgKindOf(op);
  if (kind == TG_reshape)
    return true;
  return tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE &&
         irShapesEqual(irShapeOf(irResult(op, 0)), irShapeOf(irOperand(op, operand)));
}

int64_t irInnermostSize(IrShape shape) {
  for (intptr_t i = shape.rank; i-- > 0;)
    if (shape.dims[i] != 1)
      return shape.dims[i];
  return 1;
}
