#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random softmaxes between two products, each in one kernel, compared with the reference on the SIMT device.

usage: random_attention.py [--count N] [--first I] [--seed S] [--gradient] [--warpgroups] [--unchecked] [--apart] [--double DIR] [--keep DIR]
                           [--option OPTION] --compile STITCH_COMPILE --run STITCH_RUN

Each graph draws its types (f16, bf16, f32, f64; scores and softmax in the same or in f32), whether none, some or all of its products of
f32 may round their operands to TF32, sizes (odd ones, single rows, few and many keys),
the order of dimensions in its operands and result, whether keys and values are pages of a cache that a table names, rows of one or two dimensions (grouped queries), and what is done to scores and
weights: scales, biases along some dimensions, additive and boolean masks, causal masks and windows, masks that the sum and the weights are under, too,
rows without any key, a soft cap, dropout by products and by selects, the maximum subtracted or not, where it is finite or always; division
before or behind the second product; results besides; with --gradient also the gradients of queries, keys and values, or some of them, with
the forward result or without it. With --warpgroups types are of 16 bits, rows more than 32, and products those of warpgroups (wgmma), which the
SIMT device does warp by warp. Every one must become kernels of
attention, unless --apart says that products stay with libraries. Runs with two thread orders and, unless --unchecked,
with checks of accesses and races. The same seed gives the same graphs.
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

SIZES = [2, 3, 5, 7, 15, 16, 17, 31, 32, 33, 40, 64, 65, 79, 100]
LOWEST = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
HEADS = [1, 2, 3, 5, 8, 12, 16, 24, 32, 33, 64]


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{dtype}>"


class Graph:
    """tg operations as text."""

    def __init__(self, precisions=None):
        """`precisions` draws those of products of f32."""
        self.arguments, self.lines, self.count = [], [], 0
        self.precisions = precisions
        self.allowed = precisions.choice([0.0, 0.5, 1.0]) if precisions else 0.0

    def argument(self, shape, dtype):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {tensor(shape, dtype)}")
        return (name, shape, dtype)

    def op(self, text, shape, dtype):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return (name, shape, dtype)

    def elementwise(self, op, *operands):
        _, shape, dtype = operands[0]
        return self.op(f"tg.{op} {', '.join(o[0] for o in operands)} : {tensor(shape, dtype)}", shape, dtype)

    def splat(self, value, shape, dtype):
        return self.op(f"tg.constant dense<{value}> : {tensor(shape, dtype)}", shape, dtype)

    def convert(self, x, dtype):
        if x[2] == dtype:
            return x
        return self.op(f"tg.convert {x[0]} : ({tensor(x[1], x[2])}) -> {tensor(x[1], dtype)}", x[1], dtype)

    def broadcast(self, x, shape, dims):
        return self.op(f"tg.broadcast {x[0]} dims {list(dims)} : ({tensor(x[1], x[2])}) -> {tensor(shape, x[2])}", shape, x[2])

    def reduce(self, kind, x):
        shape = x[1][:-1]
        return self.op(f"tg.reduce {kind} {x[0]} dims [{len(shape)}] : ({tensor(x[1], x[2])}) -> {tensor(shape, x[2])}", shape, x[2])

    def compare(self, direction, x, y):
        return self.op(f"tg.compare {direction}, {x[0]}, {y[0]} : {tensor(x[1], x[2])}", x[1], "i1")

    def select(self, pred, x, y):
        return self.op(f"tg.select {pred[0]}, {x[0]}, {y[0]} : {tensor(pred[1], 'i1')}, {tensor(x[1], x[2])}", x[1], x[2])

    def dot(self, x, y, batch, contract, dtype):
        shape = [x[1][d] for d in batch[0]]
        contract = [c if isinstance(c, list) else [c] for c in contract]
        for operand, dims, contracted in ((x, batch[0], contract[0]), (y, batch[1], contract[1])):
            shape += [size for d, size in enumerate(operand[1]) if d not in dims and d not in contracted]
        text = f"batch {batch[0]} x {batch[1]} " if batch[0] else ""
        precision = ""
        if self.precisions and x[2] == y[2] == dtype == "f32":
            precision = "precision tf32 " if self.precisions.random() < self.allowed else self.precisions.choice(["", "precision full "])
        return self.op(f"tg.dot {x[0]}, {y[0]} {text}contract {contract[0]} x {contract[1]} {precision}: "
                       f"({tensor(x[1], x[2])}, {tensor(y[1], y[2])}) -> {tensor(shape, dtype)}", shape, dtype)

    def transpose(self, x, order):
        shape = [x[1][d] for d in order]
        return self.op(f"tg.transpose {x[0]} permutation {list(order)} : ({tensor(x[1], x[2])}) -> {tensor(shape, x[2])}", shape, x[2])

    def text(self, results):
        types = [tensor(shape, dtype) for _, shape, dtype in results]
        body = "\n".join(f"  {line}" for line in self.lines)
        return (f"func.func @main({', '.join(self.arguments)}) -> ({', '.join(types)}) {{\n{body}\n"
                f"  return {', '.join(r[0] for r in results)} : {', '.join(types)}\n}}\n")


