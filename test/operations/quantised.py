#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on quantised tensors of random types, on the simt device, against a model of the specification in NumPy.

usage: quantised.py --bin DIR [--count N] [--seed N] [--keep DIR] [--operation NAME] [--artifacts]

Each of --count models has every operation of this file once, on operands of random types: integers of 2 to 32 bits, with and without sign,
f16, bf16, f32 and f64, one scale or one for each slice. --keep keeps the models. Instead of running
them, --artifacts has jaxlib verify the programs and write them as portable artifacts, and compares what becomes of these and of the text.
Exit status 1 if a result differs.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

from quantised_model import EPSILON, EXPRESSED, Quantised, narrow, random_type, random_values


class Model:
    """A function @main, its inputs and what its results may be."""

    def __init__(self, rng, only):
        self.rng, self.only, self.lines, self.arguments, self.results, self.count = rng, only, [], [], [], 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def argument(self, type_text, array):
        self.arguments.append((type_text, array))
        return f"%arg{len(self.arguments) - 1}"

    def quantised(self, q, shape):
        """An argument of random elements: (name, type, elements)."""
        values = random_values(self.rng, q, shape)
        return self.argument(q.tensor(shape), values), q.tensor(shape), values

    def floats(self, expressed, shape, low=-2.0, high=2.0):
        values = self.rng.uniform(low, high, shape).astype(EXPRESSED[expressed])
        text = f"tensor<{''.join(f'{d}x' for d in shape)}{expressed}>"
        return self.argument(text, values), text, values.astype(np.float64)

    def op(self, name, operands, result, attributes="", region=""):
        """`operands` are (name, type, ...)."""
        value = self.name()
        types = ", ".join(operand[1] for operand in operands)
        region = f" ({{{region}}})" if region else ""
        self.lines.append(f'{value} = "stablehlo.{name}"({", ".join(o[0] for o in operands)}){region} {{{attributes}}} : ({types}) -> {result}')
        return value, result

    def expect(self, what, value, interval, dtype=None):
        self.results.append((what, *value, *interval))


def body(types, operation, result=None):
    """A region that combines two elements."""
    result = result or types[0]
    return (f'^bb0(%x: {types[0]}, %y: {types[1]}): %r = "stablehlo.{operation}"(%x, %y) : ({types[0]}, {types[1]}) -> {result} '
            f'"stablehlo.return"(%r) : ({result}) -> ()')


CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def pick_shape(rng):
    return [(3, 4), (5,), (2, 3, 4), (17, 8)][rng.integers(4)]


def like(rng, q, scale=None):
    """A type with other parameters."""
    other = random_type(rng, bits=q.bits, signed=q.signed, expressed=q.expressed, scale=scale, bounded=False)
    return Quantised(q.bits, q.signed, q.expressed, other.scales, np.clip(other.zeros, q.low, q.high), None, q.low, q.high)


# ---------------------------------------------------------------------------------------------------------------------
# Quantisation, elementwise operations
# ---------------------------------------------------------------------------------------------------------------------

@case
def examples(m):
    """The values that the specification gives."""
    given = lambda q, values: (m.argument(q.tensor((len(values),)), np.asarray(values, np.int8)), q.tensor((len(values),)))
    q = Quantised(8, True, "f32", [0.1, 0.5], [-30, -20], 0)
    to = Quantised(8, True, "f32", [0.1, 0.2], [-20, -30], 0)
    operand = given(q, [10, 10])
    x = (m.argument("tensor<2xf32>", np.asarray([4, 15], np.float32)), "tensor<2xf32>")
    m.expect("uniform_dequantize", m.op("uniform_dequantize", [operand], x[1]), (np.asarray([4.0, 15.0], np.float32),) * 2)
    m.expect("uniform_quantize", m.op("uniform_quantize", [x], q.tensor((2,))), (np.asarray([10, 10]),) * 2)
    m.expect("uniform_quantize", m.op("uniform_quantize", [operand], to.tensor((2,))), (np.asarray([20, 45]),) * 2)
    # Halves go to even, what is out of range to the nearest integer, NaN to what stands for the float of integer 0.
    plain = Quantised(8, True, "f32", [1.0], [0], None, -100, 100)
    values = np.asarray([0.5, 1.5, -0.5, -2.5, 1e9, -np.inf, 100.5, np.nan], np.float32)
    x = (m.argument("tensor<8xf32>", values), "tensor<8xf32>")
    m.expect("uniform_quantize", m.op("uniform_quantize", [x], plain.tensor((8,))), (np.asarray([0, 2, 0, -2, 100, -100, 100, 0]),) * 2)
    # Sums of products that need 32 bits, scaled by a half: halves go to even.
    lhs, rhs = Quantised(8, True, "f32", [0.5], [-128]), Quantised(8, True, "f32", [1.0], [0])
    to = Quantised(16, True, "f32", [1.0], [0])
    a, b = given(lhs, [127] * 4 + [-127]), given(rhs, [127, -127, 1, 0, 1])
    plain = "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>"
    m.expect("dot_general", m.op("dot_general", [a, b], to.tensor(()), plain), (np.asarray(128),) * 2)
    # A sum of integers with a zero point, which does not take part.
    q = Quantised(8, True, "f32", [0.5], [7])
    a, start = given(q, [9, 6, 107]), m.op("constant", [], q.tensor(()), "value = dense<7> : tensor<i8>")
    m.expect("reduce", m.op("reduce", [a, start], q.tensor(()), "dimensions = array<i64: 0>", body([q.tensor(())] * 2, "add")), (np.asarray(108),) * 2)


