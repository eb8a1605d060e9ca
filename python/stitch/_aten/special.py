# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, and what is made of a float's bits."""
import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Value
from .pointwise import FLOAT, SAME, elementwise
from .table import Context, Left, lowers

# ----------------------------------------------------------------------------------------------------------------------
# Gamma and zeta
# ----------------------------------------------------------------------------------------------------------------------


@lowers("aten.digamma.default", "aten.special_psi.default")
def digamma(c: Context, x: Value) -> Value:
    return elementwise(c, FLOAT, lambda c, x: c.b.chlo("digamma", x), x)


def _zeta(c: Context, x: Value, q: Value) -> Value:
    """At poles infinite, whatever x is."""
    b = c.b
    one, zero = b.like(1, x), b.like(0, q)
    is_pole = b.op("and", b.compare(q, zero, "LE"), b.compare(q, b.op("floor", q), "EQ"))
    is_pole = b.op("or", b.op("and", is_pole, b.compare(x, one, "GT")), b.compare(x, one, "EQ"))
    return b.select(b.compare(x, one, "LT"), b.like(math.nan, x), b.select(is_pole, b.like(math.inf, x), b.chlo("zeta", x, q)))


def _trigamma(c: Context, x: Value) -> Value:
    """By PyTorch's series, whose values at the poles are large."""
    b = c.b
    one = b.like(1, x)
    is_low = b.compare(x, b.like(0.5, x), "LT")
    sine = b.op("sine", b.op("multiply", b.like(math.pi, x), x))
    reflected = b.op("divide", b.like(math.pi ** 2, x), b.op("multiply", sine, sine))
    at, total = b.select(is_low, b.op("subtract", one, x), x), b.select(is_low, b.op("negate", reflected), b.like(0, x))
    for _ in range(6):
        total = b.op("add", total, b.op("divide", one, b.op("multiply", at, at)))
        at = b.op("add", at, one)
    square = b.op("divide", one, b.op("multiply", at, at))
    series = b.like(1 / 42, x)
    for coefficient in (1 / 30, 1 / 6):
        series = b.op("subtract", b.like(coefficient, x), b.op("multiply", square, series))
    rest = b.op("add", b.op("add", one, b.op("divide", b.like(0.5, x), at)), b.op("multiply", square, series))
    total = b.op("add", total, b.op("divide", rest, at))
    return b.select(is_low, b.op("negate", total), total)


@lowers("aten.polygamma.default")
def polygamma(c: Context, order: int, x: Value) -> Value:
    if order == 0:
        return digamma(c, x)
    if order == 1:
        return elementwise(c, FLOAT, _trigamma, x)
    factor = math.gamma(order + 1.0) * (1 if order % 2 else -1)
    return elementwise(c, FLOAT, lambda c, x: c.b.op("multiply", c.b.like(factor, x), _zeta(c, c.b.like(order + 1, x), x)), x)


@lowers("aten.special_zeta.default", "aten.special_zeta.self_scalar", "aten.special_zeta.other_scalar")
def zeta(c: Context, x: Any, q: Any) -> Value:
    return elementwise(c, FLOAT, _zeta, x, q)


# ----------------------------------------------------------------------------------------------------------------------
# Bessel functions: Chebyshev series of the Cephes library, as PyTorch has them
# ----------------------------------------------------------------------------------------------------------------------

