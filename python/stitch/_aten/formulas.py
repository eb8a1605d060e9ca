# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators as formulas of other operators of PyTorch, where PyTorch has none: `FORMULAS`, by name. NotImplemented: this use has none."""
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

FORMULAS: dict[str, Callable[..., Any]] = {}
_BORDER, _REFLECTION = 1, 2  # padding_mode; otherwise zeros
_NEAREST, _CUBIC = 1, 2  # interpolation_mode; otherwise linear


def _formula(function: Callable[..., Any]) -> Callable[..., Any]:
    FORMULAS[function.__name__] = function
    return function


def _wide(x: Tensor) -> Tensor:
    return x.float() if x.is_floating_point() and x.itemsize < 4 else x


# ----------------------------------------------------------------------------------------------------------------------
# Weights, logarithms
# ----------------------------------------------------------------------------------------------------------------------


@_formula
def _weight_norm_interface_backward(gradient: Tensor, v: Tensor, g: Tensor, norms: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    others = [d for d in range(v.ndim) if d != dim % v.ndim]
    wide_gradient, wide_v, wide_g, wide_norms = (_wide(x) for x in (gradient, v, g, norms))
    sums = (wide_gradient * wide_v).sum(others, keepdim=True)
    of_v = wide_g / wide_norms * (wide_gradient - wide_v * (sums / (wide_norms * wide_norms)))
    return of_v.to(v.dtype), (sums / wide_norms).to(g.dtype)


@_formula
def logcumsumexp(x: Tensor, dim: int) -> Any:
    """Sums of 2, 4, 8, ... elements."""
    if x.is_complex():
        return NotImplemented
    total, step = _wide(x), 1
    size = x.shape[dim] if x.ndim else 1
    while step < size:
        before = torch.cat([torch.full_like(total.narrow(dim, 0, step), -math.inf), total.narrow(dim, 0, size - step)], dim)
        total = torch.logaddexp(total, before)
        step *= 2
    return total.to(x.dtype).clone()


# ----------------------------------------------------------------------------------------------------------------------
# Samples at places of a grid
# ----------------------------------------------------------------------------------------------------------------------


def _reflected(place: Tensor, low: float, high: float) -> tuple[Tensor, Tensor]:
    """A place that is reflected at two borders until it is between them, and how it moves with the place."""
    if low == high:
        return torch.zeros_like(place), torch.zeros_like(place)
    span = high - low
    sign = torch.where(place < low, -1.0, 1.0).to(place.dtype)
    distance = (place - low).abs()
    rest, is_odd = torch.fmod(distance, span), torch.fmod(torch.floor(distance / span), 2) != 0
    return torch.where(is_odd, span - rest, rest) + low, torch.where(is_odd, -sign, sign)


def _place(x: Tensor, size: int, padding: int, align: bool) -> tuple[Tensor, Tensor]:
    """Where a coordinate between -1 and 1 is in a dimension, and how the place moves with it."""
    slope = torch.full_like(x, (size - 1) / 2 if align else size / 2)
    place = (x + 1) / 2 * (size - 1) if align else ((x + 1) * size - 1) / 2
    if padding == _REFLECTION:
        place, sign = _reflected(place, 0.0 if align else -0.5, size - 1.0 if align else size - 0.5)
        slope = slope * sign
    if padding in (_BORDER, _REFLECTION):
        slope = torch.where((place <= 0) | (place >= size - 1), 0.0, slope)
        place = place.clamp(0, size - 1)
    return place, slope


class _Corners:
    """The elements around each place of a grid, of k dimensions."""

    def __init__(self, x: Tensor, grid: Tensor, mode: int, padding: int, align: bool) -> None:
        self.sizes, self.k = list(x.shape[2:]), x.ndim - 2
        grid = _wide(grid)
        places = [_place(grid[..., self.k - 1 - d], s, padding, align) for d, s in enumerate(self.sizes)]
        self.slopes = [slope for _, slope in places]
        self.is_nearest = mode == _NEAREST
        self.first = [p.round() if self.is_nearest else p.floor() for p, _ in places]
        self.rests = [p - f for (p, _), f in zip(places, self.first, strict=True)]

    def __iter__(self) -> Any:
        """Each corner: the places in the flat plane, whether they are in there, and the weights in each dimension."""
        for corner in [(0,) * self.k] if self.is_nearest else itertools.product((0, 1), repeat=self.k):
            index, inside = torch.zeros_like(self.first[0], dtype=torch.int64), torch.ones_like(self.first[0], dtype=torch.bool)
            for side, first, size in zip(corner, self.first, self.sizes, strict=True):
                at = first + side
                inside = inside & (at >= 0) & (at < size)
                index = index * size + at.clamp(0, size - 1).to(torch.int64)
            weights = [torch.ones_like(r) if self.is_nearest else r if side else 1 - r for side, r in zip(corner, self.rests, strict=True)]
            yield corner, index.flatten(1).unsqueeze(1), inside.unsqueeze(1), weights


@_formula
def grid_sampler_3d(x: Tensor, grid: Tensor, mode: int, padding: int, align: bool) -> Tensor:
    flat, out = _wide(x).flatten(2), grid.shape[1:-1]
    total = torch.zeros((*x.shape[:2], *out), dtype=flat.dtype, device=x.device)
    for _corner, index, inside, weights in _Corners(x, grid, mode, padding, align):
        values = flat.gather(2, index.expand(-1, x.shape[1], -1)).view(*x.shape[:2], *out)
        total = total + torch.where(inside, values * math.prod(weights[1:], start=weights[0]).unsqueeze(1), 0.0)
    return total.to(x.dtype)


def _backward(gradient: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align: bool, wanted: Sequence[bool]) -> Any:
    if mode == _CUBIC:
        return NotImplemented
    wide_gradient, flat, corners = _wide(gradient), _wide(x).flatten(2), _Corners(x, grid, mode, padding, align)
    of_x = torch.zeros_like(flat)
    of_places = [torch.zeros_like(r) for r in corners.rests]
    for corner, index, inside, weights in corners:
        every = index.expand(-1, x.shape[1], -1)
        share = torch.where(inside, wide_gradient * math.prod(weights[1:], start=weights[0]).unsqueeze(1), 0.0)
        of_x = of_x.scatter_add(2, every, share.flatten(2))
        if corners.is_nearest or not wanted[1]:
            continue
        values = flat.gather(2, every).view(share.shape)
        moved = torch.where(inside, wide_gradient * values, 0.0).sum(1)
        for d in range(corners.k):
            others = math.prod([w for i, w in enumerate(weights) if i != d], start=moved)
            of_places[d] = of_places[d] + (others if corner[d] else -others)
    of_grid = torch.stack([p * s for p, s in zip(reversed(of_places), reversed(corners.slopes), strict=True)], -1)
    return of_x.view(x.shape).to(x.dtype) if wanted[0] else None, of_grid.to(grid.dtype)


@_formula
def grid_sampler_2d_backward(gradient: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align: bool, wanted: Sequence[bool]) -> Any:
    return _backward(gradient, x, grid, mode, padding, align, wanted)


@_formula
def grid_sampler_3d_backward(gradient: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align: bool, wanted: Sequence[bool]) -> Any:
    return _backward(gradient, x, grid, mode, padding, align, wanted)
