#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The papers' workloads: what the planner makes of each, and whether each compiles and computes what it should.

usage: models.sh [--compile STITCH_COMPILE] [--only PATTERN ...] [--skip STEP ...] [--double FOLDER] [--resume FILE]

For every model of test/models/workloads:
  plan    stitched and as XLA would fuse it: operations, kernels, library calls, barriers, traffic
  sm_70, sm_80, sm_90
          planned for a V100, A100 and H200, compiled to PTX and assembled by ptxas, if there is one: registers, spills, shared memory,
          widths of accesses. That of CUDA 13 has dropped sm_70: $STITCH_PTXAS_CUDA12 or an older one in .venv is taken
  simt    small ones: run on the simt device in two thread orders, each output against the reference
  double  small ones: run by the CUDA runtime on a test double of the driver and libraries (test/cuda_double, NO GPU), step by step
          and as a graph; each output against the reference, and nothing is left behind
  jax     small ones, if .venv is there: the reference against JAX

Prints a table as it goes; the whole goes to bench/results/models.md. Exit status 1 if a step of a model fails. A run that is
interrupted goes on where it was if it is started again with the same --resume FILE.
"""
import argparse
import concurrent.futures
import fnmatch
import functools
import glob
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

import support

sys.path.insert(0, os.path.join(support.ROOT, "bench", "kernels"))
import assembly  # noqa: E402

WORKLOADS = os.path.join(support.ROOT, "test", "models", "workloads")
ARCHS = ("sm_70", "sm_80", "sm_90")
STEPS = ("plan", *ARCHS, "simt", "double", "jax")
TIME_LIMIT = 900  # seconds, of one command


class Failure(Exception):
    """A command failed; the text is its first diagnostic."""


def run(*command, **environment):
    """Runs a command; its output. Raises Failure."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        raise Failure(f"{os.path.basename(command[0])} takes more than {TIME_LIMIT} s")
    if result.returncode == 0:
        return result.stdout + result.stderr
    lines = [line for line in (result.stderr + result.stdout).splitlines() if re.search("error|FAIL|beyond|cannot", line)]
    message = lines[0] if lines else f"{os.path.basename(command[0])} ends with {result.returncode}"
    raise Failure(re.sub(r'^.*(?=error: )|/[^ ]*/', "", message))


# ----------------------------------------------------------------------------------------------------------------------
# Steps
# ----------------------------------------------------------------------------------------------------------------------


FIGURES = ("ops", "memory_intensive_ops", "fusions", "launches", "launches_least", "library_launches", "grid_barriers",
           "bytes_unfused", "bytes_read", "bytes_written")


def plan(tools, model, folder):
    """The figures of both plans."""
    figures = {}
    for name in ("astitch", "xla"):
        path = os.path.join(folder, name + ".json")
        run(tools.compile, model, "--emit=plan", f"--device={tools.device}", f"--pipeline=plan={name}", "-o", os.devnull,
            f"--stats={path}")
        with open(path) as file:
            stats = json.load(file)
        figures[name] = {figure: stats[figure] for figure in FIGURES}
    return figures


# The plan that the tables are of; it leaves products to libraries.
PLANNED = "--pipeline=plan=astitch"


def assemble(tools, model, folder, arch):
    """Compiles for an architecture: the seconds of stitch-compile, and over all kernels the most registers and shared memory, the bytes
    that ptxas spills, and the accesses to global memory, those of 16 bytes among them."""
    ptx, stats = os.path.join(folder, "model.ptx"), os.path.join(folder, "ptx.json")
    run(tools.compile, model, PLANNED, "--emit=ptx", f"--target={arch}", f"--device={assembly.DEVICES[arch]}", "-o", ptx, f"--stats={stats}")
    with open(stats) as file:
        figures = json.load(file)
    with open(ptx) as file:
        widths = assembly.access_widths(file.read()).values()
    result = {"seconds": round(figures["seconds"]["total"], 2), "kernels": figures["kernels_unique"],
              "shared": figures["shared_bytes_max"], "wide": sum(w for w, _ in widths), "accesses": sum(all for _, all in widths)}
    ptxas = assembly.find_ptxas(arch)
    if ptxas:
        kernels = assembly.assemble(ptx, arch, ptxas).values()
        result["registers"] = max((k["registers"] for k in kernels), default=0)
        result["spilled"] = sum(k["spilled"] for k in kernels)
        result["spilling"] = sum(k["spilled"] > 0 for k in kernels)
    return result


