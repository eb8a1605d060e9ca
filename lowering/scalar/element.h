//===- element.h - shared parts of the files of scalar.h ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_ELEMENT_H
#define STITCH_LOWERING_SCALAR_ELEMENT_H

#include "lowering/scalar/scalar.h"

#include "mlir-c/BuiltinTypes.h"

static inline bool elementIsHalf(MlirType element) { return mlirTypeIsAF16(element) || mlirTypeIsABF16(element); }

static inline bool elementIsSigned(MlirType element) {
  return irIsInteger(element) && !irIsUnsigned(element) && !irIsBool(element);
}

/// In bits, of a float, integer or complex type.
static inline unsigned elementWidth(MlirType element) {
  if (mlirTypeIsAComplex(element))
    return 2 * mlirFloatTypeGetWidth(mlirComplexTypeGetElementType(element));
  return irIsFloat(element) ? mlirFloatTypeGetWidth(element) : mlirIntegerTypeGetWidth(element);
}

/// A constant of the type of `like`.
static inline MlirValue integerLike(IrBuilder *b, MlirValue like, int64_t value) {
  return irConstantInt(b, mlirValueGetType(like), value);
}

/// The bits 1000... of an integer.
static inline int64_t signBit(unsigned width) { return (int64_t)(~UINT64_C(0) << (width - 1)); }

/// The value itself if it has the type.
static inline MlirValue bitcast(IrBuilder *b, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : irUnary(b, "arith.bitcast", value, type);
}

/// A tg.compare.
MlirValue scalarCompare(IrBuilder *b, MlirOperation op, const MlirValue *operands);

/// `x` and the result are in the compute type of `element`. NULL where the kind has no meaning for the type.
MlirValue scalarUnary(IrBuilder *b, TgKind kind, MlirType element, MlirValue x);

/// A tg.reduce_precision of a float.
MlirValue scalarReducePrecision(IrBuilder *b, MlirOperation op, MlirType element, MlirValue x);

/// Between types of the same width; NULL of others.
MlirValue scalarBitcast(IrBuilder *b, MlirValue value, MlirType from, MlirType to);

#endif // STITCH_LOWERING_SCALAR_ELEMENT_H
