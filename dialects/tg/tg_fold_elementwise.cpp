//===- tg_fold_elementwise.cpp - folding of elementwise operations -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Identities hold bit for bit except for the payload of NaNs: x + 0 is x only where 0 is -0 (-0 + 0 is 0). x * 0 is not
// 0 (infinity, NaN, the sign), x - x is not 0. Constant arithmetic rounds as the type does. Functions that IEEE 754
// does not define to be correctly rounded are computed in f64 and rounded; for f64 itself they are left to run time,
// since C libraries differ. 8-bit floats are left to run time too: their overflow depends on the hardware.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_fold.h"

#include "llvm/ADT/APSInt.h"

#include <cmath>

using namespace mlir;
using namespace tg;

using FloatResult = std::optional<APFloat>;
using IntResult = std::optional<APInt>;

static bool foldsArithmetic(const APFloat &x) { return APFloat::semanticsSizeInBits(x.getSemantics()) >= 16; }

static APFloat rounded(APFloat x, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  x.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return x;
}

static double asDouble(const APFloat &x) { return rounded(x, APFloat::IEEEdouble()).convertToDouble(); }

/// `function` in f64, rounded to the type of `x`.
static FloatResult throughDouble(const APFloat &x, double (*function)(double)) {
  if (&x.getSemantics() == &APFloat::IEEEdouble())
    return std::nullopt;
  return rounded(APFloat(function(asDouble(x))), x.getSemantics());
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static Attribute foldUnary(RankedTensorType type, Attribute operand, function_ref<FloatResult(const APFloat &)> onFloat,
                           function_ref<IntResult(const APInt &, bool isUnsigned)> onInt = nullptr) {
  bool resultIsUnsigned = isUnsigned(type.getElementType());
  return foldElements(type, {operand}, [&](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    if (const auto *f = std::get_if<APFloat>(&x[0]))
      return onFloat && foldsArithmetic(*f) ? std::optional<Scalar>(onFloat(*f)) : std::nullopt;
    return onInt ? std::optional<Scalar>(onInt(std::get<APInt>(x[0]), resultIsUnsigned)) : std::nullopt;
  });
}

static FloatResult roundedToInteger(APFloat x, APFloat::roundingMode mode) {
  x.roundToIntegral(mode);
  return x;
}

/// sqrt of f64 is correctly rounded, and f64 has more than twice the bits of the narrower types.
static FloatResult squareRoot(const APFloat &x) { return rounded(APFloat(std::sqrt(asDouble(x))), x.getSemantics()); }

static FloatResult signOf(const APFloat &x) {
  if (x.isNaN() || x.isZero())
    return x;
  return APFloat(x.getSemantics(), x.isNegative() ? "-1" : "1");
}

static IntResult signOf(const APInt &x, bool isUnsigned) {
  if (x.isZero())
    return x;
  if (!isUnsigned && x.isNegative())
    return APInt::getAllOnes(x.getBitWidth());
  return APInt(x.getBitWidth(), 1);
}

#define FOLD_UNARY(op, onFloat, onInt)                                                                                 \
  OpFoldResult op::fold(FoldAdaptor adaptor) {                                                                         \
    return foldUnary(                                                                                                  \
        getType(), adaptor.getOperand(), [](const APFloat &x) -> FloatResult { return onFloat; },                      \
        [](const APInt &i, [[maybe_unused]] bool isUnsigned) -> IntResult { return onInt; });                          \
  }

FOLD_UNARY(NegOp, -x, -i)
FOLD_UNARY(SignOp, signOf(x), signOf(i, isUnsigned))
FOLD_UNARY(CeilOp, roundedToInteger(x, APFloat::rmTowardPositive), std::nullopt)
FOLD_UNARY(FloorOp, roundedToInteger(x, APFloat::rmTowardNegative), std::nullopt)
FOLD_UNARY(RoundOp, roundedToInteger(x, APFloat::rmNearestTiesToAway), std::nullopt)
FOLD_UNARY(RoundEvenOp, roundedToInteger(x, APFloat::rmNearestTiesToEven), std::nullopt)
FOLD_UNARY(ExpOp, throughDouble(x, std::exp), std::nullopt)
FOLD_UNARY(Expm1Op, throughDouble(x, std::expm1), std::nullopt)
FOLD_UNARY(LogOp, throughDouble(x, std::log), std::nullopt)
FOLD_UNARY(Log1pOp, throughDouble(x, std::log1p), std::nullopt)
FOLD_UNARY(LogisticOp,
           throughDouble(x, [](double v) { return (v < 0 ? std::exp(v) : 1) / (1 + std::exp(-std::abs(v))); }),
           std::nullopt)
FOLD_UNARY(TanhOp, throughDouble(x, std::tanh), std::nullopt)
FOLD_UNARY(TanOp, throughDouble(x, std::tan), std::nullopt)
FOLD_UNARY(SinOp, throughDouble(x, std::sin), std::nullopt)
FOLD_UNARY(CosOp, throughDouble(x, std::cos), std::nullopt)
FOLD_UNARY(SqrtOp, squareRoot(x), std::nullopt)
FOLD_UNARY(RsqrtOp, throughDouble(x, [](double v) { return 1 / std::sqrt(v); }), std::nullopt)
FOLD_UNARY(CbrtOp, throughDouble(x, std::cbrt), std::nullopt)
FOLD_UNARY(ErfOp, throughDouble(x, std::erf), std::nullopt)
FOLD_UNARY(ErfcOp, throughDouble(x, std::erfc), std::nullopt)
FOLD_UNARY(NotOp, std::nullopt, ~i)
FOLD_UNARY(PopcntOp, std::nullopt, APInt(i.getBitWidth(), i.popcount()))
FOLD_UNARY(ClzOp, std::nullopt, APInt(i.getBitWidth(), i.countl_zero()))
#undef FOLD_UNARY

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  Operation *source = getOperand().getDefiningOp();
  if (isa_and_nonnull<AbsOp>(source) || isUnsigned(getType().getElementType()))
    return getOperand();
  if (auto neg = dyn_cast_or_null<NegOp>(source)) {
    getOperandMutable().assign(neg.getOperand());
    return getResult();
  }
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) -> FloatResult { return llvm::abs(x); },
      [](const APInt &i, bool) -> IntResult { return i.abs(); });
}

