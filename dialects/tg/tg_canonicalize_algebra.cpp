//===- tg_canonicalize_algebra.cpp - sums, products and negations --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO section 3: associativity, commutativity and distributivity. Integers, signed or not, are those modulo 2^n, a
// ring: all of its identities hold bit for bit, whatever wraps around. Of floats only rewrites that change at most a
// NaN's sign and payload are made. Negation is exact and goes through products and quotients, x + (-y) is x - y by
// definition. A product with a power of two is exact where nothing can become subnormal.
//
// In a module with tg.reassociate (precision=fast) floats are taken for real numbers: sums, products and quotients are
// put together as those of integers are. Then a result may be rounded in other places, or be finite where the graph
// overflows in between. Infinities and NaNs of inputs stay what they are: x * 0 and x - x are no constants.
//
// Every pattern leaves fewer operations, or as many of which more are cheap, and none undoes another.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"
#include "dialects/tg/tg_fold.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tg;

namespace {

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

/// Integers that wrap around: i1 has "or" for a sum.
bool isRing(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.getWidth() > 1;
}

/// Floats with signed zeros and infinities. (Those of 8 bits may have neither.)
bool isIeee(Type element) { return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element); }

bool isSigned(Type element) { return isRing(element) || isIeee(element); }

Type elementOf(Operation *op) { return cast<RankedTensorType>(op->getResult(0).getType()).getElementType(); }

/// Whether floats are real numbers here.
bool isReassociated(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return isIeee(elementOf(op)) && module && module->hasAttr("tg.reassociate");
}

/// Whether the identities of a ring hold for what an operation computes.
bool isOfRing(Operation *op) { return isRing(elementOf(op)) || isReassociated(op); }

/// Whether `value` is computed for `op` alone, which may read it twice.
bool isReadBy(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) { return user == op; });
}

enum class Arithmetic { Sum, Difference, Product, Quotient };

/// Of floats: a normal number or zero, which is exactly zero; else nothing.
std::optional<Scalar> computeFloats(Arithmetic kind, APFloat a, const APFloat &b) {
  const APFloat::roundingMode nearest = APFloat::rmNearestTiesToEven;
  bool isZero = a.isZero() || (b.isZero() && kind == Arithmetic::Product);
  switch (kind) {
  case Arithmetic::Sum:
    a.add(b, nearest);
    break;
  case Arithmetic::Difference:
    a.subtract(b, nearest);
    break;
  case Arithmetic::Product:
    a.multiply(b, nearest);
    break;
  case Arithmetic::Quotient:
    a.divide(b, nearest);
    break;
  }
  bool isSum = kind == Arithmetic::Sum || kind == Arithmetic::Difference;
  if (a.isNormal() || (a.isZero() && (isZero || isSum)))
    return a;
  return std::nullopt;
}

/// The constant of two constants; null if it is not made.
Attribute compute(RankedTensorType type, Arithmetic kind, Attribute a, Attribute b) {
  return foldElements(type, {a, b}, [&](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    if (const auto *f = std::get_if<APFloat>(&x[0]))
      return computeFloats(kind, *f, std::get<APFloat>(x[1]));
    const APInt &i = std::get<APInt>(x[0]), &j = std::get<APInt>(x[1]);
    switch (kind) {
    case Arithmetic::Sum:
      return i + j;
    case Arithmetic::Difference:
      return i - j;
    case Arithmetic::Product:
      return i * j;
    case Arithmetic::Quotient:
      return std::nullopt;
    }
    return std::nullopt;
  });
}

Attribute negated(RankedTensorType type, Attribute constant) {
  return foldElements(type, {constant}, [](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    if (const auto *f = std::get_if<APFloat>(&x[0]))
      return -*f;
    return -std::get<APInt>(x[0]);
  });
}

Value createConstant(PatternRewriter &rewriter, Location location, RankedTensorType type, Attribute value) {
  return ConstantOp::create(rewriter, location, type, cast<ElementsAttr>(value));
}

bool isMinusOne(Attribute constant) {
  std::optional<APFloat> value = splatFloat(constant);
  return isSplatInt(constant, -1) || (value && value->isExactlyValue(-1.0));
}

