//===- hlo_special.c - CHLO's functions, of those that tg has -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes functions of CHLO that tg has no operation for: inverse and hyperbolic functions, the greater or lesser, the
// next float. Leaves several tg operations for each.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/graph/tg_functions.h"

static bool replaceBy(HloConversion *c, TgFunction function) {
  MlirType element = irElementTypeOf(hloOperand(c, 0));
  if (!irIsFloat(element) && !mlirTypeIsAComplex(element))
    return hloFail(c, "the operand is not of a float or complex type");
  return hloReplaceResult(c, 0, function(&c->b, hloOperand(c, 0)));
}

bool hloConvertAcos(HloConversion *c) { return replaceBy(c, tgAcos); }
bool hloConvertAcosh(HloConversion *c) { return replaceBy(c, tgAcosh); }
bool hloConvertAsin(HloConversion *c) { return replaceBy(c, tgAsin); }
bool hloConvertAsinh(HloConversion *c) { return replaceBy(c, tgAsinh); }
bool hloConvertAtan(HloConversion *c) { return replaceBy(c, tgAtan); }
bool hloConvertAtanh(HloConversion *c) { return replaceBy(c, tgAtanh); }
bool hloConvertCosh(HloConversion *c) { return replaceBy(c, tgCosh); }
bool hloConvertSinh(HloConversion *c) { return replaceBy(c, tgSinh); }

/// Of a real number, itself.
bool hloConvertConj(HloConversion *c) {
  MlirValue x = hloOperand(c, 0);
  if (!mlirTypeIsAComplex(irElementTypeOf(x)))
    return hloReplaceByOperands(c);
  return hloReplaceResult(c, 0, tgConjugate(&c->b, x));
}

/// Of complex numbers, the greater or lesser by real and then by imaginary part. Next to a NaN it is the second one.
bool hloConvertExtreme(HloConversion *c) {
  MlirValue x = hloOperand(c, 0), y = hloOperand(c, 1);
  if (!mlirTypeIsAComplex(irElementTypeOf(x)) || !mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)))
    return hloConvertSame(c);
  TgDirection direction = irOpIs(c->op, "stablehlo.maximum") ? TG_GT : TG_LT;
  TgParts a = tgPartsOf(&c->b, x), b = tgPartsOf(&c->b, y);
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
  MlirValue zero = tgSplatLike(b, x, 0), bits = tgBitcast(b, x, bitsElement), one = tgSplatLike(b, bits, 1);
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
