//===- tg_canonicalize_transposes.cpp - transposes and elementwise operations -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data-layout transformation of APOLLO, section 3: the layouts of producers and consumers are brought together. An
// elementwise operation commutes with a transpose, so the two may change places. It does where transposes meet, and
// then are one or none. Each pattern leaves fewer transposes, so they end. Those of a product's result do not count: a
// library transposes as it writes.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"

#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tg;

namespace {

/// Selects and clamps may have operands of one element, so that they do not have the trait.
bool isElementwise(Operation *op) {
  return op && (op->hasTrait<OpTrait::Elementwise>() || isa<SelectOp, ClampOp>(op)) && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && op->getName().getDialectNamespace() == TGDialect::getDialectNamespace();
}

bool isFixed(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && !type.getEncoding();
}

/// Whether `operand` is one element that stands for all: the predicate of a select, the bounds of a clamp.
bool isScalarFor(Operation *op, Value operand) {
  return cast<RankedTensorType>(operand.getType()).getRank() == 0 &&
         cast<RankedTensorType>(op->getResult(0).getType()).getRank() > 0;
}

bool isReadBy(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) { return user == op; });
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation),
                      [](auto dim) { return static_cast<int64_t>(dim.index()) == dim.value(); });
}

RankedTensorType permuted(RankedTensorType type, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return RankedTensorType::get(shape, type.getElementType());
}

/// `op` on other operands of another shape.
Value createLike(PatternRewriter &rewriter, Operation *op, ValueRange operands, RankedTensorType type) {
  OperationState state(op->getLoc(), op->getName(), operands, {type}, op->getAttrs());
  return rewriter.create(state)->getResult(0);
}

/// transpose(f(x, y, ...)) -> f(transpose(x), transpose(y), ...) where that ends all transposes of operands. These are
/// transposes themselves, which the fold makes one or none, or broadcasts and constants, or elementwise operations of
/// which the same holds.
struct TransposeOfElementwise : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  /// A walk from a transpose up through the elementwise operations that nothing else reads.
  struct Walk {
    static constexpr size_t mostOps = 256; ///< operations above each other are levels of the walk
    ArrayRef<int64_t> permutation;
    llvm::SmallPtrSet<Operation *, 16> seen;

    SmallVector<int64_t> composedWith(TransposeOp inner) const {
      SmallVector<int64_t> composed;
      for (int64_t dim : permutation)
        composed.push_back(inner.getPermutation()[dim]);
      return composed;
    }

    /// Whether a transpose of `value`, which `user` reads, is nothing new.
    bool absorbs(Value value, Operation *user) {
      Operation *op = value.getDefiningOp();
      if (!op || !isFixed(value))
        return false;
      if (auto inner = dyn_cast<TransposeOp>(op))
        return isIdentity(composedWith(inner)) || isReadBy(value, user);
      if (auto constant = dyn_cast<ConstantOp>(op))
        return cast<DenseElementsAttr>(constant.getValue()).isSplat();
      return isa<BroadcastOp>(op) || (isReadBy(value, user) && passes(op));
    }

    bool passes(Operation *op) {
      if (!isElementwise(op) || !isFixed(op->getResult(0)))
        return false;
      if (!seen.insert(op).second)
        return true;
      return seen.size() <= mostOps && llvm::all_of(op->getOperands(), [&](Value operand) {
               return isScalarFor(op, operand) || absorbs(operand, op);
             });
    }
  };

  /// All of the walk once more, of other operands. Rewrites all operations together, since the pattern below would undo
  /// half of them.
  struct Mover {
    const Walk &walk;
    PatternRewriter &rewriter;
    llvm::SmallDenseMap<Value, Value> moved;

    Mover(const Walk &walk, PatternRewriter &rewriter) : walk(walk), rewriter(rewriter) {}

    Value move(Value value) {
      auto [known, isNew] = moved.try_emplace(value);
      if (!isNew)
        return known->second;
      Value there = moveOp(value, value.getDefiningOp());
      moved[value] = there;
      return there;
    }

    Value moveOp(Value value, Operation *op) {
      auto type = permuted(cast<RankedTensorType>(value.getType()), walk.permutation);
      if (auto inner = dyn_cast<TransposeOp>(op)) {
        SmallVector<int64_t> composed = walk.composedWith(inner);
        return isIdentity(composed)
                   ? inner.getOperand()
                   : TransposeOp::create(rewriter, op->getLoc(), type, inner.getOperand(), composed).getResult();
      }
      if (auto constant = dyn_cast<ConstantOp>(op))
        return ConstantOp::create(rewriter, op->getLoc(), type,
                                  cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
      if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
        SmallVector<int64_t> inverse(walk.permutation.size()), dims;
        for (auto [to, from] : llvm::enumerate(walk.permutation))
          inverse[from] = to;
        for (int64_t dim : broadcast.getDims())
          dims.push_back(inverse[dim]);
        return BroadcastOp::create(rewriter, op->getLoc(), type, broadcast.getOperand(), dims);
      }
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(isScalarFor(op, operand) ? operand : move(operand));
      return createLike(rewriter, op, operands, type);
    }
  };

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getOperand().getDefiningOp();
    Walk walk{op.getPermutation(), {}};
    if (!inner || !isFixed(op.getResult()) || !isReadBy(op.getOperand(), op) || !walk.passes(inner))
      return failure();
    rewriter.replaceOp(op, Mover(walk, rewriter).move(op.getOperand()));
    return success();
  }
};