//===----------------------------------------------------------------------===//
// Sums with constants
//===----------------------------------------------------------------------===//

/// x + c or c - x.
struct Offset {
  Value x;
  bool isNegated;
  Attribute constant;
  bool constantIsNegated; ///< x - c
};

std::optional<Offset> offsetOf(Operation *op) {
  if (auto add = dyn_cast_or_null<AddOp>(op)) {
    if (Attribute constant = constantOf(add.getRhs()))
      return Offset{add.getLhs(), false, constant, false};
  } else if (auto sub = dyn_cast_or_null<SubOp>(op)) {
    if (Attribute constant = constantOf(sub.getRhs()))
      return Offset{sub.getLhs(), false, constant, true};
    if (Attribute constant = constantOf(sub.getLhs()))
      return Offset{sub.getRhs(), true, constant, false};
  }
  return std::nullopt;
}

/// (x + c) + d -> x + (c + d), and the like with differences.
template <typename Op> struct OffsetOfOffset : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    std::optional<Offset> outer = isOfRing(op) ? offsetOf(op) : std::nullopt;
    if (!outer || !isReadBy(outer->x, op))
      return failure();
    std::optional<Offset> inner = offsetOf(outer->x.getDefiningOp());
    if (!inner)
      return failure();
    bool innerIsNegated = inner->constantIsNegated != outer->isNegated;
    RankedTensorType type = op.getType();
    Attribute first = innerIsNegated ? negated(type, inner->constant) : inner->constant;
    Arithmetic kind = outer->constantIsNegated ? Arithmetic::Difference : Arithmetic::Sum;
    Attribute sum = first ? compute(type, kind, first, outer->constant) : Attribute();
    if (!sum)
      return failure();
    Value constant = createConstant(rewriter, op.getLoc(), type, sum);
    if (inner->isNegated != outer->isNegated)
      rewriter.replaceOpWithNewOp<SubOp>(op, type, constant, inner->x);
    else
      rewriter.replaceOpWithNewOp<AddOp>(op, type, inner->x, constant);
    return success();
  }
};
struct SumOfOffset : OffsetOfOffset<AddOp> {
  using OffsetOfOffset::OffsetOfOffset;
};
struct DifferenceOfOffset : OffsetOfOffset<SubOp> {
  using OffsetOfOffset::OffsetOfOffset;
};

//===----------------------------------------------------------------------===//
// Products with constants
//===----------------------------------------------------------------------===//

/// A multiple of `x`: the product with a constant, x + x, or -x.
struct Multiple {
  Value x;
  Attribute factor;
};

std::optional<Multiple> multipleOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  if (auto mul = value.getDefiningOp<MulOp>()) {
    if (Attribute factor = constantOf(mul.getRhs()))
      return Multiple{mul.getLhs(), factor};
  } else if (auto add = value.getDefiningOp<AddOp>()) {
    if (add.getLhs() == add.getRhs())
      return Multiple{add.getLhs(), splatOf(type, 2)};
  } else if (auto neg = value.getDefiningOp<NegOp>()) {
    return Multiple{neg.getOperand(), splatOf(type, -1)};
  }
  return std::nullopt;
}

/// (x * c) * d -> x * (c * d), of a ring.
struct MultipleOfMultiple : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    Attribute factor = constantOf(op.getRhs());
    if (!factor || !isOfRing(op) || !isReadBy(op.getLhs(), op))
      return failure();
    std::optional<Multiple> inner = multipleOf(op.getLhs());
    if (!inner)
      return failure();
    Attribute product = compute(op.getType(), Arithmetic::Product, inner->factor, factor);
    if (!product)
      return failure();
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), inner->x,
                                       createConstant(rewriter, op.getLoc(), op.getType(), product));
    return success();
  }
};

