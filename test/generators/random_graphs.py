#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tg graphs, compiled and compared with the reference on the SIMT device, or only planned.

usage: random_graphs.py [--count N] [--first I] [--seed S] [--size OPS] [--long] [--layers] [--wide] [--loops] [--counted] [--cells] [--gradients] [--axes] [--shifts] [--thin] [--parts] [--updates]
                        [--double DIR] [--keep DIR] [--option OPTION] [--plans NAME,...] [--jobs N] --compile STITCH_COMPILE --run STITCH_RUN
       random_graphs.py --plan [--count N] [--first I] [--seed S] [--size OPS] [--keep DIR] [--plans NAME,...] [--jobs N] --opt STITCH_OPT

Each graph mixes elementwise operations, broadcasts, reductions over any dimensions, updates and normalisations by columns, transposes, reshapes, slices, pads,
concatenations, gathers, scatters, windows and their gradients, cumulative operations, sorts and top_k, loops that carry and stack
values, and branches, on odd sizes, and runs with several thread orders. The same seed gives the same graphs. With --layers there are
products, too, with what libraries do besides: biases, activations, their gradients, sums; and some that share operands. With --wide a graph begins with independent
branches, each with a size of its own, which one kernel packs: updates, softmaxes, sums of rows and columns, few long rows, gradients of
normalisations, transposes; some have one input together, some end in one result; every other graph is planned for a device with clusters
and few multiprocessors. With --loops it begins with a recurrence whose step can be one kernel (plan=persistent-always has it
inside), most of them with products of matrices that stay the same; every other graph is planned for a device with few multiprocessors, which
have room for a part of these. With --counted it begins with several counted loops, some of which read others: those that run equally often are fused. With --long every other graph is planned for one whose clusters are of two blocks. With --cells it begins with a recurrent layer as frameworks write it, as a loop or with its steps one
after the other (test/generators/random_cells.py). With --gradients it begins with sums by rows and by columns of the same long rows, which one loop can carry, or by one of both, and is planned for
a device with few multiprocessors whose registers, shared memory, clusters and bandwidth are drawn. With --axes it begins with statistics over any
dimensions of tensors with three to five, one behind the other, with groups within rows, and results in any order of dimensions, and is planned for such a device. With --shifts it begins with chains of values
that are read at several places, level behind level: rolled, padded, sliced, gathered, updated, by windows of windows. With --thin it is a decoder: products of few rows with matrices, and between them what each
block can compute for itself (norms, softmaxes, gates, residuals); a kernel has many of them, for a device that is drawn. With --parts it ends in slices of its results. With --updates a program is made of updates of buffers, and
of nothing else (test/generators/random_updates.py); every other one is planned for a device on which kernels cost nothing. With --versions it begins with products that share operands, is compiled with --adaptive, and runs with versions of its
variables that are drawn at random, too, every other graph on two streams and with --checks. With --double a graph also runs on the test
double of the CUDA driver and libraries in that folder. Every fourth graph has kernels planned by templates that are drawn from their
candidates.

