# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stage: the models of real size (networks/) by Stitch, XLA, torch.compile and eager PyTorch, side by side, each output beside float64.

    python3 time_networks.py CONFIG.json                 the stage
    python3 time_networks.py CONFIG.json NAME,... TIME   one of its workers, with the time when Inductor has to end

Compiling takes XLA and Inductor a minute or more for a model, so workers, a process for each large model, compile beside one another on all cores. When all
of a wave are ready, and the GPU does nothing else, the stage lets one after the other take its times. A wave is what fits into the memories of GPU and host
at once. What Inductor has not compiled in time is left out, and the others are timed without it.
"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import arrays
import common
import kernels
import networks
import stitch
import torch_compile

MEMORY_SHARE, WORK_SPACE = 0.7, 2 << 30  # of the GPU for the arguments and results of a wave; what a worker takes besides
HOST_BYTES = 12 << 30  # of the host's memory, for a worker: PyTorch, JAX and their compilers
SMALL_TOGETHER = 6  # so many small models share a worker
REFERENCE_BYTES = 12 << 30  # of the arguments in the reference's type
MOST_OF_PREPARATION, MOST_OF_INDUCTOR = 0.84, 0.62  # of a wave's time: who is not ready then is not timed; what Inductor has not compiled then is left out
TO_END = 20  # seconds that the last of a wave may take from the next
FEW_ROUNDS = 11
# A result may be this many times as far from the reference as the worst of the other implementations. All round to the same types, in another order.
WORSE_THAN_OTHERS = 2.0
ROUNDING = {"f32": 1e-6, "bf16": 4e-3, "f16": 5e-4}  # what nobody is blamed for: a few units in the last place


# ---------------------------------------------------------------------------------------------------------------------
# A worker
# ---------------------------------------------------------------------------------------------------------------------


