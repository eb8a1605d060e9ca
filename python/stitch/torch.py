# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="stitch").

Dynamo's graphs, forward and backward as AOTAutograd partitions them, become StableHLO by lowerings of our own (stitch._aten), and these are compiled
when they are called for the first time with a signature. Weights are arguments; sizes that Dynamo leaves open are those of the call.
An operator that cannot be compiled runs as PyTorch runs it, after one line in the log that names it, and what is around it is compiled.
"""
import inspect
import json
import logging
import math
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo import register_backend
from torch._dynamo.backends.common import aot_autograd
from torch.fx import Node

import stitch

from . import _aten, _fused
from ._aten import Refused, owner_of, placed
from ._split import Split

_log = logging.getLogger("stitch")
_ALIGNMENT = 16  # of data, in bytes, that the runtime needs
_MAX_VARIANTS, _MAX_GROWTH = 16, 2  # signatures that a graph is compiled for, and of these in a row each a little larger than the one before

_ERRORS: dict[str, type[Exception]] = {"IndexError": IndexError, "RuntimeError": RuntimeError}


def _device_of(tensors: Sequence[torch.Tensor]) -> tuple[str, int]:
    """Where a graph runs, and on which stream."""
    gpu = next((t.device for t in tensors if t.is_cuda), None)
    if gpu is None:
        return "simt", 0
    stream = torch.cuda.current_stream(gpu).cuda_stream
    return f"cuda:{gpu.index}", stream or 1  # the default stream is called 1


class _Variant:
    """A graph compiled for one signature. `updates`: numbers of results -> of the arguments that they are the new elements of."""

    def __init__(self, module: torch.fx.GraphModule, args: Sequence[Any], options: dict[str, Any], specialised: set[int],
                 updates: dict[int, int]) -> None:
        self._program = _aten.trace(module, args, specialised=specialised, updates=updates)
        self._updates = updates
        self._module = module
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        self.device, stream = _device_of(tensors)
        self._where = next((t.device for t in tensors if t.is_cuda), torch.device("cpu"))
        self._model: stitch.Model | None = None
        self._in_place: dict[int, int] = {}
        if not self._program.outputs:
            return
        try:
            self._model = stitch.compile(self._program.text, device=self.device, stream=stream, name="graph", **options)
        except stitch.CompileError as error:
            if options.get("rules") and error.file == os.fspath(options["rules"]):  # no operator that PyTorch could run instead
                raise
            raise Refused({_culprit(module, error): str(error).partition("\n")[0]}) from error
        # Outputs that may be in an argument's memory.
        self._in_place = {output: i for i in range(len(self._program.arguments)) if (output := self._model.updated(i)) is not None}

    def _given(self, args: Sequence[Any]) -> list[torch.Tensor]:
        """The program's inputs: dense, as they are in memory, where the runtime can read them."""
        given = []
        for argument in self._program.arguments:
            tensor = argument.source if isinstance(argument.source, torch.Tensor) else args[argument.source]
            if not isinstance(tensor, torch.Tensor):
                tensor = torch.tensor(tensor, dtype=torch.int64)
            tensor = tensor.detach()
            if tensor.is_conj() or tensor.is_neg():
                tensor = tensor.resolve_conj().resolve_neg()
            if tensor.device != self._where:
                tensor = tensor.to(self._where)
            order = argument.order
            if order is not None and list(order) != list(range(tensor.ndim)):
                tensor = tensor.permute(order)
            if not tensor.is_contiguous():
                tensor = tensor.contiguous()
            if tensor.data_ptr() % _ALIGNMENT:
                tensor = tensor.clone(memory_format=torch.contiguous_format)
            given.append(tensor)
        return given

    def _outputs(self, args: Sequence[Any], given: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Memory for the outputs: new, or an argument's that is updated where it is."""
        made = []
        for i, result in enumerate(self._program.outputs):
            own = self._own_memory(args, given, self._in_place[i]) if i in self._in_place else None
            made.append(torch.empty(result.shape, dtype=result.dtype, device=self._where) if own is None else own)
        return made

    def _own_memory(self, args: Sequence[Any], given: Sequence[torch.Tensor], number: int) -> torch.Tensor | None:
        """An argument that the program reads where it is, unless another argument is in the same storage."""
        tensor, source = given[number], self._program.arguments[number].source
        own = source if isinstance(source, torch.Tensor) else args[source]
        storages = [t.untyped_storage().data_ptr() for t in given]
        is_own = tensor.data_ptr() == own.data_ptr() and storages.count(tensor.untyped_storage().data_ptr()) == 1
        return tensor if is_own else None

    def __call__(self, args: Sequence[Any]) -> list[Any]:
        given: list[torch.Tensor] = []
        made: list[torch.Tensor] = []
        if self._model:
            given = self._given(args)
            made = self._outputs(args, given)
            self._model.run_at([t.data_ptr() for t in (*given, *made)], self._where.index if self._where.type == "cuda" else None)
        self._raise_errors(made)
        tensors = [self._tensor(m, r) for m, r in zip(made, self._program.outputs, strict=True)]
        results = []
        for kind, value in self._program.results:
            results.append(tensors[value] if kind == "output" else args[value] if kind == "argument" else value.of(args) if kind == "view"
                           else self._int(value, args) if kind == "int" else value)
        return results

    def _raise_errors(self, made: Sequence[torch.Tensor]) -> None:
        for error, ok in zip(self._program.checks, made[len(made) - len(self._program.checks):], strict=True):
            if not ok.item():
                kind, _, text = error.partition(": ")
                raise _ERRORS[kind](text)

    @staticmethod
    def _tensor(made: torch.Tensor, result: _aten.Result) -> torch.Tensor:
        """As the graph has it: with its sizes and strides."""
        once = tuple(slice(0, 1) if s == 0 < n else slice(None) for n, s in zip(result.size, result.stride, strict=True))
        if result.has_gaps:
            tensor = torch.empty_strided(result.size, result.stride, dtype=result.dtype, device=made.device)
            tensor[once].copy_(made)
        else:
            tensor = made if made.shape == result.size and made.stride() == result.stride else made.as_strided(result.size, result.stride)
        if not result.offset:
            return tensor
        span = result.offset + 1 + sum((n - 1) * s for n, s in zip(result.size, result.stride, strict=True))
        moved = placed(torch.empty(span, dtype=result.dtype, device=made.device), result.offset, result.size, result.stride)
        moved[once].copy_(tensor[once])
        return moved

    def _int(self, node: Node, args: Sequence[Any]) -> Any:
        """What a node of ints is in this call."""
        placeholders = [n for n in self._module.graph.nodes if n.op == "placeholder"]

        def value(x: Any) -> Any:
            if not isinstance(x, Node):
                return x
            if x.op == "placeholder":
                return args[placeholders.index(x)]
            return x.target(*torch.fx.node.map_aggregate(x.args, value), **torch.fx.node.map_aggregate(x.kwargs, value))

        return value(node)


def _culprit(module: torch.fx.GraphModule, error: stitch.CompileError) -> Node:
    """The node that the compiler refuses: operations are at places that are called as nodes are."""
    places = {re.sub(r'^loc\((.*)\)$', r"\1", d.location).strip('"') for d in error.diagnostics if d.severity == "error"}
    node = next((n for n in module.graph.nodes if n.name in places), None)
    if node is None or node.op != "call_function":
        raise _NotCompiled(str(error).partition("\n")[0]) from error
    return node


class _NotCompiled(Exception):
    """A graph that the compiler refuses, because of no node that is known."""


class _Graph:
    """A graph of AOTAutograd, or a piece of one.

    `updates`: numbers of results -> numbers of the arguments that are to be these behind the call; these results are not given back.
    """

    def __init__(self, module: torch.fx.GraphModule, options: dict[str, Any]) -> None:
        self._module, self._options = module, options
        self._updates = _take_updates(module)
        self._variants: dict[Any, _Variant | None] = {}
        self._specialised: set[int] = set()
        self._split: Split | None = None
        self._reads_memory = any(n.target is torch.ops.aten.as_strided.default for n in module.graph.nodes)  # by places in the storage
        self._growth, self._has_said = 0, False  # calls in a row that have grown; whether it is said that others are left to PyTorch
        self._before: tuple[Any, ...] = ()  # the sizes of the last call

    def _key(self, args: Sequence[Any]) -> Any:
        def part(i: int, a: Any) -> Any:
            if isinstance(a, torch.Tensor):
                return a.shape, a.stride(), a.storage_offset() if self._reads_memory else 0, a.dtype, a.device, _device_of([a])[1]
            return a if i in self._specialised else None

        return tuple(part(i, a) for i, a in enumerate(args))

    def _variant(self, args: Sequence[Any]) -> _Variant | None:
        """None for one that PyTorch runs, as a whole or what has been split off."""
        if self._split:
            return None
        before, self._before = self._before, tuple(a.shape if isinstance(a, torch.Tensor) else () for a in args)
        key = self._key(args)
        if key in self._variants:
            self._growth = 0
            return self._variants[key]
        if not self._is_worthwhile(before):
            return None
        variant = self._compiled(args)
        if not self._split:
            self._variants[self._key(args)] = variant
        return variant

    def _is_worthwhile(self, before: Sequence[Any]) -> bool:
        """Whether a graph is compiled for other sizes or ints. Not if there are many already, nor if it is called in a loop whose sizes grow: by one from the
        call before, as a cache does, or a little, and so had that call."""
        if not self._variants:
            return True
        steps = [n - m for now, then in zip(self._before, before, strict=True) for n, m in zip(now, then, strict=True)]
        elements, others = (sum(math.prod(s) for s in shapes) for shapes in (self._before, before))
        is_step = all(0 <= s for s in steps) and elements <= 1.5 * others
        self._growth = 0 if not is_step else _MAX_GROWTH + 1 if any(steps) and max(steps) == 1 else self._growth + 1
        if self._growth <= _MAX_GROWTH and len(self._variants) < _MAX_VARIANTS:
            return True
        if not self._has_said:
            _log.warning("left to PyTorch: a graph that has been compiled for %d signatures, for other sizes", len(self._variants))
            self._has_said = True
        return False

    def _compiled(self, args: Sequence[Any]) -> _Variant | None:
        try:
            return _Variant(self._module, args, self._options, self._specialised, self._updates)
        except Refused as refused:
            _say(refused.nodes)
            self._split = Split(self._module, set(refused.nodes), lambda piece: _Graph(piece, self._options).run)
            self._variants.clear()
        except _NotCompiled as refused:
            _log.warning("left to PyTorch: a graph: %s", refused)
        return None

    def run(self, args: list[Any]) -> Any:
        """As AOTAutograd calls what says that it is boxed: with a list, which is emptied."""
        variant = self._variant(args)
        with torch.no_grad():
            results = variant(args) if variant else list(self._split(args) if self._split else self._module(*args))
            for number, argument in sorted(self._updates.items()):
                if results[number].data_ptr() != args[argument].data_ptr() or results[number].stride() != args[argument].stride():
                    args[argument].copy_(results[number])
        args.clear()
        return results[:len(results) - len(self._updates)]


def _take_updates(module: torch.fx.GraphModule) -> dict[int, int]:
    """Takes the copies into arguments from the end of a graph: what is copied becomes a result, behind the others."""
    graph = module.graph
    placeholders = {n: i for i, n in enumerate(n for n in graph.nodes if n.op == "placeholder")}
    output = graph.output_node()
    results = list(output.args[0])
    updates: dict[int, int] = {}
    for node in list(graph.nodes):
        if node.target is torch.ops.aten.copy_.default and node.args[0] in placeholders and not any(u.op != "output" for u in node.users):
            results = [node.args[0] if r is node else r for r in results]
            updates[len(results)] = placeholders[node.args[0]]
            results.append(node.args[1])
            output.args = (tuple(results),)
            graph.erase_node(node)
    module.recompile()
    return updates


def _read_owners(module: torch.fx.GraphModule) -> None:
    """Has as_strided read what its operand is a view of: the view itself may be a tensor of its own, in other memory, where a graph is split."""
    graph, aten = module.graph, torch.ops.aten
    for node in list(graph.nodes):
        if node.target not in (aten.as_strided.default, aten.as_strided_scatter.default):
            continue
        view, owner = node.args[0], owner_of(node.args[0])
        if owner is view or not all(isinstance(n, int) for n in (*view.meta["val"].shape, *view.meta["val"].stride(), view.meta["val"].storage_offset())):
            continue
        before = node.args[1:] if node.target is aten.as_strided.default else node.args[2:]
        offset = before[2] if len(before) > 2 and before[2] is not None else node.kwargs.get("storage_offset")
        where = (*before[:2], view.meta["val"].storage_offset() if offset is None else offset)
        node.kwargs = {}
        if node.target is aten.as_strided.default:
            node.args = (owner, *where)
            continue
        place = view.meta["val"]
        with graph.inserting_before(node):
            whole = graph.call_function(aten.as_strided_scatter.default, (owner, node.args[1], *where))
        node.target, node.args = aten.as_strided.default, (whole, list(place.shape), list(place.stride()), place.storage_offset())
    graph.eliminate_dead_code()
    module.recompile()


def _say(left: dict[Node, str]) -> None:
    """A line for each operator that is left to PyTorch."""
    for target, why in dict.fromkeys((str(node.target), why) for node, why in left.items()):
        _log.warning("left to PyTorch: %s", f"{target}: {why}")


# ----------------------------------------------------------------------------------------------------------------------
# The backend
# ----------------------------------------------------------------------------------------------------------------------


def _attention_as_products() -> Any:
    """Not as its operators for CPUs, which leave to their gradients what only they know."""
    return torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)


