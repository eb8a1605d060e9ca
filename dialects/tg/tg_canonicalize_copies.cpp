//===- tg_canonicalize_copies.cpp - identities of copied elements --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends copy more than is read: windows of padded tensors, parts of joined, repeated or reversed ones, sums of an
// element that is repeated. Slices move towards the inputs, so that only the elements that are read are copied.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"
#include "dialects/tg/tg_fold.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tg;

namespace {

/// Sizes that are known when the model is compiled.
bool isFixed(RankedTensorType type) { return type.hasStaticShape() && !type.getEncoding(); }

/// The last index that a slice has of a dimension.
int64_t lastOf(SliceOp slice, int64_t dim) {
  return slice.getStarts()[dim] + (slice.getType().getDimSize(dim) - 1) * slice.getStrides()[dim];
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// slice(pad(x, v)) -> slice(x) where it has none of the padding, broadcast(v) where it has nothing else.
struct SliceOfPad : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getOperand().getDefiningOp<PadOp>();
    if (!pad || !isFixed(pad.getType()) || !isFixed(pad.getOperand().getType()) || op.getType().getNumElements() == 0 ||
        !llvm::all_of(pad.getInterior(), [](int64_t between) { return between == 0; }))
      return failure();
    SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
    bool isInside = true, isOutside = false;
    for (int64_t dim = 0, rank = op.getType().getRank(); dim < rank; ++dim) {
      int64_t low = pad.getLow()[dim], end = low + pad.getOperand().getType().getDimSize(dim);
      int64_t first = op.getStarts()[dim], last = lastOf(op, dim);
      isInside &= first >= low && last < end;
      isOutside |= last < low || first >= end;
      starts[dim] = first - low;
      limits[dim] = last - low + 1;
    }
    if (isInside)
      rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), pad.getOperand(), starts, limits, op.getStrides());
    else if (isOutside)
      rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), pad.getPaddingValue(), ArrayRef<int64_t>{});
    return success(isInside || isOutside);
  }
};

/// slice(broadcast(x)) -> broadcast(slice(x)).
struct SliceOfBroadcast : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!broadcast || !isFixed(broadcast.getType()) || !isFixed(broadcast.getOperand().getType()))
      return failure();
    RankedTensorType from = broadcast.getOperand().getType();
    SmallVector<int64_t> starts, limits, strides, shape;
    for (auto [dim, to] : llvm::enumerate(broadcast.getDims())) {
      bool isRepeated = from.getDimSize(dim) != broadcast.getType().getDimSize(to);
      starts.push_back(isRepeated ? 0 : op.getStarts()[to]);
      limits.push_back(isRepeated ? 1 : op.getLimits()[to]);
      strides.push_back(isRepeated ? 1 : op.getStrides()[to]);
      shape.push_back(isRepeated ? 1 : op.getType().getDimSize(to));
    }
    Value slice = rewriter.createOrFold<SliceOp>(op.getLoc(), shapedLike(from, shape, false), broadcast.getOperand(),
                                                 starts, limits, strides);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), slice, broadcast.getDims());
    return success();
  }
};

/// slice(reverse(x)) -> reverse(slice(x)).
struct SliceOfReverse : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto reverse = op.getOperand().getDefiningOp<ReverseOp>();
    if (!reverse || !isFixed(reverse.getType()) || op.getType().getNumElements() == 0)
      return failure();
    SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
    for (int64_t dim : reverse.getDims()) {
      int64_t size = reverse.getType().getDimSize(dim);
      starts[dim] = size - 1 - lastOf(op, dim);
      limits[dim] = size - op.getStarts()[dim];
    }
    Value slice =
        SliceOp::create(rewriter, op.getLoc(), op.getType(), reverse.getOperand(), starts, limits, op.getStrides());
    rewriter.replaceOpWithNewOp<ReverseOp>(op, op.getType(), slice, reverse.getDims());
    return success();
  }
};

/// A slice of a concatenation that nothing else reads -> the same of the inputs that it has elements of.
struct SliceOfSeveral : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto concatenate = op.getOperand().getDefiningOp<ConcatenateOp>();
    if (!concatenate || !concatenate->hasOneUse() || !isFixed(concatenate.getType()) ||
        op.getType().getNumElements() == 0)
      return failure();
    int64_t dim = concatenate.getDim(), offset = 0, first = op.getStarts()[dim], last = lastOf(op, dim), before = 0;
    SmallVector<Value> inputs;
    SmallVector<int64_t> shape(concatenate.getType().getShape());
    shape[dim] = 0;
    for (Value input : concatenate.getInputs()) {
      int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim), end = offset + size;
      if (end <= first)
        before = end;
      else if (offset <= last) {
        inputs.push_back(input);
        shape[dim] += size;
      }
      offset = end;
    }
    if (inputs.size() == concatenate.getInputs().size())
      return failure();
    SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
    starts[dim] -= before;
    limits[dim] = last + 1 - before;
    Value joined =
        ConcatenateOp::create(rewriter, op.getLoc(), shapedLike(concatenate.getType(), shape, false), inputs, dim);
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), joined, starts, limits, op.getStrides());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

