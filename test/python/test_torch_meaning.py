# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's operators mean, through torch.compile(backend="stitch"): values, types and strides are those of eager PyTorch, and so are errors.

Each case was wrong or refused once.
"""
import logging
import math

import pytest

torch = pytest.importorskip("torch")
import stitch.torch  # noqa: E402

F = torch.nn.functional
NAN, INF = math.nan, math.inf


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def u8(*values):
    return torch.tensor(values, dtype=torch.uint8)


VALUES = {
    "as_strided of a transposed view": (lambda x: x.t().as_strided((6,), (1,)) * 1, lambda: torch.arange(6.0).view(2, 3)),
    "as_strided with an offset": (lambda x: x[2:].as_strided((3, 2), (2, 1), 3) * 1, lambda: torch.arange(12.0)),
    "as_strided of a result": (lambda x: (x + 1).t().as_strided((2, 2), (3, 1), 1), lambda: torch.arange(6.0).view(2, 3)),
    "sum of f16 in f32": (lambda x: x.sum(dtype=torch.float32), lambda: torch.full((4,), 60000.0, dtype=torch.float16)),
    "sum of fractions in i64": (lambda x: x.sum(dtype=torch.int64), lambda: torch.tensor([0.6, 0.6, 0.6])),
    "mean of f16 in f32": (lambda x: x.mean(dtype=torch.float32), lambda: torch.full((4,), 60000.0, dtype=torch.float16)),
    "cumulative u8": (lambda x: (x.cumsum(0), x.cumprod(0)), lambda: u8(200, 100, 50)),
    "average pool of ceil_mode": (lambda x: F.avg_pool2d(x, 2, 2, ceil_mode=True), lambda: torch.arange(9.0).view(1, 1, 3, 3)),
    "average pool of ceil_mode with padding": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), lambda: torch.arange(36.0).view(1, 1, 6, 6)),
    "square of u8": (lambda x: x ** 2, lambda: u8(20)),
    "square of i32": (lambda x: x ** 2, lambda: torch.tensor([100000], dtype=torch.int32)),
    "i64 beyond f64": (lambda x: (x.div(1, rounding_mode="trunc"), x.div(3, rounding_mode="floor"), x.median()), lambda: torch.tensor([2 ** 53 + 1])),
    "fmod": (lambda x: (torch.fmod(x, torch.tensor([INF, 3.0])), torch.fmod(x, 3), torch.remainder(x, -3)), lambda: torch.tensor([1.0, 1e10])),
    "scalar tensors in promotion": (lambda x: ((x + torch.tensor(100)) > 100, x + torch.tensor(100), x * torch.tensor(1.5)), lambda: u8(200)),
    "any of u8": (lambda x: x.any(0) * 200 + 100 < 50, lambda: u8(1, 0, 2)),
    "least of u8": (lambda x: torch.topk(x, 2, largest=False), lambda: u8(3, 0, 1, 200)),
    "least of i8": (lambda x: torch.topk(x, 2, largest=False), lambda: torch.tensor([3, 0, -128, 100], dtype=torch.int8)),
    "amin without self": (lambda x: x.scatter_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([9, 3, 4]), "amin", include_self=False), lambda: torch.tensor([5, 6, 7, 8])),
    "sign of NaN": (lambda x: x.sign(), lambda: torch.tensor([NAN, -2.0, 0.0, 3.0])),
    "first NaN": (lambda x: (x.median(0), x.cummax(0), x.cummin(0), x.max(0), x.argmin(0), x.topk(3)), lambda: torch.tensor([1.0, NAN, 3.0, NAN, 0.0])),
    "channels last": (lambda x: x.relu().permute(0, 2, 3, 1).view(48, 3), lambda: torch.randn(2, 3, 4, 6).to(memory_format=torch.channels_last)),
    "channels last kept": (lambda x: (x * 2, x.sum(1)), lambda: torch.randn(2, 3, 4, 6).to(memory_format=torch.channels_last)),
    "columns of every second": (lambda x: x * 2, lambda: torch.randn(4, 6)[:, ::2]),
    "repeated rows": (lambda x: (x * 2, x.t().expand(3, 5, 4)), lambda: torch.randn(4, 1).expand(4, 5)),
    "conjugated": (lambda x: x * 2, lambda: torch.randn(4, 3, dtype=torch.complex64).conj().t()),
    "polar": (lambda x: torch.polar(x, x - 1), lambda: torch.randn(3, 4, dtype=torch.float64)),
    "complex sine": (lambda x: (x.sin() / 1e12, x.cos() / 1e12, x.sinh() / 1e12), lambda: torch.complex(*torch.meshgrid(torch.tensor([-30.0, -9, 1, 25]), torch.tensor([-30.0, -9, 2, 30]), indexing="ij"))),
    "logarithms of powers": (lambda x: (x.log2().floor(), x.float().log2().floor(), (10 ** x.log2()).float().log10().floor()), lambda: 2.0 ** torch.arange(-8, 9).double()),
    "conversions to small integers": (lambda x: (x.to(torch.uint8), x.to(torch.int8), x.to(torch.int16)), lambda: torch.tensor([-1.0, -200.0, 300.0, 3.7])),
    "no columns": (lambda x: (x.sum(1), x + 1, torch.cat([x, x]), x.amax(0)), lambda: torch.randn(4, 0)),
    **{f"{dtype} {how}": (lambda x: x.float() * 2, lambda dtype=dtype, make=make: make(torch.randn(4, 6).to(getattr(torch, dtype))))
       for dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float32")
       for how, make in (("transposed", lambda x: x.t()), ("unaligned", lambda x: x.view(-1)[1:]), ("with gaps", lambda x: x[:, 1:4]))},
}


def results(function, x):
    torch.manual_seed(3)
    return function(x)


@pytest.mark.parametrize("name", VALUES)
def test_values_types_and_strides(name, caplog):
    function, make = VALUES[name]
    x = make()
    with caplog.at_level(logging.WARNING, "stitch"):
        found = results(torch.compile(function, backend="stitch"), x)
    torch.testing.assert_close(found, results(function, x), rtol=1e-6, atol=1e-6, equal_nan=True, check_stride=True)
    assert not [r for r in caplog.records if r.name == "stitch"]  # nothing is left to PyTorch


def test_as_strided_of_views_at_other_places():
    base, function = torch.arange(12.0), lambda x: x.as_strided((2,), (1,), 4) * 2
    compiled = torch.compile(function, backend="stitch")
    for begin in (1, 2, 0, 1):
        torch.testing.assert_close(compiled(base[begin:begin + 6]), function(base[begin:begin + 6]))


CONVOLUTIONS = {
    "groups": lambda x, w: F.conv2d(x, w, None, 2, 1, 2, 2),
    "transposed": lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, 1),
    "transposed with groups": lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, 1, 2),
    "transposed with groups and dilation": lambda x, w: F.conv_transpose2d(x, w, None, 3, 2, 1, 2, 2),
    "strided": lambda x, w: F.conv2d(x, w.transpose(0, 1), None, (3, 2), (2, 0)),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_and_their_gradients(name, caplog):
    x, w = torch.randn(2, 4, 9, 8, requires_grad=True), torch.randn(4, 2 if name == "groups" else 3, 3, 3, requires_grad=True)
    if name == "strided":
        w = torch.randn(4, 5, 3, 3, requires_grad=True)

    def gradients(function):
        result = function(x, w)
        return result, torch.autograd.grad((result * torch.arange(result.numel()).view(result.shape)).sum(), (x, w))

    with caplog.at_level(logging.WARNING, "stitch"):
        found = gradients(torch.compile(CONVOLUTIONS[name], backend="stitch"))
    torch.testing.assert_close(found, gradients(CONVOLUTIONS[name]), rtol=1e-4, atol=1e-2)
    assert not caplog.records


E = torch.arange(30.0).view(5, 6)
ERRORS = {
    "embedding": (lambda i: F.embedding(i, E), IndexError),
    "index": (lambda i: E[i] + 1, IndexError),
    "negative index": (lambda i: E[i - 12], IndexError),
    "index_select": (lambda i: E.index_select(0, i), IndexError),
    "gather": (lambda i: E.gather(1, i[:, None]), RuntimeError),
    "scatter": (lambda i: E.scatter(1, i[:, None], 1.0), RuntimeError),
    "index_put": (lambda i: E.clone().index_put((i,), torch.tensor(1.0)), IndexError),
    "label": (lambda i: F.cross_entropy(E[:2], i), IndexError),
    "division": (lambda i: i // torch.tensor([0, 1]), RuntimeError),
    "truncating division": (lambda i: i.div(torch.tensor([0, 1]), rounding_mode="trunc"), RuntimeError),
    "remainder": (lambda i: i % torch.tensor([0, 1]), RuntimeError),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    function, kind = ERRORS[name]
    compiled, i = torch.compile(function, backend="stitch"), torch.tensor([1, 7])
    for call in (function, compiled, compiled):
        with pytest.raises(kind):
            call(i)


def test_indices_in_range_are_no_errors():
    i = torch.tensor([4, -5])
    torch.testing.assert_close(torch.compile(lambda i: (E[i], F.embedding(i.abs() % 5, E)), backend="stitch")(i), (E[i], F.embedding(i.abs() % 5, E)))


def seeded(call, *args):
    torch.manual_seed(5)
    return call(*args)


def test_random_numbers_come_in_the_order_of_the_program():
    def function(x):
        return torch.rand(3) + x.sum(), F.dropout(x * 2, 0.5) * 3, torch.randn(2).exp()

    x = torch.randn(3, 4)
    found, expected = (seeded(torch.compile(function, backend=b), x) for b in ("stitch", "aot_eager"))
    torch.testing.assert_close(found, expected)


def test_checkpointed_dropout_has_a_mask_for_each_call():
    def block(x):
        return F.dropout(x.sin(), 0.5) * x

    def function(x):
        return torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)

    def gradients(call):
        x = torch.ones(64, requires_grad=True)
        found = []
        torch.manual_seed(5)
        for _ in range(2):
            y = call(x)
            found += [y.detach(), *torch.autograd.grad(y.sum(), x)]
        return found

    found, expected = (gradients(torch.compile(function, backend=b)) for b in ("stitch", "aot_eager"))
    torch.testing.assert_close(found, expected)
    assert not torch.equal(found[0], found[2])  # another mask
    assert torch.equal(found[0] == 0, found[1] == 0)  # the same one in the gradient


def test_gradients_of_solve_leave_that_operator(caplog):
    def function(x):
        return torch.linalg.solve(x, torch.ones(3)).sum() + torch.logdet(x).sin()

    def gradient(call):
        x = (torch.eye(3) * 2 + torch.arange(9.0).view(3, 3) / 10).requires_grad_()
        return torch.autograd.grad(call(x), x)[0]

    with caplog.at_level(logging.WARNING, "stitch"):
        found = gradient(torch.compile(function, backend="stitch"))
    torch.testing.assert_close(found, gradient(function), rtol=1e-4, atol=1e-5)
    assert 0 < len(caplog.records) <= 4


@pytest.mark.parametrize("options", [{"plan": "nonsense"}, {"plans": "best"}, {"device": "cuda"}])
def test_options_that_are_wrong_are_errors(options):
    with pytest.raises(Exception, match="nonsense|has no option"):
        torch.compile(lambda x: x + 1, backend="stitch", options=options)(torch.ones(3))
