//===- hlo_linear_algebra.c - Fourier transforms, Cholesky, triangular solve ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of tg know f32, f64 and complex numbers of them; narrower floats are computed in f32 and rounded at
// the end. Shapes are checked by tg's verifiers, which know the rules of StableHLO.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"

#include <string.h>

/// The element type in which an operation on elements of type `element` is computed; null if there is none.
static MlirType computeType(MlirType element) {
  if (mlirTypeIsAComplex(element))
    return element;
  if (!irIsFloat(element))
    return (MlirType){NULL};
  return mlirFloatTypeGetWidth(element) < 32 ? mlirF32TypeGet(mlirTypeGetContext(element)) : element;
}

/// Replaces the only result by the operation `c->rule->to` in the type in which it is computed.
static bool replaceComputed(HloConversion *c, IrAttrs attributes) {
  MlirType element = irElementType(hloResultType(c, 0)), computed = computeType(element);
  MlirValue operands[2];
  intptr_t count = mlirOperationGetNumOperands(c->op);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = tgConvert(&c->b, hloOperand(c, i), computeType(irElementTypeOf(hloOperand(c, i))));
  MlirType type = tgWithElement(hloResultType(c, 0), computed);
  MlirValue value = irValueOf(&c->b, c->rule->to, (IrValues){count, operands}, type, attributes);
  return hloReplaceResult(c, 0, tgConvert(&c->b, value, element));
}

static bool checkElements(HloConversion *c) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); ++i)
    if (mlirTypeIsNull(computeType(irElementTypeOf(hloOperand(c, i)))))
      return hloFail(c, "operand %ld must have floats or complex numbers", (long)i);
  if (mlirTypeIsNull(computeType(irElementType(hloResultType(c, 0)))))
    return hloFail(c, "the result must have floats or complex numbers");
  return true;
}

/// The number of the attribute's keyword among `keywords`; -1, reported, if it is none of them.
static int keywordNumber(HloConversion *c, const char *name, const char *enumeration, const char *const *keywords,
                         int count) {
  const char *keyword = hloEnumKeyword(c, name, enumeration);
  for (int i = 0; i < count; ++i)
    if (!strcmp(keyword, keywords[i]))
      return i;
  hloFail(c, "attribute '%s' is unknown: '%s'", name, hloAttrText(c, name));
  return -1;
}

bool hloConvertFft(HloConversion *c) {
  static const char *const transforms[] = {"FFT", "IFFT", "RFFT", "IRFFT"}; // in the order of TgFftTransform
  int transform = keywordNumber(c, "fft_type", "fft_type", transforms, 4);
  IrShape length;
  return transform >= 0 && checkElements(c) && hloListAttr(c, "fft_length", &length) &&
         replaceComputed(c, IR_ATTRS(irI32(&c->b, "transform", transform), hloDims(c, "length", &length)));
}

static MlirNamedAttribute triangleAttr(HloConversion *c) {
  return irI32(&c->b, "triangle", hloIsTrue(c, "lower") ? TG_LOWER : TG_UPPER);
}

bool hloConvertCholesky(HloConversion *c) { return checkElements(c) && replaceComputed(c, IR_ATTRS(triangleAttr(c))); }

bool hloConvertTriangularSolve(HloConversion *c) {
  static const char *const transpositions[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}; // as in TgTransposition
  int transposition = keywordNumber(c, "transpose_a", "transpose", transpositions, 3);
  if (transposition < 0 || !checkElements(c))
    return false;
  MlirNamedAttribute attributes[] = {irI32(&c->b, "side", hloIsTrue(c, "left_side") ? TG_LEFT : TG_RIGHT),
                                     triangleAttr(c), irI32(&c->b, "transposition", transposition),
                                     irUnit(&c->b, "unit_diagonal")};
  return replaceComputed(c, (IrAttrs){hloIsTrue(c, "unit_diagonal") ? 4 : 3, attributes});
}
