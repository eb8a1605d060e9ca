//===- linalg_contraction.c - sums of products of two tensors -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a linalg.generic, or a named operation of that form, that sums products of two inputs. Leaves tg.dot, with
// transposes where dimensions stand in another order. Loops that are no dimension of a dot leave it to the general
// reduction.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/query.h"
#include "lowering/import/linalg_to_tg/linalg_conversion.h"

#include <stdlib.h>

static bool hasConstants(const LinalgGeneric *g, intptr_t operand) {
  intptr_t rank = irShapeOf(g->operands[operand]).rank;
  bool has = false;
  for (intptr_t i = 0; i < rank; ++i)
    has = has || g->maps[operand][i] < 0;
  return has;
}

typedef struct {
  IrShape batch[2], contract[2];
  IrShape order; ///< dimensions of the iteration space in the order of the dot's result
} Dimensions;

/// False if a dimension has no place in a dot.
static bool sortDimensions(const LinalgGeneric *g, const intptr_t inputs[2], Dimensions *d) {
  for (int64_t dim = 0; dim < g->numDims; ++dim) {
    intptr_t lhs = linalgPositionOf(g, inputs[0], dim), rhs = linalgPositionOf(g, inputs[1], dim);
    if ((lhs < 0 && rhs < 0) || (g->isReduction[dim] && (lhs < 0 || rhs < 0)))
      return false;
    if (lhs < 0 || rhs < 0)
      continue;
    irAppendDim(g->isReduction[dim] ? &d->contract[0] : &d->batch[0], lhs);
    irAppendDim(g->isReduction[dim] ? &d->contract[1] : &d->batch[1], rhs);
    if (!g->isReduction[dim])
      irAppendDim(&d->order, dim);
  }
  for (int side = 0; side < 2; ++side) {
    intptr_t rank = irShapeOf(g->operands[inputs[side]]).rank;
    for (intptr_t i = 0; i < rank; ++i) {
      int64_t dim = g->maps[inputs[side]][i];
      if (linalgPositionOf(g, inputs[1 - side], dim) < 0)
        irAppendDim(&d->order, dim);
    }
  }
  return true;
}

/// A factor before its conversion to the type of the sum, if tg.dot sums products of that type in it: 16-bit floats in
/// f32.
static MlirValue unconverted(MlirValue factor, MlirType element) {
  MlirOperation op = irDefiningOp(factor);
  bool isWidened = !mlirOperationIsNull(op) && irOpIs(op, "arith.extf") && mlirTypeIsAF32(element) &&
                   irElementBytes(mlirValueGetType(irOperand(op, 0))) == 2;
  return isWidened ? irOperand(op, 0) : factor;
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

bool linalgIsProduct(MlirOperation op) {
  return irOpIs(op, "arith.mulf") || irOpIs(op, "arith.muli") || irOpIs(op, "complex.mul");
}

MlirValue linalgContraction(IrBuilder *b, const LinalgGeneric *g, MlirValue summed, MlirType element) {
  const MlirValue none = {NULL};
  MlirOperation product = irDefiningOp(summed);
  Dimensions dimensions = {0};
  if (mlirOperationIsNull(product) || !linalgIsProduct(product))
    return none;
  MlirValue factors[2], early[2], operands[2];
  intptr_t inputs[2];
  for (int side = 0; side < 2; ++side) {
    factors[side] = irOperand(product, side);
    early[side] = unconverted(factors[side], element);
    inputs[side] = linalgInputOf(g, factors[side]);
  }
  bool areTwo = inputs[0] >= 0 && inputs[1] >= 0 && inputs[0] != inputs[1];
  if (!areTwo || hasConstants(g, inputs[0]) || hasConstants(g, inputs[1]) || !sortDimensions(g, inputs, &dimensions))
    return none;
  bool areEarly = mlirTypeEqual(mlirValueGetType(early[0]), mlirValueGetType(early[1]));
  for (int side = 0; side < 2; ++side) {
    operands[side] = linalgOfInput(g, b, areEarly ? early[side] : factors[side], inputs[side]);
    if (mlirValueIsNull(operands[side]))
      return none;
  }
  return createDot(b, g, operands[0], operands[1], &dimensions, element);
}
