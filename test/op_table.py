#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation x every element type against what the StableHLO specification says: test/op_table.md.

usage: op_table.py --bin DIR [--fast] [--no-jax] [--only TEXT] [--keep DIR] [--write FILE] [--table FILE]

Each operation that `convert-stablehlo-to-tg` takes and kernels execute runs in each element type, on edge values (zeros of both signs,
NaN, infinities, subnormal numbers, extreme integers, ties, shifts beyond the width, divisors of zero, indices out of range)
and random bits, through three implementations: `stitch-run --device=reference`, `stitch-run --device=simt`, JAX on the CPU.
All three are compared with expected values, which NumPy computes here: integers as such, floats in the x87's 80 bits, so that
errors of f64 show too. Errors of floats are in units in the last place of the exact value, overflow counting as the next power
of two. All other results must be equal. JAX is not what is tested, but the proof that expectations are not ours alone:
where it differs from them the table says so.

With --table the results must be as good as those in the written table: within its bounds, with no pair of operation and type
that it lacks. Exit status 1 if the reference or a kernel is outside a bound.
"""
import argparse
import concurrent.futures
import math
import os
import subprocess
import sys
import tempfile
import warnings

import ml_dtypes
import numpy as np

warnings.filterwarnings("ignore")
Wide = np.longdouble
if np.finfo(Wide).nmant < 63:
    sys.exit("op_table.py needs a long double of 80 bits: an x86-64 machine")

# ---------------------------------------------------------------------------------------------------------------------
# Element types
# ---------------------------------------------------------------------------------------------------------------------


class Type:
    def __init__(self, name, numpy, kind):
        self.name, self.numpy, self.kind = name, np.dtype(numpy), kind
        self.bits = 1 if kind == "bool" else self.numpy.itemsize * 8
        if kind == "float":
            info = ml_dtypes.finfo(numpy)
            self.precision = info.nmant + 1
            self.emin, self.emax = info.minexp, info.maxexp - 1
            self.max = Wide(info.max)
        elif kind != "bool":
            self.least, self.largest = int(np.iinfo(numpy).min), int(np.iinfo(numpy).max)

    def array(self, values):
        return np.array(values, self.numpy)

    def bits_of(self, array):
        return np.ascontiguousarray(array).view(f"u{self.numpy.itemsize}")


TYPES = {
    t.name: t
    for t in [
        Type("f64", np.float64, "float"),
        Type("f32", np.float32, "float"),
        Type("f16", np.float16, "float"),
        Type("bf16", ml_dtypes.bfloat16, "float"),
        Type("i1", np.bool_, "bool"),
        *[Type(f"i{b}", f"i{b // 8}", "int") for b in (8, 16, 32, 64)],
        *[Type(f"ui{b}", f"u{b // 8}", "uint") for b in (8, 16, 32, 64)],
    ]
}
FLOATS = [t for t in TYPES.values() if t.kind == "float"]
INTEGERS = [t for t in TYPES.values() if t.kind in ("int", "uint")]
SIGNED = [t for t in TYPES.values() if t.kind == "int"]
BOOL = TYPES["i1"]


def tensor(shape, t):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{t.name}>"


def wide(array):
    """Exactly, in 80 bits."""
    return array.astype(np.float64).astype(Wide) if array.dtype == ml_dtypes.bfloat16 else array.astype(Wide)


def exponent(x):
    """Of the binade of each finite value; 0 has the least."""
    return np.where(x == 0, -(10**6), np.frexp(x)[1] - 1)


def rounded(x, t):
    """80-bit values rounded once, to nearest and ties to even, to a float type."""
    finite = np.isfinite(x)
    quantum = np.ldexp(Wide(1), np.maximum(exponent(np.where(finite, x, 1)), t.emin) - (t.precision - 1))
    value = np.where(finite, np.rint(np.where(finite, x, 0) / quantum) * quantum, x)
    value = np.where(finite & (np.abs(value) > t.max), np.copysign(Wide(np.inf), x), value)
    value = np.copysign(value, x)
    return value.astype(np.float64).astype(t.numpy)


# ---------------------------------------------------------------------------------------------------------------------
# Inputs
# ---------------------------------------------------------------------------------------------------------------------


def edge_values(t):
    if t.kind == "bool":
        return t.array([False, True])
    if t.kind != "float":
        values = [0, 1, 2, 3, 5, 7, 10, t.bits - 1, t.bits, t.bits + 1, 100, 127]
        values += [t.largest, t.largest - 1, t.largest // 2, t.largest // 3, t.least, t.least + 1, 1 << (t.bits - 2)]
        if t.kind == "int":
            values += [-1, -2, -3, -7, -100, -t.bits, t.least // 2]
        return t.array(values)
    eps = 2.0 ** -(t.precision - 1)
    tiny, least = Wide(2) ** t.emin, Wide(2) ** (t.emin - t.precision + 1)
    whole = 2.0 ** (t.precision - 1)
    values = [0, 1, 1 + eps, 1 - eps / 2, 0.5, 0.5 - eps / 4, 1.5, 2, 2.5, 3, 3.5, 4, 10, 0.1, 1e-3, math.pi, math.pi / 2]
    values += [tiny, tiny - least, least, 3 * least, tiny * 2, t.max, t.max / 2, np.inf, 88.5, 89, 103.5, 127.5, 128, 255.5, 256]
    values += [whole, whole / 2 - 0.5, whole / 2 + 0.5, whole / 4 - 0.25, 709.5, 745, 2.0**31, 2.0**32, 2.0**63, 2.0**64, 1e5, 1e9]
    values += [17, 20, 65504, 65519, 65520, 32767.5, 1 / 3, 5.5, 9, 27]
    signed = wide_list(values)
    both = np.concatenate([signed, -signed, wide_list([np.nan])])
    return rounded(both, t)


def wide_list(values):
    return np.array([Wide(v) for v in values], Wide)


def random_values(t, count, rng):
    if t.kind == "bool":
        return rng.integers(0, 2, count).astype(bool)
    bits = rng.integers(0, 2 ** (t.bits - 1), count, dtype=np.uint64) * 2 + rng.integers(0, 2, count, dtype=np.uint64)
    anything = bits.astype(f"u{t.numpy.itemsize}").view(t.numpy)
    if t.kind != "float":
        small = rng.integers(0 if t.kind == "uint" else -20, 40, count).astype(t.numpy)
        return np.where(rng.random(count) < 0.7, anything, small).astype(t.numpy)
    usual = np.where(rng.random(count) < 0.5, rng.normal(0, 10, count), rng.uniform(-1.5, 1.5, count)).astype(t.numpy)
    return np.where(rng.random(count) < 0.4, anything, usual).astype(t.numpy)


def all_values(t):
    return np.arange(1 << t.bits, dtype=np.uint32).astype(f"u{t.numpy.itemsize}").view(t.numpy)


def unary_inputs(t, size, rng):
    if t.kind == "bool":
        return [edge_values(t)]
    if t.bits <= 16:
        every = all_values(t)
        return [every if t.bits == 8 or size.every else np.concatenate([edge_values(t), every[:: 17]])]
    return [np.concatenate([edge_values(t), random_values(t, size.random, rng)])]


def binary_inputs(t, size, rng):
    edges = all_values(t) if t.kind != "bool" and t.bits == 8 and size.every else edge_values(t)
    if len(edges) > size.pairs:
        edges = edges[rng.permutation(len(edges))[: size.pairs]] if t.bits > 8 else edges
    a, b = np.repeat(edges, len(edges)), np.tile(edges, len(edges))
    near = random_values(t, size.random, rng)
    return [
        np.concatenate([a, near, random_values(t, size.random, rng)]),
        np.concatenate([b, random_values(t, size.random, rng), near]),
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Comparison: the worst error and an example of it
# ---------------------------------------------------------------------------------------------------------------------


def describe(inputs, actual, expected, i):
    operands = ", ".join(repr(x.reshape(-1)[i].item()) for x in inputs) if inputs else f"element {i}"
    return f"({operands}): {actual.reshape(-1)[i].item()!r}, expected {expected.reshape(-1)[i].astype(actual.dtype).item()!r}"


def worst_of(error, inputs, actual, expected):
    worst = float(np.max(error, initial=0))
    at = int(np.argmax(error)) if error.size else 0
    return worst, describe(inputs, actual, expected, at) if worst > 0 else ""


class Equal:
    """The number of elements that differ. With `payload` NaNs must have equal bits, else any NaN is as good as another."""

    def __init__(self, expected, inputs=(), payload=False):
        self.expected, self.inputs, self.payload = expected, inputs, payload
        self.bound = 0

    def __call__(self, actual):
        expected = self.expected
        same = actual.reshape(-1).view(f"u{actual.dtype.itemsize}") == expected.reshape(-1).view(f"u{actual.dtype.itemsize}")
        if not self.payload and TYPE_OF[actual.dtype].kind == "float":
            same |= (np.isnan(actual) & np.isnan(expected)).reshape(-1)
        _, example = worst_of(~same, self.inputs, actual, expected)
        return float(np.count_nonzero(~same)), example


class Ulps:
    """The largest distance from the exact values in units in the last place of `scale`, which is the exact value itself
    unless given. A zero must have the sign of the exact value."""

    def __init__(self, exact, t, bound, inputs=(), scale=None):
        self.exact, self.type, self.bound, self.inputs = exact, t, bound, inputs
        self.scale = exact if scale is None else scale

    def __call__(self, actual):
        t, exact = self.type, self.exact.reshape(-1)
        value = wide(actual.reshape(-1))
        beyond = np.ldexp(Wide(1), t.emax + 1)
        target = np.clip(exact, -beyond, beyond)
        found = np.clip(value, -beyond, beyond)
        scale = np.minimum(np.abs(self.scale.reshape(-1)), t.max)
        ulp = np.ldexp(Wide(1), np.maximum(exponent(np.where(np.isnan(scale), 1, scale)), t.emin) - (t.precision - 1))
        error = np.abs(found - target) / ulp
        error = np.where(np.isnan(exact) & np.isnan(value), 0, error)
        error = np.where(np.isnan(exact) != np.isnan(value), np.inf, error)
        wrong_zero = (value == 0) & (np.signbit(value) != np.signbit(exact)) & ~np.isnan(exact)
        if self.scale is self.exact:
            error = np.where(wrong_zero, np.inf, error)
        return worst_of(error, self.inputs, actual, self.exact)


TYPE_OF = {t.numpy: t for t in TYPES.values()}


class Case:
    """One result of a module. In the text %0, %1, ... are the module's inputs and %r is the result."""

    def __init__(self, row, t, text, shape, result_type, check):
        self.row, self.type, self.text, self.check = row, t, text, check
        self.result = tensor(shape, result_type)
        self.shape, self.result_type = shape, result_type


