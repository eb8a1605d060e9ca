# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products, convolutions, and their gradients."""
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Value
from .table import Context, Left, fit_dims, lowers, wide

# ----------------------------------------------------------------------------------------------------------------------
# Matrix products
# ----------------------------------------------------------------------------------------------------------------------


def _dot(c: Context, x: Value, y: Value, contract: tuple[Sequence[int], Sequence[int]], batch: tuple[Sequence[int], Sequence[int]] = ((), ())) -> Value:
    if x.dtype is not y.dtype or x.dtype is torch.bool or (x.dtype.is_floating_point and x.dtype.itemsize == 1):
        raise Left(f"a product in {x.dtype} and {y.dtype}")
    return c.b.dot(x, y, contract, batch)


@lowers("aten.mm.default")
def mm(c: Context, x: Value, y: Value) -> Value:
    return _dot(c, x, y, ([1], [0]))


@lowers("aten.bmm.default")
def bmm(c: Context, x: Value, y: Value) -> Value:
    return _dot(c, x, y, ([2], [1]), ([0], [0]))


@lowers("aten.mv.default")
def mv(c: Context, x: Value, y: Value) -> Value:
    return _dot(c, x, y, ([1], [0]))


@lowers("aten.dot.default")
def dot(c: Context, x: Value, y: Value) -> Value:
    return _dot(c, x, y, ([0], [0]))


def _added(c: Context, x: Value, product: Value, beta: Any, alpha: Any) -> Value:
    """beta * x + alpha * product, rounded once; nothing of x if beta is 0."""
    dtype = wide(c.dtype)

    def scaled(value: Value, factor: Any) -> Value:
        value = c.operand(value, dtype)
        return value if factor == 1 else c.b.op("multiply", value, c.b.like(factor, value))

    if not c.dtype.is_floating_point and not c.dtype.is_complex and any(isinstance(f, float) and not f.is_integer() for f in (beta, alpha)):
        raise Left("a fraction of integers")
    result = scaled(product, alpha)
    return c.b.convert(result if beta == 0 else c.b.op("add", scaled(x, beta), result), c.dtype)


@lowers("aten.addmm.default")
def addmm(c: Context, x: Value, y: Value, z: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _added(c, x, mm(c, y, z), beta, alpha)


@lowers("aten.baddbmm.default")
def baddbmm(c: Context, x: Value, y: Value, z: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _added(c, x, bmm(c, y, z), beta, alpha)


@lowers("aten.addbmm.default")
def addbmm(c: Context, x: Value, y: Value, z: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    """With the sum of all products."""
    return _added(c, x, _dot(c, y, z, ([0, 2], [0, 1])), beta, alpha)


@lowers("aten.addmv.default")
def addmv(c: Context, x: Value, y: Value, z: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _added(c, x, mv(c, y, z), beta, alpha)


# ----------------------------------------------------------------------------------------------------------------------
# Convolutions
# ----------------------------------------------------------------------------------------------------------------------


def _numbers(k: int, x: str, kernel: str, result: str) -> str:
    """Dimension numbers: two letters for the first dimensions, then the spatial ones."""
    def one(letters: str) -> str:
        return f"[{', '.join([*letters, *map(str, range(k))])}]"

    return f"{one(x)}x{one(kernel)}->{one(result)}"


def _forward(c: Context, x: Value, w: Value, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int, sizes: Sequence[int]) -> Value:
    k = w.ndim - 2
    return c.b.convolution(x, w, _numbers(k, "bf", "oi", "bf"), (x.shape[0], w.shape[0], *sizes), strides=stride, low=padding, high=padding, dilation=[1] * k,
                           kernel_dilation=dilation, groups=groups)


def _size(size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def _adjoint(c: Context, gradient: Value, w: Value, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int, sizes: Sequence[int]) -> Value:
    """What `_forward` with the kernel w makes the gradient of; sizes: those of its operand."""
    b, k = c.b, w.ndim - 2
    o, i = w.shape[0] // groups, w.shape[1]
    flipped = b.reverse(w, list(range(2, w.ndim)))
    kernel = b.reshape(flipped, (groups, o, i, *w.shape[2:]))
    kernel = b.reshape(b.transpose(kernel, [0, 2, 1, *range(3, k + 3)]), (groups * i, o, *w.shape[2:]))
    low = [d * (n - 1) - p for d, n, p in zip(dilation, w.shape[2:], padding, strict=True)]
    high = [size + d * (n - 1) - lo - ((g - 1) * s + 1) for size, d, n, lo, g, s in zip(sizes, dilation, w.shape[2:], low, gradient.shape[2:], stride, strict=True)]
    return b.convolution(gradient, kernel, _numbers(k, "bf", "oi", "bf"), (gradient.shape[0], groups * i, *sizes), strides=[1] * k, low=low, high=high, dilation=stride,
                         kernel_dilation=dilation, groups=groups)


def _kernel_gradient(c: Context, gradient: Value, x: Value, w_shape: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
                     groups: int) -> Value:
    k = len(w_shape) - 2
    high = [d * (n - 1) + (g - 1) * s + 1 - size - p
            for d, n, g, s, size, p in zip(dilation, w_shape[2:], gradient.shape[2:], stride, x.shape[2:], padding, strict=True)]
    return c.b.convolution(x, gradient, _numbers(k, "fb", "io", "fb"), w_shape, strides=dilation, low=padding, high=high,
                           dilation=[1] * k, kernel_dilation=stride, batch_groups=groups)


def _check_convolution(*values: Value) -> None:
    if any(v.dtype.is_complex for v in values) or any(0 in v.shape for v in values):
        raise Left("a convolution of complex numbers or nothing")


@lowers("aten.convolution.default")
def convolution(c: Context, x: Value, w: Value, bias: Value | None, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                _output_padding: Sequence[int], groups: int) -> Value:
    _check_convolution(x, w)
    k = w.ndim - 2
    stride, padding, dilation = (fit_dims(v, k) for v in (stride, padding, dilation))
    x = c.b.reshape(x, (1, *x.shape)) if x.ndim == k + 1 else x
    sizes = c.shape[-k:]
    result = (_adjoint if transposed else _forward)(c, x, w, stride, padding, dilation, groups, sizes)
    if bias is not None:
        work = wide(c.dtype)
        total = c.b.op("add", c.b.convert(result, work), c.b.broadcast(c.b.convert(bias, work), result.shape, [1]))
        result = c.b.convert(total, c.dtype)
    return c.b.reshape(result, c.shape)


@lowers("aten.convolution_backward.default")
def convolution_backward(c: Context, gradient: Value, x: Value, w: Value, _bias_sizes: Any, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
                         transposed: bool, _output_padding: Sequence[int], groups: int, wanted: Sequence[bool]) -> tuple[Value | None, ...]:
    _check_convolution(gradient, x, w)
    b, k = c.b, w.ndim - 2
    stride, padding, dilation = (fit_dims(v, k) for v in (stride, padding, dilation))
    found: list[Value | None] = [None, None, None]
    how = (stride, padding, dilation, groups)
    if wanted[0]:
        found[0] = _forward(c, gradient, w, *how, x.shape[2:]) if transposed else _adjoint(c, gradient, w, *how, x.shape[2:])
    if wanted[1]:
        found[1] = _kernel_gradient(c, x, gradient, w.shape, *how) if transposed else _kernel_gradient(c, gradient, x, w.shape, *how)
    if wanted[2]:
        total = b.reduce(b.convert(gradient, wide(c.out[2].dtype)), "add", 0, [d for d in range(gradient.ndim) if d != 1])
        found[2] = b.convert(total, c.out[2].dtype)
    return tuple(found)
