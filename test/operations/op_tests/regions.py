# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations with bodies: scatters, windows, sorts, reductions of several operands, control flow."""
import itertools

import numpy as np

from op_tests.cases import Case, Equal, Group, Ulps, dims
from op_tests.elementwise import maximum, total_order_key, wrap
from op_tests.reductions import float_identity, identity_of, term_rounding
from op_tests.types import BOOL, TYPES, random_values, rounded, tensor, wide

# ---------------------------------------------------------------------------------------------------------------------
# What a body does: its text and its meaning
# ---------------------------------------------------------------------------------------------------------------------


def combine(kind, a, b, t):
    """One element, or arrays of them, combined as the operation `kind` does."""
    if t.kind == "bool":
        return {"add": np.logical_or, "multiply": np.logical_and, "minimum": np.logical_and, "maximum": np.logical_or,
                "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[kind](a, b)
    if t.kind == "complex":
        x, y = wide(np.asarray(a)), wide(np.asarray(b))
        return rounded({"add": lambda: x + y, "multiply": lambda: x * y, "subtract": lambda: x - y}[kind](), t)
    if t.kind == "float":
        x, y = wide(np.asarray(a)), wide(np.asarray(b))
        value = {"add": lambda: x + y, "multiply": lambda: x * y, "subtract": lambda: x - y, "maximum": lambda: maximum(x, y),
                 "minimum": lambda: -maximum(-x, -y)}[kind]()
        return rounded(np.asarray(value), t)
    x, y = np.asarray(a).astype(object), np.asarray(b).astype(object)
    value = {"add": lambda: x + y, "multiply": lambda: x * y, "subtract": lambda: x - y, "maximum": lambda: np.maximum(x, y),
             "minimum": lambda: np.minimum(x, y), "and": lambda: x & y, "or": lambda: x | y, "xor": lambda: x ^ y}[kind]()
    return np.asarray(wrap(np.atleast_1d(np.asarray(value, object)), t).reshape(np.shape(value)))


def kinds_of(t):
    """The bodies of known name that elements of the type have. (f8E8M0FNU has no identity of sums.)"""
    if t.kind == "complex":
        return ["add", "multiply"]
    if t.kind == "float":
        return ["add"] * t.has_zero + ["multiply", "minimum", "maximum"]
    return ["add", "multiply", "minimum", "maximum", "and", "or", "xor"]


def scalar_body(lines, arguments, results):
    """The text of a region: `arguments` are names and types, `results` likewise."""
    block = ", ".join(f"{name}: {tensor([], t)}" for name, t in arguments)
    names, types = ", ".join(n for n, _ in results), ", ".join(tensor([], t) for _, t in results)
    body = "".join(f"      {line}\n" for line in lines)
    return f'({{\n    ^bb0({block}):\n{body}      "stablehlo.return"({names}) : ({types}) -> ()\n    }})'


def binary_line(result, name, a, b, t, attributes="", result_type=None):
    scalar = tensor([], t)
    return f'{result} = "stablehlo.{name}"({a}, {b}){attributes} : ({scalar}, {scalar}) -> {tensor([], result_type or t)}'


def compare_line(result, direction, a, b, t, total=False):
    kind = "TOTALORDER" if total and t.kind == "float" else {"float": "FLOAT", "int": "SIGNED"}.get(t.kind, "UNSIGNED")
    attributes = (f" {{comparison_direction = #stablehlo<comparison_direction {direction}>, "
                  f"compare_type = #stablehlo<comparison_type {kind}>}}")
    return binary_line(result, "compare", a, b, t, attributes, BOOL)


def kind_body(kind, t):
    return scalar_body([binary_line("%s", kind, "%a", "%b", t)], [("%a", t), ("%b", t)], [("%s", t)])


def scalar_constant(name, literal, t):
    return f'{name} = "stablehlo.constant"() {{value = dense<{literal}> : {tensor([], t)}}} : () -> {tensor([], t)}'


def small_numbers(t, shape, rng):
    """Whole numbers, so that sums in any order are exact; few of them, so that there are equal ones. Floats of at most 8 bits have few digits, so
    most are zeros; f8E8M0FNU has powers of two alone."""
    if t.kind == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if t.kind == "complex":
        return (rng.integers(-3, 4, shape) + 1j * rng.integers(-3, 4, shape)).astype(t.numpy)
    if t.kind == "float" and t.bits <= 8:
        whole = rng.integers(-1, 2, shape) * (rng.random(shape) < (0.2 if t.bits == 8 else 0.03))
        return (whole if t.has_zero else 2.0**whole).astype(t.numpy)
    return rng.integers(0 if t.kind == "uint" else -3, 4, shape).astype(t.numpy)


# ---------------------------------------------------------------------------------------------------------------------
# scatter
# ---------------------------------------------------------------------------------------------------------------------


class ScatterNumbers:
    """The dimension numbers of a scatter, and the places that the specification gives its updates."""

    def __init__(self, window=(), inserted=(), batching=(), indices_batching=(), to_operand=(), index_vector=0):
        self.window, self.inserted, self.batching, self.indices_batching = window, inserted, batching, indices_batching
        self.to_operand, self.index_vector = to_operand, index_vector

    def text(self):
        return (f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {list(self.window)}, inserted_window_dims = "
                f"{list(self.inserted)}, input_batching_dims = {list(self.batching)}, scatter_indices_batching_dims = "
                f"{list(self.indices_batching)}, scatter_dims_to_operand_dims = {list(self.to_operand)}, index_vector_dim = "
                f"{self.index_vector}>")

    def places(self, shape, indices, updates_shape):
        """(update index, place in the operand) of each update whose place exists, in row-major order."""
        for at in itertools.product(*map(range, updates_shape)):
            scatter = [at[d] for d in range(len(updates_shape)) if d not in self.window]
            start = list(scatter)
            if self.index_vector < indices.ndim:
                start.insert(self.index_vector, slice(None))
            start = np.atleast_1d(indices[tuple(start)])
            place = [0] * len(shape)
            for i, d in enumerate(self.to_operand):
                place[d] = int(start[i])
            for o, i in zip(self.batching, self.indices_batching):
                place[o] = scatter[i if i < self.index_vector else i - 1]
            kept = [d for d in range(len(shape)) if d not in self.inserted and d not in self.batching]
            for d, u in zip(kept, self.window):
                place[d] += at[u]
            if all(0 <= p < n for p, n in zip(place, shape)):
                yield at, tuple(place)


ROWS = ScatterNumbers(window=(1,), inserted=(0,), to_operand=(0,), index_vector=1)
WINDOWS = ScatterNumbers(window=(1, 2), to_operand=(1, 0), index_vector=1)
BATCHES = ScatterNumbers(window=(2,), inserted=(1,), batching=(0,), indices_batching=(0,), to_operand=(1,), index_vector=2)


def scatter_group(index_type, t, size, rng):
    starts = np.concatenate([[0, 3, 3, 8, 9, 7, 127], rng.integers(0, 9, 6)])
    if index_type.kind == "int":
        starts = np.concatenate([starts, [-1, -128]])
    starts = starts.astype(index_type.numpy)
    pairs = np.stack([starts, starts[::-1] % 5], 1).astype(index_type.numpy)
    batches = rng.integers(0, 8, (3, 4)).astype(index_type.numpy)
    x, cube = small_numbers(t, (9, 5), rng), small_numbers(t, (3, 6, 2), rng)
    inputs = [x, starts, small_numbers(t, (len(starts), 5), rng), pairs, small_numbers(t, (len(starts), 2, 3), rng),
              cube, batches, small_numbers(t, (3, 4, 2), rng)]
    cases = []

    def add(row, numbers, operands, body, combined):
        operand, indices, updates = (inputs[i] for i in operands)
        expected = operand.copy()
        for at, place in numbers.places(operand.shape, indices, updates.shape):
            expected[place] = combined(expected[place], updates[at])
        types = [tensor(operand.shape, t), tensor(indices.shape, index_type), tensor(updates.shape, t)]
        text = (f'%r = "stablehlo.scatter"({", ".join(f"%{i}" for i in operands)}) {body} {{{numbers.text()}, indices_are_sorted = false, '
                f'unique_indices = false}} : ({", ".join(types)}) -> {types[0]}')
        cases.append(Case(row, t, text, list(operand.shape), t, Equal(expected)))

    for kind in kinds_of(t):
        add(f"stablehlo.scatter {kind}", ROWS, (0, 1, 2), kind_body(kind, t), lambda a, b: combine(kind, a, b, t))
    replace = scalar_body([], [("%a", t), ("%b", t)], [("%b", t)])
    for numbers, operands in ((ROWS, (0, 1, 2)), (WINDOWS, (0, 3, 4)), (BATCHES, (5, 6, 7))):
        add("stablehlo.scatter, replacing", numbers, operands, replace, lambda a, b: b)
        if "add" in kinds_of(t):
            add("stablehlo.scatter add", numbers, operands, kind_body("add", t), lambda a, b: combine("add", a, b, t))
    if t.kind != "bool":
        lines = [binary_line("%m", "multiply", "%a", "%b", t), binary_line("%s", "subtract", "%m", "%b", t)]
        add("stablehlo.scatter, any body", ROWS, (0, 1, 2), scalar_body(lines, [("%a", t), ("%b", t)], [("%s", t)]),
            lambda a, b: combine("subtract", combine("multiply", a, b, t), b, t))
    return Group(f"scatter {index_type.name} {t.name}", inputs, cases)


# ---------------------------------------------------------------------------------------------------------------------
# Windows
# ---------------------------------------------------------------------------------------------------------------------


class Window:
    def __init__(self, sizes, strides, low, high, base=None, window=None):
        self.sizes, self.strides, self.low, self.high = sizes, strides, low, high
        self.base, self.window = base or (1,) * len(sizes), window or (1,) * len(sizes)

    def text(self, dilations=True):
        padding = ", ".join(f"[{a}, {b}]" for a, b in zip(self.low, self.high))
        text = (f"window_dimensions = {dims(*self.sizes)}, window_strides = {dims(*self.strides)}, "
                f"padding = dense<[{padding}]> : tensor<{len(self.low)}x2xi64>")
        return text + (f", base_dilations = {dims(*self.base)}, window_dilations = {dims(*self.window)}" if dilations else "")

    def counts(self, shape):
        def count(d):
            room = (shape[d] - 1) * self.base[d] + 1 + self.low[d] + self.high[d]
            return max((room - (self.sizes[d] - 1) * self.window[d] - 1) // self.strides[d] + 1, 0)

        return tuple(count(d) for d in range(len(shape)))

    def places(self, shape, number):
        """The places under the window of that number, row-major; None where there is no element."""
        for inside in itertools.product(*map(range, self.sizes)):
            place, exists = [], True
            for d, i in enumerate(inside):
                p = number[d] * self.strides[d] + i * self.window[d] - self.low[d]
                exists &= p >= 0 and p % self.base[d] == 0 and p // self.base[d] < shape[d]
                place.append(p // self.base[d])
            yield tuple(place) if exists else None


SHAPE = (6, 9)
WINDOWS_OF_REDUCTIONS = [
    Window((2, 3), (2, 2), (0, 0), (0, 0)),
    Window((3, 2), (1, 2), (1, 0), (2, 1)),
    Window((2, 2), (3, 1), (2, -1), (0, 3), base=(2, 3), window=(3, 2)),
]


def reduce_window_text(name, operands, inits, body, window, types, result_types):
    listed = ", ".join(operands + inits)
    return f'{name} = "stablehlo.reduce_window"({listed}) {body} {{{window.text()}}} : ({", ".join(types)}) -> {result_types}'


def window_group(t, size, rng):
    x, init = small_numbers(t, SHAPE, rng), np.array(small_numbers(t, (1,), rng)[0])
    inputs, cases = [x, init], []
    scalar = tensor([], t)
    for window in WINDOWS_OF_REDUCTIONS:
        counts = window.counts(SHAPE)
        for kind in kinds_of(t):
            for known in (True, False):
                identity = init if not known else identity_element(kind, t)
                expected = np.empty(counts, t.numpy)
                for number in np.ndindex(*counts):
                    value = identity
                    for place in window.places(SHAPE, number):
                        value = combine(kind, value, identity if place is None else x[place], t)
                    expected[number] = value
                first = scalar_constant("%r_i", identity_of(kind, t), t) + "\n    " if known else ""
                text = first + reduce_window_text("%r", ["%0"], ["%r_i" if known else "%1"], kind_body(kind, t), window,
                                                  [tensor(SHAPE, t), scalar], tensor(counts, t))
                row = f"stablehlo.reduce_window {kind}" if known else "stablehlo.reduce_window, any initial value"
                cases.append(Case(row, t, text, list(counts), t, Equal(expected)))
    return Group(f"window {t.name}", inputs, cases)


def identity_element(kind, t):
    if t.kind == "bool":
        return np.array(kind in ("multiply", "minimum", "and"))
    if t.kind in ("float", "complex"):
        return t.array(float_identity(kind, t))
    if kind in ("minimum", "maximum"):
        return t.array(t.largest if kind == "minimum" else t.least)
    return t.array({"add": 0, "multiply": 1, "or": 0, "xor": 0, "and": -1 if t.kind == "int" else t.largest}[kind])


def select_and_scatter_group(t, size, rng):
    x = small_numbers(t, SHAPE, rng)
    init = t.array(3)
    inputs, cases = [x, init], []
    for window in (Window((2, 3), (2, 2), (0, 0), (0, 0)), Window((3, 2), (1, 2), (1, 0), (2, 1))):
        counts = window.counts(SHAPE)
        source = small_numbers(t, counts, rng)
        inputs.append(source)
        for direction, keeps in (("GE", np.greater_equal), ("LE", np.less_equal), ("GT", np.greater)):
            start = init if direction == "GT" else t.array(0)
            expected = np.full(SHAPE, start, t.numpy)
            for number in np.ndindex(*counts):
                chosen = None
                for place in window.places(SHAPE, number):
                    if place is not None and (chosen is None or not keeps(x[chosen], x[place])):
                        chosen = place
                expected[chosen] = combine("add", expected[chosen], source[number], t)
            select = scalar_body([compare_line("%p", direction, "%a", "%b", t)], [("%a", t), ("%b", t)], [("%p", BOOL)])
            scatter = kind_body("add", t)
            first = "" if direction == "GT" else scalar_constant("%r_i", identity_of("add", t), t) + "\n    "
            operands = f'%0, %{len(inputs) - 1}, {"%1" if direction == "GT" else "%r_i"}'
            types = f"{tensor(SHAPE, t)}, {tensor(counts, t)}, {tensor([], t)}"
            text = (f'{first}%r = "stablehlo.select_and_scatter"({operands}) ({select[1:-1]}, {scatter[1:-1]}) '
                    f"{{{window.text(dilations=False)}}} : ({types}) -> {tensor(SHAPE, t)}")
            row = "stablehlo.select_and_scatter" + (", any body" if direction == "GT" else "")
            cases.append(Case(row, t, text, list(SHAPE), t, Equal(expected)))
    return Group(f"select_and_scatter {t.name}", inputs, cases)


def cumulative_group(t, size, rng):
    """Windows from each element to one end, as exporters write cumulative sums."""
    shape = (5, 37)
    x = small_numbers(t, shape, rng)
    inputs, cases = [x], []
    scalar = tensor([], t)

    def add(row, kind, operand, backward, check):
        before, after = ((0, 0), (0, shape[1] - 1)) if backward else ((0, shape[1] - 1), (0, 0))
        window = Window((1, shape[1]), (1, 1), before, after)
        text = scalar_constant("%r_i", identity_of(kind, t), t) + "\n    " + reduce_window_text(
            "%r", [f"%{operand}"], ["%r_i"], kind_body(kind, t), window, [tensor(shape, t), scalar], tensor(shape, t))
        cases.append(Case(row, t, text, list(shape), t, check))

    def running(kind, backward):
        line = x[:, ::-1] if backward else x
        columns = [combine(kind, np.full(len(x), identity_element(kind, t)), line[:, 0], t)]
        for i in range(1, shape[1]):
            columns.append(combine(kind, columns[-1], line[:, i], t))
        result = np.stack(columns, 1).astype(t.numpy)
        return np.ascontiguousarray(result[:, ::-1] if backward else result)

    for kind in [k for k in kinds_of(t) if k != "multiply" or t.kind not in ("float", "complex")]:
        for backward in (False, True):
            add(f"cumulative {kind}", kind, 0, backward, Equal(running(kind, backward)))
    if t.kind == "float" and t.has_zero:
        terms = rng.normal(0, 1, shape).astype(t.numpy)
        inputs.append(terms)
        bound = 0.5 + shape[1] * term_rounding(t)
        add("cumulative add, rounded", "add", 1, False,
            Ulps(np.cumsum(wide(terms), 1), t, bound, scale=np.cumsum(np.abs(wide(terms)), 1)))
    return Group(f"cumulative {t.name}", inputs, cases)


# ---------------------------------------------------------------------------------------------------------------------
# Sorts
# ---------------------------------------------------------------------------------------------------------------------


def order_key(x, t):
    return total_order_key(x, t) if t.kind == "float" else x.astype(object)


def sort_group(t, size, rng):
    i32 = TYPES["i32"]
    x, few = random_values(t, 7 * 37, rng).reshape(7, 37), small_numbers(t, (7, 37), rng)
    inputs = [x, few, np.tile(np.arange(37, dtype=np.int32), (7, 1))]
    shape, cases = x.shape, []

    def sort_text(name, operands, types, dim, direction, first):
        arguments = [(f"%a{i}{s}", types[i]) for i in range(len(types)) for s in "xy"]
        body = scalar_body([compare_line("%p", direction, "%a0x", "%a0y", first, total=True)], arguments, [("%p", BOOL)])
        listed = ", ".join(tensor(shape, u) for u in types)
        return (f'{name} = "stablehlo.sort"({", ".join(operands)}) {body} {{dimension = {dim} : i64, is_stable = true}} : '
                f'({listed}) -> {listed if len(types) == 1 else f"({listed})"}')

    for dim in (0, 1):
        for direction in ("LT", "GT"):
            order = np.argsort(order_key(x, t), axis=dim, kind="stable")
            if direction == "GT":
                order = descending(order_key(x, t), dim)
            expected = np.take_along_axis(x, order, dim)
            cases.append(Case("stablehlo.sort", t, sort_text("%r", ["%0"], [t], dim, direction, t), list(shape), t,
                              Equal(expected, payload=True)))
    order = descending(order_key(few, t), 1)
    both = sort_text("%r:2", ["%1", "%2"], [t, i32], 1, "GT", t)
    cases.append(Case("stablehlo.sort, several operands", t, both, list(shape), t, Equal(np.take_along_axis(few, order, 1)), "%r#0"))
    cases.append(Case("stablehlo.sort, several operands", t, both, list(shape), i32, Equal(order.astype(np.int32)), "%r#1"))
    order = np.take_along_axis(order, np.argsort(order % 4, axis=1, kind="stable"), 1)
    text = two_key_sort_text(shape, t)
    cases.append(Case("stablehlo.sort, comparator", t, text, list(shape), t, Equal(np.take_along_axis(few, order, 1)), "%r#0"))
    cases.append(Case("stablehlo.sort, comparator", t, text, list(shape), i32, Equal(order.astype(np.int32)), "%r#1"))
    for k in (1, 5, 37):
        for array, operand in ((x, "%0"), (few, "%1")):
            order = descending(order_key(array, t), 1)[:, :k].astype(np.int32)
            text = (f'%r:2 = "chlo.top_k"({operand}) {{k = {k} : i64}} : ({tensor(shape, t)}) -> '
                    f"({tensor((7, k), t)}, {tensor((7, k), i32)})")
            cases.append(Case("chlo.top_k", t, text, [7, k], t, Equal(np.take_along_axis(array, order, 1), payload=True), "%r#0"))
            cases.append(Case("chlo.top_k", t, text, [7, k], i32, Equal(order), "%r#1"))
    return Group(f"sort {t.name}", inputs, cases)


def two_key_sort_text(shape, t):
    """By the second operand's remainder of 4, then by the first operand, the greatest first: no comparator has a name for that."""
    i32 = TYPES["i32"]
    arguments = [(f"%a{i}{s}", u) for i, u in enumerate((t, i32)) for s in "xy"]
    lines = [f'%four = "stablehlo.constant"() {{value = dense<4> : {tensor([], i32)}}} : () -> {tensor([], i32)}',
             binary_line("%u", "remainder", "%a1x", "%four", i32), binary_line("%v", "remainder", "%a1y", "%four", i32),
             compare_line("%less", "LT", "%u", "%v", i32), compare_line("%same", "EQ", "%u", "%v", i32),
             compare_line("%greater", "GT", "%a0x", "%a0y", t, total=True),
             binary_line("%both", "and", "%same", "%greater", BOOL), binary_line("%p", "or", "%less", "%both", BOOL)]
    listed = f"{tensor(shape, t)}, {tensor(shape, i32)}"
    return (f'%r:2 = "stablehlo.sort"(%1, %2) {scalar_body(lines, arguments, [("%p", BOOL)])} {{dimension = 1 : i64, is_stable = true}} : '
            f"({listed}) -> ({listed})")


def descending(keys, axis):
    """Positions by decreasing key, the first of equal ones first."""
    flipped = np.flip(keys, axis)
    return keys.shape[axis] - 1 - np.flip(np.argsort(flipped, axis=axis, kind="stable"), axis)


# ---------------------------------------------------------------------------------------------------------------------
# Reductions of several operands
# ---------------------------------------------------------------------------------------------------------------------


def general_reduce_group(t, size, rng):
    """The extreme element and its index, as JAX writes them, and a body that is neither of the named ones."""
    i32 = TYPES["i32"]
    shape = (6, 37)
    x = random_values(t, 6 * 37, rng).reshape(shape) if t.kind == "float" else small_numbers(t, shape, rng)
    inputs, cases = [x, rng.integers(-5, 6, shape).astype(np.int32)], []
    types = f"{tensor(shape, t)}, {tensor(shape, i32)}, {tensor([], t)}, {tensor([], i32)}"
    results = f"({tensor((6,), t)}, {tensor((6,), i32)})"
    for kind, direction in (("maximum", "GT"), ("minimum", "LT")):
        lines = [compare_line("%better", direction, "%a", "%b", t), compare_line("%same", "EQ", "%a", "%b", t),
                 compare_line("%earlier", "LT", "%i", "%j", i32), compare_line("%nan", "NE", "%a", "%a", t),
                 binary_line("%wins", "or", "%better", "%nan", BOOL), binary_line("%tie", "and", "%same", "%earlier", BOOL),
                 binary_line("%index_wins", "or", "%wins", "%tie", BOOL),
                 f'%v = "stablehlo.select"(%wins, %a, %b) : ({tensor([], BOOL)}, {tensor([], t)}, {tensor([], t)}) -> {tensor([], t)}',
                 f'%k = "stablehlo.select"(%index_wins, %i, %j) : ({tensor([], BOOL)}, {tensor([], i32)}, {tensor([], i32)}) -> {tensor([], i32)}']
        body = scalar_body(lines, [("%a", t), ("%i", i32), ("%b", t), ("%j", i32)], [("%v", t), ("%k", i32)])
        text = "\n    ".join([
            f'%r_n = "stablehlo.iota"() {{iota_dimension = 1 : i64}} : () -> {tensor(shape, i32)}',
            scalar_constant("%r_i", identity_of(kind, t), t), scalar_constant("%r_z", "0", i32),
            f'%r:2 = "stablehlo.reduce"(%0, %r_n, %r_i, %r_z) {body} {{dimensions = {dims(1)}}} : ({types}) -> {results}'])
        index = np.array([extreme(row, kind, t) for row in x], np.int32)
        value = x[np.arange(6), index]
        cases.append(Case(f"stablehlo.reduce to an index, {kind}", t, text, [6], t, Equal(value), "%r#0"))
        cases.append(Case(f"stablehlo.reduce to an index, {kind}", t, text, [6], i32, Equal(index), "%r#1"))
    small = small_numbers(t, shape, rng)
    inputs.append(small)
    # i + j + i j is associative, as a body must be: 1 plus it is the product of 1 plus each.
    lines = [binary_line("%v", "maximum", "%a", "%b", t), binary_line("%m", "multiply", "%i", "%j", i32),
             binary_line("%n", "add", "%i", "%j", i32), binary_line("%k", "add", "%n", "%m", i32)]
    body = scalar_body(lines, [("%a", t), ("%i", i32), ("%b", t), ("%j", i32)], [("%v", t), ("%k", i32)])
    text = "\n    ".join([
        scalar_constant("%r_i", identity_of("maximum", t), t), scalar_constant("%r_z", "0", i32),
        f'%r:2 = "stablehlo.reduce"(%2, %1, %r_i, %r_z) {body} {{dimensions = {dims(1)}}} : ({types}) -> {results}'])
    row = "stablehlo.reduce, any body"
    products = wrap(np.prod(inputs[1].astype(object) + 1, 1) - 1, i32)
    cases.append(Case(row, t, text, [6], t, Equal(small.max(1) if t.kind != "float" else wide(small).max(1).astype(t.numpy)), "%r#0"))
    cases.append(Case(row, t, text, [6], i32, Equal(products), "%r#1"))
    return Group(f"general reduce {t.name}", inputs, cases)


def extreme(row, kind, t):
    """The first NaN, else the first of the extreme elements."""
    values = [float("nan") if v != v else v for v in (wide(row) if t.kind == "float" else row.astype(object))]
    for i, v in enumerate(values):
        if v != v:
            return i
    best = max(values) if kind == "maximum" else min(values)
    return values.index(best)


# ---------------------------------------------------------------------------------------------------------------------
# Control flow
# ---------------------------------------------------------------------------------------------------------------------


def control_group(t, size, rng):
    i32 = TYPES["i32"]
    shape = (3, 5)
    x, y = random_values(t, 15, rng).reshape(shape), random_values(t, 15, rng).reshape(shape)
    inputs, cases = [x, y], []
    whole, scalar = tensor(shape, t), tensor([], i32)

    def region(lines, values, types):
        body = "".join(f"      {line}\n" for line in lines)
        return f'{{\n{body}      "stablehlo.return"({", ".join(values)}) : ({", ".join(types)}) -> ()\n    }}'

    def reverse(result, operand):
        return f'{result} = "stablehlo.reverse"({operand}) {{dimensions = {dims(1)}}} : ({whole}) -> {whole}'

    for index in (-4, 0, 1, 2, 9):
        inputs.append(np.array(index, np.int32))
        branches = ", ".join([region([], ["%0"], [whole]), region([reverse("%w", "%1")], ["%w"], [whole]), region([], ["%1"], [whole])])
        text = f'%r = "stablehlo.case"(%{len(inputs) - 1}) ({branches}) : ({scalar}) -> {whole}'
        expected = {0: x, 1: y[:, ::-1]}.get(index, y)
        cases.append(Case("stablehlo.case", t, text, list(shape), t, Equal(np.ascontiguousarray(expected), payload=True)))
    for pred in (True, False):
        inputs.append(np.array(pred))
        branches = ", ".join([region([reverse("%w", "%0")], ["%w", "%1"], [whole] * 2), region([], ["%1", "%0"], [whole] * 2)])
        text = f'%r:2 = "stablehlo.if"(%{len(inputs) - 1}) ({branches}) : ({tensor([], BOOL)}) -> ({whole}, {whole})'
        for k, expected in enumerate((x[:, ::-1], y) if pred else (y, x)):
            cases.append(Case("stablehlo.if", t, text, list(shape), t, Equal(np.ascontiguousarray(expected), payload=True), f"%r#{k}"))
    for rounds in (0, 1, 5):
        inputs.append(np.array(rounds, np.int32))
        a, b = x, y
        for _ in range(rounds):
            a, b = b, a[:, ::-1]
        arguments = f"^bb0(%i: {scalar}, %a: {whole}, %b: {whole}):\n"
        condition = region([compare_line("%p", "LT", "%i", f"%{len(inputs) - 1}", i32)], ["%p"], [tensor([], BOOL)])
        step = region([scalar_constant("%one", "1", i32), binary_line("%n", "add", "%i", "%one", i32), reverse("%w", "%a")],
                      ["%n", "%b", "%w"], [scalar, whole, whole])
        regions = ", ".join(r.replace("{\n", "{\n    " + arguments, 1) for r in (condition, step))
        text = (scalar_constant("%r_z", "0", i32) + f'\n    %r:3 = "stablehlo.while"(%r_z, %0, %1) ({regions}) : '
                f"({scalar}, {whole}, {whole}) -> ({scalar}, {whole}, {whole})")
        for k, expected in enumerate((a, b)):
            cases.append(Case("stablehlo.while", t, text, list(shape), t, Equal(np.ascontiguousarray(expected), payload=True), f"%r#{k + 1}"))
    return Group(f"control {t.name}", inputs, cases)