# Those of stitch.compile but for what follows from the tensors.
_OPTIONS = [p.name for p in inspect.signature(stitch.compile).parameters.values()
            if p.kind is p.KEYWORD_ONLY and p.name not in ("device", "stream", "name", "on_stage", "entry", "dims", "buckets", "donate")]
_known_options: set[str] = set()


def _check_options(options: dict[str, Any]) -> None:
    """Raises if stitch.compile does not take the options: before anything is compiled with them."""
    if unknown := set(options) - set(_OPTIONS):
        raise ValueError(f"backend \"stitch\" has no option {', '.join(sorted(unknown))}; it has {', '.join(_OPTIONS)}")
    text = json.dumps(options, sort_keys=True, default=str)
    if options and text not in _known_options:
        stitch.compile('func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n%0 = stablehlo.negate %x : tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}\n',
                       **{**options, "target": "simt", "partial_rules": True})
        _known_options.add(text)


def backend(module: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None) -> Any:
    """The backend: `torch.compile(model, backend="stitch", options={"plan": "astitch"})`, with options of stitch.compile."""
    _check_options(options or {})

    def compiler(graph: torch.fx.GraphModule, _inputs: Sequence[Any]) -> Callable[[list[Any]], Any]:
        _read_owners(graph)
        compiled = _Graph(graph, {"partial_rules": True, **(options or {})})

        def run(args: list[Any]) -> Any:
            return compiled.run(args)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    _fused.replace(module)
    with _attention_as_products():
        return aot_autograd(fw_compiler=compiler, bw_compiler=compiler, decompositions=_aten.decompositions(), keep_inference_input_mutations=True)(module, example_inputs)


