//===- tg_elementwise.cpp - verifiers of elementwise operations ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

static Type partTypeOf(Type elementType) {
  auto complex = dyn_cast<ComplexType>(elementType);
  return complex ? complex.getElementType() : elementType;
}

template <typename Adaptor> static LogicalResult inferPart(Adaptor adaptor, SmallVectorImpl<Type> &results) {
  RankedTensorType type = typeOf(adaptor.getOperand());
  results.push_back(withElementType(type, partTypeOf(type.getElementType())));
  return success();
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  return inferPart(adaptor, results);
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  return inferPart(adaptor, results);
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  return inferPart(adaptor, results);
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  results.push_back(withElementType(typeOf(adaptor.getOperand()), IntegerType::get(context, 1)));
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getLhs());
  if (!isa<Float32Type, Float64Type>(type.getElementType()))
    return report("operand 'lhs' must have elements of f32 or f64, got ", type);
  results.push_back(withElementType(type, ComplexType::get(type.getElementType())));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getLhs());
  Direction direction = adaptor.getDirection();
  if (isa<ComplexType>(type.getElementType()) && direction != Direction::eq && direction != Direction::ne)
    return report("complex numbers have no order: direction '", stringifyDirection(direction), "' for ", type);
  if (adaptor.getTotalOrder() && !isa<FloatType>(type.getElementType()))
    return report("attribute 'total_order' is for floats, got ", type);
  results.push_back(withElementType(type, IntegerType::get(context, 1)));
  return success();
}

/// `name` has the shape of `other`, or rank 0.
static LogicalResult verifyShapeOrScalar(const Report &report, StringRef name, Value value, StringRef otherName,
                                         Value other) {
  RankedTensorType type = typeOf(value), otherType = typeOf(other);
  if (type.getRank() == 0 || type.getShape() == otherType.getShape())
    return success();
  return report("operand '", name, "' has type ", type, ": neither rank 0 nor the shape of '", otherName, "', ",
                otherType);
}

LogicalResult SelectOp::verify() {
  Report report(*this);
  if (failed(verifyTypesMatch(report, {"on_true", getOnTrue().getType()},
                              {{"on_false", getOnFalse().getType()}, {"result", getType()}})))
    return failure();
  return verifyShapeOrScalar(report, "pred", getPred(), "on_true", getOnTrue());
}

LogicalResult ClampOp::verify() {
  Report report(*this);
  if (failed(verifyTypesMatch(report, {"operand", getOperand().getType()}, {{"result", getType()}})))
    return failure();
  for (auto [name, bound] : {std::pair("min", Value(getMin())), std::pair("max", Value(getMax()))}) {
    if (failed(verifyShapeOrScalar(report, name, bound, "operand", getOperand())))
      return failure();
    if (typeOf(bound).getElementType() != getOperand().getType().getElementType())
      return report("operand '", name, "' has type ", bound.getType(), " but 'operand' has type ",
                    getOperand().getType());
  }
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  Report report(*this);
  int64_t exponentBits = getExponentBits(), mantissaBits = getMantissaBits();
  if (exponentBits < 1)
    return report("attribute 'exponent_bits' must not be less than 1, got ", exponentBits);
  if (mantissaBits < 0)
    return report("attribute 'mantissa_bits' must not be less than 0, got ", mantissaBits);
  return success();
}

static int64_t bitWidth(Type elementType) {
  auto complex = dyn_cast<ComplexType>(elementType);
  return complex ? 2 * complex.getElementType().getIntOrFloatBitWidth() : elementType.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (isa<ComplexType>(from.getElementType()) != isa<ComplexType>(to.getElementType()))
    return emitOpError("cannot cast ") << from << " to " << to << ": complex numbers are cast to complex numbers only";
  int64_t fromBits = bitWidth(from.getElementType()), toBits = bitWidth(to.getElementType());
  RankedTensorType wide = fromBits > toBits ? from : to, narrow = fromBits > toBits ? to : from;
  SmallVector<int64_t> expected(wide.getShape());
  int64_t wideBits = std::max(fromBits, toBits), narrowBits = std::min(fromBits, toBits);
  if (wideBits % narrowBits != 0)
    return emitOpError("cannot cast ") << from << " to " << to << ": " << wideBits << " bits are no multiple of "
                                       << narrowBits;
  if (wideBits != narrowBits)
    expected.push_back(wideBits / narrowBits);
  if (narrow.getShape() != ArrayRef(expected))
    return emitOpError("cannot cast ") << from << " to " << to << ": " << wide << " stands for "
                                       << RankedTensorType::get(expected, narrow.getElementType());
  return success();
}
