# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention, and its gradients, with an input that is infinite where the mask hides it from most rows.

usage: attention_infinite.py FOLDER

Writes FOLDER/forward.mlir, FOLDER/gradient.mlir and inputs 0.npy to 3.npy: queries, keys, values, and the gradient of the result; infinite.npy
are values of which the last key has one that is infinite, and infinite_gradient.npy has an infinite element in the first row: 0 times
either is NaN. FOLDER/parts.mlir has weights of f32, all of them 1, that multiply what is converted from bf16: zero.npy are its queries,
bf16.npy its keys and values, and infinite_bf16.npy the gradient: infinity times a weight whose lower parts are 0 is infinite.
"""
import math
import os
import random
import struct
import sys

S, R, X = "tensor<1x192x192xf32>", "tensor<1x192xf32>", "tensor<1x192x16xf16>"
GRAPH = f"""
func.func @main(%q: {X}, %k: {X}, %v: {X}, %g: {X}) -> {X} {{
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : ({X}, {X}) -> {S}
  %low = tg.constant dense<0xFF800000> : {S}
  %i = tg.iota dim 1 : {S.replace("f32", "i32")}
  %j = tg.iota dim 2 : {S.replace("f32", "i32")}
  %m = tg.compare ge, %i, %j : {S.replace("f32", "i32")}
  %1 = tg.select %m, %0, %low : {S.replace("f32", "i1")}, {S}
  %2 = tg.reduce max %1 dims [2] : ({S}) -> {R}
  %3 = tg.broadcast %2 dims [0, 1] : ({R}) -> {S}
  %4 = tg.sub %1, %3 : {S}
  %5 = tg.exp %4 : {S}
  %6 = tg.reduce add %5 dims [2] : ({S}) -> {R}
  %7 = tg.broadcast %6 dims [0, 1] : ({R}) -> {S}
  %8 = tg.div %5, %7 : {S}
  %9 = tg.convert %8 : ({S}) -> {S.replace("f32", "f16")}
  %10 = tg.dot %9, %v batch [0] x [0] contract [2] x [1] : ({S.replace("f32", "f16")}, {X}) -> {X}
"""
FORWARD = GRAPH + f"  return %10 : {X}\n}}\n"
GRADIENT = GRAPH.replace(f"-> {X} {{\n", f"-> ({X}, {X}, {X}, {X}) {{\n", 1) + f"""  %11 = tg.dot %g, %v batch [0] x [0] contract [2] x [2] : ({X}, {X}) -> {S}
  %12 = tg.mul %11, %8 : {S}
  %13 = tg.reduce add %12 dims [2] : ({S}) -> {R}
  %14 = tg.broadcast %13 dims [0, 1] : ({R}) -> {S}
  %15 = tg.sub %11, %14 : {S}
  %16 = tg.mul %15, %8 : {S}
  %zero = tg.constant dense<0.0> : {S}
  %17 = tg.select %m, %16, %zero : {S.replace("f32", "i1")}, {S}
  %18 = tg.convert %17 : ({S}) -> {S.replace("f32", "f16")}
  %19 = tg.dot %18, %k batch [0] x [0] contract [2] x [1] : ({S.replace("f32", "f16")}, {X}) -> {X}
  %20 = tg.dot %18, %q batch [0] x [0] contract [1] x [1] : ({S.replace("f32", "f16")}, {X}) -> {X}
  %21 = tg.dot %9, %g batch [0] x [0] contract [1] x [1] : ({S.replace("f32", "f16")}, {X}) -> {X}
  return %10, %19, %20, %21 : {X}, {X}, {X}, {X}
}}
"""

PARTS = GRADIENT.replace("f16", "bf16")
PARTS = PARTS.replace("%m, %0, %low", "%m, %0, %0").replace("%m, %16, %zero", "%m, %16, %16")  # without a mask
PARTS = PARTS.replace("tg.dot %9, %g batch [0] x [0] contract [1] x [1] : (tensor<1x192x192xbf16>, tensor<1x192x16xbf16>) -> tensor<1x192x16xbf16>",
                      "tg.dot %5, %wide batch [0] x [0] contract [1] x [1] : (tensor<1x192x192xf32>, tensor<1x192x16xf32>) -> tensor<1x192x16xf32>")
PARTS = PARTS.replace("  %21 = ", "  %wide = tg.convert %g : (tensor<1x192x16xbf16>) -> tensor<1x192x16xf32>\n  %21 = ")
PARTS = PARTS.replace("tensor<1x192x16xbf16>) {", "tensor<1x192x16xf32>) {").replace(f": {X}, {X}, {X}, {X}\n}}".replace("f16", "bf16"), ": {0}, {0}, {0}, tensor<1x192x16xf32>\n}}".format(X.replace("f16", "bf16")))

folder = sys.argv[1]
r = random.Random(1)
inputs = {name: [r.gauss(0, 1) for _ in range(192 * 16)] for name in "0123"}
inputs["infinite"], inputs["infinite_gradient"] = list(inputs["2"]), list(inputs["3"])
inputs["infinite"][191 * 16 + 3] = inputs["infinite_gradient"][5] = math.inf
header = b"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 192, 16), }".ljust(117) + b"\n"
for name, elements in inputs.items():
    with open(os.path.join(folder, f"{name}.npy"), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(elements)}e", *elements))
words = [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in inputs["2"]]
for name, elements in ("zero", [0] * len(words)), ("bf16", words), ("infinite_bf16", words[:5] + [0x7F80] + words[6:]):
    with open(os.path.join(folder, f"{name}.npy"), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.replace(b"<f2", b"<u2") + struct.pack(f"<{len(elements)}H", *elements))
for name, text in ("forward", FORWARD), ("gradient", GRADIENT), ("parts", PARTS):
    with open(os.path.join(folder, f"{name}.mlir"), "w", encoding="utf-8") as file:
        file.write(text)