# ----------------------------------------------------------------------------------------------------------------------
# Modules
# ----------------------------------------------------------------------------------------------------------------------


def _place(node: Node) -> str:
    """Where the caller's Python has a node, and not a function of PyTorch that it calls: "file:line: ", or nothing."""
    lines = re.findall(r'File "([^"]+)", line (\d+)', str(node.meta.get("stack_trace", "")))
    lines = [line for line in lines if not line[0].startswith("<")]
    own = [line for line in lines if not line[0].startswith(os.path.dirname(torch.__file__))] or lines
    return f"{own[-1][0]}:{own[-1][1]}: " if own else ""


def _refuse(text: str) -> stitch.StitchError:
    return stitch.StitchError(text, "STITCH_UNIMPLEMENTED")


def _check_signature(program: torch.export.ExportedProgram) -> None:
    """Raises if the module does what a function of its arguments does not."""
    signature = program.graph_signature
    for what, changed in (("buffer {}: eval() it, or", signature.buffers_to_mutate), ("argument {}:", signature.user_inputs_to_mutate)):
        if changed:
            raise _refuse(f"the module changes its {what.format(next(iter(changed.values())))} use torch.compile(backend=\"stitch\")")
    for i, result in enumerate(program.graph.output_node().args[0]):
        if not isinstance(result, Node) or not isinstance(result.meta.get("val"), torch.Tensor):
            raise _refuse(f"result {i} of the module is {result if not isinstance(result, Node) else 'a number'}, and no tensor")


