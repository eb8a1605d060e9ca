# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the stages of bench/gpu.sh, each as a program of its own with a limit of time, and reports what they found.

A stage that crashes or hangs is started again behind the case that it was at. results.json is written all along, so that
nothing is lost if this program is stopped.
"""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import common
import report

HERE = os.path.dirname(os.path.abspath(__file__))
# part -> its stages: (program, share of the part's time, the longest that one case may take)
PARTS = {
    "barrier": [("fixed_costs", 1.0, 150)],
    "check": [("check_programs", 0.5, 150), ("check_kernels", 1.0, 45)],
    "sanitizer": [("sanitizer", 1.0, 130)],
    "alone": [("alone", 1.0, 60)],
    "models": [("models", 1.0, 120)],
    "networks": [("time_networks", 1.0, 400)],
    "compile": [("compile_ahead", 1.0, 600)],
    "kernels": [("kernels", 1.0, 90)],
    "tune": [("tune", 1.0, 120)],
}
WEIGHTS = {"barrier": 10, "check": 30, "sanitizer": 16, "alone": 15, "models": 20, "networks": 60, "compile": 22, "kernels": 28, "tune": 12}  # what is left is divided so
FULL_SECONDS, QUICK_SECONDS = 555, 160
AFTER_LAST_CASE, NEEDED_FOR_CASE, QUICK_CASE = 8, 4, 1
MOST_RESTARTS = 8


def parse_arguments():
    parser = argparse.ArgumentParser(prog="gpu.sh", description="Checks and times Stitch's kernels and models on a GPU, beside "
                                     "XLA and PyTorch. BUNDLE is what bench/bundle has made.")
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument("--out", metavar="DIR", default="gpu-results", help="where results.json, table.txt and log.txt go")
    parser.add_argument("--only", metavar="PARTS", help="some of " + ",".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="a few cases of each part, below three minutes")
    parser.add_argument("--budget", metavar="SECONDS", type=float, help=f"for all of it (default: {FULL_SECONDS}, quick: {QUICK_SECONDS})")
    parser.add_argument("--resume", metavar="FILE", help="a results.json: what it holds is not measured again")
    parser.add_argument("--work", metavar="DIR", help="where programs keep what they compile (default: a folder that is deleted): parts that run one by "
                        "one, or one beside the other, find it there")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:N, or simt: a dry run on the CPU, which times nothing")
    options = parser.parse_args()
    options.parts = options.only.split(",") if options.only else list(PARTS)
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'; there are {', '.join(PARTS)}")
    return options


class Run:
    def __init__(self, options, work):
        self.options, self.work, self.start = options, work, time.time()
        self.deadline = self.start + (options.budget or (QUICK_SECONDS if options.quick else FULL_SECONDS))
        os.makedirs(options.out, exist_ok=True)
        self.log = open(os.path.join(options.out, "log.txt"), "a")
        self.results = {"device": options.device, "quick": options.quick, "parts": {}}
        if options.resume:
            with open(options.resume) as file:
                self.results["parts"] = json.load(file)["parts"]
        self.results["machine"] = describe_machine(options.device)
        with open(os.path.join(options.bundle, "manifest.json")) as file:
            self.results["bundle"] = {key: value for key, value in json.load(file).items() if key not in ("kernels", "models", "networks")}

    def say(self, text):
        print(text, flush=True)
        self.log.write(text + "\n")
        self.log.flush()

    def save(self):
        path = os.path.join(self.options.out, "results.json")
        with open(path + ".new", "w") as file:
            json.dump(self.results, file, indent=1)
            file.write("\n")
        os.replace(path + ".new", path)

    def part(self, name):
        begin = time.time()
        still_to_do = self.options.parts[self.options.parts.index(name):]
        end = begin + (self.deadline - begin) * WEIGHTS[name] / sum(WEIGHTS[p] for p in still_to_do)
        for program, share, case_seconds in PARTS[name]:
            now = time.time()
            StageRun(self, name, program, now + (end - now) * share, case_seconds).run()
        self.say(f"{name}: {time.time() - begin:.0f} s; {report.part_summary(self.results['parts'].get(name, {}))}")

    def record(self, part, stage):
        return self.results["parts"].setdefault(part, {}).setdefault(stage, {"cases": {}, "notes": []})


class StageRun:
    """One stage, in as many processes as it takes."""

    def __init__(self, run, part, program, deadline, case_seconds):
        self.owner, self.program, self.deadline, self.case_seconds = run, program, deadline, case_seconds
        self.record = run.record(part, program)
        self.record.pop("missing", None)
        self.record.pop("skipped", None)
        self.record["finished"] = False
        self.begun, self.doing, self.read = [], None, 0
        self.environment = common.library_environment()
        self.lines = os.path.join(run.work, f"{program}.jsonl")
        open(self.lines, "w").close()

    def run(self):
        for _ in range(MOST_RESTARTS + 1):
            outcome, reason = self.attempt()
            if outcome != "again" or self.deadline - time.time() < AFTER_LAST_CASE:
                break
        if reason:
            self.note(reason)
        self.record["finished"] = outcome == "done"
        self.owner.save()

    def note(self, text):
        if text not in self.record["notes"]:
            self.record["notes"].append(text)
        self.owner.log.write(f"{self.program}: {text}\n")

    def attempt(self):
        """Starts the stage and follows it: ("done", "again" or "stop", what went wrong)."""
        known = set(self.record["cases"])
        process = self.spawn()
        stopped = None
        while process.poll() is None:
            time.sleep(0.2)
            progress = self.follow()
            if time.time() > self.deadline + AFTER_LAST_CASE:
                stopped = "stopped, for the time was up"
            elif progress > self.case_seconds:
                stopped = f"stopped: nothing happened for {self.case_seconds} s"
            if stopped:
                kill(process)
                process.wait()
        self.follow()
        if not stopped and process.returncode == 0:
            return "done", None
        reason = stopped or f"ended with status {process.returncode}"
        begun = next((c for c in reversed(self.begun) if c not in self.record["cases"]), None)
        if stopped and "time was up" in stopped:
            return "stop", reason
        if begun:
            doing = f" ({self.doing})" if self.doing else ""
            self.record["cases"][begun] = {"ok": False, "reason": f"the program {reason}{doing}: {self.tail()}"}
            return "again", None
        reason = f"{reason}: {self.tail()}"
        if known.issuperset(self.record["cases"]):  # another attempt would end the same way
            return "stop", reason
        self.note(reason)
        return "again", None

    def spawn(self):
        options = self.owner.options
        config = {
            "bundle": os.path.abspath(options.bundle), "work": self.owner.work, "device": options.device, "quick": options.quick,
            "deadline": self.deadline, "results": self.lines, "case_seconds": QUICK_CASE if options.quick else NEEDED_FOR_CASE,
            "skip": [c for c, found in self.record["cases"].items() if found.get("ok") is not None or found.get("figures")],
        }
        path = os.path.join(self.owner.work, f"{self.program}.config.json")
        with open(path, "w") as file:
            json.dump(config, file)
        self.errors = os.path.join(self.owner.work, f"{self.program}.log")
        self.last = time.time()
        with open(self.errors, "w") as log:
            return subprocess.Popen([sys.executable, os.path.join(HERE, f"{self.program}.py"), path], stdout=log, stderr=log,
                                    stdin=subprocess.DEVNULL, start_new_session=True, env=self.environment)

    def follow(self):
        """Takes in what the stage has written; seconds since the last line."""
        with open(self.lines) as file:
            file.seek(self.read)
            while (line := file.readline()).endswith("\n"):
                self.read = file.tell()
                self.last = time.time()
                self.take(json.loads(line))
        return time.time() - self.last

    def take(self, entry):
        if "begin" in entry:
            self.begun.append(entry["begin"])
            self.doing = None
        elif "doing" in entry:
            self.doing = entry["doing"]
        elif "case" in entry:
            self.record["cases"][entry.pop("case")] = entry
            self.owner.save()
        elif "note" in entry:
            self.note(entry["note"])
        elif "alive" not in entry:
            self.record.update({k: v for k, v in entry.items() if k != "finished"})

    def tail(self):
        try:
            with open(self.errors, errors="replace") as file:
                text = file.read()
            first, last = common.first_error(text), common.last_lines(text[-4000:]) or "it said nothing"
            return f"{first}\n...\n{last}" if first and first not in last else last
        except OSError as error:
            return str(error)


def kill(process):
    """The stage and all that it has started: they are a process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def describe_machine(device):
    machine = {"time": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "python": sys.version.split()[0]}
    if device.startswith("cuda"):
        status, output = common.run_program(["nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem",
                                             "--format=csv,noheader"], 20)
        machine["gpu"] = output.strip() if status == 0 else f"nvidia-smi: {common.last_lines(output, 1)}"
    for package in ("torch", "triton", "jax"):
        try:
            from importlib.metadata import version
            machine[package] = version(package)
        except Exception:
            machine[package] = "not installed"
    return machine


def work_folder(options):
    if not options.work:
        return tempfile.TemporaryDirectory(prefix="stitch-gpu-")
    os.makedirs(options.work, exist_ok=True)
    return contextlib.nullcontext(os.path.abspath(options.work))


def main():
    options = parse_arguments()
    with work_folder(options) as work:
        run = Run(options, work)
        for name in options.parts:
            run.part(name)
        run.results["seconds"] = round(time.time() - run.start)
        run.save()
        with open(os.path.join(options.bundle, "manifest.json")) as file:
            short, long, status = report.report(run.results, json.load(file))
        with open(os.path.join(options.out, "table.txt"), "w") as file:
            file.write(long + "\n")
        print("\n" + short, flush=True)
        run.log.close()
    sys.exit(status)


if __name__ == "__main__":
    main()
