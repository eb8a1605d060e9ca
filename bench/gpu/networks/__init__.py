# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models at the sizes that people run, each written twice: in JAX, as Stitch and XLA get it, and in PyTorch, for torch.compile and as the reference.

No weights: arguments are drawn where they are needed. A file of this folder has one kind of models; its NETWORKS are what it offers. Neither JAX nor PyTorch
is imported before a function is made: each is needed on one of the two machines only.
"""
import dataclasses
import importlib
import os
import pkgutil
import typing


@dataclasses.dataclass(frozen=True)
class Argument:
    """A tensor that the model gets. `kind`: normal, times `scale`; positive (uniform in [0.5, 1.5)); index (an integer in [low, high))."""

    shape: tuple
    dtype: str = "bf16"  # as MLIR has it
    kind: str = "normal"
    scale: float = 1.0
    low: int = 0
    high: int = 0


def weight(inputs, *others, dtype="bf16"):
    """A factor [inputs, others...] of a product over its first dimension: results are as large as the other factor."""
    return Argument((inputs, *others), dtype, scale=inputs**-0.5)


def ones(size, dtype="bf16"):
    """The scale of a normalisation."""
    return Argument((size,), dtype, "positive")


def index(shape, high, low=0):
    return Argument(tuple(shape), "i32", "index", low=low, high=high)


@dataclasses.dataclass(frozen=True)
class Network:
    """`arguments`: name -> Argument, in order. `in_jax` and `in_torch` import their framework and give a function that takes a dictionary of arrays by these
    names and returns a list of arrays; both compute the same, in the arguments' type, with sums, normalisations and softmax in f32 (f64 if the arguments are f64)."""

    arguments: dict
    in_jax: typing.Callable
    in_torch: typing.Callable
    written: str  # after which published model
    unread: int = 0  # bytes of the arguments that nobody has to read: rows of tables, experts that are not chosen


def all_networks():
    """name -> Network, of all files of this folder, in their order."""
    found = {}
    for module in sorted(pkgutil.iter_modules([os.path.dirname(os.path.abspath(__file__))]), key=lambda m: m.name):
        found.update(importlib.import_module(f"{__name__}.{module.name}").NETWORKS)
    return found


def make_inputs(arrays, network):
    """Random arguments on the device, a list; `arrays` is one of arrays.py."""
    made = []
    for argument in network.arguments.values():
        if argument.kind == "normal":
            made.append(arrays.normal(argument.shape, argument.dtype, argument.scale))
        elif argument.kind == "positive":
            made.append(arrays.uniform(argument.shape, argument.dtype, 0.5, 1.5))
        else:
            made.append(arrays.integers(argument.shape, argument.dtype, argument.low, argument.high))
    return made


def stablehlo(network):
    """The text, as JAX lowers the function of the flat list of arguments."""
    import jax
    import jax.numpy as jnp
    types = {"bf16": jnp.bfloat16, "f16": jnp.float16, "f32": jnp.float32, "i32": jnp.int32}
    function, names = network.in_jax(), list(network.arguments)

    def main(*arrays):
        return function(dict(zip(names, arrays)))

    structs = [jax.ShapeDtypeStruct(a.shape, types[a.dtype]) for a in network.arguments.values()]
    return jax.jit(main, keep_unused=True).lower(*structs).as_text()


def torch_function(network):
    """Of the flat list of arguments."""
    function, names = network.in_torch(), list(network.arguments)
    return lambda *arrays: function(dict(zip(names, arrays)))
