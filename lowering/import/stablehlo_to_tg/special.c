//===- special.c - CHLO's functions, of those that tg has ----------------===//
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

#include "lowering/import/stablehlo_to_tg/rules.h"

#include "ir/graph/tg_build.h"

#include <math.h>

typedef MlirValue (*Formula)(IrBuilder *b, MlirValue x);

static MlirValue constant(IrBuilder *b, MlirValue like, double value) { return tgSplatLike(b, like, value); }

static bool replaceByFormula(HloConversion *c, Formula formula, Formula complexFormula) {
  MlirValue x = hloOperand(c, 0);
  MlirType element = irElementTypeOf(x);
  if (mlirTypeIsAComplex(element))
    return hloReplaceResult(c, 0, complexFormula(&c->b, x));
  if (!irIsFloat(element))
    return hloFail(c, "the operand is not of a float or complex type");
  if (mlirFloatTypeGetWidth(element) < 32)
    x = tgConvert(&c->b, x, mlirF32TypeGet(c->b.context));
  return hloReplaceResult(c, 0, tgConvert(&c->b, formula(&c->b, x), element));
}

/// sqrt((1 - x) (1 + x)): both factors are exact where they are small.
static MlirValue otherSide(IrBuilder *b, MlirValue x) {
  MlirValue one = constant(b, x, 1);
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
  MlirValue root = tgUnary(b, "tg.exp", tgMul(b, x, constant(b, x, 0.5)));
  return tgMul(b, tgMul(b, root, constant(b, x, 0.5)), root);
}

/// Beyond it the smaller of exp(x) and exp(-x) is below half a unit in the last place of the larger.
static MlirValue isLarge(IrBuilder *b, MlirValue magnitude) {
  return tgCompare(b, TG_GT, magnitude, constant(b, magnitude, 22));
}

/// (e + e / (e + 1)) / 2 with e = expm1(|x|)
static MlirValue sinhOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x), e = tgUnary(b, "tg.expm1", magnitude);
  MlirValue sum = tgAdd(b, e, tgDiv(b, e, tgAdd(b, e, constant(b, x, 1))));
  MlirValue small = tgMul(b, sum, constant(b, x, 0.5));
  MlirValue value = tgSelect(b, isLarge(b, magnitude), halfExp(b, magnitude), small);
  return tgSelect(b, tgCompare(b, TG_EQ, x, constant(b, x, 0)), x, withSign(b, value, x));
}

static MlirValue coshOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x), e = tgUnary(b, "tg.exp", magnitude);
  MlirValue small = tgMul(b, tgAdd(b, e, tgDiv(b, constant(b, x, 1), e)), constant(b, x, 0.5));
  return tgSelect(b, isLarge(b, magnitude), halfExp(b, magnitude), small);
}

/// log(2 x) of large x
static MlirValue logOfTwice(IrBuilder *b, MlirValue x) {
  return tgAdd(b, tgUnary(b, "tg.log", x), constant(b, x, M_LN2));
}

/// Whether 1 does not count next to the square.
static MlirValue hasLargeSquare(IrBuilder *b, MlirValue magnitude) {
  return tgCompare(b, TG_GT, magnitude, constant(b, magnitude, ldexp(1, 28)));
}

/// log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
static MlirValue asinhOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x), square = tgMul(b, x, x), one = constant(b, x, 1);
  MlirValue root = tgUnary(b, "tg.sqrt", tgAdd(b, square, one));
  MlirValue excess = tgAdd(b, magnitude, tgDiv(b, square, tgAdd(b, one, root)));
  MlirValue value = tgSelect(b, hasLargeSquare(b, magnitude), logOfTwice(b, magnitude), tgUnary(b, "tg.log1p", excess));
  return tgSelect(b, tgCompare(b, TG_EQ, x, constant(b, x, 0)), x, withSign(b, value, x));
}

/// log1p(t + sqrt(2 t + t^2)) with t = x - 1
static MlirValue acoshOf(IrBuilder *b, MlirValue x) {
  MlirValue t = tgSub(b, x, constant(b, x, 1));
  MlirValue root = tgUnary(b, "tg.sqrt", tgAdd(b, tgAdd(b, t, t), tgMul(b, t, t)));
  MlirValue value = tgSelect(b, hasLargeSquare(b, x), logOfTwice(b, x), tgUnary(b, "tg.log1p", tgAdd(b, t, root)));
  return tgSelect(b, tgCompare(b, TG_LT, x, constant(b, x, 1)), constant(b, x, NAN), value);
}