class Group:
    """Inputs and the cases that read them: one module, or several if one of its operations does not compile."""

    def __init__(self, name, inputs, cases):
        self.name, self.inputs, self.cases = name, inputs, cases


# ---------------------------------------------------------------------------------------------------------------------
# Elementwise operations
# ---------------------------------------------------------------------------------------------------------------------


def erf_wide(x):
    """2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (1 3 5 ... (2n+1)): all terms of one sign."""
    bounded = np.where(np.abs(x) < 7, x, 0)
    term, total, n = bounded.copy(), bounded.copy(), 0
    while n < 400:
        n += 1
        term = term * 2 * bounded * bounded / (2 * n + 1)
        total = total + term
    value = total * np.exp(-bounded * bounded) * 2 / np.sqrt(Wide("3.14159265358979323846264338327950288"))
    return np.where(np.isnan(x), x, np.where(np.abs(x) < 7, np.where(x == 0, x, value), np.copysign(Wide(1), x)))


def erfc_wide(x):
    """From 1 - erf below 2, by the continued fraction exp(-x^2)/sqrt(pi) / (x + 1/2/(x + 1/(x + 3/2/(x + ...)))) above."""
    large = np.where(x > 2, np.minimum(x, 200), 2)
    fraction = large.copy()
    for n in range(400, 0, -1):
        fraction = large + Wide(n) / 2 / fraction
    tail = np.exp(-large * large) / np.sqrt(Wide("3.14159265358979323846264338327950288")) / fraction
    return np.where(x > 2, tail, 1 - erf_wide(x))


def logistic_wide(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def sign_wide(x):
    return np.where((x == 0) | np.isnan(x), x, np.copysign(Wide(1), x))


def half_away(x):
    whole = np.trunc(x)
    return np.copysign(np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(Wide(1), x), whole), x)


def square(x):
    return x * x


PROCESSOR = (np.add, np.subtract, np.multiply, np.divide, np.sqrt, square)


def rounded_result(function, inputs, t):
    """Rounded once. Those of f64 do not fit in 80 bits: there the processor's own, which are rounded once."""
    if function in PROCESSOR and t.name == "f64":
        return function(*inputs)
    return rounded(function(*map(wide, inputs)), t)


def float_check(function, t, bound, inputs):
    if bound is None:
        return Equal(rounded_result(function, inputs, t), inputs)
    # glibc states 4 ulp for the cube root of f64.
    bound = 4.5 if function is np.cbrt and t.name == "f64" else bound
    return Ulps(function(*map(wide, inputs)), t, bound, inputs)


# A compiler and a device have their own elementary functions. glibc states errors of at most 1 ulp for nearly all of them; 2 is
# asked for, which includes the rounding of the result. (tan: 1 in glibc, plus the rounding.)
FUNCTION = 2.0

