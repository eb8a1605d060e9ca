#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classic memory-intensive kernels as StableHLO text, at any shape and element type.

usage: classics.py NAME ROWS COLUMNS [DTYPE]

Inputs and outputs of DTYPE (f32, bf16, f16, f64); 16-bit ones are computed in f32, as frameworks do under mixed precision.
"""
import argparse
import math
import re

import products
from stablehlo import Graph


class Kernel:
    """A graph whose inputs are widened when they are read and whose outputs are narrowed when they are written."""

    def __init__(self, rows, columns, dtype):
        self.g, self.rows, self.columns, self.dtype = Graph(), rows, columns, dtype
        self.compute = "f32" if dtype in ("f16", "bf16") else dtype
        self.shape = (rows, columns)

    def matrix(self):
        return self.g.convert(self.g.input(self.shape, self.dtype), self.compute)

    def vector(self, size):
        return self.g.convert(self.g.input((size,), self.dtype), self.compute)

    def statistic(self, size):
        """Saved by a forward kernel: always in the type that is computed in."""
        return self.g.input((size,), self.compute)

    def statistics(self):
        return self.g.input(self.shape, self.compute)

    def write(self, *values):
        self.g.output(*[self.g.convert(v, self.dtype) for v in values])

    def by_row(self, x):
        return self.g.broadcast(x, [0], self.shape)

    def by_column(self, x):
        return self.g.broadcast(x, [1], self.shape)

    def row_sum(self, x):
        return self.g.reduce("add", x, [1])

    def column_sum(self, x):
        return self.g.reduce("add", x, [0])

    def normalized(self, x, epsilon=1e-5):
        """x less its mean, over its standard deviation, by rows."""
        centred = x - self.by_row(self.row_sum(x) / float(self.columns))
        variance = self.row_sum(centred * centred) / float(self.columns)
        return centred * self.by_row(self.g.unary("rsqrt", variance + epsilon))


def softmax(k, dim=1):
    x, along = k.matrix(), k.by_row if dim == 1 else k.by_column
    e = k.g.unary("exponential", x - along(k.g.reduce("maximum", x, [dim])))
    k.write(e / along(k.g.reduce("add", e, [dim])))


def softmax_outer(k):
    softmax(k, dim=0)


def layernorm(k):
    x, gamma, beta = k.matrix(), k.vector(k.columns), k.vector(k.columns)
    k.write(k.normalized(x) * k.by_column(gamma) + k.by_column(beta))


def layernorm_backward(k):
    dy, x, gamma = k.matrix(), k.matrix(), k.vector(k.columns)
    mean, rstd = k.statistic(k.rows), k.statistic(k.rows)
    n = float(k.columns)
    xhat = (x - k.by_row(mean)) * k.by_row(rstd)
    wdy = dy * k.by_column(gamma)
    c1, c2 = k.row_sum(wdy * xhat) / n, k.row_sum(wdy) / n
    k.write((wdy - xhat * k.by_row(c1) - k.by_row(c2)) * k.by_row(rstd), k.column_sum(dy * xhat), k.column_sum(dy))


def rmsnorm(k):
    x, gamma = k.matrix(), k.vector(k.columns)
    rstd = k.g.unary("rsqrt", k.row_sum(x * x) / float(k.columns) + 1e-6)
    k.write(x * k.by_row(rstd) * k.by_column(gamma))


def rmsnorm_backward(k):
    dy, x, gamma, rstd = k.matrix(), k.matrix(), k.vector(k.columns), k.statistic(k.rows)
    xhat, wdy = x * k.by_row(rstd), dy * k.by_column(gamma)
    c = k.row_sum(wdy * xhat) / float(k.columns)
    k.write((wdy - xhat * k.by_row(c)) * k.by_row(rstd), k.column_sum(dy * xhat))


def cross_entropy(k):
    """The loss of each row and its gradient for the logits, for a mean over rows."""
    logits, labels = k.matrix(), k.g.input((k.rows,), "i32")
    shifted = logits - k.by_row(k.g.reduce("maximum", logits, [1]))
    e = k.g.unary("exponential", shifted)
    total = k.row_sum(e)
    is_label = k.g.compare("EQ", k.g.iota(1, k.shape, "i32"), k.by_row(labels), "SIGNED")
    zero = k.g.constant(0, k.shape, k.compute)
    k.write(k.g.unary("log", total) - k.row_sum(k.g.select(is_label, shifted, zero)),
            (e / k.by_row(total) - k.g.convert(is_label, k.compute)) / float(k.rows))


def gelu_dropout_residual_layernorm(k):
    """LayerNorm(residual + mask * gelu(x + bias) / keep), with the dropout mask as an input."""
    x, residual, mask = k.matrix(), k.matrix(), k.g.input(k.shape, "i1")
    bias, gamma, beta = k.vector(k.columns), k.vector(k.columns), k.vector(k.columns)
    h = x + k.by_column(bias)
    inner = (h + h * h * h * 0.044715) * 0.7978845608
    gelu = h * (k.g.unary("tanh", inner) + 1.0) * 0.5
    y = residual + k.g.select(mask, gelu / 0.9, 0.0)
    k.write(k.normalized(y) * k.by_column(gamma) + k.by_column(beta))


def batchnorm_training(k):
    """Rows are batch times pixels, columns are channels: y, the batch's mean and its variance."""
    x, gamma, beta = k.matrix(), k.vector(k.columns), k.vector(k.columns)
    mean = k.column_sum(x) / float(k.rows)
    centred = x - k.by_column(mean)
    variance = k.column_sum(centred * centred) / float(k.rows)
    y = centred * k.by_column(k.g.unary("rsqrt", variance + 1e-5) * gamma) + k.by_column(beta)
    k.write(y, mean, variance)


