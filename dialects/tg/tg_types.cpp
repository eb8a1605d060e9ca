//===- tg_types.cpp - type constraints of the tg dialect -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_dialect.h"

using namespace mlir;
using namespace tg;

static bool isFloat(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E5M2Type, Float8E4M3Type, Float8E4M3FNType,
             Float8E5M2FNUZType, Float8E4M3FNUZType, Float8E4M3B11FNUZType, Float8E3M4Type, Float8E8M0FNUType,
             Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType>(type);
}

static bool isInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return width == 2 || width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
}

static bool isPredicate(Type type) { return type.isSignlessInteger(1); }

static bool isComplex(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex && isa<Float32Type, Float64Type>(complex.getElementType());
}

/// The element type of a ranked tensor; null for any other type.
static Type elementOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getElementType() : Type();
}

static bool isScalar(Type type) { return cast<RankedTensorType>(type).getRank() == 0; }

bool tg::isFloatTensor(Type type) {
  Type e = elementOf(type);
  return e && isFloat(e);
}
bool tg::isIntegerTensor(Type type) {
  Type e = elementOf(type);
  return e && isInteger(e);
}
bool tg::isPredicateTensor(Type type) {
  Type e = elementOf(type);
  return e && isPredicate(e);
}
bool tg::isFloatOrComplexTensor(Type type) {
  Type e = elementOf(type);
  return e && (isFloat(e) || isComplex(e));
}
bool tg::isRealTensor(Type type) { return isFloatTensor(type) || isIntegerTensor(type); }
bool tg::isNumberTensor(Type type) { return isFloatOrComplexTensor(type) || isIntegerTensor(type); }
bool tg::isBitsTensor(Type type) { return isIntegerTensor(type) || isPredicateTensor(type); }
bool tg::isOrderedTensor(Type type) { return isRealTensor(type) || isPredicateTensor(type); }
bool tg::isTensor(Type type) { return isNumberTensor(type) || isPredicateTensor(type); }
bool tg::isIndexTensor(Type type) { return isIntegerTensor(type); }
bool tg::isScalarIndexTensor(Type type) { return isIndexTensor(type) && isScalar(type); }
bool tg::isScalarPredicateTensor(Type type) { return isPredicateTensor(type) && isScalar(type); }

bool tg::isLibraryNumberTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  Type element = tensor.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return element.isF32() || element.isF64();
}

RankedTensorType tg::shapedLike(RankedTensorType like, ArrayRef<int64_t> shape, bool keepsOutermost) {
  return RankedTensorType::get(shape, like.getElementType(), keepsOutermost ? like.getEncoding() : Attribute());
}

RankedTensorType tg::withElementType(RankedTensorType type, Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType, type.getEncoding());
}
