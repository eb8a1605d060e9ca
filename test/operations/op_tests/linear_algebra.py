# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms, Cholesky factors, triangular systems.

Errors are in units in the last place of the largest magnitude of the result, of which bounds in norm speak (Higham, Accuracy and
Stability of Numerical Algorithms, 2nd edition). n is the size of the matrices or, of a transform, the sum of its dimensions' sizes."""
import itertools
import math

import numpy as np

from op_tests.cases import Case, Group, Ulps, dims, operation
from op_tests.types import TYPES, tensor, wide

COMPLEX_PRODUCT = 3  # roundings that a product of complex numbers counts: sqrt(5), rounded up


class Operand:
    """An input; `value` is what it holds, in 80 bits."""

    def __init__(self, value, t, is_complex, inputs):
        self.type = TYPES[f"complex<{t.name}>"] if is_complex else t
        self.number = len(inputs)
        inputs.append(np.ascontiguousarray((value if is_complex else value.real).astype(self.type.numpy)))
        self.shape, self.value = list(value.shape), wide(inputs[-1])


def case_of(row, name, attributes, operands, exact, bound):
    part = operands[0].type.part or operands[0].type
    t = TYPES[f"complex<{part.name}>"] if np.iscomplexobj(exact) else part
    row_type = t if t.kind == "complex" else operands[0].type
    text = operation(name, [f"%{o.number}" for o in operands], [tensor(o.shape, o.type) for o in operands], tensor(exact.shape, t), attributes)
    scale = np.full(exact.shape, np.nanmax(np.abs(exact)))
    return Case(row, row_type, text, list(exact.shape), t, Ulps(exact, t, bound, scale=scale))


def random(shape, is_complex, rng):
    value = rng.normal(0, 1, shape).astype(np.longdouble)
    return value + 1j * rng.normal(0, 1, shape) if is_complex else value + 0j


# ---------------------------------------------------------------------------------------------------------------------
# Fourier transforms
# ---------------------------------------------------------------------------------------------------------------------


def transformed(x, axes, sign):
    for axis in axes:
        n = x.shape[axis]
        turns = (np.arange(n)[:, None] * np.arange(n)[None, :] % n).astype(np.longdouble) / n
        angle = sign * 8 * np.arctan(np.longdouble(1)) * turns
        x = np.moveaxis(np.tensordot(x, np.cos(angle) + 1j * np.sin(angle), axes=([axis], [0])), -1, axis)
    return x / (math.prod(x.shape[a] for a in axes) if sign > 0 else 1)


