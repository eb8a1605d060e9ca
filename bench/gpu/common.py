# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the stages of a run share. A stage is a program of its own, so that its crash is its own:

    python3 STAGE.py CONFIG.json

It appends lines of JSON to the file that the configuration names: {"begin": id} before a case, {"doing": text} before each of
its steps that may crash, {"case": id, ...} with what was found, {"note": text}. run.py reads them; after a crash or a hang it
starts the stage again without the cases that it has seen the beginning of, and says what the stage was doing.
"""
import glob
import importlib.util
import json
import os
import subprocess
import sys
import time


class Stage:
    def __init__(self, path):
        with open(path) as file:
            self.config = json.load(file)
        self.bundle, self.work, self.device = self.config["bundle"], self.config["work"], self.config["device"]
        self.quick, self.deadline = self.config["quick"], self.config["deadline"]
        self.skip = set(self.config["skip"])
        with open(os.path.join(self.bundle, "manifest.json")) as file:
            self.manifest = json.load(file)
        self.results = open(self.config["results"], "a")

    @property
    def on_gpu(self):
        return self.device.startswith("cuda")

    def path(self, *names):
        return os.path.join(self.bundle, *names)

    def remaining(self):
        return self.deadline - time.time()

    def write(self, **entry):
        self.results.write(json.dumps(entry) + "\n")
        self.results.flush()

    def note(self, text):
        self.write(note=text)

    def doing(self, text):
        self.write(doing=text)

    def cases(self, entries):
        """Those of the manifest's entries that are still to be done, while there is time."""
        for entry in entries:
            if entry["id"] in self.skip:
                continue
            if self.remaining() < self.config["case_seconds"]:
                self.note("the time was up before all cases were done")
                return
            self.write(begin=entry["id"])
            yield entry

    def runtime(self):
        import stitch
        return stitch.Runtime(self.path("bin", "libstitch_runtime.so"))


def library_environment():
    """The environment of a stage: libraries that came with Python packages (cuBLASLt, cuDNN, cuSOLVER, ...) can be found, by
    the runtime in the stage itself and by what the stage starts."""
    folders = []
    spec = importlib.util.find_spec("nvidia")
    for root in list(spec.submodule_search_locations) if spec and spec.submodule_search_locations else []:
        folders += sorted(glob.glob(os.path.join(root, "*", "lib")))
    old = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(([old] if old else []) + folders)}


def run_program(command, seconds):
    """(exit status, output); the status is "timeout" or "missing" where the program did not end or start by itself."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=max(seconds, 1))
        return result.returncode, result.stdout + result.stderr
    except subprocess.TimeoutExpired as error:
        return "timeout", "".join(o.decode(errors="replace") if isinstance(o, bytes) else o or "" for o in (error.stdout, error.stderr))
    except OSError as error:
        return "missing", str(error)


def last_lines(text, count=6):
    return "\n".join(line[:300] for line in text.strip().splitlines()[-count:])


def first_error(text):
    """The first line that tells of one of the FATAL_ERRORS: what comes behind is often what others find on their way out."""
    return next((line[:300] for line in text.splitlines() if is_fatal(line)), None)


def describe(error):
    """An exception in one line."""
    return f"{type(error).__name__}: {str(error).strip() or '?'}"[:500]


# What CUDA says of errors after which nothing works any more in the process.
FATAL_ERRORS = ("illegal memory access", "illegal instruction", "misaligned address", "invalid program counter", "address space",
                "unspecified launch failure", "device-side assert", "launch timed out", "hardware stack error", "uncorrectable ECC")


def is_fatal(error):
    """Whether the stage has to end, so that run.py starts it again behind this case."""
    return any(text in str(error) for text in FATAL_ERRORS)


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else None


def stage_main(run):
    """Runs a stage's function on the stage that the command line names."""
    stage = Stage(sys.argv[1])
    run(stage)
    stage.write(finished=True)
    stage.results.close()
