# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="stitch") beside eager PyTorch; in the environment of tools/setup.sh --torch."""
import logging
import os
import pathlib
import subprocess
import sys
import time

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


@pytest.mark.parametrize("name", MODULES)
def test_compiled_module(name):
    module, shape = MODULES[name]()
    x = torch.randn(shape)
    model = stitch.compile(module.eval(), (x,))
    torch.testing.assert_close(torch.from_numpy(model(x)[0]), module(x).detach(), rtol=1e-4, atol=1e-5)
    assert [i.shape for i in model.inputs] == [shape]  # weights are constants


class Shifted(N.Module):
    """A buffer, a constant, and arguments in a structure, of which one is no tensor."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor([2.0, 3.0]), persistent=False)

    def forward(self, pair, power, other):
        return {"sum": pair[0] ** power * self.scale + torch.tensor([0.5, 0.25]), "difference": (pair[1] - other,)}


def test_compiled_module_with_structures_and_a_number():
    x, y, z = torch.randn(3, 2), torch.arange(5), torch.full((5,), 2)
    module = Shifted()
    expected = module((x, y), 3, z)
    total, difference = stitch.compile(module, ((x, y), 3, z))(x, y, z)
    torch.testing.assert_close(torch.from_numpy(total), expected["sum"], rtol=1e-6, atol=1e-6)
    assert torch.equal(torch.from_numpy(difference), expected["difference"][0])


class Random(N.Module):
    def forward(self, x):
        return N.functional.dropout(x)


def test_modules_that_are_refused():
    with pytest.raises(stitch.StitchError, match=r"test_torch.py:\d+: aten\.\S+: random numbers are PyTorch's own"):
        stitch.compile(Random(), (torch.randn(3, 2),))
    with pytest.raises(stitch.StitchError, match="the module changes its buffer running_mean: eval"):
        stitch.compile(N.BatchNorm1d(2), (torch.randn(3, 2),))


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


def left_to_pytorch(function, *args, caplog, around=lambda call: call):
    """A stitched function beside eager PyTorch; the lines in the log, and how many graphs were compiled."""
    compiled, found = [], []
    stitch_compile = stitch.compile
    with pytest.MonkeyPatch.context() as patch, caplog.at_level(logging.WARNING, "stitch"):
        patch.setattr(stitch, "compile", lambda *a, **k: compiled.append(k["name"]) or stitch_compile(*a, **k))
        for call in (torch.compile(function, backend="stitch"), function):
            torch.manual_seed(3)
            found.append(around(call)(*args))
    torch.testing.assert_close(found[0], found[1], rtol=1e-5, atol=1e-6)
    return [r.getMessage() for r in caplog.records], len(compiled)


def test_random_numbers_are_left_to_pytorch(caplog):
    lines, pieces = left_to_pytorch(lambda x: (x.exp() * torch.rand_like(x) + 1).log(), torch.ones(3), caplog=caplog)
    assert len(lines) == 1 and "aten.rand" in lines[0] and pieces in (1, 2)


def test_an_operator_that_is_not_known_is_left_to_pytorch_alone(caplog):
    def function(x):
        reflectors, factors = torch.geqrf(x.exp())
        return reflectors.exp() + 1, factors * 2, x.sum()

    lines, pieces = left_to_pytorch(function, torch.randn(4, 5), caplog=caplog)
    assert len(lines) == 1 and "aten.geqrf.default: it has no lowering" in lines[0] and pieces >= 2


def test_an_operator_that_fails_is_left_to_pytorch_alone(caplog):
    lines, pieces = left_to_pytorch(lambda x: x.exp().mode(0).indices + x.sin(), torch.randn(4), caplog=caplog)
    assert len(lines) == 1 and "aten.mode.default: which one of equal elements" in lines[0] and pieces >= 2


def test_gradients_around_an_operator_that_is_left_to_pytorch(caplog):
    first, last, x = N.Linear(4, 6), N.Linear(6, 3), torch.randn(5, 4, requires_grad=True)

    def function(x):
        hidden = first(x)
        return last(hidden * (torch.rand_like(hidden) > 0.5))

    def with_gradients(call):
        return lambda x: (result := call(x), torch.autograd.grad(result.square().sum(), [x, *first.parameters(), *last.parameters()]))

    lines, pieces = left_to_pytorch(function, x, caplog=caplog, around=with_gradients)
    assert len(lines) == 1 and "random numbers" in lines[0] and pieces >= 2


def gradient_of(function, x):
    x = x.clone().requires_grad_()
    (function(x) * torch.arange(1.0, 8.0)).sum().backward()
    return x.grad


def test_elements_that_are_taken_twice_have_both_gradients():
    x, index = torch.randn(5, 3), torch.tensor([1, 14, 1, 0, 1, 7, 14])
    found = gradient_of(torch.compile(lambda x: torch.take(x, index), backend="stitch"), x)
    torch.testing.assert_close(found, gradient_of(lambda x: torch.take(x, index), x))


def test_polygamma_of_negative_numbers(caplog):
    x = torch.linspace(-3.3, 3.4, 7)
    found = gradient_of(torch.compile(torch.digamma, backend="stitch"), x)
    torch.testing.assert_close(found, gradient_of(torch.digamma, x))
    assert "left to PyTorch" not in caplog.text


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


def test_a_dimension_that_is_marked():
    function, x = torch.compile(lambda x: x.softmax(-1) * x.shape[0], backend="stitch"), torch.randn(4, 3)
    torch._dynamo.mark_dynamic(x, 0)
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    for n in (4, 2, 9):
        given = x if n == 4 else torch.randn(n, 3)
        torch.testing.assert_close(function(given), given.softmax(-1) * n)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == graphs + 1


def test_parameters_are_passed_as_pointers(monkeypatch):
    """What the runtime gets is where the parameters are, also after the optimiser has changed them."""
    module, x, seen = N.Linear(6, 8), torch.randn(4, 6), set()
    run = stitch.Model.run_at
    monkeypatch.setattr(stitch.Model, "run_at", lambda self, addresses, gpu=None: seen.update(addresses) or run(self, addresses, gpu))
    compiled = torch.compile(module, backend="stitch")
    with torch.no_grad():
        for _ in range(2):
            seen.clear()
            torch.testing.assert_close(compiled(x), N.functional.linear(x, module.weight, module.bias), rtol=1e-5, atol=1e-5)
            assert {module.weight.data_ptr(), module.bias.data_ptr(), x.data_ptr()} <= seen
            module.weight.mul_(2)


def test_a_graph_is_put_on_the_current_stream(monkeypatch):
    """There is no GPU here: a stand-in for its tensor and stream. test_model.py runs a model on a stream of the test double."""
    tensor = type("Tensor", (), {"is_cuda": True, "device": torch.device("cuda", 1)})()
    for stream, expected in ((0, 1), (0x1234, 0x1234)):
        monkeypatch.setattr(torch.cuda, "current_stream", lambda device, stream=stream: type("Stream", (), {"cuda_stream": stream})())
        assert stitch.torch._device_of([torch.ones(1), tensor]) == ("cuda:1", expected)
    assert stitch.torch._device_of([torch.ones(1)]) == ("simt", 0)


ON_THE_DOUBLE = """
import torch, stitch.torch
stitch.torch._device_of = lambda tensors: ("cuda", 1)
torch.from_dlpack = lambda output: torch.from_numpy(output.numpy())  # this PyTorch sees no GPU
torch.manual_seed(0)
module, x = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.LayerNorm(12), torch.nn.Tanh()), torch.randn(4, 6)
compiled = torch.compile(module, backend="stitch", options={"target": "simt,sm_90"})
found, expected = [(y, *torch.autograd.grad(y.square().sum(), list(module.parameters()))) for y in (compiled(x), module(x))]
torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
print("as PyTorch")
"""


def test_gpu_on_the_test_double():
    """Forward and backward, put on a stream that is not the session's own."""
    double = pathlib.Path(os.environ["STITCH_BUILD"]) / "test" / "cuda_double" / "all"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "STITCH_CUDA_LIBRARIES": str(double)}
    run = subprocess.run([sys.executable, "-c", ON_THE_DOUBLE], env=environment, capture_output=True, text=True, check=False)
    assert run.stdout.endswith("as PyTorch\n"), run.stdout + run.stderr
    assert "left to PyTorch" not in run.stderr


