# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Discrete Fourier transforms. StableHLO has them along the last dimensions; its inverse ones are divided by the number of elements."""
import math
from collections.abc import Sequence

import torch

from .builder import PARTS, Value, ints
from .table import Context, Left, lowers, normal_dim

_MOST_DIMS = 3  # of one operation


def _transform(c: Context, x: Value, kind: str, lengths: Sequence[int]) -> Value:
    """Along the last dimensions, `lengths` those of the real tensor."""
    shape = list(x.shape)
    dtype = x.dtype
    if kind == "RFFT":
        shape[-1] = lengths[-1] // 2 + 1
        dtype = torch.complex64 if x.dtype is torch.float32 else torch.complex128
    elif kind == "IRFFT":
        shape[-1] = lengths[-1]
        dtype = PARTS[x.dtype]
    attributes = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {ints(lengths)}"
    return c.b.raw("fft", (x,), [(dtype, shape)], attributes)[0]


def _at_end(c: Context, x: Value, dims: Sequence[int], kind: str, lengths: Sequence[int]) -> Value:
    """Along any dimensions, of which there may be many; the last one is that of real numbers."""
    order = [*(d for d in range(x.ndim) if d not in dims), *dims]
    back = [order.index(d) for d in range(x.ndim)]
    return c.b.transpose(_transform(c, c.b.transpose(x, order), kind, lengths), back)


def _complex_transform(c: Context, x: Value, dims: Sequence[int], forward: bool) -> Value:
    for i in range(0, len(dims), _MOST_DIMS):
        some = dims[i:i + _MOST_DIMS]
        x = _at_end(c, x, some, "FFT" if forward else "IFFT", [x.shape[d] for d in some])
    return x


def _scaled(c: Context, x: Value, count: int, normalization: int, is_divided: bool) -> Value:
    """normalization: 0 a sum, 1 divided by the root of the number of elements, 2 by the number."""
    factor = (1.0, 1 / math.sqrt(count), 1 / count)[normalization] * (count if is_divided else 1)
    return x if factor == 1 else c.b.op("multiply", x, c.b.like(factor, x))


def _checked(x: Value, dims: Sequence[int]) -> list[int]:
    real = PARTS.get(x.dtype, x.dtype)
    if real not in PARTS.values():
        raise Left(f"a transform in {x.dtype}")
    if 0 in x.shape:
        raise Left("a transform of nothing")
    return [normal_dim(d, x.ndim) for d in dims]


@lowers("aten._fft_c2c.default")
def c2c(c: Context, x: Value, dims: Sequence[int], normalization: int, forward: bool) -> Value:
    dims = _checked(x, dims)
    return _scaled(c, _complex_transform(c, x, dims, forward), math.prod(x.shape[d] for d in dims), normalization, not forward)


@lowers("aten._fft_r2c.default")
def r2c(c: Context, x: Value, dims: Sequence[int], normalization: int, onesided: bool) -> Value:
    dims = _checked(x, dims)
    if not onesided:
        made = _complex_transform(c, c.b.convert(x, c.dtype), dims, True)
    else:
        made = _complex_transform(c, _at_end(c, x, dims[-1:], "RFFT", [x.shape[dims[-1]]]), dims[:-1], True)
    return _scaled(c, made, math.prod(x.shape[d] for d in dims), normalization, False)


@lowers("aten._fft_c2r.default")
def c2r(c: Context, x: Value, dims: Sequence[int], normalization: int, last_size: int) -> Value:
    dims = _checked(x, dims)
    made = _at_end(c, _complex_transform(c, x, dims[:-1], False), dims[-1:], "IRFFT", [last_size])
    return _scaled(c, made, math.prod(made.shape[d] for d in dims), normalization, True)