def masked(g, r, scores):
    """Scores with boolean masks: given ones, causal ones; rows without any key are drawn by chance."""
    _, shape, dtype = scores
    low = r.choice([LOWEST[dtype], "-1.0e4"])
    kind = r.choice(["given", "given", "causal", "causal", "window", "none", "none"])
    if kind == "none":
        return scores
    if kind == "given":
        dims = sorted(set(r.sample(range(len(shape) - 1), r.randrange(len(shape)))) | {len(shape) - 1})
        pred = g.argument([shape[d] for d in dims], "i1")
    else:
        dims = [len(shape) - 2, len(shape) - 1]
        sizes = [shape[d] for d in dims]
        numbers = [g.broadcast(g.op(f"tg.iota dim 0 : {tensor([size], 'i32')}", [size], "i32"), sizes, [d]) for d, size in enumerate(sizes)]
        direction = r.choice(["ge", "gt", "le"]) if kind == "causal" else "ge"
        if direction == "gt" and sizes[0] == 1:
            direction = "ge"  # else no key is left, and nothing of the attention
        pred = g.compare(direction, *numbers)
        if kind == "window":
            near = g.elementwise("sub", numbers[0], numbers[1])
            pred = g.elementwise("and", pred, g.compare("lt", near, g.splat(r.choice([3, 20]), sizes, "i32")))
    if len(dims) < len(shape):
        pred = g.broadcast(pred, shape, dims)
    return g.select(pred, scores, g.splat(low, shape, dtype))


def changed(g, r, scores):
    """What is done to scores before the softmax."""
    _, shape, dtype = scores
    if r.random() < 0.6:
        scores = g.elementwise("mul", scores, g.splat(r.choice(["0.125", "2.5e-01"]), shape, dtype))
    if r.random() < 0.3:
        cap = g.splat("4.0", shape, dtype)
        scores = g.elementwise("mul", g.elementwise("tanh", g.elementwise("div", scores, cap)), cap)
    if r.random() < 0.4:
        dims = sorted(set(r.sample(range(len(shape) - 1), r.randrange(len(shape)))) | {len(shape) - 1})
        bias = g.argument([shape[d] for d in dims], dtype)
        scores = g.elementwise("add", scores, bias if len(dims) == len(shape) else g.broadcast(bias, shape, dims))
    return masked(g, r, scores)


def exponentials(g, r, scores, narrow):
    """exp(x - max x), and the maximum; null if nothing is subtracted."""
    _, shape, dtype = scores
    if dtype != "f16" and narrow != "f16" and r.random() < 0.1:
        return g.elementwise("exp", g.elementwise("tanh", scores)), None
    most = g.reduce("max", scores)
    subtracted = most
    if r.random() < 0.3:
        finite = g.op(f"tg.is_finite {most[0]} : {tensor(most[1], dtype)}", most[1], "i1")
        subtracted = g.select(finite, most, g.splat("0.0", most[1], dtype))
    rows = g.broadcast(subtracted, shape, range(len(shape) - 1))
    return g.elementwise("exp", g.elementwise("sub", scores, rows)), most


