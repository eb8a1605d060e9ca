# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators with tensors of indices. On the CPU a call raises where an index is out of range, as PyTorch does; on a GPU reads are clamped, and
so is the write of one row; other writes that are out of range are left out, where PyTorch stops the process."""
import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Body, Value
from .table import Context, Left, highest, is_integer, lowers, lowest, normal_dim, wide

IndexLists = Sequence[Value | None]


def wrapped(c: Context, index: Value, size: int, error: str) -> Value:
    """An index that counts from the end where it is negative; in i64."""
    b = c.b
    index = b.convert(index, torch.int64)
    length = b.like(size, index)
    c.check(b.op("and", b.compare(index, b.op("negate", length), "GE"), b.compare(index, length, "LT")), error)
    return b.select(b.compare(index, b.like(0, index), "LT"), b.op("add", index, length), index)


def within(c: Context, index: Value, size: int, error: str) -> Value:
    """An index that must not be negative; in i64."""
    index = c.b.convert(index, torch.int64)
    c.check(c.b.op("and", c.b.compare(index, c.b.like(0, index), "GE"), c.b.compare(index, c.b.like(size, index), "LT")), error)
    return index


def _out_of_bounds(dim: int, size: int, kind: str = "RuntimeError") -> str:
    return f"{kind}: index out of bounds for dimension {dim} with size {size}"


# ----------------------------------------------------------------------------------------------------------------------
# Rows
# ----------------------------------------------------------------------------------------------------------------------


def take_rows(c: Context, x: Value, dim: int, index: Value) -> Value:
    """Slices of size 1 in a dimension, which is replaced by the dimensions of the index."""
    k = index.ndim
    shape = (*x.shape[:dim], *index.shape, *x.shape[dim + 1:])
    offset = [*range(dim), *range(dim + k, len(shape))]
    sizes = [1 if d == dim else s for d, s in enumerate(x.shape)]
    return c.b.gather(x, index, sizes, shape, offset=offset, collapsed=[dim], index_map=[dim], vector_dim=k)


@lowers("aten.embedding.default")
def embedding(c: Context, weight: Value, index: Value, *_args: Any) -> Value:
    return take_rows(c, weight, 0, within(c, index, weight.shape[0], "IndexError: index out of range in self"))


@lowers("aten.index_select.default")
def index_select(c: Context, x: Value, dim: int, index: Value) -> Value:
    if x.ndim == 0:
        return c.b.reshape(x, c.shape)
    dim = normal_dim(dim, x.ndim)
    index = within(c, index, x.shape[dim], "IndexError: index out of range in self")
    return take_rows(c, x, dim, c.b.reshape(index, (math.prod(index.shape),)))


# ----------------------------------------------------------------------------------------------------------------------
# aten.index and index_put
# ----------------------------------------------------------------------------------------------------------------------


def _advanced(c: Context, x: Value, indices: IndexLists) -> tuple[list[int], list[Value], list[int], int]:
    """The indexed dimensions, their indices in one shape, this shape, and where its dimensions are in the result."""
    dims = [d for d, i in enumerate(indices) if i is not None]
    given = [i for i in indices if i is not None]
    if any(i.dtype in (torch.bool, torch.uint8) for i in given):
        raise Left("how many elements a mask has depends on its values")
    shape = list(torch.broadcast_shapes(*(i.shape for i in given)))
    spread = [c.b.broadcast(wrapped(c, i, x.shape[d], _out_of_bounds(d, x.shape[d], "IndexError")), shape) for d, i in zip(dims, given, strict=True)]
    is_together = dims == list(range(dims[0], dims[0] + len(dims)))
    return dims, spread, shape, dims[0] if is_together else 0


def _vectors(c: Context, indices: Sequence[Value]) -> Value:
    """One index vector for each place, along a new last dimension."""
    return c.b.concatenate([c.b.reshape(i, (*i.shape, 1)) for i in indices], indices[0].ndim)


@lowers("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index_(c: Context, x: Value, indices: IndexLists) -> Value:
    if all(i is None for i in indices):
        return x
    dims, spread, shape, at = _advanced(c, x, indices)
    offset = [d for d in range(len(c.shape)) if not at <= d < at + len(shape)]
    sizes = [1 if d in dims else s for d, s in enumerate(x.shape)]
    if math.prod(c.shape) == 0 or math.prod(x.shape) == 0:
        return c.b.constant(0, c.dtype, c.shape)
    return c.b.gather(x, _vectors(c, spread), sizes, c.shape, offset=offset, collapsed=dims, index_map=dims, vector_dim=len(shape))


def _replace(_old: Value, new: Value) -> list[Value]:
    return [new]


def put_slice(c: Context, x: Value, dim: int, index: Value, values: Value) -> Value:
    """With one slice replaced, which the compiler may do where x is."""
    zero = c.b.constant(0, torch.int64)
    starts = [c.b.reshape(index, ()) if d == dim else zero for d in range(x.ndim)]
    return c.b.dynamic_update_slice(x, c.b.reshape(values, [1 if d == dim else s for d, s in enumerate(x.shape)]), starts)


def _put_where(c: Context, x: Value, indices: IndexLists, values: Value, accumulate: bool) -> Value | None:
    """With the same values wherever a mask is set; None: the values differ, or there are other indices."""
    b, given = c.b, [(d, i) for d, i in enumerate(indices) if i is not None]
    dim, mask = given[0]
    rest = x.ndim - dim - mask.ndim
    if len(given) > 1 or mask.dtype is not torch.bool or math.prod(values.shape[:max(0, values.ndim - rest)]) != 1:
        return None
    if x.shape[dim:dim + mask.ndim] != mask.shape:
        raise Left("a mask of another shape")
    values = b.broadcast(b.reshape(b.convert(values, x.dtype), values.shape[max(0, values.ndim - rest):]), x.shape)
    mask = b.broadcast(mask, x.shape, range(dim, dim + mask.ndim))
    return b.select(mask, b.op("or" if x.dtype is torch.bool else "add", x, values) if accumulate else values, x)


def _put(c: Context, x: Value, indices: IndexLists, values: Value, accumulate: bool) -> Value:
    if all(i is None for i in indices):
        values = c.b.broadcast(c.b.convert(values, x.dtype), x.shape)
        return c.b.op("add", x, values) if accumulate else values
    if (where := _put_where(c, x, indices, values, accumulate)) is not None:
        return where
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    dim, index = given[0]
    is_one: bool = len(given) == 1 and math.prod(index.shape) == 1 and is_integer(index.dtype) and index.dtype is not torch.uint8
    if is_one and not accumulate and 0 not in x.shape:
        result = [*x.shape[:dim], *index.shape, *x.shape[dim + 1:]]
        place = wrapped(c, c.b.reshape(index, ()), x.shape[dim], _out_of_bounds(dim, x.shape[dim], "IndexError"))
        return put_slice(c, x, dim, place, c.b.broadcast(c.b.convert(values, x.dtype), result))
    dims, spread, shape, at = _advanced(c, x, indices)
    window = [s for d, s in enumerate(x.shape) if d not in dims]
    result = [*window[:at], *shape, *window[at:]]
    if math.prod(result) == 0:
        return x
    work = wide(x.dtype) if accumulate else x.dtype
    updates = c.b.broadcast(c.b.convert(values, work), result)
    sum_of = "or" if x.dtype is torch.bool else "add"
    function: Body = (lambda old, new: [c.b.op(sum_of, old, new)]) if accumulate else _replace
    offset = [d for d in range(len(result)) if not at <= d < at + len(shape)]
    scattered = c.b.scatter(c.b.convert(x, work), _vectors(c, spread), updates, function, window=offset, inserted=dims, index_map=dims, vector_dim=len(shape))
    return c.b.convert(scattered, x.dtype)


@lowers("aten.index_put.default", "aten._unsafe_index_put.default")
def index_put(c: Context, x: Value, indices: IndexLists, values: Value, accumulate: bool = False, *_unsafe: Any) -> Value:
    if values.dtype is not x.dtype:
        raise Left("values of another type")
    return _put(c, x, indices, values, accumulate)


def _along(c: Context, dim: int, index: Value) -> list[Value | None]:
    """As a list for index_put."""
    return [*([None] * dim), c.b.reshape(index, (math.prod(index.shape),))]


@lowers("aten.index_add.default")
def index_add(c: Context, x: Value, dim: int, index: Value, source: Value, *, alpha: Any = 1) -> Value:
    scaled = source if alpha == 1 else c.b.op("multiply", source, c.b.like(alpha, source))
    if x.ndim == 0:
        return c.b.op("add", x, c.b.reshape(scaled, ()))
    return _put(c, x, _along(c, normal_dim(dim, x.ndim), within(c, index, x.shape[dim], "IndexError: index out of range in self")), scaled, True)


@lowers("aten.index_copy.default")
def index_copy(c: Context, x: Value, dim: int, index: Value, source: Value) -> Value:
    if x.ndim == 0:
        return c.b.reshape(source, ())
    dim = normal_dim(dim, x.ndim)
    index = within(c, index, x.shape[dim], _out_of_bounds(dim, x.shape[dim], "IndexError"))
    if math.prod(index.shape) == 1:
        return put_slice(c, x, dim, index, source)
    return _put(c, x, _along(c, dim, index), source, False)


@lowers("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def index_fill(c: Context, x: Value, dim: int, index: Value, value: Any) -> Value:
    filling = c.b.convert(value, x.dtype) if isinstance(value, Value) else c.scalar(value, x.dtype)
    if x.ndim == 0:
        return filling if math.prod(index.shape) else x
    return _put(c, x, _along(c, normal_dim(dim, x.ndim), index), filling, False)


@lowers("aten.take.default")
def take(c: Context, x: Value, index: Value) -> Value:
    size = math.prod(x.shape)
    index = wrapped(c, index, size, "IndexError: out of range: tried to access index of a tensor")
    return take_rows(c, c.b.reshape(x, (size,)), 0, index)


@lowers("aten.put.default")
def put(c: Context, x: Value, index: Value, source: Value, accumulate: bool = False) -> Value:
    flat = c.b.reshape(x, (math.prod(x.shape),))
    source = c.b.reshape(source, (math.prod(source.shape),))
    return c.b.reshape(_put(c, flat, [c.b.reshape(index, source.shape)], source, accumulate), x.shape)


# ----------------------------------------------------------------------------------------------------------------------
# gather and scatter
# ----------------------------------------------------------------------------------------------------------------------


@lowers("aten.gather.default")
def gather(c: Context, x: Value, dim: int, index: Value, *, sparse_grad: bool = False) -> Value:  # pylint: disable=unused-argument
    if math.prod(index.shape) == 0:
        return c.b.constant(0, c.dtype, c.shape)
    if x.ndim == 0:
        within(c, index, 1, _out_of_bounds(dim, 1))
        return c.b.reshape(x, c.shape) if index.ndim <= 1 else c.b.broadcast(x, c.shape)
    dim = normal_dim(dim, x.ndim)
    if index.ndim == 0:
        index = c.b.reshape(index, (1,))
    index = within(c, index, x.shape[dim], _out_of_bounds(dim, x.shape[dim]))
    return c.b.reshape(take_along(c, x, dim, index), c.shape)


def take_along(c: Context, x: Value, dim: int, index: Value) -> Value:
    """An element for each of the index: the one at the same place, but in the dimension at the index."""
    others = [d for d in range(x.ndim) if d != dim]
    x = c.b.slice(x, [0] * x.ndim, [x.shape[d] if d == dim else index.shape[d] for d in range(x.ndim)])
    return c.b.gather(x, index, [1] * x.ndim, index.shape, offset=[], collapsed=[dim], index_map=[dim], vector_dim=index.ndim, batching=others, index_batching=others)


_NO_REDUCTION, _MEAN = 0, 1


@lowers("aten.nll_loss_forward.default", "aten.nll_loss2d_forward.default")
def nll_loss(c: Context, x: Value, target: Value, weight: Value | None, reduction: int, ignored: int) -> tuple[Value, Value]:
    """The negative of the target's element, weighted; and the sum of the weights."""
    b, dim, dtype = c.b, min(1, x.ndim - 1), wide(x.dtype)
    kept = b.compare(target, b.like(ignored, target), "NE")
    index = within(c, b.select(kept, target, b.like(0, target)), x.shape[dim], "IndexError: Target is out of bounds.")
    if not math.prod(x.shape):
        raise Left("a loss of nothing")
    one = [*target.shape[:dim], 1, *target.shape[dim:]]
    picked = b.convert(b.reshape(take_along(c, x, dim, b.reshape(index, one)), target.shape), dtype)
    weights = b.constant(1, dtype, target.shape) if weight is None else b.convert(take_rows(c, weight, 0, index), dtype)
    weights = b.select(kept, weights, b.like(0, weights))
    losses = b.select(kept, b.op("negate", b.op("multiply", picked, weights)), b.like(0, picked))
    if reduction == _NO_REDUCTION and x.ndim > 1:
        return b.convert(losses, x.dtype), b.constant(0, c.out[1].dtype, tuple(c.out[1].shape))
    total, sum_of_weights = (b.reduce(v, "add", 0, range(v.ndim)) if v.ndim else v for v in (losses, weights))
    result = b.op("divide", total, sum_of_weights) if reduction == _MEAN else total
    return b.convert(result, x.dtype), b.convert(sum_of_weights, x.dtype)


