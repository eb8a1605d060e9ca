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
from jax.experimental import xla_metadata

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


def test_handlers_are_known_by_the_names_of_xla(xw):
    """A plugin of XLA takes the handlers that are registered for its platform, by the name that it has for it: "CUDA"."""
    from jaxlib import xla_client
    stitch.jax.jit(layer)(*xw)  # loads the library
    pending = xla_client._custom_callback.get("CUDA", [])  # pylint: disable=protected-access
    assert "stitch_call_gpu" in [name for name, *_ in pending]


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


def decode(cache, row, position, *, scale=None):
    """A step that puts a row into each of two caches and reads one of them."""
    keys = jax.lax.dynamic_update_slice(cache["keys"], row, (position, 0))
    values = jax.lax.dynamic_update_slice(cache["values"], row * 2, (position, 0))
    return (row @ keys.T * (1.0 if scale is None else scale)).sum(), {"keys": keys, "values": values}


@pytest.fixture
def state(rng):
    """Arguments of decode, new ones with each call."""
    cache = {name: rng.standard_normal((64, 8)).astype(np.float32) for name in ("keys", "values")}
    return lambda: (jax.tree.map(lambda a: jnp.array(a, copy=True), cache), jnp.full((1, 8), 0.5), 5)


@pytest.fixture
def updated(monkeypatch):
    """What each model that is compiled updates in place: numbers of inputs with those of outputs."""
    found = []
    init = stitch.jax._Call.__init__
    monkeypatch.setattr(stitch.jax._Call, "__init__", lambda self, *args: init(self, *args) or found.append(self.updated))
    return found


def pointers(tree):
    return [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves(tree)]


def deleted(tree):
    return [leaf.is_deleted() for leaf in jax.tree.leaves(tree) if isinstance(leaf, jax.Array)]


@pytest.mark.parametrize("donate", [{"donate_argnums": 0}, {"donate_argnames": "cache"}, {"donate_argnames": ["cache", "scale"]}])
def test_donated_caches_are_updated_where_they_are(state, updated, donate):
    stitched, expected = stitch.jax.jit(decode, **donate), decode(*state())
    cache, row, position = state()
    for _ in range(3):  # the same row again: the same result
        given, before = cache, pointers(cache)
        result, cache = stitched(given, row, position)
        assert deleted(given) == [True, True] and deleted(row) == [False]
        assert pointers(cache) == before
        close((result, cache), expected)
    assert updated == [{0: 1, 1: 2}]


def test_program_with_donated_caches_copies_nothing(state):
    program = stitch.jax.jit(decode, donate_argnums=0).lower(*state()).compile().as_text()
    assert "output_to_operand_aliasing={{1}: (0, {}), {2}: (1, {})}" in program and " copy(" not in program
    assert "output_to_operand_aliasing" not in stitch.jax.jit(decode).lower(*state()).compile().as_text()


def test_donated_by_keyword(state, updated):
    cache, row, position = state()
    before, expected = pointers(cache), decode(*state(), scale=2.0)
    found = stitch.jax.jit(decode, donate_argnums=0, static_argnames="scale")(row=row, position=position, cache=cache, scale=2.0)
    assert deleted(cache) == [True, True] and pointers(found[1]) == before and updated == [{0: 1, 1: 2}]
    close(found, expected)


@pytest.mark.parametrize("options", [{"adapt": True}, {"checks": True}, {"plan": "astitch"}])
def test_donations_beside_closures_and_options(state, updated, options):
    cache, row, position = state()
    stitched = stitch.jax.jit(lambda position, cache: decode(cache, row, position), donate_argnums=1, **options)
    for i in range(4):
        expected, before = decode(cache, row, position + i), pointers(cache)
        found = stitched(position + i, cache)
        assert deleted(cache) == [True, True] and pointers(found[1]) == before
        close(found, expected)
        cache = found[1]
    assert updated == [{2: 1, 3: 2}]  # behind the row, over which the function closes


def test_undonated_caches_stay(state, updated):
    cache, row, position = state()
    found = stitch.jax.jit(decode)(cache, row, position)
    assert deleted(cache) == [False, False] and updated == [{}]
    close(cache, state()[0])
    close(found, decode(*state()))


