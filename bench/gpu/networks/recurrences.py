# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of one sequence, in f32, with weights as PyTorch has them, for which cuDNN has kernels of its own: GRU and LSTM, in one direction or in both."""
import dataclasses

from . import Argument, Network


@dataclasses.dataclass(frozen=True)
class Sizes:
    cell: str  # gru or lstm
    steps: int
    inputs: int
    hidden: int
    layers: int = 1
    directions: int = 1

    @property
    def gates(self):
        return {"gru": 3, "lstm": 4}[self.cell]


def cells(s):
    """Prefixes of the names of weights, and whether the direction is the other one, layer by layer."""
    return [(f"{layer}.{direction}", direction == 1) for layer in range(s.layers) for direction in range(s.directions)]


def arguments(s):
    found, inputs = {"x": Argument((s.steps, s.inputs), "f32")}, s.inputs
    for number, (name, _) in enumerate(cells(s)):
        rows, scale = s.gates * s.hidden, s.hidden**-0.5
        found |= {f"{name}.of_inputs": Argument((rows, inputs), "f32", scale=inputs**-0.5), f"{name}.of_hidden": Argument((rows, s.hidden), "f32", scale=scale)}
        found |= {f"{name}.inputs_bias": Argument((rows,), "f32", scale=0.1), f"{name}.hidden_bias": Argument((rows,), "f32", scale=0.1)}
        inputs = s.directions * s.hidden if (number + 1) % s.directions == 0 else inputs
    return found


def in_jax(s):
    import jax
    import jax.numpy as jnp

    def gru(of_input, of_hidden, state):
        h, = state
        (r, z, n), (hr, hz, hn) = jnp.split(of_input, 3), jnp.split(of_hidden, 3)
        r, z = jax.nn.sigmoid(r + hr), jax.nn.sigmoid(z + hz)
        n = jnp.tanh(n + r * hn)
        return ((1 - z) * n + z * h,)

    def lstm(of_input, of_hidden, state):
        i, f, g, o = jnp.split(of_input + of_hidden, 4)
        c = jax.nn.sigmoid(f) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c

    cell = {"gru": gru, "lstm": lstm}[s.cell]

    def direction(a, name, x, backward):
        of_inputs = x @ a[f"{name}.of_inputs"].T + a[f"{name}.inputs_bias"]

        def step(state, of_input):
            state = cell(of_input, a[f"{name}.of_hidden"] @ state[0] + a[f"{name}.hidden_bias"], state)
            return state, state[0]

        zeros = (jnp.zeros(s.hidden, x.dtype),) * (1 if s.cell == "gru" else 2)
        return jax.lax.scan(step, zeros, of_inputs, reverse=backward)[1]

    def run(a):
        x, names = a["x"], cells(s)
        for layer in range(s.layers):
            these = names[layer * s.directions:(layer + 1) * s.directions]
            x = jnp.concatenate([direction(a, name, x, backward) for name, backward in these], axis=1)
        return [x]

    return run


def in_torch(s):
    import torch

    def run(a):
        x = a["x"][:, None]
        zeros = x.new_zeros(s.layers * s.directions, 1, s.hidden)
        parts = ("of_inputs", "of_hidden", "inputs_bias", "hidden_bias")
        weights = [a[f"{name}.{part}"] for name, _ in cells(s) for part in parts]
        function, state = (torch.gru, zeros) if s.cell == "gru" else (torch.lstm, (zeros, zeros))
        return [function(x, state, weights, True, s.layers, 0.0, False, s.directions == 2, False)[0][:, 0]]

    return run


def network(s, written):
    return Network(arguments(s), lambda: in_jax(s), lambda: in_torch(s), written)


NETWORKS = {
    "gru_36": network(Sizes("gru", 100, 36, 36), "DIEN's interests"),
    "gru_256": network(Sizes("gru", 100, 256, 256), "GRU"),
    "lstm_1024": network(Sizes("lstm", 50, 1024, 1024), "LSTM"),
    "bi_lstm_128": network(Sizes("lstm", 32, 512, 128, layers=2, directions=2), "CRNN's reader"),
    "small_gru": network(Sizes("gru", 5, 6, 8), "GRU"),
    "small_bi_lstm": network(Sizes("lstm", 5, 6, 8, layers=2, directions=2), "LSTM"),
}