def adam(k):
    parameter, gradient, m, v = k.matrix(), k.matrix(), k.statistics(), k.statistics()
    m = m * 0.9 + gradient * 0.1
    v = v * 0.999 + gradient * gradient * 0.001
    k.write(parameter - m / (k.g.unary("sqrt", v) + 1e-8) * 1e-3)
    k.g.output(m, v)


def row_column_reduce(k):
    x = k.matrix()
    k.write(k.row_sum(x), k.column_sum(x))


def row_reduce(k):
    k.write(k.row_sum(k.matrix()))


def column_reduce(k):
    k.write(k.column_sum(k.matrix()))


def transpose_add(k):
    """Bias and ReLU into the transposed layout."""
    x, bias = k.matrix(), k.vector(k.columns)
    y = x + k.by_column(bias)
    k.write(k.g.transpose(k.g.binary("maximum", y, 0.0), [1, 0]))


CLASSICS = {f.__name__: f for f in (softmax, softmax_outer, layernorm, layernorm_backward, rmsnorm, rmsnorm_backward,
                                    cross_entropy, gelu_dropout_residual_layernorm, batchnorm_training, adam,
                                    row_column_reduce, row_reduce, column_reduce, transpose_add)}


# Where each is usually measured.
SHAPES = {
    "softmax": [(4096, 1024), (4096, 16384), (4096, 65536), (4096, 262144), (64, 30000)],
    "softmax_outer": [(1024, 4096)],
    "layernorm": [(4096, 1024), (4096, 16384), (4096, 65536), (4096, 262144)],
    "layernorm_backward": [(4096, 1024), (32768, 4096), (4096, 16384), (4096, 65536)],
    "rmsnorm": [(4096, 4096), (4096, 16384), (4096, 65536), (4096, 262144)],
    "rmsnorm_backward": [(4096, 1024), (32768, 4096), (4096, 16384), (4096, 65536)],
    "cross_entropy": [(4096, 16384), (4096, 32768), (4096, 65536), (4096, 262144)],
    "gelu_dropout_residual_layernorm": [(4096, 1024)],
    "batchnorm_training": [(25088, 256)],
    "adam": [(4096, 4096)],
    "row_column_reduce": [(8192, 1024)],
    "row_reduce": [(750000, 32), (64, 30000)],
    "column_reduce": [(750000, 32), (64, 30000)],
    "transpose_add": [(4096, 4096)],
}


def build(name, rows, columns, dtype="f32"):
    """The StableHLO text of a kernel, or of one of products.PRODUCTS."""
    if name in products.PRODUCTS:
        return products.PRODUCTS[name](rows, columns, dtype)
    kernel = Kernel(rows, columns, dtype)
    CLASSICS[name](kernel)
    return kernel.g.text()


def bytes_of(text):
    """Bytes of the inputs and outputs of a module's @main."""
    signature = re.search(r"@main\((.*?)\) -> \(?(.*?)\)? \{", text)
    sizes = {"i1": 1, "i8": 1, "bf16": 2, "f16": 2, "f32": 4, "i32": 4, "f64": 8, "i64": 8}
    total = 0
    for shape, dtype in re.findall(r"tensor<((?:\d+x)*)(\w+)>", signature.group(0)):
        total += math.prod(int(d) for d in shape.split("x") if d) * sizes[dtype]
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=CLASSICS)
    parser.add_argument("rows", type=int)
    parser.add_argument("columns", type=int)
    parser.add_argument("dtype", nargs="?", default="f32", choices=["f32", "bf16", "f16", "f64"])
    options = parser.parse_args()
    print(build(options.name, options.rows, options.columns, options.dtype), end="")


if __name__ == "__main__":
    main()
