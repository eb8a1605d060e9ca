//===- fourier.c - Fourier transforms ------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform of two dimensions is one along each, and a transform along a dimension is a matrix product with
// exp(-2 pi i k n / N), real and imaginary parts apart:
//
//   Y = X C + i s X S   with   C[k, n] = cos(2 pi k n / N),   S[k, n] = sin(2 pi k n / N)   and   s = -1 (inverse: 1).
//
// The matrices are not constants (they are as large as N x N): an element is looked up in a table of N correctly
// rounded values at k n mod N.
//
//===----------------------------------------------------------------------===//

#include "lowering/tosa_to_tg/conversion.h"

#include <math.h>

typedef struct {
  MlirValue real, imaginary; ///< imaginary is null where it is zero
} Complex;

/// The cosines (or sines) of 2 pi j / points for all j.
static MlirValue circleTable(TosaConversion *c, MlirType element, int64_t points, bool wantsSine) {
  MlirType type = tosaTensorType((IrShape){1, {points}}, mlirF64TypeGet(c->b.context));
  double *values = IR_NEW_ARRAY(&c->pass->arena, double, points);
  for (int64_t j = 0; j < points; ++j) {
    // Quarters of the circle are exact.
    double angle = 2 * M_PI * (double)j / (double)points;
    bool isZero = wantsSine ? 2 * j % points == 0 : 4 * j % points == 0 && 2 * j % points != 0;
    values[j] = isZero ? 0 : wantsSine ? sin(angle) : cos(angle);
  }
  MlirValue table = irValueOf(&c->b, "tg.constant", IR_NO_VALUES, type,
                              IR_ATTRS(irAttr(&c->b, "value", mlirDenseElementsAttrDoubleGet(type, points, values))));
  return tosaConvert(c, table, element);
}

/// A matrix `points` x `count` of k * n mod points.
static MlirValue angleNumbers(TosaConversion *c, int64_t points, int64_t count) {
  MlirType type = tosaTensorType((IrShape){2, {points, count}}, tosaIntType(c, 64));
  MlirValue row = irValueOf(&c->b, "tg.iota", IR_NO_VALUES, type, IR_ATTRS(irI64(&c->b, "dim", 0)));
  MlirValue column = irValueOf(&c->b, "tg.iota", IR_NO_VALUES, type, IR_ATTRS(irI64(&c->b, "dim", 1)));
  return tosaBinary(c, "tg.rem", tosaBinary(c, "tg.mul", row, column), tosaSplatInt(c, type, points));
}

/// [n, a, b] x [b, d] -> [n, a, d]
static MlirValue product(TosaConversion *c, MlirValue value, MlirValue matrix) {
  IrShape from = irShapeOf(value), none = {0}, last = {1, {2}}, first = {1, {0}};
  IrShape to = {3, {from.dims[0], from.dims[1], irShapeOf(matrix).dims[1]}};
  return irValueOf(&c->b, "tg.dot", IR_VALUES(value, matrix), tosaTensorType(to, irElementTypeOf(value)),
                   IR_ATTRS(tosaDims(c, "lhs_batch", &none), tosaDims(c, "rhs_batch", &none),
                            tosaDims(c, "lhs_contract", &last), tosaDims(c, "rhs_contract", &first)));
}

/// The first `count` results of a transform along the last of three dimensions.
static Complex transformRows(TosaConversion *c, Complex x, int64_t count, bool inverse) {
  MlirType element = irElementTypeOf(x.real);
  int64_t points = irShapeOf(x.real).dims[2];
  MlirValue numbers = angleNumbers(c, points, count);
  MlirValue cosines = tosaLookUp(c, circleTable(c, element, points, false), numbers);
  MlirValue sines = tosaLookUp(c, circleTable(c, element, points, true), numbers);
  const char *same = inverse ? "tg.add" : "tg.sub", *other = inverse ? "tg.sub" : "tg.add";
  MlirValue realCosines = product(c, x.real, cosines), realSines = product(c, x.real, sines);
  if (mlirValueIsNull(x.imaginary))
    return (Complex){realCosines, inverse ? realSines : tosaUnary(c, "tg.neg", realSines)};
  MlirValue imaginaryCosines = product(c, x.imaginary, cosines), imaginarySines = product(c, x.imaginary, sines);
  return (Complex){tosaBinary(c, other, realCosines, imaginarySines), tosaBinary(c, same, imaginaryCosines, realSines)};
}

static Complex transposed(TosaConversion *c, Complex x) {
  IrShape permutation = {3, {0, 2, 1}};
  return (Complex){tosaTranspose(c, x.real, permutation), tosaTranspose(c, x.imaginary, permutation)};
}

static bool transform(TosaConversion *c, Complex x, bool inverse) {
  IrShape shape = irTypeShape(tosaResultType(c, 0));
  Complex rows = transformRows(c, x, shape.dims[2], inverse);
  Complex result = transposed(c, transformRows(c, transposed(c, rows), shape.dims[1], inverse));
  return tosaReplaceResult(c, 0, result.real) && tosaReplaceResult(c, 1, result.imaginary);
}

bool tosaConvertFft2d(TosaConversion *c) {
  return transform(c, (Complex){tosaOperand(c, 0), tosaOperand(c, 1)}, tosaIsTrue(c, "inverse"));
}

bool tosaConvertRfft2d(TosaConversion *c) { return transform(c, (Complex){tosaOperand(c, 0), {NULL}}, false); }
