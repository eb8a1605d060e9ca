#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as people write them, through their own exporters, against their own results: test/corpus/table.md.

usage: corpus.py --bin DIR [--fast] [--only TEXT] [--torch] [--jobs N] [--keep DIR] [--table FILE] [--write FILE]

Each model of models/ is exported by JAX (as text, some as portable artifacts), with --torch each of torch_models/ by torchax and
torch-mlir, whose environment tools/setup.sh --torch makes. It is compiled, and run by `stitch-run --check`; outputs must be what the framework
computes: integers and booleans equal, floats within the model's tolerance of the output's largest magnitude. The table says how
many operations each has, how many kernels and library calls become of them, or what keeps it from being compiled.

With --table a model fails that is right there and is not now, that has more kernels, or another reason. --fast runs every
fourth. Exit status 1 after a failure.
"""
import argparse
import concurrent.futures
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from exported import Exported, Refused

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("attention", "sequences", "vision", "training", "numerics")
# What --check cannot bound, and the framework's results decide: logarithms of differences of infinities in the windows of
# cumlogsumexp; a loss that compares two rounded values for equality.
COMPARED_IN_PART = ("cumulative", "Losses")
TOLERANCES = {"float64": 1e-12, "float32": 2e-5, "bfloat16": 1e-2, "float16": 2e-3, "complex64": 5e-5, "complex128": 1e-12}


class Row:
    """What became of a model; `problem` is the reason why it cannot be compiled, `wrong` what is not as it should be."""

    def __init__(self, name, exporter, problem=None, wrong=None, figures=None, error=0.0):
        self.name, self.exporter, self.problem, self.wrong, self.figures, self.error = name, exporter, problem, wrong, figures or {}, error

    def cells(self):
        if self.problem:
            return [self.name, self.exporter, "", "", "", "", self.problem]
        f = self.figures
        kernels, memory, library = f["launches"], f["memory_intensive_ops"], f["library_launches"]
        return [self.name, self.exporter, f"{f['ops']}", f"{memory}", f"{kernels}", f"{library}", "right"]


# ---------------------------------------------------------------------------------------------------------------------
# JAX
# ---------------------------------------------------------------------------------------------------------------------


def export_jax(model):
    import jax
    from jax import export

    with jax.enable_x64(model.precision64):
        arguments = model.arguments()
        jitted = jax.jit(model.function, keep_unused=True)
        if model.artifact:
            data = export.export(jitted)(*arguments).mlir_module_serialized
        else:
            data = jitted.lower(*arguments).as_text().encode()
        outputs = [np.asarray(x) for x in jax.tree.leaves(jitted(*arguments))]
    exporter = "jax.export" if model.artifact else "jax.jit"
    return Exported(model.name, exporter, data, [np.asarray(x) for x in arguments], outputs, model.tolerance)


def jax_makers():
    sys.path.insert(0, HERE)
    for name in FILES:
        importlib.import_module(f"models.{name}")
    from models import MODELS

    return [(model.name, lambda model=model: export_jax(model)) for model in MODELS]


# ---------------------------------------------------------------------------------------------------------------------
# Compile and run
# ---------------------------------------------------------------------------------------------------------------------


def reason_of(text):
    """What a compiler says, without the place."""
    lines = [line for line in text.splitlines() if "error:" in line] or text.splitlines() or ["no message"]
    return re.sub(r"%\w+|\s+", " ", lines[0].split("error: ", 1)[-1]).strip().replace("|", "\\|")[:160]


def difference(output, expected, tolerance):
    """The largest difference of an output, over its largest magnitude; and what is wrong, if that is too large."""
    kind = expected.dtype.name
    if output.shape != expected.shape:
        return 0.0, f"has shape {output.shape}, not {expected.shape}"
    if expected.dtype.kind in "biu":
        different = int(np.sum(output.astype(expected.dtype) != expected))
        return 0.0, f"{different} of {expected.size} elements differ" if different else None
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    if expected.dtype.kind == "V":  # a type of ml_dtypes
        kind = expected.dtype.name
    a, b = output.astype(wide), expected.astype(wide)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return 0.0, "infinite elements differ"
    scale = np.max(np.abs(b[finite]), initial=0.0) or 1.0
    error = np.max(np.abs(a[finite] - b[finite]), initial=0.0) / scale
    allowed = tolerance or TOLERANCES[kind]
    return float(error), None if error <= allowed else f"differs by {error:.2g} of the largest magnitude, {allowed:.2g} is allowed"


def load(path, expected):
    output = np.load(path)
    return output.view(expected.dtype) if output.dtype.kind == "V" else output


def compare(exported, folder):
    worst = 0.0
    for number, expected in enumerate(exported.outputs):
        error, wrong = difference(load(os.path.join(folder, f"output_{number}.npy"), expected), expected, exported.tolerance)
        if wrong:
            return error, f"output {number} {wrong}"
        worst = max(worst, error)
    return worst, None


def run_exported(exported, options, folder):
    program = lambda name: os.path.join(options.bin, name)
    source, model, stats = (os.path.join(folder, name) for name in ("model.mlir", "model.so", "stats.json"))
    row = Row(exported.name, exported.exporter)
    with open(source, "wb") as file:
        file.write(exported.data)
    compiled = subprocess.run([program("stitch-compile"), source, "-o", model, "--no-reference", f"--stats={stats}"], capture_output=True, text=True, check=False)
    if compiled.returncode:
        row.problem = reason_of(compiled.stderr)
        return row
    with open(stats, encoding="utf-8") as file:
        row.figures = json.load(file)
    inputs = []
    for number, array in enumerate(exported.inputs):
        path = os.path.join(folder, f"in_{number}.npy")
        np.save(path, array.view(np.dtype(f"V{array.dtype.itemsize}")) if array.dtype.kind == "V" else array)
        inputs += ["--input", f"{number}:{path}"]
    checks = ["--check", *["--incomplete"] * (exported.name in COMPARED_IN_PART)]
    run = subprocess.run([program("stitch-run"), model, *checks, "--output", folder, *inputs], capture_output=True, text=True, check=False)
    if run.returncode:
        failed = [line for line in run.stdout.splitlines() if line.startswith(("FAIL", "not checked"))] or [run.stderr.strip()]
        row.wrong = f"stitch-run --check: {failed[0]}"
    elif len(exported.outputs) != len([name for name in os.listdir(folder) if name.startswith("output_")]):
        row.wrong = "has another number of outputs"
    else:
        row.error, row.wrong = compare(exported, folder)
    return row


def run_one(exported, options):
    if options.keep:
        folder = os.path.join(options.keep, f"{exported.name}.{exported.exporter}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return run_exported(exported, options, folder)
    with tempfile.TemporaryDirectory() as folder:
        return run_exported(exported, options, folder)


def run_all(makers, options):
    """The frameworks export one model after the other, while those before are compiled and run."""
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, make in makers:
            try:
                exported = make()
            except Refused as refused:
                rows.append(Row(name, refused.exporter, problem=str(refused)))
                continue
            rows.append(pool.submit(run_one, exported, options))
        return [row if isinstance(row, Row) else row.result() for row in rows]


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------

HEADER = ["model", "by", "operations", "memory-intensive", "kernels", "library calls", "result"]


def page(rows):
    lines = [f"| {' | '.join(HEADER)} |", f"|{'---|' * len(HEADER)}"]
    lines += [f"| {' | '.join(row.cells())} |" for row in rows]
    right = sum(not row.problem for row in rows)
    memory = sum(row.figures["memory_intensive_ops"] for row in rows if not row.problem)
    kernels = sum(row.figures["launches"] for row in rows if not row.problem)
    return f"""# Models as people write them

