#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU harness calls the runtime by ctypes: its structures must be laid out as those of runtime/stitch_runtime.h.

usage: gpu_structures.py --cc COMPILER

Compares the size of each structure, and the place of each field, with what a C compiler says. Exit status 1 if one differs.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "bench", "gpu"))

import stitch  # noqa: E402


def camel(name):
    return re.sub(r"_([a-z])", lambda m: m[1].upper(), name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    structures = [s for s in vars(stitch).values() if isinstance(s, type) and issubclass(s, ctypes.Structure) and s is not ctypes.Structure]
    lines, expected = [], []
    for s in structures:
        c = f"Stitch{s.__name__}"
        lines.append(f'printf("%zu\\n", sizeof({c}));')
        expected.append((f"the size of {c}", ctypes.sizeof(s)))
        for field, _ in s._fields_:
            lines.append(f'printf("%zu\\n", offsetof({c}, {camel(field)}));')
            expected.append((f"the place of {c}.{camel(field)}", getattr(s, field).offset))
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "sizes.c"), os.path.join(folder, "sizes")
        with open(source, "w") as file:
            file.write('#include "runtime/stitch_runtime.h"\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n' + "\n".join(lines) + "\nreturn 0;\n}\n")
        subprocess.run([options.cc, "-I", SOURCE, source, "-o", program], check=True)
        found = list(map(int, subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()))
    wrong = [f"{what} is {c} in C, {python} in bench/gpu/stitch.py" for (what, python), c in zip(expected, found) if c != python]
    print("\n".join(wrong) or f"{len(structures)} structures are those of runtime/stitch_runtime.h")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
