"""Prints a StableHLO program that is a chain of as many operations as the argument says."""
import sys

count = int(sys.argv[1])
print("func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {")
for i in range(count):
    print(f"  %v{i + 1} = stablehlo.{'cosine' if i % 2 else 'sine'} %v{i} : tensor<4xf32>")
print(f"  return %v{count} : tensor<4xf32>\n}}")
