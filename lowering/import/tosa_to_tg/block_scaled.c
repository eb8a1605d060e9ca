//===- block_scaled.c - blocks of small floats with a scale each ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The MX formats of the Open Compute Project. The last dimension is cut into blocks of 32 elements, each with a power
// of two (f8E8M0FNU) as the factor of its elements. As tg has no such tensors, they are two tensors there, and the
// operations are made of others. In f32 all values that are not too large for it are exact. An element has at most four
// significant bits, and the least one, 2^-16, times the least scale, 2^-127, is a number of f32.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

#include "ir/graph/tg_build.h"

#include <math.h>

enum { BLOCK_SIZE = 32 };

static MlirType f32(TosaConversion *c) { return mlirF32TypeGet(c->b.context); }

/// The unit of the integers of the format mxint8: a 64th.
static const double unit = 1.0 / 64.0;

/// The largest number of a format that blocks are made of.
static double largestNumber(MlirType element) {
  if (irIsInteger(element))
    return 127.0 * unit;
  if (mlirTypeIsAFloat4E2M1FN(element))
    return 6.0;
  if (mlirTypeIsAFloat6E2M3FN(element))
    return 7.5;
  if (mlirTypeIsAFloat6E3M2FN(element))
    return 28.0;
  return mlirTypeIsAFloat8E4M3FN(element) ? 448.0 : 57344.0; // or f8E5M2
}

/// The shape with the last dimension cut into blocks.
static IrShape inBlocks(IrShape shape) {
  shape.dims[shape.rank - 1] /= BLOCK_SIZE;
  shape.dims[shape.rank++] = BLOCK_SIZE;
  return shape;
}

/// The verifier of the operation has seen that blocks divide the last dimension, and that there is a scale for each;
/// there is no other size of blocks.
static bool checkBlocks(TosaConversion *c) {
  IrShape shape = irShapeOf(tosaOperand(c, 0));
  return shape.rank < IR_MAX_RANK || tosaFail(c, "operand 0 has too many dimensions to be cut into blocks");
}

/// One value for each block, to all elements of it.
static MlirValue toElements(TosaConversion *c, MlirValue perBlock, IrShape shape) {
  IrShape blocks = inBlocks(shape);
  return tosaBroadcast(c, perBlock, blocks, tosaIota(blocks.rank - 1));
}

/// The elements times their scales, in f32.
static MlirValue scaled(TosaConversion *c, MlirValue data, MlirValue scale) {
  IrShape shape = irShapeOf(data);
  MlirValue elements = tosaReshape(c, tosaConvert(c, data, f32(c)), inBlocks(shape));
  if (irIsInteger(irElementTypeOf(data)))
    elements = tosaBinary(c, "tg.mul", elements, tosaSplat(c, mlirValueGetType(elements), unit));
  MlirValue scales = toElements(c, tosaConvert(c, scale, f32(c)), shape);
  return tosaReshape(c, tosaBinary(c, "tg.mul", elements, scales), shape);
}

bool tosaConvertCastFromBlockScaled(TosaConversion *c) {
  if (!checkBlocks(c))
    return false;
  MlirValue value = scaled(c, tosaOperand(c, 0), tosaOperand(c, 1));
  return tosaReplaceResult(c, 0, tosaConvert(c, value, irElementType(tosaResultType(c, 0))));
}

/// The bits of the least power of two that is not less than a positive f32, as those of an f8E8M0FNU. They are those of
/// the exponent, one more where others are set. The least one, 2^-127, has no exponent of its own in f32.
static MlirValue exponentAbove(TosaConversion *c, MlirValue value) {
  MlirType type = tosaTensorType(irShapeOf(value), tosaIntType(c, 32));
  MlirValue bits = irUnary(&c->b, "tg.bitcast_convert", value, type);
  MlirValue up = tosaBinary(c, "tg.add", bits, tosaSplatInt(c, type, 0x7FFFFF));
  MlirValue exponent = tosaBinary(c, "tg.shr_logic", up, tosaSplatInt(c, type, 23));
  MlirValue isLeast = tosaCompare(c, TG_LE, bits, tosaSplatInt(c, type, 0x400000));
  return tosaSelect(c, isLeast, tosaSplatInt(c, type, 0), exponent);
}