/// f(transpose(x), transpose(y), ...) -> transpose(f(x, y, ...)) for two transposes or more, by the same permutation,
/// that nothing else reads, and constants whose elements are equal. (Libraries transpose as they write.)
struct ElementwiseOfTransposes : OpTraitRewritePattern<OpTrait::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  static DenseElementsAttr splatOf(Value operand) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(constantOf(operand));
    return constant && constant.isSplat() ? constant : DenseElementsAttr();
  }

  /// The transpose that `operand` is, if it may change places with `op`.
  static TransposeOp transposeOf(Operation *op, Value operand) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose || !isFixed(operand) || !isReadBy(operand, op) ||
        isa_and_nonnull<DotOp, ConvolutionOp>(transpose.getOperand().getDefiningOp()))
      return {};
    return transpose;
  }

  /// One of at least two different transposes among the operands, if all operands can be taken from before them.
  static TransposeOp commonTranspose(Operation *op) {
    TransposeOp first;
    bool hasSeveral = false;
    for (Value operand : op->getOperands()) {
      if (isScalarFor(op, operand) || splatOf(operand))
        continue;
      TransposeOp transpose = transposeOf(op, operand);
      if (!transpose || (first && transpose.getPermutation() != first.getPermutation()))
        return {};
      hasSeveral |= first && transpose != first;
      first = first ? first : transpose;
    }
    return hasSeveral ? first : TransposeOp();
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || !isFixed(op->getResult(0)))
      return failure();
    TransposeOp common = commonTranspose(op);
    if (!common)
      return failure();
    ArrayRef<int64_t> shape = common.getOperand().getType().getShape();
    auto like = [&](Type type) { return RankedTensorType::get(shape, cast<RankedTensorType>(type).getElementType()); };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (isScalarFor(op, operand))
        operands.push_back(operand);
      else if (DenseElementsAttr splat = splatOf(operand))
        operands.push_back(ConstantOp::create(rewriter, op->getLoc(), like(operand.getType()),
                                              splat.resizeSplat(like(operand.getType()))));
      else
        operands.push_back(operand.getDefiningOp<TransposeOp>().getOperand());
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value inner = createLike(rewriter, op, operands, like(type));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, type, inner, common.getPermutation());
    return success();
  }
};

/// A connected tree of elementwise operations on one shape, with several readers inside and outside: all of them
/// compute in the layout that `permutation` leads to, if that leaves fewer transposes around them.
struct ElementwiseTree {
  static constexpr size_t mostOps = 256;
  SmallVector<int64_t> permutation, inverse;
  llvm::SetVector<Operation *> ops;
  int64_t gain = 0; ///< transposes that there are fewer