_I0E_TO_8 = """-4.41534164647933937950E-18 3.33079451882223809783E-17 -2.43127984654795469359E-16 1.71539128555513303061E-15 -1.16853328779934516808E-14
7.67618549860493561688E-14 -4.85644678311192946090E-13 2.95505266312963983461E-12 -1.72682629144155570723E-11 9.67580903537323691224E-11 -5.18979560163526290666E-10
2.65982372468238665035E-9 -1.30002500998624804212E-8 6.04699502254191894932E-8 -2.67079385394061173391E-7 1.11738753912010371815E-6 -4.41673835845875056359E-6
1.64484480707288970893E-5 -5.75419501008210370398E-5 1.88502885095841655729E-4 -5.76375574538582365885E-4 1.63947561694133579842E-3 -4.32430999505057594430E-3
1.05464603945949983183E-2 -2.37374148058994688156E-2 4.93052842396707084878E-2 -9.49010970480476444210E-2 1.71620901522208775349E-1 -3.04682672343198398683E-1
6.76795274409476084995E-1"""
_I0E_FROM_8 = """-7.23318048787475395456E-18 -4.83050448594418207126E-18 4.46562142029675999901E-17 3.46122286769746109310E-17 -2.82762398051658348494E-16
-3.42548561967721913462E-16 1.77256013305652638360E-15 3.81168066935262242075E-15 -9.55484669882830764870E-15 -4.15056934728722208663E-14 1.54008621752140982691E-14
3.85277838274214270114E-13 7.18012445138366623367E-13 -1.79417853150680611778E-12 -1.32158118404477131188E-11 -3.14991652796324136454E-11 1.18891471078464383424E-11
4.94060238822496958910E-10 3.39623202570838634515E-9 2.26666899049817806459E-8 2.04891858946906374183E-7 2.89137052083475648297E-6 6.88975834691682398426E-5
3.36911647825569408990E-3 8.04490411014108831608E-1"""


def _series(c: Context, x: Value, coefficients: Sequence[float]) -> Value:
    b = c.b
    last, before = b.like(0, x), b.like(0, x)
    current = b.like(coefficients[0], x)
    for coefficient in coefficients[1:]:
        before, last = last, current
        current = b.op("add", b.op("subtract", b.op("multiply", x, last), before), b.like(coefficient, x))
    return b.op("multiply", b.like(0.5, x), b.op("subtract", current, before))


def _scaled_i0(c: Context, x: Value) -> Value:
    """exp(-|x|) i0(x)."""
    b = c.b
    size, two = b.op("abs", x), b.like(2, x)
    near = _series(c, b.op("subtract", b.op("divide", size, two), two), list(map(float, _I0E_TO_8.split())))
    far = _series(c, b.op("subtract", b.op("divide", b.like(32, x), size), two), list(map(float, _I0E_FROM_8.split())))
    return b.select(b.compare(size, b.like(8, x), "LE"), near, b.op("divide", far, b.op("sqrt", size)))


def _unscaled(c: Context, x: Value, scaled: Value) -> Value:
    return c.b.op("multiply", c.b.op("exponential", c.b.op("abs", x)), scaled)


@lowers("aten.i0.default", "prims.bessel_i0.default")
def i0(c: Context, x: Value) -> Value:
    return elementwise(c, FLOAT, lambda c, x: _unscaled(c, x, _scaled_i0(c, x)), x)


@lowers("aten.special_i0e.default", "prims.bessel_i0e.default")
def i0e(c: Context, x: Value) -> Value:
    return elementwise(c, FLOAT, _scaled_i0, x)


@lowers("aten.special_i1.default", "prims.bessel_i1.default")
def i1(c: Context, x: Value) -> Value:
    return elementwise(c, FLOAT, lambda c, x: _unscaled(c, x, c.b.chlo("bessel_i1e", x)), x)


@lowers("aten.special_i1e.default", "prims.bessel_i1e.default")
def i1e(c: Context, x: Value) -> Value:
    return elementwise(c, FLOAT, lambda c, x: c.b.chlo("bessel_i1e", x), x)


# ----------------------------------------------------------------------------------------------------------------------
# Bits
# ----------------------------------------------------------------------------------------------------------------------

_WORDS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
_MANTISSA = {torch.float32: 23, torch.float64: 52}  # bits


