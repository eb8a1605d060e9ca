# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions, shapes, slices, gather, constants."""
import numpy as np

from op_tests.cases import Case, Equal, Group, dims, elementwise_case, operation
from op_tests.elementwise import wrap
from op_tests.types import BOOL, TYPES, Wide, edge_values, make_complex, random_values, rounded, tensor, unary_inputs, wide


def converted(x, source, target):
    """Floats to integers go towards zero, out of range to the nearest integer of the type, NaN to 0. Of complex numbers only complex
    numbers keep the imaginary part."""
    if source.kind == "complex" and target.kind != "complex":
        return converted(np.ascontiguousarray(x.real), source.part, target)
    if target.kind == "complex":
        if source.kind != "complex":
            return make_complex(converted(x, source, target.part), np.zeros(len(x)), target)
        return make_complex(*(rounded(wide(v), target.part) for v in (x.real, x.imag)), target)
    if target.kind == "bool":
        return x != 0
    if target.kind == "float":
        value = wide(x)
        if not target.has_sign:  # a positive number of any size is positive as f8E8M0FNU
            least = np.ldexp(Wide(1), target.emin)
            value = np.where((value > 0) & (value < least), least, value)
        return rounded(value, target)
    if source.kind != "float":
        return wrap(x.astype(object) * 1, target)
    value = np.trunc(wide(x))
    value = np.where(np.isnan(value), 0, np.clip(value, Wide(target.least), Wide(target.largest)))
    return np.array([int(v) for v in value], object).astype(target.numpy)


def convert_group(source, size, rng):
    inputs = unary_inputs(source, size, rng)
    if source.bits == 16 and not size.every:
        inputs = [np.concatenate([edge_values(source), inputs[0][::8]])]
    cases = [elementwise_case(f"stablehlo.convert to {target.name}", "stablehlo.convert", source, inputs, target,
                              Equal(converted(inputs[0], source, target), inputs)) for target in TYPES.values()]
    return Group(f"convert {source.name}", inputs, cases)


def recast(x, source, target):
    """The bits of `x` as elements of another type, the lowest first. What is wider takes the last dimension, which is as long."""
    if source.kind == "complex":
        values = x.view(target.numpy)
        return values.reshape(*x.shape, -1) if target.bits < source.bits else values.reshape(x.shape if target is source else x.shape[:-1])
    bits = source.bits_of(x)[..., None] >> np.arange(source.bits, dtype=f"u{source.numpy.itemsize}") & 1
    bits = bits.reshape(*x.shape[: x.ndim - (target.bits > source.bits)], -1, target.bits).astype(np.uint64)
    values = np.sum(bits << np.arange(target.bits, dtype=np.uint64), axis=-1, dtype=np.uint64)
    values = values.astype(f"u{target.numpy.itemsize}").view(target.numpy)
    return values if target.bits < source.bits else values[..., 0]


