# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="stitch") beside eager PyTorch; in the environment of tools/setup.sh --torch."""
import logging
import os
import subprocess
import sys

import pytest
from conftest import SOURCE

torch = pytest.importorskip("torch")
import stitch.torch  # noqa: E402

N = torch.nn
MODULES = {
    "mlp": lambda: (N.Sequential(N.Linear(6, 12), N.LayerNorm(12), N.GELU(), N.Linear(12, 3)), (4, 6)),
    "softmax": lambda: (N.Sequential(N.Linear(6, 12), N.LogSoftmax(-1)), (4, 6)),
    "convolutions": lambda: (N.Sequential(N.Conv2d(3, 8, 3, padding=1), N.ReLU(), N.Conv2d(8, 4, 3, stride=2, groups=2)), (2, 3, 8, 8)),
    "max_pool": lambda: (N.Sequential(N.Conv2d(3, 8, 3, padding=1), N.MaxPool2d(2)), (2, 3, 8, 8)),
    "group_norm": lambda: (N.Sequential(N.Conv2d(3, 8, 1), N.GroupNorm(2, 8), N.SiLU()), (2, 3, 8, 8)),
    "batch_norm": lambda: (N.Sequential(N.Linear(6, 8), N.BatchNorm1d(8), N.Tanh()).eval(), (4, 6)),
    "transformer": lambda: (N.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), (2, 5, 16)),
}


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def gradients(module, x):
    result = module(x)
    return result, torch.autograd.grad(result.square().mean(), list(module.parameters()) + [x])


@pytest.mark.parametrize("name", MODULES)
def test_module(name, caplog):
    module, shape = MODULES[name]()
    x = torch.randn(shape, requires_grad=True)
    with caplog.at_level(logging.WARNING, "stitch"):
        found = gradients(torch.compile(module, backend="stitch"), x)
    expected = gradients(module, x)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5, check_stride=False)
    assert not caplog.records  # nothing is left to PyTorch


def test_training_with_batch_norm_changes_its_statistics():
    modules = [N.Sequential(N.Linear(6, 8), N.BatchNorm1d(8)) for _ in range(2)]
    modules[1].load_state_dict(modules[0].state_dict())
    x = torch.randn(4, 6)
    torch.testing.assert_close(torch.compile(modules[0], backend="stitch")(x), modules[1](x), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(modules[0].state_dict(), modules[1].state_dict(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64", "int64", "int32", "uint8", "bool"])
def test_types(dtype):
    x = torch.arange(12).reshape(3, 4).remainder(5).to(getattr(torch, dtype))
    function = lambda x: (torch.where(x > x[:1], x, x.flip(0)), x.t())  # noqa: E731
    for found, expected in zip(torch.compile(function, backend="stitch")(x), function(x), strict=True):
        assert found.dtype == expected.dtype and torch.equal(found, expected)


def test_random_numbers_are_left_to_pytorch(caplog):
    with caplog.at_level(logging.WARNING, "stitch"):
        torch.compile(lambda x: torch.rand_like(x) + 1, backend="stitch")(torch.ones(3))
    assert len(caplog.records) == 1 and "rand" in caplog.text


def test_graph_breaks():
    def function(x):
        x = x * 2
        torch._dynamo.graph_break()
        return x + 1

    torch.testing.assert_close(torch.compile(function, backend="stitch")(torch.ones(3)), torch.full((3,), 3.0))


def test_sizes_that_change():
    function = torch.compile(lambda x: x.sum(0) * x.shape[0], backend="stitch")
    for n in (2, 3, 5, 7):
        torch.testing.assert_close(function(torch.ones(n, 3)), torch.full((3,), float(n * n)))


def test_mutation_and_views():
    def function(x):
        x.add_(1)
        return x.t() * 2

    x, y = torch.ones(2, 3), torch.ones(2, 3)
    torch.testing.assert_close(torch.compile(function, backend="stitch")(x), function(y))
    torch.testing.assert_close(x, y)


def test_options():
    assert torch.compile(lambda x: x.exp(), backend="stitch", options={"plan": "astitch"})(torch.zeros(4)).tolist() == [1.0] * 4


def test_training_lowers_the_loss_as_eager_does():
    def train(compile_it):
        torch.manual_seed(0)
        module = N.Sequential(N.Linear(8, 16), N.GELU(), N.Linear(16, 4))
        step, optimizer = compile_it(module), torch.optim.AdamW(module.parameters(), 1e-2)
        x, labels, losses = torch.randn(16, 8), torch.arange(16).remainder(4), []
        for _ in range(20):
            optimizer.zero_grad()
            loss = N.functional.cross_entropy(step(x), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return torch.tensor(losses)

    found, expected = train(lambda m: torch.compile(m, backend="stitch")), train(lambda m: m)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert found[-1] < found[0]


def test_example():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
    run = subprocess.run([sys.executable, SOURCE / "examples" / "torch_nanogpt.py"], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "largest relative difference" in run.stdout and "left to PyTorch" not in run.stderr, run.stdout + run.stderr
