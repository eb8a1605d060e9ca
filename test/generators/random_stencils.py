#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stencils in several steps, computed in overlapping tiles (stitch-tile-stencils), and in rows of a block.

usage: random_stencils.py --compile STITCH_COMPILE --run STITCH_RUN [--seed N] [--first N] [--count N] [--keep DIR]

Drawn are the rank, sizes, element type, and the steps: which neighbours each reads, how a dimension ends (wrapped around, padded with a number,
shorter by the neighbours), other tensors that a step reads at its own position or around it, values that are results, too, and values that
another result reads. Each is compiled by plan=tiled and plan=best, and checked on the simt device in three thread orders. Exit status 1 if one is
wrong, or if less than half of the programs have tiles.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "programs"))

from cliffs import Program  # noqa: E402

TYPES = ["f32", "f32", "f32", "bf16", "f16", "f64", "i32", "i8"]
# Sizes by the number of dimensions that have neighbours.
SIZES = {1: [40, 97, 128, 257, 600, 1025], 2: [12, 17, 24, 33, 40, 64], 3: [8, 9, 12, 16]}


class Stencils(Program):
    def __init__(self, rng):
        super().__init__()
        self.rng = rng
        self.dtype = rng.choice(TYPES)
        self.isFloat = self.dtype[0] in "fb"

    def padded(self, x, low, high):
        value = self.rng.choice(["0.0", "1.0", "-2.0"])
        shape = [d + l + h for d, l, h in zip(x[1], low, high)]
        zeros = f"array<i64: {', '.join('0' for _ in shape)}>"
        attributes = f"low = array<i64: {', '.join(map(str, low))}>, high = array<i64: {', '.join(map(str, high))}>, interior = {zeros}"
        return self.op("pad", [x, self.constant(value)], shape, attributes)

    def combine(self, x, y):
        """Quotients of integers, too: outside of a value a tile has zeros."""
        return self.op(self.rng.choice(["add", "add", "max", "sub", "min"] + ([] if self.isFloat else ["div"])), [x, y], x[1])

    def scaled(self, x):
        """What keeps values within bounds."""
        if not self.isFloat:
            return self.op(self.rng.choice(["max", "min"]), [x, self.constant("3.0", x[1])], x[1])
        if self.rng.random() < 0.5:
            return self.op("tanh", [x], x[1])
        scalar = self.op("broadcast", [self.constant("0.25")], x[1], "dims = array<i64>") if self.rng.random() < 0.3 else self.constant("0.25", x[1])
        return self.op("mul", [x, scalar], x[1])

    def neighbours(self, x, dims, ends):
        """Some elements around each, all of one shape, and that of the element itself."""
        rng, found, shape = self.rng, [], list(x[1])
        reach = [(rng.randint(0, 2), rng.randint(0, 2)) if d in dims else (0, 0) for d in range(len(shape))]
        whole = self.padded(x, [r[0] if ends == "pad" else 0 for r in reach], [r[1] if ends == "pad" else 0 for r in reach])  if ends == "pad" else x
        if ends != "pad" and ends != "wrap":
            shape = [s - low - high for s, (low, high) in zip(shape, reach)]
        for _ in range(rng.randint(1, 4)):
            at = [rng.randint(-low, high) for low, high in reach]
            if ends == "wrap":
                y = x
                for d, by in enumerate(at):
                    y = self.roll(y, -by, d) if by else y
            else:
                y = self.slice(whole, [low + by for by, (low, _) in zip(at, reach)], [low + by + s for by, (low, _), s in zip(at, reach, shape)])
            found.append(y)
        own = x if ends in ("wrap", "pad") else self.slice(x, [low for low, _ in reach], [low + s for (low, _), s in zip(reach, shape)])
        return own, found

    def step(self, x, dims, ends):
        own, around = self.neighbours(x, dims, ends)
        y = own
        for z in around:
            y = self.combine(y, z)
        if self.rng.random() < 0.3:
            y = self.combine(y, self.argument(*y[1]))
        return self.scaled(y)

    def draw(self):
        """One chain, or two whose operations alternate."""
        rng = self.rng
        shifted = rng.choice([1, 1, 2, 2, 2, 3])
        rank = shifted + rng.choice([0, 0, 0, 1])
        dims = sorted(rng.sample(range(rank), shifted))
        ends = [rng.choice(["wrap", "pad", "shorter", "pad", "mixed"]) for _ in range(rng.choice([1, 1, 2]))]
        values = [self.argument(*(rng.choice(SIZES[shifted]) if d in dims else rng.choice([2, 3, 5]) for d in range(rank))) for _ in ends]
        results = []
        for _ in range(rng.randint(2, 7)):
            for i, (x, end) in enumerate(zip(values, ends)):
                if end in ("shorter", "mixed") and min(x[1][d] for d in dims) < 8:
                    continue
                values[i] = self.step(x, dims, rng.choice(["pad", "shorter"]) if end == "mixed" else end)
                if rng.random() < 0.15:
                    results.append(values[i])
        x = values[0]
        if rng.random() < 0.2:
            results.append(self.op("reduce", [x], x[1][:-1], f"kind = 3 : i32, dims = array<i64: {len(x[1]) - 1}>"))
        return self.typed(self.text([*values, *results]))

    def typed(self, text):
        if self.dtype == "f32":
            return text
        text = text.replace("xf32>", f"x{self.dtype}>").replace("tensor<f32>", f"tensor<{self.dtype}>")
        return text if self.isFloat else text.replace(".0>", ">")


def check(options, number, folder):
    """The problems of a program, and whether it has tiles."""
    rng = random.Random(f"{options.seed}/{number}")
    source, model = os.path.join(folder, "program.mlir"), os.path.join(folder, "program.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(Stencils(rng).draw())
    tiled = False
    for plan in ("tiled", "best"):
        command = [options.compile, source, f"--pipeline=plan={plan}", "--device=h200", "--remarks", "-o", model]
        compiled = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if compiled.returncode:
            return [f"plan={plan}: {compiled.stderr}"], tiled
        tiled |= "steps in overlapping tiles" in compiled.stderr
        for order in (0, 1, 5):
            run = subprocess.run([options.run, model, "--check", f"--seed={3 * number}", f"--thread-order={order}"], capture_output=True, text=True, check=False)
            if run.returncode:
                return [f"plan={plan}, order {order}: {run.stdout}{run.stderr}"], tiled
    return [], tiled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--keep")
    options = parser.parse_args()
    failed = tiled = 0
    for number in range(options.first, options.first + options.count):
        with tempfile.TemporaryDirectory() as folder:
            problems, has_tiles = check(options, number, options.keep or folder)
        failed += bool(problems)
        tiled += has_tiles
        for problem in problems:
            print(f"program {number}: {problem}", flush=True)
    print(f"{options.count} programs, {tiled} with tiles, {failed} fail")
    sys.exit(failed > 0 or 2 * tiled < options.count)


if __name__ == "__main__":
    main()
