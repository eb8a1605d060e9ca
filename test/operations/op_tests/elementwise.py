# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations."""
import numpy as np

from op_tests.cases import Case, Equal, Group, Ulps, elementwise_case, operation
from op_tests.types import BOOL, TYPES, Wide, binary_inputs, exponent, random_values, rounded, tensor, TYPE_OF, unary_inputs, wide


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


def float_check(function, t, bound, inputs, formula=False):
    if bound is None:
        return Equal(rounded_result(function, inputs, t), inputs)
    # glibc states 4 ulp for the cube root of f64.
    bound = 4.5 if function is np.cbrt and t.name == "f64" else bound
    if t.bits <= 8 and not formula:  # that of f32, and one rounding
        bound = 0.5 + np.ldexp(bound, t.precision - TYPES["f32"].precision)
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
    # Formulas of the functions above: the roundings of what goes into them, twice as many in units of the last place, and FUNCTION.
    ("chlo.acos", np.arccos, 4.5),
    ("chlo.acosh", np.arccosh, 6.0),
    ("chlo.asin", np.arcsin, 4.5),
    ("chlo.asinh", np.arcsinh, 8.0),
    ("chlo.atan", np.arctan, FUNCTION),
    ("chlo.atanh", np.arctanh, 5.0),
    ("chlo.cosh", np.cosh, 8.0),
    ("chlo.sinh", np.sinh, 8.0),
    ("chlo.erf", erf_wide, FUNCTION),
    ("chlo.erfc", erfc_wide, 5.5),
    ("chlo.tan", np.tan, FUNCTION),
]
FORMULAS = ("chlo.acos", "chlo.acosh", "chlo.asin", "chlo.asinh", "chlo.atanh", "chlo.cosh", "chlo.sinh")
PREDICATES = [
    ("stablehlo.is_finite", np.isfinite),
    ("chlo.is_inf", np.isinf),
    ("chlo.is_pos_inf", np.isposinf),
    ("chlo.is_neg_inf", np.isneginf),
]


def unary_float_group(t, size, rng):
    inputs = unary_inputs(t, size, rng)
    x = wide(inputs[0])
    cases = [elementwise_case(n, n, t, inputs, t, float_check(f, t, bound, inputs, n in FORMULAS)) for n, f, bound in UNARY_FLOAT
             if t.has_zero or n != "stablehlo.imag"]
    cases += [elementwise_case(n, n, t, inputs, BOOL, Equal(f(x), inputs)) for n, f in PREDICATES]
    for exponent_bits, mantissa_bits in ((5, 10), (8, 7), (4, 3), (8, 23), (11, 52), (5, 2), (8, 0), (4, 0)):
        expected = reduce_precision(x, t, exponent_bits, mantissa_bits)
        cases.append(elementwise_case("stablehlo.reduce_precision", "stablehlo.reduce_precision", t, inputs, t, Equal(expected, inputs),
                                      f"exponent_bits = {exponent_bits} : i32, mantissa_bits = {mantissa_bits} : i32"))
    return Group(f"unary {t.name}", inputs, cases)


def reduce_precision(x, t, exponent_bits, mantissa_bits):
    """The mantissa is rounded, then what the exponent does not hold becomes an infinity or a zero: there are no subnormal numbers.
    Without mantissa bits there is no NaN, and the last bit that is kept, which ties make even, is the exponent's with its bias."""
    bits = min(mantissa_bits, t.precision - 1)
    bias = 2 ** (exponent_bits - 1) - 1
    finite = np.isfinite(x)
    y = np.where(finite, x, 0)
    # Floats of at most 8 bits are reduced as f32, of which none is subnormal.
    quantum = np.ldexp(Wide(1), (np.where(y == 0, 0, exponent(y)) if t.bits <= 8 else np.maximum(exponent(y), t.emin)) - bits)
    scaled = y / quantum
    tie_down = (bits == 0) & (abs(scaled) == 1.5) & (exponent(quantum) % 2 != 0)
    y = np.where(tie_down, np.sign(scaled), np.rint(scaled)) * quantum
    if exponent_bits < t.bits - t.precision + (not t.has_sign):
        y = np.where(exponent(y) < 1 - bias, 0, np.where(exponent(y) > bias, np.inf, y))
    special = np.where(np.isnan(x) & (mantissa_bits == 0), np.inf, x)
    return rounded(np.where(finite, np.copysign(y, x), special), t)


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
        table += [("stablehlo.negate", 0 - x), ("stablehlo.popcnt", popcount(x, t)),
                  ("stablehlo.count_leading_zeros", leading_zeros(x, t))]
    if t.kind == "int":
        table += [("stablehlo.abs", np.where(x < 0, 0 - x, x)), ("stablehlo.sign", np.sign(x))]
    return Group(f"unary {t.name}", inputs, [elementwise_case(n, n, t, inputs, t, Equal(e.astype(t.numpy), inputs)) for n, e in table])


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


