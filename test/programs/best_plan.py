#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan=best costs no more, by the cost model, than any plan that is a part of it, each planned for itself.

usage: best_plan.py --opt STITCH_OPT [--device NAME] MODEL ...
       best_plan.py --table PLANS_JSON

With --table: of all models of bench/results/plans.json, which bench/plans has written.

MODEL is text that stitch-opt reads, .xz or not. A plan with fewer launches may cost up to 3 % more and be taken (docs/plans.md); a part that is
too long to be taken does not count. Exit status 1 if best costs more than a part of it.
"""
import argparse
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

SLACK = 1.03
PART = re.compile(r"remark: plan=([a-z-]+) costs (\d+) ns(?:, [a-z ,]*: it is taken)?(, but is too long)? \((\d+) launches")
WHOLE = re.compile(r"remark: the plan costs (\d+) ns")


def remarks(opt, model, plan, device):
    command = [opt, model, "-o", os.devnull, "--stitch-remarks", "--convert-stablehlo-to-tg", f"--stitch-pipeline=device={device} plan={plan}"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr[-1000:]}")
    return result.stderr


def problems(opt, model, device):
    """Prints what the plan and its parts cost; parts that cost less than the plan."""
    text = remarks(opt, model, "best", device)
    best, parts = int(WHOLE.findall(text)[-1]), PART.findall(text)
    wrong = []
    for kind, as_part, too_long, _ in parts:
        alone = int(WHOLE.findall(remarks(opt, model, kind, device))[-1])
        print(f"  {kind}: {alone} ns alone, {as_part} ns among the others{', too long' * bool(too_long)}")
        if not too_long and best > alone * SLACK:
            wrong.append(f"{kind} costs {alone} ns")
    return best, len(parts), wrong


def check_table(path):
    """Prints the models of the table whose plan costs more than a part of it; whether there are any."""
    with open(path) as file:
        models = json.load(file)["models"]
    failed = 0
    for name, row in models.items():
        taken = [plan for plan in row["plans"].values() if plan["taken"]]
        least = min((kind for kind, plan in row["plans"].items() if not plan["long"]), key=lambda kind: row["plans"][kind]["ns"])
        part = row["plans"][least]
        if len(taken) != 1:
            print(f"FAIL: {name}: {len(taken)} plans are taken")
        elif taken[0]["ns"] > part["ns"] * (SLACK if taken[0]["launches"] < part["launches"] else 1):
            print(f"FAIL: {name}: best {taken[0]['ns']} ns, but {least} costs {part['ns']} ns")
        else:
            continue
        failed += 1
    print(f"{len(models)} models, {failed} with a part that costs less")
    return failed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt")
    parser.add_argument("--table", metavar="PLANS_JSON")
    parser.add_argument("--device", default="h200")
    parser.add_argument("models", nargs="*", metavar="MODEL")
    options = parser.parse_args()
    if bool(options.table) == bool(options.opt and options.models):
        parser.error("either --table, or --opt and models")
    if options.table:
        sys.exit(check_table(options.table))
    failed = 0
    for path in options.models:
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.mlir")
            with (lzma.open if path.endswith(".xz") else open)(path, "rb") as source, open(model, "wb") as target:
                target.write(source.read())
            best, count, wrong = problems(options.opt, model, options.device)
        verdict = f"FAIL: best {best} ns, but {'; '.join(wrong)}" if wrong else f"ok: best {best} ns is above none of its {count} parts"
        print(f"{verdict}: {os.path.basename(path)}", flush=True)
        failed += bool(wrong)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
