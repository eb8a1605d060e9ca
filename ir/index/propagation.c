//===- propagation.c - indices through operations ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an operation and an index of its result. Leaves the index of each operand that the result's element depends on
// (AStitch 4.2, observation A), or false for indices known at run time only.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/index/index_expr.h"

const IndexExpr *indexLinearize(IndexContext *context, const IndexVector *index, IrShape shape) {
  IrShape strides = irStrides(shape);
  const IndexExpr *linear = indexConstant(context, 0);
  for (intptr_t i = 0; i < shape.rank; ++i)
    linear = indexAdd(context, linear, indexScale(context, index->dims[i], strides.dims[i]));
  return linear;
}

IndexVector indexDelinearize(IndexContext *context, const IndexExpr *linear, IrShape shape) {
  IndexVector result = {.rank = shape.rank};
  IrShape strides = irStrides(shape);
  bool first = true; // the outermost dimension needs no remainder
  for (intptr_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] == 1) {
      result.dims[i] = indexConstant(context, 0);
      continue;
    }
    const IndexExpr *dim = indexDiv(context, linear, strides.dims[i]);
    result.dims[i] = first ? dim : indexMod(context, dim, shape.dims[i]);
    first = false;
  }
  return result;
}

static IndexVector reversed(IndexContext *context, MlirOperation op, const IndexVector *index) {
  IndexVector result = *index;
  IrShape dims = irGetDims(op, "dims"), shape = irShapeOf(irOperand(op, 0));
  for (intptr_t i = 0; i < dims.rank; ++i) {
    int64_t d = dims.dims[i];
    result.dims[d] = indexAddConstant(context, indexScale(context, index->dims[d], -1), shape.dims[d] - 1);
  }
  return result;
}

static bool propagateElementwise(MlirOperation op, intptr_t operand, const IndexVector *index, IndexVector *result) {
  // The predicate of a select and the bounds of a clamp may be scalars.
  bool scalar = irShapeOf(irOperand(op, operand)).rank == 0;
  *result = scalar ? (IndexVector){0} : *index;
  return true;
}

bool indexPropagate(IndexContext *context, MlirOperation op, intptr_t operand, const IndexVector *index,
                    IndexVector *result) {
  TgKind kind = tgKindOf(op);
  IrShape shape = irShapeOf(irOperand(op, operand));
  *result = (IndexVector){.rank = shape.rank};
  switch (kind) {
  case TG_broadcast: {
    IrShape dims = irGetDims(op, "dims");
    for (intptr_t i = 0; i < shape.rank; ++i)
      result->dims[i] = shape.dims[i] == 1 ? indexConstant(context, 0) : index->dims[dims.dims[i]];
    return true;
  }
  case TG_reshape:
    *result = indexDelinearize(context, indexLinearize(context, index, irShapeOf(irResult(op, 0))), shape);
    return true;
  case TG_transpose: {
    IrShape permutation = irGetDims(op, "permutation");
    for (intptr_t i = 0; i < permutation.rank; ++i)
      result->dims[permutation.dims[i]] = index->dims[i];
    return true;
  }
  case TG_slice: {
    IrShape starts = irGetDims(op, "starts"), strides = irGetDims(op, "strides");
    for (intptr_t i = 0; i < shape.rank; ++i)
      result->dims[i] = indexAddConstant(context, indexScale(context, index->dims[i], strides.dims[i]), starts.dims[i]);
    return true;
  }
  case TG_reverse:
    *result = reversed(context, op, index);
    return true;
  case TG_bitcast_convert:
    return shape.rank == index->rank && propagateElementwise(op, operand, index, result);
  default:
    return tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE && propagateElementwise(op, operand, index, result);
  }
}

bool indexPropagateForward(IndexContext *context, MlirOperation op, const IndexVector *index, IndexVector *result) {
  IrShape shape = irShapeOf(irResult(op, 0));
  *result = (IndexVector){.rank = shape.rank};
  switch (tgKindOf(op)) {
  case TG_reshape:
    *result = indexDelinearize(context, indexLinearize(context, index, irShapeOf(irOperand(op, 0))), shape);
    return true;
  case TG_transpose: {
    IrShape permutation = irGetDims(op, "permutation");
    for (intptr_t i = 0; i < permutation.rank; ++i)
      result->dims[i] = index->dims[permutation.dims[i]];
    return true;
  }
  case TG_reverse:
    *result = reversed(context, op, index);
    return true;
  case TG_slice: {
    IrShape starts = irGetDims(op, "starts"), strides = irGetDims(op, "strides");
    for (intptr_t i = 0; i < shape.rank; ++i) {
      if (strides.dims[i] != 1)
        return false;
      result->dims[i] = indexAddConstant(context, index->dims[i], -starts.dims[i]);
    }
    return true;
  }
  default:
    return false;
  }
}
