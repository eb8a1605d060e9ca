# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as parts of other programs: a folder that stitch-compile --emit=kernel-library writes (docs/kernel_libraries.md)."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from . import _compiler
from ._library import StitchError


class KernelLibrary:
    """A kernel library on disk. `library(*arrays)` calls its first function: of PyTorch for tensors, else of JAX; the bindings are built when they
    are needed first, which takes make and a C compiler."""

    def __init__(self, folder: pathlib.Path, diagnostics: list[_compiler.Diagnostic], temporary: str | None = None) -> None:
        self.folder, self.diagnostics = folder, diagnostics
        description = next(path for path in sorted(folder.glob("*.json")))
        self.description: dict[str, Any] = json.loads(description.read_text(encoding="utf-8"))
        self.name: str = self.description["library"]
        self._modules: dict[str, types.ModuleType] = {}
        if temporary:
            self._finalizer = weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    @property
    def functions(self) -> list[str]:
        """Names of its functions."""
        return [function["name"] for function in self.description["functions"]]

    def build(self, *arguments: str) -> None:
        """Runs make in the folder: `build()` makes the library, `build("check", "SEED=1")` runs its tests on a GPU."""
        done = subprocess.run(["make", "-s", "-C", str(self.folder), *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise StitchError(f"make fails in {self.folder}: {done.stderr or done.stdout}", "STITCH_FAILED_PRECONDITION")

    @property
    def torch(self) -> types.ModuleType:
        """Its functions as operators of PyTorch."""
        if "torch" not in self._modules:
            self.build()
            self._load("torch")
        return self._modules["torch"]

    @property
    def jax(self) -> types.ModuleType:
        """Its functions as functions of JAX."""
        if "jax" not in self._modules:
            import jax

            self.build("jax", f"JAX={jax.ffi.include_dir()}")
            self._load("jax")
        return self._modules["jax"]

    def _load(self, kind: str) -> None:
        name = f"{self.name}_{kind}"
        spec = importlib.util.spec_from_file_location(name, self.folder / f"{name}.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._modules[kind] = module

    def __call__(self, *arrays: Any) -> Any:
        is_torch = "torch" in sys.modules and any(isinstance(array, sys.modules["torch"].Tensor) for array in arrays)
        return getattr(self.torch if is_torch else self.jax, self.functions[0])(*arrays)

    def __repr__(self) -> str:
        return f"<stitch.KernelLibrary {self.name} ({', '.join(self.functions)}) in {self.folder}>"


def make(artifact: bytes | None, folder: str | os.PathLike[str] | None, name: str, options: dict[str, str | bool | None],
         on_stage: Callable[[str], object] | None) -> KernelLibrary:
    """Compiles a module, or the file `options["name"]`. Without a folder it is one that goes with the library."""
    around = tempfile.mkdtemp(prefix="stitch-") if folder is None else None
    path = pathlib.Path(around) / name if around else pathlib.Path(os.fspath(folder))  # type: ignore[arg-type]
    try:
        results = _compiler.run(artifact, "STITCH_EMIT_KERNEL_LIBRARY", {**options, "output": str(path)}, on_stage)
        return KernelLibrary(path, results.diagnostics, around)
    except BaseException:
        if around:
            shutil.rmtree(around, ignore_errors=True)
        raise


def identifier(name: str) -> str:
    """A function's name as one of C: that of a lambda is "function"."""
    letters = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name).strip("_")
    return letters if letters and letters != "lambda" and not letters[0].isdigit() else "function"


def functions_of(function: Callable[..., Any], args: Sequence[Any], gradient: bool) -> bytes:
    """A module with a function of JAX under its own name, and with its gradient."""
    from . import jax as stitch_jax

    name = identifier(getattr(function, "__name__", "function"))
    functions = {name: (function, args)}
    if gradient:
        functions[f"{name}_gradient"] = stitch_jax.gradient_of(function, args)
    return stitch_jax.export_functions(functions)
