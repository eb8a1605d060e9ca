# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-intensive graphs that are neither rows nor columns: groups within rows, statistics over middle and over several dimensions, results in
another order. Written in JAX, as models have them; `build` gives the StableHLO text of one."""
import jax
import jax.numpy as jnp

f32 = jnp.float32
EPSILON = 1e-5


def normalised(x, axes):
    """With the mean and the variance over some dimensions."""
    x = x.astype(f32)
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean)**2).mean(axes, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + EPSILON)


def rms(x, axis=-1):
    x = x.astype(f32)
    return x * jax.lax.rsqrt((x * x).mean(axis, keepdims=True) + EPSILON)


def scaled_to_f8(x, axis):
    scale = jnp.abs(x).max(axis, keepdims=True) / 448.0
    return (x / scale).astype(jnp.float8_e4m3fn), scale


def softmax_middle(x):
    return jax.nn.softmax(x, axis=1)


def instance_norm_nhwc(x):
    return normalised(x, (1, 2)).astype(x.dtype)


def group_norm_silu_nhwc(x, scale, bias):
    n, h, w, c = x.shape
    groups = max(c // 8, 1)
    y = normalised(x.reshape(n, h, w, groups, c // groups), (1, 2, 4)).reshape(x.shape) * scale + bias
    return (y * jax.nn.sigmoid(y)).astype(x.dtype)


def group_norm_silu_nchw(x, scale, bias):
    n, c, h, w = x.shape
    groups = max(c // 8, 1)
    y = normalised(x.reshape(n, groups, c // groups, h, w), (2, 3, 4)).reshape(x.shape) * scale[:, None, None] + bias[:, None, None]
    return (y * jax.nn.sigmoid(y)).astype(x.dtype)


def gradient_of(function):
    def gradient(dy, *arguments):
        return jax.vjp(function, *arguments)[1](dy)
    return gradient


def minus_middle_sum(x):
    return x - x.sum(1, keepdims=True)


def centred_heads(x):
    return (x - x.mean(-1, keepdims=True)).transpose(0, 2, 1, 3)


def head_norms(x, weight, head_weight):
    b, t, d = x.shape
    y = (rms(x) * weight).reshape(b, t, d // head_weight.shape[0], head_weight.shape[0])
    return (rms(y) * head_weight).transpose(0, 2, 1, 3).astype(x.dtype)


def norm_rope(x, weight, cosine, sine):
    a, b = jnp.split(rms(x) * weight, 2, -1)
    c, s = cosine[:, None], sine[:, None]
    return jnp.concatenate([a * c - b * s, b * c + a * s], -1).transpose(0, 2, 1, 3).astype(x.dtype)


def window_partition(x, weight):
    n, h, w, c = x.shape
    y = normalised(x, (-1,)) * weight
    return y.reshape(n, h // 7, 7, w // 7, 7, c).transpose(0, 1, 3, 2, 4, 5).reshape(-1, 49, c).astype(x.dtype)


def window_reverse(x, weight):
    c, n = x.shape[-1], x.shape[0] // 64
    y = x.reshape(n, 8, 8, 7, 7, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, 56, 56, c)
    return (normalised(y, (-1,)) * weight).astype(x.dtype)


def rms_group_f8(x, weight):
    r, c = x.shape
    q, scale = scaled_to_f8((rms(x) * weight.astype(f32)).reshape(r, c // 128, 128), -1)
    return q.reshape(r, c), scale[..., 0].T


def gated_group_norm(x, gate, weight):
    r, c = x.shape
    y = rms((x.astype(f32) * jax.nn.silu(gate.astype(f32))).reshape(r, c // 64, 64)).reshape(r, c)
    return (y * weight).astype(x.dtype)


def f8_both_ways(x):
    r, c = x.shape
    y, a = scaled_to_f8(x.astype(f32).reshape(r, c // 32, 32), -1)
    z, b = scaled_to_f8(x.astype(f32).reshape(r // 32, 32, c), 1)
    return y.reshape(r, c), a[..., 0], z.reshape(r, c), b[:, 0]


def kl(a, b):
    p, q = jax.nn.log_softmax(a.astype(f32)), jax.nn.log_softmax(b.astype(f32))
    return (jnp.exp(p) * (p - q)).sum(-1).mean()


def columns_then_rows(x):
    y = x - x.mean(0)
    return y / (y * y).sum(1, keepdims=True)


def softmax_of(axis):
    return lambda x: jax.nn.softmax(x, axis=axis)


def statistics_of(axes, order):
    """Normalised, in another order of dimensions, and what it was normalised with."""
    def function(x):
        x32 = x.astype(f32)
        mean = x32.mean(axes, keepdims=True)
        variance = ((x32 - mean)**2).mean(axes, keepdims=True)
        return ((x32 - mean) * jax.lax.rsqrt(variance + EPSILON)).astype(x.dtype).transpose(order), mean, variance
    return function


def prefix_sums(x):
    return jnp.cumsum(x.astype(f32), -1).astype(x.dtype)


def log_prefix_sums(x):
    return jax.lax.cumlogsumexp(x.astype(f32), 1).astype(x.dtype)


def linear_recurrence(a, b):
    """h = a h + b along the second dimension, as state space models compute it."""
    def behind_each_other(x, y):
        return x[0] * y[0], x[1] * y[0] + y[1]
    return jax.lax.associative_scan(behind_each_other, (jax.nn.sigmoid(a.astype(f32)), b.astype(f32)), axis=1)[1].astype(b.dtype)


def selective_scan(x, steps, b, c, gate, decay):
    """Mamba's: a linear recurrence for each feature and each of 16 states, of which every position has one sum."""
    def behind_each_other(x, y):
        return x[0] * y[0], x[1] * y[0] + y[1]
    x32, steps, b, c = x.astype(f32), jax.nn.softplus(steps.astype(f32)), b.astype(f32), c.astype(f32)
    decays, inputs = jnp.exp(-steps[..., None] * jnp.exp(decay)), (steps * x32)[..., None] * b[:, :, None, :]
    states = jax.lax.associative_scan(behind_each_other, (decays, inputs), axis=1)[1]
    return (((states * c[:, :, None, :]).sum(-1) + x32) * jax.nn.silu(gate.astype(f32))).astype(x.dtype)


