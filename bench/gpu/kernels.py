# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: each kernel by Stitch, XLA, torch.compile (default, max-autotune) and eager PyTorch, timed side by side."""
import os
import time

import arrays
import checks
import common
import stitch
import torch_compile

COMPARED_ELEMENTS = 1 << 26  # the other implementations' outputs are compared with float64 up to this size


# ---------------------------------------------------------------------------------------------------------------------
# Contenders: each gives (run, wait, outputs), outputs being a function that gives arrays after a run
# ---------------------------------------------------------------------------------------------------------------------


class Contest:
    """What is compared for one case. Implementations that cannot be had are failures, with the reason."""

    def __init__(self, stage, runtime, memory):
        self.stage, self.runtime, self.memory = stage, runtime, memory
        self.contenders, self.failures, self.sessions, self.functions = {}, {}, [], []

    def add(self, name, make):
        self.stage.doing(f"making {name}")
        try:
            self.contenders[name] = make()
        except Exception as error:
            if common.is_fatal(error):
                raise
            self.failures[name] = common.describe(error)

    def stitch(self, model, inputs, tf32=False):
        memory = self.memory
        outputs = [memory.empty(stitch.shape_of(o), self.runtime.dtype_name(o.dtype)) for o in model.outputs]
        memory.synchronize()
        stream = memory.torch.cuda.Stream() if self.stage.on_gpu else None
        session = stitch.Session(model, self.stage.device, stream=stream.cuda_stream if stream else 0, tf32=tf32)
        self.sessions.append((session, stream))
        run = session.bind([memory.address(i) for i in inputs], [memory.address(o) for o in outputs], memory.memory,
                           memory.memory_id)
        for _ in range(3):
            run()
            session.synchronize()
        return run, memory.synchronize, lambda: outputs

    def xla(self, path, inputs):
        import xla
        program = xla.Program(path, "cuda" if self.stage.on_gpu else "cpu", self.memory.memory_id)
        arguments, last = program.adopt(inputs), [None]

        def run():
            last[0] = program.run(arguments)

        run()
        xla.wait(last[0])
        return run, lambda: xla.wait(last[0]), lambda: [self._from_xla(o) for o in last[0]]

    def _from_xla(self, array):
        import numpy as np
        if not self.stage.on_gpu:
            return np.asarray(array)
        return self.memory.torch.from_dlpack(array)

    def torch(self, function, inputs):
        import timing
        self.memory.torch._dynamo.reset()
        self.functions.append(function)  # may own memory that the graph reads: the weights of lstm_own
        run, outputs = timing.captured(lambda: function(*inputs))
        return run, self.memory.synchronize, lambda: outputs

    def close(self):
        for session, _ in self.sessions:
            session.close()


def contest_of(stage, runtime, memory, case, model, inputs):
    contest = Contest(stage, runtime, memory)
    contest.add("stitch", lambda: contest.stitch(model, inputs))
    contest.add("xla", lambda: contest.xla(stage.path(case["stablehlo"]), inputs))
    if stage.on_gpu:
        import definitions
        for mode in torch_compile.MODES if case["kernel"] not in definitions.UNROLLED else ():
            contest.add(mode, lambda: contest.torch(torch_compile.compiled(case["kernel"], mode), inputs))
        contest.add("eager", lambda: contest.torch(definitions.torch_function(case["kernel"]), inputs))
        for name, function in definitions.other_functions(case["kernel"]).items():
            contest.add(name, lambda: contest.torch(function, inputs))
    return contest


# ---------------------------------------------------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------------------------------------------------


def compare(stage, memory, case, inputs, model, contest):
    """name -> whether its outputs are right, and how far they are from float64."""
    if case["rows"] * case["columns"] > COMPARED_ELEMENTS:
        return {}
    reference, verdicts = checks.Reference(memory, case, inputs), {}
    for name, (run, wait, outputs) in contest.contenders.items():
        stage.doing(f"comparing {name}")
        try:
            run()
            wait()
            found = reference.compare(outputs(), [o.error_variance for o in model.outputs])
            verdicts[name] = {"ok": all(f["ok"] for f in found), "relative_norm": max(f.get("relative_norm", 1.0) for f in found)}
        except Exception as error:
            if common.is_fatal(error):
                raise
            verdicts[name] = {"ok": False, "reason": common.describe(error)}
    return verdicts


def host_times(contest, rounds):
    """For the simt device: that everything ran, and how long it took; says nothing about a GPU."""
    figures = {}
    for name, (run, wait, _) in contest.contenders.items():
        start = time.perf_counter()
        for _ in range(rounds):
            run()
            wait()
        figures[name] = {"wall_us": (time.perf_counter() - start) / rounds * 1e6}
    return figures


def times(contest, timer, rounds=3):
    """The figures of all contenders; none where nobody is there."""
    if not contest.contenders:
        return {}
    return timer.measure({n: c[:2] for n, c in contest.contenders.items()}) if timer else host_times(contest, rounds)


def measure_case(stage, runtime, memory, timer, case):
    stage.doing("loading the model")
    model = stitch.Model(runtime, stage.path(case["model"]))
    inputs = checks.make_inputs(memory, case)
    contest = contest_of(stage, runtime, memory, case, model, inputs)
    try:
        verdicts = compare(stage, memory, case, inputs, model, contest)
        memory.release()
        stage.doing("timing")
        # Graphs and sessions are pointed at arrays that `contest` keeps alive.
        figures = times(contest, timer)
    finally:
        contest.close()
    model.close()
    return {"figures": figures, "failures": contest.failures, "right": verdicts}


# ---------------------------------------------------------------------------------------------------------------------
# The stage
# ---------------------------------------------------------------------------------------------------------------------


def measure_cases(stage, runtime, memory, timer, cases, measure):
    """Writes what `measure` finds for each of the cases, or why it found nothing."""
    for case in stage.cases(cases):
        try:
            stage.write(case=case["id"], **measure(stage, runtime, memory, timer, case))
        except (MemoryError, RuntimeError, stitch.Error) as error:
            if common.is_fatal(error):
                raise
            stage.write(case=case["id"], reason=common.describe(error))
        memory.release()


def main(stage):
    cases = [k for k in stage.manifest["kernels"] if stage.on_gpu or k["host"]]
    cases = [k for k in cases if k["id"] not in stage.skip]
    if stage.quick:
        cases = cases[:8]
    timer = None
    if stage.on_gpu:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = torch_compile.cache_folder(stage.work)
        import timing
        timer = timing.Timer()
        stage.write(ceilings=timing.ceilings())
        ready = torch_compile.ready(stage.work)
        cases.sort(key=lambda k: k["id"] not in ready)  # stable: those that are compiled first
    measure_cases(stage, stage.runtime(), arrays.arrays_for(stage.device), timer, cases, measure_case)


if __name__ == "__main__":
    common.stage_main(main)