class Prepared:
    """A model with everybody who computes it, compiled and run once."""

    def __init__(self, stage, runtime, memory, entry, lock, until):
        self.entry, self.network, self.until = entry, networks.all_networks()[entry["id"]], until
        memory.seed(sum(map(ord, entry["id"])))
        self.inputs = networks.make_inputs(memory, self.network)
        self.contest, self.models, self.seconds = kernels.Contest(stage, runtime, memory), [], {}
        self.types = {a.dtype for a in self.network.arguments.values()}
        self.model = self._add_stitch("stitch", entry["model"])
        for plan, path in entry["variants"].items():
            self._add_stitch(f"stitch {plan}", path)
        if stage.on_gpu and "f32" in self.types:
            self._add("stitch tf32", lambda: self.contest.stitch(self.model, self.inputs, tf32=True))

        self.timed = not (stage.on_gpu and entry["host"])  # on a GPU small models are only compared
        if self.timed and not entry.get("alone"):
            self._add("xla", lambda: self.contest.xla(stage.path(entry["stablehlo"]), self.inputs))
        if stage.on_gpu:
            self._add_torch(memory.torch)
        self.verdicts = {}
        try:
            with torch_compile.locked(lock):
                self.verdicts = self._compare(memory)
        except Exception as error:
            if common.is_fatal(error):
                raise
            self.contest.failures["reference"] = common.describe(error)
        memory.release()

    def _add(self, name, make):
        start = time.perf_counter()
        self.contest.add(name, make)
        self.seconds[name] = round(time.perf_counter() - start, 1)
        print(f"{self.entry['id']}: {name}: {self.seconds[name]} s {self.contest.failures.get(name, '')}", file=sys.stderr, flush=True)

    def _add_stitch(self, name, path):
        def make():
            self.models.append(stitch.Model(self.contest.runtime, self.contest.stage.path(path)))
            return self.contest.stitch(self.models[-1], self.inputs)

        self._add(name, make)
        return self.models[-1] if self.models else None

    def _add_torch(self, torch):
        torch.set_float32_matmul_precision("high")  # TF32, as XLA has it by default
        function = networks.torch_function(self.network)
        self._add("eager", lambda: self.contest.torch(function, self.inputs))
        for name in self.entry["torch_modes"] if self.timed and not self.entry.get("alone") else ():
            compiled = torch.compile(function, mode=torch_compile.MODES[name], dynamic=False, fullgraph=True)

            def make():
                with ended_at(self.until):
                    return self.contest.torch(compiled, self.inputs)

            self._add(name, make)

    def _reference(self, memory):
        """The results of the PyTorch function in float64 or float32, and who is compared with them: all; or, where neither fits, of eager PyTorch as it is
        timed, and all the others. Nothing without PyTorch."""
        torch, names = getattr(memory, "torch", None), list(self.contest.contenders)
        if not torch:
            return None, []
        torch.set_float32_matmul_precision("highest")
        elements = sum(x.numel() for x in self.inputs if x.is_floating_point())
        for dtype, size in ((torch.float64, 8), (torch.float32, 4)):
            if elements * size <= REFERENCE_BYTES and (size == 8 or "f32" not in self.types):
                return networks.torch_function(self.network)(*[x.to(dtype) if x.is_floating_point() else x for x in self.inputs]), names
        return self._results("eager"), [n for n in names if n != "eager"]

    def _results(self, name):
        run, wait, outputs = self.contest.contenders[name]
        run()
        wait()
        return outputs()

    def _compare(self, memory):
        """name -> the largest relative norm of an output's error, and Stitch's verdict: whether it is as near to the reference as the others are."""
        reference, names = self._reference(memory)
        if reference is None:
            return {}
        errors = {name: [self._distance(memory, o, r) for o, r in zip(self._results(name), reference, strict=True)] for name in names}
        others = [max((errors[n][i] for n in errors if not n.startswith("stitch")), default=float("inf")) for i in range(len(reference))]
        verdicts = {}
        for name, found in errors.items():
            verdicts[name] = {"relative_norm": max(found), "ok": True}
            bad = [i for i, e in enumerate(found) if not e <= max(WORSE_THAN_OTHERS * others[i], ROUNDING.get(self._type(self.model.outputs[i]), 0.0))]
            if bad and name.startswith("stitch"):
                verdicts[name] = {"relative_norm": max(found), "ok": False, "reason": f"output {bad[0]} of {len(found)} ({len(bad)} are wrong): relative norm "
                                  f"of the error {found[bad[0]]:.3g}, the others' at most {others[bad[0]]:.3g}"}
        return verdicts

    def _type(self, info):
        return self.contest.runtime.dtype_name(info.dtype)

    @staticmethod
    def _distance(memory, output, expected):
        expected = expected.double()
        norm = float((expected * expected).sum()) ** 0.5
        difference = memory.double(output).reshape(expected.shape) - expected
        error = float((difference * difference).sum()) ** 0.5
        return error / norm if norm else error

    def measure(self, timer):
        try:
            figures = kernels.times(self.contest, timer, rounds=1) if self.timed else {}
        finally:
            self.contest.close()
        for model in self.models:
            model.close()
        return {"figures": figures, "failures": self.contest.failures, "right": self.verdicts, "seconds": self.seconds}


@contextlib.contextmanager
def ended_at(until):
    """Ends what is done within by an exception when the time is up."""
    def stop(*_):
        raise TimeoutError("not compiled in time")

    left = until - time.time()
    if left <= 0:
        stop()
    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def worker(stage, names, until):
    """Prepares its models, says so, and times them when it is told to."""
    entries = {e["id"]: e for e in stage.manifest["networks"]}
    timer = None
    if stage.on_gpu:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = torch_compile.cache_folder(stage.work)
        os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "2"
    runtime, memory = stage.runtime(), arrays.arrays_for(stage.device)
    lock = os.path.join(stage.work, "gpu.lock")
    if stage.on_gpu:
        torch_compile.serialize_autotuning(lock)
    prepared = []
    for name in names:
        try:
            prepared.append(Prepared(stage, runtime, memory, entries[name], lock, until))
        except Exception as error:
            if common.is_fatal(error):
                raise
            print(json.dumps({"case": name, "reason": common.describe(error)}), flush=True)
        memory.release()
    if stage.on_gpu:
        import timing
        timer = timing.Timer(most_rounds=FEW_ROUNDS)
    memory.synchronize()
    print(json.dumps({"ready": names}), flush=True)
    sys.stdin.readline()
    for model in prepared:
        try:
            print(json.dumps({"case": model.entry["id"], **model.measure(timer)}), flush=True)
        except Exception as error:
            print(json.dumps({"case": model.entry["id"], "ok": False, "reason": common.describe(error)}), flush=True)
            if common.is_fatal(error):
                raise


# ---------------------------------------------------------------------------------------------------------------------
# The stage
# ---------------------------------------------------------------------------------------------------------------------


