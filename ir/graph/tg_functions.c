//===- tg_functions.c - functions of those that tg has -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas that keep small relative errors everywhere: no difference of nearly equal values, no overflow on the way to
// a finite result. Elements of fewer than 32 bits are computed in f32.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_functions.h"

#include <math.h>

static MlirValue constantLike(IrBuilder *b, MlirValue like, double value) { return tgSplatLike(b, like, value); }

/// sqrt((1 - x) (1 + x)): both factors are exact where they are small.
static MlirValue otherSide(IrBuilder *b, MlirValue x) {
  MlirValue one = constantLike(b, x, 1);
  return tgUnary(b, "tg.sqrt", tgMul(b, tgSub(b, one, x), tgAdd(b, one, x)));
}

static MlirValue asinOf(IrBuilder *b, MlirValue x) { return tgBinary(b, "tg.atan2", x, otherSide(b, x)); }
static MlirValue acosOf(IrBuilder *b, MlirValue x) { return tgBinary(b, "tg.atan2", otherSide(b, x), x); }

/// With the sign of `x`.
static MlirValue withSign(IrBuilder *b, MlirValue magnitude, MlirValue x) {
  return tgMul(b, magnitude, tgUnary(b, "tg.sign", x));
}

/// exp(x) / 2 of large x: exp(x / 2) twice, as exp(x) overflows before.
static MlirValue halfExp(IrBuilder *b, MlirValue x) {
  MlirValue root = tgUnary(b, "tg.exp", tgMul(b, x, constantLike(b, x, 0.5)));
  return tgMul(b, tgMul(b, root, constantLike(b, x, 0.5)), root);
}

/// Beyond it the smaller of exp(x) and exp(-x) is below half a unit in the last place of the larger.
static MlirValue isLargeMagnitude(IrBuilder *b, MlirValue magnitude) {
  return tgCompare(b, TG_GT, magnitude, constantLike(b, magnitude, 22));
}

/// (e + e / (e + 1)) / 2 with e = expm1(|x|)
static MlirValue sinhOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x), e = tgUnary(b, "tg.expm1", magnitude);
  MlirValue sum = tgAdd(b, e, tgDiv(b, e, tgAdd(b, e, constantLike(b, x, 1))));
  MlirValue small = tgMul(b, sum, constantLike(b, x, 0.5));
  MlirValue value = tgSelect(b, isLargeMagnitude(b, magnitude), halfExp(b, magnitude), small);
  return tgSelect(b, tgCompare(b, TG_EQ, x, constantLike(b, x, 0)), x, withSign(b, value, x));
}

static MlirValue coshOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x), e = tgUnary(b, "tg.exp", magnitude);
  MlirValue small = tgMul(b, tgAdd(b, e, tgDiv(b, constantLike(b, x, 1), e)), constantLike(b, x, 0.5));
  return tgSelect(b, isLargeMagnitude(b, magnitude), halfExp(b, magnitude), small);
}

/// log(2 x) of large x
static MlirValue logOfTwice(IrBuilder *b, MlirValue x) {
  return tgAdd(b, tgUnary(b, "tg.log", x), constantLike(b, x, M_LN2));
}

/// Whether 1 does not count next to the square.
static MlirValue hasLargeSquare(IrBuilder *b, MlirValue magnitude) {
  return tgCompare(b, TG_GT, magnitude, constantLike(b, magnitude, ldexp(1, 28)));
}

/// log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
static MlirValue asinhOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x), square = tgMul(b, x, x), one = constantLike(b, x, 1);
  MlirValue root = tgUnary(b, "tg.sqrt", tgAdd(b, square, one));
  MlirValue excess = tgAdd(b, magnitude, tgDiv(b, square, tgAdd(b, one, root)));
  MlirValue value = tgSelect(b, hasLargeSquare(b, magnitude), logOfTwice(b, magnitude), tgUnary(b, "tg.log1p", excess));
  return tgSelect(b, tgCompare(b, TG_EQ, x, constantLike(b, x, 0)), x, withSign(b, value, x));
}

/// log1p(t + sqrt(2 t + t^2)) with t = x - 1
static MlirValue acoshOf(IrBuilder *b, MlirValue x) {
  MlirValue t = tgSub(b, x, constantLike(b, x, 1));
  MlirValue root = tgUnary(b, "tg.sqrt", tgAdd(b, tgAdd(b, t, t), tgMul(b, t, t)));
  MlirValue value = tgSelect(b, hasLargeSquare(b, x), logOfTwice(b, x), tgUnary(b, "tg.log1p", tgAdd(b, t, root)));
  return tgSelect(b, tgCompare(b, TG_LT, x, constantLike(b, x, 1)), constantLike(b, x, NAN), value);
}

/// log1p(2 |x| / (1 - |x|)) / 2
static MlirValue atanhOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x);
  MlirValue quotient = tgDiv(b, tgAdd(b, magnitude, magnitude), tgSub(b, constantLike(b, x, 1), magnitude));
  MlirValue value = tgMul(b, tgUnary(b, "tg.log1p", quotient), constantLike(b, x, 0.5));
  return tgSelect(b, tgCompare(b, TG_EQ, x, constantLike(b, x, 0)), x, withSign(b, value, x));
}

