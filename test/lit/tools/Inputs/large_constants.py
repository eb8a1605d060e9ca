# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a model with 2 MiB of weights, and outputs and operands of library calls that are splats of 64 MB."""
import random

ROWS, COLUMNS = 1024, 512


def main():
    bits = random.Random(1)
    weights = bytes(bits.getrandbits(8) & 0x3F for _ in range(4 * ROWS * COLUMNS)).hex()
    print(f"""func.func @main(%x: tensor<64x{ROWS}xf32>, %y: tensor<4x640xf32>)
    -> (tensor<64x{COLUMNS}xf32>, tensor<640x21128xf32>, tensor<640x2112xf64>, tensor<4x2112xf32>, tensor<300xi1>, tensor<40xcomplex<f64>>) {{
  %w = stablehlo.constant dense<"0x{weights}"> : tensor<{ROWS}x{COLUMNS}xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<640x21128xf32>
  %doubles = stablehlo.constant dense<2.1> : tensor<640x2112xf64>
  %halves = stablehlo.constant dense<0.5> : tensor<640x2112xf32>
  %true = stablehlo.constant dense<true> : tensor<300xi1>
  %complex = stablehlo.constant dense<(1.0, 2.0)> : tensor<40xcomplex<f64>>
  %a = stablehlo.dot %x, %w : (tensor<64x{ROWS}xf32>, tensor<{ROWS}x{COLUMNS}xf32>) -> tensor<64x{COLUMNS}xf32>
  %b = stablehlo.dot %y, %halves : (tensor<4x640xf32>, tensor<640x2112xf32>) -> tensor<4x2112xf32>
  return %a, %zeros, %doubles, %b, %true, %complex
      : tensor<64x{COLUMNS}xf32>, tensor<640x21128xf32>, tensor<640x2112xf64>, tensor<4x2112xf32>, tensor<300xi1>, tensor<40xcomplex<f64>>
}}""")


if __name__ == "__main__":
    main()