/// (x * c) * d -> x * (c * d) of floats, for c = 2^k or -2^k, k >= 0, and |d| >= 1 with a finite c * d. Then x * c is
/// exact, for subnormal x too, unless it overflows: where it does, so does the longer product, to the same infinity.
/// The product d * c is exact, so both sides round one number once. (A factor below one could make x * c subnormal,
/// which rounds it; d below one would bring back an overflowed value.)
struct ScaledByPowerOfTwo : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().getDefiningOp<MulOp>();
    if (!inner || !isReadBy(inner.getResult(), op) || !isIeee(elementOf(op)))
      return failure();
    std::optional<APFloat> power = splatFloat(constantOf(inner.getRhs())), factor = splatFloat(constantOf(op.getRhs()));
    if (!power || !factor || !isAtLeastOne(*power) || !isAtLeastOne(*factor) || !power->getExactInverse(nullptr))
      return failure();
    APFloat product = *factor * *power;
    if (!product.isFinite())
      return failure();
    Value constant = createConstant(rewriter, op.getLoc(), op.getType(), DenseElementsAttr::get(op.getType(), product));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), inner.getLhs(), constant);
    return success();
  }

  static bool isAtLeastOne(const APFloat &x) {
    return x.isFinite() && llvm::abs(x) >= APFloat::getOne(x.getSemantics());
  }
};

/// Quotients with constants, of floats as real numbers: (x * c) / d -> x * (c / d), (x / c) * d -> x * (d / c),
/// (x / c) / d -> x / (c * d).
template <typename Op> struct QuotientsOfConstants : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    constexpr bool isQuotient = std::is_same_v<Op, DivOp>;
    Operation *inner = op.getLhs().getDefiningOp();
    Attribute outer = constantOf(op.getRhs());
    if (!outer || !inner || !isReassociated(op) || !isReadBy(op.getLhs(), op))
      return failure();
    if (!isa<DivOp>(inner) && !(isQuotient && isa<MulOp>(inner)))
      return failure();
    Attribute constant = constantOf(inner->getOperand(1));
    if (!constant)
      return failure();
    bool staysQuotient = isQuotient && isa<DivOp>(inner);
    RankedTensorType type = op.getType();
    Attribute together = staysQuotient ? compute(type, Arithmetic::Product, constant, outer)
                         : isQuotient  ? compute(type, Arithmetic::Quotient, constant, outer)
                                       : compute(type, Arithmetic::Quotient, outer, constant);
    if (!together)
      return failure();
    Value factor = createConstant(rewriter, op.getLoc(), type, together);
    if (staysQuotient)
      rewriter.replaceOpWithNewOp<DivOp>(op, type, inner->getOperand(0), factor);
    else
      rewriter.replaceOpWithNewOp<MulOp>(op, type, inner->getOperand(0), factor);
    return success();
  }
};
struct ProductOfQuotient : QuotientsOfConstants<MulOp> {
  using QuotientsOfConstants::QuotientsOfConstants;
};
struct QuotientOfScaled : QuotientsOfConstants<DivOp> {
  using QuotientsOfConstants::QuotientsOfConstants;
};

//===----------------------------------------------------------------------===//
// Constants of one sum or product that are apart
//===----------------------------------------------------------------------===//

using ValueAndConstant = std::pair<Value, Attribute>;

/// `value` as x + c, or, for a product, x * c, which nothing but `user` reads; null values where it is none.
template <typename Op> ValueAndConstant withConstant(Value value, Operation *user) {
  Operation *op = isReadBy(value, user) ? value.getDefiningOp() : nullptr;
  if (auto mul = dyn_cast_or_null<MulOp>(op); mul && std::is_same_v<Op, MulOp>) {
    Attribute constant = constantOf(mul.getRhs());
    return constant ? ValueAndConstant(mul.getLhs(), constant) : ValueAndConstant();
  }
  std::optional<Offset> offset = std::is_same_v<Op, AddOp> ? offsetOf(op) : std::nullopt;
  if (!offset || offset->isNegated)
    return {};
  auto type = cast<RankedTensorType>(value.getType());
  Attribute constant = offset->constantIsNegated ? negated(type, offset->constant) : offset->constant;
  return constant ? ValueAndConstant(offset->x, constant) : ValueAndConstant();
}