bool padsAround(PadOp pad) {
  auto isZero = [](int64_t count) { return count == 0; };
  auto isPositive = [](int64_t count) { return count >= 0; };
  return isFixed(pad.getType()) && isFixed(pad.getOperand().getType()) && llvm::all_of(pad.getInterior(), isZero) &&
         llvm::all_of(pad.getLow(), isPositive) && llvm::all_of(pad.getHigh(), isPositive);
}

/// pad(pad(x, v), v) -> pad(x, v).
struct PadOfPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PadOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<PadOp>();
    if (!inner || inner.getPaddingValue() != op.getPaddingValue() || !padsAround(op) || !padsAround(inner))
      return failure();
    SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
    for (size_t dim = 0; dim < low.size(); ++dim) {
      low[dim] += inner.getLow()[dim];
      high[dim] += inner.getHigh()[dim];
    }
    rewriter.replaceOpWithNewOp<PadOp>(op, op.getType(), inner.getOperand(), op.getPaddingValue(), low, high,
                                       op.getInterior());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `count` as a number of a type that has it exactly: a product with it is rounded once, a sum of equal terms more
/// often.
Attribute exactCount(Type type, int64_t count) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerAttr::get(type, APInt(64, count).trunc(integer.getWidth()));
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return nullptr;
  APFloat number(cast<FloatType>(type).getFloatSemantics());
  bool isExact = number.convertFromAPInt(APInt(64, count), true, APFloat::rmNearestTiesToEven) == APFloat::opOK;
  return isExact ? FloatAttr::get(type, number) : nullptr;
}

/// reduce(broadcast(x)) along the broadcast's new dimensions -> x, `count` times: itself where the reduction is a
/// choice, a product where it is a sum.
struct ReduceOfBroadcast : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!broadcast || !isFixed(broadcast.getType()) || !isFixed(broadcast.getOperand().getType()) ||
        op.getType().getNumElements() == 0)
      return failure();
    int64_t count = 1;
    SmallVector<int64_t> left;
    for (int64_t dim : op.getDims())
      if (llvm::is_contained(broadcast.getDims(), dim))
        left.push_back(dim);
      else
        count *= broadcast.getType().getDimSize(dim);
    if (left.size() == op.getDims().size() || count == 0)
      return failure();
    Value repeated = repeat(op, count, rewriter, broadcast);
    if (!repeated)
      return failure();
    reduceRest(op, repeated, broadcast, left, rewriter);
    return success();
  }

  /// The reduction of `count` equal elements; null if that is not known.
  static Value repeat(ReduceOp op, int64_t count, PatternRewriter &rewriter, BroadcastOp broadcast) {
    Value x = broadcast.getOperand();
    auto type = cast<RankedTensorType>(x.getType());
    auto integer = dyn_cast<IntegerType>(type.getElementType());
    bool isChoice = op.getKind() == Kind::min || op.getKind() == Kind::max || op.getKind() == Kind::and_ ||
                    op.getKind() == Kind::or_ || (op.getKind() == Kind::add && integer && integer.getWidth() == 1);
    if (isChoice)
      return x;
    Attribute number = op.getKind() == Kind::add ? exactCount(type.getElementType(), count) : Attribute();
    if (!number)
      return nullptr;
    Value factor = ConstantOp::create(rewriter, op.getLoc(), type, DenseElementsAttr::get(type, number));
    return MulOp::create(rewriter, op.getLoc(), type, x, factor);
  }

  /// The other dimensions, in a broadcast without those that are gone.
  static void reduceRest(ReduceOp op, Value x, BroadcastOp broadcast, ArrayRef<int64_t> left,
                         PatternRewriter &rewriter) {
    RankedTensorType type = broadcast.getType();
    SmallVector<int64_t> place(type.getRank(), -1), shape, dims, rest;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(op.getDims(), dim) || llvm::is_contained(left, dim)) {
        place[dim] = shape.size();
        shape.push_back(type.getDimSize(dim));
      }
    for (int64_t dim : broadcast.getDims())
      dims.push_back(place[dim]);
    for (int64_t dim : left)
      rest.push_back(place[dim]);
    Value smaller = rewriter.createOrFold<BroadcastOp>(op.getLoc(), shapedLike(type, shape, false), x, dims);
    if (rest.empty())
      rewriter.replaceOp(op, smaller);
    else
      rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getType(), smaller, op.getKind(), rest);
  }
};

} // namespace

void tg::addCopiesOfSlices(RewritePatternSet &patterns) {
  tg::addPatterns<SliceOfPad, SliceOfBroadcast, SliceOfReverse, SliceOfSeveral>(patterns);
}

void tg::addReduceOfBroadcast(RewritePatternSet &patterns) { tg::addPatterns<ReduceOfBroadcast>(patterns); }

void PadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<PadOfPad>(patterns);
}
