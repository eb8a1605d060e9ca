# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stitch.jax.jit among JAX's transformations."""
import functools
import gc
import threading
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stitch.jax


def layer(x, w):
    return jax.nn.softmax(jnp.tanh(x @ w), axis=-1)


def loss(x, w):
    return jnp.sum(layer(x, w) ** 2)


@pytest.fixture
def xw(rng):
    return rng.standard_normal((16, 8)).astype(np.float32), rng.standard_normal((8, 12)).astype(np.float32)


def close(found, expected):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected)


def test_call(xw):
    close(stitch.jax.jit(layer)(*xw), layer(*xw))


def test_inside_jit(xw):
    stitched = stitch.jax.jit(layer)
    close(jax.jit(lambda x, w: stitched(x * 2, w).sum(0) + 1)(*xw), layer(xw[0] * 2, xw[1]).sum(0) + 1)


def test_inside_scan(xw):
    stitched, x = stitch.jax.jit(jnp.tanh), xw[0]
    close(jax.lax.scan(lambda c, _: (stitched(c), c.sum()), x, None, length=3), jax.lax.scan(lambda c, _: (jnp.tanh(c), c.sum()), x, None, length=3))


def test_nested(xw):
    inner = stitch.jax.jit(lambda x: x * 2)
    outer = stitch.jax.jit(lambda x: inner(x).sum() + 1)
    close([outer(xw[0]), jax.grad(outer)(xw[0])], [xw[0].sum() * 2 + 1, np.full_like(xw[0], 2)])


@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
def test_grad(xw, argnums):
    close(jax.grad(stitch.jax.jit(loss), argnums)(*xw), jax.grad(loss, argnums)(*xw))


def test_value_and_grad_inside_jit(xw):
    close(jax.jit(jax.value_and_grad(stitch.jax.jit(loss)))(*xw), jax.value_and_grad(loss)(*xw))


def test_vjp(xw):
    found, back = jax.vjp(stitch.jax.jit(layer), *xw)
    expected, expected_back = jax.vjp(layer, *xw)
    close((found, back(found)), (expected, expected_back(expected)))


def test_second_gradient(xw):
    def second(f):
        return jax.grad(lambda x: jnp.sum(jax.grad(f)(x, xw[1]) ** 2))(xw[0])

    close(second(stitch.jax.jit(loss)), second(loss))


def test_gradient_beside_integers(xw):
    def pick(x, i):
        return x[i].sum(), i + 1

    indices = np.array([3, 1])
    found = jax.grad(lambda x: stitch.jax.jit(pick)(x, indices)[0])(xw[0])
    close(found, jax.grad(lambda x: pick(x, indices)[0])(xw[0]))


@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (0, 0), (1, None)])
def test_vmap(xw, in_axes):
    x, w = (np.stack([a, a * 0.5, -a], axis) if axis is not None else a for a, axis in zip(xw, in_axes, strict=True))
    close(jax.vmap(stitch.jax.jit(layer), in_axes)(x, w), jax.vmap(layer, in_axes)(x, w))


def test_vmap_of_grad_and_grad_of_vmap(xw):
    xs, w = np.stack([xw[0], -xw[0]]), xw[1]
    stitched = stitch.jax.jit(loss)
    close(jax.vmap(jax.grad(stitched), (0, None))(xs, w), jax.vmap(jax.grad(loss), (0, None))(xs, w))
    close(jax.grad(lambda w: jax.vmap(stitched, (0, None))(xs, w).sum())(w), jax.grad(lambda w: jax.vmap(loss, (0, None))(xs, w).sum())(w))


def test_pytrees_and_keywords(xw):
    def f(tree, *, scale):
        return {"sum": tree["x"] + tree["pair"][1], "pair": (tree["pair"][0] * scale,), "none": None}

    tree = {"x": xw[0], "pair": (xw[1], 2.5), "unused": np.ones(3)}
    found = stitch.jax.jit(f)(tree, scale=3.0)
    assert jax.tree.structure(found) == jax.tree.structure(f(tree, scale=3.0))
    close(found, f(tree, scale=3.0))


def test_static_arguments(xw):
    f = lambda x, axis: x.sum(axis)  # noqa: E731
    stitched = stitch.jax.jit(f, static_argnums=1)
    close([stitched(xw[0], 0), stitched(xw[0], 1)], [xw[0].sum(0), xw[0].sum(1)])


def test_donated_arguments():
    x = jnp.arange(64.0)
    y = stitch.jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert x.is_deleted()
    close(y, np.arange(64) + 1.0)


def test_closures(xw):
    w = jnp.asarray(xw[1])
    close(stitch.jax.jit(lambda x: layer(x, w))(xw[0]), layer(xw[0], w))
    close(jax.jit(lambda x, w: stitch.jax.jit(lambda x: layer(x, w))(x))(*xw), layer(*xw))


def test_compiled_once_for_each_signature(xw, monkeypatch):
    runs = []
    run = stitch._compiler.run
    monkeypatch.setattr(stitch._compiler, "run", lambda *args: runs.append(1) or run(*args))
    stitched = stitch.jax.jit(jnp.tanh)
    for x in (xw[0], xw[0] * 2, xw[1], xw[0]):
        stitched(x)
    assert len(runs) == 2


def test_scalars_and_empty_arrays():
    close(stitch.jax.jit(lambda x, n: x * n)(2.0, 3), 6.0)
    assert stitch.jax.jit(lambda x: x + 1)(np.zeros((0, 4), np.float32)).shape == (0, 4)


def test_random_key_is_refused():
    with pytest.raises(TypeError, match="key_data"):
        stitch.jax.jit(lambda k: jax.random.normal(k, (3,)))(jax.random.key(0))


def test_random_numbers_are_those_of_jax():
    f = lambda data: jax.random.normal(jax.random.wrap_key_data(data), (32,))  # noqa: E731
    data = jax.random.key_data(jax.random.key(3))
    close(stitch.jax.jit(f)(data), f(data))


def test_error_names_the_line_of_the_caller():
    def wrong(x):
        y = jnp.sin(x)
        return jnp.fft.fft(jnp.linalg.eigvals(y))

    with pytest.raises(Exception, match="geev") as caught:
        stitch.jax.jit(wrong)(np.eye(3, dtype=np.float32))
    assert isinstance(caught.value, stitch.CompileError) and caught.value.diagnostics


def test_threads(xw):
    stitched, results = stitch.jax.jit(layer), [None] * 8

    def work(i):
        for _ in range(5):
            results[i] = stitched(xw[0] * i, xw[1])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    close(results, [layer(xw[0] * i, xw[1]) for i in range(8)])


def test_model_is_released(xw):
    calls = weakref.WeakSet()
    init = stitch.jax._Call.__init__

    @functools.wraps(init)
    def remember(self, *args):
        init(self, *args)
        calls.add(self)

    stitch.jax._Call.__init__ = remember
    try:
        stitch.jax.jit(lambda x: jnp.exp(x) * 3)(xw[0])
        assert len(calls) == 1
    finally:
        stitch.jax._Call.__init__ = init
    jax.clear_caches()
    gc.collect()
    assert not calls
