# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions of CHLO: exact values by series in 80 bits, by other formulas than those of the compiler.

Bounds are those of lowering/scalar/scalar_special.c and gamma.c. Where terms cancel (below zero, by the reflection formulas) the
unit is that of the larger term; of powers, that of the value times what amplifies the rounding of their base.
"""
from fractions import Fraction

import numpy as np

from op_tests.cases import Group, Ulps, elementwise_case
from op_tests.elementwise import erf_wide, erfc_wide
from op_tests.types import Wide, random_values, rounded, unary_inputs, wide

PI = Wide("3.14159265358979323846264338327950288")
# Where digamma is zero, as the sum of two.
ROOT_TEXT = "1.461632144968362341262659542325721328468196"
ROOT = Wide(ROOT_TEXT)
ROOT_TAIL = Wide(float(Fraction(ROOT_TEXT) - Fraction(*ROOT.as_integer_ratio())))
BERNOULLI = [Wide(n) / d for n, d in ((1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798),
                                      (-174611, 330), (854513, 138), (-236364091, 2730))]
EULER = Wide("0.577215664901532860606512090082402431")


def erf_inv_wide(x):
    """Halley's method on erf, or on erfc where 1 - |x| is exact and small."""
    magnitude = np.abs(x)
    inside = np.where(magnitude < 1, magnitude, 0)
    logarithm = np.log1p(-inside * inside)
    start = 2 / (PI * Wide(0.147)) + logarithm / 2
    y = np.sqrt(np.sqrt(start * start - logarithm / Wide(0.147)) - start)
    for _ in range(5):
        error = np.where(inside < 0.5, erf_wide(y) - inside, (1 - inside) - erfc_wide(y))
        step = error / (2 / np.sqrt(PI) * np.exp(-y * y))
        y = y - step / (1 + y * step)
    y = np.where(inside < 1e-12, inside * np.sqrt(PI) / 2, y)
    return np.where(magnitude > 1, np.nan, np.where(magnitude == 1, np.copysign(Wide(np.inf), x), np.where(np.isnan(x), x, np.copysign(y, x))))


def bessel_i1e_wide(x):
    magnitude = np.abs(x)
    small, large = np.where(magnitude < 40, magnitude, 0), np.where(magnitude < 40, 40, magnitude)
    term = total = small / 2
    for k in range(1, 120):
        term = term * (small / 2) ** 2 / (k * (k + 1))
        total = total + term
    series = total * np.exp(-small)
    term = tail = np.ones_like(large)
    for n in range(1, 60):
        term = term * ((2 * n - 1) ** 2 - 4) / (8 * n * large)
        tail = tail + term
    value = np.where(magnitude < 40, series, tail / np.sqrt(2 * PI) / np.sqrt(large))
    return np.where(np.isnan(x), x, np.copysign(value, x))


def hurwitz(s, q, terms=60):
    """The sum of (q + k)^-s for q > 0."""
    k = np.arange(terms).reshape(-1, *[1] * max(np.ndim(s), np.ndim(q))).astype(Wide)
    total = np.sum(np.power(q + k, -s), axis=0)
    a = q + Wide(terms)
    power = np.power(a, -s)
    total = total + power * a / (s - 1) + power / 2
    factor = s / a
    for j, number in enumerate(BERNOULLI, 1):
        factor = factor / (2 * j * (2 * j - 1))
        total = total + power * number * factor
        factor = factor * (s + 2 * j - 1) * (s + 2 * j) / (a * a)
    return total


def lgamma_near_two(y):
    """(1 - gamma) y + the sum over k > 1 of (-1)^k (zeta(k) - 1) y^k / k, |y| <= 0.5."""
    total = np.zeros_like(y)
    for k in range(44, 1, -1):
        total = total * -y + hurwitz(Wide(k), Wide(2)) / k
    return y * ((1 - EULER) + y * total)


def stirling_shifted(x):
    """x + 30, the product of the factors before it, and the sum of their reciprocals."""
    product, reciprocals = np.ones_like(x), np.zeros_like(x)
    for k in range(30):
        product, reciprocals = product * (x + k), reciprocals + 1 / (x + k)
    return x + 30, product, reciprocals


