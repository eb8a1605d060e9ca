# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products, convolutions, batch normalisation."""
import itertools
import math

import numpy as np

from op_tests.cases import Case, Equal, Group, Ulps, dims
from op_tests.elementwise import wrap
from op_tests.reductions import term_rounding
from op_tests.regions import small_numbers
from op_tests.types import rounded, tensor, TYPES, wide


def exact_sums(value, t):
    """Sums of products of small whole numbers: exact in every type here, integers modulo their width."""
    if t.kind == "bool":
        return value != 0
    return rounded(value, t) if t.kind in ("float", "complex") else wrap(value, t)


def exactly(x, t):
    return wide(x) if t.kind in ("float", "complex") else x.astype(object)


# ---------------------------------------------------------------------------------------------------------------------
# dot_general
# ---------------------------------------------------------------------------------------------------------------------


def dot_text(lhs, rhs, numbers, shapes, result, t):
    types = f"{tensor(shapes[0], t)}, {tensor(shapes[1], t)}"
    return (f'%r = "stablehlo.dot_general"({lhs}, {rhs}) {{dot_dimension_numbers = #stablehlo.dot<{numbers}>}} : '
            f"({types}) -> {tensor(result, t)}")


def dot_group(t, size, rng):
    a, b = small_numbers(t, (3, 7, 5), rng), small_numbers(t, (5, 3, 4), rng)
    inputs, cases = [a, b], []
    batched = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]"
    outer = "lhs_contracting_dimensions = [2, 0], rhs_contracting_dimensions = [0, 1]"
    for numbers, formula in ((batched, "bik,kbj->bij"), (outer, "bik,kbj->ij")):
        x, y = (exactly(v, t) if t.kind != "bool" else v.astype(int) for v in (a, b))
        expected = np.asarray(exact_sums(contracted(formula, x, y), t))
        cases.append(Case("stablehlo.dot_general", t, dot_text("%0", "%1", numbers, (a.shape, b.shape), expected.shape, t),
                          list(expected.shape), t, Equal(expected)))
    if t.kind == "float":
        x, y = rng.normal(0, 1, (6, 33)).astype(t.numpy), rng.normal(0, 1, (33, 5)).astype(t.numpy)
        inputs += [x, y]
        exact, scale = wide(x) @ wide(y), np.abs(wide(x)) @ np.abs(wide(y))
        text = dot_text("%2", "%3", "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]", (x.shape, y.shape), (6, 5), t)
        # n products and n - 1 sums, rounded in the accumulator, which for dots of f32 is f32.
        cases.append(Case("stablehlo.dot_general, rounded", t, text, [6, 5], t, Ulps(exact, t, 0.5 + 33 * term_rounding(t), scale=scale)))
    return Group(f"dot {t.name}", inputs, cases)


def contracted(formula, x, y):
    left, result = formula.split("->")
    first, second = left.split(",")
    sizes = dict(zip(first, x.shape)) | dict(zip(second, y.shape))
    summed = [c for c in sizes if c not in result]
    total = np.zeros([sizes[c] for c in result], x.dtype if x.dtype != bool else int)
    for at in itertools.product(*(range(sizes[c]) for c in result)):
        place = dict(zip(result, at))
        for inner in itertools.product(*(range(sizes[c]) for c in summed)):
            where = place | dict(zip(summed, inner))
            total[at] = total[at] + x[tuple(where[c] for c in first)] * y[tuple(where[c] for c in second)]
    return total


# ---------------------------------------------------------------------------------------------------------------------
# ragged_dot
# ---------------------------------------------------------------------------------------------------------------------


