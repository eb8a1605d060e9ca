# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks of the compiler share: compiling for figures, and writing results."""
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "results")


def find_models():
    """The models of this repository and, where that folder exists, of ../shared/models."""
    folders = [os.path.join(ROOT, "test", "models"), os.path.join(ROOT, "..", "shared", "models")]
    return [model for folder in folders for model in sorted(glob.glob(os.path.join(folder, "*.mlir")))]


def find_workloads():
    """Name -> file (possibly .xz), of the workloads and of the models."""
    packed = sorted(glob.glob(os.path.join(ROOT, "test", "models", "workloads", "*.mlir.xz")))
    return {os.path.basename(path).split(".mlir")[0]: path for path in packed + find_models()}


def devices():
    """Name -> what dialects/stitch/devices.def says of a device: multiprocessors, bytes of its second-level cache, GB/s."""
    with open(os.path.join(ROOT, "dialects", "stitch", "devices.def")) as file:
        rows = [row.split(", ") for row in re.findall(r"^STITCH_DEVICE\((.*)\)", file.read(), re.MULTILINE)]
    return {row[0]: {"sms": int(row[2]), "cache": int(row[8]), "bandwidth": float(row[9])} for row in rows}


def plan_figures(compiler, model, plan="astitch", device="h200"):
    """The figures of stitch-compile --stats for the plan of a model."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [compiler, model, "--emit=plan", f"--device={device}", f"--pipeline=plan={plan}",
                   "-o", os.path.join(folder, "plan.mlir"), f"--stats={stats}"]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{os.path.basename(model)}: {result.stderr.strip()}")
        with open(stats) as file:
            return json.load(file)


def planning_seconds(figures):
    return figures["seconds"]["simplify"] + figures["seconds"]["plan"]


def table(header, rows):
    """A Markdown table that also reads well as text: the first column to the left, the others to the right."""
    cells = [header] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = ["| " + " | ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths))) + " |"
             for row in cells]
    rule = "|" + "|".join(("-" * (w + 1) + ":") if i else "-" * (w + 2) for i, w in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule] + lines[1:])


def read_results(name):
    """What write_results has written; nothing if it has not."""
    path = os.path.join(RESULTS, f"{name}.json")
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def write_results(name, title, text, data, command=None):
    """bench/results/NAME.md and NAME.json, dated; `command` in bench/ wrote them, if it is not NAME."""
    os.makedirs(RESULTS, exist_ok=True)
    today = datetime.date.today().isoformat()
    with open(os.path.join(RESULTS, f"{name}.md"), "w") as file:
        file.write(f"# {title}\n\n{today}, by `bench/{command or name}`.\n\n{text}\n")
    with open(os.path.join(RESULTS, f"{name}.json"), "w") as file:
        json.dump({"date": today, **data}, file, indent=1)
        file.write("\n")