def selection(g, r, shape):
    """A predicate for each key, of a row or of several: by chance true for none."""
    dims = sorted(set(r.sample(range(len(shape) - 1), r.randrange(len(shape)))) | {len(shape) - 1})
    pred = g.argument([shape[d] for d in dims], "i1")
    return pred if len(dims) == len(shape) else g.broadcast(pred, shape, dims)


def dropout(g, r, shape):
    """What dropout does to weights and to their gradient."""
    pred, by, inverted = selection(g, r, shape), r.choice(["div", "mul", None]), r.random() < 0.3
    before = r.random() < 0.7

    def apply(x):
        def scaled(y):
            return g.elementwise(by, y, g.splat("0.9" if by == "div" else "1.25", *y[1:])) if by else y

        x, zero = scaled(x) if before else x, g.splat("0.0", *x[1:])
        x = g.select(pred, zero, x) if inverted else g.select(pred, x, zero)
        return x if before else scaled(x)

    return apply


def scores_of(g, rows, keys, nb, dtype):
    """The product of two operands, each with where its dimensions are: batches, rows (a key), what is contracted."""
    (x, at_x), (y, at_y) = rows, keys
    product = g.dot(x, y, (at_x[:nb], at_y[:nb]), (at_x[-1], at_y[-1]), dtype)
    # Free dimensions come in the order in which the operand has them.
    kept = sorted(at_x[nb:-1])
    order = list(range(nb)) + [nb + kept.index(at) for at in at_x[nb:-1]] + [len(at_x) - 1]
    return product if order == sorted(order) else g.transpose(product, order)


def gradients(g, r, query, key, value, gradient, weights, drop, nb):
    """Gradients by queries, keys and values: of weights, which the softmax has made, and of the result."""
    narrow, wide, last = query[0][2], weights[2], len(weights[1]) - 1
    batches, rows = list(range(nb)), list(range(nb, last))
    of_weights = drop(g.convert(scores_of(g, gradient, value, nb, r.choice([narrow, wide])), wide))
    weighted = g.elementwise("mul", of_weights, weights)
    total = g.convert(g.reduce("add", g.convert(weighted, "f32") if wide in ("f16", "bf16") else weighted), wide)
    of_scores = g.elementwise("mul", g.elementwise("sub", of_weights, g.broadcast(total, weights[1], range(last))), weights)
    if r.random() < 0.5:
        of_scores = g.elementwise("mul", of_scores, g.splat("0.125", of_scores[1], wide))
    dtype = r.choice([narrow, wide])
    of_scores = g.convert(of_scores, dtype)

    def product(elements, operand, of_rows):
        x, at = operand
        contract = (rows, at[nb:-1]) if of_rows else (last, at[nb])
        return g.dot(elements, g.convert(x, elements[2]), (batches, at[:nb]), contract, dtype)

    results = [product(of_scores, key, False)]
    if r.random() < 0.8:
        results.append(product(of_scores, query, True))
    if r.random() < 0.8:
        results.append(product(g.convert(drop(weights), narrow), gradient, True))
    return results


def paged(g, pages, sizes, nb, dtype):
    """Keys or values, of sizes batch, keys, elements, in pages of a cache that a table names, for each of the first batch dimension or for all."""
    keys, own = sizes[nb], nb > 0 and pages.random() < 0.7
    page = pages.choice([p for p in range(1, keys + 1) if keys % p == 0])
    count, rest = keys // page, sizes[own:nb] + sizes[nb + 1:]
    outer = sizes[:own] + [count]
    first = pages.random() < 0.5  # whether the keys of a page are its first dimension, or the last but one
    inner = [page] + rest if first else rest[:-1] + [page] + rest[-1:]
    cache = g.argument([pages.choice([1, 3, 17])] + inner, dtype)
    table = g.argument(outer, "i32")
    lists = {"offset_dims": range(len(outer), len(outer) + len(inner)), "collapsed_slice_dims": [0], "start_index_map": [0]}
    shape, text = outer + inner, " ".join(f"{name} {list(values)}" for name, values in lists.items())
    x = g.op(f"tg.gather {cache[0]}, {table[0]} {text} index_vector_dim {len(outer)} slice_sizes {[1] + inner} : ({tensor(cache[1], dtype)}, "
             f"{tensor(outer, 'i32')}) -> {tensor(shape, dtype)}", shape, dtype)
    if not first:  # the pages of a key behind each other
        at = len(outer) + len(rest) - 1
        x = g.transpose(x, list(range(len(outer))) + [at] + list(range(len(outer), at)) + [at + 1])
    merged = outer[:-1] + [keys] + rest
    x = g.op(f"tg.reshape {x[0]} : ({tensor(x[1], dtype)}) -> {tensor(merged, dtype)}", merged, dtype)
    return x, ([0] if own else []) + list(range(own + 1, nb + 1)) + [int(own), len(merged) - 1]


