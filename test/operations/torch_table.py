#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's operators through torch.compile(backend="stitch"), on the inputs that PyTorch tests them with (OpInfo).

usage: torch_table.py [--only REGEX] [--types f32,i8] [--samples N] [--jobs I/N] [--write | --complete [--again TEXT]]

For each operator and variant of OpInfo, and for each type, how many samples are right, left to PyTorch as a whole or in part (with the reason), and wrong, of results and,
for f32, of gradients. A result of half precision, whose intermediate values may be rounded too, is right within 1.6 % of itself and 1 % of the largest one; others
within 1e-4. test/operations/torch_table.md is what --write makes; --complete measures only what it lacks, and cells that match --again, and writes it after each operator. --jobs: every Nth operator from number I.
"as aot_eager" is wrong in PyTorch's own way to compiled graphs, too.
What is ill-conditioned counts as right if it is about as near to the result in double precision as PyTorch's. Exit status 1 if anything is wrong. Needs the environment of tools/setup.sh --torch, PYTHONPATH=python and STITCH_BUILD.
"""
import argparse
import collections
import logging
import os
import re
import sys
import types

import torch
from torch.testing._internal.common_methods_invocations import op_db

import sample_table
import stitch.torch  # noqa: F401

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_table.md")
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64, "i64": torch.int64, "i32": torch.int32, "i16": torch.int16,
         "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool, "c64": torch.complex64}
SMALL_FLOATS = {torch.float32, torch.bfloat16, torch.float16}
# Which one of equal elements has the index is not said, so that only values are compared.
ANY_INDEX = {"kthvalue", "median", "mode", "msort", "sort", "topk"}

# Whose elements are any.
ANY_VALUES = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}

_reasons: list[str] = []


class _Reasons(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        _reasons.append(re.sub(r"\s+", " ", str(record.args[0] if record.args else record.msg))[:60])


def tensors(tree):
    return [t for t in torch.utils._pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def same(found, expected, dtype) -> bool:
    half = dtype in (torch.bfloat16, torch.float16)
    found, expected = (torch.utils._pytree.tree_map(lambda t: t.to_dense() if isinstance(t, torch.Tensor) and t.layout is not torch.strided else t, tree)
                       for tree in (found, expected))
    largest = max([1.0, *(t.abs().nan_to_num(0, 0, 0).max().item() for t in tensors(expected) if half and t.numel() and t.dtype == dtype)])
    tolerance = {"rtol": 1.6e-2, "atol": 1e-2 * largest} if half else {"rtol": 1e-4, "atol": 1e-4}
    try:
        torch.testing.assert_close(found, expected, equal_nan=True, check_stride=False, **tolerance)
    except AssertionError:
        return False
    return True


def evaluate(function, sample, dtype):
    """Results of a sample, and gradients of all that have one."""
    def fresh(t):
        return t.detach().clone().requires_grad_(t.requires_grad) if isinstance(t, torch.Tensor) else t

    call = torch.utils._pytree.tree_map(fresh, (sample.input, sample.args, sample.kwargs))
    result = function(call[0], *call[1], **call[2])
    if any(t.is_complex() for t in tensors(result)):
        return result
    wanted = [t for t in tensors(call) if t.requires_grad]
    given = [t for t in tensors(result) if t.requires_grad]
    if dtype != torch.float32 or not wanted or not given:
        return result
    return result, torch.autograd.grad(sum((t * torch.arange(1, t.numel() + 1).reshape(t.shape).div(t.numel() + 1)).sum() for t in given), wanted,
                                       allow_unused=True)


def exactly(function, sample, dtype):
    """Results, and gradients of f32, in double precision."""
    def double(t):
        return t.detach().double().requires_grad_(t.requires_grad) if isinstance(t, torch.Tensor) and t.dtype == dtype else t

    call = torch.utils._pytree.tree_map(double, (sample.input, sample.args, sample.kwargs))
    return evaluate(function, types.SimpleNamespace(input=call[0], args=call[1], kwargs=call[2]), dtype)


def as_near(found, expected, exact) -> bool:
    """Whether what is found has at most four times the error of what is expected, and some roundings of the largest element."""
    for f, e, x in zip(*(tensors(tree) for tree in (found, expected, exact)), strict=True):
        if not f.is_floating_point() or not x.isfinite().all():
            return False
        largest = x.abs().max().item() if x.numel() else 0.0
        if ((f.double() - x).abs() > 4 * (e.double() - x).abs().max() + 1e-6 * largest).any():
            return False
    return True


def outcome(op, sample, dtype) -> str:
    def call(*args, **kwargs):
        result = op.op(*args, **kwargs)
        if op.name in ANY_VALUES:
            return torch.zeros_like(result)
        if op.name == "argsort":
            return args[0].take_along_dim(result, kwargs.get("dim", args[1] if len(args) > 1 else -1)) if args[0].ndim else result
        return result[0] if op.name in ANY_INDEX and isinstance(result, tuple) else result

    _reasons.clear()
    torch._dynamo.reset()
    try:
        expected = evaluate(call, sample, dtype)
    except (AssertionError, NotImplementedError, RuntimeError):  # gradients of sparse tensors; what a CPU does not have
        return "not run"
    compiled = torch.compile(call, backend="stitch", options={"plan": "astitch"})
    try:
        found = evaluate(compiled, sample, dtype)
    except Exception as error:  # pylint: disable=broad-except
        _reasons.append(f"{type(error).__name__}: {error}".partition("\n")[0])
        return "wrong"
    if not same(found, expected, dtype) and not (dtype in SMALL_FLOATS and as_near(found, expected, exactly(call, sample, dtype))):
        torch._dynamo.reset()
        return "wrong" if same(evaluate(torch.compile(call, backend="aot_eager"), sample, dtype), expected, dtype) else "as aot_eager"
    return "left" if _reasons else "right"


def row(op, count, types, known=None, again="wrong|not run"):
    """The cells of an operator, but for those that are known, and do not match `again`."""
    known = known or [""] * (len(TYPES) + 2)
    is_new = any(re.search(again, cell) for cell in known[1:-1])
    cells, reasons, wrong = [], [known[-1]] if known[-1] and not is_new else [], 0
    for i, (name, dtype) in enumerate(TYPES.items()):
        if known[i + 1] and not re.search(again, known[i + 1]):
            cells.append(known[i + 1])
            continue
        if dtype not in op.supported_dtypes("cpu") or name not in types:
            cells.append("")
            continue
        counts = collections.Counter()
        torch.manual_seed(0)
        gradients = dtype == torch.float32 and op.supports_autograd
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=gradients))
        for sample in samples[::max(1, len(samples) // count)][:count]:
            counts[outcome(op, sample, dtype)] += 1
            reasons += _reasons[:1]
        wrong += counts["wrong"]
        cells.append(sample_table.cell(counts))
    return sample_table.row(label(op), cells, reasons), wrong


def label(op):
    return f"{op.name} {op.variant_test_name}".strip()


def read():
    """The rows that the table has."""
    with open(TABLE, encoding="utf-8") as file:
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in file if line.startswith("| ")]
    return {cells[0]: cells for cells in rows if cells[0] != "operator"}


def write(rows, samples):
    ordered = [rows[label(op)] for op in op_db if label(op) in rows]
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(sample_table.document("PyTorch's operators through torch.compile(backend=\"stitch\")", [
            f"Samples of each: {samples}. Made by `test/operations/torch_table.py`. right: stitched, as eager PyTorch; left: PyTorch ran", "an operator that "
            "cannot be compiled; f32 with gradients. Where the type is not the operator's the cell is empty."], TYPES, ordered))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--jobs", default="0/1")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--again", default="wrong|not run")
    options = parser.parse_args()
    logging.getLogger("stitch").addHandler(_Reasons())
    logging.getLogger("stitch").propagate = False
    known = read() if options.complete else {}
    found = {}
    first, step = map(int, options.jobs.split("/"))
    for op in [op for op in op_db if re.search(options.only, op.name)][first::step]:
        found[label(op)] = row(op, options.samples, options.types.split(","), known.get(label(op)), options.again)
        print(" | ".join(found[label(op)][0]), flush=True)
        if options.complete:
            known[label(op)] = found[label(op)][0]
            write(known, options.samples)
    wrong = sum(w for _, w in found.values())
    if options.write:
        write({name: cells for name, (cells, _) in found.items()}, options.samples)
    print(f"{len(found)} operators, {wrong} samples wrong")
    sys.exit(1 if wrong or not found else 0)


if __name__ == "__main__":
    main()
