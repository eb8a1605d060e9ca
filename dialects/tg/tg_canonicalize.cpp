//===- tg_canonicalize.cpp - identities that make new operations ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations take place in the least rank: a reshape that only adds dimensions of size one moves towards the outputs,
// one that only removes such dimensions towards the inputs, until they meet or end in a broadcast. Transposes disappear
// into broadcasts and into the dimension numbers of dots. No pattern undoes another, so they end.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_fold.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tg;

namespace {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Attribute constantOf(Value value) {
  Attribute attribute;
  matchPattern(value, m_Constant(&attribute));
  return attribute;
}

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

//===----------------------------------------------------------------------===//
// Dimensions of size one
//===----------------------------------------------------------------------===//

/// For a reshape that only adds or removes dimensions of size one: the dimension of `to` that each dimension of `from`
/// becomes, -1 for one that is removed. Nothing for other reshapes. Dimensions of size one that both have are matched
/// from the left.
std::optional<SmallVector<int64_t>> unitReshape(RankedTensorType from, RankedTensorType to) {
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> map;
  int64_t next = 0;
  for (int64_t size : from.getShape()) {
    int64_t match = next;
    while (size != 1 && match < to.getRank() && to.getDimSize(match) == 1)
      ++match;
    if (match < to.getRank() && to.getDimSize(match) == size) {
      map.push_back(match);
      next = match + 1;
    } else if (size == 1) {
      map.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  for (; next < to.getRank(); ++next)
    if (to.getDimSize(next) != 1)
      return std::nullopt;
  return map;
}

bool addsOnly(ArrayRef<int64_t> map) { return !llvm::is_contained(map, -1); }

/// A reshape that only adds dimensions of size one, and where each dimension goes.
struct UnitAdding {
  ReshapeOp reshape;
  SmallVector<int64_t> map;
};

std::optional<UnitAdding> unitAdding(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return std::nullopt;
  auto map = unitReshape(reshape.getOperand().getType(), reshape.getType());
  if (!map || !addsOnly(*map))
    return std::nullopt;
  return UnitAdding{reshape, std::move(*map)};
}

/// For each dimension of the result of a unit-adding reshape, the dimension of the operand, or -1.
SmallVector<int64_t> inverseOf(UnitAdding adding) {
  SmallVector<int64_t> inverse(adding.reshape.getType().getRank(), -1);
  for (auto [dim, resultDim] : llvm::enumerate(adding.map))
    inverse[resultDim] = dim;
  return inverse;
}

/// f(reshape(x), c) -> reshape(f(x, c)) for elementwise f, constants c whose elements are equal, and a reshape that
/// only adds dimensions of size one.
struct ElementwiseOfUnitReshape : OpTraitRewritePattern<OpTrait::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<TGDialect>(op->getDialect()) || op->getNumResults() != 1)
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

//===----------------------------------------------------------------------===//
// Slices and joins
//===----------------------------------------------------------------------===//

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

Value createDot(PatternRewriter &rewriter, Location loc, RankedTensorType type, const DotSide &lhs,
                const DotSide &rhs) {
  return DotOp::create(rewriter, loc, type, lhs.value, rhs.value, lhs.batch, rhs.batch, lhs.contract, rhs.contract);
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
    rewriter.replaceOp(op, createDot(rewriter, op.getLoc(), op.getType(), lhs, rhs));
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
    Value dot = createDot(rewriter, op.getLoc(), type, lhs, rhs);
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
    rewriter.replaceOp(op, createDot(rewriter, dot.getLoc(), op.getType(), rhs, lhs));
    return success();
  }
};

} // namespace

void TGDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<ElementwiseOfUnitReshape>(getContext());
}
void NotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<NotOfCompare>(context);
}
void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DivByPowerOfTwo>(context);
}
void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PowTwo>(context);
}
void SelectOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SelectOfNot>(context);
}
void ConvertOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConvertOfLossless>(context);
}
void IotaOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<IotaToVector>(context);
}
void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<BroadcastToReshape, BroadcastOfReshape>(context);
}
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReshapeOfBroadcast, UnitReshapeOfTranspose>(context);
}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<TransposeOfBroadcast, TransposeToReshape, TransposeOfDot, TransposeOfUnitReshape>(context);
}
void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SliceOfConcatenate>(context);
}
void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherToDynamicSlice>(context);
}
void DynamicSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DynamicSliceToSlice>(context);
}
void ConcatenateOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConcatenateOfEmpty>(context);
}
void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReduceOverUnits, ReduceOfUnitReshape>(context);
}
void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DotOfTranspose, DotOfUnitReshape>(context);
}
