#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every TOSA operation x every element type against MLIR's own lowering of TOSA, executed on the CPU: test/operations/tosa_table.md.

usage: tosa_table.py --bin DIR --llvm-bin DIR [--fast] [--only TEXT] [--keep DIR] [--write FILE] [--table FILE] [--through linalg]

Each operation runs in each element type on odd sizes, edge values and random bits: as `mlir-opt` lowers it (tosa-to-linalg and the
passes beside it, then loops and LLVM; compiled by clang), and through `stitch-run`, on the reference and, where kernels execute
it, on the simt device. Results that are rounded once, moved or integers must be equal, bit for bit (any NaN is as good as another);
others may differ by the bound, in units in the last place of the result (of sums: of the sum of magnitudes). A bound is the error
that each of the two implementations may have, added.

Where MLIR's lowering does not do what the TOSA specification says, the case has an expectation of its own, and the table says so.
With --table the results must be as good as those in the written table. Exit status 1 if a result is outside its bound, or an
operation of MLIR's dialect has no rule or no case.

--through linalg: Stitch takes what MLIR's passes from TOSA to linalg leave, and computes what MLIR's lowering of that computes. Cases of which
something is not linalg that Stitch takes are counted by operation.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

from op_tests.run import run_program, save_input
from op_tests.types import TYPES, edge_values, random_values, tensor
from tosa_cases import FAST_TYPES, make_cases, missing_operations

DEVICES = ("reference", "simt")

# ---------------------------------------------------------------------------------------------------------------------
# Programs
# ---------------------------------------------------------------------------------------------------------------------


def body_of(case, number):
    """The case's operations, its values renamed so that those of several cases do not meet."""
    return case.text.replace("%", f"%c{number}_")


def arguments_of(case, number):
    return [f"%c{number}_x{i}: {t}" for i, t in enumerate(case.input_types)]


def results_of(case, number):
    return [f"%c{number}_r{i}" for i in range(len(case.results))]


def function_text(name, cases, numbers):
    arguments = ", ".join(a for c, n in zip(cases, numbers) for a in arguments_of(c, n))
    types = ", ".join(t for c in cases for t in c.result_types)
    names = ", ".join(r for c, n in zip(cases, numbers) for r in results_of(c, n))
    bodies = "\n".join(body_of(c, n) for c, n in zip(cases, numbers))
    return f"func.func @{name}({arguments}) -> ({types}) {{\n{bodies}\n  return {names} : {types}\n}}\n"


# ---------------------------------------------------------------------------------------------------------------------
# MLIR's lowering
# ---------------------------------------------------------------------------------------------------------------------

TO_LINALG = """tosa-to-scf,func.func(tosa-optional-decompositions,tosa-make-broadcastable,tosa-to-linalg-named,tosa-to-linalg,
    tosa-to-arith{include-apply-rescale=true},convert-elementwise-to-linalg,tosa-to-tensor),
  canonicalize,cse"""

# Elementary functions of halves are computed in f32 and rounded; they are libm's.
PIPELINE = """builtin.module(
  TO_LINALG,empty-tensor-to-alloc-tensor,
  one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops
    function-boundary-type-conversion=identity-layout-map},
  buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true},
  func.func(convert-linalg-to-loops),math-extend-to-supported-types{extra-types=f64,bf16,f16 target-type=f32},
  expand-strided-metadata,lower-affine,convert-scf-to-cf,math-expand-ops{ops=rsqrt},
  convert-math-to-llvm,convert-math-to-libm,
  finalize-memref-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},convert-arith-to-llvm,
  convert-index-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)""".replace("TO_LINALG", TO_LINALG)


