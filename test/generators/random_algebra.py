#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random sums, products, negations and transposes of integers and floats, against NumPy: every bit must be equal.

usage: random_algebra.py --bin DIR [--count N] [--first N]

The reference of stitch-run is made of the graph behind tg-simplify, so that it cannot tell what the identities of
dialects/tg/tg_canonicalize_algebra.cpp and tg_canonicalize_transposes.cpp make wrong. Integers wrap around; among the floats are zeros of
both signs, subnormal numbers, the largest ones, infinities and NaN, whose sign and payload do not count. Exit status 1 if a program
differs; it is printed.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

import random_programs

TYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui32": np.uint32, "f16": np.float16, "f32": np.float32, "f64": np.float64}
FACTORS = [-1.0, -2.0, 2.0, 4.0, 1024.0, 0.5, -0.25, 3.0, 1.5, -0.75, 0.0, -0.0]
ROWS, COLUMNS = 4, 32
STEPS = 24


def special(dtype):
    info = np.finfo(dtype)
    return np.array([0, -0.0, info.smallest_subnormal, -info.smallest_subnormal, 3 * info.smallest_subnormal, info.tiny, -info.tiny, info.max,
                     -info.max, info.max / 2, info.max / 3, np.inf, -np.inf, np.nan, 1, -1.5], dtype)


class Program:
    """Operations on tensors of 4 x 32 and 32 x 4, all of whose values nobody else reads are results."""

    def __init__(self, rng):
        self.rng, self.lines = rng, []
        self.element = str(rng.choice(list(TYPES)))
        self.dtype = TYPES[self.element]
        self.isFloat = self.element.startswith("f")
        self.inputs = [self.random_input() for _ in range(2)]
        self.values = [(f"%in{i}", x) for i, x in enumerate(self.inputs)]
        self.read = set()
        for _ in range(STEPS):
            self.step()

    def random_input(self):
        if not self.isFloat:
            info = np.iinfo(self.dtype)
            return self.rng.integers(info.min, info.max, (ROWS, COLUMNS), self.dtype, endpoint=True)
        bits = self.rng.integers(0, 256, (ROWS, COLUMNS * np.dtype(self.dtype).itemsize), np.uint8).view(self.dtype)
        return np.where(self.rng.random((ROWS, COLUMNS)) < 0.5, bits, self.rng.choice(special(self.dtype), (ROWS, COLUMNS)))

    def type_of(self, x):
        return f"tensor<{'x'.join(map(str, x.shape))}x{self.element}>"

    def constant(self, shape):
        """One element for all, or different ones."""
        if self.isFloat:
            values = self.rng.choice(FACTORS if self.rng.random() < 0.8 else special(self.dtype)[:10], 1).astype(self.dtype)
        else:
            info = np.iinfo(self.dtype)
            values = self.rng.choice(np.array([0, 1, 2, 3, 7, info.max, info.min, info.max // 2 + 1], self.dtype),
                                     1 if self.rng.random() < 0.7 else shape[-1])
        x = np.broadcast_to(values, shape).astype(self.dtype)
        bits = np.ascontiguousarray(x)
        text = f'"0x{bits.astype(bits.dtype.newbyteorder("<")).tobytes().hex().upper()}"' if len(values) > 1 else self.literal(values[0])
        return self.append(f"tg.constant dense<{text}>", x)

    def literal(self, value):
        if not self.isFloat:
            return str(value)
        width = np.dtype(self.dtype).itemsize
        return f"0x{int.from_bytes(np.array(value, self.dtype).tobytes(), 'little'):0{2 * width}X}"

    def append(self, text, x):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text} : {self.type_of(x)}")
        return name, x

    def pick(self, shape=None):
        """An input, whose elements are special, or rather a late value."""
        some = [value for value in self.values if shape is None or value[1].shape == shape]
        if self.rng.random() < 0.4:
            return some[int(self.rng.integers(0, min(2, len(some))))]
        return some[max(len(some) - 1 - int(self.rng.exponential(2)), 0)]

    def step(self):
        kind = str(self.rng.choice(["add", "sub", "mul", "neg", "transpose"] + (["div", "abs"] if self.isFloat else [])))
        name, x = self.pick()
        self.read.add(name)
        if kind in ("neg", "abs"):
            self.values.append(self.append(f"tg.{kind} {name}", (-x if kind == "neg" else np.abs(x)).astype(self.dtype)))
        elif kind == "transpose":
            result = f"%v{len(self.lines)}"
            self.lines.append(f"  {result} = tg.transpose {name} permutation [1, 0] : ({self.type_of(x)}) -> {self.type_of(x.T)}")
            self.values.append((result, np.ascontiguousarray(x.T)))
        else:
            other, y = self.constant(x.shape) if self.rng.random() < 0.6 or kind == "div" else self.pick(x.shape)
            self.read.add(other)
            if self.rng.random() < 0.3:
                name, x, other, y = other, y, name, x
            compute = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[kind]
            self.values.append(self.append(f"tg.{kind} {name}, {other}", compute(x, y).astype(self.dtype)))
            if self.rng.random() < 0.5:  # what constants are put together of
                name, x = self.values.pop()
                other, y = self.constant(x.shape)
                self.values.append(self.append(f"tg.{kind} {name}, {other}", compute(x, y).astype(self.dtype)))

    def results(self):
        return [value for value in self.values if value[0] not in self.read]

    def text(self):
        arguments = ", ".join(f"%in{i}: {self.type_of(x)}" for i, x in enumerate(self.inputs))
        names, types = (", ".join(parts) for parts in zip(*[(name, self.type_of(x)) for name, x in self.results()]))
        return f"func.func @main({arguments}) -> ({types}) {{\n" + "\n".join(self.lines) + f"\n  return {names} : {types}\n}}\n"


def outputs(options, program, folder):
    """The results, or what was said in place of them."""
    source, model, out = (os.path.join(folder, name) for name in ("program.mlir", "program.so", "out"))
    with open(source, "w") as file:
        file.write(program.text())
    arguments = []
    for i, array in enumerate(program.inputs):
        np.save(os.path.join(folder, f"in{i}.npy"), array)
        arguments += ["--input", f"{i}:{os.path.join(folder, f'in{i}.npy')}"]
    for command in ([os.path.join(options.bin, "stitch-compile"), source, "-o", model, "--target=simt", "--pipeline=precision=strict"],
                    [os.path.join(options.bin, "stitch-run"), model, "--device=simt", "--output", out, *arguments]):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            return result.stderr
    return [np.load(os.path.join(out, f"output_{i}.npy")) for i in range(len(program.results()))]


def are_equal(x, y):
    """Bit for bit, but for NaNs."""
    if x.dtype.kind != "f":
        return np.array_equal(x, y)
    return np.array_equal(x, y, equal_nan=True) and np.array_equal(np.signbit(x)[~np.isnan(x)], np.signbit(y)[~np.isnan(y)])


def differs(options, number):
    with np.errstate(all="ignore"):
        program = Program(np.random.default_rng(number))
    with tempfile.TemporaryDirectory() as folder:
        results = outputs(options, program, folder)
    if not isinstance(results, str):
        wrong = [name for (name, x), y in zip(program.results(), results) if not are_equal(x, y)]
        if not wrong:
            return False
    print(f"program {number}:\n{program.text()}", results if isinstance(results, str) else f"differ: {', '.join(wrong)}")
    return True


if __name__ == "__main__":
    sys.exit(random_programs.run(__doc__, differs))