/// (x + c) + (y + d) -> (x + y) + (c + d), of a ring; the same of products.
template <typename Op> struct ConstantsMeet : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isOfRing(op) || op.getLhs() == op.getRhs())
      return failure();
    auto [x, c] = withConstant<Op>(op.getLhs(), op);
    auto [y, d] = withConstant<Op>(op.getRhs(), op);
    Attribute together = c && d ? compute(op.getType(), kindOf(), c, d) : Attribute();
    if (!together)
      return failure();
    Value of = Op::create(rewriter, op.getLoc(), op.getType(), x, y);
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), of,
                                    createConstant(rewriter, op.getLoc(), op.getType(), together));
    return success();
  }
  static Arithmetic kindOf() { return std::is_same_v<Op, AddOp> ? Arithmetic::Sum : Arithmetic::Product; }
};
struct ConstantsOfSum : ConstantsMeet<AddOp> {
  using ConstantsMeet::ConstantsMeet;
};
struct ConstantsOfProduct : ConstantsMeet<MulOp> {
  using ConstantsMeet::ConstantsMeet;
};

/// ((x + c) + y) + d -> (x + y) + (c + d), of a ring, where the outer one may be a difference; the same of products.
template <typename Outer, typename Op> struct ConstantBehindSum : OpRewritePattern<Outer> {
  using OpRewritePattern<Outer>::OpRewritePattern;
  LogicalResult matchAndRewrite(Outer op, PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().template getDefiningOp<Op>();
    Attribute d = constantOf(op.getRhs());
    bool isDouble = inner && inner.getLhs() == inner.getRhs();
    if (!d || !inner || isDouble || constantOf(inner.getRhs()) || !isOfRing(op) || !isReadBy(op.getLhs(), op))
      return failure();
    auto [x, c] = withConstant<Op>(inner.getLhs(), inner);
    Value y = inner.getRhs();
    if (!c) {
      std::tie(x, c) = withConstant<Op>(inner.getRhs(), inner);
      y = inner.getLhs();
    }
    Arithmetic kind = std::is_same_v<Outer, SubOp>   ? Arithmetic::Difference
                      : std::is_same_v<Outer, AddOp> ? Arithmetic::Sum
                                                     : Arithmetic::Product;
    Attribute together = c ? compute(op.getType(), kind, c, d) : Attribute();
    if (!together)
      return failure();
    Value of = Op::create(rewriter, op.getLoc(), op.getType(), x, y);
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), of,
                                    createConstant(rewriter, op.getLoc(), op.getType(), together));
    return success();
  }
};
struct ConstantBehindAddition : ConstantBehindSum<AddOp, AddOp> {
  using ConstantBehindSum::ConstantBehindSum;
};
struct ConstantBehindDifference : ConstantBehindSum<SubOp, AddOp> {
  using ConstantBehindSum::ConstantBehindSum;
};
struct ConstantBehindProduct : ConstantBehindSum<MulOp, MulOp> {
  using ConstantBehindSum::ConstantBehindSum;
};

//===----------------------------------------------------------------------===//
// Distributivity
//===----------------------------------------------------------------------===//

/// `a` and `b` as multiples of one value with constant factors; at least one of them is an operation that nothing but
/// `op` reads, and that goes.
bool areMultiplesOfOne(Operation *op, Multiple &a, Multiple &b) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  DenseElementsAttr one = splatOf(cast<RankedTensorType>(lhs.getType()), 1);
  std::optional<Multiple> l = isReadBy(lhs, op) ? multipleOf(lhs) : std::nullopt;
  std::optional<Multiple> r = isReadBy(rhs, op) ? multipleOf(rhs) : std::nullopt;
  a = l ? *l : Multiple{lhs, one};
  b = r ? *r : Multiple{rhs, one};
  if (l && a.x != b.x && l->x == rhs)
    b = {rhs, one};
  else if (r && a.x != b.x && r->x == lhs)
    a = {lhs, one};
  return (l || r) && a.x == b.x;
}

