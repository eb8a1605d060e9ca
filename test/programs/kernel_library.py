#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of kernels, built with the C compiler alone and run on the test double of the CUDA driver.

usage: kernel_library.py --compile STITCH-COMPILE --double FOLDER --work FOLDER [--seed N] [--failures] [--bindings torch|jax] CASE...

Of each case: makes the library and, for the double, a model file with the same kernels for the CPU; builds the library's own test program and has
it compare each function with its reference; looks that nothing of Stitch is linked; and that a wrong kernel (wrong=1) is found. With --failures
each call of each driver function fails in turn: the program says so, exits with 1, and leaves nothing behind. With --bindings its functions are
called from that framework, too, in this Python's environment: the bits are those that C has (test/programs/kernel_bindings.py).
"""
import argparse
import json
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = os.path.join(SOURCE, "test", "lit", "runtime", "Inputs")

# Name -> the kernel of bench/kernels/classics.py with rows, columns and type, or a file below INPUTS; options of stitch-compile; functions.
CASES = {
    "softmax": (("softmax", "70", "1000", "f32"), [], ["main"]),
    "layernorm": (("layernorm", "64", "96", "bf16"), [], ["main"]),
    "layernorm_backward": (("layernorm_backward", "64", "96", "f32"), [], ["main"]),
    "rmsnorm": (("rmsnorm", "33", "130", "f16"), [], ["main"]),
    "barrier": (("layernorm_backward", "2048", "64", "f32"), [], ["main"]),
    "shared": (("rmsnorm_backward", "512", "256", "f32"), ["--device=h200, sms = 8"], ["main"]),  # more than 48 KiB of it
    "cross_entropy": (("cross_entropy", "20", "300", "f32"), [], ["main"]),
    "batchnorm": (("batchnorm_training", "512", "64", "f32"), [], ["main"]),
    "column_reduce": (("column_reduce", "4000", "40", "f32"), [], ["main"]),
    "rope": ("kernel_library/rope.mlir", [], ["main"]),
    "quantize": ("kernel_library/quantize.mlir", [], ["main"]),
    "quantize_fp8": ("kernel_library/quantize_fp8.mlir", [], ["main"]),
    "geglu": ("kernel_library/geglu.mlir", [], ["main"]),
    "swiglu": ("kernel_library/swiglu.mlir", [], ["main"]),
    "adamw": ("kernel_library/adamw.mlir", [], ["main"]),
    "bias_dropout": ("kernel_library/bias_dropout.mlir", [], ["main"]),
    "add_rms_norm": ("kernel_library/add_rms_norm.mlir", [], ["main"]),
    "top2": ("kernel_library/log_softmax_top2.mlir", [], ["main"]),
    "tanh": ("kernel_library/tanh_bf16.mlir", [], ["main"]),
    "several": ("kernel_library/several.mlir", [], ["scale", "square", "square_gradient"]),
    "loop": ("kernel_library/loop.mlir", [], ["main"]),
    "narrow": ("narrow_types.mlir", [], ["main"]),
    "empty": ("empty.mlir", [], ["main"]),
    "open": ("open_columns.mlir", ["--dim", "b=1..40"], ["main"]),
    "buckets": ("open_columns.mlir", ["--dim", "b=2..40", "--buckets=b:7,40"], ["main"]),
    "padded": ("padded.mlir", ["--dim", "t=1..40", "--buckets=t:5,16,40"], ["main"]),
}


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def on_double(options, command, configuration):
    """The exit status of a command on the double, and what it says."""
    environment = {**os.environ, "STITCH_CUDA_LIBRARIES": options.double, "STITCH_CUDA_DOUBLE": configuration}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout + done.stderr


class Case:
    def __init__(self, name, options):
        self.name, self.options = name, options
        source, self.compile_options, self.functions = CASES[name]
        self.folder = os.path.join(options.work, name)
        self.source = os.path.join(INPUTS, source) if isinstance(source, str) else self.folder + ".mlir"
        if not isinstance(source, str):
            text = run([sys.executable, os.path.join(SOURCE, "bench", "kernels", "classics.py"), *source])
            with open(self.source, "w", encoding="utf-8") as file:
                file.write(text)

    def build(self):
        run([self.options.compile, self.source, "--emit=kernel-library", "-o", self.folder, *self.compile_options])
        for function in self.functions:
            run([self.options.compile, self.source, "--entry", function, "--target=simt,sm_90", "--checks", "--no-reference", "-o", self.model(function),
                 *self.compile_options])
        run(["make", "-s", "-C", self.folder, f"lib{self.name}.so", "test/check", "CFLAGS=-O1 -Wall -Wextra -Werror"])

    def model(self, function):
        return f"{self.folder}.{function}.so"

    def check(self, configuration=""):
        """The test program on the double: its exit status and what it says."""
        return self.on_double([os.path.join(self.folder, "test", "check"), str(self.options.seed)], configuration)

    def models(self):
        """The model files of its functions, as the double is told them."""
        return ",".join(f"model={self.model(function)}" for function in self.functions)

    def on_double(self, command, configuration):
        return on_double(self.options, command, f"{self.models()}{configuration}")

    def may_be_wrong(self):
        """The double makes no kernels wrong that wait for the grid, and the first element of others: of what `padded` returns the other
        way round that is padding."""
        if self.name == "padded":
            return False
        with open(os.path.join(self.folder, self.name + ".json"), encoding="utf-8") as file:
            functions = json.load(file)["functions"]
        return not all(kernel["cooperative"] for f in functions for program in f["programs"] for kernel in program["kernels"])

    def links_nothing(self):
        """Neither the library nor its test program needs anything but the C library."""
        for file in (f"lib{self.name}.so", "test/check"):
            needed = re.findall(r"\(NEEDED\).*\[(.*?)\]", run(["readelf", "-d", os.path.join(self.folder, file)]))
            if others := [name for name in needed if not re.match(r"lib(c|m|dl|gcc_s|pthread)\.so|ld-linux", name)]:
                sys.exit(f"{self.name}: {file} is linked with {others}")


def check_bindings(options, cases):
    """All in one process: a framework takes longer to start than most libraries to be built."""
    folders = [case.folder for case in cases]
    command = [sys.executable, os.path.join(SOURCE, "test", "programs", "kernel_bindings.py"), options.bindings, *folders]
    status, said = on_double(options, command, ",".join(case.models() for case in cases))
    print("\n".join(line for line in said.splitlines() if status or re.search(r": \d+ results by ", line)))
    sys.exit(status)


# Of what is released nobody hears that it was not; nor of a name of an error.
RELEASES = {"cuDevicePrimaryCtxRelease", "cuModuleUnload", "cuMemFree", "cuStreamDestroy", "cuCtxPopCurrent", "cuGetErrorName"}


def check_failures(case):
    """Each call of each function that the library asks the driver for."""
    functions = []
    for source in (case.name + ".c", case.name + "_host.c"):
        with open(os.path.join(case.folder, source), encoding="utf-8") as file:
            functions += [name for name in re.findall(r"^  X\((cu\w+),", file.read(), re.M) if name not in functions]
    count = 0
    for function in functions:
        if function in RELEASES:
            continue
        for call in range(1, 10000):
            status, said = case.check(f",fail={function}:{call}:2")
            if status == 0:
                break  # there are fewer calls
            if function == "cuCtxPushCurrent" and status == 99 and "FAILED" not in said:
                break  # the last one is to release
            if status != 1 or not re.search(r"^(FAILED|check): ", said, re.M):
                sys.exit(f"{case.name}: {function} fails in its call {call}: exit status {status}\n{said}")
            count += 1
    print(f"{case.name}: {count} failures of {len(functions)} functions")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("compile", "double", "work"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--bindings", choices=["torch", "jax"])
    parser.add_argument("cases", nargs="+", choices=CASES)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    built = []
    for name in options.cases:
        case = Case(name, options)
        case.build()
        case.links_nothing()
        if options.bindings:
            built.append(case)
            continue
        if options.failures:
            check_failures(case)
            continue
        status, said = case.check()
        lines = said.splitlines()
        if status or not lines or not all(line.startswith("ok: ") for line in lines):
            sys.exit(f"{name}: exit status {status}\n{said}")
        status, said = case.check(",wrong=1") if case.may_be_wrong() else (1, "WRONG: ")
        if status != 1 or "WRONG: " not in said:
            sys.exit(f"{name}: a wrong kernel is not found: exit status {status}\n{said}")
        print(f"{name}: {len(lines)} results")
    if options.bindings:
        check_bindings(options, built)


if __name__ == "__main__":
    main()
