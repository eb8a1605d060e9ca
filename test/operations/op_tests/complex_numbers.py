# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations on complex numbers."""
import numpy as np

from op_tests.cases import Case, Equal, Group, Ulps, elementwise_case, operation
from op_tests.types import BOOL, TYPES, edge_values, make_complex, tensor, wide

# name, function, bound in units in the last place of the magnitude: the roundings of the formulas of lowering/scalar/scalar_complex.c, where an
# elementary function counts 2, a magnitude 2.5, and each product of parts doubles what it is made of.
UNARY = [
    ("stablehlo.sqrt", np.sqrt, 6.0), ("stablehlo.rsqrt", lambda z: 1 / np.sqrt(z), 16.0),
    ("stablehlo.exponential", np.exp, 8.0), ("stablehlo.exponential_minus_one", np.expm1, 12.0), ("stablehlo.log", np.log, 6.0),
    ("stablehlo.log_plus_one", lambda z: np.log(1 + z), 12.0), ("stablehlo.sine", np.sin, 16.0), ("stablehlo.cosine", np.cos, 16.0),
    ("stablehlo.tanh", np.tanh, 40.0), ("stablehlo.tan", np.tan, 40.0), ("stablehlo.logistic", lambda z: 1 / (1 + np.exp(-z)), 60.0),
    # Kahan's formulas: two roots (6 each), a product of parts, and the real functions of it.
    ("chlo.asin", np.arcsin, 40.0), ("chlo.acos", np.arccos, 40.0), ("chlo.asinh", np.arcsinh, 40.0), ("chlo.acosh", np.arccosh, 40.0),
    ("chlo.atan", np.arctan, 24.0), ("chlo.atanh", np.arctanh, 24.0), ("chlo.sinh", np.sinh, 16.0), ("chlo.cosh", np.cosh, 16.0),
    ("stablehlo.cbrt", lambda z: np.exp(np.log(z) / 3), 16.0), ("stablehlo.sign", lambda z: np.where(z == 0, z, z / np.abs(z)), 6.0), ("chlo.square", lambda z: z * z, 4.0), ("chlo.tan", np.tan, 40.0),
]
BINARY = [("stablehlo.add", np.add, 1.0), ("stablehlo.subtract", np.subtract, 1.0), ("stablehlo.multiply", np.multiply, 4.0),
          ("stablehlo.divide", np.divide, 12.0), ("stablehlo.power", np.power, 60.0),
          ("stablehlo.atan2", lambda y, x: -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y)), 60.0)]


def accuracy_group(t, size, rng):
    """Parts of size one: what is lost where a result nearly vanishes is relative to the operands, so logistic and tan keep away from
    poles."""
    inputs = [make_complex(*(rng.uniform(-2, 2, size.random) for _ in range(2)), t) for _ in range(2)]
    x, y = map(wide, inputs)
    cases = [elementwise_case(n, n, t, inputs[:1], t, Ulps(f(x), t, bound, inputs[:1])) for n, f, bound in UNARY]
    cases += [elementwise_case(n, n, t, inputs, t, Ulps(f(x, y), t, bound, inputs)) for n, f, bound in BINARY]
    cases.append(elementwise_case("stablehlo.abs", "stablehlo.abs", t, inputs[:1], t.part, Ulps(np.abs(x), t.part, 2.5, inputs[:1])))
    return Group(f"elementwise {t.name}", inputs, cases)


def far_group(t, size, rng):
    """Exponentials of large parts, of both signs."""
    z = make_complex(rng.uniform(-60, 60, size.random), rng.uniform(-60, 60, size.random), t)
    functions = {"stablehlo.sine", "stablehlo.cosine", "stablehlo.exponential", "chlo.sinh", "chlo.cosh"}
    return Group(f"large {t.name}", [z], [elementwise_case(n, n, t, [z], t, Ulps(f(wide(z)), t, bound, [z])) for n, f, bound in UNARY if n in functions])


def parts_group(t, size, rng):
    """What moves parts or compares them, on edge values."""
    z = edge_values(t)
    w = rng.permutation(z)
    w[: len(z) // 3] = z[: len(z) // 3]
    real, imaginary = (np.ascontiguousarray(v) for v in (z.real, z.imag))
    inputs = [z, w, real, imaginary]
    make = lambda name, t_result, check, count=1, attributes="": elementwise_case(name, name, t, inputs[:count], t_result, check, attributes)
    parts = [tensor([len(z)], t.part)] * 2
    cases = [make("stablehlo.real", t.part, Equal(real, [z], payload=True)), make("stablehlo.imag", t.part, Equal(imaginary, [z], payload=True)),
             make("stablehlo.negate", t, Equal(make_complex(-real, -imaginary, t), [z])),
             make("chlo.conj", t, Equal(make_complex(real, -imaginary, t), [z])),
             Case("stablehlo.complex", t, operation("stablehlo.complex", ["%2", "%3"], parts, tensor([len(z)], t)), [len(z)], t, Equal(z, payload=True))]
    for name, order in (("stablehlo.maximum", np.greater), ("stablehlo.minimum", np.less)):
        first = np.where(z.real == w.real, order(z.imag, w.imag), order(z.real, w.real))
        cases.append(make(name, t, Equal(np.where(first, z, w), [z, w]), 2))
    for direction, expected in (("EQ", z == w), ("NE", z != w)):
        attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type FLOAT>"
        cases.append(make("stablehlo.compare", BOOL, Equal(expected, [z, w]), 2, attributes))
    return Group(f"parts {t.name}", inputs, cases)


def groups(size, rng):
    return [make(t, size, rng) for t in TYPES.values() if t.kind == "complex" for make in (accuracy_group, far_group, parts_group)]
