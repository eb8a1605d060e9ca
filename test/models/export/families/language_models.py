# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recurrent language models that Astra measures, written after the papers that define them.

All have an embedding, recurrent layers, a projection to the vocabulary, cross entropy, and SGD with the gradients clipped
by their global norm (Zaremba et al. 2014). They differ in the cell. As in those trainings, the state of the recurrence
goes from one batch to the next: it is an argument and a result.
"""
import dataclasses
import typing

import jax
import jax.numpy as jnp
import optax

import training
from recurrent import LOOPS, lstm_cell, lstm_shapes, recurrence, shape
from workload import Workload, index, label, paper, with_role


@dataclasses.dataclass(frozen=True)
class Cell:
    """`shapes(inputs, hidden)` of the parameters; `project(parameters, inputs)`: what does not depend on the state, for all
    steps at once; `step(parameters, state, projected)`: the next state, whose first part is the output."""

    shapes: typing.Callable
    project: typing.Callable
    step: typing.Callable
    state_sizes: typing.Callable = lambda hidden: (hidden, hidden)


def input_product(parameters, inputs):
    return inputs @ parameters["input"]


LSTM = Cell(lstm_shapes, input_product, lstm_cell)


#===------------------------------------------------------------------------===#
# MI-LSTM
#===------------------------------------------------------------------------===#


def mi_lstm_shapes(inputs, hidden):
    gates = {name: shape(4 * hidden) for name in ("alpha", "beta_input", "beta_hidden", "bias")}
    return {"input": shape(inputs, 4 * hidden), "hidden": shape(hidden, 4 * hidden), **gates}


def mi_lstm_step(parameters, state, projected):
    """Wu et al. 2016, equation 4 for each gate: alpha * Wx * Uh + beta_1 * Uh + beta_2 * Wx + b."""
    hidden, cell = state
    product = hidden @ parameters["hidden"]
    gates = (parameters["alpha"] * projected * product + parameters["beta_hidden"] * product +
             parameters["beta_input"] * projected + parameters["bias"])
    i, f, g, o = jnp.split(gates, 4, axis=-1)
    cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(cell), cell


MI_LSTM = Cell(mi_lstm_shapes, input_product, mi_lstm_step)


#===------------------------------------------------------------------------===#
# subLSTM
#===------------------------------------------------------------------------===#


def sub_lstm_step(parameters, state, projected):
    """Costa et al. 2017, section 2: all gates are sigmoids and the input and output gates subtract."""
    hidden, cell = state
    gates = jax.nn.sigmoid(projected + hidden @ parameters["hidden"] + parameters["bias"])
    i, f, z, o = jnp.split(gates, 4, axis=-1)
    cell = f * cell + z - i
    return jax.nn.sigmoid(cell) - o, cell


SUB_LSTM = Cell(lstm_shapes, input_product, sub_lstm_step)


#===------------------------------------------------------------------------===#
# SC-RNN
#===------------------------------------------------------------------------===#

CONTEXT = 40  # slow features of SC-RNN
DECAY = 0.95


def sc_rnn_shapes(inputs, hidden):
    return {"input": shape(inputs, hidden), "context_input": shape(inputs, CONTEXT), "context_hidden": shape(CONTEXT, hidden),
            "hidden": shape(hidden, hidden)}


def sc_rnn_project(parameters, inputs):
    return inputs @ parameters["input"], inputs @ parameters["context_input"]


def sc_rnn_step(parameters, state, projected):
    """Mikolov et al. 2015, equations 4 and 5: a context of slow features beside the hidden layer."""
    hidden, context = state
    fast, slow = projected
    context = (1 - DECAY) * slow + DECAY * context
    hidden = jax.nn.sigmoid(context @ parameters["context_hidden"] + fast + hidden @ parameters["hidden"])
    return hidden, context


SC_RNN = Cell(sc_rnn_shapes, sc_rnn_project, sc_rnn_step, lambda hidden: (hidden, CONTEXT))


#===------------------------------------------------------------------------===#
# Models
#===------------------------------------------------------------------------===#


@dataclasses.dataclass(frozen=True)
class Model:
    cell: Cell
    citation: str
    sizes: dict  # vocabulary, layers, hidden, length
    small: dict


PTB = dict(vocabulary=10000, length=35)
SMALL = dict(vocabulary=57, hidden=24, length=5)
MODELS = {
    "stacked_lstm": Model(LSTM, "Zaremba et al., Recurrent Neural Network Regularization, 2014: the large model",
                          dict(**PTB, layers=2, hidden=1500), dict(**SMALL, layers=2)),
    "mi_lstm": Model(MI_LSTM, "Wu et al., On Multiplicative Integration with Recurrent Neural Networks, 2016",
                     dict(vocabulary=205, layers=1, hidden=2048, length=50), dict(**SMALL, layers=1)),
    "sub_lstm": Model(SUB_LSTM, "Costa et al., Cortical microcircuits as gated-recurrent neural networks, 2017",
                      dict(**PTB, layers=2, hidden=650), dict(**SMALL, layers=2)),
    "sc_rnn": Model(SC_RNN, "Mikolov et al., Learning Longer Memory in Recurrent Neural Networks, 2015",
                    dict(**PTB, layers=1, hidden=300), dict(**SMALL, layers=1)),
}


def parameter_shapes(cell, sizes):
    hidden, vocabulary = sizes["hidden"], sizes["vocabulary"]
    return {"embedding": shape(vocabulary, hidden), "layers": [cell.shapes(hidden, hidden) for _ in range(sizes["layers"])],
            "output": {"weight": shape(hidden, vocabulary), "bias": shape(vocabulary)}}


def state_shapes(cell, sizes, batch):
    return [tuple(shape(batch, size) for size in cell.state_sizes(sizes["hidden"])) for _ in range(sizes["layers"])]


def logits_of(cell, parameters, state, tokens, loops):
    """Logits [length, batch, vocabulary] and the last state for tokens [length, batch]."""
    outputs = parameters["embedding"][tokens]
    last = []
    for weights, carry in zip(parameters["layers"], state):

        def step(carry, projected):
            carry = cell.step(weights, carry, projected)
            return carry, carry[0]

        carry, outputs = recurrence(step, carry, cell.project(weights, outputs), loops)
        last.append(carry)
    return outputs @ parameters["output"]["weight"] + parameters["output"]["bias"], last


def facts(model, mode, batch, sizes, loops):
    return {"model": model, "mode": mode, "batch_size": batch, "loops": loops, "sizes": sizes,
            "source": paper(MODELS[model].citation), "papers": ["Astra, tables 2 to 5"]}


def inference(name, model, batch, sizes, loops):
    cell = MODELS[model].cell

    def function(parameters, state, tokens):
        logits, state = logits_of(cell, parameters, state, tokens, loops)
        return {"log_probabilities": jax.nn.log_softmax(logits), "state": state}

    arguments = {"parameters": with_role(parameter_shapes(cell, sizes), "parameter"),
                 "state": with_role(state_shapes(cell, sizes, batch), "state"),
                 "tokens": index((sizes["length"], batch), sizes["vocabulary"])}
    return Workload(name, function, arguments, facts(model, "inference", batch, sizes, loops))


def train(name, model, batch, sizes, loops):
    cell = MODELS[model].cell
    optimizer = optax.chain(optax.clip_by_global_norm(10.0), optax.sgd(1.0))

    def loss(parameters, state, tokens, labels):
        logits, last = logits_of(cell, parameters, state, tokens, loops)
        return training.cross_entropy(logits, labels), last

    shape = (sizes["length"], batch)
    data = {"state": with_role(state_shapes(cell, sizes, batch), "state"), "tokens": index(shape, sizes["vocabulary"]),
            "labels": label(shape, sizes["vocabulary"])}
    return Workload(name, training.step(loss, optimizer, carried="state"),
                    training.arguments(parameter_shapes(cell, sizes), optimizer, data),
                    facts(model, "training", batch, sizes, loops))


# Astra's tables 2 to 5 measure training at these batch sizes.
BATCHES = {"inference": (1, 16), "training": (1, 8, 16, 32, 64, 128, 256)}

WORKLOADS = {}
for model, definition in MODELS.items():
    for mode, build in (("inference", inference), ("training", train)):
        for variant, batch, sizes in (("small", 3, definition.small),
                                      *((f"b{batch}", batch, definition.sizes) for batch in BATCHES[mode])):
            for loops in LOOPS:
                WORKLOADS[f"{model}-{mode}-{variant}-{loops}"] = (
                    lambda name, build=build, model=model, batch=batch, sizes=sizes, loops=loops: build(
                        name, model, batch, sizes, loops))