def compile_upstream(options, cases, folder):
    """A shared library with a function for each case, or the text of an error."""
    source, lowered, ir = (os.path.join(folder, n) for n in ("upstream.mlir", "lowered.mlir", "upstream.ll"))
    library = os.path.join(folder, "upstream.so")
    with open(source, "w") as file:
        file.write("\n".join(function_text(f"case_{k}", [c], [k]) for k, c in enumerate(cases)))
    tool = lambda name: os.path.join(options.llvm_bin, name)
    pipeline = " ".join(PIPELINE.split()).replace(", ", ",")
    folder = os.path.join(os.path.dirname(options.llvm_bin.rstrip("/")), "lib")
    libraries = [f"-L{folder}", f"-Wl,-rpath,{folder}"]
    problem = run_program([tool("mlir-opt"), source, f"--pass-pipeline={pipeline}", "-o", lowered])
    problem = problem or run_program([tool("mlir-translate"), "--mlir-to-llvmir", lowered, "-o", ir])
    problem = problem or run_program([tool("clang"), "-O1", "-w", "-shared", "-fPIC", ir, "--rtlib=compiler-rt", "-lm", "-lmlir_c_runner_utils", *libraries, "-o", library])
    return problem or ctypes.CDLL(library)


def run_upstream(options, cases):
    """For each case the list of its results, or the text of an error."""
    with tempfile.TemporaryDirectory(dir=options.keep) as folder:
        library = compile_upstream(options, cases, folder)
        if isinstance(library, str) and len(cases) == 1:
            return [library]
        if isinstance(library, str):
            middle = len(cases) // 2
            return run_upstream(options, cases[:middle]) + run_upstream(options, cases[middle:])
        return [call(library, k, case) for k, case in enumerate(cases)]


def call(library, number, case):
    inputs = [np.array(x) for x in case.inputs]  # copies: bufferization writes where a value was
    outputs = [np.zeros(r.shape, r.type.numpy) for r in case.results]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in inputs + outputs]
    getattr(library, f"case_{number}")(*pointers)
    return outputs


# ---------------------------------------------------------------------------------------------------------------------
# Stitch
# ---------------------------------------------------------------------------------------------------------------------


def run_stitch_model(options, cases, device, folder):
    source, model, out = (os.path.join(folder, n) for n in ("model.mlir", "model.so", "out"))
    with open(source, "w") as file:
        file.write(function_text("main", cases, range(len(cases))))
    if options.through:
        passes = " ".join(f"builtin.module({TO_LINALG})".split()).replace(", ", ",")
        problem = run_program([os.path.join(options.llvm_bin, "mlir-opt"), source, f"--pass-pipeline={passes}", "-o", source + ".linalg"])
        if problem:
            return problem
        source += ".linalg"
    target = ["--target=simt"] if device == "simt" else ["--target=none"]
    problem = run_program([os.path.join(options.bin, "stitch-compile"), source, "-o", model, *target])
    if problem:
        return problem
    inputs = []
    for i, x in enumerate(x for c in cases for x in c.inputs):
        path = os.path.join(folder, f"in_{i}.npy")
        save_input(path, x)
        inputs += ["--input", f"{i}:{path}"]
    problem = run_program([os.path.join(options.bin, "stitch-run"), model, f"--device={device}", "--output", out, *inputs])
    if problem:
        return problem
    results, i = [], 0
    for case in cases:
        arrays = [np.load(os.path.join(out, f"output_{i + k}.npy")) for k in range(len(case.results))]
        results.append([a.view(r.type.numpy) if a.dtype != r.type.numpy else a for a, r in zip(arrays, case.results)])
        i += len(case.results)
    return results


def run_stitch(options, cases, device):
    """For each case the list of its results, or the text of an error."""
    if not cases:
        return []
    with tempfile.TemporaryDirectory(dir=options.keep) as folder:
        results = run_stitch_model(options, cases, device, folder)
    if not isinstance(results, str):
        return results
    if len(cases) == 1:
        return [results]
    middle = len(cases) // 2
    return run_stitch(options, cases[:middle], device) + run_stitch(options, cases[middle:], device)


