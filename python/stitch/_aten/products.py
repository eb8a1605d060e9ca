# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products, convolutions, windows, and their gradients."""
import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Value
from .table import Context, Left, lowers, lowest, wide

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


def _fits(values: Sequence[int], k: int) -> list[int]:
    return list(values) * k if len(values) == 1 else list(values)


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
    if any(v.dtype.is_complex or not v.is_float for v in values) or any(0 in v.shape for v in values):
        raise Left("a convolution of integers, complex numbers or nothing")


@lowers("aten.convolution.default")
def convolution(c: Context, x: Value, w: Value, bias: Value | None, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                _output_padding: Sequence[int], groups: int) -> Value:
    _check_convolution(x, w)
    k = w.ndim - 2
    stride, padding, dilation = (_fits(v, k) for v in (stride, padding, dilation))
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
    stride, padding, dilation = (_fits(v, k) for v in (stride, padding, dilation))
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


# ----------------------------------------------------------------------------------------------------------------------
# Pooling
# ----------------------------------------------------------------------------------------------------------------------


def _windows(sizes: Sequence[int], results: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
             rank: int) -> dict[str, list[int]]:
    """The windows of a pooling; behind the end there is as much padding as they need (ceil_mode)."""
    front = rank - len(sizes)
    high = [(r - 1) * s + d * (n - 1) + 1 - size - p for r, s, d, n, size, p in zip(results, stride, dilation, kernel, sizes, padding, strict=True)]
    return {"window": [1] * front + list(kernel), "strides": [1] * front + list(stride), "dilation": [1] * front + list(dilation),
            "low": [0] * front + list(padding), "high": [0] * front + high}


def _max_pool(c: Context, k: int, x: Value, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]) -> tuple[Value, Value]:
    """The largest element, the first of equal ones, a NaN before all; the index is in the plane."""
    b = c.b
    kernel, padding, dilation = (_fits(v, k) for v in (kernel, padding, dilation))
    stride = _fits(stride, k) if stride else kernel
    sizes, results = x.shape[-k:], c.out[0].shape[-k:]
    how = _windows(sizes, results, kernel, stride, padding, dilation, x.ndim)
    window = how.pop("window")
    start = b.constant(lowest(x.dtype), x.dtype)
    if not c.is_used(1):
        found = b.reduce_window([x], [start], lambda p, q: [b.op("maximum", p, q)], window, **how)[0]
        return found, b.constant(0, torch.int64, found.shape)
    places = b.constant(0, torch.int64, x.shape)
    for d in range(k):
        counted = b.iota(torch.int64, x.shape, x.ndim - k + d)
        places = b.op("add", places, b.op("multiply", counted, b.like(math.prod(sizes[d + 1:]), counted)))

    def choose(p: Value, i: Value, q: Value, j: Value) -> list[Value]:
        wins = b.compare(p, q, "GT")
        first = b.op("or", wins, b.op("and", b.compare(p, q, "EQ"), b.compare(i, j, "LT")))
        if p.is_float:  # of several NaN the last one
            later = b.op("or", b.op("not", b.is_nan(q)), b.compare(i, j, "GT"))
            first = b.op("or", first, b.op("and", b.is_nan(p), later))
        none = b.compare(i, b.like(-1, i), "EQ")
        other = b.compare(j, b.like(-1, j), "EQ")
        first = b.op("or", b.op("and", first, b.op("not", none)), other)
        return [b.select(first, p, q), b.select(first, i, j)]

    values, indices = b.reduce_window([x, places], [start, b.constant(-1, torch.int64)], choose, window, **how)
    return values, indices


@lowers("aten.max_pool2d_with_indices.default")
def max_pool2d(c: Context, x: Value, kernel: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,), dilation: Sequence[int] = (1,),
               _ceil_mode: bool = False) -> tuple[Value, Value]:
    return _max_pool(c, 2, x, kernel, stride, padding, dilation)


@lowers("aten.max_pool3d_with_indices.default")
def max_pool3d(c: Context, x: Value, kernel: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,), dilation: Sequence[int] = (1,),
               _ceil_mode: bool = False) -> tuple[Value, Value]:
    return _max_pool(c, 3, x, kernel, stride, padding, dilation)


