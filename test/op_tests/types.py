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
    def __init__(self, name, numpy, kind):
        self.name, self.numpy, self.kind = name, np.dtype(numpy), kind
        self.bits = 1 if kind == "bool" else self.numpy.itemsize * 8
        if kind == "float":
            info = ml_dtypes.finfo(numpy)
            self.precision = info.nmant + 1
            self.emin, self.emax = info.minexp, info.maxexp - 1
            self.max = Wide(info.max)
        elif kind != "bool":
            self.least, self.largest = int(np.iinfo(numpy).min), int(np.iinfo(numpy).max)

    def array(self, values):
        return np.array(values, self.numpy)

    def bits_of(self, array):
        return np.ascontiguousarray(array).view(f"u{self.numpy.itemsize}")


TYPES = {
    t.name: t
    for t in [
        Type("f64", np.float64, "float"),
        Type("f32", np.float32, "float"),
        Type("f16", np.float16, "float"),
        Type("bf16", ml_dtypes.bfloat16, "float"),
        Type("i1", np.bool_, "bool"),
        *[Type(f"i{b}", f"i{b // 8}", "int") for b in (8, 16, 32, 64)],
        *[Type(f"ui{b}", f"u{b // 8}", "uint") for b in (8, 16, 32, 64)],
    ]
}
FLOATS = [t for t in TYPES.values() if t.kind == "float"]
INTEGERS = [t for t in TYPES.values() if t.kind in ("int", "uint")]
SIGNED = [t for t in TYPES.values() if t.kind == "int"]
BOOL = TYPES["i1"]
TYPE_OF = {t.numpy: t for t in TYPES.values()}


def tensor(shape, t):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{t.name}>"


def wide(array):
    """Exactly, in 80 bits."""
    return array.astype(np.float64).astype(Wide) if array.dtype == ml_dtypes.bfloat16 else array.astype(Wide)


def exponent(x):
    """Of the binade of each finite value; 0 has the least."""
    return np.where(x == 0, -(10**6), np.frexp(x)[1] - 1)


def rounded(x, t):
    """80-bit values rounded once, to nearest and ties to even, to a float type."""
    finite = np.isfinite(x)
    quantum = np.ldexp(Wide(1), np.maximum(exponent(np.where(finite, x, 1)), t.emin) - (t.precision - 1))
    value = np.where(finite, np.rint(np.where(finite, x, 0) / quantum) * quantum, x)
    value = np.where(finite & (np.abs(value) > t.max), np.copysign(Wide(np.inf), x), value)
    value = np.copysign(value, x)
    return value.astype(np.float64).astype(t.numpy)


def edge_values(t):
    if t.kind == "bool":
        return t.array([False, True])
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


def random_values(t, count, rng):
    if t.kind == "bool":
        return rng.integers(0, 2, count).astype(bool)
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
        return [every if t.bits == 8 or size.every else np.concatenate([edge_values(t), every[:: 17]])]
    return [np.concatenate([edge_values(t), random_values(t, size.random, rng)])]


def binary_inputs(t, size, rng):
    edges = all_values(t) if t.kind != "bool" and t.bits == 8 and size.every else edge_values(t)
    if len(edges) > size.pairs:
        edges = edges[rng.permutation(len(edges))[: size.pairs]] if t.bits > 8 else edges
    a, b = np.repeat(edges, len(edges)), np.tile(edges, len(edges))
    near = random_values(t, size.random, rng)
    return [
        np.concatenate([a, near, random_values(t, size.random, rng)]),
        np.concatenate([b, random_values(t, size.random, rng), near]),
    ]
