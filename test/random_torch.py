#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of PyTorch's operators through torch.compile(backend="stitch"): views, changes in place, tensors of all types and of rank 0 mixed,
inputs that are transposed, strided and channels_last. What they return and what they make of their arguments is compared with eager PyTorch.

usage: random_torch.py [--seed N] [--count N] [--show]

Prints each program that differs, and how many ran; exit status 1 if any does. Needs the environment of tools/setup.sh --torch, PYTHONPATH=python and
STITCH_BUILD. --show prints all.
"""
import argparse
import logging
import random
import sys

import torch

import stitch.torch  # noqa: F401

TYPES = [torch.float32, torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]
F = torch.nn.functional


def is_number(x):
    return x.dtype is not torch.bool


# What is computed of one tensor, as text and a condition.
UNARY = [
    ("{x}.sin()", None), ("{x}.tanh()", None), ("{x}.abs()", is_number), ("-{x}", is_number), ("{x}.sigmoid()", None), ("{x} ** 2", is_number), ("{x}.relu()", is_number),
    ("{x}.sign()", None), ("{x}.float()", None), ("{x}.to(torch.bfloat16)", None), ("{x}.to(torch.int32)", lambda x: not x.is_floating_point()),
    ("{x} + 1", None), ("{x} * 0.5", None), ("{x} > 0", None), ("{x}.clamp(-1, 2)", lambda x: x.dtype not in (torch.bool, torch.uint8)), ("{x}.logical_not()", None),
    ("{x}.sum()", None), ("{x}.sum(0)", None), ("{x}.sum(-1, keepdim=True)", None), ("{x}.amax(-1)", lambda x: x.numel()), ("{x}.float().mean()", None), ("{x}.any(0)", None),
    ("{x}.float().softmax(-1)", None), ("{x}.cumsum(0)", None), ("{x}.argmax(-1)", lambda x: is_number(x) and x.numel()), ("{x}.sort(-1).values", None),
    ("{x}.t()", lambda x: x.ndim == 2), ("{x}.transpose(0, -1)", None), ("{x}.reshape(-1)", None), ("{x}.flip(0)", None), ("{x}.unsqueeze(0)", lambda x: x.ndim < 4),
    ("{x}.squeeze()", None), ("{x}[0]", lambda x: x.ndim > 1 and x.shape[0]), ("{x}[..., 1:]", lambda x: x.ndim > 1), ("{x}[::2]", None),
    ("{x}.expand(2, *{x}.shape)", lambda x: x.ndim < 4), ("{x}.roll(1, 0)", None), ("{x}.repeat(2, *[1] * ({x}.ndim - 1))", lambda x: x.numel() < 200), ("{x}.contiguous()", None),
    ("{x}.tril()", lambda x: x.ndim == 2), ("{x}.as_strided((2, 2), (1, 2))", lambda x: x.numel() >= 4 and x.is_contiguous() and x.untyped_storage().nbytes() >= 4 * x.itemsize),
    ("torch.where({x} > 0, {x}, 0)", is_number), ("F.gelu({x}.float())", None), ("{x}.var(0)", lambda x: x.is_floating_point() and x.shape[0] > 1),
    ("{x}.diagonal()", lambda x: x.ndim == 2), ("{x}.index_select(0, torch.tensor([0, 0]))", lambda x: x.shape[0]), ("{x}[torch.tensor([0, -1])]", lambda x: x.shape[0]),
    ("{x}.float().log1p()", None), ("{x}.to(torch.float64).exp()", None), ("{x}.remainder(3)", is_number), ("{x}.fmod(3)", is_number),
    ("{x}.div(3, rounding_mode='floor')", is_number), ("{x}.div(2, rounding_mode='trunc')", is_number), ("{x}.bitwise_not()", lambda x: not x.is_floating_point()),
]
BINARY = [("{x} + {y}", None), ("{x} * {y}", None), ("{x} - {y}", lambda x, y: is_number(x) and is_number(y)), ("torch.maximum({x}, {y})", None), ("{x} == {y}", None),
          ("{x} < {y}", None), ("{x}.float() / ({y}.abs() + 1)", lambda x, y: is_number(y)), ("torch.where({x} > 0, {x}, {y})", None), ("torch.logical_and({x}, {y})", None),
          ("torch.stack([{x}, {y}])", lambda x, y: x.shape == y.shape and x.ndim < 4), ("torch.cat([{x}, {y}])", lambda x, y: x.ndim == y.ndim and x.shape[1:] == y.shape[1:])]
IN_PLACE = [("{x}.add_(1)", is_number), ("{x}.mul_({y})", lambda x, y: torch.can_cast(torch.result_type(x, y), x.dtype) and torch.broadcast_shapes(x.shape, y.shape) == x.shape),
            ("{x}[0] = 1", lambda x: x.ndim > 0 and x.shape[0]), ("{x}[..., :1].zero_()", None), ("{x}.copy_({y})", lambda x, y: x.shape == y.shape),
            ("{x}[1:] = {y}[1:]", lambda x, y: x.shape == y.shape), ("{x}.clamp_(min=0)", is_number), ("{x}.fill_(2)", None), ("{x}.t().add_(1)", lambda x: x.ndim == 2 and is_number(x))]


class Program:
    """Lines of a function, found by running each in eager PyTorch first."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        torch.manual_seed(seed)
        self.inputs = [self._input() for _ in range(self.random.randint(1, 3))]
        names = [f"a{i}" for i in range(len(self.inputs))]
        self.lines, self.values = [], {n: x.clone(memory_format=torch.preserve_format) for n, x in zip(names, self.inputs, strict=True)}
        for _ in range(self.random.randint(2, 9)):
            self._line()
        kept = [n for n in self.values if n not in names]
        self.returned = self.random.sample(kept, min(len(kept), 3))
        self.source = f"def program({', '.join(names)}):\n" + "".join(f"    {line}\n" for line in self.lines) + f"    return ({''.join(r + ', ' for r in self.returned)})\n"

    def _input(self):
        dtype, r = self.random.choice(TYPES), self.random
        shape = r.choice([(4, 6), (3, 4), (4,), (), (2, 3, 4), (4, 1), (2, 2, 3, 4), (1, 6), (5, 3)])
        x = torch.randn(shape).mul(3).to(dtype) if dtype is not torch.uint8 else torch.randint(0, 255, shape, dtype=dtype)
        how = r.randrange(6)
        if how == 0 and x.ndim == 2:
            return x.t()
        if how == 1 and x.ndim > 1:
            return x[..., ::2]
        if how == 2 and x.ndim == 4:
            return x.to(memory_format=torch.channels_last)
        if how == 3 and x.ndim == 1:
            return x[1:]
        return x

    def _line(self):
        for _ in range(20):
            kind = self.random.random()
            table = UNARY if kind < 0.5 else BINARY if kind < 0.8 else IN_PLACE
            text, condition = self.random.choice(table)
            x, y = (self.random.choice(list(self.values)) for _ in range(2))
            operands = [self.values[x]] + ([self.values[y]] if "{y}" in text else [])
            line = text.format(x=x, y=y)
            name = f"v{len(self.lines)}"
            try:
                if (operands[0].ndim == 0 and table is not BINARY) or (condition and not condition(*operands)):
                    continue
                if table is IN_PLACE:
                    exec(line, {"torch": torch, "F": F}, self.values)  # pylint: disable=exec-used
                    self.lines.append(line)
                else:
                    self.values[name] = eval(line, {"torch": torch, "F": F}, self.values)  # pylint: disable=eval-used
                    self.lines.append(f"{name} = {line}")
            except (RuntimeError, IndexError):
                self.values.pop(name, None)
                continue
            return

    def run(self, wrap):
        scope = {"torch": torch, "F": F}
        exec(self.source, scope)  # pylint: disable=exec-used
        inputs = [x.clone(memory_format=torch.preserve_format) for x in self.inputs]
        return wrap(scope["program"])(*inputs), inputs


