# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a function of as many exponentials as the argument says, no two of which depend on each other or have the same size.

With a second argument they come twice, the second time in the reverse order.
"""
import sys

count = int(sys.argv[1])
types = [f"tensor<{64 + i}x128xf32>" for i in range(count)]
types += types[::-1] if len(sys.argv) > 2 else []
print(f"func.func @main({', '.join(f'%x{i}: {t}' for i, t in enumerate(types))}) -> ({', '.join(types)}) {{")
for i, t in enumerate(types):
    print(f"  %{i} = tg.exp %x{i} : {t}")
print(f"  return {', '.join(f'%{i}' for i in range(len(types)))} : {', '.join(types)}\n}}")
