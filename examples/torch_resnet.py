#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inference of a residual network (ResNet-18's blocks, narrower) with torch.compile(backend="stitch"), beside eager PyTorch.

usage: torch_resnet.py
"""
import sys

import torch
from torch import nn

import stitch.torch  # noqa: F401

IMAGES, SIZE, WIDTH, CLASSES = 2, 32, 8, 10
BOUND = 1e-4  # of a logit, relative to the largest: sums of convolutions in another order


class Block(nn.Module):
    """Two convolutions, and what goes by them."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                                  nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return nn.functional.relu(self.body(x) + self.shortcut(x))


class ResNet(nn.Module):
    """Four stages of two blocks, each stage twice as wide and half as high as the one before."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, WIDTH, 7, 2, 3, bias=False), nn.BatchNorm2d(WIDTH), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        widths = [WIDTH, WIDTH, 2 * WIDTH, 4 * WIDTH, 8 * WIDTH]
        self.stages = nn.Sequential(*(nn.Sequential(Block(a, b, 1 if i == 0 else 2), Block(b, b, 1)) for i, (a, b) in enumerate(zip(widths, widths[1:]))))
        self.head = nn.Linear(widths[-1], CLASSES)

    def forward(self, images):
        return self.head(self.stages(self.stem(images)).mean((2, 3)))


def main():
    torch.manual_seed(0)
    model, images = ResNet(), torch.randn(IMAGES, 3, SIZE, SIZE)
    with torch.no_grad():
        for _ in range(3):
            model(torch.randn(8, 3, SIZE, SIZE))  # batch norms get statistics that are not those of the beginning
        model.eval()
        stitched, eager = torch.compile(model, backend="stitch")(images), model(images)
    for image in range(IMAGES):
        print(f"image {image}: class {stitched[image].argmax()} stitched, {eager[image].argmax()} eager")
    difference = ((stitched - eager).abs().max() / eager.abs().max()).item()
    print(f"{len(list(model.parameters()))} parameters; largest relative difference {difference:.1e}")
    return 0 if difference < BOUND and stitched.argmax(1).equal(eager.argmax(1)) else 1


if __name__ == "__main__":
    sys.exit(main())
