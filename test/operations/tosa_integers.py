#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOSA's integers of 4 and 48 bits and mxint8 on the simt device, against NumPy: MLIR's own lowering, with which test/operations/tosa_table.py compares others, does
not run them.

usage: tosa_integers.py --bin DIR [--seed N]

Exit status 1 if a result differs.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np


def block_scaled(x):
    """Integers, and the exponents of the least scales with which the largest magnitudes of blocks are at most 127 of 64."""
    blocks = x.astype(np.float64).reshape(*x.shape[:-1], -1, 32)
    mantissa, exponent = np.frexp(np.abs(blocks).max(-1) / (127 / 64))
    exponent = exponent - (mantissa == 0.5)
    return np.rint(np.ldexp(blocks * 64, -exponent[..., None])).reshape(x.shape).astype(np.int8), exponent


def convolved(x, kernel):
    """Sums of products of [n, h, w, i] and [o, h, w, i], with a row and column of zeros around x."""
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
    h, w = padded.shape[1] - kernel.shape[1] + 1, padded.shape[2] - kernel.shape[2] + 1
    return sum(np.einsum("nhwi,oi->nhwo", padded[:, i:i + h, j:j + w], kernel[:, i, j])
               for i in range(kernel.shape[1]) for j in range(kernel.shape[2]))


def rescaled(x, multiplier, shift):
    return np.clip((x * multiplier + (1 << (shift - 1))) >> shift, -2**15, 2**15 - 1)


WINDOW = "dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>"

PROGRAM = """
func.func @main(%a: tensor<2x3x5xi16>, %b: tensor<2x5x4xi16>, %x: tensor<1x5x4x3xi16>, %k: tensor<6x3x3x3xi8>, %bias: tensor<6xi48>,
                %y: tensor<1x5x4x3xi8>, %w: tensor<6x3x3x3xi4>, %image: tensor<1x3x3x2xi16>,
                %f: tensor<3x64xf32>, %m: tensor<3x64x!tosa.mxint8>, %e: tensor<3x2xf8E8M0FNU>)
    -> (tensor<2x3x4xi48>, tensor<1x5x4x6xi48>, tensor<1x5x4x6xi16>, tensor<1x5x4x6xi32>, tensor<1x5x4x6xi32>, tensor<1x5x5x2xi48>, tensor<6x3x3x3xi4>,
        tensor<3x64x!tosa.mxint8>, tensor<3x2xf8E8M0FNU>, tensor<3x64xf32>, tensor<1x3x3xf32>) {{
  %z16 = "tosa.const"() <{{values = dense<0> : tensor<1xi16>}}> : () -> tensor<1xi16>
  %z8 = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %z4 = "tosa.const"() <{{values = dense<0> : tensor<1xi4>}}> : () -> tensor<1xi4>
  %z48 = "tosa.const"() <{{values = dense<0> : tensor<1xi48>}}> : () -> tensor<1xi48>
  %seven = "tosa.const"() <{{values = dense<7> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %none = "tosa.const"() <{{values = dense<0> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %product = tosa.matmul %a, %b, %z16, %z16 : (tensor<2x3x5xi16>, tensor<2x5x4xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<2x3x4xi48>
  %wide = tosa.conv2d %x, %k, %bias, %z16, %z8 {{acc_type = i48, {window}}}
      : (tensor<1x5x4x3xi16>, tensor<6x3x3x3xi8>, tensor<6xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x5x4x6xi48>
  %multiplier = "tosa.const"() <{{values = dense<16385> : tensor<1xi16>}}> : () -> tensor<1xi16>
  %shift = "tosa.const"() <{{values = dense<22> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %narrow = tosa.rescale %wide, %multiplier, %shift, %z48, %z16 {{input_unsigned = false, output_unsigned = false, per_channel = false,
      rounding_mode = SINGLE_ROUND, scale32 = false}} : (tensor<1x5x4x6xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x5x4x6xi16>
  %small = tosa.conv2d %y, %w, %none, %seven, %z4 {{acc_type = i32, {window}}}
      : (tensor<1x5x4x3xi8>, tensor<6x3x3x3xi4>, tensor<1xi32>, tensor<1xi8>, tensor<1xi4>) -> tensor<1x5x4x6xi32>
  %weights = "tosa.const"() <{{values = dense<{weights}> : tensor<6x3x3x3xi4>}}> : () -> tensor<6x3x3x3xi4>
  %constant = tosa.conv2d %y, %weights, %none, %seven, %z4 {{acc_type = i32, {window}}}
      : (tensor<1x5x4x3xi8>, tensor<6x3x3x3xi4>, tensor<1xi32>, tensor<1xi8>, tensor<1xi4>) -> tensor<1x5x4x6xi32>
  %same = tosa.identity %w : (tensor<6x3x3x3xi4>) -> tensor<6x3x3x3xi4>
  %scale = tosa.const_shape {{values = dense<[2, 1, 2, 1]> : tensor<4xindex>}} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {{values = dense<[0, 0]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %border = tosa.const_shape {{values = dense<[0, 0]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %resized = tosa.resize %image, %scale, %offset, %border {{mode = BILINEAR}}
      : (tensor<1x3x3x2xi16>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x5x5x2xi48>
  %data, %exponents = tosa.cast_to_block_scaled %f {{block_size = #tosa.block_size<BLOCK_SIZE_32>}} : (tensor<3x64xf32>)
      -> (tensor<3x64x!tosa.mxint8>, tensor<3x2xf8E8M0FNU>)
  %floats = tosa.cast_from_block_scaled %m, %e {{block_size = #tosa.block_size<BLOCK_SIZE_32>}} : (tensor<3x64x!tosa.mxint8>, tensor<3x2xf8E8M0FNU>)
      -> tensor<3x64xf32>
  %three = tosa.const_shape {{values = dense<[1, 3, 64]> : tensor<3xindex>}} : () -> !tosa.shape<3>
  %two = tosa.const_shape {{values = dense<[1, 3, 2]> : tensor<3xindex>}} : () -> !tosa.shape<3>
  %m3 = tosa.reshape %m, %three : (tensor<3x64x!tosa.mxint8>, !tosa.shape<3>) -> tensor<1x3x64x!tosa.mxint8>
  %e3 = tosa.reshape %e, %two : (tensor<3x2xf8E8M0FNU>, !tosa.shape<3>) -> tensor<1x3x2xf8E8M0FNU>
  %products = tosa.matmul_t_block_scaled %m3, %e3, %m3, %e3 {{block_size = #tosa.block_size<BLOCK_SIZE_32>}} : (tensor<1x3x64x!tosa.mxint8>,
      tensor<1x3x2xf8E8M0FNU>, tensor<1x3x64x!tosa.mxint8>, tensor<1x3x2xf8E8M0FNU>) -> tensor<1x3x3xf32>
  return %product, %wide, %narrow, %small, %constant, %resized, %same, %data, %exponents, %floats, %products
      : tensor<2x3x4xi48>, tensor<1x5x4x6xi48>, tensor<1x5x4x6xi16>, tensor<1x5x4x6xi32>, tensor<1x5x4x6xi32>, tensor<1x5x5x2xi48>, tensor<6x3x3x3xi4>,
        tensor<3x64x!tosa.mxint8>, tensor<3x2xf8E8M0FNU>, tensor<3x64xf32>, tensor<1x3x3xf32>
}}
"""