OpFoldResult IsFiniteOp::fold(FoldAdaptor adaptor) {
  return foldElements(getType(), {adaptor.getOperand()}, [](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    return APInt(1, std::get<APFloat>(x[0]).isFinite());
  });
}

OpFoldResult RealOp::fold(FoldAdaptor) {
  if (auto complex = getOperand().getDefiningOp<ComplexOp>())
    return complex.getLhs();
  return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : nullptr;
}

OpFoldResult ImagOp::fold(FoldAdaptor) {
  if (auto complex = getOperand().getDefiningOp<ComplexOp>())
    return complex.getRhs();
  if (getOperand().getType() == getType() && getType().hasStaticShape())
    return splatOf(getType(), 0);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

static Attribute foldBinary(RankedTensorType type, Attribute lhs, Attribute rhs,
                            function_ref<FloatResult(const APFloat &, const APFloat &)> onFloat,
                            function_ref<IntResult(const APInt &, const APInt &, bool isUnsigned)> onInt) {
  bool typeIsUnsigned = isUnsigned(type.getElementType());
  return foldElements(type, {lhs, rhs}, [&](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    if (const auto *f = std::get_if<APFloat>(&x[0]))
      return foldsArithmetic(*f) ? std::optional<Scalar>(onFloat(*f, std::get<APFloat>(x[1]))) : std::nullopt;
    return std::optional<Scalar>(onInt(std::get<APInt>(x[0]), std::get<APInt>(x[1]), typeIsUnsigned));
  });
}

/// The constant result of `op`, given one expression for floats x, y and one for integers i, j.
#define FOLD_BINARY(onFloat, onInt)                                                                                    \
  foldBinary(                                                                                                          \
      getType(), adaptor.getLhs(), adaptor.getRhs(),                                                                   \
      []([[maybe_unused]] const APFloat &x, [[maybe_unused]] const APFloat &y) -> FloatResult { return onFloat; },     \
      []([[maybe_unused]] const APInt &i, [[maybe_unused]] const APInt &j,                                             \
         [[maybe_unused]] bool isUnsigned) -> IntResult { return onInt; })

static APFloat remainderOf(APFloat x, const APFloat &y) {
  x.mod(y);
  return x;
}

static bool isFloatOne(Attribute constant) {
  std::optional<APFloat> value = splatFloat(constant);
  return value && value->isExactlyValue(1.0);
}

static bool isFloatZero(Attribute constant, bool negative) {
  std::optional<APFloat> value = splatFloat(constant);
  return value && value->isZero() && value->isNegative() == negative;
}

static bool isInfinity(Attribute constant, bool negative) {
  std::optional<APFloat> value = splatFloat(constant);
  return value && value->isInfinity() && value->isNegative() == negative;
}

static bool isPredicate(RankedTensorType type) { return type.getElementType().isSignlessInteger(1); }

/// Whether integers of the type are equal whenever they are the same value: floats may be NaN.
static bool isStaticInteger(RankedTensorType type) {
  return isa<IntegerType>(type.getElementType()) && type.hasStaticShape();
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isFloatZero(adaptor.getRhs(), /*negative=*/true) || isSplatInt(adaptor.getRhs(), 0))
    return getLhs();
  if (isPredicate(getType()))
    return FOLD_BINARY(std::nullopt, i | j);
  return FOLD_BINARY(x + y, i + j);
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isFloatZero(adaptor.getRhs(), /*negative=*/false) || isSplatInt(adaptor.getRhs(), 0))
    return getLhs();
  if (getLhs() == getRhs() && isStaticInteger(getType()))
    return splatOf(getType(), 0);
  return FOLD_BINARY(x - y, i - j);
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isFloatOne(adaptor.getRhs()) || isSplatInt(adaptor.getRhs(), 1))
    return getLhs();
  if (isSplatInt(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return FOLD_BINARY(x * y, i * j);
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isFloatOne(adaptor.getRhs()) || isSplatInt(adaptor.getRhs(), 1))
    return getLhs();
  return FOLD_BINARY(x / y, j.isZero() ? APInt::getAllOnes(i.getBitWidth()) : isUnsigned ? i.udiv(j) : i.sdiv(j));
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  return FOLD_BINARY(remainderOf(x, y), j.isZero() ? i : isUnsigned ? i.urem(j) : i.srem(j));
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isFloatOne(adaptor.getRhs()) || isSplatInt(adaptor.getRhs(), 1))
    return getLhs();
  auto power = [](const APFloat &x, const APFloat &y) -> FloatResult {
    if (&x.getSemantics() == &APFloat::IEEEdouble())
      return std::nullopt;
    return rounded(APFloat(std::pow(asDouble(x), asDouble(y))), x.getSemantics());
  };
  return foldBinary(getType(), adaptor.getLhs(), adaptor.getRhs(), power,
                    [](const APInt &, const APInt &, bool) -> IntResult { return std::nullopt; });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (isInfinity(adaptor.getRhs(), /*negative=*/true))
    return getLhs();
  return FOLD_BINARY(llvm::maximum(x, y), (isUnsigned ? i.ugt(j) : i.sgt(j)) ? i : j);
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  if (isInfinity(adaptor.getRhs(), /*negative=*/false))
    return getLhs();
  return FOLD_BINARY(llvm::minimum(x, y), (isUnsigned ? i.ult(j) : i.slt(j)) ? i : j);
}