def _scatter(c: Context, x: Value, dim: int, index: Value, updates: Value, function: Body) -> Value:
    """By an index as aten.gather has it: for each of the updates' elements one; updates may be larger."""
    rank = max(1, x.ndim)
    shape = x.shape or (1,)
    index, updates = (c.b.reshape(v, v.shape or (1,)) for v in (index, updates))
    dim = normal_dim(dim, rank)
    if math.prod(index.shape) == 0:
        return x
    index = within(c, index, shape[dim], _out_of_bounds(dim, shape[dim]))
    updates = c.b.slice(updates, [0] * rank, index.shape)
    places = [index if d == dim else c.b.iota(torch.int64, index.shape, d) for d in range(rank)]
    dims = list(range(rank))
    return c.b.reshape(c.b.scatter(c.b.reshape(x, shape), _vectors(c, places), updates, function, window=[], inserted=dims, index_map=dims, vector_dim=rank), x.shape)


@lowers("aten.scatter.src", "aten.scatter.value")
def scatter(c: Context, x: Value, dim: int, index: Value, source: Any) -> Value:
    updates = source if isinstance(source, Value) else c.b.constant(source, x.dtype, index.shape)
    if updates.dtype is not x.dtype:
        raise Left("updates of another type")
    return _scatter(c, x, dim, index, updates, _replace)