def _max_pool_backward(c: Context, k: int, gradient: Value, x: Value, indices: Value) -> Value:
    b, planes, size = c.b, math.prod(x.shape[:-k]), math.prod(x.shape[-k:])
    if not planes * size or not math.prod(gradient.shape):
        return b.constant(0, c.dtype, c.shape)
    count = math.prod(gradient.shape[-k:])
    rows = b.iota(torch.int64, (planes, count, 1), 0)
    places = b.concatenate([rows, b.reshape(b.convert(indices, torch.int64), (planes, count, 1))], 2)
    work = wide(c.dtype)
    updates = b.convert(b.reshape(gradient, (planes, count)), work)
    total = b.scatter(b.constant(0, work, (planes, size)), places, updates, lambda p, q: [b.op("add", p, q)], window=[], inserted=[0, 1], index_map=[0, 1], vector_dim=2)
    return b.convert(b.reshape(total, x.shape), c.dtype)


@lowers("aten.max_pool2d_with_indices_backward.default")
def max_pool2d_backward(c: Context, gradient: Value, x: Value, *args: Any) -> Value:
    return _max_pool_backward(c, 2, gradient, x, args[-1])


@lowers("aten.max_pool3d_with_indices_backward.default")
def max_pool3d_backward(c: Context, gradient: Value, x: Value, *args: Any) -> Value:
    return _max_pool_backward(c, 3, gradient, x, args[-1])


def _divisors(sizes: Sequence[int], results: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], counts_padding: bool,
              divisor: int | None) -> torch.Tensor:
    """What the sum of each window is divided by."""
    if divisor is not None:
        return torch.full(tuple(results), float(divisor), dtype=torch.float64)
    result = torch.ones((), dtype=torch.float64)
    for size, count, n, s, p in zip(sizes, results, kernel, stride, padding, strict=True):
        start = torch.arange(count) * s - p
        end = torch.minimum(start + n, torch.tensor(size + p))
        if not counts_padding:
            start, end = start.clamp(min=0), end.clamp(max=size)
        result = result.unsqueeze(-1) * (end - start).double()
    return result


class _Average:
    """An average pooling's arguments."""

    def __init__(self, k: int, sizes: Sequence[int], results: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
                 counts_padding: bool, divisor: int | None) -> None:
        self.kernel, self.padding = _fits(kernel, k), _fits(padding, k)
        self.stride = _fits(stride, k) if stride else self.kernel
        self.sizes, self.results = list(sizes), list(results)
        self.divisors = _divisors(sizes, results, self.kernel, self.stride, self.padding, counts_padding, divisor)

    def divided(self, c: Context, x: Value) -> Value:
        divisor = c.b.tensor(self.divisors.to(x.dtype))
        return c.b.op("divide", x, c.b.broadcast(divisor, x.shape))

    def forward(self, c: Context, x: Value) -> Value:
        b = c.b
        work = b.convert(x, wide(x.dtype))
        how = _windows(self.sizes, self.results, self.kernel, self.stride, self.padding, [1] * len(self.sizes), x.ndim)
        window = how.pop("window")
        total = b.reduce_window([work], [b.constant(0, work.dtype)], lambda p, q: [b.op("add", p, q)], window, **how)[0]
        if not x.is_float:
            raise Left("averages of integers")
        return b.convert(self.divided(c, total), c.dtype)

    def backward(self, c: Context, gradient: Value) -> Value:
        """Each element's gradient goes to the window that it is the mean of: a sum of windows of the spread gradient."""
        b, front = c.b, gradient.ndim - len(self.sizes)
        shares = self.divided(c, b.convert(gradient, wide(gradient.dtype)))
        low = [n - 1 - p for n, p in zip(self.kernel, self.padding, strict=True)]
        interior = [s - 1 for s in self.stride]
        high = [size + n - 1 - lo - ((r - 1) * s + 1) for size, n, lo, r, s in zip(self.sizes, self.kernel, low, self.results, self.stride, strict=True)]
        spread = b.pad(shares, b.constant(0, shares.dtype), [0] * front + low, [0] * front + high, [0] * front + interior)
        window = [1] * front + self.kernel
        return b.convert(b.reduce_window([spread], [b.constant(0, spread.dtype)], lambda p, q: [b.op("add", p, q)], window)[0], c.dtype)


def _average(k: int) -> None:
    @lowers(f"aten.avg_pool{k}d.default")
    def forward(c: Context, x: Value, kernel: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,), _ceil_mode: bool = False,
                counts_padding: bool = True, divisor: int | None = None) -> Value:
        return _Average(k, x.shape[-k:], c.shape[-k:], kernel, stride, padding, counts_padding, divisor).forward(c, x)

    if k > 1:
        @lowers(f"aten.avg_pool{k}d_backward.default")
        def backward(c: Context, gradient: Value, x: Value, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], _ceil_mode: bool, counts_padding: bool,
                     divisor: int | None) -> Value:
            return _Average(k, x.shape[-k:], gradient.shape[-k:], kernel, stride, padding, counts_padding, divisor).backward(c, gradient)


for _k in (1, 2, 3):
    _average(_k)
