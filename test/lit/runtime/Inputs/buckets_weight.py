"""A product with a weight that is a constant of random bytes, of b rows."""

import random

SIZE = 300
random.seed(1)
# Small floats: exponents from 2^-8 on.
values = b"".join(bytes([random.randrange(256), random.randrange(256), random.randrange(128), 0x3C]) for _ in range(SIZE * SIZE))
print(f"""module {{
  func.func @main(%x: tensor<?x{SIZE}xf32> {{stitch.dims = ["b", ""]}}) -> tensor<?x{SIZE}xf32> {{
    %w = stablehlo.constant dense<"0x{values.hex().upper()}"> : tensor<{SIZE}x{SIZE}xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x{SIZE}xf32>, tensor<{SIZE}x{SIZE}xf32>) -> tensor<?x{SIZE}xf32>
    %z = stablehlo.tanh %y : tensor<?x{SIZE}xf32>
    return %z : tensor<?x{SIZE}xf32>
  }}
}}""")