By `test/corpus/corpus.py --write`, which says what is compared; {len(rows)} models, of which {right} are compiled and right. Their
{memory} memory-intensive operations are {kernels} launches of kernels.

{chr(10).join(lines)}
"""


def read_table(path):
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) == len(HEADER) and cells[0] != HEADER[0] and not cells[0].startswith("-"):
                table[cells[0], cells[1]] = dict(zip(HEADER, cells))
    return table


def problems_of(rows, table):
    for row in rows:
        where = f"{row.name}, {row.exporter}"
        known = table.get((row.name, row.exporter)) if table is not None else None
        if row.wrong:
            yield f"{where}: {row.wrong}"
        elif table is not None and not known:
            yield f"{where}: is not in the table"
        elif known and row.problem and row.problem != known["result"]:
            yield f"{where}: cannot be compiled: {row.problem}"
        elif known and not row.problem and known["result"] == "right" and row.figures["launches"] > int(known["kernels"]):
            yield f"{where}: has {row.figures['launches']} kernels, not {known['kernels']}"
        elif known and not row.problem and known["result"] != "right":
            yield f"{where}: is compiled now; write the table anew"
        elif not row.problem and 0 < row.figures["ops"] - row.figures["library_calls"] < row.figures["launches"]:
            yield f"{where}: has more launches than operations in kernels"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--table")
    parser.add_argument("--write")
    options = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    if options.torch:
        from torch_models import torch_makers as makers
    else:
        makers = jax_makers
    chosen = [maker for maker in makers() if options.only in maker[0]][:: 4 if options.fast else 1]
    rows = run_all(chosen, options)
    table = read_table(options.table) if options.table else None
    problems = list(problems_of(rows, table))
    for problem in problems:
        print(f"FAIL: {problem}")
    for row in rows if options.write else []:
        print(f"{row.name} ({row.exporter}): error {row.error:.1e}" + (f"; {row.problem}" if row.problem else ""))
    if options.write and not problems:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(page(rows))
    print(f"{len(rows)} models, {sum(bool(r.problem) for r in rows)} not compiled, {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
