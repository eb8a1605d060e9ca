# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals, segments, sorting, quantisation, complex numbers, linear algebra, simulation."""
import jax
import jax.numpy as jnp

from . import integers, model, normal, uniform, value, weights


@model(normal(3, 64), normal(33))
def fft_filter(x, response):
    return jnp.fft.irfft(jnp.fft.rfft(x) * response, n=64)


@model(normal(2, 128))
def spectrogram_log_mel(x):
    frames = jnp.stack([x[:, i:i + 32] for i in range(0, 97, 16)], axis=1) * jnp.hanning(32)
    power = jnp.abs(jnp.fft.rfft(frames)) ** 2
    return jnp.log(power @ jnp.linspace(0, 1, 17 * 8).reshape(17, 8) + 1e-6)


@model(normal(2, 8, 8, 4), normal(8, 5, 4), normal(8, 5, 4))
def fourier_neural_operator(x, real, imaginary):
    spectrum = jnp.fft.rfft2(x, axes=(1, 2)) * jax.lax.complex(real, imaginary)
    return jax.nn.gelu(jnp.fft.irfft2(spectrum, s=(8, 8), axes=(1, 2)) + x)


@model(normal(30, 4), integers(30, below=6))
def segment_mean_and_max(x, segments):
    total = jax.ops.segment_sum(x, segments, 6)
    count = jax.ops.segment_sum(jnp.ones(30), segments, 6)
    return total / jnp.maximum(count, 1)[:, None], jnp.where(count[:, None] > 0, jax.ops.segment_max(x, segments, 6), 0)


@model(normal(10, 8), integers(24, below=10), integers(24, below=10), weights(8, 8), weights(16))
def graph_attention(x, senders, receivers, w, a):
    h = x @ w
    scores = jax.nn.leaky_relu(jnp.concatenate([h[senders], h[receivers]], -1) @ a)
    scores = jnp.exp(scores - jax.ops.segment_max(scores, receivers, 10)[receivers])
    share = scores / (jax.ops.segment_sum(scores, receivers, 10)[receivers] + 1e-9)
    return jax.ops.segment_sum(h[senders] * share[:, None], receivers, 10)


@model(normal(50, 8), integers(12, 3, below=50), normal(12, 3, 8))
def embedding_bag_gradient(table, indices, dy):
    y, gradient = jax.vjp(lambda t: t[indices].sum(1), table)
    return y, gradient(dy.sum(1))[0]


@model(normal(4, 33))
def sort_and_quantiles(x):
    return jnp.sort(x), jnp.median(x, axis=1), jnp.quantile(x, jnp.array([0.1, 0.5, 0.99]), axis=1)


@model(normal(5, 40))
def top_k_and_argmax(x):
    return (*jax.lax.top_k(x, 5), jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.argsort(x, axis=1)[:, :3])


@model(integers(64, below=10), uniform(64))
def histogram_and_search(x, y):
    edges = jnp.linspace(0, 1, 9)
    return jnp.bincount(x, length=10), jnp.searchsorted(edges, y), jnp.digitize(y, edges)


@model(normal(16, 32), normal(32, 16))
def fp8_matmul(a, b):
    def quantise(x, kind):
        scale = jnp.finfo(kind).max.astype(jnp.float32) / jnp.max(jnp.abs(x))
        return (x * scale).astype(kind), scale

    (qa, sa), (qb, sb) = quantise(a, jnp.float8_e4m3fn), quantise(b, jnp.float8_e4m3fn)
    return qa.astype(jnp.float32) @ qb.astype(jnp.float32) / (sa * sb)


@model(normal(8, 64))
def int8_blockwise_quantisation(x):
    blocks = x.reshape(8, 4, 16)
    scale = jnp.max(jnp.abs(blocks), axis=-1, keepdims=True) / 127
    q = jnp.round(blocks / scale).astype(jnp.int8)
    return q, (q.astype(jnp.float32) * scale).reshape(8, 64)


@model(integers(16, 32, below=255, dtype="uint8"), uniform(16, 8, low=0.01, high=0.1), normal(8, 64))
def int4_weights_unpacked(packed, scales, x):
    low, high = (packed & 15).astype(jnp.int32) - 8, (packed >> 4).astype(jnp.int32) - 8
    w = jnp.stack([low, high], -1).reshape(16, 8, 8).astype(jnp.float32) * scales[..., None]
    return x @ w.reshape(16, 64).T


@model(normal(8, 32, dtype="bfloat16"), normal(32, 32, dtype="bfloat16", scale=0.2), normal(32, dtype="bfloat16"), tolerance=2e-2)
def bfloat16_dense_layer(x, w, b):
    y = jnp.dot(x, w, preferred_element_type=jnp.float32) + b.astype(jnp.float32)
    return jax.nn.gelu(y).astype(jnp.bfloat16)


@model(normal(8, 32, dtype="float16"), tolerance=5e-3)
def float16_softmax(x):
    return jax.nn.softmax(x.astype(jnp.float32)).astype(jnp.float16), jax.nn.softmax(x)


@model(normal(6, 6), normal(6, 6))
def complex_arithmetic(real, imaginary):
    z = jax.lax.complex(real, imaginary)
    w = jnp.exp(z) / (1 + z * jnp.conj(z)) + jnp.sqrt(z)
    return w, jnp.abs(w), jnp.angle(w), (z @ w).real


