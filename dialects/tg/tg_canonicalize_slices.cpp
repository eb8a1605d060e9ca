//===- tg_canonicalize_slices.cpp - identities of slices, joins and iota -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"
#include "dialects/tg/tg_fold.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tg;

namespace {

/// Start indices that are constant: dynamic_slice -> slice.
struct DynamicSliceToSlice : OpRewritePattern<DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DynamicSliceOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOperand().getType();
    if (!type.hasStaticShape())
      return failure();
    SmallVector<int64_t> starts, limits, strides(type.getRank(), 1);
    for (auto [dim, index] : llvm::enumerate(op.getStartIndices())) {
      std::optional<APInt> value = splatInt(constantOf(index));
      if (!value)
        return failure();
      APInt largest(64, type.getDimSize(dim) - op.getSizes()[dim]);
      bool isNegative = !isUnsigned(typeElement(index)) && value->isNegative();
      APInt start = isNegative ? APInt(64, 0) : llvm::APIntOps::umin(value->zext(64), largest);
      starts.push_back(start.getZExtValue());
      limits.push_back(starts.back() + op.getSizes()[dim]);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), op.getOperand(), starts, limits, strides);
    return success();
  }

  static Type typeElement(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
};

/// A gather of one window -> dynamic_slice. Both move it inside.
struct GatherToDynamicSlice : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOperand().getType(), indices = op.getStartIndices().getType();
    int64_t parts = op.getStartIndexMap().size(), rank = type.getRank();
    if (!type.hasStaticShape() || !indices.hasStaticShape() || indices.getNumElements() != parts || !parts)
      return failure();
    SmallVector<Value> starts(rank);
    for (auto [part, dim] : llvm::enumerate(op.getStartIndexMap()))
      starts[dim] = startIndex(rewriter, op, part);
    auto zero = DenseElementsAttr::get(scalarOf(indices), rewriter.getZeroAttr(indices.getElementType()));
    for (Value &start : starts)
      if (!start)
        start = ConstantOp::create(rewriter, op.getLoc(), scalarOf(indices), zero);
    ArrayRef<int64_t> sizes = op.getSliceSizes();
    bool isWhole = rank > 0 && sizes[0] == type.getDimSize(0);
    Value slice =
        DynamicSliceOp::create(rewriter, op.getLoc(), shapedLike(type, sizes, isWhole), op.getOperand(), starts, sizes);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice);
    return success();
  }

  static RankedTensorType scalarOf(RankedTensorType type) { return RankedTensorType::get({}, type.getElementType()); }

  /// One part of the only index vector.
  static Value startIndex(PatternRewriter &rewriter, GatherOp op, int64_t part) {
    RankedTensorType type = op.getStartIndices().getType();
    RankedTensorType flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
    Value vector = rewriter.createOrFold<ReshapeOp>(op.getLoc(), flat, op.getStartIndices());
    Value one =
        rewriter.createOrFold<SliceOp>(op.getLoc(), RankedTensorType::get({1}, type.getElementType()), vector,
                                       ArrayRef<int64_t>{part}, ArrayRef<int64_t>{part + 1}, ArrayRef<int64_t>{1});
    return rewriter.createOrFold<ReshapeOp>(op.getLoc(), scalarOf(type), one);
  }
};

/// A slice that lies within one input of a concatenation -> a slice of that input.
struct SliceOfConcatenate : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto concatenate = op.getOperand().getDefiningOp<ConcatenateOp>();
    if (!concatenate || !concatenate.getType().hasStaticShape())
      return failure();
    int64_t dim = concatenate.getDim(), offset = 0;
    for (Value input : concatenate.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      if (!type.hasStaticShape())
        return failure();
      int64_t end = offset + type.getDimSize(dim);
      if (op.getStarts()[dim] >= offset && op.getLimits()[dim] <= end) {
        SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
        starts[dim] -= offset;
        limits[dim] -= offset;
        rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), input, starts, limits, op.getStrides());
        return success();
      }
      offset = end;
    }
    return failure();
  }
};

/// Inputs without elements go.
struct ConcatenateOfEmpty : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatenateOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs())
      if (cast<RankedTensorType>(input.getType()).getDimSize(op.getDim()) != 0)
        inputs.push_back(input);
    if (inputs.empty() || inputs.size() == op.getInputs().size())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};

