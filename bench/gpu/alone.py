# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: Stitch's kernels timed alone, which takes a tenth of the time of a comparison: for the cost model, and for what is far from the ceiling."""
import arrays
import checks
import common
import kernels
import stitch

ROUNDS = 9


def measure_case(stage, runtime, memory, timer, case):
    model = stitch.Model(runtime, stage.path(case["model"]))
    contest = kernels.Contest(stage, runtime, memory)
    inputs = checks.make_inputs(memory, case)
    contest.add("stitch", lambda: contest.stitch(model, inputs))
    try:
        figures = kernels.times(contest, timer, rounds=1)
    finally:
        contest.close()
    model.close()
    return {"figures": figures, "failures": contest.failures}


def main(stage):
    cases = [k for k in stage.manifest["kernels"] if stage.on_gpu or k["host"]]
    timer = None
    if stage.on_gpu:
        import timing
        timer = timing.Timer(most_rounds=ROUNDS)
        stage.write(ceilings=timing.ceilings())
    kernels.measure_cases(stage, stage.runtime(), arrays.arrays_for(stage.device), timer, cases[:8] if stage.quick else cases, measure_case)


if __name__ == "__main__":
    common.stage_main(main)
