# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CRNN (Shi et al. 2016) for reading text in images: docTR's crnn_vgg16_bn, trained with CTC (Graves et al. 2006)."""
import jax
import jax.numpy as jnp
import optax
from doctr.models.classification import vgg16_bn_r
from doctr.models.recognition import CRNN, crnn_vgg16_bn
from torch import nn

import torch_models
import training
from recurrent import LOOPS
from workload import Argument, Workload, label, mask, package, with_role

CHARACTERS = 126  # of docTR's vocabulary; one more class is the blank
BASE = dict(height=32, width=128)
SMALL = dict(height=32, width=16, channels=[6, 8, 8, 12, 12], units=10)
LABELS = 8  # at most, of an image


def make_model(sizes):
    if "channels" not in sizes:
        return crnn_vgg16_bn(pretrained=False, pretrained_backbone=False, exportable=True)
    # The same model with fewer channels; its blocks are those of docTR's VGG16.
    features, inputs = [], 3
    for layer in vgg16_bn_r(pretrained=False).features:
        if isinstance(layer, nn.Conv2d):
            outputs = sizes["channels"][{64: 0, 128: 1, 256: 2, 512: 3}[layer.out_channels]]
            layer, inputs = nn.Conv2d(inputs, outputs, 3, padding=1), outputs
        elif isinstance(layer, nn.BatchNorm2d):
            layer = nn.BatchNorm2d(inputs)
        features.append(layer)
    return CRNN(nn.Sequential(*features), vocab="x" * CHARACTERS, rnn_units=sizes["units"],
                input_shape=(3, sizes["height"], sizes["width"]), exportable=True)


def logits_of(model, parameters, statistics, images, loops):
    with torch_models.recurrent_layers(loops):  # a target only has to be there
        result, statistics = torch_models.apply(model, parameters, statistics, images, target=[])
    return result["logits"], statistics


def arguments_of(model, batch, sizes):
    parameters, statistics = torch_models.state_shapes(model)
    images = Argument((batch, 3, sizes["height"], sizes["width"]))
    return parameters, {"statistics": with_role(statistics, "state"), "images": images}


def facts(mode, batch, sizes, loops):
    return {"model": "crnn", "mode": mode, "batch_size": batch, "loops": loops, "sizes": {**sizes, "characters": CHARACTERS},
            "source": package("python-doctr", "crnn_vgg16_bn"), "papers": ["AStitch, table 2"]}


def inference(name, batch, sizes, loops):
    """Logits, and what best-path decoding needs of them."""
    model = make_model(sizes).eval()
    parameters, data = arguments_of(model, batch, sizes)

    def function(parameters, statistics, images):
        logits, _ = logits_of(model, parameters, statistics, images, loops)
        confidence = jnp.min(jnp.max(jax.nn.softmax(logits), axis=-1), axis=1)
        return {"characters": jnp.argmax(logits, axis=-1).astype(jnp.int32), "confidence": confidence, "logits": logits}

    arguments = {"parameters": with_role(parameters, "parameter"), **data}
    return Workload(name, function, arguments, facts("inference", batch, sizes, loops))


def train(name, batch, sizes, loops):
    model = make_model(sizes).train()
    parameters, data = arguments_of(model, batch, sizes)

    def loss(parameters, statistics, images, labels, label_padding):
        logits, statistics = logits_of(model, parameters, statistics, images, loops)
        losses = optax.ctc_loss(logits, jnp.zeros(logits.shape[:2]), labels, label_padding.astype(jnp.float32),
                                blank_id=CHARACTERS)
        return losses.mean(), statistics

    data.update(labels=label((batch, LABELS), CHARACTERS), label_padding=mask((batch, LABELS)))
    optimizer = optax.adam(1e-3, b1=0.95, b2=0.999, eps=1e-6)
    return Workload(name, training.step(loss, optimizer, carried="statistics"),
                    training.arguments(parameters, optimizer, data), facts("training", batch, sizes, loops))


WORKLOADS = {}
for mode, build in (("inference", inference), ("training", train)):
    for variant, batch, sizes in (("small", 2, SMALL), ("b1", 1, BASE)):
        for loops in LOOPS:
            WORKLOADS[f"crnn-{mode}-{variant}-{loops}"] = (
                lambda name, build=build, batch=batch, sizes=sizes, loops=loops: build(name, batch, sizes, loops))
