//===- tg_canonicalize_range.cpp - comparisons that ranges decide --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends add the length of an axis to indices that are negative, and mask those that are out of range, also where
// the indices are an iota or constants.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"
#include "dialects/tg/tg_fold.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/IR/ConstantRange.h"

using namespace mlir;
using namespace tg;
using llvm::ConstantRange;

namespace {

/// The values that the elements of a tensor of integers can have.
class RangeAnalysis {
public:
  ConstantRange of(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && isa<WhileOp>(argument.getOwner()->getParentOp()))
      return ofCarried(argument);
    auto element = cast<IntegerType>(cast<RankedTensorType>(value.getType()).getElementType());
    auto full = ConstantRange::getFull(element.getWidth());
    Operation *op = value.getDefiningOp();
    return op && budget-- > 0 ? ofResult(op, value, full) : full;
  }

private:
  /// Operations to look at, so that the time does not depend on the size of the graph.
  int budget = 32;
  /// Values that loops carry, of those that are being looked at.
  llvm::SmallPtrSet<void *, 4> carried;
  static constexpr int64_t mostConstants = 1024;

  static ConstantRange ofConstant(DenseElementsAttr elements, ConstantRange full) {
    if (elements.empty() || (!elements.isSplat() && elements.getNumElements() > mostConstants))
      return full;
    if (elements.isSplat())
      return ConstantRange(elements.getSplatValue<APInt>());
    ConstantRange range = ConstantRange::getEmpty(full.getBitWidth());
    for (const APInt &element : elements.getValues<APInt>())
      range = range.unionWith(ConstantRange(element), ConstantRange::Signed);
    return range;
  }

  /// Of indices along a dimension of that size.
  static ConstantRange ofIndices(int64_t size, RankedTensorType type, ConstantRange full) {
    unsigned width = full.getBitWidth(), bits = isUnsigned(type.getElementType()) ? width : width - 1;
    if (size < 1 || (bits < 63 && size > int64_t(1) << bits))
      return full;
    return ConstantRange::getNonEmpty(APInt(width, 0), APInt(width, uint64_t(size), false, true));
  }

  /// A counter that each iteration adds a constant to, in any iteration of a loop that runs so often, or after it.
  static std::optional<ConstantRange> ofCounter(WhileOp loop, BlockArgument argument, Value next, ConstantRange init) {
    auto sum = next.getDefiningOp<AddOp>();
    APInt step;
    if (!sum || sum.getLhs() != argument || !loop.getTripCount() || !matchPattern(sum.getRhs(), m_ConstantInt(&step)))
      return std::nullopt;
    unsigned width = init.getBitWidth(), wide = 2 * std::max(width, 64u);
    APInt last = init.getSignedMax().sext(wide) + step.sext(wide) * APInt(wide, *loop.getTripCount());
    if (init.isFullSet() || step.isNegative() || !last.isSignedIntN(width) || init.getSignedMin().isNegative())
      return std::nullopt;
    return ConstantRange::getNonEmpty(init.getSignedMin(), last.trunc(width) + 1);
  }

  /// A loop-carried value is an initial value, or an iteration's result.
  ConstantRange ofCarried(BlockArgument argument) {
    auto loop = cast<WhileOp>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    Block &body = loop.getBody().front();
    Value next = body.getTerminator()->getOperand(number);
    ConstantRange init = of(loop.getInits()[number]);
    if (std::optional<ConstantRange> range = ofCounter(loop, body.getArgument(number), next, init))
      return *range;
    void *identity = body.getArgument(number).getAsOpaquePointer();
    if (init.isFullSet() || !carried.insert(identity).second)
      return ConstantRange::getFull(init.getBitWidth());
    return init.unionWith(of(next), ConstantRange::Signed);
  }

