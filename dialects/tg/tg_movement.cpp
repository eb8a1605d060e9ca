//===- tg_movement.cpp - verifiers of sources and data movement ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tg;

//===----------------------------------------------------------------------===//
// Sources and shape
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  return verifyTypesMatch(Report(*this), {"value", getValue().getType()}, {{"result", getType()}});
}

LogicalResult IotaOp::verify() {
  Report report(*this);
  if (!getType().hasStaticShape())
    return report("result must have a static shape, got ", getType());
  return verifyDim(report, "dim", getDim(), getType().getRank());
}

LogicalResult BroadcastOp::verify() {
  Report report(*this);
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return report("result has type ", to, ": not the element type of 'operand', ", from);
  if (failed(verifyPerDim(report, "dims", getDims(), from.getRank())) ||
      failed(verifyDims(report, "dims", getDims(), to.getRank())))
    return failure();
  for (auto [dim, resultDim] : llvm::enumerate(getDims())) {
    int64_t size = from.getDimSize(dim);
    if (size != 1 && !compatible(size, to.getDimSize(resultDim)))
      return report("dimension ", dim, " of 'operand', ", from, ", has size ", size,
                    ": neither 1 nor the size of dimension ", resultDim, " of the result, ", to);
  }
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (to.isDynamicDim(dim) && !llvm::is_contained(getDims(), dim))
      return report("dimension ", dim, " of the result, ", to, ", is dynamic and no dimension of 'operand', ", from,
                    ", gives its size");
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("result has type ") << to << ": not the element type of 'operand', " << from;
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return emitOpError("result has type ") << to << ", " << to.getNumElements() << " elements, but 'operand' has type "
                                           << from << ", " << from.getNumElements() << " elements";
  if (to.getNumDynamicDims() > 1 && from != to)
    return emitOpError("result has type ") << to << ": at most one dimension of it can be dynamic";
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  if (failed(verifyPerDim(report, "permutation", adaptor.getPermutation(), type.getRank())) ||
      failed(verifyDims(report, "permutation", adaptor.getPermutation(), type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : adaptor.getPermutation())
    shape.push_back(type.getDimSize(dim));
  bool keepsOutermost = !shape.empty() && adaptor.getPermutation()[0] == 0;
  results.push_back(shapedLike(type, shape, keepsOutermost));
  return success();
}

LogicalResult ReverseOp::verify() { return verifyDims(Report(*this), "dims", getDims(), getType().getRank()); }

//===----------------------------------------------------------------------===//
// Slices and joins
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(), strides = adaptor.getStrides();
  if (failed(verifyPerDim(report, "starts", starts, type.getRank(), 0)) ||
      failed(verifyPerDim(report, "limits", limits, type.getRank(), 0)) ||
      failed(verifyPerDim(report, "strides", strides, type.getRank(), 1)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (starts[dim] > limits[dim] || (!type.isDynamicDim(dim) && limits[dim] > type.getDimSize(dim)))
      return report("[", starts[dim], ", ", limits[dim], ") is not within dimension ", dim, " of 'operand', ", type);
    int64_t extent = limits[dim] - starts[dim];
    shape.push_back(extent == 0 ? 0 : (extent - 1) / strides[dim] + 1);
  }
  results.push_back(shapedLike(type, shape, !shape.empty() && shape[0] == type.getDimSize(0)));
  return success();
}

/// One start index for each dimension of `operand`, all of one type.
static LogicalResult verifyStartIndices(const Report &report, ValueRange indices, Value operand) {
  if (static_cast<int64_t>(indices.size()) != typeOf(operand).getRank())
    return report("has ", indices.size(), " start indices for 'operand', ", operand.getType());
  for (Value index : indices)
    if (index.getType() != indices[0].getType())
      return report("start indices have different types, ", indices[0].getType(), " and ", index.getType());
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  if (failed(verifyStartIndices(report, adaptor.getStartIndices(), adaptor.getOperand())) ||
      failed(verifyPerDim(report, "sizes", adaptor.getSizes(), type.getRank(), 0)))
    return failure();
  for (auto [dim, size] : llvm::enumerate(adaptor.getSizes()))
    if (!type.isDynamicDim(dim) && size > type.getDimSize(dim))
      return report("a slice of ", size, " does not fit dimension ", dim, " of 'operand', ", type);
  ArrayRef<int64_t> sizes = adaptor.getSizes();
  results.push_back(shapedLike(type, sizes, !sizes.empty() && sizes[0] == type.getDimSize(0)));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand()), update = typeOf(adaptor.getUpdate());
  if (failed(verifyStartIndices(report, adaptor.getStartIndices(), adaptor.getOperand())))
    return failure();
  if (update.getRank() != type.getRank() || update.getElementType() != type.getElementType())
    return report("operand 'update', ", update, ", must have the rank and element type of 'operand', ", type);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim) && !update.isDynamicDim(dim) && update.getDimSize(dim) > type.getDimSize(dim))
      return report("operand 'update', ", update, ", does not fit dimension ", dim, " of 'operand', ", type);
  results.push_back(type);
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand()), value = typeOf(adaptor.getPaddingValue());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(), interior = adaptor.getInterior();
  if (value.getRank() != 0 || value.getElementType() != type.getElementType())
    return report("operand 'padding_value', ", value, ", must have rank 0 and the element type of 'operand', ", type);
  if (failed(verifyPerDim(report, "low", low, type.getRank())) ||
      failed(verifyPerDim(report, "high", high, type.getRank())) ||
      failed(verifyPerDim(report, "interior", interior, type.getRank(), 0)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim), inner = 0;
    if (!isDynamic(size)) {
      if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior[dim], inner) ||
          llvm::AddOverflow(size, inner, size) || llvm::AddOverflow(size, low[dim], size) ||
          llvm::AddOverflow(size, high[dim], size))
        return report("dimension ", dim, " of 'operand', ", type, ", would have a size of more than 64 bits");
      if (size < 0)
        return report("dimension ", dim, " of 'operand', ", type, ", would have the size ", size);
    }
    shape.push_back(size);
  }
  results.push_back(shapedLike(type, shape, !shape.empty() && shape[0] == type.getDimSize(0)));
  return success();
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  if (adaptor.getInputs().empty())
    return report("has no inputs");
  RankedTensorType first = typeOf(adaptor.getInputs().front());
  int64_t dim = adaptor.getDim(), sum = 0;
  if (failed(verifyDim(report, "dim", dim, first.getRank())))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs()) {
    RankedTensorType type = typeOf(input);
    bool matches = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    for (int64_t d = 0; matches && d < first.getRank(); ++d)
      if (d != dim && isDynamic(shape[d]))
        shape[d] = type.getDimSize(d);
      else
        matches = d == dim || compatible(shape[d], type.getDimSize(d));
    if (!matches)
      return report("inputs ", first, " and ", type, " differ in more than dimension ", dim);
    if (isDynamic(sum) || type.isDynamicDim(dim))
      sum = ShapedType::kDynamic;
    else if (llvm::AddOverflow(sum, type.getDimSize(dim), sum))
      return report("dimension ", dim, " of the result would have a size of more than 64 bits");
  }
  shape[dim] = sum;
  results.push_back(shapedLike(first, shape, dim != 0));
  return success();
}
