# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a graph of equal layers, between a tanh and a logistic function.

usage: equal_layers.py LAYERS [different]

Each layer is 81 operations on one vector, each of which the two next ones read, and the maximum of it and a weight.
"""
import random
import sys

layers, different = int(sys.argv[1]), len(sys.argv) > 2
type_ = "tensor<640xf32>"
lines, count = [], 0


def emit(op, *operands):
    global count
    lines.append(f"  %{count} = tg.{op} {', '.join(operands)} : {type_}")
    count += 1
    return f"%{count - 1}"


x = emit("tanh", "%x")
for layer in range(layers):
    rng = random.Random(layer if different else 0)
    before, value = x, x
    for _ in range(81):
        before, value = value, emit(rng.choice(["add", "sub", "mul"]), before, value)
    x = emit("max", value, f"%w{layer}")
emit("logistic", x)
arguments = ", ".join(f"%{name}: {type_}" for name in ["x"] + [f"w{i}" for i in range(layers)])
print(f"func.func @main({arguments}) -> {type_} {{")
print("\n".join(lines))
print(f"  return %{count - 1} : {type_}\n}}")
