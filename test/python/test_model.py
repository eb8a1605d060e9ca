# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stitch.compile, stitch.load and what a Model has."""
import gc
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import SOURCE

import stitch

SOFTMAX = SOURCE / "test" / "lit" / "tools" / "Inputs" / "softmax.mlir"
TEXT = """func.func @main(%x: tensor<4x8xf32>, %n: tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4xi32>) {
  %y = tg.exp %x : tensor<4x8xf32>
  %m = tg.add %n, %n : tensor<4xi32>
  return %y, %m : tensor<4x8xf32>, tensor<4xi32>
}
"""


@pytest.fixture(scope="module")
def model():
    return stitch.compile(TEXT)


@pytest.fixture
def inputs(rng):
    return rng.standard_normal((4, 8)).astype(np.float32), np.arange(4, dtype=np.int32)


def check(outputs, inputs):
    np.testing.assert_allclose(outputs[0], np.exp(inputs[0]), rtol=1e-6)
    np.testing.assert_array_equal(outputs[1], np.asarray(inputs[1]) * 2)


@pytest.mark.parametrize("kind", ["text", "bytes", "path", "str path", "function"])
def test_sources(kind, inputs, tmp_path):
    path = tmp_path / "model.mlir"
    path.write_text(TEXT)
    given = {"text": TEXT, "bytes": TEXT.encode(), "path": path, "str path": str(path)}.get(kind, lambda x, n: (jnp.exp(x), n + n))
    check(stitch.compile(given, inputs if kind == "function" else None)(*inputs), inputs)


def test_example_arguments_are_a_tuple():
    with pytest.raises(TypeError, match="example_args are a tuple, with an element for each argument, not ndarray"):
        stitch.compile(jnp.exp, np.ones(3))


def test_specs(model):
    assert [(s.shape, s.dtype) for s in model.inputs] == [((4, 8), np.float32), ((4,), np.int32)]
    assert [s.name for s in model.outputs] == ["out0", "out1"] and "float32[4, 8]" in repr(model)


def test_dlpack_inputs(model, inputs):
    check(model(*map(jnp.asarray, inputs)), inputs)


def test_inputs_without_their_layout(model, inputs):
    x = np.asfortranarray(inputs[0])
    check(model(x, inputs[1]), inputs)
    check(model(inputs[0][::-1], inputs[1]), (inputs[0][::-1], inputs[1]))
    unaligned = np.frombuffer(b"...." + inputs[0].tobytes(), np.float32)[1:].reshape(4, 8)
    check(model(unaligned, inputs[1]), inputs)


def test_jax_takes_outputs_without_a_copy(model, inputs):
    output = model(*inputs)[0]
    assert jnp.from_dlpack(output).unsafe_buffer_pointer() == output.__array_interface__["data"][0]


@pytest.mark.parametrize("change,error,message", [
    (lambda x, n: (x,), TypeError, "has 2 inputs, and 1 are given"),
    (lambda x, n: (x[:2], n), stitch.StitchError, r"f32\[2,8\]"),
    (lambda x, n: (x.astype(np.float64), n), stitch.StitchError, r"f64\[4,8\]"),
    (lambda x, n: (x.astype("datetime64[s]"), n), TypeError, "no type datetime64"),
    (lambda x, n: ("text", n), TypeError, "no type"),
], ids=["number", "shape", "type", "no type", "text"])
def test_wrong_inputs(model, inputs, change, error, message):
    with pytest.raises(error, match=message):
        model(*change(*inputs))


@pytest.mark.parametrize("text,line,message", [
    ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}\n", 2, "undeclared SSA value"),
    ('func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n\n  %y = "a.b"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n', 3,
     "'a.b' is neither"),
    ("\nfunc.func private @f()\n", None, "no public function"),
    ("\n\n(((", 3, "expected"),
], ids=["value", "operation", "function", "text"])
def test_located_errors(text, line, message, scratch):
    with pytest.raises(stitch.CompileError, match=message) as caught:
        stitch.compile(text, name="given.mlir")
    assert caught.value.line == line and caught.value.code == "STITCH_INVALID_ARGUMENT"
    assert line is None or caught.value.file == "given.mlir"
    assert not list(scratch.iterdir())


def test_error_in_the_callers_python():
    lines = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()
    with pytest.raises(stitch.CompileError) as caught:
        stitch.compile(lambda x: wrong_operation(x), (np.ones((3, 3), np.float32),))
    assert caught.value.file == __file__ and "# THAT LINE" in lines[caught.value.line - 1]


