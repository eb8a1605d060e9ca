#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deletes each barrier of each kernel in turn and runs what is left with the checks of the simt device.

usage: mutate_barriers.py [--all] [--classics] [--operations N] [--graphs N] [--wide] [--seed S] [--limit N] [--expect-needed]
                          [--option OPTION] [MODEL.mlir...] --compile STITCH_COMPILE --run STITCH_RUN

A barrier whose deletion no check finds with any of a few inputs is listed: it separates nothing that these runs do. Deletions
that are found are counted by what is found. Kernels are those of

  MODEL.mlir       models in files
  --classics       the classic kernels of bench/kernels in the shapes of check_classics.py, planned for a small GPU, whose blocks have
                   several tasks, and for a large one
  --operations N   N cases of each operation that is a kernel of its own (kernel_ops.py), for both GPUs
  --graphs N       N random graphs (random_graphs.py); with --wide of independent branches, which are packed
  --all            test/models/*.mlir, the classics, and 20 cases of each operation

Commits of groups of asynchronous copies, and waits for them, count as barriers.

Exit status: 0, or 1 if the checks find something wrong with kernels that have all their barriers, if not a single
deletion is found although there are barriers, or with --expect-needed if one is not found.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TEST, folder) for folder in ("programs", "generators", "operations")]
import check_classics  # noqa: E402
from random_graphs import Graph  # noqa: E402

BARRIER = re.compile(r"^\s*(gpu\.barrier|stitch\.cluster_barrier|stitch\.grid_barrier\b.*|nvvm\.cp\.async\.(commit\.group|wait\.group \d+))$")
VOTE = re.compile(r"^\s*(%\w+) = (stitch\.block_any) %\w+ : i1$")  # a barrier that tells what all say: without it, yes
KERNEL = re.compile(r"^\s*gpu\.func @(\S+?)\(")
FINDINGS = ["without a barrier between", "without a wait between", "without a cluster barrier", "without a grid barrier between", "which no thread has written",
            "stop at different places", "would wait for ever"]
SEEDS = [["--seed=0"], ["--seed=1"]]
MORE_SEEDS = [[f"--seed={i}"] for i in range(16)]  # of random graphs, whose sorts may find their elements in order
KERNEL_OPERATIONS = ["cumulative", "general_cumulative", "sort", "top_k", "scatter", "select_and_scatter", "general_scatter", "general_select_and_scatter"]


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=600)


class Model:
    """A model with the text of its kernels, and the options of stitch-run for some inputs."""

    def __init__(self, arguments, folder, name, source, options, inputs):
        self.arguments, self.folder, self.name, self.source, self.options = arguments, folder, name, source, options
        self.inputs = inputs
        result = command(arguments.compile, source, "--emit=gpu", *options)
        if result.returncode:
            raise RuntimeError(f"{name}: {result.stderr}")
        self.lines = result.stdout.splitlines()
        self.barriers, kernel = [], None
        for number, line in enumerate(self.lines):
            if match := KERNEL.match(line):
                kernel = match[1]
            elif match := BARRIER.match(line):
                self.barriers.append((number, kernel, match[1].split()[0]))
            elif match := VOTE.match(line):
                self.barriers.append((number, kernel, match[2]))

    def run(self, deleted=None):
        """What the checks say when the line `deleted` is not there: "" if nothing."""
        base = os.path.join(self.folder, f"{self.name}.{deleted}")
        lines = list(self.lines)
        if deleted is not None:
            vote = VOTE.match(lines[deleted])
            lines[deleted] = f"{vote[1]} = arith.constant true" if vote else ""
        with open(base + ".mlir", "w") as file:
            file.write("\n".join(lines))
        result = command(self.arguments.compile, self.source, "-o", base + ".so", "--no-reference", "--checks",
                         f"--kernels={base}.mlir", *self.options)
        for inputs in self.inputs if result.returncode == 0 else []:
            result = command(self.arguments.run, base + ".so", *inputs)
            if result.returncode:
                break
        for end in (".so", ".mlir"):
            if os.path.exists(base + end):
                os.remove(base + end)
        return result.stderr.strip() or f"exit status {result.returncode}" if result.returncode else ""


def written(folder, name, text):
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(text)
    return path


def classic_models(folder):
    for name in check_classics.classics.CLASSICS:
        for rows, columns in check_classics.SHAPES:
            source = written(folder, f"{name}_{rows}x{columns}", check_classics.classics.build(name, rows, columns))
            yield from ((source, device, SEEDS) for device in check_classics.DEVICES)


def input_options(kernel_ops, folder, name, arrays):
    options = []
    for i, array in enumerate(arrays):
        path = os.path.join(folder, f"{name}.{i}.npy")
        kernel_ops.save(path, array)
        options += ["--input", f"{i}:{path}"]
    return options


def with_indices_at_edges(np, rng, case):
    """The inputs of a scatter with other indices: near 0, on either side."""
    arrays = [x for x, _ in case.inputs]
    number = len(arrays) // 2
    indices = arrays[number]
    lowest = -1 if indices.dtype.kind == "i" else 0
    arrays[number] = np.random.default_rng(rng.getrandbits(32)).integers(lowest, 2, indices.shape).astype(indices.dtype)
    return arrays


def shuffled(np, rng, case):
    """The inputs of a sort with their elements in another order: some exchange elements in a step where others do not."""
    generator = np.random.default_rng(rng.getrandbits(32))
    return [generator.permutation(x.reshape(-1)).reshape(x.shape) for x, _ in case.inputs]


def operation_models(arguments, folder):
    import kernel_ops  # needs NumPy
    for name in KERNEL_OPERATIONS:
        for i in range(arguments.operations):
            rng = random.Random(f"{arguments.seed}/{name}/{i}")
            case = getattr(kernel_ops, name)(rng, rng.choice(list(kernel_ops.DTYPES)))
            data = [[x for x, _ in case.inputs]]
            if name in ("scatter", "general_scatter"):
                data += [with_indices_at_edges(kernel_ops.np, rng, case) for _ in range(20)]
            if name in ("sort", "top_k"):
                data += [shuffled(kernel_ops.np, rng, case) for _ in range(20)]
            inputs = [input_options(kernel_ops, folder, f"{name}_{i}_{k}", arrays) for k, arrays in enumerate(data)]
            source = written(folder, f"{name}_{i}", case.text())
            yield from ((source, device, inputs) for device in check_classics.DEVICES)


def random_models(arguments, folder):
    for i in range(arguments.graphs):
        rng = random.Random(f"{arguments.seed}/{i}")
        yield written(folder, f"graph_{i}", Graph(rng, rng.randint(2, 6 if arguments.wide else 30), wide=arguments.wide).text()), None, MORE_SEEDS


def models(arguments, folder):
    """All models, with the device that each is planned for, and inputs."""
    yield from ((path, None, SEEDS) for path in arguments.models)
    if arguments.classics:
        yield from classic_models(folder)
    if arguments.operations:
        yield from operation_models(arguments, folder)
    yield from random_models(arguments, folder)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--classics", action="store_true")
    parser.add_argument("--operations", type=int, default=0)
    parser.add_argument("--graphs", type=int, default=0)
    parser.add_argument("--wide", action="store_true", help="random graphs begin with independent branches")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, help="delete at most so many barriers of a model, spread evenly")
    parser.add_argument("--expect-needed", action="store_true")
    parser.add_argument("--option", action="append", default=[], help="passed to stitch-compile")
    parser.add_argument("--compile", required=True)
    parser.add_argument("--run", required=True)
    arguments = parser.parse_args()
    if arguments.all:
        arguments.models += sorted(glob.glob(os.path.join(TEST, "models", "*.mlir")))
        arguments.classics, arguments.operations = True, arguments.operations or 20
    return arguments


class Count:
    """What became of the deletions."""

    def __init__(self):
        self.kernels, self.found, self.redundant, self.wrong = 0, collections.Counter(), 0, 0

    def add(self, name, barrier, message):
        line, kernel, op = barrier
        finding = next((f for f in FINDINGS if f in message), None)
        if finding:
            self.found[op, finding] += 1
        elif message:
            self.wrong += 1
            print(f"{name}: without {op} in line {line + 1} of the kernels: {message}")
        else:
            self.redundant += 1
            print(f"{name}: nothing is found without {op} in line {line + 1} of the kernels, in '{kernel}'", flush=True)

    def report(self):
        for (op, finding), count in sorted(self.found.items()):
            print(f"{count} x {op}: {finding}")
        total = sum(self.found.values())
        print(f"{total} of {total + self.redundant} deleted barriers of {self.kernels} kernels are found, {self.wrong} other failures")
        return total


def try_model(arguments, pool, model, count):
    if message := model.run():
        print(f"{model.name}: with all barriers: {message}")
        count.wrong += 1
        return
    barriers = model.barriers
    if arguments.limit and len(barriers) > arguments.limit:
        barriers = [barriers[i * len(barriers) // arguments.limit] for i in range(arguments.limit)]
    count.kernels += len({kernel for _, kernel, _ in barriers})
    for barrier, message in zip(barriers, pool.map(lambda barrier: model.run(barrier[0]), barriers)):
        count.add(model.name, barrier, message)


def main():
    arguments, count = parse_arguments(), Count()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, device, inputs in models(arguments, folder):
            name = os.path.splitext(os.path.basename(source))[0] + (f" on {device}" if device else "")
            model = Model(arguments, folder, name.replace(" ", "_"), source,
                          arguments.option + ([f"--device={device}"] if device else []), inputs)
            if model.barriers:
                try_model(arguments, pool, model, count)
    total = count.report()
    return 1 if count.wrong or (count.redundant and (not total or arguments.expect_needed)) else 0


if __name__ == "__main__":
    sys.exit(main())
