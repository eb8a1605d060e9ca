# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bags of rows of a table, with sums, means or maxima of each bag, and their gradients."""
import math
from typing import Any

import torch

from .builder import Value
from .indexing import take_rows, within
from .searches import bisected
from .table import Context, Left, lowers, lowest, wide

_SUM, _MEAN, _MAX = range(3)
_ERROR = "RuntimeError: embedding_bag: index out of range"


def _bags(c: Context, offsets: Value, count: int) -> Value:
    """The bag that each index is in, by where the bags begin."""
    b = c.b
    bag = bisected(c, b.convert(offsets, torch.int64), b.iota(torch.int64, (count,), 0), True, None, torch.int64)
    return b.op("subtract", bag, b.like(1, bag))


def _combined(c: Context, start: Value, bag: Value, rows: Value, name: str) -> Value:
    """Rows put together by bags; the last of the result's rows is for those in none."""
    vectors = c.b.reshape(bag, (*bag.shape, 1))
    return c.b.scatter(start, vectors, rows, lambda old, new: [c.b.op(name, old, new)], window=[1] if rows.ndim > 1 else [], inserted=[0], index_map=[0], vector_dim=1)


@lowers("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default")
def embedding_bag(c: Context, weight: Value, indices: Value, offsets: Value, _by_frequency: bool = False, mode: int = _SUM, _sparse: bool = False,
                  sample_weights: Value | None = None, _last: bool = False, padding_idx: int = -1) -> tuple[Value, ...]:
    """With it the bag of each index, and how many each bag has. The index of each maximum is nothing that is needed without gradients."""
    b, count, bags, columns = c.b, indices.shape[0], c.out[0].shape[0], weight.shape[1]
    if mode == _MAX and c.is_used(3):
        raise Left("the gradient of the maxima of bags")
    if not count or not bags or not columns:
        return tuple(b.constant(0, o.dtype, tuple(o.shape)) for o in c.out)
    dtype = wide(weight.dtype)
    index, bag = within(c, indices, weight.shape[0], _ERROR), _bags(c, offsets, count)
    rows = b.convert(take_rows(c, weight, 0, index), dtype)
    if sample_weights is not None:
        rows = b.op("multiply", rows, b.broadcast(b.convert(sample_weights, dtype), rows.shape, [0]))
    at = b.select(b.compare(index, b.like(padding_idx, index), "EQ"), b.like(bags, bag), bag)
    sizes = _combined(c, b.constant(0, torch.int64, (bags + 1,)), at, b.like(1, at), "add")
    number = b.broadcast(b.convert(b.slice(sizes, [0], [bags]), dtype), (bags, columns), [0])
    start = lowest(dtype) if mode == _MAX else 0
    total = b.slice(_combined(c, b.constant(start, dtype, (bags + 1, columns)), at, rows, "maximum" if mode == _MAX else "add"), [0, 0], [bags, columns])
    if mode == _MEAN:
        total = b.op("divide", total, b.op("maximum", number, b.like(1, number)))
    elif mode == _MAX:
        total = b.select(b.compare(number, b.like(0, number), "EQ"), b.like(0, total), total)
    bag_of = b.convert(b.op("minimum", bag, b.like(bags - 1, bag)), c.out[1].dtype) if c.out[1].numel() else b.constant(0, c.out[1].dtype, (0,))
    found_sizes = b.convert(b.slice(sizes, [0], [c.out[2].numel()]), c.out[2].dtype)
    return b.convert(total, c.out[0].dtype), bag_of, found_sizes, b.constant(0, c.out[3].dtype, tuple(c.out[3].shape))


def _kept(c: Context, index: Value, bag: Value, bags: int, padding_idx: int) -> Value:
    """Whether an index is in a bag and no padding."""
    return c.b.op("and", c.b.compare(bag, c.b.like(bags, bag), "LT"), c.b.compare(index, c.b.like(padding_idx, index), "NE"))


@lowers("aten._embedding_bag_backward.default")
def embedding_bag_backward(c: Context, gradient: Value, indices: Value, offsets: Value, _bag_of: Value, sizes: Value, _maxima: Any, num_weights: int, by_frequency: bool,
                           mode: int, sparse: bool, sample_weights: Value | None, padding_idx: int = -1) -> Value:
    if by_frequency or sparse or mode == _MAX:
        raise Left("gradients that are sparse, scaled by frequency, or of the maxima of bags")
    b, dtype = c.b, wide(c.dtype)
    if not math.prod(gradient.shape) or not math.prod(indices.shape):
        return b.constant(0, c.dtype, c.shape)
    index, bag = b.convert(indices, torch.int64), _bags(c, offsets, indices.shape[0])
    rows = b.convert(take_rows(c, gradient, 0, bag), dtype)
    if mode == _MEAN:
        divisor = take_rows(c, b.convert(sizes, dtype), 0, bag)
        rows = b.op("divide", rows, b.broadcast(b.op("maximum", divisor, b.like(1, divisor)), rows.shape, [0]))
    if sample_weights is not None:
        rows = b.op("multiply", rows, b.broadcast(b.convert(sample_weights, dtype), rows.shape, [0]))
    at = b.select(_kept(c, index, bag, gradient.shape[0], padding_idx), index, b.like(num_weights, index))
    total = _combined(c, b.constant(0, dtype, (num_weights + 1, gradient.shape[1])), at, rows, "add")
    return b.convert(b.slice(total, [0, 0], c.shape), c.dtype)


@lowers("aten._embedding_bag_per_sample_weights_backward.default")
def sample_weights_backward(c: Context, gradient: Value, weight: Value, indices: Value, offsets: Value, _bag_of: Value, _mode: int, padding_idx: int = -1) -> Value:
    b, dtype, count = c.b, wide(c.dtype), indices.shape[0]
    if not count or not math.prod(gradient.shape):
        return b.constant(0, c.dtype, c.shape)
    index, bag = b.convert(indices, torch.int64), _bags(c, offsets, count)
    products = b.op("multiply", *(b.convert(take_rows(c, x, 0, i), dtype) for x, i in ((gradient, bag), (weight, index))))
    total = b.reduce(products, "add", 0, [1])
    return b.convert(b.select(_kept(c, index, bag, gradient.shape[0], padding_idx), total, b.like(0, total)), c.dtype)