# name, exact function, bound in ulp; None: the result must be the exact value rounded to nearest
UNARY_FLOAT = [
    ("stablehlo.abs", np.abs, None),
    ("stablehlo.negate", np.negative, None),
    ("stablehlo.sign", sign_wide, None),
    ("stablehlo.ceil", np.ceil, None),
    ("stablehlo.floor", np.floor, None),
    ("stablehlo.round_nearest_afz", half_away, None),
    ("stablehlo.round_nearest_even", np.rint, None),
    ("stablehlo.sqrt", np.sqrt, None),
    ("stablehlo.real", lambda x: x, None),
    ("stablehlo.imag", np.zeros_like, None),
    ("chlo.square", square, None),
    ("stablehlo.rsqrt", lambda x: 1 / np.sqrt(x), 1.5),
    ("stablehlo.cbrt", np.cbrt, FUNCTION),
    ("stablehlo.exponential", np.exp, FUNCTION),
    ("stablehlo.exponential_minus_one", np.expm1, FUNCTION),
    ("stablehlo.log", np.log, FUNCTION),
    ("stablehlo.log_plus_one", np.log1p, FUNCTION),
    ("stablehlo.logistic", logistic_wide, 4.0),
    ("stablehlo.sine", np.sin, FUNCTION),
    ("stablehlo.cosine", np.cos, FUNCTION),
    ("stablehlo.tan", np.tan, FUNCTION),
    ("stablehlo.tanh", np.tanh, 2.5),
    ("chlo.atan", np.arctan, FUNCTION),
    ("chlo.erf", erf_wide, FUNCTION),
    ("chlo.erfc", erfc_wide, 5.5),
    ("chlo.tan", np.tan, FUNCTION),
]
PREDICATES = [
    ("stablehlo.is_finite", np.isfinite),
    ("chlo.is_inf", np.isinf),
    ("chlo.is_pos_inf", np.isposinf),
    ("chlo.is_neg_inf", np.isneginf),
]


def attributes_of(text):
    return f" {{{text}}}" if text else ""


def operation(name, operands, types, result, attributes=""):
    names = ", ".join(operands)
    return f'%r = "{name}"({names}){attributes_of(attributes)} : ({", ".join(types)}) -> {result}'


def elementwise_case(row, name, t, inputs, result_type, check, attributes="", count=None):
    shape = [len(inputs[0])]
    count = len(inputs) if count is None else count
    text = operation(name, [f"%{i}" for i in range(count)], [tensor(shape, TYPE_OF[x.dtype]) for x in inputs[:count]],
                     tensor(shape, result_type), attributes)
    return Case(row, t, text, shape, result_type, check)


def unary_float_group(t, size, rng):
    inputs = unary_inputs(t, size, rng)
    x = wide(inputs[0])
    cases = [elementwise_case(n, n, t, inputs, t, float_check(f, t, bound, inputs)) for n, f, bound in UNARY_FLOAT]
    cases += [elementwise_case(n, n, t, inputs, BOOL, Equal(f(x), inputs)) for n, f in PREDICATES]
    for exponent_bits, mantissa_bits in ((5, 10), (8, 7), (4, 3), (8, 23), (11, 52), (5, 2)):
        expected = reduce_precision(x, t, exponent_bits, mantissa_bits)
        cases.append(elementwise_case("stablehlo.reduce_precision", "stablehlo.reduce_precision", t, inputs, t, Equal(expected, inputs),
                                      f"exponent_bits = {exponent_bits} : i32, mantissa_bits = {mantissa_bits} : i32"))
    return Group(f"unary {t.name}", inputs, cases)


def reduce_precision(x, t, exponent_bits, mantissa_bits):
    """The mantissa is rounded, then what the exponent does not hold becomes an infinity or a zero: there are no subnormal numbers."""
    bits = min(mantissa_bits, t.precision - 1)
    bias = 2 ** (exponent_bits - 1) - 1
    finite = np.isfinite(x)
    y = np.where(finite, x, 0)
    quantum = np.ldexp(Wide(1), np.maximum(exponent(y), t.emin) - bits)
    y = np.rint(y / quantum) * quantum
    if bias < t.emax:
        y = np.where(exponent(y) < 1 - bias, 0, np.where(exponent(y) > bias, np.inf, y))
    return rounded(np.where(finite, np.copysign(y, x), x), t)


def popcount(x, t):
    bits = t.bits_of(x).astype(np.uint64)
    return sum(((bits >> np.uint64(i)) & np.uint64(1)) for i in range(t.bits)).astype(t.numpy)


def leading_zeros(x, t):
    bits, count = t.bits_of(x).astype(np.uint64), np.full(x.shape, t.bits)
    for i in range(t.bits):
        count = np.where((bits >> np.uint64(i)) & np.uint64(1) == 1, t.bits - 1 - i, count)
    return count.astype(t.numpy)


def unary_integer_group(t, size, rng):
    inputs = unary_inputs(t, size, rng)
    x = inputs[0]
    table = [("stablehlo.not", ~x)]
    if t.kind != "bool":
        table += [("stablehlo.negate", (0 - x).astype(t.numpy)), ("stablehlo.popcnt", popcount(x, t)),
                  ("stablehlo.count_leading_zeros", leading_zeros(x, t))]
    if t.kind == "int":
        table += [("stablehlo.abs", np.where(x < 0, 0 - x, x).astype(t.numpy)), ("stablehlo.sign", np.sign(x))]
    return Group(f"unary {t.name}", inputs, [elementwise_case(n, n, t, inputs, t, Equal(e, inputs)) for n, e in table])


def maximum(a, b):
    """NaN if either is; +0 above -0."""
    greater = np.where((a > b) | ((a == b) & ~np.signbit(a)), a, b)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, greater)


def power_wide(a, b):
    """glibc's powl takes large negative exponents of infinities for positive ones."""
    is_odd = np.abs(np.fmod(b, 2)) == 1
    of_infinity = np.where(b > 0, Wide(np.inf), Wide(0)) * np.where((a < 0) & is_odd, -1, 1)
    return np.where(np.isinf(a) & (b != 0) & ~np.isnan(b), of_infinity, np.power(a, b))


BINARY_FLOAT = [
    ("stablehlo.add", np.add, None),
    ("stablehlo.subtract", np.subtract, None),
    ("stablehlo.multiply", np.multiply, None),
    ("stablehlo.divide", np.divide, None),
    ("stablehlo.remainder", np.fmod, None),
    ("stablehlo.maximum", maximum, None),
    ("stablehlo.minimum", lambda a, b: -maximum(-a, -b), None),
    ("stablehlo.power", power_wide, FUNCTION),
    ("stablehlo.atan2", np.arctan2, FUNCTION),
]


def binary_float_group(t, size, rng):
    inputs = binary_inputs(t, size, rng)
    cases = [elementwise_case(n, n, t, inputs, t, float_check(f, t, bound, inputs)) for n, f, bound in BINARY_FLOAT]
    return Group(f"binary {t.name}", inputs, cases + shared_binary_cases(t, inputs))


def total_order_key(x, t):
    bits = x.view(f"i{t.numpy.itemsize}")
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


COMPARISONS = [("EQ", np.equal), ("NE", np.not_equal), ("LT", np.less), ("LE", np.less_equal), ("GT", np.greater), ("GE", np.greater_equal)]


