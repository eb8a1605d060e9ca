# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch modules as JAX functions, through torchax.

Dropout takes its masks from arguments, so that a training step is a function of its arguments alone; recurrent layers
become recurrences of JAX, so that they exist as loops and unrolled.
"""
import contextlib

import jax
import jax.numpy as jnp
import torch
import torchax
from torchax.interop import jax_view, torch_view

from recurrent import recurrence
from workload import mask, structs

# Made before anything is traced: torchax creates it, with a random key, at its first use.
torch.manual_seed(0)
ENVIRONMENT = torchax.default_env()


def state_shapes(module):
    """Parameters and buffers of a module, as two dictionaries of shapes by name."""
    def shapes(named):
        return {name: jax.eval_shape(lambda t=tensor: jnp.zeros(tuple(t.shape), dtype_of(t))) for name, tensor in named}

    return shapes(module.named_parameters()), shapes(module.named_buffers())


def dtype_of(tensor):
    """JAX without 64-bit types: integers are i32."""
    return {torch.float32: jnp.float32, torch.int64: jnp.int32, torch.int32: jnp.int32, torch.bool: jnp.bool_}[tensor.dtype]


def tied_names(module):
    """Name of a parameter -> all places that hold it. A layer that the module has twice counts as one place: torch's own
    tie_weights swaps its parameters twice, and leaves them swapped."""
    first = {id(value): name for name, value in module.named_parameters()}
    names = {name: [] for name in first.values()}
    for path, part in module.named_modules():
        for name, value in part.named_parameters(recurse=False):
            names[first[id(value)]].append(f"{path}.{name}" if path else name)
    return names


def apply_to(module, parameters, buffers, make_inputs, **options):
    """Calls the module, with these parameters and buffers, on what `make_inputs()` makes of torch's views of JAX's arrays.
    Returns its result and the buffers' new values."""
    with ENVIRONMENT:
        state = {name: torch_view(value) for name, value in buffers.items()}
        for name, places in tied_names(module).items():
            state.update(dict.fromkeys(places, torch_view(parameters[name])))
        result = torch.func.functional_call(module, state, make_inputs(), options, tie_weights=False)
        return jax_view(result), {name: jax_view(state[name]) for name in buffers}


def apply(module, parameters, buffers, *inputs, **options):
    """apply_to on arrays."""
    return apply_to(module, parameters, buffers, lambda: tuple(torch_view(value) for value in inputs), **options)


#===------------------------------------------------------------------------===#
# Dropout
#===------------------------------------------------------------------------===#


@contextlib.contextmanager
def dropout_with(next_mask):
    """Within, PyTorch's dropout asks `next_mask(shape)` for the elements to keep."""

    def dropout(input, p=0.5, training=True, inplace=False):
        if not training or p == 0.0:
            return input
        keep = torch_view(next_mask(tuple(input.shape)))
        return torch.where(keep, input / (1.0 - p), torch.zeros_like(input))

    saved = torch.nn.functional.dropout
    torch.nn.functional.dropout = dropout
    try:
        yield
    finally:
        torch.nn.functional.dropout = saved


def dropout_masks(function, arguments):
    """Arguments for the masks that `function(**arguments)` asks for, in its order."""
    shapes = []

    def next_mask(wanted):
        shapes.append(wanted)
        return jnp.ones(wanted, bool)

    with dropout_with(next_mask):
        jax.eval_shape(lambda values: function(**values), structs(arguments))
    return [mask(wanted) for wanted in shapes]


def with_dropout(function):
    """The function with one more argument, `dropout`: the list of masks."""

    def call(*arguments, dropout, **options):
        masks = iter(dropout)
        with dropout_with(lambda wanted: next(masks)):
            return function(*arguments, **options)

    return call


#===------------------------------------------------------------------------===#
# Recurrent layers
#===------------------------------------------------------------------------===#


def lstm_layer(weights, inputs, loops, reverse):
    """One direction of one layer of torch.nn.LSTM over [time, batch, features]."""
    weight_input, weight_hidden, bias_input, bias_hidden = weights
    hidden_size = weight_hidden.shape[1]
    projected = inputs @ weight_input.T + (bias_input + bias_hidden)
    if reverse:
        projected = jnp.flip(projected, 0)

    def step(carry, gates):
        hidden, cell = carry
        i, f, g, o = jnp.split(gates + hidden @ weight_hidden.T, 4, axis=-1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    zero = jnp.zeros((inputs.shape[1], hidden_size), inputs.dtype)
    state, outputs = recurrence(step, (zero, zero), projected, loops)
    return (jnp.flip(outputs, 0) if reverse else outputs), state


def lstm_layers(weights, inputs, loops, batch_first, directions):
    """torch.nn.LSTM from a zero state; `weights` in its order: layers, directions, four tensors each."""
    outputs = jnp.swapaxes(inputs, 0, 1) if batch_first else inputs
    states = []
    for layer in range(0, len(weights), 4 * directions):
        results = [lstm_layer(weights[layer + 4 * d : layer + 4 * d + 4], outputs, loops, d == 1) for d in range(directions)]
        outputs = jnp.concatenate([result for result, _ in results], axis=-1)
        states += [state for _, state in results]
    hidden, cell = (jnp.stack(part) for part in zip(*states))
    return (jnp.swapaxes(outputs, 0, 1) if batch_first else outputs), (hidden, cell)


@contextlib.contextmanager
def recurrent_layers(loops):
    """Within, torch.nn.LSTM is a recurrence of JAX."""

    def forward(self, input, hx=None):
        if hx is not None or self.proj_size or not self.bias or (self.dropout and self.training):
            raise NotImplementedError("an LSTM with an initial state, projections, without bias or with dropout")
        weights = [jax_view(getattr(self, name)) for name in self._flat_weights_names]
        result = lstm_layers(weights, jax_view(input), loops, self.batch_first, 2 if self.bidirectional else 1)
        return torch_view(result)

    saved = torch.nn.LSTM.forward
    torch.nn.LSTM.forward = forward
    try:
        yield
    finally:
        torch.nn.LSTM.forward = saved
