//===- tg_canonicalize.cpp - identities that make new operations ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations have the least rank. A reshape that only adds dimensions of size one moves towards the outputs, one that
// only removes such dimensions towards the inputs, until they meet or end in a broadcast. Transposes disappear into
// broadcasts and into the dimension numbers of dots. No pattern undoes another, so they end.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"
#include "dialects/tg/tg_fold.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tg;

namespace {

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// f(reshape(x), c) -> reshape(f(x, c)) for elementwise f, constants c whose elements are equal, and a reshape that
/// only adds dimensions of size one.
struct ElementwiseOfUnitReshape : OpTraitRewritePattern<OpTrait::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getName().getDialectNamespace() != TGDialect::getDialectNamespace() || op->getNumResults() != 1)
      return failure();
    ReshapeOp first;
    for (Value operand : op->getOperands())
      if (auto reshape = operand.getDefiningOp<ReshapeOp>())
        first = reshape;
    if (!first || !unitAdding(first.getResult()))
      return failure();
    RankedTensorType like = first.getOperand().getType();
    for (Value operand : op->getOperands())
      if (!source(operand, like.getShape()))
        return failure();

    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(sourceValue(operand, like, rewriter));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto inner = withElementType(like, type.getElementType());
    OperationState state(op->getLoc(), op->getName(), operands, {inner}, op->getAttrs());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, rewriter.create(state)->getResult(0));
    return success();
  }

  /// Whether `operand` is a reshape from `shape` or a constant that has any shape.
  static bool source(Value operand, ArrayRef<int64_t> shape) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>())
      return reshape.getOperand().getType().getShape() == shape;
    auto constant = dyn_cast_or_null<DenseElementsAttr>(constantOf(operand));
    return constant && constant.isSplat();
  }

  static Value sourceValue(Value operand, RankedTensorType like, PatternRewriter &rewriter) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>())
      return reshape.getOperand();
    auto constant = cast<DenseElementsAttr>(constantOf(operand));
    auto type = withElementType(like, constant.getElementType());
    return ConstantOp::create(rewriter, operand.getLoc(), type, constant.resizeSplat(type));
  }
};

//===----------------------------------------------------------------------===//
// Broadcast, transpose, reshape
//===----------------------------------------------------------------------===//

/// A broadcast that only adds dimensions of size one -> reshape.
struct BroadcastToReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = op.getOperand().getType(), to = op.getType();
    if (!from.hasStaticShape() || !to.hasStaticShape() || from.getNumElements() != to.getNumElements() ||
        to.getNumElements() == 0)
      return failure();
    // Dimensions that are larger than one must keep their order.
    int64_t last = -1;
    for (auto [dim, resultDim] : llvm::enumerate(op.getDims())) {
      if (from.getDimSize(dim) == 1)
        continue;
      if (resultDim < last)
        return failure();
      last = resultDim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, to, op.getOperand());
    return success();
  }
};

/// broadcast(reshape(x)) -> broadcast(x) where the reshape only adds dimensions of size one.
struct BroadcastOfReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto adding = unitAdding(op.getOperand());
    if (!adding)
      return failure();
    SmallVector<int64_t> dims;
    for (int64_t dim : adding->map)
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), adding->reshape.getOperand(), dims);
    return success();
  }
};

/// transpose(broadcast(x)) -> broadcast(x).
struct TransposeOfBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    SmallVector<int64_t> inverse(op.getPermutation().size()), dims;
    for (auto [resultDim, dim] : llvm::enumerate(op.getPermutation()))
      inverse[dim] = resultDim;
    for (int64_t dim : broadcast.getDims())
      dims.push_back(inverse[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getOperand(), dims);
    return success();
  }
};

/// A transpose that only moves dimensions of size one -> reshape.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = op.getOperand().getType();
    if (!from.hasStaticShape())
      return failure();
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (from.getDimSize(dim) == 1)
        continue;
      if (dim < last)
        return failure();
      last = dim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// reshape(broadcast(x)) -> broadcast(reshape(x)) where the reshape only adds or removes dimensions of size one.
