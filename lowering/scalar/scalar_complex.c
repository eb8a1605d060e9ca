//===- scalar_complex.c - arithmetic on one complex element ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic by the textbook's formulas on the real and imaginary parts. They are scaled by powers of two where a
// magnitude, a square or a factor would overflow, or lose digits among subnormal numbers, and the result would not. An
// error is one of the whole number: relative to its magnitude.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/scalar_complex.h"

#include "ir/mlir/query.h"

#include <math.h>

typedef struct {
  MlirValue re, im;
} ComplexParts;

//===----------------------------------------------------------------------===//
// Real numbers
//===----------------------------------------------------------------------===//

static MlirValue real(IrBuilder *b, MlirValue like, double value) {
  return irConstantFloat(b, mlirValueGetType(like), value);
}

static MlirValue of(IrBuilder *b, const char *name, MlirValue x) { return irUnary(b, name, x, mlirValueGetType(x)); }

static MlirValue binary(IrBuilder *b, const char *name, MlirValue x, MlirValue y) {
  return irValueOf(b, name, IR_VALUES(x, y), mlirValueGetType(x), IR_NO_ATTRS);
}

static MlirValue negated(IrBuilder *b, MlirValue x) { return of(b, "arith.negf", x); }

/// sqrt(x^2 + y^2): the larger times sqrt(1 + (smaller / larger)^2). Infinity if one is, even next to NaN.
static MlirValue hypotenuse(IrBuilder *b, MlirValue x, MlirValue y) {
  MlirValue zero = real(b, x, 0), infinity = real(b, x, INFINITY);
  x = of(b, "math.absf", x);
  y = of(b, "math.absf", y);
  MlirValue large = irMaximumF(b, x, y), small = irMinimumF(b, x, y);
  MlirValue ratio = irDivF(b, small, large);
  MlirValue root = of(b, "math.sqrt", irAddF(b, real(b, x, 1), irMulF(b, ratio, ratio)));
  MlirValue value = irSelect(b, irCmpF(b, IR_CMPF_OEQ, large, zero), zero, irMulF(b, large, root));
  MlirValue isInfinite = irOrI(b, irCmpF(b, IR_CMPF_OEQ, x, infinity), irCmpF(b, IR_CMPF_OEQ, y, infinity));
  return irSelect(b, isInfinite, infinity, value);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static ComplexParts partsOf(IrBuilder *b, MlirValue value) {
  MlirType part = mlirComplexTypeGetElementType(mlirValueGetType(value));
  return (ComplexParts){irUnary(b, "complex.re", value, part), irUnary(b, "complex.im", value, part)};
}

static MlirValue whole(IrBuilder *b, ComplexParts z) {
  return irValueOf(b, "complex.create", IR_VALUES(z.re, z.im), mlirComplexTypeGet(mlirValueGetType(z.re)), IR_NO_ATTRS);
}

MlirValue scalarRealPart(IrBuilder *b, MlirValue x) {
  return mlirTypeIsAComplex(mlirValueGetType(x)) ? partsOf(b, x).re : x;
}

MlirValue scalarConjugate(IrBuilder *b, MlirValue x) {
  if (!mlirTypeIsAComplex(mlirValueGetType(x)))
    return x;
  ComplexParts parts = partsOf(b, x);
  return whole(b, (ComplexParts){parts.re, negated(b, parts.im)});
}

static ComplexParts add(IrBuilder *b, ComplexParts x, ComplexParts y) {
  return (ComplexParts){irAddF(b, x.re, y.re), irAddF(b, x.im, y.im)};
}
static ComplexParts subtract(IrBuilder *b, ComplexParts x, ComplexParts y) {
  return (ComplexParts){irSubF(b, x.re, y.re), irSubF(b, x.im, y.im)};
}
static ComplexParts scale(IrBuilder *b, ComplexParts x, MlirValue factor) {
  return (ComplexParts){irMulF(b, x.re, factor), irMulF(b, x.im, factor)};
}

static ComplexParts choose(IrBuilder *b, MlirValue which, ComplexParts x, ComplexParts y) {
  return (ComplexParts){irSelect(b, which, x.re, y.re), irSelect(b, which, x.im, y.im)};
}

static ComplexParts opposite(IrBuilder *b, ComplexParts z) {
  return (ComplexParts){negated(b, z.re), negated(b, z.im)};
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

/// Numbers above 2^threshold are multiplied by 2^-step, those below 2^-threshold by 2^step, in f32 and in f64. Steps
/// are multiples of two and three, for roots.
typedef struct {
  int threshold[2], step[2];
} Scale;

/// The scales that keep twice a number finite, and a subnormal number's last place at 2^-36 of it: two steps together
/// are a number, too.
static const Scale byMagnitude = {{96, 900}, {36, 96}};
/// The scales that keep squares between 2^-106 and 2^100, in f64 between 2^-744 and 2^900.
static const Scale bySquare = {{50, 450}, {96, 702}};

/// A scaled number, with its scale.
typedef struct {
  MlirValue isLarge, isSmall;
  int step;
} Scaled;

static MlirValue largerPart(IrBuilder *b, ComplexParts z) {
  return irMaximumF(b, of(b, "math.absf", z.re), of(b, "math.absf", z.im));
}

static Scaled scaledFor(IrBuilder *b, MlirValue magnitude, const Scale *scale) {
  bool isWide = mlirTypeIsAF64(mlirValueGetType(magnitude));
  int threshold = scale->threshold[isWide];
  return (Scaled){irCmpF(b, IR_CMPF_OGT, magnitude, real(b, magnitude, ldexp(1, threshold))),
                  irCmpF(b, IR_CMPF_OLT, magnitude, real(b, magnitude, ldexp(1, -threshold))), scale->step[isWide]};
}

/// One of three numbers by the scale; `other` if the number was neither large nor small.
static MlirValue byScale(IrBuilder *b, MlirValue like, const Scaled *s, double large, double small, double other) {
  return irSelect(b, s->isLarge, real(b, like, large),
                  irSelect(b, s->isSmall, real(b, like, small), real(b, like, other)));
}

static MlirValue factorOf(IrBuilder *b, MlirValue like, const Scaled *s) {
  return byScale(b, like, s, ldexp(1, -s->step), ldexp(1, s->step), 1);
}

/// The inverse scale in the root of degree `degree`.
static MlirValue factorBack(IrBuilder *b, MlirValue like, const Scaled *s, int degree) {
  return byScale(b, like, s, ldexp(1, s->step / degree), ldexp(1, -s->step / degree), 1);
}

/// Replaces a number by the scaled one.
static Scaled scaleByMagnitude(IrBuilder *b, ComplexParts *z) {
  Scaled s = scaledFor(b, largerPart(b, *z), &byMagnitude);
  *z = scale(b, *z, factorOf(b, z->re, &s));
  return s;
}

/// Whether e^x may be infinite where a part of it is not.
static MlirValue isLargeExponent(IrBuilder *b, MlirValue x) {
  return irCmpF(b, IR_CMPF_OGT, x, real(b, x, mlirTypeIsAF64(mlirValueGetType(x)) ? 709 : 88));
}

static MlirValue halfIf(IrBuilder *b, MlirValue condition, MlirValue x) {
  return irSelect(b, condition, irMulF(b, x, real(b, x, 0.5)), x);
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

static ComplexParts multiply(IrBuilder *b, ComplexParts x, ComplexParts y) {
  return (ComplexParts){irSubF(b, irMulF(b, x.re, y.re), irMulF(b, x.im, y.im)),
                        irAddF(b, irMulF(b, x.re, y.im), irMulF(b, x.im, y.re))};
}

/// Smith's algorithm: numerator and denominator are divided by the larger part of the denominator.
static ComplexParts divideScaled(IrBuilder *b, ComplexParts x, ComplexParts y) {
  MlirValue isReal = irCmpF(b, IR_CMPF_OGE, of(b, "math.absf", y.re), of(b, "math.absf", y.im));
  MlirValue large = irSelect(b, isReal, y.re, y.im), small = irSelect(b, isReal, y.im, y.re);
  MlirValue ratio = irDivF(b, small, large);
  MlirValue divisor = irAddF(b, large, irMulF(b, small, ratio));
  MlirValue re = irSelect(b, isReal, irAddF(b, x.re, irMulF(b, x.im, ratio)), irAddF(b, irMulF(b, x.re, ratio), x.im));
  MlirValue im = irSelect(b, isReal, irSubF(b, x.im, irMulF(b, x.re, ratio)), irSubF(b, irMulF(b, x.im, ratio), x.re));
  return (ComplexParts){irDivF(b, re, divisor), irDivF(b, im, divisor)};
}

static ComplexParts divide(IrBuilder *b, ComplexParts x, ComplexParts y) {
  Scaled above = scaleByMagnitude(b, &x), below = scaleByMagnitude(b, &y);
  MlirValue factor = irMulF(b, factorOf(b, x.re, &below), factorBack(b, x.re, &above, 1));
  return scale(b, divideScaled(b, x, y), factor);
}

/// In two steps where e^x is large; 0 where it is 0, whatever the imaginary part.
static ComplexParts exponential(IrBuilder *b, ComplexParts z) {
  MlirValue isLarge = isLargeExponent(b, z.re);
  MlirValue magnitude = of(b, "math.exp", halfIf(b, isLarge, z.re));
  ComplexParts direction = {of(b, "math.cos", z.im), of(b, "math.sin", z.im)};
  ComplexParts value = scale(b, direction, magnitude);
  value = choose(b, isLarge, scale(b, value, magnitude), value);
  value = choose(b, irCmpF(b, IR_CMPF_OEQ, magnitude, real(b, z.re, 0)), (ComplexParts){magnitude, magnitude}, value);
  // Without imaginary part there is none, even of an infinite number.
  value.im = irSelect(b, irCmpF(b, IR_CMPF_OEQ, z.im, real(b, z.im, 0)), z.im, value.im);
  return value;
}

/// The real part of magnitudes around 1 is log1p((x - 1) (x + 1) + y^2) / 2, with |x| the larger part.
static ComplexParts logarithm(IrBuilder *b, ComplexParts z) {
  MlirValue angle = binary(b, "math.atan2", z.im, z.re), one = real(b, z.re, 1);
  Scaled s = scaleByMagnitude(b, &z); // a scaled number is not around 1
  MlirValue magnitude = hypotenuse(b, z.re, z.im), scaledBy = byScale(b, z.re, &s, s.step * M_LN2, -s.step * M_LN2, 0);
  MlirValue x = of(b, "math.absf", z.re), y = of(b, "math.absf", z.im);
  MlirValue large = irMaximumF(b, x, y), small = irMinimumF(b, x, y);
  MlirValue excess = irAddF(b, irMulF(b, irSubF(b, large, one), irAddF(b, large, one)), irMulF(b, small, small));
  MlirValue near = irMulF(b, of(b, "math.log1p", excess), real(b, z.re, 0.5));
  MlirValue isNear = irAndI(b, irCmpF(b, IR_CMPF_OGT, magnitude, real(b, z.re, 0.5)),
                            irCmpF(b, IR_CMPF_OLT, magnitude, real(b, z.re, 2)));
  return (ComplexParts){irSelect(b, isNear, near, irAddF(b, of(b, "math.log", magnitude), scaledBy)), angle};
}

/// r = sqrt((|z| + |re z|) / 2) is one part, im z / (2 r) the other; which, the sign of re z says.
static ComplexParts squareRoot(IrBuilder *b, ComplexParts z) {
  Scaled s = scaleByMagnitude(b, &z);
  MlirValue zero = real(b, z.re, 0), half = real(b, z.re, 0.5);
  MlirValue magnitude = of(b, "math.absf", z.re);
  MlirValue sum = irAddF(b, irMulF(b, hypotenuse(b, z.re, z.im), half), irMulF(b, magnitude, half));
  MlirValue root = of(b, "math.sqrt", sum), other = irDivF(b, irMulF(b, z.im, half), root);
  MlirValue isRight = irCmpF(b, IR_CMPF_OGE, z.re, zero);
  ComplexParts right = {root, other};
  ComplexParts left = {of(b, "math.absf", other), binary(b, "math.copysign", root, z.im)};
  MlirValue isZero = irCmpF(b, IR_CMPF_OEQ, root, zero);
  ComplexParts value = choose(b, isZero, (ComplexParts){zero, z.im}, choose(b, isRight, right, left));
  return scale(b, value, factorBack(b, z.re, &s, 2));
}

/// factor cosh x, or factor sinh x; in two steps where e^|x| is large, and the rest of the sum negligible.
static MlirValue timesHyperbolic(IrBuilder *b, MlirValue factor, MlirValue x, bool isSine) {
  MlirValue half = real(b, x, 0.5), one = real(b, x, 1), magnitude = of(b, "math.absf", x);
  MlirValue isLarge = isLargeExponent(b, magnitude), exponent = halfIf(b, isLarge, magnitude);
  MlirValue e = of(b, isSine ? "math.expm1" : "math.exp", exponent);
  MlirValue rest = isSine ? irDivF(b, e, irAddF(b, e, one)) : irDivF(b, one, e);
  MlirValue value = irMulF(b, half, irSelect(b, isLarge, e, irAddF(b, e, rest)));
  MlirValue product = irMulF(b, factor, isSine ? binary(b, "math.copysign", value, x) : value);
  return irSelect(b, isLarge, irMulF(b, product, e), product);
}

/// sin(x + iy) = sin x cosh y + i cos x sinh y
static ComplexParts sine(IrBuilder *b, ComplexParts z) {
  return (ComplexParts){timesHyperbolic(b, of(b, "math.sin", z.re), z.im, false),
                        timesHyperbolic(b, of(b, "math.cos", z.re), z.im, true)};
}

/// cos(x + iy) = cos x cosh y - i sin x sinh y
static ComplexParts cosine(IrBuilder *b, ComplexParts z) {
  return (ComplexParts){timesHyperbolic(b, of(b, "math.cos", z.re), z.im, false),
                        negated(b, timesHyperbolic(b, of(b, "math.sin", z.re), z.im, true))};
}

/// With T = tanh x and t = tan y: (T (1 + t^2) + i t (1 - T^2)) / (1 + T^2 t^2)
static ComplexParts hyperbolicTangent(IrBuilder *b, ComplexParts z) {
  MlirValue one = real(b, z.re, 1), large = of(b, "math.tanh", z.re);
  MlirValue cosh = timesHyperbolic(b, one, z.re, false), cosine = of(b, "math.cos", z.im),
            sine = of(b, "math.sin", z.im);
  MlirValue rest = irDivF(b, one, irMulF(b, cosh, cosh)); // 1 - T^2
  // Times cos^2 y, which may be zero: T + i sin y cos y (1 - T^2) over cos^2 y + T^2 sin^2 y.
  MlirValue sineSquare = irMulF(b, sine, sine), cosineSquare = irMulF(b, cosine, cosine);
  MlirValue divisor = irAddF(b, cosineSquare, irMulF(b, irMulF(b, large, large), sineSquare));
  return (ComplexParts){irDivF(b, large, divisor), irDivF(b, irMulF(b, irMulF(b, sine, cosine), rest), divisor)};
}

/// tan z = -i tanh(iz)
static ComplexParts tangent(IrBuilder *b, ComplexParts z) {
  ComplexParts turned = {negated(b, z.im), z.re}, value = hyperbolicTangent(b, turned);
  return (ComplexParts){value.im, negated(b, value.re)};
}

static ComplexParts constant(IrBuilder *b, ComplexParts like, double value) {
  return (ComplexParts){real(b, like.re, value), real(b, like.re, 0)};
}

/// exp(x + iy) - 1 = expm1(x) cos y - 2 sin^2(y / 2) + i exp(x) sin y
static ComplexParts exponentialMinusOne(IrBuilder *b, ComplexParts z) {
  MlirValue half = of(b, "math.sin", irMulF(b, z.im, real(b, z.im, 0.5)));
  MlirValue drop = irMulF(b, irMulF(b, half, half), real(b, z.im, 2));
  MlirValue re = irSubF(b, irMulF(b, of(b, "math.expm1", z.re), of(b, "math.cos", z.im)), drop);
  ComplexParts exponent = exponential(b, z);
  return (ComplexParts){irSelect(b, isLargeExponent(b, z.re), exponent.re, re), exponent.im};
}

/// The real part is log1p(x (2 + x) + y^2) / 2.
static ComplexParts logarithmPlusOne(IrBuilder *b, ComplexParts z) {
  MlirValue one = real(b, z.re, 1), two = real(b, z.re, 2), shifted = irAddF(b, z.re, one);
  MlirValue square = irAddF(b, irMulF(b, z.re, irAddF(b, two, z.re)), irMulF(b, z.im, z.im));
  MlirValue isSmall = irCmpF(b, IR_CMPF_OLT, hypotenuse(b, z.re, z.im), real(b, z.re, 0.5));
  MlirValue small = irMulF(b, of(b, "math.log1p", square), real(b, z.re, 0.5));
  ComplexParts large = logarithm(b, (ComplexParts){shifted, z.im});
  return (ComplexParts){irSelect(b, isSmall, small, large.re), large.im};
}

/// 0 to any power but 0 is 0, any number to the power of 0 is 1.
static ComplexParts power(IrBuilder *b, ComplexParts x, ComplexParts y) {
  MlirValue zero = real(b, x.re, 0);
  ComplexParts value = exponential(b, multiply(b, y, logarithm(b, x))), one = constant(b, x, 1);
  MlirValue isZero = irAndI(b, irCmpF(b, IR_CMPF_OEQ, x.re, zero), irCmpF(b, IR_CMPF_OEQ, x.im, zero));
  MlirValue toZero = irAndI(b, irCmpF(b, IR_CMPF_OEQ, y.re, zero), irCmpF(b, IR_CMPF_OEQ, y.im, zero));
  ComplexParts parts = {irSelect(b, isZero, zero, value.re), irSelect(b, isZero, zero, value.im)};
  return (ComplexParts){irSelect(b, toZero, one.re, parts.re), irSelect(b, toZero, one.im, parts.im)};
}

/// The root of the magnitude, at a third of the angle.
static ComplexParts cubeRoot(IrBuilder *b, ComplexParts z) {
  MlirValue angle = irMulF(b, binary(b, "math.atan2", z.im, z.re), real(b, z.re, 1.0 / 3));
  Scaled s = scaleByMagnitude(b, &z);
  MlirValue root = irMulF(b, of(b, "math.cbrt", hypotenuse(b, z.re, z.im)), factorBack(b, z.re, &s, 3));
  return scale(b, (ComplexParts){of(b, "math.cos", angle), of(b, "math.sin", angle)}, root);
}

/// -i log(s / r), where s = x + i y and r = sqrt(x^2 + y^2) = sqrt(s (x - i y)). Near 1 the quotient is 1 + 2 i y s /
/// (r (s + r)), of which no digits are lost.
static ComplexParts arcTangent(IrBuilder *b, ComplexParts y, ComplexParts x) {
  Scaled s = scaledFor(b, irMaximumF(b, largerPart(b, y), largerPart(b, x)), &bySquare);
  y = scale(b, y, factorOf(b, y.re, &s));
  x = scale(b, x, factorOf(b, x.re, &s));
  ComplexParts turned = {negated(b, y.im), y.re};
  ComplexParts sum = add(b, x, turned), root = squareRoot(b, multiply(b, sum, subtract(b, x, turned)));
  ComplexParts quotient = divide(b, sum, root);
  ComplexParts product = multiply(b, turned, sum);
  ComplexParts excess = divide(b, add(b, product, product), multiply(b, root, add(b, sum, root)));
  ComplexParts near = logarithmPlusOne(b, excess), far = logarithm(b, quotient);
  MlirValue distance = hypotenuse(b, irSubF(b, quotient.re, real(b, quotient.re, 1)), quotient.im);
  MlirValue isNear = irCmpF(b, IR_CMPF_OLT, distance, real(b, distance, 0.5));
  return (ComplexParts){irSelect(b, isNear, near.im, far.im), negated(b, irSelect(b, isNear, near.re, far.re))};
}

/// 1 / (1 + e^-z), or e^z / (1 + e^z): of the two exponentials the one that is not large.
static ComplexParts complexLogistic(IrBuilder *b, ComplexParts z) {
  MlirValue isLeft = irCmpF(b, IR_CMPF_OLT, z.re, real(b, z.re, 0));
  ComplexParts e = exponential(b, choose(b, isLeft, z, opposite(b, z))), one = constant(b, z, 1);
  return divide(b, choose(b, isLeft, e, one), add(b, one, e));
}

/// z / |z|, and 0 of 0.
static ComplexParts sign(IrBuilder *b, ComplexParts z) {
  scaleByMagnitude(b, &z);
  MlirValue magnitude = hypotenuse(b, z.re, z.im);
  MlirValue isZero = irCmpF(b, IR_CMPF_OEQ, magnitude, real(b, z.re, 0));
  return (ComplexParts){irSelect(b, isZero, z.re, irDivF(b, z.re, magnitude)),
                        irSelect(b, isZero, z.im, irDivF(b, z.im, magnitude))};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

MlirValue scalarComplexConstant(IrBuilder *b, MlirType element, double value) {
  MlirType part = mlirComplexTypeGetElementType(element);
  return whole(b, (ComplexParts){irConstantFloat(b, part, value), irConstantFloat(b, part, 0)});
}

MlirValue scalarComplexCombine(IrBuilder *b, TgKind kind, MlirValue lhs, MlirValue rhs) {
  ComplexParts x = partsOf(b, lhs), y = partsOf(b, rhs);
  switch (kind) {
  case TG_add:
    return whole(b, add(b, x, y));
  case TG_sub:
    return whole(b, subtract(b, x, y));
  case TG_mul:
    return whole(b, multiply(b, x, y));
  case TG_div:
    return whole(b, divide(b, x, y));
  case TG_pow:
    return whole(b, power(b, x, y));
  case TG_atan2:
    return whole(b, arcTangent(b, x, y));
  default:
    return (MlirValue){NULL};
  }
}

static MlirValue compare(IrBuilder *b, MlirOperation op, ComplexParts x, ComplexParts y) {
  bool isEqual = irGetInt(op, "direction", TG_EQ) == TG_EQ;
  IrCmpFPredicate predicate = isEqual ? IR_CMPF_OEQ : IR_CMPF_UNE;
  MlirValue re = irCmpF(b, predicate, x.re, y.re), im = irCmpF(b, predicate, x.im, y.im);
  return isEqual ? irAndI(b, re, im) : irOrI(b, re, im);
}

static MlirValue unary(IrBuilder *b, TgKind kind, ComplexParts z) {
  switch (kind) {
  case TG_abs:
    return hypotenuse(b, z.re, z.im);
  case TG_real:
    return z.re;
  case TG_imag:
    return z.im;
  case TG_neg:
    return whole(b, opposite(b, z));
  case TG_sign:
    return whole(b, sign(b, z));
  case TG_exp:
    return whole(b, exponential(b, z));
  case TG_expm1:
    return whole(b, exponentialMinusOne(b, z));
  case TG_log:
    return whole(b, logarithm(b, z));
  case TG_log1p:
    return whole(b, logarithmPlusOne(b, z));
  case TG_logistic:
    return whole(b, complexLogistic(b, z));
  case TG_cbrt:
    return whole(b, cubeRoot(b, z));
  case TG_sqrt:
    return whole(b, squareRoot(b, z));
  case TG_rsqrt:
    return whole(b, divide(b, constant(b, z, 1), squareRoot(b, z)));
  case TG_sin:
    return whole(b, sine(b, z));
  case TG_cos:
    return whole(b, cosine(b, z));
  case TG_tan:
    return whole(b, tangent(b, z));
  case TG_tanh:
    return whole(b, hyperbolicTangent(b, z));
  default:
    return (MlirValue){NULL};
  }
}

MlirValue scalarComplexOperation(IrBuilder *b, MlirOperation op, const MlirValue *operands) {
  TgKind kind = tgKindOf(op);
  if (kind == TG_complex)
    return whole(b, (ComplexParts){operands[0], operands[1]});
  if (kind == TG_compare)
    return compare(b, op, partsOf(b, operands[0]), partsOf(b, operands[1]));
  if (mlirOperationGetNumOperands(op) == 2)
    return scalarComplexCombine(b, kind, operands[0], operands[1]);
  return mlirOperationGetNumOperands(op) == 1 ? unary(b, kind, partsOf(b, operands[0])) : (MlirValue){NULL};
}
