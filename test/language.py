#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of the language of comments and documents, each with a limit.

usage: language.py [--room FOLDER] [--list MEASURE] [--rooms]

Measures of comments (.c, .h, .cpp, .cu, .td, .def), as per mille of all comments:
  what        a clause with "what" where a noun belongs ("frees what the session has"); questions do not count
  long        a sentence of more than 30 words
  retired     a word that docs/glossary.md has another one for (RETIRED)
Further measures of comments, as numbers:
  twice       a sentence that stands twice, one right behind the other
  titles      a first line that names another file
Measures of C files, as numbers:
  opening     a .c file whose header comment says nothing behind its first line
  files       a name of a .c or .h file that stands in several folders, main.c aside
  types       a type's name that is defined in several files
  statics     a name of a static function that is defined in more than 3 files, CALLBACKS aside
Measures of documents (README.md, CONTRIBUTING.md, docs/*.md, test/README.md), as numbers:
  doc_lines   a line of more than 120 characters, tables, code and links aside
  doc_long    a sentence of more than 30 words, tables and code aside
  doc_median  the median of words a sentence

LIMITS has the most that each may be. A change that lowers a count lowers its limit.
--list prints each place of one measure, --room looks at one folder alone, --rooms prints the counts of each top folder. Exit status 1: a limit is passed.
"""
import argparse
import collections
import os
import re
import statistics
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONGEST_SENTENCE, LONGEST_LINE, STATIC_FILES = 30, 120, 3

LIMITS = {"what": 10, "long": 7, "retired": 6, "twice": 0, "titles": 0, "opening": 12, "files": 31, "types": 4,
          "statics": 1, "doc_lines": 0, "doc_long": 0, "doc_median": 17}
# Functions that each pass gives to the framework: one meaning, and one name.
CALLBACKS = ("run", "planFusion")

# Words of this project's own for things that the field has names for.
RETIRED = re.compile(r"\b(at hand|beside|besides|at once|sweeps?|whoever|somebody|nobody|bundles?|panels?)\b", re.I)
# Test inputs and code that is no part of the compiler.
COMMENTED = (".c", ".h", ".cpp", ".cu", ".td", ".def")


def listed():
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    paths = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True).stdout.split()
    return [path for path in sorted(paths) if os.path.isfile(os.path.join(SOURCE, path))]


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


# ----------------------------------------------------------------------------------------------------------------------
# Comments
# ----------------------------------------------------------------------------------------------------------------------

COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|(//[^\n]*)')
LISTED = re.compile(r"\s|[-*] |\d+\. ")  # a line of a list, a table or code is one of its own
TITLE = re.compile(r"//===- (\S+) - (.*?) -*(?:-\*-.*)?===//")
RULER = re.compile(r"//\s*[=-]{3,}.*|//===.*===//$")


def comments(text):
    """Pairs of a line number and the text of a comment: neighbouring lines of comments alone are one, one behind code is one of its own."""
    begin, parts, indent = None, [], None
    for number, line in enumerate(text.splitlines(), 1):
        found = next((match for match in COMMENT.finditer(line) if match[1]), None)
        alone = found and not line[:found.start()].strip()
        words = found[1] if found else ""
        if title := TITLE.fullmatch(words):
            yield number, title[2]
        words = "" if RULER.fullmatch(words.strip()) else re.sub(r"^//+<?\s?", "", words)
        separate = not words.strip() or not alone or (indent is not None and found.start() != indent) or LISTED.match(words)
        if parts and separate:
            yield begin, " ".join(parts)
            begin, parts, indent = None, [], None
        if not words.strip():
            continue
        if alone or line.strip() == found[1]:
            begin, indent = (number, found.start()) if not parts else (begin, indent)
            parts.append(words.strip())
        else:
            begin, parts, indent = number, [words.strip()], found.start()
    if parts:
        yield begin, " ".join(parts)


def sentences(text):
    """A colon ends no sentence, a semicolon does not either: a reader goes from full stop to full stop."""
    hidden = [match[0] for match in re.finditer(r"`[^`]*`", text)]
    plain = re.sub(r"`[^`]*`", "\0", text)
    plain = re.sub(r"\b(e\.g|i\.e|cf|vs|etc)\.", lambda match: match[0].replace(".", "\1"), plain)
    parts = re.split(r"(?:(?<=[.?!])|(?<=[.?!][)\"']))\s+(?=[\"'(*]*[A-Z0-9\0])", plain)
    code = iter(hidden)
    whole = [re.sub("\0", lambda match: next(code), part).replace("\1", ".").strip() for part in parts]
    return [part for part in whole if part]


def words(sentence):
    """Code in backquotes is one word."""
    plain = re.sub(r"`[^`]*`", "code", sentence)
    return len(re.findall(r"[A-Za-z0-9_'.*/+-]*[A-Za-z0-9][A-Za-z0-9_'.*/+-]*", plain))


def comment_places(paths):
    """Measure -> places, and the number of comments."""
    places, count = collections.defaultdict(list), 0
    for path in paths:
        if not path.endswith(COMMENTED):
            continue
        for number, text in comments(read(path)):
            if text.startswith(("Part of the Stitch project", "RUN:", "CHECK")):
                continue
            count += 1
            found = sentences(text)
            if any(re.search(r"\bwhat\b", re.sub(r"`[^`]*`", "", one), re.I) and not one.endswith("?") for one in found):
                places["what"].append(f"{path}:{number}: {text}")
            if any(words(one) > LONGEST_SENTENCE for one in found):
                places["long"].append(f"{path}:{number}: {text}")
            if RETIRED.search(text):
                places["retired"].append(f"{path}:{number}: {text}")
            if any(one.lower() == next.lower() and words(one) > 1 for one, next in zip(found, found[1:])):
                places["twice"].append(f"{path}:{number}: {text}")
        title = TITLE.match(read(path))
        if title and title[1] != os.path.basename(path):
            places["titles"].append(f"{path}:1: {title[1]}")
    return places, count


# ----------------------------------------------------------------------------------------------------------------------
# Files, types and functions
# ----------------------------------------------------------------------------------------------------------------------

# Programs of their own: nobody links two of them.
OWN_PROGRAMS = ("test/", "bench/", "examples/")
TYPE = re.compile(r"^(?:\} (\w+);|typedef (?:struct|enum|union) \w+ \{.*\} (\w+);|typedef \w[\w *]*?\(\*(\w+)\)\(|(?:struct|enum|union) (\w+) \{)", re.M)
STATIC = re.compile(r"^static [\w *]*?\b(\w+)\(", re.M)


def has_opening(text):
    header = re.match(r"(?:(?://[^\n]*)?\n)*", text)[0]
    body = [line for line in header.splitlines()[1:] if not RULER.fullmatch(line.strip()) and not re.match(r"//\s*(Part of the Stitch|SPDX)", line)]
    return bool(" ".join(body).replace("/", "").strip())


def name_places(paths):
    places = collections.defaultdict(list)
    names = {kind: collections.defaultdict(set) for kind in ("files", "types", "statics")}
    for path in paths:
        if not path.endswith((".c", ".h")) or path.startswith(OWN_PROGRAMS):
            continue
        text = read(path)
        if path.endswith(".c") and not has_opening(text):
            places["opening"].append(f"{path}:1: no opening")
        if os.path.basename(path) != "main.c":
            names["files"][os.path.basename(path)].add(path)
        for match in TYPE.finditer(text):
            names["types"][next(name for name in match.groups() if name)].add(path)
        for name in set(STATIC.findall(text)) - set(CALLBACKS) if path.endswith(".c") else ():
            names["statics"][name].add(path)
    for kind, most in (("files", 1), ("types", 1), ("statics", STATIC_FILES)):
        places[kind] = [f"{name}: {' '.join(sorted(where))}" for name, where in sorted(names[kind].items()) if len(where) > most]
    return places


# ----------------------------------------------------------------------------------------------------------------------
# Documents
# ----------------------------------------------------------------------------------------------------------------------


def paragraphs(text):
    """Pairs of a line number and the text of a paragraph or an item of a list, without code, tables, titles and HTML."""
    begin, parts, code = None, [], False
    for number, line in enumerate(text.splitlines(), 1):
        fence = line.lstrip().startswith("```")
        code = code != fence
        item = re.match(r"\s*(?:[-*]|\d+\.)\s+", line)
        other = fence or code or not line.strip() or line.lstrip().startswith(("|", "#", "<!--", "![", "<")) or (not parts and line.startswith("    "))
        if parts and (other or item):
            yield begin, " ".join(parts)
            parts = []
        if not other:
            begin = begin if parts else number
            parts.append(line[item.end():].strip() if item else line.strip())
    if parts:
        yield begin, " ".join(parts)


def document_places(paths):
    places, lengths = collections.defaultdict(list), []
    for path in paths:
        if not re.fullmatch(r"README\.md|CONTRIBUTING\.md|docs/[^/]*\.md|test/README\.md", path):
            continue
        code = False
        for number, line in enumerate(read(path).splitlines(), 1):
            code = code != line.lstrip().startswith("```")
            if len(line) > LONGEST_LINE and not code and not line.lstrip().startswith(("|", "![")) and "](http" not in line:
                places["doc_lines"].append(f"{path}:{number}: {len(line)} characters")
        for number, text in paragraphs(read(path)):
            for sentence in sentences(text):
                lengths.append(words(sentence))
                if lengths[-1] > LONGEST_SENTENCE:
                    places["doc_long"].append(f"{path}:{number}: {lengths[-1]} words: {sentence}")
    return places, statistics.median(lengths) if lengths else 0


def measure(paths):
    """Measure -> count, and measure -> places."""
    places, number = comment_places(paths)
    counts = {kind: round(1000 * len(places[kind]) / max(number, 1), 1) for kind in ("what", "long", "retired")}
    named = name_places(paths)
    documents, counts_median = document_places(paths)
    places.update(named)
    places.update(documents)
    counts.update({kind: len(places[kind]) for kind in LIMITS if kind not in counts and kind != "doc_median"})
    counts["doc_median"] = counts_median
    return counts, places


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", default="")
    parser.add_argument("--list", choices=LIMITS, metavar="MEASURE")
    parser.add_argument("--rooms", action="store_true")
    options = parser.parse_args()
    paths = [path for path in listed() if path.startswith(options.room)]
    if options.rooms:
        print(f"{'room':12}" + "".join(f"{kind:>11}" for kind in LIMITS))
        for room in sorted({path.split("/")[0] for path in paths if "/" in path}):
            counts, _ = measure([path for path in paths if path.startswith(room + "/")])
            print(f"{room:12}" + "".join(f"{counts[kind]:>11}" for kind in LIMITS))
        return 0
    counts, places = measure(paths)
    if options.list:
        print(*places[options.list], sep="\n")
        return 0
    passed = [kind for kind in LIMITS if counts[kind] > LIMITS[kind]]
    for kind in LIMITS:
        print(f"{kind:12}{counts[kind]:>8}, at most {LIMITS[kind]}{'   <- more' if kind in passed else ''}")
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(main())
