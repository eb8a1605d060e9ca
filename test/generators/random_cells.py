# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random recurrent layers as frameworks write them, for test/generators/random_graphs.py: a loop, or its steps one after the other.

A step reads its slices of some tensors, in order or in reverse, multiplies them and the states with weights, adds to sums, as gradients
of weights are, and stacks values.
"""
import random


class Cell:
    """Draws what a step does; `emit` writes all steps into the graph."""

    def __init__(self, graph):
        rng = graph.rng
        self.graph, self.trips, self.dtype = graph, rng.randint(2, 7), rng.choice(["f32", "f32", "f32", "f16", "bf16", "f64"])
        self.rows, self.inner, self.width = rng.choice([1, 1, 2, 3, 5, 17]), rng.choice([1, 3, 8, 20]), rng.choice([1, 4, 7, 16])
        self.seed = rng.random()
        self.inputs = [self.draw_input() for _ in range(rng.randint(1, 3))]
        self.weights = [graph.argument([self.inner, self.width], self.dtype) for _ in self.inputs]
        self.mixing = graph.argument([self.width, self.width], self.dtype)
        self.states = [graph.argument([self.rows, self.width], self.dtype) for _ in range(rng.randint(1, 2))]
        self.sums = [self.draw_sum(rng.choice(["weight", "weight", "mixing", "bias", "state"])) for _ in range(rng.randint(0, 3))]
        self.stacks = [(rng.random() < 0.3, rng.choice([0, 0, 1])) for _ in range(rng.randint(0, 3))]  # (in reverse, dimension)

    def draw_input(self):
        """(tensor, dimension, in reverse, first slice of those that are read)."""
        rng, dim, extra = self.graph.rng, self.graph.rng.choice([0, 0, 0, 1, 2]), self.graph.rng.choice([0, 0, 0, 2])
        shape = [self.rows, self.inner]
        shape.insert(dim, self.trips + extra)
        return self.graph.argument(shape, self.dtype), dim, rng.random() < 0.4, rng.randint(0, extra)

    def draw_sum(self, kind):
        """(what it is a sum of, what it starts with)."""
        shape = {"weight": [self.inner, self.width], "mixing": [self.width, self.width], "bias": [self.width],
                 "state": [self.rows, self.width]}[kind]
        start = self.graph.argument(shape, self.dtype)
        return kind, start if self.graph.rng.random() < 0.5 else self.graph.zeros(start)

    def step(self, slices, states, sums):
        """What one step computes: (states, sums, values of stacks). All steps draw the same."""
        graph, outer = self.graph, self.graph.rng
        rng = graph.rng = random.Random(self.seed)
        shape, dtype = [self.rows, self.width], self.dtype
        add = lambda a, b: graph.emit("add", [a, b] if rng.random() < 0.7 else [b, a], a[1], dtype)
        gates = graph.product(states[0], self.mixing, 1, rng.randint(0, 1))
        for slice_, weight in zip(slices, self.weights):
            slice_ = graph.bounded(slice_) if rng.random() < 0.3 else slice_
            gates = add(gates, graph.product(slice_, weight, 1, 0))
        new = [graph.bounded(gates)]
        if len(states) > 1:
            new.append(graph.bounded(graph.emit("mul", [states[1], add(new[0], states[0])], shape, dtype)))
        following = []
        for (kind, _), total in zip(self.sums, sums):
            for _ in range(rng.choice([1, 1, 2])):
                total = add(total, self.term(rng, kind, slices, states, new))
            following.append(total)
        stacked = [rng.choice(new + states + [gates]) for _ in self.stacks]
        graph.rng = outer
        return new, following, stacked

    def term(self, rng, kind, slices, states, new):
        """What a step adds to a sum of that kind."""
        graph, value = self.graph, rng.choice(new)
        if kind == "weight":
            return graph.product(rng.choice(slices), value, 0, 0)
        if kind == "mixing":
            return graph.product(rng.choice(states), value, 0, 0)
        if kind == "bias":
            return graph.emit("reduce", [value], [self.width], self.dtype, "kind = 0 : i32, dims = array<i64: 0>")
        return value

    def emit(self, unrolled):
        before = len(self.graph.values)
        results = self.emit_steps() if unrolled else self.emit_loop()
        self.graph.values[before:] = results

    def emit_steps(self):
        graph, states, sums, stacks = self.graph, self.states, [start for _, start in self.sums], [[] for _ in self.stacks]
        for k in range(self.trips):
            slices = [self.static_slice(tensor, dim, first + (self.trips - 1 - k if reverse else k)) for tensor, dim, reverse, first in self.inputs]
            states, sums, stacked = self.step(slices, states, sums)
            for values, value in zip(stacks, stacked):
                values.append(value)
        joined = []
        for (reverse, dim), values in zip(self.stacks, stacks):
            parts = [graph.emit("reshape", [value], self.with_one(value[1], dim), self.dtype) for value in (values[::-1] if reverse else values)]
            joined.append(graph.emit("concatenate", parts, self.with_one(values[0][1], dim, self.trips), self.dtype, f"dim = {dim} : i64"))
        return states + sums + joined

    @staticmethod
    def with_one(shape, dim, size=1):
        return shape[:dim] + [size] + shape[dim:]

    def static_slice(self, tensor, dim, position):
        shape = tensor[1]
        starts, limits, sizes = [0] * 3, list(shape), list(shape)
        starts[dim], limits[dim], sizes[dim] = position, position + 1, 1
        lists = ", ".join(f"{name} = array<i64: {', '.join(map(str, values))}>"
                          for name, values in (("starts", starts), ("limits", limits), ("strides", [1] * 3)))
        return self.graph.emit("reshape", [self.graph.emit("slice", [tensor], sizes, self.dtype, lists)], shape[:dim] + shape[dim + 1:], self.dtype)

    def emit_loop(self):
        graph = self.graph
        zero, one, limit = (graph.constant("i32", n) for n in (0, 1, self.trips))
        stacks = [graph.emit("broadcast", [graph.constant(self.dtype)], self.with_one([self.rows, self.width], dim, self.trips), self.dtype,
                             "dims = array<i64>") for _, dim in self.stacks]
        inits = [zero] + self.states + [start for _, start in self.sums] + stacks
        graph.counter += 1
        names, conditions = ([(f"%{letter}{graph.counter}_{i}", s, d) for i, (_, s, d) in enumerate(inits)] for letter in "ac")
        graph.summed.update(n for n, _, _ in names)
        first_sum = 1 + len(self.states)
        first_stack = first_sum + len(self.sums)

        def position(reverse, first):
            index = graph.emit("sub", [graph.constant("i32", self.trips - 1), names[0]], [], "i32") if reverse else names[0]
            return graph.emit("add", [index, graph.constant("i32", first)], [], "i32") if first else index

        def body():
            slices = []
            for tensor, dim, reverse, first in self.inputs:
                starts, sizes = [zero] * 3, list(tensor[1])
                starts[dim], sizes[dim] = position(reverse, first), 1
                slice_ = graph.emit("dynamic_slice", [tensor] + starts, sizes, self.dtype, f"sizes = array<i64: {', '.join(map(str, sizes))}>")
                slices.append(graph.emit("reshape", [slice_], sizes[:dim] + sizes[dim + 1:], self.dtype))
            states, sums, stacked = self.step(slices, names[1:first_sum], names[first_sum:first_stack])
            written = []
            for (reverse, dim), stack, value in zip(self.stacks, names[first_stack:], stacked):
                starts = [zero] * 3
                starts[dim] = position(reverse, 0)
                update = graph.emit("reshape", [value], self.with_one(value[1], dim), self.dtype)
                written.append(graph.emit("dynamic_update_slice", [stack, update] + starts, stack[1], self.dtype))
            return [graph.emit("add", [names[0], one], [], "i32")] + states + sums + written

        condition = graph.region(conditions, 0, lambda: [graph.emit("compare", [conditions[0], limit], [], "i1", "direction = 2 : i32")])
        region = graph.region(names, 0, body)
        return graph.emit_all("while", inits, [(s, d) for _, s, d in inits], region=f" {condition}, {region[1:]})")[1:]
