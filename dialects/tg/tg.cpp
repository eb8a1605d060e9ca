//===- tg.cpp - the tg dialect: registration, types, assembly -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_dialect.h"

#include "stitch.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/Transforms/InliningUtils.h"

#include "dialects/tg/tg_dialect.cpp.inc"
#include "dialects/tg/tg_enums.cpp.inc"

using namespace mlir;
using namespace tg;

namespace {
/// Every operation may be inlined anywhere.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TGDialect::initialize() {
  registerTGDialectOperations(this);
  addInterfaces<Inliner>();
}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TG, tg, tg::TGDialect)
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isFloat(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E5M2Type, Float8E4M3Type, Float8E4M3FNType,
             Float8E5M2FNUZType, Float8E4M3FNUZType, Float8E4M3B11FNUZType, Float8E3M4Type, Float8E8M0FNUType>(type);
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

RankedTensorType tg::shapedLike(RankedTensorType like, ArrayRef<int64_t> shape, bool keepsOutermost) {
  return RankedTensorType::get(shape, like.getElementType(), keepsOutermost ? like.getEncoding() : Attribute());
}

RankedTensorType tg::withElementType(RankedTensorType type, Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType, type.getEncoding());
}
