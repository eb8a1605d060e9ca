# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole training steps: the loss, its gradients, and AdamW. Parameters are f32, products bf16, as autocast has them."""
import dataclasses

from . import Argument, Network, index, ones, weight

EPSILON = 1e-5
BETAS, ADAM_EPSILON, DECAY = (0.9, 0.95), 1e-8, 0.1


@dataclasses.dataclass(frozen=True)
class Sizes:
    layers: int
    hidden: int
    heads: int
    vocabulary: int
    context: int
    products: str = "bf16"  # the type of f32 parameters' products
    rate: float = 6e-4


GPT2_124M = Sizes(12, 768, 12, 50304, 1024)


def parameters(s):
    def bias(size):
        return Argument((size,), "f32", scale=0.02)

    found = {"embedding": Argument((s.vocabulary, s.hidden), "f32", scale=0.02), "positions": Argument((s.context, s.hidden), "f32", scale=0.02)}
    norms = [f"{i}.{name}" for i in range(s.layers) for name in ("attention_norm", "ffn_norm")] + ["norm"]
    for i in range(s.layers):
        for name, inputs, outputs in (("qkv", 1, 3), ("o", 1, 1), ("up", 1, 4), ("down", 4, 1)):
            found |= {f"{i}.{name}": weight(inputs * s.hidden, outputs * s.hidden, dtype="f32"), f"{i}.{name}_bias": bias(outputs * s.hidden)}
    for name in norms:
        found |= {name: ones(s.hidden, "f32"), f"{name}_bias": bias(s.hidden)}
    return found


def arguments(s, sequences):
    found = {"tokens": index((sequences, s.context), s.vocabulary), "labels": index((sequences, s.context), s.vocabulary), "step": index((), 1000, low=1)}
    of = parameters(s)
    found |= of
    found |= {f"m.{name}": Argument(a.shape, "f32", scale=1e-3) for name, a in of.items()}
    found |= {f"v.{name}": Argument(a.shape, "f32", "positive") for name, a in of.items()}
    return found


def in_jax(s):
    import jax
    import jax.numpy as jnp

    names = list(parameters(s))

    def narrow(x):
        return x.astype({"bf16": jnp.bfloat16, "f32": jnp.float32}[s.products])

    def norm(x, scale, bias):
        x = x.astype(jnp.float32)
        mean = jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * scale + bias

    def linear(x, p, name):
        return narrow(x) @ narrow(p[name]) + narrow(p[f"{name}_bias"])

    def attend(q, k, v):
        q, k, v = (x.reshape(*x.shape[:2], s.heads, -1).transpose(0, 2, 1, 3) for x in (q, k, v))
        scores = jnp.einsum("bhtd,bhud->bhtu", q, k, preferred_element_type=jnp.float32) * q.shape[-1] ** -0.5
        visible = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(visible, scores, -1e30), axis=-1).astype(v.dtype)
        y = jnp.einsum("bhtu,bhud->bhtd", weights, v)
        return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)

    def loss_of(p, tokens, labels):
        x = p["embedding"][tokens] + p["positions"]
        for i in range(s.layers):
            y = norm(x, p[f"{i}.attention_norm"], p[f"{i}.attention_norm_bias"])
            x = x + linear(attend(*jnp.split(linear(y, p, f"{i}.qkv"), 3, axis=-1)), p, f"{i}.o")
            y = norm(x, p[f"{i}.ffn_norm"], p[f"{i}.ffn_norm_bias"])
            x = x + linear(jax.nn.gelu(linear(y, p, f"{i}.up"), approximate=True), p, f"{i}.down")
        logits = (narrow(norm(x, p["norm"], p["norm_bias"])) @ narrow(p["embedding"]).T).astype(jnp.float32)
        right = jnp.take_along_axis(logits, labels[..., None], axis=-1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - right)

    def run(a):
        p, m, v = ({name: a[prefix + name] for name in names} for prefix in ("", "m.", "v."))
        loss, g = jax.value_and_grad(loss_of)(p, a["tokens"], a["labels"])
        step = a["step"].astype(jnp.float32)
        m = jax.tree.map(lambda m, g: BETAS[0] * m + (1 - BETAS[0]) * g, m, g)
        v = jax.tree.map(lambda v, g: BETAS[1] * v + (1 - BETAS[1]) * g * g, v, g)

        def updated(p, m, v):
            change = (m / (1 - BETAS[0]**step)) / (jnp.sqrt(v / (1 - BETAS[1]**step)) + ADAM_EPSILON)
            return p - s.rate * (change + DECAY * p if p.ndim > 1 else change)

        p = jax.tree.map(updated, p, m, v)
        return [loss, *(x[name] for x in (p, m, v) for name in names)]

    return run


