# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libstitch and libstitch_runtime, opened by cffi.

cffi reads the declarations from the C headers that the libraries come with, so that there is no second copy of them that could be wrong.
Libraries and headers are in this package where it is a wheel; $STITCH_BUILD names the build folder of a working tree.
"""
import os
import pathlib
import re
from typing import Any

import cffi

PACKAGE = pathlib.Path(__file__).resolve().parent
_HEADERS = ("runtime/status.h", "runtime/adaptive.h", "runtime/dlpack.h", "runtime/stitch_runtime.h", "stitch_compiler.h")
_NEEDS = "Stitch needs LLVM and MLIR 22, oneDNN and cJSON: on Debian, apt-get install libmlir-22 lld-22 libdnnl2 libcjson1"


class StitchError(Exception):
    """Something that libstitch or libstitch_runtime could not do. `code` is the name of its StitchStatusCode."""

    def __init__(self, message: str, code: str = "STITCH_INTERNAL") -> None:
        super().__init__(message)
        self.code = code


def _folders() -> tuple[pathlib.Path, dict[str, pathlib.Path]]:
    """Where the headers are, and each library."""
    build = os.environ.get("STITCH_BUILD")
    if build is None:
        return PACKAGE / "include", {name: PACKAGE / "lib" for name in ("stitch", "stitch_runtime", "stitch_jax")}
    root = pathlib.Path(build).resolve()
    return PACKAGE.parent.parent, {"stitch": root / "compiler", "stitch_runtime": root / "runtime", "stitch_jax": root / "python"}


def _declarations(header: str) -> str:
    """A C header as cffi takes it: without the preprocessor's lines and what only compilers want to know."""
    text = re.sub(r"//[^\n]*", "", header)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^#[^\n]*$", "", text, flags=re.M)
    return re.sub(r"__attribute__\(\(.*?\)\)\)", "", text, flags=re.S)


def library_path(name: str) -> pathlib.Path:
    """The file of one of the libraries."""
    folder = _folders()[1][name]
    return min(folder.glob(f"lib{name}.so.[0-9]*"), default=folder / f"lib{name}.so")


def _open(name: str) -> Any:
    path = library_path(name)
    try:
        return ffi.dlopen(str(path))
    except OSError as error:
        what = _NEEDS if path.exists() else "the package is not built: pip install ., or set STITCH_BUILD to a build folder"
        raise ImportError(f"cannot load {path}: {error}. {what}") from error


ffi: Any = cffi.FFI()
for _header in _HEADERS:
    try:
        ffi.cdef(_declarations((_folders()[0] / _header).read_text(encoding="utf-8")))
    except OSError as _error:
        raise ImportError(f"cannot read {_error.filename}: the package is not built: pip install .") from _error
runtime: Any = _open("stitch_runtime")
compiler: Any = _open("stitch")


def text_of(data: Any) -> str:
    """A C string; NULL is empty."""
    return ffi.string(data).decode("utf-8", "replace") if data else ""


def take_failure(status: Any, library: Any = runtime) -> StitchError:
    """The exception for a status that is not NULL, which is released."""
    error = StitchError(text_of(library.stitchStatusMessage(status)), ffi.string(ffi.cast("StitchStatusCode", library.stitchStatusCode(status))))
    library.stitchStatusFree(status)
    return error


def check(status: Any) -> None:
    """Raises if a function of the runtime has failed."""
    if status:
        raise take_failure(status)


def names(array: Any) -> list[str]:
    """Texts up to a NULL."""
    result: list[str] = []
    while array[len(result)]:
        result.append(text_of(array[len(result)]))
    return result
