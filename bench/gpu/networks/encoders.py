# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoders of text and of sound, and the layers that vision.py shares with them."""
import dataclasses

from . import Argument, Network, index, ones, weight


def bias(size):
    return Argument((size,), scale=0.1)


def linear_arguments(name, inputs, outputs):
    return {f"{name}.weight": weight(inputs, outputs), f"{name}.bias": bias(outputs)}


def norm_arguments(name, size):
    return {f"{name}.scale": ones(size), f"{name}.bias": bias(size)}


def layers_in_jax():
    import jax
    import jax.numpy as jnp

    def linear(a, name, x):
        y = x @ a[f"{name}.weight"]
        return y + a[f"{name}.bias"] if f"{name}.bias" in a else y

    def norm(a, name, x, epsilon):
        wide = x.astype(jnp.float32)
        mean, variance = jnp.mean(wide, axis=-1, keepdims=True), jnp.var(wide, axis=-1, keepdims=True)
        return ((wide - mean) * jax.lax.rsqrt(variance + epsilon) * a[f"{name}.scale"] + a[f"{name}.bias"]).astype(x.dtype)

    def attend(q, k, v, heads):
        shape = q.shape
        q, k, v = (x.reshape(*x.shape[:2], heads, -1) for x in (q, k, v))
        scores = jnp.einsum("bthd,buhd->bhtu", q, k, preferred_element_type=jnp.float32) * q.shape[-1]**-0.5
        weights = jax.nn.softmax(scores, axis=-1).astype(v.dtype)
        return jnp.einsum("bhtu,buhd->bthd", weights, v).reshape(shape)

    return linear, norm, attend


def layers_in_torch():
    import torch.nn.functional as F

    def linear(a, name, x):
        return F.linear(x, a[f"{name}.weight"].t(), a.get(f"{name}.bias"))

    def norm(a, name, x, epsilon):
        return F.layer_norm(x, x.shape[-1:], a[f"{name}.scale"], a[f"{name}.bias"], epsilon)

    def attend(q, k, v, heads):
        q, k, v = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)

    return linear, norm, attend


@dataclasses.dataclass(frozen=True)
class Bert:
    layers: int
    hidden: int
    heads: int
    ffn: int
    vocabulary: int
    positions: int
    epsilon: float = 1e-12


BERT_BASE = Bert(12, 768, 12, 3072, 30522, 512)


def bert_arguments(s, sequences, tokens):
    found = {"tokens": index((sequences, tokens), s.vocabulary), "types": index((sequences, tokens), 2),
             "word_embedding": Argument((s.vocabulary, s.hidden)), "position_embedding": Argument((s.positions, s.hidden)),
             "type_embedding": Argument((2, s.hidden))}
    found |= norm_arguments("norm", s.hidden)
    for i in range(s.layers):
        for name in "qkvo":
            found |= linear_arguments(f"{i}.{name}", s.hidden, s.hidden)
        found |= norm_arguments(f"{i}.attention_norm", s.hidden) | linear_arguments(f"{i}.up", s.hidden, s.ffn)
        found |= linear_arguments(f"{i}.down", s.ffn, s.hidden) | norm_arguments(f"{i}.ffn_norm", s.hidden)
    return found


def bert_in_jax(s):
    import jax
    linear, norm, attend = layers_in_jax()

    def run(a):
        tokens = a["tokens"]
        x = a["word_embedding"][tokens] + a["position_embedding"][:tokens.shape[1]] + a["type_embedding"][a["types"]]
        x = norm(a, "norm", x, s.epsilon)
        for i in range(s.layers):
            q, k, v = (linear(a, f"{i}.{name}", x) for name in "qkv")
            x = norm(a, f"{i}.attention_norm", x + linear(a, f"{i}.o", attend(q, k, v, s.heads)), s.epsilon)
            y = jax.nn.gelu(linear(a, f"{i}.up", x), approximate=False)
            x = norm(a, f"{i}.ffn_norm", x + linear(a, f"{i}.down", y), s.epsilon)
        return [x]

    return run


def bert_in_torch(s):
    import torch.nn.functional as F
    linear, norm, attend = layers_in_torch()

    def run(a):
        tokens = a["tokens"]
        x = F.embedding(tokens, a["word_embedding"]) + a["position_embedding"][:tokens.shape[1]] + F.embedding(a["types"], a["type_embedding"])
        x = norm(a, "norm", x, s.epsilon)
        for i in range(s.layers):
            q, k, v = (linear(a, f"{i}.{name}", x) for name in "qkv")
            x = norm(a, f"{i}.attention_norm", x + linear(a, f"{i}.o", attend(q, k, v, s.heads)), s.epsilon)
            y = F.gelu(linear(a, f"{i}.up", x))
            x = norm(a, f"{i}.ffn_norm", x + linear(a, f"{i}.down", y), s.epsilon)
        return [x]

    return run


