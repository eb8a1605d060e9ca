#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs (random_graphs.py) with random rules (docs/rules.md): a rule is obeyed, or refused at its place in the file, and what obeys computes
the same.

usage: random_rules.py --compile STITCH_COMPILE --run STITCH_RUN [--count N] [--seed N] [--first N] [--size N] [--keep FOLDER]

Rules name operations by their lines. Each graph has three files of them; one that is refused is drawn anew with one rule. Prints how many were
obeyed; exit status 1 if one fails in another way, if a result is wrong, or if fewer than a third were obeyed.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

import random_graphs

PLANS = ["best", "astitch", "cheapest", "thin", "fusionstitching", "apollo", "xla", "running-always"]
REFUSALS = re.compile(r"cannot be obeyed|contradicts|costs nothing where it is read")


def drawn_rules(rng, lines, count):
    def at():
        return f"at=graph.mlir:{rng.choice(lines)}"

    kinds = {
        "together": lambda: f"together {at()} {at()}", "near": lambda: near(rng, lines), "apart": lambda: f"apart {at()} {at()}",
        "alone": lambda: f"alone {at()}", "never": lambda: f"never {at()}", "prefer": lambda: f"prefer {rng.choice([0.1, 3])} {at()} {at()}",
        "scheme": lambda: f"scheme {rng.choice(['local', 'regional', 'global', 'global'])} {at()}",
    }
    return [kinds[rng.choice(list(kinds))]() for _ in range(count)]


def near(rng, lines):
    first = rng.randrange(len(lines))
    return f"together at=graph.mlir:{lines[first]} at=graph.mlir:{lines[min(first + rng.randint(1, 3), len(lines) - 1)]}"


def try_rules(arguments, rng, folder, source, rules, plan, seed):
    """'obeyed', 'refused', or what went wrong."""
    path, model = os.path.join(folder, "rules"), os.path.join(folder, "model.so")
    with open(path, "w") as file:
        file.write("stitch-rules 1\n" + "".join(rule + "\n" for rule in rules))
    made = subprocess.run([arguments.compile, source, "-o", model, f"--rules={path}", f"--pipeline=plan={plan}"], capture_output=True, text=True, timeout=300)
    if made.returncode:
        errors = re.findall(r"^.*error: .*$", made.stderr, re.M)
        if made.returncode == 1 and errors and all(error.startswith(path + ":") and REFUSALS.search(error) for error in errors):
            return "refused"
        return f"stitch-compile: status {made.returncode}\n{made.stderr[-2000:]}"
    check = [arguments.run, model, "--device=simt", "--check", f"--seed={seed}", f"--thread-order={rng.randint(0, 5)}", *random_graphs.completeness(seed)]
    result = subprocess.run(check, capture_output=True, text=True, timeout=300)
    if result.returncode and not random_graphs.is_partly_checked(result):
        return f"stitch-run: status {result.returncode}\n{result.stdout}{result.stderr[-2000:]}"
    return "obeyed"


def check(arguments, number, counts):
    """What went wrong with a graph; empty: nothing."""
    rng = random.Random(f"{arguments.seed}/{number}")
    text = random_graphs.Graph(rng, rng.randint(3, arguments.size), layers=number % 3 == 1, loops=number % 5 == 2).text()
    lines = [i for i, line in enumerate(text.splitlines(), 1) if re.search(r'= "?tg\.(?!constant|iota|broadcast|reshape)', line)]
    if not lines:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "graph.mlir")
        with open(source, "w") as file:
            file.write(text)
        for attempt in range(6):
            rules = drawn_rules(rng, lines, rng.randint(1, 4) if attempt < 3 else 1)
            plan = rng.choice(PLANS)
            said = try_rules(arguments, rng, folder, source, rules, plan, random_graphs.input_seed(number, text))
            counts[said] = counts.get(said, 0) + 1
            if said not in ("obeyed", "refused"):
                if arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    with open(os.path.join(arguments.keep, f"{number}.mlir"), "w") as file:
                        file.write(text)
                return f"plan={plan}, rules:\n" + "\n".join(rules) + "\n" + said
            if attempt >= 2 and said == "obeyed":
                break
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("count", 20), ("seed", 1), ("first", 0), ("size", 30)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name in ("compile", "run", "keep"):
        parser.add_argument(f"--{name}")
    arguments = parser.parse_args()
    counts, failed = {}, 0
    for number in range(arguments.first, arguments.first + arguments.count):
        problem = check(arguments, number, counts)
        if problem:
            failed += 1
            print(f"graph {number}: {problem}", flush=True)
    obeyed, refused = counts.get("obeyed", 0), counts.get("refused", 0)
    few = 3 * obeyed < obeyed + refused
    print(f"{arguments.count - failed} of {arguments.count} graphs: {obeyed} files of rules obeyed, {refused} refused, {failed} graphs fail{', too few obeyed' if few else ''}")
    return 1 if failed or few else 0


if __name__ == "__main__":
    sys.exit(main())
