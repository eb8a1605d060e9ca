# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases: compiled by Stitch, on the reference and on the simt device, and by JAX."""
import concurrent.futures
import multiprocessing
import os
import subprocess
import tempfile
import threading

import numpy as np

from op_tests.types import TYPE_OF, tensor


def module_text(group, cases):
    arguments = ", ".join(f"%{i}: {tensor(x.shape, TYPE_OF[x.dtype])}" for i, x in enumerate(group.inputs))
    # MLIR wants numbers of values in order, so arguments are called otherwise.
    body = []
    for k, case in enumerate(cases):
        body.append("    " + case.text.replace("%r", f"%v{k}"))
    results = ", ".join(c.result for c in cases)
    names = ", ".join(case.value.replace("%r", f"%v{k}") for k, case in enumerate(cases))
    text = (f"module @op_table {{\n  func.func public @main({arguments}) -> ({results}) {{\n" + "\n".join(body)
            + f'\n    "func.return"({names}) : ({results}) -> ()\n  }}\n}}\n')
    for i in reversed(range(len(group.inputs))):
        for end in (",", ")", ":", "\n"):
            text = text.replace(f"%{i}{end}", f"%in{i}{end}")
    end = text.rindex("}")
    return text[:end] + "".join(c.functions for c in cases) + text[end:]


def save_input(path, array):
    """Types that NumPy lacks are bytes, integers below a byte extended to one."""
    t = TYPE_OF[array.dtype]
    if array.dtype.kind not in "fiubc":
        array = array.astype(np.int8 if t.kind == "int" else np.uint8) if t.bits < 8 and t.kind != "float" else array
        array = array.view(f"V{t.numpy.itemsize}")
    np.save(path, np.ascontiguousarray(array) if array.ndim else array)


def load_output(path, case):
    array = np.load(path)
    return array.view(case.result_type.numpy) if array.dtype != case.result_type.numpy else array


class Refusal(str):
    """The error with which the compiler refuses a module."""


def run_program(arguments):
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return f"{os.path.basename(arguments[0])} did not end"
    if done.returncode == 0:
        return None
    lines = [l for l in done.stderr.splitlines() if "error" in l] or done.stderr.splitlines()
    lines = lines or [l for l in done.stdout.splitlines() if "FAIL" in l] or [f"exit status {done.returncode}"]
    return lines[0].split("error: ")[-1]


DEVICES = ("reference", "simt")


def compile_model(options, source, model):
    """What each device has: None where it can run, else why the compiler refuses."""
    program = os.path.join(options.bin, "stitch-compile")
    problem = run_program([program, source, "-o", model, "--target=simt", f"--pipeline=precision={options.precision}"])
    if not problem:
        return {device: None for device in DEVICES}
    alone = run_program([program, source, "-o", model, "--target=none"])
    return {"reference": Refusal(alone) if alone else None, "simt": Refusal(problem)}


def run_stitch(options, group, cases, folder):
    """For each device outputs, or what kept it from making any; a compiler's refusal is one of the Refusal kind. stitch-run compares
    kernels with the reference, too, within the bounds of docs/error_bounds.md."""
    source, model, out = (os.path.join(folder, name) for name in ("model.mlir", "model.so", "out"))
    with open(source, "w") as file:
        file.write(module_text(group, cases))
    inputs, result = [], compile_model(options, source, model)
    for i, x in enumerate(group.inputs):
        path = os.path.join(folder, f"in_{i}.npy")
        save_input(path, x)
        inputs += ["--input", f"{i}:{path}"]
    for device in [d for d in DEVICES if not result[d]]:
        checks = ["--check", "--incomplete"] if device == "simt" else []
        arguments = [os.path.join(options.bin, "stitch-run"), model, f"--device={device}", *checks, "--output", out, *inputs]
        result[device] = run_program(arguments) or [load_output(os.path.join(out, f"output_{k}.npy"), c) for k, c in enumerate(cases)]
    return result


def jax_outputs(text, inputs):
    """What XLA makes of a module; in a process of its own, as XLA ends the process where it meets what it does not expect."""
    import jax

    jax.config.update("jax_enable_x64", True)
    device = jax.local_devices(backend="cpu")[0]
    try:
        executable = device.client.compile_and_load(text, [device])
        results = executable.execute([jax.device_put(x, device) for x in inputs])
        return [np.asarray(r) for r in results]
    except Exception as error:  # whatever XLA raises
        return str(error).strip().splitlines()[-1] if str(error).strip() else repr(error)


of_thread = threading.local()


def run_jax(group, cases):
    if not hasattr(of_thread, "pool"):
        of_thread.pool = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    try:
        return {"jax": of_thread.pool.submit(jax_outputs, module_text(group, cases), group.inputs).result()}
    except concurrent.futures.process.BrokenProcessPool:
        del of_thread.pool
        return {"jax": "XLA ends its process"}


class Result:
    """What the devices made of one case: (worst, example), or the text of an error."""

    def __init__(self, case):
        self.case, self.of = case, {}


def judge(case, output):
    if not isinstance(output, str) and output.size != np.prod(case.shape, dtype=int):
        return f"{output.size} elements instead of {np.prod(case.shape, dtype=int)}"
    return output if isinstance(output, str) else case.check(output)


def run_cases(results, run):
    """One module; if it cannot be run its halves, down to the operation that cannot."""
    outputs = run([r.case for r in results])
    if any(isinstance(o, str) for o in outputs.values()) and len(results) > 1:
        middle = len(results) // 2
        run_cases(results[:middle], run)
        run_cases(results[middle:], run)
        return
    for device, made in outputs.items():
        for k, result in enumerate(results):
            result.of[device] = judge(result.case, made if isinstance(made, str) else made[k])


def run_group(options, group):
    results = [Result(c) for c in group.cases]

    def run(cases):
        with tempfile.TemporaryDirectory(dir=options.keep) as folder:
            return run_stitch(options, group, cases, folder)

    run_cases(results, run)
    if group.jax and not options.no_jax:
        run_cases(results, lambda cases: run_jax(group, cases))
    return results
