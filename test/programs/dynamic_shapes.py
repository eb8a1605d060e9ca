#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with symbolic sizes, as jax.export writes them: compiled for several sizes, checked against the reference, and compared
with what JAX computes. With --open each is compiled once, for all sizes up to a limit, with the checks of the SIMT device, and
run at several; and what must be refused is. usage: dynamic_shapes.py --bin FOLDER [--open] [--sizes LIST] [MODEL...]"""

import argparse
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from open_models import OPEN_MODELS, REFUSED_MODELS, batch_norm, convolution, layer_norm, mlp, softmax, transformer


def movement(x, y):
    joined = jnp.concatenate([x, y], 0)
    return joined[::-1, ::2], jnp.pad(x, ((1, 2), (0, 0))).T, x.reshape(-1)[::2] + jnp.arange(x.size // 2)


def loops(x):
    def step(carry, row):
        return carry * 0.5 + row, carry.sum(-1)

    last, sums = jax.lax.scan(step, x[:, 0], jnp.moveaxis(x, 1, 0))
    return jax.lax.fori_loop(0, 3, lambda i, c: c + jnp.ones_like(last) * i, last), sums


def ordered(x):
    return jnp.sort(x, 0), jnp.argmax(x, 0), jax.lax.top_k(x, 3)[0], jnp.cumsum(x, 0), jnp.take(x, jnp.arange(3), axis=0)


# Model, shapes of its inputs, and the sizes of the symbols in each run.
MODELS = {
    "mlp": (mlp, ["b, 16", "16, 32", "32"], [{"b": 1}, {"b": 37}]),
    "softmax": (softmax, ["b, c"], [{"b": 5, "c": 33}, {"b": 64, "c": 1}]),
    "layer_norm": (layer_norm, ["b, s, 24", "24", "24"], [{"b": 3, "s": 7}]),
    "transformer": (transformer, ["b, s, 16"] + ["16, 16"] * 4 + ["16", "16"], [{"b": 1, "s": 9}, {"b": 3, "s": 4}]),
    "batch_norm": (batch_norm, ["b, 12"], [{"b": 31}]),
    "movement": (movement, ["b, 16", "c, 16"], [{"b": 3, "c": 5}]),
    "loops": (loops, ["b, 5, 8"], [{"b": 7}]),
    "ordered": (ordered, ["b, 6"], [{"b": 11}]),
    "convolution": (convolution, ["b, 9, 9, 3", "3, 3, 3, 4"], [{"b": 2}]),
}


LIMIT = 700


def compare(name, sizes, function, specification, text, tools, folder, options=()):
    scope = export.SymbolicScope()
    shapes = [export.symbolic_shape(s, scope=scope) for s in specification]
    shapes = [[sizes.get(str(d), d) for d in shape] for shape in shapes]
    generator = np.random.default_rng(7)
    # Divided as weights are, so that all values in between are of order one.
    inputs = [generator.standard_normal([int(d) for d in shape]).astype(np.float32) for shape in shapes]
    inputs[1:] = [value / np.float32(np.sqrt(value.shape[0])) for value in inputs[1:]]
    command = [tools / "stitch-run", text, "--check", "--output", folder]
    for i, value in enumerate(inputs):
        np.save(folder / f"x{i}.npy", value)
        command += ["--input", f"{i}:{folder}/x{i}.npy"]
    dims = [f"--dim={symbol}={size}" for symbol, size in sizes.items()]
    command += options if options else ["--", "--cache=off"]
    command += [] if options else dims
    run_tool(command)
    for i, expected in enumerate(jax.tree.leaves(jax.jit(function)(*inputs))):
        got = np.load(folder / f"output_{i}.npy")
        # At most a few dozen roundings one after the other, or in one sum, of values up to ten: 32 * 10 * 2^-24.
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5, err_msg=f"{name} {sizes} output {i}")
    print(f"ok: {name} {sizes}")


def export_model(function, specification, constraints, path):
    scope = export.SymbolicScope(constraints)
    arguments = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), jnp.float32) for s in specification]
    path.write_text(export.export(jax.jit(function), platforms=["cpu"])(*arguments).mlir_module())


def run_tool(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")


def check_open(name, tools, sizes):
    function, specification = OPEN_MODELS[name]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text, model = folder / f"{name}.mlir", folder / "open.so"
        export_model(function, specification, ["b >= 1"], text)
        build = [tools / "stitch-compile", text, "--cache=off"]
        run_tool(build + ["--checks", f"--dim=b=1..{LIMIT}", "-o", model])
        for size in sizes:
            reference = folder / f"{size}.so"
            run_tool(build + ["--target=none", f"--dim=b={size}", "-o", reference])
            options = [f"--dim=b={size}", f"--reference={reference}", f"--thread-order={size}"]
            compare(name, {"b": size}, function, specification, model, tools, folder, options)


def check_refused(name, tools):
    function, specification, message = REFUSED_MODELS[name]
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "model.mlir"
        export_model(function, specification, ["b >= 1"], text)
        done = subprocess.run([tools / "stitch-compile", text, "--cache=off", f"--dim=b=1..{LIMIT}", "-o", text.with_suffix(".so")],
                              capture_output=True, text=True, timeout=300)
    if done.returncode != 1 or message not in done.stderr or "compile for one size" not in done.stderr:
        raise SystemExit(f"{name}: exit status {done.returncode}: {done.stderr}")
    print(f"ok: {name} is refused")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[1, 37, LIMIT], help="of --open")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    if options.open:
        for name in options.models or OPEN_MODELS:
            check_open(name, options.bin, options.sizes)
        for name in [] if options.models else REFUSED_MODELS:
            check_refused(name, options.bin)
        return
    for name in options.models or MODELS:
        function, specification, runs = MODELS[name]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            text = folder / f"{name}.mlir"
            export_model(function, specification, ["b >= 1"] if name != "ordered" else ["b >= 3", "b <= 64"], text)
            for sizes in runs:
                compare(name, sizes, function, specification, text, options.bin, folder)


if __name__ == "__main__":
    main()
