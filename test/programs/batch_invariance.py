#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models with an open batch for many batch sizes: each row must have the same bits whatever others are with it, and
wherever it is among them.

usage: batch_invariance.py --bin DIR [--only NAME] [--sizes LIST] [--device D] [--option OPTION]

Models are compiled for 1 to 64 rows with --pipeline=invariant=batch (docs/precision.md). In the run of b rows these are b
neighbours, in a ring, of 64 that are drawn once; the run of all 64 is what the others are compared with, bit by bit.

Exit status: 0, or 1 if a bit differs.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax import export

MOST = 64
F32, BF16 = jnp.float32, jnp.bfloat16


def layer_norm(x, scale, bias):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5) * scale + bias


def norm(x, scale, bias):
    return jax.nn.gelu(layer_norm(x, scale, bias))


def softmax(x):
    return jax.nn.softmax(x, axis=-1), jax.nn.logsumexp(x, axis=-1)


def perceptron(x, w, v):
    return jax.nn.gelu(x @ w) @ v


def attention(x, q, k, v):
    b, t, d = x.shape
    heads = [jnp.reshape(x @ w, (b, t, 4, d // 4)) for w in (q, k, v)]
    scores = jnp.einsum("bthd,bshd->bhts", heads[0], heads[1]) / np.sqrt(d // 4).astype(np.float32)
    return jnp.reshape(jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores.astype(F32), axis=-1).astype(x.dtype), heads[2]), (b, t, d))


def convolution(x, w, v):
    y = jax.nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    return jnp.mean(y, axis=(1, 2)) @ v


# name: function, argument shapes with None for the batch, element type
MODELS = {
    "norm": (norm, [(None, 768), (768,), (768,)], F32),
    "norm_bf16": (norm, [(None, 1024), (1024,), (1024,)], BF16),
    "softmax": (softmax, [(None, 5000)], F32),
    "softmax_long": (softmax, [(None, 40001)], F32),
    "softmax_columns": (lambda x: jax.nn.softmax(x, axis=1), [(None, 257, 48)], F32),
    "perceptron": (perceptron, [(None, 256), (256, 1024), (1024, 256)], F32),
    "perceptron_bf16": (perceptron, [(None, 256), (256, 1024), (1024, 256)], BF16),
    "projection": (lambda x, w: x @ w, [(None, 4096), (4096, 200)], F32),
    "gradient": (lambda dy, w, x: jax.vjp(lambda x: jax.nn.gelu(x @ w.T), x)[1](dy)[0], [(None, 300), (300, 500), (None, 500)], F32),
    "attention": (attention, [(None, 16, 64), (64, 64), (64, 64), (64, 64)], F32),
    "attention_bf16": (attention, [(None, 64, 256), (256, 256), (256, 256), (256, 256)], BF16),
    "convolution": (convolution, [(None, 12, 12, 8), (3, 3, 8, 16), (16, 10)], F32),
}


def model_text(function, shapes, dtype):
    """StableHLO of a function whose batch is open, called b."""
    (b,) = export.symbolic_shape("b", constraints=["b >= 1"])
    arguments = [jax.ShapeDtypeStruct(tuple(b if size is None else size for size in shape), dtype) for shape in shapes]
    return export.export(jax.jit(function))(*arguments).mlir_module()


def bits(array):
    return array.view({2: np.uint16, 4: np.uint32}[array.dtype.itemsize])


class Case:
    def __init__(self, arguments, name, folder):
        self.arguments, self.name, self.folder = arguments, name, folder
        _, shapes, dtype = MODELS[name]
        random = np.random.default_rng(1)
        draw = lambda shape: (random.standard_normal(tuple(size or MOST for size in shape)) / max(1.0, (shape[0] or 1) ** 0.5)).astype(np.float32)
        self.inputs = [np.asarray(jnp.asarray(draw(shape), dtype)) for shape in shapes]
        self.isRow = [shape[0] is None for shape in shapes]
        text = folder / "model.mlir"
        text.write_text(model_text(*MODELS[name]))
        self.text, self.binary = text, folder / "model.so"
        self.compile(f"1..{MOST}")

    def compile(self, size):
        target = "simt,sm_90" if self.arguments.device.startswith("cuda") else "simt"
        self.tool("stitch-compile", self.text, "-o", self.binary, f"--dim=b={size}", f"--target={target}", "--no-reference", "--no-cubins", *self.arguments.option)

    def tool(self, name, *arguments):
        result = subprocess.run([self.arguments.bin / name, *arguments], capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"{self.name}: {name}: {result.stderr.strip()}")

    def run(self, first, count):
        rows = np.arange(first, first + count) % MOST
        flags = []
        for i, (value, isRow) in enumerate(zip(self.inputs, self.isRow)):
            value = np.ascontiguousarray(value[rows]) if isRow else value
            np.save(self.folder / f"{i}.npy", value.view("V2") if value.dtype.itemsize == 2 else value)
            flags += ["--input", f"{i}:{self.folder / f'{i}.npy'}"]
        if self.arguments.each:
            self.compile(count)
        sizes = [] if self.arguments.each else [f"--dim=b={count}"]
        self.tool("stitch-run", self.binary, f"--device={self.arguments.device}", *sizes, f"--output={self.folder}", *flags)
        outputs = [np.load(path) for path in sorted(self.folder.glob("output_*.npy"))]
        return rows, [bits(value.view(np.uint16) if value.dtype.kind == "V" else value) for value in outputs]

    def check(self, sizes):
        _, whole = self.run(0, MOST)
        wrong = []
        for size in sizes:
            rows, outputs = self.run(7 * size % MOST, size)
            if any((value != expected[rows]).any() for value, expected in zip(outputs, whole)):
                wrong.append(size)
        return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=list(range(1, MOST + 1)))
    parser.add_argument("--device", default="simt")
    parser.add_argument("--each", action="store_true", help="compile the model for each size")
    parser.add_argument("--option", action="append", help="of stitch-compile (default: --pipeline=invariant=batch)")
    arguments = parser.parse_args()
    arguments.option = arguments.option or ["--pipeline=invariant=batch"]
    failed = False
    for name in [name for name in MODELS if arguments.only in name]:
        with tempfile.TemporaryDirectory() as folder:
            wrong = Case(arguments, name, pathlib.Path(folder)).check(arguments.sizes)
        failed |= bool(wrong)
        print(f"{name}: " + (f"other bits with {', '.join(map(str, wrong))} rows" if wrong else f"the same bits with {len(arguments.sizes)} sizes"), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