@lowers("aten.scatter_add.default")
def scatter_add(c: Context, x: Value, dim: int, index: Value, source: Value) -> Value:
    return scatter_reduce(c, x, dim, index, source, "sum")


@lowers("aten.scatter.reduce", "aten.scatter.value_reduce")
def scatter_with(c: Context, x: Value, dim: int, index: Value, source: Any, *, reduce: str) -> Value:
    updates = source if isinstance(source, Value) else c.b.constant(source, x.dtype, index.shape)
    return scatter_reduce(c, x, dim, index, updates, {"add": "sum", "multiply": "prod"}[reduce])


def _count(c: Context, x: Value, dim: int, index: Value) -> Value:
    """How many updates go to each element."""
    zeros, one = c.b.constant(0, torch.int64, x.shape), c.b.constant(1, torch.int64, index.shape)
    return _scatter(c, zeros, dim, index, one, lambda old, new: [c.b.op("add", old, new)])


@lowers("aten.scatter_reduce.two")
def scatter_reduce(c: Context, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True) -> Value:
    b = c.b
    is_bool = x.dtype is torch.bool
    if source.dtype is not x.dtype or (x.dtype.is_complex and reduce in ("amax", "amin")) or (is_bool and reduce == "mean"):
        raise Left(f"{reduce} in {x.dtype}")
    name = ({"sum": "or", "prod": "and", "amax": "or", "amin": "and"} if is_bool
            else {"sum": "add", "prod": "multiply", "mean": "add", "amax": "maximum", "amin": "minimum"})[reduce]
    work = wide(x.dtype)
    start, updates = b.convert(x, work), b.convert(source, work)
    count = _count(c, x, dim, index) if not include_self or reduce == "mean" else None
    if not include_self:
        neutral = lowest(work) if name == "maximum" else highest(work) if name == "minimum" else {"add": 0, "multiply": 1, "or": False, "and": True}[name]
        assert count is not None
        start = b.select(b.compare(count, b.like(0, count), "GT"), b.like(neutral, start), start)
    result = _scatter(c, start, dim, index, updates, lambda old, new: [b.op(name, old, new)])
    if reduce == "mean":
        assert count is not None
        total = b.op("add", count, b.like(1, count)) if include_self else b.op("maximum", count, b.like(1, count))
        divisor = b.convert(total, work)
        result = b.op("divide", result, divisor)
        if is_integer(x.dtype):
            quotient_of = b.op("subtract", _scatter(c, start, dim, index, updates, lambda old, new: [b.op(name, old, new)]), b.op("multiply", result, divisor))
            below = b.compare(quotient_of, b.like(0, quotient_of), "LT")
            result = b.select(below, b.op("subtract", result, b.like(1, result)), result)  # rounded down
    return b.convert(result, x.dtype)


