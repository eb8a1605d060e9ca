#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sides of choices that random inputs take within three seeds, and whether every launch is right on them.

usage: coverage.py [--workloads] [--expect PERCENT] [--never] [MODEL.mlir...] --compile STITCH_COMPILE --run STITCH_RUN

Sides are those of selects, comparisons, clamps, maxima and minima, and of the host's branches and loops (`stitch-run --coverage`). A
side counts as taken if it is taken with one of the seeds 0, 1 and 2; --never lists the others. --workloads: the small ones of
test/models/workloads.

Exit status: 0, or 1 if a launch is wrong or less than --expect percent of all sides are taken.
"""
import argparse
import concurrent.futures
import glob
import json
import lzma
import os
import subprocess
import sys
import tempfile

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEEDS = range(3)


def checked(arguments, binary, seed):
    """The number of sides, those never taken, and what is wrong."""
    report = f"{binary}.{seed}.json"
    result = subprocess.run([arguments.run, binary, "--check", "--incomplete", "--coverage", f"--seed={seed}", f"--thread-order={seed}", f"--json={report}"],
                            capture_output=True, text=True)
    never = [line for line in result.stdout.splitlines() if line.startswith("never ")]
    problems = [line for line in (result.stdout + result.stderr).splitlines() if "FAIL" in line or "error:" in line]
    if result.returncode and not problems:
        problems = [f"it ends with {result.returncode}"]
    if not os.path.exists(report):
        return 0, [], problems
    with open(report) as file:
        return json.load(file)["launches"]["sides"], never, problems


def covered(arguments, folder, path):
    """Name, the number of sides, those never taken with any seed, and what is wrong."""
    name, packed = os.path.basename(path), path.endswith(".xz")
    name = name[:-len(".mlir.xz" if packed else ".mlir")]
    if packed:
        source = os.path.join(folder, name + ".mlir")
        with lzma.open(path) as file, open(source, "wb") as out:
            out.write(file.read())
    else:
        source = path
    binary = os.path.join(folder, name + ".so")
    result = subprocess.run([arguments.compile, source, "-o", binary, "--no-reference"], capture_output=True, text=True)
    if result.returncode:
        return name, 0, [], [result.stderr.strip()]
    runs = [checked(arguments, binary, seed) for seed in SEEDS]
    os.remove(binary)
    never = [line for line in runs[0][1] if all(line in other[1] for other in runs[1:])]
    return name, runs[0][0], never, [f"seed {seed}: {line}" for seed, run in zip(SEEDS, runs) for line in run[2]]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL.mlir")
    parser.add_argument("--workloads", action="store_true")
    parser.add_argument("--expect", type=float, default=95.0)
    parser.add_argument("--never", action="store_true")
    parser.add_argument("--compile", required=True)
    parser.add_argument("--run", required=True)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    paths = arguments.models
    if arguments.workloads:
        paths = paths + sorted(glob.glob(os.path.join(TEST, "models", "workloads", "*-small*.mlir.xz")))
    total, missed, wrong = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, sides, never, problems in pool.map(lambda path: covered(arguments, folder, path), paths):
            total, missed, wrong = total + sides, missed + len(never), wrong + bool(problems)
            print(f"{name}: {sides - len(never)} of {sides} sides", *problems, *(never if arguments.never else []), sep="\n  ", flush=True)
    share = 100 * (total - missed) / max(total, 1)
    print(f"{total - missed} of {total} sides taken, {share:.1f} %; {wrong} of {len(paths)} models with wrong launches")
    return 1 if wrong or share < arguments.expect else 0


if __name__ == "__main__":
    sys.exit(main())
