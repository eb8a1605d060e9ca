# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""StableHLO text, one method an operation. Values know their shape and element type."""


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{dtype}>"


class Value:
    def __init__(self, graph, name, shape, dtype):
        self.graph, self.name, self.shape, self.dtype = graph, name, tuple(shape), dtype

    @property
    def type(self):
        return tensor(self.shape, self.dtype)

    def __add__(self, other):
        return self.graph.binary("add", self, other)

    def __sub__(self, other):
        return self.graph.binary("subtract", self, other)

    def __mul__(self, other):
        return self.graph.binary("multiply", self, other)

    def __truediv__(self, other):
        return self.graph.binary("divide", self, other)


class Graph:
    """One function @main; operands that are numbers become constants of the other operand's type."""

    IDENTITY = {"add": 0.0, "maximum": float("-inf")}

    def __init__(self):
        self.inputs, self.lines, self.results = [], [], []

    def input(self, shape, dtype):
        value = Value(self, f"%arg{len(self.inputs)}", shape, dtype)
        self.inputs.append(value)
        return value

    def output(self, *values):
        self.results.extend(values)

    def emit(self, text, shape, dtype):
        value = Value(self, f"%{len(self.lines)}", shape, dtype)
        self.lines.append(f"{value.name} = {text}")
        return value

    def constant(self, number, shape, dtype):
        if dtype[0] in "iu":
            literal = str(int(number))
        elif number == float("-inf"):
            literal = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "f16": "0xFC00", "bf16": "0xFF80"}[dtype]
        else:
            literal = f"{number:.9e}"
        return self.emit(f"stablehlo.constant dense<{literal}> : {tensor(shape, dtype)}", shape, dtype)

    def unary(self, op, x):
        return self.emit(f"stablehlo.{op} {x.name} : {x.type}", x.shape, x.dtype)

    def binary(self, op, a, b):
        if not isinstance(b, Value):
            b = self.constant(b, a.shape, a.dtype)
        return self.emit(f"stablehlo.{op} {a.name}, {b.name} : {a.type}", a.shape, a.dtype)

    def compare(self, direction, a, b, kind):
        return self.emit(f"stablehlo.compare {direction}, {a.name}, {b.name}, {kind} : ({a.type}, {b.type}) -> "
                         f"{tensor(a.shape, 'i1')}", a.shape, "i1")

    def select(self, predicate, a, b):
        if not isinstance(b, Value):
            b = self.constant(b, a.shape, a.dtype)
        return self.emit(f"stablehlo.select {predicate.name}, {a.name}, {b.name} : {predicate.type}, {a.type}", a.shape,
                         a.dtype)

    def convert(self, x, dtype):
        if x.dtype == dtype:
            return x
        return self.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {tensor(x.shape, dtype)}", x.shape, dtype)

    def iota(self, dim, shape, dtype):
        return self.emit(f"stablehlo.iota dim = {dim} : {tensor(shape, dtype)}", shape, dtype)

    def broadcast(self, x, dims, shape):
        return self.emit(f"stablehlo.broadcast_in_dim {x.name}, dims = {list(dims)} : ({x.type}) -> "
                         f"{tensor(shape, x.dtype)}", shape, x.dtype)

    def transpose(self, x, permutation):
        shape = [x.shape[i] for i in permutation]
        return self.emit(f"stablehlo.transpose {x.name}, dims = {list(permutation)} : ({x.type}) -> "
                         f"{tensor(shape, x.dtype)}", shape, x.dtype)

    def reduce(self, op, x, dims):
        start = self.constant(self.IDENTITY[op], (), x.dtype)
        shape = [d for i, d in enumerate(x.shape) if i not in dims]
        return self.emit(f"stablehlo.reduce({x.name} init: {start.name}) applies stablehlo.{op} across dimensions = "
                         f"{list(dims)} : ({x.type}, {start.type}) -> {tensor(shape, x.dtype)}", shape, x.dtype)

    def text(self):
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.inputs)
        results = ", ".join(v.type for v in self.results)
        names = ", ".join(v.name for v in self.results)
        body = "".join(f"    {line}\n" for line in self.lines)
        return (f"module {{\n  func.func public @main({arguments}) -> ({results}) {{\n{body}"
                f"    return {names} : {results}\n  }}\n}}\n")