@lowers("aten.index_reduce.default")
def index_reduce(c: Context, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True) -> Value:
    """As a scatter of whole slices."""
    if x.ndim == 0:
        x, source = c.b.reshape(x, (1,)), c.b.reshape(source, (1,))
    dim = normal_dim(dim, x.ndim)
    index = c.b.broadcast(c.b.reshape(index, (math.prod(index.shape),)), source.shape, [dim])
    return c.b.reshape(scatter_reduce(c, x, dim, index, source, reduce, include_self=include_self), c.shape)


@lowers("aten.masked_scatter_backward.default")
def masked_scatter_backward(c: Context, gradient: Value, mask: Value, sizes: Sequence[int]) -> Value:
    """Gradients where the mask is set, one behind the other."""
    b, count, size = c.b, math.prod(gradient.shape), math.prod(sizes)
    if not count or not size:
        return b.constant(0, c.dtype, c.shape)
    mask = b.reshape(b.broadcast(mask, gradient.shape), (count,))
    number = b.cumulative(b.convert(mask, torch.int64), "add", 0, 0)
    place = b.op("minimum", b.select(mask, b.op("subtract", number, b.like(1, number)), b.like(size, number)), b.like(size, number))
    zeros = b.constant(0, c.dtype, (size + 1,))
    put = b.scatter(zeros, b.reshape(place, (count, 1)), b.reshape(gradient, (count,)), _replace, window=[], inserted=[0], index_map=[0], vector_dim=1)
    return b.reshape(b.slice(put, [0], [size]), c.shape)


