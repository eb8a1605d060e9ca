# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="stitch").

Dynamo's graphs, forward and backward as AOTAutograd partitions them, become functions of JAX by torchax (each operator of ATen one function of
JAX, gradients of operators among them, weights as arguments), and these are compiled. torch-mlir would make StableHLO too, but has no
lowering of most backward operators. Each graph is compiled when it is called for the first time with a signature; sizes that Dynamo leaves open
are those of the call. An operator that cannot be compiled runs as PyTorch runs it, after one line in the log that names it, and what is around
it is compiled. A graph that cannot be compiled for another reason is PyTorch's as a whole, after such a line.
"""
import logging
import math
import operator
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
import torch
import torchax.decompositions
import torchax.device_module
import torchax.export
import torchax.ops.jaten
from torch._dynamo import register_backend
from torch._dynamo.backends.common import aot_autograd
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torchax.ops import ops_registry

import stitch
import stitch.jax

# torchax makes itself an accelerator, which Dynamo would ask for streams. No tensor of this backend is on it.
torchax.device_module.is_available = lambda: False

_log = logging.getLogger("stitch")


class _Refused(Exception):
    """What a graph cannot be compiled for; because of a node, if there is one."""

    def __init__(self, why: str, node: torch.fx.Node | None = None) -> None:
        super().__init__(f"{node.target}: {why}" if node else why)
        self.node = node


def _is_float(x: Any) -> bool:
    return bool(jax.numpy.issubdtype(x.dtype, np.floating))


def _convolution_backward(gradient: Any, x: Any, weight: Any, bias_sizes: Any, *how: Any) -> tuple[Any, ...]:
    """aten.convolution_backward, which torchax lacks, by its convolution."""
    *shape, wanted = how
    convolution = ops_registry.all_aten_ops[torch.ops.aten.convolution].func
    _result, backward = jax.vjp(lambda x, weight: convolution(x, weight, None, *shape), x, weight)
    others = tuple(i for i in range(gradient.ndim) if i != 1)
    found = (*backward(gradient), gradient.sum(others) if bias_sizes else None)
    return tuple(f if w else None for f, w in zip(found, wanted, strict=True))


def _max_pool_backward(gradient: Any, x: Any, _kernel: Any, _stride: Any, _padding: Any, _dilation: Any, _ceil: Any, indices: Any) -> Any:
    """aten.max_pool2d_with_indices_backward, which torchax only approximates: each element's gradient goes to where it came from."""
    planes = math.prod(x.shape[:-2])
    zeros = jax.numpy.zeros((planes, x.shape[-2] * x.shape[-1]), gradient.dtype)
    rows = jax.numpy.arange(planes)[:, None]
    return zeros.at[rows, indices.reshape(planes, -1)].add(gradient.reshape(planes, -1)).reshape(x.shape)


def _exp2(x: Any) -> Any:
    """aten.exp2: JAX multiplies by log(2), in half precision with an error that grows with the exponent."""
    return jax.numpy.exp2(x.astype(np.float32)).astype(x.dtype) if x.dtype.itemsize == 2 and _is_float(x) else jax.numpy.exp2(x)


def _put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """aten.put: torchax's adds one of the elements that go to the same place, and not all of them."""
    places = x.reshape(-1).at[index.reshape(-1)]
    values = source.reshape(-1)
    return (places.add(values) if accumulate else places.set(values)).reshape(x.shape)


_OURS: dict[Any, Callable[..., Any]] = {
    torch.ops.aten.put.default: _put,
    torch.ops.aten.exp2.default: _exp2,
    torch.ops.aten.convolution_backward.default: _convolution_backward,
    torch.ops.aten.max_pool2d_with_indices_backward.default: _max_pool_backward,
}


# What torchax and JAX have, but with another meaning.
_ELSEWHERE: dict[Any, str] = {
    torch.ops.aten.polygamma.default: "JAX has it for positive numbers alone",
}


class _Interpreter(torchax.export.JaxInterpreter):  # type: ignore[misc]
    """A graph of ATen as operations of JAX; remembers where it is."""

    def run_node(self, node: Any) -> Any:
        self.node = node
        return super().run_node(node)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        own = _OURS.get(target)
        return own(*args, **kwargs) if own else super().call_function(target, args, kwargs)


def _why_not(node: torch.fx.Node) -> str | None:
    """Why there is no function of JAX that means what the node does; None: there is one."""
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload) or node.target in _OURS:
        return None
    if node.target in _ELSEWHERE:
        return _ELSEWHERE[node.target]
    if torch.Tag.nondeterministic_seeded in node.target.tags:
        return "random numbers are PyTorch's own"
    known = ops_registry.all_aten_ops.get(node.target) or ops_registry.all_aten_ops.get(node.target.overloadpacket)
    return None if known is not None and known.is_jax_function else "torchax does not know it"


