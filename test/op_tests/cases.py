# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules to run and how their results are judged."""
import numpy as np

from op_tests.types import Wide, exponent, tensor, TYPE_OF, wide


def describe(inputs, actual, expected, i):
    operands = ", ".join(repr(x.reshape(-1)[i].item()) for x in inputs) if inputs else f"element {i}"
    return f"({operands}): {actual.reshape(-1)[i].item()!r}, expected {expected.reshape(-1)[i].astype(actual.dtype).item()!r}"


def worst_of(error, inputs, actual, expected):
    worst = float(np.max(error, initial=0))
    at = int(np.argmax(error)) if error.size else 0
    return worst, describe(inputs, actual, expected, at) if worst > 0 else ""


class Equal:
    """The number of elements that differ. With `payload` NaNs must have equal bits, else any NaN is as good as another."""

    def __init__(self, expected, inputs=(), payload=False):
        self.expected, self.inputs, self.payload = expected, inputs, payload
        self.bound = 0

    def __call__(self, actual):
        expected = self.expected
        same = actual.reshape(-1).view(f"u{actual.dtype.itemsize}") == expected.reshape(-1).view(f"u{actual.dtype.itemsize}")
        if not self.payload and TYPE_OF[actual.dtype].kind == "float":
            same |= (np.isnan(actual) & np.isnan(expected)).reshape(-1)
        _, example = worst_of(~same, self.inputs, actual, expected)
        return float(np.count_nonzero(~same)), example


class Ulps:
    """The largest distance from the exact values in units in the last place of `scale`, which is the exact value itself
    unless given. A zero must have the sign of the exact value."""

    def __init__(self, exact, t, bound, inputs=(), scale=None):
        self.exact, self.type, self.bound, self.inputs = exact, t, bound, inputs
        self.scale = exact if scale is None else scale

    def __call__(self, actual):
        t, exact = self.type, self.exact.reshape(-1)
        value = wide(actual.reshape(-1))
        beyond = np.ldexp(Wide(1), t.emax + 1)
        target = np.clip(exact, -beyond, beyond)
        found = np.clip(value, -beyond, beyond)
        scale = np.minimum(np.abs(self.scale.reshape(-1)), t.max)
        ulp = np.ldexp(Wide(1), np.maximum(exponent(np.where(np.isnan(scale), 1, scale)), t.emin) - (t.precision - 1))
        error = np.abs(found - target) / ulp
        error = np.where(np.isnan(exact) & np.isnan(value), 0, error)
        error = np.where(np.isnan(exact) != np.isnan(value), np.inf, error)
        wrong_zero = (value == 0) & (np.signbit(value) != np.signbit(exact)) & ~np.isnan(exact)
        if self.scale is self.exact:
            error = np.where(wrong_zero, np.inf, error)
        return worst_of(error, self.inputs, actual, self.exact)


class Case:
    """One result of a module. In the text %0, %1, ... are the module's inputs and `value` is the result. `functions` are others that
    it calls."""

    def __init__(self, row, t, text, shape, result_type, check, value="%r", functions=""):
        self.row, self.type, self.text, self.check, self.value = row, t, text, check, value
        self.functions = functions
        self.result = tensor(shape, result_type)
        self.shape, self.result_type = shape, result_type


class Group:
    """Inputs and the cases that read them: one module, or several if one of its operations does not compile. Without `jax` they are not
    for JAX, because XLA's process would end or does not have them."""

    def __init__(self, name, inputs, cases, jax=True):
        self.name, self.inputs, self.cases, self.jax = name, inputs, cases, jax


def attributes_of(text):
    return f" {{{text}}}" if text else ""


def operation(name, operands, types, result, attributes=""):
    names = ", ".join(operands)
    return f'%r = "{name}"({names}){attributes_of(attributes)} : ({", ".join(types)}) -> {result}'


def elementwise_case(row, name, t, inputs, result_type, check, attributes="", count=None):
    shape = [len(inputs[0])]
    count = len(inputs) if count is None else count
    text = operation(name, [f"%{i}" for i in range(count)], [tensor(shape, TYPE_OF[x.dtype]) for x in inputs[:count]],
                     tensor(shape, result_type), attributes)
    return Case(row, t, text, shape, result_type, check)


def dims(*values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"
