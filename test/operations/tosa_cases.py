# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of tosa_table.py: programs of one TOSA operation each, with inputs and bounds."""
import os
import re

import numpy as np

from op_tests.types import TYPES, edge_values, random_values, rounded, tensor, wide

FLOATS = [TYPES[n] for n in ("f32", "f16", "bf16")]
INTEGERS = [TYPES[n] for n in ("i8", "i16", "i32", "i64")]
BOOL, I8, I16, I32, I64, F32 = (TYPES[n] for n in ("i1", "i8", "i16", "i32", "i64", "f32"))


class Result:
    """Shape and type of a result. An error is measured in units of `scale`, an array of that shape: the result itself unless given."""

    def __init__(self, shape, t, scale=None):
        self.shape, self.type, self.scale = tuple(shape), t, scale


class Case:
    """`text` defines %r0, ... from %x0, ... The results must be within `bound` (0: equal) of what MLIR makes of it, or of
    `expected` where MLIR does not do what the specification says (`why`). `kernels`: whether the simt device executes it."""

    def __init__(self, name, t, inputs, text, results, bound=0, expected=None, why="", kernels=True):
        self.name, self.type, self.inputs, self.text, self.results = name, t.name, inputs, text, results
        self.bound, self.expected, self.why, self.kernels = bound, expected, why, kernels
        self.input_types = [tensor(x.shape, type_of(x)) for x in inputs]
        self.result_types = [tensor(r.shape, r.type) for r in results]


TYPE_OF = {t.numpy: t for t in TYPES.values()}


def type_of(array):
    return TYPE_OF[array.dtype]


# ---------------------------------------------------------------------------------------------------------------------
# Text
# ---------------------------------------------------------------------------------------------------------------------


class Text:
    """Operations, one a line, in the generic form."""

    def __init__(self):
        self.lines, self.types = [], {}

    def op(self, results, name, operands, types, result_types, attributes=""):
        self.lines.append(f'  {results} = "tosa.{name}"({", ".join(operands)}) {{{attributes}}} : ({", ".join(types)}) -> ({", ".join(result_types)})')

    def const(self, name, shape, t, values):
        self.types[name] = tensor(shape, t)
        self.op(name, "const", [], [], [tensor(shape, t)], f"values = dense<{values}> : {tensor(shape, t)}")
        return name

    def zero(self, name, t):
        return self.const(name, (1,), t, "0.0" if t.kind == "float" else "0")

    def shape(self, name, values):
        values, n = list(values), len(values)
        self.types[name] = f"!tosa.shape<{n}>"
        self.op(name, "const_shape", [], [], [f"!tosa.shape<{n}>"], f"values = dense<{values if n != 1 else values[0]}> : tensor<{n}xindex>")
        return name

    def __str__(self):
        return "\n".join(self.lines)


def case(name, t, inputs, results, attributes="", bound=0, extra=None, row=None, **more):
    """One operation on all inputs; `extra(text)` makes further operands and returns their names."""
    text = Text()
    operands = [f"%x{i}" for i in range(len(inputs))]
    types = [tensor(x.shape, type_of(x)) for x in inputs]
    for operand in extra(text) if extra else []:
        operands.append(operand)
        types.append(text.types[operand])
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    text.op(names, name, operands, types, [tensor(r.shape, r.type) for r in results], attributes)
    return Case(row or f"tosa.{name}", t, inputs, str(text), results, bound, **more)


# ---------------------------------------------------------------------------------------------------------------------
# Inputs
# ---------------------------------------------------------------------------------------------------------------------


class Inputs:
    def __init__(self, fast):
        self.rng = np.random.default_rng(71)
        self.count = 128 if fast else 4096

    def any(self, t, shape=None):
        """Edge values and random bits; of the shape, or a vector."""
        shape = (len(edge_values(t)) + self.count,) if shape is None else shape
        n = int(np.prod(shape))
        values = np.concatenate([edge_values(t), random_values(t, max(n, 1), self.rng)])
        if n < len(values):
            values = self.rng.permutation(values)[:n] if n < len(edge_values(t)) else values[:n]
        return values.reshape(shape)

    def pair(self, t):
        """Every pair of edge values, and random ones."""
        edges = edge_values(t)
        a, b = np.repeat(edges, len(edges)), np.tile(edges, len(edges))
        return np.concatenate([a, random_values(t, self.count, self.rng)]), np.concatenate([b, random_values(t, self.count, self.rng)])

    def small(self, t, shape):
        """Values whose products and sums stay finite."""
        if t.kind == "bool":
            return self.rng.integers(0, 2, shape).astype(bool)
        if t.kind == "float":
            return self.rng.normal(0, 1, shape).astype(t.numpy)
        return self.rng.integers(-100, 100, shape).astype(t.numpy)

    def between(self, t, low, high, shape):
        return self.rng.integers(low, high, shape).astype(t.numpy)


# ---------------------------------------------------------------------------------------------------------------------
# Elementwise
# ---------------------------------------------------------------------------------------------------------------------

# The error of each implementation: glibc states 1 (tanh 2, erf 1), the rest is composed of rounded operations
# (docs/error_bounds.md). Two implementations may differ by both errors.
UNARY_FLOAT = {"abs": 0, "ceil": 0, "floor": 0, "reciprocal": 0, "cos": 2, "sin": 2, "exp": 2, "log": 2, "erf": 2, "rsqrt": 3, "sigmoid": 8, "tanh": 4}


