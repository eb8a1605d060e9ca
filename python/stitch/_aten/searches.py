# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places of values in sorted tensors, of elements that are not zero, and what there is most of."""
import math
from typing import Any

import torch

from .builder import Value
from .indexing import take_along, take_rows
from .reductions import extreme_with_index, sorted_with_index
from .table import Context, Left, is_complex, lowers, normal_dim


def _taken(c: Context, x: Value, place: Value) -> Value:
    """Elements of the rows of x [.., n], or of x itself, at places [.., m]."""
    if x.ndim == 1:
        return take_rows(c, x, 0, place)
    return take_along(c, x, x.ndim - 1, place)


def bisected(c: Context, rows: Value, values: Value, after_equal: bool, sorter: Value | None, dtype: torch.dtype) -> Value:
    """By bisection, as PyTorch has it, whose result depends on it where rows are not sorted."""
    b, size = c.b, rows.shape[-1]
    start, end = b.constant(0, torch.int64, values.shape), b.constant(size, torch.int64, values.shape)
    one, two = b.like(1, start), b.like(2, start)
    for _ in range(size.bit_length()):
        is_open = b.compare(start, end, "LT")
        middle = b.op("add", start, b.op("divide", b.op("subtract", end, start), two))
        place = b.op("minimum", middle, b.like(size - 1, middle))
        at = _taken(c, rows, place if sorter is None else b.convert(_taken(c, sorter, place), torch.int64))
        behind = b.op("not", b.compare(at, values, "GT" if after_equal else "GE"))
        start = b.select(b.op("and", is_open, behind), b.op("add", middle, one), start)
        end = b.select(b.op("and", is_open, b.op("not", behind)), middle, end)
    return b.convert(start, dtype)


@lowers("aten.searchsorted.Tensor", "aten.searchsorted.Scalar")
def searchsorted(c: Context, rows: Value, values: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,  # pylint: disable=unused-argument
                 sorter: Value | None = None) -> Value:
    if not isinstance(values, Value):
        values = c.scalar(values, rows.dtype)
    if values.dtype is not rows.dtype or is_complex(rows.dtype):
        raise Left("values of another type")
    if not math.prod(c.shape) or not rows.shape[-1]:
        return c.b.constant(0, c.dtype, c.shape)
    if rows.ndim > 1 and rows.shape[:-1] != values.shape[:-1]:
        raise Left("rows and values of other batches")
    return bisected(c, rows, values, right or side == "right", sorter, c.dtype)


@lowers("aten.bucketize.Tensor", "aten.bucketize.Scalar")
def bucketize(c: Context, values: Any, boundaries: Value, *, out_int32: bool = False, right: bool = False) -> Value:
    return searchsorted(c, boundaries, values, out_int32=out_int32, right=right)


@lowers("aten.nonzero_static.default")
def nonzero_static(c: Context, x: Value, *, size: int, fill_value: int = -1) -> Value:
    """The first elements that are not zero, in row-major order."""
    b, count = c.b, math.prod(x.shape)
    if not math.prod(c.shape):
        return b.constant(0, c.dtype, c.shape)
    if not count:
        return b.constant(fill_value, c.dtype, c.shape)
    mask = b.reshape(b.convert(x, torch.bool), (count,))
    number = b.cumulative(b.convert(mask, torch.int64), "add", 0, 0)
    place = b.op("minimum", b.select(mask, b.op("subtract", number, b.like(1, number)), b.like(size, number)), b.like(size, number))
    found = b.scatter(b.constant(-1, torch.int64, (size + 1,)), b.reshape(place, (count, 1)), b.iota(torch.int64, (count,), 0), lambda _old, new: [new], window=[],
                      inserted=[0], index_map=[0], vector_dim=1)
    flat = b.slice(found, [0], [size])
    columns, behind = [], count
    for s in x.shape:
        behind //= s
        column = b.op("remainder", b.op("divide", flat, b.like(behind, flat)), b.like(s, flat))
        columns.append(b.reshape(b.select(b.compare(flat, b.like(-1, flat), "EQ"), b.like(fill_value, flat), column), (size, 1)))
    return b.concatenate(columns, 1)


@lowers("aten.mode.default")
def mode(c: Context, x: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, ...]:  # pylint: disable=unused-argument
    """Of values that are as frequent the least."""
    b = c.b
    if c.is_used(1):
        raise Left("which one of equal elements the index of a mode is of")
    none = b.constant(0, torch.int64, c.out[1].shape)
    if x.ndim == 0:
        return x, none
    dim = normal_dim(dim, x.ndim)
    size = x.shape[dim]
    if not math.prod(x.shape):
        raise Left("a mode of nothing")
    values, _indices = sorted_with_index(c, x, dim, False)
    before = b.concatenate([b.slice_dim(values, dim, 0, 1), b.slice_dim(values, dim, 0, size - 1)], dim) if size > 1 else values
    places = b.iota(torch.int64, x.shape, dim)
    starts = b.cumulative(b.select(b.compare(values, before, "NE"), places, b.like(0, places)), "maximum", 0, dim)
    at = extreme_with_index(c, b.op("subtract", places, starts), dim, True)[1]
    found = take_along(c, values, dim, b.reshape(at, [1 if d == dim else s for d, s in enumerate(x.shape)]))
    return b.reshape(found, c.out[0].shape), none
