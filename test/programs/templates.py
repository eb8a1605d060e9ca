#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of planned kernels, printed and read back (docs/templates.md).

usage: templates.py --opt STITCH_OPT [--plan NAME ...] [--only PATTERN ...] [--models FILE ...] [--jobs N]
       templates.py --compile STITCH_COMPILE --run STITCH_RUN [--opt STITCH_OPT] --count N --seed N [--only PATTERN ...] [--devices NAME ...]

Plans every model of test/models, workloads among them, and every kernel of bench/kernels/classics.py; writes the template of each of
their kernels; and plans all kernels once more by their templates alone. The plan must be the same text. Prints how many kernels there
were and which differ; exit status 1 if any does.

With --count, N kernels of these are drawn, small shapes of the classics mostly, and for each a template of its candidates
(--emit=candidates), which is executed on the simt device, with accesses checked, in three thread orders, and compared with the
reference. With --opt, every third kernel is cut in two instead (stitch-cut-kernels).
"""
import argparse
import concurrent.futures
import fnmatch
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import fingerprint  # noqa: E402

READ = "convert-stablehlo-to-tg,convert-tosa-to-tg,tg-dynamic-dims,tg-decompose,tg-simplify,tg-dynamic-dims"
TEMPLATE = re.compile(r'stitch\.template = "([^"]*)"')
NOTE = re.compile(r', stitch\.template(?:d\b| = "[^"]*")')  # behind stitch.launch


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True)


def without_notes(plan):
    """A plan without what stitch-templates says of it."""
    return NOTE.sub("", plan)


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
        again = f'builtin.module(stitch-templates{{file="{file.name}" write=true}},stitch-prefetch,stitch-verify-plan)'
        second = run([opt, "--allow-unregistered-dialect", f"--pass-pipeline={again}", "-"], without_notes(planned).encode())
    if second.returncode != 0:
        return "cannot be planned by its templates: " + second.stderr.decode()[:600], count
    replanned = second.stdout.decode()
    if replanned.count("stitch.templated") != planned.count("stitch.template ="):
        return "has kernels that are not planned by their templates", count
    if TEMPLATE.findall(planned) != TEMPLATE.findall(replanned):
        return "has other templates", count
    return "" if without_notes(planned) == without_notes(replanned) else "has another plan", count


#===-------------------------------------------------------------------------------------------------------------------------------===
# Execution of candidates
#===-------------------------------------------------------------------------------------------------------------------------------===

SHAPES = [(7, 33), (64, 96), (5, 1250), (200, 33), (1030, 8), (3, 4100), (16, 257), (1, 2048), (512, 64)]


def drawn_kernel(draw):
    """The text of a graph, and what it is called."""
    name, (rows, columns), dtype = draw.choice(sorted(fingerprint.classics.CLASSICS)), draw.choice(SHAPES), draw.choice(fingerprint.DTYPES)
    return f"{name}-{rows}x{columns}-{dtype}", fingerprint.classics.build(name, rows, columns, dtype)


def entries(text):
    """The templates of a file, each with its key."""
    return ["kernel " + part for part in text.split("\nkernel ")[1:]]


def file_of(templates):
    return "stitch-templates 1\n" + "\n".join(templates)


def printed(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300).stdout


def keys_of(compiler, plan):
    """The keys of a plan's kernels."""
    return [entry.split()[1] for entry in entries(printed(compiler, plan, "--emit=templates"))]


def candidates_of(compiler, plan, key):
    return entries(printed(compiler, plan, f"--kernel={key}", "--emit=candidates"))


def roots_of(template):
    return {line.partition("[")[0].partition("<")[0] for line in template.splitlines()[1:]}


def drawn(draw, candidates):
    """One that is not the plan's own; every second time one that keeps or computes again other values, where there are such."""
    others = [c for c in candidates if roots_of(c) != roots_of(candidates[0])]
    return draw.choice(others if others and draw.random() < 0.5 else candidates[1:] or candidates)


def execute(options, number):
    """What is wrong, or an empty text."""
    draw = random.Random(f"{options.seed}-{number}")
    name, text = drawn_kernel(draw)
    device = draw.choice(options.devices)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        plan, kernel, chosen, model = (os.path.join(folder, part) for part in ("plan.mlir", "kernel.mlir", "chosen", "model.so"))

        def compiled(*arguments):
            return subprocess.run([options.compile, *arguments], capture_output=True, text=True)

        planned = compiled(path, "--emit=plan", f"--device={device}", f"--pipeline=plan={draw.choice(['astitch', 'best', 'apollo'])}", "-o", plan)
        if planned.returncode != 0:
            return f"{name}: {planned.stderr[:300]}"
        keys = keys_of(options.compile, plan)
        if not keys:
            return ""
        key = draw.choice(keys)
        compiled(plan, f"--kernel={key}", "--emit=plan", "-o", kernel)
        if options.opt and draw.random() < 1 / 3:
            template, how = "cut in two", []
            subprocess.run([options.opt, kernel, "--pass-pipeline=builtin.module(stitch-cut-kernels,stitch-verify-plan)", "-o", kernel], check=True)
        else:
            template, how = drawn(draw, candidates_of(options.compile, plan, key)), [f"--templates={chosen}"]
            with open(chosen, "w", encoding="utf-8") as file:
                file.write(file_of([template]))
        made = compiled(kernel, *how, "-o", model, *(["--checks"] if draw.random() < 0.25 else []))
        if made.returncode != 0:
            return f"number {number}, {name} for {device}: {made.stderr[:300]}\n{template}"
        for order in (0, draw.randrange(1, 1 << 30), draw.randrange(1, 1 << 30)):
            ran = subprocess.run([options.run, model, "--check", f"--thread-order={order}", f"--seed={number}"], capture_output=True, text=True)
            if ran.returncode != 0:
                return f"number {number}, {name} for {device}, thread order {order}:\n{ran.stdout[-600:]}{ran.stderr[-300:]}\n{template}"
    return ""


def execute_candidates(options):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        problems = [problem for problem in pool.map(lambda number: execute(options, number), range(options.count)) if problem]
    for problem in problems:
        print(problem)
    print(f"{options.count} templates executed in three thread orders: {len(problems)} wrong")
    return len(problems) > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt")
    parser.add_argument("--compile")
    parser.add_argument("--run")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--devices", nargs="*", default=["h200", "a100", "v100", "h200, sms = 4"])
    parser.add_argument("--plan", nargs="*")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--models", nargs="*", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.count:
        return execute_candidates(options)
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
