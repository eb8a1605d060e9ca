//===- gather.c - tg-row-indices: gathers before operations --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gather of computed values, one of each row. Leaves the operations on gathered operands, down to values in
// memory or of whole rows.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_row_indices/row_indices.h"

#include "ir/mlir/map.h"

/// So many operations are done again, on so many times fewer elements at least.
enum { MOST_OPERATIONS = 32, TIMES_FEWER = 4 };

typedef struct {
  IrBuilder *b;
  const RowIndex *index;
  IrMap known; ///< value of the operand's shape -> the gathered value
  int64_t numOperations;
} Gathering;

static MlirType typeOfPositions(const Gathering *g, MlirValue value) {
  return tgWithShape(mlirValueGetType(value), g->index->positions);
}

/// The gather of another value of the operand's shape.
static MlirValue gatherOf(const Gathering *g, MlirValue value) {
  MlirOperation clone = mlirOperationClone(g->index->op);
  mlirOperationSetOperand(clone, 0, value);
  mlirValueSetType(irResult(clone, 0), typeOfPositions(g, value));
  mlirBlockInsertOwnedOperationBefore(g->b->block, g->b->before, clone);
  return irResult(clone, 0);
}

/// A broadcast along dimensions that follow the positions needs no gather: it is a value for each row. Null if some
/// number that is read tells which element it is.
static MlirValue gatherOfBroadcast(const Gathering *g, MlirOperation broadcast) {
  MlirValue operand = irOperand(broadcast, 0);
  IrShape from = irShapeOf(operand), dims = irGetDims(broadcast, "dims"), sizes = {0}, places = {0};
  for (intptr_t i = 0; i < from.rank; ++i) {
    const DimIndex *dim = &g->index->dims[dims.dims[i]];
    if (from.dims[i] == 1)
      continue;
    if (dim->kind != INDEX_FOLLOWS)
      return (MlirValue){NULL};
    sizes.dims[sizes.rank++] = from.dims[i];
    places.dims[places.rank++] = dim->position;
  }
  for (intptr_t i = 0; i < places.rank; ++i)
    for (intptr_t j = 0; j < i; ++j)
      if (places.dims[i] == places.dims[j]) // a diagonal
        return (MlirValue){NULL};
  MlirValue rows = tgReshape(g->b, operand, tgWithShape(mlirValueGetType(operand), sizes));
  return tgBroadcast(g->b, rows, typeOfPositions(g, irResult(broadcast, 0)), places);
}

static MlirValue gatheredElements(Gathering *g, MlirValue value);

/// The operation on the gathered operands; scalars stay.
static MlirValue repeatOperation(Gathering *g, MlirOperation op) {
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (irShapesEqual(irShapeOf(irOperand(op, i)), g->index->shape))
      mlirOperationSetOperand(clone, i, gatheredElements(g, irOperand(op, i)));
  mlirValueSetType(irResult(clone, 0), typeOfPositions(g, irResult(op, 0)));
  mlirBlockInsertOwnedOperationBefore(g->b->block, g->b->before, clone);
  return irResult(clone, 0);
}

/// Whether an operation computes each element from those of the same index, and perhaps scalars.
static bool isByElements(const Gathering *g, MlirOperation op) {
  if (mlirOperationIsNull(op) || tgClassOfKind(tgKindOf(op)) != TG_CLASS_ELEMENTWISE ||
      mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) > 0)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    IrShape shape = irShapeOf(irOperand(op, i));
    if (!irShapesEqual(shape, g->index->shape) && shape.rank > 0)
      return false;
  }
  return true;
}

static MlirValue gatheredElements(Gathering *g, MlirValue value) {
  int64_t known = irMapGet(&g->known, value.ptr, 0);
  if (known)
    return (MlirValue){(void *)(intptr_t)known};
  MlirOperation op = irDefiningOp(value);
  MlirValue elements = {NULL};
  if (isByElements(g, op) && g->numOperations < MOST_OPERATIONS) {
    ++g->numOperations;
    elements = repeatOperation(g, op);
  } else if (!mlirOperationIsNull(op) && tgKindOf(op) == TG_broadcast) {
    elements = gatherOfBroadcast(g, op);
  }
  if (mlirValueIsNull(elements))
    elements = gatherOf(g, value);
  irMapSet(&g->known, value.ptr, (int64_t)(intptr_t)elements.ptr);
  return elements;
}

MlirValue gatherBehindOperations(IrBuilder *b, const RowIndex *index) {
  Gathering g = {.b = b, .index = index};
  bool follows = false;
  for (int64_t d = 0; d < index->shape.rank; ++d) {
    follows = follows || (index->dims[d].kind == INDEX_FOLLOWS && index->shape.dims[d] > 1);
    if (index->dims[d].kind == INDEX_FIXED && index->shape.dims[d] != 1)
      return (MlirValue){NULL};
  }
  bool isFewer = irNumElements(index->positions) * TIMES_FEWER <= irNumElements(index->shape);
  if (!follows || !isFewer || !isByElements(&g, irDefiningOp(index->operand)))
    return (MlirValue){NULL};
  MlirValue elements = gatheredElements(&g, index->operand);
  irMapDestroy(&g.known);
  return elements;
}
