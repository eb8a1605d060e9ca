//===- selections.c - tg-infer-bounds: positions that are computed ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes reads of rows at indices that are computed: the logits of a token whose number is an argument. Bounds for them
// are as those of slices, but for positions that are known only at run time. A bound names the selection that computes
// them.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_build.h"
#include "passes/tg_infer_bounds/bounds.h"

/// More operations than this are no index computation.
enum { MOST_OPERATIONS = 32 };

/// The dimension along which a gather takes whole slices, one for each of its indices, which are that dimension of the
/// result; -1 if it does anything else.
static intptr_t dimOfGather(MlirOperation op) {
  IrShape operand = irShapeOf(irOperand(op, 0)), indices = irShapeOf(irOperand(op, 1)),
          sizes = irGetDims(op, "slice_sizes");
  IrShape map = irGetDims(op, "start_index_map"), collapsed = irGetDims(op, "collapsed_slice_dims");
  IrShape offsets = irGetDims(op, "offset_dims");
  bool isVector = indices.rank > 0 && irGetInt(op, "index_vector_dim", 0) == 1 &&
                  (indices.rank == 1 || (indices.rank == 2 && indices.dims[1] == 1));
  if (!isVector || map.rank != 1 || collapsed.rank != 1 || map.dims[0] != collapsed.dims[0] ||
      offsets.rank != operand.rank - 1)
    return -1;
  intptr_t dim = map.dims[0];
  for (intptr_t d = 0; d < operand.rank; ++d)
    if (d != dim && (sizes.dims[d] != operand.dims[d] || offsets.dims[d - (d > dim)] != d))
      return -1;
  return dim;
}

bool selects(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  bool isComputed = mlirOperationGetNumOperands(op) > 0 && !mlirOperationIsNull(irDefiningOp(irOperand(op, 0)));
  return kind == TG_dynamic_slice || (kind == TG_gather && isComputed && dimOfGather(op) >= 0);
}

static bool isGather(const Selection *s) { return tgKindOf(s->op) == TG_gather; }
static MlirValue positionsOf(const Selection *s) { return irOperand(s->op, s->operand); }

static bool takesAll(MlirOperation op, intptr_t dim) {
  if (tgKindOf(op) == TG_gather)
    return dim != dimOfGather(op);
  return irShapeOf(irOperand(op, 0)).dims[dim] == irShapeOf(irResult(op, 0)).dims[dim];
}

int32_t selectionAlong(MlirOperation op, intptr_t dim, const IrMap *number, Selections *selections) {
  if (takesAll(op, dim))
    return 0;
  Selection s = {.op = op,
                 .operand = tgKindOf(op) == TG_gather ? 1 : 1 + dim,
                 .count = irShapeOf(irResult(op, 0)).dims[dim],
                 .size = irShapeOf(irOperand(op, 0)).dims[dim],
                 .definedAt = -1};
  MlirValue positions = positionsOf(&s);
  s.next = irMapGet(&selections->ofPositions, positions.ptr, 0);
  for (int64_t i = s.next; i > 0; i = selections->data[i - 1].next) {
    const Selection *known = &selections->data[i - 1];
    if (isGather(known) == isGather(&s) && known->count == s.count && known->size == s.size)
      return (int32_t)i;
  }
  if (!mlirOperationIsNull(irDefiningOp(positions)))
    s.definedAt = irMapGet(number, irDefiningOp(positions).ptr, -1);
  IR_RESERVE_ONE(selections->data, selections->count, selections->capacity);
  selections->data[selections->count] = s;
  irMapSet(&selections->ofPositions, positions.ptr, ++selections->count);
  return (int32_t)selections->count;
}

//===----------------------------------------------------------------------===//
// Where positions are computed
//===----------------------------------------------------------------------===//

/// Counts the operations that compute a value; more than MOST_OPERATIONS if they are not all of arguments and
/// constants.
static void countOperations(MlirValue value, MlirBlock block, int64_t *count) {
  MlirOperation op = irDefiningOp(value);
  if (*count > MOST_OPERATIONS || mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), block))
    return;
  bool isPlain = tgIsMemoryIntensive(op) && mlirOperationGetNumRegions(op) == 0;
  *count += isPlain ? 1 : MOST_OPERATIONS + 1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    countOperations(irOperand(op, i), block, count);
}