def next_after(x, y, t):
    """By the order of floats as integers of their bits."""
    if t.bits == 64:
        return np.nextafter(x, y)
    key = total_order_key(x, t).astype(np.int64)
    up = wide(y) > wide(x)
    steps = key + np.where(up, 1, -1)
    bits = np.where(steps < 0, (-1 - steps) | (1 << (t.bits - 1)), steps)
    # Both zeros have the least numbers as neighbours.
    bits = np.where(wide(x) == 0, np.where(up, 1, 1 | (1 << (t.bits - 1))), bits)
    if t.has_sign and not t.has_negative_zero:
        bits = np.where(bits == 1 << (t.bits - 1), 0, bits)
    moved = bits.astype(np.uint64).astype(f"u{t.numpy.itemsize}").view(t.numpy)
    result = np.where(wide(x) == wide(y), y, moved).astype(t.numpy)
    return np.where(np.isnan(wide(x)) | np.isnan(wide(y)), t.array(np.nan), result).astype(t.numpy)


def binary_float_group(t, size, rng):
    inputs = binary_inputs(t, size, rng)
    cases = [elementwise_case("chlo.next_after", "chlo.next_after", t, inputs, t, Equal(next_after(*inputs, t), inputs))] if t.bits != 6 else []
    cases += [elementwise_case(n, n, t, inputs, t, float_check(f, t, bound, inputs)) for n, f, bound in BINARY_FLOAT]
    return Group(f"binary {t.name}", inputs, cases + shared_binary_cases(t, inputs))


def total_order_key(x, t):
    """Numbers in the order of floats, -0 below +0 and NaN beyond the infinity of its sign."""
    if not t.has_sign:
        return t.bits_of(x)
    above = 8 * t.numpy.itemsize - t.bits
    bits = x.view(f"i{t.numpy.itemsize}") << above >> above
    return np.where(bits < 0, bits ^ np.array((1 << (t.bits - 1)) - 1, bits.dtype), bits)


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
    return np.minimum(np.maximum(x, low), high).astype(t.numpy)


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
    signed = bits.astype(np.int64) - np.where(bits >> np.uint64(t.bits - 1) == 1, 1 << t.bits, 0) if t.bits < 64 else bits.view(np.int64)
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
    low, high = [t.array(v) for v in ((2, 9) if t.bits > 4 else (0, 1))]
    inputs = [pred, a, b, scalar, low, high]
    types = [tensor(x.shape, TYPE_OF[x.dtype]) for x in inputs]
    of = lambda *indices: ([f"%{i}" for i in indices], [types[i] for i in indices])
    make = lambda name, indices, check: Case(name, t, operation(name, *of(*indices), types[1]), [256], t, check)
    cases = [make("stablehlo.select", (0, 1, 2), Equal(np.where(pred, a, b).astype(t.numpy), (pred, a, b), payload=True)),
             make("stablehlo.select", (3, 1, 2), Equal(a, (a, b), payload=True))]
    if t.kind != "complex":
        cases.append(make("stablehlo.clamp", (4, 1, 5), Equal(clamp(a, low, high, t), (a,))))
    return Group(f"select {t.name}", inputs, cases)
