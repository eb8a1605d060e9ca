# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The patterns of bench/kernels/dimensions.py: statistics over dimensions in the middle and over groups, results in another order. In JAX they are those of
that file, which only the machine that builds has."""
import os
import sys

from . import Argument, Network

EPSILON = 1e-5

# Name -> names of the arguments, their shapes, and small ones.
IMAGE, SMALL_IMAGE, NCHW, SMALL_NCHW = (16, 32, 32, 256), (3, 5, 7, 24), (16, 256, 32, 32), (3, 24, 5, 7)
FOUR, SMALL_FOUR, FIVE, SMALL_FIVE = (16, 48, 64, 256), (3, 5, 7, 9), (6, 24, 20, 32, 64), (2, 3, 5, 7, 9)
CASES = {
    "softmax_middle": ("x", [(64, 128, 2048)], [(3, 13, 37)]),
    "instance_norm_nhwc": ("x", [(32, 56, 56, 64)], [SMALL_IMAGE]),
    "group_norm_silu_nhwc": ("x scale bias", [IMAGE, (256,), (256,)], [SMALL_IMAGE, (24,), (24,)]),
    "group_norm_silu_nhwc_backward": ("dy x scale bias", [IMAGE, IMAGE, (256,), (256,)], [SMALL_IMAGE, SMALL_IMAGE, (24,), (24,)]),
    "group_norm_silu_nchw": ("x scale bias", [NCHW, (256,), (256,)], [SMALL_NCHW, (24,), (24,)]),
    "group_norm_silu_nchw_backward": ("dy x scale bias", [NCHW, NCHW, (256,), (256,)], [SMALL_NCHW, SMALL_NCHW, (24,), (24,)]),
    "minus_middle_sum": ("x", [(2, 2048, 4096)], [(2, 13, 37)]),
    "centred_heads": ("x", [(8, 512, 16, 64)], [(2, 7, 3, 10)]),
    "head_norms": ("x weight head_weight", [(4, 2048, 2048), (2048,), (128,)], [(3, 7, 30), (30,), (10,)]),
    "norm_rope": ("x weight cosine sine", [(4, 2048, 16, 128), (128,), (2048, 64), (2048, 64)], [(2, 7, 3, 10), (10,), (7, 5), (7, 5)]),
    "window_partition": ("x weight", [(16, 56, 56, 128), (128,)], [(2, 14, 21, 5), (5,)]),
    "window_reverse": ("x weight", [(1024, 49, 128), (128,)], [(128, 49, 5), (5,)]),
    "gated_group_norm": ("x gate weight", [(4096, 4096), (4096, 4096), (4096,)], [(7, 192), (7, 192), (192,)]),
    "kl": ("a b", [(4096, 32003), (4096, 32003)], [(7, 131), (7, 131)]),
    "kl_gradient": ("a b", [(4096, 32003), (4096, 32003)], [(7, 131), (7, 131)]),
    "columns_then_rows": ("x", [(512, 1024)], [(13, 37)]),
    "prefix_sums": ("x", [(4, 1048576)], [(3, 5000)]),
    "log_prefix_sums": ("x", [(256, 16384)], [(3, 500)]),
    "linear_recurrence": ("a b", [(8, 4096, 1024), (8, 4096, 1024)], [(2, 70, 5), (2, 70, 5)]),
    "selective_scan": ("x steps b c gate decay", [(2, 2048, 1536), (2, 2048, 1536), (2, 2048, 16), (2, 2048, 16), (2, 2048, 1536), (1536, 16)],
                       [(2, 64, 6), (2, 64, 6), (2, 64, 4), (2, 64, 4), (2, 64, 6), (6, 4)]),
    "softmax_0_of_4": ("x", [FOUR], [SMALL_FOUR]),
    "softmax_2_of_4": ("x", [FOUR], [SMALL_FOUR]),
    "statistics_234_as_23104": ("x", [FIVE], [SMALL_FIVE]),
    "statistics_02_as_14032": ("x", [FIVE], [SMALL_FIVE]),
}
POSITIVE, IN_F32 = ("scale", "weight", "head_weight"), ("scale", "bias", "weight", "head_weight", "cosine", "sine", "decay")


def in_jax(name):
    import jax
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kernels")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import dimensions
    function = dimensions.CASES[name][0]
    return lambda a: jax.tree.leaves(function(*a.values()))


def in_torch(name):
    import torch
    import torch.nn.functional as F

    def wide(x):
        return x if x.dtype == torch.float64 else x.float()

    def instance_norm_nhwc(x):
        return F.instance_norm(wide(x).permute(0, 3, 1, 2), eps=EPSILON).permute(0, 2, 3, 1).to(x.dtype)

    def group_norm_silu_nchw(x, scale, bias):
        return F.silu(F.group_norm(wide(x), max(x.shape[1] // 8, 1), scale, bias, EPSILON)).to(x.dtype)

    def group_norm_silu_nhwc(x, scale, bias):
        return group_norm_silu_nchw(x.permute(0, 3, 1, 2), scale, bias).permute(0, 2, 3, 1)

    def gradient_of(function):
        return lambda dy, *arguments: torch.func.vjp(function, *arguments)[1](dy)

    def head_norms(x, weight, head_weight):
        y = F.rms_norm(wide(x), weight.shape, weight, EPSILON).unflatten(-1, (-1, head_weight.shape[0]))
        return F.rms_norm(y, head_weight.shape, head_weight, EPSILON).transpose(1, 2).to(x.dtype)

    def norm_rope(x, weight, cosine, sine):
        a, b = F.rms_norm(wide(x), weight.shape, weight, EPSILON).chunk(2, -1)
        c, s = cosine[:, None], sine[:, None]
        return torch.cat([a * c - b * s, b * c + a * s], -1).transpose(1, 2).to(x.dtype)

    def window_partition(x, weight):
        n, h, w, c = x.shape
        y = F.layer_norm(wide(x), (c,), weight, eps=EPSILON).to(x.dtype)
        return y.view(n, h // 7, 7, w // 7, 7, c).transpose(2, 3).reshape(-1, 49, c)

    def window_reverse(x, weight):
        c = x.shape[-1]
        y = x.view(-1, 8, 8, 7, 7, c).transpose(2, 3).reshape(-1, 56, 56, c)
        return F.layer_norm(wide(y), (c,), weight, eps=EPSILON).to(x.dtype)

    def gated_group_norm(x, gate, weight):
        y = (wide(x) * F.silu(wide(gate))).unflatten(-1, (-1, 64))
        return (F.rms_norm(y, (64,), eps=EPSILON).flatten(-2) * weight).to(x.dtype)

    def kl(a, b):
        return F.kl_div(F.log_softmax(wide(b), -1), F.log_softmax(wide(a), -1), reduction="batchmean", log_target=True)

    def columns_then_rows(x):
        y = x - x.mean(0)
        return y / (y * y).sum(1, keepdim=True)

    def linear_recurrence(a, b):
        from torch._higher_order_ops.associative_scan import associative_scan
        found = associative_scan(lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (torch.sigmoid(wide(a)), wide(b)), 1, combine_mode="generic")
        return found[1].to(b.dtype)

    def selective_scan(x, steps, b, c, gate, decay):
        from torch._higher_order_ops.associative_scan import associative_scan
        x32, steps = wide(x), F.softplus(wide(steps))
        decays, inputs = torch.exp(-steps[..., None] * torch.exp(decay)), (steps * x32)[..., None] * wide(b)[:, :, None, :]
        states = associative_scan(lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (decays, inputs), 1, combine_mode="generic")[1]
        return (((states * wide(c)[:, :, None, :]).sum(-1) + x32) * F.silu(wide(gate))).to(x.dtype)

    def statistics(x):
        axes, order = ([int(axis) for axis in digits] for digits in name.removeprefix("statistics_").split("_as_"))
        variance, mean = torch.var_mean(wide(x), axes, correction=0, keepdim=True)
        return ((wide(x) - mean) * torch.rsqrt(variance + EPSILON)).to(x.dtype).permute(order), mean, variance

    functions = {
        "softmax_middle": lambda x: F.softmax(x, 1),
        "softmax_0_of_4": lambda x: F.softmax(x, 0),
        "softmax_2_of_4": lambda x: F.softmax(x, 2),
        "instance_norm_nhwc": instance_norm_nhwc,
        "group_norm_silu_nhwc": group_norm_silu_nhwc,
        "group_norm_silu_nhwc_backward": gradient_of(group_norm_silu_nhwc),
        "group_norm_silu_nchw": group_norm_silu_nchw,
        "group_norm_silu_nchw_backward": gradient_of(group_norm_silu_nchw),
        "minus_middle_sum": lambda x: x - x.sum(1, keepdim=True),
        "centred_heads": lambda x: (x - x.mean(-1, keepdim=True)).transpose(1, 2),
        "head_norms": head_norms,
        "norm_rope": norm_rope,
        "window_partition": window_partition,
        "window_reverse": window_reverse,
        "gated_group_norm": gated_group_norm,
        "kl": kl,
        "kl_gradient": torch.func.grad(kl),
        "columns_then_rows": columns_then_rows,
        "prefix_sums": lambda x: wide(x).cumsum(-1).to(x.dtype),
        "log_prefix_sums": lambda x: torch.logcumsumexp(wide(x), 1).to(x.dtype),
        "linear_recurrence": linear_recurrence,
        "selective_scan": selective_scan,
    }
    function = functions.get(name, statistics)

    def run(a):
        found = function(*a.values())
        # In another order in memory, too, as JAX's results are: not views with strides.
        return [x.contiguous() for x in (found if isinstance(found, tuple) else (found,))]

    return run


def network(name, dtype, small):
    names, real_shapes, small_shapes = CASES[name]
    arguments = {argument: Argument(shape, "f32" if argument in IN_F32 else dtype, "positive" if argument in POSITIVE else "normal")
                 for argument, shape in zip(names.split(), small_shapes if small else real_shapes)}
    return Network(arguments, lambda: in_jax(name), lambda: in_torch(name), "bench/kernels/dimensions.py")


NETWORKS = {
    **{f"axes_{name}_{dtype}": network(name, dtype, False) for name in CASES for dtype in ("f32", "bf16")},
    **{f"small_axes_{name}": network(name, "f32", True) for name in CASES},
}