def heat_steps(x):
    """Steps of a heat equation on a torus."""
    for _ in range(4):
        around = sum(jnp.roll(x, by, dim) for dim in (-2, -1) for by in (1, -1))
        x = (0.6 * x + 0.1 * around).astype(x.dtype)
    return x


def image_filters(x):
    """Filters of 3 x 3 in a row, with zeros around the images."""
    for _ in range(4):
        y = jnp.pad(x, ((0, 0), (1, 1), (1, 1))).astype(f32)
        rows = (y[:, :-2] + 2 * y[:, 1:-1] + y[:, 2:]) / 4
        x = jnp.tanh((rows[:, :, :-2] + 2 * rows[:, :, 1:-1] + rows[:, :, 2:]) / 4).astype(x.dtype)
    return x


def signal_filters(x):
    """Each step has two elements less."""
    for _ in range(8):
        x = ((x[:, :-2].astype(f32) + x[:, 1:-1] + x[:, 2:]) / 3).astype(x.dtype)
    return x


FOUR, FIVE = (16, 48, 64, 256), (6, 24, 20, 32, 64)
IMAGE, NCHW = (16, 32, 32, 256), (16, 256, 32, 32)
# Name -> the function, and the shapes of its arguments: those of the case's type first, then (behind None) those of f32.
CASES = {
    "softmax_middle": (softmax_middle, (64, 128, 2048)),
    "softmax_middle_odd": (softmax_middle, (61, 127, 1031)),
    "instance_norm_nhwc": (instance_norm_nhwc, (32, 56, 56, 64)),
    "group_norm_silu_nhwc": (group_norm_silu_nhwc, IMAGE, None, (256,), (256,)),
    "group_norm_silu_nhwc_backward": (gradient_of(group_norm_silu_nhwc), IMAGE, IMAGE, None, (256,), (256,)),
    "group_norm_silu_nchw": (group_norm_silu_nchw, NCHW, None, (256,), (256,)),
    "group_norm_silu_nchw_backward": (gradient_of(group_norm_silu_nchw), NCHW, NCHW, None, (256,), (256,)),
    "minus_middle_sum": (minus_middle_sum, (2, 2048, 4096)),
    "centred_heads": (centred_heads, (8, 512, 16, 64)),
    "head_norms": (head_norms, (4, 2048, 2048), None, (2048,), (128,)),
    "norm_rope": (norm_rope, (4, 2048, 16, 128), None, (128,), (2048, 64), (2048, 64)),
    "window_partition": (window_partition, (16, 56, 56, 128), None, (128,)),
    "window_reverse": (window_reverse, (1024, 49, 128), None, (128,)),
    "rms_group_f8": (rms_group_f8, (4096, 4096), (4096,)),
    "gated_group_norm": (gated_group_norm, (4096, 4096), (4096, 4096), None, (4096,)),
    "f8_both_ways": (f8_both_ways, (4096, 4096)),
    "kl": (kl, (4096, 32003), (4096, 32003)),
    "kl_gradient": (jax.grad(kl), (4096, 32003), (4096, 32003)),
    "columns_then_rows": (columns_then_rows, (512, 1024)),
    "prefix_sums": (prefix_sums, (4, 1048576)),
    "log_prefix_sums": (log_prefix_sums, (256, 16384)),
    "linear_recurrence": (linear_recurrence, (8, 4096, 1024), (8, 4096, 1024)),
    "selective_scan": (selective_scan, (2, 2048, 1536), (2, 2048, 1536), (2, 2048, 16), (2, 2048, 16), (2, 2048, 1536), None, (1536, 16)),
    "heat_steps": (heat_steps, (2048, 2048)),
    "image_filters": (image_filters, (64, 224, 224)),
    "signal_filters": (signal_filters, (4096, 1040)),
    **{f"softmax_{axis}_of_4": (softmax_of(axis), FOUR) for axis in range(4)},
    **{f"statistics_{''.join(map(str, axes))}_as_{''.join(map(str, order))}": (statistics_of(axes, order), FIVE)
       for axes, order in [((2, 3, 4), (2, 3, 1, 0, 4)), ((0, 1, 4), (4, 1, 0, 3, 2)), ((0, 1), (4, 2, 0, 3, 1)), ((0,), (3, 2, 0, 4, 1)), ((1, 2), (3, 2, 0, 1, 4)),
                           ((0, 2), (1, 4, 0, 3, 2)), ((2,), (0, 3, 1, 4, 2)), ((3,), (2, 4, 0, 1, 3)), ((1, 3), (0, 1, 2, 3, 4)), ((4,), (1, 0, 4, 2, 3))]},
}


def arguments_of(name, dtype):
    shapes, types = CASES[name][1:], [jnp.dtype(dtype)]
    found = []
    for shape in shapes:
        if shape is None:
            types.append(jnp.dtype(f32))
        else:
            found.append(jax.ShapeDtypeStruct(shape, types[-1]))
    return found


def build(name, dtype):
    """The StableHLO text, and the bytes of all inputs and of all outputs, each once."""
    lowered = jax.jit(CASES[name][0]).lower(*arguments_of(name, dtype))
    tensors = arguments_of(name, dtype), jax.tree.leaves(lowered.out_info)
    return lowered.as_text(), *(sum(t.size * t.dtype.itemsize for t in of) for of in tensors)
