# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling, replicated borders, and their gradients."""
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .builder import Value
from .indexing import take_rows
from .table import Context, Left, fit_dims, lowers, lowest, wide

# ----------------------------------------------------------------------------------------------------------------------
# Windows of one size
# ----------------------------------------------------------------------------------------------------------------------


def _windows(sizes: Sequence[int], results: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
             rank: int) -> dict[str, list[int]]:
    """The windows of a pooling; behind the end there is as much padding as they need (ceil_mode)."""
    front = rank - len(sizes)
    high = [(r - 1) * s + d * (n - 1) + 1 - size - p for r, s, d, n, size, p in zip(results, stride, dilation, kernel, sizes, padding, strict=True)]
    return {"window": [1] * front + list(kernel), "strides": [1] * front + list(stride), "dilation": [1] * front + list(dilation),
            "low": [0] * front + list(padding), "high": [0] * front + high}


def _places(c: Context, x: Value, k: int) -> Value:
    """Each element's index in its plane."""
    places = c.b.constant(0, torch.int64, x.shape)
    for d in range(k):
        counted = c.b.iota(torch.int64, x.shape, x.ndim - k + d)
        places = c.b.op("add", places, c.b.op("multiply", counted, c.b.like(math.prod(x.shape[x.ndim - k + d + 1:]), counted)))
    return places


def _larger(c: Context) -> Callable[..., list[Value]]:
    """Of two elements with their indices: the larger one, of equal ones the first, a NaN before all, of several the last. -1 is the index of none."""
    b = c.b

    def choose(p: Value, i: Value, q: Value, j: Value) -> list[Value]:
        wins = b.compare(p, q, "GT")
        first = b.op("or", wins, b.op("and", b.compare(p, q, "EQ"), b.compare(i, j, "LT")))
        if p.is_float:
            later = b.op("or", b.op("not", b.is_nan(q)), b.compare(i, j, "GT"))
            first = b.op("or", first, b.op("and", b.is_nan(p), later))
        none = b.compare(i, b.like(-1, i), "EQ")
        other = b.compare(j, b.like(-1, j), "EQ")
        first = b.op("or", b.op("and", first, b.op("not", none)), other)
        return [b.select(first, p, q), b.select(first, i, j)]

    return choose


def _max_pool(c: Context, k: int, x: Value, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]) -> tuple[Value, Value]:
    """The largest element, the first of equal ones, a NaN before all; the index is in the plane."""
    b = c.b
    kernel, padding, dilation = (fit_dims(v, k) for v in (kernel, padding, dilation))
    stride = fit_dims(stride, k) if stride else kernel
    sizes, results = x.shape[-k:], c.out[0].shape[-k:]
    how = _windows(sizes, results, kernel, stride, padding, dilation, x.ndim)
    window = how.pop("window")
    start = b.constant(lowest(x.dtype), x.dtype)
    if not c.is_used(1):
        found = b.reduce_window([x], [start], lambda p, q: [b.op("maximum", p, q)], window, **how)[0]
        return found, b.constant(0, torch.int64, found.shape)
    values, indices = b.reduce_window([x, _places(c, x, k)], [start, b.constant(-1, torch.int64)], _larger(c), window, **how)
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


def _divided(c: Context, x: Value, divisors: torch.Tensor) -> Value:
    """By the numbers of elements in windows; of integers rounded to zero."""
    first = divisors.reshape(-1)[0].item() if divisors.numel() else 1.0
    if (divisors == first).all():
        return c.b.op("divide", x, c.b.like(first, x))
    return c.b.op("divide", x, c.b.broadcast(c.b.tensor(divisors.to(x.dtype)), x.shape))


class _Average:
    """An average pooling's arguments."""

    def __init__(self, k: int, sizes: Sequence[int], results: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
                 counts_padding: bool, divisor: int | None) -> None:
        self.kernel, self.padding = fit_dims(kernel, k), fit_dims(padding, k)
        self.stride = fit_dims(stride, k) if stride else self.kernel
        self.sizes, self.results = list(sizes), list(results)
        self.divisors = _divisors(sizes, results, self.kernel, self.stride, self.padding, counts_padding, divisor)

    def divided(self, c: Context, x: Value) -> Value:
        return _divided(c, x, self.divisors)

    def forward(self, c: Context, x: Value) -> Value:
        b = c.b
        work = b.convert(x, wide(x.dtype))
        how = _windows(self.sizes, self.results, self.kernel, self.stride, self.padding, [1] * len(self.sizes), x.ndim)
        window = how.pop("window")
        total = b.reduce_window([work], [b.constant(0, work.dtype)], lambda p, q: [b.op("add", p, q)], window, **how)[0]
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


# ----------------------------------------------------------------------------------------------------------------------
# Windows of any places
# ----------------------------------------------------------------------------------------------------------------------

Places = Sequence[Sequence[int]]  # along a dimension: for each element of the result those that it is made of