  explicit ElementwiseTree(ArrayRef<int64_t> permutation) : permutation(permutation), inverse(inverseOf(permutation)) {}

  static SmallVector<int64_t> inverseOf(ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> inverse(permutation.size());
    for (auto [to, from] : llvm::enumerate(permutation))
      inverse[from] = static_cast<int64_t>(to);
    return inverse;
  }

  /// First `a`, then `b`.
  static SmallVector<int64_t> composed(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    SmallVector<int64_t> both;
    for (int64_t dim : b)
      both.push_back(a[dim]);
    return both;
  }

  bool areAllInside(Value value) const {
    return llvm::all_of(value.getUsers(), [&](Operation *user) { return ops.contains(user); });
  }

  /// All that is reached from `start`. False if that is too much, or if it reads a part of itself in another layout.
  bool collect(Operation *start) {
    auto add = [&](Operation *op) {
      if (isElementwise(op) && op->getBlock() == start->getBlock() && isFixed(op->getResult(0)))
        ops.insert(op);
    };
    add(start);
    for (size_t i = 0; i < ops.size() && ops.size() <= mostOps; ++i) {
      for (Value operand : ops[i]->getOperands())
        if (!isScalarFor(ops[i], operand))
          add(operand.getDefiningOp());
      for (Operation *user : ops[i]->getResult(0).getUsers())
        if (isElementwise(user) && !llvm::any_of(user->getOperands(), [&](Value operand) {
              return operand == ops[i]->getResult(0) && isScalarFor(user, operand);
            }))
          add(user);
    }
    return !ops.empty() && ops.size() <= mostOps && llvm::none_of(ops, [&](Operation *op) {
      return llvm::any_of(op->getOperands(), [&](Value operand) {
        auto transpose = operand.getDefiningOp<TransposeOp>();
        return transpose && ops.contains(transpose.getOperand().getDefiningOp());
      });
    });
  }

  /// Transposes that are removed, less those that are added, before the tree.
  void countOperand(Value value) {
    Operation *op = value.getDefiningOp();
    auto constant = dyn_cast_or_null<ConstantOp>(op);
    bool isSplat = constant && cast<DenseElementsAttr>(constant.getValue()).isSplat();
    if (isSplat || isa_and_nonnull<BroadcastOp>(op))
      return;
    auto transpose = dyn_cast_or_null<TransposeOp>(op);
    if (!transpose)
      --gain;
    else if (!isIdentity(composed(transpose.getPermutation(), permutation)))
      gain -= !areAllInside(value);
    else if (!isa_and_nonnull<DotOp, ConvolutionOp>(transpose.getOperand().getDefiningOp()))
      gain += areAllInside(value);
  }

  /// The same behind it.
  void countReaders(Operation *op) {
    bool isReadAsItIs = false;
    for (Operation *user : llvm::SmallPtrSet<Operation *, 8>(op->user_begin(), op->user_end())) {
      auto transpose = dyn_cast<TransposeOp>(user);
      gain += transpose && transpose.getPermutation() == ArrayRef<int64_t>(permutation);
      isReadAsItIs |= !transpose && !ops.contains(user);
    }
    gain -= isReadAsItIs;
  }

  void count() {
    llvm::SmallPtrSet<void *, 16> seen;
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!isScalarFor(op, operand) && !ops.contains(operand.getDefiningOp()) &&
            seen.insert(operand.getAsOpaquePointer()).second)
          countOperand(operand);
      countReaders(op);
    }
  }
};

/// A tree in its new layout.
struct TreeMover {
  const ElementwiseTree &tree;
  PatternRewriter &rewriter;
  llvm::SmallDenseMap<Value, Value> moved;

  TreeMover(const ElementwiseTree &tree, PatternRewriter &rewriter) : tree(tree), rewriter(rewriter) {}

