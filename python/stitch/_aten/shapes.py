# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that make tensors or move elements. A view of a tensor is its elements in row-major order, whatever its strides; as_strided, which
reads memory, takes the strides that PyTorch's fake tensor has."""
import math
from collections.abc import Sequence
from typing import Any

import torch

from . import pointwise  # noqa: F401  (fills the table)
from .builder import Value
from .table import LOWERINGS, TAKES_SCALARS, Context, Left, Scalar, fixed, lowers, normal_dim

# ----------------------------------------------------------------------------------------------------------------------
# Sources
# ----------------------------------------------------------------------------------------------------------------------


@lowers("aten.full.default", scalars=True)
def full(c: Context, size: Sequence[Any], value: Any, **_kwargs: Any) -> Value:
    for s in size:
        fixed(s)
    return c.operand(value, c.dtype)


@lowers("aten.scalar_tensor.default", scalars=True)
def scalar_tensor(c: Context, value: Any, **_kwargs: Any) -> Value:
    return c.scalar(value, c.dtype)


@lowers("aten.full_like.default", "aten.fill.Scalar", "aten.fill.Tensor", scalars=True)
def full_like(c: Context, _x: Value, value: Any, **_kwargs: Any) -> Value:
    return c.operand(value, c.dtype)


@lowers("aten.new_full.default")
def new_full(c: Context, _x: Value, _size: Any, value: Any, **_kwargs: Any) -> Value:
    return c.operand(value, c.dtype)


@lowers("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default", "aten._efficientzerotensor.default", "aten.empty.memory_format", "aten.empty_like.default",
        "aten.new_empty.default", "aten.empty_strided.default", "aten.new_empty_strided.default", "aten.empty_permuted.default", "prims.empty_strided.default")
def zeros(c: Context, *_args: Any, **_kwargs: Any) -> Value:
    return c.b.constant(0, c.dtype, c.shape)


