#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs whose cost may explode: how much code they become, and how much of it a thread executes, by their size.

usage: cliffs.py --compile STITCH_COMPILE [--only FAMILY] [--sizes N,...]
       cliffs.py --print FAMILY N
       cliffs.py --print-local FAMILY N

Each family is a graph of any size; its values are read at several shifted or gathered places, or by windows, level behind level, so that
whoever computes them where they are read has twice the work with each level. From its least to its largest size the operations in the kernels
(--emit=gpu), and those that a thread executes, loops of a known number of iterations counted, may grow as the 1.5th power of the size, and no
size may take longer than a minute of a processor. Exit status 1 if one does. Branches that are cut at other levels make single sizes differ more than that.
--print-local prints a plan that keeps nothing: one thread computes each value wherever it is asked for.
"""
import argparse
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

SLOPE = 1.5
SECONDS = 60


class Program:
    """The text of a function, operation by operation. A value is (name, shape)."""

    def __init__(self):
        self.lines, self.arguments = [], []

    def argument(self, *shape, dtype="f32"):
        self.arguments.append((f"%arg{len(self.arguments)}", shape, dtype))
        return self.arguments[-1][:2]

    @staticmethod
    def type(shape, dtype="f32"):
        return f"tensor<{''.join(f'{d}x' for d in shape)}{dtype}>"

    def op(self, name, operands, shape, attributes="", dtypes=None):
        result = (f"%{len(self.lines)}", tuple(shape))
        dtypes = dtypes or ["f32"] * len(operands)
        types = ", ".join(self.type(s, d) for (_, s), d in zip(operands, dtypes))
        self.lines.append(f'  {result[0]} = "tg.{name}"({", ".join(n for n, _ in operands)}) {{{attributes}}} : ({types}) -> {self.type(shape)}')
        return result

    def add(self, x, y):
        return self.op("add", [x, y], x[1])

    def halved_sum(self, x, y):
        return self.op("tanh", [self.add(x, y)], x[1])

    def constant(self, value, shape=()):
        return self.op("constant", [], shape, f"value = dense<{value}> : {self.type(shape)}")

    def slice(self, x, starts, limits, strides=None):
        strides = strides or [1] * len(starts)
        shape = [-(-(l - s) // t) for s, l, t in zip(starts, limits, strides)]
        return self.op("slice", [x], shape, f"starts = {array(starts)}, limits = {array(limits)}, strides = {array(strides)}")

    def part(self, x, dim, start, limit):
        starts, limits = [0] * len(x[1]), list(x[1])
        starts[dim], limits[dim] = start, limit
        return self.slice(x, starts, limits)

    def concatenate(self, parts, dim):
        shape = list(parts[0][1])
        shape[dim] = sum(p[1][dim] for p in parts)
        return self.op("concatenate", parts, shape, f"dim = {dim} : i64")

    def roll(self, x, by, dim=0):
        size = x[1][dim]
        return self.concatenate([self.part(x, dim, size - by % size, size), self.part(x, dim, 0, size - by % size)], dim)

    def pad(self, x, low, high, interior=None):
        interior = interior or [0] * len(low)
        shape = [d + l + h + max(d - 1, 0) * i for d, l, h, i in zip(x[1], low, high, interior)]
        return self.op("pad", [x, self.constant("0.0")], shape, f"low = {array(low)}, high = {array(high)}, interior = {array(interior)}")

    def text(self, results):
        arguments = ", ".join(f"{n}: {self.type(s, d)}" for n, s, d in self.arguments)
        types = ", ".join(self.type(s) for _, s in results)
        body = "\n".join(self.lines)
        return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n  return {', '.join(n for n, _ in results)} : {types}\n}}\n"


    def local_plan(self, result):
        """A module with one kernel, in which only the result is a root."""
        member = "stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>"
        root = ("stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, "
                f"rows = 1, columns = {math.prod(result[1])}, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = {-(-math.prod(result[1]) // 32)}>")
        arguments = ", ".join(f"{n}: {self.type(s, d)}" for n, s, d in self.arguments)
        inside = ", ".join(f"{n}i = {n}" for n, _, _ in self.arguments)
        types, of_result = ", ".join(self.type(s, d) for _, s, d in self.arguments), self.type(result[1])
        body = "\n".join(re.sub(r"(%arg\d+)", r"\1i", line).replace("{", "{" + (root if line.startswith(f"  {result[0]} ") else member) + ", ", 1).replace(", }", "}")
                         for line in self.lines)
        return (f"module attributes {{stitch.device = #stitch.device<h200>}} {{\nfunc.func @main({arguments}) -> {of_result} {{\n"
                f"%f = stitch.fusion({inside}) : ({types}) -> {of_result} attributes {{stitch.launch = #stitch.launch<grid = {-(-math.prod(result[1]) // 32)}, "
                f"block = 32, registers = 255, shared = 0, scratch = 0, barriers = 0>}} {{\n{body}\n  stitch.yield {result[0]} : {of_result}\n}}\n"
                f"return %f : {of_result}\n}}\n}}\n")


def array(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def rolls(p, n):
    x = p.argument(257)
    for i in range(n):
        x = p.halved_sum(x, p.roll(x, 1 + i % 7))
    return [x]


def periodic_stencil(p, n):
    x = p.argument(64, 64)
    for _ in range(n):
        around = [p.roll(x, by, dim) for dim in (0, 1) for by in (1, -1)]
        y = x
        for neighbour in around:
            y = p.add(y, neighbour)
        x = p.op("tanh", [y], y[1])
    return [x]


def padded_stencil(p, n):
    x = p.argument(33, 47)
    for _ in range(n):
        padded, y = p.pad(x, [1, 1], [1, 1]), x
        for row, column in ((0, 1), (2, 1), (1, 0), (1, 2)):
            y = p.add(y, p.slice(padded, [row, column], [row + 33, column + 47]))
        x = p.op("tanh", [y], y[1])
    return [x]


def inner_stencil(p, n):
    """Each step has two elements less."""
    x = p.argument(2 * n + 40)
    for _ in range(n):
        size = x[1][0]
        x = p.halved_sum(p.add(p.part(x, 0, 0, size - 2), p.part(x, 0, 2, size)), p.part(x, 0, 1, size - 1))
    return [x]


def updates(p, n):
    """A heat equation: the inner part is replaced."""
    x = p.argument(1000)
    one = p.argument(dtype="i32")
    for _ in range(n):
        inner = p.halved_sum(p.add(p.part(x, 0, 0, 998), p.part(x, 0, 2, 1000)), p.part(x, 0, 1, 999))
        x = p.op("dynamic_update_slice", [x, inner, one], x[1], dtypes=["f32", "f32", "i32"])
    return [x]


def dynamic_slices(p, n):
    x = p.argument(300)
    for _ in range(n):
        start = p.argument(dtype="i32")
        twice = p.concatenate([x, x], 0)
        moved = p.op("dynamic_slice", [twice, start], x[1], "sizes = array<i64: 300>", ["f32", "i32"])
        x = p.halved_sum(x, moved)
    return [x]


def gathers(p, n):
    x = p.argument(257)
    for _ in range(n):
        indices = p.argument(257, dtype="i32")
        moved = p.op("gather", [x, indices], x[1],
                     "offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims "
                     "= array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>", ["f32", "i32"])
        x = p.halved_sum(x, moved)
    return [x]


def log_steps(p, n):
    """Prefixes of 2^n elements, as maxima with zeros, which tg-raise-cumulatives does not make one operation."""
    x = p.argument(2**n)
    for i in range(n):
        x = p.op("max", [x, p.pad(p.part(x, 0, 0, 2**n - 2**i), [2**i], [0])], x[1])
    return [x]


def associative_scan(p, n):
    """As jax.lax.associative_scan writes it: the even elements from the odd ones, by another function, so that it is no cumulative operation."""

    def scan(x):
        size = x[1][0]
        if size < 2:
            return x
        pairs = p.add(p.slice(x, [0], [size - 1], [2]), p.slice(x, [1], [size], [2]))
        odd = scan(pairs)
        even = p.halved_sum(p.part(odd, 0, 0, odd[1][0] - 1) if size % 2 == 0 else odd, p.slice(x, [2], [size], [2]))
        even = p.concatenate([p.part(x, 0, 0, 1), even], 0)
        a = p.pad(even, [0], [odd[1][0] + even[1][0] - 2 * even[1][0] + 1], [1])
        b = p.pad(odd, [1], [odd[1][0] + even[1][0] - 2 * odd[1][0]], [1])
        return p.add(a, b)

    return [scan(p.argument(2**n))]


def transposes(p, n):
    x = p.argument(24, 36)
    for _ in range(n):
        moved = p.op("reshape", [p.op("transpose", [x], (36, 24), "permutation = array<i64: 1, 0>")], x[1])
        x = p.halved_sum(x, moved)
    return [x]


def windows(p, n):
    x = p.argument(48, 40)
    for _ in range(n):
        ones, around = "array<i64: 1, 1>", "array<i64: 1, 1>"
        x = p.op("reduce_window", [x], x[1], f"kind = 3 : i32, window_dimensions = array<i64: 3, 3>, window_strides = {ones}, base_dilations = {ones}, "
                 f"window_dilations = {ones}, padding_low = {around}, padding_high = {around}")
    return [x]


def chain_of_sets(p, n):
    """x = x.at[i + 1].set(tanh(x[i] + x[j])), j going back and forth."""
    x = p.argument(4096)
    for i in range(n):
        parts = [p.op("reshape", [p.part(x, 0, at, at + 1)], ()) for at in (i, 7 * i % (i + 1))]
        new = p.halved_sum(*parts)
        index = p.op("constant", [], (1,), f"value = dense<{i + 1}> : tensor<1xi32>")
        p.lines[-1] = p.lines[-1].replace("-> tensor<1xf32>", "-> tensor<1xi32>")
        x = p.op("scatter", [x, index, new], x[1], "kind = 7 : i32, update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, "
                 "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, "
                 "index_vector_dim = 0 : i64", dtypes=["f32", "i32", "f32"])
    return [x]


# Sizes are numbers of levels.
FAMILIES = {"rolls": (rolls, [16, 32, 64, 128]), "periodic_stencil": (periodic_stencil, [4, 8, 16]), "padded_stencil": (padded_stencil, [4, 8, 16]),
            "inner_stencil": (inner_stencil, [16, 32, 64, 128]), "updates": (updates, [16, 32, 64]), "dynamic_slices": (dynamic_slices, [16, 32, 64]),
            "gathers": (gathers, [8, 16, 32]), "log_steps": (log_steps, [7, 8, 9, 10]), "associative_scan": (associative_scan, [6, 7, 8, 9]),
            "transposes": (transposes, [8, 16, 32]), "windows": (windows, [2, 4, 8]), "chain_of_sets": (chain_of_sets, [16, 64, 256])}


def text_of(family, size):
    program = Program()
    return program.text(FAMILIES[family][0](program, size))


def iterations(line):
    """Of a loop from one constant to another one; 1 of others."""
    bounds = re.search(r"scf\.for \S+ = %c(\d+)\w* to %c(\d+)\w* step %c(\d+)", line)
    return max(1, -(-(int(bounds[2]) - int(bounds[1])) // int(bounds[3]))) if bounds else 1


def count(compiler, family, size, folder):
    """The operations in kernels, and those that a thread executes; an exception after a minute of a processor."""
    source, result = os.path.join(folder, "program.mlir"), os.path.join(folder, "kernels.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text_of(family, size))
    subprocess.run([compiler, source, "--emit=gpu", "--device=h200", "-o", result], check=True,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
    operations, executed, times = 0, 0, [1]
    with open(result, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line.startswith("}"):
                times.pop()
            if re.match(r"(%\S+(, %\S+)* = |memref\.store|vector\.store)", line):
                operations += 1
                executed += times[-1]
            if line.endswith("{"):
                times.append(times[-1] * iterations(line))
    return operations, executed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile")
    parser.add_argument("--only")
    parser.add_argument("--sizes")
    parser.add_argument("--print", nargs=2)
    parser.add_argument("--print-local", nargs=2)
    options = parser.parse_args()
    if options.print_local:
        program = Program()
        print(program.local_plan(FAMILIES[options.print_local[0]][0](program, int(options.print_local[1]))[0]), end="")
        return
    if options.print:
        print(text_of(options.print[0], int(options.print[1])), end="")
        return
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for family, (_, sizes) in FAMILIES.items():
            if options.only not in (None, family):
                continue
            sizes = [int(n) for n in options.sizes.split(",")] if options.sizes else sizes
            try:
                counts = [count(options.compile, family, size, folder) for size in sizes]
            except subprocess.CalledProcessError:
                counts = [(1, 1), (float("inf"), float("inf"))]
            slope = max(math.log(b / a) for a, b in zip(counts[0], counts[-1])) / math.log(sizes[-1] / sizes[0])
            grows = slope > SLOPE
            wrong += grows
            print(f"{family}: {', '.join(f'{n} ({times} executed)' for n, times in counts)} operations, slope {slope:.2f}{' EXPLODES' if grows else ''}", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
