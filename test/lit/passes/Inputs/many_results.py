# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph in which everything meets, with far more results than a kernel has parameters: 150 inputs, 750 results."""
TYPE, INPUTS = "tensor<64x33xf32>", 150
FUNCTIONS = ("sine", "cosine", "exponential", "tanh", "logistic")

lines, results = [], []
for i in range(INPUTS):
    lines.append(f"  %m{i} = stablehlo.multiply %a{i}, %a0 : {TYPE}")
    for function in FUNCTIONS:
        results.append(f"%{function}{i}")
        lines.append(f"  {results[-1]} = stablehlo.{function} %m{i} : {TYPE}")
types = ", ".join([TYPE] * len(results))
print(f"func.func @main({', '.join(f'%a{i}: {TYPE}' for i in range(INPUTS))}) -> ({types}) {{")
print("\n".join(lines))
print(f"  return {', '.join(results)} : {types}\n}}")
