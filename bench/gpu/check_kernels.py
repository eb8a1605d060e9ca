# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: every kernel of the bundle on fresh random inputs, against float64; three runs must agree bit for bit."""
import arrays
import checks
import common
import stitch


def run_kernel(stage, runtime, memory, case):
    model = stitch.Model(runtime, stage.path(case["model"]))
    inputs = checks.make_inputs(memory, case)
    outputs = [memory.empty(stitch.shape_of(o), runtime.dtype_name(o.dtype)) for o in model.outputs]
    memory.synchronize()  # the session has a stream of its own
    session = stitch.Session(model, stage.device)
    try:
        run = session.bind([memory.address(i) for i in inputs], [memory.address(o) for o in outputs], memory.memory,
                           memory.memory_id)
        run()  # on a GPU: step by step; the second run is captured, the third replays the graph
        session.synchronize()
        first = [memory.copy(o) for o in outputs]
        memory.synchronize()  # before the next run writes them again
        same = True
        for _ in range(2):
            run()
            session.synchronize()
            same = same and all(memory.same_bits(a, b) for a, b in zip(first, outputs))
        details = session.details()
    finally:
        session.close()
    found = checks.Reference(memory, case, inputs).compare(first, [o.error_variance for o in model.outputs])
    model.close()
    return {"outputs": found, "repeatable": same, "details": details, "ok": same and all(f["ok"] for f in found)}


def main(stage):
    runtime, memory = stage.runtime(), arrays.arrays_for(stage.device)
    on_host = memory.memory == stitch.HOST_MEMORY
    if stage.on_gpu and on_host:
        stage.note("without PyTorch only small kernels are compared with float64")
    kernels = [k for k in stage.manifest["kernels"] if k["host"] or not on_host]
    for case in stage.cases(kernels[::8] if stage.quick else kernels):
        try:
            stage.write(case=case["id"], **run_kernel(stage, runtime, memory, case))
        except stitch.Error as error:
            if common.is_fatal(error):
                raise
            stage.write(case=case["id"], ok=False, reason=str(error))
        except (MemoryError, RuntimeError) as error:
            if "out of memory" not in str(error) and not isinstance(error, MemoryError):
                raise
            stage.write(case=case["id"], ok=None, reason=common.describe(error))
        memory.release()


if __name__ == "__main__":
    common.stage_main(main)
