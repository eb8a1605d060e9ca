#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classic kernels of bench/kernels, at odd sizes, on the SIMT device with all its checks, against the reference.

usage: check_classics.py --compile STITCH_COMPILE --run STITCH_RUN [--only NAME,...] [--dtypes LIST] [--orders N]

Each is planned for a small GPU, so that blocks have several tasks, and for a large one.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "kernels"))
import classics  # noqa: E402

SHAPES = [(1030, 96), (37, 1250), (3, 20000), (200, 33)]
DEVICES = ["h200, sms = 6", "h200"]


def failure(options, name, rows, columns, dtype, device):
    """What goes wrong; None if nothing does."""
    with tempfile.TemporaryDirectory() as folder:
        model, binary = os.path.join(folder, "kernel.mlir"), os.path.join(folder, "kernel.so")
        with open(model, "w") as file:
            file.write(classics.build(name, rows, columns, dtype))
        commands = [[options.compile, model, "-o", binary, "--checks", f"--device={device}"]]
        commands += [[options.run, binary, "--device=simt", "--check", f"--seed={order}", f"--thread-order={order}"]
                     for order in range(options.orders)]
        for command in commands:
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                return (result.stderr or result.stdout or f"exit status {result.returncode}").strip().splitlines()[-1]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--only")
    parser.add_argument("--dtypes", default="f32,bf16,f16,f64")
    parser.add_argument("--orders", type=int, default=3)
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(classics.CLASSICS)
    cases = [(name, rows, columns, dtype, device) for name in names for rows, columns in SHAPES
             for dtype in options.dtypes.split(",") for device in DEVICES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: failure(options, *case), cases))
    failures = [(case, result) for case, result in zip(cases, results) if result]
    for case, result in failures:
        print(*case, ":", result)
    print(f"{len(cases) - len(failures)} of {len(cases)} kernels agree with the reference")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
