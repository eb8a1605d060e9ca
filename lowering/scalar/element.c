//===- element.c - how elements are held and computed with ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type in memory, the type that is computed in, the ways between them, and the bounds of integers.
//
// Elements are computed in the compute type of their element type: 16-bit floats in f32, everything else in itself. As
// f32 has more than twice their bits and two, a sum, product, quotient or square root is then rounded as if it were
// exact.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/element.h"

#include "lowering/scalar/narrow.h"

MlirType scalarType(MlirType element) {
  if (scalarIsSmallFloat(element) || scalarIsSmallInteger(element))
    return mlirIntegerTypeGet(mlirTypeGetContext(element), 8);
  if (irIsInteger(element) && !mlirIntegerTypeIsSignless(element))
    return mlirIntegerTypeGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
  return element;
}

MlirType scalarComputeType(MlirType element) {
  return elementIsHalf(element) || scalarIsSmallFloat(element) ? mlirF32TypeGet(mlirTypeGetContext(element))
                                                               : scalarType(element);
}

MlirValue scalarWiden(IrBuilder *b, MlirValue value, MlirType element) {
  if (scalarIsSmallFloat(element))
    return scalarDecodeSmallFloat(b, value, element);
  if (scalarIsSmallInteger(element))
    return scalarExtendInteger(b, value, element);
  return elementIsHalf(element) ? irUnary(b, "arith.extf", value, scalarComputeType(element)) : value;
}

MlirValue scalarNarrow(IrBuilder *b, MlirValue value, MlirType element) {
  if (scalarIsSmallFloat(element))
    return scalarEncodeSmallFloat(b, value, element);
  if (scalarIsSmallInteger(element))
    return scalarExtendInteger(b, value, element);
  return elementIsHalf(element) ? irUnary(b, "arith.truncf", value, element) : value;
}

MlirValue scalarLeastInteger(IrBuilder *b, MlirType element) {
  return irConstantInt(b, scalarType(element), elementIsSigned(element) ? signBit(elementWidth(element)) : 0);
}

MlirValue scalarLargestInteger(IrBuilder *b, MlirType element) {
  if (scalarIsSmallInteger(element))
    return irConstantInt(b, scalarType(element), (1 << (elementWidth(element) - elementIsSigned(element))) - 1);
  return irConstantInt(b, scalarType(element), elementIsSigned(element) ? ~signBit(elementWidth(element)) : -1);
}
