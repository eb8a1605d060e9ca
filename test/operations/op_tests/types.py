# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, exact rounding, inputs."""
import math

import ml_dtypes
import numpy as np

Wide = np.longdouble
if np.finfo(Wide).nmant < 63:
    raise SystemExit("op_table.py needs a long double of 80 bits: an x86-64 machine")


class Type:
    """`kind` is float, bool, int, uint or complex; the parts of complex numbers are of type `part`."""

    def __init__(self, name, numpy, kind, part=None):
        self.name, self.numpy, self.kind, self.part = name, np.dtype(numpy), kind, part
        self.bits = 1 if kind == "bool" else self.numpy.itemsize * 8
        if kind == "float":
            self.describe_float()
        elif kind in ("int", "uint"):
            info = ml_dtypes.iinfo(numpy)
            self.least, self.largest = int(info.min), int(info.max)
            self.bits = (self.largest - self.least).bit_length()

    def describe_float(self):
        info = ml_dtypes.finfo(self.numpy)
        self.precision = info.nmant + 1
        self.emin, self.emax = int(info.minexp), int(info.maxexp) - 1
        self.max = Wide(float(info.max))
        limits = np.array([np.inf, -0.0, -1.0]).astype(self.numpy).astype(np.float64)
        self.has_infinity, self.has_negative_zero = bool(np.isinf(limits[0])), bool(np.signbit(limits[1]))
        self.has_nan = bool(np.isnan(np.array([np.nan]).astype(self.numpy).astype(np.float64))[0])
        self.bits = {"float6_e2m3fn": 6, "float6_e3m2fn": 6, "float4_e2m1fn": 4}.get(self.numpy.name, self.bits)
        self.has_zero, self.has_sign = bool(limits[1] == 0), bool(limits[2] == -1)

    def array(self, values):
        return np.array(values).astype(self.numpy)

    def bits_of(self, array):
        """The bits of each element as unsigned integers; of a complex number those of its parts, in one more dimension."""
        array = np.ascontiguousarray(array)
        if self.kind == "complex":
            return array.view(f"u{self.numpy.itemsize // 2}").reshape(*array.shape, 2)
        bits = array.view(f"u{self.numpy.itemsize}")
        return bits & ((1 << self.bits) - 1) if self.bits < 8 and self.kind != "bool" else bits

    def is_nan(self, array):
        """For each element, or each part of complex ones."""
        if self.kind == "complex":
            return np.stack([np.isnan(array.real), np.isnan(array.imag)], -1)
        return np.isnan(array) if self.kind == "float" else np.zeros(array.shape, bool)


def make_types():
    f64, f32 = Type("f64", np.float64, "float"), Type("f32", np.float32, "float")
    float8 = ["e5m2", "e4m3", "e3m4", "e4m3fn", "e5m2fnuz", "e4m3fnuz", "e4m3b11fnuz", "e8m0fnu"]
    return [
        f64, f32, Type("f16", np.float16, "float"), Type("bf16", ml_dtypes.bfloat16, "float"), Type("i1", np.bool_, "bool"),
        *[Type(f"i{b}", f"i{b // 8}", "int") for b in (8, 16, 32, 64)],
        *[Type(f"ui{b}", f"u{b // 8}", "uint") for b in (8, 16, 32, 64)],
        *[Type(f"f8{f[:2].upper()}{f[2:].upper()}", getattr(ml_dtypes, f"float8_{f}"), "float") for f in float8],
        Type("f6E2M3FN", ml_dtypes.float6_e2m3fn, "float"), Type("f6E3M2FN", ml_dtypes.float6_e3m2fn, "float"),
        Type("f4E2M1FN", ml_dtypes.float4_e2m1fn, "float"),
        Type("i2", ml_dtypes.int2, "int"), Type("i4", ml_dtypes.int4, "int"),
        Type("ui2", ml_dtypes.uint2, "uint"), Type("ui4", ml_dtypes.uint4, "uint"),
        Type("complex<f32>", np.complex64, "complex", f32), Type("complex<f64>", np.complex128, "complex", f64),
    ]


TYPES = {t.name: t for t in make_types()}
FLOATS = [t for t in TYPES.values() if t.kind == "float"]
INTEGERS = [t for t in TYPES.values() if t.kind in ("int", "uint")]
BOOL = TYPES["i1"]
TYPE_OF = {t.numpy: t for t in TYPES.values()}


def tensor(shape, t):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{t.name}>"


def wide(array):
    """Exactly, in 80 bits."""
    if array.dtype.kind == "c":
        return array.astype(np.clongdouble)
    return array.astype(Wide) if array.dtype.kind in "fiub" else array.astype(np.float64).astype(Wide)


def exponent(x):
    """Of the binade of each finite value; 0 has the least."""
    return np.where(x == 0, -(10**6), np.frexp(x)[1] - 1)


