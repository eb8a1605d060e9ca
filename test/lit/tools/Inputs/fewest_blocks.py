# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the template in a file has the fewest blocks of the first N candidates of a model's one kernel.

usage: fewest_blocks.py STITCH_COMPILE MODEL TEMPLATES TARGET N
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "programs"))
import templates  # noqa: E402

compiler, model, file, target, count = sys.argv[1:]


def blocks(path):
    return int(re.search(r"launch<grid = (\d+)", templates.printed(compiler, model, f"--target={target}", f"--templates={path}", "--emit=plan"))[1])


def blocks_of(template):
    with tempfile.NamedTemporaryFile("w", suffix=".templates") as output:
        output.write(templates.file_of([template]))
        output.flush()
        return blocks(output.name)


with tempfile.TemporaryDirectory() as folder:
    plan = os.path.join(folder, "plan.mlir")
    subprocess.run([compiler, model, f"--target={target}", "--emit=plan", "-o", plan], check=True)
    candidates = templates.candidates_of(compiler, plan, templates.keys_of(compiler, plan)[0])[:int(count)]
least, chosen = min(map(blocks_of, candidates)), blocks(file)
print(f"{chosen} blocks, {'the fewest' if chosen == least else f'not the fewest ({least})'} of {len(candidates)} templates")
