# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What AOTAutograd replaces by other operators before a graph is lowered: PyTorch's decompositions, and operators on lists of tensors."""
import functools
import re
from collections.abc import Callable
from typing import Any

import torch

from .formulas import FORMULAS
from .table import LOWERINGS

Function = Callable[..., Any]

# Beside those that PyTorch decomposes for exporters. Others are written with changes of tensors in place, or draw random numbers.
_DECOMPOSED = """_addmm_activation _batch_norm_no_update _batch_norm_with_update _batch_norm_with_update_functional _native_batch_norm_legit
_native_batch_norm_legit_functional _native_batch_norm_legit_no_training addmm batch_norm_backward dist elu gelu grid_sampler_2d ldexp leaky_relu
linalg_vector_norm native_batch_norm native_group_norm native_layer_norm rrelu_with_noise_backward tril_indices triu_indices upsample_bicubic2d
upsample_bilinear2d upsample_nearest2d upsample_trilinear3d var_mean""".split()
# What an operator on lists does to each tensor, where it is not torch's function of that name.
_EACH: dict[str, Function] = {
    "norm": lambda x, ord=2, dtype=None: torch.linalg.vector_norm(x, ord, dtype=dtype), "copy": lambda x, y, non_blocking=False: y.to(x.dtype).expand(x.shape).clone(),
    "addcmul": lambda x, y, z, value=1: torch.addcmul(x, y, z, value=value), "addcdiv": lambda x, y, z, value=1: torch.addcdiv(x, y, z, value=value),
    "zero": torch.zeros_like, "maximum": lambda x, y: torch.clamp_min(x, y), "minimum": lambda x, y: torch.clamp_max(x, y),
}


def _of_floats(function: Function) -> Function:
    """PyTorch interpolates integers by other arithmetic than it says."""
    def checked(x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        return function(x, *args, **kwargs) if x.is_floating_point() else NotImplemented

    return checked


def _for_each(op: Any) -> Function | None:
    """An operator on lists as a list of operators; None: there is none for its elements."""
    name = op._schema.name.removeprefix("aten::_foreach_")  # pylint: disable=protected-access
    function = _EACH.get(name) or getattr(torch, name, None)
    arguments = op._schema.arguments  # pylint: disable=protected-access
    lists = [i for i, a in enumerate(arguments) if isinstance(a.type, torch.ListType)]
    by_name = {a.name for a in arguments if isinstance(a.type, torch.ListType)}
    if function is None or (name.startswith("addc") and op._overloadname == "Tensor"):  # scalars in a tensor
        return None

    def each(*args: Any, **kwargs: Any) -> Any:
        count = len(next(args[i] for i in lists if i < len(args)))
        return [function(*(a[k] if i in lists else a for i, a in enumerate(args)), **{n: a[k] if n in by_name else a for n, a in kwargs.items()})
                for k in range(count)]

    return each


def _on_lists() -> dict[Any, Function]:
    found = {}
    # torch.ops.aten itself lists the operators that somebody has used already.
    names = {re.split("[:.]", name)[2] for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::_foreach_")}  # pylint: disable=protected-access
    for name in sorted(n for n in names if not n.endswith("_")):
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            op = getattr(packet, overload)
            if not any(a.is_out for a in op._schema.arguments) and (function := _for_each(op)):  # pylint: disable=protected-access
                found[op] = function
    return found


@functools.cache
def decompositions() -> dict[Any, Function]:
    """How operators without a lowering are said by others."""
    table = torch._decomp.decomposition_table  # pylint: disable=protected-access
    more = {op: function for op, function in table.items() if isinstance(op, torch._ops.OpOverload) and str(op).split(".")[:2] in [["aten", n] for n in _DECOMPOSED]}
    formulas = {getattr(torch.ops.aten, name).default: function for name, function in FORMULAS.items()}
    found = {**torch.export.default_decompositions(), **more, **formulas, **_on_lists()}
    # What is made of other operators, attention, draws random numbers by these alone.
    drawn = {op for op in found if torch.Tag.nondeterministic_seeded in op.tags and not torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), "CompositeImplicitAutograd")}
    kept = {op: function for op, function in found.items() if str(op) not in LOWERINGS and op not in drawn}
    return {op: _of_floats(function) if re.search("upsample|grid_sampler", str(op)) else function for op, function in kept.items()}
