//===- lower_fourier.c - Fourier transforms -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums that define them, along one dimension after the other, in f64; f32 is rounded once, at the end. A sum over
// all elements for each element: libraries share the work between the sums, and so round differently.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"
#include "lowering/scalar/scalar_complex.h"

#include <math.h>

static MlirType f64Of(IrBuilder *b) { return mlirF64TypeGet(b->context); }
static MlirType complexOf(IrBuilder *b) { return mlirComplexTypeGet(f64Of(b)); }

static MlirValue createComplex(IrBuilder *b, MlirValue re, MlirValue im) {
  return irValueOf(b, "complex.create", IR_VALUES(re, im), complexOf(b), IR_NO_ATTRS);
}

static MlirValue part(IrBuilder *b, const char *name, MlirValue x) { return irUnary(b, name, x, f64Of(b)); }

static MlirValue scaled(IrBuilder *b, MlirValue x, MlirValue factor) {
  return createComplex(b, irMulF(b, part(b, "complex.re", x), factor), irMulF(b, part(b, "complex.im", x), factor));
}

static MlirValue isNumber(IrBuilder *b, MlirValue number, int64_t value) {
  return irCmpI(b, IR_CMPI_EQ, number, irConstantIndex(b, value));
}

static MlirValue toFloat(IrBuilder *b, MlirValue index) {
  return irUnary(b, "arith.sitofp", irUnary(b, "arith.index_cast", index, mlirIntegerTypeGet(b->context, 64)),
                 f64Of(b));
}

//===----------------------------------------------------------------------===//
// Roots of one
//===----------------------------------------------------------------------===//

/// exp(2 pi i j / points), within two units in the last place: the angle to the nearest quarter of the circle is small,
/// and the quarters are exact.
static MlirValue rootOfOne(IrBuilder *b, MlirValue j, int64_t points) {
  MlirType f64 = f64Of(b);
  MlirValue all = irConstantIndex(b, points), four = irConstantIndex(b, 4), half = irConstantIndex(b, points / 2);
  MlirValue quarters = irMulI(b, four, j), quarter = irDivUI(b, irAddI(b, quarters, half), all);
  MlirValue rest = irSubI(b, quarters, irMulI(b, quarter, all)); // in quarters of the circle, times `points`
  MlirValue angle = irMulF(b, toFloat(b, rest), irConstantFloat(b, f64, M_PI_2 / (double)points));
  MlirValue x = irUnary(b, "math.cos", angle, f64), y = irUnary(b, "math.sin", angle, f64);
  MlirValue turns = irRemUI(b, quarter, four);
  MlirValue minusX = irUnary(b, "arith.negf", x, f64), minusY = irUnary(b, "arith.negf", y, f64);
  MlirValue isOne = isNumber(b, turns, 1), isTwo = isNumber(b, turns, 2), isThree = isNumber(b, turns, 3);
  MlirValue re = irSelect(b, isOne, minusY, irSelect(b, isTwo, minusX, irSelect(b, isThree, y, x)));
  MlirValue im = irSelect(b, isOne, x, irSelect(b, isTwo, minusY, irSelect(b, isThree, minusX, y)));
  return createComplex(b, re, im);
}

/// A buffer of the `points` roots of one, those of a forward transform (clockwise) or of an inverse one.
static MlirValue rootTable(IrBuilder *b, int64_t points, bool isInverse) {
  MlirValue table = newBuffer(b, mlirRankedTensorTypeGet(1, &points, complexOf(b), mlirAttributeGetNull()));
  LoopNest nest;
  beginLoops(b, &nest, (IrShape){1, {points}}, IR_NO_VALUES);
  MlirValue root = rootOfOne(&nest.body, nest.index[0], points);
  if (!isInverse)
    root = scalarConjugate(&nest.body, root);
  storeElement(&nest.body, root, table, nest.index);
  endLoops(&nest, IR_NO_VALUES);
  return table;
}

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

/// A transform along dimension `dim`. Spectra and complex tensors are buffers of complex<f64>.
typedef struct {
  int64_t dim, points;
  bool isInverse;
  bool toReal; ///< from half a spectrum to real numbers
} FourierPass;

/// The weight of element k of the operand in a sum. An inverse divides by the number of points, and in half a spectrum
/// most elements stand for their conjugates, too.
static MlirValue weight(IrBuilder *b, const FourierPass *pass, MlirValue k) {
  double one = pass->isInverse ? 1.0 / (double)pass->points : 1.0;
  MlirValue single = irConstantFloat(b, f64Of(b), one);
  if (!pass->toReal)
    return single;
  MlirValue isMiddle = isNumber(b, irMulI(b, k, irConstantIndex(b, 2)), pass->points);
  MlirValue isAlone = irOrI(b, isNumber(b, k, 0), isMiddle);
  return irSelect(b, isAlone, single, irConstantFloat(b, f64Of(b), 2 * one));
}

