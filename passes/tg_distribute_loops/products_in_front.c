//===- products_in_front.c - products of slices, in front of the loop ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a counted loop. Leaves products of an iteration's slice with weights as one product in front of the loop, for
// all iterations:
//
//   while { dot(slice k of x, w) }   ->   y = dot(x, w); while { slice k of y }
//
//===----------------------------------------------------------------------===//

#include "ir/graph/numbering.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "passes/tg_distribute_loops/batch.h"
#include "passes/tg_distribute_loops/products.h"

#include <stdlib.h>

/// Results of more bytes in all iterations stay where they are computed.
static const int64_t mostBytes = INT64_C(1) << 30;

/// The number of the operand that is computed from slices, where the other one is loop-invariant and no smaller than
/// the result; -1 if the product stays.
static intptr_t slicedOperand(Batching *batching, MlirOperation dot) {
  if (tgKindOf(dot) != TG_dot || irGetDims(dot, "lhs_batch").rank > 0 ||
      irShapeOf(irResult(dot, 0)).rank == IR_MAX_RANK)
    return -1;
  intptr_t sliced = isOutside(batching->loop, irOperand(dot, 0)) ? 1 : 0;
  int64_t bytes = irTensorBytes(mlirValueGetType(irResult(dot, 0)));
  bool pays = bytes <= irTensorBytes(mlirValueGetType(irOperand(dot, 1 - sliced))) &&
              bytes <= mostBytes / tripCountOf(batching->loop);
  bool isPossible = !isOutside(batching->loop, irOperand(dot, sliced)) &&
                    isOutside(batching->loop, irOperand(dot, 1 - sliced)) && canBatch(batching, irOperand(dot, sliced));
  return pays && isPossible ? sliced : -1;
}

/// The product of all iterations. Where the iteration is among its dimensions: `*dim`.
static MlirValue productOfBatch(Batching *batching, IrBuilder *b, MlirOperation dot, intptr_t sliced, intptr_t *dim) {
  MlirValue operands[2] = {irOperand(dot, 0), irOperand(dot, 1)};
  static const char *const names[2] = {"lhs_contract", "rhs_contract"};
  IrShape contract[2] = {irGetDims(dot, names[0]), irGetDims(dot, names[1])};
  *dim = sliced == 0 ? 0 : irShapeOf(operands[0]).rank - contract[0].rank;
  operands[sliced] = makeBatch(batching, b, operands[sliced]);
  for (intptr_t i = 0; i < contract[sliced].rank; ++i)
    ++contract[sliced].dims[i];
  IrShape shape = irShapeOf(irResult(dot, 0)), result = {shape.rank + 1, {0}};
  for (intptr_t i = 0; i < result.rank; ++i)
    result.dims[i] = i == *dim ? tripCountOf(batching->loop) : shape.dims[i < *dim ? i : i - 1];
  MlirValue product = irValueOf(b, "tg.dot", IR_VALUES(operands[0], operands[1]),
                                tgWithShape(mlirValueGetType(irResult(dot, 0)), result),
                                IR_ATTRS(irDims(b, names[0], contract[0].rank, contract[0].dims),
                                         irDims(b, names[1], contract[1].rank, contract[1].dims)));
  return tgWithPrecisionOf(dot, product);
}

/// The product of this iteration: a slice of that of all.
static MlirValue sliceOfProduct(Batching *batching, MlirOperation dot, MlirValue product, intptr_t dim) {
  IrBuilder b = irBuilderBefore(dot);
  MlirValue number = iterationNumber(batching->loop, &b, batching->isReversed);
  MlirValue zero = tgSplatBits(&b, mlirValueGetType(number), 0), operands[IR_MAX_RANK + 1] = {product};
  IrShape sizes = irShapeOf(product);
  sizes.dims[dim] = 1;
  for (intptr_t i = 0; i < sizes.rank; ++i)
    operands[1 + i] = i == dim ? number : zero;
  MlirValue slice =
      irValueOf(&b, "tg.dynamic_slice", (IrValues){1 + sizes.rank, operands},
                tgWithShape(mlirValueGetType(product), sizes), IR_ATTRS(irDims(&b, "sizes", sizes.rank, sizes.dims)));
  return tgReshape(&b, slice, mlirValueGetType(irResult(dot, 0)));
}

int64_t moveProductsInFront(MlirOperation loop) {
  int64_t count = 0;
  IR_FOR_EACH_OP_REPLACING(dot, irBody(loop, 1)) {
    Batching batching = {.loop = loop, .isInFront = true};
    intptr_t sliced = slicedOperand(&batching, dot), dim;
    if (sliced < 0)
      continue;
    IrBuilder b = irBuilderBefore(loop);
    b.loc = mlirOperationGetLocation(dot);
    MlirValue product = productOfBatch(&batching, &b, dot, sliced, &dim);
    mlirValueReplaceAllUsesOfWith(irResult(dot, 0), sliceOfProduct(&batching, dot, product, dim));
    mlirOperationDestroy(dot);
    ++count;
  }
  return count;
}
