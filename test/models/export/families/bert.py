# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT (Devlin et al. 2019): Hugging Face's BertForPreTraining in PyTorch; pre-training with Adam."""
import jax
import jax.numpy as jnp
import optax
from transformers import BertConfig, BertForPreTraining

import torch_models
import training
from workload import Workload, index, label, mask, package, with_role

BASE = dict(vocab_size=30522, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072)
LARGE = dict(vocab_size=30522, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
SMALL = dict(vocab_size=203, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96)
PAPERS = ["AStitch, table 2", "APOLLO, tables 4 and 5"]


def facts(mode, batch, length, config, element):
    return {"model": "bert", "mode": mode, "batch_size": batch, "sizes": {"length": length, "element": element, **config},
            "source": package("transformers", "BertForPreTraining"), "papers": PAPERS}


def make_model(config):
    model = BertForPreTraining(BertConfig(**config, attn_implementation="eager"))
    return model, *torch_models.state_shapes(model)


def token_arguments(batch, length, config):
    return {"input_ids": index((batch, length), config["vocab_size"]), "token_type_ids": index((batch, length), 2),
            "attention_mask": mask((batch, length), jnp.int32)}


def call(model, parameters, buffers, input_ids, attention_mask, token_type_ids):
    result, _ = torch_models.apply(model, parameters, buffers, input_ids, attention_mask, token_type_ids, return_dict=False)
    return result


def buffer_values(model):
    """Position numbers and the like, which are constants of the model."""
    return {name: jnp.asarray(value.numpy()).astype(torch_models.dtype_of(value)) for name, value in model.named_buffers()}


def inference(name, batch, length, config):
    model, parameters, _ = make_model(config)
    model.eval()

    def function(parameters, **tokens):
        prediction, next_sentence = call(model, parameters, buffer_values(model), **tokens)
        return {"prediction": prediction, "next_sentence": next_sentence}

    arguments = {"parameters": with_role(parameters, "parameter"), **token_arguments(batch, length, config)}
    return Workload(name, function, arguments, facts("inference", batch, length, config, "f32"))


def train(name, batch, length, config, element=jnp.float32):
    """With `element` f16 in mixed precision: parameters and loss in f32, the model in f16."""
    model, parameters, _ = make_model(config)
    model.train()

    def loss(parameters, labels, label_mask, next_sentence_label, **tokens):
        cast = jax.tree.map(lambda value: value.astype(element), parameters)
        prediction, next_sentence = call(model, cast, buffer_values(model), **tokens)
        return (training.cross_entropy(prediction.astype(jnp.float32), labels, label_mask) +
                training.cross_entropy(next_sentence.astype(jnp.float32), next_sentence_label))

    data = {**token_arguments(batch, length, config), "labels": label((batch, length), config["vocab_size"]),
            "label_mask": mask((batch, length)), "next_sentence_label": label((batch,), 2)}
    data["dropout"] = torch_models.dropout_masks(loss, {"parameters": with_role(parameters, "parameter"), **data})
    optimizer = optax.adamw(1e-4, weight_decay=0.01)
    return Workload(name, training.step(torch_models.with_dropout(loss), optimizer),
                    training.arguments(parameters, optimizer, data),
                    facts("training", batch, length, config, jnp.dtype(element).name))


WORKLOADS = {
    "bert-inference-small": lambda name: inference(name, 2, 11, SMALL),
    "bert-training-small": lambda name: train(name, 2, 11, SMALL),
    "bert-training-f16-small": lambda name: train(name, 2, 11, SMALL, jnp.float16),
    "bert-inference-b1": lambda name: inference(name, 1, 128, BASE),
    "bert-inference-b200": lambda name: inference(name, 200, 128, BASE),
    "bert-training-b1": lambda name: train(name, 1, 128, BASE),
    "bert-training-b12": lambda name: train(name, 12, 128, BASE),
    **{f"bert-training-f16-b{batch}": lambda name, batch=batch: train(name, batch, 128, BASE, jnp.float16)
       for batch in (1, 32, 64)},
    **{f"bert_large-training-f16-b{batch}": lambda name, batch=batch: train(name, batch, 128, LARGE, jnp.float16)
       for batch in (1, 4)},
}