def unary_cases(inputs):
    for t in FLOATS:
        for name, bound in UNARY_FLOAT.items():
            x = inputs.any(t)
            yield case(name, t, [x], [Result(x.shape, t)], bound=bound)
        x = inputs.any(t)
        yield case("negate", t, [x], [Result(x.shape, t)], extra=lambda text, t=t: [text.zero("%z1", t), text.zero("%z2", t)])
        for mode in ("PROPAGATE", "IGNORE"):
            yield case("clamp", t, [x], [Result(x.shape, t)], f"min_val = -1.5 : {t.name}, max_val = 2.5 : {t.name}, nan_mode = #tosa.nan_mode<{mode}>",
                       row=f"tosa.clamp {mode}")
    for t in INTEGERS:
        x = inputs.any(t)
        for name in ("abs", "bitwise_not", "clz"):
            yield case(name, t, [x], [Result(x.shape, t)])
        yield case("clamp", t, [x], [Result(x.shape, t)], f"min_val = -7 : {t.name}, max_val = 100 : {t.name}")
        zeros = lambda text, t=t: [text.zero("%z1", t), text.zero("%z2", t)]
        x = x[x != t.least] if t.bits > 16 else x  # the specification leaves that overflow open
        yield case("negate", t, [x], [Result(x.shape, t)], extra=zeros)
    x = edge_values(BOOL)
    yield case("logical_not", BOOL, [x], [Result(x.shape, BOOL)])
    x = inputs.any(I8)
    yield case("negate", I8, [x], [Result(x.shape, I8)], row="tosa.negate with zero points",
               extra=lambda text: [text.const("%z1", (1,), I8, -3), text.const("%z2", (1,), I8, 5)])


def binary_cases(inputs):
    for t in FLOATS:
        a, b = inputs.pair(t)
        for name, bound in (("add", 0), ("sub", 0), ("pow", 2)):
            yield case(name, t, [a, b], [Result(a.shape, t)], bound=bound)
        yield case("mul", t, [a, b], [Result(a.shape, t)], extra=lambda text: [text.zero("%s", I8)])
        for name in ("maximum", "minimum"):
            for mode in ("PROPAGATE", "IGNORE"):
                yield case(name, t, [a, b], [Result(a.shape, t)], f"nan_mode = #tosa.nan_mode<{mode}>", row=f"tosa.{name} {mode}")
        for name in ("equal", "greater", "greater_equal"):
            yield case(name, t, [a, b], [Result(a.shape, BOOL)])
    for t in INTEGERS:
        a, b = inputs.pair(t)
        for name in ("add", "sub", "bitwise_and", "bitwise_or", "bitwise_xor"):
            yield case(name, t, [a, b], [Result(a.shape, t)])
        for name in ("maximum", "minimum"):
            yield case(name, t, [a, b], [Result(a.shape, t)])
        for name in ("equal", "greater", "greater_equal"):
            yield case(name, t, [a, b], [Result(a.shape, BOOL)])
        amount = np.abs(b % t.bits).astype(t.numpy)
        for name in ("logical_left_shift", "logical_right_shift"):
            yield case(name, t, [a, amount], [Result(a.shape, t)])
        for value in ("false", "true"):
            yield case("arithmetic_right_shift", t, [a, amount], [Result(a.shape, t)], f"round = {value}", row=f"tosa.arithmetic_right_shift round {value}")
        if t.bits >= 32:
            divisor = np.where((b == 0) | (b == -1), 3, b).astype(t.numpy)
            yield case("intdiv", t, [a, divisor], [Result(a.shape, t)])
        yield case("mul", t, [a, b], [Result(a.shape, t if t.bits == 64 else I32)], extra=lambda text: [text.zero("%s", I8)])
    a, b = inputs.pair(I32)
    for shift in (1, 31, 62):
        yield case("mul", I32, [a, b], [Result(a.shape, I32)], row=f"tosa.mul shift {shift}",
                   extra=lambda text, shift=shift: [text.const("%s", (1,), I8, shift)])
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    for name in ("logical_and", "logical_or", "logical_xor"):
        yield case(name, BOOL, [a, b], [Result(a.shape, BOOL)])


def broadcast_cases(inputs):
    for t in FLOATS[:1] + INTEGERS[2:3]:
        a, b = inputs.any(t, (3, 1, 5)), inputs.any(t, (1, 7, 1))
        yield case("add", t, [a, b], [Result((3, 7, 5), t)], row="tosa.add broadcast")
    for t in FLOATS + INTEGERS + [BOOL]:
        p, a, b = inputs.any(BOOL, (3, 7, 1)), inputs.any(t, (3, 1, 5)), inputs.any(t, (1, 7, 5))
        yield case("select", t, [p, a, b], [Result((3, 7, 5), t)])


def cast_cases(inputs):
    for source in FLOATS + INTEGERS + [BOOL]:
        for target in FLOATS + INTEGERS + [BOOL]:
            if source is target or (source is BOOL and target.kind == "float") or (source.kind == "float" and target is BOOL):
                continue
            x = inputs.any(source)
            if source.kind == "float" and target.kind == "int":
                x = x[~np.isnan(x.astype(np.float64))]
            more = {}
            if {source.name, target.name} == {"f16", "bf16"}:
                more = {"expected": [x.astype(np.float32).astype(target.numpy)], "why": "no lowering"}
            yield case("cast", source, [x], [Result(x.shape, target)], row=f"tosa.cast to {target.name}", **more)


