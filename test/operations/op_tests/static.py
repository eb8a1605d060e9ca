# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is settled when the program is compiled: dynamic operations whose operands are constants, communication of the only process
with itself, calls and identities."""
import itertools

import numpy as np

from op_tests.cases import Case, Equal, Group, dims, operation
from op_tests.contractions import exact_sums, exactly
from op_tests.movement import pad
from op_tests.regions import combine, small_numbers
from op_tests.types import TYPES, random_values, tensor

I32 = TYPES["i32"]


def with_constants(name, operands, types, constants, result, attributes=""):
    """An operation whose last operands are vectors of i32 that are constants."""
    lines, operands, types = [], list(operands), list(types)
    for k, values in enumerate(constants):
        vector = tensor([len(values)], I32)
        lines.append(f'%r_{k} = "stablehlo.constant"() {{value = dense<{list(values)}> : {vector}}} : () -> {vector}')
        operands.append(f"%r_{k}")
        types.append(vector)
    return "\n    ".join([*lines, operation(name, operands, types, result, attributes)])


def dynamic_group(t, size, rng):
    x, row, scalar = (random_values(t, int(np.prod(s)), rng).reshape(s) for s in ((6, 5, 8), (8,), ()))
    index = rng.integers(-1, 7, 4).astype(np.int32)
    image, kernel = small_numbers(t, (2, 3, 7), rng), small_numbers(t, (4, 3, 3), rng)
    inputs, cases = [x, row, scalar, index, image, kernel], []

    def add(name, operands, constants, attributes, expected, result_type=t):
        expected = np.ascontiguousarray(expected)
        types = [tensor(inputs[i].shape, I32 if i == 3 else t) for i in operands]
        text = with_constants(f"stablehlo.{name}", [f"%{i}" for i in operands], types, constants, tensor(expected.shape, result_type), attributes)
        cases.append(Case(f"stablehlo.{name}", t, text, list(expected.shape), result_type, Equal(expected, payload=True)))

    add("dynamic_broadcast_in_dim", [1], [(3, 8, 5)], f"broadcast_dimensions = {dims(1)}", np.broadcast_to(row[None, :, None], (3, 8, 5)))
    add("dynamic_reshape", [0], [(10, 24)], "", x.reshape(10, 24))
    low, high, interior = (-1, 2, -3), (1, -2, 0), (1, 2, 0)
    add("dynamic_pad", [0, 2], [low, high, interior], "", pad(x, scalar, low, high, interior))
    add("real_dynamic_slice", [0], [(1, 0, 1), (6, 5, 8), (2, 1, 3)], "", x[1:6:2, :, 1:8:3])
    add("get_dimension_size", [0], [], "dimension = 2 : i64", np.array(8, np.int32), I32)
    taken = np.stack([x[np.clip(i, 0, 5)] for i in index])
    numbers = "offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
    add("dynamic_gather", [0, 3], [(1, 5, 8)], f"dimension_numbers = #stablehlo.gather<{numbers}>, indices_are_sorted = false", taken)
    if t.kind != "bool" and not (t.kind == "float" and not t.has_zero):
        expected = np.broadcast_to(np.arange(3).reshape(1, 3, 1), (5, 3, 7)).astype(t.numpy)
        add("dynamic_iota", [], [(5, 3, 7)], "iota_dimension = 1 : i64", expected)
        cases.append(dynamic_convolution(t, image, kernel))
    return Group(f"static operands {t.name}", inputs, cases, jax=False)  # XLA wants them compiled away


def dynamic_convolution(t, image, kernel):
    """Padded by one below and two above."""
    padded = exactly(np.pad(image, [(0, 0), (0, 0), (1, 2)]), t)
    weights = exactly(kernel, t)
    expected = np.zeros((2, 4, 8), padded.dtype)
    for at in np.ndindex(*expected.shape):
        for channel, k in itertools.product(range(3), range(3)):
            expected[at] = expected[at] + padded[at[0], channel, at[2] + k] * weights[at[1], channel, k]
    expected = exact_sums(expected, t)
    padding = f'%r_p = "stablehlo.constant"() {{value = dense<[[1, 2]]> : {tensor((1, 2), I32)}}} : () -> {tensor((1, 2), I32)}'
    text = operation("stablehlo.dynamic_conv", ["%4", "%5", "%r_p"], [tensor(image.shape, t), tensor(kernel.shape, t), tensor((1, 2), I32)],
                     tensor(expected.shape, t), "dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, "
                     "feature_group_count = 1 : i64, batch_group_count = 1 : i64")
    return Case("stablehlo.dynamic_conv", t, f"{padding}\n    {text}", list(expected.shape), t, Equal(expected))


def region(body, t, count):
    """A region on scalars: %ra, %rb, ... and what it returns."""
    scalar = tensor([], t)
    arguments = ", ".join(f"%r{c}: {scalar}" for c in "abcd"[:count])
    return f'({{\n    ^bb0({arguments}):\n      %rbody = {body}\n      "stablehlo.return"(%rbody) : ({scalar}) -> ()\n    }})'


def alone_group(t, size, rng):
    """Collectives of one process, which has number 0; map, composite, optimization_barrier and dot."""
    x, y = random_values(t, 48, rng).reshape(6, 8), random_values(t, 48, rng).reshape(6, 8)
    a, b = small_numbers(t, (5, 7), rng), small_numbers(t, (7, 3), rng)
    inputs, cases = [x, y, a, b], []
    whole, scalar = tensor(x.shape, t), tensor([], t)

    def add(name, text, expected, result_type=t, functions=""):
        cases.append(Case(name, t, text, list(expected.shape), result_type, Equal(expected, payload=True), functions=functions))

    groups = "replica_groups = dense<0> : tensor<1x1xi64>"
    body = "add" if t.kind == "complex" else "maximum"
    combined = f'"stablehlo.{body}"(%ra, %rb) : ({scalar}, {scalar}) -> {scalar}'
    for name, attributes in (("all_gather", f"all_gather_dim = 0 : i64, {groups}"), ("collective_broadcast", groups),
                             ("all_to_all", f"split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, {groups}"),
                             ("collective_permute", "source_target_pairs = dense<0> : tensor<1x2xi64>")):
        add(f"stablehlo.{name}", operation(f"stablehlo.{name}", ["%0"], [whole], whole, attributes), x)
    for name, attributes in (("all_reduce", groups), ("reduce_scatter", f"scatter_dimension = 0 : i64, {groups}")):
        add(f"stablehlo.{name}", f'%r = "stablehlo.{name}"(%0) <{{{attributes}}}> {region(combined, t, 2)} : ({whole}) -> {whole}', x)
    add("stablehlo.cross-replica-sum", operation("stablehlo.cross-replica-sum", ["%0"], [whole], whole, groups), x)
    pair = f"tuple<{whole}, {whole}>"
    made = operation("stablehlo.tuple", ["%0", "%1"], [whole, whole], pair).replace("%r", "%r_t")
    for name in ("tuple", "get_tuple_element"):
        add(f"stablehlo.{name}", f"{made}\n    " + operation("stablehlo.get_tuple_element", ["%r_t"], [pair], whole, "index = 1 : i32"), y)
    for name in ("partition_id", "replica_id"):
        add(f"stablehlo.{name}", f'%r = "stablehlo.{name}"() : () -> tensor<ui32>', np.array(0, np.uint32), TYPES["ui32"])
    add("stablehlo.optimization_barrier", operation("stablehlo.optimization_barrier", ["%0"], [whole], whole), x)
    add("stablehlo.composite", operation("stablehlo.composite", ["%0", "%1"], [whole, whole], whole,
                                         f'name = "test.second", composite_attributes = {{}}, decomposition = @second_{t.bits}, version = 0 : i32'), y,
        functions=f"  func.func private @second_{t.bits}(%a: {whole}, %b: {whole}) -> {whole} {{\n    \"func.return\"(%b) : ({whole}) -> ()\n  }}\n")
    expected = combine(body, x, y, t)
    text = f'%r = "stablehlo.map"(%0, %1) <{{dimensions = {dims(0, 1)}}}> {region(combined, t, 2)} : ({whole}, {whole}) -> {whole}'
    cases.append(Case("stablehlo.map", t, text, list(x.shape), t, Equal(expected)))
    product = exact_sums(exactly(a, t) @ exactly(b, t) if t.kind != "bool" else a.astype(int) @ b.astype(int), t)
    text = operation("stablehlo.dot", ["%2", "%3"], [tensor(a.shape, t), tensor(b.shape, t)], tensor(product.shape, t))
    cases.append(Case("stablehlo.dot", t, text, list(product.shape), t, Equal(product)))
    return Group(f"alone {t.name}", inputs, cases)
