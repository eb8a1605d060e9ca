//===- tg_identity.c - identities of combiners ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells whether a constant is the identity of a combiner, such as 0 of add or -inf of max.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_identity.h"

#include "ir/mlir/query.h"

#include <math.h>

/// The number that an attribute is, of complex ones the real part if the other one is zero; null if it is none.
static MlirAttribute realNumber(MlirAttribute value) {
  if (mlirAttributeIsAFloat(value) || mlirAttributeIsAInteger(value))
    return value;
  bool isComplex = mlirAttributeIsAArray(value) && mlirArrayAttrGetNumElements(value) == 2;
  MlirAttribute imaginary = isComplex ? mlirArrayAttrGetElement(value, 1) : value;
  bool isReal = isComplex && mlirAttributeIsAFloat(imaginary) && mlirFloatAttrGetValueDouble(imaginary) == 0;
  return isReal ? mlirArrayAttrGetElement(value, 0) : (MlirAttribute){NULL};
}

MlirAttribute tgConstantNumber(MlirAttribute value) {
  if (!mlirAttributeIsADenseElements(value))
    return realNumber(value);
  return mlirDenseElementsAttrIsSplat(value) ? realNumber(mlirDenseElementsAttrGetSplatValue(value))
                                             : (MlirAttribute){NULL};
}

static bool isFloatIdentity(TgReduceKind kind, double number) {
  return kind == TG_REDUCE_ADD   ? number == 0
         : kind == TG_REDUCE_MUL ? number == 1
         : kind == TG_REDUCE_MAX ? number == -INFINITY
                                 : kind == TG_REDUCE_MIN && number == INFINITY;
}

bool tgIsIdentity(TgReduceKind kind, MlirAttribute value, MlirType type) {
  if (mlirAttributeIsNull(value))
    return false;
  if (mlirAttributeIsAFloat(value))
    return isFloatIdentity(kind, mlirFloatAttrGetValueDouble(value));
  int64_t number = mlirIntegerAttrGetValueInt(value), lowest, highest;
  if (irIsBool(type))
    return kind == TG_REDUCE_AND ? number != 0 : (kind == TG_REDUCE_OR || kind == TG_REDUCE_XOR) && number == 0;
  irIntegerRange(type, &lowest, &highest);
  switch (kind) {
  case TG_REDUCE_MUL:
    return number == 1;
  case TG_REDUCE_MAX:
    return number == lowest;
  case TG_REDUCE_MIN:
    return number == highest;
  case TG_REDUCE_AND:
    return number == -1;
  default:
    return number == 0;
  }
}