def lgamma_of_positive(x):
    small = np.clip(x, 0, 2.5)
    step = np.where(small < 0.5, 0, np.where(small < 1.5, 1, 2))
    y = small - step
    near = lgamma_near_two(y) - np.where(step < 2, np.log1p(np.where(step < 2, y, 0)), 0) - np.where(step == 0, np.log(small), 0)
    middle = np.clip(x, 2.5, 200)
    shifted, product, _ = stirling_shifted(middle)
    result = np.where(x < 2.5, near, np.where(x < 200, stirling(shifted) - np.log(product), stirling(np.maximum(x, 200))))
    return result


def stirling(x):
    total = np.zeros_like(x)
    for j in range(len(BERNOULLI), 0, -1):
        total = total / (x * x) + BERNOULLI[j - 1] / (2 * j * (2 * j - 1))
    return (x - 0.5) * (np.log(x) - 1) + (np.log(2 * PI) - 1) / 2 + total / x


def distance_from_integer(x):
    return x - np.rint(x)


def lgamma_wide(x):
    """The value, and what the error is relative to."""
    negative = x < 0
    value = lgamma_of_positive(np.where(negative, 1 - x, x))
    distance = np.abs(distance_from_integer(x))
    factor = np.log(PI / np.sin(PI * distance))
    reflected = np.where((distance == 0) | np.isinf(x), np.inf, factor - value)
    return np.where(negative, reflected, value), np.where(negative, np.maximum(np.abs(factor), np.abs(value)), value)


def digamma_near_root(x):
    """Taylor's series at the root."""
    distance = (x - ROOT) - ROOT_TAIL
    total = np.zeros_like(x)
    for k in range(70, 0, -1):
        total = total * distance + (-1) ** (k + 1) * hurwitz(Wide(k + 1), ROOT)
    return total * distance


def digamma_of_positive(x):
    near = (x > 1) & (x < 2)
    shifted, _, reciprocals = stirling_shifted(np.where(x < 200, x, 1))
    a = np.where(x < 200, shifted, x)
    total = np.zeros_like(x)
    for j in range(len(BERNOULLI), 0, -1):
        total = total / (a * a) + BERNOULLI[j - 1] / (2 * j)
    value = np.log(a) - 1 / (2 * a) - total / (a * a) - np.where(x < 200, reciprocals, 0)
    return np.where(near, digamma_near_root(np.where(near, x, 1.5)), value)


def digamma_wide(x):
    negative = x < 0
    value = digamma_of_positive(np.where(negative, 1 - x, x))
    distance = distance_from_integer(x)
    factor = PI / np.tan(PI * distance)
    reflected = np.where(distance == 0, np.nan, value - factor)
    result = np.where(x == 0, np.copysign(Wide(np.inf), -x), np.where(negative, reflected, value))
    # Where the cotangent is near zero its error is that of the product before it.
    scale = np.maximum(np.maximum(np.abs(factor), np.abs(value)), PI)
    return result, np.where(negative, scale, result)


def zeta_wide(s, q):
    """The value, and what the error is relative to. Terms below zero are summed one after the other: q >= -70."""
    whole, is_integer = np.floor(q) == q, np.floor(s) == s
    sane = (s > 1) & np.isfinite(s) & np.isfinite(q) & (q > -70)
    order, start = np.where(sane, s, 2), np.where(sane & ~((q <= 0) & whole), q, 0.5)
    steps = np.where(start < 0, np.ceil(-start), 0)
    value = hurwitz(order, start + steps)
    below, sign = np.zeros_like(value), np.where(np.fmod(order, 2) == 0, 1, -1)
    for k in range(70):
        below = below + np.where(k < steps, np.power(np.abs(start + np.minimum(k, np.maximum(steps - 1, 0))), -order), 0)
    scale = np.where(start < 0, (value + below) * (1 + order / 8), value)
    halves = (start < 0) & (np.abs(distance_from_integer(start)) == 0.5) & (sign < 0)  # the others cancel in pairs
    value = np.where(halves, hurwitz(order, np.where(halves, 1 - start, 1)), value + sign * below)
    value = np.where(q > 0, value, np.where(~is_integer, np.nan, np.where(whole, np.where(np.fmod(s, 2) == 0, np.inf, np.nan), value)))
    limit = np.where(np.isinf(s), np.where(q == 1, Wide(1), np.where(q < 1, np.inf, 0)), 0)  # q > 0, one of them infinite
    value = np.where(np.isinf(s) | (np.isinf(q) & (q > 0)), limit, value)
    value = np.where(s == 1, np.inf, np.where((s < 1) | (q == -np.inf), np.nan, value))
    value = np.where(np.isnan(s) | np.isnan(q), np.nan, value)
    return value, np.where(np.isfinite(value) & sane, scale, value)


