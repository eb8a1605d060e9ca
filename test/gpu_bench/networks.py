#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two definitions of each small model of bench/gpu/networks, in JAX and in PyTorch, compute the same.

usage: networks.py jax FILE.npz [NAME...]       (with a Python that has JAX) draws inputs, runs the models in f32, and keeps both
       networks.py torch FILE.npz               (with one that has PyTorch) runs them on the same inputs and compares
       networks.py text FOLDER [NAME...]        writes the StableHLO text of the named models, of any size
"""
import dataclasses
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "gpu"))
import networks  # noqa: E402

TOLERANCE = 2e-4  # of f32 sums in another order, through a few layers, over the largest magnitude


def in_f32(network):
    return dataclasses.replace(network, arguments={name: dataclasses.replace(a, dtype="f32" if a.dtype in ("bf16", "f16") else a.dtype)
                                                   for name, a in network.arguments.items()})


def draw(network, seed):
    import arrays
    memory = arrays.HostArrays()
    memory.seed(seed)
    return networks.make_inputs(memory, network)


def small(names):
    found = {name: in_f32(n) for name, n in networks.all_networks().items() if name in names or (not names and name.startswith("small_"))}
    if not found:
        sys.exit("networks.py: no such model")
    return found


def in_jax(path, names):
    import jax
    kept = {}
    for number, (name, network) in enumerate(small(names).items()):
        inputs, function = draw(network, number), network.in_jax()
        outputs = jax.jit(lambda *a: function(dict(zip(network.arguments, a))))(*inputs)
        kept |= {f"{name}/in/{i}": x for i, x in enumerate(inputs)} | {f"{name}/out/{i}": np.asarray(x) for i, x in enumerate(outputs)}
    np.savez(path, **kept)


def in_torch(path):
    import torch
    kept, failed = np.load(path), 0
    for name in dict.fromkeys(key.split("/")[0] for key in kept):
        network = in_f32(networks.all_networks()[name])
        inputs = [torch.from_numpy(kept[f"{name}/in/{i}"].copy()) for i in range(len(network.arguments))]
        outputs, worst = networks.torch_function(network)(*inputs), 0.0
        expected = [kept[key] for key in kept if key.startswith(f"{name}/out/")]
        assert len(expected) == len(outputs), f"{name}: {len(expected)} results in JAX, {len(outputs)} in PyTorch"
        for a, b in zip(outputs, expected):
            a = a.detach().float().numpy()
            assert a.shape == b.shape, f"{name}: {b.shape} in JAX, {a.shape} in PyTorch"
            worst = max(worst, float(np.abs(a - b).max()) / max(float(np.abs(b).max()), 1e-30))
        failed += not worst <= TOLERANCE
        print(f"{name}: {len(outputs)} results, differ by {worst:.1e}{'' if worst <= TOLERANCE else ': TOO MUCH'}")
    sys.exit(1 if failed else 0)


def main():
    command, path, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    if command == "jax":
        in_jax(path, names)
    elif command == "torch":
        in_torch(path)
    else:
        for name in names or networks.all_networks():
            with open(os.path.join(path, f"{name}.mlir"), "w") as file:
                file.write(networks.stablehlo(networks.all_networks()[name]))


if __name__ == "__main__":
    main()
