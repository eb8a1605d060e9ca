# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps: loss, gradients, and the optimizer's update of parameters and state."""
import jax
import optax

from workload import with_role

# While a data-parallel step is traced (data_parallel.py), the axis of the devices among which a batch is spread.
axis = None


def over_devices(tree):
    """The mean over the devices; what it is given where there is one."""
    return tree if axis is None else jax.lax.pmean(tree, axis)


def step(loss, optimizer, carried=None):
    """The function of a training workload; `loss(parameters, **data)` is a scalar. If the data `carried` go from one step
    to the next (statistics of normalizations, the state of a recurrence), it is a scalar and their new values."""

    def train(parameters, optimizer_state, **data):
        value, gradients = over_devices(jax.value_and_grad(loss, has_aux=carried is not None)(parameters, **data))
        updates, optimizer_state = optimizer.update(gradients, optimizer_state, parameters)
        value, following = (value, {}) if carried is None else (value[0], {carried: value[1]})
        return {"loss": value, "parameters": optax.apply_updates(parameters, updates),
                "optimizer_state": optimizer_state, **following}

    return train


def arguments(parameters, optimizer, data):
    """Of that function: `parameters` is a pytree of shapes, `data` a dictionary of arguments."""
    state = jax.eval_shape(optimizer.init, parameters)
    return {"parameters": with_role(parameters, "parameter"), "optimizer_state": with_role(state, "state"), **data}


def cross_entropy(logits, labels, weights=None):
    """The mean, with integer classes; weighted by a mask if there is one."""
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    if weights is None:
        return losses.mean()
    weights = weights.astype(losses.dtype)
    return (losses * weights).sum() / over_devices(weights.sum())
