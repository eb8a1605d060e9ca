# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speech recognition: ESPnet's Conformer encoder (Gulati et al. 2020) and Transformer decoder, with the sizes of its
LibriSpeech recipe. Inference is the encoder with CTC's best path; training is the hybrid of CTC and attention with label
smoothing (Watanabe et al. 2017)."""
import jax
import jax.numpy as jnp
import optax
import torch
from espnet.nets.pytorch_backend.conformer.encoder import Encoder
from espnet.nets.pytorch_backend.transformer.decoder import Decoder

import torch_models
import training
from workload import Argument, Workload, index, label, mask, package, with_role

BASE = dict(frames=512, features=80, vocabulary=5000, width=256, heads=4, units=1024, encoder=12, decoder=6, kernel=31)
SMALL = dict(frames=39, features=20, vocabulary=47, width=24, heads=4, units=32, encoder=2, decoder=1, kernel=7)
CTC_WEIGHT = 0.3


class Recognizer(torch.nn.Module):
    """The encoder, what CTC reads from it, and the decoder."""

    def __init__(self, s):
        super().__init__()
        self.encoder = Encoder(s["features"], s["width"], s["heads"], s["units"], s["encoder"], input_layer="conv2d",
                               macaron_style=True, pos_enc_layer_type="rel_pos", selfattention_layer_type="rel_selfattn",
                               use_cnn_module=True, cnn_module_kernel=s["kernel"], attention_dropout_rate=0.1)
        self.ctc = torch.nn.Linear(s["width"], s["vocabulary"])
        self.decoder = Decoder(s["vocabulary"], attention_dim=s["width"], attention_heads=s["heads"],
                               linear_units=s["units"], num_blocks=s["decoder"])

    def forward(self, frames, present, words=None, word_mask=None):
        encoded, encoded_mask = self.encoder(frames, present)
        if words is None:
            return self.ctc(encoded)
        return self.ctc(encoded), encoded_mask, self.decoder(words, word_mask, encoded, encoded_mask)[0]


def make_model(s):
    """Tables of positions, which ESPnet keeps as plain tensors of 5000 places, become buffers of the places in use."""
    model = Recognizer(s)
    for part in model.modules():
        if hasattr(part, "extend_pe"):
            part.pe = None
            part.extend_pe(torch.zeros(1, s["frames"] // 4))
            table = part.pe
            del part.pe
            part.register_buffer("pe", table)
    return model


def arguments_of(model, batch, s):
    parameters, statistics = torch_models.state_shapes(model)
    data = {"statistics": with_role(statistics, "state"), "frames": Argument((batch, s["frames"], s["features"])),
            "present": mask((batch, 1, s["frames"]))}
    return parameters, data


def facts(mode, batch, s):
    return {"model": "asr", "mode": mode, "batch_size": batch, "sizes": s,
            "source": package("espnet", "conformer.encoder.Encoder, transformer.decoder.Decoder"),
            "papers": ["AStitch, table 2"]}


def inference(name, batch, s):
    model = make_model(s).eval()
    parameters, data = arguments_of(model, batch, s)

    def function(parameters, statistics, frames, present):
        logits, _ = torch_models.apply(model, parameters, statistics, frames, present)
        return {"words": jnp.argmax(logits, axis=-1).astype(jnp.int32), "log_probabilities": jax.nn.log_softmax(logits)}

    arguments = {"parameters": with_role(parameters, "parameter"), **data}
    return Workload(name, function, arguments, facts("inference", batch, s))


def train(name, batch, s, labels):
    model = make_model(s).train()
    parameters, data = arguments_of(model, batch, s)

    def loss(parameters, statistics, frames, present, words, labels, label_padding):
        length = words.shape[1]
        word_mask = jnp.broadcast_to(jnp.tril(jnp.ones((length, length), bool)), (words.shape[0], length, length))
        (logits, encoded_mask, predicted), statistics = torch_models.apply(model, parameters, statistics, frames, present,
                                                                           words, word_mask)
        padding = label_padding.astype(jnp.float32)
        ctc = optax.ctc_loss(logits, 1.0 - encoded_mask[:, 0].astype(jnp.float32), labels, padding).mean()
        targets = optax.smooth_labels(jax.nn.one_hot(labels, s["vocabulary"]), 0.1)
        attention = (optax.softmax_cross_entropy(predicted, targets) * (1 - padding)).sum() / words.shape[0]
        return CTC_WEIGHT * ctc + (1 - CTC_WEIGHT) * attention, statistics

    shape = (batch, labels)
    data.update(words=index(shape, s["vocabulary"]), labels=label(shape, s["vocabulary"]), label_padding=mask(shape))
    data["dropout"] = torch_models.dropout_masks(loss, {"parameters": with_role(parameters, "parameter"), **data})
    optimizer = optax.adam(1e-3, b2=0.98, eps=1e-9)
    return Workload(name, training.step(torch_models.with_dropout(loss), optimizer, carried="statistics"),
                    training.arguments(parameters, optimizer, data), facts("training", batch, s))


WORKLOADS = {
    "asr-inference-small": lambda name: inference(name, 2, SMALL),
    "asr-training-small": lambda name: train(name, 2, SMALL, 4),
    "asr-inference-b1": lambda name: inference(name, 1, BASE),
    "asr-training-b1": lambda name: train(name, 1, BASE, 30),
}
