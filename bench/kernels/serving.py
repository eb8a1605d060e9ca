# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What inference engines write by hand, in JAX: norms and gates with quantised results, queries and keys on their way to a cache, routing, products of
narrow weights, sampling, and the losses that fine-tuning adds. Each pattern has two sizes, decoding and prefill, of models that are served today.

`build(name, size)` gives the StableHLO text of one, and the least bytes that it can read and write: inputs and results once, of caches that are
updated in place the rows that are written, of pages those that are named.
"""
import collections
import math

import jax
import jax.numpy as jnp

f32, bf16, i32, i8, i4 = jnp.float32, jnp.bfloat16, jnp.int32, jnp.int8, jnp.int4
e4m3, e8m0, e2m1 = jnp.float8_e4m3fn, jnp.float8_e8m0fnu, jnp.float4_e2m1fn
EPSILON = 1e-5
E4M3_MOST, E2M1_MOST = 448.0, 6.0

# Sizes of one device's part. heads: of queries and of keys; inner: columns of the gate.
Model = collections.namedtuple("Model", "hidden inner heads keys head_size vocabulary")
LLAMA_8B = Model(4096, 14336, 32, 8, 128, 128256)
LLAMA_70B = Model(8192, 3584, 8, 1, 128, 16032)  # of 8 devices
QWEN = Model(2048, 6144, 16, 8, 128, 151936)
DEEPSEEK_EXPERTS, DEEPSEEK_CHOSEN, DEEPSEEK_HIDDEN = 256, 8, 7168

# A pattern at one size: its function and its arguments; which of these are updated in place, argument -> result; bytes that do not count, since the function
# reads or writes a part of a tensor alone.
Case = collections.namedtuple("Case", "function arguments donated uncounted", defaults=((), 0))


def tensor(dtype, *shape):
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype))


def size_of(t):
    """In bytes, of packed types too."""
    bits = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}.get(t.dtype.name, t.dtype.itemsize * 8)
    return math.prod(t.shape) * bits // 8


# --- pieces -----------------------------------------------------------------------------------------------------------


def rms_norm(x, weight):
    x = x.astype(f32)
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weight.astype(f32)


def static_f8(y, scale):
    return jnp.clip(y * scale, -E4M3_MOST, E4M3_MOST).astype(e4m3)


def token_f8(y):
    scale = jnp.maximum(jnp.abs(y).max(-1, keepdims=True), 1e-6) / E4M3_MOST
    return (y / scale).astype(e4m3), scale


def group_f8(y, column_major):
    r, c = y.shape
    y = y.reshape(r, c // 128, 128)
    scale = jnp.maximum(jnp.abs(y).max(-1, keepdims=True), 1e-6) / E4M3_MOST
    scales = scale[..., 0]
    return (y / scale).astype(e4m3).reshape(r, c), scales.T if column_major else scales


def swizzled(scales):
    """The order of cuBLASLt's and CUTLASS's block scales: tiles of 128 rows and 4 columns, 32 rows of 4 x 4 each; rows are padded to tiles."""
    r, c = scales.shape
    scales = jnp.pad(scales, ((0, -r % 128), (0, -c % 4)))
    r, c = scales.shape
    return scales.reshape(r // 128, 4, 32, c // 4, 4).transpose(0, 3, 2, 1, 4).reshape(-1)


def mx(y, axis=-1):
    """A power of two for 32 elements, as the OCP's formats have it."""
    most = jnp.maximum(jnp.abs(y).max(axis, keepdims=True), 1e-30)
    exponent = jnp.floor(jnp.log2(most)) - 8.0
    return (y * jnp.exp2(-exponent)).astype(e4m3), jnp.exp2(exponent).astype(e8m0)


