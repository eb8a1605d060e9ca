//===- scalar_special.h - special functions of one element ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of f32 and f64 values, as arith, math and scf operations. Used by lowering/scalar/scalar.c and by nothing else.
// Errors are in units in the last place of the result, with elementary functions that are within one unit;
// test/operations/op_table.md has the measured ones.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_SCALAR_SPECIAL_H
#define STITCH_LOWERING_SCALAR_SCALAR_SPECIAL_H

#include "ir/mlir/build.h"

// scalar_special.c

/// The y with erf(y) = x; NaN outside of [-1, 1], infinite at its ends.
MlirValue scalarErfInv(IrBuilder *b, MlirValue x);
/// exp(-|x|) I1(x), I1 being the modified Bessel function of the first kind.
MlirValue scalarBesselI1e(IrBuilder *b, MlirValue x);

// gamma.c

/// log |gamma(x)|; infinity at the poles.
MlirValue scalarLgamma(IrBuilder *b, MlirValue x);
/// The derivative of lgamma. NaN at the poles, but for zeros: there the infinity of the side that the sign names.
MlirValue scalarDigamma(IrBuilder *b, MlirValue x);
/// Hurwitz's function, the sum of (q + k)^-s over k = 0, 1, 2, ... Infinity for s = 1, NaN below. For q < 0 the real
/// value if s is an integer, else NaN; at the poles infinity if s is even, else NaN.
MlirValue scalarZeta(IrBuilder *b, MlirValue s, MlirValue q);
/// The n-th derivative of digamma; NaN unless n is 0, 1, 2, ...
MlirValue scalarPolygamma(IrBuilder *b, MlirValue n, MlirValue x);

#endif // STITCH_LOWERING_SCALAR_SCALAR_SPECIAL_H
