# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Depth from several views, after EPP-MVSNet (Ma et al. 2021): a pyramid of features, which plane-sweep homographies warp from each view
into the reference view; pairwise cost volumes, each weighted by how sure it is (the entropy of its depths); pseudo-3D convolutions;
three stages from coarse to fine, the depths of a stage around those of the one before, as far apart as its entropy says.

It is like the paper's model, not a copy: the assembling of epipolar samples is a convolution along the depths, and sizes of layers are
taken from MVSNet's (Yao et al. 2018) where the paper has none. Batch normalisation is the scale and bias that it is in inference.
"""
import jax
import jax.numpy as jnp

from workload import Argument, Workload, paper

BASE = dict(height=512, width=640, views=5, depths=[32, 16, 8], channels=[32, 16, 8], groups=8)
SMALL = dict(height=16, width=48, views=3, depths=[8, 4, 4], channels=[8, 8, 4], groups=4)
CITATION = "Ma et al., EPP-MVSNet: Epipolar-assembling based Depth Prediction for Multi-view Stereo, ICCV 2021 (a model like it)"


def facts(batch, sizes):
    return {"model": "epp_mvsnet", "mode": "inference", "batch_size": batch, "sizes": sizes, "source": paper(CITATION),
            "papers": ["APOLLO, table 7"]}


#===------------------------------------------------------------------------===#
# Layers: parameters are shapes, by name
#===------------------------------------------------------------------------===#


def convolution_shapes(window, inputs, outputs):
    return {"kernel": (*window, inputs, outputs), "scale": (outputs,), "bias": (outputs,)}


def convolution(x, parameters, strides=None, relu=True):
    """Of images or volumes, channels last."""
    dims = x.ndim - 2
    spatial = "DHW"[-dims:]
    y = jax.lax.conv_general_dilated(x, parameters["kernel"], strides or (1,) * dims, "SAME",
                                     dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"))
    y = y * parameters["scale"] + parameters["bias"]
    return jax.nn.relu(y) if relu else y


def twice(x, dims):
    for dim in dims:
        x = jnp.repeat(x, 2, axis=dim)
    return x


def pyramid_shapes(sizes):
    coarse, middle, fine = sizes["channels"]
    return {"fine_0": convolution_shapes((3, 3), 3, fine), "fine_1": convolution_shapes((3, 3), fine, fine),
            "middle_0": convolution_shapes((5, 5), fine, middle), "middle_1": convolution_shapes((3, 3), middle, middle),
            "coarse_0": convolution_shapes((5, 5), middle, coarse), "coarse_1": convolution_shapes((3, 3), coarse, coarse),
            "lateral_middle": convolution_shapes((1, 1), middle, coarse), "lateral_fine": convolution_shapes((1, 1), fine, coarse),
            "out_coarse": convolution_shapes((1, 1), coarse, coarse), "out_middle": convolution_shapes((3, 3), coarse, middle),
            "out_fine": convolution_shapes((3, 3), coarse, fine)}


def pyramid(images, p):
    """Features of a quarter, a half and the whole of the height and width."""
    fine = convolution(convolution(images, p["fine_0"]), p["fine_1"])
    middle = convolution(convolution(fine, p["middle_0"], (2, 2)), p["middle_1"])
    coarse = convolution(convolution(middle, p["coarse_0"], (2, 2)), p["coarse_1"])
    to_middle = twice(coarse, (1, 2)) + convolution(middle, p["lateral_middle"], relu=False)
    to_fine = twice(to_middle, (1, 2)) + convolution(fine, p["lateral_fine"], relu=False)
    return [convolution(coarse, p["out_coarse"], relu=False), convolution(to_middle, p["out_middle"], relu=False),
            convolution(to_fine, p["out_fine"], relu=False)]


def pseudo_3d_shapes(inputs, outputs):
    return {"plane": convolution_shapes((1, 3, 3), inputs, outputs), "depth": convolution_shapes((3, 1, 1), outputs, outputs)}


def pseudo_3d(x, p, strides=(1, 1, 1)):
    return convolution(convolution(x, p["plane"], (1, *strides[1:])), p["depth"], (strides[0], 1, 1))


def regularisation_shapes(groups):
    return {"in": pseudo_3d_shapes(groups, 8), "down_0": pseudo_3d_shapes(8, 16), "same_0": pseudo_3d_shapes(16, 16),
            "down_1": pseudo_3d_shapes(16, 32), "same_1": pseudo_3d_shapes(32, 32), "up_1": convolution_shapes((1, 1, 1), 32, 16),
            "up_0": convolution_shapes((1, 1, 1), 16, 8), "out": convolution_shapes((3, 3, 3), 8, 1)}


def regularise(cost, p):
    """A small U-net of pseudo-3D convolutions: scores of the depths."""
    whole = pseudo_3d(cost, p["in"])
    half = pseudo_3d(pseudo_3d(whole, p["down_0"], (2, 2, 2)), p["same_0"])
    quarter = pseudo_3d(pseudo_3d(half, p["down_1"], (2, 2, 2)), p["same_1"])
    half = half + twice(convolution(quarter, p["up_1"]), (1, 2, 3))
    whole = whole + twice(convolution(half, p["up_0"]), (1, 2, 3))
    return convolution(whole, p["out"], relu=False)[..., 0]


#===------------------------------------------------------------------------===#
# Plane sweep
#===------------------------------------------------------------------------===#


def sample(features, x, y):
    """Bilinear, zeros outside; `features` is H x W x C."""
    height, width, channels = features.shape
    left, top = jnp.floor(x), jnp.floor(y)
    flat, total = features.reshape(height * width, channels), 0
    for down in (0, 1):
        for right in (0, 1):
            column, row = left + right, top + down
            weight = (1 - jnp.abs(x - column)) * (1 - jnp.abs(y - row))
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            place = jnp.clip(row, 0, height - 1).astype(jnp.int32) * width + jnp.clip(column, 0, width - 1).astype(jnp.int32)
            total = total + jnp.where(inside, weight, 0)[..., None] * jnp.take(flat, place, axis=0)
    return total


def warp(features, rotation, translation, depths):
    """The features of a view at the places of the reference view's pixels, at each of their depths (D x H x W)."""
    _, height, width = depths.shape
    ones = jnp.ones((height, width))
    pixels = jnp.stack([jnp.broadcast_to(jnp.arange(width, dtype=jnp.float32), (height, width)),
                        jnp.broadcast_to(jnp.arange(height, dtype=jnp.float32)[:, None], (height, width)), ones])
    rays = jnp.einsum("ij,jhw->ihw", rotation, pixels)
    x, y, z = (rays[i] * depths + translation[i] for i in range(3))
    z = jnp.where(jnp.abs(z) < 1e-6, 1e-6, z)
    return sample(features, x / z, y / z)


