# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: fixed_costs.cu, compiled here; where nvcc is missing or fails, the program that came with the bundle."""
import json
import os
import shutil

import common


def compile_program(stage):
    """The path of the program; None if there is none."""
    folders = [os.environ.get("PATH", "")] + [os.path.join(os.environ.get(n, "/usr/local/cuda"), "bin") for n in ("CUDA_HOME", "CUDA_PATH")]
    nvcc = shutil.which("nvcc", path=os.pathsep.join(folders))
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixed_costs.cu")
    program = os.path.join(stage.work, "fixed_costs")
    reason = "there is no nvcc"
    if nvcc:
        status, output = common.run_program([nvcc, "-O3", f"-arch={stage.manifest['arch']}", source, "-o", program], 90)
        if status == 0:
            return program
        reason = f"nvcc: exit status {status}: {common.last_lines(output)}"
    brought = stage.path("bin", "fixed_costs")
    if os.path.exists(brought):
        stage.note(f"{reason}; the program that came with the bundle is used")
        return brought
    stage.write(missing=f"fixed costs cannot be measured: {reason}")
    return None


def main(stage):
    if not stage.on_gpu:
        stage.write(skipped="launches and barriers are a GPU's; the device is " + stage.device)
        return
    program = compile_program(stage)
    for case in stage.cases([{"id": "fixed_costs"}] if program else []):
        status, output = common.run_program([program] + (["quick"] if stage.quick else []), stage.remaining() - 2)
        try:
            stage.write(case=case["id"], ok=status == 0, figures=json.loads(output))
        except ValueError:
            stage.write(case=case["id"], ok=False, reason=f"exit status {status}: {common.last_lines(output)}")


if __name__ == "__main__":
    common.stage_main(main)
