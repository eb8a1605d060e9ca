# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on batches of any size, for dynamic_shapes.py."""

import jax
import jax.numpy as jnp
import numpy as np


def mlp(x, w, bias):
    return jax.nn.gelu(x @ w + bias)


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layer_norm(x, scale, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + bias


def transformer(x, wq, wk, wv, wo, scale, bias):
    batch, length, width = x.shape
    heads = [(layer_norm(x, scale, bias) @ w).reshape(batch, length, 4, width // 4) for w in (wq, wk, wv)]
    scores = jnp.einsum("bshd,bthd->bhst", heads[0], heads[1]) / np.sqrt(width // 4)
    mask = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)
    mixed = jnp.einsum("bhst,bthd->bshd", weights, heads[2]).reshape(batch, length, width)
    return x + mixed @ wo


def batch_norm(x):
    return (x - x.mean(0)) * jax.lax.rsqrt(x.var(0) + 1e-5)


def convolution(x, kernel):
    y = jax.lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def regression(x, w1, w2, y):
    def loss(w1, w2):
        return ((jax.nn.relu(x @ w1) @ w2 - y) ** 2).mean()

    return jax.value_and_grad(loss, (0, 1))(w1, w2)


def weighted(x, w):
    shares = jax.nn.softmax(jnp.exp(w) * x, -1)
    return shares.sum(0), (shares * x).sum(), jnp.argmax(x, -1), jnp.arange(x.shape[0]) * x.shape[0]


def table(indices, rows):
    return jax.nn.softmax(rows[indices.astype(jnp.int32) & 15], -1)


def softmax_gradient(x):
    return jax.grad(lambda x: (jax.nn.softmax(x, -1) ** 2).sum())(x)


def layer_norm_gradients(x, scale, bias):
    return jax.value_and_grad(lambda *a: (layer_norm(*a) ** 3).sum(), (0, 1, 2))(x, scale, bias)


def attention(q, k, v):
    length = q.shape[2]
    scores = jnp.einsum("bhsd,bhtd->bhst", q, k) / np.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    return jnp.einsum("bhst,bhtd->bhsd", jax.nn.softmax(scores, -1), v)


def attention_gradients(q, k, v):
    return jax.grad(lambda *a: (attention(*a) ** 2).sum(), (0, 1, 2))(q, k, v)


def two_layers(x, w1, bias1, w2, bias2):
    return mlp(x, w1, bias1) @ w2 + bias2


def bag_of_words(indices, rows):
    return rows[indices.astype(jnp.int32) % 16].sum(1)


def extremes(x):
    return jnp.argmax(x, -1), jnp.argmin(x, 0), jax.nn.one_hot(jnp.argmax(x, -1), x.shape[-1])


def joined(x, y):
    return jnp.concatenate([x, y, x * y], -1), jnp.where(x > y, x, jnp.sqrt(jnp.abs(y)))


def masked(x):
    return jnp.where(jnp.arange(x.shape[1])[None, :] < jnp.arange(x.shape[0])[:, None] % 7, x, 0.0)


def slices(x, start):
    column = jnp.abs(start[0]).astype(jnp.int32) * 3
    return x[:, 1:5], x[:, ::2], x[:, -1], x[:, 3], jax.lax.dynamic_slice(x, (0, column), (x.shape[0], 5))


def totals(x):
    return x.sum(), x.max(), x.mean(), (x**2).mean(0), x.std(), x / x.shape[0]


def labelled(x, labels):
    labels = jnp.abs(labels[:, 0] * 5).astype(jnp.int32) % x.shape[1]
    return -jnp.take_along_axis(jax.nn.log_softmax(x, -1), labels[:, None], -1)


def cross_entropy(x, labels):
    labels = jnp.abs(labels[:, 0] * 5).astype(jnp.int32) % x.shape[1]

    def loss(x):
        return -(jax.nn.one_hot(labels, x.shape[1]) * jax.nn.log_softmax(x, -1)).sum() / x.shape[0]

    return jax.value_and_grad(loss)(x)


def repeated(x):
    y = x + 1
    return y, y, x, x


def moved(x):
    rows, width = x.shape
    heads = x.reshape(rows, 4, width // 4).transpose(0, 2, 1).reshape(rows, width)
    return heads, x.reshape(-1, 4).sum(-1), jnp.pad(x, ((0, 0), (1, 2))), jnp.roll(x, 3, axis=1), jnp.flip(x, 1)


def rms_norm(x, scale):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def rotated(x):
    half = x.shape[-1] // 2
    a, b, angle = x[..., :half], x[..., half:], jnp.arange(x.shape[1])[:, None] * jnp.ones(half)
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1)


def descent(w, x, y):
    return w - 0.1 * jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)


def mixed(x, y, shares):
    return x + (y - x) * shares[:, None], x / jnp.linalg.norm(x, axis=0)


# Models whose outermost dimensions alone are open.
OPEN_MODELS = {
    "mlp": (mlp, ["b, 16", "16, 32", "32"]),
    "softmax": (softmax, ["b, 33"]),
    "layer_norm": (layer_norm, ["b, 7, 24", "24", "24"]),
    "transformer": (transformer, ["b, 8, 16"] + ["16, 16"] * 4 + ["16", "16"]),
    "batch_norm": (batch_norm, ["b, 12"]),
    "convolution": (convolution, ["b, 9, 9, 3", "3, 3, 3, 4"]),
    "regression": (regression, ["b, 24", "24, 48", "48, 8", "b, 8"]),
    "weighted": (weighted, ["b, 20", "20"]),
    "table": (table, ["b, 5", "16, 32"]),
    "softmax_gradient": (softmax_gradient, ["b, 33"]),
    "layer_norm_gradients": (layer_norm_gradients, ["b, 24", "24", "24"]),
    "attention": (attention, ["b, 2, 8, 4"] * 3),
    "attention_gradients": (attention_gradients, ["b, 2, 8, 4"] * 3),
    "two_layers": (two_layers, ["b, 16", "16, 32", "32", "32, 8", "8"]),
    "bag_of_words": (bag_of_words, ["b, 5", "16, 32"]),
    "extremes": (extremes, ["b, 20"]),
    "joined": (joined, ["b, 5", "b, 5"]),
    "masked": (masked, ["b, 9"]),
    "slices": (slices, ["b, 16", "3"]),
    "totals": (totals, ["b, 6"]),
    "labelled": (labelled, ["b, 12", "b, 1"]),
    "cross_entropy": (cross_entropy, ["b, 12", "b, 1"]),
    "repeated": (repeated, ["b, 6"]),
    "moved": (moved, ["b, 16"]),
    "rms_norm": (rms_norm, ["b, 48", "48"]),
    "rotated": (rotated, ["b, 6, 8"]),
    "descent": (descent, ["6, 2", "b, 6", "b, 2"]),
    "mixed": (mixed, ["b, 5", "b, 5", "b"]),
}

# What is refused, and what the message has.
REFUSED_MODELS = {
    "cumsum": (lambda x: jnp.cumsum(x, -1), ["b, 20"], "'tg.cumulative' op has no rule for an outermost dimension"),
    "sort": (lambda x: jnp.sort(x, -1), ["b, 20"], "'tg.sort' op has no rule for an outermost dimension"),
    "top_k": (lambda x: jax.lax.top_k(x, 3), ["b, 20"], "op has no rule for an outermost dimension"),
    "labels' gradient": (jax.grad(lambda x, labels: labelled(x, labels).sum()), ["b, 12", "b, 1"],
                         "'tg.scatter' op has no rule for an outermost dimension"),
    "Gram matrix": (lambda x: x @ x.T, ["b, 6"], "only the outermost dimension can be open"),
    "rows in reverse": (lambda x: x[::-1], ["b, 6"], "reverses the outermost dimension"),
    "running rows": (lambda x: jax.lax.scan(lambda c, row: (c + row, c), jnp.zeros(6), x)[0], ["b, 6"], "compile for one size"),
}
