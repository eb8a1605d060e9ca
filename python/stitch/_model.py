# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model on a device."""
import dataclasses
import html
import logging
import os
import pathlib
import re
import shutil
import tempfile
import threading
import time
import webbrowser
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _arrays, _compiler
from ._library import StitchError, check, ffi, runtime, text_of

_log = logging.getLogger("stitch")
_SLOW_SECONDS = 1.0
_said_slow = threading.Event()


@dataclasses.dataclass(frozen=True)
class Spec:
    """An input or output. A size that is open is the largest one in `shape`."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel as PTX."""

    name: str
    ptx: str


@dataclasses.dataclass(frozen=True)
class Step:
    """A launch or library call of a run, as it was measured."""

    name: str
    is_library_call: bool
    start_seconds: float
    seconds: float
    grid: int
    block: int
    shared_bytes: int


@dataclasses.dataclass(frozen=True)
class Source:
    """What a model was compiled from: bytes, or the file `options["name"]`."""

    model: bytes | None
    options: dict[str, str | bool | None]


def _specs(count: int, info_of: Callable[[int], Any]) -> tuple[Spec, ...]:
    infos = (info_of(i) for i in range(count))
    return tuple(Spec(text_of(i.name), tuple(i.dims[d] for d in range(i.rank)), _arrays.dtype_of(i.dtype)) for i in infos)


def _close(session: Any, model: Any, folder: str | None) -> None:
    runtime.stitchSessionFree(session)
    runtime.stitchModelFree(model)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