class RaggedDot:
    """Dimensions have letters: b batch, k and z contracted, m, x and y of the lhs, n of the rhs, g groups. `ragged` is one of the
    lhs's, `prefix` are those by which the group sizes differ."""

    def __init__(self, lhs, rhs, result, contracted, ragged, prefix="", batch="b"):
        self.lhs, self.rhs, self.result, self.ragged, self.prefix = lhs, rhs, result, ragged, prefix
        self.contracted, self.batch = contracted, batch if batch in lhs else ""

    def text(self, operands, shapes, result, t):
        dims_of = lambda names, letters: f"[{', '.join(str(names.index(c)) for c in letters)}]"
        group = dims_of(self.rhs, "g") if "g" in self.rhs else "[]"
        numbers = (f"lhs_batching_dimensions = {dims_of(self.lhs, self.batch)}, rhs_batching_dimensions = {dims_of(self.rhs, self.batch)}, "
                   f"lhs_contracting_dimensions = {dims_of(self.lhs, self.contracted)}, "
                   f"rhs_contracting_dimensions = {dims_of(self.rhs, self.contracted)}, "
                   f"lhs_ragged_dimensions = {dims_of(self.lhs, self.ragged)}, rhs_group_dimensions = {group}")
        types = f"{tensor(shapes[0], t)}, {tensor(shapes[1], t)}, {tensor(shapes[2], TYPES['i32'])}"
        return (f'%r = "chlo.ragged_dot"({operands}) {{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>, '
                f"precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]}} : ({types}) -> {tensor(result, t)}")

    def compute(self, x, y, sizes):
        """The lhs once for each group, zero outside of it, and a dot over that."""
        if self.ragged == "b":
            return contracted(f"{self.lhs},{self.rhs}->{self.result}", x, y)
        groups = sizes.shape[-1]
        each = np.zeros((groups, *x.shape), x.dtype)
        for at in np.ndindex(*x.shape):
            of = tuple(at[self.lhs.index(c)] for c in self.prefix)
            ends = np.cumsum(np.maximum(sizes[of], 0))
            group = int(np.searchsorted(ends, at[self.lhs.index(self.ragged)], side="right"))
            if group < groups:
                each[(group, *at)] = x[at]
        return contracted(f"g{self.lhs},{self.rhs}->{self.result}", each, y)


RAGGED_SIZES = {"b": 2, "k": 7, "z": 2, "m": 9, "x": 2, "y": 3, "n": 4, "g": 3}
RAGGED_DOTS = [
    (" of rows", RaggedDot("mk", "gkn", "mn", "k", "m"), [[4, 0, 3]]),  # and two rows of no group
    (" of rows", RaggedDot("mk", "kgn", "mn", "k", "m"), [[-2, 9, 5]]),
    (" of rows", RaggedDot("bmk", "gbkn", "bmn", "k", "m"), [[1, 2, 6]]),
    (" of rows", RaggedDot("kbxmyz", "nbzgk", "bxmyn", "zk", "m", "bx"), [[1, 2, 3], [0, 0, 9], [9, 0, 0], [3, 3, 3]]),
    (" contracted", RaggedDot("mk", "kn", "gmn", "k", "k"), [[3, 0, 2]]),
    (" contracted", RaggedDot("bmk", "bkn", "gbmn", "k", "k"), [[0, 6, 1]]),
    (" contracted", RaggedDot("zmbxk", "bxknz", "gbmn", "xkz", "k", "bx"), [[2, 2, 2], [7, 0, 0], [0, 0, 0], [1, 6, 0]]),
    (" of batches", RaggedDot("bmk", "bkn", "bmn", "k", "b"), [[1, 0, 1]]),
]


def ragged_dot_group(t, size, rng):
    inputs, cases = [], []
    shape_of = lambda names: tuple(RAGGED_SIZES[c] for c in names)
    for suffix, dot, sizes in RAGGED_DOTS:
        sizes = np.array(sizes, np.int32).reshape(*shape_of(dot.prefix), 3)
        x, y = small_numbers(t, shape_of(dot.lhs), rng), small_numbers(t, shape_of(dot.rhs), rng)
        expected = exact_sums(dot.compute(*(exactly(v, t) if t.kind != "bool" else v.astype(int) for v in (x, y)), sizes), t)
        if t.kind == "float" and dot.ragged != "b" and not dot.prefix:  # what is in no group does not matter
            behind = int(np.sum(np.maximum(sizes, 0)))
            x[tuple(slice(behind, None) if c == dot.ragged else slice(None) for c in dot.lhs)] = np.nan
        operands = ", ".join(f"%{len(inputs) + i}" for i in range(3))
        inputs += [x, y, sizes]
        text = dot.text(operands, (x.shape, y.shape, sizes.shape), expected.shape, t)
        cases.append(Case("chlo.ragged_dot" + suffix, t, text, list(expected.shape), t, Equal(expected)))
    return Group(f"ragged dot {t.name}", inputs, cases, jax=False)  # XLA for the CPU has no ragged-dot


# ---------------------------------------------------------------------------------------------------------------------
# convolution
# ---------------------------------------------------------------------------------------------------------------------