def differs(found, expected):
    """What differs; None: nothing. Halves are rounded in each operator, and may be in another order."""
    for f, e in zip(torch.utils._pytree.tree_leaves(found), torch.utils._pytree.tree_leaves(expected), strict=True):
        half = e.dtype in (torch.float16, torch.bfloat16)
        try:
            torch.testing.assert_close(f, e, rtol=2e-2 if half else 1e-4, atol=1e-2 if half else 1e-4, equal_nan=True, check_stride=False)
        except AssertionError as error:
            return str(error)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    left = []
    logging.getLogger("stitch").addFilter(lambda record: left.append(record.getMessage()) and False)
    wrong = 0
    for seed in range(options.seed, options.seed + options.count):
        program = Program(seed)
        torch._dynamo.reset()
        before = len(left)
        try:
            expected = program.run(lambda f: f)
            difference = differs(program.run(lambda f: torch.compile(f, backend="stitch", options={"plan": "astitch"})), expected)
        except Exception as error:  # pylint: disable=broad-except
            difference = f"{type(error).__name__}: {error}"
        wrong += difference is not None
        if options.show or difference:
            print(f"seed {seed}, of {[(list(x.shape), x.stride(), x.dtype) for x in program.inputs]}\n{program.source}{difference or 'right'} {left[before:]}", flush=True)
    print(f"{options.count} programs, {wrong} wrong; operators left to PyTorch: {len(left)}, {sorted(set(left))}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
