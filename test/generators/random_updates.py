# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose buffers are updated: by scatters and slices, in loops, in branches, chosen by a truth value, one behind the other, of
values that change places, that are donated, that begin as equal elements. What was before an update is read before and behind it, as the
rows that other updates write, and as sums; which of it can be in place is for the compiler to see."""
KINDS = {"f32": [0, 1, 2, 3, 7, 7], "bf16": [0, 2, 3, 7, 7], "i32": [0, 1, 2, 3, 4, 5, 6, 7, 7], "f64": [0, 7]}


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{dtype}>"


def dims(numbers):
    return "array<i64" + (": " + ", ".join(map(str, numbers)) if numbers else "") + ">"


class Updates:
    def __init__(self, rng):
        self.rng, self.count, self.arguments, self.donated = rng, 0, [], {}
        self.shape = rng.choice([[40, 8], [33, 7], [300, 16], [5, 12, 6], [64], [9, 260], [700, 3]])
        self.dtype = rng.choice(["f32", "f32", "f32", "bf16", "i32", "f64"])
        self.index = rng.choice(["i32", "i32", "i32", "i64", "ui32"])

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, lines, name, operands, result, attributes=""):
        """Operands and results are (name, shape, dtype)."""
        types = ", ".join(tensor(s, d) for _, s, d in operands)
        value = (self.name(), *result)
        lines.append(f'"tg.{name}"({", ".join(n for n, _, _ in operands)}) {{{attributes}}} : ({types}) -> {tensor(*result)}')
        lines[-1] = f"{value[0]} = {lines[-1]}"
        return value

    def constant(self, lines, number, shape=(), dtype=None):
        dtype = dtype or self.dtype
        text = f"{number}.0" if dtype[0] in "fb" else str(number)
        return self.op(lines, "constant", [], (list(shape), dtype), f"value = dense<{text}> : {tensor(shape, dtype)}")

    def argument(self, shape, dtype):
        self.arguments.append((f"%arg{len(self.arguments)}", list(shape), dtype))
        return self.arguments[-1]

    # Values

    def bounded(self, lines, value):
        """So that loops do not make it infinite, and integers stay small."""
        if value[2] == "i32":
            return self.op(lines, "and", [value, self.splat(lines, 255, value[1])], value[1:])
        low, high = self.constant(lines, -2), self.constant(lines, 2)
        return self.op(lines, "clamp", [low, value, high], value[1:])

    def splat(self, lines, number, shape):
        return self.op(lines, "broadcast", [self.constant(lines, number)], (list(shape), self.dtype), "dims = array<i64>")

    def position(self, lines):
        """A start index of the buffers' first dimension, sometimes outside."""
        rng = self.rng
        if rng.random() < 0.5:
            return rng.choice(self.positions)
        number = self.constant(lines, rng.choice([0, 1, 2, self.shape[0] - 1, self.shape[0] + 3]), dtype=self.index)
        return number if rng.random() < 0.5 else self.op(lines, "add", [rng.choice(self.positions), number], ([], self.index))

    def rows(self, lines, count, known):
        """`count` rows to write: an argument, a row that is read of some value, or a sum of all."""
        rng, shape = self.rng, [count] + self.shape[1:]
        kind = rng.choice(["argument", "sum", "splat"] + ["slice", "slice", "static", "static"] * (count <= self.shape[0]))
        if kind == "argument" and self.outside:
            return self.argument(shape, self.dtype)
        if kind == "splat" or kind == "argument":
            return self.splat(lines, rng.randint(0, 3), shape)
        of = rng.choice(known)
        if kind == "slice":
            zeros = [self.constant(lines, 0, dtype=self.index) for _ in self.shape[1:]]
            value = self.op(lines, "dynamic_slice", [of, self.position(lines)] + zeros, (shape, self.dtype), f"sizes = {dims(shape)}")
        elif kind == "static":
            start = rng.choice([0, 1, 2, self.shape[0] - count])
            start = min(start, self.shape[0] - count)
            value = self.op(lines, "slice", [of], (shape, self.dtype), f"starts = {dims([start] + [0] * (len(shape) - 1))}, "
                            f"limits = {dims([start + count] + self.shape[1:])}, strides = {dims([1] * len(shape))}")
        else:
            total = self.op(lines, "reduce", [of], (self.shape[1:], self.dtype), f"kind = {rng.choice([2, 3])} : i32, dims = {dims([0])}")
            value = self.op(lines, "broadcast", [total], (shape, self.dtype), f"dims = {dims(range(1, len(shape)))}")
        if rng.random() < 0.7:
            value = self.op(lines, "add", [value, self.splat(lines, 1, shape)], (shape, self.dtype))
        return self.bounded(lines, value)

    # Updates

    def slice(self, lines, buffer, known):
        count = self.rng.choice([1, 1, 1, 2, 4])
        rows = self.rows(lines, count, known)
        zeros = [self.constant(lines, 0, dtype=self.index) for _ in self.shape[1:]]
        return self.op(lines, "dynamic_update_slice", [buffer, rows, self.position(lines)] + zeros, buffer[1:])

    def scatter(self, lines, buffer, known):
        """Rows at one index or at several; a window of several rows; or a column."""
        rng, shape = self.rng, self.shape
        form = rng.choice(["row", "row", "rows", "rows", "window"] + ["column"] * (len(shape) > 1))
        kind = rng.choice(KINDS[self.dtype])
        inserted, mapped, window = [0], [0], list(range(len(shape) - 1))
        if form == "row":
            indices = self.op(lines, "reshape", [self.position(lines)], ([1], self.index))
            updates = self.op(lines, "reshape", [self.rows(lines, 1, known)], (shape[1:], self.dtype))
            vector = 0
        elif form == "rows":
            count = rng.choice([2, 3, 8, 50])
            if self.outside:
                indices = self.argument([count, 1], self.index)
            else:
                iota = self.op(lines, "iota", [], ([count, 1], self.index), "dim = 0 : i64")
                start = self.op(lines, "broadcast", [self.position(lines)], ([count, 1], self.index), "dims = array<i64>")
                indices = self.op(lines, rng.choice(["add", "mul", "and"]), [iota, start], ([count, 1], self.index))
            updates, vector, window = self.rows(lines, count, known), 1, list(range(1, len(shape)))
        elif form == "window":
            count = rng.choice([1, 2, 5])
            indices = self.op(lines, "reshape", [self.position(lines)], ([1], self.index))
            updates, vector, inserted, window = self.rows(lines, count, known), 0, [], list(range(len(shape)))
        else:
            indices = self.op(lines, "reshape", [self.position(lines)], ([1], self.index))
            column = [shape[0]] + shape[2:]
            read = self.op(lines, "slice", [rng.choice(known)], ([shape[0], 1] + shape[2:], self.dtype),
                           f"starts = {dims([0] * len(shape))}, limits = {dims([shape[0], 1] + shape[2:])}, strides = {dims([1] * len(shape))}")
            updates = self.op(lines, "reshape", [read], (column, self.dtype))
            vector, inserted, mapped, window = 0, [1], [1], list(range(len(column)))
        return self.bounded_rarely(lines, self.op(
            lines, "scatter", [buffer, indices, updates], buffer[1:],
            f"kind = {kind} : i32, update_window_dims = {dims(window)}, inserted_window_dims = {dims(inserted)}, input_batching_dims = array<i64>, "
            f"scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = {dims(mapped)}, index_vector_dim = {vector} : i64"))

    def bounded_rarely(self, lines, value):
        return self.bounded(lines, value) if self.rng.random() < 0.1 else value

    def truth(self, lines):
        number = self.constant(lines, self.rng.choice([1, 2, 3]), dtype=self.index)
        return self.op(lines, "compare", [self.rng.choice(self.positions), number], ([], "i1"), f"direction = {self.rng.choice([0, 2, 5])} : i32")

    def branch(self, lines, buffer, known, depth):
        """One side updates the buffer, the other one leaves it, or updates it too."""
        rng, truth = self.rng, self.truth(lines)
        outside, self.outside = self.outside, False
        sides = []
        for _ in range(2):
            inner, value = [], buffer
            for _ in range(rng.choice([0, 1, 1, 2])):
                value = self.update(inner, value, known + [value], depth + 1)
            if value is buffer and rng.random() < 0.2:
                value = self.bounded(inner, buffer)
            sides.append("{\n" + "\n".join(inner) + f'\n"tg.yield"({value[0]}) : ({tensor(*value[1:])}) -> ()\n}}')
        self.outside = outside
        rng.shuffle(sides)
        result = (self.name(), *buffer[1:])
        lines.append(f'{result[0]} = "tg.if"({truth[0]}) ({", ".join(sides)}) : (tensor<i1>) -> {tensor(*buffer[1:])}')
        return result

    def chosen(self, lines, buffer, known):
        updated = self.rng.choice([self.scatter, self.slice])(lines, buffer, known)
        truth, both = self.truth(lines), [updated, buffer]
        self.rng.shuffle(both)
        if self.rng.random() < 0.5:
            truth = self.op(lines, "broadcast", [truth], (self.shape, "i1"), "dims = array<i64>")
        return self.op(lines, "select", [truth] + both, buffer[1:])

    def update(self, lines, buffer, known, depth):
        kind = self.rng.choice(["slice", "slice", "scatter", "scatter", "scatter", "chosen"] + ["branch"] * (depth < 2))
        if kind == "branch":
            return self.branch(lines, buffer, known, depth)
        return getattr(self, kind)(lines, buffer, known)

    def updates(self, lines, buffers, depth):
        """Some updates of the buffers, and what is read of them besides. What each buffer is behind them, and the rest."""
        rng, now, known, others = self.rng, list(buffers), list(buffers), []
        for _ in range(rng.choice([1, 2, 3, 4, 9])):
            which = rng.randrange(len(now))
            if rng.random() < 0.2:
                others.append(self.op(lines, "reduce", [rng.choice(known)], ([self.shape[-1]], self.dtype) if len(self.shape) > 1 else ([], self.dtype),
                                      f"kind = 3 : i32, dims = {dims(range(len(self.shape) - 1)) if len(self.shape) > 1 else dims([0])}"))
                continue
            of = now[which] if rng.random() < 0.9 else rng.choice(known)
            seen = [now[which]] if rng.random() < 0.6 else known
            now[which] = self.update(lines, of, seen, depth)
            known.append(now[which])
        return now, known, others

    # The program

    def loop(self, lines, buffers):
        rng = self.rng
        zero, one = self.constant(lines, 0, dtype=self.index), self.constant(lines, 1, dtype=self.index)
        counted = rng.random() < 0.7
        limit = self.constant(lines, rng.randint(1, 6), dtype=self.index) if counted else self.limit
        inits = [zero] + buffers
        names = [(self.name(), s, d) for _, s, d in inits]
        heads = [(self.name(), s, d) for _, s, d in inits]
        condition = []
        more = self.op(condition, "compare", [heads[0], limit], ([], "i1"), "direction = 2 : i32")
        body, outside, positions = [], self.outside, self.positions
        self.outside, self.positions = False, [names[0]]
        now, known, others = self.updates(body, names[1:], 1)
        if rng.random() < 0.3:
            rng.shuffle(now)
        if rng.random() < 0.15:
            now[rng.randrange(len(now))] = rng.choice(known)
        following = self.op(body, "add", [names[0], one], ([], self.index))
        for other in others:  # is read by what goes round
            which = rng.randrange(len(now))
            spread = self.op(body, "broadcast", [other], (self.shape, self.dtype), f"dims = {dims([len(self.shape) - 1] if other[1] else [])}")
            now[which] = self.op(body, "max", [now[which], spread], (self.shape, self.dtype))
        self.outside, self.positions = outside, positions

        def region(values, inner, yielded):
            head = ", ".join(f"{n}: {tensor(s, d)}" for n, s, d in values)
            types = ", ".join(tensor(s, d) for _, s, d in yielded)
            return f"{{\n^bb0({head}):\n" + "\n".join(inner) + f'\n"tg.yield"({", ".join(n for n, _, _ in yielded)}) : ({types}) -> ()\n}}'

        results = self.name()
        types = ", ".join(tensor(s, d) for _, s, d in inits)
        lines.append(f'{results}:{len(inits)} = "tg.while"({", ".join(n for n, _, _ in inits)}) ({region(heads, condition, [more])}, '
                     f"{region(names, body, [following] + now)}) : ({types}) -> ({types})")
        return [(f"{results}#{i}", s, d) for i, (_, s, d) in enumerate(inits)][1:]

    def text(self):
        rng, lines, outputs = self.rng, [], []
        self.outside = True
        self.positions = [self.argument([], self.index)]
        self.limit = self.argument([], self.index)  # random, so small
        buffers = []
        for _ in range(rng.randint(1, 3)):
            argument = self.argument(self.shape, self.dtype)
            kind = rng.choice(["argument", "donated", "computed", "equal"])
            if kind == "computed":
                argument = self.bounded(lines, argument)
            elif kind == "equal":
                argument = self.constant(lines, 0, self.shape)
            elif kind == "donated":
                self.donated[argument[0]] = len(buffers)
            buffers.append(argument)
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.6:
                bounded = self.constant(lines, 5, dtype=self.index)
                self.limit = self.op(lines, "min", [self.limit, bounded], ([], self.index))
                buffers = self.loop(lines, buffers)
            else:
                buffers, known, others = self.updates(lines, buffers, 0)
                outputs += others
                if rng.random() < 0.2:
                    outputs.append(rng.choice(known))
        outputs = buffers + outputs
        head = ", ".join(f"{n}: {tensor(s, d)}" + (f" {{stitch.donated = {self.donated[n]} : i64}}" if n in self.donated else "") for n, s, d in self.arguments)
        types = ", ".join(tensor(s, d) for _, s, d in outputs)
        body = "\n".join(lines)
        return (f"module {{\nfunc.func @main({head}) -> ({types}) {{\n{body}\n"
                f"func.return {', '.join(n for n, _, _ in outputs)} : {types}\n}}\n}}\n")

