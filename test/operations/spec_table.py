#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For the constraints of StableHLO's operations a program that keeps them and one that violates each: test/operations/spec_table.md.

usage: spec_table.py --bin DIR [--table FILE] [--write FILE] [--spec SPEC.md] [--list]

Programs that keep all constraints of an operation are converted; those that violate one are refused, at the place of the
operation. Operations and types that are not taken are refused by name, whatever they look like. The table has the messages; with --table they must be those of the table. --spec lists the constraints of the specification
of which no program is here. --list prints the programs. Exit status 1 if a program is accepted or refused that should not be.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from spec_cases import CASES, NOT_TAKEN, compute, distributed, dynamic, plain, quantised, regions

assert compute and distributed and dynamic and plain and quantised and regions


def programs():
    """(operation, constraint or None, text)"""
    for case in CASES:
        yield case.name, None, case.valid.text()
        for constraint, program in sorted(case.violations.items(), key=lambda item: (item[0][0], int(item[0][1:]))):
            yield case.name, constraint, program.text()


def convert(options, listed):
    """What the compiler says of each program: the first message, and its line within the program; None if it takes it."""
    separator, starts, text = "// -----\n", [], ""
    for _, _, program in listed:
        starts.append(text.count("\n") + 1)
        text += program + separator
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "programs.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [os.path.join(options.bin, "stitch-opt"), path, "--split-input-file", "--convert-stablehlo-to-tg", "-o", os.devnull]
        errors = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    said = [None] * len(listed)
    for line, message in re.findall(r"^[^\n:]*programs\.mlir:(\d+):\d+: error: (.*)$", errors, re.M):
        number = max(i for i, start in enumerate(starts) if start <= int(line))
        said[number] = said[number] or (int(line) - starts[number] + 1, message)
    return said, errors


def shortened(message):
    message = re.sub(r"^'stablehlo\.\w+' op (cannot be converted to tg: )?", "", message)
    return message.replace("|", "\\|")


def spans(constraints):
    return constraints[0] if len(constraints) == 1 else f"{constraints[0]} to {constraints[-1]}"


def page(listed, said, refusals):
    lines = ["| operation | constraint | refused with |", "|---|---|---|"]
    lines += [f"| {name} | {constraint} | {shortened(answer[1])} |" for (name, constraint, _), answer in zip(listed, said) if constraint]
    return f"""# What violates a constraint of StableHLO

By `test/operations/spec_table.py --write`: for each constraint, as the specification numbers them, a program that violates it and is otherwise right,
and what the compiler says of it. {sum(c is None for _, c, _ in listed)} programs that violate none are converted. I: the\ntypes of the operands; A: attributes.

{chr(10).join(lines)}

Not taken at all, and so without programs for each constraint:

| operation | constraints | refused with |
|---|---|---|
{chr(10).join(f"| {program.name} | {spans(constraints)} | {shortened(answer[1])} |" for (constraints, program), answer in zip(NOT_TAKEN, refusals))}
"""


def missing(spec):
    """The constraints of the specification without a program."""
    have, name = {(name, constraint) for name, constraint, _ in programs()}, ""
    have |= {(program.name, constraint) for constraints, program in NOT_TAKEN for constraint in constraints}
    with open(spec, encoding="utf-8") as file:
        for line in file:
            if line.startswith("### "):
                name = line[4:].strip()
            found = re.match(r" *\* \((C\d+)\) (.*)", line)
            if found and (name, found[1]) not in have:
                yield f"{name} {found[1]}: {found[2]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--bin", "--table", "--write", "--spec"):
        parser.add_argument(option)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.spec:
        print("\n".join(missing(options.spec)))
        return 0
    listed = list(programs())
    if options.list:
        print("".join(f"// {name} {constraint or 'valid'}\n{text}" for name, constraint, text in listed))
        return 0
    said, errors = convert(options, listed)
    refusals, _ = convert(options, [(program.name, None, program.text()) for _, program in NOT_TAKEN])
    failures = [f"{program.name}: is taken, or refused at another place: {answer}" for (_, program), answer in zip(NOT_TAKEN, refusals)
                if not answer or answer[0] != 2]
    for (name, constraint, text), answer in zip(listed, said):
        if constraint is None and answer:
            failures.append(f"{name}: a right program is refused: {answer[1]}\n{text}")
        elif constraint and not answer:
            failures.append(f"{name} {constraint}: is accepted\n{text}")
        elif constraint and answer[0] != 2:
            failures.append(f"{name} {constraint}: the message is at another place, line {answer[0]}: {answer[1]}\n{text}")
    if not failures and options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(page(listed, said, refusals))
    if not failures and options.table:
        with open(options.table, encoding="utf-8") as file:
            known = file.read()
        if known != page(listed, said, refusals):
            failures.append("the table is to be written anew: messages are others")
    print("\n".join(failures))
    if not any(said):
        print(errors[:2000])
    print(f"{len(listed)} programs, {sum(c is not None for _, c, _ in listed)} of which violate a constraint, {len(failures)} problems")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