def simulate(tools, model, folder):
    """Runs the kernels on the simt device in two thread orders, against the reference: of AStitch's plan, and of the cheapest."""
    compiled = os.path.join(folder, "model.so")
    for plan, order in ((PLANNED, 0), ("--pipeline=plan=best", 3)):
        run(tools.compile, model, plan, "--target=simt", f"--device={tools.device}", "-o", compiled)
        run(tools.run, compiled, "--device=simt", "--check", *["--incomplete"] * (order > 0), f"--seed={order}", f"--thread-order={order}")  # indices out of range fill rows with NaN
    return {}


def run_on_double(tools, model, folder):
    """Runs the model as on a GPU. The double ends with an error if anything is left behind."""
    compiled = os.path.join(folder, "double.so")
    run(tools.compile, model, PLANNED, "--target=simt,sm_90", "--no-cubins", f"--device={tools.device}", "-o", compiled)
    for mode in ([], ["--eager"]):
        run(tools.run, compiled, "--device=cuda", "--check", "--repeat=3", *mode, STITCH_CUDA_LIBRARIES=tools.double)
    return {}


def compare_with_jax(tools, model, folder):
    """Runs the reference and JAX on the same inputs."""
    run(tools.python, os.path.join(support.ROOT, "test", "programs", "jax_reference.py"), model, "--stitch-run", tools.run,
        "--device=reference")
    return {}


STEP_FUNCTIONS = {"plan": plan, **{arch: functools.partial(assemble, arch=arch) for arch in ARCHS}, "simt": simulate,
                  "double": run_on_double, "jax": compare_with_jax}
SMALL_STEPS = ("simt", "double", "jax")


def steps_of(tools, facts):
    for step in STEPS:
        if step in tools.skip or (step in SMALL_STEPS and not is_small(facts)):
            continue
        needed = {"double": tools.double, "jax": tools.python}.get(step)
        if needed is None or os.path.exists(needed):
            yield step


def measure(tools, path, known):
    """A workload's facts with, for each step, its results or {"failed": diagnostic}; `known` has those of steps that need not
    be done again."""
    with open(path) as file:
        facts = json.load(file)
    measured = {key: facts[key] for key in ("name", "model", "mode", "batch_size", "papers")}
    measured["loops"] = facts.get("loops")
    measured.update(known)
    steps = [step for step in steps_of(tools, facts) if step not in known]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, facts["name"] + ".mlir")
        with lzma.open(path.replace(".json", ".mlir.xz")) as source, open(model, "wb") as target:
            shutil.copyfileobj(source, target)
        for step in steps:
            try:
                measured[step] = STEP_FUNCTIONS[step](tools, model, folder)
            except (Failure, assembly.CompileError) as failure:
                measured[step] = {"failed": str(failure)}
            note(tools.resume, path, step, measured[step])
    return measured


def measured_before(file):
    """What interrupted runs have noted in their --resume file: a workload's file -> step -> results."""
    known = {}
    if file and os.path.exists(file):
        with open(file) as lines:
            for path, step, result in (json.loads(line) for line in lines if line.endswith("\n")):
                known.setdefault(path, {})[step] = result
    return known


def note(file, path, step, result):
    if file:
        with open(file, "a") as lines:
            lines.write(json.dumps([os.path.basename(path), step, result]) + "\n")


def is_small(facts):
    return "-small" in facts["name"]


# ----------------------------------------------------------------------------------------------------------------------
# Tables
# ----------------------------------------------------------------------------------------------------------------------

