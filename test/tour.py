#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether what docs/tour.md shows is what the tools print.

usage: tour.py --build FOLDER [--jax PYTHON]

The commands of each ```sh block run, with FOLDER in the place of build/. The ```mlir and ```text blocks behind it are excerpts of what they
print, one behind the other. Lines must be equal but for white space; a line that is indented by four or more beyond the one before
continues it. `...` within a line stands for any part of that line, a line of it for any number of lines. With --jax the ```python block
runs instead, and must print docs/tour.mlir.
"""
import argparse
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOUR, GRAPH = (os.path.join(SOURCE, "docs", name) for name in ("tour.md", "tour.mlir"))
CONTINUATION = 4


def blocks(text):
    """Language, number of the first line, lines."""
    language, start, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"```(\w*)$", line)
        if fence and language is None:
            language, start, lines = fence.group(1), number + 1, []
        elif fence:
            yield language, start, lines
            language = None
        elif language is not None:
            lines.append(line)


def squeezed(line):
    return " ".join(line.split())


def segments(start, lines):
    """Lists of (number, line) of lines that follow each other."""
    result, last = [[]], None
    for number, line in enumerate(lines, start):
        indent = len(line) - len(line.lstrip())
        if line.strip() == "...":
            result.append([])
            last = None
        elif last is not None and indent >= last + CONTINUATION:
            first, text = result[-1][-1]
            result[-1][-1] = (first, f"{text} {squeezed(line)}")
        elif line.strip():
            result[-1].append((number, squeezed(line)))
            last = indent
    return [s for s in result if s]


def pattern(line):
    """An elision between words may be none of them."""
    return re.compile(".*".join(re.escape(part) for part in re.split(r" ?\.\.\. ?", line)))


def find(segment, output, begin):
    """The line behind the first place from `begin` on where the lines of the segment are; else None, and the line that is not there."""
    patterns = [pattern(line) for _, line in segment]
    longest = 0
    for i in range(begin, len(output) - len(patterns) + 1):
        equal = next((k for k, p in enumerate(patterns) if not p.fullmatch(output[i + k])), len(patterns))
        if equal == len(patterns):
            return i + equal, None
        longest = max(longest, equal)
    return None, segment[longest]


def run(commands, build):
    """What all of them print."""
    text = ""
    for command in commands:
        command = re.sub(r"\bbuild/", build.rstrip("/") + "/", command)
        result = subprocess.run(command, shell=True, cwd=SOURCE, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"{command}: exit status {result.returncode}\n{result.stderr}")
        text += result.stderr + result.stdout
    return [squeezed(line) for line in text.splitlines() if line.strip()]


def compare(text, build):
    commands, output, position, shown, problems = [], None, 0, 0, []
    for language, start, lines in blocks(text):
        if language == "sh":
            commands, output, position = lines, run(lines, build), 0
        elif language in ("mlir", "text"):
            for segment in segments(start, lines):
                if output is None:
                    sys.exit(f"docs/tour.md:{start}: nothing prints this")
                end, missing = find(segment, output, position)
                if missing:
                    problems.append(f"docs/tour.md:{missing[0]}: not what `{commands[-1]}` prints, or not there: {missing[1]}")
                    break
                position = end
                shown += len(segment)
    print("\n".join(problems + [f"{shown} lines shown; {len(problems)} excerpts are not what the tools print"]))
    return bool(problems) or not shown


def compare_graph(text, python):
    program = next("\n".join(lines) + "\n" for language, _, lines in blocks(text) if language == "python")
    printed = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout
    with open(GRAPH) as file:
        equal = file.read() == printed
    print("docs/tour.mlir is what JAX prints" if equal else "JAX prints something else than docs/tour.mlir:\n" + printed)
    return not equal


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"), metavar="FOLDER")
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter that has JAX")
    options = parser.parse_args()
    with open(TOUR) as file:
        text = file.read()
    return compare_graph(text, options.jax) if options.jax else compare(text, options.build)


if __name__ == "__main__":
    sys.exit(main())
