#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The house in order: who may include whom, no circles of calls, nothing too long.

usage: layers.py --build FOLDER [--room ROOM]

  rooms      a file includes files of its own room and of those before it in ROOMS; runtime/ includes nothing but itself
  circles    no file calls, by whatever way, a file that calls it: read from the symbols of the object files. Where a lower layer must call
             a higher one, a struct of the lower one has a pointer that the higher one sets. No header includes, by whatever way, itself
  schedules  what a kernel does is derived in ir/plan/schedule*.c alone (SCHEDULES); everybody else reads it
  lengths    files, headers and functions

--room looks at one room and those in it alone. Prints what is wrong; exit status 1 if anything is.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# From the lowest layer to the highest. A folder that is not named belongs to the folder around it.
ROOMS = ["runtime", "dialects", "capi", "ir/mlir", "ir/graph", "ir/index", "ir/plan", "passes/common", "passes", "lowering/scalar",
         "lowering/import", "lowering/llvm", "lowering/kernel/gpu", "lowering/kernel/ops", "lowering/kernel/plan", "lowering/kernel/values", "lowering/kernel/emit",
         "lowering/kernel/host", "lowering/kernel", "lowering/ptx", "lowering/simt", "lowering/host", "lowering/reference", "pipeline",
         "tools/support", "tools/check", "tools/run", "compiler", "tools", "python", "examples", "test", "bench"]
# Headers that everybody may include: those of the programs that link Stitch.
PUBLIC = {"stitch.h", "stitch_compiler.h"}

FILE_LINES, TEST_FILE_LINES, HEADER_LINES, FUNCTION_LINES = 700, 700, 200, 100

# Path or path:function -> why it may be what it is.
EXCEPTIONS = {
    "runtime/stitch_runtime.h": "the one header of programs that run models: half of it says what its functions do",
}
# Made by mlir-tblgen: an operation's table refers to its verifier and folder, and these to the operation.
GENERATED = re.compile(r"dialects/tg/tg_ops_\d\.cpp|dialects/stitch/stitch\.cpp")


def files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True, check=True).stdout
    return [path for path in sorted(listed.split()) if re.search(r"\.(c|h|cpp|cu|def)$", path) and os.path.exists(os.path.join(SOURCE, path))]


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def room_of(path):
    """The longest room that the path lies in; None: in no room."""
    folder = os.path.dirname(path)
    while folder and folder not in ROOMS:
        folder = os.path.dirname(folder)
    return folder or None


# ----------------------------------------------------------------------------------------------------------------------
# Rooms
# ----------------------------------------------------------------------------------------------------------------------


def wrong_includes(paths):
    known = set(files())
    for path in paths:
        room = room_of(path)
        if room is None:
            if path not in PUBLIC:
                yield f"{path}: lies in no room"
            continue
        for included in re.findall(r'^#include "([^"]+)"', read(path), re.M):
            other = room_of(included) if included in known else None
            if other is None:
                continue  # the system's, MLIR's, generated, public
            if ROOMS.index(other) > ROOMS.index(room) or (room == "runtime" and other != "runtime"):
                yield f"{path}: includes {included}, and {room} stands before {other}"


# ----------------------------------------------------------------------------------------------------------------------
# Circles
# ----------------------------------------------------------------------------------------------------------------------


def objects(build):
    """Source file -> object file, of what is no test."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    result = {}
    for command in commands:
        path = os.path.relpath(command["file"], SOURCE)
        if room_of(path) not in (None, "test", "bench", "examples"):
            output = command.get("output") or re.search(r" -o (\S+)", command["command"])[1]
            result[path] = os.path.join(command["directory"], output)
    return result


def calls(build):
    """File -> file -> the functions of the latter that the former refers to. Headers are part of who includes them."""
    path_of = {object_file: path for path, object_file in objects(build).items()}
    if missing := [path for object_file, path in path_of.items() if not os.path.exists(object_file)]:
        sys.exit(f"{build} is not built: there is no object of {missing[0]}")
    listed = subprocess.run(["nm", "-A", "-P", *path_of], capture_output=True, text=True, check=True).stdout
    defined, undefined = {}, collections.defaultdict(set)
    for line in listed.splitlines():
        object_file, symbol = line.split(": ", 1)
        name, kind = symbol.split()[:2]
        if kind in "TDBRC":
            defined.setdefault(name, path_of[object_file])
        elif kind == "U":
            undefined[path_of[object_file]].add(name)
    edges = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, names in undefined.items():
        for name in names:
            other = defined.get(name, path)
            if other != path and not GENERATED.fullmatch(path) and not GENERATED.fullmatch(other):
                edges[path][other].add(name)
    return edges


def components(edges):
    """Sets of files that call each other in a circle (Tarjan's algorithm, without recursion)."""
    number, low, stack, on_stack = {}, {}, [], set()
    for start in sorted(edges):
        if start in number:
            continue
        work = [(start, iter(sorted(edges.get(start, ()))))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while work:
            path, others = work[-1]
            for other in others:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(edges.get(other, ())))))
                    break
                if other in on_stack:
                    low[path] = min(low[path], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[path])
                if low[path] == number[path]:
                    component = set()
                    while path not in component:
                        component.add(stack.pop())
                    on_stack -= component
                    if len(component) > 1:
                        yield component