HEADER = ["model", "ops", "memory-intensive", "kernels, as XLA", "stitched", "share", "launches, as XLA", "stitched", "least",
          "library calls", "barriers", "MB unfused", "MB as XLA", "MB stitched", "compile, s", "simt", "JAX"]


def succeeded(m, step):
    return step in m and "failed" not in m[step]


def outcome(m, step):
    return "-" if step not in m else "fails" if "failed" in m[step] else "ok"


def row(m):
    counts = ["-"] * 13
    if succeeded(m, "plan"):
        stitched, xla = m["plan"]["astitch"], m["plan"]["xla"]
        traffic = [stitched["bytes_unfused"], xla["bytes_read"] + xla["bytes_written"],
                   stitched["bytes_read"] + stitched["bytes_written"]]
        counts = [stitched["ops"], stitched["memory_intensive_ops"], xla["fusions"], stitched["fusions"],
                  percent(stitched["fusions"], xla["fusions"]), xla["launches"], stitched["launches"],
                  stitched["launches_least"], stitched["library_launches"], stitched["grid_barriers"],
                  *(f"{count / 1e6:.2f}" for count in traffic)]
    seconds = f"{m['sm_90']['seconds']:.1f}" if succeeded(m, "sm_90") else "-"
    return [m["name"], *counts, seconds, outcome(m, "simt"), outcome(m, "jax")]


ASSEMBLED_HEADER = ["model", "kernels", "registers 70", "80", "90", "spilled bytes 70", "80", "90", "in kernels 70", "80", "90", "shared 70",
                    "80", "90", "16 bytes 70", "80", "90"]


def assembled_row(m):
    def figures(show):
        return [show(m[arch]) if succeeded(m, arch) else outcome(m, arch) for arch in ARCHS]

    kernels = [m[arch]["kernels"] for arch in ARCHS if succeeded(m, arch)]
    return [m["name"], max(kernels, default="-"), *figures(lambda a: a.get("registers", "-")), *figures(lambda a: a.get("spilled", "-")),
            *figures(lambda a: a.get("spilling", "-")), *figures(lambda a: a["shared"]), *figures(lambda a: percent(a["wide"], a["accesses"]))]


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


# Memory-intensive kernels of one execution, from AStitch's table 3: (with XLA, with AStitch); mode and batch size are those
# of its table 2.
ASTITCH = {"crnn-inference-b1": (986, 297), "asr-inference-b1": (496, 218), "bert-inference-b200": (64, 26),
           "transformer-inference-b1": (10132, 2578), "dien-inference-b256": (2579, 811)}
# All kernels, from FusionStitching's table 3: how many of TensorFlow's one kernel replaces, (with XLA, with
# FusionStitching).
FUSION_STITCHING = {"nmt-inference-b128": (1.65, 3.25), "logistic-training-b100": (1.5, 4.6),
                    "word2vec-training-b128": (2.9, 4.9), "bi_rnn-training-b128": (2.8, 6.8),
                    "dyn_rnn-training-b128": (3.2, 7.8), "perceptron-training-b100": (1.1, 1.3),
                    "var_encoder-training-b64": (1.5, 1.9)}
PAPER_HEADER = ["model", "paper", "with XLA", "with the paper", "XLA's for one", "as XLA here", "stitched", "least",
                "XLA's for one"]


def paper_row(m, paper, with_xla, with_paper, ratio, with_libraries):
    plans = m["plan"]
    calls = {name: plans[name]["library_launches"] if with_libraries else 0 for name in plans}
    xla, stitched = (plans[name]["launches"] + calls[name] for name in ("xla", "astitch"))
    least = plans["astitch"]["launches_least"] + calls["astitch"]
    return [m["name"], paper, with_xla, with_paper, f"{ratio:.2f}", xla, stitched, least,
            f"{xla / stitched:.2f}" if stitched else "-"]


