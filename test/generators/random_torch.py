#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of PyTorch's operators through torch.compile(backend="stitch"): views, changes in place, tensors of all types and of rank 0 mixed,
several results, numbers and sizes that change, inputs that are transposed, permuted, strided, expanded, channels_last or share memory, values that are NaN or infinite,
random numbers, gradients. What two calls return and what they make of their arguments is compared with eager PyTorch.

usage: random_torch.py [--seed N] [--count N] [--show]

Prints each program that differs, and how many ran; exit status 1 if any does. A program counts as right, too, if eager PyTorch is as far from itself when each
of its results is rounded otherwise, and is not counted if PyTorch's own way to compiled graphs (the backend aot_eager) has it wrong, too. Needs the environment of tools/setup.sh --torch, PYTHONPATH=python and STITCH_BUILD. --show prints all.
"""
import argparse
import logging
import random
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode

import stitch.torch  # noqa: F401

TYPES = [torch.float32, torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
         torch.complex64, torch.complex128]
SHAPES = [(4, 6), (3, 4), (4,), (), (), (2, 3, 4), (4, 1), (2, 2, 3, 4), (1, 6), (5, 3), (4, 4), (6, 4), (2, 4, 4), (0, 4), (6,), (1,), (3, 1, 2), (4, 2, 3, 3)]
F = torch.nn.functional


def is_number(x):
    return x.dtype is not torch.bool


def is_real(x):
    return not x.is_complex()


def is_real_number(x):
    return is_number(x) and is_real(x)


def is_float(x):
    return x.is_floating_point()


def is_wide(x):
    return x.dtype in (torch.float32, torch.float64)


def is_whole(x):
    return not x.is_floating_point() and not x.is_complex()


def has_elements(x):
    return x.numel() > 0 and is_real(x)


def is_square(x):
    return x.ndim == 2 and x.shape[0] == x.shape[1]


def fits(x, y):
    """Whether y can be put into x by an operator."""
    return torch.can_cast(torch.result_type(x, y), x.dtype) and torch.broadcast_shapes(x.shape, y.shape) == x.shape


def holds(x, y):
    """Whether x holds sums of y: as integers those of floats may be too large, of which PyTorch does not say what they become."""
    return is_real_number(y) and is_number(x) and (is_whole(y) or not is_whole(x))


def are_real(x, y):
    return is_real(x) and is_real(y)


def are_numbers(x, y):
    return is_real_number(x) and is_real_number(y)


def are_whole(x, y):
    return is_whole(x) and is_whole(y)


# What is computed of one tensor, as text and a condition. {n} is a number that changes from call to call, or does not.
UNARY = [
    ("{x}.sin()", None), ("{x}.tanh()", is_real), ("{x}.abs()", is_number), ("-{x}", is_number), ("{x}.sigmoid()", is_real), ("{x} ** 2", is_number),
    ("{x}.relu()", is_real_number), ("{x}.sign()", is_real), ("{x}.float()", is_real), ("{x}.to(torch.bfloat16)", is_real), ("{x}.to(torch.int32)", is_whole),
    ("{x} + 1", None), ("{x} * 0.5", None), ("{x} > 0", is_real), ("{x}.clamp(-1, 2)", lambda x: is_real(x) and x.dtype not in (torch.bool, torch.uint8)),
    ("{x}.logical_not()", None), ("{x}.sum()", None), ("{x}.sum(0)", None), ("{x}.sum(-1, keepdim=True)", None), ("{x}.amax(-1)", has_elements), ("{x}.any(0)", None),
    ("{x}.float().mean()", is_real), ("{x}.float().softmax(-1)", is_real), ("{x}.cumsum(0)", None), ("{x}.argmax(-1)", lambda x: is_number(x) and has_elements(x)),
    ("{x}.sort(-1).values", is_real), ("{x}.t()", lambda x: x.ndim == 2), ("{x}.transpose(0, -1)", None), ("{x}.reshape(-1)", None), ("{x}.flip(0)", None),
    ("{x}.unsqueeze(0)", lambda x: x.ndim < 4), ("{x}.squeeze()", None), ("{x}[0]", lambda x: x.ndim > 1 and x.shape[0]), ("{x}[..., 1:]", lambda x: x.ndim > 1),
    ("{x}[::2]", None), ("{x}.expand(2, *{x}.shape)", lambda x: x.ndim < 4), ("{x}.roll(1, 0)", None),
    ("{x}.repeat(2, *[1] * ({x}.ndim - 1))", lambda x: x.numel() < 200), ("{x}.contiguous()", None), ("{x}.tril()", lambda x: x.ndim == 2),
    ("{x}.as_strided((2, 2), (1, 2))", lambda x: x.numel() >= 4 and x.is_contiguous() and x.untyped_storage().nbytes() >= 4 * x.itemsize),
    ("torch.where({x} > 0, {x}, 0)", is_real_number), ("F.gelu({x}.float())", is_real), ("{x}.var(0)", lambda x: is_float(x) and x.shape[0] > 1),
    ("{x}.diagonal()", lambda x: x.ndim == 2), ("{x}.index_select(0, torch.tensor([0, 0]))", lambda x: x.shape[0]), ("{x}[torch.tensor([0, -1])]", lambda x: x.shape[0]),
    ("{x}.float().log1p()", is_real), ("{x}.to(torch.float64).exp()", is_real), ("{x}.remainder(3)", is_real_number), ("{x}.fmod(3)", is_real_number),
    ("{x}.div(3, rounding_mode='floor')", is_real_number), ("{x}.div(2, rounding_mode='trunc')", is_real_number), ("{x}.bitwise_not()", is_whole),
    ("{x} * {n}", None), ("{x} + {n} / 2", None), ("{x} - {n}", is_number), ("{x}.clamp(max={n})", is_real_number), ("{x} < {n}", is_real), ("{n} - {x}", is_number),
    ("{x} ** 3", is_number), ("{x} ** 0.5", is_real_number), ("2 ** {x}.clamp(0, 3)", lambda x: is_real_number(x) and x.dtype is not torch.uint8), ("{x}.cumprod(-1)", None),
    ("{x}.prod(0)", None), ("{x}.prod()", None), ("{x}.cummax(0).values", has_elements), ("{x}.cummin(0).indices", has_elements), ("{x}.logcumsumexp(0)", is_float),
    ("{x}.logsumexp(0)", is_float), ("{x}.std(-1)", lambda x: is_float(x) and x.shape[-1] > 1), ("{x}.norm()", is_float), ("{x}.median()", has_elements),
    ("{x}.max(0).indices", lambda x: is_number(x) and has_elements(x)), ("{x}.min(-1).values", has_elements), ("{x}.aminmax().max", has_elements), ("{x}.all(-1)", None),
    ("{x}.topk(2).values", lambda x: is_number(x) and is_real(x) and x.shape[-1] > 1), ("{x}.argsort(-1, stable=True)", is_real), ("{x}.unbind(0)[-1]", lambda x: x.shape[0]),
    ("{x}.chunk(2, -1)[0]", None), ("{x}.movedim(0, -1)", None), ("{x}.narrow(0, 1, 2)", lambda x: x.shape[0] > 2), ("{x}.unfold(-1, 2, 1)", lambda x: 1 < x.shape[-1] < 9 and x.ndim < 4),
    ("F.pad({x}, (1, 2), value=1)", None), ("F.pad({x}, (-1, 1))", lambda x: x.shape[-1] > 1), ("{x}.triu(1)", lambda x: x.ndim == 2), ("{x}.trace()", is_square),
    ("{x}.masked_fill({x} > 1, 0)", is_real_number), ("{x}.nan_to_num()", is_real), ("{x}.isnan()", None), ("{x}.isfinite()", None), ("{x}.round()", is_float), ("{x}.floor()", is_real_number),
    ("{x}.view(torch.uint8)", lambda x: is_real_number(x) and x.is_contiguous() and x.ndim < 4 and x.numel() < 100), ("{x}.real + {x}.imag", lambda x: x.is_complex()),
    ("{x}.conj() * 2", lambda x: x.is_complex()), ("{x}.angle()", lambda x: x.is_complex()), ("torch.complex({x}, {x} + 1)", lambda x: x.dtype in (torch.float32, torch.float64)),
    ("{x}.gather(0, torch.zeros_like({x}, dtype=torch.int64))", lambda x: x.shape[0]), ("{x}.take(torch.tensor([0, -1]))", lambda x: x.numel()), ("{x}[..., None, 0]", lambda x: x.shape[-1]),
    ("{x}[:, torch.tensor([0, 1])]", lambda x: x.ndim > 1 and x.shape[1] > 1), ("{x}[torch.tensor([[0], [1]]), torch.tensor([0, 1])]", lambda x: x.ndim > 1 and min(x.shape[:2]) > 1),
    ("F.layer_norm({x}, {x}.shape[-1:])", lambda x: is_float(x) and x.shape[-1] > 1), ("F.log_softmax({x}, 0)", is_float), ("F.softplus({x})", is_float), ("F.silu({x})", is_float),
    ("F.avg_pool1d({x}, 2)", lambda x: is_float(x) and x.ndim == 3), ("F.max_pool2d({x}, 2, 1)", lambda x: is_float(x) and x.ndim == 4 and min(x.shape[-2:]) > 1),
    ("F.interpolate({x}, scale_factor=2)", lambda x: is_float(x) and x.ndim in (3, 4) and 0 < x.numel() < 200), ("F.one_hot({x}.abs().remainder(4).long(), 4)", lambda x: is_whole(x) and is_number(x)),
    ("torch.bucketize({x}, torch.tensor([-1, 0, 1]))", is_real_number), ("{x}.diff(dim=-1)", None), ("{x}.reshape({x}.shape[::-1])", None), ("torch.full_like({x}, 2)", None),
    ("{x}.new_ones(3) + {x}.sum()", is_number), ("{x}.t() @ {x}", lambda x: x.ndim == 2 and is_float(x)), ("{x}.long()", is_whole), ("{x}.half()", is_real), ("{x}.bool()", None),
    ("{x}.to(torch.uint8)", is_whole), ("{x}.logical_or({x} == 1)", None), ("{x}.tile(2)", lambda x: x.numel() < 100), ("{x}.repeat_interleave(2, 0)", lambda x: x.numel() < 100),
    ("torch.atleast_2d({x})", None), ("{x}.swapaxes(0, -1)[..., 0]", lambda x: x.shape[0]), ("{x}.flatten().dot({x}.flatten())", lambda x: is_float(x)), ("{x}.count_nonzero(0)", None),
    ("{x}.erf()", is_real), ("{x}.rsqrt()", is_float), ("{x}.expm1()", is_real), ("{x}.atan()", is_real), ("{x}.frac()", is_float), ("F.hardtanh({x})", is_float), ("F.leaky_relu({x})", is_float),
    ("torch.fft.rfft({x}, n=6).abs()", is_wide), ("torch.fft.fft({x}, norm='ortho').real", lambda x: is_wide(x) or x.is_complex()), ("torch.fft.irfft({x}, n=5)", is_wide),
    ("F.adaptive_avg_pool1d({x}, 3)", lambda x: is_float(x) and x.ndim == 3), ("F.adaptive_max_pool2d({x}, (2, 3))", lambda x: is_float(x) and x.ndim == 4), ("torch.frexp({x}).exponent", lambda x: is_float(x)),
    ("torch.nonzero_static({x}, size=3)", lambda x: x.ndim > 0), ("{x}.round(decimals=1)", is_wide), ("{x}.i0()", lambda x: is_wide(x)), ("{x}.digamma()", is_wide), ("{x}.isinf()", None), ("{x}.exp2()", is_wide),
    ("F.pad({x}, (1, 1), mode='replicate')", lambda x: is_float(x) and x.ndim in (2, 3)), ("{x} ** 1.5", lambda x: x.is_complex()), ("{x}.var()", lambda x: x.is_complex() and x.numel() > 1), ("{x} > -1", is_real_number),
    ("torch.cdist({x}, {x}.flip(0))", lambda x: is_wide(x) and x.ndim == 2 and x.shape[0]), ("{x}[1:].as_strided((2, 2), (1, 1), 1) * 1", lambda x: x.ndim and x.shape[0] > 1 and x.is_contiguous() and x.numel() >= 4),
]
BINARY = [
    ("torch.searchsorted({x}.sort(-1).values, {y})", lambda x, y: x.dtype == y.dtype and is_real_number(x) and x.ndim == 1), ("F.bilinear({x}, {y}, torch.ones(2, {x}.shape[-1], {y}.shape[-1]))",
                                                                                                                             lambda x, y: x.dtype == y.dtype == torch.float32 and x.ndim == y.ndim == 2 and x.shape[0] == y.shape[0]),
    ("{x}.index_reduce(0, torch.zeros({y}.shape[0], dtype=torch.int64), {y}, 'amax')", lambda x, y: x.dtype == y.dtype and is_real_number(x) and x.shape[1:] == y.shape[1:] and x.shape[0] and y.ndim),
    ("torch.linalg.inv({x} + 9 * torch.eye({x}.shape[0])) @ {x}.t().as_strided({x}.shape, {x}.stride())", lambda x, y: is_square(x) and x.dtype == torch.float32 and x.is_contiguous()),
    ("{x} + {y}", None), ("{x} * {y}", None), ("{x} - {y}", lambda x, y: is_number(x) and is_number(y)), ("torch.maximum({x}, {y})", are_real), ("{x} == {y}", None),
    ("{x} < {y}", are_real), ("{x}.float() / ({y}.abs() + 1)", are_numbers), ("torch.where({x} > 0, {x}, {y})", are_real), ("torch.logical_and({x}, {y})", None),
    ("torch.stack([{x}, {y}])", lambda x, y: x.shape == y.shape and x.ndim < 4), ("torch.cat([{x}, {y}])", lambda x, y: x.ndim == y.ndim and x.shape[1:] == y.shape[1:]),
    ("torch.fmin({x}, {y})", are_real), ("torch.remainder({x}, {y}.abs() + 1)", are_numbers), ("{x} // ({y}.abs() + 1)", are_numbers), ("torch.fmod({x}, {y}.abs() + 1)", are_numbers),
    ("{x} & {y}", are_whole), ("{x} ^ {y}", are_whole), ("{x} << ({y} & 3)", lambda x, y: are_whole(x, y) and are_numbers(x, y)), ("{x} >> ({y} & 3)", lambda x, y: are_whole(x, y) and are_numbers(x, y)),
    ("{x} @ {y}", lambda x, y: x.dtype == y.dtype and is_float(x) and x.ndim and y.ndim), ("torch.outer({x}, {y})", lambda x, y: x.ndim == y.ndim == 1),
    ("torch.add({x}, {y}, alpha=2)", None), ("torch.lerp({x}, {y}, 0.25)", lambda x, y: is_float(x) and x.dtype == y.dtype), ("torch.addcmul({x}, {x}, {y}, value=2)", lambda x, y: is_float(x) and x.dtype == y.dtype),
    ("torch.atan2({x}, {y})", are_real), ("torch.hypot({x}, {y})", lambda x, y: is_float(x) and x.dtype == y.dtype), ("torch.copysign({x}, {y})", are_real), ("{x}.masked_fill({y} > 0, 1)", are_real),
    ("F.mse_loss({x}, {y})", lambda x, y: is_float(x) and x.shape == y.shape), ("torch.einsum('ij,kj->ik', {x}, {y})", lambda x, y: x.ndim == y.ndim == 2 and x.dtype == y.dtype and is_float(x)),
    ("{x}.clamp({y}, None)", are_numbers), ("torch.true_divide({x}, {y}.abs() + 1)", are_numbers), ("{x}.view_as({y})", None), ("{x}.expand_as({y})", None), ("torch.isclose({x}, {y})", lambda x, y: x.dtype == y.dtype),
    ("F.linear({x}, {y})", lambda x, y: x.dtype == y.dtype and is_float(x) and y.ndim == 2), ("torch.cat([{x}.flatten(), {y}.flatten()])", None), ("({x} * 1.5).to({y}.dtype)", lambda x, y: is_real(x) and is_float(y)),
    ("torch.nn.functional.conv1d({x}, {y}, padding=1)", lambda x, y: x.ndim == y.ndim == 3 and x.shape[1] == y.shape[1] and is_float(x) and x.dtype == y.dtype),
]
IN_PLACE = [
    ("{x}.add_(1)", is_number), ("{x}.mul_({y})", fits), ("{x}[0] = 1", lambda x: x.ndim > 0 and x.shape[0]), ("{x}[..., :1].zero_()", None), ("{x}.copy_({y})", lambda x, y: x.shape == y.shape and (is_real(y) or x.is_complex())),
    ("{x}[1:] = {y}[1:]", lambda x, y: x.shape == y.shape and (is_real(y) or x.is_complex())), ("{x}.clamp_(min=0)", is_real_number), ("{x}.fill_(2)", None), ("{x}.t().add_(1)", lambda x: x.ndim == 2 and is_number(x)),
    ("{x}.sub_({y})", lambda x, y: is_number(x) and is_number(y) and fits(x, y)), ("{x}[torch.tensor([0, 0])] = 3", lambda x: x.shape[0]), ("{x}[torch.tensor([0, -1])] += 1", lambda x: is_number(x) and x.shape[0] > 1),
    ("{x}.index_add_(0, torch.tensor([0, 0]), {x}[:1].repeat(2, *[1] * ({x}.ndim - 1)))", lambda x: is_number(x) and x.shape[0]), ("{x}.index_fill_(-1, torch.tensor([0]), 2)", lambda x: x.shape[-1]),
    ("{x}.index_copy_(0, torch.tensor([1]), {x}[:1] + 1)", lambda x: is_number(x) and x.shape[0] > 1), ("{x}.masked_fill_({y} > 0, 1)", lambda x, y: is_real(y) and torch.broadcast_shapes(x.shape, y.shape) == x.shape),
    ("{x}[{x} > 0] = 0", is_real_number), ("{x}[..., torch.arange({x}.shape[-1]) > 1] = {n}", lambda x: x.shape[-1] and is_number(x)), ("{x}[{x}[..., 0] > 0] = {x}[0] + 1", lambda x: x.ndim > 1 and x.shape[0] and x.shape[-1] and is_real_number(x)), ("{x}[..., -1] = {n}", lambda x: x.shape[-1] and is_number(x)), ("{x}.view(-1)[1::2].mul_(2)", lambda x: x.is_contiguous() and is_number(x)), ("{x}.transpose(0, -1)[:1].add_(1)", is_number),
    ("{x}.scatter_(0, torch.zeros_like({x}, dtype=torch.int64)[:1], {x}[-1:].clone())", lambda x: x.shape[0]), ("{x}.scatter_add_(-1, torch.zeros_like({x}, dtype=torch.int64), {x}.clone())", lambda x: is_number(x) and x.shape[-1]),
    ("{x}.diagonal().fill_(1)", lambda x: x.ndim == 2), ("{x}.relu_()", is_real_number), ("{x}.t_()", lambda x: x.ndim == 2), ("{x}.unsqueeze_(0)", lambda x: x.ndim < 4), ("{x}.squeeze_()", None), ("{x}.add_({x}.t())", lambda x: is_square(x) and is_number(x)),
    ("{x}[:, 1:].sub_({x}[:, :1])", lambda x: x.ndim > 1 and is_number(x)), ("{x}.div_(2)", is_float), ("{x}.pow_(2)", is_number), ("{x}.neg_()", is_number), ("{x}.tril_()", lambda x: x.ndim == 2), ("{x}.cumsum_(0)", is_number),
    ("{x}[::2, 0] = {y}.sum()", lambda x, y: x.ndim > 1 and x.shape[1] and holds(x, y)), ("{x}.flatten()[:1].add_(1)", is_number), ("{x}.put_(torch.tensor([0]), {x}.flatten()[-1:])", lambda x: x.numel()),
    ("{x}.bitwise_and_({y})", lambda x, y: are_whole(x, y) and fits(x, y)), ("{x}.logical_xor_({y})", lambda x, y: fits(x, y)), ("torch.add({x}, 1, out={x})", is_number), ("{x}.lerp_({y}, 0.5)", lambda x, y: is_float(x) and x.dtype == y.dtype and fits(x, y)),
    ("{x}.addcmul_({y}, {y})", lambda x, y: is_float(x) and x.dtype == y.dtype and fits(x, y)), ("{x}.select(0, -1).copy_({y}.sum())", lambda x, y: x.shape[0] and holds(x, y)), ("{x}.narrow(-1, 0, 1).mul_({n})", lambda x: is_number(x) and x.shape[-1]),
    ("{x}.as_strided((2,), (1,), 1).add_(1)", lambda x: x.numel() >= 4 and x.is_contiguous() and is_number(x) and x.storage_offset() == 0), ("{x}.real.mul_(2)", lambda x: x.is_complex()),
]


# Views, of which changes in place are changes of what they are views of: more often than by UNARY.
VIEWS = [
    ("{x}.t()", lambda x: x.ndim == 2), ("{x}.transpose(0, -1)", None), ("{x}[1:]", lambda x: x.ndim), ("{x}[..., ::2]", lambda x: x.ndim), ("{x}[-1]", lambda x: x.ndim and x.shape[0]),
    ("{x}.view(-1)", lambda x: x.is_contiguous()), ("{x}.unsqueeze(-1)", lambda x: x.ndim < 4), ("{x}.squeeze(0)", lambda x: x.ndim), ("{x}.permute(2, 0, 1)", lambda x: x.ndim == 3), ("{x}.permute(3, 1, 0, 2)", lambda x: x.ndim == 4),
    ("{x}.diagonal(0, -2, -1)", lambda x: x.ndim > 1), ("{x}.select(-1, 0)", lambda x: x.ndim and x.shape[-1]), ("{x}.narrow(0, 0, 1)", lambda x: x.ndim and x.shape[0]), ("{x}.detach()", None),
    ("{x}.unflatten(0, (2, -1))", lambda x: 0 < x.ndim < 4 and x.shape[0] and x.shape[0] % 2 == 0), ("{x}.flatten(0, 1)", lambda x: x.ndim > 1), ("{x}.expand(2, *{x}.shape)", lambda x: x.ndim < 4), ("{x}[None]", lambda x: x.ndim < 4),
    ("{x}.unfold(0, 2, 2)", lambda x: 0 < x.ndim < 4 and x.shape[0] > 1), ("{x}.real", lambda x: x.is_complex()), ("{x}.imag", lambda x: x.is_complex()), ("{x}.conj()", lambda x: x.is_complex()), ("torch.view_as_real({x})", lambda x: x.is_complex() and x.ndim < 4 and not x.is_conj()),
    ("{x}.movedim(0, -1)", lambda x: x.ndim > 1), ("{x}[:{n}]", lambda x: x.ndim), ("{x}.view_as({x})", None), ("{x}.split(2)[0]", lambda x: x.ndim), ("{x}.mT", lambda x: x.ndim > 1), ("{x}.view(torch.int32)", lambda x: x.dtype is torch.float32 and x.is_contiguous()),
    ("{x}.as_strided({x}.shape, {x}.stride(), {x}.storage_offset())", None), ("torch.ops.aten.alias({x})", None), ("{x}.tensor_split(2)[-1]", lambda x: x.ndim),
]
# Several results, of which two are taken.
PAIRS = [
    ("{x}.sort(-1, stable=True)", is_real), ("{x}.max(-1)", lambda x: is_number(x) and has_elements(x)), ("{x}.min(0)", lambda x: is_number(x) and has_elements(x)), ("{x}.chunk(2)[0], {x}.chunk(2)[-1]", lambda x: x.ndim),
    ("{x}.unbind(0)[0], {x}.unbind(0)[-1]", lambda x: x.ndim and x.shape[0]), ("torch.var_mean({x}, 0)", lambda x: is_float(x) and x.ndim and x.shape[0] > 1), ("torch.aminmax({x}, dim=0)", lambda x: has_elements(x) and x.ndim), ("torch.frexp({x})", is_float),
    ("{x}.cummax(-1)", has_elements), ("{x}.median(-1)", has_elements), ("torch.std_mean({x})", lambda x: is_float(x) and x.numel() > 1), ("torch.meshgrid({x}, {y}, indexing='ij')", lambda x, y: x.ndim == y.ndim == 1 and x.dtype == y.dtype),
    ("torch.broadcast_tensors({x}, {y})", None), ("torch.split({x}, [1, {x}.shape[0] - 1])", lambda x: x.ndim and x.shape[0] > 1), ("torch.atleast_1d({x}, {y})", None), ("{x}.topk(1).values, {x}.mean()", lambda x: is_float(x) and x.ndim and x.shape[-1]),
    ("{x}, {x}.clone()", None), ("F.max_pool1d({x}, 2, return_indices=True)", lambda x: is_float(x) and x.ndim == 3 and x.shape[-1] > 1), ("torch.unbind(torch.stack([{x}, {y}]))", lambda x, y: x.shape == y.shape and x.dtype == y.dtype),
]
TERNARY = [
    ("torch.where({z} > 0, {x}, {y})", lambda x, y, z: is_real(z)), ("torch.addcmul({z}, {x}, {y}, value={n})", lambda x, y, z: is_float(z) and x.dtype == y.dtype == z.dtype), ("torch.addcdiv({z}, {x}, {y}.abs() + 1)", lambda x, y, z: is_float(z) and x.dtype == y.dtype == z.dtype),
    ("torch.addmm({z}, {x}, {y}, beta=0.5)", lambda x, y, z: x.dtype == y.dtype == z.dtype and is_float(x)), ("{x}.clamp({y}, {z})", lambda x, y, z: is_real_number(x) and is_real_number(y) and is_real_number(z)), ("torch.cat([{x}, {y}, {z}], -1)", None),
    ("torch.lerp({x}, {y}, {z})", lambda x, y, z: x.dtype == y.dtype == z.dtype and is_float(x)), ("{x}.index_put((torch.tensor([0, 0]),), {y}, accumulate=True)", lambda x, y, z: x.dtype == y.dtype and is_number(x) and x.ndim and x.shape[0]),
    ("{x}.masked_scatter({z} > 0, {y})", lambda x, y, z: is_real(z) and x.dtype == y.dtype and y.numel() >= x.numel() and z.shape == x.shape), ("{x}.slice_scatter({y}[:1], 0, 1, 2)", lambda x, y, z: x.dtype == y.dtype and x.shape == y.shape and x.ndim and x.shape[0] > 1),
    ("{x}.select_scatter({y}.sum().to({x}.dtype).expand({x}[0].shape), 0, 0)", lambda x, y, z: x.ndim and x.shape[0] and holds(x, y)), ("{x} + {y} * {z}", None), ("({x} > {y}) | ({z} == {x})", lambda x, y, z: is_real(x) and is_real(y)), ("torch.stack([{x}, {y}, {z}], -1)", lambda x, y, z: x.ndim < 4),
    ("F.layer_norm({x}.float(), {x}.shape[-1:], {y}, {z})", lambda x, y, z: is_real(x) and x.ndim and x.shape[-1] > 1 and y.dtype == z.dtype == torch.float32 and y.shape == z.shape == x.shape[-1:]),
]
MORE_IN_PLACE = [
    ("{x} += {y}", lambda x, y: is_number(x) and fits(x, y)), ("{x}[1:] *= {n}", lambda x: x.ndim and is_number(x) and (is_float(x) or x.is_complex())), ("{x}.add_({y}, alpha=2)", lambda x, y: is_number(x) and fits(x, y)), ("{x}[...] = {y}", lambda x, y: x.shape == y.shape and (is_real(y) or x.is_complex()) and (is_whole(y) or not is_whole(x))),
    ("{x}.copy_({x}.flip(0))", lambda x: x.ndim), ("{x}.index_put_((torch.tensor([0, 0]),), {x}[:1], accumulate=True)", lambda x: x.ndim and is_number(x) and x.shape[0]), ("{x}.zero_()", None), ("{x}.masked_fill_({x} == 2, 1)", None), ("{x}.sigmoid_()", is_float), ("{x}.swapaxes_(0, -1)", lambda x: x.ndim > 1),
    ("torch.mul({y}, 2, out={x})", lambda x, y: x.shape == y.shape and x.dtype == y.dtype and is_number(x)), ("{x}.sub_({x}.mean())", is_float), ("{x}.clamp_(-1, 1)", lambda x: is_real_number(x) and x.dtype is not torch.uint8), ("{x}.fill_diagonal_(3)", lambda x: x.ndim == 2 and min(x.shape) > 0),
    ("{x}.view(-1)[:2].copy_({x}.view(-1)[-2:].clone())", lambda x: x.is_contiguous() and x.numel() > 3), ("{x}.index_add_(-1, torch.tensor([0]), {y}[..., :1])", lambda x, y: x.ndim and x.dtype == y.dtype and x.shape == y.shape and x.shape[-1] and is_number(x)), ("torch._foreach_add_([{x}, {y}], 1)", lambda x, y: is_number(x) and is_number(y) and x.untyped_storage().data_ptr() != y.untyped_storage().data_ptr()),
    ("torch._foreach_mul_([{x}], [{y}])", lambda x, y: is_float(x) and x.dtype == y.dtype and x.shape == y.shape), ("{x}.addcdiv_({y}, {y}.abs() + 1)", lambda x, y: is_float(x) and x.dtype == y.dtype and fits(x, y)), ("{x}.bernoulli_(0.5)", is_float), ("{x}.uniform_()", is_wide),
]
RANDOM = [("torch.rand_like({x})", is_wide), ("F.dropout({x}, 0.5)", is_float), ("torch.randint_like({x}, 5)", lambda x: is_whole(x) and is_number(x)), ("{x} + torch.randn({x}.shape[-1])", lambda x: x.ndim and is_float(x))]
# How often a line is of a table.
TABLES = [(UNARY, 34), (VIEWS, 18), (BINARY, 18), (IN_PLACE, 18), (MORE_IN_PLACE, 14), (PAIRS, 7), (TERNARY, 8), (RANDOM, 1)]


class Program:
    """Lines of a function, found by running each in eager PyTorch first."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        torch.manual_seed(seed)
        self.has_gradients = self.random.random() < 0.25
        self.inputs = [self._input() for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.15 and not self.has_gradients:
            self.inputs.append(self._shared(self.inputs[0]))
        self.number = self.random.choice([2, 3, 1.5])
        names = [f"a{i}" for i in range(len(self.inputs))]
        self.values, self.lines = dict(zip(names, self._fresh(), strict=True)), []
        if self.has_gradients:
            for name in names:
                self.lines.append(f"{name} = {name} * 1")
                self.values[name] = self.values[name] * 1
        self.scope = {"torch": torch, "F": F, "n": self.number}
        for _ in range(self.random.randint(2, 14)):
            self._line()
        kept = [n for n in self.values if n not in names or self.has_gradients or self.random.random() < 0.2]
        self.returned = self.random.sample(kept, min(len(kept), 4))
        self.grown = None
        if len({x.untyped_storage().data_ptr() for x in self.inputs}) == len(self.inputs) and self.random.random() < 0.2:
            self.grown = self.random.choice([s for x in self.inputs for s in x.shape if s > 1] or [None])
        self.source = f"def program({', '.join([*names, 'n'])}):\n" + "".join(f"    {line}\n" for line in self.lines) + f"    return ({''.join(r + ', ' for r in self.returned)})\n"

    def _input(self):
        r = self.random
        dtype, shape = r.choice(TYPES[:5] if self.has_gradients else TYPES), r.choice(SHAPES)
        x = torch.randint(0, 255, shape, dtype=dtype) if dtype is torch.uint8 else torch.randn(shape, dtype=dtype if dtype.is_complex else None).mul(3).to(dtype)
        if dtype in (torch.int8, torch.int16) and r.random() < 0.5:
            x = torch.randint(torch.iinfo(dtype).min, torch.iinfo(dtype).max, shape, dtype=dtype)
        if x.is_floating_point() and x.numel() > 1 and not self.has_gradients and r.random() < 0.2:
            x.view(-1)[r.randrange(x.numel())] = r.choice([float("nan"), float("inf"), -float("inf"), -0.0])
        how = r.randrange(10)
        if how == 0 and x.ndim == 2:
            return x.t()
        if how == 1 and x.ndim > 1:
            return x[..., ::2]
        if how == 2 and x.ndim == 4:
            return x.to(memory_format=torch.channels_last)
        if how == 3 and x.ndim == 1:
            return x[1:]
        if how == 4 and x.ndim == 2 and x.is_complex():
            return x.conj()
        if how == 5 and x.ndim > 2:
            return x.permute(1, *range(2, x.ndim), 0)
        if how == 6 and x.ndim and not self.has_gradients:
            return x[:1].expand_as(x)
        if how == 7 and x.ndim > 1:
            return x[1:, 1:]
        if how == 8 and x.ndim > 1:
            return x.select(r.choice([0, -1]), 0) if 0 not in x.shape else x
        return x

    def _shared(self, x):
        """Another tensor in the memory of one."""
        views = [lambda: x.t(), lambda: x.select(1, 0), lambda: x[:1], lambda: x[1:], lambda: x[::2], lambda: x]
        return self.random.choice(views[0 if x.ndim == 2 and x.shape[1] else 2 if x.ndim and x.shape[0] > 1 else 5:])()

    def _fresh(self, scale=1):
        """The inputs, in memory of their own, shared as those are. `scale`: other values."""
        made = {}
        for x in self.inputs:
            storage = x.untyped_storage()
            if storage.data_ptr() not in made:
                whole = torch.empty(0, dtype=x.dtype).set_(storage).clone()
                made[storage.data_ptr()] = (whole if scale == 1 or x.dtype is torch.bool else whole.mul_(scale)).untyped_storage()
        fresh = []
        for x in self.inputs:
            view = torch.empty(0, dtype=x.dtype).set_(made[x.untyped_storage().data_ptr()], x.storage_offset(), x.shape, x.stride())
            view = view.conj() if x.is_conj() else view
            fresh.append(view.requires_grad_(True) if self.has_gradients and view.is_floating_point() else view)
        return fresh

    def _grown(self, inputs):
        """The inputs of a call with another size: those of one size have one element more, the first one again."""
        larger = []
        for x in inputs:
            gradient, x = x.requires_grad, x.detach()
            for d in [d for d, size in enumerate(x.shape) if size == self.grown]:
                x = torch.cat([x, x.narrow(d, 0, 1)], d)
            larger.append(x.clone().requires_grad_(gradient))
        return larger

    def _line(self):
        for _ in range(20):
            table = self.random.choices([t for t, _ in TABLES], [often for _, often in TABLES])[0]
            text, condition = self.random.choice(table)
            names = list(self.values)
            x, y, z = (self.random.choice(names if self.random.random() < 0.6 else names[-3:]) for _ in range(3))
            operands = [self.values[x]] + [self.values[v] for v, key in ((y, "{y}"), (z, "{z}")) if table is TERNARY or key in text]
            line = text.format(x=x, y=y, z=z, n="n")
            made = [f"v{len(self.lines)}"] if table not in (IN_PLACE, MORE_IN_PLACE) else []
            made += [f"w{len(self.lines)}"] if table is PAIRS else []
            try:
                if condition and not condition(*operands):
                    continue
                line = f"{', '.join(made)} = {line}" if made else line
                exec(line, self.scope, self.values)  # pylint: disable=exec-used
                if any(self.values[name].numel() > 2000 for name in made):
                    raise ValueError("too large")
                self.lines.append(line)
            except (RuntimeError, IndexError, TypeError, NotImplementedError, ValueError, AttributeError):
                for name in made:
                    self.values.pop(name, None)
                continue
            return

    def run(self, wrap):
        """What two calls, with other values, return and make of their arguments."""
        scope = {"torch": torch, "F": F}
        exec(self.source, scope)  # pylint: disable=exec-used
        function, found = wrap(scope["program"]), []
        for scale, number in ((1, self.number), (2, self.number + 1)):
            inputs = self._fresh(scale)
            inputs = self._grown(inputs) if scale > 1 and self.grown else inputs
            torch.manual_seed(7)
            results = function(*inputs, number)
            found += [results, inputs]
            if self.has_gradients:
                given = [r for r in results if r.requires_grad]
                wanted = [x for x in inputs if x.requires_grad]
                if given and wanted:
                    loss = sum((r.abs() if r.is_complex() else r).double().mul(0.5).sum() for r in given)
                    found.append(torch.autograd.grad(loss, wanted, allow_unused=True))
        return [t.detach() for t in torch.utils._pytree.tree_leaves(found) if isinstance(t, torch.Tensor)]


_ROUNDINGS = torch.Generator()


class Roundings(TorchDispatchMode):
    """Each result that is no view, rounded otherwise."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if any(a.alias_info for a in function._schema.arguments):
            return result

        def rounded(x):
            if not isinstance(x, torch.Tensor) or not x.is_floating_point():
                return x
            size = torch.finfo(x.dtype).eps * (1 if x.itemsize < 4 else 4)
            return torch.where(x.isfinite() & ((x != x.round()) | (x.abs() > 2**16)), x + x * size * (2 * torch.rand(x.shape, dtype=torch.float32, generator=_ROUNDINGS) - 1).to(x.dtype), x)

        return torch.utils._pytree.tree_map(rounded, result)


def differs(found, expected):
    """What differs; None: nothing. Halves are rounded in each operator, and may be in another order."""
    for f, e in zip(found, expected, strict=True):
        half = e.dtype in (torch.float16, torch.bfloat16)
        try:
            torch.testing.assert_close(f, e, rtol=2e-2 if half else 1e-4, atol=1e-2 if half else 1e-4, equal_nan=True, check_stride=False)
        except AssertionError as error:
            return str(error)
    return None


def compared(program, expected, **how):
    """What differs if the program is compiled."""
    torch._dynamo.reset()
    try:
        return differs(program.run(lambda f: torch.compile(f, **how)), expected)
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}"


def is_ill_conditioned(program, expected):
    """Whether other roundings make eager PyTorch differ."""
    for _ in range(4):
        with Roundings():
            if differs(program.run(lambda f: f), expected):
                return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    left = []
    logging.getLogger("stitch").addFilter(lambda record: left.append(record.getMessage()) and False)
    wrong, counts = 0, {"run": 0, "not of eager PyTorch either": 0, "ill-conditioned": 0, "wrong in PyTorch itself": 0}
    for seed in range(options.seed, options.seed + options.count):
        program = Program(seed)
        before = len(left)
        try:
            expected = program.run(lambda f: f)
        except (RuntimeError, IndexError, ValueError, TypeError):  # a gradient that needs what has been changed; an operator that does not take the other size or number
            counts["not of eager PyTorch either"] += 1
            continue
        difference = compared(program, expected, backend="stitch", options={"plan": "astitch"})
        if difference and is_ill_conditioned(program, expected):
            difference = None
            counts["ill-conditioned"] += 1
        elif difference and compared(program, expected, backend="aot_eager"):
            difference = None
            counts["wrong in PyTorch itself"] += 1
        counts["run"] += 1
        wrong += difference is not None
        if options.show or difference:
            print(f"seed {seed}, of {[(list(x.shape), x.stride(), x.dtype) for x in program.inputs]}\n{program.source}{difference or 'right'} {left[before:]}", flush=True)
    print(f"{options.count} programs, {wrong} wrong, {', '.join(f'{n} {what}' for what, n in counts.items())}; operators left to PyTorch: {len(left)}, {sorted(set(left))}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