@lowers("aten.masked_scatter.default")
def masked_scatter(c: Context, x: Value, mask: Value, source: Value) -> Value:
    b = c.b
    x = b.broadcast(x, c.shape)
    mask = b.reshape(b.broadcast(mask, x.shape), (math.prod(x.shape),))
    size = math.prod(source.shape)
    if not size or not math.prod(x.shape) or x.dtype is not source.dtype:
        raise Left("a source without elements, or of another type")
    count = b.cumulative(b.convert(mask, torch.int64), "add", 0, 0)
    place = b.op("maximum", b.op("subtract", count, b.like(1, count)), b.like(0, count))
    c.check(b.compare(count, b.like(size, count), "LE"), "RuntimeError: masked_scatter: expected the source to have at least as many elements as the mask")
    taken = take_rows(c, b.reshape(source, (size,)), 0, place)
    return b.reshape(b.select(mask, taken, b.reshape(x, mask.shape)), x.shape)


@lowers("aten.embedding_dense_backward.default")
def embedding_dense_backward(c: Context, gradient: Value, index: Value, num_weights: int, padding_idx: int, scale_by_freq: bool) -> Value:
    if scale_by_freq:
        raise Left("gradients scaled by frequency")
    b, work = c.b, wide(c.dtype)
    flat = b.convert(b.reshape(index, (math.prod(index.shape),)), torch.int64)
    rows = b.convert(b.reshape(gradient, (*flat.shape, gradient.shape[-1])), work)
    if not math.prod(rows.shape):
        return b.constant(0, c.dtype, c.shape)
    padding = b.broadcast(b.compare(flat, b.like(padding_idx, flat), "EQ"), rows.shape, [0])
    rows = b.select(padding, b.like(0, rows), rows)
    zeros = b.constant(0, work, (num_weights, gradient.shape[-1]))
    return b.convert(_put(c, zeros, [flat], rows, True), c.dtype)
