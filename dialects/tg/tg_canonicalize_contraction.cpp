//===- tg_canonicalize_contraction.cpp - identities of reductions and dots ===//
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

//===----------------------------------------------------------------------===//
// tg.reduce
//===----------------------------------------------------------------------===//

/// A reduction over dimensions of size one -> reshape.
struct ReduceOverUnits : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = op.getOperand().getType();
    if (!from.hasStaticShape() || !llvm::all_of(op.getDims(), [&](int64_t dim) { return from.getDimSize(dim) == 1; }))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// reduce(reshape(x)) -> reshape(reduce(x)) where the reshape only adds dimensions of size one.
struct ReduceOfUnitReshape : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto adding = unitAdding(op.getOperand());
    if (!adding)
      return failure();
    SmallVector<int64_t> inverse = inverseOf(*adding), dims, shape;
    for (int64_t dim : op.getDims())
      if (inverse[dim] >= 0)
        dims.push_back(inverse[dim]);
    llvm::sort(dims);
    RankedTensorType from = adding->reshape.getOperand().getType();
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      if (!llvm::is_contained(dims, dim))
        shape.push_back(from.getDimSize(dim));
    Value reduce = ReduceOp::create(rewriter, op.getLoc(), shapedLike(from, shape, !llvm::is_contained(dims, 0)),
                                    adding->reshape.getOperand(), op.getKind(), dims);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), reduce);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// tg.dot
//===----------------------------------------------------------------------===//

/// One operand of a dot, and its dimension numbers.
struct DotSide {
  Value value;
  SmallVector<int64_t> batch, contract;

  RankedTensorType type() const { return cast<RankedTensorType>(value.getType()); }
  bool isFree(int64_t dim) const { return !llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim); }
  SmallVector<int64_t> freeDims() const {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < type().getRank(); ++dim)
      if (isFree(dim))
        dims.push_back(dim);
    return dims;
  }
  /// Replaces each dimension number d by map[d].
  void renumber(ArrayRef<int64_t> map) {
    for (int64_t &dim : batch)
      dim = map[dim];
    for (int64_t &dim : contract)
      dim = map[dim];
  }
};

DotSide lhsOf(DotOp op) {
  return {op.getLhs(), llvm::to_vector(op.getLhsBatch()), llvm::to_vector(op.getLhsContract())};
}
DotSide rhsOf(DotOp op) {
  return {op.getRhs(), llvm::to_vector(op.getRhsBatch()), llvm::to_vector(op.getRhsContract())};
}

/// `like` has the precision.
Value createDot(PatternRewriter &rewriter, DotOp like, RankedTensorType type, const DotSide &lhs, const DotSide &rhs) {
  return DotOp::create(rewriter, like.getLoc(), type, lhs.value, rhs.value, lhs.batch, rhs.batch, lhs.contract,
                       rhs.contract, like.getPrecisionAttr());
}

/// dot(transpose(x), y) -> dot(x, y) with other dimension numbers, as long as the result's dimensions keep their order:
/// no operand of a dot is transposed in memory.
struct DotOfTranspose : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool absorb(DotSide &side) {
    auto transpose = side.value.getDefiningOp<TransposeOp>();
    if (!transpose)
      return false;
    SmallVector<int64_t> free;
    for (int64_t dim : side.freeDims())
      free.push_back(transpose.getPermutation()[dim]);
    if (!llvm::is_sorted(free))
      return false;
    side.renumber(transpose.getPermutation());
    side.value = transpose.getOperand();
    return true;
  }

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    DotSide lhs = lhsOf(op), rhs = rhsOf(op);
    bool changedLhs = absorb(lhs), changedRhs = absorb(rhs);
    if (!changedLhs && !changedRhs)
      return failure();
    rewriter.replaceOp(op, createDot(rewriter, op, op.getType(), lhs, rhs));
    return success();
  }
};

/// dot(reshape(x), y) -> reshape(dot(x, y)) where the reshape only adds free dimensions of size one.
struct DotOfUnitReshape : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Takes the reshape away if the dimensions that it adds are free.
  static bool absorb(DotSide &side) {
    auto adding = unitAdding(side.value);
    if (!adding)
      return false;
    SmallVector<int64_t> inverse = inverseOf(*adding);
    for (auto [dim, source] : llvm::enumerate(inverse))
      if (source < 0 && !side.isFree(dim))
        return false;
    side.renumber(inverse);
    side.value = adding->reshape.getOperand();
    return true;
  }

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().hasStaticShape())
      return failure();
    DotSide lhs = lhsOf(op), rhs = rhsOf(op);
    bool changedLhs = absorb(lhs), changedRhs = absorb(rhs);
    if (!changedLhs && !changedRhs)
      return failure();
    SmallVector<int64_t> shape;
    for (int64_t dim : lhs.batch)
      shape.push_back(lhs.type().getDimSize(dim));
    for (const DotSide &side : {lhs, rhs})
      for (int64_t dim : side.freeDims())
        shape.push_back(side.type().getDimSize(dim));
    // Dimensions of size one go: the outermost one that has a symbol stays outermost.
    auto type = RankedTensorType::get(shape, op.getType().getElementType(), op.getType().getEncoding());
    Value dot = createDot(rewriter, op, type, lhs, rhs);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), dot);
    return success();
  }
};

/// transpose(dot(x, y)) -> dot(y, x) where the transpose exchanges the free dimensions of the two.
struct TransposeOfDot : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<DotOp>();
    if (!dot || !dot->hasOneUse())
      return failure();
    DotSide lhs = lhsOf(dot), rhs = rhsOf(dot);
    int64_t batch = lhs.batch.size(), lhsFree = lhs.freeDims().size(), rank = op.getType().getRank();
    SmallVector<int64_t> exchange;
    for (int64_t dim = 0; dim < batch; ++dim)
      exchange.push_back(dim);
    for (int64_t dim = batch + lhsFree; dim < rank; ++dim)
      exchange.push_back(dim);
    for (int64_t dim = batch; dim < batch + lhsFree; ++dim)
      exchange.push_back(dim);
    if (op.getPermutation() != ArrayRef(exchange))
      return failure();
    rewriter.replaceOp(op, createDot(rewriter, dot, op.getType(), rhs, lhs));
    return success();
  }
};

} // namespace

void tg::addTransposeOfDot(RewritePatternSet &patterns) { tg::addPatterns<TransposeOfDot>(patterns); }
void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<ReduceOverUnits, ReduceOfUnitReshape>(patterns);
  addReduceOfBroadcast(patterns);
}
void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<DotOfTranspose, DotOfUnitReshape>(patterns);
}
