#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the documentation names what there is.

usage: docs.py [--build FOLDER]

  paths      what README.md, CONTRIBUTING.md and docs/*.md name in a folder of the repository exists
  words      the code uses each word of docs/glossary.md
  papers     each row of docs/papers.md names a test or a page of results (which exists: paths), or says that something is not there
  lengths    README.md has at most 135 lines
  commands   with --build: the commands of CONTRIBUTING.md that say so run, with FOLDER in the place of build/
"""
import argparse
import glob
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README_LINES = 135
CODE = ("ir", "passes", "lowering", "pipeline", "runtime", "dialects")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def listed():
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    return subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True).stdout.split()


def alternatives(path):
    """a/{b,c} stands for a/b and a/c."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if not braces:
        return [path]
    return [p for part in braces.group(1).split(",") for p in alternatives(path[:braces.start()] + part + path[braces.end():])]


def wrong_paths(documents, files):
    folders = sorted({path.split("/")[0] for path in files if "/" in path})
    named = re.compile(r"(?<![\w/.$-])((?:" + "|".join(map(re.escape, folders)) + r")/[\w./*{},-]*)")
    for document in documents:
        for number, line in enumerate(read(document).splitlines(), 1):
            for path in named.findall(line):
                for one in alternatives(path.rstrip(".,")):
                    if not re.search(r"\b[A-Z]+\b(?!\.md)", one) and not glob.glob(os.path.join(SOURCE, one)):
                        yield f"{document}:{number}: there is no {one}"


def unused_words(files):
    rows = re.findall(r"^\| ([\w -]+?) \|", read("docs/glossary.md"), re.M)
    code = "\n".join(read(path) for path in files if path.split("/")[0] in CODE and path.endswith((".c", ".h", ".cpp", ".td", ".def")))
    for word in rows:
        if word != "term" and not re.search(rf"\b{word}", code, re.I):
            yield f"docs/glossary.md: no code uses the word {word}"


def rows_without_test():
    rows = [(number, line) for number, line in enumerate(read("docs/papers.md").splitlines(), 1) if line.startswith("| ") and not line.startswith("| section")]
    for number, line in rows:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 5:
            yield f"docs/papers.md:{number}: {len(cells)} columns in the place of 5"
        elif not re.search(r"`(test/|bench/results/)", cells[3]) and not cells[4].startswith("not there"):
            yield f"docs/papers.md:{number}: no test, and it is not said to be not there"
    if not rows:
        yield "docs/papers.md: no rows"


def failing_commands(build):
    block = re.search(r"<!-- Run by test/lit/docs.test. -->\n```sh\n(.*?)```", read("CONTRIBUTING.md"), re.S).group(1)
    commands = [line for line in block.splitlines() if line.startswith("build/")]
    if not commands:
        yield "CONTRIBUTING.md: no commands to run"
    for command in commands:
        here = re.sub(r"\bbuild/", build.rstrip("/") + "/", command)
        result = subprocess.run(here, shell=True, cwd=SOURCE, capture_output=True, text=True)
        if result.returncode:
            yield f"CONTRIBUTING.md: {command}: exit status {result.returncode}\n{result.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", metavar="FOLDER")
    options = parser.parse_args()
    files = listed()
    documents = ["README.md", "CONTRIBUTING.md", "test/README.md"] + sorted(path for path in files if re.fullmatch(r"docs/[^/]*\.md", path))
    problems = list(wrong_paths(documents, files)) + list(unused_words(files)) + list(rows_without_test())
    lines = len(read("README.md").splitlines())
    if lines > README_LINES:
        problems.append(f"README.md has {lines} lines, at most {README_LINES} are allowed")
    if options.build:
        problems += failing_commands(options.build)
    print("\n".join(problems + [f"{len(documents)} documents; {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
