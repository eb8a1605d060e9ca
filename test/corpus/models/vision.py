# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images: convolutional networks, pooling, resizing, diffusion."""
import jax
import jax.numpy as jnp

from . import integers, model, normal, seed, uniform, value, weights

NHWC = ("NHWC", "HWIO", "NHWC")


def convolution(x, kernel, stride=1, **options):
    return jax.lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=NHWC, **options)


def batch_norm(x, scale, bias):
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def group_norm(x, groups):
    g = x.reshape(*x.shape[:-1], groups, -1)
    mean, variance = g.mean((1, 2, 4), keepdims=True), g.var((1, 2, 4), keepdims=True)
    return ((g - mean) * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape)


@model(normal(2, 8, 8, 16), weights(3, 3, 16, 16), weights(3, 3, 16, 16), normal(16, shift=1), normal(16))
def resnet_block(x, first, second, scale, bias):
    h = jax.nn.relu(batch_norm(convolution(x, first), scale, bias))
    return jax.nn.relu(batch_norm(convolution(h, second), scale, bias) + x)


@model(normal(2, 8, 8, 8), weights(3, 3, 8, 8), normal(8, shift=1), normal(8), tolerance=1e-4)
def resnet_block_gradient(x, kernel, scale, bias):
    loss = lambda kernel, scale, bias: jnp.mean(jax.nn.relu(batch_norm(convolution(x, kernel), scale, bias) + x) ** 2)
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(kernel, scale, bias)


@model(normal(1, 16, 16, 4), weights(3, 3, 4, 8), weights(3, 3, 8, 16), weights(3, 3, 16, 8), weights(3, 3, 16, 4), tolerance=1e-4)
def unet(x, down, middle, up, out):
    a = jax.nn.silu(group_norm(convolution(x, down), 4))
    b = jax.nn.silu(convolution(a, middle, stride=2))
    c = jax.image.resize(b, (1, 16, 16, 16), "nearest")
    c = jax.nn.silu(group_norm(convolution(c, up), 4))
    return convolution(jnp.concatenate([a, c], axis=-1), out)


@model(normal(2, 8, 8, 12), weights(1, 1, 12, 24), weights(3, 3, 1, 24), weights(1, 1, 24, 12), weights(24, 6), weights(6, 24), artifact=True)
def mobile_block_squeeze_excite(x, expand, depthwise, project, reduce, restore):
    h = jax.nn.hard_swish(convolution(x, expand))
    h = jax.nn.hard_swish(convolution(h, depthwise, feature_group_count=24))
    gate = jax.nn.hard_sigmoid(jax.nn.relu(h.mean((1, 2)) @ reduce) @ restore)
    return x + convolution(h * gate[:, None, None, :], project)


@model(normal(2, 7, 7, 24), normal(7, 7, 1, 24, scale=0.1), weights(24, 96), weights(96, 24), normal(24))
def convnext_block(x, depthwise, up, down, gamma):
    h = convolution(x, depthwise, feature_group_count=24)
    h = (h - h.mean(-1, keepdims=True)) * jax.lax.rsqrt(h.var(-1, keepdims=True) + 1e-6)
    return x + gamma * (jax.nn.gelu(h @ up) @ down)


@model(normal(2, 9, 9, 3))
def max_pool_gradient(x):
    pool = lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    y, gradient = jax.vjp(pool, x)
    return y, gradient(jnp.cos(y))[0]


@model(normal(2, 8, 8, 3))
def average_pool_gradient(x):
    pool = lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
    y, gradient = jax.vjp(pool, x)
    return y, gradient(jnp.sin(y))[0]


@model(integers(2, 12, 10, 3, below=256, dtype="uint8"))
def normalise_bytes(image):
    mean, deviation = jnp.array([0.485, 0.456, 0.406]), jnp.array([0.229, 0.224, 0.225])
    return ((image.astype(jnp.float32) / 255 - mean) / deviation).transpose(0, 3, 1, 2)


@model(integers(2, 12, 10, 3, below=256, dtype="uint8"), artifact=True)
def augment_bytes(image):
    grey = (image.astype(jnp.float32) @ jnp.array([0.299, 0.587, 0.114]))[..., None]
    contrast = jnp.clip((image - grey.mean((1, 2), keepdims=True)) * 1.3 + 128, 0, 255)
    return jnp.flip(contrast, 2).astype(jnp.uint8), jnp.bitwise_xor(image, 255) >> 1


@model(normal(1, 8, 6, 3), tolerance=1e-4)
def resize_bilinear_and_cubic(x):
    return jax.image.resize(x, (1, 13, 9, 3), "bilinear"), jax.image.resize(x, (1, 5, 11, 3), "cubic")


@model(normal(1, 6, 6, 2), uniform(20, low=0, high=5), uniform(20, low=0, high=5))
def sample_at_points(image, y, x):
    return jax.scipy.ndimage.map_coordinates(image[0, :, :, 0], [y, x], order=1, mode="nearest")


@model(normal(2, 4, 4, 8), weights(4, 4, 8, 6))
def transposed_convolution(x, kernel):
    return jax.lax.conv_transpose(x, kernel, (2, 2), "SAME")


@model(normal(2, 6, 6, 4), normal(2, 6, 6, 4), integers(2, below=1000), uniform(1000, low=1e-4, high=0.02))
def ddpm_training_loss(x, noise, step, betas):
    kept = jnp.cumprod(1 - betas)[step][:, None, None, None]
    noisy = jnp.sqrt(kept) * x + jnp.sqrt(1 - kept) * noise
    prediction = jnp.tanh(noisy)
    return jnp.mean((prediction - noise) ** 2), noisy


@model(normal(1, 6, 6, 4), weights(4, 4), value(50, "int32"))
def ddim_sampling_steps(x, model_weights, steps):
    kept = jnp.linspace(0.9999, 0.01, 11)

    def step(i, x):
        now, then = kept[10 - i], kept[9 - i]
        noise = x @ model_weights
        clean = jnp.clip((x - jnp.sqrt(1 - now) * noise) / jnp.sqrt(now), -1, 1)
        return jnp.sqrt(then) * clean + jnp.sqrt(1 - then) * noise

    return jax.lax.fori_loop(0, 10, step, x), steps + 1


@model(seed(3), normal(2, 6, 6, 4), tolerance=1e-4)
def euler_ancestral_step(key, x):
    sigma, sigma_up, sigma_down = 5.0, 1.2, 3.1
    derivative = (x - jnp.tanh(x)) / sigma
    return x + derivative * (sigma_down - sigma) + jax.random.normal(key, x.shape) * sigma_up


@model(normal(40, 4, scale=10), uniform(40), tolerance=1e-5)
def non_maximum_suppression(corners, scores):
    low, high = jnp.minimum(corners[:, :2], corners[:, 2:]), jnp.maximum(corners[:, :2], corners[:, 2:])
    order = jnp.argsort(-scores)
    low, high = low[order], high[order]
    size = jnp.clip(jnp.minimum(high[:, None], high[None]) - jnp.maximum(low[:, None], low[None]), 0).prod(-1)
    area = (high - low).prod(-1)
    overlap = size / (area[:, None] + area[None] - size + 1e-6)
    keep = jax.lax.fori_loop(0, 40, lambda i, keep: keep & ~((overlap[i] > 0.3) & keep[i] & (jnp.arange(40) > i)), jnp.ones(40, bool))
    return keep, scores[order] * keep
