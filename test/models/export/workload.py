# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A workload: a JAX function, what its arguments mean, and where the model comes from.

Written as two files: StableHLO text without weights, workloads/NAME.mlir.xz (NAME.mlir for plain text), and NAME.json beside
it, which says what one has to know to run it.
"""
import dataclasses
import importlib.metadata
import json
import lzma
import os
import re
import typing

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Argument:
    """Shape and meaning of an argument; a pytree of these describes the arguments of a workload."""

    shape: tuple
    dtype: object = jnp.float32
    role: str = "input"  # input, parameter, state (of the optimizer or a recurrence), index, mask, label
    high: int | None = None  # an index or label is an integer in [0, high)

    @property
    def struct(self):
        return jax.ShapeDtypeStruct(self.shape, self.dtype)


def index(shape, high):
    """Positions in a table of `high` rows."""
    return Argument(tuple(shape), jnp.int32, "index", high)


def label(shape, high):
    """Classes of which there are `high`."""
    return Argument(tuple(shape), jnp.int32, "label", high)


def mask(shape, dtype=jnp.bool_):
    """Zeros and ones."""
    return Argument(tuple(shape), dtype, "mask")


def with_role(tree, role):
    """The shapes of a pytree as arguments of that role."""
    return jax.tree.map(lambda leaf: Argument(tuple(leaf.shape), leaf.dtype, role), tree)


def is_argument(node):
    return isinstance(node, Argument)


def structs(tree):
    """What jax.eval_shape and jax.jit take for a pytree of arguments."""
    return jax.tree.map(lambda argument: argument.struct, tree, is_leaf=is_argument)


@dataclasses.dataclass
class Workload:
    """`function` takes the values of `arguments`, a dictionary, by name; it returns a dictionary."""

    name: str
    function: typing.Callable
    arguments: dict
    facts: dict  # model, mode, batch_size, loops, sizes, source, papers
    plain: bool = False  # not compressed


def package(name, what):
    """The source of a model that a public package defines."""
    return {"package": name, "version": importlib.metadata.version(name), "definition": what}


def paper(citation):
    """The source of a model that no package defines, written after the paper."""
    return {"paper": citation}


#===------------------------------------------------------------------------===#
# Files
#===------------------------------------------------------------------------===#


def path_name(path):
    """A leaf's place in the pytree, in words: parameters.encoder.weight."""
    return ".".join(str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", key)))) for key in path)


def name_arguments(text, names):
    """Gives each argument of @main its name as a location."""
    start = text.index("@main(") + len("@main(")
    end = text.index(") -> ", start)
    parts = re.split(r", (?=%arg\d+: )", text[start:end])
    if len(parts) != len(names):
        raise AssertionError(f"{len(parts)} arguments in the text, {len(names)} in the description")
    signature = ", ".join(f'{part} loc("{name}")' for part, name in zip(parts, names))
    return text[:start] + signature + text[end:]


def type_name(leaf):
    element = {"bool": "i1", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int32": "i32", "uint32": "ui32"}
    return "tensor<" + "".join(f"{size}x" for size in leaf.shape) + element[jnp.dtype(leaf.dtype).name] + ">"


def describe_argument(path, argument):
    entry = {"name": path_name(path), "type": type_name(argument), "role": argument.role}
    if argument.high is not None:
        entry["range"] = [0, argument.high]
    return entry


def describe(workload, results):
    """The JSON text: one line for each fact, argument and result."""
    leaves = jax.tree_util.tree_flatten_with_path(workload.arguments, is_leaf=is_argument)[0]
    arguments = [describe_argument(path, argument) for path, argument in leaves]
    outputs = [{"name": path_name(path), "type": type_name(leaf)}
               for path, leaf in jax.tree_util.tree_flatten_with_path(results)[0]]
    lines = [f' "{key}": {json.dumps(value)}' for key, value in {"name": workload.name, **workload.facts}.items()]
    for key, entries in (("arguments", arguments), ("results", outputs)):
        lines.append(f' "{key}": [\n' + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def text_of(workload):
    """The StableHLO text, and the shapes of the results."""
    function = lambda arguments: workload.function(**arguments)
    function.__name__ = workload.name.replace("-", "_")  # of the module
    traced = jax.jit(function, keep_unused=True).trace(structs(workload.arguments))
    leaves = jax.tree_util.tree_flatten_with_path(workload.arguments, is_leaf=is_argument)[0]
    return name_arguments(traced.lower().as_text(), [path_name(path) for path, _ in leaves]), traced.out_info


def write(workload, folder):
    """Writes both files; returns the path of the text and its sizes, plain and as written."""
    text, results = text_of(workload)
    data = text.encode()
    path = os.path.join(folder, "" if workload.plain else "workloads", workload.name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".json", "w") as file:
        file.write(describe(workload, results))
    if workload.plain:
        file_name, written = path + ".mlir", data
    else:
        file_name, written = path + ".mlir.xz", lzma.compress(data, format=lzma.FORMAT_XZ, preset=9)
    with open(file_name, "wb") as file:
        file.write(written)
    return file_name, len(data), len(written)
