#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the models of test/models: StableHLO text and a JSON description for each.

usage: export.py [--output DIR] [--check] [PATTERN ...]

PATTERN chooses by name ('bert-*', '*-small'). The environment that setup.sh makes gives the same bytes again: --check writes
nothing and compares with what is there. Exit status 1 if something differs.
"""
import argparse
import filecmp
import fnmatch
import importlib
import os
import sys
import tempfile

import workload

FOLDER = os.path.dirname(os.path.abspath(__file__))


def find_models():
    """Of all families: name -> function that builds it."""
    found = {}
    for file in sorted(os.listdir(os.path.join(FOLDER, "families"))):
        if file.endswith(".py"):
            found.update(importlib.import_module("families." + file[:-3]).WORKLOADS)
    return found


def export(name, build, output):
    """Writes a model; a line that says so."""
    path, size, written = workload.write(build(name), output)
    return f"{os.path.relpath(path, output)}: {written} bytes for {size}"


def differences(name, build, output):
    """The files of a model that are not what is in `output`, or that are missing there."""
    with tempfile.TemporaryDirectory() as folder:
        path, _, _ = workload.write(build(name), folder)
        stem = os.path.relpath(path, folder).removesuffix(".xz").removesuffix(".mlir")
        files = [os.path.relpath(path, folder), stem + ".json"]
        _, changed, missing = filecmp.cmpfiles(folder, output, files, shallow=False)
        return changed + missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN")
    parser.add_argument("--output", default=os.path.join(FOLDER, ".."))
    parser.add_argument("--check", action="store_true", help="compare with what is in the output folder, and write nothing")
    options = parser.parse_args()
    chosen = {name: build for name, build in find_models().items()
              if any(fnmatch.fnmatch(name, pattern) for pattern in options.patterns)}
    if not chosen:
        sys.exit(f"no model is called {' or '.join(options.patterns)}")
    failed = 0
    for name, build in chosen.items():
        if not options.check:
            print(export(name, build, options.output), flush=True)
            continue
        different = differences(name, build, options.output)
        failed += bool(different)
        print(f"{name}: " + (f"differs: {', '.join(different)}" if different else "the same bytes"), flush=True)
    if options.check:
        print(f"{len(chosen) - failed} of {len(chosen)} models are the same bytes")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
