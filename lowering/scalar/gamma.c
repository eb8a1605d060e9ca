//===- gamma.c - the gamma function's family on one element --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lgamma and digamma: a polynomial around their zeros, Stirling's series from 3 on, for negative arguments the
// reflection formulas. zeta: the Euler-Maclaurin formula. Formulas: NIST Digital Library of Mathematical Functions,
// chapters 5 and 25.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/query.h"
#include "lowering/scalar/real.h"
#include "lowering/scalar/scalar_special.h"

#include <math.h>

/// From there on lgamma and digamma are by Stirling's series.
static const double stirlingStart = 3;

static MlirValue square(IrBuilder *b, MlirValue x) { return irMulF(b, x, x); }
static MlirValue reciprocal(IrBuilder *b, MlirValue x) { return irDivF(b, realLike(b, x, 1), x); }

/// The distance from the nearest integer, exactly; NaN for infinities.
static MlirValue fromInteger(IrBuilder *b, MlirValue x) { return irSubF(b, x, realOf(b, "math.roundeven", x)); }

static MlirValue isInteger(IrBuilder *b, MlirValue x) { return irCmpF(b, IR_CMPF_OEQ, x, realOf(b, "math.floor", x)); }

/// Of an integer.
static MlirValue isEven(IrBuilder *b, MlirValue x) { return isInteger(b, irMulF(b, x, realLike(b, x, 0.5))); }

//===----------------------------------------------------------------------===//
// lgamma
//===----------------------------------------------------------------------===//

/// Of x >= 0. Below 3, with y the distance from 2 that is left after steps of lgamma(x) = lgamma(x + 1) - log(x),
///
///   y P(y) - log(x (1 + x)),   y = x       below 0.5
///   y P(y) - log(x),           y = x - 1   below 1.5
///   y P(y),                    y = x - 2   below 3
///
/// which is small near 1 and 2 without cancellation: y is exact there. From 3 on
///
///   (x - 0.5) (log(x) - 1) + (log(2 pi) - 1) / 2 + P(1 / x^2) / x.
///
/// Within 5 units; near 1 the terms are 2.5 times their sum, at 3 an error of the logarithm counts four times.
static MlirValue lgammaOfPositive(IrBuilder *b, MlirValue x) {
  MlirValue isTiny = realCompare(b, IR_CMPF_OLT, x, 0.5), isNearOne = realCompare(b, IR_CMPF_OLT, x, 1.5);
  MlirValue isLarge = realCompare(b, IR_CMPF_OGE, x, stirlingStart), one = realLike(b, x, 1);
  MlirValue argument = irSelect(b, irOrI(b, isNearOne, isLarge), x, one);
  argument = irSelect(b, isTiny, realFma(b, x, x, x), argument);
  MlirValue logarithm = realOf(b, "math.log", argument);

  MlirValue start = irSelect(b, isTiny, realLike(b, x, 0), irSelect(b, isNearOne, one, realLike(b, x, 2)));
  MlirValue y = irSubF(b, x, start);
  MlirValue small = realFma(b, y, realPolynomial(b, &scalarLgammaNearTwo, y), realOf(b, "arith.negf", logarithm));

  MlirValue inverse = reciprocal(b, x);
  MlirValue series = realPolynomial(b, &scalarLgammaLarge, square(b, inverse));
  MlirValue rest = realFma(b, series, inverse, realLike(b, x, 0.5 * (log(2 * M_PI) - 1)));
  MlirValue large = realFma(b, irSubF(b, x, realLike(b, x, 0.5)), irSubF(b, logarithm, one), rest);
  return irSelect(b, isLarge, large, small);
}

/// Below zero log(pi / |sin(pi x)|) - lgamma(1 - x): within 8 units of the larger of the two terms, which cancel where
/// gamma(x) is 1 or -1.
MlirValue scalarLgamma(IrBuilder *b, MlirValue x) {
  MlirValue isNegative = realCompare(b, IR_CMPF_OLT, x, 0), infinity = realLike(b, x, INFINITY);
  MlirValue other = irSelect(b, isNegative, irSubF(b, realLike(b, x, 1), x), x);
  MlirValue value = lgammaOfPositive(b, realOf(b, "math.absf", other)); // of -0, infinity
  MlirValue distance = realOf(b, "math.absf", fromInteger(b, x));
  MlirValue sine = realOf(b, "math.sin", irMulF(b, distance, realLike(b, x, M_PI)));
  MlirValue isTiny = realCompare(b, IR_CMPF_OLT, distance, 0x1p-30); // and pi x may not be a normal number
  MlirValue quotient = irSelect(b, isTiny, distance, irMulF(b, sine, realLike(b, x, M_1_PI)));
  MlirValue factor = realOf(b, "arith.negf", realOf(b, "math.log", quotient));
  MlirValue reflected = irSubF(b, factor, value);
  MlirValue isPole = irOrI(b, realCompare(b, IR_CMPF_OEQ, distance, 0), realCompare(b, IR_CMPF_OEQ, x, -INFINITY));
  reflected = irSelect(b, isPole, infinity, reflected);
  return irSelect(b, isNegative, reflected, value);
}