def _picked(c: Context, x: Value, dim: int, places: Places) -> tuple[Value, Value | None]:
    """A dimension as two: the result's elements, and what each is made of; and where in there something is, if not everywhere."""
    longest = max(map(len, places))
    sizes = (*x.shape[:dim], len(places), longest, *x.shape[dim + 1:])
    if [p for window in places for p in window] == list(range(x.shape[dim])) and all(len(w) == longest for w in places):
        return c.b.reshape(x, sizes), None
    index = torch.tensor([[*window, *[0] * (longest - len(window))] for window in places])
    mask = torch.tensor([[i < len(window) for i in range(longest)] for window in places])
    picked = take_rows(c, x, dim, c.b.tensor(index))
    return picked, None if mask.all() else c.b.broadcast(c.b.tensor(mask), sizes, [dim, dim + 1])


def _sums(c: Context, x: Value, dim: int, places: Places) -> Value:
    if not any(places):
        return c.b.constant(0, x.dtype, [len(places) if d == dim else s for d, s in enumerate(x.shape)])
    picked, mask = _picked(c, x, dim, places)
    return c.b.reduce(picked if mask is None else c.b.select(mask, picked, c.b.like(0, picked)), "add", 0, [dim + 1])


def _adaptive(size: int, count: int) -> Places:
    return [range(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _readers(windows: Places, size: int) -> Places:
    """For each of the elements the windows that it is in."""
    return [[i for i, window in enumerate(windows) if p in window] for p in range(size)]


def _lengths(windows: Sequence[Places]) -> torch.Tensor:
    """How many elements each window of several dimensions has."""
    result = torch.ones((), dtype=torch.float64)
    for places in windows:
        result = result.unsqueeze(-1) * torch.tensor([len(p) for p in places], dtype=torch.float64)
    return result


def _adaptive_average(k: int) -> None:
    @lowers(f"aten._adaptive_avg_pool{k}d.default")
    def forward(c: Context, x: Value, _size: Sequence[int]) -> Value:
        if 0 in c.shape:
            return c.b.constant(0, c.dtype, c.shape)
        total, front = c.b.convert(x, wide(x.dtype)), x.ndim - k
        windows = [_adaptive(s, n) for s, n in zip(x.shape[-k:], c.shape[-k:], strict=True)]
        for d, places in enumerate(windows):
            total = _sums(c, total, front + d, places)
        return c.b.convert(_divided(c, total, _lengths(windows)), c.dtype)

    @lowers(f"aten._adaptive_avg_pool{k}d_backward.default")
    def backward(c: Context, gradient: Value, x: Value) -> Value:
        if 0 in gradient.shape:
            return c.b.constant(0, c.dtype, c.shape)
        front = x.ndim - k
        windows = [_adaptive(s, n) for s, n in zip(x.shape[-k:], gradient.shape[-k:], strict=True)]
        total = _divided(c, c.b.convert(gradient, wide(gradient.dtype)), _lengths(windows))
        for d, places in enumerate(windows):
            total = _sums(c, total, front + d, _readers(places, x.shape[front + d]))
        return c.b.convert(total, c.dtype)


def _adaptive_max(k: int) -> None:
    @lowers(f"aten.adaptive_max_pool{k}d.default")
    def forward(c: Context, x: Value, _size: Sequence[int]) -> tuple[Value, Value]:
        b, front = c.b, x.ndim - k
        sizes = c.out[0].shape[-k:]
        if 0 in c.out[0].shape:
            return b.constant(0, x.dtype, c.out[0].shape), b.constant(0, torch.int64, c.out[1].shape)
        values, indices = x, _places(c, x, k)
        start = [b.constant(lowest(x.dtype), x.dtype), b.constant(-1, torch.int64)]
        for d in range(k):
            places = _adaptive(x.shape[front + d], sizes[d])
            (values, mask), (indices, _same) = (_picked(c, v, front + d, places) for v in (values, indices))
            indices = indices if mask is None else b.select(mask, indices, b.like(-1, indices))
            values, indices = b.reduce_all([values, indices], start, [front + d + 1], _larger(c))
        return values, indices

    @lowers(f"aten.adaptive_max_pool{k}d_backward.default")
    def backward(c: Context, gradient: Value, x: Value, indices: Value) -> Value:
        return _max_pool_backward(c, k, gradient, x, indices)


def _replication(k: int) -> None:
    @lowers(f"aten.replication_pad{k}d_backward.default")
    def backward(c: Context, gradient: Value, x: Value, padding: Sequence[int]) -> Value:
        if 0 in gradient.shape:
            return c.b.constant(0, c.dtype, c.shape)
        total, front = c.b.convert(gradient, wide(gradient.dtype)), x.ndim - k
        for d in range(k):
            size, low = x.shape[front + d], padding[2 * (k - 1 - d)]
            places: list[list[int]] = [[] for _ in range(size)]
            for i in range(gradient.shape[front + d]):
                places[min(max(i - low, 0), size - 1)].append(i)
            total = _sums(c, total, front + d, places)
        return c.b.convert(total, c.dtype)


for _k in (2, 3):
    _adaptive_average(_k)
    _adaptive_max(_k)
for _k in (1, 2, 3):
    _replication(_k)