def rounded(x, t):
    """80-bit values rounded once, to nearest and ties to even, to a float or complex type. What is too large becomes infinity, or NaN
    where there is none; the types of 4 and 6 bits, which have neither, have their largest number in its place, and -0 for NaN. f8E8M0FNU has powers of two alone, and takes them from f32: ties are even upwards, what is positive in f32 is no
    less than the least, and what is not is NaN."""
    if t.kind == "complex":
        x = np.asarray(x, np.clongdouble)
        return (rounded(x.real, t.part) + 1j * rounded(x.imag, t.part).astype(t.part.numpy)).astype(t.numpy)
    if not t.has_sign:
        x = wide(rounded(x, TYPES["f32"]))
    finite = np.isfinite(x)
    quantum = np.ldexp(Wide(1), np.maximum(exponent(np.where(finite, x, 1)), t.emin) - (t.precision - 1))
    value = np.where(finite, np.rint(np.where(finite, x, 0) / quantum) * quantum, x)
    if not t.has_sign:
        value = np.where(x > 0, np.maximum(value, np.ldexp(Wide(1), t.emin)), np.nan)
    value = np.where(finite & (np.abs(value) > t.max), np.copysign(Wide(np.inf), x), value)
    value = np.copysign(value, x)
    if not t.has_nan:
        return np.where(np.isinf(value), np.copysign(t.max, value), value).astype(np.float64).astype(t.numpy)
    if not t.has_infinity:
        value = np.where(np.isinf(value), np.nan, value)
    return value.astype(np.float64).astype(t.numpy)


def edge_values(t):
    if t.kind == "bool":
        return t.array([False, True])
    if t.kind == "complex":
        parts = edge_values(t.part)[::3]
        return make_complex(np.repeat(parts, len(parts)), np.tile(parts, len(parts)), t)
    if t.bits <= 8:
        return all_values(t)
    if t.kind != "float":
        values = [0, 1, 2, 3, 5, 7, 10, t.bits - 1, t.bits, t.bits + 1, 100, 127]
        values += [t.largest, t.largest - 1, t.largest // 2, t.largest // 3, t.least, t.least + 1, 1 << (t.bits - 2)]
        if t.kind == "int":
            values += [-1, -2, -3, -7, -100, -t.bits, t.least // 2]
        return t.array(values)
    eps = 2.0 ** -(t.precision - 1)
    tiny, least = Wide(2) ** t.emin, Wide(2) ** (t.emin - t.precision + 1)
    whole = 2.0 ** (t.precision - 1)
    values = [0, 1, 1 + eps, 1 - eps / 2, 0.5, 0.5 - eps / 4, 1.5, 2, 2.5, 3, 3.5, 4, 10, 0.1, 1e-3, math.pi, math.pi / 2]
    values += [tiny, tiny - least, least, 3 * least, tiny * 2, t.max, t.max / 2, np.inf, 88.5, 89, 103.5, 127.5, 128, 255.5, 256]
    values += [whole, whole / 2 - 0.5, whole / 2 + 0.5, whole / 4 - 0.25, 709.5, 745, 2.0**31, 2.0**32, 2.0**63, 2.0**64, 1e5, 1e9]
    values += [17, 20, 65504, 65519, 65520, 32767.5, 1 / 3, 5.5, 9, 27]
    signed = wide_list(values)
    both = np.concatenate([signed, -signed, wide_list([np.nan])])
    return rounded(both, t)


def wide_list(values):
    return np.array([Wide(v) for v in values], Wide)


def make_complex(real, imaginary, t):
    """Numbers of these parts, NaN and signs of zero as they are."""
    return np.stack([real, imaginary], -1).astype(t.part.numpy).view(t.numpy)[..., 0]


def random_values(t, count, rng):
    if t.kind == "bool":
        return rng.integers(0, 2, count).astype(bool)
    if t.kind == "complex":
        return make_complex(random_values(t.part, count, rng), random_values(t.part, count, rng), t)
    bits = rng.integers(0, 2 ** (t.bits - 1), count, dtype=np.uint64) * 2 + rng.integers(0, 2, count, dtype=np.uint64)
    anything = bits.astype(f"u{t.numpy.itemsize}").view(t.numpy)
    if t.kind != "float":
        small = rng.integers(0 if t.kind == "uint" else -20, 40, count).astype(t.numpy)
        return np.where(rng.random(count) < 0.7, anything, small).astype(t.numpy)
    usual = np.where(rng.random(count) < 0.5, rng.normal(0, 10, count), rng.uniform(-1.5, 1.5, count)).astype(t.numpy)
    return np.where(rng.random(count) < 0.4, anything, usual).astype(t.numpy)


def all_values(t):
    return np.arange(1 << t.bits, dtype=np.uint32).astype(f"u{t.numpy.itemsize}").view(t.numpy)


def unary_inputs(t, size, rng):
    if t.kind == "bool":
        return [edge_values(t)]
    if t.bits <= 16:
        every = all_values(t)
        return [every if t.bits <= 8 or size.every else np.concatenate([edge_values(t), every[:: 17]])]
    return [np.concatenate([edge_values(t), random_values(t, size.random, rng)])]


def binary_inputs(t, size, rng):
    edges = edge_values(t)
    if len(edges) > size.pairs and (t.bits > 8 or not size.every):
        edges = edges[rng.permutation(len(edges))[: size.pairs]]
    a, b = np.repeat(edges, len(edges)), np.tile(edges, len(edges))
    near = random_values(t, size.random, rng)
    return [
        np.concatenate([a, near, random_values(t, size.random, rng)]),
        np.concatenate([b, random_values(t, size.random, rng), near]),
    ]