def table_cases(inputs):
    x, table = inputs.any(I8), inputs.any(I8, (256,))
    yield case("table", I8, [x, table], [Result(x.shape, I8)])
    x, table = inputs.any(I16), inputs.any(I16, (513,))
    yield case("table", I16, [x, table], [Result(x.shape, I32)])


def rescale_cases(inputs):
    for source, target, scale32, mode in ((I8, I8, True, "SINGLE_ROUND"), (I32, I8, True, "DOUBLE_ROUND"), (I32, I16, True, "SINGLE_ROUND"), (I16, I8, True, "DOUBLE_ROUND"),
                                          (I16, I32, False, "SINGLE_ROUND"), (I8, I16, False, "SINGLE_ROUND")):
        x = inputs.any(source, (101, 3))
        multiplier_type = I32 if scale32 else I16
        top = 1 << (30 if scale32 else 14)
        for per_channel in (False, True):
            n = 3 if per_channel else 1
            multipliers = inputs.between(multiplier_type, top, 2 * top - 1, (n,)).tolist()
            shifts = inputs.between(I8, 35 if scale32 else 16, 44 if scale32 else 22, (n,)).tolist()
            zero_in, zero_out = (3 if source is I8 else 0), (-5 if target is I8 else 0)

            def extra(text, m=multipliers, s=shifts, n=n, mt=multiplier_type, zi=zero_in, zo=zero_out, source=source, target=target):
                return [text.const("%m", (n,), mt, m if n > 1 else m[0]), text.const("%s", (n,), I8, s if n > 1 else s[0]),
                        text.const("%zi", (1,), source, zi), text.const("%zo", (1,), target, zo)]

            yield case("rescale", source, [x], [Result(x.shape, target)], row=f"tosa.rescale to {target.name} {mode}" + (" per channel" if per_channel else ""), extra=extra,
                       attributes=f"scale32 = {str(scale32).lower()}, rounding_mode = #tosa.rounding_mode<{mode}>, per_channel = {str(per_channel).lower()}, input_unsigned = false, output_unsigned = false")
    x = inputs.any(I8)
    yield case("rescale", I8, [x], [Result(x.shape, I8)], row="tosa.rescale unsigned to signed",
               extra=lambda text: [text.const("%m", (1,), I32, 1 << 30), text.const("%s", (1,), I8, 30), text.const("%zi", (1,), I8, -128), text.const("%zo", (1,), I8, 0)],
               attributes="scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, per_channel = false, input_unsigned = true, output_unsigned = false")
    yield case("rescale", I8, [x], [Result(x.shape, I8)], row="tosa.rescale signed to unsigned",
               extra=lambda text: [text.const("%m", (1,), I32, 1 << 30), text.const("%s", (1,), I8, 30), text.const("%zi", (1,), I8, 0), text.const("%zo", (1,), I8, -128)],
               attributes="scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, per_channel = false, input_unsigned = false, output_unsigned = true")
    yield from apply_scale_cases(inputs)


def apply_scale_cases(inputs):
    """The scaled values fit the result, as the specification asks: value * multiplier / 2 ** shift is below 2 ** 31."""
    shift = inputs.between(I8, 31, 62, (4096,))
    multiplier = inputs.between(I32, 0, 1 << 31, shift.shape)
    for value_type, mode in ((I32, "SINGLE_ROUND"), (I32, "DOUBLE_ROUND"), (I8, "SINGLE_ROUND"), (I16, "DOUBLE_ROUND")):
        value = inputs.any(value_type, shift.shape)
        yield case("apply_scale", value_type, [value, multiplier, shift], [Result(shift.shape, I32)], row=f"tosa.apply_scale {mode}",
                   attributes=f"rounding_mode = #tosa.rounding_mode<{mode}>")


# ---------------------------------------------------------------------------------------------------------------------
# Data movement
# ---------------------------------------------------------------------------------------------------------------------


def movement_cases(inputs):
    for t in FLOATS + INTEGERS + [BOOL]:
        x, y = inputs.any(t, (3, 5, 7)), inputs.any(t, (3, 2, 7))
        yield case("concat", t, [x, y], [Result((3, 7, 7), t)], "axis = 1 : i32")
        yield case("identity", t, [x], [Result(x.shape, t)])
        yield case("reshape", t, [x], [Result((7, 15), t)], extra=lambda text: [text.shape("%s", (7, 15))])
        yield case("reverse", t, [x], [Result(x.shape, t)], "axis = 2 : i32")
        yield case("transpose", t, [x], [Result((7, 3, 5), t)], "perms = array<i32: 2, 0, 1>")
        yield case("slice", t, [x], [Result((2, 3, 4), t)], extra=lambda text: [text.shape("%a", (1, 2, 0)), text.shape("%b", (2, 3, 4))])
        yield case("tile", t, [x], [Result((6, 5, 21), t)], extra=lambda text: [text.shape("%s", (2, 1, 3))])
        fill = {"float": "2.5", "int": "-7", "bool": "true"}[t.kind]
        yield case("pad", t, [x], [Result((4, 8, 7), t)],
                   extra=lambda text, t=t, fill=fill: [text.shape("%s", (1, 0, 2, 1, 0, 0)), text.const("%v", (1,), t, fill)])
        for index in (I32, I64):
            rows = inputs.between(index, 0, 5, (3, 4))
            yield case("gather", t, [x, rows], [Result((3, 4, 7), t)], row=f"tosa.gather {index.name}")
        rows = np.stack([inputs.rng.permutation(5)[:4] for _ in range(3)]).astype(np.int32)
        update = inputs.any(t, (3, 4, 7))
        yield case("scatter", t, [x, rows, update], [Result((3, 5, 7), t)])
        text = Text()
        text.const("%c", (2, 2), t, {"float": "[[1.5, -0.0], [0.1, 3.0]]", "int": "[[1, -2], [127, -128]]", "bool": "[[true, false], [false, true]]"}[t.kind])
        text.op("%r0", "identity", ["%c"], [tensor((2, 2), t)], [tensor((2, 2), t)])
        yield Case("tosa.const", t, [], str(text), [Result((2, 2), t)])


