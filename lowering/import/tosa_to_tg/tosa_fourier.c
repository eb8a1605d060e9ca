//===- tosa_fourier.c - Fourier transforms --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TOSA has the parts of complex numbers as tensors of their own, and an inverse transform that does not divide by the
// number of points, as tg's does. So the inverse of z is the conjugate of the transform of the conjugate of z.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"

/// tg.fft knows f32 and f64.
static MlirType computeType(MlirType element) {
  return mlirTypeIsAF64(element) ? element : mlirF32TypeGet(mlirTypeGetContext(element));
}

/// One part of a complex tensor, as result `i`; with another sign if it is `negative`.
static bool replaceByPart(TosaConversion *c, intptr_t i, const char *part, MlirValue value, bool negative) {
  MlirType element = mlirComplexTypeGetElementType(irElementTypeOf(value));
  MlirValue real =
      irValueOf(&c->b, part, IR_VALUES(value), tgWithElement(mlirValueGetType(value), element), IR_NO_ATTRS);
  if (negative)
    real = tosaUnary(c, "tg.neg", real);
  return tosaReplaceResult(c, i, tosaConvert(c, real, irElementType(tosaResultType(c, i))));
}

/// The transform along the last two dimensions; `points` has the size of the input.
static bool transform(TosaConversion *c, MlirValue value, TgFftTransform kind, IrShape points, bool conjugate) {
  MlirType element = irElementTypeOf(value);
  MlirType complex = mlirTypeIsAComplex(element) ? element : mlirComplexTypeGet(element);
  IrShape length = {2, {points.dims[1], points.dims[2]}};
  MlirType type = tosaTensorType(irTypeShape(tosaResultType(c, 0)), complex);
  MlirValue result = irValueOf(&c->b, "tg.fft", IR_VALUES(value), type,
                               IR_ATTRS(irI32(&c->b, "transform", kind), tosaDims(c, "length", &length)));
  return replaceByPart(c, 0, "tg.real", result, false) && replaceByPart(c, 1, "tg.imag", result, conjugate);
}

bool tosaConvertFft2d(TosaConversion *c) {
  MlirType computed = computeType(irElementTypeOf(tosaOperand(c, 0)));
  bool inverse = tosaIsTrue(c, "inverse");
  MlirValue real = tosaConvert(c, tosaOperand(c, 0), computed), imaginary = tosaConvert(c, tosaOperand(c, 1), computed);
  if (inverse)
    imaginary = tosaUnary(c, "tg.neg", imaginary);
  IrShape shape = irShapeOf(real);
  MlirValue value = irValueOf(&c->b, "tg.complex", IR_VALUES(real, imaginary),
                              tosaTensorType(shape, mlirComplexTypeGet(computed)), IR_NO_ATTRS);
  return transform(c, value, TG_FFT, shape, inverse);
}

bool tosaConvertRfft2d(TosaConversion *c) {
  MlirValue input = tosaOperand(c, 0);
  MlirValue real = tosaConvert(c, input, computeType(irElementTypeOf(input)));
  return transform(c, real, TG_RFFT, irShapeOf(real), false);
}
