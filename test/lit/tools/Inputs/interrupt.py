# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts stitch-tune behind its first kernel, and says what it leaves.

usage: interrupt.py FILE COMMAND ...
"""
import glob
import os
import signal
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    tune = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, "TMPDIR": folder})
    tune.stdout.readline()
    os.killpg(tune.pid, signal.SIGINT)
    _, errors = tune.communicate()
    with open(sys.argv[1], encoding="utf-8") as file:
        kernels = file.read().count("\nkernel ")
    print(f"interrupted behind kernel 1: exit status {tune.returncode}, {errors.strip().splitlines()[-1]}, {kernels} kernels in the file")
    left = glob.glob(os.path.join(folder, "*"))
    print(f"left: {left}" if left else "nothing is left")
