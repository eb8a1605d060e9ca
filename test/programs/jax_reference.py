#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the outputs of `stitch-run` with JAX's execution of the same StableHLO text on the CPU.

usage: jax_reference.py MODEL.mlir DIR            compare DIR/output_I.npy, computed from DIR/input_I.npy
       jax_reference.py MODEL.mlir --stitch-run PROGRAM [--device DEVICE] [--seed N]
                                                  run `stitch-run` first, in a temporary folder

Integers and booleans must be equal. Floats must agree within 8 times the larger of two estimates of the rounding error:
- from types and reduction lengths: along the longest chain of operations each elementwise operation rounds once and each
  reduction or product once for each term; roundings are independent, so N of them make an error of about sqrt(N) units in
  the last place of the largest magnitude in the output;
- from the program: how far JAX's own output moves when the last bits of the inputs change. It is the larger one where
  terms cancel, as in the gradient of a bias that the softmax after it ignores: that is zero but for rounding.
Exit status 1 if an output is outside its bound, 2 if the comparison cannot be made.
"""
import argparse
import math
import os
import subprocess
import sys
import tempfile

import jax
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

MARGIN = 8
PERTURBED_RUNS = 3


# ---------------------------------------------------------------------------------------------------------------------
# The number of roundings along the longest chain
# ---------------------------------------------------------------------------------------------------------------------


def number_of_terms(op):
    """How many elements of its operands make one element of the operation's result."""
    if op.name == "stablehlo.reduce":
        shape = ir.RankedTensorType(op.operands[0].type).shape
        dimensions = ir.DenseI64ArrayAttr(op.attributes["dimensions"])
        return math.prod(shape[d] for d in dimensions)
    if op.name == "stablehlo.dot_general":
        text = str(op.attributes["dot_dimension_numbers"])
        _, found, rest = text.partition("lhs_contracting_dimensions = [")
        shape = ir.RankedTensorType(op.operands[0].type).shape
        return math.prod(shape[int(d)] for d in rest.partition("]")[0].split(",")) if found else 1
    if op.name in ("stablehlo.reduce_window", "stablehlo.scatter"):
        return math.prod(ir.RankedTensorType(op.operands[0].type).shape)
    return 1


MOVES = ("reshape", "transpose", "slice", "concatenate", "broadcast_in_dim", "gather", "constant", "iota", "pad", "reverse")


def longest_chain(function, functions, known):
    """Roundings along the longest chain from an argument of the function to a result."""
    name = function.attributes["sym_name"].value
    if name in known:
        return known[name]
    length = {}
    for op in function.regions[0].blocks[0].operations:
        op = op.operation
        here = max((length.get(operand, 0) for operand in op.operands), default=0)
        if op.name == "func.call":
            here += longest_chain(functions[ir.FlatSymbolRefAttr(op.attributes["callee"]).value], functions, known)
        elif op.name.partition(".")[2] not in MOVES:
            here += number_of_terms(op)
        for result in op.results:
            length[result] = here
    known[name] = max(length.values(), default=0)
    return known[name]


def count_roundings(text):
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        functions = {op.attributes["sym_name"].value: op.operation for op in module.body.operations}
        return longest_chain(functions["main"], functions, {})


# ---------------------------------------------------------------------------------------------------------------------
# Running and comparing
# ---------------------------------------------------------------------------------------------------------------------

ELEMENT_TYPES = {
    "i1": np.bool_,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    **{f"i{bits}": np.dtype(f"int{bits}").type for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": np.dtype(f"uint{bits}").type for bits in (8, 16, 32, 64)},
}


def types_of_main(text):
    """The (shape, dtype) of each argument and of each result of @main."""
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        main = next(op for op in module.body.operations if op.attributes["sym_name"].value == "main")
        function = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)

        def describe(types):
            tensors = [ir.RankedTensorType(t) for t in types]
            return [(tuple(t.shape), ELEMENT_TYPES[str(t.element_type)]) for t in tensors]

        return describe(function.inputs), describe(function.results)


