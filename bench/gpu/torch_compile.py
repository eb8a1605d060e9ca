# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of the kernels, ahead of the measurement: compiling takes seconds for each, and there are hundreds.

    python3 torch_compile.py CONFIG.json      one of several workers, which share the list of cases

Workers compile the cases in the order of the list and leave the results in Inductor's cache, where the process that
measures finds them. The GPU is used by one at a time while Inductor chooses between configurations: it times them.
"""
import contextlib
import fcntl
import functools
import json
import os
import sys
import time

MODES = {"torch.compile": "default", "max-autotune": "max-autotune-no-cudagraphs"}  # graphs are captured by the benchmark
LARGE_BYTES = 1 << 30  # cases whose arrays do not all fit on the GPU at once


def compiled(name, mode):
    import definitions
    import torch
    return torch.compile(definitions.torch_function(name), mode=MODES[mode], dynamic=False, fullgraph=True)


def cache_folder(work):
    return os.path.join(work, "inductor")


def outcomes(work):
    """What the workers say of the cases that they have tried: id -> "compiled", or what went wrong."""
    try:
        with open(os.path.join(work, "compiled")) as file:
            return dict(json.loads(line) for line in file)
    except FileNotFoundError:
        return {}


def ready(work):
    """The cases that Inductor's cache holds."""
    return {name for name, outcome in outcomes(work).items() if outcome == "compiled"}


@contextlib.contextmanager
def locked(path):
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def take(path):
    """The number of the next case, counted by all workers together."""
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        number = int(file.read() or 0)
        file.seek(0)
        file.truncate()
        file.write(str(number + 1))
        return number


def serialize_autotuning(lock):
    """Has Inductor time its configurations under a lock; false if this torch has no such function."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    original = getattr(CachingAutotuner, "autotune_to_one_config", None)
    if original is None:
        return False

    @functools.wraps(original)
    def under_lock(self, *arguments, **keywords):
        with locked(lock):
            return original(self, *arguments, **keywords)

    CachingAutotuner.autotune_to_one_config = under_lock
    return True


def compile_case(memory, case, lock):
    import checks
    import torch
    large = case["bytes"] > LARGE_BYTES
    with locked(lock + ".large") if large else contextlib.nullcontext():
        inputs = checks.make_inputs(memory, case)
        import definitions
        for mode in MODES if case["kernel"] not in definitions.UNROLLED else ():
            torch._dynamo.reset()
            compiled(case["kernel"], mode)(*inputs)
        del inputs
        memory.synchronize()
        memory.release()


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache_folder(config["work"])
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    import arrays
    lock = os.path.join(config["work"], "gpu.lock")
    if not serialize_autotuning(lock):
        sys.exit("this torch times its configurations in another way: kernels are compiled one after the other")
    memory = arrays.arrays_for(config["device"])
    while time.time() < config["until"]:
        number = take(os.path.join(config["work"], "next_case"))
        if number >= len(config["cases"]):
            return
        case = config["cases"][number]
        try:
            compile_case(memory, case, lock)
            outcome = "compiled"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"[:200]
            memory.release()
        with open(os.path.join(config["work"], "compiled"), "a") as file:
            file.write(json.dumps([case["id"], outcome]) + "\n")


if __name__ == "__main__":
    main()
