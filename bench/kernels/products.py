# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with products inside as StableHLO text: attention, products that memory limits, and an LSTM that takes one sequence.

usage: products.py NAME ROWS COLUMNS [DTYPE]

`attention`: ROWS queries and keys of heads of COLUMNS, as many heads as make 65,536 rows, at most 1024 and at least 4 (below 64 rows: 4); softmax
in f32.
`matvec` and `thin_product`: 1 and 8 rows of length ROWS times a ROWS x COLUMNS matrix. `lstm`: ROWS steps of COLUMNS units, gates in the order
of PyTorch, weights as PyTorch has them (4 COLUMNS x COLUMNS), from zeros on.
"""
import argparse

from stablehlo import Graph, tensor

THIN_ROWS = 8


def heads(rows):
    return min(max(65536 // rows, 4), 1024) if rows >= 64 else 4


def wide(dtype):
    return "f32" if dtype in ("f16", "bf16") else dtype


def dot(g, a, b, batch, contract, shape, dtype):
    """Dimensions `contract` of a and b, `batch` leading ones in common; the result has the type that is computed in, then `dtype`."""
    dims = f"batching_dims = {list(range(batch))} x {list(range(batch))}, " if batch else ""
    product = g.emit(f"stablehlo.dot_general {a.name}, {b.name}, {dims}contracting_dims = [{contract[0]}] x [{contract[1]}] : "
                     f"({a.type}, {b.type}) -> {tensor(shape, wide(dtype))}", shape, wide(dtype))
    return g.convert(product, dtype)


def attention(rows, columns, dtype):
    g, count = Graph(), heads(rows)
    q, k, v = (g.input((count, rows, columns), dtype) for _ in range(3))
    scores = dot(g, q, k, 1, (2, 2), (count, rows, rows), wide(dtype)) * (columns**-0.5)
    e = g.unary("exponential", scores - g.broadcast(g.reduce("maximum", scores, [2]), [0, 1], scores.shape))
    p = g.convert(e / g.broadcast(g.reduce("add", e, [2]), [0, 1], scores.shape), dtype)
    g.output(dot(g, p, v, 1, (2, 1), (count, rows, columns), dtype))
    return g.text()


def product(count, rows, columns, dtype):
    g = Graph()
    x, w = g.input((count, rows), dtype), g.input((rows, columns), dtype)
    g.output(dot(g, x, w, 0, (1, 0), (count, columns), dtype))
    return g.text()


def matvec(rows, columns, dtype):
    return product(1, rows, columns, dtype)


def thin_product(rows, columns, dtype):
    return product(THIN_ROWS, rows, columns, dtype)


LSTM = """\
module {{
  func.func public @main(%x: tensor<{T}x{H}x{D}>, %wx: tensor<{G}x{H}x{D}>, %wh: tensor<{G}x{H}x{D}>, %b: tensor<{G}x{D}>) -> (tensor<{T}x{H}x{D}>, tensor<{H}x{D}>) {{
    %first = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %last = stablehlo.constant dense<{T}> : tensor<i32>
    %zeros = stablehlo.constant dense<0.0> : tensor<{H}x{D}>
    %empty = stablehlo.constant dense<0.0> : tensor<{T}x{H}x{D}>
    %xw = stablehlo.dot_general %x, %wx, contracting_dims = [1] x [1] : (tensor<{T}x{H}x{D}>, tensor<{G}x{H}x{D}>) -> tensor<{T}x{G}x{D}>
    %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{G}x{D}>) -> tensor<{T}x{G}x{D}>
    %all = stablehlo.add %xw, %bias : tensor<{T}x{G}x{D}>
    %r:4 = stablehlo.while(%i = %first, %h = %zeros, %c = %zeros, %hs = %empty) : tensor<i32>, tensor<{H}x{D}>, tensor<{H}x{D}>, tensor<{T}x{H}x{D}>
    cond {{
      %go = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    }} do {{
      %row = stablehlo.dynamic_slice %all, %i, %first, sizes = [1, {G}] : (tensor<{T}x{G}x{D}>, tensor<i32>, tensor<i32>) -> tensor<1x{G}x{D}>
      %xt = stablehlo.reshape %row : (tensor<1x{G}x{D}>) -> tensor<{G}x{D}>
      %hw = stablehlo.dot_general %wh, %h, contracting_dims = [1] x [0] : (tensor<{G}x{H}x{D}>, tensor<{H}x{D}>) -> tensor<{G}x{D}>
      %gates = stablehlo.add %xt, %hw : tensor<{G}x{D}>
      %gi = stablehlo.slice %gates [0:{H}] : (tensor<{G}x{D}>) -> tensor<{H}x{D}>
      %gf = stablehlo.slice %gates [{H}:{H2}] : (tensor<{G}x{D}>) -> tensor<{H}x{D}>
      %gg = stablehlo.slice %gates [{H2}:{H3}] : (tensor<{G}x{D}>) -> tensor<{H}x{D}>
      %go = stablehlo.slice %gates [{H3}:{G}] : (tensor<{G}x{D}>) -> tensor<{H}x{D}>
      %si = stablehlo.logistic %gi : tensor<{H}x{D}>
      %sf = stablehlo.logistic %gf : tensor<{H}x{D}>
      %tg = stablehlo.tanh %gg : tensor<{H}x{D}>
      %so = stablehlo.logistic %go : tensor<{H}x{D}>
      %kept = stablehlo.multiply %sf, %c : tensor<{H}x{D}>
      %new = stablehlo.multiply %si, %tg : tensor<{H}x{D}>
      %next = stablehlo.add %kept, %new : tensor<{H}x{D}>
      %th = stablehlo.tanh %next : tensor<{H}x{D}>
      %out = stablehlo.multiply %so, %th : tensor<{H}x{D}>
      %line = stablehlo.reshape %out : (tensor<{H}x{D}>) -> tensor<1x{H}x{D}>
      %stack = stablehlo.dynamic_update_slice %hs, %line, %i, %first : (tensor<{T}x{H}x{D}>, tensor<1x{H}x{D}>, tensor<i32>, tensor<i32>) -> tensor<{T}x{H}x{D}>
      %following = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %following, %out, %next, %stack : tensor<i32>, tensor<{H}x{D}>, tensor<{H}x{D}>, tensor<{T}x{H}x{D}>
    }}
    return %r#3, %r#2 : tensor<{T}x{H}x{D}>, tensor<{H}x{D}>
  }}
}}
"""


def lstm(rows, columns, dtype):
    return LSTM.format(T=rows, H=columns, H2=2 * columns, H3=3 * columns, G=4 * columns, D=dtype)


PRODUCTS = {f.__name__: f for f in (attention, matvec, thin_product, lstm)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=PRODUCTS)
    parser.add_argument("rows", type=int)
    parser.add_argument("columns", type=int)
    parser.add_argument("dtype", nargs="?", default="f32", choices=["f32", "bf16", "f16", "f64"])
    options = parser.parse_args()
    print(PRODUCTS[options.name](options.rows, options.columns, options.dtype), end="")


if __name__ == "__main__":
    main()
