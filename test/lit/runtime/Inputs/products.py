# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""So many products with a common operand: products.py NUMBER [read|summed|returned], by what becomes of them: a kernel that reads all (the
default), their sum, or results of the model."""
import sys

count, use, matrix = int(sys.argv[1]), (sys.argv[2:] or ["read"])[0], "tensor<64x64xf32>"
results = [f"%p{i}" for i in range(count)] if use == "returned" else [f"%m{count - 1}"]
types = ", ".join([matrix] * len(results))
print(f"func.func @main(%x: {matrix}, " + ", ".join(f"%w{i}: {matrix}" for i in range(count)) + f") -> ({types}) {{")
for i in range(count):
    print(f"  %p{i} = tg.dot %x, %w{i} contract [1] x [0] : ({matrix}, {matrix}) -> {matrix}")
result = "%p0"
for i in range(1, count if use != "returned" else 1):
    if use == "read":
        print(f"  %t{i} = tg.tanh %p{i} : {matrix}\n  %m{i} = tg.mul {result}, %t{i} : {matrix}")
    else:
        print(f"  %m{i} = tg.add {result}, %p{i} : {matrix}")
    result = f"%m{i}"
print(f"  return {', '.join(results)} : {types}\n}}")
