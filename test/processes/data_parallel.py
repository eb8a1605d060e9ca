#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of several processes, each with a part of the batch, against one process with the whole batch.

    test/models/export/data_parallel.py --small --output FOLDER      # in the environment of test/models/export/setup.sh
    python3 test/processes/data_parallel.py --bin build/bin --models FOLDER [--device cuda] [--check]

All results, the loss among them, may differ by what sums in another order make of them; those of all processes are the same, bit by bit. --check checks every launch.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

os.environ.update(OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1")
if os.geteuid() == 0:  # in a container, where there is no other user
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "ui32": np.uint32, "i1": np.bool_}


def value_of(generator, argument):
    """Numbers that a training step may get: variances are not negative."""
    *sizes, element = re.fullmatch(r"tensor<(.*)>", argument["type"])[1].split("x")
    shape, kind, role = tuple(map(int, sizes)), TYPES[element], argument["role"]
    if "range" in argument:
        return generator.integers(*argument["range"], shape).astype(kind)
    if role == "mask" or kind is np.bool_:
        return generator.integers(0, 2, shape).astype(kind) if role == "mask" and kind is np.bool_ else np.ones(shape, kind)
    if not np.issubdtype(kind, np.floating):
        return np.zeros(shape, kind)
    # What is left of these is of the gradients alone. Of Adam's moments it is not: there gradients that are only rounding errors would count as much as others.
    if "sum_of_squares" in argument["name"] or ".trace." in argument["name"]:
        return np.zeros(shape, kind)
    if role == "state":
        return generator.uniform(0.5, 1.0, shape).astype(kind)
    if role == "label":
        return generator.uniform(0.05, 0.95, shape).astype(kind)
    return (generator.normal(size=shape) * (0.1 if role == "parameter" else 1.0)).astype(kind)


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:200]} ...: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def results_in(folder):
    return [np.load(folder / f"output_{i}.npy") for i in range(len(list(folder.glob("output_*.npy"))))]


def compile_model(options, source, model, needs_check):
    run([options.bin / "stitch-compile", source, "--target=simt,sm_90" if options.device == "cuda" else "--target=simt", "--no-cubins", f"--pipeline=plan={options.plan}",
         *([] if needs_check else ["--no-reference"]), "-o", model])


def run_whole(options, description, values, folder):
    """The results of one process with the whole batch."""
    one = []
    compile_model(options, options.models / f"{description['name']}.mlir", folder / "whole.so", False)
    for i, value in enumerate(values):
        np.save(folder / f"in_{i}.npy", value)
        one += ["--input", f"{i}:{folder}/in_{i}.npy"]
    run([options.bin / "stitch-run", folder / "whole.so", *one, "--output", folder / "whole"])
    return results_in(folder / "whole")


def compare(options, description, values, expected, processes, folder):
    """The loss, the worst relative difference of it and of all results, how many results differ between processes, and how many of these were checked."""
    name, part, each = description["name"], folder / "part.so", []
    compile_model(options, options.models / f"{name}-p{processes}.mlir", part, options.check)
    for i, (argument, value) in enumerate(zip(description["arguments"], values, strict=True)):
        each += ["--input", f"{i}:{folder}/in_{i}_{{process}}.npy"]
        for process in range(processes):
            shard = value if argument["split"] is None else np.split(value, processes, argument["split"])[process]
            np.save(folder / f"in_{i}_{process}.npy", np.array(shard, order="C"))
    said = run(["mpirun", "--oversubscribe", "-n", processes, options.bin / "stitch-run", part, *each, "--device", options.device, "--output", folder / "part_{process}",
                *(["--check"] if options.check else [])])
    got = [results_in(folder / f"part_{process}") for process in range(processes)]
    differs = sum(not np.array_equal(a, b, equal_nan=True) for other in got[1:] for a, b in zip(got[0], other, strict=True))
    worst = [float(np.max(np.abs(a.astype(np.float64) - b)) / max(1e-6, np.max(np.abs(b)))) if b.size else 0.0 for a, b in zip(got[0], expected, strict=True)]
    return float(expected[0]), worst[0], max(worst), differs, said.count(" 0 wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--device", default="simt", help="cuda: the environment says where CUDA's libraries are, or their test double")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--plan", default="apollo", help="what --pipeline=plan=... takes")
    options = parser.parse_args()
    failures = 0
    for path in sorted(options.models.glob("*.json")):
        description, generator = json.loads(path.read_text()), np.random.default_rng(options.seed)
        values = [value_of(generator, argument) for argument in description["arguments"]]
        with tempfile.TemporaryDirectory() as folder:
            expected = run_whole(options, description, values, pathlib.Path(folder))
        for processes in sorted(int(re.search(r"-p(\d+)\.mlir", str(p))[1]) for p in options.models.glob(f"{description['name']}-p*.mlir")):
            with tempfile.TemporaryDirectory() as folder:
                loss, of_loss, of_all, differs, checked = compare(options, description, values, expected, processes, pathlib.Path(folder))
            narrow = "f16" in description["name"]
            ok = of_loss < (1e-5 if narrow else 1e-6) and of_all < 1e-4 and differs == 0 and (not options.check or checked == processes)
            failures += not ok
            print(f"{'ok' if ok else 'wrong'}: {description['name']}, {processes} processes: loss {loss:.6g}, off by {of_loss:.1e}, all results by {of_all:.1e}; "
                  f"{differs} results differ between processes{f'; {checked} processes checked' if options.check else ''}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
