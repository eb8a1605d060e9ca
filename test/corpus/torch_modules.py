# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules of torch_models.py: name, function that makes module and inputs, tolerance."""
import math

import torch
from torch import nn
from torch.nn import functional as F

MODELS = []


def model(*inputs, tolerance=None):
    """Registers a class without arguments; `inputs` are functions that make its inputs."""

    def register(cls):
        MODELS.append((cls.__name__, lambda: (cls(), tuple(maker() for maker in inputs)), tolerance))
        return cls

    return register


def normal(*shape):
    return lambda: torch.randn(shape)


def tokens(*shape, below=50):
    return lambda: torch.randint(0, below, shape)


def sequential(name, inputs, make, tolerance=None):
    MODELS.append((name, lambda: (nn.Sequential(*make()), tuple(maker() for maker in inputs)), tolerance))


sequential("mlp_gelu_layer_norm", [normal(4, 8)], lambda: [nn.Linear(8, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4)])
sequential("mlp_activations", [normal(4, 8)], lambda: [nn.Linear(8, 8), nn.SiLU(), nn.Hardswish(), nn.Softplus(), nn.ELU(), nn.Mish(), nn.LogSoftmax(-1)])
sequential("convolution_batch_norm", [normal(2, 3, 12, 12)],
           lambda: [nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, stride=2), nn.ReLU6()], 1e-4)
sequential("depthwise_separable", [normal(2, 8, 9, 9)], lambda: [nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.Conv2d(8, 16, 1), nn.GroupNorm(4, 16), nn.SiLU()])
sequential("average_pool_classifier", [normal(2, 6, 8, 8)], lambda: [nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 5), nn.Softmax(-1)])
sequential("pooling_pyramid", [normal(2, 4, 13, 13)],
           lambda: [nn.MaxPool2d(3, stride=2, padding=1), nn.MaxPool2d(2, stride=1, dilation=2), nn.AvgPool2d(2, stride=1), nn.Flatten(), nn.Linear(64, 5)])
sequential("transposed_convolution_torch", [normal(2, 4, 5, 5)], lambda: [nn.ConvTranspose2d(4, 6, 4, stride=2, padding=1), nn.Tanh(), nn.InstanceNorm2d(6)], 1e-4)
sequential("temporal_convolution", [normal(2, 4, 20)], lambda: [nn.Conv1d(4, 8, 3, dilation=2, padding=2), nn.LeakyReLU(), nn.Conv1d(8, 8, 5), nn.PReLU()])


@model(normal(2, 10, 32))
class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.register_buffer("mask", torch.tril(torch.ones(10, 10)).bool())

    def forward(self, x):
        q, k, v = (t.view(2, 10, 4, 8).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        scores = (q @ k.transpose(-2, -1) / math.sqrt(8)).masked_fill(~self.mask, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 10, 32))


@model(normal(2, 4, 12, 8), normal(2, 4, 12, 8), normal(2, 4, 12, 8))
class ScaledDotProductAttention(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@model(normal(2, 8, 16))
class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.LayerNorm(16), nn.LayerNorm(16)
        self.qkv, self.out, self.up, self.down = nn.Linear(16, 48), nn.Linear(16, 16), nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x):
        q, k, v = self.qkv(self.a(x)).chunk(3, -1)
        x = x + self.out(torch.softmax(q @ k.transpose(1, 2) / 4.0, -1) @ v)
        return x + self.down(F.gelu(self.up(self.b(x)), approximate="tanh"))


@model(tokens(2, 9))
class BertEmbeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions, self.norm = nn.Embedding(50, 16), nn.Embedding(32, 16), nn.LayerNorm(16)

    def forward(self, x):
        return self.norm(self.words(x) + self.positions(torch.arange(9)))


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


@model(normal(2, 8, 32))
class LlamaLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = RMSNorm(32), RMSNorm(32)
        self.q, self.k, self.v, self.o = nn.Linear(32, 32, bias=False), nn.Linear(32, 16, bias=False), nn.Linear(32, 16, bias=False), nn.Linear(32, 32, bias=False)
        self.gate, self.up, self.down = nn.Linear(32, 48, bias=False), nn.Linear(32, 48, bias=False), nn.Linear(48, 32, bias=False)

    @staticmethod
    def rotate(x):
        angles = torch.outer(torch.arange(8.0), 10000 ** (-torch.arange(0, 8, 2) / 8))
        angles = torch.cat([angles, angles], -1)
        return x * angles.cos() + torch.cat([-x[..., 4:], x[..., :4]], -1) * angles.sin()

    def forward(self, x):
        h = self.a(x)
        heads = lambda t, n: t.view(2, 8, n, 8).transpose(1, 2)
        q, k, v = self.rotate(heads(self.q(h), 4)), self.rotate(heads(self.k(h), 2)), heads(self.v(h), 2)
        k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(8) + torch.full((8, 8), -1e9).triu(1)
        x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 8, 32))
        h = self.b(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


@model(normal(2, 16, 8, 8), tolerance=1e-4)
class ResidualBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.Conv2d(16, 16, 3, padding=1, bias=False)
        self.na, self.nb = nn.BatchNorm2d(16), nn.BatchNorm2d(16)

    def forward(self, x):
        return F.relu(x + self.nb(self.b(F.relu(self.na(self.a(x))))))


@model(normal(1, 3, 8, 8), tolerance=1e-4)
class SmallUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.middle, self.up, self.out = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(16, 3, 1)

    def forward(self, x):
        a = F.silu(self.down(x))
        b = F.interpolate(F.silu(self.middle(a)), scale_factor=2, mode="nearest")
        return self.out(torch.cat([a, F.silu(self.up(b))], 1))


@model(normal(1, 3, 6, 6))
class BilinearUpsampling(nn.Module):
    def forward(self, x):
        return F.interpolate(x, size=(9, 11), mode="bilinear", align_corners=False)


@model(normal(2, 3, 16, 16))
class PatchEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.project, self.token = nn.Conv2d(3, 24, 4, 4), nn.Parameter(torch.randn(1, 1, 24))

    def forward(self, x):
        patches = self.project(x).flatten(2).transpose(1, 2)
        return F.layer_norm(torch.cat([self.token.expand(2, -1, -1), patches], 1), (24,))


@model(normal(3, 8), normal(3, 16), normal(3, 16))
class LSTMStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(8, 64), nn.Linear(16, 64)

    def forward(self, x, h, c):
        i, f, g, o = (self.x(x) + self.h(h)).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


@model(normal(2, 5, 8))
class UnrolledGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(8, 36), nn.Linear(12, 36)

    def forward(self, x):
        h = torch.zeros(2, 12)
        for t in range(5):
            a, b = self.x(x[:, t]), self.h(h)
            r, z = torch.sigmoid(a[:, :12] + b[:, :12]), torch.sigmoid(a[:, 12:24] + b[:, 12:24])
            h = (1 - z) * torch.tanh(a[:, 24:] + r * b[:, 24:]) + z * h
        return h


@model(normal(6, 10), tokens(6, below=10))
class CrossEntropy(nn.Module):
    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels, label_smoothing=0.1), F.nll_loss(F.log_softmax(logits, -1), labels)


