//===- tg_dialect.h - C++ classes of the tg dialect -----------------------===//
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

/// The type constraints of the dialect: is it a ranked tensor of such elements?
bool isTensor(mlir::Type type);
bool isNumberTensor(mlir::Type type);
bool isRealTensor(mlir::Type type);
bool isFloatTensor(mlir::Type type);
bool isFloatOrComplexTensor(mlir::Type type);
bool isIntegerTensor(mlir::Type type);
bool isBitsTensor(mlir::Type type);
bool isOrderedTensor(mlir::Type type);
bool isPredicateTensor(mlir::Type type);
bool isIndexTensor(mlir::Type type);
bool isScalarIndexTensor(mlir::Type type);
bool isScalarPredicateTensor(mlir::Type type);

/// The type with another element type.
mlir::RankedTensorType withElementType(mlir::RankedTensorType type, mlir::Type elementType);

mlir::LogicalResult verifySameType(mlir::Operation *op);

/// Every operand and result has the same type; says which has not (TG_SameType).
template <typename ConcreteType> class SameType : public mlir::OpTrait::TraitBase<ConcreteType, SameType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameType(op); }
};

} // namespace tg

#include "dialects/tg/tg_dialect.h.inc"
#include "dialects/tg/tg_enums.h.inc"

#define GET_OP_CLASSES
#include "dialects/tg/tg_ops.h.inc"

#endif // STITCH_DIALECTS_TG_DIALECT_H
