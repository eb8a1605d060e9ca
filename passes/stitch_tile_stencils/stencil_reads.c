//===- stencil_reads.c - stitch-tile-stencils: what operations read ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an operation. Leaves the tensors that it reads, each at a constant offset from the element that it computes.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/symbol.h"
#include "passes/stitch_tile_stencils/stencil.h"

static bool sameShape(IrShape a, IrShape b) {
  bool same = a.rank == b.rank;
  for (intptr_t d = 0; same && d < a.rank; ++d)
    same = a.dims[d] == b.dims[d];
  return same;
}

bool stencilIsUniform(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (irShapeOf(value).rank == 0 || (!mlirOperationIsNull(op) && tgIsSplat(op)))
    return true;
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_broadcast && irNumElements(irShapeOf(irOperand(op, 0))) == 1;
}

static bool isUnitStrided(MlirOperation slice) {
  IrShape strides = irGetDims(slice, "strides");
  for (intptr_t d = 0; d < strides.rank; ++d)
    if (strides.dims[d] != 1)
      return false;
  return true;
}

static int64_t readsOfSlice(MlirOperation op, StencilRead *read) {
  IrShape starts = irGetDims(op, "starts");
  *read = (StencilRead){.value = irOperand(op, 0), .moves = true};
  for (intptr_t d = 0; d < starts.rank; ++d)
    read->offset[d] = starts.dims[d];
  return isUnitStrided(op) ? 1 : -1;
}

static int64_t readsOfPad(MlirOperation op, StencilRead *read) {
  IrShape low = irGetDims(op, "low"), high = irGetDims(op, "high"), interior = irGetDims(op, "interior");
  *read = (StencilRead){.value = irOperand(op, 0), .moves = true};
  for (intptr_t d = 0; d < low.rank; ++d) {
    if (low.dims[d] < 0 || high.dims[d] < 0 || interior.dims[d] != 0)
      return -1;
    read->offset[d] = -low.dims[d];
    read->pads |= (uint32_t)(low.dims[d] > 0 || high.dims[d] > 0) << d;
  }
  return 1;
}

/// Whether `value` is a slice along one dimension alone.
static bool isSliceAlong(MlirValue value, int64_t dim, int64_t *start) {
  MlirOperation op = tgDefinedBy(value, TG_slice);
  if (mlirOperationIsNull(op) || !isUnitStrided(op))
    return false;
  IrShape from = irShapeOf(irOperand(op, 0)), to = irShapeOf(value);
  for (intptr_t d = 0; d < from.rank; ++d)
    if (d != dim && from.dims[d] != to.dims[d])
      return false;
  *start = irGetDims(op, "starts").dims[dim];
  return true;
}

/// A roll: the last elements of a value along a dimension, and then all others.
static int64_t readsOfRoll(MlirOperation op, StencilRead *read) {
  int64_t dim = irGetInt(op, "dim", 0), last, first;
  if (mlirOperationGetNumOperands(op) != 2 || !isSliceAlong(irOperand(op, 0), dim, &last) ||
      !isSliceAlong(irOperand(op, 1), dim, &first))
    return -1;
  MlirValue rolled = irOperand(irDefiningOp(irOperand(op, 0)), 0);
  int64_t size = irShapeOf(rolled).dims[dim], end = last + irShapeOf(irOperand(op, 0)).dims[dim];
  if (!mlirValueEqual(rolled, irOperand(irDefiningOp(irOperand(op, 1)), 0)) || first != 0 || end != size ||
      irShapeOf(irOperand(op, 1)).dims[dim] != last)
    return -1;
  *read = (StencilRead){.value = rolled, .wraps = 1u << dim, .moves = true};
  read->offset[dim] = 2 * last > size ? last - size : last;
  return 1;
}

static int64_t readsOfElements(MlirOperation op, StencilRead *reads) {
  IrShape shape = irShapeOf(irResult(op, 0));
  int64_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = irOperand(op, i);
    if (stencilIsUniform(operand))
      continue;
    if (count == STENCIL_MOST_READS || !sameShape(irShapeOf(operand), shape))
      return -1;
    reads[count++] = (StencilRead){.value = operand};
  }
  return count > 0 ? count : -1;
}

int64_t stencilReads(MlirOperation op, StencilRead reads[STENCIL_MOST_READS]) {
  if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) > 0 || irHasOpenSize(op))
    return -1;
  switch (tgKindOf(op)) {
  case TG_slice:
    return readsOfSlice(op, reads);
  case TG_pad:
    return readsOfPad(op, reads);
  case TG_concatenate:
    return readsOfRoll(op, reads);
  default:
    return tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE ? readsOfElements(op, reads) : -1;
  }
}