@model(normal(6, 5), normal(6, 5))
class Losses(nn.Module):
    def forward(self, x, y):
        p = torch.sigmoid(x)
        return (F.mse_loss(x, y), F.smooth_l1_loss(x, y), F.binary_cross_entropy(p, torch.sigmoid(y)), F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1)),
                F.cosine_similarity(x, y))


@model(normal(12, 16))
class TopKRouter(nn.Module):
    def __init__(self):
        super().__init__()
        self.router, self.experts = nn.Linear(16, 4), nn.Parameter(torch.randn(4, 16, 16) * 0.25)

    def forward(self, x):
        gates, chosen = torch.topk(self.router(x).softmax(-1), 2)
        dispatch = torch.zeros(12, 4).scatter(1, chosen, gates / gates.sum(-1, keepdim=True))
        return torch.einsum("te,eto->to", dispatch, torch.einsum("td,edo->eto", x, self.experts))


@model(normal(5, 9))
class SortAndCumulative(nn.Module):
    def forward(self, x):
        values, _ = torch.sort(x, dim=1)
        return values, torch.cumsum(x, 1), x.argmax(1), x.std(1), torch.logsumexp(x, 1)


@model(normal(6, 8), tokens(6, 4, below=6))
class NeighbourMean(nn.Module):
    def forward(self, x, neighbours):
        near = x[neighbours]
        return near.mean(1), near.amax(1), neighbours.to(torch.float32).argmax(1)


@model(normal(7, 6), tokens(7, below=4))
class SegmentSum(nn.Module):
    def forward(self, x, segments):
        return torch.zeros(4, 6).index_add(0, segments, x), x[segments], torch.gather(x, 1, segments[:, None] % 6)


@model(normal(4, 6), normal(4, 6))
class Elementwise(nn.Module):
    """torch-mlir 20261001 writes the remainder of a truncated quotient for torch.remainder, too: so it is torch.fmod."""

    def forward(self, x, y):
        return (torch.where(x > y, x.exp(), y.erf()), torch.clamp(x, -0.5, 0.5) ** 3, torch.atan2(x, y), torch.floor(x) + torch.fmod(x, 0.7),
                x.sign() * torch.log1p(x.abs()), torch.lerp(x, y, 0.3))


@model(normal(3, 4, 5))
class Shapes(nn.Module):
    def forward(self, x):
        padded = F.pad(x, (1, 2, 0, 1), value=3.0)
        return padded.permute(2, 0, 1).contiguous(), x.flip(1), torch.roll(x, 2, 2), x.unfold(2, 3, 1).mean(-1), torch.stack([x, x * 2], 1).flatten(0, 1)


@model(lambda: torch.randint(0, 256, (2, 6, 5, 3), dtype=torch.uint8))
class ImageBytes(nn.Module):
    def forward(self, image):
        x = image.to(torch.float32) / 255
        return ((x - torch.tensor([0.485, 0.456, 0.406])) / torch.tensor([0.229, 0.224, 0.225])).permute(0, 3, 1, 2)


@model(normal(4, 64))
class GroupQuantisation(nn.Module):
    def forward(self, x):
        groups = x.view(4, 4, 16)
        scale = groups.abs().amax(-1, keepdim=True) / 127
        q = torch.round(groups / scale).to(torch.int8)
        return q, (q.to(torch.float32) * scale).view(4, 64)


@model(normal(8, 6), normal(8, 6), normal(8, 6), lambda: torch.rand(8, 6))
class AdamWStep(nn.Module):
    def forward(self, p, g, m, v):
        m, v = m.lerp(g, 0.1), v * 0.999 + g * g * 0.001
        return p * (1 - 1e-5) - 1e-3 * (m / 0.1) / ((v / 0.001).sqrt() + 1e-8), m, v


@model(normal(2, 64))
class SpectralFilter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(33))

    def forward(self, x):
        return torch.fft.irfft(torch.fft.rfft(x) * self.weight, n=64)