@case
def uniform_quantize(m):
    shape = pick_shape(m.rng)
    # The last have integers, and zero points, that their floats have not.
    for axis, kind in ((None, {}), (int(m.rng.integers(len(shape))), {}), (None, {"bits": 16, "expressed": "bf16"}), (0, {"bits": 32, "expressed": "f16"})):
        q = random_type(m.rng, shape, axis, **kind)
        x = m.floats(q.expressed, shape)
        m.expect("uniform_quantize", m.op("uniform_quantize", [x], q.tensor(shape)), q.quantise(x[2]))
        operand = m.quantised(q, shape)
        result = narrow(q.dequantise(operand[2]), q.expressed)
        m.expect("uniform_dequantize", m.op("uniform_dequantize", [operand], x[1]), (result, result))
        to = random_type(m.rng, shape, axis, expressed=q.expressed)
        m.expect("requantise", m.op("uniform_quantize", [operand], to.tensor(shape)), to.quantise(q.dequantise(operand[2])))


EXACT = {"abs": np.abs, "negate": np.negative, "ceil": np.ceil, "floor": np.floor, "sign": np.sign, "round_nearest_even": np.rint,
         "round_nearest_afz": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5)}
ROUNDED = {"sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "exponential": np.exp, "exponential_minus_one": np.expm1,
           "log": np.log, "log_plus_one": np.log1p, "logistic": lambda x: 1 / (1 + np.exp(-x)), "sine": np.sin, "cosine": np.cos, "tan": np.tan,
           "tanh": np.tanh}


@case
def unary(m):
    for name, function in (EXACT | ROUNDED).items():
        shape = pick_shape(m.rng)
        q = random_type(m.rng)
        to = like(m.rng, q)
        operand = m.quantised(q, shape)
        x = q.dequantise(operand[2])
        with np.errstate(all="ignore"):
            y = function(x)
        interval = to.quantise(y)
        if name in ROUNDED: # NaN is quantised as 0 is, and the slope of some functions is steep
            error = 16 * EPSILON[q.expressed] * (np.abs(np.where(np.isfinite(y), y, 0)) + 1)
            near = to.near(y, error)
            interval = tuple(np.where(np.isfinite(y), bound, exact) for bound, exact in zip(near, interval))
            if name == "tan":
                interval = tuple(np.where(np.abs(y) > 4, limit, bound) for bound, limit in zip(interval, (to.low, to.high)))
        m.expect(name, m.op(name, [operand], to.tensor(shape)), interval)


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum, "minimum": np.minimum}


@case
def binary(m):
    for name, function in BINARY.items():
        shape = pick_shape(m.rng)
        q = random_type(m.rng)
        r, to = like(m.rng, q), like(m.rng, q)
        operands = [m.quantised(q, shape), m.quantised(r, shape)]
        with np.errstate(all="ignore"):
            y = narrow(function(q.dequantise(operands[0][2]), r.dequantise(operands[1][2])), q.expressed)
        m.expect(name, m.op(name, operands, to.tensor(shape)), to.quantise(y))
    for name, function in (("atan2", np.arctan2), ("power", lambda x, y: np.power(np.abs(x), y)), ("remainder", np.fmod)):
        shape = pick_shape(m.rng)
        q = random_type(m.rng)
        r, to = like(m.rng, q), like(m.rng, q)
        operands = [m.quantised(q, shape), m.quantised(r, shape)]
        x, y = q.dequantise(operands[0][2]), r.dequantise(operands[1][2])
        with np.errstate(all="ignore"):
            z = function(x, y)
            if name == "power":
                z = np.where(x < 0, np.nan, z)
        known = np.isfinite(z) & (np.abs(z) < 100)
        near = to.near(np.where(known, z, 0), 32 * EPSILON[q.expressed] * (1 + np.abs(np.where(known, z, 0))))
        interval = [np.where(known, bound, limit) for bound, limit in zip(near, (to.low, to.high))]
        m.expect(name, m.op(name, operands, to.tensor(shape)), interval)


@case
def same_type(m):
    """Choices among integers of one type, of all widths."""
    shape = pick_shape(m.rng)
    for name, function in (("maximum", np.maximum), ("minimum", np.minimum)):
        q = random_type(m.rng)
        x, y = m.quantised(q, shape), m.quantised(q, shape)
        m.expect(name, m.op(name, [x, y], x[1]), (function(x[2], y[2]),) * 2)
    predicate = m.rng.integers(2, size=shape).astype(bool)
    pred = (m.argument(f"tensor<{'x'.join(map(str, shape))}xi1>", predicate), f"tensor<{'x'.join(map(str, shape))}xi1>")
    m.expect("select", m.op("select", [pred, x, y], x[1]), (np.where(predicate, x[2], y[2]),) * 2)
    low, high = sorted(random_values(m.rng, q, 2).tolist())
    bounds = [(m.argument(q.tensor(()), np.asarray(v, q.numpy)), q.tensor(())) for v in (low, high)]
    m.expect("clamp", m.op("clamp", [bounds[0], x, bounds[1]], x[1]), (np.clip(x[2], low, high),) * 2)
    for direction, function in (("LT", np.less), ("GE", np.greater_equal), ("EQ", np.equal)):
        types = m.rng.integers(2)
        kind = ", compare_type = #stablehlo<comparison_type FLOAT>" if types else ""
        m.expect("compare", m.op("compare", [x, y], pred[1], f"comparison_direction = #stablehlo<comparison_direction {direction}>{kind}"),
                 (function(x[2], y[2]),) * 2)
    m.expect("is_finite", m.op("is_finite", [x], pred[1]), (np.ones(shape, bool),) * 2)