def in_torch(s):
    import torch
    import torch.nn.functional as F

    of = parameters(s)
    names, decayed = list(of), [name for name, a in of.items() if len(a.shape) > 1]

    def narrow(x):
        return x.to(torch.bfloat16) if s.products == "bf16" and x.dtype == torch.float32 else x

    def linear(x, p, name):
        return narrow(x) @ narrow(p[name]) + narrow(p[f"{name}_bias"])

    def norm(x, p, name):
        return F.layer_norm(x, (s.hidden,), p[name], p[f"{name}_bias"], EPSILON)

    def attend(q, k, v):
        q, k, v = (x.view(*x.shape[:2], s.heads, -1).transpose(1, 2) for x in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(y.shape[0], y.shape[2], -1)

    def loss_of(p, tokens, labels):
        x = F.embedding(tokens, p["embedding"]) + p["positions"]
        for i in range(s.layers):
            qkv = linear(norm(x, p, f"{i}.attention_norm"), p, f"{i}.qkv")
            x = x + linear(attend(*qkv.split(s.hidden, -1)), p, f"{i}.o")
            x = x + linear(F.gelu(linear(norm(x, p, f"{i}.ffn_norm"), p, f"{i}.up"), approximate="tanh"), p, f"{i}.down")
        logits = narrow(norm(x, p, "norm")) @ narrow(p["embedding"]).T
        logits = logits if logits.dtype == torch.float64 else logits.float()
        return F.cross_entropy(logits.view(-1, s.vocabulary), labels.view(-1))

    def run(a):
        p = {name: a[name] for name in names}
        g, loss = torch.func.grad_and_value(loss_of)(p, a["tokens"].long(), a["labels"].long())
        g, step = [g[name] for name in names], a["step"].to(loss.dtype)
        # As torch.optim.AdamW does it with foreach=True and capturable=True, with new tensors as results.
        m = torch._foreach_lerp([a[f"m.{name}"] for name in names], g, 1 - BETAS[0])
        v = torch._foreach_addcmul(torch._foreach_mul([a[f"v.{name}"] for name in names], BETAS[1]), g, g, 1 - BETAS[1])
        roots = torch._foreach_add(torch._foreach_sqrt(torch._foreach_div(v, 1 - BETAS[1]**step)), ADAM_EPSILON)
        changes = torch._foreach_mul(torch._foreach_div(m, roots), s.rate / (1 - BETAS[0]**step))
        p |= zip(decayed, torch._foreach_mul([p[name] for name in decayed], 1 - s.rate * DECAY))
        return [loss, *torch._foreach_sub(list(p.values()), changes), *m, *v]

    return run


def network(s, sequences):
    return Network(arguments(s, sequences), lambda: in_jax(s), lambda: in_torch(s), "GPT-2 124M, trained as nanoGPT does")


# The rate is large so that the updates count in a comparison.
SMALL = Sizes(2, 64, 4, 128, 12, products="f32", rate=0.5)
NETWORKS = {
    "gpt2_124m_training_b8": network(GPT2_124M, 8),
    "small_gpt2_training": network(SMALL, 2),
}
