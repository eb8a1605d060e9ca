# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of PyTorch, by torchax (weights are arguments) and by torch-mlir (weights are resources of the file), as StableHLO and as linalg on
tensors."""
import contextlib
import os
import re
import tempfile
import warnings

import numpy as np
import torch

from exported import Exported, Refused
from torch_modules import MODELS

warnings.filterwarnings("ignore")


def outputs_of(module, inputs):
    with torch.no_grad():
        result = module(*inputs)
    return [array_of(t) for t in (result if isinstance(result, tuple) else (result,))]


def array_of(tensor):
    return tensor.detach().contiguous().numpy()


def reason(error, said=""):
    """The first error among what an exporter has said, or what it raised."""
    lines = [line for line in said.splitlines() if "error:" in line] or str(error).splitlines() or [""]
    text = re.sub(r"('[\w.]+').*", r"\1", lines[0].split("error: ", 1)[-1])
    return f"refused by the exporter: {text}".replace("|", "\\|")[:140]


def export_torchax(name, module, inputs, tolerance):
    import jax
    import jax.numpy as jnp
    from torchax import export

    expected = outputs_of(module, inputs)
    try:
        states, function = export.exported_program_to_jax(torch.export.export(module, inputs))
        arguments = (states, tuple(jnp.asarray(array_of(t)) for t in inputs))
        text = jax.jit(function, keep_unused=True).lower(*arguments).as_text()
    except Exception as error:  # whatever an exporter raises
        raise Refused("torchax", reason(error)) from None
    return Exported(name, "torchax", text.encode(), [np.asarray(x) for x in jax.tree.leaves(arguments)], expected, tolerance)


@contextlib.contextmanager
def standard_error_in(file):
    """The importer's passes explain themselves there, past Python."""
    before = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def export_torch_mlir(name, module, inputs, tolerance, output_type="stablehlo"):
    from torch_mlir import fx

    exporter = {"stablehlo": "torch-mlir", "linalg-on-tensors": "torch-mlir, linalg"}[output_type]
    expected = outputs_of(module, inputs)
    with tempfile.TemporaryFile() as said, standard_error_in(said):
        try:
            text = str(fx.export_and_import(module, *inputs, output_type=output_type))
        except Exception as error:  # whatever an exporter raises
            said.seek(0)
            raise Refused(exporter, reason(error, said.read().decode())) from None
    arrays = [array_of(t) for t in inputs]
    if output_type == "linalg-on-tensors":  # there integers have no sign
        arrays = [x.view(x.dtype.name.removeprefix("u")) if x.dtype.kind == "u" else x for x in arrays]
    return Exported(name, exporter, text.encode(), arrays, expected, tolerance)


def export_linalg(name, module, inputs, tolerance):
    return export_torch_mlir(name, module, inputs, tolerance, "linalg-on-tensors")


def make(export, name, maker, tolerance):
    torch.manual_seed(sum(map(ord, name)))
    module, inputs = maker()
    return export(name, module.eval(), inputs, tolerance)


def torch_makers():
    exporters = (export_torchax, export_torch_mlir, export_linalg)
    return [(name, lambda e=e, name=name, maker=maker, t=t: make(e, name, maker, t)) for name, maker, t in MODELS for e in exporters]