@case
def other_type(m):
    shape = pick_shape(m.rng)
    q = random_type(m.rng)
    r, s, to = like(m.rng, q), like(m.rng, q), like(m.rng, q)
    x, y = m.quantised(q, shape), m.quantised(r, shape)
    predicate = m.rng.integers(2, size=shape).astype(bool)
    pred = (m.argument(f"tensor<{'x'.join(map(str, shape))}xi1>", predicate), f"tensor<{'x'.join(map(str, shape))}xi1>")
    m.expect("select", m.op("select", [pred, x, y], to.tensor(shape)),
             to.quantise(np.where(predicate, q.dequantise(x[2]), r.dequantise(y[2]))))
    z = m.quantised(s, shape)
    clamped = np.minimum(np.maximum(q.dequantise(x[2]), r.dequantise(y[2])), s.dequantise(z[2]))
    m.expect("clamp", m.op("clamp", [x, y, z], to.tensor(shape)), to.quantise(clamped))
    m.expect("compare", m.op("compare", [x, y], pred[1], "comparison_direction = #stablehlo<comparison_direction GT>"),
             (q.dequantise(x[2]) > r.dequantise(y[2]),) * 2)


@case
def add_per_axis(m):
    shape = (3, 5)
    axis = int(m.rng.integers(2))
    to = random_type(m.rng, shape, axis, bounded=False)
    options = dict(bits=to.bits, signed=to.signed, expressed=to.expressed, bounded=False)
    q, r = random_type(m.rng, shape, axis, **options), random_type(m.rng, **options)
    x, y = m.quantised(q, shape), m.quantised(r, shape)
    total = narrow(q.dequantise(x[2]) + r.dequantise(y[2]), q.expressed)
    m.expect("add", m.op("add", [x, y], to.tensor(shape)), to.quantise(total))


# ---------------------------------------------------------------------------------------------------------------------
# Elements that move
# ---------------------------------------------------------------------------------------------------------------------

@case
def movement(m):
    q = random_type(m.rng)
    x = m.quantised(q, (3, 4))
    y = m.quantised(q, (3, 2))
    start = (m.argument("tensor<i32>", np.asarray(1, np.int32)), "tensor<i32>")
    value = (m.argument(q.tensor(()), random_values(m.rng, q, ())), q.tensor(()))
    data = x[2]
    m.expect("slice", m.op("slice", [x], q.tensor((2, 2)), "start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>, strides = array<i64: 1, 2>"),
             (data[1:3, ::2],) * 2)
    m.expect("reverse", m.op("reverse", [x], x[1], "dimensions = array<i64: 1>"), (data[:, ::-1],) * 2)
    m.expect("concatenate", m.op("concatenate", [x, y], q.tensor((3, 6)), "dimension = 1 : i64"), (np.concatenate([data, y[2]], 1),) * 2)
    m.expect("dynamic_slice", m.op("dynamic_slice", [x, start, start], q.tensor((2, 2)), "slice_sizes = array<i64: 2, 2>"), (data[1:3, 1:3],) * 2)
    updated = data.copy()
    updated[0:3, 1:3] = y[2]
    m.expect("dynamic_update_slice", m.op("dynamic_update_slice", [x, y, start, start], x[1]), (updated,) * 2)
    padded = np.full((4, 5), m.arguments[-1][1])
    padded[1:, :4] = data
    m.expect("pad", m.op("pad", [x, value], q.tensor((4, 5)), "edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 1>, "
                         "interior_padding = array<i64: 0, 0>"), (padded,) * 2)
    indices = m.rng.integers(0, 3, (5, 1)).astype(np.int32)
    at = (m.argument("tensor<5x1xi32>", indices), "tensor<5x1xi32>")
    numbers = "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
    m.expect("gather", m.op("gather", [x, at], q.tensor((5, 4)), f"{numbers}, slice_sizes = array<i64: 1, 4>"), (data[indices[:, 0]],) * 2)
    bits = f"tensor<3x4x{q.storage}>"
    m.expect("bitcast_convert", m.op("bitcast_convert", [x], bits), (data,) * 2)


@case
def shapes(m):
    """With one scale, and with one for each slice of the dimension of size 3."""
    for axis in (None, 1):
        q = random_type(m.rng, (2, 3, 4), axis)
        x = m.quantised(q, (2, 3, 4))
        data = x[2]
        on = lambda dim: q.on(dim if axis is not None else None)
        m.expect("transpose", m.op("transpose", [x], on(0).tensor((3, 4, 2)), "permutation = array<i64: 1, 2, 0>"), (data.transpose(1, 2, 0),) * 2)
        m.expect("reshape", m.op("reshape", [x], on(2).tensor((1, 2, 3, 2, 2))), (data.reshape(1, 2, 3, 2, 2),) * 2)
        m.expect("broadcast_in_dim", m.op("broadcast_in_dim", [x], on(2).tensor((2, 5, 3, 4)), "broadcast_dimensions = array<i64: 0, 2, 3>"),
                 (np.broadcast_to(data[:, None], (2, 5, 3, 4)),) * 2)
    q = random_type(m.rng, (1, 4), 0)
    x = m.quantised(q, (1, 4))
    m.expect("broadcast_in_dim", m.op("broadcast_in_dim", [x], q.on(1, 3).tensor((2, 3, 4)), "broadcast_dimensions = array<i64: 1, 2>"),
             (np.broadcast_to(x[2][None], (2, 3, 4)),) * 2)


