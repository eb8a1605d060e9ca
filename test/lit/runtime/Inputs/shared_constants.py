"""Prints products of two inputs with three constant weights, of which both inputs have one: x a, x b, y b, y c."""
import random
import struct

random.seed(1)


def constant(count):
    return "0x" + "".join(struct.pack("<f", random.uniform(-1, 1)).hex().upper() for _ in range(count))


PRODUCTS = ("xa", "xb", "yb", "yc")
print("func.func @main(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>) {")
for weight in "abc":
    print(f'  %{weight} = tg.constant dense<"{constant(128 * 128)}"> : tensor<128x128xf32>')
for number, (lhs, rhs) in enumerate(PRODUCTS):
    print(f"  %{number} = tg.dot %{lhs}, %{rhs} contract [1] x [0] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>")
print("""  %4 = tg.tanh %0 : tensor<8x128xf32>
  %5 = tg.mul %4, %1 : tensor<8x128xf32>
  %6 = tg.tanh %2 : tensor<8x128xf32>
  %7 = tg.mul %6, %3 : tensor<8x128xf32>
  return %5, %7 : tensor<8x128xf32>, tensor<8x128xf32>
}""")
