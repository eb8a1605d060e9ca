#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults of processes that run a model together: whatever happens to one, all end with an error within the limit.

    python3 test/processes/process_faults.py --bin build/bin --count 50 --seed 1

One of 2 to 4 processes, chosen at random, is stopped or killed at some time, ends early, runs another program or one of
other shapes, or never starts; with --device=cuda it also ends in a call, or never does its part of one. Calls are
those of NCCL or MPI. With --sums=at-once or two-steps they are signals between kernels that read each other's memory.
"""
import argparse
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

# There may be more processes than processors.
os.environ.update(OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
LIMIT = 3.0
GRACE = 40.0  # for a busy machine to start and end programs

PROGRAM = """module attributes {{mhlo.num_partitions = {count} : i32}} {{
  func.func @main(%a: tensor<{rows}x8xf32>) -> tensor<{rows}x8xf32> {{
    %0 = "stablehlo.all_reduce"(%a) <{{replica_groups = dense<> : tensor<0x0xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.{body} %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }}) : (tensor<{rows}x8xf32>) -> tensor<{rows}x8xf32>
    %1 = stablehlo.tanh %0 : tensor<{rows}x8xf32>
    return %1 : tensor<{rows}x8xf32>
  }}
}}
"""
FAULTS = ("stopped", "killed", "ends early", "other program", "other shape", "never starts")


def compile_programs(bin_folder, folder, sums):
    models = {}
    for count in (2, 3, 4):
        for name, rows, body in (("same", 8, "add"), ("other program", 8, "maximum"), ("other shape", 16, "add")):
            source, model = folder / f"{count}_{name.replace(' ', '_')}.mlir", folder / f"{count}_{name.replace(' ', '_')}.so"
            source.write_text(PROGRAM.format(count=count, rows=rows, body=body))
            subprocess.run([bin_folder / "stitch-compile", source, "--target=simt,sm_90", "--no-cubins", "--no-reference", f"--pipeline=sums={sums}", "-o", model], check=True)
            models[count, name] = str(model)
    return models


def command_of(fault, models, count, run, device):
    """What the process with the fault runs."""
    endless = [run, models[count, "same"], "--repeat=1000000", device]
    delay = f"{random.uniform(0.05, 2.0):.2f}"
    if fault in ("stopped", "killed"):
        return ["timeout", "-s", "STOP" if fault == "stopped" else "KILL", delay, *endless]
    if fault == "ends early":
        return endless[:2] + [f"--repeat={random.randrange(1, 50)}", device]
    if fault == "never starts":
        return ["sleep", "60"]
    if fault in ("lost", "stalls"):  # in a call
        return ["env", f"STITCH_CUDA_DOUBLE={os.environ['STITCH_CUDA_DOUBLE']},{'lose' if fault == 'lost' else 'stall'}={random.randrange(1, 50)}", *endless]
    return [run, models[count, fault], "--repeat=1000000", device]


def is_running(pid):
    """Whether a process still does something: not one that only waits for its launcher to take note of its end."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def run_to_end(command):
    """The exit status, what was printed, and who was still running when the time was over.

    mpirun 4.1 itself waits for ever now and then, in PMIx_server_finalize, when all that it has started has ended."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        printed, _ = process.communicate(timeout=LIMIT + GRACE)
        return process.returncode, printed, []
    except subprocess.TimeoutExpired:
        started = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        running = [pid for pid in started if is_running(pid)]
        process.kill()
        for pid in running:
            os.kill(int(pid), signal.SIGKILL)
        return process.wait(), process.communicate()[0], running


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_apart(commands, victim):
    """The same without a launcher, which would end all processes when one ends: they find each other by an address.

    The status is 0 unless each of the others ends with an error of its own."""
    address, processes = f"127.0.0.1:{free_port()}", []
    for rank, command in enumerate(commands):
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(len(commands)), "LOCAL_RANK": str(rank), "STITCH_WORLD_ADDRESS": address}
        processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True))
    end, printed, running, status = time.monotonic() + LIMIT + GRACE, "", [], 1
    for rank, process in enumerate(processes):
        if rank == victim:
            continue
        try:
            text, _ = process.communicate(timeout=max(0.1, end - time.monotonic()))
            printed += text
            status = 0 if process.returncode in (0, 99) or "error: " not in text else status
        except subprocess.TimeoutExpired:
            running.append(process.pid)
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return status, printed, running


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="simt", help="cuda: STITCH_CUDA_LIBRARIES names the folder of the test double")
    parser.add_argument("--sums", default="calls", help="as stitch-pipeline has them")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    os.environ["STITCH_TIME_LIMIT"] = str(LIMIT)
    faults = FAULTS
    if arguments.device == "cuda":
        faults += ("lost", "stalls")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STITCH_CUDA_DOUBLE"] = f"devices=4,messages={folder}"
        models = compile_programs(arguments.bin, pathlib.Path(folder), arguments.sums)
        for number in range(arguments.count):
            fault, count = faults[number % len(faults)], random.choice((2, 3, 4))
            victim, run = random.randrange(count), str(arguments.bin / "stitch-run")
            device = f"--device={arguments.device}"
            commands = [command_of(fault, models, count, run, device) if process == victim else
                        [run, models[count, "same"], "--repeat=1000000", device] for process in range(count)]
            start = time.monotonic()
            if arguments.device == "cuda":
                status, printed, running = run_apart(commands, victim)
            else:
                joined = [part for command in commands for part in (":", "-n", "1", *command)]
                status, printed, running = run_to_end(["mpirun", "--oversubscribe", *joined[1:]])
            lines = [line for line in printed.split("\n") if "error: " in line or "signal" in line or "Exit code:" in line]  # the last of mpirun
            ok = status != 0 and lines and not running
            what = "hangs" if running else lines[0][:150] if lines else f"exit status {status}: {printed[-200:]}"
            failures += not ok
            print(f"{'ok' if ok else 'wrong'}: {fault}, process {victim} of {count}, {time.monotonic() - start:.1f} s: {what}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