@lowers("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(c: Context, *_args: Any, **_kwargs: Any) -> Value:
    return c.b.constant(1, c.dtype, c.shape)


@lowers("aten.arange.default", "aten.arange.start", "aten.arange.start_step")
def arange(c: Context, *args: Any, **_kwargs: Any) -> Value:
    start, step = (0 if len(args) == 1 else args[0]), (args[2] if len(args) == 3 else 1)
    if c.dtype.is_floating_point:
        work = torch.float32 if c.dtype.itemsize < 4 else c.dtype
        if c.dtype is torch.float32 and not (float(start).is_integer() and float(step).is_integer()):
            work = torch.float64  # which PyTorch computes in, too
        count = c.b.iota(work, c.shape, 0)
        return c.b.convert(c.b.op("add", c.b.like(start, count), c.b.op("multiply", count, c.b.like(step, count))), c.dtype)
    count = c.b.iota(torch.int64, c.shape, 0)
    return c.b.convert(c.b.op("add", c.b.like(int(start), count), c.b.op("multiply", count, c.b.like(int(step), count))), c.dtype)


def _window(name: str, overload: str) -> None:
    """A window of signal processing: PyTorch's own elements."""
    operator = getattr(getattr(torch.ops.aten, f"{name}_window"), overload)

    @lowers(f"aten.{name}_window.{overload}")
    def lowered(c: Context, *args: Any, **_kwargs: Any) -> Value:
        return c.b.tensor(operator(*args, dtype=c.dtype))


for _name, _overloads in {"hann": ("default", "periodic"), "hamming": ("default", "periodic", "periodic_alpha", "periodic_alpha_beta"), "blackman": ("default", "periodic"),
                          "bartlett": ("default", "periodic"), "kaiser": ("default", "periodic", "beta")}.items():
    for _overload in _overloads:
        _window(_name, _overload)


@lowers("prims.iota.default")
def iota(c: Context, _length: int, *, start: Any, step: Any, **_kwargs: Any) -> Value:
    return arange(c, start, 0, step)


# ----------------------------------------------------------------------------------------------------------------------
# Views
# ----------------------------------------------------------------------------------------------------------------------


@lowers("aten.view.default", "aten._unsafe_view.default", "aten.reshape.default", "aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims",
        "aten.unsqueeze.default", "aten.flatten.using_ints", "aten.unflatten.int", "aten._reshape_alias.default", "prims.collapse_view.default")
def view(c: Context, x: Value, *_args: Any) -> Value:
    return c.b.reshape(x, c.shape)


@lowers("aten.permute.default", "prims.transpose.default")
def permute(c: Context, x: Value, dims: Sequence[int]) -> Value:
    return c.b.transpose(x, [normal_dim(d, x.ndim) for d in dims])


@lowers("aten.transpose.int", "aten.t.default")
def transpose(c: Context, x: Value, first: int = 0, second: int = 1) -> Value:
    order = list(range(x.ndim))
    if x.ndim > 1:
        first, second = normal_dim(first, x.ndim), normal_dim(second, x.ndim)
        order[first], order[second] = order[second], order[first]
    return c.b.transpose(x, order)


@lowers("aten.expand.default", "aten.broadcast_to.default")
def expand(c: Context, x: Value, *_args: Any, **_kwargs: Any) -> Value:
    return c.b.broadcast(x, c.shape)


@lowers("prims.broadcast_in_dim.default")
def broadcast_in_dim(c: Context, x: Value, _shape: Any, dims: Sequence[int]) -> Value:
    return c.b.broadcast(x, c.shape, dims)


def _starts(c: Context, x: Value, dim: int, start: Any) -> list[Value]:
    """Where a slice begins that begins in a dimension at `start`, which counts from the end if it is negative."""
    value, zero = c.scalar(start, torch.int64), c.b.constant(0, torch.int64)
    value = c.b.select(c.b.compare(value, zero, "LT"), c.b.op("add", value, c.b.constant(x.shape[dim], torch.int64)), value)
    return [value if d == dim else zero for d in range(x.ndim)]


@lowers("aten.select.int", scalars=True)
def select(c: Context, x: Value, dim: Any, index: Any) -> Value:
    dim = normal_dim(fixed(dim), x.ndim)
    if isinstance(index, Scalar):
        found = c.b.dynamic_slice(x, _starts(c, x, dim, index), [1 if d == dim else s for d, s in enumerate(x.shape)])
        return c.b.reshape(found, c.shape)
    index = normal_dim(index, x.shape[dim])
    return c.b.reshape(c.b.slice_dim(x, dim, index, index + 1), c.shape)


def _range(size: int, start: int | None, end: int | None) -> tuple[int, int]:
    """A slice's start and end in [0, size]."""
    start, end = (0 if start is None else start), (size if end is None else end)
    start, end = (v + size if v < 0 else v for v in (start, end))
    start = min(max(start, 0), size)
    return start, min(max(end, start), size)


@lowers("aten.slice.Tensor", scalars=True)
def slice_(c: Context, x: Value, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Value:
    dim, step = normal_dim(fixed(dim), x.ndim), fixed(step)
    if isinstance(start, Scalar) and step == 1 and c.is_static:  # then the end has no say
        return c.b.dynamic_slice(x, _starts(c, x, dim, start), c.shape)
    start, end = fixed(start), fixed(end)
    return c.b.slice_dim(x, dim, *_range(x.shape[dim], start, end), step)


@lowers("aten.narrow_copy.default")
def narrow_copy(c: Context, x: Value, dim: int, start: int, length: int) -> Value:
    dim = normal_dim(dim, x.ndim)
    start = start + x.shape[dim] if start < 0 else start
    return c.b.slice_dim(x, dim, start, start + length)


@lowers("aten.slice_scatter.default", scalars=True)
def slice_scatter(c: Context, x: Value, source: Value, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Value:
    dim, step = normal_dim(fixed(dim), x.ndim), fixed(step)
    if isinstance(start, Scalar) and step == 1:  # as long as the source
        return c.b.dynamic_update_slice(x, c.b.convert(source, x.dtype), _starts(c, x, dim, start))
    start, end = _range(x.shape[dim], fixed(start), fixed(end))
    source = c.b.broadcast(c.b.convert(source, x.dtype), [max(0, -(-(end - start) // step)) if d == dim else s for d, s in enumerate(x.shape)])
    if step == 1:
        return c.b.dynamic_update_slice(x, source, _starts(c, x, dim, start)) if end > start else x
    low, high, interior = [0] * x.ndim, [0] * x.ndim, [0] * x.ndim
    count = source.shape[dim]
    low[dim], interior[dim] = start, step - 1
    high[dim] = x.shape[dim] - start - (max(0, count - 1) * step + min(count, 1))
    spread = c.b.pad(source, c.b.constant(0, x.dtype), low, high, interior)
    place = c.b.iota(torch.int64, x.shape, dim)
    hit = c.b.op("and", c.b.compare(place, c.b.like(start, place), "GE"), c.b.compare(place, c.b.like(end, place), "LT"))
    offset = c.b.op("remainder", c.b.op("subtract", place, c.b.like(start, place)), c.b.like(step, place))
    return c.b.select(c.b.op("and", hit, c.b.compare(offset, c.b.like(0, offset), "EQ")), spread, x)


@lowers("aten.select_scatter.default", scalars=True)
def select_scatter(c: Context, x: Value, source: Value, dim: Any, index: Any) -> Value:
    dim = normal_dim(fixed(dim), x.ndim)
    update = c.b.reshape(c.b.convert(source, x.dtype), [1 if d == dim else s for d, s in enumerate(x.shape)])
    return c.b.dynamic_update_slice(x, update, _starts(c, x, dim, index))


@lowers("aten.split_with_sizes.default", "aten.split.Tensor", "aten.unbind.int", "aten.chunk.default", "aten.split_with_sizes_copy.default")
def split(c: Context, x: Value, *args: Any) -> list[Value]:
    """Parts as large as PyTorch says, one behind the other."""
    is_unbind = bool(c.out) and c.out[0].ndim < x.ndim
    dim = normal_dim((args[0] if args else 0) if is_unbind else (args[1] if len(args) > 1 else 0), x.ndim)
    parts, start = [], 0
    for part in c.out:
        end = start + (1 if is_unbind else part.shape[dim])
        parts.append(c.b.reshape(c.b.slice_dim(x, dim, start, end), part.shape))
        start = end
    return parts


@lowers("aten.cat.default", "aten.concatenate.default")
def cat(c: Context, tensors: Sequence[Value], dim: int = 0) -> Value:
    dim = normal_dim(dim, len(c.shape))
    parts = [c.b.convert(t, c.dtype) for t in tensors if not (t.shape == (0,) and len(c.shape) != 1)]  # such are skipped, of whatever rank the others are
    return c.b.concatenate(parts, dim) if parts else c.b.constant(0, c.dtype, c.shape)


@lowers("aten.stack.default")
def stack(c: Context, tensors: Sequence[Value], dim: int = 0) -> Value:
    dim = normal_dim(dim, len(c.shape))
    shape = [*c.shape[:dim], 1, *c.shape[dim + 1:]]
    return c.b.concatenate([c.b.reshape(c.b.convert(t, c.dtype), shape) for t in tensors], dim)


@lowers("aten.repeat.default")
def repeat(c: Context, x: Value, repeats: Sequence[int]) -> Value:
    shape = [1] * (len(repeats) - x.ndim) + list(x.shape)
    pairs = [n for r, s in zip(repeats, shape, strict=True) for n in (r, s)]
    return c.b.reshape(c.b.broadcast(c.b.reshape(x, shape), pairs, range(1, 2 * len(shape), 2)), c.shape)


@lowers("aten.flip.default", "prims.rev.default")
def flip(c: Context, x: Value, dims: Sequence[int]) -> Value:
    return c.b.reverse(x, sorted(normal_dim(d, x.ndim) for d in dims)) if x.ndim else x


@lowers("aten.roll.default")
def roll(c: Context, x: Value, shifts: Any, dims: Any = ()) -> Value:
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    flat = not dims
    result = c.b.reshape(x, (math.prod(x.shape),)) if flat else x
    for shift, dim in zip(shifts, dims or [0], strict=True):
        dim = normal_dim(dim, result.ndim)
        size = result.shape[dim]
        cut = -shift % size if size else 0
        if cut:
            result = c.b.concatenate([c.b.slice_dim(result, dim, cut, size), c.b.slice_dim(result, dim, 0, cut)], dim)
    return c.b.reshape(result, x.shape)


@lowers("aten.constant_pad_nd.default")
def constant_pad(c: Context, x: Value, pad: Sequence[int], value: Any = 0) -> Value:
    low, high = [0] * x.ndim, [0] * x.ndim
    for i in range(len(pad) // 2):
        low[x.ndim - 1 - i], high[x.ndim - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return c.b.pad(x, c.scalar(value, x.dtype), low, high)


@lowers("aten.diagonal.default")
def diagonal(c: Context, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    dim1, dim2 = normal_dim(dim1, x.ndim), normal_dim(dim2, x.ndim)
    count = c.shape[-1]
    others = [d for d in range(x.ndim) if d not in (dim1, dim2)]
    moved = c.b.transpose(x, [*others, dim1, dim2])
    sizes, k = [x.shape[d] for d in others], len(others)
    moved = c.b.slice(moved, [0] * k + [max(0, -offset), max(0, offset)], [*sizes, max(0, -offset) + count, max(0, offset) + count])
    shape = [*sizes, count, count]
    same = c.b.compare(c.b.iota(torch.int64, shape, k), c.b.iota(torch.int64, shape, k + 1), "EQ")
    if x.dtype is torch.bool:
        return c.b.reduce(c.b.op("and", same, moved), "or", False, [k + 1])
    return c.b.reduce(c.b.select(same, moved, c.b.like(0, moved)), "add", 0, [k + 1])


@lowers("aten.diagonal_scatter.default")
def diagonal_scatter(c: Context, x: Value, source: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    dim1, dim2 = normal_dim(dim1, x.ndim), normal_dim(dim2, x.ndim)
    others = [d for d in range(x.ndim) if d not in (dim1, dim2)]
    rows, columns = (c.b.iota(torch.int64, x.shape, d) for d in (dim1, dim2))
    hit = c.b.compare(columns, c.b.op("add", rows, c.b.like(offset, rows)), "EQ")
    count, at = source.shape[-1], dim1 if offset < 0 else dim2  # along which the source begins later
    low, high = [0] * source.ndim, [0] * source.ndim
    low[-1] = abs(offset) if offset else 0
    high[-1] = x.shape[at] - low[-1] - count
    padded = c.b.pad(c.b.convert(source, x.dtype), c.b.constant(0, x.dtype), low, high)
    return c.b.select(hit, c.b.broadcast(padded, x.shape, [*others, at]), x)


def _triangle(c: Context, x: Value, diagonal: int, direction: str) -> Value:  # pylint: disable=redefined-outer-name
    rows, columns = (c.b.iota(torch.int64, x.shape, x.ndim - i) for i in (2, 1))
    kept = c.b.compare(c.b.op("subtract", columns, rows), c.b.like(diagonal, rows), direction)
    return c.b.select(kept, x, c.b.like(0, x))


@lowers("aten.tril.default")
def tril(c: Context, x: Value, diagonal: int = 0) -> Value:  # pylint: disable=redefined-outer-name
    return _triangle(c, x, diagonal, "LE")


@lowers("aten.triu.default")
def triu(c: Context, x: Value, diagonal: int = 0) -> Value:  # pylint: disable=redefined-outer-name
    return _triangle(c, x, diagonal, "GE")


@lowers("aten.unfold.default")
def unfold(c: Context, x: Value, dim: int, size: int, step: int) -> Value:
    if x.ndim == 0:
        return c.b.reshape(x, c.shape)
    dim = normal_dim(dim, x.ndim)
    count = c.shape[dim]
    parts = [c.b.slice_dim(x, dim, i, i + (count - 1) * step + 1, step) for i in range(size)] if count else []
    if len(parts) > 64:
        raise Left("windows of more than 64 elements")
    return c.b.concatenate([c.b.reshape(p, (*p.shape, 1)) for p in parts], x.ndim) if parts else c.b.constant(0, c.dtype, c.shape)


# ----------------------------------------------------------------------------------------------------------------------
# Memory
# ----------------------------------------------------------------------------------------------------------------------


def memory_order(sizes: Sequence[int], strides: Sequence[int]) -> list[int] | None:
    """The dimensions from the outermost in memory, of a tensor without gaps and overlaps; None: it is none."""
    if math.prod(sizes) == 0:
        return list(range(len(sizes)))
    order = sorted(range(len(sizes)), key=lambda d: (-strides[d], -sizes[d], d))
    expected = 1
    for d in reversed(order):
        if sizes[d] != 1 and strides[d] != expected:
            return None
        expected *= sizes[d]
    return order


def _in_memory(c: Context, x: Value, size: Sequence[int], stride: Sequence[int], storage_offset: int | None) -> tuple[Value, Value]:
    """The elements of a tensor as they are in memory, and the place of each that is read there."""
    order = memory_order(x.shape, x.fake.stride())
    begin = x.fake.storage_offset()
    first = (begin if storage_offset is None else storage_offset) - begin
    last = first + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if order is None or first < 0 or last >= math.prod(x.shape):
        raise Left("it reads beyond the tensor, or one with gaps in memory")
    places = c.b.constant(first, torch.int64, size)
    for d, s in enumerate(stride):
        counted = c.b.iota(torch.int64, size, d)
        places = c.b.op("add", places, c.b.op("multiply", counted, c.b.like(s, counted)))
    return c.b.reshape(c.b.transpose(x, order), (math.prod(x.shape),)), places


@lowers("aten.as_strided.default")
def as_strided(c: Context, x: Value, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Value:
    if math.prod(size) == 0:
        return c.b.constant(0, c.dtype, c.shape)
    flat, places = _in_memory(c, x, size, stride, storage_offset)
    if memory_order(size, stride) == list(range(len(size))):
        first = 0 if storage_offset is None else storage_offset - x.fake.storage_offset()
        return c.b.reshape(c.b.slice(flat, [first], [first + math.prod(size)]), c.shape)
    return c.b.gather(flat, places, [1], size, offset=[], collapsed=[0], index_map=[0], vector_dim=len(size))


@lowers("aten.as_strided_scatter.default", "prims.as_strided_scatter.default")
def as_strided_scatter(c: Context, x: Value, source: Value, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Value:
    """Several elements at one place: PyTorch does not say which one stays."""
    if math.prod(size) == 0:
        return x
    flat, places = _in_memory(c, x, size, stride, storage_offset)
    order = memory_order(x.shape, x.fake.stride())
    assert order is not None
    source = c.b.broadcast(c.b.convert(source, x.dtype), size)
    put = c.b.scatter(flat, c.b.reshape(places, (*places.shape, 1)), source, lambda _old, new: [new], window=[], inserted=[0], index_map=[0], vector_dim=places.ndim)
    return c.b.transpose(c.b.reshape(put, [x.shape[d] for d in order]), [order.index(d) for d in range(x.ndim)])


for _name in ("permute.default", "transpose.int", "t.default", "view.default", "view.dtype", "select.int", "slice.Tensor", "squeeze.default", "squeeze.dim",
              "squeeze.dims", "unsqueeze.default", "expand.default", "as_strided.default", "unfold.default", "split.Tensor", "unbind.int", "diagonal.default",
              "alias.default", "detach.default"):
    _op, _, _overload = _name.partition(".")
    lowers(f"aten.{_op}_copy.{_overload}", scalars=f"aten.{_name}" in TAKES_SCALARS)(LOWERINGS[f"aten.{_name}"])