OpFoldResult Atan2Op::fold(FoldAdaptor adaptor) {
  return FOLD_BINARY(&x.getSemantics() == &APFloat::IEEEdouble()
                         ? FloatResult()
                         : rounded(APFloat(std::atan2(asDouble(x), asDouble(y))), x.getSemantics()),
                     std::nullopt);
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), -1))
    return getLhs();
  if (isSplatInt(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return FOLD_BINARY(std::nullopt, i & j);
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0))
    return getLhs();
  if (isSplatInt(adaptor.getRhs(), -1))
    return adaptor.getRhs();
  return FOLD_BINARY(std::nullopt, i | j);
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0))
    return getLhs();
  if (getLhs() == getRhs() && getType().hasStaticShape())
    return splatOf(getType(), 0);
  return FOLD_BINARY(std::nullopt, i ^ j);
}

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0))
    return getLhs();
  return FOLD_BINARY(std::nullopt, i.shl(j));
}

OpFoldResult ShrArithOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0))
    return getLhs();
  return FOLD_BINARY(std::nullopt, i.ashr(j));
}

OpFoldResult ShrLogicOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0))
    return getLhs();
  return FOLD_BINARY(std::nullopt, i.lshr(j));
}
#undef FOLD_BINARY

template <typename T> static bool holds(Direction direction, const T &less, const T &equal) {
  switch (direction) {
  case Direction::eq:
    return equal;
  case Direction::ne:
    return !equal;
  case Direction::lt:
    return less;
  case Direction::le:
    return less || equal;
  case Direction::gt:
    return !less && !equal;
  case Direction::ge:
    return !less;
  }
  llvm_unreachable("a direction");
}

