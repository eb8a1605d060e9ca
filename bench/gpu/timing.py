# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of several implementations on one GPU, side by side.

All are timed in the same way and in turns, each time starting with another one. Before each run the L2 cache is filled with
something else by reading (written lines would have to go to memory while the run is timed). The GPU's own timestamps
(CUPTI, through torch.profiler) tell when the first kernel of a run began and the last one ended: that is a run's time, the
same for all, whoever launched it. Between two marks, copies of a size that nobody else uses, lies one run.
"""
import json
import os
import tempfile
import time

import torch

import trace_events
from common import median
from trace_events import AFTER, BEFORE

FLUSH_BYTES = 256 << 20
SECONDS_FOR_ROUNDS, MOST_ROUNDS, FEWEST_ROUNDS, WARM_UP = 0.4, 30, 7, 3


class Timer:
    def __init__(self, most_rounds=MOST_ROUNDS):
        self.most_rounds = most_rounds
        self.flushed = torch.zeros(FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")
        self.marks = {size: torch.zeros(2, size, dtype=torch.uint8, device="cuda") for size in (BEFORE, AFTER)}

    def mark(self, size):
        self.marks[size][0].copy_(self.marks[size][1])

    def flush(self):
        torch.amax(self.flushed)

    def measure(self, contenders):
        """contenders: name -> (run, wait): run enqueues work, wait waits for it. Returns name -> figures."""
        rounds = self._warm_up(contenders)
        figures = {name: {"wall_us": w} for name, w in self._wall(contenders, rounds).items()}
        try:
            for name, runs in self._device(contenders, rounds).items():
                figures[name].update(trace_events.summary(runs))
        except Exception as error:  # the profiler is missing or fails
            for name, microseconds in self._back_to_back(contenders).items():
                figures[name].update(device_us=microseconds, spread=0.0, no_profile=f"{type(error).__name__}: {error}"[:300])
        return figures

    def _warm_up(self, contenders):
        slowest = 1e-6
        for run, wait in contenders.values():
            for _ in range(WARM_UP):
                start = time.perf_counter()
                run()
                wait()
                seconds = time.perf_counter() - start
            slowest = max(slowest, seconds)
        return max(FEWEST_ROUNDS, min(self.most_rounds, int(SECONDS_FOR_ROUNDS / (slowest * len(contenders)))))

    def _turns(self, contenders, rounds):
        names = list(contenders)
        for r in range(rounds):
            for name in names[r % len(names):] + names[:r % len(names)]:
                yield name

    def _wall(self, contenders, rounds):
        """From the call to the end of the work, as the host sees it: medians in microseconds."""
        seconds = {name: [] for name in contenders}
        for name in self._turns(contenders, rounds):
            run, wait = contenders[name]
            self.flush()
            torch.cuda.synchronize()
            start = time.perf_counter()
            run()
            wait()
            seconds[name].append(time.perf_counter() - start)
        return {name: median(s) * 1e6 for name, s in seconds.items()}

    def _back_to_back(self, contenders):
        """Without a profile: runs one after the other by the host's clock. Caches are warm, and the host may be the limit."""
        microseconds = {}
        for name, (run, wait) in contenders.items():
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(MOST_ROUNDS):
                run()
            wait()
            microseconds[name] = (time.perf_counter() - start) / MOST_ROUNDS * 1e6
        return microseconds

    def _device(self, contenders, rounds):
        order = []
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for name in self._turns(contenders, rounds):
                run, wait = contenders[name]
                self.mark(BEFORE)
                self.flush()
                self.mark(AFTER)
                torch.cuda.synchronize()
                run()
                wait()
                torch.cuda.synchronize()
                order.append(name)
            self.mark(BEFORE)
            torch.cuda.synchronize()
        runs = trace_events.runs_between_marks(device_events(profile))
        if len(runs) != len(order):
            raise ValueError(f"the profile shows {len(runs)} of {len(order)} runs")
        by_name = {name: [] for name in contenders}
        for name, run in zip(order, runs):
            by_name[name].append(run)
        return by_name


def device_events(profile):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profile.export_chrome_trace(path)
        with open(path, errors="replace") as file:
            trace = json.load(file)
    return trace_events.events_of_trace(trace)


def ceilings():
    """Bytes per second that a large copy moves (read and written), and that a large reduction reads: the best of ten."""
    words = (2 << 30) // 4
    source = torch.randn(words, device="cuda")
    target = torch.empty_like(source)

    def fastest(function):
        times = []
        for _ in range(10):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            function()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3)
        return min(times)

    return {"copy": 2 * words * 4 / fastest(lambda: target.copy_(source)),
            "read": words * 4 / min(fastest(lambda: torch.sum(source)), fastest(lambda: torch.amax(source)))}


def captured(function):
    """(run, result): the function's work as a CUDA graph; the reason instead of a result if it cannot be captured."""
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()  # the function's inputs are there
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP):
            function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        result = function()
    torch.cuda.synchronize()
    return graph.replay, result