# ---------------------------------------------------------------------------------------------------------------------
# Comparison
# ---------------------------------------------------------------------------------------------------------------------


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def ulp(values, t):
    """The unit in the last place of each value, in f64."""
    magnitude = np.abs(values.astype(np.float64))
    magnitude = np.where(np.isfinite(magnitude), magnitude, 1)
    exponent = np.frexp(magnitude)[1] - 1
    return np.ldexp(1.0, np.maximum(exponent, t.emin) - (t.precision - 1))


def difference(actual, expected, result, bound):
    """How far apart two results are: (units in the last place, or the number of elements that differ; an example)."""
    if actual.shape != expected.shape:
        return float("inf"), f"shape {actual.shape}, expected {expected.shape}"
    same = bits(actual) == bits(expected)
    if result.type.kind == "float":
        same |= np.isnan(actual.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    if result.type.kind == "float" and not result.type.has_nan:  # NaN becomes a zero that has its sign, which may be any
        same |= actual.astype(np.float64) == expected.astype(np.float64)
    if result.type.kind != "float" or bound == 0:
        error = (~same).astype(np.float64)
    else:
        a, e = actual.astype(np.float64), expected.astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.abs(a - e) / ulp(e if result.scale is None else result.scale, result.type)
        error = np.where(same, 0, np.where(np.isfinite(a) & np.isfinite(e), error, np.inf))
    if not error.any():
        return 0.0, ""
    at = int(np.argmax(error))
    example = f"element {at}: {actual.reshape(-1)[at]!r}, expected {expected.reshape(-1)[at]!r}"
    total = float(np.count_nonzero(error)) if result.type.kind != "float" or bound == 0 else float(error.max())
    return total, example


def compare(case, actual, expected):
    """(error, example) of the worst result, or the text of an error."""
    for texts in (actual, expected):
        if isinstance(texts, str):
            return texts
    return max((difference(a, e, r, case.bound) for a, e, r in zip(actual, expected, case.results)), key=lambda d: d[0])


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------


class Outcome:
    def __init__(self, case):
        self.case, self.of, self.upstream = case, {}, None

    def passes(self, device):
        found = self.of.get(device)
        return found is None or (not isinstance(found, str) and found[0] <= self.case.bound)

    def text(self, device):
        found = self.of.get(device)
        if found is None:
            return "-"
        if isinstance(found, str):
            return "error"
        if found[0] == 0:
            return "="
        return f"{int(found[0])} differ" if self.case.bound == 0 else f"{found[0]:.2f}"


def evaluate(options, cases):
    outcomes = [Outcome(c) for c in cases]
    upstream = run_upstream(options, cases)
    for outcome, found in zip(outcomes, upstream):
        outcome.upstream = compare(outcome.case, found, outcome.case.expected) if outcome.case.expected else found
    expected = [c.expected or u for c, u in zip(cases, upstream)]
    for device in DEVICES:
        asked = [i for i, c in enumerate(cases) if device == "reference" or c.kernels]
        for i, found in zip(asked, run_stitch(options, [cases[i] for i in asked], device)):
            outcomes[i].of[device] = compare(cases[i], found, expected[i])
    return outcomes


def evaluate_linalg(options, cases):
    """The names of cases that Stitch does not take by way of linalg, and problems of the others."""
    refused, problems = set(), []
    upstream = run_upstream(options, cases)
    for device in DEVICES:
        asked = [i for i, c in enumerate(cases) if not isinstance(upstream[i], str) and (device == "simt") == bool(c.kernels)]
        for i, found in zip(asked, run_stitch(options, [cases[i] for i in asked], device)):
            case = cases[i]
            if isinstance(found, str):
                if "is neither StableHLO, TOSA, linalg nor tg" in found:
                    refused.add(case.name)
                else:
                    problems.append(f"- {case.name} {case.type}: {found}")
                continue
            error, example = compare(case, found, upstream[i])
            if error > case.bound:
                problems.append(f"- {case.name} {case.type}: {error:.2f}, {case.bound:g} is allowed: {example}")
    return refused, problems


def through_linalg(options, cases):
    refused, problems = set(), []
    for t in dict.fromkeys(c.type for c in cases):
        names, found = evaluate_linalg(options, [c for c in cases if c.type == t])
        refused |= names
        problems += found
    print("\n".join(problems))
    print(f"{len(cases)} cases through linalg; {len(problems)} problems; not taken: {', '.join(sorted(refused)) or 'none'}")
    return bool(problems)


def rows(outcomes):
    for o in outcomes:
        bound = "=" if o.case.bound == 0 else f"{o.case.bound:g}"
        against = "specification" if o.case.expected else "MLIR"
        yield f"| {o.case.name} | {o.case.type} | {against} | {bound} | " + " | ".join(o.text(d) for d in DEVICES) + " |"


def problems_in(outcomes):
    lines = []
    for o in outcomes:
        for device in DEVICES:
            if not o.passes(device):
                found = o.of[device]
                what = found if isinstance(found, str) else f"{o.text(device)}: {found[1]}"
                lines.append(f"- {o.case.name} {o.case.type}, {device}: {what}")
    return lines


def deviations_in(outcomes):
    lines = []
    for o in outcomes:
        if o.case.expected:
            what = "error: " + o.upstream if isinstance(o.upstream, str) else o.upstream[1]
            lines.append(f"- {o.case.name} {o.case.type}: {o.case.why}" + (f" ({what})" if what else " (here equal)"))
    return lines


def document(outcomes):
    problems = problems_in(outcomes)
    return "\n".join(
        ["# Every TOSA operation, every element type", "",
         "Made by `test/operations/tosa_table.py --bin build/bin --llvm-bin DIR --write test/operations/tosa_table.md`; how, and what the bounds mean, is said there.", "",
         f"{len(outcomes)} cases of operation and type; {len(problems)} outside of their bounds. `=`: equal, bit for bit; numbers: the largest",
         "difference in units in the last place; `-`: kernels do not execute the operation.", "",
         "| operation | type | against | bound | reference | simt |", "|---|---|---|---|---|---|", *rows(outcomes), "",
         "## Outside of their bounds", "", *(problems or ["None."]), "",
         "## Where MLIR's lowering deviates from the specification, or has none", "", *deviations_in(outcomes), ""])


def compare_with_table(outcomes, path):
    with open(path) as file:
        lines = file.read().splitlines()
    written = {tuple(f.strip() for f in l.strip("|").split("|"))[:4] for l in lines if l.startswith("| ")}
    missing = [r for r in rows(outcomes) if tuple(f.strip() for f in r.strip("|").split("|"))[:4] not in written]
    return [f"- not in {path}: {r}" for r in missing]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, metavar="DIR", help="the folder of stitch-compile and stitch-run")
    parser.add_argument("--llvm-bin", required=True, metavar="DIR", help="the folder of mlir-opt, mlir-translate and clang")
    parser.add_argument("--fast", action="store_true", help="fewer types and inputs")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name has this text")
    parser.add_argument("--keep", metavar="DIR", help="for temporary files")
    parser.add_argument("--write", metavar="FILE", help="write the table")
    parser.add_argument("--table", metavar="FILE", help="compare with a written table")
    parser.add_argument("--through", choices=["linalg"])
    options = parser.parse_args()
    every = make_cases(options.fast)
    types = FAST_TYPES[:1] if options.through else FAST_TYPES
    cases = [c for c in every if options.only in c.name and (not options.fast or c.type in types)]
    if options.through:
        return through_linalg(options, cases)
    outcomes = [o for t in dict.fromkeys(c.type for c in cases) for o in evaluate(options, [c for c in cases if c.type == t])]
    order = {name: i for i, name in enumerate(dict.fromkeys(c.name for c in cases))}
    outcomes.sort(key=lambda o: order[o.case.name])
    if options.write:
        with open(options.write, "w") as file:
            file.write(document(outcomes))
    problems = missing_operations(every, options.llvm_bin) + problems_in(outcomes)
    problems += compare_with_table(outcomes, options.table) if options.table else []
    print("\n".join(problems))
    print(f"{len(outcomes)} cases; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
