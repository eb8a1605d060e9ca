# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of some megabytes in a model's text: taken as they are, in little memory, and refused where they are wrong.

usage: weights.py BIN DIR
"""
import os
import re
import subprocess
import sys

import numpy as np

BIN, FOLDER = sys.argv[1:]
SHAPE = (512, 1024)
TYPE = "tensor<512x1024xf32>"


def digits(array, lower=False):
    text = array.tobytes().hex()
    return text if lower else text.upper()


def model(*constants, result=TYPE):
    """The sum of an argument and constants, each of which is a text."""
    lines = [f"func.func @main(%arg0: {result}) -> {result} {{"]
    for number, constant in enumerate(constants):
        before = f"%s{number - 1}" if number else "%arg0"
        lines += [f"  %c{number} = {constant}", f"  %s{number} = stablehlo.add {before}, %c{number} : {result}"]
    return "\n".join([*lines, f"  return %s{len(constants) - 1} : {result}", "}", ""])


def pretty(text, kind=TYPE):
    return f'stablehlo.constant dense<"0x{text}"> : {kind}'


def generic(text):
    return f'"stablehlo.constant"() <{{value = dense<"0x{text}"> : {TYPE}}}> : () -> {TYPE}'


def command(text, *arguments, tool="stitch-run", standard_input=False):
    path = os.path.join(FOLDER, "model.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    with open(path, "rb") as file:
        return subprocess.run([os.path.join(BIN, tool), "-" if standard_input else path, *arguments], capture_output=True, text=True,
                              stdin=file, check=False)


def check_sum(name, text, *arrays):
    x = np.zeros(SHAPE, np.float32)
    np.save(os.path.join(FOLDER, "x.npy"), x)
    run = command(text, "--input", f"0:{FOLDER}/x.npy", "--output", FOLDER)
    if run.returncode:
        sys.exit(f"{name}: {run.stderr}")
    output = np.load(os.path.join(FOLDER, "output_0.npy"))
    for array in arrays:
        x = x + array
    print(f"{name}: {'right' if np.array_equal(x, output) else 'WRONG'}")


def check_error(name, text):
    run = command(text, "-o", os.path.join(FOLDER, "model.so"), tool="stitch-compile")
    message = run.stderr.splitlines()[0] if run.stderr else "no message"
    print(f"{name}: {run.returncode}: {re.sub(r'^.*?model.mlir', 'model.mlir', message)[:120]}")


def memory(text):
    """The most that the compiler has in memory at a time, in bytes: of three runs the least, since what its threads have besides varies."""
    path = os.path.join(FOLDER, "model.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    # What a process has had in memory counts the process that it was copied from: a small one.
    small = ("import os, sys; status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)[1:];"
             "print(usage.ru_maxrss); sys.exit(status != 0)")
    compiler = [os.path.join(BIN, "stitch-compile"), path, "-o", os.path.join(FOLDER, "model.so")]
    runs = [subprocess.run([sys.executable, "-c", small, *compiler], check=True, capture_output=True, text=True) for _ in range(3)]
    return min(int(run.stdout) for run in runs) * 1024


def main():
    random = np.random.default_rng(0)
    a, b = (random.integers(-1000, 1000, SHAPE).astype(np.float32) for _ in range(2))
    check_sum("pretty and generic", model(pretty(digits(a)), generic(digits(b, lower=True))), a, b)
    check_sum("equal ones", model(pretty(digits(a)), pretty(digits(b)), pretty(digits(a))), a, b, a)
    resource = f'{{-# dialect_resources: {{ builtin: {{ stitch_weight_0: "0x04000000{digits(b)}" }} }} #-}}\n'
    check_sum("a name of ours", model(pretty(digits(a)), f"stablehlo.constant dense_resource<stitch_weight_0> : {TYPE}") + resource, a, b)
    # A page is full: such a file cannot be mapped.
    text = model(pretty(digits(a)))
    check_sum("whole pages", text + "/" * 2 + " " * (-(len(text) + 3) % 4096) + "\n", a)
    run = command(text, "-o", os.path.join(FOLDER, "model.so"), tool="stitch-compile", standard_input=True)
    print(f"standard input: {run.returncode}")

    good = digits(a)
    check_error("no digit", model(pretty(good[:-1] + "g")))
    check_error("an odd one", model(pretty(good[:-1])))
    check_error("too few", model(pretty(good[:-8])))
    check_error("an error behind", model(pretty(good)).replace("stablehlo.add", "stablehlo.unknown"))
    check_error("an error before", model(pretty(good)).replace("{\n", "{ %unknown\n", 1))
    check_error("another type", model(pretty(good, "tensor<512x1025xf32>")))

    small = memory(model(pretty(digits(a[:1]), "tensor<1x1024xf32>"), result="tensor<1x1024xf32>"))
    big = random.standard_normal((32 * SHAPE[0], SHAPE[1])).astype(np.float32)
    kind = TYPE.replace("512", str(32 * 512))
    used = memory(model(pretty(digits(big), kind), result=kind)) - small
    print(f"memory: {'as little as it should be' if used < 1.6 * big.nbytes else 'too much'}, {used / big.nbytes:.2f} times the weights")


main()