def wrong_operation(x):
    return jax.lax.linalg.eigh(x)  # THAT LINE


@pytest.mark.parametrize("options,message", [
    ({"target": "abacus"}, "unknown target 'abacus'"), ({"plan": "abacus"}, "abacus"), ({"plan_device": "abacus"}, "unknown device 'abacus'"),
    ({"dims": "b"}, "such as b=8"), ({"entry": "f"}, "no public function|no function"), ({"donate": {7: 0}}, "no argument 7"),
], ids=["target", "plan", "device", "dims", "entry", "donate"])
def test_wrong_options(options, message, scratch):
    with pytest.raises(stitch.CompileError, match=message):
        stitch.compile(TEXT, **options)
    assert not list(scratch.iterdir())


def test_wrong_sources(scratch):
    with pytest.raises(TypeError, match="not int"):
        stitch.compile(3)
    with pytest.raises(TypeError, match="example_args"):
        stitch.compile(TEXT, (1,))
    with pytest.raises(stitch.CompileError, match="cannot read") as caught:
        stitch.compile("missing.mlir")
    assert caught.value.code == "STITCH_NOT_FOUND"
    with pytest.raises(stitch.StitchError, match="abacus"):
        stitch.compile(TEXT, device="abacus")
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("plan", ["best", "astitch", "xla"])
def test_plans(plan, inputs):
    check(stitch.compile(TEXT, plan=plan)(*inputs), inputs)


def test_reference(inputs):
    check(stitch.compile(TEXT, device="reference")(*inputs), inputs)


def test_adaptive_and_checks(inputs):
    check(stitch.compile(TEXT, adapt=True)(*inputs), inputs)
    check(stitch.compile(TEXT, checks=True)(*inputs), inputs)


def test_open_sizes():
    text = """func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = stablehlo.exponential %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
"""
    for buckets in (None, "arg0.0:4,5,16"):
        model = stitch.compile(text, dims="arg0.0=1..16", buckets=buckets)
        assert any(d.message.startswith("buckets of arg0.0: 4, 5, 16;") for d in model.diagnostics) == bool(buckets)
        for rows in (1, 5, 16, 4):
            x = np.full((rows, 8), 0.5, np.float32)
            np.testing.assert_allclose(model(x)[0], np.exp(x), rtol=1e-6)


