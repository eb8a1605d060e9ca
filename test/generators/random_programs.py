# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of tests that draw programs by number."""
import argparse


def run(description, differs):
    """The exit status: 1 if `differs(options, number)` of one of the programs that are asked for."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    wrong = sum(differs(options, number) for number in range(options.first, options.first + options.count))
    print(f"{options.count} programs, {wrong} differ")
    return 1 if wrong else 0