@dataclasses.dataclass(frozen=True)
class Whisper:
    layers: int
    hidden: int
    heads: int
    ffn: int
    mels: int
    frames: int
    epsilon: float = 1e-5


WHISPER_BASE = Whisper(6, 512, 8, 2048, 80, 3000)


def whisper_arguments(s, sequences):
    found = {"mel": Argument((sequences, s.frames, s.mels))}
    for name, inputs in (("conv1", s.mels), ("conv2", s.hidden)):
        found |= {f"{name}.weight": Argument((3, inputs, s.hidden), scale=(3 * inputs)**-0.5), f"{name}.bias": bias(s.hidden)}
    found["positions"] = Argument((s.frames // 2, s.hidden))
    for i in range(s.layers):
        found |= norm_arguments(f"{i}.attention_norm", s.hidden)
        for name in "qkvo":
            found |= linear_arguments(f"{i}.{name}", s.hidden, s.hidden)
        del found[f"{i}.k.bias"]  # as published
        found |= norm_arguments(f"{i}.ffn_norm", s.hidden) | linear_arguments(f"{i}.up", s.hidden, s.ffn) | linear_arguments(f"{i}.down", s.ffn, s.hidden)
    return found | norm_arguments("norm", s.hidden)


def whisper_in_jax(s):
    import jax
    linear, norm, attend = layers_in_jax()

    def gelu(x):
        return jax.nn.gelu(x, approximate=False)

    def convolution(a, name, x, stride):
        return jax.lax.conv_general_dilated(x, a[f"{name}.weight"], (stride,), ((1, 1),), dimension_numbers=("NWC", "WIO", "NWC")) + a[f"{name}.bias"]

    def run(a):
        x = gelu(convolution(a, "conv1", a["mel"], 1))
        x = gelu(convolution(a, "conv2", x, 2)) + a["positions"]
        for i in range(s.layers):
            y = norm(a, f"{i}.attention_norm", x, s.epsilon)
            q, k, v = (linear(a, f"{i}.{name}", y) for name in "qkv")
            x = x + linear(a, f"{i}.o", attend(q, k, v, s.heads))
            y = gelu(linear(a, f"{i}.up", norm(a, f"{i}.ffn_norm", x, s.epsilon)))
            x = x + linear(a, f"{i}.down", y)
        return [norm(a, "norm", x, s.epsilon)]

    return run


def whisper_in_torch(s):
    import torch.nn.functional as F
    linear, norm, attend = layers_in_torch()

    def convolution(a, name, x, stride):
        return F.conv1d(x, a[f"{name}.weight"].permute(2, 1, 0), a[f"{name}.bias"], stride, padding=1)

    def run(a):
        x = F.gelu(convolution(a, "conv1", a["mel"].transpose(1, 2), 1))
        x = F.gelu(convolution(a, "conv2", x, 2)).transpose(1, 2) + a["positions"]
        for i in range(s.layers):
            y = norm(a, f"{i}.attention_norm", x, s.epsilon)
            q, k, v = (linear(a, f"{i}.{name}", y) for name in "qkv")
            x = x + linear(a, f"{i}.o", attend(q, k, v, s.heads))
            y = F.gelu(linear(a, f"{i}.up", norm(a, f"{i}.ffn_norm", x, s.epsilon)))
            x = x + linear(a, f"{i}.down", y)
        return [norm(a, "norm", x, s.epsilon)]

    return run


def bert(s, written, sequences=1, tokens=128):
    rows = max(s.vocabulary - sequences * tokens, 0) + s.positions - tokens
    return Network(bert_arguments(s, sequences, tokens), lambda: bert_in_jax(s), lambda: bert_in_torch(s), written, unread=2 * rows * s.hidden)


def whisper(s, written, sequences=1):
    return Network(whisper_arguments(s, sequences), lambda: whisper_in_jax(s), lambda: whisper_in_torch(s), written)


NETWORKS = {
    "bert_base_b1": bert(BERT_BASE, "BERT base"),
    "bert_base_b32": bert(BERT_BASE, "BERT base", sequences=32),
    "whisper_base_encoder_b1": whisper(WHISPER_BASE, "Whisper base"),
    "small_bert": bert(Bert(2, 64, 4, 96, 128, 16), "BERT base", sequences=2, tokens=12),
    "small_whisper": whisper(Whisper(2, 64, 4, 96, 20, 24), "Whisper base", sequences=2),
}
