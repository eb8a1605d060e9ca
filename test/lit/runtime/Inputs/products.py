# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""So many products with a common operand, and what reads all of them: products.py NUMBER."""
import sys

count, matrix = int(sys.argv[1]), "tensor<64x64xf32>"
print(f"func.func @main(%x: {matrix}, " + ", ".join(f"%w{i}: {matrix}" for i in range(count)) + f") -> {matrix} {{")
for i in range(count):
    print(f"  %p{i} = tg.dot %x, %w{i} contract [1] x [0] : ({matrix}, {matrix}) -> {matrix}")
result = "%p0"
for i in range(1, count):
    print(f"  %t{i} = tg.tanh %p{i} : {matrix}\n  %m{i} = tg.mul {result}, %t{i} : {matrix}")
    result = f"%m{i}"
print(f"  return {result} : {matrix}\n}}")
