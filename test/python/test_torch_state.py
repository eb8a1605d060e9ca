# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches, buffers and parameters that graphs change, loops of calls, optimizers and modules, through torch.compile(backend="stitch")."""
import logging
import os
import subprocess
import sys

import pytest
from conftest import SOURCE

torch = pytest.importorskip("torch")
import stitch.torch  # noqa: E402

F = torch.nn.functional


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


@pytest.fixture
def compilations(monkeypatch):
    """The models that are compiled."""
    made, compile_ = [], stitch.compile

    def counted(*args, **kwargs):
        made.append(compile_(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(stitch, "compile", counted)
    return made


def left(caplog):
    """The lines that say what is left to PyTorch."""
    return [r.getMessage() for r in caplog.records if r.name == "stitch"]


def put_row(cache, row, position):
    cache[:, :, position:position + 1] = row[:, :, None]
    return cache.sum(-1) * position


def put_row_at(cache, row, position):
    cache.index_copy_(2, position, row[:, :, None])
    return cache.sum(-1)


def put_rows_by_index(cache, row, position):
    cache[:, :, position] = row[:, :, None]
    return cache.amax(-1)


STEPS = {"a slice": (put_row, lambda i: i), "index_copy_": (put_row_at, lambda i: torch.tensor([i])), "an index": (put_rows_by_index, lambda i: torch.tensor([i]))}


@pytest.mark.parametrize("name", STEPS)
def test_a_static_cache_is_compiled_twice_at_most(name, compilations, caplog):
    function, position = STEPS[name]
    compiled, caches = torch.compile(function, backend="stitch"), [torch.zeros(2, 3, 16, 8) for _ in range(2)]
    with torch.no_grad(), caplog.at_level(logging.WARNING, "stitch"):
        for i in range(12):
            row = torch.randn(2, 3, 8)
            found, expected = (call(cache, row, position(i)) for call, cache in zip((compiled, function), caches, strict=True))
            torch.testing.assert_close(found, expected)
            assert torch.equal(*caches)
    assert len(compilations) <= 2 and not left(caplog)


@pytest.mark.parametrize("how", ["index_copy_", "a tensor", "a tensor that counts from the end", "index_fill_", "a number"])
def test_rows_of_a_cache_are_written_where_they_are(how, monkeypatch):
    """The runtime gets the cache's own memory for the output that is it."""
    seen, run = [], stitch.Model.run_at
    monkeypatch.setattr(stitch.Model, "run_at", lambda self, addresses, gpu=None: seen.append(list(addresses)) or run(self, addresses, gpu))

    def function(cache, row, position):
        if how == "index_copy_":
            cache.index_copy_(1, position, row)
        elif how == "index_fill_":
            cache.index_fill_(1, position, 3)
        elif how == "a number":
            cache[:, 5] = row[:, 0]
        else:
            cache[:, position] = row
        return row * 2

    caches, row, position = [torch.zeros(3, 16, 8) for _ in range(2)], torch.randn(3, 1, 8), torch.tensor([-11 if how.endswith("end") else 5])
    torch.testing.assert_close(torch.compile(function, backend="stitch")(caches[0], row, position), function(caches[1], row, position))
    assert torch.equal(*caches) and caches[0].count_nonzero() == 24
    assert len(seen) == 1 and seen[0].count(caches[0].data_ptr()) == 2


def test_a_cache_that_another_argument_is_in_is_not_written_before_it_is_read():
    def function(cache, row):
        cache[1:2] = row
        return row * 2

    found, expected = torch.arange(12.0).view(3, 4), torch.arange(12.0).view(3, 4)
    torch.testing.assert_close(torch.compile(function, backend="stitch")(found, found[:1]), function(expected, expected[:1]))
    torch.testing.assert_close(found, expected)


def test_a_growing_cache_is_compiled_for_a_few_sizes_only(compilations, caplog):
    function = torch.compile(lambda cache, row: torch.cat([cache, row]).cumsum(0), backend="stitch")
    cache = torch.zeros(1, 4)
    with caplog.at_level(logging.WARNING, "stitch"):
        for _ in range(12):
            row = torch.randn(1, 4)
            grown = function(cache, row)
            torch.testing.assert_close(grown, torch.cat([cache, row]).cumsum(0))
            cache = torch.cat([cache, row])
    assert len(compilations) <= 2 and caplog.text.count("for other sizes") == 1


def test_sizes_in_no_order_are_compiled(compilations, caplog):
    function = torch.compile(lambda x: x.cumsum(0), backend="stitch")
    with caplog.at_level(logging.WARNING, "stitch"):
        for size in (9, 4, 5, 7, 3, 12, 5, 6, 4):  # among them steps by one
            x = torch.randn(size, 4)
            torch.testing.assert_close(function(x), x.cumsum(0))
    assert len(compilations) >= 5 and "for other sizes" in caplog.text


@pytest.mark.parametrize("kind", ["an int as the position", "a cache that grows", "a static cache"])
def test_sixty_steps_of_decoding_are_compiled_three_times_at_most(kind, compilations):
    """A layer of attention: the prompt, then a token a call."""
    torch.manual_seed(2)
    weights = torch.randn(16, 48) / 4

    def step(x, keys, values, at):
        query, key, value = (x @ weights).view(*x.shape[:2], 3, 4, 4).transpose(1, 3).unbind(2)
        if kind == "a cache that grows":
            keys, values = torch.cat([keys, key], 2), torch.cat([values, value], 2)
            mask = None
        elif kind == "a static cache":
            keys.index_copy_(2, at, key)
            values.index_copy_(2, at, value)
            mask = torch.arange(keys.shape[2]) <= at[:, None]
        else:
            keys[:, :, at:at + key.shape[2]] = key
            values[:, :, at:at + key.shape[2]] = value
            mask = torch.arange(keys.shape[2]) <= at + torch.arange(key.shape[2])[:, None]
        found = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
        return found.transpose(1, 2).flatten(2), keys, values

    def decode(function):
        torch.manual_seed(3)
        size, found = 0 if kind == "a cache that grows" else 80, []
        keys, values = torch.zeros(1, 4, size, 4), torch.zeros(1, 4, size, 4)
        x, at = torch.randn(1, 5, 16), 0
        for _ in range(61):
            place = torch.arange(at, at + x.shape[1]) if kind == "a static cache" else at
            at += x.shape[1]
            x, keys, values = function(x, keys, values, place)
            x = x[:, -1:].tanh()
            found.append(x)
        return torch.cat(found, 1)

    with torch.no_grad():
        expected = decode(step)
        torch.testing.assert_close(decode(torch.compile(step, backend="stitch")), expected, rtol=1e-4, atol=1e-5)
    assert len(compilations) <= 3


def test_a_number_that_changes_is_an_input(compilations):
    function = torch.compile(lambda x, n: x * n + torch.where(x > n, n, 0), backend="stitch")
    for n in range(2, 12):
        torch.testing.assert_close(function(torch.ones(4), n), torch.full((4,), float(n)))
    assert len(compilations) <= 3  # Dynamo takes the first n as a constant


def test_a_count_of_calls_is_no_reason_to_compile(compilations):
    """As caches of models keep one, which no tensor depends on."""
    class Cache:
        def __init__(self):
            self.count, self.total = 0, torch.zeros(4)

    def step(cache, x):
        cache.count += 1
        cache.total.add_(x)
        return cache.total * 2, (cache.count - 1) * 3

    found, expected = Cache(), Cache()
    compiled = torch.compile(step, backend="stitch")
    for i in range(8):
        x = torch.full((4,), float(i))
        torch.testing.assert_close(compiled(found, x), step(expected, x))
    assert found.count == 8 and torch.equal(found.total, expected.total) and len(compilations) <= 2


def test_ints_that_are_computed_are_inputs(compilations):
    def step(x, n):
        return x * torch.sym_max(n - 5, 3) + torch.where(x > torch.sym_min(n, 7), n + n + 2, 2 * n - 1)

    function = torch.compile(step, backend="stitch")
    for n in range(2, 14):
        torch.testing.assert_close(function(torch.arange(9), n), step(torch.arange(9), n))
    assert len(compilations) <= 3  # Dynamo takes the first n as a constant


MUTATIONS = {
    "the argument and a view of it": lambda x: (x.t().add_(1), x[0].mul_(2), x.sum())[2],
    "twice": lambda x: (x.add_(1), x.mul_(x))[1] + 1,
    "what is returned": lambda x: x.relu_(),
    "a part": lambda x: x[1:, ::2].zero_().sum(),
    "all": lambda x: x.copy_(x.flip(0)) * 2,
    "nothing else": lambda x: (x.fill_(3.0), None)[1],
}


@pytest.mark.parametrize("make", [lambda: torch.randn(4, 6), lambda: torch.randn(6, 4).t(), lambda: torch.randn(4, 12)[:, ::2]])
@pytest.mark.parametrize("name", MUTATIONS)
def test_arguments_that_are_changed(name, make):
    found = make()
    expected = found.clone(memory_format=torch.preserve_format)
    torch.testing.assert_close(torch.compile(MUTATIONS[name], backend="stitch")(found), MUTATIONS[name](expected))
    torch.testing.assert_close(found, expected)


OPTIMIZERS = {
    "AdamW": lambda p: torch.optim.AdamW(p, 1e-2, foreach=False), "AdamW of lists": lambda p: torch.optim.AdamW(p, 1e-2, foreach=True),
    "Adam with a tensor": lambda p: torch.optim.Adam(p, torch.tensor(1e-2)), "SGD": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True),
    "Adagrad": lambda p: torch.optim.Adagrad(p, 0.1), "RMSprop": lambda p: torch.optim.RMSprop(p, 1e-2, centered=True),
    "fused AdamW": lambda p: torch.optim.AdamW(p, 1e-2, fused=True), "fused Adam": lambda p: torch.optim.Adam(p, 1e-2, weight_decay=0.1, maximize=True, fused=True),
    "fused AdamW with amsgrad": lambda p: torch.optim.AdamW(p, torch.tensor(1e-2), betas=(0.3, 0.99), amsgrad=True, fused=True),
    "fused SGD": lambda p: torch.optim.SGD(p, 0.1, fused=True),
    "fused SGD with momentum": lambda p: torch.optim.SGD(p, torch.tensor(0.1), momentum=0.9, nesterov=True, weight_decay=0.1, fused=True),
    "fused Adagrad": lambda p: torch.optim.Adagrad(p, 0.1, lr_decay=0.1, weight_decay=0.1, fused=True),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_compile_whole(name, compilations, caplog):
    def train(wrap):
        torch.manual_seed(1)
        module = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
        optimizer, x = OPTIMIZERS[name](module.parameters()), torch.randn(16, 8)
        step = wrap(optimizer.step)
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(module(x), torch.arange(16) % 4).backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            step()
        return [p.detach() for p in module.parameters()]

    expected = train(lambda step: step)
    with caplog.at_level(logging.WARNING, "stitch"):
        found = train(lambda step: torch.compile(lambda: step(), backend="stitch"))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert not left(caplog) and compilations[-1].stats["launches"] <= 4  # for all parameters


FUSED = {
    "_fused_adamw_": (4, {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.1, "eps": 1e-8, "amsgrad": True, "maximize": False}),
    "_fused_adam_": (4, {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.1, "eps": 1e-8, "amsgrad": False, "maximize": True}),
    "_fused_sgd_": (2, {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "dampening": 0.1, "nesterov": False, "maximize": False, "is_first_step": False}),
    "_fused_adagrad_": (2, {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "eps": 1e-8, "maximize": False}),
}


@pytest.mark.parametrize("found_inf", [None, 0.0, 1.0])
@pytest.mark.parametrize("scale", [None, 4.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", FUSED)
def test_fused_optimizers_change_what_they_say(name, dtype, scale, found_inf, compilations, caplog):
    count, options = FUSED[name]
    shape = (3, 2) if dtype is torch.bfloat16 else (4, 5)  # PyTorch's SGD for CPUs leaves parameters out where a vector of halves is full

    def lists():
        torch.manual_seed(3)
        made = [[torch.randn(shape).abs().to(dtype), torch.randn(7).abs().to(dtype)] for _ in range(2 + max(1, count - 1))]
        return made if "adam" not in name or options["amsgrad"] else [*made[:4], []]

    def step(*tensors):
        given, steps, numbers = [list(x) for x in tensors[0]], list(tensors[1]), {"grad_scale": tensors[2], "found_inf": tensors[3]}
        getattr(torch.ops.aten, name)(*given, *([steps] if "sgd" not in name else []), **options, **numbers)

    def call(function):
        made, steps = lists(), [torch.tensor(2.0), torch.tensor(5.0)]
        function(made, steps, None if scale is None else torch.tensor(scale), None if found_inf is None else torch.tensor(found_inf))
        return made

    expected = call(step)
    with caplog.at_level(logging.WARNING, "stitch"):
        found = call(torch.compile(step, backend="stitch", fullgraph=True))
    torch.testing.assert_close(found, expected)
    assert not left(caplog) and len(compilations) == 1


def test_other_backends_leave_fused_optimizers(compilations):
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    graphs = []

    def listed(module, _inputs):
        graphs.append(str(module.graph))
        return module

    torch.compile(torch.optim.AdamW([parameter], fused=True).step, backend=listed)()
    assert not any("_fused" in graph or "sqrt" in graph for graph in graphs) and not compilations


class Changes(torch.nn.Module):
    def forward(self, x):
        x.add_(1)
        return x * 2


class Returns(torch.nn.Module):
    def __init__(self, what):
        super().__init__()
        self.what = what

    def forward(self, x):
        return x * 2, self.what


class Chooses(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: (x + 1, x.sum(0)), lambda x: (x - 1, x.amax(0)), (x,))


class Loops(torch.nn.Module):
    def forward(self, x):
        while x.sum() < 5:
            x = x + 1
        return x


class Itself(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(12.0).view(4, 3))

    def forward(self, x):
        return x, x.t(), self.weight, self.weight.t()


@pytest.mark.parametrize(("module", "what"), [
    (Changes(), "changes its argument x: use torch.compile"), (Returns(None), "result 1 of the module is None, and no tensor"),
    (Returns(3), "result 1 of the module is 3, and no tensor"), (Loops(), "torch.export does not take the module: "),
])
def test_modules_that_are_no_functions_are_refused(module, what):
    with pytest.raises(stitch.StitchError, match=what):
        stitch.compile(module, (torch.randn(4, 3),))


@pytest.mark.parametrize("module", [Chooses(), Itself()])
@pytest.mark.parametrize("sign", [1, -1])
def test_modules_that_choose_or_return_arguments(module, sign):
    x = torch.full((4, 3), float(sign))
    for found, expected in zip(stitch.compile(module, (x,))(x), module(x), strict=True):
        torch.testing.assert_close(torch.from_numpy(found), expected.detach())


def test_branches_and_their_gradients(caplog):
    function = lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)).sum()  # noqa: E731
    with caplog.at_level(logging.WARNING, "stitch"):
        for x in (torch.ones(3, requires_grad=True), torch.full((3,), -2.0, requires_grad=True)):
            found, expected = (torch.autograd.grad(call(x), x) for call in (torch.compile(function, backend="stitch"), function))
            torch.testing.assert_close(found, expected)
    assert not left(caplog)


VIEWS = {
    "of an argument": lambda x: x.tensor_split(2)[-1], "of one that is changed": lambda x: (x[1:], x.mul_(2))[0], "transposed": lambda x: x[1:].t(),
    "of a result": lambda x: (y := x * 2, y[2:])[1], "repeated": lambda x: x[1].expand(2, 4), "of a view": lambda x: x[2:, 1:] if x.storage_offset() else x[1:],
    "of one that is changed, transposed": lambda x: (x[1:].t(), x.mul_(2))[0], "of one that is changed, repeated": lambda x: (x[1].expand(2, 4), x.mul_(2))[0],
    "of a part of complex numbers": lambda x: x[1].imag, "of a part of complex numbers, repeated": lambda x: x[1].imag.expand(2, 4),
}


@pytest.mark.parametrize("name", VIEWS)
def test_results_that_are_views_of_open_sizes(name):
    function = torch.compile(VIEWS[name], backend="stitch", dynamic=True)
    for x in (torch.randn(6, 4), torch.randn(7, 4), torch.randn(9, 4)[1:], torch.randn(12, 4)[4:]):
        x = torch.complex(x, x + 1) if "complex" in name else x
        given, expected = x.clone() if "changed" in name else x, x.clone() if "changed" in name else x
        found = function(given)
        torch.testing.assert_close(found, VIEWS[name](expected))
        if name == "of an argument":
            assert found.data_ptr() == VIEWS[name](given).data_ptr()


def test_random_programs():
    run = subprocess.run([sys.executable, SOURCE / "test" / "generators" / "random_torch.py", "--count", "40"], env={**os.environ, "PYTHONPATH": str(SOURCE / "python")},
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "40 programs, 0 wrong" in run.stdout, run.stdout + run.stderr
