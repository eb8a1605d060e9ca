# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of StableHLO and CHLO that the table has no rows for, and why."""
import os
import re

TRANSFER = "refused: it transfers data to or from outside of the model while it runs"
TOKEN = "refused: it orders such transfers"
ASYNCHRONOUS = "means what is in its body, by test/lit/runtime/asynchronous.test"
OUTDATED = "refused: the specification has {} in its place"
QUANTISED = "its types are quantised: `test/operations/quantised.py`"

REASONS = {
    "chlo.constant": "is `stablehlo.constant`",
    "stablehlo.after_all": TOKEN,
    "stablehlo.async_done": ASYNCHRONOUS,
    "stablehlo.async_start": ASYNCHRONOUS,
    "stablehlo.collective_reduce": "is `stablehlo.all_reduce` where there is one process; jaxlib does not have it yet",
    "stablehlo.create_token": TOKEN,
    "stablehlo.custom_call": "means what its target means: `lapack_?potrf_ffi`, `lapack_?trsm_ffi` and `cusolver_potrf_ffi` are `stablehlo.cholesky` and "
                             "`stablehlo.triangular_solve`; other targets are refused by name",
    "stablehlo.einsum": OUTDATED.format("`stablehlo.dot_general`"),
    "stablehlo.infeed": TRANSFER,
    "stablehlo.outfeed": TRANSFER,
    "stablehlo.recv": TRANSFER,
    "stablehlo.return": "ends the regions of other operations",
    "stablehlo.send": TRANSFER,
    "stablehlo.set_dimension_size": "refused: the size of a tensor cannot change while the model runs",
    "stablehlo.torch_index_select": OUTDATED.format("`stablehlo.gather`"),
    "stablehlo.unary_einsum": OUTDATED.format("`stablehlo.reduce`"),
    "stablehlo.uniform_dequantize": QUANTISED,
    "stablehlo.uniform_quantize": QUANTISED,
}

# Types that an operation with rows has none in.
PAIRS = {
    "chlo.ragged_dot f8E8M0FNU": "the rows of no group are zero, which the type does not have",
    "stablehlo.dynamic_conv f8E8M0FNU": "its padding is zero",
    "stablehlo.imag f8E8M0FNU": "the imaginary part of a real number is zero",
    "stablehlo.iota, stablehlo.dynamic_iota f8E8M0FNU": "the first element is zero",
    "stablehlo.reduce add, stablehlo.reduce_window add, stablehlo.scatter add f8E8M0FNU": "a sum begins with zero",
    "chlo.next_after f6E2M3FN, f6E3M2FN": "refused: there are no integers of 6 bits to count with",
    "stablehlo.rng UNIFORM f6E2M3FN, f6E3M2FN": "refused: likewise",
    "stablehlo.rng NORMAL f4E2M1FN, f6E2M3FN, f6E3M2FN": "what is beyond the largest number becomes it, so that samples have neither the mean nor the deviation",
    "stablehlo.rng f8E8M0FNU": "rounded to powers of two, samples of a distribution have neither its mean nor its deviation",
}


def operations_of_reader():
    """All operations of both dialects, as the reader knows them."""
    path = os.path.join(os.path.dirname(__file__), "..", "..", "..", "dialects", "stablehlo", "reader_ops.def")
    with open(path) as file:
        text = re.sub(r"//.*", "", file.read())
    dialects = re.findall(r"#ifdef (\w+)\n(.*?)#endif", text, re.S)
    return [f"{dialect.lower()}.{name}" for dialect, body in dialects for name in re.findall(r"(?:ELEMENTWISE|REGULAR|CUSTOM|GENERIC)\(([\w-]+)", body)]


def unexplained(cells):
    """Operations that have neither rows nor a reason, or both."""
    rows = {re.match(r"[\w.-]+", row).group() for row, _ in cells}
    return [name for name in operations_of_reader() if (name in rows) == (name in REASONS)]
