# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of images: classifiers and a block of a diffusion model. Images are [batch, height, width, channels], factors of convolutions
[height, width, inputs, outputs]; PyTorch gets permuted views of both."""
import dataclasses

from . import Argument, Network, ones, weight
from .encoders import bias, layers_in_jax, layers_in_torch, linear_arguments, norm_arguments


def convolution_weight(side, inputs, outputs):
    return Argument((side, side, inputs, outputs), scale=(side * side * inputs)**-0.5)


def convolution_arguments(name, side, inputs, outputs):
    return {f"{name}.weight": convolution_weight(side, inputs, outputs), f"{name}.bias": bias(outputs)}


def convolution_in_jax():
    import jax

    def convolution(a, name, x, stride=1, padding=0):
        y = jax.lax.conv_general_dilated(x, a[f"{name}.weight"], (stride, stride), ((padding, padding),) * 2, dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return y + a[f"{name}.bias"] if f"{name}.bias" in a else y

    return convolution


def convolution_in_torch():
    import torch.nn.functional as F

    def convolution(a, name, x, stride=1, padding=0):
        return F.conv2d(x, a[f"{name}.weight"].permute(3, 2, 0, 1), a.get(f"{name}.bias"), stride, padding)

    return convolution


@dataclasses.dataclass(frozen=True)
class Vit:
    layers: int
    hidden: int
    heads: int
    ffn: int
    image: int
    patch: int
    classes: int
    epsilon: float = 1e-6


VIT_B16 = Vit(12, 768, 12, 3072, 224, 16, 1000)


def vit_arguments(s, images):
    found = {"image": Argument((images, s.image, s.image, 3))} | convolution_arguments("patch", s.patch, 3, s.hidden)
    found |= {"class_token": Argument((1, 1, s.hidden)), "position_embedding": Argument((1, (s.image // s.patch)**2 + 1, s.hidden))}
    for i in range(s.layers):
        found |= norm_arguments(f"{i}.attention_norm", s.hidden) | linear_arguments(f"{i}.qkv", s.hidden, 3 * s.hidden)
        found |= linear_arguments(f"{i}.o", s.hidden, s.hidden) | norm_arguments(f"{i}.ffn_norm", s.hidden)
        found |= linear_arguments(f"{i}.up", s.hidden, s.ffn) | linear_arguments(f"{i}.down", s.ffn, s.hidden)
    return found | norm_arguments("norm", s.hidden) | linear_arguments("classes", s.hidden, s.classes)


def vit_in_jax(s):
    import jax
    import jax.numpy as jnp
    linear, norm, attend = layers_in_jax()
    convolution = convolution_in_jax()

    def run(a):
        x = convolution(a, "patch", a["image"], s.patch)
        x = x.reshape(x.shape[0], -1, s.hidden)
        x = jnp.concatenate([jnp.broadcast_to(a["class_token"], (x.shape[0], 1, s.hidden)), x], axis=1) + a["position_embedding"]
        for i in range(s.layers):
            q, k, v = jnp.split(linear(a, f"{i}.qkv", norm(a, f"{i}.attention_norm", x, s.epsilon)), 3, axis=-1)
            x = x + linear(a, f"{i}.o", attend(q, k, v, s.heads))
            y = jax.nn.gelu(linear(a, f"{i}.up", norm(a, f"{i}.ffn_norm", x, s.epsilon)), approximate=False)
            x = x + linear(a, f"{i}.down", y)
        return [linear(a, "classes", norm(a, "norm", x, s.epsilon)[:, 0])]

    return run


def vit_in_torch(s):
    import torch
    import torch.nn.functional as F
    linear, norm, attend = layers_in_torch()
    convolution = convolution_in_torch()

    def run(a):
        x = convolution(a, "patch", a["image"].permute(0, 3, 1, 2), s.patch).flatten(2).transpose(1, 2)
        x = torch.cat([a["class_token"].expand(x.shape[0], -1, -1), x], 1) + a["position_embedding"]
        for i in range(s.layers):
            q, k, v = linear(a, f"{i}.qkv", norm(a, f"{i}.attention_norm", x, s.epsilon)).chunk(3, -1)
            x = x + linear(a, f"{i}.o", attend(q, k, v, s.heads))
            y = F.gelu(linear(a, f"{i}.up", norm(a, f"{i}.ffn_norm", x, s.epsilon)))
            x = x + linear(a, f"{i}.down", y)
        return [linear(a, "classes", norm(a, "norm", x, s.epsilon)[:, 0])]

    return run


@dataclasses.dataclass(frozen=True)
class Resnet:
    blocks: tuple  # of each stage; a stage has twice the channels of the one before it
    width: int  # channels of the stem and inside the first stage's blocks
    image: int
    classes: int
    epsilon: float = 1e-5
    expansion = 4  # channels of a block's result, over those inside it


RESNET50 = Resnet((3, 4, 6, 3), 64, 224, 1000)


def resnet_blocks(s):
    """The name, the inputs, the width and the stride of each block."""
    inputs = s.width
    for stage, count in enumerate(s.blocks):
        width = s.width << stage
        for i in range(count):
            yield f"{stage}.{i}", inputs, width, 2 if stage and not i else 1
            inputs = width * s.expansion


def resnet_arguments(s, images):
    found = {"image": Argument((images, s.image, s.image, 3))}

    def convolution(name, side, inputs, outputs):
        found.update({f"{name}.weight": convolution_weight(side, inputs, outputs), **norm_arguments(f"{name}_norm", outputs),
                      f"{name}_norm.mean": bias(outputs), f"{name}_norm.variance": ones(outputs)})

    convolution("stem", 7, 3, s.width)
    for name, inputs, width, _ in resnet_blocks(s):
        convolution(f"{name}.in", 1, inputs, width)
        convolution(f"{name}.middle", 3, width, width)
        convolution(f"{name}.out", 1, width, width * s.expansion)
        if name.endswith(".0"):
            convolution(f"{name}.shortcut", 1, inputs, width * s.expansion)
    return found | linear_arguments("classes", (s.width << (len(s.blocks) - 1)) * s.expansion, s.classes)


def resnet_in_jax(s):
    import jax
    import jax.numpy as jnp
    linear, _, _ = layers_in_jax()
    convolution = convolution_in_jax()

    def normalized(a, name, x, stride=1, padding=0):
        y = convolution(a, name, x, stride, padding).astype(jnp.float32)
        mean, variance, scale, shift = (a[f"{name}_norm.{n}"].astype(jnp.float32) for n in ("mean", "variance", "scale", "bias"))
        return ((y - mean) * (jax.lax.rsqrt(variance + s.epsilon) * scale) + shift).astype(x.dtype)

    def run(a):
        x = jax.nn.relu(normalized(a, "stem", a["image"], 2, 3))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
        for name, _, _, stride in resnet_blocks(s):
            y = jax.nn.relu(normalized(a, f"{name}.in", x))
            y = jax.nn.relu(normalized(a, f"{name}.middle", y, stride, 1))
            y = normalized(a, f"{name}.out", y)
            x = jax.nn.relu(y + (normalized(a, f"{name}.shortcut", x, stride) if name.endswith(".0") else x))
        return [linear(a, "classes", jnp.mean(x, axis=(1, 2)))]  # jnp.mean sums in f32

    return run


def resnet_in_torch(s):
    import torch.nn.functional as F
    linear, _, _ = layers_in_torch()
    convolution = convolution_in_torch()
    blocks = list(resnet_blocks(s))

    def normalized(a, name, x, stride=1, padding=0):
        mean, variance, scale, shift = (a[f"{name}_norm.{n}"] for n in ("mean", "variance", "scale", "bias"))
        return F.batch_norm(convolution(a, name, x, stride, padding), mean, variance, scale, shift, eps=s.epsilon)

    def run(a):
        x = F.relu(normalized(a, "stem", a["image"].permute(0, 3, 1, 2), 2, 3))
        x = F.max_pool2d(x, 3, 2, 1)
        for name, _, _, stride in blocks:
            y = F.relu(normalized(a, f"{name}.in", x))
            y = F.relu(normalized(a, f"{name}.middle", y, stride, 1))
            y = normalized(a, f"{name}.out", y)
            x = F.relu(y + (normalized(a, f"{name}.shortcut", x, stride) if name.endswith(".0") else x))
        return [linear(a, "classes", x.mean((2, 3)))]

    return run


@dataclasses.dataclass(frozen=True)
class UnetBlock:
    """A residual block and a transformer of the image's points, as many channels in as out."""

    side: int
    channels: int
    heads: int
    groups: int
    time: int  # of the time embedding
    context: int  # of each token of the text
    tokens: int
    epsilon: float = 1e-5
    transformer_epsilon: float = 1e-6  # of the group norm before the transformer


