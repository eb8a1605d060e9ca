# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translation with LSTMs and attention, written after the papers.

gnmt: Wu et al. 2016. The first encoder layer reads in both directions; from the third layer on each layer's input is added
to its output; attention is additive, from the first decoder layer, and its context is an input of every decoder layer.
nmt: the attention model of the TensorFlow NMT tutorial (Luong et al. 2017): two layers, multiplicative attention from the
last decoder layer (Luong et al. 2015), whose result is fed to the next step.

Training is teacher-forced; inference decodes greedily, a fixed number of steps.
"""
import jax
import jax.numpy as jnp
import optax

import training
from recurrent import LOOPS, lstm, lstm_cell, lstm_shapes, recurrence, shape, zero_state
from workload import Workload, index, label, mask, paper, with_role

GNMT = dict(vocabulary=32000, hidden=1024, layers=8, length=20)
GNMT_SMALL = dict(vocabulary=61, hidden=20, layers=4, length=4)
NMT = dict(vocabulary=17191, hidden=512, layers=2, length=20)
NMT_SMALL = dict(vocabulary=61, hidden=20, layers=2, length=4)
CITATIONS = {
    "gnmt": "Wu et al., Google's Neural Machine Translation System, 2016",
    "nmt": "Luong, Brevdo, Zhao, Neural Machine Translation (seq2seq) Tutorial, 2017",
}
PAPERS = {"gnmt": "Astra, table 6", "nmt": "FusionStitching, tables 2 and 3"}


def parameter_shapes(model, s):
    hidden, layers = s["hidden"], s["layers"]
    shapes = {"source": shape(s["vocabulary"], hidden), "target": shape(s["vocabulary"], hidden),
              "output": {"weight": shape(hidden, s["vocabulary"]), "bias": shape(s["vocabulary"])}}
    if model == "gnmt":
        shapes["encoder"] = [lstm_shapes(hidden, hidden), lstm_shapes(hidden, hidden), lstm_shapes(2 * hidden, hidden)]
        shapes["encoder"] += [lstm_shapes(hidden, hidden) for _ in range(layers - 2)]
        shapes["decoder"] = [lstm_shapes(2 * hidden, hidden) for _ in range(layers)]
        shapes["attention"] = {"query": shape(hidden, hidden), "memory": shape(hidden, hidden), "score": shape(hidden)}
    else:
        shapes["encoder"] = [lstm_shapes(hidden, hidden) for _ in range(layers)]
        shapes["decoder"] = [lstm_shapes(2 * hidden, hidden)] + [lstm_shapes(hidden, hidden) for _ in range(layers - 1)]
        shapes["attention"] = {"memory": shape(hidden, hidden), "combine": shape(2 * hidden, hidden)}
    return shapes


#===------------------------------------------------------------------------===#
# Encoder
#===------------------------------------------------------------------------===#


def encode_gnmt(p, embedded, loops):
    zero = zero_state(embedded.shape[1], p["source"].shape[1])
    forward, _ = lstm(p["encoder"][0], embedded, zero, loops)
    backward, _ = lstm(p["encoder"][1], jnp.flip(embedded, 0), zero, loops)
    x, _ = lstm(p["encoder"][2], jnp.concatenate([forward, jnp.flip(backward, 0)], axis=-1), zero, loops)
    for layer in p["encoder"][3:]:
        x = x + lstm(layer, x, zero, loops)[0]
    return x, [zero for _ in p["decoder"]]


def encode_nmt(p, embedded, loops):
    x, states = embedded, []
    for layer in p["encoder"]:
        x, state = lstm(layer, x, zero_state(x.shape[1], p["source"].shape[1]), loops)
        states.append(state)
    return x, states


#===------------------------------------------------------------------------===#
# Decoder
#===------------------------------------------------------------------------===#


def weighted_memory(scores, memory, present):
    """The context for scores [length, batch]: the mean of the memory weighted by their softmax over the present words."""
    weights = jax.nn.softmax(jnp.where(present > 0, scores, -1e9), axis=0)
    return jnp.sum(weights[..., None] * memory, axis=0)


def step_gnmt(p, carry, embedded, memory, keys, present):
    states, context = carry
    states = list(states)
    x = jnp.concatenate([embedded, context], axis=-1)
    for number, layer in enumerate(p["decoder"]):
        states[number] = lstm_cell(layer, states[number], x @ layer["input"])
        output = states[number][0]
        if number == 0:
            query = output @ p["attention"]["query"]
            context = weighted_memory(jnp.tanh(keys + query) @ p["attention"]["score"], memory, present)
            result = output
        else:
            result = output + result if number > 1 else output
        x = jnp.concatenate([result, context], axis=-1)
    return (states, context), result


def step_nmt(p, carry, embedded, memory, keys, present):
    states, attention = carry
    states = list(states)
    x = jnp.concatenate([embedded, attention], axis=-1)
    for number, layer in enumerate(p["decoder"]):
        states[number] = lstm_cell(layer, states[number], x @ layer["input"])
        x = states[number][0]
    context = weighted_memory(jnp.sum(keys * x, axis=-1), memory, present)
    attention = jnp.tanh(jnp.concatenate([context, x], axis=-1) @ p["attention"]["combine"])
    return (states, attention), attention


ENCODE = {"gnmt": encode_gnmt, "nmt": encode_nmt}
STEP = {"gnmt": step_gnmt, "nmt": step_nmt}


def start(model, p, source, loops):
    """What decoding begins with: the state, and the memory with its keys."""
    memory, states = ENCODE[model](p, p["source"][source], loops)
    return (states, jnp.zeros_like(memory[0])), memory, memory @ p["attention"]["memory"]


def output_logits(p, x):
    return x @ p["output"]["weight"] + p["output"]["bias"]


#===------------------------------------------------------------------------===#
# Workloads
#===------------------------------------------------------------------------===#


def facts(model, mode, batch, sizes, loops):
    return {"model": model, "mode": mode, "batch_size": batch, "loops": loops, "sizes": sizes,
            "source": paper(CITATIONS[model]), "papers": [PAPERS[model]]}


def source_arguments(batch, s):
    return {"source": index((s["length"], batch), s["vocabulary"]), "present": mask((s["length"], batch), jnp.int32)}


def inference(name, model, batch, s, loops):
    def function(parameters, source, present):
        state, memory, keys = start(model, parameters, source, loops)

        def step(carry, _):
            state, token = carry
            state, x = STEP[model](parameters, state, parameters["target"][token], memory, keys, present)
            token = jnp.argmax(output_logits(parameters, x), axis=-1).astype(jnp.int32)
            return (state, token), token

        first = jnp.zeros(source.shape[1], jnp.int32)
        return {"tokens": recurrence(step, (state, first), None, loops, length=s["length"])[1]}

    arguments = {"parameters": with_role(parameter_shapes(model, s), "parameter"), **source_arguments(batch, s)}
    return Workload(name, function, arguments, facts(model, "inference", batch, s, loops))


def train(name, model, batch, s, loops):
    def loss(parameters, source, present, target, labels, label_mask):
        state, memory, keys = start(model, parameters, source, loops)
        step = lambda state, embedded: STEP[model](parameters, state, embedded, memory, keys, present)
        _, outputs = recurrence(step, state, parameters["target"][target], loops)
        return training.cross_entropy(output_logits(parameters, outputs), labels, label_mask)

    words = (s["length"], batch)
    data = {**source_arguments(batch, s), "target": index(words, s["vocabulary"]), "labels": label(words, s["vocabulary"]),
            "label_mask": mask(words)}
    optimizer = optax.chain(optax.clip_by_global_norm(5.0), optax.adam(1e-3))
    return Workload(name, training.step(loss, optimizer), training.arguments(parameter_shapes(model, s), optimizer, data),
                    facts(model, "training", batch, s, loops))


# gnmt: Astra's table 6, which measures training; nmt: the batch size of the tutorial.
BATCHES = {"gnmt": {"inference": (1, 16), "training": (1, 8, 16, 32, 64, 128, 256)},
           "nmt": {"inference": (1, 128), "training": (1, 128)}}

WORKLOADS = {}
for model, base, small in (("gnmt", GNMT, GNMT_SMALL), ("nmt", NMT, NMT_SMALL)):
    for mode, build in (("inference", inference), ("training", train)):
        for variant, batch, sizes in (("small", 2, small), *((f"b{batch}", batch, base) for batch in BATCHES[model][mode])):
            for loops in LOOPS:
                WORKLOADS[f"{model}-{mode}-{variant}-{loops}"] = (
                    lambda name, build=build, model=model, batch=batch, sizes=sizes, loops=loops: build(
                        name, model, batch, sizes, loops))