def load(path, shape, dtype):
    """An array of that type; bf16 may be stored as two bytes without a type and i1 as bytes."""
    array = np.load(path)
    if array.dtype != dtype:
        array = array.view(dtype) if array.dtype.itemsize == np.dtype(dtype).itemsize else array.astype(dtype)
    if array.shape != shape:
        sys.exit(f"{path}: expected shape {shape}, got {array.shape}")
    return array


def is_float(dtype):
    return np.issubdtype(dtype, np.floating) or dtype == ml_dtypes.bfloat16


def compile_with_jax(text):
    """The program as a function from a list of arrays to a list of arrays."""
    device = jax.local_devices(backend="cpu")[0]
    executable = device.client.compile_and_load(text, [device])

    def run(inputs):
        return [np.asarray(output) for output in executable.execute([jax.device_put(i, device) for i in inputs])]

    return run


def change_last_bits(array, rng):
    """Each float moved by up to one unit in its last place."""
    if not is_float(array.dtype):
        return array
    steps = rng.uniform(-1, 1, array.shape) * float(ml_dtypes.finfo(array.dtype).eps)
    return (array.astype(np.float64) * (1 + steps)).astype(array.dtype)


def max_difference(actual, expected):
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(actual - expected))
    return float(np.max(np.nan_to_num(difference, nan=np.inf), initial=0.0))


def noise_of(run, inputs, expected):
    """How far each output moves when the last bits of the inputs change."""
    rng = np.random.default_rng(0)
    noise = [0.0] * len(expected)
    for _ in range(PERTURBED_RUNS):
        outputs = run([change_last_bits(i, rng) for i in inputs])
        noise = [max(n, max_difference(o, e)) if is_float(e.dtype) else 0.0 for n, o, e in zip(noise, outputs, expected)]
    return noise


def compare(index, actual, expected, roundings, noise):
    """Prints one line; true if `actual` is within the bound."""
    if not is_float(expected.dtype):
        different = int(np.count_nonzero(actual != expected))
        print(f"output {index}: {expected.dtype}{list(expected.shape)}: {different} elements differ (bound 0)")
        return different == 0
    epsilon = float(ml_dtypes.finfo(expected.dtype).eps)
    magnitudes = np.abs(expected.astype(np.float64))
    scale = float(np.max(magnitudes, where=np.isfinite(magnitudes), initial=0.0))
    worst = max_difference(actual, expected)
    noise = noise if math.isfinite(noise) else 0.0
    bound = MARGIN * max(math.sqrt(max(roundings, 1)) * epsilon * scale, noise)
    print(
        f"output {index}: {expected.dtype}{list(expected.shape)}: max absolute error {worst:.3g}, bound {bound:.3g} = "
        f"{MARGIN} x max(sqrt({roundings} roundings) x epsilon {epsilon:.3g} x largest magnitude {scale:.3g}, "
        f"noise {noise:.3g})"
    )
    return worst <= bound


def check(model, folder):
    with open(model) as file:
        text = file.read()
    input_types, output_types = types_of_main(text)
    inputs = [load(os.path.join(folder, f"input_{i}.npy"), *t) for i, t in enumerate(input_types)]
    outputs = [load(os.path.join(folder, f"output_{i}.npy"), *t) for i, t in enumerate(output_types)]
    roundings = count_roundings(text)
    run = compile_with_jax(text)
    expected = run(inputs)
    noise = noise_of(run, inputs, expected)
    return all([compare(i, *values, roundings, n) for i, (*values, n) in enumerate(zip(outputs, expected, noise))])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", metavar="MODEL.mlir")
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("--stitch-run", metavar="PROGRAM")
    parser.add_argument("--device", default="reference")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if (arguments.folder is None) == (arguments.stitch_run is None):
        parser.error("give either a folder or --stitch-run")
    jax.config.update("jax_enable_x64", True)
    try:
        if arguments.folder:
            return 0 if check(arguments.model, arguments.folder) else 1
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [arguments.stitch_run, arguments.model, f"--device={arguments.device}", f"--seed={arguments.seed}",
                 "--output", folder],
                check=True,
            )
            return 0 if check(arguments.model, folder) else 1
    except (OSError, ValueError, KeyError, StopIteration, ir.MLIRError, subprocess.CalledProcessError) as error:
        print(f"{arguments.model}: cannot be compared: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
