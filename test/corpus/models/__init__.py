# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as people write them, of small sizes and real structure. Each is a function and what it is called with:

    @model(normal(2, 8, 16), integers(2, 8, below=10))
    def name(x, labels): ...
"""
import zlib

import numpy as np


class Model:
    def __init__(self, function, arguments, options):
        self.name = function.__name__
        self.function = function
        self.makers = arguments
        self.tolerance = options.get("tolerance")  # relative to an output's largest magnitude; None: by type
        self.exact_integers = options.get("exact_integers", True)
        self.artifact = options.get("artifact", False)  # portable artifact instead of text
        self.precision64 = options.get("precision64", False)

    def arguments(self):
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [maker(random) for maker in self.makers]


MODELS = []


def model(*arguments, **options):
    def register(function):
        MODELS.append(Model(function, arguments, options))
        return function

    return register


def normal(*shape, scale=1.0, shift=0.0, dtype=np.float32):
    return lambda random: np.asarray(random.standard_normal(shape) * scale + shift).astype(dtype)


def weights(*shape):
    """As an initialiser makes them: the more inputs, the smaller."""
    return normal(*shape, scale=float(np.prod(shape[:-1])) ** -0.5)


def uniform(*shape, low=0.0, high=1.0, dtype=np.float32):
    return lambda random: random.uniform(low, high, shape).astype(dtype)


def integers(*shape, below, low=0, dtype=np.int32):
    return lambda random: random.integers(low, below, shape).astype(dtype)


def booleans(*shape, share=0.5):
    return lambda random: random.random(shape) < share


def value(x, dtype=np.float32):
    return lambda random: np.asarray(x, dtype)


def seed(number):
    return value([0, number], np.uint32)
