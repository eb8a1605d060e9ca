#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/gpu reads from profiles and says of results, on hand-made ones: times, counts, ratios, targets."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench", "gpu"))
import common  # noqa: E402
import report  # noqa: E402
import trace_events  # noqa: E402


def event(kind, start, duration, name="kernel", **arguments):
    return {"ph": "X", "cat": kind, "ts": start, "dur": duration, "name": name, "args": arguments}


def mark(start, size):
    return event("gpu_memcpy", start, 1, "Memcpy DtoD", bytes=size)


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")


def check_traces():
    """Two runs, the second of two kernels and a copy; what fills the cache lies outside; events come in any order."""
    events = [mark(0, trace_events.BEFORE), event("kernel", 2, 50, "flush"), mark(60, trace_events.AFTER), event("kernel", 100, 7.5),
              mark(200, trace_events.BEFORE), event("kernel", 202, 50, "flush"), mark(260, trace_events.AFTER),
              event("gpu_memcpy", 320, 4, "Memcpy DtoD", bytes=64), event("kernel", 300, 5, "a"), event("kernel", 310, 5, "b"),
              mark(400, trace_events.BEFORE), {"ph": "M", "name": "process_name"}, event("cpu_op", 0, 1000)]
    runs = trace_events.runs_between_marks(trace_events.events_of_trace({"traceEvents": events}))
    check("runs", [len(r) for r in runs], [1, 3])
    first, second = trace_events.summary(runs[:1]), trace_events.summary(runs[1:])
    check("time of one kernel", (first["device_us"], first["busy_us"], first["kernels"], first["copies"]), (7.5, 7.5, 1, 0))
    check("time of three", (second["device_us"], second["busy_us"], second["kernels"], second["copies"]), (24, 14, 2, 1))


def check_errors():
    text = "warm-up\nRuntimeError: CUDA error: an illegal memory access was encountered\nTraceback\nat exit: an illegal memory access\n"
    check("the first error", common.first_error(text), "RuntimeError: CUDA error: an illegal memory access was encountered")
    check("no error", common.first_error("warm-up\nValueError: 3\n"), None)


def kernel_figures(stitch, xla):
    return {"figures": {"stitch": {"device_us": stitch, "spread": 0.1, "kernels": 1}, "xla": {"device_us": xla, "kernels": 2}},
            "failures": {"eager": "no"}, "right": {"stitch": {"ok": True, "relative_norm": 0.0}}}


def check_report():
    """8 GB moved at 4 TB/s in 2500 us: 80 % of the ceiling; 2x and 0.9x XLA: 1.34x in the geometric mean."""
    entry = {"kernel": "softmax", "rows": 1 << 15, "columns": 1 << 15, "dtype": "f32", "bytes_in": 4 * 10**9, "bytes_out": 4 * 10**9, "barriers": 0}
    manifest = {"device": "h200", "arch": "sm_90", "models": [{"id": "m"}],
                "kernels": [{**entry, "id": "large"}, {**entry, "id": "small", "rows": 1, "columns": 32}, {**entry, "id": "never"}]}
    stage = {"cases": {"large": kernel_figures(2500.0, 5000.0), "small": kernel_figures(10.0, 9.0)}, "notes": [], "finished": True,
             "ceilings": {"read": 4.5e12, "copy": 4e12}}
    model = {"figures": {"stitch": {"device_us": 100.0, "kernels": 10}, "xla": {"device_us": 184.0}}, "host": {"graph_us": 4.0, "eager_us": 30.0}}
    results = {"device": "cuda", "machine": {"gpu": "G", "time": "T", "torch": "1", "jax": "2"},
               "parts": {"kernels": {"kernels": stage}, "models": {"models": {"cases": {"m": model}, "notes": [], "finished": True}}}}
    short, long, status = report.report(results, manifest)
    costs = {"launch_us": 2.0, "cooperative_launch_us": 3.0, "graph_node_us": 1.4, "graph_of_one_us": 5.0, "sms": 132,
             "grid_barrier_us": [{"blocks": 132, "threads": 256, "us": 1.25}], "block_barrier_us": {"256": 0.01}, "block_exchange_us": {"256": 0.1},
             "cluster_barrier_us": [{"cluster": 8, "clusters": 16, "threads": 512, "us": 0.33}], "load_us": [{"mib": 512, "us": 0.61}],
             "cache_bytes_per_second": {"16": 5.5e12}, "read_us": {"512": 3.4}}
    results["parts"]["barrier"] = {"fixed_costs": {"cases": {"fixed_costs": {"ok": True, "figures": costs}}, "notes": [], "finished": True}}
    manifest["kernels"][0].update(library_calls=0, cost_ns={"total": 2e6})
    results["parts"]["alone"] = {"alone": {"cases": {"large": kernel_figures(2500.0, 5000.0)}, "notes": [], "finished": True}}
    short, long, status = report.report(results, manifest)
    for text in ("block exchange 256: 100 ns", "8, everywhere", "512 MiB: 610 ns", "16 MiB: 5.50 TB/s", "0.5 MiB: 3.4 us", "barrier_ns 1250 to 1250",
                 "softmax f32 |     1 |        80% |   80% | large |               1.25"):
        if text not in short:
            sys.exit(f"the report does not say '{text}':\n{short}")
    for text in ("met       kernels, geometric mean over XLA: 1.34, target 1.30", "NOT MET   kernels, worst case over the best of the others: 0.90",
                 "NOT MET   kernels from 4M elements, least share of the ceiling: 80%, target 85%", "met       models at batch 1, mean over XLA: 1.84",
                 "not measured  kernels, geometric mean over torch.compile", "met       host time of a run with its graph, us: 4.00",
                 "NOT MET   host time of a run step by step, us a kernel: 3.00", "2 of 3 kernels timed", "small: 0.90", "large, eager: no"):
        if text not in short:
            sys.exit(f"the report does not say '{text}':\n{short}")
    check("status", status, report.INCOMPLETE)
    check("the long table has each case", "large | " in long and "small | " in long, True)


if __name__ == "__main__":
    check_traces()
    check_errors()
    check_report()