//===----------------------------------------------------------------------===//
// Of complex numbers: Kahan, Branch cuts for complex elementary functions, 1987
//===----------------------------------------------------------------------===//

TgParts tgPartsOf(IrBuilder *b, MlirValue z) {
  MlirType part = tgWithElement(mlirValueGetType(z), mlirComplexTypeGetElementType(irElementTypeOf(z)));
  return (TgParts){irValueOf(b, "tg.real", IR_VALUES(z), part, IR_NO_ATTRS),
                   irValueOf(b, "tg.imag", IR_VALUES(z), part, IR_NO_ATTRS)};
}

MlirValue tgFromParts(IrBuilder *b, TgParts z) {
  MlirType element = mlirComplexTypeGet(irElementTypeOf(z.real));
  return irValueOf(b, "tg.complex", IR_VALUES(z.real, z.imaginary), tgWithElement(mlirValueGetType(z.real), element),
                   IR_NO_ATTRS);
}

static MlirValue negated(IrBuilder *b, MlirValue x) { return tgUnary(b, "tg.neg", x); }

MlirValue tgConjugate(IrBuilder *b, MlirValue z) {
  TgParts parts = tgPartsOf(b, z);
  return tgFromParts(b, (TgParts){parts.real, negated(b, parts.imaginary)});
}

/// sqrt(1 + z), or sqrt(1 - z). The imaginary part keeps the sign of its zero, which determines the side of the cut.
static TgParts rootBeside(IrBuilder *b, TgParts z, bool isBelow) {
  MlirValue one = constantLike(b, z.real, 1);
  MlirValue real = isBelow ? tgSub(b, one, z.real) : tgAdd(b, one, z.real);
  MlirValue imaginary = isBelow ? negated(b, z.imaginary) : z.imaginary;
  return tgPartsOf(b, tgUnary(b, "tg.sqrt", tgFromParts(b, (TgParts){real, imaginary})));
}

/// The imaginary part of the conjugate of x times y.
static MlirValue crossProduct(IrBuilder *b, TgParts x, TgParts y) {
  return tgSub(b, tgMul(b, x.real, y.imaginary), tgMul(b, x.imaginary, y.real));
}

/// Where the product of the roots may overflow, asin z, acos z and acosh z are log(2 |z|) and an angle, to all digits.
static MlirValue isFar(IrBuilder *b, TgParts z) {
  MlirValue far = constantLike(b, z.real, 0x1p60);
  return tgBinary(b, "tg.or", tgCompare(b, TG_GT, tgUnary(b, "tg.abs", z.real), far),
                  tgCompare(b, TG_GT, tgUnary(b, "tg.abs", z.imaginary), far));
}

/// With the sign of x, of zeros, too.
static MlirValue withSignOfZero(IrBuilder *b, MlirValue magnitude, MlirValue x) {
  MlirValue angle = tgBinary(b, "tg.atan2", x, constantLike(b, x, -1)); // pi or -pi for zeros
  return tgSelect(b, tgCompare(b, TG_LT, angle, constantLike(b, x, 0)), negated(b, magnitude), magnitude);
}

/// Its real part log(2 |x + i y|), its imaginary part the angle of x + i y.
static TgParts logOfTwiceParts(IrBuilder *b, MlirValue x, MlirValue y) {
  TgParts value = tgPartsOf(b, tgUnary(b, "tg.log", tgFromParts(b, (TgParts){x, y})));
  return (TgParts){tgAdd(b, value.real, constantLike(b, x, M_LN2)), value.imaginary};
}

static TgParts choose(IrBuilder *b, MlirValue which, TgParts x, TgParts y) {
  return (TgParts){tgSelect(b, which, x.real, y.real), tgSelect(b, which, x.imaginary, y.imaginary)};
}

static TgParts asinParts(IrBuilder *b, TgParts z) {
  TgParts below = rootBeside(b, z, true), above = rootBeside(b, z, false);
  MlirValue side = tgSub(b, tgMul(b, below.real, above.real), tgMul(b, below.imaginary, above.imaginary));
  TgParts value = {tgBinary(b, "tg.atan2", z.real, side), asinhOf(b, crossProduct(b, below, above))};
  TgParts far = logOfTwiceParts(b, tgUnary(b, "tg.abs", z.imaginary), z.real);
  return choose(b, isFar(b, z), (TgParts){far.imaginary, withSignOfZero(b, far.real, z.imaginary)}, value);
}

/// (log1p(z) - log1p(-z)) / 2
static TgParts atanhParts(IrBuilder *b, TgParts z) {
  MlirValue above = tgUnary(b, "tg.log1p", tgFromParts(b, z));
  MlirValue below = tgUnary(b, "tg.log1p", tgFromParts(b, (TgParts){negated(b, z.real), negated(b, z.imaginary)}));
  TgParts twice = tgPartsOf(b, tgSub(b, above, below));
  MlirValue half = constantLike(b, z.real, 0.5);
  return (TgParts){tgMul(b, twice.real, half), tgMul(b, twice.imaginary, half)};
}

