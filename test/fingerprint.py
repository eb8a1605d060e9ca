#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hashes of what the compiler prints for every model and classic kernel: a change that should change nothing leaves them alone.

usage: fingerprint.py --compile STITCH_COMPILE -o FILE [--only PATTERN ...] [--models FILE ...] [--jobs N]
       fingerprint.py --compare BEFORE AFTER

For every model of test/models, workloads among them, and every kernel of bench/kernels/classics.py in all types:
  plan         what is stitched and how (--emit=plan)
  gpu          kernels and host function (--emit=gpu)
  ptx          for sm_90, planned for an H200; classics for sm_70 and sm_80, too
  so           small models and classics: the whole file for the simt device, reference and descriptor among it
--models adds files. A file that is there already is added to: what it has is not made again. --compare prints what differs, and how many
texts were compared; exit status 1 if any differs or is missing.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import hashlib
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "bench", "kernels"))
import classics  # noqa: E402

SHAPES = [(1030, 96), (37, 1250), (200, 33), (4096, 1024), (16, 73730)]
DTYPES = ["f32", "bf16", "f16", "f64"]
DEVICES = {"sm_70": "v100", "sm_80": "a100", "sm_90": "h200"}
PRINTED = [("plan", ["--emit=plan"]), ("gpu", ["--emit=gpu"])]


def text_of(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rb") as file:
        return file.read()


def subjects(extra):
    """Pairs of a name and a function that gives its text."""
    models = sorted(glob.glob(os.path.join(HERE, "models", "*.mlir")) + glob.glob(os.path.join(HERE, "models", "workloads", "*.mlir.xz")))
    for path in models + extra:
        yield os.path.basename(path).split(".mlir")[0], lambda path=path: text_of(path)
    for name in classics.CLASSICS:
        for rows, columns in SHAPES:
            for dtype in DTYPES:
                yield (f"{name}-{rows}x{columns}-{dtype}",
                       lambda arguments=(name, rows, columns, dtype): classics.build(*arguments).encode())


def stages(name):
    """Names of texts and the options that make them."""
    is_classic = name.split("-")[0] in classics.CLASSICS
    for stage, arguments in PRINTED:
        yield stage, [*arguments, "--device=h200"]
    for arch in DEVICES if is_classic else ["sm_90"]:
        yield "ptx-" + arch, ["--emit=ptx", f"--target={arch}", f"--device={DEVICES[arch]}"]
    if is_classic or "small" in name or "layer" in name:
        yield "so", ["--target=simt", "--device=h200"]


def fingerprint(compiler, name, read, folder):
    """Hashes by stage; of a compilation that fails, that of its message."""
    model, result = os.path.join(folder, "model.mlir"), os.path.join(folder, "result")
    with open(model, "wb") as file:
        file.write(read())
    hashes = {}
    for stage, arguments in stages(name):
        run = subprocess.run([compiler, model, "-o", result, "--cache=off", *arguments], capture_output=True)
        content = run.stderr
        if run.returncode == 0:
            content = text_of(result)
            os.remove(result)
        hashes[stage] = hashlib.sha256(content.replace(folder.encode(), b"")).hexdigest()
    return hashes


def write(path, result):
    with open(path + ".part", "w") as file:
        json.dump(result, file, indent=0, sort_keys=True)
    os.replace(path + ".part", path)


def compare(before, after):
    pairs = [(name, stage) for name in before for stage in before[name]]
    differing = [pair for pair in pairs if after.get(pair[0], {}).get(pair[1]) != before[pair[0]][pair[1]]]
    for name, stage in differing:
        print(name, stage, "differs" if name in after else "is missing")
    print(f"{len(pairs) - len(differing)} of {len(pairs)} texts of {len(before)} models and kernels are equal")
    return 1 if differing or not pairs else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile")
    parser.add_argument("-o", dest="output")
    parser.add_argument("--only", nargs="+", default=["*"])
    parser.add_argument("--models", nargs="+", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compare", nargs=2)
    options = parser.parse_args()
    if options.compare:
        sys.exit(compare(*(json.loads(text_of(path)) for path in options.compare)))
    if not options.compile or not options.output:
        parser.error("--compile and -o are needed, or --compare")

    result = json.loads(text_of(options.output)) if os.path.exists(options.output) else {}
    todo = [(name, read) for name, read in subjects(options.models)
            if name not in result and any(fnmatch.fnmatch(name, pattern) for pattern in options.only)]
    begin, done = time.time(), 0

    def one(subject):
        with tempfile.TemporaryDirectory() as folder:
            return subject[0], fingerprint(options.compile, *subject, folder)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(one, subject) for subject in todo]):
            name, hashes = future.result()
            result[name], done = hashes, done + 1
            write(options.output, result)
            print(f"\r{done} of {len(todo)}, {(time.time() - begin) / done * (len(todo) - done) / 60:.0f} minutes left ", end="",
                  file=sys.stderr)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