/// Integers in the order of IEEE 754's totalOrder.
static APInt totalOrderKey(const APFloat &x) {
  APInt bits = x.bitcastToAPInt();
  return bits.isNegative() ? ~bits : bits ^ APInt::getSignMask(bits.getBitWidth());
}

static bool compared(Direction direction, const APFloat &x, const APFloat &y, bool totalOrder) {
  if (totalOrder) {
    APInt i = totalOrderKey(x), j = totalOrderKey(y);
    return holds(direction, i.ult(j), i == j);
  }
  APFloat::cmpResult result = x.compare(y);
  if (result == APFloat::cmpUnordered)
    return direction == Direction::ne;
  return holds(direction, result == APFloat::cmpLessThan, result == APFloat::cmpEqual);
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getLhs().getType();
  Direction direction = getDirection();
  if (getLhs() == getRhs() && isStaticInteger(type))
    return splatOf(getType(), holds(direction, false, true));
  bool typeIsUnsigned = isUnsigned(type.getElementType()), totalOrder = getTotalOrder();
  return foldElements(getType(), {adaptor.getLhs(), adaptor.getRhs()},
                      [&](ArrayRef<Scalar> x) -> std::optional<Scalar> {
                        if (const auto *f = std::get_if<APFloat>(&x[0]))
                          return APInt(1, compared(direction, *f, std::get<APFloat>(x[1]), totalOrder));
                        const APInt &i = std::get<APInt>(x[0]), &j = std::get<APInt>(x[1]);
                        return APInt(1, holds(direction, typeIsUnsigned ? i.ult(j) : i.slt(j), i == j));
                      });
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (std::optional<APInt> pred = splatInt(adaptor.getPred()))
    return pred->isZero() ? getOnFalse() : getOnTrue();
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (isPredicate(getType()) && getPred().getType() == getType() && isSplatInt(adaptor.getOnTrue(), 1) &&
      isSplatInt(adaptor.getOnFalse(), 0))
    return getPred();
  return foldElements(getType(), adaptor.getOperands(), [](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    return std::get<APInt>(x[0]).isZero() ? x[2] : x[1];
  });
}

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  if (isInfinity(adaptor.getMin(), /*negative=*/true) && isInfinity(adaptor.getMax(), /*negative=*/false))
    return getOperand();
  // Clamping twice by the same bounds.
  auto inner = getOperand().getDefiningOp<ClampOp>();
  if (inner && inner.getMin() == getMin() && inner.getMax() == getMax())
    return getOperand();
  bool typeIsUnsigned = isUnsigned(getType().getElementType());
  return foldElements(getType(), adaptor.getOperands(), [&](ArrayRef<Scalar> v) -> std::optional<Scalar> {
    if (const auto *low = std::get_if<APFloat>(&v[0]))
      return llvm::minimum(llvm::maximum(std::get<APFloat>(v[1]), *low), std::get<APFloat>(v[2]));
    APInt low = std::get<APInt>(v[0]), x = std::get<APInt>(v[1]), high = std::get<APInt>(v[2]);
    if (typeIsUnsigned ? x.ult(low) : x.slt(low))
      x = low;
    return (typeIsUnsigned ? x.ugt(high) : x.sgt(high)) ? high : x;
  });
}

