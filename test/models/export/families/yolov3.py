# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""YOLOv3 on Darknet-53 (Redmon & Farhadi 2018), written after the paper and the authors' yolov3.cfg, in Flax.

Inference ends with boxes, objectness and classes of all three scales; choosing among overlapping boxes is left to the
host. In training each anchor has its target: what assigns ground truth to anchors also belongs to the input pipeline.
"""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

import training
from workload import Argument, Workload, mask, paper, with_role

BASE = dict(size=416, width=32, classes=80, blocks=[1, 2, 8, 8, 4])
SMALL = dict(size=64, width=2, classes=3, blocks=[1, 1, 1, 1, 1])
# Widths and heights in pixels, for the scales of stride 32, 16 and 8.
ANCHORS = [[(116, 90), (156, 198), (373, 326)], [(30, 61), (62, 45), (59, 119)], [(10, 13), (16, 30), (33, 23)]]
CITATION = "Redmon & Farhadi, YOLOv3: An Incremental Improvement, 2018"


class Convolution(nn.Module):
    """Convolution, batch normalization, leaky ReLU."""

    filters: int
    size: int
    train: bool
    stride: int = 1

    @nn.compact
    def __call__(self, x):
        low = (self.size - 1) // 2
        x = nn.Conv(self.filters, (self.size, self.size), self.stride, [(low, low)] * 2, use_bias=False)(x)
        x = nn.BatchNorm(use_running_average=not self.train, momentum=0.9, epsilon=1e-5, axis_name=training.axis)(x)
        return nn.leaky_relu(x, 0.1)


class Darknet(nn.Module):
    """Five stages, each a convolution of stride 2 and residual blocks; the results of the last three."""

    width: int
    blocks: tuple
    train: bool

    @nn.compact
    def __call__(self, x):
        x = Convolution(self.width, 3, self.train)(x)
        stages = []
        for stage, count in enumerate(self.blocks):
            filters = self.width * 2 ** (stage + 1)
            x = Convolution(filters, 3, self.train, 2)(x)
            for _ in range(count):
                x = x + Convolution(filters, 3, self.train)(Convolution(filters // 2, 1, self.train)(x))
            stages.append(x)
        return stages[-3:]


def upsample(x):
    """Twice the height and width, by repetition."""
    batch, height, width, channels = x.shape
    x = jnp.broadcast_to(x[:, :, None, :, None], (batch, height, 2, width, 2, channels))
    return x.reshape(batch, 2 * height, 2 * width, channels)


class YoloV3(nn.Module):
    width: int
    blocks: tuple
    classes: int
    train: bool

    @nn.compact
    def __call__(self, images):
        """Raw predictions [batch, height, width, anchor, 5 + classes] at strides 32, 16 and 8."""
        stages = Darknet(self.width, self.blocks, self.train)(images)
        predictions, route = [], None
        for scale, features in enumerate(reversed(stages)):
            filters = self.width * 2 ** (4 - scale)
            if route is not None:
                route = upsample(Convolution(filters, 1, self.train)(route))
                features = jnp.concatenate([route, features], axis=-1)
            for _ in range(2):
                features = Convolution(filters, 1, self.train)(features)
                features = Convolution(2 * filters, 3, self.train)(features)
            route = Convolution(filters, 1, self.train)(features)
            head = Convolution(2 * filters, 3, self.train)(route)
            outputs = nn.Conv(3 * (5 + self.classes), (1, 1))(head)
            predictions.append(outputs.reshape(*outputs.shape[:3], 3, 5 + self.classes))
        return predictions


def make_model(s, train):
    return YoloV3(s["width"], tuple(s["blocks"]), s["classes"], train)


def arguments_of(model, batch, s):
    images = Argument((batch, s["size"], s["size"], 3))
    variables = jax.eval_shape(model.init, jax.random.PRNGKey(0), images.struct)
    return variables["params"], {"statistics": with_role(variables["batch_stats"], "state"), "images": images}


def decode(prediction, anchors, stride):
    """Section 2.1 of the paper: centres relative to the cell, sizes relative to the anchor, in pixels."""
    height, width = prediction.shape[1:3]
    cells = jnp.stack(jnp.meshgrid(jnp.arange(width), jnp.arange(height)), axis=-1)[:, :, None].astype(jnp.float32)
    centre = (jax.nn.sigmoid(prediction[..., 0:2]) + cells) * stride
    size = jnp.exp(prediction[..., 2:4]) * jnp.array(anchors, jnp.float32)
    scores = jax.nn.sigmoid(prediction[..., 4:5]) * jax.nn.sigmoid(prediction[..., 5:])
    boxes = jnp.concatenate([centre - size / 2, centre + size / 2], axis=-1)
    return boxes.reshape(len(boxes), -1, 4), scores.reshape(len(scores), boxes[0, ..., 0].size, -1)


def facts(mode, batch, s):
    return {"model": "yolov3", "mode": mode, "batch_size": batch, "sizes": s, "source": paper(CITATION),
            "papers": ["APOLLO, tables 4 and 7"]}


def inference(name, batch, s):
    model = make_model(s, False)
    parameters, data = arguments_of(model, batch, s)

    def function(parameters, statistics, images):
        predictions = model.apply({"params": parameters, "batch_stats": statistics}, images)
        decoded = [decode(prediction, anchors, stride) for prediction, anchors, stride in zip(predictions, ANCHORS, (32, 16, 8))]
        boxes, scores = (jnp.concatenate(part, axis=1) for part in zip(*decoded))
        return {"boxes": boxes, "scores": scores}

    arguments = {"parameters": with_role(parameters, "parameter"), **data}
    return Workload(name, function, arguments, facts("inference", batch, s))


def scale_loss(prediction, boxes, classes, assigned, ignored):
    """Squared error of the boxes, logistic loss of objectness and classes; anchors that overlap an object but are not the
    best ones are ignored."""
    assigned = assigned.astype(jnp.float32)
    counted = jnp.maximum(assigned, 1.0 - ignored.astype(jnp.float32))
    raw = jnp.concatenate([jax.nn.sigmoid(prediction[..., 0:2]), prediction[..., 2:4]], axis=-1)
    box = jnp.sum(assigned[..., None] * jnp.square(raw - boxes))
    objectness = jnp.sum(counted * optax.sigmoid_binary_cross_entropy(prediction[..., 4], assigned))
    kind = jnp.sum(assigned[..., None] * optax.sigmoid_binary_cross_entropy(prediction[..., 5:], classes.astype(jnp.float32)))
    return box + objectness + kind


def train(name, batch, s):
    model = make_model(s, True)
    parameters, data = arguments_of(model, batch, s)

    def loss(parameters, statistics, images, targets):
        predictions, updated = model.apply({"params": parameters, "batch_stats": statistics}, images, mutable=["batch_stats"])
        total = sum(scale_loss(prediction, **target) for prediction, target in zip(predictions, targets))
        return total / len(images), updated["batch_stats"]

    targets = []
    for stride in (32, 16, 8):
        cells = (batch, s["size"] // stride, s["size"] // stride, 3)
        targets.append({"boxes": Argument((*cells, 4), role="label"), "classes": mask((*cells, s["classes"])),
                        "assigned": mask(cells), "ignored": mask(cells)})
    optimizer = optax.chain(optax.add_decayed_weights(0.0005), optax.sgd(0.001, momentum=0.9))
    return Workload(name, training.step(loss, optimizer, carried="statistics"),
                    training.arguments(parameters, optimizer, {**data, "targets": targets}), facts("training", batch, s))


WORKLOADS = {
    "yolov3-inference-small": lambda name: inference(name, 2, SMALL),
    "yolov3-training-small": lambda name: train(name, 2, SMALL),
    "yolov3-inference-b1": lambda name: inference(name, 1, BASE),
    "yolov3-inference-b32": lambda name: inference(name, 32, BASE),
    "yolov3-training-b1": lambda name: train(name, 1, BASE),
    "yolov3-training-b4": lambda name: train(name, 4, BASE),
    "yolov3-training-b8": lambda name: train(name, 8, BASE),
}
