# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers with fused=True, whose operators change lists of tensors.

For all backends Dynamo leaves the steps to PyTorch's own call: `trace_steps` has it trace them for the backend stitch. AOTAutograd does not take the
operators: `replace` puts formulas of other operators in their place, in Dynamo's graph. As in PyTorch's kernels, halves are computed in f32 and rounded once,
what depends on the number of the step alone is computed in f64, and where `found_inf` is 1, nothing changes.
"""
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._dynamo.eval_frame import TorchPatcher
from torch._dynamo.symbolic_convert import InstructionTranslator

# ----------------------------------------------------------------------------------------------------------------------
# What the operators do
# ----------------------------------------------------------------------------------------------------------------------


def _wide(x: Tensor) -> Tensor:
    return x.float() if x.itemsize < 4 else x


def _number(x: Any, dtype: torch.dtype) -> Any:
    """A number, or the one element of a tensor, in a type."""
    return x.reshape(()).to(dtype) if isinstance(x, Tensor) else x


class _Changes:
    """How tensors are changed in a step: not where a gradient was not finite."""

    def __init__(self, grad_scale: Tensor | None, found_inf: Tensor | None, maximize: bool) -> None:
        self._scale, self._maximize = grad_scale, maximize
        self._is_left_out = None if found_inf is None else found_inf.reshape(()) == 1

    def put(self, tensor: Tensor, value: Tensor) -> None:
        value = value.to(tensor.dtype)
        tensor.copy_(value if self._is_left_out is None else torch.where(self._is_left_out, tensor, value))

    def gradient(self, gradient: Tensor) -> Tensor:
        """What is computed with; one that is scaled is put back without the scale."""
        wide = _wide(gradient)
        if self._scale is not None:
            wide = wide / _number(self._scale, wide.dtype)
            self.put(gradient, wide)
        return -wide if self._maximize else wide


def _adam(parameters: Sequence[Tensor], gradients: Sequence[Tensor], averages: Sequence[Tensor], squares: Sequence[Tensor], maxima: Sequence[Tensor],
          steps: Sequence[Tensor], *, is_decoupled: bool, lr: Any, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool, maximize: bool,
          grad_scale: Tensor | None = None, found_inf: Tensor | None = None) -> None:
    changes, rate = _Changes(grad_scale, found_inf, maximize), _number(lr, torch.float64)
    for k, parameter in enumerate(parameters):
        gradient, value, mean, variance = changes.gradient(gradients[k]), _wide(parameter), _wide(averages[k]), _wide(squares[k])
        step = _number(steps[k], torch.float64)
        if weight_decay and is_decoupled:
            value = value - value * _number(rate * weight_decay, value.dtype)
        elif weight_decay:
            gradient = gradient + value * weight_decay
        mean = torch.lerp(mean, gradient, 1 - beta1)
        variance = variance * beta2 + gradient * gradient * (1 - beta2)
        changes.put(averages[k], mean)
        changes.put(squares[k], variance)
        if amsgrad:
            variance = torch.maximum(_wide(maxima[k]), variance)
            changes.put(maxima[k], variance)
        size, root = rate / (1 - beta1**step), (1 - beta2**step).sqrt()
        changes.put(parameter, value - mean * _number(size, value.dtype) / (variance.sqrt() / _number(root, value.dtype) + eps))


def _sgd(parameters: Sequence[Tensor], gradients: Sequence[Tensor], buffers: Sequence[Tensor], *, weight_decay: float, momentum: float, lr: Any, dampening: float,
         nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: Tensor | None = None, found_inf: Tensor | None = None) -> None:
    changes = _Changes(grad_scale, found_inf, maximize)
    for k, parameter in enumerate(parameters):
        gradient, value = changes.gradient(gradients[k]), _wide(parameter)
        if weight_decay:
            gradient = gradient + value * weight_decay
        if momentum:
            buffer = gradient if is_first_step else _wide(buffers[k]) * momentum + gradient * (1 - dampening)
            changes.put(buffers[k], buffer)
            gradient = gradient + buffer * momentum if nesterov else buffer
        changes.put(parameter, value - gradient * _number(lr, value.dtype))


def _adagrad(parameters: Sequence[Tensor], gradients: Sequence[Tensor], sums: Sequence[Tensor], steps: Sequence[Tensor], *, lr: Any, lr_decay: float,
             weight_decay: float, eps: float, maximize: bool, grad_scale: Tensor | None = None, found_inf: Tensor | None = None) -> None:
    changes = _Changes(grad_scale, found_inf, maximize)
    for k, parameter in enumerate(parameters):
        gradient, value = changes.gradient(gradients[k]), _wide(parameter)
        rate = _number(lr, torch.float64) / (1 + (_number(steps[k], torch.float64) - 1) * lr_decay)
        if weight_decay:
            gradient = gradient + value * weight_decay
        total = _wide(sums[k]) + gradient * gradient
        changes.put(sums[k], total)
        changes.put(parameter, value - gradient * _number(rate, value.dtype) / (total.sqrt() + eps))


_FORMULAS: dict[str, Callable[..., None]] = {
    "_fused_adam_": functools.partial(_adam, is_decoupled=False), "_fused_adamw_": functools.partial(_adam, is_decoupled=True), "_fused_sgd_": _sgd,
    "_fused_adagrad_": _adagrad,
}


def replace(module: torch.fx.GraphModule) -> None:
    """Puts the formulas in the place of the operators, in a graph of Dynamo."""
    formulas = {target: formula for name, formula in _FORMULAS.items()
                for packet in [getattr(torch.ops.aten, name)] for target in (getattr(torch, name, packet), packet, packet.default, packet.tensor_lr)}
    found = [n for n in module.graph.nodes if n.op == "call_function" and n.target in formulas]
    for node in found:
        node.target = formulas[node.target]
    if found:
        module.recompile()


# ----------------------------------------------------------------------------------------------------------------------
# Dynamo
# ----------------------------------------------------------------------------------------------------------------------

_library = torch.library.Library("aten", "IMPL")


def _is_for_stitch() -> bool:
    """Whether the graph that Dynamo makes is for the backend stitch. Dynamo asks once and keeps the answer, with a graph that is for one backend."""
    compiler = InstructionTranslator.current_tx().output.compiler_fn
    return getattr(compiler, "compiler_name", getattr(compiler, "__module__", None)) in ("stitch", "stitch.torch")


torch.compiler.assume_constant_result(_is_for_stitch)


def _chosen(traced: Callable[..., None], left: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(left)
    def step(*args: Any, **kwargs: Any) -> None:
        if torch.compiler.is_dynamo_compiling() and _is_for_stitch():
            traced(*args, **kwargs)
        else:
            left(*args, **kwargs)

    return step


def _adagrad_step(parameters: Sequence[Tensor], gradients: Sequence[Tensor], sums: Sequence[Tensor], steps: Sequence[Tensor], grad_scale: Tensor | None,
                  found_inf: Tensor | None, *, lr: Any, **options: Any) -> None:
    """As torch.optim.adagrad's, whose operator Dynamo knows by this name only."""
    torch._foreach_add_(steps, 1)  # pylint: disable=protected-access
    kept = {name: options[name] for name in ("lr_decay", "weight_decay", "eps", "maximize")}
    torch.ops.aten._fused_adagrad_(parameters, gradients, sums, steps, lr=lr, grad_scale=grad_scale, found_inf=found_inf, **kept)
    if found_inf is not None:
        torch._foreach_sub_(steps, [found_inf] * len(steps))  # pylint: disable=protected-access


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """What an operator without results does to tensors without elements."""


def trace_steps() -> None:
    """Has Dynamo trace the steps for the backend stitch, where torch.optim and Dynamo are as they are known here. For others all is as before."""
    TorchPatcher.patch()  # has Dynamo leave them
    for name in ("adam", "sgd", "adagrad"):
        module = importlib.import_module(f"torch.optim.{name}")
        left = getattr(module, f"_fused_{name}", None)
        traced = getattr(left, "_torchdynamo_orig_callable", None)
        if left is not None and traced is not None:
            setattr(module, f"_fused_{name}", _chosen(_adagrad_step if name == "adagrad" else traced, left))
    for name in _FORMULAS:
        for overload in ("", ".tensor_lr"):
            if not torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}{overload}", "Meta"):  # pylint: disable=protected-access
                _library.impl(f"{name}{overload}", _nothing, "Meta")