/// log1p(2 |x| / (1 - |x|)) / 2
static MlirValue atanhOf(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = tgUnary(b, "tg.abs", x);
  MlirValue quotient = tgDiv(b, tgAdd(b, magnitude, magnitude), tgSub(b, constant(b, x, 1), magnitude));
  MlirValue value = tgMul(b, tgUnary(b, "tg.log1p", quotient), constant(b, x, 0.5));
  return tgSelect(b, tgCompare(b, TG_EQ, x, constant(b, x, 0)), x, withSign(b, value, x));
}

//===----------------------------------------------------------------------===//
// Of complex numbers: Kahan, Branch cuts for complex elementary functions, 1987
//===----------------------------------------------------------------------===//

typedef struct {
  MlirValue real, imaginary;
} Parts;

static Parts partsOf(IrBuilder *b, MlirValue z) {
  MlirType part = tgWithElement(mlirValueGetType(z), mlirComplexTypeGetElementType(irElementTypeOf(z)));
  return (Parts){irValueOf(b, "tg.real", IR_VALUES(z), part, IR_NO_ATTRS),
                 irValueOf(b, "tg.imag", IR_VALUES(z), part, IR_NO_ATTRS)};
}

static MlirValue fromParts(IrBuilder *b, MlirValue real, MlirValue imaginary) {
  MlirType element = mlirComplexTypeGet(irElementTypeOf(real));
  return irValueOf(b, "tg.complex", IR_VALUES(real, imaginary), tgWithElement(mlirValueGetType(real), element),
                   IR_NO_ATTRS);
}

static MlirValue negated(IrBuilder *b, MlirValue x) { return tgUnary(b, "tg.neg", x); }

/// sqrt(1 + z), or sqrt(1 - z). The imaginary part keeps the sign of its zero, which says on what side of the cut it
/// is.
static Parts rootBeside(IrBuilder *b, Parts z, bool isBelow) {
  MlirValue one = constant(b, z.real, 1);
  MlirValue real = isBelow ? tgSub(b, one, z.real) : tgAdd(b, one, z.real);
  MlirValue imaginary = isBelow ? negated(b, z.imaginary) : z.imaginary;
  return partsOf(b, tgUnary(b, "tg.sqrt", fromParts(b, real, imaginary)));
}

/// The imaginary part of the conjugate of x times y.
static MlirValue crossProduct(IrBuilder *b, Parts x, Parts y) {
  return tgSub(b, tgMul(b, x.real, y.imaginary), tgMul(b, x.imaginary, y.real));
}

/// Where the product of the roots may overflow, asin z, acos z and acosh z are log(2 |z|) and an angle, to all digits.
static MlirValue isFar(IrBuilder *b, Parts z) {
  MlirValue far = constant(b, z.real, 0x1p60);
  return tgBinary(b, "tg.or", tgCompare(b, TG_GT, tgUnary(b, "tg.abs", z.real), far),
                  tgCompare(b, TG_GT, tgUnary(b, "tg.abs", z.imaginary), far));
}

/// With the sign of x, of zeros, too.
static MlirValue withSignOfZero(IrBuilder *b, MlirValue magnitude, MlirValue x) {
  MlirValue angle = tgBinary(b, "tg.atan2", x, constant(b, x, -1)); // pi or -pi for zeros
  return tgSelect(b, tgCompare(b, TG_LT, angle, constant(b, x, 0)), negated(b, magnitude), magnitude);
}

/// Its real part log(2 |x + i y|), its imaginary part the angle of x + i y.
static Parts logOfTwiceParts(IrBuilder *b, MlirValue x, MlirValue y) {
  Parts value = partsOf(b, tgUnary(b, "tg.log", fromParts(b, x, y)));
  return (Parts){tgAdd(b, value.real, constant(b, x, M_LN2)), value.imaginary};
}

static Parts choose(IrBuilder *b, MlirValue which, Parts x, Parts y) {
  return (Parts){tgSelect(b, which, x.real, y.real), tgSelect(b, which, x.imaginary, y.imaginary)};
}

