//===- linalg_gather.c - elements at places that are computed -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.extract in a body, and indexing maps that are no projected permutations. Dimensions along which the place is
// that of the element itself are taken as a whole, as rows of a table are.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_body.h"

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Whether a tensor is known to be the same along dimension `dim`; `budget` bounds the operations that are looked at.
static bool isSameAlong(MlirValue value, int64_t dim, int *budget) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || --*budget < 0)
    return false;
  TgKind kind = tgKindOf(op);
  if (kind == TG_constant)
    return mlirDenseElementsAttrIsSplat(irGetAttr(op, "value"));
  if (kind == TG_iota)
    return irGetInt(op, "dim", -1) != dim;
  if (kind == TG_broadcast)
    return !irContains(irGetDims(op, "dims"), dim);
  if (tgClassOfKind(kind) != TG_CLASS_ELEMENTWISE)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (irShapeOf(irOperand(op, i)).rank > 0 && !isSameAlong(irOperand(op, i), dim, budget))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Which dimensions of the tensor are taken as a whole: the one of the space along which they lie, -1 for the others.
/// They are ascending, and at least one is not among them.
static void findWhole(IrShape shape, IrShape space, const MlirValue *indices, int64_t *whole) {
  int64_t last = -1;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    MlirOperation op = irDefiningOp(indices[i]);
    int64_t dim = !mlirOperationIsNull(op) && tgKindOf(op) == TG_iota ? irGetInt(op, "dim", -1) : -1;
    bool isWhole = dim > last && space.dims[dim] == shape.dims[i];
    int budget = 256;
    for (intptr_t k = 0; isWhole && k < shape.rank; ++k)
      isWhole = k == i || isSameAlong(indices[k], dim, &budget);
    whole[i] = isWhole ? dim : -1;
    last = isWhole ? dim : last;
  }
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (whole[i] < 0)
      return;
  whole[0] = -1;
}

/// An index where it is the same along `dims`, as one part of an index vector.
static MlirValue indexPart(IrBuilder *b, MlirValue index, IrShape dims) {
  IrShape shape = irShapeOf(index), part = {0};
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (irContains(dims, i))
      index = tgSlice(b, index, i, 0, 1);
    else
      part.dims[part.rank++] = shape.dims[i];
  part.dims[part.rank++] = 1;
  return tgReshape(b, index, tgWithShape(mlirValueGetType(index), part));
}

MlirValue linalgElementsAt(IrBuilder *b, MlirValue tensor, IrShape space, const MlirValue *indices) {
  IrShape shape = irShapeOf(tensor), sizes = {.rank = shape.rank}, offsets = {0}, collapsed = {0};
  MlirType type = tgWithShape(mlirValueGetType(tensor), space);
  int64_t whole[IR_MAX_RANK];
  if (!shape.rank)
    return tgBroadcast(b, tensor, type, (IrShape){0});
  if (space.rank == IR_MAX_RANK) // no room for index vectors
    return (MlirValue){NULL};
  findWhole(shape, space, indices, whole);
  for (intptr_t i = 0; i < shape.rank; ++i) {
    sizes.dims[i] = whole[i] < 0 ? 1 : shape.dims[i];
    if (whole[i] < 0)
      collapsed.dims[collapsed.rank++] = i;
    else
      offsets.dims[offsets.rank++] = whole[i];
  }
  MlirValue parts[IR_MAX_RANK];
  for (intptr_t i = 0; i < collapsed.rank; ++i)
    parts[i] = indexPart(b, indices[collapsed.dims[i]], offsets);
  MlirValue vectors =
      collapsed.rank == 1 ? parts[0] : tgConcatenate(b, (IrValues){collapsed.rank, parts}, space.rank - offsets.rank);
  return irValueOf(b, "tg.gather", IR_VALUES(tensor, vectors), type,
                   IR_ATTRS(irDims(b, "offset_dims", offsets.rank, offsets.dims),
                            irDims(b, "collapsed_slice_dims", collapsed.rank, collapsed.dims),
                            irDims(b, "operand_batching_dims", 0, NULL),
                            irDims(b, "start_indices_batching_dims", 0, NULL),
                            irDims(b, "start_index_map", collapsed.rank, collapsed.dims),
                            irI64(b, "index_vector_dim", space.rank - offsets.rank),
                            irDims(b, "slice_sizes", sizes.rank, sizes.dims)));
}
