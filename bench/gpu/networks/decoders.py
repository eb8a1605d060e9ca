# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models that predict the next token: decoding with caches, prefill, mixtures of experts."""
import dataclasses

from . import Argument, Network, index, ones, weight

EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Sizes:
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head: int
    ffn: int
    vocabulary: int
    tied: bool = True  # the embedding is the last product's factor, too
    head_norms: bool = False  # RMSNorm of each query and key
    experts: int = 0  # of the feed-forward layer; 0: a dense one
    chosen: int = 0


LLAMA_1B = Sizes(16, 2048, 32, 8, 64, 8192, 128256)
LLAMA_8B = Sizes(32, 4096, 32, 8, 128, 14336, 128256, tied=False)
QWEN_06B = Sizes(28, 1024, 16, 8, 128, 3072, 151936, head_norms=True)
OLMOE = Sizes(16, 2048, 16, 16, 128, 1024, 50304, tied=False, head_norms=False, experts=64, chosen=8)


def arguments(s, sequences, keys, tokens):
    """`tokens` of each sequence are new; with `keys` = 0 they are all that there is."""
    found = {"tokens": index((sequences, tokens), s.vocabulary)}
    if keys:
        found["position"] = index((), keys, low=keys - 1)  # the last key of the cache: all of it counts
    found["embedding"] = Argument((s.vocabulary, s.hidden), scale=s.hidden**-0.5)
    for i in range(s.layers):
        found |= {f"{i}.input_norm": ones(s.hidden), f"{i}.q": weight(s.hidden, s.heads * s.head), f"{i}.k": weight(s.hidden, s.kv_heads * s.head),
                  f"{i}.v": weight(s.hidden, s.kv_heads * s.head), f"{i}.o": weight(s.heads * s.head, s.hidden), f"{i}.ffn_norm": ones(s.hidden)}
        if s.head_norms:
            found |= {f"{i}.q_norm": ones(s.head), f"{i}.k_norm": ones(s.head)}
        if s.experts:
            found |= {f"{i}.router": weight(s.hidden, s.experts),
                      **{f"{i}.{n}": Argument((s.experts, s.hidden, s.ffn), scale=s.hidden**-0.5) for n in ("gate", "up")},
                      f"{i}.down": Argument((s.experts, s.ffn, s.hidden), scale=s.ffn**-0.5)}
        else:
            found |= {f"{i}.gate": weight(s.hidden, s.ffn), f"{i}.up": weight(s.hidden, s.ffn), f"{i}.down": weight(s.ffn, s.hidden)}
        if keys:
            cache = Argument((sequences, s.kv_heads, keys, s.head))
            found |= {f"{i}.keys": cache, f"{i}.values": cache}
    found["norm"] = ones(s.hidden)
    if not s.tied:
        found["output"] = weight(s.hidden, s.vocabulary)
    return found


def decoder(s, keys, norm, rotate, heads, attend, feed_forward, positions_of, store):
    """The layers, of what a framework has for each of their parts."""
    def run(a):
        positions, all_keys = positions_of(a)
        visible = all_keys <= positions[:, None]
        x, caches = a["embedding"][a["tokens"]], []
        for i in range(s.layers):
            p = lambda name: a[f"{i}.{name}"]
            y = norm(x, p("input_norm"))
            q, k, v = heads(y @ p("q"), s.heads), heads(y @ p("k"), s.kv_heads), heads(y @ p("v"), s.kv_heads)
            if s.head_norms:
                q, k = norm(q, p("q_norm")), norm(k, p("k_norm"))
            q, k = rotate(q, positions), rotate(k, positions)
            if keys:
                k, v = store(p("keys"), k, a["position"]), store(p("values"), v, a["position"])
            caches += [k, v]
            x = x + attend(q, k, v, visible) @ p("o")
            x = x + feed_forward(norm(x, p("ffn_norm")), p)
        last = norm(x[:, -1], a["norm"])
        return [last @ a["output"] if not s.tied else last @ a["embedding"].T, *caches]

    return run


