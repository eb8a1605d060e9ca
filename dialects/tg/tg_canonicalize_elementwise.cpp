//===- tg_canonicalize_elementwise.cpp - arithmetic identities -----------===//
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

/// x / 2^n -> x * 2^-n: exact, and a multiplication is cheaper.
struct DivByPowerOfTwo : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    std::optional<APFloat> divisor = splatFloat(constantOf(op.getRhs()));
    APFloat inverse(0.0f);
    if (!divisor || APFloat::semanticsSizeInBits(divisor->getSemantics()) < 16 || !divisor->getExactInverse(&inverse))
      return failure();
    auto factor =
        ConstantOp::create(rewriter, op.getRhs().getLoc(), op.getType(), DenseElementsAttr::get(op.getType(), inverse));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), factor);
    return success();
  }
};

/// pow(x, 2) -> x * x.
struct PowTwo : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    Attribute exponent = constantOf(op.getRhs());
    std::optional<APFloat> value = splatFloat(exponent);
    if (!isSplatInt(exponent, 2) && !(value && value->isExactlyValue(2.0)))
      return failure();
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), op.getLhs());
    return success();
  }
};

/// select(not p, a, b) -> select(p, b, a).
struct SelectOfNot : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto inverse = op.getPred().getDefiningOp<NotOp>();
    if (!inverse)
      return failure();
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), inverse.getOperand(), op.getOnFalse(), op.getOnTrue());
    return success();
  }
};

/// not(compare(x, y)) -> the opposite comparison, where NaN does not make both false.
struct NotOfCompare : OpRewritePattern<NotOp> {
  using OpRewritePattern::OpRewritePattern;

  static Direction opposite(Direction direction) {
    switch (direction) {
    case Direction::eq:
      return Direction::ne;
    case Direction::ne:
      return Direction::eq;
    case Direction::lt:
      return Direction::ge;
    case Direction::ge:
      return Direction::lt;
    case Direction::gt:
      return Direction::le;
    case Direction::le:
      return Direction::gt;
    }
    llvm_unreachable("a direction");
  }

  LogicalResult matchAndRewrite(NotOp op, PatternRewriter &rewriter) const override {
    auto compare = op.getOperand().getDefiningOp<CompareOp>();
    if (!compare || !compare->hasOneUse())
      return failure();
    bool isTotal = isa<IntegerType>(compare.getLhs().getType().getElementType()) || compare.getTotalOrder();
    Direction direction = compare.getDirection();
    if (!isTotal && direction != Direction::eq && direction != Direction::ne)
      return failure();
    rewriter.replaceOpWithNewOp<CompareOp>(op, op.getType(), compare.getLhs(), compare.getRhs(), opposite(direction),
                                           compare.getTotalOrder());
    return success();
  }
};

/// Whether every value of `from` is one of `to`.
bool isLossless(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat) {
    if (fromFloat.getWidth() < 16 || toFloat.getWidth() < 16)
      return false;
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(), toFloat.getFloatSemantics());
  }
  auto fromInteger = dyn_cast<IntegerType>(from), toInteger = dyn_cast<IntegerType>(to);
  if (!fromInteger || toInteger == nullptr || toInteger.getWidth() == 1)
    return false;
  if (isUnsigned(from) == isUnsigned(to))
    return fromInteger.getWidth() <= toInteger.getWidth();
  return isUnsigned(from) && fromInteger.getWidth() < toInteger.getWidth();
}

/// convert(convert(x)) -> convert(x) where the first one loses nothing.
struct ConvertOfLossless : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ConvertOp>();
    if (!inner || !isLossless(inner.getOperand().getType().getElementType(), inner.getType().getElementType()))
      return failure();
    rewriter.replaceOpWithNewOp<ConvertOp>(op, op.getType(), inner.getOperand());
    return success();
  }
};

/// convert(transpose(f(x))) -> transpose(convert(f(x))) where fewer bytes are moved then: threads exchange converted
/// elements. (A library transposes its operands and results itself.)
struct ConvertOfTranspose : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
    auto isDot = [](Operation *user) { return isa<DotOp>(user); };
    if (!transpose || !transpose->hasOneUse() || llvm::any_of(op->getUsers(), isDot))
      return failure();
    Value moved = transpose.getOperand();
    auto from = cast<RankedTensorType>(moved.getType());
    Type element = op.getType().getElementType();
    auto isNarrower = [](Type to, Type wide) {
      return to.isIntOrFloat() && wide.isIntOrFloat() && to.getIntOrFloatBitWidth() < wide.getIntOrFloatBitWidth();
    };
    Operation *definer = moved.getDefiningOp();
    if (!definer || !definer->hasTrait<OpTrait::Elementwise>() || !isNarrower(element, from.getElementType()))
      return failure();
    Value narrow = ConvertOp::create(rewriter, op.getLoc(), from.clone(element), moved);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), narrow, transpose.getPermutation());
    return success();
  }
};

} // namespace

void NotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<NotOfCompare>(patterns);
}
void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<DivByPowerOfTwo>(patterns);
  addQuotientOfNegation(patterns);
}
void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<PowTwo>(patterns);
}
void SelectOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<SelectOfNot>(patterns);
}
void ConvertOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<ConvertOfLossless, ConvertOfTranspose>(patterns);
}
