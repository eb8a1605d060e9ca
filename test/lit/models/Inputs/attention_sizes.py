# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with heads of 32, 64, 96 and 128 elements in bf16 and f32, as files in the folder that is given; with a second argument, its
gradients instead."""
import os
import sys

TEXT = """func.func @main(%q: tensor<64x512xHxT>, %k: tensor<64x512xHxT>, %v: tensor<64x512xHxT>) -> tensor<64x512xHxT> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<64x512xHxT>, tensor<64x512xHxT>) -> tensor<64x512x512xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %3 = tg.sub %0, %2 : tensor<64x512x512xf32>
  %4 = tg.exp %3 : tensor<64x512x512xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %7 = tg.div %4, %6 : tensor<64x512x512xf32>
  %8 = CONVERT
  %9 = tg.dot %8, %v batch [0] x [0] contract [2] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>
  return %9 : tensor<64x512xHxT>
}
"""
GRADIENT = """  %10 = tg.dot %g, %v batch [0] x [0] contract [2] x [2] : (tensor<64x512xHxT>, tensor<64x512xHxT>) -> tensor<64x512x512xf32>
  %11 = tg.mul %10, %7 : tensor<64x512x512xf32>
  %12 = tg.reduce add %11 dims [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %13 = tg.broadcast %12 dims [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %14 = tg.sub %10, %13 : tensor<64x512x512xf32>
  %15 = tg.mul %14, %7 : tensor<64x512x512xf32>
  %16 = tg.convert %15 : (tensor<64x512x512xf32>) -> tensor<64x512x512xT>
  %17 = tg.dot %16, %k batch [0] x [0] contract [2] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>
  %18 = tg.dot %16, %q batch [0] x [0] contract [1] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>
  %19 = tg.dot %8, %g batch [0] x [0] contract [1] x [1] : (tensor<64x512x512xT>, tensor<64x512xHxT>) -> tensor<64x512xHxT>
  return %9, %17, %18, %19 : tensor<64x512xHxT>, tensor<64x512xHxT>, tensor<64x512xHxT>, tensor<64x512xHxT>
"""
CONVERT = "tg.convert %7 : (tensor<64x512x512xf32>) -> tensor<64x512x512xbf16>"

for dtype in ("bf16", "f32"):
    for size in (32, 64, 96, 128):
        text = TEXT
        if len(sys.argv) > 2:
            text = text.replace("%v: tensor<64x512xHxT>) -> tensor<64x512xHxT>", f"%v: tensor<64x512xHxT>, %g: tensor<64x512xHxT>) -> ({', '.join(4 * ['tensor<64x512xHxT>'])})")
            text = text.replace("  return %9 : tensor<64x512xHxT>\n", GRADIENT)
        if dtype == "f32":
            text = text.replace("  %8 = CONVERT\n", "").replace("%8,", "%7,")
        text = text.replace("CONVERT", CONVERT).replace("xHx", f"x{size}x").replace("xT>", f"x{dtype}>")
        with open(os.path.join(sys.argv[1], f"{dtype}_{size}.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
