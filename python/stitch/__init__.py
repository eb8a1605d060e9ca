# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stitch turns the memory-intensive parts of machine-learning models into a few fast GPU kernels.

    model = stitch.compile(function, (x, y))       # traced by JAX
    model = stitch.compile(module, (x, y))         # of PyTorch, exported with its weights
    model = stitch.compile("model.mlir")           # StableHLO, TOSA, linalg or tg, as text, bytecode or portable artifact
    outputs = model(x, y)                          # arrays of NumPy, JAX, PyTorch, ...
    stitched = stitch.jax.jit(function)            # a function of JAX, stitched
    library = stitch.kernel(function, (x, y), "lib/name")   # its kernels as C, PTX and bindings, for programs without Stitch

`python -m stitch info` says what there is.
"""
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

from . import _cache, _compiler, _kernel
from ._arrays import DeviceTensor
from ._compiler import CompileError, Diagnostic
from ._kernel import KernelLibrary
from ._library import StitchError, compiler as _library, runtime as _runtime, names as _names, text_of as _text_of
from ._model import Kernel, Model, Source, Spec, Step, device_target

__all__ = [
    "CompileError", "DeviceTensor", "Diagnostic", "Kernel", "KernelLibrary", "Model", "Spec", "Step", "StitchError", "compile", "devices", "kernel", "load", "planned_devices"
]
__version__: str = _text_of(_library.stitchCompilerVersion())


def devices() -> list[str]:
    """Names of the devices that models run on."""
    return _names(_runtime.stitchDeviceNames())


def planned_devices() -> list[str]:
    """Names of the GPUs that plans are made for."""
    return _names(_library.stitchCompilerDevices())


def load(path: str | os.PathLike[str], device: str = "simt", *, adapt: bool = False) -> Model:
    """A model file, made by `Model.save` or stitch-compile, on a device."""
    return Model(path, device, adapt=adapt)


def _model_of(model: Any, example_args: Sequence[Any] | None) -> tuple[bytes | None, str]:
    """A model's bytes and its name; no bytes: a file."""
    if not isinstance(example_args, (tuple, list, NoneType)):
        raise TypeError(f"example_args are a tuple, with an element for each argument, not {type(example_args).__name__}")
    if "torch" in sys.modules and isinstance(model, sys.modules["torch"].nn.Module):
        from . import torch as stitch_torch

        return stitch_torch.export(model, *(example_args or ())).encode(), type(model).__name__
    if callable(model):
        from . import jax as stitch_jax

        return stitch_jax.export(model, *(example_args or ())).artifact, getattr(model, "__name__", "function")
    if example_args is not None:
        raise TypeError("example_args are for a function; a text or file says itself what it takes")
    if isinstance(model, (bytes, bytearray)):
        return bytes(model), "model"
    if isinstance(model, str) and "\n" in model:
        return model.encode(), "model"
    if isinstance(model, (str, os.PathLike)):
        return None, os.fspath(model)
    raise TypeError(f"a model is a function, module, text, bytes or path, not {type(model).__name__}")


