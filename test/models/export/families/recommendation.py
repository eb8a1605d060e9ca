# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wide & Deep (Cheng et al. 2016) and DeepFM (Guo et al. 2017): deepctr-torch's WDL and DeepFM on Criteo's 26 categorical
and 13 numeric features, with MindSpore's sizes, which APOLLO measured."""
import jax.numpy as jnp
import optax
from deepctr_torch.inputs import DenseFeat, SparseFeat
from deepctr_torch.models import WDL, DeepFM
from torchax.interop import torch_view

import torch_models
import training
from workload import Argument, Workload, index, package, with_role

CATEGORICAL, NUMERIC = 26, 13
BASE = dict(rows=7114, embedding=80, hidden=[1024, 512, 256, 128])  # 184964 rows in all tables together
SMALL = dict(rows=23, embedding=6, hidden=[20, 12])
MODELS = {"wide_deep": WDL, "deepfm": DeepFM}
# APOLLO's table 4 measures training at both sizes, table 7 inference of Wide & Deep at the smaller one.
BATCHES = {"wide_deep": {"inference": (16000,), "training": (16000, 32000)},
           "deepfm": {"inference": (8192,), "training": (8192, 16384)}}


class Features:
    """What deepctr-torch takes columns from. It wants one float tensor, from which it converts the categories back to
    integers; here they are integers from the start."""

    def __init__(self, categories, numbers):
        self.categories, self.numbers = categories, numbers
        self.shape = numbers.shape
        self.new_zeros = numbers.new_zeros

    def __getitem__(self, position):
        _, columns = position
        if columns.start < CATEGORICAL:
            return self.categories[:, columns]
        return self.numbers[:, columns.start - CATEGORICAL : columns.stop - CATEGORICAL]


def make_model(model, sizes):
    columns = [SparseFeat(f"C{i}", sizes["rows"], embedding_dim=sizes["embedding"]) for i in range(CATEGORICAL)]
    columns += [DenseFeat(f"I{i}", 1) for i in range(NUMERIC)]
    return MODELS[model](columns, columns, dnn_hidden_units=tuple(sizes["hidden"]), device="cpu")


def probability(module, parameters, categories, numbers):
    features = lambda: Features(torch_view(categories), torch_view(numbers))
    return torch_models.apply_to(module, parameters, {}, features)[0][:, 0]


def data_arguments(batch, sizes):
    return {"categories": index((batch, CATEGORICAL), sizes["rows"]), "numbers": Argument((batch, NUMERIC))}


def facts(model, mode, batch, sizes):
    return {"model": model, "mode": mode, "batch_size": batch, "sizes": sizes,
            "source": package("deepctr-torch", MODELS[model].__name__), "papers": ["APOLLO, tables 4 and 7"]}


def inference(name, model, batch, sizes):
    module = make_model(model, sizes).eval()
    parameters, _ = torch_models.state_shapes(module)
    function = lambda parameters, **data: {"probability": probability(module, parameters, **data)}
    arguments = {"parameters": with_role(parameters, "parameter"), **data_arguments(batch, sizes)}
    return Workload(name, function, arguments, facts(model, "inference", batch, sizes))


def train(name, model, batch, sizes):
    module = make_model(model, sizes).train()
    parameters, _ = torch_models.state_shapes(module)

    def loss(parameters, clicked, **data):
        p = probability(module, parameters, **data)
        return -jnp.mean(clicked * jnp.log(p + 1e-7) + (1 - clicked) * jnp.log(1 - p + 1e-7))

    data = {**data_arguments(batch, sizes), "clicked": Argument((batch,), role="label")}
    optimizer = optax.adagrad(0.01)
    return Workload(name, training.step(loss, optimizer), training.arguments(parameters, optimizer, data),
                    facts(model, "training", batch, sizes))


WORKLOADS = {}
for model in MODELS:
    for mode, build in (("inference", inference), ("training", train)):
        for variant, batch, sizes in (("small", 3, SMALL), ("b1", 1, BASE),
                                      *((f"b{batch}", batch, BASE) for batch in BATCHES[model][mode])):
            WORKLOADS[f"{model}-{mode}-{variant}"] = (
                lambda name, build=build, model=model, batch=batch, sizes=sizes: build(name, model, batch, sizes))