def test_one_donated_cache_of_two(updated):
    def step(a, b, row):
        return jax.lax.dynamic_update_slice(a, row, (1, 0)), jax.lax.dynamic_update_slice(b, row, (2, 0))

    a, b, row = jnp.zeros((16, 4)), jnp.ones((16, 4)), jnp.full((1, 4), 3.0)
    expected = step(a, b, row)
    # JAX pairs the second argument with the first result of its shape, which is no update of it.
    found = stitch.jax.jit(step, donate_argnums=1)(a, b, row)
    assert deleted((a, b)) == [False, True] and updated == [{}]
    close((found, a), (expected, np.zeros((16, 4))))
    found = stitch.jax.jit(step, donate_argnums=0)(a, expected[1], row)
    assert deleted((a, expected[1])) == [True, False] and updated[1:] == [{0: 0}]
    close(found[0], expected[0])


def test_donated_arguments_that_are_no_updates(rng, updated):
    """What is read in another order than it is written cannot be in the same memory."""
    x = rng.standard_normal((64, 64)).astype(np.float32)
    donated = jnp.array(x, copy=True)
    close(stitch.jax.jit(lambda x: x.T[::-1] + 1, donate_argnums=0)(donated), x.T[::-1] + 1)
    assert donated.is_deleted() and updated == [{}]


def test_donated_array_that_is_read_beside_its_update():
    def count(counts, i):
        before = jax.lax.dynamic_slice(counts, (i,), (2,))
        return jax.lax.dynamic_update_slice(counts, before + 1, (i,)), counts.sum()

    counts, expected, stitched = jnp.zeros(32), jnp.zeros(32), stitch.jax.jit(count, donate_argnames="counts")
    for i in (3, 4, 40, 3):
        given, found = counts, stitched(counts, i)
        close(found, count(expected, i))
        assert given.is_deleted()
        counts, expected = found[0], count(expected, i)[0]


def test_donated_argument_that_fits_no_result_is_warned_of_once():
    x, y = jnp.arange(64.0), jnp.arange(64.0)
    with pytest.warns(UserWarning, match=r"donated buffers were not usable: float32\[64\]\.") as mine:
        close(stitch.jax.jit(lambda x: x.sum(), donate_argnums=0)(x), np.arange(64.0).sum())
    with pytest.warns(UserWarning, match="not usable") as jaxs:
        jax.jit(lambda x: x.sum(), donate_argnums=0)(y)
    assert len(mine) == len(jaxs) == 1 and x.is_deleted() == y.is_deleted()


def test_donations_within_a_program_that_needs_the_argument(state, updated):
    """XLA copies what is used again, or is not donated to the program."""
    stitched = stitch.jax.jit(decode, donate_argnums=0)
    program = lambda step, cache, row, i: (step(cache, row, i), cache["keys"].sum(0), step(cache, row * 3, i))  # noqa: E731
    cache, row, position = state()
    found = jax.jit(functools.partial(program, stitched))(cache, row, position)
    assert deleted(cache) == [False, False] and updated == [{0: 1, 1: 2}]
    close((found, cache), (program(decode, *state()), state()[0]))


def test_donated_array_that_is_another_argument_too(rng, updated):
    """Both operands of the call are one array to XLA, of which the call may change only one."""
    def step(cache, old, row):
        return jax.lax.dynamic_update_slice(cache, row, (3, 0)), jnp.flip(old) + old.T

    x, row, stitched = rng.standard_normal((32, 32)).astype(np.float32), np.ones((1, 32), np.float32), stitch.jax.jit(step, donate_argnums=0)
    for donate in ((), 0):
        given = jnp.array(x, copy=True)
        close(jax.jit(lambda x, row: stitched(x, x, row), donate_argnums=donate)(given, row), step(x, x, row))
        close(jax.jit(lambda x, row: stitched(x * 2, x * 2, row))(x, row), step(x * 2, x * 2, row))
        assert given.is_deleted() == (donate == 0)
    assert updated == [{0: 0}]


def test_donations_go_through_an_outer_jit(state):
    stitched, expected = stitch.jax.jit(decode, donate_argnums=0), decode(*state())
    cache, row, position = state()
    before = pointers(cache)
    found = jax.jit(lambda *args: stitched(*args), donate_argnums=0)(cache, row, position)
    assert deleted(cache) == [True, True] and pointers(found[1]) == before
    close(found, expected)


def test_donations_in_a_scan(state):
    def decode_many(step, cache, row):
        def body(cache, i):
            result, cache = step(cache, row, i)
            return cache, result

        return jax.lax.scan(body, cache, jnp.arange(7))

    stitched = stitch.jax.jit(decode, donate_argnums=0)
    cache, row, _ = state()
    close(jax.jit(lambda cache, row: decode_many(stitched, cache, row))(cache, row), decode_many(decode, *state()[:2]))
    close(cache, state()[0])


