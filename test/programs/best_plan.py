#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plan=best costs no more, by the cost model, than any plan that is a part of it, each planned for itself.

usage: best_plan.py --opt STITCH_OPT [--device NAME] MODEL ...

MODEL is text that stitch-opt reads, .xz or not. A plan with fewer launches may cost up to 3 % more and be taken (docs/plans.md); a part that is
too long to be taken does not count. Exit status 1 if best costs more than a part of it.
"""
import argparse
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True)
    parser.add_argument("--device", default="h200")
    parser.add_argument("models", nargs="+", metavar="MODEL")
    options = parser.parse_args()
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