@model(normal(12, 12), tolerance=1e-4)
def mandelbrot_like_iteration(x):
    z = jax.lax.complex(x * 0.3, jnp.roll(x, 1) * 0.3)

    def body(_, state):
        w, count = state
        w = jnp.where(jnp.abs(w) < 2, w * w + z, w)
        return w, count + (jnp.abs(w) < 2)

    return jax.lax.fori_loop(0, 6, body, (jnp.zeros_like(z), jnp.zeros(x.shape, jnp.int32)))


@model(normal(2, 6, 6), normal(2, 6, 3), tolerance=1e-4)
def gaussian_process_posterior(a, y):
    k = a @ a.swapaxes(1, 2) + 3 * jnp.eye(6)
    factor = jnp.linalg.cholesky(k)
    z = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
    return z, jnp.log(jnp.diagonal(factor, axis1=1, axis2=2)).sum(1) + 0.5 * (z * z).sum((1, 2))


@model(normal(10, 5), normal(10), tolerance=1e-3)
def ridge_regression(x, y):
    factor = jax.scipy.linalg.cho_factor(x.T @ x + jnp.eye(5))
    return jax.scipy.linalg.cho_solve(factor, x.T @ y)


@model(normal(5, 5))
def linear_solve_lu(a):
    return jnp.linalg.solve(a + 5 * jnp.eye(5), jnp.ones(5))


@model(normal(4, 4))
def singular_values(a):
    return jnp.linalg.svd(a, compute_uv=False)


@model(normal(24, 3), normal(24, 3), tolerance=1e-4)
def lennard_jones_forces(x, _):
    def energy(x):
        d = x[:, None] - x[None] + 10 * jnp.eye(24)[:, :, None]
        r2 = jnp.sum(d * d, -1) + 0.5
        inverse = 1 / r2**3
        return 2 * jnp.sum((inverse * inverse - inverse) * (1 - jnp.eye(24)))

    value, gradient = jax.value_and_grad(energy)(x)
    return value, -gradient


@model(normal(16, 16))
def heat_equation_steps(u):
    def step(u, _):
        p = jnp.pad(u, 1, mode="wrap")
        u = u + 0.1 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)
        return u, u.mean()

    return jax.lax.scan(step, u, None, length=5)


@model(normal(5, 7), tolerance=1e-4)
def sinkhorn(cost):
    k = jnp.exp(-cost / 0.5)
    u, v = jnp.ones(5), jnp.ones(7)
    for _ in range(5):
        u = (1 / 5) / (k @ v)
        v = (1 / 7) / (k.T @ u)
    return u[:, None] * k * v


@model(normal(30, 4), normal(5, 4))
def k_means_step(x, centres):
    distance = jnp.sum((x[:, None] - centres[None]) ** 2, -1)
    near = jnp.argmin(distance, 1)
    member = jax.nn.one_hot(near, 5)
    return member.T @ x / jnp.maximum(member.sum(0), 1)[:, None], near


@model(uniform(40, low=0.1, high=5), uniform(40, low=0.1, high=5), tolerance=1e-4)
def special_functions(x, y):
    return (jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x), jax.scipy.special.erfinv(y / 6), jax.scipy.stats.norm.logcdf(x - 2),
            jax.scipy.special.betaln(x, y), jax.scipy.special.i1e(x))


@model(normal(3, 9, dtype="float64"), precision64=True)
def log_sum_exp_f64(x):
    return jax.scipy.special.logsumexp(x, axis=1), jax.nn.softmax(x, axis=0)


@model(normal(6, 10), integers(6, below=10), integers(6, 3, below=10))
def gather_and_scatter_updates(x, column, columns):
    rows = jnp.arange(6)
    y = x.at[rows, column].set(0).at[rows[:, None], columns].add(1.0)
    return y, y.at[:, 2].multiply(3.0), jnp.take(x, columns[0], axis=1), x[rows, column]


@model(normal(4, 6), normal(4, 6))
def hessian_vector_product(x, v):
    f = lambda x: jnp.sum(jnp.tanh(x) * jnp.exp(-x * x))
    return jax.jvp(jax.grad(f), (x,), (v,))[1]


@model(normal(5, 4), weights(4, 3))
def per_example_gradients(x, w):
    return jax.vmap(jax.grad(lambda w, x: jnp.sum(jax.nn.softplus(x @ w))), (None, 0))(w, x)


@model(normal(8, 8), tolerance=1e-5)
def checkpointed_gradient(x):
    block = jax.checkpoint(lambda x: jnp.sin(x) * jax.nn.softmax(x))
    return jax.grad(lambda x: jnp.sum(block(block(x)) ** 2))(x)


@model(integers(12, below=1 << 30), integers(12, below=31, low=0))
def bit_manipulation(x, shift):
    y = x.astype(jnp.uint32) * jnp.uint32(2654435761)
    return y ^ (y >> 15), jax.lax.population_count(y), jax.lax.clz(x), (x << (shift & 7)) | (x >> 3)


@model(value("2"), normal(7))
def polynomial_and_interpolation(degree, x):
    return jnp.polyval(jnp.array([1.0, -2.0, 0.5, 3.0]), x) * degree, jnp.interp(x, jnp.linspace(-2, 2, 6), jnp.arange(6.0) ** 2)
