# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: stitch-run --check, which compares with the model file's own reference on the CPU: every model, some kernels."""
import concurrent.futures
import json
import os

import common

MOST_SECONDS = 120  # of one program


def check(stage, case):
    report = os.path.join(stage.work, f"check_{case['id'].replace('/', '_')}.json")
    command = [stage.path("bin", "stitch-run"), stage.path(case["model"]), f"--device={stage.device}", "--check", "--repeat=3",
               "--seed=7", "--json", report]
    status, output = common.run_program(command, min(stage.remaining() - 5, MOST_SECONDS))
    found = {"ok": status == 0, "command": "stitch-run --check"}
    if status == "timeout":
        found.update(ok=None, reason="the time was up")
    elif status != 0:
        found["reason"] = f"exit status {status}: {common.last_lines(output)}"
    try:
        with open(report) as file:
            found["outputs"] = [{"error": o["max_absolute"], "bound": o["bound"], "ok": o["ok"]} for o in json.load(file)["outputs"]]
    except (OSError, ValueError, KeyError):
        if found["ok"]:
            found.update(ok=False, reason="stitch-run wrote no report")
    return found


def main(stage):
    entries = stage.manifest["models"] + [k for k in stage.manifest.get("networks", []) + stage.manifest["kernels"] if k["host"]]
    if stage.quick:
        entries = sorted(stage.manifest["models"], key=lambda m: m["bytes"])[:2] + [k for k in entries if "kernel" in k][:4]
    with concurrent.futures.ThreadPoolExecutor(max(1, min(8, (os.cpu_count() or 2) // 2))) as pool:
        running = {pool.submit(check, stage, case): case["id"] for case in stage.cases(entries)}
        for done in concurrent.futures.as_completed(running):
            stage.write(case=running[done], **done.result())


if __name__ == "__main__":
    common.stage_main(main)