def entropy(probabilities):
    return -(probabilities * jnp.log(probabilities + 1e-7)).sum(1)


def stage_shapes(sizes):
    groups = sizes["groups"]
    groups = {"assemble": convolution_shapes((3, 1, 1), groups, groups), "sure_0": pseudo_3d_shapes(groups, 8),
              "sure_1": convolution_shapes((1, 1, 1), 8, 1), "regularisation": regularisation_shapes(groups)}
    return groups


def stage(features, rotations, translations, depths, p, groups):
    """Depth and entropy of each pixel; features are views x H x W x C, depths D x H x W."""
    reference = features[0]
    groups = min(groups, reference.shape[-1])
    total, weights = 0, 1e-6
    for view in range(1, features.shape[0]):
        warped = warp(features[view], rotations[view - 1], translations[view - 1], depths)
        similar = (warped * reference).reshape(*warped.shape[:-1], groups, -1).mean(-1)[None]
        similar = convolution(similar, p["assemble"])
        scores = convolution(pseudo_3d(similar, p["sure_0"]), p["sure_1"], relu=False)[..., 0]
        sure = jnp.exp(-entropy(jax.nn.softmax(scores, axis=1)))[:, None, :, :, None]
        total, weights = total + similar * sure, weights + sure
    probabilities = jax.nn.softmax(regularise(total / weights, p["regularisation"]), axis=1)
    return (probabilities[0] * depths).sum(0), entropy(probabilities)[0]


def inference(name, sizes):
    count = len(sizes["depths"])
    # A quarter, a half, the whole.
    scales = [2 ** (count - 1 - i) for i in range(count)]

    def function(parameters, images, rotations, translations, nearest, interval):
        pyramids = pyramid(images, parameters["pyramid"])
        depth = spread = None
        for i, (features, scale, number) in enumerate(zip(pyramids, scales, sizes["depths"])):
            height, width = sizes["height"] // scale, sizes["width"] // scale
            steps = jnp.arange(number, dtype=jnp.float32)[:, None, None]
            if depth is None:
                depths = jnp.broadcast_to(nearest + steps * interval, (number, height, width))
            else: # as far around the depth as its entropy says
                step = twice(jnp.exp(spread), (0, 1)) * interval / number
                depths = twice(depth, (0, 1)) + (steps - (number - 1) / 2) * step
            depth, spread = stage(features, rotations[i], translations[i], depths, parameters[f"stage_{i}"], sizes["groups"])
        return {"depth": depth, "confidence": jnp.exp(-spread)}

    shapes = {"pyramid": pyramid_shapes(sizes),
              **{f"stage_{i}": stage_shapes({**sizes, "groups": min(sizes["groups"], sizes["channels"][i])}) for i in range(count)}}
    parameters = jax.tree.map(lambda shape: Argument(shape, role="parameter"), shapes, is_leaf=lambda node: isinstance(node, tuple))
    arguments = {"parameters": parameters, "images": Argument((sizes["views"], sizes["height"], sizes["width"], 3)),
                 "rotations": Argument((count, sizes["views"] - 1, 3, 3)), "translations": Argument((count, sizes["views"] - 1, 3)),
                 "nearest": Argument(()), "interval": Argument(())}
    return Workload(name, function, arguments, facts(1, sizes))


WORKLOADS = {
    "epp_mvsnet-inference-small": lambda name: inference(name, SMALL),
    "epp_mvsnet-inference-b1": lambda name: inference(name, BASE),
}