@lowers("aten.frexp.Tensor", "prims.frexp.default")
def frexp(c: Context, x: Value) -> tuple[Value, Value]:
    """x as a number in [0.5, 1) times a power of 2."""
    b, dtype = c.b, x.dtype
    work = b.convert(x, torch.float32) if dtype.itemsize < 4 else x
    bits, bias = _MANTISSA[work.dtype], 8 * work.dtype.itemsize - 1 - _MANTISSA[work.dtype]
    bias = (1 << (bias - 1)) - 1
    word = _WORDS[work.dtype.itemsize]
    tiny = b.compare(b.op("abs", work), b.like(2.0 ** (1 - bias), work), "LT")
    normal = b.select(tiny, b.op("multiply", work, b.like(2.0 ** bits, work)), work)
    pattern = b.raw("bitcast_convert", (normal,), [(word, x.shape)])[0]
    field = b.op("and", b.op("shift_right_logical", pattern, b.like(bits, pattern)), b.like(2 * bias + 1, pattern))
    exponent = b.op("subtract", field, b.select(tiny, b.like(bias - 1 + bits, field), b.like(bias - 1, field)))
    kept = b.op("and", pattern, b.like(~((2 * bias + 1) << bits), pattern))
    fraction = b.raw("bitcast_convert", (b.op("or", kept, b.like((bias - 1) << bits, kept)),), [(work.dtype, x.shape)])[0]
    same = b.op("or", b.compare(work, b.like(0, work), "EQ"), b.op("not", b.op("is_finite", work, dtype=torch.bool)))
    return b.convert(b.select(same, work, fraction), dtype), b.convert(b.select(same, b.like(0, exponent), exponent), torch.int32)


def _next_half(c: Context, x: Value, y: Value) -> Value:
    """Words of halves are in the order of their sizes."""
    b = c.b
    word, other = (b.raw("bitcast_convert", (v,), [(torch.int16, x.shape)])[0] for v in (x, y))
    zero, one = b.like(0, word), b.like(1, word)
    is_negative = b.compare(word, zero, "LT")
    away = b.op("xor", b.compare(x, y, "LT"), is_negative)
    moved = b.select(away, b.op("add", word, one), b.op("subtract", word, one))
    smallest = b.op("or", b.op("and", other, b.like(torch.iinfo(torch.int16).min, other)), one)
    moved = b.select(b.compare(x, b.like(0, x), "EQ"), smallest, moved)
    result = b.raw("bitcast_convert", (moved,), [(x.dtype, x.shape)])[0]
    result = b.select(b.compare(x, y, "EQ"), y, result)
    return b.select(b.is_nan(x), x, b.select(b.is_nan(y), y, result))


@lowers("aten.nextafter.default")
def nextafter(c: Context, x: Value, y: Value) -> Value:
    x, y = c.operand(x, c.dtype), c.operand(y, c.dtype)
    return _next_half(c, x, y) if c.dtype.itemsize < 4 else c.b.chlo("next_after", x, y)


@lowers("aten.round.decimals")
def round_decimals(c: Context, x: Value, *, decimals: int) -> Value:
    if not x.is_float:
        raise Left("integers that are rounded to decimals")

    def formula(c: Context, x: Value) -> Value:
        power = c.b.like(10.0 ** abs(decimals), x)
        first, last = ("divide", "multiply") if decimals < 0 else ("multiply", "divide")
        return c.b.op(last, c.b.op("round_nearest_even", c.b.op(first, x, power)), power)

    return elementwise(c, SAME, formula, x)


@lowers("aten.hypot.default", "prims.hypot.default")
def hypot(c: Context, x: Value, y: Value) -> Value:
    """Without squares that are too large or small."""
    def formula(c: Context, x: Value, y: Value) -> Value:
        b = c.b
        x, y = b.op("abs", x), b.op("abs", y)
        long, short, infinite = b.op("maximum", x, y), b.op("minimum", x, y), b.like(float("inf"), x)
        ratio = b.op("divide", short, long)
        root = b.op("sqrt", b.op("add", b.like(1, x), b.op("multiply", ratio, ratio)))
        size = b.select(b.compare(long, b.like(0, long), "EQ"), long, b.op("multiply", long, root))
        is_infinite = b.op("or", b.compare(x, infinite, "EQ"), b.compare(y, infinite, "EQ"))
        return b.select(is_infinite, infinite, size)

    return elementwise(c, SAME, formula, x, y)
