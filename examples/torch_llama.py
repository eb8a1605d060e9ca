#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small Llama with rotary positions, grouped queries and a static cache of keys and values, through torch.compile(backend="stitch"): a prompt, then 64
tokens, one a call. Prints the tokens, those of eager PyTorch, and how many programs were compiled.

usage: torch_llama.py
"""
import sys

import torch
from torch import nn

import stitch.torch

WORDS, WIDTH, HEADS, GROUPS, LAYERS, LENGTH, PROMPT, STEPS = 64, 32, 4, 2, 2, 96, 8, 64
F = nn.functional


def rotated(x, positions):
    """Each pair of elements turned by an angle that grows with the position."""
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    first, second = x.chunk(2, -1)
    return torch.cat([first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()], -1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        size = WIDTH // HEADS
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.queries, self.keys, self.values = (nn.Linear(WIDTH, n * size, bias=False) for n in (HEADS, GROUPS, GROUPS))
        self.out, self.gate, self.up, self.down = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 64), nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x, cache, positions):
        def heads(projection):
            y = projection(self.norm1(x))
            return y.view(*y.shape[:2], -1, WIDTH // HEADS).transpose(1, 2)

        cache[0].index_copy_(2, positions, rotated(heads(self.keys), positions))
        cache[1].index_copy_(2, positions, heads(self.values))
        seen = torch.arange(LENGTH) <= positions[:, None]
        found = F.scaled_dot_product_attention(rotated(heads(self.queries), positions), cache[0], cache[1], attn_mask=seen, enable_gqa=True)
        x = x + self.out(found.transpose(1, 2).flatten(2))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layers, self.norm, self.head = nn.Embedding(WORDS, WIDTH), nn.ModuleList(Layer() for _ in range(LAYERS)), nn.RMSNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, words, caches, positions):
        x = self.words(words)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, cache, positions)
        return self.head(self.norm(x[:, -1])).argmax(-1, keepdim=True)


def generate(model):
    caches = [[torch.zeros(1, GROUPS, LENGTH, WIDTH // HEADS) for _ in range(2)] for _ in range(LAYERS)]
    words, positions, found = torch.arange(PROMPT)[None], torch.arange(PROMPT), []
    with torch.no_grad():
        for step in range(STEPS + 1):
            words = model(words, caches, positions)
            found.append(words.item())
            positions = torch.tensor([PROMPT + step])
    return found


def main():
    compile_, compiled = stitch.compile, []
    stitch.compile = lambda *args, **kwargs: compiled.append(compile_(*args, **kwargs)) or compiled[-1]
    torch.manual_seed(0)
    model = Llama()
    for weight in model.parameters():
        if weight.ndim > 1:  # large ones, so that the tokens are not all the same
            nn.init.normal_(weight, std=2 * weight.shape[-1] ** -0.5)
    expected = generate(model)
    found = generate(torch.compile(model, backend="stitch"))
    print(f"stitched {found}\neager    {expected}\nprograms {len(compiled)}")
    sys.exit(0 if found == expected else 1)


if __name__ == "__main__":
    main()
