# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of ATen, for given arguments, as a program in StableHLO.

Beside each value goes the fake tensor that PyTorch makes of the same operator on the same arguments: its type and shape are what the value's must
be, otherwise PyTorch runs the operator. Ints that change from call to call are inputs where an operator takes them as values; where they
are sizes, the program is for this one.
"""
import dataclasses
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Node

from .builder import TYPES, Builder, Value
from .shapes import memory_order
from .table import LOWERINGS, TAKES_SCALARS, Context, Left, Scalar

_ON_INTS = {operator.add: "add", operator.sub: "subtract", operator.mul: "multiply", torch.sym_max: "maximum", torch.sym_min: "minimum", torch.sym_sum: "add"}
_LARGE_CONSTANT = 64  # elements; a larger constant of a graph is an input


@dataclasses.dataclass(frozen=True)
class Argument:
    """An input of the program. `source`: the number of the graph's argument, or a constant tensor. `order`: its dimensions as they are in memory;
    None: it is to be made dense."""

    source: int | torch.Tensor
    dtype: torch.dtype
    order: tuple[int, ...] | None


@dataclasses.dataclass(frozen=True)
class Result:
    """An output of the program, the dimensions as they are in memory: a tensor of this size and strides. `has_gaps`, `offset`: it is copied into one, which begins
    so many elements behind its storage."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    size: tuple[int, ...]
    stride: tuple[int, ...]
    has_gaps: bool = False
    offset: int = 0


@dataclasses.dataclass(frozen=True)
class View:
    """A result that is a view of an argument. `offset`: elements from where the argument begins."""

    argument: int
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int

    def of(self, args: Sequence[Any]) -> torch.Tensor:
        tensor: torch.Tensor = args[self.argument]
        return placed(tensor, tensor.storage_offset() + self.offset, self.size, self.stride)


def placed(tensor: torch.Tensor, offset: int, size: Sequence[int], stride: Sequence[int]) -> torch.Tensor:
    """Another tensor in a tensor's storage, and no view of it: AOTAutograd would do to another tensor what has made the view."""
    made = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return made.set_(tensor.untyped_storage(), offset, size, stride)


@dataclasses.dataclass
class Program:
    """`results`: for each of the graph's, the number of an output, or of an argument, a View, or a node of ints. `checks`: what is wrong if
    the output is false; these outputs come behind the others."""

    text: str
    arguments: list[Argument]
    outputs: list[Result]
    results: list[Any]
    checks: list[str]


class Refused(Exception):
    """Nodes that PyTorch has to run, each with the reason."""

    def __init__(self, nodes: dict[Node, str]) -> None:
        super().__init__("; ".join(f"{node.target}: {why}" for node, why in nodes.items()))
        self.nodes = nodes


_OTHER_WORDS = {"aten.view.dtype", "aten._conj.default", "aten._neg_view.default", "aten.view_as_real.default", "aten.view_as_complex.default"}


def owner_of(node: Node) -> Node:
    """What a view is a view of, in the end."""
    while node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload) and str(node.target) not in _OTHER_WORDS:
        arguments, returns = node.target._schema.arguments, node.target._schema.returns
        first = arguments[0].alias_info if arguments else None
        if first is None or first.is_write or len(returns) != 1 or returns[0].alias_info is None or not isinstance(node.args[0], Node):
            break
        node = node.args[0]
    return node


class _Unknown:
    """What comes of a node whose result PyTorch cannot tell without running it."""


_UNKNOWN = _Unknown()


def _map(tree: Any, function: Callable[[Any], Any]) -> Any:
    return torch.fx.node.map_aggregate(tree, function)


def _leaves(tree: Any) -> list[Any]:
    found: list[Any] = []
    _map(tree, found.append)
    return found


def why_not(node: Node) -> str | None:
    """Why there is no lowering of an operator; None: there may be one."""
    if node.op != "call_function" or is_on_ints(node):
        return None
    if not isinstance(node.target, torch._ops.OpOverload):
        return None if node.target is torch.ops.higher_order.cond else "it has no lowering"
    if torch.Tag.nondeterministic_seeded in node.target.tags:
        return "random numbers are PyTorch's own"
    if str(node.target).startswith("_c10d_functional."):
        return "it is a call between processes, or waits for one"
    return None if str(node.target) in LOWERINGS else "it has no lowering"


