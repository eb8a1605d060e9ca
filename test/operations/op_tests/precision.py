# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/precision.md relaxes: divisors that rows share, products that are added. Bounds are those of the default policy."""
import numpy as np

from op_tests.cases import Case, Group, Ulps
from op_tests.types import edge_values, random_values, tensor, wide

# Of f64 nothing but products is relaxed. Subnormal results lose another half unit.
QUOTIENT = {"f64": 0.5, "f32": 1.01, "f16": 0.51, "bf16": 1.01}


def some_values(t, count, rng):
    edges = edge_values(t)
    edges = edges[rng.permutation(len(edges))[:count]]
    return np.concatenate([edges, random_values(t, count, rng)])


def quotient_case(t, inputs):
    """%0 / %1, of which each row has one element."""
    x, y = inputs
    row, matrix = tensor(y.shape, t), tensor(x.shape, t)
    text = (f'%r_shared = "stablehlo.broadcast_in_dim"(%1) {{broadcast_dimensions = array<i64: 0>}} : ({row}) -> {matrix}\n'
            f'    %r = "stablehlo.divide"(%0, %r_shared) : ({matrix}, {matrix}) -> {matrix}')
    with np.errstate(all="ignore"):
        exact = wide(x) / wide(y)[:, None]
        exact = x / y[:, None] if t.name == "f64" else exact
    return Case("stablehlo.divide by a row's divisor", t, text, x.shape, t, Ulps(wide(exact), t, QUOTIENT[t.name], (x, np.broadcast_to(y[:, None], x.shape))))


def constant_case(t, x, number):
    matrix = tensor(x.shape, t)
    text = (f'%r_number = "stablehlo.constant"() {{value = dense<{number!r}> : {matrix}}} : () -> {matrix}\n'
            f'    %r = "stablehlo.divide"(%0, %r_number) : ({matrix}, {matrix}) -> {matrix}')
    divisor = t.array(number)
    exact = x / divisor if t.name == "f64" else wide(x) / wide(divisor)
    return Case("stablehlo.divide by a constant", t, text, x.shape, t, Ulps(wide(exact), t, QUOTIENT[t.name], (x,)))


def sum_cases(t, inputs):
    """Half a unit of the product, if it is rounded, and half of the result."""
    a, b, c = inputs
    shape = tensor(a.shape, t)
    cases = []
    for name, sign, expression in (("add", 1, "(%r_product, %2)"), ("subtract", -1, "(%r_product, %2)"), ("subtract from", -1, "(%2, %r_product)")):
        text = (f'%r_product = "stablehlo.multiply"(%0, %1) : ({shape}, {shape}) -> {shape}\n'
                f'    %r = "stablehlo.{name.split()[0]}"{expression} : ({shape}, {shape}) -> {shape}')
        with np.errstate(all="ignore"):
            product, other = wide(a) * wide(b), wide(c)
            exact = product + sign * other if expression.startswith("(%r") else other - product
            scale = np.maximum(np.maximum(np.abs(product), np.abs(other)), np.abs(exact))
        cases.append(Case(f"stablehlo.multiply, {name}", t, text, a.shape, t, Ulps(exact, t, 1.0, inputs, scale=scale)))
    return cases


def product_values(t, count, rng):
    """Whose products do not overflow and are no subnormal numbers: these lose another half unit."""
    mantissas = rng.uniform(1, 2, count) * rng.choice((-1.0, 1.0), count)
    return t.array(np.ldexp(mantissas, rng.integers(t.emin // 4, t.emax // 4, count)))


def quotient_group(t, size, rng):
    count = size.pairs
    x = np.stack([some_values(t, count, rng) for _ in range(2 * count)])
    y = some_values(t, count, rng)[: 2 * count]
    inputs = [x[: len(y)], y]
    return Group(f"quotient {t.name}", inputs, [quotient_case(t, inputs)] + [constant_case(t, inputs[0], number) for number in (0.9, -3.0, 1e-3, 1000.0)])


def product_group(t, size, rng):
    inputs = [product_values(t, size.random, rng) for _ in range(3)]
    return Group(f"product and sum {t.name}", inputs, sum_cases(t, inputs))


def groups(types, size, rng):
    floats = [t for t in types if t.kind == "float" and t.bits >= 16]
    return [make(t, size, rng) for t in floats for make in (quotient_group, product_group)]