def paper_rows(measured):
    for m in filter(lambda m: succeeded(m, "plan"), measured):
        name = re.sub("-(while|unrolled)$", "", m["name"])
        if name in ASTITCH:
            xla, stitched = ASTITCH[name]
            yield paper_row(m, "AStitch", xla, stitched, xla / stitched, False)
        if name in FUSION_STITCHING:
            xla, stitched = FUSION_STITCHING[name]
            yield paper_row(m, "FusionStitching", f"1/{xla}", f"1/{stitched}", stitched / xla, True)


NOTE = """One line for each model of `test/models/workloads`; the JSON beside the model says what it is, its arguments and its source.
*As XLA*: `plan=xla`; *stitched*: `plan=astitch`; *share*: stitched kernels of those. Kernels count places in the program;
*launches* and *library calls* count one execution, in which a loop body runs as often as the loop's trip count says. *Least* is a lower bound
of the launches: the kernels on the longest path through the operations, loops unrolled, of which library calls between them keep some apart.
Traffic is that of the kernels alone, in one execution. *Compile*: `stitch-compile` from StableHLO to PTX for sm_90, in seconds.
*Simt*: the small variant computes what the reference computes, in two thread orders. *JAX*: the reference
computes what JAX computes. A dash: not measured in this run (simt and JAX: small variants alone)."""
ASSEMBLED_NOTE = """Planned for a V100, A100 and H200, assembled by ptxas for sm_70, sm_80 and sm_90. *Kernels*: different ones. *Registers*, *shared*: of the
kernel that has most, a thread's and a block's bytes. *Spilled bytes*: stored and loaded, of all kernels; *in kernels*: how many kernels
spill. *16 bytes*: accesses to global memory of that width, of all in the PTX.

Where registers are spilled, and why. What a thread reads at once is bounded by its registers: where several results, or sums of many arrays, would
read more, a loop goes through their elements, all results of a few elements at a time (`lowering/kernel/emit/sweep.c`). A kernel whose
PTX has more values live at once than it has registers is compiled again without what keeps values for later (`lowering/ptx/compile_kernel.c`). What is
left:

- The Transformer's losses over its vocabulary on sm_90: 512 threads a block have 64 registers each, and up to 86 values are live, among them
  what one reduce of the row makes of each element for the next. The row would be read twice otherwise.
- BERT's GELU and its gradient on sm_70: 64 registers, 62 values live in f32; ptxas moves code of its own accord.
- One kernel of fifty like ones of mi_lstm's unrolled training on sm_70, 16 bytes with 41 of 64 live, and one of gnmt's at batch 16, 8 bytes."""
PAPER_NOTE = """AStitch's table 3 counts memory-intensive kernels. FusionStitching's table 3 gives, for all kernels, how many of
TensorFlow's one replaces: library calls are therefore counted here, too. The papers' graphs came from TensorFlow 1, these
from JAX and PyTorch: ratios can be compared, counts cannot."""
REASONS = """## What decides the ratios

A kernel cannot hold a library call, so that what is between two calls that depend on each other is a kernel of its own: a loop body with k
calls in a row has k kernels for each iteration. That is what *least* counts. Where *stitched* is *least*, nothing is left to stitch, and a
ratio below the paper's means that XLA's plan was nearer to it from the start. Our model of XLA's plan (`plan=xla`) has today's graph before
it: `tg-simplify` has run, inputs of all steps go through one dot before the loop, what a loop stacks is written in place, and operations with
several users are fused into one kernel with several results. The papers' XLA of 2018 to 2021 had TensorFlow 1's graphs, whose loops go
through TensorArrays, and clusters of what XLA could take.

- *DIEN*: each of the 200 steps of its two GRUs has two dots, one after the other: two kernels for each step are the least, and what we have.
  AStitch's 811 kernels are four for each step, XLA's 2579 are thirteen; `plan=xla` makes four of the loops and two of the unrolled graph, where
  dots are all that keeps kernels apart.
- *CRNN*: two bidirectional layers of 32 steps; both directions of a step are one kernel (`stitch-fuse-loops`), and so 64 of the kernels are
  steps of loops; the others are between convolutions, which are library calls.
- *Transformer*: a word takes ten dots in a row in each of six decoder layers, two of which read the result of the dot before as it is: eight kernels for a
  layer and one for the choice of the next word, 49 for each of 32 words, and those of the encoder.
- *bi-rnn, dyn-rnn, nmt* and the other models of FusionStitching: library calls are counted with the kernels, and they are most of what remains. FusionStitching
  also generates kernels for small dots (gemm patterns are 16 % of its fusions in nmt); here they stay library calls.

What would lower the counts further, and is not done:

- Backward loops of recurrent layers add a dot to each weight's gradient in every step. The operands of all steps, stacked, need one dot behind the loop (a
  "ladder" of Astra's section 4.4.1): one library call less for each step and layer, and the gradient would not be read and written in each step.
- In a decoder of several layers (gnmt), layer n of one step and layer n - 1 of the next have no path between them. The unrolled graph shows it: its
  kernels are merged, those of the loop would need pipelining across layers and steps.
- A loop without library calls (the recursion of CTC in asr and crnn) launches one kernel for each step; the loop could be inside the kernel.
- A buffer that a loop stacks into is filled before the loop, also where the loop writes all of it."""


