#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax.numpy's functions through stitch.jax.jit, in each type, beside NumPy's results.

usage: jax_table.py [--only NAME] [--write]

The functions are those of test/python/test_numpy.py. NumPy computes in f32 what it has no type for (bf16) or only a slow one (f16). A result
of half precision, whose intermediate values may be rounded too, is right within 1.6 % of itself and 1 % of the largest one; others within
2e-5, integers and truth values exactly. Where JAX itself says something else than NumPy (its integers wrap, its types are promoted in another
way), a stitched function that says what JAX says is counted as `jax`. test/operations/jax_table.md is what --write makes.
Exit status 1 if anything is wrong. Needs the environment of tools/setup.sh --python, PYTHONPATH=python and STITCH_BUILD.
"""
import argparse
import collections
import os
import re
import sys
import warnings

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

import stitch.jax

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "python"))
import sample_table  # noqa: E402
import test_numpy as cases  # noqa: E402

TABLE = os.path.join(HERE, "jax_table.md")
TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i64": np.int64, "bool": np.bool_}
HALVES = (ml_dtypes.bfloat16, np.float16)


def functions():
    """Name -> (kind of arguments, function of a NumPy or jax.numpy and arrays)."""
    for name, kind in cases.ELEMENTWISE:
        yield name, kind, [lambda library, *xs, name=name: getattr(library, name)(*xs)]
    for name in cases.REDUCTIONS:
        yield name, cases.ONE, [lambda library, x, name=name, axis=axis: getattr(library, name)(x, axis=axis) for axis in (0, 1)]
    for name, function in cases.SHAPES.items():
        yield name, cases.ONE, [function]


def same(found, expected, dtype) -> bool:
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind not in "fcV" and found.dtype.kind not in "fcV":
        return np.array_equal(found, expected)
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    rtol, atol = (2e-5, 2e-6) if dtype not in HALVES else (1.6e-2, 1e-2 * max(1.0, np.abs(np.nan_to_num(expected, posinf=0, neginf=0)).max(initial=0)))
    return np.allclose(found, expected, rtol=rtol, atol=atol, equal_nan=True)


def outcome(function, given, dtype) -> tuple[str, str]:
    """What there is to say, and why; nothing where NumPy or JAX has no such function of the type."""
    try:
        in_jax = function(jnp, *map(jnp.asarray, given))
        in_numpy = function(np, *(x.astype(np.float32) if dtype in HALVES else x for x in given))
    except (TypeError, ValueError):
        return "", ""
    try:
        found = stitch.jax.jit(lambda *xs: function(jnp, *xs), plan="astitch")(*given)
    except (stitch.StitchError, jax.errors.JaxRuntimeError) as error:
        return "refused", re.sub(r"\s+", " ", str(error))[-80:]
    if same(found, in_numpy, dtype):
        return "right", ""
    return ("jax", "JAX is not as NumPy") if same(found, in_jax, dtype) and not same(in_jax, in_numpy, dtype) else ("wrong", "")


def row(name, kind, calls):
    cells, reasons, wrong = [], [], 0
    for dtype in TYPES.values():
        counts = collections.Counter()
        for call in calls:
            arrays = [x if x.dtype == np.bool_ else x * 3 if np.dtype(dtype).kind == "i" and x.dtype.kind == "f" else x for x in cases.arguments(kind, np.random.default_rng(7))]
            what, why = outcome(call, [x.astype(dtype) for x in arrays], dtype)
            counts.update([what] if what else [])
            reasons += [why] if why else []
        wrong += counts["wrong"]
        cells.append(sample_table.cell(counts))
    return sample_table.row(name, cells, reasons), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    rows, wrong = [], 0
    with jax.enable_x64(True):
        for name, kind, calls in functions():
            if options.only in name:
                cells, count = row(name, kind, calls)
                print(" | ".join(cells), flush=True)
                rows, wrong = [*rows, cells], wrong + count
    if options.write:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(sample_table.document("jax.numpy's functions through stitch.jax.jit", [
                "Made by `test/operations/jax_table.py --write`. right: as NumPy; jax: as JAX, which is not as NumPy; refused: not compiled."], TYPES, rows))
    print(f"{len(rows)} functions, {wrong} samples wrong")
    sys.exit(1 if wrong or not rows else 0)


if __name__ == "__main__":
    main()
