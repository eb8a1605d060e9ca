# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax.numpy's functions, stitched, beside NumPy's results."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import stitch.jax

ONE, POSITIVE, UNIT, TWO, BOOLS, INTS = "one", "positive", "unit", "two", "bools", "ints"

ELEMENTWISE = [
    *((name, ONE) for name in ("abs", "exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "floor", "ceil",
                               "trunc", "rint", "sign", "negative", "square", "cbrt", "isnan", "isinf", "isfinite", "signbit", "sinc", "deg2rad")),
    *((name, POSITIVE) for name in ("log", "log2", "log10", "log1p", "sqrt", "reciprocal")),
    *((name, UNIT) for name in ("arcsin", "arccos", "arctanh")),
    *((name, TWO) for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "arctan2", "hypot", "logaddexp", "copysign", "fmod",
                               "remainder", "floor_divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "heaviside")),
    *((name, BOOLS) for name in ("logical_and", "logical_or", "logical_xor")),
    *((name, INTS) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "gcd", "power")),
]
REDUCTIONS = ["sum", "mean", "prod", "max", "min", "std", "var", "argmax", "argmin", "any", "all", "cumsum", "cumprod", "ptp", "median", "nanmax",
              "nansum", "count_nonzero"]
SHAPES = {
    "transpose": lambda np, x: np.transpose(x), "reshape": lambda np, x: np.reshape(x, (8, 6)), "flip": lambda np, x: np.flip(x, 1),
    "roll": lambda np, x: np.roll(x, 3, axis=1), "tile": lambda np, x: np.tile(x, (2, 3)), "repeat": lambda np, x: np.repeat(x, 2, axis=0),
    "pad": lambda np, x: np.pad(x, ((1, 2), (3, 0))), "concatenate": lambda np, x: np.concatenate([x, x * 2], axis=1),
    "stack": lambda np, x: np.stack([x, -x]), "split": lambda np, x: np.split(x, 3, axis=0)[1], "diff": lambda np, x: np.diff(x, axis=1),
    "triu": lambda np, x: np.triu(x), "tril": lambda np, x: np.tril(x, -1), "diagonal": lambda np, x: np.diagonal(x),
    "where": lambda np, x: np.where(x > 0, x, x * 2), "clip": lambda np, x: np.clip(x, -0.5, 0.5), "sort": lambda np, x: np.sort(x, axis=1),
    "take": lambda np, x: np.take(x, np.array([5, 0, 2]), axis=1), "outer": lambda np, x: np.outer(x[0], x[:, 1]),
    "matmul": lambda np, x: np.matmul(x, x.T), "einsum": lambda np, x: np.einsum("ij,kj->ik", x, x), "slice": lambda np, x: x[1:5:2, ::-1],
    "broadcast_to": lambda np, x: np.broadcast_to(x[:, :1], (6, 8)), "expand_dims": lambda np, x: np.expand_dims(x, 1) + x,
    "cross": lambda np, x: np.cross(x[:, :3], x[:, 3:6]), "interp": lambda np, x: np.interp(x[0], np.array([-1.0, 0.0, 1.0]), np.array([0.0, 2.0, 1.0])),
}


def arguments(kind: str, rng: np.random.Generator) -> list[np.ndarray]:
    x, y = (rng.standard_normal((6, 8)).astype(np.float32) for _ in range(2))
    small = [rng.integers(0, 7, (6, 8)).astype(np.int32) for _ in range(2)]
    return {ONE: [x], POSITIVE: [np.abs(x) + 0.1], UNIT: [np.tanh(x)], TWO: [x, y], BOOLS: [x > 0, y > 0], INTS: small}[kind]


def compare(found, expected) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    if found.dtype.kind in "fc":
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name,kind", ELEMENTWISE, ids=[name for name, _ in ELEMENTWISE])
def test_elementwise(name, kind, rng):
    given = arguments(kind, rng)
    compare(stitch.jax.jit(getattr(jnp, name))(*given), getattr(np, name)(*given))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(name, axis, rng):
    x = arguments(ONE, rng)[0]
    compare(stitch.jax.jit(lambda x: getattr(jnp, name)(x, axis=axis))(x), getattr(np, name)(x, axis=axis))


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name, rng):
    x = arguments(ONE, rng)[0]
    compare(stitch.jax.jit(lambda x: SHAPES[name](jnp, x))(x), SHAPES[name](np, x))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "complex64",
                                   "float8_e4m3fn", "float8_e5m2"])
def test_dtype(dtype, rng):
    x = jnp.asarray(rng.integers(0, 2 if dtype == "bool" else 7, (5, 7))).astype(dtype)
    function = lambda x: (jnp.where(x == x[0, 0], x, x[:1]), x.T)  # noqa: E731
    for found, expected in zip(stitch.jax.jit(function)(x), function(x), strict=True):
        assert found.dtype == expected.dtype == dtype
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "complex128"])
def test_wide_dtype(dtype, rng):
    with jax.enable_x64(True):
        x = rng.integers(0, 100, (5, 7)).astype(dtype)
        found = stitch.jax.jit(lambda x: x * x + 1)(x)
        assert found.dtype == dtype
        np.testing.assert_allclose(np.asarray(found), x * x + 1)


@pytest.mark.parametrize("dtype", ["int2", "int4", "uint2", "uint4", "float4_e2m1fn", "float6_e2m3fn", "float8_e8m0fnu"])
@pytest.mark.parametrize("shape", [(4, 8), (3, 5)])
def test_small_dtype(dtype, shape):
    """Elements of two and four bits are packed in memory, XLA's, too; NumPy has a byte for each."""
    kind = np.dtype(getattr(ml_dtypes, dtype))
    x = (np.arange(np.prod(shape)) % 3).reshape(shape).astype(kind)
    function = lambda x: (x.T, x.astype(jnp.float32) * 2)  # noqa: E731
    model = stitch.compile(function, [x])
    for found, expected in zip(model(x), (x.T, x.astype(np.float32) * 2), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.astype(np.float32), expected.astype(np.float32))
    if not dtype.startswith("float6"):  # which JAX has no arrays of
        found = stitch.jax.jit(function)(jnp.asarray(x))
        np.testing.assert_array_equal(np.asarray(found[0]).astype(np.float32), x.T.astype(np.float32))


def test_packed_bytes():
    """The first element is in the lowest bits of a byte."""
    model = stitch.compile(lambda x: (x + x.dtype.type(1), x.astype(jnp.int32)), [jax.ShapeDtypeStruct((5,), jnp.int4)])
    room = np.zeros(256, np.uint8)
    memory = room[-room.__array_interface__["data"][0] % 16:]  # aligned as models want it
    address = memory.__array_interface__["data"][0]
    memory[:3] = [0x21, 0xF3, 0x77]
    model.run_at([address, address + 64, address + 128])
    assert list(memory[64:67]) == [0x32, 0x04, 0x08]
    assert list(memory[128:148].view(np.int32)) == [1, 2, 3, -1, 7]
