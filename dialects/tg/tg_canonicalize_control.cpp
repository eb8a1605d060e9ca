//===- tg_canonicalize_control.cpp - loops and branches ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tg;

namespace {

/// The element of a constant scalar integer.
static std::optional<APInt> constantScalar(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>();
}

/// Replaces `op` by the results of the only block of `region`.
static void inlineRegion(PatternRewriter &rewriter, Operation *op, Region &region) {
  Block *block = &region.front();
  Operation *yield = block->getTerminator();
  ValueRange values = yield->getOperands();
  rewriter.inlineBlockBefore(block, op);
  rewriter.replaceOp(op, values);
  rewriter.eraseOp(yield);
}

/// if (constant) a else b
struct IfOfConstant : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    std::optional<APInt> pred = constantScalar(op.getPred());
    if (!pred)
      return failure();
    inlineRegion(rewriter, op, pred->isZero() ? op.getOnFalse() : op.getOnTrue());
    return success();
  }
};

/// A case of a constant, or with one branch only; an index that is out of range takes the last branch.
struct CaseOfConstant : OpRewritePattern<CaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CaseOp op, PatternRewriter &rewriter) const override {
    size_t last = op.getBranches().size() - 1;
    std::optional<APInt> index = constantScalar(op.getIndex());
    if (!index && last != 0)
      return failure();
    bool inRange = index && !index->isNegative() && index->ult(last);
    inlineRegion(rewriter, op, op.getBranches()[inRange ? index->getZExtValue() : last]);
    return success();
  }
};

/// A value that no iteration changes is the same inside and outside of the loop, and one without readers need not be
/// loop-carried.
struct WhileOfUnchanged : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op, PatternRewriter &rewriter) const override {
    Block &condition = op.getCondition().front(), &body = op.getBody().front();
    Operation *yield = body.getTerminator();
    llvm::BitVector dropped(op.getNumOperands());
    for (unsigned i = 0; i < op.getNumOperands(); ++i) {
      Value init = op.getInits()[i], next = yield->getOperand(i);
      bool isUnchanged = next == body.getArgument(i) || next == init;
      bool isUnread =
          op.getResult(i).use_empty() && condition.getArgument(i).use_empty() && body.getArgument(i).use_empty();
      if (!isUnchanged && !isUnread)
        continue;
      dropped.set(i);
      rewriter.replaceAllUsesWith(condition.getArgument(i), init);
      rewriter.replaceAllUsesWith(body.getArgument(i), init);
      rewriter.replaceAllUsesWith(op.getResult(i), init);
    }
    if (dropped.none())
      return failure();
    replace(op, dropped, rewriter);
    return success();
  }

  static void replace(WhileOp op, const llvm::BitVector &dropped, PatternRewriter &rewriter) {
    Operation *yield = op.getBody().front().getTerminator();
    SmallVector<Value> inits, results;
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      if (!dropped.test(i)) {
        inits.push_back(op.getInits()[i]);
        results.push_back(op.getResult(i));
      }
    rewriter.modifyOpInPlace(op, [&] {
      yield->eraseOperands(dropped);
      op.getCondition().front().eraseArguments(dropped);
      op.getBody().front().eraseArguments(dropped);
    });
    OperationState state(op.getLoc(), op->getName(), inits, TypeRange(ValueRange(inits)), op->getAttrs());
    state.addRegion();
    state.addRegion();
    auto kept = cast<WhileOp>(rewriter.create(state));
    rewriter.inlineRegionBefore(op.getCondition(), kept.getCondition(), kept.getCondition().end());
    rewriter.inlineRegionBefore(op.getBody(), kept.getBody(), kept.getBody().end());
    for (auto [from, to] : llvm::zip(results, kept.getResults()))
      rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(op);
  }
};

/// while (false)
struct WhileNever : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WhileOp op, PatternRewriter &rewriter) const override {
    std::optional<APInt> pred = constantScalar(op.getCondition().front().getTerminator()->getOperand(0));
    bool isNever = (op.getTripCount() && *op.getTripCount() == 0) || (pred && pred->isZero());
    if (!isNever)
      return failure();
    rewriter.replaceOp(op, op.getInits());
    return success();
  }
};

} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<IfOfConstant>(patterns);
}
void CaseOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<CaseOfConstant>(patterns);
}
void WhileOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<WhileOfUnchanged, WhileNever>(patterns);
}