  ConstantRange ofConvert(ConvertOp op, ConstantRange full) {
    auto from = dyn_cast<IntegerType>(op.getOperand().getType().getElementType());
    if (!from || full.getBitWidth() == 1)
      return full;
    ConstantRange range = of(op.getOperand());
    bool isZeroExtended = from.getWidth() == 1 || isUnsigned(from);
    return isZeroExtended ? range.zextOrTrunc(full.getBitWidth()) : range.sextOrTrunc(full.getBitWidth());
  }

  ConstantRange ofBinary(Operation *op, bool isSigned, ConstantRange full) {
    ConstantRange lhs = of(op->getOperand(0)), rhs = of(op->getOperand(1));
    if (isa<AddOp>(op))
      return lhs.add(rhs);
    if (isa<SubOp>(op))
      return lhs.sub(rhs);
    if (isa<MaxOp>(op))
      return isSigned ? lhs.smax(rhs) : lhs.umax(rhs);
    if (isa<MinOp>(op))
      return isSigned ? lhs.smin(rhs) : lhs.umin(rhs);
    return full;
  }

  ConstantRange ofResult(Operation *op, Value value, ConstantRange full) {
    auto type = cast<RankedTensorType>(value.getType());
    Type element = type.getElementType();
    bool isSigned = !isUnsigned(element);
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
      return elements ? ofConstant(elements, full) : full;
    }
    if (auto iota = dyn_cast<IotaOp>(op))
      return ofIndices(type.getDimSize(iota.getDim()), type, full);
    if (auto reduce = dyn_cast<ArgReduceOp>(op))
      return value == reduce.getIndex()
                 ? ofIndices(reduce.getOperand().getType().getDimSize(reduce.getDim()), type, full)
                 : full;
    if (isa<BroadcastOp, ReshapeOp, TransposeOp, ReverseOp, SliceOp, DynamicSliceOp>(op))
      return of(op->getOperand(0));
    if (auto convert = dyn_cast<ConvertOp>(op))
      return ofConvert(convert, full);
    if (isa<AddOp, SubOp, MaxOp, MinOp>(op) && full.getBitWidth() > 1)
      return ofBinary(op, isSigned, full);
    if (isa<ConcatenateOp>(op)) {
      ConstantRange range = ConstantRange::getEmpty(full.getBitWidth());
      for (Value operand : op->getOperands())
        range = range.unionWith(of(operand), ConstantRange::Signed);
      return range;
    }
    if (auto select = dyn_cast<SelectOp>(op))
      return of(select.getOnTrue()).unionWith(of(select.getOnFalse()), ConstantRange::Signed);
    return full;
  }
};

llvm::CmpInst::Predicate predicateOf(Direction direction, bool isSigned) {
  switch (direction) {
  case Direction::eq:
    return llvm::CmpInst::ICMP_EQ;
  case Direction::ne:
    return llvm::CmpInst::ICMP_NE;
  case Direction::lt:
    return isSigned ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  case Direction::le:
    return isSigned ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
  case Direction::gt:
    return isSigned ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT;
  case Direction::ge:
    return isSigned ? llvm::CmpInst::ICMP_SGE : llvm::CmpInst::ICMP_UGE;
  }
  llvm_unreachable("a direction");
}

/// compare(x, y) -> constant where no values that the two can have compare otherwise.
struct CompareOfRanges : OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CompareOp op, PatternRewriter &rewriter) const override {
    auto element = dyn_cast<IntegerType>(op.getLhs().getType().getElementType());
    if (!element || element.getWidth() == 1)
      return failure();
    ConstantRange lhs = RangeAnalysis().of(op.getLhs()), rhs = RangeAnalysis().of(op.getRhs());
    auto predicate = predicateOf(op.getDirection(), !isUnsigned(element));
    bool isTrue = lhs.icmp(predicate, rhs), isFalse = lhs.icmp(llvm::CmpInst::getInversePredicate(predicate), rhs);
    if (isTrue == isFalse) // both: there are no elements
      return failure();
    rewriter.replaceOpWithNewOp<ConstantOp>(op, op.getType(), DenseElementsAttr::get(op.getType(), isTrue));
    return success();
  }
};

} // namespace

void CompareOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<CompareOfRanges>(patterns);
}