class Model:
    """A model that is ready to run: `outputs = model(*arrays)`.

    Arrays are those of NumPy or of any library that has DLPack; outputs are NumPy's on the CPU, and `DeviceTensor`s on a GPU. Several
    threads may call it: they take turns.
    """

    def __init__(self, path: str | os.PathLike[str], device: str = "simt", *, adapt: bool = False, stream: int = 0,
                 source: Source | None = None, results: _compiler.Results | None = None, folder: str | None = None) -> None:
        self._path, self._source, self._results, self._lock = os.fspath(path), source, results, threading.Lock()
        self.device = device
        model, session = ffi.new("StitchModel **"), ffi.new("StitchSession **")
        kept = ffi.new("char[]", device.encode())
        options = ffi.new("StitchSessionOptions *")
        options.device, options.adaptive.explore, options.cuda.stream = kept, adapt, ffi.cast("void *", stream)
        try:
            check(runtime.stitchModelLoad(self._path.encode(), model))
            check(runtime.stitchSessionCreate(model[0], options, session))
        except StitchError:
            _close(session[0], model[0], folder)
            raise
        self._model, self._session = model[0], session[0]
        self._finalizer = weakref.finalize(self, _close, session[0], model[0], folder)
        self.inputs = _specs(runtime.stitchModelNumInputs(self._model), lambda i: runtime.stitchModelInput(self._model, i))
        self.outputs = _specs(runtime.stitchModelNumOutputs(self._model), lambda i: runtime.stitchModelOutput(self._model, i))
        self._output_infos = [runtime.stitchModelOutput(self._model, i) for i in range(len(self.outputs))]
        self._largest_shapes = [spec.shape for spec in self.outputs]
        self._num_symbols = runtime.stitchModelNumSymbols(self._model)
        self._tensors = ffi.new("StitchTensor[]", len(self.inputs) + len(self.outputs) + 1)
        self._fixed: tuple[Any, list[Any]] | None = None

    @property
    def session(self) -> int:
        """The address of the StitchSession, for handlers in C."""
        return int(ffi.cast("uintptr_t", self._session))

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """Runs the model once."""
        begin = time.perf_counter()
        with self._lock:
            outputs, kept = self._prepare(arrays)
            first_output = self._tensors + len(self.inputs)
            check(runtime.stitchSessionRun(self._session, self._tensors, len(self.inputs), first_output, len(self.outputs)))
            _arrays.unpack(kept[len(self.inputs):])
        if self.device == "simt" and time.perf_counter() - begin > _SLOW_SECONDS and not _said_slow.is_set():
            _said_slow.set()
            _log.warning("the device simt runs each GPU thread on the CPU: it is for checking, not for speed")
        return outputs

    def updated(self, index: int) -> int | None:
        """The output that may be in the memory of an input, which it is an update of (`updated` in runtime/stitch_runtime.h)."""
        output: int = runtime.stitchModelInput(self._model, index).updated
        return output if output >= 0 else None

    def run_at(self, addresses: Sequence[int], gpu: int | None = None) -> None:
        """Runs the model once on inputs and outputs at addresses: dense, aligned to 16 bytes, in the memory of a GPU or of the host. Of a model without
        open sizes."""
        with self._lock:
            if self._fixed is None:
                self._fixed = self._fixed_tensors()
            tensors, _dims = self._fixed
            for i, address in enumerate(addresses):
                tensors[i].data = ffi.cast("void *", address)
                tensors[i].memory, tensors[i].memoryId = (runtime.STITCH_MEMORY_HOST, 0) if gpu is None else (runtime.STITCH_MEMORY_CUDA, gpu)
            count = len(self.inputs)
            check(runtime.stitchSessionRun(self._session, tensors, count, tensors + count, len(self.outputs)))

    def _fixed_tensors(self) -> tuple[Any, list[Any]]:
        """Inputs and outputs without their data, and what has to live as long."""
        if self._num_symbols:
            raise StitchError("the model has open sizes", "STITCH_FAILED_PRECONDITION")
        infos = [*(runtime.stitchModelInput(self._model, i) for i in range(len(self.inputs))), *self._output_infos]
        tensors, dims = ffi.new("StitchTensor[]", len(infos) + 1), []
        for tensor, info in zip(tensors[0:len(infos)], infos, strict=True):
            dims.append(ffi.new("int64_t[]", [info.dims[d] for d in range(info.rank)]))
            tensor.dtype, tensor.rank, tensor.dims = info.dtype, info.rank, dims[-1]
        return tensors, dims

    def profile(self, *arrays: Any) -> list[Step]:
        """Runs the model once and measures each step."""
        steps, count = ffi.new("StitchProfileStep **"), ffi.new("int64_t *")
        with self._lock:
            _outputs, _kept = self._prepare(arrays)
            first_output = self._tensors + len(self.inputs)
            check(runtime.stitchSessionProfile(self._session, self._tensors, len(self.inputs), first_output, len(self.outputs), steps, count))
            measured = steps[0][0:count[0]]
            result = [Step(text_of(s.name), s.isLibraryCall, s.startSeconds, s.seconds, s.grid, s.block, s.sharedBytes) for s in measured]
        _libc.free(steps[0])
        return result

    def _prepare(self, arrays: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
        """Outputs, and what has to live during the run, whose tensors are set."""
        if len(arrays) != len(self.inputs):
            raise TypeError(f"the model has {len(self.inputs)} inputs, and {len(arrays)} are given")
        kept = [_arrays.view(array, self._tensors + i) for i, array in enumerate(arrays)]
        outputs = []
        for i, shape in enumerate(self._output_shapes()):
            outputs.append(self._output(i, shape))
            tensor = self._tensors + len(self.inputs) + i
            output = outputs[-1]
            kept.append(output.view(tensor) if isinstance(output, _arrays.DeviceTensor) else _arrays.view(output, tensor))
        return tuple(outputs), kept

    def _output(self, index: int, shape: tuple[int, ...]) -> Any:
        if self.device.startswith("cuda"):
            return _arrays.DeviceTensor(self._session, self._output_infos[index].dtype, shape)
        return _arrays.empty(shape, self.outputs[index].dtype)

    def _output_shapes(self) -> Sequence[tuple[int, ...]]:
        """Of a model with open sizes, those that follow from the inputs."""
        if not self._num_symbols:
            return self._largest_shapes
        values, shapes = ffi.new("int64_t[]", self._num_symbols), []
        check(runtime.stitchModelReadSizes(self._model, self._tensors, values))
        for shape, info in zip(self._largest_shapes, self._output_infos):
            is_open = info.sizes != ffi.NULL
            shapes.append(tuple(runtime.stitchModelSize(self._model, info.sizes[d], values) for d in range(info.rank)) if is_open else shape)
        return shapes

    @property
    def stats(self) -> dict[str, Any]:
        """Figures of the compilation: fusions, launches, bytes moved, cost, seconds."""
        return dict(self._need_source("figures", self._results).figures)

    @property
    def diagnostics(self) -> list[_compiler.Diagnostic]:
        """Warnings and, where asked for, remarks of the compilation."""
        return list(self._need_source("diagnostics", self._results).diagnostics)

    @property
    def kernels(self) -> list[Kernel]:
        """The kernels as PTX, for the first sm_ target, or for sm_90."""
        source = self._need_source("kernels as PTX", self._source)
        targets = [t for t in str(source.options.get("target") or "").split(",") if t.startswith("sm_")]
        text = _compiler.run(source.model, "STITCH_EMIT_PTX", {**source.options, "target": (targets or ["sm_90"])[0], "output": None}).text.decode()
        parts = re.split(r"^(?=\.visible \.entry )|^(?=\s*// \.globl)", text, flags=re.M)
        named = [(re.search(r"\.entry (\w+)", part), part) for part in parts]
        return [Kernel(match[1], part.strip()) for match, part in named if match]

    def _page(self) -> str:
        source = self._need_source("a report", self._source)
        return _compiler.run(source.model, "STITCH_EMIT_REPORT", {**source.options, "output": None, "report": True}).report

    def _repr_html_(self) -> str | None:
        """What a notebook shows: the page, in a frame, so that its style stays its own."""
        return f'<iframe srcdoc="{html.escape(self._page())}" width="100%" height="800"></iframe>' if self._source else None

    def report(self, path: str | os.PathLike[str] | None = None, *, show: bool = True) -> pathlib.Path:
        """Writes the page that shows what is stitched and how (to a temporary file without `path`), and opens it in a browser."""
        page = self._page()
        if path is None:
            descriptor, path = tempfile.mkstemp(prefix="stitch-", suffix=".html")
            os.close(descriptor)
        result = pathlib.Path(path)
        result.write_text(page, encoding="utf-8")
        if show:
            webbrowser.open(result.resolve().as_uri())
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keeps the model file, for stitch.load, stitch-run and libstitch_runtime."""
        shutil.copyfile(self._path, path)

    def _need_source(self, what: str, thing: Any) -> Any:
        if thing is None:
            raise StitchError(f"a model that was loaded from a file has no {what}", "STITCH_FAILED_PRECONDITION")
        return thing

    def __repr__(self) -> str:
        def texts(specs: tuple[Spec, ...]) -> str:
            return ", ".join(f"{s.name}: {s.dtype}{list(s.shape)}" for s in specs)

        return f"<stitch.Model ({texts(self.inputs)}) -> ({texts(self.outputs)}) on {self.device}>"


_c = type(ffi)()
_c.cdef("void free(void *);")
_libc: Any = _c.dlopen(None)


def device_target(device: str) -> str:
    """What kernels are compiled for if a model is to run on a device."""
    if not device.startswith("cuda"):
        return "none" if device == "reference" else "simt"
    name, architecture = ffi.new("char[]", device.encode()), ffi.new("int *")
    check(runtime.stitchDeviceArchitecture(ffi.new("StitchSessionOptions *", {"device": name}), architecture))
    return f"sm_{architecture[0]}"
