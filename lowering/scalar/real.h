//===- real.h - building formulas of real numbers ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the files of special functions (lowering/scalar/scalar_special.h), whose values are all of one type, f32 or f64.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_REAL_H
#define STITCH_LOWERING_SCALAR_REAL_H

#include "ir/mlir/build.h"
#include "lowering/scalar/polynomials.h"

#include "mlir-c/BuiltinTypes.h"

static inline MlirValue realLike(IrBuilder *b, MlirValue like, double value) {
  return irConstantFloat(b, mlirValueGetType(like), value);
}

/// realOf(b, "math.exp", x)
static inline MlirValue realOf(IrBuilder *b, const char *name, MlirValue x) {
  return irUnary(b, name, x, mlirValueGetType(x));
}

static inline MlirValue realOfTwo(IrBuilder *b, const char *name, MlirValue x, MlirValue y) {
  return irValueOf(b, name, IR_VALUES(x, y), mlirValueGetType(x), IR_NO_ATTRS);
}

static inline MlirValue realCompare(IrBuilder *b, IrCmpFPredicate predicate, MlirValue x, double value) {
  return irCmpF(b, predicate, x, realLike(b, x, value));
}

/// x * y + z, rounded once.
static inline MlirValue realFma(IrBuilder *b, MlirValue x, MlirValue y, MlirValue z) {
  return irValueOf(b, "math.fma", IR_VALUES(x, y, z), mlirValueGetType(x), IR_NO_ATTRS);
}

/// By Horner's scheme: its rounding errors are those of the last steps where the coefficients fall off.
static inline MlirValue realPolynomial(IrBuilder *b, const ScalarPolynomial *p, MlirValue x) {
  bool isWide = mlirTypeIsAF64(mlirValueGetType(x));
  const double *coefficients = isWide ? p->f64 : p->f32;
  intptr_t i = (isWide ? p->f64Count : p->f32Count) - 1;
  MlirValue value = realLike(b, x, coefficients[i]);
  while (i-- > 0)
    value = realFma(b, value, x, realLike(b, x, coefficients[i]));
  return value;
}

#endif // STITCH_LOWERING_SCALAR_REAL_H