//===----------------------------------------------------------------------===//
// digamma
//===----------------------------------------------------------------------===//

/// Of x >= 0.5. Below 3 a polynomial times (x - root) / (x (x + 1)), which takes the pole at zero and the one after it
/// away; the root is subtracted in two parts. From 3 on log(x) - 1 / (2 x) - P(1 / x^2) / x^2. Within 7 units: the
/// coefficients of the polynomial, whose terms are up to four times their sum, and five operations.
static MlirValue digammaOfPositive(IrBuilder *b, MlirValue x) {
  static const double root = 1.4616321449683623, rootTail = 9.5499954299656977e-17; // their sum
  bool isWide = mlirTypeIsAF64(mlirValueGetType(x));
  double head = isWide ? root : (float)root, tail = isWide ? rootTail : root - (float)root;
  MlirValue distance = irSubF(b, irSubF(b, x, realLike(b, x, head)), realLike(b, x, tail));
  MlirValue polynomial = realPolynomial(b, &scalarDigammaNearRoot, irSubF(b, x, realLike(b, x, 1.5)));
  MlirValue small = irDivF(b, irMulF(b, distance, polynomial), realFma(b, x, x, x));

  MlirValue inverse = reciprocal(b, x), z = square(b, inverse);
  MlirValue rest = realFma(b, z, realPolynomial(b, &scalarDigammaLarge, z), irMulF(b, inverse, realLike(b, x, 0.5)));
  MlirValue large = irSubF(b, realOf(b, "math.log", x), rest);
  return irSelect(b, realCompare(b, IR_CMPF_OLT, x, stirlingStart), small, large);
}

/// Below 0.5 it is digamma(1 - x) - pi / tan(pi x), which have one sign from 0 to 0.5 and cancel near the zeros below
/// 0. It is within 8 units of the larger of the two terms.
MlirValue scalarDigamma(IrBuilder *b, MlirValue x) {
  MlirValue pi = realLike(b, x, M_PI), isSmall = realCompare(b, IR_CMPF_OLT, x, 0.5);
  MlirValue other = irSelect(b, isSmall, irSubF(b, realLike(b, x, 1), x), x);
  MlirValue value = digammaOfPositive(b, other);
  MlirValue distance = fromInteger(b, x);
  MlirValue reflected = irSubF(b, value, irDivF(b, pi, realOf(b, "math.tan", irMulF(b, distance, pi))));
  MlirValue atZero = realOfTwo(b, "math.copysign", realLike(b, x, INFINITY), realOf(b, "arith.negf", x));
  MlirValue atPole = irSelect(b, realCompare(b, IR_CMPF_OEQ, x, 0), atZero, realLike(b, x, NAN));
  reflected = irSelect(b, realCompare(b, IR_CMPF_OEQ, distance, 0), atPole, reflected);
  return irSelect(b, isSmall, reflected, value);
}

//===----------------------------------------------------------------------===//
// zeta and polygamma
//===----------------------------------------------------------------------===//

enum { DIRECT_TERMS = 9 };

/// (q / (q + k))^order: a large order does not amplify the rounding of a quotient.
static MlirValue decayed(IrBuilder *b, MlirValue order, MlirValue k, MlirValue q) {
  MlirValue logarithm = realOf(b, "math.log1p", irDivF(b, k, q));
  return realOf(b, "math.exp", irMulF(b, realOf(b, "arith.negf", order), logarithm));
}

/// The terms k = 0, 1, ..., 8.
static MlirValue directTerms(IrBuilder *b, MlirValue order, MlirValue q) {
  MlirType type = mlirValueGetType(q);
  MlirOperation loop = irFor(b, irConstantIndex(b, 1), irConstantIndex(b, DIRECT_TERMS), irConstantIndex(b, 1),
                             IR_VALUES(reciprocal(b, q), realLike(b, q, 1)));
  MlirBlock block = irBody(loop, 0);
  IrBuilder body = irBuilderAtEnd(block, b->loc);
  MlirValue sum = mlirBlockGetArgument(block, 1), k = mlirBlockGetArgument(block, 2);
  MlirValue term = irDivF(&body, decayed(&body, order, k, q), irAddF(&body, q, k));
  irYield(&body, IR_VALUES(irAddF(&body, sum, term), irAddF(&body, k, irConstantFloat(&body, type, 1))));
  return irResult(loop, 0);
}