def completed(half, axes, last):
    """The whole spectrum of the real tensor that half of it stands for: the transform along the other dimensions of its inverse's lines."""
    lines = transformed(half, axes[:-1], 1)
    lines[..., 0] = lines[..., 0].real
    if last % 2 == 0:
        lines[..., last // 2] = lines[..., last // 2].real
    rest = np.conj(lines[..., 1 : (last + 1) // 2][..., ::-1])
    return np.concatenate([lines, rest], -1)


def transform_bound(sizes, t, is_complex):
    """Computed in f64 on both sides, and f32 rounded once at the end, where half an ulp in both parts of a complex number is sqrt(1/2) of its
    magnitude. A sum of n terms is within (n + 6) u of the sum of their magnitudes (the
    root and its product count 6), which is at most sqrt(points) times the largest element of the result."""
    roundings = (sum(sizes) + 6) * math.sqrt(math.prod(sizes))
    return (math.sqrt(0.5) if is_complex else 0.5) + roundings * (1 if t.name == "f64" else 2.0**-29)


def fft_group(t, size, rng):
    inputs, cases = [], []
    for sizes in ((1,), (7,), (12,), (60,), (67,), (4, 5), (3, 4, 6)):
        shape, axes = [2, *sizes], tuple(range(1, 1 + len(sizes)))
        length, last = dims(*sizes), sizes[-1]

        def add(kind, operand, exact):
            attributes = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {length}"
            bound = transform_bound(sizes, t, np.iscomplexobj(exact))
            cases.append(case_of(f"stablehlo.fft {kind}", "stablehlo.fft", attributes, [operand], exact, bound))

        x = Operand(random(shape, True, rng), t, True, inputs)
        add("FFT", x, transformed(x.value, axes, -1))
        add("IFFT", x, transformed(x.value, axes, 1))
        real = Operand(random(shape, False, rng), t, False, inputs)
        spectrum = transformed(real.value + 0j, axes, -1)[..., : last // 2 + 1]
        add("RFFT", real, spectrum)
        half = Operand(spectrum, t, True, inputs)
        add("IRFFT", half, transformed(completed(half.value, axes, last), (len(sizes),), 1).real)
    return Group(f"fft {t.name}", inputs, cases)


# ---------------------------------------------------------------------------------------------------------------------
# Matrices
# ---------------------------------------------------------------------------------------------------------------------


def unit_of(t):
    """(the type that an operation on t computes in, its roundoff in units in the last place of t)"""
    computed = t if t.bits >= 32 else TYPES["f32"]
    return computed, 2.0 ** (t.precision - computed.precision)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def factor(a):
    """L with L L^H = A of one matrix, row after row; NaN if there is none."""
    n = len(a)
    lower = np.zeros_like(a)
    for i, j in itertools.product(range(n), range(n)):
        if j > i:
            continue
        rest = a[i, j] - np.sum(lower[i, :j] * np.conj(lower[j, :j]))
        if i == j and not rest.real > 0:
            return np.where(np.tri(n, dtype=bool), np.nan * (1 + 1j if np.iscomplexobj(a) else 1), np.zeros_like(a))
        lower[i, j] = np.sqrt(rest.real) if i == j else rest / lower[j, j]
    return lower


def positive_definite(n, is_complex, rng):
    value = random((3, n, n), is_complex, rng) / (4 * n)
    value = value + adjoint(value)
    value[:, range(n), range(n)] = rng.uniform(1, 2, (3, n))
    if n > 1:
        value[1, n - 1, n - 1] = -1  # has no factor, which shows at the end
    return value


def cholesky_cases(t, is_complex, n, inputs, rng):
    operand = Operand(positive_definite(n, is_complex, rng), t, is_complex, inputs)
    a = operand.value
    computed, unit = unit_of(t)
    # Theorem 10.3: within (n + 1) u |L| |L|^H, whose norm is at most n times that of A. Sun (1991): relative to L, that times the
    # condition over the square root of two.
    condition = max(np.linalg.cond(np.asarray(m, complex)) for m in a[::2])
    bound = 0.5 + unit * (COMPLEX_PRODUCT if is_complex else 1) * condition * n * (n + 1) / math.sqrt(2)
    for lower in (True, False):
        # One triangle is read: the other one, and imaginary parts of the diagonal, may be anything.
        triangle = np.tril(a) if lower else adjoint(np.triu(a))
        exact = np.stack([factor(m) for m in triangle])
        exact = exact if lower else adjoint(exact)
        yield case_of("stablehlo.cholesky", "stablehlo.cholesky", f"lower = {str(lower).lower()}", [operand], exact, bound)


def solved(matrix, b):
    """M x = b for lower triangles."""
    x = np.zeros_like(b)
    for i in range(len(matrix)):
        x[i] = (b[i] - matrix[i, :i] @ x[:i]) / matrix[i, i]
    return x


def solve_of(a, b, left, lower, transposition, unit):
    """One system, and the condition |M^-1| |M| of its matrix."""
    matrix = np.tril(a) if lower else np.triu(a)
    if unit:
        matrix[range(len(a)), range(len(a))] = 1
    matrix = {"NO_TRANSPOSE": matrix, "TRANSPOSE": matrix.T, "ADJOINT": np.conj(matrix.T)}[transposition]
    matrix, b = (matrix, b) if left else (matrix.T, b.T)
    is_lower = (lower == (transposition == "NO_TRANSPOSE")) == left
    x = solved(matrix, b) if is_lower else solved(matrix[::-1, ::-1], b[::-1])[::-1]
    plain = np.asarray(matrix, complex)
    condition = np.max(np.sum(np.abs(np.linalg.inv(plain)) @ np.abs(plain), 1))
    return (x if left else x.T), condition


def solve_cases(t, is_complex, n, inputs, rng):
    a = random((2, n, n), is_complex, rng) / n
    a[:, range(n), range(n)] += 2
    matrices = Operand(a, t, is_complex, inputs)
    sides = {left: Operand(random((2, n, 5) if left else (2, 5, n), is_complex, rng), t, is_complex, inputs) for left in (True, False)}
    computed, unit = unit_of(t)
    for left, lower, transposition, is_unit in itertools.product((True, False), (True, False), ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"), (True, False)):
        pairs = [solve_of(m.copy(), b, left, lower, transposition, is_unit) for m, b in zip(matrices.value, sides[left].value)]
        # Theorem 8.5: the exact solution for a matrix with relative errors of n u in each element.
        bound = 0.5 + unit * (COMPLEX_PRODUCT if is_complex else 1) * n * max(c for _, c in pairs) * 1.01
        flag = {True: "true", False: "false"}
        attributes = (f"left_side = {flag[left]}, lower = {flag[lower]}, unit_diagonal = {flag[is_unit]}, "
                      f"transpose_a = #stablehlo<transpose {transposition}>")
        yield case_of("stablehlo.triangular_solve", "stablehlo.triangular_solve", attributes, [matrices, sides[left]],
                      np.stack([x for x, _ in pairs]), bound)


def matrix_group(t, is_complex, size, rng):
    inputs, cases = [], []
    for n in (1, 7) if not size.every else (1, 7, 13, 33):
        cases += cholesky_cases(t, is_complex, n, inputs, rng)
    for n in (7,) if not size.every else (1, 7, 13):
        cases += solve_cases(t, is_complex, n, inputs, rng)
    # XLA has no solvers for narrow floats on a CPU, and ends the process.
    return Group(f"matrices {'complex ' if is_complex else ''}{t.name}", inputs, cases, jax=t.bits >= 32)


def groups(size, rng, fast):
    result = []
    for name in ("f32",) if fast else ("f32", "f64"):
        result += [fft_group(TYPES[name], size, rng), matrix_group(TYPES[name], True, size, rng)]
    for name in ("f32", "bf16") if fast else ("f64", "f32", "f16", "bf16"):
        result.append(matrix_group(TYPES[name], False, size, rng))
    return result