class Convolution:
    def __init__(self, lhs, rhs, names=("bf01", "oi01", "bf01"), strides=None, low=None, high=None, lhs_dilation=None, rhs_dilation=None,
                 reverse=None, features=1, batches=1):
        self.rank = len(names[0]) - 2
        one, none = (1,) * self.rank, (0,) * self.rank
        self.lhs, self.rhs, self.names, self.features, self.batches = lhs, rhs, names, features, batches
        self.strides, self.low, self.high = strides or one, low or none, high or none
        self.lhs_dilation, self.rhs_dilation = lhs_dilation or one, rhs_dilation or one
        self.reverse = reverse or (False,) * self.rank

    def roles(self, shape, names):
        return {c: shape[i] for i, c in enumerate(names)}

    def result(self):
        lhs, rhs = self.roles(self.lhs, self.names[0]), self.roles(self.rhs, self.names[1])
        sizes = {"b": lhs["b"] // self.batches, "f": rhs["o"]}
        for d in range(self.rank):
            room = (lhs[str(d)] - 1) * self.lhs_dilation[d] + 1 + self.low[d] + self.high[d]
            sizes[str(d)] = (room - (rhs[str(d)] - 1) * self.rhs_dilation[d] - 1) // self.strides[d] + 1
        return [sizes[c] for c in self.names[2]]

    def compute(self, x, y):
        result = np.zeros(self.result(), x.dtype)
        lhs, rhs = self.roles(self.lhs, self.names[0]), self.roles(self.rhs, self.names[1])
        for at in np.ndindex(*result.shape):
            out = dict(zip(self.names[2], at))
            feature_group = out["f"] // (rhs["o"] // self.features)
            batch_group = out["f"] // (rhs["o"] // self.batches)
            for inner in itertools.product(range(rhs["i"]), *(range(rhs[str(d)]) for d in range(self.rank))):
                place = {"b": batch_group * (lhs["b"] // self.batches) + out["b"], "f": feature_group * rhs["i"] + inner[0]}
                kernel = {"i": inner[0], "o": out["f"]}
                for d in range(self.rank):
                    p = out[str(d)] * self.strides[d] + inner[1 + d] * self.rhs_dilation[d] - self.low[d]
                    place[str(d)] = p // self.lhs_dilation[d] if p >= 0 and p % self.lhs_dilation[d] == 0 else -1
                    kernel[str(d)] = rhs[str(d)] - 1 - inner[1 + d] if self.reverse[d] else inner[1 + d]
                inside = all(0 <= place[str(d)] < lhs[str(d)] for d in range(self.rank))
                element = x[tuple(place[c] for c in self.names[0])] if inside else x.dtype.type(0)
                result[at] = result[at] + element * y[tuple(kernel[c] for c in self.names[1])]
        return result

    def text(self, operands, t):
        listed = ["[" + ", ".join(n) + "]" for n in self.names]
        padding = ", ".join(f"[{a}, {b}]" for a, b in zip(self.low, self.high))
        reverse = ", ".join("true" if r else "false" for r in self.reverse)
        return (f'%r = "stablehlo.convolution"({operands}) {{dimension_numbers = #stablehlo.conv<{listed[0]}x{listed[1]}->{listed[2]}>, '
                f"window_strides = {dims(*self.strides)}, padding = dense<[{padding}]> : tensor<{self.rank}x2xi64>, "
                f"lhs_dilation = {dims(*self.lhs_dilation)}, rhs_dilation = {dims(*self.rhs_dilation)}, "
                f"window_reversal = array<i1: {reverse}>, feature_group_count = {self.features} : i64, "
                f"batch_group_count = {self.batches} : i64}} : ({tensor(self.lhs, t)}, {tensor(self.rhs, t)}) -> {tensor(self.result(), t)}")


CONVOLUTIONS = [
    Convolution((2, 3, 6, 5), (4, 3, 3, 2)),
    Convolution((2, 6, 5, 3), (3, 2, 3, 4), ("b01f", "01io", "b01f"), strides=(2, 1), low=(1, 1), high=(0, 2)),
    Convolution((1, 4, 5), (6, 2, 2), ("bf0", "oi0", "fb0"), low=(2,), high=(-1,), lhs_dilation=(2,), rhs_dilation=(2,), reverse=(True,),
                features=2),
    Convolution((4, 3, 5), (6, 3, 2), ("bf0", "oi0", "bf0"), batches=2),
    Convolution((2, 2, 3, 3, 3), (3, 2, 2, 2, 2), ("bf012", "oi012", "b012f")),
]


def convolution_group(t, size, rng):
    inputs, cases = [], []
    for c in CONVOLUTIONS:
        image, kernel = small_numbers(t, c.lhs, rng), small_numbers(t, c.rhs, rng)
        expected = exact_sums(c.compute(exactly(image, t), exactly(kernel, t)), t)
        first = len(inputs)
        inputs += [image, kernel]
        cases.append(Case("stablehlo.convolution", t, c.text(f"%{first}, %{first + 1}", t), c.result(), t, Equal(expected)))
        if t.kind == "float":
            x, y = rng.normal(0, 1, c.lhs).astype(t.numpy), rng.normal(0, 1, c.rhs).astype(t.numpy)
            operands = f"%{len(inputs)}, %{len(inputs) + 1}"
            inputs += [x, y]
            terms = math.prod(c.rhs) // c.roles(c.rhs, c.names[1])["o"]
            scale = c.compute(np.abs(wide(x)), np.abs(wide(y)))
            cases.append(Case("stablehlo.convolution, rounded", t, c.text(operands, t), c.result(), t,
                              Ulps(c.compute(wide(x), wide(y)), t, 0.5 + terms * term_rounding(t), scale=scale)))
        if t.kind == "float" and t.has_infinity:
            infinite = np.where(rng.random(c.rhs) < 0.1, np.inf, small_numbers(t, c.rhs, rng).astype(np.float64)).astype(t.numpy)
            with np.errstate(invalid="ignore"):
                expected = exact_sums(c.compute(exactly(image, t), exactly(infinite, t)), t)
            cases.append(Case("stablehlo.convolution", t, c.text(f"%{first}, %{len(inputs)}", t), c.result(), t, Equal(expected)))
            inputs.append(infinite)
    return Group(f"convolution {t.name}", inputs, cases)


# ---------------------------------------------------------------------------------------------------------------------
# Batch normalisation
# ---------------------------------------------------------------------------------------------------------------------


def batch_norm_group(t, size, rng):
    """Errors in units of the last place of a result of size one or of the exact value, whichever is larger: n = 12 elements for each
    feature, each mean within n roundings, and some ten operations on values of size one."""
    shape, epsilon = (3, 5, 4), 0.0009765625
    x, g = rng.normal(0.5, 1, shape).astype(t.numpy), rng.normal(0, 1, shape).astype(t.numpy)
    scale, offset, mean = (rng.uniform(0.5, 1, 5).astype(t.numpy) for _ in range(3))
    variance = rng.uniform(1, 2, 5).astype(t.numpy)
    inputs, cases = [x, g, scale, offset, mean, variance], []
    whole, feature = tensor(shape, t), tensor((5,), t)
    X, G, S, O, M, V = (wide(v) for v in inputs)
    S, O, M, V = (v[None, :, None] for v in (S, O, M, V))
    axes, attributes = (0, 2), f"epsilon = {epsilon} : f32, feature_index = 1 : i64"

    def add(name, operands, exact, results, bound):
        types = ", ".join(whole if i < 2 else feature for i in operands)
        listed = ", ".join(f"%{i}" for i in operands)
        made = ", ".join(whole if e.ndim == 3 else feature for e in exact)
        for k, value in enumerate(exact):
            text = f'%r{":" + str(results) if results > 1 else ""} = "{name}"({listed}) {{{attributes}}} : ({types}) -> ({made})'
            check = Ulps(value, t, bound, scale=np.maximum(np.abs(value), 1))
            cases.append(Case(name, t, text, list(value.shape), t, check, f"%r#{k}" if results > 1 else "%r"))

    average, n = X.mean(axes), 12
    centered = X - average[None, :, None]
    spread = (centered**2).mean(axes)
    output = centered / np.sqrt(spread + epsilon)[None, :, None] * S + O
    add("stablehlo.batch_norm_training", (0, 2, 3), (output, average, spread), 3, 60.0)
    add("stablehlo.batch_norm_inference", (0, 2, 3, 4, 5), ((X - M) / np.sqrt(V + epsilon) * S + O,), 1, 30.0)
    deviation = np.sqrt(V + epsilon)
    centered = X - M
    product = (G * centered).sum(axes)[None, :, None]
    grad = S / deviation * (G - (G.sum(axes)[None, :, None] + centered * product / deviation**2) / n)
    add("stablehlo.batch_norm_grad", (0, 2, 4, 5, 1), (grad, (product / deviation)[0, :, 0], G.sum(axes)), 3, 120.0)
    return Group(f"batch_norm {t.name}", inputs, cases)
