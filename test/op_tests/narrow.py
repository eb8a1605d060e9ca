# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types that models compute with inside but do not take or give: 8-bit floats as bits, four-bit integers as bytes, complex numbers as
their parts."""
import ml_dtypes
import numpy as np

from op_tests.cases import Case, Equal, Group, Ulps
from op_tests.elementwise import COMPARISONS, divide_integers, maximum
from op_tests.types import BOOL, TYPES, Type, Wide, edge_values, random_values, tensor, wide

FLOAT8 = [
    Type(name, numpy, "float")
    for name, numpy in [
        ("f8E5M2", ml_dtypes.float8_e5m2), ("f8E4M3", ml_dtypes.float8_e4m3), ("f8E3M4", ml_dtypes.float8_e3m4),
        ("f8E4M3FN", ml_dtypes.float8_e4m3fn), ("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz), ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz),
        ("f8E4M3B11FNUZ", ml_dtypes.float8_e4m3b11fnuz),
    ]
]
INT4 = [Type("i4", np.int8, "int"), Type("ui4", np.uint8, "uint")]
for t in INT4:
    t.bits, t.least, t.largest = 4, (-8 if t.kind == "int" else 0), (7 if t.kind == "int" else 15)
COMPLEX = {"complex<f32>": TYPES["f32"], "complex<f64>": TYPES["f64"]}
UI8, I8 = TYPES["ui8"], TYPES["i8"]
NAMES = [t.name for t in FLOAT8 + INT4] + list(COMPLEX)


class Named:
    """A type by its name alone, for the table."""

    def __init__(self, name):
        self.name = name


def line(result, name, operands, types, result_type, attributes=""):
    listed = ", ".join(operands)
    return f'{result} = "{name}"({listed}){" {" + attributes + "}" if attributes else ""} : ({", ".join(types)}) -> {result_type}'


# ---------------------------------------------------------------------------------------------------------------------
# 8-bit floats
# ---------------------------------------------------------------------------------------------------------------------


def to_float8(x, t):
    """80-bit values rounded once. Beyond the largest number is infinity, or NaN where there is none."""
    value = rounded_wide(x, t)
    beyond = np.isinf(value) if not np.isinf(t.numpy.type(np.inf)) else np.zeros(value.shape, bool)
    return np.where(beyond, np.nan, value).astype(np.float64).astype(t.numpy)


def rounded_wide(x, t):
    finite = np.isfinite(x)
    safe = np.where(finite, x, 0)
    exponent = np.where(safe == 0, t.emin, np.frexp(safe)[1] - 1)
    quantum = np.ldexp(Wide(1), np.maximum(exponent, t.emin) - (t.precision - 1))
    value = np.where(finite, np.rint(safe / quantum) * quantum, x)
    return np.copysign(np.where(finite & (np.abs(value) > t.max), Wide(np.inf), np.abs(value)), x)


class SameFloat8:
    """Equal bits, or NaN where NaN is expected."""

    bound = 0

    def __init__(self, expected):
        self.expected = expected

    def __call__(self, actual):
        same = actual.reshape(-1) == self.expected.view(np.uint8).reshape(-1)
        same |= np.isnan(actual.reshape(-1).view(self.expected.dtype).astype(np.float32)) & np.isnan(self.expected.astype(np.float32)).reshape(-1)
        wrong = int(np.argmin(same))
        return float(np.count_nonzero(~same)), "" if same.all() else f"element {wrong}: bits {actual.reshape(-1)[wrong]}"


def float8_group(t, size, rng):
    every = np.arange(256, dtype=np.uint8)
    a, b = np.repeat(every, 256), np.tile(every, 256)
    f32, f64 = (np.concatenate([edge_values(TYPES[n]), random_values(TYPES[n], size.random, rng),
                                rng.normal(0, 1, size.random).astype(TYPES[n].numpy)]) for n in ("f32", "f64"))
    middles = (wide(every.view(t.numpy).astype(np.float64))[:-1] + wide(every.view(t.numpy).astype(np.float64))[1:]) / 2
    f64 = np.concatenate([f64, middles.astype(np.float64), np.nextafter(middles.astype(np.float64), 0)])
    inputs, cases = [every, a, b, f32, f64], []
    floats = [wide(v.view(t.numpy).astype(np.float64)) for v in (every, a, b)]

    def cast(name, operand):
        n = len(inputs[operand])
        return line(name, "stablehlo.bitcast_convert", [f"%{operand}"], [tensor([n], UI8)], tensor([n], t))

    def narrow_result(row, lines, n, expected):
        text = "\n    ".join(lines + [line("%r", "stablehlo.bitcast_convert", ["%r_v"], [tensor([n], t)], tensor([n], UI8))])
        case = Case(row, t, text, [n], UI8, SameFloat8(expected))
        cases.append(case)

    text = "\n    ".join([cast("%r_a", 0), line("%r", "stablehlo.convert", ["%r_a"], [tensor([256], t)], tensor([256], TYPES["f32"]))])
    cases.append(Case("stablehlo.convert to f32", t, text, [256], TYPES["f32"], Equal(floats[0].astype(np.float32))))
    for operand, source in ((3, TYPES["f32"]), (4, TYPES["f64"])):
        n = len(inputs[operand])
        lines = [line("%r_v", "stablehlo.convert", [f"%{operand}"], [tensor([n], source)], tensor([n], t))]
        narrow_result(f"stablehlo.convert from {source.name}", lines, n, to_float8(wide(inputs[operand]), t))
    for name, function in (("negate", np.negative), ("sqrt", np.sqrt), ("abs", np.abs)):
        lines = [cast("%r_a", 0), line("%r_v", f"stablehlo.{name}", ["%r_a"], [tensor([256], t)], tensor([256], t))]
        narrow_result(f"stablehlo.{name}", lines, 256, to_float8(function(floats[0]), t))
    pair = [tensor([65536], t)] * 2
    for name, function in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("divide", np.divide), ("maximum", maximum),
                           ("minimum", lambda x, y: -maximum(-x, -y))):
        lines = [cast("%r_a", 1), cast("%r_b", 2), line("%r_v", f"stablehlo.{name}", ["%r_a", "%r_b"], pair, pair[0])]
        narrow_result(f"stablehlo.{name}", lines, 65536, to_float8(function(*floats[1:]), t))
    for direction, function in COMPARISONS:
        attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type FLOAT>"
        lines = [cast("%r_a", 1), cast("%r_b", 2), line("%r", "stablehlo.compare", ["%r_a", "%r_b"], pair, tensor([65536], BOOL), attributes)]
        cases.append(Case("stablehlo.compare", t, "\n    ".join(lines), [65536], BOOL, Equal(function(*floats[1:]))))
    return Group(f"narrow {t.name}", inputs, cases)


# ---------------------------------------------------------------------------------------------------------------------
# Integers of four bits
# ---------------------------------------------------------------------------------------------------------------------


def wrap4(x, t):
    low = np.asarray(x, object) & 15
    return np.where((low >= 8) & (t.kind == "int"), low - 16, low).astype(t.numpy)


def int4_group(t, size, rng):
    byte = I8 if t.kind == "int" else UI8
    values = np.arange(t.least, t.largest + 1, dtype=t.numpy)
    a, b, wideints = np.repeat(values, 16), np.tile(values, 16), random_values(TYPES["i32"], 256, rng)
    f32 = np.concatenate([edge_values(TYPES["f32"]), random_values(TYPES["f32"], 256, rng)])
    inputs, cases = [a, b, wideints, f32], []
    x, y = a.astype(object), b.astype(object)

    def to4(name, operand, source):
        n = len(inputs[operand])
        return line(name, "stablehlo.convert", [f"%{operand}"], [tensor([n], source)], tensor([n], t))

    def add(row, lines, n, expected):
        text = "\n    ".join(lines + [line("%r", "stablehlo.convert", ["%r_v"], [tensor([n], t)], tensor([n], byte))])
        cases.append(Case(row, t, text, [n], byte, Equal(np.asarray(expected).astype(t.numpy))))

    add("stablehlo.convert from i32", [to4("%r_v", 2, TYPES["i32"])], 256, wrap4(wideints, t))
    whole = np.where(np.isnan(f32), 0, np.clip(np.trunc(wide(f32)), t.least, t.largest)).astype(int)
    add("stablehlo.convert from f32", [to4("%r_v", 3, TYPES["f32"])], len(f32), whole)
    quotient, remainder = divide_integers4(x, y, t)
    amount, bits = np.asarray(y & 15, int), np.asarray(x & 15, int)
    signed = np.where(bits >= 8, bits - 16, bits)
    table = [("add", x + y), ("subtract", x - y), ("multiply", x * y), ("and", x & y), ("or", x | y), ("xor", x ^ y),
             ("maximum", np.maximum(x, y)), ("minimum", np.minimum(x, y)), ("divide", quotient), ("remainder", remainder),
             ("power", [pow4(p, q) for p, q in zip(x, y)]),
             ("shift_left", np.where(amount < 4, bits << np.minimum(amount, 4), 0)),
             ("shift_right_logical", np.where(amount < 4, bits >> np.minimum(amount, 4), 0)),
             ("shift_right_arithmetic", signed >> np.minimum(amount, 3))]
    pair = [tensor([256], t)] * 2
    for name, expected in table:
        lines = [to4("%r_a", 0, byte), to4("%r_b", 1, byte), line("%r_v", f"stablehlo.{name}", ["%r_a", "%r_b"], pair, pair[0])]
        add(f"stablehlo.{name}", lines, 256, wrap4(expected, t))
    unary = [("not", ~x), ("negate", -x), ("popcnt", [bin(v & 15).count("1") for v in x]), ("count_leading_zeros", [4 - (v & 15).bit_length() for v in x])]
    unary += [("abs", np.abs(x)), ("sign", np.sign(a))] if t.kind == "int" else []
    for name, expected in unary:
        add(f"stablehlo.{name}", [to4("%r_a", 0, byte), line("%r_v", f"stablehlo.{name}", ["%r_a"], pair[:1], pair[0])], 256, wrap4(expected, t))
    return Group(f"narrow {t.name}", inputs, cases)


def divide_integers4(x, y, t):
    """Computed as bytes are, then cut."""
    byte = I8 if t.kind == "int" else UI8
    return divide_integers(np.asarray(x, byte.numpy), np.asarray(y, byte.numpy), byte)


def pow4(x, y):
    if y >= 0:
        return x**y
    return x if x in (1, -1) and y % 2 else 1 if x in (1, -1) else 0


# ---------------------------------------------------------------------------------------------------------------------
# Complex numbers
# ---------------------------------------------------------------------------------------------------------------------

# name, function, bound in units in the last place of the magnitude: the roundings of the formulas of lowering/scalar_complex.c, where an
# elementary function counts 2, a magnitude 2.5, and each product of parts doubles what it is made of.
COMPLEX_UNARY = [
    ("negate", lambda z: -z, 0.5), ("sqrt", np.sqrt, 6.0), ("rsqrt", lambda z: 1 / np.sqrt(z), 16.0),
    ("exponential", np.exp, 8.0), ("exponential_minus_one", np.expm1, 12.0), ("log", np.log, 6.0),
    ("sine", np.sin, 16.0), ("cosine", np.cos, 16.0), ("tanh", np.tanh, 40.0), ("tan", np.tan, 40.0),
    ("logistic", lambda z: 1 / (1 + np.exp(-z)), 60.0), ("sign", lambda z: np.where(z == 0, z, z / np.abs(z)), 6.0),
]
COMPLEX_BINARY = [("add", np.add, 1.0), ("subtract", np.subtract, 1.0), ("multiply", np.multiply, 4.0), ("divide", np.divide, 12.0)]


def complex_group(name, t, size, rng):
    """Parts of size one: what is lost where a result nearly vanishes is relative to the operands, so logistic and tan keep away from poles."""
    n = size.random
    parts = [rng.uniform(-2, 2, n).astype(t.numpy) for _ in range(4)]
    x, y = (wide(parts[i]) + 1j * wide(parts[i + 1]) for i in (0, 2))
    kind, inputs, cases = Named(name), parts, []
    part, whole = tensor([n], t), f"tensor<{n}x{name}>"
    made = [line("%r_x", "stablehlo.complex", ["%0", "%1"], [part, part], whole), line("%r_y", "stablehlo.complex", ["%2", "%3"], [part, part], whole)]

    def add(row, lines, exact, bound, count=None):
        count = count or n
        exact = np.asarray(exact, np.clongdouble)
        for suffix, value in (("real", exact.real), ("imag", exact.imag)):
            text = "\n    ".join(lines + [line("%r", f"stablehlo.{suffix}", ["%r_v"], [f"tensor<{count}x{name}>"], tensor([count], t))])
            check = Ulps(value, t, bound, scale=np.abs(exact))
            case = Case(row, t, text, [count], t, check)
            case.type = kind
            cases.append(case)

    for op, function, bound in COMPLEX_UNARY:
        add(f"stablehlo.{op}", [made[0], line("%r_v", f"stablehlo.{op}", ["%r_x"], [whole], whole)], function(x), bound)
    for op, function, bound in COMPLEX_BINARY:
        add(f"stablehlo.{op}", made + [line("%r_v", f"stablehlo.{op}", ["%r_x", "%r_y"], [whole, whole], whole)], function(x, y), bound)
    text = "\n    ".join([made[0], line("%r", "stablehlo.abs", ["%r_x"], [whole], part)])
    cases.append(Case("stablehlo.abs", t, text, [n], t, Ulps(np.abs(x), t, 2.5)))
    cases[-1].type = kind
    for direction in ("EQ", "NE"):
        attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type FLOAT>"
        text = "\n    ".join(made + [line("%r", "stablehlo.compare", ["%r_x", "%r_y"], [whole, whole], tensor([n], BOOL), attributes)])
        cases.append(Case("stablehlo.compare", t, text, [n], BOOL, Equal(x == y if direction == "EQ" else x != y)))
        cases[-1].type = kind
    rows = 16
    matrix = f"tensor<{rows}x{n // rows}x{name}>"
    turned = f"tensor<{n // rows}x{rows}x{name}>"
    shaped = [made[0], line("%r_m", "stablehlo.reshape", ["%r_x"], [whole], matrix),
              line("%r_t", "stablehlo.transpose", ["%r_m"], [matrix], turned, "permutation = array<i64: 1, 0>"),
              line("%r_v", "stablehlo.reshape", ["%r_t"], [turned], whole)]
    add("stablehlo.transpose", shaped, x.reshape(rows, -1).T.reshape(-1), 0.0)
    return Group(f"narrow {name}", inputs, cases)


def groups(size, rng, fast):
    floats = [t for t in FLOAT8 if t.name in ("f8E4M3FN", "f8E5M2FNUZ")] if fast else FLOAT8
    result = [float8_group(t, size, rng) for t in floats] + [int4_group(t, size, rng) for t in INT4]
    return result + [complex_group(name, t, size, rng) for name, t in COMPLEX.items()]