UNET_BLOCK = UnetBlock(64, 320, 8, 32, 1280, 768, 77)


def unet_arguments(s, images):
    c = s.channels
    found = {"image": Argument((images, s.side, s.side, c)), "time": Argument((images, s.time)), "context": Argument((images, s.tokens, s.context))}
    found |= norm_arguments("norm1", c) | convolution_arguments("conv1", 3, c, c) | linear_arguments("time_in", s.time, c)
    found |= norm_arguments("norm2", c) | convolution_arguments("conv2", 3, c, c)
    found |= norm_arguments("norm", c) | convolution_arguments("in", 1, c, c)
    for name, source in (("self", c), ("cross", s.context)):
        found |= norm_arguments(f"{name}_norm", c) | {f"{name}.q.weight": weight(c, c), f"{name}.k.weight": weight(source, c),
                                                      f"{name}.v.weight": weight(source, c)} | linear_arguments(f"{name}.o", c, c)
    found |= norm_arguments("ffn_norm", c) | linear_arguments("up", c, 8 * c) | linear_arguments("down", 4 * c, c)
    return found | convolution_arguments("out", 1, c, c)


def unet_in_jax(s):
    import jax
    import jax.numpy as jnp
    linear, norm, attend = layers_in_jax()
    convolution = convolution_in_jax()

    def group_norm(a, name, x, epsilon):
        wide = x.astype(jnp.float32).reshape(*x.shape[:3], s.groups, -1)
        mean, variance = jnp.mean(wide, axis=(1, 2, 4), keepdims=True), jnp.var(wide, axis=(1, 2, 4), keepdims=True)
        y = ((wide - mean) * jax.lax.rsqrt(variance + epsilon)).reshape(x.shape)
        return (y * a[f"{name}.scale"] + a[f"{name}.bias"]).astype(x.dtype)

    def attention(a, name, x, source):
        q, k, v = linear(a, f"{name}.q", x), linear(a, f"{name}.k", source), linear(a, f"{name}.v", source)
        return linear(a, f"{name}.o", attend(q, k, v, s.heads))

    def run(a):
        x = a["image"]
        y = convolution(a, "conv1", jax.nn.silu(group_norm(a, "norm1", x, s.epsilon)), padding=1)
        y = y + linear(a, "time_in", jax.nn.silu(a["time"]))[:, None, None]
        x = x + convolution(a, "conv2", jax.nn.silu(group_norm(a, "norm2", y, s.epsilon)), padding=1)
        y = convolution(a, "in", group_norm(a, "norm", x, s.transformer_epsilon))
        y = y.reshape(y.shape[0], -1, s.channels)
        z = norm(a, "self_norm", y, s.epsilon)
        y = y + attention(a, "self", z, z)
        y = y + attention(a, "cross", norm(a, "cross_norm", y, s.epsilon), a["context"])
        value, gate = jnp.split(linear(a, "up", norm(a, "ffn_norm", y, s.epsilon)), 2, axis=-1)
        y = y + linear(a, "down", value * jax.nn.gelu(gate, approximate=False))
        return [x + convolution(a, "out", y.reshape(x.shape))]

    return run


