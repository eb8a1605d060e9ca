//===- tg_fold_movement.cpp - folding of sources, movement, reductions ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds that need no new operation: constants, operations that change nothing, and operations that absorb the one of
// the same kind before them. The file tg_canonicalize.cpp has the others.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_fold.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <algorithm>

using namespace mlir;
using namespace tg;

static bool isIota(ArrayRef<int64_t> dims) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (static_cast<int64_t>(i) != dim)
      return false;
  return true;
}

static bool allEqual(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [value](int64_t v) { return v == value; });
}

static int64_t linearIndex(ArrayRef<int64_t> index, ArrayRef<int64_t> strides) {
  int64_t linear = 0;
  for (auto [i, stride] : llvm::zip(index, strides))
    linear += i * stride;
  return linear;
}

//===----------------------------------------------------------------------===//
// Sources and shape
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// An iota is index arithmetic and costs no memory, so only one that is all zeros becomes a constant.
OpFoldResult IotaOp::fold(FoldAdaptor) {
  if (getType().getDimSize(getDim()) != 1 || isa<ComplexType>(getType().getElementType()))
    return nullptr;
  return splatOf(getType(), 0);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from == to && isIota(getDims()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(getDims()[dim]);
    setDims(dims);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  SmallVector<int64_t> strides = stridesOf(from.getShape());
  return foldMovement(
      to, adaptor.getOperand(),
      [&](ArrayRef<int64_t> index) {
        int64_t linear = 0;
        for (auto [dim, resultDim] : llvm::enumerate(getDims()))
          if (from.getDimSize(dim) != 1)
            linear += index[resultDim] * strides[dim];
        return linear;
      },
      repeatLimit);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    // A dimension that is dynamic here may have been determined by the shape between.
    if (getType().hasStaticShape() || inner.getOperand().getType().hasStaticShape()) {
      getOperandMutable().assign(inner.getOperand());
      return getResult();
    }
  }
  if (!getType().hasStaticShape())
    return nullptr;
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()))
    return constant.reshape(getType());
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(adaptor.getOperand()))
    return DenseResourceElementsAttr::get(getType(), resource.getRawHandle());
  return nullptr;
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIota(getPermutation()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> permutation;
    for (int64_t dim : getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    setPermutation(permutation);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  SmallVector<int64_t> strides = stridesOf(getOperand().getType().getShape()), permuted;
  for (int64_t dim : getPermutation())
    permuted.push_back(strides[dim]);
  return foldMovement(getType(), adaptor.getOperand(),
                      [&](ArrayRef<int64_t> index) { return linearIndex(index, permuted); });
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> shape = getType().getShape();
  if (llvm::all_of(getDims(), [&](int64_t dim) { return shape[dim] == 1; }))
    return getOperand();
  auto inner = getOperand().getDefiningOp<ReverseOp>();
  if (inner && inner.getDims() == getDims())
    return inner.getOperand();
  SmallVector<int64_t> strides = stridesOf(shape);
  return foldMovement(getType(), adaptor.getOperand(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index);
    for (int64_t dim : getDims())
      source[dim] = shape[dim] - 1 - index[dim];
    return linearIndex(source, strides);
  });
}

//===----------------------------------------------------------------------===//
// Slices and joins
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  RankedTensorType from = getOperand().getType();
  if (from == getType() && from.hasStaticShape())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<SliceOp>()) {
    SmallVector<int64_t> starts, limits, strides;
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      int64_t stride = inner.getStrides()[dim], start = inner.getStarts()[dim], size = getType().getDimSize(dim);
      // Of no elements there is no first one: where it would be may be beyond the operand.
      starts.push_back(size == 0 ? start : start + getStarts()[dim] * stride);
      strides.push_back(size == 0 ? 1 : getStrides()[dim] * stride);
      limits.push_back(size == 0 ? start : starts.back() + (size - 1) * strides.back() + 1);
    }
    setStarts(starts);
    setLimits(limits);
    setStrides(strides);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  SmallVector<int64_t> strides = stridesOf(from.getShape());
  return foldMovement(getType(), adaptor.getOperand(), [&](ArrayRef<int64_t> index) {
    int64_t linear = 0;
    for (auto [dim, i] : llvm::enumerate(index))
      linear += (getStarts()[dim] + i * getStrides()[dim]) * strides[dim];
    return linear;
  });
}

/// A slice of the operand's size can only start at zero.
OpFoldResult DynamicSliceOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() && getType().hasStaticShape() ? OpFoldResult(getOperand()) : nullptr;
}

OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor) {
  if (getUpdate().getType() == getType() && getType().hasStaticShape())
    return getUpdate();
  RankedTensorType update = getUpdate().getType();
  if (update.hasStaticShape() && update.getNumElements() == 0 && getOperand().getType() == getType())
    return getOperand();
  return nullptr;
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && allEqual(getLow(), 0) && allEqual(getHigh(), 0) &&
      allEqual(getInterior(), 0))
    return getOperand();
  auto operand = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getPaddingValue());
  if (operand && value && operand.isSplat() && operand.getNumElements() != 0 &&
      operand.getSplatValue<Attribute>() == value.getSplatValue<Attribute>() && getType().hasStaticShape())
    return value.resizeSplat(getType());
  return nullptr;
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1 && getInputs()[0].getType() == getType())
    return getInputs()[0];
  if (!getType().hasStaticShape() || getType().getNumElements() == 0 || getType().getNumElements() > foldLimit)
    return nullptr;
  SmallVector<Attribute> elements;
  SmallVector<DenseElementsAttr> constants;
  for (Attribute input : adaptor.getInputs()) {
    constants.push_back(dyn_cast_or_null<DenseElementsAttr>(input));
    if (!constants.back() || isa<ComplexType>(constants.back().getElementType()))
      return nullptr;
  }
  // Row-major: for each index of the dimensions before `dim`, a run of each input in turn.
  int64_t outer = 1;
  for (int64_t size : getType().getShape().take_front(getDim()))
    outer *= size;
  for (int64_t row = 0; row < outer; ++row)
    for (DenseElementsAttr constant : constants) {
      int64_t run = constant.getNumElements() / outer;
      auto values = constant.getValues<Attribute>();
      for (int64_t i = 0; i < run; ++i)
        elements.push_back(values[row * run + i]);
    }
  return DenseElementsAttr::get(getType(), elements);
}

