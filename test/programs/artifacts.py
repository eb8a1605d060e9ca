#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Portable artifacts that jaxlib writes, against the text that they are written from.

usage: artifacts.py (--stitch-opt PROGRAM | --write DIR) [--versions VERSION,...] [--types TYPE,...] [--keep DIR] FILE ...

The functions of the files, those of test/operations/op_table.py, which have every operation in every type, and functions that jax.export writes
(with shardings, with symbols) become artifacts of every version of VHLO that jaxlib can write. Of each

  1. what `convert-vhlo-to-stablehlo` leaves is what jaxlib itself reads from the artifact;
  2. what `convert-stablehlo-to-tg` makes of it is what it makes of the text.

A function that an old version cannot express is left out of it; so are, in 2, those that cannot be converted to tg. Every operation of
VHLO that a version has must be in some function. Exit status 1 if anything differs.
"""
import argparse
import collections
import difflib
import os
import re
import subprocess
import sys
import tempfile

import jax
import jax.export
import jax.numpy as jnp
import jaxlib.mlir.dialects.stablehlo as stablehlo
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "test", "operations"))
import op_table  # noqa: E402
from op_tests import complex_numbers, linear_algebra, movement  # noqa: E402
from op_tests.run import module_text  # noqa: E402
from op_tests.types import TYPES  # noqa: E402

# Operations that no function here has, and why.
UNWRITTEN = {
    "collective_broadcast_v2": "of a newer VHLO than jaxlib's", "collective_reduce_v1": "of a newer VHLO than jaxlib's",
    "custom_call_v2": "of a newer VHLO than jaxlib's",
    "uniform_dequantize_v1": "test/operations/quantised.py --artifacts has it", "uniform_quantize_v1": "test/operations/quantised.py --artifacts has it",
}


# ----------------------------------------------------------------------------------------------------------------------
# Functions
# ----------------------------------------------------------------------------------------------------------------------


def parsed(text):
    with ir.Location.unknown():
        return ir.Module.parse(text)


def is_valid(text):
    """What the text says of a few operations jaxlib does not take, such as a size that is no scalar."""
    try:
        return parsed(text) is not None
    except ir.MLIRError:
        return False


class Unit:
    """A module whose symbols are its own, so that modules can be put together."""

    def __init__(self, text, number):
        module = parsed(text)
        operations = [str(op) for op in module.body.operations]
        self.body = "\n".join(re.sub(r"(?<!custom_call )@([\w.$-]+)", rf"@u{number}_\1", text) for text in operations)
        self.serializes = {}

    def expressible(self, version):
        if version not in self.serializes:
            self.serializes[version] = artifact_of(parsed(self.body), version) is not None
        return self.serializes[version]


def artifact_of(module, version):
    """The bytes; None where the version cannot express the module."""
    try:
        with ir.Location.unknown():
            return stablehlo.serialize_portable_artifact(module, version)
    except (ValueError, RuntimeError, ir.MLIRError):
        return None


def op_table_texts(types):
    rng, size = np.random.default_rng(20), op_table.Size(True)
    groups = [group for name in types for group in op_table.groups_of_type(TYPES[name], size, rng)]
    groups.append(movement.dynamic_group(TYPES["i32"], TYPES["f32"], size, rng))
    groups += complex_numbers.groups(size, rng) + linear_algebra.groups(size, rng, True)
    for group in groups:
        for case in group.cases:
            yield module_text(group, [case])


def with_callees(name, functions):
    """The function and all that it refers to, by name."""
    found, names = {}, [name]
    while names:
        name = names.pop()
        if name in functions and name not in found:
            found[name] = functions[name]
            names += re.findall(r"@([\w.$-]+)", functions[name])
    return found


def file_texts(paths):
    """Each function that no other calls is a module, with those that it calls."""
    for path in paths:
        with open(path) as file:
            module = parsed(file.read())
        functions = {ir.StringAttr(op.attributes["sym_name"]).value: str(op) for op in module.body.operations}
        called = {name for caller in functions for name in with_callees(caller, functions) if name != caller}
        for name in functions:
            if name not in called:
                yield "\n".join(with_callees(name, functions).values())


def versions_of_jaxlib():
    first, last = stablehlo.get_minimum_version(), stablehlo.get_current_version()
    assert first == "0.9.0" and last.startswith("1."), (first, last)
    return [f"0.{minor}.0" for minor in range(9, 21)] + [f"1.{minor}.0" for minor in range(int(last.split(".")[1]) + 1)]


# ----------------------------------------------------------------------------------------------------------------------
# What jax.export writes
# ----------------------------------------------------------------------------------------------------------------------


def attention(x, w):
    mask = np.tri(x.shape[0], dtype=bool)
    scores = jnp.where(mask, x @ w @ x.T, -1e9)
    return jax.nn.softmax(scores) @ x


def masked(x, w):
    """JAX prints such a mask as text of one byte for each boolean."""
    return jnp.where(np.tri(64, dtype=bool), x[0, 0], w[0, 0])


def gradient(x, w):
    return jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2))(w)


def recurrence(x, w):
    return jax.lax.scan(lambda h, row: (jnp.tanh(h @ w + row),) * 2, x[0], x)


def noise(x, w):
    return x + jax.random.normal(jax.random.key(7), x.shape), jnp.sort(x), jax.lax.top_k(x, 2)


def special(x, w):
    return jax.scipy.special.erf(x), jax.scipy.special.gammaln(x), jnp.linalg.cholesky(w @ w.T)


def batch(x, w):
    return jax.nn.relu(x @ w).sum(0)


def exported_functions():
    """(name, text, artifact); a function of which only the artifact has shardings is the same for one process."""
    mesh = jax.make_mesh((1, 1), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", "y"))

    def sharded(x, w):
        return attention(jax.lax.with_sharding_constraint(x, sharding), w)

    shapes = [jax.ShapeDtypeStruct((6, 8), jnp.float32), jax.ShapeDtypeStruct((8, 8), jnp.float32)]
    open_shapes = [jax.ShapeDtypeStruct((*jax.export.symbolic_shape("b"), 8), jnp.float32), shapes[1]]
    for function in (attention, masked, gradient, recurrence, noise, special):
        exported = jax.export.export(jax.jit(function))(*shapes)
        yield function.__name__, exported.mlir_module(), exported.mlir_module_serialized
    exported = jax.export.export(jax.jit(batch))(*open_shapes)
    yield "batch", exported.mlir_module(), exported.mlir_module_serialized
    plain = jax.export.export(jax.jit(attention))(*shapes)
    exported = jax.export.export(jax.jit(sharded, in_shardings=(sharding, sharding)))(*shapes)
    yield "sharded", plain.mlir_module().replace("@jit_attention", "@jit_sharded"), exported.mlir_module_serialized


# ----------------------------------------------------------------------------------------------------------------------
# Comparisons
# ----------------------------------------------------------------------------------------------------------------------


class Comparison:
    def __init__(self, options, folder):
        self.options, self.folder, self.problems = options, folder, []
        self.operations, self.converts = collections.Counter(), {}

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def opt(self, path, *passes):
        """Its output, or its error."""
        done = subprocess.run([self.options.stitch_opt, path, *passes], capture_output=True, text=True)
        return done.returncode == 0, done.stdout if done.returncode == 0 else done.stderr

    def problem(self, version, what):
        self.problems.append(f"{version}: {what}")
        print(self.problems[-1], flush=True)

    def same(self, version, what, found, expected):
        if found == expected:
            return
        lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found", lineterm="", n=0)
        self.problem(version, f"{what} differs:\n" + "\n".join(line[:400] for line in list(lines)[:20]))

    def becoming_tg(self, units):
        """Those whose text does. One run for all if it succeeds, else halves are tried."""
        unknown = [unit for unit in units if unit not in self.converts]
        text = "\n".join(unit.body for unit in unknown)
        if unknown and self.opt(self.write("some.mlir", text), "--convert-stablehlo-to-tg", "-o", os.devnull)[0]:
            self.converts.update((unit, True) for unit in unknown)
        elif len(unknown) == 1:
            self.converts[unknown[0]] = False
        elif unknown:
            middle = len(unknown) // 2
            self.becoming_tg(unknown[:middle])
            self.becoming_tg(unknown[middle:])
        return [unit for unit in units if self.converts[unit]]

    def compare_stablehlo(self, version, artifact, path):
        ok, found = self.opt(path, "--convert-vhlo-to-stablehlo", "--mlir-print-op-generic")
        if not ok:
            return self.problem(version, found[:1000])
        with mlir.make_ir_context() as other:
            expected = stablehlo.deserialize_portable_artifact(other, artifact).operation.get_asm(print_generic_op_form=True)
        ok, expected = self.opt(self.write("expected.mlir", expected), "--mlir-print-op-generic")
        self.same(version, "StableHLO", found, expected)

    def compare_tg(self, version, text, path):
        expected = self.opt(self.write("text.mlir", text), "--convert-stablehlo-to-tg")
        found = self.opt(path, "--convert-vhlo-to-stablehlo", "--remove-shardings", "--convert-stablehlo-to-tg")
        self.same(version, "tg", found[1], expected[1])
        if not expected[0]:
            self.problem(version, f"the text does not become tg: {expected[1][:1000]}")

    def compare_exported(self):
        for name, text, artifact in exported_functions():
            sizes = ["--stablehlo-refine-shapes=dims=b=4"] if "?x" in text else []
            passes = ["--convert-vhlo-to-stablehlo", "--remove-shardings", *sizes, "--convert-stablehlo-to-tg"]
            expected = self.opt(self.write(f"{name}.mlir", text), *passes)
            found = self.opt(self.write(f"{name}.mlir.bc", artifact), *passes)
            self.same("jax.export", name, found[1], expected[1])
            if not expected[0]:
                self.problem("jax.export", f"{name} does not become tg: {expected[1][:1000]}")

    def compare(self, version, units, name):
        text = "\n".join(unit.body for unit in units)
        artifact = artifact_of(parsed(text), version)
        if artifact is None:
            return self.problem(version, f"jaxlib does not write all that it writes one by one ({name})")
        path = self.write(f"{name}_{version}.mlir.bc", artifact)
        if name == "all":
            self.operations.update(re.findall(rb"\0([\w-]+_v\d)(?=\0)", artifact))
            self.compare_stablehlo(version, artifact, path)
        else:
            self.compare_tg(version, text, path)

    def uncovered(self):
        with open(os.path.join(SOURCE, "dialects", "vhlo", "ops.def")) as file:
            known = [f"{name}_v{version}" for name, version in re.findall(r"VHLO_OP\(([\w-]+), (\d)", file.read())]
        return [name for name in known if (name.encode() in self.operations) == (name in UNWRITTEN)]


def write_all(folder, units, versions):
    """An artifact of each module for each version: for test/fuzz."""
    os.makedirs(folder, exist_ok=True)
    for i, unit in enumerate(units):
        for version in versions:
            artifact = artifact_of(parsed(unit.body), version)
            if artifact is not None:
                with open(os.path.join(folder, f"{i}_{version}.mlir.bc"), "wb") as file:
                    file.write(artifact)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--stitch-opt", metavar="PROGRAM")
    parser.add_argument("--write", metavar="DIR", help="compare nothing: write an artifact of each module for each version")
    parser.add_argument("--versions", help="only these")
    parser.add_argument("--types", default=",".join(TYPES), help="only operations in these, such as f32,i1")
    parser.add_argument("--keep", metavar="DIR", help="for the artifacts")
    options = parser.parse_args()
    versions = options.versions.split(",") if options.versions else versions_of_jaxlib()
    with tempfile.TemporaryDirectory() as temporary, mlir.make_ir_context() as context:
        context.attach_diagnostic_handler(lambda diagnostic: True)
        os.makedirs(options.keep or temporary, exist_ok=True)
        comparison = Comparison(options, options.keep or temporary)
        texts = list(file_texts(options.files)) + list(op_table_texts(options.types.split(",")))
        units = [Unit(text, i) for i, text in enumerate(texts) if is_valid(text)]
        if options.write:
            return write_all(options.write, units, versions)
        for version in versions:
            written = [unit for unit in units if unit.expressible(version)]
            comparison.compare(version, written, "all")
            comparison.compare(version, comparison.becoming_tg(written), "tg")
            print(f"{version}: {len(written)} of {len(units)} modules", flush=True)
        comparison.compare_exported()
        for name in [] if options.versions else comparison.uncovered():
            comparison.problem("all versions", f"vhlo.{name} is in no artifact, or is said to be in none")
    print(f"{len(versions)} versions, {len(units)} modules; {len(comparison.problems)} problems")
    return 1 if comparison.problems else 0


if __name__ == "__main__":
    sys.exit(main())
