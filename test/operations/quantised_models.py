#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two layers of quantised models, on the simt device, against NumPy: a BERT layer with weights and activations of 8 bits, and a Llama layer
with weights of 4 bits, one scale for each output feature, and activations in bf16 or f32.

usage: quantised_models.py --bin DIR [--seed N] [--print NAME]

Activations of the BERT layer are quantised before each product, and its products have 8 bits; norms, softmax and gelu are computed in f32.
--print prints a program: bert or llama. Exit status 1 if a result is too far off.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

from quantised_model import Quantised, narrow

BATCH, LENGTH, WIDTH, HEADS, INNER = 2, 12, 32, 4, 64


class Value:
    def __init__(self, name, element, array, q=None):
        self.name, self.element, self.array, self.q = name, element, np.asarray(array), q

    @property
    def type(self):
        return f"tensor<{''.join(f'{d}x' for d in self.array.shape)}{self.element}>"

    @property
    def real(self):
        return self.q.dequantise(self.array) if self.q else self.array


class Program:
    """Writes StableHLO, and computes the same in f64, rounded where a type is narrow."""

    def __init__(self, rng, element):
        self.rng, self.element, self.lines, self.arguments, self.count = rng, element, [], [], 0

    def add(self, text, element, array, q=None):
        self.count += 1
        value = Value(f"%{self.count}v", element, array, q)
        value.name = f"%v{self.count}"
        self.lines.append(f"{value.name} = {text} -> {value.type}")
        return value

    def argument(self, array, element, q=None):
        self.arguments.append(Value(f"%arg{len(self.arguments)}", element, array, q))
        return self.arguments[-1]

    def weights(self, *shape, bits):
        """One scale for each column, of integers without a zero point."""
        limit = 2 ** (bits - 1) - 1
        scales = self.rng.uniform(0.5, 1.5, shape[1]) / limit / np.sqrt(shape[0])
        q = Quantised(bits, True, self.element, scales, np.zeros(shape[1], int), 1, -limit, limit)
        return self.argument(self.rng.integers(-limit, limit + 1, shape).astype(np.int8), str(q), q)

    def vector(self, low, high):
        return self.argument(narrow(self.rng.uniform(low, high, WIDTH), self.element), self.element)

    def op(self, name, operands, array, attributes="", element=None):
        """A float result, rounded to its type."""
        element = element or self.element
        text = f'"stablehlo.{name}"({", ".join(o.name for o in operands)}) {{{attributes}}} : ({", ".join(o.type for o in operands)})'
        return self.add(text, element, narrow(array, element) if element in ("f32", "bf16") else array)

    def constant(self, value, shape=(), element=None):
        element = element or self.element
        kind = f"tensor<{''.join(f'{d}x' for d in shape)}{element}>"
        return self.add(f'"stablehlo.constant"() {{value = dense<{value:.17e}> : {kind}}} : ()', element, np.full(shape, narrow(value, element)))

    def broadcast(self, x, shape, dims):
        sized = x.array.reshape([x.array.shape[dims.index(d)] if d in dims else 1 for d in range(len(shape))])
        text = f"broadcast_dimensions = array<i64{': ' if dims else ''}{', '.join(map(str, dims))}>"
        return self.op("broadcast_in_dim", [x], np.broadcast_to(sized, shape), text, x.element)

    def binary(self, name, x, y):
        function = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}[name]
        if not isinstance(y, Value):
            y = self.constant(y, x.array.shape, x.element)
        return self.op(name, [x, y], function(x.array, y.array), element=x.element)

    def unary(self, name, x):
        functions = {"exponential": np.exp, "tanh": np.tanh, "rsqrt": lambda v: 1 / np.sqrt(v), "logistic": lambda v: 1 / (1 + np.exp(-v))}
        return self.op(name, [x], functions[name](x.array), element=x.element)

    def convert(self, x, element):
        return x if x.element == element else self.op("convert", [x], x.array, element=element)

    def reduce(self, name, x):
        """Along the last dimension, which stays with size one."""
        axis, shape = x.array.ndim - 1, x.array.shape[:-1]
        init = self.constant(0.0 if name == "add" else -1e30, element=x.element)
        scalar = f"tensor<{x.element}>"
        region = (f'{{ ^bb0(%x: {scalar}, %y: {scalar}): %r = "stablehlo.{name}"(%x, %y) : ({scalar}, {scalar}) -> {scalar} '
                  f'"stablehlo.return"(%r) : ({scalar}) -> () }}')
        array = x.array.sum(-1) if name == "add" else x.array.max(-1)
        value = self.add(f'"stablehlo.reduce"({x.name}, {init.name}) ({region}) {{dimensions = array<i64: {axis}>}} : ({x.type}, {init.type})',
                         x.element, narrow(array, x.element))
        return self.broadcast(value, (*shape, x.array.shape[-1]), list(range(axis)))

    def reshape(self, x, *shape):
        return self.add(f'"stablehlo.reshape"({x.name}) : ({x.type})', x.element, x.array.reshape(shape), x.q)

    def transpose(self, x, *dims):
        return self.add(f'"stablehlo.transpose"({x.name}) {{permutation = array<i64: {", ".join(map(str, dims))}>}} : ({x.type})', x.element,
                        x.array.transpose(dims), x.q)

    # Quantised tensors

    def range_of(self, array, bits=8):
        """A type for what lies between the least and the largest element."""
        low, high = min(float(array.min()), 0.0), max(float(array.max()), 0.0)
        scale = (high - low) / (2**bits - 1)
        return Quantised(bits, True, self.element, [scale], [int(np.clip(np.rint(-low / scale) - 2 ** (bits - 1), -2 ** (bits - 1), 2 ** (bits - 1) - 1))])

    def quantise(self, x, q=None):
        q = q or self.range_of(x.array)
        return self.add(f'"stablehlo.uniform_quantize"({x.name}) : ({x.type})', str(q), q.quantise(x.array)[0], q)

    def dequantise(self, x):
        return self.op("uniform_dequantize", [x], x.real)

    def dot(self, x, y, batch, contract):
        """Quantised if both operands are, to 8 bits; float if one is."""
        rest = [[d for d in range(v.array.ndim) if d not in batch[i] and d != contract[i]] for i, v in enumerate((x, y))]
        letters = [[""] * v.array.ndim for v in (x, y)]
        for i in range(2):
            for k, d in enumerate(batch[i]):
                letters[i][d] = "bc"[k]
            letters[i][contract[i]] = "k"
            for k, d in enumerate(rest[i]):
                letters[i][d] = ("mn" if i == 0 else "op")[k]
        result = [letters[0][d] for d in batch[0]] + [letters[0][d] for d in rest[0]] + [letters[1][d] for d in rest[1]]
        equation = "".join(letters[0]) + "," + "".join(letters[1]) + "->" + "".join(result)
        numbers = (f"dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {batch[0]}, rhs_batching_dimensions = {batch[1]}, "
                   f"lhs_contracting_dimensions = [{contract[0]}], rhs_contracting_dimensions = [{contract[1]}]>")
        text = f'"stablehlo.dot_general"({x.name}, {y.name}) {{{numbers}}} : ({x.type}, {y.type})'
        if not x.q:
            return self.add(text, self.element, narrow(np.einsum(equation, x.array, y.real), self.element))
        real = np.einsum(equation, x.q.differences(x.array) * x.q.scales[0], y.q.differences(y.array) * y.q.along(y.q.scales, y.array.ndim))
        q = self.range_of(real)
        return self.add(text, str(q), q.stored(real / q.scales[0] + q.zeros[0]), q)

    # Layers

    def norm(self, x, scale, bias=None):
        """In f32: of RMS without a bias."""
        x32, count = self.convert(x, "f32"), x.array.shape[-1]
        if bias:
            x32 = self.binary("subtract", x32, self.binary("divide", self.reduce("add", x32), count))
        variance = self.binary("divide", self.reduce("add", self.binary("multiply", x32, x32)), count)
        normal = self.convert(self.binary("multiply", x32, self.unary("rsqrt", self.binary("add", variance, 1e-5))), self.element)
        last = [x.array.ndim - 1]
        scaled = self.binary("multiply", normal, self.broadcast(scale, x.array.shape, last))
        return self.binary("add", scaled, self.broadcast(bias, x.array.shape, last)) if bias else scaled

    def softmax(self, x):
        x32 = self.convert(x, "f32")
        weights = self.unary("exponential", self.binary("subtract", x32, self.reduce("maximum", x32)))
        return self.convert(self.binary("divide", weights, self.reduce("add", weights)), self.element)

    def heads(self, x):
        return self.transpose(self.reshape(x, BATCH, LENGTH, HEADS, WIDTH // HEADS), 0, 2, 1, 3)

    def text(self, result):
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        body = "\n  ".join(self.lines)
        return f"func.func @main({arguments}) -> {result.type} {{\n  {body}\n  return {result.name} : {result.type}\n}}\n"


def bert(rng):
    """W8A8: both operands of each product are integers of 8 bits, those of attention without a zero point on the right."""
    p = Program(rng, "f32")
    x = p.argument(rng.standard_normal((BATCH, LENGTH, WIDTH)).astype(np.float32).astype(np.float64), "f32")
    symmetric = lambda v: Quantised(8, True, "f32", [float(np.abs(v.array).max()) / 127], [0])
    linear = lambda v, w: p.dequantise(p.dot(p.quantise(v), w, [[], []], [2, 0]))
    q, k, v = (p.heads(linear(x, p.weights(WIDTH, WIDTH, bits=8))) for _ in range(3))
    scores = p.dequantise(p.dot(p.quantise(q), p.quantise(k, symmetric(k)), [[0, 1], [0, 1]], [3, 3]))
    weights = p.softmax(p.binary("multiply", scores, (WIDTH // HEADS) ** -0.5))
    mixed = p.dequantise(p.dot(p.quantise(weights), p.quantise(v, symmetric(v)), [[0, 1], [0, 1]], [3, 2]))
    joined = p.reshape(p.transpose(mixed, 0, 2, 1, 3), BATCH, LENGTH, WIDTH)
    h = p.norm(p.binary("add", x, linear(joined, p.weights(WIDTH, WIDTH, bits=8))), p.vector(0.5, 1.5), p.vector(-1, 1))
    inner = linear(h, p.weights(WIDTH, INNER, bits=8))
    cube = p.binary("multiply", p.binary("multiply", inner, inner), inner)
    bend = p.unary("tanh", p.binary("multiply", p.binary("add", inner, p.binary("multiply", cube, 0.044715)), 0.7978845608))
    gelu = p.binary("multiply", p.binary("multiply", inner, 0.5), p.binary("add", bend, 1.0))
    return p, p.norm(p.binary("add", h, linear(gelu, p.weights(INNER, WIDTH, bits=8))), p.vector(0.5, 1.5), p.vector(-1, 1))


def llama(rng, element):
    """W4A16, and the same in f32: floats times weights of 4 bits."""
    p = Program(rng, element)
    x = p.argument(narrow(rng.standard_normal((BATCH, LENGTH, WIDTH)), element), element)
    linear = lambda v, w: p.dot(v, w, [[], []], [2, 0])
    n = p.norm(x, p.vector(0.5, 1.5))
    q, k, v = (p.heads(linear(n, p.weights(WIDTH, WIDTH, bits=4))) for _ in range(3))
    scores = p.binary("multiply", p.dot(q, k, [[0, 1], [0, 1]], [3, 3]), (WIDTH // HEADS) ** -0.5)
    mixed = p.dot(p.softmax(scores), v, [[0, 1], [0, 1]], [3, 2])
    joined = p.reshape(p.transpose(mixed, 0, 2, 1, 3), BATCH, LENGTH, WIDTH)
    h = p.binary("add", x, linear(joined, p.weights(WIDTH, WIDTH, bits=4)))
    n = p.norm(h, p.vector(0.5, 1.5))
    gate, up = (linear(n, p.weights(WIDTH, INNER, bits=4)) for _ in range(2))
    swish = p.binary("multiply", p.binary("multiply", gate, p.unary("logistic", gate)), up)
    return p, p.binary("add", h, linear(swish, p.weights(INNER, WIDTH, bits=4)))


def save(path, value):
    array = value.array
    if value.q is None:
        array = array.astype(np.float32) if value.element == "f32" else array.astype(np.float32).astype(ml_dtypes.bfloat16).view("V2")
    elif value.q.bits < 8:
        array = array.view("V1")
    np.save(path, np.ascontiguousarray(array))


def run(options, p, result):
    with tempfile.TemporaryDirectory() as folder:
        source, model, inputs = os.path.join(folder, "model.mlir"), os.path.join(folder, "model.so"), []
        with open(source, "w", encoding="utf-8") as file:
            file.write(p.text(result))
        for i, value in enumerate(p.arguments):
            save(os.path.join(folder, f"in_{i}.npy"), value)
            inputs += ["--input", f"{i}:{folder}/in_{i}.npy"]
        for command in (["stitch-compile", source, "-o", model, "--target=simt"], ["stitch-run", model, "--check", "--output", folder, *inputs]):
            subprocess.run([os.path.join(options.bin, command[0]), *command[1:]], check=True, stdout=subprocess.DEVNULL)
        output = np.load(os.path.join(folder, "output_0.npy"))
    return (output.view(ml_dtypes.bfloat16) if output.dtype.kind == "V" else output).astype(np.float64)


# Where an activation is close to the middle between two integers, NumPy may have the other one: a step of one in 256.
MODELS = {"bert": (bert, 3e-2, 2e-3), "llama": (lambda rng: llama(rng, "bf16"), 1e-1, 1e-2), "llama_f32": (lambda rng: llama(rng, "f32"), 1e-4, 1e-5)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--print", choices=MODELS)
    options = parser.parse_args()
    wrong = 0
    for name, (layer, most, mean) in MODELS.items():
        if options.print not in (None, name):
            continue
        p, result = layer(np.random.default_rng(options.seed))
        if options.print:
            print(p.text(result), end="")
            continue
        error = np.abs(run(options, p, result) - result.array)
        within = error.max() <= most and error.mean() <= mean
        wrong += not within
        print(f"{name}: {'ok' if within else 'wrong'}: error at most {error.max():.3g}, {error.mean():.3g} on average; results up to {np.abs(result.array).max():.3g}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