def test_donated_arguments():
    updates = (lambda cache, row: jax.lax.dynamic_update_slice(cache, row, (3, 0)), (np.zeros((8, 16), np.float32), np.ones((1, 16), np.float32)))
    assert stitch.compile(*updates).updated(0) is None
    model = stitch.compile(*updates, donate={0: 0})
    assert model.updated(0) == 0 and model.updated(1) is None
    data = [np.frombuffer(bytearray(count * 4 + 16), np.float32) for count in (8 * 16, 16)]
    cache, row = (array[(-array.ctypes.data % 16) // 4:][:count] for array, count in zip(data, (8 * 16, 16)))
    row[:] = 2
    model.run_at([cache.ctypes.data, row.ctypes.data, cache.ctypes.data])
    assert cache.reshape(8, 16)[3].tolist() == [2] * 16 and cache.sum() == 32


def test_information(model, tmp_path, scratch, monkeypatch):
    assert model.stats["fusions"] >= 1 and model.stats["model"] == "model"
    assert all(".visible .entry " + k.name in k.ptx for k in model.kernels) and model.kernels
    page = model.report(tmp_path / "page.html", show=False).read_text()
    assert "<title>model" in page and "launches" in page
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert model.report().read_text() == page and opened[0].startswith("file:///") and opened[0].endswith(".html")
    assert model._repr_html_().startswith("<iframe srcdoc=")
    assert any(d.severity == "remark" for d in stitch.compile(TEXT, remarks=True).diagnostics)


def test_profile(model, inputs):
    begin = time.perf_counter()
    steps = model.profile(*inputs)
    seconds = time.perf_counter() - begin
    assert len(steps) == model.stats["launches"] and all(s.name and s.grid > 0 and s.block > 0 and not s.is_library_call for s in steps)
    assert all(a.start_seconds + a.seconds <= b.start_seconds for a, b in itertools.pairwise(steps))
    assert all(s.seconds > 0 for s in steps) and steps[-1].start_seconds + steps[-1].seconds <= seconds


def test_profile_of_library_calls():
    x = np.ones((512, 512), np.float32)
    model = stitch.compile(lambda x: jnp.tanh(x @ x), (x,), plan="astitch")
    assert ("dot_0", True, 0) in [(s.name, s.is_library_call, s.grid) for s in model.profile(x)]


def test_save_and_load(model, inputs, tmp_path):
    model.save(tmp_path / "kept.so")
    loaded = stitch.load(tmp_path / "kept.so")
    check(loaded(*inputs), inputs)
    with pytest.raises(stitch.StitchError, match="no figures"):
        print(loaded.stats)
    (tmp_path / "broken.so").write_bytes((tmp_path / "kept.so").read_bytes()[:-100])
    with pytest.raises(stitch.StitchError):
        stitch.load(tmp_path / "broken.so")


def test_keyboard_interrupt_leaves_nothing(scratch):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
    for stage in ("read", "simplify", "plan", "host", "write"):
        def interrupt(name, stage=stage):
            if name == stage:
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            stitch.compile(TEXT, on_stage=interrupt)
        assert not list(scratch.iterdir())


def test_interrupt_from_outside_leaves_nothing(scratch):
    """While the compiler works, without a callback of the caller."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        while time.perf_counter() - begin < 60:
            stitch.compile(SOURCE / "test" / "models" / "bert_layer_training.mlir")
    timer.join()
    gc.collect()
    assert not list(scratch.iterdir())


def test_exception_of_a_callback(scratch):
    with pytest.raises(ZeroDivisionError):
        stitch.compile(TEXT, on_stage=lambda _: 1 // 0)
    assert not list(scratch.iterdir())


def test_threads(inputs):
    problems = []

    def work():
        try:
            mine = stitch.compile(TEXT)
            for _ in range(50):
                check(mine(*inputs), inputs)
                check(shared(*inputs), inputs)
        except BaseException as error:  # pylint: disable=broad-except
            problems.append(error)

    shared = stitch.compile(TEXT)
    threads = [threading.Thread(target=work) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not problems


def resident_bytes():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_no_leak(inputs, capsys):
    """$STITCH_LEAK_TIMES is for long runs: a hundred calls for each compilation."""
    times = int(os.environ.get("STITCH_LEAK_TIMES", "20"))

    def work(count):
        for _ in range(count):
            mine = stitch.compile(TEXT)
            for _ in range(100):
                mine(*inputs)
        gc.collect()
        return resident_bytes()

    before = work(10)
    after = work(times)
    with capsys.disabled():
        print(f"\nresident: {before >> 20} MiB, after {times} compilations and {100 * times} calls {after >> 20} MiB")
    assert after - before < 24 << 20


def test_temporary_files_go_with_the_model(scratch):
    mine = stitch.compile(TEXT)
    assert list(scratch.iterdir())
    del mine
    gc.collect()
    assert not list(scratch.iterdir())


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of compiled models, and how often the compiler has been called."""
    calls, run = [], stitch._compiler.run
    monkeypatch.setattr(stitch._compiler, "run", lambda *args: calls.append(args) or run(*args))
    monkeypatch.setenv("STITCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models", calls


def test_a_model_is_compiled_once(cache, inputs):
    _folder, calls = cache
    first, second = (stitch.compile(TEXT, remarks=True) for _ in range(2))
    assert len(calls) == 1 and second.stats == first.stats and second.diagnostics == first.diagnostics and second.diagnostics
    check(second(*inputs), inputs)
    check(stitch.compile(TEXT.replace("tg.exp %x", "tg.exp  %x"), remarks=True)(*inputs), inputs)  # another text
    assert not stitch.compile(TEXT).diagnostics and len(calls) == 3  # other options


def test_the_next_process_takes_what_this_one_has_compiled(cache, inputs):
    folder, calls = cache
    program = (f"import stitch, numpy as np\ndef fail(*args): raise AssertionError\nstitch._compiler.run = fail\n"
               f"print(stitch.compile({TEXT!r})(np.zeros((4, 8), np.float32), np.arange(4, dtype=np.int32))[1])")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
    stitch.compile(TEXT)
    assert subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True).stdout == "[0 2 4 6]\n"
    assert len(calls) == 1 and len(list(folder.iterdir())) == 1
    refused = subprocess.run([sys.executable, "-c", program], env={**environment, "STITCH_CACHE": "off"}, capture_output=True, text=True, check=False)
    assert "AssertionError" in refused.stderr


def test_rules(cache, inputs, tmp_path):
    _folder, calls = cache
    path = tmp_path / "model.rules"
    path.write_text("stitch-rules 1\nalone op=exp\n")
    one, two = stitch.compile(TEXT), stitch.compile(TEXT, rules=path)
    assert (one.stats["fusions"], two.stats["fusions"]) == (1, 2)
    check(two(*inputs), inputs)
    assert stitch.compile(TEXT, rules=str(path)).stats == two.stats and len(calls) == 2
    path.write_text("stitch-rules 1\nprefer 2 op=exp\n")  # another file of that name
    assert stitch.compile(TEXT, rules=path).stats["fusions"] == 1 and len(calls) == 3
    path.write_text("stitch-rules 1\nalone op=exp op=sin\n")
    with pytest.raises(stitch.CompileError, match="no operation of the model matches op=sin") as error:
        stitch.compile(TEXT, rules=path)
    assert (error.value.file, error.value.line, error.value.column) == (str(path), 2, 1)
    found = stitch.compile(TEXT, rules=path, partial_rules=True).diagnostics
    assert [d.severity for d in found] == ["warning"] and "is left out" in found[0].message
    with pytest.raises(stitch.CompileError, match="cannot be read"):
        stitch.compile(TEXT, rules=tmp_path / "none")


@pytest.mark.parametrize("content", [b"", b"{}\n", b"no JSON", b'{"checksum": 1, "figures": {}, "diagnostics": []}\nx'])
def test_a_broken_entry_is_replaced(cache, inputs, content):
    folder, calls = cache
    stitch.compile(TEXT)
    entry = next(folder.iterdir())
    whole = entry.read_bytes()
    for broken in (content, whole[:-1], whole[:-1] + b"x"):
        entry.write_bytes(broken)
        check(stitch.compile(TEXT)(*inputs), inputs)
        assert entry.read_bytes().partition(b"\n")[2] == whole.partition(b"\n")[2]
    assert len(calls) == 4


def test_what_is_not_used_is_removed(cache, monkeypatch):
    folder, calls = cache
    texts = [TEXT.replace("4x8", f"4x{n}") for n in (8, 9, 10)]
    for seconds, text in zip((10, 20), texts[:2], strict=True):
        stitch.compile(text)
        newest = max(folder.iterdir(), key=lambda p: p.stat().st_mtime)
        os.utime(newest, (seconds, seconds))
    stitch.compile(texts[0])  # is used, and stays
    monkeypatch.setattr(stitch._cache, "_LIMIT", 2.5 * next(folder.iterdir()).stat().st_size)
    for text in (texts[2], texts[0]):
        stitch.compile(text)
    assert len(calls) == 3 and len(list(folder.iterdir())) == 2


def test_a_cache_that_cannot_be_written(inputs, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STITCH_CACHE", str(tmp_path / "file"))
    check(stitch.compile(TEXT)(*inputs), inputs)


def test_info():
    command = [sys.executable, "-m", "stitch", "info"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "devices: simt reference cuda" in printed and "h200" in printed and "libstitch_jax: /" in printed


def test_missing_library_is_named(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "STITCH_BUILD": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", "import stitch"], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "ImportError: cannot load" in run.stderr and "pip install ." in run.stderr


def test_types():
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "python/stitch"]
    run = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


ON_THE_DOUBLE = """
import numpy as np, stitch
x, n = np.zeros((4, 8), np.float32), np.arange(4, dtype=np.int32)
model = stitch.compile(open(0).read(), device="cuda", target="simt,sm_90"{stream})
o = model(x, n)
print(model, o[0].__dlpack_device__(), o[0].numpy()[0, 0], o[1].numpy())
o = model(o[0], o[1])  # where they are
print(o[0].numpy()[0, 0], o[1].numpy())
print(model.profile(x, n)[0].name)
"""


@pytest.mark.parametrize("stream", ["", ", stream=1"], ids=["own stream", "the default stream"])
def test_gpu_on_the_test_double(stream):
    """Another process: the libraries are looked for once."""
    double = pathlib.Path(os.environ["STITCH_BUILD"]) / "test" / "cuda_double" / "all"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "STITCH_CUDA_LIBRARIES": str(double)}
    run = subprocess.run([sys.executable, "-c", ON_THE_DOUBLE.replace("{stream}", stream)], env=environment, input=TEXT, capture_output=True, text=True,
                         check=False)
    assert run.stdout.endswith("on cuda> (2, 0) 1.0 [0 2 4 6]\n2.7182817 [ 0  4  8 12]\nfusion_0\n"), run.stdout + run.stderr
