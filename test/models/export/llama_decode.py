# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints llama_decode.mlir: a LLaMA decoder layer that decodes one token, with its cache: RMSNorm, rotary embedding, grouped-query attention
over the cache, SwiGLU; bf16, with sums and softmax in f32.

usage: llama_decode.py [HIDDEN HEADS KV_HEADS HEAD CACHE FFN]      (of an 8 billion parameter model: 4096 32 8 128 4096 14336)
"""
import sys

import jax
import jax.numpy as jnp

HIDDEN, HEADS, KV_HEADS, HEAD, CACHE, FFN = (int(a) for a in (sys.argv[1:7] or (96, 6, 3, 16, 40, 260)))


def norm(x, weight):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + 1e-6)).astype(x.dtype) * weight


def rotate(x, position):
    half = x.shape[-1] // 2
    angles = position.astype(jnp.float32) * 10000.0 ** (-jnp.arange(half, dtype=jnp.float32) / half)
    a, b = x[..., :half].astype(jnp.float32), x[..., half:].astype(jnp.float32)
    c, s = jnp.cos(angles), jnp.sin(angles)
    return jnp.concatenate([a * c - b * s, b * c + a * s], axis=-1).astype(x.dtype)


def layer(hidden, position, keys, values, p):
    """hidden: [HIDDEN]; keys, values: [CACHE, KV_HEADS, HEAD], of which those before `position` are taken."""
    x = norm(hidden, p["input_norm"])
    q = rotate((x @ p["q"]).reshape(HEADS, HEAD), position)
    k = rotate((x @ p["k"]).reshape(KV_HEADS, HEAD), position)
    v = (x @ p["v"]).reshape(KV_HEADS, HEAD)
    keys = jax.lax.dynamic_update_slice(keys, k[None], (position, 0, 0))
    values = jax.lax.dynamic_update_slice(values, v[None], (position, 0, 0))
    q = q.reshape(KV_HEADS, HEADS // KV_HEADS, HEAD)
    scores = jnp.einsum("kgh,tkh->kgt", q, keys, preferred_element_type=jnp.float32) / HEAD**0.5
    scores = jnp.where(jnp.arange(CACHE) <= position, scores, -1e9)
    weights = jax.nn.softmax(scores, axis=-1).astype(values.dtype)
    attended = jnp.einsum("kgt,tkh->kgh", weights, values).reshape(HIDDEN)
    hidden = hidden + attended @ p["o"]
    x = norm(hidden, p["post_norm"])
    return hidden + (jax.nn.silu(x @ p["gate"]) * (x @ p["up"])) @ p["down"], keys, values


def shape(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.bfloat16)


parameters = {"input_norm": shape(HIDDEN), "post_norm": shape(HIDDEN), "q": shape(HIDDEN, HEADS * HEAD), "k": shape(HIDDEN, KV_HEADS * HEAD),
              "v": shape(HIDDEN, KV_HEADS * HEAD), "o": shape(HEADS * HEAD, HIDDEN), "gate": shape(HIDDEN, FFN), "up": shape(HIDDEN, FFN),
              "down": shape(FFN, HIDDEN)}
cache = shape(CACHE, KV_HEADS, HEAD)
print(jax.jit(layer).lower(shape(HIDDEN), jax.ShapeDtypeStruct((), jnp.int32), cache, cache, parameters).as_text(), end="")
