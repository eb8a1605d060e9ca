#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that move elements along open sizes, padded to the largest ones (docs/dynamic_shapes.md): as jax.export writes them, with NaN and the
largest integers in the padding of all inputs and the checks of the SIMT device, compared with the model compiled for each size. With
--random programs are made up of such operations; --seed says which. usage: padded_models.py --bin FOLDER [--random N] [--seed S] [MODEL...]"""

import argparse
import pathlib
import random
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

WIDTH, HEADS = 16, 4
_draw = np.random.default_rng(5)


def weight(*shape):
    return jnp.asarray(_draw.standard_normal(shape) / np.sqrt(shape[0]), jnp.float32)


QUERY, KEY, VALUE, OUT = (weight(WIDTH, WIDTH) for _ in range(4))
TOKENS, POSITIONS = weight(50, WIDTH), weight(64, WIDTH)
GATES, STATE = weight(WIDTH, 4 * WIDTH), weight(WIDTH, 4 * WIDTH)
LINES = weight(WIDTH, WIDTH)
KERNEL = weight(3, WIDTH, WIDTH)


def normalize(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


def attention(x, mask=None, causal=False):
    heads = [(x @ w).reshape(*x.shape[:-1], HEADS, WIDTH // HEADS) for w in (QUERY, KEY, VALUE)]
    scores = jnp.einsum("...qhd,...khd->...hqk", heads[0], heads[1]) / 2.0
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((x.shape[-2], x.shape[-2]), bool)), scores, -1e30)
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    return jnp.einsum("...hqk,...khd->...qhd", jax.nn.softmax(scores, -1), heads[2]).reshape(x.shape) @ OUT


def language_model(tokens):
    x = TOKENS[tokens] + POSITIONS[: tokens.shape[-1]]
    return normalize(x + attention(normalize(x), causal=True)) @ TOKENS.T


def loss(table, tokens):
    scores = jax.nn.log_softmax(table[tokens[:, :-1]] @ TOKENS.T)
    return -jnp.take_along_axis(scores, tokens[:, 1:, None], -1).mean()


def recurrent(steps):
    def step(carry, x):
        h, c = carry
        i, f, o, u = jnp.split(x @ GATES + h @ STATE, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(u)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((steps.shape[1], WIDTH))
    (last, _), states = jax.lax.scan(step, (zero, zero), steps)
    return last, states


def both_directions(x):
    return jnp.concatenate([recurrent(x)[1], recurrent(x[::-1])[1][::-1]], -1)


def with_cache(cache, x):
    joined = jnp.concatenate([cache, x], 1)
    return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", x, joined), -1) @ joined


def convolved(x):
    return jax.lax.conv_general_dilated(x, KERNEL, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))


def kernel_gradient(x):
    dims = ("NWC", "WIO", "NWC")
    return jax.grad(lambda w: (jax.lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=dims) ** 2).sum())(KERNEL)


def shifted_positions(x):  # as relative positions are
    return jnp.pad(x, ((0, 0), (0, 0), (1, 0))).reshape(4, x.shape[1] + 1, x.shape[1])[:, 1:]


def written_at(cache, x, at):
    return jax.lax.dynamic_update_slice(cache, x, (0, at, 0))


def read_at(x, at):
    return jax.lax.dynamic_slice(x, (0, at, 0), (4, 2, WIDTH))


def indexed(x, at):
    return x.at[:, at].set(3.0), jnp.take(x, at, 1, mode="clip"), jnp.take(x, at, 1), x.at[:, at].add(0.5)


def pooled(x):
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 3, 1), (1, 1, 1), "SAME"), x.mean(1) + x.max(1) + x.var(1) + x.prod(1)


def cumulative(x):
    return jnp.cumsum(x, 1), jax.lax.cummax(x, 1), jax.lax.cumsum(x, 1, reverse=True)


def ordered(x):
    return jnp.sort(x, -1), jnp.argsort(x, -1), jnp.argmax(x, -1), jax.lax.top_k(x, 3), jnp.quantile(x, 0.5, axis=1)


def moved(x):
    joined = jnp.concatenate([x[:, :1], x, x[:, -1:]], 1)
    return joined, jnp.pad(x, ((0, 0), (2, 3), (0, 0)), constant_values=1.0), x[:, ::-1] * 2.0, jnp.roll(x, 1, 1)[:, -1]


def rotated(x):
    angle = jnp.arange(x.shape[1], dtype=jnp.float32)[:, None] * jnp.ones(8)
    a, b = x[..., :8], x[..., 8:]
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), b * jnp.cos(angle) + a * jnp.sin(angle)], -1)


def loops(x):
    return jax.lax.fori_loop(0, x.shape[0], lambda i, sum: sum + x[i], jnp.zeros(WIDTH))


def square(x):
    return jnp.tril(x), jnp.diagonal(x), x @ x.T, x.sum()


def other_rows(x):  # not a softmax: what is subtracted is of other rows, of the padding too
    e = jnp.exp(x - x.max(1)[None, :])
    return e.sum(1), e @ x


F32, I32 = "f32", "i32"

# Model, inputs, what the sizes must be, the sizes of the runs. The last is the largest: that of the bucket.
MODELS = {
    "language_model": (language_model, [("4, t", I32)], ["t <= 64"], [{"t": 1}, {"t": 5}, {"t": 9}]),
    "language_model_batches": (lambda x: language_model(x)[:, -1], [("b, t", I32)], ["t <= 64"], [{"b": 2, "t": 5}, {"b": 1, "t": 1}, {"b": 3, "t": 9}]),
    "encoder": (lambda x: attention(x).mean(1), [("4, t, 16", F32)], [], [{"t": 2}, {"t": 9}]),
    "masked": (lambda x, m: attention(x, m > 0), [("t, 16", F32), ("t, t", F32)], [], [{"t": 1}, {"t": 7}, {"t": 9}]),
    "gradient": (jax.grad(lambda x: (attention(x, causal=True) ** 2).sum()), [("2, t, 16", F32)], [], [{"t": 4}, {"t": 9}]),
    "loss": (jax.value_and_grad(loss), [("50, 16", F32), ("4, t", I32)], ["t >= 2"], [{"t": 2}, {"t": 6}, {"t": 9}]),
    "cache": (with_cache, [("4, s, 16", F32), ("4, t, 16", F32)], [], [{"s": 1, "t": 5}, {"s": 3, "t": 1}, {"s": 5, "t": 9}]),
    "recurrent": (recurrent, [("t, 4, 16", F32)], [], [{"t": 1}, {"t": 5}, {"t": 9}]),
    "recurrent_gradient": (jax.grad(lambda x: (recurrent(x)[1] ** 2).mean()), [("t, 4, 16", F32)], [], [{"t": 3}, {"t": 9}]),
    "both_directions": (both_directions, [("t, 4, 16", F32)], [], [{"t": 4}, {"t": 9}]),
    "convolved": (convolved, [("4, t, 16", F32)], [], [{"t": 1}, {"t": 8}, {"t": 9}]),
    "kernel_gradient": (kernel_gradient, [("4, t, 16", F32)], [], [{"t": 3}, {"t": 9}]),
    "shifted_positions": (shifted_positions, [("4, t, t", F32)], [], [{"t": 2}, {"t": 9}]),
    "written_at": (written_at, [("4, 20, 16", F32), ("4, t, 16", F32), ("", I32)], ["t <= 20"], [{"t": 3}, {"t": 9}]),
    "read_at": (read_at, [("4, t, 16", F32), ("", I32)], ["t >= 2"], [{"t": 2}, {"t": 5}, {"t": 9}]),
    "indexed": (indexed, [("4, t", F32), ("5", I32)], [], [{"t": 2}, {"t": 9}]),
    "segments": (lambda x, i: jax.ops.segment_sum(x, i, 7), [("t, 16", F32), ("t", I32)], [], [{"t": 4}, {"t": 9}]),
    "pooled": (pooled, [("4, t, 16", F32)], [], [{"t": 1}, {"t": 6}, {"t": 9}]),
    "cumulative": (cumulative, [("4, t", F32)], [], [{"t": 3}, {"t": 9}]),
    "ordered": (ordered, [("4, t", F32)], ["t >= 3"], [{"t": 3}, {"t": 5}, {"t": 9}]),
    "moved": (moved, [("4, t, 16", F32)], ["t >= 2"], [{"t": 2}, {"t": 5}, {"t": 9}]),
    "rotated": (rotated, [("4, t, 16", F32)], [], [{"t": 4}, {"t": 9}]),
    "loops": (loops, [("t, 16", F32)], [], [{"t": 5}, {"t": 9}]),
    "square": (square, [("t, t", F32)], [], [{"t": 1}, {"t": 4}, {"t": 9}]),
    "joined": (lambda x, y: jnp.concatenate([x, y], 1), [("b, s, 16", F32), ("b, t, 16", F32)], [], [{"b": 1, "s": 2, "t": 5}, {"b": 2, "s": 3, "t": 9}]),
    "rest": (lambda x, y: (y[x.shape[0] :] * 2.0, x), [("t, 16", F32), ("20, 16", F32)], ["t <= 19"], [{"t": 1}, {"t": 5}, {"t": 9}]),
    "deep": (lambda x: jnp.flip(x, 13), [("1, " * 12 + "3, t, 1, 4", F32)], [], [{"t": 2}, {"t": 9}]),
    "other_rows": (other_rows, [("t, t", F32)], [], [{"t": 2}, {"t": 9}]),
    "flat": (lambda x: x.reshape(-1, 16) @ GATES, [("b, t, 16", F32)], [], [{"b": 2, "t": 5}, {"b": 3, "t": 9}]),
}


# Operations on [4, t, 16] that leave such a tensor.
def _scores(x, d):
    return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", x, jnp.roll(x, 1, 0)), -1) @ x


def _near_softmax(x, d):
    """Exponentials less the maximum of other rows: those of the padding are not zero."""
    scaled = x / (1.0 + jnp.abs(x).max())
    e = jnp.exp(scaled - jnp.roll(scaled.max(1, keepdims=True), 1, 0)) if d else jnp.exp(scaled - scaled.max((0, 1))[None, None])
    return e / (1.0 + e.sum(1, keepdims=True))


STEPS = [
    lambda x, d: jnp.tanh(x),
    lambda x, d: normalize(x),
    lambda x, d: x - jax.nn.logsumexp(x, 1, keepdims=True),
    lambda x, d: jax.nn.softmax(x, 1) * 3.0,
    lambda x, d: x + x.mean(1, keepdims=True),
    lambda x, d: x / (1.0 + jnp.abs(x).max(1, keepdims=True)),
    lambda x, d: x[:, ::-1],
    lambda x, d: jnp.pad(x, ((0, 0), (d + 1, 0), (0, 0)))[:, : x.shape[1]],
    lambda x, d: jnp.pad(x, ((0, 0), (0, d + 1), (0, 0)), constant_values=0.5)[:, d + 1 :],
    lambda x, d: jnp.concatenate([x[:, 1:], x[:, :1]], 1),
    lambda x, d: jnp.concatenate([x[:, -1:] * 0.5, x], 1)[:, :-1],
    lambda x, d: jnp.cumsum(x, 1) / (1.0 + jnp.arange(x.shape[1], dtype=jnp.float32)[None, :, None]),
    lambda x, d: jax.lax.cummax(x, 1, reverse=d == 1),
    lambda x, d: jnp.sort(x, 1),
    lambda x, d: convolved(x),
    lambda x, d: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 1), (1, 1, 1), "SAME"),
    lambda x, d: attention(x, causal=d == 0),
    _scores,
    _near_softmax,
    lambda x, d: (x.reshape(-1, 16) @ QUERY).reshape(x.shape),
    lambda x, d: x.reshape(4, -1)[:, ::-1].reshape(x.shape),
    lambda x, d: jnp.swapaxes(x, 0, 1).reshape(-1, 64).reshape(-1, 4, 16).swapaxes(0, 1) * 1.5,
    lambda x, d: jnp.swapaxes(x, 1, 2).reshape(4, -1).reshape(x.shape),
    lambda x, d: jnp.einsum("btd,bte->bde", x, x)[:, d : d + 1] / 4.0 + x,
    lambda x, d: jnp.take(x, jnp.arange(x.shape[1])[::-1], 1),
    lambda x, d: x.at[:, d].add(1.0),
    lambda x, d: jnp.where(jnp.arange(x.shape[1])[:, None] % 2 == 0, x, 0.25),
    lambda x, d: jnp.take_along_axis(x, jnp.full((4, 1, 16), 2 - d), 1) + x,
    lambda x, d: jnp.moveaxis(recurrent(jnp.moveaxis(x, 1, 0))[1], 0, 1),
    lambda x, d: jnp.tril(jnp.ones((x.shape[1], x.shape[1]))) @ x / 8.0,
]
ENDS = [
    lambda x: x,
    lambda x: x[:, -1],
    lambda x: x.mean((0, 1)),
    lambda x: jnp.swapaxes(x, 0, 1),
    lambda x: x.reshape(-1, 16),
    lambda x: jnp.einsum("btd,bsd->bts", x, x),
    lambda x: jnp.concatenate([x, x * 2.0], 1),
    lambda x: jnp.max(x, 1),
    lambda x: LINES[x.shape[1] :] * jnp.tanh(x).mean((0, 1)),
    lambda x: jnp.concatenate([x, x[:, 1:], x.reshape(-1, 16)[None].repeat(4, 0)], 1),
]


def random_model(number):
    """A chain of operations, with sums of what is on it, and sometimes its gradient."""
    draw = random.Random(number)
    chain = [(draw.choice(STEPS), draw.randrange(3)) for _ in range(draw.randint(2, 6))]
    joins, end = [draw.random() < 0.3 for _ in chain], draw.choice(ENDS)

    def model(x):
        for (step, detail), join in zip(chain, joins):
            value = step(x, detail)
            x = x + value if join else value
        return end(x)

    if draw.random() < 0.2:
        return (lambda x: jax.grad(lambda y: jnp.sin(model(y) * 1.0).sum())(x)), draw
    return model, draw


def export_model(function, specification, constraints, path):
    scope = export.SymbolicScope(constraints)
    types = {F32: jnp.float32, I32: jnp.int32}
    arguments = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope) if s else (), types[t]) for s, t in specification]
    path.write_text(export.export(jax.jit(function), platforms=["cpu"])(*arguments).mlir_module())


def run_tool(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout[-3000:]}{done.stderr[-3000:]}")


def check(name, function, specification, constraints, runs, options, seed):
    """The program for the largest sizes, with poisoned padding, at each size."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text, padded, model = folder / f"{name}.mlir", folder / "padded.mlir", folder / "padded.so"
        export_model(function, specification, constraints, text)
        if options.keep:
            (options.keep / f"{name}.mlir").write_text(text.read_text())
        lows = {symbol: min(run[symbol] for run in runs) for symbol in runs[-1]}
        dims = ",".join(f"{symbol}={lows[symbol]}..{high}" for symbol, high in runs[-1].items())
        run_tool(options.bin / "stitch-opt", text, f"--stablehlo-refine-shapes=dims={dims} padded=true poisoned=true", "-o", padded)
        run_tool(options.bin / "stitch-compile", padded, "--checks", "--cache=off", "-o", model)
        for i, sizes in enumerate(runs):
            sizes, reference = [f"--dim={symbol}={size}" for symbol, size in sizes.items()], folder / f"{i}.so"
            run_tool(options.bin / "stitch-compile", text, "--target=none", "--cache=off", *sizes, "-o", reference)
            run_tool(options.bin / "stitch-run", model, "--check", "--incomplete", f"--reference={reference}", f"--seed={seed + i}", f"--thread-order={seed + i}", *sizes)
        print(f"ok: {name} {dims}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--random", type=int, default=0, help="made-up programs instead of models")
    parser.add_argument("--seed", type=int, default=1, help="of the first of them")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the programs")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    if options.random == 0:
        for name in options.models or MODELS:
            check(name, *MODELS[name], options, 3)
        return
    wrong = 0
    for number in range(options.seed, options.seed + options.random):
        function, draw = random_model(number)
        runs = [{"t": draw.randint(3, 10)}, {"t": draw.randint(3, 10)}]
        try:
            check(f"random_{number}", function, [("4, t, 16", F32)], ["t >= 3", "t <= 15"], [*runs, {"t": 11}], options, number)
        except NotImplementedError as error:  # the gradient of a cumulative maximum, for JAX
            print(f"not exported: {number}: {error}", flush=True)
        except RuntimeError as error:
            wrong += 1
            print(f"FAILED: {number}: {error}", flush=True)
    print(f"{options.random} programs, {wrong} wrong")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
