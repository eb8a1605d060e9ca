//===- tg_dialect.h - C++ classes of the tg dialect ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_TG_DIALECT_H
#define STITCH_DIALECTS_TG_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tg {

/// The type constraints of the dialect (tg_types.cpp): is it a ranked tensor of such elements?
bool isTensor(mlir::Type type);
bool isNumberTensor(mlir::Type type);
bool isRealTensor(mlir::Type type);
bool isFloatTensor(mlir::Type type);
bool isFloatOrComplexTensor(mlir::Type type);
bool isLibraryNumberTensor(mlir::Type type);
bool isIntegerTensor(mlir::Type type);
bool isBitsTensor(mlir::Type type);
bool isOrderedTensor(mlir::Type type);
bool isPredicateTensor(mlir::Type type);
bool isIndexTensor(mlir::Type type);
bool isScalarIndexTensor(mlir::Type type);
bool isScalarPredicateTensor(mlir::Type type);

/// The type with another element type.
mlir::RankedTensorType withElementType(mlir::RankedTensorType type, mlir::Type elementType);
/// A tensor of `shape` that has the symbol of `like` (ir/mlir/symbol.h) if its outermost dimension is that of `like`.
mlir::RankedTensorType shapedLike(mlir::RankedTensorType like, llvm::ArrayRef<int64_t> shape, bool keepsOutermost);

mlir::LogicalResult verifySameOperandTypes(mlir::Operation *op);
mlir::LogicalResult verifySameTypes(mlir::Operation *op);
mlir::LogicalResult verifySameShape(mlir::Operation *op);
mlir::LogicalResult verifyInferredTypes(mlir::Operation *op);

/// The traits of tg_base.td, each of which calls the function of its name.
#define TG_DEFINE_TRAIT(name)                                                                                          \
  template <typename ConcreteType> class name : public mlir::OpTrait::TraitBase<ConcreteType, name> {                  \
  public:                                                                                                              \
    static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verify##name(op); }                           \
  }
TG_DEFINE_TRAIT(SameOperandTypes);
TG_DEFINE_TRAIT(SameTypes);
TG_DEFINE_TRAIT(SameShape);
TG_DEFINE_TRAIT(InferredTypes);
#undef TG_DEFINE_TRAIT

} // namespace tg

#include "dialects/tg/tg_dialect.h.inc"
#include "dialects/tg/tg_enums.h.inc"

#define GET_OP_CLASSES
#include "dialects/tg/tg_ops.h.inc"

#endif // STITCH_DIALECTS_TG_DIALECT_H