def polygamma_wide(n, x):
    is_order = (n >= 0) & (np.floor(n) == n) & np.isfinite(n)
    order = np.where(is_order & (n > 0), n, 1)
    value, scale = zeta_wide(order + 1, x)
    logarithm = lgamma_of_positive(order + 1)
    factor = np.exp(logarithm)
    sign = np.where(np.fmod(order, 2) == 1, 1, -1)
    of_zero, zero_scale = digamma_wide(x)
    value = np.where(is_order, np.where(n == 0, of_zero, sign * factor * value), np.nan)
    scale = np.where(n == 0, zero_scale, factor * scale * (1 + (order + logarithm) / 5))
    return np.where(np.isnan(x) | (x == -np.inf), np.nan, value), scale


def neighbours(t, values):
    """The values and some floats around each."""
    near = rounded(np.array([Wide(v) for v in values]), t)
    steps = np.concatenate([[0, 1, 2, 3, 10, 100, 1000], 2 ** np.arange(12, t.precision - 2)])
    bits = near.view(f"i{t.numpy.itemsize}")
    return np.concatenate([(bits + sign * int(s)).astype(bits.dtype).view(t.numpy) for s in steps for sign in (1, -1)])


def unary_group(t, size, rng):
    inputs = unary_inputs(t, size, rng)
    if t.bits > 16:
        more = neighbours(t, [0.5, 1, 1.5, 2, 3, 12, -1, -2, -3, -0.5, ROOT, -0.504083, -2.457])
        inputs = [np.concatenate([inputs[0], more])]
    x = wide(inputs[0])
    cases = []
    for name, bound, (value, scale) in [
            ("chlo.erf_inv", 5, [erf_inv_wide(x)] * 2), ("chlo.bessel_i1e", 10, [bessel_i1e_wide(x)] * 2),
            ("chlo.lgamma", 8, lgamma_wide(x)), ("chlo.digamma", 8, digamma_wide(x))]:
        cases.append(elementwise_case(name, name, t, inputs, t, Ulps(value, t, bound, inputs, scale)))
    return Group(f"special {t.name}", inputs, cases)


def binary_group(t, size, rng):
    """Orders of which the exact value can be computed here; arguments of any size above zero, and a few periods below it."""
    orders = [-1, 0, 0.5, 1, 1.125, 1.5, 2, 3, 4, 5, 7.5, 10, 20, 33, 40, np.inf, np.nan]
    arguments = [0, -0.0, 0.25, 0.5, 1, 2, 9, 1e3, 6e4, np.inf, -np.inf, np.nan, -0.25, -0.5, -0.625, -1, -1.5, -2.25, -9.75, -60.5]
    s, q = np.repeat(orders, len(arguments)), np.tile(arguments, len(orders))
    count = size.random // 4
    s = np.concatenate([s, 1 + rng.exponential(3, count), rng.integers(1, 12, count)])
    q = np.concatenate([q, np.exp(rng.uniform(-4, 9, count)), np.abs(random_values(t, count, rng).astype(np.float64) % 64) * rng.choice([1, -1], count)])
    inputs = [rounded(wide(v), t) for v in (s, q)]
    with np.errstate(all="ignore"):
        values = zeta_wide(*map(wide, inputs)), polygamma_wide(*map(wide, inputs))
    cases = [elementwise_case(name, name, t, inputs, t, Ulps(value, t, 10, inputs, scale))
             for name, (value, scale) in zip(("chlo.zeta", "chlo.polygamma"), values)]
    return Group(f"special of two {t.name}", inputs, cases)
