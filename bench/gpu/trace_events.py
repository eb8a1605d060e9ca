# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runs of several implementations in one profile of the GPU, told apart by marks (timing.py)."""
from common import median

TIMELINE = 400  # kernels of a run that are listed with their times
BEFORE, AFTER = 1237, 1301  # bytes of the marks before and after the cache is filled


def events_of_trace(trace):
    """Everything that the GPU did, in order: (start, end in us, name, bytes of a copy or None)."""
    kinds = ("kernel", "gpu_memcpy", "gpu_memset")
    events = [(e["ts"], e["ts"] + e["dur"], e["name"], e.get("args", {}).get("bytes") if e["cat"] == "gpu_memcpy" else None)
              for e in trace["traceEvents"] if e.get("ph") == "X" and e.get("cat") in kinds]
    return sorted(events, key=lambda e: e[:2])


def runs_between_marks(events):
    """The events of each run: those after a mark AFTER and before the next mark BEFORE."""
    runs, current = [], None
    for event in events:
        if event[3] == AFTER:
            current = []
        elif event[3] == BEFORE:
            if current is not None:
                runs.append(current)
            current = None
        elif current is not None:
            current.append(event)
    return runs


def summary(runs):
    """Medians over the runs: time from the first start to the last end, time in kernels, and what was launched."""
    runs = [r for r in runs if r]
    if not runs:
        raise ValueError("no kernels in the profile")
    spans = sorted(max(e[1] for e in r) - r[0][0] for r in runs)
    last = runs[-1]
    copies = sum(e[2].startswith("Mem") for e in last)
    return {"device_us": median(spans), "fastest_us": spans[0], "spread": (spans[3 * len(spans) // 4] - spans[len(spans) // 4]),
            "busy_us": median([sum(e[1] - e[0] for e in r) for r in runs]), "kernels": len(last) - copies, "copies": copies,
            "timeline": [[e[2][:60], round(e[1] - e[0], 2)] for e in last[:TIMELINE]], "runs": len(runs)}