def mx_rows(y):
    r, c = y.shape
    q, scales = mx(y.reshape(r, c // 32, 32))
    return q.reshape(r, c), swizzled(scales[..., 0])


def nvfp4(y, global_scale):
    r, c = y.shape
    y = y.reshape(r, c // 16, 16)
    scales = (jnp.abs(y).max(-1, keepdims=True) / E2M1_MOST * global_scale).astype(e4m3)
    inverse = global_scale / jnp.maximum(scales.astype(f32), 1e-12)
    return (y * inverse).astype(e2m1).reshape(r, c), swizzled(scales[..., 0])


QUANTISED = {
    "static": lambda y, scale: static_f8(y, scale),
    "token": lambda y, scale: token_f8(y),
    "group": lambda y, scale: group_f8(y, False),
    "group_columns": lambda y, scale: group_f8(y, True),
    "mx": lambda y, scale: mx_rows(y),
    "nvfp4": nvfp4,
}


# --- norms and gates --------------------------------------------------------------------------------------------------


def residual_norm(kind):
    def build(rows, model):
        def function(x, residual, weight, scale):
            summed = x.astype(f32) + residual.astype(f32)
            return summed.astype(bf16), QUANTISED[kind](rms_norm(summed, weight), scale)
        x = tensor(bf16, rows, model.hidden)
        return Case(function, (x, x, tensor(bf16, model.hidden), tensor(f32)))
    return build


def gate(kind, activation=jax.nn.silu):
    def build(rows, model):
        def function(gate_up, scale):
            a, b = jnp.split(gate_up.astype(f32), 2, -1)
            return QUANTISED[kind](activation(a) * b, scale)
        return Case(function, (tensor(bf16, rows, 2 * model.inner), tensor(f32)))
    return build


def rope(x, cosine, sine):
    a, b = jnp.split(x, 2, -1)
    c, s = cosine[:, None], sine[:, None]
    return jnp.concatenate([a * c - b * s, b * c + a * s], -1)


def qk_norm_rope_cache(rows, model):
    """From packed QKV: norms of heads, rope, keys and values with a scale a head into pages of 16 slots that are updated in place."""
    pages, h, k, d = max(rows // 16, 512), model.heads, model.keys, model.head_size

    def function(qkv, q_weight, k_weight, cosine, sine, slots, keys, values, key_scales, value_scales):
        q, key, value = jnp.split(qkv.astype(f32).reshape(rows, h + 2 * k, d), [h, h + k], 1)
        q, key = rope(rms_norm(q, q_weight), cosine, sine), rope(rms_norm(key, k_weight), cosine, sine)
        key, key_scale = token_f8(key)
        value, value_scale = token_f8(value)
        page, slot = slots // 16, slots % 16
        return (q.astype(bf16), keys.at[page, slot].set(key), values.at[page, slot].set(value), key_scales.at[page, slot].set(key_scale[..., 0]),
                value_scales.at[page, slot].set(value_scale[..., 0]))
    cache, scales = tensor(e4m3, pages, 16, k, d), tensor(f32, pages, 16, k)
    arguments = (tensor(bf16, rows, (h + 2 * k) * d), tensor(bf16, d), tensor(bf16, d), tensor(f32, rows, d // 2), tensor(f32, rows, d // 2),
                 tensor(i32, rows), cache, cache, scales, scales)
    unwritten = 2 * (size_of(cache) + size_of(scales)) - 2 * rows * k * (d + 4)
    return Case(function, arguments, (6, 7, 8, 9), 2 * (size_of(cache) + size_of(scales)) + unwritten)


def attention_f8(rows, model):
    """What combines the parts of attention over split keys, with an f8 result: 8 parts with their maxima and sums."""
    parts, h, d = 8, model.heads, model.head_size

    def function(partial, most, sums, scale):
        weights = jnp.exp(most - most.max(0)) * sums
        y = (partial.astype(f32) * (weights / weights.sum(0))[..., None]).sum(0)
        return static_f8(y.reshape(rows, h * d), scale)
    return Case(function, (tensor(bf16, parts, rows, h, d), tensor(f32, parts, rows, h), tensor(f32, parts, rows, h), tensor(f32)))


def paged_attention(rows, model):
    """Decoding: queries of sequences with pages of 16 keys; new keys and values into donated caches."""
    h, k, d, most = model.heads, model.keys, model.head_size, 64
    pages = 2 * rows * most

    def function(q, key, value, keys, values, table, lengths):
        sequence = jnp.arange(rows)
        page, slot = table[sequence, lengths // 16], lengths % 16
        keys, values = keys.at[page, slot].set(key), values.at[page, slot].set(value)
        ks, vs = keys[table].reshape(rows, most * 16, k, d), values[table].reshape(rows, most * 16, k, d)
        q = q.reshape(rows, k, h // k, d)
        scores = jnp.einsum("bkgd,bnkd->bkgn", q, ks, preferred_element_type=f32) / math.sqrt(d)
        scores = jnp.where(jnp.arange(most * 16) <= lengths[:, None, None, None], scores, -jnp.inf)
        weights = jax.nn.softmax(scores, -1).astype(bf16)
        return jnp.einsum("bkgn,bnkd->bkgd", weights, vs).reshape(rows, h * d), keys, values
    cache, new = tensor(bf16, pages, 16, k, d), tensor(bf16, rows, k, d)
    arguments = (tensor(bf16, rows, h, d), new, new, cache, cache, tensor(i32, rows, most), tensor(i32, rows))
    # Half of the cache's pages are read; of the results the new rows are written.
    return Case(function, arguments, (3, 4), 2 * (size_of(cache) // 2) + 2 * (size_of(cache) - size_of(new)))


# --- routing ----------------------------------------------------------------------------------------------------------


def routing(rows, model):
    def function(logits):
        weights, experts = jax.lax.top_k(jax.nn.softmax(logits.astype(f32), -1), DEEPSEEK_CHOSEN)
        return weights / weights.sum(-1, keepdims=True), experts
    return Case(function, (tensor(bf16, rows, DEEPSEEK_EXPERTS),))


def experts_sum(rows, model):
    """Results of experts, sorted by expert, back to their tokens: weighted sum, shared expert, residual, norm."""
    def function(results, places, weights, shared, residual, weight):
        routed = (results[places].astype(f32) * weights[..., None]).sum(1)
        summed = routed + shared.astype(f32) + residual.astype(f32)
        return summed.astype(bf16), rms_norm(summed, weight).astype(bf16)
    x = tensor(bf16, rows, DEEPSEEK_HIDDEN)
    return Case(function, (tensor(bf16, rows * DEEPSEEK_CHOSEN, DEEPSEEK_HIDDEN), tensor(i32, rows, DEEPSEEK_CHOSEN), tensor(f32, rows, DEEPSEEK_CHOSEN), x, x,
                           tensor(bf16, DEEPSEEK_HIDDEN)))


# --- products of narrow weights: of 1 and of 16 rows ------------------------------------------------------------------


def thin_rows(rows):
    return 1 if rows <= 8 else 16


def w4a16(rows, model):
    rows, k, n = thin_rows(rows), model.hidden, model.inner

    def function(x, weight, gate_weight, scales, gate_scales, norm):
        x = rms_norm(x, norm).astype(bf16)

        def product(w, s):
            w = (w.astype(bf16).reshape(k // 128, 128, n) * s[:, None]).reshape(k, n)
            return jnp.dot(x, w, preferred_element_type=f32)
        return (jax.nn.silu(product(gate_weight, gate_scales)) * product(weight, scales)).astype(bf16)
    w, s = tensor(i4, k, n), tensor(bf16, k // 128, n)
    return Case(function, (tensor(bf16, rows, k), w, w, s, s, tensor(bf16, k)))


def w8a16(rows, model):
    rows, k, n = thin_rows(rows), model.hidden, model.hidden

    def function(x, weight, scales, bias, residual):
        y = jnp.dot(x, weight.astype(bf16), preferred_element_type=f32) * scales + bias.astype(f32)
        return (y + residual.astype(f32)).astype(bf16)
    return Case(function, (tensor(bf16, rows, k), tensor(i8, k, n), tensor(f32, n), tensor(bf16, n), tensor(bf16, rows, n)))


def w8a8(rows, model):
    rows, k, n = thin_rows(rows), model.hidden, model.hidden

    def function(x, weight, scales, bias):
        scale = jnp.abs(x.astype(f32)).max(-1, keepdims=True) / 127.0
        q = jnp.round(x.astype(f32) / scale).astype(i8)
        y = jnp.dot(q, weight, preferred_element_type=i32).astype(f32)
        return (y * scale * scales + bias.astype(f32)).astype(bf16)
    return Case(function, (tensor(bf16, rows, k), tensor(i8, k, n), tensor(f32, n), tensor(bf16, n)))


# --- both axes, rotations, groups, diffusion --------------------------------------------------------------------------


def mx_both_ways(rows, model):
    rows = max(rows, 32)

    def function(x):
        r, c = x.shape
        x = x.astype(f32)
        along, a = mx(x.reshape(r, c // 32, 32))
        down, b = mx(x.reshape(r // 32, 32, c), 1)
        return along.reshape(r, c), a[..., 0], down.reshape(r, c), b[:, 0]
    return Case(function, (tensor(bf16, rows, model.hidden),))


def hadamard(x):
    """A Walsh-Hadamard transform of the last dimension by sums and differences, normalised."""
    n, shape, width = x.shape[-1], x.shape, 1
    while width < n:
        x = x.reshape(*shape[:-1], n // (2 * width), 2, width)
        x = jnp.stack([x[..., 0, :] + x[..., 1, :], x[..., 0, :] - x[..., 1, :]], -2)
        width *= 2
    return x.reshape(shape) / math.sqrt(n)


def hadamard_mx(rows, model):
    def function(x):
        r, c = x.shape
        return mx_rows(hadamard(x.astype(f32).reshape(r, c // 128, 128)).reshape(r, c))
    return Case(function, (tensor(bf16, rows, model.hidden),))


def gated_norm(rows, model):
    """The output norm of linear attention: of heads, by a gate, with a scale for each 128 columns."""
    def function(x, gate_values, weight):
        r, c = x.shape
        y = rms_norm(x.reshape(r, c // 128, 128), weight).reshape(r, c) * jax.nn.silu(gate_values.astype(f32))
        return group_f8(y, True)
    x = tensor(bf16, rows, model.hidden)
    return Case(function, (x, x, tensor(bf16, 128)))


def diffusion_modulation(rows, model):
    """A diffusion transformer's: the gate of what a block has computed, then norm, scale and shift; 256 tokens an image."""
    tokens = min(rows, 256)

    def function(x, block, modulation):
        gate_value, shift, scale = jnp.split(modulation.astype(f32)[:, None], 3, -1)
        x = x.astype(f32) + gate_value * block.astype(f32)
        mean = x.mean(-1, keepdims=True)
        y = (x - mean) * jax.lax.rsqrt(((x - mean)**2).mean(-1, keepdims=True) + EPSILON)
        return x.astype(bf16), (y * (1 + scale) + shift).astype(bf16)
    x = tensor(bf16, rows // tokens, tokens, 1152)
    return Case(function, (x, x, tensor(bf16, rows // tokens, 3 * 1152)))


# --- logits, sampling, losses -----------------------------------------------------------------------------------------


def logits_of(rows):
    return min(rows, 64)


def capped_logits(rows, model):
    """Soft cap, penalties for what has been generated, temperature, softmax."""
    def function(logits, counts, temperature):
        x = 30.0 * jnp.tanh(logits.astype(f32) / 30.0)
        x = x - 0.2 * counts.astype(f32) - 0.1 * (counts > 0)
        return jax.nn.softmax(x / temperature[:, None], -1)
    rows = logits_of(rows)
    return Case(function, (tensor(bf16, rows, model.vocabulary), tensor(i8, rows, model.vocabulary), tensor(f32, rows)))


def sampling(rows, model):
    """Top 50, then of these as many as have 0.9 of the probability, then the one that a random number takes."""
    def function(logits, temperature, noise):
        values, tokens = jax.lax.top_k(logits.astype(f32) / temperature[:, None], 50)
        p = jax.nn.softmax(values, -1)
        p = jnp.where(jnp.cumsum(p, -1) - p < 0.9, p, 0.0)
        chosen = (jnp.cumsum(p, -1) < noise[:, None] * p.sum(-1, keepdims=True)).sum(-1, keepdims=True)
        return jnp.take_along_axis(tokens, jnp.minimum(chosen, 49), -1)[:, 0]
    rows = logits_of(rows)
    return Case(function, (tensor(bf16, rows, model.vocabulary), tensor(f32, rows), tensor(f32, rows)))


def picked_log_softmax(logits, labels):
    logits = logits.astype(f32)
    return jnp.take_along_axis(logits, labels[:, None], -1)[:, 0] - jax.nn.logsumexp(logits, -1)


def z_loss(logits, labels):
    logits = logits.astype(f32)
    log_sum = jax.nn.logsumexp(logits, -1)
    return (log_sum - jnp.take_along_axis(logits, labels[:, None], -1)[:, 0] + 1e-4 * log_sum**2).mean()


def grpo(logits, labels, old, reference, advantages):
    log_p = picked_log_softmax(logits, labels)
    ratio = jnp.exp(log_p - old)
    policy = jnp.minimum(ratio * advantages, jnp.clip(ratio, 0.8, 1.2) * advantages)
    to_reference = jnp.exp(reference - log_p) - (reference - log_p) - 1
    return -(policy - 0.04 * to_reference).mean()


def distillation(student, teacher):
    """Divergence of two softmaxes at temperature 2."""
    p, q = jax.nn.log_softmax(teacher.astype(f32) / 2), jax.nn.log_softmax(student.astype(f32) / 2)
    return 4 * (jnp.exp(p) * (p - q)).sum(-1).mean()


def loss(function, columns, gradient):
    def build(rows, model):
        logits, row = tensor(bf16, rows, model.vocabulary), tensor(f32, rows)
        kinds = {"logits": logits, "labels": tensor(i32, rows), "row": row}
        return Case(jax.grad(function) if gradient else function, tuple(kinds[c] for c in columns))
    return build


ROWS_OF_LOSS = ("logits", "labels", "row", "row", "row")
PATTERNS = {
    **{f"residual_norm_{kind}": residual_norm(kind) for kind in QUANTISED},
    **{f"silu_gate_{kind}": gate(kind) for kind in QUANTISED},
    "gelu_gate_group_columns": gate("group_columns", lambda x: jax.nn.gelu(x, approximate=True)),
    "qk_norm_rope_cache": qk_norm_rope_cache,
    "attention_parts_f8": attention_f8,
    "paged_attention": paged_attention,
    "routing": routing,
    "experts_sum_norm": experts_sum,
    "norm_w4a16_gate": w4a16,
    "w8a16_bias_residual": w8a16,
    "w8a8_bias": w8a8,
    "mx_both_ways": mx_both_ways,
    "hadamard_mx": hadamard_mx,
    "gated_norm_group": gated_norm,
    "diffusion_modulation": diffusion_modulation,
    "capped_logits": capped_logits,
    "sampling": sampling,
    "z_loss": loss(z_loss, ("logits", "labels"), False),
    "z_loss_gradient": loss(z_loss, ("logits", "labels"), True),
    "grpo": loss(grpo, ROWS_OF_LOSS, False),
    "grpo_gradient": loss(grpo, ROWS_OF_LOSS, True),
    "distillation": loss(distillation, ("logits", "logits"), False),
    "distillation_gradient": loss(distillation, ("logits", "logits"), True),
}

# Size -> rows, and the model. Decoding has the rows of a batch, prefill those of a prompt.
SIZES = {"decode": (8, LLAMA_8B), "prefill": (4096, LLAMA_8B), "decode_70b": (64, LLAMA_70B), "prefill_qwen": (4096, QWEN)}
# Paged attention has one query for each of 8 and of 64 sequences.
OWN_ROWS = {("paged_attention", "prefill"): 64, ("paged_attention", "prefill_qwen"): 16}


def case_of(name, size):
    rows, model = SIZES[size]
    return PATTERNS[name](OWN_ROWS.get((name, size), rows), model)


def build(name, size):
    """The StableHLO text of a pattern at a size, and the least bytes to be read and written."""
    case = case_of(name, size)
    lowered = jax.jit(case.function, donate_argnums=case.donated, keep_unused=True).lower(*case.arguments)
    tensors = [*case.arguments, *jax.tree.leaves(lowered.out_info)]
    return lowered.as_text(), sum(map(size_of, tensors)) - case.uncounted
