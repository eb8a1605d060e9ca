# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators through torch.compile(backend="stitch") that are more than a formula: values and gradients are those of eager PyTorch, and nothing is left to it.

PyTorch's own inputs of these operators are in test/operations/torch_table.md; here are corners that they lack.
"""
import logging
import math

import pytest

torch = pytest.importorskip("torch")
import stitch.torch  # noqa: E402

F = torch.nn.functional
NAN, INF = math.nan, math.inf


def tensor(*shape):
    return torch.randn(shape, requires_grad=True)


def grid(*shape):
    return (torch.rand(shape) * 3 - 1.5).requires_grad_(True)


def bag(x, *more, **how):
    return F.embedding_bag(torch.tensor([1, 2, 4, 5, 4, 3, 2, 5]), x, torch.tensor([0, 2, 2, 8]), *more, **how)


def put(value, *indices):
    def function(x):
        y = x * 2
        y[indices] = value
        return y

    return function


def with_nan():
    x = torch.randn(1, 1, 5, 5)
    x[0, 0, 1, 1] = x[0, 0, 3, 2] = NAN
    return x


ROWS = [1.0, 2, 2, 5, NAN]
OPERATORS = {
    **{f"adaptive {kind} pool {k}d to {size}": (lambda x, kind=kind, k=k, size=size: getattr(F, f"adaptive_{kind}_pool{k}d")(x, size), lambda shape=shape: [tensor(*shape)])
       for kind in ("avg", "max") for k, shape in ((1, (2, 3, 7)), (2, (2, 3, 7, 5)), (3, (2, 2, 5, 6, 4))) for size in (3, 4, 8)},
    "index of adaptive maxima": (lambda x: (F.adaptive_max_pool2d(x, 2, return_indices=True), F.adaptive_max_pool2d(x, 3, return_indices=True)), lambda: [with_nan()]),
    "index of equal adaptive maxima": (lambda x: (F.adaptive_max_pool2d(x[0], 2, return_indices=True), F.adaptive_max_pool3d(x, 2, return_indices=True)), lambda: [torch.ones(1, 2, 3, 4, 4)]),
    "adaptive pool of no images": (lambda x: F.adaptive_avg_pool2d(x, 3), lambda: [tensor(0, 2, 5, 7)]),
    **{f"replicated border {k}d": (lambda x, k=k: F.pad(x, (2, 3) + (1, 0) * (k - 1), mode="replicate"), lambda shape=shape: [tensor(*shape)])
       for k, shape in ((1, (2, 3, 7)), (2, (2, 3, 7, 5)), (3, (2, 2, 5, 6, 4)))},
    "averages and convolutions of integers": (lambda x, w: (F.avg_pool2d(x, 2, 1, 1, count_include_pad=False), F.conv2d(x, w, padding=1), F.conv_transpose2d(x, w.transpose(0, 1), stride=2)),
                                              lambda: [torch.randint(-9, 9, (1, 2, 5, 5)), torch.randint(-9, 9, (3, 2, 3, 3))]),
    **{f"cdist {p}": (lambda x, y, p=p: torch.cdist(x, y, p), lambda: [tensor(2, 5, 3), tensor(2, 4, 3)]) for p in (0.0, 1.0, 1.5, 2.0, 3.0, INF)},
    "cdist to itself": (lambda x: torch.cdist(x, x), lambda: [tensor(5, 3)]),
    "bilinear": (F.bilinear, lambda: [tensor(2, 3), tensor(2, 4), tensor(5, 3, 4), tensor(5)]),
    "addbmm": (lambda m, x, y: torch.addbmm(m, x, y, beta=0.5, alpha=2), lambda: [tensor(2, 3), tensor(4, 2, 5), tensor(4, 5, 3)]),
    "searchsorted": (lambda rows, v: (torch.searchsorted(rows, v), torch.searchsorted(rows, v, right=True), torch.bucketize(v, rows, out_int32=True), torch.bucketize(v, rows, right=True)),
                     lambda: [torch.tensor(ROWS), torch.tensor([[0, 2, 3, NAN], [5, 6, 1, INF]])]),
    "searchsorted in rows": (torch.searchsorted, lambda: [torch.randn(3, 17).sort(-1).values, torch.randn(3, 5)]),
    "searchsorted, not sorted": (torch.searchsorted, lambda: [torch.randn(100), torch.randn(30)]),
    "searchsorted with a sorter": (lambda rows, v, s: torch.searchsorted(rows, v, sorter=s), lambda: [torch.tensor([3.0, 1, 2]), torch.tensor([0.5, 2, 9]), torch.tensor([1, 2, 0])]),
    "mode": (lambda x: (x.mode(0).values, x.mode(1, keepdim=True).values), lambda: [torch.tensor([[3, 1, 1], [3, 2, 2], [1, 1, 0], [1, 2, 2]])]),
    "nonzero_static": (lambda x: (torch.nonzero_static(x, size=1), torch.nonzero_static(x, size=4, fill_value=7)), lambda: [torch.tensor([[1, 0], [0, 3]])]),
    **{f"index_reduce {how}{' without self' * (not own)} {dtype}": (lambda x, i, s, how=how, own=own: x.index_reduce(1, i, s, how, include_self=own),
                                                                    lambda make=make: [make(2, 4), torch.tensor([0, 2, 0]), make(2, 3)])
       for how in ("prod", "mean", "amax", "amin") for own in (True, False)
       for dtype, make in (("f32", torch.randn), ("i64", lambda *shape: torch.randint(-9, 9, shape)))},
    "sums of booleans": (lambda x, i, s: (x.scatter_add(0, i, s), x.index_put((i,), s, accumulate=True), x.scatter_reduce(0, i, s, "prod"), x.scatter_reduce(0, i, s, "amin", include_self=False)),
                         lambda: [torch.tensor([True, False, True]), torch.tensor([0, 1, 1]), torch.tensor([True, True, False])]),
    "masked_scatter": (lambda x, s: x.masked_scatter(torch.tensor([[True, False], [True, True]]), s), lambda: [tensor(2, 2), tensor(5)]),
    "masked_scatter into a row": (lambda x, s: x.masked_scatter(torch.tensor([[True, False], [True, True]]), s), lambda: [torch.randn(2), torch.randn(5)]),
    "as_strided of a view": (lambda x: ((x * 2)[1:].as_strided((2, 2), (1, 3), 1), x.t().as_strided((3,), (2,))), lambda: [tensor(3, 4)]),
    "as_strided_scatter": (lambda x, y: torch.as_strided_scatter(x, y, (2, 2), (1, 4), 5), lambda: [tensor(3, 4), tensor(2, 2)]),
    "frexp": (lambda x: (torch.frexp(x), torch.frexp(x.double()), torch.frexp(x.half())), lambda: [torch.tensor([0.0, -0.0, 1, -3, 1e-40, 1e30, 0.5, 2**-149, 7e-8])]),
    **{f"nextafter {dtype}": (torch.nextafter, lambda dtype=dtype: [torch.tensor([0.0, -0.0, 1, -3, 1e-7, 1e4, NAN, 1, INF, 0, 0], dtype=dtype),
                                                                    torch.tensor([1.0, -1, 2, 5, 0, 1e5, 1, NAN, 0, 0, -0.0], dtype=dtype)]) for dtype in (torch.float16, torch.bfloat16)},
    "round to decimals": (lambda x: (x.round(decimals=2), x.round(decimals=-1), x.half().round(decimals=3), x.bfloat16().round(decimals=-3)), lambda: [torch.randn(50) * 100]),
    "hypot": (lambda x, y: (torch.hypot(x, y), torch.hypot(x.half(), y.half())), lambda: [torch.tensor([3.0, 1e38, 0, INF, NAN, 1e-30, NAN]), torch.tensor([4.0, 1e38, 0, NAN, 1, 1e-30, INF])]),
    "gamma functions": (lambda x: (x.digamma(), x.double().digamma(), *(torch.polygamma(n, x) for n in range(5)), torch.special.zeta(3, x)), lambda: [torch.tensor([0.0, 0.5, 3, -2.5, 100])]),
    "Bessel functions": (lambda x: (x.i0(), torch.special.i0e(x), torch.special.i1(x), torch.special.i1e(x)), lambda: [torch.tensor([0.0, -1, 7.9, 8.1, 30])]),
    "numbers that u8 does not have": (lambda x: (x > -1, x + -1, x == -6, x + 300, x > 300, torch.where(x > 5, x, -1), x.clamp(min=-1), x.index_add(0, torch.tensor([0, 0]), x, alpha=-1)),
                                      lambda: [torch.tensor([3, 250], dtype=torch.uint8)]),
    "powers of u8": (torch.pow, lambda: [torch.tensor([20, 16, 255, 2], dtype=torch.uint8), torch.tensor([2, 3, 2, 255], dtype=torch.uint8)]),
    "powers of complex numbers": (lambda z: (*(z ** e for e in (0, 1, 2, 3, -1, 0.5, 2.5, -2.5, 1j)), torch.pow(z, torch.tensor([0j, 1 + 0j, 2j, 0.5 + 0j])), torch.pow(2.0, z)),
                                  lambda: [torch.tensor([0j, 1 + 1j, -1 + 0j, 2 - 3j])]),
    "complex functions": (lambda z: (z.exp2(), z.log2(), z.log10(), z.isinf(), z.isfinite(), z.var(), z.std()), lambda: [torch.tensor([0j, 1 + 1j, complex(INF, 0), 2 - 3j])[[0, 1, 3]]]),
    "Fourier transforms": (lambda z: (torch.fft.fft(z, norm="ortho"), torch.fft.ifft(z, norm="forward"), torch.fft.irfft(z, n=9), torch.fft.rfft(z.real, n=5, norm="forward"), torch.fft.fftn(z, dim=(1, 0)),
                                      torch.fft.hfft(z)), lambda: [torch.randn(3, 8, dtype=torch.complex64)]),
    "four Fourier transforms": (lambda z: torch.fft.ifftn(torch.fft.fftn(z)[..., 1:]), lambda: [torch.randn(2, 3, 4, 5, dtype=torch.complex64)]),
    "spectrum": (lambda x: torch.stft(x, 16, 8, window=torch.hann_window(16), return_complex=True).abs(), lambda: [tensor(2, 64)]),
    **{f"grid_sample {k}d {mode} {padding} {align}": (lambda x, g, how=(mode, padding, align): F.grid_sample(x, g, *how), lambda shapes=shapes: [tensor(*shapes[0]), grid(*shapes[1])])
       for k, shapes in ((2, ((2, 3, 5, 6), (2, 4, 3, 2))), (3, ((2, 3, 5, 6, 4), (2, 4, 3, 2, 3)))) for mode in ("bilinear", "nearest")
       for padding, align in (("zeros", False), ("border", True), ("reflection", False), ("reflection", True))},
    **{f"bags, {mode}, padding {padding}, {last}": (lambda x, mode=mode, padding=padding, last=last: bag(x if mode != "max" else x.detach(), mode=mode, padding_idx=padding, include_last_offset=last),
                                                    lambda: [tensor(6, 3)]) for mode in ("sum", "mean", "max") for padding in (None, 2) for last in (True, False)},
    "weighted bags": (lambda x, w: bag(x, mode="sum", per_sample_weights=w), lambda: [tensor(6, 3), tensor(8)]),
    **{f"weight_norm along {dim}": (lambda x, v, g, dim=dim: F.linear(x, torch._weight_norm(v, g, dim)), lambda size=size: [tensor(2, 3), tensor(4, 3), tensor(*size)])
       for dim, size in ((0, (4, 1)), (1, (1, 3)))},
    "logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), lambda: [tensor(3, 7)]),
    "logcumsumexp of infinities": (lambda x: (torch.logcumsumexp(x, 1), torch.logcumsumexp(x, 0)), lambda: [torch.tensor([[1, -INF, 3, 200], [-INF, -INF, 0, -300], [1, INF, 2, 3]])]),
    "put one number where a mask is": (put(5.0, torch.tensor([[True, False, True], [False, False, True]])), lambda: [tensor(2, 3)]),
    "put one row where a mask is": (put(torch.arange(4.0), torch.tensor([[True, False, True], [False, False, True]])), lambda: [tensor(2, 3, 4)]),
    "put one row where a mask of columns is": (put(torch.arange(4.0), slice(None), torch.tensor([True, False, True])), lambda: [tensor(2, 3, 4)]),
    "windows": (lambda x: [x * w for w in (torch.hann_window(4), torch.hamming_window(4, False), torch.blackman_window(4), torch.bartlett_window(4), torch.kaiser_window(4))],
                lambda: [tensor(3, 4)]),
    "convolution by spectra": (lambda x, w: torch.fft.irfft2(torch.fft.rfft2(x) * torch.fft.rfft2(w, s=x.shape[-2:]), s=x.shape[-2:]), lambda: [tensor(2, 3, 9, 12), tensor(3, 3, 3)]),
}


def values_and_gradients(function, inputs):
    results = function(*inputs)
    given = [t for t in torch.utils._pytree.tree_leaves(results) if t.requires_grad]
    wanted = [x for x in inputs if x.requires_grad]
    if not given or not wanted:
        return results
    loss = sum((t * torch.linspace(-1, 1, t.numel()).view_as(t)).sum() for t in given)
    return results, torch.autograd.grad(loss, wanted)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, caplog):
    torch._dynamo.reset()
    torch.manual_seed(0)
    function, make = OPERATORS[name]
    inputs = make()
    expected = values_and_gradients(function, inputs)
    with caplog.at_level(logging.WARNING, "stitch"):
        found = values_and_gradients(torch.compile(function, backend="stitch"), inputs)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4, equal_nan=True, check_stride=False)
    assert not [r for r in caplog.records if r.name == "stitch"]  # nothing is left to PyTorch
