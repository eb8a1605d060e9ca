#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes plans in one place at a time and expects stitch-verify-plan to find it.

usage: mutate_plan.py [--seed S] [--each N] [--graphs N] [MODEL.mlir ...] --opt STITCH_OPT

Models are files of tg operations or StableHLO, and N random graphs (random_graphs.py). Each kind of mutation is tried at up to N
places of each planned module, chosen at random. Exit status 1 if a mutation is not found, or if one is never tried.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "generators"))
from random_graphs import Graph  # noqa: E402

MAPPING = r"#stitch\.mapping<(\w+), rows = (\d+), columns = (\d+), block_rows = (\d+), row_threads = (\d+), vector = (\d+), unroll = (\d+), split = (\d+)(?:, cluster = (\d+))?(?:, run = (\d+))?>"


def number(name, change):
    """Changes the number behind `name = `."""
    pattern = re.compile(rf"\b{name} = (\d+)")
    return lambda text: pattern.sub(lambda m: f"{name} = {change(int(m[1]))}", text, count=1)


def word(before, after):
    return lambda text: text.replace(before, after, 1)


# name: (what is changed, how it is changed). A mutation that changes nothing there is skipped.
MUTATIONS = {
    "one row more": (MAPPING, number("rows", lambda n: n + 1)),
    "one column more": (MAPPING, number("columns", lambda n: n + 1)),
    "twice the threads of a row": (MAPPING, number("row_threads", lambda n: 2 * n)),
    "three threads of a row": (MAPPING, number("row_threads", lambda n: 3)),
    "one chunk more": (MAPPING, number("split", lambda n: n + 1)),
    "a larger cluster": (MAPPING, number("cluster", lambda n: 2 * n)),
    "a smaller cluster": (MAPPING, number("cluster", lambda n: n // 2)),
    "a launch with other clusters": (r"#stitch\.launch<[^>]*cluster = \d+>", number("cluster", lambda n: n // 2)),
    "a vector that does not divide": (MAPPING, number("vector", lambda n: n * 7919)),
    "runs that do not divide": (MAPPING, number("run", lambda n: 3 * n)),
    "a tile that is no square": (r"#stitch\.mapping<tile[^>]*>", number("unroll", lambda n: 2 * n)),
    "a transpose that goes with the others": (r", stitch\.transposed", lambda text: ""),
    "a tile of registers": (r"stitch\.buffer = #stitch\.buffer<shared[^>]*>, (?=[^}]*stitch\.transposed)", lambda text: ""),
    "kept elements that are flat": (r"#stitch\.mapping<kept[^>]*>", lambda text: text.replace("<kept", "<flat")),
    "a stack that is none": (r", stitch\.stacked", lambda text: ""),
    "columns that are kept": (r"#stitch\.mapping<column, rows = (?!1,)[^>]*>", word("column", "kept")),
    "a root in no loop": (r"#stitch\.task<[^>]*>", number("loop", lambda n: n + 1000)),
    "a loop with other tasks": (r"<phase = \d+, mapping = <\w+, rows = \d+", number("rows", lambda n: n + 1)),
    "a phase too few": (r"<phase = [1-9]\d*,", number("phase", lambda n: n - 1)),
    "elements that nobody has kept": (r"(?<=<)phase = [1-9]\d*, mapping = <flat[^>]*>(?=>)", lambda text: text + ", kept_from = 0"),
    "a value that is read behind its last phase": (r", until = \d+", lambda text: ""),
    "a reduce that nobody finishes": (r", finished_in = \d+", lambda text: ""),
    "no buffer for a global value": (r"stitch\.buffer = #stitch\.buffer<scratch[^>]*>, ", lambda text: ""),
    "a buffer too small": (r"#stitch\.buffer<[^>]*>", number("size", lambda n: n - 16)),
    "a buffer past the end": (r"#stitch\.buffer<[^>]*>", number("offset", lambda n: n + (1 << 40))),
    "a buffer out of line": (r"#stitch\.buffer<[^>]*>", number("offset", lambda n: n + 4)),
    "a buffer in the wrong memory": (r"#stitch\.buffer<[^>]*>", word("scratch", "shared")),
    "a root that is a member": (r"stitch\.role = #stitch\.role<(?:sub_)?dominant>", lambda text: "stitch.role = #stitch.role<member>"),
    "a member that is a root": (r"stitch\.role = #stitch\.role<member>", word("member", "sub_dominant")),
    "a local root": (r"#stitch\.scheme<(?:global|regional|independent)>", lambda text: "#stitch.scheme<local>"),
    "a global member": (r"#stitch\.scheme<local>", word("local", "global")),
    "a global value kept in the block": (r"#stitch\.scheme<global>", word("global", "regional")),
    "a read value left independent": (r"#stitch\.scheme<(?:global|regional)>", lambda text: "#stitch.scheme<independent>"),
    "another group": (r"stitch\.group = \d+ : i64", number(r"stitch\.group", lambda n: n + 1000)),
    "a barrier too few": (r"#stitch\.launch<[^>]*barriers = [1-9][^>]*>", number("barriers", lambda n: n - 1)),
    "a barrier too many": (r"#stitch\.launch<[^>]*>", number("barriers", lambda n: n + 1)),
    "a grid that is not resident": (r"#stitch\.launch<[^>]*barriers = [1-9][^>]*>", number("grid", lambda n: 100000 * n)),
    "more shared memory than a block has": (r"#stitch\.launch<[^>]*>", number("shared", lambda n: n + (1 << 20))),
    "more registers than there are": (r"#stitch\.launch<[^>]*>", number("registers", lambda n: 10000)),
    "no grid": (r"#stitch\.launch<[^>]*>", number("grid", lambda n: 0)),
}


def mutants(name, text, rng, each):
    pattern, change = MUTATIONS[name]
    places = list(re.finditer(pattern, text))
    rng.shuffle(places)
    for place in places[:each]:
        changed = change(place[0])
        if changed != place[0]:
            yield place, text[:place.start()] + changed + text[place.end():]


def verify(arguments, path, text):
    with open(path, "w") as file:
        file.write(text)
    return subprocess.run([arguments.opt, path, "--stitch-verify-plan", "-o", os.devnull], capture_output=True, text=True, timeout=600)


def plan(arguments, path):
    flags = ["--convert-stablehlo-to-tg"] if "stablehlo." in open(path).read() else []
    result = subprocess.run([arguments.opt, path, *flags, "--stitch-pipeline=device=h200"], capture_output=True, text=True, timeout=600)
    if result.returncode:
        sys.exit(f"{path}: {result.stderr[-2000:]}")
    return result.stdout


def models(arguments, folder):
    yield from arguments.models
    for i in range(arguments.graphs):
        rng = random.Random(f"{arguments.seed}/{i}")
        path = os.path.join(folder, f"graph_{i}.mlir")
        with open(path, "w") as file:
            file.write(Graph(rng, rng.randint(10, 40)).text())
        yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*")
    parser.add_argument("--graphs", type=int, default=0)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opt", required=True)
    arguments = parser.parse_args()
    tried, missed = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        mutant = os.path.join(folder, "mutant.mlir")
        for path in models(arguments, folder):
            text = plan(arguments, path)
            if result := verify(arguments, mutant, text).stderr:
                sys.exit(f"{path}: the plan itself is wrong: {result[-2000:]}")
            rng = random.Random(f"{arguments.seed}/{os.path.basename(path)}")
            for name in MUTATIONS:
                for place, changed in mutants(name, text, rng, arguments.each):
                    tried[name] += 1
                    result = verify(arguments, mutant, changed)
                    if result.returncode == 1 and "error:" in result.stderr:
                        continue
                    missed += 1
                    line = text.count("\n", 0, place.start()) + 1
                    print(f"{path}: {name}, in line {line} of the plan, '{place[0]}': status {result.returncode} {result.stderr[-500:]}")
    untried = [name for name in MUTATIONS if not tried[name]]
    for name in untried:
        print(f"never tried: {name}")
    print(f"{sum(tried.values()) - missed} of {sum(tried.values())} mutations of {len(tried)} kinds are found")
    return 1 if missed or untried else 0


if __name__ == "__main__":
    sys.exit(main())