def _jax_dtype(dtype: torch.dtype) -> Any:
    return jax.numpy.dtype(str(dtype).removeprefix("torch."))


def _from_model(array: Any, dtype: torch.dtype) -> torch.Tensor:
    """An output of a model as a tensor, without a copy."""
    if isinstance(array, stitch.DeviceTensor):
        tensor: torch.Tensor = torch.from_dlpack(array)
        return tensor
    if array.dtype.isbuiltin == 1:  # NumPy's own
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(np.uint8 if array.dtype.itemsize == 1 else np.int16)).view(dtype)


def _device_of(tensors: Sequence[torch.Tensor]) -> tuple[str, int]:
    """Where a graph runs, and on which stream."""
    gpu = next((t.device for t in tensors if t.is_cuda), None)
    if gpu is None:
        return "simt", 0
    stream = torch.cuda.current_stream(gpu).cuda_stream
    return f"cuda:{gpu.index}", stream or 1  # the default stream is called 1


class _Variant:
    """A graph compiled for one signature."""

    def __init__(self, module: torch.fx.GraphModule, args: Sequence[Any], options: dict[str, Any]) -> None:
        for node in module.graph.nodes:
            if why := _why_not(node):
                raise _Refused(why, node)
        placeholders = {node: i for i, node in enumerate(n for n in module.graph.nodes if n.op == "placeholder")}
        self._results = [placeholders.get(r, r) for r in module.graph.output_node().args[0]]  # an input is given back as it is
        self._constants: dict[int, Any] = {}
        self._dtypes = {i: r.meta["val"].dtype for i, r in enumerate(self._results) if self._is_tensor(r)}
        self._tensors = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor)]
        tensors = [args[i] for i in self._tensors]
        interpreter = _Interpreter(module)

        def function(*flat: Any) -> tuple[Any, ...]:
            values = list(args)
            for i, value in zip(self._tensors, flat, strict=True):
                values[i] = value
            results = interpreter.run(*values, enable_io_processing=False)
            self._constants = {i: r for i, r in enumerate(results) if i not in self._dtypes}
            return tuple(jax.numpy.asarray(results[i]).astype(_jax_dtype(dtype)) for i, dtype in self._dtypes.items())

        device, stream = _device_of(tensors)
        try:
            with jax.enable_x64(True):
                avals = [jax.ShapeDtypeStruct(tuple(t.shape), _jax_dtype(t.dtype)) for t in tensors]
                self._model = stitch.compile(function, avals, device=device, stream=stream, name="graph", **options) if self._dtypes else None
        except stitch.CompileError as error:
            raise _Refused(str(error)) from error
        except Exception as error:  # whatever a function of torchax or JAX raises
            raise _Refused(str(error).partition("\n")[0], getattr(interpreter, "node", None)) from error

    @staticmethod
    def _is_tensor(result: Any) -> bool:
        return isinstance(result, torch.fx.Node) and isinstance(result.meta.get("val"), torch.Tensor)

    def __call__(self, args: Sequence[Any]) -> list[Any]:
        given = [args[i].detach().resolve_conj().resolve_neg() for i in self._tensors]
        made = dict(zip(self._dtypes, self._model(*given) if self._model else (), strict=True))
        results = []
        for i, result in enumerate(self._results):
            if i in self._dtypes:
                results.append(_from_model(made[i], self._dtypes[i]))
            else:
                results.append(args[result] if isinstance(result, int) else self._constants.get(i))
        return results


class _Piece(torch.nn.Module):  # type: ignore[misc]
    """A part of a graph that is compiled, among others that PyTorch runs."""

    def __init__(self, module: torch.fx.GraphModule, options: dict[str, Any]) -> None:
        super().__init__()
        output = module.graph.output_node()
        self._single = not isinstance(output.args[0], (tuple, list))
        if self._single:
            output.args = ((output.args[0],),)
        self._graph = _Graph(module, options)

    def forward(self, *args: Any) -> Any:
        results = self._graph.run(list(args))
        return results[0] if self._single else tuple(results)


class _Others:
    """Says of each node of a graph whether it belongs to a piece that is compiled: all but those of one operator."""

    def __init__(self, refused: Any) -> None:
        self._refused = refused

    def is_node_supported(self, _modules: Any, node: torch.fx.Node) -> bool:
        if node.target is operator.getitem:  # a tuple stays with who makes it
            return self.is_node_supported(_modules, node.args[0])
        return node.op == "call_function" and node.target is not self._refused


