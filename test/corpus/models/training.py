# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses with their gradients, optimizers, dropout and other random numbers."""
import jax
import jax.numpy as jnp

from . import booleans, integers, model, normal, seed, uniform, value, weights


def with_gradient(loss):
    return jax.value_and_grad(loss)


@model(normal(16, 10), integers(16, below=10))
def cross_entropy(logits, labels):
    return with_gradient(lambda z: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(z), labels[:, None], axis=1)))(logits)


@model(normal(16, 10), integers(16, below=10), booleans(16, share=0.7))
def smoothed_masked_cross_entropy(logits, labels, mask):
    target = jax.nn.one_hot(labels, 10) * 0.9 + 0.01
    return with_gradient(lambda z: -jnp.sum(jnp.where(mask, (target * jax.nn.log_softmax(z)).sum(-1), 0)) / mask.sum())(logits)


@model(normal(16, 6), booleans(16, 6))
def focal_loss(logits, labels):
    def loss(z):
        p = jax.nn.sigmoid(z)
        agreement = jnp.where(labels, p, 1 - p)
        return -jnp.mean((1 - agreement) ** 2 * jnp.log(agreement + 1e-8))

    return with_gradient(loss)(logits)


@model(normal(20), normal(20))
def huber_and_quantile_loss(x, y):
    def loss(x):
        d = x - y
        huber = jnp.where(jnp.abs(d) < 1, 0.5 * d * d, jnp.abs(d) - 0.5)
        return jnp.mean(huber) + jnp.mean(jnp.maximum(0.9 * d, -0.1 * d))

    return with_gradient(loss)(x)


@model(normal(8, 16), normal(8, 16), tolerance=1e-4)
def contrastive_loss(images, texts):
    def loss(images):
        a, b = (x / jnp.linalg.norm(x, axis=1, keepdims=True) for x in (images, texts))
        scores = a @ b.T * 10
        return -(jnp.diag(jax.nn.log_softmax(scores, 0)).mean() + jnp.diag(jax.nn.log_softmax(scores, 1)).mean()) / 2

    return with_gradient(loss)(images)


@model(normal(6, 8), normal(6, 8, scale=0.3), normal(6, 8))
def variational_lower_bound(mean, log_variance, noise):
    def loss(parameters):
        mean, log_variance = parameters
        z = mean + jnp.exp(0.5 * log_variance) * noise
        kl = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance), axis=1)
        return jnp.mean(kl + jnp.sum(jax.nn.softplus(z), axis=1))

    return with_gradient(loss)((mean, log_variance))


@model(normal(8, 4), normal(8, 4), normal(8), uniform(8), artifact=True)
def ppo_objective(new, old, advantages, chosen):
    actions = (chosen * 4).astype(jnp.int32)[:, None]

    def loss(new):
        ratio = jnp.exp(jnp.take_along_axis(jax.nn.log_softmax(new), actions, 1) - jnp.take_along_axis(jax.nn.log_softmax(old), actions, 1))[:, 0]
        a = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        entropy = -jnp.sum(jax.nn.softmax(new) * jax.nn.log_softmax(new), 1).mean()
        return -jnp.mean(jnp.minimum(ratio * a, jnp.clip(ratio, 0.8, 1.2) * a)) - 0.01 * entropy

    return with_gradient(loss)(new)


@model(normal(12, 4), normal(12), normal(12), tolerance=1e-4)
def generalised_advantages(values, rewards, bootstrap):
    def step(carry, inputs):
        reward, value, following = inputs
        carry = reward + 0.99 * following - value + 0.99 * 0.95 * carry
        return carry, carry

    v = values[:, 0]
    return jax.lax.scan(step, 0.0, (rewards, v, jnp.append(v[1:], bootstrap[0])), reverse=True)[1]


PARAMETERS = (normal(16, 24), normal(16, 24), normal(16, 24, scale=0.1), uniform(16, 24))