def in_jax(s, keys):
    import jax
    import jax.numpy as jnp

    def norm(x, scale):
        wide = x.astype(jnp.float32)
        return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + EPSILON)).astype(x.dtype) * scale

    def rotate(x, positions):
        half = s.head // 2
        angles = positions.astype(jnp.float32)[:, None] * 500000.0 ** (-jnp.arange(half, dtype=jnp.float32) / half)
        a, b = x[..., :half].astype(jnp.float32), x[..., half:].astype(jnp.float32)
        c, d = jnp.cos(angles), jnp.sin(angles)
        return jnp.concatenate([a * c - b * d, b * c + a * d], axis=-1).astype(x.dtype)

    def heads(x, count):
        return x.reshape(*x.shape[:2], count, s.head).transpose(0, 2, 1, 3)

    def attend(q, k, v, visible):
        b, _, t, _ = q.shape
        q = q.reshape(b, s.kv_heads, s.heads // s.kv_heads, t, s.head)
        scores = jnp.einsum("bkgth,bkuh->bkgtu", q, k, preferred_element_type=jnp.float32) * s.head**-0.5
        weights = jax.nn.softmax(jnp.where(visible, scores, -1e30), axis=-1).astype(v.dtype)
        return jnp.einsum("bkgtu,bkuh->bkgth", weights, v).reshape(b, s.heads, t, s.head).transpose(0, 2, 1, 3).reshape(b, t, -1)

    def feed_forward(x, p):
        if not s.experts:
            return (jax.nn.silu(x @ p("gate")) * (x @ p("up"))) @ p("down")
        rows = x.reshape(-1, s.hidden)
        share = jax.nn.softmax((rows @ p("router")).astype(jnp.float32), axis=-1)
        top, chosen = jax.lax.top_k(share, s.chosen)
        gate = jnp.einsum("bd,bedf->bef", rows, p("gate")[chosen])
        up = jnp.einsum("bd,bedf->bef", rows, p("up")[chosen])
        y = jnp.einsum("bef,befd->bed", jax.nn.silu(gate) * up, p("down")[chosen])
        return jnp.sum(y.astype(jnp.float32) * top[..., None], axis=1).astype(x.dtype).reshape(x.shape)

    def positions_of(a):
        """The places of the new tokens, and of all keys."""
        length = a["tokens"].shape[1]
        return a["position"][None] if keys else jnp.arange(length, dtype=jnp.int32), jnp.arange(keys or length)

    def store(cache, new, position):
        return jax.lax.dynamic_update_slice(cache, new, (0, 0, position, 0))

    return decoder(s, keys, norm, rotate, heads, attend, feed_forward, positions_of, store)


def in_torch(s, keys):
    import torch
    import torch.nn.functional as F

    def wide(x):
        return x if x.dtype == torch.float64 else x.float()

    def norm(x, scale):
        w = wide(x)
        return (w * torch.rsqrt((w * w).mean(-1, keepdim=True) + EPSILON)).to(x.dtype) * scale

    def rotate(x, positions):
        half, w = s.head // 2, wide(x)
        # Angles as JAX has them, also for the reference: they are constants of the model.
        frequencies = 500000.0 ** (-torch.arange(half, dtype=torch.float32, device=x.device) / half)
        angles = (positions.float()[:, None] * frequencies).to(w.dtype)
        a, b = w[..., :half], w[..., half:]
        c, d = angles.cos(), angles.sin()
        return torch.cat([a * c - b * d, b * c + a * d], -1).to(x.dtype)

    def heads(x, count):
        return x.view(x.shape[0], x.shape[1], count, s.head).transpose(1, 2)

    def attend(q, k, v, visible):
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=visible, enable_gqa=s.heads != s.kv_heads)
        return y.transpose(1, 2).reshape(q.shape[0], q.shape[2], -1)

    def feed_forward(x, p):
        if not s.experts:
            return (F.silu(x @ p("gate")) * (x @ p("up"))) @ p("down")
        rows = x.reshape(-1, s.hidden)
        top, chosen = torch.topk(torch.softmax(wide(rows @ p("router")), -1), s.chosen)
        gate, up = (torch.einsum("bd,bedf->bef", rows, p(n)[chosen]) for n in ("gate", "up"))
        y = torch.einsum("bef,befd->bed", F.silu(gate) * up, p("down")[chosen])
        return (wide(y) * top[..., None]).sum(1).to(x.dtype).view(x.shape)

    def positions_of(a):
        length, device = a["tokens"].shape[1], a["tokens"].device
        return a["position"][None] if keys else torch.arange(length, device=device), torch.arange(keys or length, device=device)

    def store(cache, new, position):
        return cache.index_copy(2, position[None].long(), new)

    return decoder(s, keys, norm, rotate, heads, attend, feed_forward, positions_of, store)


def network(s, written, sequences=1, keys=0, tokens=1):
    rows = sequences * tokens
    embedding = 0 if s.tied else max(s.vocabulary - rows, 0) * s.hidden
    experts = max(s.experts - rows * s.chosen, 0) * 3 * s.hidden * s.ffn * s.layers
    return Network(arguments(s, sequences, keys, tokens), lambda: in_jax(s, keys), lambda: in_torch(s, keys), written, unread=2 * (embedding + experts))


SMALL = Sizes(2, 64, 4, 2, 16, 96, 128, head_norms=True)
SMALL_EXPERTS = Sizes(2, 64, 4, 4, 16, 32, 128, tied=False, experts=8, chosen=2)
NETWORKS = {
    "llama_1b_decode_b1": network(LLAMA_1B, "Llama 3.2 1B", keys=1024),
    "llama_1b_decode_b8": network(LLAMA_1B, "Llama 3.2 1B", sequences=8, keys=1024),
    "llama_1b_decode_b32": network(LLAMA_1B, "Llama 3.2 1B", sequences=32, keys=1024),
    "qwen3_06b_decode_b1": network(QWEN_06B, "Qwen3 0.6B", keys=1024),
    "olmoe_decode_b1": network(OLMOE, "OLMoE 1B-7B", keys=1024),
    "llama_8b_decode_b1": network(LLAMA_8B, "Llama 3.1 8B", keys=1024),
    "llama_1b_prefill_512": network(LLAMA_1B, "Llama 3.2 1B", tokens=512),
    "small_decode": network(SMALL, "Qwen3", sequences=2, keys=24),
    "small_prefill": network(SMALL, "Qwen3", tokens=12),
    "small_experts": network(SMALL_EXPERTS, "OLMoE", keys=24),
}
