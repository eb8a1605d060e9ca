//===- tg_verify.cpp - shared parts of verifiers --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tg;

RankedTensorType tg::typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Lists of dimensions
//===----------------------------------------------------------------------===//

LogicalResult tg::verifyDim(const Report &report, StringRef name, int64_t dim, int64_t rank) {
  if (dim < 0 || dim >= rank)
    return report("attribute '", name, "' has dimension ", dim, ", which is not in [0, ", rank, ")");
  return success();
}

LogicalResult tg::verifyDims(const Report &report, StringRef name, ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (failed(verifyDim(report, name, dim, rank)))
      return failure();
    if (seen.test(dim))
      return report("attribute '", name, "' has dimension ", dim, " twice");
    seen.set(dim);
  }
  return success();
}

LogicalResult tg::verifyPerDim(const Report &report, StringRef name, ArrayRef<int64_t> values, int64_t rank,
                               int64_t least) {
  if (static_cast<int64_t>(values.size()) != rank)
    return report("attribute '", name, "' has ", values.size(), " entries for ", rank, " dimensions");
  for (int64_t value : values)
    if (value < least)
      return report("attribute '", name, "' must not be less than ", least, ", got ", value);
  return success();
}

LogicalResult tg::verifyType(const Report &report, StringRef name, Type type, Type expected, StringRef source,
                             Type sourceType) {
  if (type == expected)
    return success();
  return report("'", name, "' has type ", type, " but ", expected, " follows from '", source, "', ", sourceType);
}

LogicalResult tg::verifyTypesMatch(const Report &report, NamedType first, ArrayRef<NamedType> others) {
  for (auto [name, type] : others)
    if (type != first.second)
      return report("'", name, "' has type ", type, " but '", first.first, "' has type ", first.second);
  return success();
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// The name of operand `index` in operations whose operands all have one type.
static StringRef operandName(Operation *op, unsigned index) {
  static constexpr StringLiteral unary[] = {"operand"};
  static constexpr StringLiteral binary[] = {"lhs", "rhs"};
  static constexpr StringLiteral ternary[] = {"a", "b", "c"};
  switch (op->getNumOperands()) {
  case 1:
    return unary[index];
  case 2:
    return binary[index];
  default:
    return index < 3 ? StringRef(ternary[index]) : StringRef("operand");
  }
}

LogicalResult tg::verifySameOperandTypes(Operation *op) {
  Type first = op->getOperand(0).getType();
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (type != first)
      return op->emitOpError("operand '") << operandName(op, index) << "' has type " << type << " but '"
                                          << operandName(op, 0) << "' has type " << first;
  return success();
}

LogicalResult tg::verifySameTypes(Operation *op) {
  if (failed(verifySameOperandTypes(op)))
    return failure();
  Type first = op->getOperand(0).getType(), result = op->getResult(0).getType();
  if (result != first)
    return op->emitOpError("result has type ")
           << result << " but operand '" << operandName(op, 0) << "' has type " << first;
  return success();
}

LogicalResult tg::verifySameShape(Operation *op) {
  RankedTensorType from = typeOf(op->getOperand(0)), to = typeOf(op->getResult(0));
  if (from.getShape() != to.getShape())
    return op->emitOpError("result has type ") << to << ": not the shape of 'operand', " << from;
  return success();
}

LogicalResult tg::verifyInferredTypes(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                                             op->getDiscardableAttrDictionary(),
                                                             op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  // The pass tg-dynamic-dims checks open sizes (ir/mlir/symbol.h).
  auto sameButEncoding = [](Type a, Type b) {
    auto lhs = dyn_cast<RankedTensorType>(a), rhs = dyn_cast<RankedTensorType>(b);
    return a == b || (lhs && rhs && lhs.cloneWithEncoding(rhs.getEncoding()) == rhs);
  };
  if (!llvm::equal(op->getResultTypes(), types, sameButEncoding))
    return op->emitOpError("result has type ")
           << op->getResultTypes() << " but " << types << " follows from the operands, " << op->getOperandTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and bodies
//===----------------------------------------------------------------------===//

LogicalResult tg::verifyKind(const Report &report, Kind kind, RankedTensorType type) {
  bool bitwise = kind == Kind::and_ || kind == Kind::or_ || kind == Kind::xor_;
  bool ordered = kind == Kind::min || kind == Kind::max;
  if ((bitwise && !isBitsTensor(type)) || (ordered && !isOrderedTensor(type)))
    return report("kind '", stringifyKind(kind), "' does not apply to 'operand', ", type);
  return success();
}

RankedTensorType tg::withoutDims(RankedTensorType type, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  return shapedLike(type, shape, !llvm::is_contained(dims, 0));
}

static SmallVector<Type> scalarsOf(TypeRange types) {
  SmallVector<Type> scalars;
  for (Type type : types)
    scalars.push_back(RankedTensorType::get({}, cast<RankedTensorType>(type).getElementType()));
  return scalars;
}

LogicalResult tg::verifyBody(Operation *op, StringRef name, Region &region, TypeRange arguments, TypeRange yielded) {
  SmallVector<Type> expected = scalarsOf(arguments), results = scalarsOf(yielded);
  if (!llvm::equal(region.getArgumentTypes(), expected))
    return op->emitOpError(name) << " takes (" << region.getArgumentTypes() << ") where (" << expected
                                 << ") is expected";
  Operation *yield = region.front().getTerminator();
  if (!llvm::equal(yield->getOperandTypes(), results))
    return yield->emitOpError("yields (") << yield->getOperandTypes() << ") where (" << results << ") is expected";
  return success();
}

LogicalResult tg::verifyInits(const Report &report, ValueRange inputs, ValueRange inits) {
  if (inputs.empty())
    return report("has no inputs");
  for (auto [input, init] : llvm::zip(inputs, inits)) {
    if (typeOf(input).getShape() != typeOf(inputs[0]).getShape())
      return report("inputs ", inputs[0].getType(), " and ", input.getType(), " differ in shape");
    if (typeOf(init) != RankedTensorType::get({}, typeOf(input).getElementType()))
      return report("initial value of type ", init.getType(), " is not one element of input ", input.getType());
  }
  return success();
}
