# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models on disk, so that the next process does not compile them again.

A file for each, in the folder `models` of $STITCH_CACHE ("off": none), named after a hash of all that a compilation depends on: the model, its options, the
compiler, and the machine. It is a line of JSON - the checksum of what follows, figures and diagnostics - and the model file. A file appears
whole, by renaming; one that is broken is as good as none. What has not been used for longest is removed. The cache never makes a compilation fail.
"""
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import platform
import shutil
import tempfile
from collections.abc import Callable

from ._compiler import Diagnostic, Results
from ._library import library_path

_LIMIT = 1 << 30  # bytes
_SUFFIX = ".model"


def _folder() -> pathlib.Path | None:
    """As stitch-compile finds the one of kernels."""
    named = os.environ.get("STITCH_CACHE")
    if named == "off":
        return None
    if named:
        return pathlib.Path(named) / "models"
    base = os.environ.get("XDG_CACHE_HOME") or (os.path.join(os.environ["HOME"], ".cache") if os.environ.get("HOME") else None)
    return pathlib.Path(base) / "stitch" / "models" if base else None


@functools.cache
def _surroundings() -> str:
    """What a compilation depends on beside the model and its options."""
    files = [str(library_path("stitch")), shutil.which("ptxas") or "", shutil.which("cbc") or "", *(os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH"))]
    known = [(f, s.st_size, s.st_mtime_ns) for f in files if f and (s := os.stat(f))]
    try:
        processor = [line for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if line.startswith(("model name", "flags"))][:2]
    except OSError:
        processor = []
    return json.dumps([known, platform.machine(), platform.platform(), processor])


def _path(model: bytes, options: dict[str, str | bool | None]) -> pathlib.Path | None:
    folder = _folder()
    if folder is None or options.get("buckets"):  # which may name a file
        return None
    rules = options.get("rules")
    try:
        content = pathlib.Path(str(rules)).read_text(encoding="utf-8") if rules else ""
    except (OSError, UnicodeDecodeError):  # the compiler says what is wrong
        return None
    text = json.dumps([sorted(options.items()), content, _surroundings()])
    return folder / (hashlib.sha256(text.encode() + b"\n" + model).hexdigest() + _SUFFIX)


def _read(path: pathlib.Path, output: str) -> Results | None:
    """Puts the model file that is in an entry at `output`."""
    try:
        head, _, model = path.read_bytes().partition(b"\n")
        said = json.loads(head)
        if said["checksum"] != hashlib.sha256(model).hexdigest():
            return None
        pathlib.Path(output).write_bytes(model)
        os.utime(path)
        return Results(b"", "", said["figures"], [Diagnostic(**d) for d in said["diagnostics"]])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: pathlib.Path, output: str, results: Results) -> None:
    model = pathlib.Path(output).read_bytes()
    head = {"checksum": hashlib.sha256(model).hexdigest(), "figures": results.figures, "diagnostics": [dataclasses.asdict(d) for d in results.diagnostics]}
    temporary = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(head).encode() + b"\n" + model)
        os.replace(temporary, path)
        _trim(path.parent)
    except OSError:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def _trim(folder: pathlib.Path) -> None:
    """Removes those that have not been used for longest until the others fit."""
    entries = sorted(((s.st_mtime, s.st_size, p) for p in folder.glob(f"*{_SUFFIX}") if (s := p.stat())), key=lambda e: e[:2])
    total = sum(size for _, size, _ in entries)
    for _, size, path in entries:
        if total <= _LIMIT:
            break
        path.unlink(missing_ok=True)
        total -= size


def compiled(model: bytes, options: dict[str, str | bool | None], output: str, compile_it: Callable[[], Results]) -> Results:
    """What compile_it() makes, with the model file at `output`: now, or when it was made before."""
    path = _path(model, options)
    found = _read(path, output) if path else None
    if found is None:
        found = compile_it()
        if path:
            _write(path, output, found)
    return found
