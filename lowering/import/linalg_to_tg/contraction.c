//===- contraction.c - sums of products of two tensors -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/conversion.h"

#include <stdlib.h>

/// The number of the input that a factor is, but for one conversion to the type of the sum, which `converts` is; -1 if
/// it is none.
static intptr_t inputOf(const LinalgGeneric *g, MlirValue factor, MlirOperation *converts) {
  MlirOperation op = irDefiningOp(factor);
  *converts = (MlirOperation){NULL};
  if (!mlirOperationIsNull(op)) {
    if (!irOpIs(op, "arith.extf") && !irOpIs(op, "arith.extsi") && !irOpIs(op, "arith.extui"))
      return -1;
    *converts = op;
    factor = irOperand(op, 0);
  }
  bool isArgument =
      mlirValueIsABlockArgument(factor) && mlirBlockEqual(mlirBlockArgumentGetOwner(factor), irBody(g->op, 0));
  intptr_t number = isArgument ? mlirBlockArgumentGetArgNumber(factor) : -1;
  bool isTensor =
      number >= 0 && number < g->numInputs && mlirTypeIsARankedTensor(mlirValueGetType(irOperand(g->op, number)));
  return isTensor ? number : -1;
}

/// The position of a dimension of the iteration space among those of an operand, -1 if it is none.
static intptr_t positionOf(const LinalgGeneric *g, intptr_t operand, int64_t dim) {
  intptr_t rank = irShapeOf(irOperand(g->op, operand)).rank;
  for (intptr_t i = 0; i < rank; ++i)
    if (g->maps[operand][i] == dim)
      return i;
  return -1;
}

static bool hasConstants(const LinalgGeneric *g, intptr_t operand) {
  intptr_t rank = irShapeOf(irOperand(g->op, operand)).rank;
  bool has = false;
  for (intptr_t i = 0; i < rank; ++i)
    has = has || g->maps[operand][i] < 0;
  return has;
}

typedef struct {
  IrShape batch[2], contract[2];
  IrShape order; ///< dimensions of the iteration space in the order of the dot's result
} Dimensions;

static void append(IrShape *list, int64_t dim) { list->dims[list->rank++] = dim; }

/// False if a dimension has no place in a dot.
static bool sortDimensions(const LinalgGeneric *g, const intptr_t inputs[2], Dimensions *d) {
  for (int64_t dim = 0; dim < g->numDims; ++dim) {
    intptr_t lhs = positionOf(g, inputs[0], dim), rhs = positionOf(g, inputs[1], dim);
    if ((lhs < 0 && rhs < 0) || (g->isReduction[dim] && (lhs < 0 || rhs < 0)))
      return false;
    if (lhs < 0 || rhs < 0)
      continue;
    append(g->isReduction[dim] ? &d->contract[0] : &d->batch[0], lhs);
    append(g->isReduction[dim] ? &d->contract[1] : &d->batch[1], rhs);
    if (!g->isReduction[dim])
      append(&d->order, dim);
  }
  for (int side = 0; side < 2; ++side) {
    intptr_t rank = irShapeOf(irOperand(g->op, inputs[side])).rank;
    for (intptr_t i = 0; i < rank; ++i) {
      int64_t dim = g->maps[inputs[side]][i];
      if (positionOf(g, inputs[1 - side], dim) < 0)
        append(&d->order, dim);
    }
  }
  return true;
}

/// An operand in a type that tg.dot can sum in `element`.
static MlirValue operandOf(IrBuilder *b, MlirValue value, MlirOperation converts, MlirType element) {
  if (mlirOperationIsNull(converts))
    return value;
  MlirType from = irElementTypeOf(value);
  if (irOpIs(converts, "arith.extf") && irElementBytes(from) == 2 && mlirTypeIsAF32(element))
    return value; // products of 16-bit floats are summed in f32
  LinalgBody body = {.b = b, .space = irShapeOf(value)};
  linalgBodySet(&body, irOperand(converts, 0), value);
  MlirValue result =
      linalgBodyOperation(&body, converts) ? linalgBodyValue(&body, irResult(converts, 0)) : (MlirValue){NULL};
  linalgBodyDestroy(&body);
  return result;
}

static MlirValue createDot(IrBuilder *b, const LinalgGeneric *g, MlirValue lhs, MlirValue rhs, const Dimensions *d,
                           MlirType element) {
  IrShape shape = {.rank = d->order.rank};
  for (intptr_t i = 0; i < shape.rank; ++i)
    shape.dims[i] = g->sizes.dims[d->order.dims[i]];
  MlirType type = mlirRankedTensorTypeGet(shape.rank, shape.dims, element, mlirAttributeGetNull());
  MlirValue dot = irValueOf(b, "tg.dot", IR_VALUES(lhs, rhs), type,
                            IR_ATTRS(irDims(b, "lhs_batch", d->batch[0].rank, d->batch[0].dims),
                                     irDims(b, "rhs_batch", d->batch[1].rank, d->batch[1].dims),
                                     irDims(b, "lhs_contract", d->contract[0].rank, d->contract[0].dims),
                                     irDims(b, "rhs_contract", d->contract[1].rank, d->contract[1].dims)));
  int64_t order[IR_MAX_RANK], count = 0; // ascending
  for (int64_t dim = 0; dim < g->numDims; ++dim)
    for (intptr_t i = 0; i < d->order.rank; ++i)
      if (d->order.dims[i] == dim)
        order[count++] = i;
  return linalgTranspose(b, dot, order);
}

MlirValue linalgContraction(IrBuilder *b, const LinalgGeneric *g, MlirValue summed, MlirType element) {
  MlirOperation product = irDefiningOp(summed), converts[2];
  Dimensions dimensions = {0};
  if (mlirOperationIsNull(product) || !(irOpIs(product, "arith.mulf") || irOpIs(product, "arith.muli")))
    return (MlirValue){NULL};
  intptr_t inputs[2] = {inputOf(g, irOperand(product, 0), &converts[0]),
                        inputOf(g, irOperand(product, 1), &converts[1])};
  bool areTwo = inputs[0] >= 0 && inputs[1] >= 0 && inputs[0] != inputs[1];
  if (!areTwo || hasConstants(g, inputs[0]) || hasConstants(g, inputs[1]) || !sortDimensions(g, inputs, &dimensions))
    return (MlirValue){NULL};
  MlirValue lhs = operandOf(b, irOperand(g->op, inputs[0]), converts[0], element);
  MlirValue rhs = operandOf(b, irOperand(g->op, inputs[1]), converts[1], element);
  bool areAlike =
      !mlirValueIsNull(lhs) && !mlirValueIsNull(rhs) && mlirTypeEqual(irElementTypeOf(lhs), irElementTypeOf(rhs));
  return areAlike ? createDot(b, g, lhs, rhs, &dimensions, element) : (MlirValue){NULL};
}
