#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of a few rows by large matrices, with what is around them, as JAX programs write them, on the simt device.

usage: random_products.py --compile STITCH_COMPILE --run STITCH_RUN [--seed N] [--first N] [--count N] [--ptxas]

Drawn are rows, sizes, types, how the weights lie in memory and what they are made of (bits, scales of columns and of groups, shifts), one to five products of the
same rows, what follows them, and which results are read. plan=skinny-always makes kernels of tensor cores of all products that can be such
(stitch-skinny-products); at least one in two cases must have one. They are checked in three thread orders, a third of them with every access to memory.
--ptxas assembles each case for sm_80 and sm_90 and fails if a kernel spills. Exit status 1 if a case fails. Needs JAX.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax import lax

BF16, F16, F32 = jnp.bfloat16, jnp.float16, jnp.float32


class Case:
    """A program as it is drawn: arguments are added while it is built, and `build` gets their tracers in that order."""

    def __init__(self, rng):
        self.rng, self.arguments, self.text = rng, [], []

    def argument(self, dtype, *shape):
        self.arguments.append(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)))
        return len(self.arguments) - 1


def weights(case, k, n, dtype):
    """A function of the arguments that gives weights of k x n, and whether they lie the other way round."""
    rng = case.rng
    kind = rng.choice(["plain", "plain", "i8", "u8", "i4", "u4", "f8", "i16", "f32"])
    turned = rng.random() < 0.4
    shape = (n, k) if turned else (k, n)
    stored = {"plain": dtype, "i8": jnp.int8, "u8": jnp.uint8, "i4": jnp.int4, "u4": jnp.uint4, "f8": jnp.float8_e4m3fn, "i16": jnp.int16, "f32": F32}[kind]
    w = case.argument(stored, *shape)
    scales = rng.choice(["", "", "column", "group", "zero"])
    group = rng.choice([16, 32]) if k % 32 == 0 else 16
    s = case.argument(dtype, n) if scales in ("column", "zero") else case.argument(dtype, k // group, n) if scales == "group" else None
    moved = rng.choice(["", "", "", "", "roll", "reverse"])
    case.text.append(f"weights {kind}{' ' + scales if scales else ''}{' turned' if turned else ''}{' ' + moved if moved else ''}")

    def build(a):
        x = a[w].astype(dtype)
        x = x.T if turned else x
        if moved == "roll":
            x = x + jnp.roll(x, 1, 0)
        elif moved == "reverse":
            x = lax.rev(x, (0,))
        if scales == "column":
            x = x * a[s]
        elif scales == "zero":
            x = x - a[s]
        elif scales == "group":
            x = (x.reshape(k // group, group, n) * a[s][:, None]).reshape(k, n)
        return x
    return build


def follow(case, y, rows, n, dtype, others):
    """What is made of a product: a function of the arguments, the product and the other products."""
    rng, steps = case.rng, []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 4])):
        what = rng.choice(["bias", "residual", "silu", "relu", "tanh", "narrow", "scale", "gate", "rows", "sum", "turn"])
        argument = {"bias": lambda: case.argument(dtype, n), "residual": lambda: case.argument(dtype, rows, n), "rows": lambda: case.argument(F32, rows, 1)}.get(what, lambda: None)()
        steps.append((what, argument))
    case.text.append("then " + " ".join(w for w, _ in steps) if steps else "nothing behind")

    def build(a, y, products):
        results = []
        for what, argument in steps:
            wide = y.astype(F32)
            if what in ("bias", "residual"):
                y = wide + a[argument].astype(F32)
            elif what == "rows":
                y = wide * a[argument]
            elif what == "silu":
                y = jax.nn.silu(wide)
            elif what == "relu":
                y = jnp.maximum(y, 0)
            elif what == "tanh":
                y = jnp.tanh(wide)
            elif what == "narrow":
                y = y.astype(dtype)
            elif what == "scale":
                y = y * 0.5
            elif what == "gate":
                y = wide * products[-1].astype(F32)
            elif what == "sum":  # another kernel's
                results.append(wide.sum(-1))
            elif what == "turn":
                y = lax.rev(y, (0,)) + y
        return (y, *results)
    return build