@case
def sources(m):
    q = random_type(m.rng, (4,), m.rng.choice([None, 0]))
    values = random_values(m.rng, q, (4,))
    text = f"dense<[{', '.join(map(str, values.tolist()))}]> : tensor<4xi{q.bits}>"
    m.expect("constant", m.op("constant", [], q.tensor((4,)), f"value = {text}"), (values,) * 2)
    q = random_type(m.rng)
    m.expect("iota", m.op("iota", [], q.tensor((3, 4)), "iota_dimension = 1 : i64"), q.quantise(np.broadcast_to(np.arange(4.0), (3, 4))))


@case
def control(m):
    q = random_type(m.rng)
    x, y = m.quantised(q, (3, 4)), m.quantised(q, (3, 4))
    truth = bool(m.rng.integers(2))
    pred = (m.argument("tensor<i1>", np.asarray(truth)), "tensor<i1>")
    end = lambda v: f'"stablehlo.return"({v[0]}) : ({v[1]}) -> ()'
    value = m.op("if", [pred], x[1])
    m.lines[-1] = f'{value[0]} = "stablehlo.if"({pred[0]}) ({{{end(x)}}}, {{{end(y)}}}) : (tensor<i1>) -> {x[1]}'
    m.expect("if", value, (x[2] if truth else y[2],) * 2)
    scalar = q.tensor(())
    order = (f'^bb0(%x: {scalar}, %y: {scalar}): %r = "stablehlo.compare"(%x, %y) {{comparison_direction = #stablehlo<comparison_direction LT>}} : '
             f'({scalar}, {scalar}) -> tensor<i1> "stablehlo.return"(%r) : (tensor<i1>) -> ()')
    m.expect("sort", m.op("sort", [x], x[1], "dimension = 1 : i64, is_stable = true", order), (np.sort(x[2], 1),) * 2)
    total = narrow(q.dequantise(x[2]) + q.dequantise(y[2]), q.expressed)
    m.expect("map", m.op("map", [x, y], x[1], "dimensions = array<i64: 0, 1>", body([scalar] * 2, "add")), q.quantise(total))
    m.expect("optimization_barrier", m.op("optimization_barrier", [x], x[1]), (x[2],) * 2)


@case
def loop(m):
    """Three additions, each quantised."""
    q = random_type(m.rng)
    x, y = m.quantised(q, (3, 4)), m.quantised(q, (3, 4))
    kind = x[1]
    m.lines.append(f'%bound = "stablehlo.constant"() {{value = dense<3> : tensor<i32>}} : () -> tensor<i32>')
    m.lines.append(f'%none = "stablehlo.constant"() {{value = dense<0> : tensor<i32>}} : () -> tensor<i32>')
    m.lines.append(f'%one = "stablehlo.constant"() {{value = dense<1> : tensor<i32>}} : () -> tensor<i32>')
    condition = ('^bb0(%i: tensor<i32>, %x: ' + kind + '): %c = "stablehlo.compare"(%i, %bound) {comparison_direction = '
                 '#stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1> "stablehlo.return"(%c) : (tensor<i1>) -> ()')
    step = (f'^bb0(%i: tensor<i32>, %x: {kind}): %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32> '
            f'%r = "stablehlo.add"(%x, {y[0]}) : ({kind}, {kind}) -> {kind} "stablehlo.return"(%j, %r) : (tensor<i32>, {kind}) -> ()')
    value = m.name()
    m.lines.append(f'{value}:2 = "stablehlo.while"(%none, {x[0]}) ({{{condition}}}, {{{step}}}) : (tensor<i32>, {kind}) -> (tensor<i32>, {kind})')
    result = x[2]
    for _ in range(3):
        result = q.quantise(narrow(q.dequantise(result) + q.dequantise(y[2]), q.expressed))[0]
    m.expect("while", (value + "#1", kind), (result,) * 2)


@case
def dynamic_shapes(m):
    """Operations whose shape is an operand, of constants."""
    q = random_type(m.rng, (2, 3, 4), 1)
    x = m.quantised(q, (2, 3, 4))
    sizes = lambda *numbers: m.op("constant", [], f"tensor<{len(numbers)}xi64>", f"value = dense<{list(numbers)}> : tensor<{len(numbers)}xi64>")
    m.expect("dynamic_reshape", m.op("dynamic_reshape", [x, sizes(2, 3, 2, 2)], q.tensor((2, 3, 2, 2))), (x[2].reshape(2, 3, 2, 2),) * 2)
    m.expect("dynamic_broadcast_in_dim", m.op("dynamic_broadcast_in_dim", [x, sizes(5, 2, 3, 4)], q.on(2).tensor((5, 2, 3, 4)),
                                              "broadcast_dimensions = array<i64: 1, 2, 3>"), (np.broadcast_to(x[2], (5, 2, 3, 4)),) * 2)
    q = random_type(m.rng)
    m.expect("dynamic_iota", m.op("dynamic_iota", [sizes(3, 4)], q.tensor((3, 4)), "iota_dimension = 0 : i64"),
             q.quantise(np.broadcast_to(np.arange(3.0)[:, None], (3, 4))))
    x, value = m.quantised(q, (3, 4)), (m.argument(q.tensor(()), random_values(m.rng, q, ())), q.tensor(()))
    padded = np.full((4, 5), m.arguments[-1][1])
    padded[1:, :4] = x[2]
    m.expect("dynamic_pad", m.op("dynamic_pad", [x, value, sizes(1, 0), sizes(0, 1), sizes(0, 0)], q.tensor((4, 5))), (padded,) * 2)
    m.expect("real_dynamic_slice", m.op("real_dynamic_slice", [x, sizes(1, 0), sizes(3, 4), sizes(1, 2)], q.tensor((2, 2))), (x[2][1:3, ::2],) * 2)


