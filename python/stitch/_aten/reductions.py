# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and other reductions, cumulative ones, and sorting. Operands are converted first, then reduced; halves in f32."""
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .builder import Value
from .pointwise import parts_of
from .table import Context, Left, highest, is_complex, lowers, lowest, normal_dim, normal_dims, wide

# ----------------------------------------------------------------------------------------------------------------------
# Reductions
# ----------------------------------------------------------------------------------------------------------------------


def keep(c: Context, x: Value) -> Value:
    """With dimensions of size 1, if the result has them."""
    return c.b.reshape(x, c.shape)


def sum_of(c: Context, x: Value, dims: Sequence[int]) -> Value:
    return c.b.reduce(x, "add", 0, dims) if dims else x


def _accumulate(c: Context, x: Value, dims: Sequence[int], name: str, init: int, dtype: torch.dtype) -> Value:
    """In the type of the result, or the wide one of it."""
    x = c.b.convert(c.b.convert(x, dtype), wide(dtype))
    if dtype is torch.bool:
        raise Left("a sum of booleans")
    reduced = c.b.reduce(x, name, init, dims) if dims else x
    return c.b.convert(reduced, c.dtype)


@lowers("aten.sum.default", "aten.sum.dim_IntList")
def sum_(c: Context, x: Value, dims: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Value:  # pylint: disable=unused-argument
    return keep(c, _accumulate(c, x, normal_dims(dims, x.ndim), "add", 0, c.dtype))


@lowers("aten.prod.default", "aten.prod.dim_int")
def prod(c: Context, x: Value, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Value:  # pylint: disable=unused-argument
    return keep(c, _accumulate(c, x, normal_dims(dim, x.ndim), "multiply", 1, c.dtype))


@lowers("aten.mean.default", "aten.mean.dim")
def mean(c: Context, x: Value, dims: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Value:  # pylint: disable=unused-argument
    dims = normal_dims(dims, x.ndim)
    x = c.b.convert(c.b.convert(x, c.dtype), wide(c.dtype))
    total = sum_of(c, x, dims)
    return keep(c, c.b.convert(c.b.op("divide", total, c.b.like(math.prod(x.shape[d] for d in dims), total)), c.dtype))


@lowers("aten.var.correction", "prims.var.default")
def var(c: Context, x: Value, dims: Any = None, *args: Any, correction: Any = None, keepdim: bool = False, **_kwargs: Any) -> Value:  # pylint: disable=unused-argument
    correction = 1 if correction is None and not args else args[0] if args else correction
    dims = normal_dims(dims, x.ndim)
    count = math.prod(x.shape[d] for d in dims)
    x = c.b.convert(x, wide(x.dtype))
    total = sum_of(c, x, dims)
    center = c.b.op("divide", total, c.b.like(count, total))
    rest = c.b.op("subtract", x, c.b.broadcast(center, x.shape, [d for d in range(x.ndim) if d not in dims]))
    parts = parts_of(c, rest) if is_complex(x.dtype) else (rest,)
    whole, *others = (c.b.op("multiply", part, part) for part in parts)
    squares = sum_of(c, c.b.op("add", whole, others[0]) if others else whole, dims)
    return keep(c, c.b.convert(c.b.op("divide", squares, c.b.like(max(0.0, count - float(correction)), squares)), c.dtype))


@lowers("aten.any.default", "aten.any.dim", "aten.any.dims")
def any_(c: Context, x: Value, dims: Any = None, keepdim: bool = False) -> Value:  # pylint: disable=unused-argument
    truth, dims = c.b.convert(x, torch.bool), normal_dims(dims, x.ndim)
    return keep(c, c.b.convert(c.b.reduce(truth, "or", False, dims) if dims else truth, c.dtype))


@lowers("aten.all.default", "aten.all.dim", "aten.all.dims")
def all_(c: Context, x: Value, dims: Any = None, keepdim: bool = False) -> Value:  # pylint: disable=unused-argument
    truth, dims = c.b.convert(x, torch.bool), normal_dims(dims, x.ndim)
    return keep(c, c.b.convert(c.b.reduce(truth, "and", True, dims) if dims else truth, c.dtype))


def extreme(c: Context, x: Value, dims: Sequence[int], largest: bool) -> Value:
    if is_complex(x.dtype):
        raise Left("an order of complex numbers")
    if not dims:
        return x
    return c.b.reduce(x, "maximum" if largest else "minimum", lowest(x.dtype) if largest else highest(x.dtype), dims)


@lowers("aten.amax.default", "aten.max.default")
def amax(c: Context, x: Value, dims: Any = None, keepdim: bool = False) -> Value:  # pylint: disable=unused-argument
    return keep(c, extreme(c, x, normal_dims(dims, x.ndim), True))


@lowers("aten.amin.default", "aten.min.default")
def amin(c: Context, x: Value, dims: Any = None, keepdim: bool = False) -> Value:  # pylint: disable=unused-argument
    return keep(c, extreme(c, x, normal_dims(dims, x.ndim), False))


def _first_extreme(c: Context, largest: bool) -> Callable[..., list[Value]]:
    """Of two elements with their indices: the larger one, NaN before numbers, of equal ones the first."""
    b = c.b

    def choose(x: Value, i: Value, y: Value, j: Value) -> list[Value]:
        wins = b.compare(x, y, "GT" if largest else "LT")
        same = b.compare(x, y, "EQ")
        if x.is_float:
            x_nan, y_nan = b.is_nan(x), b.is_nan(y)
            wins = b.op("or", wins, b.op("and", x_nan, b.op("not", y_nan)))
            same = b.op("or", same, b.op("and", x_nan, y_nan))
        first = b.op("or", wins, b.op("and", same, b.compare(i, j, "LT")))
        return [b.select(first, x, y), b.select(first, i, j)]

    return choose


def extreme_with_index(c: Context, x: Value, dim: int, largest: bool) -> tuple[Value, Value]:
    """The result lacks the dimension."""
    if is_complex(x.dtype):
        raise Left("an order of complex numbers")
    if x.ndim == 0:
        return x, c.b.constant(0, torch.int64)
    work = c.b.convert(x, torch.uint8) if x.dtype is torch.bool else x
    start = c.b.constant(lowest(work.dtype) if largest else highest(work.dtype), work.dtype)
    last = c.b.constant(torch.iinfo(torch.int64).max, torch.int64)
    values, indices = c.b.reduce_all([work, c.b.iota(torch.int64, x.shape, dim)], [start, last], [dim], _first_extreme(c, largest))
    return c.b.convert(values, x.dtype), indices


def _with_index(c: Context, x: Value, dim: int, largest: bool) -> tuple[Value, Value]:
    dim = normal_dim(dim, x.ndim)
    if c.is_used(1):
        values, indices = extreme_with_index(c, x, dim, largest)
    else:
        values = extreme(c, x, [dim] if x.ndim else [], largest)
        indices = c.b.constant(0, torch.int64, values.shape)
    return c.b.reshape(values, c.out[0].shape), c.b.reshape(indices, c.out[1].shape)


@lowers("aten.max.dim")
def max_dim(c: Context, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:  # pylint: disable=unused-argument
    return _with_index(c, x, dim, True)


@lowers("aten.min.dim")
def min_dim(c: Context, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:  # pylint: disable=unused-argument
    return _with_index(c, x, dim, False)


def _arg(c: Context, x: Value, dim: int | None, largest: bool) -> Value:
    if dim is None:
        x, dim = c.b.reshape(x, (math.prod(x.shape),)), 0
    return keep(c, extreme_with_index(c, x, normal_dim(dim, x.ndim), largest)[1])


@lowers("aten.argmax.default")
def argmax(c: Context, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:  # pylint: disable=unused-argument
    return _arg(c, x, dim, True)


@lowers("aten.argmin.default")
def argmin(c: Context, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:  # pylint: disable=unused-argument
    return _arg(c, x, dim, False)


# ----------------------------------------------------------------------------------------------------------------------
# Softmax
# ----------------------------------------------------------------------------------------------------------------------


def _shifted(c: Context, x: Value, dim: int) -> tuple[Value, list[int]]:
    """x less its maximum along a dimension, in the wide type; and the dimensions that are left."""
    x, others = c.b.convert(x, wide(c.dtype)), [d for d in range(x.ndim) if d != dim]
    if not x.ndim:
        return c.b.op("subtract", x, x), []
    return c.b.op("subtract", x, c.b.broadcast(extreme(c, x, [dim], True), x.shape, others)), others


@lowers("aten._softmax.default")
def softmax(c: Context, x: Value, dim: int, _half_to_float: bool = False) -> Value:
    dim = normal_dim(dim, x.ndim)
    shifted, others = _shifted(c, x, dim)
    powers = c.b.op("exponential", shifted)
    total = sum_of(c, powers, [dim] if x.ndim else [])
    return c.b.convert(c.b.op("divide", powers, c.b.broadcast(total, x.shape, others)), c.dtype)


@lowers("aten._log_softmax.default")
def log_softmax(c: Context, x: Value, dim: int, _half_to_float: bool = False) -> Value:
    dim = normal_dim(dim, x.ndim)
    shifted, others = _shifted(c, x, dim)
    total = c.b.op("log", sum_of(c, c.b.op("exponential", shifted), [dim] if x.ndim else []))
    return c.b.convert(c.b.op("subtract", shifted, c.b.broadcast(total, x.shape, others)), c.dtype)


# ----------------------------------------------------------------------------------------------------------------------
# Cumulative
# ----------------------------------------------------------------------------------------------------------------------


def _cumulative(c: Context, x: Value, dim: int, name: str, init: int) -> Value:
    work = c.b.convert(c.b.convert(x, c.dtype), wide(c.dtype))
    if c.dtype is torch.bool:
        raise Left("a sum of booleans")
    return c.b.convert(c.b.cumulative(work, name, init, normal_dim(dim, x.ndim)) if x.ndim else work, c.dtype)


@lowers("aten.cumsum.default")
def cumsum(c: Context, x: Value, dim: int, *, dtype: torch.dtype | None = None) -> Value:  # pylint: disable=unused-argument
    return _cumulative(c, x, dim, "add", 0)


@lowers("aten.cumprod.default")
def cumprod(c: Context, x: Value, dim: int, *, dtype: torch.dtype | None = None) -> Value:  # pylint: disable=unused-argument
    return _cumulative(c, x, dim, "multiply", 1)


def _cumulative_extreme(c: Context, x: Value, dim: int, largest: bool) -> tuple[Value, Value]:
    """The index is that of the last element that is no less than all before it; a NaN is, and numbers behind it are not."""
    b = c.b
    if x.ndim == 0:
        return x, b.constant(0, torch.int64)
    dim = normal_dim(dim, x.ndim)
    work = b.convert(x, torch.uint8) if x.dtype is torch.bool else x
    values = b.cumulative(work, "maximum" if largest else "minimum", lowest(work.dtype) if largest else highest(work.dtype), dim)
    is_new = b.compare(work, values, "EQ")
    is_new = b.op("or", is_new, b.is_nan(work)) if x.is_float else is_new
    places = b.iota(torch.int64, x.shape, dim)
    indices = b.cumulative(b.select(is_new, places, b.like(0, places)), "maximum", 0, dim)
    return b.convert(values, x.dtype), indices


@lowers("aten.cummax.default")
def cummax(c: Context, x: Value, dim: int) -> tuple[Value, Value]:
    return _cumulative_extreme(c, x, dim, True)


@lowers("aten.cummin.default")
def cummin(c: Context, x: Value, dim: int) -> tuple[Value, Value]:
    return _cumulative_extreme(c, x, dim, False)


# ----------------------------------------------------------------------------------------------------------------------
# Sorting
# ----------------------------------------------------------------------------------------------------------------------


def sorted_with_index(c: Context, x: Value, dim: int, descending: bool) -> tuple[Value, Value]:
    """Stable; NaN is larger than all numbers."""
    b = c.b
    if is_complex(x.dtype):
        raise Left("an order of complex numbers")
    work = b.convert(x, torch.uint8) if x.dtype is torch.bool else x

    def comes_before(x: Value, y: Value, _i: Value, _j: Value) -> Value:
        smaller, larger = (y, x) if descending else (x, y)
        before = b.compare(smaller, larger, "LT")
        return b.op("or", before, b.op("and", b.is_nan(larger), b.op("not", b.is_nan(smaller)))) if x.is_float else before

    values, indices = b.sort([work, b.iota(torch.int64, x.shape, dim)], dim, comes_before)
    return b.convert(values, x.dtype), indices


@lowers("aten.sort.default", "aten.sort.stable")
def sort(c: Context, x: Value, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> tuple[Value, Value]:  # pylint: disable=unused-argument
    if x.ndim == 0:
        return x, c.b.constant(0, torch.int64)
    return sorted_with_index(c, x, normal_dim(dim, x.ndim), descending)


@lowers("aten.topk.default")
def topk(c: Context, x: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Value, Value]:  # pylint: disable=redefined-builtin,unused-argument
    if x.ndim == 0:
        if k != 1:
            raise Left("k of a scalar")
        return x, c.b.constant(0, torch.int64)
    dim = normal_dim(dim, x.ndim)
    values, indices = sorted_with_index(c, x, dim, largest)
    return c.b.slice_dim(values, dim, 0, k), c.b.slice_dim(indices, dim, 0, k)


def _chosen(c: Context, x: Value, dim: int, place: Callable[[Value, Value], Value | int]) -> tuple[Value, Value]:
    """The element at a place of the sorted ones; the result lacks the dimension. `place` is told the sorted and the original ones."""
    values, indices = sorted_with_index(c, x, dim, False)
    at = place(values, x)
    if isinstance(at, int):
        shape = [s for d, s in enumerate(x.shape) if d != dim]
        return tuple(c.b.reshape(c.b.slice_dim(v, dim, at, at + 1), shape) for v in (values, indices))  # type: ignore[return-value]
    others = [d for d in range(x.ndim) if d != dim]
    hit = c.b.compare(c.b.iota(torch.int64, x.shape, dim), c.b.broadcast(at, x.shape, others), "EQ")
    found = []
    for v in (values, indices):
        picked = c.b.select(hit, v, c.b.like(lowest(v.dtype), v))
        found.append(c.b.reduce(picked, "maximum", lowest(v.dtype), [dim]))
    return found[0], found[1]


def _middle(c: Context, dim: int, skips_nan: bool) -> Callable[[Value, Value], Value | int]:
    """The lower median's place. Where there is a NaN the first one's, which a stable sort puts behind all numbers."""
    b = c.b

    def place(_values: Value, x: Value) -> Value | int:
        size = x.shape[dim]
        if not x.is_float:
            return (size - 1) // 2
        numbers = b.reduce(b.convert(b.op("not", b.is_nan(x)), torch.int64), "add", 0, [dim])
        middle = b.like((size - 1) // 2, numbers)
        if skips_nan:
            middle = b.op("divide", b.op("maximum", b.op("subtract", numbers, b.like(1, numbers)), b.like(0, numbers)), b.like(2, numbers))
            return middle
        return b.select(b.compare(numbers, b.like(size, numbers), "LT"), numbers, middle)

    return place


def _median(c: Context, x: Value, dim: int | None, skips_nan: bool) -> tuple[Value, Value]:
    if dim is None:
        x, dim = c.b.reshape(x, (math.prod(x.shape),)), 0
    if x.ndim == 0:
        return x, c.b.constant(0, torch.int64)
    dim = normal_dim(dim, x.ndim)
    if x.shape[dim] == 0:
        raise Left("the median of nothing")
    return _chosen(c, x, dim, _middle(c, dim, skips_nan))


@lowers("aten.median.default")
def median(c: Context, x: Value) -> Value:
    return _median(c, x, None, False)[0]


@lowers("aten.nanmedian.default")
def nanmedian(c: Context, x: Value) -> Value:
    return _median(c, x, None, True)[0]


@lowers("aten.median.dim")
def median_dim(c: Context, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, ...]:  # pylint: disable=unused-argument
    if c.is_used(1) and not x.is_float:
        raise Left("which one of equal elements the index of a median is of")
    return tuple(c.b.reshape(v, o.shape) for v, o in zip(_median(c, x, dim, False), c.out, strict=True))


@lowers("aten.nanmedian.dim")
def nanmedian_dim(c: Context, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, ...]:  # pylint: disable=unused-argument
    return tuple(c.b.reshape(v, o.shape) for v, o in zip(_median(c, x, dim, True), c.out, strict=True))


@lowers("aten.kthvalue.default")
def kthvalue(c: Context, x: Value, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Value, ...]:  # pylint: disable=unused-argument
    found = _chosen(c, x, normal_dim(dim, x.ndim), lambda _v, _x: k - 1) if x.ndim else (x, c.b.constant(0, torch.int64))
    return tuple(c.b.reshape(v, o.shape) for v, o in zip(found, c.out, strict=True))
