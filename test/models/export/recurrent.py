# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrences, as loops with a static trip count or unrolled, and the cells that several models share."""
import jax
import jax.numpy as jnp

LOOPS = ("while", "unrolled")


def recurrence(step, carry, inputs, loops, length=None):
    """`step(carry, input) -> (carry, output)` over the first dimension of `inputs`: a stablehlo.while for loops="while",
    the repeated step for loops="unrolled"."""
    return jax.lax.scan(step, carry, inputs, length=length, unroll=loops == "unrolled")


def shape(*sizes):
    return jax.ShapeDtypeStruct(sizes, jnp.float32)


def lstm_shapes(inputs, hidden, gates=4):
    """Of the parameters of an LSTM cell, or of another cell with that many gates."""
    return {"input": shape(inputs, gates * hidden), "hidden": shape(hidden, gates * hidden),
            "bias": shape(gates * hidden)}


def lstm_cell(parameters, state, projected):
    """Hochreiter & Schmidhuber 1997, with forget gates (Gers et al. 2000). `projected` is the input times its weights."""
    hidden, cell = state
    gates = projected + hidden @ parameters["hidden"] + parameters["bias"]
    i, f, g, o = jnp.split(gates, 4, axis=-1)
    cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
    hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
    return hidden, cell


def lstm(parameters, inputs, state, loops):
    """A layer over [time, batch, features]; the input's products are one dot. Returns outputs and the last state."""
    def step(carry, projected):
        carry = lstm_cell(parameters, carry, projected)
        return carry, carry[0]

    state, outputs = recurrence(step, state, inputs @ parameters["input"], loops)
    return outputs, state


def zero_state(batch, hidden, parts=2):
    return tuple(jnp.zeros((batch, hidden), jnp.float32) for _ in range(parts))
