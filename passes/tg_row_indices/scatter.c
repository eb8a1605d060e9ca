//===- scatter.c - tg-row-indices: selects instead of scatters -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a scatter into equal elements with at most one update an element. Leaves a select by a comparison of the column
// with the row's index.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_row_indices/row_indices.h"

/// The combiner of an update with the element, by tg.scatter's `kind`; NULL: replaces it.
static const char *const combiners[] = {"tg.add", "tg.mul", "tg.min", "tg.max", "tg.and", "tg.or", "tg.xor", NULL};

enum { NUM_KINDS = sizeof(combiners) / sizeof(combiners[0]) };

/// Whether a value has one element everywhere.
static bool isSplat(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  bool isBroadcast = !mlirOperationIsNull(op) && tgKindOf(op) == TG_broadcast;
  return tgIsSplat(op) || (isBroadcast && irNumElements(irShapeOf(irOperand(op, 0))) == 1);
}

/// For each dimension of the positions with more than one element, the dimension of the operand that follows it, rising
/// in the former. False if there is none for some: then an element may have several updates.
static bool findFollowers(const RowIndex *index, IrShape *places, IrShape *sizes) {
  *places = *sizes = (IrShape){0};
  for (int64_t p = 0; p < index->positions.rank; ++p) {
    if (index->positions.dims[p] == 1)
      continue;
    int64_t follower = -1;
    for (int64_t d = 0; d < index->shape.rank; ++d)
      if (index->dims[d].kind == INDEX_FOLLOWS && index->dims[d].position == p)
        follower = follower < 0 ? d : index->shape.rank; // two of them: a diagonal
    if (follower < 0 || follower == index->shape.rank)
      return false;
    places->dims[places->rank++] = follower;
    sizes->dims[sizes->rank++] = index->positions.dims[p];
  }
  return true;
}

/// Dimensions that no number is read for have one element.
static bool othersAreSingle(const RowIndex *index) {
  for (int64_t d = 0; d < index->shape.rank; ++d)
    if (index->dims[d].kind == INDEX_FIXED && index->shape.dims[d] != 1)
      return false;
  return true;
}

/// The values for each position, in the operand's shape.
static MlirValue spread(IrBuilder *b, const RowIndex *index, MlirValue value, IrShape places, IrShape sizes) {
  MlirType type = tgWithElement(mlirValueGetType(index->operand), irElementTypeOf(value));
  return tgBroadcast(b, tgReshape(b, value, tgWithShape(mlirValueGetType(value), sizes)), type, places);
}

MlirValue selectInsteadOfScatter(IrBuilder *b, const RowIndex *index) {
  IrShape places, sizes;
  int64_t kind = irGetInt(index->op, "kind", -1);
  if (kind < 0 || kind >= NUM_KINDS || !isSplat(index->operand) || !othersAreSingle(index) ||
      !findFollowers(index, &places, &sizes))
    return (MlirValue){NULL};
  MlirValue hit = {NULL};
  for (int64_t d = 0; d < index->shape.rank; ++d) {
    if (index->dims[d].kind != INDEX_DATA)
      continue;
    MlirValue wanted = spread(b, index, rowIndexColumn(b, index, index->dims[d].column), places, sizes);
    MlirValue equal = tgCompare(b, TG_EQ, wanted, tgIota(b, mlirValueGetType(wanted), d));
    hit = mlirValueIsNull(hit) ? equal : tgBinary(b, "tg.and", hit, equal);
  }
  MlirValue update = spread(b, index, irOperand(index->op, 2), places, sizes);
  if (combiners[kind])
    update = tgBinary(b, combiners[kind], index->operand, update);
  return mlirValueIsNull(hit) ? update : tgSelect(b, hit, update, index->operand);
}