/// Both operands constant.
OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  RankedTensorType from = getOperand().getType(), indicesType = getStartIndices().getType();
  auto indices = dyn_cast_or_null<DenseIntElementsAttr>(adaptor.getStartIndices());
  if (!indices || !from.hasStaticShape() || !indicesType.hasStaticShape())
    return nullptr;
  bool indicesAreUnsigned = isUnsigned(indicesType.getElementType());
  int64_t vectorDim = getIndexVectorDim();
  SmallVector<int64_t> strides = stridesOf(from.getShape());
  SmallVector<int64_t> indexStrides = stridesOf(indicesType.getShape());
  auto indexAt = [&](int64_t linear) -> int64_t {
    APInt value = indices.getValues<APInt>()[indices.isSplat() ? 0 : linear];
    return indicesAreUnsigned ? value.getLimitedValue(std::numeric_limits<int64_t>::max()) : value.getSExtValue();
  };
  return foldMovement(getType(), adaptor.getOperand(), [&](ArrayRef<int64_t> index) {
    // The result's index is an index into the start indices without the vector dimension, and an offset.
    SmallVector<int64_t> batch, offset, position(from.getRank(), 0);
    for (auto [dim, i] : llvm::enumerate(index))
      (llvm::is_contained(getOffsetDims(), dim) ? offset : batch).push_back(i);
    if (vectorDim < indicesType.getRank())
      batch.insert(batch.begin() + vectorDim, 0);
    for (auto [part, dim] : llvm::enumerate(getStartIndexMap())) {
      if (vectorDim < indicesType.getRank())
        batch[vectorDim] = part;
      int64_t start = indexAt(linearIndex(batch, indexStrides));
      position[dim] = std::clamp<int64_t>(start, 0, from.getDimSize(dim) - getSliceSizes()[dim]);
    }
    for (auto [dim, indexDim] : llvm::zip(getOperandBatchingDims(), getStartIndicesBatchingDims()))
      position[dim] = batch[indexDim];
    const int64_t *next = offset.begin();
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      if (!llvm::is_contained(getCollapsedSliceDims(), dim) && !llvm::is_contained(getOperandBatchingDims(), dim))
        position[dim] += *next++;
    return linearIndex(position, strides);
  });
}

//===----------------------------------------------------------------------===//
// tg.reduce
//===----------------------------------------------------------------------===//

static APInt combined(Kind kind, const APInt &a, const APInt &b, bool isUnsigned, bool isPredicate) {
  switch (kind) {
  case Kind::add:
    return isPredicate ? a | b : a + b;
  case Kind::mul:
    return a * b;
  case Kind::min:
    return (isUnsigned ? a.ult(b) : a.slt(b)) ? a : b;
  case Kind::max:
    return (isUnsigned ? a.ugt(b) : a.sgt(b)) ? a : b;
  case Kind::and_:
    return a & b;
  case Kind::or_:
    return a | b;
  case Kind::xor_:
    return a ^ b;
  }
  llvm_unreachable("a kind");
}

/// The result of a reduction of equal elements; sums and products of floats depend on the order and are left.
static std::optional<Scalar> reducedSplat(Kind kind, const Scalar &value, int64_t count, Type elementType) {
  if (std::holds_alternative<APFloat>(value))
    return kind == Kind::min || kind == Kind::max ? std::optional<Scalar>(value) : std::nullopt;
  const APInt &x = std::get<APInt>(value);
  bool isPredicate = elementType.isSignlessInteger(1);
  // By repeated squaring, so to say: combine(x, ..., x) of `count` values.
  std::optional<APInt> result;
  APInt power = x;
  for (; count > 0; count >>= 1) {
    if (count & 1)
      result = result ? combined(kind, *result, power, isUnsigned(elementType), isPredicate) : power;
    power = combined(kind, power, power, isUnsigned(elementType), isPredicate);
  }
  if (!result)
    return std::nullopt;
  return Scalar(*result);
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getOperand();
  auto inner = getOperand().getDefiningOp<ReduceOp>();
  if (inner && inner.getKind() == getKind()) {
    // The dimensions here are numbered without those that the inner one reduces.
    SmallVector<int64_t> kept, dims(inner.getDims());
    for (int64_t dim = 0; dim < inner.getOperand().getType().getRank(); ++dim)
      if (!llvm::is_contained(dims, dim))
        kept.push_back(dim);
    for (int64_t dim : getDims())
      dims.push_back(kept[dim]);
    llvm::sort(dims);
    setDims(dims);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  RankedTensorType from = getOperand().getType();
  if (!from.hasStaticShape())
    return nullptr;
  if (from.getEncoding() && llvm::is_contained(getDims(), 0))
    return nullptr; // how many elements there are is known when the model runs (ir/mlir/symbol.h)
  int64_t count = 1;
  for (int64_t dim : getDims())
    count *= from.getDimSize(dim);
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (!constant || !constant.isSplat())
    return nullptr;
  return foldElements(getType(), {adaptor.getOperand()},
                      [&](ArrayRef<Scalar> x) { return reducedSplat(getKind(), x[0], count, from.getElementType()); });
}