@case
def one_process(m):
    """Collective operations of one process, which has what it sends."""
    q = random_type(m.rng)
    x = m.quantised(q, (3, 4))
    groups = "replica_groups = dense<0> : tensor<1x1xi64>"
    total = body([q.tensor(())] * 2, "add")
    for name, attributes, region in (("all_gather", f"all_gather_dim = 1 : i64, {groups}", ""), ("all_reduce", groups, total),
                                     ("all_to_all", f"split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, {groups}", ""),
                                     ("collective_broadcast", groups, ""), ("reduce_scatter", f"scatter_dimension = 1 : i64, {groups}", total),
                                     ("collective_permute", "source_target_pairs = dense<0> : tensor<1x2xi64>", "")):
        m.expect(name, m.op(name, [x], x[1], attributes, region), (np.clip(x[2], q.low, q.high) if region else x[2],) * 2)
    nothing = np.full((3, 4), q.zeros[0])
    m.expect("collective_permute", m.op("collective_permute", [x], x[1], "source_target_pairs = dense<> : tensor<0x2xi64>"), (nothing,) * 2)


# ---------------------------------------------------------------------------------------------------------------------
# Products
# ---------------------------------------------------------------------------------------------------------------------

def exact(array):
    return np.asarray(array).astype(object)


def scaled_sum(m, total, lhs, rhs, axis):
    """Real numbers for sums of products of differences, exact up to f64."""
    return total.astype(np.float64) * lhs.scales[0] * Quantised.along(rhs if axis is None else rhs.on(axis), rhs.scales, total.ndim)


def product_types(m, rhs_shape, axis, symmetric):
    bits = int(m.rng.choice([2, 4, 8, 8, 16, 32]))
    signed, expressed = bool(m.rng.integers(3)), str(m.rng.choice(["f32", "f32", "f16", "bf16", "f64"]))
    common = dict(bits=bits, signed=signed, expressed=expressed)
    return random_type(m.rng, **common), random_type(m.rng, rhs_shape, axis, symmetric=symmetric, **common)


def expect_product(m, name, operands, attributes, shape, types, total, axes):
    """`axes`: where the slices of the kernel with a scale each are in the result, and whether the result's slices have one each."""
    lhs, rhs = types
    axis, result_axis = axes
    real = scaled_sum(m, total, lhs, rhs, axis)
    integers = not (lhs.bits == 32)
    scale = max(float(np.abs(real).max()), 1e-3) / 100
    to = random_type(m.rng, shape, result_axis, expressed=lhs.expressed, bits=int(m.rng.choice([8, 8, 16])), scale=scale)
    epsilon = EPSILON["f64" if lhs.expressed == "f64" else "f32"] if integers else EPSILON[lhs.expressed]
    terms = total.shape and 64 * EPSILON[lhs.expressed] * 16
    interval = to.near(real, np.abs(real).max() * terms if not integers else 0, 2 * epsilon)
    m.expect(name, m.op(name, operands, to.tensor(shape), attributes), interval)


@case
def dot_general(m):
    numbers = "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>"
    for axis in (None, 2, 0):
        lhs, rhs = product_types(m, (3, 7, 5), axis, symmetric=True)
        x, y = m.quantised(lhs, (4, 3, 7)), m.quantised(rhs, (3, 7, 5))
        total = np.einsum("abk,bkc->bac", exact(lhs.differences(x[2])), exact(rhs.differences(y[2])))
        where = {None: None, 2: 2, 0: 0}[axis]
        result_axis = None if axis is None else int(m.rng.integers(3)) if m.rng.integers(2) else None
        expect_product(m, "dot_general", [x, y], numbers, (3, 4, 5), (lhs, rhs), total, (where, result_axis))
    # The result holds the sums themselves.
    lhs, rhs = product_types(m, None, None, symmetric=True)
    lhs, rhs = (random_type(m.rng, bits=8, signed=lhs.signed, expressed="f32", symmetric=s) for s in (False, True))
    x, y = m.quantised(lhs, (4, 7)), m.quantised(rhs, (7, 5))
    to = Quantised(32, True, "f32", lhs.scales * rhs.scales, [0])
    plain = "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>"
    total = lhs.differences(x[2]) @ rhs.differences(y[2])
    m.expect("dot_general", m.op("dot_general", [x, y], to.tensor((4, 5)), plain), to.integers(total))


def windows(x, kernel, low, high):
    """Sums of products of [b, h, w, f] and [h, w, i, o]."""
    padded = np.zeros((x.shape[0], x.shape[1] + low + high, x.shape[2] + low + high, x.shape[3]), x.dtype)
    padded[:, low:low + x.shape[1], low:low + x.shape[2]] = x
    h, w = padded.shape[1] - kernel.shape[0] + 1, padded.shape[2] - kernel.shape[1] + 1
    result = np.zeros((x.shape[0], h, w, kernel.shape[3]), x.dtype)
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            result += np.einsum("bhwi,io->bhwo", padded[:, i:i + h, j:j + w], kernel[i, j])
    return result


CONVOLUTION = ("dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, "
               "batch_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>")


@case
def convolution(m):
    for axis in (None, 3):
        lhs, rhs = product_types(m, (3, 3, 2, 4), axis, symmetric=bool(m.rng.integers(2)))
        x, y = m.quantised(lhs, (2, 5, 4, 2)), m.quantised(rhs, (3, 3, 2, 4))
        total = windows(exact(lhs.differences(x[2])), exact(rhs.differences(y[2])), 1, 1)
        result_axis = 3 if axis == 3 and m.rng.integers(2) else None
        expect_product(m, "convolution", [x, y], CONVOLUTION, (2, 5, 4, 4), (lhs, rhs), total, (axis, result_axis))


