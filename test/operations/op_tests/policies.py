# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors of each policy of docs/precision.md: measured on the device simt, and what the PTX ISA documents of a GPU's instructions."""
import numpy as np

from op_tests import elementwise, precision, reductions, special
from op_tests.cases import Ulps
from op_tests.types import TYPES, wide

POLICIES = ("strict", "default", "fast")
FLOATS = ("f32", "f16", "bf16", "f64")

# Of the instructions that docs/precision.md names, in units of 2^-23 of the result, for the arguments x: the policy that takes them first, and
# the error.
DOCUMENTED = {
    "stablehlo.exponential": ("fast", lambda x: 2 + 1.173 * np.abs(x)),
    "stablehlo.logistic": ("fast", lambda x: 5 + 1.173 * np.where(x < 0, -x, np.where(x > 100, 0, x * logistic_tail(x)))),
    "stablehlo.tanh": ("fast", lambda x: np.full_like(x, 2.0 ** 12)),
    "stablehlo.sqrt": ("fast", lambda x: np.full_like(x, 2.0)),
    "stablehlo.rsqrt": ("default", lambda x: np.full_like(x, 2.0 ** 0.1)),
    "stablehlo.divide": ("fast", lambda x: np.full_like(x, 2.0)),
}


def logistic_tail(x):
    """exp(-x) / (1 + exp(-x)): the share of the exponential's error in the result, where that is near one."""
    return 1 / (1 + np.exp(x))


def groups(size):
    """What is measured: operations of one and two operands, special functions, sums and the like, and what policies relax."""
    makers = (elementwise.unary_float_group, elementwise.binary_float_group, precision.quotient_group, precision.product_group,
              special.unary_group, special.binary_group, reductions.reduce_group)
    rng = np.random.default_rng(20)
    return [make(TYPES[name], size, rng) for make in makers for name in FLOATS]


def documented_error(case):
    """The largest one of a GPU by the documents, in units in the last place of the type, for arguments whose result is normal: below, the
    instruction gives zero, or the unit is larger. Rounding to 16 bits adds half a unit."""
    t, check = case.type, case.check
    x = wide(check.inputs[0].reshape(-1))
    exact = check.exact.reshape(-1) if isinstance(check, Ulps) else wide(check.expected.reshape(-1))
    is_normal = (np.abs(exact) <= t.max) & (np.abs(exact) >= np.ldexp(1.0, max(t.emin, TYPES["f32"].emin)))
    with np.errstate(all="ignore"):
        relative = DOCUMENTED[case.row][1](x) * 2.0 ** -23
        units = Ulps(exact, t, 0).ulp(t)
        errors = np.where(is_normal, relative * np.abs(exact) / units, 0)
    return float(np.max(errors, initial=0)) + (0.5 if t.bits < 32 else 0)


def documented_text(case, policy):
    """What a GPU may add by its documents where the policy takes its instructions; "-": the same as on the device simt, or the library's."""
    first = DOCUMENTED.get(case.row, ("", None))[0] if case.type.bits <= 32 else ""  # none of the instructions is of f64
    takes = first and POLICIES.index(policy) >= POLICIES.index(first)
    return f"{documented_error(case):.2f}" if takes else "-"


def row_text(row, name, cells):
    case = cells["strict"].results[0].case
    texts = [cells[policy].text("simt") for policy in POLICIES]
    return f"| {row} | {name} | {cells['default'].bound:g} | " + " | ".join(texts + [documented_text(case, p) for p in POLICIES[1:]]) + " |"


def document_policies(of_policy):
    """`of_policy`: policy -> cells. Rows are the operations with an error, and those that a GPU approximates."""
    rows = [key for key, cell in of_policy["strict"].items() if not cell.exact or key[0] in DOCUMENTED]
    return "\n".join(
        ["# Errors of each policy", "",
         "Made by `test/operations/op_table.py --bin build/bin --fast --policies test/operations/op_policies.md`. Units in the last place of the exact value, the rounding of the result",
         "included, for each policy of `docs/precision.md`; inputs are edge values and 256 random ones or pairs of them. Strict, default, fast: measured on the device simt (`=`: rounded",
         "correctly throughout), which has none of the instructions that `fast` is for. On a GPU: where that policy takes one of its approximate instructions there, the largest error",
         "by the PTX ISA for the same inputs whose results are normal; no GPU has been asked. All else is computed by the same formulas there, or by the library, whose errors",
         "CUDA documents: 1 or 2 units.", "",
         "| operation | type | bound | strict | default | fast | default, on a GPU | fast, on a GPU |", "|---|---|---|---|---|---|---|---|",
         *(row_text(row, name, {p: of_policy[p][row, name] for p in POLICIES}) for row, name in rows), ""])