/// The scale is the least with which the largest magnitude of the block is within the format; NaN, and with it the
/// block, if an element is NaN or infinite.
bool tosaConvertCastToBlockScaled(TosaConversion *c) {
  if (!checkBlocks(c))
    return false;
  IrShape shape = irShapeOf(tosaOperand(c, 0)), blocks = inBlocks(shape), last = {1, {shape.rank}};
  MlirType element = irElementType(tosaResultType(c, 0)), scaleType = tosaResultType(c, 1);
  MlirValue elements = tosaReshape(c, tosaConvert(c, tosaOperand(c, 0), f32(c)), blocks);
  MlirType perBlock = tosaTensorType(irTypeShape(scaleType), f32(c));
  MlirValue largest = irValueOf(&c->b, "tg.reduce", IR_VALUES(tosaUnary(c, "tg.abs", elements)), perBlock,
                                IR_ATTRS(irI32(&c->b, "kind", TG_REDUCE_MAX), tosaDims(c, "dims", &last)));
  MlirValue ratio = tosaBinary(c, "tg.div", largest, tosaSplat(c, perBlock, largestNumber(element)));

  MlirValue isNumber = tosaCompare(c, TG_LT, largest, tosaSplat(c, perBlock, INFINITY));
  MlirValue exponent = exponentAbove(c, ratio);
  MlirType exponents = mlirValueGetType(exponent);
  exponent = tosaSelect(c, isNumber, exponent, tosaSplatInt(c, exponents, 0xFF)); // NaN
  MlirValue scale = irUnary(&c->b, "tg.bitcast_convert", tosaConvert(c, exponent, tosaIntType(c, 8)), scaleType);

  MlirValue scales = toElements(c, tosaConvert(c, scale, f32(c)), shape);
  MlirValue data = tosaReshape(c, tosaBinary(c, "tg.div", elements, scales), shape);
  if (irIsInteger(element))
    data = tosaUnary(c, "tg.round_even", tosaBinary(c, "tg.div", data, tosaSplat(c, mlirValueGetType(data), unit)));
  return tosaReplaceResult(c, 0, tosaConvert(c, data, element)) && tosaReplaceResult(c, 1, scale);
}

/// [N, H, C] x [N, W, C] -> [N, H, W]; a right-hand side with N = 1 is one for all.
bool tosaConvertMatmulTBlockScaled(TosaConversion *c) {
  if (!checkBlocks(c))
    return false;
  MlirValue lhs = scaled(c, tosaOperand(c, 0), tosaOperand(c, 1));
  MlirValue rhs = scaled(c, tosaOperand(c, 2), tosaOperand(c, 3));
  IrShape first = {1, {0}}, third = {1, {2}}, result = irTypeShape(tosaResultType(c, 0));
  bool isOne = irShapeOf(rhs).dims[0] == 1;
  if (isOne) { // the rows of all matrices are those of one
    int64_t depth = irShapeOf(lhs).dims[2];
    lhs = tosaReshape(c, lhs, (IrShape){3, {1, result.dims[0] * result.dims[1], depth}});
  }
  MlirType type =
      tosaTensorType((IrShape){3, {irShapeOf(lhs).dims[0], irShapeOf(lhs).dims[1], result.dims[2]}}, f32(c));
  MlirValue product = irValueOf(&c->b, "tg.dot", IR_VALUES(lhs, rhs), type,
                                IR_ATTRS(tosaDims(c, "lhs_batch", &first), tosaDims(c, "rhs_batch", &first),
                                         tosaDims(c, "lhs_contract", &third), tosaDims(c, "rhs_contract", &third)));
  return tosaReplaceResult(c, 0, tosaReshape(c, product, result));
}