def shared_binary_cases(t, inputs):
    """Comparisons, selections, clamps."""
    a, b = inputs[:2]
    keyword = {"float": "FLOAT", "int": "SIGNED"}.get(t.kind, "UNSIGNED")
    orders = [("", keyword, a, b)]
    if t.kind == "float":
        orders.append((" TOTALORDER", "TOTALORDER", total_order_key(a, t), total_order_key(b, t)))
    cases = []
    for suffix, kind, x, y in orders:
        for direction, function in COMPARISONS:
            attributes = (f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
                          f"compare_type = #stablehlo<comparison_type {kind}>")
            cases.append(elementwise_case("stablehlo.compare" + suffix, "stablehlo.compare", t, inputs, BOOL,
                                          Equal(function(x, y), (a, b)), attributes, count=2))
    clamped = clamp(a, a[::-1], b, t)
    shape = [len(a)]
    text = (f'%r_low = "stablehlo.reverse"(%0) {{dimensions = array<i64: 0>}} : ({tensor(shape, t)}) -> {tensor(shape, t)}\n'
            f'    %r = "stablehlo.clamp"(%r_low, %0, %1) : ({", ".join([tensor(shape, t)] * 3)}) -> {tensor(shape, t)}')
    cases.append(Case("stablehlo.clamp", t, text, shape, t, Equal(clamped, (a[::-1], a, b))))
    return cases


def clamp(x, low, high, t):
    """min(max(operand, min), max)"""
    if t.kind == "float":
        x, low, high = wide(x), wide(low), wide(high)
        return rounded(-maximum(-maximum(x, low), -high), t)
    return np.minimum(np.maximum(x, low), high)


def divide_integers(a, b, t):
    """Towards zero; by zero all bits are one; remainders have the dividend's sign, by zero they are the dividend."""
    x, y = a.astype(object), b.astype(object)
    safe = np.where(y == 0, 1, y)
    magnitude = np.abs(x) // np.abs(safe)
    quotient = np.where((x < 0) != (safe < 0), -magnitude, magnitude)
    remainder = np.where(y == 0, x, x - quotient * safe)
    return wrap(np.where(y == 0, -1, quotient), t), wrap(remainder, t)


def wrap(x, t):
    return (x & ((1 << t.bits) - 1)).astype(np.uint64).astype(f"u{t.numpy.itemsize}").view(t.numpy)


def power_integers(a, b, t):
    """Modulo 2^bits; by a negative exponent what the quotient 1 / a^-b is towards zero, and 0 for a base of 0."""
    modulus = 1 << t.bits
    values = []
    for x, y in zip(a.tolist(), b.tolist()):
        if y >= 0:
            values.append(pow(x, y, modulus))
        else:
            values.append((x if y % 2 else 1) % modulus if x in (1, -1) else 0)
    return wrap(np.array(values, object), t)


def shifts(a, b, t):
    amount = t.bits_of(b).astype(np.uint64)
    beyond = amount >= t.bits
    inside = np.where(beyond, 0, amount)
    bits = t.bits_of(a).astype(np.uint64)
    signed = a.view(f"i{t.numpy.itemsize}").astype(np.int64)
    left = wrap(np.where(beyond, 0, bits << inside).astype(object), t)
    logical = wrap(np.where(beyond, 0, bits >> inside).astype(object), t)
    arithmetic = wrap((signed >> np.where(beyond, t.bits - 1, inside).astype(np.int64)).astype(object), t)
    return left, arithmetic, logical


def binary_integer_group(t, size, rng):
    inputs = binary_inputs(t, size, rng)
    a, b = inputs
    table = [("stablehlo.and", a & b), ("stablehlo.or", a | b), ("stablehlo.xor", a ^ b), ("stablehlo.maximum", np.maximum(a, b)),
             ("stablehlo.minimum", np.minimum(a, b))]
    if t.kind == "bool":
        table += [("stablehlo.add", a | b), ("stablehlo.multiply", a & b)]
    else:
        quotient, remainder = divide_integers(a, b, t)
        left, arithmetic, logical = shifts(a, b, t)
        table += [("stablehlo.add", a + b), ("stablehlo.subtract", a - b), ("stablehlo.multiply", a * b),
                  ("stablehlo.divide", quotient), ("stablehlo.remainder", remainder), ("stablehlo.power", power_integers(a, b, t)),
                  ("stablehlo.shift_left", left), ("stablehlo.shift_right_arithmetic", arithmetic),
                  ("stablehlo.shift_right_logical", logical)]
    cases = [elementwise_case(n, n, t, inputs, t, Equal(e.astype(t.numpy), inputs)) for n, e in table]
    return Group(f"binary {t.name}", inputs, cases + shared_binary_cases(t, inputs))


def select_group(t, size, rng):
    a, b = random_values(t, 256, rng), random_values(t, 256, rng)
    pred, scalar = rng.integers(0, 2, 256).astype(bool), np.array(True)
    low, high = [np.array(v, t.numpy) for v in ((2, 9) if t.kind != "bool" else (False, True))]
    inputs = [pred, a, b, scalar, low, high]
    types = [tensor(x.shape, TYPE_OF[x.dtype]) for x in inputs]
    of = lambda *indices: ([f"%{i}" for i in indices], [types[i] for i in indices])
    make = lambda name, indices, check: Case(name, t, operation(name, *of(*indices), types[1]), [256], t, check)
    return Group(f"select {t.name}", inputs, [
        make("stablehlo.select", (0, 1, 2), Equal(np.where(pred, a, b).astype(t.numpy), (pred, a, b), payload=True)),
        make("stablehlo.select", (3, 1, 2), Equal(a, (a, b), payload=True)),
        make("stablehlo.clamp", (4, 1, 5), Equal(clamp(a, low, high, t), (a,))),
    ])


# ---------------------------------------------------------------------------------------------------------------------
# Conversions
# ---------------------------------------------------------------------------------------------------------------------


def converted(x, source, target):
    """Floats to integers go towards zero, out of range to the nearest integer of the type, NaN to 0."""
    if target.kind == "bool":
        return x != 0
    if target.kind == "float":
        return rounded(wide(x), target)
    if source.kind != "float":
        return wrap(x.astype(object) * 1, target)
    value = np.trunc(wide(x))
    value = np.where(np.isnan(value), 0, np.clip(value, Wide(target.least), Wide(target.largest)))
    return np.array([int(v) for v in value], object).astype(target.numpy)


def convert_group(source, size, rng):
    inputs = unary_inputs(source, size, rng)
    if source.bits == 16 and not size.every:
        inputs = [np.concatenate([edge_values(source), inputs[0][::8]])]
    cases = [elementwise_case(f"stablehlo.convert to {target.name}", "stablehlo.convert", source, inputs, target,
                              Equal(converted(inputs[0], source, target), inputs)) for target in TYPES.values()]
    return Group(f"convert {source.name}", inputs, cases)


