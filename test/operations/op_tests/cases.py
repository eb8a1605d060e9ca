# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules to run and how their results are judged."""
import numpy as np

from op_tests.types import Wide, exponent, rounded, tensor, TYPE_OF, wide


def describe(inputs, actual, expected, i):
    operands = ", ".join(repr(x.reshape(-1)[i].item()) for x in inputs) if inputs else f"element {i}"
    return f"({operands}): {actual.reshape(-1)[i].item()!r}, expected {expected.reshape(-1)[i].astype(actual.dtype).item()!r}"


def worst_of(error, inputs, actual, expected):
    worst = float(np.max(error, initial=0))
    at = int(np.argmax(error)) if error.size else 0
    return worst, describe(inputs, actual, expected, at) if worst > 0 else ""


class Equal:
    """The number of elements that differ. With `payload` bits must be equal; else any NaN is as good as another, and of complex numbers,
    where it depends on the order of the products, and of types without NaN, whose sign their zeros have, the sign of a zero does not
    count."""

    def __init__(self, expected, inputs=(), payload=False):
        self.expected, self.inputs, self.payload = expected, inputs, payload
        self.bound = 0

    def __call__(self, actual):
        t, expected = TYPE_OF[actual.dtype], self.expected
        same = t.bits_of(actual.reshape(-1)) == t.bits_of(expected.reshape(-1))
        if not self.payload:
            same |= t.is_nan(actual.reshape(-1)) & t.is_nan(expected.reshape(-1))
        if t.kind == "float" and not t.has_nan and not self.payload:
            same |= wide(actual.reshape(-1)) == wide(expected.reshape(-1))
        if t.kind == "complex":
            same = same.all(axis=-1) | (not self.payload) & (actual == expected).reshape(-1)
        _, example = worst_of(~same, self.inputs, actual, expected)
        return float(np.count_nonzero(~same)), example


class Ulps:
    """The largest distance from the exact values in units in the last place of `scale`, which is the exact value itself
    unless given. A zero must have the sign of the exact value. For complex numbers distance and unit are those of magnitudes."""

    def __init__(self, exact, t, bound, inputs=(), scale=None):
        self.exact, self.type, self.bound, self.inputs = exact, t, bound, inputs
        self.scale = exact if scale is None else scale

    def ulp(self, t):
        scale = np.minimum(np.abs(self.scale.reshape(-1)), t.max)
        return np.ldexp(Wide(1), np.maximum(exponent(np.where(np.isnan(scale), 1, scale)), t.emin) - (t.precision - 1))

    def __call__(self, actual):
        value, exact = wide(actual.reshape(-1)), self.exact.reshape(-1)
        of = self.complex_errors if self.type.kind == "complex" else self.errors
        return worst_of(of(value, exact), self.inputs, actual, self.exact)

    def complex_errors(self, value, exact):
        error = np.abs(value - exact) / self.ulp(self.type.part)
        return np.where(np.isnan(value) & np.isnan(exact), 0, np.where(np.isnan(error), np.inf, error))

    def errors(self, value, exact):
        t = self.type
        of_nan = np.isnan(exact) if not t.has_nan else np.zeros(exact.shape, bool)
        if not t.has_nan:  # zero for NaN, whose sign devices do not agree on, and the largest number for what is beyond it
            exact = np.where(of_nan, 0, np.clip(exact, -t.max, t.max))
        elif not t.has_infinity or not t.has_sign:
            exact = np.where(np.isnan(wide(rounded(exact, t))), np.nan, exact)
        beyond = np.ldexp(Wide(1), t.emax + 1)
        # Where there is no zero, what is less than the least number becomes it.
        least = -beyond if t.has_zero else np.ldexp(Wide(1), t.emin)
        target, found = (np.clip(x, least, beyond) for x in (exact, value))
        error = np.abs(found - target) / self.ulp(t)
        error = np.where(np.isnan(exact) & np.isnan(value), 0, error)
        error = np.where(np.isnan(exact) != np.isnan(value), np.inf, error)
        wrong_zero = (value == 0) & (np.signbit(value) != np.signbit(exact)) & ~np.isnan(exact) & ~of_nan & t.has_negative_zero
        return np.where(wrong_zero, np.inf, error) if self.scale is self.exact else error


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
