# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with heads of 32, 64, 96 and 128 elements in bf16 and f32, as files in a folder.

usage: attention_sizes.py FOLDER [gradient] [dropout] [causal | window]

With its gradients; with dropout behind the softmax; behind a causal mask, or one that shows the last 64 keys alone.
"""
import os
import sys

PARAMETERS = "%q: tensor<64x512xHxT>, %k: tensor<64x512xHxT>, %v: tensor<64x512xHxT>"
SCORES = "  SCORES = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<64x512xHxT>, tensor<64x512xHxT>) -> tensor<64x512x512xf32>\n"
CAUSAL = """  %low = tg.constant dense<0xFF800000> : tensor<64x512x512xf32>
  %i = tg.iota dim 0 : tensor<512xi32>
  %r = tg.broadcast %i dims [1] : (tensor<512xi32>) -> tensor<64x512x512xi32>
  %c = tg.broadcast %i dims [2] : (tensor<512xi32>) -> tensor<64x512x512xi32>
  %m = tg.compare ge, %r, %c : tensor<64x512x512xi32>
  %0 = tg.select %m, %s, %low : tensor<64x512x512xi1>, tensor<64x512x512xf32>
"""
WINDOW = CAUSAL.replace("  %m = ", "  %causal = ").replace("  %0 = ", """  %d = tg.sub %r, %c : tensor<64x512x512xi32>
  %w = tg.constant dense<64> : tensor<64x512x512xi32>
  %near = tg.compare lt, %d, %w : tensor<64x512x512xi32>
  %m = tg.and %causal, %near : tensor<64x512x512xi1>
  %0 = """)
SOFTMAX = """  %1 = tg.reduce max %0 dims [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %3 = tg.sub %0, %2 : tensor<64x512x512xf32>
  %4 = tg.exp %3 : tensor<64x512x512xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %7 = tg.div %4, %6 : tensor<64x512x512xf32>
"""
KEPT = """  %zero = tg.constant dense<0.0> : tensor<64x512x512xf32>
  %share = tg.constant dense<0.9> : tensor<64x512x512xf32>
"""
DROPOUT = """  TO_more = tg.div FROM, %share : tensor<64x512x512xf32>
  TO = tg.select %d, TO_more, %zero : tensor<64x512x512xi1>, tensor<64x512x512xf32>
"""
NARROW = "  TO = tg.convert FROM : (tensor<64x512x512xf32>) -> tensor<64x512x512xbf16>\n"
RESULT = "  %9 = tg.dot WEIGHTS, %v batch [0] x [0] contract [2] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>\n"
GRADIENT = """  %10 = tg.dot %g, %v batch [0] x [0] contract [2] x [2] : (tensor<64x512xHxT>, tensor<64x512xHxT>) -> tensor<64x512x512xf32>
DROPPED  %11 = tg.mul OF_WEIGHTS, %7 : tensor<64x512x512xf32>
  %12 = tg.reduce add %11 dims [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %13 = tg.broadcast %12 dims [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %14 = tg.sub OF_WEIGHTS, %13 : tensor<64x512x512xf32>
  %15 = tg.mul %14, %7 : tensor<64x512x512xf32>
NARROWED  %17 = tg.dot OF_SCORES, %k batch [0] x [0] contract [2] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>
  %18 = tg.dot OF_SCORES, %q batch [0] x [0] contract [1] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>
  %19 = tg.dot WEIGHTS, %g batch [0] x [0] contract [1] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>
"""


def between(text, to, of):
    return text.replace("TO", to).replace("FROM", of)


def attention(dtype, wanted):
    gradient, dropout, narrow = "gradient" in wanted, "dropout" in wanted, dtype != "f32"
    lines = SCORES.replace("SCORES", "%s" if "causal" in wanted or "window" in wanted else "%0") + (CAUSAL if "causal" in wanted else WINDOW if "window" in wanted else "") + SOFTMAX
    weights = "%7"
    if dropout:
        lines, weights = lines + KEPT + between(DROPOUT, "%dropped", weights), "%dropped"
    if narrow:
        lines, weights = lines + between(NARROW, "%8", weights), "%8"
    lines += RESULT
    if gradient:
        lines += GRADIENT.replace("DROPPED", between(DROPOUT, "%of_weights", "%10") if dropout else "")
        lines = lines.replace("OF_WEIGHTS", "%of_weights" if dropout else "%10")
        lines = lines.replace("NARROWED", between(NARROW, "%16", "%15") if narrow else "").replace("OF_SCORES", "%16" if narrow else "%15")
    parameters = PARAMETERS + ", %g: tensor<64x512xHxT>" * gradient + ", %d: tensor<64x512x512xi1>" * dropout
    types = ", ".join(["tensor<64x512xHxT>"] * (4 if gradient else 1))
    returned = "%9, %17, %18, %19" if gradient else "%9"
    return f"func.func @main({parameters}) -> ({types}) {{\n{lines.replace('WEIGHTS', weights)}  return {returned} : {types}\n}}\n"


for element in ("bf16", "f32"):
    for size in (32, 64, 96, 128):
        with open(os.path.join(sys.argv[1], f"{element}_{size}.mlir"), "w", encoding="utf-8") as file:
            file.write(attention(element, sys.argv[2:]).replace("xHx", f"x{size}x").replace("xT>", f"x{element}>"))
