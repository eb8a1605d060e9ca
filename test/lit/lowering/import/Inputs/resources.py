# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: resources.py DENSE.mlir RESOURCE.mlir SIZE: one function with a constant of SIZE x 3 elements of every type, written in both ways."""
import sys

dense, resource, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
count = 3 * size


def bytes_of(width):
    return bytes(7 * i % 60 if i % width == width - 1 else 0 for i in range(count * width))


def bits(values):
    return bytes(sum(b << j for j, b in enumerate(values[i : i + 8])) for i in range(0, len(values), 8))


booleans = [int(i % 3 == 1) for i in range(count)]
# Name, element type, bytes as dense elements, bytes as a resource.
widths = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2, "i32": 4, "i8": 1, "ui8": 1, "ui32": 4, "f8E5M2": 1}
constants = [(t, t, bytes_of(width), bytes_of(width)) for t, width in widths.items()]
constants.append(("complex", "complex<f32>", bytes_of(8), bytes_of(8)))
constants.append(("bits", "i1", bits(booleans), bits(booleans)))
constants.append(("bytes", "i1", bits(booleans), bytes(booleans)))
for path, is_resource in ((dense, False), (resource, True)):
    with open(path, "w") as file:
        types = [f"tensor<{size}x3x{t}>" for _, t, _, _ in constants]
        print(f"func.func @main({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}) -> ({', '.join(types)}) {{", file=file)
        for i, (name, _, data, _) in enumerate(constants):
            value = f"dense_resource<{name}>" if is_resource else f'dense<"0x{data.hex().upper()}">'
            op = "or" if types[i].endswith("xi1>") else "add"
            print(f"  %c{i} = stablehlo.constant {value} : {types[i]}\n  %r{i} = stablehlo.{op} %a{i}, %c{i} : {types[i]}", file=file)
        print(f"  return {', '.join(f'%r{i}' for i in range(len(types)))} : {', '.join(types)}\n}}", file=file)
        if is_resource:
            print("{-#\n  dialect_resources: {\n    builtin: {", file=file)
            alignment = "08000000"
            print(",\n".join(f'      {name}: "0x{alignment}{data.hex().upper()}"' for name, _, _, data in constants), file=file)
            print("    }\n  }\n#-}", file=file)