static Parts asinParts(IrBuilder *b, Parts z) {
  Parts below = rootBeside(b, z, true), above = rootBeside(b, z, false);
  MlirValue side = tgSub(b, tgMul(b, below.real, above.real), tgMul(b, below.imaginary, above.imaginary));
  Parts value = {tgBinary(b, "tg.atan2", z.real, side), asinhOf(b, crossProduct(b, below, above))};
  Parts far = logOfTwiceParts(b, tgUnary(b, "tg.abs", z.imaginary), z.real);
  return choose(b, isFar(b, z), (Parts){far.imaginary, withSignOfZero(b, far.real, z.imaginary)}, value);
}

/// (log1p(z) - log1p(-z)) / 2
static Parts atanhParts(IrBuilder *b, Parts z) {
  MlirValue above = tgUnary(b, "tg.log1p", fromParts(b, z.real, z.imaginary));
  MlirValue below = tgUnary(b, "tg.log1p", fromParts(b, negated(b, z.real), negated(b, z.imaginary)));
  Parts twice = partsOf(b, tgSub(b, above, below));
  MlirValue half = constant(b, z.real, 0.5);
  return (Parts){tgMul(b, twice.real, half), tgMul(b, twice.imaginary, half)};
}

/// -i f(i z)
static MlirValue turned(IrBuilder *b, MlirValue x, Parts (*function)(IrBuilder *b, Parts z)) {
  Parts z = partsOf(b, x), result = function(b, (Parts){negated(b, z.imaginary), z.real});
  return fromParts(b, result.imaginary, negated(b, result.real));
}

static MlirValue complexAsin(IrBuilder *b, MlirValue x) {
  Parts result = asinParts(b, partsOf(b, x));
  return fromParts(b, result.real, result.imaginary);
}

static MlirValue complexAcos(IrBuilder *b, MlirValue x) {
  Parts z = partsOf(b, x), below = rootBeside(b, z, true), above = rootBeside(b, z, false);
  MlirValue half = tgBinary(b, "tg.atan2", below.real, above.real);
  Parts value = {tgAdd(b, half, half), asinhOf(b, crossProduct(b, above, below))};
  Parts far = logOfTwiceParts(b, z.real, tgUnary(b, "tg.abs", z.imaginary));
  value = choose(b, isFar(b, z), (Parts){far.imaginary, withSignOfZero(b, far.real, negated(b, z.imaginary))}, value);
  return fromParts(b, value.real, value.imaginary);
}

/// sqrt(z - 1) is sqrt(1 - z) turned by a right angle, to the side where the imaginary part is.
static MlirValue complexAcosh(IrBuilder *b, MlirValue x) {
  Parts z = partsOf(b, x), above = rootBeside(b, z, false);
  MlirValue real = tgSub(b, z.real, constant(b, z.real, 1));
  Parts below = partsOf(b, tgUnary(b, "tg.sqrt", fromParts(b, real, z.imaginary)));
  MlirValue product = tgAdd(b, tgMul(b, below.real, above.real), tgMul(b, below.imaginary, above.imaginary));
  MlirValue half = tgBinary(b, "tg.atan2", below.imaginary, above.real);
  Parts value = {asinhOf(b, product), tgAdd(b, half, half)};
  value = choose(b, isFar(b, z), logOfTwiceParts(b, z.real, z.imaginary), value);
  return fromParts(b, value.real, value.imaginary);
}

static MlirValue complexAtanh(IrBuilder *b, MlirValue x) {
  Parts result = atanhParts(b, partsOf(b, x));
  return fromParts(b, result.real, result.imaginary);
}

static MlirValue complexAsinh(IrBuilder *b, MlirValue x) { return turned(b, x, asinParts); }
static MlirValue complexAtan(IrBuilder *b, MlirValue x) { return turned(b, x, atanhParts); }