/// Whether slice `b` begins where `a` ends along `dim`, in the same tensor, and is the same in all other dimensions.
bool isFollowedBy(SliceOp a, SliceOp b, int64_t dim) {
  if (a.getOperand() != b.getOperand() || a.getStrides() != b.getStrides() || a.getStrides()[dim] != 1 ||
      a.getLimits()[dim] != b.getStarts()[dim])
    return false;
  for (int64_t i = 0, rank = a.getType().getRank(); i < rank; ++i)
    if (i != dim && (a.getStarts()[i] != b.getStarts()[i] || a.getLimits()[i] != b.getLimits()[i]))
      return false;
  return true;
}

/// Neighbouring slices of one tensor, next to each other, are one slice: such slices remain where steps of a recurrence
/// stack outputs one by one.
struct ConcatenateOfSlices : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatenateOp op, PatternRewriter &rewriter) const override {
    int64_t dim = op.getDim();
    SmallVector<Value> inputs;
    bool changed = op.getType().hasStaticShape() && reverse(op, rewriter);
    if (changed)
      return success();
    for (size_t first = 0, next = 1; first < op.getInputs().size(); first = next++) {
      while (next < op.getInputs().size() && follows(op, next - 1, next, dim))
        ++next;
      changed |= next > first + 1;
      inputs.push_back(next == first + 1 ? op.getInputs()[first] : join(op, first, next - 1, rewriter));
    }
    if (!changed || !op.getType().hasStaticShape())
      return failure();
    rewriter.replaceOpWithNewOp<ConcatenateOp>(op, op.getType(), inputs, dim);
    return success();
  }

  static SliceOp sliceAt(ConcatenateOp op, size_t i) { return op.getInputs()[i].getDefiningOp<SliceOp>(); }
  static bool follows(ConcatenateOp op, size_t a, size_t b, int64_t dim) {
    return sliceAt(op, a) && sliceAt(op, b) && sliceAt(op, a).getType().hasStaticShape() &&
           isFollowedBy(sliceAt(op, a), sliceAt(op, b), dim);
  }

  static Value join(ConcatenateOp op, size_t first, size_t last, PatternRewriter &rewriter) {
    SliceOp begin = sliceAt(op, first), end = sliceAt(op, last);
    SmallVector<int64_t> limits(begin.getLimits()), shape(begin.getType().getShape());
    limits[op.getDim()] = end.getLimits()[op.getDim()];
    shape[op.getDim()] = limits[op.getDim()] - begin.getStarts()[op.getDim()];
    return rewriter.createOrFold<SliceOp>(op.getLoc(), shapedLike(begin.getType(), shape, false), begin.getOperand(),
                                          begin.getStarts(), limits, begin.getStrides());
  }

  /// Slices of one element, the last one first, are a slice in reverse.
  static bool reverse(ConcatenateOp op, PatternRewriter &rewriter) {
    int64_t dim = op.getDim();
    size_t count = op.getInputs().size();
    for (size_t i = 0; i + 1 < count; ++i)
      if (!follows(op, i + 1, i, dim) || sliceAt(op, i).getType().getDimSize(dim) != 1)
        return false;
    if (count < 2 || sliceAt(op, count - 1).getType().getDimSize(dim) != 1)
      return false;
    Value slice = join(op, count - 1, 0, rewriter);
    rewriter.replaceOpWithNewOp<ReverseOp>(op, op.getType(), slice, rewriter.getDenseI64ArrayAttr({dim}));
    return true;
  }
};

/// An iota of several dimensions -> a broadcast of a vector, which is computed once.
struct IotaToVector : OpRewritePattern<IotaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IotaOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    if (type.getRank() == 1)
      return failure();
    int64_t dim = op.getDim();
    RankedTensorType vector = shapedLike(type, {type.getDimSize(dim)}, dim == 0);
    Value iota = IotaOp::create(rewriter, op.getLoc(), vector, 0);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, iota, ArrayRef<int64_t>{dim});
    return success();
  }
};

} // namespace

void IotaOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<IotaToVector>(patterns);
}
void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<SliceOfConcatenate>(patterns);
  addCopiesOfSlices(patterns);
}
void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<GatherToDynamicSlice>(patterns);
}
void DynamicSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<DynamicSliceToSlice>(patterns);
}
void ConcatenateOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<ConcatenateOfEmpty, ConcatenateOfSlices>(patterns);
}
