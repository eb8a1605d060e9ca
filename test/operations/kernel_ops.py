#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that are more than arithmetic on elements, in kernels on the SIMT device, against NumPy.

usage: kernel_ops.py [--seed S] [--rounds N] [--only TEXT] [--types T,...] [--ptx ARCH] --compile STITCH_COMPILE --run STITCH_RUN

Reductions to an index, cumulative operations, windows and their gradients, scatter, gather, sort and top_k, each on random shapes,
attributes and data in each element type; with the checks of the SIMT device, and with three orders of threads, whose results must
be the same. Sums are of small whole numbers, which are exact in any order, so that all results must be equal to the expected ones.
"""
import argparse
import concurrent.futures
import math
import os
import random
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_,
          **{f"i{b}": np.dtype(f"i{b // 8}").type for b in (8, 16, 32, 64)},
          **{f"ui{b}": np.dtype(f"u{b // 8}").type for b in (8, 16, 32, 64)}}
KINDS = ["add", "mul", "min", "max", "and", "or", "xor"]


def tensor(array_or_shape, dtype):
    shape = getattr(array_or_shape, "shape", array_or_shape)
    return f"tensor<{''.join(f'{d}x' for d in shape)}{dtype}>"


def dims(values):
    return f"array<i64{':' if len(values) else ''} {', '.join(map(str, values))}>"


def is_float(dtype):
    return "f" in dtype


class Case:
    """One operation: its inputs, the text of its attributes, the expected results."""

    def __init__(self, op, inputs, attributes, expected, region=""):
        self.op, self.inputs, self.attributes, self.expected, self.region = op, inputs, attributes, expected, region

    def text(self):
        arguments = ", ".join(f"%in{i}: {tensor(x, d)}" for i, (x, d) in enumerate(self.inputs))
        names = ", ".join(f"%in{i}" for i in range(len(self.inputs)))
        types = ", ".join(tensor(x, d) for x, d in self.inputs)
        results = ", ".join(tensor(x, d) for x, d in self.expected)
        many = f":{len(self.expected)}" if len(self.expected) > 1 else ""
        outputs = ", ".join(f"%r#{i}" for i in range(len(self.expected))) if many else "%r"
        return (f"module {{\n  func.func @main({arguments}) -> ({results}) {{\n"
                f'    %r{many} = "tg.{self.op}"({names}){self.region} {{{self.attributes}}} : ({types}) -> ({results})\n'
                f"    func.return {outputs} : {results}\n  }}\n}}\n")


# ---------------------------------------------------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------------------------------------------------


def shape_of(rng, rank=None, limit=20000):
    while True:
        shape = [rng.choice([1, 2, 3, 5, 7, 8, 16, 31, 33, 64, 100, 130, 257, 1000]) for _ in range(rank or rng.randint(1, 4))]
        if math.prod(shape) <= limit:
            return shape


def data(rng, shape, dtype, kind=None):
    """Small whole numbers; for products, of which few are larger than one."""
    g = np.random.default_rng(rng.getrandbits(32))
    if dtype == "i1":
        return g.integers(0, 2, shape).astype(bool)
    if kind in ("min", "max", None) and is_float(dtype):
        x = g.normal(0, 3, shape).astype(DTYPES[dtype])
        return np.where(g.random(shape) < 0.2, np.round(x.astype(np.float64)), x).astype(DTYPES[dtype])
    if kind == "mul":
        return np.where(g.random(shape) < 0.02, 2, 1).astype(DTYPES[dtype])
    if is_float(dtype):
        return (g.integers(-1, 2, shape) * (g.random(shape) < 0.1)).astype(DTYPES[dtype])
    return g.integers(-100 if dtype.startswith("i") else 0, 100, shape).astype(DTYPES[dtype])


def kinds_of(dtype):
    return KINDS[:4] if is_float(dtype) else KINDS


def combine(kind, a, b, dtype):
    if dtype == "i1":
        kind = {"add": "or", "mul": "and", "min": "and", "max": "or"}.get(kind, kind)
    function = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
                "or": np.bitwise_or, "xor": np.bitwise_xor}[kind]
    with np.errstate(all="ignore"):
        return function(a, b).astype(DTYPES[dtype])


def identity(kind, dtype):
    if dtype == "i1":
        return np.bool_(kind in ("mul", "min", "and"))
    if kind in ("min", "max"):
        if is_float(dtype):
            return DTYPES[dtype](np.inf if kind == "min" else -np.inf)
        info = np.iinfo(DTYPES[dtype])
        return DTYPES[dtype](info.max if kind == "min" else info.min)
    return np.array({"add": 0, "mul": 1, "or": 0, "xor": 0, "and": -1}[kind]).astype(DTYPES[dtype])


def kind_attribute(name, kind):
    return f"{name} = {KINDS.index(kind)} : i32"


# ---------------------------------------------------------------------------------------------------------------------
# Operations
# ---------------------------------------------------------------------------------------------------------------------


def arg_reduce(rng, dtype):
    shape = shape_of(rng, limit=60000)
    dim, kind = rng.randrange(len(shape)), rng.choice(["min", "max"])
    x = data(rng, shape, dtype)
    if is_float(dtype) and rng.random() < 0.3:
        x = np.where(np.random.default_rng(1).random(shape) < 0.02, np.nan, x).astype(DTYPES[dtype])
    wide = x.astype(np.float64) if is_float(dtype) else x
    index = (np.argmin if kind == "min" else np.argmax)(wide, axis=dim)
    value = np.take_along_axis(x, np.expand_dims(index, dim), dim).squeeze(dim)
    index_type = rng.choice(["i32", "i64", "ui32"])
    return Case("arg_reduce", [(x, dtype)], f"{kind_attribute('kind', kind)}, dim = {dim} : i64",
                [(value, dtype), (index.astype(DTYPES[index_type]), index_type)])


def cumulative(rng, dtype):
    shape = rng.choice([shape_of(rng), [rng.choice([3000, 9001])], [3, rng.choice([5000, 8192])], [rng.choice([700, 3001]), 5]])
    dim, kind = rng.randrange(len(shape)), rng.choice(kinds_of(dtype))
    x = data(rng, shape, dtype, kind)
    reverse, exclusive = rng.random() < 0.4, rng.random() < 0.4
    line = np.moveaxis(x[tuple(slice(None, None, -1) if i == dim and reverse else slice(None) for i in range(x.ndim))], dim, 0)
    result, total = np.empty_like(line), np.full(line.shape[1:], identity(kind, dtype))
    for i in range(line.shape[0]):
        after = combine(kind, total, line[i], dtype)
        result[i] = total if exclusive else after
        total = after
    result = np.moveaxis(result[::-1] if reverse else result, 0, dim)
    attributes = f"{kind_attribute('kind', kind)}, dim = {dim} : i64" + (", reverse" if reverse else "") + (
        ", exclusive" if exclusive else "")
    return Case("cumulative", [(x, dtype)], attributes, [(result, dtype)])


def sort(rng, dtype):
    shape = rng.choice([shape_of(rng), [rng.choice([5000, 9001])], [2, 4500], [4100, 3]])
    dim = rng.randrange(len(shape))
    x, payload_type = data(rng, shape, dtype), rng.choice(["i32", "f32", "i1", "f64", None])
    descending = rng.random() < 0.5
    if dtype != "i1" and rng.random() < 0.3:
        x = data(rng, shape, dtype, "add")  # many ties
    key = x.astype(np.float64) if is_float(dtype) else x.astype(object if dtype == "ui64" else np.int64)
    order = np.argsort(-key if descending else key, axis=dim, kind="stable")
    inputs, pick = [(x, dtype)], lambda a: np.take_along_axis(a, order, dim)
    if payload_type:
        payload = np.arange(x.size).reshape(shape) if payload_type != "i1" else data(rng, shape, "i1")
        inputs.append((payload.astype(DTYPES[payload_type]), payload_type))
    arguments = ", ".join(f"%a{i}: tensor<{d}>, %b{i}: tensor<{d}>" for i, (_, d) in enumerate(inputs))
    direction = 4 if descending else 2
    region = (f' ({{\n    ^bb0({arguments}):\n      %c = "tg.compare"(%a0, %b0) {{direction = {direction} : i32}} : '
              f'(tensor<{dtype}>, tensor<{dtype}>) -> tensor<i1>\n      "tg.yield"(%c) : (tensor<i1>) -> ()\n    }})')
    return Case("sort", inputs, f"dim = {dim} : i64, is_stable", [(pick(a), d) for a, d in inputs], region)


def top_k(rng, dtype):
    shape = rng.choice([shape_of(rng), [3, 5000], [1, 1025], [2, rng.randint(1026, 12000)]])  # long lines are cut into segments
    k = rng.randint(1, min(shape[-1], rng.choice([8, 40, 140])))
    x = data(rng, shape, dtype)
    if is_float(dtype):
        x = x + DTYPES[dtype](0)  # without -0, which the total order has below 0
    key = x.astype(np.float64) if is_float(dtype) else x.astype(object if dtype == "ui64" else np.int64)
    order = np.argsort(-key, axis=-1, kind="stable")[..., :k]
    return Case("top_k", [(x, dtype)], f"k = {k} : i64", [(np.take_along_axis(x, order, -1), dtype), (order.astype(np.int32), "i32")])


def window_positions(shape, result, sizes, strides, base, dilation, low):
    """For every window and element of it: the operand's index, or None in padding."""
    for window in np.ndindex(*result):
        for inside in np.ndindex(*sizes):
            index = []
            for d in range(len(shape)):
                at = window[d] * strides[d] + inside[d] * dilation[d] - low[d]
                if at % base[d] or not 0 <= at // base[d] < shape[d]:
                    index = None
                    break
                index.append(at // base[d])
            yield window, None if index is None else tuple(index)


def random_window(rng, shape, dilated):
    sizes = [rng.randint(1, min(3, d) if len(shape) > 2 else min(5, d)) for d in shape]
    strides = [rng.choice([1, 1, 2, 3]) for _ in shape]
    base = [rng.choice([1, 1, 2]) if dilated else 1 for _ in shape]
    dilation = [rng.choice([1, 1, 2]) if dilated else 1 for _ in shape]
    low = [rng.choice([0, 0, 1, 2, -1 if d > 8 else 0]) for d in shape]
    high = [rng.choice([0, 0, 1, 2]) for _ in shape]
    padded = [(d - 1) * b + 1 + l + h for d, b, l, h in zip(shape, base, low, high)]
    spans = [(s - 1) * w + 1 for s, w in zip(sizes, dilation)]
    result = [(p - s) // t + 1 if p >= s else 0 for p, s, t in zip(padded, spans, strides)]
    return (sizes, strides, base, dilation, low, high, result) if min(result) > 0 else random_window(rng, shape, dilated)


def reduce_window(rng, dtype):
    shape, kind = shape_of(rng, limit=1500), rng.choice(kinds_of(dtype))
    sizes, strides, base, dilation, low, high, result = random_window(rng, shape, True)
    x = data(rng, shape, dtype, kind)
    expected = np.full(result, identity(kind, dtype))
    for window, index in window_positions(shape, result, sizes, strides, base, dilation, low):
        if index is not None:
            expected[window] = combine(kind, expected[window], x[index], dtype)
    names = ["window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding_low", "padding_high"]
    lists = ", ".join(f"{n} = {dims(v)}" for n, v in zip(names, [sizes, strides, base, dilation, low, high]))
    return Case("reduce_window", [(x, dtype)], f"{kind_attribute('kind', kind)}, {lists}", [(expected, dtype)])


def select_and_scatter(rng, dtype):
    shape, select, kind = shape_of(rng, limit=1500), rng.choice(["min", "max"]), rng.choice(kinds_of(dtype))
    sizes, strides, ones, _, low, high, result = random_window(rng, shape, False)
    x, source = data(rng, shape, dtype), data(rng, result, dtype, kind)
    expected, chosen = np.full(shape, identity(kind, dtype)), {}
    for window, index in window_positions(shape, result, sizes, strides, ones, [1] * len(shape), low):
        if index is None:
            continue
        best = chosen.get(window)
        if best is None or not (x[best] >= x[index] if select == "max" else x[best] <= x[index]):
            chosen[window] = index
    for window, index in chosen.items():
        expected[index] = combine(kind, expected[index], source[window], dtype)
    names = ["window_dimensions", "window_strides", "padding_low", "padding_high"]
    lists = ", ".join(f"{n} = {dims(v)}" for n, v in zip(names, [sizes, strides, low, high]))
    attributes = f"{kind_attribute('select_kind', select)}, {kind_attribute('scatter_kind', kind)}, {lists}"
    return Case("select_and_scatter", [(x, dtype), (source, dtype)], attributes, [(expected, dtype)])


def indexed_numbers(rng, shape):
    """Dimension numbers for gather and scatter into `shape`: what each dimension is, and the indices' shape."""
    rank = len(shape)
    roles = [rng.choice(["window", "window", "inserted", "batching"]) for _ in range(rank)]
    if roles.count("batching") > 1:  # one is enough
        first = roles.index("batching")
        roles = [r if r != "batching" or i == first else "window" for i, r in enumerate(roles)]
    mapped = [d for d in range(rank) if roles[d] != "batching" and (roles[d] == "inserted" or rng.random() < 0.6)]
    if not mapped:  # would need indices without elements
        return indexed_numbers(rng, shape)
    rng.shuffle(mapped)
    batch_shape = [rng.choice([1, 2, 3, 5, 17]) for _ in range(rng.randint(0, 2))]
    batching = [d for d in range(rank) if roles[d] == "batching"]
    batch_dims = []
    for d in batching:
        position = rng.randint(0, len(batch_shape))
        batch_shape.insert(position, shape[d])
        batch_dims.append(position)
    vector_dim = rng.randint(0, len(batch_shape)) if len(mapped) != 1 or rng.random() < 0.5 else len(batch_shape)
    indices_shape = list(batch_shape)
    if len(mapped) != 1 or vector_dim < len(batch_shape) or rng.random() < 0.5:
        indices_shape.insert(vector_dim, len(mapped))
    start_batching = [p if p < vector_dim or len(indices_shape) == len(batch_shape) else p + 1 for p in batch_dims]
    windows = {d: rng.choice([1, shape[d], rng.randint(1, shape[d])]) for d in range(rank) if roles[d] == "window"}
    return roles, mapped, batch_shape, batch_dims, start_batching, vector_dim, indices_shape, windows


def random_indices(rng, indices_shape, limits, dtype):
    g = np.random.default_rng(rng.getrandbits(32))
    top = min(limits, int(np.iinfo(DTYPES[dtype]).max))
    x = g.integers(0, max(top, 1), indices_shape)
    outside = g.integers(-3, top + 3, indices_shape).clip(np.iinfo(DTYPES[dtype]).min, np.iinfo(DTYPES[dtype]).max)
    return np.where(g.random(indices_shape) < 0.15, outside, x).astype(DTYPES[dtype])


def start_of(indices, batch, vector_dim, rank, mapped, batch_shape):
    if len(indices.shape) == len(batch_shape):
        return {mapped[0]: int(indices[batch])} if mapped else {}
    return {d: int(indices[batch[:vector_dim] + (k,) + batch[vector_dim:]]) for k, d in enumerate(mapped)}


def layout(rng, batch_shape, windows):
    """Interleaves batch and window dimensions: the shape, and which of its dimensions are window ones."""
    total = len(batch_shape) + len(windows)
    window_dims = sorted(rng.sample(range(total), len(windows)))
    sizes, batches = [windows[d] for d in sorted(windows)], list(batch_shape)
    shape = [sizes.pop(0) if i in window_dims else batches.pop(0) for i in range(total)]
    return shape, window_dims


def split_index(index, window_dims):
    return (tuple(v for i, v in enumerate(index) if i not in window_dims), [v for i, v in enumerate(index) if i in window_dims])


def scatter(rng, dtype):
    while True:
        shape = shape_of(rng, limit=4000)
        roles, mapped, batch_shape, batch_dims, start_batching, vector_dim, indices_shape, windows = indexed_numbers(rng, shape)
        updates_shape, window_dims = layout(rng, batch_shape, windows)
        if math.prod(updates_shape) <= 3000 or (rng.random() < 0.1 and math.prod(updates_shape) < 12000):
            break
    kind = rng.choice(kinds_of(dtype) + ["replace"])
    index_type = rng.choice(["i32", "i64", "i8", "ui16"])
    x, updates = data(rng, shape, dtype, kind), data(rng, updates_shape, dtype, kind)
    indices = random_indices(rng, indices_shape, max([shape[d] for d in mapped] or [1]), index_type)
    expected = x.copy()
    for index in np.ndindex(*updates_shape):
        batch, inside = split_index(index, window_dims)
        start = start_of(indices, batch, vector_dim, len(shape), mapped, batch_shape)
        at = [start.get(d, 0) for d in range(len(shape))]
        for d, p in zip([d for d in range(len(shape)) if roles[d] == "batching"], batch_dims):
            at[d] = batch[p]
        for d, offset in zip(sorted(windows), inside):
            at[d] += offset
        if all(0 <= a < s for a, s in zip(at, shape)):
            at = tuple(at)
            expected[at] = updates[index] if kind == "replace" else combine(kind, expected[at], updates[index], dtype)
    lists = ", ".join(f"{n} = {dims(v)}" for n, v in [
        ("update_window_dims", window_dims), ("inserted_window_dims", [d for d in range(len(shape)) if roles[d] == "inserted"]),
        ("input_batching_dims", [d for d in range(len(shape)) if roles[d] == "batching"]),
        ("scatter_indices_batching_dims", start_batching), ("scatter_dims_to_operand_dims", mapped)])
    number = 7 if kind == "replace" else KINDS.index(kind)
    return Case("scatter", [(x, dtype), (indices, index_type), (updates, dtype)],
                f"kind = {number} : i32, {lists}, index_vector_dim = {vector_dim} : i64", [(expected, dtype)])


def gather(rng, dtype):
    while True:
        shape = shape_of(rng, limit=4000)
        roles, mapped, batch_shape, batch_dims, start_batching, vector_dim, indices_shape, windows = indexed_numbers(rng, shape)
        result_shape, offset_dims = layout(rng, batch_shape, windows)
        if math.prod(result_shape) <= 6000:
            break
    index_type = rng.choice(["i32", "i64", "i8", "ui16"])
    x = data(rng, shape, dtype)
    indices = random_indices(rng, indices_shape, max([shape[d] for d in mapped] or [1]), index_type)
    sizes = [windows.get(d, 1) for d in range(len(shape))]
    result = np.empty(result_shape, x.dtype)
    for index in np.ndindex(*result_shape):
        batch, inside = split_index(index, offset_dims)
        start = start_of(indices, batch, vector_dim, len(shape), mapped, batch_shape)
        at = [min(max(start.get(d, 0), 0), shape[d] - sizes[d]) for d in range(len(shape))]
        for d, p in zip([d for d in range(len(shape)) if roles[d] == "batching"], batch_dims):
            at[d] = batch[p]
        for d, offset in zip(sorted(windows), inside):
            at[d] += offset
        result[index] = x[tuple(at)]
    lists = ", ".join(f"{n} = {dims(v)}" for n, v in [
        ("offset_dims", offset_dims), ("collapsed_slice_dims", [d for d in range(len(shape)) if roles[d] == "inserted"]),
        ("operand_batching_dims", [d for d in range(len(shape)) if roles[d] == "batching"]),
        ("start_indices_batching_dims", start_batching), ("start_index_map", mapped), ("slice_sizes", sizes)])
    return Case("gather", [(x, dtype), (indices, index_type)], f"{lists}, index_vector_dim = {vector_dim} : i64", [(result, dtype)])


# ---------------------------------------------------------------------------------------------------------------------
# Bodies: the larger of the first elements and the sum of the second ones
# ---------------------------------------------------------------------------------------------------------------------


def two_inputs(rng, dtype, shape):
    second = rng.choice(["i32", "f32", "i8", "f64"])
    inputs = [(data(rng, shape, dtype), dtype), (data(rng, shape, second, "add"), second)]
    inits = [(identity("max", dtype), dtype), (identity("add", second), second)]
    return inputs, [(np.array(v), d) for v, d in inits]


def body_text(types):
    a, b = types
    return (f" ({{\n    ^bb0(%c: tensor<{a}>, %d: tensor<{b}>, %e: tensor<{a}>, %f: tensor<{b}>):\n"
            f'      %m = "tg.max"(%c, %e) : (tensor<{a}>, tensor<{a}>) -> tensor<{a}>\n'
            f'      %k = "tg.constant"() {{value = dense<0> : tensor<i32>}} : () -> tensor<i32>\n'
            f'      %z = "tg.convert"(%k) : (tensor<i32>) -> tensor<{b}>\n'
            f'      %s = "tg.add"(%d, %f) : (tensor<{b}>, tensor<{b}>) -> tensor<{b}>\n'
            f'      %t = "tg.add"(%s, %z) : (tensor<{b}>, tensor<{b}>) -> tensor<{b}>\n'
            f'      "tg.yield"(%m, %t) : (tensor<{a}>, tensor<{b}>) -> ()\n    }})')


def general_reduce(rng, dtype):
    shape = rng.choice([shape_of(rng, limit=60000), [3, 9001], [9001], [700, 33]])
    axes = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
    inputs, inits = two_inputs(rng, dtype, shape)
    (x, a), (y, b) = inputs
    with np.errstate(all="ignore"):
        largest = np.max(x.astype(np.float64) if is_float(a) else x, axis=tuple(axes)).astype(DTYPES[a])
        total = np.sum(y.astype(np.float64) if is_float(b) else y, axis=tuple(axes), dtype=np.float64 if is_float(b) else DTYPES[b])
    return Case("general_reduce", inputs + inits, f"dims = {dims(axes)}", [(np.asarray(largest), a), (np.asarray(total.astype(DTYPES[b])), b)],
                body_text((a, b)))


def cumulative_body(dtype):
    """Associative, but not commutative: the last element that is not 0, and affine functions behind each other."""
    t, i, p = f"tensor<{dtype}>", "tensor<i32>", "tensor<i1>"
    return (f" ({{\n    ^bb0(%x: {t}, %a: {i}, %b: {i}, %y: {t}, %c: {i}, %d: {i}):\n"
            f'      %k = "tg.constant"() {{value = dense<false> : {p}}} : () -> {p}\n'
            f'      %z = "tg.convert"(%k) : ({p}) -> {t}\n'
            f'      %is = "tg.compare"(%y, %z) {{direction = 1 : i32}} : ({t}, {t}) -> {p}\n'
            f'      %last = "tg.select"(%is, %y, %x) : ({p}, {t}, {t}) -> {t}\n'
            f'      %ac = "tg.mul"(%a, %c) : ({i}, {i}) -> {i}\n'
            f'      %bc = "tg.mul"(%b, %c) : ({i}, {i}) -> {i}\n'
            f'      %bd = "tg.add"(%bc, %d) : ({i}, {i}) -> {i}\n'
            f'      "tg.yield"(%last, %ac, %bd) : ({t}, {i}, {i}) -> ()\n    }})')


def general_cumulative(rng, dtype):
    shape = rng.choice([shape_of(rng), [rng.choice([3000, 9001, 40000])], [3, rng.choice([5000, 8192])], [rng.choice([700, 3001]), 5]])
    dim = rng.randrange(len(shape))
    reverse, has_inits = rng.random() < 0.4, rng.random() < 0.5
    exclusive = has_inits and rng.random() < 0.5
    g = np.random.default_rng(rng.getrandbits(32))
    x = np.where(g.random(shape) < 0.3, data(rng, shape, dtype), DTYPES[dtype](0)).astype(DTYPES[dtype])
    inputs = [(x, dtype)] + [(g.integers(-3, 4, shape).astype(np.int32), "i32") for _ in range(2)]
    inits = [(data(rng, [], dtype), dtype)] + [(np.array(g.integers(-3, 4), np.int32), "i32") for _ in range(2)]
    lines = [np.moveaxis(np.flip(v, dim) if reverse else v, dim, 0) for v, _ in inputs]
    so_far, expected = [np.full(lines[0].shape[1:], v) for v, _ in inits] if has_inits else None, [np.empty_like(v) for v in lines]
    for i in range(lines[0].shape[0]):
        y, c, d = (v[i] for v in lines)
        if so_far is None:
            after = [y, c, d]
        else:
            with np.errstate(all="ignore"):
                after = [np.where(y != 0, y, so_far[0]), so_far[1] * c, so_far[2] * c + d]
        for result, value in zip(expected, so_far if exclusive else after):
            result[i] = value
        so_far = after
    expected = [np.moveaxis(np.flip(v, 0) if reverse else v, 0, dim) for v in expected]
    sizes = f"operandSegmentSizes = array<i32: 3, {3 if has_inits else 0}>"
    attributes = f"{sizes}, dim = {dim} : i64" + (", reverse" if reverse else "") + (", exclusive" if exclusive else "")
    results = [(v, d) for v, (_, d) in zip(expected, inputs)][:rng.randint(1, 3)]
    return Case("general_cumulative", inputs + (inits if has_inits else []), attributes, results, cumulative_body(dtype))


def general_reduce_window(rng, dtype):
    shape = shape_of(rng, limit=1500)
    sizes, strides, base, dilation, low, high, result = random_window(rng, shape, True)
    inputs, inits = two_inputs(rng, dtype, shape)
    expected = [np.full(result, i[()]) for i, _ in inits]
    for window, index in window_positions(shape, result, sizes, strides, base, dilation, low):
        if index is not None:
            expected[0][window] = combine("max", expected[0][window], inputs[0][0][index], dtype)
            expected[1][window] = combine("add", expected[1][window], inputs[1][0][index], inputs[1][1])
    names = ["window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding_low", "padding_high"]
    lists = ", ".join(f"{n} = {dims(v)}" for n, v in zip(names, [sizes, strides, base, dilation, low, high]))
    types = [d for _, d in inputs]
    return Case("general_reduce_window", inputs + inits, lists, list(zip(expected, types)), body_text(types))


def general_scatter(rng, dtype):
    count, rows, width = rng.choice([5, 40, 900]), rng.choice([1, 7, 300]), rng.choice([1, 3, 17])
    indices = random_indices(rng, [count], rows, "i32")
    inputs, _ = two_inputs(rng, dtype, [rows, width])
    updates = [(data(rng, [count, width], d, None if i == 0 else "add"), d) for i, (_, d) in enumerate(inputs)]
    expected = [x.copy() for x, _ in inputs]
    for u in range(count):
        if 0 <= indices[u] < rows:
            expected[0][indices[u]] = combine("max", expected[0][indices[u]], updates[0][0][u], dtype)
            expected[1][indices[u]] = combine("add", expected[1][indices[u]], updates[1][0][u], inputs[1][1])
    types = [d for _, d in inputs]
    attributes = ("update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, "
                  "scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64")
    return Case("general_scatter", inputs + [(indices, "i32")] + updates, attributes, list(zip(expected, types)), body_text(types))


def general_select_and_scatter(rng, dtype):
    case = select_and_scatter(rng, dtype)
    if "select_kind = 3 : i32" not in case.attributes or "scatter_kind = 0 : i32" not in case.attributes:
        return general_select_and_scatter(rng, dtype)
    scalar = f"tensor<{dtype}>"
    region = (f' ({{\n    ^bb0(%a: {scalar}, %b: {scalar}):\n      %c = "tg.compare"(%a, %b) {{direction = 5 : i32}} : '
              f'({scalar}, {scalar}) -> tensor<i1>\n      "tg.yield"(%c) : (tensor<i1>) -> ()\n    }}, {{\n'
              f'    ^bb0(%a: {scalar}, %b: {scalar}):\n      %c = "tg.add"(%a, %b) : ({scalar}, {scalar}) -> {scalar}\n'
              f'      "tg.yield"(%c) : ({scalar}) -> ()\n    }})')
    lists = case.attributes.split("i32, ")[-1]
    return Case("general_select_and_scatter", case.inputs + [(np.array(identity("add", dtype)), dtype)], lists, case.expected, region)


OPERATIONS = [arg_reduce, cumulative, general_cumulative, sort, top_k, reduce_window, select_and_scatter, scatter, gather, general_reduce,
              general_reduce_window, general_scatter, general_select_and_scatter]

# ---------------------------------------------------------------------------------------------------------------------
# Running
# ---------------------------------------------------------------------------------------------------------------------


def save(path, array):
    np.save(path, np.array(array.view("V2") if array.dtype == ml_dtypes.bfloat16 else array, order="C"))


def load(path, dtype):
    array = np.load(path)
    return array.view(DTYPES[dtype]) if array.dtype != DTYPES[dtype] else array


def same(actual, expected):
    if actual.dtype.kind not in "biu":
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
        return np.array_equal(actual, expected, equal_nan=True)
    return np.array_equal(actual, expected)


def program(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    return done.stderr.strip() or f"exit status {done.returncode}" if done.returncode else ""


def run_case(options, case, folder):
    """What is wrong; "" if nothing is."""
    source, model = os.path.join(folder, "op.mlir"), os.path.join(folder, "op.so")
    with open(source, "w") as file:
        file.write(case.text())
    target = "simt" + (f",{options.ptx}" if options.ptx else "")
    problem = program(options.compile, source, "-o", model, f"--target={target}", "--no-reference", "--checks")
    inputs = []
    for i, (x, _) in enumerate(case.inputs):
        save(os.path.join(folder, f"in_{i}.npy"), x)
        inputs += ["--input", f"{i}:" + os.path.join(folder, f"in_{i}.npy")]
    for order in (0, 1, 2):
        out = os.path.join(folder, f"out_{order}")
        problem = problem or program(options.run, model, "--device=simt", f"--thread-order={order}", "--output", out, *inputs)
        for i, (expected, dtype) in enumerate(case.expected):
            if problem:
                return problem
            actual = load(os.path.join(out, f"output_{i}.npy"), dtype).reshape(expected.shape)
            if not same(actual, expected):
                wrong = np.argwhere(~((actual == expected) | ((actual != actual) & (expected != expected))))
                at = tuple(wrong[0]) if len(wrong) else ()
                return f"output {i}, {len(wrong)} of {expected.size} wrong: {actual[at]!r} for {expected[at]!r} at {at}"
    return ""


def check(options, number):
    rng = random.Random(f"{options.seed}/{number}")
    choices = [f for f in OPERATIONS if options.only in f.__name__]
    types = options.types.split(",") if options.types else list(DTYPES)
    function, dtype = choices[number % len(choices)], types[number // len(choices) % len(types)]
    case = function(rng, dtype)
    with tempfile.TemporaryDirectory() as folder:
        return function.__name__, dtype, case, run_case(options, case, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=1, help="cases for each operation and type")
    parser.add_argument("--only", default="")
    parser.add_argument("--types", default="")
    parser.add_argument("--ptx", default="", help="an architecture for which kernels are compiled, too")
    parser.add_argument("--compile", required=True)
    parser.add_argument("--run", required=True)
    options = parser.parse_args()
    count = options.rounds * len([f for f in OPERATIONS if options.only in f.__name__]) * (
        len(options.types.split(",")) if options.types else len(DTYPES))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        numbers = range(options.first, options.first + count)
        for number, (name, dtype, case, problem) in zip(numbers, pool.map(lambda n: check(options, n), numbers)):
            if problem:
                failed += 1
                print(f"case {number}, {name} of {dtype}: {problem}\n{case.text()}")
    print(f"{count - failed} of {count} cases agree with NumPy")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
