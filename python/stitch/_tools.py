# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command-line tools of the wheel: each command is the program of its name in bin/."""
import os
import pathlib
import sys


def run() -> None:
    """Becomes the program that this one is called as."""
    program = pathlib.Path(__file__).resolve().parent / "bin" / pathlib.Path(sys.argv[0]).name
    os.execv(program, [os.fspath(program), *sys.argv[1:]])
