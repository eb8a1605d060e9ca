//===- tg_fold.cpp - constants as the folders see them -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_fold.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tg;

Operation *TGDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

/// A constant of floats, integers or predicates; null otherwise.
static DenseElementsAttr constantOf(Attribute attribute) {
  auto constant = dyn_cast_or_null<DenseIntOrFPElementsAttr>(attribute);
  if (!constant || isa<ComplexType>(constant.getElementType()))
    return {};
  return constant;
}

static SmallVector<Scalar> scalarsOf(DenseElementsAttr constant) {
  SmallVector<Scalar> scalars;
  if (isa<FloatType>(constant.getElementType())) {
    if (constant.isSplat())
      scalars.push_back(constant.getSplatValue<APFloat>());
    else
      llvm::append_range(scalars, constant.getValues<APFloat>());
  } else {
    if (constant.isSplat())
      scalars.push_back(constant.getSplatValue<APInt>());
    else
      llvm::append_range(scalars, constant.getValues<APInt>());
  }
  return scalars;
}

static DenseElementsAttr constantFrom(RankedTensorType type, ArrayRef<Scalar> scalars) {
  if (isa<FloatType>(type.getElementType())) {
    SmallVector<APFloat> values;
    for (const Scalar &scalar : scalars)
      values.push_back(std::get<APFloat>(scalar));
    return DenseElementsAttr::get(type, values);
  }
  SmallVector<APInt> values;
  for (const Scalar &scalar : scalars)
    values.push_back(std::get<APInt>(scalar));
  return DenseElementsAttr::get(type, values);
}

Attribute tg::foldElements(RankedTensorType type, ArrayRef<Attribute> operands, ScalarFunction function) {
  if (!type.hasStaticShape() || type.getNumElements() == 0 || isa<ComplexType>(type.getElementType()))
    return {};
  int64_t count = 1;
  SmallVector<DenseElementsAttr> constants;
  for (Attribute operand : operands) {
    constants.push_back(constantOf(operand));
    if (!constants.back())
      return {};
    if (!constants.back().isSplat())
      count = type.getNumElements();
  }
  if (count > foldLimit)
    return {};
  SmallVector<SmallVector<Scalar>> columns;
  for (DenseElementsAttr constant : constants)
    columns.push_back(scalarsOf(constant));
  SmallVector<Scalar> results, arguments;
  for (int64_t i = 0; i < count; ++i) {
    arguments.clear();
    for (const auto &column : columns)
      arguments.push_back(column.size() == 1 ? column[0] : column[i]);
    std::optional<Scalar> result = function(arguments);
    if (!result)
      return {};
    results.push_back(*result);
  }
  return constantFrom(type, results);
}

SmallVector<int64_t> tg::stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

/// Steps to the next index in row-major order.
static void advance(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    if (++index[dim] < shape[dim])
      return;
    index[dim] = 0;
  }
}

Attribute tg::foldMovement(RankedTensorType type, Attribute attribute, function_ref<int64_t(ArrayRef<int64_t>)> source,
                           int64_t limit) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!constant || !type.hasStaticShape() || type.getNumElements() == 0)
    return {};
  if (constant.isSplat())
    return constant.resizeSplat(type);
  constant = constantOf(attribute);
  if (!constant || type.getNumElements() > limit || constant.getNumElements() > foldLimit)
    return {};
  SmallVector<Scalar> values = scalarsOf(constant), results;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t i = 0; i < type.getNumElements(); ++i, advance(index, type.getShape()))
    results.push_back(values[source(index)]);
  return constantFrom(type, results);
}

std::optional<APFloat> tg::splatFloat(Attribute attribute) {
  DenseElementsAttr constant = constantOf(attribute);
  if (!constant || !constant.isSplat() || !isa<FloatType>(constant.getElementType()))
    return std::nullopt;
  return constant.getSplatValue<APFloat>();
}

std::optional<APInt> tg::splatInt(Attribute attribute) {
  DenseElementsAttr constant = constantOf(attribute);
  if (!constant || !constant.isSplat() || !isa<IntegerType>(constant.getElementType()))
    return std::nullopt;
  return constant.getSplatValue<APInt>();
}

bool tg::isSplatInt(Attribute constant, int64_t value) {
  std::optional<APInt> splat = splatInt(constant);
  return splat && *splat == APInt(splat->getBitWidth(), value, /*isSigned=*/true, /*implicitTrunc=*/true);
}

bool tg::isUnsigned(Type elementType) { return elementType.isUnsignedInteger() || elementType.isSignlessInteger(1); }

DenseElementsAttr tg::splatOf(RankedTensorType type, int64_t value) {
  if (auto floatType = dyn_cast<FloatType>(type.getElementType())) {
    APFloat f(static_cast<double>(value));
    bool losesInfo;
    f.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return DenseElementsAttr::get(type, f);
  }
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  return DenseElementsAttr::get(type, APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true));
}
