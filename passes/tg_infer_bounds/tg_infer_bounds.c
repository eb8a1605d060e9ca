//===- tg_infer_bounds.c - tg-infer-bounds ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that are never read are never computed: the last token's logits of a prefill, the first token of an
// encoder's last layer, every other row. Takes a graph of tg operations. Leaves one in which an operation computes only
// the part of its result that is read. It does so through elementwise operations, movements, reductions, products and
// convolutions alike, in libraries as in kernels. Halide calls this bounds inference. Within one fusion a kernel
// computes only demanded elements anyway.
//
// Each value gets the least bounds that have all elements which its readers want, with a stride, found from the results
// of a block to its arguments. A dimension keeps all of its elements if more than half of them are wanted. A language
// model's loss reads all rows but the last one, and products and vectors of odd lengths lose more than they save. Then
// each operation is made anew for its bounds, from first to last.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "passes/common/collect.h"
#include "passes/tg_infer_bounds/bounds.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { STATISTIC_OPERATIONS };

/// An operation, and which elements of its results, which have one shape, are wanted.
typedef struct {
  MlirOperation op;
  Links links;
  bool isKnown;  ///< that a part of it can be computed
  bool isWanted; ///< by any reader so far
  IndexBounds bounds;
  MlirValue *parts; ///< the results for these bounds; null: they are those of `op`
} Op;

typedef struct {
  Op *ops; ///< of one block, in its order
  int64_t count;
  IrMap number; ///< operation -> its index
  Selections selections;
  IrArena arena;
} BoundedBlock;

static MlirValue resultOf(const Op *op, intptr_t i) { return irResult(op->op, i); }
static IrShape shapeOf(const Op *op) { return irShapeOf(resultOf(op, 0)); }

/// The operation of this block that a value is a result of, if a part of it can be computed; else null.
static Op *producerOf(const BoundedBlock *block, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  int64_t number = mlirOperationIsNull(op) ? -1 : irMapGet(&block->number, op.ptr, -1);
  return number >= 0 && block->ops[number].isKnown ? &block->ops[number] : NULL;
}

//===----------------------------------------------------------------------===//
// From readers to their operands
//===----------------------------------------------------------------------===//

static void want(const BoundedBlock *block, MlirValue value, const IndexBounds *bounds) {
  Op *producer = producerOf(block, value);
  if (!producer)
    return;
  IrShape shape = irShapeOf(value);
  if (producer->isWanted)
    boundsUnite(&producer->bounds, bounds, shape);
  else
    producer->bounds = *bounds;
  producer->isWanted = true;
  for (intptr_t d = 0; d < shape.rank; ++d) { // positions that are not known yet
    int32_t selection = producer->bounds.selection[d];
    if (selection && block->selections.data[selection - 1].definedAt >= producer - block->ops)
      boundsTakeAll(&producer->bounds, d, shape);
  }
}

static void wantAll(const BoundedBlock *block, MlirValue value) {
  if (!producerOf(block, value))
    return;
  IndexBounds all = boundsOfAll(irShapeOf(value));
  want(block, value, &all);
}

/// The elements of an operand that an operation reads for its bounds. Of a reshape the bounds may grow.
static IndexBounds boundsOfOperand(Op *op, intptr_t i) {
  IrShape shape = irShapeOf(irOperand(op->op, i));
  TgKind kind = tgKindOf(op->op);
  if (kind == TG_slice)
    return boundsOfSliced(&op->bounds, op->op);
  if (kind == TG_reshape)
    return boundsOfReshaped(&op->bounds, shapeOf(op), shape);
  IndexBounds bounds = boundsOfAll(shape);
  for (intptr_t d = 0; d < shape.rank; ++d) {
    if (op->links.follows[i][d] >= 0) {
      boundsCopy(&bounds, d, &op->bounds, op->links.follows[i][d]);
    } else if (i == 0 && op->links.selections) {
      bounds.count[d] = op->bounds.count[d];
      bounds.selection[d] = op->links.selections[d];
    }
  }
  return bounds;
}

/// Whether some indices of a dimension of the result can be computed alone. A selection of a slice's positions is at
/// other positions of its operand.
static bool canBePart(const Op *op, intptr_t d) {
  TgKind kind = tgKindOf(op->op);
  if (kind == TG_slice)
    return !op->bounds.selection[d] || irShapeOf(irOperand(op->op, 0)).dims[d] == shapeOf(op).dims[d];
  return kind == TG_reshape || op->links.isFree[d];
}