@case
def hybrid(m):
    for axis in (None, 1):
        q = random_type(m.rng, (7, 5), axis, symmetric=True)
        x, y = m.floats(q.expressed, (4, 7)), m.quantised(q, (7, 5))
        weights = q.dequantise(y[2])
        plain = "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>"
        result, error = x[2] @ weights, (np.abs(x[2]) @ np.abs(weights)) * 8 * EPSILON[q.expressed] + 1e-12
        m.expect("hybrid", m.op("dot_general", [x, y], f"tensor<4x5x{q.expressed}>", plain), (result - error, result + error))
        q = random_type(m.rng, (3, 3, 2, 4), axis and 3)
        x, y = m.floats(q.expressed, (2, 5, 4, 2)), m.quantised(q, (3, 3, 2, 4))
        weights = q.dequantise(y[2])
        result = windows(x[2], weights, 1, 1).astype(np.float64)
        error = windows(np.abs(x[2]), np.abs(weights), 1, 1).astype(np.float64) * 8 * EPSILON[q.expressed] + 1e-12
        m.expect("hybrid", m.op("convolution", [x, y], f"tensor<2x5x4x4x{q.expressed}>", CONVOLUTION), (result - error, result + error))


# ---------------------------------------------------------------------------------------------------------------------
# Combinations
# ---------------------------------------------------------------------------------------------------------------------

@case
def reductions(m):
    for name in ("add", "maximum", "minimum", "multiply"):
        q = random_type(m.rng, scale=1.0 if name == "multiply" else None)
        x = m.quantised(q, (3, 4))
        init = random_values(m.rng, q, ())
        start = (m.argument(q.tensor(()), init), q.tensor(()))
        value = m.op("reduce", [x, start], q.tensor((3,)), "dimensions = array<i64: 1>", body([q.tensor(())] * 2, name))
        if name == "add":
            interval = q.integers(q.differences(x[2]).sum(1) + q.differences(init))
        elif name == "multiply":
            real = q.dequantise(x[2]).prod(1) * q.dequantise(init)
            interval = q.near(real, 8 * EPSILON[q.expressed] * np.abs(real))
            large = np.abs(real) > 1e4
            interval = [np.where(large, limit, bound) for limit, bound in zip((q.low, q.high), interval)]
        else:
            function = np.maximum if name == "maximum" else np.minimum
            interval = (function(getattr(x[2], name[:3])(1), init),) * 2
        m.expect(f"reduce {name}", value, interval)


@case
def reduce_wider(m):
    q = random_type(m.rng, bits=int(m.rng.choice([4, 8])), signed=True, bounded=False)
    wide = random_type(m.rng, bits=int(m.rng.choice([16, 32])), signed=True, expressed=q.expressed, scale=float(q.scales[0]) / 2, bounded=False)
    x = m.quantised(q, (3, 4))
    zero = np.asarray(q.zeros[0], q.numpy)
    start = m.op("constant", [], q.tensor(()), f"value = dense<{zero}> : tensor<i{q.bits}>")
    value = m.op("reduce", [x, start], wide.tensor((4,)), "dimensions = array<i64: 0>", body([wide.tensor(())] * 2, "add"))
    elements = wide.quantise(q.dequantise(x[2]))[0]
    m.expect("reduce wider", value, wide.integers(wide.differences(elements).sum(0) + wide.differences(wide.quantise(0.0)[0])))


@case
def general_reduce(m):
    """A body that is not one operation: the larger magnitude."""
    q = random_type(m.rng)
    x = m.quantised(q, (3, 4))
    scalar = q.tensor(())
    start = m.op("constant", [], scalar, f"value = dense<{q.zeros[0]}> : tensor<i{q.bits}>")
    magnitude = (f'^bb0(%x: {scalar}, %y: {scalar}): %a = "stablehlo.abs"(%x) : ({scalar}) -> {scalar} %b = "stablehlo.abs"(%y) : ({scalar}) -> {scalar} '
                 f'%r = "stablehlo.maximum"(%a, %b) : ({scalar}, {scalar}) -> {scalar} "stablehlo.return"(%r) : ({scalar}) -> ()')
    absolute = q.quantise(np.abs(q.dequantise(x[2])))[0]
    zero = q.quantise(np.abs(q.dequantise(q.zeros[0])))[0]
    m.expect("reduce abs", m.op("reduce", [x, start], q.tensor((3,)), "dimensions = array<i64: 1>", magnitude),
             (np.maximum(absolute.max(1), zero),) * 2 if q.bits <= 8 and q.expressed in ("f32", "f64") else (np.full(3, q.low), np.full(3, q.high)))