def test_donations_under_vmap(state, updated):
    cache, row, position = state()
    caches = jax.tree.map(lambda a: jnp.stack([a, a + 1, -a]), cache)
    expected = jax.vmap(decode, (0, None, None))(caches, row, position)
    found = jax.vmap(stitch.jax.jit(decode, donate_argnums=0), (0, None, None))(caches, row, position)
    assert deleted(caches) == [True, True] and updated == [{}]
    close(found, expected)


def test_donations_under_grad(state):
    def loss_of(step):
        def loss(row, cache, position):
            result, cache = step(cache, row, position)
            return result + (cache["values"] ** 2).sum()

        return loss

    cache, row, position = state()
    stitched = stitch.jax.jit(decode, donate_argnums=0)
    close(jax.jit(jax.grad(loss_of(stitched), (0, 1)))(row, cache, position), jax.grad(loss_of(decode), (0, 1))(row, cache, position))
    close(cache, state()[0])


def test_donations_of_a_stitched_function_within_another(state, updated):
    inner = stitch.jax.jit(decode, donate_argnums=0)
    cache, row, position = state()
    found = stitch.jax.jit(lambda cache, row, position: (inner(cache, row, position), cache["keys"] + 1))(cache, row, position)
    assert deleted(cache) == [False, False] and updated == [{}]
    close(found, (decode(*state()), state()[0]["keys"] + 1))


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


ALL = {
    "set": lambda x: x.at[:].set(2 * x),
    "add": lambda x: x.at[...].add(x),
    "columns": lambda x: jnp.zeros_like(x).at[:, -5:].set(x),
    "subtract": lambda x: x.at[:].apply(jnp.negative),
    "scalar": lambda x: x[0, 0].at[()].set(x[1, 1]),
    "nothing": lambda x: x.at[:0].set(2 * x[:0]),
    "no columns": lambda x: x[:, :0].at[:].set(1.0),
    "gradient": jax.grad(lambda x: (x[:] ** 2).sum() + (x[-4:, -5:] * x).sum()),
    "gradient of taken": jax.grad(lambda x: jax.lax.slice(x, (0, 0), x.shape).sum()),
}


@pytest.mark.parametrize("name", ALL)
def test_updates_of_all_elements_and_of_none(name):
    x = jnp.arange(20.0).reshape(4, 5)
    np.testing.assert_array_equal(stitch.jax.jit(ALL[name])(x), ALL[name](x))


REDUCERS = {
    "where": lambda a, b: jnp.where(a > b, a, b),
    "where of absolutes": lambda a, b: jnp.where(jnp.abs(a) > jnp.abs(b), a, b),
    "clipped": lambda a, b: jnp.clip(jnp.maximum(a, b), -2.0, 1.0),
}


@pytest.mark.parametrize("name", REDUCERS)
def test_bodies_that_call_functions(rng, name):
    x = jnp.asarray(rng.standard_normal((6, 7), np.float32))
    for function in (lambda x: jax.lax.reduce(x, 0.0, REDUCERS[name], (1,)),
                     lambda x: jax.lax.reduce_window(x, 0.0, REDUCERS[name], (1, 3), (1, 1), "VALID")):
        np.testing.assert_array_equal(stitch.jax.jit(function)(x), function(x))


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


def test_rules_and_hints(xw, tmp_path):
    def function(x):
        with jax.named_scope("layer"):
            y = jnp.exp(x)
        return jnp.sin(y)

    def hinted(x):
        with xla_metadata.set_xla_metadata(**{"stitch.fuse": "alone"}):
            y = jnp.exp(x)
        return jnp.sin(y)

    path = tmp_path / "rules"
    path.write_text("stitch-rules 1\napart */layer/exp op=sin\nalone */elsewhere\n")
    kernels = [stitch.compile(f, xw[:1], **options).stats["fusions"] for f, options in ((function, {}), (hinted, {}), (function, {"rules": path, "partial_rules": True}))]
    assert kernels == [1, 2, 2]
    close(stitch.jax.jit(function, rules=path)(xw[0]), function(xw[0]))
    close(jax.grad(lambda x: stitch.jax.jit(hinted)(x).sum())(xw[0]), jax.grad(lambda x: hinted(x).sum())(xw[0]))
    path.write_text("stitch-rules 1\nfuse */layer/exp\n")
    with pytest.raises(Exception, match="expected together, apart, alone"):
        stitch.jax.jit(function, rules=path)(xw[0])