/// -i f(i z)
static MlirValue turned(IrBuilder *b, MlirValue x, TgParts (*function)(IrBuilder *b, TgParts z)) {
  TgParts z = tgPartsOf(b, x), result = function(b, (TgParts){negated(b, z.imaginary), z.real});
  return tgFromParts(b, (TgParts){result.imaginary, negated(b, result.real)});
}

static MlirValue complexAsin(IrBuilder *b, MlirValue x) {
  TgParts result = asinParts(b, tgPartsOf(b, x));
  return tgFromParts(b, result);
}

static MlirValue complexAcos(IrBuilder *b, MlirValue x) {
  TgParts z = tgPartsOf(b, x), below = rootBeside(b, z, true), above = rootBeside(b, z, false);
  MlirValue half = tgBinary(b, "tg.atan2", below.real, above.real);
  TgParts value = {tgAdd(b, half, half), asinhOf(b, crossProduct(b, above, below))};
  TgParts far = logOfTwiceParts(b, z.real, tgUnary(b, "tg.abs", z.imaginary));
  value = choose(b, isFar(b, z), (TgParts){far.imaginary, withSignOfZero(b, far.real, negated(b, z.imaginary))}, value);
  return tgFromParts(b, value);
}

/// sqrt(z - 1) is sqrt(1 - z) turned by a right angle, to the side where the imaginary part is.
static MlirValue complexAcosh(IrBuilder *b, MlirValue x) {
  TgParts z = tgPartsOf(b, x), above = rootBeside(b, z, false);
  MlirValue real = tgSub(b, z.real, constantLike(b, z.real, 1));
  TgParts below = tgPartsOf(b, tgUnary(b, "tg.sqrt", tgFromParts(b, (TgParts){real, z.imaginary})));
  MlirValue product = tgAdd(b, tgMul(b, below.real, above.real), tgMul(b, below.imaginary, above.imaginary));
  MlirValue half = tgBinary(b, "tg.atan2", below.imaginary, above.real);
  TgParts value = {asinhOf(b, product), tgAdd(b, half, half)};
  value = choose(b, isFar(b, z), logOfTwiceParts(b, z.real, z.imaginary), value);
  return tgFromParts(b, value);
}

static MlirValue complexAtanh(IrBuilder *b, MlirValue x) {
  TgParts result = atanhParts(b, tgPartsOf(b, x));
  return tgFromParts(b, result);
}

static MlirValue complexAsinh(IrBuilder *b, MlirValue x) { return turned(b, x, asinParts); }
static MlirValue complexAtan(IrBuilder *b, MlirValue x) { return turned(b, x, atanhParts); }

/// -i sin(i z) and cos(i z): tg's functions do not overflow where their parts do not.
static TgParts sineParts(IrBuilder *b, TgParts z) { return tgPartsOf(b, tgUnary(b, "tg.sin", tgFromParts(b, z))); }
static MlirValue complexSinh(IrBuilder *b, MlirValue x) { return turned(b, x, sineParts); }
static MlirValue complexCosh(IrBuilder *b, MlirValue x) {
  TgParts z = tgPartsOf(b, x);
  return tgUnary(b, "tg.cos", tgFromParts(b, (TgParts){negated(b, z.imaginary), z.real}));
}

//===----------------------------------------------------------------------===//
// Of any element
//===----------------------------------------------------------------------===//

static MlirValue atanOf(IrBuilder *b, MlirValue x) { return tgBinary(b, "tg.atan2", x, constantLike(b, x, 1)); }

static MlirValue byFormula(IrBuilder *b, MlirValue x, TgFunction formula, TgFunction complexFormula) {
  MlirType element = irElementTypeOf(x);
  if (mlirTypeIsAComplex(element))
    return complexFormula(b, x);
  if (mlirFloatTypeGetWidth(element) < 32)
    x = tgConvert(b, x, mlirF32TypeGet(b->context));
  return tgConvert(b, formula(b, x), element);
}

MlirValue tgAcos(IrBuilder *b, MlirValue x) { return byFormula(b, x, acosOf, complexAcos); }
MlirValue tgAcosh(IrBuilder *b, MlirValue x) { return byFormula(b, x, acoshOf, complexAcosh); }
MlirValue tgAsin(IrBuilder *b, MlirValue x) { return byFormula(b, x, asinOf, complexAsin); }
MlirValue tgAsinh(IrBuilder *b, MlirValue x) { return byFormula(b, x, asinhOf, complexAsinh); }
MlirValue tgAtan(IrBuilder *b, MlirValue x) { return byFormula(b, x, atanOf, complexAtan); }
MlirValue tgAtanh(IrBuilder *b, MlirValue x) { return byFormula(b, x, atanhOf, complexAtanh); }
MlirValue tgCosh(IrBuilder *b, MlirValue x) { return byFormula(b, x, coshOf, complexCosh); }
MlirValue tgSinh(IrBuilder *b, MlirValue x) { return byFormula(b, x, sinhOf, complexSinh); }