def shape_cases(inputs):
    """Shapes that are computed: MLIR has no lowering of them."""
    x = inputs.any(F32, (6, 8))
    expected = x.reshape(4, 3, 2, 2)
    text = Text()
    text.op("%d0", "dim", ["%x0"], ["tensor<6x8xf32>"], ["!tosa.shape<1>"], "axis = 0 : i32")
    text.op("%d1", "dim", ["%x0"], ["tensor<6x8xf32>"], ["!tosa.shape<1>"], "axis = 1 : i32")
    one, two = "!tosa.shape<1>", "!tosa.shape<2>"
    for name, value in (("%k2", 2), ("%k3", 3), ("%k5", 5), ("%k7", 7)):
        text.shape(name, (value,))
    text.op("%half", "div_floor_shape", ["%d1", "%k2"], [one, one], [one])  # 4
    text.op("%up", "div_ceil_shape", ["%k5", "%k2"], [one, one], [one])  # 3
    text.op("%log", "log2_floor_shape", ["%k7"], [one], [one])  # 2
    text.op("%logup", "log2_ceil_shape", ["%k3"], [one], [one])  # 2
    text.op("%pair", "concat_shape", ["%half", "%up"], [one, one], [two])
    text.op("%all", "concat_shape", ["%pair", "%log", "%logup"], [two, one, one], ["!tosa.shape<4>"])
    text.op("%r0", "reshape", ["%x0", "%all"], ["tensor<6x8xf32>", "!tosa.shape<4>"], ["tensor<4x3x2x2xf32>"])
    yield Case("tosa.*_shape: dim, div, log2, concat", F32, [x], str(text), [Result((4, 3, 2, 2), F32)], expected=[expected], why="no lowering of computed shapes")
    text = Text()
    text.shape("%a", (7, 2))
    text.shape("%b", (3, 5))
    ops = [("%add", "add_shape"), ("%sub", "sub_shape"), ("%mul", "mul_shape"), ("%max", "max_shape"), ("%min", "min_shape"), ("%mod", "mod_shape")]
    for result, name in ops:
        text.op(result, name, ["%a", "%b"], [two, two], [two])
    text.op("%exp", "exp2_shape", ["%min"], [two], [two])
    text.const("%i1", (1,), I32, 1)
    text.op("%e", "slice_shape", ["%exp", "%i1", "%i1"], [two, "tensor<1xi32>", "tensor<1xi32>"], [one])  # 2^2
    # max (7, 5), min (3, 2), mod (1, 2), add (10, 7), mul (21, 10), sub (4, -3)
    text.op("%size", "sub_shape", ["%max", "%mod"], [two, two], [two])  # (6, 3)
    text.op("%limit", "min_shape", ["%size", "%min"], [two, two], [two])  # (3, 2)
    text.op("%r0", "slice", ["%x0", "%mod", "%limit"], ["tensor<6x8xf32>", two, two], ["tensor<3x2xf32>"])
    text.op("%r1", "reshape", ["%x0", "%shape1"], ["tensor<6x8xf32>", two], ["tensor<12x4xf32>"])
    text.lines.insert(-1, '  %k12 = "tosa.const_shape"() {values = dense<12> : tensor<1xindex>} : () -> (!tosa.shape<1>)')
    text.lines.insert(-1, f'  %shape1 = "tosa.concat_shape"(%k12, %e) {{}} : ({one}, {one}) -> ({two})')
    yield Case("tosa.*_shape: add, sub, mul, max, min, mod, exp2, slice", F32, [x], str(text), [Result((3, 2), F32), Result((12, 4), F32)],
               expected=[x[1:4, 2:4], x.reshape(12, 4)], why="no lowering of computed shapes")


# ---------------------------------------------------------------------------------------------------------------------
# Reductions
# ---------------------------------------------------------------------------------------------------------------------


