#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes lowering/scalar/polynomials.c: what special functions are approximated by.

usage: polynomials.py > polynomials.c      (needs mpmath; takes a minute)

Each polynomial interpolates its function at the Chebyshev nodes of its interval, which is close to the best there is: the
least degree is taken that is good enough, then coefficients are rounded to the type that computes with them. The largest
relative error, of the rounded coefficients in exact arithmetic, is measured on a fine grid and written next to them.
"""
from mpmath import besseli, cos, digamma, erfc, erfinv, exp, findroot, log, loggamma, mp, mpf, nstr, pi, polygamma, sqrt

mp.dps = 50
TINY = mpf(10) ** -25  # below it a quotient of two small numbers is its limit

DIGAMMA_ROOT = findroot(digamma, 1.46)


def lgamma_near_two(y):
    return loggamma(2 + y) / y if abs(y) > TINY else digamma(2)


def lgamma_large(z):
    if z < TINY:
        return mpf(1) / 12
    x = 1 / sqrt(z)
    return (loggamma(x) - ((x - 0.5) * (log(x) - 1) + (log(2 * pi) - 1) / 2)) * x


def digamma_near_root(y):
    x = y + mpf(1.5)
    slope = digamma(x) / (x - DIGAMMA_ROOT) if abs(x - DIGAMMA_ROOT) > TINY else polygamma(1, DIGAMMA_ROOT)
    return slope * x * (x + 1)


def digamma_large(z):
    if z < TINY:
        return mpf(1) / 12
    x = 1 / sqrt(z)
    return (log(x) - 1 / (2 * x) - digamma(x)) / z


def bessel_i1_small(z):
    return besseli(1, sqrt(z)) / (sqrt(z) / 2) if z > TINY else mpf(1)


def bessel_i1_large(v):
    x = 1 / v if v > TINY else mpf(10) ** 25
    if x < 400:
        return besseli(1, x) * exp(-x) * sqrt(x)
    term = total = mpf(1)
    for n in range(1, 40):
        term *= ((2 * n - 1) ** 2 - 4) / (8 * n * x)
        total += term
    return total / sqrt(2 * pi)


def erf_inv_center(w):
    x = sqrt(1 - exp(-w))
    return erfinv(x) / x if w > TINY else sqrt(pi) / 2


def erf_inv_tail(root):
    """By Newton's method: erfinv loses the digits of 1 - x."""
    complement = exp(-(root**2)) / (1 + sqrt(1 - exp(-(root**2))))
    y = root
    for _ in range(80):
        step = (erfc(y) - complement) * sqrt(pi) / 2 * exp(y * y)
        y += step
        if abs(step) < mpf(10) ** -40:
            break
    return y / (1 - complement)


def shifted(function, center):
    return lambda x: function(x + center)


# name, what it is, for each type (function of the variable, interval)
POLYNOMIALS = [
    ("LgammaNearTwo", "lgamma(2 + y) / y for y in [-0.5, 1]", [(lgamma_near_two, -0.5, 1)] * 2),
    ("LgammaLarge", "x (lgamma(x) - (x - 0.5) (log(x) - 1) - (log(2 pi) - 1) / 2) for z = 1 / x^2 in [0, 1/9]",
     [(lgamma_large, 0, mpf(1) / 9)] * 2),
    ("DigammaNearRoot", "digamma(x) x (x + 1) / (x - root) for x = 1.5 + y in [0.5, 3]", [(digamma_near_root, -1, 1.5)] * 2),
    ("DigammaLarge", "(log(x) - 1 / (2 x) - digamma(x)) x^2 for z = 1 / x^2 in [0, 1/9]", [(digamma_large, 0, mpf(1) / 9)] * 2),
    ("BesselI1Small", "2 I1(x) / x for z = x^2 in [0, 144]", [(bessel_i1_small, 0, 144)] * 2),
    ("BesselI1Large", "exp(-x) I1(x) sqrt(x) for 1 / x = v + 1/24 in [0, 1/12]",
     [(shifted(bessel_i1_large, mpf(1) / 24), mpf(-1) / 24, mpf(1) / 24)] * 2),
    ("ErfInvCenter", "erf_inv(x) / x for w = -log(1 - x^2): w - 2.5 in [-2.5, 2.5] (f32), w - 3.125 in [-3.125, 3.125] (f64)",
     [(shifted(erf_inv_center, 2.5), -2.5, 2.5), (shifted(erf_inv_center, 3.125), -3.125, 3.125)]),
    ("ErfInvTail", "the same for sqrt(w) - 3 in [-0.77, 1.13] (f32), sqrt(w) - 3.25 in [-0.75, 0.75] (f64)",
     [(shifted(erf_inv_tail, 3), -0.77, 1.13), (shifted(erf_inv_tail, 3.25), -0.75, 0.75)]),
    ("ErfInvFarTail", "the same for sqrt(w) - 5 in [-1, 1.02]; f32 has no such x", [None, (shifted(erf_inv_tail, 5), -1, 1.02)]),
]
TYPES = [("f32", 24, 27), ("f64", 53, 57)]  # name, digits of the significand, -log2 of the error before rounding


def nodes(low, high, count, extrema):
    steps = [mpf(k) / (count - 1) if extrema else (k + mpf(1) / 2) / count for k in range(count)]
    return [(low + high) / 2 + (high - low) / 2 * cos(pi * s) for s in steps]


def interpolate(function, low, high, count):
    """Newton's divided differences, multiplied out."""
    xs = nodes(low, high, count, False)
    differences = [function(x) for x in xs]
    for order in range(1, count):
        for i in range(count - 1, order - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (xs[i] - xs[i - order])
    coefficients = [differences[-1]]
    for i in range(count - 2, -1, -1):
        times_x = [mpf(0)] + coefficients
        coefficients = [a - xs[i] * b for a, b in zip(times_x, coefficients + [mpf(0)])]
        coefficients[0] += differences[i]
    return coefficients


def horner(coefficients, x):
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def worst_error(coefficients, points):
    return max(abs(horner(coefficients, x) / y - 1) for x, y in points)


def rounded(x, digits):
    with mp.workprec(digits):
        return +x


def fit(function, low, high, digits, wanted):
    low, high = mpf(low), mpf(high)
    points = [(x, function(x)) for x in nodes(low, high, 257, True)]
    count = 3
    while True:
        coefficients = interpolate(function, low, high, count)
        if worst_error(coefficients, points[::2]) < mpf(2) ** -wanted:
            break
        count += 1
    coefficients = [rounded(c, digits) for c in coefficients]
    return coefficients, worst_error(coefficients, points)


def main():
    print("//===- polynomials.c - made by polynomials.py --------------===//")
    print("""//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// clang-format off

#include "lowering/scalar/polynomials.h"
""")
    for name, what, fits in POLYNOMIALS:
        members = []
        print(f"// {what}")
        for (kind, digits, wanted), arguments in zip(TYPES, fits):
            if arguments is None:
                continue
            coefficients, error = fit(*arguments, digits, wanted)
            table = name[0].lower() + name[1:] + kind.upper()
            print(f"// {kind}: relative error at most 2^{nstr(log(error, 2), 4)}")
            print(f"static const double {table}[] = {{")
            for c in coefficients:
                print(f"    {nstr(c, 9 if kind == 'f32' else 17)},")
            print("};")
            members.append(f".{kind} = {table}, .{kind}Count = {len(coefficients)}")
        print(f"const ScalarPolynomial scalar{name} = {{{', '.join(members)}}};\n")


if __name__ == "__main__":
    main()