struct ReshapeOfBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!broadcast || !broadcast.getOperand().getType().hasStaticShape())
      return failure();
    auto map = unitReshape(broadcast.getType(), op.getType());
    if (!map)
      return failure();
    RankedTensorType from = broadcast.getOperand().getType();
    SmallVector<int64_t> shape, dims;
    for (auto [dim, resultDim] : llvm::enumerate(broadcast.getDims())) {
      if ((*map)[resultDim] < 0)
        continue;
      shape.push_back(from.getDimSize(dim));
      dims.push_back((*map)[resultDim]);
    }
    Value source = broadcast.getOperand();
    // A dimension with a symbol is larger than one and therefore kept.
    if (shape.size() != broadcast.getDims().size())
      source = ReshapeOp::create(rewriter, op.getLoc(), shapedLike(from, shape, /*keepsOutermost=*/true), source);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), source, dims);
    return success();
  }
};

/// transpose(reshape(x)) -> reshape(transpose(reshape'(x))), where reshape' adds no dimensions of size one.
struct TransposeOfUnitReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!reshape || !reshape.getType().hasStaticShape())
      return failure();
    SmallVector<int64_t> keptIndex = keptDims(reshape);
    RankedTensorType between = reshape.getType();
    SmallVector<int64_t> shape, permutation, permuted;
    for (int64_t dim = 0; dim < between.getRank(); ++dim)
      if (keptIndex[dim] >= 0)
        shape.push_back(between.getDimSize(dim));
    if (static_cast<int64_t>(shape.size()) == between.getRank())
      return failure();
    for (int64_t dim : op.getPermutation()) {
      if (keptIndex[dim] < 0)
        continue;
      permutation.push_back(keptIndex[dim]);
      permuted.push_back(between.getDimSize(dim));
    }
    bool keepsOutermost = !permutation.empty() && permutation[0] == 0;
    Value source = rewriter.createOrFold<ReshapeOp>(op.getLoc(), shapedLike(between, shape, /*keepsOutermost=*/true),
                                                    reshape.getOperand());
    Value transpose =
        TransposeOp::create(rewriter, op.getLoc(), shapedLike(between, permuted, keepsOutermost), source, permutation);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), transpose);
    return success();
  }

  /// The position of each dimension among those that the reshape does not add; -1 for those of size one that it adds,
  /// or that it cannot be told from.
  static SmallVector<int64_t> keptDims(ReshapeOp reshape) {
    if (auto adding = unitAdding(reshape.getResult()))
      return inverseOf(*adding);
    SmallVector<int64_t> kept;
    int64_t next = 0;
    for (int64_t size : reshape.getType().getShape())
      kept.push_back(size == 1 ? -1 : next++);
    return kept;
  }
};

/// reshape(transpose(x)) -> transpose(reshape(x)) where the reshape only removes dimensions of size one.
struct UnitReshapeOfTranspose : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
    if (!transpose || op.getType().getRank() >= transpose.getType().getRank())
      return failure();
    auto map = unitReshape(transpose.getType(), op.getType());
    // As many dimensions stay as the result has, so none is added.
    if (!map || llvm::count_if(*map, [](int64_t dim) { return dim >= 0; }) != op.getType().getRank())
      return failure();
    RankedTensorType from = transpose.getOperand().getType();
    SmallVector<int64_t> keptBelow(from.getRank() + 1, 0), shape, permutation;
    SmallVector<bool> kept(from.getRank(), false);
    for (auto [resultDim, dim] : llvm::enumerate(transpose.getPermutation()))
      kept[dim] = (*map)[resultDim] >= 0;
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      keptBelow[dim + 1] = keptBelow[dim] + kept[dim];
      if (kept[dim])
        shape.push_back(from.getDimSize(dim));
    }
    for (int64_t dim : transpose.getPermutation())
      if (kept[dim])
        permutation.push_back(keptBelow[dim]);
    Value source = ReshapeOp::create(rewriter, op.getLoc(), shapedLike(from, shape, /*keepsOutermost=*/true),
                                     transpose.getOperand());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), source, permutation);
    return success();
  }
};

} // namespace

void TGDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  tg::addPatterns<ElementwiseOfUnitReshape>(patterns);
  addElementwiseOfTransposes(patterns);
}
void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<BroadcastToReshape, BroadcastOfReshape>(patterns);
}
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<ReshapeOfBroadcast, UnitReshapeOfTranspose>(patterns);
}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<TransposeOfBroadcast, TransposeToReshape, TransposeOfUnitReshape>(patterns);
  addTransposeOfDot(patterns);
  addTransposeOfElementwise(patterns);
}