def reduce_cases(inputs):
    shape, axis = (3, 37, 5), 1
    small = (3, 1, 5)
    for t in FLOATS:
        x = inputs.small(t, shape)
        magnitude = np.abs(x.astype(np.float64)).sum(axis, keepdims=True)
        # 36 rounded sums in the type there; one rounding here.
        yield case("reduce_sum", t, [x], [Result(small, t, magnitude)], "axis = 1 : i32", bound=37)
        y = (1 + x.astype(np.float64) / 16).astype(t.numpy)
        yield case("reduce_product", t, [y], [Result(small, t)], "axis = 1 : i32", bound=74)
        z = inputs.any(t, shape)
        z[0, :, 0] = np.nan
        z = np.where(np.isinf(z.astype(np.float64)) & (np.arange(37) % 3 != 0)[None, :, None], t.array(0.25), z)
        for name in ("reduce_max", "reduce_min"):
            for mode in ("PROPAGATE", "IGNORE"):
                yield case(name, t, [z], [Result(small, t)], f"axis = 1 : i32, nan_mode = #tosa.nan_mode<{mode}>", row=f"tosa.{name} {mode}")
        for mode in ("PROPAGATE", "IGNORE"):
            yield case("argmax", t, [z], [Result((3, 5), I32)], f"axis = 1 : i32, nan_mode = #tosa.nan_mode<{mode}>", row=f"tosa.argmax {mode}")
        infinite = np.full((2, 3), -np.inf, t.numpy)
        yield case("reduce_max", t, [infinite], [Result((2, 1), t)], "axis = 1 : i32", row="tosa.reduce_max of -infinity",
                   expected=[infinite[:, :1]], why="the maximum starts from the least finite number")
    for t in INTEGERS:
        x = inputs.any(t, shape)
        for name in ("reduce_sum", "reduce_product", "reduce_max", "reduce_min"):
            yield case(name, t, [x], [Result(small, t)], "axis = 1 : i32")
        yield case("argmax", t, [x], [Result((3, 5), I32)], "axis = 1 : i32")
    x = inputs.rng.random(shape) < 0.05
    yield case("reduce_any", BOOL, [x], [Result(small, BOOL)], "axis = 1 : i32")
    yield case("reduce_all", BOOL, [~x], [Result(small, BOOL)], "axis = 1 : i32")


# ---------------------------------------------------------------------------------------------------------------------
# Windows and products
# ---------------------------------------------------------------------------------------------------------------------

POOL = "kernel = array<i64: 3, 2>, stride = array<i64: 2, 3>, pad = array<i64: 1, 1, 0, 1>"


def pool_cases(inputs):
    shape, out = (2, 7, 7, 3), (2, 4, 3, 3)
    for t in FLOATS:
        x = inputs.any(t, shape)
        for mode in ("PROPAGATE", "IGNORE"):
            yield case("max_pool2d", t, [x], [Result(out, t)], POOL + f", nan_mode = #tosa.nan_mode<{mode}>", row=f"tosa.max_pool2d {mode}")
        x = inputs.small(t, shape)
        zeros = lambda text, t=t: [text.zero("%zi", t), text.zero("%zo", t)]
        # Six sums in f32 and a division on either side, in units of the largest magnitudes.
        scale = np.full(out, np.abs(x.astype(np.float64)).max())
        yield case("avg_pool2d", t, [x], [Result(out, t, scale)], POOL + ", acc_type = f32", extra=zeros, bound=8)
    for t in (I8, I16):
        x = inputs.any(t, shape)
        yield case("max_pool2d", t, [x], [Result(out, t)], POOL)
        yield case("avg_pool2d", t, [x], [Result(out, t)], POOL + ", acc_type = i32", extra=lambda text, t=t: [text.zero("%zi", t), text.zero("%zo", t)])
    x = inputs.any(I8, shape)
    yield case("avg_pool2d", I8, [x], [Result(out, I8)], POOL + ", acc_type = i32", row="tosa.avg_pool2d with zero points",
               extra=lambda text: [text.const("%zi", (1,), I8, 3), text.const("%zo", (1,), I8, -4)])


def product_scale(a, b, contract):
    """The sum of the magnitudes of products, for a contraction."""
    return contract(np.abs(a.astype(np.float64)), np.abs(b.astype(np.float64)))


def matmul_cases(inputs):
    for t in FLOATS:
        a, b = inputs.small(t, (2, 5, 33)), inputs.small(t, (2, 33, 7))
        scale = product_scale(a, b, np.matmul)
        for result in dict.fromkeys((t, F32)) if t.name != "bf16" else (F32,):
            # 33 rounded products and sums there, in the result's type; here in f32.
            yield case("matmul", t, [a, b], [Result((2, 5, 7), result, scale)], row=f"tosa.matmul to {result.name}", bound=100,
                       extra=lambda text, t=t: [text.zero("%za", t), text.zero("%zb", t)])
    a, b = inputs.any(I8, (2, 5, 33)), inputs.any(I8, (2, 33, 7))
    yield case("matmul", I8, [a, b], [Result((2, 5, 7), I32)], extra=lambda text: [text.zero("%za", I8), text.zero("%zb", I8)], row="tosa.matmul to i32")
    yield case("matmul", I8, [a, b], [Result((2, 5, 7), I32)], row="tosa.matmul with zero points",
               extra=lambda text: [text.const("%za", (1,), I8, 3), text.const("%zb", (1,), I8, -7)])