/// The sum over k of from[.., k, ..] roots[k j mod points], with j the position at[dim].
static MlirValue sumOfRoots(IrBuilder *b, const FourierPass *pass, MlirValue from, MlirValue roots,
                            const MlirValue *at) {
  IrShape shape = irShapeOf(from);
  LoopNest terms;
  MlirValue zero = scalarZero(b, complexOf(b));
  beginLoops(b, &terms, (IrShape){1, {shape.dims[pass->dim]}}, IR_VALUES(zero, irConstantIndex(b, 0)));
  IrBuilder *body = &terms.body;
  MlirValue place[IR_MAX_RANK], sum = terms.carried[0], number = terms.carried[1];
  for (intptr_t d = 0; d < shape.rank; ++d)
    place[d] = d == pass->dim ? terms.index[0] : at[d];
  MlirValue root = loadElement(body, roots, &number);
  MlirValue term = scalarCombine(body, TG_mul, complexOf(b), loadElement(body, from, place), root);
  sum = scalarCombine(body, TG_add, complexOf(b), sum, scaled(body, term, weight(body, pass, terms.index[0])));
  number = irRemUI(body, irAddI(body, number, at[pass->dim]), irConstantIndex(body, pass->points));
  endLoops(&terms, IR_VALUES(sum, number));
  return irResult(terms.loops[0], 0);
}

/// The buffer that the transform leaves, with `count` elements along its dimension.
static MlirValue transformed(IrBuilder *b, const FourierPass *pass, MlirValue from, int64_t count) {
  IrShape shape = irShapeOf(from);
  shape.dims[pass->dim] = count;
  MlirType element = pass->toReal ? f64Of(b) : complexOf(b);
  MlirValue to = newBuffer(b, mlirRankedTensorTypeGet(shape.rank, shape.dims, element, mlirAttributeGetNull()));
  MlirValue roots = rootTable(b, pass->points, pass->isInverse);
  LoopNest elements;
  beginLoops(b, &elements, shape, IR_NO_VALUES);
  MlirValue sum = sumOfRoots(&elements.body, pass, from, roots, elements.index);
  storeElement(&elements.body, pass->toReal ? part(&elements.body, "complex.re", sum) : sum, to, elements.index);
  endLoops(&elements, IR_NO_VALUES);
  return to;
}

//===----------------------------------------------------------------------===//
// All dimensions
//===----------------------------------------------------------------------===//

static MlirValue toComplex(IrBuilder *b, MlirValue buffer, MlirType element) {
  IrShape shape = irShapeOf(buffer);
  MlirValue to = newBuffer(b, mlirRankedTensorTypeGet(shape.rank, shape.dims, complexOf(b), mlirAttributeGetNull()));
  LoopNest nest;
  beginLoops(b, &nest, shape, IR_NO_VALUES);
  MlirValue x = loadElement(&nest.body, buffer, nest.index);
  storeElement(&nest.body, scalarConvert(&nest.body, x, element, complexOf(b)), to, nest.index);
  endLoops(&nest, IR_NO_VALUES);
  return to;
}

/// The last dimension comes first in a forward transform and last in an inverse one, where it may be half of one.
MlirValue lowerFft(const Lowering *l) {
  IrBuilder *b = l->b;
  MlirType type = resultStorageType(l, 0), element = irElementType(type);
  IrShape length = irGetDims(l->op, "length"), shape = irTypeShape(type);
  TgFftTransform transform = irGetInt(l->op, "transform", TG_FFT);
  bool isInverse = transform == TG_IFFT || transform == TG_IRFFT;
  int64_t last = shape.rank - 1;
  MlirValue values = toComplex(b, operandBuffer(l, 0), operandElementType(l, 0));
  for (intptr_t i = 0; i < length.rank; ++i) {
    intptr_t behind = isInverse ? length.rank - 1 - i : i; // dimensions behind the current one
    FourierPass pass = {.dim = last - behind,
                        .points = length.dims[length.rank - 1 - behind],
                        .isInverse = isInverse,
                        .toReal = transform == TG_IRFFT && behind == 0};
    values = transformed(b, &pass, values, shape.dims[pass.dim]);
  }
  MlirType wide = transform == TG_IRFFT ? f64Of(b) : complexOf(b);
  return convertedTensor(b, bufferContents(b, values, tensorWithElement(type, wide)), wide, element);
}
