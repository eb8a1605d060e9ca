# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised types of StableHLO and what the specification computes with them, in NumPy ("Quantization computations").

What a result may be is a pair of arrays, the least and the largest integers: they differ where the exact value, which is known up to
rounding errors of the expressed type, is near the middle between two integers."""
import ml_dtypes
import numpy as np

EXPRESSED = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
STORED = {2: np.int8, 4: np.int8, 8: np.int8, 16: np.int16, 32: np.int32}
UNSIGNED = {2: np.uint8, 4: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32}


def narrow(x, expressed):
    """f64 rounded once to the expressed type, and back: by way of an f32 that is rounded to odd for bf16."""
    x = np.asarray(x, np.float64)
    if expressed != "bf16":
        with np.errstate(over="ignore"):
            return x.astype(EXPRESSED[expressed]).astype(np.float64)
    with np.errstate(over="ignore"):
        near = x.astype(np.float32)
    away = np.abs(near.astype(np.float64)) > np.abs(x)
    bits = (near.view(np.uint32) - away.astype(np.uint32)) | np.where(near.astype(np.float64) != x, 1, 0).astype(np.uint32)
    return bits.view(np.float32).reshape(x.shape).astype(ml_dtypes.bfloat16).astype(np.float64)


class Quantised:
    """A quantised element type. `axis` is None, or the dimension whose slices have scales and zero points."""

    def __init__(self, bits, signed, expressed, scales, zeros, axis=None, low=None, high=None):
        self.bits, self.signed, self.expressed, self.axis = bits, signed, expressed, axis
        self.least, self.most = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        self.low, self.high = self.least if low is None else low, self.most if high is None else high
        self.scales = narrow(np.atleast_1d(scales), expressed)
        self.zeros = np.atleast_1d(np.asarray(zeros, np.int64))
        self.numpy = (STORED if signed else UNSIGNED)[bits]

    def __str__(self):
        pairs = [f"{scale!r}:{zero}" for scale, zero in zip(self.scales.tolist(), self.zeros.tolist())]
        bounds = f"<{self.low}:{self.high}>" if (self.low, self.high) != (self.least, self.most) else ""
        axis = f":{self.axis}, {{{', '.join(pairs)}}}" if self.axis is not None else f", {pairs[0]}"
        return f"!quant.uniform<{'i' if self.signed else 'u'}{self.bits}{bounds}:{self.expressed}{axis}>"

    def tensor(self, shape):
        return f"tensor<{''.join(f'{d}x' for d in shape)}{self}>"

    @property
    def storage(self):
        return f"{'' if self.signed else 'u'}i{self.bits}"

    def along(self, values, rank):
        if self.axis is None:
            return values[0]
        return values.reshape([-1 if d == self.axis else 1 for d in range(rank)])

    def on(self, axis, count=None):
        """The same type with the scales of another dimension, or, of one of size one, repeated."""
        repeat = lambda values: np.repeat(values, count) if count else values
        return Quantised(self.bits, self.signed, self.expressed, repeat(self.scales), repeat(self.zeros), axis, self.low, self.high)

    def differences(self, q):
        return np.asarray(q).astype(np.int64) - self.along(self.zeros, np.ndim(q))

    def dequantise(self, q):
        """As f64 that the expressed type has."""
        return narrow(narrow(self.differences(q), self.expressed) * self.along(self.scales, np.ndim(q)), self.expressed)

    def stored(self, x):
        """The integers nearest to real numbers."""
        x = np.where(np.isnan(x), 0, x)
        return np.clip(np.rint(x), self.low, self.high).astype(np.int64).astype(self.numpy)

    def quantise(self, x):
        """As it is written in the specification, but in a type that has the zero points; an interval of one."""
        e, rank, largest = self.expressed, np.ndim(x), np.abs(self.zeros).max()
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = narrow(np.asarray(x) / self.along(self.scales, rank), e)
            if self.zeros.any():
                wide = e if largest * EPSILON[e] <= 2 else "f32" if largest <= 2**24 else "f64"
                scaled = narrow(scaled + self.along(self.zeros, rank), wide)
        q = self.stored(scaled)
        return q, q

    def near(self, x, error, epsilon=None):
        """The integers for a real number that is known up to an error, and scaled with some rounding errors."""
        rank, epsilon = np.ndim(x), epsilon or EPSILON[self.expressed]
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = np.asarray(x) / self.along(self.scales, rank)
            error = error / self.along(self.scales, rank) + 3 * epsilon * (np.abs(scaled) + np.abs(self.along(self.zeros, rank)))
            zeros = self.along(self.zeros, rank)
            return self.stored(scaled + zeros - error), self.stored(scaled + zeros + error)

    def integers(self, total):
        """A sum of differences."""
        q = np.clip(total + self.along(self.zeros, np.ndim(total)), self.low, self.high).astype(self.numpy)
        return q, q


def random_type(rng, shape=None, axis=None, bits=None, signed=None, expressed=None, scale=None, symmetric=False, bounded=None):
    """A type, with scales for dimension `axis` of a shape; with scales around `scale`."""
    bits = bits or int(rng.choice([2, 4, 8, 8, 8, 16, 32]))
    signed = bool(rng.integers(3)) if signed is None else signed
    expressed = expressed or str(rng.choice(["f32", "f32", "f32", "f16", "bf16", "f64"]))
    least, most = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    bounded = bits > 2 and rng.random() < 0.25 if bounded is None else bounded
    low, high = (least + (least < 0), most - 1) if bounded else (None, None)
    count = shape[axis] if axis is not None else 1
    scale = scale or 2.0 / 2 ** min(bits, 10)
    scales = scale * rng.uniform(0.5, 1.5, count)
    middle = (least + most) // 2
    spread = min(max(1, (most - least) // 4), 512)
    zeros = np.zeros(count, int) if symmetric else rng.integers(max(middle - spread, least + 1), min(middle + spread, most - 1) + 1, count)
    if not symmetric and rng.random() < 0.3 and least < 0:
        zeros[:] = 0
    return Quantised(bits, signed, expressed, scales, zeros, axis, low, high)


def random_values(rng, q, shape):
    """Small ones where there are many bits, so that results are seldom the largest or the least integers."""
    spread = 2 ** min(q.bits, 10)
    low, high = (q.low, q.high) if q.bits <= 10 else (int(q.zeros.min()) - spread, int(q.zeros.max()) + spread)
    return np.asarray(rng.integers(max(low, q.low), min(high, q.high) + 1, shape)).astype(q.numpy)
