#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums between processes in the kernels behind them have the bits of sums one after the other, wherever they are made.

    python3 test/processes/peer_sums.py --bin build/bin --processes 2 [--element f32] [--rows 12] [--groups 1]

A product's sum, its residual, norm and quantisation (test/lit/runtime/Inputs/sum_and_norm.py) are compiled with calls, at
once and in two steps. They run on CPUs, and on the test double of a GPU, whose libraries STITCH_CUDA_LIBRARIES names: with
the memory of other processes, without it, and --runs times with operations and threads in other orders.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

# There may be more processes than processors.
os.environ.update(OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
GENERATOR = pathlib.Path(__file__).parent.parent / "lit/runtime/Inputs/sum_and_norm.py"
FORMS = ("calls", "at-once", "two-steps")
MAPPED = "memory of other processes"


class Model:
    def __init__(self, arguments, folder):
        self.bin, self.count, self.folder = arguments.bin, arguments.processes, folder
        source = folder / "model.mlir"
        what = [str(arguments.processes), arguments.element, str(arguments.rows), str(arguments.groups)]
        source.write_text(subprocess.run([sys.executable, GENERATOR, *what], check=True, text=True, stdout=subprocess.PIPE).stdout)
        for form in FORMS:
            subprocess.run([self.bin / "stitch-compile", source, "--target=simt,sm_90", "--no-cubins", f"--pipeline=sums={form}",
                            "-o", folder / f"{form}.so"], check=True)

    def run(self, form, *options, double=None):
        """Checks each launch; the bytes of all outputs of all processes, and what was printed."""
        environment = {**os.environ, **({"STITCH_CUDA_DOUBLE": f"devices={self.count},{double}"} if double else {})}
        command = ["mpirun", "--oversubscribe", "-n", str(self.count), self.bin / "stitch-run", self.folder / f"{form}.so",
                   "--check", f"--output={self.folder}/out_{{process}}", *options]
        done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode or done.stdout.count(", 0 wrong") != self.count:
            sys.exit(f"wrong: {form} {' '.join(options)} {double}\n{done.stdout}")
        files = [self.folder / f"out_{p}" / f"output_{i}.npy" for p in range(self.count) for i in range(3)]
        return [file.read_bytes() for file in files], done.stdout


def run_late(model, form):
    """One run in which the kernels of the last process are late: those of the others wait."""
    parts = []
    for process in range(model.count):
        parts += [":", "-n", "1", "env", f"STITCH_CUDA_DOUBLE=devices={model.count},late={150 if process == model.count - 1 else 0}", model.bin / "stitch-run",
                  model.folder / f"{form}.so", "--device=cuda", f"--output={model.folder}/late_{process}"]
    subprocess.run(["mpirun", "--oversubscribe", *parts[1:]], check=True, stdout=subprocess.DEVNULL)
    return [(model.folder / f"late_{p}" / f"output_{i}.npy").read_bytes() for p in range(model.count) for i in range(3)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--element", default="f32")
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--groups", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Model(arguments, pathlib.Path(folder))
        on_cpus, _ = model.run("calls")
        # The double's products of narrow floats are not those of the CPU. Their sums come in order; NCCL's of f32 need not.
        on_gpus = on_cpus if arguments.element == "f32" else model.run("calls", "--device=cuda", double="seed=1")[0]
        for form in FORMS[1:]:
            runs = [("CPU", (), None, False), ("copied", ("--device=cuda",), "windows=0", False),
                    ("one cannot map", ("--device=cuda",), f"fail=cuMemMap:{1 + arguments.processes // arguments.groups}:2", False)]
            runs += [(f"mapped, seed {seed}", ("--device=cuda", "--repeat=3"), f"seed={seed}", True) for seed in range(arguments.runs)]
            for name, options, double, mapped in runs:
                outputs, printed = model.run(form, *options, double=double)
                if outputs != (on_gpus if options else on_cpus):
                    sys.exit(f"wrong: {form}, {name}: other bits than those of calls")
                if printed.count(MAPPED) != (arguments.processes if mapped else 0):
                    sys.exit(f"wrong: {form}, {name}: memory is {'not ' if mapped else ''}mapped\n{printed}")
            if run_late(model, form) != on_gpus:
                sys.exit(f"wrong: {form}: other bits where a process is late")
            print(f"ok: {form}: {len(runs) + 1} runs of {arguments.processes} processes, {arguments.element}: the same bits", flush=True)


if __name__ == "__main__":
    main()
