# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DIEN, the deep interest evolution network (Zhou et al. 2019), with the sizes of the authors' public code for the Amazon
books: a GRU extracts interests from the history, an auxiliary loss with negative samples supervises it, attention to the
target weighs them, and an AUGRU (a GRU whose update gate the attention scales) evolves them."""
import jax
import jax.numpy as jnp
import optax

import training
from recurrent import LOOPS, recurrence, shape
from workload import Argument, Workload, index, mask, paper, with_role

BASE = dict(users=543060, items=367983, categories=1601, embedding=18, history=100, hidden=36)
SMALL = dict(users=37, items=53, categories=11, embedding=6, history=6, hidden=12)


def dense(inputs, outputs):
    return {"weight": shape(inputs, outputs), "bias": shape(outputs)}


def apply_dense(parameters, x):
    return x @ parameters["weight"] + parameters["bias"]


def dense_layers(inputs, *sizes):
    return [dense(a, b) for a, b in zip((inputs, *sizes[:-1]), sizes)]


def gru_shapes(inputs, hidden):
    return {"gates": dense(inputs + hidden, 2 * hidden), "candidate": dense(inputs + hidden, hidden)}


def parameter_shapes(s):
    item = 2 * s["embedding"]
    wide = s["embedding"] + 4 * item + s["hidden"]
    return {
        "user": shape(s["users"], s["embedding"]),
        "item": shape(s["items"], s["embedding"]),
        "category": shape(s["categories"], s["embedding"]),
        "extractor": gru_shapes(item, s["hidden"]),
        "evolution": gru_shapes(s["hidden"], s["hidden"]),
        "auxiliary": dense_layers(s["hidden"] + item, 100, 50, 2),
        "query": dense(item, s["hidden"]),
        "query_slope": shape(s["hidden"]),
        "attention": dense_layers(4 * s["hidden"], 80, 40, 1),
        "output": dense_layers(wide, 200, 80, 2),
        "output_slopes": [shape(200), shape(80)],
    }


def gru(parameters, hidden, inputs, attention=None):
    """With attention an AUGRU: equation 7 of the paper."""
    gates = jax.nn.sigmoid(apply_dense(parameters["gates"], jnp.concatenate([inputs, hidden], axis=-1)))
    reset, update = jnp.split(gates, 2, axis=-1)
    candidate = jnp.tanh(apply_dense(parameters["candidate"], jnp.concatenate([inputs, reset * hidden], axis=-1)))
    if attention is not None:
        update = (1.0 - attention[:, None]) * update
    return update * hidden + (1 - update) * candidate


def over_history(parameters, inputs, present, loops, attention=None):
    """The GRU over [batch, history, features]; where there is no item the state stays."""
    steps = [jnp.swapaxes(inputs, 0, 1), present.T] + ([attention.T] if attention is not None else [])

    def step(hidden, step_inputs):
        following = gru(parameters, hidden, step_inputs[0], *step_inputs[2:])
        hidden = jnp.where(step_inputs[1][:, None] > 0, following, hidden)
        return hidden, hidden

    zero = jnp.zeros((inputs.shape[0], parameters["candidate"]["bias"].shape[0]), inputs.dtype)
    last, states = recurrence(step, zero, steps, loops)
    return jnp.swapaxes(states, 0, 1), last


def prelu(slope, x):
    return jnp.maximum(x, 0) + slope * jnp.minimum(x, 0)


def attend(parameters, target, interests, present):
    """How much each interest matters to the target: a network on both, their difference and product, then softmax."""
    query = prelu(parameters["query_slope"], apply_dense(parameters["query"], target))
    query = jnp.broadcast_to(query[:, None], interests.shape)
    x = jnp.concatenate([query, interests, query - interests, query * interests], axis=-1)
    for layer in parameters["attention"][:-1]:
        x = jax.nn.sigmoid(apply_dense(layer, x))
    scores = apply_dense(parameters["attention"][-1], x)[..., 0]
    return jax.nn.softmax(jnp.where(present > 0, scores, -(2.0**32) + 1), axis=-1)


def auxiliary_loss(parameters, interests, clicked, ignored, present):
    """Equation 6: an interest tells the next item apart from one that was not clicked."""
    def probability(items):
        x = jnp.concatenate([interests[:, :-1], items[:, 1:]], axis=-1)
        for layer in parameters[:-1]:
            x = jax.nn.sigmoid(apply_dense(layer, x))
        return jax.nn.softmax(apply_dense(parameters[-1], x))[..., 0] + 1e-8

    weights = present[:, 1:]
    return -jnp.mean(jnp.log(probability(clicked)) * weights + jnp.log(1.0 - probability(ignored) + 1e-7) * weights)


def forward(p, loops, user, item, category, history_items, history_categories, present, ignored=None):
    embed = lambda items, categories: jnp.concatenate([p["item"][items], p["category"][categories]], axis=-1)
    target, history = embed(item, category), embed(history_items, history_categories)
    present = present.astype(jnp.float32)
    interests, _ = over_history(p["extractor"], history, present, loops)
    extra = auxiliary_loss(p["auxiliary"], interests, history, embed(*ignored), present) if ignored else 0.0
    weights = attend(p, target, interests, present)
    _, final = over_history(p["evolution"], interests, present, loops, weights)
    total = (history * present[..., None]).sum(1)
    x = jnp.concatenate([p["user"][user], target, total, target * total, target, final], axis=-1)
    for layer, slope in zip(p["output"], p["output_slopes"]):
        x = prelu(slope, apply_dense(layer, x))
    return jax.nn.softmax(apply_dense(p["output"][-1], x)) + 1e-8, extra


def data_arguments(batch, s):
    history = (batch, s["history"])
    return {"user": index((batch,), s["users"]), "item": index((batch,), s["items"]),
            "category": index((batch,), s["categories"]), "history_items": index(history, s["items"]),
            "history_categories": index(history, s["categories"]), "present": mask(history, jnp.int32)}


def facts(mode, batch, sizes, loops):
    citation = "Zhou et al., Deep Interest Evolution Network for Click-Through Rate Prediction, AAAI 2019"
    return {"model": "dien", "mode": mode, "batch_size": batch, "loops": loops, "sizes": sizes, "source": paper(citation),
            "papers": ["AStitch, table 2"]}


def inference(name, batch, sizes, loops):
    def function(parameters, **data):
        return {"probability": forward(parameters, loops, **data)[0]}

    arguments = {"parameters": with_role(parameter_shapes(sizes), "parameter"), **data_arguments(batch, sizes)}
    return Workload(name, function, arguments, facts("inference", batch, sizes, loops))


def train(name, batch, sizes, loops):
    def loss(parameters, target, ignored_items, ignored_categories, **data):
        probability, extra = forward(parameters, loops, **data, ignored=(ignored_items, ignored_categories))
        return -jnp.mean(jnp.log(probability) * target) + extra

    history = (batch, sizes["history"])
    data = {**data_arguments(batch, sizes), "ignored_items": index(history, sizes["items"]),
            "ignored_categories": index(history, sizes["categories"]), "target": Argument((batch, 2), role="label")}
    optimizer = optax.adam(1e-3)
    return Workload(name, training.step(loss, optimizer), training.arguments(parameter_shapes(sizes), optimizer, data),
                    facts("training", batch, sizes, loops))


WORKLOADS = {}
for mode, build in (("inference", inference), ("training", train)):
    for variant, batch, sizes in (("small", 3, SMALL), ("b1", 1, BASE), ("b256", 256, BASE)):
        for loops in LOOPS:
            WORKLOADS[f"dien-{mode}-{variant}-{loops}"] = (
                lambda name, build=build, batch=batch, sizes=sizes, loops=loops: build(name, batch, sizes, loops))
