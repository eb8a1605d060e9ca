# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/kernels/walk.py counts of machine code in a file: for two threads, for all of a launch, and of code that it refuses."""
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "bench", "kernels"))
import sass  # noqa: E402
import walk  # noqa: E402

with open(sys.argv[2]) as file:
    text = file.read()
function, launch = sass.parse(text)["loop"], {"grid": 1, "block": 64}
for number in (0, 32):
    counts = walk.Walk(walk.Thread(function, "sm_90", launch, 0, number)).run()
    print(f"thread {number}: " + ", ".join(f"{kind} {counts[kind]}" for kind in sorted(counts)))
print(f"all: {sum(walk.executed(function, 'sm_90', launch).values()) / 32:.0f}")
try:
    walk.executed(sass.parse(text.replace("BRA `(.L_x_0)", "BRX R2 -0x10"))["loop"], "sm_90", launch)
except walk.WalkError as error:
    print(f"refused: {error}")
