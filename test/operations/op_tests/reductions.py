# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions."""
import math

import numpy as np

from op_tests.cases import Case, Equal, Group, Ulps, dims
from op_tests.elementwise import maximum, wrap
from op_tests.types import make_complex, random_values, rounded, tensor, wide, wide_list


def float_identity(kind, t):
    if kind in ("add", "multiply"):
        return 0 if kind == "add" else 1
    largest = np.inf if t.has_infinity else float(t.max)
    if kind == "minimum":
        return largest
    return -largest if t.has_sign else 2.0**t.emin


def identity_of(kind, t):
    """The literal of a constant."""
    if t.kind == "complex":
        return f"({float_identity(kind, t.part)}.0, 0.0)"
    if t.kind == "bool":
        return "true" if kind in ("multiply", "minimum", "and") else "false"
    if t.kind == "float":
        bits = int(t.bits_of(t.array([float_identity(kind, t)]))[0])
        return f"0x{bits:0{t.numpy.itemsize * 2}X}"
    if kind in ("minimum", "maximum"):
        return str(t.largest if kind == "minimum" else t.least)
    if kind == "and":
        return str(t.largest if t.kind == "uint" else -1)
    return "1" if kind == "multiply" else "0"


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
    result = np.asarray(function.reduce(x.astype(object), axis=axes), object)
    return wrap(np.atleast_1d(result), t).reshape(result.shape)


def term_rounding(t):
    """The unit roundoff of what sums are accumulated in, in units in the last place of the type."""
    precision = (t.part or t).precision
    return 1.0 if precision >= 24 else 2.0 ** (precision - 24)


REDUCED_AXES = [(1,), (0,), (0, 2), (0, 1, 2)]


def reduce_group(t, size, rng):
    shape = (7, 37, 40)
    x = random_values(t, math.prod(shape), rng).reshape(shape)
    if t.kind == "float":
        x = np.where(np.isfinite(x) | (rng.random(shape) < 0.02), x, t.numpy.type(1)).astype(t.numpy)
        x = np.where(rng.random(shape) < 0.2, rounded(wide_list([0.0, -0.0])[rng.integers(0, 2, shape)], t), x).astype(t.numpy)
    inputs, cases = [x], []
    kinds = [] if t.kind == "complex" else ["minimum", "maximum"]
    kinds += ["add", "multiply", "and", "or", "xor"] if t.kind not in ("float", "complex") else []
    for kind in kinds:
        for axes in REDUCED_AXES:
            expected = np.asarray(reduce_exactly(kind, x, axes, t))
            cases.append(Case(f"stablehlo.reduce {kind}", t, reduce_text(kind, "%0", shape, expected.shape, axes, t),
                              list(expected.shape), t, Equal(expected)))
    if t.kind in ("float", "complex"):
        sum_cases(t, shape, rng, inputs, cases)
    return Group(f"reduce {t.name}", inputs, cases)


def spread(t, shape, rng, low, high):
    """Numbers whose parts are between two limits."""
    part = (t.part or t).numpy
    real, imaginary = (rng.uniform(low, high, shape).astype(part) for _ in range(2))
    return make_complex(real, imaginary, t) if t.kind == "complex" else real


def sum_cases(t, shape, rng, inputs, cases):
    """Sums are within (n - 1) unit roundoffs of the accumulator, times the sum of magnitudes (Higham, section 4.2), and one
    rounding of the result; products likewise, those of complex numbers with three roundings each. Sums of small whole numbers are
    exact in any order."""
    terms, whole = spread(t, shape, rng, -2, 2), rng.integers(-1, 2, shape).astype(t.numpy)
    factors = np.where(rng.random(shape) < 0.5, spread(t, shape, rng, 0.94, 1.07), t.numpy.type(1)).astype(t.numpy)
    if t.kind == "complex":  # of magnitudes near one
        factors = (factors / np.abs(factors)).astype(t.numpy)
    inputs += [terms, factors, whole]
    for axes in REDUCED_AXES:
        count = math.prod(shape[a] for a in axes)
        bound = 0.5 + (count - 1) * term_rounding(t)
        if t.kind == "complex" or t.has_zero:
            exact, scale = wide(terms).sum(axis=axes), np.abs(wide(terms)).sum(axis=axes)
            cases.append(Case("stablehlo.reduce add", t, reduce_text("add", "%1", shape, exact.shape, axes, t), list(exact.shape), t,
                              Ulps(np.asarray(exact), t, bound, scale=np.asarray(scale))))
            total = np.asarray(wide(whole).sum(axis=axes))
            cases.append(Case("stablehlo.reduce add, exact", t, reduce_text("add", "%3", shape, total.shape, axes, t),
                              list(total.shape), t, Equal(rounded(total, t))))
        product = np.asarray(np.multiply.reduce(wide(factors), axis=axes))
        roundings = 3 if t.kind == "complex" else 1
        cases.append(Case("stablehlo.reduce multiply", t, reduce_text("multiply", "%2", shape, product.shape, axes, t),
                          list(product.shape), t, Ulps(product, t, 0.5 + roundings * (bound - 0.5))))