def test_call_overhead(capsys):
    """Of a tiny model, beside what PyTorch itself takes."""
    x = torch.ones(4)

    def median(call, times=1001):
        seconds = []
        for _ in range(times):
            begin = time.perf_counter()
            call(x)
            seconds.append(time.perf_counter() - begin)
        return sorted(seconds)[times // 2] * 1e6

    compiled = {name: torch.compile(lambda x: x.exp(), backend=name) for name in ("stitch", "aot_eager")}
    [call(x) for call in compiled.values()]
    stitched, own = (median(compiled[name]) for name in ("stitch", "aot_eager"))
    with capsys.disabled():
        print(f"\na call through torch.compile: {stitched:.1f} us, {stitched / own:.2f} of PyTorch's own (aot_eager)")
    assert stitched < own + 200


def test_mutation_and_views():
    def function(x):
        x.add_(1)
        return x.t() * 2

    x, y = torch.ones(2, 3), torch.ones(2, 3)
    torch.testing.assert_close(torch.compile(function, backend="stitch")(x), function(y))
    torch.testing.assert_close(x, y)


def test_options():
    assert torch.compile(lambda x: x.exp(), backend="stitch", options={"plan": "astitch"})(torch.zeros(4)).tolist() == [1.0] * 4


def test_rules(tmp_path):
    path = tmp_path / "rules"
    x = torch.linspace(0, 1, 64)

    def f(x):
        return x.exp().sin()

    path.write_text("stitch-rules 1\nalone exp\nnever elsewhere\n")  # of another graph
    torch.testing.assert_close(torch.compile(f, backend="stitch", options={"rules": str(path)})(x), f(x))
    for text, said in (("fuse exp", "expected together"), ("together exp sin\nalone sin", "contradicts")):
        torch._dynamo.reset()
        path.write_text(f"stitch-rules 1\n{text}\n")
        with pytest.raises(Exception, match=said):
            torch.compile(f, backend="stitch", options={"rules": path})(x)


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


@pytest.mark.parametrize("name", ["torch_nanogpt.py", "torch_resnet.py"])
def test_example(name):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
    run = subprocess.run([sys.executable, SOURCE / "examples" / name], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "largest relative difference" in run.stdout and "left to PyTorch" not in run.stderr, run.stdout + run.stderr


def test_a_llama_with_a_static_cache_has_the_tokens_of_eager_pytorch():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
    run = subprocess.run([sys.executable, SOURCE / "examples" / "torch_llama.py"], env=environment, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and lines[-1] == "programs 2" and "left to PyTorch" not in run.stderr, run.stdout + run.stderr
    tokens = lines[0].removeprefix("stitched ")
    assert tokens == lines[1].removeprefix("eager    ") and len(set(tokens.split(", "))) > 10
