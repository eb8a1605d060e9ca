# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints N independent products of small matrices.

usage: many_products.py N
"""
import sys

LHS, RHS, RESULT = "tensor<5x7xf32>", "tensor<7x6xf32>", "tensor<5x6xf32>"
numbers = range(int(sys.argv[1]))
results = ", ".join(RESULT for _ in numbers)
print(f"func.func @main({', '.join(f'%a{i}: {LHS}, %b{i}: {RHS}' for i in numbers)}) -> ({results}) {{")
for i in numbers:
    print(f"  %{i} = tg.dot %a{i}, %b{i} contract [1] x [0] : ({LHS}, {RHS}) -> {RESULT}")
print(f"  return {', '.join(f'%{i}' for i in numbers)} : {results}\n}}")