class Worker:
    def __init__(self, stage, config, names, until):
        self.stage, self.names, self.ready, self.told, self.text = stage, names, False, set(), b""
        self.log = os.path.join(stage.work, f"networks.{names[0]}.log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), config, ",".join(names), str(until)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=log, bufsize=0)
        os.set_blocking(self.process.stdout.fileno(), False)

    def follow(self):
        """Takes in what it has said; whether it is still there."""
        ended = self.process.poll() is not None
        while part := self.process.stdout.read(1 << 16):  # None: nothing is there yet
            self.text += part
        lines = self.text.split(b"\n")
        self.text = lines.pop()
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:  # something that a library prints
                continue
            if "ready" in entry:
                self.ready = True
            elif "case" in entry:
                self.told.add(entry["case"])
                self.stage.write(**entry)
        return not ended

    def time(self, until):
        try:
            self.process.stdin.write(b"go\n")
        except OSError:
            pass
        while self.follow() and time.time() < until:
            time.sleep(0.05)
        self.end("the time was up")

    def end(self, reason):
        if self.process.poll() is None:
            self.process.kill()
        else:
            reason = f"its program ended with status {self.process.returncode}"
        self.process.wait()
        self.follow()
        for name in self.names:
            if name not in self.told:
                with open(self.log, errors="replace") as log:
                    text = log.read()
                bad = self.process.returncode not in (0, -9)
                self.stage.write(case=name, **({"ok": False} if bad else {}), reason=f"{reason}: {common.first_error(text) or ''} {common.last_lines(text[-2000:], 3)}")


def groups_of(entries):
    """For each worker: large models alone, those first that take longest to compile; small ones several together."""
    large = [[e] for e in sorted(entries, key=lambda e: -e["operations"]) if not e["small"]]
    small, tiny = [e for e in entries if e["small"] and not e["host"]], [e for e in entries if e["host"]]
    return large + [small[i:i + SMALL_TOGETHER] for i in range(0, len(small), SMALL_TOGETHER)] + ([tiny] if tiny else [])


def waves_of(groups, memory, most):
    """Groups whose arguments, results and work space fit into that much memory together, and at most so many."""
    waves, used = [], memory + 1
    for group in groups:
        size = sum(e["bytes"] for e in group) + WORK_SPACE
        if used + size > memory or len(waves[-1]) == most:
            waves.append([])
            used = 0
        waves[-1].append([e["id"] for e in group])
        used += size
    return waves


def gpu_memory(stage):
    if not stage.on_gpu:
        return 64 << 30
    status, output = common.run_program(["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"], 20)
    return int(output.split()[0]) << 20 if status == 0 else 64 << 30


def workers_at_once():
    """So many have room in the host's memory."""
    return max(1, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // HOST_BYTES)


def run_wave(stage, config, wave, until):
    begin = time.time()
    prepared_until = begin + (until - begin) * MOST_OF_PREPARATION
    workers = [Worker(stage, config, names, begin + (until - begin) * MOST_OF_INDUCTOR) for names in wave]
    while time.time() < prepared_until:
        stage.write(alive=True)
        there = [w.follow() for w in workers]
        if all(w.ready or not t for w, t in zip(workers, there)):
            break
        time.sleep(0.5)
    for worker_ in workers:
        if not worker_.ready:
            worker_.end("it was not ready in time")
    for worker_ in workers:
        if worker_.ready:
            stage.write(alive=True)
            worker_.time(until + TO_END)


def main(stage):
    entries = [e for e in stage.manifest.get("networks", []) if e["id"] not in stage.skip and (stage.on_gpu or e["host"])]
    if stage.quick:
        entries = entries[:4]
    if not stage.on_gpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    waves = waves_of(groups_of(entries), gpu_memory(stage) * MEMORY_SHARE, workers_at_once())
    left = sum(len(w) for w in waves)
    for wave in waves:
        if stage.remaining() < stage.config["case_seconds"]:
            stage.note("the time was up before all cases were done")
            return
        until = time.time() + stage.remaining() * len(wave) / left
        left -= len(wave)
        for name in (n for names in wave for n in names):
            stage.write(begin=name)
        run_wave(stage, sys.argv[1], wave, until)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        worker(common.Stage(sys.argv[1]), sys.argv[2].split(","), float(sys.argv[3]))
    else:
        common.stage_main(main)
