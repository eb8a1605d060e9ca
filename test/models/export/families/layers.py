# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single layers of Hugging Face transformers (Flax), small enough for every test, with sizes that are not powers of two
everywhere. They are stored as plain text."""
import jax
import jax.numpy as jnp
from transformers import BertConfig, LlamaConfig
from transformers.models.bert.modeling_flax_bert import FlaxBertLayer
from transformers.models.llama.modeling_flax_llama import FlaxLlamaDecoderLayer, FlaxLlamaRMSNorm

from workload import Argument, Workload, index, mask, package, structs, with_role


def shapes_of_parameters(layer, *inputs):
    """The layer's parameters without their values."""
    return jax.eval_shape(layer.init, jax.random.PRNGKey(0), *structs(inputs))["params"]


def facts(model, mode, batch, length, definition):
    return {"model": model, "mode": mode, "batch_size": batch, "sizes": {"length": length},
            "source": package("transformers", definition)}


def bert_layer_training(name):
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
    hidden, present = Argument((batch, length, config.hidden_size)), mask((batch, length), jnp.int32)

    def loss(parameters, hidden, mask, target):
        output = layer.apply({"params": parameters}, hidden, mask, None)[0]
        return jnp.mean(jnp.square(output - target))

    def step(parameters, hidden, mask, target):
        value, gradients = jax.value_and_grad(loss, argnums=(0, 1))(parameters, hidden, mask, target)
        return {"loss": value, "gradients": gradients}

    parameters = jax.eval_shape(layer.init, jax.random.PRNGKey(0), hidden.struct, present.struct, None)["params"]
    arguments = {"parameters": with_role(parameters, "parameter"), "hidden": hidden, "mask": present, "target": hidden}
    return Workload(name, step, arguments, facts("bert_layer", "training", batch, length, "FlaxBertLayer"), plain=True)


def llama_layer(name):
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
    hidden, present = Argument((batch, length, config.hidden_size)), mask((batch, length), jnp.int32)

    def forward(parameters, norm_parameters, hidden, mask, positions):
        output = layer.apply({"params": parameters}, hidden, mask, positions)[0]
        return {"hidden": norm.apply({"params": norm_parameters}, output)}

    parameters = shapes_of_parameters(layer, hidden, present, present)
    arguments = {"parameters": with_role(parameters, "parameter"),
                 "norm_parameters": with_role(shapes_of_parameters(norm, hidden), "parameter"), "hidden": hidden,
                 "mask": present, "positions": index((batch, length), config.max_position_embeddings)}
    return Workload(name, forward, arguments, facts("llama_layer", "inference", batch, length, "FlaxLlamaDecoderLayer"),
                    plain=True)


WORKLOADS = {"bert_layer_training": bert_layer_training, "llama_layer": llama_layer}
