#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of planned kernels, printed and read back (docs/templates.md).

usage: templates.py --opt STITCH_OPT [--plan NAME ...] [--only PATTERN ...] [--models FILE ...] [--jobs N]

Plans every model of test/models, workloads among them, and every kernel of bench/kernels/classics.py; writes the template of each of
their kernels; and plans all kernels once more by their templates alone. The plan must be the same text. Prints how many kernels there
were and which differ; exit status 1 if any does.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fingerprint  # noqa: E402

READ = "convert-stablehlo-to-tg,convert-tosa-to-tg,tg-dynamic-dims,tg-decompose,tg-simplify,tg-dynamic-dims"
TEMPLATE = re.compile(r'stitch\.template = "([^"]*)"')
NOTE = re.compile(r'(, )?stitch\.template(?:d| = "[^"]*")(, )?')


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True)


def without_notes(plan):
    """A plan without what stitch-templates says of it."""
    while NOTE.search(plan):
        plan = NOTE.sub(lambda found: found[1] and found[2] or "", plan, count=1)
    return plan


def distinct(entries):
    """The file that has each kernel once."""
    kernels = {}
    for entry in entries:
        text = entry.replace("\\0A", "\n")
        kernels.setdefault(text.split("\n", 1)[0], text)
    return "stitch-templates 1\n" + "".join(kernels.values()), len(kernels)


def round_trip(opt, plan, text):
    """What is wrong, or an empty text, and the number of different kernels."""
    pipeline = f"builtin.module({READ},stitch-pipeline{{plan={plan}}},stitch-templates{{write=true}})"
    first = run([opt, "--allow-unregistered-dialect", f"--pass-pipeline={pipeline}", "-"], text)
    if first.returncode != 0:
        return "cannot be planned: " + first.stderr.decode()[:300], 0
    planned = first.stdout.decode()
    templates, count = distinct(TEMPLATE.findall(planned))
    with tempfile.NamedTemporaryFile("w", suffix=".templates") as file:
        file.write(templates)
        file.flush()
        again = f'builtin.module(stitch-templates{{file="{file.name}" write=true}},stitch-verify-plan)'
        second = run([opt, "--allow-unregistered-dialect", f"--pass-pipeline={again}", "-"], without_notes(planned).encode())
    if second.returncode != 0:
        return "cannot be planned by its templates: " + second.stderr.decode()[:600], count
    replanned = second.stdout.decode()
    if replanned.count("stitch.templated") != planned.count("stitch.template ="):
        return "has kernels that are not planned by their templates", count
    if TEMPLATE.findall(planned) != TEMPLATE.findall(replanned):
        return "has other templates", count
    return "" if without_notes(planned) == without_notes(replanned) else "has another plan", count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True)
    parser.add_argument("--plan", nargs="*")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--models", nargs="*", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    cases = [(name, read, plan) for name, read in fingerprint.subjects(options.models) for plan in options.plan or ["astitch"]
             if not options.only or any(fnmatch.fnmatch(name, pattern) for pattern in options.only)]
    failed = kernels = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda case: round_trip(options.opt, case[2], case[1]()), cases)
        for number, ((name, _, plan), (problem, count)) in enumerate(zip(cases, results), 1):
            kernels += count
            failed += bool(problem)
            if problem:
                print(f"{name}, plan={plan}: {problem}", flush=True)
            if sys.stderr.isatty() or number % 50 == 0:
                print(f"{number} of {len(cases)} models", file=sys.stderr, flush=True)
    print(f"{kernels} kernels of {len(cases)} plans: {failed} plans are not what their templates say")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
