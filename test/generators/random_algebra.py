#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random sums, products, negations and transposes of integers and floats, against NumPy: every bit must be equal.

usage: random_algebra.py --bin DIR [--count N] [--first N]

Every third program is one of floats with precision=fast, which takes them for real numbers: each element must be as near to the real result
as its roundings allow, in whatever order they are.

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
FAST_FACTORS = [-1.0, 2.0, 4.0, 0.5, -0.25, 3.0, 1.5, -0.75, 0.1, -0.7, 7.0]
MOST = {"f16": 1e4, "f32": 1e30, "f64": 1e200}  # of the sum of magnitudes of a value's terms, with precision=fast


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


class Real:
    """Elements as real numbers: their values, the sums of the magnitudes of all terms that they are sums of, and roundings."""

    def __init__(self, value, magnitude, roundings):
        self.value, self.magnitude, self.roundings, self.shape = value, magnitude, roundings, value.shape


class RealProgram(Program):
    """A program of floats that are no special numbers: whatever the order of its operations, a term of a result goes through all of their
    roundings at most."""

    def __init__(self, rng):
        self.rng, self.lines = rng, []
        self.element = str(rng.choice(list(MOST)))
        self.dtype = TYPES[self.element]
        self.isFloat = True
        self.inputs = [(rng.choice([-1, 1], (ROWS, COLUMNS)) * rng.uniform(0.25, 4, (ROWS, COLUMNS))).astype(self.dtype) for _ in range(2)]
        reals = [x.astype(np.float128) for x in self.inputs]
        self.values = [(f"%in{i}", Real(x, np.abs(x), 0)) for i, x in enumerate(reals)]
        self.read = set()
        while len(self.values) < STEPS:
            self.step()

    def constant(self, shape):
        value = self.dtype(self.rng.choice(FAST_FACTORS))
        x = np.full(shape, value, np.float128)
        return self.append(f"tg.constant dense<{self.literal(value)}>", Real(x, np.abs(x), 0))

    def step(self):
        kind = str(self.rng.choice(["add", "sub", "mul", "div", "neg", "transpose"]))
        name, x = self.pick()
        if kind == "neg":
            self.read.add(name)
            self.values.append(self.append(f"tg.neg {name}", Real(-x.value, x.magnitude, x.roundings)))
        elif kind == "transpose":
            self.read.add(name)
            result = f"%v{len(self.lines)}"
            turned = Real(x.value.T.copy(), x.magnitude.T.copy(), x.roundings)
            self.lines.append(f"  {result} = tg.transpose {name} permutation [1, 0] : ({self.type_of(x)}) -> {self.type_of(turned)}")
            self.values.append((result, turned))
        else:
            other, y = self.constant(x.shape) if self.rng.random() < 0.6 or kind == "div" else self.pick(x.shape)
            self.compute(kind, name, x, other, y)

    def compute(self, kind, name, x, other, y):
        operation = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[kind]
        magnitude = {"add": np.add, "sub": np.add, "mul": np.multiply, "div": np.divide}[kind](x.magnitude, y.magnitude)
        if magnitude.max() > MOST[self.element] or magnitude.min() * MOST[self.element] < 1:
            return
        self.read |= {name, other}
        real = Real(operation(x.value, y.value), magnitude, x.roundings + y.roundings + 1)
        self.values.append(self.append(f"tg.{kind} {name}, {other}", real))

    def are_right(self, real, result):
        """Two more roundings of each operation, as constants are put together, and what subnormal numbers lose."""
        info = np.finfo(self.dtype)
        bound = real.magnitude * 1.5 * (real.roundings + 1) * info.eps + (real.roundings + 1) * info.tiny * MOST[self.element] ** 0.25
        return bool(np.all(np.abs(result.astype(np.float128) - real.value) <= bound))


def outputs(options, program, folder):
    """The results, or what was said in place of them."""
    precision = "fast" if isinstance(program, RealProgram) else "strict"
    source, model, out = (os.path.join(folder, name) for name in ("program.mlir", "program.so", "out"))
    with open(source, "w") as file:
        file.write(program.text())
    arguments = []
    for i, array in enumerate(program.inputs):
        np.save(os.path.join(folder, f"in{i}.npy"), array)
        arguments += ["--input", f"{i}:{os.path.join(folder, f'in{i}.npy')}"]
    for command in ([os.path.join(options.bin, "stitch-compile"), source, "-o", model, "--target=simt", f"--pipeline=precision={precision}"],
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
        program = (RealProgram if number % 3 == 2 else Program)(np.random.default_rng(number))
    with tempfile.TemporaryDirectory() as folder:
        results = outputs(options, program, folder)
    if not isinstance(results, str):
        are_right = program.are_right if isinstance(program, RealProgram) else are_equal
        wrong = [name for (name, x), y in zip(program.results(), results) if not are_right(x, y)]
        if not wrong:
            return False
    print(f"program {number}:\n{program.text()}", results if isinstance(results, str) else f"differ: {', '.join(wrong)}")
    return True


if __name__ == "__main__":
    sys.exit(random_programs.run(__doc__, differs))
