#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of kernel libraries by their bindings for PyTorch or JAX: the bits that calls from C compute of the same random inputs.

usage: kernel_bindings.py torch|jax FOLDER...       what test/programs/kernel_library.py --bindings runs, on the double of the CUDA driver
"""
import ctypes
import importlib
import json
import math
import os
import subprocess
import sys

import ml_dtypes
import numpy as np

WIDE = {"f64": "float64", "f32": "float32", "f16": "float16", "i1": "bool", "ui8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui32": "uint32"}
NARROW = {"bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}


def dtype_of(spec):
    return np.dtype(NARROW.get(spec["type"]) or WIDE[spec["type"]])


def draw(random, spec):
    dtype = dtype_of(spec)
    is_float = spec["type"] in NARROW or dtype.kind == "f"
    return np.asarray(random.standard_normal(spec["sizes"]) if is_float else random.integers(0, 2, spec["sizes"])).astype(dtype)


def call_in_c(library, name, handle, number, entry, inputs):
    outputs = [np.zeros(spec["sizes"], dtype_of(spec)) for spec in entry["outputs"]]
    arrays = [*map(np.ascontiguousarray, inputs), *outputs]
    tensors = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    status = getattr(library, f"{name}_call_on_host")(handle, number, None, tensors)
    if status:
        sys.exit(getattr(library, f"{name}_message")().decode())
    return outputs


def call_by_torch(function, inputs):
    import torch

    def to_torch(array):
        if array.dtype.kind != "V" and array.dtype.isbuiltin:
            return torch.from_numpy(array.copy())
        bits = torch.from_numpy(np.ascontiguousarray(array).view(f"uint{8 * array.dtype.itemsize}").copy())
        return bits.view(getattr(torch, array.dtype.name))

    results = function(*map(to_torch, inputs))
    results = results if isinstance(results, tuple) else (results,)
    return [r.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if r.numel() else b"" for r in results]


def call_by_jax(function, inputs):
    import jax

    return [np.asarray(r).tobytes() for r in jax.tree.leaves(jax.jit(function)(*inputs))]


def check_library(folder, framework):
    name = os.path.basename(folder)
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
        functions = json.load(file)["functions"]
    if framework == "jax":
        import jax

        subprocess.run(["make", "-s", "-C", folder, "jax", f"JAX={jax.ffi.include_dir()}"], check=True)
    sys.path.insert(0, folder)
    module = importlib.import_module(f"{name}_{framework}")
    library, handle = ctypes.CDLL(os.path.join(folder, f"lib{name}.so")), ctypes.c_void_p()
    getattr(library, f"{name}_message").restype = ctypes.c_char_p
    if getattr(library, f"{name}_load")(0, ctypes.byref(handle)):
        sys.exit(getattr(library, f"{name}_message")().decode())
    count, random = 0, np.random.default_rng(5)
    for number, entry in enumerate(functions):
        inputs = [draw(random, spec) for spec in entry["inputs"]]
        expected = call_in_c(library, name, handle, number, entry, inputs)
        found = (call_by_torch if framework == "torch" else call_by_jax)(getattr(module, entry["name"]), inputs)
        for spec, mine, theirs in zip(entry["outputs"], found, expected, strict=True):
            if mine != theirs.tobytes():
                sys.exit(f"{name}: {entry['name']}: '{spec['name']}' is not what C computes")
            count += math.prod(spec["sizes"]) > 0
    getattr(library, f"{name}_unload")(handle)
    print(f"{name}: {count} results by {framework}", flush=True)


def main():
    framework, *folders = sys.argv[1:]
    if framework == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
    for folder in folders:
        check_library(folder, framework)


if __name__ == "__main__":
    main()