With --plan the graphs have matrix products, too, and sizes up to those of large models, and go through all planning
passes and stitch-verify-plan, for several devices, all columns of the ablation and all policies of remote stitching, and then
become kernels, which nobody runs; the IR is verified behind each pass, so a cycle of fusions is an error. Many graphs go through one process: 20,000 take minutes.
"""
import argparse
import concurrent.futures
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "programs")]
import templates  # noqa: E402
from random_cells import Cell  # noqa: E402
from random_updates import Updates  # noqa: E402

FLOATS = ["f32", "f32", "f32", "f16", "bf16", "f64"]
INTEGERS = ["i32", "i8", "ui8", "i64"]
NARROW = ["f8E4M3FN", "f8E5M2", "f8E5M2FNUZ", "f4E2M1FN", "f6E3M2FN", "i4", "ui4", "i2", "complex<f32>", "complex<f32>", "complex<f64>"]


def is_complex(dtype):
    return dtype.startswith("complex")


def is_float(dtype):
    """Floats and complex numbers."""
    return "f" in dtype


def part_of(dtype):
    return dtype[len("complex<"):-1]


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{dtype}>"


SIZES = [1, 2, 3, 5, 7, 8, 12, 16, 32, 33, 48, 100, 130, 257, 515, 1024, 1031, 1100]
LONG_SIZES = [2, 3, 5, 9, 8192, 12289, 20000, 33001, 40000, 65536, 70001, 71240]  # rows that clusters of blocks share
GRADIENT_COLUMNS = [64, 500, 2048, 3000, 4100, 4104, 5001, 6000, 8192, 8200, 12289, 16400]
SUMS = {"reduce", "reduce_window", "cumulative", "general_cumulative", "general_reduce", "dot", "scatter", "select_and_scatter"}
SUMS |= {"while", "if", "case"}  # which may have any of them
LARGE_SIZES = SIZES + [768, 3072, 4096, 8192, 30000, 65537, 250000]


class Graph:
    """`plan`: the graph is planned, not executed. `long`: it has few and long rows. `layers`: it has products. `wide`:
    it begins with independent branches. `loops`: with a recurrence whose step can be one kernel. `shared`: with products that share operands.
    `counted`: with several loops. `cells`: with a recurrent layer. `gradients`: with sums by rows and by columns. `axes`: with statistics over any dimensions.
    `shifts`: with chains of shifted reads. `parts`: of its results few elements are read."""

    def __init__(self, rng, size, plan=False, long=False, layers=False, wide=False, loops=False, shared=False, counted=False, cells=False, gradients=False, axes=False, shifts=False, thin=False, parts=False, precisions=None):
        self.rng = rng
        self.plan = plan
        self.layers = layers
        self.parts = parts
        self.precisions = precisions  # draws those of products of f32
        self.lines = []
        self.values = []  # (name, shape, dtype)
        self.summed = set()  # names of values behind sums
        self.arguments = []
        self.counter = 0
        self.choosers = []  # arguments that only branches read
        self.donated = {}  # name of an argument -> the result that may be in its memory
        self.depth = 0  # of loops and branches around what is generated
        self.most = 200_000_000 if plan else 400_000 if long or gradients else 60_000  # elements
        self.base = [rng.choice(LARGE_SIZES if plan else LONG_SIZES if long else SIZES) for _ in range(4)]
        if long:
            self.base[0] = rng.choice(LONG_SIZES[-4:])
        for _ in range(rng.randint(1, 4)):
            kind = rng.random()
            self.argument(self.random_shape(), rng.choice(FLOATS if kind < 0.75 else NARROW if kind < 0.9 else INTEGERS))
        if rng.random() < 0.15:
            self.cache()
            size += len(self.lines)
        self.recurring = loops  # only what one kernel can hold is drawn
        self.counted = False  # loops that read what is near, of two counts
        if wide:
            self.independent()
            size += len(self.lines)
        if loops:
            self.loop()
            size += len(self.lines)
            self.recurring = False
        if counted:
            self.counted = True
            for _ in range(rng.randint(4, 9)):
                self.loop()
            self.counted = False
            size = len(self.lines) + rng.choice([0, 3, size])
        if gradients:
            if rng.random() < 0.6:
                self.gradient()
            else:
                self.normalised()
                size = rng.choice([0, 0, 3, size])  # others take blocks, or keep their own elements
            size += len(self.lines)
        if axes:
            self.axes()
            size = len(self.lines) + rng.choice([0, 0, 2, 5])
        if thin:
            self.thin()
            size = len(self.lines) + rng.choice([0, 0, 0, 3])
        if shifts:
            for _ in range(rng.randint(1, 2)):
                self.shifted(rng.randint(2, 9))
            size += len(self.lines)
        if cells:
            Cell(self).emit(unrolled=rng.random() < 0.5)
            size += len(self.lines)
        if shared or (layers and rng.random() < 0.3):
            self.shared_products(alike=not shared and rng.random() < 0.7)
            size += len(self.lines)
        while len(self.lines) < size:
            self.step()

    def random_shape(self):
        while True:
            shape = [self.rng.choice(self.base) for _ in range(self.rng.randint(1, 4))]
            count = 1
            for d in shape:
                count *= d
            if count <= self.most:
                return shape

    def argument(self, shape, dtype):
        name = f"%arg{len(self.arguments)}"
        self.arguments.append((name, shape, dtype))
        self.values.append((name, shape, dtype))
        return self.values[-1]

    def emit(self, op, operands, shape, dtype, attributes=""):
        return self.emit_all(op, operands, [(shape, dtype)], attributes)[0]

    def emit_all(self, op, operands, results, attributes="", region=""):
        """An operation with any number of results, which are (shape, dtype)."""
        name = f"%{self.counter}"
        self.counter += 1
        types = ", ".join(tensor(s, d) for _, s, d in operands)
        names = ", ".join(n for n, _, _ in operands)
        attributes = f" {{{attributes}}}" if attributes else ""
        many = len(results) > 1
        self.lines.append(f'    {name}{f":{len(results)}" if many else ""} = "tg.{op}"({names}){region}{attributes} : ({types}) -> '
                          f'({", ".join(tensor(s, d) for s, d in results)})')
        new = [(f"{name}#{i}" if many else name, s, d) for i, (s, d) in enumerate(results)]
        self.values += new
        if op in SUMS or any(n in self.summed for n, _, _ in operands):
            self.summed.update(n for n, _, _ in new)
        return new

    def one_plus_tanh(self, x):
        """Of x, perhaps times a constant; then times another value, or a constant, or both in either order."""
        _, shape, dtype = x

        def scaled(value):
            factor = self.constant(dtype, self.rng.choice(["0.5", "2.0", "0.7"]))
            return self.emit("mul", [value, self.emit("broadcast", [factor], shape, dtype, "dims = array<i64>")], shape, dtype)
        y = self.emit("tanh", [scaled(x) if self.rng.random() < 0.7 else x], shape, dtype)
        one = self.emit("broadcast", [self.constant(dtype, "1.0")], shape, dtype, "dims = array<i64>")
        y = self.emit("add", [y, one] if self.rng.random() < 0.5 else [one, y], shape, dtype)
        for _ in range(self.rng.randint(0, 2)):
            factor = self.bounded(x)
            y = scaled(y) if self.rng.random() < 0.5 else self.emit("mul", [y, scaled(factor) if self.rng.random() < 0.5 else factor], shape, dtype)

    def pick(self, predicate=lambda v: True):
        choices = [v for v in self.values if predicate(v)]
        # Recent values first: deep graphs rather than wide ones.
        return self.rng.choice(choices[-8:] if choices and self.rng.random() < 0.7 else choices) if choices else None

    def like(self, value):
        """A value of the same shape and type: an existing one, a broadcast one, or a new argument."""
        _, shape, dtype = value
        same = self.pick(lambda v: v[1] == shape and v[2] == dtype)
        if same and self.rng.random() < 0.7:
            return same
        for _ in range(10):
            other = self.pick(lambda v: v[2] == dtype and len(v[1]) <= len(shape))
            dims, position = [], 0
            for d in other[1] if other else []:
                while position < len(shape) and shape[position] != d:
                    position += 1
                dims.append(position)
                position += 1
            if other and all(d < len(shape) for d in dims) and other[1] != shape:
                return self.emit("broadcast", [other], shape, dtype, f"dims = array<i64{':' if dims else ''} {', '.join(map(str, dims))}>")
        return self.argument(shape, dtype)

    def without_ties(self, x):
        """Sums of the same numbers in different orders are equal but for their roundings, whatever the inputs: which of
        them is the largest is no property of the graph, nor can --check see that it is not."""
        name, shape, dtype = x
        if name not in self.summed or not is_float(dtype):
            return x
        return self.emit("add", [x, self.argument(shape, dtype)], shape, dtype)

    def step(self):
        rng = self.rng
        x = self.pick()
        _, shape, dtype = x
        if self.plan and len(shape) == 2 and rng.random() < 0.2:
            self.dot(x)
            return
        if self.layers and len(shape) == 2 and dtype in ("f32", "f16", "bf16") and rng.random() < 0.4:
            (self.attention if rng.random() < 0.4 else self.layer)(x)
            return
        if self.depth < 2 and rng.random() < 0.03 and not self.recurring:
            rng.choice([self.loop, self.branch])()
            return
        of_kernels = ["unary", "binary", "reduce", "reduce", "transpose", "reshape", "slice", "gather", "select", "convert", "back", "columns", "rows"]
        kind = rng.choice(of_kernels if self.recurring else ["unary", "unary", "binary", "binary", "reduce", "reduce", "transpose", "reshape", "slice",
                           "pad", "concatenate", "gather", "select", "convert", "back", "arg_reduce", "cumulative", "window",
                           "pool_gradient", "scatter", "sort", "top_k", "pair", "columns", "rows"])
        if kind in ("cumulative", "pool_gradient", "scatter", "sort", "top_k") and math.prod(shape) >= 2**31:
            return  # kernels count in 32 bits
        if is_complex(dtype) and kind in ("arg_reduce", "pool_gradient", "top_k", "pair", "convert", "columns"):
            self.leave_complex(x)
        elif kind == "convert" and is_float(dtype) and rng.random() < 0.1:
            self.enter_complex(x)
        elif kind == "unary":
            ops = ["exp", "tanh", "neg", "abs", "logistic", "sin", "rsqrt", "one_plus_tanh"] if is_float(dtype) else ["neg", "abs", "not"]
            if is_complex(dtype):
                ops = ["exp", "sin", "neg"]
            if dtype.startswith("ui"):
                ops = ["not"]
            op = rng.choice(ops)
            # Of bounded numbers, and of numbers away from zero: otherwise a rounding error may change everything.
            if op in ("exp", "sin", "rsqrt"):
                x = self.bounded(x)
            if op == "rsqrt":
                x = self.emit("exp", [x], shape, dtype)
            if op == "one_plus_tanh":
                self.one_plus_tanh(x)
                return
            self.emit(op, [x], shape, dtype)
        elif kind == "binary":
            y = self.like(x)
            op = rng.choice(["add", "sub", "mul"] if is_complex(dtype) else ["add", "sub", "mul", "max", "min"])
            if op == "mul":  # keeps magnitudes bounded
                x = self.bounded(x)
            self.emit(op, [x, y], shape, dtype)
        elif kind == "reduce" and shape:
            dims = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
            kept = [d for i, d in enumerate(shape) if i not in dims]
            reduce_kind = 0 if is_complex(dtype) else rng.choice([0, 2, 3])
            if reduce_kind == 0:
                x = self.bounded(x)
            self.emit("reduce", [x], kept, dtype, f"kind = {reduce_kind} : i32, dims = array<i64: {', '.join(map(str, dims))}>")
        elif kind == "arg_reduce" and shape:
            dim = rng.randrange(len(shape))
            self.emit_all("arg_reduce", [self.without_ties(x)], [(shape[:dim] + shape[dim + 1 :], dtype), (shape[:dim] + shape[dim + 1 :], "i32")],
                          f"kind = {rng.choice([2, 3])} : i32, dim = {dim} : i64")
        elif kind == "cumulative" and shape and not is_complex(dtype) and rng.random() < 0.4:
            self.prefixes(x)
        elif kind == "cumulative" and shape:
            reduce_kind = 0 if is_complex(dtype) else rng.choice([0, 2, 3])
            if reduce_kind == 0:
                x = self.bounded(x)
            flags = "".join(f", {f}" for f in ("reverse", "exclusive") if rng.random() < 0.3 and (f == "reverse" or reduce_kind == 0))
            self.emit("cumulative", [x], shape, dtype, f"kind = {reduce_kind} : i32, dim = {rng.randrange(len(shape))} : i64{flags}")
        elif kind == "window" and shape:
            self.window(x)
        elif kind == "pool_gradient" and shape and not dtype.startswith(("f16", "f8")):
            self.pool_gradient(x)
        elif kind == "scatter" and shape:
            self.scatter(x)
        elif kind == "rows" and shape:
            self.rows(x)
        elif kind == "sort" and shape and not is_complex(dtype):
            self.sort(x)
        elif kind == "top_k" and shape:
            k = rng.randint(1, min(shape[-1], 20))
            new = shape[:-1] + [k]
            self.emit_all("top_k", [self.without_ties(x)], [(new, dtype), (new, "i32")], f"k = {k} : i64")
        elif kind == "pair" and shape:
            self.pair_reduce(x)
        elif kind == "columns" and len(shape) > 1:
            self.columns(x)
        elif kind == "back" and len(shape) < 4:
            # A broadcast back to a shape that contains this one: the pattern of softmax and normalisation.
            target = self.pick(lambda v: len(v[1]) > len(shape) and v[2] == dtype and v[1][: len(shape)] == shape)
            if target:
                dims = ", ".join(str(i) for i in range(len(shape)))
                b = self.emit("broadcast", [x], target[1], dtype, f"dims = array<i64{': ' + dims if dims else ''}>")
                self.emit("sub", [target, b], target[1], dtype)
        elif kind == "transpose" and len(shape) > 1:
            permutation = list(range(len(shape)))
            rng.shuffle(permutation)
            self.emit("transpose", [x], [shape[p] for p in permutation], dtype,
                      f"permutation = array<i64: {', '.join(map(str, permutation))}>")
        elif kind == "reshape" and shape:
            i = rng.randrange(len(shape))
            divisors = [d for d in (2, 3, 4, 5, 8, 11, 16) if shape[i] % d == 0]
            if divisors and len(shape) < 5 and rng.random() < 0.6:
                d = rng.choice(divisors)
                new = shape[:i] + [shape[i] // d, d] + shape[i + 1 :]
            elif i + 1 < len(shape):
                new = shape[:i] + [shape[i] * shape[i + 1]] + shape[i + 2 :]
            else:
                new = shape + [1]
            self.emit("reshape", [x], new, dtype)
        elif kind == "slice" and shape:
            starts = [rng.randint(0, d // 3) for d in shape]
            limits = [rng.randint(s + 1, d) for s, d in zip(starts, shape)]
            strides = [rng.choice([1, 1, 1, 2]) for _ in shape]
            new = [(l - s + t - 1) // t for s, l, t in zip(starts, limits, strides)]
            listed = [f"{n} = array<i64: {', '.join(map(str, v))}>" for n, v in
                      (("starts", starts), ("limits", limits), ("strides", strides))]
            self.emit("slice", [x], new, dtype, ", ".join(listed))
        elif kind == "pad" and shape:
            low = [rng.choice([0, 0, 1, 3, -1 if d > 2 else 0]) for d in shape]
            high = [rng.choice([0, 0, 2, 4]) for _ in shape]
            interior = [rng.choice([0, 0, 0, 1]) for _ in shape]
            new = [l + h + d + (d - 1) * i for l, h, i, d in zip(low, high, interior, shape)]
            if min(new) > 0:
                zero = self.constant(dtype)
                listed = [f"{n} = array<i64: {', '.join(map(str, v))}>" for n, v in
                          (("low", low), ("high", high), ("interior", interior))]
                self.emit("pad", [x, zero], new, dtype, ", ".join(listed))
        elif kind == "concatenate" and shape:
            i = rng.randrange(len(shape))
            others = [v for v in self.values if v[2] == dtype and len(v[1]) == len(shape)
                      and v[1][:i] + v[1][i + 1 :] == shape[:i] + shape[i + 1 :]]
            parts = [x] + [rng.choice(others) for _ in range(rng.randint(1, 2))]
            new = list(shape)
            new[i] = sum(p[1][i] for p in parts)
            if new[i] < (4_000_000 if self.plan else 4000):
                self.emit("concatenate", parts, new, dtype, f"dim = {i} : i64")
        elif kind == "gather" and shape:
            count = rng.randint(1, 40)
            indices = self.argument([count], "i32")
            new = [count] + shape[1:]
            offsets = ", ".join(str(i) for i in range(1, len(shape)))
            sizes = ", ".join(map(str, [1] + shape[1:]))
            self.emit("gather", [x, indices], new, dtype,
                      f"offset_dims = array<i64{': ' + offsets if offsets else ''}>, collapsed_slice_dims = array<i64: 0>, "
                      "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, "
                      f"start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: {sizes}>")
        elif kind == "select":
            y, z = self.like(x), self.like(x)
            p = self.emit("compare", [x, y], shape, "i1", f"direction = {rng.randint(0, 1 if is_complex(dtype) else 5)} : i32")
            self.values.pop()  # predicates are used here only
            self.emit("select", [p, x, z], shape, dtype)
        elif kind == "convert":
            self.emit("convert", [x], shape, rng.choice(["f32", "f16", "bf16", "f8E4M3FN"] if is_float(dtype) else ["f32", "i32"]))

    def bounded(self, x):
        """Floats between -1 and 1; parts of complex numbers, whose tanh has poles."""
        _, shape, dtype = x
        if not is_float(dtype):
            return x
        if not is_complex(dtype):
            return self.emit("tanh", [x], shape, dtype)
        parts = [self.emit("tanh", [self.emit(name, [x], shape, part_of(dtype))], shape, part_of(dtype)) for name in ("real", "imag")]
        return self.emit("complex", parts, shape, dtype)

    def leave_complex(self, x):
        _, shape, dtype = x
        op = self.rng.choice(["real", "imag", "abs", "convert"])
        other = "complex<f64>" if part_of(dtype) == "f32" else "complex<f32>"
        self.emit(op, [x], shape, other if op == "convert" else part_of(dtype))

    def enter_complex(self, x):
        _, shape, dtype = x
        if dtype not in ("f32", "f64"):
            x = self.emit("convert", [x], shape, "f32")
        self.emit("complex", [x, self.like(x)], shape, f"complex<{x[2]}>")

    def dot(self, x):
        """A product with a matrix of this graph or a new one; both orders of its dimensions."""
        _, (_, inner), dtype = x
        y = self.pick(lambda v: len(v[1]) == 2 and v[2] == dtype and inner in v[1]) or self.argument([inner, self.rng.choice(self.base)], dtype)
        contract = y[1].index(inner)
        self.emit("dot", [x, y], [x[1][0], y[1][1 - contract]], dtype,
                  "lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, "
                  f"rhs_contract = array<i64: {contract}>{self.precision(dtype)}")

    def precision(self, dtype):
        """As the end of a product's attributes: nothing, tf32 or full."""
        return self.precisions.choice(["", "", ", precision = 1 : i32", ", precision = 2 : i32"]) if self.precisions and dtype == "f32" else ""

    def layer(self, x):
        """A product, what is often behind it, and sometimes the gradients that go with it."""
        rng, (rows, inner), dtype = self.rng, x[1], x[2]
        columns = rng.choice([1, 8, 13, 24, 40])
        x = self.bounded(x)
        value = self.product(x, self.argument([inner, columns], dtype), 1, 0)
        if rng.random() < 0.7:
            bias = self.emit("broadcast", [self.argument([columns], dtype)], [rows, columns], dtype, "dims = array<i64: 1>")
            value = self.emit("add", [value, bias], [rows, columns], dtype)
        before, activation = value, rng.choice(["none", "relu", "gelu", "gelu"])
        if activation == "relu":
            value = self.emit("max", [value, self.zeros(value)], value[1], dtype)
        if activation == "gelu":
            value = self.emit("gelu", [value], value[1], dtype, "approximate")
        if rng.random() < 0.5:
            value = self.product(value, self.argument([columns, rng.choice([3, 16])], dtype), 1, 0)
        if rng.random() < 0.6:
            self.gradients(x, before, activation)

    def gradients(self, x, before, activation):
        """Of what is before the activation, from a product; of the bias and of the weight."""
        rng, (rows, columns), dtype = self.rng, before[1], before[2]
        back = rng.choice([2, 9])
        value = self.product(self.argument([rows, back], dtype), self.argument([columns, back], dtype), 1, 1)
        if activation == "relu":
            sign = self.emit("compare", [before, self.zeros(before)], before[1], "i1", f"direction = {rng.choice([4, 4, 3])} : i32")
            self.values.pop()
            operands = [sign, value, self.zeros(value)] if rng.random() < 0.7 else [sign, self.zeros(value), value]
            value = self.emit("select", operands, before[1], dtype)
        if activation == "gelu":
            value = self.emit("gelu_gradient", [before, value], before[1], dtype, "approximate")
        if rng.random() < 0.7:
            self.emit("reduce", [value], [columns], dtype, "kind = 0 : i32, dims = array<i64: 0>")
        self.product(x, value, 0, 0)

    def shared_products(self, alike=False):
        """Products of some of several matrices with some of several others, in groups that may want the same ones, and what reads
        them: nothing, something for one, something for two, or another product. `alike`: of one with at least three, which have the
        same shape or are constants."""
        rng = self.rng
        dtype = rng.choice(["f32", "f32", "f32", "f16", "bf16", "f64"])
        inner, rows, columns = rng.choice([1, 4, 7, 16]), [rng.choice([1, 3, 8]) for _ in range(5)], [rng.choice([2, 5, 8]) for _ in range(5)]
        xs = [self.argument([rows[i % rng.choice([1, 5])], inner], dtype) for i in range(rng.randint(2, 4))]
        ws = [self.constant_matrix([inner, columns[i % rng.choice([1, 5])]], dtype) if rng.random() < 0.3 else
              self.argument([inner, columns[i % rng.choice([1, 5])]], dtype) for i in range(rng.randint(2, 4))]
        pairs = [(x, w) for x in xs for w in ws if rng.random() < 0.7]
        if alike:
            constant, size = rng.random() < 0.4, rng.choice(columns)
            pairs = [(xs[0], self.constant_matrix([inner, rng.choice(columns)], dtype) if constant else self.argument([inner, size], dtype))
                     for _ in range(rng.randint(3, 5))]
        rng.shuffle(pairs)
        results = []
        for x, w in pairs:
            results.append(self.product(x, w, 1, 0))
            kind, others = rng.random(), [r for r in results[:-1] if r[1] == results[-1][1]]
            if kind < 0.2:
                self.emit("tanh", [results[-1]], results[-1][1], dtype)
            elif kind < 0.6 and others:
                self.emit(rng.choice(["add", "sub", "mul"]), [results[-1], rng.choice(others)], results[-1][1], dtype)
            elif kind < 0.7:  # a path from this product to those of another matrix
                back = self.product(self.emit("tanh", [results[-1]], results[-1][1], dtype), self.argument([inner, w[1][1]], dtype), 1, 1)
                pairs += [(back, rng.choice(ws))] if len(pairs) < 16 else []

    def constant_matrix(self, shape, dtype):
        values = ", ".join("[" + ", ".join(f"{self.rng.randint(-8, 8) / 4:.2f}" for _ in range(shape[1])) + "]" for _ in range(shape[0]))
        return self.emit("constant", [], shape, dtype, f"value = dense<[{values}]> : {tensor(shape, dtype)}")

    def attention(self, x):
        """A softmax between two products, and sometimes the gradients that go with it."""
        rng, (rows, depth), dtype = self.rng, x[1], x[2]
        keys, features = rng.choice([2, 7, 16, 33]), rng.choice([1, 8, 13])
        before = len(self.values)
        x = self.bounded(x)
        y, values = self.argument([keys, depth], dtype), self.argument([keys, features], dtype)
        weights = self.divided(*self.exponentials(self.bounded(self.product(x, y, 1, 1))))
        results = [self.product(weights, values, 1, 0)]
        if rng.random() < 0.7:
            results += self.attention_gradients(x, y, values, weights)
        if rng.random() < 0.8:  # nothing else reads what is between
            self.values[before:] = results

    def attention_gradients(self, x, y, values, weights):
        rng, (rows, _), dtype, features = self.rng, x[1], x[2], values[1][1]
        gradient, shape = self.argument([rows, features], dtype), weights[1]
        change = self.product(gradient, values, 1, 1)
        total = self.sum_of(self.emit("mul", [change, weights], shape, dtype), 1)
        change = self.emit("sub", [change, self.emit("broadcast", [total], shape, dtype, "dims = array<i64: 0>")], shape, dtype)
        change = self.emit("mul", [change, weights], shape, dtype)
        products = [(change, y, 1, 0), (change, x, 0, 0), (weights, gradient, 0, 0)]
        return [self.product(*product) for product in rng.sample(products, rng.choice([1, 2, 3, 3, 3]))]

    def product(self, x, y, left, right):
        return self.emit("dot", [x, y], [x[1][1 - left], y[1][1 - right]], x[2],
                         "lhs_batch = array<i64>, rhs_batch = array<i64>, "
                         f"lhs_contract = array<i64: {left}>, rhs_contract = array<i64: {right}>{self.precision(x[2])}")

    def zeros(self, like):
        _, shape, dtype = like
        name = f"%{self.counter}"
        self.counter += 1
        self.lines.append(f'    {name} = "tg.constant"() {{value = dense<0.0> : {tensor(shape, dtype)}}} : () -> {tensor(shape, dtype)}')
        return (name, shape, dtype)

    def region(self, arguments, steps, yielded):
        """The text of a region: `steps` operations on its arguments and on what is outside, then what `yielded()` returns."""
        outside, lines = list(self.values), self.lines
        self.lines = []
        self.values += arguments
        self.depth += 1
        for _ in range(steps):
            self.step()
        results = yielded()
        names, types = ", ".join(v[0] for v in results), ", ".join(tensor(v[1], v[2]) for v in results)
        header = ", ".join(f"{n}: {tensor(s, d)}" for n, s, d in arguments)
        body = "\n".join([f"    ^bb0({header}):"] + self.lines + [f'    "tg.yield"({names}) : ({types}) -> ()'])
        self.depth -= 1
        self.lines = lines
        self.values = outside + [v for v in self.arguments if v not in outside and v not in self.choosers]
        return f"({{\n{body}\n    }}"

    def bounded_like(self, value):
        """A value of the same shape and type for another round: floats stay between -1 and 1."""
        return self.bounded(self.like(value))

    def recurrent(self, value):
        """A value for another round: a matrix that stays the same times a carried value, squashed, or something like it, if that is too large."""
        _, shape, dtype = value
        size = math.prod(shape)
        if dtype not in FLOATS or not 1 < size <= 240 or self.rng.random() < 0.3:
            return self.bounded_like(value)
        vector, along = self.emit("reshape", [value], [size], dtype), self.rng.randint(0, 1)
        result = self.times_matrix(vector, size, along)
        if self.rng.random() < 0.5:  # as many results of rows, or columns, of another length: those of rows share a task loop
            part = self.rng.randint(1, size)
            limits = f"starts = array<i64: 0>, limits = array<i64: {part}>, strides = array<i64: 1>"
            other = self.times_matrix(self.emit("slice", [vector], [part], dtype, limits), size, along)
            result = self.emit("add", [result, other], [size], dtype)
        return self.emit("reshape", [self.bounded(result)], shape, dtype)

    def times_matrix(self, vector, size, along):
        """`size` reductions of a new matrix times a vector, along dimension `along`."""
        _, (length,), dtype = vector
        shape = [length, size] if along == 0 else [size, length]
        rows = self.emit("broadcast", [vector], shape, dtype, f"dims = array<i64: {along}>")
        product = self.emit("mul", [self.argument(shape, dtype), rows], shape, dtype)
        return self.emit("reduce", [product], [size], dtype, f"dims = array<i64: {along}>, kind = {self.rng.choice([0, 0, 1, 2])} : i32")

    def loop(self):
        """A counted loop, or one whose limit is an argument, that carries values and stacks one of them."""
        rng = self.rng
        trips = rng.randint(2, 7) if self.recurring else rng.randint(2, 3) if self.counted else rng.randint(1, 5)
        zero, one = self.constant("i32", 0), self.constant("i32", 1)
        limit = self.constant("i32", trips) if self.recurring or self.counted or rng.random() < 0.7 else self.argument([], "i32")
        carried = [rng.choice(self.values[-8:]) if self.counted else self.pick() for _ in range(rng.randint(1, 3))]
        stacked = rng.choice(carried)
        zeros = [zero] * len(stacked[1])
        stack = self.emit("broadcast", [self.constant(stacked[2])], [trips] + stacked[1], stacked[2], "dims = array<i64>")
        inits = [zero] + carried + [stack]
        self.counter += 1
        names = [(f"%a{self.counter}_{i}", s, d) for i, (_, s, d) in enumerate(inits)]
        self.summed.update(n for n, _, _ in names)
        conditions = [(f"%c{self.counter}_{i}", s, d) for i, (_, s, d) in enumerate(inits)]

        def condition():
            return [self.emit("compare", [conditions[0], limit], [], "i1", "direction = 2 : i32")]

        def body():
            following = self.emit("add", [names[0], one], [], "i32")
            rounds = [self.recurrent(v) if self.recurring else self.bounded_like(v) for v in names[1:-1]]
            slice_ = self.emit("reshape", [self.like(stacked)], [1] + stacked[1], stacked[2])
            position = names[0] if rng.random() < 0.5 else self.emit("sub", [self.constant("i32", trips - 1), names[0]], [], "i32")
            updated = self.emit("dynamic_update_slice", [names[-1], slice_, position] + zeros, names[-1][1], names[-1][2])
            if rng.random() < 0.4 and is_float(updated[2]) and not is_complex(updated[2]):  # read as it is then
                largest = self.emit("reduce", [updated], stacked[1], stacked[2], "kind = 2 : i32, dims = array<i64: 0>")
                which = carried.index(stacked)
                rounds[which] = self.bounded(self.emit("add", [rounds[which], largest], stacked[1], stacked[2]))
            return [following] + rounds + [updated]

        # Nothing but the update reads the stack most of the time: it is updated in place then.
        visible = names if rng.random() < 0.2 else names[:-1]
        first = self.region(conditions, 0, condition)
        second = self.region(visible, rng.randint(1, 5), body)
        if visible is not names:
            second = second.replace("):\n", f", {names[-1][0]}: {tensor(names[-1][1], names[-1][2])}):\n", 1)
        self.emit_all("while", inits, [(s, d) for _, s, d in inits], region=f" {first}, {second[1:]})")

    def cache(self):
        """An argument whose memory is donated to a result, which is it with another slice."""
        rng = self.rng
        shape, dtype = self.random_shape(), rng.choice(FLOATS)
        cache = self.argument(shape, dtype)
        self.values.remove(cache)  # most of the time nothing reads it as it was
        part = [rng.randint(1, shape[0])] + [d if rng.random() < 0.7 else rng.randint(1, d) for d in shape[1:]]
        update = self.bounded(self.argument(part, dtype))
        start = self.argument([], "i32")
        self.values.remove(start)
        self.choosers.append(start)
        starts = [start] + [self.constant("i32", 0) if rng.random() < 0.7 else start for _ in shape[1:]]
        self.donated[cache[0]] = self.emit("dynamic_update_slice", [cache, update] + starts, shape, dtype)

    def branch(self):
        """An if or a case whose branches compute values of the same types."""
        rng = self.rng
        results = [self.pick() for _ in range(rng.randint(1, 2))]
        kind = rng.choice(["if", "case"])
        chooser = self.argument([], "i1" if kind == "if" else "i32")
        self.values.remove(chooser)
        self.choosers.append(chooser)
        count = 2 if kind == "if" else rng.randint(1, 3)
        regions = [self.region([], rng.randint(0, 4), lambda: [self.like(v) for v in results]) for _ in range(count)]
        text = ", ".join(region if i == 0 else region[1:] for i, region in enumerate(regions))
        self.emit_all(kind, [chooser], [(s, d) for _, s, d in results], region=f" {text})")

    def window_lists(self, shape, dilated):
        """Random sizes, strides, dilations and padding, with the result's shape; None if it would be empty."""
        rng = self.rng
        sizes = [rng.choice([1, 1, 2, 3]) if d > 2 else 1 for d in shape]
        strides = [rng.choice([1, 1, 2]) for _ in shape]
        base = [rng.choice([1, 1, 1, 2]) if dilated else 1 for _ in shape]
        dilation = [rng.choice([1, 1, 1, 2]) if dilated else 1 for _ in shape]
        low, high = [[rng.choice([0, 0, 1]) if s > 1 else 0 for s in sizes] for _ in range(2)]
        padded = [(d - 1) * b + 1 + l + h for d, b, l, h in zip(shape, base, low, high)]
        spans = [(s - 1) * w + 1 for s, w in zip(sizes, dilation)]
        new = [(p - s) // t + 1 if p >= s else 0 for p, s, t in zip(padded, spans, strides)]
        names = ["window_dimensions", "window_strides", "padding_low", "padding_high"]
        lists = [sizes, strides, low, high]
        if dilated:
            names += ["base_dilations", "window_dilations"]
            lists += [base, dilation]
        text = ", ".join(f"{n} = array<i64: {', '.join(map(str, v))}>" for n, v in zip(names, lists))
        return (new, text) if min(new) > 0 else None

    def shifted(self, levels):
        """A chain of values, each of which is read at several places."""
        rng = self.rng
        dtype = rng.choice(["f32", "f32", "f16", "f64", "i32"])
        shape = [rng.choice([5, 16, 33, 48, 100, 257]) for _ in range(rng.choice([1, 1, 2]))]
        x, kinds = self.argument(shape, dtype), rng.sample(["roll", "pad", "gather", "dynamic", "update", "window", "transpose"], rng.randint(1, 3))
        for _ in range(levels):
            kind = rng.choice(kinds)
            y = x
            for _ in range(rng.choice([1, 1, 2, 4]) if kind in ("roll", "pad") else 1):
                y = self.emit(rng.choice(["add", "max"]), [y, self.moved(x, kind)], shape, dtype)
            x = self.bounded(y) if rng.random() < 0.7 else y

    def moved(self, x, kind):
        """Elements of a value at other places, in its shape."""
        rng, (_, shape, dtype) = self.rng, x
        dim = rng.randrange(len(shape))
        size, by = shape[dim], rng.randint(1, shape[dim] - 1)

        def part(value, start, limit):
            starts, limits = [0] * len(shape), list(value[1])
            starts[dim], limits[dim] = start, limit
            new = [b - a for a, b in zip(starts, limits)]
            return self.emit("slice", [value], new, dtype, f"starts = array<i64: {', '.join(map(str, starts))}>, limits = array<i64: "
                             f"{', '.join(map(str, limits))}>, strides = array<i64: {', '.join(['1'] * len(shape))}>")
        if kind == "roll":
            return self.emit("concatenate", [part(x, by, size), part(x, 0, by)], shape, dtype, f"dim = {dim} : i64")
        if kind == "pad":
            lists = [[0] * len(shape) for _ in range(3)]
            low, high, _ = lists
            low[dim], high[dim] = rng.choice([(1, 1), (by, 0), (0, by), (2, -1)])
            padded = [l + d + h for l, d, h in zip(low, shape, high)]
            names = zip(("low", "high", "interior"), lists)
            y = self.emit("pad", [x, self.constant(dtype)], padded, dtype, ", ".join(f"{n} = array<i64: {', '.join(map(str, v))}>" for n, v in names))
            start = rng.randint(0, padded[dim] - size)
            return part(y, start, start + size)
        if kind == "gather":
            sizes = [1] + shape[1:]
            offsets = ", ".join(str(i) for i in range(1, len(shape)))
            return self.emit("gather", [x, self.argument([shape[0]], "i32")], shape, dtype,
                             f"offset_dims = array<i64{': ' + offsets if offsets else ''}>, collapsed_slice_dims = array<i64: 0>, "
                             "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, "
                             f"start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: {', '.join(map(str, sizes))}>")
        starts = [self.argument([], "i32") for _ in shape]
        if kind == "dynamic":
            double = list(shape)
            double[dim] *= 2
            twice = self.emit("concatenate", [x, x], double, dtype, f"dim = {dim} : i64")
            return self.emit("dynamic_slice", [twice, *starts], shape, dtype, f"sizes = array<i64: {', '.join(map(str, shape))}>")
        if kind == "update":
            return self.emit("dynamic_update_slice", [x, part(x, 0, by), *starts], shape, dtype)
        if kind == "window":
            ones = ", ".join("1" for _ in shape)
            return self.emit("reduce_window", [x], shape, dtype,
                             f"kind = {rng.choice([2, 3])} : i32, window_dimensions = array<i64: {', '.join('3' for _ in shape)}>, window_strides = array<i64: {ones}>, "
                             f"base_dilations = array<i64: {ones}>, window_dilations = array<i64: {ones}>, padding_low = array<i64: {ones}>, padding_high = array<i64: {ones}>")
        permutation = list(range(len(shape)))[::-1]
        y = self.emit("transpose", [x], shape[::-1], dtype, f"permutation = array<i64: {', '.join(map(str, permutation))}>")
        return self.emit("reshape", [y], shape, dtype)

    def window(self, x):
        _, shape, dtype = x
        made = self.window_lists(shape, True)
        if made and not is_complex(dtype) and self.rng.random() < 0.3:
            # Initial values that are no identities: they take part once, and in each place of the padding.
            other = self.argument(shape, "i32")
            self.emit_all("general_reduce_window", [x, other, self.constant(dtype), self.constant("i32")], [(made[0], dtype), (made[0], "i32")],
                          self.with_dilations(made[1], len(shape)), self.pair_body(dtype, self.rng.choice(["add", "min"])))
        elif made:
            kind = 0 if is_complex(dtype) else self.rng.choice([0, 2, 3])
            if kind == 0:
                x = self.bounded(x)
            self.emit("reduce_window", [x], made[0], dtype, f"kind = {kind} : i32, {made[1]}")

    @staticmethod
    def with_dilations(lists, rank):
        ones = ", ".join(["1"] * rank)
        return lists if "dilations" in lists else f"{lists}, base_dilations = array<i64: {ones}>, window_dilations = array<i64: {ones}>"

    def pool_gradient(self, x):
        """Of an argument: a rounding error of what is compared would select another element."""
        _, shape, dtype = x
        made = self.window_lists(shape, False)
        if made:
            operand, source = self.argument(shape, dtype), self.argument(made[0], dtype)
            self.emit("select_and_scatter", [operand, source], shape, dtype,
                      f"select_kind = {self.rng.choice([2, 3])} : i32, scatter_kind = 0 : i32, {made[1]}")

    def scatter(self, x):
        """Rows, or single elements, at random places."""
        _, shape, dtype = x
        rng, count, width = self.rng, self.rng.choice([1, 7, 40, 300]), self.rng.choice([0, 1])
        window = shape[1:] if rng.random() < 0.7 else [rng.randint(1, d) for d in shape[1:]]
        if math.prod([count] + window) >= 2**31:
            return
        indices = self.argument([count] if not width else [count, 1], "i32")
        updates = self.argument([count] + window, dtype)
        kind = rng.choice([0, 2, 3] if window == shape[1:] and not is_complex(dtype) else [0])
        dims = ", ".join(map(str, range(1, len(shape))))
        self.emit("scatter", [x, indices, updates], shape, dtype,
                  f"kind = {kind} : i32, update_window_dims = array<i64{': ' + dims if dims else ''}>, inserted_window_dims = array<i64: 0>, "
                  "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, "
                  f"scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64")

    def picked(self, x):
        """The sum of what is computed where an iota is equal to a number of the row, and of zeros, beside what needs all of the row: a loss."""
        _, shape, dtype = x
        rng, known = self.rng, len(self.values)
        if shape[-1] < 512:  # less stays a sum
            shape = shape[:-1] + [rng.choice([513, 700, 1024])]
            x = self.argument(shape, dtype)
        dim, rows, index = len(shape) - 1, shape[:-1], rng.choice(["i32", "i64", "ui32"])
        iota = self.emit("iota", [], shape, index, f"dim = {dim} : i64")
        kept = f"dims = array<i64{': ' if dim else ''}{', '.join(map(str, range(dim)))}>"
        numbers = self.emit("broadcast", [self.argument(rows, index)], shape, index, kept)
        equal = self.emit("compare", [iota, numbers] if rng.random() < 0.5 else [numbers, iota], shape, "i1", "direction = 0 : i32")
        zero = self.emit("constant", [], shape, dtype, f"value = dense<0.0> : {tensor(shape, dtype)}")
        most = self.emit("broadcast", [self.emit("reduce", [x], rows, dtype, f"kind = 3 : i32, dims = array<i64: {dim}>")], shape, dtype, kept)
        shifted = self.emit("sub", [x, most], shape, dtype)
        chosen = self.emit("select", [equal, self.emit("exp", [shifted], shape, dtype) if rng.random() < 0.5 else shifted, zero], shape, dtype)
        del self.values[known:]
        self.values.append(shifted)
        self.emit("reduce", [chosen], rows, dtype, f"kind = 0 : i32, dims = array<i64: {dim}>")

    def rows(self, x):
        """An element of each row: a gather, and a scatter into equal elements, whose indices are an iota along some dimensions, by
        columns of the index tensor or as batch dimensions, and read along the others."""
        _, shape, dtype = x
        rng = self.rng
        if is_float(dtype) and not is_complex(dtype) and rng.random() < 0.3:
            self.picked(x)
            return
        read = [d for d in range(len(shape)) if rng.random() < 0.5]
        follow = [d for d in range(len(shape)) if d not in read]
        batch = bool(read) and rng.random() < 0.5
        if not batch:
            rng.shuffle(follow)
        positions = [shape[d] for d in follow] + ([1] if rng.random() < 0.3 else [])
        if math.prod(positions) >= 2**31:
            return
        index, known = rng.choice(["i32", "i64", "ui32"]), len(self.values)
        columns = [self.argument(positions + [1], index) if d in read else
                   self.emit("iota", [], positions + [1], index, f"dim = {follow.index(d)} : i64") if shape[d] > 1 else
                   self.argument(positions + [1], index)
                   for d in range(len(shape)) if d in read or not batch]
        indices = columns[0] if len(columns) == 1 else self.emit(
            "concatenate", columns, positions + [len(columns)], index, f"dim = {len(positions)} : i64")
        del self.values[known:]  # numbers that are used here only

        def dims(numbers):
            return f"array<i64{': ' if numbers else ''}{', '.join(map(str, numbers))}>"

        inside = [d for d in range(len(shape)) if not (batch and d in follow)]
        batches = (dims(follow if batch else []), dims(list(range(len(follow))) if batch else []))
        if rng.random() < 0.5:
            self.emit("gather", [x, indices], positions, dtype,
                      f"offset_dims = array<i64>, collapsed_slice_dims = {dims(inside)}, operand_batching_dims = {batches[0]}, "
                      f"start_indices_batching_dims = {batches[1]}, start_index_map = {dims(inside)}, "
                      f"index_vector_dim = {len(positions)} : i64, slice_sizes = {dims([1] * len(shape))}")
            return
        zero = self.argument([], dtype) if rng.random() < 0.5 else None
        if zero:
            init = self.emit("broadcast", [zero], shape, dtype, "dims = array<i64>")
        else:
            number = "(0.0, 0.0)" if is_complex(dtype) else "0.0" if is_float(dtype) else "0"
            init = self.emit("constant", [], shape, dtype, f"value = dense<{number}> : {tensor(shape, dtype)}")
        updates = self.argument(positions, dtype)
        self.emit("scatter", [init, indices, updates], shape, dtype,
                  f"kind = {rng.choice([0] if is_complex(dtype) else [0, 2, 3])} : i32, update_window_dims = array<i64>, "
                  f"inserted_window_dims = {dims(inside)}, input_batching_dims = {batches[0]}, "
                  f"scatter_indices_batching_dims = {batches[1]}, scatter_dims_to_operand_dims = {dims(inside)}, "
                  f"index_vector_dim = {len(positions)} : i64")

    def sort(self, x):
        _, shape, dtype = x
        payload = self.pick(lambda v: v[1] == shape and v[2] != "i1")
        x = self.without_ties(x)
        inputs = [x] if self.rng.random() < 0.4 or payload is None else [x, payload]
        types = [d for _, _, d in inputs]
        arguments = ", ".join(f"%a{i}: tensor<{d}>, %b{i}: tensor<{d}>" for i, d in enumerate(types))
        direction, total = self.rng.choice([2, 4]), ", total_order" if is_float(dtype) else ""
        region = (f" ({{ ^bb0({arguments}): %c = \"tg.compare\"(%a0, %b0) {{direction = {direction} : i32{total}}} : "
                  f"(tensor<{dtype}>, tensor<{dtype}>) -> tensor<i1> \"tg.yield\"(%c) : (tensor<i1>) -> () }})")
        self.emit_all("sort", inputs, [(shape, d) for d in types], f"dim = {self.rng.randrange(len(shape))} : i64, is_stable", region)

    def pair_reduce(self, x):
        """The largest element, and how many there are that are above a constant; or the least number of them, where the initial
        values are some of the elements that are compared."""
        _, shape, dtype = x
        dims = sorted(self.rng.sample(range(len(shape)), self.rng.randint(1, len(shape))))
        kept = [d for i, d in enumerate(shape) if i not in dims]
        other, counts = self.argument(shape, "i32"), self.rng.random() < 0.5
        inits = [self.least(dtype), self.constant("i32", "0")] if counts else [self.constant(dtype), self.constant("i32")]
        self.emit_all("general_reduce", [x, other, *inits], [(kept, dtype), (kept, "i32")],
                      f"dims = array<i64: {', '.join(map(str, dims))}>", self.pair_body(dtype, "add" if counts else "min"))

    def prefixes(self, x):
        """Prefixes by a body: the largest element and a sum, or a linear recurrence."""
        rng, (_, shape, dtype) = self.rng, x
        is_linear = is_float(dtype) and rng.random() < 0.6
        if is_linear:
            x, other, init = self.bounded(x), self.bounded(self.like(x)), [self.constant(dtype, "1.0"), self.constant(dtype, "0.5")]
        else:
            other, init = self.argument(shape, "i32"), [self.least(dtype), self.constant("i32", "0")]
        inits = init if rng.random() < 0.5 else []
        flags = (", reverse" if rng.random() < 0.3 else "") + (", exclusive" if inits and rng.random() < 0.4 else "")
        results = [(shape, dtype), (shape, other[2])][:rng.randint(1, 2)]
        sizes = f"operandSegmentSizes = array<i32: 2, {len(inits)}>"
        self.emit_all("general_cumulative", [x, other, *inits], results, f"{sizes}, dim = {rng.randrange(len(shape))} : i64{flags}",
                      self.linear_body(dtype) if is_linear else self.pair_body(dtype, "add"))

    def linear_body(self, dtype):
        t = f"tensor<{dtype}>"
        return (f" ({{ ^bb0(%a: {t}, %b: {t}, %c: {t}, %d: {t}): "
                f'%ac = "tg.mul"(%a, %c) : ({t}, {t}) -> {t} %bc = "tg.mul"(%b, %c) : ({t}, {t}) -> {t} '
                f'%s = "tg.add"(%bc, %d) : ({t}, {t}) -> {t} "tg.yield"(%ac, %s) : ({t}, {t}) -> () }})')

    def pair_body(self, dtype, second):
        return (f" ({{ ^bb0(%a: tensor<{dtype}>, %b: tensor<i32>, %c: tensor<{dtype}>, %d: tensor<i32>): "
                f'%m = "tg.max"(%a, %c) : (tensor<{dtype}>, tensor<{dtype}>) -> tensor<{dtype}> '
                f'%s = "tg.{second}"(%b, %d) : (tensor<i32>, tensor<i32>) -> tensor<i32> '
                f'"tg.yield"(%m, %s) : (tensor<{dtype}>, tensor<i32>) -> () }})')

    def columns(self, x):
        """What training does with the results of column reductions: updates of their size, and elements normalised with
        the statistics of their column, which may be reduced again."""
        _, shape, dtype = x
        first = self.rng.randint(1, len(shape) - 1)  # kept dimension
        reduced, kept = ", ".join(map(str, range(first))), ", ".join(map(str, range(first, len(shape))))
        for _ in range(self.rng.randint(1, 3)):
            kind = self.rng.choice([0, 2, 3])
            if kind == 0 and is_float(dtype):
                x = self.emit("tanh", [x], shape, dtype)
            result = self.emit("reduce", [x], shape[first:], dtype, f"kind = {kind} : i32, dims = array<i64: {reduced}>")
            for _ in range(self.rng.randint(0, 2)):
                other = self.argument(shape[first:], dtype)
                result = self.emit(self.rng.choice(["add", "sub", "max"]), [other, result], shape[first:], dtype)
            if self.rng.random() < 0.3:
                return
            b = self.emit("broadcast", [result], shape, dtype, f"dims = array<i64: {kept}>")
            x = self.emit(self.rng.choice(["add", "sub"]), [x, b], shape, dtype)

    def independent(self):
        """Branches that one kernel may pack: most with inputs of their own, some with one in common (several heads), and some whose
        results are added up (several tails)."""
        rng, heads, tails = self.rng, {}, []
        kinds = ["update", "update", "update", "softmax", "sums", "columns", "few rows", "gradient", "transpose"]
        for _ in range(rng.choice([2, 3, 5, 8, 12, 20])):
            kind, dtype = rng.choice(kinds), rng.choice(["f32", "f32", "f32", "f16"])
            shape = {"update": [rng.randint(1, 3000)], "few rows": [rng.randint(1, 4), rng.choice(LONG_SIZES[-5:])],
                     "columns": [rng.choice([3, 64, 700, 2000]), rng.choice([1, 8, 24, 100])]}.get(kind, [rng.randint(1, 300), rng.choice(SIZES[2:-2])])
            key = (tuple(shape), dtype)
            if heads and rng.random() < 0.3:
                key = rng.choice(list(heads))
                shape, dtype = list(key[0]), key[1]
                kind = kind if len(shape) == 2 and kind != "update" else "update"
            if key not in heads:
                heads[key] = self.argument(shape, dtype)
            tails += self.independent_branch(kind, heads[key])
        while len(tails) > 1 and rng.random() < 0.5:  # sums of all elements, added up
            x, y = [self.emit("convert", [self.total(tails.pop(rng.randrange(len(tails))))], [], "f32") for _ in range(2)]
            self.emit("add", [x, y], [], "f32")

    def total(self, x):
        dims = ", ".join(map(str, range(len(x[1]))))
        return self.emit("reduce", [self.bounded(x)], [], x[2], f"kind = 0 : i32, dims = array<i64{': ' + dims if dims else ''}>")

    def sum_of(self, x, dim):
        return self.emit("reduce", [x], x[1][:dim] + x[1][dim + 1:], x[2], f"kind = 0 : i32, dims = array<i64: {dim}>")

    def exponentials(self, x):
        """Of rows, and their sums."""
        _, shape, dtype = x
        spread = self.emit("broadcast", [self.emit("reduce", [x], shape[:1], dtype, "kind = 3 : i32, dims = array<i64: 1>")], shape, dtype,
                           "dims = array<i64: 0>")
        weights = self.emit("exp", [self.emit("sub", [x, spread], shape, dtype)], shape, dtype)
        total = self.sum_of(weights, 1)
        return weights, total

    def divided(self, weights, total):
        return self.emit("div", [weights, self.emit("broadcast", [total], weights[1], weights[2], "dims = array<i64: 0>")], weights[1], weights[2])

    def softmax(self, x):
        """Of rows, or the logarithms of their sums of exponentials."""
        weights, total = self.exponentials(x)
        return self.emit("log", [total], total[1], total[2]) if self.rng.random() < 0.3 else self.divided(weights, total)

    def independent_branch(self, kind, x):
        """Its results."""
        rng, (_, shape, dtype) = self.rng, x
        x = self.bounded(x)
        if kind == "update":
            y = self.emit("mul", [x, self.bounded(self.argument(shape, dtype))], shape, dtype)
            return [self.emit("add", [y, x], shape, dtype)] + ([self.emit("sub", [x, y], shape, dtype)] if rng.random() < 0.5 else [])
        if kind == "columns":
            return [self.sum_of(x, 0)]
        if kind == "transpose":
            y = self.emit("transpose", [x], shape[::-1], dtype, "permutation = array<i64: 1, 0>")
            return [self.emit("add", [y, self.argument(shape[::-1], dtype)], shape[::-1], dtype)]
        if kind == "softmax":
            return [self.softmax(x)]
        row = self.sum_of(x, 1)
        if kind == "sums" or (kind == "few rows" and rng.random() < 0.5):
            return [row]
        y = self.emit("sub", [x, self.emit("broadcast", [row], shape, dtype, "dims = array<i64: 0>")], shape, dtype)
        if kind != "gradient":
            return [y]
        other = self.emit("mul", [x, self.bounded(self.argument(shape, dtype))], shape, dtype)
        return [y, self.sum_of(x, 0)] + ([self.sum_of(other, 0)] if rng.random() < 0.5 else [])

    def gradient(self):
        """Results with all elements of rows behind their sums, and sums of columns, some of them of these results; or one alone: long
        rows that a cluster has, columns that a block keeps."""
        rng, dtype, columns = self.rng, self.rng.choice(["f32", "f32", "f32", "bf16", "f16", "f64"]), self.rng.choice(GRADIENT_COLUMNS)
        shape = [rng.randint(16, max(17, min(300, self.most // columns))), columns]
        x, y = self.bounded(self.argument(shape, dtype)), self.bounded(self.argument(shape, dtype))
        products = [x, self.emit(rng.choice(["mul", "add", "max"]), [x, y], shape, dtype)]
        for kind in rng.sample([0, 2, 3], rng.choice([0, 1, 1, 1, 2])):
            row = self.emit("reduce", [rng.choice(products)], shape[:1], dtype, f"kind = {kind} : i32, dims = array<i64: 1>")
            spread = self.emit("broadcast", [row], shape, dtype, "dims = array<i64: 0>")
            products.append(self.emit(rng.choice(["sub", "min"]), [y, spread], shape, dtype))
        if rng.random() < 0.5:
            scale = self.emit("broadcast", [self.bounded(self.argument(shape[1:], dtype))], shape, dtype, "dims = array<i64: 1>")
            products.append(self.emit("mul", [self.bounded(products[-1]), scale], shape, dtype))
        for _ in range(rng.choice([0, 1, 2, 2, 3])):
            value = self.bounded(rng.choice(products))
            column = self.emit("reduce", [value], shape[1:], dtype, f"kind = {rng.choice([0, 0, 2, 3])} : i32, dims = array<i64: 0>")
            if rng.random() < 0.2:  # goes over the rows again
                spread = self.emit("broadcast", [column], shape, dtype, "dims = array<i64: 1>")
                products.append(self.emit(rng.choice(["sub", "min"]), [value, spread], shape, dtype))

    def axes(self):
        """Statistics over any dimensions of a tensor, some of these divided into groups, and elements combined with them, again and again; results
        with their dimensions in any order, and reductions to few elements."""
        rng, dtype = self.rng, self.rng.choice(["f32", "f32", "bf16", "f16", "f64", "i32"])
        while True:
            dims = [rng.choice([2, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 33, 48, 64, 100, 128, 200]) for _ in range(rng.choice([2, 3, 3, 4, 4, 5]))]
            if 4 <= math.prod(dims) <= self.most:
                break
        whole = lambda s: [math.prod(s)]  # noqa: E731
        ways = [dims]  # the same elements in other shapes: neighbouring dimensions as one, or one as two
        for _ in range(rng.choice([0, 1, 2])):
            way = list(rng.choice(ways))
            at = rng.randrange(len(way))
            factors = [f for f in (2, 3, 4, 8, 16, 32) if way[at] % f == 0 and f < way[at]]
            if factors and rng.random() < 0.6 and len(way) < 6:
                f = rng.choice(factors)
                way[at:at + 1] = [way[at] // f, f]
            elif len(way) > 1:
                at = min(at, len(way) - 2)
                way[at:at + 2] = whole(way[at:at + 2])
            ways.append(way)
        x = self.bounded(self.argument(dims, dtype))
        found = [x]
        for _ in range(rng.randint(1, 5)):
            shape, value = rng.choice(ways), rng.choice(found[-2:])
            value = value if value[1] == shape else self.emit("reshape", [value], shape, dtype)
            reduced = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
            kept = [d for d in range(len(shape)) if d not in reduced]
            small, lists = [shape[d] for d in kept], lambda l: "array<i64" + (": " + ", ".join(map(str, l)) if l else "") + ">"
            of = self.emit("mul", [value, value], shape, dtype) if rng.random() < 0.3 else value
            kind = rng.choice([0, 0, 2, 3, 3])
            if len(reduced) == 1 and rng.random() < 0.15:
                results = f"{tensor(small, dtype)}, {tensor(small, 'i32')}"
                name = f"%{self.counter}"
                self.counter += 1
                self.lines.append(f'    {name}, %i{name[1:]} = "tg.arg_reduce"({of[0]}) {{kind = 3 : i32, dim = {reduced[0]} : i64}} : ({tensor(shape, dtype)}) -> ({results})')
                self.values += [(f"{name}", small, dtype), (f"%i{name[1:]}", small, "i32")]
                row = (name, small, dtype)
            else:
                row = self.emit("reduce", [self.bounded(of)], small, dtype, f"kind = {kind} : i32, dims = {lists(reduced)}")
            if is_float(dtype) and rng.random() < 0.3:
                row = self.emit("tanh", [row], small, dtype)
            if rng.random() < 0.3 and small:
                row = self.emit(rng.choice(["add", "max"]), [row, self.argument(small, dtype)], small, dtype)
            if rng.random() < 0.2:
                continue
            spread = self.emit("broadcast", [row], shape, dtype, f"dims = {lists(kept)}")
            value = self.bounded(self.emit(rng.choice(["sub", "min", "add"]), [value, spread], shape, dtype))
            found.append(value if value[1] == dims else self.emit("reshape", [value], dims, dtype))
        for value in rng.sample(found[1:], min(len(found) - 1, rng.choice([0, 1, 1, 2]))):
            shape = rng.choice(ways)
            value = value if value[1] == shape else self.emit("reshape", [value], shape, dtype)
            order = rng.sample(range(len(shape)), len(shape))
            if order != sorted(order):
                self.emit("transpose", [value], [shape[d] for d in order], dtype, f"permutation = array<i64: {', '.join(map(str, order))}>")

    def thin(self):
        """Products of few rows with matrices, one behind the other, with few elements between them that all columns of a product want."""
        rng, dtype = self.rng, self.rng.choice(["f32", "f32", "bf16", "bf16", "f16", "f64"])
        rows, width = rng.choice([1, 1, 1, 2, 3, 5, 8]), rng.choice([48, 64, 96, 128, 200, 250, 256, 384])
        x = self.bounded(self.argument([rows, width], dtype))
        stream = x
        for _ in range(rng.randint(2, 5)):
            x = self.between(stream if rng.random() < 0.5 else x)
            inner, columns = x[1][1], rng.choice([x[1][1], width, width, 33, 160, 320, 512])
            product = self.bounded(self.product(x, self.argument([inner, columns], dtype), 1, 0))
            if rng.random() < 0.35:  # a gate
                other = self.bounded(self.product(x, self.argument([inner, columns], dtype), 1, 0))
                product = self.emit("mul", [product, self.emit("logistic", [other], other[1], dtype)], product[1], dtype)
            if product[1] == stream[1] and rng.random() < 0.7:
                product = stream = self.emit("add", [product, stream], product[1], dtype)
            x = product

    def between(self, x):
        """What is computed of a few rows: of each, of parts of them, or of all together."""
        rng, (_, shape, dtype) = self.rng, x
        kind = rng.choice(["norm", "norm", "softmax", "elements", "parts", "all", "nothing"])
        if kind == "softmax":
            return self.softmax_of(x)
        if kind == "elements":
            return self.emit("tanh", [x], shape, dtype)
        if kind == "all":
            total = self.emit("reduce", [x], [], dtype, "kind = 3 : i32, dims = array<i64: 0, 1>")
            return self.emit("sub", [x, self.emit("broadcast", [total], shape, dtype, "dims = array<i64>")], shape, dtype)
        if kind == "parts" and shape[1] % 8 == 0:
            parts = [shape[0], shape[1] // 8, 8]
            value = self.emit("reshape", [x], parts, dtype)
            most = self.emit("reduce", [value], parts[:2], dtype, f"kind = {rng.choice([2, 3])} : i32, dims = array<i64: 2>")
            value = self.emit("sub", [value, self.emit("broadcast", [most], parts, dtype, "dims = array<i64: 0, 1>")], parts, dtype)
            return self.emit("reshape", [value], shape, dtype)
        if kind == "norm":
            total = self.sum_of(self.emit("mul", [x, x], shape, dtype), 1)
            spread = self.emit("broadcast", [self.emit("tanh", [total], total[1], dtype)], shape, dtype, "dims = array<i64: 0>")
            scale = self.emit("broadcast", [self.argument(shape[1:], dtype)], shape, dtype, "dims = array<i64: 1>")
            return self.emit("mul", [self.emit("mul", [x, spread], shape, dtype), scale], shape, dtype)
        return x

    def softmax_of(self, x):
        return self.divided(*self.exponentials(x))

    def normalised(self):
        """Elements less the statistics of their columns, once or twice, of many rows: all blocks of the grid may keep theirs."""
        rng, dtype, columns = self.rng, self.rng.choice(["f32", "f32", "bf16", "f16", "f64"]), self.rng.choice([4, 24, 32, 64, 66, 100, 130])
        shape = [rng.randint(400, max(401, min(6000, self.most // columns))), columns]
        x = self.bounded(self.argument(shape, dtype))
        for _ in range(rng.choice([1, 2, 2, 3])):
            kind = rng.choice([0, 0, 2, 3])
            of = self.emit("mul", [x, x], shape, dtype) if rng.random() < 0.4 else x
            column = self.emit("reduce", [self.bounded(of)], shape[1:], dtype, f"kind = {kind} : i32, dims = array<i64: 0>")
            if rng.random() < 0.5:
                column = self.emit(rng.choice(["add", "max"]), [column, self.argument(shape[1:], dtype)], shape[1:], dtype)
            if rng.random() < 0.5:
                column = self.emit("tanh", [column], shape[1:], dtype)
            spread = self.emit("broadcast", [column], shape, dtype, "dims = array<i64: 1>")
            x = self.bounded(self.emit(rng.choice(["sub", "min", "add"]), [x, spread], shape, dtype))
        if rng.random() < 0.3:
            self.emit("reduce", [x], shape[:1], dtype, "kind = 3 : i32, dims = array<i64: 1>")

    def least(self, dtype):
        bits = {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80", "f8E4M3FN": "0xFE", "f8E5M2": "0xFC",
                "f8E5M2FNUZ": "0xFF", "f4E2M1FN": "-6.0", "f6E3M2FN": "-28.0"}
        values = {"i32": "-2147483648", "i8": "-128", "i64": "-9223372036854775808", "i4": "-8", "i2": "-2"}
        return self.constant(dtype, bits.get(dtype) or values.get(dtype, "0"))

    def constant(self, dtype, value=None):
        usual = "(0.5, -0.25)" if is_complex(dtype) else "0.5" if is_float(dtype) else "1" if dtype == "i2" else "3"
        value = value if value is not None else usual
        name = f"%{self.counter}"
        self.counter += 1
        self.lines.append(f'    {name} = "tg.constant"() {{value = dense<{value}> : tensor<{dtype}>}} : () -> tensor<{dtype}>')
        return (name, [], dtype)

    def copies(self, outputs):
        """Results that nothing computes: arguments, and others once more, in their dimensions or in one."""
        rng, found = self.rng, []
        for _ in range(rng.choice([1, 2, 3]) if rng.random() < 0.25 else 0):
            value = rng.choice(self.arguments if rng.random() < 0.5 else outputs or self.arguments)
            found.append(self.emit("reshape", [value], [math.prod(value[1])], value[2]) if rng.random() < 0.4 else value)
        return found

    def selected(self, value):
        """Few elements of a value, at positions that are arguments or made of one."""
        rng, (_, shape, dtype) = self.rng, value
        dim = rng.randrange(len(shape))
        if rng.random() < 0.5:
            indices = self.argument([rng.randint(1, max(1, shape[dim] // 2))], "i32")
            new = shape[:dim] + indices[1] + shape[dim + 1:]
            offsets = ", ".join(str(d) for d in range(len(shape)) if d != dim)
            sizes = ", ".join(str(1 if d == dim else n) for d, n in enumerate(shape))
            return self.emit("gather", [value, indices], new, dtype,
                             f"offset_dims = array<i64{': ' + offsets if offsets else ''}>, collapsed_slice_dims = array<i64: {dim}>, "
                             "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, "
                             f"start_index_map = array<i64: {dim}>, index_vector_dim = 1 : i64, slice_sizes = array<i64: {sizes}>")
        counts = [rng.choice([d, d, 1, max(1, d // 3)]) for d in shape]
        start = self.argument([], "i32")
        starts = [rng.choice([start, start, self.emit("add", [start, start], [], "i32"), self.argument([], "i32")]) for _ in shape]
        return self.emit("dynamic_slice", [value, *starts], counts, dtype, f"sizes = array<i64: {', '.join(map(str, counts))}>")

    def part(self, value):
        """Few elements of a value, in its shape or another one: nothing else of what it is computed from may be computed."""
        rng = self.rng
        for _ in range(rng.choice([1, 1, 2])):
            _, shape, dtype = value
            if len(shape) > 1 and rng.random() < 0.4:  # two dimensions are one, or one is two
                i = rng.randrange(len(shape) - 1)
                value = self.emit("reshape", [value], shape[:i] + [shape[i] * shape[i + 1]] + shape[i + 2:], dtype)
            elif rng.random() < 0.3 and any(d % 2 == 0 for d in shape):
                i = rng.choice([i for i, d in enumerate(shape) if d % 2 == 0])
                value = self.emit("reshape", [value], shape[:i] + rng.choice([[2, shape[i] // 2], [shape[i] // 2, 2]]) + shape[i + 1:], dtype)
            _, shape, dtype = value
            if shape and rng.random() < 0.4:
                value = self.selected(value)
                continue
            counts = [rng.choice([1, 1, 2, max(1, d // 4), d]) if d > 1 else 1 for d in shape]
            strides = [rng.randint(1, (d - 1) // (min(c, d) - 1)) if min(c, d) > 1 and rng.random() < 0.4 else 1 for c, d in zip(counts, shape)]
            counts = [min(c, d) for c, d in zip(counts, shape)]
            starts = [rng.randint(0, d - 1 - (c - 1) * t) for c, d, t in zip(counts, shape, strides)]
            limits = [s + (c - 1) * t + 1 for s, c, t in zip(starts, counts, strides)]
            listed = [f"{n} = array<i64: {', '.join(map(str, v))}>" for n, v in (("starts", starts), ("limits", limits), ("strides", strides))]
            value = self.emit("slice", [value], counts, dtype, ", ".join(listed))
        return value

    def text(self):
        used = {word.rstrip(",)") for line in self.lines for word in line.split("(", 1)[1].split()}
        outputs = list(self.donated.values())
        outputs += [v for v in self.values if v[0] not in used and not v[0].startswith("%arg") and v not in outputs]
        outputs += [v for v in self.rng.sample(self.values, min(2, len(self.values)))
                    if v not in outputs and not v[0].startswith("%arg")]
        outputs += self.copies(outputs)
        if self.parts:
            outputs = [v if v in self.donated.values() or not v[1] else self.part(v) for v in outputs]
        donations = {n: f" {{stitch.donated = {outputs.index(result)} : i64}}" for n, result in self.donated.items()}
        arguments = ", ".join(f"{n}: {tensor(s, d)}{donations.get(n, '')}" for n, s, d in self.arguments)
        types = ", ".join(tensor(s, d) for _, s, d in outputs)
        names = ", ".join(n for n, _, _ in outputs)
        body = "\n".join(self.lines)
        return (f"module {{\n  func.func @main({arguments}) -> ({types}) {{\n{body}\n"
                f"    func.return {names} : {types}\n  }}\n}}\n")


def input_seed(number, text):
    """The seed of a graph's inputs. The sign of a NaN that an operation makes is not specified, so that a total order may have it
    first or last, and so may what takes the first of it: such graphs have no inputs that are infinite or NaN (docs/random_inputs.md)."""
    return number + 1 if ("total_order" in text or "tg.top_k" in text) and number % 3 == 2 else number


def completeness(seed):
    """With every other seed that has infinities and NaN there are many of them, and what is left is checked, however little it is (docs/random_inputs.md)."""
    return ["--incomplete"] * (seed % 6 == 5)


NOT_CHECKED = "not checked: "


def is_partly_checked(result):
    """Whether a run of stitch-run --check has failed for one reason alone: of something that is stored too little could be compared."""
    return result.returncode == 1 and NOT_CHECKED in result.stdout and not re.search(r"^FAIL|error: ", result.stdout + result.stderr, re.M)


# Of graphs that run: by their number, what most people have more often.
RUN_PLANS = ("best", "astitch", "best", "astitch", "thin", "cheapest", "fusionstitching", "apollo", "xla", "running-always", "persistent-always",
             "attention-always", "merged")


def drawn_templates(compiler, source, options, rng, folder):
    """The option with a candidate for each of some kernels of the graph, if it has any (docs/templates.md)."""
    plan, path = os.path.join(folder, "plan.mlir"), os.path.join(folder, "templates")
    planned = subprocess.run([compiler, source, "--emit=plan", "-o", plan] + options, capture_output=True, text=True, timeout=300)
    if planned.returncode:
        return []
    chosen = []
    for key in templates.keys_of(compiler, plan):
        candidates = templates.candidates_of(compiler, plan, key) if len(chosen) < 3 else []
        if candidates:
            chosen.append(templates.drawn(rng, candidates))
    with open(path, "w", encoding="utf-8") as file:
        file.write(templates.file_of(chosen))
    return [f"--templates={path}"] if chosen else []


def plans_of(arguments, number):
    """The plans that a graph is executed by; empty: the one that an option asks for."""
    if any(option.startswith("--pipeline") for option in arguments.option):
        return [""]
    if arguments.thin and not arguments.plans:
        return [["thin", "cheapest-thin", "thin", "best"][number % 4]]
    return arguments.plans or [RUN_PLANS[number % len(RUN_PLANS)]]


def execute(arguments, source, model, options, seed, reference):
    """Compiles a graph, and compares it with the reference in three thread orders; the exit status of what failed, and what it said. NOT_CHECKED:
    nothing is wrong, but not everything could be compared."""
    partly = []

    def run(*command, environment=None):
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
        if is_partly_checked(result):  # sums that overflow, roots of negative numbers: what a graph computes may be NaN
            partly.append(True)
            result.returncode = 0
        return result

    against = [f"--reference={reference}"] if reference else []
    target = ["--target=simt,sm_90", "--no-cubins"] if arguments.double else ["--target=simt"]
    result = run(arguments.compile, source, "-o", model, *target, *options)
    for order in (0, 1, 2):
        if result.returncode == 0:
            result = run(arguments.run, model, "--device=simt", "--check", f"--seed={seed}", f"--thread-order={order}", *completeness(seed), *against)
    if arguments.double and result.returncode == 0:
        environment = {**os.environ, "STITCH_CUDA_LIBRARIES": arguments.double}
        result = run(arguments.run, model, "--device=cuda", "--check", "--repeat=3", f"--seed={seed}", *completeness(seed), *against, environment=environment)
    return result.returncode, NOT_CHECKED if partly and result.returncode == 0 else result.stdout + result.stderr[-2000:]


def drawn_versions(compiler, source, options, rng):
    """Options that give a version to each adaptive variable of the graph, three times; empty if it has none."""
    planned = subprocess.run([compiler, source, "--emit=plan", "-o", "-"] + options, capture_output=True, text=True, timeout=300).stdout
    found = re.findall(r'stitch.adaptive "(\w+)" \[([^\]]*)\]|variable = "(streams_\w+)", versions = \[([^\]]*)\]', planned)
    variables = {name or stream: re.findall(r'"([^"]+)"', versions or on) for name, versions, stream, on in found}
    return [f"--versions={','.join(f'{n}={rng.choice(v)}' for n, v in variables.items())}" for _ in range(3) if variables]


def check_versions(arguments, source, model, options, rng, seed):
    """Runs a graph with versions drawn at random; the exit status of what failed, and what it said."""
    for order, versions in enumerate(drawn_versions(arguments.compile, source, options, rng)):
        result = subprocess.run([arguments.run, model, "--check", f"--seed={seed}", f"--thread-order={order}", *completeness(seed), versions],
                                capture_output=True, text=True, timeout=300)
        if result.returncode and not is_partly_checked(result):
            return result.returncode, f"{versions}\n{result.stdout}{result.stderr[-2000:]}"
    return 0, ""


def drawn_device(rng):
    """A small one, on which it depends where loops over rows have the sums of their columns."""
    shared = rng.choice([24576, 32768, 49152, 98304, 232448, 232448])
    barrier = rng.choice([100, 400, 1350, 40000])  # of the last ones, nothing that can be done without them waits for the grid
    return (f"h200, sms = {rng.choice([2, 4, 6, 8])}, bandwidth_gbps = {rng.choice([20, 20, 50, 100])}, cluster_blocks = {rng.choice([1, 2, 4, 8])}, "
            f"gpc_sms = {rng.choice([2, 4])}, registers_per_sm = {rng.choice([32768, 32768, 65536])}, shared_per_block = {shared}, shared_per_sm = {shared + 1024}, barrier_ns = {barrier}")


def check(arguments, number):
    rng = random.Random(f"{arguments.seed}/{number}")
    text = Updates(rng).text() if arguments.updates else Graph(rng, rng.randint(2, arguments.size), long=arguments.long, layers=arguments.layers, wide=arguments.wide, loops=arguments.loops,
                 shared=arguments.versions, counted=arguments.counted, cells=arguments.cells, gradients=arguments.gradients, axes=arguments.axes, shifts=arguments.shifts, thin=arguments.thin, parts=arguments.parts, precisions=random.Random(f"{arguments.seed}/{number}/precisions")).text()
    small = []
    if number % 2 and (arguments.wide or arguments.loops):  # of what a recurrence could keep there is more than room for
        small = ["--device=h200, sms = 4, bandwidth_gbps = 100, gpc_sms = 4" + (", shared_per_sm = 24576" if arguments.loops else "")]
    if number % 2 and arguments.long:  # clusters of two blocks, whose threads have as many elements of a row as they can keep
        small = ["--device=h200, sms = 4, bandwidth_gbps = 100, gpc_sms = 2"]
    if arguments.gradients or arguments.axes or arguments.thin:
        small = [f"--device={drawn_device(random.Random(f'{arguments.seed}/{number}/device'))}"]
    if number % 2 and arguments.updates:  # a kernel costs nothing: slices of buffers that are read are scatters
        small = ["--device=h200, launch_ns = 1"]
    seed = input_seed(number, text)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "graph.mlir")
        with open(source, "w") as file:
            file.write(text)
        reference, partly = None, ""  # the reference of the first plan is that of all
        for plan in plans_of(arguments, number):
            model = os.path.join(folder, f"model_{plan}.so")
            streams = " streams=2" if arguments.versions and number % 2 else ""  # with races between steps looked for
            options = ([f"--pipeline=plan={plan}{streams}"] if plan else []) + small + arguments.option + ["--adaptive"] * arguments.versions
            options += ["--checks"] * bool(streams)
            if arguments.plans and number % 4 == 2 and not streams:
                options += ["--checks"]
            if number % 4 == 1:
                options += drawn_templates(arguments.compile, source, options, rng, folder)
            status, output = execute(arguments, source, model, options + (["--no-reference"] if reference else []), seed, reference)
            partly = partly or output * (status == 0)
            if status == 0 and arguments.versions:
                status, output = check_versions(arguments, source, model, options, rng, seed)
            if status:
                return number, text, status, f"{' '.join(options)}\n{output}"
            reference = reference or model
    return number, text, 0, partly


#===----------------------------------------------------------------------===#
# Planning only
#===----------------------------------------------------------------------===#

BATCH = 50
PLANS = ["astitch", "astitch-by-cost", "hdm", "atm", "xla", "fusionstitching", "apollo", "cheapest", "thin", "cheapest-thin", "rolled", "running-always", "persistent-always", "merged", "best"]
KERNELS = "convert-stitch-to-gpu"
TOO_LARGE = "a kernel indexes at most"  # the refusal of tensors whose elements 32 bits do not count: no failure
PASSES = "stitch-dominants,stitch-thread-mapping,stitch-axes,stitch-tiles,stitch-replicate,stitch-schemes,stitch-schedule,stitch-buffers,stitch-launch"


def pipelines(arguments, number):
    """The pass pipelines that graph `number` goes through: those of --plans, or one of all plans and one of remote stitching."""
    device = ("h200", "a100", "t4", "v100", "simt")[number % 5]
    policy = ("exhaustive", "similar", "gain")[number // 5 % 3]
    plans = arguments.plans or [PLANS[number // 15 % len(PLANS)]]
    planned = [f"builtin.module(stitch-pipeline{{device={device} plan={plan}}},stitch-verify-plan,{KERNELS})" for plan in plans]
    return planned if arguments.plans else planned + [
        f"builtin.module(tg-simplify,stitch-set-device{{device={device}}},stitch-outline,"
        f"stitch-remote{{policy={policy}}},{PASSES},stitch-verify-plan,{KERNELS})"]


def plan_text(arguments, number):
    rng = random.Random(f"{arguments.seed}/{number}")
    return Graph(rng, rng.randint(2, arguments.size), plan=True, wide=arguments.wide, loops=arguments.loops).text()


def run_plan(arguments, texts, pipeline):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "graphs.mlir")
        with open(source, "w") as file:
            file.write("\n// -----\n".join(texts))
        command = [arguments.opt, source, "--split-input-file", f"--pass-pipeline={pipeline}", "-o", os.devnull]
        result = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    wrong = [line for line in errors if TOO_LARGE not in line]
    refused = result.returncode == 1 and errors and not wrong
    return 0 if refused else result.returncode, "\n".join(wrong) or result.stderr[-2000:]


def plan_batch(arguments, numbers):
    """The graphs of a batch that fail, as (number, text, output). All have the same pipelines."""
    texts = {number: plan_text(arguments, number) for number in numbers}
    failures = []
    for pipeline in pipelines(arguments, numbers[0]):
        if run_plan(arguments, list(texts.values()), pipeline)[0] == 0:
            continue
        for number, text in texts.items():
            status, output = run_plan(arguments, [text], pipeline)
            if status:
                failures.append((number, text, f"status {status} in {pipeline}\n{output}"))
    return failures


def plan_all(arguments):
    """Graphs with equal pipelines go through one process."""
    last = arguments.first + arguments.count
    batches = []
    for first in range(arguments.first, min(arguments.first + 60, last)):
        alike = range(first, last, 60)
        batches += [alike[i:i + BATCH] for i in range(0, len(alike), BATCH)]
    failed = set()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for failures in pool.map(lambda numbers: plan_batch(arguments, numbers), batches):
            for number, text, output in failures:
                failed.add(number)
                print(f"graph {number}: {output}")
                keep(arguments, number, text)
    print(f"{arguments.count - len(failed)} of {arguments.count} graphs of seed {arguments.seed} are planned and verified, {len(failed)} fail")
    return 1 if failed else 0


def keep(arguments, number, text):
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        with open(os.path.join(arguments.keep, f"graph_{number}.mlir"), "w") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=30)
    parser.add_argument("--keep", help="folder for the graphs that fail")
    parser.add_argument("--long", action="store_true", help="few and long rows")
    parser.add_argument("--layers", action="store_true", help="with matrix products and what libraries do besides")
    parser.add_argument("--loops", action="store_true", help="begins with a recurrence, which can be inside of a kernel")
    parser.add_argument("--counted", action="store_true", help="begins with several counted loops, some of which read others")
    parser.add_argument("--cells", action="store_true", help="begins with a recurrent layer, as a loop or unrolled")
    parser.add_argument("--gradients", action="store_true", help="begins with sums by rows and by columns of long rows; for drawn devices")
    parser.add_argument("--axes", action="store_true", help="begins with statistics over any dimensions, with groups, and results in any order")
    parser.add_argument("--parts", action="store_true", help="of its results few elements are read (tg-infer-bounds)")
    parser.add_argument("--shifts", action="store_true", help="begins with chains of values that are read at several places")
    parser.add_argument("--thin", action="store_true", help="a decoder of few rows, for drawn devices")
    parser.add_argument("--updates", action="store_true", help="buffers that are updated in loops, branches and one behind the other (test/generators/random_updates.py)")
    parser.add_argument("--wide", action="store_true", help="begins with independent branches, which one kernel packs")
    parser.add_argument("--versions", action="store_true", help="begins with products that share operands; --adaptive, with versions drawn at random")
    parser.add_argument("--double", metavar="DIR", help="run on this test double of the CUDA driver and libraries, too")
    parser.add_argument("--plans", type=lambda names: names.split(","), help="each graph by each of these, a quarter of them with --checks; otherwise by one")
    parser.add_argument("--jobs", type=int, default=2, help="at the same time")
    parser.add_argument("--option", action="append", default=[], help="passed to stitch-compile")
    parser.add_argument("--plan", action="store_true", help="plan and verify, without executing")
    parser.add_argument("--opt", help="stitch-opt, for --plan")
    parser.add_argument("--compile", help="stitch-compile")
    parser.add_argument("--run", help="stitch-run")
    arguments = parser.parse_args()
    if arguments.plan:
        if not arguments.opt:
            parser.error("--plan needs --opt")
        return plan_all(arguments)
    if not arguments.compile or not arguments.run:
        parser.error("--compile and --run are needed")
    failed = partly = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        numbers = range(arguments.first, arguments.first + arguments.count)
        for number, text, status, output in pool.map(lambda n: check(arguments, n), numbers):
            if number % 100 == 99:
                print(f"{number + 1 - arguments.first} of {arguments.count}, {failed} fail", file=sys.stderr, flush=True)
            if status == 0:
                partly += output == NOT_CHECKED
                continue
            failed += 1
            print(f"graph {number} failed with status {status}:\n{output}", flush=True)
            keep(arguments, number, text)
    print(f"{arguments.count - failed} of {arguments.count} graphs agree with the reference, {failed} fail; {partly} could be compared in part alone")
    if partly > max(3, arguments.count // 8):
        print("too few could be compared as a whole")
    return 1 if failed or partly > max(3, arguments.count // 8) else 0


if __name__ == "__main__":
    sys.exit(main())