def attention(r, gradient, warpgroups, precisions, pages):
    g = Graph(precisions)
    narrow = r.choice(["f16", "bf16"] if warpgroups else ["f32", "f32", "f16", "bf16", "bf16", "f64"])
    wide = narrow if narrow in ("f32", "f64") or r.random() < 0.3 else "f32"
    batch = [r.choice([1, 2, 3]) for _ in range(r.choice([0, 1, 2]))]
    rows = [r.choice(SIZES + [1]) if r.random() < 0.8 else r.choice([1, 2, 3])] + ([r.choice([2, 3])] if r.random() < 0.3 else [])
    keys, depth, features = r.choice(SIZES), r.choice(HEADS), r.choice(HEADS)
    nb, nr = len(batch), len(rows)
    if warpgroups:
        rows[0], keys, depth, features = r.choice([33, 64, 65, 100, 128, 200, 257]), r.choice(SIZES + [130, 200, 300]), r.choice(HEADS + [80, 96, 128, 200]), r.choice(HEADS + [72, 80, 128, 200])
    if gradient:  # of a single row they are no sums
        rows[0] = max(rows[0], 2)

    def operand(sizes):
        """A tensor with these dimensions in any order, and where each of them is."""
        order = list(range(len(sizes)))
        if r.random() < 0.6:
            r.shuffle(order)
        return g.argument([sizes[d] for d in order], narrow), [order.index(d) for d in range(len(sizes))]

    query = operand(batch + rows + [depth])
    key = operand(batch + [keys, depth])
    value, at_value = operand(batch + [keys, features])
    if not gradient and pages.random() < 0.3:
        key = paged(g, pages, batch + [keys, depth], nb, narrow)
    if not gradient and pages.random() < 0.3:
        value, at_value = paged(g, pages, batch + [keys, features], nb, narrow)
    scores = scores_of(g, query, key, nb, r.choice([narrow, wide]))
    scores = changed(g, r, g.convert(scores, wide))
    where = selection(g, r, scores[1]) if r.random() < 0.25 else None  # as jax.nn.softmax has it
    if where:
        scores = g.select(where, scores, g.splat(LOWEST[wide], *scores[1:]))
    weights, most = exponentials(g, r, scores, narrow)
    summed = g.select(where, weights, g.splat("0.0", *weights[1:])) if where else weights
    summed = g.reduce("add", g.convert(summed, "f32") if wide in ("f16", "bf16") else summed)
    total = g.convert(summed, wide)
    behind = r.random() < 0.25
    if not behind:
        weights = g.elementwise("div", weights, g.broadcast(total, weights[1], range(nb + nr)))
        if narrow != "f16" and r.random() < 0.2:
            weights = g.elementwise("mul", weights, g.argument(weights[1], wide))
        if r.random() < 0.25:  # rows without any key are 0, as PyTorch has it
            seen = g.reduce("or", g.compare("ne", scores, g.splat(LOWEST[wide], scores[1], wide)))
            spread = g.broadcast(seen, weights[1], range(nb + nr))
            zero = g.splat("0.0", weights[1], wide)
            weights = g.select(spread, weights, zero) if r.random() < 0.5 else g.select(g.elementwise("not", spread), zero, weights)
        if where:
            weights = g.select(where, weights, g.splat("0.0", *weights[1:]))
    of_softmax = weights
    drop = dropout(g, r, weights[1]) if r.random() < 0.35 else lambda x: x
    weights = g.convert(drop(weights), narrow)
    batches = list(range(nb))
    if r.random() < 0.5:
        result = g.dot(value, weights, (at_value[:nb], batches), (at_value[nb], nb + nr), narrow)
    else:
        result = g.dot(weights, value, (batches, at_value[:nb]), (nb + nr, at_value[nb]), narrow)
    if r.random() < 0.5:
        order = list(range(len(result[1])))
        r.shuffle(order)
        result = g.transpose(result, order)
    results = [result]
    if behind or r.random() < 0.2:
        results.append(total)
    if most and r.random() < 0.2:
        results.append(most)
    if gradient:
        own = gradients(g, r, query, key, (value, at_value), operand(batch + rows + [features]), of_softmax, drop, nb)
        results = (results if r.random() < 0.8 else []) + own
    return g.text(results)


