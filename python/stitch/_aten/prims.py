# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch's decompositions: those of ATen with all types and shapes said."""
from collections.abc import Sequence
from typing import Any

import torch

from . import pointwise, reductions, shapes, special  # noqa: F401  (special fills the table)
from .builder import Value
from .table import LOWERINGS, Context, Left, lowers, wide

_UNARY = """abs acos acosh asin asinh atan atanh bitwise_not ceil conj_physical cos cosh digamma erf erfc exp exp2 expm1 floor isfinite lgamma log log10 log1p log2 neg
reciprocal round rsqrt sign signbit sin sinh sqrt tan tanh trunc""".split()
_BINARY = """add bitwise_and bitwise_or bitwise_xor eq fmod ge gt le lt mul ne remainder sub""".split()
for _name in _UNARY:
    lowers(f"prims.{_name}.default")(LOWERINGS[f"aten.{_name}.default"])
lowers("prims.erf_inv.default")(LOWERINGS["aten.erfinv.default"])
for _name in _BINARY:
    lowers(f"prims.{_name}.default")(LOWERINGS[f"aten.{_name}.Tensor"])
for _name in ("maximum", "minimum", "atan2", "fmax", "fmin", "nextafter"):
    lowers(f"prims.{_name}.default")(LOWERINGS[f"aten.{_name}.default"])
lowers("prims.pow.default")(LOWERINGS["aten.pow.Tensor_Tensor"])
lowers("prims.shift_left.default")(LOWERINGS["aten.bitwise_left_shift.Tensor"])
lowers("prims.shift_right_arithmetic.default")(LOWERINGS["aten.bitwise_right_shift.Tensor"])
lowers("prims.where.default")(pointwise.where)
lowers("prims.reshape.default", "prims.squeeze.default", "prims.collapse.default", "prims.split_dim.default")(shapes.view)
lowers("prims.cat.default")(shapes.cat)


@lowers("prims.div.default")
def div(c: Context, x: Any, y: Any) -> Value:
    """Of integers rounded to zero."""
    return pointwise.div(c, x, y) if c.dtype.is_floating_point or c.dtype.is_complex else pointwise.div_mode(c, x, y, rounding_mode="trunc")


def _reduce(c: Context, x: Value, dims: Sequence[int] | None, name: str, init: int) -> Value:
    dims = list(range(x.ndim)) if dims is None else list(dims)
    if c.dtype is torch.bool:
        raise Left("a sum of booleans")
    work = c.b.convert(c.b.convert(x, c.dtype), wide(c.dtype))
    return c.b.convert(c.b.reduce(work, name, init, dims) if dims else work, c.dtype)


@lowers("prims.sum.default")
def sum_(c: Context, x: Value, dims: Sequence[int] | None, **_kwargs: Any) -> Value:
    return _reduce(c, x, dims, "add", 0)


@lowers("prims.prod.default")
def prod(c: Context, x: Value, dims: Sequence[int] | None, **_kwargs: Any) -> Value:
    return _reduce(c, x, dims, "multiply", 1)


@lowers("prims.amax.default")
def amax(c: Context, x: Value, dims: Sequence[int] | None, **_kwargs: Any) -> Value:
    return reductions.extreme(c, x, list(range(x.ndim)) if dims is None else dims, True)


@lowers("prims.amin.default")
def amin(c: Context, x: Value, dims: Sequence[int] | None, **_kwargs: Any) -> Value:
    return reductions.extreme(c, x, list(range(x.ndim)) if dims is None else dims, False)


@lowers("prims.slice.default")
def slice_(c: Context, x: Value, start: Sequence[int], limit: Sequence[int], strides: Sequence[int] | None = None) -> Value:
    return c.b.slice(x, start, limit, strides)


@lowers("prims.slice_in_dim.default")
def slice_in_dim(c: Context, x: Value, start: int, limit: int, stride: int = 1, axis: int = 0) -> Value:
    return c.b.slice_dim(x, axis, start, limit, stride)