OpFoldResult FmaOp::fold(FoldAdaptor adaptor) {
  return foldElements(getType(), adaptor.getOperands(), [](ArrayRef<Scalar> v) -> std::optional<Scalar> {
    APFloat result = std::get<APFloat>(v[0]);
    if (!foldsArithmetic(result))
      return std::nullopt;
    result.fusedMultiplyAdd(std::get<APFloat>(v[1]), std::get<APFloat>(v[2]), APFloat::rmNearestTiesToEven);
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Out of range and NaN are left to run time.
static std::optional<Scalar> floatToInteger(const APFloat &x, IntegerType to) {
  if (to.getWidth() == 1)
    return APInt(1, !x.isZero());
  llvm::APSInt result(to.getWidth(), isUnsigned(to));
  bool isExact;
  if (x.convertToInteger(result, APFloat::rmTowardZero, &isExact) == APFloat::opInvalidOp)
    return std::nullopt;
  return APInt(result);
}

static std::optional<Scalar> converted(const Scalar &value, Type from, Type to) {
  auto toFloat = dyn_cast<FloatType>(to);
  if (const auto *x = std::get_if<APFloat>(&value)) {
    if (!toFloat)
      return floatToInteger(*x, cast<IntegerType>(to));
    if (toFloat.getWidth() < 16)
      return std::nullopt;
    return rounded(*x, toFloat.getFloatSemantics());
  }
  const APInt &i = std::get<APInt>(value);
  if (toFloat) {
    if (toFloat.getWidth() < 16)
      return std::nullopt;
    APFloat result(toFloat.getFloatSemantics());
    result.convertFromAPInt(i, !isUnsigned(from), APFloat::rmNearestTiesToEven);
    return result;
  }
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == 1)
    return APInt(1, !i.isZero());
  return isUnsigned(from) ? i.zextOrTrunc(width) : i.sextOrTrunc(width);
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  Type from = getOperand().getType().getElementType(), to = getType().getElementType();
  return foldElements(getType(), {adaptor.getOperand()}, [&](ArrayRef<Scalar> x) { return converted(x[0], from, to); });
}

OpFoldResult BitcastConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto inner = getOperand().getDefiningOp<BitcastConvertOp>();
  if (inner && inner.getOperand().getType().getShape() == getType().getShape()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  if (getOperand().getType().getShape() != getType().getShape())
    return nullptr;
  auto toFloat = dyn_cast<FloatType>(getType().getElementType());
  return foldElements(getType(), {adaptor.getOperand()}, [&](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    const auto *f = std::get_if<APFloat>(&x[0]);
    APInt bits = f ? f->bitcastToAPInt() : std::get<APInt>(x[0]);
    if (toFloat)
      return APFloat(toFloat.getFloatSemantics(), bits);
    return bits;
  });
}
