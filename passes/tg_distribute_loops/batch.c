//===- batch.c - a value of all iterations, outside of their loop --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a value of a counted loop's body. Leaves its batch as one operation for all iterations, where each of its
// operands can be had as a batch.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_distribute_loops/batch.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"

#include <stdlib.h>

/// How the batch of a value comes about.
typedef enum {
  NO_BATCH,
  SLICES,      ///< the tensor of which the value is a slice, or the stack that it is written to
  NEW_STACK,   ///< a stack that is made for it
  SPLAT,       ///< a constant with one element everywhere
  RESHAPED,    ///< of the operand's batch
  TRANSPOSED,  ///< of the operand's batch
  ELEMENTWISE, ///< of the operands' batches
} BatchKind;

typedef struct {
  BatchKind kind;
  Slices slices; ///< of SLICES
  intptr_t number;
} BatchForm;

/// Operations between a value and its sources: more are not computed a second time.
enum { MOST_DEEP = 6 };

//===----------------------------------------------------------------------===//
// Operands of a batch
//===----------------------------------------------------------------------===//

static intptr_t findNewStack(const Batching *batching, MlirValue value) {
  for (int64_t i = 0; i < batching->stacked.count; ++i)
    if (mlirValueEqual(batching->stacked.data[i], value))
      return i;
  return -1;
}

/// A stack that the value is written to, by itself or with another shape.
static bool findStackOf(const Batching *batching, MlirValue value, int depth, Slices *stack) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TgKind kind = tgKindOf(op);
    if (kind == TG_dynamic_update_slice && mlirValueEqual(irOperand(op, 1), value) &&
        findStack(batching->loop, op, stack))
      return true;
    if (kind == TG_reshape && depth > 0 && findStackOf(batching, irResult(op, 0), depth - 1, stack))
      return true;
  }
  return false;
}

static bool haveShapeOfResult(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!irShapesEqual(irShapeOf(irOperand(op, i)), irShapeOf(irResult(op, 0))))
      return false;
  return mlirOperationGetNumOperands(op) > 0;
}

static BatchForm formOf(const Batching *batching, MlirValue value) {
  BatchForm form = {.kind = NO_BATCH, .number = findNewStack(batching, value)};
  if (form.number >= 0)
    return form.kind = NEW_STACK, form;
  if (irShapeOf(value).rank == IR_MAX_RANK)
    return form;
  if (isOutside(batching->loop, value)) {
    MlirOperation op = irDefiningOp(value);
    return form.kind = !mlirOperationIsNull(op) && tgIsSplat(op) ? SPLAT : NO_BATCH, form;
  }
  if (!batching->isInFront && findStackOf(batching, value, 2, &form.slices))
    return form.kind = SLICES, form;
  if (mlirValueIsABlockArgument(value))
    return form;
  MlirOperation op = irDefiningOp(value);
  TgKind kind = tgKindOf(op);
  form.kind = findSlices(batching->loop, op, &form.slices)                           ? SLICES
              : kind == TG_reshape                                                   ? RESHAPED
              : kind == TG_transpose                                                 ? TRANSPOSED
              : tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE && haveShapeOfResult(op) ? ELEMENTWISE
                                                                                     : NO_BATCH;
  return form;
}

static bool canBatchWithin(Batching *batching, MlirValue value, int depth) {
  BatchForm form = formOf(batching, value);
  if (form.kind == SLICES && !batching->hasOrder) {
    batching->hasOrder = true;
    batching->isReversed = form.slices.index.scale < 0;
  }
  if (form.kind < RESHAPED)
    return form.kind != NO_BATCH;
  MlirOperation op = irDefiningOp(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (depth == 0 || !canBatchWithin(batching, irOperand(op, i), depth - 1))
      return false;
  return true;
}

bool canBatch(Batching *batching, MlirValue value) { return canBatchWithin(batching, value, MOST_DEEP); }

void batchOrStack(Batching *batching, MlirValue value) {
  if (!canBatch(batching, value))
    addValue(&batching->stacked, value);
}

//===----------------------------------------------------------------------===//
// New stacks
//===----------------------------------------------------------------------===//

static IrShape batchShape(const Batching *batching, IrShape shape) {
  IrShape result = {shape.rank + 1, {tripCountOf(batching->loop)}};
  for (intptr_t i = 0; i < shape.rank; ++i)
    result.dims[i + 1] = shape.dims[i];
  return result;
}

static MlirType batchType(const Batching *batching, MlirValue value) {
  return tgWithShape(mlirValueGetType(value), batchShape(batching, irShapeOf(value)));
}

/// The counterpart of a value of a loop's body in the body of its replacement.
static MlirValue movedValue(MlirOperation loop, MlirOperation replacement, MlirValue value) {
  bool isArgument =
      mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), irBody(loop, 1));
  return isArgument ? mlirBlockGetArgument(irBody(replacement, 1), mlirBlockArgumentGetArgNumber(value)) : value;
}

/// Moves condition and body of a loop to its replacement, which carries more behind the same values.
static void moveBodies(MlirOperation loop, MlirOperation replacement) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i) {
    mlirValueReplaceAllUsesOfWith(irResult(loop, i), irResult(replacement, i));
    for (intptr_t region = 0; region < 2; ++region)
      mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(irBody(loop, region), i),
                                    mlirBlockGetArgument(irBody(replacement, region), i));
  }
  irMoveOperations(irBody(loop, 0), irBody(replacement, 0), true);
  irMoveOperations(irBody(loop, 1), irBody(replacement, 1), false);
}