def failures(measured):
    return [f"- {m['name']}, {step}: {m[step]['failed']}" for m in measured for step in STEPS
            if step in m and "failed" in m[step]]


def report(measured):
    parts = [support.table(HEADER, [row(m) for m in measured]), NOTE, "## Beside the papers' counts",
             support.table(PAPER_HEADER, list(paper_rows(measured))), PAPER_NOTE, REASONS]
    if any(arch in m for m in measured for arch in ARCHS):
        parts += ["## As assembled", support.table(ASSEMBLED_HEADER, [assembled_row(m) for m in measured]), ASSEMBLED_NOTE]
    if failures(measured):
        parts += ["## What fails", "\n".join(failures(measured))]
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    binaries = os.path.join(support.ROOT, "build", "bin")
    parser.add_argument("--compile", default=os.path.join(binaries, "stitch-compile"))
    parser.add_argument("--run", default=os.path.join(binaries, "stitch-run"))
    parser.add_argument("--python", default=os.path.join(support.ROOT, ".venv", "bin", "python"), help="one that has JAX")
    parser.add_argument("--double", default=os.path.join(support.ROOT, "build", "test", "cuda_double", "all"), metavar="FOLDER")
    parser.add_argument("--device", default="h200")
    parser.add_argument("--only", nargs="*", default=["*"], metavar="PATTERN", help="models by name; results are then not written")
    parser.add_argument("--skip", nargs="*", default=[], choices=STEPS)
    parser.add_argument("--resume", metavar="FILE", help="notes results there, and does not measure again what is there: a run can be made in pieces, also of "
                        "single steps")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="models at a time")
    tools = parser.parse_args()
    paths = [path for path in sorted(glob.glob(os.path.join(WORKLOADS, "*.json")))
             if any(fnmatch.fnmatch(os.path.basename(path)[: -len(".json")], pattern) for pattern in tools.only)]
    if not paths:
        sys.exit(f"no model is called {' or '.join(tools.only)}")
    measured = []
    known = measured_before(tools.resume)
    with concurrent.futures.ThreadPoolExecutor(tools.jobs) as pool:
        for m in pool.map(lambda path: measure(tools, path, known.get(os.path.basename(path), {})), paths):
            measured.append(m)
            print(" ".join(f"{step}: {outcome(m, step)}" for step in STEPS), m["name"], flush=True)
    text = report(measured)
    print(text)
    if tools.only == ["*"] and (tools.resume or not tools.skip):
        support.write_results("models", f"The papers' workloads, planned for {tools.device}", text,
                              {"device": tools.device, "models": measured}, command="models.sh")
    sys.exit(1 if failures(measured) else 0)


if __name__ == "__main__":
    main()