/// x * c + x * d -> x * (c + d), of a ring, where c and d are constants, one of which may be an implicit 1; of a
/// difference, x * (c - d).
template <typename Op> struct DistributedConstants : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Multiple a, b;
    if (!isOfRing(op) || !type.hasStaticShape() || !areMultiplesOfOne(op, a, b))
      return failure();
    Arithmetic kind = std::is_same_v<Op, AddOp> ? Arithmetic::Sum : Arithmetic::Difference;
    Attribute factor = compute(type, kind, a.factor, b.factor);
    if (!factor)
      return failure();
    rewriter.replaceOpWithNewOp<MulOp>(op, type, a.x, createConstant(rewriter, op.getLoc(), type, factor));
    return success();
  }
};
struct SumOfMultiples : DistributedConstants<AddOp> {
  using DistributedConstants::DistributedConstants;
};
struct DifferenceOfMultiples : DistributedConstants<SubOp> {
  using DistributedConstants::DistributedConstants;
};

/// x * y + x * z -> x * (y + z), of a ring; the same of a difference.
template <typename Op> struct DistributedProducts : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto l = op.getLhs().template getDefiningOp<MulOp>(), r = op.getRhs().template getDefiningOp<MulOp>();
    if (!l || !r || l == r || !l->hasOneUse() || !r->hasOneUse() || !isOfRing(op))
      return failure();
    for (auto [x, y] : {std::pair(l.getLhs(), l.getRhs()), std::pair(l.getRhs(), l.getLhs())}) {
      if (x != r.getLhs() && x != r.getRhs())
        continue;
      Value z = x == r.getLhs() ? r.getRhs() : r.getLhs();
      Value sum = Op::create(rewriter, op.getLoc(), op.getType(), y, z);
      rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), x, sum);
      return success();
    }
    return failure();
  }
};
struct SumOfProducts : DistributedProducts<AddOp> {
  using DistributedProducts::DistributedProducts;
};
struct DifferenceOfProducts : DistributedProducts<SubOp> {
  using DistributedProducts::DistributedProducts;
};

//===----------------------------------------------------------------------===//
// Negations
//===----------------------------------------------------------------------===//

NegOp negationOf(Value value) { return value.getDefiningOp<NegOp>(); }

/// x + (-y) -> x - y, (-x) + y -> y - x.
struct SumOfNegation : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    if (!isSigned(elementOf(op)))
      return failure();
    if (NegOp neg = negationOf(op.getRhs()))
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), op.getLhs(), neg.getOperand());
    else if (NegOp neg = negationOf(op.getLhs()))
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), op.getRhs(), neg.getOperand());
    else
      return failure();
    return success();
  }
};

/// x - (-y) -> x + y; 0 - x -> -x, of floats where the zero is -0.
struct DifferenceOfNegation : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    if (!isSigned(elementOf(op)))
      return failure();
    Attribute lhs = constantOf(op.getLhs());
    std::optional<APFloat> zero = splatFloat(lhs);
    if (NegOp neg = negationOf(op.getRhs()))
      rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), op.getLhs(), neg.getOperand());
    else if (isSplatInt(lhs, 0) || (zero && zero->isNegZero()))
      rewriter.replaceOpWithNewOp<NegOp>(op, op.getType(), op.getRhs());
    else
      return failure();
    return success();
  }
};

/// (-x) * (-y) -> x * y, (-x) * c -> x * (-c), the same of quotients of floats; x * (-1), x / (-1) -> -x. (The smallest
/// integer is its own negation, so quotients of integers stay.)
template <typename Op> struct ScaledNegation : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = elementOf(op);
    if (!isIeee(element) && !(std::is_same_v<Op, MulOp> && isRing(element)))
      return failure();
    RankedTensorType type = op.getType();
    Attribute constant = constantOf(op.getRhs());
    NegOp lhs = negationOf(op.getLhs()), rhs = negationOf(op.getRhs());
    Attribute opposite = lhs && constant ? negated(type, constant) : Attribute();
    if (isMinusOne(constant))
      rewriter.replaceOpWithNewOp<NegOp>(op, type, op.getLhs());
    else if (lhs && rhs)
      rewriter.replaceOpWithNewOp<Op>(op, type, lhs.getOperand(), rhs.getOperand());
    else if (opposite)
      rewriter.replaceOpWithNewOp<Op>(op, type, lhs.getOperand(),
                                      createConstant(rewriter, op.getLoc(), type, opposite));
    else
      return failure();
    return success();
  }
};
struct ProductOfNegation : ScaledNegation<MulOp> {
  using ScaledNegation::ScaledNegation;
};
struct QuotientOfNegation : ScaledNegation<DivOp> {
  using ScaledNegation::ScaledNegation;
};

