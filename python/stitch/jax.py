# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX, stitched.

    step = stitch.jax.jit(step)          # as jax.jit: pytrees, static and donated arguments, updated in place
    jax.grad(stitch.jax.jit(loss))       # the gradient is stitched, too
    jax.vmap(stitch.jax.jit(f))          # traced again

A stitched function is a call of an XLA program (XLA's FFI), also within a larger jax.jit: on the CPU it runs on the device simt, on a GPU
on the stream of the program. It is compiled once for each signature. What it closes over becomes arguments: nothing is copied into it.
"""
import dataclasses
import functools
import os
import secrets
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.extend
import numpy as np
from jax.interpreters import batching, mlir

from . import _compiler
from ._library import PACKAGE, _declarations, check, ffi, library_path, runtime
from ._model import device_target

_state = threading.local()
_TARGETS = {"cpu": "stitch_call_host", "cuda": "stitch_call_gpu"}


@dataclasses.dataclass(frozen=True)
class Exported:
    """A function as a portable artifact, with what its flat arguments and results are."""

    artifact: bytes
    in_avals: tuple[Any, ...]
    out_avals: tuple[Any, ...]


def export(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Exported:
    """Traces a function (jax.export). All arguments are kept, used or not."""
    return _export(jax.jit(function, keep_unused=True), args, kwargs)


def _export(jitted: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Exported:
    exported = jax.export.export(jitted)(*args, **kwargs)
    return Exported(exported.mlir_module_serialized, tuple(exported.in_avals), tuple(exported.out_avals))


def gradient_of(function: Callable[..., Any], args: Sequence[Any]) -> tuple[Callable[..., Any], Sequence[Any]]:
    """The gradient of a function as one of its flat arguments and the cotangents of its results that are differentiable, which returns those of
    its arguments that are; and what it is called with."""
    leaves, tree = jax.tree.flatten(tuple(args))

    def flat(*values: Any) -> list[Any]:
        return jax.tree.leaves(function(*jax.tree.unflatten(tree, values)))

    avals = [_aval(leaf) for leaf in leaves]
    results = jax.eval_shape(flat, *avals)

    def gradient(*values: Any) -> tuple[Any, ...]:
        given = iter(values[len(avals):])
        cotangents = [next(given) if _is_differentiable(r) else np.zeros(r.shape, jax.dtypes.float0) for r in results]
        found = jax.vjp(flat, *values[:len(avals)])[1](cotangents)
        return tuple(c for c, a in zip(found, avals, strict=True) if _is_differentiable(a))

    return gradient, (*avals, *(jax.ShapeDtypeStruct(r.shape, r.dtype) for r in results if _is_differentiable(r)))


def export_functions(functions: dict[str, tuple[Callable[..., Any], Sequence[Any]]]) -> bytes:
    """One module, as text, with a public function for each: its name -> the function and its arguments."""
    modules = {name: jax.export.export(jax.jit(function, keep_unused=True))(*args).mlir_module() for name, (function, args) in functions.items()}
    ir: Any = mlir.ir
    with mlir.make_ir_context() as context, ir.Location.unknown(context):
        merged = ir.Module.create()
        for name, text in modules.items():
            module = ir.Module.parse(text)
            for i in range(len(module.operation.attributes)):
                attribute = module.operation.attributes[i]
                merged.operation.attributes[attribute.name] = attribute.attr
            for op in module.body.operations:
                symbol = op.attributes["sym_name"].value
                renamed = name if symbol == "main" else f"{name}_{symbol}"
                ir.SymbolTable.replace_all_symbol_uses(symbol, renamed, module.operation)
                op.attributes["sym_name"] = ir.StringAttr.get(renamed)
            for op in module.body.operations:
                merged.body.append(op.operation.clone())
        text = merged.operation.get_asm(enable_debug_info=True, large_elements_limit=None)
        return bytes(text, "utf-8")


# ----------------------------------------------------------------------------------------------------------------------
# The library
# ----------------------------------------------------------------------------------------------------------------------


@functools.cache
def _library() -> Any:
    """libstitch_jax, whose handlers XLA then knows."""
    path = library_path("stitch_jax")
    header = (PACKAGE.parent if "STITCH_BUILD" in os.environ else PACKAGE / "include" / "python") / "jax_ffi" / "stitch_jax.h"
    ffi.cdef(_declarations(header.read_text(encoding="utf-8")))
    try:
        library = ffi.dlopen(str(path))
    except OSError as error:
        raise ImportError(f"cannot load {path}: {error}. It is built where jaxlib is installed") from error
    # XLA's own names: its GPU plugin asks for handlers of "CUDA", which jaxlib does not make of "cuda".
    for platform, xla_platform, handler in (("cpu", "cpu", library.stitchJaxRunOnHost), ("cuda", "CUDA", library.stitchJaxRunOnGpu)):
        jax.ffi.register_ffi_target(_TARGETS[platform], _capsule(handler), platform=xla_platform)
    return library


def _capsule(function: Any) -> Any:
    import ctypes

    return jax.ffi.pycapsule(ctypes.c_void_p(int(ffi.cast("uintptr_t", function))))


class _Call:
    """A compiled model with its StitchJaxCall. `updated`: inputs whose memory may be that of an output, with this output's number."""

    def __init__(self, stitched: "_Stitched | _StitchedShards", platform: str) -> None:
        library = _library()
        self.number = secrets.randbits(63)  # XLA programs are kept in files, too
        folder = tempfile.mkdtemp(prefix="stitch-")
        path = os.path.join(folder, "model.so")
        target = "simt" if platform == "cpu" else device_target("cuda")
        options = {**stitched.options, "output": path, "target": target, "noReference": True, "noGraphs": True}
        try:
            _state.is_exporting = True
            jitted = jax.jit(stitched.function, keep_unused=True, donate_argnums=stitched.usable_donations())
            exported = _export(jitted, stitched.in_avals, {})
            _compiler.run(exported.artifact, "STITCH_EMIT_MODEL", options)
            made = ffi.new("StitchJaxCall **")
            check(library.stitchJaxCallCreate(ffi.new("char[]", path.encode()), self.number, bool(options.get("adaptive")), made))
        finally:
            _state.is_exporting = False
            shutil.rmtree(folder, ignore_errors=True)  # an open model does not need its name
        weakref.finalize(self, library.stitchJaxCallFree, made[0])
        # Not all that is donated: of outputs that are no updates, elements may be written before those of the input there are read.
        outputs = [runtime.stitchModelInput(library.stitchJaxCallModel(made[0]), i).updated for i in range(len(stitched.in_avals))]
        self.updated = {i: output for i, output in enumerate(outputs) if output >= 0}


# ----------------------------------------------------------------------------------------------------------------------
# The primitive
# ----------------------------------------------------------------------------------------------------------------------


def _aval(value: Any) -> jax.ShapeDtypeStruct:
    dtype = value.dtype if hasattr(value, "dtype") else jax.numpy.asarray(value).dtype
    if jax.numpy.issubdtype(dtype, jax.dtypes.extended):
        raise TypeError(f"Stitch takes no {dtype} from JAX: pass jax.random.key_data(key), and wrap it again inside")
    return jax.ShapeDtypeStruct(np.shape(value), dtype)


def _is_differentiable(aval: Any) -> bool:
    return jax.numpy.issubdtype(aval.dtype, np.inexact)


class _Stitched:
    """A function of flat arguments to flat results, for one signature; compiled once for each platform. `donated`: numbers of arguments."""

    def __init__(self, function: Callable[..., Sequence[Any]], in_avals: Sequence[Any], options: dict[str, Any], donated: Sequence[int] = ()) -> None:
        self.function, self.in_avals, self.options, self.donated = function, tuple(map(_aval, in_avals)), options, donated
        self.out_avals = tuple(map(_aval, jax.eval_shape(lambda *flat: tuple(function(*flat)), *self.in_avals)))
        self._calls: dict[str, _Call] = {}
        self._batched: dict[Any, _Stitched] = {}
        self._differentiable = jax.custom_vjp(lambda *flat: tuple(_primitive.bind(*flat, stitched=self)))
        self._differentiable.defvjp(self._run_forward, self._run_backward)

    def __call__(self, *flat: Any) -> tuple[Any, ...]:
        return self._differentiable(*flat)

    def call(self, platform: str) -> _Call:
        """The compiled model."""
        if platform not in self._calls:
            self._calls[platform] = _Call(self, platform)
        return self._calls[platform]

    def usable_donations(self) -> tuple[int, ...]:
        """Donated arguments that jax.jit pairs with a result of their shape and type. Of the others the program around this warns."""
        unpaired, usable = [(a.shape, a.dtype) for a in self.out_avals], []
        for i in self.donated:
            kind = (self.in_avals[i].shape, self.in_avals[i].dtype)
            if kind in unpaired:
                unpaired.remove(kind)
                usable.append(i)
        return tuple(usable)

    def batched(self, axes: tuple[int | None, ...], size: int) -> "_Stitched":
        """The same for many: results have the new axis in front."""
        if (axes, size) not in self._batched:
            in_avals = [a if axis is None else jax.ShapeDtypeStruct((*a.shape[:axis], size, *a.shape[axis:]), a.dtype)
                        for a, axis in zip(self.in_avals, axes, strict=True)]
            function = jax.vmap(self.function, in_axes=axes, out_axes=0, axis_size=size)
            self._batched[axes, size] = _Stitched(function, in_avals, self.options)
        return self._batched[axes, size]

    @functools.cached_property
    def _forward(self) -> tuple["_Stitched", Any]:
        """Results, then residuals; and the structure of the latter."""
        structure: list[Any] = []

        def forward(*flat: Any) -> tuple[Any, ...]:
            results, backward = jax.vjp(lambda *xs: tuple(self.function(*xs)), *flat)
            residuals, tree = jax.tree.flatten(backward)
            structure.append(tree)
            return (*results, *residuals)

        stitched = _Stitched(forward, self.in_avals, self.options)
        return stitched, structure[0]

    @functools.cached_property
    def _backward(self) -> "_Stitched":
        """Residuals and cotangents of results that have one -> cotangents of arguments that have one."""
        forward, tree = self._forward
        num_residuals = len(forward.out_avals) - len(self.out_avals)

        def backward(*flat: Any) -> tuple[Any, ...]:
            given = iter(flat[num_residuals:])
            cotangents = tuple(next(given) if _is_differentiable(a) else np.zeros(a.shape, jax.dtypes.float0) for a in self.out_avals)
            found = jax.tree.unflatten(tree, flat[:num_residuals])(cotangents)
            return tuple(c for c, a in zip(found, self.in_avals, strict=True) if _is_differentiable(a))

        cotangents = [a for a in self.out_avals if _is_differentiable(a)]
        return _Stitched(backward, [*forward.out_avals[len(self.out_avals):], *cotangents], self.options)

    def _run_forward(self, *flat: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        results = self._forward[0](*flat)
        return tuple(results[:len(self.out_avals)]), tuple(results[len(self.out_avals):])

    def _run_backward(self, residuals: tuple[Any, ...], cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        given = [c for c, a in zip(cotangents, self.out_avals, strict=True) if _is_differentiable(a)]
        found = iter(self._backward(*residuals, *given))
        return tuple(next(found) if _is_differentiable(a) else np.zeros(a.shape, jax.dtypes.float0) for a in self.in_avals)


def _lower(ctx: Any, *operands: Any, stitched: _Stitched, platform: str) -> Any:
    if getattr(_state, "is_exporting", False):  # within a stitched function: a part of it
        return mlir.lower_fun(lambda *flat: tuple(stitched.function(*flat)), multiple_results=True)(ctx, *operands)
    call = stitched.call(platform)
    ctx.module_context.add_keepalive(call)
    # XLA copies an operand first that is needed after the call, or that the caller of the program has not donated.
    lower = jax.ffi.ffi_lowering(_TARGETS[platform], operand_output_aliases=call.updated)
    return lower(ctx, *operands, call=np.int64(call.number))


def _batch(args: Sequence[Any], axes: Sequence[Any], *, stitched: _Stitched) -> tuple[Any, Any]:
    mapped = tuple(None if axis is None else int(axis) for axis in axes)
    size = next(np.shape(arg)[axis] for arg, axis in zip(args, mapped, strict=True) if axis is not None)
    results = stitched.batched(mapped, size)(*args)
    return results, (0,) * len(results)


_primitive = jax.extend.core.Primitive("stitched")
_primitive.multiple_results = True
_primitive.def_impl(lambda *flat, stitched: jax.jit(lambda *xs: _primitive.bind(*xs, stitched=stitched))(*flat))
_primitive.def_abstract_eval(lambda *_, stitched: [jax.core.ShapedArray(a.shape, a.dtype) for a in stitched.out_avals])
batching.primitive_batchers[_primitive] = _batch
for _platform in _TARGETS:
    mlir.register_lowering(_primitive, functools.partial(_lower, platform=_platform), platform=_platform)


# ----------------------------------------------------------------------------------------------------------------------
# Several processes
# ----------------------------------------------------------------------------------------------------------------------


class _StitchedShards:
    """What a jax.shard_map has each process compute: a model for as many processes as its mesh has devices, called with a process's shards."""

    def __init__(self, params: dict[str, Any], in_avals: Sequence[Any], options: dict[str, Any]) -> None:
        jaxpr, mesh = params["jaxpr"], params["mesh"]
        if [d.process_index for d in mesh.devices.flat] != list(range(mesh.size)):
            raise ValueError(f"stitch.jax.jit takes a mesh with one device of each process, in the order of the processes, got {mesh.devices}")
        if any(mesh.shape[axis] > 1 for axis in mesh.axis_names if axis not in params["newly_manual_axes"]):
            raise ValueError("stitch.jax.jit takes a jax.shard_map over all axes of its mesh")
        rank = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK"))
        if rank is not None and int(rank) != jax.process_index():
            raise ValueError(f"process {jax.process_index()} of jax.distributed is process {rank} of mpirun: pass process_id={rank} to jax.distributed.initialize")
        self.placed = {name: params[name] for name in ("mesh", "in_specs", "out_specs")}
        self.options, self.in_avals = options, tuple(map(_aval, in_avals))
        self.out_avals = tuple(jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in jaxpr.outvars)
        self.function = jax.shard_map(lambda *flat: tuple(jax.core.eval_jaxpr(jaxpr, (), *flat)), check_vma=params["check_vma"], **self.placed)
        platform = mesh.devices.flat[0].platform  # now: where it is lowered, JAX is within the shard_map
        self._call = _Call(self, "cuda" if platform == "gpu" else platform)

    def __call__(self, *flat: Any) -> Sequence[Any]:
        local = lambda *shards: tuple(_shards_primitive.bind(*shards, stitched=self))
        return jax.shard_map(local, check_vma=False, **self.placed)(*flat)

    def call(self, _platform: str) -> _Call:
        """The compiled model, for the platform of the mesh."""
        return self._call

    def usable_donations(self) -> tuple[int, ...]:
        return ()


_shards_primitive = jax.extend.core.Primitive("stitched_shards")
_shards_primitive.multiple_results = True
_shards_primitive.def_abstract_eval(lambda *_, stitched: [jax.core.ShapedArray(a.shape, a.dtype) for a in stitched.out_avals])
for _platform in _TARGETS:
    mlir.register_lowering(_shards_primitive, functools.partial(_lower, platform=_platform), platform=_platform)


def _inner_jaxpr(eqn: Any) -> Any:
    """What a call of another function runs, as a ClosedJaxpr; None: it is none."""
    return eqn.params.get("jaxpr") if eqn.primitive.name in ("jit", "pjit") else None


def _has_shards(jaxpr: Any) -> bool:
    """Whether a jax.shard_map over several devices is in a function, outside of loops and branches."""
    inner = [_inner_jaxpr(eqn) for eqn in jaxpr.eqns]
    return any((eqn.primitive.name == "shard_map" and eqn.params["mesh"].size > 1) or (closed is not None and _has_shards(closed.jaxpr))
               for eqn, closed in zip(jaxpr.eqns, inner, strict=True))


def _evaluate_shards(jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], options: dict[str, Any]) -> list[Any]:
    """Runs a function with each such jax.shard_map stitched; what is around them is JAX's."""
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))
    read = lambda atom: atom.val if isinstance(atom, jax.extend.core.Literal) else values[atom]
    for eqn in jaxpr.eqns:
        given, closed = [read(atom) for atom in eqn.invars], _inner_jaxpr(eqn)
        if eqn.primitive.name == "shard_map" and eqn.params["mesh"].size > 1:
            results = _StitchedShards(eqn.params, given, options)(*given)
        elif closed is not None and _has_shards(closed.jaxpr):
            results = _evaluate_shards(closed.jaxpr, closed.consts, given, options)
        else:
            used = list(dict.fromkeys(atom for atom in eqn.invars if not isinstance(atom, jax.extend.core.Literal)))
            alone = jaxpr.replace(constvars=[], invars=used, outvars=list(eqn.outvars), eqns=[eqn])
            results = jax.core.eval_jaxpr(alone, (), *map(read, used))
        values.update(zip(eqn.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


# ----------------------------------------------------------------------------------------------------------------------
# Functions of the user
# ----------------------------------------------------------------------------------------------------------------------


def _donations(function: Callable[..., Any], jit_options: dict[str, Any], args: Sequence[Any], kwargs: dict[str, Any]) -> list[bool]:
    """Whether each array among the arguments is donated. JAX knows what numbers and names in jit_options mean."""

    @functools.wraps(function)
    def nothing(*_args: Any, **_kwargs: Any) -> None:
        return None

    names = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames")
    jitted = jax.jit(nothing, **{name: jit_options[name] for name in names if name in jit_options})
    return [info.donated for info in jax.tree.leaves(jitted.trace(*args, **kwargs).args_info)]


def jit(function: Callable[..., Any], *, plan: str | None = None, plan_device: str | None = None, pipeline: str | None = None,
        rules: str | os.PathLike[str] | None = None, adapt: bool = False, checks: bool = False, **jit_options: Any) -> Callable[..., Any]:
    """A stitched function, to be used as what jax.jit returns.

    A jax.shard_map over the devices of several processes, one of each, is a model of the processes (docs/devices.md); what is around it is
    JAX's, and gradients are to be taken within the function.

    plan, plan_device, pipeline, rules, adapt, checks: as of stitch.compile; rules may be for other functions, and for gradients. All else is for jax.jit: static_argnums, static_argnames,
    donate_argnums, donate_argnames, ...  Raises stitch.CompileError when it is called for the first time with a signature.
    """
    passes = " ".join(p for p in (f"plan={plan}" if plan else "", pipeline or "") if p)
    options = {"name": getattr(function, "__name__", "function"), "device": plan_device, "pipeline": passes or None,
               "rules": os.fspath(rules) if rules is not None else None, "partialRules": True, "adaptive": adapt, "checks": checks}

    @functools.wraps(function)
    def stitched(*args: Any, **kwargs: Any) -> Any:
        structure: list[Any] = []

        def flat_function(*flat: Any) -> list[Any]:
            given = iter(flat)
            args, kwargs = jax.tree.unflatten(tree, [next(given) if is_array else leaf for leaf, is_array in leaves])
            results, out_tree = jax.tree.flatten(function(*args, **kwargs))
            structure.append(out_tree)
            return results

        values, tree = jax.tree.flatten((args, kwargs))
        leaves = [(leaf, isinstance(leaf, (jax.core.Tracer, jax.Array, np.ndarray))) for leaf in values]  # others are static
        flat = [leaf for leaf, is_array in leaves if is_array]
        jaxpr = jax.make_jaxpr(flat_function)(*flat)
        if _has_shards(jaxpr.jaxpr) and not getattr(_state, "is_exporting", False):
            return jax.tree.unflatten(structure[0], _evaluate_shards(jaxpr.jaxpr, jaxpr.consts, flat, options))
        num_consts = len(jaxpr.consts)
        donated: list[int] = []
        if jit_options.get("donate_argnums") is not None or jit_options.get("donate_argnames") is not None:
            traced = [i for i, leaf in enumerate(flat) if isinstance(leaf, jax.core.Tracer)]  # arrays within static arguments are none
            is_donated = _donations(function, jit_options, args, kwargs)
            donated = [num_consts + i for i, donates in zip(traced, is_donated, strict=True) if donates]

        def evaluate(*flat: Any) -> list[Any]:
            closed = jax.extend.core.ClosedJaxpr(jaxpr.jaxpr, flat[:num_consts])
            return list(jax.extend.core.jaxpr_as_fun(closed)(*flat[num_consts:]))

        inputs = [*jaxpr.consts, *flat]
        return jax.tree.unflatten(structure[0], _Stitched(evaluate, inputs, options, donated)(*inputs))

    return jax.jit(stitched, **jit_options)
