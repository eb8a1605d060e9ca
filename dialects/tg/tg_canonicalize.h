//===- tg_canonicalize.h - shared parts of canonical forms ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_TG_CANONICALIZE_H
#define STITCH_DIALECTS_TG_CANONICALIZE_H

#include "dialects/tg/tg_dialect.h"

#include "mlir/IR/PatternMatch.h"

#include "llvm/Support/TypeName.h"

namespace tg {

/// Adds patterns, each with its own name as a label, by which `tg-simplify{without=}` finds it.
template <typename... Patterns> void addPatterns(mlir::RewritePatternSet &patterns) {
  (patterns.addWithLabel<Patterns>({llvm::getTypeName<Patterns>().rsplit("::").second}, patterns.getContext()), ...);
}

//===----------------------------------------------------------------------===//
// Values (tg_canonicalize_match.cpp)
//===----------------------------------------------------------------------===//

/// The value if it is a constant, else null.
mlir::Attribute constantOf(mlir::Value value);

/// For a reshape that only adds or removes dimensions of size one: the dimension of `to` that each dimension of `from`
/// becomes, -1 for one that is removed. Nothing for other reshapes. Dimensions of size one that both have are matched
/// from the left.
std::optional<llvm::SmallVector<int64_t>> unitReshape(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// A reshape that only adds dimensions of size one, and where each dimension goes.
struct UnitAdding {
  ReshapeOp reshape;
  llvm::SmallVector<int64_t> map;
};

std::optional<UnitAdding> unitAdding(mlir::Value value);

/// For each dimension of the result of a unit-adding reshape, the dimension of the operand, or -1.
llvm::SmallVector<int64_t> inverseOf(UnitAdding adding);

//===----------------------------------------------------------------------===//
// Patterns of dots (tg_canonicalize_contraction.cpp)
//===----------------------------------------------------------------------===//

/// Adds the pattern that exchanges a dot's operands where its result is transposed.
void addTransposeOfDot(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// Patterns of sums, products and negations (tg_canonicalize_algebra.cpp)
//===----------------------------------------------------------------------===//

/// Adds the pattern that takes negations out of quotients.
void addQuotientOfNegation(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// Patterns of transposes (tg_canonicalize_transposes.cpp)
//===----------------------------------------------------------------------===//

/// Adds the pattern that moves a transpose through elementwise operations to those that it ends with.
void addTransposeOfElementwise(mlir::RewritePatternSet &patterns);

/// Adds the pattern that moves several transposes of operands behind the operation, as one.
void addElementwiseOfTransposes(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// Patterns of copies (tg_canonicalize_copies.cpp)
//===----------------------------------------------------------------------===//

/// Adds the patterns that move slices through pads, repetitions, reversals and concatenations.
void addCopiesOfSlices(mlir::RewritePatternSet &patterns);

/// Adds the pattern that reduces a repeated element directly.
void addReduceOfBroadcast(mlir::RewritePatternSet &patterns);

} // namespace tg

#endif // STITCH_DIALECTS_TG_CANONICALIZE_H