def export(module: torch.nn.Module, *args: Any) -> str:
    """A module's forward function as StableHLO, its weights as constants. Its arguments and results are the tensors of the module's, flat."""
    with _attention_as_products(), torch.no_grad():
        try:
            program = torch.export.export(module, args).run_decompositions(_aten.decompositions())
        except Exception as error:  # pylint: disable=broad-except  # of Dynamo's many
            raise _refuse(f"torch.export does not take the module: {str(error).strip().partition(chr(10))[0]}") from error
    _check_signature(program)
    stored = {**program.state_dict, **program.constants}
    flat = torch.utils._pytree.tree_leaves(args)
    wanted = torch.export.graph_signature.InputKind.USER_INPUT
    specs = program.graph_signature.input_specs
    weights = {i: stored[spec.target] for i, spec in enumerate(specs) if spec.kind != wanted}
    given = iter(flat)
    values = [weights[i] if i in weights else next(given) for i in range(len(specs))]
    dense = [v.detach().contiguous() if isinstance(v, torch.Tensor) else v for v in values]
    try:
        made = _aten.trace(program.graph_module, dense, weights=weights, specialised=set(range(len(specs))), is_flat=True)
    except Refused as refused:
        node, why = next(iter(refused.nodes.items()))
        raise _refuse(f"{_place(node)}{node.target}: {why}") from refused
    return made.text


_fused.trace_steps()
if "stitch" not in torch._dynamo.list_backends():  # installed, the package says so itself
    register_backend(compiler_fn=backend, name="stitch")