def compile(model: Any, example_args: Sequence[Any] | None = None, *, device: str = "simt", target: str | None = None,  # pylint: disable=redefined-builtin
            plan: str | None = None, adapt: bool = False, checks: bool = False, remarks: bool = False, entry: str | None = None,
            dims: str | None = None, buckets: str | None = None, plan_device: str | None = None, pipeline: str | None = None,
            rules: str | os.PathLike[str] | None = None, partial_rules: bool = False, donate: Mapping[int, int] | None = None, stream: int = 0,
            name: str | None = None, on_stage: Callable[[str], object] | None = None) -> Model:
    """Compiles a model for a device.

    model: a function that JAX can trace with `example_args` (arrays or jax.ShapeDtypeStruct), whose arguments and results the model
        has flat (stitch.jax.jit keeps their structure); a torch.nn.Module, whose weights become constants of the model; the text of StableHLO, TOSA, linalg or tg (of several
        lines); bytes, text or bytecode or a portable artifact; or the path of a file.
    device: where it runs: "simt", "cuda", "cuda:1", "reference".
    target: what kernels are compiled for, such as "simt,sm_90"; otherwise what the device needs.
    plan: "best", "astitch", ...: docs/plans.md.  adapt: measure versions of it while it works (docs/adaptive.md).
    checks: check accesses to memory on simt (docs/checks.md).  remarks: have decisions in Model.diagnostics.
    entry, dims, plan_device, pipeline: as --entry, --dim, --device, --pipeline of stitch-compile.
    rules: a file that decides what is one kernel, what is not, and how values travel (docs/rules.md).  partial_rules: one that is about nothing in the
        model is a warning; it is for another one.
    buckets: a program for each bucket of the open sizes of `dims`: "5", "b:13,18,128" (docs/dynamic_shapes.md).
    donate: {argument: result}, as --donate: the caller does not need the argument behind a run, and the result may be in its memory. Where
        Model.updated(argument) is the result, Model.run_at takes one address for both, and copies nothing.
    stream: the CUstream that runs are put on, of a GPU; 0: one of its own.
    name: of the model in messages.  on_stage: is told each stage of the compilation; an exception of it cancels.

    Raises CompileError with the place in the caller's Python, if the model was traced from there.
    """
    artifact, own_name = _model_of(model, example_args)
    passes = " ".join(p for p in (f"plan={plan}" if plan else "", pipeline or "") if p)
    options: dict[str, str | bool | None] = {
        "name": own_name if artifact is None else name or own_name, "target": target or device_target(device), "device": plan_device,
        "entry": entry, "dims": dims, "buckets": buckets, "pipeline": passes or None,
        "donate": ",".join(f"{argument}:{result}" for argument, result in (donate or {}).items()) or None,
        "rules": os.fspath(rules) if rules is not None else None, "partialRules": partial_rules, "adaptive": adapt, "checks": checks, "remarks": remarks,
        "noReference": device != "reference", "noGraphs": True,
    }
    folder = tempfile.mkdtemp(prefix="stitch-")
    path = os.path.join(folder, "model.so")
    try:
        def compile_it() -> _compiler.Results:
            return _compiler.run(artifact, "STITCH_EMIT_MODEL", {**options, "output": path}, on_stage)

        # A file may include others, and a callback wants to hear of stages.
        results = compile_it() if artifact is None or on_stage else _cache.compiled(artifact, options, path, compile_it)
        return Model(path, device, adapt=adapt, stream=stream, source=Source(artifact, options), results=results, folder=folder)
    except BaseException:  # KeyboardInterrupt too, wherever it comes
        shutil.rmtree(folder, ignore_errors=True)
        raise


def kernel(function: Any, example_args: Sequence[Any] | None = None, folder: str | os.PathLike[str] | None = None, *, targets: str = "sm_90",
           gradient: bool = False, plan: str | None = None, entry: str | None = None, dims: str | None = None, buckets: str | None = None,
           plan_device: str | None = None, pipeline: str | None = None, cubins: bool = True, reference: bool = True, remarks: bool = False,
           name: str | None = None, on_stage: Callable[[str], object] | None = None) -> KernelLibrary:
    """Compiles a function to a kernel library: a folder with C, PTX, cubins, bindings and tests that need no Stitch (docs/kernel_libraries.md).

    function, example_args: as of stitch.compile; of a function of JAX the one in the library has its name.
    folder: where it goes, whose name is the library's; otherwise it is one that goes with the KernelLibrary.
    targets: the GPUs that there are kernels for, "sm_80,sm_90".
    gradient: the library has the gradient of the function, too, with which its bindings can be differentiated.
    cubins: also as machine code, where ptxas is found.  reference: with a test program.
    All else: as of stitch.compile.

    Raises CompileError where something else than launches of kernels is needed, such as a library's matrix product.
    """
    is_function = callable(function) and not ("torch" in sys.modules and isinstance(function, sys.modules["torch"].nn.Module))
    if gradient and not is_function:
        raise TypeError("gradient=True is for a function that JAX can trace; a text has a function FUNCTION_gradient")
    artifact: bytes | None
    if is_function:
        artifact, own_name = _kernel.functions_of(function, example_args or (), gradient), getattr(function, "__name__", "function")
    else:
        artifact, own_name = _model_of(function, example_args)
    passes = " ".join(p for p in (f"plan={plan}" if plan else "", pipeline or "") if p)
    options: dict[str, str | bool | None] = {
        "name": own_name if artifact is None else name or own_name, "target": targets, "device": plan_device, "entry": entry, "dims": dims,
        "buckets": buckets, "pipeline": passes or None, "remarks": remarks, "noReference": not reference, "noCubins": not cubins,
    }
    return _kernel.make(artifact, folder, _kernel.identifier(os.path.basename(own_name).split(".")[0]), options, on_stage)
