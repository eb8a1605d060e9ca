# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command N times and compares what it writes to its standard output and error, byte for byte.

usage: same_bytes.py N COMMAND...
"""
import subprocess
import sys

first = None
for run in range(int(sys.argv[1])):
    result = subprocess.run(sys.argv[2:], capture_output=True)
    if result.returncode:
        sys.exit(f"run {run}: exit status {result.returncode}\n{result.stderr.decode()[-2000:]}")
    output = result.stdout, result.stderr
    first = first or output
    if output != first:
        sys.exit(f"run {run} differs from the first")
print(f"{sys.argv[1]} runs wrote the same {len(first[0])} bytes and {len(first[1])} bytes of messages")
