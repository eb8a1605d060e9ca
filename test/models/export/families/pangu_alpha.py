# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PanGu-alpha (Zeng et al. 2021), 2.6 billion parameters, written after the paper: a decoder of transformer layers with the norms in
front, and on top of them the query layer, whose queries are embeddings of the next position. Training in mixed precision with Adam."""
import jax
import jax.numpy as jnp
import optax

import training
from workload import Argument, Workload, index, label, mask, paper

# Table 1 of the paper; the vocabulary of its section 3.2. Of the layers the last one is the query layer.
BASE = dict(vocab_size=40000, hidden_size=2560, layers=32, heads=32, intermediate_size=10240, positions=1024)
SMALL = dict(vocab_size=203, hidden_size=48, layers=3, heads=4, intermediate_size=96, positions=16)
CITATION = "Zeng et al., PanGu-alpha: Large-scale Autoregressive Pretrained Chinese Language Models, 2021"


def facts(mode, batch, length, sizes, element):
    return {"model": "pangu_alpha", "mode": mode, "batch_size": batch, "sizes": {"length": length, "element": element, **sizes},
            "source": paper(CITATION), "papers": ["APOLLO, figure 8"]}


def layer_shapes(sizes):
    hidden, inner = sizes["hidden_size"], sizes["intermediate_size"]
    dense = {"query": (hidden, hidden), "key": (hidden, hidden), "value": (hidden, hidden), "output": (hidden, hidden),
             "up": (hidden, inner), "down": (inner, hidden)}
    shapes = {name: {"bias": shape[1:], "kernel": shape} for name, shape in dense.items()}
    return {**shapes, **{name: {"bias": (hidden,), "scale": (hidden,)} for name in ("norm_attention", "norm_feed_forward")}}


def parameter_shapes(sizes):
    hidden = sizes["hidden_size"]
    shapes = {"tokens": (sizes["vocab_size"], hidden), "positions": (sizes["positions"], hidden),
              "next_positions": (sizes["positions"], hidden), "norm": {"bias": (hidden,), "scale": (hidden,)},
              "layers": {f"{number:02}": layer_shapes(sizes) for number in range(sizes["layers"])}}
    return jax.tree.map(lambda shape: jax.ShapeDtypeStruct(shape, jnp.float32), shapes, is_leaf=lambda node: isinstance(node, tuple))


def norm(x, parameters):
    """In f32."""
    wide = x.astype(jnp.float32)
    centred = wide - wide.mean(-1, keepdims=True)
    variance = jnp.square(centred).mean(-1, keepdims=True)
    return (centred * jax.lax.rsqrt(variance + 1e-5) * parameters["scale"] + parameters["bias"]).astype(x.dtype)


def dense(x, parameters):
    return x @ parameters["kernel"].astype(x.dtype) + parameters["bias"].astype(x.dtype)


def attention(queries_of, x, parameters, heads, visible):
    """The softmax is in f32."""
    batch, length, hidden = x.shape
    split = lambda y: y.reshape(batch, length, heads, hidden // heads)
    queries, keys, values = (split(dense(of, parameters[name])) for of, name in ((queries_of, "query"), (x, "key"), (x, "value")))
    scores = jnp.einsum("bqhd,bkhd->bhqk", queries, keys).astype(jnp.float32) / (hidden // heads) ** 0.5
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e4), axis=-1).astype(x.dtype)
    return dense(jnp.einsum("bhqk,bkhd->bqhd", weights, values).reshape(batch, length, hidden), parameters["output"])


def layer(x, parameters, heads, visible, next_positions=None):
    """With `next_positions` it is the query layer."""
    normed = norm(x, parameters["norm_attention"])
    queries_of = normed if next_positions is None else jnp.broadcast_to(next_positions, x.shape)
    x = x + attention(queries_of, normed, parameters, heads, visible)
    inner = jax.nn.gelu(dense(norm(x, parameters["norm_feed_forward"]), parameters["up"]))
    return x + dense(inner, parameters["down"])


def logits_of(parameters, input_ids, sizes, element):
    length = input_ids.shape[1]
    visible = jnp.tril(jnp.ones((length, length), jnp.bool_))
    tokens = parameters["tokens"].astype(element)
    x = tokens[input_ids] + parameters["positions"][:length].astype(element)
    layers = [parameters["layers"][name] for name in sorted(parameters["layers"])]
    for of in layers[:-1]:
        x = layer(x, of, sizes["heads"], visible)
    x = layer(x, layers[-1], sizes["heads"], visible, parameters["next_positions"][:length].astype(element))
    return norm(x, parameters["norm"]) @ tokens.T


def train(name, batch, length, sizes, element=jnp.float16):
    def loss(parameters, input_ids, labels, label_mask):
        return training.cross_entropy(logits_of(parameters, input_ids, sizes, element).astype(jnp.float32), labels, label_mask)

    data = {"input_ids": index((batch, length), sizes["vocab_size"]), "labels": label((batch, length), sizes["vocab_size"]),
            "label_mask": mask((batch, length))}
    optimizer = optax.adamw(1e-4, weight_decay=0.01)
    return Workload(name, training.step(loss, optimizer), training.arguments(parameter_shapes(sizes), optimizer, data),
                    facts("training", batch, length, sizes, jnp.dtype(element).name))


def inference(name, batch, length, sizes, element=jnp.float16):
    def function(parameters, input_ids):
        return {"logits": logits_of(parameters, input_ids, sizes, element)}

    parameters = jax.tree.map(lambda leaf: Argument(leaf.shape, element, "parameter"), parameter_shapes(sizes))
    return Workload(name, function, {"parameters": parameters, "input_ids": index((batch, length), sizes["vocab_size"])},
                    facts("inference", batch, length, sizes, jnp.dtype(element).name))


WORKLOADS = {
    "pangu_alpha-inference-f16-small": lambda name: inference(name, 2, 11, SMALL),
    "pangu_alpha-training-f16-small": lambda name: train(name, 2, 11, SMALL),
    "pangu_alpha-inference-f16-b1": lambda name: inference(name, 1, 1024, BASE),
    "pangu_alpha-training-f16-b1": lambda name: train(name, 1, 1024, BASE),
}