_SIZES = {"aten.sym_size.int", "aten.sym_stride.int", "aten.sym_numel.default", "aten.sym_storage_offset.default"}


def is_on_ints(node: Node) -> bool:
    """Whether a node makes an int of ints, or of a tensor's size, or takes a tensor from several."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return not isinstance(node.target, torch._ops.HigherOrderOperator)
    return str(node.target) in _SIZES


class _Trace:
    def __init__(self, module: torch.fx.GraphModule, args: Sequence[Any], left: dict[Node, str], weights: dict[int, torch.Tensor], specialised: set[int],
                 updates: dict[int, int], is_flat: bool) -> None:
        self.module, self.args, self.left, self.weights, self.specialised, self.updates, self.is_flat = module, args, left, weights, specialised, updates, is_flat
        self.b = Builder()
        self.mode = FakeTensorMode(allow_non_fake_inputs=True)
        self.values: dict[Node, Any] = {}  # Values, Scalars, numbers, or lists of them
        self.arguments: list[Argument] = []
        self.checks: list[tuple[str, Value]] = []

    # ------------------------------------------------------------------------------------------------------------------
    # Arguments
    # ------------------------------------------------------------------------------------------------------------------

    def _input(self, tensor: torch.Tensor, source: int | torch.Tensor) -> Value:
        with self.mode:
            fake = self.mode.from_tensor(tensor.detach(), static_shapes=True)
        if tensor.dtype not in TYPES or tensor.layout is not torch.strided:
            raise Left(f"tensors of {tensor.dtype}, {tensor.layout}")
        order = memory_order(tensor.shape, tensor.stride()) if tensor.layout is torch.strided else None
        self.arguments.append(Argument(source, tensor.dtype, tuple(order) if order is not None else None))
        order = order if order is not None else list(range(tensor.ndim))
        if tensor.numel() == 1 and tensor.ndim and not tensor.is_floating_point() and not self.is_flat:
            # A place in a cache: the compiler looks for scalars.
            return self._with_fake(self.b.reshape(self.b.argument(tensor.dtype, ()), tensor.shape), fake)
        value = self.b.argument(tensor.dtype, [tensor.shape[d] for d in order])
        value = self.b.transpose(value, [order.index(d) for d in range(tensor.ndim)])
        return self._with_fake(value, fake)

    def _with_fake(self, value: Value, fake: Any) -> Value:
        copy = Value(value.name, value.dtype, value.shape)  # one value may be the result of several nodes, as a view of itself
        copy.fake = fake
        return copy

    def _constant(self, tensor: torch.Tensor) -> Value:
        with self.mode:
            fake = self.mode.from_tensor(tensor.detach(), static_shapes=True)
        return self._with_fake(self.b.tensor(tensor), fake)

    def _placeholder(self, number: int) -> Any:
        if number in self.weights:
            return self._constant(self.weights[number])
        arg = self.args[number]
        if isinstance(arg, torch.Tensor):
            return self._input(arg, number)
        if isinstance(arg, int) and not isinstance(arg, bool) and number not in self.specialised:
            return Scalar(arg, None, lambda: self.specialised.add(number))
        if not isinstance(arg, (torch.Tensor, type(None))):
            self.specialised.add(number)
        return arg

    def _take(self, number: int, scalar: Scalar) -> None:
        """A Scalar as an input."""
        self.arguments.append(Argument(number, torch.int64, ()))
        scalar.value = self.b.argument(torch.int64, ())

    def _attribute(self, target: str) -> Any:
        found: Any = self.module
        for part in target.split("."):
            found = getattr(found, part)
        if not isinstance(found, torch.Tensor):
            return found
        return self._constant(found) if found.numel() <= _LARGE_CONSTANT or self.weights else self._input(found, found)

    # ------------------------------------------------------------------------------------------------------------------
    # Operators
    # ------------------------------------------------------------------------------------------------------------------

    def _fake_result(self, node: Node, args: Any, kwargs: Any) -> Any:
        def fake(x: Any) -> Any:
            return x.fake if isinstance(x, Value) else x.number if isinstance(x, Scalar) else x

        with self.mode, torch.no_grad():
            return node.target(*_map(args, fake), **_map(kwargs, fake))

    def _is_used(self, node: Node, index: int) -> bool:
        return any(user.target is not operator.getitem or user.args[1] == index for user in node.users)

    def _compared(self, value: Any, fake: Any) -> Any:
        """Values with PyTorch's fake tensors, if these have their types and shapes."""
        if isinstance(fake, (tuple, list)):
            values = list(value) if isinstance(value, (tuple, list)) else [value]
            if len(values) != len(fake):
                raise Left(f"it has {len(values)} results here, and {len(fake)} in PyTorch")
            return [self._compared(v, f) for v, f in zip(values, fake, strict=True)]
        if fake is None or value is None:
            return None
        if value.dtype is not fake.dtype or value.shape != tuple(fake.shape):
            raise Left(f"its result is {value.dtype} {list(value.shape)} here, and {fake.dtype} {list(fake.shape)} in PyTorch")
        return self._with_fake(value, fake)

    def _lowered(self, node: Node, fake: Any, args: Any, kwargs: Any) -> Any:
        self.b.place = node.name
        name = str(node.target)
        first = next(iter(t for t in _leaves(fake) if isinstance(t, torch.Tensor)), None)
        symbolic = node.meta.get("val")
        is_static = isinstance(symbolic, torch.Tensor) and all(isinstance(d, int) for d in symbolic.shape)
        context = Context(self.b, fake, lambda i: self._is_used(node, i), is_static, first is not None and first.device.type == "cpu", self.checks)
        keeps = name in TAKES_SCALARS

        def given(x: Any) -> Any:
            if not isinstance(x, Scalar):
                return x
            return x if keeps and x.value is not None else x.fixed()

        return self._compared(LOWERINGS[name](context, *_map(args, given), **_map(kwargs, given)), fake)

    def _on_ints(self, node: Node, args: Any, kwargs: Any) -> Any:
        if node.target is operator.getitem:
            return args[0][args[1]]
        if any(isinstance(a, Value) for a in _leaves((args, kwargs))):
            return self._fake_result(node, args, kwargs)
        if not any(isinstance(a, Scalar) for a in _leaves((args, kwargs))):
            return node.target(*args, **kwargs)
        scalars = [a for a in _leaves((args, kwargs)) if isinstance(a, Scalar)]
        number = node.target(*_map(args, _number), **_map(kwargs, _number))

        def specialise() -> None:
            for s in scalars:
                s.fixed()

        if not isinstance(number, int):
            specialise()
            return number
        ints = _leaves(args)  # of sym_sum a list
        if node.target not in _ON_INTS or kwargs or any(s.value is None for s in scalars) or not all(isinstance(a, (int, Scalar)) for a in ints):
            return Scalar(number, None, specialise)
        values = (a.value if isinstance(a, Scalar) else self.b.constant(a, torch.int64) for a in ints)
        return Scalar(number, functools.reduce(functools.partial(self.b.op, _ON_INTS[node.target]), values), specialise)

    def _prepare_scalars(self) -> None:
        """Ints that an operator takes as values become inputs, in front of what is traced."""
        placeholders = [n for n in self.module.graph.nodes if n.op == "placeholder"]
        for number, node in enumerate(placeholders):
            scalar = self.values[node]
            if isinstance(scalar, Scalar) and _is_value(node, set()):
                self._take(number, scalar)

    def run(self) -> Program:
        nodes = list(self.module.graph.nodes)
        for number, node in enumerate(n for n in nodes if n.op == "placeholder"):
            self.values[node] = self._placeholder(number)
        self._prepare_scalars()
        self.run_nodes()
        if self.left:
            raise Refused(self.left)
        return self._finish(self.module.graph.output_node().args[0])

    def run_nodes(self) -> None:
        for node in self.module.graph.nodes:
            if node.op == "get_attr":
                self.values[node] = self._attribute(node.target)
            elif node.op == "call_function":
                self.values[node] = self._node(node)

    def _node(self, node: Node) -> Any:
        args, kwargs = (_map(a, lambda x: self.values[x] if isinstance(x, Node) else x) for a in (node.args, node.kwargs))
        if any(isinstance(a, _Unknown) for a in _leaves((args, kwargs))):
            if why := why_not(node):
                self.left.setdefault(node, why)
            return _UNKNOWN
        if is_on_ints(node):
            return self._on_ints(node, args, kwargs)
        if node.target is torch.ops.higher_order.cond and node not in self.left:
            try:
                return self._cond(node, *args)
            except Exception as error:  # pylint: disable=broad-except  # a branch with an operator that is left
                self.left[node] = str(error).strip().partition("\n")[0] or type(error).__name__
        if why := why_not(node):
            self.left.setdefault(node, why)
        try:
            fake = self._fake_result(node, args, kwargs)
        except Exception as error:  # pylint: disable=broad-except  # depends on values, or is no operator
            self.left.setdefault(node, str(error).strip().partition("\n")[0] or type(error).__name__)
            return _UNKNOWN
        if node not in self.left:
            try:
                return self._lowered(node, fake, args, kwargs)
            except Exception as error:  # pylint: disable=broad-except  # a lowering that does not fit
                self.left[node] = str(error).strip().partition("\n")[0] or type(error).__name__
        return _map(fake, self._stand_in)

    def _branch(self, module: torch.fx.GraphModule, operands: Sequence[Any]) -> tuple[str, list[Value]]:
        """A branch as a region, and its results in there."""
        inner = _Trace(module, [], {}, {}, self.specialised, {}, True)
        inner.b, inner.mode, inner.arguments = self.b, self.mode, self.arguments
        with self.b.region([]) as (_arguments, text):
            inner.values = dict(zip((n for n in module.graph.nodes if n.op == "placeholder"), operands, strict=True))
            inner.run_nodes()
            if inner.left or inner.checks:
                raise Left(next((f"{n.target}: {why}" for n, why in inner.left.items()), "a branch that may raise"))
            results = [inner.values[r] if isinstance(r, Node) else r for r in module.graph.output_node().args[0]]
            if not all(isinstance(r, Value) for r in results):
                raise Left("a branch that returns no tensor")
            text.append(self.b.end(results))
        return text[0], results

    def _cond(self, node: Node, predicate: Any, yes: torch.fx.GraphModule, no: torch.fx.GraphModule, operands: Sequence[Any] = ()) -> list[Value]:
        """torch.cond."""
        self.b.place = node.name
        if not isinstance(predicate, Value):
            raise Left("a condition that is no tensor")
        (first, results), (second, others) = (self._branch(m, operands) for m in (yes, no))
        types = [(r.dtype, r.shape) for r in results]
        if types != [(r.dtype, r.shape) for r in others]:
            raise Left("branches with results of other types")
        truth = self.b.reshape(self.b.convert(predicate, torch.bool), ())
        made = self.b.raw("if", (truth,), types, "", f" ({first}, {second})")
        return [self._with_fake(m, r.fake) for m, r in zip(made, results, strict=True)]

    def _stand_in(self, fake: Any) -> Any:
        """For the rest of the graph, what a node that is left makes; the program is not used."""
        if not isinstance(fake, torch.Tensor):
            return fake
        if fake.dtype not in TYPES:
            return _UNKNOWN
        return self._with_fake(self.b.argument(fake.dtype, fake.shape), fake)

    # ------------------------------------------------------------------------------------------------------------------
    # Results
    # ------------------------------------------------------------------------------------------------------------------

    def _output(self, value: Value) -> tuple[Value, Result]:
        """As it is to lie in memory: with the strides of the fake tensor."""
        shape, strides = value.shape, torch.empty(value.shape, device="meta").stride() if self.is_flat else value.fake.stride()
        once = [1 if strides[d] == 0 and shape[d] > 1 else shape[d] for d in range(value.ndim)]  # repeated elements are there once
        order = memory_order(once, strides)
        if order is None and not _overlaps(once, strides):
            return self.b.slice(value, [0] * value.ndim, once), Result(value.dtype, tuple(once), shape, tuple(strides), True)
        if order is None:
            return value, Result(value.dtype, shape, shape, torch.empty(shape, device="meta").stride())
        part = self.b.slice(value, [0] * value.ndim, once)
        part = self.b.transpose(part, order)
        return part, Result(value.dtype, part.shape, shape, tuple(strides))

    def _donate(self, number: int, result: Result, output: int) -> None:
        """Says that a result may be where the argument is that it replaces, if it lies in memory as this does."""
        for i, argument in enumerate(self.arguments):
            tensor = self.args[number]
            if argument.source is number and argument.order is not None and tensor.numel() != 1 and tensor.dtype is result.dtype and tensor.stride() == result.stride:
                self.b.donate(i, output)

    def _view(self, node: Node, placeholders: dict[Node, int]) -> View | None:
        """A result that is a view of an argument that the graph does not change."""
        owner, fake = owner_of(node), self.values[node].fake
        number = placeholders.get(owner)
        if number is None or number in self.updates.values() or not isinstance(self.args[number], torch.Tensor):
            return None
        return View(number, tuple(fake.shape), tuple(fake.stride()), fake.storage_offset() - self.values[owner].fake.storage_offset())

    def _finish(self, wanted: Sequence[Any]) -> Program:
        self.b.place = "results"
        placeholders = {n: i for i, n in enumerate(n for n in self.module.graph.nodes if n.op == "placeholder")}
        # Of views AOTAutograd takes the place in the storage from what is returned, if it does not know the sizes.
        has_places = not self.is_flat and any(_is_open(n.meta.get("val")) for n in placeholders)
        values: list[Value] = []
        outputs: list[Result] = []
        numbers: dict[Node, int] = {}
        results: list[Any] = []
        for number, node in enumerate(wanted):
            value = self.values[node] if isinstance(node, Node) else node
            if not isinstance(value, Value):
                results.append(("int", node) if isinstance(value, Scalar) else ("constant", value))
            elif node in placeholders and not self.is_flat:
                results.append(("argument", placeholders[node]))
            elif has_places and (view := self._view(node, placeholders)):
                results.append(("view", view))
            else:
                if node not in numbers or self.is_flat:
                    numbers[node] = len(values)
                    place = value.fake.storage_offset() if has_places and 0 not in value.shape else 0
                    value, result = self._output(value)
                    result = dataclasses.replace(result, offset=place) if place else result
                    values.append(value)
                    outputs.append(result)
                    if number in self.updates:
                        self._donate(self.updates[number], result, len(values) - 1)
                results.append(("output", numbers[node]))
        errors = dict.fromkeys(error for error, _ in self.checks) if not self.is_flat else {}
        for error in errors:
            oks = [ok for e, ok in self.checks if e == error]
            total = oks[0]
            for ok in oks[1:]:
                total = self.b.op("and", total, ok)
            values.append(total)
            outputs.append(Result(torch.bool, (), (), ()))
        return Program(self.b.module(values), self.arguments, outputs, results, list(errors))


