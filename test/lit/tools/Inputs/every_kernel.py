# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each kernel of a plan alone, runs it, and plans it by some of its candidates.

usage: every_kernel.py STITCH_COMPILE STITCH_RUN PLAN PREFIX
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "programs"))
import templates  # noqa: E402

compiler, runner, plan, prefix = sys.argv[1:]
keys = templates.keys_of(compiler, plan)
right = planned = tried = 0
for key in keys:
    kernel, model, file = f"{prefix}.{key}.mlir", f"{prefix}.{key}.so", f"{prefix}.{key}.templates"
    subprocess.run([compiler, plan, f"--kernel={key}", "--emit=plan", "-o", kernel], check=True)
    subprocess.run([compiler, plan, f"--kernel={key}", "-o", model], check=True)
    right += subprocess.run([runner, model, "--check"], capture_output=True).returncode == 0
    for candidate in templates.candidates_of(compiler, plan, key)[:5]:
        with open(file, "w", encoding="utf-8") as output:
            output.write(templates.file_of([candidate]))
        again = templates.entries(templates.printed(compiler, kernel, f"--templates={file}", "--emit=templates"))
        tried += 1
        planned += again[0].split("\n", 1)[1].split() == candidate.split("\n", 1)[1].split()
print(f"kernels alone: {right} of {len(keys)} right; candidates: {planned} of {tried} planned as they say")
