# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The micro-benchmarks of FusionStitching: models of TensorFlow-Examples (Aymeric Damien, MIT License), written again in
JAX with their sizes and batch sizes: logistic regression, word2vec, bidirectional and dynamic RNN, perceptron, and
variational autoencoder."""
import jax
import jax.numpy as jnp
import optax

import training
from recurrent import LOOPS, lstm, lstm_cell, lstm_shapes, recurrence, shape, zero_state
from workload import Argument, Workload, index, label, paper, with_role

SOURCE = paper("TensorFlow-Examples, https://github.com/aymericdamien/TensorFlow-Examples")
CLASSES = 10


def facts(model, mode, batch, sizes, loops=None):
    result = {"model": model, "mode": mode, "batch_size": batch, "sizes": sizes, "source": SOURCE,
              "papers": ["FusionStitching, tables 2 and 3"]}
    return {**result, "loops": loops} if loops else result


def dense(inputs, outputs):
    return {"weight": shape(inputs, outputs), "bias": shape(outputs)}


def apply_dense(parameters, x):
    return x @ parameters["weight"] + parameters["bias"]


def inference_workload(name, model, forward, parameters, data, batch, sizes, loops=None):
    function = lambda parameters, **inputs: {"result": forward(parameters, **inputs)}
    return Workload(name, function, {"parameters": with_role(parameters, "parameter"), **data},
                    facts(model, "inference", batch, sizes, loops))


def training_workload(name, model, loss, optimizer, parameters, data, batch, sizes, loops=None):
    return Workload(name, training.step(loss, optimizer), training.arguments(parameters, optimizer, data),
                    facts(model, "training", batch, sizes, loops))


def classifier(model, forward, parameter_shapes, optimizer):
    """Builders for a model whose `forward(parameters, images)` gives logits of ten classes."""

    def infer(name, batch, sizes):
        images = {"images": Argument((batch, sizes["inputs"]))}
        return inference_workload(name, model, lambda p, images: jax.nn.softmax(forward(p, images)), parameter_shapes(sizes),
                                  images, batch, sizes)

    def train(name, batch, sizes):
        loss = lambda p, images, labels: training.cross_entropy(forward(p, images), labels)
        data = {"images": Argument((batch, sizes["inputs"])), "labels": label((batch,), CLASSES)}
        return training_workload(name, model, loss, optimizer, parameter_shapes(sizes), data, batch, sizes)

    return {"inference": infer, "training": train}


#===------------------------------------------------------------------------===#
# Logistic regression and perceptron
#===------------------------------------------------------------------------===#

logistic = classifier("logistic", apply_dense, lambda s: dense(s["inputs"], CLASSES), optax.sgd(0.01))


def perceptron_forward(p, x):
    """No activation between the layers: as in the example."""
    return apply_dense(p["output"], apply_dense(p["second"], apply_dense(p["first"], x)))


perceptron = classifier(
    "perceptron", perceptron_forward, lambda s: {
        "first": dense(s["inputs"], s["hidden"]), "second": dense(s["hidden"], s["hidden"]),
        "output": dense(s["hidden"], CLASSES)
    }, optax.adam(0.001))

#===------------------------------------------------------------------------===#
# word2vec
#===------------------------------------------------------------------------===#


def word2vec_shapes(s):
    return {"embedding": shape(s["vocabulary"], s["features"]), "weights": shape(s["vocabulary"], s["features"]),
            "biases": shape(s["vocabulary"])}


def word2vec_similarity(p, words):
    """The cosine of the angle between the given words and all others."""
    norm = jnp.sqrt(jnp.sum(jnp.square(p["embedding"]), axis=1, keepdims=True))
    chosen = p["embedding"][words]
    chosen = chosen / jnp.sqrt(jnp.sum(jnp.square(chosen), axis=1, keepdims=True))
    return chosen @ (p["embedding"] / norm).T


def log_expected(ids, s):
    """The logarithm of how often the log-uniform sampler draws an id."""
    probability = jnp.log((ids + 2.0) / (ids + 1.0)) / jnp.log(s["vocabulary"] + 1.0)
    return jnp.log(probability * s["sampled"])


def word2vec_loss(s):
    """Noise-contrastive estimation (Gutmann & Hyvarinen 2010) with sampled words that the whole batch shares."""

    def loss(p, words, context, sampled):
        inputs = p["embedding"][words]
        true = jnp.sum(inputs * p["weights"][context], axis=1) + p["biases"][context] - log_expected(context, s)
        noise = inputs @ p["weights"][sampled].T + p["biases"][sampled] - log_expected(sampled, s)
        return jnp.mean(optax.sigmoid_binary_cross_entropy(true, jnp.ones_like(true)) +
                        jnp.sum(optax.sigmoid_binary_cross_entropy(noise, jnp.zeros_like(noise)), axis=1))

    return loss


def word2vec_inference(name, batch, s):
    return inference_workload(name, "word2vec", word2vec_similarity, word2vec_shapes(s),
                              {"words": index((batch,), s["vocabulary"])}, batch, s)


def word2vec_training(name, batch, s):
    data = {"words": index((batch,), s["vocabulary"]), "context": index((batch,), s["vocabulary"]),
            "sampled": index((s["sampled"],), s["vocabulary"])}
    return training_workload(name, "word2vec", word2vec_loss(s), optax.sgd(0.1), word2vec_shapes(s), data, batch, s)


word2vec = {"inference": word2vec_inference, "training": word2vec_training}

#===------------------------------------------------------------------------===#
# Recurrent networks
#===------------------------------------------------------------------------===#


def bidirectional_logits(p, sequence, loops):
    """The last outputs of an LSTM over the rows of an image and of one over its rows from below."""
    steps = jnp.swapaxes(sequence, 0, 1)
    zero = zero_state(sequence.shape[0], p["forward"]["hidden"].shape[0])
    forward, _ = lstm(p["forward"], steps, zero, loops)
    backward, _ = lstm(p["backward"], jnp.flip(steps, 0), zero, loops)
    return apply_dense(p["output"], jnp.concatenate([forward[-1], jnp.flip(backward, 0)[-1]], axis=-1))


def bidirectional_shapes(s):
    return {"forward": lstm_shapes(s["inputs"], s["hidden"]), "backward": lstm_shapes(s["inputs"], s["hidden"]),
            "output": dense(2 * s["hidden"], s["classes"])}


def dynamic_logits(p, sequence, lengths, loops):
    """An LSTM over sequences of different lengths: after its end a sequence keeps its state and its outputs are zero."""
    steps = jnp.swapaxes(sequence, 0, 1)

    def step(state, inputs):
        time, projected = inputs
        running = (time < lengths)[:, None]
        following = lstm_cell(p["cell"], state, projected)
        state = tuple(jnp.where(running, new, old) for new, old in zip(following, state))
        return state, jnp.where(running, following[0], 0.0)

    zero = zero_state(sequence.shape[0], p["cell"]["hidden"].shape[0])
    inputs = (jnp.arange(steps.shape[0]), steps @ p["cell"]["input"])
    _, outputs = recurrence(step, zero, inputs, loops)
    last = outputs[lengths - 1, jnp.arange(sequence.shape[0])]
    return apply_dense(p["output"], last)


def dynamic_shapes(s):
    return {"cell": lstm_shapes(s["inputs"], s["hidden"]), "output": dense(s["hidden"], s["classes"])}


def recurrent(model, logits, shapes, data_of):
    """Builders for a recurrent classifier, for one kind of loops."""

    def infer(name, batch, sizes, loops):
        forward = lambda p, **data: jax.nn.softmax(logits(p, **data, loops=loops))
        return inference_workload(name, model, forward, shapes(sizes), data_of(batch, sizes), batch, sizes, loops)

    def train(name, batch, sizes, loops):
        loss = lambda p, labels, **data: training.cross_entropy(logits(p, **data, loops=loops), labels)
        data = {**data_of(batch, sizes), "labels": label((batch,), sizes["classes"])}
        return training_workload(name, model, loss, optax.sgd(0.001), shapes(sizes), data, batch, sizes, loops)

    return {"inference": infer, "training": train}


def sequence_data(batch, s):
    return {"sequence": Argument((batch, s["length"], s["inputs"]))}


def dynamic_data(batch, s):
    return {**sequence_data(batch, s), "lengths": index((batch,), s["length"])}


bi_rnn = recurrent("bi_rnn", bidirectional_logits, bidirectional_shapes, sequence_data)
dyn_rnn = recurrent("dyn_rnn", dynamic_logits, dynamic_shapes, dynamic_data)

#===------------------------------------------------------------------------===#
# Variational autoencoder
#===------------------------------------------------------------------------===#


def encoder_shapes(s):
    return {"encoder": dense(s["inputs"], s["hidden"]), "mean": dense(s["hidden"], s["latent"]),
            "deviation": dense(s["hidden"], s["latent"]), "decoder": dense(s["latent"], s["hidden"]),
            "output": dense(s["hidden"], s["inputs"])}


def decode(p, latent):
    return jax.nn.sigmoid(apply_dense(p["output"], jnp.tanh(apply_dense(p["decoder"], latent))))


def encoder_loss(p, images, noise):
    """Kingma & Welling 2014: reconstruction error and divergence from the prior; the noise is an argument."""
    hidden = jnp.tanh(apply_dense(p["encoder"], images))
    mean, deviation = apply_dense(p["mean"], hidden), apply_dense(p["deviation"], hidden)
    rebuilt = decode(p, mean + jnp.exp(deviation / 2) * noise)
    error = -jnp.sum(images * jnp.log(1e-10 + rebuilt) + (1 - images) * jnp.log(1e-10 + 1 - rebuilt), axis=1)
    divergence = -0.5 * jnp.sum(1 + deviation - jnp.square(mean) - jnp.exp(deviation), axis=1)
    return jnp.mean(error + divergence)


def encoder_inference(name, batch, s):
    """The decoder as a generator, as in the example."""
    parameters = {part: shapes for part, shapes in encoder_shapes(s).items() if part in ("decoder", "output")}
    return inference_workload(name, "var_encoder", decode, parameters, {"latent": Argument((batch, s["latent"]))}, batch, s)


def encoder_training(name, batch, s):
    data = {"images": Argument((batch, s["inputs"])), "noise": Argument((batch, s["latent"]))}
    return training_workload(name, "var_encoder", encoder_loss, optax.rmsprop(0.001), encoder_shapes(s), data, batch, s)


var_encoder = {"inference": encoder_inference, "training": encoder_training}

#===------------------------------------------------------------------------===#
# Sizes
#===------------------------------------------------------------------------===#

# model: builders, batch size of the example, its sizes, small sizes
FEED_FORWARD = {
    "logistic": (logistic, 100, dict(inputs=784), dict(inputs=37)),
    "perceptron": (perceptron, 100, dict(inputs=784, hidden=256), dict(inputs=37, hidden=24)),
    "word2vec": (word2vec, 128, dict(vocabulary=50000, features=200, sampled=64), dict(vocabulary=61, features=20, sampled=7)),
    "var_encoder": (var_encoder, 64, dict(inputs=784, hidden=512, latent=2), dict(inputs=37, hidden=20, latent=2)),
}
RECURRENT = {
    "bi_rnn": (bi_rnn, 128, dict(length=28, inputs=28, hidden=128, classes=10), dict(length=5, inputs=7, hidden=16, classes=3)),
    "dyn_rnn": (dyn_rnn, 128, dict(length=20, inputs=1, hidden=64, classes=2), dict(length=5, inputs=1, hidden=16, classes=2)),
}

WORKLOADS = {}
for model, (builders, batch, base, small) in FEED_FORWARD.items():
    for mode, build in builders.items():
        for variant, size, sizes in (("small", 3, small), ("b1", 1, base), (f"b{batch}", batch, base)):
            WORKLOADS[f"{model}-{mode}-{variant}"] = (
                lambda name, build=build, size=size, sizes=sizes: build(name, size, sizes))
for model, (builders, batch, base, small) in RECURRENT.items():
    for mode, build in builders.items():
        for variant, size, sizes in (("small", 3, small), ("b1", 1, base), (f"b{batch}", batch, base)):
            for loops in LOOPS:
                WORKLOADS[f"{model}-{mode}-{variant}-{loops}"] = (
                    lambda name, build=build, size=size, sizes=sizes, loops=loops: build(name, size, sizes, loops))
