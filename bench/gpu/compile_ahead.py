# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: has workers (torch_compile.py) fill Inductor's cache with the kernels that are timed first, so that the next stage finds them there."""
import json
import os
import subprocess
import sys
import time

import common
import torch_compile

WORKERS, OTHER_CORES, MOST_CASES, QUICK_CASES, TO_FINISH_A_CASE = 12, 4, 160, 8, 10


def main(stage):
    if not stage.on_gpu:
        stage.write(skipped="torch.compile is timed on a GPU; the device is " + stage.device)
        return
    cases = stage.manifest["kernels"][:QUICK_CASES if stage.quick else MOST_CASES]
    config = {"work": stage.work, "device": stage.device, "cases": cases, "until": stage.deadline - TO_FINISH_A_CASE}
    path = os.path.join(stage.work, "torch_compile.json")
    with open(path, "w") as file:
        json.dump(config, file)
    for name in ("next_case", "compiled"):
        with open(os.path.join(stage.work, name), "w"):
            pass
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_compile.py")
    with open(os.path.join(stage.work, "torch_compile.log"), "a") as log:
        workers = [subprocess.Popen([sys.executable, program, path], stdout=log, stderr=log)
                   for _ in range(max(1, min(WORKERS, (os.cpu_count() or 2) - OTHER_CORES)))]
        while any(w.poll() is None for w in workers) and stage.remaining() > 0:
            time.sleep(1)
            stage.write(alive=True)
        for worker in workers:
            worker.kill()
            worker.wait()
    outcomes = torch_compile.outcomes(stage.work)
    stage.note(f"torch.compile: {len(torch_compile.ready(stage.work))} of {len(cases)} kernels compiled ahead")
    for name, outcome in outcomes.items():
        if outcome != "compiled":
            stage.note(f"torch.compile of {name}: {outcome}")


if __name__ == "__main__":
    common.stage_main(main)