/// Horner's scheme for the sum over j > 0 of B_2j / (2j)! s (s+1) ... (s + 2j - 2) a^(-2j).
static MlirValue bernoulliTerms(IrBuilder *b, MlirValue s, MlirValue a) {
  static const double bernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
                                     5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
                                     43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};
  int count = mlirTypeIsAF64(mlirValueGetType(s)) ? 12 : 6;
  MlirValue inverse = reciprocal(b, a), zero = realLike(b, s, 0), one = realLike(b, s, 1), sum = zero;
  for (int j = count; j > 1; --j) { // each term is the one before it times (s + 2j - 3) (s + 2j - 2) / a^2 and a number
    double ratio = bernoulli[j - 1] / bernoulli[j - 2] / (2 * j * (2 * j - 1));
    MlirValue first = irMulF(b, irAddF(b, s, realLike(b, s, 2 * j - 3)), inverse);
    MlirValue second = irMulF(b, irAddF(b, s, realLike(b, s, 2 * j - 2)), inverse);
    sum = irMulF(b, irAddF(b, one, sum), irMulF(b, irMulF(b, first, second), realLike(b, s, ratio)));
  }
  MlirValue factor = irMulF(b, irMulF(b, irMulF(b, s, inverse), inverse), realLike(b, s, bernoulli[0] / 2));
  return irMulF(b, irAddF(b, one, sum), factor);
}

/// q^(s-1) zeta(s, q) of q > 0, which neither overflows nor underflows; `order` is s - 1. By the Euler-Maclaurin
/// formula, with a = q + 9:
///
///   sum over k < 9 of (q / (q + k))^(s-1) / (q + k)
///     + (q / a)^(s-1) (1 / (s - 1) + 1 / (2 a) + the Bernoulli terms)
///
/// The terms that are left out are largest, relative to the sum, for s near 1.5 a, where they are 2e-20 for f64.
static MlirValue zetaTimesPower(IrBuilder *b, MlirValue s, MlirValue order, MlirValue q) {
  MlirValue nine = realLike(b, q, DIRECT_TERMS), a = irAddF(b, q, nine);
  MlirValue bracket = irAddF(b, reciprocal(b, order), irMulF(b, reciprocal(b, a), realLike(b, a, 0.5)));
  bracket = irAddF(b, bracket, bernoulliTerms(b, s, a));
  MlirValue weight = decayed(b, order, nine, q);
  MlirValue isNothing = realCompare(b, IR_CMPF_OEQ, weight, 0); // then the bracket may have overflown
  return irAddF(b, directTerms(b, order, q), irSelect(b, isNothing, weight, irMulF(b, weight, bracket)));
}

/// (scale / q)^order; a `scale` that is null is 1.
static MlirValue scaledPower(IrBuilder *b, MlirValue scale, MlirValue q, MlirValue order) {
  if (mlirValueIsNull(scale)) // 1 / q would be rounded
    return realOfTwo(b, "math.powf", q, realOf(b, "arith.negf", order));
  return realOfTwo(b, "math.powf", irDivF(b, scale, q), order);
}

/// zeta(s, q) scale^(s-1) for q <= 0. With t the distance of q from the nearest integer, the terms of q + k > 0 are
/// those of zeta(s, |t|) or zeta(s, 1 - |t|). Those of q + k < 0 are (-1)^s times those of the other one, without those
/// of zeta(s, 1 - q), which go on beyond -q. The power of |t|, the least of the three, is taken out of all, unless its
/// factor cancels: for half-integers and odd s only the last is left. `beyond` is 1 - q, `beyondSum` zeta(s, 1 - q) (1
/// - q)^(s-1).
static MlirValue zetaBelowZero(IrBuilder *b, MlirValue s, MlirValue order, MlirValue q, MlirValue scale,
                               MlirValue beyond, MlirValue beyondSum) {
  MlirValue t = fromInteger(b, q), near = realOf(b, "math.absf", t), far = irSubF(b, realLike(b, q, 1), near);
  MlirValue isAbove = realCompare(b, IR_CMPF_OGT, t, 0), even = isEven(b, s);
  MlirValue sign = irSelect(b, even, realLike(b, q, 1), realLike(b, q, -1));

  MlirValue nearSum = zetaTimesPower(b, s, order, near), farSum = zetaTimesPower(b, s, order, far);
  farSum = irMulF(b, farSum, decayed(b, order, irSubF(b, far, near), near));
  MlirValue upwards = irSelect(b, isAbove, nearSum, farSum), downwards = irSelect(b, isAbove, farSum, nearSum);
  MlirValue both = irAddF(b, upwards, irMulF(b, sign, downwards));
  MlirValue rest = irMulF(b, beyondSum, decayed(b, order, irSubF(b, beyond, near), near));
  MlirValue sum = irMulF(b, irSubF(b, both, irMulF(b, sign, rest)), scaledPower(b, scale, near, order));
  MlirValue alone = irMulF(b, beyondSum, scaledPower(b, scale, beyond, order));

  MlirValue value = irSelect(b, realCompare(b, IR_CMPF_OEQ, both, 0), alone, sum);
  MlirValue atPole = irSelect(b, even, realLike(b, q, INFINITY), realLike(b, q, NAN));
  value = irSelect(b, realCompare(b, IR_CMPF_OEQ, t, 0), atPole, value);
  return irSelect(b, isInteger(b, s), value, realLike(b, q, NAN));
}