class Window:
    """The geometry of a convolution with `out` results in each spatial dimension: the input has the size that gives as many."""

    def __init__(self, out, kernel, stride, pad, dilation):
        self.out, self.kernel, self.stride, self.pad, self.dilation = out, kernel, stride, pad, dilation
        self.input = tuple((o - 1) * s + (k - 1) * d + 1 - pad[2 * i] - pad[2 * i + 1]
                           for i, (o, k, s, d) in enumerate(zip(out, kernel, stride, dilation)))

    def attributes(self, accumulator):
        lists = ", ".join(f"{name} = array<i64: {', '.join(map(str, values))}>"
                          for name, values in (("pad", self.pad), ("stride", self.stride), ("dilation", self.dilation)))
        return f"{lists}, acc_type = {accumulator}"

    def sum_of_magnitudes(self, x, kernel, bias, combine):
        """What rounding errors are relative to. `combine(inputs, kernel)` multiplies at one position of the window."""
        pads = [(0, 0), *zip(self.pad[::2], self.pad[1::2]), (0, 0)]
        magnitudes = np.pad(np.abs(x.astype(np.float64)), pads)
        total = np.abs(bias.astype(np.float64))
        for at in np.ndindex(*self.kernel):
            places = tuple(slice(a * d, a * d + (o - 1) * s + 1, s) for a, d, o, s in zip(at, self.dilation, self.out, self.stride))
            total = total + combine(magnitudes[(slice(None), *places, slice(None))], np.abs(kernel.astype(np.float64))[at])
        return total


WINDOWS = {
    "": Window((4, 3), (3, 2), (2, 3), (1, 0, 2, 1), (1, 1)),
    " dilated": Window((5, 4), (2, 3), (1, 2), (0, 1, 1, 3), (3, 2)),
    " 1x1": Window((5, 7), (1, 1), (1, 1), (0, 0, 0, 0), (1, 1)),
}
WINDOWS_3D = {
    "": Window((3, 2, 3), (2, 3, 2), (1, 2, 3), (1, 0, 2, 1, 0, 1), (1, 1, 1)),
    " dilated": Window((2, 3, 2), (2, 2, 3), (2, 1, 1), (0, 1, 1, 0, 1, 1), (2, 3, 1)),
}
# Of inputs, of the accumulator, of results. 16-bit integers are accumulated in i48: test/operations/tosa_integers.py.
CONVOLUTION_TYPES = [(F32, "f32", F32), (FLOATS[1], "f16", FLOATS[1]), (FLOATS[1], "f32", FLOATS[1]), (FLOATS[2], "f32", FLOATS[2]), (I8, "i32", I32)]


def convolution_case(name, inputs, types, shapes, terms, scale_of, attributes, suffix="", zero_points=(0, 0)):
    """`shapes`: of input, kernel and bias; `terms`: how many products a result is the sum of."""
    t, accumulator, result = types
    x, kernel = (inputs.small(t, s) for s in shapes[:2])
    bias = inputs.small(result, shapes[2])
    scale = scale_of(x, kernel, bias)

    def zeros(text):
        return [text.const(n, (1,), t, float(z) if t.kind == "float" else z) for n, z in zip(("%zx", "%zk"), zero_points)]

    # There each product and sum is rounded to the accumulator's type, here the sum alone; then the bias is added.
    return case(name, t, [x, kernel, bias], [Result(scale.shape, result, scale)], attributes, bound=2 * terms + 4 if t.kind == "float" else 0,
                row=f"tosa.{name}{suffix}" + (f", accumulator {accumulator}" if t.kind == "float" else ""), extra=zeros)


def convolution_cases(inputs):
    channels, features, per_channel, batch = 3, 5, 2, 2
    dense = lambda x, k: x @ k  # [..., input features] and [input features, output features]
    for types in CONVOLUTION_TYPES:
        for name, windows in (("conv2d", WINDOWS), ("conv3d", WINDOWS_3D)):
            for suffix, w in windows.items():
                scale = lambda x, k, b, w=w: w.sum_of_magnitudes(x, np.moveaxis(k, 0, -1), b, dense)
                shapes = ((batch, *w.input, channels), (features, *w.kernel, channels), (features,))
                yield convolution_case(name, inputs, types, shapes, channels * int(np.prod(w.kernel)), scale, w.attributes(types[1]), suffix)
        for suffix, w in WINDOWS.items():
            each = lambda x, k: (x[..., None] * k).reshape(*x.shape[:-1], -1)
            scale = lambda x, k, b, w=w: w.sum_of_magnitudes(x, k, b, each)
            shapes = ((batch, *w.input, channels), (*w.kernel, channels, per_channel), (channels * per_channel,))
            yield convolution_case("depthwise_conv2d", inputs, types, shapes, int(np.prod(w.kernel)), scale, w.attributes(types[1]), suffix)
        for suffix, stride, pad in (("", (1, 1), (0, 0, 0, 0)), (" strided", (2, 3), (1, 0, -1, 2))):
            yield transposed_case(inputs, types, stride, pad, batch, channels, features, suffix)
    w = WINDOWS[""]
    shapes = ((batch, *w.input, channels), (features, *w.kernel, channels), (1,))
    scale = lambda x, k, b: w.sum_of_magnitudes(x, np.moveaxis(k, 0, -1), b, dense)
    yield convolution_case("conv2d", inputs, CONVOLUTION_TYPES[-1], shapes, 0, scale, w.attributes("i32"), " with zero points", (3, -7))