/// -(x - y) -> y - x, -(x + c) -> (-c) - x of a ring (of floats the zeros differ); -(x * c) -> x * (-c), -(x / c) ->
/// x / (-c).
struct NegationOfScaled : OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NegOp op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getOperand().getDefiningOp();
    Type element = elementOf(op);
    if (!inner || !isReadBy(op.getOperand(), op) || !isSigned(element))
      return failure();
    if (isa<SubOp>(inner) && isOfRing(op)) {
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), inner->getOperand(1), inner->getOperand(0));
      return success();
    }
    if (isa<AddOp>(inner) && isOfRing(op)) {
      Attribute opposite = negatedConstant(op, inner);
      if (!opposite)
        return failure();
      Value constant = createConstant(rewriter, op.getLoc(), op.getType(), opposite);
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), constant, inner->getOperand(0));
      return success();
    }
    bool isScaled = isa<MulOp>(inner) || (isa<DivOp>(inner) && isIeee(element));
    Attribute opposite = isScaled ? negatedConstant(op, inner) : Attribute();
    if (!opposite)
      return failure();
    Value factor = createConstant(rewriter, op.getLoc(), op.getType(), opposite);
    OperationState state(op.getLoc(), inner->getName(), {inner->getOperand(0), factor}, {op.getType()},
                         inner->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }

  static Attribute negatedConstant(NegOp op, Operation *inner) {
    Attribute constant = constantOf(inner->getOperand(1));
    return constant ? negated(op.getType(), constant) : Attribute();
  }
};

//===----------------------------------------------------------------------===//
// Signed zeros
//===----------------------------------------------------------------------===//

/// Whether no element can be -0.
bool isNeverNegativeZero(Value value, int depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (std::optional<APFloat> constant = splatFloat(constantOf(value)))
    return !constant->isNegZero();
  if (isa<ExpOp, LogisticOp, IotaOp>(op))
    return true;
  if (auto abs = dyn_cast<AbsOp>(op))
    return isIeee(elementOf(abs));
  if (auto convert = dyn_cast<ConvertOp>(op)) // of an integer; rounding of a float may end at zero
    return isa<IntegerType>(convert.getOperand().getType().getElementType());
  if (auto mul = dyn_cast<MulOp>(op))
    return mul.getLhs() == mul.getRhs();
  if (isa<SubOp>(op)) // -0 only of -0 - (+0)
    return isNeverNegativeZero(op->getOperand(0), depth - 1);
  if (isa<AddOp>(op)) // -0 only of -0 + -0
    return isNeverNegativeZero(op->getOperand(0), depth - 1) || isNeverNegativeZero(op->getOperand(1), depth - 1);
  return isa<BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(op) && isNeverNegativeZero(op->getOperand(0), depth - 1);
}

/// x + 0 -> x, of floats that are never -0, the only one that it changes, or where that does not count.
struct SumWithZero : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    std::optional<APFloat> zero = splatFloat(constantOf(op.getRhs()));
    if (!zero || !zero->isPosZero() || !isIeee(elementOf(op)))
      return failure();
    if (!isReassociated(op) && !isNeverNegativeZero(op.getLhs()))
      return failure();
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

} // namespace

void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<SumOfOffset, ConstantsOfSum, ConstantBehindAddition, SumOfMultiples, SumOfProducts, SumOfNegation,
                  SumWithZero>(patterns);
}
void SubOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<DifferenceOfOffset, ConstantBehindDifference, DifferenceOfMultiples, DifferenceOfProducts,
                  DifferenceOfNegation>(patterns);
}
void MulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<MultipleOfMultiple, ScaledByPowerOfTwo, ProductOfQuotient, ConstantsOfProduct, ConstantBehindProduct,
                  ProductOfNegation>(patterns);
}
void NegOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  tg::addPatterns<NegationOfScaled>(patterns);
}
void tg::addQuotientOfNegation(RewritePatternSet &patterns) {
  tg::addPatterns<QuotientOfNegation, QuotientOfScaled>(patterns);
}