/// zeta(s, q) scale^(s-1), which may be finite where one of the factors is not.
static MlirValue scaledZeta(IrBuilder *b, MlirValue s, MlirValue order, MlirValue q, MlirValue scale) {
  MlirValue isPositive = realCompare(b, IR_CMPF_OGT, q, 0);
  MlirValue positive = irSelect(b, isPositive, q, irSubF(b, realLike(b, q, 1), q));
  MlirValue sum = zetaTimesPower(b, s, order, positive);
  MlirOperation branch = irIf(b, isPositive, IR_TYPES(mlirValueGetType(q)), true);
  IrBuilder above = irBuilderAtEnd(irBody(branch, 0), b->loc), below = irBuilderAtEnd(irBody(branch, 1), b->loc);
  irYield(&above, IR_VALUES(irMulF(&above, sum, scaledPower(&above, scale, q, order))));
  irYield(&below, IR_VALUES(zetaBelowZero(&below, s, order, q, scale, positive, sum)));
  return irResult(branch, 0);
}

/// A larger s gives the same result as this one: 0, 1 or infinity.
static const double largestExponent = 0x1p100;

/// Within 10 units for q > 0: the power, of each of the terms exp and log1p. For q < 0 within that of the larger of the
/// sums over q + k < 0 and over q + k > 0, which cancel for odd s. The rounding of 1 - |t| and 1 - q counts s times.
MlirValue scalarZeta(IrBuilder *b, MlirValue s, MlirValue q) {
  MlirValue none = {NULL}, sum = irAddF(b, s, q), isNumber = irCmpF(b, IR_CMPF_ORD, s, q);
  MlirValue exponent = irMinimumF(b, s, realLike(b, s, largestExponent));
  MlirValue value = scaledZeta(b, exponent, irSubF(b, exponent, realLike(b, s, 1)), q, none);
  value = irSelect(b, realCompare(b, IR_CMPF_OEQ, s, 1), realLike(b, s, INFINITY), value);
  value = irSelect(b, realCompare(b, IR_CMPF_OLT, s, 1), realLike(b, s, NAN), value);
  return irSelect(b, isNumber, value, sum);
}

/// digamma for n = 0, else (-1)^(n+1) n! zeta(n + 1, x), where n! is the n-th power of exp(lgamma(n + 1) / n). Within
/// 10 units and two for each of n and lgamma(n + 1), by which the power amplifies the rounding of its base.
MlirValue scalarPolygamma(IrBuilder *b, MlirValue n, MlirValue x) {
  MlirValue one = realLike(b, n, 1), order = irMinimumF(b, n, realLike(b, n, largestExponent));
  MlirValue s = irAddF(b, order, one);
  MlirValue scale = realOf(b, "math.exp", irDivF(b, lgammaOfPositive(b, realOf(b, "math.absf", s)), order));
  MlirValue magnitude = scaledZeta(b, s, order, x, scale);
  MlirValue value = irSelect(b, isEven(b, order), realOf(b, "arith.negf", magnitude), magnitude);
  value = irSelect(b, realCompare(b, IR_CMPF_OEQ, n, 0), scalarDigamma(b, x), value);
  MlirValue isFinite = realCompare(b, IR_CMPF_OLT, n, INFINITY);
  MlirValue isOrder = irAndI(b, realCompare(b, IR_CMPF_OGE, n, 0), irAndI(b, isInteger(b, n), isFinite));
  MlirValue isNumber = irCmpF(b, IR_CMPF_ORD, n, x);
  return irSelect(b, irAndI(b, isOrder, isNumber), value, realLike(b, x, NAN));
}