def transposed_case(inputs, types, stride, pad, batch, channels, features, suffix):
    """The gradient of a convolution: each input element adds a kernel to the output, `stride` apart; `pad` is added around."""
    kernel, size = (3, 2), (4, 5)
    out = tuple((n - 1) * s + k + pad[2 * i] + pad[2 * i + 1] for i, (n, s, k) in enumerate(zip(size, stride, kernel)))

    def scale(x, k, b):
        full = np.zeros((batch, *((n - 1) * s + w for n, s, w in zip(size, stride, kernel)), features))
        for i, j in np.ndindex(*kernel):
            part = np.abs(x.astype(np.float64)) @ np.abs(k.astype(np.float64))[:, i, j].T
            full[:, i:i + (size[0] - 1) * stride[0] + 1:stride[0], j:j + (size[1] - 1) * stride[1] + 1:stride[1]] += part
        cut = full[:, max(-pad[0], 0):, max(-pad[2], 0):]
        cut = np.pad(cut, [(0, 0), (max(pad[0], 0), 64), (max(pad[2], 0), 64), (0, 0)])[:, :out[0], :out[1]]
        return cut + np.abs(b.astype(np.float64))

    lists = ", ".join(f"{n} = array<i64: {', '.join(map(str, v))}>" for n, v in (("out_pad", pad), ("stride", stride)))
    shapes = ((batch, *size, channels), (features, *kernel, channels), (features,))
    return convolution_case("transpose_conv2d", inputs, types, shapes, channels * 6, scale, f"{lists}, acc_type = {types[1]}", suffix)


def fourier_cases(inputs):
    x, y = inputs.small(F32, (2, 4, 8)), inputs.small(F32, (2, 4, 8))
    # Thirty-two terms, each with the error of an angle in f32 (up to 2 pi) there; here two products of 8 and 4 terms.
    scale = np.abs(x.astype(np.float64)).sum((1, 2), keepdims=True) + np.abs(y.astype(np.float64)).sum((1, 2), keepdims=True)
    results = [Result((2, 4, 8), F32, np.broadcast_to(scale, (2, 4, 8)))] * 2
    for inverse in ("false", "true"):
        yield case("fft2d", F32, [x, y], results, f"inverse = {inverse}", bound=48, row=f"tosa.fft2d inverse {inverse}")
    results = [Result((2, 4, 5), F32, np.broadcast_to(scale, (2, 4, 5)))] * 2
    yield case("rfft2d", F32, [x], results, bound=48)


def resize_cases(inputs):
    sizes = [((2, 1), (3, 2), (0, 0), (0, 0)), ((4, 3), (1, 2), (1, -1), (2, 0))]
    for (yn, yd), (xn, xd), offset, border in sizes:
        shape = (2, 5, 7, 3)
        height, width = ((5 - 1) * yn - offset[0] + border[0]) // yd + 1, ((7 - 1) * xn - offset[1] + border[1]) // xd + 1
        if ((5 - 1) * yn - offset[0] + border[0]) % yd or ((7 - 1) * xn - offset[1] + border[1]) % xd:
            border = (border[0] - ((5 - 1) * yn - offset[0] + border[0]) % yd, border[1] - ((7 - 1) * xn - offset[1] + border[1]) % xd)
        out = (2, height, width, 3)
        for t in FLOATS + [I8, I16]:
            for bilinear in (False, True):
                result = I32 if bilinear and t is I8 else t
                if bilinear and t is I16:
                    continue  # i48
                x = inputs.small(t, shape)
                mode = "BILINEAR" if bilinear else "NEAREST_NEIGHBOR"
                scale = np.full(out, np.abs(x.astype(np.float64)).max())
                # Rounded weights, products and sums: there in the type, here halves in f32.
                yield case("resize", t, [x], [Result(out, result, scale)], f"mode = #tosa.resize_mode<{mode}>", row=f"tosa.resize {mode} by {yn}/{yd} {xn}/{xd}",
                           bound=8 if bilinear and t.kind == "float" else 0,
                           extra=lambda text, s=(yn, yd, xn, xd), o=offset, b=border: [text.shape("%s", s), text.shape("%o", o), text.shape("%b", b)])


# ---------------------------------------------------------------------------------------------------------------------
# Block-scaled formats. MLIR has no lowering of them: what is expected is computed here, in f64.
# ---------------------------------------------------------------------------------------------------------------------

BLOCK = 32
NO_LOWERING = "no lowering of block-scaled formats"
SCALE = TYPES["f8E8M0FNU"]


def scaled_values(data, scale):
    return data.astype(np.float64) * np.repeat(scale.astype(np.float64), BLOCK, axis=-1)


def to_block_scaled(x, t):
    """The elements and the scales: the least powers of two with which the largest magnitudes are within the format."""
    blocks = x.astype(np.float64).reshape(*x.shape[:-1], -1, BLOCK)
    largest = np.abs(blocks).max(-1)
    finite = np.isfinite(largest)
    ratio = np.where(finite, largest, 1) / t.max.astype(np.float64)
    mantissa, exponent = np.frexp(ratio)
    exponent = np.where(ratio == 0, -127, np.maximum(exponent - (mantissa == 0.5), -127))
    scales = np.where(finite, np.ldexp(1.0, exponent), np.nan)
    with np.errstate(invalid="ignore"):
        data = rounded(wide(blocks / scales[..., None]), t)
    return data.reshape(x.shape), scales.astype(SCALE.numpy)