/// Moves the operations that compute a value, operands first, behind those that have been moved.
static void moveToFront(MlirValue value, MlirBlock block, Front *front) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), block) ||
      irMapContains(&front->isMoved, op.ptr))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    moveToFront(irOperand(op, i), block, front);
  MlirOperation first = mlirBlockGetFirstOperation(block);
  if (!mlirOperationIsNull(front->last))
    mlirOperationMoveAfter(op, front->last);
  else if (!mlirOperationEqual(op, first))
    mlirOperationMoveBefore(op, first);
  irMapSet(&front->isMoved, op.ptr, 1);
  front->last = op;
}

void hoistPositions(MlirOperation op, Front *front) {
  MlirBlock block = mlirOperationGetBlock(op);
  bool isComputed = !mlirOperationIsNull(irDefiningOp(irOperand(op, 0)));
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(op) && isComputed; ++i) {
    int64_t count = 0;
    countOperations(irOperand(op, i), block, &count);
    if (count <= MOST_OPERATIONS)
      moveToFront(irOperand(op, i), block, front);
  }
}

//===----------------------------------------------------------------------===//
// Parts that are selected
//===----------------------------------------------------------------------===//

static MlirValue gatherAlong(IrBuilder *b, MlirValue value, intptr_t dim, const Selection *s) {
  IrShape sizes = irShapeOf(value), result = sizes, offsets = {.rank = sizes.rank - 1};
  sizes.dims[dim] = 1;
  result.dims[dim] = s->count;
  for (intptr_t d = 0; d < offsets.rank; ++d)
    offsets.dims[d] = d + (d >= dim);
  MlirOperation gather = mlirOperationClone(s->op);
  int64_t along = dim;
  MlirAttribute axis = mlirDenseI64ArrayGet(b->context, 1, &along);
  mlirOperationSetOperand(gather, 0, value);
  irSetAttr(gather, "offset_dims", mlirDenseI64ArrayGet(b->context, offsets.rank, offsets.dims));
  irSetAttr(gather, "collapsed_slice_dims", axis);
  irSetAttr(gather, "start_index_map", axis);
  irSetAttr(gather, "slice_sizes", mlirDenseI64ArrayGet(b->context, sizes.rank, sizes.dims));
  mlirValueSetType(irResult(gather, 0), tgWithShape(mlirValueGetType(value), result));
  mlirBlockInsertOwnedOperationBefore(b->block, b->before, gather);
  return irResult(gather, 0);
}

/// One tg.dynamic_slice along all dimensions that are selected so.
static MlirValue sliceAlong(IrBuilder *b, MlirValue value, const IndexBounds *bounds, const Selections *selections) {
  MlirValue operands[1 + IR_MAX_RANK] = {value}, zero = {NULL};
  IrShape sizes = irShapeOf(value);
  for (intptr_t d = 0; d < bounds->rank; ++d) {
    const Selection *s = bounds->selection[d] ? &selections->data[bounds->selection[d] - 1] : NULL;
    if (!s || isGather(s))
      continue;
    operands[1 + d] = positionsOf(s);
    sizes.dims[d] = s->count;
    zero = operands[1 + d];
  }
  if (!zero.ptr)
    return value;
  for (intptr_t d = 0; d < bounds->rank; ++d)
    if (!operands[1 + d].ptr)
      operands[1 + d] = tgSplat(b, mlirValueGetType(zero), 0);
  return irValueOf(b, "tg.dynamic_slice", (IrValues){1 + bounds->rank, operands},
                   tgWithShape(mlirValueGetType(value), sizes), IR_ATTRS(irDims(b, "sizes", sizes.rank, sizes.dims)));
}

MlirValue selectPart(IrBuilder *b, MlirValue value, const IndexBounds *bounds, const Selections *selections) {
  value = sliceAlong(b, value, bounds, selections);
  for (intptr_t d = 0; d < bounds->rank; ++d) {
    const Selection *s = bounds->selection[d] ? &selections->data[bounds->selection[d] - 1] : NULL;
    if (s && isGather(s))
      value = gatherAlong(b, value, d, s);
  }
  return value;
}
