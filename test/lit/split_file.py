# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the parts of FILE between the lines `// -----` to PREFIX.0.mlir, PREFIX.1.mlir, ...: for tools that take one module.

usage: split_file.py FILE PREFIX
"""
import re
import sys

with open(sys.argv[1]) as file:
    parts = re.split(r"(?m)^// -----$", file.read())
for i, part in enumerate(parts):
    with open(f"{sys.argv[2]}.{i}.mlir", "w") as file:
        file.write(part)
