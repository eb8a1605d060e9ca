#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutates StableHLO text and checks that reading and converting it ends in a result or in an error, never in a crash.

usage: fuzz_stablehlo.py --stitch-opt PROGRAM [--runs N] [--seed S] [--keep DIR] FILE ...

Each run takes one of the files, changes it in one to three places (characters, tokens, numbers, lines) and runs
`stitch-opt --convert-stablehlo-to-tg`. It must exit with 0, or with 1 and a located error. Inputs that break the rule are
written to DIR. The same seed gives the same mutations. Exit status 1 if any input broke the rule.
"""
import argparse
import os
import random
import re
import subprocess
import sys

TOKEN = re.compile(r'%?[A-Za-z0-9_$.#]+|"[^"\n]*"|->|[^\sA-Za-z0-9_]')
LOCATED_ERROR = re.compile(r"<stdin>:\d+:\d+: error: ")
TIMEOUT_SECONDS = 20


def change_character(text, rng):
    at = rng.randrange(len(text))
    return text[:at] + rng.choice('()<>[]{}%#@!"=:,x-.0 \n\t\0\xff') + text[at + rng.randrange(2) :]


def random_token(text, rng):
    """A token near a random place, as a match."""
    at = rng.randrange(len(text))
    return TOKEN.search(text, at) or TOKEN.search(text)


def delete_token(text, rng):
    token = random_token(text, rng)
    return text[: token.start()] + text[token.end() :]


def repeat_token(text, rng):
    token = random_token(text, rng)
    return text[: token.end()] + " " + token.group() + text[token.end() :]


def replace_token(text, rng):
    token, other = random_token(text, rng), random_token(text, rng)
    return text[: token.start()] + other.group() + text[token.end() :]


def change_number(text, rng):
    number = re.compile(r"\d+").search(text, rng.randrange(len(text)))
    if not number:
        return text
    value = rng.choice(["0", "1", "-1", "7", "17", "99999999", "9223372036854775807", "99999999999999999999999", "?"])
    return text[: number.start()] + value + text[number.end() :]


def change_type(text, rng):
    element = re.compile(r"(?<=[x<])(f32|i32|i1|ui32|i64)(?=>)").search(text, rng.randrange(len(text)))
    if not element:
        return text
    types = ["f64", "bf16", "f8E4M3FN", "i1", "i4", "ui8", "complex<f32>", "index", "i0", "i77", "none", "!stablehlo.token"]
    return text[: element.start()] + rng.choice(types) + text[element.end() :]


def on_lines(change):
    def mutate(text, rng):
        lines = text.split("\n")
        change(lines, rng)
        return "\n".join(lines)

    return mutate


def delete_line(lines, rng):
    del lines[rng.randrange(len(lines))]


def repeat_line(lines, rng):
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))


def swap_lines(lines, rng):
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def truncate(text, rng):
    return text[: rng.randrange(len(text))]


MUTATIONS = [
    change_character,
    delete_token,
    repeat_token,
    replace_token,
    change_number,
    change_type,
    on_lines(delete_line),
    on_lines(repeat_line),
    on_lines(swap_lines),
    truncate,
]


def mutate(text, rng):
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(MUTATIONS)(text, rng) or "\n"
    return text


def what_is_wrong(program, text):
    """None if the program kept the rule; otherwise what it did. Second: whether it accepted the text."""
    try:
        done = subprocess.run(
            [program, "-", "--convert-stablehlo-to-tg", "-o", os.devnull],
            input=text.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT_SECONDS} s", False
    if done.returncode not in (0, 1):
        return f"exit status {done.returncode}", False
    if done.returncode == 1 and not LOCATED_ERROR.search(done.stderr.decode("utf-8", "replace")):
        return "exit status 1 without a located error", False
    return None, done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--stitch-opt", required=True, metavar="PROGRAM")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", metavar="DIR")
    arguments = parser.parse_args()
    texts = []
    for name in arguments.files:
        with open(name) as file:
            texts.append(file.read())
    accepted = broken = 0
    for run in range(arguments.runs):
        rng = random.Random(arguments.seed * 1000003 + run)
        text = mutate(rng.choice(texts), rng)
        wrong, valid = what_is_wrong(arguments.stitch_opt, text)
        accepted += valid
        if wrong:
            broken += 1
            print(f"run {run}: {wrong}")
            if arguments.keep:
                os.makedirs(arguments.keep, exist_ok=True)
                with open(os.path.join(arguments.keep, f"{run}.mlir"), "w", encoding="utf-8") as file:
                    file.write(text)
    print(f"{arguments.runs} runs: {accepted} accepted, {arguments.runs - accepted - broken} refused, {broken} broke the rule")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
