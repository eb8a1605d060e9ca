//===- analyse.c - tg-row-indices: which dimensions follow which ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gather or scatter. Leaves for each dimension of its positions the dimension of the operand that follows it
// (an iota or a batch dimension). It also finds the one that is indexed by numbers in memory.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_row_indices/row_indices.h"

#include "ir/mlir/query.h"

/// The names of the attributes that gather and scatter call differently.
typedef struct {
  const char *map, *batch, *indicesBatch, *window;
} IndexingAttrs;

static const IndexingAttrs namesOfGather = {"start_index_map", "operand_batching_dims", "start_indices_batching_dims",
                                            "offset_dims"};
static const IndexingAttrs namesOfScatter = {"scatter_dims_to_operand_dims", "input_batching_dims",
                                             "scatter_indices_batching_dims", "update_window_dims"};

/// The dimension of the positions that a dimension of the index tensor is.
static int64_t positionOf(const RowIndex *index, int64_t dim) { return dim - (dim > index->vectorDim); }

//===----------------------------------------------------------------------===//
// Columns that are an iota
//===----------------------------------------------------------------------===//

/// The dimension of `to` that dimension `dim` of `from` becomes, if a reshape only adds or drops dimensions of size
/// one; -1 otherwise. `dim` has more than one element.
static int64_t dimBehindReshape(IrShape from, IrShape to, int64_t dim) {
  int64_t i = 0, j = 0, found = -1;
  for (;;) {
    while (i < from.rank && from.dims[i] == 1)
      ++i;
    while (j < to.rank && to.dims[j] == 1)
      ++j;
    if (i == from.rank || j == to.rank)
      return i == from.rank && j == to.rank ? found : -1;
    if (from.dims[i] != to.dims[j])
      return -1;
    found = i == dim ? j : found;
    ++i;
    ++j;
  }
}

/// Whether an integer type holds the numbers below `size`.
static bool holdsNumbersBelow(MlirType element, int64_t size) {
  if (!irIsInteger(element) || irIsBool(element))
    return false;
  int64_t bits = mlirIntegerTypeGetWidth(element) - !irIsUnsigned(element);
  return bits >= 62 || size <= (int64_t)1 << bits;
}

int64_t rowIndexIotaDim(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op))
    return -1;
  IrShape shape = irShapeOf(value);
  int64_t dim = -1;
  IrShape dims;
  switch (tgKindOf(op)) {
  case TG_iota:
    dim = irGetInt(op, "dim", -1);
    break;
  case TG_convert:
    dim = rowIndexIotaDim(irOperand(op, 0));
    break;
  case TG_reshape:
    dim = rowIndexIotaDim(irOperand(op, 0));
    dim = dim >= 0 ? dimBehindReshape(irShapeOf(irOperand(op, 0)), shape, dim) : -1;
    break;
  case TG_broadcast:
    dim = rowIndexIotaDim(irOperand(op, 0));
    dims = irGetDims(op, "dims");
    dim = dim >= 0 && dim < dims.rank ? dims.dims[dim] : -1;
    break;
  default:
    return -1;
  }
  bool counts = dim >= 0 && shape.dims[dim] > 1 && holdsNumbersBelow(irElementTypeOf(value), shape.dims[dim]);
  return counts ? dim : -1;
}

/// The dimension of the positions that a column of the indices follows; -1: none. Columns are put side by side by a
/// concatenation.
static int64_t positionThatColumnFollows(const RowIndex *index, int64_t column) {
  MlirValue value = index->indices;
  MlirOperation op = irDefiningOp(value);
  bool isJoined =
      !mlirOperationIsNull(op) && tgKindOf(op) == TG_concatenate && irGetInt(op, "dim", -1) == index->vectorDim;
  for (intptr_t i = 0; isJoined && i < mlirOperationGetNumOperands(op); ++i) {
    value = irOperand(op, i);
    int64_t size = irShapeOf(value).dims[index->vectorDim];
    if (column < size)
      break;
    column -= size;
  }
  int64_t dim = rowIndexIotaDim(value);
  return dim >= 0 && dim != index->vectorDim ? positionOf(index, dim) : -1;
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// All slices are of one element, and the result's (or the updates') dimensions are those of the positions.
static bool movesElements(MlirOperation op, const RowIndex *index, const IndexingAttrs *names) {
  if (irGetDims(op, names->window).rank > 0)
    return false;
  if (tgKindOf(op) == TG_scatter)
    return true;
  IrShape sizes = irGetDims(op, "slice_sizes");
  for (intptr_t d = 0; d < index->shape.rank; ++d)
    if (sizes.dims[d] != 1)
      return false;
  return true;
}

bool rowIndexOf(MlirOperation op, RowIndex *index) {
  const IndexingAttrs *names = tgKindOf(op) == TG_gather ? &namesOfGather : &namesOfScatter;
  *index = (RowIndex){.op = op, .operand = irOperand(op, 0), .indices = irOperand(op, 1)};
  index->shape = irShapeOf(index->operand);
  index->vectorDim = irGetInt(op, "index_vector_dim", 0);
  if (!movesElements(op, index, names))
    return false;
  IrShape indices = irShapeOf(index->indices);
  for (intptr_t d = 0; d < indices.rank; ++d)
    if (d != index->vectorDim)
      index->positions.dims[index->positions.rank++] = indices.dims[d];
  IrShape batch = irGetDims(op, names->batch), indicesBatch = irGetDims(op, names->indicesBatch);
  for (intptr_t i = 0; i < batch.rank; ++i)
    index->dims[batch.dims[i]] = (DimIndex){INDEX_FOLLOWS, positionOf(index, indicesBatch.dims[i]), 0};
  IrShape map = irGetDims(op, names->map);
  for (intptr_t i = 0; i < map.rank; ++i) {
    int64_t d = map.dims[i], position = positionThatColumnFollows(index, i);
    bool follows = position >= 0 && index->positions.dims[position] == index->shape.dims[d];
    index->dims[d] = follows ? (DimIndex){INDEX_FOLLOWS, position, 0} : (DimIndex){INDEX_DATA, -1, i};
  }
  return true; // an axis in neither list has one element, or is looked at where its number is 0
}

MlirValue rowIndexColumn(IrBuilder *b, const RowIndex *index, int64_t column) {
  MlirValue value = index->indices;
  if (index->vectorDim < irShapeOf(value).rank)
    value = tgSlice(b, value, index->vectorDim, column, column + 1);
  MlirType element = irElementTypeOf(value);
  bool isWide =
      mlirIntegerTypeGetWidth(element) > 32 || (mlirIntegerTypeGetWidth(element) == 32 && irIsUnsigned(element));
  value = tgReshape(b, value, tgWithShape(mlirValueGetType(value), index->positions));
  return tgConvert(b, value, mlirIntegerTypeGet(b->context, isWide ? 64 : 32));
}
