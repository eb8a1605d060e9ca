# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random bits: Threefry-2x32 and Philox-4x32 (Salmon, Moraes, Dror, Shaw, SC 2011), counted as XLA does."""
import math

import numpy as np

from op_tests.cases import Case, Equal, Group
from op_tests.types import TYPES, tensor

MASK = 0xFFFFFFFF


def threefry(counter, key):
    keys = [key & MASK, key >> 32]
    keys.append(0x1BD11BDA ^ keys[0] ^ keys[1])
    x = [((counter & MASK) + keys[0]) & MASK, ((counter >> 32) + keys[1]) & MASK]
    for group in range(5):
        for rotation in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x[0] = (x[0] + x[1]) & MASK
            x[1] = x[0] ^ (((x[1] << rotation) | (x[1] >> (32 - rotation))) & MASK)
        x[0] = (x[0] + keys[(group + 1) % 3]) & MASK
        x[1] = (x[1] + keys[(group + 2) % 3] + group + 1) & MASK
    return x


def philox(counter, key):
    x, keys = [(counter >> (32 * i)) & MASK for i in range(4)], [key & MASK, key >> 32]
    for _ in range(10):
        first, second = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(second >> 32) ^ x[1] ^ keys[0], second & MASK, (first >> 32) ^ x[3] ^ keys[1], first & MASK]
        keys = [(keys[0] + 0x9E3779B9) & MASK, (keys[1] + 0xBB67AE85) & MASK]
    return x


def threefry_bits(state, shape, bits):
    key, counter = state
    if bits == 64:
        count = math.prod(shape)
        words = [threefry((counter + i) & (2**64 - 1), key) for i in range(count)]
        return np.array([w[0] | w[1] << 32 for w in words], object).reshape(shape), [key, (counter + count) % 2**64]
    if not shape:
        return np.array(threefry(counter, key)[0], object), [key, (counter + 1) % 2**64]
    even = [d for d, n in enumerate(shape) if n % 2 == 0]
    dim = even[0] if even else int(np.argmax(shape))
    half = list(shape)
    half[dim] = (shape[dim] + 1) // 2
    result = np.zeros([2 * h if d == dim else h for d, h in enumerate(half)], object)
    for i, at in enumerate(np.ndindex(*half)):
        for k, word in enumerate(threefry((counter + i) % 2**64, key)):
            result[tuple(2 * a + k if d == dim else a for d, a in enumerate(at))] = word
    return result[tuple(slice(0, n) for n in shape)], [key, (counter + math.prod(half)) % 2**64]


def philox_bits(state, shape, bits):
    key, low, high = state[0], state[1], state[2] if len(state) == 3 else state[0]
    count, per_block = math.prod(shape), 2 if bits == 64 else 4
    blocks, elements = -(-count // per_block), []
    for i in range(blocks):
        words = philox((low + (high << 64) + i) % 2**128, key)
        elements += [words[0] | words[1] << 32, words[2] | words[3] << 32] if bits == 64 else words
    after = (low + (high << 64) + blocks) % 2**128
    return np.array(elements[:count], object).reshape(shape), [key, after % 2**64, after >> 64][: len(state)]


STATES = [[0, 0], [0x0123456789ABCDEF, 2**64 - 3], [2**63 + 5, 2**32 - 2]]


def generator_group(t, size, rng):
    u64 = TYPES["ui64"]
    inputs, cases = [], []
    for algorithm, generate, states in (("THREE_FRY", threefry_bits, STATES), ("PHILOX", philox_bits, STATES + [s + [2**64 - 1] for s in STATES])):
        for state in states:
            inputs.append(np.array(state, np.uint64))
            for shape in ((), (7,), (3, 4), (5, 3), (1, 9, 2)):
                bits, after = generate(state, shape, 64 if t.bits == 64 else 32)
                expected = (bits % 2**t.bits).astype(np.uint64).astype(f"u{t.numpy.itemsize}").view(t.numpy) if shape else \
                    np.array(int(bits) % 2**t.bits, np.uint64).astype(f"u{t.numpy.itemsize}").view(t.numpy)
                types = f"({tensor([len(state)], u64)}) -> ({tensor([len(state)], u64)}, {tensor(shape, t)})"
                text = (f'%r:2 = "stablehlo.rng_bit_generator"(%{len(inputs) - 1}) '
                        f"{{rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}} : {types}")
                row = f"stablehlo.rng_bit_generator {algorithm}"
                cases.append(Case(row, t, text, list(shape), t, Equal(np.asarray(expected)), "%r#1"))
                cases.append(Case(row, t, text, [len(state)], u64, Equal(np.array(after, np.uint64)), "%r#0"))
    return Group(f"rng_bit_generator {t.name}", inputs, cases)


class Sample:
    """Whether numbers can come from a distribution: all in its range, and of the mean and spread that it has, within six standard
    deviations of their estimates (one in a thousand million by chance; the numbers are the same in each run), and a step of the
    distribution, relative to its deviation."""

    bound = 0

    def __init__(self, low, high, mean, deviation, step=0.0):
        self.low, self.high, self.mean, self.deviation, self.step = low, high, mean, deviation, step

    def __call__(self, actual):
        x = actual.astype(np.float64).reshape(-1)
        n = x.size
        inside = np.all((x >= self.low) & (x < self.high))
        # The variance of a sample variance is at most 2 sigma^4 / n for these distributions.
        good = abs(x.mean() - self.mean) <= (6 / math.sqrt(n) + self.step) * self.deviation
        good &= abs(x.var() - self.deviation**2) <= (6 * math.sqrt(2 / n) + 1e-3 + 2 * self.step) * self.deviation**2
        return (0.0, "") if inside and good else (1.0, f"mean {x.mean()}, deviation {x.std()}, in [{x.min()}, {x.max()}]")


def rng_group(t, size, rng):
    limits = (t.least, t.largest) if t.bits < 8 and t.kind != "float" else (2, 100) if t.kind == "uint" else (-2, 5) if t.bits > 8 else (-1, 2)
    low, high = (t.array(v) for v in limits)
    inputs, cases, shape = [low, high], [], (64, 65)
    kinds = (["UNIFORM"] if t.bits != 6 else []) + (["NORMAL"] if t.kind == "float" and t.has_nan else [])
    for kind in kinds:
        a, b, step = float(low), float(high), 2.0**-t.precision if t.kind == "float" else 0
        if kind == "NORMAL":
            check = Sample(-np.inf, np.inf, a, b, step)
        elif t.kind == "float":
            check = Sample(a, b, (a + b) / 2, (b - a) / math.sqrt(12), step)
        else:
            check = Sample(a, b, (a + b - 1) / 2, math.sqrt(((b - a) ** 2 - 1) / 12))
        i64 = TYPES["i64"]
        text = (f'%r_s = "stablehlo.constant"() {{value = dense<[{shape[0]}, {shape[1]}]> : {tensor([2], i64)}}} : () -> {tensor([2], i64)}\n'
                f'    %r = "stablehlo.rng"(%0, %1, %r_s) {{rng_distribution = #stablehlo<rng_distribution {kind}>}} : '
                f"({tensor([], t)}, {tensor([], t)}, {tensor([2], i64)}) -> {tensor(shape, t)}")
        cases.append(Case(f"stablehlo.rng {kind}", t, text, list(shape), t, check))
    return Group(f"rng {t.name}", inputs, cases, jax=False)
