#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that mean the same agree: random graphs, and variants of them that other operations compute.

usage: equal_programs.py [--count N] [--first I] [--seed S] [--size OPS] [--variants N] [--keep DIR] [--layers] [--axes] [--wide] [--updates] [--shifts] [--jobs N]
                         --compile STITCH_COMPILE --run STITCH_RUN

The graphs are those of test/generators/random_graphs.py. Of some of its operations a variant has others:

  commuted    operands of sums, products and logic change places
  negated     a - b is a + (-b)
  wide        sums, differences, products, quotients and roots of f32 are computed in f64 and rounded: a f64 has more than twice the digits, so that the bits are the same
  transposed  elementwise operations work on transposed operands
  lifted      or on operands with a dimension of one more
  split       a reduction over several dimensions, or one that is no prime, is several; dimensions side by side are one

A variant has a plan of its own, and its outputs are within their bounds of the first program's reference. With precision=strict, where no float is summed up or multiplied in
an order that a plan chooses, and variants do not change the order, its bits are those of the first program, too.
"""
import argparse
import concurrent.futures
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_graphs import NOT_CHECKED, Graph, completeness, input_seed, is_partly_checked, keep, tensor  # noqa: E402
from random_updates import Updates  # noqa: E402

OPERATION = re.compile(r'^    (%\w+) = "tg\.(\w+)"\(([^()]*)\)(?: \{(.*)\})? : \(([^()]*)\) -> \(?(tensor<[^()]*>)\)?$')
TENSOR = re.compile(r"tensor<((?:\d+x)*)(.+)>$")
COMMUTATIVE = {"add", "mul", "and", "or", "xor"}
WIDE = {"add", "sub", "mul", "div", "sqrt"}
BINARY = {"add", "sub", "mul", "div", "max", "min", "and", "or", "xor"}
ELEMENTWISE = BINARY | {"abs", "neg", "exp", "tanh", "logistic", "sqrt", "rsqrt", "floor", "sin", "cos", "log", "compare"}
ORDERED = {"reduce", "reduce_window", "cumulative", "general_cumulative", "general_reduce", "dot", "scatter", "select_and_scatter", "convolution", "fft", "while", "if", "case"}
SPLIT_ROUNDS = {"0", "1"}  # sums and products of floats


def shape_of(text):
    sizes, dtype = TENSOR.match(text).groups()
    return [int(size) for size in sizes.split("x")[:-1]], dtype


def factors(size):
    return [d for d in range(2, size) if size % d == 0]


class Operation:
    """One line of a graph's body that variants may write otherwise."""

    def __init__(self, line):
        self.line, match = line, OPERATION.match(line)
        self.name = match.group(2) if match and "({" not in line and '"' not in (match.group(4) or "") else None
        if not self.name:
            return
        self.result, _, operands, self.attributes, types, self.type = match.groups()
        self.operands, self.types = operands.split(", ") if operands else [], re.findall(r"tensor<[^>]*>+", types)
        self.shape, self.dtype = shape_of(self.type) if self.type.count("tensor") == 1 else (None, None)
        if self.shape is None or len(self.types) != len(self.operands) or self.dtype.startswith("complex"):
            self.name = None


