# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many times as long versions make files of products and what becomes of them: growth.py FOLDER. At most twice, or exit status 1."""
import os
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
source, plain, adaptive = (folder / name for name in ("model.mlir", "plain.so", "adaptive.so"))
script = pathlib.Path(__file__).with_name("products.py")
sizes = {"read": (2, 3, 4, 6, 8, 12, 24, 32), "summed": (2, 4, 8, 24, 32), "returned": (2, 4, 8, 24, 32)}
largest = 0
for use, counts in sizes.items():
    for count in counts:
        source.write_text(subprocess.run([sys.executable, script, str(count), use], capture_output=True, text=True, check=True).stdout)
        for target in ("simt", "sm_80", "sm_90"):
            for reference in ((), ("--no-reference",)):
                for file, versions in ((plain, ()), (adaptive, ("--adaptive",))):
                    subprocess.run(["stitch-compile", source, "--pipeline=plan=astitch", f"--target={target}", *reference, *versions, "-o", file], check=True)
                growth = os.path.getsize(adaptive) / os.path.getsize(plain)
                largest = max(largest, growth)
                if growth > 2:
                    print(f"{count} products, {use}, {target} {' '.join(reference)}: {growth:.2f} times as long")
print(f"at most {largest:.2f} times as long")
sys.exit(largest > 2)
