# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers: attention in its variants, positions, experts, decoding."""
import jax
import jax.numpy as jnp
import numpy as np

from . import integers, model, normal, value, weights

CAUSAL = np.tril(np.ones((64, 64), bool))  # a constant of the program, as in many models


def attend(q, k, v, mask=None, bias=0.0):
    """[batch, heads, positions, features]"""
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1]) + bias
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)


def layer_norm(x, scale, bias, eps=1e-5):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + eps) * scale + bias


def rms_norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-6) * scale


def split(x, heads):
    return x.reshape(*x.shape[:-1], heads, -1).transpose(0, 2, 1, 3)


def join(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


@model(normal(2, 4, 64, 16), normal(2, 4, 64, 16), normal(2, 4, 64, 16))
def causal_attention_constant_mask(q, k, v):
    return attend(q, k, v, CAUSAL)


@model(normal(2, 4, 64, 16), normal(2, 4, 64, 16), normal(2, 4, 64, 16), normal(2, 4, 64, 16))
def causal_attention_gradient(q, k, v, dy):
    y, gradient = jax.vjp(lambda q, k, v: attend(q, k, v, CAUSAL), q, k, v)
    return (y, *gradient(dy))


@model(normal(2, 8, 32, 16), normal(2, 2, 32, 16), normal(2, 2, 32, 16))
def grouped_query_attention(q, k, v):
    k, v = (jnp.repeat(x, 4, axis=1) for x in (k, v))
    return attend(q, k, v, CAUSAL[:32, :32])


@model(normal(2, 1, 4, 16), normal(2, 32, 4, 16), normal(2, 32, 4, 16), normal(2, 1, 4, 16), normal(2, 1, 4, 16), value(17, np.int32))
def decode_with_cache(q, keys, values, k, v, position):
    keys = jax.lax.dynamic_update_slice(keys, k, (0, position, 0, 0))
    values = jax.lax.dynamic_update_slice(values, v, (0, position, 0, 0))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys) / 4.0
    scores = jnp.where(jnp.arange(32) <= position, scores, -jnp.inf)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), values), keys, values


@model(normal(2, 16, 4, 32), integers(2, 16, below=100), artifact=True)
def rope_pairs(x, positions):
    frequencies = 10000.0 ** (-jnp.arange(0, 32, 2) / 32)
    angles = positions[..., None] * frequencies
    sin, cos = jnp.sin(angles)[:, :, None, :], jnp.cos(angles)[:, :, None, :]
    even, odd = x[..., ::2], x[..., 1::2]
    return jnp.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


@model(normal(2, 16, 4, 32))
def rope_halves_complex(x):
    angles = jnp.outer(jnp.arange(16), 10000.0 ** (-jnp.arange(16) / 16))
    rotation = jnp.exp(1j * angles)[None, :, None, :]
    rotated = jax.lax.complex(x[..., :16], x[..., 16:]) * rotation
    return jnp.concatenate([rotated.real, rotated.imag], axis=-1)


@model(normal(2, 4, 32, 16), normal(2, 4, 32, 16), normal(2, 4, 32, 16))
def alibi_attention(q, k, v):
    slopes = 2.0 ** -jnp.arange(2, 10, 2)
    distance = jnp.arange(32)[None, :] - jnp.arange(32)[:, None]
    bias = jnp.where(distance <= 0, slopes[:, None, None] * distance, -jnp.inf)
    return attend(q, k, v, bias=bias)


@model(normal(2, 48, 64), weights(64, 192), weights(64, 64), artifact=True)
def sliding_window_attention(x, qkv, out):
    q, k, v = (split(part, 4) for part in jnp.split(x @ qkv, 3, axis=-1))
    distance = jnp.arange(48)[:, None] - jnp.arange(48)[None, :]
    return join(attend(q, k, v, (distance >= 0) & (distance < 8))) @ out


@model(normal(2, 40, 4, 16), normal(2, 40, 4, 16), normal(2, 40, 4, 16), integers(2, below=40, low=5))
def packed_flash_like_attention(q, k, v, lengths):
    """Blocks of keys one after the other, with a running maximum."""

    def block(carry, keys):
        maximum, total, result = carry
        k, v, start = keys
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * 0.25
        scores = jnp.where((start + jnp.arange(8)) < lengths[:, None, None, None], scores, -1e30)
        new = jnp.maximum(maximum, scores.max(-1))
        p = jnp.exp(scores - new[..., None])
        shrink = jnp.exp(maximum - new)
        return (new, total * shrink + p.sum(-1), result * shrink[..., None] + jnp.einsum("bhqk,bkhd->bhqd", p, v)), None

    blocks = lambda x: x.reshape(2, 5, 8, 4, 16).transpose(1, 0, 2, 3, 4)
    start = (jnp.full((2, 4, 40), -1e30), jnp.zeros((2, 4, 40)), jnp.zeros((2, 4, 40, 16)))
    (_, total, result), _ = jax.lax.scan(block, start, (blocks(k), blocks(v), jnp.arange(0, 40, 8)))
    return result / total[..., None]


