# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: compute-sanitizer's memcheck and racecheck over a selection of small kernels and the smallest models."""
import concurrent.futures
import os
import re
import shutil

import common

TOOLS = ["memcheck", "racecheck"]
FOUND, AT_ONCE = 99, 3  # the exit status of a finding; programs at once


def find_sanitizer():
    places = os.environ.get("PATH", "").split(os.pathsep) + [
        os.path.join(os.environ.get(name, "/usr/local/cuda"), sub) for name in ("CUDA_HOME", "CUDA_PATH")
        for sub in ("bin", "compute-sanitizer", os.path.join("extras", "compute-sanitizer"))]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(places))


def examine(stage, program, tool, case):
    command = [program, f"--tool={tool}", f"--error-exitcode={FOUND}", "--print-limit=5", stage.path("bin", "stitch-run"),
               stage.path(case["model"]), f"--device={stage.device}", "--repeat=2"]
    status, output = common.run_program(command, min(stage.remaining() - 5, 120))
    summary = re.findall(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (.*)", output)
    found = {"ok": status == 0 and bool(summary), "summary": summary[-1] if summary else ""}
    if status == "timeout":
        found.update(ok=None, reason="the time was up")
    elif not found["ok"]:
        found["reason"] = f"exit status {status}: {common.last_lines(output, 12)}"
    return found


def selection(stage):
    """Small kernels of each kind, those with a grid barrier among them, in both element types; the smallest models."""
    kernels = [k for k in stage.manifest["kernels"] if k["rows"] * k["columns"] <= 1 << 20]
    chosen, seen = [], set()
    for kernel in sorted(kernels, key=lambda k: (k["rows"] * k["columns"], k["id"])):
        kind = (kernel["kernel"], kernel["barriers"] > 0, kernel["dtype"])
        if kernel["rows"] >= 16 and kind not in seen:
            seen.add(kind)
            chosen.append(kernel)
    chosen.sort(key=lambda k: (-k["barriers"], k["id"]))
    models = sorted(stage.manifest["models"], key=lambda m: m["bytes"])[:2]
    return (chosen[:2] + models[:1]) if stage.quick else (chosen[:6] + models + chosen[6:])


def main(stage):
    if not stage.on_gpu:
        stage.write(skipped="it examines GPUs; the device is " + stage.device)
        return
    program = find_sanitizer()
    if not program:
        stage.write(missing="compute-sanitizer is neither on the PATH nor in the CUDA toolkit")
        return
    entries = [{"id": f"{tool}/{c['id']}", "tool": tool, "of": c} for c in selection(stage) for tool in TOOLS]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = {}
        for entry in stage.cases(entries):
            running[pool.submit(examine, stage, program, entry["tool"], entry["of"])] = entry["id"]
            if len(running) >= AT_ONCE:
                collect(stage, running, concurrent.futures.FIRST_COMPLETED)
        collect(stage, running, concurrent.futures.ALL_COMPLETED)


def collect(stage, running, when):
    for done in concurrent.futures.wait(running, return_when=when).done:
        stage.write(case=running.pop(done), **done.result())


if __name__ == "__main__":
    common.stage_main(main)
