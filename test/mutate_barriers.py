#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deletes each barrier of each kernel in turn and runs what is left with the checks of the simt device.

usage: mutate_barriers.py [--graphs N] [--seed S] [--limit N] [--expect-needed] [MODEL.mlir...]
                          --compile STITCH_COMPILE --run STITCH_RUN

A barrier whose deletion no check finds is listed: it separates nothing that this run does. Deletions that are found are
counted by what is found. Models are files, and N random graphs (random_graphs.py).

Exit status: 0, or 1 if the checks find something wrong with kernels that have all their barriers, if not a single
deletion is found although there are barriers, or with --expect-needed if one is not found.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

from random_graphs import Graph

BARRIER = re.compile(r"^\s*(gpu\.barrier|stitch\.cluster_barrier|stitch\.grid_barrier\b.*)$")
KERNEL = re.compile(r"^\s*gpu\.func @(\S+?)\(")
FINDINGS = ["without a barrier between", "without a cluster barrier", "without a grid barrier between", "which no thread has written",
            "stop at different places", "would wait for ever"]


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=600)


class Model:
    """A model with the text of its kernels."""

    def __init__(self, arguments, folder, name, source):
        self.arguments, self.folder, self.name, self.source = arguments, folder, name, source
        result = command(arguments.compile, source, "--emit=gpu", *arguments.option)
        if result.returncode:
            raise RuntimeError(f"{name}: {result.stderr}")
        self.lines = result.stdout.splitlines()
        self.barriers, kernel = [], None
        for number, line in enumerate(self.lines):
            if match := KERNEL.match(line):
                kernel = match[1]
            elif match := BARRIER.match(line):
                self.barriers.append((number, kernel, match[1].split()[0]))

    def run(self, deleted=None):
        """What the checks say when the line `deleted` is not there: "" if nothing."""
        base = os.path.join(self.folder, f"{self.name}.{deleted}")
        with open(base + ".mlir", "w") as file:
            file.write("\n".join(line for i, line in enumerate(self.lines) if i != deleted))
        result = command(self.arguments.compile, self.source, "-o", base + ".so", "--no-reference", "--checks",
                         f"--kernels={base}.mlir")
        if result.returncode == 0:
            result = command(self.arguments.run, base + ".so")
            os.remove(base + ".so")
        os.remove(base + ".mlir")
        return result.stderr.strip() or f"exit status {result.returncode}" if result.returncode else ""


def models(arguments, folder):
    for path in arguments.models:
        yield os.path.splitext(os.path.basename(path))[0], path
    for i in range(arguments.graphs):
        rng = random.Random(f"{arguments.seed}/{i}")
        path = os.path.join(folder, f"graph_{i}.mlir")
        with open(path, "w") as file:
            file.write(Graph(rng, rng.randint(2, 30)).text())
        yield f"graph_{i}", path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*")
    parser.add_argument("--graphs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, help="delete at most so many barriers of a model, spread evenly")
    parser.add_argument("--expect-needed", action="store_true")
    parser.add_argument("--option", action="append", default=[], help="passed to stitch-compile")
    parser.add_argument("--compile", required=True)
    parser.add_argument("--run", required=True)
    arguments = parser.parse_args()
    found, redundant, wrong = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, source in models(arguments, folder):
            model = Model(arguments, folder, name, source)
            if message := model.run():
                print(f"{name}: with all barriers: {message}")
                wrong += 1
                continue
            barriers = model.barriers
            if arguments.limit and len(barriers) > arguments.limit:
                barriers = [barriers[i * len(barriers) // arguments.limit] for i in range(arguments.limit)]
            messages = pool.map(lambda barrier: model.run(barrier[0]), barriers)
            for (line, kernel, op), message in zip(barriers, messages):
                finding = next((f for f in FINDINGS if f in message), None)
                if finding:
                    found[op, finding] += 1
                elif message:
                    print(f"{name}: without {op} in line {line + 1} of the kernels: {message}")
                    wrong += 1
                else:
                    redundant += 1
                    print(f"{name}: nothing is found without {op} in line {line + 1} of the kernels, in '{kernel}'")
    for (op, finding), count in sorted(found.items()):
        print(f"{count} x {op}: {finding}")
    total = sum(found.values())
    print(f"{total} of {total + redundant} deleted barriers are found, {wrong} other failures")
    return 1 if wrong or (redundant and (not total or arguments.expect_needed)) else 0


if __name__ == "__main__":
    sys.exit(main())