def elements(array):
    return str(int(array)) if np.ndim(array) == 0 else "[" + ", ".join(map(elements, array)) + "]"


def run(options, text, inputs):
    with tempfile.TemporaryDirectory() as folder:
        source, model, arguments = os.path.join(folder, "model.mlir"), os.path.join(folder, "model.so"), []
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        for i, array in enumerate(inputs):
            path = os.path.join(folder, f"in_{i}.npy")
            np.save(path, array)
            arguments += ["--input", f"{i}:{path}"]
        for command in (["stitch-compile", source, "-o", model], ["stitch-run", model, "--check", "--incomplete", "--output", folder, *arguments]):
            subprocess.run([os.path.join(options.bin, command[0]), *command[1:]], check=True, stdout=subprocess.DEVNULL)
        return [np.load(os.path.join(folder, f"output_{i}.npy")) for i in range(11)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    integers = lambda bits, shape, dtype: rng.integers(-2 ** (bits - 1), 2 ** (bits - 1), shape).astype(dtype)
    a, b, x, image = (integers(16, s, np.int16) for s in ((2, 3, 5), (2, 5, 4), (1, 5, 4, 3), (1, 3, 3, 2)))
    k, y, w, bias = integers(8, (6, 3, 3, 3), np.int8), integers(8, (1, 5, 4, 3), np.int8), integers(4, (6, 3, 3, 3), np.int8), integers(47, 6, np.int64)
    bias[:2] //= 2**20  # others leave the range of 32 bits, and that of the rescaled result
    wide = convolved(x.astype(np.int64), k.astype(np.int64)) + bias
    small = convolved(y.astype(np.int64) - 7, w.astype(np.int64))
    line = np.asarray([[2, 0, 0], [1, 1, 0], [0, 2, 0], [0, 1, 1], [0, 0, 2]])
    resized = np.einsum("yh,xw,nhwc->nyxc", line, line, image.astype(np.int64))
    expected = [np.einsum("nhc,ncw->nhw", a.astype(np.int64), b.astype(np.int64)), wide, rescaled(wide, 16385, 22), small, small, resized, w]
    floats = (rng.standard_normal((3, 64)) * np.ldexp(1.0, rng.integers(-9, 9, (3, 1)))).astype(np.float32)
    data, exponents = block_scaled(floats)
    floats[0, 32:], data[0, 32:], exponents[0, 1] = 0, 0, -127
    integers8, scales = integers(8, (3, 64), np.int8), rng.integers(-9, 9, (3, 2))
    real = integers8 / 64 * np.ldexp(1.0, np.repeat(scales, 32, 1))
    code = lambda e: (e + 127).astype(np.uint8)
    expected += [data, code(exponents), real, (real @ real.T)[None]]
    found = run(options, PROGRAM.format(window=WINDOW, weights=elements(w)),
                [a, b, x, k, bias, y, w.view("V1"), image, floats, integers8, code(scales).view("V1")])
    wrong = 0
    for name, e, f in zip(("matmul", "conv2d", "rescale", "conv2d of i4", "conv2d of constants of i4", "resize", "identity of i4",
                           "cast_to_block_scaled of mxint8", "its scales", "cast_from_block_scaled of mxint8", "matmul_t_block_scaled of mxint8"), expected, found):
        f = f.view(e.dtype) if f.dtype.kind == "V" else f
        same = f.shape == e.shape and (np.allclose(f, e, 1e-5, 1e-3 * np.abs(e).max()) if name.startswith("matmul_t") else (f.astype(np.float64) == e).all())
        wrong += not same
        print(f"{name}: {'ok' if same else 'wrong'}, {f.dtype}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
