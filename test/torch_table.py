#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's operators through torch.compile(backend="stitch"), on the inputs that PyTorch tests them with (OpInfo).

usage: torch_table.py [--only NAME] [--samples N] [--write]

For each operator and type how many samples are right, left to PyTorch (with the reason), and wrong, of results and, for f32, of gradients. A
result of half precision, whose intermediate values may be rounded too, is right within 1.6 % of itself and 1 % of the largest one; others
within 1e-4. test/torch_table.md is what --write makes.
Exit status 1 if anything is wrong. Needs the environment of tools/setup.sh --torch, PYTHONPATH=python and STITCH_BUILD.
"""
import argparse
import collections
import logging
import os
import re
import sys

import torch
from torch.testing._internal.common_methods_invocations import op_db

import stitch.torch  # noqa: F401

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_table.md")
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64, "bool": torch.bool}
OPERATORS = """abs add sub mul div true_divide exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan tanh sinh cosh asin acos atan erf erfc
sigmoid neg reciprocal square sign floor ceil trunc round clamp maximum minimum fmax fmin pow atan2 fmod remainder where eq ne lt le gt ge
logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor isnan isinf lerp
sum mean prod amax amin argmax argmin all any std var logsumexp cumsum cumprod norm count_nonzero
softmax log_softmax nn.functional.layer_norm nn.functional.batch_norm nn.functional.group_norm nn.functional.rms_norm
nn.functional.relu nn.functional.gelu nn.functional.silu nn.functional.softplus nn.functional.elu nn.functional.leaky_relu nn.functional.hardtanh
nn.functional.mse_loss nn.functional.cross_entropy nn.functional.nll_loss nn.functional.smooth_l1_loss nn.functional.kl_div
nn.functional.binary_cross_entropy nn.functional.embedding nn.functional.linear nn.functional.scaled_dot_product_attention
nn.functional.max_pool2d nn.functional.avg_pool2d nn.functional.conv2d
gather index_select scatter scatter_add take_along_dim cat stack split transpose permute reshape expand flip roll tril triu masked_fill
matmul bmm mm addmm""".split()

_reasons: list[str] = []


class _Reasons(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        _reasons.append(re.sub(r"\s+", " ", str(record.args[0] if record.args else record.msg))[:60])


def tensors(tree):
    return [t for t in torch.utils._pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def same(found, expected, dtype) -> bool:
    half = dtype in (torch.bfloat16, torch.float16)
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
    wanted = [t for t in tensors(call) if t.requires_grad]
    given = [t for t in tensors(result) if t.requires_grad]
    if dtype != torch.float32 or not wanted or not given:
        return result
    return result, torch.autograd.grad(sum((t * torch.arange(1, t.numel() + 1).reshape(t.shape).div(t.numel() + 1)).sum() for t in given), wanted,
                                       allow_unused=True)


def outcome(op, sample, dtype) -> str:
    _reasons.clear()
    torch._dynamo.reset()
    expected = evaluate(op.op, sample, dtype)
    found = evaluate(torch.compile(lambda *args, **kwargs: op.op(*args, **kwargs), backend="stitch", options={"plan": "astitch"}), sample, dtype)
    if not same(found, expected, dtype):
        return "wrong"
    return "left" if _reasons else "right"


def row(op, count):
    cells, reasons, wrong = [], [], 0
    for dtype in TYPES.values():
        if dtype not in op.supported_dtypes("cpu"):
            cells.append("")
            continue
        counts = collections.Counter()
        torch.manual_seed(0)
        gradients = dtype == torch.float32 and op.supports_autograd
        for sample in list(op.sample_inputs("cpu", dtype, requires_grad=gradients))[:count]:
            counts[outcome(op, sample, dtype)] += 1
            reasons += _reasons[:1]
        wrong += counts["wrong"]
        cells.append(" ".join(f"{n} {what}" for what, n in sorted(counts.items(), reverse=True)))
    return [op.name, *cells, "; ".join(sorted(set(reasons)))[:120].replace("|", "\\|")], wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    logging.getLogger("stitch").addHandler(_Reasons())
    logging.getLogger("stitch").propagate = False
    found = {}
    for op in op_db:
        if op.name in OPERATORS and op.name not in found and options.only in op.name and not op.variant_test_name:
            found[op.name] = row(op, options.samples)
            print(" | ".join(found[op.name][0]), flush=True)
    wrong = sum(w for _, w in found.values())
    lines = ["# PyTorch's operators through torch.compile(backend=\"stitch\")", "",
             f"Samples of each: {options.samples}. Made by `test/torch_table.py --write`. right: stitched, as eager PyTorch; left: PyTorch ran",
             "it, since it cannot be compiled; f32 with gradients.", "", "| operator | " + " | ".join(TYPES) + " | left because |", "|---" * 7 + "|"]
    lines += ["| " + " | ".join(cells) + " |" for cells, _ in found.values()]
    if options.write:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    print(f"{len(found)} operators, {wrong} samples wrong")
    sys.exit(1 if wrong or not found else 0)


if __name__ == "__main__":
    main()