@case
def window_reductions(m):
    for name in ("add", "maximum"):
        q = random_type(m.rng)
        x = m.quantised(q, (3, 6))
        first = q.zeros[0] if name == "add" else q.low
        start = m.op("constant", [], q.tensor(()), f"value = dense<{first}> : tensor<i{q.bits}>")
        value = m.op("reduce_window", [x, start], q.tensor((3, 3)), "window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, "
                     "padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>", body([q.tensor(())] * 2, name))
        padded = np.concatenate([np.full((3, 1), first), x[2].astype(np.int64)], 1)
        parts = np.stack([padded[:, i:i + 5:2] for i in range(3)])
        interval = q.integers((parts - q.zeros[0]).sum(0)) if name == "add" else (parts.max(0),) * 2
        m.expect(f"reduce_window {name}", value, interval)
    q = random_type(m.rng, bits=8)
    x, source = m.quantised(q, (3, 6)), m.quantised(q, (3, 2))
    start = m.op("constant", [], q.tensor(()), f"value = dense<{q.zeros[0]}> : tensor<i{q.bits}>")
    scalar = q.tensor(())
    select = (f'^bb0(%x: {scalar}, %y: {scalar}): %r = "stablehlo.compare"(%x, %y) {{comparison_direction = #stablehlo<comparison_direction GE>}} : '
              f'({scalar}, {scalar}) -> tensor<i1> "stablehlo.return"(%r) : (tensor<i1>) -> ()')
    value = m.op("select_and_scatter", [x, source, start], x[1], "window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 3>",
                 select + "}, {" + body([scalar] * 2, "add"))
    expected = np.full((3, 6), q.zeros[0])
    for i in range(3):
        for j in range(2):
            k = 3 * j + int(np.argmax(x[2][i, 3 * j:3 * j + 3]))
            expected[i, k] += q.differences(source[2])[i, j]
    m.expect("select_and_scatter", value, (np.clip(expected, q.low, q.high),) * 2)


@case
def scatters(m):
    for name in ("add", "maximum", None):
        q = random_type(m.rng)
        x, updates = m.quantised(q, (5, 3)), m.quantised(q, (4, 3))
        indices = (m.rng.permutation(5)[:4] if name is None else m.rng.integers(0, 5, 4)).reshape(4, 1).astype(np.int32)
        at = (m.argument("tensor<4x1xi32>", indices), "tensor<4x1xi32>")
        scalar = q.tensor(())
        region = body([scalar] * 2, name) if name else f'^bb0(%x: {scalar}, %y: {scalar}): "stablehlo.return"(%y) : ({scalar}) -> ()'
        numbers = ("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
                   "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>")
        value = m.op("scatter", [x, at, updates], x[1], numbers, region)
        result = q.differences(x[2])
        for k, row in enumerate(indices[:, 0]):
            update = q.differences(updates[2])[k]
            result[row] = result[row] + update if name == "add" else np.maximum(result[row], update) if name else update
        m.expect(f"scatter {name}", value, q.integers(result))


@case
def normalisations(m):
    """Mean and variance of few elements, in f32."""
    q = random_type(m.rng, bits=8, expressed="f32", scale=0.05, bounded=False)
    x = m.quantised(q, (4, 3))
    params = [m.quantised(like(m.rng, q, 0.02), (3,)) for _ in range(3)]
    types = [q] + [None] * 3
    variance_type = Quantised(q.bits, q.signed, "f32", [0.02], [q.least])
    variance = m.quantised(variance_type, (3,))
    del types
    value = m.op("batch_norm_inference", [x, *params, variance], x[1], "epsilon = 0.01 : f32, feature_index = 1 : i64")
    scale, offset, mean = (_parse(p).dequantise(p[2]) for p in params)
    real = (q.dequantise(x[2]) - mean) / np.sqrt(variance_type.dequantise(variance[2]) + 0.01) * scale + offset
    m.expect("batch_norm_inference", value, q.near(real, 1e-5 * (np.abs(real) + 10)))


@case
def matrices(m):
    """Factors and solutions of small matrices, and numbers with fewer bits."""
    q = random_type(m.rng, bits=16, expressed="f32", scale=1e-3, bounded=False, symmetric=True, signed=True)
    factor = np.tril(m.rng.uniform(0.5, 1.5, (3, 3)))
    values = q.quantise(factor @ factor.T)[0]
    x = (m.argument(q.tensor((3, 3)), values), q.tensor((3, 3)))
    real = np.linalg.cholesky(q.dequantise(values))
    lower = np.tril(np.ones((3, 3), bool))
    low, high = q.near(real, 1e-4)
    m.expect("cholesky", m.op("cholesky", [x], x[1], "lower = true"), (np.where(lower, low, q.low), np.where(lower, high, q.high)))
    triangle = q.quantise(factor)[0]
    a, b = (m.argument(q.tensor((3, 3)), triangle), q.tensor((3, 3))), m.quantised(q, (3, 2))
    real = np.linalg.solve(np.tril(q.dequantise(triangle)), q.dequantise(b[2]))
    attributes = "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>"
    m.expect("triangular_solve", m.op("triangular_solve", [a, b], b[1], attributes), q.near(real, 1e-3 * np.abs(real).max() / 10))
    x = m.quantised(q, (5,))
    mantissa, exponent = np.frexp(q.dequantise(x[2]))
    m.expect("reduce_precision", m.op("reduce_precision", [x], x[1], "exponent_bits = 8 : i32, mantissa_bits = 3 : i32"),
             q.quantise(np.ldexp(np.rint(mantissa * 16) / 16, exponent)))


@case
def training_normalisations(m):
    q = random_type(m.rng, bits=8, expressed="f32", scale=0.05, bounded=False)
    x = m.quantised(q, (6, 3))
    scale, offset = (m.quantised(like(m.rng, q, 0.02), (3,)) for _ in range(2))
    value = m.name()
    kinds = ", ".join([x[1], scale[1], offset[1]])
    results = [x[1], scale[1], offset[1]]
    m.lines.append(f'{value}:3 = "stablehlo.batch_norm_training"({x[0]}, {scale[0]}, {offset[0]}) {{epsilon = 0.01 : f32, feature_index = 1 : i64}} : '
                   f'({kinds}) -> ({", ".join(results)})')
    real = q.dequantise(x[2])
    mean, variance = real.mean(0), real.var(0)
    normal = (real - mean) / np.sqrt(variance + 0.01) * _parse(scale).dequantise(scale[2]) + _parse(offset).dequantise(offset[2])
    for k, (kind, exact_value) in enumerate(((q, normal), (_parse(scale), mean), (_parse(offset), variance))):
        m.expect("batch_norm_training", (f"{value}#{k}", results[k]), kind.near(exact_value, 1e-5 * (np.abs(exact_value) + 10)))