static MlirOperation createLarger(const Batching *batching) {
  MlirOperation loop = batching->loop;
  IrBuilder before = irBuilderBefore(loop);
  LoopValues inits = {0};
  for (intptr_t i = 0; i < batching->firstNew; ++i)
    addValue(&inits, irOperand(loop, i));
  for (int64_t i = 0; i < batching->stacked.count; ++i)
    addValue(&inits, tgSplat(&before, batchType(batching, batching->stacked.data[i]), 0));
  MlirOperation replacement = createLoop(loop, mlirOperationGetLocation(loop), &inits, tripCountOf(loop));
  free(inits.data);
  return replacement;
}

void addNewStacks(Batching *batching) {
  MlirOperation loop = batching->loop;
  batching->firstNew = mlirOperationGetNumResults(loop);
  if (batching->stacked.count == 0)
    return;
  MlirOperation yield = mlirBlockGetTerminator(irBody(loop, 1));
  IrBuilder b = irBuilderBefore(yield);
  MlirValue number = iterationNumber(loop, &b, batching->isReversed);
  MlirOperation replacement = createLarger(batching);
  number = movedValue(loop, replacement, number);
  for (int64_t i = 0; i < batching->stacked.count; ++i)
    batching->stacked.data[i] = movedValue(loop, replacement, batching->stacked.data[i]);
  moveBodies(loop, replacement);
  LoopValues yielded = {0};
  for (intptr_t i = 0; i < batching->firstNew; ++i)
    addValue(&yielded, irOperand(yield, i));
  b = irBuilderAtEnd(irBody(replacement, 1), mlirOperationGetLocation(loop));
  for (int64_t i = 0; i < batching->stacked.count; ++i)
    addValue(&yielded, writeIteration(&b, mlirBlockGetArgument(irBody(replacement, 1), batching->firstNew + i), number,
                                      batching->stacked.data[i]));
  closeLoop(replacement, &yielded);
  mlirOperationDestroy(loop);
  free(yielded.data);
  batching->loop = replacement;
}

//===----------------------------------------------------------------------===//
// Making batches
//===----------------------------------------------------------------------===//

/// The slices of all iterations of a tensor, in the order of batches.
static MlirValue batchOfSlices(Batching *batching, IrBuilder *b, const Slices *slices) {
  MlirValue tensor = slices->tensor;
  int64_t count = tripCountOf(batching->loop);
  int64_t last = slices->index.offset + slices->index.scale * (count - 1);
  int64_t first = slices->index.scale > 0 ? slices->index.offset : last;
  if (irShapeOf(tensor).dims[slices->dim] != count)
    tensor = tgSlice(b, tensor, slices->dim, first, first + count);
  if (slices->dim > 0) {
    IrShape shape = irShapeOf(tensor), order = {shape.rank, {slices->dim}}, permuted = {shape.rank, {count}};
    for (intptr_t i = 0, next = 1; i < shape.rank; ++i)
      if (i != slices->dim) {
        permuted.dims[next] = shape.dims[i];
        order.dims[next++] = i;
      }
    tensor = irValueOf(b, "tg.transpose", IR_VALUES(tensor), tgWithShape(mlirValueGetType(tensor), permuted),
                       IR_ATTRS(irDims(b, "permutation", order.rank, order.dims)));
  }
  int64_t outermost = 0;
  return (slices->index.scale < 0) == batching->isReversed
             ? tensor
             : irValueOf(b, "tg.reverse", IR_VALUES(tensor), mlirValueGetType(tensor),
                         IR_ATTRS(irDims(b, "dims", 1, &outermost)));
}

static MlirValue batchOfTranspose(Batching *batching, IrBuilder *b, MlirOperation op) {
  IrShape order = irGetDims(op, "permutation"), batchOrder = {order.rank + 1, {0}};
  for (intptr_t i = 0; i < order.rank; ++i)
    batchOrder.dims[i + 1] = order.dims[i] + 1;
  return irValueOf(b, "tg.transpose", IR_VALUES(makeBatch(batching, b, irOperand(op, 0))),
                   batchType(batching, irResult(op, 0)),
                   IR_ATTRS(irDims(b, "permutation", batchOrder.rank, batchOrder.dims)));
}

/// The operation on the operands' batches.
static MlirValue batchOfElementwise(Batching *batching, IrBuilder *b, MlirOperation op) {
  MlirValue operands[IR_MAX_RANK];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    operands[i] = makeBatch(batching, b, irOperand(op, i));
  MlirType type = batchType(batching, irResult(op, 0));
  MlirOperation batch = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(batch, i, operands[i]);
  mlirValueSetType(irResult(batch, 0), type);
  mlirBlockInsertOwnedOperationBefore(b->block, b->before, batch);
  return irResult(batch, 0);
}

MlirValue makeBatch(Batching *batching, IrBuilder *b, MlirValue value) {
  BatchForm form = formOf(batching, value);
  MlirOperation op = irDefiningOp(value);
  MlirType type = batchType(batching, value);
  switch (form.kind) {
  case SLICES:
    return tgReshape(b, batchOfSlices(batching, b, &form.slices), type);
  case NEW_STACK:
    return irResult(batching->loop, batching->firstNew + form.number);
  case SPLAT: {
    MlirAttribute element = mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
    return irValueOf(b, "tg.constant", IR_NO_VALUES, type,
                     IR_ATTRS(irAttr(b, "value", mlirDenseElementsAttrSplatGet(type, element))));
  }
  case RESHAPED:
    return tgReshape(b, makeBatch(batching, b, irOperand(op, 0)), type);
  case TRANSPOSED:
    return batchOfTranspose(batching, b, op);
  case ELEMENTWISE:
    return batchOfElementwise(batching, b, op);
  case NO_BATCH:
    break;
  }
  return (MlirValue){NULL};
}
