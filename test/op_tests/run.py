# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases: compiled by Stitch, on the reference and on the simt device, and by JAX."""
import os
import subprocess
import tempfile

import ml_dtypes
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
    if array.dtype == ml_dtypes.bfloat16:
        array = array.view("V2")
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
    lines = [l for l in done.stderr.splitlines() if "error" in l] or done.stderr.splitlines() or [f"exit status {done.returncode}"]
    return lines[0].split("error: ")[-1]


TARGET = {"reference": ["--target=none"], "simt": ["--target=simt", "--no-reference"]}


def run_stitch(bin_folder, device, group, cases, folder):
    """Outputs, or what kept the device from making any; a compiler's refusal is one of the Refusal kind."""
    source, model, out = (os.path.join(folder, name) for name in ("model.mlir", "model.so", "out"))
    with open(source, "w") as file:
        file.write(module_text(group, cases))
    problem = run_program([os.path.join(bin_folder, "stitch-compile"), source, "-o", model, *TARGET[device]])
    if problem:
        return Refusal(problem)
    inputs = []
    for i, x in enumerate(group.inputs):
        path = os.path.join(folder, f"in_{i}.npy")
        save_input(path, x)
        inputs += ["--input", f"{i}:{path}"]
    problem = run_program([os.path.join(bin_folder, "stitch-run"), model, f"--device={device}", "--output", out, *inputs])
    return problem or [load_output(os.path.join(out, f"output_{k}.npy"), c) for k, c in enumerate(cases)]


def run_jax(group, cases):
    import jax

    jax.config.update("jax_enable_x64", True)
    device = jax.local_devices(backend="cpu")[0]
    try:
        executable = device.client.compile_and_load(module_text(group, cases), [device])
        results = executable.execute([jax.device_put(x, device) for x in group.inputs])
    except Exception as error:  # whatever XLA raises
        return str(error).strip().splitlines()[-1] if str(error).strip() else repr(error)
    return [np.asarray(r) for r in results]


class Result:
    """What the devices made of one case: (worst, example), or the text of an error."""

    def __init__(self, case):
        self.case, self.of = case, {}


def judge(case, output):
    return output if isinstance(output, str) else case.check(output)


def fill(results, device, outputs):
    for k, result in enumerate(results):
        result.of[device] = judge(result.case, outputs if isinstance(outputs, str) else outputs[k])


def run_cases(device, results, run):
    """One module; if it cannot be run its halves, down to the operation that cannot."""
    outputs = run([r.case for r in results])
    if isinstance(outputs, str) and len(results) > 1:
        middle = len(results) // 2
        run_cases(device, results[:middle], run)
        run_cases(device, results[middle:], run)
    else:
        fill(results, device, outputs)


def run_group(options, group):
    results = [Result(c) for c in group.cases]

    def run_on(device):
        def run(cases):
            with tempfile.TemporaryDirectory(dir=options.keep) as folder:
                return run_stitch(options.bin, device, group, cases, folder)

        return run

    for device in TARGET:
        run_cases(device, results, run_on(device))
    if group.jax and not options.no_jax:
        run_cases("jax", results, lambda cases: run_jax(group, cases))
    return results