/// Bounds that the operation can be computed for.
static void settle(Op *op) {
  IrShape shape = shapeOf(op);
  for (intptr_t d = 0; d < shape.rank; ++d)
    if (2 * op->bounds.count[d] > shape.dims[d] || !canBePart(op, d))
      boundsTakeAll(&op->bounds, d, shape);
}

/// Whether anything but an operation of the block itself reads a result.
static bool isReadElsewhere(const Op *op) {
  MlirBlock block = mlirOperationGetBlock(op->op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op->op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(resultOf(op, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (!mlirBlockEqual(mlirOperationGetBlock(mlirOpOperandGetOwner(use)), block))
        return true;
  return false;
}

static void inferBounds(BoundedBlock *block) {
  for (int64_t k = block->count; k-- > 0;) {
    Op *op = &block->ops[k];
    if (op->isKnown && isReadElsewhere(op))
      wantAll(block, resultOf(op, 0));
    op->isKnown &= op->isWanted;
    if (op->isKnown)
      settle(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op->op); ++i) {
      if (!op->isKnown) {
        wantAll(block, irOperand(op->op, i));
        continue;
      }
      IndexBounds bounds = boundsOfOperand(op, i);
      want(block, irOperand(op->op, i), &bounds);
    }
  }
}

//===----------------------------------------------------------------------===//
// Operations for their bounds
//===----------------------------------------------------------------------===//

/// The elements of a value within bounds, of the dimensions that nothing is selected along.
static MlirValue slicePart(IrBuilder *b, MlirValue value, const IndexBounds *bounds) {
  IrShape shape = irShapeOf(value), limits = shape;
  IndexBounds slice = boundsOfAll(shape);
  for (intptr_t d = 0; d < shape.rank; ++d) {
    if (bounds->selection[d])
      continue;
    boundsCopy(&slice, d, bounds, d);
    limits.dims[d] = bounds->start[d] + (bounds->count[d] - 1) * bounds->stride[d] + 1;
  }
  if (boundsAreAll(&slice, shape))
    return value;
  IrShape starts = {.rank = shape.rank}, strides = starts;
  memcpy(starts.dims, slice.start, sizeof(starts.dims));
  memcpy(strides.dims, slice.stride, sizeof(strides.dims));
  return tgStridedSlice(b, value, starts, limits, strides);
}

/// The elements of a value within bounds.
static MlirValue partOf(IrBuilder *b, const BoundedBlock *block, MlirValue value, const IndexBounds *bounds) {
  const Op *producer = producerOf(block, value);
  bool isPart = producer && producer->parts;
  IndexBounds has = isPart ? producer->bounds : boundsOfAll(irShapeOf(value));
  MlirValue from = isPart ? producer->parts[mlirOpResultGetResultNumber(value)] : value;
  if (boundsAreEqual(bounds, &has))
    return from;
  IndexBounds within = boundsWithin(bounds, &has);
  return selectPart(b, slicePart(b, from, &within), &within, &block->selections);
}

/// The operation for its bounds, whose operands are those parts that it reads.
static MlirOperation cloneFor(IrBuilder *b, const BoundedBlock *block, Op *op) {
  MlirOperation clone = mlirOperationClone(op->op);
  IrShape shape = boundsShape(&op->bounds);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(clone); ++i) {
    IndexBounds bounds = boundsOfOperand(op, i);
    mlirOperationSetOperand(clone, i, partOf(b, block, irOperand(op->op, i), &bounds));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(clone); ++i) {
    MlirValue result = irResult(clone, i);
    mlirValueSetType(result, tgWithShape(mlirValueGetType(result), shape));
  }
  if (tgKindOf(clone) == TG_constant)
    irSetAttr(clone, "value",
              mlirDenseElementsAttrSplatGet(mlirValueGetType(irResult(clone, 0)),
                                            mlirDenseElementsAttrGetSplatValue(irGetAttr(clone, "value"))));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op->op), op->op, clone);
  return clone;
}