class Variant:
    """Writes operations in other ways; each method has the lines of one, or None where it does not apply."""

    def __init__(self, rng):
        self.rng, self.count, self.ways, self.reorders = rng, 0, set(), False

    def new(self):
        self.count += 1
        return f"%equal{self.count}"

    def one(self, lines, name, operands, types, result, attributes="", value=None):
        value = value or self.new()
        lines.append(f'    {value} = "tg.{name}"({", ".join(operands)}){" {" + attributes + "}" if attributes else ""} : ({", ".join(types)}) -> ({result})')
        return value

    def commuted(self, o):
        if o.name not in COMMUTATIVE:
            return None
        lines = []
        self.one(lines, o.name, o.operands[::-1], o.types[::-1], o.type, o.attributes or "", o.result)
        return lines

    def negated(self, o):
        if o.name != "sub":
            return None
        lines = []
        minus = self.one(lines, "neg", o.operands[1:], o.types[1:], o.types[1])
        self.one(lines, "add", [o.operands[0], minus], o.types, o.type, o.attributes or "", o.result)
        return lines

    def wide(self, o):
        if o.name not in WIDE or o.dtype != "f32":
            return None
        lines, wide = [], tensor(o.shape, "f64")
        operands = [self.one(lines, "convert", [operand], [kind], wide) for operand, kind in zip(o.operands, o.types)]
        value = self.one(lines, o.name, operands, [wide] * len(operands), wide, o.attributes or "")
        self.one(lines, "convert", [value], [wide], o.type, "", o.result)
        return lines

    def moved(self, o, name, shape, there, back):
        """Elementwise operations of operands that were moved into another shape, which the result is moved back from."""
        if o.name not in ELEMENTWISE or any(shape_of(kind)[0] != o.shape for kind in o.types):
            return None
        lines, types = [], [tensor(shape, shape_of(kind)[1]) for kind in o.types]
        operands = [self.one(lines, name, [operand], [kind], other, there) for operand, kind, other in zip(o.operands, o.types, types)]
        value = self.one(lines, o.name, operands, types, tensor(shape, o.dtype), o.attributes or "")
        self.one(lines, name, [value], [tensor(shape, o.dtype)], o.type, back, o.result)
        return lines

    def transposed(self, o):
        if len(o.shape) < 2:
            return None
        order = self.rng.sample(range(len(o.shape)), len(o.shape))
        inverse = [order.index(d) for d in range(len(order))]
        text = "permutation = array<i64: {}>"
        return self.moved(o, "transpose", [o.shape[d] for d in order], text.format(", ".join(map(str, order))), text.format(", ".join(map(str, inverse))))

    def lifted(self, o):
        if len(o.shape) > 5:
            return None
        at = self.rng.randint(0, len(o.shape))
        return self.moved(o, "reshape", o.shape[:at] + [1] + o.shape[at:], "", "")

    def split(self, o):
        if o.name != "reduce":
            return None
        kind = re.search(r"kind = (\d)", o.attributes).group(1)
        dims = [int(d) for d in re.search(r"dims = array<i64(?:: )?([^>]*)>", o.attributes).group(1).split(",") if d.strip()]
        others = re.sub(r",? *dims = array<i64[^>]*>", "", o.attributes)
        shape, dtype = shape_of(o.types[0])
        lines, value, type_ = [], o.operands[0], o.types[0]
        if not dims or 0 in shape:
            return None
        if len(dims) > 1:  # the last one first, and the others behind
            middle = shape[:dims[-1]] + shape[dims[-1] + 1:]
            value = self.one(lines, "reduce", [value], [type_], tensor(middle, dtype), f"{others}, dims = array<i64: {dims[-1]}>")
            rest, type_ = dims[:-1], tensor(middle, dtype)
        elif factors(shape[dims[0]]):
            size = self.rng.choice(factors(shape[dims[0]]))
            parts = shape[:dims[0]] + [shape[dims[0]] // size, size] + shape[dims[0] + 1:]
            value = self.one(lines, "reshape", [value], [type_], tensor(parts, dtype))
            rest, type_ = [dims[0], dims[0] + 1], tensor(parts, dtype)
        else:
            return None
        self.one(lines, "reduce", [value], [type_], o.type, f"{others}, dims = array<i64: {', '.join(map(str, rest))}>", o.result)
        self.reorders |= kind in SPLIT_ROUNDS and "f" in dtype
        return lines

    def text(self, program):
        """A variant of the program. `ways`: what it has; empty: nothing that could be written otherwise."""
        lines, depth = [], 0
        for line in program.split("\n"):
            operation = Operation(line) if depth == 2 else None
            depth += line.count("{") - line.count("}")
            written = None
            if operation and operation.name and self.rng.random() < 0.5:
                ways = [self.commuted, self.negated, self.wide, self.transposed, self.lifted, self.split]
                for way in self.rng.sample(ways, len(ways)):
                    written = way(operation)
                    if written:
                        self.ways.add(way.__name__)
                        break
            lines += written or [line]
        return "\n".join(lines)


def numbers_of(path):
    """The data of a NumPy file, as numbers if they are floats, so that NaN can be told from others; bytes else."""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    kind = re.search(rb"'descr': '<([fc])(\d+)'", data[:start])
    code = {b"f2": "e", b"f4": "f", b"f8": "d", b"c8": "f", b"c16": "d"}.get(kind.group(1) + kind.group(2)) if kind else None
    return [x[0] for x in struct.iter_unpack(f"<{code}", data[start:])] if code else list(data[start:])


def arrays_differ(first, second):
    """The names of outputs of two folders that have other bits; NaN is NaN."""
    wrong = []
    for name in sorted(os.listdir(first)):
        if name.startswith("output_"):
            a, b = (numbers_of(os.path.join(folder, name)) for folder in (first, second))
            same = len(a) == len(b) and all(repr(x) == repr(y) for x, y in zip(a, b))  # with the sign of a zero
            wrong += [] if same else [name]
    return wrong


def keeps_bits(program):
    """Whether no float of it depends on an order that a plan chooses."""
    return not any(f'"tg.{name}"' in re.sub(r'"tg.reduce"\(%\w+\) \{kind = [23]', "", program) for name in ORDERED)


class Runs:
    """The program and its variants in a folder."""

    def __init__(self, options, folder, seed):
        self.options, self.folder, self.seed, self.partly = options, folder, seed, False

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if is_partly_checked(done):
            self.partly, done.returncode = True, 0
        return (done.stdout + done.stderr[-2000:]) if done.returncode else None

    def model(self, name, text, *compiled, against=None):
        """Compiles and checks it; what is wrong, or None."""
        source, binary = os.path.join(self.folder, f"{name}.mlir"), os.path.join(self.folder, f"{name}.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        wrong = self.run(self.options.compile, source, "-o", binary, "--target=simt", "--pipeline=precision=strict", *compiled)
        return wrong or self.run(self.options.run, binary, "--check", f"--seed={self.seed}", "--output", os.path.join(self.folder, name), *completeness(self.seed),
                                 *([f"--reference={against}"] if against else []))


def check(options, number):
    """Number, the programs that differ, what was said, how many variants there were, NOT_CHECKED or nothing, and how many variants had to have the same bits."""
    rng = random.Random(f"equal/{options.seed}/{number}")
    kinds = {"layers": options.layers, "axes": options.axes, "wide": options.wide, "shifts": options.shifts}
    text = Updates(rng).text() if options.updates else Graph(rng, rng.randint(2, options.size), **kinds).text()
    tried = exact = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options, folder, input_seed(number, text))
        wrong = runs.model("program", text)
        if wrong:
            return number, [text], wrong, tried, "", exact
        for i in range(options.variants):
            variant = Variant(random.Random(f"equal/{options.seed}/{number}/{i}"))
            other = variant.text(text)
            if not variant.ways:
                continue
            tried += 1
            wrong = runs.model(f"variant_{i}", other, "--no-reference", against=os.path.join(folder, "program.so"))
            if not wrong and keeps_bits(text) and not variant.reorders:
                exact += 1
                wrong = "\n".join(f"{name} has other bits" for name in arrays_differ(os.path.join(folder, "program"), os.path.join(folder, f"variant_{i}")))
            if wrong:
                return number, [text, other], f"{' '.join(sorted(variant.ways))}\n{wrong}", tried, "", exact
    return number, [], "", tried, NOT_CHECKED * runs.partly, exact


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("count", 20), ("first", 0), ("seed", 1), ("size", 20), ("variants", 3), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name in ("layers", "axes", "wide", "updates", "shifts"):
        parser.add_argument(f"--{name}", action="store_true", help="as of random_graphs.py")
    parser.add_argument("--keep", help="folder for the programs that differ")
    parser.add_argument("--compile", required=True, help="stitch-compile")
    parser.add_argument("--run", required=True, help="stitch-run")
    options = parser.parse_args()
    failed = partly = variants = bits = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, texts, output, tried, partial, exact in pool.map(lambda n: check(options, n), range(options.first, options.first + options.count)):
            failed, partly, variants, bits = failed + bool(texts), partly + bool(partial), variants + tried, bits + exact
            if texts:
                print(f"program {number}: {output}", flush=True)
            for i, text in enumerate(texts):
                keep(options, f"{number}_{i}", text)
    print(f"{options.count - failed} of {options.count} programs agree with {variants} variants, {bits} of them in all bits, {failed} fail; {partly} could be compared in part alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
