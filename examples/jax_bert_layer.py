#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A layer of a BERT in JAX, stitched: its result beside plain JAX's, and what was stitched.

usage: jax_bert_layer.py [REPORT.html]
"""
import math
import sys

import jax
import jax.numpy as jnp
import numpy as np

import stitch
import stitch.jax

BATCH, LENGTH, WIDTH, HEADS = 2, 16, 64, 4


def layer_norm(x, scale, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * scale + bias


def layer(p, x, mask):
    query, key, value = (jnp.reshape(x @ p[n], (BATCH, LENGTH, HEADS, -1)) for n in ("query", "key", "value"))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(WIDTH // HEADS)
    weights = jax.nn.softmax(jnp.where(mask[:, None, None, :], scores, -1e9), axis=-1)
    attention = jnp.einsum("bhqk,bkhd->bqhd", weights, value).reshape(x.shape)
    x = layer_norm(x + attention @ p["output"], p["scale1"], p["bias1"])
    hidden = jax.nn.gelu(x @ p["up"] + p["up_bias"])
    return layer_norm(x + hidden @ p["down"] + p["down_bias"], p["scale2"], p["bias2"])


def parameters():
    shapes = {"query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH), "output": (WIDTH, WIDTH), "up": (WIDTH, 4 * WIDTH),
              "up_bias": (4 * WIDTH,), "down": (4 * WIDTH, WIDTH), "down_bias": (WIDTH,), "scale1": (WIDTH,), "bias1": (WIDTH,), "scale2": (WIDTH,),
              "bias2": (WIDTH,)}
    keys = jax.random.split(jax.random.key(0), len(shapes))
    return {name: jax.random.normal(key, shape) / math.sqrt(WIDTH) for key, (name, shape) in zip(keys, shapes.items(), strict=True)}


def main():
    p, x = parameters(), jax.random.normal(jax.random.key(1), (BATCH, LENGTH, WIDTH))
    mask = jnp.arange(LENGTH)[None, :] < jnp.array([[LENGTH], [LENGTH - 5]])
    difference = np.abs(stitch.jax.jit(layer)(p, x, mask) - layer(p, x, mask)).max()
    print(f"largest difference from plain JAX: {difference:.1e}")

    model = stitch.compile(layer, (p, x, mask))  # the same as a model of its own, with flat arguments
    outputs = model(*jax.tree.leaves((p, x, mask)))
    figures = model.stats
    print(f"{figures['ops']} operations, {figures['kernels_unique']} kernels, {figures['library_calls']} library calls; result {outputs[0].shape}")
    if len(sys.argv) > 1:
        print(f"report: {model.report(sys.argv[1], show=False)}")
    return 0 if difference < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
