# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: whole models by Stitch and by XLA, timed side by side, and what a call of Stitch's runtime costs the host."""
import math
import time

import arrays
import common
import kernels
import stitch

ROUNDING = 1e-6
NORMAL, POSITIVE, MASK, INDEX, INTEGER = range(5)  # StitchInputRole
CALLS = 200
TF32 = "stitch tf32"  # products of float32 by tensor cores, as XLA computes them if nothing else is asked for


def make_input(runtime, memory, info):
    """A random value that fits how the model uses it (docs/random_inputs.md)."""
    shape, dtype = stitch.shape_of(info), runtime.dtype_name(info.dtype)
    if info.role == NORMAL:
        return memory.normal(shape, dtype, info.high)
    if info.role == POSITIVE:
        return memory.uniform(shape, dtype, info.low, info.high)
    if info.role == MASK:
        return memory.integers(shape, dtype, 0, 2)
    return memory.integers(shape, dtype, int(info.low), max(int(info.high), int(info.low) + 1))


def host_cost(stage, memory, model, inputs, outputs):
    """Microseconds that a call keeps the host, with the graph and step by step: the least of several batches."""
    cost = {}
    for name, eager in (("graph", False), ("eager", True)):
        session = stitch.Session(model, stage.device, eager=eager)
        run = session.bind([memory.address(i) for i in inputs], [memory.address(o) for o in outputs], memory.memory,
                           memory.memory_id)
        times = []
        for _ in range(3):
            run()
        session.synchronize()
        for _ in range(CALLS):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
            session.synchronize()
        cost[f"{name}_us"] = common.median(times) * 1e6
        session.close()
    return cost


def agreement(memory, contest):
    """How far Stitch's outputs are from XLA's: the largest difference over the largest magnitude, of all outputs. One that
    is a millionth of the others is taken to be rounding alone: the gradient of a bias before a softmax, say."""
    results = []
    for name in ("stitch", "xla"):
        if name not in contest.contenders:
            return None
        run, wait, outputs = contest.contenders[name]
        run()
        wait()
        results.append([memory.double(o) for o in outputs()])
    scales = [float(memory.xp.abs(b).max()) if math.prod(b.shape) else 0.0 for b in results[1]]
    worst = 0.0
    for a, b, scale in zip(*results, scales, strict=True):
        scale = max(scale, ROUNDING * max(scales))
        worst = max(worst, float(memory.xp.abs(a - b).max()) / scale if scale else 0.0)
    return worst


def measure_model(stage, runtime, memory, timer, case):
    model = stitch.Model(runtime, stage.path(case["model"]))
    memory.seed(1)
    inputs = [make_input(runtime, memory, i) for i in model.inputs]
    contest = kernels.Contest(stage, runtime, memory)
    contest.add("stitch", lambda: contest.stitch(model, inputs))
    if stage.on_gpu:
        contest.add(TF32, lambda: contest.stitch(model, inputs, tf32=True))
    contest.add("xla", lambda: contest.xla(stage.path(case["stablehlo"]), inputs))
    try:
        found = {"failures": contest.failures}
        try:
            found["agreement"] = agreement(memory, contest)
        except Exception as error:  # an output of a type that does not travel between the two: the times remain
            contest.failures["comparison with xla"] = common.describe(error)
        found["figures"] = kernels.times(contest, timer, rounds=1)
        found["details"] = contest.sessions[0][0].details() if contest.sessions else ""
        if stage.on_gpu and "stitch" in contest.contenders:
            found["host"] = host_cost(stage, memory, model, inputs, contest.contenders["stitch"][2]())
    finally:
        contest.close()
    model.close()
    return found


def main(stage):
    models = sorted(stage.manifest["models"], key=lambda m: m["bytes"])
    timer = None
    if stage.on_gpu:
        import timing
        timer = timing.Timer()
    runtime, memory = stage.runtime(), arrays.arrays_for(stage.device)
    for case in stage.cases(models[:2] if stage.quick else models):
        stage.write(case=case["id"], **measure_model(stage, runtime, memory, timer, case))
        memory.release()


if __name__ == "__main__":
    common.stage_main(main)
