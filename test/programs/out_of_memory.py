#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A command with less and less memory: it succeeds, or ends with exit status 1, a message, and no result.

usage: out_of_memory.py RESULT COMMAND...

The address space that it is given grows from what the program and its libraries take before main, until the command succeeds twice. Exit status 1 if
a run ends otherwise: by a signal, without a message, or with a part of a result.
"""
import os
import resource
import subprocess
import sys

STEP = 12 << 20


def run(command, most):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return subprocess.run(command, capture_output=True, text=True, timeout=300, preexec_fn=limit)


def main():
    result, command = sys.argv[1], sys.argv[2:]
    most, succeeded, failed = 64 << 20, 0, 0
    while run([command[0], "--version"], most).returncode != 0:
        most += 4 * STEP
    while succeeded < 2:
        if os.path.exists(result):
            os.remove(result)
        done = run(command, most)
        if done.returncode == 0:
            succeeded += 1
        elif done.returncode != 1 or "out of memory" not in done.stderr or os.path.exists(result):
            print(f"with {most >> 20} MiB: exit status {done.returncode}, result {os.path.exists(result)}: {done.stderr[-300:]}")
            return 1
        else:
            failed += 1
        most += STEP
    print(f"{failed} runs had too little memory, and said so; the last one had {most >> 20} MiB")
    return 0 if failed else 1


sys.exit(main())
