# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stitch.kernel: libraries of functions of JAX, and their bindings for JAX on the tests' double of the CUDA driver."""
import gc
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import SOURCE

import stitch
from stitch import _kernel

X, SCALE = jax.ShapeDtypeStruct((24, 96), jnp.float32), jax.ShapeDtypeStruct((96,), jnp.float32)


def rms_norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return stitch.kernel(rms_norm, (X, SCALE), tmp_path_factory.mktemp("kernel") / "rms", gradient=True)


def test_folder(library):
    assert library.name == "rms" and library.functions == ["rms_norm", "rms_norm_gradient"]
    forward, gradient = library.description["functions"]
    assert [t["name"] for t in forward["inputs"]] == ["x", "scale"] and forward["gradient"] == "rms_norm_gradient"
    assert len(gradient["inputs"]) == 3 and len(gradient["outputs"]) == 2
    header = (library.folder / "rms.h").read_text(encoding="utf-8")
    assert "const float *x, const float *scale, float *out0," in header and "//   x: f32[24, 96]\n" in header
    assert (library.folder / "rms_norm.sm_90.ptx").exists() and (library.folder / "test" / "check.c").exists()
    assert repr(library).startswith("<stitch.KernelLibrary rms (rms_norm, rms_norm_gradient) in ")


def run_on_double(library, code, artifact):
    """A script for which kernels of the library are those of model files."""
    models = []
    for function in library.functions:
        models.append(str(library.folder.parent / f"{function}.so"))
        stitch.compile(artifact, target="simt,sm_90", entry=function).save(models[-1])
    environment = {**os.environ, "STITCH_CUDA_LIBRARIES": os.path.join(os.environ["STITCH_BUILD"], "test", "cuda_double", "all"),
                   "STITCH_CUDA_DOUBLE": ",".join(f"model={path}" for path in models), "PYTHONPATH": str(SOURCE / "python")}
    script = f"import pathlib, sys\nfrom stitch import KernelLibrary\nlibrary = KernelLibrary(pathlib.Path({str(library.folder)!r}), [])\n{code}"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_jax(library):
    artifact = _kernel.functions_of(rms_norm, (X, SCALE), True)
    said = run_on_double(library, """
import jax, jax.numpy as jnp, numpy as np
def rms_norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale
r = np.random.default_rng(3)
x, scale, w = (r.standard_normal(shape).astype(np.float32) for shape in ((24, 96), (96,), (24, 96)))
np.testing.assert_allclose(library(x, scale), rms_norm(x, scale), rtol=1e-5, atol=1e-6)
np.testing.assert_allclose(jax.jit(lambda x: library(x + 1, scale) * 2)(x), rms_norm(x + 1, scale) * 2, rtol=1e-5, atol=1e-6)
mine, theirs = (jax.grad(lambda x, s: (f(x, s) * w).sum(), argnums=(0, 1))(x, scale) for f in (library, rms_norm))
for a, b in zip(mine, theirs):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
for wrong in ((x[:5], scale), (x.astype(np.float16), scale), (x,)):
    try:
        library(*wrong)
        print('no error')
    except TypeError as error:
        print(error)
try:
    jax.grad(lambda x: library.jax.rms_norm_gradient(x, scale, w)[0].sum())(x)
except NotImplementedError as error:
    print(error)
""", artifact)
    assert said.splitlines() == [
        "rms.rms_norm: 'x' has the shape (5, 96), not (24, 96)",
        "rms.rms_norm: 'x' is f32 of 2 dimensions, not float16 of 2",
        "rms.rms_norm takes 2 arrays, and 1 are given",
        "rms.rms_norm_gradient has no gradient: the library was made without a function rms_norm_gradient_gradient",
    ]


def test_open_sizes(tmp_path):
    (b,) = jax.export.symbolic_shape("b")
    shape = jax.ShapeDtypeStruct((b, 96), jnp.float32)
    library = stitch.kernel(rms_norm, (shape, SCALE), tmp_path / "open", dims="b=1..64", buckets="b:8,64", cubins=False, reference=False)
    assert "int64_t b, const float *" in (library.folder / "open.h").read_text(encoding="utf-8") and not (library.folder / "test").exists()
    text = _kernel.functions_of(rms_norm, (shape, SCALE), False)
    model = library.folder.parent / "rms_norm.so"
    stitch.compile(text, target="simt,sm_90", dims="b=1..64", buckets="b:8,64").save(model)
    code = f"""
import pathlib, jax, jax.numpy as jnp, numpy as np
from stitch import KernelLibrary
library = KernelLibrary(pathlib.Path({str(library.folder)!r}), [])
for rows in (1, 8, 9, 64):
    x, scale = np.random.default_rng(rows).standard_normal((rows, 96)).astype(np.float32), np.ones(96, np.float32)
    np.testing.assert_allclose(library(x, scale), x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6), rtol=1e-5)
try:
    library(np.zeros((65, 96), np.float32), scale)
except Exception as error:
    print(str(error).splitlines()[0])
"""
    environment = {**os.environ, "STITCH_CUDA_LIBRARIES": os.path.join(os.environ["STITCH_BUILD"], "test", "cuda_double", "all"),
                   "STITCH_CUDA_DOUBLE": f"model={model}", "PYTHONPATH": str(SOURCE / "python")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "rms_norm: b is 65, and must be from 1 to 64" in done.stdout


def test_temporary(scratch):
    library = stitch.kernel(lambda x: x * 2, (X,), cubins=False, reference=False)
    assert library.name == "function" and library.folder.exists()
    folder = library.folder
    del library
    gc.collect()
    assert not folder.exists() and not list(scratch.iterdir())


def test_errors(tmp_path):
    with pytest.raises(stitch.CompileError, match="'tg.dot' op is computed by a call of a library") as error:
        stitch.kernel(lambda x: x @ x, (jax.ShapeDtypeStruct((512, 512), jnp.float32),), tmp_path / "product")
    assert error.value.file == __file__ and not (tmp_path / "product").exists()
    with pytest.raises(TypeError, match="gradient=True is for a function"):
        stitch.kernel("model.mlir", gradient=True)
    library = stitch.kernel(lambda x: x + 1, (np.ones(8, np.float32),), tmp_path / "plus", cubins=False, reference=False)
    with pytest.raises(stitch.StitchError, match="make fails"):
        library.build("no-such-target")
