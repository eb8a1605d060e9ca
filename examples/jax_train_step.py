#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network trained for 20 steps with AdamW, its whole step stitched: the losses beside plain JAX's.

usage: jax_train_step.py
"""
import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np

import stitch.jax

STEPS, BATCH, WIDTH, CLASSES = 20, 32, 24, 10
RATE, BETA1, BETA2, EPSILON, DECAY = 1e-2, 0.9, 0.999, 1e-8, 1e-2
BOUND = 1e-5  # of the losses, relative: roundings of sums in another order, carried over the steps


def forward(parameters, x):
    for weight, bias in parameters[:-1]:
        x = jax.nn.gelu(x @ weight + bias)
        x = (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
    weight, bias = parameters[-1]
    return x @ weight + bias


def loss(parameters, x, labels):
    log_probabilities = jax.nn.log_softmax(forward(parameters, x))
    return -jnp.mean(jnp.take_along_axis(log_probabilities, labels[:, None], axis=1))


def adamw(count, parameter, gradient, first, second):
    first = BETA1 * first + (1 - BETA1) * gradient
    second = BETA2 * second + (1 - BETA2) * gradient * gradient
    update = first / (1 - BETA1**count) / (jnp.sqrt(second / (1 - BETA2**count)) + EPSILON)
    return parameter - RATE * (update + DECAY * parameter), first, second


def step(state, x, labels):
    count, parameters, first, second = state
    count = count + 1
    value, gradients = jax.value_and_grad(loss)(parameters, x, labels)
    updated = jax.tree.map(functools.partial(adamw, count), parameters, gradients, first, second)
    parameters, first, second = jax.tree.transpose(jax.tree.structure(parameters), jax.tree.structure((0, 0, 0)), updated)
    return (count, parameters, first, second), value


def initial_state():
    widths = [WIDTH, 4 * WIDTH, WIDTH, CLASSES]
    keys = jax.random.split(jax.random.key(0), len(widths))
    parameters = [(jax.random.normal(k, (a, b)) / np.sqrt(a), jnp.zeros(b)) for k, a, b in zip(keys, widths, widths[1:], strict=False)]
    return jnp.float32(0), parameters, jax.tree.map(jnp.zeros_like, parameters), jax.tree.map(jnp.zeros_like, parameters)


def train(compiled):
    x = jax.random.normal(jax.random.key(1), (BATCH, WIDTH))
    labels = jnp.argmax(x[:, :CLASSES], axis=1)
    state, losses = initial_state(), []
    for _ in range(STEPS):
        state, value = compiled(state, x, labels)
        losses.append(float(value))
    return np.array(losses)


def main():
    stitched, plain = train(stitch.jax.jit(step, donate_argnums=0)), train(jax.jit(step))
    for number in range(0, STEPS, 5):
        print(f"step {number:2}: {stitched[number]:.6f} stitched, {plain[number]:.6f} plain")
    difference = np.max(np.abs(stitched - plain) / plain)
    print(f"loss {stitched[0]:.3f} -> {stitched[-1]:.3f}; largest relative difference {difference:.1e}")
    return 0 if difference < BOUND and stitched[-1] < 0.5 * stitched[0] else 1


if __name__ == "__main__":
    sys.exit(main())