def unet_in_torch(s):
    import torch.nn.functional as F
    linear, norm, attend = layers_in_torch()
    convolution = convolution_in_torch()

    def group_norm(a, name, x, epsilon):
        return F.group_norm(x, s.groups, a[f"{name}.scale"], a[f"{name}.bias"], epsilon)

    def attention(a, name, x, source):
        q, k, v = linear(a, f"{name}.q", x), linear(a, f"{name}.k", source), linear(a, f"{name}.v", source)
        return linear(a, f"{name}.o", attend(q, k, v, s.heads))

    def run(a):
        x = a["image"].permute(0, 3, 1, 2)
        y = convolution(a, "conv1", F.silu(group_norm(a, "norm1", x, s.epsilon)), padding=1)
        y = y + linear(a, "time_in", F.silu(a["time"]))[:, :, None, None]
        x = x + convolution(a, "conv2", F.silu(group_norm(a, "norm2", y, s.epsilon)), padding=1)
        y = convolution(a, "in", group_norm(a, "norm", x, s.transformer_epsilon)).permute(0, 2, 3, 1).flatten(1, 2)
        z = norm(a, "self_norm", y, s.epsilon)
        y = y + attention(a, "self", z, z)
        y = y + attention(a, "cross", norm(a, "cross_norm", y, s.epsilon), a["context"])
        value, gate = linear(a, "up", norm(a, "ffn_norm", y, s.epsilon)).chunk(2, -1)
        y = y + linear(a, "down", value * F.gelu(gate))
        y = y.unflatten(1, (s.side, s.side)).permute(0, 3, 1, 2)
        return [(x + convolution(a, "out", y)).permute(0, 2, 3, 1).contiguous()]

    return run


def vit(s, written, images=1):
    return Network(vit_arguments(s, images), lambda: vit_in_jax(s), lambda: vit_in_torch(s), written)


def resnet(s, written, images=1):
    return Network(resnet_arguments(s, images), lambda: resnet_in_jax(s), lambda: resnet_in_torch(s), written)


def unet(s, written, images=2):
    return Network(unet_arguments(s, images), lambda: unet_in_jax(s), lambda: unet_in_torch(s), written)


NETWORKS = {
    "vit_b16_b1": vit(VIT_B16, "ViT-B/16"),
    "vit_b16_b32": vit(VIT_B16, "ViT-B/16", images=32),
    "resnet50_b1": resnet(RESNET50, "ResNet-50 v1.5"),
    "resnet50_b64": resnet(RESNET50, "ResNet-50 v1.5", images=64),
    "unet_block_b2": unet(UNET_BLOCK, "the first down block of Stable Diffusion 1.5"),
    "small_vit": vit(Vit(2, 64, 4, 96, 32, 8, 10), "ViT-B/16", images=2),
    "small_resnet": resnet(Resnet((2, 1), 8, 32, 10), "ResNet-50 v1.5", images=2),
    "small_unet_block": unet(UnetBlock(8, 32, 2, 8, 24, 40, 7), "the first down block of Stable Diffusion 1.5"),
}
