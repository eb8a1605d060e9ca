# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions."""
import math

import numpy as np

from op_tests.cases import Case, Equal, Group, Ulps, dims
from op_tests.elementwise import maximum
from op_tests.types import random_values, rounded, tensor, wide, wide_list


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