def draw(rng):
    case = Case(rng)
    rows = rng.choice([1, 2, 3, 7, 8, 9, 15, 16, 16, 17, 24, 32, 33, 48, 63, 64])
    k = 16 * rng.choice([1, 2, 3, 4, 5, 8, 12, 16, 32])
    n = 8 * rng.choice([1, 2, 3, 4, 6, 8, 12, 16, 24])
    dtype, result = rng.choice([BF16, BF16, F16]), rng.choice([F32, F32, None])
    count = rng.choice([1, 1, 1, 2, 2, 3, 5])
    thin_first = rng.random() < 0.8
    split = rng.random() < 0.2 and rows % 2 == 0
    x = case.argument(dtype, *((2, rows // 2, k) if split else (rows, k)))
    case.text.append(f"{rows} x {k} x {n} {jnp.dtype(dtype).name}{' rows in two dimensions' if split else ''}{'' if thin_first else ' weights first'}")
    made = [weights(case, k, n, dtype) for _ in range(count)]
    behind = [follow(case, None, rows, n, dtype, made) for _ in range(rng.choice([1, 1, count]))]

    def program(*a):
        products = []
        for weight in made:
            w = weight(a)
            if thin_first:
                y = lax.dot_general(a[x], w, (((a[x].ndim - 1,), (0,)), ((), ())), preferred_element_type=result).reshape(rows, n)
            else:
                y = lax.dot_general(w, a[x].reshape(rows, k), (((0,), (1,)), ((), ())), preferred_element_type=result).T
            products.append(y)
        results = [r for build, y in zip(behind, products) for r in build(a, y, products)]
        return tuple(results + products[len(behind):])
    return case, program


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    return result.returncode, result.stdout + result.stderr


def assemble(options, model, folder, arch):
    code, text = run([options.compile, model, "--emit=ptx", f"--target={arch}", f"--device={'a100' if arch == 'sm_80' else 'h200'}", "--pipeline=plan=skinny-always",
                      "-o", f"{folder}/k.ptx"])
    if code:
        return f"no PTX: {text}"
    code, text = run(["ptxas", f"-arch={arch}", "-v", f"{folder}/k.ptx", "-o", f"{folder}/k.cubin"])
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill stores", text)]
    return f"ptxas: {text}" if code else f"spills {sum(spills)} bytes on {arch}" if any(spills) else None


def check(options, number, folder):
    rng = random.Random(options.seed * 1000003 + number)
    case, program = draw(rng)
    model = os.path.join(folder, f"{number}.mlir")
    with open(model, "w") as file:
        file.write(jax.jit(program).lower(*case.arguments).as_text())
    checks = ["--checks"] if number % 3 == 0 else []
    code, text = run([options.compile, model, "--pipeline=plan=skinny-always", f"--device={options.device}", *checks, "-o", f"{folder}/{number}.so", "--stats=" + f"{folder}/stats.json"])
    problem = f"does not compile: {text}" if code else None
    code, plan = run([options.compile, model, "--pipeline=plan=skinny-always", f"--device={options.device}", "--emit=plan"])
    kernels = plan.count("#stitch.skinny<")
    for order in range(3):
        if problem:
            break
        code, text = run([options.run, f"{folder}/{number}.so", "--device=simt", "--check", f"--seed={number % 2 * 3}", f"--thread-order={order}"])
        problem = f"order {order}: {text}" if code else None
    for arch in ("sm_80", "sm_90") if options.ptxas and not problem and kernels else ():
        problem = problem or assemble(options, model, folder, arch)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    return "; ".join(case.text), kernels, problem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", default=shutil.which("stitch-compile"))
    parser.add_argument("--run", default=shutil.which("stitch-run"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--device", default="h200")
    parser.add_argument("--ptxas", action="store_true")
    options = parser.parse_args()
    wrong = with_kernels = total = 0
    for number in range(options.first, options.first + options.count):
        with tempfile.TemporaryDirectory() as folder:
            text, kernels, problem = check(options, number, folder)
        with_kernels, total = with_kernels + (kernels > 0), total + kernels
        if problem:
            wrong += 1
            print(f"FAIL {number} of seed {options.seed}: {text}\n{problem}", flush=True)
    print(f"{options.count} programs, {with_kernels} of them with {total} kernels of skinny products, {wrong} wrong")
    sys.exit(1 if wrong or 2 * with_kernels < options.count else 0)


if __name__ == "__main__":
    main()
