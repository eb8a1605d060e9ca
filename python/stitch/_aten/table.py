# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of lowerings: an operator of ATen -> what it is in StableHLO.

    @lowers("aten.neg.default")
    def neg(c: Context, x: Value) -> Value: ...

A lowering takes the operator's arguments as its schema has them, tensors as Values and sizes as ints, and returns Values for its results. The
type and shape of each result are then compared with what PyTorch itself says of them: a lowering that differs, raises Left or any
other exception is not used, and PyTorch runs the operator.
"""
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as PROMOTION, elementwise_dtypes

from .builder import PARTS, Builder, Value


class Left(Exception):
    """An operator, or a use of it, that PyTorch runs; says why."""


class Scalar:
    """An int that may change from call to call: a value of the program where a lowering takes it as one, otherwise specialised as soon as a lowering takes it."""

    def __init__(self, number: int, value: Value | None, specialise: Callable[[], None]) -> None:
        self.number, self.value, self._specialise = number, value, specialise

    def fixed(self) -> int:
        """The number, which the program is then compiled for."""
        self._specialise()
        return self.number


class Context:
    """A node that is lowered. `out`: its result, or results, as PyTorch's fake tensors; `is_used`: whether a result of several is; `is_static`: whether
    the shape is the same whatever ints the graph is called with."""

    def __init__(self, builder: Builder, out: Any, is_used: Callable[[int], bool], is_static: bool, on_cpu: bool, checks: list[tuple[str, Value]]) -> None:
        self.b, self.out, self.is_used, self.is_static, self.on_cpu, self._checks = builder, out, is_used, is_static, on_cpu, checks

    @property
    def dtype(self) -> torch.dtype:
        dtype: torch.dtype = self.out.dtype
        return dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.out.shape)

    def check(self, ok: Value, error: str) -> None:
        """On the CPU, has the call raise where an element is false, as PyTorch does there: "IndexError: index out of range in self"."""
        if self.on_cpu:
            self._checks.append((error, self.b.reduce(ok, "and", True, range(ok.ndim)) if ok.ndim else ok))

    def scalar(self, x: Any, dtype: torch.dtype) -> Value:
        """A number as a tensor of rank 0."""
        if isinstance(x, Scalar):
            assert x.value is not None
            return self.b.convert(x.value, dtype)
        return self.b.constant(x, dtype)

    def operand(self, x: Any, dtype: torch.dtype, shape: Sequence[int] | None = None) -> Value:
        """A tensor or number in a type and, broadcast, in a shape: by default the result's."""
        value = self.b.convert(x, dtype) if isinstance(x, Value) else self.scalar(x, dtype)
        return self.b.broadcast(value, self.shape if shape is None else shape)


def fixed(x: Any) -> Any:
    """An int, which the program is for if it is a Scalar."""
    return x.fixed() if isinstance(x, Scalar) else x


Lowering = Callable[..., Any]
Taken = TypeVar("Taken", bound=Lowering)
LOWERINGS: dict[str, Lowering] = {}
TAKES_SCALARS: set[str] = set()  # whose result's shape does not depend on their numbers


def lowers(*names: str, scalars: bool = False) -> Callable[[Taken], Taken]:
    """Puts a lowering into the table, by the names that operators of FX graphs have. `scalars`: it takes a Scalar as it is."""
    def put(function: Taken) -> Taken:
        for name in names:
            assert name not in LOWERINGS, name
            LOWERINGS[name] = function
            if scalars:
                TAKES_SCALARS.add(name)
        return function

    return put


def promoted(kind: PROMOTION, *operands: Any) -> torch.dtype:
    """The type in which PyTorch computes: f32 for halves."""
    fakes = [x.fake if isinstance(x, Value) else x.number if isinstance(x, Scalar) else x for x in operands]
    dtype: torch.dtype = elementwise_dtypes(*fakes, type_promotion_kind=kind)[0]
    if dtype not in PARTS and dtype.is_floating_point and dtype.itemsize == 1:
        raise Left(f"arithmetic in {dtype}")
    return dtype


def is_complex(dtype: torch.dtype) -> bool:
    return dtype in PARTS


def is_integer(dtype: torch.dtype) -> bool:
    return not dtype.is_floating_point and not dtype.is_complex and dtype is not torch.bool


def wide(dtype: torch.dtype) -> torch.dtype:
    """The type in which sums of a type are kept."""
    return torch.float32 if dtype.is_floating_point and dtype.itemsize < 4 else dtype


def normal_dim(dim: int, rank: int) -> int:
    return dim + rank if dim < 0 else dim


def normal_dims(dims: Any, rank: int) -> list[int]:
    """What a reduction's `dim` means; None and the empty list are all."""
    if isinstance(dims, int):
        dims = [dims]
    if dims is None or len(dims) == 0:
        return list(range(rank))
    return [normal_dim(d, rank) for d in dims] if rank else []


def fit_dims(values: Sequence[int], k: int) -> list[int]:
    """A setting for each of k dimensions, where one may stand for all."""
    return list(values) * k if len(values) == 1 else list(values)


def lowest(dtype: torch.dtype) -> Any:
    return -math.inf if dtype.is_floating_point else False if dtype is torch.bool else torch.iinfo(dtype).min


def highest(dtype: torch.dtype) -> Any:
    return math.inf if dtype.is_floating_point else True if dtype is torch.bool else torch.iinfo(dtype).max