def block_cases(inputs):
    small = [TYPES[n] for n in ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")]
    blocks = "block_size = #tosa.block_size<BLOCK_SIZE_32>"
    for t in small:
        for out in (F32, TYPES["bf16"]):
            data, scale = inputs.any(t, (9, 4 * BLOCK)), inputs.any(SCALE, (9, 4))
            with np.errstate(over="ignore"):
                expected = scaled_values(data, scale).astype(out.numpy)
            yield case("cast_from_block_scaled", t, [data, scale], [Result(data.shape, out)], blocks, row=f"tosa.cast_from_block_scaled to {out.name}",
                       expected=[expected], why=NO_LOWERING)
            x = inputs.any(out, (7, 3, 2 * BLOCK))
            x[0, 0] = inputs.small(out, (2 * BLOCK,))
            x[1] = np.ldexp(inputs.small(F32, (3, 2 * BLOCK)), inputs.rng.integers(-140, 120, (3, 1))).astype(out.numpy)
            x[2, 1], x[2, 2, :BLOCK] = 0, t.max.astype(np.float64) * 2.0**-20
            yield case("cast_to_block_scaled", out, [x], [Result(x.shape, t), Result((7, 3, 2), SCALE)], blocks, row=f"tosa.cast_to_block_scaled to {t.name}",
                       expected=list(to_block_scaled(x, t)), why=NO_LOWERING)
        for matrices in (3, 1):
            a, b = (inputs.small(t, (n, rows, 2 * BLOCK)) for n, rows in ((3, 5), (matrices, 7)))
            p, q = (np.ldexp(1.0, inputs.rng.integers(-9, 9, (n, rows, 2))).astype(SCALE.numpy) for n, rows in ((3, 5), (matrices, 7)))
            x, y = scaled_values(a, p), scaled_values(b, q)
            y = np.broadcast_to(y, (3, *y.shape[1:])).transpose(0, 2, 1)
            # 64 terms, each exact, are added in f32 at worst.
            yield case("matmul_t_block_scaled", t, [a, p, b, q], [Result((3, 5, 7), F32, np.abs(x) @ np.abs(y))], blocks, bound=64,
                       row=f"tosa.matmul_t_block_scaled 3 x {matrices}", expected=[(x @ y).astype(np.float32)], why=NO_LOWERING)


# ---------------------------------------------------------------------------------------------------------------------
# Control flow
# ---------------------------------------------------------------------------------------------------------------------


def control_cases(inputs):
    for value in (False, True):
        p, x = np.array(value), inputs.small(F32, (5,))
        text = """  %r0 = tosa.cond_if %x0 (%a = %x1) : tensor<i1> (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    %b = tosa.add %a, %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    tosa.yield %b : tensor<5xf32>
  } else {
  ^bb0(%a: tensor<5xf32>):
    tosa.yield %a : tensor<5xf32>
  }"""
        yield Case(f"tosa.cond_if {str(value).lower()}", F32, [p, x], text, [Result((5,), F32)])
    n, x = np.array(3, np.int32), inputs.small(F32, (5,))
    text = """  %k0 = "tosa.const"() {values = dense<0> : tensor<i32>} : () -> tensor<i32>
  %k1 = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
  %last, %r0 = tosa.while_loop (%i = %x0, %a = %x1) : (tensor<i32>, tensor<5xf32>) -> (tensor<i32>, tensor<5xf32>) {
    %c = tosa.greater %i, %k0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<5xf32>):
    %j = tosa.sub %i, %k1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %b = tosa.add %a, %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    tosa.yield %j, %b : tensor<i32>, tensor<5xf32>
  }"""
    yield Case("tosa.while_loop", F32, [n, x], text, [Result((5,), F32)])


MAKERS = [unary_cases, binary_cases, broadcast_cases, cast_cases, table_cases, rescale_cases, movement_cases, shape_cases, reduce_cases, pool_cases,
          matmul_cases, convolution_cases, fourier_cases, resize_cases, block_cases, control_cases]


FAST_TYPES = ("f32", "i8", "i1")

# What is no operation of a function on its inputs, and tested elsewhere.
ELSEWHERE = {"variable": "test/unit/variables.c", "variable_read": "test/unit/variables.c", "variable_write": "test/unit/variables.c"}


def make_cases(fast):
    inputs = Inputs(fast)
    return [c for make in MAKERS for c in make(inputs)]


# ---------------------------------------------------------------------------------------------------------------------
# What there is to test
# ---------------------------------------------------------------------------------------------------------------------


def operations_of_mlir(llvm_bin):
    """The operations of the dialect, from the header that MLIR's build made of it."""
    path = os.path.join(os.path.dirname(llvm_bin.rstrip("/")), "include", "mlir", "Dialect", "Tosa", "IR", "TosaOps.h.inc")
    with open(path) as file:
        return set(re.findall(r'StringLiteral\("tosa\.(\w+)"\)', file.read()))


def operations_of_rules():
    """The operations that convert-tosa-to-tg knows: those it converts, those it refuses by name."""
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "lowering", "import", "tosa_to_tg", "rules.def")) as file:
        rules = re.findall(r"^TOSA_OP\((\w+), .*?, tosa(Refuse)?", file.read(), re.M)
    return {name for name, refuse in rules if not refuse}, {name for name, refuse in rules if refuse}


def missing_operations(cases, llvm_bin):
    """What MLIR's dialect has and the rules or the cases lack."""
    converted, refused = operations_of_rules()
    tested = {name for c in cases for name in re.findall(r"\btosa\.(\w+)", c.text)}
    return [f"- tosa.{name}: no rule" for name in sorted(operations_of_mlir(llvm_bin) ^ (converted | refused))] + [
        f"- tosa.{name}: not tested" for name in sorted(converted - tested - set(ELSEWHERE))]