/// Whether an operation is made anew: for a part of its results, or since one of its operands is.
static bool isChanged(const BoundedBlock *block, const Op *op) {
  if (!op->isKnown)
    return false;
  bool isChanged = !boundsAreAll(&op->bounds, shapeOf(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op->op); ++i) {
    const Op *producer = producerOf(block, irOperand(op->op, i));
    isChanged |= producer && producer->parts;
  }
  return isChanged;
}

static void remarkBounds(const Op *op, MlirOperation made) {
  if (tgClassOfKind(tgKindOf(op->op)) == TG_CLASS_COMPUTE)
    stitchRemark(made, "%lld of %lld elements are computed: no others are read",
                 (long long)irNumElements(boundsShape(&op->bounds)), (long long)irNumElements(shapeOf(op)));
}

/// Puts the computation for the bounds of an operation in its place.
static void makeAnew(BoundedBlock *block, Op *op) {
  IrBuilder b = irBuilderBefore(op->op);
  intptr_t numResults = mlirOperationGetNumResults(op->op);
  MlirValue *parts = IR_NEW_ARRAY(&block->arena, MlirValue, numResults);
  if (tgKindOf(op->op) == TG_slice || op->links.selections) {
    IndexBounds bounds = boundsOfOperand(op, 0);
    parts[0] = partOf(&b, block, irOperand(op->op, 0), &bounds);
  } else {
    MlirOperation made = cloneFor(&b, block, op);
    for (intptr_t i = 0; i < numResults; ++i)
      parts[i] = irResult(made, i);
    remarkBounds(op, made);
  }
  if (!boundsAreAll(&op->bounds, shapeOf(op))) {
    op->parts = parts;
    return;
  }
  for (intptr_t i = 0; i < numResults; ++i)
    mlirValueReplaceAllUsesOfWith(resultOf(op, i), parts[i]);
}

static bool computeParts(StitchPassRun run, BoundedBlock *block) {
  bool *isOld = IR_NEW_ARRAY(&block->arena, bool, block->count), changed = false;
  for (int64_t k = 0; k < block->count; ++k) {
    isOld[k] = isChanged(block, &block->ops[k]);
    if (!isOld[k])
      continue;
    makeAnew(block, &block->ops[k]);
    stitchPassAddStatistic(run, STATISTIC_OPERATIONS, 1);
    changed = true;
  }
  for (int64_t k = block->count; k-- > 0;)
    if (isOld[k])
      mlirOperationDestroy(block->ops[k].op);
  return changed;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool inferBlock(StitchPassRun run, MlirBlock body) {
  BoundedBlock block = {0};
  int64_t count = 0;
  Front front = {0};
  IR_FOR_EACH_OP_REPLACING(op, body) {
    ++count;
    if (selects(op))
      hoistPositions(op, &front);
  }
  irMapDestroy(&front.isMoved);
  block.ops = IR_NEW_ARRAY(&block.arena, Op, count);
  IR_FOR_EACH_OP(op, body) {
    Op *known = &block.ops[block.count];
    known->op = op;
    known->isKnown = linksOf(op, &block.arena, &block.number, &block.selections, &known->links);
    irMapSet(&block.number, op.ptr, block.count++);
  }
  inferBounds(&block);
  bool changed = computeParts(run, &block);
  irMapDestroy(&block.number);
  irMapDestroy(&block.selections.ofPositions);
  free(block.selections.data);
  irArenaDestroy(&block.arena);
  return changed;
}

static bool hasBody(MlirOperation op) { return mlirOperationGetNumRegions(op) > 0; }

static void runInferBounds(StitchPassRun run, MlirOperation module) {
  bool changed = false;
  Operations found = collectOperations(module, hasBody, MlirWalkPostOrder);
  for (intptr_t i = 0; i < found.count; ++i)
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(found.data[i]); ++r)
      for (MlirBlock body = irBody(found.data[i], r); !mlirBlockIsNull(body); body = mlirBlockGetNextInRegion(body))
        changed |= inferBlock(run, body);
  free(found.data);
  if (changed && mlirLogicalResultIsFailure(stitchPassRunPipeline(run, "tg-simplify", module)))
    stitchPassSignalFailure(run);
}

static const StitchPassStatistic statistics[] = {
    {"operations", "operations that compute only the elements that are read"}};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgInferBoundsPass = {
    .argument = "tg-infer-bounds",
    .description = "Compute the elements that are read alone (bounds inference)",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runInferBounds,
};