class _Graph:
    """A graph of AOTAutograd, or a piece of one."""

    def __init__(self, module: torch.fx.GraphModule, options: dict[str, Any]) -> None:
        self._module, self._options = module, options
        self._variants: dict[Any, _Variant | None] = {}
        self._is_split = False

    def _variant(self, args: Sequence[Any]) -> _Variant | None:
        """None for one that PyTorch runs, but for the pieces of a graph that has been split."""
        if self._is_split:
            return None
        key = tuple((a.shape, a.dtype, a.device, _device_of([a])[1]) if isinstance(a, torch.Tensor) else a for a in args)
        if key not in self._variants:
            try:
                self._variants[key] = _Variant(self._module, args, self._options)
            except _Refused as refused:
                _log.warning("left to PyTorch: %s", refused)
                self._variants[key] = None
                if refused.node is not None:
                    self._split(refused.node.target)
        return self._variants.get(key)

    def _split(self, target: Any) -> None:
        """Makes pieces of what is not the operator."""
        partitioner = CapabilityBasedPartitioner(self._module, _Others(target), allows_single_node_partition=True)
        module = partitioner.fuse_partitions(partitioner.propose_partitions())
        for node in module.graph.nodes:
            if node.op == "call_module":
                setattr(module, node.target, _Piece(getattr(module, node.target), self._options))
        self._module, self._is_split = module, True
        self._variants.clear()

    def run(self, args: list[Any]) -> Any:
        """As AOTAutograd calls what says that it is boxed: with a list, which is emptied."""
        variant = self._variant(args)
        results = variant(args) if variant else self._module(*args)
        args.clear()
        return results


def _attention_as_products() -> Any:
    """Not as its operators for CPUs, which leave to their gradients what only they know."""
    return torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)


def _decompositions() -> dict[Any, Callable[..., Any]]:
    return {**torch.export.default_decompositions(), **torchax.decompositions.DECOMPOSITIONS}


def backend(module: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None) -> Any:
    """The backend: `torch.compile(model, backend="stitch", options={"plan": "astitch"})`, with options of stitch.compile."""
    def compiler(graph: torch.fx.GraphModule, _inputs: Sequence[Any]) -> Callable[[list[Any]], Any]:
        compiled = _Graph(graph, dict(options or {}))

        def run(args: list[Any]) -> Any:
            return compiled.run(args)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    with _attention_as_products():
        return aot_autograd(fw_compiler=compiler, bw_compiler=compiler, decompositions=_decompositions())(module, example_inputs)


def _place(node: torch.fx.Node) -> str:
    """Where the caller's Python has a node, and not a function of PyTorch that it calls: "file:line: ", or nothing."""
    lines = re.findall(r'File "([^"]+)", line (\d+)', str(node.meta.get("stack_trace", "")))
    own = [line for line in lines if not line[0].startswith(os.path.dirname(torch.__file__))] or lines
    return f"{own[-1][0]}:{own[-1][1]}: " if own else ""


def _weights(program: torch.export.ExportedProgram) -> dict[int, Any]:
    """Parameters, buffers and constants by the number of their placeholder."""
    stored = {**program.state_dict, **program.constants}
    wanted = torch.export.graph_signature.InputKind.USER_INPUT
    tensors = {i: stored[spec.target] for i, spec in enumerate(program.graph_signature.input_specs) if spec.kind != wanted}
    return {i: jax.dlpack.from_dlpack(t.detach().cpu().contiguous()) for i, t in tensors.items()}


def export(module: torch.nn.Module, *args: Any) -> stitch.jax.Exported:
    """A module's forward function, its weights as constants. Its arguments and results are the tensors of the module's, flat."""
    with _attention_as_products(), torch.no_grad():
        program = torch.export.export(module, args).run_decompositions(_decompositions())
    changed = program.graph_signature.buffers_to_mutate
    if changed:
        name = next(iter(changed.values()))
        raise stitch.StitchError(f"the module changes its buffer {name}: eval() it, or use torch.compile(backend=\"stitch\")", "STITCH_UNIMPLEMENTED")
    for node in program.graph.nodes:
        if why := _why_not(node):
            raise stitch.StitchError(f"{_place(node)}{node.target}: {why}", "STITCH_UNIMPLEMENTED")
    flat = torch.utils._pytree.tree_leaves(args)
    results = [node.meta["val"].dtype for node in program.graph.output_node().args[0]]

    def function(*arrays: Any) -> tuple[Any, ...]:
        weights, tensors = _weights(program), iter(arrays)
        given = iter(next(tensors) if isinstance(a, torch.Tensor) else a for a in flat)
        values = [weights[i] if i in weights else next(given) for i in range(len(program.graph_signature.input_specs))]
        made = _Interpreter(program.graph_module).run(*values, enable_io_processing=False)
        return tuple(jax.numpy.asarray(r).astype(_jax_dtype(dtype)) for r, dtype in zip(made, results, strict=True))

    with jax.enable_x64(True):
        return stitch.jax.export(function, *(jax.ShapeDtypeStruct(tuple(a.shape), _jax_dtype(a.dtype)) for a in flat if isinstance(a, torch.Tensor)))


if "stitch" not in torch._dynamo.list_backends():  # installed, the package says so itself
    register_backend(compiler_fn=backend, name="stitch")
