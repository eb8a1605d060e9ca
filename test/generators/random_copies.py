#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of padded, sliced, reversed, repeated, joined and reduced tensors, against NumPy: results must be equal.

usage: random_copies.py --bin DIR [--count N] [--first N]

The reference of stitch-run is made of the graph behind tg-simplify, so that it cannot tell what the identities of
dialects/tg/tg_canonicalize_copies.cpp make wrong. Sums are of integers: of floats a product is rounded otherwise. Exit status 1 if a
program differs; it is printed.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

import random_programs

LARGEST = 20000  # elements of a value


def padded(x, value, low, high, interior):
    """Elements apart by `interior`, in a tensor of `value`; negative padding takes elements away."""
    apart = np.full([size + max(size - 1, 0) * between for size, between in zip(x.shape, interior)], value)
    apart[tuple(slice(None, None, between + 1) for between in interior)] = x
    around = np.pad(apart, [(max(a, 0), max(b, 0)) for a, b in zip(low, high)], constant_values=value)
    return around[tuple(slice(max(-a, 0), size - max(-b, 0)) for a, b, size in zip(low, high, around.shape))]


class Program:
    """Text of operations; `value` is the last one."""

    def __init__(self, rng):
        self.rng, self.lines, self.count = rng, [], 0
        self.element = rng.choice(["f32", "i32"])
        self.least = int(rng.random() < 0.75)  # of the sizes: a quarter of the programs has values without elements
        self.shapes = [self.random_shape() for _ in range(2)]
        self.value, self.shape = "%in0", self.shapes[0]
        dtype = np.float32 if self.element == "f32" else np.int32
        self.inputs = [rng.integers(-1000, 1000, shape).astype(dtype) for shape in self.shapes + [[]]]
        self.result = self.inputs[0]

    def random_shape(self):
        return [int(size) for size in self.rng.integers(2, 8, self.rng.integers(1, 4))]

    def tensor(self, shape):
        return "tensor<" + "".join(f"{size}x" for size in shape) + f"{self.element}>"

    def add(self, text, shape, compute):
        """Appends an operation whose result has the shape, and is what `compute` makes of the last value."""
        if min(shape, default=1) < self.least or np.prod(shape) > LARGEST:
            return
        self.result = compute(self.result).astype(self.result.dtype).reshape(shape)
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        self.value, self.shape, self.count = name, shape, self.count + 1

    def pad(self):
        if not self.shape:
            return
        low, high = (self.rng.integers(-1, 4, len(self.shape)).tolist() for _ in range(2))
        interior = self.rng.integers(0, 2, len(self.shape)).tolist() if self.rng.random() < 0.2 else [0] * len(self.shape)
        shape = [size + a + b + max(size - 1, 0) * c for size, a, b, c in zip(self.shape, low, high, interior)]
        self.add(f"tg.pad {self.value}, %value low {low} high {high} interior {interior} : ({self.tensor(self.shape)}, {self.tensor([])})"
                 f" -> {self.tensor(shape)}", shape, lambda x: padded(x, self.inputs[2], low, high, interior))

    def slice(self):
        starts = [int(self.rng.integers(0, size + 1 - self.least)) for size in self.shape]
        limits = [int(self.rng.integers(start + self.least, size + 1)) for start, size in zip(starts, self.shape)]
        strides = self.rng.integers(1, 3, len(self.shape)).tolist()
        shape = [-((start - limit) // stride) for start, limit, stride in zip(starts, limits, strides)]
        parts = ", ".join(f"{start}:{limit}:{stride}" for start, limit, stride in zip(starts, limits, strides))
        self.add(f"tg.slice {self.value} [{parts}] : ({self.tensor(self.shape)}) -> {self.tensor(shape)}", shape,
                 lambda x: x[tuple(map(slice, starts, limits, strides))])

    def reverse(self):
        dims = [dim for dim in range(len(self.shape)) if self.rng.random() < 0.6] or [0]
        if self.shape:
            self.add(f"tg.reverse {self.value} dims {dims} : {self.tensor(self.shape)}", self.shape, lambda x: np.flip(x, dims))

    def broadcast(self):
        rank = min(len(self.shape) + int(self.rng.integers(0, 3)), 4)
        dims = sorted(self.rng.choice(rank, len(self.shape), replace=False).tolist())
        shape = self.rng.integers(1, 6, rank).tolist()
        for dim, size in zip(dims, self.shape):
            shape[dim] = size if size != 1 else shape[dim]
        expanded = [1] * rank
        for dim, size in zip(dims, self.shape):
            expanded[dim] = size
        self.add(f"tg.broadcast {self.value} dims {dims} : ({self.tensor(self.shape)}) -> {self.tensor(shape)}", shape,
                 lambda x: np.broadcast_to(x.reshape(expanded), shape))

    def concatenate(self):
        if not self.shape:
            return
        dim = int(self.rng.integers(0, len(self.shape)))
        operands = [self.value, "%other"] if len(self.shape) == len(self.shapes[1]) and all(
            a == b for i, (a, b) in enumerate(zip(self.shape, self.shapes[1])) if i != dim) else [self.value] * 2
        shapes = [self.shapes[1] if operand == "%other" else self.shape for operand in operands]
        shape = list(self.shape)
        shape[dim] = sum(s[dim] for s in shapes)
        self.add(f"tg.concatenate {', '.join(operands).replace('%other', '%in1')} dim {dim} : ({', '.join(map(self.tensor, shapes))}) -> {self.tensor(shape)}", shape,
                 lambda x: np.concatenate([self.inputs[1] if operand == "%other" else x for operand in operands], dim))

    def reduce(self):
        dims = [dim for dim in range(len(self.shape)) if self.rng.random() < 0.5]
        kind = self.rng.choice(["max", "min"] + (["add"] if self.element == "i32" else []))
        shape = [size for dim, size in enumerate(self.shape) if dim not in dims]
        if dims and (kind == "add" or all(self.shape[dim] for dim in dims)):
            compute = {"max": np.max, "min": np.min, "add": np.sum}[str(kind)]
            self.add(f"tg.reduce {kind} {self.value} dims {dims} : ({self.tensor(self.shape)}) -> {self.tensor(shape)}", shape,
                     lambda x: compute(x, axis=tuple(dims)))

    def text(self):
        arguments = f"%in0: {self.tensor(self.shapes[0])}, %in1: {self.tensor(self.shapes[1])}, %value: {self.tensor([])}"
        return (f"func.func @main({arguments}) -> {self.tensor(self.shape)} {{\n" + "\n".join(self.lines)
                + f"\n  return {self.value} : {self.tensor(self.shape)}\n}}\n")


def make_program(rng):
    program = Program(rng)
    steps = [program.pad, program.slice, program.reverse, program.broadcast, program.concatenate, program.reduce]
    weights = np.array([3, 4, 2, 3, 2, 2]) / 16
    for step in rng.choice(len(steps), int(rng.integers(2, 8)), p=weights):
        steps[step]()
    return program


def output(options, program, folder):
    """The result, or what was said in place of one."""
    source, model, out = (os.path.join(folder, name) for name in ("program.mlir", "program.so", "out"))
    with open(source, "w") as file:
        file.write(program.text())
    arguments = []
    for i, array in enumerate(program.inputs):
        np.save(os.path.join(folder, f"in{i}.npy"), array)
        arguments += ["--input", f"{i}:{os.path.join(folder, f'in{i}.npy')}"]
    for command in ([os.path.join(options.bin, "stitch-compile"), source, "-o", model, "--target=simt"],
                    [os.path.join(options.bin, "stitch-run"), model, "--device=simt", "--output", out, *arguments]):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            return result.stderr
    return np.load(os.path.join(out, "output_0.npy"))


def differs(options, number):
    program = make_program(np.random.default_rng(number))
    with tempfile.TemporaryDirectory() as folder:
        result = output(options, program, folder)
    if not isinstance(result, str) and np.array_equal(result, program.result):
        return False
    print(f"program {number}:\n{program.text()}", result if isinstance(result, str) else "")
    return True


if __name__ == "__main__":
    sys.exit(random_programs.run(__doc__, differs))