def bitcast_group(source, size, rng):
    x = np.concatenate([edge_values(source), random_values(source, 200, rng)])
    x = x[: len(x) // 64 * 64]
    inputs, cases = [x], []
    for target in TYPES.values():
        if (target.kind == "complex") != (source.kind == "complex") or max(target.bits, source.bits) % min(target.bits, source.bits):
            continue
        index, array = 0, x
        if target.bits > source.bits:
            array = x.reshape(-1, target.bits // source.bits)
            inputs.append(array)
            index = len(inputs) - 1
        expected = np.ascontiguousarray(recast(array, source, target))
        text = operation("stablehlo.bitcast_convert", [f"%{index}"], [tensor(array.shape, source)], tensor(expected.shape, target))
        cases.append(Case("stablehlo.bitcast_convert", source, text, list(expected.shape), target, Equal(expected, payload=True)))
    return Group(f"bitcast {source.name}", inputs, cases)


def pad(x, value, low, high, interior):
    for axis in range(x.ndim):
        length = x.shape[axis]
        spread = length + max(length - 1, 0) * interior[axis]
        shape = list(x.shape)
        shape[axis] = spread
        stretched = np.full(shape, value, x.dtype)
        stretched[(slice(None),) * axis + (slice(None, None, interior[axis] + 1),)] = x
        before, after = max(low[axis], 0), max(high[axis], 0)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (before, after)
        x = np.pad(stretched, widths, constant_values=value)
        x = x[(slice(None),) * axis + (slice(max(-low[axis], 0), x.shape[axis] - max(-high[axis], 0)),)]
    return np.ascontiguousarray(x)


def movement_group(t, size, rng):
    x = random_values(t, 6 * 5 * 8, rng).reshape(6, 5, 8)
    y = random_values(t, 6 * 3 * 8, rng).reshape(6, 3, 8)
    scalar, row = random_values(t, 1, rng).reshape(()), random_values(t, 8, rng)
    inputs = [x, y, scalar, row]
    cases = []

    def add(name, operands, attributes, expected):
        expected = np.ascontiguousarray(expected)
        text = operation(name, [f"%{i}" for i in operands], [tensor(inputs[i].shape, t) for i in operands],
                         tensor(expected.shape, t), attributes)
        cases.append(Case(name, t, text, list(expected.shape), t, Equal(expected, payload=True)))

    add("stablehlo.broadcast_in_dim", [2], f"broadcast_dimensions = {dims()}", np.broadcast_to(scalar, (4, 9)))
    add("stablehlo.broadcast_in_dim", [3], f"broadcast_dimensions = {dims(1)}", np.broadcast_to(row[None, :, None], (3, 8, 5)))
    add("stablehlo.broadcast", [3], f"broadcast_sizes = {dims(2, 3)}", np.broadcast_to(row, (2, 3, 8)))
    add("stablehlo.reshape", [0], "", x.reshape(10, 24))
    add("stablehlo.transpose", [0], f"permutation = {dims(2, 0, 1)}", x.transpose(2, 0, 1))
    add("stablehlo.transpose", [0], f"permutation = {dims(0, 2, 1)}", x.transpose(0, 2, 1))
    add("stablehlo.reverse", [0], f"dimensions = {dims(0, 2)}", x[::-1, :, ::-1])
    add("stablehlo.slice", [0], f"start_indices = {dims(1, 0, 1)}, limit_indices = {dims(6, 5, 8)}, strides = {dims(2, 1, 3)}",
        x[1:6:2, :, 1:8:3])
    add("stablehlo.concatenate", [0, 1, 0], "dimension = 1 : i64", np.concatenate([x, y, x], 1))
    for low, high, interior in (((1, 0, 2), (0, 3, 1), (0, 0, 0)), ((-1, 2, -3), (1, -2, 0), (1, 2, 0)), ((0, -7, 0), (2, 0, -9), (0, 3, 2))):
        add("stablehlo.pad", [0, 2], f"edge_padding_low = {dims(*low)}, edge_padding_high = {dims(*high)}, "
            f"interior_padding = {dims(*interior)}", pad(x, scalar, low, high, interior))
    if t.kind != "bool" and not (t.kind == "float" and not t.has_zero):
        for dim in (0, 2):
            shape = (5, 3, 7)
            expected = np.broadcast_to(np.arange(shape[dim]).reshape([-1 if i == dim else 1 for i in range(3)]), shape).astype(t.numpy)
            add("stablehlo.iota", [], f"iota_dimension = {dim} : i64", expected)
    return Group(f"movement {t.name}", inputs, cases)


def constant_group(t, size, rng):
    """The edge values as constants: as they are, and next to an input, so that they are inside a kernel too."""
    values = edge_values(t)
    digits = t.numpy.itemsize * 2
    if t.kind == "bool":
        elements = ", ".join("true" if v else "false" for v in values)
    elif t.kind == "complex":
        elements = ", ".join(f"(0x{int(a):0{digits // 2}X}, 0x{int(b):0{digits // 2}X})" for a, b in t.bits_of(values))
    elif t.kind == "float":
        elements = ", ".join(f"0x{int(b):0{digits}X}" for b in t.bits_of(values))
    else:
        elements = ", ".join(str(int(v)) for v in values)
    shape = [len(values)]
    pred = rng.integers(0, 2, len(values)).astype(bool)
    x = random_values(t, len(values), rng)
    text = f'%r = "stablehlo.constant"() {{value = dense<[{elements}]> : {tensor(shape, t)}}} : () -> {tensor(shape, t)}'
    inside = (text.replace("%r =", "%r_c =") + f'\n    %r = "stablehlo.select"(%0, %r_c, %1) : ({tensor(shape, BOOL)}, '
              f"{tensor(shape, t)}, {tensor(shape, t)}) -> {tensor(shape, t)}")
    return Group(f"constant {t.name}", [pred, x], [
        Case("stablehlo.constant", t, text, shape, t, Equal(values, payload=True)),
        Case("stablehlo.constant", t, inside, shape, t, Equal(np.where(pred, values, x).astype(t.numpy), payload=True)),
    ])


def start_values(t, limit):
    """Start indices in range and far out of it."""
    values = [0, 1, limit, limit + 1, 100, t.largest, t.largest - 1] + ([-1, -2, -100, t.least] if t.kind == "int" else [])
    return t.array([v for v in values if t.least <= v <= t.largest])


def clamped_start(value, limit):
    return max(0, min(int(value), limit))


def dynamic_group(index_type, t, size, rng):
    """dynamic_slice, dynamic_update_slice and gather with indices of one type."""
    x = random_values(t, 300 * 6, rng).reshape(300, 6)
    update = random_values(t, 8, rng).reshape(2, 4)
    starts = start_values(index_type, 298)
    inputs, cases = [x, update], []
    for s in starts:
        inputs.append(np.array(s, index_type.numpy))
    zero = tensor([], index_type)
    for k, s in enumerate(starts):
        other = 2 + (k + 3) % len(starts)
        i, j = clamped_start(s, 298), clamped_start(inputs[other], 2)
        operands = ["%0", f"%{2 + k}", f"%{other}"]
        text = operation("stablehlo.dynamic_slice", operands, [tensor(x.shape, t), zero, zero], tensor((2, 4), t),
                         f"slice_sizes = {dims(2, 4)}")
        cases.append(Case("stablehlo.dynamic_slice", index_type, text, [2, 4], t,
                          Equal(np.ascontiguousarray(x[i : i + 2, j : j + 4]), payload=True)))
        expected = x.copy()
        expected[i : i + 2, j : j + 4] = update
        text = operation("stablehlo.dynamic_update_slice", ["%0", "%1"] + operands[1:],
                         [tensor(x.shape, t), tensor(update.shape, t), zero, zero], tensor(x.shape, t))
        cases.append(Case("stablehlo.dynamic_update_slice", index_type, text, list(x.shape), t, Equal(expected, payload=True)))
    rows = np.concatenate([starts, random_values(index_type, 21, rng)])
    pairs = rows[: len(rows) // 2 * 2].reshape(-1, 2)
    inputs += [rows, pairs]
    cases += gather_cases(x, rows, len(inputs) - 2, pairs, len(inputs) - 1, t, index_type)
    return Group(f"dynamic {index_type.name} of {t.name}", inputs, cases)


def gather_text(operand, index, operand_type, index_type, result, numbers, sizes):
    return operation("stablehlo.gather", [operand, index], [operand_type, index_type], result,
                     f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = {dims(*sizes)}, indices_are_sorted = false")


def gather_cases(x, rows, rows_input, pairs, pairs_input, t, index_type):
    """Rows of a table; windows at pairs of indices, swapped."""
    taken = np.stack([x[clamped_start(i, 299)] for i in rows])
    cases = [Case("stablehlo.gather", index_type,
                  gather_text("%0", f"%{rows_input}", tensor(x.shape, t), tensor(rows.shape, index_type), tensor(taken.shape, t),
                              "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", (1, 6)),
                  list(taken.shape), t, Equal(taken, payload=True))]
    windows = np.stack([x[clamped_start(i, 297) :, clamped_start(j, 4) :][:3, :2] for j, i in pairs])
    expected = np.ascontiguousarray(windows.transpose(1, 0, 2))
    cases.append(Case("stablehlo.gather", index_type,
                      gather_text("%0", f"%{pairs_input}", tensor(x.shape, t), tensor(pairs.shape, index_type),
                                  tensor(expected.shape, t),
                                  "offset_dims = [0, 2], start_index_map = [1, 0], index_vector_dim = 1", (3, 2)),
                      list(expected.shape), t, Equal(expected, payload=True)))
    return cases


def batched_gather_group(t, size, rng):
    index_type = TYPES["i32"]
    x = random_values(t, 4 * 7 * 5, rng).reshape(4, 7, 5)
    index = rng.integers(-2, 9, (4, 3)).astype(np.int32)
    taken = np.stack([[x[b, clamped_start(i, 6)] for i in index[b]] for b in range(4)])
    text = gather_text("%0", "%1", tensor(x.shape, t), tensor(index.shape, index_type), tensor(taken.shape, t),
                       "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
                       "start_index_map = [1], index_vector_dim = 2", (1, 1, 5))
    return Group(f"gather {t.name}", [x, index], [Case("stablehlo.gather", t, text, list(taken.shape), t, Equal(taken, payload=True))])
