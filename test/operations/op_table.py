#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation x every element type against what the StableHLO specification says: test/operations/op_table.md.

usage: op_table.py --bin DIR [--fast] [--no-jax] [--only TEXT] [--precision POLICY] [--keep DIR] [--write FILE] [--table FILE] [--policies FILE]

Each operation that `convert-stablehlo-to-tg` takes runs in each element type, on edge values (zeros of both signs,
NaN, infinities, subnormal numbers, extreme integers, ties, shifts beyond the width, divisors of zero, indices out of range)
and random bits, through three implementations: `stitch-run --device=reference`, `stitch-run --device=simt`, JAX on the CPU.
What the simt device makes is compared with the reference by `stitch-run --check`, too. All three are compared with expected values, which NumPy computes here: integers as such, floats in the x87's 80 bits, so that
errors of f64 show too. Errors of floats are in units in the last place of the exact value, overflow counting as the next power
of two. All other results must be equal. JAX is not what is tested, but the proof that expectations are not ours alone:
where it differs from them the table says so. What kernels do not have the compiler refuses; the table says that, too.

With --table the results must be as good as those in the written table: within its bounds, with no type that it lacks of an operation that it
has. Operations that it does not have at all are new, and named: the table is to be written anew. Exit status 1 if the reference or a
kernel is outside a bound.

With --policies, floats of 16, 32 and 64 bits alone run, by each policy of docs/precision.md, without JAX, and the errors of each are written.
"""
import argparse
import concurrent.futures
import os
import sys
import warnings

import numpy as np

from op_tests import complex_numbers, contractions, elementwise, linear_algebra, movement, policies, precision, randomness, reductions, regions, special, static
from op_tests.absent import unexplained
from op_tests.run import DEVICES, run_group
from op_tests.table import collect, compare_with_table, document, list_problems, new_operations
from op_tests.types import INTEGERS, TYPES

warnings.filterwarnings("ignore")


class Size:
    def __init__(self, fast):
        self.every = not fast
        self.random = 256 if fast else 8192
        self.pairs = 24 if fast else 80


FAST_TYPES = ("f32", "bf16", "i1", "i32", "ui8", "f8E5M2FNUZ", "i4", "complex<f32>")


def groups_of_type(t, size, rng):
    """All that elements of the type can do. What f8E8M0FNU, which has neither zero nor sign, does not do, absent.py lists."""
    is_exponent = t.kind == "float" and not t.has_zero
    makers = [elementwise.select_group, movement.convert_group, movement.movement_group, movement.constant_group, movement.batched_gather_group,
              regions.window_group, regions.cumulative_group, regions.control_group, reductions.reduce_group, static.dynamic_group, static.alone_group]
    if t.kind == "float":
        makers += [elementwise.unary_float_group, elementwise.binary_float_group, special.unary_group, special.binary_group, contractions.batch_norm_group]
    if t.kind in ("int", "uint", "bool"):
        makers += [elementwise.unary_integer_group, elementwise.binary_integer_group]
    if t.kind != "bool":
        makers.append(movement.bitcast_group)
    if t.kind != "complex":
        makers += [regions.general_reduce_group, regions.sort_group]
    if t.kind in ("int", "uint"):
        makers.append(randomness.generator_group)
    makers += [contractions.dot_group] + ([contractions.ragged_dot_group] if not is_exponent else [])
    makers += [contractions.convolution_group] if t.kind != "bool" else []
    makers += [regions.select_and_scatter_group] if t.kind != "complex" else []
    makers += [randomness.rng_group] if t.kind not in ("bool", "complex") and not is_exponent else []
    return [make(t, size, rng) for make in makers] + [regions.scatter_group(TYPES["i32"], t, size, rng)]


def make_groups(size, fast):
    rng = np.random.default_rng(20)
    types = [TYPES[n] for n in FAST_TYPES] if fast else list(TYPES.values())
    groups = [group for t in types for group in groups_of_type(t, size, rng)]
    for t in [TYPES[n] for n in ("i32", "ui8")] if fast else [t for t in INTEGERS if t.bits >= 8]:
        groups.append(movement.dynamic_group(t, TYPES["f32"], size, rng))
        groups.append(regions.scatter_group(t, TYPES["f32"], size, rng))
    return groups + complex_numbers.groups(size, rng) + linear_algebra.groups(size, rng, fast) + precision.groups(types, size, rng)


def run_groups(options, groups):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return [r for part in pool.map(lambda g: run_group(options, g), groups) for r in part]


def write_policies(options):
    """Exit status 1 if a policy is outside of a bound."""
    groups = [g for g in policies.groups(Size(options.fast)) if options.only in g.name]
    options.no_jax, of_policy, problems = True, {}, []
    for policy in policies.POLICIES:
        options.precision = policy
        of_policy[policy] = collect(run_groups(options, groups))
        problems += [f"{line} ({policy})" for line in list_problems(of_policy[policy], DEVICES, True)]
    with open(options.policies, "w") as file:
        file.write(policies.document_policies(of_policy))
    print("\n".join(problems + [f"{len(problems)} outside of their bounds"]))
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, metavar="DIR", help="the folder of stitch-compile and stitch-run")
    parser.add_argument("--fast", action="store_true", help="fewer types and inputs")
    parser.add_argument("--no-jax", action="store_true", help="do not run JAX")
    parser.add_argument("--only", default="", metavar="TEXT", help="only groups whose name has this text")
    parser.add_argument("--precision", default="default", help="policy of the kernels: docs/precision.md")
    parser.add_argument("--keep", metavar="DIR", help="for temporary files")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", metavar="FILE", help="write the table")
    parser.add_argument("--table", metavar="FILE", help="compare with a written table")
    parser.add_argument("--policies", metavar="FILE", help="write the errors of each policy")
    options = parser.parse_args()
    if options.policies:
        return write_policies(options)
    size = Size(options.fast)
    groups = [g for g in make_groups(size, options.fast) if options.only in g.name]
    results = run_groups(options, groups)
    cells = collect(results)
    if options.write:
        with open(options.write, "w") as file:
            file.write(document(cells))
    problems = list_problems(cells, DEVICES, True)
    problems += compare_with_table(cells, options.table) if options.table else []
    problems += [] if options.only else [f"- {name} has neither rows nor a reason in absent.py, or both" for name in unexplained(cells)]
    print("\n".join(problems))
    for name in new_operations(cells, options.table) if options.table else []:
        print(f"{name} is not in {options.table} yet: write it anew")
    print(f"{len(cells)} pairs of operation and type, {len(results)} results; {len(problems)} outside of their bounds")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
