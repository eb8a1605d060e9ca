# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: templates of a few kernels that bench/bundle has compiled (docs/templates.md), timed by stitch-tune."""
import os
import re

import common

MOST_SECONDS = 110  # of one kernel


def tune(stage, case):
    database = os.path.join(stage.work, f"{case['id'].replace('/', '_')}.tuned")
    command = [stage.path("bin", "stitch-tune"), f"--measure={stage.path(case['folder'])}", "-o", database, f"--device={stage.device}",
               f"--candidates={case['candidates']}", f"--repeat={5 if stage.quick else 30}"]
    status, output = common.run_program(command, min(stage.remaining() - 5, MOST_SECONDS))
    found = {"ok": status == 0}
    if status == "timeout":
        found.update(ok=None, reason="the time was up")
    elif status != 0:
        found["reason"] = f"exit status {status}: {common.last_lines(output)}"
    try:
        with open(database) as file:
            found["templates"] = file.read()
    except OSError:
        return found
    notes = [dict(note.split("=") for note in re.findall(r"\S+=\S+", line)) for line in found["templates"].splitlines() if line.startswith("kernel ")]
    found["planned_us"] = sum(float(n["planned_ns"]) for n in notes) / 1e3
    found["tuned_us"] = sum(float(n["tuned_ns"]) for n in notes) / 1e3
    return found


def main(stage):
    entries = stage.manifest.get("tune", [])
    for case in stage.cases(entries[:1] if stage.quick else entries):
        stage.write(case=case["id"], **tune(stage, case))


if __name__ == "__main__":
    common.stage_main(main)
