//===- tg_fold.h - constants as the folders see them ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_TG_FOLD_H
#define STITCH_DIALECTS_TG_FOLD_H

#include "dialects/tg/tg_dialect.h"

#include <variant>

namespace tg {

/// Constants with more elements are not folded, unless all elements are the same.
constexpr int64_t foldLimit = 16384;

/// A constant that repeats the elements of a smaller one is made up to this size: it takes memory, a broadcast none.
constexpr int64_t repeatLimit = 256;

using Scalar = std::variant<llvm::APFloat, llvm::APInt>;
using ScalarFunction = llvm::function_ref<std::optional<Scalar>(llvm::ArrayRef<Scalar>)>;

/// The constant whose elements are `function` of the elements of `operands`; an operand of one element stands for as
/// many as needed. Null if an operand is no constant, if the result would be too large, or if `function` declines.
mlir::Attribute foldElements(mlir::RankedTensorType type, llvm::ArrayRef<mlir::Attribute> operands,
                             ScalarFunction function);

/// The constant whose element at each index is that of `constant` at the linear index `source(index)`.
mlir::Attribute foldMovement(mlir::RankedTensorType type, mlir::Attribute constant,
                             llvm::function_ref<int64_t(llvm::ArrayRef<int64_t> index)> source,
                             int64_t limit = foldLimit);

/// The one value of all elements of a constant.
std::optional<llvm::APFloat> splatFloat(mlir::Attribute constant);
std::optional<llvm::APInt> splatInt(mlir::Attribute constant);
bool isSplatInt(mlir::Attribute constant, int64_t value);

/// Unsigned integers and i1.
bool isUnsigned(mlir::Type elementType);

mlir::DenseElementsAttr splatOf(mlir::RankedTensorType type, int64_t value);

/// Row-major strides; every size is at least one.
llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape);

} // namespace tg

#endif // STITCH_DIALECTS_TG_FOLD_H