/// -i sin(i z) and cos(i z): tg's functions do not overflow where their parts do not.
static Parts sineParts(IrBuilder *b, Parts z) {
  return partsOf(b, tgUnary(b, "tg.sin", fromParts(b, z.real, z.imaginary)));
}
static MlirValue complexSinh(IrBuilder *b, MlirValue x) { return turned(b, x, sineParts); }
static MlirValue complexCosh(IrBuilder *b, MlirValue x) {
  Parts z = partsOf(b, x);
  return tgUnary(b, "tg.cos", fromParts(b, negated(b, z.imaginary), z.real));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static MlirValue atanOf(IrBuilder *b, MlirValue x) { return tgBinary(b, "tg.atan2", x, constant(b, x, 1)); }

bool hloConvertAcos(HloConversion *c) { return replaceByFormula(c, acosOf, complexAcos); }
bool hloConvertAcosh(HloConversion *c) { return replaceByFormula(c, acoshOf, complexAcosh); }
bool hloConvertAsin(HloConversion *c) { return replaceByFormula(c, asinOf, complexAsin); }
bool hloConvertAsinh(HloConversion *c) { return replaceByFormula(c, asinhOf, complexAsinh); }
bool hloConvertAtan(HloConversion *c) { return replaceByFormula(c, atanOf, complexAtan); }
bool hloConvertAtanh(HloConversion *c) { return replaceByFormula(c, atanhOf, complexAtanh); }
bool hloConvertCosh(HloConversion *c) { return replaceByFormula(c, coshOf, complexCosh); }
bool hloConvertSinh(HloConversion *c) { return replaceByFormula(c, sinhOf, complexSinh); }

/// Of a real number, itself.
bool hloConvertConj(HloConversion *c) {
  MlirValue x = hloOperand(c, 0);
  if (!mlirTypeIsAComplex(irElementTypeOf(x)))
    return hloReplaceByOperands(c);
  Parts z = partsOf(&c->b, x);
  return hloReplaceResult(c, 0, fromParts(&c->b, z.real, negated(&c->b, z.imaginary)));
}

/// Of complex numbers, the greater or lesser by real and then by imaginary part. Next to a NaN it is the second one.
bool hloConvertExtreme(HloConversion *c) {
  MlirValue x = hloOperand(c, 0), y = hloOperand(c, 1);
  if (!mlirTypeIsAComplex(irElementTypeOf(x)) || !mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)))
    return hloConvertSame(c);
  TgDirection direction = irOpIs(c->op, "stablehlo.maximum") ? TG_GT : TG_LT;
  Parts a = partsOf(&c->b, x), b = partsOf(&c->b, y);
  MlirValue isFirst =
      tgSelect(&c->b, tgCompare(&c->b, TG_EQ, a.real, b.real), tgCompare(&c->b, direction, a.imaginary, b.imaginary),
               tgCompare(&c->b, direction, a.real, b.real));
  return hloReplaceResult(c, 0, tgSelect(&c->b, isFirst, x, y));
}

/// The neighbour of x towards y. As integers, floats of one sign are in order of their magnitude.
bool hloConvertNextAfter(HloConversion *c) {
  IrBuilder *b = &c->b;
  MlirValue x = hloOperand(c, 0), y = hloOperand(c, 1);
  MlirType element = irElementTypeOf(x);
  if (!irIsFloat(element) || !mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)))
    return hloFail(c, "operands must be floats of one type");
  if (mlirFloatTypeGetWidth(element) == 6)
    return hloFail(c, "floats of 6 bits have no next one: there are no integers of their bits");
  MlirType bitsElement = mlirIntegerTypeGet(b->context, mlirFloatTypeGetWidth(element));
  MlirValue zero = constant(b, x, 0), bits = tgBitcast(b, x, bitsElement), one = tgSplatLike(b, bits, 1);
  MlirValue isPositive = tgCompare(b, TG_GT, x, zero), goesUp = tgCompare(b, TG_LT, x, y);
  MlirValue grows = tgCompare(b, TG_EQ, isPositive, goesUp);
  MlirValue next = tgBitcast(b, tgSelect(b, grows, tgAdd(b, bits, one), tgSub(b, bits, one)), element);
  MlirValue least = tgBitcast(b, one, element);
  MlirValue greatestBelow = tgUnary(b, "tg.neg", least);
  // Types without a negative zero have NaN in its place.
  next = tgSelect(b, tgBinary(b, "tg.and", goesUp, tgCompare(b, TG_EQ, x, greatestBelow)), tgUnary(b, "tg.neg", zero),
                  next);
  MlirValue fromZero = tgSelect(b, goesUp, least, greatestBelow);
  next = tgSelect(b, tgCompare(b, TG_EQ, x, zero), fromZero, next);
  next = tgSelect(b, tgCompare(b, TG_EQ, x, y), y, next);
  MlirValue sum = tgAdd(b, x, y); // NaN if one is
  MlirValue isNumber = tgBinary(b, "tg.and", tgCompare(b, TG_EQ, x, x), tgCompare(b, TG_EQ, y, y));
  return hloReplaceResult(c, 0, tgSelect(b, isNumber, next, sum));
}
