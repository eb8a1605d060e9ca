# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints adam_updates.mlir: Adam's update of 60 small parameters, 64 to 1280 elements each (Kingma & Ba 2015, algorithm 1)."""

SIZES = [64 + (1280 - 64) * i // 52 // 8 * 8 for i in range(53)] + [65, 127, 128, 256, 512, 1001, 1280]

UPDATE = """  func.func private @update_{size}(%p: {type}, %g: {type}, %m: {type}, %v: {type}, %rate: tensor<f32>) -> ({type}, {type}, {type}) {{
    %beta1 = stablehlo.constant dense<0.9> : {type}
    %rest1 = stablehlo.constant dense<0.1> : {type}
    %beta2 = stablehlo.constant dense<0.999> : {type}
    %rest2 = stablehlo.constant dense<0.001> : {type}
    %epsilon = stablehlo.constant dense<1.0e-04> : {type}
    %0 = stablehlo.multiply %m, %beta1 : {type}
    %1 = stablehlo.multiply %g, %rest1 : {type}
    %first = stablehlo.add %0, %1 : {type}
    %2 = stablehlo.multiply %g, %g : {type}
    %3 = stablehlo.multiply %2, %rest2 : {type}
    %4 = stablehlo.multiply %v, %v : {type}
    %5 = stablehlo.multiply %4, %beta2 : {type}
    %second = stablehlo.add %5, %3 : {type}
    %6 = stablehlo.sqrt %second : {type}
    %7 = stablehlo.add %6, %epsilon : {type}
    %8 = stablehlo.divide %first, %7 : {type}
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> {type}
    %10 = stablehlo.multiply %9, %8 : {type}
    %new = stablehlo.subtract %p, %10 : {type}
    return %new, %first, %6 : {type}, {type}, {type}
  }}"""


def type_of(size):
    return f"tensor<{size}xf32>"


def main():
    arguments = [f"%{kind}{i}: {type_of(size)}" for i, size in enumerate(SIZES) for kind in "pgmv"]
    results = [(f"%n{i}#{k}", type_of(size)) for i, size in enumerate(SIZES) for k in range(3)]
    types = ", ".join(kind for _, kind in results)
    print("// Adam's update of 60 small parameters; what is kept of the second moment is its root. By export/adam_updates.py.")
    print("module @adam_updates {")
    print(f"  func.func public @main({', '.join(arguments)}, %rate: tensor<f32>) -> ({types}) {{")
    for i, size in enumerate(SIZES):
        t = type_of(size)
        print(f"    %n{i}:3 = call @update_{size}(%p{i}, %g{i}, %m{i}, %v{i}, %rate) : ({t}, {t}, {t}, {t}, tensor<f32>) -> ({t}, {t}, {t})")
    print(f"    return {', '.join(name for name, _ in results)} : {types}\n  }}")
    for size in sorted(set(SIZES)):
        print(UPDATE.format(size=size, type=type_of(size)))
    print("}")


if __name__ == "__main__":
    main()
