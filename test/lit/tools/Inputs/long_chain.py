# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a kernel of so many elementwise operations and a sum of rows: usage: long_chain.py OPERATIONS"""
import sys

count = int(sys.argv[1])
print("func.func @main(%v0: tensor<512x1000xf32>) -> tensor<512x1000xf32> {")
for i in range(count):
    print(f"  %v{i + 1} = tg.{'tanh' if i % 2 else 'neg'} %v{i} : tensor<512x1000xf32>")
print(f"""  %s = tg.reduce add %v{count} dims [1] : (tensor<512x1000xf32>) -> tensor<512xf32>
  %b = tg.broadcast %s dims [0] : (tensor<512xf32>) -> tensor<512x1000xf32>
  %o = tg.sub %v{count}, %b : tensor<512x1000xf32>
  return %o : tensor<512x1000xf32>
}}""")