def bitcast_group(source, size, rng):
    x = np.concatenate([edge_values(source), random_values(source, 200, rng)])
    x = x[: len(x) // 8 * 8]
    parts = x.reshape(-1, 8)
    inputs, cases = [x, parts], []
    for target in TYPES.values():
        if target.kind == "bool":
            continue
        ratio = target.bits // source.bits if target.bits > source.bits else source.bits // target.bits
        index, array, shape = 0, x, [len(x)]
        if target.bits < source.bits:
            shape = [len(x), ratio]
        elif target.bits > source.bits:
            array = np.ascontiguousarray(x.reshape(-1, ratio))
            inputs.append(array)
            index, shape = len(inputs) - 1, [len(array)]
        expected = np.ascontiguousarray(array).view(target.numpy).reshape(shape)
        text = operation("stablehlo.bitcast_convert", [f"%{index}"], [tensor(array.shape, source)], tensor(shape, target))
        cases.append(Case("stablehlo.bitcast_convert", source, text, shape, target, Equal(expected, payload=True)))
    return Group(f"bitcast {source.name}", inputs, cases)


# ---------------------------------------------------------------------------------------------------------------------
# Shapes, slices, gather
# ---------------------------------------------------------------------------------------------------------------------


def dims(*values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def pad(x, value, low, high, interior):
    for axis in range(x.ndim):
        length = x.shape[axis]
        spread = length + max(length - 1, 0) * interior[axis]
        shape = list(x.shape)
        shape[axis] = spread
        stretched = np.full(shape, value, x.dtype)
        stretched[(slice(None),) * axis + (slice(None, None, interior[axis] + 1),)] = x
        before, after = max(low[axis], 0), max(high[axis], 0)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (before, after)
        x = np.pad(stretched, widths, constant_values=value)
        x = x[(slice(None),) * axis + (slice(max(-low[axis], 0), x.shape[axis] - max(-high[axis], 0)),)]
    return np.ascontiguousarray(x)


def movement_group(t, size, rng):
    x = random_values(t, 6 * 5 * 8, rng).reshape(6, 5, 8)
    y = random_values(t, 6 * 3 * 8, rng).reshape(6, 3, 8)
    scalar, row = random_values(t, 1, rng).reshape(()), random_values(t, 8, rng)
    inputs = [x, y, scalar, row]
    cases = []

    def add(name, operands, attributes, expected):
        expected = np.ascontiguousarray(expected)
        text = operation(name, [f"%{i}" for i in operands], [tensor(inputs[i].shape, t) for i in operands],
                         tensor(expected.shape, t), attributes)
        cases.append(Case(name, t, text, list(expected.shape), t, Equal(expected, payload=True)))

    add("stablehlo.broadcast_in_dim", [2], f"broadcast_dimensions = {dims()}", np.broadcast_to(scalar, (4, 9)))
    add("stablehlo.broadcast_in_dim", [3], f"broadcast_dimensions = {dims(1)}", np.broadcast_to(row[None, :, None], (3, 8, 5)))
    add("stablehlo.broadcast", [3], f"broadcast_sizes = {dims(2, 3)}", np.broadcast_to(row, (2, 3, 8)))
    add("stablehlo.reshape", [0], "", x.reshape(10, 24))
    add("stablehlo.transpose", [0], f"permutation = {dims(2, 0, 1)}", x.transpose(2, 0, 1))
    add("stablehlo.transpose", [0], f"permutation = {dims(0, 2, 1)}", x.transpose(0, 2, 1))
    add("stablehlo.reverse", [0], f"dimensions = {dims(0, 2)}", x[::-1, :, ::-1])
    add("stablehlo.slice", [0], f"start_indices = {dims(1, 0, 1)}, limit_indices = {dims(6, 5, 8)}, strides = {dims(2, 1, 3)}",
        x[1:6:2, :, 1:8:3])
    add("stablehlo.concatenate", [0, 1, 0], "dimension = 1 : i64", np.concatenate([x, y, x], 1))
    for low, high, interior in (((1, 0, 2), (0, 3, 1), (0, 0, 0)), ((-1, 2, -3), (1, -2, 0), (1, 2, 0)), ((0, -7, 0), (2, 0, -9), (0, 3, 2))):
        add("stablehlo.pad", [0, 2], f"edge_padding_low = {dims(*low)}, edge_padding_high = {dims(*high)}, "
            f"interior_padding = {dims(*interior)}", pad(x, scalar, low, high, interior))
    if t.kind != "bool":
        for dim in (0, 2):
            shape = (5, 3, 7)
            expected = np.broadcast_to(np.arange(shape[dim]).reshape([-1 if i == dim else 1 for i in range(3)]), shape).astype(t.numpy)
            add("stablehlo.iota", [], f"iota_dimension = {dim} : i64", expected)
    return Group(f"movement {t.name}", inputs, cases)


def constant_group(t, size, rng):
    """The edge values as constants: as they are, and next to an input, so that they are inside a kernel too."""
    values = edge_values(t)
    digits = t.numpy.itemsize * 2
    if t.kind == "bool":
        elements = ", ".join("true" if v else "false" for v in values)
    elif t.kind == "float":
        elements = ", ".join(f"0x{int(b):0{digits}X}" for b in t.bits_of(values))
    else:
        elements = ", ".join(str(int(v)) for v in values)
    shape = [len(values)]
    pred = rng.integers(0, 2, len(values)).astype(bool)
    x = random_values(t, len(values), rng)
    text = f'%r = "stablehlo.constant"() {{value = dense<[{elements}]> : {tensor(shape, t)}}} : () -> {tensor(shape, t)}'
    inside = (text.replace("%r =", "%r_c =") + f'\n    %r = "stablehlo.select"(%0, %r_c, %1) : ({tensor(shape, BOOL)}, '
              f"{tensor(shape, t)}, {tensor(shape, t)}) -> {tensor(shape, t)}")
    return Group(f"constant {t.name}", [pred, x], [
        Case("stablehlo.constant", t, text, shape, t, Equal(values, payload=True)),
        Case("stablehlo.constant", t, inside, shape, t, Equal(np.where(pred, values, x).astype(t.numpy), payload=True)),
    ])


def start_values(t, limit):
    """Start indices in range and far out of it."""
    values = [0, 1, limit, limit + 1, 100, t.largest, t.largest - 1] + ([-1, -2, -100, t.least] if t.kind == "int" else [])
    return t.array([v for v in values if v <= t.largest])


def clamped_start(value, limit):
    return max(0, min(int(value), limit))


def dynamic_group(index_type, t, size, rng):
    """dynamic_slice, dynamic_update_slice and gather with indices of one type."""
    x = random_values(t, 300 * 6, rng).reshape(300, 6)
    update = random_values(t, 8, rng).reshape(2, 4)
    starts = start_values(index_type, 298)
    inputs, cases = [x, update], []
    for s in starts:
        inputs.append(np.array(s, index_type.numpy))
    zero = tensor([], index_type)
    for k, s in enumerate(starts):
        other = 2 + (k + 3) % len(starts)
        i, j = clamped_start(s, 298), clamped_start(inputs[other], 2)
        operands = ["%0", f"%{2 + k}", f"%{other}"]
        text = operation("stablehlo.dynamic_slice", operands, [tensor(x.shape, t), zero, zero], tensor((2, 4), t),
                         f"slice_sizes = {dims(2, 4)}")
        cases.append(Case("stablehlo.dynamic_slice", index_type, text, [2, 4], t,
                          Equal(np.ascontiguousarray(x[i : i + 2, j : j + 4]), payload=True)))
        expected = x.copy()
        expected[i : i + 2, j : j + 4] = update
        text = operation("stablehlo.dynamic_update_slice", ["%0", "%1"] + operands[1:],
                         [tensor(x.shape, t), tensor(update.shape, t), zero, zero], tensor(x.shape, t))
        cases.append(Case("stablehlo.dynamic_update_slice", index_type, text, list(x.shape), t, Equal(expected, payload=True)))
    rows = np.concatenate([starts, random_values(index_type, 21, rng)])
    pairs = rows[: len(rows) // 2 * 2].reshape(-1, 2)
    inputs += [rows, pairs]
    cases += gather_cases(x, rows, len(inputs) - 2, pairs, len(inputs) - 1, t, index_type)
    return Group(f"dynamic {index_type.name} of {t.name}", inputs, cases)


def gather_text(operand, index, operand_type, index_type, result, numbers, sizes):
    return operation("stablehlo.gather", [operand, index], [operand_type, index_type], result,
                     f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = {dims(*sizes)}, indices_are_sorted = false")


def gather_cases(x, rows, rows_input, pairs, pairs_input, t, index_type):
    """Rows of a table; windows at pairs of indices, swapped."""
    taken = np.stack([x[clamped_start(i, 299)] for i in rows])
    cases = [Case("stablehlo.gather", index_type,
                  gather_text("%0", f"%{rows_input}", tensor(x.shape, t), tensor(rows.shape, index_type), tensor(taken.shape, t),
                              "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", (1, 6)),
                  list(taken.shape), t, Equal(taken, payload=True))]
    windows = np.stack([x[clamped_start(i, 297) :, clamped_start(j, 4) :][:3, :2] for j, i in pairs])
    expected = np.ascontiguousarray(windows.transpose(1, 0, 2))
    cases.append(Case("stablehlo.gather", index_type,
                      gather_text("%0", f"%{pairs_input}", tensor(x.shape, t), tensor(pairs.shape, index_type),
                                  tensor(expected.shape, t),
                                  "offset_dims = [0, 2], start_index_map = [1, 0], index_vector_dim = 1", (3, 2)),
                      list(expected.shape), t, Equal(expected, payload=True)))
    return cases


def batched_gather_group(t, size, rng):
    index_type = TYPES["i32"]
    x = random_values(t, 4 * 7 * 5, rng).reshape(4, 7, 5)
    index = rng.integers(-2, 9, (4, 3)).astype(np.int32)
    taken = np.stack([[x[b, clamped_start(i, 6)] for i in index[b]] for b in range(4)])
    text = gather_text("%0", "%1", tensor(x.shape, t), tensor(index.shape, index_type), tensor(taken.shape, t),
                       "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
                       "start_index_map = [1], index_vector_dim = 2", (1, 1, 5))
    return Group(f"gather {t.name}", [x, index], [Case("stablehlo.gather", t, text, list(taken.shape), t, Equal(taken, payload=True))])


# ---------------------------------------------------------------------------------------------------------------------
# Reductions
# ---------------------------------------------------------------------------------------------------------------------

IDENTITY = {"add": 0, "multiply": 1, "minimum": np.inf, "maximum": -np.inf, "or": 0, "xor": 0, "and": -1}


def identity_of(kind, t):
    value = IDENTITY[kind]
    if t.kind == "bool":
        return "true" if kind in ("multiply", "minimum", "and") else "false"
    if t.kind == "float":
        bits = int(t.bits_of(t.array([value]))[0])
        return f"0x{bits:0{t.numpy.itemsize * 2}X}"
    if kind in ("minimum", "maximum"):
        return str(t.largest if kind == "minimum" else t.least)
    return str(t.largest if kind == "and" and t.kind == "uint" else value)


def reduce_text(kind, operand, shape, result, axes, t):
    scalar = tensor([], t)
    return (f'%r_0 = "stablehlo.constant"() {{value = dense<{identity_of(kind, t)}> : {scalar}}} : () -> {scalar}\n'
            f'    %r = "stablehlo.reduce"({operand}, %r_0) ({{\n'
            f"    ^bb0(%a: {scalar}, %b: {scalar}):\n"
            f'      %s = "stablehlo.{kind}"(%a, %b) : ({scalar}, {scalar}) -> {scalar}\n'
            f'      "stablehlo.return"(%s) : ({scalar}) -> ()\n'
            f"    }}) {{dimensions = {dims(*axes)}}} : ({tensor(shape, t)}, {scalar}) -> {tensor(result, t)}")


def reduce_exactly(kind, x, axes, t):
    function = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum, "and": np.bitwise_and,
                "or": np.bitwise_or, "xor": np.bitwise_xor}[kind]
    if t.kind == "bool":
        function = {"add": np.logical_or, "multiply": np.logical_and, "minimum": np.logical_and, "maximum": np.logical_or,
                    "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[kind]
        return function.reduce(x, axis=axes)
    if t.kind == "float" and kind in ("minimum", "maximum"):
        sign = -1 if kind == "minimum" else 1
        moved = np.moveaxis(sign * wide(x), axes, range(len(axes)))
        result = moved.reshape((-1,) + moved.shape[len(axes):])
        total = result[0]
        for part in result[1:]:
            total = maximum(total, part)
        return rounded(sign * total, t)
    return function.reduce(x, axis=axes, dtype=t.numpy if t.kind != "float" else None)


def term_rounding(t):
    """The unit roundoff of what sums are accumulated in, in units in the last place of the type."""
    return 1.0 if t.name in ("f32", "f64") else 2.0 ** (t.precision - 24)


REDUCED_AXES = [(1,), (0,), (0, 2), (0, 1, 2)]


def reduce_group(t, size, rng):
    shape = (7, 37, 40)
    x = random_values(t, math.prod(shape), rng).reshape(shape)
    if t.kind == "float":
        x = np.where(np.isfinite(x) | (rng.random(shape) < 0.02), x, t.numpy.type(1)).astype(t.numpy)
        x = np.where(rng.random(shape) < 0.2, rounded(wide_list([0.0, -0.0])[rng.integers(0, 2, shape)], t), x).astype(t.numpy)
    inputs, cases = [x], []
    kinds = ["minimum", "maximum"] + (["add", "multiply", "and", "or", "xor"] if t.kind != "float" else [])
    for kind in kinds:
        for axes in REDUCED_AXES:
            expected = np.asarray(reduce_exactly(kind, x, axes, t))
            cases.append(Case(f"stablehlo.reduce {kind}", t, reduce_text(kind, "%0", shape, expected.shape, axes, t),
                              list(expected.shape), t, Equal(expected)))
    if t.kind == "float":
        sum_cases(t, shape, rng, inputs, cases)
    return Group(f"reduce {t.name}", inputs, cases)


def sum_cases(t, shape, rng, inputs, cases):
    """Sums are within (n - 1) unit roundoffs of the accumulator, times the sum of magnitudes (Higham, section 4.2), and one
    rounding of the result; products likewise. Sums of small whole numbers are exact in any order."""
    terms = rng.normal(0, 1, shape).astype(t.numpy)
    factors = rng.uniform(0.96, 1.04, shape).astype(t.numpy)
    whole = rng.integers(-1, 2, shape).astype(t.numpy)
    inputs += [terms, factors, whole]
    for axes in REDUCED_AXES:
        count = math.prod(shape[a] for a in axes)
        bound = 0.5 + (count - 1) * term_rounding(t)
        exact, scale = wide(terms).sum(axis=axes), np.abs(wide(terms)).sum(axis=axes)
        cases.append(Case("stablehlo.reduce add", t, reduce_text("add", "%1", shape, exact.shape, axes, t), list(exact.shape), t,
                          Ulps(np.asarray(exact), t, bound, scale=np.asarray(scale))))
        product = np.asarray(np.multiply.reduce(wide(factors), axis=axes))
        cases.append(Case("stablehlo.reduce multiply", t, reduce_text("multiply", "%2", shape, product.shape, axes, t),
                          list(product.shape), t, Ulps(product, t, bound)))
        total = np.asarray(wide(whole).sum(axis=axes))
        cases.append(Case("stablehlo.reduce add, exact", t, reduce_text("add", "%3", shape, total.shape, axes, t),
                          list(total.shape), t, Equal(rounded(total, t))))


# ---------------------------------------------------------------------------------------------------------------------
# Modules
# ---------------------------------------------------------------------------------------------------------------------


class Size:
    def __init__(self, fast):
        self.every = not fast
        self.random = 256 if fast else 8192
        self.pairs = 24 if fast else 80


def make_groups(size, fast):
    rng = np.random.default_rng(20)
    types = [TYPES[n] for n in ("f32", "bf16", "i1", "i32", "ui8")] if fast else list(TYPES.values())
    groups = []
    for t in types:
        groups.append((unary_float_group if t.kind == "float" else unary_integer_group)(t, size, rng))
        groups.append((binary_float_group if t.kind == "float" else binary_integer_group)(t, size, rng))
        for make in (select_group, convert_group, bitcast_group, movement_group, constant_group, batched_gather_group, reduce_group):
            if make is not bitcast_group or t.kind != "bool":
                groups.append(make(t, size, rng))
    for t in [TYPES[n] for n in ("i32", "ui8")] if fast else INTEGERS:
        groups.append(dynamic_group(t, TYPES["f32"], size, rng))
    return groups


def module_text(group, cases):
    arguments = ", ".join(f"%{i}: {tensor(x.shape, TYPE_OF[x.dtype])}" for i, x in enumerate(group.inputs))
    # MLIR wants numbers of values in order, so arguments are called otherwise.
    body = []
    for k, case in enumerate(cases):
        body.append("    " + case.text.replace("%r", f"%v{k}"))
    results = ", ".join(c.result for c in cases)
    names = ", ".join(f"%v{k}" for k in range(len(cases)))
    text = (f"module @op_table {{\n  func.func public @main({arguments}) -> ({results}) {{\n" + "\n".join(body)
            + f'\n    "func.return"({names}) : ({results}) -> ()\n  }}\n}}\n')
    for i in reversed(range(len(group.inputs))):
        for end in (",", ")", ":", "\n"):
            text = text.replace(f"%{i}{end}", f"%in{i}{end}")
    return text


def save_input(path, array):
    if array.dtype == ml_dtypes.bfloat16:
        array = array.view("V2")
    np.save(path, np.ascontiguousarray(array) if array.ndim else array)


def load_output(path, case):
    array = np.load(path)
    return array.view(case.result_type.numpy) if array.dtype != case.result_type.numpy else array


def run_program(arguments):
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return f"{os.path.basename(arguments[0])} did not end"
    if done.returncode == 0:
        return None
    lines = [l for l in done.stderr.splitlines() if "error" in l] or done.stderr.splitlines() or [f"exit status {done.returncode}"]
    return lines[0].split("error: ")[-1]


def run_stitch(bin_folder, group, cases, folder):
    """Outputs by device, or the compiler's error."""
    source, model = os.path.join(folder, "model.mlir"), os.path.join(folder, "model.so")
    with open(source, "w") as file:
        file.write(module_text(group, cases))
    problem = run_program([os.path.join(bin_folder, "stitch-compile"), source, "-o", model, "--target=simt"])
    if problem:
        return problem
    inputs = []
    for i, x in enumerate(group.inputs):
        path = os.path.join(folder, f"in_{i}.npy")
        save_input(path, x)
        inputs += ["--input", f"{i}:{path}"]
    outputs = {}
    for device in ("reference", "simt"):
        out = os.path.join(folder, device)
        problem = run_program([os.path.join(bin_folder, "stitch-run"), model, f"--device={device}", "--output", out, *inputs])
        outputs[device] = problem or [load_output(os.path.join(out, f"output_{k}.npy"), c) for k, c in enumerate(cases)]
    return outputs


def run_jax(group, cases):
    import jax

    jax.config.update("jax_enable_x64", True)
    device = jax.local_devices(backend="cpu")[0]
    try:
        executable = device.client.compile_and_load(module_text(group, cases), [device])
        results = executable.execute([jax.device_put(x, device) for x in group.inputs])
    except Exception as error:  # whatever XLA raises
        return str(error).strip().splitlines()[-1] if str(error).strip() else repr(error)
    return [np.asarray(r) for r in results]


class Result:
    """What the devices made of one case: (worst, example), or the text of an error."""

    def __init__(self, case):
        self.case, self.of = case, {}


def judge(case, output):
    return output if isinstance(output, str) else case.check(output)


def fill(results, device, outputs):
    for k, result in enumerate(results):
        result.of[device] = judge(result.case, outputs if isinstance(outputs, str) else outputs[k])


def stitch_results(options, group, results):
    """One module; if it does not compile its halves, down to the operation that does not."""
    with tempfile.TemporaryDirectory(dir=options.keep) as folder:
        outputs = run_stitch(options.bin, group, [r.case for r in results], folder)
    if not isinstance(outputs, str):
        for device, values in outputs.items():
            fill(results, device, values)
    elif len(results) == 1:
        fill(results, "reference", outputs)
        fill(results, "simt", outputs)
    else:
        middle = len(results) // 2
        stitch_results(options, group, results[:middle])
        stitch_results(options, group, results[middle:])


def jax_results(group, results):
    outputs = run_jax(group, [r.case for r in results])
    if isinstance(outputs, str) and len(results) > 1:
        middle = len(results) // 2
        jax_results(group, results[:middle])
        jax_results(group, results[middle:])
    else:
        fill(results, "jax", outputs)


def run_group(options, group):
    results = [Result(c) for c in group.cases]
    stitch_results(options, group, results)
    if not options.no_jax:
        jax_results(group, results)
    return results


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------


class Cell:
    """All results of one operation in one type."""

    def __init__(self, results):
        self.results = results
        self.bound = max(r.case.check.bound for r in results)
        self.exact = all(isinstance(r.case.check, Equal) for r in results)

    def worst(self, device):
        """(error, example), or an error's text; None if the device was not asked."""
        found = [r.of[device] for r in self.results if device in r.of]
        texts = [f for f in found if isinstance(f, str)]
        if texts:
            return texts[0]
        return max(found, key=lambda f: f[0]) if found else None

    def passes(self, device):
        found = [(r.of[device], r.case.check.bound) for r in self.results if device in r.of]
        return all(not isinstance(f, str) and f[0] <= bound for f, bound in found)

    def text(self, device):
        worst = self.worst(device)
        if worst is None:
            return "-"
        if isinstance(worst, str):
            return "error"
        if self.exact:
            return "=" if worst[0] == 0 else f"{int(worst[0])} differ"
        return f"{worst[0]:.2f}" if worst[0] < 1e4 else f"{worst[0]:.0e}"


def collect(results):
    cells = {}
    for r in results:
        cells.setdefault((r.case.row, r.case.type.name), []).append(r)
    return {key: Cell(value) for key, value in cells.items()}


def rows_of(cells, wanted):
    rows = []
    for (row, _), cell in cells.items():
        if cell.exact == wanted and row not in rows:
            rows.append(row)
    return rows


DEVICES = ("reference", "simt")


def exact_table(cells):
    """`=`: both are equal to what is expected."""
    lines = ["| operation | " + " | ".join(TYPES) + " |", "|---" * (len(TYPES) + 1) + "|"]
    for row in rows_of(cells, True):
        texts = []
        for name in TYPES:
            cell = cells.get((row, name))
            if not cell or not cell.exact:
                texts.append("")
            elif all(cell.passes(d) for d in DEVICES):
                texts.append("=")
            else:
                texts.append(" / ".join(cell.text(d) for d in DEVICES))
        lines.append(f"| {row} | " + " | ".join(texts) + " |")
    return lines


def float_table(cells):
    lines = ["| operation | type | bound | reference | simt | JAX |", "|---|---|---|---|---|---|"]
    for row in rows_of(cells, False):
        for name in TYPES:
            cell = cells.get((row, name))
            if cell:
                lines.append(f"| {row} | {name} | {cell.bound:g} | {cell.text('reference')} | {cell.text('simt')} | {cell.text('jax')} |")
    return lines


def pairs_in(text):
    """(operation, type) -> bound of a written table."""
    pairs, header = {}, []
    for line in text.splitlines():
        fields = [f.strip() for f in line.strip("|").split("|")]
        if line.startswith("| operation"):
            header = fields
        elif line.startswith("| ") and header[1:3] == ["type", "bound"]:
            pairs[fields[0], fields[1]] = float(fields[2])
        elif line.startswith("| "):
            pairs.update({(fields[0], name): 0.0 for name, f in zip(header[1:], fields[1:]) if f})
    return pairs


def compare_with_table(cells, path):
    with open(path) as file:
        pairs = pairs_in(file.read())
    lines = [f"- {row} {name} is not in {path}" for row, name in cells if (row, name) not in pairs]
    return lines + [f"- {row} {name} has bound {cell.bound:g}, in {path} {pairs[row, name]:g}: write it anew"
                    for (row, name), cell in cells.items() if cell.bound > pairs.get((row, name), math.inf) * 1.001]


def escape(text):
    return text.replace("|", "\\|")


def list_problems(cells, devices, wanted):
    lines = []
    for (row, name), cell in cells.items():
        for device in devices:
            if cell.passes(device) == wanted:
                continue
            worst = cell.worst(device)
            what = f"error: {worst}" if isinstance(worst, str) else f"{cell.text(device)}: {worst[1]}"
            lines.append(f"- {row} {name}, {device}: {escape(what[:200])}")
    return lines


def document(cells):
    mistakes = list_problems(cells, DEVICES, True)
    deviations = list_problems(cells, ("jax",), True)
    return "\n".join(
        ["# Every operation, every element type", "",
         "Made by `test/op_table.py --bin build/bin --write test/op_table.md`; how, and what the inputs are, is said there.", "",
         f"{len(cells)} pairs of operation and type; {len(mistakes)} outside of their bounds.", "",
         "## Exact results", "",
         "`=`: the reference and the kernels on the simt device are equal to what is expected, bit for bit (NaN: any NaN, except where elements are",
         "only moved). Sums, differences, products, quotients, square roots and conversions are rounded once, to nearest, ties to even.",
         "Types are those of the operands, of dynamic slices and gathers with several index types those of the indices.", "",
         *exact_table(cells), "",
         "## Errors in units in the last place", "",
         "The largest error, including the rounding of the result (0.5 is the best there is). Bounds: what glibc states (1; 2 for tanh, 5 for erfc,",
         "4 for cbrt of f64), and half a unit or more for the result; for f16 and bf16, computed in f32, the same;",
         "1.5 for rsqrt (a square root and a division, half a unit each, and their amplification); 4 for logistic (the error of exp, a sum, a quotient);",
         "of sums and products of n terms 0.5 + (n - 1) roundings of the accumulator, in units of the sum of magnitudes.", "",
         *float_table(cells), "",
         "## Outside of their bounds", "", *(mistakes or ["None."]), "",
         "## Where JAX deviates", "",
         "JAX's XLA for the CPU counts subnormal numbers as zero; maximum, minimum and clamp miss a NaN or the sign of a zero where the code is",
         "vectorised; elementary functions are faster and less accurate; sums of 16-bit floats are rounded after each term; powers of integers",
         "read the lowest bits of the exponent only; a dynamic_update_slice by 8-bit indices wraps the size of a longer operand.",
         "Expected is what the specification says.", "",
         *(deviations or ["Nowhere."]), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, metavar="DIR", help="the folder of stitch-compile and stitch-run")
    parser.add_argument("--fast", action="store_true", help="fewer types and inputs")
    parser.add_argument("--no-jax", action="store_true", help="do not run JAX")
    parser.add_argument("--only", default="", metavar="TEXT", help="only groups whose name has this text")
    parser.add_argument("--keep", metavar="DIR", help="for temporary files")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", metavar="FILE", help="write the table")
    parser.add_argument("--table", metavar="FILE", help="compare with a written table")
    options = parser.parse_args()
    size = Size(options.fast)
    groups = [g for g in make_groups(size, options.fast) if options.only in g.name]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = [r for part in pool.map(lambda g: run_group(options, g), groups) for r in part]
    cells = collect(results)
    if options.write:
        with open(options.write, "w") as file:
            file.write(document(cells))
    problems = list_problems(cells, DEVICES, True)
    problems += compare_with_table(cells, options.table) if options.table else []
    print("\n".join(problems))
    print(f"{len(cells)} pairs of operation and type, {len(results)} results; {len(problems)} outside of their bounds")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
