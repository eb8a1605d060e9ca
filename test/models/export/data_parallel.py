#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""APOLLO's five training workloads, data-parallel: programs of several processes, each with a part of the batch.

usage: data_parallel.py --output DIR [--processes N ...] [--small] [NAME ...]

Of each workload the step of one process with the whole batch (NAME.mlir), and for each N that of N processes (NAME-pN.mlir): the same loss and optimizer, with the
mean of gradients over the processes, and of what else is a mean over the batch (the statistics of normalizations, the number of words that count). NAME.json has the
arguments: type, role, range, and the dimension along which a process has a part, or null. Runs in the environment that setup.sh makes.
"""
import argparse
import json
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, PartitionSpec  # noqa: E402

import training  # noqa: E402
from families import bert, recommendation, transformer, yolov3  # noqa: E402
from workload import describe_argument, is_argument, structs  # noqa: E402

# Name -> batch of APOLLO's table 4, batch of a small one, and what builds it for a batch.
WORKLOADS = {
    "bert-f16": (32, lambda name, batch: bert.train(name, batch, 128, bert.BASE, jnp.float16), lambda name, batch: bert.train(name, batch, 11, bert.SMALL, jnp.float16)),
    "transformer": (16, lambda name, batch: transformer.train(name, batch, 128, transformer.BASE), lambda name, batch: transformer.train(name, batch, 7, transformer.SMALL)),
    "wide_deep": (16000, lambda name, batch: recommendation.train(name, "wide_deep", batch, recommendation.BASE),
                  lambda name, batch: recommendation.train(name, "wide_deep", batch, recommendation.SMALL)),
    "yolov3": (8, lambda name, batch: yolov3.train(name, batch, yolov3.BASE), lambda name, batch: yolov3.train(name, batch, yolov3.SMALL)),
    "deepfm": (8192, lambda name, batch: recommendation.train(name, "deepfm", batch, recommendation.BASE),
               lambda name, batch: recommendation.train(name, "deepfm", batch, recommendation.SMALL)),
}
SMALL_BATCH = 8
AXIS = "batch"


def text_of(function, arguments):
    return jax.jit(lambda arguments: function(**arguments), keep_unused=True).lower(structs(arguments)).as_text()


def split_dimensions(whole, part):
    """Of each argument the dimension that differs between both batches; None: none does."""
    dimensions = []
    for a, b in zip(*(jax.tree.leaves(w.arguments, is_leaf=is_argument) for w in (whole, part)), strict=True):
        different = [i for i, (m, n) in enumerate(zip(a.shape, b.shape, strict=True)) if m != n]
        assert len(different) <= 1, (a, b)
        dimensions.append(different[0] if different else None)
    return dimensions


def spread(name, build, batch, processes):
    """The text of one process's step, and the arguments' dimensions."""
    whole, part = build(name, batch), build(name, batch // processes)
    dimensions = split_dimensions(whole, part)
    tree = jax.tree.structure(whole.arguments, is_leaf=is_argument)
    specs = tree.unflatten([PartitionSpec() if d is None else PartitionSpec(*[None] * d, AXIS) for d in dimensions])
    mesh = Mesh(np.array(jax.devices()[:processes]), (AXIS,))
    step = jax.shard_map(lambda arguments: part.function(**arguments), mesh=mesh, in_specs=(specs,), out_specs=PartitionSpec(), check_vma=False)
    training.axis = AXIS
    try:
        return text_of(lambda **arguments: step(arguments), whole.arguments), dimensions
    finally:
        training.axis = None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(WORKLOADS))
    parser.add_argument("--output", required=True)
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--small", action="store_true", help="a few layers, and a batch of 8: what the CPU runs")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    for name in options.names:
        batch, full, small = WORKLOADS[name]
        batch, build = (SMALL_BATCH, small) if options.small else (batch, full)
        path = os.path.join(options.output, name)
        whole = build(name, batch)
        with open(f"{path}.mlir", "w", encoding="utf-8") as file:
            file.write(text_of(whole.function, whole.arguments))
        for processes in options.processes:
            text, dimensions = spread(name, build, batch, processes)
            with open(f"{path}-p{processes}.mlir", "w", encoding="utf-8") as file:
                file.write(text)
        leaves = jax.tree_util.tree_flatten_with_path(whole.arguments, is_leaf=is_argument)[0]
        entries = [{**describe_argument(where, argument), "split": dimension} for (where, argument), dimension in zip(leaves, dimensions, strict=True)]
        with open(f"{path}.json", "w", encoding="utf-8") as file:
            json.dump({"name": name, "batch": batch, "arguments": entries}, file, indent=1)
        print(f"{name}: batch {batch}, for {', '.join(map(str, options.processes))} processes", flush=True)


if __name__ == "__main__":
    main()
