#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what stitch-fuzz changes and the repository does not have: NumPy's files, plans, kernels and a model file of small models.

usage: make_corpus.py FOLDER --bin BUILD/bin
"""
import argparse
import os
import struct
import subprocess

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = ("softmax", "layers")
# The type, the shape, whether the first index counts fastest, bytes of an element, the version of the format.
ARRAYS = (("<f4", (2, 3), False, 4, 1), ("|b1", (7,), False, 1, 1), ("<c16", (2, 1, 3), True, 16, 2), ("|V2", (), False, 2, 1), ("<u8", (0, 5), False, 8, 3),
          (">i4", (3,), False, 4, 1), ("<f2", (1,) * 14 + (2, 3), True, 2, 1))


def array(descr, shape, is_fortran, size, version):
    header = f"{{'descr': '{descr}', 'fortran_order': {is_fortran}, 'shape': {shape}, }}\n".encode()
    count = 1
    for dim in shape:
        count *= dim
    return b"\x93NUMPY" + bytes((version, 0)) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + bytes(i % 251 for i in range(count * size))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--bin", required=True)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for i, what in enumerate(ARRAYS):
        with open(os.path.join(options.folder, f"{i}.npy"), "wb") as file:
            file.write(array(*what))
    compiler = os.path.join(options.bin, "stitch-compile")
    for model in MODELS:
        source, name = os.path.join(TEST, "lit/tools/Inputs", f"{model}.mlir"), os.path.join(options.folder, model)
        for stage in ("plan", "gpu"):
            subprocess.run([compiler, source, f"--emit={stage}", "-o", f"{name}.{stage}.mlir"], check=True)
    subprocess.run([compiler, source, "--target=simt", "--no-reference", "-o", f"{name}.so"], check=True)


if __name__ == "__main__":
    main()
