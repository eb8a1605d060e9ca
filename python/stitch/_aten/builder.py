# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""StableHLO as text, an operation a call.

    b = Builder()
    x = b.argument(torch.float32, (4, 3))
    text = b.module([b.op("exponential", x)])

Operations are written in MLIR's generic form, each at the location `b.place`, which diagnostics name. Values know their type, and
helpers with operands of different types or shapes that do not fit raise AssertionError: an operator is then left to PyTorch.
"""
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

TYPES = {
    torch.bool: "i1", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "ui8", torch.uint16: "ui16",
    torch.uint32: "ui32", torch.uint64: "ui64", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
    torch.complex64: "complex<f32>", torch.complex128: "complex<f64>", torch.float8_e5m2: "f8E5M2", torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2fnuz: "f8E5M2FNUZ", torch.float8_e4m3fnuz: "f8E4M3FNUZ", torch.float8_e8m0fnu: "f8E8M0FNU",
}
PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}
_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
Shape = tuple[int, ...]


class Value:
    """A tensor in the program. `fake`: as PyTorch sees it, of results of operators and of arguments."""

    __slots__ = ("name", "dtype", "shape", "fake")

    def __init__(self, name: str, dtype: torch.dtype, shape: Sequence[int]) -> None:
        self.name, self.dtype, self.shape = name, dtype, tuple(shape)
        self.fake: Any = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def type(self) -> str:
        return type_text(self.dtype, self.shape)

    @property
    def is_float(self) -> bool:
        return bool(self.dtype.is_floating_point)


def type_text(dtype: torch.dtype, shape: Sequence[int]) -> str:
    return f"tensor<{''.join(f'{d}x' for d in shape)}{TYPES[dtype]}>"


def _bits(value: float, dtype: torch.dtype) -> str:
    """A float as MLIR reads it exactly: its bits."""
    size = dtype.itemsize
    bits = torch.tensor(value, dtype=torch.float64).to(dtype).reshape(1).view(_WORDS[size]).item()
    return f"0x{bits & ((1 << 8 * size) - 1):0{2 * size}X}"


def _number(value: Any, dtype: torch.dtype) -> str:
    if dtype is torch.bool:
        return "true" if value else "false"
    if dtype in PARTS:
        value = complex(value)
        return f"({_bits(value.real, PARTS[dtype])}, {_bits(value.imag, PARTS[dtype])})"
    if dtype.is_floating_point:
        return _bits(float(value), dtype)
    info = torch.iinfo(dtype)
    if info.min == 0 and -info.max <= int(value) < 0:  # as in PyTorch
        value = int(value) + info.max + 1
    assert info.min <= int(value) <= info.max, f"{value} is no {dtype}"
    return str(int(value))


def ints(values: Sequence[int]) -> str:
    return f"array<i64{': ' if len(values) else ''}{', '.join(map(str, values))}>"


def pairs(low: Sequence[int], high: Sequence[int]) -> str:
    """The attribute `padding`."""
    rows = ", ".join(f"[{a}, {b}]" for a, b in zip(low, high, strict=True))
    return f"dense<{f'[{rows}]' if rows else ''}> : tensor<{len(low)}x2xi64>"


def i64(value: int) -> str:
    return f"{value} : i64"


def lists(name: str, **fields: Any) -> str:
    """An attribute of dimension numbers: of gather, scatter or dot."""
    texts = [f"{key} = {list(value) if not isinstance(value, int) else value}" for key, value in fields.items()]
    return f"#stablehlo.{name}<{', '.join(texts)}>"


Body = Callable[..., Sequence[Value]]


class Builder:
    """A function @main that grows."""

    def __init__(self) -> None:
        self.place = "main"
        self._arguments: list[tuple[Value, int | None]] = []
        self._lines: list[str] = []
        self._count = 0
        self._constants: list[dict[Any, Value]] = [{}]

    def argument(self, dtype: torch.dtype, shape: Sequence[int]) -> Value:
        value = Value(f"%a{len(self._arguments)}", dtype, shape)
        self._arguments.append((value, None))
        return value

    def donate(self, argument: int, result: int) -> None:
        """Says that the result may be in the argument's memory."""
        self._arguments[argument] = (self._arguments[argument][0], result)

    def module(self, results: Sequence[Value]) -> str:
        """The whole program."""
        arguments = ", ".join(f"{v.name}: {v.type}" + ("" if r is None else f" {{tf.aliasing_output = {r} : i32}}") for v, r in self._arguments)
        types = ", ".join(v.type for v in results)
        lines = [f"module {{\nfunc.func public @main({arguments}) -> ({types}) {{", *self._lines, self._end("func.return", results)]
        return "\n".join(lines) + "\n}\n}\n"

    # ------------------------------------------------------------------------------------------------------------------
    # Any operation
    # ------------------------------------------------------------------------------------------------------------------

    def _end(self, name: str, values: Sequence[Value]) -> str:
        return f'"{name}"({", ".join(v.name for v in values)}) : ({", ".join(v.type for v in values)}) -> ()'

    def end(self, values: Sequence[Value]) -> str:
        """The end of a region."""
        return self._end("stablehlo.return", values)

    def _fresh(self, dtype: torch.dtype, shape: Sequence[int]) -> Value:
        self._count += 1
        return Value(f"%{self._count}", dtype, shape)

    def raw(self, name: str, operands: Sequence[Value], results: Sequence[tuple[torch.dtype, Sequence[int]]], attributes: str = "", regions: str = "",
            dialect: str = "stablehlo") -> tuple[Value, ...]:
        """Any operation, with its attributes and regions as text."""
        values = tuple(self._fresh(*r) for r in results)
        types = ", ".join(v.type for v in operands)
        self._lines.append(f'{", ".join(v.name for v in values)} = "{dialect}.{name}"({", ".join(v.name for v in operands)}){regions}'
                           f'{f" {{{attributes}}}" if attributes else ""} : ({types}) -> ({", ".join(v.type for v in values)}) loc("{self.place}")')
        return values

    def op(self, name: str, *operands: Value, dtype: torch.dtype | None = None, dialect: str = "stablehlo") -> Value:
        """An elementwise operation: operands of one shape, the result of the last one's type or of `dtype`."""
        assert len({v.shape for v in operands}) == 1, f"{name} of shapes {[v.shape for v in operands]}"
        assert name in ("select", "clamp") or len({v.dtype for v in operands}) == 1, f"{name} of types {[v.dtype for v in operands]}"
        return self.raw(name, operands, [(dtype or operands[-1].dtype, operands[-1].shape)], dialect=dialect)[0]

    def chlo(self, name: str, *operands: Value) -> Value:
        return self.op(name, *operands, dialect="chlo")

    @contextmanager
    def region(self, types: Sequence[tuple[torch.dtype, Sequence[int]]]) -> Iterator[tuple[list[Value], list[str]]]:
        """Lines that are written meanwhile are those of a region with such arguments; its text is put into the list."""
        text: list[str] = []
        outer, self._lines = self._lines, []
        self._constants.append({})
        arguments = [self._fresh(*t) for t in types]
        try:
            yield arguments, text
            head = f"^bb0({', '.join(f'{a.name}: {a.type}' for a in arguments)}):\n" if arguments else ""
            text.append("{\n" + head + "\n".join([*self._lines, *text]) + "\n}")
            del text[:-1]
        finally:
            self._lines = outer
            self._constants.pop()

    def body(self, types: Sequence[tuple[torch.dtype, Sequence[int]]], function: Body) -> str:
        """A region: what the function makes of its arguments."""
        with self.region(types) as (arguments, text):
            text.append(self.end(function(*arguments)))
        return text[0]

    # ------------------------------------------------------------------------------------------------------------------
    # Constants
    # ------------------------------------------------------------------------------------------------------------------

    def constant(self, value: Any, dtype: torch.dtype, shape: Sequence[int] = ()) -> Value:
        """A number everywhere."""
        number = _number(value, dtype)
        key = (number, dtype)
        known = self._constants[-1].get(key)  # a body takes none from around it
        if known is None:
            known = self.raw("constant", (), [(dtype, ())], f"value = dense<{number}> : {type_text(dtype, ())}")[0]
            self._constants[-1][key] = known
        return self.broadcast(known, shape, ())

    def like(self, value: Any, x: Value) -> Value:
        return self.constant(value, x.dtype, x.shape)

    def tensor(self, tensor: torch.Tensor) -> Value:
        """The elements of a tensor."""
        tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
        if tensor.dtype is torch.bool:  # MLIR packs booleans
            words = self.tensor(tensor.view(torch.uint8))
            return self.compare(words, self.like(0, words), "NE")
        if tensor.numel() == 0:
            text = ""
        elif tensor.numel() == 1:
            text = _number(tensor.item(), tensor.dtype) if not tensor.dtype.is_floating_point or tensor.dtype.itemsize > 1 else _bits(tensor.float().item(), tensor.dtype)
        else:
            text = f'"0x{bytes(tensor.reshape(-1).view(torch.uint8).numpy()).hex().upper()}"'
        return self.raw("constant", (), [(tensor.dtype, tensor.shape)], f"value = dense<{text}> : {type_text(tensor.dtype, tensor.shape)}")[0]

    def iota(self, dtype: torch.dtype, shape: Sequence[int], dim: int) -> Value:
        return self.raw("iota", (), [(dtype, shape)], f"iota_dimension = {i64(dim)}")[0]

    # ------------------------------------------------------------------------------------------------------------------
    # Elementwise
    # ------------------------------------------------------------------------------------------------------------------

    def convert(self, x: Value, dtype: torch.dtype) -> Value:
        if x.dtype is dtype:
            return x
        if dtype is torch.bool:
            return self.compare(x, self.like(0, x), "NE")
        if x.dtype in PARTS and dtype not in PARTS:
            return self.convert(self.raw("real", (x,), [(PARTS[x.dtype], x.shape)])[0], dtype)
        if x.is_float and not dtype.is_floating_point and dtype not in PARTS and dtype.itemsize < 4:
            x = self.op("convert", x, dtype=torch.int32)  # as PyTorch: what is too large wraps around
        return self.op("convert", x, dtype=dtype)

    def compare(self, x: Value, y: Value, direction: str) -> Value:
        assert x.dtype is y.dtype and x.shape == y.shape, f"{x.type} and {y.type} are compared"
        is_float = x.is_float or x.dtype in PARTS
        kind = "FLOAT" if is_float else "UNSIGNED" if TYPES[x.dtype].startswith("ui") or x.dtype is torch.bool else "SIGNED"
        attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type {kind}>"
        return self.raw("compare", (x, y), [(torch.bool, x.shape)], attributes)[0]

    def select(self, predicate: Value, yes: Value, no: Value) -> Value:
        assert predicate.dtype is torch.bool and yes.dtype is no.dtype
        return self.op("select", predicate, yes, no)

    def is_nan(self, x: Value) -> Value:
        return self.compare(x, x, "NE")

    # ------------------------------------------------------------------------------------------------------------------
    # Shapes
    # ------------------------------------------------------------------------------------------------------------------

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        assert math.prod(x.shape) == math.prod(shape), f"{x.type} reshaped to {shape}"
        return x if x.shape == tuple(shape) else self.raw("reshape", (x,), [(x.dtype, shape)])[0]

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        if list(order) == list(range(x.ndim)):
            return x
        return self.raw("transpose", (x,), [(x.dtype, [x.shape[d] for d in order])], f"permutation = {ints(order)}")[0]

    def broadcast(self, x: Value, shape: Sequence[int], dims: Sequence[int] | None = None) -> Value:
        """To a shape: dimension i of x is `dims[i]` of it, otherwise the last ones are those of x; those of size 1 are repeated."""
        dims = tuple(range(len(shape) - x.ndim, len(shape))) if dims is None else dims
        if x.shape == tuple(shape):
            return x
        assert all(x.shape[i] in (1, shape[d]) for i, d in enumerate(dims)), f"{x.type} does not fit {shape}"
        return self.raw("broadcast_in_dim", (x,), [(x.dtype, shape)], f"broadcast_dimensions = {ints(dims)}")[0]

    def slice(self, x: Value, start: Sequence[int], limit: Sequence[int], step: Sequence[int] | None = None) -> Value:
        step = step or [1] * x.ndim
        shape = [max(0, -(-(e - s) // n)) for s, e, n in zip(start, limit, step, strict=True)]
        if tuple(shape) == x.shape:
            return x
        return self.raw("slice", (x,), [(x.dtype, shape)], f"start_indices = {ints(start)}, limit_indices = {ints(limit)}, strides = {ints(step)}")[0]

    def slice_dim(self, x: Value, dim: int, start: int, limit: int, step: int = 1) -> Value:
        starts, limits, steps = [0] * x.ndim, list(x.shape), [1] * x.ndim
        starts[dim], limits[dim], steps[dim] = start, limit, step
        return self.slice(x, starts, limits, steps)

    def concatenate(self, values: Sequence[Value], dim: int) -> Value:
        if len(values) == 1:
            return values[0]
        assert len({v.dtype for v in values}) == 1
        shape = list(values[0].shape)
        shape[dim] = sum(v.shape[dim] for v in values)
        return self.raw("concatenate", values, [(values[0].dtype, shape)], f"dimension = {i64(dim)}")[0]

    def pad(self, x: Value, value: Value, low: Sequence[int], high: Sequence[int], interior: Sequence[int] | None = None) -> Value:
        interior = list(interior or [0] * x.ndim)
        shape = [a + b + s + max(0, s - 1) * i for s, a, b, i in zip(x.shape, low, high, interior, strict=True)]
        attributes = f"edge_padding_low = {ints(low)}, edge_padding_high = {ints(high)}, interior_padding = {ints(interior)}"
        return self.raw("pad", (x, value), [(x.dtype, shape)], attributes)[0]

    def reverse(self, x: Value, dims: Sequence[int]) -> Value:
        return self.raw("reverse", (x,), [(x.dtype, x.shape)], f"dimensions = {ints(dims)}")[0] if dims else x

    # ------------------------------------------------------------------------------------------------------------------
    # Reductions, windows, sorting
    # ------------------------------------------------------------------------------------------------------------------

    def _combiner(self, name: str, dtype: torch.dtype) -> str:
        return self.body([(dtype, ()), (dtype, ())], lambda a, b: [self.op(name, a, b)])

    def reduce(self, x: Value, name: str, init: Any, dims: Sequence[int]) -> Value:
        """By the operation `name`; the result lacks the dimensions."""
        shape = [s for d, s in enumerate(x.shape) if d not in dims]
        start = self.constant(init, x.dtype)
        region = self._combiner(name, x.dtype)
        return self.raw("reduce", (x, start), [(x.dtype, shape)], f"dimensions = {ints(sorted(dims))}", f" ({region})")[0]

    def reduce_all(self, values: Sequence[Value], inits: Sequence[Value], dims: Sequence[int], function: Body) -> tuple[Value, ...]:
        """Several tensors at once, by what the function makes of an element of each and another of each."""
        shape = [s for d, s in enumerate(values[0].shape) if d not in dims]
        region = self.body([(v.dtype, ()) for v in values] * 2, function)
        return self.raw("reduce", (*values, *inits), [(v.dtype, shape) for v in values], f"dimensions = {ints(sorted(dims))}", f" ({region})")

    def reduce_window(self, values: Sequence[Value], inits: Sequence[Value], function: Body, window: Sequence[int], *, strides: Sequence[int] | None = None,
                      dilation: Sequence[int] | None = None, low: Sequence[int] | None = None, high: Sequence[int] | None = None) -> tuple[Value, ...]:
        rank = values[0].ndim
        ones, zeros = [1] * rank, [0] * rank
        strides, dilation, low, high = strides or ones, dilation or ones, low or zeros, high or zeros
        shape = [max(0, (s + a + b - (w - 1) * d - 1) // n + 1)
                 for s, a, b, w, d, n in zip(values[0].shape, low, high, window, dilation, strides, strict=True)]
        region = self.body([(v.dtype, ()) for v in values] * 2, function)
        attributes = (f"window_dimensions = {ints(window)}, window_strides = {ints(strides)}, window_dilations = {ints(dilation)}, "
                      f"base_dilations = {ints(ones)}, padding = {pairs(low, high)}")
        return self.raw("reduce_window", (*values, *inits), [(v.dtype, shape) for v in values], attributes, f" ({region})")

    def cumulative(self, x: Value, name: str, init: Any, dim: int) -> Value:
        window, low = [1] * x.ndim, [0] * x.ndim
        window[dim], low[dim] = max(1, x.shape[dim]), max(0, x.shape[dim] - 1)
        return self.reduce_window([x], [self.constant(init, x.dtype)], lambda a, b: [self.op(name, a, b)], window, low=low)[0]

    def sort(self, values: Sequence[Value], dim: int, comes_before: Callable[..., Value]) -> tuple[Value, ...]:
        """Stable, by what the function says of two elements of each tensor: a0, b0, a1, b1, ..."""
        region = self.body([(v.dtype, ()) for v in values for _ in range(2)], lambda *args: [comes_before(*args)])
        return self.raw("sort", values, [(v.dtype, v.shape) for v in values], f"dimension = {i64(dim)}, is_stable = true", f" ({region})")

    # ------------------------------------------------------------------------------------------------------------------
    # Indices
    # ------------------------------------------------------------------------------------------------------------------

    def gather(self, x: Value, indices: Value, sizes: Sequence[int], shape: Sequence[int], *, offset: Sequence[int], collapsed: Sequence[int], index_map: Sequence[int],
               vector_dim: int, batching: Sequence[int] = (), index_batching: Sequence[int] = ()) -> Value:
        numbers = lists("gather", offset_dims=offset, collapsed_slice_dims=collapsed, operand_batching_dims=batching, start_indices_batching_dims=index_batching,
                        start_index_map=index_map, index_vector_dim=vector_dim)
        return self.raw("gather", (x, indices), [(x.dtype, shape)], f"dimension_numbers = {numbers}, slice_sizes = {ints(sizes)}, indices_are_sorted = false")[0]

    def scatter(self, x: Value, indices: Value, updates: Value, function: Body, *, window: Sequence[int], inserted: Sequence[int], index_map: Sequence[int],
                vector_dim: int, batching: Sequence[int] = (), index_batching: Sequence[int] = ()) -> Value:
        numbers = lists("scatter", update_window_dims=window, inserted_window_dims=inserted, input_batching_dims=batching, scatter_indices_batching_dims=index_batching,
                        scatter_dims_to_operand_dims=index_map, index_vector_dim=vector_dim)
        region = self.body([(x.dtype, ())] * 2, function)
        attributes = f"scatter_dimension_numbers = {numbers}, indices_are_sorted = false, unique_indices = false"
        return self.raw("scatter", (x, indices, updates), [(x.dtype, x.shape)], attributes, f" ({region})")[0]

    def dynamic_slice(self, x: Value, starts: Sequence[Value], sizes: Sequence[int]) -> Value:
        return self.raw("dynamic_slice", (x, *starts), [(x.dtype, sizes)], f"slice_sizes = {ints(sizes)}")[0]

    def dynamic_update_slice(self, x: Value, update: Value, starts: Sequence[Value]) -> Value:
        return self.raw("dynamic_update_slice", (x, update, *starts), [(x.dtype, x.shape)])[0]

    # ------------------------------------------------------------------------------------------------------------------
    # Products
    # ------------------------------------------------------------------------------------------------------------------

    def dot(self, x: Value, y: Value, contract: tuple[Sequence[int], Sequence[int]], batch: tuple[Sequence[int], Sequence[int]] = ((), ())) -> Value:
        """The result has the batch's dimensions, then those of x that are left, then those of y."""
        free = [[s for d, s in enumerate(v.shape) if d not in (*batch[i], *contract[i])] for i, v in enumerate((x, y))]
        shape = [*(x.shape[d] for d in batch[0]), *free[0], *free[1]]
        numbers = lists("dot", lhs_batching_dimensions=batch[0], rhs_batching_dimensions=batch[1], lhs_contracting_dimensions=contract[0],
                        rhs_contracting_dimensions=contract[1])
        return self.raw("dot_general", (x, y), [(x.dtype, shape)], f"dot_dimension_numbers = {numbers}")[0]

    def convolution(self, x: Value, kernel: Value, numbers: str, shape: Sequence[int], *, strides: Sequence[int], low: Sequence[int], high: Sequence[int],
                    dilation: Sequence[int], kernel_dilation: Sequence[int], groups: int = 1, batch_groups: int = 1) -> Value:
        attributes = (f"window_strides = {ints(strides)}, padding = {pairs(low, high)}, lhs_dilation = {ints(dilation)}, rhs_dilation = {ints(kernel_dilation)}, "
                      f"window_reversal = array<i1{': ' + ', '.join(['false'] * len(strides)) if strides else ''}>, dimension_numbers = #stablehlo.conv<{numbers}>, "
                      f"feature_group_count = {i64(groups)}, batch_group_count = {i64(batch_groups)}")
        return self.raw("convolution", (x, kernel), [(x.dtype, shape)], attributes)[0]
