#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the models of test/models as StableHLO text.

usage: export.py [--output DIR] [NAME ...]

The models are layers of Hugging Face transformers (Flax), with sizes that are not powers of two everywhere. Weights are
arguments, so the files hold none. The same versions of the packages (requirements.txt) give the same bytes.
"""
import argparse
import os

import jax
import jax.numpy as jnp
from transformers import BertConfig, LlamaConfig
from transformers.models.bert.modeling_flax_bert import FlaxBertLayer
from transformers.models.llama.modeling_flax_llama import FlaxLlamaDecoderLayer, FlaxLlamaRMSNorm


def shapes_of_parameters(layer, *inputs):
    """The layer's parameters without their values."""
    return jax.eval_shape(layer.init, jax.random.PRNGKey(0), *inputs)["params"]


def bert_layer_training():
    """A BERT encoder layer in training: loss, and its gradients for the parameters and the input."""
    batch, length = 2, 24
    config = BertConfig(
        hidden_size=128,
        num_attention_heads=4,
        intermediate_size=512,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    layer = FlaxBertLayer(config)
    hidden = jax.ShapeDtypeStruct((batch, length, config.hidden_size), jnp.float32)
    mask = jax.ShapeDtypeStruct((batch, length), jnp.int32)

    def loss(parameters, hidden, mask, target):
        output = layer.apply({"params": parameters}, hidden, mask, None)[0]
        return jnp.mean(jnp.square(output - target))

    parameters = shapes_of_parameters(layer, hidden, mask, None)
    step = jax.value_and_grad(loss, argnums=(0, 1))
    return jax.jit(step, keep_unused=True).lower(parameters, hidden, mask, hidden)


def llama_layer():
    """A LLaMA decoder layer and the final norm: RMSNorm, rotary embedding, grouped-query attention, SwiGLU."""
    batch, length = 2, 19
    config = LlamaConfig(
        hidden_size=96,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=260,
        max_position_embeddings=48,
        rms_norm_eps=1e-5,
    )
    layer, norm = FlaxLlamaDecoderLayer(config), FlaxLlamaRMSNorm(config)
    hidden = jax.ShapeDtypeStruct((batch, length, config.hidden_size), jnp.float32)
    mask = jax.ShapeDtypeStruct((batch, length), jnp.int32)

    def forward(parameters, norm_parameters, hidden, mask, positions):
        output = layer.apply({"params": parameters}, hidden, mask, positions)[0]
        return norm.apply({"params": norm_parameters}, output)

    parameters = shapes_of_parameters(layer, hidden, mask, mask)
    norm_parameters = shapes_of_parameters(norm, hidden)
    return jax.jit(forward, keep_unused=True).lower(parameters, norm_parameters, hidden, mask, mask)


MODELS = {"bert_layer_training": bert_layer_training, "llama_layer": llama_layer}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="which models: " + ", ".join(MODELS))
    parser.add_argument("--output", default=os.path.join(os.path.dirname(__file__), ".."))
    arguments = parser.parse_args()
    for name in arguments.names or MODELS:
        if name not in MODELS:
            parser.error(f"there is no model {name}")
        path = os.path.join(arguments.output, name + ".mlir")
        with open(path, "w") as file:
            file.write(MODELS[name]().as_text())


if __name__ == "__main__":
    main()
