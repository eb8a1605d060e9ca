# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compilation: stitchCompile with Python's strings, exceptions and KeyboardInterrupt."""
import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any

from ._library import StitchError, compiler, ffi, take_failure, text_of

_SEVERITIES = ("error", "warning", "note", "remark")


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """What the compiler has said: of functions traced by JAX, `file` and `line` are the caller's Python."""

    severity: str
    message: str
    location: str
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.severity}: {self.message}" if self.location else f"{self.severity}: {self.message}"


class CompileError(StitchError):
    """A model that cannot be compiled. `diagnostics` is all that was said; `file`, `line` and `column` are those of the first error."""

    def __init__(self, error: StitchError, diagnostics: list[Diagnostic]) -> None:
        super().__init__(str(error), error.code)
        self.diagnostics = diagnostics
        first = next((d for d in diagnostics if d.severity == "error"), None)
        self.file = first.file if first else None
        self.line = first.line if first else None
        self.column = first.column if first else None


@dataclasses.dataclass(frozen=True)
class Results:
    """What a compilation has made beside the model file."""

    text: bytes
    report: str
    figures: dict[str, Any]
    diagnostics: list[Diagnostic]


def _diagnostic(said: Any) -> Diagnostic:
    location = text_of(said.location)
    place = re.fullmatch(r"(.+):(\d+):(\d+)", location)
    file, line, column = (place[1], int(place[2]), int(place[3])) if place else (None, None, None)
    return Diagnostic(_SEVERITIES[said.severity], text_of(said.message), location, file, line, column)


class _Listener:
    """Hears diagnostics and stages. An exception of a callback, KeyboardInterrupt among them, cancels the compilation."""

    def __init__(self, on_stage: Callable[[str], object] | None) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.exception: BaseException | None = None
        self._on_stage = on_stage
        self.diagnostic = ffi.callback("void(void *, const StitchDiagnostic *)", self._hear, onerror=self._fail)
        self.stage = ffi.callback("bool(void *, const char *)", self._begin, error=False, onerror=self._fail)

    def _hear(self, _data: Any, said: Any) -> None:
        self.diagnostics.append(_diagnostic(said))

    def _begin(self, _data: Any, name: Any) -> bool:
        if self._on_stage:
            self._on_stage(text_of(name))
        return self.exception is None

    def _fail(self, _kind: Any, exception: BaseException, _traceback: Any) -> None:
        self.exception = self.exception or exception


def _text(text: Any) -> bytes:
    return bytes(ffi.buffer(text.data, text.size)) if text.data else b""


def _options(kept: list[Any], options: dict[str, str | bool | None]) -> Any:
    """StitchCompileOptions; `kept` keeps its memory."""
    result = ffi.new("StitchCompileOptions *")
    for name, value in options.items():
        if isinstance(value, str):
            kept.append(ffi.new("char[]", value.encode()))
            setattr(result, name, kept[-1])
        elif value is not None:
            setattr(result, name, value)
    return result


def run(model: bytes | None, emit: str, options: dict[str, str | bool | None], on_stage: Callable[[str], object] | None = None) -> Results:
    """Compiles. `options` are those of StitchCompileOptions, `emit` is one of StitchEmit; no model: the file `name`."""
    listener = _Listener(on_stage)
    kept: list[Any] = [listener]
    c = _options(kept, options)
    if model is not None:
        kept.append(ffi.from_buffer(model))
        c.model, c.modelSize = kept[-1], len(model)
    c.emit = getattr(compiler, emit)
    c.onDiagnostic, c.onStage = listener.diagnostic, listener.stage
    compilation = ffi.new("StitchCompilation **")
    try:
        status = compiler.stitchCompile(c, compilation)
        error = take_failure(status, compiler) if status else None
        if listener.exception:
            raise listener.exception
        if error:
            raise CompileError(error, listener.diagnostics)
        figures = json.loads(_text(compiler.stitchCompilationFigures(compilation[0])))
        report = _text(compiler.stitchCompilationReport(compilation[0])).decode()
        return Results(_text(compiler.stitchCompilationText(compilation[0])), report, figures, listener.diagnostics)
    finally:
        compiler.stitchCompilationFree(compilation[0])