@model(normal(2, 16, 64), normal(64, shift=1), weights(64, 192), weights(64, 64), normal(64, shift=1), weights(64, 256), weights(256, 64))
def gpt_block(x, s1, qkv, out, s2, up, down):
    h = layer_norm(x, s1, 0.0)
    q, k, v = (split(part, 4) for part in jnp.split(h @ qkv, 3, axis=-1))
    x = x + join(attend(q, k, v, CAUSAL[:16, :16])) @ out
    return x + jax.nn.gelu(layer_norm(x, s2, 0.0) @ up) @ down


@model(normal(2, 16, 64), normal(64, shift=1), weights(64, 192), weights(64, 64), normal(64, shift=1), weights(64, 172), weights(64, 172), weights(172, 64),
       artifact=True)
def llama_block(x, s1, qkv, out, s2, gate, up, down):
    h = rms_norm(x, s1)
    q, k, v = (split(part, 4) for part in jnp.split(h @ qkv, 3, axis=-1))
    x = x + join(attend(rope_pairs(q, jnp.arange(16)[None]) if q.ndim == 3 else q, k, v, CAUSAL[:16, :16])) @ out
    h = rms_norm(x, s2)
    return x + (jax.nn.silu(h @ gate) * (h @ up)) @ down


@model(normal(24, 32), weights(32, 4), weights(4, 32, 64), weights(4, 64, 32))
def mixture_of_experts(x, router, up, down):
    probabilities = jax.nn.softmax(x @ router, axis=-1)
    top, chosen = jax.lax.top_k(probabilities, 2)
    gates = top / top.sum(-1, keepdims=True)
    dispatch = jnp.einsum("tk,tke->te", gates, jax.nn.one_hot(chosen, 4))
    hidden = jax.nn.silu(jnp.einsum("td,edh->eth", x, up))
    result = jnp.einsum("eth,ehd,te->td", hidden, down, dispatch)
    balance = 4 * jnp.sum(jnp.mean(probabilities, 0) * jnp.mean(jax.nn.one_hot(chosen[:, 0], 4), 0))
    return result, balance


@model(normal(2, 24, 32), weights(32, 32), normal(24, 24, scale=0.1))
def t5_relative_attention(x, w, table):
    q = split(x @ w, 4)
    return join(attend(q, q, q, bias=table)) + x


@model(integers(2, 12, below=100), weights(100, 32), weights(12, 32), normal(32, shift=1), normal(32), weights(32, 100))
def embedding_and_logits(tokens, embedding, positions, scale, bias, head):
    x = embedding[tokens] + positions
    return jax.nn.log_softmax(layer_norm(x, scale, bias) @ head, axis=-1)


@model(normal(2, 9, 48), weights(48, 144), weights(48, 48), normal(48, shift=1), weights(48, 96), weights(96, 48), weights(192, 48), normal(2, 16, 16, 3),
       normal(1, 1, 48), weights(48, 10))
def vision_transformer(_, qkv, out, scale, up, down, patch, image, token, head):
    patches = image.reshape(2, 2, 8, 2, 8, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 4, 192) @ patch
    x = jnp.concatenate([jnp.broadcast_to(token, (2, 1, 48)), patches], axis=1)
    q, k, v = (split(part, 4) for part in jnp.split(rms_norm(x, scale) @ qkv, 3, axis=-1))
    x = x + join(attend(q, k, v)) @ out
    x = x + jax.nn.gelu(rms_norm(x, scale) @ up, approximate=False) @ down
    return x[:, 0] @ head


@model(normal(2, 20, 32), normal(32, shift=1), weights(32, 64), normal(7, 32), normal(32), weights(32, 32))
def conformer_convolution_module(x, scale, pointwise, depthwise, bias, out):
    h = layer_norm(x, scale, 0.0) @ pointwise
    h = h[..., :32] * jax.nn.sigmoid(h[..., 32:])
    h = jax.lax.conv_general_dilated(h, depthwise[:, None, :], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=32)
    mean, variance = h.mean((0, 1)), h.var((0, 1))
    return x + jax.nn.silu((h - mean) * jax.lax.rsqrt(variance + 1e-5) + bias) @ out


@model(normal(2, 16, 8), weights(8, 16), normal(16, 4, scale=0.5), weights(16, 8), normal(16))
def mamba_selective_scan(x, project, a, out, skip):
    u = x @ project
    delta = jax.nn.softplus(u)
    decay = jnp.exp(-delta[..., None] * jnp.exp(a))
    inputs = (delta * u)[..., None] * jnp.ones(4)
    combine = lambda left, right: (left[0] * right[0], left[1] * right[0] + right[1])
    _, state = jax.lax.associative_scan(combine, (decay, inputs), axis=1)
    return (state.sum(-1) + skip * u) @ out
