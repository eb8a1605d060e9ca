//===- scalar_special.c - special functions of one element ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// erf_inv by Giles' polynomials, and the Bessel function i1e by its power series and a polynomial. Errors are those of
// the header.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/scalar_special.h"

#include "lowering/scalar/real.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// The inverse of the error function
//===----------------------------------------------------------------------===//

/// Giles, "Approximating the erfinv function" (GPU Computing Gems, 2011). erf_inv(x) / x is smooth in w = -log((1 - x)
/// (1 + x)) where x is not near 1, and in sqrt(w) where it is. Within 5 units: a roundoff of the coefficients, three of
/// the last steps, and the product; an error of w is damped by the logarithm.
MlirValue scalarErfInv(IrBuilder *b, MlirValue x) {
  bool isWide = mlirTypeIsAF64(mlirValueGetType(x));
  MlirValue one = realLike(b, x, 1), magnitude = realOf(b, "math.absf", x);
  MlirValue product = irMulF(b, irSubF(b, one, magnitude), irAddF(b, one, magnitude));
  MlirValue w = realOf(b, "arith.negf", realOf(b, "math.log", product));
  MlirValue root = realOf(b, "math.sqrt", w);
  double center = isWide ? 3.125 : 2.5, tail = isWide ? 3.25 : 3;
  MlirValue inCenter = realPolynomial(b, &scalarErfInvCenter, irSubF(b, w, realLike(b, x, center)));
  MlirValue inTail = realPolynomial(b, &scalarErfInvTail, irSubF(b, root, realLike(b, x, tail)));
  if (isWide) {
    MlirValue farTail = realPolynomial(b, &scalarErfInvFarTail, irSubF(b, root, realLike(b, x, 5)));
    inTail = irSelect(b, realCompare(b, IR_CMPF_OLT, root, 4), inTail, farTail);
  }
  MlirValue factor = irSelect(b, realCompare(b, IR_CMPF_OLT, w, 2 * center), inCenter, inTail);
  MlirValue isEnd = realCompare(b, IR_CMPF_OEQ, magnitude, 1);
  return irMulF(b, x, irSelect(b, isEnd, realLike(b, x, INFINITY), factor)); // NaN beyond, by the logarithm
}

//===----------------------------------------------------------------------===//
// A Bessel function
//===----------------------------------------------------------------------===//

/// Below 12 the power series x / 2 sum (x^2 / 4)^k / (k! (k + 1)!), cut off where its polynomial is as good: all terms
/// have one sign. Above a polynomial in 1 / x over sqrt(x), as the asymptotic series. Within 10 units: exp counts two
/// roundoffs, the products two, the series six around its largest term.
MlirValue scalarBesselI1e(IrBuilder *b, MlirValue x) {
  MlirValue magnitude = realOf(b, "math.absf", x), reciprocal = irDivF(b, realLike(b, x, 1), magnitude);
  MlirValue series = realPolynomial(b, &scalarBesselI1Small, irMulF(b, x, x));
  MlirValue decay = realOf(b, "math.exp", realOf(b, "arith.negf", magnitude));
  MlirValue small = irMulF(b, irMulF(b, irMulF(b, magnitude, realLike(b, x, 0.5)), decay), series);
  MlirValue tail = realPolynomial(b, &scalarBesselI1Large, irSubF(b, reciprocal, realLike(b, x, 1.0 / 24)));
  MlirValue large = irDivF(b, tail, realOf(b, "math.sqrt", magnitude));
  MlirValue value = irSelect(b, realCompare(b, IR_CMPF_OLT, magnitude, 12), small, large);
  return realOfTwo(b, "math.copysign", value, x);
}
