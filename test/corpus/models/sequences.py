# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks, scans, loops and branches."""
import jax
import jax.numpy as jnp
import numpy as np

from . import integers, model, normal, uniform, value, weights


def lstm_cell(carry, x, kernel, recurrent, bias):
    h, c = carry
    i, f, g, o = jnp.split(x @ kernel + h @ recurrent + bias, 4, axis=-1)
    c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


@model(normal(6, 4, 8), weights(8, 64), weights(16, 64), normal(64))
def lstm(x, kernel, recurrent, bias):
    zero = jnp.zeros((4, 16))
    (h, c), states = jax.lax.scan(lambda carry, x: lstm_cell(carry, x, kernel, recurrent, bias), (zero, zero), x)
    return states, h, c


@model(normal(6, 4, 8), weights(8, 64), weights(16, 64), normal(64), tolerance=1e-4)
def lstm_gradient(x, kernel, recurrent, bias):
    def loss(kernel, recurrent, bias):
        zero = jnp.zeros((4, 16))
        _, states = jax.lax.scan(lambda carry, x: lstm_cell(carry, x, kernel, recurrent, bias), (zero, zero), x)
        return jnp.mean(states**2)

    return jax.value_and_grad(loss, argnums=(0, 1, 2))(kernel, recurrent, bias)


@model(normal(5, 3, 8), weights(8, 48), weights(16, 48), normal(48), artifact=True)
def gru(x, kernel, recurrent, bias):
    def step(h, x):
        a, b = x @ kernel + bias, h @ recurrent
        reset, update = (jax.nn.sigmoid(a[:, s] + b[:, s]) for s in (slice(0, 16), slice(16, 32)))
        new = jnp.tanh(a[:, 32:] + reset * b[:, 32:])
        h = (1 - update) * new + update * h
        return h, h

    return jax.lax.scan(step, jnp.zeros((3, 16)), x)


@model(normal(2, 7, 8), integers(2, below=7, low=3), weights(8, 16), weights(16, 16))
def masked_bidirectional_rnn(x, lengths, kernel, recurrent):
    def run(x, mask):
        def step(h, inputs):
            x, keep = inputs
            new = jnp.tanh(x @ kernel + h @ recurrent)
            h = jnp.where(keep[:, None], new, h)
            return h, h

        return jax.lax.scan(step, jnp.zeros((2, 16)), (x, mask))[1]

    x = x.swapaxes(0, 1)
    mask = jnp.arange(7)[:, None] < lengths
    return jnp.concatenate([run(x, mask), run(x[::-1], mask[::-1])[::-1]], axis=-1)


@model(uniform(4, 33), normal(4, 33), tolerance=1e-4)
def associative_scan_linear(decay, inputs):
    combine = lambda left, right: (left[0] * right[0], left[1] * right[0] + right[1])
    return jax.lax.associative_scan(combine, (decay, inputs), axis=1)[1]


@model(normal(5, 17))
def cumulative(x):
    return jnp.cumsum(x, 1), jnp.cumprod(jnp.tanh(x), 0), jax.lax.cummax(x, 1), jax.lax.cumlogsumexp(x, 1, reverse=True)


@model(normal(16), tolerance=1e-4)
def newton_while(x):
    def body(state):
        step, y = state
        return step + 1, y - (y * y - 2.0 - x * x) / (2.0 * y)

    steps, y = jax.lax.while_loop(lambda s: (s[0] < 20) & (jnp.max(jnp.abs(s[1] ** 2 - 2.0 - x * x)) > 1e-4), body, (0, 3.0 + jnp.abs(x)))
    return y, steps < 20


@model(normal(8, 8), value(2, np.int32))
def switch_of_activations(x, which):
    return jax.lax.switch(which, [jax.nn.relu, jnp.tanh, jax.nn.silu, lambda x: x * x], x)


@model(normal(8, 8), value(-1.0))
def cond_on_value(x, threshold):
    return jax.lax.cond(jnp.sum(x) > threshold, lambda x: jnp.exp(-x * x), lambda x: x / (1 + jnp.abs(x)), x)


@model(normal(6, 5), normal(5, 5, scale=0.4))
def fori_power_iteration(x, a):
    def body(_, v):
        v = v @ a.T
        return v / jnp.linalg.norm(v, axis=1, keepdims=True)

    return jax.lax.fori_loop(0, 8, body, x)


@model(normal(3, 6, 5), integers(3, 4, below=5, low=1), tolerance=1e-4)
def ctc_forward(logits, labels):
    """The forward variables of connectionist temporal classification, in logarithms."""
    logs = jax.nn.log_softmax(logits, axis=-1)
    extended = jnp.stack([jnp.zeros_like(labels), labels], axis=2).reshape(3, 8)
    emissions = jnp.take_along_axis(logs, jnp.broadcast_to(extended[:, None, :], (3, 6, 8)), axis=2)
    same = jnp.pad(extended[:, 2:] == extended[:, :-2], ((0, 0), (2, 0)), constant_values=True) | (extended == 0)

    def step(alpha, emission):
        one = jnp.pad(alpha[:, :-1], ((0, 0), (1, 0)), constant_values=-1e30)
        two = jnp.where(same, -1e30, jnp.pad(alpha[:, :-2], ((0, 0), (2, 0)), constant_values=-1e30))
        return jnp.logaddexp(jnp.logaddexp(alpha, one), two) + emission, None

    start = jnp.where(jnp.arange(8) < 2, emissions[:, 0], -1e30)
    return jax.lax.scan(step, start, emissions[:, 1:].swapaxes(0, 1))[0]


@model(normal(4, 9), normal(9, 9), normal(4, 6, 9))
def viterbi(start, transitions, emissions):
    def step(score, emission):
        all_scores = score[:, :, None] + transitions
        return all_scores.max(1) + emission, all_scores.argmax(1)

    score, pointers = jax.lax.scan(step, start, emissions.swapaxes(0, 1))
    _, path = jax.lax.scan(lambda best, p: (jnp.take_along_axis(p, best[:, None], 1)[:, 0],) * 2, score.argmax(1), pointers, reverse=True)
    return score.max(1), path


@model(integers(3, below=20), weights(20, 16), weights(16, 16), weights(16, 20))
def greedy_generation(token, embedding, recurrent, head):
    def step(carry, _):
        h, token = carry
        h = jnp.tanh(embedding[token] + h @ recurrent)
        token = jnp.argmax(h @ head, axis=-1).astype(jnp.int32)
        return (h, token), token

    return jax.lax.scan(step, (jnp.zeros((3, 16)), token), None, length=7)[1]
