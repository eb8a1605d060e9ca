#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps for data_parallel.py that need nothing but JAX: small-f16, attention in mixed precision, and small-mlp, both by Adam.

    python3 test/processes/small_training.py --output FOLDER        # as test/models/export/data_parallel.py

Of each the step of one process with a batch of 8 (NAME.mlir), those of 2 and 4 processes (NAME-pN.mlir), and NAME.json with the arguments.
"""
import argparse
import json
import os
import pathlib

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, PartitionSpec as P  # noqa: E402

BATCH, LENGTH, WIDTH = 8, 6, 16
DATA = {"x": (BATCH, LENGTH, WIDTH), "target": (BATCH, LENGTH, WIDTH)}


def attention(p, x):
    h = x.astype(jnp.float16)
    p = jax.tree.map(lambda w: w.astype(jnp.float16), p)
    q, k, v = (h @ p[f"w{n}"] + p[f"b{n}"] for n in "qkv")
    h = h + jax.nn.softmax(q @ k.swapaxes(1, 2) / 4, axis=-1) @ v
    centred = h - h.mean(axis=-1, keepdims=True)
    return (centred * jax.lax.rsqrt((centred * centred).mean(axis=-1, keepdims=True) + jnp.float16(1e-3)) * p["scale"]).astype(jnp.float32)


def mlp(p, x):
    return jnp.tanh(x @ p["w0"] + p["b0"]) @ p["w1"] + p["b1"]


MODELS = {
    "small-f16": (attention, {**{f"w{n}": (WIDTH, WIDTH) for n in "qkv"}, **{f"b{n}": (WIDTH,) for n in "qkv"}, "scale": (WIDTH,)}),
    "small-mlp": (mlp, {"w0": (WIDTH, 32), "b0": (32,), "w1": (32, WIDTH), "b1": (WIDTH,)}),
}


def step_of(model, axis):
    def step(p, m, v, x, target):
        value, gradient = jax.value_and_grad(lambda p: jnp.mean((model(p, x) - target) ** 2))(p)
        if axis:
            value, gradient = jax.lax.pmean((value, gradient), axis)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
        p = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), p, m, v)
        return value, p, m, v
    return step


def text_of(model, shapes, processes):
    parameters = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in shapes.items()}
    data = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in DATA.values()]
    if processes == 1:
        function = step_of(model, None)
    else:
        mesh = Mesh(np.array(jax.devices()[:processes]), ("batch",))
        function = jax.shard_map(step_of(model, "batch"), mesh=mesh, in_specs=(P(), P(), P(), P("batch"), P("batch")), out_specs=P(), check_vma=False)
    return jax.jit(function, keep_unused=True).lower(parameters, parameters, parameters, *data).as_text()


def described(shapes):
    """The arguments in order."""
    for group, role in (("parameter", "parameter"), ("mu", "state"), ("nu", "state")):
        for name in sorted(shapes):
            yield {"name": f"{group}.{name}", "type": f"tensor<{'x'.join(map(str, shapes[name]))}xf32>", "role": role, "split": None}
    for name, shape in DATA.items():
        yield {"name": name, "type": f"tensor<{'x'.join(map(str, shape))}xf32>", "role": "data", "split": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for name, (model, shapes) in MODELS.items():
        for processes in (1, 2, 4):
            (options.output / f"{name}{f'-p{processes}' if processes > 1 else ''}.mlir").write_text(text_of(model, shapes, processes))
        (options.output / f"{name}.json").write_text(json.dumps({"name": name, "batch": BATCH, "arguments": list(described(shapes))}))


if __name__ == "__main__":
    main()
