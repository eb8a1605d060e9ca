#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small GPT of characters, trained for 20 steps with torch.compile(backend="stitch"): the losses beside eager PyTorch's.

usage: torch_nanogpt.py
"""
import sys

import torch
from torch import nn

import stitch.torch  # noqa: F401

TEXT = "a graph of small operators goes in, a few fast kernels come out; what one block has computed another reads behind a barrier. "
STEPS, BATCH, LENGTH, WIDTH, HEADS, LAYERS = 20, 8, 16, 32, 4, 1
BOUND = 1e-4  # of the losses, relative: roundings of sums in another order, carried over the steps


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.hidden = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        heads = self.attention(self.norm1(x)).view(*x.shape[:2], 3 * HEADS, WIDTH // HEADS).transpose(1, 2)
        found = nn.functional.scaled_dot_product_attention(*heads.split(HEADS, dim=1), is_causal=True)
        x = x + self.output(found.transpose(1, 2).reshape(x.shape))
        return x + self.hidden(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, characters):
        super().__init__()
        self.token, self.position = nn.Embedding(characters, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks, self.head = nn.Sequential(*(Block() for _ in range(LAYERS))), nn.Linear(WIDTH, characters)

    def forward(self, tokens, following):
        x = self.token(tokens) + self.position(torch.arange(tokens.shape[1]))
        return nn.functional.cross_entropy(self.head(self.blocks(x)).flatten(0, 1), following.flatten())


def train(compiled):
    torch.manual_seed(0)
    alphabet = sorted(set(TEXT))
    text = torch.tensor([alphabet.index(c) for c in TEXT])
    model, losses = GPT(len(alphabet)), []
    step, optimizer = compiled(model), torch.optim.AdamW(model.parameters(), 1e-2)
    for _ in range(STEPS):
        begins = torch.randint(len(text) - LENGTH - 1, (BATCH, 1)) + torch.arange(LENGTH)
        loss = step(text[begins], text[begins + 1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


def main():
    stitched, eager = train(lambda m: torch.compile(m, backend="stitch")), train(lambda m: m)
    for number in range(0, STEPS, 5):
        print(f"step {number:2}: {stitched[number]:.6f} stitched, {eager[number]:.6f} eager")
    difference = ((stitched - eager).abs() / eager).max().item()
    print(f"loss {stitched[0]:.3f} -> {stitched[-1]:.3f}; largest relative difference {difference:.1e}")
    return 0 if difference < BOUND and stitched[-1] < 0.9 * stitched[0] else 1


if __name__ == "__main__":
    sys.exit(main())
