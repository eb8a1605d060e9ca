//===- tg_verify.h - shared parts of verifiers ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_TG_VERIFY_H
#define STITCH_DIALECTS_TG_VERIFY_H

#include "dialects/tg/tg_dialect.h"

namespace tg {

/// Emits "'tg.name' op MESSAGE" where there is a location; type inference may have none.
class Report {
public:
  Report(std::optional<mlir::Location> loc, llvm::StringRef name) : loc(loc), name(name) {}
  explicit Report(mlir::Operation *op) : Report(op->getLoc(), op->getName().getStringRef()) {}

  template <typename... Args> mlir::LogicalResult operator()(Args &&...args) const {
    return mlir::emitOptionalError(loc, "'", name, "' op ", std::forward<Args>(args)...);
  }

private:
  std::optional<mlir::Location> loc;
  llvm::StringRef name;
};

/// Type inference sees operations before any verifier: attributes may be missing, operands of any
/// type.
template <typename Adaptor>
mlir::LogicalResult verifyBeforeInference(const Report &report, std::optional<mlir::Location> loc,
                                          mlir::MLIRContext *context, Adaptor adaptor) {
  for (mlir::Value operand : adaptor.getOperands())
    if (!mlir::isa<mlir::RankedTensorType>(operand.getType()))
      return report("operands must be ranked tensors, got ", operand.getType());
  return adaptor.verify(loc.value_or(mlir::UnknownLoc::get(context)));
}

inline bool isDynamic(int64_t size) { return mlir::ShapedType::isDynamic(size); }

/// Whether two dimensions can have the same size.
inline bool compatible(int64_t a, int64_t b) { return isDynamic(a) || isDynamic(b) || a == b; }

mlir::RankedTensorType typeOf(mlir::Value value);

/// Every dimension of the list is below `rank`, and none is there twice.
mlir::LogicalResult verifyDims(const Report &report, llvm::StringRef name, llvm::ArrayRef<int64_t> dims, int64_t rank);
/// A list with an entry for each of `rank` dimensions, each at least `least`.
mlir::LogicalResult verifyPerDim(const Report &report, llvm::StringRef name, llvm::ArrayRef<int64_t> values,
                                 int64_t rank, int64_t least = std::numeric_limits<int64_t>::min());
mlir::LogicalResult verifyDim(const Report &report, llvm::StringRef name, int64_t dim, int64_t rank);

/// Whether `kind` applies to elements of `type`: min and max need an order, and, or and xor bits.
mlir::LogicalResult verifyKind(const Report &report, Kind kind, mlir::RankedTensorType type);

/// The type without the dimensions `dims`.
mlir::RankedTensorType withoutDims(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims);

/// The value named `name` has the type `expected`, which follows from `source`.
mlir::LogicalResult verifyType(const Report &report, llvm::StringRef name, mlir::Type type, mlir::Type expected,
                               llvm::StringRef source, mlir::Type sourceType);

/// The body of an operation on scalars: it takes tensors of rank 0 with the element types of `arguments`, and yields
/// such tensors with those of `yielded`. `name` is the region's.
mlir::LogicalResult verifyBody(mlir::Operation *op, llvm::StringRef name, mlir::Region &region,
                               mlir::TypeRange arguments, mlir::TypeRange yielded);
/// Each of `inits` has rank 0 and the element type of its input; all inputs have one shape.
mlir::LogicalResult verifyInits(const Report &report, mlir::ValueRange inputs, mlir::ValueRange inits);

/// Each of `others` has the type of `first`.
using NamedType = std::pair<llvm::StringRef, mlir::Type>;
mlir::LogicalResult verifyTypesMatch(const Report &report, NamedType first, llvm::ArrayRef<NamedType> others);

/// The beginning of a type inference function: `report`, and a check of its arguments.
#define TG_BEGIN_INFERENCE                                                                                             \
  Report report(loc, getOperationName());                                                                              \
  if (failed(verifyBeforeInference(report, loc, context, adaptor)))                                                    \
  return failure()

} // namespace tg

#endif // STITCH_DIALECTS_TG_VERIFY_H