  Value moveOperand(Value value) {
    auto type = permuted(cast<RankedTensorType>(value.getType()), tree.permutation);
    Location location = value.getLoc();
    if (auto transpose = value.getDefiningOp<TransposeOp>()) {
      SmallVector<int64_t> both = ElementwiseTree::composed(transpose.getPermutation(), tree.permutation);
      return isIdentity(both) ? transpose.getOperand()
                              : TransposeOp::create(rewriter, location, type, transpose.getOperand(), both).getResult();
    }
    auto constant = value.getDefiningOp<ConstantOp>();
    if (constant && cast<DenseElementsAttr>(constant.getValue()).isSplat())
      return ConstantOp::create(rewriter, location, type,
                                cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
    if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
      SmallVector<int64_t> dims;
      for (int64_t dim : broadcast.getDims())
        dims.push_back(tree.inverse[dim]);
      return BroadcastOp::create(rewriter, location, type, broadcast.getOperand(), dims);
    }
    return TransposeOp::create(rewriter, location, type, value, tree.permutation);
  }

  void moveOp(Operation *op) {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value &there = moved[operand];
      if (!there)
        there = isScalarFor(op, operand) ? operand : moveOperand(operand);
      operands.push_back(there);
    }
    auto type = permuted(cast<RankedTensorType>(op->getResult(0).getType()), tree.permutation);
    moved[op->getResult(0)] = createLike(rewriter, op, operands, type);
  }

  /// Gives the readers of an operation that are not in the tree its value in the layout that they know.
  void replaceReaders(Operation *op) {
    Value there = moved[op->getResult(0)], back;
    llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
    for (Operation *user : users) {
      auto transpose = dyn_cast<TransposeOp>(user);
      if (transpose) {
        SmallVector<int64_t> both = ElementwiseTree::composed(tree.inverse, transpose.getPermutation());
        rewriter.setInsertionPoint(user);
        if (isIdentity(both))
          rewriter.replaceOp(user, there);
        else
          rewriter.replaceOpWithNewOp<TransposeOp>(user, transpose.getType(), there, both);
      } else if (!tree.ops.contains(user)) {
        rewriter.setInsertionPointAfterValue(there);
        if (!back)
          back = TransposeOp::create(rewriter, op->getLoc(), cast<RankedTensorType>(op->getResult(0).getType()), there,
                                     tree.inverse);
        rewriter.modifyOpInPlace(user, [&] { user->replaceUsesOfWith(op->getResult(0), back); });
      }
    }
  }

  void move() {
    SmallVector<Operation *> ordered(tree.ops.begin(), tree.ops.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ordered)
      moveOp(op);
    for (Operation *op : ordered)
      replaceReaders(op);
    for (Operation *op : llvm::reverse(ordered))
      rewriter.eraseOp(op);
  }
};

/// Transposes around a tree of elementwise operations, of its operands and of its results, are made fewer. The patterns
/// above come first.
struct TransposesAroundTree : OpRewritePattern<TransposeOp> {
  explicit TransposesAroundTree(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/0) {}

  static bool moves(Operation *start, ArrayRef<int64_t> permutation, PatternRewriter &rewriter) {
    ElementwiseTree tree(permutation);
    if (!tree.collect(start))
      return false;
    tree.count();
    if (tree.gain <= 0)
      return false;
    TreeMover(tree, rewriter).move();
    return true;
  }

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    if (!isFixed(op.getResult()))
      return failure();
    Operation *inner = op.getOperand().getDefiningOp();
    if (isElementwise(inner) && moves(inner, op.getPermutation(), rewriter))
      return success();
    for (Operation *user : op->getUsers())
      if (isElementwise(user))
        return success(moves(user, ElementwiseTree::inverseOf(op.getPermutation()), rewriter));
    return failure();
  }
};

} // namespace

void tg::addTransposeOfElementwise(RewritePatternSet &patterns) {
  tg::addPatterns<TransposeOfElementwise, TransposesAroundTree>(patterns);
}
void tg::addElementwiseOfTransposes(RewritePatternSet &patterns) { tg::addPatterns<ElementwiseOfTransposes>(patterns); }
