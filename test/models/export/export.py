#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the models of test/models: StableHLO text and a JSON description for each.

usage: export.py [--output DIR] [PATTERN ...]

PATTERN chooses by name ('bert-*', '*-small'). The environment that setup.sh makes gives the same bytes again.
"""
import argparse
import fnmatch
import importlib
import os
import sys

import workload

FOLDER = os.path.dirname(os.path.abspath(__file__))


def find_models():
    """Of all families: name -> function that builds it."""
    found = {}
    for file in sorted(os.listdir(os.path.join(FOLDER, "families"))):
        if file.endswith(".py"):
            found.update(importlib.import_module("families." + file[:-3]).WORKLOADS)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN")
    parser.add_argument("--output", default=os.path.join(FOLDER, ".."))
    options = parser.parse_args()
    chosen = {name: build for name, build in find_models().items()
              if any(fnmatch.fnmatch(name, pattern) for pattern in options.patterns)}
    if not chosen:
        sys.exit(f"no model is called {' or '.join(options.patterns)}")
    for name, build in chosen.items():
        path, size, written = workload.write(build(name), options.output)
        print(f"{os.path.relpath(path, options.output)}: {written} bytes for {size}", flush=True)


if __name__ == "__main__":
    main()