def _is_open(x: Any) -> bool:
    """Whether what Dynamo says of an argument is or has a size that it does not know."""
    return isinstance(x, torch.SymInt) or (isinstance(x, torch.Tensor) and not all(isinstance(d, int) for d in x.shape))


def _overlaps(size: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether two elements may be at one place."""
    end = 0
    for s, n in sorted((s, n) for s, n in zip(stride, size, strict=True) if n > 1):
        if s <= end:
            return True
        end += s * (n - 1)
    return False


def _number(x: Any) -> Any:
    return x.number if isinstance(x, Scalar) else x


def _is_value(node: Node, seen: set[Node]) -> bool:
    """Whether an operator takes an int, or what is computed from it, as a value."""
    for user in node.users:
        if user in seen or user.op != "call_function":
            continue
        seen.add(user)
        if str(user.target) in TAKES_SCALARS or (user.target in _ON_INTS and _is_value(user, seen)):
            return True
    return False


def trace(module: torch.fx.GraphModule, args: Sequence[Any], *, left: dict[Node, str] | None = None, weights: dict[int, torch.Tensor] | None = None,
          specialised: set[int] | None = None, updates: dict[int, int] | None = None, is_flat: bool = False) -> Program:
    """The program of a graph for arguments: tensors that need not be dense, ints and None.

    left: nodes that PyTorch is to run, whatever their lowerings say.  weights: arguments that are constants, by number.  specialised: numbers of
    the ints that the program is for; those that it turns out to be for are added.  updates: numbers of results -> of the arguments
    that these replace.  is_flat: arguments and results are row-major, each in its place. Raises Refused with all nodes that PyTorch has to run.
    """
    return _Trace(module, args, dict(left or {}), weights or {}, specialised if specialised is not None else set(), updates or {}, is_flat).run()