@model(*PARAMETERS, value(7, "int32"))
def adamw(p, g, m, v, step):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    t = step.astype(jnp.float32) + 1
    update = (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p - 1e-3 * (update + 0.01 * p), m, v, step + 1


@model(*PARAMETERS, artifact=True)
def lamb(p, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    update = m / (jnp.sqrt(v) + 1e-6) + 0.01 * p
    weight, size = jnp.linalg.norm(p), jnp.linalg.norm(update)
    ratio = jnp.where((weight > 0) & (size > 0), weight / size, 1.0)
    return p - 1e-2 * ratio * update, m, v


@model(*PARAMETERS[:3])
def lion(p, g, m):
    update = jnp.sign(0.9 * m + 0.1 * g)
    return p - 1e-4 * (update + 0.1 * p), 0.99 * m + 0.01 * g


@model(normal(16, 24), normal(16, 24), uniform(16), uniform(24))
def adafactor(p, g, rows, columns):
    square = g * g + 1e-30
    rows, columns = 0.99 * rows + 0.01 * square.mean(1), 0.99 * columns + 0.01 * square.mean(0)
    update = g * jax.lax.rsqrt(rows / rows.mean())[:, None] * jax.lax.rsqrt(columns)[None]
    update = update / jnp.maximum(1.0, jnp.sqrt(jnp.mean(update * update)))
    return p - 1e-2 * update, rows, columns


@model(normal(16, 24), normal(24), normal(24, 8), normal(16, 24), normal(24), normal(24, 8))
def sgd_momentum_clipped_norm(a, b, c, da, db, dc):
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in (da, db, dc)))
    scale = jnp.minimum(1.0, 1.0 / (norm + 1e-6))
    return tuple(p - 0.1 * (scale * g + 0.9 * 1e-2 * p) for p, g in ((a, da), (b, db), (c, dc)))


@model(normal(12, 12), normal(12, 12), tolerance=1e-3)
def muon_orthogonalised_update(p, g):
    x = g / (jnp.linalg.norm(g) + 1e-7)
    for _ in range(3):
        a = x @ x.T
        x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    return p - 0.02 * x


@model(seed(1), normal(8, 32))
def dropout_threefry(key, x):
    return jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0)


def with_generator(name):
    def decorate(function):
        return lambda key, *rest: function(jax.random.wrap_key_data(key, impl=name), *rest)

    return decorate


@model(value([1, 2, 3, 4], "uint32"), normal(8, 32))
def dropout_philox(key, x):
    return with_generator("rbg")(lambda key, x: jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0))(key, x)


@model(value([1, 2, 3, 4], "uint32"), normal(8, 32))
def dropout_unsafe_rbg(key, x):
    def layers(key, x):
        for part in jax.random.split(key, 2):
            x = jnp.where(jax.random.bernoulli(part, 0.8, x.shape), x / 0.8, 0)
        return x

    return with_generator("unsafe_rbg")(layers)(key, x)


@model(seed(4), tolerance=1e-4)
def random_initialisers(key):
    a, b, c, d = jax.random.split(key, 4)
    return (jax.random.truncated_normal(a, -2, 2, (8, 8)), jax.nn.initializers.he_uniform()(b, (8, 16)), jax.random.gumbel(c, (9,)),
            jax.random.randint(d, (10,), 0, 1000))


@model(seed(5), normal(4, 50))
def top_k_sampling(key, logits):
    top, index = jax.lax.top_k(logits, 8)
    choice = jax.random.categorical(key, top / 0.7, axis=-1)
    return jnp.take_along_axis(index, choice[:, None], 1)[:, 0]


@model(normal(4, 50), uniform(4))
def nucleus_sampling(logits, u):
    order = jnp.argsort(-logits, axis=-1)
    p = jax.nn.softmax(jnp.take_along_axis(logits, order, 1), axis=-1)
    cumulative = jnp.cumsum(p, -1)
    p = jnp.where(cumulative - p < 0.9, p, 0.0)
    p = jnp.cumsum(p / p.sum(-1, keepdims=True), -1)
    return jnp.take_along_axis(order, (p < u[:, None]).sum(-1)[:, None], 1)[:, 0]


@model(seed(6))
def random_permutation(key):
    return jax.random.permutation(key, 64)


@model(normal(20, 8), weights(8, 16), normal(16), weights(16, 3), integers(20, below=3), tolerance=1e-4)
def training_step_mlp(x, w1, b1, w2, labels):
    def loss(parameters):
        w1, b1, w2 = parameters
        h = jax.nn.relu(x @ w1 + b1)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h @ w2), labels[:, None], 1))

    value, gradients = jax.value_and_grad(loss)((w1, b1, w2))
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, (w1, b1, w2), gradients)