def _parse(operand):
    """The type of an operand with one scale."""
    sign, bits, low, high, expressed, scale, zero = re.search(r"uniform<([iu])(\d+)(?:<(-?\d+):(-?\d+)>)?:(\w+), ([^:]+):(-?\d+)>", operand[1]).groups()
    return Quantised(int(bits), sign == "i", expressed, [float(scale)], [int(zero)], None, low and int(low), high and int(high))


# ---------------------------------------------------------------------------------------------------------------------
# Running
# ---------------------------------------------------------------------------------------------------------------------

def build(rng, only):
    m = Model(rng, only)
    for name, function in CASES.items():
        if not only or name == only:
            function(m)
    arguments = ", ".join(f"%arg{i}: {text}" for i, (text, _) in enumerate(m.arguments))
    types = ", ".join(r[2] for r in m.results)
    text = f"func.func public @main({arguments}) -> ({types}) {{\n  " + "\n  ".join(m.lines)
    return m, text + f"\n  return {', '.join(r[1] for r in m.results)} : {types}\n}}\n"


def save(path, type_text, array):
    """Types that NumPy lacks are bytes, integers below a byte extended to one."""
    array = np.asarray(array)
    if array.dtype.name == "bfloat16" or re.search(r"uniform<[iu][24]\b", type_text):
        array = array.view(f"V{array.dtype.itemsize}")
    np.save(path, np.ascontiguousarray(array) if array.ndim else array)


def load(path, type_text):
    array = np.load(path)
    if array.dtype.kind == "V":
        array = array.view(np.int8 if "<i" in type_text else np.uint8 if "<u" in type_text or "xui" in type_text else
                           np.int8 if re.search(r"xi[24]>", type_text) else ml_dtypes.bfloat16)
    return array.astype(np.float64) if array.dtype.kind not in "iub" else array


def run(options, folder, m, text):
    source, model = os.path.join(folder, "model.mlir"), os.path.join(folder, "model.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    inputs = []
    for i, (type_text, array) in enumerate(m.arguments):
        path = os.path.join(folder, f"in_{i}.npy")
        save(path, type_text, array)
        inputs += ["--input", f"{i}:{path}"]
    compile_ = [os.path.join(options.bin, "stitch-compile"), source, "-o", model, "--target=simt", "--pipeline=precision=strict"]
    for command in (compile_, [os.path.join(options.bin, "stitch-run"), model, "--device=simt", "--output", folder, *inputs]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return [f"{os.path.basename(command[0])}: {(done.stderr or done.stdout).strip()[-2000:]}"]
    problems = []
    for k, (what, _, type_text, low, high) in enumerate(m.results):
        low, high = np.asarray(low), np.asarray(high)
        got = load(os.path.join(folder, f"output_{k}.npy"), type_text)
        wide = np.float64 if low.dtype.kind == "f" else np.int64
        wrong = (got.astype(wide) < low.astype(wide)) | (got.astype(wide) > high.astype(wide)) if got.shape == low.shape else np.ones(1, bool)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0]) if got.shape == low.shape else ()
            problems.append(f"{what}: result {k} of type {type_text} has {int(wrong.sum())} wrong elements"
                            + (f", at {list(at)} {got[at]}, not in [{low[at]}, {high[at]}]" if got.shape == low.shape else ""))
    return problems


VERSIONS = ("1.9.0", "1.13.0", "1.17.0")
NOT_WRITTEN = {"other_type": "the specification wants one baseline_type of what is selected from, StableHLO's verifier one type",
               "matrices": "StableHLO's verifier wants floats of triangular_solve"}


def graph(options, path):
    done = subprocess.run([os.path.join(options.bin, "stitch-compile"), path, "--emit=tg", "-o", "-"], capture_output=True, text=True, check=False)
    return done.stdout or done.stderr


def compare_artifacts(options, number):
    """What differs, for each operation alone."""
    from jaxlib.mlir.dialects import stablehlo
    names = [options.operation] if options.operation else [name for name in CASES if name not in NOT_WRITTEN]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            _, text = build(np.random.default_rng([options.seed, number]), name)
            source, artifact = os.path.join(folder, "model.mlir"), os.path.join(folder, "model.vhlo")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            version = VERSIONS[number % len(VERSIONS)]
            with open(artifact, "wb") as file:
                file.write(stablehlo.serialize_portable_artifact_str(text, version))
            if graph(options, source) != graph(options, artifact):
                yield f"{name}: an artifact of version {version} is another program: {graph(options, artifact)[:2000]}"


def run_model(options, number):
    m, text = build(np.random.default_rng([options.seed, number]), options.operation)
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.join(options.keep, str(number)) if options.keep else temporary
        os.makedirs(folder, exist_ok=True)
        yield from run(options, folder, m, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--operation")
    parser.add_argument("--artifacts", action="store_true")
    options = parser.parse_args()
    failures = 0
    for number in range(options.count):
        for problem in (compare_artifacts if options.artifacts else run_model)(options, number):
            failures += 1
            print(f"model {number}: {problem}")
    print(f"{options.count} models, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