def is_checked_but_for_nan(run):
    """Whether a run fails for nothing but results too many of which are NaN, as rows are that see no key: all else is known, and right."""
    if run.returncode != 1 or re.search(r"^FAIL|error: ", run.stdout + run.stderr, re.M):
        return False
    return all(re.search(r" 0 are uncertain and | NaN and 0 jump", line) for line in run.stdout.splitlines() if line.startswith("not checked"))


def check(options, number):
    r = random.Random(f"{options.seed} {number}")
    text = attention(r, options.gradient, options.warpgroups, random.Random(f"{options.seed} {number} precisions"),
                     random.Random(f"{options.seed} {number} pages"))
    with tempfile.TemporaryDirectory() as folder:
        source, model = os.path.join(folder, "graph.mlir"), os.path.join(folder, "graph.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        plan = "astitch" if options.apart else "attention-always"
        compiler = [options.compile, source, f"--pipeline=plan={plan}", *options.option]
        compiler += ["--device=h200, product_warps = 4"] if options.warpgroups else []
        runs = [compiler + ["--emit=plan", "-o", os.path.join(folder, "plan.mlir")],
                compiler + ["--target=simt,sm_80" if options.double else "--target=simt", *([] if options.unchecked else ["--checks"]), "-o", model]]
        seed = number + 1
        seed += seed % 3 == 2  # infinite values, with weights that underflow where they have been divided: docs/error_bounds.md
        checks = ["--check"]
        runs += [[options.run, model, *checks, f"--seed={seed}", f"--thread-order={order}"] for order in (0, r.randrange(1, 1000))]
        if options.double:
            runs.append([options.run, model, "--device=cuda", *checks, f"--seed={seed}"])
        environment = dict(os.environ)
        if options.double:
            environment["LD_LIBRARY_PATH"] = options.double
        for run in runs:
            done = subprocess.run(run, capture_output=True, text=True, env=environment)
            if done.returncode and not is_checked_but_for_nan(done):
                return number, text, done.stdout + done.stderr
        with open(os.path.join(folder, "plan.mlir"), encoding="utf-8") as file:
            planned = file.read()
            wanted = ["stitch.attention", *(["gradient = true"] if options.gradient else []), *(["#stitch.attention<wgmma"] if options.warpgroups else [])]
            if not options.apart and not all(text in planned for text in wanted):
                return number, text, "it has become no kernel of attention"
    return number, text, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gradient", action="store_true", help="gradients, too")
    parser.add_argument("--warpgroups", action="store_true", help="products of warpgroups")
    parser.add_argument("--unchecked", action="store_true", help="without checks of accesses and races")
    parser.add_argument("--apart", action="store_true", help="products in library calls")
    parser.add_argument("--double", metavar="DIR", help="run on this test double of the CUDA driver and libraries, too")
    parser.add_argument("--keep", help="folder for the graphs that fail")
    parser.add_argument("--option", action="append", default=[], help="passed to stitch-compile")
    parser.add_argument("--compile", required=True, help="stitch-compile")
    parser.add_argument("--run", required=True, help="stitch-run")
    options = parser.parse_args()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, text, problem in pool.map(lambda n: check(options, n), range(options.first, options.first + options.count)):
            if problem is None:
                continue
            failed += 1
            print(f"graph {number} failed:\n{problem}")
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                with open(os.path.join(options.keep, f"attention_{number}.mlir"), "w", encoding="utf-8") as file:
                    file.write(text)
    print(f"{options.count - failed} of {options.count} kernels of attention agree with the reference, {failed} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
