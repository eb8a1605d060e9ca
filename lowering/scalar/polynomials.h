//===- polynomials.h - polynomials of special functions -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The polynomials of lowering/scalar/polynomials.c, which polynomials.py makes; their functions, intervals and errors
// are stated there.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_POLYNOMIALS_H
#define STITCH_LOWERING_SCALAR_POLYNOMIALS_H

#include <stdint.h>

/// Coefficients for each type that computes, from that of degree 0 up. Those of f32 are floats.
typedef struct {
  const double *f32;
  intptr_t f32Count;
  const double *f64;
  intptr_t f64Count;
} ScalarPolynomial;

extern const ScalarPolynomial scalarLgammaNearTwo;
extern const ScalarPolynomial scalarLgammaLarge;
extern const ScalarPolynomial scalarDigammaNearRoot;
extern const ScalarPolynomial scalarDigammaLarge;
extern const ScalarPolynomial scalarBesselI1Small;
extern const ScalarPolynomial scalarBesselI1Large;
extern const ScalarPolynomial scalarErfInvCenter;
extern const ScalarPolynomial scalarErfInvTail;
extern const ScalarPolynomial scalarErfInvFarTail;

#endif // STITCH_LOWERING_SCALAR_POLYNOMIALS_H
