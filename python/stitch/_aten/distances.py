# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distances between rows, and products of three tensors."""
import math
from collections.abc import Sequence

import torch

from .builder import Value
from .table import Context, Left, lowers, normal_dim, wide


def _differences(c: Context, x: Value, y: Value) -> Value:
    """[.., P, R, M] of rows [.., P, M] and [.., R, M]."""
    if x.dtype is not y.dtype or not x.is_float:
        raise Left("distances of other types")
    batch = list(torch.broadcast_shapes(x.shape[:-2], y.shape[:-2]))
    shape = [*batch, x.shape[-2], y.shape[-2], x.shape[-1]]
    rows = c.b.broadcast(c.b.reshape(x, (*x.shape[:-1], 1, x.shape[-1])), shape)
    columns = c.b.broadcast(c.b.reshape(y, (*y.shape[:-2], 1, *y.shape[-2:])), shape)
    return c.b.op("subtract", rows, columns)


@lowers("aten._cdist_forward.default")
def cdist(c: Context, x: Value, y: Value, p: float, _mode: int | None) -> Value:
    b = c.b
    if 0 in (*x.shape, *y.shape):
        return b.constant(0, c.dtype, c.shape)
    size = b.op("abs", _differences(c, x, y))
    last = [size.ndim - 1]
    if math.isinf(p):
        return b.reduce(size, "maximum", -math.inf, last)
    if p == 0:
        return b.reduce(b.convert(b.compare(size, b.like(0, size), "NE"), c.dtype), "add", 0, last)
    if p == 1:
        return b.reduce(size, "add", 0, last)
    if p == 2:
        return b.op("sqrt", b.reduce(b.op("multiply", size, size), "add", 0, last))
    total = b.reduce(b.op("power", size, b.like(p, size)), "add", 0, last)
    return b.op("power", total, b.like(1 / p, total))


@lowers("aten._cdist_backward.default")
def cdist_backward(c: Context, gradient: Value, x: Value, y: Value, p: float, distance: Value) -> Value:
    """Of x, which has the whole batch; no gradient where two rows are the same."""
    b = c.b
    if 0 in (*x.shape, *y.shape) or p == 0:
        return b.constant(0, c.dtype, c.shape)
    rest = _differences(c, x, y)
    zero, one = b.like(0, rest), b.like(1, rest)
    whole = list(range(rest.ndim - 1))
    gradient, distance = (b.broadcast(v, rest.shape, whole) for v in (gradient, distance))
    size = b.op("abs", rest)
    sign = b.select(b.compare(rest, zero, "LT"), b.op("negate", one), b.select(b.compare(rest, zero, "GT"), one, zero))
    nowhere = b.compare(distance, zero, "EQ")
    if p == 1:
        shares = b.op("multiply", gradient, sign)
    elif math.isinf(p):
        shares = b.select(b.compare(size, distance, "EQ"), b.op("multiply", gradient, sign), zero)
    elif p == 2:
        shares = b.select(nowhere, zero, b.op("multiply", gradient, b.op("divide", rest, distance)))
    else:
        if p < 2:
            nowhere = b.op("or", nowhere, b.compare(rest, zero, "EQ"))
        power = b.like(p - 1, rest)
        shares = b.op("divide", b.op("multiply", gradient, b.op("multiply", sign, b.op("power", size, power))), b.op("power", distance, power))
        shares = b.select(nowhere, zero, shares)
    return b.reduce(shares, "add", 0, [rest.ndim - 2])


@lowers("aten._pdist_forward.default")
def pdist(c: Context, x: Value, p: float = 2) -> Value:
    """The distances of row i and each row behind it."""
    count = x.shape[0]
    if count < 2 or not x.shape[1]:
        return c.b.constant(0, c.dtype, c.shape)
    whole = c.b.reshape(cdist(c, x, x, p, None), (count * count,))
    places = torch.triu_indices(count, count, 1)
    index = c.b.tensor(places[0] * count + places[1])
    return c.b.gather(whole, index, [1], c.shape, offset=[], collapsed=[0], index_map=[0], vector_dim=1)


@lowers("aten._trilinear.default")
def trilinear(c: Context, x: Value, y: Value, z: Value, expand1: Sequence[int], expand2: Sequence[int], expand3: Sequence[int], sums: Sequence[int],
              _unroll: int = 1) -> Value:
    """The sum of products, each operand with dimensions of size 1 where it is expanded."""
    b, rank = c.b, x.ndim + len(expand1)
    values = []
    for value, expanded in ((x, expand1), (y, expand2), (z, expand3)):
        at = {normal_dim(d, rank) for d in expanded}
        sizes = iter(value.shape)
        values.append(b.convert(b.reshape(value, [1 if d in at else next(sizes) for d in range(rank)]), wide(c.dtype)))
    shape = list(torch.broadcast_shapes(*(v.shape for v in values)))
    first, second, third = (b.broadcast(v, shape) for v in values)
    product = b.op("multiply", b.op("multiply", first, second), third)
    dims = sorted(normal_dim(d, rank) for d in sums)
    return b.convert(b.reduce(product, "add", 0, dims) if dims else product, c.dtype)