def circles(paths, build):
    edges = calls(build)
    for component in components(edges):
        if not component & set(paths):
            continue
        yield "circle of calls: " + " ".join(sorted(component))
        for path in sorted(component):
            for other in sorted(component & set(edges[path])):
                yield f"  {path} -> {other}: {' '.join(sorted(edges[path][other]))}"


def include_circles(paths):
    known = set(files())
    headers = [path for path in known if path.endswith((".h", ".def"))]
    edges = {path: set(re.findall(r'^#include "([^"]+)"', read(path), re.M)) & known for path in headers}
    for component in components(edges):
        if component & set(paths):
            yield "circle of includes: " + " ".join(sorted(component))
    for path in sorted(set(paths) & set(headers)):
        if path in edges[path]:
            yield f"{path}: includes itself"


# ----------------------------------------------------------------------------------------------------------------------
# Schedules
# ----------------------------------------------------------------------------------------------------------------------

# Phases, task loops, stages and what stays in registers follow from these functions: name -> who else may call it, and why.
SCHEDULES = {
    "scheduleWrite": {"passes/stitch_schedule.c": "the pass", "passes/stitch_buffers.c": "has changed schemes"},
    "scheduleWriteKept": {"passes/stitch_launch.c": "has found the launch"},
    "scheduleFindKept": {},
    "settleSchemes": {"passes/stitch_schemes/stitch_schemes.c": "chooses schemes", "passes/stitch_buffers.c": "has changed schemes"},
    "phasesOf": {"passes/stitch_schemes/copies.c": "tries schemes"},
    "firstPhasesOf": {"passes/stitch_schemes/copies.c": "tries schemes"},
    "planSameLoop": {"ir/plan/plan.c": "defines it", "passes/stitch_axes/stitch_axes.c": "asks which groups would share a loop", "passes/stitch_verify_plan/schedule.c": "checks a schedule"},
    "planIsFinishedLater": {"ir/plan/plan.c": "defines it", "passes/stitch_verify_plan/schedule.c": "checks a schedule"},
    "planSameTasks": {"ir/plan/plan.c": "defines it", "passes/stitch_thread_mapping/rows.c": "tries mappings"},
}
SCHEDULE_FILES = re.compile(r"ir/plan/schedule\w*\.[ch]")
# A phase that is counted up behind a global value, or compared because of one.
OWN_PHASES = re.compile(r"(?i)phase[^;{}]*\+[^;{}]*STITCH_SCHEME_GLOBAL|STITCH_SCHEME_GLOBAL[^;{}]*\+[^;{}]*phase")


def wrong_schedules(paths):
    for path in paths:
        if not path.endswith(".c") or room_of(path) in ("test", "bench") or SCHEDULE_FILES.fullmatch(path):
            continue
        text = read(path)
        for name, callers in SCHEDULES.items():
            if path not in callers and re.search(rf"\b{name}\(", text):
                yield f"{path}: calls {name}, with which ir/plan/schedule.c finds what a kernel does: read the schedule"
        if OWN_PHASES.search(text):
            yield f"{path}: finds phases of its own: read the schedule"


# ----------------------------------------------------------------------------------------------------------------------
# Lengths
# ----------------------------------------------------------------------------------------------------------------------


def functions(text):
    """Name and length of each function: clang-format ends the first line of one with a brace, and has the last one alone."""
    begin = name = None
    for number, line in enumerate(text.splitlines()):
        if re.match(r"[A-Za-z_]", line):
            match = re.search(r"([\w:~]+)\(", line)
            begin, name = (number, match[1]) if match else (begin, name)
        if line == "}" and begin is not None:
            yield name, number - begin + 1
        if line.startswith("}"):
            begin = None


def too_long(paths):
    for path in paths:
        text, in_test = read(path), room_of(path) == "test"
        lines = text.count("\n")
        most = TEST_FILE_LINES if in_test else HEADER_LINES if path.endswith(".h") else FILE_LINES
        if lines > most and path not in EXCEPTIONS and not path.endswith(".def"):
            yield f"{path}: {lines} lines, more than {most}"
        for name, length in functions(text):
            if length > FUNCTION_LINES and f"{path}:{name}" not in EXCEPTIONS:
                yield f"{path}: {name} has {length} lines, more than {FUNCTION_LINES}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--room", default="")
    options = parser.parse_args()
    paths = [path for path in files() if path.startswith(options.room)]
    problems = [*wrong_includes(paths), *circles(paths, os.path.abspath(options.build)), *include_circles(paths), *wrong_schedules(paths), *too_long(paths)]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(paths)} files, {sum(not problem.startswith(' ') for problem in problems)} problems")
    sys.exit(1 if problems or not paths else 0)


if __name__ == "__main__":
    main()
