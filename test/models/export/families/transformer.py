# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Transformer (Vaswani et al. 2017) for translation: Hugging Face's Marian, which has its architecture.

Training is MarianMTModel (PyTorch) with label smoothing and Adam; inference is FlaxMarianMTModel: the encoder, then
greedy decoding with cached keys and values, a fixed number of steps.
"""
import jax
import jax.numpy as jnp
import optax
from transformers import FlaxMarianMTModel, MarianConfig, MarianMTModel

import torch_models
import training
from recurrent import LOOPS, recurrence
from workload import Workload, index, label, mask, package, with_role

# The base model of the paper's table 3, with the vocabulary of Tensor2Tensor's English-German task.
BASE = dict(vocab_size=33708, d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8,
            decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048)
SMALL = dict(vocab_size=131, d_model=40, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
             decoder_attention_heads=4, encoder_ffn_dim=72, decoder_ffn_dim=72)
PAPERS = ["AStitch, table 2", "APOLLO, table 4"]


def make_config(sizes, longest):
    last = sizes["vocab_size"] - 1
    return MarianConfig(**sizes, activation_function="relu", max_position_embeddings=longest, pad_token_id=last,
                        decoder_start_token_id=last, eos_token_id=0, forced_eos_token_id=0, scale_embedding=True,
                        attn_implementation="eager")


def facts(mode, batch, lengths, sizes, definition):
    return {"model": "transformer", "mode": mode, "batch_size": batch, "sizes": {**lengths, **sizes},
            "source": package("transformers", definition), "papers": PAPERS}


def inference(name, batch, length, steps, sizes, loops):
    model = FlaxMarianMTModel(make_config(sizes, max(length, steps)), _do_init=False)
    parameters = jax.eval_shape(lambda: model.init_weights(jax.random.PRNGKey(0), (1, 1)))

    def function(parameters, input_ids, attention_mask):
        encoded = model.encode(input_ids, attention_mask, params=parameters)
        # init_cache also draws random parameters: only the shapes of the cache are needed.
        cache = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype),
                             jax.eval_shape(lambda: model.init_cache(batch, steps, encoded)))
        decoder_mask = jnp.ones((batch, steps), jnp.int32)

        def step(carry, position):
            token, cache = carry
            result = model.decode(token, encoded, attention_mask, decoder_mask,
                                  jnp.broadcast_to(position, (batch, 1)), past_key_values=cache, params=parameters)
            token = jnp.argmax(result.logits[:, -1], axis=-1).astype(jnp.int32)[:, None]
            return (token, result.past_key_values), token[:, 0]

        start = jnp.full((batch, 1), sizes["vocab_size"] - 1, jnp.int32)
        _, tokens = recurrence(step, (start, cache), jnp.arange(steps), loops)
        return {"tokens": tokens.T}

    arguments = {"parameters": with_role(parameters, "parameter"), "input_ids": index((batch, length), sizes["vocab_size"]),
                 "attention_mask": mask((batch, length), jnp.int32)}
    description = facts("inference", batch, {"length": length, "steps": steps}, sizes, "FlaxMarianMTModel")
    return Workload(name, function, arguments, {**description, "loops": loops})


def train(name, batch, length, sizes):
    model = MarianMTModel(make_config(sizes, length))
    model.train()
    parameters, _ = torch_models.state_shapes(model)
    # Sine and cosine positions, which the package keeps among the parameters, and the bias of the output, a buffer.
    fixed = {name for name in parameters if "embed_positions" in name}
    fixed_shapes = {name: parameters[name] for name in fixed}
    trained = {name: shape for name, shape in parameters.items() if name not in fixed}

    def loss(parameters, positions, input_ids, attention_mask, decoder_input_ids, labels):
        buffers = {name: jnp.zeros(tuple(value.shape)) for name, value in model.named_buffers()}
        result, _ = torch_models.apply(model, {**parameters, **positions}, buffers, input_ids, attention_mask, decoder_input_ids,
                                       return_dict=False)
        targets = optax.smooth_labels(jax.nn.one_hot(labels, sizes["vocab_size"]), 0.1)
        return optax.softmax_cross_entropy(result[0], targets).mean()

    tokens = index((batch, length), sizes["vocab_size"])
    data = {"positions": with_role(fixed_shapes, "input"), "input_ids": tokens, "decoder_input_ids": tokens,
            "attention_mask": mask((batch, length), jnp.int32), "labels": label((batch, length), sizes["vocab_size"])}
    data["dropout"] = torch_models.dropout_masks(loss, {"parameters": with_role(trained, "parameter"), **data})
    schedule = lambda count: sizes["d_model"] ** -0.5 * jnp.minimum((count + 1) ** -0.5, (count + 1) * 4000**-1.5)
    optimizer = optax.adam(schedule, b1=0.9, b2=0.98, eps=1e-9)
    return Workload(name, training.step(torch_models.with_dropout(loss), optimizer),
                    training.arguments(trained, optimizer, data),
                    facts("training", batch, {"length": length}, sizes, "MarianMTModel"))


WORKLOADS = {
    "transformer-training-small": lambda name: train(name, 2, 7, SMALL),
    "transformer-training-b1": lambda name: train(name, 1, 64, BASE),
    # APOLLO: sentences of 128 words, by the data set that its appendix names.
    "transformer-training-b8": lambda name: train(name, 8, 128, BASE),
    "transformer-training-b16": lambda name: train(name, 16, 128, BASE),
    # AStitch: 4096 tokens.
    "transformer-training-b64": lambda name: train(name, 64, 64, BASE),
}
for loops in LOOPS:
    WORKLOADS[f"transformer-inference-small-{loops}"] = lambda name, loops=loops: inference(name, 2, 5, 4, SMALL, loops)
    WORKLOADS[f"transformer-inference-b1-{loops}"] = lambda name, loops=loops: inference(name, 1, 32, 32, BASE, loops)
